/* What grades the exercise of lesson 15; exercise.cu, which students get, includes it. */

PARAMS(circle) = {
    PARAM_W(32),
    PARAM_U(64),
    PARAM_BLOCKS,
    {0},
};

static const struct kernel_goal goals[] = {
    {.stage = "load", .accesses = 1, .times = "w", .conflicts = 0},
    {.stage = "gather", .accesses = 1, .times = "w", .conflicts = 0},
    {0},
};

static const char *const tries[] = {"w=8 u=8",           "w=32 u=64", "w=12 u=36",
                                    "w=7 u=14 blocks=2", "w=1 u=3",   NULL};

/* What `check` says to typical mistakes, by a word of the reason. */
static const struct kernel_slip slips[] = {
    {"its number", "In w rounds a lane must read each of its w numbers once. In which bank is the "
                   "first one of A, and in which the first one of B?"},
    {"outside", "A lane's numbers are 0 to w - 1, and the words of the tile 0 to n - 1."},
    {"writes out",
     "A lane's numbers are 0 to w - 1. Is the bank of B's first number the right one?"},
    {"race", "A and B together fill the n words once, and a lane's numbers are 0 to w - 1."},
    {"no thread has written", "A and B together fill the n words once: no word is left out."},
    {"stage load", "Neighbouring numbers must stay in neighbouring words. Exercise 05 had a place "
                   "for the second list."},
    {"serves 8 words",
     "All lanes use the same bank. Each of them has a number in every bank, so let "
     "each begin with another one."},
    {"serves", "If B is reversed, the w numbers of a lane are in w different banks. So choose the "
               "bank first, another one for each lane, and then the number that is there."},
    {NULL, NULL},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct circle *p = params;
    size_t n = (size_t)p->u * (size_t)p->w;
    (void)error;
    shape->shared_bytes = n * sizeof(int);
    shape->out_words = n * (size_t)p->blocks;
    shape->in_words = (n + (size_t)p->u) * (size_t)p->blocks;
    return true;
}

static int share_of(const struct input *input, int w, uint64_t *random)
{
    int any = random_below(random, w + 1), all = input->seed % 4 == 3 ? w : 0;
    return input->kind == INPUT_RANDOM && input->seed % 4 >= 2 ? all : any;
}

/* Of each block the shares, then the numbers. In some inputs all numbers are of B, in others all of A. */
static bool prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error)
{
    const struct circle *p = params;
    uint64_t random = input->seed;
    if (!input_numbers(input, in, shape->in_words, error))
        return false;
    for (int block = 0; block < p->blocks; block++)
        for (int t = 0; t < p->u; t++)
            in[block * (p->u + p->u * p->w) + t] = share_of(input, p->w, &random);
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct circle *p = params;
    int n = p->u * p->w;
    (void)shape;
    for (int block = 0; block < p->blocks; block++) {
        const int *share = in + block * (p->u + n), *number = share + p->u, *got = out + block * n;
        int a = 0, b = 0;
        for (int t = 0; t < p->u; t++)
            b += share[t];
        for (int t = 0; t < p->u; t++)
            for (int i = 0; i < p->w; i++) {
                int expected = i < share[t] ? number[a++] : number[b++];
                if (got[t * p->w + i] != expected)
                    return error_set(error, "thread %d of block %d got %d as its number %d, not %d",
                                     t, block, got[t * p->w + i], i, expected);
            }
    }
    return true;
}

ENTRY(
    circle, .name = "15-fast-sort", .summary = "a gather without conflicts for E = w",
    .look = "In stage gather, A is yellow and B is blue. In each round, every lane should use a "
            "different bank.",
    .source = "lesson 15, sort/layout.h", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare,
    .check = check, .goals = goals, .tries = tries, .slips = slips,
    .hints = {
        "A thread that takes the numbers a to a + take - 1 of A has these banks. Which banks are "
        "left, and how must B lie so that its other numbers are in them?",
        "Store B in reverse, from the end of the tile. Then number i of A is in bank i mod w, and "
        "number i of B in bank (w - 1 - i) mod w. Let lane l use bank (l + j) mod w in round j.",
        "Let bank be (lane + j) mod w, and i = (bank - a) mod w. If i < take, read number i. "
        "Otherwise read number take + (w - 1 - b - bank) mod w. Mind that % of a negative number "
        "is negative."})
