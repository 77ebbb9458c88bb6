/* cf_sort4.cu - the fast sort of sort/, as it looks in shared memory: four runs per pass.
 *
 * With E = w items per thread, the windows of A and of B (stored in descending order) that a thread
 * gathers are w addresses in w different banks, whatever the data. No permutation is needed, only the
 * right rotation (sort/layout.h, which this file and the GPU's kernels share).
 *
 * Launch 0 sorts runs of u w words: first a row of w words in each thread's registers, then levels of
 * merges in rows of w + 1 words. Each further launch merges groups of four runs A, B, C, D into one;
 * odd runs are in descending order. A block makes u - 2 rows of the output. It finds where they begin
 * and end in the four runs (stage partition), loads the four windows as they lie (load), merges A with
 * B and C with D from the linear tile (search-1, gather-1), stores rows (store-1), and merges AB with
 * CD from these (search-2, gather-2). For w = 8 and u = 16, a run has 128 words and a block makes 112
 * words of the output.
 *
 * Gathers have one way in every round. So do the stores of the four-run merges and of levels that
 * work on whole warps. The stores of levels within a warp have two ways, because A's lanes go up a
 * row while B's go down.
 */
#include "kernels/sort.h"
#include "sort/layout.h"

struct cf_sort4 {
    int w, u, n, launch;
};

/* Behind these come the levels of launch 0: store, search, gather of each. */
STAGES(partition, load, search_1, gather_1, store_1, search_2, gather_2, sort_1)

/* A run in global memory: odd ones lie descending. */
struct sort4_run {
    const int *word;
    int length;
    bool reversed;
};

DEVICE int run_at(const struct sort4_run run, int i)
{
    return run.word[run.reversed ? run.length - 1 - i : i];
}

/* Run k of a group, which begins at word `begin` of n; runs have `length` words, the last may have
 * fewer. */
DEVICE struct sort4_run run_of(const int *in, int n, int begin, int length, int k)
{
    int first = begin + k * length, left = n - first;
    struct sort4_run run = {in + first, left < 0 ? 0 : left < length ? left : length, k % 2 == 1};
    return run;
}

/* The word of item i of a list: A's in rows from row 0 up, B's in rows from row u - 1 down. */
DEVICE int row_word(int w, int begin, int end, bool in_b, int i)
{
    return in_b ? (end - 1 - i / w) * (w + 1) + w - 1 - i % w : (begin + i / w) * (w + 1) + i % w;
}

/* Two lists in a tile: linear, or in rows. */
struct sort4_lists {
    bool rows;
    int begin, end; /* linear: A's first word, one behind B's; rows: the same of rows */
    int a_count, b_count;
};

DEVICE int list_word(int w, const struct sort4_lists lists, bool in_b, int i)
{
    if (lists.rows)
        return row_word(w, lists.begin, lists.end, in_b, i);
    return in_b ? lists.end - 1 - i : lists.begin + i;
}

/* How many of the first `diagonal` items are A's, ties from A first. */
DEVICE int sort4_search(CONTEXT, SHARED_PTR(const int) tile, int w, const struct sort4_lists lists,
                        int diagonal)
{
    int low = diagonal < lists.b_count ? 0 : diagonal - lists.b_count;
    int high = diagonal < lists.a_count ? diagonal : lists.a_count;
    for (int step = 0; low < high; step++) {
        int middle = (low + high) >> 1;
        ROUND(step);
        int a = LOAD_TAG(tile, list_word(w, lists, false, middle), 'A');
        int b = LOAD_TAG(tile, list_word(w, lists, true, diagonal - 1 - middle), 'B');
        if (b < a)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The gather of row l of the lists' merge, of which ca items from item a on are A's. */
DEVICE void sort4_gather(CONTEXT, SHARED_PTR(const int) tile, int w, const struct sort4_lists lists,
                         int l, int a, int ca, int *items, char tag_a)
{
    int lane = (int)threadIdx.x % w;
    struct gather_plan plan = lists.rows ? gather_rows(w, lists.begin, lists.end, l, a, ca)
                                         : gather_linear(w, lane, lists.begin, lists.end, l, a, ca);
    for (int j = 0; j < w; j++) {
        bool in_b = (w - plan.wrap_round + j) % w >= ca; /* the turn, then one after another */
        ROUND(j);
        items[j] = LOAD_TAG(tile, gather_address(plan, j), (char)(tag_a + in_b));
    }
    sort_registers(items, w);
}

/* Where the next thread begins, from one that it is told by; the last one of its lists knows. */
DEVICE int sort4_behind(CONTEXT, SHARED_PTR(int) start, int a, bool last, int a_count, int round)
{
    int t = threadIdx.x;
    ROUND(round);
    STORE(start, t, a);
    __syncthreads();
    ROUND(round + 1);
    return last ? a_count : LOAD(start, t + 1);
}

DEVICE void sort4_store(CONTEXT, SHARED_PTR(int) tile, int w, int row, bool reversed,
                        const int *items, int round)
{
    for (int j = 0; j < w; j++) {
        ROUND(round + j);
        STORE_TAG(tile, row * (w + 1) + (reversed ? w - 1 - j : j), items[j], reversed ? 'B' : 'A');
    }
}

/* Rounds that a search of lists of so many words takes at most. */
DEVICE int sort4_rounds(int words)
{
    return log2_up(words + 1) + 1;
}

/* Stage partition: threads 0 to 3 select the split at item d[0] of the group, each in its run, and
 * threads 4 to 7 that at d[1]. The block of s items whose last item is the smallest is taken, as long
 * as it must be among the d smallest; then s is halved. split[8] gets the positions. */
DEVICE void sort4_partition(CONTEXT, SHARED_PTR(int) head, SHARED_PTR(int) split,
                            const struct sort4_run run, int length, int d)
{
    int t = threadIdx.x, quad = t & ~3, position = 0, missing = d, round = 0;
    for (int log = log2_up(length); log >= 0; log--) {
        int s = 1 << log, excess = missing - 3 * (s - 1), wanted = excess < 0 ? 0 : excess >> log;
        for (int i = 0; i < 4; i++, round++) {
            bool have = position + s <= run.length;
            ROUND(round);
            if (t < 8) { /* an item, or that there is none */
                STORE(head, t, have);
                STORE(head, 8 + t, have ? run_at(run, position + s - 1) : 0);
            }
            __syncthreads();
            if (t < 8) {
                int least = -1, item = 0;
                SLOT(2);
                for (int k = 0; k < 4; k++) {
                    int other_have = LOAD(head, quad + k), other = LOAD(head, 8 + quad + k);
                    if (other_have && (least < 0 || other < item)) {
                        least = k;
                        item = other;
                    }
                }
                if (i < wanted && least == t - quad)
                    position += s;
            }
            __syncthreads();
        }
        missing -= wanted * s;
    }
    ROUND(round);
    if (t < 8)
        STORE(split, t, position);
    __syncthreads();
}

/* The split of two runs at item `to` of their merge, where that at item pa + pb is pa, pb. */
DEVICE int sort4_round(const struct sort4_run a, const struct sort4_run b, int to)
{
    int low = to < b.length ? 0 : to - b.length, high = to < a.length ? to : a.length;
    while (low < high) {
        int middle = (low + high) >> 1;
        if (run_at(b, to - 1 - middle) < run_at(a, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Copies items first .. first + count - 1 of a run to the tile, as they lie. */
DEVICE void sort4_load(CONTEXT, SHARED_PTR(int) tile, const struct sort4_run run, int first,
                       int count, int to, int u, int *round, char tag)
{
    int from = run.reversed ? run.length - first - count : first;
    for (int i = 0; i < count; i += u, ++*round) {
        ROUND(*round);
        if (i + (int)threadIdx.x < count)
            STORE_TAG(tile, to + i + (int)threadIdx.x, run.word[from + i + (int)threadIdx.x], tag);
    }
}

/* Launch 0: the block's run, from a row in each thread's registers to one of u rows. */
DEVICE void sort4_first(CONTEXT, SHARED_PTR(int) tile, SHARED_PTR(int) start, int w, int u,
                        const int *in, int *out, int *items)
{
    int t = threadIdx.x, block = blockIdx.x, run = u * w;
    for (int i = 0; i < w; i++)
        items[i] = in[block * run + t * w + i];
    sort_registers(items, w);
    for (int half = 1, stage = 0; half < u; half *= 2, stage += 3) {
        int l = t % (2 * half), group = t - l;
        bool in_b = l >= half;
        struct sort4_lists lists = {true, group, group + 2 * half, half * w, half * w};
        __syncthreads();
        STAGE(sort_1 + stage);
        sort4_store(simt_, tile, w, in_b ? group + 3 * half - 1 - l : t, in_b, items, 0);
        __syncthreads();
        STAGE(sort_1 + stage + 1);
        int a = sort4_search(simt_, tile, w, lists, l * w);
        int behind =
            sort4_behind(simt_, start, a, l == 2 * half - 1, half * w, sort4_rounds(half * w));
        STAGE(sort_1 + stage + 2);
        sort4_gather(simt_, tile, w, lists, l, a, behind - a, items, 'A');
    }
    for (int i = 0; i < w; i++)
        out[block * run + (block % 2 ? run - 1 - (t * w + i) : t * w + i)] = items[i];
}

KERNEL(cf_sort4)
{
    int w = p.w, u = p.u, t = threadIdx.x, block = blockIdx.x, run = u * w, T = (u - 2) * w;
    int n = (p.n + run - 1) / run * run;
    SHARED(int, tile, (u + 4) * (w + 1));
    SHARED(int, start, u);
    SHARED(int, head, 16);
    SHARED(int, split, 8);
    REGISTERS(int, items, p.w);

    if (p.launch == 0) {
        if (block * run < n)
            sort4_first(simt_, tile, start, w, u, in, out, items);
        return;
    }

    int length = run;
    for (int i = 1; i < p.launch; i++)
        length *= 4;
    int tiles = ((4 * length < n ? 4 * length : n) + T - 1) / T, group = block / tiles;
    int number = block % tiles, begin = group * 4 * length;
    if (begin >= n || number * T >= n - begin)
        return;
    int all = n - begin < 4 * length ? n - begin : 4 * length;
    int first = number * T, behind = first + T < all ? first + T : all;

    STAGE(partition);
    struct sort4_run runs[4];
    for (int k = 0; k < 4; k++)
        runs[k] = run_of(in, n, begin, length, k);
    sort4_partition(simt_, head, split, runs[t % 4], length, t < 4 ? first : behind);
    int from[4], to[4]; /* A + B and C + D in whole rows */
    SLOT(2);
    for (int k = 0; k < 4; k++) {
        from[k] = LOAD(split, k);
        to[k] = LOAD(split, 4 + k);
    }
    int skipped = (from[0] + from[1]) % w > 0;
    for (int k = 0; k < 4; k += 2) {
        int down = (from[k] + from[k + 1]) / w * w, up = (to[k] + to[k + 1] + w - 1) / w * w;
        from[k] = sort4_round(runs[k], runs[k + 1], down);
        from[k + 1] = down - from[k];
        to[k] = sort4_round(runs[k], runs[k + 1], up);
        to[k + 1] = up - to[k];
    }

    STAGE(load);
    int count[4], round = 0;
    for (int k = 0; k < 4; k++)
        count[k] = to[k] - from[k];
    struct sort4_lists ab = {false, 0, count[0] + count[1] + w, count[0], count[1]};
    struct sort4_lists cd = {false, ab.end, ab.end + count[2] + count[3] + w, count[2], count[3]};
    sort4_load(simt_, tile, runs[0], from[0], count[0], ab.begin, u, &round, 'A');
    sort4_load(simt_, tile, runs[1], from[1], count[1], ab.end - count[1], u, &round, 'B');
    sort4_load(simt_, tile, runs[2], from[2], count[2], cd.begin, u, &round, 'C');
    sort4_load(simt_, tile, runs[3], from[3], count[3], cd.end - count[3], u, &round, 'D');
    __syncthreads();

    int ab_rows = (count[0] + count[1]) / w, rows = ab_rows + (count[2] + count[3]) / w;
    int row = t < rows ? t : rows - 1, l = row < ab_rows ? row : row - ab_rows;
    struct sort4_lists mine = row < ab_rows ? ab : cd;
    STAGE(search_1);
    int a = sort4_search(simt_, tile, w, mine, l * w);
    int next = sort4_behind(simt_, start, a, t == ab_rows - 1 || t >= rows - 1, mine.a_count,
                            sort4_rounds(T));
    STAGE(gather_1);
    sort4_gather(simt_, tile, w, mine, l, a, next - a, items, row < ab_rows ? 'A' : 'C');
    __syncthreads();
    STAGE(store_1);
    if (t < ab_rows) /* two branches: other instructions, other rounds */
        sort4_store(simt_, tile, w, t, false, items, 0);
    else if (t < rows)
        sort4_store(simt_, tile, w, u - 1 - l, true, items, w);
    __syncthreads();

    struct sort4_lists both = {true, 0, u, ab_rows * w, (rows - ab_rows) * w};
    STAGE(search_2);
    a = sort4_search(simt_, tile, w, both, row * w);
    next = sort4_behind(simt_, start, a, t >= rows - 1, both.a_count, sort4_rounds(T));
    STAGE(gather_2);
    sort4_gather(simt_, tile, w, both, row, a, next - a, items, 'A');
    for (int i = 0; i < w; i++) {
        int at = first + (t - skipped) * w + i;
        if (t < rows && t >= skipped && at < behind)
            out[begin + (group % 2 ? all - 1 - at : at)] = items[i];
    }
}

#ifdef SIMT_HOST

#include <limits.h>

PARAMS(cf_sort4) = {PARAM_W(8),
                    PARAM_U(16),
                    PARAM(n, 500, 1, 1 << 20, "words to sort; the last run is padded"),
                    {0}};

static int padded(const struct cf_sort4 *p)
{
    int run = p->u * p->w;
    return (p->n + run - 1) / run * run;
}

static int launches(const void *params)
{
    const struct cf_sort4 *p = params;
    int count = 1;
    for (int64_t length = p->u * p->w; length < padded(p); length *= 4)
        count++;
    return count;
}

static bool stage_name(const void *params, int i, char name[64])
{
    static const char *const merging[] = {"partition", "load",     "search-1", "gather-1",
                                          "store-1",   "search-2", "gather-2"};
    static const char *const sorting[] = {"store", "search", "gather"};
    const struct cf_sort4 *p = params;
    if (i < stage_sort_1)
        snprintf(name, 64, "%s", merging[i]);
    else
        snprintf(name, 64, "sort-%s-%d", sorting[(i - stage_sort_1) % 3],
                 (i - stage_sort_1) / 3 + 1);
    return i < stage_sort_1 + 3 * log2_up(p->u);
}

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct cf_sort4 *p = params;
    int run = p->u * p->w, T = (p->u - 2) * p->w, n = padded(p), blocks = n / run;
    if (p->w & (p->w - 1) || p->u & (p->u - 1) || p->u < 8)
        return error_set(error, "w and u must be powers of two and u at least 8; w is %d, u is %d",
                         p->w, p->u);
    for (int64_t length = run; length < n; length *= 4) {
        int64_t group = 4 * length < n ? 4 * length : n;
        int all = (int)((n + 4 * length - 1) / (4 * length) * ((group + T - 1) / T));
        blocks = all > blocks ? all : blocks;
    }
    shape->blocks = blocks;
    shape->shared_bytes = (size_t)((p->u + 4) * (p->w + 1) + p->u + 24) * sizeof(int);
    shape->in_words = shape->out_words = (size_t)n;
    return true;
}

static bool prepare(const void *params, const struct kernel_shape *shape, const struct input *input,
                    int *in, struct error *error)
{
    const struct cf_sort4 *p = params;
    for (size_t i = (size_t)p->n; i < shape->in_words; i++)
        in[i] = INT_MAX;
    return input_numbers(input, in, (size_t)p->n, error);
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct cf_sort4 *p = params;
    (void)shape;
    return check_sorted((size_t)p->n, 1, in, out, error);
}

ENTRY(
    cf_sort4, .name = "cf-sort4", .summary = "the fast sort of sort/: four runs per pass, E = w",
    .look =
        "Step through gather-1 and gather-2: one way in every round, for any input. In stage load, "
        "B and D arrive in descending order, as they lie in memory. In stage partition, four "
        "threads "
        "find each split.",
    .source = "sort/layout.h, after cfmerge section 3", .inputs = INPUT_ANY,
    .stage_name = stage_name, .shape = shape, .prepare = prepare, .check = check,
    .launches = launches, .launch = MEMBER(launch))

#endif
