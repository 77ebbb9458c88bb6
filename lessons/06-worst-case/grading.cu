/* What grades the exercise of lesson 06; exercise.cu, which students get, includes it. */

PARAMS(attack) = {
    PARAM_W(32), PARAM_U(32), PARAM_BLOCKS, PARAM(E, 15, 1, 32, "numbers per thread"), {0},
};

static const struct kernel_goal goals[] = {
    {.stage = "merge", .accesses = 1, .times = "E", .ways = "E"},
    {0},
};

static const char *const tries[] = {
    "w=12 u=12 E=5", "w=32 u=64 E=15",         "w=32 u=32 E=16", "w=9 u=18 E=4",
    "w=16 u=16 E=7", "w=20 u=20 E=6 blocks=2", "w=30 u=30 E=8",  NULL};

/* What `check` says to typical mistakes, by a word of the reason. */
static const struct kernel_slip slips[] = {
    {"outside", "A share is a number from 0 to E."},
    {"takes", "A share is a number from 0 to E."},
    {"serves 1 word,", "No two threads meet. Choose a bank where the beach begins: a thread whose "
                       "next number of A is there takes all its numbers from A."},
    {"serves 4 words", "Almost: one thread more must begin at the beach. On the way there, do the "
                       "threads waste numbers of the other list?"},
    {"serves", "Whoever begins at the beach should stay on that list for all E rounds. Do you use "
               "both lists, A's beaches and B's?"},
    {NULL, NULL},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct attack *p = params;
    if (2 * p->E > p->w)
        return error_set(error, "E is %d, but at most w / 2 = %d in this exercise", p->E, p->w / 2);
    shape->shared_bytes = 2 * (size_t)p->u * (size_t)p->E * sizeof(int);
    shape->out_words = 2 * (size_t)p->u * (size_t)p->blocks;
    shape->in_words = shape->out_words * (size_t)p->E;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct attack *p = params;
    int a = 0, b = 0, words = p->w * p->E;
    for (int i = 0; i < (int)shape->out_words / 2; i++) {
        const int *list = in + 2 * (i - i % p->w) * p->E;
        int take = out[2 * i], thread = i % p->u, block = i / p->u;
        unsigned expected = 0;
        if (i % p->w == 0)
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
    attack, .name = "06-worst-case", .summary = "an input that makes a merge as slow as E E passes",
    .look = "In stage merge, A is yellow and B is blue. Every round should have a bank that serves "
            "E words.",
    .source = "lesson 06, after worstcase section III", .inputs = INPUT_ANY, .shape = shape,
    .prepare = prepare_numbers, .check = check, .goals = goals, .tries = tries, .slips = slips,
    .hints = {
        "Choose a bank where the beach begins. A thread whose next number of A is there should "
        "take all its numbers from A; and what if its next number of B is there?",
        "Other threads should bring one of the lists to the beach again, and waste as few numbers "
        "of the other list as they can.",
        "Let da and db be how many numbers of A and of B come before the beach: (beach - a + w) "
        "mod w, and the same with b. If da <= db, take the smaller one of da and E from A; "
        "otherwise take the smaller one of db and E from B."})
