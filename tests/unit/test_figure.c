/* test_figure.c - figures of a small trace: what is written of their cells, their titles, and where notes, dots and
 * wide values stand. */
#define _GNU_SOURCE /* open_memstream */
#include "tests/support/hand_made.h"
#include "viewer/export/export.h"
#include "viewer/export/figure.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

/* ---- a trace ---- */

/* An access of four lanes at most, with its values. */
struct valued {
    int round, warp, count;
    uint32_t word[4];
    int64_t value[4];
};

/* Two warps of four lanes, four banks and six columns of words, one stage, a kernel whose name is a number. */
static void make_valued(struct trace *trace, const struct valued *list, int count)
{
    static char *stages[] = {"12"};
    struct trace_header header = {.kernel = "7",
                                  .backend = "host",
                                  .device = "",
                                  .input = "random",
                                  .banks = 4,
                                  .bank_bytes = 4,
                                  .warp = 4,
                                  .threads = 8,
                                  .blocks = 1,
                                  .shared_bytes = 4 * 24,
                                  .stages = 1,
                                  .stage = stages};
    static const uint8_t lanes[] = {0, 1, 2, 3};
    struct error error = {{0}};
    memset(trace, 0, sizeof *trace);
    struct trace_sink sink = trace_memory_sink(trace);
    assert_true(sink.header(sink.context, &header, &error));
    for (int i = 0; i < count; i++) {
        uint32_t addr[4];
        for (int k = 0; k < list[i].count; k++)
            addr[k] = 4 * list[i].word[k];
        struct warp_access access = {.round = list[i].round,
                                     .warp = list[i].warp,
                                     .op = OP_STORE,
                                     .bytes = 4,
                                     .lanes = list[i].count,
                                     .lane = lanes,
                                     .addr = addr,
                                     .value = list[i].value,
                                     .site = -1};
        if (!sink.access(sink.context, &access, &error))
            fail_msg("%s", error.text);
    }
    struct trace_end end = {.warp_accesses = (uint64_t)count, .complete = true};
    assert_true(sink.end(sink.context, &end, &error));
}

/* Round 0: three words of bank 1 and one of bank 2; round 1: the last word, by the second warp. */
static const struct valued small[] = {
    {0, 0, 4, {1, 5, 9, 2}, {-1, 0, 10, 7}},
    {1, 1, 1, {23}, {3}},
};

static void begin(struct trace *trace, struct trace_index *index, struct figure_part *part,
                  const struct valued *list, int count)
{
    struct error error = {{0}};
    make_valued(trace, list, count);
    assert_true(trace_index_init(index, trace, &error));
    *part = (struct figure_part){
        .index = index, .warp = -1, .rounds = true, .last_round = list[count - 1].round};
}

static void end(struct trace *trace, struct trace_index *index)
{
    trace_index_free(index);
    trace_free(trace);
}

static void draw(const struct figure_part *part, double width, struct drawing *drawing)
{
    const struct figure figure = {.parts = 1, .part = part, .width = width};
    struct error error = {{0}};
    if (!figure_draw(&figure, drawing, &error))
        fail_msg("%s", error.text);
}

/* ---- numbers ---- */

static char *numbers_of(const struct figure_part *part, enum figure_numbers form)
{
    const struct figure figure = {.parts = 1, .part = part, .width = 400};
    struct error error = {{0}};
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (!figure_write_numbers(&figure, form, "about", file, &error))
        fail_msg("%s", error.text);
    fclose(file);
    return text;
}

static void test_numbers(void **unused)
{
    (void)unused;
    static const char head[] = "# about\nrecording,kernel,stage,block,round,slot,bank,word,list,"
                               "warp,thread,value,now,sharers\n";
    static const char all[] = "0,7,12,0,0,,1,1,,0,0,-1,conflict,1\n"
                              "0,7,12,0,0,,2,2,,0,3,7,alone,1\n"
                              "0,7,12,0,0,,1,5,,0,1,0,conflict,1\n"
                              "0,7,12,0,0,,1,9,,0,2,10,conflict,1\n"
                              "0,7,12,0,0,,3,23,,1,4,,,\n"; /* used in another round */
    static const char banks[] = "0,7,12,0,0,,2,2,,0,3,7,alone,1\n0,7,12,0,0,,3,23,,1,4,,,\n";
    struct trace trace;
    struct trace_index index;
    struct figure_part part;
    const struct numbers only = {1, {{2, 3}}}, columns = {1, {{1, 3}}};
    begin(&trace, &index, &part, small, 2);
    part.last_round = 0;
    char *text = numbers_of(&part, FIGURE_CSV);
    if (strncmp(text, head, sizeof head - 1) || strcmp(text + sizeof head - 1, all))
        fail_msg("%s", text);
    free(text);
    part.only_banks = &only;
    text = numbers_of(&part, FIGURE_CSV);
    assert_string_equal(text + sizeof head - 1, banks);
    free(text);
    part.only_banks = NULL;
    part.only_columns = &columns;
    part.used_columns = true; /* four of them */
    text = numbers_of(&part, FIGURE_CSV);
    assert_string_equal(text + sizeof head - 1, strstr(all, "0,7,12,0,0,,1,5,"));
    free(text);
    /* In JSON what is a number is one, but for names. */
    text = numbers_of(&part, FIGURE_JSON);
    assert_non_null(strstr(text, "{\"made_by\":\"about\",\"cells\":["));
    static const char cell[] =
        "{\"recording\":0,\"kernel\":\"7\",\"stage\":\"12\",\"block\":0,\"round\":0,\"bank\":1,"
        "\"word\":5,\"warp\":0,\"thread\":1,\"value\":0,\"now\":\"conflict\",\"sharers\":1}";
    cJSON *json = cJSON_Parse(text);
    if (!strstr(text, cell) || !json)
        fail_msg("%s", text);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "cells")), 3);
    cJSON_Delete(json);
    free(text);
    part.only_columns = NULL;
    text = numbers_of(&part, FIGURE_JSON);
    assert_non_null(strstr(text, "\"value\":-1,"));
    free(text);
    end(&trace, &index);
}

/* ---- titles ---- */

static void test_titles(void **unused)
{
    (void)unused;
    struct trace trace;
    struct trace_index index;
    struct figure_part part;
    struct drawing drawing = {0};
    begin(&trace, &index, &part, small, 2);
    part.degrees = true;
    draw(&part, 400, &drawing);
    assert_true(has_text(&drawing, "round 0: 3 passes"));
    assert_true(has_text(&drawing, "round 1: 1 pass"));
    assert_false(has_text(&drawing, "round 1: 1 passes"));
    assert_true(has_text(&drawing, ": 4 passes, 2 conflicts"));
    part.degrees = false;
    draw(&part, 400, &drawing);
    assert_true(has_text(&drawing, "round 0") && !has_text(&drawing, "round 0: "));
    part.first_round = 1;
    draw(&part, 400, &drawing);
    assert_true(has_text(&drawing, ", round 1: 1 pass, 0 conflicts"));
    part.title = "one's own";
    draw(&part, 400, &drawing);
    assert_true(has_text(&drawing, "one's own") && !has_text(&drawing, ", round 1: "));
    part.state = true;
    draw(&part, 400, &drawing);
    assert_true(has_text(&drawing, "one's own") && has_text(&drawing, ", round 1: 1 pass, 0"));
    /* However wide the page is, a title's lines end on it, two points before its end, and stand above the cells. */
    part.title = "a title of words, some of which have a line of their own";
    for (int page = 120; page < 180; page++) {
        double last = 0;
        draw(&part, page, &drawing);
        for (size_t i = 0; i < drawing.count; i++) {
            const struct drawing_item *item = &drawing.item[i];
            if (item->shape == SHAPE_BOX && i > 0) /* the first one is the paper */
                assert_true((double)item->y > last);
            if (item->shape != SHAPE_TEXT || item->align != ALIGN_LEFT)
                continue;
            assert_true((double)item->x + text_width(drawing_string(&drawing, item),
                                                     (double)item->thick, (enum face)item->face) <=
                        page - 1.99);
            last = (double)item->y;
        }
    }
    drawing_free(&drawing);
    end(&trace, &index);
}

/* ---- places ---- */

/* The cells' frame: of boxes with an edge. */
static void cells_of(const struct drawing *drawing, double box[4])
{
    box[0] = box[1] = 1e9, box[2] = box[3] = 0;
    for (size_t i = 0; i < drawing->count; i++) {
        const struct drawing_item *item = &drawing->item[i];
        if (item->shape != SHAPE_BOX || item->edge == ROLE_NONE)
            continue;
        box[0] = fmin(box[0], (double)item->x);
        box[1] = fmin(box[1], (double)item->y);
        box[2] = fmax(box[2], (double)(item->x + item->w));
        box[3] = fmax(box[3], (double)(item->y + item->h));
    }
}

/* How many groups of three dots stand over the cells, and under them. */
static void expect_dots(const struct drawing *drawing, int over, int under)
{
    double box[4];
    int count[2] = {0, 0};
    cells_of(drawing, box);
    for (size_t i = 0; i < drawing->count; i++) {
        const struct drawing_item *item = &drawing->item[i];
        const double y = (double)item->y;
        if (item->shape == SHAPE_BOX && item->role == ROLE_FAINT && item->edge == ROLE_NONE &&
            item->w == item->h)
            count[0] += y<box[1], count[1] += y> box[3];
    }
    assert_int_equal(count[0], 3 * over);
    assert_int_equal(count[1], 3 * under);
}

/* Dots stand where banks are left out: above the first that is shown, below the last. */
static void test_banks_left_out(void **unused)
{
    (void)unused;
    static const struct {
        struct numbers only;
        int over, under;
    } cases[] = {
        {{1, {{0, 3}}}, 0, 0}, {{1, {{0, 1}}}, 0, 1}, {{1, {{1, 2}}}, 1, 1},
        {{1, {{2, 3}}}, 1, 0}, {{1, {{1, 3}}}, 1, 0},
    };
    struct trace trace;
    struct trace_index index;
    struct figure_part part;
    struct drawing drawing = {0};
    begin(&trace, &index, &part, small, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        part.only_banks = &cases[i].only;
        draw(&part, 400, &drawing);
        expect_dots(&drawing, cases[i].over, cases[i].under);
    }
    drawing_free(&drawing);
    end(&trace, &index);
}

/* Where the first row that is shown is past the end of the memory in the last column, the grid has no line there. */
static void test_past_the_end(void **unused)
{
    (void)unused;
    const struct numbers upper = {1, {{2, 3}}};
    struct trace trace;
    struct trace_index index;
    struct figure_part part;
    struct drawing drawing = {0};
    begin(&trace, &index, &part, small, 1);
    index.words -= 2; /* the last column has words in banks 0 and 1 alone */
    part.only_banks = &upper;
    draw(&part, 400, &drawing);
    const struct drawing_item *line = NULL, *gap = NULL;
    for (size_t i = 0; i < drawing.count; i++) {
        const struct drawing_item *item = &drawing.item[i];
        if (item->shape == SHAPE_BOX && item->role == ROLE_GRID && item->w > item->h &&
            (!line || item->y < line->y))
            line = item;
        if (line && item->shape == SHAPE_BOX && item->role == ROLE_PAPER &&
            (!gap || item->y < gap->y))
            gap = item;
    }
    assert_non_null(line);
    assert_non_null(gap);
    assert_true(gap->y <= line->y && gap->y + gap->h >= line->y + line->h);
    assert_true(gap->x + gap->w >= line->x + line->w);
    assert_true(gap->x > line->x + line->w / 2); /* and nowhere else */
    drawing_free(&drawing);
    end(&trace, &index);
}

/* A note beside the cells has room there, however narrow the page is. */
static void test_notes(void **unused)
{
    (void)unused;
    static const char words[] = "a note that is rather long";
    struct trace trace;
    struct trace_index index;
    struct figure_part part;
    struct drawing drawing = {0};
    begin(&trace, &index, &part, small, 1);
    for (int n = 0; n < 4; n++) {
        const int right = n % 2, page = n < 2 ? 180 : 150;
        struct figure_note note = {
            .kind = right ? NOTE_RIGHT : NOTE_LEFT, .first_bank = 1, .last_bank = 2};
        strcpy(note.text, words);
        double box[4];
        int found = 0;
        part.notes = 1;
        part.note = &note;
        draw(&part, page, &drawing);
        cells_of(&drawing, box);
        assert_true(box[0] >= 0 && box[2] <= page);
        for (size_t i = 0; i < drawing.count; i++) {
            const struct drawing_item *item = &drawing.item[i];
            if (item->shape != SHAPE_TEXT || strcmp(drawing_string(&drawing, item), words))
                continue;
            const double wide = text_width(words, (double)item->thick, (enum face)item->face);
            const double x = (double)item->x - (item->align == ALIGN_RIGHT ? wide : 0);
            assert_true(x >= 0 && x + wide <= page);
            assert_true(right ? x >= box[2] : x + wide <= box[0]);
            found++;
        }
        assert_int_equal(found, 1);
    }

    /* What is written into a cell covers what stood there, and not the cell's edge. */
    struct figure_note in_cell[] = {{.kind = NOTE_CELL, .word = 5, .text = "xy"},
                                    {.kind = NOTE_CELL, .word = 6, .text = "no"},
                                    {.kind = NOTE_CELL, .word = 9, .text = "rather long"}};
    part.notes = 3;
    part.note = in_cell;
    draw(&part, 180, &drawing);
    assert_true(has_text(&drawing, "xy") && has_text(&drawing, "no"));
    for (size_t i = 0; i < drawing.count; i++) {
        const struct drawing_item *words = &drawing.item[i], *cover = words - 1, *cell = NULL;
        if (words->shape == SHAPE_TEXT && !strcmp(drawing_string(&drawing, words), "no"))
            assert_int_equal(words->role, ROLE_INK); /* though nothing uses the word */
        if (words->shape == SHAPE_TEXT && !strcmp(drawing_string(&drawing, words), "rather long"))
            assert_float_equal(text_width("rather long", words->thick, words->face),
                               0.9 * (double)cover->w / 0.75, 0.1); /* smaller, to fit */
        if (words->shape != SHAPE_TEXT || strcmp(drawing_string(&drawing, words), "xy"))
            continue;
        for (size_t k = 0; k + 1 < i; k++) {
            const struct drawing_item *item = &drawing.item[k];
            if (item->shape == SHAPE_BOX && item->edge == ROLE_BAD_EDGE && item->x < words->x &&
                words->x < item->x + item->w && item->y < words->y && words->y < item->y + item->h)
                cell = item;
        }
        assert_non_null(cell);
        assert_int_equal(cover->shape, SHAPE_BOX);
        assert_int_equal(cover->role, cell->role);
        assert_float_equal(cover->x + cover->w / 2, cell->x + cell->w / 2, 0.05 * (double)cell->w);
        assert_float_equal(cover->y + cover->h / 2, cell->y + cell->h / 2, 0.05 * (double)cell->h);
        assert_float_equal(cover->w / cell->w, 0.75, 0.05);
        assert_float_equal(cover->h / cell->h, 0.75, 0.05);
        assert_float_equal(words->x, cell->x + cell->w / 2, 0.05 * (double)cell->w);
        assert_float_equal(words->y, cell->y + cell->h / 2 + (float)TEXT_MIDDLE(words->thick), 0.5);
        assert_float_equal(words->thick, 0.72 * (double)cover->h / 0.75, 0.01);
        assert_int_equal(words->role, ROLE_BAD_INK);
    }
    drawing_free(&drawing);
    end(&trace, &index);
}

/* A bracket stands over the columns that it names, of those that are shown, and nowhere if one of them is not; so does
 * a frame, which is about banks, too. */
static void test_brackets(void **unused)
{
    (void)unused;
    static const struct valued list[] = {{0, 0, 3, {1, 5, 9}, {10, 11, 12}}, {1, 1, 1, {23}, {13}}};
    static const struct {
        int first, last; /* columns 0 to 2, and 5, which is number 3 */
    } rows[] = {{0, 2}, {1, 1}, {2, 3}, {3, 3}, {3, 4}};
    struct trace trace;
    struct trace_index index;
    struct figure_part part;
    struct drawing drawing = {0};
    begin(&trace, &index, &part, list, 2);
    part.rounds = false;
    part.label = LABEL_VALUE;
    part.used_columns = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct figure_note notes[] = {{.kind = NOTE_TOP, .text = "these"},
                                      {.kind = NOTE_BOTTOM, .text = "those"},
                                      {.kind = NOTE_FRAME, .first_bank = 1, .last_bank = 2}};
        double middle[5] = {0};
        const struct drawing_item *bracket = NULL, *under = NULL, *frame = NULL;
        for (int k = 0; k < 3; k++)
            notes[k].first_column = rows[i].first, notes[k].last_column = rows[i].last;
        part.notes = 3;
        part.note = notes;
        draw(&part, 400, &drawing);
        for (size_t k = 0; k < drawing.count; k++) {
            const struct drawing_item *item = &drawing.item[k];
            const int value = item->shape == SHAPE_TEXT ? atoi(drawing_string(&drawing, item)) : 0;
            if (value >= 10)
                middle[value - 10] = (double)item->x;
            if (item->shape == SHAPE_LINE && item->role == ROLE_INK && item->w > 0)
                *(bracket ? &under : &bracket) = item;
            if (item->shape == SHAPE_BOX && item->edge == ROLE_CURSOR)
                frame = item;
        }
        assert_int_equal(bracket != NULL, rows[i].last < 4);
        assert_int_equal(frame != NULL, rows[i].last < 4);
        assert_int_equal(under != NULL, rows[i].last < 4);
        assert_int_equal(has_text(&drawing, "those"), rows[i].last < 4);
        assert_int_equal(has_text(&drawing, "these"), rows[i].last < 4);
        if (!bracket)
            continue;
        const double half = (middle[1] - middle[0]) / 2;
        assert_true(half > 4 && middle[3] > middle[2] + 2.5 * half); /* a gap */
        assert_float_equal(bracket->x, middle[rows[i].first] - half, 1);
        assert_float_equal(bracket->x + bracket->w, middle[rows[i].last] + half, 1);
        const double cell = 2 * half / (0.45 * 3); /* four of them are between the brackets */
        assert_float_equal(under->x, bracket->x, 0.01);
        assert_float_equal(under->w, bracket->w, 0.01);
        assert_float_equal(under->y - bracket->y, 4 * cell + 2 * 5, 0.2);
        assert_float_equal(frame->x, bracket->x, 0.01);
        assert_float_equal(frame->w, bracket->w, 0.01);
        assert_float_equal(frame->h, 2 * cell, 0.1);
    }
    drawing_free(&drawing);
    end(&trace, &index);
}

/* Cells are as wide as the longest value needs: 0.45 of their height for each character, of three at least. */
static void test_value_width(void **unused)
{
    (void)unused;
    static const struct {
        int64_t value;
        int characters;
    } cases[] = {{7, 3}, {999, 3}, {1000, 4}, {-999, 4}, {1234567, 7}};
    struct trace trace;
    struct trace_index index;
    struct figure_part part;
    struct drawing drawing = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct valued list[] = {{0, 0, 2, {1, 5}, {1, cases[i].value}}};
        begin(&trace, &index, &part, list, 1);
        part.label = LABEL_VALUE;
        draw(&part, 400, &drawing);
        int cells = 0;
        for (size_t k = 0; k < drawing.count; k++) {
            const struct drawing_item *item = &drawing.item[k];
            if (item->shape != SHAPE_BOX || item->edge == ROLE_NONE)
                continue;
            assert_float_equal(item->w / item->h, 0.45 * cases[i].characters, 0.15);
            assert_true(item->thick > 0.07F * item->h && item->thick < 0.095F * item->h);
            cells++;
        }
        assert_true(cells >= 2);
        end(&trace, &index);
    }
    drawing_free(&drawing);
}

/* What goes before a text is indented below, and has no blank behind it where there is no text. */
static void test_wrapping(void **unused)
{
    (void)unused;
    static const struct {
        const char *first, *text, *wrapped;
    } rows[] = {{"* ", "one two three", "* one two\n  three\n"},
                {"* ", "", "*\n"},
                {"*", "", "*\n"},
                {"", "", "\n"},
                {"", "one\ntwo", "one\ntwo\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = NULL;
        size_t length;
        FILE *file = open_memstream(&text, &length);
        terminal_wrap(rows[i].first, rows[i].text, 10, file);
        fclose(file);
        assert_string_equal(text, rows[i].wrapped);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),        cmocka_unit_test(test_titles),
        cmocka_unit_test(test_banks_left_out), cmocka_unit_test(test_past_the_end),
        cmocka_unit_test(test_notes),          cmocka_unit_test(test_brackets),
        cmocka_unit_test(test_value_width),    cmocka_unit_test(test_wrapping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
