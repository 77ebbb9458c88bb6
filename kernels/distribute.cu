/* distribute.cu - a tile of keys is ordered by bucket, stably: the inner part of the sort by distribution in sort/
 * (sort/buckets.h has a picture, and shares its tree with the GPU's kernels).
 *
 * K - 1 thresholds from a sample make K buckets. A warp has E w successive keys, and a lane every w-th of them.
 *
 * search:   each lane walks down the thresholds, a level in a round, for one key after another. In
 *           tree=eytzinger all lanes read within the 2^level successive words of a level: levels of w words or
 *           fewer cannot have conflicts. tree=sorted is a binary search: its steps are powers of two, and the
 *           lanes of the middle steps are whole multiples of w apart.
 * count:    a warp has a counter of 16 bits for each bucket. Of the lanes with the same bucket the first one
 *           adds them all, so that no two write one word. Then each thread adds up two buckets' counters over
 *           the warps, a scan says where buckets begin, and the counters become the places where each warp's
 *           keys of a bucket begin. (The scan is by words of shared memory here, and by shuffles in sort/.)
 * exchange: keys go to their places, a permutation that depends on the data, and from there to memory in order.
 */
#include "kernels/sort.h"
#include "sort/buckets.h"

struct distribute {
    int w, u, blocks, K, E, tree;
};
enum { TREE_EYTZINGER, TREE_SORTED };

STAGES(setup, search, count, exchange)

BARE(distribute, {32, 256, ANY, 256, 16, TREE_EYTZINGER}, {32, 256, ANY, 256, 16, TREE_SORTED})

/* The bucket of a key, from the thresholds in order: threshold[1 .. K - 1]. */
DEVICE int bucket_of(const int *threshold, int K, int key)
{
    int bucket = 0;
    for (int s = K / 2; s > 0; s /= 2)
        if (key >= threshold[bucket + s])
            bucket += s;
    return bucket;
}

/* Searches the tree in shared memory from its second level on; `right`: the key is not less than the root. */
DEVICE int search_bucket(CONTEXT, SHARED_PTR(const int) tree, int K, bool sorted, int key,
                         bool right, int round)
{
    int node = tree_child(1, right), low = right ? K / 2 : 0;
    for (int s = K / 4; s > 0; s /= 2) {
        ROUND(round++);
        int go_right = key >= LOAD(tree, sorted ? low + s : node);
        node = tree_child(node, go_right);
        low += go_right ? s : 0;
    }
    return sorted ? low : node - K;
}

/* The lanes of a warp with a key of the same bucket: those before this one, and all. A GPU asks by ballots;
 * here each lane looks at the warp's keys in global memory. */
struct peers {
    int before, all;
};
DEVICE struct peers peers_of(const int *threshold, int K, const int *keys, int w, int lane,
                             int bucket)
{
    struct peers found = {0, 0};
    for (int l = 0; l < w; l++)
        if (bucket_of(threshold, K, keys[l]) == bucket) {
            found.before += l < lane;
            found.all++;
        }
    return found;
}

/* The sum of x over the threads before this one, for the first n threads. Rounds from `round` on. */
DEVICE int sum_before(CONTEXT, SHARED_PTR(int) sums, int n, int x, int round)
{
    int t = threadIdx.x, sum = x;
    for (int d = 1; d < n; d *= 2) {
        ROUND(round++);
        if (t < n)
            STORE(sums, t, sum);
        __syncthreads();
        ROUND(round++);
        if (t >= d && t < n)
            sum += LOAD(sums, t - d);
        __syncthreads();
    }
    return sum - x;
}

KERNEL(distribute)
{
    int t = threadIdx.x, w = p.w, lane = t % w, warp = t / w, warps = p.u / w;
    int K = p.K, pairs = K / 2, steps = log2_up(K) - 1, first = warp * w * p.E, round = 0;
    const int *threshold = in, *keys = in + K + (int)blockIdx.x * p.u * p.E;
    SHARED(int, tree, K);
    SHARED(unsigned short, counts, warps *K);
    SHARED(int, sums, pairs);
    SHARED(int, tile, p.u *p.E);
    SHARED_PTR(unsigned short) mine = SHARED_AT(counts, warp * K);
    REGISTERS(int, bucket, p.E);
    REGISTERS(int, rank, p.E);

    ROLLED for (int i = t; i < K; i += p.u)
    {
        int node = i > 0 ? i : 1;
        FILL(tree, i, threshold[p.tree == TREE_SORTED ? node : tree_threshold(node, steps + 1)]);
    }
    __syncthreads();

    STAGE(search);
    ROUND(0);
    int root = LOAD(tree, p.tree == TREE_SORTED ? K / 2 : 1);
    for (int k = 0; k < p.E; k++) {
        int key = keys[first + k * w + lane];
        bucket[k] =
            search_bucket(simt_, tree, K, p.tree == TREE_SORTED, key, key >= root, 1 + k * steps);
    }

    STAGE(count);
    ROLLED for (int i = t; i < warps * pairs; i += p.u)
    {
        ROUND(round++);
        STORE((unsigned *)counts, i, 0);
    }
    __syncthreads();
    round = (warps * pairs + p.u - 1) / p.u;
    for (int k = 0; k < p.E; k++) {
        struct peers peers = peers_of(threshold, K, keys + first + k * w, w, lane, bucket[k]);
        ROUND(round++);
        int before = LOAD(mine, bucket[k]);
        SYNC_WARP(w);
        if (peers.before == 0)
            STORE(mine, bucket[k], (unsigned short)(before + peers.all));
        SYNC_WARP(w);
        rank[k] = before + peers.before;
    }
    __syncthreads();
    unsigned both = 0; /* a word has the counters of two buckets */
    for (int v = 0; v < warps; v++) {
        ROUND(round++);
        if (t < pairs)
            both += LOAD((unsigned *)counts, v * pairs + t);
    }
    int even = (int)(both & 0xffff), odd = (int)(both >> 16);
    int begin = sum_before(simt_, sums, pairs, even + odd, round);
    unsigned begins = (unsigned)begin | (unsigned)(begin + even) << 16;
    round += 2 * steps;
    for (int v = 0; v < warps; v++) {
        ROUND(round++);
        if (t < pairs) {
            unsigned here = v + 1 < warps ? LOAD((unsigned *)counts, v * pairs + t) : 0;
            STORE((unsigned *)counts, v * pairs + t, begins);
            begins += here;
        }
    }
    __syncthreads();

    STAGE(exchange);
    for (int k = 0; k < p.E; k++) {
        ROUND(k);
        STORE(tile, LOAD(mine, bucket[k]) + rank[k], keys[first + k * w + lane]);
    }
    __syncthreads();
    for (int k = 0; k < p.E; k++) {
        ROUND(p.E + k);
        out[((int)blockIdx.x * p.E + k) * p.u + t] = LOAD(tile, k * p.u + t);
    }
}

#ifdef SIMT_HOST

#include <limits.h>
#include <stdlib.h>

enum { MOST_BUCKETS = 512, SAMPLED = 16 /* keys of the sample for each bucket */ };

static const char *const trees[] = {"eytzinger", "sorted", NULL};
PARAMS(distribute) = {PARAM_W(8),
                      PARAM_U(32),
                      PARAM_BLOCKS,
                      PARAM(K, 32, 2, MOST_BUCKETS, "buckets, a power of two, at most 2 u"),
                      PARAM(E, 4, 1, 64, "keys per thread"),
                      PARAM_WORDS(tree, TREE_EYTZINGER, trees,
                                  "the thresholds as a tree in Eytzinger's order, or in order"),
                      {0}};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct distribute *p = params;
    const int tile = p->u * p->E, warps = p->u / p->w;
    if (p->K & (p->K - 1) || p->K > 2 * p->u)
        return error_set(error, "K must be a power of two and at most 2 u; K is %d, u is %d", p->K,
                         p->u);
    if (tile > USHRT_MAX)
        return error_set(error, "a block has u E = %d keys, counted in 16 bits: at most %d", tile,
                         USHRT_MAX);
    shape->shared_bytes = (size_t)(p->K + p->K / 2 + tile) * sizeof(int) +
                          (size_t)warps * (size_t)p->K * sizeof(short);
    shape->in_words = (size_t)p->K + (size_t)tile * (size_t)p->blocks;
    shape->out_words = (size_t)tile * (size_t)p->blocks;
    return true;
}

/* Thresholds in order, from a sample of the keys that follow them. A splitter that comes again gives the next
 * number, so that keys equal to it have a bucket of their own. */
static bool prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error)
{
    const struct distribute *p = params;
    const int K = p->K, count = K * SAMPLED;
    uint64_t state = input->seed;
    if (!input_numbers(input, in + K, shape->out_words, error))
        return false;
    int *const sample = memory_new((size_t)count, sizeof *sample);
    for (int i = 0; i < count; i++)
        sample[i] = in[K + random_below(&state, (int)shape->out_words)];
    sort_numbers(sample, (size_t)count);
    in[0] = INT_MIN;
    for (int b = 1; b < K; b++) {
        const int splitter = sample[b * SAMPLED];
        const bool again = b > 1 && sample[(b - 1) * SAMPLED] == splitter;
        in[b] = again && splitter < INT_MAX ? splitter + 1 : splitter;
    }
    free(sample);
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct distribute *p = params;
    const size_t tile = (size_t)p->u * (size_t)p->E;
    int *const expected = memory_new(tile, sizeof *expected);
    bool right = true;
    for (int block = 0; right && block < p->blocks; block++) {
        const int *const keys = in + p->K + (size_t)block * tile;
        size_t count = 0;
        for (int b = 0; b < p->K; b++)
            for (size_t i = 0; i < tile; i++)
                if ((b == 0 || keys[i] >= in[b]) && (b == p->K - 1 || keys[i] < in[b + 1]) &&
                    count < tile)
                    expected[count++] = keys[i];
        right = same_numbers(out + (size_t)block * tile, expected, tile, error);
    }
    (void)shape;
    free(expected);
    return right;
}

ENTRY(distribute, .name = "distribute", .summary = "a tile of keys ordered by bucket, as in sort/",
      .look = "Step through stage search: with tree=eytzinger the first levels have no conflicts, "
              "with tree=sorted the middle ones have the most. Stage exchange is a permutation "
              "that the data decide.",
      .source = "sort/buckets.h", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare,
      .check = check)

#endif
