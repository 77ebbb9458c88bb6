/* times.h - running times for the papers' figures: what is timed, and the file of what was measured.
 *
 * `bankscope bench FIGURE` times every point of a figure's charts on the GPU at hand and writes them
 * to a file; `bankscope figure FIGURE` draws them from such a file. The one that comes with the
 * program, TIMES_FILE, was measured on the GPU that its first line names. Nothing here draws, so that
 * a build without cairo has it, too.
 *
 * The file, tab-separated: comments (#) with device, date and command; a line of headings; then
 *
 *     time   cf-sort u=512 E=15 --input worst n=983040   median of 9   123.4   us
 *
 * The second field is the key of a point: what was run, its input last. The third begins with "median",
 * "least" or "most", of repeated runs; before that, "last launch, ": of that one alone. A file without
 * the least and the most draws no spread.
 */
#ifndef BANKSCOPE_TIMES_H
#define BANKSCOPE_TIMES_H

#include "instrument/instrument.h"

/* The times that come with the program. */
#define TIMES_FILE "papers/h100-times.tsv"

/* What is timed that is not a kernel of the catalogue: the first word of a curve's recipe. All sort
 * 4-byte keys, for inputs made for E = 17, u = 256. TIMES_COPY copies n bytes. */
#define TIMES_LIBRARY_MERGE "cub-merge-sort"
#define TIMES_LIBRARY_RADIX "cub-radix-sort"
#define TIMES_SORT "sort"
#define TIMES_COPY "copy"

enum { TIMED_CURVES = 8, TIMED_POINTS = 16, TIMES_KEY = 160 };

/* What a curve's values are, from its time in microseconds. */
enum times_unit {
    TIMES_RATE,      /* words per microsecond */
    TIMES_PER_WORD,  /* nanoseconds per word */
    TIMES_PER_QUERY, /* picoseconds per query */
    TIMES_MILLISECONDS
};

/* Which figure of a point's runs. */
enum times_figure { TIMES_MEDIAN, TIMES_LEAST, TIMES_MOST };

/* One panel of a figure: times against a parameter. */
struct timed_chart {
    const char *figure; /* "cfmerge-6" */
    const char *title;  /* of the panel; NULL: the figure has one panel */
    const char *param;  /* "n", or "--input duplicates": followed by "=" and the value */
    const char *x_label;
    enum times_unit unit;
    bool y_log;
    int words; /* that are worked on, if they are not the parameter's value */
    int x
        [TIMED_POINTS]; /* up to a zero; values of the parameter when multiplied by a curve's scale */
    struct timed_curve {
        const char *title, *recipe;
        int scale;        /* 0: 1 */
        bool last_launch; /* only that one is timed */
    } curve[TIMED_CURVES];
};

/* All of them; ends with one without a figure. */
extern const struct timed_chart timed_charts[];

/* The key of a curve's point. */
void timed_key(const struct timed_chart *chart, const struct timed_curve *curve, int point,
               char key[TIMES_KEY]);
/* Curves of a chart, points of a chart. */
int timed_curves(const struct timed_chart *chart);
int timed_points(const struct timed_chart *chart);

/* Times that were measured. */
struct times {
    struct measured { /* by key */
        char *key;
        bool last_launch;
        enum times_figure figure;
        double microseconds;
        int line;
    } * row;
    size_t count, room;
    char *device; /* as the file says, or "" */
};

/* Reads such a file; two values for one experiment are an error. times_free afterwards, also when it
 * fails. */
bool times_read(struct times *times, const char *path, struct error *error);
void times_free(struct times *times);
/* The median, least or most value of a curve's point in the chart's unit (the most words per microsecond
 * are those of the least time); NAN if it was not measured. */
double timed_value(const struct times *times, const struct timed_chart *chart,
                   const struct timed_curve *curve, int point, enum times_figure figure);

#endif
