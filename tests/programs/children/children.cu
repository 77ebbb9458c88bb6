/* Kernels that launch kernels (dynamic parallelism). test_children.sh runs them one by one from their PTX,
 * tests/data/ptx-children/children.ptx, which comes from
 *
 *     nvcc -arch=sm_90 -rdc=true -lineinfo -ptx tests/programs/children/children.cu
 *
 * and, with nvcc, as a program. An H200 printed the same, but its kernel's cudaMemsetAsync set nothing, and the store of
 * bad_child was no fault. */
#include <cstdio>
#include <cstring>

struct Log {
    int count, entry[63];
};

__device__ void write(Log *log, int what)
{
    log->entry[atomicAdd(&log->count, 1)] = what;
}

/* ---- order ---------------------------------------------------------------------------------------- */

extern "C" __global__ void note(Log *log, int what)
{
    write(log, what);
}

extern "C" __global__ void inner(Log *log, int what)
{
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(log, what + 2);
    note<<<1, 1>>>(log, what + 1);
}

/* A child is over when its own are; a stream's next one comes behind it, the tail behind all. */
extern "C" __global__ void order(Log *log)
{
    inner<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 50);
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(log, 60);
    inner<<<1, 1>>>(log, 10);
    note<<<1, 1>>>(log, 20);
}

/* A loop of launches: each of the tail launches the next. */
extern "C" __global__ void steps(int *x, int left)
{
    *x += left;
    if (left > 1)
        steps<<<1, 1, 0, cudaStreamTailLaunch>>>(x, left - 1);
}

/* ---- what is handed over -------------------------------------------------------------------------- */

struct Piece {
    short first;
    double scale;
    int size[3];
};

extern "C" __global__ void fill(int *x, Piece piece, char more)
{
    extern __shared__ int part[];
    const int block = blockIdx.y * gridDim.x + blockIdx.x;
    const int thread = threadIdx.y * blockDim.x + threadIdx.x;
    part[thread] = piece.first + (int)(piece.scale * thread) + piece.size[2] + more;
    __syncthreads();
    x[block * blockDim.x * blockDim.y + thread] = part[thread];
}

extern "C" __global__ void shapes(int *x)
{
    Piece piece = {7, 2.5, {1, 2, 300}};
    if (threadIdx.x == 0)
        fill<<<dim3(2, 3), dim3(4, 2), 32>>>(x, piece, 'a');
}

/* Each thread has a child of its own; more than one block does. */
extern "C" __global__ void square(int *x)
{
    *x *= *x;
}

extern "C" __global__ void squares(int *x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = i;
    square<<<1, 1>>>(&x[i]);
}

/* ---- recursion ------------------------------------------------------------------------------------ */

extern "C" __global__ void quicksort(int *x, int left, int right)
{
    int i = left, k = right;
    const int pivot = x[(left + right) / 2];
    while (i <= k) {
        while (x[i] < pivot)
            i++;
        while (x[k] > pivot)
            k--;
        if (i <= k) {
            const int kept = x[i];
            x[i++] = x[k];
            x[k--] = kept;
        }
    }
    if (left < k) {
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, s>>>(x, left, k);
        cudaStreamDestroy(s);
    }
    if (i < right)
        quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(x, i, right);
}

extern "C" __global__ void deep(int *depth, int now)
{
    atomicMax(depth, now);
    if (now < 60)
        deep<<<1, 1>>>(depth, now + 1);
}

/* ---- memory --------------------------------------------------------------------------------------- */

extern "C" __global__ void count_up(int *x, int from)
{
    x[threadIdx.x] = from + threadIdx.x;
}

extern "C" __global__ void let_go(int *memory)
{
    cudaFree(memory);
}

extern "C" __global__ void memory(int *x)
{
    int *own;
    cudaMalloc(&own, 32 * sizeof *own);
    count_up<<<1, 32>>>(own, 100);
    cudaMemcpyAsync(x, own, 16 * sizeof *x, cudaMemcpyDeviceToDevice, 0);
    cudaMemcpy2DAsync(x + 16, 8, own, 16, 4, 4, cudaMemcpyDefault, 0);
    cudaMemsetAsync(x + 24, 1, 8, 0);
    let_go<<<1, 1>>>(own);
}

/* ---- errors --------------------------------------------------------------------------------------- */

extern "C" __global__ void nothing()
{
}

extern "C" __global__ void __launch_bounds__(64) at_most_64()
{
}

extern "C" __global__ void with_shared(int *x)
{
    __shared__ int t[8];
    extern __shared__ int more[];
    t[threadIdx.x % 8] = 1;
    more[0] = t[0];
    x[0] = more[0];
}

#define NEXT(call) (call, codes[i++] = cudaGetLastError())

extern "C" __global__ void errors(int *codes)
{
    int i = 0, value, local[4] = {(int)threadIdx.x};
    cudaStream_t s;
    cudaEvent_t event;
    void *at = nullptr;
    NEXT((nothing<<<1, 2048>>>()));
    NEXT((nothing<<<0, 1>>>()));
    NEXT((nothing<<<1, dim3(1, 1, 128)>>>()));
    NEXT((nothing<<<dim3(1, 70000), 1>>>()));
    NEXT((nothing<<<1, 1, 100000>>>()));
    NEXT((with_shared<<<1, 8, 48 * 1024>>>(codes)));
    NEXT((at_most_64<<<1, 128>>>()));
    NEXT((nothing<<<1, 1, 0, (cudaStream_t)0x1234567>>>()));
    NEXT((nothing<<<1, 1>>>())); /* 8 */
    codes[i++] = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    codes[i++] = cudaEventCreateWithFlags(&event, cudaEventDefault);
    codes[i++] = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    codes[i++] = cudaEventRecord(event, s);
    codes[i++] = cudaEventRecord(event, cudaStreamFireAndForget);
    codes[i++] = cudaStreamWaitEvent(cudaStreamTailLaunch, event, 0);
    codes[i++] = cudaStreamWaitEvent(s, event, 0);
    codes[i++] = cudaStreamDestroy(s); /* 16 */
    cudaGetLastError();
    NEXT((nothing<<<1, 1, 0, s>>>())); /* an H200 returned 1 once, and 0 once */
    codes[i++] = cudaEventDestroy(event);
    codes[i++] = cudaMalloc(&at, (size_t)1 << 40);
    codes[i++] = cudaMalloc(&at, 0);
    codes[i++] = cudaMemcpyAsync(codes + 60, codes, 4, cudaMemcpyDeviceToHost, 0);
    codes[i++] = cudaMemcpyAsync(codes + 60, local, 4, cudaMemcpyDeviceToDevice, 0);
    codes[i++] = cudaPeekAtLastError(); /* 23 */
    codes[i++] = cudaGetLastError();
    codes[i++] = cudaGetLastError();
    codes[i++] = cudaGetDevice(&value);
    codes[i++] = value;
    codes[i++] = cudaGetDeviceCount(&value);
    codes[i++] = value;
    codes[i++] = cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0);
    codes[i++] = value; /* 31 */
    size_t limit = 0;
    codes[i++] = cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount);
    codes[i++] = (int)limit;
    codes[i++] = cudaDeviceGetLimit(&limit, cudaLimitDevRuntimeSyncDepth);
    cudaFuncAttributes attributes;
    codes[i++] = cudaFuncGetAttributes(&attributes, at_most_64);
    codes[i++] = attributes.maxThreadsPerBlock;
    codes[i++] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, nothing, 128, 0);
    codes[i++] = value;
    printf("%s: %s\n", cudaGetErrorName(cudaErrorLaunchPendingCountExceeded),
           cudaGetErrorString(cudaErrorLaunchPendingCountExceeded));
}

/* Each thread has an error of its own. */
extern "C" __global__ void own_errors(int *codes)
{
    if (threadIdx.x == 1)
        nothing<<<1, 4096>>>();
    __syncthreads();
    codes[threadIdx.x] = cudaGetLastError();
}

/* As many of the tail as may wait, and not more. */
extern "C" __global__ void add_one(int *x)
{
    atomicAdd(x, 1);
}

extern "C" __global__ void many(int *x, int count, int tail)
{
    for (int i = 0; i < count; i++)
        if (tail)
            add_one<<<1, 1, 0, cudaStreamTailLaunch>>>(x);
        else
            add_one<<<1, 1>>>(x);
    x[1] = cudaGetLastError();
}

/* ---- faults --------------------------------------------------------------------------------------- */

extern "C" __global__ void wild(int *x)
{
    x[1000000] = 1;
}

extern "C" __global__ void bad_child(int *x)
{
    wild<<<1, 1>>>(x);
    add_one<<<1, 1>>>(x);
}

extern "C" __global__ void own_memory(int *x)
{
    __shared__ int tile[32];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        add_one<<<1, 1>>>(tile);
}

extern "C" __global__ void for_ever(int *x)
{
    *x += 1;
    for_ever<<<1, 1, 0, cudaStreamTailLaunch>>>(x);
}

extern "C" __global__ void bad_copy(int *x)
{
    cudaMemsetAsync(x, 0, 1 << 20, 0);
}

/* ---- as a program --------------------------------------------------------------------------------- */

static int *x, host[4096];

static void show(const char *name, int count)
{
    cudaError_t error = cudaDeviceSynchronize();
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s: %d:", name, error);
    for (int i = 0; i < count; i++)
        printf(" %d", host[i]);
    printf("\n");
    cudaMemset(x, 0, sizeof host);
}

int main()
{
    cudaMalloc(&x, sizeof host);
    cudaMemset(x, 0, sizeof host);
    order<<<1, 1>>>((Log *)x);
    show("order", 9);
    steps<<<1, 1>>>(x, 10);
    show("steps", 1);
    shapes<<<1, 32>>>(x);
    show("shapes", 48);
    squares<<<3, 16>>>(x);
    show("squares", 48);
    for (int i = 0; i < 100; i++)
        host[i] = i * 37 % 100;
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    quicksort<<<1, 1>>>(x, 0, 99);
    show("quicksort", 100);
    deep<<<1, 1>>>(x, 0);
    show("deep", 1);
    memory<<<1, 1>>>(x);
    show("memory", 26);
    errors<<<1, 1>>>(x);
    show("errors", 39);
    own_errors<<<1, 3>>>(x);
    show("own errors", 3);
    many<<<1, 1>>>(x, 3000, 1);
    show("many", 2);
    bad_child<<<1, 1>>>(x);
    printf("bad child: %d\n", cudaDeviceSynchronize());
}

/* ---- what is in order ----------------------------------------------------------------------------- */

extern "C" __global__ void reads_late(int *x)
{
    x[0] = 5;
    add_one<<<1, 1>>>(x);
    x[1] = x[0];
}

extern "C" __global__ void sum(int *x)
{
    for (int i = 1; i < 64; i++)
        x[0] += x[i];
}

/* Wrong unless all threads wait: others may not have stored yet. */
extern "C" __global__ void stores_beside(int *x, int wait)
{
    x[threadIdx.x] = threadIdx.x;
    if (wait)
        __syncthreads();
    if (threadIdx.x == 0)
        sum<<<1, 1>>>(x);
}

extern "C" __global__ void squares_twice(int *x, int streams)
{
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    square<<<1, 1, 0, s>>>(x);
    square<<<1, 1, 0, streams == 1 ? s : cudaStreamFireAndForget>>>(x);
    if (streams == 1)
        square<<<1, 1, 0, cudaStreamTailLaunch>>>(x);
}

/* Each block has a stream of its own. */
extern "C" __global__ void adds(int *x)
{
    square<<<1, 1>>>(x);
}

extern "C" __global__ void grandchild(int *x)
{
    adds<<<1, 1>>>(x);
    if (threadIdx.x == 0)
        x[0]++;
}

extern "C" __global__ void sets_beside(int *x)
{
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaMemsetAsync(x, 0, 8, s);
    square<<<1, 1>>>(x);
}

extern "C" __global__ void waits_for_event(int *x)
{
    cudaStream_t s;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    square<<<1, 1, 0, s>>>(x);
    cudaEventRecord(event, s);
    cudaStreamWaitEvent(0, event, 0);
    square<<<1, 1>>>(x);
}
