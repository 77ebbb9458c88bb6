/* papers.h - the papers' figures, each drawn from recordings made for it, or from times measured.
 *
 * figures.c is a table with one row for each figure. draw.c records a row's panels and draws them,
 * chart.c records and computes the numbers of a chart, times.c says what is timed for a chart and
 * reads what was measured (times.h); plot.h draws charts. worstcase_2.c and predecessor_1.c draw by
 * hand the two figures that illustrate definitions.
 */
#ifndef BANKSCOPE_PAPERS_H
#define BANKSCOPE_PAPERS_H

#include "kernels/catalogue.h"
#include "papers/plot.h"
#include "measure/times.h"

/* ---- figures.c: the table ------------------------------------------------------------------ */

enum { PAPER_PANELS = 2, PAPER_CHARTS = 3 };

/* What is recorded, and how it is drawn; stage and index of `part` are filled in by drawing. */
struct paper_panel {
    const char *recipe; /* "thrust-merge w=12 u=12 E=5 --input worst" */
    const char *stage;
    struct figure_part part;
    int divide; /* words between dotted borders, where the kernel has none */
};

struct paper_figure {
    const char *name;
    const char *caption;
    double width; /* millimetres */
    int per_row;  /* matrices side by side; 0: as many as fit */
    struct paper_panel panel[PAPER_PANELS];
    /* Draws it instead of figure_draw. */
    bool (*draw)(const struct trace_index *index, int stage, double width, struct drawing *drawing,
                 struct error *error);
    /* Instead of panels: a chart of what is recorded, and those of times.h that have the figure's
     * name, if they were measured. */
    const struct paper_chart *chart;
    bool timed; /* there are such charts, and without them nothing to draw */
};

enum { CHART_CURVES = 4, CHART_POINTS = 32 };
/* Conflicts of a stage against a parameter; or, without a parameter, passes of stage merge-x. */
struct paper_chart {
    const char *title; /* of the panel; NULL: none */
    const char *param, *x_label, *y_label;
    int x[CHART_POINTS]; /* up to a zero; values of the parameter when multiplied by the unit */
    bool x_powers;
    bool per_word; /* divided by the parameter; otherwise by the number of warps */
    struct paper_curve {
        const char *title;
        const char *recipe; /* recorded; NULL: computed */
        const char *stage;  /* NULL: all stages */
        int skip_rounds;    /* so many of the stage's last rounds do not count */
        int unit;           /* 0: 1 */
        double (*expected)(int x);
    } curve[CHART_CURVES];
};

/* All figures of the papers; ends with a row without a name. */
extern const struct paper_figure paper_figures[];

/* ---- draw.c: from a row to a file ---------------------------------------------------------- */

/* Records the figure and writes it (a width of 0: its own), with these times. false: *error says why; no file is left. */
bool paper_figure_write(const struct paper_figure *figure, const struct times *times,
                        const struct plot_output *output, struct drawing_flaws *flaws,
                        struct error *error);
/* Whether it is a chart, in the formats and sizes of charts. */
bool paper_figure_is_chart(const struct paper_figure *figure);
/* Whether there is something to draw; the error says what to measure. */
bool paper_figure_possible(const struct paper_figure *figure, const struct times *times,
                           struct error *error);
/* Whether path's extension is one that the figure comes in. */
bool paper_figure_is_format(const struct paper_figure *figure, const char *path,
                            struct error *error);
/* Records the figure and prints its cells, one line per bank. Not for charts. */
bool paper_figure_cells(const struct paper_figure *figure, FILE *file, struct error *error);
/* Prints what the figure shows, the commands that record it, and where its times were measured. */
void paper_figure_origin(const struct paper_figure *figure, const struct times *times, FILE *file);

/* Runs a recipe on the host, with more words ("K=64", or ""). */
bool paper_record(const char *recipe, const char *more, const struct trace_sink *sink,
                  struct error *error);

/* ---- chart.c ------------------------------------------------------------------------------- */

/* Records and computes the chart's numbers. plot_free afterwards, also when it fails. */
bool paper_chart_record(const struct paper_chart *chart, struct plot *plot, struct error *error);
/* The chart of what was measured; without curves, nothing was. plot_free afterwards, also when it
 * fails. */
bool timed_chart_fill(const struct timed_chart *chart, const struct times *times, struct plot *plot,
                      struct error *error);

/* ---- predecessor_1.c ------------------------------------------------------------------------ */

/* A GPU, with as many banks as the recording. */
bool draw_predecessor_1(const struct trace_index *index, int stage, double width,
                        struct drawing *drawing, struct error *error);

/* ---- worstcase_2.c ------------------------------------------------------------------------- */

/* The share of A of the second warp, with the parts of it that the paper's section III-A names. */
bool draw_worstcase_2(const struct trace_index *index, int stage, double width,
                      struct drawing *drawing, struct error *error);

#endif
