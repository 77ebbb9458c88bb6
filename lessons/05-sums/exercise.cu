/* Exercise 05-sums: counters of one byte.
 *
 * Each lane has `bins` counters of one byte, and counts 16 numbers: in round k
 * it adds 1 to the counter of its k-th number. Then it reads its counters, one
 * in each round. The number of bins is a multiple of four. All counters of a
 * warp take exactly w times `bins` bytes (w is the warp's size), so four of
 * them share a word.
 *
 * At first, the counters of a lane lie side by side, and the data decide which
 * lanes meet in a bank. Find a place for every counter such that neither
 * counting nor reading ever conflicts, whatever the numbers are. (Lanes that
 * want the same word in the same access do not conflict, but you cannot rely on
 * that: two lanes may count different values.)
 */

__device__ int counter_byte(int w, int bins, int lane, int bin);

__global__ void bytes(int u, int bins, const int *in, int *out)
{
    extern __shared__ unsigned char counters[];
    int t = threadIdx.x, w = warpSize, lane = t % w;
    unsigned char *mine = counters + t / w * w * bins; /* of this warp */

    /* Stage clear. */
    for (int b = 0; b < bins; b++)
        counters[b * u + t] = 0;
    __syncthreads();

    /* Stage count. */
    for (int k = 0; k < 16; k++) {
        int bin = in[(blockIdx.x * 16 + k) * u + t] % bins;
        mine[counter_byte(w, bins, lane, bin)]++;
    }
    __syncthreads();

    /* Stage read. */
    for (int b = 0; b < bins; b++)
        out[(blockIdx.x * u + t) * bins + b] = mine[counter_byte(w, bins, lane, b)];
}

/* ---- [your part begins] ---- */

/* The byte, from 0 to w bins - 1, that holds the counter of a bin for a
 * lane. Each byte holds only one counter. Bytes 4 i to 4 i + 3 are word i. */
__device__ int counter_byte(int w, int bins, int lane, int bin)
{
    return lane * bins + bin;
}

/* ---- [your part ends] ---- */
