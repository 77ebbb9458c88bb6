/* graphs - sums of blocks and their total, as a graph: built node by node, captured from two streams,
   with a child graph, changed after it was made ready. */
#include "program.h"

const int THREADS = 128, BLOCKS = 8, N = THREADS * BLOCKS;

__global__ void sum_blocks(const float *in, float *sums, float factor)
{
    __shared__ float part[THREADS];
    int t = threadIdx.x;
    part[t] = factor * in[blockIdx.x * THREADS + t];
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0)
        sums[blockIdx.x] += part[0];
}

template <typename T> __global__ void total(const T *sums, T *result)
{
    __shared__ T part[BLOCKS];
    part[threadIdx.x] = sums[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < BLOCKS; i++)
            *result += part[i];
}

struct memory {
    float *host, *in, *sums, *result, *back;
};

static int calls;

static void count_calls(void *by)
{
    calls += *static_cast<int *>(by);
}

static float once(const std::vector<float> &values)
{
    float sum = 0;
    for (float value : values)
        sum += value;
    return sum;
}

static int is(const char *what, float got, float want)
{
    return compare(what, std::vector<float>{got}, std::vector<float>{want});
}

static void launch(cudaGraphExec_t exec, cudaStream_t stream, const memory &m)
{
    *m.back = -1;
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
}

/* copy -> sum_blocks -> total -> back; two nodes that clear memory; one that calls a function. */
static int by_hand(const memory &m, cudaStream_t stream, float sum)
{
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec;
    cudaGraphNode_t copy, clear_sums, clear_result, kernel, last, back, host;
    CUDA(cudaGraphCreate(&graph, 0));

    CUDA(cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, m.in, m.host, N * sizeof(float),
                                  cudaMemcpyHostToDevice));
    cudaMemsetParams clear = {};
    clear.dst = m.sums;
    clear.elementSize = 4;
    clear.width = BLOCKS;
    clear.height = 1;
    CUDA(cudaGraphAddMemsetNode(&clear_sums, graph, nullptr, 0, &clear));
    clear.dst = m.result;
    clear.width = 1;
    CUDA(cudaGraphAddMemsetNode(&clear_result, graph, nullptr, 0, &clear));

    float factor = 1;
    const float *in = m.in;
    float *sums = m.sums, *result = m.result;
    void *sum_arguments[] = {&in, &sums, &factor}, *total_arguments[] = {&sums, &result};
    cudaKernelNodeParams how = {};
    how.func = (void *)sum_blocks;
    how.gridDim = dim3(BLOCKS);
    how.blockDim = dim3(THREADS);
    how.kernelParams = sum_arguments;
    cudaGraphNode_t before_sum[] = {copy, clear_sums};
    CUDA(cudaGraphAddKernelNode(&kernel, graph, before_sum, 2, &how));
    factor = 5; /* the node has its own since it was added */
    how.func = reinterpret_cast<void *>(total<float>);
    how.gridDim = dim3(1);
    how.blockDim = dim3(BLOCKS);
    how.kernelParams = total_arguments;
    CUDA(cudaGraphAddKernelNode(&last, graph, &kernel, 1, &how));
    CUDA(cudaGraphAddDependencies(graph, &clear_result, &last, nullptr, 1));

    cudaMemcpy3DParms out = {};
    out.srcPtr = make_cudaPitchedPtr(m.result, sizeof(float), 1, 1);
    out.dstPtr = make_cudaPitchedPtr(m.back, sizeof(float), 1, 1);
    out.extent = make_cudaExtent(sizeof(float), 1, 1);
    out.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaGraphAddMemcpyNode(&back, graph, &last, 1, &out));
    int one = 1;
    cudaHostNodeParams call = {count_calls, &one};
    CUDA(cudaGraphAddHostNode(&host, graph, &back, 1, &call));

    size_t nodes = 0, edges = 0;
    CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
    CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    int wrong = nodes != 7 || edges != 6;

    /* A clone is not changed with the original. */
    CUDA(cudaGraphClone(&clone, graph));
    how.func = (void *)sum_blocks;
    how.gridDim = dim3(BLOCKS);
    how.blockDim = dim3(THREADS);
    how.kernelParams = sum_arguments;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    calls = 0;
    for (int i = 0; i < 2; i++) {
        launch(exec, stream, m);
        wrong += is("by hand", *m.back, sum);
    }
    CUDA(cudaGraphExecKernelNodeSetParams(exec, kernel, &how));
    launch(exec, stream, m);
    wrong += is("with another factor", *m.back, 5 * sum) + (calls != 3);
    CUDA(cudaGraphExecDestroy(exec));

    cudaGraphNode_t in_clone;
    cudaGraphNodeType type;
    CUDA(cudaGraphNodeFindInClone(&in_clone, kernel, clone));
    CUDA(cudaGraphNodeGetType(in_clone, &type));
    wrong += type != cudaGraphNodeTypeKernel;
    CUDA(cudaGraphInstantiate(&exec, clone, 0));
    launch(exec, stream, m);
    wrong += is("of the clone", *m.back, sum);
    CUDA(cudaGraphExecDestroy(exec));

    /* A cycle is no graph that can be launched. */
    CUDA(cudaGraphNodeFindInClone(&last, last, clone));
    CUDA(cudaGraphAddDependencies(clone, &last, &in_clone, nullptr, 1));
    wrong += cudaGraphInstantiate(&exec, clone, 0) == cudaSuccess;
    cudaGetLastError();
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaGraphDestroy(clone));
    return wrong;
}

/* What is captured: the copy in one stream, the clearing in another, which joins it. */
static cudaGraph_t capture(const memory &m, cudaStream_t stream, cudaStream_t other, float factor,
                           int *by)
{
    cudaGraph_t graph;
    cudaEvent_t forked, cleared;
    cudaStreamCaptureStatus status;
    CUDA(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    CUDA(cudaEventCreateWithFlags(&cleared, cudaEventDisableTiming));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaEventRecord(forked, stream));
    CUDA(cudaStreamWaitEvent(other, forked, 0));
    CUDA(cudaMemcpyAsync(m.in, m.host, N * sizeof(float), cudaMemcpyHostToDevice, stream));
    CUDA(cudaMemsetAsync(m.sums, 0, BLOCKS * sizeof(float), other));
    CUDA(cudaMemsetAsync(m.result, 0, sizeof(float), other));
    CUDA(cudaEventRecord(cleared, other));
    CUDA(cudaStreamWaitEvent(stream, cleared, 0));
    sum_blocks<<<BLOCKS, THREADS, 0, stream>>>(m.in, m.sums, factor);
    total<float><<<1, BLOCKS, 0, stream>>>(m.sums, m.result);
    CUDA(cudaMemcpyAsync(m.back, m.result, sizeof(float), cudaMemcpyDeviceToHost, stream));
    CUDA(cudaLaunchHostFunc(stream, count_calls, by));
    CUDA(cudaStreamIsCapturing(other, &status));
    if (status != cudaStreamCaptureStatusActive)
        std::exit(2);
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaStreamIsCapturing(other, &status));
    if (status != cudaStreamCaptureStatusNone)
        std::exit(2);
    CUDA(cudaEventDestroy(forked));
    CUDA(cudaEventDestroy(cleared));
    return graph;
}

static int captured(const memory &m, cudaStream_t stream, cudaStream_t other, float sum)
{
    int wrong = 0, one = 1;
    *m.back = -1;
    cudaGraph_t graph = capture(m, stream, other, 1, &one), parent;
    wrong += *m.back != -1; /* nothing is done while it is captured */
    size_t nodes = 0;
    CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
    wrong += nodes != 7;
    cudaGraphExec_t exec;
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        launch(exec, stream, m);
        wrong += is("captured", *m.back, sum);
    }

    /* The same form with other arguments; then a form that does not fit. */
    cudaGraph_t again = capture(m, stream, other, 3, &one);
    cudaGraphExecUpdateResultInfo info;
    CUDA(cudaGraphExecUpdate(exec, again, &info));
    wrong += info.result != cudaGraphExecUpdateSuccess;
    launch(exec, stream, m);
    wrong += is("updated", *m.back, 3 * sum);
    CUDA(cudaGraphCreate(&parent, 0));
    cudaGraphNode_t first, second;
    CUDA(cudaGraphAddChildGraphNode(&first, parent, nullptr, 0, graph));
    CUDA(cudaGraphAddChildGraphNode(&second, parent, &first, 1, again));
    wrong += cudaGraphExecUpdate(exec, parent, &info) != cudaErrorGraphExecUpdateFailure;
    cudaGetLastError();
    CUDA(cudaGraphExecDestroy(exec));

    calls = 0;
    CUDA(cudaGraphInstantiate(&exec, parent, 0));
    launch(exec, stream, m);
    wrong += is("two child graphs", *m.back, 3 * sum) + (calls != 2);
    CUDA(cudaGraphExecDestroy(exec));
    for (cudaGraph_t g : {graph, again, parent})
        CUDA(cudaGraphDestroy(g));
    return wrong;
}

/* What may not be done while a stream is captured makes the capture invalid. */
static int refused(const memory &m, cudaStream_t stream, cudaStream_t other)
{
    int wrong = 0;
    cudaGraph_t graph;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    wrong += cudaStreamSynchronize(stream) != cudaErrorStreamCaptureUnsupported;
    wrong += cudaMemsetAsync(m.sums, 0, 4, stream) != cudaErrorStreamCaptureInvalidated;
    wrong += cudaStreamEndCapture(stream, &graph) != cudaErrorStreamCaptureInvalidated;

    cudaEvent_t forked;
    CUDA(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaEventRecord(forked, stream));
    CUDA(cudaStreamWaitEvent(other, forked, 0));
    CUDA(cudaMemsetAsync(m.sums, 0, 4, other));
    wrong += cudaStreamEndCapture(stream, &graph) != cudaErrorStreamCaptureUnjoined;
    CUDA(cudaEventDestroy(forked));

    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    wrong += cudaMemset(m.sums, 0, 4) != cudaErrorStreamCaptureImplicit;
    wrong += cudaStreamEndCapture(stream, &graph) != cudaErrorStreamCaptureInvalidated;
    cudaGetLastError();
    return wrong;
}

int main()
{
    std::vector<float> in = random_floats(N);
    memory m;
    CUDA(cudaMallocHost(&m.host, N * sizeof(float)));
    CUDA(cudaMallocHost(&m.back, sizeof(float)));
    std::copy(in.begin(), in.end(), m.host);
    m.in = on_device<float>(N);
    m.sums = on_device<float>(BLOCKS);
    m.result = on_device<float>(1);
    cudaStream_t stream, other;
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaStreamCreate(&other));
    int wrong = by_hand(m, stream, once(in));
    wrong += captured(m, stream, other, once(in));
    wrong += refused(m, stream, other);
    for (cudaStream_t s : {stream, other})
        CUDA(cudaStreamDestroy(s));
    for (float *memory : {m.in, m.sums, m.result})
        CUDA(cudaFree(memory));
    for (float *memory : {m.host, m.back})
        CUDA(cudaFreeHost(memory));
    return report("graphs", wrong);
}
