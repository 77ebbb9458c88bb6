/* sweep.h - kernels recorded with every combination of parameters.
 *
 * An axis is a list of values for a parameter, the input or the seed, as text:
 *     s=1..8          1, 2, ... 8
 *     s=1..17..4      1, 5, 9, 13, 17
 *     n=64..1024*2    64, 128, ... 1024
 *     E=15,17         these
 * The points of a sweep are all combinations, in the order of the axes; the last axis varies fastest.
 * Several kernels are an axis, too, "kernel", the first.
 */
#ifndef BANKSCOPE_SWEEP_H
#define BANKSCOPE_SWEEP_H

#include "kernels/catalogue.h"

enum { SWEEP_MAX_VALUES = 100000, SWEEP_MAX_POINTS = 1000000, SWEEP_KERNELS = 16, SWEEP_AXES = 32 };

struct sweep_axis {
    char *name; /* of the parameter, or "kernel", "input", "seed" */
    int count;
    char **value;
    size_t room; /* private */
};

enum sweep_state { SWEEP_NOT_RUN, SWEEP_DONE, SWEEP_REFUSED };
/* What one combination costs: sums over the warp accesses of the kernel, or of one stage. */
struct sweep_point {
    enum sweep_state state;
    int max_ways;
    uint64_t warp_accesses, accesses, passes, conflicts;
    uint64_t per;  /* what `per` of the sweep comes to: 1 without */
    char why[192]; /* not done: the reason */
};

struct sweep {
    const struct kernel *kernel[SWEEP_KERNELS]; /* NULL: it is joined, and runs nothing */
    char *name[SWEEP_KERNELS];
    int kernels;
    /* Instead of recording a kernel; fills in the counts of the point, in a process of its own. NULL: kernels. */
    bool (*record)(void *context, const struct sweep *sweep, size_t at, struct sweep_point *point,
                   struct error *error);
    void *context;
    const struct recipe_words *words; /* the same for all points, */
    char *fixed;                      /* and as text: "w=12 --input worst"; set by sweep_fix */
    const struct run_options *options;
    char *stage;         /* or NULL: the whole kernel */
    const char *program; /* that records, of its version: shares are of one; or NULL */
    char *per;           /* parameters whose product divides what is counted, "u*E"; or NULL */
    int axes;
    struct sweep_axis *axis;
    size_t points;
    size_t first, step;        /* this process's share: points first, first + step, ... */
    int jobs;                  /* processes at a time */
    struct sweep_point *point; /* per point; outside of the share SWEEP_NOT_RUN */
    char *joined;              /* private: the first line of the files that are joined */
    struct sweep_file *file;   /* that gets each point as soon as it is there; NULL: none */
};

/* Adds an axis; text is what stands behind the "=". false: *error says what is wrong with it. */
bool sweep_add_axis(struct sweep *sweep, const char *name, const char *text, struct error *error);
/* Adds a kernel; the caller's stays. To be called for all of them after the axes. */
bool sweep_add_kernel(struct sweep *sweep, const struct kernel *kernel, struct error *error);
/* To be called when the words are there. */
void sweep_fix(struct sweep *sweep);
/* The axis of that name, or -1. */
int sweep_find_axis(const struct sweep *sweep, const char *name);
/* Whether the text is more than one value. */
bool sweep_is_list(const char *text);
/* The number and the text of an axis's value at a point. */
int sweep_index(const struct sweep *sweep, size_t point, int axis);
const char *sweep_value(const struct sweep *sweep, size_t point, int axis);
/* Records every point of the share that is not there yet, in `jobs` processes, so that a kernel that crashes
 * ends only its own point. progress (or NULL) is called every now and then. */
bool sweep_run(struct sweep *sweep, void (*progress)(size_t done, size_t of), struct error *error);
void sweep_free(struct sweep *sweep);
/* For `record`: adds what a recording cost, or its stage. */
bool sweep_add_stats(const struct sweep *sweep, const struct stats *stats,
                     struct sweep_point *point, struct error *error);

/* ---- sweep_file.c: a sweep that is under way ---------------------------------------------------- */

/* A file of JSON lines: what is swept, then a line for each point, as soon as it is there. So an interrupted
 * sweep goes on where it was, and the shares of several machines can be put together. A last line that is cut
 * does not count. */

/* Takes the points that a file has, of the same sweep; without a file, begins one. Points are added to it
 * until sweep_file_close. false: it is of another sweep, or cannot be read or written. */
bool sweep_file_open(struct sweep *sweep, const char *path, struct error *error);
/* false: not all could be written. */
bool sweep_file_add(struct sweep_file *file, const struct sweep *sweep, size_t point);
bool sweep_file_close(struct sweep *sweep, struct error *error);
/* Reads one of a sweep's files: the first says what is swept, the others must say the same. */
bool sweep_join(struct sweep *sweep, const char *path, struct error *error);
/* Whether the path asks for such a file. */
bool sweep_file_is_asked(const char *path);

/* ---- sweep_table.c: a row for each point --------------------------------------------------------- */

/* A number that a chart shows of a point; the table ends with one without a name. */
struct sweep_measure {
    const char *name, *label;
    double (*of)(const struct sweep_point *point);
    bool divided; /* by what `per` of the sweep comes to */
};
extern const struct sweep_measure sweep_measures[];

/* Whether the point is in the sweep's share. */
bool sweep_in_share(const struct sweep *sweep, size_t point);
/* Prints all points on standard output. */
void sweep_print(const struct sweep *sweep);
typedef bool (*sweep_writer)(const struct sweep *sweep, FILE *file, struct error *error);
/* The table that a path's extension asks for ("-": CSV); NULL: none. */
sweep_writer sweep_writer_of(const char *path);

#endif
