/* Exercise of lesson 12: the top of a search tree.
 *
 * A block has K = 2^rounds sorted keys in shared memory, and each thread a query. Round i of a binary
 * search reads one of 2^i keys: in round 0 key K / 2, in round 1 key K / 4 or 3 K / 4, and so on. Here w
 * is so large that in every round there are at least as many banks as keys to read. So no round needs a
 * conflict.
 *
 * At first, key i is in word i, and as soon as the distance between the keys of a round and w have a
 * common divisor, they meet. Find a place for every key such that no round ever has a conflict, whatever
 * the queries are. The keys have exactly K words. (Key 0 is stored but never read.)
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs; try -p w=8 -p u=8 -p rounds=4
 *     bankscope view exercise.cu         the picture
 */
#include "kernels/kernel.h"

struct tree {
    int w, u, blocks, rounds;
};

STAGES(setup, search)

/* ---- [your part begins] ---- */

/* The word, from 0 to 2^rounds - 1, that holds key i. Each word holds only one key. */
DEVICE int key_word(int rounds, int i)
{
    return i;
}

/* ---- [your part ends] ---- */

BARE(tree, {32, 64, 1, 6})

KERNEL(tree)
{
    int t = threadIdx.x, K = 1 << p.rounds, found = 0;
    const int *keys = in + (int)blockIdx.x * (K + p.u);
    int query = keys[K + t];
    SHARED(int, tree, K);
    for (int i = t; i < K; i += p.u)
        FILL(tree, key_word(p.rounds, i), keys[i]);
    __syncthreads();

    STAGE(search);
    for (int i = 0; i < p.rounds; i++) {
        int next = found + (K >> (i + 1));
        ROUND(i);
        if (LOAD(tree, key_word(p.rounds, next)) <= query)
            found = next;
    }
    out[(int)blockIdx.x * p.u + t] = found;
}

#ifdef SIMT_HOST
#include "lessons/12-search/grading.cu"
#endif
