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
__device__ int __half2int_rn(__half x) { return __float2int_rn((float)x); }
__device__ int __half2int_rz(__half x) { return (int)(float)x; }
__device__ __half __int2half_rn(int x) { return (__half)(float)x; }
__device__ __half __uint2half_rn(unsigned x) { return (__half)(float)x; }
__device__ unsigned short __half_as_ushort(__half x) { unsigned short d; asm("mov.b16 %0, %1;" : "=h"(d) : "h"(x)); return d; }
__device__ short __half_as_short(__half x) { return (short)__half_as_ushort(x); }
__device__ __half __ushort_as_half(unsigned short x) { __half d; asm("mov.b16 %0, %1;" : "=h"(d) : "h"(x)); return d; }
__device__ __half __short_as_half(short x) { return __ushort_as_half((unsigned short)x); }
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
__device__ bool __hne(__half a, __half b) { return a != b; }
__device__ bool __hlt(__half a, __half b) { return a < b; }
__device__ bool __hle(__half a, __half b) { return a <= b; }
__device__ bool __hgt(__half a, __half b) { return a > b; }
__device__ bool __hge(__half a, __half b) { return a >= b; }
__device__ bool __hisnan(__half a) { return a != a; }
#define __KC_H1(name, f) __device__ __half h##name(__half x) { return (__half)f((float)x); }
__KC_H1(exp, expf) __KC_H1(log, logf) __KC_H1(sin, sinf) __KC_H1(cos, cosf) __KC_H1(sqrt, sqrtf) __KC_H1(rsqrt, rsqrtf) __KC_H1(exp2, exp2f) __KC_H1(log2, log2f)
__KC_H1(floor, floorf) __KC_H1(ceil, ceilf) __KC_H1(trunc, truncf) __KC_H1(rint, rintf)
__device__ __half hrcp(__half x) { return (__half)(1.0f / (float)x); }
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
__device__ __half2 operator+(const __half2 &a, const __half2 &b) { return __hadd2(a, b); }
__device__ __half2 operator-(const __half2 &a, const __half2 &b) { return __hsub2(a, b); }
__device__ __half2 operator*(const __half2 &a, const __half2 &b) { return __hmul2(a, b); }
__device__ __half2 operator/(const __half2 &a, const __half2 &b) { return __h2div(a, b); }
__device__ __half2 operator-(const __half2 &a) { return __hneg2(a); }
__device__ __half2 &operator+=(__half2 &a, const __half2 &b) { a = __hadd2(a, b); return a; }
__device__ __half2 &operator-=(__half2 &a, const __half2 &b) { a = __hsub2(a, b); return a; }
__device__ __half2 &operator*=(__half2 &a, const __half2 &b) { a = __hmul2(a, b); return a; }
__device__ bool operator==(const __half2 &a, const __half2 &b) { return a.x == b.x && a.y == b.y; }
__device__ bool __hbeq2(__half2 a, __half2 b) { return a.x == b.x && a.y == b.y; }
#define __KC_HSHFL(name, L) \
    __device__ __half name(unsigned mask, __half x, L lane, int width = 32) { return __ushort_as_half((unsigned short)name(mask, (unsigned)__half_as_ushort(x), lane, width)); } \
    __device__ __half2 name(unsigned mask, __half2 x, L lane, int width = 32) { return __half2(name(mask, x.x, lane, width), name(mask, x.y, lane, width)); }
__KC_HSHFL(__shfl_sync, int) __KC_HSHFL(__shfl_up_sync, unsigned) __KC_HSHFL(__shfl_down_sync, unsigned) __KC_HSHFL(__shfl_xor_sync, int)
__device__ __half atomicAdd(__half *at, __half x) { __half d; asm volatile("atom%S1.add.noftz.f16 %0, [%1], %2;" : "=h"(d) : "l"(at), "h"(x) : "memory"); return d; }
