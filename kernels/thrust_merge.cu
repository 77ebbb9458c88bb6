/* thrust_merge.cu - the merge of Thrust's mergesort in shared memory (worstcase section II-A).
 *
 * Each thread finds its share of A and B by the merge-path search and merges it sequentially,
 * straight out of shared memory. Which words a warp reads in a round depends on the data, so the
 * number of bank conflicts does too: 2 to 3 ways on random input, up to E on the worst case.
 *
 * order=model is the papers' idealisation: in round j every thread reads its j-th smallest element,
 * and nothing else. order=library is what the CCCL library does (cub's SerialMerge): both heads
 * first, then in every round a reload from the list that the last output came from. Lanes that
 * reload from A and lanes that reload from B are two instructions, hence two slots.
 */
#include "kernels/merge.h"

struct thrust_merge {
    int w, u, blocks, E, order;
};
enum { ORDER_MODEL, ORDER_LIBRARY };

STAGES(load, search, merge, store)

BARE(thrust_merge, {32, 512, ANY, 15, ORDER_LIBRARY}, {32, 256, ANY, 17, ORDER_LIBRARY},
     {32, 256, ANY, 8, ORDER_LIBRARY}, {32, 256, ANY, 16, ORDER_LIBRARY},
     {32, 64, ANY, 15, ORDER_LIBRARY}, {32, 512, ANY, 15, ORDER_MODEL})

/* The j-th smallest of a thread's share in round j. Which list it is in is decided from the copy in
 * global memory, so that shared memory sees the one access of the model. */
DEVICE void merge_model(CONTEXT, const int *tile, const int *list, const struct merge_layout layout,
                        int a, int b, int *items, int E)
{
    int nb = layout.n - layout.na;
    UNROLL for (int j = 0; j < E; j++)
    {
        bool from_b = b < nb && (a >= layout.na || list[layout.na + b] < list[a]);
        ROUND(j);
        items[j] = LOAD_TAG(tile, from_b ? layout.na + b : a, from_b ? 'B' : 'A');
        a += !from_b;
        b += from_b;
    }
}

/* Round 0: A's head (slot 0), B's head (slot 1). Round j: reload after output j - 1, from A
 * (slot 0) or from B (slot 1). The reload after the last output is not needed, and not made. */
DEVICE void merge_library(CONTEXT, const int *tile, const struct merge_layout layout, int a, int b,
                          int *items, int E)
{
    int nb = layout.n - layout.na;
    ROUND(0);
    int head_a = LOAD_TAG(tile, a, 'A');
    int head_b = LOAD_TAG(tile, layout.na + b, 'B');
    UNROLL for (int j = 0; j < E; j++)
    {
        bool from_b = b < nb && (a >= layout.na || head_b < head_a);
        items[j] = from_b ? head_b : head_a;
        a += !from_b;
        b += from_b;
        if (j == E - 1)
            break;
        ROUND(j + 1);
        if (from_b) {
            SLOT(1);
            head_b = LOAD_TAG(tile, layout.na + b, 'B');
        } else {
            SLOT(0);
            head_a = LOAD_TAG(tile, a, 'A');
        }
    }
}

KERNEL(thrust_merge)
{
    int n = p.u * p.E, block = blockIdx.x;
    struct merge_layout layout = layout_plain(n, in[block]);
    const int *list = in + p.blocks + block * n;
    SHARED(int, tile, n + (p.order == ORDER_LIBRARY));
    REGISTERS(int, items, p.E);

    GUARD(tile, n, p.order == ORDER_LIBRARY); /* a reload may read one word past the tile */
    STAGE(load);
    load_tile(simt_, tile, list, layout, p.u, p.E);
    __syncthreads();

    STAGE(search);
    int diagonal = (int)threadIdx.x * p.E;
    int a = merge_path(simt_, tile, layout, diagonal);

    STAGE(merge);
    if (p.order == ORDER_LIBRARY)
        merge_library(simt_, tile, layout, a, diagonal - a, items, p.E);
    else
        merge_model(simt_, tile, list, layout, a, diagonal - a, items, p.E);
    __syncthreads();

    STAGE(store);
    store_tile(simt_, tile, out + block * n, layout, items, p.u, p.E);
}

#ifdef SIMT_HOST

static const char *const orders[] = {"model", "library", NULL};
static const struct kernel_param params[] = {
    PARAM_W(32),
    PARAM_U(512),
    PARAM_BLOCKS,
    PARAM_E(15),
    {"order", ORDER_MODEL, 0, 1, orders, "reads as in the papers' model, or as the library does"},
    {0},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct thrust_merge *p = params;
    (void)error;
    return merge_shape(params, shape, p->order == ORDER_LIBRARY);
}

ENTRY(thrust_merge, .name = "thrust-merge",
      .summary = "merge of Thrust's mergesort, out of shared memory",
      .look =
          "Step through stage merge with --input worst: most lanes stand in the same few banks in "
          "every round. With random input two or three lanes meet by chance.",
      .source = "worstcase section II-A, cfmerge section 4", .params = params,
      .inputs = INPUT_MERGE, .shape = shape, .prepare = merge_prepare, .check = merge_check)

#endif
