/* operations.c - which table of operations this processor runs best. */
#include "machine/step.h"

const struct operations *operations_for(int slots)
{
    if (slots > 32)
        return &operations_64;
#if defined(__x86_64__) && !defined(__clang_analyzer__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &operations_32_avx2;
#endif
    return &operations_32;
}
