/* The keys and queries of the exercise of lesson 09: the keys of a block ascend. In some inputs no key is as
 * small as a query, in others all are. */
__global__ void prepare(int rounds, int seed, int *keys, int *queries)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, K = 1 << rounds;
    keys += blockIdx.x * K;
    queries[i] = seed % 4 == 2 ? -1 : seed % 4 == 3 ? 0x7fffffff : queries[i] / 2;
    if (threadIdx.x > 0)
        return;
    keys[0] /= K;
    for (int k = 1; k < K; k++)
        keys[k] = keys[k - 1] + keys[k] / K;
}

/* What must come out: the last key that is not above the query, or else key 0. */
__global__ void reference(int rounds, const int *keys, const int *queries, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, K = 1 << rounds, found = 0;
    for (int k = 1; k < K; k++)
        found += keys[blockIdx.x * K + k] <= queries[i];
    out[i] = found;
}
