/* operations.h - instead of machine/operations/operations.c, for a benchmark: without AVX2 where `plain` is set. */
#ifndef BANKSCOPE_TESTS_OPERATIONS_H
#define BANKSCOPE_TESTS_OPERATIONS_H

#include "machine/step.h"

static bool plain;
static bool has_avx2(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}
const struct operations *operations_for(int slots)
{
#if defined(__x86_64__)
    if (slots <= 32 && has_avx2() && !plain)
        return &operations_32_avx2;
#endif
    return slots > 32 ? &operations_64 : &operations_32;
}

#endif
