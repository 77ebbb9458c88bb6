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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_and_the_highest_address_are_kept),
        cmocka_unit_test(sectors_beyond_the_least_are_counted),
        cmocka_unit_test(turns_that_others_cause_are_estimates),
        cmocka_unit_test(far_lanes_are_not_taken_for_near_ones),
    };
    return cmocka_run_group_tests_name("machine_count", tests, NULL, NULL);
}
