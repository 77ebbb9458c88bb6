/* Exercise of lesson 15: a circle of w banks.
 *
 * A block merges two lists, A and B, of n = u w numbers in all. A search has already found what each
 * thread needs: `take` numbers of A and w - take of B, w in all, next to each other in each list. The
 * threads load both lists into the tile, A from word 0 on. Then each thread gathers its w numbers, one
 * in each round, in an order of your choice.
 *
 * At first, B lies behind A, and each thread reads its numbers of A and then those of B. The data decide
 * which lanes meet. Decide where B lies, and which of its numbers a lane reads in round j, so that neither
 * loading nor gathering ever conflicts, whatever the data. The tile has exactly n words.
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs; try -p w=8 -p u=8
 *     bankscope view exercise.cu         the picture
 */
#include "kernels/kernel.h"

struct circle {
    int w, u, blocks;
};

STAGES(load, gather)

/* ---- [your part begins] ---- */

/* The word, from 0 to n - 1, that holds number i of B (from 0). A has na numbers, in words 0 to
 * na - 1. */
DEVICE int place_b(int n, int na, int i)
{
    return na + i;
}

/* Which of its w numbers a lane reads in round j. Its numbers 0 to take - 1 are numbers a, a + 1, ...
 * of A; its numbers take to w - 1 are numbers b, b + 1, ... of B. In w rounds it must read each once. */
DEVICE int pick(int w, int lane, int a, int b, int take, int j)
{
    return j;
}

/* ---- [your part ends] ---- */

BARE(circle, {32, 64, 1})

KERNEL(circle)
{
    int t = threadIdx.x, lane = t % p.w, n = p.u * p.w, a = 0, na = 0;
    const int *share = in + (int)blockIdx.x * (p.u + n); /* what each thread takes from A */
    const int *number = share + p.u;                     /* A, then B */
    int *to = out + ((int)blockIdx.x * p.u + t) * p.w;
    SHARED(int, tile, n);

    for (int i = 0; i < p.u; i++) {
        a += i < t ? share[i] : 0;
        na += share[i];
    }
    STAGE(load);
    for (int j = 0; j < p.w; j++) {
        int k = j * p.u + t;
        ROUND(j);
        STORE_TAG(tile, k < na ? k : place_b(n, na, k - na), number[k], k < na ? 'A' : 'B');
    }
    __syncthreads();

    STAGE(gather);
    int b = t * p.w - a, take = share[t];
    for (int j = 0; j < p.w; j++) {
        int i = pick(p.w, lane, a, b, take, j);
        bool in_a = i < take;
        ROUND(j);
        to[i] = LOAD_TAG(tile, in_a ? a + i : place_b(n, na, b + i - take), in_a ? 'A' : 'B');
    }
}

#ifdef SIMT_HOST
#include "lessons/15-fast-sort/grading.cu"
#endif
