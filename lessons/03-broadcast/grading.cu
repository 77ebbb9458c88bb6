/* What grades the exercise of lesson 03; exercise.cu, which students get, includes it. */

PARAMS(product) = {
    PARAM_W(32),
    PARAM_U(64),
    PARAM_BLOCKS,
    {0},
};

static const struct kernel_goal goals[] = {
    {.stage = "multiply", .accesses = 2, .times = "w", .conflicts = 0},
    {0},
};

static const char *const tries[] = {"w=32 u=64", "w=12 u=36", "w=7 u=7 blocks=2",
                                    "w=8 u=8",   "w=1 u=3",   NULL};

/* What `check` says to typical mistakes, by a word of the reason. */
static const struct kernel_slip slips[] = {
    {"outside", "A column is a number from 0 to w - 1: what comes after the last one?"},
    {"no thread has written",
     "A column is a number from 0 to w - 1: what comes after the last one?"},
    {"got", "Each lane must take every column once, or a product is missing in its sum."},
    {"serves",
     "Row r begins at word r w, in bank 0. So which number alone decides the bank in which "
     "lane r reads?"},
    {NULL, NULL},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct product *p = params;
    (void)error;
    shape->shared_bytes = (size_t)p->u * (size_t)(p->w + 1) * sizeof(int);
    shape->in_words = shape->out_words = (size_t)p->u * (size_t)p->blocks * (size_t)(p->w + 1);
    return true;
}

/* A lane took the elements got[w], in any order; they should be those of the row. */
static bool check_row(int w, const int *got, const int *row, int block, int t, struct error *error)
{
    bool taken[MAX_WARP] = {false};
    int wrong = -1;
    for (int j = 0; j < w; j++) {
        int k = 0;
        while (k < w && (taken[k] || row[k] != got[j]))
            k++;
        if (k < w)
            taken[k] = true;
        else if (wrong < 0)
            wrong = j;
    }
    for (int k = 0; wrong >= 0 && k < w; k++)
        if (!taken[k]) {
            wrong_number("multiply", wrong, block, t, got[wrong], row[k], error);
            error_add(error, " of column %d, which it never takes", k);
            return false;
        }
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct product *p = params;
    (void)shape;
    for (int i = 0; i < p->u * p->blocks; i++) {
        int block = i / p->u, t = i % p->u;
        const int *got = out + i * (p->w + 1);
        const int *matrices = in + block * p->u * (p->w + 1), *row = matrices + t * p->w;
        const int *vector = matrices + p->u * p->w + t / p->w * p->w;
        unsigned expected = 0;
        for (int k = 0; k < p->w; k++)
            expected += (unsigned)row[k] * (unsigned)vector[k];
        if (!check_row(p->w, got, row, block, t, error))
            return false;
        if (got[p->w] != (int)expected)
            return error_set(error, "thread %d of block %d has the sum %d, not %d", t, block,
                             got[p->w], (int)expected);
    }
    return true;
}

ENTRY(product, .name = "03-broadcast",
      .summary = "a matrix times a vector, in an order of your own",
      .look = "Slot 0 of a round reads the matrix, slot 1 the vector. Both should take one pass.",
      .source = "lesson 03", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare_numbers,
      .check = check, .goals = goals, .tries = tries, .slips = slips,
      .hints = {
          "Does a sum depend on the order of its summands? Must all lanes take theirs in the same "
          "order?",
          "Lane r reads word r w + k of the matrix, which is in bank k. In each round, the lanes "
          "need different k.",
          "Let lane r begin with column r, and begin again at 0 after the last one."})
