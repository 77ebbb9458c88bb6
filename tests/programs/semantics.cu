/*
 * semantics - results that CUDA's documents promise, one after another: shuffles out of range, atomics
 * that wrap, conversions that saturate, rounding, error codes. No course needs it; whoever stands in
 * for CUDA does. A kernel notes each value that is not as promised.
 */
#include "program.h"
#include <climits>
#include <cstdint>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ int failures, checks;

__device__ void expect(bool right, int line)
{
    atomicAdd(&checks, 1);
    if (!right) {
        atomicAdd(&failures, 1);
        printf("semantics.cu:%d: thread %d is wrong\n", line, (int)threadIdx.x);
    }
}
#define EXPECT(condition) expect((condition), __LINE__)

const unsigned ALL = 0xffffffff;

__global__ void shuffles()
{
    int lane = threadIdx.x;
    EXPECT(__shfl_sync(ALL, lane, 5) == 5);
    EXPECT(__shfl_sync(ALL, lane, 37) == 5); /* modulo the width */
    EXPECT(__shfl_sync(ALL, lane, -1) == 31);
    EXPECT(__shfl_sync(ALL, lane, 9, 8) == (lane & ~7) + 1);
    EXPECT(__shfl_up_sync(ALL, lane, 1) == (lane == 0 ? 0 : lane - 1));
    EXPECT(__shfl_up_sync(ALL, lane, 2, 8) == (lane % 8 < 2 ? lane : lane - 2));
    EXPECT(__shfl_down_sync(ALL, lane, 3) == (lane > 28 ? lane : lane + 3));
    EXPECT(__shfl_down_sync(ALL, lane, 3, 16) == (lane % 16 > 12 ? lane : lane + 3));
    EXPECT(__shfl_xor_sync(ALL, lane, 17) == (lane ^ 17));
    EXPECT(__shfl_xor_sync(ALL, lane, 8, 8) ==
           (lane & 8 ? lane ^ 8 : lane));           /* earlier parts only */
    EXPECT(__shfl_sync(ALL, 0.5 * lane, 4) == 2.0); /* 8 bytes */
    EXPECT(__shfl_sync(ALL, (long long)lane << 40, 3) == 3ll << 40);
    EXPECT(__half2float(__shfl_sync(ALL, __float2half((float)lane), 6)) == 6);
    if (lane < 8)
        EXPECT(__shfl_down_sync(0xff, lane, 1, 8) == (lane == 7 ? 7 : lane + 1));
}

__global__ void votes()
{
    int lane = threadIdx.x;
    EXPECT(__ballot_sync(ALL, lane % 2) == 0xaaaaaaaa);
    EXPECT(__any_sync(ALL, lane == 31) && !__any_sync(ALL, lane == 32));
    EXPECT(__all_sync(ALL, lane < 32) && !__all_sync(ALL, lane < 31));
    EXPECT(__match_any_sync(ALL, lane / 4) == 0xfu << (lane & ~3));
    int all;
    EXPECT(__match_all_sync(ALL, 7, &all) == ALL && all == 1);
    EXPECT(__match_all_sync(ALL, lane, &all) == 0 && all == 0);
    EXPECT(__reduce_add_sync(ALL, lane) == 496);
    EXPECT(__reduce_min_sync(ALL, lane - 5) == -5);
    EXPECT(__reduce_max_sync(ALL, (unsigned)lane) == 31);
    EXPECT(__reduce_or_sync(ALL, 1u << lane) == ALL);
    EXPECT(__reduce_xor_sync(ALL, (unsigned)lane) == 0);
    if (lane >= 16) {
        EXPECT(__activemask() == 0xffff0000);
        EXPECT(__ballot_sync(0xffff0000, 1) == 0xffff0000);
    }
    EXPECT(__syncthreads_count(lane < 7) == 7);
    EXPECT(__syncthreads_and(lane < 32) && !__syncthreads_and(lane < 31));
    EXPECT(__syncthreads_or(lane == 3) && !__syncthreads_or(lane == 40));
}

__global__ void atomics()
{
    __shared__ int i;
    __shared__ unsigned u;
    __shared__ unsigned long long w;
    __shared__ float f;
    __shared__ double d;
    int t = threadIdx.x;
    if (t == 0) {
        i = -5;
        u = 2;
        w = 1;
        f = 0.5f;
        d = 0.25;
    }
    __syncthreads();
    atomicAdd(&i, t);
    atomicInc(&u, 4); /* 2 3 4 0 1 2 ... */
    atomicAdd(&w, 1ull << 33);
    atomicAdd(&f, 1.0f);
    atomicAdd(&d, 1.0);
    __syncthreads();
    EXPECT(i == -5 + 496 && u == (2 + 32) % 5 && w == (32ull << 33) + 1 && f == 32.5f &&
           d == 32.25);
    __syncthreads();
    if (t != 0)
        return;
    u = 3;
    EXPECT(atomicDec(&u, 9) == 3 && u == 2);
    u = 0;
    EXPECT(atomicDec(&u, 9) == 0 && u == 9); /* from 0, and from above the limit, to the limit */
    u = 20;
    EXPECT(atomicDec(&u, 9) == 20 && u == 9);
    u = 20;
    EXPECT(atomicInc(&u, 9) == 20 && u == 0);
    EXPECT(atomicSub(&u, 1u) == 0 && u == UINT_MAX);
    i = -3;
    EXPECT(atomicMin(&i, 2) == -3 && i == -3 && atomicMax(&i, 2) == -3 && i == 2);
    EXPECT(atomicExch(&i, 6) == 2 && atomicCAS(&i, 5, 8) == 6 && i == 6);
    EXPECT(atomicCAS(&i, 6, 8) == 6 && i == 8);
    EXPECT(atomicAnd(&i, 12) == 8 && atomicOr(&i, 3) == 8 && atomicXor(&i, 1) == 11 && i == 10);
    EXPECT(atomicExch(&f, 2.5f) == 32.5f && f == 2.5f);
    EXPECT(atomicMax(&w, 5ull) == (32ull << 33) + 1 && w == (32ull << 33) + 1);
    EXPECT(atomicAdd_block(&i, 1) == 10 && atomicAdd_system(&i, 1) == 11);
}

/* Arguments keep the compiler from computing at compile time. */
__global__ void integers(int one, unsigned ones, float half, double big)
{
    EXPECT(__clz(one) == 31 && __clz(0 * one) == 32 && __clzll(one) == 63 && __clz(-one) == 0);
    EXPECT(__ffs(one << 4) == 5 && __ffs(one - 1) == 0 && __ffsll(1ll * one << 40) == 41);
    EXPECT(__popc(ones) == 32 && __popcll(ones) == 32);
    EXPECT(__brev(one) == 0x80000000 && __brevll(one) == 1ull << 63);
    EXPECT(__byte_perm(0x33221100 * one, 0x77665544, 0x7531) == 0x77553311);
    EXPECT(__byte_perm(0x0000807f * one, 0, 0x1098) == 0x807f807f); /* a digit's 8 is ignored */
    EXPECT(__umulhi(ones, ones) == 0xfffffffe && __mulhi(-one, one) == -1);
    EXPECT(__mul64hi(-1ll * one, 1) == -1 && __umul64hi(~0ull * one, 2) == 1);
    EXPECT(__mul24(0x01000003 * one, 5) == 15 && __umul24(0xff000002 * one, 3) == 6);
    EXPECT(__sad(one, -4, 10) == 15 && __usad(one, 4, 10) == 13);
    EXPECT(__hadd(one, 2) == 1 && __rhadd(one, 2) == 2 && __uhadd(ones, ones) == ones);
    EXPECT(__funnelshift_l(0x80000000 * one, 1, 1) == 3 &&
           __funnelshift_r(1, one, 1) == 0x80000000);
    EXPECT(__funnelshift_lc(5, one, 40) == 5 && __funnelshift_l(5, one, 32) == 1);
    EXPECT(__dp4a(0x01020304 * one, 0x01010101, 5) == 15);
    EXPECT(__dp4a((int)0xff000000 * one, 0x02000000, 0) == -2);
    EXPECT(__vadd4(0x01ff0203 * one, 0x01010101) == 0x02000304);
    EXPECT(__vmaxu4(0x01ff0203 * one, 0x02020202) == 0x02ff0203);
    EXPECT(__vabsdiffu4(0x01050203 * one, 0x02020202) == 0x01030001);
    EXPECT(__vcmpgtu2(0x00020001 * one, 0x00010001) == 0xffff0000);
    EXPECT(min(one, 2u) == 1u && max(-one, 2) == 2 && max(2.0f * half, 0.5) == 1.0);

    EXPECT(__float2int_rn(2.5f * one) == 2 && __float2int_rn(3.5f * one) == 4);
    EXPECT(__float2int_rz(-2.7f * one) == -2 && __float2int_ru(2.1f * one) == 3);
    EXPECT(__float2int_rd(-2.1f * one) == -3);
    EXPECT(__float2int_rn(1e20f * one) == INT_MAX && __float2int_rn(-1e20f * one) == INT_MIN);
    EXPECT(__float2int_rn(INFINITY - INFINITY * one) == 0);
    EXPECT(__float2uint_rn(-1.0f * one) == 0 && __float2uint_rn(1e20f * one) == UINT_MAX);
    EXPECT(__double2ll_rn(big) == LLONG_MAX && __double2ll_rz(-big) == LLONG_MIN);
    EXPECT(__double2int_rd(-half) == -1 && __double2uint_ru(half) == 1);
    EXPECT(__float_as_int(2 * half) == 0x3f800000 && __int_as_float(0x40000000 * one) == 2);
    EXPECT(__double2hiint(2.0 * half) == 0x3ff00000 && __double2loint(2.0 * half) == 0);
    EXPECT(__hiloint2double(0x3ff00000 * one, 0) == 1);
}

__global__ void floats(float one, double done, float zero)
{
    EXPECT(__fadd_rn(one, 1e-10f) == 1 && __fadd_ru(one, 1e-10f) == 1 + 0x1p-23f);
    EXPECT(__fadd_rd(one, -1e-10f) == 1 - 0x1p-24f && __fadd_rz(one, -1e-10f) == 1 - 0x1p-24f);
    EXPECT(__fmul_ru(one / 3, one / 3) > __fmul_rd(one / 3, one / 3));
    EXPECT(__fdiv_rd(one, 3) < __fdiv_ru(one, 3) && __frcp_rn(4 * one) == 0.25f);
    EXPECT(__fsqrt_rn(9 * one) == 3 && __frsqrt_rn(4 * one) == 0.5f);
    EXPECT(__fmaf_rn(one + 0x1p-12f, one + 0x1p-12f, -1) == 0x1p-11f + 0x1p-24f); /* one rounding */
    EXPECT(fmaf(one + 0x1p-12f, one + 0x1p-12f, -1) == 0x1p-11f + 0x1p-24f);
    EXPECT(__dadd_ru(done, 1e-20) == 1 + 0x1p-52 && __dmul_rz(done / 3, 3) <= 1);
    EXPECT(__int2float_rz(16777217) == 16777216 && __int2float_ru(16777217 * (int)one) == 16777218);
    EXPECT(__double2float_rd(done + 1e-12) == 1 && __double2float_ru(done + 1e-12) > 1);
    EXPECT(__saturatef(-one) == 0 && __saturatef(2 * one) == 1 && __saturatef(zero / zero) == 0);
    EXPECT(fminf(zero / zero, one) == 1 && fmaxf(one, zero / zero) == 1);
    EXPECT(sinpi(done) == 0 && cospi(0.5 * done) == 0 && cospif(one) == -1);
    EXPECT(fabs(rsqrt(4 * done) - 0.5) < 1e-15 && fabs(rcbrt(8 * done) - 0.5) < 1e-15);
    EXPECT(fabs(exp10(2 * done) - 100) < 1e-12);
    EXPECT(fabs(erfinv(erf(0.3 * done)) - 0.3) < 1e-12 && fabs(normcdf(0 * done) - 0.5) < 1e-15);
    EXPECT(fabs(normcdfinv(0.975 * done) - 1.959963984540054) < 1e-9);
    EXPECT(norm3d(2 * done, 3, 6) == 7 && fabsf(rhypotf(3 * one, 4) - 0.2f) < 1e-7f);
    EXPECT(isnan(zero / zero) && isinf(one / zero) && signbit(-one));
    float sine, cosine;
    sincosf(0 * one, &sine, &cosine);
    EXPECT(sine == 0 && cosine == 1);
    EXPECT(__fdividef(one, 2) == 0.5f && fdividef(one, 4) == 0.25f);
}

__global__ void halves(float one, int big)
{
    EXPECT(__half_as_ushort(__float2half(one)) == 0x3c00);
    EXPECT(__half_as_ushort(__float2half(65520 * one)) == 0x7c00); /* beyond the largest */
    EXPECT(__half_as_ushort(__float2half_rz(65520 * one)) == 0x7bff);
    EXPECT(__half2float(__float2half(one + 0x1p-11f)) == 1); /* ties to even */
    EXPECT(__half2float(__float2half_ru(one + 0x1p-12f)) == 1 + 0x1p-10f);
    EXPECT(__half2float(__float2half_rd(-one - 0x1p-12f)) == -1 - 0x1p-10f);
    EXPECT(__half_as_ushort(__float2half(0x1p-24f * one)) == 1); /* the smallest */
    __half a = __float2half(1.5f * one), b = __float2half(2.25f * one);
    EXPECT(__half2float(a + b) == 3.75f && __half2float(__hmul(a, b)) == 3.375f);
    EXPECT(__half2float(__hdiv(b, a)) == 1.5f && __half2float(__hfma(a, b, a)) == 4.875f);
    EXPECT(__hlt(a, b) && !__hgt(a, b) && a < b && __hne(a, b));
    EXPECT(__half2int_rn(__float2half(2.5f * one)) == 2 && __half2int_rz(b) == 2);
    EXPECT(__half2float(__int2half_rn(2049 * big)) == 2048);
    __half2 pair = __floats2half2_rn(one, 2 * one), twice = __hadd2(pair, pair);
    EXPECT(__low2float(twice) == 2 && __high2float(twice) == 4);
    EXPECT(__half2float(__low2half(__lowhigh2highlow(pair))) == 2);
    EXPECT(__hbeq2(pair, pair) && !__hbgt2(pair, pair));

    __nv_bfloat16 c = __float2bfloat16(1 + 0x1p-8f * one),
                  d = __float2bfloat16(1 + 0x1.8p-7f * one);
    EXPECT(__bfloat162float(c) == 1 && __bfloat162float(d) == 1 + 0x1p-6f); /* ties to even */
    EXPECT(__bfloat162float(__float2bfloat16(3e38f * one)) > 2.9e38f);
    EXPECT(__bfloat162float(__hadd(d, d)) == 2 + 0x1p-5f && __bfloat162float(d * c) == 1 + 0x1p-6f);
}

/* What the host is told. */
static int api_failures;
static void want(cudaError_t got, cudaError_t wanted, int line)
{
    if (got == wanted)
        return;
    std::printf("semantics.cu:%d: %s instead of %s\n", line, cudaGetErrorName(got),
                cudaGetErrorName(wanted));
    api_failures++;
}
#define WANT(call, wanted) want((call), (wanted), __LINE__)

__constant__ int constants[4];
__device__ int variable = 7;

__global__ void nothing()
{
}

__global__ void sum_constants(int *sum)
{
    *sum = constants[0] + constants[1] + constants[2] + constants[3] + variable;
}

static void api()
{
    int host[4] = {1, 2, 3, 4}, back[4] = {}, *device = nullptr, *end = nullptr;
    WANT(cudaMalloc(&device, sizeof host), cudaSuccess);
    WANT(cudaMalloc(&end, 0), cudaSuccess);
    WANT(end == nullptr ? cudaSuccess : cudaErrorUnknown, cudaSuccess);
    WANT(cudaFree(nullptr), cudaSuccess);
    WANT(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice), cudaSuccess);
    WANT(cudaMemcpy(back, device, sizeof host, cudaMemcpyDefault), cudaSuccess);
    WANT(std::memcmp(back, host, sizeof host) ? cudaErrorUnknown : cudaSuccess, cudaSuccess);
    WANT(cudaMemcpy(nullptr, host, sizeof host, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    WANT(cudaGetLastError(), cudaErrorInvalidValue);
    WANT(cudaGetLastError(), cudaSuccess); /* asking once forgets it */
    WANT(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice), cudaSuccess);
    WANT(cudaMemcpy(device, host, 4, (cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
    WANT(cudaMemcpy(host, device, sizeof host, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    WANT(cudaMemset(nullptr, 0, 4), cudaErrorInvalidValue);
    WANT(cudaPeekAtLastError(), cudaErrorInvalidValue);
    WANT(cudaPeekAtLastError(), cudaErrorInvalidValue); /* looking does not */
    cudaGetLastError();
    WANT(cudaMalloc(&end, (size_t)1 << 60), cudaErrorMemoryAllocation);
    WANT(cudaGetLastError(), cudaErrorMemoryAllocation);

    /* The documents say invalid configuration, CUDA 13 on an H200 says invalid value. */
    dim3 impossible[][2] = {{1, 2048}, {0, 32}, {dim3(1, 1, 70000), 32}, {1, dim3(1, 1, 65)}};
    for (auto &shape : impossible) {
        nothing<<<shape[0], shape[1]>>>();
        cudaError_t error = cudaGetLastError();
        WANT(error == cudaErrorInvalidValue ? cudaErrorInvalidConfiguration : error,
             cudaErrorInvalidConfiguration);
    }
    nothing<<<1, 32>>>();
    WANT(cudaDeviceSynchronize(), cudaSuccess);
    WANT(cudaSetDevice(99), cudaErrorInvalidDevice);
    cudaGetLastError();

    WANT(cudaMemcpyToSymbol(constants, host, sizeof host), cudaSuccess);
    WANT(cudaMemcpyToSymbol(constants, host, 4, 16), cudaErrorInvalidValue);
    cudaGetLastError();
    sum_constants<<<1, 1>>>(device);
    WANT(cudaMemcpy(back, device, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    WANT(back[0] == 17 ? cudaSuccess : cudaErrorUnknown, cudaSuccess);
    int *address;
    size_t size;
    WANT(cudaGetSymbolAddress((void **)&address, variable), cudaSuccess);
    WANT(cudaGetSymbolSize(&size, constants), cudaSuccess);
    WANT(size == 16 ? cudaSuccess : cudaErrorUnknown, cudaSuccess);
    WANT(cudaMemcpy(back, address, 4, cudaMemcpyDeviceToHost), cudaSuccess);
    WANT(back[0] == 7 ? cudaSuccess : cudaErrorUnknown, cudaSuccess);

    cudaPointerAttributes attributes;
    WANT(cudaPointerGetAttributes(&attributes, device), cudaSuccess);
    WANT(attributes.type == cudaMemoryTypeDevice ? cudaSuccess : cudaErrorUnknown, cudaSuccess);
    WANT(cudaPointerGetAttributes(&attributes, host), cudaSuccess);
    WANT(attributes.type == cudaMemoryTypeUnregistered ? cudaSuccess : cudaErrorUnknown,
         cudaSuccess);

    cudaEvent_t start, stop;
    float milliseconds;
    WANT(cudaEventCreate(&start), cudaSuccess);
    WANT(cudaEventCreate(&stop), cudaSuccess);
    WANT(cudaEventElapsedTime(&milliseconds, start, stop), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
    WANT(cudaEventDestroy(start), cudaSuccess);
    WANT(cudaEventDestroy(stop), cudaSuccess);
    WANT(cudaFree(device), cudaSuccess);
}

int main()
{
    static_assert(alignof(float4) == 16 && alignof(float2) == 8 && alignof(float3) == 4, "");
    static_assert(alignof(double2) == 16 && alignof(double3) == 8 && alignof(longlong2) == 16, "");
    static_assert(alignof(uchar4) == 4 && alignof(short2) == 4 && alignof(char3) == 1, "");
    static_assert(sizeof(float3) == 12 && sizeof(uchar3) == 3 && sizeof(dim3) == 12, "");

    shuffles<<<1, 32>>>();
    votes<<<1, 32>>>();
    atomics<<<1, 32>>>();
    integers<<<1, 1>>>(1, 0xffffffff, 0.5f, 1e30);
    floats<<<1, 1>>>(1.0f, 1.0, 0.0f);
    halves<<<1, 1>>>(1.0f, 1);
    CUDA(launched());
    int wrong, count;
    CUDA(cudaMemcpyFromSymbol(&wrong, failures, sizeof wrong));
    CUDA(cudaMemcpyFromSymbol(&count, checks, sizeof count));
    api();
    return report("semantics", wrong + api_failures + (count < 1000));
}
