/* Exercise 01-banks: points in shared memory.
 *
 * Each of the u threads of a block keeps one point of four numbers (x, y, z, m)
 * in shared memory. It then reads its right neighbour's point and writes the
 * numbers out. In round k all threads write (and later read) number k of a
 * point. You decide which word holds each number.
 *
 * At first, the four numbers of a point lie side by side. The result is
 * correct, but the lanes of a warp meet in the same banks. Find an order of the
 * 4 u words for which no warp access ever needs two words from the same bank,
 * whatever the warp's size is.
 */

__device__ int point_word(int u, int t, int k);

__global__ void points(int u, const int *in, int *out)
{
    extern __shared__ int tile[];
    int t = threadIdx.x, i = blockIdx.x * u + t, neighbour = (t + 1) % u;

    /* Stage write. */
    for (int k = 0; k < 4; k++)
        tile[point_word(u, t, k)] = in[4 * i + k];
    __syncthreads();

    /* Stage read. */
    for (int k = 0; k < 4; k++)
        out[4 * i + k] = tile[point_word(u, neighbour, k)];
}

/* ---- [your part begins] ---- */

/* The word, from 0 to 4 u - 1, that holds number k (0 to 3) of thread t's
 * point. Each word holds only one number. */
__device__ int point_word(int u, int t, int k)
{
    return 4 * t + k;
}

/* ---- [your part ends] ---- */
