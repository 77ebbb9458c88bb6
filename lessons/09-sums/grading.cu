/* What grades the exercise of lesson 09; exercise.cu, which students get, includes it. */

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
    .source = "lesson 09", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare, .check = check,
    .goals = goals, .tries = tries, .slips = slips,
    .hints = {"With counters of four bytes, bin b of lane t is word b w + t. What is a word here?",
              "Four counters share a word. They should be four bins of the same lane.",
              "Bins 4 i to 4 i + 3 of lane t are the four bytes of word i w + t."})
