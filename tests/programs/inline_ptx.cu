/*
 * inline_ptx - instructions of PTX, one of each sort, on random words; the host computes the same in C++.
 */
#include "program.h"

#include <cstdint>
#include <cstring>

enum { THREADS = 64, RESULTS = 43 };

struct words {
    uint32_t x, y, z;
};

#define ONE(i, text, a, b, c) asm(text : "=r"(out[i]) : "r"(a), "r"(b), "r"(c))

__global__ void instructions(const words *in, uint32_t *results)
{
    __shared__ __align__(16) uint32_t row[THREADS * 4];
    __shared__ uint32_t sum, most;
    __shared__ __align__(8) uint64_t arrivals;
    uint32_t x = in[threadIdx.x].x, y = in[threadIdx.x].y, z = in[threadIdx.x].z;
    uint32_t out[RESULTS] = {};

    asm("mov.u32 %0, %%laneid;" : "=r"(out[0]));
    asm volatile("{\n"
                 "  .reg .u32 tid, size, block; // a thread's number, all blocks counted\n"
                 "  mov.u32 tid, %%tid.x; mov.u32 size, %%ntid.x; mov.u32 block, %%ctaid.x;\n"
                 "  mad.lo.u32 %0, block, size, tid;\n"
                 "}"
                 : "=r"(out[1]));
    /* 64 bits by carry */
    asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %4, 0;"
        : "=r"(out[2]), "=r"(out[3])
        : "r"(x), "r"(y), "r"(z));
    asm("sub.cc.u32 %0, %2, %3;\n\tsubc.u32 %1, %4, 0;"
        : "=r"(out[4]), "=r"(out[5])
        : "r"(x), "r"(y), "r"(z));
    ONE(6, "mul.hi.u32 %0, %1, %2;", x, y, 0);
    ONE(7, "mul.hi.s32 %0, %1, %2;", x, y, 0);
    asm("{ .reg .b64 wide; mul.wide.s32 wide, %2, %3; mov.b64 {%0, %1}, wide; }"
        : "=r"(out[8]), "=r"(out[9])
        : "r"(x), "r"(y));
    ONE(10, "mad.lo.s32 %0, %1, %2, %3;", x, y, z);
    ONE(11, "bfe.u32 %0, %1, 5, 11;", x, 0, 0);
    ONE(12, "bfe.s32 %0, %1, 5, 11;", x, 0, 0);
    ONE(13, "bfi.b32 %0, %1, %2, 7, 9;", x, y, 0);
    ONE(14, "prmt.b32 %0, %1, %2, 0x5B30;", x, y, 0);
    ONE(15, "lop3.b32 %0, %1, %2, %3, 0xE8;", x, y, z);
    ONE(16, "shf.l.wrap.b32 %0, %1, %2, %3;", x, y, z);
    ONE(17, "shf.r.clamp.b32 %0, %1, %2, %3;", x, y, z & 63);
    ONE(18, "brev.b32 %0, %1;", x, 0, 0);
    ONE(19, "{ .reg .u32 t<2>; popc.b32 t0, %1; clz.b32 t1, %1; mad.lo.u32 %0, t0, 100, t1; }", x,
        0, 0);
    ONE(20, "bfind.s32 %0, %1;", x, 0, 0);
    ONE(21,
        "{ .reg .pred p, q; setp.lt.s32 p|q, %1, %2; selp.u32 %0, %1, %2, p; @q add.u32 %0, %0, 1; "
        "}",
        x, y, 0);
    asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(out[22]) : "f"(__uint_as_float(x)));
    asm("cvt.rni.u32.f32 %0, %1;" : "=r"(out[23]) : "f"(__uint_as_float(y)));
    ONE(24, "cvt.sat.s8.s32 %0, %1;", x, 0, 0);
    float third = static_cast<float>(x >> 8) / 3, ninth = static_cast<float>(y >> 20) / 9;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(out[25]) : "f"(ninth), "f"(-ninth));
    ONE(26, "{ .reg .b32 t; mov.b32 t, 0x40003C00; fma.rn.f16x2 %0, %1, t, t; }",
        (x & 7) << 10 | 0x44004800u, 0, 0);
    float product;
    asm("fma.rn.f32 %0, %1, %2, 0f3F800000;" : "=f"(product) : "f"(third), "f"(ninth));
    out[27] = __float_as_uint(product);
    ONE(28, "{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }",
        x & 1, 0, 0);
    ONE(29, "{ .reg .pred p; shfl.sync.bfly.b32 %0|p, %1, 3, 31, 0xffffffff; @!p mov.u32 %0, 0; }",
        x, 0, 0);
    ONE(30, "shfl.sync.down.b32 %0, %1, 2, 0x181f, -1;", x, 0, 0); /* in groups of eight */
    ONE(31, "match.any.sync.b32 %0, %1, 0xffffffff;", y & 3, 0, 0);
    ONE(32, "redux.sync.max.s32 %0, %1, 0xffffffff;", x, 0, 0);
    /* steps of Collatz's sequence */
    asm volatile("{\n"
                 "  .reg .pred odd, one;\n"
                 "  .reg .u32 n, low;\n"
                 "  mov.u32 n, %1;\n"
                 "  mov.u32 %0, 0;\n"
                 "AGAIN:\n"
                 "  setp.eq.u32 one, n, 1;\n"
                 "  @one bra DONE;\n"
                 "  and.b32 low, n, 1;\n"
                 "  setp.ne.u32 odd, low, 0;\n"
                 "  @odd mad.lo.u32 n, n, 3, 1;\n"
                 "  @!odd shr.u32 n, n, 1;\n"
                 "  add.u32 %0, %0, 1;\n"
                 "  bra AGAIN;\n"
                 "DONE:\n"
                 "}"
                 : "=r"(out[33])
                 : "r"((x & 255) + 1));
    ONE(34, "dp4a.s32.s32 %0, %1, %2, %3;", x, y, z);

    /* shared memory */
    uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(&row[threadIdx.x * 4])), other;
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(x), "r"(y), "r"(z),
                 "r"(x)
                 : "memory");
    if (threadIdx.x == 0) {
        uint32_t where = static_cast<uint32_t>(__cvta_generic_to_shared(&arrivals));
        sum = 0;
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(where), "r"(THREADS) : "memory");
    }
    if (threadIdx.x == 1)
        most = 0;
    asm volatile("bar.sync 0;" ::: "memory");
    other = static_cast<uint32_t>(__cvta_generic_to_shared(&row[(threadIdx.x ^ 33) * 4]));
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2 + 8];"
                 : "=r"(out[35]), "=r"(out[36])
                 : "r"(other));
    asm volatile(
        "red.shared.add.u32 [%0], %1;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(&sum))),
        "r"(x)
        : "memory");
    uint32_t before;
    asm volatile("atom.shared.max.u32 %0, [%1], %2;"
                 : "=r"(before)
                 : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(&most))), "r"(y)
                 : "memory");
    out[0] += before > most; /* never */
    uint32_t where = static_cast<uint32_t>(__cvta_generic_to_shared(&arrivals));
    asm volatile("{\n"
                 "  .reg .b64 state;\n"
                 "  .reg .pred done;\n"
                 "  mbarrier.arrive.shared.b64 state, [%0];\n"
                 "WAIT:\n"
                 "  mbarrier.test_wait.shared.b64 done, [%0], state;\n"
                 "  @done bra PASSED;\n"
                 "  bra WAIT;\n"
                 "PASSED:\n"
                 "}" ::"r"(where)
                 : "memory");
    out[37] = *const_cast<volatile uint32_t *>(&sum);
    out[38] = *const_cast<volatile uint32_t *>(&most);
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(out[39]) : "r"(x));
    asm("mul.rz.f32 %0, %1, %2;" : "=f"(product) : "f"(third), "f"(-ninth));
    out[40] = __float_as_uint(product);
    asm("add.rp.f32 %0, %1, %2;" : "=f"(product) : "f"(third), "f"(ninth));
    out[41] = __float_as_uint(product);
    asm("cvt.rm.f32.s32 %0, %1;" : "=f"(product) : "r"(x));
    out[42] = __float_as_uint(product);
    for (int i = 0; i < RESULTS; i++)
        results[i * THREADS + threadIdx.x] = out[i];
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

/* The nearest whole number from least to most; 0 of what is no number. */
static uint32_t whole(double value, double least, double most)
{
    if (std::isnan(value))
        return 0;
    return static_cast<uint32_t>(static_cast<int64_t>(std::fmin(std::fmax(value, least), most)));
}

/* A half of 0 or of a number from 2^-14 to 65504, to the nearest. */
static uint32_t half_of(float value)
{
    uint32_t sign = std::signbit(value) ? 0x8000 : 0;
    if (value == 0)
        return sign;
    int exponent;
    double fraction = std::frexp(std::fabs(static_cast<double>(value)), &exponent);
    uint32_t steps = static_cast<uint32_t>(std::nearbyint(fraction * 2048)); /* 1024 .. 2048 */
    return sign + (static_cast<uint32_t>(exponent + 13) << 10) + steps;
}

static uint32_t turned(uint32_t x)
{
    uint32_t result = 0;
    for (int i = 0; i < 32; i++)
        result |= (x >> i & 1) << (31 - i);
    return result;
}

int main()
{
    std::vector<int> random = random_ints(THREADS * 6, 65536);
    std::vector<words> in(THREADS);
    for (int t = 0; t < THREADS; t++) {
        const int *r = &random[t * 6];
        in[t] = {static_cast<uint32_t>(r[0]) << 16 | static_cast<uint32_t>(r[1]),
                 static_cast<uint32_t>(r[2]) << 16 | static_cast<uint32_t>(r[3]),
                 static_cast<uint32_t>(r[4]) << 16 | static_cast<uint32_t>(r[5])};
    }
    uint32_t sum = 0, most = 0;
    for (const words &w : in) {
        sum += w.x;
        most = std::max(most, w.y);
    }
    std::vector<uint32_t> want(RESULTS * THREADS);
    for (int t = 0; t < THREADS; t++) {
        const words *warp = &in[t / 32 * 32];
        uint32_t x = in[t].x, y = in[t].y, z = in[t].z, lane = t % 32, o[RESULTS] = {};
        int32_t sx = static_cast<int32_t>(x), sy = static_cast<int32_t>(y);
        o[0] = lane;
        o[1] = t;
        uint64_t plus = (static_cast<uint64_t>(z) << 32 | x) + y;
        uint64_t minus = (static_cast<uint64_t>(z) << 32 | x) - y;
        o[2] = static_cast<uint32_t>(plus);
        o[3] = static_cast<uint32_t>(plus >> 32);
        o[4] = static_cast<uint32_t>(minus);
        o[5] = static_cast<uint32_t>(minus >> 32);
        o[6] = static_cast<uint32_t>(static_cast<uint64_t>(x) * y >> 32);
        uint64_t product = static_cast<uint64_t>(static_cast<int64_t>(sx) * sy);
        o[7] = static_cast<uint32_t>(product >> 32);
        o[8] = static_cast<uint32_t>(product);
        o[9] = o[7];
        o[10] = x * y + z;
        o[11] = x >> 5 & 2047;
        o[12] = static_cast<uint32_t>(static_cast<int32_t>(x << 16) >> 21);
        o[13] = (y & ~(511u << 7)) | (x & 511) << 7;
        uint32_t sign = x >> 31 ? 255u : 0u; /* digit B: byte 3 of x, its sign only */
        o[14] = (y >> 8 & 255) << 24 | sign << 16 | (x >> 24) << 8 | (x & 255);
        o[15] = (x & y) | (x & z) | (y & z);
        uint64_t both = static_cast<uint64_t>(y) << 32 | x;
        o[16] = static_cast<uint32_t>(both << (z & 31) >> 32);
        o[17] = static_cast<uint32_t>(both >> std::min(z & 63, 32u));
        o[18] = turned(x);
        uint32_t ones = 0, zeros = 0;
        for (int i = 0; i < 32; i++)
            ones += x >> i & 1;
        while (zeros < 32 && !(x >> (31 - zeros) & 1))
            zeros++;
        o[19] = ones * 100 + zeros;
        uint32_t differs = sx < 0 ? ~x : x;
        o[20] = 0xffffffff;
        for (uint32_t i = 0; i < 32; i++)
            if (differs >> i & 1)
                o[20] = i;
        o[21] = sx < sy ? x : y + 1;
        o[22] = whole(std::trunc(float_of(x)), -2147483648.0, 2147483647.0);
        o[23] = whole(std::nearbyint(float_of(y)), 0, 4294967295.0);
        o[24] = static_cast<uint32_t>(std::min(std::max(sx, -128), 127));
        float third = static_cast<float>(x >> 8) / 3, ninth = static_cast<float>(y >> 20) / 9;
        o[25] = half_of(ninth) << 16 | half_of(-ninth);
        /* 4 + 2 and, with other exponents, 8 (times 1 and 2), plus 1 and 2 */
        uint32_t pair = (x & 7) << 10 | 0x44004800u;
        float low = std::ldexp(1.0f, static_cast<int>(pair >> 10 & 31) - 15);
        o[26] = half_of(4.0f * 2 + 2) << 16 | half_of(low + 1);
        o[27] = bits_of(std::fmaf(third, ninth, 1.0f));
        for (uint32_t i = 0; i < 32; i++) {
            o[28] |= (warp[i].x & 1) << i;
            o[31] |= static_cast<uint32_t>((warp[i].y & 3) == (y & 3)) << i;
        }
        o[29] = warp[lane ^ 3].x;
        o[30] = lane % 8 < 6 ? warp[lane + 2].x : x;
        int32_t largest = sx;
        for (uint32_t i = 0; i < 32; i++)
            largest = std::max(largest, static_cast<int32_t>(warp[i].x));
        o[32] = static_cast<uint32_t>(largest);
        for (uint32_t n = (x & 255) + 1; n != 1; n = n & 1 ? 3 * n + 1 : n / 2)
            o[33]++;
        o[34] = z;
        for (int i = 0; i < 32; i += 8)
            o[34] +=
                static_cast<uint32_t>(static_cast<int8_t>(x >> i) * static_cast<int8_t>(y >> i));
        o[35] = in[t ^ 33].z;
        o[36] = in[t ^ 33].x;
        o[37] = sum;
        o[38] = most;
        uint32_t row = lane % 4 * 2,
                 column = lane / 4; /* of the two elements that this lane gets */
        for (uint32_t i = 0; i < 2; i++)
            o[39] |= (warp[(row + i) * 4 + column / 2].x >> (column % 2 * 16) & 0xffff) << (16 * i);
        double exact = static_cast<double>(third) * static_cast<double>(-ninth);
        float near = static_cast<float>(
            exact); /* then the one next to it, if that is not between 0 and exact */
        o[40] = bits_of(std::fabs(static_cast<double>(near)) > std::fabs(exact)
                            ? std::nextafter(near, 0.0f)
                            : near);
        exact = static_cast<double>(third) + static_cast<double>(ninth);
        near = static_cast<float>(exact);
        o[41] = bits_of(static_cast<double>(near) < exact ? std::nextafter(near, INFINITY) : near);
        near = static_cast<float>(sx);
        o[42] = bits_of(static_cast<double>(near) > sx ? std::nextafter(near, -INFINITY) : near);
        for (int i = 0; i < RESULTS; i++)
            want[i * THREADS + t] = o[i];
    }

    words *device_in = to_device(in);
    uint32_t *device_out = on_device<uint32_t>(RESULTS * THREADS);
    instructions<<<1, THREADS>>>(device_in, device_out);
    CUDA(launched());
    std::vector<uint32_t> got = to_host(device_out, RESULTS * THREADS);
    int wrong = 0;
    for (int i = 0; i < RESULTS; i++)
        for (int t = 0; t < THREADS; t++)
            if (got[i * THREADS + t] != want[i * THREADS + t] && wrong++ < 9)
                std::fprintf(stderr, "result %d of thread %d is 0x%08x, but should be 0x%08x\n", i,
                             t, got[i * THREADS + t], want[i * THREADS + t]);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(device_out));
    return report("inline_ptx", wrong);
}
