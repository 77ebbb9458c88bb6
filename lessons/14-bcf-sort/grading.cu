/* What grades the exercise of lesson 14; exercise.cu, which students get, includes it. */

PARAMS(colors) = {
    PARAM_W(32),
    PARAM_U(64),
    PARAM_BLOCKS,
    {0},
};

/* Your part is stage scan; the others must stay as they are. */
static const struct kernel_goal goals[] = {
    {.stage = "clear", .accesses = 1, .times = "w", .conflicts = 0},
    {.stage = "count", .accesses = 2 * CHUNK, .conflicts = 0},
    {.stage = "scan", .accesses = 2, .most = 3, .times = "w", .conflicts = 0},
    {.stage = "read", .accesses = 1, .times = "w", .conflicts = 0},
    {0},
};

static const char *const tries[] = {"w=8 u=8",          "w=32 u=64", "w=12 u=36",
                                    "w=7 u=7 blocks=2", "w=1 u=3",   NULL};

/* What `check` says to typical mistakes, by a word of the reason. */
static const struct kernel_slip slips[] = {
    {"outside", "The lanes are numbered from 0 to w - 1: what comes after the last one?"},
    {"race", "Lane c has the words c w to c w + w - 1 for itself. What comes after lane w - 1?"},
    {"got", "Who begins in the middle must first know the sum of all lanes before, and begins at 0 "
            "again when it comes to lane 0."},
    {"instructions", "All lanes should walk at the same time, and each visit a counter three times "
                     "at most."},
    {"serves", "The counter of lane t is in bank t for all colors. So in each round, the lanes "
               "should visit different t."},
    {NULL, NULL},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct colors *p = params;
    (void)error;
    shape->shared_bytes = (size_t)p->u * (size_t)p->w * sizeof(int);
    shape->out_words = (size_t)p->u * (size_t)p->blocks * (size_t)p->w;
    shape->in_words = (size_t)p->u * (size_t)p->blocks * CHUNK;
    return true;
}

/* Some inputs have one color only, others all of them in turn. */
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
    const struct colors *p = params;
    int before[MAX_WARP] = {0};
    for (int i = 0; i < p->u * p->blocks; i++) {
        for (int c = 0; c < p->w; c++) {
            if (i % p->w == 0)
                before[c] = 0;
            if (out[i * p->w + c] != before[c])
                return error_set(error,
                                 "thread %d of block %d got %d as the sum of color %d, not %d",
                                 i % p->u, i / p->u, out[i * p->w + c], c, before[c]);
        }
        for (int k = 0; k < CHUNK; k++)
            before[in[i * CHUNK + k] % p->w]++;
    }
    (void)shape;
    return true;
}

ENTRY(
    colors, .name = "14-bcf-sort", .summary = "prefix sums of colors, without transposing",
    .look = "In stage scan, every lane should use a different bank in each access.",
    .source = "lesson 14, after bcfsort appendix A", .inputs = INPUT_ANY, .shape = shape,
    .prepare = prepare, .check = check, .goals = goals, .tries = tries, .slips = slips,
    .hints = {
        "Color c's counter of lane t is word c w + t. Which of c and t decides the bank, and must "
        "all lanes begin with the same t?",
        "Let lane c begin with the counter of lane c, and walk round the lanes in a circle. What "
        "does it not know yet when it begins?",
        "Walk twice. The first time, add up the counters of the lanes below c. The second time, "
        "begin with that sum, and with 0 again when t is 0."})
