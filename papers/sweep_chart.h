/* sweep_chart.h - a sweep as a chart: one axis is x, seeds are repetitions, the others are curves. */
#ifndef BANKSCOPE_SWEEP_CHART_H
#define BANKSCOPE_SWEEP_CHART_H

#include "measure/sweep.h"
#include "viewer/export.h"

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
    const char *program; /* its version, for the file */
    char origin[2000];   /* the command */
};

/* Whether the sweep can be drawn so; before work begins. */
bool sweep_chart_check(const struct sweep *sweep, const struct sweep_chart *chart,
                       struct error *error);
/* Draws it. *gone: points that have no place on a logarithm, or no other value to be percent of. */
bool sweep_chart_write(const struct sweep *sweep, const struct sweep_chart *chart, size_t *gone,
                       struct drawing_flaws *flaws, struct error *error);

#endif
