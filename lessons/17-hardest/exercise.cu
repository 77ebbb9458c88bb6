/* Exercise 17-hardest: the hardest input for two warps.
 *
 * Two warps merge two lists of w E numbers, A and B, both of which begin in
 * bank 0. Their 2 w threads take E numbers each, first those from A, then those
 * from B. As in the exercise of lesson 11 you decide how many a thread takes
 * from A. But now E ways are not enough: make every round of both warps take
 * E + 1 passes, for any w and any E up to w / 2. All numbers of both lists must
 * be taken; what a list no longer has, a thread takes from the other one.
 *
 * At first, all threads take all their numbers from A, as long as there are
 * any.
 */

__device__ int share(int w, int E, int t, int a, int b);

/* The share; where a list has too few numbers left, the other one gives the
 * rest. What is not from 0 to E stays as it is. */
__device__ int share_left(int w, int E, int t, int a, int b)
{
    int take = share(w, E, t, a, b), left_a = w * E - a, left_b = w * E - b;
    if (take < 0 || take > E)
        return take;
    return take > left_a ? left_a : E - take > left_b ? E - left_b : take;
}

/* numbers: A, then B. */
__global__ void attack(int E, const int *numbers, int *shares, int *sums)
{
    extern __shared__ int tile[];
    int w = warpSize, t = threadIdx.x, u = 2 * w;
    int a = 0, b = 0, take = share_left(w, E, 0, 0, 0);
    unsigned sum = 0;

    for (int j = 0; j < E; j++)
        tile[j * u + t] = numbers[j * u + t];
    __syncthreads();

    /* What the threads before this one take. */
    for (int before = 0; before < t; before++) {
        a += take;
        b += E - take;
        take = share_left(w, E, before + 1, a, b);
    }
    for (int j = 0; j < E; j++)
        sum = 31 * sum + tile[j < take ? a + j : w * E + b + j - take];
    shares[t] = take;
    sums[t] = sum;
}

/* ---- [your part begins] ---- */

/* How many numbers, from 0 to E, thread t (0 to 2 w - 1) takes from A. The
 * threads before it have taken a numbers of A and b of B, so a + b = t E. */
__device__ int share(int w, int E, int t, int a, int b)
{
    return E;
}

/* ---- [your part ends] ---- */
