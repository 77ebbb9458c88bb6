/* stride.cu - every thread reads with a stride (cfmerge Figure 1).
 *
 * In round r thread t reads word (t s + r) mod (u s). A warp's w words lie in w / gcd(w, s) banks,
 * so a round has gcd(w, s) ways: none collide for w = 12, s = 5, and six collide for s = 6.
 */
#include "kernels/kernel.h"

struct stride {
    int w, u, blocks, s, rounds;
};

STAGES(setup, read)

KERNEL(stride)
{
    int t = threadIdx.x, words = p.u * p.s;
    unsigned sum = 0;
    SHARED(int, tile, words);

    UNROLL for (int k = 0; k < p.s; k++) FILL(tile, k * p.u + t, in[k * p.u + t]);
    __syncthreads();

    STAGE(read);
    UNROLL for (int r = 0; r < p.rounds; r++)
    {
        ROUND(r);
        sum += (unsigned)LOAD(tile, (t * p.s + r) % words);
    }
    out[(int)blockIdx.x * p.u + t] = (int)sum;
}

#ifdef SIMT_HOST

PARAMS(stride) = {
    PARAM_W(32),
    PARAM_U(32),
    PARAM_BLOCKS,
    PARAM(s, 2, 1, 1024, "stride in words"),
    PARAM(rounds, 1, 1, 65536, "rounds; each starts one word later"),
    {0},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct stride *p = params;
    (void)error;
    shape->in_words = (size_t)p->u * (size_t)p->s;
    shape->shared_bytes = shape->in_words * sizeof(int);
    shape->out_words = (size_t)p->u * (size_t)p->blocks;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct stride *p = params;
    for (int i = 0; i < p->u * p->blocks; i++) {
        uint32_t sum = 0;
        for (int r = 0; r < p->rounds; r++)
            sum += (uint32_t)in[((size_t)(i % p->u) * (size_t)p->s + (size_t)r) % shape->in_words];
        if (out[i] != (int)sum)
            return error_set(error, "wrong result: sum %d is %d, not %d", i, out[i], (int)sum);
    }
    return true;
}

ENTRY(stride, .name = "stride", .summary = "neighbouring threads read words that are s apart",
      .look =
          "The words that a warp reads fall into w / gcd(w, s) banks. Try s = 1, 2, 5, 6, 32 and "
          "see how many banks stay idle.",
      .source = "cfmerge Figure 1", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare_numbers,
      .check = check)

#endif
