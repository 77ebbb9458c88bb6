/* minmax.h - the smaller and the larger of two, for both sides, of any two types of numbers that CUDA pairs. */
#ifndef BANKSCOPE_MINMAX_H
#define BANKSCOPE_MINMAX_H

#ifdef __CUDA_ARCH__
#define BANKSCOPE_PICK(host, device) (device)
#else
#define BANKSCOPE_PICK(host, device) (host)
#endif
#pragma clang force_cuda_host_device begin

#define BANKSCOPE_LESS(type, first, second)                                                        \
    BANKSCOPE_INLINE constexpr type min(first x, second y)                                         \
    {                                                                                              \
        return (type)x < (type)y ? (type)x : (type)y;                                              \
    }                                                                                              \
    BANKSCOPE_INLINE constexpr type max(first x, second y)                                         \
    {                                                                                              \
        return (type)x > (type)y ? (type)x : (type)y;                                              \
    }
#define BANKSCOPE_LESS_MIXED(type, other)                                                          \
    BANKSCOPE_LESS(type, type, type)                                                               \
    BANKSCOPE_LESS(type, type, other)                                                              \
    BANKSCOPE_LESS(type, other, type)
BANKSCOPE_LESS(int, int, int)
BANKSCOPE_LESS_MIXED(unsigned int, int)
BANKSCOPE_LESS(long, long, long)
BANKSCOPE_LESS_MIXED(unsigned long, long)
BANKSCOPE_LESS(long long, long long, long long)
BANKSCOPE_LESS_MIXED(unsigned long long, long long)
#undef BANKSCOPE_LESS
#undef BANKSCOPE_LESS_MIXED

/* Of floating-point numbers: the other one when one is not a number. */
#define BANKSCOPE_LESS(type, first, second, letter)                                                \
    BANKSCOPE_INLINE type min(first a, second b)                                                   \
    {                                                                                              \
        type x = a, y = b;                                                                         \
        return BANKSCOPE_PICK(x < y || y != y ? x : y, __nvvm_fmin_##letter(x, y));                \
    }                                                                                              \
    BANKSCOPE_INLINE type max(first a, second b)                                                   \
    {                                                                                              \
        type x = a, y = b;                                                                         \
        return BANKSCOPE_PICK(x > y || y != y ? x : y, __nvvm_fmax_##letter(x, y));                \
    }
BANKSCOPE_LESS(float, float, float, f)
BANKSCOPE_LESS(double, double, double, d)
BANKSCOPE_LESS(double, float, double, d)
BANKSCOPE_LESS(double, double, float, d)
#undef BANKSCOPE_LESS

#define BANKSCOPE_MINMAX(prefix, type)                                                             \
    BANKSCOPE_INLINE type prefix##min(type x, type y)                                              \
    {                                                                                              \
        return x < y ? x : y;                                                                      \
    }                                                                                              \
    BANKSCOPE_INLINE type prefix##max(type x, type y)                                              \
    {                                                                                              \
        return x > y ? x : y;                                                                      \
    }
BANKSCOPE_MINMAX(u, unsigned int)
BANKSCOPE_MINMAX(ll, long long)
BANKSCOPE_MINMAX(ull, unsigned long long)
#undef BANKSCOPE_MINMAX

#pragma clang force_cuda_host_device end
#undef BANKSCOPE_PICK

#endif
