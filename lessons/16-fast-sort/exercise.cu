/* Exercise 16-fast-sort: a circle of w banks.
 *
 * A block merges two lists, A and B, of n = u w numbers in all. A search has
 * already found what each thread needs: `take` numbers of A and w - take of B,
 * w in all, next to each other in each list. The threads load both lists into
 * the tile, A from word 0 on. Then each thread gathers its w numbers, one in
 * each round, in an order of your choice.
 *
 * At first, B lies behind A, and each thread reads its numbers of A and then
 * those of B. The data decide which lanes meet. Decide where B lies, and which
 * of its numbers a lane reads in round j, so that neither loading nor gathering
 * ever conflicts, whatever the data. The tile has exactly n words.
 */

__device__ int place_b(int n, int na, int i);
__device__ int pick(int w, int lane, int a, int b, int take, int j);

/* shares: how many numbers each thread takes from A. numbers: A, then B. */
__global__ void circle(const int *shares, const int *numbers, int *out)
{
    extern __shared__ int tile[];
    int w = warpSize, t = threadIdx.x, u = blockDim.x, n = u * w, a = 0, na = 0;
    shares += blockIdx.x * u;
    numbers += blockIdx.x * n;
    out += blockIdx.x * n + t * w;

    for (int i = 0; i < u; i++) {
        a += i < t ? shares[i] : 0;
        na += shares[i];
    }
    for (int j = 0; j < w; j++) {
        int k = j * u + t;
        tile[k < na ? k : place_b(n, na, k - na)] = numbers[k];
    }
    __syncthreads();

    int b = t * w - a, take = shares[t];
    for (int j = 0; j < w; j++) {
        int i = pick(w, t % w, a, b, take, j);
        out[i] = tile[i < take ? a + i : place_b(n, na, b + i - take)];
    }
}

/* ---- [your part begins] ---- */

/* The word, from 0 to n - 1, that holds number i of B (from 0). A has na
 * numbers, in words 0 to na - 1. */
__device__ int place_b(int n, int na, int i)
{
    return na + i;
}

/* Which of its w numbers a lane reads in round j. Its numbers 0 to take - 1
 * are numbers a, a + 1, ... of A; its numbers take to w - 1 are numbers b,
 * b + 1, ... of B. In w rounds it must read each once. */
__device__ int pick(int w, int lane, int a, int b, int take, int j)
{
    return j;
}

/* ---- [your part ends] ---- */
