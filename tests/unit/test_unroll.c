/* unroll: loops of which several turns are taken together compute the same, whatever they count by. */
#include "tests/support/run_ptx.h"

#include <stdio.h>

enum { WRITTEN, TOGETHER, FIRST_APART };

/* Runs kernel k of one block with all its loops unrolled in a way, or none. Returns how many loops it has. */
static int run_loops(const char *text, int way, struct ran *ran)
{
    const struct machine_text ptx = {text, strlen(text), "t.ptx"};
    struct machine_memory *memory = machine_memory_new(&heap_allocator);
    memset(ran, 0, sizeof *ran);
    const uint64_t address = (uintptr_t)ran->word;
    const struct machine_range range = {
        .address = address, .bytes = sizeof ran->word, .host = (uint8_t *)ran->word};
    assert_true(machine_memory_add(memory, &range, false, &ran->error));
    struct machine_module *written = machine_load(memory, &ptx, 1, &ran->error);
    struct machine_module *module = machine_load(memory, &ptx, 1, &ran->error);
    if (!written || !module || !machine_kernel_decode(machine_kernel(written, "k"), &ran->error))
        fail_msg("%s\n%s", ran->error.text, text);
    struct machine_loop loop;
    int loops = 0;
    for (; machine_kernel_loop(machine_kernel(written, "k"), loops, &loop); loops++)
        if (way)
            assert_true(machine_unroll(module, loop.function, loop.function_length, loop.line,
                                       way == FIRST_APART));
    const struct machine_launch launch = {.kernel = machine_kernel(module, "k"),
                                          .grid = {1, 1, 1},
                                          .block = {32, 1, 1},
                                          .parameters = &address,
                                          .count = true};
    struct machine_run *run = machine_begin(&launch, &ran->error);
    if (!run)
        fail_msg("%s\n%s", ran->error.text, text);
    machine_work(run);
    machine_end(run, &ran->outcome);
    for (int i = 0; i < ran->outcome.counts && i < 64; i++)
        ran->count[i] = ran->outcome.count[i];
    assert_true(ran->outcome.good);
    machine_free_run(run);
    machine_unload(module);
    machine_unload(written);
    machine_memory_free(memory);
    return loops;
}

/* %r1 is what the turns compute, %r2 counts, %r3 is different in each lane. */
static void loops_compute_the_same(void **state)
{
    static const char *const rows[] = {
        "LOOP: mad.lo.u32 %r1, %r1, 31, %r2; add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r3; @%p1 "
        "bra LOOP;",
        "LOOP: mad.lo.u32 %r1, %r1, 31, %r2; add.s32 %r2, %r2, 3; setp.le.s32 %p1, %r2, %r3; @%p1 "
        "bra LOOP;",
        "LOOP: add.s32 %r2, %r2, 1; mad.lo.u32 %r1, %r1, 31, %r2; setp.gt.s32 %p1, %r3, %r2; @%p1 "
        "bra LOOP;",
        /* compared before it is added to */
        "LOOP: mad.lo.u32 %r1, %r1, 31, %r2; setp.lt.s32 %p1, %r2, %r3; add.s32 %r2, %r2, 2; @%p1 "
        "bra LOOP;",
        /* left when the predicate holds */
        "LOOP: mad.lo.u32 %r1, %r1, 31, %r2; add.s32 %r2, %r2, 1; setp.ge.s32 %p1, %r2, %r3; @!%p1 "
        "bra LOOP;",
        /* down to a number, exactly */
        "mov.u32 %r2, %r3; LOOP: mad.lo.u32 %r1, %r1, 31, %r2; add.s32 %r2, %r2, -1; setp.ne.s32 "
        "%p1, %r2, 0; "
        "@%p1 bra LOOP;",
        "mov.u32 %r2, %r3; LOOP: mad.lo.u32 %r1, %r1, 31, %r2; sub.s32 %r2, %r2, 1; setp.ne.s32 "
        "%p1, %r2, 0; "
        "@%p1 bra LOOP;",
        /* sums that are copied */
        "LOOP: add.s32 %r4, %r2, 1; mad.lo.u32 %r1, %r1, 31, %r2; setp.lt.s32 %p1, %r4, %r3; "
        "mov.u32 %r2, %r4; "
        "@%p1 bra LOOP;",
        "LOOP: add.s32 %r4, %r2, 1; setp.lt.s32 %p1, %r2, %r3; mov.u32 %r2, %r4; mad.lo.u32 %r1, "
        "%r1, 31, %r2; "
        "@%p1 bra LOOP;",
        "LOOP: add.s32 %r4, %r2, 1; mov.u32 %r2, %r4; mad.lo.u32 %r1, %r1, 31, %r2; setp.lt.s32 "
        "%p1, %r2, %r3; "
        "@%p1 bra LOOP;",
        "cvt.u64.u32 %rd1, %r2; cvt.u64.u32 %rd2, %r3; LOOP: cvt.u32.u64 %r4, %rd1; mad.lo.u32 "
        "%r1, %r1, 31, %r4; "
        "add.s64 %rd1, %rd1, 1; setp.lt.u64 %p1, %rd1, %rd2; @%p1 bra LOOP;",
        /* two of them, one behind the other, and one in another */
        "LOOP: mad.lo.u32 %r1, %r1, 31, %r2; add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r3; @%p1 "
        "bra LOOP; "
        "AGAIN: mad.lo.u32 %r1, %r1, 7, %r2; add.s32 %r2, %r2, -1; setp.gt.s32 %p1, %r2, 0; @%p1 "
        "bra AGAIN;",
        "mov.u32 %r5, 3; OUTER: mov.u32 %r2, 0; LOOP: mad.lo.u32 %r1, %r1, 31, %r2; add.s32 %r2, "
        "%r2, 1; "
        "setp.lt.s32 %p1, %r2, %r3; @%p1 bra LOOP; add.s32 %r5, %r5, -1; setp.ne.s32 %p2, %r5, 0; "
        "@%p2 bra OUTER;",
        /* always as many */
        "LOOP: mad.lo.u32 %r1, %r1, 31, %r2; add.s32 %r2, %r2, 512; setp.ne.s32 %p1, %r2, 2048; "
        "@%p1 bra LOOP;",
        "LOOP: mad.lo.u32 %r1, %r1, %r3, %r2; sub.s32 %r2, %r2, 1; setp.ge.s32 %p1, -5, %r2; @!%p1 "
        "bra LOOP;",
        "LOOP: mad.lo.u32 %r1, %r1, %r3, %r2; sub.s32 %r2, %r2, 1; setp.gt.u32 %p1, %r2, -5; @%p1 "
        "bra LOOP;",
        "LOOP: mad.lo.u32 %r1, %r1, %r3, %r2; setp.le.u32 %p1, %r2, 7; add.s32 %r2, %r2, 2; @%p1 "
        "bra LOOP;",
        "LOOP: add.s32 %r4, %r2, 1; mad.lo.u32 %r1, %r1, %r3, %r2; setp.lt.u32 %p1, %r4, 5; "
        "mov.u32 %r2, %r4; @%p1 bra LOOP;",
        /* but not the second time: the counter goes on, or the loop is entered from elsewhere */
        "mov.u32 %r5, 3; OUTER: mov.u32 %r6, 0; LOOP: mad.lo.u32 %r1, %r1, %r3, %r2; add.s32 %r2, "
        "%r2, 1; "
        "setp.lt.s32 %p1, %r2, 6; @%p1 bra LOOP; add.s32 %r5, %r5, -1; setp.ne.s32 %p2, %r5, 0; "
        "@%p2 bra OUTER;",
        "mov.u32 %r5, 3; mov.u32 %r2, 0; LOOP: mad.lo.u32 %r1, %r1, %r3, %r2; add.s32 %r2, %r2, 1; "
        "setp.lt.s32 %p1, %r2, 6; @%p1 bra LOOP; add.s32 %r5, %r5, -1; setp.ne.s32 %p2, %r5, 0; "
        "@%p2 bra LOOP;",
        "mov.u32 %r5, 3; bra IN; AGAIN: mov.u32 %r2, 4; IN: mov.u32 %r6, 0; LOOP: mad.lo.u32 %r1, "
        "%r1, %r3, %r2; "
        "add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, 6; @%p1 bra LOOP; add.s32 %r5, %r5, -1; "
        "setp.ne.s32 %p2, %r5, 0; "
        "@%p2 bra AGAIN;",
        /* turns that all lanes take, with a barrier */
        "LOOP: bar.sync 0; mad.lo.u32 %r1, %r1, 31, %t; add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, "
        "13; "
        "@%p1 bra LOOP;",
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int more = 0; more < 40; more += 13) {
            char text[2000];
            struct ran written, unrolled;
            snprintf(text, sizeof text,
                     "%smov.u32 %%r1, 1; mov.u32 %%r2, 0; add.u32 %%r3, %%t, %d;\n%s\n"
                     "st.global.u32 [%%a], %%r1; ret; }\n",
                     KERNEL, more + 1, rows[i]);
            assert_true(run_loops(text, WRITTEN, &written) >= 1);
            for (int way = TOGETHER; way <= FIRST_APART; way++) {
                run_loops(text, way, &unrolled);
                if (memcmp(written.word, unrolled.word, sizeof written.word))
                    fail_msg("%s", rows[i]);
                assert_true(written.outcome.instructions != unrolled.outcome.instructions);
            }
        }
}

static void what_is_no_such_loop_is_left(void **state)
{
    static const char *const rows[] = {
        ".pragma \"nounroll\"; LOOP: add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r3; @%p1 bra "
        "LOOP;",
        "LOOP: add.s32 %r2, %r2, %r2; setp.lt.s32 %p1, %r2, %r3; @%p1 bra LOOP;",
        "LOOP: add.s32 %r2, %r2, 1; add.s32 %r3, %r3, -1; setp.lt.s32 %p1, %r2, %r3; @%p1 bra "
        "LOOP;",
        "LOOP: add.s32 %r2, %r2, 1; add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r3; @%p1 bra LOOP;",
        "LOOP: add.s32 %r2, %r2, 1; setp.eq.s32 %p2, %r2, 5; @%p2 bra OUT; setp.lt.s32 %p1, %r2, "
        "%r3; @%p1 bra LOOP; "
        "OUT:",
        "setp.lt.s32 %p2, %r3, 9; LOOP: @%p2 add.s32 %r2, %r2, 1; add.s32 %r1, %r1, 1; setp.lt.s32 "
        "%p1, %r1, %r3; "
        "@%p2 setp.lt.s32 %p1, %r2, %r3; @%p1 bra LOOP;",
        "LOOP: add.s32 %r2, %r2, 1; setp.lt.s32 %p1|%p2, %r2, %r3; @%p1 bra LOOP;",
        "LOOP: add.f32 %f1, %f1, 0f3F800000; setp.lt.f32 %p1, %f1, 0f40800000; @%p1 bra LOOP;",
        "setp.lt.s32 %p2, %r3, 9; LOOP: add.s32 %r2, %r2, 1; setp.lt.and.s32 %p1, %r2, %r3, %p2; "
        "@%p1 bra LOOP;",
        "mov.u32 %r4, 0; LOOP: setp.lt.s32 %p1, %r4, %r3; add.s32 %r4, %r2, 1; mov.u32 %r2, %r4; "
        "@%p1 bra LOOP;",
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2000];
        struct ran ran;
        snprintf(text, sizeof text,
                 "%smov.u32 %%r1, 1; mov.u32 %%r2, 1; add.u32 %%r3, %%t, 1;\n%s\n"
                 "st.global.u32 [%%a], %%r2; ret; }\n",
                 KERNEL, rows[i]);
        if (run_loops(text, TOGETHER, &ran))
            fail_msg("%s", rows[i]);
    }
}

/* Four turns, as a constant says: no instruction of theirs asks whether there is one more. */
static void loops_that_always_have_as_many_turns_are_taken_at_once(void **state)
{
    (void)state;
    struct ran written, unrolled;
    static const char text[] =
        HEAD ".shared .align 4 .b8 tile[512];\n.visible .entry k(.param .u64 p)\n{ .reg .pred "
             "%p<3>; .reg .b32 %r<9>;\n"
             "mov.u32 %r2, 256; mov.u32 %r3, tile;\n"
             "LOOP: ld.shared.u32 %r4, [%r3]; add.u32 %r5, %r5, %r4; add.s32 %r3, %r3, 4;\n"
             "add.s32 %r2, %r2, 512; setp.ne.s32 %p1, %r2, 2304; @%p1 bra LOOP;\n"
             "st.shared.u32 [tile], %r5; ret; }\n";
    assert_int_equal(run_loops(text, WRITTEN, &written), 1);
    assert_int_equal(run_loops(text, TOGETHER, &unrolled), 1);
    assert_int_equal(written.outcome.instructions - unrolled.outcome.instructions, 4);
    assert_int_equal(written.outcome.counts, 2);
    assert_int_equal(unrolled.outcome.counts, 2); /* one load of 16 bytes, and the store */
    assert_int_equal(written.count[0].instructions, 4);
    assert_int_equal(unrolled.count[0].instructions, 1);
}

/* Lanes with 1 to 32 turns: those that have four left go first; then two; then one. Together they load in 8 + 2 +
 * 1 steps, of which the ones with four turns have four loads. So it is where a
 * first turn without a test has a copy of its own: no lane takes it. */
static void lanes_with_other_turns_load_apart(void **state)
{
    (void)state;
    struct ran written, unrolled;
    static const char text[] =
        HEAD ".shared .align 4 .b8 tile[512];\n.visible .entry k(.param .u64 p)\n{ .reg .pred "
             "%p<3>; .reg .b32 %r<9>;\n"
             "mov.u32 %r1, %tid.x; add.s32 %r1, %r1, 1; mov.u32 %r2, 0; mov.u32 %r3, tile;\n"
             "setp.ge.u32 %p0, %r1, 0;\n" /* the first of all registers keeps its own number */
             "LOOP: @%p0 ld.shared.u32 %r4, [%r3]; add.u32 %r5, %r5, %r4; add.s32 %r3, %r3, 4;\n"
             "add.s32 %r2, %r2, 1; setp.lt.s32 %p1, %r2, %r1; @%p1 bra LOOP;\n"
             "st.shared.u32 [tile], %r5; ret; }\n";
    assert_int_equal(run_loops(text, WRITTEN, &written), 1);
    assert_int_equal(written.count[0].instructions, 32);
    for (int way = TOGETHER; way <= FIRST_APART; way++) {
        uint64_t loads = 0, lanes = 0;
        assert_int_equal(run_loops(text, way, &unrolled), 1);
        for (int i = 0; i < unrolled.outcome.counts - 1; i++) {
            loads += unrolled.count[i].instructions;
            lanes += unrolled.count[i].lanes;
        }
        assert_int_equal(lanes, written.count[0].lanes);
        assert_int_equal(unrolled.outcome.counts, way == TOGETHER ? 8 : 9);
        assert_int_equal(loads, 8 * 4 + 2 + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_compute_the_same),
        cmocka_unit_test(what_is_no_such_loop_is_left),
        cmocka_unit_test(loops_that_always_have_as_many_turns_are_taken_at_once),
        cmocka_unit_test(lanes_with_other_turns_load_apart),
    };
    return cmocka_run_group_tests_name("unroll", tests, NULL, NULL);
}
