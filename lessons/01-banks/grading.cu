/* What grades the exercise of lesson 01; exercise.cu, which students get, includes it. */

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
