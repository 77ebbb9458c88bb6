/* test_cells.c - the rules of cells, borders, ties and places, each on the smallest trace. */
#include "tests/support/hand_made.h"

/* Four banks, eight words: word 5 is stored in round 1, word 6 only read, in round 1. */
static void a_value_is_shown_once_it_is_stored(void **state)
{
    (void)state;
    static const struct lanes list[] = {
        {0, 0, 0, 0, OP_STORE, 4, 1, {0}, {0}, NULL},
        {0, 1, 0, 0, OP_STORE, 4, 1, {1}, {5}, NULL},
        {0, 1, 1, 0, OP_LOAD, 4, 1, {2}, {6}, NULL},
    };
    struct shown s;
    show(&s, 4, 4, 4, 8, 0, list, 3);
    struct matrix matrix = {.map = &s.view.panel[0].map, .step = 0, .label = LABEL_VALUE};
    char text[32];
    for (int step = 0; step < 3; step++) {
        matrix.step = step;
        struct matrix_cell stored = matrix_cell(&matrix, 5), read = matrix_cell(&matrix, 6);
        matrix_label(&matrix, 5, &stored, text, sizeof text);
        assert_string_equal(text, step < 1 ? "" : "100");
        matrix_label(&matrix, 6, &read, text, sizeof text); /* what is read was there before */
        assert_string_equal(text, "100");
    }
    hide(&s);
}

/* Slot 0: words 0 and 4 of bank 0 collide. Slot 1: word 4 alone. Both slots of the round together:
 * word 4 is in a conflict, whichever of its accesses comes first. */
static void a_word_in_a_conflict_stays_bad_when_it_is_shared(void **state)
{
    (void)state;
    static const struct lanes lists[2][2] = {
        {{1, 0, 0, 0, OP_LOAD, 4, 2, {0, 1}, {0, 4}, NULL},
         {1, 0, 1, 0, OP_LOAD, 4, 1, {2}, {4}, NULL}},
        {{1, 0, 0, 0, OP_LOAD, 4, 1, {0}, {4}, NULL},
         {1, 0, 1, 0, OP_LOAD, 4, 2, {1, 2}, {0, 4}, NULL}},
    };
    for (int order = 0; order < 2; order++) {
        struct trace trace;
        struct trace_index index;
        struct stage_map map = {0};
        struct accessed accessed = {0};
        struct error error = {{0}};
        make(&trace, 4, 4, 4, 8, 0, lists[order], 2);
        assert_true(trace_index_init(&index, &trace, &error));
        assert_true(stage_map_set(&map, &index, 1, 0, 0, &error));
        assert_true(accessed_take(&accessed, &map, 0, 2, PAINT_ROUND, &error));
        const struct accessed_word *word = accessed_find(&accessed, 4);
        assert_int_equal(word->sharers, 2);
        assert_true(word->bad);
        accessed_free(&accessed);
        stage_map_free(&map);
        trace_index_free(&index);
        trace_free(&trace);
    }
}

static void expect_lines(const struct matrix *matrix, const int expected[][4], size_t count,
                         struct drawing *drawing)
{
    drawing_begin(drawing, 100, 100);
    matrix_borders(matrix, drawing);
    assert_int_equal(drawing->count, count);
    for (size_t i = 0; i < count; i++) {
        const struct drawing_item *item = &drawing->item[i];
        assert_int_equal(item->x, 10 * expected[i][0]);
        assert_int_equal(item->y, 10 * expected[i][1]);
        assert_int_equal(item->w, 10 * expected[i][2]);
        assert_int_equal(item->h, 10 * expected[i][3]);
    }
}

/* Four banks, a border every five words: before word 5, in row 1 of column 1, before word 10 in row 2
 * of column 2, before 15 in row 3; before word 20 between two columns, as one line. */
static void a_border_may_be_in_any_row(void **state)
{
    (void)state;
    static const struct lanes list[] = {{0, 0, 0, 0, OP_STORE, 4, 1, {0}, {0}, NULL}};
    static const int expected[][4] = {{1, 1, 0, 3}, {1, 1, 1, 0}, {2, 0, 0, 1}, {2, 2, 0, 2},
                                      {2, 2, 1, 0}, {3, 0, 0, 2}, {3, 3, 0, 1}, {3, 3, 1, 0},
                                      {4, 0, 0, 3}, {5, 0, 0, 4}};
    /* A part of the rows and columns, with the edges about them; below and above it there is nothing. */
    static const struct {
        int column, row, columns, rows;
        size_t count;
        int lines[8][4];
    } parts[] = {
        {1,
         1,
         3,
         2,
         7,
         {{0, 0, 0, 2},
          {0, 0, 1, 0},
          {1, 1, 0, 1},
          {1, 1, 1, 0},
          {2, 0, 0, 1},
          {2, 2, 1, 0},
          {3, 0, 0, 2}}},
        {1, 2, 2, 1, 3, {{0, 0, 0, 1}, {1, 0, 0, 1}, {1, 0, 1, 0}}},
        {1,
         0,
         3,
         2,
         6,
         {{0, 1, 0, 1}, {0, 1, 1, 0}, {1, 0, 0, 1}, {1, 2, 1, 0}, {2, 0, 0, 2}, {3, 0, 0, 2}}},
    };
    static const double sizes[][3] = {{10, 10, 10 / 9.0}, {20, 40, 2}, {40, 9, 1}, {4.5, 9, 0.6}};
    struct trace trace;
    struct trace_index index[1];
    struct view view;
    struct drawing drawing = {0};
    make(&trace, 4, 4, 4, 24, 5, list, 1);
    open_view(&view, index, &trace, NULL);
    struct matrix matrix = {
        .map = &view.panel[0].map, .columns = 6, .rows = 4, .cell_w = 10, .cell_h = 10};
    expect_lines(&matrix, expected, sizeof expected / sizeof *expected, &drawing);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        matrix.first_column = parts[i].column, matrix.columns = parts[i].columns;
        matrix.first_row = parts[i].row, matrix.rows = parts[i].rows;
        expect_lines(&matrix, parts[i].lines, parts[i].count, &drawing);
    }
    matrix.first_column = matrix.first_row = 0;
    matrix.rows = 4;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        matrix.cell_w = sizes[i][0], matrix.cell_h = sizes[i][1];
        drawing_begin(&drawing, 100, 100);
        matrix_borders(&matrix, &drawing);
        assert_float_equal(drawing.item[0].thick, sizes[i][2], 0.001);
    }
    matrix.cell_w = matrix.cell_h = 10;
    close_view(&view, index);
    trace_free(&trace);

    drawing_begin(&drawing, 100, 100); /* where the memory ends, within a column, there is none */
    make(&trace, 4, 4, 4, 6, 6, list, 1);
    open_view(&view, index, &trace, NULL);
    matrix.map = &view.panel[0].map;
    matrix.columns = 2;
    matrix_borders(&matrix, &drawing);
    assert_int_equal(drawing.count, 0);
    drawing_free(&drawing);
    close_view(&view, index);
    trace_free(&trace);
}

/* Addresses name unused words, too, but in a picture of one list only that list's. */
static void a_picture_of_one_list_names_its_own_words(void **state)
{
    (void)state;
    static const struct lanes list[] = {{0, 0, 0, 0, OP_LOAD, 4, 2, {0, 1}, {0, 1}, "AB"}};
    struct shown s;
    show(&s, 4, 4, 4, 4, 0, list, 1);
    static const char *const expected[][4] = {{"0", "1", "2", "3"}, {"0", "", "", ""}};
    for (int one = 0; one < 2; one++) {
        struct matrix matrix = {.map = &s.view.panel[0].map,
                                .label = LABEL_ADDRESS,
                                .address = true,
                                .list = one ? 'A' : 0};
        for (uint32_t word = 0; word < 4; word++) {
            char text[32];
            struct matrix_cell cell = matrix_cell(&matrix, word);
            matrix_label(&matrix, word, &cell, text, sizeof text);
            assert_string_equal(text, expected[one][word]);
        }
    }
    hide(&s);
}

/* Three warps of two lanes read word 3 in one step: a cell names the warp that is looked at, and
 * the last one when that has no part in it. In the next step the last one reads it alone. */
static void the_own_warp_speaks_for_a_word(void **state)
{
    (void)state;
    static const struct lanes list[] = {
        {0, 0, 0, 0, OP_LOAD, 4, 1, {1}, {3}, NULL},
        {0, 0, 0, 1, OP_LOAD, 4, 2, {0, 1}, {3, 3}, NULL},
        {0, 0, 0, 2, OP_LOAD, 4, 1, {0}, {3}, NULL},
        {0, 1, 0, 2, OP_LOAD, 4, 1, {1}, {3}, NULL},
    };
    static const int threads[] = {1, 2, 4, 4}, sharers[] = {1, 2, 1, 1};
    struct trace trace;
    struct trace_index index;
    struct error error = {{0}};
    make(&trace, 4, 2, 8, 4, 0, list, 4);
    assert_true(trace_index_init(&index, &trace, &error));
    for (int warp = 0; warp < 4; warp++) {
        struct stage_map map = {0};
        struct word_use use;
        assert_true(stage_map_set(&map, &index, 0, 0, warp, &error));
        assert_true(stage_map_use(&map, 3, 0, &use));
        assert_int_equal(use.thread, threads[warp]);
        assert_int_equal(use.sharers, sharers[warp]);
        assert_true(stage_map_use(&map, 3, 1, &use));
        assert_int_equal(use.thread, 5);
        stage_map_free(&map);
    }
    trace_index_free(&index);
    trace_free(&trace);
}

/* Conflicts decide which stage is looked at first; where they are equal, accesses do, but not those
 * that only set the scene; then the earlier stage. */
static void ties_between_stages_go_to_the_busier(void **state)
{
    (void)state;
    static const struct lanes list[] = {
        {0, 0, 0, 0, OP_STORE, 4, 2, {0, 1}, {0, 4}, NULL},
        {1, 0, 0, 0, OP_STORE, 4, 3, {0, 1, 2}, {0, 4, 1}, NULL},
        {2, 0, 0, 0, OP_STORE, 4, 3, {0, 1, 2}, {0, 4, 1}, NULL},
        {2, 1, 0, 0, OP_STORE, 4, 2, {0, 1}, {0, 4}, NULL},
    };
    static const int worst[] = {0, 0, 1, 1, 2};
    struct error error = {{0}};
    for (int count = 1; count <= 4; count++) {
        struct trace trace;
        struct trace_index index;
        make(&trace, 4, 4, 4, 8, 0, list, count);
        assert_true(trace_index_init(&index, &trace, &error));
        assert_int_equal(trace_index_worst_stage(&index), worst[count]);
        free(trace.header.stage[1]);
        trace.header.stage[1] = memory_copy(FILL_STAGE);
        assert_int_equal(trace_index_worst_stage(&index), count < 3 ? 0 : 2);
        trace_index_free(&index);
        trace_free(&trace);
    }
}

/* 120 rounds of 32 banks are more than a sheet of paper, 800 points, has room for, while cells can be
 * read: then the page grows. 20 rounds fit with cells of the best size, 48 with smaller ones. */
static void a_long_figure_keeps_its_cells_readable(void **state)
{
    (void)state;
    static const int rounds[] = {20, 48, 120};
    static const double least[] = {9, 4.5, 4.5};
    for (int i = 0; i < 3; i++) {
        struct trace trace;
        struct trace_index index;
        struct drawing drawing = {0};
        struct error error = {{0}};
        record(&trace, "stride", "random", "w=32 u=32 s=1 rounds=%d", rounds[i]);
        assert_true(trace_index_init(&index, &trace, &error));
        struct figure_part part = {.index = &index,
                                   .stage = header_stage(&trace.header, "read"),
                                   .rounds = true,
                                   .last_round = rounds[i] - 1,
                                   .degrees = true,
                                   .used_columns = true};
        struct figure figure = {.parts = 1, .part = &part, .width = 504};
        assert_true(figure_draw(&figure, &drawing, &error));
        assert_int_equal(drawing.height > 800, rounds[i] > 48);
        assert_true(drawing.height < 2000);
        assert_false(drawing.unlabelled);
        int cells = 0;
        for (size_t k = 0; k < drawing.count; k++)
            if (drawing.item[k].edge == ROLE_GOOD_EDGE) {
                assert_true(drawing.item[k].h >= least[i]);
                cells++;
            }
        assert_int_equal(cells, 32 * rounds[i]);
        drawing_free(&drawing);
        trace_index_free(&index);
        trace_free(&trace);
    }
}

/* Five threads want a bank in one step: after each of its passes, one more is done, and one conflict
 * more than before has been paid for, from the second pass on. Four threads take eight bytes each, from
 * two of the four banks: two of these four passes would be needed anyway. */
static void a_race_counts_within_a_step(void **state)
{
    (void)state;
    static const struct lanes list[] = {
        {0, 0, 0, 0, OP_LOAD, 4, 5, {0, 1, 2, 3, 4}, {0, 4, 8, 12, 16}, NULL},
        {0, 1, 0, 0, OP_LOAD, 4, 2, {0, 1}, {1, 5}, NULL},
        {0, 2, 0, 0, OP_LOAD, 8, 4, {0, 1, 4, 5}, {0, 2, 4, 6}, NULL},
    };
    static const int conflicts[] = {0, 1, 2, 3, 4, 4, 5, 5, 5, 6, 7};
    struct shown s;
    show(&s, 4, 8, 8, 20, 0, list, 3);
    view_race(&s.view, true);
    for (int pass = 1; pass <= 11; pass++) {
        char expected[80];
        snprintf(expected, sizeof expected, "passes %d of 11,  conflicts %d of 7", pass,
                 conflicts[pass - 1]);
        assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
        if (!has_text(&s.drawing, expected))
            fail_msg("there is no \"%s\"", expected);
        view_step(&s.view, 1);
    }
    hide(&s);
}

/* In pass p of the race, bank 0 serves the p-th of its words; the word of bank 1 is served in the
 * first. What is yet to come has the thick edge of a conflict. */
static void a_race_marks_what_a_pass_serves(void **state)
{
    (void)state;
    static const struct lanes list[] = {
        {0, 0, 0, 0, OP_LOAD, 4, 5, {0, 1, 2, 3, 4}, {8, 4, 1, 0, 4}, "AAAAA"},
    };
    static const uint32_t words[] = {8, 4, 0, 1};
    static const int turns[] = {1, 2, 3, 1};
    struct shown s;
    show(&s, 4, 8, 8, 12, 0, list, 1);
    view_race(&s.view, true);
    for (int pass = 1; pass <= 3; pass++) {
        struct accessed accessed = {0};
        struct error error = {{0}};
        assert_true(accessed_take(&accessed, &s.view.panel[0].map, 0, 1, PAINT_ROUND, &error));
        struct matrix matrix = {.map = &s.view.panel[0].map, .accessed = &accessed, .pass = pass};
        for (int i = 0; i < 4; i++) {
            struct matrix_cell cell = matrix_cell(&matrix, words[i]);
            assert_int_equal(cell.fill == ROLE_GOOD, turns[i] == pass);
            assert_int_equal(cell.edge == ROLE_BAD_EDGE, turns[i] > pass);
            assert_int_equal(cell.bad, turns[i] > pass);
        }
        assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
        assert_int_equal(count_items(&s.drawing, SHAPE_TEXT, ROLE_GOOD_INK), pass == 1 ? 2 : 1);
        assert_true(has_text(&s.drawing, "served by this pass"));
        accessed_free(&accessed);
        view_step(&s.view, 1);
    }
    hide(&s);
}

/* Two threads meet in a bank twice; in the other recording once, so that it needs half the passes. What
 * is right of its end is none of its steps. */
static void past_the_end_of_a_race_there_is_no_step(void **state)
{
    (void)state;
    static const struct lanes list[] = {
        {0, 0, 0, 0, OP_LOAD, 4, 2, {0, 1}, {0, 4}, NULL},
        {0, 1, 0, 0, OP_LOAD, 4, 2, {0, 1}, {0, 4}, NULL},
    };
    struct trace long_one, short_one;
    struct trace_index index[2];
    struct view view;
    struct drawing drawing = {0};
    make(&long_one, 4, 4, 4, 8, 0, list, 2);
    make(&short_one, 4, 4, 4, 8, 0, list + 1, 1);
    open_view(&view, index, &long_one, &short_one);
    view_race(&view, true);
    assert_true(scene_draw(&view, 800, 600, &drawing));
    for (int p = 0; p < 2; p++)
        for (int quarter = 0; quarter < 4; quarter++) {
            const struct panel_layout *l = &view.panel[p].layout;
            struct hit hit = view_hit(&view, l->bars_x + (quarter + 0.5) / 4 * l->bars_w,
                                      l->bars_y + l->bars_h / 2);
            bool there = p == 0 || quarter < 2;
            assert_int_equal(hit.kind, there ? HIT_TIMELINE : HIT_PANEL);
            assert_int_equal(hit.panel, p);
            if (there)
                assert_int_equal(hit.step, quarter / 2);
        }
    view.active = 1; /* whose end is long past, where the race is left */
    assert_true(view_end(&view));
    assert_int_equal(view.panel[1].step, 1);
    assert_true(view_race(&view, false));
    assert_int_equal(view.at.round, 1);
    assert_int_equal(view.panel[1].step, 0);
    assert_true(view_home(&view)); /* where the first of both begins */
    assert_int_equal(view.at.round, 0);
    drawing_free(&drawing);
    close_view(&view, index);
    trace_free(&short_one);
    trace_free(&long_one);
}

/* Ten words of four banks: the third column has two cells. */
static void past_the_memory_there_is_no_cell(void **state)
{
    (void)state;
    static const struct lanes list[] = {{0, 0, 0, 0, OP_STORE, 4, 1, {0}, {0}, NULL}};
    struct shown s;
    show(&s, 4, 4, 4, 10, 0, list, 1);
    assert_true(scene_draw(&s.view, 800, 600, &s.drawing));
    for (uint32_t word = 0; word < 12; word++) {
        double x, y;
        char text[100];
        cell_middle(&s.view, 0, word, &x, &y);
        struct hit hit = view_hit(&s.view, x, y);
        view_why(&s.view, &hit, text, sizeof text);
        assert_int_equal(hit.kind, word < 10 ? HIT_CELL : HIT_PANEL);
        assert_int_equal(text[0] != '\0', word < 10);
    }
    hide(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_shown_once_it_is_stored),
        cmocka_unit_test(a_word_in_a_conflict_stays_bad_when_it_is_shared),
        cmocka_unit_test(a_border_may_be_in_any_row),
        cmocka_unit_test(a_picture_of_one_list_names_its_own_words),
        cmocka_unit_test(the_own_warp_speaks_for_a_word),
        cmocka_unit_test(ties_between_stages_go_to_the_busier),
        cmocka_unit_test(a_long_figure_keeps_its_cells_readable),
        cmocka_unit_test(a_race_counts_within_a_step),
        cmocka_unit_test(a_race_marks_what_a_pass_serves),
        cmocka_unit_test(past_the_end_of_a_race_there_is_no_step),
        cmocka_unit_test(past_the_memory_there_is_no_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
