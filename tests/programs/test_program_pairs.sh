#!/bin/sh
# program_pairs: faults as students and engineers write them, each beside what is right. The faulty lines say which kind
# of fault is told there, and no others are; of the right program nothing is told. All data are zeros: what is
# overwritten too early often holds what it will hold next.
. tests/support/tap.sh
. tests/support/cuda.sh

cat >"$WORK/pairs.cu" <<'EOT'
#include <cuda_pipeline.h>
#ifdef RIGHT
#define EITHER(right, wrong) right
#else
#define EITHER(right, wrong) wrong
#endif
#define SYNC EITHER(__syncthreads(), (void) 0)
enum { N = 64, T = 16 };

__global__ void reduce(const int *in, int *out)
{
    __shared__ int s[2 * N];
    const int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = N; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d]; // race
        SYNC;
    }
    if (t == 0)
        *out = s[0];
}
__global__ void product(const int *a, const int *b, int *c)
{
    __shared__ int as[T][T], bs[T][T];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
    int sum = 0;
    for (int k = 0; k < N; k += T) {
        as[y][x] = a[row * N + k + x];      // race
        bs[y][x] = b[(k + y) * N + column]; // race
        __syncthreads();
        for (int j = 0; j < T; j++)
            sum += as[y][j] * bs[j][x];
        SYNC;
    }
    c[row * N + column] = sum;
}
__global__ void scan(int *a)
{
    __shared__ int s[N];
    const int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int d = 1; d < N; d *= 2) {
        const int v = t >= d ? s[t - d] : 0; // race
        SYNC;
        s[t] += v;                           // race
        __syncthreads();
    }
    a[t] = s[t];
}
__global__ void histogram(const unsigned char *in, int *bins)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    EITHER(atomicAdd(&bins[in[i]], 1), bins[in[i]]++); // race
}
__global__ void smooth(const int *in, int *a, int *b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < 2 * N - 1)
        EITHER(b, a)[i] = a[i - 1] + a[i] + a[i + 1]; // race
}
__global__ void exchange(int *a)
{
    __shared__ int s[N];
    const int t = threadIdx.x;
    s[t] = t;
    EITHER(__syncthreads(), __syncwarp());
    a[t] = s[N - 1 - t]; // race
}
__global__ void rank(int *out)
{
    __shared__ int n;
    const int t = threadIdx.x;
    if (t == 0)
        n = 0;
    __syncthreads();
    atomicAdd(&n, 1); // race
    SYNC;
    out[t] = n; // race
}
__global__ void neighbour(int *out)
{
    __shared__ int a[N], b[N];
    const int t = threadIdx.x;
    a[t] = t, b[t] = -t;
    __syncthreads();
    out[t] = a[EITHER((t + 1) % N, t + 1)] + b[N - 1 - t]; // out-of-bounds
}
__global__ void sum_warps(const int *in, int *out)
{
    __shared__ int part[32];
    const int t = threadIdx.x;
    const int own = __reduce_add_sync(~0u, in[t]);
    if (t % 32 == 0)
        part[t / 32] = own;
    __syncthreads();
    if (t < 32)
        out[t] = EITHER(t < N / 32 ? part[t] : 0, part[t]); // unwritten-read
}
__global__ void stage(const int *in, int *out)
{
    __shared__ int s[N];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    EITHER(__pipeline_wait_prior(0), (void) 0);
    __syncthreads();
    out[t] = s[N - 1 - t]; // early-use-of-copy
}
__global__ void twice(const int *in, int *out)
{
    out[threadIdx.x] = 2 * in[threadIdx.x]; // unwritten-read
}
__constant__ int weight[N / 2];

int main()
{
    int *a, *b, *c, *fresh, host[N] = {};
    const size_t bytes = N * N * sizeof(int);
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    cudaMalloc(&fresh, sizeof host);
    cudaMemset(a, 0, bytes);
    cudaMemset(b, 0, bytes);
    cudaMemset(c, 0, bytes);
    reduce<<<1, 2 * N>>>(a, b);
    product<<<dim3(4, 4), dim3(T, T)>>>(a, b, c);
    scan<<<1, N>>>(a);
    histogram<<<2, N>>>((unsigned char *) a, b);
    smooth<<<2, N>>>(a, b, c);
    exchange<<<1, N>>>(a);
    rank<<<1, N>>>(a);
    neighbour<<<1, N>>>(a);
    sum_warps<<<1, N>>>(a, b);
    stage<<<1, N>>>(a, b);
    cudaMemcpy(fresh, host, EITHER(sizeof host, N), cudaMemcpyHostToDevice);
    twice<<<1, N>>>(fresh, b);
    cudaMemcpy(a, host, N, EITHER(cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost)); // argument
    cudaMemcpyToSymbol(weight, host, EITHER(sizeof host / 2, sizeof host));         // argument
    cudaMemcpyToSymbol(EITHER(weight, host), host, 4);                              // argument
    return cudaDeviceSynchronize();
}
EOT
pairs() { # COMPILER OPTION...
    (cd "$WORK" && "$BANKSCOPE" run pairs.cu --compiler "$@" 2>said >out)
    cat "$WORK/said"
}
wrong() { # COMPILER SED: of the lines
    # shellcheck disable=SC2086 # words
    pairs $1
    sed -n 's/^bankscope run: pairs.cu:\([0-9]*\): \([a-z-]*\): .*/\1 \2/p' "$WORK/said" | sort -u >"$WORK/told"
    grep -n ' // [a-z-]*$' "$WORK/pairs.cu" | sed -e "$2" -e 's/:.* / /' | sort -u | diff - "$WORK/told"
}
right() { # COMPILER
    pairs "$1" -DRIGHT
    ! grep -v 'are an estimate' "$WORK/said"
}
ok "each of the faults is told, with its line" wrong clang ''
ok "of what is right nothing is told" right clang
# A program that asks for the error knows it.
sed 's/^    cudaMemcpyToSymbol.*/&\n    cudaGetLastError();/' "$WORK/pairs.cu" >"$WORK/asks.cu"
asks() {
    (cd "$WORK" && "$BANKSCOPE" run asks.cu --compiler clang 2>said >out)
    grep argument "$WORK/said"
    [ "$(grep -c ' argument: ' "$WORK/said")" -eq 1 ] && ! grep -q 'argument: cudaMemcpyToSymbol' "$WORK/said"
}
ok "an error that the program asks for is not told" asks
NVCC=$(find_nvcc)
export NVCC
if test "$NVCC"; then
    # The toolkit's header has a function of its own between the program and cudaMemcpyToSymbol.
    ok "so it is by nvcc" wrong nvcc ''
    # The toolkit's header has a function of its own between the program and cudaMemcpyToSymbol.
    ok "and where that function is inlined" wrong "nvcc -O2" ''
    ok "but for a line where nothing tells of its caller" wrong "nvcc -O0 -Xcompiler=-fomit-frame-pointer" /ToSymbol/d
    ok "and the fault is told" grep -q 'run: argument: cudaMemcpyToSymbol copies 256 bytes .* of 128 bytes$' "$WORK/said"
    ok "and of what is right" right nvcc
else
    skip "by nvcc" "needs nvcc"
fi
finish
