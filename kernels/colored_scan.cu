/* colored_scan.cu - colored prefix sums of one page per warp (bcfsort appendix A, third phase).
 *
 * Each element has one of d colors (its value mod d); out[k] is the sum of the elements up to k
 * that have the same color as k. Each lane takes CHUNK neighbouring elements and sums them per color
 * into counters in its own bank (stage count): color c of lane t is word c w + t. Then one lane per
 * color scans the sums of its color over the lanes (stage scan), and each lane goes through its chunk
 * again, starting from its offsets (stage offsets).
 *
 * naive: in round t, all d scanning lanes read bank t: d ways. conflict-free: the counters are a
 * w x w matrix that is transposed before the scan and back after it, so that each color has its own
 * bank.
 */
#include "kernels/colored.h"

#include <string.h>

struct colored_scan {
    int w, u, blocks, colors, variant;
};

STAGES(count, transpose, scan, offsets)

KERNEL(colored_scan)
{
    int lane = (int)threadIdx.x % p.w, warp = (int)threadIdx.x / p.w;
    int page = ((int)blockIdx.x * (p.u / p.w) + warp) * p.w * CHUNK, end = page + p.w * CHUNK;
    bool turned = p.variant == VARIANT_CONFLICT_FREE;
    int columns = turned ? p.w : p.colors; /* only a square can be transposed in place */
    SHARED(int, counters, p.u *columns);
    SHARED_PTR(int) sums = SHARED_AT(counters, warp * p.w * columns);

    STAGE(count);
    clear_counters(simt_, sums, p.w, columns, lane, 0);
    scan_chunk(simt_, sums, p.w, p.colors, in, NULL, page, end, lane, columns);
    SYNC_WARP(p.w);

    STAGE(transpose);
    if (turned)
        transpose_in_place(simt_, sums, p.w, lane, 0);

    STAGE(scan);
    if (lane < p.colors)
        scan_color(simt_, sums, p.w, turned, lane, 0, 0);
    SYNC_WARP(p.w);

    STAGE(transpose);
    if (turned)
        transpose_in_place(simt_, sums, p.w, lane, transpose_rounds(p.w));

    STAGE(offsets);
    scan_chunk(simt_, sums, p.w, p.colors, in, out, page, end, lane, 0);
}

#ifdef SIMT_HOST

PARAMS(colored_scan) = {
    PARAM_W(32),
    PARAM_U(32),
    PARAM_BLOCKS,
    PARAM(colors, 8, 1, MAX_WARP, "colors, at most w"),
    PARAM_WORDS(variant, VARIANT_NAIVE, colored_variants, "how the sums of a color are scanned"),
    {0},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct colored_scan *p = params;
    size_t u = (size_t)p->u;
    if (!colors_fit("colored-scan", p->colors, p->w, error))
        return false;
    shape->shared_bytes =
        u * (size_t)(p->variant == VARIANT_CONFLICT_FREE ? p->w : p->colors) * sizeof(int);
    shape->in_words = shape->out_words = u * CHUNK * (size_t)p->blocks;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct colored_scan *p = params;
    unsigned sums[MAX_WARP] = {0};
    for (size_t i = 0; i < shape->out_words; i++) {
        if (i % ((size_t)p->w * CHUNK) == 0)
            memset(sums, 0, sizeof sums);
        unsigned *sum = &sums[in[i] % p->colors];
        *sum += (unsigned)in[i];
        if (out[i] != (int)*sum)
            return error_set(error, "wrong result: sum %zu is %d, not %d", i, out[i], (int)*sum);
    }
    return true;
}

ENTRY(colored_scan, .name = "colored-scan", .summary = "prefix sums of each of d colors",
      .look = "With variant=naive, stage scan has one lane per color, all in one bank. With "
              "variant=conflict-free, the two transpositions give each color its own bank.",
      .source = "bcfsort appendix A", .inputs = INPUT_ANY, .shape = shape,
      .prepare = prepare_naturals, .check = check)

#endif
