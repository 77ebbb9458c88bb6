/* Exercise 07-profiler: one load for all.
 *
 * This is a whole CUDA program: nvcc compiles it as it stands. Each thread has
 * a number and a choice. It wants the number of a neighbour in its warp: of the
 * lane on its left if the choice is even, of the lane on its right if it is
 * odd. To the left of lane 0 is lane 31, and to the right of lane 31 is lane 0.
 * The numbers go through shared memory.
 *
 * At first, no access has a conflict, and a profiler would report none. But
 * every thread loads both neighbours and then keeps one, so every warp loads
 * twice. Change your part so that a warp stores once and loads once, still
 * without conflicts. Loads count as they are written: of two in the two arms of
 * a condition, some compilers make one, but a warp whose lanes differ makes
 * both.
 *
 *     bankscope run exercise.cu          what it costs, by line
 *     bankscope view exercise.cu         the picture
 */
#include <cstdio>

enum { WARP = 32, THREADS = 256 };

__device__ int neighbour(int number, int choice);

__global__ void neighbours(const int *numbers, const int *choices, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = neighbour(numbers[i], choices[i]);
}

int main()
{
    int blocks = 4, words = blocks * THREADS, wrong = 0, *numbers, *choices, *out;
    cudaMallocManaged(&numbers, words * sizeof *numbers);
    cudaMallocManaged(&choices, words * sizeof *choices);
    cudaMallocManaged(&out, words * sizeof *out);
    for (int i = 0; i < words; i++) {
        numbers[i] = i;
        choices[i] = i / 3;
    }
    neighbours<<<blocks, THREADS>>>(numbers, choices, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < words; i++) {
        int lane = i % WARP, next = i / 3 % 2 ? lane + 1 : lane + WARP - 1;
        wrong += out[i] != i - lane + next % WARP;
    }
    printf("%d of %d numbers are wrong\n", wrong, words);
    cudaFree(numbers);
    cudaFree(choices);
    cudaFree(out);
}

/* ---- [your part begins] ---- */

/* Called by all threads of a block; returns the neighbour's number. */
__device__ int neighbour(int number, int choice)
{
    __shared__ int tile[THREADS];
    int t = threadIdx.x, lane = t % WARP, warp = t - lane;
    tile[t] = number;
    __syncthreads();
    int left = tile[warp + (lane + WARP - 1) % WARP];
    int right = tile[warp + (lane + 1) % WARP];
    return choice % 2 == 0 ? left : right;
}

/* ---- [your part ends] ---- */
