#!/bin/sh
# Programs of several files: device functions and variables of one are used in another.
. tests/tap.sh
. tests/cuda.sh

cat >"$WORK/main.cu" <<'END'
#include "parts.h"
#include <cstdio>
__managed__ int bias = 1;
__global__ void kernel(float *out)
{
    __shared__ __half s[128];
    s[threadIdx.x] = __float2half(threadIdx.x);
    s[threadIdx.x + 64] = __float2half(2);
    __syncthreads();
    out[threadIdx.x] = pick(s, threadIdx.x) + added + factor + bias;
}
int main()
{
    float *out;
    int three = 3;
    cudaMallocManaged(&out, 64 * sizeof *out);
    set_factor(three);
    kernel<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    printf("%g %g\n", out[10], out[50]);
}
END
cat >"$WORK/parts.h" <<'END'
#include <cuda_fp16.h>
extern __device__ float pick(const __half *s, int i);
extern __device__ int added;
extern __constant__ int factor;
void set_factor(int value);
END
cat >"$WORK/pick.cu" <<'END'
#include "parts.h"
__device__ float pick(const __half *s, int i)
{
    return __half2float(s[2 * i]);
}
END
cat >"$WORK/variables.cu" <<'END'
#include "parts.h"
__device__ int added = 100;
__constant__ int factor;
void set_factor(int value)
{
    cudaMemcpyToSymbol(factor, &value, sizeof value);
}
END

runs_right() { # OPTION...
    "$BANKSCOPE" run "$@" "$WORK/main.cu" "$WORK/pick.cu" "$WORK/variables.cu" >"$WORK/out" 2>"$WORK/err" ||
        { cat "$WORK/err" && return 1; }
    cat "$WORK/out" "$WORK/err"
    grep -qx '124 106' "$WORK/out" && grep -q 'pick\.cu:4 *load  *2  *2  ' "$WORK/out"
}
ok "the machine links what clang compiles" runs_right --no-nvcc
ok "-rdc=true changes nothing" runs_right --no-nvcc -rdc=true
ok "nor do options that only nvcc knows" runs_right --no-nvcc -Xptxas -v -arch sm_86 -Wall
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
    export NVCC="$nvcc"
    ok "nvcc links device code of several files" runs_right --compiler nvcc
else
    skip "nvcc links device code of several files" "no nvcc"
fi
says "a device function that no file has" 'this function is declared but nowhere defined.*pick' \
    "$BANKSCOPE" run --no-nvcc "$WORK/main.cu" "$WORK/variables.cu"
finish
