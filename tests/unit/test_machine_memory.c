/* test_machine_memory.c - each request of the machine for memory is refused in turn, while it reads, arranges, joins,
 * unrolls, decodes and runs a kernel: it says that memory is short, gives all back, and never computes another result.
 */
#include "tests/support/run_ptx.h"

#include <stdio.h>

enum { TURNS = 700, TRIES = 120 };

/* Refuses the request of a number; `on`: and all behind it. */
struct heap {
    int requests, refused;
    bool on;
    size_t used;
};

static void *resize(void *context, void *pointer, size_t old_size, size_t size)
{
    struct heap *heap = context;
    if (size > old_size) {
        const int number = heap->requests++;
        if (number == heap->refused || (heap->on && number > heap->refused))
            return NULL;
    }
    void *fresh = size ? realloc(pointer, size) : NULL;
    if (!size)
        free(pointer);
    else
        assert_non_null(fresh);
    heap->used += size - old_size;
    return fresh;
}

/* A kernel of many blocks, loops, calls, tables, scopes, variables and lines, with accesses that join. */
static char *make_text(void)
{
    const size_t room = (size_t)TURNS * 1200 + 4000;
    char *text = malloc(room);
    assert_non_null(text);
    size_t at = (size_t)snprintf(
        text, room,
        "%s.file 1 \"a.cu\"\n.shared .align 16 .b8 tile[4096];\n"
        ".func (.param .b32 r) f(.param .b32 n)\n{ .reg .b32 %%r<3>;\n"
        "ld.param.u32 %%r1, [n]; add.u32 %%r1, %%r1, 1; st.param.b32 [r], %%r1; ret; }\n"
        ".visible .entry k(.param .u64 p)\n{ .reg .pred %%p<9>; .reg .b32 %%r<30>; .reg .b64 "
        "%%rd<30>; .reg .f32 %%f<9>;\n.loc 1 1 1\nld.param.u64 %%rd1, [p]; mov.u32 %%r1, %%tid.x; "
        "mad.wide.u32 %%rd2, %%r1, 4, %%rd1; mov.u32 %%r2, tile; shl.b32 %%r3, %%r1, 4; add.s32 "
        "%%r4, %%r2, %%r3; mov.u32 %%r9, 0; st.shared.v4.u32 [%%r4], {%%r1, %%r1, %%r1, %%r1};\n",
        HEAD);
    for (int i = 0; i < TURNS; i++)
        at += (size_t)snprintf(
            text + at, room - at,
            ".loc 1 %d 1\n{ .reg .b32 %%own%d; .reg .pred %%q; .local .align 4 .b8 lot%d[4];\n"
            "ld.shared.u32 %%r5, [%%r4]; ld.shared.u32 %%own%d, [%%r4+4]; add.u32 %%r9, %%r9, "
            "%%r5; st.local.u32 [lot%d], %%own%d;\nsetp.gt.u32 %%q, %%r1, %d; @%%q bra A;\n"
            "st.shared.u32 [%%r4+8], %%r9; st.shared.u32 [%%r4+12], %%r5; bra B;\n"
            "A: add.u32 %%r9, %%r9, 3;\nB: mov.u32 %%r6, 0;\n.loc 1 %d 1\n"
            "L: add.u32 %%r6, %%r6, 1; add.u32 %%r9, %%r9, %%r6; setp.lt.u32 %%q, %%r6, 3; "
            "@%%q bra L;\nld.local.u32 %%r7, [lot%d]; add.u32 %%r9, %%r9, %%r7;\n"
            "mul.wide.u32 %%rd3, %%r6, 4; add.s64 %%rd4, %%rd1, %%rd3;\n"
            "@%%q atom.shared.add.u32 %%r8, [tile], %%r1;\n"
            "T: .branchtargets C, D;\nand.b32 %%r8, %%r1, 1; brx.idx %%r8, T;\n"
            "D: add.u32 %%r9, %%r9, 5;\nC: add.u32 %%r9, %%r9, %d;\n}\n",
            10 + 2 * i, i, i, i, i, i, i % 40, 11 + 2 * i, i, i);
    snprintf(text + at, room - at,
             "{ .param .b32 a; st.param.b32 [a], %%r9; .param .b32 b; call.uni (b), f, (a); "
             "ld.param.b32 %%r9, [b]; }\nst.global.u32 [%%rd2], %%r9; ret; }\n");
    return text;
}

/* Loads the text, unrolls a few loops, and runs the kernel. false: error says why not. */
static bool run_all(const char *text, struct heap *heap, uint32_t word[64], struct error *error)
{
    const struct allocator allocator = {resize, heap};
    const struct machine_text ptx = {text, strlen(text), "t.ptx"};
    const uint64_t address = (uintptr_t)word;
    const struct machine_range range = {
        .address = address, .bytes = 64 * sizeof *word, .host = (uint8_t *)word};
    struct machine_memory *memory = machine_memory_new(&allocator);
    struct machine_module *module = NULL;
    struct machine_run *run = NULL;
    bool good = false;
    memset(word, 0, 64 * sizeof *word);
    if (!memory)
        error_set(error, "out of memory");
    else if (machine_memory_add(memory, &range, true, error))
        module = machine_load(memory, &ptx, 1, error);
    bool unrolled = module;
    for (int line = 11; unrolled && line < 100; line += 6)
        unrolled = machine_unroll(module, "k", 1, line);
    if (module && !unrolled)
        error_set(error, "out of memory");
    if (unrolled) {
        const struct machine_launch launch = {.kernel = machine_kernel(module, "k"),
                                              .grid = {1, 1, 1},
                                              .block = {64, 1, 1},
                                              .parameters = &address,
                                              .count = true,
                                              .check = true,
                                              .global = true};
        run = machine_begin(&launch, error);
    }
    if (run) {
        struct machine_outcome outcome;
        machine_work(run);
        machine_end(run, &outcome);
        good = outcome.good;
        if (!good)
            error_set(error, "%s", outcome.fault.text);
        machine_free_run(run);
    }
    if (module)
        machine_unload(module);
    if (memory)
        machine_memory_free(memory);
    return good;
}

static void refused_memory_is_told(void **state)
{
    struct error error = {""};
    struct heap heap = {.refused = -1};
    uint32_t want[64], word[64];
    char *text = make_text();
    int told = 0;
    (void)state;
    if (!run_all(text, &heap, want, &error))
        fail_msg("%s", error.text);
    const int requests = heap.requests, step = requests / TRIES + 1;
    for (int i = 0; i < requests; i += step)
        for (int on = 0; on < 2; on++) {
            heap = (struct heap){.refused = i, .on = on};
            error = (struct error){""};
            const bool good = run_all(text, &heap, word, &error);
            if (good ? memcmp(word, want, sizeof want) : !strstr(error.text, "memory"))
                fail_msg("request %d of %d refused%s: %s", i, requests, on ? " and all behind" : "",
                         good ? "another result" : error.text);
            if (heap.used)
                fail_msg("request %d of %d refused: %zu bytes are not given back", i, requests,
                         heap.used);
            told += !good;
        }
    free(text);
    printf("# %d requests, %d of them refused and told\n", requests, told);
    assert_true(told > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused_memory_is_told)};
    return cmocka_run_group_tests_name("machine_memory", tests, NULL, NULL);
}
