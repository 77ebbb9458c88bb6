/* chart.c - the numbers of a chart: conflicts of a stage against a parameter, passes by level, or times.
 */
#include "papers/papers.h"

#include <math.h>

/* A curve's conflicts at x, per warp or per word. */
static bool record_point(const struct paper_chart *chart, const struct paper_curve *curve, int x,
                         double *y, struct error *error)
{
    char assignment[64];
    struct stats stats;
    struct trace_sink sink;
    int value = x * (curve->unit ? curve->unit : 1), last_round = 0;
    uint64_t conflicts = 0;
    snprintf(assignment, sizeof assignment, "%s=%d", chart->param, value);
    stats_init(&stats, STATS_BY_ROUND);
    sink = stats_sink(&stats);
    bool good = paper_record(curve->recipe, assignment, &sink, error);
    int stage = curve->stage && good ? header_stage(&stats.header, curve->stage) : -1;
    for (size_t i = 0; i < stats.rows; i++)
        if (stats.row[i].stage == stage && stats.row[i].round > last_round)
            last_round = stats.row[i].round;
    for (size_t i = 0; i < stats.rows; i++)
        if (!curve->stage ||
            (stats.row[i].stage == stage && stats.row[i].round <= last_round - curve->skip_rounds))
            conflicts += stats.row[i].conflicts;
    if (good) {
        int warps = (stats.header.threads - 1) / stats.header.warp + 1;
        *y = (double)conflicts / (chart->per_word ? value : warps * stats.header.blocks);
    }
    stats_free(&stats);
    return good;
}

/* Tiles of a sort: its blocks are those of all launches. */
static int tiles_of(const struct trace_header *header)
{
    int64_t tile = header->threads * header_param(header, "E", 1), n = header_param(header, "n", 1);
    return (int)((n + tile - 1) / tile);
}

/* A curve's passes in stages merge-x, per warp. */
static bool record_levels(const struct paper_chart *chart, const struct paper_curve *curve,
                          double *y, struct error *error)
{
    char name[32];
    struct stats stats;
    stats_init(&stats, STATS_BY_STAGE);
    struct trace_sink sink = stats_sink(&stats);
    bool good = paper_record(curve->recipe, "", &sink, error);
    for (int i = 0; good && i < CHART_POINTS && chart->x[i]; i++) {
        int warps = stats.header.threads / stats.header.warp * tiles_of(&stats.header);
        snprintf(name, sizeof name, "merge-%d", chart->x[i]);
        y[i] = 0;
        for (size_t k = 0; k < stats.rows; k++)
            if (stats.row[k].stage == header_stage(&stats.header, name))
                y[i] += (double)stats.row[k].passes / warps;
    }
    stats_free(&stats);
    return good;
}

bool paper_chart_record(const struct paper_chart *chart, struct plot *plot, struct error *error)
{
    int points = 0, curves = 0;
    while (points < CHART_POINTS && chart->x[points])
        points++;
    while (curves < CHART_CURVES && chart->curve[curves].title)
        curves++;
    if (!plot_init(plot, points, curves, error))
        return false;
    plot->title = chart->title;
    plot->x_label = chart->x_label;
    plot->y_label = chart->y_label;
    plot->x_powers = chart->x_powers;
    const char *recipe[CHART_CURVES];
    for (int i = 0; i < points; i++)
        plot->x[i] = chart->x[i];
    for (int c = 0; c < curves; c++) {
        const struct paper_curve *curve = &chart->curve[c];
        struct plot_curve *to = &plot->curve[c];
        to->title = memory_copy(curve->title);
        recipe[c] = curve->recipe;
        if (curve->recipe && !chart->param && !record_levels(chart, curve, to->y, error))
            return false;
        for (int i = 0; i < points && (chart->param || !curve->recipe); i++) {
            if (!curve->recipe)
                to->y[i] = curve->expected(chart->x[i]);
            else if (!record_point(chart, curve, chart->x[i], &to->y[i], error))
                return false;
        }
    }
    plot_looks(plot, recipe);
    return true;
}

/* Points of a curve up to the last one that was measured. */
static int measured_points(const struct times *times, const struct timed_chart *chart,
                           const struct timed_curve *curve)
{
    int points = timed_points(chart);
    while (points && isnan(timed_value(times, chart, curve, points - 1, TIMES_MEDIAN)))
        points--;
    return points;
}

static bool has_spread(const struct times *times)
{
    for (size_t i = 0; i < times->count; i++)
        if (times->row[i].figure != TIMES_MEDIAN)
            return true;
    return false;
}

bool timed_chart_fill(const struct timed_chart *chart, const struct times *times, struct plot *plot,
                      struct error *error)
{
    static const char *const labels[] = {
        [TIMES_RATE] = "keys per microsecond",
        [TIMES_PER_WORD] = "nanoseconds per key",
        [TIMES_PER_QUERY] = "picoseconds per query",
        [TIMES_MILLISECONDS] = "milliseconds",
    };
    int points = 0, curves = 0;
    for (int c = 0; c < timed_curves(chart); c++) {
        int of_curve = measured_points(times, chart, &chart->curve[c]);
        curves += of_curve > 0;
        points = of_curve > points ? of_curve : points;
    }
    const bool spread = has_spread(times);
    if (!plot_init(plot, points, curves, error) || (spread && !plot_repeats(plot, error)))
        return false;
    plot->title = chart->title;
    plot->x_label = chart->x_label;
    plot->y_label = labels[chart->unit];
    plot->x_powers = points > 1 && chart->x[1] == 2 * chart->x[0] && chart->x[2] != chart->x[1] + 1;
    for (int i = 0; i < points; i++)
        plot->x[i] = chart->x[i];
    plot->y_log = chart->y_log;
    struct plot_curve *to = plot->curve;
    const char *recipe[TIMED_CURVES];
    for (int c = 0; c < timed_curves(chart); c++) {
        if (!measured_points(times, chart, &chart->curve[c]))
            continue;
        recipe[to - plot->curve] = chart->curve[c].recipe;
        to->title = memory_copy(chart->curve[c].title);
        for (int i = 0; i < points; i++) {
            to->y[i] = timed_value(times, chart, &chart->curve[c], i, TIMES_MEDIAN);
            if (spread) {
                to->least[i] = timed_value(times, chart, &chart->curve[c], i, TIMES_LEAST);
                to->most[i] = timed_value(times, chart, &chart->curve[c], i, TIMES_MOST);
            }
        }
        to++;
    }
    plot_looks(plot, recipe);
    return true;
}
