/* stencil.cu - each thread sums the words up to `radius` places away, in shared memory.
 *
 * In round k each thread reads the word k - radius places after its own. A warp reads w neighbouring
 * words, which never conflict, wherever they begin. coarse=E gives each thread E consecutive outputs
 * instead of one: then lanes are E words apart and have gcd(w, E) ways.
 */
#include "kernels/kernel.h"

struct stencil {
    int w, u, blocks, radius, coarse;
};

STAGES(load, apply)

/* Not coarse = 4: nvcc would read four neighbouring words at once, and each only once. */
BARE(stencil, {32, 256, ANY, 3, 1})

KERNEL(stencil)
{
    int t = threadIdx.x, outputs = p.u * p.coarse, words = outputs + 2 * p.radius;
    const int *from = in + (int)blockIdx.x * words;
    SHARED(int, tile, words);

    STAGE(load);
    for (int j = 0; j * p.u + t < words; j++) {
        ROUND(j);
        STORE(tile, j * p.u + t, from[j * p.u + t]);
    }
    __syncthreads();

    STAGE(apply);
    for (int e = 0; e < p.coarse; e++) {
        unsigned sum = 0;
        for (int k = 0; k <= 2 * p.radius; k++) {
            ROUND(e * (2 * p.radius + 1) + k);
            sum += (unsigned)LOAD(tile, t * p.coarse + e + k);
        }
        out[(int)blockIdx.x * outputs + t * p.coarse + e] = (int)sum;
    }
}

#ifdef SIMT_HOST

PARAMS(stencil) = {
    PARAM_W(32),
    PARAM_U(64),
    PARAM_BLOCKS,
    PARAM(radius, 2, 0, 64, "neighbours on each side"),
    PARAM(coarse, 1, 1, 64, "outputs per thread"),
    {0},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct stencil *p = params;
    size_t outputs = (size_t)p->u * (size_t)p->coarse, words = outputs + 2 * (size_t)p->radius;
    (void)error;
    shape->shared_bytes = words * sizeof(int);
    shape->in_words = words * (size_t)p->blocks;
    shape->out_words = outputs * (size_t)p->blocks;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct stencil *p = params;
    size_t outputs = (size_t)p->u * (size_t)p->coarse, words = outputs + 2 * (size_t)p->radius;
    for (size_t i = 0; i < shape->out_words; i++) {
        const int *first = in + i / outputs * words + i % outputs;
        unsigned sum = 0;
        for (int k = 0; k <= 2 * p->radius; k++)
            sum += (unsigned)first[k];
        if (out[i] != (int)sum)
            return error_set(error, "wrong result: sum %zu is %d, not %d", i, out[i], (int)sum);
    }
    return true;
}

ENTRY(stencil, .name = "stencil", .summary = "sums of neighbouring words",
      .look =
          "The words that a warp reads slide over the banks from round to round, and no two are in "
          "the same bank. With coarse=2 or 4 the lanes are farther apart, and some meet.",
      .source = "puzzle", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare_numbers,
      .check = check)

#endif
