/* Exercise 09-search: the top of a search tree.
 *
 * A block has K = 2^rounds sorted keys in shared memory, and each thread a
 * query. Round i of a binary search reads one of 2^i keys: in round 0 key
 * K / 2, in round 1 key K / 4 or 3 K / 4, and so on. Here the warp's size w is
 * so large that in every round there are at least as many banks as keys to
 * read. So no round needs a conflict.
 *
 * At first, key i is in word i, and as soon as the distance between the keys of
 * a round and w have a common divisor other than 1, they meet. Find a place for
 * every key such that no round ever has a conflict, whatever the queries are.
 * The keys have exactly K words. (Key 0 is stored but never read.)
 */

__device__ int key_word(int rounds, int i);

__global__ void tree(int rounds, const int *keys, const int *queries, int *out)
{
    extern __shared__ int tile[];
    int t = threadIdx.x, u = blockDim.x, K = 1 << rounds, found = 0;
    int query = queries[blockIdx.x * u + t];

    for (int i = t; i < K; i += u)
        tile[key_word(rounds, i)] = keys[blockIdx.x * K + i];
    __syncthreads();

    for (int i = 0; i < rounds; i++) {
        int next = found + (K >> (i + 1));
        if (tile[key_word(rounds, next)] <= query)
            found = next;
    }
    out[blockIdx.x * u + t] = found;
}

/* ---- [your part begins] ---- */

/* The word, from 0 to 2^rounds - 1, that holds key i. Each word holds only
 * one key. */
__device__ int key_word(int rounds, int i)
{
    return i;
}

/* ---- [your part ends] ---- */
