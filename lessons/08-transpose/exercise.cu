/* Exercise of lesson 08: rows, columns and diagonals.
 *
 * Each warp has a matrix of w rows and w columns, for odd w. It writes the matrix by rows: in round j
 * lane c writes the element in row j, column c. Then it reads columns: in round j lane r reads the
 * element in row r, column j. At last it reads rising diagonals: in round j lane r reads the element
 * in row r, column (j - r) mod w.
 *
 * At first, the elements lie row by row, and a column is in a single bank. If you rotate row r by r
 * places, as the lesson does, columns are free of conflicts, but another stage is not any more. Find a
 * place for every element such that none of the three stages ever conflicts. The matrix has exactly
 * w w words.
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs; try -p w=7 -p u=7
 *     bankscope view exercise.cu         the picture
 */
#include "kernels/kernel.h"

struct square {
    int w, u, blocks;
};

STAGES(write, columns, diagonals)

/* ---- [your part begins] ---- */

/* The word, from 0 to w w - 1, that holds the element in row r, column c. Each word holds only one
 * element. */
DEVICE int element_word(int w, int r, int c)
{
    return r * w + c;
}

/* ---- [your part ends] ---- */

BARE(square, {31, 62, 1})

KERNEL(square)
{
    int t = threadIdx.x, lane = t % p.w, words = p.w * p.w;
    int first = ((int)blockIdx.x * p.u + t - lane) * p.w;  /* of this warp's matrix in `in` */
    int *to = out + 2 * ((int)blockIdx.x * p.u + t) * p.w; /* a row, then a diagonal */
    SHARED(int, tile, p.u *p.w);
    SHARED_PTR(int) matrix = SHARED_AT(tile, t / p.w * words);

    STAGE(write);
    for (int j = 0; j < p.w; j++) {
        ROUND(j);
        STORE(matrix, element_word(p.w, j, lane), in[first + j * p.w + lane]);
    }
    __syncthreads();

    STAGE(columns);
    for (int j = 0; j < p.w; j++) {
        ROUND(j);
        to[j] = LOAD(matrix, element_word(p.w, lane, j));
    }

    STAGE(diagonals);
    for (int j = 0; j < p.w; j++) {
        ROUND(j);
        to[p.w + j] = LOAD(matrix, element_word(p.w, lane, (j - lane + p.w) % p.w));
    }
}

#ifdef SIMT_HOST
#include "lessons/08-transpose/grading.cu"
#endif
