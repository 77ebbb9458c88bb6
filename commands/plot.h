/* plot.h - charts of numbers, by gnuplot. */
#ifndef BANKSCOPE_PLOT_H
#define BANKSCOPE_PLOT_H

#include "viewer/viewer.h"

enum { PLOT_CURVES = 4, PLOT_POINTS = 32 };

/* Curves over the same values of x. */
struct plot {
    const char *x_label, *y_label;
    bool x_powers; /* x doubles from tick to tick */
    int points, curves;
    double x[PLOT_POINTS];
    struct plot_curve {
        const char *title;
        bool computed; /* from a formula: circles; otherwise measured: a line with dots */
        double y[PLOT_POINTS];
    } curve[PLOT_CURVES];
};

/* Writes the chart, `width` points wide, as pdf, svg or png, or its numbers as txt (path "-": these
 * to standard output). Needs gnuplot for all but the numbers; no half file is left. */
bool plot_write(const struct plot *plot, const struct theme *theme, double width, const char *path,
                struct error *error);
/* Checks the extension before work begins. */
bool plot_check_path(const char *path, struct error *error);

#endif
