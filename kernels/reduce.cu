/* reduce.cu - the sum of u words in log2(u) steps, in two variants.
 *
 * interleaved: in step s thread t adds word 2^s (2 t + 1) to word 2^s 2 t; the lanes drift apart
 * and meet in fewer and fewer banks. sequential: neighbouring threads add the upper half of the
 * remaining words to the lower half, on neighbouring words: no conflicts. (The puzzle's text calls
 * the stride of the second variant a problem; it is not.)
 */
#include "kernels/kernel.h"

struct reduce {
    int w, u, blocks, variant;
};
enum { VARIANT_INTERLEAVED, VARIANT_SEQUENTIAL };

STAGES(load, step)

/* Not the interleaved one: nvcc would read two neighbouring words at once. */
BARE(reduce, {32, 256, ANY, VARIANT_SEQUENTIAL})

/* Steps until one of u words is left. */
DEVICE int reduce_steps(int u)
{
    int steps = 0;
    while ((u - 1) >> steps)
        steps++;
    return steps;
}

KERNEL(reduce)
{
    int t = threadIdx.x, left = p.u, steps = reduce_steps(p.u);
    int tree = p.variant == VARIANT_INTERLEAVED;
    SHARED(int, tile, p.u);

    STAGE(load);
    STORE(tile, t, in[(int)blockIdx.x * p.u + t]);
    __syncthreads();
    for (int s = 0; s < steps; s++) {
        int half = (left + 1) / 2;
        int to = tree ? t << (s + 1) : t;
        int from = tree ? to + (1 << s) : t + half;
        STAGE(step + s);
        if (from < (tree ? p.u : left)) {
            int sum = (int)((unsigned)LOAD(tile, to) + (unsigned)LOAD(tile, from));
            STORE(tile, to, sum);
        }
        left = half;
        __syncthreads();
    }
    if (t == 0) {
        STAGE(step + (steps - 1));
        ROUND(1);
        out[blockIdx.x] = LOAD(tile, 0);
    }
}

#ifdef SIMT_HOST

static const char *const variants[] = {"interleaved", "sequential", NULL};
PARAMS(reduce) = {
    PARAM_W(32),  PARAM_U(256),
    PARAM_BLOCKS, PARAM_WORDS(variant, VARIANT_INTERLEAVED, variants, "which words a thread adds"),
    {0},
};

static bool stage_name(const void *params, int i, char name[64])
{
    const struct reduce *p = params;
    snprintf(name, 64, i ? "step-%d" : "load", i - 1);
    return i <= reduce_steps(p->u) || i <= 1;
}

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct reduce *p = params;
    (void)error;
    shape->shared_bytes = (size_t)p->u * sizeof(int);
    shape->in_words = (size_t)p->u * (size_t)p->blocks;
    shape->out_words = (size_t)p->blocks;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct reduce *p = params;
    for (size_t block = 0; block < shape->out_words; block++) {
        unsigned sum = 0;
        for (int i = 0; i < p->u; i++)
            sum += (unsigned)in[block * (size_t)p->u + (size_t)i];
        if (out[block] != (int)sum)
            return error_set(error, "wrong result: the sum of block %zu is %d, not %d", block,
                             out[block], (int)sum);
    }
    return true;
}

ENTRY(
    reduce, .name = "reduce", .summary = "the sum of u words, with strides or without",
    .look =
        "With variant=interleaved, the ways double from step to step, until too few lanes are left "
        "to meet. With variant=sequential, neighbouring lanes always read neighbouring words.",
    .source = "puzzle", .inputs = INPUT_ANY, .shape = shape, .stage_name = stage_name,
    .prepare = prepare_numbers, .check = check)

#endif
