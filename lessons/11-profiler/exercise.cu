/* Exercise of lesson 11: one load for all.
 *
 * This is an ordinary CUDA program: nvcc compiles it as it stands. Each thread has a number and a choice.
 * It wants the number of a neighbour in its warp: of the lane on its left if the choice is even, of the
 * lane on its right if it is odd. To the left of lane 0 is lane 31, and to the right of lane 31 is lane 0.
 *
 * At first, no access has a conflict, and a profiler would report none. But every thread loads both
 * neighbours and then keeps one, so every warp loads twice. Change your part so that a warp loads once,
 * still without conflicts.
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs, by line
 *     bankscope view exercise.cu         the picture
 */
#include <cstdio>

enum { WARP = 32, THREADS = 256 };

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

__global__ void neighbours(const int *in, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x, n = gridDim.x * THREADS;
    out[i] = neighbour(in[i], in[n + i]);
}

/* How `bankscope check` launches it, and main(): param[0] blocks. */
void exercise(const int *param, const int *in, int *out)
{
    neighbours<<<param[0], THREADS>>>(in, out);
}

int main()
{
    int blocks = 4, words = blocks * THREADS, wrong = 0, *in, *out;
    cudaMallocManaged(&in, 2 * words * sizeof *in);
    cudaMallocManaged(&out, words * sizeof *out);
    for (int i = 0; i < words; i++) {
        in[i] = i;
        in[words + i] = i / 3;
    }
    exercise(&blocks, in, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < words; i++) {
        int lane = i % WARP, next = i / 3 % 2 ? lane + 1 : lane + WARP - 1;
        wrong += out[i] != i - lane + next % WARP;
    }
    printf("%d of %d numbers are wrong\n", wrong, words);
    cudaFree(in);
    cudaFree(out);
}

#ifdef SIMT_HOST
#include "lessons/11-profiler/grading.cu"
#endif
