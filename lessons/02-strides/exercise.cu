/* Exercise 02-strides: a stride for every E.
 *
 * A block holds u E numbers. The threads write them side by side: in round j
 * thread t writes number j u + t. Then every thread reads E consecutive
 * numbers: in round j thread t reads number t E + j. Many kernels (sorting,
 * scanning, histograms) do this before each thread works on its own numbers.
 *
 * The numbers of a thread lie in consecutive words; `pitch` is the distance
 * from the first word of one thread to the first word of the next. At first,
 * pitch = E: no word is wasted, but the reads conflict whenever the warp's size
 * w and E have a common divisor other than 1. Choose a pitch that makes the
 * reads free of conflicts for any w and E and leaves at most five words per
 * thread unused. A write may have one conflict at a time, because the pitch
 * spreads the numbers of a warp.
 */

__device__ int pitch(int w, int E);

__global__ void blocked(int u, int E, const int *in, int *out)
{
    extern __shared__ int tile[];
    int t = threadIdx.x, first = blockIdx.x * u * E, step = pitch(warpSize, E);

    /* Stage write. */
    for (int j = 0; j < E; j++) {
        int x = j * u + t;
        tile[x / E * step + x % E] = in[first + x];
    }
    __syncthreads();

    /* Stage read. */
    for (int j = 0; j < E; j++)
        out[first + t * E + j] = tile[t * step + j];
}

/* ---- [your part begins] ---- */

/* Words from the first number of a thread to the first number of the next;
 * at least E. */
__device__ int pitch(int w, int E)
{
    return E;
}

/* ---- [your part ends] ---- */
