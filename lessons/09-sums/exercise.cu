/* Exercise of lesson 09: counters of one byte.
 *
 * Each lane has `bins` counters of one byte, and counts 16 numbers: in round k it adds 1 to the counter of
 * its k-th number. Then it reads its counters, one in each round. The number of bins is a multiple of
 * four. All counters of a warp take exactly w times `bins` bytes, so four of them share a word.
 *
 * At first, the counters of a lane lie side by side, and the data decide which lanes meet in a bank.
 * Find a place for every counter such that neither counting nor reading ever conflicts, whatever the
 * numbers are. (Lanes that want the same word in the same access do not conflict, but you cannot rely
 * on that: two lanes may count different values.)
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs; try -p w=8 -p u=8 -p bins=8
 *     bankscope view exercise.cu         the picture
 */
#include "kernels/kernel.h"

struct bytes {
    int w, u, blocks, bins;
};

STAGES(clear, count, read)

/* ---- [your part begins] ---- */

/* The byte, from 0 to w bins - 1, that holds the counter of a bin for a lane. Each byte holds only
 * one counter. Bytes 4 i to 4 i + 3 are word i. */
DEVICE int counter_byte(int w, int bins, int lane, int bin)
{
    return lane * bins + bin;
}

/* ---- [your part ends] ---- */

BARE(bytes, {32, 64, 1, 64})

enum { PER_LANE = 16 /* numbers */ };

KERNEL(bytes)
{
    int t = threadIdx.x, lane = t % p.w, all = p.w * p.bins;
    SHARED(unsigned char, counters, p.u *p.bins);
    SHARED_PTR(unsigned char) mine = SHARED_AT(counters, t / p.w * all); /* of this warp */

    STAGE(clear);
    for (int b = 0; b < p.bins; b++) {
        ROUND(b);
        STORE(counters, b * p.u + t, 0);
    }
    __syncthreads();

    STAGE(count);
    for (int k = 0; k < PER_LANE; k++) {
        int bin = in[((int)blockIdx.x * PER_LANE + k) * p.u + t] % p.bins;
        int at = counter_byte(p.w, p.bins, lane, bin);
        ROUND(k);
        STORE(mine, at, (unsigned char)(LOAD(mine, at) + 1));
    }

    STAGE(read);
    for (int b = 0; b < p.bins; b++) {
        ROUND(b);
        out[((int)blockIdx.x * p.u + t) * p.bins + b] =
            LOAD(mine, counter_byte(p.w, p.bins, lane, b));
    }
}

#ifdef SIMT_HOST
#include "lessons/09-sums/grading.cu"
#endif
