/* Exercise of lesson 02: a stride for every E.
 *
 * A block holds u E numbers. The threads write them side by side: in round j thread t writes number
 * j u + t. Then every thread reads E consecutive numbers: in round j thread t reads number t E + j.
 * Many kernels (sorting, scanning, histograms) do this before each thread works on its own numbers.
 *
 * The numbers of a thread lie in consecutive words; `pitch` is the distance from the first word of
 * one thread to the first word of the next. At first, pitch = E: no word is wasted, but the reads
 * conflict whenever w and E have a common divisor other than 1. Choose a pitch that makes the reads
 * free of conflicts for any w and E and leaves at most five words per thread unused. A write may have one
 * conflict at a time, because the pitch spreads the numbers of a warp.
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs; try -p w=12 -p u=24 -p E=8
 *     bankscope view exercise.cu         the picture
 */
#include "kernels/kernel.h"

struct blocked {
    int w, u, blocks, E;
};

STAGES(write, read)

/* ---- [your part begins] ---- */

/* Words from the first number of a thread to the first number of the next; at least E. */
DEVICE int pitch(int w, int E)
{
    return E;
}

/* ---- [your part ends] ---- */

BARE(blocked, {32, 64, 1, 16})

KERNEL(blocked)
{
    int t = threadIdx.x, first = (int)blockIdx.x * p.u * p.E;
    int step = pitch(p.w, p.E), words = p.u * step;
    SHARED(int, tile, words);

    STAGE(write);
    for (int j = 0; j < p.E; j++) {
        int x = j * p.u + t;
        ROUND(j);
        STORE(tile, x / p.E * step + x % p.E, in[first + x]);
    }
    __syncthreads();

    STAGE(read);
    for (int j = 0; j < p.E; j++) {
        ROUND(j);
        out[first + t * p.E + j] = LOAD(tile, t * step + j);
    }
}

#ifdef SIMT_HOST
#include "lessons/02-strides/grading.cu"
#endif
