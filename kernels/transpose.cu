/* transpose.cu - a w x w matrix is written by rows and read by columns, in five variants.
 *
 * naive: element (r, c) is in word r w + c. The writes are conflict-free, but in a read all lanes use
 * one bank (w ways). padded: rows of w + 1 words; a column now visits all banks. swizzled: word
 * r w + (c xor r). diagonal: word r w + (c + r) mod w. in-place: the matrix is transposed in place
 * by swaps along diagonals (bcfsort section 2.1), then read as it was written.
 */
#include "kernels/matrix.h"

struct transpose {
    int w, u, blocks, variant;
};
enum { VARIANT_NAIVE, VARIANT_PADDED, VARIANT_SWIZZLED, VARIANT_DIAGONAL, VARIANT_IN_PLACE };

STAGES(write, read)

BARE(transpose, {32, 1024, 1, VARIANT_NAIVE}, {32, 1024, 1, VARIANT_PADDED},
     {32, 1024, 1, VARIANT_SWIZZLED}, {32, 1024, 1, VARIANT_DIAGONAL},
     {32, 32, 1, VARIANT_IN_PLACE})

/* The word of the element in row r, column c. */
DEVICE int transpose_word(const struct transpose p, int r, int c)
{
    if (p.variant == VARIANT_PADDED)
        return r * (p.w + 1) + c;
    if (p.variant == VARIANT_SWIZZLED)
        return r * p.w + (c ^ r);
    if (p.variant == VARIANT_DIAGONAL)
        return r * p.w + (c + r) % p.w;
    return r * p.w + c;
}

KERNEL(transpose)
{
    int lane = (int)threadIdx.x % p.w, warp = (int)threadIdx.x / p.w, warps = p.u / p.w;
    const int *from = in + (int)blockIdx.x * p.w * p.w;
    int *to = out + (int)blockIdx.x * p.w * p.w;
    SHARED(int, tile, p.w *(p.w + (p.variant == VARIANT_PADDED)));

    STAGE(write); /* every warp its rows, one in each round */
    for (int j = 0; j * warps + warp < p.w; j++) {
        int r = j * warps + warp;
        ROUND(j);
        STORE(tile, transpose_word(p, r, lane), from[r * p.w + lane]);
    }
    __syncthreads();

    STAGE(read);
    int round = 0;
    if (p.variant == VARIANT_IN_PLACE) {
        if (warp == 0)
            transpose_in_place(simt_, tile, p.w, lane, 0);
        round = transpose_rounds(p.w);
        __syncthreads();
    }
    for (int j = 0; j * warps + warp < p.w; j++) {
        int r = j * warps + warp;
        ROUND(round + j);
        if (p.variant == VARIANT_IN_PLACE)
            to[r * p.w + lane] = LOAD(tile, r * p.w + lane);
        else
            to[r * p.w + lane] = LOAD(tile, transpose_word(p, lane, r));
    }
}

#ifdef SIMT_HOST

static const char *const variants[] = {"naive", "padded", "swizzled", "diagonal", "in-place", NULL};
PARAMS(transpose) = {
    PARAM_W(32),  PARAM_U(32),
    PARAM_BLOCKS, PARAM_WORDS(variant, VARIANT_NAIVE, variants, "where an element lies"),
    {0},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct transpose *p = params;
    size_t words = (size_t)p->w * (size_t)p->w;
    if (p->variant == VARIANT_SWIZZLED && (p->w & (p->w - 1)))
        return error_set(error,
                         "transpose: variant=swizzled needs a power of two for w, not %d; "
                         "variant=diagonal takes any w",
                         p->w);
    shape->shared_bytes = (words + (p->variant == VARIANT_PADDED ? (size_t)p->w : 0)) * sizeof(int);
    shape->in_words = shape->out_words = words * (size_t)p->blocks;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct transpose *p = params;
    size_t w = (size_t)p->w;
    for (size_t i = 0; i < shape->out_words; i++) {
        size_t block = i / (w * w), r = i / w % w, c = i % w;
        int expected = in[block * w * w + c * w + r];
        if (out[i] != expected)
            return error_set(error, "wrong result: word %zu is %d, not %d", i, out[i], expected);
    }
    return true;
}

ENTRY(transpose, .name = "transpose", .summary = "a matrix written by rows, read by columns",
      .look = "With variant=naive, each access of stage read uses one bank. Padding, the two "
              "permutations and the swaps in place each spread it over all banks.",
      .source = "bcfsort section 2.1, puzzle", .inputs = INPUT_ANY, .shape = shape,
      .prepare = prepare_numbers, .check = check)

#endif
