/* plot.h - charts of numbers: what is shown, where everything lies, and the outputs.
 *
 *     struct plot --(plot_layout)--> struct plot_page --> drawing list: PDF, SVG, PNG
 *                                                    `--> pgfplots, with the same places
 *               `--> the numbers as text, CSV, JSON
 *
 * Colour (and a hollow mark) says what was run, the kind of line and the shape of marks on which input: the
 * same in all panels of all figures, so that panels share one legend. Lengths are points.
 */
#ifndef BANKSCOPE_PLOT_H
#define BANKSCOPE_PLOT_H

#include "viewer/viewer.h"

/* Kinds of lines, each with its mark. */
enum plot_line { LINE_RANDOM, LINE_WORST, LINE_HARDEST, LINE_FOURTH, LINE_FIFTH, PLOT_LINES };
enum { PLOT_COLOURS = ROLE_CURVE_7 - ROLE_CURVE_1 + 1, PLOT_DASHES = 4 };
struct plot_look {
    int colour; /* 0 to PLOT_COLOURS - 1: ROLE_CURVE_1 and so on */
    enum plot_line line;
    bool hollow; /* its marks */
    bool alone;  /* marks without a line, for what is computed and not measured: larger, in ink */
};
/* Lengths of the line's dashes and gaps, up to a 0; none: it is solid. */
extern const double plot_dashes[PLOT_LINES][PLOT_DASHES + 1];

/* Curves over the same values of x. A value that is missing is NAN. */
struct plot {
    const char *title; /* NULL: none */
    const char *x_label, *y_label;
    bool x_powers; /* x doubles from tick to tick */
    bool y_log;    /* what is not positive is not drawn then */
    char **bar; /* [points]: the curves are parts of bars with these names, "" for none, instead; */
    double y_most; /* as high as this, or 0: as the highest */
    int points, curves;
    double *x;
    struct plot_curve {
        char *title;
        struct plot_look look;
        double *y;
        double *least, *most; /* of repetitions, of which y is the mean; or NULL */
    } * curve;
};
/* An empty plot of that size; its labels are the caller's, titles the plot's own. plot_free
 * afterwards, also when it fails. */
bool plot_init(struct plot *plot, int points, int curves, struct error *error);
/* Gives all curves room for the least and the most of repetitions. */
bool plot_repeats(struct plot *plot, struct error *error);
void plot_free(struct plot *plot);
/* looks.c: sets the curves' looks by what was run, recipes ("thrust-sort E=15 --input worst"); NULL: computed. */
void plot_looks(struct plot *plot, const char *const *recipe);

/* ---- axis.c ---------------------------------------------------------------------------------- */

enum { AXIS_TICKS = 64, AXIS_LABEL = 32 };
struct axis {
    bool log;
    double from, to; /* from < to */
    int unit;        /* labels stand for so many powers of 1000: 2 is millions */
    int ticks;
    struct axis_tick {
        double at;
        char label[AXIS_LABEL]; /* "": none */
    } tick[AXIS_TICKS];
};
/* The least and the most of what is shown. */
struct range {
    double least, most;
};
struct range range_x(const struct plot *plot);
struct range range_y(const struct plot *plot);
/* Axes of a plot for such a range, on so many points of paper; font: size of the labels. */
void axis_x(struct axis *axis, const struct plot *plot, struct range range, double length,
            double font);
void axis_y(struct axis *axis, const struct plot *plot, struct range range, double length,
            double font);
/* Where a value lies, from 0 to 1. */
double axis_place(const struct axis *axis, double value);

/* ---- layout.c -------------------------------------------------------------------------------- */

enum { PLOT_PANELS = 4, PLOT_LEGEND = 32 };
struct plot_page {
    double width, height, font;
    int panels;
    struct plot_panel {
        const struct plot *plot;
        struct range x_range, y_range;
        struct axis x, y;
        double left, top, width, height; /* of the area between the axes */
        double label_x, x_label_y;       /* of the labels: middle and baseline */
        int turn;                        /* degrees by which names of bars rise, */
        double name_font;                /* and their size */
        char y_label[160];
        double y_font; /* of that */
    } panel[PLOT_PANELS];
    double sample; /* length of the legend's samples */
    int entries;
    struct plot_entry {
        const char *title;
        struct plot_look look;
        int bar;     /* part of bars, from 0; -1: a curve */
        double x, y; /* left end and middle of the sample */
    } entry[PLOT_LEGEND];
};
/* Side by side, or below each other where that is too narrow, under one legend. false: more curves than a
 * legend may have. */
bool plot_layout(const struct plot *plots, int count, double width, struct plot_page *page,
                 struct error *error);
/* Colour of a curve and of a part of bars. */
enum role plot_role(const struct plot_look *look);
enum role plot_bar_role(int part);
/* Whether a curve's marks are drawn at a point: not where they would touch. */
bool plot_marked(const struct plot_panel *panel, int point);

void plot_draw(const struct plot_page *page, struct drawing *drawing);
/* plot_tex.c */
void plot_tex(const struct plot_page *page, const struct theme *theme,
              const struct export_options *options, FILE *file);

/* ---- plot.c: files ----------------------------------------------------------------------------- */

struct plot_output {
    /* .pdf, .svg, .png, .tex (pgfplots), .txt, .csv or .json (the numbers); "-": text. */
    const char *path;
    double width; /* of all charts together */
    const struct theme *theme;
    struct export_options about;
};
/* No half file is left. *flaws: what a reader of the picture would miss. */
bool plot_write(const struct plot *plots, int count, const struct plot_output *output,
                struct drawing_flaws *flaws, struct error *error);
/* Checks the extension before work begins. */
bool plot_is_format(const char *path, struct error *error);

#endif
