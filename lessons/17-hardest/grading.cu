/* A share from 0 to E that both lists have. a, b: what has been taken from them. */
__device__ int possible(int w, int E, int share, int a, int b)
{
    return max(max(0, E - (w * E - b)), min(min(E, w * E - a), share));
}

/* What must come out of the exercise of lesson 17: such shares, and what the numbers sum up to that they mean. */
__global__ void reference(int E, const int *numbers, int *shares, int *sums)
{
    int w = warpSize, t = threadIdx.x, a = 0, b = 0;
    unsigned sum = 0;
    for (int k = 0; k < t; k++) {
        int other = possible(w, E, shares[k], a, b);
        a += other;
        b += E - other;
    }
    int take = possible(w, E, shares[t], a, b);
    for (int j = 0; j < E; j++)
        sum = 31 * sum + numbers[j < take ? a + j : w * E + b + j - take];
    __syncthreads();
    shares[t] = take;
    sums[t] = sum;
}
