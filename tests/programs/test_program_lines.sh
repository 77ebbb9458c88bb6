#!/bin/sh
# program_lines: an access is counted at the line that makes it, whatever type or operator stands there. The lines that
# have one say so by a star; a line that is joined with the one before it has none.
. tests/support/tap.sh
. tests/support/cuda.sh

cat >"$WORK/lines.cu" <<'EOT'
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuComplex.h>
#include <cooperative_groups.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;
#define KERNEL(name, type) __global__ void name(type *out, int n)
#define BEGIN(type) __shared__ type s[64]; const int t = threadIdx.x, from = (t + n) % 64, to = t * n % 64;

KERNEL(half2s, float)
{
    BEGIN(__half2)
    s[to] = __floats2half2_rn(t, 2.0f); // *

    __syncthreads();
    float2 f = __half22float2(s[from]); // *
    out[t] = f.x + f.y;
}
KERNEL(bfloat162s, float)
{
    BEGIN(__nv_bfloat162)
    s[to] = __floats2bfloat162_rn(t, 2.0f); // *
    cg::this_thread_block().sync();
    float2 f = __bfloat1622float2(s[from]); // *
    out[t] = f.x + f.y;
}
KERNEL(halves, float)
{
    BEGIN(__half)
    s[to] = __float2half(t); // *
    __syncthreads();
    out[t] = __half2float(s[from]); // *
}
KERNEL(members, __half)
{
    BEGIN(__half2)
    s[t].x = out[t]; // *
    __syncwarp();
    s[t].y = out[t + 1]; // *
    __syncthreads();
    out[t] = s[63 - t].x; // *
}
KERNEL(float4s, float)
{
    BEGIN(float4)
    s[to] = make_float4(t, 1, 2, n); // *
    __syncthreads();
    float4 f = s[from]; // *
    out[t] = f.x + f.y + f.z + f.w;
}
KERNEL(double2s, double)
{
    BEGIN(double2)
    s[to] = make_double2(t, n); // *
    __threadfence_block();
    __syncthreads();
    double2 f = s[from]; // *
    out[t] = f.x + f.y;
}
KERNEL(complexes, float)
{
    BEGIN(cuFloatComplex)
    s[to] = make_cuFloatComplex(t, n); // *
    __syncthreads();
    out[t] = cuCabsf(s[from]); // *
}
KERNEL(bytes, uchar4)
{
    BEGIN(uchar4)
    s[t] = make_uchar4(t, n, 2, 3); // *
    if (n > 100)
        __trap();
    __syncthreads();
    out[t] = s[63 - t]; // *
}
KERNEL(atomics, int)
{
    BEGIN(int2)
    s[t] = {0, n}; // *
    __syncthreads();
    atomicAdd(&s[to].x, 1); // *
    cg::sync(cg::this_thread_block());
    out[t] = s[t].x; // *
}
KERNEL(wrapped, int)
{
    BEGIN(cuda::atomic<int>)
    s[t].store(n); // *
    __syncthreads();
    s[to].fetch_add(2); // *
    __syncthreads();
    out[t] = s[t].load(); // *
}
int main()
{
    void *out;
    cudaMalloc(&out, 1024);
    cudaMemset(out, 0, 1024);
    half2s<<<1, 64>>>((float *) out, 1);
    bfloat162s<<<1, 64>>>((float *) out, 1);
    halves<<<1, 64>>>((float *) out, 1);
    members<<<1, 64>>>((__half *) out, 1);
    float4s<<<1, 64>>>((float *) out, 1);
    double2s<<<1, 64>>>((double *) out, 1);
    complexes<<<1, 64>>>((float *) out, 1);
    bytes<<<1, 64>>>((uchar4 *) out, 1);
    atomics<<<1, 64>>>((int *) out, 1);
    wrapped<<<1, 64>>>((int *) out, 1);
    return cudaDeviceSynchronize();
}
EOT
lines() { # COMPILER
    (cd "$WORK" && "$BANKSCOPE" run lines.cu --compiler "$1" --csv >table) || return
    grep -n '// \*' "$WORK/lines.cu" | cut -d: -f1 >"$WORK/wanted"
    sed -n 's/.*,lines.cu,\([0-9]*\),.*/\1/p' "$WORK/table" | sort -nu | diff "$WORK/wanted" -
}
for clang in clang-14 clang-16; do
    if have $clang; then
        export CLANG=$clang
        ok "by $clang" lines clang
    else
        skip "by $clang" "needs it"
    fi
done
NVCC=$(find_nvcc)
export NVCC
if test "$NVCC"; then
    ok "by nvcc" lines nvcc
else
    skip "by nvcc" "needs nvcc"
fi
finish
