/* test_plot.c - charts: every one of the measured figures fits its page at each width, and nothing in it
 * covers anything else; looks are the same in all figures; axes have the ticks that people expect. */
#include "papers/papers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct frame {
    double left, top, right, bottom;
};

/* What a text covers, by the generous estimate of its width. */
static struct frame frame_of(const struct drawing *drawing, const struct drawing_item *item)
{
    double wide = text_width(drawing_string(drawing, item), item->thick, (enum face)item->face);
    double left = item->x - wide * (item->align == ALIGN_LEFT     ? 0
                                    : item->align == ALIGN_CENTRE ? 0.5
                                                                  : 1);
    if (item->turn == 90) {
        double from = item->y - wide * (item->align == ALIGN_CENTRE ? 0.5 : 0);
        return (struct frame){item->x - 0.72 * item->thick, from, item->x, from + wide};
    }
    return (struct frame){left, item->y - 0.72 * item->thick, left + wide, item->y};
}

static void within(const struct drawing *drawing, struct frame frame, const char *what)
{
    const double slack = 1;
    if (frame.left < -slack || frame.top < -slack || frame.right > drawing->width + slack ||
        frame.bottom > drawing->height + slack)
        fail_msg("%s at %g %g %g %g leaves the page of %g x %g", what, frame.left, frame.top,
                 frame.right, frame.bottom, drawing->width, drawing->height);
}

static void check_drawing(const struct drawing *drawing)
{
    for (size_t i = 0; i < drawing->count; i++) {
        const struct drawing_item *item = &drawing->item[i];
        if (item->shape == SHAPE_LINE)
            within(
                drawing,
                (struct frame){fmin(item->x, item->x + item->w), fmin(item->y, item->y + item->h),
                               fmax(item->x, item->x + item->w), fmax(item->y, item->y + item->h)},
                "a line");
        if (item->shape == SHAPE_MARK)
            within(drawing, (struct frame){item->x, item->y, item->x, item->y}, "a mark");
        if (item->shape != SHAPE_TEXT)
            continue;
        const struct frame a = frame_of(drawing, item);
        within(drawing, a, drawing_string(drawing, item));
        for (size_t k = 0; k < i; k++) {
            const struct drawing_item *other = &drawing->item[k];
            const struct frame b = other->shape == SHAPE_TEXT ? frame_of(drawing, other) : a;
            if (other->shape == SHAPE_TEXT && a.left < b.right && b.left < a.right &&
                a.top < b.bottom && b.top < a.bottom)
                fail_msg("'%s' covers '%s'", drawing_string(drawing, item),
                         drawing_string(drawing, other));
        }
    }
}

static void draw(const struct plot *plots, int count, double millimetres)
{
    struct plot_page page;
    struct drawing drawing = {0};
    struct error error = {{0}};
    assert_true(plot_layout(plots, count, millimetres * 72 / 25.4, &page, &error));
    for (int i = 0; i < page.panels; i++) {
        assert_true(page.panel[i].width > 50 && page.panel[i].height > 50);
        for (int k = 0; k < page.entries; k++) /* the legend is above, and not at the edge */
            assert_true(page.entry[k].y < page.panel[i].top && page.entry[k].x > 2);
    }
    plot_draw(&page, &drawing);
    check_drawing(&drawing);
    drawing_free(&drawing);
}

static void measured_charts_fit(void **state)
{
    struct times times;
    struct error error = {{0}};
    int figures = 0;
    (void)state;
    assert_true(times_read(&times, TIMES_FILE, &error));
    for (const struct timed_chart *chart = timed_charts; chart->figure;) {
        struct plot plot[PLOT_PANELS];
        int count = 0;
        const char *figure = chart->figure;
        for (; chart->figure && !strcmp(chart->figure, figure); chart++) {
            assert_true(timed_chart_fill(chart, &times, &plot[count], &error));
            if (plot[count].curves && plot[count].points > 1)
                count++;
            else
                plot_free(&plot[count]);
        }
        if (count) {
            draw(plot, count, 60);
            draw(plot, count, 85);
            draw(plot, count, 178);
            figures++;
        }
        while (count)
            plot_free(&plot[--count]);
    }
    assert_true(figures > 12);
    times_free(&times);
}

/* A plot of curves that are as high as their number. */
static void fill(struct plot *plot, int points, int curves, const char *const *recipe)
{
    struct error error = {{0}};
    assert_true(plot_init(plot, points, curves, &error));
    for (int c = 0; c < curves; c++) {
        plot->curve[c].title = memory_copy(recipe[c] ? recipe[c] : "computed");
        for (int i = 0; i < points; i++)
            plot->curve[c].y[i] = (c + 1) * 1000000.0 * i;
    }
    for (int i = 0; i < points; i++)
        plot->x[i] = i;
    plot_looks(plot, recipe);
}

static void looks_mean_the_same(void **state)
{
    static const char *const one[] = {"cf-sort u=512 E=15 --input worst", "thrust-sort u=512 E=15",
                                      "thrust-sort u=512 E=15 --input worst", NULL};
    static const char *const other[] = {"thrust-merge u=64 E=3 --input hardest n=4",
                                        "thrust-merge u=64 E=5 --input hardest n=4",
                                        "cf-merge u=64 E=3 n=4"};
    struct plot a, b;
    (void)state;
    fill(&a, 3, 4, one);
    fill(&b, 3, 3, other);
    const struct plot_curve *x = a.curve, *y = b.curve;
    assert_int_equal(x[0].look.line, LINE_WORST);
    assert_int_equal(x[1].look.line, LINE_RANDOM);
    assert_int_equal(x[2].look.line, LINE_WORST);
    assert_int_equal(x[1].look.colour, x[2].look.colour);
    assert_int_not_equal(x[0].look.colour, x[1].look.colour);
    assert_true(x[3].look.alone);
    assert_int_equal(y[0].look.colour, x[1].look.colour);
    assert_int_equal(y[2].look.colour, x[0].look.colour);
    assert_int_equal(y[0].look.line, LINE_HARDEST);
    assert_true(y[1].look.hollow && !y[0].look.hollow);
    draw((const struct plot[]){a, b}, 2, 85);
    plot_free(&a);
    plot_free(&b);
}

/* Panels share an axis where they have values in common, and only there. */
static void no_panel_is_half_empty(void **state)
{
    static const char *const recipe[] = {"thrust-sort"};
    static const int shift[] = {0, 3, 20}; /* 0 to 4 and 3 to 7 meet; 20 to 24 lie apart */
    struct plot plot[3];
    struct plot_page page;
    struct error error = {{0}};
    (void)state;
    for (int k = 0; k < 3; k++) {
        fill(&plot[k], 5, 1, recipe);
        plot[k].x_label = plot[k].y_label = "n";
        for (int i = 0; i < plot[k].points; i++)
            plot[k].x[i] += shift[k];
    }
    assert_true(plot_layout(plot, 3, 500, &page, &error));
    assert_true(page.panel[0].x.from == page.panel[1].x.from);
    assert_true(page.panel[0].x.to > 7 && page.panel[0].x.to < 8);
    assert_true(page.panel[2].x.from > 19 && page.panel[2].x.to < 25);
    for (int k = 0; k < 3; k++)
        plot_free(&plot[k]);
}

static void many_curves_differ(void **state)
{
    enum { CURVES = 2 * PLOT_COLOURS };
    const char *recipe[CURVES];
    char text[CURVES][32];
    struct plot plot;
    (void)state;
    for (int c = 0; c < CURVES; c++) {
        snprintf(text[c], sizeof text[c], "%s w=%d", c % 3 ? "stride" : "cf-merge", c);
        recipe[c] = text[c];
    }
    fill(&plot, 40, CURVES, recipe);
    for (int c = 0; c < CURVES; c++)
        for (int k = 0; k < c; k++)
            assert_true(plot.curve[c].look.colour != plot.curve[k].look.colour ||
                        plot.curve[c].look.hollow != plot.curve[k].look.hollow);
    draw(&plot, 1, 85);
    plot_free(&plot);
}

static void expect_ticks(const struct axis *axis, const char *wanted)
{
    char said[1000] = "";
    for (int i = 0; i < axis->ticks; i++)
        text_add(said, sizeof said, "%s%s", i ? " " : "", axis->tick[i].label);
    assert_string_equal(said, wanted);
}

static void axes_read_well(void **state)
{
    struct axis axis;
    struct plot powers = {.x_powers = true}, line = {.points = 0}, decades = {.y_log = true};
    (void)state;
    axis_x(&axis, &powers, (struct range){1 << 16, 1 << 20}, 200, 7.5);
    expect_ticks(&axis, "2¹⁶ 2¹⁷ 2¹⁸ 2¹⁹ 2²⁰");
    axis_x(&axis, &powers, (struct range){1, 16}, 200, 7.5);
    expect_ticks(&axis, "1 2 4 8 16");
    axis_x(&axis, &line, (struct range){1, 8}, 200, 7.5);
    expect_ticks(&axis, "1 2 3 4 5 6 7 8");
    axis_y(&axis, &line, (struct range){0, 1800000}, 100, 7.5);
    expect_ticks(&axis, "0 500,000 1,000,000 1,500,000 2,000,000");
    axis_y(&axis, &line, (struct range){0, 43000000}, 100, 7.5);
    assert_int_equal(axis.unit, 2);
    expect_ticks(&axis, "0 10 20 30 40 50");
    axis_y(&axis, &line, (struct range){-3, 0.5}, 100, 7.5);
    expect_ticks(&axis, "-3 -2 -1 0 1");
    axis_y(&axis, &decades, (struct range){0.08, 7}, 100, 7.5);
    expect_ticks(&axis, "0.05 0.1 0.2 0.5 1 2 5 10");
    assert_true(fabs(axis_place(&axis, 0.05)) < 1e-9 && fabs(axis_place(&axis, 10) - 1) < 1e-9);
}

/* Dashes go on around corners, and are as long together as the pattern says. */
static void dashes_go_on(void **state)
{
    static const char *const recipe[] = {"stride --input worst"};
    struct plot plot;
    struct plot_page page;
    struct drawing drawing = {0};
    struct error error = {{0}};
    double drawn = 0, whole = 0, last_x = NAN, last_y = NAN;
    (void)state;
    fill(&plot, 30, 1, recipe);
    assert_true(plot_layout(&plot, 1, 400, &page, &error));
    plot_draw(&page, &drawing);
    for (size_t i = 0; i < drawing.count; i++) {
        const struct drawing_item *item = &drawing.item[i];
        if (item->shape == SHAPE_LINE && item->role == ROLE_CURVE_1 &&
            item->y > page.panel[0].top - 1)
            drawn += hypot(item->w, item->h);
        if (item->shape == SHAPE_MARK && item->y > page.panel[0].top - 1) {
            whole += isnan(last_x) ? 0 : hypot(item->x - last_x, item->y - last_y);
            last_x = item->x, last_y = item->y;
        }
    }
    const double *dash = plot_dashes[LINE_WORST];
    assert_true(fabs(drawn / whole - dash[0] / (dash[0] + dash[1])) < 0.01);
    drawing_free(&drawing);
    plot_free(&plot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measured_charts_fit), cmocka_unit_test(looks_mean_the_same),
        cmocka_unit_test(many_curves_differ),  cmocka_unit_test(no_panel_is_half_empty),
        cmocka_unit_test(axes_read_well),      cmocka_unit_test(dashes_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
