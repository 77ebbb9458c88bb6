/* test_trace.c - what is written is what is read; what is cut says so; the statistics add up. */
#include "tests/recording.h"

#include <cjson/cJSON.h>

/* Writes a trace in memory to a string (free it). */
static char *write_text(const struct trace *trace, bool complete, size_t *length)
{
    char *text = NULL;
    struct error error = {{0}};
    FILE *file = open_memstream(&text, length);
    struct trace_writer *writer = trace_writer_new(file, "test");
    struct trace_sink sink = trace_writer_sink(writer);
    struct trace_end end = trace->end;
    end.complete = complete;
    assert_true(sink.header(sink.context, &trace->header, &error));
    for (size_t i = 0; i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        assert_true(sink.access(sink.context, &access, &error));
    }
    assert_true(sink.end(sink.context, &end, &error));
    trace_writer_free(writer);
    fclose(file);
    return text;
}

static bool read_text(const char *text, size_t length, struct trace *trace, struct error *error)
{
    FILE *file = fmemopen((void *)text, length, "rb");
    memset(trace, 0, sizeof *trace);
    struct trace_sink sink = trace_memory_sink(trace);
    bool good = trace_read(file, "test", &sink, error);
    fclose(file);
    return good;
}

static void expect_same(const struct trace *a, const struct trace *b)
{
    assert_string_equal(a->header.kernel, b->header.kernel);
    assert_int_equal(a->header.shared_bytes, b->header.shared_bytes);
    assert_int_equal(a->header.partition, b->header.partition);
    assert_int_equal(a->header.stages, b->header.stages);
    assert_int_equal(a->header.params, b->header.params);
    for (int i = 0; i < a->header.params; i++) {
        assert_string_equal(a->header.param[i].name, b->header.param[i].name);
        assert_int_equal(a->header.param[i].word != NULL, b->header.param[i].word != NULL);
        assert_int_equal(a->header.param[i].word ? 0 : a->header.param[i].number,
                         b->header.param[i].word ? 0 : b->header.param[i].number);
    }
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->lane_count, b->lane_count);
    for (size_t i = 0; i < a->count; i++) {
        struct warp_access x = trace_get(a, i), y = trace_get(b, i);
        size_t lanes = (size_t)x.lanes;
        assert_int_equal(x.stage, y.stage);
        assert_int_equal(x.round, y.round);
        assert_int_equal(x.slot, y.slot);
        assert_int_equal(x.block, y.block);
        assert_int_equal(x.warp, y.warp);
        assert_int_equal(x.op, y.op);
        assert_int_equal(x.bytes, y.bytes);
        assert_int_equal(x.lanes, y.lanes);
        assert_memory_equal(x.lane, y.lane, lanes);
        assert_memory_equal(x.addr, y.addr, lanes * sizeof *x.addr);
        assert_int_equal(x.value != NULL, y.value != NULL);
        assert_int_equal(x.tag != NULL, y.tag != NULL);
        if (x.value)
            assert_memory_equal(x.value, y.value, lanes * sizeof *x.value);
        if (x.tag)
            assert_memory_equal(x.tag, y.tag, lanes);
    }
}

static void test_round_trip(void **unused)
{
    static const struct {
        const char *kernel, *params;
    } cases[] = {{"cf-merge", "w=9 u=18 E=6 blocks=2"},
                 {"thrust-merge", "w=12 u=24 E=5 order=library"},
                 {"wide", "bytes=16 u=64"},
                 {"wide", "bytes=8"},
                 {"wide", "bytes=1"},
                 {"puzzle", "w=8 u=8 n=61 variant=two-way"}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trace recorded, read;
        struct error error = {{0}};
        size_t length;
        record(&recorded, cases[i].kernel, "random", "%s", cases[i].params);
        char *text = write_text(&recorded, true, &length);
        if (!read_text(text, length, &read, &error))
            fail_msg("%s", error.text);
        expect_same(&recorded, &read);
        assert_true(read.end.complete);
        trace_free(&recorded);
        trace_free(&read);
        free(text);
    }
}

/* The lines that the format page fixes, read by cJSON and not by our reader. */
static void test_lines_are_json_with_the_fixed_fields(void **unused)
{
    static const char *const fields[] = {"stage", "round", "slot", "block", "warp",
                                         "op",    "bytes", "lane", "addr",  "value"};
    struct trace trace;
    size_t length;
    (void)unused;
    record(&trace, "thrust-merge", "worst", "w=12 u=12 E=5");
    char *text = write_text(&trace, true, &length), *rest = text, *line;
    size_t lines = 0;
    while ((line = strtok_r(NULL, "\n", &rest))) {
        cJSON *json = cJSON_Parse(line);
        assert_true(cJSON_IsObject(json));
        for (size_t i = 0; lines > 0 && lines <= trace.count && i < 10; i++)
            assert_true(cJSON_HasObjectItem(json, fields[i]));
        if (lines == 0)
            assert_string_equal(cJSON_GetObjectItem(json, "format")->valuestring,
                                "bankscope-trace");
        if (lines == trace.count + 1)
            assert_true(cJSON_IsTrue(cJSON_GetObjectItem(json, "end")));
        cJSON_Delete(json);
        lines++;
    }
    assert_int_equal(lines, trace.count + 2);
    free(text);
    trace_free(&trace);
}

/* However many bytes are left of a trace, its whole lines are read and it is said to be cut. */
static void test_a_cut_keeps_whole_lines(void **unused)
{
    struct trace recorded, read;
    size_t length, header;
    (void)unused;
    record(&recorded, "stride", "random", "w=4 u=4 s=2 rounds=6");
    char *text = write_text(&recorded, true, &length);
    header = (size_t)(strchr(text, '\n') - text) + 1;
    size_t whole = 0;
    for (size_t cut = header; cut < length; cut++) {
        struct error error = {{0}};
        whole += cut > header && text[cut - 1] == '\n';
        if (!read_text(text, cut, &read, &error))
            fail_msg("cut at byte %zu: %s", cut, error.text);
        /* A line that lacks only its newline is whole too. */
        size_t more = text[cut] == '\n';
        if (cut != length - 1) {
            assert_false(read.end.complete);
            assert_int_equal(read.count, whole + more);
        }
        trace_free(&read);
    }
    for (size_t cut = 0; cut + 1 < header; cut++) {
        struct error error = {{0}};
        assert_false(read_text(text, cut ? cut : 1, &read, &error));
        assert_true(error.text[0]);
        trace_free(&read);
    }
    free(text);
    trace_free(&recorded);
}

static void test_a_trace_without_end_is_cut(void **unused)
{
    struct trace recorded, read;
    struct error error = {{0}};
    size_t length;
    (void)unused;
    record(&recorded, "puzzle", "random", "n=256");
    char *text = write_text(&recorded, false, &length);
    assert_true(read_text(text, length, &read, &error));
    assert_false(read.end.complete);
    assert_int_equal(read.end.warp_accesses, recorded.count);
    trace_free(&read);
    trace_free(&recorded);
    free(text);
}

static void sum(const struct trace *trace, enum stats_by by, struct stats *stats)
{
    struct error error = {{0}};
    stats_init(stats, by);
    struct trace_sink sink = stats_sink(stats);
    sink.header(sink.context, &trace->header, &error);
    for (size_t i = 0; i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        assert_true(sink.access(sink.context, &access, &error));
    }
    sink.end(sink.context, &trace->end, &error);
}

static void test_statistics_add_up_however_grouped(void **unused)
{
    struct trace trace;
    (void)unused;
    record(&trace, "thrust-merge", "random", "w=8 u=64 E=5 blocks=3");
    for (int by = STATS_BY_STAGE; by <= STATS_BY_WARP; by++) {
        struct stats stats;
        uint64_t passes = 0, conflicts = 0, accesses = 0, warp_accesses = 0;
        sum(&trace, (enum stats_by)by, &stats);
        for (size_t i = 0; i < stats.rows; i++) {
            passes += stats.row[i].passes;
            conflicts += stats.row[i].conflicts;
            accesses += stats.row[i].accesses;
            warp_accesses += stats.row[i].warp_accesses;
        }
        assert_int_equal(passes, stats.total.passes);
        assert_int_equal(conflicts, stats.total.conflicts);
        assert_int_equal(accesses, trace.lane_count);
        assert_int_equal(warp_accesses, trace.count);
        assert_int_equal(conflicts, passes - warp_accesses); /* 4 bytes: at least one pass each */
        stats_free(&stats);
    }
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_lines_are_json_with_the_fixed_fields),
        cmocka_unit_test(test_a_cut_keeps_whole_lines),
        cmocka_unit_test(test_a_trace_without_end_is_cut),
        cmocka_unit_test(test_statistics_add_up_however_grouped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
