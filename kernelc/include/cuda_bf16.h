/* cuda_bf16.h - bfloat16. __nv_bfloat16 is a type of the compiler's own, with operators and conversions. */
#pragma once
typedef __nv_bfloat16 nv_bfloat16;
struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __device__ __nv_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) : x(a), y(b) {}
};
typedef __nv_bfloat162 nv_bfloat162;
struct __nv_bfloat16_raw { unsigned short x; };
#define __float2bfloat16(x) ((__nv_bfloat16)(float)(x))
#define __float2bfloat16_rn(x) ((__nv_bfloat16)(float)(x))
#define __double2bfloat16(x) ((__nv_bfloat16)(float)(x))
__device__ float __bfloat162float(__nv_bfloat16 x) { return (float)x; }
__device__ int __bfloat162int_rn(__nv_bfloat16 x) { return __float2int_rn((float)x); }
__device__ int __bfloat162int_rz(__nv_bfloat16 x) { return (int)(float)x; }
__device__ __nv_bfloat16 __int2bfloat16_rn(int x) { return (__nv_bfloat16)(float)x; }
__device__ __nv_bfloat16 __uint2bfloat16_rn(unsigned x) { return (__nv_bfloat16)(float)x; }
__device__ unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { unsigned short d; asm("mov.b16 %0, %1;" : "=h"(d) : "h"(x)); return d; }
__device__ short __bfloat16_as_short(__nv_bfloat16 x) { return (short)__bfloat16_as_ushort(x); }
__device__ __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) { __nv_bfloat16 d; asm("mov.b16 %0, %1;" : "=h"(d) : "h"(x)); return d; }
__device__ __nv_bfloat16 __short_as_bfloat16(short x) { return __ushort_as_bfloat16((unsigned short)x); }
__device__ __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
__device__ __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return a - b; }
__device__ __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return a * b; }
__device__ __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return a / b; }
__device__ __nv_bfloat16 __hneg(__nv_bfloat16 a) { return -a; }
__device__ __nv_bfloat16 __habs(__nv_bfloat16 a) { __nv_bfloat16 d; asm("abs.bf16 %0, %1;" : "=h"(d) : "h"(a)); return d; }
__device__ __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { __nv_bfloat16 d; asm("fma.rn.bf16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c)); return d; }
__device__ __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { __nv_bfloat16 d; asm("min.bf16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b)); return d; }
__device__ __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { __nv_bfloat16 d; asm("max.bf16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b)); return d; }
__device__ bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) { return a == b; }
__device__ bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) { return a != b; }
__device__ bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { return a < b; }
__device__ bool __hle(__nv_bfloat16 a, __nv_bfloat16 b) { return a <= b; }
__device__ bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) { return a > b; }
__device__ bool __hge(__nv_bfloat16 a, __nv_bfloat16 b) { return a >= b; }
__device__ bool __hisnan(__nv_bfloat16 a) { return a != a; }
#define __KC_B1(name, f) __device__ __nv_bfloat16 h##name(__nv_bfloat16 x) { return (__nv_bfloat16)f((float)x); }
__KC_B1(exp, expf) __KC_B1(log, logf) __KC_B1(sin, sinf) __KC_B1(cos, cosf) __KC_B1(sqrt, sqrtf) __KC_B1(rsqrt, rsqrtf) __KC_B1(exp2, exp2f) __KC_B1(log2, log2f)
__KC_B1(floor, floorf) __KC_B1(ceil, ceilf) __KC_B1(trunc, truncf) __KC_B1(rint, rintf)
__device__ __nv_bfloat16 hrcp(__nv_bfloat16 x) { return (__nv_bfloat16)(1.0f / (float)x); }
__device__ __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
__device__ __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
__device__ __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
__device__ __nv_bfloat162 __float2bfloat162_rn(float a) { return __nv_bfloat162((__nv_bfloat16)a, (__nv_bfloat16)a); }
__device__ __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162((__nv_bfloat16)a, (__nv_bfloat16)b); }
__device__ __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __nv_bfloat162((__nv_bfloat16)a.x, (__nv_bfloat16)a.y); }
__device__ float2 __bfloat1622float2(__nv_bfloat162 a) { return make_float2((float)a.x, (float)a.y); }
__device__ __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
__device__ __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
__device__ float __low2float(__nv_bfloat162 a) { return (float)a.x; }
__device__ float __high2float(__nv_bfloat162 a) { return (float)a.y; }
__device__ __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.x); }
__device__ __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
__device__ __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
__device__ __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x + b.x, a.y + b.y); }
__device__ __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x - b.x, a.y - b.y); }
__device__ __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x * b.x, a.y * b.y); }
__device__ __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x / b.x, a.y / b.y); }
__device__ __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return __nv_bfloat162(-a.x, -a.y); }
__device__ __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
__device__ __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
__device__ __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
__device__ __nv_bfloat162 operator+(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hadd2(a, b); }
__device__ __nv_bfloat162 operator-(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hsub2(a, b); }
__device__ __nv_bfloat162 operator*(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __hmul2(a, b); }
__device__ __nv_bfloat162 operator/(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return __h2div(a, b); }
__device__ __nv_bfloat162 operator-(const __nv_bfloat162 &a) { return __hneg2(a); }
__device__ __nv_bfloat162 &operator+=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { a = __hadd2(a, b); return a; }
__device__ __nv_bfloat162 &operator-=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { a = __hsub2(a, b); return a; }
__device__ __nv_bfloat162 &operator*=(__nv_bfloat162 &a, const __nv_bfloat162 &b) { a = __hmul2(a, b); return a; }
__device__ bool operator==(const __nv_bfloat162 &a, const __nv_bfloat162 &b) { return a.x == b.x && a.y == b.y; }
__device__ bool __hbeq2(__nv_bfloat162 a, __nv_bfloat162 b) { return a.x == b.x && a.y == b.y; }
#define __KC_BSHFL(name, L) \
    __device__ __nv_bfloat16 name(unsigned mask, __nv_bfloat16 x, L lane, int width = 32) { return __ushort_as_bfloat16((unsigned short)name(mask, (unsigned)__bfloat16_as_ushort(x), lane, width)); } \
    __device__ __nv_bfloat162 name(unsigned mask, __nv_bfloat162 x, L lane, int width = 32) { return __nv_bfloat162(name(mask, x.x, lane, width), name(mask, x.y, lane, width)); }
__KC_BSHFL(__shfl_sync, int) __KC_BSHFL(__shfl_up_sync, unsigned) __KC_BSHFL(__shfl_down_sync, unsigned) __KC_BSHFL(__shfl_xor_sync, int)
__device__ __nv_bfloat16 atomicAdd(__nv_bfloat16 *at, __nv_bfloat16 x) { __nv_bfloat16 d; asm volatile("atom%S1.add.noftz.bf16 %0, [%1], %2;" : "=h"(d) : "l"(at), "h"(x) : "memory"); return d; }
