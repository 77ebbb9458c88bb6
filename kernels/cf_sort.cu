/* cf_sort.cu - the whole mergesort with CF-Merge at every level (cfmerge section 5).
 *
 * This is thrust-sort with the lists of a level stored as in cf-merge: B after A in reverse,
 * partitions shifted. The store of one level already puts every word where the next level needs it.
 * Gather and store have no conflicts at any level, for any w, E and input, even where a warp works on
 * several pairs of lists: in round j its threads use the w of the warp's w E words whose numbers are
 * j modulo E.
 */
#include "kernels/sort.h"

struct cf_sort {
    int w, u, E, n, launch;
};

STAGES(load, sort, search_1, gather_1, store_1)

BARE(cf_sort, {32, 512, 15, ANY, ANY}, {32, 256, 17, ANY, ANY}, {32, 256, 16, ANY, ANY})

/* One level: search and gather. `longest` is the length of the block's longest list. */
DEVICE void gather_level(CONTEXT, const struct cf_sort p, SHARED_PTR(const int) tile,
                         SHARED_PTR(int) start, const struct merge_layout layout, bool last,
                         int longest, int *items, int stage)
{
    int diagonal = (int)threadIdx.x * p.E - layout.first;
    int a = merge_path(simt_, tile, layout, diagonal);
    int size_a = share_of_a(simt_, start, layout, a, last, longest);
    STAGE(gather_1 + stage);
    gather(simt_, tile, layout, a, diagonal - a, size_a, items, p.E);
    sort_registers(items, p.E);
    __syncthreads();
}

KERNEL(cf_sort)
{
    int n = p.u * p.E, t = threadIdx.x, levels = sort_levels(p.w, p.u);
    int tiles = (p.n + n - 1) / n, block = blockIdx.x;
    struct merge_layout layout = layout_conflict_free(n, n, p.w, p.E);
    SHARED(int, tile, n);
    SHARED(int, start, p.u);
    REGISTERS(int, items, p.E);

    if (p.launch == 0) {
        STAGE(load);
        load_blocked(simt_, tile, in + block * n, layout, items, p.u, p.E);
        STAGE(sort);
        sort_registers(items, p.E);
        for (int level = 0; level < levels; level++) {
            struct sort_pair pair = sort_pair_of(p.w, p.u, level + 1, t);
            layout = layout_of_pair(layout, pair, p.E);
            store_lists(simt_, tile, layout, items, p.E);
            STAGE(search_1 + 3 * level);
            gather_level(simt_, p, tile, start, layout, t + 1 == pair.end,
                         sort_list_threads(p.w, level + 1) * p.E, items, 3 * level);
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
        gather_level(simt_, p, tile, start, layout, t + 1 == p.u, n, items, stage + 1);
        STAGE(search_1 + stage + 3);
    }
    store_tile(simt_, tile, out + block * n, layout, items, p.u, p.E);
}

#ifdef SIMT_HOST

PARAMS(cf_sort) = {PARAM_W(32), PARAM_U(128), PARAM_E(15), PARAM_N(7680), {0}};
AGREES(sort_params, w, u, E, n);

static bool stage_name(const void *params, int i, char name[64])
{
    return sort_stage_name(params, i, "gather", name);
}

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct cf_sort *p = params;
    shape->partition = layout_conflict_free(0, 0, p->w, p->E).partition;
    (void)error;
    return sort_shape(params, shape, (size_t)p->u);
}

ENTRY(
    cf_sort, .name = "cf-sort", .summary = "the whole mergesort with CF-Merge at every level",
    .look =
        "Gather and store have one way in every round of every level, whatever the input. The only "
        "remaining conflicts are those of the searches: see the lines under the table.",
    .source = "cfmerge section 5", .inputs = INPUT_ANY | INPUT_WORST | INPUT_HARDEST,
    .stage_name = stage_name, .shape = shape, .prepare = sort_prepare, .check = sort_check,
    .launches = sort_launches, .launch = MEMBER(launch), .report = sort_report)

#endif
