/* test_desk_launches.c - a program as a whole in the window: its launches, the way back, and the search. */
#include "tests/support/hand_made.h"

static const struct lanes rounds[] = {
    {0, 0, 0, 0, OP_STORE, 4, 4, {0, 1, 2, 3}, {0, 1, 2, 3}, NULL},
    {0, 1, 0, 0, OP_LOAD, 4, 2, {0, 1}, {0, 4}, NULL},
    {1, 0, 0, 0, OP_LOAD, 4, 1, {2}, {11}, NULL},
    {1, 1, 0, 0, OP_LOAD, 4, 1, {2}, {4}, NULL},
};

/* What the program has launched, in its order. */
struct maker {
    int launches, surveyed, shown;
    bool fails;
};
static const struct launch_row launched[] = {
    {"scale", "4 x 32", 0, 40, 0, 0, 0},
    {"transpose<32>", "4x4 x 32x8", 1, 900, 800, 0, 0},
    {"transpose<33>", "4x4 x 32x8", 2, 100, 0, 0, 0},
    {"reduce", "2 x 64", 5, 70, 8, 0, 0},
};

static bool maker_survey(void *context, struct job *job)
{
    struct maker *maker = context;
    maker->surveyed++;
    assert_null(job->result);
    return !maker->fails || error_set(&job->error, "it does not compile");
}

static void maker_doing(void *context, char *text, size_t room)
{
    const struct maker *maker = context;
    snprintf(text, room, "%s", maker->surveyed ? "app.cu: all" : "compiling app.cu...");
}

static int maker_launches(void *context)
{
    return ((struct maker *)context)->launches;
}

static void maker_launch(void *context, int number, struct launch_row *row)
{
    (void)context;
    *row = launched[number];
    row->number = number;
}

static bool maker_show(void *context, struct job *job)
{
    struct maker *maker = context;
    maker->shown = job->launch;
    job->subject = 0;
    make(&job->result->trace, 4, 4, 8, 12, 0, rounds, 1 + job->launch);
    return true;
}

struct stage {
    struct maker maker;
    struct workshop workshop;
    struct view view;
    struct desk desk;
};

static int open_desk(void **state)
{
    struct stage *stage = calloc(1, sizeof *stage);
    struct error error = {{0}};
    stage->maker.launches = 4;
    stage->workshop = (struct workshop){.context = &stage->maker,
                                        .survey = maker_survey,
                                        .doing = maker_doing,
                                        .launches = maker_launches,
                                        .launch = maker_launch,
                                        .show = maker_show};
    assert_true(view_init(&stage->view, NULL, NULL, &error));
    desk_init(&stage->desk, &stage->view, NULL);
    stage->desk.workshop = &stage->workshop;
    desk_resize(&stage->desk, 1000, 700, 1);
    *state = stage;
    return 0;
}

static int close_desk(void **state)
{
    struct stage *stage = *state;
    desk_free(&stage->desk);
    view_free(&stage->view);
    free(stage);
    return 0;
}

static bool press(struct stage *stage, const char *key)
{
    return desk_press(&stage->desk, key, 0);
}

static void type(struct stage *stage, const char *text)
{
    for (; *text; text++)
        assert_true(press(stage, (char[]){*text, '\0'}));
}

static const struct drawing *drawn(struct stage *stage)
{
    struct error error = {{0}};
    assert_true(desk_draw(&stage->desk, &error));
    return &stage->desk.drawing;
}

static bool works(struct stage *stage)
{
    struct job *job = desk_work(&stage->desk);
    if (!job)
        return false;
    job_run(job);
    return desk_worked(&stage->desk);
}

/* The baseline of a text, or -1. */
static double height_of(struct stage *stage, const char *text)
{
    const struct drawing *drawing = drawn(stage);
    for (size_t i = 0; i < drawing->count; i++)
        if (drawing->item[i].shape == SHAPE_TEXT &&
            !strcmp(drawing_string(drawing, &drawing->item[i]), text))
            return drawing->item[i].y;
    return -1;
}

static void survey(struct stage *stage)
{
    desk_survey(&stage->desk);
    assert_true(works(stage));
}

static void it_says_what_it_does_and_then_lists_launches(void **state)
{
    struct stage *stage = *state;
    desk_survey(&stage->desk);
    assert_true(has_text(drawn(stage), "compiling app.cu..."));
    assert_false(has_text(drawn(stage), "scale"));
    assert_true(desk_wait(&stage->desk, 0) > 0); /* for what is new */
    assert_true(desk_tick(&stage->desk, 200));
    assert_true(works(stage));
    assert_true(has_text(drawn(stage), "app.cu: all"));
    assert_true(desk_wait(&stage->desk, 0) < 0);
    const double worst = height_of(stage, "transpose<32>"), next = height_of(stage, "reduce"),
                 first = height_of(stage, "scale"), last = height_of(stage, "transpose<33>");
    assert_true(0 < worst && worst < next && next < first && first < last); /* equal: as launched */
    press(stage, "o");                                                      /* by passes */
    assert_true(height_of(stage, "transpose<33>") < height_of(stage, "reduce"));
    press(stage, "o"); /* by launch */
    assert_true(height_of(stage, "scale") < height_of(stage, "transpose<32>"));
}

static void a_launch_is_opened_and_left(void **state)
{
    struct stage *stage = *state;
    survey(stage);
    press(stage, "Down");
    assert_true(press(stage, "Return"));
    assert_true(works(stage));
    assert_int_equal(stage->maker.shown, 3); /* reduce, the second in the list */
    assert_int_equal(stage->view.panels, 1);
    assert_false(has_text(drawn(stage), "scale"));
    assert_true(press(stage, "Backspace"));
    assert_true(has_text(drawn(stage), "scale"));
    assert_int_equal(stage->desk.chosen, 1);
    view_home(&stage->view);
    press(stage, "Right"); /* the picture below does not move */
    assert_int_equal(stage->view.at.round, 0);
    press(stage, "Escape"); /* closes the list: the picture again */
    assert_false(has_text(drawn(stage), "scale"));
    press(stage, "Escape"); /* and back */
    assert_true(has_text(drawn(stage), "scale"));
    assert_int_equal(stage->desk.wish, DESK_NOTHING);
    press(stage, "Home");
    press(stage, "Return");
    assert_true(works(stage));
    assert_int_equal(stage->maker.shown, 1);
    assert_int_equal(stage->view.panels, 1); /* instead of the one before */
    press(stage, "q");
    assert_int_equal(stage->desk.wish, DESK_QUIT);
}

static void a_click_opens_and_orders(void **state)
{
    struct stage *stage = *state;
    survey(stage);
    assert_true(desk_button(&stage->desk, 200, height_of(stage, "kernel") - 3, true));
    assert_true(height_of(stage, "reduce") < height_of(stage, "scale"));
    assert_true(height_of(stage, "scale") < height_of(stage, "transpose<32>"));
    assert_true(desk_button(&stage->desk, 200, height_of(stage, "transpose<33>") - 3, true));
    assert_true(works(stage));
    assert_int_equal(stage->maker.shown, 2);
    press(stage, "Backspace");
    assert_false(desk_button(&stage->desk, 200, 690, true)); /* below all rows */
    assert_false(works(stage));
}

static void the_list_is_searched_by_kernel(void **state)
{
    struct stage *stage = *state;
    survey(stage);
    press(stage, "/");
    type(stage, "TRANS");
    assert_true(has_text(drawn(stage), "/TRANS_: 2 launches"));
    assert_false(has_text(drawn(stage), "scale"));
    press(stage, "Return"); /* ends the question */
    press(stage, "End");
    press(stage, "Return");
    assert_true(works(stage));
    assert_int_equal(stage->maker.shown, 2);
    press(stage, "Backspace");
    press(stage, "Escape"); /* all again */
    assert_true(has_text(drawn(stage), "scale"));
    press(stage, "/");
    type(stage, "none");
    press(stage, "Return");
    press(stage, "Return"); /* nothing to open */
    assert_false(works(stage));
}

static void one_launch_is_opened_at_once(void **state)
{
    struct stage *stage = *state;
    stage->maker.launches = 1;
    survey(stage);
    assert_true(works(stage));
    assert_int_equal(stage->view.panels, 1);
    assert_int_equal(stage->desk.list, LIST_NONE);
}

static void what_went_wrong_is_told(void **state)
{
    struct stage *stage = *state;
    stage->maker.fails = true;
    stage->maker.launches = 0;
    survey(stage);
    assert_true(has_text(drawn(stage), "it does not compile"));
    press(stage, "Return");
    press(stage, "Down");
    assert_false(works(stage));
    press(stage, "Escape");
    assert_int_equal(stage->desk.wish, DESK_NOTHING);
}

static void a_picture_is_searched(void **state)
{
    struct stage *stage = *state;
    survey(stage);
    press(stage, "Return");
    assert_true(works(stage));
    stage->maker.launches = 4;
    press(stage, "Backspace");
    press(stage, "End");
    press(stage, "Return");
    assert_true(works(stage)); /* transpose<33>: three accesses */
    view_home(&stage->view);
    press(stage, "/");
    type(stage, "44"); /* byte of word 11 */
    assert_true(has_text(drawn(stage), "/44_"));
    press(stage, "Return");
    assert_int_equal(stage->view.panel[0].stage, 1);
    press(stage, "m");
    assert_true(has_text(drawn(stage), "from the beginning again"));
    press(stage, "/");
    type(stage, "0x10");
    press(stage, "Return");
    assert_int_equal(stage->view.panel[0].stage, 0);
    assert_int_equal(stage->view.at.round, 1);
    press(stage, "/");
    type(stage, "read");
    press(stage, "Return");
    assert_int_equal(stage->view.panel[0].stage, 1);
    press(stage, "/");
    type(stage, "a.cu:12");
    press(stage, "Return");
    assert_true(has_text(drawn(stage), "nothing there is 'a.cu:12'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, open_desk, close_desk)
        CASE(it_says_what_it_does_and_then_lists_launches),
        CASE(a_launch_is_opened_and_left),
        CASE(a_click_opens_and_orders),
        CASE(the_list_is_searched_by_kernel),
        CASE(one_launch_is_opened_at_once),
        CASE(what_went_wrong_is_told),
        CASE(a_picture_is_searched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
