/* test_real_gpu.c - machine/math/real.h against an H100: 480 instructions over thousands of operands each.
 *
 * tests/data/h100-real.tsv has a hash of the GPU's results for each instruction (tests/gpu/real.cu).
 * The same operands go through the functions here that the instruction's words ask for, and must give
 * the same hash. Of approximations (ex2.approx, ...) test_real_approx.c has the errors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine/math/narrow.h"
#include "tests/support/real_operands.h"

/* An instruction's words: add.rn.ftz.f32. */
struct words {
    char word[8][16];
    int count;
};

static struct words split(const char *name)
{
    struct words words = {.count = 0};
    while (*name && words.count < 8) {
        size_t length = strcspn(name, ".");
        snprintf(words.word[words.count++], 16, "%.*s", (int)length, name);
        name += length + (name[length] == '.');
    }
    return words;
}

static bool has(const struct words *words, const char *word)
{
    for (int i = 1; i < words->count; i++)
        if (!strcmp(words->word[i], word))
            return true;
    return false;
}

static const char *type_of(const struct words *words)
{
    return words->word[words->count - 1];
}

static enum real_mode mode_of(const struct words *words)
{
    static const struct {
        const char *word;
        enum real_mode mode;
    } modes[] = {{"rz", REAL_RZ},  {"rm", REAL_RM},  {"rp", REAL_RP},  {"rzi", REAL_RZ},
                 {"rmi", REAL_RM}, {"rpi", REAL_RP}, {"rna", REAL_RNA}};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (has(words, modes[i].word))
            return modes[i].mode;
    return REAL_RN;
}

/* ---- arithmetic in each type ------------------------------------------------------------------------- */

static float least_or_most(const struct words *words, float a, float b)
{
    bool least = !strcmp(words->word[0], "min"), nan = has(words, "NaN");
    assert_true(least || !strcmp(words->word[0], "max"));
    return least ? nan ? real_min_nan32(a, b) : real_min32(a, b)
           : nan ? real_max_nan32(a, b)
                 : real_max32(a, b);
}

static float min_or_max32(const struct words *words, float a, float b)
{
    if (!has(words, "xorsign"))
        return least_or_most(words, a, b);
    return real_xorsign32(least_or_most(words, real_abs32(a), real_abs32(b)), a, b);
}

static uint16_t min_or_max16(const struct words *words, uint16_t a, uint16_t b, bool brain)
{
    bool xorsign = has(words, "xorsign");
    uint16_t mask = xorsign ? 0x7fff : 0xffff, x = a & mask, y = b & mask;
    uint16_t result = brain
                          ? real_bf16_f32(least_or_most(words, real_f32_bf16(x), real_f32_bf16(y)))
                          : real_f16_f32(least_or_most(words, real_f32_f16(x), real_f32_f16(y)));
    return xorsign ? real_f16_xorsign(result, a, b) : result;
}

/* To the nearest by the functions that loops use, else by those with a mode; both where both are. */
static float operate32(const struct words *words, float a, float b, float c)
{
    const char *op = words->word[0];
    enum real_mode mode = mode_of(words);
    bool ftz = has(words, "ftz");
    if (ftz && !strcmp(op, "mul"))
        return mode == REAL_RN ? real_mul32_ftz(a, b) : real_mul32_ftz_mode(a, b, mode);
    if (ftz && !strcmp(op, "fma"))
        return mode == REAL_RN ? real_fma32_ftz(a, b, c) : real_fma32_ftz_mode(a, b, c, mode);
    if (!strcmp(op, "add"))
        return mode == REAL_RN ? real_add32(a, b) : real_add32_mode(a, b, mode);
    if (!strcmp(op, "sub"))
        return mode == REAL_RN ? real_sub32(a, b) : real_sub32_mode(a, b, mode);
    if (!strcmp(op, "mul"))
        return mode == REAL_RN ? real_mul32(a, b) : real_mul32_mode(a, b, mode);
    if (!strcmp(op, "fma"))
        return mode == REAL_RN ? real_fma32(a, b, c) : real_fma32_mode(a, b, c, mode);
    if (!strcmp(op, "div"))
        return real_div32(a, b, mode);
    if (!strcmp(op, "sqrt"))
        return real_sqrt32(a, mode);
    if (!strcmp(op, "rcp"))
        return real_div32(1, a, mode);
    if (!strcmp(op, "abs"))
        return real_magnitude32(a);
    if (!strcmp(op, "neg"))
        return real_neg32(a);
    if (!strcmp(op, "copysign"))
        return real_copysign32(b, a);
    return min_or_max32(words, a, b);
}

static uint64_t arithmetic32(const struct words *words, const uint64_t *in)
{
    float a[3];
    for (int i = 0; i < 3; i++) {
        a[i] = real_f32((uint32_t)in[i]);
        a[i] = has(words, "ftz") ? real_ftz32(a[i]) : a[i];
    }
    float result = operate32(words, a[0], a[1], a[2]);
    result = has(words, "sat") ? real_sat32(result) : result;
    return real_b32(has(words, "ftz") ? real_ftz32(result) : result);
}

static double operate64(const struct words *words, double a, double b, double c)
{
    const char *op = words->word[0];
    enum real_mode mode = mode_of(words);
    bool near = mode == REAL_RN;
    if (!strcmp(op, "add"))
        return near ? real_add64(a, b) : real_add64_mode(a, b, mode);
    if (!strcmp(op, "sub"))
        return near ? real_sub64(a, b) : real_add64_mode(a, real_neg64(b), mode);
    if (!strcmp(op, "mul"))
        return near ? real_mul64(a, b) : real_mul64_mode(a, b, mode);
    if (!strcmp(op, "fma"))
        return near ? real_fma64(a, b, c) : real_fma64_mode(a, b, c, mode);
    if (!strcmp(op, "div"))
        return near ? real_div64(a, b) : real_div64_mode(a, b, mode);
    if (!strcmp(op, "sqrt"))
        return near ? real_sqrt64(a) : real_sqrt64_mode(a, mode);
    if (!strcmp(op, "rcp"))
        return near ? real_div64(1, a) : real_div64_mode(1, a, mode);
    if (!strcmp(op, "min"))
        return real_min64(a, b);
    if (!strcmp(op, "max"))
        return real_max64(a, b);
    if (!strcmp(op, "abs"))
        return real_magnitude64(a);
    if (!strcmp(op, "neg"))
        return real_neg64(a);
    assert_string_equal(op, "copysign");
    return real_copysign64(b, a);
}

static uint64_t arithmetic64(const struct words *words, const uint64_t *in)
{
    return real_b64(operate64(words, real_f64(in[0]), real_f64(in[1]), real_f64(in[2])));
}

static uint16_t operate_f16(const struct words *words, uint16_t a, uint16_t b, uint16_t c)
{
    const char *op = words->word[0];
    if (!strcmp(op, "add"))
        return real_f16_add(a, b);
    if (!strcmp(op, "sub"))
        return real_f16_sub(a, b);
    if (!strcmp(op, "mul"))
        return real_f16_mul(a, b);
    if (!strcmp(op, "fma"))
        return real_f16_fma(a, b, c);
    if (!strcmp(op, "neg"))
        return real_f16_neg(a);
    if (!strcmp(op, "abs"))
        return real_f16_abs(a);
    return min_or_max16(words, a, b, false);
}

static uint64_t arithmetic_f16(const struct words *words, const uint64_t *in)
{
    uint16_t a[3];
    for (int i = 0; i < 3; i++)
        a[i] = has(words, "ftz") ? real_f16_ftz((uint16_t)in[i]) : (uint16_t)in[i];
    uint16_t result = operate_f16(words, a[0], a[1], a[2]);
    result = has(words, "sat") ? real_f16_sat(result) : result;
    result = has(words, "relu") ? real_f16_relu(result) : result;
    return has(words, "ftz") ? real_f16_ftz(result) : result;
}

static uint64_t arithmetic_bf16(const struct words *words, const uint64_t *in)
{
    const char *op = words->word[0];
    uint16_t a = (uint16_t)in[0], b = (uint16_t)in[1], c = (uint16_t)in[2];
    uint16_t fused = real_bf16_fma(a, b, c);
    if (!strcmp(op, "add"))
        return real_bf16_add(a, b);
    if (!strcmp(op, "sub"))
        return real_bf16_sub(a, b);
    if (!strcmp(op, "mul"))
        return real_bf16_mul(a, b);
    if (!strcmp(op, "fma"))
        return has(words, "relu") ? real_f16_relu(fused) : fused;
    if (!strcmp(op, "neg"))
        return real_bf16_neg(a);
    if (!strcmp(op, "abs"))
        return real_bf16_abs(a);
    return min_or_max16(words, a, b, true);
}

/* ---- conversions --------------------------------------------------------------------------------------- */

/* The bits of an integer type, 0 for any other. */
static int integer_bits(const char *type)
{
    return type[0] == 's' || type[0] == 'u' ? atoi(type + 1) : 0;
}

static uint64_t cut(uint64_t value, int bits)
{
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static uint64_t extended(uint64_t value, int bits, bool is_signed)
{
    uint64_t sign = UINT64_C(1) << (bits - 1);
    return is_signed ? (cut(value, bits) ^ sign) - sign : cut(value, bits);
}

static uint64_t to_integer(const struct words *words, const char *from, const char *to, uint64_t in)
{
    int bits = integer_bits(to);
    bool is_signed = to[0] == 's';
    enum real_mode mode = mode_of(words);
    float narrow = !strcmp(from, "f16")    ? real_f32_f16((uint16_t)in)
                   : !strcmp(from, "bf16") ? real_f32_bf16((uint16_t)in)
                                           : real_f32((uint32_t)in);
    if (has(words, "ftz"))
        narrow = real_ftz32(narrow);
    uint64_t whole = !strcmp(from, "f64") ? real_integer64(real_f64(in), bits, is_signed, mode)
                                          : real_integer32(narrow, bits, is_signed, mode);
    if (!strcmp(from, "f32") && mode == REAL_RZ && bits == 32) /* what loops use is the same */
        assert_int_equal((uint32_t)whole,
                         is_signed ? (uint32_t)real_s32(narrow) : real_u32(narrow));
    return cut(whole, bits < 32 ? 32 : bits);
}

static uint64_t from_integer(const struct words *words, const char *from, const char *to,
                             uint64_t in)
{
    int bits = integer_bits(from);
    bool is_signed = from[0] == 's';
    enum real_mode mode = mode_of(words);
    uint64_t value = extended(in, bits, is_signed);
    if (!strcmp(to, "f64"))
        return real_b64(real_f64_integer(value, is_signed, mode));
    if (!strcmp(to, "f32"))
        return real_b32(real_f32_integer(value, is_signed, mode));
    return real_narrow_integer(value, is_signed, !strcmp(to, "f16") ? REAL_F16 : REAL_BF16, mode);
}

static uint64_t to_small(const struct words *words, const char *to, float a)
{
    unsigned how =
        (has(words, "relu") ? REAL_RELU : 0u) | (has(words, "satfinite") ? REAL_SATFINITE : 0u);
    enum real_format_name name = !strcmp(to, "f16")    ? REAL_F16
                                 : !strcmp(to, "bf16") ? REAL_BF16
                                 : !strcmp(to, "tf32") ? REAL_TF32
                                 : to[1] == '4'        ? REAL_E4M3
                                                       : REAL_E5M2;
    uint32_t result = real_narrow((double)a, name, mode_of(words), how);
    if (!how && mode_of(words) == REAL_RN && name == REAL_F16)
        assert_int_equal(result, real_f16_f32(a));
    if (!how && mode_of(words) == REAL_RN && name == REAL_BF16)
        assert_int_equal(result, real_bf16_f32(a));
    return has(words, "sat") ? real_f16_sat((uint16_t)result) : result;
}

static uint64_t eights(const struct words *words, const uint64_t *in)
{
    const char *to = words->word[words->count - 2], *from = type_of(words);
    bool four = strstr(to, "e4m3") || strstr(from, "e4m3");
    if (!strcmp(to, "f16x2")) {
        uint64_t result = 0;
        for (int i = 0; i < 2; i++) {
            uint8_t a = (uint8_t)(in[0] >> (8 * i));
            uint16_t half = real_f16_f32(four ? real_f32_e4m3(a) : real_f32_e5m2(a));
            result |= (uint64_t)(has(words, "relu") ? real_f16_relu(half) : half) << (16 * i);
        }
        return result;
    }
    if (!strcmp(from, "f32"))
        return to_small(words, to, real_f32((uint32_t)in[0])) << 8 |
               to_small(words, to, real_f32((uint32_t)in[1]));
    return to_small(words, to, real_f32_f16((uint16_t)(in[0] >> 16))) << 8 |
           to_small(words, to, real_f32_f16((uint16_t)in[0]));
}

/* Float to float. A float of the same type becomes whole. */
static uint64_t between(const struct words *words, const char *from, const char *to, uint64_t in)
{
    enum real_mode mode = mode_of(words);
    bool ftz = has(words, "ftz"), sat = has(words, "sat");
    if (!strcmp(from, "f16")) {
        float a = real_f32_f16((uint16_t)in);
        if (!strcmp(to, "f16"))
            return real_f16_f32(real_whole32(a, mode));
        return !strcmp(to, "f64") ? real_b64(real_f64_f16((uint16_t)in))
                                  : real_b32(sat ? real_sat32(a) : a);
    }
    if (!strcmp(from, "bf16"))
        return real_b32(real_f32_bf16((uint16_t)in));
    if (!strcmp(from, "f64")) {
        double a = real_f64(in);
        float narrow = real_f32_f64(a, mode);
        if (!strcmp(to, "f64"))
            return real_b64(real_whole64(a, mode));
        if (!strcmp(to, "f16"))
            return real_f16_f64(a, mode);
        return real_b32(ftz ? real_ftz32(narrow) : sat ? real_sat32(narrow) : narrow);
    }
    float a = real_f32((uint32_t)in);
    if (ftz)
        a = real_canonical32(real_ftz32(a));
    if (!strcmp(to, "f64"))
        return real_b64(sat ? real_sat64(real_f64_f32(a)) : real_f64_f32(a));
    if (!strcmp(to, "f32"))
        return real_b32(real_whole32(a, mode));
    if (!strcmp(to, "tf32") && mode == REAL_RNA && !has(words, "satfinite"))
        return real_tf32_rna((uint32_t)in);
    return to_small(words, to, a);
}

static uint64_t convert(const struct words *words, const uint64_t *in)
{
    const char *to = words->word[words->count - 2], *from = type_of(words);
    if (strstr(to, "x2"))
        return eights(words, in);
    if (integer_bits(to))
        return to_integer(words, from, to, in[0]);
    if (integer_bits(from))
        return from_integer(words, from, to, in[0]);
    return between(words, from, to, in[0]);
}

static uint64_t test_property(const struct words *words, const uint64_t *in)
{
    static const char *const kinds[] = {"finite",     "infinite", "number",
                                        "notanumber", "normal",   "subnormal"};
    enum real_kind kind = 0;
    while (strcmp(kinds[kind], words->word[1]))
        kind++;
    return !strcmp(type_of(words), "f32") ? real_is32(real_f32((uint32_t)in[0]), kind)
                                          : real_is64(real_f64(in[0]), kind);
}

/* ---- the comparison ------------------------------------------------------------------------------------ */

static uint64_t execute(const struct words *words, const uint64_t *in)
{
    const char *type = type_of(words);
    if (!strcmp(words->word[0], "cvt"))
        return convert(words, in);
    if (!strcmp(words->word[0], "testp"))
        return test_property(words, in);
    return !strcmp(type, "f32")   ? arithmetic32(words, in)
           : !strcmp(type, "f64") ? arithmetic64(words, in)
           : !strcmp(type, "f16") ? arithmetic_f16(words, in)
                                  : arithmetic_bf16(words, in);
}

static int arity_of(const struct words *words)
{
    static const char *const two[] = {"add", "sub", "mul", "div", "min", "max", "copysign"};
    if (!strcmp(words->word[0], "fma"))
        return 3;
    for (size_t i = 0; i < sizeof two / sizeof two[0]; i++)
        if (!strcmp(words->word[0], two[i]))
            return 2;
    const char *to = words->word[words->count - 2];
    return strstr(to, "x2") && to[0] == 'e' && !strcmp(type_of(words), "f32") ? 2 : 1;
}

/* How many bits an operand has, by the last type: cvt takes 8 and 16 bits from a register of 32. */
static int width_of(const struct words *words)
{
    const char *type = type_of(words);
    if (strstr(type, "x2"))
        return type[0] == 'e' ? 16 : 32;
    int bits = integer_bits(type);
    return bits ? bits < 32 ? 32 : bits : !strcmp(type, "bf16") ? 16 : atoi(type + 1);
}

static void hold_to_gpu(const char *name, uint64_t expected)
{
    struct words words = split(name);
    int arity = arity_of(&words), bits = width_of(&words), n = operand_count(arity);
    uint64_t hash = 0;
    for (int i = 0; i < n; i++) {
        uint64_t in[3] = {0};
        for (int k = 0; k < arity; k++)
            in[k] = operand(bits, arity, k, i);
        hash = operand_hash(hash, execute(&words, in));
    }
    if (hash != expected)
        print_error("%s: other results than the GPU's\n", name);
    assert_int_equal(hash, expected);
}

static void instructions_give_what_the_gpu_gave(void **state)
{
    (void)state;
    FILE *file = fopen("tests/data/h100-real.tsv", "r");
    char name[64];
    unsigned long long hash;
    int rows = 0;
    assert_non_null(file);
    for (; fscanf(file, "%63s %llx", name, &hash) == 2; rows++)
        hold_to_gpu(name, hash);
    fclose(file);
    assert_true(rows > 440);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_give_what_the_gpu_gave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
