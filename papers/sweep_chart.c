/* sweep_chart.c - a sweep as a chart: one axis is x, seeds are repetitions, the others are curves. */
#include "papers/sweep_chart.h"
#include "papers/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *extension_list = ", tables as .csv or .json, shares as .sweep";

static bool has_numbers(const struct sweep_axis *axis)
{
    for (int i = 0; i < axis->count; i++) {
        char *end;
        strtod(axis->value[i], &end);
        if (*end)
            return false;
    }
    return true;
}

static bool is_repetition(const struct sweep *sweep, const struct sweep_chart *chart, int axis)
{
    return !strcmp(sweep->axis[axis].name, "seed") && !(chart->x && !strcmp(chart->x, "seed"));
}

/* The axis of x: that asked for, or the first that has numbers and is no repetition. -1: *error. */
static int find_x(const struct sweep *sweep, const struct sweep_chart *chart, struct error *error)
{
    int x = chart->x ? sweep_find_axis(sweep, chart->x) : -1;
    if (chart->x && x < 0)
        return error_set(error, "--x %s: that is not swept", chart->x), -1;
    if (chart->x && !has_numbers(&sweep->axis[x]))
        return error_set(error, "--x %s: %s is no number", chart->x, sweep->axis[x].value[0]), -1;
    for (int i = 0; i < sweep->axes && x < 0; i++)
        if (has_numbers(&sweep->axis[i]) && !is_repetition(sweep, chart, i))
            x = i;
    if (x < 0)
        error_set(error, "nothing that is swept is a number, and a chart needs one on its x axis");
    return x;
}

/* How the points make a chart. */
struct arrangement {
    int x;        /* the axis */
    int curves;   /* before those are gone that the others are percent of */
    int relative; /* the axis of --relative-to, and */
    int base;     /* the index of its value; -1, -1: none */
};

/* The number of a point's curve. */
static int curve_number(const struct sweep *sweep, const struct sweep_chart *chart, int x,
                        size_t point)
{
    int number = 0;
    for (int i = 0; i < sweep->axes; i++)
        if (i != x && !is_repetition(sweep, chart, i))
            number = number * sweep->axis[i].count + sweep_index(sweep, point, i);
    return number;
}

static bool find_base(const struct sweep *sweep, const struct sweep_chart *chart,
                      struct arrangement *made, struct error *error)
{
    const char *equals = chart->relative ? strchr(chart->relative, '=') : NULL;
    char name[64];
    made->relative = made->base = -1;
    if (!chart->relative)
        return true;
    snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - chart->relative) : 0,
             chart->relative);
    made->relative = sweep_find_axis(sweep, name);
    for (int i = 0; made->relative >= 0 && i < sweep->axis[made->relative].count; i++)
        if (!strcmp(sweep->axis[made->relative].value[i], equals + 1))
            made->base = i;
    if (made->base < 0 || made->relative == made->x || is_repetition(sweep, chart, made->relative))
        return error_set(error,
                         "--relative-to %s: it must be NAME=VALUE of one of the curves, as in "
                         "input=random",
                         chart->relative);
    return true;
}

static bool arrange(const struct sweep *sweep, const struct sweep_chart *chart,
                    struct arrangement *made, struct error *error)
{
    *made = (struct arrangement){.x = find_x(sweep, chart, error), .curves = 1};
    if (made->x < 0 || !find_base(sweep, chart, made, error))
        return false;
    for (int i = 0; i < sweep->axes; i++)
        if (i != made->x && !is_repetition(sweep, chart, i)) {
            made->curves *= sweep->axis[i].count;
            if (made->curves > 10000)
                break;
        }
    int shown = made->base < 0 ? made->curves
                               : made->curves - made->curves / sweep->axis[made->relative].count;
    if (shown > 2 * PLOT_COLOURS)
        return error_set(error, "a chart of %d curves: at most %d can be told apart", shown,
                         2 * PLOT_COLOURS);
    if (!shown)
        return error_set(error, "--relative-to %s: there is no other curve", chart->relative);
    if (chart->names > shown)
        return error_set(error, "--name is given %d times, and there are %d curves", chart->names,
                         shown);
    return true;
}

bool sweep_chart_check(const struct sweep *sweep, const struct sweep_chart *chart, const char *path,
                       struct error *error)
{
    struct arrangement made;
    if (!plot_is_format(path, error))
        return error_add(error, "%s", extension_list), false;
    if (sweep->step > 1)
        return error_set(error, "a chart needs all points, and a share has some: write .sweep");
    return arrange(sweep, chart, &made, error);
}

/* What a curve is: "cf-merge, worst, E=15"; as a recipe, "cf-merge E=15 w=12 --input worst". */
static void tell_curve(const struct sweep *sweep, const struct sweep_chart *chart,
                       const struct arrangement *made, size_t point, char title[512],
                       char recipe[1024])
{
    const int kernels = sweep_find_axis(sweep, "kernel"), inputs = sweep_find_axis(sweep, "input");
    const char *fixed = sweep->fixed ? sweep->fixed : "", *input = strstr(fixed, "--input ");
    *title = '\0';
    snprintf(recipe, 1024, "%.100s",
             kernels >= 0 ? sweep_value(sweep, point, kernels) : sweep->name[0]);
    for (int i = 0; i < sweep->axes; i++) {
        const char *name = sweep->axis[i].name, *value = sweep_value(sweep, point, i);
        if (i == made->x || is_repetition(sweep, chart, i))
            continue;
        bool plain = i == kernels || i == inputs;
        text_add(title, 512, "%s%s%s%.100s", *title ? ", " : "", plain ? "" : name,
                 plain ? "" : " = ", value);
        if (!plain)
            text_add(recipe, 1024, " %.50s=%.100s", name, value);
    }
    if (!input || inputs >= 0)
        text_add(recipe, 1024, " %.400s", fixed);
    else
        text_add(recipe, 1024, " %.*s", (int)(input - fixed), fixed);
    if (inputs >= 0)
        text_add(recipe, 1024, " --input %.100s", sweep_value(sweep, point, inputs));
    else if (input)
        text_add(recipe, 1024, " %.200s", input);
    if (!*title)
        snprintf(title, 512, "%.100s", sweep->name[0]);
}

/* Sums over repetitions. */
struct cell {
    double sum, least, most;
    int count;
};

/* The value of a point; NAN: it has none. */
static double value_of(const struct sweep *sweep, const struct sweep_chart *chart,
                       const struct arrangement *made, size_t at)
{
    const struct sweep_point *point = &sweep->point[at];
    if (point->state != SWEEP_DONE)
        return (double)NAN;
    double value = chart->measure->of(point);
    if (made->base < 0)
        return value;
    size_t behind = 1; /* points from one value of that axis to the next */
    for (int i = made->relative + 1; i < sweep->axes; i++)
        behind *= (size_t)sweep->axis[i].count;
    int index = sweep_index(sweep, at, made->relative);
    const struct sweep_point *base =
        &sweep->point[at - (size_t)index * behind + (size_t)made->base * behind];
    double whole = base->state == SWEEP_DONE ? chart->measure->of(base) : 0;
    return whole > 0 ? 100 * value / whole : (double)NAN;
}

static void gather(const struct sweep *sweep, const struct sweep_chart *chart,
                   const struct arrangement *made, struct cell *cell, size_t *gone)
{
    const int points = sweep->axis[made->x].count;
    for (size_t k = 0; k < sweep->points; k++) {
        int curve = curve_number(sweep, chart, made->x, k);
        struct cell *to = &cell[curve * points + sweep_index(sweep, k, made->x)];
        double value = value_of(sweep, chart, made, k);
        if (isnan(value) || (chart->log_y && value <= 0)) {
            *gone += sweep->point[k].state == SWEEP_DONE;
            continue;
        }
        to->least = to->count ? fmin(to->least, value) : value;
        to->most = to->count ? fmax(to->most, value) : value;
        to->sum += value;
        to->count++;
    }
}

/* The first point of a curve. */
static size_t first_of(const struct sweep *sweep, const struct sweep_chart *chart, int x, int curve)
{
    size_t k = 0;
    while (curve_number(sweep, chart, x, k) != curve)
        k++;
    return k;
}

static bool is_base(const struct sweep *sweep, const struct arrangement *made, size_t point)
{
    return made->base >= 0 && sweep_index(sweep, point, made->relative) == made->base;
}

static bool fill_curves(const struct sweep *sweep, const struct sweep_chart *chart,
                        const struct arrangement *made, const struct cell *cell, struct plot *plot,
                        struct error *error)
{
    char(*recipe)[1024] = memory_new((size_t)plot->curves, sizeof *recipe), title[512];
    const char **recipes = memory_new((size_t)plot->curves, sizeof *recipes);
    const int seeds = sweep_find_axis(sweep, "seed");
    bool good = seeds < 0 || !is_repetition(sweep, chart, seeds) || plot_repeats(plot, error);
    for (int c = 0, at = 0; good && c < made->curves; c++) {
        const size_t first = first_of(sweep, chart, made->x, c);
        struct plot_curve *curve = &plot->curve[at];
        if (is_base(sweep, made, first))
            continue;
        tell_curve(sweep, chart, made, first, title, recipe[at]);
        curve->title = memory_copy(at < chart->names ? chart->name[at] : title);
        recipes[at] = recipe[at];
        for (int i = 0; i < plot->points; i++) {
            const struct cell *from = &cell[c * plot->points + i];
            curve->y[i] = from->count ? from->sum / from->count : (double)NAN;
            if (curve->least)
                curve->least[i] = from->least, curve->most[i] = from->most;
        }
        at++;
    }
    if (good)
        plot_looks(plot, recipes);
    free(recipes);
    free(recipe);
    return good;
}

static void label_axes(const struct sweep *sweep, const struct sweep_chart *chart,
                       const struct arrangement *made, struct plot *plot, char label[300])
{
    const struct sweep_axis *x = &sweep->axis[made->x];
    bool doubles = x->count > 2 && strtod(x->value[0], NULL) > 0;
    for (int i = 1; i < x->count; i++)
        doubles &= strtod(x->value[i], NULL) == 2 * strtod(x->value[i - 1], NULL);
    bool divided = sweep->per && chart->measure->divided;
    snprintf(label, 300, "%s%s%.60s", chart->measure->label, divided ? " per " : "",
             divided ? sweep->per : "");
    if (made->base >= 0) {
        const struct sweep_axis *axis = &sweep->axis[made->relative];
        bool plain = !strcmp(axis->name, "kernel") || !strcmp(axis->name, "input");
        text_add(label, 300, ", %% of %s%s%.100s", plain ? "" : axis->name, plain ? "" : " = ",
                 axis->value[made->base]);
    }
    plot->title = chart->title;
    plot->x_label = chart->x_label ? chart->x_label : x->name;
    plot->y_label = chart->y_label ? chart->y_label : label;
    plot->x_powers = chart->log_x || doubles;
    plot->y_log = chart->log_y;
}

bool sweep_chart_write(const struct sweep *sweep, const struct sweep_chart *chart,
                       const struct plot_output *output, size_t *gone, struct drawing_flaws *flaws,
                       struct error *error)
{
    struct arrangement made;
    struct plot plot = {.points = 0};
    char label[300];
    *gone = 0;
    if (!arrange(sweep, chart, &made, error))
        return false;
    const struct sweep_axis *x = &sweep->axis[made.x];
    int shown = made.curves - (made.base < 0 ? 0 : made.curves / sweep->axis[made.relative].count);
    struct cell *cell =
        memory_array((size_t)made.curves * (size_t)x->count, sizeof *cell, "points", error);
    bool good = cell && plot_init(&plot, x->count, shown, error);
    for (int i = 0; good && i < x->count; i++) {
        plot.x[i] = strtod(x->value[i], NULL);
        if (chart->log_x && plot.x[i] <= 0)
            good = error_set(error, "--log-x: %s=%s has no place on a logarithm", x->name,
                             x->value[i]);
    }
    if (good)
        gather(sweep, chart, &made, cell, gone);
    good = good && fill_curves(sweep, chart, &made, cell, &plot, error);
    if (good) {
        label_axes(sweep, chart, &made, &plot, label);
        good = plot_write(&plot, 1, output, flaws, error);
    }
    free(cell);
    plot_free(&plot);
    return good;
}
