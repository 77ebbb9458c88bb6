/* What grades the exercise of lesson 08; exercise.cu, which students get, includes it. */

PARAMS(square) = {
    PARAM(w, 31, 1, 63, "threads per warp, and number of banks; odd"),
    PARAM_U(62),
    PARAM_BLOCKS,
    {0},
};

static const struct kernel_goal goals[] = {
    {.stage = "write", .accesses = 1, .times = "w", .conflicts = 0},
    {.stage = "columns", .accesses = 1, .times = "w", .conflicts = 0},
    {.stage = "diagonals", .accesses = 1, .times = "w", .conflicts = 0},
    {0},
};

static const char *const tries[] = {"w=7 u=7",   "w=31 u=62", "w=9 u=18", "w=15 u=15 blocks=2",
                                    "w=21 u=42", "w=1 u=2",   NULL};

/* What `check` says to typical mistakes, by a word of the reason. */
static const struct kernel_slip slips[] = {
    {"outside", "No word is to spare: padding cannot work here. Stay within the row, modulo w."},
    {"race",
     "Each word holds only one element. Do two elements of a row end up in the same place?"},
    {"got", "Each word holds only one element. Do two elements of a row end up in the same place?"},
    {"stage write",
     "The elements of a row must stay in different banks: rotate the row as a whole."},
    {"stage columns",
     "In round j, lane r reads column j. How far is row r rotated against row r - 1?"},
    {"stage diagonals",
     "From row to row the column goes down by one. If the rotation goes up by one, the "
     "lanes stay in one bank."},
    {NULL, NULL},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct square *p = params;
    if (p->w % 2 == 0)
        return error_set(error, "w is %d, but must be odd in this exercise", p->w);
    shape->shared_bytes = (size_t)p->u * (size_t)p->w * sizeof(int);
    shape->in_words = (size_t)p->u * (size_t)p->blocks * (size_t)p->w;
    shape->out_words = 2 * shape->in_words;
    return true;
}

static bool prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error)
{
    (void)params;
    return input_numbers(input, in, shape->in_words, error);
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct square *p = params;
    for (int i = 0; i < (int)shape->out_words; i++) {
        int thread = i / (2 * p->w), j = i % p->w, r = thread % p->u % p->w;
        bool diagonal = i / p->w % 2;
        int expected = in[thread * p->w + (diagonal ? (j - r + p->w) % p->w : j)];
        if (out[i] != expected)
            return wrong_number(diagonal ? "diagonals" : "columns", j, thread / p->u, thread % p->u,
                                out[i], expected, error);
    }
    return true;
}

ENTRY(square, .name = "08-transpose", .summary = "rows, columns and diagonals without conflicts",
      .look = "In each round of all three stages, every lane should use a different bank.",
      .source = "lesson 08", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare,
      .check = check, .goals = goals, .tries = tries, .slips = slips,
      .hints = {
          "Rotate row r by s r places. In which bank does lane r find its element of a column, and "
          "of a rising diagonal?",
          "In a column, lane r uses bank (j + s r) mod w; on a rising diagonal, bank (j + (s - 1) "
          "r) mod w. Both must be strides without conflicts.",
          "s and s - 1 must have no common divisor with w. As w is odd, s = 2 does."})
