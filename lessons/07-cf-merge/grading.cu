/* What grades the exercise of lesson 07; exercise.cu, which students get, includes it. */

PARAMS(blocked) = {
    PARAM_W(32), PARAM_U(64), PARAM_BLOCKS, PARAM(E, 16, 1, 64, "numbers per thread"), {0},
};

static const struct kernel_goal goals[] = {
    {.stage = "write", .accesses = 1, .times = "E", .conflicts = 0},
    {.stage = "read", .accesses = 1, .times = "E", .conflicts = 0},
    {0},
};

static const char *const tries[] = {
    "w=9 u=9 E=6",    "w=32 u=64 E=16", "w=32 u=64 E=15", "w=12 u=24 E=8",
    "w=12 u=36 E=18", "w=6 u=12 E=6",   "w=30 u=30 E=20", NULL};

/* What `check` says to typical mistakes, by a word of the reason. */
static const struct kernel_slip slips[] = {
    {"outside", "No word is to spare: the tile has exactly u E words, so a pitch or padding cannot "
                "work here."},
    {"race", "Two numbers share a word: the map from x to words must be one to one. If you shift "
             "numbers, shift them in a circle."},
    {"stage write", "Writing needs w consecutive numbers in different banks: move whole stretches, "
                    "not single numbers."},
    {"serves", "Threads that meet in a bank are a fixed number of threads apart. Where does the "
               "same pattern of banks begin again?"},
    {NULL, NULL},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct blocked *p = params;
    (void)error;
    shape->shared_bytes = (size_t)p->u * (size_t)p->E * sizeof(int);
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

ENTRY(blocked, .name = "07-cf-merge", .summary = "E consecutive numbers per thread, no word unused",
      .look = "In each round of both stages, every lane should use a different bank.",
      .source = "lesson 07", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare,
      .check = check, .goals = goals, .tries = tries, .slips = slips,
      .hints = {
          "With d = gcd(w, E), how many threads of a warp meet in one bank, and how far apart are "
          "they?",
          "Divide the tile into partitions of w E / d words. Within one, no two threads meet in a "
          "round.",
          "Shift partition number l by l mod d words, in a circle, within its own w E / d words."})
