/* Exercise 11-worst-case: be the attacker.
 *
 * Each warp merges two lists, A and B, as in the lesson: its threads take E
 * numbers each, and in round j a thread reads the j-th of its numbers. Both
 * lists begin in bank 0. A thread takes its numbers from A first, and then
 * those from B. You decide how many it takes from A, so you choose the input.
 *
 * At first, all threads take all their numbers from A. That is a stride of E,
 * and there is no conflict if the warp's size w and E have no common divisor
 * other than 1. Choose shares that make every round of the merge as slow as E
 * passes, for any w and any E up to w / 2.
 */

__device__ int share(int w, int E, int a, int b);

__global__ void attack(int u, int E, const int *A, const int *B, int *shares, int *sums)
{
    extern __shared__ int tile[];
    int t = threadIdx.x, w = warpSize, lane = t % w, i = blockIdx.x * u + t;
    int words = w * E, first = (i - lane) * E; /* of each list of this warp */
    int list_a = t / w * 2 * words, list_b = list_a + words;
    int a = 0, b = 0, take = share(w, E, 0, 0);
    unsigned sum = 0;

    /* Stage load. */
    for (int j = 0; j < E; j++) {
        tile[list_a + j * w + lane] = A[first + j * w + lane];
        tile[list_b + j * w + lane] = B[first + j * w + lane];
    }
    __syncthreads();

    /* What the lanes before this one take. */
    for (int before = 0; before < lane; before++) {
        a += take;
        b += E - take;
        take = share(w, E, a % w, b % w);
    }
    /* Stage merge. */
    for (int j = 0; j < E; j++)
        sum = 31 * sum + tile[j < take ? list_a + a + j : list_b + b + j - take];
    shares[i] = take;
    sums[i] = sum;
}

/* ---- [your part begins] ---- */

/* How many numbers, from 0 to E, a thread takes from A. The next number of A
 * is in bank a, and the next number of B in bank b; both are numbers from 0
 * to w - 1. */
__device__ int share(int w, int E, int a, int b)
{
    return E;
}

/* ---- [your part ends] ---- */
