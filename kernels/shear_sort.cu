/* shear_sort.cu - ShearSort of w x h w words without bank conflicts (bcfsort Algorithms 1 to 5).
 *
 * ShearSort sorts a w x w matrix in log2(w) rounds. Each round sorts the rows in alternating
 * directions, then the columns upwards. A last sort of all rows upwards makes the matrix row-major.
 * shear.h explains how a warp sorts rows and columns without conflicts, with transpositions or
 * without.
 *
 * With memory=shared, the comparators work on the words in shared memory: still without conflicts,
 * but for w = 32 with six times as many accesses (appendix D).
 *
 * With h > 1 there are h such matrices, one per warp, and a row of the whole has h parts. These parts
 * are gathered as h rows of one matrix, sorted there by a ShearSort of groups of h rows (whose
 * columns are sorted in pieces of h words), and scattered back.
 */
#include "kernels/shear.h"

struct shear_sort {
    int w, u, blocks, variant, h, memory;
};

STAGES(load, rows, columns, transpose, gather, scatter, store)

BARE(shear_sort, {32, 32, ANY, VARIANT_TRANSPOSE, 1, MEMORY_REGISTERS},
     {32, 32, ANY, VARIANT_DIAGONAL, 1, MEMORY_REGISTERS},
     {32, 32, ANY, VARIANT_TRANSPOSE, 1, MEMORY_SHARED},
     {32, 128, ANY, VARIANT_DIAGONAL, 4, MEMORY_REGISTERS})

/* Where a thread is; rounds count on from one visit of a stage to the next. */
struct shear {
    int w, h, variant, memory;
    int warp, lane;
    int rows, columns, transposes, gathers, scatters; /* rounds so far */
};

/* Matrix number m. */
DEVICE struct square square_of(const struct shear *s, SHARED_PTR(int) tile, int m)
{
    struct square square = {SHARED_AT(tile, m * s->w * s->w), s->w, s->variant, s->lane, s->memory};
    return square;
}

/* Transposes this warp's matrix. */
DEVICE void turn(CONTEXT, SHARED_PTR(int) tile, struct shear *s)
{
    STAGE(transpose);
    transpose_in_place(simt_, SHARED_AT(tile, s->warp * s->w * s->w), s->w, s->lane, s->transposes);
    s->transposes += transpose_rounds(s->w);
}

/* Each lane sorts its row; downwards if `down`. */
DEVICE void sort_row(CONTEXT, SHARED_PTR(int) tile, struct shear *s, bool down)
{
    STAGE(rows);
    s->rows = sort_lines(simt_, square_of(s, tile, s->warp), false, s->w, down, 0, s->rows);
}

/* Each lane sorts its column in pieces of `piece` words, piece number k downwards if `snake` and
 * the row of the whole that it belongs to is odd. */
DEVICE void sort_column(CONTEXT, SHARED_PTR(int) tile, struct shear *s, int piece, bool snake)
{
    bool turned = s->variant == VARIANT_TRANSPOSE;
    int row = s->warp * (s->w / s->h); /* of piece 0 */
    if (turned)
        turn(simt_, tile, s);
    STAGE(columns);
    s->columns = sort_lines(simt_, square_of(s, tile, s->warp), !turned, piece, snake ? row : 0,
                            snake, s->columns);
    if (turned)
        turn(simt_, tile, s);
}

/* Moves the rows of the whole into rows of matrices: part j of row number warp w/h + i becomes row
 * h i + j of this warp's matrix (Algorithm 3, with the transposition that follows it); or back
 * (Algorithm 4). */
DEVICE void move_parts(CONTEXT, SHARED_PTR(int) tile, struct shear *s, bool back)
{
    bool turned = s->variant == VARIANT_TRANSPOSE;
    REGISTERS(int, items, s->w);
    if (s->h == 1)
        return; /* a row is its only part */
    if (turned)
        turn(simt_, tile, s);
    __syncthreads();
    if (back)
        STAGE(scatter);
    else
        STAGE(gather);
    int *rounds = back ? &s->scatters : &s->gathers;
    UNROLL for (int k = 0; k < 2 * s->w; k++)
    {
        bool store = k >= s->w;
        int line = k % s->w, part = line % s->h, row = s->warp * (s->w / s->h) + line / s->h;
        /* The scattered place first when gathering, last when scattering. */
        int m = store == back ? part : s->warp, i = store == back ? row : line;
        struct square square = square_of(s, tile, m);
        int word = turned ? square_word(square, s->lane, i) : square_word(square, i, s->lane);
        if (k == s->w)
            __syncthreads();
        ROUND(*rounds + k);
        if (store)
            STORE(square.words, word, items[line]);
        else
            items[line] = LOAD(square.words, word);
    }
    *rounds += 2 * s->w;
    __syncthreads();
    if (turned)
        turn(simt_, tile, s);
}

/* Sorts each row of the whole, odd rows downwards if `snake`: a ShearSort of groups of h rows, with
 * everything reversed for the rows that go downwards (Algorithm 5's segmented ShearSort). */
DEVICE void sort_long_rows(CONTEXT, SHARED_PTR(int) tile, struct shear *s, bool snake)
{
    int row = s->warp * (s->w / s->h) + s->lane / s->h;
    bool down = snake && row % 2;
    move_parts(simt_, tile, s, false);
    for (int groups = 1; groups < s->h; groups *= 2) {
        sort_row(simt_, tile, s, down != (s->lane % s->h % 2 == 1));
        sort_column(simt_, tile, s, s->h, snake);
    }
    sort_row(simt_, tile, s, down);
}

KERNEL(shear_sort)
{
    int n = p.w * p.w * p.h, t = threadIdx.x;
    struct shear s = {p.w, p.h, p.variant, p.memory, t / p.w, t % p.w, 0, 0, 0, 0, 0};
    SHARED(int, tile, n);

    STAGE(load);
    UNROLL for (int j = 0; j < p.w; j++)
    {
        ROUND(j);
        STORE(tile, j * p.w * p.h + t, in[(int)blockIdx.x * n + j * p.w * p.h + t]);
    }
    __syncthreads();
    for (int rows = 1; rows < p.w; rows *= 2) {
        sort_long_rows(simt_, tile, &s, true);
        move_parts(simt_, tile, &s, true);
        sort_column(simt_, tile, &s, p.w, false);
    }
    sort_long_rows(simt_, tile, &s, false);

    /* Row-major becomes column-major: the order of addresses. */
    if (p.variant == VARIANT_TRANSPOSE)
        turn(simt_, tile, &s);
    __syncthreads();
    STAGE(store);
    UNROLL for (int j = 0; j < p.w; j++)
    {
        /* Row j of this warp's matrix; as a diagonal it is read in the order of its columns. */
        struct square square = square_of(&s, tile, s.warp);
        int word = p.variant == VARIANT_DIAGONAL ? square_word(square, j, s.lane)
                                                 : matrix_word(p.w, s.lane, j);
        ROUND(j);
        out[(int)blockIdx.x * n + s.warp * p.w * p.w + j * p.w + s.lane] = LOAD(square.words, word);
    }
}

#ifdef SIMT_HOST

PARAMS(shear_sort) = {
    PARAM_W(8),
    PARAM(u, 0, 0, MAX_THREADS, "threads per block: h w, or 0 for the same"),
    PARAM_BLOCKS,
    PARAM_SHEAR_VARIANT,
    PARAM_SHEAR_MEMORY,
    PARAM(h, 1, 1, MAX_WARP, "squares side by side, one per warp; divides w"),
    {0},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct shear_sort *p = params;
    size_t n = (size_t)p->w * (size_t)p->w * (size_t)p->h;
    if (p->w % p->h)
        return error_set(error, "shear-sort: h = %d must divide w = %d", p->h, p->w);
    if (p->u && p->u != p->h * p->w)
        return error_set(error, "shear-sort: u is %d, but a block has h w = %d threads; omit u",
                         p->u, p->h * p->w);
    shape->threads = p->h * p->w;
    shape->shared_bytes = n * sizeof(int);
    shape->in_words = shape->out_words = n * (size_t)p->blocks;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct shear_sort *p = params;
    return check_sorted(shape->out_words / (size_t)p->blocks, (size_t)p->blocks, in, out, error);
}

ENTRY(shear_sort, .name = "shear-sort", .summary = "ShearSort: w x h w words without conflicts",
      .look =
          "In every round each lane uses a different bank, in rows and in columns. Compare the "
          "passes "
          "with those of odd-even-sort and batcher-sort on as many words, and with memory=shared.",
      .source = "bcfsort sections 3.1, 3.3, appendices D, E, F", .inputs = INPUT_ANY,
      .shape = shape, .prepare = prepare_numbers, .check = check)

#endif
