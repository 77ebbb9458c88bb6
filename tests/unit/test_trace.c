/* test_trace.c - what is written is what is read; what is cut says so; the statistics add up. */
#include "tests/support/recording.h"

#include <cjson/cJSON.h>
#include <limits.h>

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
        assert_string_equal(a->header.param[i].word ? a->header.param[i].word : "",
                            b->header.param[i].word ? b->header.param[i].word : "");
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
        assert_int_equal(x.global != NULL, y.global != NULL);
        if (x.global)
            assert_memory_equal(x.global, y.global, lanes * sizeof *x.global);
        else
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

/* Lines in the writer's own form are read without cJSON, others with it: with a space behind every
 * brace, the same comes out; and the same is refused. */
static char *with_spaces(const char *text, size_t length, size_t *longer)
{
    char *spaced = malloc(2 * length + 1), *to = spaced;
    for (size_t i = 0; i < length; i++) {
        *to++ = text[i];
        if (text[i] == '{')
            *to++ = ' ';
    }
    *to = '\0';
    *longer = (size_t)(to - spaced);
    return spaced;
}

static void test_both_ways_of_reading_agree(void **unused)
{
    static const char *const cases[][2] = {{"thrust-merge", "w=12 u=24 E=5 blocks=2"},
                                           {"wide", "bytes=16 u=64"},
                                           {"puzzle", "w=8 u=8 n=61 variant=two-way"}};
    /* Of an access's line: what is put in the place of what. */
    static const char *const edits[][2] = {
        {"\"round\":0", "\"round\":-1"},    {"\"round\":0", "\"round\":00"},
        {"\"round\":0", "\"round\":1e9"},   {"\"slot\":0", "\"slot\":99999999999999999999"},
        {"\"block\":0", "\"block\":9"},     {"\"bytes\":4", "\"bytes\":5"},
        {"\"lane\":[0,", "\"lane\":[1,"},   {"\"lane\":[0,", "\"lane\":["},
        {"\"lane\":[0,", "\"lane\":[-0,"},  {"\"addr\":[", "\"addr\":[2147483648,"},
        {"\"op\":\"load", "\"op\":\"lead"}, {"]}", "],\"site\":0}"},
        {"]}", "],\"tag\":\"A\"}"},         {"]}", "]}}"}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct trace recorded, read;
        struct error error = {{0}};
        size_t length, longer;
        record(&recorded, cases[i][0], "random", "%s", cases[i][1]);
        char *text = write_text(&recorded, true, &length);
        char *spaced = with_spaces(text, length, &longer);
        if (!read_text(spaced, longer, &read, &error))
            fail_msg("%s", error.text);
        expect_same(&recorded, &read);
        trace_free(&read);
        trace_free(&recorded);
        free(spaced);
        for (size_t k = 0; k < sizeof edits / sizeof edits[0]; k++) {
            const char *second = strchr(text, '\n'), *at = strstr(second, edits[k][0]);
            if (!at)
                continue;
            char *edited = malloc(length + 64);
            int edited_length = sprintf(edited, "%.*s%s%s", (int)(at - text), text, edits[k][1],
                                        at + strlen(edits[k][0]));
            spaced = with_spaces(edited, (size_t)edited_length, &longer);
            struct trace one = {0}, other = {0};
            struct error one_error = {{0}}, other_error = {{0}};
            bool good = read_text(edited, (size_t)edited_length, &one, &one_error);
            assert_int_equal(read_text(spaced, longer, &other, &other_error), good);
            if (good)
                expect_same(&one, &other);
            else if (!strstr(one_error.text, "amiss at byte"))
                assert_string_equal(one_error.text, other_error.text);
            trace_free(&one);
            trace_free(&other);
            free(spaced);
            free(edited);
        }
        free(text);
    }
}

/* A part is what a sink that picks it from the whole would have. */
static void test_a_part_is_what_was_asked_for(void **unused)
{
    static const struct trace_part parts[] = {
        {.first_block = 1, .last_block = 1, .warp = -1},
        {.first_block = 1, .last_block = 2, .warp = 1},
        {.last_block = INT_MAX, .stage = "merge", .warp = -1},
        {.last_block = INT_MAX, .stage = "merge", .warp = -1, .one_block = true},
        {.first_block = 2, .last_block = INT_MAX, .stage = "search", .warp = 0},
        {.last_block = INT_MAX, .stage = "none of them", .warp = -1},
        {.first_block = 9, .last_block = 9, .warp = -1}};
    struct trace all;
    size_t length, longer;
    (void)unused;
    record(&all, "thrust-merge", "random", "w=8 u=16 E=3 blocks=4");
    char *text = write_text(&all, true, &length), *spaced = with_spaces(text, length, &longer);
    for (size_t k = 0; k < 2 * sizeof parts / sizeof parts[0]; k++) {
        const struct trace_part *part = &parts[k / 2];
        struct trace got = {0};
        struct error error = {{0}};
        struct trace_sink sink = trace_memory_sink(&got);
        FILE *file = k % 2 ? fmemopen(spaced, longer, "rb") : fmemopen(text, length, "rb");
        if (!trace_read_part(file, "test", part, &sink, &error))
            fail_msg("%s", error.text);
        fclose(file);
        int stage = part->stage ? header_stage(&all.header, part->stage) : -1, block = -1;
        size_t count = 0;
        for (size_t i = 0; i < all.count; i++) {
            struct warp_access access = trace_get(&all, i);
            if (access.block < part->first_block || access.block > part->last_block ||
                (stage >= 0 && access.stage != stage) ||
                (part->warp >= 0 && access.warp != part->warp))
                continue;
            block = block < 0 ? access.block : block;
            if (part->one_block && access.block != block)
                continue;
            assert_true(count < got.count);
            struct warp_access same = trace_get(&got, count++);
            assert_int_equal(same.stage, access.stage);
            assert_int_equal(same.round, access.round);
            assert_int_equal(same.block, access.block);
            assert_int_equal(same.warp, access.warp);
            assert_memory_equal(same.addr, access.addr, (size_t)access.lanes * sizeof *access.addr);
        }
        assert_int_equal(got.count, count);
        assert_int_equal(got.end.warp_accesses, all.count);
        assert_true(got.end.complete);
        trace_free(&got);
        assert_null(got.entry);
        assert_int_equal(got.count, 0);
    }
    free(text);
    free(spaced);
    trace_free(&all);
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

/* ---- the gate -------------------------------------------------------------------------------- */

/* A small trace with every optional field. The texts are literals: never header_free it. */
static struct trace_header full_header(void)
{
    static char *stages[] = {"phase 0", "phase 1"};
    static struct trace_param params[] = {{"w", NULL, 4}, {"variant", "padded", 0}};
    static struct trace_member members[] = {{"x", "float", 0}, {"next", "struct pair *", 4}};
    static struct trace_array arrays[] = {
        {.name = "tile", .type = "float", .addr = 0, .bytes = 4, .dims = 2, .dim = {2, 5}},
        {.name = "pairs",
         .type = "struct pair",
         .addr = 40,
         .bytes = 12,
         .dims = 1,
         .dim = {2},
         .members = 2,
         .member = members},
        {.name = "count", .type = "int", .addr = 64, .bytes = 4}};
    static struct trace_site sites[] = {
        {"transpose.cu", "transpose<float>", "\ttile[y][x] = in[i];", "in", 74, 3},
        {"\xc3\xa4.cu", "", "", "", 0, 0}};
    static struct trace_code code[] = {
        {"", "$L__BB0_2:", "", 0, 0},
        {"transpose.cu", "ld.global.f32 %f1, [%rd4]", "", 74, 0},
        {"transpose.cu", "st.shared.f32 [%r5], %f1", "gone: \"no\" such access", 74, 0},
        {"", "STS [R5], R2", "", 0, 1}};
    return (struct trace_header){.kernel = "transpose<float>",
                                 .backend = "host",
                                 .device = "",
                                 .input = "",
                                 .seed = (uint64_t)MAX_WHOLE,
                                 .banks = 4,
                                 .bank_bytes = 4,
                                 .warp = 4,
                                 .threads = 6,
                                 .blocks = 2,
                                 .shared_bytes = 80,
                                 .block_dim = {3, 2, 1},
                                 .grid_dim = {100000, 4, 1},
                                 .stages = 2,
                                 .stage = stages,
                                 .params = 2,
                                 .param = params,
                                 .arrays = 3,
                                 .array = arrays,
                                 .sites = 2,
                                 .site = sites,
                                 .codes = 4,
                                 .code = code};
}

static const uint8_t lanes[] = {0, 1, 2, 3};
static const uint32_t addrs[] = {0, 4, 8, 12};

static struct warp_access full_access(void)
{
    return (struct warp_access){
        .bytes = 4, .lanes = 4, .lane = lanes, .addr = addrs, .tag = "A\"\\ ", .site = 1};
}

static const uint64_t far_addrs[] = {0x7f0000a0, 0, 4, MAX_ADDRESS - 4};

/* The same of global memory. */
static struct warp_access full_global(void)
{
    struct warp_access access = full_access();
    access.addr = NULL;
    access.global = far_addrs;
    return access;
}

/* The least that a header may say: one stage, no device, input, seed or parameters. */
static void what_a_header_leaves_out_is_empty(void **unused)
{
    static const char text[] =
        "{\"format\":\"bankscope-trace\",\"version\":1,\"kernel\":\"k\",\"backend\":\"host\","
        "\"banks\":1,\"bank_bytes\":4,\"warp\":1,\"threads\":1,\"blocks\":1,\"shared_bytes\":4,"
        "\"stages\":[\"only\"]}\n"
        "{\"stage\":\"only\",\"round\":0,\"slot\":0,\"block\":0,\"warp\":0,\"op\":\"load\","
        "\"bytes\":4,\"lane\":[0],\"addr\":[0]}\n"
        "{\"end\":true,\"warp_accesses\":1,\"dropped\":0}\n";
    struct trace read;
    struct error error = {{0}};
    (void)unused;
    if (!read_text(text, sizeof text - 1, &read, &error))
        fail_msg("%s", error.text);
    assert_string_equal(read.header.device, "");
    assert_string_equal(read.header.input, "");
    assert_int_equal(read.header.seed, 0);
    assert_int_equal(read.header.params, 0);
    assert_int_equal(read.header.arrays, 0);
    assert_int_equal(read.header.sites, 0);
    assert_int_equal(read.header.stages, 1);
    assert_int_equal(read.count, 1);
    assert_int_equal(trace_get(&read, 0).site, -1);
    trace_free(&read);
}

static void the_optional_fields_come_back(void **unused)
{
    static char longest[MAX_TEXT + 1] = "\t";
    struct trace_header header = full_header();
    header.global = 1;
    memset(longest + 1, 'x', MAX_TEXT - 1);
    header.site[1].text = longest;
    struct trace made = {0}, read;
    struct error error = {{0}};
    struct trace_check check;
    struct trace_sink memory = trace_memory_sink(&made), sink = trace_check_sink(&check, &memory);
    size_t length;
    (void)unused;
    assert_true(sink.header(sink.context, &header, &error));
    for (int op = 0; op < OPS; op++) {
        struct warp_access access = op >= OP_REDUCTION ? full_global() : full_access();
        access.round = op;
        access.op = (enum op)op;
        access.site = op % 3 - 1;
        if (!sink.access(sink.context, &access, &error))
            fail_msg("%s", error.text);
    }
    assert_true(sink.end(sink.context, &(struct trace_end){OPS, 0, true}, &error));
    trace_check_free(&check);
    char *text = write_text(&made, true, &length);
    if (!read_text(text, length, &read, &error))
        fail_msg("%s", error.text);
    expect_same(&made, &read);
    assert_memory_equal(read.header.block_dim, header.block_dim, sizeof header.block_dim);
    assert_memory_equal(read.header.grid_dim, header.grid_dim, sizeof header.grid_dim);
    assert_int_equal(read.header.seed, MAX_WHOLE);
    assert_int_equal(read.header.arrays, 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(read.header.array[i].name, header.array[i].name);
        assert_string_equal(read.header.array[i].type, header.array[i].type);
        assert_int_equal(read.header.array[i].addr, header.array[i].addr);
        assert_int_equal(read.header.array[i].bytes, header.array[i].bytes);
        assert_int_equal(read.header.array[i].dims, header.array[i].dims);
        assert_memory_equal(read.header.array[i].dim, header.array[i].dim,
                            sizeof header.array[i].dim);
        assert_int_equal(read.header.array[i].members, header.array[i].members);
        for (int k = 0; k < header.array[i].members; k++) {
            const struct trace_member *got = &read.header.array[i].member[k],
                                      *wanted = &header.array[i].member[k];
            assert_string_equal(got->name, wanted->name);
            assert_string_equal(got->type, wanted->type);
            assert_int_equal(got->addr, wanted->addr);
        }
    }
    assert_int_equal(read.header.sites, 2);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(read.header.site[i].file, header.site[i].file);
        assert_string_equal(read.header.site[i].function, header.site[i].function);
        assert_string_equal(read.header.site[i].text, header.site[i].text);
        assert_int_equal(read.header.site[i].line, header.site[i].line);
        assert_int_equal(read.header.site[i].code, header.site[i].code);
    }
    assert_int_equal(read.header.codes, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(read.header.code[i].file, header.code[i].file);
        assert_string_equal(read.header.code[i].text, header.code[i].text);
        assert_string_equal(read.header.code[i].became, header.code[i].became);
        assert_int_equal(read.header.code[i].line, header.code[i].line);
        assert_int_equal(read.header.code[i].sass, header.code[i].sass);
    }
    for (int op = 0; op < OPS; op++) {
        struct warp_access access = trace_get(&read, (size_t)op);
        assert_int_equal(access.op, op);
        assert_int_equal(access.site, op % 3 - 1);
    }
    free(text);
    trace_free(&made);
    trace_free(&read);
}

/* Values that a JSON number cannot tell from their neighbours are written as bits. */
static void values_beyond_2_to_53_are_written_as_bits(void **unused)
{
    static const int64_t value[] = {MAX_WHOLE,     -MAX_WHOLE,     MAX_WHOLE + 1,
                                    MAX_WHOLE + 2, -MAX_WHOLE - 1, INT64_MIN};
    (void)unused;
    for (size_t i = 0; i < sizeof value / sizeof value[0]; i++) {
        struct trace_header header = full_header();
        struct trace made = {0}, read;
        struct error error = {{0}};
        struct trace_sink sink = trace_memory_sink(&made);
        struct warp_access access = full_access();
        int64_t values[] = {1, 2, 3, value[i]};
        size_t length;
        access.value = values;
        assert_true(sink.header(sink.context, &header, &error));
        assert_true(sink.access(sink.context, &access, &error));
        assert_true(sink.end(sink.context, &(struct trace_end){1, 0, true}, &error));
        char *text = write_text(&made, true, &length);
        if (!read_text(text, length, &read, &error))
            fail_msg("%s", error.text);
        access = trace_get(&read, 0);
        assert_non_null(access.value);
        assert_memory_equal(access.value, values, sizeof values);
        trace_free(&read);
        char *bits = strstr(text, "\"value_bits\":[");
        assert_int_equal(bits != NULL, i >= 2);
        if (bits) { /* laid out as the writer does not */
            char *spaced = test_malloc(length + 2);
            snprintf(spaced, length + 2, "%.*s %s", (int)(bits - text), text, bits);
            if (!read_text(spaced, length + 1, &read, &error))
                fail_msg("%s", error.text);
            test_free(spaced);
            access = trace_get(&read, 0);
            assert_memory_equal(access.value, values, sizeof values);
            trace_free(&read);
        }
        free(text);
        trace_free(&made);
    }
}

static size_t cjson_pieces;

static void *counted_malloc(size_t size)
{
    cjson_pieces++;
    return malloc(size);
}

/* How often cJSON took memory to read a trace with `times` copies of a line. */
static size_t pieces_for(const char *head, const char *line, int times)
{
    static char text[1 << 16];
    char end[128];
    struct trace read;
    struct error error = {{0}};
    snprintf(text, sizeof text, "%s", head);
    for (int i = 0; i < times; i++) { /* in rounds, which ascend */
        char one[1024], *round;
        snprintf(one, sizeof one, "%s", line);
        round = strstr(one, "\"round\":0");
        assert_non_null(round);
        round[8] = (char)('0' + i);
        strcat(text, one);
    }
    snprintf(end, sizeof end, "{\"end\":true,\"warp_accesses\":%d,\"dropped\":0}\n", times);
    strcat(text, end);
    cjson_pieces = 0;
    if (!read_text(text, strlen(text), &read, &error))
        fail_msg("%s: %s", line, error.text);
    trace_free(&read);
    return cjson_pieces;
}

/* What the writer writes is read without cJSON, which takes five times as long: every operation, the
 * longest numbers, values and bits, tags, sites. */
static void written_lines_are_read_directly(void **unused)
{
    cJSON_Hooks count = {counted_malloc, free};
    (void)unused;
    for (int i = 0; i < 3 * OPS; i++) {
        struct trace_header header = full_header();
        struct trace made = {0};
        struct error error = {{0}};
        struct trace_sink sink = trace_memory_sink(&made);
        struct warp_access access = i % OPS >= OP_REDUCTION ? full_global() : full_access();
        int64_t value[] = {MAX_WHOLE, -MAX_WHOLE, 0, i / OPS == 2 ? INT64_MIN : 1};
        size_t length;
        header.global = i % OPS >= OP_REDUCTION;
        access.op = (enum op)(i % OPS);
        access.tag = "AB z";
        access.value = i / OPS ? value : NULL;
        access.site = i % 2 - 1;
        assert_true(sink.header(sink.context, &header, &error));
        assert_true(sink.access(sink.context, &access, &error));
        assert_true(sink.end(sink.context, &(struct trace_end){1, 0, true}, &error));
        char *text = write_text(&made, true, &length), *line = strchr(text, '\n') + 1,
             head[1 << 14];
        snprintf(head, sizeof head, "%.*s", (int)(line - text), text);
        strchr(line, '\n')[1] = '\0';
        cJSON_InitHooks(&count);
        size_t one = pieces_for(head, line, 1), four = pieces_for(head, line, 4);
        cJSON_InitHooks(NULL);
        if (one != four)
            fail_msg("%s", line);
        free(text);
        trace_free(&made);
    }
}

/* Each changes one thing of a good trace; the gate must say what is amiss. */
struct bad_trace {
    const char *said;
    void (*change)(struct trace_header *header, struct warp_access *access, struct trace_end *end);
};
#define BAD(name, text, edit)                                                                      \
    static void name(struct trace_header *header, struct warp_access *access,                      \
                     struct trace_end *end)                                                        \
    {                                                                                              \
        (void)header, (void)access, (void)end;                                                     \
        edit;                                                                                      \
    }                                                                                              \
    static const struct bad_trace bad_##name = {text, name}

static char long_name[] = "a stage's name of one hundred bytes, which is a good deal more than the "
                          "sixty-four that are allowed";
static char *const long_names[] = {long_name};
static char long_text[MAX_TEXT + 2];

/* As many bytes of text, of which the last is that one. */
static char *text_of(size_t bytes, char last)
{
    memset(long_text, 'x', bytes);
    long_text[bytes - 1] = last;
    long_text[bytes] = '\0';
    return long_text;
}

static char *const twins[] = {"one", "one"};
static struct trace_param many_params[MAX_HEADER_PARAMS + 1];
static const uint8_t many_lanes[MAX_WARP + 1];
static const uint32_t many_addrs[MAX_WARP + 1];

static const uint64_t too_far[] = {0, 4, 8, MAX_ADDRESS}, odd[] = {0, 4, 8, 13};
BAD(banks, "\"banks\"", header->banks = 100);
BAD(warp, "\"warp\"", header->warp = 100);
BAD(no_warp, "\"warp\"", header->warp = 0);
BAD(threads, "\"threads\"", header->threads = MAX_THREADS + 1);
BAD(shared, "\"shared_bytes\"", header->shared_bytes = -1);
BAD(seed, "\"seed\"", header->seed = (uint64_t)MAX_WHOLE + 1);
BAD(kernel_name, "\"kernel\"", header->kernel = "a\033[2Jb");
BAD(device_name, "\"device\"", header->device = "GPU \xff");
BAD(csi, "\"device\"", header->device = "GPU \xc2\x9b");
BAD(stage_name, "\"stages\"", (header->stage = (char **)(uintptr_t)long_names, header->stages = 1));
BAD(same_stages, "same name", header->stage = (char **)(uintptr_t)twins);
BAD(no_stages, "\"stages\"", header->stages = 0);
BAD(params, "\"params\"", (header->params = MAX_HEADER_PARAMS + 1, header->param = many_params));
BAD(same_params, "twice", header->param[1].name = "w");
BAD(large_param, "\"params\"", header->param[0].number = MAX_WHOLE + 1);
BAD(block_dim, "\"block_dim\"", header->block_dim[0] = 4);
/* Their products are 2^64 times some number, and 6. */
BAD(wide_block, "\"block_dim\"",
    memcpy(header->block_dim, ((int[]){998034439, 35, 2112351278}), sizeof header->block_dim));
BAD(high_block, "\"block_dim\"",
    memcpy(header->block_dim, ((int[]){35, 998034439, 2112351278}), sizeof header->block_dim));
BAD(grid_dim, "\"grid_dim\"", header->grid_dim[1] = 0);
BAD(grid_depth, "\"grid_dim\"", header->grid_dim[2] = 0);
BAD(grid_column, "\"grid_dim\"", header->grid_dim[0] = header->grid_dim[2] = 0);
BAD(grid_of_one, "\"grid_dim\"", header->grid_dim[0] = header->grid_dim[1] = 0);
BAD(array_outside, "outside", header->array[0].dim[0] = 5);
BAD(array_overflow, "outside", (header->array[0].dim[0] = header->array[0].dim[1] = MAX_SHARED));
BAD(array_bytes, "4 bytes", header->array[0].bytes = 8);
BAD(array_members, "\"members\"", header->array[1].members = MAX_MEMBERS + 1);
BAD(array_member, "\"addr\"", header->array[1].member[0].addr = 12);
BAD(array_dims, "\"dims\"", header->array[0].dims = MAX_ARRAY_DIMS + 1);
BAD(site_text, "\"text\"", header->site[0].text = "two\nlines");
BAD(site_end, "\"text\"", header->site[0].text = text_of(MAX_TEXT, '\n'));
BAD(site_length, "\"text\"", header->site[0].text = text_of(MAX_TEXT + 1, 'x'));
BAD(site_line, "\"line\"", header->site[0].line = -1);
BAD(lanes_65, "\"lane\" has more than 64",
    (access->lanes = MAX_WARP + 1, access->lane = many_lanes, access->addr = many_addrs));
BAD(no_lanes, "\"lane\" is empty", access->lanes = 0);
BAD(bytes_12, "\"bytes\" must be 1, 2, 4, 8 or 16", access->bytes = 12);
BAD(odd_address, "multiple", access->bytes = 8);
BAD(stage_number, "\"stage\"", access->stage = 2);
BAD(block, "\"block\"", access->block = 2);
BAD(second_warp, "\"lane\" must be a whole number from 0 to 1", access->warp = 1);
BAD(slot, "\"slot\"", access->slot = MAX_SLOTS);
BAD(tag, "\"tag\"", access->tag = "AB\tD");
BAD(site, "\"site\"", access->site = 2);
BAD(op, "\"op\"", access->op = OPS);
BAD(global, "version 2", (access->addr = NULL, access->global = far_addrs));
BAD(far, "above the", (header->global = 1, access->addr = NULL, access->global = too_far));
BAD(between, "multiple", (header->global = 1, access->addr = NULL, access->global = odd));
BAD(copy_in_global, "async-store",
    (header->global = 1, access->addr = NULL, access->global = far_addrs,
     access->op = OP_ASYNC_STORE));
BAD(shared_reduction, "reduction", access->op = OP_REDUCTION);
BAD(count, "the end says 2", end->warp_accesses = 2);

static void the_gate_refuses_what_the_reader_would(void **unused)
{
    static const struct bad_trace *const list[] = {&bad_banks,
                                                   &bad_warp,
                                                   &bad_no_warp,
                                                   &bad_threads,
                                                   &bad_shared,
                                                   &bad_seed,
                                                   &bad_kernel_name,
                                                   &bad_device_name,
                                                   &bad_csi,
                                                   &bad_stage_name,
                                                   &bad_same_stages,
                                                   &bad_no_stages,
                                                   &bad_params,
                                                   &bad_same_params,
                                                   &bad_large_param,
                                                   &bad_block_dim,
                                                   &bad_grid_dim,
                                                   &bad_array_outside,
                                                   &bad_array_overflow,
                                                   &bad_array_bytes,
                                                   &bad_array_members,
                                                   &bad_array_member,
                                                   &bad_array_dims,
                                                   &bad_site_text,
                                                   &bad_site_line,
                                                   &bad_lanes_65,
                                                   &bad_no_lanes,
                                                   &bad_bytes_12,
                                                   &bad_odd_address,
                                                   &bad_stage_number,
                                                   &bad_block,
                                                   &bad_second_warp,
                                                   &bad_slot,
                                                   &bad_tag,
                                                   &bad_site,
                                                   &bad_op,
                                                   &bad_global,
                                                   &bad_far,
                                                   &bad_between,
                                                   &bad_copy_in_global,
                                                   &bad_shared_reduction,
                                                   &bad_count,
                                                   &bad_wide_block,
                                                   &bad_high_block,
                                                   &bad_grid_depth,
                                                   &bad_grid_column,
                                                   &bad_grid_of_one,
                                                   &bad_site_end,
                                                   &bad_site_length};
    (void)unused;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct trace_header header = full_header(), copy;
        struct warp_access access = full_access();
        struct trace_end end = {1, 0, true};
        struct trace made = {0};
        struct error error = {{0}};
        struct trace_check check;
        struct trace_sink memory = trace_memory_sink(&made);
        struct trace_sink sink = trace_check_sink(&check, &memory);
        /* What full_header hands out is shared: change copies. */
        header_copy(&copy, &header);
        struct trace_param param[2];
        struct trace_array array[3];
        struct trace_site site[2];
        header = copy;
        header.param = memcpy(param, copy.param, sizeof param);
        header.array = memcpy(array, copy.array, sizeof array);
        header.site = memcpy(site, copy.site, sizeof site);
        list[i]->change(&header, &access, &end);
        if (sink.header(sink.context, &header, &error) &&
            sink.access(sink.context, &access, &error) && sink.end(sink.context, &end, &error))
            fail_msg("case %zu (%s) was let through", i, list[i]->said);
        if (!strstr(error.text, list[i]->said))
            fail_msg("case %zu: \"%s\" does not say \"%s\"", i, error.text, list[i]->said);
        trace_check_free(&check);
        trace_free(&made);
        header_free(&copy);
    }
}

static void the_largest_block_may_have_any_shape(void **unused)
{
    (void)unused;
    for (int k = 0; k < 3; k++) {
        struct trace_header header = full_header();
        struct error error = {{0}};
        header.threads = MAX_THREADS;
        for (int i = 0; i < 3; i++)
            header.block_dim[i] = i == k ? MAX_THREADS : 1;
        if (!trace_check_header(&header, &error))
            fail_msg("%s", error.text);
    }
}

static void the_sizes_of_types_are_known(void **unused)
{
    (void)unused;
    assert_int_equal(type_bytes("unsigned short"), 2);
    assert_int_equal(type_bytes("float"), 4);
    assert_int_equal(type_bytes("float3"), 12);
    assert_int_equal(type_bytes("ulonglong2"), 16);
    assert_int_equal(type_bytes("struct pair"), 0);
    assert_int_equal(type_bytes("float5"), 0);
    assert_int_equal(type_bytes("float22"), 0);
    assert_int_equal(type_bytes(""), 0);
}

/* What a header is asked, of the one above. */
static void a_header_answers(void **unused)
{
    const struct trace_header header = full_header();
    char text[64];
    (void)unused;
    assert_int_equal(header_param(&header, "w", 7), 4);
    assert_int_equal(header_param(&header, "variant", 7), 7); /* a word is no number */
    assert_int_equal(header_param(&header, "u", 7), 7);
    header_params(&header, text, sizeof text);
    assert_string_equal(text, " w=4 variant=padded");
    struct trace_header copy;
    header_copy(&copy, &header);
    header_params(&copy, text, sizeof text);
    assert_string_equal(text, " w=4 variant=padded");
    header_free(&copy);
    assert_int_equal(header_stage(&header, "phase 1"), 1);
    assert_int_equal(header_stage(&header, "phase 2"), -1);
    /* tile has bytes 0 to 39, the pairs 40 to 63, count 64 to 67. */
    assert_int_equal(header_array(&header, 0), 0);
    assert_int_equal(header_array(&header, 39), 0);
    assert_int_equal(header_array(&header, 40), 1);
    assert_int_equal(header_array(&header, 63), 1);
    assert_int_equal(header_array(&header, 67), 2);
    assert_int_equal(header_array(&header, 68), -1);
}

/* As many arrays and lines of source as the format has room for, and one more. */
static void a_header_has_only_so_many(void **unused)
{
    struct trace_array *array = calloc(MAX_HEADER_ARRAYS + 1, sizeof *array);
    struct trace_site *site = calloc(MAX_SITES + 1, sizeof *site);
    struct trace_header header = full_header();
    (void)unused;
    for (int i = 0; i <= MAX_HEADER_ARRAYS; i++)
        array[i] = (struct trace_array){.name = "a", .type = "char", .addr = i % 80, .bytes = 1};
    for (int i = 0; i <= MAX_SITES; i++)
        site[i] = header.site[0];
    for (int more = 0; more < 2; more++)
        for (int sites = 0; sites < 2; sites++) {
            struct trace made = {0}, read;
            struct error error = {{0}};
            struct trace_check check;
            struct trace_sink memory = trace_memory_sink(&made);
            struct trace_sink sink = trace_check_sink(&check, &memory);
            size_t length;
            header.arrays = sites ? 0 : MAX_HEADER_ARRAYS + more;
            header.array = array;
            header.sites = sites ? MAX_SITES + more : 0;
            header.site = site;
            assert_int_equal(sink.header(sink.context, &header, &error), !more);
            assert_int_equal(!!strstr(error.text, "must be an array of at most"), more);
            assert_true(more || sink.end(sink.context, &(struct trace_end){0, 0, true}, &error));
            trace_check_free(&check);
            if (!more && !sites) { /* so many sites have no room in a line */
                char *text = write_text(&made, true, &length);
                if (!read_text(text, length, &read, &error))
                    fail_msg("%s", error.text);
                assert_int_equal(read.header.arrays, header.arrays);
                trace_free(&read);
                free(text);
            }
            trace_free(&made);
        }
    free(array);
    free(site);
}

static void the_kinds_of_operations(void **unused)
{
    static const struct {
        enum op op;
        bool atomic, shares;
    } kinds[OPS] = {{OP_LOAD, false, true},         {OP_STORE, false, true},
                    {OP_ATOMIC, true, false},       {OP_MATRIX_LOAD, false, true},
                    {OP_MATRIX_STORE, false, true}, {OP_ASYNC_STORE, false, true},
                    {OP_MERGED_ATOMIC, true, true}, {OP_COMPARE_AND_SWAP, true, false},
                    {OP_SPIN, true, false},         {OP_WGMMA_LOAD, false, true},
                    {OP_REDUCTION, true, false},    {OP_ASYNC_LOAD, false, true},
                    {OP_ASYNC_LOAD_CG, false, true}};
    (void)unused;
    for (int i = 0; i < OPS; i++) {
        assert_int_equal(kinds[i].op, i);
        assert_int_equal(op_is_atomic(kinds[i].op), kinds[i].atomic);
        assert_int_equal(op_shares(kinds[i].op), kinds[i].shares);
        assert_int_equal(op_named(op_name(kinds[i].op)), i);
    }
    assert_int_equal(op_named("leap"), OPS);
}

/* The first of a tee's sinks that fails ends it. */
static bool count_header(void *count, const struct trace_header *header, struct error *error)
{
    (void)header;
    return ++*(int *)count < 2 || error_set(error, "that is enough");
}
static bool count_access(void *count, const struct warp_access *access, struct error *error)
{
    (void)access;
    return ++*(int *)count < 2 || error_set(error, "that is enough");
}
static bool count_end(void *count, const struct trace_end *end, struct error *error)
{
    (void)end;
    return ++*(int *)count < 2 || error_set(error, "that is enough");
}

static void a_tee_passes_on_what_fails(void **unused)
{
    const struct trace_header header = full_header();
    const struct warp_access access = full_access();
    (void)unused;
    for (int call = 0; call < 3; call++) {
        int count[3] = {0, 1, 0}; /* the second fails */
        struct trace_sink sinks[3];
        for (int i = 0; i < 3; i++)
            sinks[i] = (struct trace_sink){count_header, count_access, count_end, &count[i]};
        struct trace_tee tee = {sinks, 3};
        struct trace_sink sink = trace_tee_sink(&tee);
        struct error error = {{0}};
        bool good = call == 0   ? sink.header(sink.context, &header, &error)
                    : call == 1 ? sink.access(sink.context, &access, &error)
                                : sink.end(sink.context, &(struct trace_end){0, 0, true}, &error);
        assert_false(good);
        assert_string_equal(error.text, "that is enough");
        assert_int_equal(count[0], 1);
        assert_int_equal(count[2], 0);
    }
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

/* By warp: stage by stage, then block, warp and op, each with the largest of its ways; in JSON, too. */
static void test_statistics_by_warp_are_in_order(void **unused)
{
    static const struct {
        int block, stage, warp;
        enum op op;
        uint32_t addr[2]; /* of lanes 0 and 1: 4 banks of 4 bytes */
    } list[] = {{0, 0, 0, OP_STORE, {0, 16}}, {0, 0, 1, OP_LOAD, {0, 4}},
                {0, 1, 0, OP_LOAD, {0, 4}},   {1, 0, 0, OP_LOAD, {0, 4}},
                {1, 0, 1, OP_LOAD, {0, 4}},   {1, 1, 1, OP_LOAD, {0, 4}}};
    /* stage, block, warp, op, max_ways */
    static const int wanted[][5] = {
        {0, 0, 0, OP_LOAD, 1}, {0, 0, 0, OP_STORE, 2}, {0, 0, 1, OP_LOAD, 1}, {0, 1, 0, OP_LOAD, 1},
        {0, 1, 1, OP_LOAD, 1}, {1, 0, 0, OP_LOAD, 1},  {1, 1, 1, OP_LOAD, 1}};
    enum { ROWS = sizeof wanted / sizeof wanted[0], LIST = sizeof list / sizeof list[0] };
    struct trace_header header = full_header();
    struct error error = {{0}};
    struct stats stats;
    uint64_t handed = 0;
    (void)unused;
    stats_init(&stats, STATS_BY_WARP);
    struct trace_check check;
    struct trace_sink inner = stats_sink(&stats), sink = trace_check_sink(&check, &inner);
    assert_true(sink.header(sink.context, &header, &error));
    for (int i = 0; i < LIST; i++)
        for (int round = 0; round < (i ? 1 : 2); round++) { /* the first has two ways, then one */
            const uint32_t near[] = {0, 4};
            struct warp_access access = {.block = list[i].block,
                                         .stage = list[i].stage,
                                         .round = round,
                                         .slot = list[i].warp,
                                         .warp = list[i].warp,
                                         .op = round ? OP_LOAD : list[i].op,
                                         .bytes = 4,
                                         .lanes = 2,
                                         .lane = lanes,
                                         .addr = round ? near : list[i].addr,
                                         .site = -1};
            if (i == 0 && round == 1) { /* in its place in the order: behind warp 1 of round 0 */
                struct warp_access other = access;
                other.round = 0;
                other.slot = other.warp = 1;
                other.addr = near;
                assert_true(sink.access(sink.context, &other, &error));
                handed++;
            }
            if (i == 1)
                continue;
            if (!sink.access(sink.context, &access, &error))
                fail_msg("%s", error.text);
            handed++;
        }
    assert_true(sink.end(sink.context, &(struct trace_end){handed, 0, true}, &error));
    assert_int_equal(stats.rows, ROWS);
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    assert_true(stats_print_json(file, &stats, &error));
    fclose(file);
    cJSON *json = cJSON_Parse(text), *rows = cJSON_GetObjectItem(json, "stages");
    for (int i = 0; i < ROWS; i++) {
        const struct stats_row *row = &stats.row[i];
        const cJSON *object = cJSON_GetArrayItem(rows, i);
        assert_int_equal(row->stage, wanted[i][0]);
        assert_int_equal(row->block, wanted[i][1]);
        assert_int_equal(row->warp, wanted[i][2]);
        assert_int_equal(row->op, wanted[i][3]);
        assert_int_equal(row->max_ways, wanted[i][4]);
        assert_string_equal(cJSON_GetObjectItem(object, "stage")->valuestring,
                            header.stage[wanted[i][0]]);
        assert_int_equal(cJSON_GetObjectItem(object, "block")->valueint, wanted[i][1]);
        assert_int_equal(cJSON_GetObjectItem(object, "warp")->valueint, wanted[i][2]);
        assert_string_equal(cJSON_GetObjectItem(object, "op")->valuestring,
                            op_name((enum op)wanted[i][3]));
        assert_int_equal(cJSON_GetObjectItem(object, "max_ways")->valueint, wanted[i][4]);
    }
    assert_int_equal(stats.total.max_ways, 2); /* of which came later is no matter */
    cJSON_Delete(json);
    free(text);
    trace_check_free(&check);
    stats_free(&stats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_both_ways_of_reading_agree),
        cmocka_unit_test(test_a_part_is_what_was_asked_for),
        cmocka_unit_test(test_lines_are_json_with_the_fixed_fields),
        cmocka_unit_test(test_a_cut_keeps_whole_lines),
        cmocka_unit_test(test_a_trace_without_end_is_cut),
        cmocka_unit_test(what_a_header_leaves_out_is_empty),
        cmocka_unit_test(the_optional_fields_come_back),
        cmocka_unit_test(values_beyond_2_to_53_are_written_as_bits),
        cmocka_unit_test(written_lines_are_read_directly),
        cmocka_unit_test(the_gate_refuses_what_the_reader_would),
        cmocka_unit_test(the_largest_block_may_have_any_shape),
        cmocka_unit_test(the_sizes_of_types_are_known),
        cmocka_unit_test(a_header_answers),
        cmocka_unit_test(a_header_has_only_so_many),
        cmocka_unit_test(the_kinds_of_operations),
        cmocka_unit_test(a_tee_passes_on_what_fails),
        cmocka_unit_test(test_statistics_add_up_however_grouped),
        cmocka_unit_test(test_statistics_by_warp_are_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
