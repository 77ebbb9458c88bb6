/* test_recording.c - what a trace says of a kernel that kernelc/ compiled: its stages, rounds, arrays and their parts. */
#include "base/text.h"
#include "grade/recording.h"
#include "tests/support/run_kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void on_array(void *context, uint64_t block, uint32_t warp, const char *text, size_t length)
{
    (void)block;
    (void)warp;
    kernel_recording_array(context, text, length);
}

/* Runs the source's kernel with one block of 8 threads, in warps of 4, and records it. */
static void record_kernel(const char *source, const char *const *stage, int stages,
                          struct trace *trace, char *parts, size_t room)
{
    struct kernelc_result result;
    struct error error = {""};
    struct machine_memory *memory = machine_memory_new(&heap_allocator);
    struct machine_module *module = load_kernel(source, memory, &result);
    struct kernel_recording r = {.compiled = &result,
                                 .of = &result.kernel[0],
                                 .source = {{"k.cu", source, "k.cu"}},
                                 .stage = stage,
                                 .stages = stages,
                                 .lanes_most = 1000};
    const struct machine_observer observer = {.context = &r,
                                              .wants = kernel_recording_wants,
                                              .access = kernel_recording_access,
                                              .stage = kernel_recording_stage,
                                              .array = on_array,
                                              .round = kernel_recording_round};
    const struct machine_launch launch = {.kernel = machine_kernel(module, result.kernel[0].symbol),
                                          .grid = {1, 1, 1},
                                          .block = {8, 1, 1},
                                          .warp = 4,
                                          .banks = 4,
                                          .bank_bytes = 4,
                                          .parameters = (uint64_t[]){0},
                                          .dynamic_shared = 64,
                                          .instruction_limit = 100000,
                                          .observer = &observer};
    r.module = module;
    r.kernel = launch.kernel;
    r.launch = &launch;
    struct machine_run *run = run_whole(&launch);
    *trace = (struct trace){.count = 0};
    const struct trace_sink sink = trace_memory_sink(trace);
    if (!kernel_recording_put(&r, true, &sink, &error))
        fail_msg("%s", error.text);
    *parts = '\0';
    for (int i = 0; i < machine_kernel_accesses(r.kernel); i++) {
        const char *part = kernel_recording_part(&r, i);
        text_add(parts, room, "%s%s", i ? " " : "", part ? part : "-");
    }
    kernel_recording_free(&r);
    machine_free_run(run);
    machine_unload(module);
    machine_memory_free(memory);
    kernelc_free(&result);
}

/* "float row[4][8] at 64, ..." */
static void say_arrays(const struct trace_header *header, char *text, size_t room)
{
    *text = '\0';
    for (int i = 0; i < header->arrays; i++) {
        const struct trace_array *array = &header->array[i];
        text_add(text, room, "%s%s %s", i ? ", " : "", array->type, array->name);
        for (int d = 0; d < array->dims; d++)
            text_add(text, room, "[%d]", array->dim[d]);
        text_add(text, room, " at %d", array->addr);
    }
}

/* "write 0, ...": stage and round of each access of warp 1, and its slot if it is not the first. */
static void say_places(const struct trace *trace, char *text, size_t room)
{
    *text = '\0';
    for (size_t i = 0; i < trace->count; i++) {
        const struct warp_access access = trace_get(trace, i);
        if (access.warp != 1)
            continue;
        text_add(text, room, "%s%s %d", *text ? ", " : "", trace->header.stage[access.stage],
                 access.round);
        if (access.slot)
            text_add(text, room, ".%d", access.slot);
    }
}

#define ARRAY(type, name, from, bytes)                                                             \
    "asm volatile(\"// bankscope array " type " " name                                             \
    " %0\" :: \"l\"(__cvta_generic_to_shared((const void *)all) + " from " | " bytes               \
    "ull << 32));\n"

/* Without words of the kernel's, barriers part stages, and rounds count a warp's accesses. */
static void a_recording_says_stages_rounds_and_arrays(void **state)
{
    (void)state;
    static const char *const given[] = {"fill", "rest"};
    static const struct {
        const char *body;
        int stages; /* of `given` */
        const char *places, *arrays, *parts;
    } rows[] = {
        {"__shared__ int tile[4][8]; tile[0][t] = t; __syncthreads(); tile[1][t] = tile[0][7 - "
         "t];\n"
         "__syncthreads(); tile[2][t] = 0;",
         2, "fill 0, rest 0, rest 1, phase 2 0", "int tile[4][8] at 0", "- - - -"},
        {"__shared__ volatile int tile[8]; tile[t] = t; BANKSCOPE_STAGE(\"up\"); tile[t]++;\n"
         "BANKSCOPE_STAGE(\"down\"); BANKSCOPE_ROUND(3); tile[t]--; BANKSCOPE_ROUND(7); tile[t] = "
         "2;\n"
         "BANKSCOPE_STAGE(\"up\"); tile[t] = 1;",
         1, "fill 0, up 0, up 1, up 2, down 3, down 3.1, down 7", "int tile[8] at 0",
         "- - - - - - -"},
        /* A stage that is called as another one would be. */
        {"__shared__ volatile int tile[8]; BANKSCOPE_STAGE(\"phase 1\"); tile[t] = "
         "t;\n__syncthreads();\n"
         "tile[t]++;",
         0, "phase 1 0, phase 1 1, phase 1 2", "int tile[8] at 0", "- - -"},
        {"__shared__ volatile int tile[8]; tile[t] = t; BANKSCOPE_STAGE(\"phase 0\"); tile[t] = 1;",
         0, "barrier 0 0, phase 0 0", "int tile[8] at 0", "- -"},
        {"struct pair { short a; int b; }; __shared__ pair pairs[8]; extern __shared__ float "
         "more[];\n"
         "pairs[t].b = t; more[t] = 1;",
         0, "phase 0 0, phase 0 1", "unsigned char pairs[64] at 0, float more[16] at 64", "- -"},
        /* Of the block's memory the kernel names parts; one of them overlaps another, one is no array. */
        {"__shared__ volatile int all[32];\n" ARRAY("int", "a", "0ull", "32")
             ARRAY("float", "b", "32ull", "32") ARRAY("int", "c", "16ull", "32") ARRAY(
                 "pair", "d", "64ull",
                 "32") "if (t < 4) all[t] = t;\n((volatile float *)all)[8 + t] = 1; all[t] = 0;",
         0, "phase 0 0, phase 0 1", "int a[8] at 0, float b[8] at 32", "a b a"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char source[1500], said[600], parts[200];
        struct trace trace;
        snprintf(source, sizeof source,
                 "extern \"C\" __global__ void k()\n{ const int t = threadIdx.x;\n%s }\n",
                 rows[i].body);
        record_kernel(source, given, rows[i].stages, &trace, parts, sizeof parts);
        say_places(&trace, said, sizeof said);
        assert_string_equal(said, rows[i].places);
        say_arrays(&trace.header, said, sizeof said);
        assert_string_equal(said, rows[i].arrays);
        assert_string_equal(parts, rows[i].parts);
        for (int k = 0; k < trace.header.sites; k++) { /* with the lines that they stand in */
            const char *line = source;
            for (int n = 1; n < trace.header.site[k].line; n++)
                line = strchr(line, '\n') + 1;
            assert_true(trace.header.site[k].line > 2);
            assert_int_equal(strlen(trace.header.site[k].text), strcspn(line, "\n"));
            assert_memory_equal(trace.header.site[k].text, line, strcspn(line, "\n"));
        }
        trace_free(&trace);
    }
}

static void what_is_no_part_is_passed_over(void **state)
{
    (void)state;
    static const struct {
        const char *words; /* before the place */
        uint64_t from, bytes;
        int parts;
    } rows[] = {
        {"char all", 0, MACHINE_SHARED, 1},
        {"char all", 0, MACHINE_SHARED + 1, 0},
        {"char last", MACHINE_SHARED - 1, 1, 1},
        {"char last", MACHINE_SHARED - 1, 2, 0},
        {"char none", MACHINE_SHARED, 0, 0},
        {"char far", MACHINE_SHARED + 1, 1, 0},
        {"int one", 8, 4, 1},
        {"int less", 8, 3, 0},
        {"unsigned int two", 8, 8, 1},
        {"pair of", 0, 8, 0},
        {"int", 0, 8, 0},
        {"int \x01", 0, 8, 0},
        {"int a234567890123456789012345678901b", 0, 8, 0},
        {"int a234567890123456789012345678901", 0, 8, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kernel_recording r = {.parts = 0};
        char text[100]; /* which goes on behind the word's end */
        const int length = snprintf(text, sizeof text, "%s %" PRIu64, rows[i].words,
                                    rows[i].from | rows[i].bytes << 32);
        snprintf(text + length, sizeof text - (size_t)length, "000");
        kernel_recording_array(&r, text, (size_t)length);
        if (r.parts != rows[i].parts)
            fail_msg("%s: %d", text, r.parts);
    }
    struct kernel_recording r = {.parts = 0};
    for (uint64_t i = MAX_PARTS + 2; i > 0; i--) { /* each ends where another one begins */
        char text[100];
        kernel_recording_array(&r, text,
                               (size_t)snprintf(text, sizeof text, "int part %" PRIu64,
                                                (16 * i) | UINT64_C(16) << 32));
    }
    assert_int_equal(r.parts, MAX_PARTS);
}

static void blocks_are_recorded_while_there_is_room(void **state)
{
    (void)state;
    static const struct {
        size_t lanes, most;
        uint64_t block;
        const char *error;
        bool wanted;
    } rows[] = {
        {0, 1, 0, "", true},
        {9, 10, 7, "", true},
        {10, 10, 7, "", false},
        {11, 10, 7, "", false},
        {0, 1, MAX_BLOCKS - 1, "", true},
        {0, 1, MAX_BLOCKS, "", false},
        {0, 1, 0, "no memory", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kernel_recording r = {.lanes = rows[i].lanes, .lanes_most = rows[i].most};
        snprintf(r.error.text, sizeof r.error.text, "%s", rows[i].error);
        assert_int_equal(kernel_recording_wants(&r, rows[i].block), rows[i].wanted);
        assert_int_equal(r.blocks, rows[i].wanted); /* counted there, or here */
        assert_int_equal(r.skipped, !rows[i].wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_recording_says_stages_rounds_and_arrays),
        cmocka_unit_test(what_is_no_part_is_passed_over),
        cmocka_unit_test(blocks_are_recorded_while_there_is_room),
    };
    return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}
