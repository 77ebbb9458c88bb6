/* stats_chart.c - see stats_chart.h. */
#include "papers/stats_chart.h"

#include <string.h>

/* Whether both rows are about the same, by different operations. */
static bool same_place(const struct stats *stats, size_t one, size_t other)
{
    char text[600], more[600];
    if (other >= stats->rows)
        return false;
    const struct stats_row *a = &stats->row[one], *b = &stats->row[other];
    return a->stage == b->stage && a->round == b->round && a->block == b->block &&
           a->warp == b->warp &&
           !strcmp(stats_row_name(stats, a, text, sizeof text),
                   stats_row_name(stats, b, more, sizeof more));
}

/* The name under a bar. A stage is named at its first round, and rounds where they have room. */
static char *bar_name(const struct stats *stats, size_t number)
{
    enum { FEW = 48 };
    const struct stats_row *row = &stats->row[number];
    char text[600], name[700];
    const char *place = stats_row_name(stats, row, text, sizeof text), *slash = strrchr(place, '/');
    bool first = number == 0 || row[-1].stage != row->stage;
    bool named = row->round < 0 || (first && stats->header.stages > 1);
    snprintf(name, sizeof name, "%.600s", !named ? "" : slash ? slash + 1 : place);
    if (row->round >= 0)
        text_add(name, sizeof name, named ? " %d" : "%d", row->round);
    if (row->warp >= 0)
        text_add(name, sizeof name, " %d:%d", row->block, row->warp);
    if (same_place(stats, number, number + 1) || same_place(stats, number, number - 1))
        text_add(name, sizeof name, " %s", op_name(row->op));
    if (stats->rows > FEW && !first)
        name[0] = '\0';
    return text_clean(memory_copy(name));
}

/* Passes as bars of two parts. */
static bool fill_chart(struct plot *plot, const struct stats *stats, enum stats_by by,
                       struct error *error)
{
    enum { MOST_BARS = 2000 };
    static const char *const about[] = {"stage", "round", "warp", "line", "array"};
    if (stats->rows == 0 || stats->rows > MOST_BARS)
        return error_set(error,
                         stats->rows ? "a chart of %zu bars: more than %d cannot be told "
                                       "apart; --by stage has fewer"
                                     : "the recording has no accesses, nothing to draw",
                         stats->rows, MOST_BARS);
    if (!plot_init(plot, (int)stats->rows, 2, error) ||
        !(plot->bar = memory_array(stats->rows, sizeof *plot->bar, "bars", error)))
        return false;
    plot->title = stats->header.kernel;
    plot->x_label = about[by];
    plot->y_label = "passes";
    plot->curve[0].title = memory_copy("passes needed");
    plot->curve[1].title = memory_copy("added by conflicts");
    for (size_t i = 0; i < stats->rows; i++) {
        const struct stats_row *row = &stats->row[i];
        plot->x[i] = (double)i;
        plot->bar[i] = bar_name(stats, i);
        plot->curve[0].y[i] = (double)(row->passes - row->conflicts);
        plot->curve[1].y[i] = (double)row->conflicts;
        plot->y_most = (double)row->passes > plot->y_most ? (double)row->passes : plot->y_most;
    }
    return true;
}

bool stats_chart_write(const struct stats *stats, int count, enum stats_by by,
                       const struct plot_output *output, struct drawing_flaws *flaws,
                       struct error *error)
{
    struct plot plot[STATS_CHARTS] = {{.title = NULL}};
    bool good = true;
    double most = 0;
    for (int i = 0; good && i < count; i++) {
        good = fill_chart(&plot[i], &stats[i], by, error);
        most = plot[i].y_most > most ? plot[i].y_most : most;
    }
    for (int i = 0; i < count; i++) /* so that they compare */
        plot[i].y_most = 1.05 * most;
    good = good && plot_write(plot, count, output, flaws, error);
    for (int i = 0; i < count; i++)
        plot_free(&plot[i]);
    return good;
}
