/* What grades the exercise of lesson 13; exercise.cu, which students get, includes it. */

PARAMS(butterfly) = {
    PARAM(w, 32, 1, 64, "threads per warp, and number of banks; a power of two"),
    PARAM_U(64),
    PARAM_BLOCKS,
    PARAM(steps, 6, 1, 24, "steps, of distances 1, 2, 4, ..., w, 1, 2, ..."),
    {0},
};

/* In each round of `steps` a lane reads two words and writes two. */
static const struct kernel_goal goals[] = {
    {.stage = "load", .accesses = 2, .conflicts = 0},
    {.stage = "steps", .accesses = 4, .times = "steps", .conflicts = 0},
    {0},
};

static const char *const tries[] = {"w=32 u=64 steps=6",
                                    "w=8 u=8 steps=9",
                                    "w=16 u=32 steps=5",
                                    "w=4 u=12 steps=3",
                                    "w=2 u=2 steps=4",
                                    "w=1 u=3 steps=2",
                                    NULL};

/* What `check` says to typical mistakes, by a word of the reason. */
static const struct kernel_slip slips[] = {
    {"outside", "A warp's elements have exactly 2 w words: padding cannot work here."},
    {"race", "Each word holds only one element: two elements of a warp share one."},
    {"got", "Each word holds only one element: two elements of a warp share one."},
    {"stage load",
     "Elements 0 to w - 1 must still be in different banks, and so must elements w to 2 w - 1."},
    {"stage steps",
     "For d below w, a step takes half of the elements 0 to w - 1 and the same half of the rest. "
     "These halves must not be in the same banks."},
    {NULL, NULL},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct butterfly *p = params;
    if (p->w & (p->w - 1))
        return error_set(error, "w is %d, but must be a power of two in this exercise", p->w);
    shape->shared_bytes = 2 * (size_t)p->u * sizeof(int);
    shape->in_words = shape->out_words = 2 * (size_t)p->u * (size_t)p->blocks;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct butterfly *p = params;
    for (int first = 0; first < (int)shape->out_words; first += 2 * p->w) {
        int word[2 * MAX_WARP];
        for (int i = 0; i < 2 * p->w; i++)
            word[i] = in[first + i];
        for (int s = 0, d = 1; s < p->steps; s++) {
            for (int i = 0; i < 2 * p->w; i++)
                if (!(i & d) && word[i] > word[i + d]) {
                    int larger = word[i];
                    word[i] = word[i + d];
                    word[i + d] = larger;
                }
            d = d == p->w ? 1 : 2 * d;
        }
        for (int i = 0; i < 2 * p->w; i++)
            if (out[first + i] != word[i])
                return error_set(error, "element %d of warp %d of block %d: got %d, not %d", i,
                                 first / (2 * p->w) % (p->u / p->w), first / (2 * p->u),
                                 out[first + i], word[i]);
    }
    return true;
}

ENTRY(
    butterfly, .name = "13-shear-sort", .summary = "pairs at all distances without conflicts",
    .look = "In each round of `steps`, every lane should use a different bank, in all four slots.",
    .source = "lesson 13", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare_numbers,
    .check = check, .goals = goals, .tries = tries, .slips = slips,
    .hints = {
        "For w = 4 and d = 1, lanes 0 to 3 load elements 0, 2, 4, 6. Which of them meet, and "
        "which banks are idle?",
        "Elements 0 to w - 1 may stay where they are. In which bank must element w + i not be "
        "if i has a 0 in a binary digit, so that it never meets an element with a 0 there?",
        "Element w + i belongs into the bank whose number differs from i in every digit, "
        "w - 1 - i: the second row runs backwards, as in ShearSort's snake."})
