/* Exercise of lesson 09: counters of one byte.
 *
 * Each lane has `bins` counters of one byte, and counts 16 numbers: in round k it adds 1 to the counter of
 * its k-th number. Then it reads its counters, one in each round. The number of bins is a multiple of
 * four. All counters of a warp take exactly w times `bins` bytes, so four of them share a word.
 *
 * At first, the counters of a lane lie side by side, and the data decide which lanes meet in a bank.
 * Find a place for every counter such that neither counting nor reading ever conflicts, whatever the
 * numbers are. (Lanes that want the same word in the same access do not conflict, but you cannot rely
 * on that: two lanes may count different values.)
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs; try -p w=8 -p u=8 -p bins=8
 *     bankscope view exercise.cu         the picture
 */
#include "kernels/kernel.h"

struct bytes {
    int w, u, blocks, bins;
};

STAGES(clear, count, read)

/* ---- [your part begins] ---- */

/* The byte, from 0 to w bins - 1, that holds the counter of a bin for a lane. Each byte holds only
 * one counter. Bytes 4 i to 4 i + 3 are word i. */
DEVICE int counter_byte(int w, int bins, int lane, int bin)
{
    return lane * bins + bin;
}

/* ---- [your part ends] ---- */

BARE(bytes, {32, 64, 1, 64})

enum { PER_LANE = 16 /* numbers */ };

KERNEL(bytes)
{
    int t = threadIdx.x, lane = t % p.w, all = p.w * p.bins;
    SHARED(unsigned char, counters, p.u *p.bins);
    SHARED_PTR(unsigned char) mine = SHARED_AT(counters, t / p.w * all); /* of this warp */

    STAGE(clear);
    for (int b = 0; b < p.bins; b++) {
        ROUND(b);
        STORE(counters, b * p.u + t, 0);
    }
    __syncthreads();

    STAGE(count);
    for (int k = 0; k < PER_LANE; k++) {
        int bin = in[((int)blockIdx.x * PER_LANE + k) * p.u + t] % p.bins;
        int at = counter_byte(p.w, p.bins, lane, bin);
        ROUND(k);
        STORE(mine, at, (unsigned char)(LOAD(mine, at) + 1));
    }

    STAGE(read);
    for (int b = 0; b < p.bins; b++) {
        ROUND(b);
        out[((int)blockIdx.x * p.u + t) * p.bins + b] =
            LOAD(mine, counter_byte(p.w, p.bins, lane, b));
    }
}

#ifdef SIMT_HOST

PARAMS(bytes) = {
    PARAM_W(32), PARAM_U(64), PARAM_BLOCKS, PARAM(bins, 64, 4, 256, "counters per lane"), {0},
};

/* In each round of `count` a lane reads a counter and writes it. */
static const struct kernel_goal goals[] = {
    {.stage = "count", .accesses = 2 * PER_LANE, .conflicts = 0},
    {.stage = "read", .accesses = 1, .times = "bins", .conflicts = 0},
    {0},
};

static const char *const tries[] = {"w=32 u=64 bins=64",
                                    "w=8 u=8 bins=8",
                                    "w=12 u=24 bins=20",
                                    "w=9 u=18 bins=36",
                                    "w=1 u=2 bins=4",
                                    "w=30 u=30 bins=28",
                                    NULL};

/* What `check` says to typical mistakes, by a word of the reason. */
static const struct kernel_slip slips[] = {
    {"outside",
     "The counters of a warp have exactly w times `bins` bytes: padding cannot work here."},
    {"race", "Each byte holds only one counter: two lanes use the same one."},
    {"got", "Each byte holds only one counter: two bins of a lane share one."},
    {"serves",
     "Four bytes share a word. Does the lane alone decide in which bank its counters are?"},
    {NULL, NULL},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct bytes *p = params;
    if (p->bins % 4)
        return error_set(error, "bins is %d, but must be a multiple of 4", p->bins);
    shape->shared_bytes = (size_t)p->u * (size_t)p->bins;
    shape->out_words = (size_t)p->u * (size_t)p->blocks * (size_t)p->bins;
    shape->in_words = (size_t)p->u * (size_t)p->blocks * PER_LANE;
    return true;
}

/* In some inputs all lanes count one number only, in others each has its own. */
static bool prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error)
{
    if (!prepare_naturals(params, shape, input, in, error))
        return false;
    for (size_t i = 0; input->kind == INPUT_RANDOM && i < shape->in_words; i++)
        in[i] = input->seed % 4 == 2 ? in[0] : input->seed % 4 == 3 ? (int)i : in[i];
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct bytes *p = params;
    (void)shape;
    for (int i = 0; i < p->u * p->blocks; i++) {
        int block = i / p->u, t = i % p->u, count[256] = {0};
        for (int k = 0; k < PER_LANE; k++)
            count[in[(block * PER_LANE + k) * p->u + t] % p->bins]++;
        for (int b = 0; b < p->bins; b++)
            if (out[i * p->bins + b] != count[b])
                return wrong_number("read", b, block, t, out[i * p->bins + b], count[b], error);
    }
    return true;
}

ENTRY(
    bytes, .name = "09-sums", .summary = "counters of one byte, without conflicts for any input",
    .look = "In each round of `count`, every lane should use a different bank, whatever it counts.",
    .source = "lesson 09", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare,
    .check = check, .goals = goals, .tries = tries, .slips = slips,
    .hints = {"With counters of four bytes, bin b of lane t is word b w + t. What is a word here?",
              "Four counters share a word. They should be four bins of the same lane.",
              "Bins 4 i to 4 i + 3 of lane t are the four bytes of word i w + t."})

#endif
