/* cf_merge.cu - CF-Merge: the same merge without bank conflicts (cfmerge section 3).
 *
 * B is stored after A in reverse (pi), and partitions are shifted (rho, merge.h). Then in round j all
 * threads of a warp read words that are E apart: thread i reads A_i upwards and B_i downwards,
 * starting in round a_i mod E, so that it needs one word in every round. For w = 12, E = 5 and a
 * thread with a_i = 3, |A_i| = 2: rounds 0 .. 4 read B_i[2], B_i[1], B_i[0], A_i[0], A_i[1]. The
 * words end up in registers as a rotated bitonic sequence, which is merged there.
 *
 * Load, gather and store have no conflicts, for any w, E and input. The search before the gather
 * still has some.
 */
#define SIMT_TRACED_SETS 1 /* u = 512, E = 15: timed by `bench` */
#include "kernels/merge.h"

struct cf_merge {
    int w, u, blocks, E;
};

STAGES(load, search, gather, store)

BARE(cf_merge, {32, 512, ANY, 15}, {32, 256, ANY, 17}, {32, 256, ANY, 8}, {32, 256, ANY, 16},
     {32, 64, ANY, 15})

KERNEL(cf_merge)
{
    int n = p.u * p.E, block = blockIdx.x, t = threadIdx.x;
    struct merge_layout layout = layout_conflict_free(n, in[block], p.w, p.E);
    const int *list = in + p.blocks + block * n;
    SHARED(int, tile, n);
    SHARED(int, start, p.u);
    REGISTERS(int, items, p.E);

    STAGE(load);
    load_tile(simt_, tile, list, list + layout.na, layout, p.u, p.E);
    __syncthreads();

    STAGE(search);
    int a = merge_path(simt_, tile, layout, t * p.E);
    int b = t * p.E - a;
    int size_a = share_of_a(simt_, start, layout, a, t + 1 == p.u, shorter_list(layout));

    STAGE(gather);
    gather(simt_, tile, layout, a, b, size_a, items, p.E);
    sort_registers(items, p.E);
    __syncthreads();

    STAGE(store);
    store_tile(simt_, tile, out + block * n, layout, items, p.u, p.E);
}

#ifdef SIMT_HOST

PARAMS(cf_merge) = {PARAM_W(32), PARAM_U(512), PARAM_BLOCKS, PARAM_E(15), {0}};
AGREES(merge_params, w, u, blocks, E);

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct cf_merge *p = params;
    (void)error;
    shape->partition = layout_conflict_free(0, 0, p->w, p->E).partition;
    return merge_shape(params, shape, (size_t)p->u);
}

ENTRY(cf_merge, .name = "cf-merge", .summary = "CF-Merge: the same merge without bank conflicts",
      .look = "Step through stage gather: in every round a warp reads each bank once, whatever the "
              "input. "
              "Then look at stage search, where conflicts remain.",
      .source = "cfmerge section 3", .inputs = INPUT_MERGE, .shape = shape,
      .prepare = merge_prepare, .check = merge_check)

#endif
