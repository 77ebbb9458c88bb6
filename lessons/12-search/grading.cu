/* What grades the exercise of lesson 12; exercise.cu, which students get, includes it. */

PARAMS(tree) = {
    PARAM_W(32),  PARAM_U(64),
    PARAM_BLOCKS, PARAM(rounds, 6, 1, 6, "rounds of the search; 2^(rounds - 1) is at most w"),
    {0},
};

static const struct kernel_goal goals[] = {
    {.stage = "search", .accesses = 1, .times = "rounds", .conflicts = 0},
    {0},
};

static const char *const tries[] = {"w=32 u=64 rounds=6",
                                    "w=8 u=8 rounds=4",
                                    "w=12 u=24 rounds=4",
                                    "w=9 u=18 rounds=3",
                                    "w=1 u=3 rounds=1",
                                    "w=30 u=30 rounds=5",
                                    NULL};

/* What `check` says to typical mistakes, by a word of the reason. */
static const struct kernel_slip slips[] = {
    {"outside", "The keys have exactly 2^rounds words, numbers 0 to 2^rounds - 1."},
    {"race", "Each word holds only one key. Do not forget key 0, which needs a place, too."},
    {"got", "Each word holds only one key. Do not forget key 0, which needs a place, too."},
    {"round 1:", "Round 1 reads key K / 4 or 3 K / 4. Where do you put these two?"},
    {"serves",
     "The keys of a round must lie in different banks for every w. Which rounds read odd keys, and "
     "which read even ones?"},
    {NULL, NULL},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct tree *p = params;
    int keys = 1 << p->rounds;
    if (keys / 2 > p->w)
        return error_set(error, "the last round has %d keys, more than w = %d", keys / 2, p->w);
    shape->shared_bytes = (size_t)keys * sizeof(int);
    shape->out_words = (size_t)p->u * (size_t)p->blocks;
    shape->in_words = shape->out_words + (size_t)keys * (size_t)p->blocks;
    return true;
}

/* In some inputs no key is as small as a query, in others all are. */
static bool prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error)
{
    const struct tree *p = params;
    int keys = 1 << p->rounds;
    if (!input_numbers(input, in, shape->in_words, error))
        return false;
    for (int block = 0; block < p->blocks; block++)
        sort_numbers(in + block * (keys + p->u), (size_t)keys);
    for (int i = 0; input->kind == INPUT_RANDOM && i < p->blocks * p->u; i++) {
        int *query = in + i / p->u * (keys + p->u) + keys + i % p->u;
        *query = input->seed % 4 == 2 ? INT32_MIN : input->seed % 4 == 3 ? INT32_MAX : *query;
    }
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct tree *p = params;
    int keys = 1 << p->rounds;
    for (int i = 0; i < (int)shape->out_words; i++) {
        const int *key = in + i / p->u * (keys + p->u);
        int query = key[keys + i % p->u], expected = 0;
        for (int k = 1; k < keys && key[k] <= query; k++)
            expected = k;
        if (out[i] != expected)
            return error_set(error, "thread %d of block %d got key %d, not %d", i % p->u, i / p->u,
                             out[i], expected);
    }
    return true;
}

ENTRY(tree, .name = "12-search", .summary = "the first rounds of a search without conflicts",
      .look = "In each round, the keys that can be read should lie in different banks.",
      .source = "lesson 12", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare,
      .check = check, .goals = goals, .tries = tries, .slips = slips,
      .hints = {
          "For K = 16, which keys does round 0 read, and which do rounds 1, 2 and 3?",
          "All rounds but the last read even keys only. There are K / 2 of them, no more than "
          "banks. The last round reads odd keys only.",
          "Put the even keys side by side, key i into word i / 2. The odd ones come behind them, "
          "key i into word K / 2 + i / 2."})
