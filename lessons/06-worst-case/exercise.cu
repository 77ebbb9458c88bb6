/* Exercise of lesson 06: be the attacker.
 *
 * Each warp merges two lists, A and B, as in the lesson: its threads take E numbers each, and in round
 * j a thread reads the j-th of its numbers. Both lists begin in bank 0. A thread takes its numbers
 * from A first, and then those from B. You decide how many it takes from A, so you choose the input.
 *
 * At first, all threads take all their numbers from A. That is a stride of E, and there is no conflict
 * if w and E have no common divisor other than 1. Choose shares that make every round of the merge as
 * slow as E passes, for any w and any E up to w / 2.
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs; try -p w=12 -p u=12 -p E=5
 *     bankscope view exercise.cu         the picture
 */
#include "kernels/kernel.h"

struct attack {
    int w, u, blocks, E;
};

STAGES(load, merge)

/* ---- [your part begins] ---- */

/* How many numbers, from 0 to E, a thread takes from A. The next number of A is in bank a, and the
 * next number of B in bank b; both are numbers from 0 to w - 1. */
DEVICE int share(int w, int E, int a, int b)
{
    return E;
}

/* ---- [your part ends] ---- */

BARE(attack, {32, 32, 1, 15})

KERNEL(attack)
{
    int t = threadIdx.x, lane = t % p.w, words = p.w * p.E; /* of each list, at most */
    int first =
        ((int)blockIdx.x * p.u + t - lane) * p.E; /* of this warp's numbers, A and B alike */
    int a = 0, b = 0, take = share(p.w, p.E, 0, 0), all = (int)blockIdx.x * p.u + t;
    unsigned sum = 0;
    SHARED(int, tile, 2 * p.u * p.E);
    SHARED_PTR(int) list_a = SHARED_AT(tile, t / p.w * 2 * words);
    SHARED_PTR(int) list_b = SHARED_AT(list_a, words);

    STAGE(load);
    for (int j = 0; j < p.E; j++) {
        ROUND(j);
        STORE_TAG(list_a, j * p.w + lane, in[2 * first + j * p.w + lane], 'A');
        STORE_TAG(list_b, j * p.w + lane, in[2 * first + words + j * p.w + lane], 'B');
    }
    __syncthreads();

    for (int i = 0; i < lane; i++) {
        a += take;
        b += p.E - take;
        take = share(p.w, p.E, a % p.w, b % p.w);
    }
    STAGE(merge);
    for (int j = 0; j < p.E; j++) {
        bool in_a = j < take;
        int next = in_a ? a + j : b + j - take;
        ROUND(j);
        sum = 31u * sum + (unsigned)LOAD_TAG(in_a ? list_a : list_b, next, in_a ? 'A' : 'B');
    }
    out[2 * all] = take;
    out[2 * all + 1] = (int)sum;
}

#ifdef SIMT_HOST
#include "lessons/06-worst-case/grading.cu"
#endif
