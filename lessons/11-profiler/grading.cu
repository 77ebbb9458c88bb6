/* What grades the exercise of lesson 11; exercise.cu, which students get, includes it. */

enum { WARP = 32, THREADS = 256 };

struct neighbours {
    int blocks;
};

PARAMS(neighbours) = {PARAM(blocks, 4, 1, 64, "thread blocks"), {0}};

static const struct kernel_goal goals[] = {
    {.of = GOAL_STORES, .accesses = 1, .conflicts = 0},
    {.of = GOAL_LOADS, .accesses = 1, .conflicts = 0},
    {0},
};

static const char *const tries[] = {"blocks=1", "blocks=4", NULL};

/* What `check` says to typical mistakes, by a word of the reason. */
static const struct kernel_slip slips[] = {
    {"nothing has written", "Is there a barrier between the store and the load?"},
    {"race", "Between a store and the load of what another thread has stored stands a barrier."},
    {"bad-address",
     "To the left of lane 0 is lane 31, and to the right of lane 31 is lane 0: no index may leave "
     "the warp's 32 words. Is the remainder of a negative number what you think?"},
    {"instructions of warps",
     "A thread loads two numbers and needs one of them. Choose the index, and load once."},
    {"loads: no",
     "Lanes 0 and 31 have neighbours on the other side of the warp. Which words do they load?"},
    {"got", "Even choices go left, odd ones go right, and the lanes of a warp stand in a circle."},
    {NULL, NULL},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct neighbours *p = params;
    (void)error;
    shape->threads = THREADS;
    shape->blocks = p->blocks;
    shape->out_words = (size_t)p->blocks * THREADS;
    shape->in_words = 2 * shape->out_words;
    return true;
}

/* In some inputs all go left, in others all go right. */
static bool prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error)
{
    if (!prepare_numbers(params, shape, input, in, error))
        return false;
    for (size_t i = shape->out_words; input->kind == INPUT_RANDOM && i < shape->in_words; i++)
        in[i] = input->seed % 4 == 2 ? in[i] & ~1 : input->seed % 4 == 3 ? in[i] | 1 : in[i];
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    int n = (int)shape->out_words;
    (void)params;
    for (int i = 0; i < n; i++) {
        int lane = i % WARP, next = in[n + i] % 2 == 0 ? lane + WARP - 1 : lane + 1;
        int expected = in[i - lane + next % WARP];
        if (out[i] != expected)
            return error_set(error, "thread %d of block %d got %d, not %d", i % THREADS,
                             i / THREADS, out[i], expected);
    }
    return true;
}

PROGRAM(
    neighbours, .name = "11-profiler", .summary = "all lanes load at once",
    .look = "All lanes of a warp should load at once, each from another bank.",
    .source = "lesson 11", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare, .check = check,
    .goals = goals, .tries = tries, .slips = slips,
    .hints = {
        "How many numbers does a thread load, and how many of them does it need?",
        "The two loads differ only in what is added to the lane. Put that into a variable first.",
        "int step = choice % 2 == 0 ? WARP - 1 : 1; then load once, from lane (lane + step) % "
        "WARP of the warp."})
