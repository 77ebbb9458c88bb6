/* thrust_sort.cu - the whole mergesort of Thrust (worstcase section II-A).
 *
 * Each thread sorts E words in registers. Then levels of merges follow, in shared memory, first of
 * lists within a block, then of runs of several blocks (sort.h). Every level does what thrust-merge
 * does: search, merge, and store E sorted words per thread; the store conflicts, too, when w and E
 * have a common divisor other than 1. Input worst is the papers' construction at every level whose
 * pairs of lists have 2 w threads or more. The first few levels have fewer, so the construction
 * cannot be followed exactly there, and random input may even cost more.
 *
 * order=model and order=library are those of thrust-merge, and so is what stage store does otherwise
 * than the library. The library's last tile has only the keys that are left; here it is filled up.
 */
#include "kernels/sort.h"

struct thrust_sort {
    int w, u, E, n, order, launch;
};

STAGES(load, sort, search_1, merge_1, store_1)

/* Not E = 16: nvcc would store E neighbouring words by 16 bytes. */
BARE(thrust_sort, {32, 512, 15, ANY, ORDER_LIBRARY, ANY}, {32, 256, 17, ANY, ORDER_LIBRARY, ANY},
     {32, 128, 15, ANY, ORDER_LIBRARY, ANY})

/* One level: search and merge. list_a and list_b are copies in global memory, for order=model. */
DEVICE void merge_level(CONTEXT, const struct thrust_sort p, SHARED_PTR(const int) tile,
                        const int *list_a, const int *list_b, const struct merge_layout layout,
                        int *items, int stage)
{
    int diagonal = (int)threadIdx.x * p.E - layout.first;
    int a = merge_path(simt_, tile, layout, diagonal);
    STAGE(merge_1 + stage);
    if (p.order == ORDER_LIBRARY)
        merge_library(simt_, tile, layout, a, diagonal - a, items, p.E);
    else
        merge_model(simt_, tile, list_a, list_b, layout, a, diagonal - a, items, p.E);
    __syncthreads();
}

KERNEL(thrust_sort)
{
    int n = p.u * p.E, t = threadIdx.x, levels = sort_levels(p.w, p.u);
    int tiles = (p.n + n - 1) / n, block = blockIdx.x;
    struct merge_layout layout = layout_plain(n, n);
    SHARED(int, tile, n + (p.order == ORDER_LIBRARY));
    REGISTERS(int, items, p.E);

    GUARD(tile, n, p.order == ORDER_LIBRARY); /* a reload may read one word past the tile */
    out += block * n;
    if (p.launch == 0) {
        STAGE(load);
        load_blocked(simt_, tile, in + block * n, layout, items, p.u, p.E);
        STAGE(sort);
        sort_registers(items, p.E);
        for (int level = 0; level < levels; level++) {
            layout = layout_of_pair(layout, sort_pair_of(p.w, p.u, level + 1, t), p.E);
            if (p.order == ORDER_MODEL)
                UNROLL for (int j = 0; j < p.E; j++) out[t * p.E + j] = items[j];
            store_lists(simt_, tile, layout, items, p.E);
            STAGE(search_1 + 3 * level);
            const int *list = out + layout.first;
            merge_level(simt_, p, tile, list, list + layout.na, layout, items, 3 * level);
            STAGE(store_1 + 3 * level);
        }
    } else {
        int stage = 3 * levels + 4 * (p.launch - 1);
        struct sort_share share = sort_share_of(in, n, tiles, block, p.launch);
        layout.na = share.na;
        STAGE(search_1 + stage);
        load_tile(simt_, tile, share.a, share.b, layout, p.u, p.E);
        __syncthreads();
        STAGE(search_1 + stage + 1);
        merge_level(simt_, p, tile, share.a, share.b, layout, items, stage + 1);
        STAGE(search_1 + stage + 3);
    }
    store_tile(simt_, tile, out, layout, items, p.u, p.E);
}

#ifdef SIMT_HOST

PARAMS(thrust_sort) = {
    PARAM_W(32), PARAM_U(128), PARAM_E(15), PARAM_N(7680), PARAM_ORDER, {0},
};
AGREES(sort_params, w, u, E, n);

static bool stage_name(const void *params, int i, char name[64])
{
    return sort_stage_name(params, i, "merge", name);
}

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct thrust_sort *p = params;
    (void)error;
    return sort_shape(params, shape, p->order == ORDER_LIBRARY);
}

static bool prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error)
{
    const struct thrust_sort *p = params;
    (void)shape;
    return sort_input(params, p->order, input, in, error);
}

ENTRY(
    thrust_sort, .name = "thrust-sort", .summary = "the whole mergesort of Thrust",
    .look =
        "With --input worst, the merges of every level cost up to E passes per round. Compare "
        "the conflicts of a level with those of cf-sort, where only the searches have any. Where "
        "E is a power of two above 4, the library pads its store stages; here they are not padded. "
        "Its last tile has only the keys that are left; here it is filled up.",
    .source = "worstcase sections II-A, III-C; cfmerge section 5",
    .inputs = INPUT_ANY | INPUT_WORST | INPUT_HARDEST, .stage_name = stage_name, .shape = shape,
    .prepare = prepare, .check = sort_check, .launches = sort_launches, .launch = MEMBER(launch),
    .report = sort_report)

#endif
