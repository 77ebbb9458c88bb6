/* chart_options.h - where a chart goes and how it looks: the options that stats, sweep and figure share. */
#ifndef BANKSCOPE_CHART_OPTIONS_H
#define BANKSCOPE_CHART_OPTIONS_H

#include "papers/plot.h"
#include "subject/arguments.h"

enum { CHART_WIDTH = 2048, CHART_THEME };
#define CHART_OPTIONS                                                                              \
    {"output", required_argument, NULL, 'o'}, {"width", required_argument, NULL, CHART_WIDTH},     \
    {                                                                                              \
        "theme", required_argument, NULL, CHART_THEME                                              \
    }
/* Begins as {.width = the usual one in millimetres}. */
struct chart_options {
    const char *path; /* of -o; NULL: none */
    int64_t width;
    const struct theme *theme; /* NULL: print */
    char origin[2000];         /* the command, of command_words */
    char program[64];          /* its version, of command_program */
};
enum chart_taken { CHART_TAKEN, CHART_OTHER, CHART_WRONG };
/* Takes one of these options, with a width from `least` to 1000 millimetres. CHART_OTHER: it is none of them;
 * CHART_WRONG: reported. */
enum chart_taken chart_option(const char *command, int option, const char *text, int64_t least,
                              struct chart_options *chart);
/* Points into the options. */
struct plot_output chart_output(const struct chart_options *chart);

#endif
