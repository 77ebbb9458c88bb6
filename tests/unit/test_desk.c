/* test_desk.c - the window's logic without a window: keys, mouse, clock, wishes. */
#include "tests/support/hand_made.h"

/* Four rounds of a stage, then one of another; two warps. Round 2 of warp 1 has conflicts. */
static const struct lanes rounds[] = {
    {0, 0, 0, 0, OP_STORE, 4, 4, {0, 1, 2, 3}, {0, 1, 2, 3}, NULL},
    {0, 0, 0, 1, OP_STORE, 4, 4, {0, 1, 2, 3}, {4, 5, 6, 7}, NULL},
    {0, 1, 0, 0, OP_LOAD, 4, 2, {0, 1}, {0, 4}, "AA"},
    {0, 2, 0, 0, OP_LOAD, 4, 2, {0, 1}, {1, 2}, "AB"},
    {0, 2, 0, 1, OP_LOAD, 4, 3, {0, 1, 2}, {1, 5, 9}, "AAB"},
    {0, 3, 0, 0, OP_LOAD, 4, 2, {0, 1}, {3, 7}, "BB"},
    {1, 0, 0, 0, OP_LOAD, 4, 1, {2}, {11}, "B"},
};

/* A desk of 1000 x 700 points on the trace above. */
struct stage {
    struct trace trace;
    struct trace_index index[1];
    struct view view;
    struct desk desk;
};

static int open_desk(void **state)
{
    struct stage *stage = calloc(1, sizeof *stage);
    make(&stage->trace, 4, 4, 8, 12, 0, rounds, sizeof rounds / sizeof *rounds);
    open_view(&stage->view, stage->index, &stage->trace, NULL);
    desk_init(&stage->desk, &stage->view, NULL);
    desk_resize(&stage->desk, 1000, 700, 1);
    *state = stage;
    return 0;
}

static int close_desk(void **state)
{
    struct stage *stage = *state;
    desk_free(&stage->desk);
    close_view(&stage->view, stage->index);
    trace_free(&stage->trace);
    free(stage);
    return 0;
}

static bool press(struct stage *stage, const char *key)
{
    return desk_press(&stage->desk, key, 0);
}

static const struct drawing *drawn(struct stage *stage)
{
    struct error error = {{0}};
    assert_true(desk_draw(&stage->desk, &error));
    return &stage->desk.drawing;
}

static void keys_step_and_say_whether_anything_changed(void **state)
{
    struct stage *stage = *state;
    assert_true(press(stage, "Right"));
    assert_int_equal(stage->view.at.round, 1);
    assert_true(press(stage, "Left"));
    assert_false(press(stage, "Left")); /* there is nothing before the first step */
    assert_true(press(stage, "Shift+Right"));
    assert_int_equal(stage->view.panel[0].stage, 1);
    assert_true(press(stage, "Down"));
    assert_int_equal(stage->view.panel[0].warp, 1);
    assert_true(press(stage, "L")); /* a capital is its letter */
    assert_int_equal(stage->view.label, LABEL_ADDRESS);
    assert_false(press(stage, "no such key"));
}

static void the_help_lists_keys_and_goes_with_the_next(void **state)
{
    struct stage *stage = *state;
    assert_true(press(stage, "?"));
    assert_true(has_text(drawn(stage), "Shift+Left, Shift+Right"));
    assert_true(press(stage, "Escape")); /* closes the help, not the window */
    assert_int_equal(stage->desk.wish, DESK_NOTHING);
    assert_false(has_text(drawn(stage), "Shift+Left, Shift+Right"));
    press(stage, "?");
    assert_true(press(stage, "Right")); /* another key does what it does */
    assert_false(stage->desk.help);
    assert_int_equal(stage->view.at.round, 1);
}

static void what_a_window_must_do_is_a_wish(void **state)
{
    struct stage *stage = *state;
    press(stage, "e");
    assert_int_equal(stage->desk.wish, DESK_EXPORT);
    stage->desk.wish = DESK_NOTHING;
    snprintf(stage->desk.note, sizeof stage->desk.note, "wrote it");
    assert_true(has_text(drawn(stage), "wrote it"));
    assert_true(press(stage, "Left")); /* the note goes */
    assert_false(has_text(drawn(stage), "wrote it"));
    press(stage, "q");
    assert_int_equal(stage->desk.wish, DESK_QUIT);
}

static void playing_waits_for_its_time(void **state)
{
    struct stage *stage = *state;
    struct desk *desk = &stage->desk;
    assert_int_equal(desk_wait(desk, 1000), -1);
    assert_true(desk_press(desk, "Space", 1000));
    int round = stage->view.at.round, wait = desk_wait(desk, 1000);
    assert_true(wait > 0);
    assert_false(desk_tick(desk, 1000 + (uint64_t)wait - 1));
    assert_int_equal(stage->view.at.round, round);
    assert_true(desk_tick(desk, 1000 + (uint64_t)wait));
    assert_int_equal(stage->view.at.round, round + 1);
    uint64_t now = 5000;
    for (int i = 0; i < 20; i++, now += 5000)
        desk_tick(desk, now);
    assert_int_equal(desk_wait(desk, now), -1); /* it stops at the end */
    assert_int_equal(stage->view.panel[0].stage, 1);
}

static void the_mouse_hovers_drags_and_jumps(void **state)
{
    struct stage *stage = *state;
    struct desk *desk = &stage->desk;
    drawn(stage);
    const struct panel_layout *l = &stage->view.panel[0].layout;
    double x, y;
    cell_middle(&stage->view, 0, 5, &x, &y);
    assert_true(desk_move(desk, x, y));
    assert_true(has_text(drawn(stage), "word 5"));
    assert_true(desk_leave(desk));
    assert_false(has_text(drawn(stage), "word 5"));

    assert_true(desk_button(desk, l->bars_x + 0.9 * l->bars_w, l->bars_y + 5, true));
    assert_int_equal(stage->view.at.round, 3);
    assert_true(desk_move(desk, l->bars_x + 0.1 * l->bars_w, l->bars_y + 5)); /* held: goes along */
    assert_int_equal(stage->view.at.round, 0);
    desk_button(desk, l->bars_x + 0.1 * l->bars_w, l->bars_y + 5, false);
    desk_move(desk, l->bars_x + 0.9 * l->bars_w, l->bars_y + 5);
    assert_int_equal(stage->view.at.round, 0);
}

static void text_grows_with_the_window(void **state)
{
    struct stage *stage = *state;
    struct desk *desk = &stage->desk;
    assert_true(desk->scale == 1 && desk->width == 1000);
    desk_resize(desk, 3840, 2160, 1);
    assert_true(desk->scale == 2 && desk->width == 1920);
    desk_resize(desk, 1000, 700, 2); /* a screen with twice as many pixels */
    assert_true(desk->scale == 2 && desk->width == 500);
}

static void text_grows_by_keys_and_the_speed_too(void **state)
{
    struct stage *stage = *state;
    struct desk *desk = &stage->desk;
    assert_true(press(stage, "Ctrl++"));
    assert_float_equal(desk->scale, 1.1, 1e-9);
    assert_float_equal(desk->width, 1000 / 1.1, 1e-9);
    assert_true(has_text(drawn(stage), "text 110 %"));
    press(stage, "Ctrl+-");
    press(stage, "Ctrl+-");
    assert_float_equal(desk->scale, 0.9, 1e-9);
    for (int i = 0; i < 30; i++)
        press(stage, "Ctrl+-");
    assert_true(desk->scale >= 0.5);
    press(stage, "Ctrl+0");
    assert_true(desk->scale == 1);

    desk_press(desk, "Space", 0);
    int usual = desk_wait(desk, 0);
    assert_true(desk_press(desk, ">", 0));
    assert_true(desk_wait(desk, 0) < usual);
    assert_true(has_text(drawn(stage), "steps a second"));
    desk_press(desk, "<", 0);
    desk_press(desk, "<", 0);
    assert_true(desk_wait(desk, 0) > usual);
    for (int i = 0; i < 20; i++)
        desk_press(desk, i < 10 ? "<" : ">", 0);
    assert_in_range(desk_wait(desk, 0), 16, usual); /* a screen shows no more */
    press(stage, "F11");
    assert_int_equal(desk->wish, DESK_FULLSCREEN);
    press(stage, "Ctrl+Q");
    assert_int_equal(desk->wish, DESK_QUIT);
}

/* The legend has the lists of the stage that is shown, and no others. */
static void the_legend_has_only_what_is_there(void **state)
{
    struct stage *stage = *state;
    const struct drawing *drawing = drawn(stage);
    assert_true(has_text(drawing, "list A") && has_text(drawing, "list B"));
    assert_false(has_text(drawing, "list C"));
    assert_true(has_text(drawing, "used in this stage")); /* what is stored is of no list */
    assert_true(has_text(drawing, "by other warps"));
    press(stage, "Shift+Right");
    drawing = drawn(stage);
    assert_true(has_text(drawing, "list B") && !has_text(drawing, "list A"));
    assert_false(has_text(drawing, "used in this stage"));
    assert_false(has_text(drawing, "by other warps"));
}

/* Conflicts: round 1 of warp 0 one, round 2 of warp 1 two, round 3 of warp 0 one; 4 in all. */
static void w_goes_to_the_worst_step_and_the_next(void **state)
{
    struct stage *stage = *state;
    static const int expected[][2] = {{2, 1}, {1, 0}, {3, 0}, {2, 1}}; /* round, warp */
    for (int i = 0; i < 4; i++) {
        assert_true(press(stage, "w"));
        assert_int_equal(stage->view.at.round, expected[i][0]);
        assert_int_equal(stage->view.panel[0].warp, expected[i][1]);
    }
    press(stage, "w");
    press(stage, "Home"); /* from elsewhere it is the worst again */
    press(stage, "w");
    assert_int_equal(stage->view.at.round, 2);
    assert_true(has_text(drawn(stage), "the whole run: 4 conflicts in 3 of 5 steps"));

    assert_true(view_worst_of(&stage->view, 0));
    assert_int_equal(stage->view.at.round, 2);
    assert_true(view_worst_of(&stage->view, 1)); /* it has none: its first access */
    assert_int_equal(stage->view.panel[0].stage, 1);
    assert_int_equal(stage->view.at.round, 0);
    assert_int_equal(stage->view.panel[0].warp, 0);
}

static void g_asks_for_a_round(void **state)
{
    struct stage *stage = *state;
    press(stage, "g");
    assert_true(has_text(drawn(stage), "round _"));
    press(stage, "4");
    press(stage, "Backspace");
    press(stage, "3");
    assert_true(has_text(drawn(stage), "round 3_"));
    assert_int_equal(stage->view.at.round, 0);
    press(stage, "Return");
    assert_int_equal(stage->view.at.round, 3);
    assert_false(has_text(drawn(stage), "round 3_"));

    press(stage, "g");
    for (int i = 0; i < 20; i++)
        press(stage, "9");
    press(stage, "Return"); /* there is none: the last one */
    assert_int_equal(stage->view.at.round, 3);
    press(stage, "g");
    press(stage, "1");
    press(stage, "Escape");
    assert_int_equal(stage->desk.wish, DESK_NOTHING);
    assert_int_equal(stage->view.at.round, 3);
    press(stage, "g");
    press(stage, "Left"); /* another key does what it does */
    assert_int_equal(stage->view.at.round, 2);
    press(stage, "0");
    assert_false(stage->desk.asking);
}

/* Five steps of two warps: a bin each. */
static void the_strip_shows_the_run(void **state)
{
    struct stage *stage = *state;
    struct desk *desk = &stage->desk;
    drawn(stage);
    const struct overview *overview = &stage->view.panel[0].overview;
    const struct panel_layout *l = &stage->view.panel[0].layout;
    static const int levels[2][5] = {{0, 2, 0, 2, 0}, {0, -1, 4, -1, -1}};
    assert_int_equal(overview->columns, 5);
    assert_int_equal(overview->rows, 2);
    for (int warp = 0; warp < 2; warp++)
        for (int step = 0; step < 5; step++)
            assert_int_equal(overview_level(overview, 2, step, warp), levels[warp][step]);

    double x = l->over_x + 0.5 * l->over_w, y = l->over_y + 0.75 * l->over_h;
    assert_true(desk_move(desk, x, y));
    assert_true(has_text(drawn(stage), "write, round 2, warp 1: 3 passes, 2 conflicts"));
    assert_true(desk_button(desk, x, y, true));
    assert_int_equal(stage->view.at.round, 2);
    assert_int_equal(stage->view.panel[0].warp, 1);
    assert_true(desk_move(desk, l->over_x + 0.9 * l->over_w, l->over_y + 1)); /* held */
    assert_int_equal(stage->view.panel[0].stage, 1);
    desk_button(desk, x, y, false);

    /* The wheel shows fewer steps, about the pointer, and all again. */
    desk_move(desk, l->over_x + 1, y);
    assert_true(press(stage, "Wheel+Up"));
    drawn(stage);
    assert_int_equal(overview->columns, 4);
    assert_true(overview->from < 0.1 && overview->to < 4.1);
    assert_true(stage->view.zoom == 1); /* of the strip alone */
    for (int i = 0; i < 5; i++)
        press(stage, "Wheel+Down");
    assert_true(overview->from == 0 && overview->to == 5);
    desk_move(desk, l->over_x + 0.5 * l->over_w, y); /* 4 of 5 steps about the middle one */
    assert_true(press(stage, "Wheel+Up"));
    assert_float_equal(overview->from, 0.5, 0.02);
    assert_float_equal(overview->to, 4.5, 0.02);
    assert_true(press(stage, "Wheel+Down"));
    press(stage, "o");
    assert_false(has_text(drawn(stage), "the whole run"));
    assert_int_equal(view_hit(&stage->view, x, y).kind == HIT_OVERVIEW, false);
    press(stage, "o");
    assert_true(has_text(drawn(stage), "the whole run"));

    /* While a student is to find it out, nothing of it is told. */
    press(stage, "Home");
    view_hide(&stage->view, HIDE_TOTALS);
    assert_false(has_text(drawn(stage), "the whole run"));
    assert_false(press(stage, "w"));
    assert_int_equal(stage->view.at.round, 0);
}

static void click_desk(struct stage *stage, uint32_t word, double by)
{
    double x, y;
    cell_middle(&stage->view, 0, word, &x, &y);
    desk_button(&stage->desk, x, y, true);
    desk_move(&stage->desk, x + by, y);
    desk_button(&stage->desk, x + by, y, false);
    desk_leave(&stage->desk);
}

/* How many edges show words of the followed thread, now and in other rounds. */
static void expect_followed(const struct drawing *drawing, int now, int then)
{
    int thick = 0, thin = 0;
    for (size_t i = 0; i < drawing->count; i++) {
        const struct drawing_item *item = &drawing->item[i];
        thick += item->edge == ROLE_CURSOR && item->thick == 3;
        thin += item->edge == ROLE_CURSOR && item->thick > 1.1 && item->thick < 1.3;
    }
    assert_int_equal(thick, now);
    assert_int_equal(thin, then);
}

/* Thread 1 stores word 1, then reads 4, 2 and 7. */
static void a_click_follows_a_thread_through_the_rounds(void **state)
{
    struct stage *stage = *state;
    drawn(stage);
    click_desk(stage, 1, 0);
    assert_int_equal(stage->view.followed, 2);
    expect_followed(drawn(stage), 1, 3);
    assert_true(has_text(drawn(stage), "thread 1: word 1, value 101: written by thread 1"));
    press(stage, "Right");
    expect_followed(drawn(stage), 1, 3);
    assert_true(has_text(drawn(stage), "thread 1: word 4, list A, value 101: read by thread 1 of "
                                       "warp 0 in round 1.  bank 0: words 0, 4"));
    press(stage, "Shift+Right"); /* where it does nothing */
    expect_followed(drawn(stage), 0, 0);
    assert_true(has_text(drawn(stage), "thread 1: idle in this round"));
    press(stage, "Home");
    press(stage, "Home");
    drawn(stage);
    click_desk(stage, 1, 0); /* again: lets it go */
    assert_int_equal(stage->view.followed, 0);
    click_desk(stage, 1, 60); /* a drag is no click */
    assert_int_equal(stage->view.followed, 0);
    click_desk(stage, 6, 0); /* a word of the other warp: goes there */
    assert_int_equal(stage->view.followed, 4 + 2 + 1);
    assert_int_equal(stage->view.panel[0].warp, 1);
    press(stage, "p");
    assert_int_equal(stage->view.followed, 4 + 3 + 1);
    press(stage, "p"); /* the first of the warp shown, when the last has been */
    press(stage, "Delete");
    assert_int_equal(stage->view.followed, 0);
    expect_followed(drawn(stage), 0, 0);
    const int threads = stage->view.panel[0].index->trace->header.threads;
    assert_true(view_follow_thread(&stage->view, threads - 1));
    assert_false(view_follow_thread(&stage->view, threads - 1)); /* as before */
    assert_true(view_follow_thread(&stage->view, threads));      /* none that there is */
    assert_int_equal(stage->view.followed, 0);
    assert_true(view_follow_thread(&stage->view, 0));
    assert_int_equal(stage->view.followed, 1);
    press(stage, "Delete");

    press(stage, "p");
    view_hide(&stage->view, HIDE_LABELS); /* what a student is to find out */
    expect_followed(drawn(stage), 0, 0);
    assert_false(press(stage, "p"));
}

static void lists_say_where_conflicts_are_and_go_there(void **state)
{
    struct stage *stage = *state;
    press(stage, "s");
    assert_true(has_text(drawn(stage), "stages and their conflicts"));
    assert_true(has_text(drawn(stage), "write") && has_text(drawn(stage), "read"));
    assert_int_equal(stage->desk.chosen, 0);
    press(stage, "Up");
    assert_int_equal(stage->desk.chosen, 0);
    press(stage, "Down");
    press(stage, "Return");
    assert_int_equal(stage->view.panel[0].stage, 1);
    assert_false(has_text(drawn(stage), "stages and their conflicts"));
    press(stage, "s");
    assert_int_equal(stage->desk.chosen, 1);
    press(stage, "Home");
    press(stage, "Return"); /* the worst round of the stage */
    assert_int_equal(stage->view.panel[0].stage, 0);
    assert_int_equal(stage->view.at.round, 2);

    press(stage, "b");
    assert_true(has_text(drawn(stage), "block 0"));
    const struct drawing *drawing = drawn(stage);
    bool sum = false; /* the conflicts of all: one block */
    for (size_t i = 0; i < drawing->count; i++)
        sum |= drawing->item[i].shape == SHAPE_TEXT && drawing->item[i].align == ALIGN_RIGHT &&
               !strcmp(drawing_string(drawing, &drawing->item[i]), "4");
    assert_true(sum);
    press(stage, "Escape"); /* closes the list, not the window */
    assert_int_equal(stage->desk.wish, DESK_NOTHING);
    press(stage, "b");
    assert_true(press(stage, "Left")); /* another key does what it does */
    assert_int_equal(stage->view.at.round, 1);
    assert_false(has_text(drawn(stage), "block 0"));
    view_hide(&stage->view, HIDE_TOTALS);
    assert_false(press(stage, "s"));
}

/* ---- work in the background --------------------------------------------------------------------- */

/* Does what the window does in a thread. */
static bool works(struct stage *stage)
{
    struct job *job = desk_work(&stage->desk);
    if (!job)
        return false;
    assert_null(desk_work(&stage->desk)); /* it has begun */
    job_run(job);
    return desk_worked(&stage->desk);
}

static void the_advised_layout_stands_beside_todays(void **state)
{
    struct stage *stage = *state;
    struct view *view = &stage->view;
    assert_false(works(stage));
    assert_true(press(stage, "a"));
    assert_true(has_text(drawn(stage), "searching layouts"));
    assert_int_equal(view->panels, 1);
    press(stage, "a"); /* one thing at a time */
    assert_true(has_text(drawn(stage), "one thing at a time"));
    assert_true(works(stage));
    assert_int_equal(view->panels, 2);
    assert_int_equal(view->active, 0);
    assert_true(has_text(drawn(stage), "advised: "));
    /* Word 0 and 4, 1 5 and 9, 3 and 7 met: 4 conflicts of 11 passes. */
    uint64_t conflicts = view->panel[1].overview.conflicts;
    assert_int_equal(view->panel[0].overview.conflicts, 4);
    assert_true(conflicts < 4);
    char title[64];
    snprintf(title, sizeof title, "(11 passes become %d)", 7 + (int)conflicts);
    assert_true(has_text(&stage->desk.drawing, title));
    press(stage, "Right");
    press(stage, "Right");
    press(stage, "Down");
    assert_int_equal(view->panel[1].step, 2); /* they go together */
    assert_int_equal(view->panel[1].warp, 1);
    assert_true(press(stage, "a"));
    assert_int_equal(view->panels, 1);
    view_hide(view, HIDE_TOTALS); /* it would tell */
    press(stage, "a");
    assert_null(desk_work(&stage->desk));
    view_hide(view, 0);
    struct pane pane = {.blocks = 0}; /* a lesson, which may show something else meanwhile */
    stage->desk.pane = &pane;
    press(stage, "a");
    assert_null(desk_work(&stage->desk));
}

static void where_no_layout_is_better_it_says_why(void **state)
{
    (void)state;
    static const struct lanes row[] = {
        {0, 0, 0, 0, OP_STORE, 4, 4, {0, 1, 2, 3}, {0, 1, 2, 3}, NULL}};
    struct stage stage = {.view = {0}};
    make(&stage.trace, 4, 4, 4, 4, 0, row, 1);
    open_view(&stage.view, stage.index, &stage.trace, NULL);
    desk_init(&stage.desk, &stage.view, NULL);
    desk_resize(&stage.desk, 1000, 700, 1);
    press(&stage, "a");
    assert_true(works(&stage));
    assert_int_equal(stage.view.panels, 1);
    assert_true(has_text(drawn(&stage), "no conflicts: no layout costs less"));
    desk_free(&stage.desk);
    close_view(&stage.view, stage.index);
    trace_free(&stage.trace);
}

static void four_panels_find_room_and_go_together(void **state)
{
    struct stage *stage = *state;
    struct view *view = &stage->view;
    struct error error = {{0}};
    for (int i = 1; i < PANELS; i++) {
        struct exhibit *exhibit = exhibit_new();
        make(&exhibit->trace, 4, 4, 8, 12, 0, rounds, 3 + i); /* some have fewer rounds */
        assert_true(exhibit_index(exhibit, &error) && view_add(view, exhibit, &error));
    }
    struct exhibit *fifth = exhibit_new();
    make(&fifth->trace, 4, 4, 8, 12, 0, rounds, 3);
    assert_true(exhibit_index(fifth, &error));
    assert_false(view_add(view, fifth, &error));
    assert_non_null(strstr(error.text, "4 recordings are shown already"));
    exhibit_free(fifth);
    for (int size = 0; size < 2; size++) {
        desk_resize(&stage->desk, size ? 1400 : 500, size ? 500 : 900, 1);
        drawn(stage);
        for (int p = 0; p < PANELS; p++) {
            const struct panel_layout *l = &view->panel[p].layout;
            assert_true(l->x >= 0 && l->y >= 0 && l->w > 50 && l->h > 50);
            assert_true(l->x + l->w <= stage->desk.width && l->y + l->h <= stage->desk.height);
            for (int q = 0; q < p; q++) {
                const struct panel_layout *m = &view->panel[q].layout;
                assert_true(l->x >= m->x + m->w || m->x >= l->x + l->w || l->y >= m->y + m->h ||
                            m->y >= l->y + l->h);
            }
        }
    }
    press(stage, "Right");
    press(stage, "Right");
    for (int p = 0; p < PANELS; p++)
        assert_int_equal(view->panel[p].step, 2);
    for (int i = 1; i <= PANELS; i++) {
        press(stage, "Tab");
        assert_int_equal(view->active, i % PANELS);
    }
    press(stage, "Tab");
    assert_true(press(stage, "x")); /* closes the second */
    assert_int_equal(view->panels, 3);
    press(stage, "Tab");
    assert_int_equal(view->active, 2);
    assert_true(press(stage, "x")); /* the last leads no more */
    assert_int_equal(view->active, 1);
    assert_true(press(stage, "x"));
    assert_false(press(stage, "x")); /* one stays */
    assert_int_equal(view->panels, 1);
    drawn(stage);
}

static void another_recording_takes_a_panels_place(void **state)
{
    struct stage *stage = *state;
    struct view *view = &stage->view;
    struct error error = {{0}};
    press(stage, "End");
    press(stage, "Down");
    view_follow_thread(view, 6);
    struct exhibit *exhibit = exhibit_new(); /* fewer rounds, one warp */
    make(&exhibit->trace, 4, 4, 4, 12, 0, rounds, 1);
    assert_true(exhibit_index(exhibit, &error));
    assert_true(view_replace(view, 0, exhibit, true, &error));
    assert_int_equal(view->panel[0].warp, 0);
    assert_int_equal(view->panel[0].step, 0);
    assert_int_equal(view->followed, 0);
    assert_true(has_text(drawn(stage), "the whole run: passes 11, now 1; conflicts 4, now 0"));
    assert_false(press(stage, "Right"));
}
/* ---- parameters to turn ------------------------------------------------------------------------- */

/* Records a run of n rounds, in which each thread reads its word times s. */
struct maker {
    int recorded, opened, changed, pages;
    int64_t n, s, u; /* of the last recording */
    const struct trace *shown;
    bool refuse;
};

static int maker_dials(void *context, int subject, struct dial *dial, int room)
{
    static const char *const words[] = {"plain", "fancy", NULL};
    static const struct dial own[] = {
        {.name = "w", .help = "lanes", .value = 4, .lowest = 1, .highest = 8, .slider = 8},
        {.name = "u",
         .help = "threads",
         .unit = "w",
         .value = 8,
         .lowest = 1,
         .highest = 64,
         .slider = 64},
        {.name = "n", .help = "rounds", .value = 3, .lowest = 1, .highest = 1 << 20, .slider = 99},
        {.name = "style", .help = "how", .words = words, .value = 0, .highest = 1, .slider = 1},
    };
    (void)context, (void)subject;
    assert_true(room >= 4);
    memcpy(dial, own, sizeof own);
    return 4;
}

static int64_t dialled(const struct dials *dials, const char *name, int subject)
{
    for (int i = 0; i < dials->count; i++)
        if (!strcmp(dials->dial[i].name, name) && dials->dial[i].subjects & 1u << subject)
            return dials->dial[i].value;
    fail_msg("no dial %s of subject %d", name, subject);
    return 0;
}

static bool maker_record(void *context, struct job *job)
{
    struct maker *maker = context;
    maker->recorded++;
    maker->n = dialled(&job->dials, "n", job->subject);
    maker->u = dialled(&job->dials, "u", job->subject);
    if (maker->refuse)
        return error_set(&job->error, "n must be odd");
    int n = maker->n < 5 ? (int)maker->n : 5;
    make(&job->result->trace, 4, 4, 8, 12, 0, rounds, n);
    return true;
}

static bool maker_open(void *context, struct job *job)
{
    struct maker *maker = context;
    maker->opened++;
    job->subject = 0;
    while (!(job->free & 1u << job->subject))
        job->subject++;
    if (strcmp(job->name, "good one"))
        return error_set(&job->error, "there is no %s", job->name);
    make(&job->result->trace, 4, 4, 8, 12, 0, rounds, 3);
    return true;
}

static bool maker_stops(struct job *job)
{
    (void)job;
    return false;
}

static unsigned maker_changed(void *context)
{
    struct maker *maker = context;
    unsigned changed = (unsigned)maker->changed;
    maker->changed = 0;
    return changed;
}

/* Lets the desk turn what it shows. */
static struct workshop turns(struct stage *stage, struct maker *maker, struct workshop *workshop)
{
    *workshop = (struct workshop){
        .context = maker, .dials = maker_dials, .record = maker_record, .open = maker_open};
    stage->desk.workshop = workshop;
    stage->view.panel[0].subject = 1;
    desk_take_dials(&stage->desk);
    return *workshop;
}

static void keys_turn_parameters_and_it_is_recorded_anew(void **state)
{
    struct stage *stage = *state;
    struct maker maker = {.recorded = 0};
    struct workshop workshop;
    press(stage, "k"); /* there is nobody to record */
    press(stage, "?");
    assert_false(has_text(drawn(stage), "parameters"));
    press(stage, "?");
    workshop = (struct workshop){.context = &maker};
    stage->desk.workshop = &workshop;
    press(stage, "k");
    assert_true(has_text(drawn(stage), "no parameters to turn"));
    turns(stage, &maker, &workshop);
    press(stage, "Right");
    press(stage, "Right");
    assert_true(has_text(drawn(stage), "parameters"));
    assert_true(stage->desk.picture_w < 1000);
    press(stage, "k");
    press(stage, "Down");
    press(stage, "Down");                      /* n */
    assert_int_equal(stage->view.at.round, 2); /* keys go to the dials */
    assert_false(works(stage));
    press(stage, "Right");
    assert_true(has_text(drawn(stage), "recording..."));
    assert_true(works(stage));
    assert_int_equal(maker.recorded, 1);
    assert_int_equal(maker.n, 4);
    assert_int_equal(stage->view.at.round, 2); /* the round stays */
    assert_true(has_text(drawn(stage), "the whole run: passes 11, now 5; conflicts 4, now 1"));
    press(stage, "1");
    press(stage, "7");
    press(stage, "Backspace");
    press(stage, "2");
    assert_int_equal(maker.recorded, 1);
    assert_true(has_text(drawn(stage), "12_"));
    press(stage, "Return");
    assert_true(works(stage));
    assert_int_equal(maker.n, 12);
    assert_true(has_text(drawn(stage), "the whole run: passes 5, now 8; conflicts 1, now 3"));
    press(stage, "Escape"); /* done: not the window's end */
    assert_int_equal(stage->desk.wish, DESK_NOTHING);
    press(stage, "]");
    assert_true(works(stage));
    assert_int_equal(maker.n, 13);
    press(stage, "Left");
    assert_int_equal(stage->view.at.round, 1);
    press(stage, "k");
    press(stage, "k");
    assert_int_equal((int)(drawn(stage), stage->desk.picture_w), 1000); /* hidden */
}

static bool maker_page(void *context, struct job *job)
{
    struct maker *maker = context;
    maker->pages++;
    assert_int_equal(job->panels, 1);
    assert_ptr_equal(job->shown[0].trace, maker->shown);
    assert_int_equal(job->shown[0].subject, 0);
    assert_string_equal(job->name, "all.html");
    assert_string_equal(job->place, "stage write\nround 1\nlabel address\n");
    return maker->pages == 1 || error_set(&job->error, "it is full");
}

static void a_page_is_written_of_what_is_shown(void **state)
{
    struct stage *stage = *state;
    struct maker maker = {.shown = stage->view.panel[0].index->trace};
    struct workshop workshop;
    assert_false(desk_page(&stage->desk, "all.html")); /* by nobody */
    turns(stage, &maker, &workshop);
    assert_false(desk_page(&stage->desk, "all.html"));
    workshop.page = maker_page;
    press(stage, "g");
    press(stage, "1");
    press(stage, "Return");
    press(stage, "l");
    for (int i = 0; i < 2; i++) {
        snprintf(stage->desk.note, sizeof stage->desk.note, "wrote it");
        assert_true(desk_page(&stage->desk, "all.html"));
        assert_false(desk_page(&stage->desk, "more.html")); /* one thing at a time */
        assert_true(has_text(drawn(stage), "wrote it"));
        assert_true(works(stage));
        assert_true(has_text(drawn(stage), i == 0 ? "wrote it, and the page all.html"
                                                  : "wrote it, but no page: it is full"));
    }
    assert_int_equal(stage->view.panels, 1);
}

static void a_size_stays_a_multiple(void **state)
{
    struct stage *stage = *state;
    struct maker maker = {.recorded = 0};
    struct workshop workshop;
    turns(stage, &maker, &workshop);
    drawn(stage);
    press(stage, "k");
    press(stage, "Down");
    press(stage, "Right");
    assert_true(works(stage));
    assert_int_equal(maker.u, 12);
    press(stage, "1");
    press(stage, "Return"); /* at least one warp */
    assert_true(works(stage));
    assert_int_equal(maker.u, 4);
    press(stage, "Up");
    press(stage, "7");
    press(stage, "Return"); /* w */
    assert_true(works(stage));
    assert_int_equal(maker.u, 7);
    press(stage, "9");
    press(stage, "9");
    press(stage, "Return");
    assert_true(works(stage));
    assert_int_equal(dialled(&stage->desk.dials, "w", 0), 8); /* the highest */
    assert_int_equal(maker.u, 8);
}

static void a_slider_is_dragged_and_only_the_last_place_counts(void **state)
{
    struct stage *stage = *state;
    struct desk *desk = &stage->desk;
    struct maker maker = {.recorded = 0};
    struct workshop workshop;
    turns(stage, &maker, &workshop);
    drawn(stage);
    double y = desk->dials.y + 26 + 2.5 * 24, x = desk->dials.x + desk->dials.w / 2;
    assert_true(desk_button(desk, x, y, true));
    struct job *job = desk_work(desk);
    assert_non_null(job);
    int64_t first = dialled(&desk->dials, "n", 0);
    for (int i = 1; i < 30; i++)
        desk_move(desk, x + i, y);
    assert_null(desk_work(desk)); /* one at a time */
    assert_true(dialled(&desk->dials, "n", 0) > first);
    desk_button(desk, x + 30, y, false);
    job_run(job);
    assert_true(desk_worked(desk));
    assert_int_equal(maker.n, first);
    assert_true(works(stage));
    assert_false(works(stage));
    assert_int_equal(maker.recorded, 2);
    assert_int_equal(maker.n, dialled(&desk->dials, "n", 0));
    int64_t last = dialled(&desk->dials, "n", 0);
    assert_false(desk_move(desk, x, y)); /* let go */
    assert_int_equal(dialled(&desk->dials, "n", 0), last);
    assert_true(desk_button(desk, desk->dials.x + desk->dials.w, y + 24, true) == false);
}

static void a_recording_that_fails_is_said_and_marked(void **state)
{
    struct stage *stage = *state;
    struct maker maker = {.refuse = true};
    struct workshop workshop;
    turns(stage, &maker, &workshop);
    drawn(stage);
    const struct trace_index *before = stage->view.panel[0].index;
    press(stage, "]");
    assert_true(works(stage));
    assert_true(has_text(drawn(stage), "n must be odd"));
    assert_ptr_equal(stage->view.panel[0].index, before);
    int bad = count_items(drawn(stage), SHAPE_TEXT, ROLE_BAD_EDGE);
    assert_true(bad >= 4);
    maker.refuse = false;
    press(stage, "[");
    assert_true(works(stage));
    assert_true(count_items(drawn(stage), SHAPE_TEXT, ROLE_BAD_EDGE) <= bad - 4);
}

static void panels_of_one_kind_share_their_parameters(void **state)
{
    struct stage *stage = *state;
    struct view *view = &stage->view;
    struct error error = {{0}};
    struct maker maker = {.recorded = 0};
    struct workshop workshop;
    struct exhibit *exhibit = exhibit_new();
    make(&exhibit->trace, 4, 4, 8, 12, 0, rounds, 4);
    assert_true(exhibit_index(exhibit, &error) && view_add(view, exhibit, &error));
    view->panel[1].subject = 2;
    turns(stage, &maker, &workshop);
    assert_int_equal(stage->desk.dials.count, 4);
    drawn(stage);
    press(stage, "]");
    assert_true(works(stage));
    assert_true(works(stage)); /* the other one */
    assert_false(works(stage));
    assert_int_equal(maker.recorded, 2);
    press(stage, "x");
    assert_int_equal(view->panels, 1);
    assert_int_equal(view->panel[0].subject, 2);
    press(stage, "]");
    assert_true(works(stage));
    assert_false(works(stage));
}

/* Who opens a recording changes the subjects, in another thread. */
static void nobody_is_asked_for_changes_while_something_is_opened(void **state)
{
    struct stage *stage = *state;
    struct maker maker = {.changed = 1};
    struct workshop workshop;
    turns(stage, &maker, &workshop);
    workshop.changed = maker_changed;
    desk_open(&stage->desk, "good one", false);
    desk_tick(&stage->desk, 1000);
    assert_int_equal(maker.changed, 1);
    assert_true(works(stage));
    desk_tick(&stage->desk, 2000);
    assert_int_equal(maker.changed, 0);
    assert_true(works(stage));
    assert_int_equal(maker.recorded, 1);
}

static void files_that_change_are_recorded_again(void **state)
{
    struct stage *stage = *state;
    struct maker maker = {.recorded = 0};
    struct workshop workshop;
    turns(stage, &maker, &workshop);
    assert_int_equal(desk_wait(&stage->desk, 1000), -1);
    workshop.changed = maker_changed;
    assert_int_equal(desk_wait(&stage->desk, 1000), 0);
    desk_tick(&stage->desk, 1000);
    assert_false(works(stage));
    int wait = desk_wait(&stage->desk, 1000);
    assert_true(wait > 0 && wait < 1000);
    maker.changed = 1;
    desk_tick(&stage->desk, 1001); /* not yet */
    assert_false(works(stage));
    desk_tick(&stage->desk, 1000 + (uint64_t)wait);
    assert_true(works(stage));
    assert_int_equal(maker.recorded, 1);
}

static void what_takes_too_long_is_stopped_when_it_is_not_wanted(void **state)
{
    struct stage *stage = *state;
    struct maker maker = {.recorded = 0};
    struct workshop workshop;
    turns(stage, &maker, &workshop);
    desk_press(&stage->desk, "]", 1000);
    struct job *job = desk_work(&stage->desk);
    desk_press(&stage->desk, "]", 1100);
    assert_false(job->stop); /* it may be ready soon */
    desk_press(&stage->desk, "]", 9000);
    assert_true(job->stop);
    struct trace_sink sink = job_sink(job);
    uint8_t lane = 0;
    uint32_t addr = 0;
    struct warp_access access = {.lanes = 1, .lane = &lane, .addr = &addr, .bytes = 4};
    struct error error = {{0}};
    assert_false(sink.access(sink.context, &access, &error)); /* which ends the recording */
    job->work = maker_stops;
    job_run(job);
    desk_worked(&stage->desk);
    assert_string_equal(stage->desk.note, "");
    assert_true(works(stage));
    assert_int_equal(dialled(&stage->desk.dials, "w", 0), 7);
}

static void another_recording_is_opened_by_name(void **state)
{
    struct stage *stage = *state;
    struct view *view = &stage->view;
    struct maker maker = {.recorded = 0};
    struct workshop workshop;
    press(stage, "Ctrl+O");
    assert_false(has_text(drawn(stage), "Return opens it"));
    assert_false(desk_open(&stage->desk, "good one", false));
    turns(stage, &maker, &workshop);
    press(stage, "Ctrl+O");
    static const char *const typed[] = {"g", "o", "o",         "d",      "Space",     "o",
                                        "n", "x", "Backspace", "\u00e9", "Backspace", "e"};
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        assert_true(press(stage, typed[i]));
    assert_true(has_text(drawn(stage), "open good one_"));
    press(stage, "Return");
    assert_true(works(stage));
    assert_int_equal(view->panels, 2);
    assert_int_equal(view->panel[1].subject, 2);
    assert_int_equal(stage->desk.dials.count, 4);          /* shared */
    assert_true(desk_open(&stage->desk, "bad one", true)); /* as when it is dropped */
    assert_true(works(stage));
    assert_true(has_text(drawn(stage), "there is no bad one"));
    desk_open(&stage->desk, "bad one", true); /* several are dropped: a bad one ends it */
    desk_open(&stage->desk, "good one", false);
    assert_true(works(stage));
    assert_true(has_text(drawn(stage), "there is no bad one; the others were not opened"));
    assert_false(works(stage));
    for (int i = 0; i < 3; i++) /* two more, then instead of the leading one */
        desk_open(&stage->desk, "good one", false);
    for (int i = 0; i < 3; i++)
        assert_true(works(stage));
    assert_false(works(stage));
    assert_int_equal(view->panels, PANELS);
    assert_int_equal(maker.opened, 6);
    assert_int_equal(view->panel[0].subject, 1);
    assert_int_equal(view->panel[0].index->trace->count, 3);
    drawn(stage);
}

/* Between the recording and what was opened since stands the advised layout, which goes while either
 * is recorded anew. */
static void a_panel_behind_the_advised_one_is_recorded_anew(void **state)
{
    struct stage *stage = *state;
    struct view *view = &stage->view;
    struct maker maker = {.recorded = 0};
    struct workshop workshop;
    turns(stage, &maker, &workshop);
    press(stage, "a");
    assert_true(works(stage));
    desk_open(&stage->desk, "good one", false);
    assert_true(works(stage));
    assert_int_equal(view->panels, 3);
    assert_true(view->panel[1].advised);
    workshop.changed = maker_changed;
    maker.changed = 2; /* the second subject, in the third panel */
    desk_tick(&stage->desk, 1000);
    assert_int_equal(view->panels, 2);
    assert_true(works(stage));
    assert_int_equal(maker.recorded, 1);
    assert_true(!view->panel[0].replaced && view->panel[1].replaced);
    assert_true(works(stage)); /* advises again */
    assert_true(view->panels == 3 && view->panel[2].advised);
    press(stage, "]"); /* of both: they share it */
    assert_true(works(stage));
    assert_true(works(stage));
    assert_int_equal(maker.recorded, 3);
    assert_true(view->panel[0].replaced && view->panel[1].replaced);
    drawn(stage);
}

/* A list stays open while the mouse makes another panel lead, which has less of what is listed. */
static void a_list_follows_the_panel_that_leads(void **state)
{
    struct stage *stage = *state;
    struct view *view = &stage->view;
    struct error error = {{0}};
    struct exhibit *exhibit = exhibit_new();
    char *said = NULL;
    size_t length;
    make(&exhibit->trace, 4, 4, 8, 12, 0, rounds, 6);
    while (exhibit->trace.header.stages > 1)
        free(exhibit->trace.header.stage[--exhibit->trace.header.stages]);
    assert_true(exhibit_index(exhibit, &error) && view_add(view, exhibit, &error));
    press(stage, "s");
    press(stage, "End");
    assert_int_equal(stage->desk.chosen, 2);
    view_swap(view);
    drawn(stage);
    FILE *file = open_memstream(&said, &length);
    assert_true(desk_says(&stage->desk, file));
    fclose(file);
    assert_string_equal(said, "write: 4 conflicts; 1 of 1. ");
    free(said);
    press(stage, "Return");
    assert_int_equal(view->panel[1].stage, 0);
    drawn(stage);
}

static int halo_lines(const struct drawing *drawing)
{
    int lines = 0;
    for (size_t i = 0; i < drawing->count; i++)
        lines += drawing->item[i].role == ROLE_HALO;
    return lines;
}

static const struct drawing *notes_of(struct stage *stage, struct drawing *notes)
{
    assert_true(desk_draw_notes(&stage->desk, 600, 400, notes));
    return notes;
}

static void f5_presents_where_there_is_a_window_for_notes(void **state)
{
    struct stage *stage = *state;
    stage->desk.in_browser = true;
    assert_false(press(stage, "F5")); /* loads a page again */
    stage->desk.in_browser = false;
    desk_move(&stage->desk, 300, 200);
    double width = stage->desk.width;
    assert_int_equal(halo_lines(drawn(stage)), 0);
    assert_true(press(stage, "F5"));
    assert_int_equal(stage->desk.wish, DESK_PRESENT);
    assert_true(stage->desk.width < 0.8 * width); /* fewer points: larger text */
    assert_true(halo_lines(drawn(stage)) >= 20);
    assert_float_equal(stage->desk.x, 300 / 1.35, 1e-6); /* where the pointer is */
    assert_true(desk_move(&stage->desk, 100, 100));
    assert_true(desk_leave(&stage->desk));
    assert_int_equal(halo_lines(drawn(stage)), 0);
    assert_true(press(stage, "PageDown")); /* a remote control */
    assert_int_equal(stage->view.at.round, 1);
    assert_true(press(stage, "PageUp"));
    assert_int_equal(stage->view.at.round, 0);
    assert_true(press(stage, "Escape"));
    assert_false(stage->view.presenting);
    assert_float_equal(stage->desk.width, width, 1e-6);
    stage->desk.wish = DESK_NOTHING;
    press(stage, "Escape"); /* closes what is open, and nothing is */
    assert_int_equal(stage->desk.wish, DESK_NOTHING);
    press(stage, "q");
    assert_int_equal(stage->desk.wish, DESK_QUIT);
}

static void a_blank_screen_shows_nothing_until_a_key(void **state)
{
    struct stage *stage = *state;
    struct drawing notes = {.width = 0};
    press(stage, "b");
    assert_int_equal(stage->desk.list, LIST_BLOCKS); /* when nobody presents */
    press(stage, "Escape");
    press(stage, "F5");
    assert_true(press(stage, "b"));
    const struct drawing *picture = drawn(stage);
    assert_int_equal(picture->count, 1);
    assert_int_equal(picture->item[0].role, ROLE_BLANK);
    assert_true(picture->item[0].w > stage->desk.width - 0.1);
    assert_true(has_text(notes_of(stage, &notes), "screen is blank"));
    assert_true(press(stage, "Right")); /* brings it back, and does no more */
    assert_true(has_text(drawn(stage), "round 0"));
    assert_false(has_text(notes_of(stage, &notes), "screen is blank"));
    drawing_free(&notes);
}

static void v_hides_numbers_from_the_class_not_from_the_notes(void **state)
{
    struct stage *stage = *state;
    struct drawing notes = {.width = 0};
    static const struct pane_block own[] = {{PANE_TEXT, "let them vote"}};
    stage->view.note = own;
    stage->view.notes = 1;
    press(stage, "F5");
    press(stage, "w");
    assert_true(has_text(drawn(stage), "3 passes, 2 conflicts"));
    assert_true(press(stage, "v"));
    press(stage, "no such key"); /* the note goes */
    assert_false(has_text(drawn(stage), "2 conflicts"));
    assert_true(has_text(drawn(stage), "passes ?"));
    notes_of(stage, &notes);
    assert_true(has_text(&notes, "let them vote"));
    assert_true(has_text(&notes, "3 passes, 2 conflicts"));
    assert_true(has_text(&notes, "v shows them"));
    view_hide(&stage->view, HIDE_COSTS); /* a question */
    press(stage, "v");
    assert_false(has_text(drawn(stage), "2 conflicts")); /* is not answered by a key */
    assert_true(has_text(notes_of(stage, &notes), "until the question is answered"));
    view_hide(&stage->view, 0);
    assert_true(has_text(drawn(stage), "2 conflicts"));
    drawing_free(&notes);
}

static void the_notes_count_minutes(void **state)
{
    struct stage *stage = *state;
    struct drawing notes = {.width = 0};
    desk_press(&stage->desk, "F5", 5000);
    assert_int_equal(desk_wait(&stage->desk, 5000), 60000);
    assert_false(desk_tick(&stage->desk, 64999));
    assert_true(has_text(notes_of(stage, &notes), "0 minutes"));
    assert_true(desk_tick(&stage->desk, 65000));
    assert_true(has_text(notes_of(stage, &notes), "1 minute "));
    assert_int_equal(desk_wait(&stage->desk, 66000), 59000);
    drawing_free(&notes);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, open_desk, close_desk)
    const struct CMUnitTest tests[] = {
        CASE(keys_step_and_say_whether_anything_changed),
        CASE(the_help_lists_keys_and_goes_with_the_next),
        CASE(what_a_window_must_do_is_a_wish),
        CASE(playing_waits_for_its_time),
        CASE(the_mouse_hovers_drags_and_jumps),
        CASE(text_grows_with_the_window),
        CASE(text_grows_by_keys_and_the_speed_too),
        CASE(the_legend_has_only_what_is_there),
        CASE(w_goes_to_the_worst_step_and_the_next),
        CASE(g_asks_for_a_round),
        CASE(the_strip_shows_the_run),
        CASE(lists_say_where_conflicts_are_and_go_there),
        CASE(a_click_follows_a_thread_through_the_rounds),
        CASE(the_advised_layout_stands_beside_todays),
        cmocka_unit_test(where_no_layout_is_better_it_says_why),
        CASE(four_panels_find_room_and_go_together),
        CASE(another_recording_takes_a_panels_place),
        CASE(keys_turn_parameters_and_it_is_recorded_anew),
        CASE(a_page_is_written_of_what_is_shown),
        CASE(a_size_stays_a_multiple),
        CASE(a_slider_is_dragged_and_only_the_last_place_counts),
        CASE(a_recording_that_fails_is_said_and_marked),
        CASE(panels_of_one_kind_share_their_parameters),
        CASE(files_that_change_are_recorded_again),
        CASE(nobody_is_asked_for_changes_while_something_is_opened),
        CASE(what_takes_too_long_is_stopped_when_it_is_not_wanted),
        CASE(another_recording_is_opened_by_name),
        CASE(a_panel_behind_the_advised_one_is_recorded_anew),
        CASE(a_list_follows_the_panel_that_leads),
        CASE(f5_presents_where_there_is_a_window_for_notes),
        CASE(a_blank_screen_shows_nothing_until_a_key),
        CASE(v_hides_numbers_from_the_class_not_from_the_notes),
        CASE(the_notes_count_minutes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
