/* kernelc_lanes.h - functions of words that are two halves or four bytes: __vadd4 and its like. Read for sources that
 * name one of them. */
#define __KC_LANES(name, P, N, T, X, value) __device__ unsigned name P { \
    unsigned d = 0; const int lo = (T)-1 < 0 ? -1 << (N - 1) : 0, hi = (T)-1 < 0 ? (1 << (N - 1)) - 1 : (1 << N) - 1; \
    for (int i = 0; i < 32; i += N) { X d |= (unsigned)(value) << (32 - N) >> (32 - N) << i; } return d; }
#define __KC_LANES1(name, sign, value) __KC_LANES(name##2, (unsigned a), 16, sign short, int x = (sign short)(a >> i);, value) __KC_LANES(name##4, (unsigned a), 8, sign char, int x = (sign char)(a >> i);, value)
#define __KC_LANES2(name, sign, value) __KC_LANES(name##2, (unsigned a, unsigned b), 16, sign short, int x = (sign short)(a >> i); int y = (sign short)(b >> i);, value) \
    __KC_LANES(name##4, (unsigned a, unsigned b), 8, sign char, int x = (sign char)(a >> i); int y = (sign char)(b >> i);, value)
#define __KC_BOTH(name, value) __KC_LANES2(name##s, signed, value) __KC_LANES2(name##u, unsigned, value)
__KC_LANES1(__vabs, signed, abs(x)) __KC_LANES1(__vabsss, signed, min(abs(x), hi)) __KC_LANES1(__vneg, signed, -x) __KC_LANES1(__vnegss, signed, min(-x, hi))
__KC_LANES2(__vadd, unsigned, x + y) __KC_LANES2(__vaddss, signed, min(max(x + y, lo), hi)) __KC_LANES2(__vaddus, unsigned, min(x + y, hi))
__KC_LANES2(__vsub, unsigned, x - y) __KC_LANES2(__vsubss, signed, min(max(x - y, lo), hi)) __KC_LANES2(__vsubus, unsigned, max(x - y, 0))
__KC_LANES2(__vavgs, signed, (x + y + (x + y >= 0)) >> 1) __KC_LANES2(__vavgu, unsigned, (x + y + 1) >> 1) __KC_LANES2(__vhaddu, unsigned, (x + y) >> 1)
__KC_BOTH(__vabsdiff, abs(x - y)) __KC_BOTH(__vmax, max(x, y)) __KC_BOTH(__vmin, min(x, y))
#define __KC_COMPARED(name, op) __KC_BOTH(__vcmp##name, x op y ? -1 : 0) __KC_BOTH(__vset##name, x op y)
__KC_COMPARED(ge, >=) __KC_COMPARED(gt, >) __KC_COMPARED(le, <=) __KC_COMPARED(lt, <)
__KC_LANES2(__vcmpeq, unsigned, x == y ? -1 : 0) __KC_LANES2(__vcmpne, unsigned, x != y ? -1 : 0) __KC_LANES2(__vseteq, unsigned, x == y) __KC_LANES2(__vsetne, unsigned, x != y)
#define __KC_SAD(name, N, T) __device__ unsigned name(unsigned a, unsigned b) { unsigned d = 0; for (int i = 0; i < 32; i += N) d += abs((T)(a >> i) - (T)(b >> i)); return d; }
__KC_SAD(__vsads2, 16, short) __KC_SAD(__vsadu2, 16, unsigned short) __KC_SAD(__vsads4, 8, signed char) __KC_SAD(__vsadu4, 8, unsigned char)
#define __KC_THREE(type, R, T) \
    __KC_THREE1(type, R, T, max) __KC_THREE1(type, R, T, min)
#define __KC_THREE1(type, R, T, way) \
    __device__ R __viadd##way##_##type(R a, R b, R c) { return way((R)(a + b), c); } __device__ R __vi##way##3_##type(R a, R b, R c) { return way(way(a, b), c); } \
    __device__ R __vib##way##_##type(R a, R b, bool *p) { R d = way(a, b); *p = d == a; return d; }
#define __KC_RELU(way) \
    __device__ int __viadd##way##_s32_relu(int a, int b, int c) { return max(way(a + b, c), 0); } __device__ int __vi##way##3_s32_relu(int a, int b, int c) { return max(way(way(a, b), c), 0); } \
    __device__ int __vi##way##_s32_relu(int a, int b) { return max(way(a, b), 0); } __device__ unsigned __vi##way##_s16x2_relu(unsigned a, unsigned b) { return __vmaxs2(__v##way##s2(a, b), 0); } \
    __device__ unsigned __viadd##way##_s16x2_relu(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__v##way##s2(__vadd2(a, b), c), 0); } __device__ unsigned __vi##way##3_s16x2_relu(unsigned a, unsigned b, unsigned c) { return __vmaxs2(__v##way##s2(__v##way##s2(a, b), c), 0); }
#define __KC_HALVES(way, s) \
    __device__ unsigned __viadd##way##_##s##16x2(unsigned a, unsigned b, unsigned c) { return __v##way##s##2(__vadd2(a, b), c); } __device__ unsigned __vi##way##3_##s##16x2(unsigned a, unsigned b, unsigned c) { return __v##way##s##2(__v##way##s##2(a, b), c); } \
    __device__ unsigned __vib##way##_##s##16x2(unsigned a, unsigned b, bool *hi, bool *lo) { unsigned d = __v##way##s##2(a, b), e = __vcmpeq2(d, a); *hi = e >> 16; *lo = e & 1; return d; }
__KC_THREE(s32, int, int) __KC_THREE(u32, unsigned, unsigned) __KC_RELU(max) __KC_RELU(min) __KC_HALVES(max, s) __KC_HALVES(max, u) __KC_HALVES(min, s) __KC_HALVES(min, u)
