/* test_render.c - what differs from the list before is drawn over its picture: the same pixels come out as
 * when all is drawn. */
#include "kernels/kernel.h"
#include "viewer/viewer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cairo.h>
#include <cmocka.h>

enum { WIDTH = 320, HEIGHT = 240, ITEMS = 60 };

static double up_to(uint64_t *random, double most)
{
    return random_below(random, 1000) * most / 1000;
}

/* One of the things that a picture has. */
static void add_any(struct drawing *drawing, uint64_t *random)
{
    double x = up_to(random, WIDTH), y = up_to(random, HEIGHT);
    double w = up_to(random, 60), h = up_to(random, 60);
    enum role role = (enum role)(ROLE_NONE + 1 + random_below(random, ROLES - ROLE_NONE - 1));
    struct text_style style = {role, 7 + random_below(random, 3) * 2.5,
                               (enum align)random_below(random, ALIGN_RIGHT + 1),
                               (enum face)random_below(random, FACE_MARKED_BOLD + 1)};
    switch (random_below(random, 5)) {
    case 0:
        drawing_box(drawing, role, x, y, w, h);
        break;
    case 1:
        drawing_edged(drawing, ROLE_PAPER, role, up_to(random, 4), x, y, w, h);
        break;
    case 2:
        drawing_line(drawing, role, up_to(random, 5), random_below(random, 2), x, y, x + w - 30,
                     y + h - 30);
        break;
    case 3:
        drawing_text(drawing, &style, x, y, "%d", (int)random_below(random, 100000));
        break;
    default:
        drawing_text(drawing, &style, x, y, "Åj`g|` %c", 'a' + (int)random_below(random, 26));
    }
}

/* Adds items of another list. */
static void add_from(struct drawing *drawing, const struct drawing *other, size_t from, size_t to)
{
    struct drawing part = *other;
    part.item += from;
    part.count = to - from;
    drawing_place(drawing, &part, 0, 0, 1);
}

/* Draws the list over the other one; returns how many rows of pixels were. */
static int redraw(cairo_surface_t *surface, struct renderer *renderer, double scale,
                  const struct drawing *before, const struct drawing *drawing)
{
    struct rows rows;
    struct error error = {{0}};
    if (!renderer_redraw(renderer, surface, scale, before, drawing, &themes[0], &rows, &error))
        fail_msg("%s", error.text);
    return (int)(rows.bottom - rows.top);
}

static cairo_surface_t *new_surface(double scale)
{
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(WIDTH * scale),
                                      (int)(HEIGHT * scale));
}

static void what_differs_is_drawn_over_the_rest(void **state)
{
    (void)state;
    static const double scales[] = {1, 1.25, 1.4, 2};
    struct error error = {{0}};
    assert_true(load_cairo(&error));
    struct renderer *renderer = renderer_new();
    const struct drawing nothing = {0};
    uint64_t random = 1;
    int part = 0, whole = 0, same = 0;
    for (int i = 0; i < 300; i++) {
        double scale = scales[i % 4];
        struct drawing before = {0}, after = {0};
        cairo_surface_t *over = new_surface(scale), *anew = new_surface(scale);
        drawing_begin(&before, WIDTH, HEIGHT);
        drawing_begin(&after, WIDTH, HEIGHT);
        drawing_box(&before, ROLE_PAPER, 0, 0, WIDTH, HEIGHT);
        while (before.count < ITEMS)
            add_any(&before, &random);
        size_t from = 1 + (size_t)random_below(&random, ITEMS - 3), to = from + (size_t)(i % 3);
        add_from(&after, &before, 0, from);
        for (int k = random_below(&random, 3); k > 0; k--)
            add_any(&after, &random);
        add_from(&after, &before, to, before.count);

        assert_int_equal(redraw(over, renderer, scale, &nothing, &before), (int)(HEIGHT * scale));
        int drawn = redraw(over, renderer, scale, &before, &after);
        redraw(anew, renderer, scale, &nothing, &after);
        const unsigned char *a = cairo_image_surface_get_data(over);
        const unsigned char *b = cairo_image_surface_get_data(anew);
        size_t stride = (size_t)cairo_image_surface_get_stride(over);
        for (int y = 0; y < (int)(HEIGHT * scale); y++)
            if (memcmp(a + (size_t)y * stride, b + (size_t)y * stride, stride) != 0)
                fail_msg("picture %d at scale %g: row %d of pixels is not as it should", i, scale,
                         y);
        part += drawn > 0 && drawn < HEIGHT * scale / 2;
        whole += drawn >= HEIGHT * scale / 2;
        same += drawn == 0;
        cairo_surface_destroy(over);
        cairo_surface_destroy(anew);
        drawing_free(&before);
        drawing_free(&after);
    }
    assert_true(part > 100 && whole > 0 && same > 0);
    renderer_free(renderer);
}

/* A list of a page of another size differs in all of it. */
static void another_size_is_another_picture(void **state)
{
    (void)state;
    struct drawing before = {0}, after = {0};
    drawing_begin(&before, WIDTH, HEIGHT);
    drawing_begin(&after, WIDTH, HEIGHT + 1);
    struct rows rows = drawing_difference(&before, &after);
    assert_true(rows.top <= 0 && rows.bottom >= HEIGHT + 1);
    rows = drawing_difference(&before, &before);
    assert_true(rows.top >= rows.bottom);
    drawing_free(&before);
    drawing_free(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_differs_is_drawn_over_the_rest),
                                       cmocka_unit_test(another_size_is_another_picture)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
