/* Exercise of lesson 03: the order of a sum.
 *
 * Each warp multiplies a matrix of w rows and w columns by a vector. Matrix and vector are in shared
 * memory, and the matrix lies row by row. Lane r adds up the products of row r: in round j it reads an
 * element of its row (slot 0) and the number of the vector that belongs to it (slot 1).
 *
 * At first, all lanes take their elements in the same order. The number of the vector is then one word
 * for the whole warp, but the elements of the matrix are all in one bank. You decide in which order
 * each lane adds. Find an order for which no warp access ever conflicts, for any w.
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs; try -p w=8 -p u=8
 *     bankscope view exercise.cu         the picture
 */
#include "kernels/kernel.h"

struct product {
    int w, u, blocks;
};

STAGES(write, multiply)

/* ---- [your part begins] ---- */

/* The column, from 0 to w - 1, of the element that a lane takes in round j. In w rounds each lane
 * must take each column once. */
DEVICE int column(int w, int lane, int j)
{
    return j;
}

/* ---- [your part ends] ---- */

BARE(product, {32, 64, 1})

KERNEL(product)
{
    int t = threadIdx.x, lane = t % p.w, warp = t / p.w;
    const int *from = in + (int)blockIdx.x * p.u * (p.w + 1); /* matrices, then vectors */
    int *to = out + ((int)blockIdx.x * p.u + t) * (p.w + 1);  /* the elements, then the sum */
    unsigned sum = 0;
    SHARED(int, elements, p.u *p.w);
    SHARED(int, numbers, p.u);
    SHARED_PTR(int) matrix = SHARED_AT(elements, warp * p.w * p.w);
    SHARED_PTR(int) vector = SHARED_AT(numbers, warp * p.w);

    STAGE(write);
    for (int j = 0; j < p.w; j++) {
        ROUND(j);
        STORE(matrix, j * p.w + lane, from[(warp * p.w + j) * p.w + lane]);
    }
    ROUND(p.w);
    STORE(vector, lane, from[p.u * p.w + t]);
    __syncthreads();

    STAGE(multiply);
    for (int j = 0; j < p.w; j++) {
        int k = column(p.w, lane, j);
        ROUND(j);
        int element = LOAD(matrix, lane * p.w + k);
        sum += (unsigned)element * (unsigned)LOAD(vector, k);
        to[j] = element;
    }
    to[p.w] = (int)sum;
}

#ifdef SIMT_HOST
#include "lessons/03-broadcast/grading.cu"
#endif
