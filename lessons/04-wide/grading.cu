/* What grades the exercise of lesson 04; exercise.cu, which students get, includes it. */

PARAMS(quads) = {
    PARAM_W(32),
    PARAM_U(64),
    PARAM_BLOCKS,
    {0},
};

static const struct kernel_goal goals[] = {
    {.stage = "write", .accesses = 1, .times = "w", .conflicts = 0},
    {.stage = "read", .accesses = 4, .times = "w", .conflicts = 0},
    {0},
};

static const char *const tries[] = {"w=32 u=64", "w=8 u=8",  "w=12 u=24 blocks=2",
                                    "w=16 u=16", "w=4 u=12", NULL};

/* What `check` says to typical mistakes, by a word of the reason. */
static const struct kernel_slip slips[] = {
    {"outside", "A place is a number from 0 to w - 1: what comes after the last one?"},
    {"race", "A place is a number from 0 to w - 1, and each holds only one quad."},
    {"got", "Each place holds only one quad: w quads of a row need w different places from 0 to "
            "w - 1."},
    {"no thread has written",
     "A place is a number from 0 to w - 1: what comes after the last one?"},
    {"stage write",
     "In a pass a quarter of the warp writes w / 4 quads, side by side at first. Move "
     "them together."},
    {"serves 4 words", "Almost: four lanes still meet. Rows in which the quad has the same banks "
                       "must turn its words differently. Which rows are these?"},
    {"serves",
     "A quad takes four banks, so a row of w quads goes round the banks four times. Which "
     "rows have their quad number k / 4 in the same banks?"},
    {NULL, NULL},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct quads *p = params;
    if (p->w % 4)
        return error_set(error, "w is %d, but must be a multiple of 4 in this exercise", p->w);
    shape->shared_bytes = 4 * (size_t)p->u * (size_t)p->w * sizeof(int);
    shape->in_words = shape->out_words = 4 * (size_t)p->u * (size_t)p->blocks * (size_t)p->w;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct quads *p = params;
    for (int i = 0; i < (int)shape->out_words; i++) {
        int thread = i / (4 * p->w);
        if (out[i] != in[i])
            return wrong_number("read", i % (4 * p->w), thread / p->u, thread % p->u, out[i], in[i],
                                error);
    }
    return true;
}

ENTRY(
    quads, .name = "04-wide", .summary = "sixteen bytes in, four bytes out, without conflicts",
    .look = "In stage write a quarter of the warp is served in each pass. In stage read, every "
            "lane should use a different bank.",
    .source = "lesson 04", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare_numbers,
    .check = check, .goals = goals, .tries = tries, .slips = slips,
    .hints = {
        "Every row begins in bank 0. So what decides the bank in which lane r finds word k of its "
        "row?",
        "If row r moves its quads r places further, in a circle, then w / 4 rows in a row have "
        "theirs in different banks. Row r + w / 4 meets row r again.",
        "Quad q of row r goes to place (q + r) mod w. The rows that still meet differ in r / "
        "(w / 4), a number from 0 to 3: turn the words by that."})
