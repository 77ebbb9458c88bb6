/* dual_scan.cu - the dual scan without the reversal of B (cfmerge section 3.1, Figure 7).
 *
 * A first step towards cf-merge: in round j each thread reads those of its words whose place in the
 * tile is j modulo E. Words that are E apart lie in different banks when w and E are coprime, so
 * neither the reads from A (slot 0) nor those from B (slot 1) have conflicts. But a thread may have
 * to read twice in one round and wait in another. For w = 12, E = 5 and a thread with
 * A_i in words 0 and 1 and B_i in words 30, 31, 32 reads twice in rounds 0 and 1, never in 3 and 4.
 * cf-merge reverses B, which gives every thread one word in every round.
 *
 * The words end up in 2 E registers, E of them empty: another cost of this scheme.
 */
#include "kernels/merge.h"

struct dual_scan {
    int w, u, blocks, E;
};

STAGES(load, search, gather, store)

BARE(dual_scan, {32, 512, ANY, 15}, {32, 256, ANY, 17})

enum { EMPTY = 0x7FFFFFFF }; /* sorts behind every word, or is equal to it */

KERNEL(dual_scan)
{
    int n = p.u * p.E, block = blockIdx.x, t = threadIdx.x;
    struct merge_layout layout = layout_plain(n, in[block]);
    SHARED(int, tile, n);
    SHARED(int, start, p.u);
    REGISTERS(int, items, 2 * p.E);

    STAGE(load);
    const int *list = in + p.blocks + block * n;
    load_tile(simt_, tile, list, list + layout.na, layout, p.u, p.E);
    __syncthreads();

    STAGE(search);
    int a = merge_path(simt_, tile, layout, t * p.E);
    int size_a = share_of_a(simt_, start, layout, a, t + 1 == p.u, shorter_list(layout));

    STAGE(gather);
    int b = place_b(layout, t * p.E - a);
    UNROLL for (int j = 0; j < p.E; j++)
    {
        int step_a = wrap(j - a % p.E, p.E), step_b = wrap(j - b % p.E, p.E);
        items[2 * j] = items[2 * j + 1] = EMPTY;
        ROUND(j);
        if (step_a < size_a)
            items[2 * j] = LOAD_TAG(tile, a + step_a, 'A');
        SLOT(1);
        if (step_b < p.E - size_a)
            items[2 * j + 1] = LOAD_TAG(tile, b + step_b, 'B');
    }
    sort_registers(items, 2 * p.E);
    __syncthreads();

    STAGE(store);
    store_tile(simt_, tile, out + block * n, layout, items, p.u, p.E);
}

#ifdef SIMT_HOST

PARAMS(dual_scan) = {PARAM_W(32), PARAM_U(512), PARAM_BLOCKS, PARAM_E(15), {0}};
AGREES(merge_params, w, u, blocks, E);

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct dual_scan *p = params;
    (void)error;
    return merge_shape(params, shape, (size_t)p->u);
}

ENTRY(
    dual_scan, .name = "dual-scan",
    .summary = "half of CF-Merge's idea: strided reads, B not reversed",
    .look =
        "Step through stage gather: with coprime w and E there are no bank conflicts, but in many "
        "rounds some threads read twice, from A and from B, while others wait. Compare with "
        "cf-merge.",
    .source = "cfmerge section 3.1, Figure 7", .inputs = INPUT_MERGE, .shape = shape,
    .prepare = merge_prepare, .check = merge_check)

#endif
