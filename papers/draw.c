/* draw.c - records the panels of a figure, draws them and writes the drawing. */
#include "papers/papers.h"

#include <math.h>
#include <string.h>

static const double least_chart = 60; /* millimetres */
static const double points_per_millimetre = 72 / 25.4;

/* A row's panels, recorded. */
struct recorded {
    struct trace trace[PAPER_PANELS];
    struct trace_index index[PAPER_PANELS];
    struct figure_part part[PAPER_PANELS];
    int parts;
};

static void recorded_free(struct recorded *recorded)
{
    for (int i = 0; i < PAPER_PANELS; i++) {
        trace_index_free(&recorded->index[i]);
        trace_free(&recorded->trace[i]);
    }
}

bool paper_record(const char *text, const char *more, const struct trace_sink *sink,
                  struct error *error)
{
    struct recipe recipe;
    struct run_result result;
    bool good = recipe_parse(&recipe, text, error) && recipe_read(&recipe, more, error) &&
                recipe_run(&recipe, NULL, sink, &result, error);
    recipe_free(&recipe);
    return good;
}

/* Records all panels of a row. recorded_free afterwards in any case. */
static bool record_row(const struct paper_figure *row, struct recorded *recorded,
                       struct error *error)
{
    *recorded = (struct recorded){.parts = 0};
    for (int i = 0; i < PAPER_PANELS && row->panel[i].recipe; i++) {
        struct figure_part *part = &recorded->part[i];
        const struct paper_panel *panel = &row->panel[i];
        struct trace_sink sink = trace_memory_sink(&recorded->trace[i]);
        if (!paper_record(panel->recipe, "", &sink, error) ||
            !trace_index_init(&recorded->index[i], &recorded->trace[i], error))
            return false;
        if (row->panel[i].divide)
            recorded->trace[i].header.partition = row->panel[i].divide;
        *part = row->panel[i].part;
        part->index = &recorded->index[i];
        part->stage = header_stage(&recorded->trace[i].header, row->panel[i].stage);
        recorded->parts++;
    }
    return true;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool draw_row(const struct paper_figure *row, const struct recorded *recorded, double width,
                     struct drawing *drawing, struct error *error)
{
    if (row->draw)
        return row->draw(recorded->part[0].index, recorded->part[0].stage, width, drawing, error);
    struct figure figure = {
        .parts = recorded->parts, .part = recorded->part, .width = width, .per_row = row->per_row};
    return figure_draw(&figure, drawing, error);
}

/* The charts of times.h that belong to the figure, one after the other; begin with NULL. */
static const struct timed_chart *next_timed(const struct paper_figure *row,
                                            const struct timed_chart *chart)
{
    for (chart = chart ? chart + 1 : timed_charts; chart->figure; chart++)
        if (!strcmp(chart->figure, row->name))
            return chart;
    return NULL;
}

/* At one point at least. */
static bool is_timed(const struct times *times, const struct timed_chart *chart,
                     const struct timed_curve *curve)
{
    for (int i = 0; i < timed_points(chart); i++)
        if (!isnan(timed_value(times, chart, curve, i, TIMES_MEDIAN)))
            return true;
    return false;
}

void paper_figure_origin(const struct paper_figure *row, const struct times *times, FILE *file)
{
    fprintf(file, "%s: %s\n", row->name, row->caption);
    for (int i = 0; i < PAPER_PANELS && row->panel[i].recipe; i++)
        fprintf(file, "  bankscope run %s\n", row->panel[i].recipe);

    for (int i = 0; row->chart && i < CHART_CURVES; i++) {
        const struct paper_curve *curve = &row->chart->curve[i];
        if (!curve->recipe)
            continue;
        fprintf(file, "  bankscope run %s", curve->recipe);
        if (row->chart->param)
            fprintf(file, " %s=%d ...", row->chart->param,
                    row->chart->x[0] * (curve->unit ? curve->unit : 1));
        fprintf(file, "\n");
    }
    for (const struct timed_chart *chart = NULL; (chart = next_timed(row, chart));) {
        char key[TIMES_KEY];
        for (int c = 0; times->count && c < timed_curves(chart); c++) {
            timed_key(chart, &chart->curve[c], 0, key);
            fprintf(file,
                    is_timed(times, chart, &chart->curve[c]) ? "  timed: %s ...\n"
                                                             : "  not timed yet: %s ...\n",
                    key);
        }
    }
    if (times->count && next_timed(row, NULL))
        fprintf(file, "  times measured on: %s\n", times->device);
}

bool paper_figure_cells(const struct paper_figure *figure, FILE *file, struct error *error)
{
    struct recorded recorded;
    bool good = record_row(figure, &recorded, error);
    for (int i = 0; good && i < recorded.parts; i++) {
        if (i)
            fputc('\n', file);
        good = figure_cells(&recorded.part[i], file, error);
    }
    recorded_free(&recorded);
    return good;
}

static bool write_matrices(const struct paper_figure *figure, const struct plot_output *output,
                           struct drawing_flaws *flaws, struct error *error)
{
    struct recorded recorded;
    struct drawing drawing = {0};
    bool good = record_row(figure, &recorded, error) &&
                draw_row(figure, &recorded, output->width, &drawing, error) &&
                export_drawing(&drawing, output->theme, &output->about, output->path, error);
    *flaws = drawing_flaws(&drawing);
    drawing_free(&drawing);
    recorded_free(&recorded);
    return good;
}

/* The figure's charts into plot[PAPER_CHARTS]; *count of them are there, to be freed also when it
 * fails. */
static bool make_charts(const struct paper_figure *figure, const struct times *times,
                        struct plot *plot, int *count, struct error *error)
{
    *count = 0;
    if (figure->chart) {
        (*count)++;
        if (!paper_chart_record(figure->chart, &plot[0], error))
            return false;
    }
    for (const struct timed_chart *chart = NULL;
         *count < PAPER_CHARTS && (chart = next_timed(figure, chart));) {
        struct plot *to = &plot[(*count)++];
        if (!timed_chart_fill(chart, times, to, error))
            return false;
        if (!to->curves)
            plot_free(&plot[--*count]);
    }
    return true;
}

bool paper_figure_possible(const struct paper_figure *figure, const struct times *times,
                           struct error *error)
{
    if (!figure->timed)
        return true;
    for (const struct timed_chart *chart = NULL; (chart = next_timed(figure, chart));)
        for (int c = 0; c < timed_curves(chart); c++)
            for (int i = 0; i < timed_points(chart); i++)
                if (!isnan(timed_value(times, chart, &chart->curve[c], i, TIMES_MEDIAN)))
                    return true;
    return error_set(error,
                     "%s shows running times, and there are none: on a machine with a GPU, "
                     "'bankscope bench %s -o FILE' measures them, and --times FILE draws them",
                     figure->name, figure->name);
}

bool paper_figure_is_chart(const struct paper_figure *figure)
{
    return figure->chart || figure->timed;
}

static bool write_charts(const struct paper_figure *figure, const struct times *times,
                         const struct plot_output *output, struct drawing_flaws *flaws,
                         struct error *error)
{
    struct plot plot[PAPER_CHARTS] = {{.title = NULL}};
    int count;
    bool good = paper_figure_possible(figure, times, error) &&
                make_charts(figure, times, plot, &count, error);
    if (good && output->width < least_chart * points_per_millimetre)
        good = error_set(error, "%s: the numbers of a chart need a --width of %.0f or more",
                         figure->name, least_chart);
    good = good && plot_write(plot, count, output, flaws, error);
    for (int i = 0; i < PAPER_CHARTS; i++)
        plot_free(&plot[i]);
    return good;
}

bool paper_figure_write(const struct paper_figure *figure, const struct times *times,
                        const struct plot_output *output, struct drawing_flaws *flaws,
                        struct error *error)
{
    struct plot_output sized = *output;
    *flaws = (struct drawing_flaws){.unlabelled = false};
    if (!sized.width)
        sized.width = figure->width * points_per_millimetre;
    return paper_figure_is_chart(figure) ? write_charts(figure, times, &sized, flaws, error)
                                         : write_matrices(figure, &sized, flaws, error);
}

bool paper_figure_is_format(const struct paper_figure *figure, const char *path,
                            struct error *error)
{
    return (paper_figure_is_chart(figure) ? plot_is_format : export_is_format)(path, error);
}
