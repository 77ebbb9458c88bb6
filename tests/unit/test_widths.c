/* widths: the machine's accesses beside those of ptxas's machine code, for PTX of tests/data/ptx. */
#define _GNU_SOURCE
#include "program/compile/widths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* After these, as it says itself. */
#include <cmocka.h>

/* Whether that is the release that made what is expected here. */
static bool has_ptxas(void)
{
    return !system("PATH=$PATH:/usr/local/cuda/bin; ptxas --version 2>/dev/null | "
                   "grep -q 'release 13\\.0,'");
}

static void compare_file(const char *ptx, struct widths *widths)
{
    char cubin[] = "/tmp/test_widths_XXXXXX", command[400];
    struct error error = {{0}};
    close(mkstemp(cubin));
    snprintf(command, sizeof command,
             "PATH=$PATH:/usr/local/cuda/bin; ptxas -lineinfo -arch=sm_90 %s -o %s", ptx, cubin);
    assert_int_equal(system(command), 0);
    if (!widths_compare(widths, ptx, cubin, &error))
        fail_msg("%s", error.text);
    unlink(cubin);
    assert_true(widths->kernels > 0);
    assert_int_equal(widths->compared, widths->kernels);
}

static void compare(const char *program, struct widths *widths)
{
    char ptx[100];
    snprintf(ptx, sizeof ptx, "tests/data/ptx/%s.ptx", program);
    compare_file(ptx, widths);
}

static void accesses_are_those_of_the_machine_code(void **state)
{
    static const char *const programs[] = {
        "structs", "transpose",          "vector_tiles", "fft",       "bank_width", "radix_pass",
        "softmax", "scan_hillis_steele", "merge_path",   "histogram", "bfs",        "stencil_2d"};
    (void)state;
    if (!has_ptxas())
        skip();
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct widths widths;
        compare(programs[i], &widths);
        if (widths.lines)
            fail_msg("%s: %s:%d", programs[i], widths.line->file, widths.line->line);
        widths_free(&widths);
    }
}

static void loops_are_found_that_ptxas_unrolls(void **state)
{
    struct widths widths;
    (void)state;
    if (!has_ptxas())
        skip();
    compare("triangular", &widths);
    assert_int_equal(widths.lines, 0);
    assert_string_equal(strchr(widths.loops, ' '), " _Z5solvePKfS0_PfPi\n");
    widths_free(&widths);
    compare("structs", &widths);
    assert_string_equal(widths.loops, "");
    widths_free(&widths);
}

/* ptxas does not see that n != 0 says i < n where i is 0. */
static void loops_are_found_whose_first_turn_has_a_copy(void **state)
{
    static const char text[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
        ".reg .pred %p<3>; .reg .b32 %r<9>; .reg .f64 %f<4>; .reg .b64 %a;\n"
        ".shared .align 8 .b8 tile[16384];\n.loc 1 3 0\n"
        "ld.param.u64 %a, [p]; ld.param.u32 %r1, [n]; setp.eq.s32 %p1, %r1, 0;\n"
        "mov.f64 %f1, 0d0000000000000000; @%p1 bra E;\n"
        "mov.u32 %r2, 0; mov.u32 %r3, tile;\n.loc 1 4 0\n"
        "L: ld.shared.f64 %f2, [%r3]; add.f64 %f1, %f1, %f2;\n.loc 1 5 0\n"
        "add.s32 %r3, %r3, 256; add.s32 %r2, %r2, 32; setp.lt.u32 %p2, %r2, %r1;\n"
        "@%p2 bra L;\nE: st.global.f64 [%a], %f1; ret;\n}\n.file 1 \"a.cu\"\n";
    char ptx[] = "/tmp/test_widths_XXXXXX";
    struct widths widths;
    (void)state;
    if (!has_ptxas())
        skip();
    FILE *file = fdopen(mkstemp(ptx), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    compare_file(ptx, &widths);
    unlink(ptx);
    assert_int_equal(widths.lines, 0);
    assert_string_equal(widths.loops, "1+16 k\n");
    widths_free(&widths);
}

/* ptxas takes all turns of this loop at once, for there are always as many. */
static void loops_are_found_that_ptxas_takes_whole(void **state)
{
    struct widths widths;
    (void)state;
    if (!has_ptxas())
        skip();
    compare("matrix_double", &widths);
    assert_int_equal(widths.lines, 0);
    assert_string_not_equal(widths.loops, "");
    widths_free(&widths);
}

/* A load of wmma's is several instructions of one width. */
static void loads_of_matrices_are_several(void **state)
{
    struct widths widths;
    (void)state;
    if (!has_ptxas())
        skip();
    compare("wmma_product", &widths);
    for (size_t i = 0; i < widths.lines; i++)
        fail_msg("%s:%d", widths.line[i].file, widths.line[i].line);
    widths_free(&widths);
}

/* What ptxas makes of a loop that has a branch in it is not known. */
static void lines_that_differ_are_told(void **state)
{
    struct widths widths;
    (void)state;
    if (!has_ptxas())
        skip();
    compare("convolution", &widths);
    assert_int_equal(widths.lines, 2);
    for (int i = 0; i < 2; i++) {
        assert_non_null(strstr(widths.line[i].file, "tests/programs/convolution.cu"));
        assert_int_equal(widths.line[i].line, 18);
        assert_int_equal(widths.line[i].op, i ? OP_STORE : OP_LOAD);
        assert_int_equal(widths.line[i].global, !i);
        assert_int_equal(widths.line[i].expected[2], 5);
        assert_int_equal(widths.line[i].found[2], 29);
    }
    widths_free(&widths);
}

static void what_is_no_machine_code_is_refused(void **state)
{
    struct widths widths;
    struct error error = {{0}};
    (void)state;
    assert_false(widths_compare(&widths, "tests/data/ptx/structs.ptx", "README.md", &error));
    assert_string_equal(error.text, "nvcc's machine code is no ELF file");
    widths_free(&widths);
    error.text[0] = '\0';
    assert_false(widths_compare(&widths, "README.md", "README.md", &error));
    assert_non_null(strstr(error.text, "README.md"));
    widths_free(&widths);
    error.text[0] = '\0';
    assert_false(widths_compare(&widths, "missing.ptx", "README.md", &error));
    assert_non_null(strstr(error.text, "missing.ptx"));
    widths_free(&widths);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_are_those_of_the_machine_code),
        cmocka_unit_test(loops_are_found_that_ptxas_unrolls),
        cmocka_unit_test(loops_are_found_whose_first_turn_has_a_copy),
        cmocka_unit_test(loops_are_found_that_ptxas_takes_whole),
        cmocka_unit_test(loads_of_matrices_are_several),
        cmocka_unit_test(lines_that_differ_are_told),
        cmocka_unit_test(what_is_no_machine_code_is_refused),
    };
    return cmocka_run_group_tests_name("widths", tests, NULL, NULL);
}
