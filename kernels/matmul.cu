/* matmul.cu - one tile of a matrix product, C = A B, all w x w.
 *
 * Warp r computes row r of C, lane c its column c. In round k a warp reads A[r][k], one word for
 * all lanes (multicast), and B[k][c], a row of neighbouring words. Neither read conflicts. (The
 * puzzle's text says that this needs padding; it does not.) variant=transposed stores B by columns,
 * so the lanes read B with stride w: w ways.
 */
#include "kernels/kernel.h"

struct matmul {
    int w, u, blocks, variant;
};
enum { VARIANT_PLAIN, VARIANT_TRANSPOSED };

STAGES(load, multiply)

KERNEL(matmul)
{
    int r = (int)threadIdx.x / p.w, c = (int)threadIdx.x % p.w, words = p.w * p.w;
    const int *from = in + (int)blockIdx.x * 2 * words;
    unsigned sum = 0;
    SHARED(int, a, words);
    SHARED(int, b, words);

    STAGE(load);
    STORE_TAG(a, r * p.w + c, from[r * p.w + c], 'A');
    STORE_TAG(b, r * p.w + c, from[words + (p.variant ? c * p.w + r : r * p.w + c)], 'B');
    __syncthreads();

    STAGE(multiply);
    for (int k = 0; k < p.w; k++) {
        ROUND(k);
        sum += (unsigned)LOAD_TAG(a, r * p.w + k, 'A') *
               (unsigned)LOAD_TAG(b, p.variant ? c * p.w + k : k * p.w + c, 'B');
    }
    out[(int)blockIdx.x * words + r * p.w + c] = (int)sum;
}

#ifdef SIMT_HOST

static const char *const variants[] = {"plain", "transposed", NULL};
PARAMS(matmul) = {
    PARAM_W(16),  PARAM(u, 0, 0, MAX_THREADS, "threads per block: w w, or 0 for the same"),
    PARAM_BLOCKS, PARAM_WORDS(variant, VARIANT_PLAIN, variants, "B by rows, or by columns"),
    {0},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct matmul *p = params;
    size_t words = (size_t)p->w * (size_t)p->w;
    if (p->u && p->u != p->w * p->w)
        return error_set(error, "matmul: u is %d, but a block has w w = %d threads; omit u", p->u,
                         p->w * p->w);
    shape->threads = p->w * p->w;
    shape->shared_bytes = 2 * words * sizeof(int);
    shape->in_words = 2 * words * (size_t)p->blocks;
    shape->out_words = words * (size_t)p->blocks;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct matmul *p = params;
    size_t w = (size_t)p->w;
    for (size_t i = 0; i < shape->out_words; i++) {
        size_t block = i / (w * w), r = i / w % w, c = i % w;
        const int *a = in + block * 2 * w * w, *b = a + w * w;
        unsigned sum = 0;
        for (size_t k = 0; k < w; k++)
            sum += (unsigned)a[r * w + k] * (unsigned)b[k * w + c];
        if (out[i] != (int)sum)
            return error_set(error, "wrong result: element %zu is %d, not %d", i, out[i], (int)sum);
    }
    return true;
}

ENTRY(
    matmul, .name = "matmul", .summary = "a tile of a matrix product",
    .look =
        "In each round, slot 0 reads one word for the whole warp and slot 1 a row: one pass each. "
        "variant=transposed shows what a column costs.",
    .source = "puzzle", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare_numbers,
    .check = check)

#endif
