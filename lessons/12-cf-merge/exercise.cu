/* Exercise 12-cf-merge: writing and reading without conflicts, and no word
 * unused.
 *
 * A block holds u E numbers. The threads write them side by side: in round j
 * thread t writes number j u + t. Then every thread reads E consecutive
 * numbers: in round j thread t reads number t E + j. In lesson 02 a pitch made
 * the reads free of conflicts, but it cost unused words and slower writes. Now
 * the tile has exactly u E words. Which word should hold number x so that
 * neither writing nor reading ever conflicts, for any warp's size w and any E?
 * (u is a multiple of w.)
 */

__device__ int place(int w, int E, int x);

__global__ void blocked(int u, int E, const int *in, int *out)
{
    extern __shared__ int tile[];
    int t = threadIdx.x, w = warpSize, first = blockIdx.x * u * E;

    /* Stage write. */
    for (int j = 0; j < E; j++) {
        int x = j * u + t;
        tile[place(w, E, x)] = in[first + x];
    }
    __syncthreads();

    /* Stage read. */
    for (int j = 0; j < E; j++)
        out[first + t * E + j] = tile[place(w, E, t * E + j)];
}

/* ---- [your part begins] ---- */

/* The word, from 0 to u E - 1, that holds number x. Each word holds only one
 * number. */
__device__ int place(int w, int E, int x)
{
    return x;
}

/* ---- [your part ends] ---- */
