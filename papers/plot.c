/* plot.c - charts of numbers: the numbers, and the files in which they come. */
#include "papers/plot.h"
#include "system/output.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool plot_init(struct plot *plot, int points, int curves, struct error *error)
{
    *plot = (struct plot){.x_label = "", .y_label = ""};
    plot->x = memory_array((size_t)points, sizeof *plot->x, "points", error);
    plot->curve = memory_array((size_t)curves, sizeof *plot->curve, "curves", error);
    if (!plot->x || !plot->curve)
        return false;
    plot->points = points;
    for (; plot->curves < curves; plot->curves++) {
        double *y = memory_array((size_t)points, sizeof *y, "points", error);
        if (!y)
            return false;
        plot->curve[plot->curves].y = y;
    }
    return true;
}

bool plot_repeats(struct plot *plot, struct error *error)
{
    const size_t points = (size_t)plot->points;
    for (int c = 0; c < plot->curves; c++) {
        struct plot_curve *curve = &plot->curve[c];
        curve->least = memory_array(points, sizeof *curve->least, "points", error);
        curve->most = memory_array(points, sizeof *curve->most, "points", error);
        if (!curve->least || !curve->most)
            return false;
    }
    return true;
}

void plot_free(struct plot *plot)
{
    for (int c = 0; c < plot->curves; c++) {
        free(plot->curve[c].title);
        free(plot->curve[c].y);
        free(plot->curve[c].least);
        free(plot->curve[c].most);
    }
    for (int i = 0; plot->bar && i < plot->points; i++)
        free(plot->bar[i]);
    free(plot->bar);
    free(plot->curve);
    free(plot->x);
    *plot = (struct plot){.points = 0};
}

/* ---- the numbers ----------------------------------------------------------------------------- */

static void put_value(double value, const char *missing, FILE *file)
{
    if (isnan(value))
        fputs(missing, file);
    else
        fprintf(file, "%.10g", value);
}

/* Columns for people and for plotting programs. */
static void write_columns(const struct plot *plot, FILE *file)
{
    if (plot->title)
        fprintf(file, "# %s\n", plot->title);
    fprintf(file, "# %s%s", plot->x_label, plot->bar ? "\tname" : "");
    for (int c = 0; c < plot->curves; c++)
        fprintf(file, plot->curve[c].least ? "\t%s\tleast\tmost" : "\t%s", plot->curve[c].title);
    fprintf(file, "\n# the columns after the %s: %s\n", plot->bar ? "name" : "first",
            plot->y_label);
    for (int i = 0; i < plot->points; i++) {
        fprintf(file, "%.10g", plot->x[i]);
        if (plot->bar)
            fprintf(file, "\t%s", plot->bar[i]);
        for (int c = 0; c < plot->curves; c++) {
            const struct plot_curve *curve = &plot->curve[c];
            const double *const all[] = {curve->y, curve->least, curve->most};
            for (int k = 0; k < (curve->least ? 3 : 1); k++)
                fputc('\t', file), put_value(all[k][i], "?", file);
        }
        fputc('\n', file);
    }
}

static bool write_txt(const struct plot *plots, int count, const char *about, FILE *file)
{
    if (*about)
        fprintf(file, "# %s\n", about);
    for (int i = 0; i < count; i++) {
        if (i)
            fputc('\n', file);
        write_columns(&plots[i], file);
    }
    return true;
}

/* A row for each point of each curve, below a comment that says how the file was made. */
static bool write_csv(const struct plot *plots, int count, const char *about, FILE *file)
{
    if (*about)
        fprintf(file, "# %s\n", about);
    fputs("chart,curve,x,name,y,least,most\n", file);
    for (int p = 0; p < count; p++)
        for (int c = 0; c < plots[p].curves; c++)
            for (int i = 0; i < plots[p].points; i++) {
                const struct plot_curve *curve = &plots[p].curve[c];
                const double *const all[] = {curve->y, curve->least, curve->most};
                text_put(file, TEXT_CELL, plots[p].title ? plots[p].title : "");
                fputc(',', file);
                text_put(file, TEXT_CELL, curve->title);
                fprintf(file, ",%.10g,", plots[p].x[i]);
                text_put(file, TEXT_CELL, plots[p].bar ? plots[p].bar[i] : "");
                for (int k = 0; k < 3; k++) {
                    fputc(',', file);
                    if (all[k])
                        put_value(all[k][i], "", file);
                }
                fputc('\n', file);
            }
    return true;
}

/* NAN becomes null. */
static void add_numbers(cJSON *object, const char *name, const double *value, int count)
{
    cJSON *list = cJSON_AddArrayToObject(object, name);
    for (int i = 0; i < count; i++)
        cJSON_AddItemToArray(list,
                             isnan(value[i]) ? cJSON_CreateNull() : cJSON_CreateNumber(value[i]));
}

static cJSON *chart_object(const struct plot *plot, const char *about)
{
    cJSON *chart = cJSON_CreateObject();
    if (*about)
        cJSON_AddStringToObject(chart, "made_by", about);
    cJSON_AddStringToObject(chart, "title", plot->title ? plot->title : "");
    cJSON_AddStringToObject(chart, "x_label", plot->x_label);
    cJSON_AddStringToObject(chart, "y_label", plot->y_label);
    add_numbers(chart, "x", plot->x, plot->points);
    if (plot->bar)
        cJSON_AddItemToObject(
            chart, "names", cJSON_CreateStringArray((const char *const *)plot->bar, plot->points));
    cJSON *curves = cJSON_AddArrayToObject(chart, "curves");
    for (int c = 0; c < plot->curves; c++) {
        const struct plot_curve *curve = &plot->curve[c];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "title", curve->title);
        add_numbers(object, "y", curve->y, plot->points);
        if (curve->least) {
            add_numbers(object, "least", curve->least, plot->points);
            add_numbers(object, "most", curve->most, plot->points);
        }
        cJSON_AddItemToArray(curves, object);
    }
    return chart;
}

/* A list of charts, one a line. */
static bool write_json(const struct plot *plots, int count, const char *about, FILE *file)
{
    bool good = true;
    for (int i = 0; good && i < count; i++) {
        cJSON *chart = chart_object(&plots[i], about);
        char *text = cJSON_PrintUnformatted(chart);
        cJSON_Delete(chart);
        good = text != NULL;
        if (good)
            fprintf(file, "%s%s", i ? ",\n" : "[", text_clean(text));
        cJSON_free(text);
    }
    fprintf(file, "]\n");
    return good;
}

static const struct {
    const char *extension;
    bool (*write)(const struct plot *plots, int count, const char *about, FILE *file);
} number_formats[] = {{"txt", write_txt}, {"csv", write_csv}, {"json", write_json}};
enum { NUMBER_FORMATS = sizeof number_formats / sizeof *number_formats };

/* ---- files ------------------------------------------------------------------------------------ */

static const char *extension_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return strcmp(path, "-") == 0 ? "txt" : dot ? dot + 1 : "";
}

static int numbers_of(const char *path)
{
    for (int i = 0; i < NUMBER_FORMATS; i++)
        if (!strcasecmp(extension_of(path), number_formats[i].extension))
            return i;
    return -1;
}

bool plot_is_format(const char *path, struct error *error)
{
    static const char *const pictures[] = {"pdf", "svg", "png", "tex"};
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        if (!strcasecmp(extension_of(path), pictures[i]))
            return true;
    return numbers_of(path) >= 0 ||
           error_set(error,
                     "%s: charts come as .pdf, .svg, .png, .tex, or as numbers: .txt, .csv, .json",
                     path);
}

static bool write_numbers(const struct plot *plots, int count, const struct plot_output *to,
                          struct error *error)
{
    struct output output = {.file = stdout};
    char about[EXPORT_ABOUT];
    const bool named = strcmp(to->path, "-") != 0;
    if (named && !output_open(&output, to->path, error))
        return false;
    export_about(&to->about, about, sizeof about);
    bool good =
        number_formats[numbers_of(to->path)].write(plots, count, named ? about : "", output.file) ||
        error_set(error, "out of memory");
    return named ? output_close(&output, good, error) : good;
}

static bool write_tex(const struct plot_page *page, const struct plot_output *to,
                      struct error *error)
{
    struct output output;
    if (!output_open(&output, to->path, error))
        return false;
    plot_tex(page, to->theme, &to->about, output.file);
    return output_close(&output, true, error);
}

bool plot_write(const struct plot *plots, int count, const struct plot_output *output,
                struct drawing_flaws *flaws, struct error *error)
{
    struct plot_page page;
    struct drawing drawing = {0};
    *flaws = (struct drawing_flaws){.cut = false};
    if (!plot_is_format(output->path, error))
        return false;
    if (numbers_of(output->path) >= 0)
        return write_numbers(plots, count, output, error);
    if (!plot_layout(plots, count, output->width, &page, error))
        return false;
    plot_draw(&page, &drawing);
    *flaws = drawing_flaws(&drawing);
    bool good = !strcasecmp(extension_of(output->path), "tex")
                    ? write_tex(&page, output, error)
                    : export_drawing(&drawing, output->theme, &output->about, output->path, error);
    drawing_free(&drawing);
    return good;
}
