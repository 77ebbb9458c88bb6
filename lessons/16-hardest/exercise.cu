/* Exercise of lesson 16: the hardest input for two warps.
 *
 * Each pair of warps merges two lists of w E numbers, A and B, both of which begin in bank 0. Its 2 w
 * threads take E numbers each, first those from A, then those from B. As in the exercise of lesson 06
 * you decide how many a thread takes from A. But now E ways are not enough: make every round of both
 * warps take E + 1 passes, for any w and any E up to w / 2. All numbers of both lists must be taken;
 * what a list no longer has, a thread takes from the other one.
 *
 * At first, all threads take all their numbers from A, as long as there are any.
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs; try -p w=8 -p u=16 -p E=3
 *     bankscope view exercise.cu         the picture
 */
#include "kernels/kernel.h"

struct attack {
    int w, u, blocks, E;
};

STAGES(load, merge)

/* ---- [your part begins] ---- */

/* How many numbers, from 0 to E, thread t of the pair (0 to 2 w - 1) takes from A. The threads before
 * it have taken a numbers of A and b of B, so a + b = t E. */
DEVICE int share(int w, int E, int t, int a, int b)
{
    return E;
}

/* ---- [your part ends] ---- */

BARE(attack, {32, 64, 1, 15})

/* The share, as far as both lists have as many numbers left; what is no share stays what it is. */
DEVICE int share_left(int w, int E, int t, int a, int b)
{
    int take = share(w, E, t, a, b), left_a = w * E - a, left_b = w * E - b;
    if (take < 0 || take > E)
        return take;
    return take > left_a ? left_a : E - take > left_b ? E - left_b : take;
}

KERNEL(attack)
{
    int t = threadIdx.x, pair = 2 * p.w, place = t % pair, words = p.w * p.E; /* of each list */
    int all = (int)blockIdx.x * p.u + t, first = (all - place) * p.E; /* of this pair's numbers */
    int a = 0, b = 0, take = share_left(p.w, p.E, 0, 0, 0);
    unsigned sum = 0;
    SHARED(int, tile, p.u *p.E);
    SHARED_PTR(int) list_a = SHARED_AT(tile, t / pair * 2 * words);
    SHARED_PTR(int) list_b = SHARED_AT(list_a, words);

    STAGE(load);
    for (int j = 0; j < p.E; j++) {
        ROUND(j);
        STORE_TAG(list_a, j * pair + place, in[first + j * pair + place],
                  j * pair + place < words ? 'A' : 'B');
    }
    __syncthreads();

    for (int i = 0; i < place; i++) {
        a += take;
        b += p.E - take;
        take = share_left(p.w, p.E, i + 1, a, b);
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
#include "lessons/16-hardest/grading.cu"
#endif
