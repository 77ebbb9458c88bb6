/* alignment - the longest common subsequence of two strings by anti-diagonals: a thread per row, three
   diagonals in shared memory take turns. One block, one barrier per diagonal. */
#include "program.h"
#include <string>

const int N = 96;

__constant__ char first[N], second[N];

__global__ void longest(int *result)
{
    __shared__ int diagonals[3][N + 1];
    int row = threadIdx.x + 1;
    for (int d = 0; d < 3; d++) {
        diagonals[d][row] = 0;
        if (threadIdx.x == 0)
            diagonals[d][0] = 0;
    }
    __syncthreads();
    for (int d = 2; d <= 2 * N; d++) {
        int column = d - row;
        if (column >= 1 && column <= N) {
            const int *before = diagonals[(d - 1) % 3], *before2 = diagonals[(d - 2) % 3];
            int best = first[row - 1] == second[column - 1] ? before2[row - 1] + 1
                                                            : max(before[row - 1], before[row]);
            diagonals[d % 3][row] = best;
        }
        __syncthreads();
    }
    if (row == N)
        *result = diagonals[2 * N % 3][N];
}

int main()
{
    std::string a, b;
    for (int value : random_ints(N, 4, 1))
        a += "ACGT"[value];
    for (int value : random_ints(N, 4, 2))
        b += "ACGT"[value];
    std::vector<std::vector<int>> table(N + 1, std::vector<int>(N + 1));
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1
                                               : std::max(table[i - 1][j], table[i][j - 1]);

    CUDA(cudaMemcpyToSymbol(first, a.data(), N));
    CUDA(cudaMemcpyToSymbol(second, b.data(), N));
    int *result = on_device<int>(1);
    longest<<<1, N>>>(result);
    CUDA(launched());
    int wrong = compare("length", to_host(result, 1), std::vector<int>{table[N][N]});
    CUDA(cudaFree(result));
    return report("alignment", wrong);
}
