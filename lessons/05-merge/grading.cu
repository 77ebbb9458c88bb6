/* What grades the exercise of lesson 05; exercise.cu, which students get, includes it. */

PARAMS(split) = {
    PARAM_W(32), PARAM_U(64), PARAM_BLOCKS, PARAM(E, 4, 1, 16, "numbers per thread"), {0},
};

static const struct kernel_goal goals[] = {
    {.stage = "write", .accesses = 1, .times = "E", .conflicts = 0},
    {.stage = "read", .accesses = 1, .times = "E", .conflicts = 0},
    {0},
};

static const char *const tries[] = {"w=32 u=64 E=4", "w=12 u=36 E=3", "w=8 u=16 E=2",
                                    "w=9 u=9 E=5",   "w=30 u=60 E=1", NULL};

/* What `check` says to typical mistakes, by a word of the reason. */
static const struct kernel_slip slips[] = {
    {"outside",
     "The tile has exactly n words, 0 to n - 1, and the last number may be even or odd."},
    {"race", "Two numbers share a word: even and odd ones together fill the n words once."},
    {"no thread has written",
     "Even and odd numbers together fill the n words once: no word is left "
     "out."},
    {"got", "Each word holds only one number. Do an even and an odd number share one?"},
    {"stage read", "Neighbouring items must stay in neighbouring words, or at least in different "
                   "banks."},
    {"serves 2 words",
     "In a warp the even numbers go up from some bank, and the odd ones go up from "
     "another. Can the odd ones go another way, so that they never meet?"},
    {NULL, NULL},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct split *p = params;
    size_t n = (size_t)p->u * (size_t)p->E;
    (void)error;
    shape->shared_bytes = n * sizeof(int);
    shape->out_words = n * (size_t)p->blocks;
    shape->in_words = (2 * n + 1) * (size_t)p->blocks;
    return true;
}

/* Of each block the numbers, then how many even ones come before each, and before the end. In some inputs
 * all numbers are even, in others all are odd. */
static bool prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error)
{
    const struct split *p = params;
    size_t n = (size_t)p->u * (size_t)p->E;
    if (!input_numbers(input, in, shape->in_words, error))
        return false;
    for (int block = 0; block < p->blocks; block++) {
        int *number = in + (size_t)block * (2 * n + 1), *before = number + n;
        before[0] = 0;
        for (size_t k = 0; input->kind == INPUT_RANDOM && k < n; k++)
            number[k] = input->seed % 4 == 2   ? number[k] & ~1
                        : input->seed % 4 == 3 ? number[k] | 1
                                               : number[k];
        for (size_t k = 0; k < n; k++)
            before[k + 1] = before[k] + (number[k] % 2 == 0);
    }
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct split *p = params;
    size_t n = (size_t)p->u * (size_t)p->E;
    (void)shape;
    for (int block = 0; block < p->blocks; block++) {
        const int *number = in + (size_t)block * (2 * n + 1), *got = out + (size_t)block * n;
        size_t item = 0;
        for (int odd = 0; odd < 2; odd++)
            for (size_t k = 0; k < n; k++) {
                if ((number[k] % 2 != 0) != odd)
                    continue;
                if (got[item] != number[k])
                    return error_set(error,
                                     "thread %zu of block %d got %d as item %zu of the result, not "
                                     "%d",
                                     item % (size_t)p->u, block, got[item], item, number[k]);
                item++;
            }
    }
    return true;
}

ENTRY(
    split, .name = "05-merge", .summary = "even numbers to the front, whatever the numbers",
    .look = "In stage write, even numbers are yellow and odd ones blue. In each round, every lane "
            "should use a different bank.",
    .source = "lesson 05", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare, .check = check,
    .goals = goals, .tries = tries, .slips = slips,
    .hints = {
        "A warp that has written a even numbers and w - a odd ones has used a + (w - a) words. "
        "Where do the next even and the next odd number of the block go?",
        "If a of the numbers so far are even, the next even one goes to bank a mod w. The next odd "
        "one should take the last bank that the even ones of this warp cannot reach.",
        "Store the odd numbers in reverse, from the end of the tile: the i-th one in word "
        "n - 1 - i."})
