/* sweep.h - one kernel recorded with every combination of parameters.
 *
 * An axis is a list of values for a parameter, the input or the seed, as text:
 *     s=1..8          1, 2, ... 8
 *     s=1..17..4      1, 5, 9, 13, 17
 *     n=64..1024*2    64, 128, ... 1024
 *     E=15,17         these
 * The points of a sweep are all combinations, in the order of the axes; the last axis varies fastest.
 */
#ifndef BANKSCOPE_SWEEP_H
#define BANKSCOPE_SWEEP_H

#include "kernels/catalogue.h"

struct sweep_axis {
    char *name; /* of the parameter, or "input", "seed" */
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
    char why[192]; /* not done: the reason */
};

struct sweep {
    const struct kernel *kernel;
    const struct recipe_words *words; /* the same for all points */
    const struct run_options *options;
    const char *stage; /* or NULL: the whole kernel */
    int axes;
    struct sweep_axis *axis;
    size_t points;
    size_t first, step;        /* this process's share: points first, first + step, ... (a shard) */
    int jobs;                  /* processes at a time */
    struct sweep_point *point; /* per point; outside of the share SWEEP_NOT_RUN */
};

enum { SWEEP_MAX_VALUES = 100000, SWEEP_MAX_POINTS = 1000000 };

/* Adds an axis; text is what stands behind the "=". false: *error says what is wrong with it. */
bool sweep_add_axis(struct sweep *sweep, const char *name, const char *text, struct error *error);
/* Whether the text is more than one value. */
bool sweep_is_list(const char *text);
/* The value of an axis at a point. */
const char *sweep_value(const struct sweep *sweep, size_t point, int axis);
/* Records every point of the share, in `jobs` processes, so that a kernel that crashes ends only its
 * own point. progress (or NULL) is called every now and then. */
bool sweep_run(struct sweep *sweep, void (*progress)(size_t done, size_t of), struct error *error);
void sweep_free(struct sweep *sweep);

#endif
