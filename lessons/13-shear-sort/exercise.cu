/* Exercise of lesson 13: butterflies.
 *
 * Each warp has 2 w words, for w a power of two. In each step, words at distance d are compared, and the
 * smaller one goes to the lower place: d is 1, 2, 4, ..., w in turn. Lane t takes the pair of words a and
 * a + d, where a = t / d * 2 d + t % d: for d = 1 words 2 t and 2 t + 1, for d = w words t and t + w.
 *
 * At first, element i is in word i. Then only steps with d = w are free of conflicts. Find a place for
 * every element such that no step ever conflicts. A warp's elements have exactly 2 w words.
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs; try -p w=8 -p u=8 -p steps=4
 *     bankscope view exercise.cu         the picture
 */
#include "kernels/kernel.h"

struct butterfly {
    int w, u, blocks, steps;
};

STAGES(load, steps, store)

/* ---- [your part begins] ---- */

/* The word, from 0 to 2 w - 1, that holds element i of a warp. Each word holds only one element. */
DEVICE int element_word(int w, int i)
{
    return i;
}

/* ---- [your part ends] ---- */

BARE(butterfly, {32, 64, 1, 6})

KERNEL(butterfly)
{
    int t = threadIdx.x, lane = t % p.w, d = 1;
    int first = 2 * ((int)blockIdx.x * p.u + t - lane); /* of this warp's elements in `in` */
    SHARED(int, all, 2 * p.u);
    SHARED_PTR(int) mine = SHARED_AT(all, 2 * (t - lane)); /* of this warp */

    STAGE(load);
    for (int j = 0; j < 2; j++) {
        ROUND(j);
        STORE(mine, element_word(p.w, j * p.w + lane), in[first + j * p.w + lane]);
    }
    __syncthreads();

    STAGE(steps);
    for (int s = 0; s < p.steps; s++) {
        int a = lane / d * 2 * d + lane % d;
        int low = element_word(p.w, a), high = element_word(p.w, a + d);
        ROUND(s);
        int x = LOAD(mine, low), y = LOAD(mine, high);
        STORE(mine, low, x < y ? x : y);
        STORE(mine, high, x < y ? y : x);
        d = d == p.w ? 1 : 2 * d;
        __syncthreads();
    }

    STAGE(store);
    for (int j = 0; j < 2; j++) {
        ROUND(j);
        out[first + j * p.w + lane] = LOAD(mine, element_word(p.w, j * p.w + lane));
    }
}

#ifdef SIMT_HOST
#include "lessons/13-shear-sort/grading.cu"
#endif
