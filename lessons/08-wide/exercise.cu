/* Exercise 08-wide: sixteen bytes in, four bytes out.
 *
 * Each warp keeps a matrix of w rows in shared memory; w, the warp's size, is a
 * multiple of four. A row is w quads of four words. The warp writes the matrix
 * by rows, sixteen bytes per lane: in round j lane c writes quad c of row j.
 * Then it reads columns, four bytes per lane: in round k lane r reads word k of
 * row r (that is word k mod 4 of quad k / 4).
 *
 * At first, every row lies as it is, and all words of a column are in one bank.
 * The matrix has exactly w w quads, so padding cannot help, and a lane writes
 * its four words side by side. You decide where in its row a quad goes, and in
 * which order its four words lie. Find an answer for which neither writing nor
 * reading ever conflicts.
 */

__device__ int quad_place(int w, int r, int q);
__device__ int word_turn(int w, int r);

/* Four words, each `turn` places further, in a circle. */
__device__ int4 turned(const int *word, int turn)
{
    return make_int4(word[-turn & 3], word[(1 - turn) & 3], word[(2 - turn) & 3],
                     word[(3 - turn) & 3]);
}

__global__ void quads(int u, const int *in, int *out)
{
    extern __shared__ int4 tile[];
    int t = threadIdx.x, w = warpSize, lane = t % w;
    int first = 4 * w * (blockIdx.x * u + t - lane); /* of this warp's matrix in `in` */
    int4 *quad = tile + t / w * w * w;               /* the same, in the tile */
    const int *word = (const int *)quad;

    /* Stage write. */
    for (int j = 0; j < w; j++)
        quad[j * w + quad_place(w, j, lane)] =
            turned(in + first + 4 * (j * w + lane), word_turn(w, j));
    __syncthreads();

    /* Stage read. */
    for (int k = 0; k < 4 * w; k++) {
        int place = quad_place(w, lane, k / 4), within = (k + word_turn(w, lane)) & 3;
        out[first + 4 * lane * w + k] = word[4 * (lane * w + place) + within];
    }
}

/* ---- [your part begins] ---- */

/* The place, from 0 to w - 1, that quad q (0 to w - 1) has within row r.
 * Each place holds only one quad. */
__device__ int quad_place(int w, int r, int q)
{
    return q;
}

/* By how many places the four words of each quad in row r are turned: word i
 * lies at place (i + turn) mod 4 of its quad. */
__device__ int word_turn(int w, int r)
{
    return 0;
}

/* ---- [your part ends] ---- */
