/* test_scene.c - the picture says what the trace says: cells, steps, race, reasons, at any size. */
#define _GNU_SOURCE /* open_memstream */
#include "tests/support/hand_made.h"

#include <math.h>

/* The example of the manual: three words of bank 7, and a word that two threads share. */
static const struct lanes example[] = {
    {0, 0, 0, 0, OP_STORE, 4, 3, {0, 1, 2}, {0, 1, 2}, NULL},
    {1, 0, 0, 0, OP_LOAD, 4, 4, {0, 3, 8, 11}, {2, 43, 55, 67}, "AABB"},
    {1, 2, 0, 0, OP_LOAD, 4, 3, {4, 5, 6}, {24, 24, 25}, NULL},
    {1, 2, 1, 0, OP_LOAD, 4, 1, {7}, {26}, NULL},
};

static void expect_why(const struct view *view, uint32_t word, const char *expected)
{
    double x, y;
    char line[600];
    cell_middle(view, 0, word, &x, &y);
    struct hit hit = view_hit(view, x, y);
    assert_int_equal(hit.kind, HIT_CELL);
    assert_int_equal(hit.word, word);
    view_why(view, &hit, line, sizeof line);
    assert_string_equal(line, expected);
}

/* ---- the tests ---- */

static void test_steps(void **unused)
{
    (void)unused;
    struct shown s;
    show(&s, 12, 12, 12, 72, 0, example, 4);
    assert_int_equal(trace_index_steps(&s.index[0], 0), 1);
    assert_int_equal(trace_index_steps(&s.index[0], 1), 3);
    assert_int_equal(trace_index_steps(&s.index[0], 2), 0);
    assert_int_equal(trace_index_find(&s.index[0], 1, 1, 5), 0);
    assert_int_equal(trace_index_find(&s.index[0], 1, 2, 0), 1);
    assert_int_equal(trace_index_worst_stage(&s.index[0]), 1);

    /* Rounds are stepped as they are: 0, 2 slot 0, 2 slot 1; then there is no more. */
    static const int places[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {1, 2, 1}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(s.view.panel[0].stage, places[i][0]);
        assert_int_equal(s.view.at.round, places[i][1]);
        assert_int_equal(s.view.at.slot, places[i][2]);
        assert_int_equal(view_step(&s.view, 1), i < 3);
    }
    for (int i = 2; i >= 0; i--) {
        assert_true(view_step(&s.view, -1));
        assert_int_equal(s.view.panel[0].stage, places[i][0]);
        assert_int_equal(s.view.at.round, places[i][1]);
    }
    assert_false(view_step(&s.view, -1));
    assert_true(view_go(&s.view, 1, 2, 0));
    assert_true(view_home(&s.view)); /* of the stage, then of the trace */
    assert_int_equal(s.view.panel[0].stage, 1);
    assert_true(view_home(&s.view));
    assert_int_equal(s.view.panel[0].stage, 0);
    assert_false(view_home(&s.view));
    assert_true(view_go(&s.view, 1, 0, 0) && view_end(&s.view)); /* so do ends */
    assert_int_equal(s.view.panel[0].stage, 1);
    assert_int_equal(s.view.at.round, 2);
    assert_int_equal(s.view.at.slot, 1);
    assert_true(view_end(&s.view));
    assert_int_equal(s.view.panel[0].stage, 2);
    assert_false(view_end(&s.view));
    hide(&s);

    show(&s, 12, 12, 12, 72, 0, example + 1, 3); /* nothing is in stage 0: there is no way back */
    view_go(&s.view, 1, 0, 0);
    assert_false(view_step(&s.view, -1));
    assert_int_equal(s.view.panel[0].stage, 1);
    hide(&s);

    show(&s, 12, 12, 12, 72, 0, example + 2,
         2); /* a stage begins with the first round that it has */
    assert_true(view_go(&s.view, 1, 2, 1) && view_home(&s.view));
    assert_int_equal(s.view.at.round, 2);
    assert_int_equal(s.view.at.slot, 0);
    hide(&s);
}

static void test_reasons(void **unused)
{
    (void)unused;
    struct shown s;
    show(&s, 12, 12, 12, 72, 0, example, 4);
    view_stage(&s.view, 1);
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    expect_why(&s.view, 43,
               "word 43, list A, value 101: read by thread 3 in round 0.  bank 7: words 43, 55, 67 "
               "for threads 3, 8, 11: three passes");
    expect_why(&s.view, 2,
               "word 2, list A, value 100: read by thread 0 in round 0.  bank 2: word 2 for thread "
               "0: one pass");
    expect_why(&s.view, 71, "word 71, bank 11: not used in this stage");
    expect_why(&s.view, 26, "word 26, value 100: read by thread 7 in round 2, slot 1");
    view_go(&s.view, 1, 2, 0);
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    expect_why(&s.view, 24,
               "word 24, value 100: read by thread 4 and 1 more in round 2.  bank 0: word 24 "
               "(thread 4 and 1 more share it): one pass");
    double x, y;
    char line[600];
    cell_middle(&s.view, 0, 43, &x, &y);
    struct hit bank = view_hit(&s.view, s.view.panel[0].layout.cells_x - 3, y);
    assert_int_equal(bank.kind, HIT_BANK);
    view_why(&s.view, &bank, line, sizeof line);
    assert_string_equal(line, "bank 7: not accessed in this round");

    /* The timeline's three bars; a click goes there. */
    const struct panel_layout *l = &s.view.panel[0].layout;
    struct hit bar = view_hit(&s.view, l->bars_x + l->bars_w * 0.1, l->bars_y + 5);
    assert_int_equal(bar.kind, HIT_TIMELINE);
    assert_int_equal(bar.step, 0);
    view_why(&s.view, &bar, line, sizeof line);
    assert_string_equal(line, "round 0: 3 passes, 2 conflicts; 3 passes by its end");
    assert_true(view_click(&s.view, &bar));
    assert_int_equal(s.view.at.round, 0);
    assert_int_equal(view_hit(&s.view, -5, 5).kind, HIT_NOTHING);
    assert_int_equal(view_hit(&s.view, NAN, NAN).kind, HIT_NOTHING);
    /* A panel has its first points, and not those behind its last; of nothing, there is nothing to say. */
    static const struct {
        double right, down;
        bool inside;
    } corners[] = {{0, 0, true}, {1, 0, false}, {0, 1, false}, {0.999, 0.999, true}};
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
        const struct hit at =
            view_hit(&s.view, l->x + corners[i].right * l->w, l->y + corners[i].down * l->h);
        assert_int_equal(at.kind != HIT_NOTHING, corners[i].inside);
        view_why(&s.view, &at, line, sizeof line);
        assert_string_equal(line, "");
    }
    hide(&s);
}

/* Each cell of a panel last drawn is filled as its word is: by the last box about its middle. */
static void expect_fills(const struct shown *s)
{
    const struct view_panel *panel = &s->view.panel[0];
    struct accessed accessed = {0};
    struct error error = {{0}};
    assert_true(
        accessed_take(&accessed, &panel->map, panel->step, panel->step + 1, PAINT_ROUND, &error));
    const struct matrix matrix = {
        .map = &panel->map, .accessed = &accessed, .step = panel->step, .paint = PAINT_ROUND};
    for (uint32_t word = 0; word < (uint32_t)panel->index->words; word++) {
        enum role fill = ROLE_NONE;
        double x, y;
        cell_middle(&s->view, 0, word, &x, &y);
        for (size_t i = 0; i < s->drawing.count; i++) {
            const struct drawing_item *item = &s->drawing.item[i];
            if (item->shape == SHAPE_BOX && item->role != ROLE_NONE && x > item->x &&
                x < item->x + item->w && y > item->y && y < item->y + item->h)
                fill = (enum role)item->role;
        }
        assert_int_equal(fill, matrix_cell(&matrix, word).fill);
    }
    accessed_free(&accessed);
}

static void test_cells(void **unused)
{
    (void)unused;
    struct shown s;
    show(&s, 12, 12, 12, 72, 0, example, 4);
    view_go(&s.view, 1, 0, 0);
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    /* Three cells conflict: each has a thick edge, so that colour is not all that tells. The
     * hovered nothing leaves the legend, which shows one more of each. */
    assert_int_equal(count_items(&s.drawing, SHAPE_BOX, ROLE_BAD), 3 + 1);
    expect_fills(&s);
    for (size_t i = 0; i < s.drawing.count; i++)
        if (s.drawing.item[i].role == ROLE_BAD && s.drawing.item[i].edge != ROLE_NONE) {
            assert_int_equal(s.drawing.item[i].edge, ROLE_BAD_EDGE);
            assert_true(s.drawing.item[i].thick >= 1.3);
        }
    assert_int_equal(count_items(&s.drawing, SHAPE_TEXT, ROLE_BAD_INK), 3);
    assert_int_equal(count_items(&s.drawing, SHAPE_TEXT, ROLE_GOOD_INK), 1);
    assert_true(has_text(&s.drawing, "round 0, warp 0: 4 lanes, 3 passes, 2 conflicts"));
    assert_true(has_text(&s.drawing, "passes 3 of 5,  conflicts 2 of 2"));
    s.view.label = LABEL_ADDRESS;
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    assert_true(has_text(&s.drawing, "71")); /* addresses name unused words too */
    s.view.label = LABEL_VALUE;
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    assert_true(has_text(&s.drawing, "103") && !has_text(&s.drawing, "71"));
    hide(&s);
}

/* The strip of the whole run has a column for each step, one bar of the stage is marked: where one is. */
static void test_strips(void **unused)
{
    (void)unused;
    struct shown s;
    struct error error = {{0}};
    static const int levels[] = {0, 4, 0, 0}; /* as many conflicts as there may be are level 4 */
    show(&s, 12, 12, 12, 72, 0, example, 4);
    struct overview *overview = &s.view.panel[0].overview;
    assert_true(overview_bins(overview, 4, 1, &error));
    for (int i = 0; i < 4; i++)
        assert_int_equal(overview_level(overview, 2, i, 0), levels[i]);
    assert_true(overview_bins(overview, 2, 1, &error)); /* of two steps the worse */
    assert_int_equal(overview_level(overview, 2, 0, 0), 4);
    assert_int_equal(overview_level(overview, 2, 1, 0), 0);
    assert_true(view_go(&s.view, 1, 0, 0));
    double last = 0;
    for (int step = 0; step < 3; step++) {
        assert_true(scene_draw(&s.view, 800, 900, &s.drawing));
        assert_true(has_text(&s.drawing, "the whole run: 2 conflicts in 1 of 4 steps"));
        const struct panel_layout *l = &s.view.panel[0].layout;
        int marked = 0;
        for (size_t i = 0; i < s.drawing.count; i++) {
            const struct drawing_item *item = &s.drawing.item[i];
            if (item->edge != ROLE_CURSOR || (double)item->y < l->bars_y - 5 ||
                (double)item->y > l->bars_y + l->bars_h)
                continue;
            assert_true((double)item->x > last);
            last = (double)item->x;
            marked++;
        }
        assert_int_equal(marked, 1);
        assert_int_equal(view_step(&s.view, 1), step < 2);
    }
    hide(&s);
}

/* Border before word 6 of 4 banks: down the left of column 1 from row 2, along, down to row 2. */
static void test_borders(void **unused)
{
    (void)unused;
    struct shown s;
    show(&s, 4, 4, 4, 12, 6, example, 1);
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    const struct panel_layout *l = &s.view.panel[0].layout;
    static const double expected[3][4] = {{1, 2, 0, 2}, {1, 2, 1, 0}, {2, 0, 0, 2}};
    int seen = 0;
    for (size_t i = 0; i < s.drawing.count; i++) {
        const struct drawing_item *item = &s.drawing.item[i];
        if (item->role != ROLE_BORDER)
            continue;
        assert_true(seen < 3 && item->dotted);
        assert_float_equal((item->x - l->cells_x) / l->cell_w, expected[seen][0], 1e-4);
        assert_float_equal((item->y - l->cells_y) / l->cell_h, expected[seen][1], 1e-4);
        assert_float_equal(item->w / l->cell_w, expected[seen][2], 1e-4);
        assert_float_equal(item->h / l->cell_h, expected[seen][3], 1e-4);
        seen++;
    }
    assert_int_equal(seen, 3);
    hide(&s);
}

static void test_race(void **unused)
{
    (void)unused;
    struct shown s;
    show_merges(&s);
    assert_string_equal(s.trace[1].header.stage[s.view.panel[1].stage], "gather");
    view_step(&s.view, 3);
    assert_int_equal(s.view.panel[0].step, 3); /* together by round */
    assert_int_equal(s.view.panel[1].step, 3);
    view_home(&s.view);
    assert_true(view_race(&s.view, true));
    assert_int_equal(view_passes(&s.view), 25);
    view_step(&s.view, 4);
    assert_int_equal(s.view.panel[0].step, 0); /* five passes: one round here, all five there */
    assert_int_equal(s.view.panel[1].step, 4);
    view_step(&s.view, 1);
    assert_int_equal(s.view.panel[0].step, 1);
    assert_int_equal(s.view.panel[1].step, 5);
    assert_true(scene_draw(&s.view, 1200, 700, &s.drawing));
    assert_true(has_text(&s.drawing, "merge (stage 3 of 4), round 1, warp 0: 12 lanes, 5"));
    assert_true(has_text(&s.drawing, "gather (stage 3 of 4), warp 0: finished"));
    assert_true(has_text(&s.drawing, "passes 6 of 25,  conflicts 4 of 20"));
    assert_true(view_race(&s.view, false));
    assert_int_equal(s.view.at.round, 1);
    hide(&s);
}

/* A block of 512 threads: colour only when the cells are small, text again after zooming. */
static void test_zoom(void **unused)
{
    (void)unused;
    struct trace trace;
    struct trace_index index[1];
    struct view view;
    struct drawing drawing = {0};
    record(&trace, "thrust-merge", "worst", "w=32 u=512 E=15");
    open_view(&view, index, &trace, NULL);
    view_go(&view, header_stage(&trace.header, "merge"), 2, 0);
    view_warp(&view, 9);
    assert_int_equal(view.panel[0].warp, 9);
    assert_true(scene_draw(&view, 1280, 720, &drawing));
    assert_int_equal(view.panel[0].layout.columns, 240);
    assert_int_equal(view.panel[0].layout.rows, 32);
    assert_int_equal(count_items(&drawing, SHAPE_TEXT, ROLE_BAD_INK), 0);
    assert_true(count_items(&drawing, SHAPE_BOX, ROLE_BAD) > 1);
    struct accessed accessed = {0};
    struct error error = {{0}};
    const struct view_panel *panel = &view.panel[0];
    /* Edges about the words of a followed thread leave something of cells so small. */
    assert_true(view_follow_thread(&view, 9 * 32));
    assert_true(scene_draw(&view, 1280, 720, &drawing));
    assert_true(panel->layout.cell_w < 3 * 3 && panel->layout.cell_w < panel->layout.cell_h);
    int edges = 0;
    for (size_t i = 0; i < drawing.count; i++) {
        const struct drawing_item *item = &drawing.item[i];
        if (item->edge != ROLE_CURSOR || item->w > 2 * panel->layout.cell_w ||
            item->h > 2 * panel->layout.cell_h)
            continue;
        assert_true(item->thick > 1 && item->thick < 0.34 * panel->layout.cell_w);
        edges++;
    }
    assert_int_equal(edges, 15); /* it reads as many words */
    view.followed = 0;
    assert_true(
        accessed_take(&accessed, &panel->map, panel->step, panel->step + 1, PAINT_ROUND, &error));
    double x, y;
    cell_middle(&view, 0, accessed.word[0].word, &x, &y);
    assert_true(view_zoom(&view, 8, x, y));
    assert_true(scene_draw(&view, 1280, 720, &drawing));
    struct hit hit = view_hit(&view, x, y);
    assert_int_equal(hit.kind, HIT_CELL); /* the cell under the mouse stays there */
    assert_int_equal(hit.column, (int)accessed.word[0].word / 32);
    assert_true(panel->layout.columns < 40);
    assert_true(count_items(&drawing, SHAPE_TEXT, ROLE_BAD_INK) +
                    count_items(&drawing, SHAPE_TEXT, ROLE_GOOD_INK) >
                0);
    int before = panel->layout.first_column;
    assert_true(view_pan(&view, -5 * panel->layout.cell_w, 0));
    assert_true(scene_draw(&view, 1280, 720, &drawing));
    assert_int_equal(panel->layout.first_column, before + 5);
    for (int i = 0; i < 40; i++)
        view_pan(&view, -1000, -1000);
    assert_true(scene_draw(&view, 1280, 720, &drawing));
    assert_int_equal(panel->layout.first_column + panel->layout.columns, 240);
    /* Far from the first cell, the edge is still about the cell under the mouse. */
    assert_true(panel->layout.first_row > 0);
    for (int at = 0; at < 2; at++) { /* in the first column and row in sight, or the second ones */
        x = panel->layout.cells_x + (at + 0.5) * panel->layout.cell_w;
        y = panel->layout.cells_y + (at + 0.5) * panel->layout.cell_h;
        assert_true(view_hover(&view, x, y));
        assert_true(scene_draw(&view, 1280, 720, &drawing));
        int about = 0;
        for (size_t i = 0; i < drawing.count; i++) {
            const struct drawing_item *item = &drawing.item[i];
            about += item->shape == SHAPE_BOX && item->edge == ROLE_CURSOR && item->thick == 2 &&
                     x - item->x > 0 && x - item->x < item->w && y - item->y > 0 &&
                     y - item->y < item->h && item->w < panel->layout.cell_w + 4;
        }
        assert_int_equal(about, 1);
    }
    /* The pointer stays where it was while the picture moves on: about cells out of sight there is no edge. */
    const struct hit pointed = view.hover;
    const int beside[][2] = {{-1, 0}, {panel->layout.columns, 0}, {0, -1}, {0, panel->layout.rows}};
    for (size_t k = 0; k < sizeof beside / sizeof *beside; k++) {
        view.hover.column = panel->layout.first_column + beside[k][0];
        view.hover.bank = panel->layout.first_row + beside[k][1];
        assert_true(scene_draw(&view, 1280, 720, &drawing));
        for (size_t i = 0; i < drawing.count; i++)
            if (drawing.item[i].edge == ROLE_CURSOR && drawing.item[i].thick == 2)
                assert_true(fabs(drawing.item[i].w - panel->layout.cell_w - 3) > 0.1);
    }
    view.hover = pointed;
    assert_true(view_zoom_reset(&view));
    assert_false(view_zoom_reset(&view));
    accessed_free(&accessed);
    drawing_free(&drawing);
    close_view(&view, index);
    trace_free(&trace);
}

/* Every picture stays on its page and names numbers, at any size of window and machine. */
/* A wide access says which lanes are served together, what each group wants of a bank, and the sum. */
static void test_groups(void **unused)
{
    (void)unused;
    static const struct lanes wide[] = {
        /* 16 bytes: lanes 0 and 1 in one group want words 0-3 and 32-35, lane 8 words 4-7 */
        {0, 0, 0, 0, OP_STORE, 16, 3, {0, 1, 8}, {0, 8, 1}, NULL},
        {1, 0, 0, 0, OP_COMPARE_AND_SWAP, 8, 2, {0, 16}, {0, 1}, NULL},
    };
    struct shown s;
    double x, y;
    char line[600];
    show(&s, 32, 32, 32, 64, 0, wide, 2);
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    assert_true(has_text(&s.drawing, "3 lanes in 2 groups, 3 passes, 1 conflict"));
    cell_middle(&s.view, 0, 0, &x, &y);
    struct hit bank = view_hit(&s.view, s.view.panel[0].layout.cells_x - 3, y);
    view_why(&s.view, &bank, line, sizeof line);
    assert_string_equal(line, "bank 0: words 0, 32 for threads 0, 1: lanes are served in groups: "
                              "0-7 want 2 of its words, 8-15 0; passes 2 + 1 = 3");
    /* Who is served with lane 0 has an edge, too: 8 words and the cell itself. */
    assert_true(view_hover(&s.view, x, y));
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    int edges = 0;
    for (size_t i = 0; i < s.drawing.count; i++)
        edges += s.drawing.item[i].shape == SHAPE_BOX && s.drawing.item[i].edge == ROLE_CURSOR &&
                 s.drawing.item[i].role == ROLE_NONE && s.drawing.item[i].thick == 1.5;
    assert_int_equal(edges, 8);
    assert_true(view_go(&s.view, 1, 0, 0));
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    bank = view_hit(&s.view, s.view.panel[0].layout.cells_x - 3, y);
    view_why(&s.view, &bank, line, sizeof line);
    assert_string_equal(line, "bank 0: word 0 for thread 0: lanes are served in groups: "
                              "0-15 want 1 of its words, 16-31 0; passes 1 + 1, each twice: 4");
    s.view.hover = bank; /* where it is too long for a line, it has two */
    assert_true(scene_draw(&s.view, 400, 600, &s.drawing));
    assert_false(has_text(&s.drawing, line));
    assert_true(has_text(&s.drawing, "16-31 0; passes 1 + 1, each twice: 4"));
    assert_false(drawing_flaws(&s.drawing).cut);
    hide(&s);
}

/* Where one of two panels has too many columns for its half of the window, both are folded. */
static void test_fold_alike(void **unused)
{
    (void)unused;
    enum { BANKS = 32, FEWER = 100, MORE = 130 };
    static const struct lanes steps[] = {
        {0, 0, 0, 0, OP_LOAD, 4, 2, {0, 1}, {BANKS, 40 * BANKS}, NULL}};
    struct trace trace[2];
    struct trace_index index[2];
    struct view view;
    struct drawing drawing = {0};
    make(&trace[0], BANKS, 32, 32, BANKS * FEWER, 0, steps, 1);
    make(&trace[1], BANKS, 32, 32, BANKS * MORE, 0, steps, 1);
    open_view(&view, index, &trace[0], NULL);
    assert_true(scene_draw(&view, 640, 720, &drawing));
    assert_int_equal(view.panel[0].fold.level, FOLD_NONE); /* alone it is not */
    drawing_free(&drawing);
    drawing = (struct drawing){0};
    close_view(&view, index);
    for (int first = 0; first < 2; first++) {
        open_view(&view, index, &trace[first], &trace[1 - first]);
        assert_true(scene_draw(&view, 1280, 720, &drawing));
        for (int p = 0; p < 2; p++) {
            assert_int_equal(view.panel[p].fold.level, FOLD_STAGE);
            assert_int_equal(view.panel[p].layout.columns, 2);
            assert_true(view.panel[p].layout.map_h > 0);
        }
        assert_true(view.panel[0].layout.cell_w == view.panel[1].layout.cell_w);
        drawing_free(&drawing);
        drawing = (struct drawing){0};
        close_view(&view, index);
    }
    trace_free(&trace[0]);
    trace_free(&trace[1]);
}

/* Of 512 columns those are drawn that the stage uses, the warp, or the step, whichever are few enough. */
static void test_fold(void **unused)
{
    (void)unused;
    enum { BANKS = 32, COLUMNS = 512, WARPS = 2 };
    static struct lanes steps[2 + WARPS * COLUMNS + COLUMNS / 4];
    int count = 0;
    for (int s = 0; s < 2; s++) /* stage 0: columns 5, 397, 400 */
        steps[count++] = (struct lanes){
            0,   s, 0, 0, OP_LOAD, 4, 3, {0, 1, 2}, {5 * BANKS, 397 * BANKS + 1, 400 * BANKS + 2},
            NULL};
    for (int s = 0; s < COLUMNS; s++) /* stage 1: warp 0 all columns, warp 1 column 7 */
        for (int w = 0; w < WARPS; w++)
            steps[count++] =
                (struct lanes){1, s, 0, w, OP_LOAD, 4, 1, {0}, {w ? 7 * BANKS : s * BANKS}, NULL};
    for (int s = 0; s < COLUMNS / 4; s++) { /* stage 2: four neighbours in each step */
        uint32_t word = (uint32_t)(4 * s * BANKS);
        steps[count++] = (struct lanes){2,
                                        s,
                                        0,
                                        0,
                                        OP_LOAD,
                                        4,
                                        4,
                                        {0, 1, 2, 3},
                                        {word, word + BANKS, word + 2 * BANKS, word + 3 * BANKS},
                                        NULL};
    }
    struct shown s;
    show(&s, BANKS, 32, 32 * WARPS, BANKS * COLUMNS, 0, steps, count);
    struct view_panel *panel = &s.view.panel[0];
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    assert_int_equal(panel->fold.level, FOLD_STAGE);
    assert_int_equal(panel->layout.columns, 3);
    assert_true(has_text(&s.drawing, "3 of 512 columns: those that the stage uses"));
    assert_int_equal(count_edges(&s.drawing, ROLE_GOOD_EDGE), 3);
    assert_true(panel->layout.cell_w >= 18);
    const struct panel_layout *l = &panel->layout;
    for (int place = 0; place < 3;
         place++) { /* each column beside the one before, though others lie between */
        static const char *const numbers[] = {"5", "397", "400"};
        int edges = 0, heads = 0;
        for (size_t i = 0; i < s.drawing.count; i++) {
            const struct drawing_item *item = &s.drawing.item[i];
            const double x = (double)item->x - l->cells_x - place * l->cell_w;
            edges += item->edge == ROLE_GOOD_EDGE && fabs(x) < 1 &&
                     fabs((double)item->y - l->cells_y - place * l->cell_h) < 1;
            heads += item->shape == SHAPE_TEXT && fabs(x - 1) < 0.1 &&
                     (double)item->y < l->cells_y && (double)item->y > l->cells_y - 6 &&
                     !strcmp(drawing_string(&s.drawing, item), numbers[place]);
        }
        assert_int_equal(edges, 1);
        assert_int_equal(heads, place < 2); /* with its number above, if there is room for it */
    }
    struct hit hit = view_hit(&s.view, l->cells_x + 2.5 * l->cell_w, l->cells_y + 2.5 * l->cell_h);
    assert_int_equal(hit.word, 400 * BANKS + 2);
    hit = view_hit(&s.view, l->map_x + l->map_w * 400.5 / COLUMNS, l->bars_y - 30);
    assert_int_equal(hit.kind, HIT_MAP);
    assert_int_equal(hit.column, 400);
    /* In the map a box for each run of columns that the stage uses, below it a bar for what is in sight. */
    const double wide = l->map_w / COLUMNS;
    int used = 0, bars = 0;
    for (size_t i = 0; i < s.drawing.count; i++) {
        static const int columns[] = {5, 397, 400};
        const struct drawing_item *item = &s.drawing.item[i];
        if (item->shape != SHAPE_BOX || item->y < l->map_y || item->y > l->map_y + l->map_h ||
            item->x < l->map_x - 1 || (item->role != ROLE_USED && item->role != ROLE_CURSOR))
            continue;
        int *const at = item->role == ROLE_USED ? &used : &bars;
        assert_true(*at < 3);
        assert_float_equal((double)item->x, l->map_x + columns[(*at)++] * wide, 0.01);
        assert_float_equal((double)item->w, item->role == ROLE_USED || wide > 1 ? wide : 1, 0.01);
        if (item->role == ROLE_CURSOR) /* with which the map's place ends */
            assert_float_equal((double)(item->y + item->h), l->map_y + l->map_h, 0.01);
    }
    assert_int_equal(used, 3);
    assert_int_equal(bars, 3);

    assert_true(view_go(&s.view, 1, 0, 0));
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    assert_int_equal(fold_place(&panel->fold, 0), 0);
    assert_true(view_go(&s.view, 1, 100, 0));
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    assert_int_equal(panel->fold.level, FOLD_STEP);
    assert_int_equal(fold_place(&panel->fold, 0), -1); /* of the step before */
    assert_true(fold_place(&panel->fold, 100) >= 0 && fold_place(&panel->fold, 99) >= 0);
    assert_int_equal(fold_place(&panel->fold, 300), -1);
    assert_true(view_go_warp(&s.view, 0, 1));
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    assert_int_equal(panel->fold.level, FOLD_WARP);
    assert_int_equal(fold_column(&panel->fold, 0), 7);
    used = 0; /* it uses all columns, the first one, too */
    for (size_t i = 0; i < s.drawing.count; i++)
        if (s.drawing.item[i].shape == SHAPE_BOX && s.drawing.item[i].role == ROLE_USED &&
            s.drawing.item[i].y >= l->map_y && s.drawing.item[i].y <= l->map_y + l->map_h) {
            assert_float_equal((double)s.drawing.item[i].x, l->map_x, 0.01);
            assert_float_equal((double)s.drawing.item[i].w, l->map_w, 0.01);
            used++;
        }
    assert_int_equal(used, 1);
    assert_true(view_go(&s.view, 2, 16, 0) && view_go_warp(&s.view, 0, 0));
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    assert_int_equal(panel->fold.level, FOLD_STEP);
    assert_int_equal(panel->fold.columns, 32); /* neighbours take no room from those about them */
    assert_int_equal(fold_column(&panel->fold, 0), 64);

    /* All of them, zoomed: a step that is out of sight is brought there. */
    s.view.unfolded = true;
    assert_true(view_go(&s.view, 1, 0, 0));
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    assert_int_equal(panel->fold.level, FOLD_NONE);
    assert_true(view_zoom(&s.view, 10, l->cells_x, l->cells_y));
    assert_true(view_go(&s.view, 1, 300, 0));
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    assert_true(l->first_column <= 300 && l->first_column + l->columns > 300);
    assert_true(l->rows < BANKS); /* which a bar beside the map says */
    int beside = 0;
    for (size_t i = 0; i < s.drawing.count; i++) {
        const struct drawing_item *item = &s.drawing.item[i];
        beside += item->shape == SHAPE_BOX && item->role == ROLE_CURSOR && item->x < l->map_x &&
                  item->x + 8 > l->map_x && item->y >= l->map_y;
    }
    assert_int_equal(beside, 1);
    hide(&s);

    /* Where the warp does nothing, the columns of its nearest step in the stage are shown. */
    static const struct lanes idle[] = {
        {0, 0, 0, 0, OP_LOAD, 4, 1, {0}, {0}, NULL},
        {0, 1, 0, 0, OP_LOAD, 4, 1, {0}, {2 * BANKS}, NULL},
        {0, 2, 0, 1, OP_LOAD, 4, 1, {0}, {4 * BANKS}, NULL},
        {0, 3, 0, 1, OP_LOAD, 4, 1, {0}, {4 * BANKS}, NULL},
        {1, 0, 0, 0, OP_LOAD, 4, 1, {0}, {6 * BANKS}, NULL},
    };
    show(&s, BANKS, 32, 32 * WARPS, BANKS * 8, 0, idle, 5);
    assert_true(view_go(&s.view, 0, 3, 0));
    fold_set(&panel->fold, &panel->map, panel->step, 1, 1, FOLD_STEP, false);
    assert_int_equal(panel->fold.level, FOLD_STEP);
    assert_int_equal(panel->fold.columns, 1);
    assert_int_equal(fold_column(&panel->fold, 0), 2);
    hide(&s);

    /* Where no access is, there is nothing to fold by. */
    show(&s, BANKS, 32, 32 * WARPS, BANKS * COLUMNS, 0, steps, 2);
    view_stage(&s.view, 1);
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    assert_int_equal(s.view.panel[0].fold.level, FOLD_NONE);
    assert_true(l->columns > 0);
    hide(&s);
}

/* A legend is as large as its letters, and so are its places. */
static void test_legend_sizes(void **unused)
{
    (void)unused;
    struct legend legend;
    struct drawing small = {0}, large = {0};
    legend_make(&legend, 3, true, false, 0);
    drawing_begin(&small, 400, 100);
    drawing_begin(&large, 800, 200);
    assert_int_equal(legend_draw(&legend, 10, 20, 150, 11, 9, &small),
                     legend_draw(&legend, 20, 40, 300, 22, 9, &large));
    assert_true(small.count > 8);
    assert_int_equal(small.count, large.count);
    for (size_t i = 0; i < small.count; i++) {
        const struct drawing_item *a = &small.item[i], *b = &large.item[i];
        assert_float_equal(2 * (double)a->x, b->x, 0.01);
        assert_float_equal(2 * (double)a->y, b->y, 0.01);
        assert_float_equal(2 * (double)a->w, b->w, 0.01);
        assert_float_equal(2 * (double)a->h, b->h, 0.01);
        assert_float_equal(2 * (double)a->thick, b->thick, 0.01);
    }
    drawing_free(&small);
    drawing_free(&large);
}

static void expect_sound(const struct drawing *drawing)
{
    for (size_t i = 0; i < drawing->count; i++) {
        const struct drawing_item *item = &drawing->item[i];
        assert_true(isfinite(item->x) && isfinite(item->y) && isfinite(item->w) &&
                    isfinite(item->h) && isfinite(item->thick));
        assert_true(item->role < ROLES && item->edge < ROLES);
        if (item->shape == SHAPE_BOX)
            assert_true(item->w >= 0 && item->h >= 0);
    }
    assert_string_equal(drawing->error.text, "");
}

/* What is laid out are cells that exist. */
static void expect_within(const struct view *view)
{
    for (int p = 0; p < view->panels; p++) {
        const struct trace_index *index = view->panel[p].index;
        const struct panel_layout *l = &view->panel[p].layout;
        assert_in_range(l->first_column, 0, index->columns - l->columns);
        assert_in_range(l->first_row, 0, index->trace->header.banks - l->rows);
        assert_true(view->pan_column >= 0 && view->pan_row >= 0);
    }
}

static void test_any_size(void **unused)
{
    (void)unused;
    static const struct {
        const char *kernel, *params;
    } cases[] = {
        {"stride", "w=1 u=1"},
        {"stride", "w=2 u=4 s=3"},
        {"stride", "w=7 u=21 s=4"},
        {"stride", "w=64 u=128 s=2"},
        {"wide", "bytes=1"},
        {"wide", "bytes=2"},
        {"wide", "bytes=8 s=3"},
        {"wide", "bytes=16 s=2"},
        {"broadcast", "pattern=random"},
        {"broadcast", "pattern=one-word"},
        {"thrust-merge", "w=9 u=18 E=6 order=library"},
        {"cf-merge", "w=9 u=27 E=6 blocks=2"},
    };
    static const int sizes[][2] = {{1, 1}, {60, 40}, {320, 200}, {640, 1200}, {2000, 300}};
    struct drawing drawing = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace trace;
        struct trace_index index[2];
        struct view view;
        record(&trace, cases[i].kernel, "random", "%s", cases[i].params);
        open_view(&view, index, &trace, i % 2 ? &trace : NULL);
        for (int s = 0; s < 5; s++) {
            for (int step = 0; step < 40; step++) {
                view.label = (enum label)(step % LABELS);
                if (step % 7 == 3)
                    view_race(&view, !view.race);
                if (step % 11 == 5)
                    view_zoom(&view, step % 2 ? 3 : 0.4, sizes[s][0] / 2, sizes[s][1] / 2);
                if (step % 13 == 6)
                    view_warp(&view, 1);
                view_hover(&view, step * 13, step * 7);
                assert_true(scene_draw(&view, sizes[s][0], sizes[s][1], &drawing));
                expect_sound(&drawing);
                expect_within(&view);
                if (!view_step(&view, 1))
                    view_home(&view);
            }
        }
        close_view(&view, index);
        trace_free(&trace);
    }
    drawing_free(&drawing);
}

static uint32_t pick(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(*seed >> 4) * below >> 28);
}

/* A valid trace of a machine that nobody has built. */
static void make_random(struct trace *trace, uint32_t *seed)
{
    static char *stages[] = {"", "a\\_^%$#{}~&<|>", "\xff\xfe\x01"};
    struct trace_param param = {(char *)"n\xc3", pick(seed, 2) ? (char *)"\\word" : NULL,
                                INT64_MIN};
    struct trace_header header = {.kernel = (char *)"\xe2\x82\xac]]>",
                                  .backend = (char *)"host",
                                  .device = (char *)"",
                                  .input = (char *)"",
                                  .banks = 1 + (int)pick(seed, 64),
                                  .bank_bytes = 4 << pick(seed, 2),
                                  .warp = 1 + (int)pick(seed, 64),
                                  .threads = 1 + (int)pick(seed, 300),
                                  .blocks = 1 + (int)pick(seed, 4),
                                  .shared_bytes = 16 * (1 + (int)pick(seed, 200)),
                                  .partition = (int)pick(seed, 40),
                                  .stages = 3,
                                  .stage = stages,
                                  .params = 1,
                                  .param = &param};
    struct error error = {{0}};
    uint8_t lane[MAX_WARP];
    uint32_t addr[MAX_WARP];
    int64_t value[MAX_WARP];
    char tag[MAX_WARP];
    memset(trace, 0, sizeof *trace);
    struct trace_sink sink = trace_memory_sink(trace);
    assert_true(sink.header(sink.context, &header, &error));
    int warps = header_warps(&header);
    for (int block = 0; block < header.blocks; block++)
        for (int place = 0; place < 30; place++)
            for (int warp = 0; warp < warps; warp++) {
                struct warp_access access = {.stage = place / 10,
                                             .round = place % 10 / 2 * 7,
                                             .slot = place % 2,
                                             .block = block,
                                             .warp = warp,
                                             .op = (enum op)pick(seed, 2),
                                             .bytes = 1 << pick(seed, 5),
                                             .lane = lane,
                                             .addr = addr};
                for (int i = 0; i < header.warp && warp * header.warp + i < header.threads; i++) {
                    if (pick(seed, 3) == 0)
                        continue;
                    lane[access.lanes] = (uint8_t)i;
                    addr[access.lanes] =
                        pick(seed, (uint32_t)(header.shared_bytes / access.bytes)) *
                        (uint32_t)access.bytes;
                    value[access.lanes] = pick(seed, 2) ? INT64_MIN : (int64_t)pick(seed, 1000);
                    tag[access.lanes++] = (char)pick(seed, 256);
                }
                access.value = pick(seed, 2) ? value : NULL;
                access.tag = pick(seed, 2) ? tag : NULL;
                if (access.lanes > 0 && pick(seed, 5) > 0)
                    assert_true(sink.access(sink.context, &access, &error));
            }
    struct trace_end end = {.warp_accesses = trace->count, .complete = true};
    assert_true(sink.end(sink.context, &end, &error));
}

static void test_random_traces(void **unused)
{
    (void)unused;
    struct drawing drawing = {0};
    for (uint32_t seed = 1; seed <= 60; seed++) {
        struct trace trace[2];
        struct trace_index index[2];
        struct view view;
        uint32_t state = seed;
        make_random(&trace[0], &state);
        make_random(&trace[1], &state);
        open_view(&view, index, &trace[0], seed % 2 ? &trace[1] : NULL);
        for (int move = 0; move < 60; move++) {
            char line[40];
            int by = (int)pick(&state, 5) - 2;
            view_step(&view, by);
            view_stage(&view, move % 9 ? 0 : by);
            view_warp(&view, move % 4 ? 0 : by);
            view_race(&view, pick(&state, 4) == 0);
            view.label = (enum label)pick(&state, LABELS);
            if (move % 6 == 0 && view_swap(&view))
                view_end(&view);
            view_pan(&view, by * 50, by * 20);
            view_zoom(&view, by > 0 ? 2 : 0.7, pick(&state, 900), pick(&state, 700));
            assert_true(
                scene_draw(&view, 200 + pick(&state, 900), 200 + pick(&state, 700), &drawing));
            expect_sound(&drawing);
            expect_within(&view);
            struct hit hit = view_hit(&view, pick(&state, 900), pick(&state, 700));
            view_why(&view, &hit, line, sizeof line); /* cut short, not run over */
            view_click(&view, &hit);
        }
        struct figure_part part = {.index = &index[0],
                                   .stage = 1,
                                   .warp = -1,
                                   .rounds = seed % 3 > 0,
                                   .last_round = 28,
                                   .paint = (enum paint)(seed % 5),
                                   .aligned_bank = 5,
                                   .aligned_banks = 3,
                                   .split = seed % 4 == 0,
                                   .degrees = true,
                                   .borders = true,
                                   .label = (enum label)(seed % 3)};
        struct figure figure = {.parts = 1, .part = &part, .width = 500, .height = 5000};
        struct error error = {{0}};
        bool drawn = figure_draw(&figure, &drawing, &error);
        assert_int_equal(drawn, error.text[0] == '\0');
        if (drawn)
            expect_sound(&drawing);
        close_view(&view, index);
        trace_free(&trace[0]);
        trace_free(&trace[1]);
    }
    drawing_free(&drawing);
}

/* A trace may claim 16 MiB of shared memory, or use nothing at all. */
static void test_extremes(void **unused)
{
    (void)unused;
    static const struct lanes far[] = {
        {0, 0, 0, 0, OP_LOAD, 4, 2, {0, 3}, {0, (1 << 22) - 1}, NULL},
        {2, (1 << 24) - 1, 4095, 0, OP_LOAD, 4, 1, {1}, {7}, NULL},
    };
    struct trace trace;
    struct trace_index index[1];
    struct view view;
    struct drawing drawing = {0};
    struct error error = {{0}};
    for (int used = 0; used <= 2; used += 2) {
        make(&trace, 1, 4, 4, 1 << 22, 1, far, used);
        open_view(&view, index, &trace, NULL);
        for (int i = 0; i < 3; i++) {
            assert_true(scene_draw(&view, 1000, 700, &drawing));
            expect_sound(&drawing);
            assert_true(drawing.count < 100000);
            view_end(&view);
        }
        struct figure_part part = {.index = &index[0]};
        struct figure figure = {.parts = 1, .part = &part, .width = 500, .height = 0};
        assert_false(figure_draw(&figure, &drawing, &error));
        assert_true(strstr(error.text, "too many") || strstr(error.text, "too small"));
        error.text[0] = '\0';
        part.used_columns = true;
        assert_int_equal(figure_draw(&figure, &drawing, &error), used > 0);
        error.text[0] = '\0';
        close_view(&view, index);
        trace_free(&trace);
    }
    drawing_free(&drawing);
}

/* cfmerge Fig. 4, left, as printed. */
static void test_figure_cells(void **unused)
{
    (void)unused;
    static const char expected[] = "0 3 8 0 5\n0 5 8 0 5\n1 6 10 0 5\n1 6 10 3 5\n1 6 10 3 8\n"
                                   "1 6 10 3 8\n1 6 10 3 8\n2 7 11 4 9\n2 7 11 4 9\n2 7 11 4 9\n"
                                   "2 7 11 4 9\n2 7 11 4 9\n";
    struct trace trace;
    struct trace_index index;
    struct error error = {{0}};
    struct drawing drawing = {0};
    char *text = NULL;
    size_t length = 0;
    record(&trace, "thrust-merge", "worst", "w=12 u=12 E=5");
    assert_true(trace_index_init(&index, &trace, &error));
    struct figure_part part = {.index = &index,
                               .stage = header_stage(&trace.header, "merge"),
                               .split = true,
                               .paint = PAINT_ALIGNED,
                               .aligned_bank = 7,
                               .aligned_banks = 5};
    FILE *file = open_memstream(&text, &length);
    assert_true(figure_cells(&part, file, &error));
    fclose(file);
    assert_string_equal(text, expected);
    free(text);

    /* E * E words are aligned to the last E banks; the papers colour just these. */
    struct figure figure = {.parts = 1, .part = &part, .width = 241, .height = 0};
    assert_true(figure_draw(&figure, &drawing, &error));
    assert_int_equal(count_items(&drawing, SHAPE_TEXT, ROLE_BAD_INK), 25);
    assert_int_equal(count_edges(&drawing, ROLE_BAD_EDGE), 25);
    assert_true(has_text(&drawing, "A") && has_text(&drawing, "B"));
    assert_float_equal(drawing.width, 241, 1e-6);
    part.paint = PAINT_ON_TIME;
    assert_true(figure_draw(&figure, &drawing, &error));
    assert_int_equal(count_items(&drawing, SHAPE_TEXT, ROLE_GOOD_INK), 25);
    assert_int_equal(count_edges(&drawing, ROLE_BAD_EDGE),
                     0);   /* nor has any other word of those banks */
    part.aligned_bank = 6; /* a bank further left, all of them are read a round too early */
    part.aligned_banks = 4;
    assert_true(figure_draw(&figure, &drawing, &error));
    assert_int_equal(count_items(&drawing, SHAPE_TEXT, ROLE_GOOD_INK), 0);
    assert_int_equal(count_edges(&drawing, ROLE_BAD_EDGE), 5 * 4);
    part.paint = PAINT_ALIKE; /* one round, in which every thread reads a word of its own */
    part.rounds = true;
    part.split = false;
    assert_true(figure_draw(&figure, &drawing, &error));
    assert_int_equal(count_edges(&drawing, ROLE_INK), 12);
    part.paint = PAINT_ROUND;
    part.last_round = 4;
    assert_true(figure_draw(&figure, &drawing, &error));
    for (int round = 0; round < 5; round++) {
        char title[16];
        snprintf(title, sizeof title, "round %d", round);
        assert_true(has_text(&drawing, title));
    }
    figure.height = 72; /* 25.4 mm */
    double high = 0;
    assert_false(figure_draw(&figure, &drawing, &error));
    assert_int_equal(sscanf(error.text, "figure: %lf mm high, more than 25 mm;", &high), 1);
    assert_true(high > 26 && high < drawing.height * 25.4 / 72);
    error.text[0] = '\0';
    figure.height = 0;
    part.last_round = 1 << 23;
    assert_false(figure_draw(&figure, &drawing, &error));
    assert_non_null(strstr(error.text, "--round"));
    drawing_free(&drawing);
    trace_index_free(&index);
    trace_free(&trace);
}

/* ---- where the parts of a figure are ---- */

/* The text's item; NULL: there is none. */
static const struct drawing_item *text_item(const struct drawing *drawing, const char *text)
{
    for (size_t i = 0; i < drawing->count; i++)
        if (drawing->item[i].shape == SHAPE_TEXT &&
            !strcmp(drawing_string(drawing, &drawing->item[i]), text))
            return &drawing->item[i];
    return NULL;
}

/* From the top of the highest cell to the bottom of the lowest, below `from`; cells have an edge. */
static struct rows cell_rows(const struct drawing *drawing, double from, double *left,
                             double *right)
{
    struct rows rows = {1e9, 0};
    *left = 1e9, *right = 0;
    for (size_t i = 0; i < drawing->count; i++) {
        const struct drawing_item *item = &drawing->item[i];
        if (item->shape != SHAPE_BOX || item->edge == ROLE_NONE || (double)item->y < from)
            continue;
        rows.top = fmin(rows.top, (double)item->y);
        rows.bottom = fmax(rows.bottom, (double)(item->y + item->h));
        *left = fmin(*left, (double)item->x);
        *right = fmax(*right, (double)(item->x + item->w));
    }
    return rows;
}

/* Asserts that rounds 0, 1, ... are read in rows of so many, evenly apart, the last row in the middle. */
static void expect_rows(const struct drawing *drawing, int rounds, int in_row)
{
    double x[64], y[64], step = 0;
    assert_true(rounds <= 64);
    for (int r = 0; r < rounds; r++) {
        char text[16];
        snprintf(text, sizeof text, "round %d", r);
        const struct drawing_item *title = text_item(drawing, text);
        assert_non_null(title);
        x[r] = (double)title->x, y[r] = (double)title->y;
        step = r == 1 ? x[1] - x[0] : step;
        if (r % in_row) {
            assert_float_equal(y[r], y[r - 1], 1e-3);
            assert_float_equal(x[r] - x[r - 1], step, 1e-3);
        } else if (r) {
            assert_true(y[r] > y[r - 1] + 1);
            assert_float_equal(y[r] - y[r - in_row], y[in_row] - y[0], 1e-3);
        }
    }
    const int rest = rounds % in_row ? rounds % in_row : in_row, first = rounds - rest;
    assert_float_equal(x[first] - x[0], (in_row - rest) * step / 2, 1e-3);
}

/* Rounds stand in even rows, in as many as keep cells large and the page on a sheet of paper. Parts of one matrix
 * stand side by side, others one below the other. */
static void test_figure_rows(void **unused)
{
    (void)unused;
    struct trace trace;
    struct trace_index index;
    struct error error = {{0}};
    struct drawing drawing = {0};
    double left, right;
    record(&trace, "thrust-merge", "worst", "w=32 u=32 E=15");
    assert_true(trace_index_init(&index, &trace, &error));
    struct figure_part part[2] = {{.index = &index,
                                   .stage = header_stage(&trace.header, "merge"),
                                   .rounds = true,
                                   .last_round = 14}};
    struct figure figure = {.parts = 1, .part = part, .width = 500, .height = 0};
    assert_true(figure_draw(&figure, &drawing, &error));
    expect_rows(&drawing, 15, 5); /* in rows of three or four, the page is higher than paper */
    struct rows rows = cell_rows(&drawing, 0, &left, &right);
    assert_true(drawing.height <= 800 && rows.bottom < drawing.height &&
                rows.bottom > drawing.height - 3);
    assert_true(left > 0 && right < 500 && right - left > 400);

    /* Three rounds need one row, in which cells are no larger than they must be; and two, if told so. */
    part[0].last_round = 2;
    assert_true(figure_draw(&figure, &drawing, &error));
    expect_rows(&drawing, 3, 3);
    figure.per_row = 2;
    assert_true(figure_draw(&figure, &drawing, &error));
    expect_rows(&drawing, 3, 2);
    figure.per_row = 0;

    /* Two matrices of five columns, side by side; two rounds of one of them, one below the other. */
    struct numbers few;
    assert_true(numbers_read(&few, "0-1,4"));
    part[0] = part[1] = (struct figure_part){.index = &index,
                                             .stage = part[0].stage,
                                             .only_columns = &few,
                                             .used_columns = true,
                                             .title = "left"};
    part[1].title = "right";
    figure.parts = 2;
    assert_true(figure_draw(&figure, &drawing, &error));
    const struct drawing_item *first = text_item(&drawing, "left"),
                              *second = text_item(&drawing, "right");
    assert_true(first && second && second->x > first->x + 100);
    assert_float_equal(first->y, second->y, 1e-3);
    /* Dots for the columns that are left out, half way down. */
    int dots = 0;
    rows = cell_rows(&drawing, 0, &left, &right);
    for (size_t i = 0; i < drawing.count; i++) {
        const struct drawing_item *item = &drawing.item[i];
        if (item->shape != SHAPE_BOX || item->role != ROLE_FAINT || item->edge != ROLE_NONE)
            continue;
        assert_float_equal(item->y + item->h / 2, (rows.top + rows.bottom) / 2, 1);
        dots++;
    }
    assert_int_equal(dots, 2 * 3 * 2); /* behind column 1, and behind column 4, of each */
    /* A title of two lines, whichever it is, moves the cells of both down. */
    for (int p = 0; p < 2; p++) {
        part[p].state = true;
        assert_true(figure_draw(&figure, &drawing, &error));
        part[p].state = false;
        const struct rows below = cell_rows(&drawing, 0, &left, &right);
        assert_float_equal(below.bottom - below.top, rows.bottom - rows.top, 0.1);
        assert_true(below.top > rows.top + 5);
    }
    part[1].rounds = true;
    part[1].last_round = 1;
    assert_true(figure_draw(&figure, &drawing, &error));
    first = text_item(&drawing, "left"), second = text_item(&drawing, "right");
    assert_true(first && second && second->y > first->y + 100);
    drawing_free(&drawing);

    /* "A" and "B" stand over the middle of their columns. */
    part[0] = (struct figure_part){
        .index = &index, .stage = part[0].stage, .split = true, .title = "lists"};
    figure.parts = 1;
    assert_true(figure_draw(&figure, &drawing, &error));
    const struct drawing_item *a = text_item(&drawing, "A"), *b = text_item(&drawing, "B");
    assert_true(a && b && a->x < b->x);
    cell_rows(&drawing, 0, &left, &right);
    assert_true(a->x > left && b->x < right);
    assert_float_equal(a->x - left, right - b->x, (right - left) / 8); /* of 7 or 8 columns each */
    /* So they do where columns are left out: columns 0, 1, 4 and 6 of A, and two of B. */
    assert_true(numbers_read(&few, "0-1,4,6,9-10"));
    part[0].only_columns = &few;
    assert_true(figure_draw(&figure, &drawing, &error));
    a = text_item(&drawing, "A"), b = text_item(&drawing, "B");
    assert_true(a && b);
    cell_rows(&drawing, 0, &left, &right);
    double end_of_a = 0, begin_of_b = right;
    for (size_t i = 0; i < drawing.count; i++) {
        const struct drawing_item *item = &drawing.item[i];
        if (item->shape != SHAPE_BOX || item->edge == ROLE_NONE)
            continue;
        if (item->x > b->x - 1.5F * item->w)
            begin_of_b = fmin(begin_of_b, (double)item->x);
        else
            end_of_a = fmax(end_of_a, (double)(item->x + item->w));
    }
    assert_true(begin_of_b < right && end_of_a > left && end_of_a < begin_of_b);
    int letters = 0;
    for (size_t i = 0; i < drawing.count; i++)
        letters += drawing.item[i].shape == SHAPE_TEXT && drawing.item[i].face == FACE_BOLD &&
                   strlen(drawing_string(&drawing, &drawing.item[i])) == 1;
    assert_int_equal(letters, 2); /* once each */
    assert_float_equal(a->x, (left + end_of_a) / 2, 1);
    assert_float_equal(b->x, (begin_of_b + right) / 2, 1);
    drawing_free(&drawing);
    trace_index_free(&index);
    trace_free(&trace);
}

/* What a figure shows of itself: all rounds where they are few, else the worst one; a matrix for each access of a
 * thread in a round, whose numbers stand in the title. */
static void test_figure_choice(void **unused)
{
    (void)unused;
    static const struct lanes list[] = {
        {1, 0, 0, 0, OP_LOAD, 4, 3, {0, 1, 2}, {0, 4, 2}, NULL},
        {1, 0, 1, 0, OP_LOAD, 4, 1, {1}, {7}, NULL},
        {1, 3, 0, 0, OP_LOAD, 4, 1, {1}, {7}, NULL},
    };
    struct trace trace;
    struct trace_index index;
    struct error error = {{0}};
    struct drawing drawing = {0};
    make(&trace, 4, 4, 4, 8, 0, list, 3);
    assert_true(trace_index_init(&index, &trace, &error));
    struct figure_part part = {.index = &index};
    struct figure figure = {.parts = 1, .part = &part, .width = 300};
    assert_true(figure_choose(&part, &error));
    assert_true(part.rounds && part.stage == 1 && part.first_round == 0 && part.last_round == 3);
    assert_true(figure_draw(&figure, &drawing, &error));
    assert_true(has_text(&drawing, "round 0, slot 0") && has_text(&drawing, "round 0, slot 1"));
    assert_true(has_text(&drawing, "round 3") && !has_text(&drawing, "round 3, slot"));
    assert_true(has_text(&drawing, ": 4 passes, 1 conflict"));
    trace_index_free(&index);
    trace_free(&trace);

    /* One matrix, if no thread has two. */
    static const struct lanes apart[] = {
        {1, 0, 0, 0, OP_LOAD, 4, 1, {0}, {0}, NULL},
        {1, 0, 1, 0, OP_LOAD, 4, 1, {1}, {7}, NULL},
        {1, 3, 0, 0, OP_LOAD, 4, 1, {1}, {7}, NULL},
    };
    make(&trace, 4, 4, 4, 8, 0, apart, 3);
    assert_true(trace_index_init(&index, &trace, &error));
    part = (struct figure_part){.index = &index};
    assert_true(figure_choose(&part, &error) && figure_draw(&figure, &drawing, &error));
    assert_true(has_text(&drawing, "round 0") && !has_text(&drawing, "round 0, slot"));
    trace_index_free(&index);
    trace_free(&trace);

    record(&trace, "thrust-merge", "worst", "w=32 u=32 E=15");
    assert_true(trace_index_init(&index, &trace, &error));
    part = (struct figure_part){.index = &index};
    assert_true(figure_choose(&part, &error));
    assert_true(part.rounds && part.first_round == part.last_round);
    drawing_free(&drawing);
    trace_index_free(&index);
    trace_free(&trace);

    /* Of a round of more than twelve slots, the one that needs the most passes. */
    for (int slots = 12; slots <= 13; slots++) {
        struct lanes many[15] = {{1, 2, 0, 0, OP_LOAD, 4, 1, {0}, {1}, NULL}};
        for (int i = 0; i <= slots; i++)
            many[i + 1] = (struct lanes){1,
                                         i < slots ? 3 : 4,
                                         i < slots ? i : 0,
                                         0,
                                         OP_LOAD,
                                         4,
                                         i == 5 ? 2 : 1,
                                         {0, 1},
                                         {1, 5},
                                         NULL};
        make(&trace, 4, 4, 4, 4 * 30, 0, many, slots + 2);
        assert_true(trace_index_init(&index, &trace, &error));
        part = (struct figure_part){.index = &index};
        assert_true(figure_choose(&part, &error));
        assert_true(part.first_round == 3 && part.last_round == 3);
        assert_int_equal(part.one_slot, slots > 12);
        assert_int_equal(part.slot, slots > 12 ? 5 : -1);
        trace_index_free(&index);
        trace_free(&trace);
    }
}

/* A thread that needs two words in a round stalls: both are marked, others are not. */
static void test_stalls(void **unused)
{
    (void)unused;
    static const struct lanes list[] = {
        {1, 0, 0, 0, OP_LOAD, 4, 3, {0, 1, 2}, {0, 1, 2}, NULL},
        {1, 0, 1, 0, OP_LOAD, 4, 1, {1}, {7}, NULL},
    };
    struct trace trace;
    struct trace_index index;
    struct stage_map map = {0};
    struct accessed accessed = {0};
    struct error error = {{0}};
    make(&trace, 4, 4, 4, 8, 0, list, 2);
    assert_true(trace_index_init(&index, &trace, &error));
    assert_true(stage_map_set(&map, &index, 1, 0, 0, &error));
    assert_true(accessed_take(&accessed, &map, 0, 2, PAINT_STALLS, &error));
    assert_int_equal(accessed.count, 4);
    static const bool stalled[] = {false, true, false, true};
    for (int i = 0; i < 4; i++)
        assert_int_equal(accessed.word[i].bad, stalled[i]);
    accessed_free(&accessed);
    stage_map_free(&map);
    trace_index_free(&index);
    trace_free(&trace);
}

/* A title with no room for all parameters keeps those that tell the panels apart. */
static void test_titles_of_two(void **unused)
{
    (void)unused;
    struct trace trace[2];
    struct trace_index index[2];
    struct view view;
    struct drawing drawing = {0};
    record(&trace[0], "search-pbs", "random", "variant=halves");
    record(&trace[1], "search-pbs", "random", "variant=printed");
    open_view(&view, index, &trace[0], &trace[1]);
    assert_true(scene_draw(&view, 1200, 600, &drawing));
    assert_true(has_text(&drawing, "key_bytes=4 bank_bytes=4 variant=printed"));
    assert_true(scene_draw(&view, 500, 600, &drawing));
    assert_true(has_text(&drawing, "search-pbs  variant=halves"));
    assert_true(has_text(&drawing, "search-pbs  variant=printed"));
    drawing_free(&drawing);
    close_view(&view, index);
    trace_free(&trace[0]);
    trace_free(&trace[1]);
}

/* ---- drawing and themes ---- */

/* A text that is set smaller to fit is whole, at any width: rounding once cut its end. */
static void test_text_that_fits(void **unused)
{
    (void)unused;
    const char *text = "stage-1, round 5, warp 0: 1 pass, 0 conflicts";
    struct drawing drawing = {0};
    struct text_style style = {ROLE_INK, 12, ALIGN_LEFT, FACE_PLAIN};
    for (double width = text_width(text, 9.1, style.face); width < 300; width += 0.37) {
        drawing_begin(&drawing, 300, 100);
        drawing_text_smaller(&drawing, &style, 0, 10, width, text);
        assert_string_equal(drawing_string(&drawing, &drawing.item[0]), text);
    }
    drawing_free(&drawing);
}

/* Of a path, whole folders at its front are left out, and then only its name is cut. */
static void test_path(void **unused)
{
    (void)unused;
    static const char *const cases[] = {"/home/me/kernels/sort.cu", ".../me/kernels/sort.cu",
                                        ".../sort.cu"};
    struct drawing drawing = {0};
    struct text_style style = {ROLE_INK, 10, ALIGN_LEFT, FACE_PLAIN};
    for (int i = 0; i < 3; i++) {
        drawing_begin(&drawing, 300, 100);
        drawing_path_within(&drawing, &style, 0, 10, text_width(cases[i], 10, style.face) + 0.1,
                            cases[0]);
        assert_string_equal(drawing_string(&drawing, &drawing.item[0]), cases[i]);
    }
    drawing_free(&drawing);
}

static void test_drawing_text(void **unused)
{
    (void)unused;
    struct drawing drawing = {0};
    struct text_style style = {ROLE_INK, 10, ALIGN_LEFT, FACE_PLAIN};
    drawing_begin(&drawing, 100, 100);
    drawing_text(&drawing, &style, 0, 10, "%s", "a\tb\xff\xc3\xa9\xed\xa0\x80\n");
    assert_string_equal(drawing_string(&drawing, &drawing.item[0]), "a?b?\xc3\xa9????");
    drawing_text_within(&drawing, &style, 0, 10, 40, "%s", "0123456789");
    const char *cut = drawing_string(&drawing, &drawing.item[1]);
    assert_string_equal(cut + strlen(cut) - 3, "...");
    assert_true(text_width(cut, 10, FACE_PLAIN) <= 40);
    drawing_text(&drawing, &style, 0, 10, "%s", "");
    drawing_edged(&drawing, ROLE_INK, ROLE_INK, 1, 0, 0, 0, 10);
    drawing_edged(&drawing, ROLE_INK, ROLE_INK, 1, 0, 0, 10, 0);
    assert_int_equal(drawing.count, 2); /* no text, no area: no item */
    drawing_free(&drawing);
}

/* Relative luminance, as WCAG 2 defines it. */
static double luminance(uint32_t colour)
{
    static const double weights[] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double c = (colour >> (16 - 8 * i) & 255) / 255.0;
        sum += weights[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(const struct theme *theme, enum role a, enum role b)
{
    double x = luminance(theme->colour[a]) + 0.05, y = luminance(theme->colour[b]) + 0.05;
    return x > y ? x / y : y / x;
}

/* In greyscale good and bad stay apart, and every number can be read on its cell. */
static void test_themes(void **unused)
{
    (void)unused;
    static const struct {
        enum role text, fill;
        double least;
    } pairs[] = {
        {ROLE_INK, ROLE_PAPER, 7},         {ROLE_FAINT, ROLE_PAPER, 4.5},
        {ROLE_INK, ROLE_LIST_A, 4.5},      {ROLE_INK, ROLE_LIST_B, 4.5},
        {ROLE_INK, ROLE_LIST_C, 4.5},      {ROLE_INK, ROLE_LIST_D, 4.5},
        {ROLE_INK, ROLE_USED, 4.5},        {ROLE_INK, ROLE_GREY, 4.5},
        {ROLE_GOOD_INK, ROLE_GOOD, 4.5},   {ROLE_BAD_INK, ROLE_BAD, 4},
        {ROLE_MUTED_INK, ROLE_MUTED_A, 3}, {ROLE_MUTED_INK, ROLE_MUTED_B, 3},
        {ROLE_INK, ROLE_OVERLAY, 7},       {ROLE_GOOD, ROLE_BAD, 1.8},
        {ROLE_BAD, ROLE_BAD_EDGE, 2},      {ROLE_BAD, ROLE_LIST_A, 1.5},
        {ROLE_BAD, ROLE_LIST_B, 1.5},
    };
    struct error error = {{0}};
    for (const struct theme *theme = themes; theme->name; theme++) {
        assert_ptr_equal(theme_find(theme->name, &error), theme);
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
            if (contrast(theme, pairs[i].text, pairs[i].fill) < pairs[i].least)
                fail_msg("theme %s: %s on %s has contrast %.2f, less than %.1f", theme->name,
                         role_names[pairs[i].text], role_names[pairs[i].fill],
                         contrast(theme, pairs[i].text, pairs[i].fill), pairs[i].least);
    }
    /* The worse, the further from the paper, also in greyscale. */
    for (const struct theme *theme = themes; theme->name; theme++)
        for (int level = 1; level <= 4; level++)
            assert_true(contrast(theme, (enum role)(ROLE_HEAT + level), ROLE_PAPER) >
                        1.15 * contrast(theme, (enum role)(ROLE_HEAT + level - 1), ROLE_PAPER));
    assert_null(theme_find("neon", &error));
    for (const struct theme *theme = themes; theme->name; theme++)
        assert_non_null(strstr(error.text, theme->name));
}

/* The drawing of a view, as text (free it). */
static char *dump_of(struct view *view)
{
    char *text = NULL;
    size_t length;
    struct drawing drawing = {0};
    FILE *file = open_memstream(&text, &length);
    assert_true(scene_draw(view, 800, 600, &drawing));
    assert_true(drawing_dump(&drawing, file));
    fclose(file);
    drawing_free(&drawing);
    return text;
}

/* Round 0 of the example has a conflict of three ways in bank 7: what is hidden is in no place. */
static void test_hiding(void **unused)
{
    (void)unused;
    static const struct {
        unsigned hide;
        const char *gone, *kept; /* strings of the dump */
    } cases[] = {
        {HIDE_TOTALS, "3 passes, 2 conflicts", " bad edge bad-edge"},
        {HIDE_TOTALS, "bar-bad", " bad edge bad-edge"},
        {HIDE_COLOURS, " bad edge bad-edge", "3 passes, 2 conflicts"},
        {HIDE_COLOURS, "accessed now, bank conflict", "accessed now"},
        {HIDE_DEGREES, "bad-edge \"3\"", "3 passes, 2 conflicts"},
        {HIDE_LABELS, "good-ink \"0\"", "3 passes, 2 conflicts"},
    };
    struct shown s;
    char line[600];
    show(&s, 12, 12, 12, 72, 0, example, 4);
    assert_true(view_go(&s.view, 1, 0, 0));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(view_hide(&s.view, 0) || i == 0);
        char *whole = dump_of(&s.view);
        assert_true(view_hide(&s.view, cases[i].hide));
        assert_false(view_hide(&s.view, cases[i].hide));
        char *part = dump_of(&s.view);
        if (!strstr(whole, cases[i].gone) || !strstr(whole, cases[i].kept))
            fail_msg("not there: %s or %s in\n%s", cases[i].gone, cases[i].kept, whole);
        if (strstr(part, cases[i].gone) || !strstr(part, cases[i].kept))
            fail_msg("%u: still %s, or no %s, in\n%s", cases[i].hide, cases[i].gone, cases[i].kept,
                     part);
        free(whole);
        free(part);
    }
    struct hit bank = {.kind = HIT_BANK, .bank = 7}, bar = {.kind = HIT_TIMELINE};
    view_hide(&s.view, HIDE_REASONS);
    view_why(&s.view, &bank, line, sizeof line);
    assert_string_equal(line, "bank 7: the question asks for what it serves");
    expect_why(&s.view, 43, "word 43, list A, value 101: read by thread 3 in round 0");
    view_hide(&s.view, HIDE_LABELS);
    expect_why(&s.view, 43, "");
    view_why(&s.view, &bar, line, sizeof line);
    assert_true(line[0]);
    view_hide(&s.view, HIDE_TOTALS);
    view_why(&s.view, &bar, line, sizeof line);
    assert_string_equal(line, "");
    assert_false(view_race(&s.view, true)); /* it would tell the totals */
    view_hide(&s.view, 0);
    assert_true(view_race(&s.view, true));
    assert_true(view_hide(&s.view, HIDE_COSTS));
    assert_false(s.view.race);
    hide(&s);
}

/* The baseline of the text that begins so; -1: there is none. */
static double line_of(const struct drawing *drawing, const char *begins)
{
    for (size_t i = 0; i < drawing->count; i++)
        if (drawing->item[i].shape == SHAPE_TEXT &&
            !strncmp(drawing_string(drawing, &drawing->item[i]), begins, strlen(begins)))
            return (double)drawing->item[i].y;
    return -1;
}

/* In a window the legend stays where it is when a cell is pointed at, whose reason stands below it. */
static void test_explained(void **unused)
{
    (void)unused;
    struct shown s;
    show(&s, 12, 12, 12, 72, 0, example, 4);
    assert_true(view_go(&s.view, 1, 0, 0));
    s.view.explained = true;
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    const double legend = line_of(&s.drawing, "accessed now"),
                 hint = line_of(&s.drawing, "rows are");
    assert_true(legend > 0 && hint >= legend + 15 && hint < 600);
    s.view.hover = (struct hit){.kind = HIT_BANK, .bank = 7};
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    assert_true(line_of(&s.drawing, "accessed now") == legend);
    assert_true(line_of(&s.drawing, "bank 7: ") == hint);
    assert_true(line_of(&s.drawing, "rows are") < 0);
    double x, y; /* a narrow window has three lines for a long reason, which end at its foot */
    assert_true(scene_draw(&s.view, 250, 600, &s.drawing));
    cell_middle(&s.view, 0, 43, &x, &y);
    assert_true(view_hover(&s.view, x, y));
    assert_true(scene_draw(&s.view, 250, 600, &s.drawing));
    int lines = 0;
    for (size_t i = 0; i < s.drawing.count; i++)
        if (s.drawing.item[i].shape == SHAPE_TEXT && s.drawing.item[i].y > 600 - 29)
            assert_float_equal((double)s.drawing.item[i].y, 600 - 23 + 10 * lines++, 0.01);
    assert_int_equal(lines, 3);
    assert_float_equal(line_of(&s.drawing, "word 43, list A"), 600 - 23, 0.01);
    s.view.hover.kind = HIT_NOTHING;
    s.trace[0].header.global = true; /* global memory alone: there are no banks to explain */
    s.index[0].words = 0;
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    assert_true(line_of(&s.drawing, "boxes are sectors") == hint);
    assert_true(line_of(&s.drawing, "accessed now") < 0 && line_of(&s.drawing, "rows are") < 0);
    for (double y = 60; y < 540; y += 7) { /* nor to be pointed at */
        const struct hit hit = view_hit(&s.view, s.view.panel[0].layout.cells_x - 3, y);
        assert_true(hit.kind != HIT_BANK && hit.kind != HIT_CELL);
    }
    s.view.explained = false; /* a picture that is saved */
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    assert_true(line_of(&s.drawing, "accessed now") < 0);
    hide(&s);
}

/* Labels are left out before they are too small to read, and banks keep theirs, or every few of them do. */
static void test_readable(void **unused)
{
    (void)unused;
    static const int sizes[][2] = {{390, 500}, {690, 480}, {800, 600}, {1280, 720}, {1920, 1080}};
    struct trace trace;
    struct trace_index index[1];
    struct view view;
    struct drawing drawing = {0};
    record(&trace, "transpose", "random", "%s", "variant=naive");
    open_view(&view, index, &trace, NULL);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int label = 0; label < LABELS; label++) {
            view.label = (enum label)label;
            assert_true(scene_draw(&view, sizes[s][0], sizes[s][1], &drawing));
            assert_true(drawing_flaws(&drawing).smallest >= 7);
            for (size_t i = 0; i < drawing.count; i++) {
                const struct drawing_item *item = &drawing.item[i];
                const char *text = item->shape == SHAPE_TEXT ? drawing_string(&drawing, item) : "";
                if (*text && text[strlen(text) - 1] == ':')
                    assert_true(item->thick >= 9);
            }
            assert_true(line_of(&drawing, "0:") > 0 && line_of(&drawing, "16:") > 0);
        }
    close_view(&view, index);
    trace_free(&trace);
    drawing_free(&drawing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),          cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_cells),          cmocka_unit_test(test_borders),
        cmocka_unit_test(test_race),           cmocka_unit_test(test_zoom),
        cmocka_unit_test(test_fold),           cmocka_unit_test(test_legend_sizes),
        cmocka_unit_test(test_fold_alike),     cmocka_unit_test(test_groups),
        cmocka_unit_test(test_any_size),       cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_random_traces),  cmocka_unit_test(test_figure_cells),
        cmocka_unit_test(test_strips),         cmocka_unit_test(test_figure_choice),
        cmocka_unit_test(test_figure_rows),    cmocka_unit_test(test_titles_of_two),
        cmocka_unit_test(test_text_that_fits), cmocka_unit_test(test_path),
        cmocka_unit_test(test_stalls),         cmocka_unit_test(test_drawing_text),
        cmocka_unit_test(test_themes),         cmocka_unit_test(test_hiding),
        cmocka_unit_test(test_explained),      cmocka_unit_test(test_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
