/* thrust_merge.cu - the merge of Thrust's mergesort in shared memory (worstcase section II-A).
 *
 * Each thread finds its share of A and B by the merge-path search and merges it sequentially,
 * directly from shared memory. Which words a warp reads in a round depends on the data, so the
 * number of passes does too: 3 to 4 per round on random input (w = 32), and E on the papers'
 * construction, input worst, with 2 E <= w.
 *
 * order=model is the papers' idealisation: in round j every thread reads its j-th smallest element,
 * and nothing else. order=library is what the CCCL library does (cub's SerialMerge): it loads the
 * thread's first word of each list, then in every round reloads from the list that the last output
 * came from.
 * Reloads from A and reloads from B are two instructions, hence two slots.
 *
 * Stage store differs from the library's where E is a power of two above 4: the library skips a word
 * after every 32 then (cub's WarpExchange), so that its stores are free of conflicts.
 */
#define SIMT_TRACED_SETS 1 /* u = 512, E = 15: timed by `bench` */
#include "kernels/merge.h"

struct thrust_merge {
    int w, u, blocks, E, order;
};

STAGES(load, search, merge, store)

/* Not E = 8 or 16: nvcc would store E neighbouring words by 16 bytes. */
BARE(thrust_merge, {32, 512, ANY, 15, ORDER_LIBRARY}, {32, 256, ANY, 17, ORDER_LIBRARY},
     {32, 64, ANY, 15, ORDER_LIBRARY}, {32, 512, ANY, 15, ORDER_MODEL})

KERNEL(thrust_merge)
{
    int n = p.u * p.E, block = blockIdx.x;
    struct merge_layout layout = layout_plain(n, in[block]);
    const int *list = in + p.blocks + block * n;
    SHARED(int, tile, n + (p.order == ORDER_LIBRARY));
    REGISTERS(int, items, p.E);

    GUARD(tile, n, p.order == ORDER_LIBRARY); /* a reload may read one word past the tile */
    STAGE(load);
    load_tile(simt_, tile, list, list + layout.na, layout, p.u, p.E);
    __syncthreads();

    STAGE(search);
    int diagonal = (int)threadIdx.x * p.E;
    int a = merge_path(simt_, tile, layout, diagonal);

    STAGE(merge);
    if (p.order == ORDER_LIBRARY)
        merge_library(simt_, tile, layout, a, diagonal - a, items, p.E);
    else
        merge_model(simt_, tile, list, list + layout.na, layout, a, diagonal - a, items, p.E);
    __syncthreads();

    STAGE(store);
    store_tile(simt_, tile, out + block * n, layout, items, p.u, p.E);
}

#ifdef SIMT_HOST

PARAMS(thrust_merge) = {
    PARAM_W(32), PARAM_U(512), PARAM_BLOCKS, PARAM_E(15), PARAM_ORDER, {0},
};
AGREES(merge_params, w, u, blocks, E);

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct thrust_merge *p = params;
    (void)error;
    return merge_shape(params, shape, p->order == ORDER_LIBRARY);
}

static bool prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error)
{
    const struct thrust_merge *p = params;
    (void)shape;
    return merge_input(params, p->order, input, in, error);
}

ENTRY(thrust_merge, .name = "thrust-merge",
      .summary = "the merge of Thrust's mergesort, in shared memory",
      .look =
          "Step through stage merge with --input worst: in every round, most lanes read from "
          "the same "
          "few banks. With random input, three or four lanes meet by chance. Where E is 8, 16 or "
          "another power of two above 4, the library pads its store stage; here it is not padded.",
      .source = "worstcase section II-A, cfmerge section 4", .inputs = INPUT_MERGE, .shape = shape,
      .prepare = prepare, .check = merge_check)

#endif
