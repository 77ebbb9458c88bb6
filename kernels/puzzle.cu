/* puzzle.cu - the two kernels of the GPU puzzle on bank conflicts.
 *
 * Both add 10 to a number on its way into shared memory and double it on its way out; they differ
 * in the word that thread t uses. sequential: word t, no conflicts. two-way: every other word, so
 * that lanes i and i + w/2 meet in a bank. With n = 8192 and 256 threads per block, that causes 256
 * conflicts in the stores and 256 in the loads.
 *
 * The puzzle's own index (2 t) mod u sends threads t and t + u/2 to the same word: a race, and a
 * different result. Here the second half of the block takes the odd words instead; the conflicts
 * are the same.
 */
#include "kernels/kernel.h"

struct puzzle {
    int w, u, variant, n;
};
enum { VARIANT_SEQUENTIAL, VARIANT_TWO_WAY };

STAGES(write, read)

BARE(puzzle, {32, 256, VARIANT_SEQUENTIAL, 8192}, {32, 256, VARIANT_TWO_WAY, 8192})

DEVICE int puzzle_word(const struct puzzle p, int t)
{
    if (p.variant == VARIANT_SEQUENTIAL)
        return t;
    return 2 * t < p.u ? 2 * t : 2 * t - p.u + (p.u % 2 == 0);
}

KERNEL(puzzle)
{
    int t = threadIdx.x, i = (int)blockIdx.x * p.u + t;
    int word = puzzle_word(p, t);
    SHARED(int, buffer, p.u);

    STAGE(write);
    if (i < p.n)
        STORE(buffer, word, (int)((unsigned)in[i] + 10u));
    __syncthreads();

    STAGE(read);
    if (i < p.n)
        out[i] = (int)((unsigned)LOAD(buffer, word) * 2u);
}

#ifdef SIMT_HOST

static const char *const variants[] = {"sequential", "two-way", NULL};
PARAMS(puzzle) = {
    PARAM_W(32),
    PARAM_U(256),
    PARAM_WORDS(variant, VARIANT_SEQUENTIAL, variants, "which word a thread uses"),
    PARAM(n, 8192, 1, 1 << 24, "numbers; n / u blocks, rounded up"),
    {0},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct puzzle *p = params;
    (void)error;
    shape->blocks = (p->n + p->u - 1) / p->u;
    shape->shared_bytes = (size_t)p->u * sizeof(int);
    shape->in_words = shape->out_words = (size_t)p->n;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    (void)params;
    for (size_t i = 0; i < shape->out_words; i++) {
        int expected = (int)(((uint32_t)in[i] + 10u) * 2u);
        if (out[i] != expected)
            return error_set(error, "wrong result: number %zu is %d, not %d", i, out[i], expected);
    }
    return true;
}

ENTRY(puzzle, .name = "puzzle",
      .summary = "the GPU puzzle's two kernels: same result, different banks",
      .look =
          "Compare variant=sequential with variant=two-way in the same round. Half of the banks "
          "serve two lanes each while the other half is idle.",
      .source = "puzzle", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare_numbers,
      .check = check)

#endif
