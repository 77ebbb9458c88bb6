/* figure.h - pictures for paper, as drawings and as numbers, and a part of a trace as text. */
#ifndef BANKSCOPE_VIEWER_FIGURE_H
#define BANKSCOPE_VIEWER_FIGURE_H

#include "viewer/scene/scene.h"

/* ---- figure.c, figure_part.c: pictures for paper -------------------------------------------- */

/* What is written beside cells, as in worstcase-2. Columns are counted as they are shown. */
struct figure_note {
    enum {
        NOTE_TOP,    /* a bracket over columns */
        NOTE_BOTTOM, /* under them */
        NOTE_LEFT,   /* left of banks */
        NOTE_RIGHT,  /* right of them */
        NOTE_FRAME,  /* around columns and banks, without text */
        NOTE_CELL    /* in the cell of a word, instead of its label */
    } kind;
    int first_column, last_column, first_bank, last_bank;
    uint32_t word;
    char text[100];
};

/* The matrices of one stage of one trace: a figure's row of data. {.index = ...} alone is the
 * whole first stage as one matrix for warp 0. */
struct figure_part {
    const struct trace_index *index;
    const char *title; /* above the matrices; NULL: made from the trace; "": none */
    bool state; /* below it what one made from the trace has below: "read, round 0: 1 pass" */
    int stage, block;
    int warp;    /* -1: all warps of the block count as accessing */
    bool rounds; /* a matrix for each round from first_round to last_round, titled "round 3", or
                  * several where a thread has several accesses in a round, titled "round 3, slot
                  * 1"; otherwise one matrix of the whole stage */
    int first_round, last_round;
    const struct numbers *only; /* of those, the ones in this list; NULL: all */
    bool one_slot;              /* of each round only this slot */
    int slot;
    enum paint paint;
    int aligned_bank, aligned_banks; /* PAINT_ALIGNED, PAINT_ON_TIME */
    enum label label;
    bool plain;        /* no list colours, unused words look like used ones (cfmerge Fig. 1) */
    bool split;        /* columns by list, with headings "A" and "B" */
    bool degrees;      /* the degree of each bank at its row's end, passes in the round's title */
    bool tex;          /* title and notes are TeX's own words, where they are written for it */
    bool both;         /* a word of two threads names both, as 1,2; otherwise as 1+ */
    bool borders;      /* the partition borders of the header, where it has them */
    bool used_columns; /* only columns with a word that the warp uses in the stage */
    /* Shows only these of the columns, counted from 0 among those that would be shown, and of the banks, with dots for
     * what is left out; NULL: all. */
    const struct numbers *only_columns, *only_banks;
    int notes; /* beside the cells of every matrix */
    const struct figure_note *note;
    unsigned hide; /* enum hide; figures heed only totals and labels */
};

struct figure {
    int parts;
    const struct figure_part *part; /* side by side when each has one matrix and they fit */
    double width;                   /* of the page, in points */
    double height;                  /* at most, in points; 0: a long sheet */
    int per_row;                    /* matrices in a row; 0: as many as fit */
    const char *legend;             /* under it all: own words, "" for the usual; NULL: none */
};

/* Points a part, whose index is set, at what to look at first: the stage with the most conflicts, the
 * first block and warp that use memory there, and rounds as below. false: there is none. */
bool figure_choose(struct figure_part *part, struct error *error);
/* Sets the rounds of the parts, whose stage, block and warp are set: all where they are few and the
 * matrices small, otherwise the one round in which the first part's warp needs most passes, or, if that
 * has many slots, the one of them. */
bool figure_choose_rounds(struct figure_part *part, int parts, struct error *error);

/* ---- choose.c: what to show, as a user says it ------------------------------------------------- */

struct figure_choice {
    const char *stage;            /* NULL: the one with the most conflicts */
    int block, warp;              /* -1: the first that accesses memory in the stage */
    int slot;                     /* -1: all of a round */
    const struct numbers *rounds; /* NULL: those that are best shown */
    const char *rounds_text;      /* the same in words, for messages */
};
/* Points the parts, whose index is set, at what is chosen. A stage or rounds that only some of them have are shown in
 * the others as near as can be. false: there is none; *error names the option ("--block") and its range. */
bool figure_choose_as(struct figure_part *part, int parts, const struct figure_choice *choice,
                      struct error *error);
/* Reads a note: "left 0-4: E = 5", "frame 0-4, 2-5", "cell 17: words". */
bool figure_note_read(struct figure_note *note, const char *text, struct error *error);

/* ---- figure_part.c: parts measured ------------------------------------------------------------- */

/* Neighbouring columns of a part's matrix, of one list or of all. */
struct column_run {
    int first, columns;
    char list; /* 0: all */
    bool first_of_list;
    int number; /* of the first one among those that would be shown */
    bool cut;   /* some are left out before it */
};
/* What a matrix shows: steps from `first` up to, not including, `end`. */
struct figure_matrix {
    int round, first, end;
    int slot, last_slot; /* -1: it is all of the round, or of the stage */
};
/* A part ready to be drawn: its map, its matrices, and the columns that they show. */
struct measured_part {
    const struct figure_part *part;
    struct stage_map map;
    int matrices;
    size_t matrix_room; /* private */
    struct figure_matrix *matrix;
    int runs;
    size_t run_room; /* private */
    struct column_run *run;
    int columns;   /* of all runs */
    bool cut_end;  /* some are left out behind the last one */
    bool no_words; /* no shared memory is used, but global memory is: the one column is empty */
};
/* Measures a part; figure_release in any case. false: *error says why there is nothing to draw. */
bool figure_measure(struct measured_part *measured, const struct figure_part *part,
                    struct error *error);
void figure_release(struct measured_part *measured);
/* How many rounds the part has; 1 for a whole stage. */
int figure_rounds(const struct figure_part *part);
/* "round 3", or "round 3, slot 1", "round 3, slots 0-1". */
void figure_moment(const struct figure_matrix *matrix, char *text, size_t size);
/* "merge, round 3, block 0, warp 2: 5 passes, 4 conflicts" */
void figure_state(const struct measured_part *measured, char *text, size_t size);
/* title.c: draws a part's title at most that wide, in as many lines as it needs, or without a drawing only
 * measures it. Returns its height. */
double figure_title(const struct measured_part *measured, enum align align, double x, double y,
                    double width, struct drawing *drawing);

/* Draws the figure; the page's height follows. false: *error says what does not fit. */
bool figure_draw(const struct figure *figure, struct drawing *drawing, struct error *error);
/* The labels of one matrix (of rounds: the last) as text, the form of the papers' tables: one row
 * per bank, cells separated by a space, "-" for none. */
bool figure_cells(const struct figure_part *part, FILE *file, struct error *error);

/* ---- figure_data.c: what a figure shows as numbers ---------------------------------------------- */

enum figure_numbers { FIGURE_CSV, FIGURE_JSON };
/* A record for each cell of the figure that the stage uses: recording (from 0), kernel, stage, block, round, slot
 * (of a matrix that is a part of its round), bank, word, list, warp, thread, value, "alone" or "conflict" where
 * it is accessed now, and by how many threads. CSV has them below a comment, "# about", and a line of names; JSON
 * in a list "cells" beside "made_by". */
bool figure_write_numbers(const struct figure *figure, enum figure_numbers form, const char *about,
                          FILE *file, struct error *error);

/* ---- terminal.c: a part's matrices as text -------------------------------------------------- */

/* What a terminal, or a file instead of one, can show. */
struct terminal {
    int width;                 /* characters of a line */
    const struct theme *theme; /* its colours, or NULL: none */
};
/* How to write to an open file: a terminal's own width, 80 elsewhere; colours only on a terminal, and not when
 * NO_COLOR is set or TERM is "dumb" or missing. `theme` is the one that the user wants. */
struct terminal terminal_of(FILE *file, const struct theme *theme);
/* Prints words wrapped at `width`, with `first` before the first line and as much space before the
 * others; a newline in the text breaks the line. */
void terminal_wrap(const char *first, const char *text, int width, FILE *file);
/* Prints a part as text, every line indented so far: a title, the state, and a matrix for each
 * round (several side by side where they fit), one row per bank and one column per column of words
 * that the warp uses. Accessed words have their label, and '!' after it where they conflict; other
 * words of the warp are the letter of their list, or '.'. Colours only repeat what is written. At
 * the row's end, the words that the bank serves; under a single round, why it costs what it costs. */
bool terminal_print(const struct figure_part *part, const struct terminal *terminal, int indent,
                    FILE *file, struct error *error);

#endif
