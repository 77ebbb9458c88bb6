#!/bin/sh
# program_foreign: what programs that others wrote do, and ours had not done.
. tests/support/tap.sh
. tests/support/cuda.sh

# Barriers for more than a warp and less than a block: each of two tiles sums, scans and votes.
cat >"$WORK/tiles.cu" <<'EOF'
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
namespace cg = cooperative_groups;
enum { N = 1024 };
template <unsigned TILE> __global__ void tiles(int *out)
{
    __shared__ cg::block_tile_memory<N> memory;
    __shared__ int total[N / TILE];
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<TILE>(block);
    int mine = threadIdx.x;
    int sum = cg::reduce(tile, mine, cg::plus<int>());
    int before = cg::exclusive_scan(tile, mine, cg::plus<int>());
    if (tile.thread_rank() == 0)
        total[tile.meta_group_rank()] = sum;
    tile.sync();
    out[threadIdx.x] = total[tile.meta_group_rank()] + 3 * before + 5 * tile.shfl(mine, 2) +
                       7 * tile.any(mine == N - 1) + 11 * tile.all(mine < N / 2);
}
template <unsigned TILE> int wrong(int *out)
{
    int wrong = 0;
    tiles<TILE><<<3, N>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++) {
        int first = i / TILE * TILE, before = 0, sum = 0;
        for (int k = first; k < first + (int)TILE; k++)
            sum += k, before += k < i ? k : 0;
        wrong += out[i] != sum + 3 * before + 5 * (first + 2) + 7 * (first + TILE == N) +
                               11 * (first + TILE <= N / 2);
    }
    return wrong;
}
int main()
{
    int *out;
    cudaMallocManaged(&out, N * sizeof *out);
    printf("%d %d %d wrong\n", wrong<64>(out), wrong<256>(out), wrong<512>(out));
    cudaFree(out);
}
EOF
run_it "$BANKSCOPE" run "$WORK/tiles.cu" --blocks 0-1
ok "tiles of several warps" grep -qx '0 0 0 wrong' "$WORK/stdout"
ok "in which nothing is wrong" test "$status" -eq 0

# A tile of a tile, whose type forgets what it is of, counts within it all the same.
cat >"$WORK/erased.cu" <<'EOF'
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__device__ unsigned counts(cg::thread_block_tile<4> tile)
{
    return 100 * tile.meta_group_size() + tile.meta_group_rank();
}
__global__ void erased(unsigned *out)
{
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    out[2 * threadIdx.x] = counts(cg::tiled_partition<4>(warp));
    out[2 * threadIdx.x + 1] = counts(cg::tiled_partition<4>(block));
}
int main()
{
    unsigned *out;
    cudaMallocManaged(&out, 128 * sizeof *out);
    erased<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    printf("%u %u %u %u\n", out[2 * 37], out[2 * 37 + 1], out[2 * 7], out[2 * 7 + 1]);
    cudaFree(out);
}
EOF
run_it "$BANKSCOPE" run "$WORK/erased.cu"
ok "a tile of a tile counts within it" grep -qx '801 1609 801 1601' "$WORK/stdout"

# A sum by the last warp without barriers, in global memory; one block is recorded.
cat >"$WORK/volatile.cu" <<'EOF'
#include <cstdio>
__global__ void sum(int *data)
{
    volatile int *v = data + 64 * blockIdx.x;
    int i = threadIdx.x;
    v[i] += v[i + 32];
    v[i] += v[i + 16];
    v[i] += v[i + 8];
    v[i] += v[i + 4];
    v[i] += v[i + 2];
    v[i] += v[i + 1];
}
int main()
{
    int *data;
    cudaMallocManaged(&data, 64 * 64 * sizeof(int));
    for (int i = 0; i < 64 * 64; i++)
        data[i] = i;
    sum<<<63, 32>>>(data);
    cudaDeviceSynchronize();
    printf("%d %d\n", data[0], data[62 * 64]);
    cudaFree(data);
}
EOF
run_it "$BANKSCOPE" run "$WORK/volatile.cu" --blocks 0-0
ok "volatile global memory keeps a warp together" grep -qx '2016 255968' "$WORK/stdout"

# A program of which one file has kernels, which it includes; another knows nothing of CUDA.
cat >"$WORK/kernel.cuh" <<'EOF'
texture<int, 1, cudaReadModeElementType> table;
__global__ void look(int *out)
{
    __shared__ int s[32];
    s[threadIdx.x] = tex1Dfetch(table, 31 - threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
EOF
cat >"$WORK/call.cu" <<'EOF'
#include <cuda_runtime.h>
#include "kernel.cuh"
void call(int *out, const int *in)
{
    cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
    cudaBindTexture(NULL, &table, in, &ints, 32 * sizeof *in);
    look << < 1, 32 >> > (out);
    cudaDeviceSynchronize();
}
EOF
cat >"$WORK/host.cpp" <<'EOF'
#include <stdio.h>
#ifdef __CUDACC__
#error nvcc leaves this file to g++
#endif
void check();
typedef unsigned int uint;
static uint umin(uint a, uint b) { return a < b ? a : b; }
int main() { check(); printf("%u\n", umin(3, 4)); }
EOF
cat >"$WORK/check.cpp" <<'EOF'
#include <cuda_runtime.h>
#include <stdio.h>
void call(int *out, const int *in);
void check()
{
    int *both;
    cudaMallocManaged((void **)&both, 64 * sizeof(int));
    for (int i = 0; i < 32; i++)
        both[i] = i;
    call(both + 32, both);
    printf("%d %d\n", both[32], both[63]);
    cudaFree(both);
}
EOF
run_it "$BANKSCOPE" run "$WORK/call.cu" "$WORK/host.cpp" "$WORK/check.cpp" --by array
printf '%s\n' '31 0' 3 >"$WORK/want"
head -n 2 "$WORK/stdout" >"$WORK/got"
ok "host sources are not CUDA" diff "$WORK/want" "$WORK/got"
ok "kernels may be included" grep -Eq '^s \(int\[32\]\) +load +1 +1 +0' "$WORK/stdout"

# A lock that frees its memory when it goes: the copy that is a kernel's argument goes on the host, as with nvcc.
cat >"$WORK/lock.cu" <<'EOF'
#include <cstdio>
struct Lock {
    int *mutex;
    Lock() { cudaMalloc(&mutex, sizeof *mutex), cudaMemset(mutex, 0, sizeof *mutex); }
    ~Lock() { cudaFree(mutex); }
    __device__ void lock() { while (atomicCAS(mutex, 0, 1) != 0); __threadfence(); }
    __device__ void unlock() { __threadfence(); atomicExch(mutex, 0); }
};
__global__ void add(char x, Lock lock, int *sum, double three)
{
    if (threadIdx.x == 0) {
        lock.lock();
        *sum += 1 + (three == 3 && x == 'x');
        lock.unlock();
        lock.mutex = nullptr;
    }
}
int main()
{
    Lock lock;
    int *sum;
    cudaMallocManaged(&sum, sizeof *sum);
    *sum = 0;
    add<<<40, 64>>>('x', lock, sum, 3);
    printf("%d %s\n", *sum, cudaGetErrorString(cudaGetLastError()));
    cudaFree(sum);
}
EOF
run_it "$BANKSCOPE" run "$WORK/lock.cu" --blocks 0-3
ok "no destructor runs in a kernel for its arguments" grep -qx '80 no error' "$WORK/stdout"
ok "that of the host's copy frees too early" grep -q '^bankscope run: .*lock.cu:5: argument: cudaFree of .* freed before' \
    "$WORK/stderr"

# Graphs as older programs make them, from C, too, and what they cannot hold. tests/programs/graphs.cu has
# the rest.
cat >"$WORK/graph.cu" <<'EOF'
#include <cstdio>
#include <cstdlib>
__constant__ int factor;
template <typename T> __global__ void scale(T *data, T by) { data[threadIdx.x] *= by * factor; }
__global__ void add(int *data, int n) { data[threadIdx.x] += n; }
int main(int argc, char **argv)
{
    int *data, host[4] = {1, 2, 3, 4}, five = 5, n = 10;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[8], bad;
    cudaGraphExecUpdateResult result;
    cudaStreamCaptureStatus status;
    unsigned long long id;
    char log[100];
    size_t count = 8;
    cudaMalloc(&data, sizeof host);
    cudaStreamCreate(&stream);
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 1:
        cudaGraphConditionalHandle handle;
        return cudaGraphConditionalHandleCreate(&handle, graph);
    case 2:
        cudaGraphCreate(&graph, 0);
        return cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch);
    case 3:
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
        return cudaMallocAsync(&data, 4, stream);
    }
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
    cudaMemcpyToSymbolAsync(factor, &five, sizeof five, 0, cudaMemcpyHostToDevice, stream);
    cudaMemcpy2DAsync(data, 8, host, 8, 8, 2, cudaMemcpyHostToDevice, stream);
    scale<<<1, 4, 0, stream>>>(data, 2); /* its template argument is deduced */
    cudaStreamGetCaptureInfo(stream, &status, &id);
    int active = status == cudaStreamCaptureStatusActive;
    add<<<1, 4, 0, stream>>>(data, n);
    n = 99;
    cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, &bad, log, sizeof log);
    cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
    printf("%d: %d %d %d %d\n", active, host[0], host[1], host[2], host[3]);

    cudaKernelNodeParams how;
    cudaGraphGetNodes(graph, nodes, &count);
    cudaGraphKernelNodeGetParams(nodes[3], &how);
    *(int *)how.kernelParams[1] += 1; /* the graph's own */
    cudaGraphExecUpdate(exec, graph, nullptr, &result);
    cudaGraphNodeSetEnabled(exec, nodes[2], 0);
    cudaGraphLaunch(exec, stream);
    printf("%d nodes, %d: %d %d %d %d\n", (int)count, result, host[0], host[1], host[2], host[3]);
    cudaFree(data);
    return cudaDeviceSynchronize();
}
EOF
run_it "$BANKSCOPE" run "$WORK/graph.cu"
ok "graphs that older programs capture" grep -qx '1: 20 30 40 50' "$WORK/stdout"
ok "and change" grep -qx '5 nodes, 0: 31 41 51 61' "$WORK/stdout"
ok "without a fault" test "$status" -eq 0
refuses "conditional nodes" 33 'graph.cu:23: missing: cudaGraphConditionalHandleCreate is not available' \
    "$BANKSCOPE" run "$WORK/graph.cu" -- 1
refuses "graphs that kernels launch" 33 'graph.cu:26: missing: cudaGraphInstantiateFlagDeviceLaunch is not available' \
    "$BANKSCOPE" run "$WORK/graph.cu" -- 2
refuses "graphs that allocate" 33 'graph.cu:29: missing: cudaMallocAsync in a stream that is captured' \
    "$BANKSCOPE" run "$WORK/graph.cu" -- 3
printf '#include <cuda_runtime_api.h>\nint nodes(void);\nint nodes(void) { cudaGraph_t g; cudaGraphNode_t n; size_t c = 0; cudaGraphCreate(&g, 0); cudaGraphAddEmptyNode(&n, g, NULL, 0); cudaGraphGetNodes(g, NULL, &c); cudaGraphDestroy(g); return (int)c; }\n' >"$WORK/nodes.c"
printf 'extern "C" int nodes(void);\n__global__ void k() {}\nint main() { return nodes() != 1; }\n' >"$WORK/with_c.cu"
run_it "$BANKSCOPE" run "$WORK/with_c.cu" "$WORK/nodes.c"
ok "graphs from C" test "$status" -eq 0

# A launch of a function of the host's, which launches itself, pushes a configuration that nobody takes.
cat >"$WORK/wrapped.cu" <<'EOF'
#include <cstdio>
__global__ void add(int *sum) { atomicAdd(sum, 1); }
static void through(void (*launcher)(int *), int *sum) { launcher<<<1, 1>>>(sum); }
int main()
{
    int *sum;
    cudaMallocManaged(&sum, sizeof *sum);
    for (int i = 0; i < 20; i++)
        through([](int *to) { add<<<2, 32>>>(to); }, sum);
    cudaDeviceSynchronize();
    printf("%d\n", *sum);
    cudaFree(sum);
}
EOF
run_it "$BANKSCOPE" run "$WORK/wrapped.cu"
ok "launches of functions that launch" grep -qx 1280 "$WORK/stdout"

# As many blocks as fit on the device at a time, which wait for each other.
cat >"$WORK/full.cu" <<'EOF'
#include <cooperative_groups.h>
#include <cstdio>
__global__ void k(int *sum)
{
    atomicAdd(sum, threadIdx.x == 0);
    cooperative_groups::this_grid().sync();
    if (*sum != gridDim.x)
        sum[1] = 1;
}
int main()
{
    int *sum, blocks, processors;
    cudaMallocManaged(&sum, 2 * sizeof *sum);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, 32, 0);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    void *arguments[] = {&sum};
    cudaLaunchCooperativeKernel((void *)k, blocks * processors, 32, arguments);
    cudaDeviceSynchronize();
    printf("%d of %d, %d\n", sum[0], blocks * processors, sum[1]);
    cudaFree(sum);
}
EOF
run_it "$BANKSCOPE" run "$WORK/full.cu"
ok "a grid that fills the device" grep -qx '4224 of 4224, 0' "$WORK/stdout"

# Static and dynamic shared memory are 48 KB together, until more is asked for: as an H200 has it.
cat >"$WORK/together.cu" <<'EOF'
#include <cstdio>
__global__ void k(int *out)
{
    __shared__ int fixed[4096];
    extern __shared__ int more[];
    fixed[threadIdx.x] = more[threadIdx.x] = threadIdx.x;
    if (out)
        *out = fixed[0];
}
static void launch(int bytes)
{
    int blocks;
    cudaFuncAttributes of;
    cudaFuncGetAttributes(&of, k);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k, 32, bytes);
    k<<<1, 32, bytes>>>(nullptr);
    printf("%d %d %d; ", of.maxDynamicSharedSizeBytes, blocks, (int)cudaGetLastError());
}
int main()
{
    launch(32768);
    launch(32769);
    cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 32769);
    launch(32769);
    launch(32770);
    cudaDeviceSynchronize();
}
EOF
run_it "$BANKSCOPE" run "$WORK/together.cu"
ok "static and dynamic shared memory" grep -q '^32768 4 0; 32768 0 1; 32769 4 0; 32769 0 1; ' "$WORK/stdout"

# A host that counts with OpenMP, which is one thread where clang has no library for it; and a file in C of before 1999.
cat >"$WORK/openmp.cu" <<'EOF'
#include <cstdio>
#include <omp.h>
extern "C" int twice(int x);
__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x; }
int main()
{
    int *p, sum = 0, threads = 0;
    cudaMallocManaged(&p, 128 * sizeof *p);
    fill<<<1, 128>>>(p);
    cudaDeviceSynchronize();
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
    {
        omp_set_lock(&lock);
        threads |= 1 << omp_get_thread_num();
        omp_unset_lock(&lock);
    }
    const double begin = omp_get_wtime();
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 128; i++)
        sum += twice(p[i]);
    printf("%d %d %d\n", sum, omp_get_wtime() >= begin && omp_get_max_threads() > 0, threads);
    cudaFree(p);
}
EOF
cat >"$WORK/old.c" <<'EOF'
twice(x) { return undeclared(x) + x; }
undeclared(x) { return x; }
EOF
clang=${CLANG:-clang}
threads=1
for library in libomp.so libomp.so.5; do
    case $("$clang" "-print-file-name=$library") in
    /*) threads=7 ;;
    esac
done
for option in -fopenmp '-Xcompiler -fopenmp' ''; do
    # shellcheck disable=SC2086 # words
    run_it "$BANKSCOPE" run "$WORK/openmp.cu" "$WORK/old.c" $option
    ok "OpenMP by '$option', and old C" grep -qx "16256 1 $([ "$option" ] && echo $threads || echo 1)" "$WORK/stdout"
done
cat >"$WORK/clang-alone" <<EOF
#!/bin/sh
case \$* in
*-print-file-name=libomp*) echo libomp.so ;;
*) exec $clang "\$@" ;;
esac
EOF
chmod +x "$WORK/clang-alone"
run_it env CLANG="$WORK/clang-alone" "$BANKSCOPE" run "$WORK/openmp.cu" "$WORK/old.c" -fopenmp
ok "without its library it is left out" grep -qx '16256 1 1' "$WORK/stdout"
ok "and that is said" grep -q 'OpenMP is left out, .* the host has one thread' "$WORK/stderr"

# What clang takes for an error: a warpSize of the program's own, a static member of type float with its value.
cat >"$WORK/own.cu" <<'EOF'
#include <cstdio>
inline constexpr int warpSize = 32;
template <typename T> struct Sum {
    static const T identity = static_cast<T>(0);
};
__global__ void sum(const float *in, float *out)
{
    __shared__ float of[1024 / warpSize];
    float x = in[threadIdx.x] + Sum<float>::identity;
    for (int mask = warpSize / 2; mask; mask /= 2)
        x += __shfl_xor_sync(~0u, x, mask);
    of[threadIdx.x / warpSize] = x;
    __syncthreads();
    *out = of[0] + of[1];
}
int main()
{
    float *p;
    cudaMallocManaged(&p, 65 * sizeof *p);
    for (int i = 0; i < 64; i++)
        p[i] = i;
    sum<<<1, 64>>>(p, p + 64);
    cudaDeviceSynchronize();
    printf("%g\n", p[64]);
    cudaFree(p);
}
EOF
run_it "$BANKSCOPE" run "$WORK/own.cu"
ok "a warpSize of one's own, a float with its value in a class" grep -qx 2016 "$WORK/stdout"

finish
