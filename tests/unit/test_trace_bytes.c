/* The bytes of a page's recordings: what is packed comes out again, and any other bytes are a trace
 * or an error. */
#include "kernels/catalogue.h"
#include "tests/support/hand_made.h"

#include <stdlib.h>
#include <string.h>

static void same_access(const struct warp_access *a, const struct warp_access *b)
{
    size_t lanes = (size_t)a->lanes;
    assert_int_equal(a->stage, b->stage);
    assert_int_equal(a->round, b->round);
    assert_int_equal(a->slot, b->slot);
    assert_int_equal(a->block, b->block);
    assert_int_equal(a->warp, b->warp);
    assert_int_equal(a->op, b->op);
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(a->lanes, b->lanes);
    assert_int_equal(a->site, b->site);
    assert_memory_equal(a->lane, b->lane, lanes);
    assert_int_equal(!a->global, !b->global);
    if (a->global)
        assert_memory_equal(a->global, b->global, lanes * sizeof *a->global);
    else
        assert_memory_equal(a->addr, b->addr, lanes * sizeof *a->addr);
    assert_int_equal(!a->value, !b->value);
    assert_int_equal(!a->tag, !b->tag);
    if (a->value)
        assert_memory_equal(a->value, b->value, lanes * sizeof *a->value);
    if (a->tag)
        assert_memory_equal(a->tag, b->tag, lanes);
}

static void same_header(const struct trace_header *a, const struct trace_header *b)
{
    assert_string_equal(a->kernel, b->kernel);
    assert_string_equal(a->input, b->input);
    assert_int_equal(a->seed, b->seed);
    assert_int_equal(a->banks, b->banks);
    assert_int_equal(a->partition, b->partition);
    assert_int_equal(a->shared_bytes, b->shared_bytes);
    assert_int_equal(a->global, b->global);
    assert_int_equal(a->stages, b->stages);
    assert_string_equal(a->stage[a->stages - 1], b->stage[a->stages - 1]);
    assert_int_equal(a->params, b->params);
    for (int i = 0; i < a->params; i++) {
        assert_string_equal(a->param[i].name, b->param[i].name);
        assert_int_equal(a->param[i].number, b->param[i].number);
        assert_int_equal(!a->param[i].word, !b->param[i].word);
    }
    assert_int_equal(a->arrays, b->arrays);
    for (int i = 0; i < a->arrays; i++)
        assert_memory_equal(a->array[i].dim, b->array[i].dim, sizeof a->array[i].dim);
    for (int i = 0; i < a->arrays; i++) {
        assert_int_equal(a->array[i].members, b->array[i].members);
        for (int k = 0; k < a->array[i].members; k++)
            assert_string_equal(a->array[i].member[k].name, b->array[i].member[k].name);
    }
    assert_int_equal(a->sites, b->sites);
    for (int i = 0; i < a->sites; i++)
        assert_string_equal(a->site[i].text, b->site[i].text);
    assert_int_equal(a->codes, b->codes);
    for (int i = 0; i < a->codes; i++) {
        assert_string_equal(a->code[i].text, b->code[i].text);
        assert_string_equal(a->code[i].became, b->code[i].became);
        assert_int_equal(a->code[i].line, b->code[i].line);
    }
}

/* Packs a trace in memory. */
static void pack(const struct trace *trace, struct trace_bytes *bytes)
{
    struct error error = {{0}};
    struct trace_sink sink = trace_bytes_sink(bytes);
    assert_true(sink.header(sink.context, &trace->header, &error));
    for (size_t i = 0; i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        assert_true(sink.access(sink.context, &access, &error));
    }
    assert_true(sink.end(sink.context, &trace->end, &error));
}

static void comes_out_again(const struct trace *trace)
{
    struct error error = {{0}};
    struct trace_bytes bytes = {.byte = NULL};
    struct trace again = {.count = 0};
    struct trace_sink sink = trace_memory_sink(&again);
    pack(trace, &bytes);
    if (!trace_unpack(bytes.byte, bytes.count, &sink, &error))
        fail_msg("%s", error.text);
    same_header(&trace->header, &again.header);
    assert_int_equal(trace->count, again.count);
    assert_int_equal(trace->end.complete, again.end.complete);
    assert_int_equal(trace->end.dropped, again.end.dropped);
    for (size_t i = 0; i < trace->count; i++) {
        struct warp_access a = trace_get(trace, i), b = trace_get(&again, i);
        same_access(&a, &b);
    }
    free(bytes.byte);
    trace_free(&again);
}

static void record_words(const char *words, struct trace *trace)
{
    struct error error = {{0}};
    struct recipe recipe;
    struct run_result result;
    struct trace_sink sink = trace_memory_sink(trace);
    if (!recipe_parse(&recipe, words, &error) || !recipe_run(&recipe, NULL, &sink, &result, &error))
        fail_msg("%s", error.text);
    recipe_free(&recipe);
}

static void test_round_trip(void **state)
{
    (void)state;
    static const char *const recipes[] = {"thrust-merge w=12 u=24 E=5 --input worst",
                                          "cf-sort w=8 u=16 E=3 n=200 --seed 9007199254740991",
                                          "wide bytes=16", "transpose w=64 u=64", NULL};
    for (int i = 0; recipes[i]; i++) {
        struct trace trace = {.count = 0};
        record_words(recipes[i], &trace);
        comes_out_again(&trace);
        trace_free(&trace);
    }
}

static void test_files(void **state)
{
    (void)state;
    static const char *const files[] = {"tests/corpus/full.jsonl", "tests/corpus/cut.jsonl",
                                        "tests/corpus/puzzle.jsonl", NULL};
    for (int i = 0; files[i]; i++) {
        struct error error = {{0}};
        struct trace trace = {.count = 0};
        if (!trace_load_part(files[i], NULL, &trace, &error))
            fail_msg("%s", error.text);
        comes_out_again(&trace);
        trace_free(&trace);
    }
}

/* Whatever byte changes, and wherever the bytes end: a trace that passes the gate, or one line. */
static void test_any_bytes(void **state)
{
    (void)state;
    struct trace trace = {.count = 0};
    struct trace_bytes bytes = {.byte = NULL};
    record_words("thrust-merge w=4 u=8 E=3", &trace);
    pack(&trace, &bytes);
    int refused = 0;
    for (size_t i = 0; i < 2 * bytes.count; i++) {
        struct error error = {{0}};
        struct trace again = {.count = 0};
        struct trace_sink sink = trace_memory_sink(&again);
        size_t count = i < bytes.count ? i : bytes.count;
        unsigned char *copy =
            malloc(count + 1); /* of its very size: a sanitizer sees what is beyond */
        memcpy(copy, bytes.byte, count);
        if (i >= bytes.count)
            copy[i - bytes.count] ^= (unsigned char)(1 + 37 * i % 255);
        bool good = trace_unpack(copy, count, &sink, &error);
        assert_int_equal(good, !error.text[0]);
        assert_false(good && i < bytes.count);
        refused += !good;
        free(copy);
        trace_free(&again);
    }
    assert_true((size_t)refused > bytes.count);
    free(bytes.byte);
    trace_free(&trace);
}

/* Shared and global memory by turns, near and far. */
static void test_global_memory(void **state)
{
    static char *stages[] = {"phase 0"};
    const struct trace_header header = {.kernel = "k",
                                        .backend = "host",
                                        .device = "",
                                        .input = "",
                                        .banks = 4,
                                        .bank_bytes = 4,
                                        .warp = 4,
                                        .threads = 4,
                                        .blocks = 1,
                                        .shared_bytes = 64,
                                        .stages = 1,
                                        .stage = stages,
                                        .global = 1};
    static const uint8_t lane[] = {0, 1, 2, 3};
    static const uint32_t addr[] = {60, 0, 8, 4};
    static const uint64_t far[] = {MAX_ADDRESS - 4, 0, 0x7f0000001000, 4};
    struct trace trace = {.count = 0};
    struct error error = {{0}};
    struct trace_sink sink = trace_memory_sink(&trace);
    (void)state;
    assert_true(sink.header(sink.context, &header, &error));
    for (int round = 0; round < 6; round++) {
        const bool global = round % 3;
        const struct warp_access access = {.round = round,
                                           .op = global ? OP_REDUCTION : OP_LOAD,
                                           .bytes = 4,
                                           .lanes = 4,
                                           .lane = lane,
                                           .addr = global ? NULL : addr,
                                           .global = global ? far : NULL,
                                           .site = -1};
        assert_true(sink.access(sink.context, &access, &error));
    }
    const struct trace_end end = {.warp_accesses = 6, .complete = true};
    assert_true(sink.end(sink.context, &end, &error));
    comes_out_again(&trace);
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_global_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
