/* test_sectors.c - requests of global memory below the timeline: boxes of sectors, words, bars, which one a step has. */
#include "tests/support/hand_made.h"

/* Requests of one warp, each with how far its lanes are apart. */
static struct trace_site sites[] = {{"k.cu", "k", "tile[t] = in[t];", "in", 7, 0},
                                    {"k.cu", "k", "out[t] = 1;", "out", 9, 0},
                                    {"k.cu", "k", "tile[t] = in[t];", "", 7, 0}};
static const struct {
    int round, lanes, bytes, apart, site;
    enum op op;
    uint64_t first; /* an address; 0: in shared memory */
} requests[] = {
    {0, 4, 4, 4, 0, OP_LOAD, 0x1000},    /* half of a sector */
    {1, 4, 4, 32, 0, OP_LOAD, 0x1004},   /* one word each of four */
    {2, 2, 8, 8, 1, OP_STORE, 0x1018},   /* over the border of two */
    {3, 4, 4, 4, 2, OP_STORE, 0},        /* what line 7 stores the first time */
    {4, 4, 4, 4, 2, OP_STORE, 0},        /* the second */
    {5, 4, 4, 4, 2, OP_STORE, 0},        /* once more than it loads */
    {6, 1, 4, 4, -1, OP_STORE, 0x2000},  /* of no line, by the other warp */
    {7, 3, 4, -64, 1, OP_STORE, 0x1064}, /* the third lane's word is behind that of the first */
};
enum { STEPS = sizeof requests / sizeof *requests };

static void show_requests(struct shown *s)
{
    static char *stages[] = {"copy"};
    static const uint8_t lane[] = {0, 1, 2, 3};
    struct trace_header header = {.kernel = "k",
                                  .backend = "host",
                                  .device = "",
                                  .input = "",
                                  .banks = 4,
                                  .bank_bytes = 4,
                                  .warp = 4,
                                  .threads = 8,
                                  .blocks = 1,
                                  .shared_bytes = 16,
                                  .stages = 1,
                                  .stage = stages,
                                  .sites = 3,
                                  .site = sites,
                                  .global = 1};
    struct error error = {{0}};
    memset(s, 0, sizeof *s);
    const struct trace_sink sink = trace_memory_sink(&s->trace[0]);
    assert_true(sink.header(sink.context, &header, &error));
    for (int i = 0; i < STEPS; i++) {
        uint64_t global[4];
        uint32_t addr[4];
        for (int k = 0; k < 4; k++) {
            global[k] = k == 2 && requests[i].apart < 0
                            ? requests[i].first + 4
                            : requests[i].first + (uint64_t)(int64_t)(k * requests[i].apart);
            addr[k] = (uint32_t)(k * requests[i].apart);
        }
        const struct warp_access access = {.round = requests[i].round,
                                           .warp = requests[i].round == 6,
                                           .op = requests[i].op,
                                           .bytes = requests[i].bytes,
                                           .lanes = requests[i].lanes,
                                           .lane = lane,
                                           .addr = requests[i].first ? NULL : addr,
                                           .site = requests[i].site,
                                           .global = requests[i].first ? global : NULL};
        assert_true(sink.access(sink.context, &access, &error));
    }
    const struct trace_end end = {.warp_accesses = STEPS, .complete = true};
    assert_true(sink.end(sink.context, &end, &error));
    open_view(&s->view, s->index, &s->trace[0], NULL);
}

static void steps_are_said_in_words(void **state)
{
    (void)state;
#define LINE "global memory in round "
    static const char half[] =
        LINE "0, line 7, array in: load of 4 lanes, 1 sector of 32 bytes, 1 at least; words "
             "wanted of each sector: 4",
                      column[] = LINE
                      "1, line 7, array in: load of 4 lanes, 4 sectors of 32 bytes, 1 at least; "
                      "words wanted of each sector: 1 1 1 1";
    static const char *const said[STEPS] = {
        half,
        column,
        LINE "2, line 9, array out: store of 2 lanes, 2 sectors of 32 bytes, 1 at least; words "
             "wanted of "
             "each sector: 2 2",
        half,
        column,
        "",
        "",
        LINE "7, line 9, array out: store of 3 lanes, 2 sectors of 32 bytes, 1 at least; words "
             "wanted of "
             "each sector: 1 2"};
    struct shown s;
    char text[300];
    show_requests(&s);
    const struct stage_map *map = &s.view.panel[0].map;
    assert_false(sectors_are_alone(map));
    for (int step = 0; step < STEPS; step++) {
        sectors_say_step(map, step, 0, text, sizeof text);
        assert_string_equal(text, said[step]);
    }
    assert_true(view_go_warp(&s.view, 0, 1));
    sectors_say_step(map, 0, 0, text, sizeof text);
    assert_string_equal(text, "");
    sectors_say_step(map, 6, HIDE_TOTALS, text, sizeof text);
    assert_string_equal(text, LINE "6: store of 1 lane; words wanted of each sector: 1");
    hide(&s);
}

/* The boxes of one role, with or without an edge, as "x y w h, ...", relative to a place. */
static void say_boxes(const struct drawing *drawing, enum role role, enum role edge, double x,
                      double y, char *text, size_t room)
{
    *text = '\0';
    for (size_t i = 0; i < drawing->count; i++) {
        const struct drawing_item *item = &drawing->item[i];
        if (item->shape == SHAPE_BOX && item->role == role && item->edge == edge)
            text_add(text, room, "%s%.3g %.3g %.3g %.3g", *text ? ", " : "", (double)item->x - x,
                     (double)item->y - y, (double)item->w, (double)item->h);
    }
}

static void sectors_are_boxes_of_words(void **state)
{
    (void)state;
    static const struct {
        int step;
        double wide;
        bool alone;
        unsigned hide;
        const char *good, *bad, *frames, *dots; /* frames: about the sectors */
    } rows[] = {
        {0, 200, false, 0, "0 6 19 14", "", "0 6 38 14", ""},
        {0, 200, true, 0, "0 6 39 32", "", "0 6 78 32", ""},
        {0, 30, true, 0, "0 6 14 32", "", "0 6 28 32", ""},
        {1, 200, false, 0, "", "4.75 6 4.75 14, 44.8 6 4.75 14, 84.8 6 4.75 14, 125 6 4.75 14",
         "0 6 38 14, 40 6 38 14, 80 6 38 14, 120 6 38 14", ""},
        {1, 20, false, 0, "", "0.5 6 0.5 14, 6.5 6 0.5 14", "0 6 4 14, 6 6 4 14",
         "14.2 12.2 1.5 1.5, 17.2 12.2 1.5 1.5, 20.2 12.2 1.5 1.5"},
        {1, 200, false, HIDE_COLOURS,
         "4.75 6 4.75 14, 44.8 6 4.75 14, 84.8 6 4.75 14, 125 6 4.75 14", "",
         "0 6 38 14, 40 6 38 14, 80 6 38 14, 120 6 38 14", ""},
        {2, 200, false, 0, "", "28.5 6 9.5 14, 40 6 9.5 14", "0 6 38 14, 40 6 38 14", ""},
        {5, 200, false, 0, "", "", "", ""},
        {7, 200, false, 0, "", "4.75 6 4.75 14, 44.8 6 9.5 14", "0 6 38 14, 40 6 38 14", ""},
    };
    struct shown s;
    show_requests(&s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sectors_strip strip = {.x = 10,
                                            .y = 20,
                                            .w = rows[i].wide,
                                            .wide = rows[i].wide,
                                            .step = rows[i].step,
                                            .most = 4,
                                            .alone = rows[i].alone,
                                            .hide = rows[i].hide};
        char text[400];
        drawing_begin(&s.drawing, 400, 200);
        sectors_draw_step(&s.view.panel[0].map, &strip, &s.drawing);
        say_boxes(&s.drawing, ROLE_GOOD, ROLE_NONE, 10, 20, text, sizeof text);
        assert_string_equal(text, rows[i].good);
        say_boxes(&s.drawing, ROLE_BAD, ROLE_NONE, 10, 20, text, sizeof text);
        assert_string_equal(text, rows[i].bad);
        say_boxes(&s.drawing, ROLE_CELL, ROLE_GRID, 10, 20, text, sizeof text);
        assert_string_equal(text, rows[i].frames);
        say_boxes(&s.drawing, ROLE_FAINT, ROLE_NONE, 10, 20, text, sizeof text);
        assert_string_equal(text, rows[i].dots);
        /* An edge about a sector that is wide enough for one. */
        say_boxes(&s.drawing, ROLE_NONE, *rows[i].bad ? ROLE_BAD_EDGE : ROLE_GOOD_EDGE, 10, 20,
                  text, sizeof text);
        assert_string_equal(text, rows[i].wide > 20 ? rows[i].frames : "");
    }
    hide(&s);
}

/* What is said of a step is said shortly before it is set smaller. */
static void words_fit_below_the_sectors(void **state)
{
    (void)state;
    static const struct {
        double size, wide, set;
        const char *text;
    } rows[] = {
        {0, 650, 12,
         "global memory in round 1, line 7, array in: load of 4 lanes, 4 sectors of 32 bytes, 1 at "
         "least"},
        {8, 400, 8,
         "global memory in round 1, line 7, array in: load of 4 lanes, 4 sectors of 32 bytes, 1 at "
         "least"},
        {0, 300, 12, "round 1, line 7, in: load, 4 sectors, 1 at least"},
        {0, 180, 12, "in: load, 4 sectors, 1 at least"},
    };
    struct shown s;
    show_requests(&s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sectors_strip strip = {
            .x = 10, .y = 20, .wide = rows[i].wide, .step = 1, .size = rows[i].size};
        drawing_begin(&s.drawing, 700, 200);
        sectors_draw_step(&s.view.panel[0].map, &strip, &s.drawing);
        const struct drawing_item *last = &s.drawing.item[s.drawing.count - 1];
        assert_string_equal(drawing_string(&s.drawing, last), rows[i].text);
        assert_float_equal((double)last->thick, rows[i].set, 0.01);
        assert_float_equal((double)last->x, 10, 0.01);
        assert_float_equal((double)last->y, 20 + 6 + 14 + 13, 0.01);
    }
    hide(&s);
}

/* Bars have the sectors of each step, of which those that the least would not need are bad. */
static void bars_have_the_sectors_of_steps(void **state)
{
    (void)state;
    static const struct {
        unsigned hide;
        const char *good, *bad, *now, *said;
    } rows[] = {
        /* 1, 4, 2, 0, 0, 0, 0, 2 sectors of the warp; 1 at least of each request */
        {0, "0 67.5 9 7.5, 10 67.5 9 7.5, 20 67.5 9 7.5, 70 67.5 9 7.5",
         "10 45 9 22.5, 20 60 9 7.5, 70 60 9 7.5", "8 42 13 35",
         "sectors 5 of 9,  at least 2 of 4"},
        {HIDE_TOTALS, "", "", "8 42 13 35", "sectors ?,  least ?"},
    };
    struct shown s;
    show_requests(&s);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct sectors_strip strip = {
            .x = 10, .y = 20, .w = 80, .wide = 300, .step = 1, .most = 4, .hide = rows[i].hide};
        char text[400];
        drawing_begin(&s.drawing, 400, 200);
        sectors_draw(&s.view.panel[0].map, &strip, &s.drawing);
        say_boxes(&s.drawing, ROLE_BAR, ROLE_NONE, 10, 20, text, sizeof text);
        assert_string_equal(text, rows[i].good);
        say_boxes(&s.drawing, ROLE_BAR_BAD, ROLE_BAD_EDGE, 10, 20, text, sizeof text);
        assert_string_equal(text, rows[i].bad);
        say_boxes(&s.drawing, ROLE_NONE, ROLE_CURSOR, 10, 20, text, sizeof text);
        assert_string_equal(text, rows[i].now);
        assert_true(has_text(&s.drawing, rows[i].said));
        assert_int_equal(count_items(&s.drawing, SHAPE_TEXT, ROLE_FAINT),
                         rows[i].hide ? 0 : 2); /* 4 and 0 */
    }
    hide(&s);
}

/* Below a figure's cells are the sectors of its round, on the page, and above them how many. */
static void figures_have_sectors_below(void **state)
{
    (void)state;
    static const char *const told[] = {": 1 sector of global memory",
                                       ": 4 sectors of global memory",
                                       ": 2 sectors of global memory"};
    struct shown s;
    show_requests(&s);
    for (int round = 0; round < 3; round++) {
        const struct figure_part part = {
            .index = s.index, .rounds = true, .first_round = round, .last_round = round};
        const struct figure figure = {.parts = 1, .part = &part, .width = 500};
        struct error error = {{0}};
        double words = 0, cells = 0;
        assert_true(figure_draw(&figure, &s.drawing, &error));
        assert_true(has_text(&s.drawing, told[round]));
        for (size_t i = 0; i < s.drawing.count; i++) {
            const struct drawing_item *item = &s.drawing.item[i];
            if (item->shape == SHAPE_TEXT && strstr(drawing_string(&s.drawing, item), "at least"))
                words = (double)item->y;
            if (item->role == ROLE_GRID)
                cells = item->y > cells ? (double)item->y : cells;
        }
        assert_true(cells > 0 && words > cells + 20);
        assert_true(words > s.drawing.height - 12 && words < s.drawing.height - 2);
    }
    hide(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_said_in_words),
        cmocka_unit_test(sectors_are_boxes_of_words),
        cmocka_unit_test(words_fit_below_the_sectors),
        cmocka_unit_test(bars_have_the_sectors_of_steps),
        cmocka_unit_test(figures_have_sectors_below),
    };
    return cmocka_run_group_tests_name("sectors", tests, NULL, NULL);
}
