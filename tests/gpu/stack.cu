/* stack.cu - how deep a recursion may be on a GPU: for each size of a function's local array, whether the kernel has an
 * array of 512 bytes of its own, and what cudaLimitStackSize says (0: the default), the first depth that faults. Each
 * launch is a process of its own, for a fault ends all that its process has on the GPU. Takes four minutes on an H100.
 *
 *     nvcc -arch=sm_90 -Xptxas -v -o stack tests/gpu/stack.cu && ./stack >tests/data/h100-stack.tsv
 *
 * (ptxas tells the frames' bytes.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

template <int WORDS> __device__ __noinline__ int down(int n, int seed)
{
    int a[WORDS];
    for (int i = 0; i < WORDS; i++)
        a[i] = seed + i * n;
    int below = n > 1 ? down<WORDS>(n - 1, seed + a[(n + seed) % WORDS]) : seed;
    return below + a[(unsigned)below % WORDS];
}
template <> __device__ __noinline__ int down<0>(int n, int seed)
{
    return n <= 1 ? seed : down<0>(n - 1, seed * 3) + seed * n;
}

template <int WORDS, bool OWN> __global__ void recurse(int n, int *out)
{
    int a[OWN ? 128 : 1];
    for (int i = 0; i < 128 && OWN; i++)
        a[i] = n + i;
    const int x = down<WORDS>(n, threadIdx.x);
    out[threadIdx.x] = OWN ? x + a[(unsigned)x % 128] : x;
}

typedef void kernel(int, int *);
static const struct row {
    int bytes, own;
    kernel *run;
} rows[] = {
    {0, 0, recurse<0, false>},     {16, 0, recurse<4, false>},     {32, 0, recurse<8, false>},
    {64, 0, recurse<16, false>},   {128, 0, recurse<32, false>},   {256, 0, recurse<64, false>},
    {512, 0, recurse<128, false>}, {1000, 0, recurse<250, false>}, {4096, 0, recurse<1024, false>},
    {0, 512, recurse<0, true>},    {64, 512, recurse<16, true>},   {256, 512, recurse<64, true>},
};

/* Whether a launch of that depth faults. */
static int faults(const struct row *row, size_t limit, int depth)
{
    const pid_t child = fork();
    int status, *out;
    if (!child) {
        if ((limit && cudaDeviceSetLimit(cudaLimitStackSize, limit)) || cudaMalloc(&out, 128))
            _exit(2);
        row->run<<<1, 32>>>(depth, out);
        _exit(cudaDeviceSynchronize() != cudaSuccess);
    }
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
        fprintf(stderr, "stack: no GPU, or no memory\n");
        exit(1);
    }
    return WEXITSTATUS(status);
}

int main(void)
{
    static const size_t limits[] = {0, 512, 2048, 4096, 65536};
    printf("bytes\tkernel\tlimit\tfirst that faults\n");
    for (const row &each : rows)
        for (size_t limit : limits) {
            int good = 0, bad = 1;
            while (!faults(&each, limit, bad))
                good = bad, bad *= 2;
            while (bad - good > 1) {
                const int middle = (bad + good) / 2;
                if (faults(&each, limit, middle))
                    bad = middle;
                else
                    good = middle;
            }
            printf("%d\t%d\t%zu\t%d\n", each.bytes, each.own, limit, bad);
            fflush(stdout);
        }
}
