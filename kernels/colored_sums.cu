/* colored_sums.cu - colored prefix sums of a whole array, in three phases (bcfsort section 1.2 and
 * appendix A).
 *
 * out[k] is the sum of the elements up to k that have the same color as k; an element's color is its
 * value mod d. The array is divided into one tile for each of P blocks of one warp.
 *
 * 1. Every block sums its tile by color: stage reduce adds to each lane's counters, page by page, and
 *    in stage total one lane per color sums these counters over the lanes.
 * 2. For each color, one block computes prefix sums over the blocks, in global memory.
 * 3. Every block goes through its tile again, page by page, starting from those sums. Stages count to
 *    offsets are those of colored-scan, and each page starts from the sums of the page before.
 *
 * With variant=naive, stages total and scan have d ways, so the time grows with the number of colors,
 * though it need not. With conflict-free, the counters are transposed first.
 */
#include "kernels/colored.h"

#include <limits.h>
#include <stdlib.h>

struct colored_sums {
    int w, u, blocks, n, colors, variant;
    int launch;
};

STAGES(reduce, total, count, transpose, scan, offsets)

/* Any number of colors: a constant one would find the color in its own time. */
BARE(colored_sums, {32, 32, ANY, ANY, ANY, VARIANT_NAIVE, ANY},
     {32, 32, ANY, ANY, ANY, VARIANT_CONFLICT_FREE, ANY})

/* Elements of a block's tile: whole pages. */
DEVICE int tile_words(const struct colored_sums p)
{
    int page = p.w * CHUNK, pages = (p.n + page - 1) / page;
    return (pages + p.blocks - 1) / p.blocks * page;
}

/* Phase 2 leaves in sums[c blocks + b] what of color c comes before block b's tile. */
DEVICE void scan_blocks(const int *in, int *out, int blocks, int color)
{
    int before = 0;
    for (int b = 0; b < blocks; b++) {
        out[color * blocks + b] = before;
        before = (int)((unsigned)before + (unsigned)in[color * blocks + b]);
    }
}

KERNEL(colored_sums)
{
    int lane = threadIdx.x, block = blockIdx.x, page = p.w * CHUNK;
    int first = block * tile_words(p),
        end = first + tile_words(p) < p.n ? first + tile_words(p) : p.n;
    bool turned = p.variant == VARIANT_CONFLICT_FREE;
    int columns = turned ? p.w : p.colors, turns = transpose_rounds(p.w);
    SHARED(int, sums, p.w *columns);

    if (p.launch < 2)
        for (int k = first + lane; k < end; k += p.w)
            out[k] = in[k];
    if (p.launch == 0) {
        STAGE(reduce);
        clear_counters(simt_, sums, p.w, columns, lane, 0);
        for (int at = first, round = columns; at < end; at += page, round += CHUNK)
            scan_chunk(simt_, sums, p.w, p.colors, in, NULL, at, end, lane, round);
        SYNC_WARP(p.w);
        STAGE(total);
        if (turned)
            transpose_in_place(simt_, sums, p.w, lane, 0);
        if (lane < p.colors)
            out[p.n + lane * p.blocks + block] =
                scan_color(simt_, sums, p.w, turned, lane, 0, turned ? turns : 0);
    } else if (p.launch == 1) {
        if (block == 0 && lane < p.colors)
            scan_blocks(in + p.n, out + p.n, p.blocks, lane);
    } else {
        int before = lane < p.colors ? in[p.n + lane * p.blocks + block] : 0;
        for (int at = first, i = 0; at < end; at += page, i++) {
            STAGE(count);
            clear_counters(simt_, sums, p.w, columns, lane, i * (columns + CHUNK));
            scan_chunk(simt_, sums, p.w, p.colors, in, NULL, at, end, lane,
                       i * (columns + CHUNK) + columns);
            SYNC_WARP(p.w);
            STAGE(transpose);
            if (turned)
                transpose_in_place(simt_, sums, p.w, lane, 2 * i * turns);
            STAGE(scan);
            if (lane < p.colors)
                before = scan_color(simt_, sums, p.w, turned, lane, before, i * p.w);
            SYNC_WARP(p.w);
            STAGE(transpose);
            if (turned)
                transpose_in_place(simt_, sums, p.w, lane, (2 * i + 1) * turns);
            STAGE(offsets);
            scan_chunk(simt_, sums, p.w, p.colors, in, out, at, end, lane, i * CHUNK);
            SYNC_WARP(p.w);
        }
    }
}

#ifdef SIMT_HOST

PARAMS(colored_sums) = {
    PARAM_W(32),
    PARAM(u, 0, 0, MAX_WARP, "threads per block: w, or 0 for the same"),
    PARAM(blocks, 4, 1, 65535, "P: thread blocks"),
    PARAM(n, 4096, 1, 1 << 24, "elements"),
    PARAM(colors, 8, 1, MAX_WARP, "d: colors, at most w"),
    PARAM_WORDS(variant, VARIANT_NAIVE, colored_variants, "how the sums of a color are scanned"),
    {0},
};

static int launches(const void *params)
{
    (void)params;
    return 3;
}

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct colored_sums *p = params;
    int pages = tile_words(*p) / (p->w * CHUNK);
    int columns = p->variant == VARIANT_CONFLICT_FREE ? p->w : p->colors;
    if (!colors_fit("colored-sums", p->colors, p->w, error))
        return false;
    if (p->u && p->u != p->w)
        return error_set(error, "colored-sums: u is %d, but a block is one warp of w = %d; omit u",
                         p->u, p->w);
    if (pages * (2 * p->w + CHUNK) > MAX_ROUNDS)
        return error_set(error,
                         "colored-sums: a tile of %d pages takes more than %d rounds; choose more "
                         "blocks or a smaller n",
                         pages, MAX_ROUNDS);
    shape->threads = p->w;
    shape->shared_bytes = (size_t)(p->w * columns) * sizeof(int);
    shape->in_words = shape->out_words = (size_t)p->n + (size_t)p->colors * (size_t)p->blocks;
    return true;
}

static bool prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error)
{
    const struct colored_sums *p = params;
    (void)shape;
    if (!input_numbers(input, in, (size_t)p->n, error))
        return false;
    for (int i = 0; i < p->n; i++)
        in[i] &= INT_MAX;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct colored_sums *p = params;
    unsigned sums[MAX_WARP] = {0};
    (void)shape;
    for (int i = 0; i < p->n; i++) {
        unsigned *sum = &sums[in[i] % p->colors];
        *sum += (unsigned)in[i];
        if (out[i] != (int)*sum)
            return error_set(error, "wrong result: sum %d is %d, not %d", i, out[i], (int)*sum);
    }
    return true;
}

ENTRY(colored_sums, .name = "colored-sums",
      .summary = "colored prefix sums of a whole array, in three phases",
      .look =
          "Compare variant=naive with variant=conflict-free for 1, 8 and 16 colors: the number of "
          "colors matters only in stages total and scan, and only for variant=naive.",
      .source = "bcfsort section 1.2, appendix A", .inputs = INPUT_ANY, .launches = launches,
      .launch = MEMBER(launch), .shape = shape, .prepare = prepare, .check = check)

#endif
