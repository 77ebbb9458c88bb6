/* broadcast.cu - several lanes read one word: multicast, not a conflict (puzzle, "broadcast
 * exception").
 *
 * A bank serves one word per pass, to any number of lanes. one-word: all lanes read word 0.
 * half-half: the lower half of a warp reads word 0, the upper half word w/2. per-bank: lanes i and
 * i + w/2 share the word in bank i. Each of these takes one pass. random: each lane reads one of
 * 4 w words; now a bank may have to serve two different words, and that is a conflict.
 */
#include "kernels/kernel.h"

struct broadcast {
    int w, u, blocks, pattern;
};
enum { PATTERN_ONE_WORD, PATTERN_HALF_HALF, PATTERN_PER_BANK, PATTERN_RANDOM };

STAGES(setup, read)

BARE(broadcast, {32, 32, ANY, PATTERN_ONE_WORD}, {32, 32, ANY, PATTERN_HALF_HALF},
     {32, 32, ANY, PATTERN_PER_BANK}, {32, 32, ANY, PATTERN_RANDOM})

/* The word that thread t of a block reads; `chosen` is its random word. */
DEVICE int broadcast_word(const struct broadcast p, int t, int chosen)
{
    int lane = t % p.w, half = (p.w + 1) / 2;
    if (p.pattern == PATTERN_ONE_WORD)
        return 0;
    if (p.pattern == PATTERN_HALF_HALF)
        return lane < half ? 0 : half;
    if (p.pattern == PATTERN_PER_BANK)
        return lane % half;
    return chosen;
}

KERNEL(broadcast)
{
    int t = threadIdx.x, i = (int)blockIdx.x * p.u + t, words = 4 * p.w;
    SHARED(int, tile, words);

    for (int k = t; k < words; k += p.u)
        FILL(tile, k, 7 * k);
    __syncthreads();

    STAGE(read);
    ROUND(0);
    out[i] = LOAD(tile, broadcast_word(p, t, in[i]));
}

#ifdef SIMT_HOST

static const char *const patterns[] = {"one-word", "half-half", "per-bank", "random", NULL};
PARAMS(broadcast) = {
    PARAM_W(32),  PARAM_U(32),
    PARAM_BLOCKS, PARAM_WORDS(pattern, PATTERN_HALF_HALF, patterns, "which words the lanes share"),
    {0},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct broadcast *p = params;
    (void)error;
    shape->shared_bytes = (size_t)p->w * 4 * sizeof(int);
    shape->in_words = shape->out_words = (size_t)p->u * (size_t)p->blocks;
    return true;
}

static bool prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error)
{
    const struct broadcast *p = params;
    uint64_t state = input->seed;
    (void)error;
    for (size_t i = 0; i < shape->in_words; i++)
        in[i] = random_below(&state, 4 * p->w);
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct broadcast *p = params;
    for (size_t i = 0; i < shape->out_words; i++) {
        int half = (p->w + 1) / 2, lane = (int)(i % (size_t)p->w);
        const int word[] = {0, lane >= half ? half : 0, lane >= half ? lane - half : lane, in[i]};
        if (out[i] != 7 * word[p->pattern])
            return error_set(error, "wrong result: thread %zu read %d, not %d", i, out[i],
                             7 * word[p->pattern]);
    }
    return true;
}

ENTRY(broadcast, .name = "broadcast", .summary = "several lanes read one word: no conflict",
      .look =
          "With pattern=half-half, two words serve a whole warp in one pass. With pattern=random, "
          "count the different words in a bank, not its lanes.",
      .source = "puzzle", .inputs = INPUT_RANDOM, .shape = shape, .prepare = prepare,
      .check = check)

#endif
