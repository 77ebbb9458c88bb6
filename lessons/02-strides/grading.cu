/* What grades the exercise of lesson 02; exercise.cu, which students get, includes it. */

PARAMS(blocked) = {
    PARAM_W(32), PARAM_U(64), PARAM_BLOCKS, PARAM(E, 16, 1, 64, "numbers per thread"), {0},
};

/* Writing may cost one pass more than reading: because the pitch skips words, the w numbers that a
 * warp writes are spread over up to 2 w words. */
static const struct kernel_goal goals[] = {
    {.stage = "write", .accesses = 1, .times = "E", .conflicts = 1},
    {.stage = "read", .accesses = 1, .times = "E", .conflicts = 0},
    {0},
};

static const char *const tries[] = {
    "w=32 u=64 E=16", "w=32 u=64 E=15", "w=12 u=36 E=8", "w=12 u=24 E=6",
    "w=30 u=30 E=20", "w=9 u=18 E=6",   "w=6 u=6 E=6",   NULL};

/* What `check` says to typical mistakes, by a word of the reason. */
static const struct kernel_slip slips[] = {
    {"exceed", "The tile has room for five unused words per thread. Is a smaller pitch also free "
               "of conflicts?"},
    {"race", "The stretches of two threads overlap: a pitch is at least E."},
    {"serves", "The words of a round are one pitch apart. What is the greatest common divisor of "
               "the pitch and w?"},
    {NULL, NULL},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    enum { UNUSED_MOST = 5 }; /* words for each thread */
    const struct blocked *p = params;
    (void)error;
    shape->shared_bytes = (size_t)p->u * (size_t)(p->E + UNUSED_MOST) * sizeof(int);
    shape->in_words = shape->out_words = (size_t)p->u * (size_t)p->E * (size_t)p->blocks;
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
    const struct blocked *p = params;
    for (int i = 0; i < (int)shape->out_words; i++) {
        int thread = i / p->E;
        if (out[i] != in[i])
            return wrong_number("read", i % p->E, thread / p->u, thread % p->u, out[i], in[i],
                                error);
    }
    return true;
}

ENTRY(
    blocked, .name = "02-strides", .summary = "E consecutive numbers per thread, any w and E",
    .look = "The words that a warp reads in a round are one pitch apart. Count the banks they use.",
    .source = "lesson 02", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare, .check = check,
    .goals = goals, .tries = tries, .slips = slips,
    .hints = {
        "When are the words 0, s, 2 s, ... in different banks? The lesson has a rule for it.",
        "The rule needs gcd(w, pitch) = 1. An odd pitch is enough only when w is a power of two.",
        "Start with pitch = E and add 1 until Euclid's algorithm says that gcd(w, pitch) is 1."})
