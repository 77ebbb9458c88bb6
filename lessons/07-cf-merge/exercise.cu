/* Exercise of lesson 07: writing and reading without conflicts, and no word unused.
 *
 * A block holds u E numbers. The threads write them side by side: in round j thread t writes number
 * j u + t. Then every thread reads E consecutive numbers: in round j thread t reads number t E + j.
 * In lesson 02 a pitch made the reads free of conflicts, but it cost unused words and slower writes.
 * Now the tile has exactly u E words. Which word should hold number x so that neither writing nor
 * reading ever conflicts, for any w and E? (u is a multiple of w.)
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs; try -p w=9 -p u=9 -p E=6
 *     bankscope view exercise.cu         the picture
 */
#include "kernels/kernel.h"

struct blocked {
    int w, u, blocks, E;
};

STAGES(write, read)

/* ---- [your part begins] ---- */

/* The word, from 0 to u E - 1, that holds number x. Each word holds only one number. */
DEVICE int place(int w, int E, int x)
{
    return x;
}

/* ---- [your part ends] ---- */

BARE(blocked, {32, 64, 1, 16})

KERNEL(blocked)
{
    int t = threadIdx.x, words = p.u * p.E, first = (int)blockIdx.x * words;
    SHARED(int, tile, words);

    STAGE(write);
    for (int j = 0; j < p.E; j++) {
        int x = j * p.u + t;
        ROUND(j);
        STORE(tile, place(p.w, p.E, x), in[first + x]);
    }
    __syncthreads();

    STAGE(read);
    for (int j = 0; j < p.E; j++) {
        ROUND(j);
        out[first + t * p.E + j] = LOAD(tile, place(p.w, p.E, t * p.E + j));
    }
}

#ifdef SIMT_HOST
#include "lessons/07-cf-merge/grading.cu"
#endif
