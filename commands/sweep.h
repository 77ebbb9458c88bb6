/* sweep.h - the parts of 'bankscope sweep': arguments (sweep.c), tables (sweep_table.c), charts
 * (sweep_chart.c).
 */
#ifndef BANKSCOPE_COMMANDS_SWEEP_H
#define BANKSCOPE_COMMANDS_SWEEP_H

#include "measure/sweep.h"
#include "viewer/viewer.h"

/* What a chart shows of a point. */
struct sweep_measure {
    const char *name, *label;
    double (*of)(const struct sweep_point *point);
};
extern const struct sweep_measure sweep_measures[];

enum { SWEEP_NAMES = 32 };
struct sweep_chart {
    const struct sweep_measure *measure;
    const char *path, *x; /* x: an axis; NULL: the first that has numbers */
    bool log_x, log_y;
    bool each_seed;       /* seeds are curves, not repetitions */
    const char *relative; /* "input=random": the curves are percent of that one's; or NULL */
    const char *title, *x_label, *y_label, *name[SWEEP_NAMES]; /* NULL: as they are */
    int names;
    int64_t width; /* in mm */
    const struct theme *theme;
    char origin[2000]; /* the command */
};

/* ---- sweep_program.c: CUDA programs; as those of command.h, only with HAVE_DW ---- */

enum { SWEEP_WORDS = 200 };
struct sweep_program {
    const char *word[SWEEP_WORDS], *name; /* the program's; name: the first source */
    int words;                            /* more than SWEEP_WORDS: too many */
    char *macro[SWEEP_AXES];              /* words that are its own */
    int macros;
};
/* Takes the program's words out of the command line, and leaves those of the sweep. */
void sweep_program_split(struct sweep_program *program, int *argc, char **argv);
void sweep_program_free(struct sweep_program *program);
/* For `record` of a sweep; the context is the program. */
bool sweep_program_record(void *context, const struct sweep *sweep, size_t at,
                          struct sweep_point *point, struct error *error);

/* ---- sweep_table.c ---- */

/* In the sweep's share. */
bool sweep_in_share(const struct sweep *sweep, size_t point);
void sweep_print(const struct sweep *sweep);
typedef bool (*sweep_writer)(const struct sweep *sweep, FILE *file, struct error *error);
/* The table that a path's extension asks for ("-": CSV); NULL: none. */
sweep_writer sweep_writer_of(const char *path);

/* ---- sweep_chart.c ---- */

/* Before work begins. */
bool sweep_chart_check(const struct sweep *sweep, const struct sweep_chart *chart,
                       struct error *error);
/* *gone: points that have no place on a logarithm, or no other value to be percent of. */
bool sweep_chart_write(const struct sweep *sweep, const struct sweep_chart *chart, size_t *gone,
                       struct error *error);

#endif
