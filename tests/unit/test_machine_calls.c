/* test_machine_calls.c - functions that a kernel calls: those of libdevice, which no PTX defines, what lanes leave behind
 * that end in one, and where a trap is told that has no line.
 */
#include "tests/support/run_ptx.h"

#include <stdio.h>

#define NORMS                                                                                      \
    HEAD ".extern .func (.param .b32 r) __nv_normf(.param .b32 n, .param .b64 p);\n"               \
         ".extern .func (.param .b64 r) __nv_rnorm(.param .b32 n, .param .b64 p);\n"               \
         ".extern .func (.param .b64 r) __nv_pow(.param .b64 a, .param .b64 b);\n"                 \
         ".visible .entry k(.param .u64 p)\n{ .local .align 8 .b8 of[8208];\n"                     \
         ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>;\n"                 \
         "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [p]; mad.wide.u32 %rd1, %r1, 4, %rd1;\n"         \
         "mov.u64 %rd2, of; cvta.local.u64 %rd3, %rd2; add.u32 %r2, %r1, 1;\n"

/* Of (4, 3 (t + 1)) in thread t, the first number alone counts where n is 1; results are in registers, or in a parameter
 * whose address the kernel takes, in local memory. */
static void functions_of_libdevice_get_what_pointers_lead_to(void **state)
{
    struct ran ran;
    (void)state;
    run_block(NORMS
              "mul.lo.u32 %r3, %r2, 3; cvt.rn.f32.u32 %f1, %r3; st.local.f32 [of], 0f40800000; "
              "st.local.f32 [of+4], %f1; and.b32 %r4, %r1, 1; add.u32 %r4, %r4, 1;\n"
              "{ .param .b32 n; .param .b64 a; .param .b32 r; st.param.b32 [n], %r4; "
              "st.param.b64 [a], %rd3; call.uni (r), __nv_normf, (n, a); "
              "ld.param.f32 %f2, [r]; }\n"
              "cvt.rni.u32.f32 %r5, %f2; st.global.u32 [%rd1], %r5; ret; }\n",
              4, &ran);
    static const uint32_t norms[] = {4, 7, 4, 13}; /* of 4; 4, 6; 4; 4, 12 */
    for (int i = 0; i < 4; i++)
        assert_int_equal(ran.word[i], norms[i]);
    run_block(NORMS
              "cvt.rn.f64.u32 %fd1, %r2; mul.f64 %fd2, %fd1, 0d4010000000000000; mul.f64 %fd1, "
              "%fd1, 0d4008000000000000; st.local.f64 [of], %fd1; st.local.f64 [of+8], %fd2;\n"
              "{ .param .b32 n; .param .b64 a; .param .b64 r; .reg .b64 %at; mov.b64 %at, r; "
              "st.param.b32 [n], 2; st.param.b64 [a], %rd3; call.uni (r), __nv_rnorm, (n, a); "
              "ld.param.f64 %fd3, [r]; }\n"
              "{ .param .b64 a; .param .b64 b; .param .b64 r; .reg .b64 %at; mov.b64 %at, b; "
              "mov.b64 %at, a; st.param.f64 [a], %fd3; st.param.f64 [b], 0dBFF0000000000000; "
              "call.uni (r), __nv_pow, (a, b); ld.param.f64 %fd4, [r]; }\n"
              "cvt.rni.u32.f64 %r5, %fd4; st.global.u32 [%rd1], %r5; ret; }\n",
              4, &ran);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(ran.word[i], 5 * (i + 1));
}

/* Of 1,024 numbers, each 1; of one more none is computed. */
static void norms_are_of_so_many_numbers(void **state)
{
    static const char text[] = NORMS
        "mov.u32 %r3, 0; mov.u64 %rd4, %rd2;\n{ .reg .pred %p;\n"
        "L: st.local.u32 [%rd4], 0x3f800000; add.u64 %rd4, %rd4, 4; add.u32 %r3, %r3, 1; "
        "setp.lt.u32 %p, %r3, 1025; @%p bra L; }\nmov.u32 %r4, %ntid.x; add.u32 %r4, %r4, 1023;\n"
        "{ .param .b32 n; .param .b64 a; .param .b32 r; st.param.b32 [n], %r4; "
        "st.param.b64 [a], %rd3; call.uni (r), __nv_normf, (n, a); ld.param.f32 %f2, [r]; }\n"
        "cvt.rni.u32.f32 %r5, %f2; st.global.u32 [%rd1], %r5; ret; }\n";
    struct machine_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    struct ran ran = {.error = {""}};
    (void)state;
    run_launch(text, launch, &ran);
    assert_true(ran.outcome.good);
    assert_int_equal(ran.word[0], 32);
    launch.block[0] = 2;
    run_launch(text, launch, &ran);
    assert_false(ran.outcome.good);
    assert_non_null(strstr(ran.fault, "a norm of over 1024 numbers"));
}

/* f(n) = n + f(n - 1), in which odd lanes end at n = 4: what they leave is not taken for the next call, as the others are
 * in it still. */
static void a_function_in_which_some_lanes_ended_goes_on(void **state)
{
    struct ran ran;
    (void)state;
    run_block(HEAD
              ".func (.param .b32 r) f(.param .b32 n)\n{ .reg .b32 %r<6>; .reg .pred %p<3>;\n"
              "ld.param.u32 %r1, [n]; mov.u32 %r2, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra DONE;\n"
              "mov.u32 %r3, %tid.x; and.b32 %r3, %r3, 1; add.u32 %r3, %r3, 3; "
              "setp.eq.u32 %p2, %r1, 4; @%p2 bra AT; bra ON;\n"
              "AT: setp.eq.u32 %p2, %r3, 4; @%p2 exit;\n"
              "ON: add.u32 %r3, %r1, -1;\n"
              "{ .param .b32 a; st.param.b32 [a], %r3; .param .b32 b;\n"
              "call.uni (b), f, (a); ld.param.b32 %r4, [b]; }\n"
              "add.u32 %r2, %r1, %r4;\nDONE: st.param.b32 [r], %r2; ret; }\n"
              ".visible .entry k(.param .u64 p)\n{ .reg .b32 %r<6>; .reg .b64 %rd<3>;\n"
              "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [p];\n"
              "{ .param .b32 a; st.param.b32 [a], 6; .param .b32 b;\n"
              "call.uni (b), f, (a); ld.param.b32 %r2, [b]; }\n"
              "mad.wide.u32 %rd2, %r1, 4, %rd1; st.global.u32 [%rd2], %r2; ret; }\n",
              8, &ran);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(ran.word[i], i % 2 ? 0 : 21);
}

/* Where a trap is told whose own place has no line. */
static void a_trap_without_a_line_is_told_where_it_comes_from(void **state)
{
    static const struct {
        const char *body;
        int line;
    } rows[] = {
        {".loc 1 5 1\nadd.u32 %r1, %r1, 1;\n.loc 1 0 0\ntrap; }", 5},
        {".loc 1 5 1\nadd.u32 %r1, %r1, 1;\n.loc 1 6 1\ntrap; }", 6},
        {".loc 1 0 0\ntrap; }", 0},
        {"call.uni f; ret; }\n.func f()\n{\n.loc 1 7 1\ntrap; }", 7}, /* a function's first */
        /* the first that has one, and the last before it */
        {".loc 1 5 1\nadd.u32 %r1, %r1, 1;\n.loc 1 6 1\nadd.u32 %r1, %r1, 1;\n"
         ".loc 1 0 0\nadd.u32 %r1, %r1, 2;\ntrap; }",
         6},
        /* the branch that leads there, rather than what is written before it or behind */
        {".loc 1 5 1\nsetp.lt.u32 %p1, %t, 99; @%p1 bra T;\n.loc 1 6 1\nadd.u32 %r1, %r1, 1; ret;\n"
         ".loc 1 0 0\nT: trap; }",
         5},
        {".loc 1 5 1\nadd.u32 %r1, %r1, 1; bra OVER;\n.loc 1 0 0\nT: trap;\n"
         ".loc 1 8 1\nOVER: add.u32 %r1, %r1, 1;\n.loc 1 9 1\nbra T; }",
         9},
        /* where a branch leads before that, what stands there */
        {".loc 1 5 1\nadd.u32 %r1, %r1, 1; setp.lt.u32 %p1, %t, 99; @%p1 bra L;\n"
         ".loc 1 6 1\nadd.u32 %r1, %r1, 1;\n.loc 1 7 1\nL: add.u32 %r1, %r1, 1;\n.loc 1 0 0\ntrap; "
         "}",
         7},
        {".loc 1 5 1\nadd.u32 %r1, %r1, 1; setp.lt.u32 %p1, %t, 99; @%p1 bra L;\n"
         ".loc 1 6 1\nadd.u32 %r1, %r1, 1; ret;\n.loc 1 0 0\nL: add.u32 %r1, %r1, 1; trap; }",
         5},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2000];
        struct ran ran = {.error = {""}};
        const struct machine_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
        snprintf(text, sizeof text, "%s.file 1 \"a.cu\"\n%s%s", HEAD, &KERNEL[sizeof HEAD - 1],
                 rows[i].body);
        run_launch(text, launch, &ran);
        if (ran.outcome.good || !strstr(ran.fault, "trapped") || ran.line != rows[i].line)
            fail_msg("%s\n%s%s: line %d, not %d", rows[i].body, ran.error.text, ran.fault, ran.line,
                     rows[i].line);
    }
}

/* The kernel's own first, each once, though its loop's turns are taken together. */
static void instructions_are_listed_in_the_order_of_the_text(void **state)
{
    static const char text[] =
        HEAD ".func f()\n{ .reg .b32 %r<3>;\n  mov.u32 %r1, 5;\n  ret;\n}\n"
             ".visible .entry k(.param .u64 p)\n{ .reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .pred "
             "%p<3>;\n  ld.param.u64 %rd1, [p];\n  mov.u32 %r1, 0;\n"
             "LOOP:\n  ld.global.u32 %r2, [%rd1];\n  add.u32 %r1, %r1, 1;\n"
             "  setp.lt.u32 %p1, %r1, %r3;\n  @%p1 bra LOOP;\n"
             "  call.uni f;\n  ret;\n}\n";
    static const char *const rows[] = {"ld.param.u64 %rd1, [p]",
                                       "mov.u32 %r1, 0",
                                       "LOOP: ld.global.u32 %r2, [%rd1]",
                                       "add.u32 %r1, %r1, 1",
                                       "setp.lt.u32 %p1, %r1, %r3",
                                       "@%p1 bra LOOP",
                                       "call.uni f",
                                       "ret",
                                       "mov.u32 %r1, 5",
                                       "ret"};
    const struct machine_text ptx = {text, strlen(text), "t.ptx"};
    (void)state;
    for (int together = 0; together < 2; together++) {
        struct error error = {""};
        struct machine_memory *memory = machine_memory_new(&heap_allocator);
        struct machine_module *written = machine_load(memory, &ptx, 1, &error);
        struct machine_module *module = machine_load(memory, &ptx, 1, &error);
        struct machine_loop loop;
        int count;
        assert_true(machine_kernel_decode(machine_kernel(written, "k"), &error));
        assert_true(machine_kernel_loop(machine_kernel(written, "k"), 0, &loop));
        if (together)
            assert_true(
                machine_unroll(module, loop.function, loop.function_length, loop.line, false));
        assert_true(machine_kernel_decode(machine_kernel(module, "k"), &error));
        const struct machine_instruction *row =
            machine_kernel_listing(machine_kernel(module, "k"), &count);
        assert_int_equal(count, sizeof rows / sizeof *rows);
        for (int i = 0; i < count; i++) {
            char got[200];
            snprintf(got, sizeof got, "%.*s%s%.*s", row[i].label_length,
                     row[i].label ? row[i].label : "", row[i].label ? " " : "", row[i].text_length,
                     row[i].text);
            assert_string_equal(got, rows[i]);
            assert_int_equal(row[i].function_length, 1);
            assert_int_equal(*row[i].function, i < 8 ? 'k' : 'f');
        }
        machine_unload(module);
        machine_unload(written);
        machine_memory_free(memory);
    }
}

/* f(n) has a local variable, and memory of n words by alloca, of which each lane has another number; it calls itself n times
 * and sums what is in both after that: i in word i, n - i in the variable. */
#define SUMS                                                                                       \
    HEAD ".visible .func (.param .b32 r) f(.param .b32 n)\n{ .local .align 4 .b8 own[4];\n"        \
         ".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p;\n"                                     \
         "ld.param.u32 %r1, [n]; mul.wide.u32 %rd1, %r1, 4; alloca.u64 %rd2, %rd1, 64;\n"          \
         "st.local.u32 [own], %r1; mov.u32 %r2, 0; mov.u64 %rd3, %rd2; mov.u32 %r4, 0;\n"          \
         "setp.eq.u32 %p, %r1, 0; @%p bra END;\n"                                                  \
         "WRITE: cvta.local.u64 %rd4, %rd3; st.u32 [%rd4], %r2; add.u64 %rd3, %rd3, 4;\n"          \
         "add.u32 %r2, %r2, 1; setp.lt.u32 %p, %r2, %r1; @%p bra WRITE;\n"                         \
         "{ .param .b32 a; .param .b32 b; sub.u32 %r3, %r1, 1; st.param.b32 [a], %r3;\n"           \
         "call.uni (b), f, (a); ld.param.b32 %r4, [b]; }\n"                                        \
         "READ: sub.u64 %rd3, %rd3, 4; ld.local.u32 %r5, [%rd3]; add.u32 %r4, %r4, %r5;\n"         \
         "setp.gt.u64 %p, %rd3, %rd2; @%p bra READ;\n"                                             \
         "END: ld.local.u32 %r5, [own]; mad.lo.u32 %r4, %r5, 100, %r4;\n"                          \
         "and.b64 %rd5, %rd2, 63; cvt.u32.u64 %r6, %rd5; add.u32 %r4, %r4, %r6;\n"                 \
         "st.param.b32 [r], %r4; ret; }\n"
static void memory_of_the_stack_is_each_calls_own(void **state)
{
    struct ran ran;
    (void)state;
    run_block(SUMS ".visible .entry k(.param .u64 p)\n{ .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
                   "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [p]; mad.wide.u32 %rd1, %r1, 4, %rd1;\n"
                   "rem.u32 %r2, %r1, 5;\n"
                   "{ .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), f, (a);\n"
                   "ld.param.b32 %r3, [b]; } st.global.u32 [%rd1], %r3; ret; }\n",
              40, &ran);
    for (uint32_t t = 0; t < 40; t++) {
        uint32_t want = 0;
        for (uint32_t n = t % 5; n > 0; n--)
            want += n * (n - 1) / 2 + 100 * n;
        assert_int_equal(ran.word[t], want);
    }
}

/* What is done n times: the stack is saved, so many bytes taken and written, and what %r8 says of it given back. */
#define TURNS(give, more)                                                                          \
    KERNEL ".reg .b64 %save, %new, %size, %old; .reg .pred %again; mov.u32 %r2, 0; mov.u64 %old, " \
           "0;\n"                                                                                  \
           "mad.wide.u32 %size, %t, 8, 96;\n"                                                      \
           "L: stacksave.u64 %save; alloca.u64 %new, %size; add.u64 %size, %size, 0;\n"            \
           "st.local.u64 [%new], %size; ld.local.u64 %old, [%new];\n" give                         \
           "add.u32 %r2, %r2, 1; setp.lt.u32 %again, %r2, 100; @%again bra L;\n" more              \
           "cvt.u32.u64 %r3, %old; mad.wide.u32 %a, %t, 4, %p0; st.global.u32 [%a], %r3; ret; }\n"
/* The same with addresses of local memory in 32 bits. */
#define TURNS_32(give)                                                                             \
    KERNEL ".reg .b32 %save, %new, %size, %old; .reg .pred %again; mov.u32 %r2, 0;\n"              \
           "mad.lo.u32 %size, %t, 8, 96;\n"                                                        \
           "L: stacksave.u32 %save; alloca.u32 %new, %size, 64; st.local.u32 [%new], %size;\n"     \
           "ld.local.u32 %old, [%new]; and.b32 %new, %new, 63; add.u32 %old, %old, %new;\n" give   \
           "add.u32 %r2, %r2, 1; setp.lt.u32 %again, %r2, 100; @%again bra L;\n"                   \
           "st.global.u32 [%a], %old; ret; }\n"
static void the_stack_is_given_back(void **state)
{
    static const struct {
        const char *text, *fault;
    } wrong[] = {
        {TURNS("", ""),
         "alloca of 96 bytes, behind 960 that are in use, and a thread has 1024 bytes of "
         "stack: cudaDeviceSetLimit(cudaLimitStackSize, BYTES) gives it more"},
        {TURNS("stackrestore.u64 %save;\n", "ld.local.u64 %old, [%new];\n"),
         "a load of 8 bytes at byte 0 of local memory, outside of all local variables"},
        {TURNS("stackrestore.u64 %save;\n", "add.u64 %save, %save, 8; stackrestore.u64 %save;\n"),
         "stackrestore of what no stacksave of the function gave"},
        {TURNS_32(""),
         "alloca of 96 bytes, behind 992 that are in use, and a thread has 1024 bytes of stack"},
        {TURNS_32("sub.u32 %save, %save, 1; stackrestore.u32 %save;\n"),
         "stackrestore of what no stacksave of the function gave"},
        {TURNS("alloca.u64 %new, %size, 24;\n", ""),
         "an alignment of 24 bytes, which is no power of two up to 2^23"},
    };
    struct ran ran;
    (void)state;
    run_block(TURNS("stackrestore.u64 %save;\n", ""), 40, &ran);
    assert_true(ran.outcome.good);
    for (uint32_t t = 0; t < 40; t++)
        assert_int_equal(ran.word[t], 96 + 8 * t);
    run_block(TURNS_32("stackrestore.u32 %save;\n"), 40, &ran);
    for (uint32_t t = 0; t < 40; t++)
        assert_int_equal(ran.word[t], 96 + 8 * t);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct machine_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
        run_launch(wrong[i].text, launch, &ran);
        if (ran.outcome.good || !strstr(ran.fault, wrong[i].fault))
            fail_msg("%d: %s%s", (int)i, ran.error.text, ran.fault);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_the_stack_is_each_calls_own),
        cmocka_unit_test(the_stack_is_given_back),
        cmocka_unit_test(functions_of_libdevice_get_what_pointers_lead_to),
        cmocka_unit_test(norms_are_of_so_many_numbers),
        cmocka_unit_test(instructions_are_listed_in_the_order_of_the_text),
        cmocka_unit_test(a_function_in_which_some_lanes_ended_goes_on),
        cmocka_unit_test(a_trap_without_a_line_is_told_where_it_comes_from),
    };
    return cmocka_run_group_tests_name("machine_calls", tests, NULL, NULL);
}
