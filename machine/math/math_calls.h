/* math_calls.h - how rows of math_names.c are called: for math.c, which has these, and for the table. */
#ifndef MACHINE_MATH_CALLS_H
#define MACHINE_MATH_CALLS_H

#include "machine/math/math.h"

/* One after the form that `by` has. */
void math_call_one(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_two(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_scaled(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_ordered(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_many(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_listed(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_parted(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_powered(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_divided(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_both(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_floats(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_fast_sincos(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_whole(const struct math_function *function, const uint64_t *in, uint64_t *out);

/* In the mode of the row, by the letters of its arguments and its result. */
void math_call_to_integer(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_from_integer(const struct math_function *function, const uint64_t *in,
                            uint64_t *out);
void math_call_narrow(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_add(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_sub(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_mul(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_div(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_rcp(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_sqrt(const struct math_function *function, const uint64_t *in, uint64_t *out);
void math_call_fma(const struct math_function *function, const uint64_t *in, uint64_t *out);

/* What is not in math_functions.h: math_simple.c. Words come extended to 64 bits. */
float math_fast_exp(float a, float b);
float math_fast_exp10(float a, float b);
float math_fast_log(float a, float b);
float math_fast_log2(float a, float b);
float math_fast_log10(float a, float b);
float math_fast_pow(float a, float b);
float math_fast_sin(float a, float b);
float math_fast_cos(float a, float b);
float math_fast_tan(float a, float b);
float math_fast_tanh(float a, float b);
float math_fast_divide(float a, float b);
float math_saturate(float a, float b);
double math_powi(double x, int power);
uint64_t math_abs(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_min(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_max(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_umin(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_umax(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_brev(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_brevll(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_byte_perm(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_clz(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_clzll(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_ffs(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_popc(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_hadd(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_rhadd(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_mul24(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_umul24(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_mulhi(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_mul64hi(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_umul64hi(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_sad(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_usad(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_same(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_upper(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_joined(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_half_of(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_of_half(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_llround(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_llroundf(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_ilogb_word(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_ilogbf_word(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_isfinite(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_isinf(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_isnan(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_signbit(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_isfinitef(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_isinff(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_isnanf(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_signbitf(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_nan(uint64_t a, uint64_t b, uint64_t c);
uint64_t math_nanf(uint64_t a, uint64_t b, uint64_t c);

#endif
