#!/bin/sh
# program_callers: a fault of a call of the API's is told of with the line of the program that makes the call, in
# whatever function that was inlined.
. tests/support/tap.sh
. tests/support/cuda.sh

cat >"$WORK/k.cu" <<'EOT'
#include <cstdio>
#include <cuda.h>
#define CHECK(x) do { cudaError_t e = (x); if (e) printf("%d\n", e); } while (0)
static inline void fill(char *p, int n)
{
    cudaMemset(p, 0, n); /* 6 */
}
template <class T> struct buffer {
    T *p;
    buffer(int n) { cudaMalloc(&p, n * sizeof *p); }
    void upload(const T *from, int n)
    {
        cudaMemcpy(p, from, n * sizeof *p, cudaMemcpyHostToDevice); /* 13 */
    }
    void download(T *to, int n)
    {
        CHECK(cudaMemcpy(to, p, n * sizeof *p, cudaMemcpyDeviceToHost)); /* 17 */
    }
};
int main()
{
    char *c;
    float host[64] = {};
    cudaMalloc(&c, 64);
    fill(c, 128);
    buffer<float> b(16);
    b.upload(host, 32);
    b.download(host, 33);
    cudaMemset(c, 0, 100);                                    /* 29 */
    cudaMemcpy2D(c, 8, host, 8, 8, 9, cudaMemcpyHostToDevice); /* 30 */
    cudaMemcpyAsync(c, host, 65, cudaMemcpyHostToDevice, 0);  /* 31 */
    cuMemsetD8((CUdeviceptr) c, 0, 66);                       /* 32 */
    return 0;
}
EOT
lines() { # COMPILER
    (cd "$WORK" && "$BANKSCOPE" run k.cu --compiler "$1" >out 2>said)
    cat "$WORK/said"
    test "$(sed -n 's/^bankscope run: k.cu:\([0-9]*\): argument: .*/\1/p' "$WORK/said" | tr '\n' ' ')" = \
        '6 13 17 29 30 31 32 '
}
ok "by clang" lines clang
NVCC=$(find_nvcc)
export NVCC
if test "$NVCC"; then
    ok "by nvcc" lines nvcc
else
    skip "by nvcc" "needs nvcc"
fi
finish
