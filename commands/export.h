/* export.h - the parts of `bankscope export`: what is asked for (export_options.c), and its files (export_write.c). */
#ifndef BANKSCOPE_COMMANDS_EXPORT_H
#define BANKSCOPE_COMMANDS_EXPORT_H

#include "commands/command.h"
#include "viewer/drawing/preset.h"
#include "viewer/viewer.h"

enum { EXPORT_PARTS = SUBJECTS, EXPORT_NOTES = 32, EXPORT_SIDES = 2 /* that step together */ };

/* What is asked for on the command line. */
struct export_request {
    const char *command, *output;
    struct figure_choice choice;
    struct numbers rounds;     /* of the choice */
    const struct theme *theme; /* NULL: the usual one */
    struct palette palette;
    int64_t width;  /* in mm, 0: default */
    int64_t dpi;    /* 0: default */
    double seconds; /* of a frame; 0: default */
    bool race;
    const struct preset *preset;     /* or NULL */
    const char *title[EXPORT_PARTS]; /* NULL: made from the recording */
    int titles;
    const char *legend; /* NULL: none; "": the usual words */
    int64_t per_row;    /* 0: as many as fit */
    struct numbers banks, columns;
    bool some_banks, some_columns;
    int notes;
    struct figure_note note[EXPORT_NOTES];
    bool raw_tex;      /* the words above are TeX's own */
    char origin[2000]; /* the command */
    const char *drawn; /* the last option given that is for pictures, or NULL */
    const char *paper; /* and that is for pictures that stand still */
    enum label label;
};

/* Values of the command's own long options. */
enum {
    OPTION_STAGE = OPTION_FIRST_FREE,
    OPTION_ROUNDS,
    OPTION_SLOT,
    OPTION_BLOCK,
    OPTION_WARP,
    OPTION_WIDTH,
    OPTION_DPI,
    OPTION_THEME,
    OPTION_LABEL,
    OPTION_SECONDS,
    OPTION_RACE,
    OPTION_COLOUR,
    OPTION_BANKS, /* these are for pictures, */
    OPTION_COLUMNS,
    OPTION_PRESET, /* and these for pictures that stand still */
    OPTION_TITLE,
    OPTION_LEGEND,
    OPTION_PER_ROW,
    OPTION_NOTE,
    OPTION_RAW_TEX
};
/* Takes one of these options. false: reported. */
bool export_option(void *request, int option, const char *text);
/* Whether the options suit the kind of output; others would be ignored in silence. false: reported. */
bool export_options_suit(const struct export_request *request);
/* Whether the cells are asked for as numbers. */
bool export_is_numbers(const char *path);

/* Draws the recordings and writes them; returns the exit status. names: theirs, for the menu of a page. */
int export_write(const struct export_request *request, const struct trace_index *index, int parts);
int export_write_page(const struct export_request *request, const char *const *names,
                      const struct trace *trace, int parts);
/* Whether a page of all launches of a program is asked for; runs the program and writes it. */
bool export_is_of_launches(const struct export_request *request, const struct subjects *subjects);
int export_write_launches(const struct export_request *request, struct subject *subject);

#endif
