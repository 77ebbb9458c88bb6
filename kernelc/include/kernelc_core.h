/* kernelc_core.h - what every kernel knows without including anything: CUDA's types and functions. Read before each
 * source. Functions that PTX has are a line of inline PTX; %S1 in it is the address space of operand 1. */
#define __CUDACC__ 1
#define __CUDA_ARCH__ 900
#define __NVCC__ 1
#define __KERNELC__ 1
#define __cplusplus 201703L
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define _Pragma(text)
#define __launch_bounds__ __launch_bounds__
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-9223372036854775807l - 1)
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-9223372036854775807ll - 1)
#define ULLONG_MAX 18446744073709551615ull
#define INT8_MAX 127
#define INT8_MIN (-128)
#define UINT8_MAX 255
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MAX 2147483647
#define INT32_MIN (-2147483647 - 1)
#define UINT32_MAX 4294967295u
#define INT64_MAX 9223372036854775807l
#define INT64_MIN (-9223372036854775807l - 1)
#define UINT64_MAX 18446744073709551615ul
#define SIZE_MAX 18446744073709551615ul
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define HUGE_VALF INFINITY
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000ll)
#define CUDART_INF_F INFINITY
#define CUDART_NAN_F NAN
#define CUDART_INF HUGE_VAL
#define CUDART_NAN __longlong_as_double(0xfff8000000000000ull)
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931
#define CUDART_MAX_NORMAL_F 3.402823466e+38f
#define CUDART_MIN_DENORM_F 1.401298464e-45f
#define NULL nullptr
#define and &&
#define or ||
#define not !
#define __CONCAT2(a, b) a##b
#define assert(condition) ((condition) ? (void)0 : __kc_assert(#condition, __FILE__, __LINE__, __func__))
#define __builtin_expect(value, likely) (value)
#define __builtin_assume(x) ((void)0)
#define __builtin_unreachable() ((void)0)
#define BANKSCOPE_STAGE(name) asm volatile("// bankscope stage " name)
#define BANKSCOPE_ROUND(number) asm volatile("// bankscope round %0" ::"r"((int)(number)))

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef long ssize_t;
typedef unsigned long uintptr_t;
typedef long intptr_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef long clock_t;
typedef int wchar_t;
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef int cudaError_t;
typedef void *cudaStream_t;
typedef void *cudaEvent_t;
namespace std {
using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t; using ::int32_t; using ::uint32_t;
using ::int64_t; using ::uint64_t; using ::size_t; using ::ptrdiff_t; using ::uintptr_t;
typedef decltype(nullptr) nullptr_t;
}

/* ---- vectors ---- */
#define __KC_VECTORS(T, N, A2, A4) \
    struct N##1 { T x; }; \
    struct __align__(A2) N##2 { T x, y; }; \
    struct N##3 { T x, y, z; }; \
    struct __align__(A4) N##4 { T x, y, z, w; }; \
    constexpr N##1 make_##N##1(T x) { return {x}; } \
    constexpr N##2 make_##N##2(T x, T y) { return {x, y}; } \
    constexpr N##3 make_##N##3(T x, T y, T z) { return {x, y, z}; } \
    constexpr N##4 make_##N##4(T x, T y, T z, T w) { return {x, y, z, w}; }
__KC_VECTORS(signed char, char, 2, 4)
__KC_VECTORS(unsigned char, uchar, 2, 4)
__KC_VECTORS(short, short, 4, 8)
__KC_VECTORS(unsigned short, ushort, 4, 8)
__KC_VECTORS(int, int, 8, 16)
__KC_VECTORS(unsigned, uint, 8, 16)
__KC_VECTORS(long, long, 16, 16)
__KC_VECTORS(unsigned long, ulong, 16, 16)
__KC_VECTORS(long long, longlong, 16, 16)
__KC_VECTORS(unsigned long long, ulonglong, 16, 16)
__KC_VECTORS(float, float, 8, 16)
__KC_VECTORS(double, double, 16, 16)
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};
__device__ int __kc_warp_size() { int n; asm("mov.u32 %0, WARP_SZ;" : "=r"(n)); return n; }
#define warpSize __kc_warp_size()

/* ---- functions of one line of PTX: result, letter, name, parameters ---- */
#define __KC_1(R, r, name, A, a, ptx) __device__ R name(A x) { R d; asm(ptx " %0, %1;" : "=" r(d) : a(x)); return d; }
#define __KC_2(R, r, name, A, a, B, b, ptx) \
    __device__ R name(A x, B y) { R d; asm(ptx " %0, %1, %2;" : "=" r(d) : a(x), b(y)); return d; }
#define __KC_3(R, r, name, A, a, B, b, C, c, ptx) \
    __device__ R name(A x, B y, C z) { R d; asm(ptx " %0, %1, %2, %3;" : "=" r(d) : a(x), b(y), c(z)); return d; }
__KC_1(int, "r", __popc, unsigned, "r", "popc.b32")
__KC_1(int, "r", __popcll, unsigned long long, "l", "popc.b64")
__KC_1(int, "r", __clz, int, "r", "clz.b32")
__KC_1(int, "r", __clzll, long long, "l", "clz.b64")
__KC_1(unsigned, "r", __brev, unsigned, "r", "brev.b32")
__KC_1(unsigned long long, "l", __brevll, unsigned long long, "l", "brev.b64")
__device__ int __ffs(int x) { return 32 - __clz(x & -x); }
__device__ int __ffsll(long long x) { return 64 - __clzll(x & -x); }
#define __builtin_popcount __popc
#define __builtin_clz __clz
#define __builtin_ctz(x) (__ffs(x) - 1)
__KC_2(unsigned, "r", __umulhi, unsigned, "r", unsigned, "r", "mul.hi.u32")
__KC_2(int, "r", __mulhi, int, "r", int, "r", "mul.hi.s32")
__KC_2(unsigned long long, "l", __umul64hi, unsigned long long, "l", unsigned long long, "l", "mul.hi.u64")
__KC_2(long long, "l", __mul64hi, long long, "l", long long, "l", "mul.hi.s64")
__KC_2(int, "r", __mul24, int, "r", int, "r", "mul24.lo.s32")
__KC_2(unsigned, "r", __umul24, unsigned, "r", unsigned, "r", "mul24.lo.u32")
__KC_3(unsigned, "r", __kc_prmt, unsigned, "r", unsigned, "r", unsigned, "r", "prmt.b32")
__device__ unsigned __byte_perm(unsigned x, unsigned y, unsigned s) { return __kc_prmt(x, y, s & 0x7777); }
__device__ unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned n) { unsigned d; asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(lo), "r"(hi), "r"(n)); return d; }
__device__ unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned n) { unsigned d; asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(lo), "r"(hi), "r"(n)); return d; }
__device__ unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned n) { unsigned d; asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(lo), "r"(hi), "r"(n)); return d; }
__device__ unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned n) { unsigned d; asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(lo), "r"(hi), "r"(n)); return d; }
__KC_3(unsigned, "r", __sad, int, "r", int, "r", unsigned, "r", "sad.s32")
__KC_3(unsigned, "r", __usad, unsigned, "r", unsigned, "r", unsigned, "r", "sad.u32")
__KC_3(int, "r", __dp4a, int, "r", int, "r", int, "r", "dp4a.s32.s32")
__KC_3(unsigned, "r", __dp4a, unsigned, "r", unsigned, "r", unsigned, "r", "dp4a.u32.u32")
__KC_3(int, "r", __dp2a_lo, int, "r", int, "r", int, "r", "dp2a.lo.s32.s32") __KC_3(unsigned, "r", __dp2a_lo, unsigned, "r", unsigned, "r", unsigned, "r", "dp2a.lo.u32.u32")
__KC_3(int, "r", __dp2a_hi, int, "r", int, "r", int, "r", "dp2a.hi.s32.s32") __KC_3(unsigned, "r", __dp2a_hi, unsigned, "r", unsigned, "r", unsigned, "r", "dp2a.hi.u32.u32")
__device__ int __hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
__device__ int __rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
__device__ unsigned __uhadd(unsigned a, unsigned b) { return (a & b) + ((a ^ b) >> 1); }
__device__ unsigned __urhadd(unsigned a, unsigned b) { return (a | b) - ((a ^ b) >> 1); }
__device__ unsigned __fns(unsigned mask, unsigned base, int n) { int step = n < 0 ? -1 : 1; if (n == 0) return mask >> base & 1 ? base : ~0u; for (int i = base; i >= 0 && i < 32; i += step) if (mask >> i & 1 && (n -= step) == 0) return i; return ~0u; }
__KC_1(int, "r", __float_as_int, float, "f", "mov.b32")
__KC_1(unsigned, "r", __float_as_uint, float, "f", "mov.b32")
__KC_1(float, "f", __int_as_float, int, "r", "mov.b32")
__KC_1(float, "f", __uint_as_float, unsigned, "r", "mov.b32")
__KC_1(long long, "l", __double_as_longlong, double, "d", "mov.b64")
__KC_1(double, "d", __longlong_as_double, long long, "l", "mov.b64")
__device__ double __hiloint2double(int hi, int lo) { double d; asm("mov.b64 %0, {%1, %2};" : "=d"(d) : "r"(lo), "r"(hi)); return d; }
__device__ int __double2hiint(double x) { int d; asm("{ .reg .b32 t; mov.b64 {t, %0}, %1; }" : "=r"(d) : "d"(x)); return d; }
__device__ int __double2loint(double x) { int d; asm("{ .reg .b32 t; mov.b64 {%0, t}, %1; }" : "=r"(d) : "d"(x)); return d; }

/* conversions with a rounding */
#define __KC_ROUND(name, R, r, A, a, types, w) \
    __KC_1(R, r, __##name##_rn, A, a, "cvt.rn" w types) __KC_1(R, r, __##name##_rz, A, a, "cvt.rz" w types) \
    __KC_1(R, r, __##name##_ru, A, a, "cvt.rp" w types) __KC_1(R, r, __##name##_rd, A, a, "cvt.rm" w types)
__KC_ROUND(float2int, int, "r", float, "f", ".s32.f32", "i")
__KC_ROUND(float2uint, unsigned, "r", float, "f", ".u32.f32", "i")
__KC_ROUND(float2ll, long long, "l", float, "f", ".s64.f32", "i")
__KC_ROUND(float2ull, unsigned long long, "l", float, "f", ".u64.f32", "i")
__KC_ROUND(double2int, int, "r", double, "d", ".s32.f64", "i")
__KC_ROUND(double2uint, unsigned, "r", double, "d", ".u32.f64", "i")
__KC_ROUND(double2ll, long long, "l", double, "d", ".s64.f64", "i")
__KC_ROUND(double2ull, unsigned long long, "l", double, "d", ".u64.f64", "i")
__KC_ROUND(int2float, float, "f", int, "r", ".f32.s32", "")
__KC_ROUND(uint2float, float, "f", unsigned, "r", ".f32.u32", "")
__KC_ROUND(ll2float, float, "f", long long, "l", ".f32.s64", "")
__KC_ROUND(ull2float, float, "f", unsigned long long, "l", ".f32.u64", "")
__KC_ROUND(ll2double, double, "d", long long, "l", ".f64.s64", "")
__KC_ROUND(ull2double, double, "d", unsigned long long, "l", ".f64.u64", "")
__KC_ROUND(double2float, float, "f", double, "d", ".f32.f64", "")
__device__ double __int2double_rn(int x) { return x; }
__device__ double __uint2double_rn(unsigned x) { return x; }

/* arithmetic with a rounding */
#define __KC_ROUNDED(P, T, t, s, op, ptx) \
    __KC_2(T, t, __##P##op##_rn, T, t, T, t, ptx ".rn" s) __KC_2(T, t, __##P##op##_rz, T, t, T, t, ptx ".rz" s) \
    __KC_2(T, t, __##P##op##_ru, T, t, T, t, ptx ".rp" s) __KC_2(T, t, __##P##op##_rd, T, t, T, t, ptx ".rm" s)
__KC_ROUNDED(f, float, "f", ".f32", add, "add")
__KC_ROUNDED(f, float, "f", ".f32", sub, "sub")
__KC_ROUNDED(f, float, "f", ".f32", mul, "mul")
__KC_ROUNDED(f, float, "f", ".f32", div, "div")
__KC_ROUNDED(d, double, "d", ".f64", add, "add")
__KC_ROUNDED(d, double, "d", ".f64", sub, "sub")
__KC_ROUNDED(d, double, "d", ".f64", mul, "mul")
__KC_ROUNDED(d, double, "d", ".f64", div, "div")
#define __KC_ROUNDED1(name, T, t, ptx, s) \
    __KC_1(T, t, __##name##_rn, T, t, ptx ".rn" s) __KC_1(T, t, __##name##_rz, T, t, ptx ".rz" s) \
    __KC_1(T, t, __##name##_ru, T, t, ptx ".rp" s) __KC_1(T, t, __##name##_rd, T, t, ptx ".rm" s)
__KC_ROUNDED1(frcp, float, "f", "rcp", ".f32")
__KC_ROUNDED1(fsqrt, float, "f", "sqrt", ".f32")
__KC_ROUNDED1(drcp, double, "d", "rcp", ".f64")
__KC_ROUNDED1(dsqrt, double, "d", "sqrt", ".f64")
#define __KC_FMA(name, T, t, s) \
    __KC_3(T, t, name##_rn, T, t, T, t, T, t, "fma.rn" s) __KC_3(T, t, name##_rz, T, t, T, t, T, t, "fma.rz" s) \
    __KC_3(T, t, name##_ru, T, t, T, t, T, t, "fma.rp" s) __KC_3(T, t, name##_rd, T, t, T, t, T, t, "fma.rm" s)
__KC_FMA(__fmaf, float, "f", ".f32")
__KC_FMA(__fma, double, "d", ".f64")
__KC_1(float, "f", __frsqrt_rn, float, "f", "rsqrt.approx.f32")
__KC_2(float, "f", __fdividef, float, "f", float, "f", "div.approx.f32")
__KC_2(float, "f", fdividef, float, "f", float, "f", "div.approx.f32")
__KC_1(float, "f", __saturatef, float, "f", "cvt.sat.f32.f32")
__KC_1(float, "f", __kc_ex2, float, "f", "ex2.approx.f32")
__KC_1(float, "f", __kc_lg2, float, "f", "lg2.approx.f32")
__KC_1(float, "f", __sinf, float, "f", "sin.approx.f32")
__KC_1(float, "f", __cosf, float, "f", "cos.approx.f32")
__KC_1(float, "f", __tanhf, float, "f", "tanh.approx.f32")
__device__ float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
__device__ float __expf(float x) { return __kc_ex2(x * 1.44269504f); }
__device__ float __exp2f(float x) { return __kc_ex2(x); }
__device__ float __exp10f(float x) { return __kc_ex2(x * 3.32192809f); }
__device__ float __log2f(float x) { return __kc_lg2(x); }
__device__ float __logf(float x) { return __kc_lg2(x) * 0.693147182f; }
__device__ float __log10f(float x) { return __kc_lg2(x) * 0.301029995f; }
__device__ float __powf(float x, float y) { return __kc_ex2(y * __kc_lg2(x)); }
__device__ void __sincosf(float x, float *s, float *c) { *s = __sinf(x); *c = __cosf(x); }

/* functions of math.h that PTX has, for float, by their overloads, and for double */
#define __KC_M1(name, f32, f64) \
    __KC_1(float, "f", name##f, float, "f", f32) __KC_1(float, "f", name, float, "f", f32) __KC_1(double, "d", name, double, "d", f64) \
    __device__ double name(int x) { return name((double)x); }
#define __KC_M2(name, f32, f64) \
    __KC_2(float, "f", name##f, float, "f", float, "f", f32) __KC_2(float, "f", name, float, "f", float, "f", f32) \
    __KC_2(double, "d", name, double, "d", double, "d", f64)
__KC_M1(sqrt, "sqrt.rn.f32", "sqrt.rn.f64")
__KC_M1(fabs, "abs.f32", "abs.f64")
__KC_M1(floor, "cvt.rmi.f32.f32", "cvt.rmi.f64.f64")
__KC_M1(ceil, "cvt.rpi.f32.f32", "cvt.rpi.f64.f64")
__KC_M1(trunc, "cvt.rzi.f32.f32", "cvt.rzi.f64.f64")
__KC_M1(rint, "cvt.rni.f32.f32", "cvt.rni.f64.f64")
__KC_M1(nearbyint, "cvt.rni.f32.f32", "cvt.rni.f64.f64")
__KC_M2(fmin, "min.f32", "min.f64")
__KC_M2(fmax, "max.f32", "max.f64")
__KC_3(float, "f", fmaf, float, "f", float, "f", float, "f", "fma.rn.f32")
__KC_3(float, "f", fma, float, "f", float, "f", float, "f", "fma.rn.f32")
__KC_3(double, "d", fma, double, "d", double, "d", double, "d", "fma.rn.f64")
__device__ float copysignf(float x, float y) { float d; asm("copysign.f32 %0, %1, %2;" : "=f"(d) : "f"(y), "f"(x)); return d; }
__device__ float copysign(float x, float y) { return copysignf(x, y); }
__device__ double copysign(double x, double y) { double d; asm("copysign.f64 %0, %1, %2;" : "=d"(d) : "d"(y), "d"(x)); return d; }
__KC_1(float, "f", rsqrtf, float, "f", "rsqrt.approx.f32")
__KC_1(float, "f", rsqrt, float, "f", "rsqrt.approx.f32")
__KC_1(long, "l", lrintf, float, "f", "cvt.rni.s64.f32")
__KC_1(long, "l", lrint, double, "d", "cvt.rni.s64.f64")
__KC_1(long long, "l", llrintf, float, "f", "cvt.rni.s64.f32")
__KC_1(long long, "l", llrint, double, "d", "cvt.rni.s64.f64")

/* functions that the machine brings, as libdevice has them */
#define __KC_D1(name) \
    extern "C" __device__ float __nv_##name##f(float); extern "C" __device__ double __nv_##name(double); \
    __device__ float name##f(float x) { return __nv_##name##f(x); } __device__ float name(float x) { return __nv_##name##f(x); } \
    __device__ double name(double x) { return __nv_##name(x); } __device__ double name(int x) { return __nv_##name(x); }
#define __KC_D2(name) \
    extern "C" __device__ float __nv_##name##f(float, float); extern "C" __device__ double __nv_##name(double, double); \
    __device__ float name##f(float x, float y) { return __nv_##name##f(x, y); } \
    __device__ float name(float x, float y) { return __nv_##name##f(x, y); } \
    __device__ double name(double x, double y) { return __nv_##name(x, y); }
__KC_D1(exp) __KC_D1(exp2) __KC_D1(exp10) __KC_D1(expm1) __KC_D1(log) __KC_D1(log2) __KC_D1(log10) __KC_D1(log1p) __KC_D1(logb)
__KC_D1(sin) __KC_D1(cos) __KC_D1(tan) __KC_D1(sinpi) __KC_D1(cospi) __KC_D1(asin) __KC_D1(acos) __KC_D1(atan)
__KC_D1(sinh) __KC_D1(cosh) __KC_D1(tanh) __KC_D1(asinh) __KC_D1(acosh) __KC_D1(atanh)
__KC_D1(cbrt) __KC_D1(rcbrt) __KC_D1(erf) __KC_D1(erfc) __KC_D1(erfinv) __KC_D1(erfcinv) __KC_D1(erfcx) __KC_D1(normcdf) __KC_D1(normcdfinv)
__KC_D1(lgamma) __KC_D1(tgamma) __KC_D1(round) __KC_D1(j0) __KC_D1(j1) __KC_D1(y0) __KC_D1(y1)
__KC_D2(pow) __KC_D2(atan2) __KC_D2(hypot) __KC_D2(rhypot) __KC_D2(fmod) __KC_D2(remainder) __KC_D2(fdim) __KC_D2(nextafter)
extern "C" __device__ double __nv_rsqrt(double);
__device__ double rsqrt(double x) { return __nv_rsqrt(x); }
extern "C" __device__ float __nv_ldexpf(float, int);
extern "C" __device__ double __nv_ldexp(double, int);
__device__ float ldexpf(float x, int e) { return __nv_ldexpf(x, e); }
__device__ float ldexp(float x, int e) { return __nv_ldexpf(x, e); }
__device__ double ldexp(double x, int e) { return __nv_ldexp(x, e); }
__device__ float scalbnf(float x, int e) { return __nv_ldexpf(x, e); }
__device__ double scalbn(double x, int e) { return __nv_ldexp(x, e); }
extern "C" __device__ float __nv_powif(float, int);
extern "C" __device__ double __nv_powi(double, int);
__device__ double pow(double x, int y) { return __nv_powi(x, y); }
__device__ float pow(float x, int y) { return __nv_powif(x, y); }
extern "C" __device__ float __nv_norm3df(float, float, float);
extern "C" __device__ float __nv_rnorm3df(float, float, float);
extern "C" __device__ double __nv_norm3d(double, double, double);
__device__ float norm3df(float a, float b, float c) { return __nv_norm3df(a, b, c); }
__device__ float rnorm3df(float a, float b, float c) { return __nv_rnorm3df(a, b, c); }
__device__ double norm3d(double a, double b, double c) { return __nv_norm3d(a, b, c); }
extern "C" __device__ long long __nv_llroundf(float);
extern "C" __device__ long long __nv_llround(double);
__device__ long lroundf(float x) { return __nv_llroundf(x); }
__device__ long lround(double x) { return __nv_llround(x); }
__device__ long long llroundf(float x) { return __nv_llroundf(x); }
__device__ long long llround(double x) { return __nv_llround(x); }
extern "C" __device__ int __nv_ilogbf(float);
extern "C" __device__ int __nv_ilogb(double);
__device__ int ilogbf(float x) { return __nv_ilogbf(x); }
__device__ int ilogb(double x) { return __nv_ilogb(x); }
__device__ void sincosf(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }
__device__ void sincos(double x, double *s, double *c) { *s = sin(x); *c = cos(x); }
__device__ void sincos(float x, float *s, float *c) { *s = sinf(x); *c = cosf(x); }
__device__ void sincospif(float x, float *s, float *c) { *s = sinpif(x); *c = cospif(x); }
__device__ void sincospi(double x, double *s, double *c) { *s = sinpi(x); *c = cospi(x); }
__device__ float frexpf(float x, int *e) { if (x == 0 || !(fabsf(x) < INFINITY)) { *e = 0; return x + x; } *e = ilogbf(x) + 1; return ldexpf(x, -*e); }
__device__ float frexp(float x, int *e) { return frexpf(x, e); }
__device__ double frexp(double x, int *e) { if (x == 0 || !(fabs(x) < HUGE_VAL)) { *e = 0; return x + x; } *e = ilogb(x) + 1; return ldexp(x, -*e); }
__device__ float scalblnf(float x, long e) { return ldexpf(x, (int)min(max(e, -100000l), 100000l)); }
__device__ double scalbln(double x, long e) { return ldexp(x, (int)min(max(e, -100000l), 100000l)); }
__device__ float modff(float x, float *whole) { *whole = truncf(x); return copysignf(x == *whole ? 0 : x - *whole, x); }
__device__ double modf(double x, double *whole) { *whole = trunc(x); return copysign(x == *whole ? 0 : x - *whole, x); }
__device__ bool isnan(float x) { return x != x; }
__device__ bool isnan(double x) { return x != x; }
__device__ bool isinf(float x) { return fabsf(x) == INFINITY; }
__device__ bool isinf(double x) { return fabs(x) == HUGE_VAL; }
__device__ bool isfinite(float x) { return fabsf(x) < INFINITY; }
__device__ bool isfinite(double x) { return fabs(x) < HUGE_VAL; }
__device__ bool signbit(float x) { return __float_as_int(x) < 0; }
__device__ bool signbit(double x) { return __double_as_longlong(x) < 0; }
__device__ int abs(int x) { int d; asm("abs.s32 %0, %1;" : "=r"(d) : "r"(x)); return d; }
__device__ long abs(long x) { long d; asm("abs.s64 %0, %1;" : "=l"(d) : "l"(x)); return d; }
__device__ long long abs(long long x) { long long d; asm("abs.s64 %0, %1;" : "=l"(d) : "l"(x)); return d; }
__device__ float abs(float x) { return fabsf(x); }
__device__ double abs(double x) { return fabs(x); }
__device__ long labs(long x) { return abs(x); }
__device__ long long llabs(long long x) { return abs(x); }
#define __KC_MINMAX(T, t, s) __KC_2(T, t, min, T, t, T, t, "min" s) __KC_2(T, t, max, T, t, T, t, "max" s)
__KC_MINMAX(int, "r", ".s32") __KC_MINMAX(unsigned, "r", ".u32") __KC_MINMAX(long, "l", ".s64") __KC_MINMAX(unsigned long, "l", ".u64")
__KC_MINMAX(long long, "l", ".s64") __KC_MINMAX(unsigned long long, "l", ".u64") __KC_MINMAX(float, "f", ".f32") __KC_MINMAX(double, "d", ".f64")
__device__ unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
__device__ unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
__device__ unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
__device__ unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
#define __KC_MIXED(A, B, R) \
    __device__ R min(A a, B b) { return min((R)a, (R)b); } __device__ R min(B a, A b) { return min((R)a, (R)b); } \
    __device__ R max(A a, B b) { return max((R)a, (R)b); } __device__ R max(B a, A b) { return max((R)a, (R)b); }
__KC_MIXED(long, int, long) __KC_MIXED(unsigned long, int, unsigned long) __KC_MIXED(unsigned long, unsigned, unsigned long)
__KC_MIXED(long, unsigned, long) __KC_MIXED(long long, int, long long) __KC_MIXED(float, double, double)
__KC_MIXED(unsigned long long, int, unsigned long long) __KC_MIXED(unsigned long long, unsigned, unsigned long long) __KC_MIXED(unsigned long, long, unsigned long)
__device__ unsigned umin(unsigned a, unsigned b) { return min(a, b); }
__device__ unsigned umax(unsigned a, unsigned b) { return max(a, b); }
__device__ long long llmin(long long a, long long b) { return min(a, b); }
__device__ long long llmax(long long a, long long b) { return max(a, b); }

/* ---- barriers, fences, time ---- */
__device__ void __syncthreads() { asm volatile("bar.sync 0;" ::: "memory"); }
#define __KC_SYNC(name, R, op, get) \
    __device__ int name(int p) { int d; asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; " op " selp.s32 %0, 1, 0, q; }" : "=r"(d) : "r"(p) : "memory"); return d; }
__KC_SYNC(__syncthreads_and, int, "bar.red.and.pred q, 0, p;", )
__KC_SYNC(__syncthreads_or, int, "bar.red.or.pred q, 0, p;", )
__device__ int __syncthreads_count(int p) { int d; asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }" : "=r"(d) : "r"(p) : "memory"); return d; }
__device__ void __syncwarp(unsigned mask = 0xffffffff) { asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"); }
__device__ void __threadfence_block() { asm volatile("membar.cta;" ::: "memory"); }
__device__ void __threadfence() { asm volatile("membar.gl;" ::: "memory"); }
__device__ void __threadfence_system() { asm volatile("membar.sys;" ::: "memory"); }
__device__ void __trap() { asm volatile("trap;"); }
__device__ void __brkpt() { asm volatile("brkpt;"); }
__device__ void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }
__device__ long long clock64() { long long d; asm volatile("mov.u64 %0, %%clock64;" : "=l"(d)::"memory"); return d; }
__device__ clock_t clock() { int d; asm volatile("mov.u32 %0, %%clock;" : "=r"(d)::"memory"); return d; }
__device__ unsigned long long globaltimer() { unsigned long long d; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(d)::"memory"); return d; }
__device__ unsigned __activemask() { unsigned d; asm volatile("activemask.b32 %0;" : "=r"(d)); return d; }

/* ---- the lanes of a warp ---- */
#define __KC_SHUFFLE(name, way, bound, L) \
    __device__ int __kc_##way(unsigned mask, int x, int lane, int c) { int d; asm volatile("shfl.sync." #way ".b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(x), "r"(lane), "r"(c), "r"(mask)); return d; } \
    __device__ int name(unsigned mask, int x, L lane, int width = 32) { return __kc_##way(mask, x, (int)lane, (32 - width) << 8 | bound); } \
    __device__ unsigned name(unsigned mask, unsigned x, L lane, int width = 32) { return (unsigned)__kc_##way(mask, (int)x, (int)lane, (32 - width) << 8 | bound); } \
    __device__ float name(unsigned mask, float x, L lane, int width = 32) { return __int_as_float(__kc_##way(mask, __float_as_int(x), (int)lane, (32 - width) << 8 | bound)); } \
    __device__ long long name(unsigned mask, long long x, L lane, int width = 32) { int c = (32 - width) << 8 | bound, lo = __kc_##way(mask, (int)x, (int)lane, c), hi = __kc_##way(mask, (int)(x >> 32), (int)lane, c); return (long long)((unsigned long long)(unsigned)hi << 32 | (unsigned)lo); } \
    __device__ unsigned long long name(unsigned mask, unsigned long long x, L lane, int width = 32) { return (unsigned long long)name(mask, (long long)x, lane, width); } \
    __device__ long name(unsigned mask, long x, L lane, int width = 32) { return (long)name(mask, (long long)x, lane, width); } \
    __device__ unsigned long name(unsigned mask, unsigned long x, L lane, int width = 32) { return (unsigned long)name(mask, (long long)x, lane, width); } \
    __device__ double name(unsigned mask, double x, L lane, int width = 32) { return __longlong_as_double(name(mask, __double_as_longlong(x), lane, width)); }
__KC_SHUFFLE(__shfl_sync, idx, 31, int)
__KC_SHUFFLE(__shfl_up_sync, up, 0, unsigned)
__KC_SHUFFLE(__shfl_down_sync, down, 31, unsigned)
__KC_SHUFFLE(__shfl_xor_sync, bfly, 31, int)
#define __KC_VOTE(name, R, r, op) \
    __device__ int name(unsigned mask, int p) { int d; asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync." op ".pred q, p, %2; selp.s32 %0, 1, 0, q; }" : "=r"(d) : "r"(p), "r"(mask)); return d; }
__KC_VOTE(__all_sync, int, "r", "all")
__KC_VOTE(__any_sync, int, "r", "any")
__KC_VOTE(__uni_sync, int, "r", "uni")
__device__ unsigned __ballot_sync(unsigned mask, int p) { unsigned d; asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }" : "=r"(d) : "r"(p), "r"(mask)); return d; }
__device__ unsigned __kc_match4(unsigned mask, unsigned x) { unsigned d; asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(d) : "r"(x), "r"(mask)); return d; }
__device__ unsigned __kc_match8(unsigned mask, unsigned long long x) { unsigned d; asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(d) : "l"(x), "r"(mask)); return d; }
__device__ unsigned __kc_matchall4(unsigned mask, unsigned x, int *all) { unsigned d; int p; asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }" : "=r"(d), "=r"(p) : "r"(x), "r"(mask)); *all = p; return d; }
__device__ unsigned __kc_matchall8(unsigned mask, unsigned long long x, int *all) { unsigned d; int p; asm volatile("{ .reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.s32 %1, 1, 0, p; }" : "=r"(d), "=r"(p) : "l"(x), "r"(mask)); *all = p; return d; }
#define __KC_MATCH(T, W, cast) \
    __device__ unsigned __match_any_sync(unsigned mask, T x) { return __kc_match##W(mask, cast(x)); } \
    __device__ unsigned __match_all_sync(unsigned mask, T x, int *all) { return __kc_matchall##W(mask, cast(x), all); }
__KC_MATCH(int, 4, (unsigned)) __KC_MATCH(unsigned, 4, (unsigned)) __KC_MATCH(float, 4, __float_as_uint)
__KC_MATCH(long, 8, (unsigned long long)) __KC_MATCH(unsigned long, 8, (unsigned long long)) __KC_MATCH(long long, 8, (unsigned long long))
__KC_MATCH(unsigned long long, 8, (unsigned long long)) __KC_MATCH(double, 8, (unsigned long long)__double_as_longlong)
#define __KC_REDUX(name, T, op) __device__ T name(unsigned mask, T x) { T d; asm volatile("redux.sync." op " %0, %1, %2;" : "=r"(d) : "r"(x), "r"(mask)); return d; }
__KC_REDUX(__reduce_add_sync, unsigned, "add.u32") __KC_REDUX(__reduce_add_sync, int, "add.s32")
__KC_REDUX(__reduce_min_sync, unsigned, "min.u32") __KC_REDUX(__reduce_min_sync, int, "min.s32")
__KC_REDUX(__reduce_max_sync, unsigned, "max.u32") __KC_REDUX(__reduce_max_sync, int, "max.s32")
__KC_REDUX(__reduce_and_sync, unsigned, "and.b32") __KC_REDUX(__reduce_or_sync, unsigned, "or.b32") __KC_REDUX(__reduce_xor_sync, unsigned, "xor.b32")
#define __shfl(...) __shfl_sync(__activemask(), __VA_ARGS__)
#define __shfl_up(...) __shfl_up_sync(__activemask(), __VA_ARGS__)
#define __shfl_down(...) __shfl_down_sync(__activemask(), __VA_ARGS__)
#define __shfl_xor(...) __shfl_xor_sync(__activemask(), __VA_ARGS__)
#define __ballot(p) __ballot_sync(__activemask(), p)
#define __any(p) __any_sync(__activemask(), p)
#define __all(p) __all_sync(__activemask(), p)

/* ---- atomics: at the address space that the pointer is of ---- */
#define __KC_ATOM(name, T, t, op) \
    __device__ T name(T *at, T x) { T d; asm volatile("atom%S1." op " %0, [%1], %2;" : "=" t(d) : "l"(at), t(x) : "memory"); return d; } \
    __device__ T name##_block(T *at, T x) { T d; asm volatile("atom%S1.cta." op " %0, [%1], %2;" : "=" t(d) : "l"(at), t(x) : "memory"); return d; } \
    __device__ T name##_system(T *at, T x) { T d; asm volatile("atom%S1.sys." op " %0, [%1], %2;" : "=" t(d) : "l"(at), t(x) : "memory"); return d; }
__KC_ATOM(atomicAdd, int, "r", "add.s32") __KC_ATOM(atomicAdd, unsigned, "r", "add.u32") __KC_ATOM(atomicAdd, unsigned long long, "l", "add.u64")
__KC_ATOM(atomicAdd, unsigned long, "l", "add.u64") __KC_ATOM(atomicAdd, float, "f", "add.f32") __KC_ATOM(atomicAdd, double, "d", "add.f64")
__KC_ATOM(atomicExch, int, "r", "exch.b32") __KC_ATOM(atomicExch, unsigned, "r", "exch.b32") __KC_ATOM(atomicExch, unsigned long long, "l", "exch.b64") __KC_ATOM(atomicExch, float, "f", "exch.b32")
#define __KC_ATOMS(name, op) __KC_ATOM(name, int, "r", op ".s32") __KC_ATOM(name, unsigned, "r", op ".u32") \
    __KC_ATOM(name, unsigned long long, "l", op ".u64") __KC_ATOM(name, long long, "l", op ".s64")
__KC_ATOMS(atomicMin, "min") __KC_ATOMS(atomicMax, "max")
#define __KC_ATOMB(name, op) __KC_ATOM(name, int, "r", op ".b32") __KC_ATOM(name, unsigned, "r", op ".b32") __KC_ATOM(name, unsigned long long, "l", op ".b64")
__KC_ATOMB(atomicAnd, "and") __KC_ATOMB(atomicOr, "or") __KC_ATOMB(atomicXor, "xor")
__KC_ATOM(atomicInc, unsigned, "r", "inc.u32") __KC_ATOM(atomicDec, unsigned, "r", "dec.u32")
__device__ int atomicSub(int *at, int x) { return atomicAdd(at, -x); }
__device__ unsigned atomicSub(unsigned *at, unsigned x) { return atomicAdd(at, 0u - x); }
#define __KC_CAS(T, t, s) \
    __device__ T atomicCAS(T *at, T old, T x) { T d; asm volatile("atom%S1.cas." s " %0, [%1], %2, %3;" : "=" t(d) : "l"(at), t(old), t(x) : "memory"); return d; } \
    __device__ T atomicCAS_block(T *at, T old, T x) { return atomicCAS(at, old, x); } \
    __device__ T atomicCAS_system(T *at, T old, T x) { return atomicCAS(at, old, x); }
__KC_CAS(int, "r", "b32") __KC_CAS(unsigned, "r", "b32") __KC_CAS(unsigned long long, "l", "b64") __KC_CAS(unsigned long, "l", "b64") __KC_CAS(unsigned short, "h", "b16")

/* ---- loads and stores with a way through the caches; addresses ---- */
#define __KC_LOADS(name) template <typename T> __device__ T name(const T *at) { return *at; }
__KC_LOADS(__ldg) __KC_LOADS(__ldcg) __KC_LOADS(__ldca) __KC_LOADS(__ldcs) __KC_LOADS(__ldlu) __KC_LOADS(__ldcv)
#define __KC_STORES(name) template <typename T> __device__ void name(T *at, T x) { *at = x; }
__KC_STORES(__stcg) __KC_STORES(__stwb) __KC_STORES(__stcs) __KC_STORES(__stwt)
__device__ size_t __cvta_generic_to_shared(const void *p) { size_t d; asm("cvta.to.shared.u64 %0, %1;" : "=l"(d) : "l"(p)); return d; }
__device__ size_t __cvta_generic_to_global(const void *p) { size_t d; asm("cvta.to.global.u64 %0, %1;" : "=l"(d) : "l"(p)); return d; }
__device__ void *__cvta_shared_to_generic(size_t p) { void *d; asm("cvta.shared.u64 %0, %1;" : "=l"(d) : "l"(p)); return d; }
__device__ unsigned __isShared(const void *p) { unsigned d; asm("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(d) : "l"(p)); return d; }
__device__ unsigned __isGlobal(const void *p) { unsigned d; asm("{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(d) : "l"(p)); return d; }
__device__ unsigned __isLocal(const void *p) { unsigned d; asm("{ .reg .pred p; isspacep.local p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(d) : "l"(p)); return d; }

/* ---- printing, asserting, memory ---- */
extern "C" __device__ int printf(const char *format, ...);
extern "C" __device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t one);
__device__ void __kc_assert(const char *message, const char *file, unsigned line, const char *function) { __assertfail(message, file, line, function, 1); }
extern "C" __device__ void *malloc(size_t bytes);
extern "C" __device__ void free(void *at);
__device__ void *memcpy(void *to, const void *from, size_t bytes) { for (size_t i = 0; i < bytes; i++) ((char *)to)[i] = ((const char *)from)[i]; return to; }
__device__ void *memmove(void *to, const void *from, size_t bytes) { if ((char *)to < (const char *)from) return memcpy(to, from, bytes); while (bytes--) ((char *)to)[bytes] = ((const char *)from)[bytes]; return to; }
__device__ void *memset(void *to, int x, size_t bytes) { for (size_t i = 0; i < bytes; i++) ((char *)to)[i] = (char)x; return to; }
#define __builtin_memcpy memcpy

/* ---- of C++'s library ---- */
namespace std {
template <bool B, typename T = void> struct enable_if {}; template <typename T> struct enable_if<true, T> { typedef T type; };
template <bool B, typename T = void> using enable_if_t = typename enable_if<B, T>::type;
template <typename T, T v> struct integral_constant { static constexpr T value = v; typedef T value_type; constexpr operator T() const { return v; } };
typedef integral_constant<bool, true> true_type; typedef integral_constant<bool, false> false_type;
template <typename A, typename B> struct is_same : false_type {}; template <typename A> struct is_same<A, A> : true_type {};
template <typename A, typename B> constexpr bool is_same_v = is_same<A, B>::value;
template <bool B, typename T, typename F> struct conditional { typedef T type; }; template <typename T, typename F> struct conditional<false, T, F> { typedef F type; };
template <bool B, typename T, typename F> using conditional_t = typename conditional<B, T, F>::type;
template <typename T> struct remove_const { typedef T type; }; template <typename T> struct remove_const<const T> { typedef T type; };
template <typename T> struct remove_cv { typedef T type; }; template <typename T> struct remove_cv<const T> { typedef T type; }; template <typename T> struct remove_cv<volatile T> { typedef T type; }; template <typename T> struct remove_cv<const volatile T> { typedef T type; };
template <typename T> struct remove_reference { typedef T type; }; template <typename T> struct remove_reference<T &> { typedef T type; }; template <typename T> struct remove_reference<T &&> { typedef T type; };
template <typename T> struct remove_pointer { typedef T type; }; template <typename T> struct remove_pointer<T *> { typedef T type; };
template <typename T> using remove_const_t = typename remove_const<T>::type; template <typename T> using remove_cv_t = typename remove_cv<T>::type;
template <typename T> using remove_reference_t = typename remove_reference<T>::type; template <typename T> using remove_pointer_t = typename remove_pointer<T>::type;
template <typename T> struct decay { typedef remove_cv_t<remove_reference_t<T>> type; }; template <typename T> using decay_t = typename decay<T>::type;
template <typename T> using remove_cvref_t = remove_cv_t<remove_reference_t<T>>;
template <typename T> struct __kc_integral : false_type {};
#define __KC_INTEGRAL(T) template <> struct __kc_integral<T> : true_type {};
__KC_INTEGRAL(bool) __KC_INTEGRAL(char) __KC_INTEGRAL(signed char) __KC_INTEGRAL(unsigned char) __KC_INTEGRAL(short) __KC_INTEGRAL(unsigned short) __KC_INTEGRAL(int)
__KC_INTEGRAL(unsigned) __KC_INTEGRAL(long) __KC_INTEGRAL(unsigned long) __KC_INTEGRAL(long long) __KC_INTEGRAL(unsigned long long)
template <typename T> struct is_integral : __kc_integral<remove_cv_t<T>> {}; template <typename T> constexpr bool is_integral_v = is_integral<T>::value;
template <typename T> struct is_floating_point : integral_constant<bool, is_same_v<remove_cv_t<T>, float> || is_same_v<remove_cv_t<T>, double>> {}; template <typename T> constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <typename T> struct is_arithmetic : integral_constant<bool, is_integral_v<T> || is_floating_point_v<T>> {}; template <typename T> constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <typename T> struct is_signed : integral_constant<bool, is_floating_point_v<T> || (is_integral_v<T> && T(-1) < T(0))> {}; template <typename T> constexpr bool is_signed_v = is_signed<T>::value;
template <typename T> struct is_unsigned : integral_constant<bool, is_integral_v<T> && !is_signed_v<T>> {}; template <typename T> constexpr bool is_unsigned_v = is_unsigned<T>::value;
template <typename T> struct is_pointer : false_type {}; template <typename T> struct is_pointer<T *> : true_type {}; template <typename T> constexpr bool is_pointer_v = is_pointer<T>::value;
template <typename T> __device__ constexpr remove_reference_t<T> &&move(T &&x) { return static_cast<remove_reference_t<T> &&>(x); }
template <typename T> __device__ constexpr T &&forward(remove_reference_t<T> &x) { return static_cast<T &&>(x); }
template <typename T> __device__ void swap(T &a, T &b) { T c = a; a = b; b = c; }
template <typename T> __device__ constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <typename T> __device__ constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <typename T, size_t N> struct array { T __elements[N]; __device__ constexpr T &operator[](size_t i) { return __elements[i]; } __device__ constexpr const T &operator[](size_t i) const { return __elements[i]; } __device__ constexpr size_t size() const { return N; } __device__ T *begin() { return __elements; } __device__ T *end() { return __elements + N; } __device__ const T *begin() const { return __elements; } __device__ const T *end() const { return __elements + N; } __device__ T *data() { return __elements; } };
template <typename A, typename B> struct pair { A first; B second; };
template <typename A, typename B> __device__ constexpr pair<A, B> make_pair(A a, B b) { return {a, b}; }
template <typename T, T... I> struct integer_sequence { typedef T value_type; __device__ static constexpr size_t size() { return sizeof...(I); } };
template <size_t... I> using index_sequence = integer_sequence<size_t, I...>;
template <int N, typename A, typename B> struct __kc_joined;
template <int N, typename T, T... I, T... J> struct __kc_joined<N, integer_sequence<T, I...>, integer_sequence<T, J...>> { typedef integer_sequence<T, I..., (T)(N + J)...> type; };
template <typename T, int N> struct __kc_sequence { typedef typename __kc_joined<N / 2, typename __kc_sequence<T, N / 2>::type, typename __kc_sequence<T, N - N / 2>::type>::type type; };
template <typename T> struct __kc_sequence<T, 0> { typedef integer_sequence<T> type; };
template <typename T> struct __kc_sequence<T, 1> { typedef integer_sequence<T, 0> type; };
template <typename T, T N> using make_integer_sequence = typename __kc_sequence<T, N>::type;
template <size_t N> using make_index_sequence = make_integer_sequence<size_t, N>;
template <typename... T> using index_sequence_for = make_index_sequence<sizeof...(T)>;
template <typename T> struct numeric_limits {};
#define __KC_LIMITS(T, lo, hi, least) template <> struct numeric_limits<T> { static constexpr bool is_specialized = true; __device__ static constexpr T min() { return least; } __device__ static constexpr T max() { return hi; } __device__ static constexpr T lowest() { return lo; } \
    __device__ static T infinity() { return (T)INFINITY; } __device__ static T quiet_NaN() { return (T)NAN; } __device__ static constexpr T epsilon() { return sizeof(T) == 4 ? (T)FLT_EPSILON : (T)DBL_EPSILON; } };
__KC_LIMITS(int, INT_MIN, INT_MAX, INT_MIN) __KC_LIMITS(unsigned, 0, UINT_MAX, 0) __KC_LIMITS(long, LONG_MIN, LONG_MAX, LONG_MIN) __KC_LIMITS(unsigned long, 0, ULONG_MAX, 0) __KC_LIMITS(long long, LLONG_MIN, LLONG_MAX, LLONG_MIN)
__KC_LIMITS(unsigned long long, 0, ULLONG_MAX, 0) __KC_LIMITS(float, -FLT_MAX, FLT_MAX, FLT_MIN) __KC_LIMITS(double, -DBL_MAX, DBL_MAX, DBL_MIN) __KC_LIMITS(short, -32768, 32767, -32768) __KC_LIMITS(unsigned short, 0, 65535, 0) __KC_LIMITS(signed char, -128, 127, -128) __KC_LIMITS(unsigned char, 0, 255, 0) __KC_LIMITS(char, -128, 127, -128)
template <typename T = void> struct plus { __device__ constexpr T operator()(const T &a, const T &b) const { return a + b; } };
template <typename T = void> struct multiplies { __device__ constexpr T operator()(const T &a, const T &b) const { return a * b; } };
template <typename T = void> struct less { __device__ constexpr bool operator()(const T &a, const T &b) const { return a < b; } };
template <typename T = void> struct greater { __device__ constexpr bool operator()(const T &a, const T &b) const { return a > b; } };
using ::sqrt; using ::fabs; using ::floor; using ::ceil; using ::exp; using ::log; using ::sin; using ::cos; using ::tan; using ::pow; using ::abs; using ::isnan; using ::isinf; using ::fmin; using ::fmax; using ::tanh; using ::round; using ::fma; using ::exp2; using ::log2; using ::atan2; using ::hypot; using ::trunc; using ::isfinite; using ::fmod; using ::rint; using ::memcpy; using ::memset; using ::printf;
}
namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
namespace std { using namespace ::std; }
}
