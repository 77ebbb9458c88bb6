/* Exercise of lesson 03: the order of a sum.
 *
 * Each warp multiplies a matrix of w rows and w columns by a vector. Matrix and vector are in shared
 * memory, and the matrix lies row by row. Lane r adds up the products of row r: in round j it reads an
 * element of its row (slot 0) and the number of the vector that belongs to it (slot 1).
 *
 * At first, all lanes take their elements in the same order. The number of the vector is then one word
 * for the whole warp, but the elements of the matrix are all in one bank. You decide in which order
 * each lane adds. Find an order for which no warp access ever conflicts, for any w.
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs; try -p w=8 -p u=8
 *     bankscope view exercise.cu         the picture
 */
#include "kernels/kernel.h"

struct product {
    int w, u, blocks;
};

STAGES(write, multiply)

/* ---- [your part begins] ---- */

/* The column, from 0 to w - 1, of the element that a lane takes in round j. In w rounds each lane
 * must take each column once. */
DEVICE int column(int w, int lane, int j)
{
    return j;
}

/* ---- [your part ends] ---- */

BARE(product, {32, 64, 1})

KERNEL(product)
{
    int t = threadIdx.x, lane = t % p.w, warp = t / p.w;
    const int *from = in + (int)blockIdx.x * p.u * (p.w + 1); /* matrices, then vectors */
    int *to = out + ((int)blockIdx.x * p.u + t) * (p.w + 1);  /* the elements, then the sum */
    unsigned sum = 0;
    SHARED(int, elements, p.u *p.w);
    SHARED(int, numbers, p.u);
    SHARED_PTR(int) matrix = SHARED_AT(elements, warp * p.w * p.w);
    SHARED_PTR(int) vector = SHARED_AT(numbers, warp * p.w);

    STAGE(write);
    for (int j = 0; j < p.w; j++) {
        ROUND(j);
        STORE(matrix, j * p.w + lane, from[(warp * p.w + j) * p.w + lane]);
    }
    ROUND(p.w);
    STORE(vector, lane, from[p.u * p.w + t]);
    __syncthreads();

    STAGE(multiply);
    for (int j = 0; j < p.w; j++) {
        int k = column(p.w, lane, j);
        ROUND(j);
        int element = LOAD(matrix, lane * p.w + k);
        sum += (unsigned)element * (unsigned)LOAD(vector, k);
        to[j] = element;
    }
    to[p.w] = (int)sum;
}

#ifdef SIMT_HOST

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

#endif
