/* Exercise of lesson 01: points in shared memory.
 *
 * Each of the u threads of a block keeps one point of four numbers (x, y, z, m) in shared memory.
 * It then reads its right neighbour's point and sums the numbers, number k times k + 1. In round k
 * all threads write (and later read) number k of a point. You decide which word holds each number.
 *
 * At first, the four numbers of a point lie side by side. The result is correct, but the lanes of a
 * warp meet in the same banks. Find an order of the 4 u words for which no warp access ever needs
 * two words from the same bank, for any w.
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs
 *     bankscope view exercise.cu         the picture
 */
#include "kernels/kernel.h"

struct points {
    int w, u, blocks;
};

STAGES(write, read)

/* ---- [your part begins] ---- */

/* The word, from 0 to 4 u - 1, that holds number k (0 to 3) of thread t's point. Each word holds
 * only one number. */
DEVICE int point_word(const struct points p, int t, int k)
{
    return 4 * t + k;
}

/* ---- [your part ends] ---- */

BARE(points, {32, 64, 1})

KERNEL(points)
{
    int t = threadIdx.x, i = (int)blockIdx.x * p.u + t, neighbour = (t + 1) % p.u;
    SHARED(int, tile, 4 * p.u);

    STAGE(write);
    for (int k = 0; k < 4; k++) {
        ROUND(k);
        STORE(tile, point_word(p, t, k), in[4 * i + k]);
    }
    __syncthreads();

    STAGE(read);
    for (int k = 0; k < 4; k++) {
        ROUND(k);
        out[4 * i + k] = LOAD(tile, point_word(p, neighbour, k));
    }
}

#ifdef SIMT_HOST
#include "lessons/01-banks/grading.cu"
#endif
