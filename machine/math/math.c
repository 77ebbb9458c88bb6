/* math.c - calls of the functions in math_names.c: words in, words out. */
#include "machine/math/math_calls.h"

#include "machine/math/approx.h"

#include <stddef.h>

/* ---- words ------------------------------------------------------------------------------------------- */

static double number_argument(const struct math_function *function, int i, const uint64_t *in)
{
    return function->arguments[i] == 'f' ? real_f64_f32(real_f32((uint32_t)in[i]))
                                         : real_f64(in[i]);
}

static uint64_t word(char type, double value)
{
    return type == 'f' || type == 'F' ? real_b32(real_canonical32((float)value))
                                      : real_b64(real_quiet64(value));
}

/* As many bits as the type has. */
static uint64_t cut_to_type(char type, uint64_t value)
{
    bool wide = type == 'l' || type == 'm' || type == 'd';
    return type == 'h' ? (uint16_t)value : wide ? value : (uint32_t)value;
}

/* An argument, extended to 64 bits as its type is. */
static uint64_t extended(char type, uint64_t value)
{
    return type == 'i' ? (uint64_t)(int64_t)(int32_t)(uint32_t)value : cut_to_type(type, value);
}

static float single(uint64_t in)
{
    return real_f32((uint32_t)in);
}

/* ---- functions of doubles ---------------------------------------------------------------------------- */

void math_call_one(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    out[0] = word(function->result, function->by.one(number_argument(function, 0, in)));
}

void math_call_two(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    double a = number_argument(function, 0, in), b = number_argument(function, 1, in);
    out[0] = word(function->result, function->by.two(a, b));
}

void math_call_scaled(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    out[0] = word(function->result,
                  function->by.scaled(number_argument(function, 0, in), (int32_t)in[1]));
}

void math_call_ordered(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    out[0] = word(function->result,
                  function->by.ordered((int32_t)in[0], number_argument(function, 1, in)));
}

/* A function of all arguments, or of as many of those that follow as the first one says. */
void math_call_many(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    int count = (int)strlen(function->arguments);
    bool floats = function->arguments[0] == 'f';
    out[0] = word(function->result, function->by.many(count, in, floats));
}

void math_call_listed(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    bool floats = function->arguments[1] == 'p';
    out[0] = word(function->result, function->by.many((int32_t)in[0], in + 1, floats));
}

void math_call_parted(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    double part;
    out[0] = word(function->result, function->by.parted(number_argument(function, 0, in), &part));
    out[1] = word(function->arguments[1], part);
}

void math_call_powered(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    int power;
    out[0] = word(function->result, function->by.powered(number_argument(function, 0, in), &power));
    out[1] = (uint32_t)power;
}

void math_call_divided(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    int quotient;
    double a = number_argument(function, 0, in), b = number_argument(function, 1, in);
    out[0] = word(function->result, function->by.divided(a, b, &quotient));
    out[1] = (uint32_t)quotient;
}

/* Sine and cosine by the function that gives the sine. */
void math_call_both(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    double x = number_argument(function, 0, in);
    double (*other)(double x) = function->by.one == math_quick_sin ? math_quick_cos
                                : function->by.one == math_sin     ? math_cos
                                                                   : math_cospi;
    out[0] = word(function->arguments[1], function->by.one(x));
    out[1] = word(function->arguments[2], other(x));
}

void math_call_floats(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    float b = function->arguments[1] == 'f' ? single(in[1]) : 0;
    out[0] = real_b32(real_canonical32(function->by.floats(single(in[0]), b)));
}

void math_call_fast_sincos(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    (void)function;
    out[0] = real_b32(real_sin(single(in[0])));
    out[1] = real_b32(real_cos(single(in[0])));
}

/* ---- functions of words ------------------------------------------------------------------------------ */

void math_call_whole(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    uint64_t a[3] = {0};
    for (int i = 0; i < 3 && function->arguments[i]; i++)
        a[i] = extended(function->arguments[i], in[i]);
    out[0] = cut_to_type(function->result, function->by.whole(a[0], a[1], a[2]));
}

/* Integers to and from numbers, in the row's mode. */
void math_call_to_integer(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    char to = function->result;
    int bits = to == 'l' || to == 'm' ? 64 : 32;
    bool is_signed = to == 'i' || to == 'l';
    uint64_t whole = function->arguments[0] == 'f'
                         ? real_integer32(single(in[0]), bits, is_signed, function->by.mode)
                         : real_integer64(real_f64(in[0]), bits, is_signed, function->by.mode);
    out[0] = cut_to_type(to, whole);
}

void math_call_from_integer(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    char from = function->arguments[0];
    uint64_t value = extended(from, in[0]);
    bool is_signed = from == 'i' || from == 'l';
    out[0] = function->result == 'f'
                 ? real_b32(real_f32_integer(value, is_signed, function->by.mode))
                 : real_b64(real_f64_integer(value, is_signed, function->by.mode));
}

void math_call_narrow(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    out[0] = real_b32(real_f32_f64(real_f64(in[0]), function->by.mode));
}

/* ---- arithmetic in the row's mode -------------------------------------------------------------------- */

void math_call_add(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    enum real_mode mode = function->by.mode;
    out[0] = function->result == 'f'
                 ? real_b32(real_add32_mode(single(in[0]), single(in[1]), mode))
                 : real_b64(real_add64_mode(real_f64(in[0]), real_f64(in[1]), mode));
}

void math_call_sub(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    enum real_mode mode = function->by.mode;
    out[0] = function->result == 'f'
                 ? real_b32(real_sub32_mode(single(in[0]), single(in[1]), mode))
                 : real_b64(real_add64_mode(real_f64(in[0]), real_neg64(real_f64(in[1])), mode));
}

void math_call_mul(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    enum real_mode mode = function->by.mode;
    out[0] = function->result == 'f'
                 ? real_b32(real_mul32_mode(single(in[0]), single(in[1]), mode))
                 : real_b64(real_mul64_mode(real_f64(in[0]), real_f64(in[1]), mode));
}

void math_call_div(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    enum real_mode mode = function->by.mode;
    out[0] = function->result == 'f'
                 ? real_b32(real_div32(single(in[0]), single(in[1]), mode))
                 : real_b64(real_div64_mode(real_f64(in[0]), real_f64(in[1]), mode));
}

void math_call_rcp(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    enum real_mode mode = function->by.mode;
    out[0] = function->result == 'f' ? real_b32(real_div32(1, single(in[0]), mode))
                                     : real_b64(real_div64_mode(1, real_f64(in[0]), mode));
}

void math_call_sqrt(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    enum real_mode mode = function->by.mode;
    out[0] = function->result == 'f' ? real_b32(real_sqrt32(single(in[0]), mode))
                                     : real_b64(real_sqrt64_mode(real_f64(in[0]), mode));
}

void math_call_fma(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    enum real_mode mode = function->by.mode;
    out[0] =
        function->result == 'f'
            ? real_b32(real_fma32_mode(single(in[0]), single(in[1]), single(in[2]), mode))
            : real_b64(real_fma64_mode(real_f64(in[0]), real_f64(in[1]), real_f64(in[2]), mode));
}

/* ---- the table --------------------------------------------------------------------------------------- */

const struct math_function *math_find(const char *name)
{
    static const char prefix[] = "__nv_";
    int low = 0, high = math_function_count;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return NULL;
    name += sizeof prefix - 1;
    while (low < high) {
        int middle = low + (high - low) / 2, order = strcmp(name, math_functions[middle].name);
        if (order == 0)
            return &math_functions[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

void math_call(const struct math_function *function, const uint64_t *in, uint64_t *out)
{
    function->call(function, in, out);
}
