/* Exercise of lesson 14: scan the colors without transposing.
 *
 * There are as many colors as lanes. Each lane counts eight numbers by color: its counter of color c is
 * word c w + lane, in the lane's own bank, so that counting never conflicts. Then lane c scans color c:
 * it replaces the counter of each lane by the sum of those of the lanes before it. At last every lane
 * reads its own counters again.
 *
 * At first, all lanes begin with the counters of lane 0, and then all go on to lane 1: they are always
 * in the same bank. The lesson transposes the matrix before the scan and after it. You do not need to.
 * Write a scan in which no access ever conflicts, for any w, and which reads or writes each counter at
 * most three times. All lanes walk at once, and none waits for its turn: a warp makes at most 3 w loads
 * and stores.
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs; try -p w=8 -p u=8
 *     bankscope view exercise.cu         the picture
 */
#include "kernels/kernel.h"

struct colors {
    int w, u, blocks;
};

STAGES(clear, count, scan, read)

/* ---- [your part begins] ---- */

/* Lane c's part: replaces word c w + t, for each t from 0 to w - 1, by the sum of the words c w to
 * c w + t - 1 as they were. */
DEVICE void scan_color(CONTEXT, SHARED_PTR(int) sums, int w, int c)
{
    int before = 0;
    for (int t = 0; t < w; t++) {
        ROUND(t);
        int sum = LOAD(sums, c * w + t);
        STORE(sums, c * w + t, before);
        before += sum;
    }
}

/* ---- [your part ends] ---- */

BARE(colors, {32, 64, 1})

enum { CHUNK = 8 /* numbers of a lane */ };

KERNEL(colors)
{
    int t = threadIdx.x, lane = t % p.w;
    const int *number = in + ((int)blockIdx.x * p.u + t) * CHUNK;
    SHARED(int, counters, p.u *p.w);
    SHARED_PTR(int) sums = SHARED_AT(counters, t / p.w * p.w * p.w); /* of this warp */

    STAGE(clear);
    for (int c = 0; c < p.w; c++) {
        ROUND(c);
        STORE(sums, c * p.w + lane, 0);
    }
    STAGE(count);
    for (int k = 0; k < CHUNK; k++) {
        int at = number[k] % p.w * p.w + lane;
        ROUND(k);
        STORE(sums, at, LOAD(sums, at) + 1);
    }
    SYNC_WARP(p.w);

    STAGE(scan);
    scan_color(simt_, sums, p.w, lane);
    SYNC_WARP(p.w);

    STAGE(read);
    for (int c = 0; c < p.w; c++) {
        ROUND(c);
        out[((int)blockIdx.x * p.u + t) * p.w + c] = LOAD(sums, c * p.w + lane);
    }
}

#ifdef SIMT_HOST
#include "lessons/14-bcf-sort/grading.cu"
#endif
