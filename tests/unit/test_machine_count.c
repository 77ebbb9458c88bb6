/* machine_count: what is counted of accesses whose pattern is remembered, and where they lie. */
#define _GNU_SOURCE
#include "tests/support/run_ptx.h"

#include <stdio.h>
#include <sys/mman.h>

/* The first lane stores at bytes 100, 200 and 40 of shared memory. */
static void the_lowest_and_the_highest_address_are_kept(void **state)
{
    struct ran ran;
    (void)state;
    run_block(KERNEL ".shared .align 4 .b8 tile[512];\n"
                     "mov.u32 %r1, tile; shl.b32 %r2, %t, 2; add.u32 %r1, %r1, %r2;\n"
                     "mov.u32 %r3, 100;\n"
                     "L: add.u32 %r4, %r1, %r3; st.shared.u32 [%r4], %t;\n"
                     "setp.eq.u32 %p1, %r3, 40; @%p1 bra E;\n"
                     "setp.eq.u32 %p2, %r3, 100; selp.b32 %r3, 200, 40, %p2; bra L;\n"
                     "E: ret;\n}\n",
              32, &ran);
    assert_int_equal(ran.count[0].instructions, 3);
    assert_int_equal(ran.count[0].high - ran.count[0].low, 160);
}

/* The first lane of each warp waits for a lock, which the other warp has for a while: the other lanes wait for it, and
 * all of them store together. */
static void who_waits_for_another_warp_stays_with_its_own(void **state)
{
    struct ran ran;
    (void)state;
    run_block(KERNEL ".shared .align 4 .b8 tile[512];\n"
                     "and.b32 %r1, %t, 31; setp.ne.u32 %p1, %r1, 0; @%p1 bra MEET;\n"
                     "TRY: atom.global.cas.b32 %r2, [%p0], 0, 1;\n"
                     "setp.ne.u32 %p2, %r2, 0; @%p2 bra TRY;\n"
                     "mov.u32 %r3, 0;\n"
                     "HOLD: add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 300; @%p2 bra HOLD;\n"
                     "atom.global.exch.b32 %r2, [%p0], 0;\n"
                     "MEET: mov.u32 %r4, tile; shl.b32 %r5, %t, 2; add.u32 %r4, %r4, %r5;\n"
                     "st.shared.u32 [%r4], %t; ret;\n}\n",
              64, &ran);
    assert_int_equal(ran.count[2].instructions, 2);
}

/* The count of a kernel's first access, whose parameter is memory that begins at `at`. */
static struct machine_count counted(const char *text, uint8_t *at, size_t bytes, uint32_t blocks,
                                    uint32_t threads)
{
    const struct machine_text ptx = {text, strlen(text), "t.ptx"};
    const uint64_t address = (uintptr_t)at;
    const struct machine_range range = {.address = address, .bytes = bytes, .host = at};
    struct machine_memory *memory = machine_memory_new(&heap_allocator);
    struct machine_outcome outcome;
    struct error error = {""};
    assert_true(machine_memory_add(memory, &range, false, &error));
    struct machine_module *module = machine_load(memory, &ptx, 1, &error);
    assert_non_null(module);
    const struct machine_launch launch = {.kernel = machine_kernel(module, "k"),
                                          .grid = {blocks, 1, 1},
                                          .block = {threads, 1, 1},
                                          .parameters = &address,
                                          .count = true,
                                          .global = true};
    struct machine_run *run = machine_begin(&launch, &error);
    assert_non_null(run);
    machine_work(run);
    machine_end(run, &outcome);
    assert_true(outcome.good);
    const struct machine_count count = outcome.count[0];
    machine_free_run(run);
    machine_unload(module);
    machine_memory_free(memory);
    return count;
}

/* Two lanes store side by side, 4 GiB apart, and side by side: of distances only 32 bits are remembered. */
static void far_lanes_are_not_taken_for_near_ones(void **state)
{
    static const char kernel[] =
        HEAD ".visible .entry k(.param .u64 p)\n{\n"
             ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n"
             "ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd1, %rd1;\n"
             "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd2, %r1; mov.u64 %rd3, 4; mov.u32 %r2, 0;\n"
             "L: mad.lo.u64 %rd4, %rd2, %rd3, %rd1; st.global.u32 [%rd4], %r1;\n"
             "xor.b64 %rd3, %rd3, 4294967296; add.u32 %r2, %r2, 1;\n"
             "setp.lt.u32 %p1, %r2, 3; @%p1 bra L; ret;\n}\n";
    const size_t all = ((size_t)1 << 32) + 4096;
    uint8_t *at =
        mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    (void)state;
    assert_ptr_not_equal(at, MAP_FAILED);
    const struct machine_count count = counted(kernel, at, all, 1, 2);
    assert_int_equal(count.instructions, 3);
    assert_int_equal(count.passes, 1 + 2 + 1);
    munmap(at, all);
}

static bool wants_each(void *context, uint64_t block)
{
    (void)context;
    (void)block;
    return true;
}

static void ignore_access(void *context, const struct machine_access *access)
{
    (void)context;
    (void)access;
}

/* Lanes in another order load words of one bank, then all the same one, and again; with an observer they are looked at lane
 * by lane. */
static void another_pattern_has_another_cost(void **state)
{
    static const char text[] =
        KERNEL ".shared .align 4 .b8 tile[4096];\n"
               "xor.b32 %r1, %t, 5; shl.b32 %r1, %r1, 7; mov.u32 %r2, tile; mov.u32 %r3, 0;\n"
               "L: mad.lo.u32 %r4, %r1, %r5, %r2; ld.shared.u32 %r6, [%r4];\n"
               "st.global.u32 [%a], %r6; xor.b32 %r5, %r5, 1; add.u32 %r3, %r3, 1;\n"
               "setp.lt.u32 %p1, %r3, 5; @%p1 bra L; ret;\n}\n";
    static const struct machine_observer observer = {.wants = wants_each, .access = ignore_access};
    (void)state;
    for (int observed = 0; observed < 2; observed++) {
        struct ran ran = {.line = 0};
        run_launch(text,
                   (struct machine_launch){.grid = {1, 1, 1},
                                           .block = {32, 1, 1},
                                           .observer = observed ? &observer : NULL},
                   &ran);
        assert_true(ran.outcome.good);
        assert_int_equal(ran.count[0].instructions, 5);
        assert_int_equal(ran.count[0].passes, 3 * 1 + 2 * 32);
        assert_int_equal(ran.count[0].conflicts, 2 * 31);
    }
}

/* Of memory of the threads' own, requests and lanes. */
static void local_accesses_are_counted(void **state)
{
    static uint8_t room[4];
    (void)state;
    const struct machine_count count =
        counted(KERNEL ".local .align 4 .b8 of[16];\nst.local.u32 [of], %t; ld.local.u32 %r1, [of];"
                       " st.global.u32 [%p0], %r1; ret; }\n",
                room, sizeof room, 2, 16);
    assert_int_equal(count.instructions, 2);
    assert_int_equal(count.lanes, 2 * 16);
}

/* How often a loop of swaps turns hangs on the other warps of the block, if there are any. */
static void turns_that_others_cause_are_estimates(void **state)
{
    (void)state;
    for (uint32_t threads = 32; threads <= 64; threads += 32) {
        struct ran ran;
        uint64_t estimates = 0;
        run_block(KERNEL
                  ".shared .align 8 .b8 tile[8]; .reg .f64 %fd;\n"
                  "mov.f64 %fd, 0d3FF0000000000000; red.shared.add.f64 [tile], %fd; ret; }\n",
                  threads, &ran);
        for (int i = 0; i < ran.outcome.counts; i++)
            estimates += ran.count[i].estimates;
        assert_int_equal(estimates > 0, threads > 32);
    }
}

/* 32 lanes store 4 bytes each, so far apart: sectors, and how many there would be side by side. */
static void sectors_beyond_the_least_are_counted(void **state)
{
    static const struct {
        int stride;
        uint64_t sectors, least;
    } rows[] = {{4, 4, 4}, {8, 8, 4}, {32, 32, 4}, {128, 32, 4}, {0, 1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static _Alignas(128) uint8_t room[32 * 128 + 4];
        char text[1000];
        snprintf(text, sizeof text,
                 "%s mad.wide.u32 %%a, %%t, %d, %%p0; st.global.u32 [%%a], %%t; ret; }\n", KERNEL,
                 rows[i].stride);
        const struct machine_count count = counted(text, room, sizeof room, 3, 32);
        assert_int_equal(count.instructions, 3);
        assert_int_equal(count.passes, 3 * rows[i].sectors);
        assert_int_equal(count.conflicts, 3 * (rows[i].sectors - rows[i].least));
    }
}

#define CHAIN(last) "mov.u64 %x1, %x2; mov.u64 %x2, %x3; mov.u64 %x3, %x4; mov.u64 %x4, %x5;\n" last
#define IN_3 CHAIN("mov.u64 %x5, %x6; mov.u64 %x6, %x7; mov.u64 %x7, %x8;\n")

/* The array of a kernel's first store, at [%y] or `at`; of a chain that is written from its end, 6 moves are followed. */
static void accesses_are_of_arrays(void **state)
{
    static const struct {
        const char *code, *array, *at;
    } rows[] = {
        {"", .array = "g", .at = "g"},
        {"", .array = "g", .at = "g+60"},
        {"", .array = "p", .at = "%gp+4"},
        {IN_3 "mov.u64 %x8, %gq;", .array = NULL, .at = "%gp"},
        {"mov.u64 %y, %gp;", .array = "p"},
        {"mov.u64 %y, %p;", .array = "p"},
        {"mov.u64 %y, g;", .array = "g"},
        {"mov.u64 %x1, g; cvta.global.u64 %x2, %x1; cvta.to.global.u64 %y, %x2;", .array = "g"},
        {"add.s64 %y, %gp, %n;", .array = "p"},
        {"add.s64 %y, %n, %gp;", .array = "p"},
        {"add.s64 %y, %r, %n;", .array = "r"},
        {"add.s64 %y, %n, %r;", .array = "r"},
        {"add.s64 %y, %p, 64;", .array = "p"},
        {"or.b64 %y, %gp, 4;", .array = "p"},
        {"mad.lo.s64 %y, %n, 4, %gp;", .array = "p"},
        {"sub.s64 %y, %gp, %n;", .array = "p"},
        {"shl.b64 %x1, %n, 2; add.s64 %y, %gp, %x1;", .array = "p"},
        {"shl.b64 %x1, %n, 2; add.s64 %y, %x1, %p;", .array = "p"},
        {"add.s64 %x1, %gp, 64; selp.b64 %y, %gp, %x1, %c;", .array = "p"},
        {"mov.u64 %y, %gp; L: add.s64 %y, %y, 4; @%c bra L;", .array = "p"},
        {"mov.u64 %x1, tab; ld.global.u64 %x2, [%x1]; add.s64 %y, %gp, %x2;", .array = "p"},
        {"{ .reg .b32 %l; cvt.u32.u64 %l, %gq; add.s64 %y, %gp, 4; }", .array = "p"},
        {"mov.u64 %y, %gp; ld.global.v2.u64 {_, %x1}, [%gp];", .array = "p"},
        {"mov.u64 %x1, g; add.s64 %y, %x1, %n;", .array = "g"},
        {"{ .reg .b32 %s<2>; wmma.store.d.sync.aligned.row.m8n8k32.global.s32 [%gp], {%s0, %s1}; }",
         .array = "p"},
        {"mov.u64 %x1, tab; add.s64 %y, %n, %x1;", .array = "tab"},
        {"mov.u64 %x1, fixed; cvta.const.u64 %y, %x1;", .array = "fixed"},
        {"mov.b64 %x1, q; ld.param.u64 %x2, [%x1]; cvta.to.global.u64 %y, %x2;", .array = "q"},
        {"mov.b64 %x1, r; ld.param.u64 %y, [%x1];", .array = "r"},
        /* Not known. */
        {"add.s64 %y, %gp, %gq;", .array = NULL},
        {"add.s64 %y, %p, %n;", .array = NULL},
        {"add.s64 %x1, %n, %q; add.s64 %y, %p, %x1;", .array = NULL},
        {"mov.b64 %x1, p; add.s64 %y, %x1, %n;", .array = NULL},
        {"ld.global.u64 %y, [%gp];", .array = NULL},
        {"ld.global.u64 %x1, [%gp]; add.s64 %y, %p, %x1;", .array = NULL},
        {"ld.global.v2.u64 {%x1, %y}, [%gp];", .array = NULL},
        {"selp.b64 %y, %gp, %gq, %c;", .array = NULL},
        {"max.u64 %y, %gp, %n;", .array = NULL},
        {"not.b64 %y, %gp;", .array = NULL},
        {"mov.u64 %x1, %p; add.s64 %y, %x1, %n;", .array = NULL},
        {"ld.global.v2.u64 {%x1, %x2}, [%gp]; add.s64 %y, %p, %x1;", .array = NULL},
        {"fma.rn.f64 %y, %n, %n, %gp;", .array = NULL},
        {"ld.global.u64 %x1, [%gp]; selp.b64 %y, %gp, %x1, %c;", .array = NULL},
        {"mov.u64 %y, %gp; @%c mov.u64 %y, %gq;", .array = NULL},
        {"mov.u64 %y, %gp; @%c ld.global.u64 %y, [%gp];", .array = NULL},
        {"mov.u64 %y, %gp; @%c mov.u64 %y, 0;", .array = NULL},
        {"mul.lo.s64 %y, %gp, 1;", .array = NULL},
        {"mov.u64 %y, 64;", .array = NULL},
        /* What an address is made of is seen late. */
        {CHAIN("mov.u64 %x5, %x6; mov.u64 %x6, %x7; mov.u64 %x7, %gq; add.s64 %y, %p, %x1;"),
         .array = NULL},
        {CHAIN("mov.u64 %x5, %x6; mov.u64 %x6, %x7; mov.u64 %x7, %gq; mov.u64 %y, %gp;"),
         .array = "p"},
        {IN_3 "mov.u64 %x8, %gq; mov.u64 %y, %gp;", .array = NULL},
        {IN_3 "mov.u64 %x8, %gq; add.s64 %y, %p, %x1;", .array = NULL},
        {IN_3 "mov.u64 %x8, %x9; mov.u64 %x9, %gq; add.s64 %y, %p, %x1;", .array = NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error error = {""};
        char text[2000];
        snprintf(text, sizeof text,
                 HEAD
                 ".global .align 8 .b8 g[64]; .global .align 8 .b8 tab[64];\n"
                 ".const .align 8 .b8 fixed[64];\n.visible .entry k(.param .u64 p, .param .u64 q, "
                 ".param .u64 n, "
                 ".param .u64 .ptr .global .align 8 r)\n{ .reg .b64 %%y, %%p, %%q, %%n, %%r, "
                 "%%gp, %%gq, %%x<10>; .reg .pred %%c;\nld.param.u64 %%p, [p]; ld.param.u64 "
                 "%%q, [q]; ld.param.u64 %%n, [n]; ld.param.u64 %%r, [r];\n"
                 "cvta.to.global.u64 %%gp, %%p; cvta.to.global.u64 %%gq, %%q; setp.lt.u64 %%c, "
                 "%%n, 4;\n%s\nst.global.u32 [%s], 7; ret; }\n",
                 rows[i].code, rows[i].at ? rows[i].at : "%y");
        const struct machine_text ptx = {text, strlen(text), "t.ptx"};
        struct machine_memory *memory = machine_memory_new(&heap_allocator);
        struct machine_module *module = machine_load(memory, &ptx, 1, &error);
        const struct machine_launch launch = {.kernel = module ? machine_kernel(module, "k") : NULL,
                                              .grid = {1, 1, 1},
                                              .block = {1, 1, 1},
                                              .parameters = (const uint64_t[4]){0}};
        struct machine_run *run = launch.kernel ? machine_begin(&launch, &error) : NULL;
        if (!run)
            fail_msg("%s: %s", rows[i].code, error.text);
        const char *array = "no store";
        for (int k = 0; k < machine_kernel_accesses(launch.kernel); k++) {
            struct machine_access_facts facts;
            machine_kernel_access(launch.kernel, k, &facts);
            if (facts.op == OP_STORE) {
                array = facts.array;
                break;
            }
        }
        if (!array != !rows[i].array || (array && strcmp(array, rows[i].array)))
            fail_msg("%s: of %s, not %s", rows[i].code, array ? array : "none",
                     rows[i].array ? rows[i].array : "none");
        machine_free_run(run);
        machine_unload(module);
        machine_memory_free(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_and_the_highest_address_are_kept),
        cmocka_unit_test(who_waits_for_another_warp_stays_with_its_own),
        cmocka_unit_test(another_pattern_has_another_cost),
        cmocka_unit_test(local_accesses_are_counted),
        cmocka_unit_test(sectors_beyond_the_least_are_counted),
        cmocka_unit_test(turns_that_others_cause_are_estimates),
        cmocka_unit_test(far_lanes_are_not_taken_for_near_ones),
        cmocka_unit_test(accesses_are_of_arrays),
    };
    return cmocka_run_group_tests_name("machine_count", tests, NULL, NULL);
}
