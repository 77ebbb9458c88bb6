/* twins.cu - three kernels as one would write them by hand in plain CUDA, the merges for one size: no
 * word of simt.h. tests/gpu/sass.sh compares their machine code with that of the bare build of kernels/.
 */

extern __shared__ int tile[];

/* stride, for any parameters. */
struct stride {
    int w, u, blocks, s, rounds;
};
extern "C" __global__ void __launch_bounds__(1024)
    stride_twin(const struct stride p, const int *in, int *out)
{
    int t = threadIdx.x, words = p.u * p.s;
    unsigned sum = 0;
#pragma unroll
    for (int k = 0; k < p.s; k++)
        tile[k * p.u + t] = in[k * p.u + t];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < p.rounds; r++)
        sum += static_cast<unsigned>(tile[(t * p.s + r) % words]);
    out[static_cast<int>(blockIdx.x) * p.u + t] = static_cast<int>(sum);
}

enum { E = 15, THREADS = 512, N = E * THREADS };

static __device__ __forceinline__ void load(const int *a, const int *b, int na, bool reversed)
{
#pragma unroll
    for (int j = 0; j < E; j++) {
        int k = j * THREADS + static_cast<int>(threadIdx.x);
        tile[k] = k < na ? a[k] : b[reversed ? N - 1 - k : k - na];
    }
    __syncthreads();
}

static __device__ __forceinline__ int search(int na, int diagonal, bool reversed)
{
    int nb = N - na;
    int begin = diagonal < nb ? 0 : diagonal - nb, end = diagonal < na ? diagonal : na;
    while (begin < end) {
        int middle = (begin + end) >> 1, other = diagonal - 1 - middle;
        int a = tile[middle], b = tile[reversed ? N - 1 - other : na + other];
        if (b < a)
            end = middle;
        else
            begin = middle + 1;
    }
    return begin;
}

static __device__ __forceinline__ void store(int *out, const int *items)
{
    __syncthreads();
#pragma unroll
    for (int j = 0; j < E; j++)
        tile[static_cast<int>(threadIdx.x) * E + j] = items[j];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < E; j++)
        out[j * THREADS + static_cast<int>(threadIdx.x)] =
            tile[j * THREADS + static_cast<int>(threadIdx.x)];
}

/* thrust-merge, order=library. */
extern "C" __global__ void __launch_bounds__(THREADS)
    thrust_merge_twin(int blocks, const int *in, int *out)
{
    int block = blockIdx.x, na = in[block], items[E];
    const int *list = in + blocks + block * N;
    load(list, list + na, na, false);
    int diagonal = static_cast<int>(threadIdx.x) * E;
    int a = search(na, diagonal, false), b = diagonal - a, nb = N - na;
    int head_a = tile[a], head_b = tile[na + b];
#pragma unroll
    for (int j = 0; j < E; j++) {
        bool from_b = b < nb && (a >= na || head_b < head_a);
        items[j] = from_b ? head_b : head_a;
        a += !from_b;
        b += from_b;
        if (j == E - 1)
            break;
        if (from_b)
            head_b = tile[na + b];
        else
            head_a = tile[a];
    }
    store(out + block * N, items);
}

/* cf-merge. */
extern "C" __global__ void __launch_bounds__(THREADS)
    cf_merge_twin(int blocks, const int *in, int *out)
{
    int *start = tile + N;
    int block = blockIdx.x, t = threadIdx.x, na = in[block], items[E];
    const int *list = in + blocks + block * N;
    load(list, list + na, na, true);
    int a = search(na, t * E, true), b = t * E - a;
    start[t] = a;
    __syncthreads();
    int size_a = (t + 1 == THREADS ? na : start[t + 1]) - a, k = a % E;
#pragma unroll
    for (int j = 0; j < E; j++) {
        int step = (j - k + E) % E;
        items[j] = tile[step < size_a ? a + step : N - 1 - (b + (k - j - 1 + E) % E)];
    }
#pragma unroll
    for (int round = 0; round < E; round++)
#pragma unroll
        for (int i = round & 1; i + 1 < E; i += 2) {
            int low = items[i] < items[i + 1] ? items[i] : items[i + 1];
            int high = items[i] < items[i + 1] ? items[i + 1] : items[i];
            items[i] = low;
            items[i + 1] = high;
        }
    store(out + block * N, items);
}
