/* fuzz_view.c - any trace that the reader takes can be looked at, stepped through and drawn.
 *
 * Built and run as fuzz_trace.c is, on the same corpus. How the mouse and the keys move is drawn
 * from the bytes too, so that a crash repeats itself.
 */
#define _GNU_SOURCE /* fmemopen */
#include "tests/fuzz/fuzz.h"

#include "viewer/viewer.h"

#include <math.h>

/* The next of a sequence of numbers from 0 to below - 1 (xorshift). */
static unsigned next(uint64_t *state, unsigned below)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (unsigned)(*state >> 33) % below;
}

static void check_drawing(const struct drawing *drawing)
{
    MUST(drawing->width > 0 && drawing->height > 0);
    for (size_t i = 0; i < drawing->count; i++) {
        const struct drawing_item *item = &drawing->item[i];
        MUST(isfinite(item->x) && isfinite(item->y) && isfinite(item->w) && isfinite(item->h));
        MUST(item->role < ROLES && item->edge < ROLES && item->thick >= 0);
    }
}

static void move(struct view *view, uint64_t *state, double width, double height)
{
    double x = next(state, 5000) * width / 4000 - width / 8;
    double y = next(state, 5000) * height / 4000 - height / 8;
    struct hit hit;
    char line[100];
    switch (next(state, 19)) {
    case 0:
        view_step(view, (int)next(state, 7) - 3);
        break;
    case 1:
        view_stage(view, (int)next(state, 3) - 1);
        break;
    case 2:
        view_warp(view, (int)next(state, 5) - 2);
        break;
    case 3:
        view_home(view);
        break;
    case 4:
        view_end(view);
        break;
    case 5:
        view_race(view, next(state, 2));
        break;
    case 6:
        view_swap(view);
        break;
    case 7:
        view_zoom(view, next(state, 2) ? 1.5 : 0.6, x, y);
        break;
    case 8:
        view_pan(view, x - width / 2, y - height / 2);
        break;
    case 9:
        view_zoom_reset(view);
        break;
    case 10:
        view->label = (enum label)next(state, LABELS);
        break;
    case 11:
        hit = view_hit(view, x, y);
        view_click(view, &hit);
        break;
    case 12:
        view_worst(view);
        break;
    case 13:
        view_round(view, (int)next(state, 9) - 1);
        break;
    case 14:
        view_zoom_overview(view, next(state, 2) ? 1.5 : 0.5, x, y);
        break;
    case 15:
        hit = view_hit(view, x, y);
        view_follow(view, &hit);
        view_why_followed(view, line, sizeof line);
        MUST(memchr(line, '\0', sizeof line));
        break;
    default:
        view_hover(view, x, y);
        view_why(view, &view->hover, line, sizeof line);
        MUST(memchr(line, '\0', sizeof line));
    }
}

static void look_at(const struct trace_index *index, uint64_t *state)
{
    struct error error = {{0}};
    struct view view;
    struct drawing drawing = {0};
    bool two = next(state, 2);
    if (view_init(&view, index, two ? index : NULL, &error)) {
        for (int i = 0; i < 12; i++) {
            double width = 1 + next(state, 2000), height = 1 + next(state, 1200);
            MUST(scene_draw(&view, width, height, &drawing) == !drawing.error.text[0]);
            check_drawing(&drawing);
            for (int k = 0; k < 4; k++)
                move(&view, state, width, height);
        }
        view_free(&view);
    }
    struct figure_part part = {.index = index,
                               .stage = trace_index_worst_stage(index),
                               .rounds = true,
                               .last_round = (int)next(state, 4),
                               .degrees = true,
                               .borders = true,
                               .used_columns = true};
    struct figure figure = {.parts = 1, .part = &part, .width = 60 + next(state, 900)};
    if (index->trace->count && figure_draw(&figure, &drawing, &error))
        check_drawing(&drawing);
    drawing_free(&drawing);

    struct terminal terminal = {(int)next(state, 200), next(state, 2) ? &themes[0] : NULL};
    FILE *nowhere = fopen("/dev/null", "w");
    error.text[0] = '\0';
    part.rounds = next(state, 4) > 0;
    part.one_slot = next(state, 2);
    part.slot = (int)next(state, 3);
    part.label = (enum label)next(state, LABELS);
    if (nowhere && index->trace->count && !terminal_print(&part, &terminal, 2, nowhere, &error))
        MUST(error.text[0]);
    if (nowhere)
        fclose(nowhere);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct error error = {{0}};
    struct trace trace = {0};
    struct trace_index index = {0};
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < size; i++)
        state = (state ^ bytes[i]) * 1099511628211u;
    state |= 1;
    struct trace_sink sink = trace_memory_sink(&trace);
    if (fuzz_read(bytes, size, &sink, &error) && trace_index_init(&index, &trace, &error)) {
        look_at(&index, &state);
        trace_index_free(&index);
    }
    trace_free(&trace);
    return 0;
}
