/* What grades the exercise of lesson 16; exercise.cu, which students get, includes it. */

PARAMS(attack) = {
    PARAM_W(32), PARAM_U(64), PARAM_BLOCKS, PARAM(E, 15, 1, 32, "numbers per thread"), {0},
};

static const struct kernel_goal goals[] = {
    {.stage = "merge", .accesses = 1, .times = "E", .ways = "E", .more = 1},
    {0},
};

static const char *const tries[] = {
    "w=8 u=16 E=3", "w=12 u=24 E=5", "w=32 u=64 E=15", "w=32 u=64 E=16",
    "w=9 u=36 E=4", "w=16 u=32 E=7", "w=20 u=40 E=6",  NULL};

/* What `check` says to typical mistakes, by a word of the reason. */
static const struct kernel_slip slips[] = {
    {"outside", "A share is a number from 0 to E."},
    {"takes", "A share is a number from 0 to E."},
    {"warp 1, round", "Warp 0 is as slow as can be. Warp 1 must use up what is left of both lists; "
                      "the lesson's page 'Half of each list' has an idea for it."},
    {"bank 0 serves 3 words",
     "Almost: one thread more must begin at the beach. On the way there, do "
     "the threads waste numbers of the other list?"},
    {"serves 3 words", "That is E, as in lesson 06. If both lists begin at the beach, each has one "
                       "column more on it. Where does the beach begin?"},
    {"serves", "Who begins at the beach should stay on that list for all E rounds, and the others "
               "should bring the list to the beach that is nearer to it."},
    {NULL, NULL},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct attack *p = params;
    if (2 * p->E > p->w)
        return error_set(error, "E is %d, but at most w / 2 = %d in this exercise", p->E, p->w / 2);
    if (p->u % (2 * p->w))
        return error_set(error, "u is %d, but must be a multiple of 2 w = %d in this exercise",
                         p->u, 2 * p->w);
    shape->shared_bytes = (size_t)p->u * (size_t)p->E * sizeof(int);
    shape->out_words = 2 * (size_t)p->u * (size_t)p->blocks;
    shape->in_words = (size_t)p->u * (size_t)p->blocks * (size_t)p->E;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct attack *p = params;
    int a = 0, b = 0, words = p->w * p->E;
    for (int i = 0; i < (int)shape->out_words / 2; i++) {
        const int *list = in + (i - i % (2 * p->w)) * p->E;
        int take = out[2 * i], thread = i % p->u, block = i / p->u;
        unsigned expected = 0;
        if (i % (2 * p->w) == 0)
            a = b = 0;
        if (take < 0 || take > p->E)
            return error_set(error, "thread %d of block %d takes %d of its E = %d numbers from A",
                             thread, block, take, p->E);
        for (int j = 0; j < p->E; j++)
            expected =
                31u * expected + (unsigned)(j < take ? list[a + j] : list[words + b + j - take]);
        if (out[2 * i + 1] != (int)expected)
            return error_set(error, "thread %d of block %d got %d, not %d", thread, block,
                             out[2 * i + 1], (int)expected);
        a += take;
        b += p->E - take;
    }
    return true;
}

ENTRY(
    attack, .name = "16-hardest", .summary = "an input that makes two warps as slow as any can",
    .look = "In stage merge, A is yellow and B is blue. Every round should have a bank that serves "
            "E + 1 words.",
    .source = "lesson 16", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare_numbers,
    .check = check, .goals = goals, .tries = tries, .slips = slips,
    .hints = {
        "Warp 0 first: both lists begin in bank 0. Where should its beach begin, so that A and B "
        "have as many columns on it as possible?",
        "Take the rule of lesson 06 with the beach in bank 0: at the beach, stay; otherwise bring "
        "the nearer list to the beach. For warp 1, exchange A and B and reverse the order of all "
        "numbers.",
        "Thread 2 w - 1 - t of warp 1 takes from B what thread t takes from A. To know that, let "
        "it repeat the rule for the threads 0 to t."})
