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
# What has several small members is one access, whichever of them are used: of each of the 2 warps 1 store and 1 load.
cat >"$WORK/small.cu" <<'EOT'
#define KERNEL(name, type, code) __global__ void name(type *out, int n)                      \
{                                                                                                 \
    __shared__ type s[64];                                                                        \
    const int t = threadIdx.x;                                                                    \
    s[t] = out[t];                                                                                \
    __syncthreads();                                                                              \
    type v = s[63 - t];                                                                           \
    code;                                                                                         \
}
KERNEL(one, uchar4, v.x += n; out[t] = v)
KERNEL(some, uchar4, out[t].x = v.x + v.y + v.z)
KERNEL(turned, uchar4, out[t] = make_uchar4(v.z, v.y, v.x, v.w))
KERNEL(pairs, short2, v.x += n; out[t] = v)
KERNEL(wide, ushort4, v.x += n; out[t] = v)
KERNEL(letters, char4, out[t] = v.w ? v : make_char4(n, n, n, n))
static int wrong;
template <class T> static void run(void (*kernel)(T *, int), int a, int b, int c, int d)
{
    unsigned char host[512], *out;
    for (int i = 0; i < 512; i++)
        host[i] = i;
    cudaMalloc(&out, 512);
    cudaMemcpy(out, host, 512, cudaMemcpyHostToDevice);
    kernel<<<1, 64>>>((T *) out, 1);
    cudaMemcpy(host, out, 4, cudaMemcpyDeviceToHost);
    wrong += host[0] != a || host[1] != b || host[2] != c || host[3] != d;
}
int main()
{
    run(one, 253, 253, 254, 255);
    run(some, 247, 1, 2, 3);
    run(turned, 254, 253, 252, 255);
    run(pairs, 253, 253, 254, 255);
    run(wide, 249, 249, 250, 251);
    run(letters, 252, 253, 254, 255);
    return wrong;
}
EOT
small() { # COMPILER
    (cd "$WORK" && "$BANKSCOPE" run small.cu --compiler "$1" --csv >table) || return
    cat "$WORK/table"
    for kernel in one some turned pairs wide letters; do
        for op in store load; do
            echo "$kernel,$op,2"
        done
    done | sort >"$WORK/wanted"
    awk -F , 'NR > 1 { print $1 "," $5 "," $6 }' "$WORK/table" | sort | diff "$WORK/wanted" -
}
for clang in clang-14 clang-16; do
    if have $clang; then
        export CLANG=$clang
        ok "by $clang" lines clang
        ok "members that are small are one access by $clang" small clang
    else
        skip "by $clang" "needs it"
    fi
done
NVCC=$(find_nvcc)
export NVCC
if test "$NVCC"; then
    ok "by nvcc" lines nvcc
    ok "members that are small are one access by nvcc" small nvcc
else
    skip "by nvcc" "needs nvcc"
fi
finish
