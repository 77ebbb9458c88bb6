/* branches.cu - rounds in which the lanes of a warp take different ways, for the layout of records.
 *
 * Each stage is a case of its own: lanes that share a row of the device buffer, that use more slots
 * than may share one, that come back to a round, that begin one twice.
 */
#include "kernels/kernel.h"

struct branches {
    int w, u, blocks, rounds;
};

STAGES(write, two_ways, four_ways, mixed, five_ways, back, twice)

KERNEL(branches)
{
    int t = threadIdx.x, words = p.u * 8, sum = 0;
    long long sums = 0;
    SHARED(int, tile, words);
    SHARED(long long, wide, p.u);

    STAGE(write);
    ROUND(0);
    for (int k = 0; k < 8; k++)
        STORE(tile, k * p.u + t, in[k * p.u + t]);
    STORE(wide, t, (long long)in[t] << 20 | t);
    __syncthreads();

    STAGE(two_ways); /* in the first round, then all the same */
    for (int r = 0; r < p.rounds; r++) {
        int which = in[(r * p.u + t) % words] % 2;
        ROUND(r);
        if (which) {
            SLOT(1);
            sum += LOAD(tile, (t * 5 + r) % words);
        } else {
            SLOT(0);
            sum += LOAD_TAG(tile, (t * 3 + r) % words, 'A');
        }
        if (r == 0) {
            SLOT(2);
            sum += LOAD(tile, t);
        }
    }

    STAGE(four_ways); /* and some lanes none; in every other round all */
    for (int r = 0; r < p.rounds; r++) {
        int which = in[(r * p.u + t) % words] % 5;
        ROUND(r);
        if (which < 4) {
            SLOT(which);
            sum += LOAD(tile, (t * (which + 1) + r) % words);
        }
    }

    STAGE(mixed); /* loads of 4 and of 8 bytes */
    for (int r = 0; r < p.rounds; r++) {
        int which = in[(r * p.u + t) % words] % 3;
        ROUND(r);
        if (which == 0) {
            SLOT(2);
            sums += LOAD(wide, (t + r) % p.u);
        } else if (which == 1) {
            SLOT(1);
            sum += LOAD(tile, (t + r) % words);
        }
    }

    STAGE(five_ways);
    for (int r = 0; r < p.rounds; r++) {
        int which = in[(r * p.u + t) % words] % 5;
        ROUND(r);
        SLOT(which);
        sum += LOAD(tile, (t * (which + 1) + r) % words);
    }

    STAGE(back); /* the rounds backwards */
    for (int r = p.rounds - 1; r >= 0; r--) {
        ROUND(r);
        SLOT(t % 2);
        sum += LOAD(tile, (t + r) % words);
    }

    STAGE(twice); /* a round in two goes */
    for (int go = 0; go < 2; go++) {
        ROUND(0);
        SLOT(go);
        sum += LOAD(tile, (t * 7 + go) % words);
    }
    out[(int)blockIdx.x * p.u + t] = (int)((unsigned)sum + (unsigned)sums);
}

#ifdef SIMT_HOST

PARAMS(branches) = {
    PARAM_W(32), PARAM_U(64), PARAM_BLOCKS, PARAM(rounds, 20, 1, 1000, "rounds of each stage"), {0},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct branches *p = params;
    (void)error;
    shape->in_words = (size_t)p->u * 8;
    shape->shared_bytes = shape->in_words * sizeof(int) + (size_t)p->u * sizeof(long long);
    shape->out_words = (size_t)p->u * (size_t)p->blocks;
    return true;
}

/* What is compared are the traces: of the result only that every block has the same. */
static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct branches *p = params;
    (void)shape;
    (void)in;
    for (int i = p->u; i < p->u * p->blocks; i++)
        if (out[i] != out[i % p->u])
            return error_set(error, "wrong result: sum %d is %d, not %d", i, out[i], out[i % p->u]);
    return true;
}

ENTRY(
    branches, .name = "branches", .summary = "lanes that take different ways",
    .look = "Nothing to see: the layout of a GPU's records is tried out. Host and GPU must agree.",
    .source = "none", .inputs = INPUT_RANDOM, .shape = shape, .prepare = prepare_numbers,
    .check = check)

#endif
