/* sweep.h - the parts of `bankscope sweep`: what is asked for (sweep_options.c), recording and writing (sweep.c). */
#ifndef BANKSCOPE_COMMANDS_SWEEP_H
#define BANKSCOPE_COMMANDS_SWEEP_H

#include "commands/command.h"
#include "papers/sweep_chart.h"
#include "subject/chart_options.h"
#include "subject/sweep_program.h"

enum { SWEEP_INPUTS = 64, SWEEP_FILES = 4096 };
/* What is asked for on the command line. */
struct sweep_request {
    struct sweep sweep;
    struct sweep_chart chart;
    struct record_options options;
    const char *seeds; /* several, or NULL */
    struct chart_options out;
    const char *drawn;            /* the last option given that is for charts */
    struct sweep_program program; /* words: 0: none, but kernels */
    bool join;
    int64_t jobs;
    const char *input[SWEEP_INPUTS], *name[SWEEP_FILES]; /* kernels, or files to join */
    int inputs, names;
};

/* Values of the command's own long options. */
enum {
    OPTION_SHARE = OPTION_FIRST_FREE,
    OPTION_JOIN,
    OPTION_PER,
    OPTION_RELATIVE,
    OPTION_X,
    OPTION_LOG_X,
    OPTION_LOG_Y,
    OPTION_TITLE,
    OPTION_X_LABEL,
    OPTION_Y_LABEL,
    OPTION_NAME,
    OPTION_MEASURE
};
/* Reads the command line. false: reported. */
bool sweep_read_arguments(int argc, char **argv, struct sweep_request *request);
/* Finds the kernels that are named, which must have all parameters that are swept. */
bool sweep_find_kernels(struct sweep_request *request, struct error *error);

#endif
