/* Exercise of lesson 05: even numbers to the front.
 *
 * A block holds n = u E numbers. The even ones move to the front, the odd ones behind them, and both
 * keep their order. This is a merge backwards: now the data decide which words a warp *writes*. In
 * round j thread t takes number j u + t and writes it to its place in shared memory. Then the threads
 * read the result from front to back: in round j thread t reads its item j u + t.
 *
 * At first, the odd numbers lie behind the even ones. Then the even and the odd numbers of a warp are
 * two stretches, and the data decide how far they overlap in the banks. The tile has exactly n words.
 * Where should the numbers lie so that neither writing nor reading ever conflicts, whatever the data?
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs; try -p w=8 -p u=16 -p E=2
 *     bankscope view exercise.cu         the picture
 */
#include "kernels/kernel.h"

struct split {
    int w, u, blocks, E;
};

STAGES(write, read)

/* ---- [your part begins] ---- */

/* The word, from 0 to n - 1, that holds the i-th even number or the i-th odd one; i counts from 0. Of
 * the n numbers, `evens` are even. Each word holds only one number. */
DEVICE int place(int n, int evens, bool odd, int i)
{
    return odd ? evens + i : i;
}

/* ---- [your part ends] ---- */

BARE(split, {32, 64, 1, 4})

KERNEL(split)
{
    int t = threadIdx.x, n = p.u * p.E;
    const int *number = in + (int)blockIdx.x * (2 * n + 1);
    const int *before = number + n; /* before[k]: how many of the numbers 0 .. k - 1 are even */
    SHARED(int, tile, n);

    STAGE(write);
    for (int j = 0; j < p.E; j++) {
        int k = j * p.u + t;
        bool odd = number[k] % 2 != 0;
        ROUND(j);
        STORE_TAG(tile, place(n, before[n], odd, odd ? k - before[k] : before[k]), number[k],
                  odd ? 'B' : 'A');
    }
    __syncthreads();

    STAGE(read);
    for (int j = 0; j < p.E; j++) {
        int k = j * p.u + t;
        bool odd = k >= before[n];
        ROUND(j);
        out[(int)blockIdx.x * n + k] =
            LOAD_TAG(tile, place(n, before[n], odd, odd ? k - before[n] : k), odd ? 'B' : 'A');
    }
}

#ifdef SIMT_HOST
#include "lessons/05-merge/grading.cu"
#endif
