/* cuda_fp16.h - __half, a type of the compiler's own, with operators and conversions; cuda_bf16.h is made of this file. */
#pragma once
typedef __half half;
struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    __device__ __half2(__half a, __half b) : x(a), y(b) {}
};
typedef __half2 half2;
struct __half_raw { unsigned short x; };
#define __float2half(x) ((__half)(float)(x))
#define __float2half_rn(x) ((__half)(float)(x))
#define __double2half(x) ((__half)(float)(x))
__device__ float __half2float(__half x) { return (float)x; }
__device__ unsigned short __half_as_ushort(__half x) { unsigned short d; asm("mov.b16 %0, %1;" : "=h"(d) : "h"(x)); return d; }
__device__ short __half_as_short(__half x) { return (short)__half_as_ushort(x); }
__device__ __half __ushort_as_half(unsigned short x) { __half d; asm("mov.b16 %0, %1;" : "=h"(d) : "h"(x)); return d; }
__device__ __half __short_as_half(short x) { return __ushort_as_half((unsigned short)x); }
// The number beside it, up or down.
__device__ __half __kc_beside(__half r, bool up) {
    unsigned short u = __half_as_ushort(r);
    if (!(u & 0x7fff)) return __ushort_as_half(up ? 1 : 0x8001);
    return __ushort_as_half((unsigned short)(u >> 15 == (unsigned)up ? u - 1 : u + 1));
}
__device__ __half __float2half_rd(float x) { __half r = (__half)x; return (float)r > x ? __kc_beside(r, false) : r; }
__device__ __half __float2half_ru(float x) { __half r = (__half)x; return (float)r < x ? __kc_beside(r, true) : r; }
__device__ __half __float2half_rz(float x) { return x < 0 ? __float2half_ru(x) : __float2half_rd(x); }
// Integers go by a float that is rounded in the same direction, or to odd, which rounds to the nearest afterwards.
#define __KC_IH(T, name) \
    __device__ __half __##name##2half_rn(T x) { float f = __##name##2float_rz(x); return (__half)__int_as_float(__float_as_int(f) | ((T)f != x)); } \
    __device__ __half __##name##2half_rz(T x) { return __float2half_rz(__##name##2float_rz(x)); } \
    __device__ __half __##name##2half_rd(T x) { return __float2half_rd(__##name##2float_rd(x)); } \
    __device__ __half __##name##2half_ru(T x) { return __float2half_ru(__##name##2float_ru(x)); } \
    __device__ T __half2##name##_rn(__half x) { return __float2##name##_rn((float)x); } \
    __device__ T __half2##name##_rz(__half x) { return __float2##name##_rz((float)x); } \
    __device__ T __half2##name##_rd(__half x) { return __float2##name##_rd((float)x); } \
    __device__ T __half2##name##_ru(__half x) { return __float2##name##_ru((float)x); }
__KC_IH(int, int) __KC_IH(unsigned, uint) __KC_IH(long long, ll) __KC_IH(unsigned long long, ull)
#define __KC_SH(T, name, least, most, m) \
    __device__ __half __##name##2half_##m(T x) { return __int2half_##m((int)x); } \
    __device__ T __half2##name##_##m(__half x) { return (T)max(least, min(most, __half2int_##m(x))); }
#define __KC_SH4(T, name, least, most) __KC_SH(T, name, least, most, rn) __KC_SH(T, name, least, most, rz) __KC_SH(T, name, least, most, rd) __KC_SH(T, name, least, most, ru)
__KC_SH4(short, short, -32768, 32767) __KC_SH4(unsigned short, ushort, 0, 65535)
__device__ signed char __half2char_rz(__half x) { return (signed char)max(-128, min(127, __half2int_rz(x))); }
__device__ unsigned char __half2uchar_rz(__half x) { return (unsigned char)max(0, min(255, __half2int_rz(x))); }
__device__ __half __hadd(__half a, __half b) { return a + b; }
__device__ __half __hsub(__half a, __half b) { return a - b; }
__device__ __half __hmul(__half a, __half b) { return a * b; }
__device__ __half __hdiv(__half a, __half b) { return a / b; }
__device__ __half __hneg(__half a) { return -a; }
__device__ __half __habs(__half a) { __half d; asm("abs.f16 %0, %1;" : "=h"(d) : "h"(a)); return d; }
__device__ __half __hfma(__half a, __half b, __half c) { __half d; asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c)); return d; }
__device__ __half __hmin(__half a, __half b) { __half d; asm("min.f16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b)); return d; }
__device__ __half __hmax(__half a, __half b) { __half d; asm("max.f16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b)); return d; }
__device__ bool __heq(__half a, __half b) { return a == b; }
__device__ bool __hne(__half a, __half b) { return a < b || a > b; }
__device__ bool __hlt(__half a, __half b) { return a < b; }
__device__ bool __hle(__half a, __half b) { return a <= b; }
__device__ bool __hgt(__half a, __half b) { return a > b; }
__device__ bool __hge(__half a, __half b) { return a >= b; }
__device__ bool __hisnan(__half a) { return a != a; }
#define __KC_H1(name, f) __device__ __half h##name(__half x) { return (__half)f((float)x); }
__KC_H1(exp, expf) __KC_H1(log, logf) __KC_H1(sin, sinf) __KC_H1(cos, cosf) __KC_H1(sqrt, sqrtf) __KC_H1(rsqrt, rsqrtf) __KC_H1(exp2, exp2f) __KC_H1(log2, log2f)
__KC_H1(floor, floorf) __KC_H1(ceil, ceilf) __KC_H1(trunc, truncf) __KC_H1(rint, rintf)
__KC_H1(exp10, exp10f) __KC_H1(log10, log10f) __KC_H1(tanh, tanhf)
__device__ __half hrcp(__half x) { return (__half)(1.0f / (float)x); }
__device__ __half htanh_approx(__half x) { __half d; asm("tanh.approx.f16 %0, %1;" : "=h"(d) : "h"(x)); return d; }
__device__ int __hisinf(__half a) { unsigned short u = __half_as_ushort(a); return (u & 0x7fff) != __half_as_ushort((__half)INFINITY) ? 0 : u >> 15 ? -1 : 1; }
__device__ __half __kc_sat(__half x) { return __hmin(__hmax(x, (__half)0.0f), (__half)1.0f); }
__device__ __half __hadd_sat(__half a, __half b) { return __kc_sat(a + b); }
__device__ __half __hsub_sat(__half a, __half b) { return __kc_sat(a - b); }
__device__ __half __hmul_sat(__half a, __half b) { return __kc_sat(a * b); }
__device__ __half __hfma_sat(__half a, __half b, __half c) { return __kc_sat(__hfma(a, b, c)); }
__device__ __half __hfma_relu(__half a, __half b, __half c) { __half d; asm("fma.rn.relu.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c)); return d; }
__device__ __half __hadd_rn(__half a, __half b) { return a + b; }
__device__ __half __hsub_rn(__half a, __half b) { return a - b; }
__device__ __half __hmul_rn(__half a, __half b) { return a * b; }
__device__ __half __hmin_nan(__half a, __half b) { __half d; asm("min.NaN.f16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b)); return d; }
__device__ __half __hmax_nan(__half a, __half b) { __half d; asm("max.NaN.f16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b)); return d; }
__device__ bool __kc_apart(__half a, __half b) { return a != a || b != b; }
__device__ __half2 make_half2(__half a, __half b) { return __half2(a, b); }
__device__ __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
__device__ __half2 __half2half2(__half a) { return __half2(a, a); }
__device__ __half2 __float2half2_rn(float a) { return __half2((__half)a, (__half)a); }
__device__ __half2 __floats2half2_rn(float a, float b) { return __half2((__half)a, (__half)b); }
__device__ __half2 __float22half2_rn(float2 a) { return __half2((__half)a.x, (__half)a.y); }
__device__ float2 __half22float2(__half2 a) { return make_float2((float)a.x, (float)a.y); }
__device__ __half __low2half(__half2 a) { return a.x; }
__device__ __half __high2half(__half2 a) { return a.y; }
__device__ float __low2float(__half2 a) { return (float)a.x; }
__device__ float __high2float(__half2 a) { return (float)a.y; }
__device__ __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
__device__ __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
__device__ __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
__device__ __half2 __hadd2(__half2 a, __half2 b) { return __half2(a.x + b.x, a.y + b.y); }
__device__ __half2 __hsub2(__half2 a, __half2 b) { return __half2(a.x - b.x, a.y - b.y); }
__device__ __half2 __hmul2(__half2 a, __half2 b) { return __half2(a.x * b.x, a.y * b.y); }
__device__ __half2 __h2div(__half2 a, __half2 b) { return __half2(a.x / b.x, a.y / b.y); }
__device__ __half2 __hneg2(__half2 a) { return __half2(-a.x, -a.y); }
__device__ __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
__device__ __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
__device__ __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
__device__ __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
__device__ __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
__device__ __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
__device__ __half2 __hcmadd(__half2 a, __half2 b, __half2 c) {
    return __half2(__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}
#define __KC_H2(name) __device__ __half2 h2##name(__half2 a) { return __half2(h##name(a.x), h##name(a.y)); }
__KC_H2(exp) __KC_H2(log) __KC_H2(sin) __KC_H2(cos) __KC_H2(sqrt) __KC_H2(rsqrt) __KC_H2(exp2) __KC_H2(log2) __KC_H2(exp10) __KC_H2(log10)
__KC_H2(tanh) __KC_H2(tanh_approx) __KC_H2(floor) __KC_H2(ceil) __KC_H2(trunc) __KC_H2(rint) __KC_H2(rcp)
#define __KC_HO(one, two) __device__ __half2 two(__half2 a, __half2 b) { return __half2(one(a.x, b.x), one(a.y, b.y)); }
__KC_HO(__hadd, __hadd2_rn) __KC_HO(__hsub, __hsub2_rn) __KC_HO(__hmul, __hmul2_rn) __KC_HO(__hadd_sat, __hadd2_sat) __KC_HO(__hsub_sat, __hsub2_sat) __KC_HO(__hmul_sat, __hmul2_sat)
__KC_HO(__hmin_nan, __hmin2_nan) __KC_HO(__hmax_nan, __hmax2_nan)
__device__ __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) { return __half2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); }
__device__ __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) { return __half2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); }
__device__ __half2 __hisnan2(__half2 a) { return __half2((__half)(float)__hisnan(a.x), (__half)(float)__hisnan(a.y)); }
// Two at a time: 1.0 or 0.0, masks, or both; with u a NaN is as wanted.
#define __KC_HC(op, test) \
    __device__ bool __h##op##u(__half a, __half b) { return a test b || __kc_apart(a, b); } \
    __KC_HD(op, __h##op) __KC_HD(op##u, __h##op##u)
#define __KC_HD(op, one) \
    __device__ __half2 __h##op##2(__half2 a, __half2 b) { return __half2((__half)(float)one(a.x, b.x), (__half)(float)one(a.y, b.y)); } \
    __device__ unsigned __h##op##2_mask(__half2 a, __half2 b) { return (one(a.x, b.x) ? 0xffffu : 0) | (one(a.y, b.y) ? 0xffff0000u : 0); } \
    __device__ bool __hb##op##2(__half2 a, __half2 b) { return one(a.x, b.x) && one(a.y, b.y); }
__KC_HC(eq, ==) __KC_HC(ne, !=) __KC_HC(lt, <) __KC_HC(le, <=) __KC_HC(gt, >) __KC_HC(ge, >=)
__device__ __half2 operator+(const __half2 &a, const __half2 &b) { return __hadd2(a, b); }
__device__ __half2 operator-(const __half2 &a, const __half2 &b) { return __hsub2(a, b); }
__device__ __half2 operator*(const __half2 &a, const __half2 &b) { return __hmul2(a, b); }
__device__ __half2 operator/(const __half2 &a, const __half2 &b) { return __h2div(a, b); }
__device__ __half2 operator-(const __half2 &a) { return __hneg2(a); }
__device__ __half2 &operator+=(__half2 &a, const __half2 &b) { a = __hadd2(a, b); return a; }
__device__ __half2 &operator-=(__half2 &a, const __half2 &b) { a = __hsub2(a, b); return a; }
__device__ __half2 &operator*=(__half2 &a, const __half2 &b) { a = __hmul2(a, b); return a; }
__device__ bool operator==(const __half2 &a, const __half2 &b) { return a.x == b.x && a.y == b.y; }
#define __KC_HSHFL(name, L) \
    __device__ __half name(unsigned mask, __half x, L lane, int width = 32) { return __ushort_as_half((unsigned short)name(mask, (unsigned)__half_as_ushort(x), lane, width)); } \
    __device__ __half2 name(unsigned mask, __half2 x, L lane, int width = 32) { return __half2(name(mask, x.x, lane, width), name(mask, x.y, lane, width)); }
__KC_HSHFL(__shfl_sync, int) __KC_HSHFL(__shfl_up_sync, unsigned) __KC_HSHFL(__shfl_down_sync, unsigned) __KC_HSHFL(__shfl_xor_sync, int)
__device__ __half atomicAdd(__half *at, __half x) { __half d; asm volatile("atom%S1.add.noftz.f16 %0, [%1], %2;" : "=h"(d) : "l"(at), "h"(x) : "memory"); return d; }
