/* test_machine_run.c - kernels in PTX, run by the machine. */
#include "tests/support/run_ptx.h"

static void lanes_part_and_meet_again(void **state)
{
    (void)state;
    struct ran ran;
    run_block(KERNEL "and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra EVEN;\n"
                     "mul.lo.u32 %r2, %t, 10; bra JOIN;\n"
                     "EVEN: mul.lo.u32 %r2, %t, 100;\n"
                     "JOIN: activemask.b32 %r3; popc.b32 %r3, %r3; add.u32 %r2, %r2, %r3;\n"
                     "st.global.u32 [%a], %r2; ret; }\n",
              40, &ran);
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(ran.word[i], i * (i % 2 ? 10 : 100) + (i < 32 ? 32 : 8));
}

static void loops_of_different_lengths_end_together(void **state)
{
    (void)state;
    struct ran ran;
    run_block(KERNEL "mov.u32 %r1, 0; mov.u32 %r2, 0;\n"
                     "LOOP: add.u32 %r1, %r1, %r2; add.u32 %r2, %r2, 1;\n"
                     "setp.le.u32 %p1, %r2, %t; @%p1 bra LOOP;\n"
                     "st.global.u32 [%a], %r1; ret; }\n",
              32, &ran);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(ran.word[i], i * (i + 1) / 2);
    assert_int_equal(ran.outcome.instructions, 6 + 32 * 4 + 2);
}

static void barriers_hold_warps_until_all_have_come(void **state)
{
    (void)state;
    struct ran ran;
    run_block(".version 8.0\n.target sm_90\n.shared .align 4 .b8 tile[512];\n"
              ".visible .entry k(.param .u64 p)\n{ .reg .b32 %r<9>; .reg .b64 %rd<4>;\n"
              "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;\n"
              "mov.u32 %r3, tile; add.s32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1;\n"
              "bar.sync 0;\n"
              "xor.b32 %r5, %r2, 508; add.s32 %r5, %r3, %r5; ld.shared.u32 %r6, [%r5];\n"
              "mad.wide.u32 %rd2, %r1, 4, %rd1; st.global.u32 [%rd2], %r6; ret; }\n",
              128, &ran);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(ran.word[i], 127 - i);
    assert_int_equal(ran.count[0].instructions, 4);
    assert_int_equal(ran.count[1].passes, 4);
}

/* A barrier says of a predicate whether all threads have it, whether one has it, and how many; then of another one. */
static void barriers_ask_all_threads(void **state)
{
    (void)state;
    for (uint32_t least = 0; least <= 96; least += 48) {
        struct ran ran;
        char text[2000];
        snprintf(text, sizeof text,
                 "%smov.u32 %%r9, 0; setp.ge.u32 %%p1, %%t, %u;\n"
                 "bar.red.and.pred %%p2, 0, %%p1; bar.red.or.pred %%p3, 0, %%p1; "
                 "bar.red.popc.u32 %%r1, 0, %%p1; selp.u32 %%r2, 1000, 0, %%p2; "
                 "selp.u32 %%r3, 2000, 0, %%p3; add.u32 %%r1, %%r1, %%r2; add.u32 %%r9, %%r1, "
                 "%%r3;\nbar.red.and.pred %%p2, 0, !%%p1; bar.red.or.pred %%p3, 0, !%%p1;\n"
                 "selp.u32 %%r2, 4000, 0, %%p2; selp.u32 %%r3, 8000, 0, %%p3; add.u32 %%r9, %%r9, "
                 "%%r2; add.u32 %%r9, %%r9, %%r3; st.global.u32 [%%a], %%r9; ret; }\n",
                 KERNEL, least);
        run_block(text, 96, &ran);
        const uint32_t want = (96 - least) + (least == 0 ? 3000 : least == 48 ? 10000 : 12000);
        for (uint32_t i = 0; i < 96; i++)
            assert_int_equal(ran.word[i], want);
    }
}

/* Lanes that a mask leaves out keep the predicates that they had. */
static void predicates_are_each_lanes_own(void **state)
{
    static const char *const rows[] = {
        "setp.eq.u32 %p1, %t, 99;",
        "setp.ne.or.u32 %p1, %t, %t, %p3;",
        "and.pred %p1, %p1, %p3;",
        "not.pred %p1, %p1;",
        "mov.pred %p1, %p3;",
        "isspacep.shared %p1, %p0;",
        "testp.notanumber.f32 %p1, %f1;",
        "vote.sync.all.pred %p1, %p3, 0x55555555;",
        "match.all.sync.b32 %r3|%p1, %t, 0x55555555;",
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ran ran;
        char text[2000];
        snprintf(text, sizeof text,
                 "%smov.f32 %%f1, 0f3F800000; setp.eq.u32 %%p1, %%t, %%t; setp.ne.u32 %%p3, %%t, "
                 "%%t;\nand.b32 %%r1, %%t, 1; setp.eq.u32 %%p2, %%r1, 1; @%%p2 bra L; %s\n"
                 "L: selp.u32 %%r2, 1, 0, %%p1; st.global.u32 [%%a], %%r2; ret; }\n",
                 KERNEL, rows[i]);
        run_block(text, 32, &ran);
        for (uint32_t t = 0; t < 32; t++)
            if (ran.word[t] != t % 2)
                fail_msg("%s: %u in lane %u", rows[i], ran.word[t], t);
    }
}

static void bank_conflicts_are_counted(void **state)
{
    (void)state;
    struct ran ran;
    run_block(".version 8.0\n.target sm_90\n.shared .align 4 .b8 tile[4096];\n"
              ".visible .entry k(.param .u64 p)\n{ .reg .b32 %r<9>;\n"
              "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 7; mov.u32 %r3, tile;\n"
              "add.s32 %r3, %r3, %r2; st.shared.u32 [%r3], %r1; ret; }\n",
              32, &ran);
    assert_int_equal(ran.count[0].passes, 32);
    assert_int_equal(ran.count[0].conflicts, 31);
    assert_int_equal(ran.count[0].max_ways, 32);
}

/* Lanes that count one are combined before; of one address that all lanes share, one lane goes. */
static void atomic_operations_are_combined_as_by_nvcc(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t passes, loads;
    } rows[] = {
        {"atom.shared.add.u32 %r4, [%r3], 1;", 1, 0},
        {"atom.shared.add.u32 %r4, [%r3], %r1;", 8, 0},
        {"atom.shared.add.u32 %r4, [%r3], 1; st.global.u32 [%rd1], %r4;", 8, 0},
        {"atom.shared.add.u32 %r4, [tile], 1; st.global.u32 [%rd1], %r4;", 1, 0},
        {"atom.shared.add.u32 %r4, [tile], %r1; st.global.u32 [%rd1], %r4;", 1, 0},
        {"setp.eq.u32 %p1, %r1, 7; @!%p1 atom.shared.add.u32 %r4, [tile], %r1; st.global.u32 "
         "[%rd1], %r4;",
         31, 0},
        {"red.shared.max.u32 [tile], %r1;", 1, 0},
        {"atom.shared.exch.b32 %r4, [%r3], %r1;", 8, 0},
        /* Loops: in each turn all that are left load and swap, and of those that want a bank one succeeds. */
        {"red.shared.add.f32 [%r3], 0f3F800000;", 2 * 8, 8},
        {"red.shared.add.f32 [tile], 0f3F800000;", 2 * 32, 32},
        {"and.b32 %r2, %r1, 1; shl.b32 %r2, %r2, 7; mov.u32 %r3, tile; add.u32 %r3, %r3, %r2; "
         "red.shared.add.f32 [%r3], 0f3F800000;",
         2 * 32, 2 * 31 + 1},
        {"red.shared.add.f64 [tile], 0d3FF0000000000000;", 4 * 16 + 2 * 16, 32},
        {"red.shared.add.u64 [tile], 3;", 2, 1},
        {"red.shared.max.u64 [tile], -1;", 4, 2},
        {"red.shared.add.noftz.f16 [%r3], %h1;", 2 * (8 + 7 + 6 + 5 + 4 + 3 + 2 + 1), 1},
        {"cvta.shared.u64 %rd2, %rd2; cvt.u64.u32 %rd3, %r3; add.u64 %rd2, %rd2, %rd3; "
         "red.add.f32 [%rd2], 0f3F800000;",
         2 * 8, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ran ran;
        char text[1500] =
            ".version 8.0\n.target sm_90\n.shared .align 4 .b8 tile[512];\n"
            ".visible .entry k(.param .u64 p)\n{ .reg .b32 %r<9>; .reg .b64 %rd<4>;\n"
            ".reg .b16 %h<2>; .reg .pred %p<2>; mov.b16 %h1, 0x3c00; mov.u64 %rd2, 0;\n"
            "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 3;\n"
            "shl.b32 %r2, %r2, 2; mov.u32 %r3, tile; add.s32 %r3, %r3, %r2;\n";
        strcat(strcat(text, rows[i].text), " ret; }\n");
        run_block(text, 32, &ran);
        const bool generic =
            strstr(rows[i].text, "cvta"); /* its second number is of global memory */
        if (ran.count[0].passes != rows[i].passes ||
            (rows[i].loads && ran.count[1 + generic].passes != rows[i].loads))
            fail_msg("%s: %d passes, %d of loads", rows[i].text, (int)ran.count[0].passes,
                     (int)ran.count[1 + generic].passes);
    }
}

static void shuffles_and_votes_exchange_between_lanes(void **state)
{
    (void)state;
    struct ran ran;
    run_block(KERNEL "shfl.sync.down.b32 %r1|%p1, %t, 1, 31, -1;\n"
                     "selp.b32 %r2, 0, 1000, %p1; add.u32 %r1, %r1, %r2;\n"
                     "setp.lt.u32 %p2, %t, 5; vote.sync.ballot.b32 %r3, %p2, -1;\n"
                     "add.u32 %r1, %r1, %r3; redux.sync.max.u32 %r4, %t, -1;\n"
                     "add.u32 %r1, %r1, %r4; st.global.u32 [%a], %r1; ret; }\n",
              32, &ran);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(ran.word[i], (i < 31 ? i + 1 : 31 + 1000) + 31 + 31);
}

/* Lanes of a warp whose words follow one another, of which half lie before the array or behind it. */
static void lanes_beside_an_array_read_zeros_and_others_their_words(void **state)
{
    (void)state;
    struct ran ran;
    run_block(KERNEL "add.u32 %r1, %t, 1; st.global.u32 [%a], %r1; bar.sync 0;\n"
                     "ld.global.u32 %r2, [%a+-64]; st.global.u32 [%a+512], %r2; ret; }\n",
              32, &ran);
    assert_true(ran.findings > 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(ran.word[128 + i], i < 16 ? 0 : i - 15);
    run_block(KERNEL "add.u32 %r1, %t, 1; st.global.u32 [%a+896], %r1; bar.sync 0;\n"
                     "ld.global.u32 %r2, [%a+960]; st.global.u32 [%a], %r2; ret; }\n",
              32, &ran);
    assert_true(ran.findings > 0);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(ran.word[i], i < 16 ? i + 17 : 0);
}

static void lanes_wait_for_those_that_a_mask_names(void **state)
{
    (void)state;
    struct ran ran;
    run_block(KERNEL "setp.lt.u32 %p1, %t, 16; @%p1 bra LOW;\n"
                     "mul.lo.u32 %r1, %t, 2; bra MEET;\n"
                     "LOW: mul.lo.u32 %r1, %t, 3; bra MEET;\n"
                     "MEET: shfl.sync.bfly.b32 %r2, %r1, 16, 31, -1;\n"
                     "st.global.u32 [%a], %r2; ret; }\n",
              32, &ran);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(ran.word[i], i < 16 ? (i + 16) * 2 : (i - 16) * 3);
}

static void a_lock_within_a_warp_is_passed_on(void **state)
{
    (void)state;
    struct ran ran;
    run_block(KERNEL "TRY: atom.global.cas.b32 %r1, [%p0], 0, 1;\n"
                     "setp.ne.u32 %p1, %r1, 0; @%p1 bra TRY;\n"
                     "ld.volatile.global.u32 %r2, [%p0+4]; add.u32 %r2, %r2, %t;\n"
                     "st.volatile.global.u32 [%p0+4], %r2; membar.gl;\n"
                     "atom.global.exch.b32 %r3, [%p0], 0; ret; }\n",
              32, &ran);
    assert_int_equal(ran.word[1], 31 * 32 / 2);
}

static void functions_call_themselves(void **state)
{
    (void)state;
    struct ran ran;
    run_block(HEAD ".func (.param .b32 r) f(.param .b32 n)\n{ .reg .b32 %r<6>; .reg .pred %p;\n"
                   "ld.param.u32 %r1, [n]; mov.u32 %r2, 1; setp.le.u32 %p, %r1, 1; @%p bra D;\n"
                   "add.u32 %r3, %r1, -1;\n"
                   "{ .param .b32 a; st.param.b32 [a], %r3; .param .b32 b;\n"
                   "call.uni (b), f, (a); ld.param.b32 %r4, [b]; }\n"
                   "mul.lo.u32 %r2, %r1, %r4;\n"
                   "D: st.param.b32 [r], %r2; ret; }\n"
                   ".visible .entry k(.param .u64 p)\n{ .reg .b32 %r<6>; .reg .b64 %rd<3>;\n"
                   "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [p];\n"
                   "{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 b;\n"
                   "call.uni (b), f, (a); ld.param.b32 %r2, [b]; }\n"
                   "mad.wide.u32 %rd2, %r1, 4, %rd1; st.global.u32 [%rd2], %r2; ret; }\n",
              8, &ran);
    static const uint32_t factorial[] = {1, 1, 2, 6, 24, 120, 720, 5040};
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(ran.word[i], factorial[i]);
}

/* By clang, two arms store to one address: machine code stores once behind them, what either has. */
static void arms_store_once(void **state)
{
    (void)state;
    struct ran ran;
    run_block("// Generated by LLVM NVPTX Back-End\n" KERNEL
              ".shared .align 4 .b8 tile[128];\nmov.u32 %r1, tile; mad.lo.u32 %r1, %t, 4, %r1;\n"
              "and.b32 %r2, %t, 1; setp.eq.u32 %p1, %r2, 1; add.u32 %r3, %t, 100; @%p1 bra A;\n"
              "st.shared.u32 [%r1], %r3; bra B;\nA: st.shared.u32 [%r1], 7;\n"
              "B: bar.sync 0; ld.shared.u32 %r4, [%r1]; st.global.u32 [%a], %r4; ret; }\n",
              32, &ran);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(ran.word[i], i % 2 ? 7 : i + 100);
    assert_int_equal(ran.count[0].instructions, 1);
}

static void a_table_leads_lanes_apart(void **state)
{
    (void)state;
    struct ran ran;
    run_block(KERNEL "T: .branchtargets A, B, C, A;\nand.b32 %r1, %t, 3; brx.idx %r1, T;\n"
                     "B: mov.u32 %r2, 20; bra D;\nA: mov.u32 %r2, 10; bra D;\nC: mov.u32 %r2, 30;\n"
                     "D: activemask.b32 %r3; popc.b32 %r3, %r3; add.u32 %r2, %r2, %r3;\n"
                     "st.global.u32 [%a], %r2; ret; }\n",
              32, &ran);
    static const uint32_t want[] = {10, 20, 30, 10};
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(ran.word[i], want[i % 4] + 32);
}

/* In a function within a function, half of the lanes end; the others return, and call again. */
static void lanes_may_end_in_a_function(void **state)
{
    (void)state;
    struct ran ran;
    run_block(HEAD ".func (.param .b32 r) g(.param .b32 n)\n{ .reg .b32 %r<6>; .reg .pred %p<3>;\n"
                   "ld.param.u32 %r1, [n]; and.b32 %r2, %r1, 1; setp.ne.u32 %p1, %r2, 0;\n"
                   "@%p1 exit; add.u32 %r1, %r1, 100; st.param.b32 [r], %r1; ret; }\n"
                   ".func (.param .b32 r) f(.param .b32 n)\n{ .reg .b32 %r<6>; .local .b32 own;\n"
                   "ld.param.u32 %r1, [n]; st.local.b32 [own], %r1;\n"
                   "{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 b;\n"
                   "call.uni (b), g, (a); ld.param.b32 %r2, [b]; }\n"
                   "ld.local.b32 %r3, [own]; add.u32 %r2, %r2, %r3; st.param.b32 [r], %r2; ret; }\n"
                   ".visible .entry k(.param .u64 p)\n{ .reg .b32 %r<6>; .reg .b64 %rd<3>;\n"
                   "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [p]; mad.wide.u32 %rd2, %r1, 4, %rd1;\n"
                   "{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 b;\n"
                   "call.uni (b), f, (a); ld.param.b32 %r2, [b]; }\n"
                   "{ .param .b32 a; st.param.b32 [a], %r2; .param .b32 b;\n"
                   "call.uni (b), f, (a); ld.param.b32 %r3, [b]; }\n"
                   "st.global.u32 [%rd2], %r3; ret; }\n",
              32, &ran);
    for (uint32_t i = 0; i < 32; i++) /* f(n) is 2 n + 100 */
        assert_int_equal(ran.word[i], i % 2 ? 0 : 2 * (2 * i + 100) + 100);
}

/* Some lanes call one by its address, the others another. */
static void functions_are_called_by_their_address(void **state)
{
    (void)state;
    struct ran ran;
    run_block(HEAD ".func (.param .b32 r) f(.param .b32 a, .param .b64 b)\n{ .reg .b32 %r<6>;\n"
                   "ld.param.u32 %r1, [a]; add.u32 %r1, %r1, 100; st.param.b32 [r], %r1; ret; }\n"
                   ".func (.param .b32 r) g(.param .b32 a, .param .b64 b)\n{ .reg .b32 %r<6>;\n"
                   "ld.param.u32 %r1, [b+4]; st.param.b32 [r], %r1; ret; }\n"
                   ".visible .entry k(.param .u64 p)\n{ .reg .b32 %r<6>; .reg .b64 %rd<6>;\n"
                   ".reg .pred %p<3>; .reg .b32 %t; .reg .b64 %u;\n"
                   "mov.u32 %t, %tid.x; ld.param.u64 %rd1, [p]; mad.wide.u32 %rd2, %t, 4, %rd1;\n"
                   "cvt.u64.u32 %u, %t; shl.b64 %u, %u, 33; setp.lt.u32 %p1, %t, 3;\n"
                   "mov.u64 %rd3, f; mov.u64 %rd4, g; selp.b64 %rd3, %rd3, %rd4, %p1;\n"
                   "{ .param .b32 a; st.param.b32 [a], %t; .param .b64 b; st.param.b64 [b], %u;\n"
                   ".param .b32 r; P: .callprototype (.param .b32 _) _ (.param .b32 _, .param "
                   ".b64 _) ;\n"
                   "call (r), %rd3, (a, b), P; ld.param.b32 %r2, [r]; }\n"
                   "st.global.u32 [%rd2], %r2; ret; }\n",
              8, &ran);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(ran.word[i], i < 3 ? i + 100 : 2 * i);
}

/* Each special register in each thread of a block in the middle of a grid, as 32 bits, as 64, and for some lanes only. */
static void special_registers_say_where_a_thread_is(void **state)
{
    static const char *const names[] = {
        "%laneid",  "%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge", "%lanemask_gt",
        "%tid.x",   "%tid.y",       "%tid.z",       "%ntid.x",      "%ntid.y",      "%ntid.z",
        "%ctaid.x", "%ctaid.y",     "%ctaid.z",     "%nctaid.x",    "%nctaid.y",    "%nctaid.z",
        "%warpid",  "%nwarpid",     "WARP_SZ",      "%pm0",         "%pm7_64"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int way = 0; way < 3; way++) {
            static const char *const ways[] = {
                "mov.u32 %%r9, %s;\n", "mov.u64 %%rd9, %s; cvt.u32.u64 %%r9, %%rd9;\n",
                "and.b32 %%r8, %%r1, 1; setp.eq.u32 %%p1, %%r8, 0; @%%p1 mov.u32 %%r9, %s;\n"};
            struct ran ran = {.error = {""}};
            char text[2000], mov[200];
            const struct machine_launch launch = {.grid = {3, 4, 2}, .block = {8, 6, 2}};
            snprintf(mov, sizeof mov, ways[way], names[i]);
            snprintf(text, sizeof text,
                     "%smov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%tid.y; mad.lo.u32 %%r1, %%r2, 8, "
                     "%%r1;\nmov.u32 %%r2, %%tid.z; mad.lo.u32 %%r1, %%r2, 48, %%r1;\n"
                     "mov.u32 %%r9, 12345; %s mad.wide.u32 %%a, %%r1, 4, %%p0;\n"
                     "mov.u32 %%r3, %%ctaid.x; mov.u32 %%r4, %%ctaid.y; mov.u32 %%r5, %%ctaid.z;\n"
                     "mad.lo.u32 %%r3, %%r4, 10, %%r3; mad.lo.u32 %%r3, %%r5, 100, %%r3;\n"
                     "setp.eq.u32 %%p2, %%r3, 132; @%%p2 st.global.u32 [%%a], %%r9; ret; }\n",
                     KERNEL, mov);
            run_launch(text, launch, &ran);
            if (!ran.outcome.good)
                fail_msg("%s: %s%s", mov, ran.error.text, ran.fault);
            for (uint32_t t = 0; t < 96; t++) {
                const uint32_t lane = t % 32, bit = UINT32_C(1) << lane, below = bit - 1;
                const uint32_t want[] = {
                    lane,   bit,       below | bit, below, ~below, ~(below | bit),
                    t % 8,  t / 8 % 6, t / 48,      8,     6,      2,
                    2,      3,         1,           3,     4,      2,
                    t / 32, 3,         32,          0,     0};
                if (ran.word[t] != (way == 2 && t % 2 ? 12345 : want[i]))
                    fail_msg("%s in thread %u is %u", mov, t, ran.word[t]);
            }
        }
}

static void local_memory_is_each_lanes_own(void **state)
{
    (void)state;
    struct ran ran;
    run_block(KERNEL ".local .align 8 .b8 depot[16]; .reg .b64 %l;\n"
                     "mov.b64 %l, depot; cvta.local.u64 %rd1, %l;\n"
                     "st.local.u32 [%l+4], %t; ld.u32 %r1, [%rd1+4]; add.u32 %r1, %r1, 7;\n"
                     "st.u32 [%rd1], %r1; ld.local.u32 %r2, [%l];\n"
                     "st.global.u32 [%a], %r2; ret; }\n",
              33, &ran);
    for (uint32_t i = 0; i < 33; i++)
        assert_int_equal(ran.word[i], i + 7);
}

static void printf_prints_what_a_lane_says(void **state)
{
    (void)state;
    struct ran ran;
    run_block(HEAD ".global .align 1 .b8 text[12] = {37,100,58,37,46,49,102,59,0};\n"
                   ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
                   ".visible .entry k(.param .u64 p)\n{ .local .align 8 .b8 depot[16];\n"
                   ".reg .b64 %rd<7>; .reg .b32 %r<3>; .reg .f64 %fd;\n"
                   "mov.b64 %rd1, depot; cvta.local.u64 %rd2, %rd1; mov.u32 %r1, %tid.x;\n"
                   "st.local.u32 [%rd1], %r1; mov.f64 %fd, 0d3FF8000000000000;\n"
                   "st.local.f64 [%rd1+8], %fd; mov.u64 %rd3, text; cvta.global.u64 %rd4, %rd3;\n"
                   "{ .param .b64 a; st.param.b64 [a], %rd4; .param .b64 b;\n"
                   "st.param.b64 [b], %rd2; .param .b32 r;\n"
                   "call.uni (r), vprintf, (a, b); ld.param.b32 %r2, [r]; }\n"
                   "ld.param.u64 %rd5, [p]; mad.wide.u32 %rd6, %r1, 4, %rd5;\n"
                   "st.global.u32 [%rd6], %r2; ret; }\n",
              3, &ran);
    assert_string_equal(ran.printed, "0:1.5;1:1.5;2:1.5;");
    for (int i = 0; i < 3; i++)
        assert_int_equal(ran.word[i], 2); /* arguments */
}

static void printf_has_conversions(void **state)
{
    struct ran ran;
    (void)state;
    run_block(HEAD
              ".global .align 1 .b8 word[4] = {97,98,99,0};\n"
              ".global .align 1 .b8 text[40] = {91,37,115,93,37,45,53,115,124,37,53,115,124,37,"
              "108,108,120,37,37,0};\n" /* [%s]%-5s|%5s|%llx%% */
              ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
              ".visible .entry k(.param .u64 p)\n{ .local .align 8 .b8 depot[32];\n"
              ".reg .b64 %rd<7>; mov.b64 %rd1, depot; cvta.local.u64 %rd2, %rd1;\n"
              "mov.u64 %rd3, word; cvta.global.u64 %rd3, %rd3; st.local.u64 [depot], %rd3;\n"
              "st.local.u64 [depot+8], %rd3; st.local.u64 [depot+16], %rd3;\n"
              "mov.u64 %rd4, 0x123456789a; st.local.u64 [depot+24], %rd4;\n"
              "mov.u64 %rd3, text; cvta.global.u64 %rd4, %rd3;\n"
              "{ .param .b64 a; st.param.b64 [a], %rd4; .param .b64 b;\n"
              "st.param.b64 [b], %rd2; .param .b32 r;\n"
              "call.uni (r), vprintf, (a, b); }\n ret; }\n",
              1, &ran);
    assert_string_equal(ran.printed, "[abc]abc  |  abc|123456789a%");
}

static void carries_and_bits(void **state)
{
    (void)state;
    struct ran ran;
    run_block(KERNEL
              "add.cc.u32 %r1, -1, %t; addc.u32 %r2, 0, 0; shl.b32 %r3, %t, 40;\n"
              "bfe.s32 %r4, 0x00000f00, 8, 4; prmt.b32 %r5, 0x03020100, 0x07060504, 0x7531;\n"
              "lop3.b32 %r6, %t, 0xff, 0x0f, 0x40; clz.b32 %r7, 0;\n"
              "add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r7;\n"
              "st.global.u32 [%a], %r2; st.global.u32 [%p0+1020], %r5; ret; }\n",
              2, &ran);
    assert_int_equal(ran.word[0], 0 - 1 + 32);
    assert_int_equal(ran.word[1], 1 - 1 + 32);
    assert_int_equal(ran.word[255], 0x07050301);
}

/* The shared memory that the system keeps for groups of threads is none of the kernel's. */
/* Sums of parts are added up, or stay in their places. */
static void parts_are_added(void **state)
{
    static const struct {
        const char *instruction;
        uint32_t value;
    } rows[] = {
        {"vadd4.u32.u32.u32.add %r3, %r1, %r2, 1000;", 1000 + 2 + 4 + 6 + 8},
        {"vadd4.u32.u32.u32 %r3, %r1, %r2, 0;", 0x02040608},
        {"vsub4.s32.s32.s32.add %r3, %r1, %r4, 1000;", 1000 + 2 + 3 + 4 + 5},
        {"vadd2.u32.u32.u32.add %r3, %r1, %r2, 1;", 1 + 0x0204 + 0x0608},
        {"vabsdiff4.u32.u32.u32.add %r3, %r1, %r5, 7;", 7 + 3 + 1 + 1 + 3},
        {"vset4.u32.u32.ge.add %r3, %r1, %r5, 7;", 9},
        {"vset4.u32.u32.ge %r3, %r1, %r5, 0;", 0x00000101},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ran ran;
        char text[2000];
        snprintf(text, sizeof text,
                 "%smov.u32 %%r1, 0x01020304; mov.u32 %%r2, 0x01020304; mov.u32 %%r4, 0xffffffff; "
                 "mov.u32 %%r5, 0x04030201; %s st.global.u32 [%%a], %%r3; ret; }\n",
                 KERNEL, rows[i].instruction);
        run_block(text, 1, &ran);
        if (ran.word[0] != rows[i].value)
            fail_msg("%s: %#x", rows[i].instruction, ran.word[0]);
    }
}

static void the_systems_shared_memory_lies_apart(void **state)
{
    (void)state;
    struct ran ran;
    run_block(KERNEL ".shared .align 4 .b32 mine;\nmov.u32 %r1, %reserved_smem_offset_1;\n"
                     "mov.u32 %r2, 7; st.shared.u32 [mine], %r2; st.shared.u32 [%r1], %t;\n"
                     "st.shared.u32 [%r1+1020], %t; ld.shared.u32 %r3, [mine];\n"
                     "mov.u32 %r4, %total_smem_size; rem.u32 %r5, %r1, 128;\n"
                     "mad.lo.u32 %r3, %r3, 100, %r4; add.u32 %r3, %r3, %r5;\n"
                     "st.global.u32 [%a], %r3; ret; }\n",
              1, &ran);
    assert_int_equal(ran.word[0], 700 + 16); /* the kernel has 16 bytes, with padding */
}

/* What ends a launch, with its words. */
static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum machine_fault_kind kind;
        const char *message;
    } rows[] = {
        {KERNEL "st.global.u32 [%a+1024], %t; ret; }", MACHINE_FAULT_ADDRESS, "byte 1024"},
        {KERNEL "st.global.u32 [0], %t; ret; }", MACHINE_FAULT_ADDRESS, "null pointer"},
        {KERNEL "st.global.u32 [%a+2], %t; ret; }", MACHINE_FAULT_ALIGNMENT, "multiple of 4"},
        {KERNEL "st.shared.u32 [%r1], %t; ret; }", MACHINE_FAULT_ADDRESS, "shared memory"},
        {KERNEL "trap; }", MACHINE_FAULT_TRAP, "trapped"},
        {KERNEL "bar.sync 0, 64; ret; }", MACHINE_FAULT_INSTRUCTION, "64 threads"},
        {KERNEL "setp.eq.u32 %p1, %t, 0; @%p1 bar.sync 1, 32; ret; }", MACHINE_FAULT_BARRIER,
         "deadlock"},
        {KERNEL "LOOP: bra LOOP; }", MACHINE_FAULT_LIMIT, "did not end"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ran ran = {.error = {""}};
        const struct machine_launch launch = {
            .grid = {1, 1, 1}, .block = {32, 1, 1}, .instruction_limit = 100000};
        run_launch(rows[i].text, launch, &ran);
        if (ran.outcome.good || ran.outcome.fault.kind != rows[i].kind ||
            !strstr(ran.fault, rows[i].message))
            fail_msg("%s: %s%s", rows[i].text, ran.fault, ran.error.text);
    }
}

static void what_cannot_be_decoded_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        {KERNEL "frob.u32 %r1, %r2; ret; }", "frob.u32"},
        {KERNEL "add.u99 %r1, %r2, %r3; ret; }", "add.u99"},
        {KERNEL "add.u32 %r1, %r2; ret; }", "missing"},
        {KERNEL "add.u32 %r1, %r2, %rd1, %r4; ret; }", "too many"},
        {KERNEL "ld.global.u32 %h1, [%p0]; ret; }", "a register is too small"},
        {KERNEL "st.global.v2.u32 [%p0], {%r1, %rd1}; ret; }", "a register of another size"},
        {KERNEL ".reg .b128 %q<5>; ld.global.v4.b128 {%q1, %q2, %q3, %q4}, [%p0]; ret; }",
         "a vector of another length"},
        {KERNEL ".reg .b128 %q<3>; atom.global.add.b128 %q1, [%p0], %q2; ret; }",
         "atom.global.add"},
        {KERNEL "brx.idx %r1, T; ret; }", "no such table of labels"},
        {KERNEL "T: .branchtargets L; brx.idx %r1; L: ret; }", "an index and a table"},
        {KERNEL "call f, (); ret; }", "function"},
        {HEAD ".entry k(.param .u64 p) { .reg .f32 %f<6>; tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, "
              "[p, {%f5}]; ret; }",
         "another number of coordinates is expected"},
        {HEAD ".entry k(.param .u64 p) { .reg .f32 %f<6>; .reg .b32 %r<3>; tex.a2d.v4.f32.f32 "
              "{%f1, %f2, %f3, %f4}, [p, {%r1, %f5}]; ret; }",
         "another number of coordinates is expected"},
        {HEAD ".extern .func g(); .entry k(.param .u64 p) { call g; ret; }", "nowhere defined"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ran ran = {.error = {""}};
        const struct machine_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
        run_launch(rows[i].text, launch, &ran);
        if (!strstr(ran.error.text, rows[i].message))
            fail_msg("%s: %s", rows[i].text, ran.error.text);
    }
}

static void warps_have_any_size(void **state)
{
    (void)state;
    for (int size = 1; size <= 64; size += 7) {
        struct ran ran = {.error = {""}};
        const struct machine_launch launch = {
            .grid = {1, 1, 1}, .block = {100, 1, 1}, .warp = size};
        run_launch(KERNEL "mov.u32 %r1, %laneid; add.u32 %r1, %r1, %t;\n"
                          "setp.gt.u32 %p1, %t, 50; @%p1 add.u32 %r1, %r1, 1000;\n"
                          "st.global.u32 [%a], %r1; ret; }\n",
                   launch, &ran);
        assert_true(ran.outcome.good);
        for (uint32_t i = 0; i < 100; i++)
            assert_int_equal(ran.word[i], i + i % (uint32_t)size + (i > 50 ? 1000 : 0));
    }
}

static void sized(const char *text, int size, struct ran *ran)
{
    const struct machine_launch launch = {.grid = {1, 1, 1}, .block = {100, 1, 1}, .warp = size};
    memset(ran, 0, sizeof *ran);
    run_launch(text, launch, ran);
}

/* In a warp of 12, lane 11 has no neighbour above it. */
static void lanes_of_a_small_warp_exchange(void **state)
{
    (void)state;
    struct ran ran;
    sized(KERNEL "shfl.sync.down.b32 %r1|%p1, %t, 1, 31, -1; selp.b32 %r2, 0, 1000, %p1;\n"
                 "mov.u32 %r3, WARP_SZ; mul.lo.u32 %r3, %r3, 10000; add.u32 %r1, %r1, %r2;\n"
                 "add.u32 %r1, %r1, %r3; st.global.u32 [%a], %r1; ret; }\n",
          12, &ran);
    assert_true(ran.outcome.good);
    for (uint32_t i = 0; i < 100; i++) {
        const bool last = i % 12 == 11 || i == 99;
        if (i == 99) /* its neighbour is a lane that no thread has */
            continue;
        assert_int_equal(ran.word[i], 120000 + (last ? i + 1000 : i + 1));
    }
}

static void what_needs_32_lanes_is_named(void **state)
{
    (void)state;
    static const struct {
        int size;
        const char *text, *fault;
    } rows[] = {
        {12, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];",
         "ldmatrix.sync.aligned.m8n8.x1.shared.b16 is defined for warps of 32 lanes: this warp has "
         "12"},
        {33, "shfl.sync.idx.b32 %r1, %t, 0, 31, -1;",
         "shfl.sync.idx.b32 has a mask of 32 bits for lanes: this warp has 33"},
        {64, "setp.eq.u32 %p1, %t, 0; @%p1 bra L; vote.sync.ballot.b32 %r1, %p1, -1; L:",
         "vote.sync.ballot.b32 has a mask of 32 bits for lanes: this warp has 64"},
        {64, "activemask.b32 %r1;",
         "activemask.b32 has a mask of 32 bits for lanes: this warp has 64"},
        {64, "bar.warp.sync -1;",
         "bar.warp.sync has a mask of 32 bits for lanes: this warp has 64"},
        {48, "mov.u32 %r1, %lanemask_lt;",
         "mov.u32 has a mask of 32 bits for lanes: this warp has 48"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ran ran;
        char text[2000] = KERNEL;
        strcat(strcat(text, rows[i].text), " ret; }\n");
        sized(text, rows[i].size, &ran);
        assert_false(ran.outcome.good);
        assert_string_equal(ran.fault, rows[i].fault);
    }
}

static void arithmetic_for_32_lanes_gets_a_note(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int size, notes;
    } rows[] = {
        {"and.b32 %r1, %t, 31;", 12, 1},
        {"and.b32 %r1, %t, 31;", 32, 0},
        {"and.b32 %r1, %t, 15;", 12, 0},
        {"shr.u32 %r1, %t, 5;", 16, 1},
        {"mov.u32 %r2, %laneid; add.s32 %r2, %r2, 7; setp.lt.s32 %p1, %r2, 32;", 64, 1},
        {"ld.global.u32 %r2, [%p0]; and.b32 %r1, %r2, 31;", 12, 0},
        {"mul.lo.u32 %r1, %t, 32; shl.b32 %r2, %t, 5;", 12, 0},
        {"and.b32 %r1, %t, -32; rem.u32 %r2, %t, 32; div.u32 %r3, %t, 32;", 12, 1},
        {".file 1 \"a.cu\"\n.loc 1 5 1\nand.b32 %r1, %t, -32;\n.loc 1 6 1\nrem.u32 %r2, %t, 32;",
         12, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ran ran;
        char text[2000] = KERNEL;
        strcat(strcat(text, rows[i].text), " ret; }\n");
        sized(text, rows[i].size, &ran);
        assert_true(ran.outcome.good);
        if (ran.findings != rows[i].notes)
            fail_msg("%s: %d notes: %s", rows[i].text, ran.findings, ran.found);
        if (rows[i].notes)
            assert_non_null(strstr(ran.found, "in arithmetic on numbers of threads"));
    }
}

static void blocks_wait_for_later_ones(void **state)
{
    (void)state;
    struct ran ran = {.error = {""}};
    const struct machine_launch launch = {.grid = {40, 1, 1}, .block = {1, 1, 1}};
    /* Each block waits until the one behind it has written; the last one waits for none. */
    run_launch(KERNEL "mov.u32 %r1, %ctaid.x; setp.eq.u32 %p1, %r1, 39;\n"
                      "mad.wide.u32 %rd1, %r1, 4, %p0; @%p1 bra GO;\n"
                      "SPIN: ld.volatile.global.u32 %r2, [%rd1+4];\n"
                      "setp.eq.u32 %p2, %r2, 0; @%p2 bra SPIN;\n"
                      "GO: mov.u32 %r3, 1; st.volatile.global.u32 [%rd1], %r3; ret; }\n",
               launch, &ran);
    assert_true(ran.outcome.good);
    assert_int_equal(ran.word[0], 1);
}

/* ---- warps that are followed ----------------------------------------------------------------- */

static bool follow_second(void *context, uint64_t block, uint32_t warp)
{
    (void)context;
    return block == 0 && warp == 1;
}

/* "add.u32 %r1, %r1, 1 | ffff | %r1 u32 = 5": lanes in hexadecimal, and what the first has in each register. */
static void note_executed(void *context, const struct machine_executed *executed)
{
    char *log = context;
    const size_t room = 8000;
    size_t at = strlen(log);
    snprintf(log + at, room - at, "%.*s | %llx |", executed->text_length, executed->text,
             (unsigned long long)executed->mask);
    for (int i = 0; i < executed->results; i++) {
        const struct machine_result *result = &executed->result[i];
        uint64_t value = 0;
        memcpy(&value, result->value + __builtin_ctzll(executed->mask) * result->bytes,
               (size_t)result->bytes);
        at = strlen(log);
        snprintf(log + at, room - at, " %s %s = %llu", result->name, result->type,
                 (unsigned long long)value);
    }
    at = strlen(log);
    snprintf(log + at, room - at, "\n");
}

/* What is told of the second warp of each block, with its results. */
static const char *follow_warp(const char *text)
{
    static char log[8000];
    const struct machine_text ptx = {text, strlen(text), "t.ptx"};
    const struct machine_observer observer = {
        .context = log, .follows = follow_second, .executed = note_executed};
    struct error error = {""};
    struct machine_outcome outcome;
    struct machine_memory *memory = machine_memory_new(&heap_allocator);
    const uint64_t parameter = 4096;
    struct machine_module *module = machine_load(memory, &ptx, 1, &error);
    assert_non_null(module);
    log[0] = '\0';
    const struct machine_launch launch = {.kernel = machine_kernel(module, "k"),
                                          .grid = {2, 1, 1},
                                          .block = {36, 1, 1},
                                          .parameters = &parameter,
                                          .observer = &observer};
    struct machine_run *run = machine_begin(&launch, &error);
    assert_non_null(run);
    machine_work(run);
    machine_end(run, &outcome);
    assert_true(outcome.good);
    machine_free_run(run);
    machine_unload(module);
    machine_memory_free(memory);
    return log;
}

static void a_warp_is_followed(void **state)
{
    (void)state;
    assert_string_equal(
        follow_warp(
            HEAD ".visible .entry k(.param .u64 p)\n{ .reg .pred %p<4>; .reg .b32 %r<9>, %own; "
                 ".reg .b64 %rd<3>;\nmov.u32 %r1, %laneid;\nsetp.lt.u32 %p1|%p2, %r1, 2;\n"
                 "@%p1 add.u32 %r1, %r1, 5;\n@%p2 bra L;\nmul.lo.s32 %own, %r1, 3;\nbra M;\n"
                 "L: sub.s32 %own, %r1, 7;\nM: ld.param.u64 %rd1, [p];\n"
                 "mov.b64 {%r2, %r3}, %rd2;\nnanosleep.u32 %r1;\n@%p3 mov.u32 %r1, 9;\nret; }\n"),
        "mov.u32 %r1, %laneid | f | %r1 u32 = 0\n"
        "setp.lt.u32 %p1|%p2, %r1, 2 | f | %p1 pred = 1 %p2 pred = 0\n"
        "@%p1 add.u32 %r1, %r1, 5 | 3 | %r1 u32 = 5\n"
        "@%p2 bra L | f |\n"
        "mul.lo.s32 %own, %r1, 3 | 3 | %own s32 = 15\n"
        "bra M | 3 |\n"
        "sub.s32 %own, %r1, 7 | c | %own s32 = 4294967291\n"
        "ld.param.u64 %rd1, [p] | f | %rd1 u64 = 4096\n"
        "mov.b64 {%r2, %r3}, %rd2 | f | %r2 b32 = 0 %r3 b32 = 0\n"
        "nanosleep.u32 %r1 | f |\n"
        "ret | f |\n");
}

/* Lanes that come to a shuffle first wait for the others, who go there by themselves. */
static void what_lanes_wait_with_is_told_once(void **state)
{
    (void)state;
    assert_string_equal(
        follow_warp(HEAD ".visible .entry k(.param .u64 p)\n{ .reg .pred %p<4>; .reg .b32 %r<9>;\n"
                         "mov.u32 %r1, %laneid;\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra L;\n"
                         "mov.u32 %r2, 5;\nshfl.sync.idx.b32 %r3, %r2, 3, 31, 12;\n"
                         "mov.u32 %r2, 6;\nL: shfl.sync.idx.b32 %r3, %r1, 3, 31, 15;\n"
                         "setp.lt.u32 %p2, %r1, 3;\n@%p2 bra M;\nmov.u32 %r2, 7;\nM: ret; }\n"),
        "mov.u32 %r1, %laneid | f | %r1 u32 = 0\n"
        "setp.lt.u32 %p1, %r1, 2 | f | %p1 pred = 1\n"
        "@%p1 bra L | f |\n"
        "mov.u32 %r2, 5 | c | %r2 u32 = 5\n"
        "shfl.sync.idx.b32 %r3, %r2, 3, 31, 12 | c | %r3 b32 = 5\n"
        "mov.u32 %r2, 6 | c | %r2 u32 = 6\n"
        "shfl.sync.idx.b32 %r3, %r1, 3, 31, 15 | f | %r3 b32 = 3\n"
        "setp.lt.u32 %p2, %r1, 3 | f | %p2 pred = 1\n"
        "@%p2 bra M | f |\n"
        "mov.u32 %r2, 7 | 8 | %r2 u32 = 7\n"
        "ret | f |\n");
}

/* Behind static variables, by the largest alignment that one asks for, and at least 16. */
static void dynamic_shared_memory_is_aligned(void **state)
{
    static const struct {
        const char *variables;
        uint32_t at;
    } rows[] = {
        {".extern .shared .align 128 .b8 more[];\n.extern .shared .align 32 .b8 dyn[];\n", 128},
        {".extern .shared .align 32 .b8 more[];\n.extern .shared .align 128 .b8 dyn[];\n", 128},
        {".extern .shared .align 4 .b8 more[];\n.extern .shared .align 8 .b8 dyn[];\n", 16},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ran ran;
        char text[2000];
        snprintf(text, sizeof text,
                 "%s%s.shared .align 4 .b8 first[4];\n%sst.shared.u32 [first], 1; mov.u32 %%r1, "
                 "more; mov.u32 %%r2, dyn; st.global.u32 [%%p0], %%r1; st.global.u32 [%%p0+4], "
                 "%%r2; ret; }\n",
                 HEAD, rows[i].variables, &KERNEL[sizeof HEAD - 1]);
        run_block(text, 1, &ran);
        assert_int_equal(ran.word[0], rows[i].at);
        assert_int_equal(ran.word[1], rows[i].at);
    }
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

static void note_phase(void *context, uint64_t block, uint32_t phase)
{
    struct ran *ran = context;
    (void)block;
    const size_t length = strlen(ran->printed);
    snprintf(ran->printed + length, sizeof ran->printed - length, " %u", phase);
}

/* Two warps meet twice before two others meet at another barrier: each in the phase that its warps are in then. */
static void phases_are_those_of_the_warps_that_meet(void **state)
{
    static struct ran ran;
    (void)state;
    memset(&ran, 0, sizeof ran);
    run_launch(
        KERNEL "mov.u32 %r1, 0; setp.lt.u32 %p1, %t, 64; @%p1 bra LATE;\n"
               "bar.sync 2, 64; bar.sync 2, 64; ret;\n"
               "LATE: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 100; @%p2 bra LATE;\n"
               "bar.sync 1, 64; ret; }\n",
        (struct machine_launch){.grid = {1, 1, 1},
                                .block = {128, 1, 1},
                                .observer = &(struct machine_observer){.wants = wants_each,
                                                                       .access = ignore_access,
                                                                       .barrier = note_phase}},
        &ran);
    if (!ran.outcome.good)
        fail_msg("%s%s", ran.error.text, ran.fault);
    assert_string_equal(ran.printed, " 1 2 1");
}

/* Of lanes that call by an address, those that call the same function go first, the others later. */
static void lanes_that_call_in_turn_are_told_in_turn(void **state)
{
    (void)state;
    const char *log =
        follow_warp(HEAD ".func f()\n{ .reg .b32 %x; mov.u32 %x, 1; ret; }\n"
                         ".func g()\n{ .reg .b32 %x; mov.u32 %x, 2; ret; }\n"
                         ".visible .entry k(.param .u64 p)\n{ .reg .pred %p<4>; .reg .b32 %r<9>; "
                         ".reg .b64 %a, %b;\nmov.u32 %r1, %laneid;\nsetp.lt.u32 %p1, %r1, 1;\n"
                         "mov.u64 %a, f;\nmov.u64 %b, g;\nselp.b64 %a, %a, %b, %p1;\n"
                         "P: .callprototype _ _ ;\ncall %a, P;\nret; }\n");
    assert_non_null(strstr(log, "call"));
    assert_string_equal(strstr(log, "call"),
                        "call %a, P | 1 |\nmov.u32 %x, 1 | 1 | %x u32 = 1\n"
                        "ret | 1 |\ncall %a, P | e |\n"
                        "mov.u32 %x, 2 | e | %x u32 = 2\nret | e |\nret | f |\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_part_and_meet_again),
        cmocka_unit_test(loops_of_different_lengths_end_together),
        cmocka_unit_test(barriers_hold_warps_until_all_have_come),
        cmocka_unit_test(barriers_ask_all_threads),
        cmocka_unit_test(predicates_are_each_lanes_own),
        cmocka_unit_test(bank_conflicts_are_counted),
        cmocka_unit_test(atomic_operations_are_combined_as_by_nvcc),
        cmocka_unit_test(shuffles_and_votes_exchange_between_lanes),
        cmocka_unit_test(lanes_beside_an_array_read_zeros_and_others_their_words),
        cmocka_unit_test(lanes_wait_for_those_that_a_mask_names),
        cmocka_unit_test(a_lock_within_a_warp_is_passed_on),
        cmocka_unit_test(functions_call_themselves),
        cmocka_unit_test(arms_store_once),
        cmocka_unit_test(a_table_leads_lanes_apart),
        cmocka_unit_test(lanes_may_end_in_a_function),
        cmocka_unit_test(functions_are_called_by_their_address),
        cmocka_unit_test(special_registers_say_where_a_thread_is),
        cmocka_unit_test(local_memory_is_each_lanes_own),
        cmocka_unit_test(printf_prints_what_a_lane_says),
        cmocka_unit_test(printf_has_conversions),
        cmocka_unit_test(carries_and_bits),
        cmocka_unit_test(parts_are_added),
        cmocka_unit_test(the_systems_shared_memory_lies_apart),
        cmocka_unit_test(dynamic_shared_memory_is_aligned),
        cmocka_unit_test(phases_are_those_of_the_warps_that_meet),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(what_cannot_be_decoded_is_named),
        cmocka_unit_test(warps_have_any_size),
        cmocka_unit_test(lanes_of_a_small_warp_exchange),
        cmocka_unit_test(what_needs_32_lanes_is_named),
        cmocka_unit_test(arithmetic_for_32_lanes_gets_a_note),
        cmocka_unit_test(blocks_wait_for_later_ones),
        cmocka_unit_test(a_warp_is_followed),
        cmocka_unit_test(what_lanes_wait_with_is_told_once),
        cmocka_unit_test(lanes_that_call_in_turn_are_told_in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
