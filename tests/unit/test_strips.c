/* test_strips.c - what stands below and beside the cells of a panel, by numbers that are worked out here: bars, totals
 * of a race, the whole run, what lies under the pointer. */
#include "tests/support/hand_made.h"

#include "viewer/scene/scene_parts.h"

#include <math.h>

/* ---- the timeline ---- */

enum { ROUNDS = 1500 };

static uint64_t passes_of(int round)
{
    return round % 7 == 0 || round > 1400 ? 3 : 1;
}

/* A stage of many rounds, some with three words of one bank. */
static void make_rounds(struct trace *trace)
{
    struct lanes *list = calloc(ROUNDS, sizeof *list);
    assert_non_null(list);
    for (int r = 0; r < ROUNDS; r++) {
        struct lanes access = {1, r, 0, 0, OP_STORE, 4, 3, {0, 1, 2}, {0, 1, 2}, NULL};
        for (uint32_t i = 0; i < 3 && passes_of(r) == 3; i++)
            access.word[i] = 12 * i;
        list[r] = access;
    }
    make(trace, 12, 12, 12, 72, 0, list, ROUNDS);
    free(list);
}

/* The boxes of a role in the timeline, in their order. */
static int take_bars(const struct drawing *drawing, const struct panel_layout *l, enum role role,
                     const struct drawing_item **bar, int room)
{
    int count = 0;
    for (size_t i = 0; i < drawing->count; i++) {
        const struct drawing_item *item = &drawing->item[i];
        if (item->shape == SHAPE_BOX && item->role == role && (double)item->y >= l->bars_y - 0.01 &&
            (double)item->y < l->bars_y + l->bars_h && (double)item->x >= l->bars_x - 0.01) {
            assert_true(count < room);
            bar[count++] = item;
        }
    }
    return count;
}

/* Where steps are too many, a bar is the mean of its steps: needed passes, and on them what conflicts add. */
static void test_averaged_bars(void **unused)
{
    (void)unused;
    struct trace trace;
    struct trace_index index[1];
    struct view view;
    struct drawing drawing = {0};
    const struct drawing_item *needed[ROUNDS], *added[ROUNDS];
    make_rounds(&trace);
    open_view(&view, index, &trace, NULL);
    view_stage(&view, 1);
    assert_true(scene_draw(&view, 700, 900, &drawing));
    const struct panel_layout *l = &view.panel[0].layout;
    const int bars = (int)(l->bars_w / 3);
    assert_true(bars > 50 && bars < ROUNDS / 2);
    assert_int_equal(take_bars(&drawing, l, ROLE_BAR, needed, ROUNDS), bars);
    const int bad = take_bars(&drawing, l, ROLE_BAR_BAD, added, ROUNDS);
    const double one = l->bars_h / 3; /* most passes of a step: 3 */
    for (int i = 0, k = 0; i < bars; i++) {
        const int from = ROUNDS * i / bars, to = ROUNDS * (i + 1) / bars;
        double conflicts = 0;
        for (int r = from; r < to; r++)
            conflicts += (double)passes_of(r) - 1;
        conflicts /= to - from;
        assert_float_equal(needed[i]->x, l->bars_x + i * l->bars_w / bars, 0.01);
        assert_float_equal(needed[i]->w, l->bars_w / bars, 0.01);
        assert_float_equal(needed[i]->h, one, 0.01);
        assert_float_equal(needed[i]->y + needed[i]->h, l->bars_y + l->bars_h, 0.01);
        if (conflicts > 0) {
            assert_true(k < bad);
            assert_float_equal(added[k]->x, needed[i]->x, 0.01);
            assert_float_equal(added[k]->h, conflicts * one, 0.01);
            assert_float_equal(added[k]->y + added[k]->h, needed[i]->y, 0.01);
            k++;
        }
        assert_true(i + 1 < bars || k == bad);
    }
    drawing_free(&drawing);
    close_view(&view, index);
    trace_free(&trace);
}

/* In the midst of a step, a race has its passes so far; conflicts are those beyond the passes that would do. */
static void test_race_in_a_step(void **unused)
{
    (void)unused;
    struct shown s;
    show_merges(&s);
    assert_true(view_race(&s.view, true));
    for (int pass = 0; pass < 10; pass++) { /* two steps of five passes; one would do */
        char said[80];
        snprintf(said, sizeof said, "passes %d of 25,  conflicts %d of 20", pass + 1,
                 pass < 5 ? pass : 4 + pass - 5);
        assert_true(scene_draw(&s.view, 1200, 700, &s.drawing));
        if (!has_text(&s.drawing, said))
            fail_msg("pass %d: not '%s'", pass, said);
        view_step(&s.view, 1);
    }
    hide(&s);
}

/* ---- the whole run ---- */

/* Two warps; stage "write" has one step, "read" has three, of which the last is the second warp's. */
static const struct lanes run[] = {
    {0, 0, 0, 0, OP_STORE, 4, 3, {0, 1, 2}, {0, 12, 24}, NULL},
    {0, 0, 0, 1, OP_STORE, 4, 2, {0, 1}, {1, 13}, NULL},
    {1, 0, 0, 0, OP_LOAD, 4, 2, {0, 1}, {0, 1}, NULL},
    {1, 1, 0, 1, OP_LOAD, 4, 4, {0, 1, 2, 3}, {0, 12, 24, 36}, NULL},
    {1, 2, 0, 1, OP_LOAD, 4, 1, {0}, {5}, NULL},
};

static void test_whole_run(void **unused)
{
    (void)unused;
    struct shown s;
    struct error error = {{0}};
    static const int place[4][2] = {{0, 0}, {1, 0}, {1, 1}, {1, 2}};
    static const size_t access[2][4] = {{0, 2, NO_ACCESS, NO_ACCESS}, {1, NO_ACCESS, 3, 4}};
    static const int level[2][4] = {{3, 0, -1, -1},
                                    {2, -1, 4, 0}}; /* 2, 0; 1, 3, 0 of 3 conflicts */
    show(&s, 12, 12, 24, 72, 0, run, 5);
    struct overview *overview = &s.view.panel[0].overview;
    assert_int_equal(overview->steps, 4);
    assert_int_equal(overview_warps(overview), 2);
    for (int step = 0; step < 4; step++) {
        int stage, in_stage;
        overview_place(overview, (size_t)step, &stage, &in_stage);
        assert_int_equal(stage, place[step][0]);
        assert_int_equal(in_stage, place[step][1]);
        assert_int_equal(overview_step(overview, stage, in_stage), step);
    }
    assert_int_equal(overview->bad, 2); /* steps with conflicts; both, for four fifths of them */
    assert_int_equal(overview->most, 2);
    assert_int_equal(overview->worst[0], 0);
    assert_int_equal(overview->worst[1], 2);
    assert_true(overview_bins(overview, 4, 2, &error));
    for (int row = 0; row < 2; row++)
        for (int column = 0; column < 4; column++) {
            assert_int_equal(overview_access(overview, column, row), access[row][column]);
            assert_int_equal(overview_level(overview, 3, column, row), level[row][column]);
        }
    overview->from = 1, overview->to = 3; /* a part of it: steps 1 and 2, half of a column each */
    assert_true(overview_bins(overview, 2, 2, &error));
    for (int row = 0; row < 2; row++)
        for (int column = 0; column < 2; column++)
            assert_int_equal(overview_access(overview, column, row), access[row][column + 1]);
    assert_int_equal(overview_worst_access(overview, 0), 0);
    assert_int_equal(overview_worst_access(overview, 2), 3);
    char text[200];
    why_access(&s.index[0], 3, text, sizeof text);
    assert_string_equal(text, "read, round 1, warp 1: 4 passes, 3 conflicts");
    s.trace[0].header.blocks = 2; /* of several, the block is said */
    why_access(&s.index[0], 3, text, sizeof text);
    assert_string_equal(text, "read, round 1, block 0, warp 1: 4 passes, 3 conflicts");
    hide(&s);

    /* Of 1 and 4 conflicts, the 4 are four fifths. */
    static const struct lanes uneven[] = {
        {0, 0, 0, 0, OP_STORE, 4, 2, {0, 1}, {0, 12}, NULL},
        {0, 1, 0, 0, OP_STORE, 4, 5, {0, 1, 2, 3, 4}, {0, 12, 24, 36, 48}, NULL},
    };
    show(&s, 12, 12, 12, 72, 0, uneven, 2);
    overview = &s.view.panel[0].overview;
    assert_int_equal(overview->bad, 2);
    assert_int_equal(overview->worst[0], 1);
    assert_int_equal(overview->most, 1);
    hide(&s);
}

/* In the strip, neighbours of one level are one box, row by row. */
static void test_boxes_of_the_whole_run(void **unused)
{
    (void)unused;
    enum { STEPS = 4, WARPS = 2 };
    static const int level[WARPS][STEPS] = {{0, 0, 4, 4}, {4, 1, 1, 0}}; /* that is, conflicts */
    static const int box[][4] = {
        {0, 0, 2, 0}, {0, 2, 4, 4}, {1, 0, 1, 4}, {1, 1, 3, 1}, {1, 3, 4, 0}};
    struct lanes list[WARPS * STEPS];
    struct shown s;
    for (int i = 0; i < WARPS * STEPS; i++) {
        list[i] =
            (struct lanes){0, i / WARPS, 0, i % WARPS, OP_STORE, 4, 5, {0, 1, 2, 3, 4}, {0}, NULL};
        for (int k = 0; k < 5; k++) /* in bank 0, or in one of its own */
            list[i].word[k] = (uint32_t)(k <= level[i % WARPS][i / WARPS] ? 12 * k : k);
    }
    show(&s, 12, 12, 24, 72, 0, list, WARPS * STEPS);
    assert_true(scene_draw(&s.view, 800, 900, &s.drawing));
    const struct panel_layout *l = &s.view.panel[0].layout;
    size_t boxes = 0;
    for (size_t i = 0; i < s.drawing.count; i++) {
        const struct drawing_item *item = &s.drawing.item[i];
        if (item->shape != SHAPE_BOX || item->role < ROLE_HEAT || item->role > ROLE_HEAT + 4 ||
            (double)item->y < l->over_y || (double)item->y >= l->over_y + l->over_h)
            continue;
        assert_true(boxes < sizeof box / sizeof *box);
        const double wide = l->over_w / STEPS, high = l->over_h / WARPS;
        assert_float_equal((double)item->y, l->over_y + box[boxes][0] * high, 0.01);
        assert_float_equal((double)item->x, l->over_x + box[boxes][1] * wide, 0.01);
        assert_float_equal((double)item->w, (box[boxes][2] - box[boxes][1]) * wide, 0.01);
        assert_float_equal((double)item->h, high, 0.01);
        assert_int_equal(item->role, ROLE_HEAT + box[boxes][3]);
        boxes++;
    }
    assert_int_equal(boxes, sizeof box / sizeof *box);
    hide(&s);
}

/* A stage's name stands where it begins in the strip of the whole run, if there is room for it, and a line where it
 * begins after another one. A frame is about the step that is shown. */
static void test_stage_names(void **unused)
{
    (void)unused;
    static const struct lanes rounds[] = {
        {0, 0, 0, 0, OP_STORE, 4, 1, {0}, {0}, NULL}, {0, 1, 0, 0, OP_STORE, 4, 1, {0}, {0}, NULL},
        {0, 2, 0, 0, OP_STORE, 4, 1, {0}, {0}, NULL}, {1, 0, 0, 0, OP_LOAD, 4, 1, {0}, {0}, NULL},
        {2, 0, 0, 0, OP_LOAD, 4, 1, {0}, {0}, NULL},  {2, 1, 0, 0, OP_LOAD, 4, 1, {0}, {0}, NULL}};
    static const struct {
        double from, to, width;
        int name[3];  /* in which of the steps in sight; -1: in none */
        int lines[2]; /* 0: no more */
    } rows[] = {
        {0, 6, 600, {0, 3, 4}, {3, 4}}, {0, 6, 120, {0, -1, 4}, {3, 4}},
        {0, 6, 12, {-1, -1, -1}, {3}},  {1, 5, 600, {0, 2, 3}, {2, 3}},
        {3, 6, 600, {-1, 0, 1}, {1}},   {0, 4, 600, {0, 3, -1}, {3}},
    };
    static const char *const names[] = {"write", "read", "rest"};
    struct shown s;
    show(&s, 12, 12, 12, 72, 0, rounds, 6);
    struct view_panel *panel = &s.view.panel[0];
    assert_true(scene_draw(&s.view, 800, 700, &s.drawing));
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        const struct panel_layout *l = &panel->layout;
        const double step = rows[row].width / (rows[row].to - rows[row].from);
        int name[3] = {-1, -1, -1}, lines = 0, frames = 0;
        drawing_begin(&s.drawing, 800, 700);
        panel->layout.over_w = rows[row].width;
        panel->overview.from = rows[row].from, panel->overview.to = rows[row].to;
        scene_draw_overview(&s.view, panel, &panel->overview, &s.drawing);
        for (size_t i = 0; i < s.drawing.count; i++) {
            const struct drawing_item *item = &s.drawing.item[i];
            const double x = (double)item->x - l->over_x;
            if (item->shape == SHAPE_BOX && item->edge == ROLE_CURSOR) { /* step 0 is shown */
                assert_true(rows[row].from == 0);
                assert_float_equal(x, -1, 0.01);
                assert_float_equal(item->w, (step < 3 ? 3 : step) + 2, 0.01);
                assert_float_equal(item->y, l->over_y - 3, 0.01);
                assert_float_equal(item->h, l->over_h + 6, 0.01);
                frames++;
            }
            for (int stage = 0; stage < 3 && item->shape == SHAPE_TEXT; stage++)
                if (!strcmp(drawing_string(&s.drawing, item), names[stage])) {
                    assert_float_equal(item->y, l->over_y + l->over_h + 12, 0.01);
                    name[stage] = (int)((x - 2) / step + 0.01);
                    assert_float_equal(x - 2, name[stage] * step, 0.01);
                }
            if (item->shape == SHAPE_BOX && item->role == ROLE_INK) {
                assert_float_equal(x, rows[row].lines[lines++] * step, 0.01);
                assert_float_equal(item->y, l->over_y - 2, 0.01);
                assert_float_equal(item->h, l->over_h + 4, 0.01);
            }
        }
        assert_memory_equal(name, rows[row].name, sizeof name);
        assert_int_equal(lines, (rows[row].lines[0] > 0) + (rows[row].lines[1] > 0));
        assert_int_equal(frames, rows[row].from == 0);
    }
    hide(&s);
}

/* ---- what lies under the pointer ---- */

static int kind_at(const struct view *view, double x, double y)
{
    return view_hit(view, x, y).kind;
}

/* However narrow a panel is, it has all of its columns, as wide as it has room for: behind them are degrees. */
static void test_narrow_panels(void **unused)
{
    (void)unused;
    struct shown s;
    show(&s, 12, 12, 24, 72, 0, run, 5);
    const struct panel_layout *l = &s.view.panel[0].layout;
    const double banks = text_width("88:", 11, FACE_PLAIN) + 8, degrees = 26;
    for (int width = 160; width < 400; width += 30) {
        assert_true(scene_draw(&s.view, width, 900, &s.drawing));
        assert_int_equal(l->columns, 6);
        const double left = l->w - banks - degrees - 6 * l->cell_w;
        if (left < 0 || left >= 6)
            fail_msg("width %d: %g are left", width, left);
    }
    hide(&s);
}

/* What begins at an edge is hit there, and what ends at it is not. */
static void test_edges(void **unused)
{
    (void)unused;
    struct shown s;
    show(&s, 12, 12, 24, 70, 0, run, 5); /* two words less than six columns have */
    assert_true(scene_draw(&s.view, 800, 700, &s.drawing));
    const struct panel_layout *l = &s.view.panel[0].layout;
    const double right = l->cells_x + 6 * l->cell_w, bottom = l->cells_y + 12 * l->cell_h;
    for (uint32_t word = 0; word < 72; word++) {
        double x, y;
        cell_middle(&s.view, 0, word, &x, &y);
        const struct hit hit = view_hit(&s.view, x, y);
        assert_int_equal(hit.kind == HIT_CELL, word < 70);
        if (word < 70)
            assert_int_equal(hit.word, word);
    }
    for (int row = 0; row < 12; row++) {
        const double y = l->cells_y + (row + 0.5) * l->cell_h;
        assert_int_not_equal(kind_at(&s.view, right + 1, y), HIT_CELL);
        assert_int_equal(kind_at(&s.view, l->cells_x - 3, y), HIT_BANK);
        assert_int_equal(view_hit(&s.view, l->cells_x - 3, y).bank, row);
    }
    for (int column = 0; column < 6; column++) {
        const double x = l->cells_x + (column + 0.5) * l->cell_w;
        assert_int_equal(kind_at(&s.view, x, l->cells_y + 1), HIT_CELL);
        assert_int_not_equal(kind_at(&s.view, x, l->cells_y - 1), HIT_CELL);
        assert_int_not_equal(kind_at(&s.view, x, bottom + 1), HIT_CELL);
    }
    const double bars_right = l->bars_x + l->bars_w, bars_bottom = l->bars_y + l->bars_h;
    assert_int_equal(kind_at(&s.view, l->bars_x, l->bars_y), HIT_TIMELINE);
    assert_int_equal(kind_at(&s.view, bars_right - 0.5, bars_bottom - 0.5), HIT_TIMELINE);
    assert_int_not_equal(kind_at(&s.view, l->bars_x - 0.5, l->bars_y), HIT_TIMELINE);
    assert_int_not_equal(kind_at(&s.view, l->bars_x, l->bars_y - 0.5), HIT_TIMELINE);
    assert_int_not_equal(kind_at(&s.view, bars_right, l->bars_y), HIT_TIMELINE);
    assert_int_not_equal(kind_at(&s.view, l->bars_x, bars_bottom), HIT_TIMELINE);
    const double over_right = l->over_x + l->over_w, over_bottom = l->over_y + l->over_h;
    assert_int_equal(kind_at(&s.view, l->over_x, l->over_y), HIT_OVERVIEW);
    assert_int_equal(kind_at(&s.view, over_right - 0.5, over_bottom - 0.5), HIT_OVERVIEW);
    assert_int_not_equal(kind_at(&s.view, l->over_x - 0.5, l->over_y), HIT_OVERVIEW);
    assert_int_not_equal(kind_at(&s.view, l->over_x, l->over_y - 0.5), HIT_OVERVIEW);
    assert_int_not_equal(kind_at(&s.view, over_right, l->over_y), HIT_OVERVIEW);
    assert_int_not_equal(kind_at(&s.view, l->over_x, over_bottom), HIT_OVERVIEW);
    assert_int_not_equal(kind_at(&s.view, l->cells_x - 3, bottom + 1), HIT_BANK);
    assert_int_not_equal(kind_at(&s.view, l->cells_x - 3, l->cells_y - 1), HIT_BANK);
    hide(&s);
}

/* The smaller edge of a cell grows to 96 points, and nothing becomes smaller than all of it. */
static void test_zoom_has_ends(void **unused)
{
    (void)unused;
    for (int words = 72; words <= 2160; words *= 30) { /* wide cells, then high ones */
        struct trace trace;
        struct trace_index index[1];
        struct view view;
        struct drawing drawing = {0};
        make(&trace, 12, 12, 24, words, 0, run, 5);
        open_view(&view, index, &trace, NULL);
        view.unfolded = true;
        const struct panel_layout *l = &view.panel[0].layout;
        assert_false(view_zoom(&view, 2, 0, 0)); /* before anything has a size */
        assert_true(scene_draw(&view, 800, 700, &drawing));
        assert_false(view_pan(&view, -100, -100)); /* everything is in sight */
        assert_int_equal(l->cell_w > l->cell_h, words == 72);
        assert_false(view_zoom(&view, 0.5, l->cells_x, l->cells_y));
        for (int i = 0; i < 3; i++) { /* from the second time on, from whole points */
            view_zoom(&view, 1000, l->cells_x, l->cells_y);
            assert_true(scene_draw(&view, 800, 700, &drawing));
        }
        assert_float_equal(fmin(l->cell_w, l->cell_h), 96, 0.01);
        assert_true(view_zoom(&view, 0.5, l->cells_x + l->cells_w, l->cells_y + l->cells_h));
        assert_true(view.zoom > 1 && view.pan_column + view.pan_row != 0);
        assert_true(view_zoom(&view, 0.001, l->cells_x, l->cells_y));
        assert_true(view.zoom == 1 && view.pan_column == 0 && view.pan_row == 0);
        drawing_free(&drawing);
        close_view(&view, index);
        trace_free(&trace);
    }
}

/* What is under the mouse stays there, from a part of the cells, too; beside them, their nearest edge does. */
static void test_zoom_has_a_middle(void **unused)
{
    (void)unused;
    static const struct {
        double x, y; /* 0: the first edge of what is in sight, 1: the last one */
        double stays_x, stays_y;
    } rows[] = {{0.3, 0.7, 0.3, 0.7}, {0.8, 0.2, 0.8, 0.2}, {-0.1, 0.5, 0, 0.5},
                {1.1, 0.5, 1, 0.5},   {0.5, -0.1, 0.5, 0},  {0.5, 1.1, 0.5, 1}};
    struct shown s;
    show(&s, 32, 12, 24, 1920, 0, run, 5);
    const struct panel_layout *l = &s.view.panel[0].layout;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        view_zoom_reset(&s.view);
        assert_true(scene_draw(&s.view, 800, 700, &s.drawing));
        assert_true(
            view_zoom(&s.view, 4, l->cells_x + l->cells_w / 2, l->cells_y + l->cells_h / 2));
        assert_true(scene_draw(&s.view, 800, 700, &s.drawing));
        assert_true(l->first_column > 0 && l->first_row > 0);
        const double column = rows[i].stays_x * l->columns, row = rows[i].stays_y * l->rows;
        const double stays_column = l->first_column + column, stays_row = l->first_row + row;
        assert_true(view_zoom(&s.view, 1.25, l->cells_x + rows[i].x * l->columns * l->cell_w,
                              l->cells_y + rows[i].y * l->rows * l->cell_h));
        assert_float_equal(s.view.pan_column + column / 1.25, stays_column, 0.01);
        assert_float_equal(s.view.pan_row + row / 1.25, stays_row, 0.01);
    }
    hide(&s);
}

/* Of two panels, that to which keys go has a mark beside its title. */
static void test_active_panel(void **unused)
{
    (void)unused;
    struct trace trace[2];
    struct trace_index index[2];
    struct view view;
    struct drawing drawing = {0};
    make(&trace[0], 12, 12, 24, 72, 0, run, 5);
    make(&trace[1], 12, 12, 24, 72, 0, run, 5);
    open_view(&view, index, &trace[0], &trace[1]);
    for (int active = 0; active < 2; active++) {
        int marks = 0;
        view.active = active;
        assert_true(scene_draw(&view, 1200, 700, &drawing));
        const struct panel_layout *l = &view.panel[active].layout;
        for (size_t i = 0; i < drawing.count; i++) {
            const struct drawing_item *item = &drawing.item[i];
            if (item->shape != SHAPE_BOX || item->role != ROLE_CURSOR)
                continue;
            assert_float_equal(item->x, l->x - 8, 0.01);
            assert_float_equal(item->y, l->y + 2, 0.01);
            marks++;
        }
        assert_int_equal(marks, 1);
    }
    drawing_free(&drawing);
    close_view(&view, index);
    trace_free(&trace[0]);
    trace_free(&trace[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_averaged_bars), cmocka_unit_test(test_race_in_a_step),
        cmocka_unit_test(test_whole_run),     cmocka_unit_test(test_boxes_of_the_whole_run),
        cmocka_unit_test(test_stage_names),   cmocka_unit_test(test_edges),
        cmocka_unit_test(test_narrow_panels), cmocka_unit_test(test_active_panel),
        cmocka_unit_test(test_zoom_has_ends), cmocka_unit_test(test_zoom_has_a_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
