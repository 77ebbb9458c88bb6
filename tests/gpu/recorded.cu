/* recorded.cu - programs as others write them, for recording on a GPU (inject/): the library's sorts,
 * scan and reduction, and a tile product through ldmatrix with and without a swizzle; and rings, for
 * what recording costs (record_speed.sh).
 *
 *   nvcc -O3 -lineinfo -std=c++17 -arch=sm_90 -o recorded tests/gpu/recorded.cu
 *   ./recorded NAME      one of the names below; each checks its own result
 */
#include <cub/cub.cuh>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static void must(cudaError_t code, const char *what)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "recorded: %s: %s\n", what, cudaGetErrorString(code));
        exit(1);
    }
}

struct less {
    template <class T> __host__ __device__ bool operator()(const T &a, const T &b) const
    {
        return a < b;
    }
};

/* n keys in no order, of any width. */
template <class T> static std::vector<T> keys(int n)
{
    std::vector<T> key(n);
    uint64_t state = 1;
    for (T &k : key) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        k = (T)(state >> 33);
    }
    return key;
}

template <class T> static T *on_device(const std::vector<T> &host)
{
    T *device;
    must(cudaMalloc(&device, host.size() * sizeof(T)), "allocate");
    must(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice), "copy");
    return device;
}

template <class T> static std::vector<T> from_device(const T *device, int n)
{
    std::vector<T> host(n);
    must(cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost), "copy back");
    return host;
}

template <class F> static void with_scratch(F call)
{
    size_t bytes = 0;
    void *scratch = NULL;
    must(call(scratch, bytes), "ask for scratch");
    must(cudaMalloc(&scratch, bytes + 1), "allocate scratch");
    must(call(scratch, bytes), "call the library");
    must(cudaDeviceSynchronize(), "run");
}

enum { N = 100003 };

template <class T> static bool merge_sort(void)
{
    std::vector<T> key = keys<T>(N);
    T *device = on_device(key);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceMergeSort::SortKeys(scratch, bytes, device, (int)N, less());
    });
    std::vector<T> sorted = from_device(device, N);
    for (int i = 1; i < N; i++)
        if (sorted[i] < sorted[i - 1])
            return false;
    return true;
}

static bool merge_sort_pairs(void)
{
    std::vector<int> key = keys<int>(N), value(N);
    for (int i = 0; i < N; i++)
        value[i] = i;
    int *keys_there = on_device(key), *values_there = on_device(value);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceMergeSort::SortPairs(scratch, bytes, keys_there, values_there, (int)N,
                                               less());
    });
    std::vector<int> sorted = from_device(keys_there, N), from = from_device(values_there, N);
    for (int i = 0; i < N; i++)
        if (sorted[i] != key[from[i]] || (i && sorted[i] < sorted[i - 1]))
            return false;
    return true;
}

static bool radix_sort(void)
{
    std::vector<unsigned> key = keys<unsigned>(N);
    unsigned *in = on_device(key), *out = on_device(key);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, (int)N);
    });
    std::vector<unsigned> sorted = from_device(out, N);
    for (int i = 1; i < N; i++)
        if (sorted[i] < sorted[i - 1])
            return false;
    return true;
}

static bool scan(void)
{
    std::vector<int> key(N, 3);
    int *in = on_device(key), *out = on_device(key);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, (int)N);
    });
    std::vector<int> sums = from_device(out, N);
    for (int i = 0; i < N; i++)
        if (sums[i] != 3 * (i + 1))
            return false;
    return true;
}

static bool reduce(void)
{
    std::vector<int> key(N, 3), none(1);
    int *in = on_device(key), *out = on_device(none);
    with_scratch([&](void *scratch, size_t &bytes) {
        return cub::DeviceReduce::Sum(scratch, bytes, in, out, (int)N);
    });
    return from_device(out, 1)[0] == 3 * N;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

/* Each warp copies a tile of 32 x 64 halves (rows of 128 bytes) to shared memory by cp.async and sums
 * what ldmatrix brings of it, 8 x 8 halves at a time. With SWIZZLE, chunk c of row r (16 bytes) lies at
 * chunk c ^ r % 8. */
template <bool SWIZZLE> __global__ void tiles(const uint16_t *in, unsigned *out)
{
    __shared__ __align__(128) uint16_t tile[2][32 * 64];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint16_t *from = in + (blockIdx.x * 2 + warp) * 32 * 64;
    for (int i = 0; i < 8; i++) {
        int chunk = i * 32 + lane, row = chunk / 8, column = chunk % 8;
        int at = row * 8 + (SWIZZLE ? column ^ row % 8 : column);
        uint32_t to = (uint32_t)__cvta_generic_to_shared(tile[warp] + at * 8);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from + chunk * 8));
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    unsigned sum = 0;
    for (int column = 0; column < 8; column++) {
        int at = lane * 8 + (SWIZZLE ? column ^ lane % 8 : column);
        uint32_t address = (uint32_t)__cvta_generic_to_shared(tile[warp] + at * 8);
        unsigned a, b, c, d;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                     : "r"(address));
        sum += (a & 0xffff) + (a >> 16) + (b & 0xffff) + (b >> 16) + (c & 0xffff) + (c >> 16) +
               (d & 0xffff) + (d >> 16);
    }
    atomicAdd(out, sum);
}

template <bool SWIZZLE> static bool tile_sums(void)
{
    enum { BLOCKS = 8, HALVES = BLOCKS * 2 * 32 * 64 };
    std::vector<uint16_t> half(HALVES);
    unsigned wanted = 0;
    for (int i = 0; i < HALVES; i++)
        wanted += half[i] = (uint16_t)(i % 251);
    std::vector<unsigned> none(1);
    uint16_t *in = on_device(half);
    unsigned *out = on_device(none);
    tiles<SWIZZLE><<<BLOCKS, 64>>>(in, out);
    must(cudaDeviceSynchronize(), "run");
    return from_device(out, 1)[0] == wanted;
}

/* ---- speed ------------------------------------------------------------------------------------- */

static __device__ unsigned long long nanoseconds(void)
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* Bound by shared memory: ROUNDS times, each thread moves a word two places on in a ring of the block's
 * words. Afterwards each word is where it began. */
enum { RING = 1024, ROUNDS = 512 };
struct span {
    unsigned long long begin, end; /* in nanoseconds */
};
__global__ void rings(int *out, struct span *span)
{
    __shared__ int word[2][RING];
    int at = threadIdx.x;
    if (at == 0)
        span[blockIdx.x].begin = nanoseconds();
    word[0][at] = at;
    for (int round = 0; round < ROUNDS; round++) {
        __syncthreads();
        word[~round & 1][at] = word[round & 1][(at + 2) % RING];
    }
    __syncthreads();
    out[blockIdx.x * RING + at] = word[ROUNDS & 1][at];
    if (at == 0)
        span[blockIdx.x].end = nanoseconds();
}

/* Says how long each launch took by the GPU's clock; tests/gpu/record_speed.sh compares. */
static bool ring_speed(void)
{
    enum { BLOCKS = 96, LAUNCHES = 6 };
    std::vector<int> none(BLOCKS * RING);
    std::vector<struct span> spans(BLOCKS);
    int *out = on_device(none);
    struct span *span = on_device(spans);
    for (int launch = 0; launch < LAUNCHES; launch++) {
        rings<<<BLOCKS, RING>>>(out, span);
        must(cudaDeviceSynchronize(), "run");
        spans = from_device(span, BLOCKS);
        unsigned long long begin = spans[0].begin, end = 0;
        for (const struct span &one : spans) {
            begin = one.begin < begin ? one.begin : begin;
            end = one.end > end ? one.end : end;
        }
        printf("launch %d: %.3f ms\n", launch, (double)(end - begin) * 1e-6);
    }
    std::vector<int> word = from_device(out, BLOCKS * RING);
    for (int i = 0; i < BLOCKS * RING; i++)
        if (word[i] != i % RING)
            return false;
    return true;
}

static const struct {
    const char *name;
    bool (*run)(void);
} programs[] = {{"merge-sort-4", merge_sort<int>},
                {"merge-sort-8", merge_sort<int64_t>},
                {"merge-sort-pairs", merge_sort_pairs},
                {"radix-sort", radix_sort},
                {"scan", scan},
                {"reduce", reduce},
                {"tiles", tile_sums<false>},
                {"tiles-swizzled", tile_sums<true>},
                {"rings", ring_speed}};

/* Called by the name of one, it runs that one (tests/gpu/programs.sh knows no arguments). */
int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    const char *wanted = argc == 2 ? argv[1] : slash ? slash + 1 : argv[0];
    for (const auto &program : programs)
        if (strcmp(wanted, program.name) == 0) {
            bool right = program.run();
            printf("%s: %s\n", program.name, right ? "all values are right" : "WRONG");
            return !right;
        }
    fprintf(stderr, "usage: recorded NAME; names:");
    for (const auto &program : programs)
        fprintf(stderr, " %s", program.name);
    fprintf(stderr, "\n");
    return 2;
}
