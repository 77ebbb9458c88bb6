/* Exercise of lesson 04: sixteen bytes in, four bytes out.
 *
 * Each warp keeps a matrix of w rows in shared memory; w is a multiple of four. A row is w quads of four
 * words. The warp writes the matrix by rows, sixteen bytes per lane: in round j lane c writes quad c of
 * row j. Then it reads columns, four bytes per lane: in round k lane r reads word k of row r (that is
 * word k mod 4 of quad k / 4).
 *
 * At first, every row lies as it is, and all words of a column are in one bank. The matrix has exactly
 * w w quads, so padding cannot help, and a lane writes its four words side by side. You decide where in
 * its row a quad goes, and in which order its four words lie. Find an answer for which neither writing
 * nor reading ever conflicts.
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs; try -p w=8 -p u=8
 *     bankscope view exercise.cu         the picture
 */
#include "kernels/kernel.h"

struct quads {
    int w, u, blocks;
};

STAGES(write, read)

/* ---- [your part begins] ---- */

/* The place, from 0 to w - 1, that quad q (0 to w - 1) has within row r. Each place holds only one
 * quad. */
DEVICE int quad_place(int w, int r, int q)
{
    return q;
}

/* By how many places the four words of each quad in row r are turned: word i lies at place
 * (i + turn) mod 4 of its quad. */
DEVICE int word_turn(int w, int r)
{
    return 0;
}

/* ---- [your part ends] ---- */

BARE(quads, {32, 64, 1})

/* Four words, each `turn` places further, in a circle. */
DEVICE int4 turned(const int *word, int turn)
{
    int4 quad = {word[-turn & 3], word[(1 - turn) & 3], word[(2 - turn) & 3], word[(3 - turn) & 3]};
    return quad;
}

KERNEL(quads)
{
    int t = threadIdx.x, lane = t % p.w, words = 4 * p.w * p.w;
    int first =
        ((int)blockIdx.x * (p.u / p.w) + t / p.w) * words; /* of this warp's matrix in `in` */
    SHARED(int, tile, 4 * p.u * p.w);
    SHARED_PTR(int) matrix = SHARED_AT(tile, t / p.w * words);

    STAGE(write);
    for (int j = 0; j < p.w; j++) {
        ROUND(j);
        STORE((int4 *)matrix, j * p.w + quad_place(p.w, j, lane),
              turned(in + first + 4 * (j * p.w + lane), word_turn(p.w, j)));
    }
    __syncthreads();

    STAGE(read);
    for (int k = 0; k < 4 * p.w; k++) {
        int place = quad_place(p.w, lane, k / 4), word = (k + word_turn(p.w, lane)) & 3;
        ROUND(k);
        out[first + 4 * lane * p.w + k] = LOAD(matrix, 4 * (lane * p.w + place) + word);
    }
}

#ifdef SIMT_HOST
#include "lessons/04-wide/grading.cu"
#endif
