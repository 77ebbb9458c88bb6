/* test_source.c - the source beside the picture, and what the source calls words, values, threads. */
#include "tests/support/hand_made.h"

#include <math.h>

/* What a recording of a CUDA program says of its source. */
static struct trace_site sites[] = {
    {"b.cu", "turn", "tile[y][x] = in[i];", "in", 3, 0},
    {"b.cu", "turn", "out[i] = tile[x][y];", "out", 5, 0},
    {"a.cuh", "add", "sum += at[i];", "", 40, 0},
    {"b.cu", "turn", "out[i] = tile[x][y];", "out", 5, 0}, /* another instruction of that line */
    {"", "turn", "", "in", 0, 0},                          /* one of no line that is known */
};
static struct trace_array arrays[] = {
    {.name = "tile", .type = "float", .bytes = 4, .dims = 2, .dim = {4, 4}},
    {.name = "at", .type = "int2", .addr = 64, .bytes = 8, .dims = 1, .dim = {4}},
    {.name = "half", .type = "__half", .addr = 96, .bytes = 2},
};
static const char text[] = /* a recording has blanks for tabs */
    "/* turns */\n{\n\ttile[y][x] = in[i];\r\n\n    out[i]\t= tile[x][y];\n}\n";

struct recorded {
    struct trace trace;
    struct trace_index index[1];
    struct view view;
    struct desk desk;
};

static void take(struct trace_sink *sink, int stage, int round, int warp, uint32_t step, int site)
{
    uint8_t lane[] = {0, 1, 2, 3};
    uint32_t addr[4];
    int64_t value[] = {0x3F000000, 0x40200000, 0, -1082130432}; /* 0.5, 2.5, 0, -1 */
    struct error error = {{0}};
    for (uint32_t i = 0; i < 4; i++)
        addr[i] = 4 * i * step;
    struct warp_access access = {stage, round, 0,    0,    warp,  stage ? OP_LOAD : OP_STORE,
                                 4,     4,     lane, addr, value, NULL,
                                 site,  NULL};
    assert_true(sink->access(sink->context, &access, &error));
}

static int open_recorded(void **state)
{
    struct recorded *r = calloc(1, sizeof *r);
    static char *stages[] = {"phase 0", "phase 1"};
    struct trace_header header = {.kernel = "turn",
                                  .backend = "host",
                                  .device = "",
                                  .input = "",
                                  .banks = 4,
                                  .bank_bytes = 4,
                                  .warp = 4,
                                  .threads = 8,
                                  .blocks = 1,
                                  .shared_bytes = 112,
                                  .block_dim = {4, 2, 1},
                                  .grid_dim = {1, 1, 1},
                                  .stages = 2,
                                  .stage = stages,
                                  .arrays = 3,
                                  .array = arrays,
                                  .sites = 5,
                                  .site = sites};
    struct error error = {{0}};
    struct trace_sink sink = trace_memory_sink(&r->trace);
    assert_true(trace_check_header(&header, &error));
    assert_true(sink.header(sink.context, &header, &error));
    take(&sink, 0, 0, 0, 1, 0); /* a row: no conflicts */
    take(&sink, 0, 0, 1, 1, 0);
    take(&sink, 1, 0, 0, 4, 1); /* a column: 4 ways */
    take(&sink, 1, 1, 0, 1, 2);
    take(&sink, 1, 2, 0, 4, 3);
    take(&sink, 1, 3, 1, 4, 3);
    take(&sink, 1, 4, 1, 1, -1); /* of no line */
    take(&sink, 1, 5, 1, 1, 4);
    struct trace_end end = {.warp_accesses = 8, .complete = true};
    assert_true(sink.end(sink.context, &end, &error));
    open_view(&r->view, r->index, &r->trace, NULL);
    desk_init(&r->desk, &r->view, NULL);
    desk_resize(&r->desk, 1200, 700, 1);
    *state = r;
    return 0;
}

static int close_recorded(void **state)
{
    struct recorded *r = *state;
    desk_free(&r->desk);
    close_view(&r->view, r->index);
    trace_free(&r->trace);
    free(r);
    return 0;
}

static const struct drawing *drawn(struct recorded *r)
{
    struct error error = {{0}};
    assert_true(desk_draw(&r->desk, &error));
    return &r->desk.drawing;
}

/* The text of the pane within a box of this role, or NULL. */
static const char *boxed(const struct recorded *r, enum role fill)
{
    const struct drawing *drawing = &r->desk.drawing;
    for (size_t b = 0; b < drawing->count; b++) {
        const struct drawing_item *box = &drawing->item[b];
        if (box->shape != SHAPE_BOX || box->role != fill || box->x < r->desk.code.x)
            continue;
        for (size_t t = 0; t < drawing->count; t++) {
            const struct drawing_item *item = &drawing->item[t];
            if (item->shape == SHAPE_TEXT && item->x >= box->x && item->y > box->y &&
                item->y < box->y + box->h && item->x < box->x + box->w)
                return drawing_string(drawing, item);
        }
    }
    return NULL;
}

/* The middle of a line's row, which must be drawn. */
static void line_middle(const struct recorded *r, const char *line, double *x, double *y)
{
    const struct drawing *drawing = &r->desk.drawing;
    for (size_t i = 0; i < drawing->count; i++) {
        const struct drawing_item *item = &drawing->item[i];
        if (item->shape != SHAPE_TEXT || item->x < r->desk.code.x ||
            !strstr(drawing_string(drawing, item), line))
            continue;
        *x = item->x + 5;
        *y = item->y - 4;
        return;
    }
    fail_msg("no line %s", line);
}

static bool press(struct recorded *r, const char *key)
{
    return desk_press(&r->desk, key, 0);
}

static void lines_have_what_their_accesses_cost(void **state)
{
    const struct source *source = &((struct recorded *)*state)->view.panel[0].source;
    assert_int_equal(source->lines, 3);
    assert_string_equal(source_file_name(source, 0), "a.cuh");
    assert_string_equal(source_file_name(source, 1), "b.cu");
    assert_null(source_file_name(source, 2));
    assert_int_equal(source->line[0].number, 40);
    assert_int_equal(source->line[0].accesses, 1);
    assert_int_equal(source->line[1].accesses, 2);
    assert_int_equal(source->line[1].conflicts, 0);
    assert_int_equal(source->line[2].accesses, 3); /* two sites, one line */
    assert_int_equal(source->line[2].passes, 12);
    assert_int_equal(source->line[2].conflicts, 9);
    assert_int_equal(source->most, 12);
}

static void the_line_that_is_executed_is_marked(void **state)
{
    struct recorded *r = *state;
    drawn(r);
    assert_string_equal(boxed(r, ROLE_GOOD), "tile[y][x] = in[i];");
    assert_null(boxed(r, ROLE_BAD));
    press(r, "Right");
    drawn(r);
    assert_string_equal(boxed(r, ROLE_BAD), "out[i] = tile[x][y];");
    assert_true(has_text(&r->desk.drawing, "line 5: 12 passes (80 %), 9 conflicts in 3 instr"));
    view_hide(&r->view, HIDE_COSTS);
    drawn(r);
    assert_null(boxed(r, ROLE_BAD));
    assert_false(has_text(&r->desk.drawing, "12 passes"));
}

static void a_click_on_a_line_goes_to_its_next_access(void **state)
{
    struct recorded *r = *state;
    static const int rounds[] = {0, 2, 0}; /* of this warp; then again from the first */
    double x = 0, y = 0;
    for (int i = 0; i < 3; i++) {
        drawn(r);
        line_middle(r, "out[i] = tile", &x, &y);
        assert_true(desk_button(&r->desk, x, y, true));
        desk_button(&r->desk, x, y, false);
        assert_int_equal(r->view.panel[0].stage, 1);
        assert_int_equal(r->view.at.round, rounds[i]);
        assert_int_equal(r->view.panel[0].warp, 0);
    }
    view_go_warp(&r->view, 0, 1); /* warp 1 never executes the other line */
    drawn(r);
    line_middle(r, "sum += at", &x, &y);
    assert_true(desk_button(&r->desk, x, y, true));
    assert_int_equal(r->view.panel[0].warp, 0);
    assert_int_equal(r->view.at.round, 1);
    line_middle(r, "b.cu", &x, &y);
    assert_false(desk_button(&r->desk, x, y, true));
}

static void the_line_of_what_the_mouse_is_over_is_marked(void **state)
{
    struct recorded *r = *state;
    double x, y;
    press(r, "Right");
    press(r, "Right"); /* round 1: line 40 of the other file reads words 0 to 3 */
    drawn(r);
    cell_middle(&r->view, 0, 4, &x, &y); /* of round 0 */
    assert_true(desk_move(&r->desk, x, y));
    assert_true(has_text(drawn(r), "line 5: "));
    assert_true(has_text(&r->desk.drawing, "tile[1][0], value 2.5: read by thread (1, 0)"));
    assert_true(desk_leave(&r->desk));
    assert_true(has_text(drawn(r), "line 40: "));
    line_middle(r, "tile[y][x]", &x, &y);
    assert_true(desk_move(&r->desk, x, y));
    assert_true(has_text(drawn(r), "line 3: "));
    assert_false(desk_move(&r->desk, x + 1, y));
}

static void a_files_text_is_shown_if_it_is_what_was_recorded(void **state)
{
    struct recorded *r = *state;
    struct source *source = &r->view.panel[0].source;
    assert_false(has_text(drawn(r), "turns"));
    assert_true(has_text(&r->desk.drawing, "..."));                    /* lines are left out */
    assert_false(source_text(source, 1, text + 12, sizeof text - 13)); /* a line less */
    assert_false(source_text(source, 1, "", 0));
    assert_false(source_text(source, 1, text, sizeof text)); /* a null byte */
    static const char *const others[] = {"out[i]",
                                         "out[i]-= tile[x][y];",
                                         "out[i]\t+ tile[x][y];",
                                         "out[\t] = tile[x][y];",
                                         "out[i] = tile[x][y]",
                                         ""};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char changed[200];
        snprintf(changed, sizeof changed, "\n\ntile[y][x] = in[i];\n\n%s\n", others[i]);
        if (source_text(source, 1, changed, strlen(changed)))
            fail_msg("%s", others[i]);
    }
    assert_false(has_text(drawn(r), "turns"));
    assert_true(source_text(source, 1, text, sizeof text - 1));
    assert_false(source_text(source, 1, text, sizeof text - 1)); /* it is there */
    assert_true(has_text(drawn(r), "/* turns */"));
    assert_string_equal(boxed(r, ROLE_GOOD), "    tile[y][x] = in[i];");
}

static void a_long_file_is_scrolled_to_the_line(void **state)
{
    struct recorded *r = *state;
    char lines[40 * 6 + 40] = "";
    for (int i = 1; i < 40; i++)
        strcat(lines, i == 2 ? "second\n" : "line\n");
    strcat(lines, "sum += at[i];\n");
    assert_true(source_text(&r->view.panel[0].source, 0, lines, strlen(lines)));
    desk_resize(&r->desk, 1200, 400, 1);
    assert_string_equal((drawn(r), boxed(r, ROLE_GOOD)), "tile[y][x] = in[i];"); /* of b.cu */
    assert_false(has_text(&r->desk.drawing, "second"));
    for (int i = 0; i < 10; i++)
        assert_true(press(r, "PageUp"));
    assert_true(has_text(drawn(r), "second"));
    assert_null(boxed(r, ROLE_GOOD)); /* it stays there */
    press(r, "Right");
    assert_string_equal((drawn(r), boxed(r, ROLE_BAD)), "out[i] = tile[x][y];");
}

static void the_source_finds_room_or_is_left_out(void **state)
{
    struct recorded *r = *state;
    struct desk *desk = &r->desk;
    drawn(r);
    assert_true(desk->code.w > 0 && desk->code.x == desk->picture_w && desk->code.y == 0);
    desk_resize(desk, 700, 900, 1);
    assert_true(desk->code.w > 0 && desk->code.x == 0 && desk->code.y == desk->picture_h);
    desk_resize(desk, 400, 300, 1);
    assert_true(desk->code.w == 0 && desk->picture_w == 400 && desk->picture_h == 300);
    desk_resize(desk, 1200, 700, 1);
    assert_true(press(r, "c"));
    assert_true(desk->code.w == 0 && desk->picture_w == 1200);
    assert_true(press(r, "c"));
    assert_true(desk->code.w > 0);
}

/* How many texts of the source's numbers are drawn, and the sum of them that are numbers. */
static int numbers_drawn(const struct drawing *drawing, uint64_t *sum)
{
    int count = 0;
    *sum = 0;
    for (size_t i = 0; i < drawing->count; i++) {
        const struct drawing_item *item = &drawing->item[i];
        if (item->shape == SHAPE_TEXT && item->thick == 10.5F && item->align == ALIGN_RIGHT) {
            count++;
            *sum += strtoull(drawing_string(drawing, item), NULL, 10);
        }
    }
    return count;
}

static void all_lines_have_numbers_at_once(void **state)
{
    struct recorded *r = *state;
    const struct source *source = &r->view.panel[0].source;
    uint64_t sum, all = 0;
    assert_int_equal(numbers_drawn(drawn(r), &sum), 0);
    assert_true(press(r, "d"));
    for (int i = 0; i < source->lines; i++)
        all += source->line[i].accesses + source->line[i].passes + source->line[i].conflicts;
    assert_int_equal(numbers_drawn(drawn(r), &sum), 3 * (source->lines + source->files));
    assert_true(has_text(&r->desk.drawing, "instr."));
    assert_int_equal(sum, all);
    r->view.hide = HIDE_TOTALS;
    assert_int_equal(numbers_drawn(drawn(r), &sum), 0);
    r->view.hide = 0;
    press(r, "c"); /* without the source: it comes back */
    assert_true(press(r, "d"));
    assert_true(r->desk.code.w > 0);
}

static void a_recording_without_lines_says_so(void **state)
{
    (void)state;
    static const struct lanes rounds[] = {{0, 0, 0, 0, OP_STORE, 4, 1, {0}, {0}, NULL}};
    struct recorded r = {.view = {0}};
    make(&r.trace, 4, 4, 4, 4, 0, rounds, 1);
    open_view(&r.view, r.index, &r.trace, NULL);
    desk_init(&r.desk, &r.view, NULL);
    desk_resize(&r.desk, 1200, 700, 1);
    drawn(&r);
    assert_true(r.desk.code.w == 0 && r.desk.picture_w == 1200);
    press(&r, "c");
    assert_true(has_text(drawn(&r), "names no source lines"));
    desk_free(&r.desk);
    close_view(&r.view, r.index);
    trace_free(&r.trace);
}

/* No text lies over another one of its line, or beyond the page. */
static void expect_apart(const struct drawing *drawing, double page)
{
    for (size_t i = 0; i < drawing->count; i++) {
        double from[2] = {0}, to[2] = {0};
        for (size_t k = i + 1; k < drawing->count; k++) {
            const struct drawing_item *both[] = {&drawing->item[i], &drawing->item[k]};
            if (both[0]->shape != SHAPE_TEXT || both[1]->shape != SHAPE_TEXT)
                continue;
            for (int n = 0; n < 2; n++) {
                const double wide = text_width(drawing_string(drawing, both[n]),
                                               (double)both[n]->thick, (enum face)both[n]->face);
                from[n] = (double)both[n]->x - (both[n]->align == ALIGN_RIGHT ? wide : 0);
                to[n] = from[n] + wide;
            }
            assert_true(from[0] >= 0 && to[0] <= page && from[1] >= 0 && to[1] <= page);
            if (fabs((double)(both[0]->y - both[1]->y)) < 3)
                assert_true(to[0] <= from[1] || to[1] <= from[0]);
        }
    }
}

/* Below the listing is a box for each lane of the warp, and how many take part beside them. */
static void the_listing_has_the_lanes_of_the_step(void **state)
{
    struct recorded *r = *state;
    static char file[] = "b.cu", store[] = "st.shared.f32 [%r1], %f1",
                load[] = "ld.shared.f32 %f1, [%r2]", none[] = "",
                fate[] = "joined: with the load of line 4, and split into two of 16 bytes each",
                brief[] = "split: into two";
    static struct trace_code codes[] = {{file, store, none, 3, 0}, {file, load, none, 5, 0}};
    struct trace *trace = &r->trace;
    struct drawing drawing = {0};
    struct listing_pane pane = {.w = 400, .h = 300, .clicked = -1, .shown = -1};
    double end = 0, top = 0;
    int boxes = 0;
    struct trace_code *const own = trace->header.code;
    trace->header.code = codes;
    trace->header.codes = 2;
    trace->header.site[0].code = 1;
    trace->header.site[1].code = 2;
    assert_int_equal(listing_of(trace, 1), 0);
    assert_int_equal(listing_of(trace, 2), 1);
    assert_int_equal(listing_of(trace, 3), -1); /* its line became no instruction that is known */
    assert_int_equal(listing_of(trace, trace->count - 1), -1);
    assert_int_equal(listing_of(trace, NO_ACCESS), -1);
    /* The warp's next one, again from the first on; another warp's if the warp has none. */
    assert_int_equal(listing_next(trace, 0, NO_ACCESS, 0, 0), 0);
    assert_int_equal(listing_next(trace, 0, 0, 0, 0), 0);
    assert_int_equal(listing_next(trace, 0, 0, 0, 1), 1);
    assert_int_equal(listing_next(trace, 0, 1, 0, 2), 0);
    assert_int_equal(listing_next(trace, 1, 0, 0, 1), 2);
    assert_int_equal(listing_next(trace, 5, 0, 0, 1), NO_ACCESS);
    const struct listing_marks marks = {.access = 2, .now = 1, .pointed_at = -1};
    drawing_begin(&drawing, 400, 300);
    listing_draw(trace, &pane, &marks, &drawing);
    for (size_t i = 0; i < drawing.count; i++) {
        const struct drawing_item *item = &drawing.item[i];
        if (item->shape == SHAPE_BOX && item->role == ROLE_CURSOR) {
            assert_true((double)item->x >= end);
            end = (double)item->x + (double)item->w;
            top = (double)item->y;
            boxes++;
        } else if (item->shape == SHAPE_TEXT &&
                   !strcmp(drawing_string(&drawing, item), "4 of 4 lanes")) {
            assert_true((double)item->x > end && (double)item->x < 100);
            assert_true((double)item->y > top && (double)item->y < top + 10); /* beside the boxes */
            end = 1000;
        }
    }
    assert_int_equal(boxes, 4);
    assert_true(end == 1000);
    /* What became of it stands in two lines, which part between words. */
    codes[1].became = fate;
    listing_draw(trace, &pane, &marks, &drawing);
    const size_t first = strlen("joined: with the load of line 4, and split into two of 16 bytes");
    int lines = 0;
    for (size_t i = 0; i < drawing.count; i++) {
        const struct drawing_item *item = &drawing.item[i];
        const char *line = item->shape == SHAPE_TEXT ? drawing_string(&drawing, item) : "";
        lines += (strlen(line) == first && !strncmp(line, fate, first)) ||
                 !strcmp(line, fate + first + 1);
    }
    assert_int_equal(lines, 2);
    codes[1].became = brief; /* and in one that it fits into */
    drawing_begin(&drawing, 400, 300);
    listing_draw(trace, &pane, &marks, &drawing);
    lines = 0;
    for (size_t i = 0; i < drawing.count; i++)
        lines += drawing.item[i].shape == SHAPE_TEXT &&
                 !strcmp(drawing_string(&drawing, &drawing.item[i]), brief);
    assert_int_equal(lines, 1);
    expect_apart(&drawing, 400);
    codes[1].became = none;
    /* An edge is about the instruction that is pointed at, and no other; none about the step's. */
    for (int pointed = -1; pointed < 2; pointed++) {
        const struct listing_marks at = {.access = 2, .now = 1, .pointed_at = pointed};
        int edges = 0;
        double edge = 0, text_of[2] = {0};
        drawing_begin(&drawing, 400, 300);
        listing_draw(trace, &pane, &at, &drawing);
        for (size_t i = 0; i < drawing.count; i++) {
            const struct drawing_item *item = &drawing.item[i];
            if (item->shape == SHAPE_BOX && item->edge == ROLE_CURSOR && item->thick == 1.5F) {
                edge = (double)item->y + (double)item->h / 2;
                edges++;
            }
            for (int k = 0; k < 2 && item->shape == SHAPE_TEXT; k++) /* not in the foot */
                if (item->role != ROLE_FAINT &&
                    !strcmp(drawing_string(&drawing, item), k ? load : store))
                    text_of[k] = (double)item->y;
        }
        assert_int_equal(edges, pointed >= 0);
        if (pointed >= 0)
            assert_float_equal(edge, text_of[pointed], 6);
        assert_true(text_of[1] > text_of[0] + 12);
    }
    trace->header.codes = 0;
    trace->header.code = own;
    drawing_free(&drawing);
}

/* ---- names ------------------------------------------------------------------------------------- */

static void values_are_read_as_their_type(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        int array_bytes, bytes;
        int64_t value;
        const char *expected;
    } cases[] = {
        {"float", 4, 4, 0x3F000000, "0.5"},
        {"float", 4, 4, -1082130432, "-1"},
        {"float4", 16, 4, 0x3F000000, "0.5"},
        {"float2", 8, 8, 0x400000003F000000, "(0.5, 2)"},
        {"double", 8, 8, 0x3FE0000000000000, "0.5"},
        {"__half", 2, 2, 0x3800, "0.5"},
        {"__half", 2, 2, 0x7BFF, "6.55e+04"},
        {"half2", 4, 4, (int32_t)0xBC003800, "(0.5, -1)"},
        {"__half", 2, 2, 1, "5.96e-08"},
        {"__half", 2, 2, 0x7C00, "inf"},
        {"__half", 2, 2, 0x7C01, "nan"},
        {"__nv_bfloat16", 2, 2, 0x3F80, "1"},
        {"unsigned", 4, 4, -1, "4294967295"},
        {"unsigned char", 1, 1, -1, "255"},
        {"int", 4, 4, -1, "-1"},
        {"int2", 8, 8, (int64_t)0xFFFFFFFF00000007, "(7, -1)"},
        {"short", 2, 2, -3, "-3"},
        {"bool", 1, 1, 1, "1"},
        {"struct pair", 8, 4, 12, "12"},
        {"int", 4, 8, 12, "(12, 0)"}, /* two elements at once */
        {"double", 8, 4, 12, "12"},   /* half of one */
        {"long", 8, 8, -5, "-5"},
        {"unsigned long long", 8, 8, -1, "18446744073709551615"},
        {"float *", 8, 8, 0x100000000040, "0x100000000040"},
        {"float *", 8, 4, 64, "64"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_array array = {.name = "a",
                                    .type = (char *)(uintptr_t)cases[i].type,
                                    .bytes = cases[i].array_bytes,
                                    .dims = 1,
                                    .dim = {4}};
        struct trace_header header = {.arrays = 1, .array = &array};
        char value[64];
        name_value(&header, 0, cases[i].bytes, cases[i].value, value, sizeof value);
        assert_string_equal(value, cases[i].expected);
    }
}

static void places_have_their_arrays_name_and_index(void **state)
{
    (void)state;
    static const struct {
        uint32_t addr;
        const char *expected;
    } cases[] = {
        {0, "tile[0][0]"}, {28, "tile[1][3]"},     {64, "at[0]"}, {76, "at[1].y"},
        {96, "half"},      {97, "half + 1 bytes"}, {98, NULL},    {29, "tile[1][3] + 1 bytes"}};
    struct trace_header header = {.arrays = 3, .array = arrays};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char place[64];
        assert_int_equal(name_place(&header, cases[i].addr, place, sizeof place),
                         cases[i].expected != NULL);
        if (cases[i].expected)
            assert_string_equal(place, cases[i].expected);
    }
}

/* struct { float x; double w; float *p; struct { short a, b; } in; float2 v; } body[2] */
static void members_of_structs_have_names_and_types(void **state)
{
    (void)state;
    struct trace_member member[] = {{.name = "x", .type = "float", .addr = 0},
                                    {.name = "w", .type = "double", .addr = 8},
                                    {.name = "p", .type = "float *", .addr = 16},
                                    {.name = "in.a", .type = "short", .addr = 24},
                                    {.name = "in.b", .type = "short", .addr = 26},
                                    {.name = "v", .type = "float2", .addr = 32}};
    struct trace_array array = {.name = "body",
                                .type = "struct body",
                                .bytes = 40,
                                .dims = 1,
                                .dim = {2},
                                .members = 6,
                                .member = member};
    struct trace_header header = {.arrays = 1, .array = &array};
    static const struct {
        uint32_t addr;
        int bytes;
        int64_t value;
        const char *place, *text;
    } cases[] = {
        {0, 4, 0x3F000000, "body[0].x", "0.5"},
        {8, 8, 0x3FE0000000000000, "body[0].w", "0.5"},
        {12, 4, 0x3FE00000, "body[0].w + 4 bytes", "1071644672"},
        {56, 8, 0x1000, "body[1].p", "0x1000"},
        {66, 2, -3, "body[1].in.b", "-3"},
        {24, 4, (int64_t)0xFFFD0004, "body[0].in.a", "(4, -3)"},
        {32, 8, 0x400000003F000000, "body[0].v", "(0.5, 2)"},
        {36, 4, 0x40000000, "body[0].v.y", "2"},
        {4, 4, 7, "body[0] + 4 bytes", "7"}, /* padding */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        assert_true(name_place(&header, cases[i].addr, text, sizeof text));
        assert_string_equal(text, cases[i].place);
        name_value(&header, cases[i].addr, cases[i].bytes, cases[i].value, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}

static void threads_have_the_blocks_dimensions(void **state)
{
    (void)state;
    char name[64];
    struct trace_header header = {.block_dim = {0}};
    name_thread(&header, 17, name, sizeof name);
    assert_string_equal(name, "17");
    header = (struct trace_header){.block_dim = {32, 1, 1}};
    name_thread(&header, 17, name, sizeof name);
    assert_string_equal(name, "17");
    header = (struct trace_header){.block_dim = {32, 8, 1}};
    name_thread(&header, 113, name, sizeof name);
    assert_string_equal(name, "(17, 3)");
    header = (struct trace_header){.block_dim = {4, 2, 2}};
    name_thread(&header, 13, name, sizeof name);
    assert_string_equal(name, "(1, 1, 1)");
}

#define RECORDED(test) cmocka_unit_test_setup_teardown(test, open_recorded, close_recorded)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECORDED(lines_have_what_their_accesses_cost),
        RECORDED(the_line_that_is_executed_is_marked),
        RECORDED(a_click_on_a_line_goes_to_its_next_access),
        RECORDED(the_line_of_what_the_mouse_is_over_is_marked),
        RECORDED(a_files_text_is_shown_if_it_is_what_was_recorded),
        RECORDED(a_long_file_is_scrolled_to_the_line),
        RECORDED(the_source_finds_room_or_is_left_out),
        RECORDED(all_lines_have_numbers_at_once),
        cmocka_unit_test(a_recording_without_lines_says_so),
        RECORDED(the_listing_has_the_lanes_of_the_step),
        cmocka_unit_test(values_are_read_as_their_type),
        cmocka_unit_test(places_have_their_arrays_name_and_index),
        cmocka_unit_test(members_of_structs_have_names_and_types),
        cmocka_unit_test(threads_have_the_blocks_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
