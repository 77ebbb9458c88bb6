/* queens - counts the solutions of the N queens problem: recursion in a device function, a thread per
   place of the first two queens. No barrier comes after the recursion: nvcc 13.0 believes that a warp's
   lanes are together there, although the recursion has parted them, and lets the first ones pass. */
#include "program.h"

const int N = 8;

__device__ int place(int row, unsigned columns, unsigned left, unsigned right)
{
    if (row == N)
        return 1;
    int solutions = 0;
    for (unsigned free = ~(columns | left | right) & ((1u << N) - 1); free; free &= free - 1) {
        unsigned queen = free & -free;
        solutions += place(row + 1, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return solutions;
}

__global__ void count(int *result)
{
    __shared__ unsigned
        start[N * N]; /* the places of the first two queens; 0: they attack each other */
    unsigned first = 1u << threadIdx.x % N, second = 1u << threadIdx.x / N;
    start[threadIdx.x] = second & (first | first << 1 | first >> 1) ? 0 : second << N | first;
    __syncthreads();
    unsigned both = start[N * N - 1 - threadIdx.x];
    if (!both)
        return;
    first = both & ((1u << N) - 1);
    second = both >> N;
    atomicAdd(result,
              place(2, first | second, (first << 1 | second) << 1, (first >> 1 | second) >> 1));
}

int main()
{
    int *result = on_device<int>(1);
    CUDA(cudaMemset(result, 0, sizeof *result));
    CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 4096)); /* nobody but us knows how deep it goes */
    count<<<1, N * N>>>(result);
    CUDA(launched());

    int want = 0, row_of[N]; /* all permutations */
    for (int i = 0; i < N; i++)
        row_of[i] = i;
    do {
        bool peace = true;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < i; j++)
                peace &= std::abs(row_of[i] - row_of[j]) != i - j;
        want += peace;
    } while (std::next_permutation(row_of, row_of + N));

    int wrong = compare("solutions", to_host(result, 1), std::vector<int>{want});
    CUDA(cudaFree(result));
    return report("queens", wrong);
}
