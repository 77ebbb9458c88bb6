/* test_given.c - launches that come as text: arrays, sizes, arguments. */
#include "machine/given.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct given_text text_of(const char *text)
{
    return (struct given_text){text, (int)strlen(text)};
}

static void numbers_are_those_of_c(void **state)
{
    static const struct {
        const char *text;
        double value;
        int bytes;
        bool real;
    } rows[] = {{"12", 12, 4, false},
                {"-3", -3, 4, false},
                {"0x10u", 16, 4, false},
                {"4000000000", 4e9, 8, false},
                {"(128 + 31) / 32", 4, 4, false},
                {"2 + 3 * 4 - 1", 13, 4, false},
                {"16 - 4 - 2", 10, 4, false},
                {"1 << 10 | 1", 1025, 4, false},
                {"~0 & 0xff", 255, 4, false},
                {"7 % 4 * 2", 6, 4, false},
                {"1.5f", 1.5, 4, true},
                {"1e-3", 1e-3, 8, true},
                {"2.5 * 2", 5, 8, true},
                {"1.5f * 3", 4.5, 4, true},
                {"3 / 2.0f", 1.5, 4, true},
                {"1.5f - 0.5f", 1, 4, true},
                {"1.5 + 1.5f", 3, 8, true},
                {"0.1f", 0x1.99999ap-4, 4, true},
                {"1.0f / 3", 0x1.555556p-2, 4, true},
                {"1.0 / 3", 0x1.5555555555555p-2, 8, true},
                {"16777217 + 1.0f", 16777216, 4, true},
                {"16777217 + 1.0", 16777218, 8, true},
                {"sizeof(float4) * 2", 32, 8, false},
                {"true", 1, 4, false},
                {"nullptr", 0, 4, false}};
    static const char *const bad[] = {"",    "x",  "1 +",     "(1",        "1)",  "1..2", "1 / 0",
                                      "1f2", "0x", "1 << 64", "sizeof(x)", "1 2", "5 % 0"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error error = {""};
        struct given_number number = {.bytes = 0};
        if (!given_number(NULL, text_of(rows[i].text), &number, &error))
            fail_msg("%s: %s", rows[i].text, error.text);
        assert_int_equal(number.real, rows[i].real);
        assert_true((number.real ? number.value : (double)number.whole) == rows[i].value);
        assert_int_equal(number.bytes, rows[i].bytes);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error error = {""};
        struct given_number number;
        if (given_number(NULL, text_of(bad[i]), &number, &error))
            fail_msg("'%s' was taken for a number", bad[i]);
        assert_non_null(strstr(error.text, "is no number"));
    }
}

static void deep_parentheses_end(void **state)
{
    char text[400];
    struct error error = {""};
    struct given_number number;
    (void)state;
    memset(text, '(', sizeof text);
    assert_false(given_number(NULL, (struct given_text){text, sizeof text}, &number, &error));
}

static void types_have_their_bytes(void **state)
{
    static const struct {
        const char *name;
        uint32_t bytes;
        int parts;
    } rows[] = {{"float", 4, 1},
                {"const unsigned  char", 1, 1},
                {"float4", 16, 4},
                {"__half", 2, 1},
                {"half2", 4, 2},
                {"__nv_bfloat162", 4, 2},
                {"u64", 8, 1},
                {"e4m3", 1, 1},
                {"unsigned long long", 8, 1},
                {"struct(24)", 24, 1},
                {"float *", 8, 1},
                {"double3", 24, 3}};
    struct given_type type;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(given_type(NULL, text_of(rows[i].name), &type));
        assert_int_equal(type.bytes, rows[i].bytes);
        assert_int_equal(type.parts, rows[i].parts);
    }
    assert_false(given_type(NULL, text_of("pair"), &type));
    assert_false(given_type(NULL, text_of("float5"), &type));
    assert_false(given_type(NULL, text_of("struct(0)"), &type));
}

static void arrays_are_filled(void **state)
{
    static const struct {
        const char *text;
        int element;
        uint64_t bits;
    } rows[] = {{"float a[8] = index", 3, 0x40400000},
                {"half a[8] = 1.5", 7, 0x3e00},
                {"bf16 a[2] = 1", 1, 0x3f80},
                {"e4m3 a[4] = 1.75", 0, 0x3e},
                {"e5m2 a[4] = 1000000", 0, 0x7b},
                {"int a[4] = -2", 2, 0xfffffffe},
                {"double a[4] = reverse", 0, 0x4008000000000000},
                {"unsigned char a[300] = index", 299, 43},
                {"int2 a[4] = index", 3, 7ull << 32 | 6}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error error = {""};
        struct given_array array;
        uint8_t bytes[4096] = {0};
        uint64_t bits = 0;
        if (!given_array_read(rows[i].text, NULL, sizeof bytes, &array, &error))
            fail_msg("%s: %s", rows[i].text, error.text);
        given_array_fill(&array, bytes);
        memcpy(&bits, bytes + (uint32_t)rows[i].element * array.type.bytes, array.type.bytes);
        if (bits != rows[i].bits)
            fail_msg("%s: %llx", rows[i].text, (unsigned long long)bits);
    }
}

static void random_numbers_have_a_range(void **state)
{
    struct error error = {""};
    struct given_array array;
    float reals[1000];
    int wholes[1000], all = 0;
    (void)state;
    assert_true(given_array_read("float a[1000] = random", NULL, 1 << 20, &array, &error));
    given_array_fill(&array, (uint8_t *)reals);
    assert_true(given_array_read("int a[1000] = random 7", NULL, 1 << 20, &array, &error));
    given_array_fill(&array, (uint8_t *)wholes);
    for (int i = 0; i < 1000; i++) {
        assert_true(reals[i] >= 0 && reals[i] < 1);
        assert_in_range(wholes[i], 0, 6);
        all |= 1 << wholes[i];
    }
    assert_int_equal(all, 127);
}

static void files_fill_arrays(void **state)
{
    struct error error = {""};
    struct given_array array;
    float value[6];
    static const char numbers[] = "1.5, 2.5\n-3e1 4;5 6 7";
    (void)state;
    assert_true(given_array_read("float a[2][3] = file=n.txt", NULL, 1 << 20, &array, &error));
    assert_int_equal(array.row, 3);
    assert_true(given_array_fill_file(&array, numbers, strlen(numbers), (uint8_t *)value, &error));
    assert_true(value[2] == -30 && value[5] == 6);
    assert_false(given_array_fill_file(&array, numbers, 8, (uint8_t *)value, &error));
    assert_non_null(strstr(error.text, "fewer numbers than the array"));
    error.text[0] = '\0';
    assert_false(given_array_fill_file(&array, "1 2 x", 5, (uint8_t *)value, &error));
    assert_non_null(strstr(error.text, "'x' is no number"));
    error.text[0] = '\0';
    assert_true(given_array_read("float a[6] = file=n.bin", NULL, 1 << 20, &array, &error));
    assert_false(given_array_fill_file(&array, numbers, 10, (uint8_t *)value, &error));
    assert_non_null(strstr(error.text, "10 bytes, fewer than the 24"));
}

/* What is printed is read again as the same bits. */
static void printed_numbers_are_read(void **state)
{
    static const struct {
        const char *array;
        uint64_t bits;
        const char *text;
    } rows[] = {{"int a[1] > n", 0xfffffffe, "-2"},
                {"unsigned char a[1] > n", 200, "200"},
                {"long long a[1] > n", UINT64_C(0x8000000000000000), "-9223372036854775808"},
                {"float a[1] > n", 0x3dcccccd, "0.100000001"},
                {"double a[1] > n", UINT64_C(0x3fb999999999999a), "0.10000000000000001"},
                {"half a[1] > n", 0x3555, "0.333251953"},
                {"bf16 a[1] > n", 0xc049, "-3.140625"},
                {"e4m3 a[1] > n", 0x7e, "448"},
                {"e5m2 a[1] = index > n.bin", 0x01, "1.52587891e-05"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error error = {""};
        struct given_array array;
        struct given_number number;
        char text[40];
        uint8_t bytes[8] = {0};
        if (!given_array_read(rows[i].array, NULL, 1 << 20, &array, &error))
            fail_msg("%s: %s", rows[i].array, error.text);
        assert_int_equal(*array.to.at, 'n');
        given_print(&array.type, (const uint8_t *)&rows[i].bits, text, sizeof text);
        assert_string_equal(text, rows[i].text);
        assert_true(given_number(NULL, given_trim(text, text + strlen(text)), &number, &error));
        given_put(&array.type, &number, bytes);
        assert_memory_equal(bytes, &rows[i].bits, array.type.part);
    }
}

static void what_is_no_array_is_refused(void **state)
{
    static const char *const bad[] = {"float out",
                                      "float [3]",
                                      "out[3]",
                                      "float out[",
                                      "float out[]",
                                      "float out[3] = many",
                                      "float out[3] = 1x",
                                      "float out[3]x",
                                      "float out[3] = random x",
                                      "float out[0]",
                                      "float out[-1]",
                                      "float out[1.5]",
                                      "float out[1 << 40]",
                                      "pair out[2]",
                                      "struct(8) a[2] = 1",
                                      "float out[1 << 20][1 << 20][1 << 30]",
                                      "float out[n]",
                                      "float out[3] = random 0",
                                      "float out[3] = random 1e30"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error error = {""};
        struct given_array array;
        if (given_array_read(bad[i], NULL, 1 << 30, &array, &error))
            fail_msg("'%s' was taken for an array", bad[i]);
        assert_true(error.text[0]);
    }
}

/* ---- binding ---------------------------------------------------------------------------------------- */

static const char ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u32 n, .param .f32 scale, .param .align 8 .b8 "
    "pair[16],\n"
    "  .param .align 2 .b8 h[2], .param .b32 any, .param .s16 small, .param .align 16 .b8 v[16])\n"
    "{\n  ret;\n}\n"
    ".visible .entry triton(.param .u64 .ptr .global .align 1 a, .param .u32 n, .param .u64 "
    "scratch)\n"
    ".reqntid 128, 1, 1\n{\n  ret;\n}\n"
    ".visible .entry small()\n.maxntid 64, 1, 1\n{\n  ret;\n}\n";

struct bound {
    struct machine_memory *memory;
    struct machine_module *module;
    struct machine_kernel_facts facts;
    struct given_array array;
    struct given_call call;
    uint8_t parameters[256];
    struct error error;
};

static bool bind_to(struct bound *bound, const char *call)
{
    const struct machine_text text = {ptx, strlen(ptx), "t.ptx"};
    char name[64];
    bound->error.text[0] = '\0';
    bound->memory = machine_memory_new(&heap_allocator);
    bound->module = machine_load(bound->memory, &text, 1, &bound->error);
    assert_non_null(bound->module);
    bool good = given_call_read(call, NULL, &bound->call, &bound->error);
    if (good) {
        snprintf(name, sizeof name, "%.*s", bound->call.kernel.length, bound->call.kernel.at);
        machine_kernel_facts(machine_kernel(bound->module, name), &bound->facts);
        assert_true(given_array_read("float a[4][8]", NULL, 1 << 20, &bound->array, &bound->error));
        bound->array.address = 0x10000;
        const struct given_binding binding = {&bound->call, &bound->facts, &bound->array, 1,
                                              NULL,         NULL};
        good = given_check_shape(&bound->call, &bound->facts, &bound->error) &&
               given_bind(&binding, bound->parameters, &bound->error);
    }
    machine_unload(bound->module);
    machine_memory_free(bound->memory);
    return good;
}

static void arguments_go_where_they_belong(void **state)
{
    struct bound bound;
    uint64_t word;
    float real;
    int32_t whole;
    uint16_t half;
    (void)state;
    if (!bind_to(&bound,
                 "k<<<dim3(4, 2), {8, 4}, 1 << 10>>>(a + 2, 3 * 4, 2, {int(7), 2.5f, a}, 1.5, "
                 "0.5f, -1, make_float4(1, 2, 3, 4));"))
        fail_msg("%s", bound.error.text);
    assert_int_equal(bound.call.grid[1], 2);
    assert_int_equal(bound.call.block[0], 8);
    assert_int_equal(bound.call.shared, 1024);
    memcpy(&word, bound.parameters, 8);
    assert_int_equal(word, 0x10000 + 2 * 8 * 4); /* rows of 8 */
    memcpy(&whole, bound.parameters + 8, 4);
    assert_int_equal(whole, 12);
    memcpy(&real, bound.parameters + 12, 4);
    assert_true(real == 2);
    memcpy(&whole, bound.parameters + 16, 4);
    assert_int_equal(whole, 7);
    memcpy(&real, bound.parameters + 20, 4);
    assert_true(real == 2.5f);
    memcpy(&word, bound.parameters + 24, 8);
    assert_int_equal(word, 0x10000);
    memcpy(&half, bound.parameters + 32, 2);
    assert_int_equal(half, 0x3e00);
    memcpy(&real, bound.parameters + 36, 4);
    assert_true(real == 0.5f);
    memcpy(&half, bound.parameters + 40, 2);
    assert_int_equal(half, 0xffff);
    memcpy(&real, bound.parameters + 60, 4);
    assert_true(real == 4);
    /* What Triton's own launches give besides is null. */
    assert_true(bind_to(&bound, "triton<<<1, 128>>>(a, 5)"));
    memcpy(&word, bound.parameters + 16, 8);
    assert_int_equal(word, 0);
}

static void what_does_not_fit_is_refused(void **state)
{
    static const struct {
        const char *call, *says;
    } rows[] = {
        {"k<<<1, 1>>>(a, 1, 2)", "k takes 8 arguments (u64, u32, f32, 16 bytes"},
        {"triton<<<1, 128>>>(a)", "triton takes 3 arguments"},
        {"triton<<<1, 128>>>(a, a, 0)",
         "argument 2 of triton, n (u32), is 'a': it must be a number"},
        {"triton<<<1, 128>>>(b, 1, 0)", "a (u64), is 'b': it must be an array of --array, nullptr"},
        {"triton<<<1, 128>>>(a, 1.5, 0)", "it must be a whole number"},
        {"triton<<<1, 128>>>(a, 1 << 40, 0)", "it must be a number that its bits can hold"},
        {"triton<<<1, 128>>>(a, , 0)", "it must be there"},
        {"triton<<<1, 128>>>(a + 1.5, 1, 0)", "a whole number of elements"},
        {"triton<<<1, 32>>>(a, 1)", "blocks of 128 x 1 x 1 threads (.reqntid), not of 32 x 1 x 1"},
        {"small<<<1, 65>>>()", "at most 64 threads in a block (.maxntid), not 65"},
        {"small<<<1, 2048>>>()", "invalid configuration"},
        {"small<<<0, 1>>>()", "it must be a whole number from 1"},
        {"small<<<dim3(1, 70000), 1>>>()", "y and z are at most 65535"},
        {"small<<<1, dim3(1, 1, 65)>>>()", "z is at most 64"},
        {"small<<<dim3(1, 1, 1, 1), 1>>>()", "more than three sizes"},
        {"small<<<1, 32, 300000>>>()", "bytes of shared memory: a block has from 0 to 232448"},
        {"small<<<1>>>()", "needs blocks and threads"},
        {"small(1)", "it must be KERNEL<<<BLOCKS, THREADS>>>"},
        {"small<<<1, 1>>>() + 1", "it must be KERNEL<<<BLOCKS, THREADS>>>"},
        {"k<<<1, 1>>>(a, 1, 2, {1}, 1, 1, 1, make_float4(1, 2, 3, 4))",
         "as many bytes as the struct"},
        {"k<<<1, 1>>>(a, 1, 2, 7, 1, 1, 1, make_float4(1, 2, 3, 4))", "its members in braces"},
        {"k<<<1, 1>>>(a, 1, 2, {1, 2, 3, 4}, 1, 1, 1, make_float4(1, 2))", "as many numbers as"},
        {"k<<<1, 1>>>(a, 1, 2, {1, 2, 3, 4}, 1, 1, 1, float2(1, 2))",
         "of as many bytes as the kernel"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bound bound;
        if (bind_to(&bound, rows[i].call))
            fail_msg("%s was bound", rows[i].call);
        if (!strstr(bound.error.text, rows[i].says))
            fail_msg("%s: %s", rows[i].call, bound.error.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_c),
        cmocka_unit_test(deep_parentheses_end),
        cmocka_unit_test(types_have_their_bytes),
        cmocka_unit_test(arrays_are_filled),
        cmocka_unit_test(random_numbers_have_a_range),
        cmocka_unit_test(files_fill_arrays),
        cmocka_unit_test(printed_numbers_are_read),
        cmocka_unit_test(what_is_no_array_is_refused),
        cmocka_unit_test(arguments_go_where_they_belong),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
