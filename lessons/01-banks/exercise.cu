/* Exercise of lesson 01: points in shared memory.
 *
 * Each of the u threads of a block keeps one point of four numbers (x, y, z, m) in shared memory.
 * It then reads its right neighbour's point and sums the numbers, number k times k + 1. In round k
 * all threads write (and later read) number k of a point. You decide which word holds each number.
 *
 * At first, the four numbers of a point lie side by side. The result is correct, but the lanes of a
 * warp meet in the same banks. Find an order of the 4 u words for which no warp access ever needs
 * two words from the same bank, for any w.
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs
 *     bankscope view exercise.cu         the picture
 */
#include "kernels/kernel.h"

struct points {
    int w, u, blocks;
};

STAGES(write, read)

/* ---- [your part begins] ---- */

/* The word, from 0 to 4 u - 1, that holds number k (0 to 3) of thread t's point. Each word holds
 * only one number. */
DEVICE int point_word(const struct points p, int t, int k)
{
    return 4 * t + k;
}

/* ---- [your part ends] ---- */

BARE(points, {32, 64, 1})

KERNEL(points)
{
    int t = threadIdx.x, i = (int)blockIdx.x * p.u + t, neighbour = (t + 1) % p.u;
    SHARED(int, tile, 4 * p.u);

    STAGE(write);
    for (int k = 0; k < 4; k++) {
        ROUND(k);
        STORE(tile, point_word(p, t, k), in[4 * i + k]);
    }
    __syncthreads();

    STAGE(read);
    for (int k = 0; k < 4; k++) {
        ROUND(k);
        out[4 * i + k] = LOAD(tile, point_word(p, neighbour, k));
    }
}

#ifdef SIMT_HOST

PARAMS(points) = {
    PARAM_W(32),
    PARAM_U(64),
    PARAM_BLOCKS,
    {0},
};

static const struct kernel_goal goals[] = {
    {.stage = "write", .accesses = 4, .conflicts = 0},
    {.stage = "read", .accesses = 4, .conflicts = 0},
    {0},
};

static const char *const tries[] = {"w=32 u=64", "w=12 u=36", "w=6 u=6 blocks=2", "w=1 u=3", NULL};

/* What `check` says to typical mistakes, by a word of the reason. */
static const struct kernel_slip slips[] = {
    {"race", "Two numbers share a word: each of the 4 u numbers needs a word of its own."},
    {"got", "Each of the 4 u numbers needs a word of its own. Does one word hold two of them?"},
    {"outside", "The words of the tile are 0 to 4 u - 1."},
    {"serves 2 words", "Almost: only two lanes meet. In one round the lanes should use w "
                       "consecutive words, or words that are as good."},
    {"serves", "In one round all lanes access the same number k of their points. Which words do "
               "neighbouring lanes use, and in which banks are these?"},
    {NULL, NULL},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct points *p = params;
    (void)error;
    shape->shared_bytes = 4 * (size_t)p->u * sizeof(int);
    shape->in_words = shape->out_words = 4 * (size_t)p->u * (size_t)p->blocks;
    return true;
}

static bool prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error)
{
    (void)params;
    return input_numbers(input, in, shape->in_words, error);
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct points *p = params;
    for (int i = 0; i < (int)shape->out_words; i++) {
        int k = i % 4, thread = i / 4 % p->u, block = i / 4 / p->u;
        int expected = in[4 * (block * p->u + (thread + 1) % p->u) + k];
        if (out[i] != expected)
            return wrong_number("read", k, block, thread, out[i], expected, error);
    }
    return true;
}

ENTRY(points, .name = "01-banks", .summary = "points in shared memory, without conflicts",
      .look = "In each round, every lane should use a different bank.", .source = "lesson 01",
      .inputs = INPUT_ANY, .shape = shape, .prepare = prepare, .check = check, .goals = goals,
      .tries = tries, .slips = slips,
      .hints = {"Look at one round only: what changes from one lane to the next, t or k?",
                "w consecutive words lie in w different banks. Which numbers should be neighbours?",
                "Put all x first, then all y, then all z, then all m: number k of all threads "
                "fills u consecutive words."})

#endif
