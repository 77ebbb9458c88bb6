/* test_advice.c - layouts: what they say of a recording is what the moved recording costs. */
#include "tests/support/recording.h"

#include "instrument/advice.h"

static void hand_over(const struct trace *trace, const struct trace_sink *sink)
{
    struct error error = {{0}};
    bool good = sink->header(sink->context, &trace->header, &error);
    for (size_t i = 0; good && i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        good = sink->access(sink->context, &access, &error);
    }
    if (!good || !sink->end(sink->context, &trace->end, &error))
        fail_msg("%s", error.text);
}

static void advise(struct advice *advice, const struct trace *trace)
{
    struct error error = {{0}};
    *advice = (struct advice){.arrays = 0};
    struct trace_sink sink = advice_sink(advice);
    hand_over(trace, &sink);
    if (!advice_search(advice, &error))
        fail_msg("%s", error.text);
}

static uint64_t passes_of(const struct trace *trace)
{
    uint64_t passes = 0;
    for (size_t i = 0; i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        struct bank_cost cost;
        bank_model_cost(&trace->header, &access, &cost);
        passes += (uint64_t)cost.passes;
    }
    return passes;
}

/* The recording in another layout, which the gate of all traces accepts. trace_free(moved). */
static void move_trace(struct trace *moved, const struct trace *trace,
                       const struct advice_array *array, const struct layout *layout)
{
    struct trace_check check = {.accesses = 0};
    *moved = (struct trace){.count = 0};
    struct trace_sink memory = trace_memory_sink(moved);
    struct layout_move move = {.array = array, .layout = *layout};
    move.to = trace_check_sink(&check, &memory);
    struct trace_sink sink = layout_move_sink(&move);
    hand_over(trace, &sink);
    layout_move_free(&move);
    trace_check_free(&check);
}

static void test_a_layout_keeps_units_apart(void **unused)
{
    uint64_t state = 1;
    (void)unused;
    for (int round = 0; round < 2000; round++) {
        uint32_t units = 1 + (uint32_t)random_below(&state, 300);
        struct layout layout = {.unit = 4};
        if (random_below(&state, 2)) {
            layout.columns = 2 + (uint32_t)random_below(&state, 40);
            layout.rows = (units + layout.columns - 1) / layout.columns;
            if (random_below(&state, 2)) { /* several blocks, of several units each */
                layout.inner = 1 + (uint32_t)random_below(&state, 5);
                layout.rows = 1 + (uint32_t)random_below(&state, 9);
            }
        }
        layout.every = 2 + (uint32_t)random_below(&state, 70);
        if (random_below(&state, 2))
            layout.padding = (uint32_t)random_below(&state, 4);
        else
            while (random_below(&state, 3) && layout.every % (2 * layout.mask + 2) == 0)
                layout.mask = 2 * layout.mask + 1;
        uint32_t room = layout_units(&layout, units);
        bool *taken = calloc(room, sizeof *taken);
        for (uint32_t i = 0; i < units; i++) {
            uint32_t to = layout_index(&layout, i);
            assert_true(to < room);
            assert_false(taken[to]);
            taken[to] = true;
        }
        free(taken);
    }
}

/* Whatever the search says of a layout, the moved recording costs that much. */
static void test_counts_are_those_of_the_moved_recording(void **unused)
{
    static const char *const recordings[][2] = {
        {"transpose", "variant=naive w=32 u=64"},
        {"transpose", "variant=naive w=12 u=24"},
        {"stride", "w=32 u=64 s=6 rounds=5"},
        {"wide", "bytes=8 s=4 w=32 u=32"},
        {"wide", "bytes=16 s=2 w=16 u=32"},
        {"wide", "bytes=1 s=128 w=32 u=32"},
        {"reduce", "variant=interleaved"},
        {"thrust-merge", "w=16 u=32 E=4"},
        {"colored-scan", ""},
        {"puzzle", "variant=two-way"},
    };
    int layouts = 0;
    (void)unused;
    for (size_t k = 0; k < sizeof recordings / sizeof *recordings; k++) {
        struct trace trace, moved;
        struct advice advice;
        record(&trace, recordings[k][0], "random", "%s", recordings[k][1]);
        advise(&advice, &trace);
        assert_int_equal(advice.arrays, 1);
        assert_int_equal(advice.array->warp_accesses, trace.count);
        assert_int_equal(advice.array->today.passes, passes_of(&trace));
        for (int i = 0; i < advice.array->rows; i++, layouts++) {
            const struct advice_row *row = &advice.array->row[i];
            assert_true(row->passes < advice.array->today.passes);
            move_trace(&moved, &trace, advice.array, &row->layout);
            assert_int_equal(passes_of(&moved), row->passes);
            assert_int_equal(moved.header.shared_bytes - trace.header.shared_bytes,
                             row->extra_bytes);
            trace_free(&moved);
        }
        advice_free(&advice);
        trace_free(&trace);
    }
    assert_true(layouts >= 10);
}

/* The adviser finds what the catalogue's own padded and swizzled variants do. */
static void test_finds_the_known_layouts_of_a_transposition(void **unused)
{
    struct trace naive, padded, swizzled;
    struct advice advice;
    char declaration[100], access[100];
    (void)unused;
    record(&naive, "transpose", "random", "variant=naive");
    record(&padded, "transpose", "random", "variant=padded");
    record(&swizzled, "transpose", "random", "variant=swizzled");
    advise(&advice, &naive);
    assert_int_equal(advice.array->rows, 2);
    assert_int_equal(advice.array->row[0].layout.padding, 1);
    assert_int_equal(advice.array->row[0].layout.every, 32);
    assert_int_equal(advice.array->row[0].passes, passes_of(&padded));
    assert_int_equal(advice.array->row[1].layout.mask, 31);
    assert_int_equal(advice.array->row[1].passes, passes_of(&swizzled));
    assert_int_equal(advice.array->row[1].extra_bytes, 0);
    advice_write(advice.array, &advice.array->row[0].layout, declaration, access, sizeof access);
    assert_string_equal(access, "shared[i + i / 32]");
    advice_free(&advice);
    trace_free(&naive);
    trace_free(&padded);
    trace_free(&swizzled);
}

static void test_data_decides_in_a_merge(void **unused)
{
    struct trace trace;
    struct advice advice;
    (void)unused;
    record(&trace, "histogram", "random", "%s", "");
    advise(&advice, &trace);
    assert_int_equal(advice.array->rows, 0);
    assert_true(advice.array->today.conflicts > 0);
    assert_int_equal(advice.array->today.irregular, advice.array->today.conflicts);
    advice_free(&advice);
    trace_free(&trace);
}

/* Two named arrays of one warp of 32: a column of `tile` and a row of `line`. */
/* One store of a warp to one array, an int for each lane, at these bytes; the best layout, as it is written. */
static void advise_on(struct trace_array array, int bytes, int (*at)(int lane),
                      struct advice *advice)
{
    char stage[] = "phase 0", empty[] = "", kernel[] = "k", backend[] = "host", *stages[] = {stage};
    const struct trace_header header = {.kernel = kernel,
                                        .backend = backend,
                                        .device = empty,
                                        .input = empty,
                                        .banks = 32,
                                        .bank_bytes = 4,
                                        .warp = 32,
                                        .threads = 32,
                                        .blocks = 1,
                                        .shared_bytes = bytes,
                                        .stages = 1,
                                        .stage = stages,
                                        .arrays = 1,
                                        .array = &array};
    struct error error = {{0}};
    uint8_t lane[32];
    uint32_t addr[32];
    for (int i = 0; i < 32; i++) {
        lane[i] = (uint8_t)i;
        addr[i] = (uint32_t)at(i);
    }
    const struct warp_access one = {
        .op = OP_STORE, .bytes = 4, .lanes = 32, .lane = lane, .addr = addr, .site = -1};
    *advice = (struct advice){.arrays = 0};
    const struct trace_sink sink = advice_sink(advice);
    assert_true(sink.header(sink.context, &header, &error));
    assert_true(sink.access(sink.context, &one, &error));
    assert_true(sink.end(sink.context, &(struct trace_end){1, 0, true}, &error));
    assert_true(advice_search(advice, &error));
    assert_int_equal(advice->arrays, 1);
}

static void says(const struct advice *advice, int row, const char *what, const char *wanted)
{
    char declaration[100], access[100], text[100], all[210];
    const struct advice_array *array = &advice->array[0];
    assert_in_range(row, 0, array->rows - 1);
    advice_write(array, &array->row[row].layout, declaration, access, sizeof access);
    advice_describe(array, &array->row[row].layout, text, sizeof text);
    snprintf(all, sizeof all, "%s; then %s", declaration, access);
    assert_string_equal(text, what);
    assert_string_equal(all, wanted);
    assert_int_equal(array->row[row].conflicts, 0);
}

static int at_struct(int lane)
{
    return 16 * lane + 4;
}

/* Not "word i is word i + i / 32": a struct's members stay where they are in it. */
static void test_structs_get_a_member_or_are_taken_apart(void **unused)
{
    char name[] = "b", type[] = "struct body";
    struct advice advice;
    (void)unused;
    advise_on((struct trace_array){.name = name, .type = type, .bytes = 16, .dims = 1, .dim = {33}},
              33 * 16, at_struct, &advice);
    says(&advice, 0, "1 word more in each struct",
         "a last member int pad in struct body; then b[i].member");
    says(&advice, 1, "structure of arrays",
         "each member of b in an array of its own; then b.member[i]");
    assert_int_equal(advice.array[0].row[0].extra_bytes, 144); /* 33 words, and up to 16 bytes */
    assert_int_equal(advice.array[0].row[1].extra_bytes, 0);
    advice_free(&advice);
    /* a single one, with all in it */
    advise_on((struct trace_array){.name = name, .type = type, .bytes = 33 * 16}, 33 * 16,
              at_struct, &advice);
    assert_in_range(advice.array[0].rows, 1, ADVICE_ROWS);
    assert_int_equal(advice.array[0].row[0].conflicts, 0);
    advice_free(&advice);
}

/* A warp of two rows of 16 threads, on a tile of rows of 24 that is declared flat. */
static int at_two_rows(int lane)
{
    return 4 * (lane / 16 * 24 + lane % 16 + 8);
}

static void test_rows_of_threads_get_rows_of_banks(void **unused)
{
    char name[] = "t", type[] = "float";
    struct advice advice;
    (void)unused;
    advise_on((struct trace_array){.name = name, .type = type, .bytes = 4, .dims = 1, .dim = {576}},
              4 * 576, at_two_rows, &advice);
    assert_int_equal(advice.array[0].today.conflicts, 1);
    says(&advice, 0, "24 padding after 24 elements", "float t[1128]; then t[i + i / 24 * 24]");
    assert_int_equal(advice.array[0].row[0].extra_bytes, 4 * 23 * 24);
    advice_free(&advice);
}

/* Of t[32][4][32] and t[4][32][8]: lanes go down the first index, and down the second. */
static int at_first(int lane)
{
    return 4 * (lane * 128 + 64 + 5);
}
static int at_second(int lane)
{
    return 4 * (2 * 256 + lane * 8 + 5);
}

static void test_three_indices_get_another_order(void **unused)
{
    static const struct {
        int dim[3], (*at)(int lane);
        const char *wanted;
    } rows[] = {{{32, 4, 32}, at_first, "float t[4][32][32]; then t[y][x][z]"},
                {{4, 32, 8}, at_second, "float t[4][8][32]; then t[z][x][y]"}};
    char name[] = "t", type[] = "float";
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct trace_array array = {.name = name, .type = type, .bytes = 4, .dims = 3};
        struct advice advice;
        bool found = false;
        memcpy(array.dim, rows[i].dim, sizeof rows[i].dim);
        const int bytes = 4 * array.dim[0] * array.dim[1] * array.dim[2];
        advise_on(array, bytes, rows[i].at, &advice);
        for (int row = 0; row < advice.array[0].rows; row++) {
            char declaration[100], access[100], all[210];
            advice_write(&advice.array[0], &advice.array[0].row[row].layout, declaration, access,
                         sizeof access);
            snprintf(all, sizeof all, "%s; then %s", declaration, access);
            found |= !strcmp(all, rows[i].wanted) && !advice.array[0].row[row].conflicts;
        }
        assert_true(found);
        advice_free(&advice);
    }
}

static void test_named_arrays_keep_their_dimensions(void **unused)
{
    char line[] = "line", tile[] = "tile", type[] = "float", stage[] = "phase 0", empty[] = "";
    char kernel[] = "k", backend[] = "host", *stages[] = {stage};
    struct trace_array arrays[] = {
        {.name = line, .type = type, .bytes = 4, .dims = 1, .dim = {32}},
        {.name = tile, .type = type, .addr = 128, .bytes = 4, .dims = 2, .dim = {32, 32}}};
    struct trace_header header = {.kernel = kernel,
                                  .backend = backend,
                                  .device = empty,
                                  .input = empty,
                                  .banks = 32,
                                  .bank_bytes = 4,
                                  .warp = 32,
                                  .threads = 32,
                                  .blocks = 1,
                                  .shared_bytes = 128 + 4096,
                                  .stages = 1,
                                  .stage = stages,
                                  .arrays = 2,
                                  .array = arrays};
    struct trace trace = {.count = 0}, moved;
    struct trace_sink sink = trace_memory_sink(&trace);
    struct error error = {{0}};
    uint8_t lane[32];
    uint32_t addr[32];
    char declaration[100], access[100];
    (void)unused;
    assert_true(sink.header(sink.context, &header, &error));
    for (int round = 0; round < 33; round++) {
        for (int i = 0; i < 32; i++) {
            lane[i] = (uint8_t)i;
            addr[i] = (uint32_t)(round == 0 ? 4 * i : 128 + 4 * (32 * i + round - 1));
        }
        struct warp_access one = {.round = round,
                                  .op = OP_LOAD,
                                  .bytes = 4,
                                  .lanes = 32,
                                  .lane = lane,
                                  .addr = addr,
                                  .site = -1};
        assert_true(sink.access(sink.context, &one, &error));
    }
    assert_true(sink.end(sink.context, &(struct trace_end){33, 0, true}, &error));

    struct advice advice;
    advise(&advice, &trace);
    assert_int_equal(advice.arrays, 2);
    assert_int_equal(advice.array[0].today.conflicts, 0);
    assert_int_equal(advice.array[0].rows, 0);
    assert_int_equal(advice.array[1].warp_accesses, 32);
    assert_int_equal(advice.array[1].today.passes, 1024);
    assert_int_equal(advice.array[1].rows, 2);
    advice_write(&advice.array[1], &advice.array[1].row[0].layout, declaration, access, 100);
    assert_string_equal(declaration, "float tile[32][33]");
    assert_string_equal(access, "tile[y][x]");
    advice_write(&advice.array[1], &advice.array[1].row[1].layout, declaration, access, 100);
    assert_string_equal(declaration, "float tile[32][32]");
    assert_string_equal(access, "tile[y][x ^ (y & 31)]");
    move_trace(&moved, &trace, &advice.array[1], &advice.array[1].row[0].layout);
    assert_int_equal(passes_of(&moved), 33);
    trace_free(&moved);
    advice_free(&advice);
    trace_free(&trace);
}

/* As NVIDIA's occupancy calculator has it. */
static void test_blocks_fit_a_multiprocessor(void **state)
{
    (void)state;
    static const struct {
        int kilobytes, threads, shared, blocks;
    } cases[] = {{48, 256, 0, 8},     /* threads */
                 {48, 64, 0, 32},     /* blocks */
                 {48, 64, 4096, 12},  /* shared memory, all of it */
                 {48, 64, 4224, 11},  /* one row of padding more */
                 {100, 64, 16384, 5}, /* 17 KB each, with what the system takes */
                 {100, 512, 1024, 3}, /* 1536 threads */
                 {100, 32, 0, 16},
                 {164, 256, 48 * 1024, 3},
                 {164, 1024, 163 * 1024, 1},
                 {164, 1024, 164 * 1024, 0},
                 {228, 128, 16384, 13},
                 {228, 33, 0, 32},
                 {228, 1024, 227 * 1024, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < MULTIPROCESSORS; k++)
            if (multiprocessors[k].kilobytes == cases[i].kilobytes)
                assert_int_equal(
                    multiprocessor_blocks(&multiprocessors[k], cases[i].threads, cases[i].shared),
                    cases[i].blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_layout_keeps_units_apart),
        cmocka_unit_test(test_counts_are_those_of_the_moved_recording),
        cmocka_unit_test(test_finds_the_known_layouts_of_a_transposition),
        cmocka_unit_test(test_data_decides_in_a_merge),
        cmocka_unit_test(test_named_arrays_keep_their_dimensions),
        cmocka_unit_test(test_structs_get_a_member_or_are_taken_apart),
        cmocka_unit_test(test_rows_of_threads_get_rows_of_banks),
        cmocka_unit_test(test_three_indices_get_another_order),
        cmocka_unit_test(test_blocks_fit_a_multiprocessor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
