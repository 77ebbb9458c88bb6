/* launches.cu - the ways in which programs launch kernels, for recording on a GPU (launches.sh): streams,
 * host threads, CUDA graphs, modules that come and go, resets of the device.
 *
 *   nvcc -O3 -std=c++17 -arch=sm_90 -o launches tests/gpu/launches.cu -lcuda
 *   nvcc -cubin -arch=sm_90 -o launches.cubin tests/gpu/launches.cu
 *   ./launches WAY [launches.cubin]
 *
 * Checks its results. Prints, for each kernel strided<S>, what must be recorded: S, and the instructions
 * of warps in shared memory, those in CUDA graphs, too. Each of them takes S passes.
 */
#include <cuda.h>
#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

enum { WARP = 32, BYTES = WARP * sizeof(int), GRAPH_TIMES = 6 /* that a graph is launched */ };

static void must(cudaError_t code, const char *what)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "launches: %s: %s\n", what, cudaGetErrorString(code));
        _Exit(1);
    }
}
#define MUST(call) must(call, #call)

/* Adds to out[lane], `loops` times, what the neighbour wrote S words from the next lane's. */
template <int S> __device__ void step(int *out, int loops)
{
    __shared__ int word[WARP * S];
    int sum = 0;
    for (int i = 0; i < loops; i++) {
        word[threadIdx.x * S] = threadIdx.x + i;
        __syncthreads();
        sum += word[(threadIdx.x ^ 1) * S];
        __syncthreads();
    }
    out[threadIdx.x] += sum;
}

template <int S> __global__ void strided(int *out, int loops)
{
    step<S>(out, loops);
}

/* Of a module that the program loads. */
extern "C" __global__ void loaded(int *out, int loops)
{
    step<4>(out, loops);
}

static std::atomic<long> instructions[WARP + 1]; /* of strided<S> */

static void launch(int stride, int *out, int loops, cudaStream_t stream)
{
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (stream)
        MUST(cudaStreamIsCapturing(stream, &status));
    instructions[stride] += 2 * loops * (status == cudaStreamCaptureStatusNone ? 1 : GRAPH_TIMES);
    if (stride == 1)
        strided<1><<<1, WARP, 0, stream>>>(out, loops);
    else if (stride == 2)
        strided<2><<<1, WARP, 0, stream>>>(out, loops);
    else
        strided<32><<<1, WARP, 0, stream>>>(out, loops);
    MUST(cudaGetLastError());
}

static void check(const int *device, int loops, int times)
{
    int sum[WARP];
    MUST(cudaMemcpy(sum, device, sizeof sum, cudaMemcpyDeviceToHost));
    for (int lane = 0; lane < WARP; lane++) {
        int expected = times * (loops * (lane ^ 1) + loops * (loops - 1) / 2);
        if (sum[lane] != expected) {
            fprintf(stderr, "launches: lane %d has %d, not %d\n", lane, sum[lane], expected);
            _Exit(1);
        }
    }
}

/* `times` launches of three kernels in turn, in the default stream or in one of its own. An odd number of
 * times, that stream is destroyed while they run. */
static void turns(int loops, int times, bool own)
{
    static const int stride[] = {1, 2, 32};
    int *device;
    cudaStream_t stream = 0;
    MUST(cudaMalloc(&device, BYTES));
    if (own)
        MUST(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    MUST(cudaMemsetAsync(device, 0, BYTES, stream));
    for (int i = 0; i < times; i++)
        launch(stride[i % 3], device, loops, stream);
    if (own && times % 2)
        MUST(cudaStreamDestroy(stream));
    MUST(cudaDeviceSynchronize());
    check(device, loops, times);
    MUST(cudaFree(device));
}

/* A graph of two branches, captured, and launched GRAPH_TIMES times. */
static void graph(void)
{
    int *device, *other;
    cudaStream_t first, second;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t whole;
    MUST(cudaMalloc(&device, BYTES));
    MUST(cudaMalloc(&other, BYTES));
    MUST(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&fork));
    MUST(cudaEventCreate(&join));
    MUST(cudaMemsetAsync(device, 0, BYTES, first));
    MUST(cudaMemsetAsync(other, 0, BYTES, first));
    launch(2, device, 50, first);
    MUST(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal));
    MUST(cudaEventRecord(fork, first));
    MUST(cudaStreamWaitEvent(second, fork, 0));
    launch(1, device, 50, first);
    launch(2, other, 50, second);
    MUST(cudaEventRecord(join, second));
    MUST(cudaStreamWaitEvent(first, join, 0));
    launch(32, device, 50, first);
    MUST(cudaStreamEndCapture(first, &graph));
    MUST(cudaGraphInstantiate(&whole, graph, 0));
    MUST(cudaGraphUpload(whole, second));
    for (int i = 0; i < GRAPH_TIMES; i++)
        MUST(cudaGraphLaunch(whole, first));
    launch(32, device, 50, first);
    MUST(cudaStreamSynchronize(first));
    check(device, 50, 14);
    check(other, 50, 6);
}

static void in_threads(int threads, void (*work)(void))
{
    std::vector<std::thread> all;
    for (int i = 0; i < threads; i++)
        all.emplace_back(work);
    for (std::thread &thread : all)
        thread.join();
}

/* Touches no shared memory. */
__global__ void nothing(int *)
{
}

static void in_turn(const char *)
{
    nothing<<<1, WARP>>>(NULL);
    turns(100, 30, false);
}

static void streams(const char *)
{
    for (int i = 0; i < 10; i++)
        turns(2000, 10 + i, true);
}

static void threads(const char *)
{
    in_threads(8, [] {
        for (int i = 0; i < 5; i++)
            turns(500, 7 + i, true);
    });
}

static void resets(const char *)
{
    for (int i = 0; i < 4; i++) {
        turns(100, 5, i % 2);
        MUST(cudaDeviceReset());
    }
}

static void graphs(const char *)
{
    turns(100, 5, true);
    graph();
    in_threads(4, graph);
}

static void modules(const char *path)
{
    int *device, loops = 10;
    void *arguments[] = {&device, &loops};
    MUST(cudaMalloc(&device, BYTES));
    for (int i = 0; i < 20; i++) {
        CUmodule module;
        CUfunction function;
        MUST(cudaMemset(device, 0, BYTES));
        if (cuModuleLoad(&module, path) || cuModuleGetFunction(&function, module, "loaded") ||
            cuLaunchKernel(function, 1, 1, 1, WARP, 1, 1, 0, 0, arguments, 0))
            must(cudaErrorInvalidSource, path);
        check(device, loops, 1);
        cuModuleUnload(module);
        turns(20, 3, i % 2);
    }
}

static void cooperative(const char *)
{
    int *device, loops = 10;
    void *arguments[] = {&device, &loops};
    MUST(cudaMalloc(&device, BYTES));
    MUST(cudaMemset(device, 0, BYTES));
    for (int i = 0; i < 4; i++) {
        instructions[2] += 2 * loops;
        MUST(cudaLaunchCooperativeKernel((const void *)strided<2>, 1, WARP, arguments, 0, 0));
    }
    check(device, loops, 4);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(const char *);
    } ways[] = {{"in-turn", in_turn},        {"streams", streams}, {"threads", threads},
                {"resets", resets},          {"graphs", graphs},   {"modules", modules},
                {"cooperative", cooperative}};
    for (const auto &way : ways)
        if (argc > 1 && !strcmp(argv[1], way.name)) {
            way.run(argc > 2 ? argv[2] : "launches.cubin");
            for (int stride = 1; stride <= WARP; stride++)
                if (instructions[stride])
                    printf("%d %ld\n", stride, (long)instructions[stride]);
            return 0;
        }
    fprintf(stderr, "launches: one of");
    for (const auto &way : ways)
        fprintf(stderr, " %s", way.name);
    fputs("\n", stderr);
    return 2;
}
