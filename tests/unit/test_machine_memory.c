/* test_machine_memory.c - each request of the machine for memory is refused in turn, while it reads, arranges, joins,
 * unrolls, decodes, runs and checks kernels: it says that memory is short, gives all back, and never computes or finds
 * anything else.
 */
#include "tests/support/run_ptx.h"

#include <stdio.h>

#define ARENA_BLOCK 0
#include "base/arena.c"

enum { TURNS = 3 };

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

/* Turns of blocks, loops, calls, tables, scopes, variables and lines, with accesses that join. */
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

#define DECLARED                                                                                   \
    ".file 1 \"a.cu\"\n.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"     \
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"                                       \
    ".extern .func free(.param .b64 a);\n"                                                         \
    ".func other(.param .b32 n)\n{ .reg .b32 %x; ld.param.u32 %x, [n]; ret; }\n"                   \
    ".global .align 4 .u32 table[4] = {1, 2, 3, 4}; .global .u64 places[2] = {table, table+4};\n"  \
    ".global .align 4 .u32 flag; .const .align 4 .b8 format[8] = {37, 100, 10, 0};\n"              \
    ".shared .align 128 .b8 tile[2048]; .shared .align 8 .b64 bar;\n"
/* %r1: the thread; %r2: its word of tile; %rd1: its word of global memory; %p1: it is the first, %p9: it is none. */
#define BEGIN(more)                                                                                \
    HEAD DECLARED                                                                                  \
        ".visible .entry k(.param .u64 p) " more "\n{ .reg .pred %p<10>; .reg .b32 %r<60>; "       \
        ".reg .b64 %rd<20>; .reg .f32 %f<20>; .reg .b16 %h<9>;\n"                                  \
        "ld.param.u64 %rd9, [p]; cvta.to.global.u64 %rd9, %rd9; mov.u32 %r1, %tid.x; "             \
        "shl.b32 %r2, %r1, 2; mul.wide.u32 %rd1, %r1, 4; add.s64 %rd1, %rd1, %rd9; mov.u32 %r3, "  \
        "tile; add.u32 %r2, %r2, %r3; setp.eq.u32 %p1, %r1, 0; setp.gt.u32 %p9, %r1, 2000;\n"
#define END "\nst.global.u32 [%rd1], %r9; ret; }\n"

static const struct row {
    const char *name, *text;
    uint32_t threads, blocks;
} rows[] = {
    {"what is only decoded",
     BEGIN("") "mov.u32 %r9, %r1; @!%p9 bra END;\n"
               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd9], "
               "16, "
               "[bar];\n"
               "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r2], %r1, [bar];\n"
               "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [tile], %rd1;\n"
               "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
               "aligned [%rd9], [tile], 128;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, {%r3, %r4, "
               "%r5, %r6}, %rd1, 1, 1, 1, 0;\n"
               "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd9, {%f5, %f6}];\n"
               "suld.b.2d.b32.zero %f1, [%rd9, {%r3, %r2}];\n"
               "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r11, %r12, %r13, %r14, %r15, "
               "%r16, %r17, %r18}, [tile];\n"
               "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r9}, [tile];\n"
               "atom.shared.add.f32 %f1, [tile], %f2; atom.shared.cas.b16 %h1, [tile], %h2, %h3;\n"
               "END:" END,
     32, 1},
    {"what clang has written",
     "// Generated by LLVM NVPTX Back-End\n" BEGIN(
         "") "and.b32 %r4, %r1, 1; setp.eq.u32 %p2, %r4, 1; @%p2 bra A; st.shared.u32 [%r2], %r1; "
             "bra B;\nA: st.shared.u32 [%r2], 7;\nB: bar.sync 0; ld.shared.u32 %r9, [%r2];\n"
             ".loc 1 9 5\nld.global.u64 %rd10, [%rd9]; st.shared.u64 [tile+512], %rd10; "
             "ld.global.u64 %rd11, [%rd9+8]; st.shared.u64 [tile+520], %rd11; add.s64 %rd1, %rd1, "
             "512;" END,
     32, 1},
    {"calls", /* malloc may give nothing */
     BEGIN(
         "") "{ .local .align 8 .b8 room[16]; .reg .b64 %at; mov.u64 %at, room; cvta.local.u64 "
             "%at, %at; "
             "st.u32 [%at], %r1;\n"
             ".param .b64 f; .param .b64 a; .param .b32 r; cvta.const.u64 %rd2, format; "
             "st.param.b64 [f], %rd2; st.param.b64 [a], %at; @%p1 call.uni (r), vprintf, (f, a); "
             "}\n"
             "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 64; call.uni (r), malloc, (n); "
             "ld.param.b64 %rd3, [r]; }\n"
             "setp.eq.u64 %p2, %rd3, 0; @%p2 bra NONE; st.u32 [%rd3], %r1; "
             "{ .param .b64 a; st.param.b64 [a], %rd3; call.uni free, (a); }\n"
             "NONE: mov.u64 %rd4, other; P: .callprototype _ (.param .b32 _);\n"
             "{ .param .b32 n; st.param.b32 [n], %r1; call %rd4, (n), P; }\nmov.u32 %r9, %r1;" END,
     32, 1},
    {"a cluster",
     BEGIN(".reqnctapercluster 2, 1, 1") "st.shared.u32 [%r2], %r1; mov.u32 %r4, %cluster_ctarank; "
                                         "xor.b32 %r5, %r4, 1; mapa.shared::cluster.u32 %r6, %r2, "
                                         "%r5;\n"
                                         "barrier.cluster.arrive; barrier.cluster.wait; "
                                         "ld.shared::cluster.u32 %r9, [%r6];\n"
                                         "barrier.cluster.arrive; barrier.cluster.wait; "
                                         "mad.wide.u32 %rd1, %r4, 256, %rd1;" END,
     64, 2},
    {"copies",
     BEGIN("") "@%p1 mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster; "
               "bar.sync 0;\n"
               "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 512;\n"
               "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], "
               "[%rd9], 512, [bar];\n"
               "W: mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;\n"
               "ld.shared.u32 %r9, [%r2]; cp.async.ca.shared.global [%r2+512], [%rd1], 4;\n"
               "cp.async.commit_group; cp.async.wait_group 0; ld.shared.u32 %r8, [%r2+512];\n"
               "bar.sync 0; st.shared.u32 [%r2], %r8; fence.proxy.async.shared::cta; bar.sync 0;\n"
               "@%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd9], [tile], 512;\n"
               "@%p1 cp.async.bulk.commit_group; @%p1 cp.async.bulk.wait_group.read 0;\n"
               "bar.sync 0; st.shared.u32 [%r2], 5; add.u32 %r9, %r9, %r8; add.s64 %rd1, %rd1, "
               "512;" END,
     64, 1},
    {"products",
     BEGIN(
         "") "st.shared.u32 [%r2], 0; st.shared.u32 [%r2+512], 0; fence.proxy.async.shared::cta; "
             "bar.sync 0;\n"
             "shr.u32 %r8, %r3, 4; cvt.u64.u32 %rd2, %r8; wgmma.fence.sync.aligned;\n"
             "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd2, %rd2, "
             "0, 1, 1, 0, 0;\n"
             "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; bar.sync 0;\n"
             "st.shared.u32 [%r2], 1; cvt.rzi.u32.f32 %r9, %f1;\n"
             "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r10, %r11}, {%r1}, {%r1}, {%r9, "
             "%r9}; add.u32 %r9, %r10, %r11;" END,
     128, 1},
    {"warps that wait",
     BEGIN("") "and.b32 %r4, %r1, 31; st.shared.u32 [%r2], %r1; setp.ge.u32 %p2, %r4, 16; @%p2 bra "
               "HALF;\n"
               "bar.warp.sync 65535; xor.b32 %r5, %r2, 4; ld.shared.u32 %r9, [%r5]; bar.warp.sync "
               "65535;\n"
               "HALF: bar.warp.sync -1; shfl.sync.down.b32 %r6, %r4, 1, 31, -1; add.u32 %r9, %r9, "
               "%r6;\n"
               "setp.ge.u32 %p3, %r1, 32; @%p3 bra SECOND; st.shared.u32 [%r2+512], %r1; "
               "bar.arrive 1, "
               "64; bra BOTH;\n"
               "SECOND: bar.sync 1, 64; ld.shared.u32 %r9, [%r2+384];\n"
               "BOTH: bar.sync 0; red.shared.add.u32 [tile], 1; bar.sync 0;\n"
               "@%p3 bra DONE; st.shared.u32 [%r2+1024], %r1; membar.cta; bar.warp.sync -1;\n"
               "@%p1 st.volatile.shared.u32 [tile+2044], 1;\n"
               "DONE: bar.sync 0;" END,
     64, 1},
    {"a flag",
     BEGIN(
         "") "mov.u32 %r4, %ctaid.x; setp.ne.u32 %p2, %r4, 0; @%p2 bra READ;\n"
             "st.global.u32 [%rd1+512], %r1; bar.sync 0; membar.gl; @%p1 atom.global.add.u32 %r5, "
             "[flag], 1; bra END;\n"
             "READ: @!%p1 bra WAITS; L: atom.global.add.u32 %r5, [flag], 0; setp.eq.u32 %p3, %r5, "
             "0; @%p3 bra L; membar.gl;\n"
             "WAITS: bar.sync 0; ld.global.u32 %r9, [%rd1+512]; st.global.u32 [%rd1+256], %r9;\n"
             "END: mad.wide.u32 %rd1, %r4, 768, %rd1; and.b32 %r9, %r1, 7;" END,
     32, 2},
    {"what is found",
     BEGIN("") "ld.shared.u32 %r9, [%r2]; st.shared.u32 [%r2], %r1; setp.lt.u32 %p2, %r1, 32; @%p2 "
               "bra ON; and.b32 %r9, %r9, 0; bra OVER;\n"
               "ON: xor.b32 %r5, %r2, 128; ld.shared.u32 %r6, [%r5]; and.b32 %r4, %r1, 1; "
               "setp.eq.u32 "
               "%p3, %r4, 0; @%p3 shfl.sync.idx.b32 %r6, %r1, 1, 31, -1; mov.u32 %r9, %r6;\n"
               "cp.async.ca.shared.global [%r2+512], [%rd1], 4; ld.shared.u32 %r8, [%r2+512];\n"
               "OVER:" END,
     64, 1},
};

/* What a run has left, or why it did not end well. */
struct result {
    bool good;
    _Alignas(128) struct ran ran;
};

static int line_of(const char *text, const char *at)
{
    int line = 1;
    while (at-- > text)
        line += *at == '\n';
    return line;
}

/* Loads the text, unrolls the loops of its turns, and runs the kernel. */
static void run_all(const struct row *row, uint64_t shadow_bytes, struct heap *heap,
                    struct result *result)
{
    const struct allocator allocator = {resize, heap};
    const struct machine_text ptx = {row->text, strlen(row->text), "t.ptx"};
    struct ran *ran = &result->ran;
    const uint64_t address = (uintptr_t)ran->word;
    const struct machine_range range = {
        .address = address, .bytes = sizeof ran->word, .host = (uint8_t *)ran->word};
    const struct machine_observer observer = {.context = ran, .print = print, .fault = find};
    struct machine_memory *memory = machine_memory_new(&allocator);
    struct machine_module *module = NULL;
    struct machine_run *run = NULL;
    memset(result, 0, sizeof *result);
    if (!memory) {
        error_set(&ran->error, "out of memory");
    } else if (machine_memory_add(memory, &range, true, &ran->error)) {
        machine_memory_written(memory, address, sizeof ran->word);
        module = machine_load(memory, &ptx, 1, &ran->error);
    }
    bool unrolled = module;
    for (const char *at = row->text; unrolled && (at = strstr(at, "@%q bra L;")); at++)
        unrolled = machine_unroll(module, "k", 1, line_of(row->text, at), false);
    if (module && !unrolled)
        error_set(&ran->error, "out of memory");
    if (unrolled) {
        const struct machine_launch launch = {.kernel = machine_kernel(module, "k"),
                                              .grid = {row->blocks, 1, 1},
                                              .block = {row->threads, 1, 1},
                                              .parameters = &address,
                                              .heap_bytes = 65536,
                                              .shadow_bytes = shadow_bytes,
                                              .count = true,
                                              .check = true,
                                              .global = true,
                                              .observer = &observer};
        run = machine_begin(&launch, &ran->error);
    }
    if (run) {
        machine_work(run);
        machine_end(run, &ran->outcome);
        result->good = ran->outcome.good;
        if (!result->good)
            error_set(&ran->error, "%s", ran->outcome.fault.text);
        machine_free_run(run);
    }
    if (module)
        machine_unload(module);
    if (memory)
        machine_memory_free(memory);
}

/* Fewer findings are told apart. */
static bool is_same(const struct result *got, const struct result *want)
{
    const bool fewer = got->ran.outcome.partly_checked && got->ran.findings < want->ran.findings;
    return !memcmp(got->ran.word, want->ran.word, sizeof got->ran.word) &&
           !strcmp(got->ran.printed, want->ran.printed) &&
           (fewer ||
            (got->ran.findings == want->ran.findings && !strcmp(got->ran.found, want->ran.found)));
}

/* Returns how many refusals were told. */
static int refuse_each(const struct row *row)
{
    struct heap heap = {.refused = -1};
    static struct result want, got;
    int told = 0;
    run_all(row, 0, &heap, &want);
    if (!want.good)
        fail_msg("%s: %s", row->name, want.ran.error.text);
    const int requests = heap.requests;
    for (int i = 0; i < requests; i++) {
        heap = (struct heap){.refused = i, .on = i % 4 == 3};
        run_all(row, 0, &heap, &got);
        if (got.good ? !is_same(&got, &want) : !strstr(got.ran.error.text, "memory"))
            fail_msg("%s: request %d of %d refused%s: %s%s", row->name, i, requests,
                     heap.on ? " and all behind" : "",
                     got.good ? "another result: " : got.ran.error.text,
                     got.good ? got.ran.found : "");
        if (heap.used)
            fail_msg("%s: request %d of %d refused: %zu bytes are not given back", row->name, i,
                     requests, heap.used);
        told += !got.good;
    }
    printf("# %s: %d requests, %d of them refused and told\n", row->name, requests, told);
    return told;
}

static void refused_memory_is_told(void **state)
{
    char *text = make_text();
    const struct row turns = {"turns", text, 64, 1};
    (void)state;
    assert_true(refuse_each(&turns) > 20);
    free(text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(refuse_each(&rows[i]) > 20);
}

/* What blocks store is not told as a race where the flag by which they do so in turn is in no shadow any more. */
static void a_flag_may_have_no_shadow(void **state)
{
    static struct result result;
    struct heap heap = {.refused = -1};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, "a flag"))
            continue;
        run_all(&rows[i], 1, &heap, &result);
        assert_true(result.good && result.ran.outcome.partly_checked);
        assert_string_equal(result.ran.found, "");
    }
    assert_true(heap.requests);
}

/* A function in which half of the lanes end, and one in which all do: what they had is used again by later blocks. */
static void what_ended_is_used_again(void **state)
{
    static struct result result;
    struct heap few = {.refused = -1}, many = {.refused = -1};
    struct row row = {
        "ends",
        HEAD ".func f(.param .b32 n)\n{ .reg .b32 %x; .reg .pred %p; ld.param.u32 %x, [n]; "
             "setp.ne.u32 %p, %x, 0; @%p exit; ret; }\n"
             ".func g()\n{ exit; }\n"
             ".visible .entry k(.param .u64 p)\n{ .reg .b32 %r<4>; mov.u32 %r1, %tid.x; "
             "and.b32 %r1, %r1, 1;\n"
             "{ .param .b32 n; st.param.b32 [n], %r1; call.uni f, (n); }\n"
             "call.uni g; }\n",
        32, 64};
    (void)state;
    run_all(&row, 0, &few, &result);
    assert_true(result.good);
    row.blocks = 640;
    run_all(&row, 0, &many, &result);
    assert_true(result.good);
    assert_int_equal(many.requests, few.requests);
}

/* Of three allocations, two side by side: bytes that the host writes across them, bit by bit. */
static void what_is_written_is_noted_in_each_allocation(void **state)
{
    static const struct {
        int from, bytes;
        const char *written; /* of each 32 bytes, as digits */
    } rows[] = {
        {0, 0, "00000000 00000000 00000000"},   {0, 32, "ffffffff 00000000 00000000"},
        {3, 1, "80000000 00000000 00000000"},   {3, 20, "8ffff700 00000000 00000000"},
        {29, 6, "0000000e 70000000 00000000"},  {31, 66, "00000008 ffffffff 10000000"},
        {40, 8, "00000000 00ff0000 00000000"},  {33, 30, "00000000 effffff7 00000000"},
        {65, 14, "00000000 00000000 00000000"}, {100, 8, "00000000 00000000 0ff00000"},
        {80, 18, "00000000 00000000 30000000"}, {126, 40, "00000000 00000000 0000000c"},
    };
    static const int starts[] = {0, 32, 96};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine_memory *memory = machine_memory_new(&heap_allocator);
        struct error error = {""};
        char got[40] = "";
        for (int k = 0; k < 3; k++) {
            const struct machine_range range = {.address = 4096 + (uint64_t)starts[k], .bytes = 32};
            assert_true(machine_memory_add(memory, &range, true, &error));
        }
        machine_memory_written(memory, 4096 + (uint64_t)rows[i].from, (uint64_t)rows[i].bytes);
        for (int k = 0; k < 96; k += 4) {
            const uint8_t *bits = machine_memory_at(memory, k / 32)->written;
            snprintf(got + strlen(got), sizeof got - strlen(got), "%s%x",
                     k && k % 32 == 0 ? " " : "", ((unsigned)bits[k % 32 / 8] >> k % 8) & 15);
        }
        assert_string_equal(got, rows[i].written);
        machine_memory_free(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_memory_is_told), cmocka_unit_test(a_flag_may_have_no_shadow),
        cmocka_unit_test(what_ended_is_used_again),
        cmocka_unit_test(what_is_written_is_noted_in_each_allocation)};
    return cmocka_run_group_tests_name("machine_memory", tests, NULL, NULL);
}
