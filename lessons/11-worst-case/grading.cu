/* What must come out of the exercise of lesson 11: shares from 0 to E, and what the numbers sum up to that these
 * shares mean. */
__global__ void reference(int u, int E, const int *A, const int *B, int *shares, int *sums)
{
    int w = warpSize, i = blockIdx.x * u + threadIdx.x, warp = i - threadIdx.x % w;
    int a = warp * E, b = warp * E, take = max(0, min(E, shares[i]));
    unsigned sum = 0;
    for (int k = warp; k < i; k++) {
        int other = max(0, min(E, shares[k]));
        a += other;
        b += E - other;
    }
    for (int j = 0; j < E; j++)
        sum = 31 * sum + (j < take ? A[a + j] : B[b + j - take]);
    __syncthreads();
    shares[i] = take;
    sums[i] = sum;
}
