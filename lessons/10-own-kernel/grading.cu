/* What grades the exercise of lesson 10; exercise.cu, which students get, includes it. */

enum { RECORDS = 32, FIELDS = 8, THREADS = RECORDS * FIELDS };

struct fields {
    int blocks;
};

PARAMS(fields) = {PARAM(blocks, 4, 1, 64, "thread blocks"), {0}};

static const struct kernel_goal goals[] = {
    {.of = GOAL_STORES, .accesses = 1, .conflicts = 0},
    {.of = GOAL_LOADS, .accesses = 1, .conflicts = 0},
    {0},
};

static const char *const tries[] = {"blocks=1", "blocks=4", NULL};

/* What `check` says to typical mistakes, by a word of the reason. */
static const struct kernel_slip slips[] = {
    {"nothing has written", "What this thread loads has not been stored yet. Is there a barrier "
                            "between store and load? Do "
                            "both use the same place for an element?"},
    {"race", "Between a store and the load of what another thread has stored stands a barrier."},
    {"bad-address", "Is the array large enough for the unused words?"},
    {"serves 8 words", "The load has a stride of 8. How can the words move apart?"},
    {"stores: no",
     "A warp stores the numbers of 4 records, so these must lie in different banks. An unused word "
     "after every record moves them too far."},
    {"loads: no", "A warp loads the same field of 32 records. In which banks are those of records "
                  "0, 4, 8, ...?"},
    {"got",
     "The load must find what the store put there: both need the same place for an element."},
    {NULL, NULL},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct fields *p = params;
    (void)error;
    shape->threads = THREADS;
    shape->blocks = p->blocks;
    shape->in_words = shape->out_words = (size_t)p->blocks * THREADS;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    (void)params;
    for (int i = 0; i < (int)shape->out_words; i++) {
        int block = i / THREADS, field = i % THREADS / RECORDS, record = i % RECORDS;
        int expected = in[block * THREADS + record * FIELDS + field];
        if (out[i] != expected)
            return error_set(error, "thread %d of block %d got %d, not %d", i % THREADS, block,
                             out[i], expected);
    }
    return true;
}

PROGRAM(
    fields, .name = "10-own-kernel", .summary = "from records to fields without conflicts",
    .look = "Load and store should find every lane of a warp in a different bank.",
    .source = "lesson 10", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare_numbers,
    .check = check, .goals = goals, .tries = tries, .slips = slips,
    .hints = {
        "A warp stores 32 consecutive words and loads words 0, 8, 16, ... of the block. With one "
        "unused word after every 8, which of both has conflicts?",
        "The store has none as long as no unused word comes within 32 words. What does the load "
        "have with one after every 32?",
        "Put number i into word i + i / 32, and load from the same place."})
