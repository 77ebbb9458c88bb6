/* vectors.cu - accesses through a pointer that is cast to a vector type, and stores that set up.
 *
 * Two FILLs store 8 bytes each, a load takes 16 bytes of the same ints, and one takes a single int.
 */
#include "kernels/kernel.h"

struct vectors {
    int w, u, blocks;
};

STAGES(setup, read)

/* What thread t makes of its four words. */
DEVICE int sum_of(CONTEXT, SHARED_PTR(const int) tile, int t)
{
    int4 four = LOAD((const int4 *)tile, t);
    int one = LOAD(SHARED_AT(tile, 4 * t), 2);
    return (int)((unsigned)four.x + 2u * (unsigned)four.y + 3u * (unsigned)four.z +
                 4u * (unsigned)four.w + 5u * (unsigned)one);
}

KERNEL(vectors)
{
    int t = threadIdx.x;
    SHARED(int, tile, 4 * p.u);

    for (int k = 0; k < 2; k++) {
        int2 two = {in[4 * t + 2 * k], in[4 * t + 2 * k + 1]};
        FILL((int2 *)tile, 2 * t + k, two);
    }
    __syncthreads();

    STAGE(read);
    ROUND(0);
    out[(int)blockIdx.x * p.u + t] = sum_of(simt_, tile, t);
}

#ifdef SIMT_HOST

PARAMS(vectors) = {PARAM_W(32), PARAM_U(64), PARAM_BLOCKS, {0}};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct vectors *p = params;
    (void)error;
    shape->in_words = (size_t)p->u * 4;
    shape->shared_bytes = shape->in_words * sizeof(int);
    shape->out_words = (size_t)p->u * (size_t)p->blocks;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct vectors *p = params;
    for (size_t i = 0; i < shape->out_words; i++) {
        const int *four = in + i % (size_t)p->u * 4;
        int sum = (int)((unsigned)four[0] + 2u * (unsigned)four[1] + 8u * (unsigned)four[2] +
                        4u * (unsigned)four[3]);
        if (out[i] != sum)
            return error_set(error, "wrong result: sum %zu is %d, not %d", i, out[i], sum);
    }
    return true;
}

ENTRY(vectors, .name = "vectors", .summary = "accesses through vector types",
      .look = "Nothing to see: accesses of several elements are tried. Host and GPU must agree.",
      .source = "none", .inputs = INPUT_RANDOM, .shape = shape, .prepare = prepare_numbers,
      .check = check)

#endif
