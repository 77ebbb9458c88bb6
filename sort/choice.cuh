/* choice.cuh - merging or distribution, where the input decides: keys of 4 bytes alone. Random ones are merged
 * faster, few different ones distributed three times as fast.
 *
 * The host does not know the keys, and must not wait for them. So a block looks at a sample and writes down the
 * way, and the kernels of both ways are launched: those of the other way end at once. As they are in streams of
 * their own, they do so beside what has been chosen. That takes no host, and so works in a captured graph, too.
 *
 * The sample's places depend on the clock. Both ways have the same result, so that only the time depends on it.
 */
#ifndef BANKSCOPE_SORT_CHOICE_CUH
#define BANKSCOPE_SORT_CHOICE_CUH

#include "sort/distribution.cuh"

namespace bankscope
{

enum {
    CHOICE_THREADS = 512,
    CHOICE_SAMPLE = 4 * CHOICE_THREADS,
    CHOICE_SLOTS = 4 * CHOICE_SAMPLE,
    CHOICE_REPEATS = CHOICE_SAMPLE / 4 /* as 3,500 different keys have, or heavy ones */
};

/* One block writes to `way` how these n keys, n > 0, are sorted. A key of the sample repeats another if that came
 * just before it to a slot of a hash table: no more than there are, and few less. */
template <class Key>
__global__ void __launch_bounds__(CHOICE_THREADS)
    choose_way(const Key *__restrict__ keys, unsigned n, sort_way *way)
{
    constexpr int E = CHOICE_SAMPLE / CHOICE_THREADS;
    __shared__ Key sample[CHOICE_SAMPLE];
    __shared__ unsigned last[CHOICE_SLOTS]; /* of a slot: 1 + the number of its key */
    __shared__ unsigned seed;
    if (threadIdx.x == 0)
        seed = hash((unsigned)clock64());
    for (int i = threadIdx.x; i < CHOICE_SLOTS; i += CHOICE_THREADS)
        last[i] = 0;
    __syncthreads();
    Key mine[E];
#pragma unroll
    for (int k = 0; k < E; k++) {
        const unsigned i = threadIdx.x + k * CHOICE_THREADS;
        const uint64_t at = (uint64_t)i * n + ((uint64_t)hash(i ^ seed) * n >> 32);
        mine[k] = keys[at / CHOICE_SAMPLE];
    }
#pragma unroll
    for (int k = 0; k < E; k++)
        sample[threadIdx.x + k * CHOICE_THREADS] = mine[k];
    __syncthreads();
    int repeats = 0;
#pragma unroll
    for (int k = 0; k < E; k++) {
        const unsigned slot = hash((unsigned)mine[k]) % CHOICE_SLOTS;
        const unsigned before = atomicExch(&last[slot], threadIdx.x + k * CHOICE_THREADS + 1);
        repeats += __syncthreads_count(before > 0 && sample[before - 1] == mine[k]);
    }
    if (threadIdx.x == 0)
        *way = repeats >= CHOICE_REPEATS ? SORT_DISTRIBUTING : SORT_MERGING;
}

} // namespace bankscope
#endif
