/* queens - counts the solutions of the N queens problem: recursion in a device function, a thread per
   place of the first two queens. One thread adds what they found. */
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
    __shared__ int solutions[N * N];
    unsigned first = 1u << threadIdx.x % N, second = 1u << threadIdx.x / N;
    unsigned left = first << 1, right = first >> 1;
    solutions[threadIdx.x] =
        second & (first | left | right)
            ? 0
            : place(2, first | second, (left | second) << 1, (right | second) >> 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < N * N; i++)
            sum += solutions[i];
        *result = sum;
    }
}

int main()
{
    int *result = on_device<int>(1);
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
