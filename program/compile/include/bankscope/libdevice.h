/* libdevice.h - those of the toolkit's device functions that are one or few instructions: defined, so that
 * the compiler sees through them. The rest (pure.h) stay calls, which the machine serves by name. */
#ifndef BANKSCOPE_LIBDEVICE_H
#define BANKSCOPE_LIBDEVICE_H
#define BANKSCOPE_NV(type, name, ...)                                                              \
    extern "C" inline __attribute__((device, always_inline)) type __nv_##name(__VA_ARGS__)
/* Instructions of one step, with or without subnormal numbers (-ftz=true, -use_fast_math). */
#ifdef BANKSCOPE_FLUSH
#define BANKSCOPE_APPROX(name) __nvvm_##name##_approx_ftz_f
#else
#define BANKSCOPE_APPROX(name) __nvvm_##name##_approx_f
#endif
#define BANKSCOPE_ONE(instruction, out, ...) __asm__(instruction:out : __VA_ARGS__)
BANKSCOPE_NV(int, abs, int a)
{
    return a < 0 ? -a : a;
}
BANKSCOPE_NV(long long, llabs, long long a)
{
    return a < 0 ? -a : a;
}
BANKSCOPE_NV(int, min, int a, int b)
{
    return a < b ? a : b;
}
BANKSCOPE_NV(int, max, int a, int b)
{
    return a > b ? a : b;
}
BANKSCOPE_NV(unsigned, umin, unsigned a, unsigned b)
{
    return a < b ? a : b;
}
BANKSCOPE_NV(unsigned, umax, unsigned a, unsigned b)
{
    return a > b ? a : b;
}
BANKSCOPE_NV(long long, llmin, long long a, long long b)
{
    return a < b ? a : b;
}
BANKSCOPE_NV(long long, llmax, long long a, long long b)
{
    return a > b ? a : b;
}
BANKSCOPE_NV(unsigned long long, ullmin, unsigned long long a, unsigned long long b)
{
    return a < b ? a : b;
}
BANKSCOPE_NV(unsigned long long, ullmax, unsigned long long a, unsigned long long b)
{
    return a > b ? a : b;
}
BANKSCOPE_NV(float, fabsf, float a)
{
    return __builtin_fabsf(a);
}
BANKSCOPE_NV(double, fabs, double a)
{
    return __builtin_fabs(a);
}
BANKSCOPE_NV(float, fminf, float a, float b)
{
    return __nvvm_fmin_f(a, b);
}
BANKSCOPE_NV(float, fmaxf, float a, float b)
{
    return __nvvm_fmax_f(a, b);
}
BANKSCOPE_NV(double, fmin, double a, double b)
{
    return __nvvm_fmin_d(a, b);
}
BANKSCOPE_NV(double, fmax, double a, double b)
{
    return __nvvm_fmax_d(a, b);
}
BANKSCOPE_NV(float, fmaf, float a, float b, float c)
{
    return __nvvm_fma_rn_f(a, b, c);
}
BANKSCOPE_NV(double, fma, double a, double b, double c)
{
    return __nvvm_fma_rn_d(a, b, c);
}
BANKSCOPE_NV(float, floorf, float a)
{
    return __nvvm_floor_f(a);
}
BANKSCOPE_NV(double, floor, double a)
{
    return __nvvm_floor_d(a);
}
BANKSCOPE_NV(float, ceilf, float a)
{
    return __nvvm_ceil_f(a);
}
BANKSCOPE_NV(double, ceil, double a)
{
    return __nvvm_ceil_d(a);
}
BANKSCOPE_NV(float, truncf, float a)
{
    return __nvvm_trunc_f(a);
}
BANKSCOPE_NV(double, trunc, double a)
{
    return __nvvm_trunc_d(a);
}
BANKSCOPE_NV(float, rintf, float a)
{
    float r;
    BANKSCOPE_ONE("cvt.rni.f32.f32 %0, %1;", "=f"(r), "f"(a));
    return r;
}
BANKSCOPE_NV(double, rint, double a)
{
    double r;
    BANKSCOPE_ONE("cvt.rni.f64.f64 %0, %1;", "=d"(r), "d"(a));
    return r;
}
BANKSCOPE_NV(float, nearbyintf, float a)
{
    return __nv_rintf(a);
}
BANKSCOPE_NV(double, nearbyint, double a)
{
    return __nv_rint(a);
}
BANKSCOPE_NV(float, saturatef, float a)
{
    return __nvvm_saturate_f(a);
}
#ifdef __CLANG_CUDA_APPROX_TRANSCENDENTALS__
BANKSCOPE_NV(float, sqrtf, float a)
{
    return BANKSCOPE_APPROX(sqrt)(a);
}
#else
BANKSCOPE_NV(float, sqrtf, float a)
{
    return __nvvm_sqrt_rn_f(a);
}
#endif
BANKSCOPE_NV(double, sqrt, double a)
{
    return __nvvm_sqrt_rn_d(a);
}
BANKSCOPE_NV(float, copysignf, float a, float b)
{
    return __builtin_bit_cast(float, (__builtin_bit_cast(unsigned, a) & 0x7fffffffu) |
                                         (__builtin_bit_cast(unsigned, b) & 0x80000000u));
}
BANKSCOPE_NV(double, copysign, double a, double b)
{
    return __builtin_bit_cast(double,
                              (__builtin_bit_cast(unsigned long, a) & 0x7fffffffffffffffu) |
                                  (__builtin_bit_cast(unsigned long, b) & 0x8000000000000000u));
}
BANKSCOPE_NV(int, isinff, float a)
{
    return __builtin_fabsf(a) == __builtin_inff();
}
BANKSCOPE_NV(int, isinfd, double a)
{
    return __builtin_fabs(a) == __builtin_inf();
}
BANKSCOPE_NV(int, isnanf, float a)
{
    return a != a;
}
BANKSCOPE_NV(int, isnand, double a)
{
    return a != a;
}
BANKSCOPE_NV(int, finitef, float a)
{
    return __builtin_fabsf(a) < __builtin_inff();
}
BANKSCOPE_NV(int, isfinited, double a)
{
    return __builtin_fabs(a) < __builtin_inf();
}
BANKSCOPE_NV(int, signbitf, float a)
{
    return __builtin_bit_cast(int, a) < 0;
}
BANKSCOPE_NV(int, signbitd, double a)
{
    return __builtin_bit_cast(long, a) < 0;
}
BANKSCOPE_NV(int, popc, int a)
{
    return __builtin_popcount(a);
}
BANKSCOPE_NV(int, popcll, long long a)
{
    return __builtin_popcountll(a);
}
BANKSCOPE_NV(int, clz, int a)
{
    return a ? __builtin_clz(a) : 32;
}
BANKSCOPE_NV(int, clzll, long long a)
{
    return a ? __builtin_clzll(a) : 64;
}
BANKSCOPE_NV(int, ffs, int a)
{
    return __builtin_ffs(a);
}
BANKSCOPE_NV(int, ffsll, long long a)
{
    return __builtin_ffsll(a);
}
BANKSCOPE_NV(int, brev, int a)
{
    return (int)__builtin_bitreverse32((unsigned)a);
}
BANKSCOPE_NV(long long, brevll, long long a)
{
    return (long long)__builtin_bitreverse64((unsigned long long)a);
}
BANKSCOPE_NV(int, byte_perm, int a, int b, int c)
{
    return __nvvm_prmt(a, b, c & 0x7777);
}
BANKSCOPE_NV(int, mulhi, int a, int b)
{
    return (int)((long long)a * b >> 32);
}
BANKSCOPE_NV(unsigned, umulhi, unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}
BANKSCOPE_NV(long long, mul64hi, long long a, long long b)
{
    return __nvvm_mulhi_ll(a, b);
}
BANKSCOPE_NV(unsigned long long, umul64hi, unsigned long long a, unsigned long long b)
{
    return __nvvm_mulhi_ull(a, b);
}
BANKSCOPE_NV(int, mul24, int a, int b)
{
    return __nvvm_mul24_i(a, b);
}
BANKSCOPE_NV(unsigned, umul24, unsigned a, unsigned b)
{
    return __nvvm_mul24_ui(a, b);
}
BANKSCOPE_NV(int, hadd, int a, int b)
{
    return (int)(((long long)a + b) >> 1);
}
BANKSCOPE_NV(int, rhadd, int a, int b)
{
    return (int)(((long long)a + b + 1) >> 1);
}
BANKSCOPE_NV(int, uhadd, unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a + b) >> 1);
}
BANKSCOPE_NV(unsigned, urhadd, unsigned a, unsigned b)
{
    return (unsigned)(((unsigned long long)a + b + 1) >> 1);
}
BANKSCOPE_NV(int, float_as_int, float a)
{
    return __builtin_bit_cast(int, a);
}
BANKSCOPE_NV(unsigned, float_as_uint, float a)
{
    return __builtin_bit_cast(unsigned, a);
}
BANKSCOPE_NV(float, int_as_float, int a)
{
    return __builtin_bit_cast(float, a);
}
BANKSCOPE_NV(float, uint_as_float, unsigned a)
{
    return __builtin_bit_cast(float, a);
}
BANKSCOPE_NV(unsigned long long, double_as_longlong, double a)
{
    return __builtin_bit_cast(unsigned long long, a);
}
BANKSCOPE_NV(double, longlong_as_double, long long a)
{
    return __builtin_bit_cast(double, a);
}
BANKSCOPE_NV(int, double2hiint, double a)
{
    return (int)(__builtin_bit_cast(long long, a) >> 32);
}
BANKSCOPE_NV(int, double2loint, double a)
{
    return (int)__builtin_bit_cast(long long, a);
}
BANKSCOPE_NV(double, hiloint2double, int a, int b)
{
    return __builtin_bit_cast(double, (unsigned long long)(unsigned)a << 32 | (unsigned)b);
}
#define BANKSCOPE_ROUNDED(m, n)                                                                    \
    BANKSCOPE_NV(float, fadd_##m, float a, float b)                                                \
    {                                                                                              \
        return __nvvm_add_##n##_f(a, b);                                                           \
    }                                                                                              \
    BANKSCOPE_NV(float, fsub_##m, float a, float b)                                                \
    {                                                                                              \
        return __nvvm_add_##n##_f(a, -b);                                                          \
    }                                                                                              \
    BANKSCOPE_NV(float, fmul_##m, float a, float b)                                                \
    {                                                                                              \
        return __nvvm_mul_##n##_f(a, b);                                                           \
    }                                                                                              \
    BANKSCOPE_NV(float, fdiv_##m, float a, float b)                                                \
    {                                                                                              \
        return __nvvm_div_##n##_f(a, b);                                                           \
    }                                                                                              \
    BANKSCOPE_NV(float, frcp_##m, float a)                                                         \
    {                                                                                              \
        return __nvvm_rcp_##n##_f(a);                                                              \
    }                                                                                              \
    BANKSCOPE_NV(float, fsqrt_##m, float a)                                                        \
    {                                                                                              \
        return __nvvm_sqrt_##n##_f(a);                                                             \
    }                                                                                              \
    BANKSCOPE_NV(float, fmaf_##m, float a, float b, float c)                                       \
    {                                                                                              \
        return __nvvm_fma_##n##_f(a, b, c);                                                        \
    }                                                                                              \
    BANKSCOPE_NV(double, dadd_##m, double a, double b)                                             \
    {                                                                                              \
        return __nvvm_add_##n##_d(a, b);                                                           \
    }                                                                                              \
    BANKSCOPE_NV(double, dsub_##m, double a, double b)                                             \
    {                                                                                              \
        return __nvvm_add_##n##_d(a, -b);                                                          \
    }                                                                                              \
    BANKSCOPE_NV(double, dmul_##m, double a, double b)                                             \
    {                                                                                              \
        return __nvvm_mul_##n##_d(a, b);                                                           \
    }                                                                                              \
    BANKSCOPE_NV(double, ddiv_##m, double a, double b)                                             \
    {                                                                                              \
        return __nvvm_div_##n##_d(a, b);                                                           \
    }                                                                                              \
    BANKSCOPE_NV(double, drcp_##m, double a)                                                       \
    {                                                                                              \
        return __nvvm_rcp_##n##_d(a);                                                              \
    }                                                                                              \
    BANKSCOPE_NV(double, dsqrt_##m, double a)                                                      \
    {                                                                                              \
        return __nvvm_sqrt_##n##_d(a);                                                             \
    }                                                                                              \
    BANKSCOPE_NV(double, fma_##m, double a, double b, double c)                                    \
    {                                                                                              \
        return __nvvm_fma_##n##_d(a, b, c);                                                        \
    }                                                                                              \
    BANKSCOPE_NV(float, double2float_##m, double a)                                                \
    {                                                                                              \
        return __nvvm_d2f_##n(a);                                                                  \
    }                                                                                              \
    BANKSCOPE_NV(float, int2float_##m, int a)                                                      \
    {                                                                                              \
        return __nvvm_i2f_##n(a);                                                                  \
    }                                                                                              \
    BANKSCOPE_NV(float, uint2float_##m, unsigned a)                                                \
    {                                                                                              \
        return __nvvm_ui2f_##n(a);                                                                 \
    }                                                                                              \
    BANKSCOPE_NV(float, ll2float_##m, long long a)                                                 \
    {                                                                                              \
        return __nvvm_ll2f_##n(a);                                                                 \
    }                                                                                              \
    BANKSCOPE_NV(float, ull2float_##m, unsigned long long a)                                       \
    {                                                                                              \
        return __nvvm_ull2f_##n(a);                                                                \
    }                                                                                              \
    BANKSCOPE_NV(double, ll2double_##m, long long a)                                               \
    {                                                                                              \
        return __nvvm_ll2d_##n(a);                                                                 \
    }                                                                                              \
    BANKSCOPE_NV(double, ull2double_##m, unsigned long long a)                                     \
    {                                                                                              \
        return __nvvm_ull2d_##n(a);                                                                \
    }                                                                                              \
    BANKSCOPE_NV(int, float2int_##m, float a)                                                      \
    {                                                                                              \
        return __nvvm_f2i_##n(a);                                                                  \
    }                                                                                              \
    BANKSCOPE_NV(unsigned, float2uint_##m, float a)                                                \
    {                                                                                              \
        return __nvvm_f2ui_##n(a);                                                                 \
    }                                                                                              \
    BANKSCOPE_NV(long long, float2ll_##m, float a)                                                 \
    {                                                                                              \
        return __nvvm_f2ll_##n(a);                                                                 \
    }                                                                                              \
    BANKSCOPE_NV(unsigned long long, float2ull_##m, float a)                                       \
    {                                                                                              \
        return __nvvm_f2ull_##n(a);                                                                \
    }                                                                                              \
    BANKSCOPE_NV(int, double2int_##m, double a)                                                    \
    {                                                                                              \
        return __nvvm_d2i_##n(a);                                                                  \
    }                                                                                              \
    BANKSCOPE_NV(unsigned, double2uint_##m, double a)                                              \
    {                                                                                              \
        return __nvvm_d2ui_##n(a);                                                                 \
    }                                                                                              \
    BANKSCOPE_NV(long long, double2ll_##m, double a)                                               \
    {                                                                                              \
        return __nvvm_d2ll_##n(a);                                                                 \
    }                                                                                              \
    BANKSCOPE_NV(unsigned long long, double2ull_##m, double a)                                     \
    {                                                                                              \
        return __nvvm_d2ull_##n(a);                                                                \
    }
BANKSCOPE_ROUNDED(rn, rn)
BANKSCOPE_ROUNDED(rz, rz)
BANKSCOPE_ROUNDED(ru, rp)
BANKSCOPE_ROUNDED(rd, rm)
#undef BANKSCOPE_ROUNDED
BANKSCOPE_NV(double, int2double_rn, int a)
{
    return a;
}
BANKSCOPE_NV(double, uint2double_rn, unsigned a)
{
    return a;
}
/* one instruction each on a GPU: ex2.approx, lg2.approx, ... */
BANKSCOPE_NV(float, fast_sinf, float a)
{
    return BANKSCOPE_APPROX(sin)(a);
}
BANKSCOPE_NV(float, fast_cosf, float a)
{
    return BANKSCOPE_APPROX(cos)(a);
}
BANKSCOPE_NV(float, fast_expf, float a)
{
    return BANKSCOPE_APPROX(ex2)(a * 1.4426950408889634f);
}
BANKSCOPE_NV(float, fast_exp10f, float a)
{
    return BANKSCOPE_APPROX(ex2)(a * 3.3219280948873623f);
}
BANKSCOPE_NV(float, fast_log2f, float a)
{
    return BANKSCOPE_APPROX(lg2)(a);
}
BANKSCOPE_NV(float, fast_logf, float a)
{
    return BANKSCOPE_APPROX(lg2)(a) * 0.6931471805599453f;
}
BANKSCOPE_NV(float, fast_log10f, float a)
{
    return BANKSCOPE_APPROX(lg2)(a) * 0.3010299956639812f;
}
BANKSCOPE_NV(float, fast_powf, float a, float b)
{
    return BANKSCOPE_APPROX(ex2)(b * BANKSCOPE_APPROX(lg2)(a));
}
BANKSCOPE_NV(float, fast_tanf, float a)
{
    return BANKSCOPE_APPROX(div)(BANKSCOPE_APPROX(sin)(a), BANKSCOPE_APPROX(cos)(a));
}
BANKSCOPE_NV(float, fast_fdividef, float a, float b)
{
    return BANKSCOPE_APPROX(div)(a, b);
}
BANKSCOPE_NV(void, fast_sincosf, float a, float *s, float *c)
{
    *s = BANKSCOPE_APPROX(sin)(a), *c = BANKSCOPE_APPROX(cos)(a);
}
BANKSCOPE_NV(float, frsqrt_rn, float a)
{
    return __nvvm_rcp_rn_f(__nvvm_sqrt_rn_f(a));
}
BANKSCOPE_NV(float, rsqrtf, float a)
{
    return BANKSCOPE_APPROX(rsqrt)(a);
}
BANKSCOPE_NV(double, rsqrt, double a)
{
    return __nvvm_rcp_rn_d(__nvvm_sqrt_rn_d(a));
}
BANKSCOPE_NV(int, sad, int a, int b, int c)
{
    return c + (a > b ? (unsigned)a - (unsigned)b : (unsigned)b - (unsigned)a);
}
BANKSCOPE_NV(unsigned, usad, unsigned a, unsigned b, unsigned c)
{
    return c + (a > b ? a - b : b - a);
}
#undef BANKSCOPE_NV
#undef BANKSCOPE_ONE
#undef BANKSCOPE_APPROX
#endif
