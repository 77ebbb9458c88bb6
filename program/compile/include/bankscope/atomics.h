/* atomics.h - atomicAdd and its relatives, of all types and scopes. By clang's builtins, which become atom
 * instructions of the memory that the address is seen to be in. */
#ifndef BANKSCOPE_ATOMICS_H
#define BANKSCOPE_ATOMICS_H

#define BANKSCOPE_ATOMIC(type, name, builtin, as)                                                  \
    BANKSCOPE_DEVICE type name(type *at, type value)                                               \
    {                                                                                              \
        return (type)__nvvm_atom_##builtin((as *)at, (as)value);                                   \
    }
/* of all blocks; of one block; of host and device */
#define BANKSCOPE_SCOPES(type, name, operation, suffix, as)                                        \
    BANKSCOPE_ATOMIC(type, name, operation##_gen_##suffix, as)                                     \
    BANKSCOPE_ATOMIC(type, name##_block, cta_##operation##_gen_##suffix, as)                       \
    BANKSCOPE_ATOMIC(type, name##_system, sys_##operation##_gen_##suffix, as)

/* Signs do not matter. */
#define BANKSCOPE_BITS(name, operation)                                                            \
    BANKSCOPE_SCOPES(int, name, operation, i, int)                                                 \
    BANKSCOPE_SCOPES(unsigned, name, operation, i, int)                                            \
    BANKSCOPE_SCOPES(long, name, operation, l, long)                                               \
    BANKSCOPE_SCOPES(unsigned long, name, operation, l, long)                                      \
    BANKSCOPE_SCOPES(long long, name, operation, ll, long long)                                    \
    BANKSCOPE_SCOPES(unsigned long long, name, operation, ll, long long)
BANKSCOPE_BITS(atomicAdd, add)
BANKSCOPE_BITS(atomicExch, xchg)
BANKSCOPE_BITS(atomicAnd, and)
BANKSCOPE_BITS(atomicOr, or)
BANKSCOPE_BITS(atomicXor, xor)
#undef BANKSCOPE_BITS
BANKSCOPE_SCOPES(float, atomicAdd, add, f, float)
BANKSCOPE_SCOPES(double, atomicAdd, add, d, double)

/* Signs matter. */
#define BANKSCOPE_ORDERED(name, operation)                                                         \
    BANKSCOPE_SCOPES(int, name, operation, i, int)                                                 \
    BANKSCOPE_SCOPES(unsigned, name, operation, ui, unsigned)                                      \
    BANKSCOPE_SCOPES(long, name, operation, l, long)                                               \
    BANKSCOPE_SCOPES(unsigned long, name, operation, ul, unsigned long)                            \
    BANKSCOPE_SCOPES(long long, name, operation, ll, long long)                                    \
    BANKSCOPE_SCOPES(unsigned long long, name, operation, ull, unsigned long long)
BANKSCOPE_ORDERED(atomicMin, min)
BANKSCOPE_ORDERED(atomicMax, max)
#undef BANKSCOPE_ORDERED
BANKSCOPE_SCOPES(unsigned, atomicInc, inc, ui, unsigned)
BANKSCOPE_SCOPES(unsigned, atomicDec, dec, ui, unsigned)
#undef BANKSCOPE_SCOPES
#undef BANKSCOPE_ATOMIC

#define BANKSCOPE_SWAP(scope, type, builtin, as)                                                   \
    BANKSCOPE_DEVICE type atomicCAS##scope(type *at, type expected, type value)                    \
    {                                                                                              \
        return (type)__nvvm_atom_##builtin((as *)at, (as)expected, (as)value);                     \
    }
#define BANKSCOPE_REST(scope, builtin, instruction)                                                \
    BANKSCOPE_SWAP(scope, int, builtin##cas_gen_i, int)                                            \
    BANKSCOPE_SWAP(scope, unsigned, builtin##cas_gen_i, int)                                       \
    BANKSCOPE_SWAP(scope, long, builtin##cas_gen_l, long)                                          \
    BANKSCOPE_SWAP(scope, unsigned long, builtin##cas_gen_l, long)                                 \
    BANKSCOPE_SWAP(scope, long long, builtin##cas_gen_ll, long long)                               \
    BANKSCOPE_SWAP(scope, unsigned long long, builtin##cas_gen_ll, long long)                      \
    BANKSCOPE_DEVICE unsigned short atomicCAS##scope(unsigned short *at, unsigned short expected,  \
                                                     unsigned short value)                         \
    {                                                                                              \
        unsigned short old;                                                                        \
        __asm__ __volatile__("atom" instruction ".cas.b16 %0, [%1], %2, %3;"                       \
                             : "=h"(old)                                                           \
                             : "l"(at), "h"(expected), "h"(value)                                  \
                             : "memory");                                                          \
        return old;                                                                                \
    }                                                                                              \
    BANKSCOPE_DEVICE int atomicSub##scope(int *at, int value)                                      \
    {                                                                                              \
        return atomicAdd##scope(at, -value);                                                       \
    }                                                                                              \
    BANKSCOPE_DEVICE unsigned atomicSub##scope(unsigned *at, unsigned value)                       \
    {                                                                                              \
        return atomicAdd##scope(at, -value);                                                       \
    }                                                                                              \
    BANKSCOPE_DEVICE float atomicExch##scope(float *at, float value)                               \
    {                                                                                              \
        return __int_as_float(atomicExch##scope((int *)at, __float_as_int(value)));                \
    }                                                                                              \
    BANKSCOPE_DEVICE float2 atomicAdd##scope(float2 *at, float2 value)                             \
    {                                                                                              \
        return {atomicAdd##scope(&at->x, value.x), atomicAdd##scope(&at->y, value.y)};             \
    }                                                                                              \
    BANKSCOPE_DEVICE float4 atomicAdd##scope(float4 *at, float4 value)                             \
    {                                                                                              \
        return {atomicAdd##scope(&at->x, value.x), atomicAdd##scope(&at->y, value.y),              \
                atomicAdd##scope(&at->z, value.z), atomicAdd##scope(&at->w, value.w)};             \
    }
BANKSCOPE_REST(, , "")
BANKSCOPE_REST(_block, cta_, ".cta")
BANKSCOPE_REST(_system, sys_, ".sys")
#undef BANKSCOPE_REST
#undef BANKSCOPE_SWAP

#endif
