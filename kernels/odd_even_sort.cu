/* odd_even_sort.cu - odd-even transposition sort in shared memory (bcfsort section 4, Figure 7).
 *
 * Step s compares the neighbours (i, i + 1) with i = s mod 2, s mod 2 + 2, ...; n steps sort n
 * words. Neighbouring threads use words that are two apart: two ways in every access unless w is odd.
 */
#include "kernels/network.h"

struct odd_even_sort {
    int w, u, blocks, n;
};

STAGES(load, store, step)

BARE(odd_even_sort, {32, 512, ANY, 1024})

KERNEL(odd_even_sort)
{
    SHARED(int, tile, p.n);
    STAGE(load);
    load_words(simt_, tile, in + (int)blockIdx.x * p.n, p.n, p.u);
    __syncthreads();
    for (int s = 0; s < p.n; s++) {
        STAGE(step + s);
        for (int j = 0; s % 2 + 2 * (j * p.u) + 1 < p.n; j++) {
            int low = s % 2 + 2 * (j * p.u + (int)threadIdx.x);
            ROUND(j);
            if (low + 1 < p.n)
                compare_exchange(simt_, tile, low, low + 1);
        }
        __syncthreads();
    }
    STAGE(store);
    store_words(simt_, tile, out + (int)blockIdx.x * p.n, p.n, p.u);
}

#ifdef SIMT_HOST

PARAMS(odd_even_sort) = {PARAM_W(8), PARAM_U(32), PARAM_BLOCKS, PARAM_NETWORK_N, {0}};
AGREES(network_params, w, u, blocks, n);

static bool stage_name(const void *params, int i, char name[64])
{
    return network_stage_name(((const struct network_params *)params)->n, i, name);
}

ENTRY(
    odd_even_sort, .name = "odd-even-sort",
    .summary = "odd-even transposition sort: n steps, two ways each for even w",
    .look =
        "Each access touches every other word, so with an even w half of the banks serve two lanes "
        "each. Compare the passes with those of shear-sort on as many words.",
    .source = "bcfsort section 4", .inputs = INPUT_ANY, .shape = network_shape,
    .stage_name = stage_name, .prepare = prepare_numbers, .check = network_check)

#endif
