/* bench_viewer.c - how fast the window's picture is: one step, and the first picture of a trace.
 *
 * Yardstick: cairo filling the same number of rectangles on the same surface and nothing else. The
 * targets stand beside the figures; nothing fails here, since machines are noisy.
 */
#include "kernels/catalogue.h"
#include "viewer/viewer.h"

#include <cairo.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WIDTH = 1920, HEIGHT = 1080, STEPS = 500, CELLS = 2 * 32 * 240 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6; /* milliseconds */
}

static void must(bool good, const struct error *error)
{
    if (good)
        return;
    fprintf(stderr, "bench_viewer: %s\n", error->text);
    exit(1);
}

static void record(const char *kernel, const char *blocks, struct trace *trace)
{
    struct error error = {{0}};
    struct recipe recipe;
    struct run_result result;
    struct trace_sink sink = trace_memory_sink(trace);
    recipe_init(&recipe, catalogue_find(kernel, &error));
    const char *const params[] = {"w=32", "u=512", "E=15", blocks};
    for (int i = 0; i < 4; i++)
        must(recipe_read(&recipe, params[i], &error), &error);
    must(recipe_read(&recipe, "--input worst", &error), &error);
    must(recipe_run(&recipe, NULL, &sink, &result, &error), &error);
    recipe_free(&recipe);
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double percentile(double *times, int percent)
{
    qsort(times, STEPS, sizeof *times, compare);
    return times[STEPS * percent / 100];
}

/* The view, stepped through its stages and warps, each frame drawn whole. */
static void bench_steps(const char *what, struct view *view, cairo_surface_t *surface,
                        double yardstick)
{
    struct renderer *renderer = renderer_new();
    struct drawing drawing = {0};
    double times[STEPS];
    for (int i = 0; i < STEPS; i++) {
        double start = now();
        if (!view_step(view, 1)) {
            view_home(view);
            view_home(view);
            view_warp(view, 1);
        }
        scene_draw(view, WIDTH, HEIGHT, &drawing);
        cairo_t *cr = cairo_create(surface);
        renderer_draw(renderer, cr, &drawing, view->theme);
        cairo_destroy(cr);
        cairo_surface_flush(surface);
        times[i] = now() - start;
        must(!drawing.error.text[0], &drawing.error);
    }
    double median = percentile(times, 50), late = percentile(times, 95);
    printf("  %-19s median %5.1f ms, 95th percentile %5.1f ms (target 16), %4.1f x rectangles "
           "alone, %zu items\n",
           what, median, late, late / yardstick, drawing.count);
    drawing_free(&drawing);
    renderer_free(renderer);
}

/* Milliseconds (95th percentile) to fill as many rectangles as the two panels have cells. */
static double bench_rectangles(cairo_surface_t *surface)
{
    double times[STEPS];
    for (int i = 0; i < STEPS; i++) {
        double start = now();
        cairo_t *cr = cairo_create(surface);
        for (int k = 0; k < CELLS; k++) {
            cairo_set_source_rgb(cr, k % 3 / 2.0, 1, 1);
            cairo_rectangle(cr, 30 + k % 240 * 7, 40 + k / 240 * 12 % 900, 6, 11);
            cairo_fill(cr);
        }
        cairo_destroy(cr);
        cairo_surface_flush(surface);
        times[i] = now() - start;
    }
    return percentile(times, 95);
}

static void bench_first_picture(cairo_surface_t *surface)
{
    struct error error = {{0}};
    struct trace recorded = {0}, trace = {0};
    record("thrust-merge", "blocks=25", &recorded);
    FILE *file = tmpfile();
    if (!file) {
        perror("bench_viewer: tmpfile");
        exit(1);
    }
    struct trace_writer *writer = trace_writer_new(file, "bench");
    struct trace_sink sink = trace_writer_sink(writer);
    bool good = sink.header(sink.context, &recorded.header, &error);
    for (size_t i = 0; good && i < recorded.count; i++) {
        struct warp_access access = trace_get(&recorded, i);
        good = sink.access(sink.context, &access, &error);
    }
    must(good && sink.end(sink.context, &recorded.end, &error), &error);
    trace_writer_free(writer);
    trace_free(&recorded);
    rewind(file);

    struct trace_index index;
    struct view view;
    struct drawing drawing = {0};
    double start = now();
    sink = trace_memory_sink(&trace);
    must(trace_read(file, "bench", &sink, &error), &error);
    double read = now();
    must(trace_index_init(&index, &trace, &error), &error);
    must(view_init(&view, &index, NULL, &error), &error);
    struct renderer *renderer = renderer_new();
    scene_draw(&view, WIDTH, HEIGHT, &drawing);
    cairo_t *cr = cairo_create(surface);
    renderer_draw(renderer, cr, &drawing, view.theme);
    cairo_destroy(cr);
    double end = now();
    printf("  first picture of %.2f million accesses: %.0f ms (target 1000), of which %.0f ms to "
           "read them\n",
           (double)trace.lane_count / 1e6, end - start, read - start);
    renderer_free(renderer);
    drawing_free(&drawing);
    view_free(&view);
    trace_index_free(&index);
    trace_free(&trace);
    fclose(file);
}

int main(void)
{
    struct error error = {{0}};
    struct trace trace[2];
    struct trace_index index[2];
    struct view view;
    memset(trace, 0, sizeof trace);
    must(load_cairo(&error), &error);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    record("thrust-merge", "blocks=1", &trace[0]);
    record("cf-merge", "blocks=1", &trace[1]);
    for (int i = 0; i < 2; i++)
        must(trace_index_init(&index[i], &trace[i], &error), &error);
    double yardstick = bench_rectangles(surface);
    printf("one step, two panels of 32 x 240 cells, %d x %d, %d steps; %d rectangles alone take "
           "%.1f ms\n",
           WIDTH, HEIGHT, STEPS, CELLS, yardstick);

    must(view_init(&view, &index[0], &index[1], &error), &error);
    bench_steps("whole block", &view, surface, yardstick);
    view_home(&view);
    view_race(&view, true);
    bench_steps("race", &view, surface, yardstick);
    view_race(&view, false);
    view_zoom(&view, 3, WIDTH / 2, HEIGHT / 4);
    bench_steps("zoomed, with text", &view, surface, yardstick);
    view_zoom_reset(&view);
    view.theme = theme_find("dark", &error);
    view.label = LABEL_VALUE;
    bench_steps("dark, values", &view, surface, yardstick);
    bench_first_picture(surface);
    view_free(&view);
    for (int i = 0; i < 2; i++) {
        trace_index_free(&index[i]);
        trace_free(&trace[i]);
    }
    cairo_surface_destroy(surface);
    return 0;
}
