/* Exercise 13-shear-sort: butterflies.
 *
 * Each warp has 2 w words, for w a power of two. In each step, words at
 * distance d are compared, and the smaller one goes to the lower place: d is 1,
 * 2, 4, ..., w in turn. Lane t takes the pair of words a and a + d, where
 * a = t / d * 2 d + t % d: for d = 1 words 2 t and 2 t + 1, for d = w words t
 * and t + w.
 *
 * At first, element i is in word i. Then only steps with d = w are free of
 * conflicts. Find a place for every element such that no step ever conflicts. A
 * warp's elements have exactly 2 w words.
 */

__device__ int element_word(int w, int i);

__global__ void butterfly(int steps, const int *in, int *out)
{
    extern __shared__ int tile[];
    int w = warpSize, t = threadIdx.x, lane = t % w, d = 1;
    int first = 2 * (blockIdx.x * blockDim.x + t - lane); /* of the elements of this warp */
    int *mine = tile + 2 * (t - lane);                    /* of this warp */

    for (int j = 0; j < 2; j++)
        mine[element_word(w, j * w + lane)] = in[first + j * w + lane];
    __syncthreads();

    for (int s = 0; s < steps; s++) {
        int a = lane / d * 2 * d + lane % d;
        int low = element_word(w, a), high = element_word(w, a + d);
        int x = mine[low], y = mine[high];
        mine[low] = min(x, y);
        mine[high] = max(x, y);
        d = d == w ? 1 : 2 * d;
        __syncwarp();
    }
    __syncthreads();

    for (int j = 0; j < 2; j++)
        out[first + j * w + lane] = mine[element_word(w, j * w + lane)];
}

/* ---- [your part begins] ---- */

/* The word, from 0 to 2 w - 1, that holds element i of a warp. Each word
 * holds only one element. */
__device__ int element_word(int w, int i)
{
    return i;
}

/* ---- [your part ends] ---- */
