/* sweep_chart.h - a sweep as a chart: one axis is x, seeds are repetitions, the others are curves. */
#ifndef BANKSCOPE_SWEEP_CHART_H
#define BANKSCOPE_SWEEP_CHART_H

#include "measure/sweep.h"
#include "papers/plot.h"

enum { SWEEP_NAMES = 32 };
struct sweep_chart {
    const struct sweep_measure *measure;
    const char *x; /* an axis; NULL: the first that has numbers */
    bool log_x, log_y;
    const char *relative; /* "input=random": the curves are percent of that one's; or NULL */
    const char *title, *x_label, *y_label, *name[SWEEP_NAMES]; /* NULL: as they are */
    int names;
};

/* Whether the sweep can be drawn so; before work begins. */
bool sweep_chart_check(const struct sweep *sweep, const struct sweep_chart *chart, const char *path,
                       struct error *error);
/* Draws it. *gone: points that have no place on a logarithm, or no other value to be percent of. */
bool sweep_chart_write(const struct sweep *sweep, const struct sweep_chart *chart,
                       const struct plot_output *output, size_t *gone, struct drawing_flaws *flaws,
                       struct error *error);

#endif
