/* Exercise 10-merge: even numbers to the front.
 *
 * A block holds n = u E numbers. The even ones move to the front, the odd ones
 * behind them, and both keep their order. This is a merge backwards: now the
 * data decide which words a warp *writes*. In round j thread t takes number
 * j u + t and writes it to its place in shared memory. Then the threads read
 * the result from front to back: in round j thread t reads its item j u + t.
 *
 * At first, the odd numbers lie behind the even ones. Then the even and the odd
 * numbers of a warp are two stretches, and the data decide how far they overlap
 * in the banks. The tile has exactly n words. Where should the numbers lie so
 * that neither writing nor reading ever conflicts, whatever the data?
 */

__device__ int place(int n, int evens, bool odd, int i);

/* before[k]: how many of the block's numbers 0 to k - 1 are even. */
__global__ void split(int u, int E, const int *numbers, const int *before, int *out)
{
    extern __shared__ int tile[];
    int t = threadIdx.x, n = u * E, evens;
    numbers += blockIdx.x * n;
    before += blockIdx.x * (n + 1);
    evens = before[n];

    /* Stage write. */
    for (int j = 0; j < E; j++) {
        int k = j * u + t;
        bool odd = numbers[k] % 2 != 0;
        tile[place(n, evens, odd, odd ? k - before[k] : before[k])] = numbers[k];
    }
    __syncthreads();

    /* Stage read. */
    for (int j = 0; j < E; j++) {
        int k = j * u + t;
        bool odd = k >= evens;
        out[blockIdx.x * n + k] = tile[place(n, evens, odd, odd ? k - evens : k)];
    }
}

/* ---- [your part begins] ---- */

/* The word, from 0 to n - 1, that holds the i-th even number or the i-th odd
 * one; i counts from 0. Of the n numbers, `evens` are even. Each word holds
 * only one number. */
__device__ int place(int n, int evens, bool odd, int i)
{
    return odd ? evens + i : i;
}

/* ---- [your part ends] ---- */
