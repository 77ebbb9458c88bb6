/* chance.c: which accesses are estimates, since they depend on which warp is first at an atomic operation or a flag. */
#include "tests/support/run_ptx.h"

#include <stdio.h>

/* %n: the address of a counter, which ptxas does not know to be the same in all lanes; %s: of an array. */
#define BEGIN                                                                                      \
    KERNEL ".shared .align 16 .b8 n[512]; .shared .align 16 .b8 tile[8192]; .reg .b32 %n, %s, "    \
           "%at, %lane;\n"                                                                         \
           "and.b32 %lane, %t, 31; shl.b32 %r1, %t, 2; and.b32 %r1, %r1, 508; mov.u32 %n, n; "     \
           "add.u32 %r1, %r1, %n; mov.u32 %s, tile; st.shared.u32 [%r1], 0; bar.sync 0;\n"         \
           "and.b32 %r2, %t, 0; add.u32 %n, %n, %r2;\n"
#define TAKE "atom.shared.add.u32 %at, [%n], 1;\n"
#define FAR "cvt.u64.u32 %rd1, %r2; add.u64 %rd1, %rd1, %p0; atom.global.add.u32 %at, [%rd1], 1;\n"
#define STORE(bytes) "mad.lo.u32 %r4, %at, " #bytes ", %s; st.shared.u32 [%r4], %t;\n"
/* Threads below the number go on, others to O. */
#define FIRST(threads) "setp.ge.u32 %p1, %t, " #threads "; @%p1 bra O;\n"
/* Some turns of other warps. */
#define LATER "mov.u32 %r7, 9; D: sub.u32 %r7, %r7, 1; setp.ne.u32 %p2, %r7, 0; @%p2 bra D;\n"
/* One of all lanes goes on, the others to J. */
#define CLAIM "atom.shared.cas.b32 %r5, [%n], 0, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra J;\n"
#define BIN(mask) "and.b32 %r2, %t, " #mask "; shl.b32 %r2, %r2, 2; add.u32 %n, %n, %r2;\n"

/* The marks of a kernel's accesses, in their order: e: an estimate, -: none. */
static const struct row {
    const char *name, *code;
    uint32_t threads;
    const char *marks;
    uint32_t blocks;
} rows[] = {
    {"two warps take places in turn", TAKE STORE(4), 64, "--e", 1},
    {"one warp has all places", TAKE STORE(4), 32, "---", 1},
    {"16 lanes reach 31 places at most",
     "setp.gt.u32 %p1, %lane, 15; @%p1 bra E;\n" TAKE STORE(4) "E:\n", 64, "---", 1},
    {"but of 16 bytes", "setp.gt.u32 %p1, %lane, 15; @%p1 bra E;\n" TAKE STORE(16) "E:\n", 64,
     "--e", 1},
    {"a single lane", "setp.gt.u32 %p1, %lane, 0; @%p1 bra E;\n" TAKE STORE(4) "E:\n", 64, "---",
     1},
    {"one lane goes for all", "atom.shared.add.u32 %at, [n], 1;\n" STORE(4), 64, "---", 1},
    {"places in bins", BIN(3) TAKE "mad.lo.u32 %at, %r2, 62, %at;\n" STORE(4), 64, "--e", 1},
    {"every lane has its bin", BIN(31) TAKE "mad.lo.u32 %at, %r2, 16, %at;\n" STORE(4), 64, "--e",
     1},
    {"what matters is masked", BIN(31) TAKE "and.b32 %at, %at, 0; add.u32 %at, %at, %t;\n" STORE(4),
     64, "---", 1},
    {"in global memory no other of the block comes between", FAR STORE(4), 64, "---", 1},
    {"but of other blocks", FAR STORE(4), 64, "--e", 2},
    {"unless one lane goes for all",
     "ld.param.u64 %rd2, [p]; atom.global.add.u32 %at, [%rd2], 1;\n" STORE(4), 64, "---", 2},
    {"before lanes, bin by bin",
     "shl.b32 %r2, %t, 2; and.b32 %r2, %r2, 124;\n" FAR "mad.lo.u32 %at, %r2, 16, %at;\n" STORE(4),
     64, "--e", 1},
    {"a load",
     TAKE "mad.lo.u32 %r4, %at, 4, %s; ld.shared.u32 %r5, [%r4]; st.global.u32 [%a], %r5;\n", 64,
     "--e", 1},
    {"an atomic operation",
     TAKE "mad.lo.u32 %r4, %at, 4, %s; atom.shared.exch.b32 %r5, [%r4], %t; st.global.u32 [%a], "
          "%r5;\n",
     64, "--e", 1},
    {"it is overwritten before", TAKE "st.global.u32 [%a], %at; mov.u32 %at, %t;\n" STORE(4), 64,
     "----", 1},
    {"or by an atomic operation of its own",
     TAKE "st.global.u32 [%a], %at; add.u32 %r6, %s, 4096; add.u32 %r6, %r6, %r1;\n"
          "atom.shared.min.u32 %at, [%r6], 9;\n" STORE(4),
     64, "-----", 1},
    {"by shuffles to all lanes",
     "setp.gt.u32 %p1, %lane, 0; @%p1 bra E; atom.shared.add.u32 %at, [%n], 32;\n"
     "E: shfl.sync.idx.b32 %at, %at, 0, 31, -1; add.u32 %at, %at, %lane;\n" STORE(4),
     64, "---", 1},
    {"and to others", TAKE "shfl.sync.bfly.b32 %at, %at, 1, 31, -1;\n" STORE(4), 64, "--e", 1},
    {"behind a barrier", TAKE "bar.sync 0;\n" STORE(4), 64, "--e", 1},
    {"who may go",
     "atom.shared.cas.b32 %at, [%n], 0, 1; setp.ne.u32 %p1, %at, 0;\n"
     "@%p1 bra E; st.shared.u32 [%s], %t;\nE: st.shared.u32 [%s+4], %t;\n",
     64, "--e-", 1},
    {"who may go, by a predicate",
     "atom.shared.exch.b32 %at, [%n], 1; setp.eq.u32 %p1, %at, 0; @%p1 st.shared.u32 [%s], %t;\n",
     64, "--e", 1},
    {"either arm",
     "atom.shared.or.b32 %at, [%n], 1; setp.ne.u32 %p1, %at, 0; @%p1 bra F; st.shared.u32 [%s], "
     "%t;\nbra E; F: st.shared.u32 [%s+8], %t;\nE: st.shared.u32 [%s+4], %t;\n",
     64, "--ee-", 1},
    {"a lock",
     "L: atom.shared.cas.b32 %at, [%n], 0, 1; setp.ne.u32 %p1, %at, 0; @%p1 bra L;\n"
     "ld.shared.u32 %r5, [%s]; add.u32 %r5, %r5, 1; st.shared.u32 [%s], %r5; membar.cta;\n"
     "st.shared.u32 [%n], 0;\n",
     64, "-e---", 1},
    {"a lock of single lanes",
     "setp.gt.u32 %p1, %lane, 0; @%p1 bra E;\n"
     "L: atom.shared.cas.b32 %at, [%n], 0, 1; setp.ne.u32 %p1, %at, 0; @%p1 bra L;\n"
     "st.shared.u32 [%s], %t; st.shared.u32 [%n], 0; E:\n",
     64, "-e--", 1},
    {"the last of single lanes",
     "setp.gt.u32 %p1, %lane, 0; @%p1 bra E;\n" TAKE "setp.ne.u32 %p1, %at, 1; @%p1 bra E;\n"
     "st.shared.u32 [%s], %t; E:\n",
     64, "---", 1},
    {"what is there yet",
     TAKE "setp.lt.u32 %p1, %at, 48; @!%p1 bra E;\n"
          "st.shared.u32 [%s], %t; E:\n",
     64, "--e", 1},
    {"turns until another warp stores",
     FIRST(32) "L: ld.volatile.shared.u32 %r5, [%n]; st.shared.u32 [%s], %t;\n"
               "setp.eq.u32 %p1, %r5, 0; @%p1 bra L; bra E;\n"
               "O: st.volatile.shared.u32 [%n], 1; E:\n",
     64, "-ee-", 1},
    {"it has stored already",
     FIRST(32) "st.volatile.shared.u32 [%n], 1; bra E;\n"
               "O: ld.volatile.shared.u32 %r5, [%n]; st.shared.u32 [%s], %t;\n"
               "setp.ne.u32 %p1, %r5, 0; @!%p1 bra O; E:\n",
     64, "--ee", 1},
    {"by atomic operations that change nothing",
     FIRST(32) "L: atom.shared.add.u32 %r5, [%n], 0; setp.eq.u32 %p1, %r5, 0; @%p1 bra L; bra E;\n"
               "O: st.volatile.shared.u32 [%n], 1; E:\n",
     64, "-e-", 1},
    {"by one lane",
     FIRST(
         1) "L: atom.shared.cas.b32 %r5, [%n], 3, 3; setp.eq.u32 %p1, %r5, 0; @%p1 bra L; bra E;\n"
            "O: setp.ne.u32 %p1, %t, 32; @%p1 bra E; st.volatile.shared.u32 [%n], 1; E:\n",
     64, "-e-", 1},
    {"an arm behind a flag",
     FIRST(32) "st.volatile.shared.u32 [%n], 1; bra E;\n"
               "O: " LATER
               "ld.relaxed.cta.shared.u32 %r5, [%n]; setp.eq.u32 %p1, %r5, 0; @%p1 bra E;\n"
               "st.shared.u32 [%s], %t; E:\n",
     64, "---e", 1},
    {"a place that another warp tells",
     "shl.b32 %r6, %lane, 2; add.u32 %r6, %r6, %n;\n" FIRST(
         32) "st.volatile.shared.u32 [%r6], %t; bra E;\n"
             "O: " LATER "ld.volatile.shared.u32 %at, [%r6];\n" STORE(128) "E:\n",
     64, "---e", 1},
    {"which it stored before a barrier",
     "st.volatile.shared.u32 [%r1], %t; bar.sync 0; xor.b32 %r1, %r1, 128;\n"
     "ld.volatile.shared.u32 %at, [%r1];\n" STORE(128),
     64, "----", 1},
    {"or before a flag",
     FIRST(32) "st.volatile.shared.u32 [%n], 1; fence.acq_rel.cta;\n"
               "st.relaxed.cta.shared.u32 [%n+4], 1; bra E;\n"
               "O: ld.acquire.cta.shared.u32 %r5, [%n+4]; st.global.u32 [%a], %r5;\n"
               "ld.volatile.shared.u32 %at, [%n]; setp.eq.u32 %p1, %at, 0; @%p1 bra E;\n"
               "st.shared.u32 [%s], %t; E:\n",
     64, "-------", 1},
    {"a flag of its own warp",
     "setp.eq.u32 %p1, %t, 0; @%p1 st.volatile.shared.u32 [%n], 1; bar.warp.sync -1;\n"
     "ld.volatile.shared.u32 %r5, [%n]; setp.eq.u32 %p1, %r5, 0;\n"
     "@%p1 bra E; st.shared.u32 [%s], %t; E:\n",
     32, "----", 1},
    {"words that are stored by chance decide turns",
     CLAIM "red.shared.add.u32 [%n+4], 1; J: bar.sync 0;\n"
           "ld.shared.u32 %r6, [%n+4]; setp.eq.u32 %p2, %r6, 0; @%p2 bra E;\n"
           "st.shared.u32 [%s], %t; E:\n",
     64, "--e-e", 1},
    {"and which lanes go, of other warps, too",
     CLAIM "mov.u32 %r5, 7; st.shared.u32 [%n+4], %r5; J: bar.sync 0;\n"
           "ld.shared.u32 %r6, [%n+4]; setp.lt.u32 %p2, %lane, %r6; @%p2 st.shared.u32 [%s], %t;\n",
     64, "--e-e", 1},
    {"but not those of stores elsewhere",
     CLAIM "red.shared.add.u32 [%n+4], 1; J: bar.sync 0; st.shared.u32 [%n+4], 1; bar.sync 0;\n"
           "ld.shared.u32 %r6, [%n+4]; setp.eq.u32 %p2, %r6, 0; @%p2 bra E;\n"
           "st.shared.u32 [%s], %t; E:\n",
     64, "--e---", 1},
    {"nor words beside them",
     CLAIM "red.shared.add.u32 [%n+4], 1; J: bar.sync 0;\n"
           "ld.shared.u32 %r6, [%n+8]; setp.eq.u32 %p2, %r6, 1; @%p2 bra E;\n"
           "st.shared.u32 [%s], %t; E:\n",
     64, "--e--", 1},
    {"nor behind the arm",
     CLAIM "red.shared.add.u32 [%n+4], 1; J: red.shared.add.u32 [%n+8], 1; bar.sync 0;\n"
           "ld.shared.u32 %r6, [%n+8]; setp.eq.u32 %p2, %r6, 0; @%p2 bra E;\n"
           "st.shared.u32 [%s], %t; E:\n",
     64, "--e---", 1},
    {"nor of the block before",
     "mov.u32 %r5, %ctaid.x; setp.ne.u32 %p1, %r5, 0; @%p1 bra J;\n" CLAIM
     "red.shared.add.u32 [%n+4], 1; J: bar.sync 0;\n"
     "mov.u32 %r5, %ctaid.x; setp.eq.u32 %p1, %r5, 0; @%p1 bra E;\n"
     "ld.shared.u32 %r6, [%n+4]; setp.ne.u32 %p2, %r6, 0; @%p2 bra E;\n"
     "st.shared.u32 [%s], %t; E:\n",
     64, "--e--", 2},
    {"lanes that load another value",
     TAKE "setp.gt.u32 %p1, %lane, 15; @%p1 bra E; ld.shared.u32 %at, [%r1+256]; add.u32 %at, %at, "
          "%lane;\n" STORE(128) "E:\n",
     32, "----", 1},
    {"by generic addresses",
     "cvt.u64.u32 %rd1, %n; cvta.shared.u64 %rd1, %rd1; atom.add.u32 %at, [%rd1], 1;\n" STORE(4),
     64, "---e", 1},
    {"a flag of another block",
     "ld.param.u64 %rd2, [p]; mov.u32 %r5, %ctaid.x; setp.ne.u32 %p1, %r5, 0; @%p1 bra O;\n"
     "L: ld.volatile.global.u32 %r5, [%rd2]; st.shared.u32 [%s], %t; setp.eq.u32 %p1, %r5, 0;\n"
     "@%p1 bra L; bra E; O: st.volatile.global.u32 [%rd2], 1; E:\n",
     32, "-ee-", 2},
    {"room for all", TAKE "setp.lt.u32 %p1, %at, 500; @!%p1 bra E;\nst.shared.u32 [%s], %t; E:\n",
     64, "---", 1},
};

static void accesses_that_depend_on_who_is_first_are_estimates(void **state)
{
    int failed = 0;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ran ran = {.line = 0};
        char text[4000], marks[16] = "";
        snprintf(text, sizeof text, "%s%sret;\n}\n", BEGIN, rows[i].code);
        run_launch(text,
                   (struct machine_launch){.grid = {rows[i].blocks, 1, 1},
                                           .block = {rows[i].threads, 1, 1},
                                           .check = true,
                                           .global = true},
                   &ran);
        if (!ran.outcome.good)
            print_error("%s: %s %s\n", rows[i].name, ran.error.text, ran.fault);
        const size_t accesses = strlen(rows[i].marks);
        for (size_t k = 0; k < accesses; k++)
            marks[k] = ran.count[k].chances ? 'e' : '-';
        if (!ran.outcome.good || strcmp(marks, rows[i].marks) != 0)
            print_error("%s: %s, not %s\n", rows[i].name, marks, rows[i].marks), failed++;
    }
    assert_int_equal(failed, 0);
}

/* Values are those of this world, whatever was tried in others: of a sum of 64 bits in halves, with a carry. */
static void other_worlds_leave_nothing_behind(void **state)
{
    struct ran ran = {.line = 0};
    uint32_t sum = 0;
    (void)state;
    run_block(BEGIN TAKE "add.u32 %r5, %at, 4294967264; mov.u32 %r6, %at;\n"
                         "add.cc.u32 %r5, %r5, %r6; addc.u32 %r6, 0, 0;\n"
                         "shl.b32 %r7, %r6, 8; add.u32 %r7, %r7, %at; st.global.u32 [%a], %r7;\n"
                         "mad.lo.u32 %r4, %at, 4, %s; st.shared.u32 [%r4], %t; ret;\n}\n",
              64, &ran);
    assert_true(ran.outcome.good);
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t at = ran.word[i] & 255;
        assert_int_equal(ran.word[i], at + (at >= 16 && at < 32 ? 256 : 0));
        sum += at;
    }
    assert_int_equal(sum, 63 * 32);
}

/* Without the checker nobody knows who stored, so that each strong load is followed. */
static void without_the_checker_each_volatile_load_is_followed(void **state)
{
    (void)state;
    for (int check = 0; check < 2; check++) {
        struct ran ran = {.line = 0};
        run_launch(
            BEGIN "ld.volatile.shared.u32 %r5, [%n]; setp.eq.u32 %p1, %r5, 1;\n"
                  "@%p1 bra E; st.shared.u32 [%s], %t; E: ret;\n}\n",
            (struct machine_launch){.grid = {1, 1, 1}, .block = {64, 1, 1}, .check = check != 0},
            &ran);
        assert_true(ran.outcome.good);
        assert_int_equal(ran.count[2].chances > 0, !check);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_the_checker_each_volatile_load_is_followed),
        cmocka_unit_test(accesses_that_depend_on_who_is_first_are_estimates),
        cmocka_unit_test(other_worlds_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
