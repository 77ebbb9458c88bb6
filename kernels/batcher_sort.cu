/* batcher_sort.cu - Batcher's odd-even merge sort in shared memory (bcfsort section 3.1).
 *
 * log2(n) (log2(n) + 1) / 2 steps; step (p, k) compares words that are k apart, within the merge of
 * blocks of 2 p. Where neighbouring threads compare neighbouring words, as they do when k is a
 * multiple of w, no lanes meet. Short distances leave gaps, and two lanes meet in a bank.
 */
#include "kernels/network.h"

struct batcher_sort {
    int w, u, blocks, n;
};

STAGES(load, store, step)

BARE(batcher_sort, {32, 512, ANY, 1024})

KERNEL(batcher_sort)
{
    int s = 0;
    SHARED(int, tile, p.n);
    STAGE(load);
    load_words(simt_, tile, in + (int)blockIdx.x * p.n, p.n, p.u);
    __syncthreads();
    for (int half = 1; half < p.n; half *= 2)
        for (int k = half; k > 0; k /= 2) {
            STAGE(step + s);
            s++;
            for (int j = 0; j * p.u < p.n; j++) {
                /* Comparator number c: the c-th word that is the lower one of a pair. */
                int c = j * p.u + (int)threadIdx.x;
                int low = k % half + c / k * 2 * k + c % k;
                ROUND(j);
                if (low + k < p.n && low / (2 * half) == (low + k) / (2 * half))
                    compare_exchange(simt_, tile, low, low + k);
            }
            __syncthreads();
        }
    STAGE(store);
    store_words(simt_, tile, out + (int)blockIdx.x * p.n, p.n, p.u);
}

#ifdef SIMT_HOST

PARAMS(batcher_sort) = {PARAM_W(8), PARAM_U(32), PARAM_BLOCKS, PARAM_NETWORK_N, {0}};
AGREES(network_params, w, u, blocks, n);

static bool stage_name(const void *params, int i, char name[64])
{
    int steps = 0, levels = 0;
    for (int half = 1; half < ((const struct network_params *)params)->n; half *= 2)
        steps += ++levels;
    return network_stage_name(steps, i, name);
}

ENTRY(batcher_sort, .name = "batcher-sort",
      .summary = "Batcher's odd-even merge sort in shared memory",
      .look =
          "Most steps over distances below w have conflicts. If w is a power of two, steps over "
          "longer distances have none. The pattern of conflicts repeats in every merge.",
      .source = "bcfsort section 3.1", .inputs = INPUT_ANY, .shape = network_shape,
      .stage_name = stage_name, .prepare = prepare_numbers, .check = network_check)

#endif
