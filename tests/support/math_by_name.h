/* math_by_name.h - calls of machine/math/math.h by names and numbers, for its tests. */
#ifndef MATH_BY_NAME_H
#define MATH_BY_NAME_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>

#include <cmocka.h>

#include "machine/math/math.h"

/* It is there, or the test fails. */
static inline const struct math_function *found(const char *name, bool single)
{
    char whole[64];
    snprintf(whole, sizeof whole, "__nv_%s%s", name, single ? "f" : "");
    const struct math_function *function = math_find(whole);
    if (!function)
        fail_msg("there is no %s", whole);
    return function;
}

static inline uint64_t word_of(double x, bool single)
{
    return single ? real_b32((float)x) : real_b64(x);
}

static inline double value_of(uint64_t word, bool single)
{
    return single ? (double)real_f32((uint32_t)word) : real_f64(word);
}

/* Of up to four numbers. */
static inline double called(const struct math_function *function, const double *x)
{
    bool single = function->result == 'f';
    uint64_t in[MATH_ARGUMENTS] = {0}, out[MATH_RESULTS];
    for (int i = 0; function->arguments[i]; i++)
        in[i] = word_of(x[i], function->arguments[i] == 'f');
    math_call(function, in, out);
    return value_of(out[0], single);
}

static inline double call1(const char *name, double x)
{
    return called(found(name, false), &x);
}

static inline double call2(const char *name, double x, double y)
{
    double in[2] = {x, y};
    return called(found(name, false), in);
}

/* The same numbers in every run. */
static inline double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

#endif
