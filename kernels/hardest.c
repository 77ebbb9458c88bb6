/* hardest.c - merge inputs with the most words on time, found by dynamic programming.
 *
 * On time. Thread i of a warp reads its E words in rounds 0 .. E - 1. Fix a bank s for the warp, where
 * its beach begins. A word is on time if it is read in round j from bank s + j. The words that are on
 * time in a round are different words in one bank, so a warp takes at least as many passes as it has
 * words on time.
 *
 * The papers' construction has s = w - E for all warps, and at most E E words on time in each, since
 * w E consecutive words put E in every bank. But in a block of several warps, a warp reads two
 * segments, one of A and one of B, and a bank can hold E + 1 of their words.
 *
 * A thread as a path. A thread that takes k words from A and E - k from B walks from (0, 0) to
 * (k, E - k): a step to the right for a word of A, a step up for one of B. Its words of A begin in
 * bank s + x, those of B in bank s + y. Its i-th word of A, read after b words of B, is on time if
 * x + i = i + b, that is b = x, modulo w; likewise a step up is on time at coordinates a = y. So there
 * are rows and columns, w apart, on which all steps are on time. The best path takes the shorter way
 * to the first crossing of such a row and column, stays on them up to the last crossing, and leaves
 * it along the longer line: E - min(x, y) - min(steps left to the right, steps left up).
 *
 *     E = 5, k = 3, x = 1, y = 3: up (late), right, right, right (row 1), up (column 3): 4 on time
 *
 * A warp. A thread's score depends only on x, y and k, and these give the next thread's x and y:
 * x + k and y + E - k. So the best shares of a warp's w threads form a path of w steps through w states
 * (words taken from A, modulo w).
 *
 * A block. All warps begin at a multiple of w words of the result. If r words of A have been taken
 * and B begins in bank c, then x - y = 2 r - c, whatever s is. This one number determines what a warp can
 * gain, and each warp may choose its own s. Again this is a path: r from 0 to |A|, where |A| = c
 * modulo w.
 *
 * What is proved:
 * - The result is the optimum of this objective: of all merges of u E words by u threads, it has the
 *   most words on time, summed over the warps, each with its best beach (hardest_merge: for lists of
 *   any lengths; hardest_fixed and hardest_warp: for lists of given lengths). tests/unit/test_hardest.c
 *   compares it with all merges of small sizes.
 * - hardest_halves is the optimum for two lists of w E m words. If A and B are exchanged and the
 *   order of all words is reversed, the words that were on time are on time again, on other beaches. So
 *   the second half of the threads can mirror the first half, and then |A| = |B|, whatever the first
 *   half took.
 * - No input takes more than E (E + 1) passes per warp in the model's order: a bank holds at most
 *   ceil(a / w) + ceil((w E - a) / w) <= E + 1 of the words of a warp that takes a words from A, and
 *   there are E rounds.
 *
 * What was found by computation but is not proved: for all 2 E <= w <= 64 and blocks of 2 or 4 warps,
 * the optimum is E (E + 1) per warp, so no input is worse. (For pairs of warps and |A| = |B|, the few
 * lines of tests/solutions/17-hardest.cu reach it, too.) In a block of one warp it is E E; with 3
 * warps it lies between. For 2 E > w it is less than the bound: 304 of 306 for w = 32, E = 17. Whether
 * other inputs take more passes, with words that collide in other ways, is open.
 *
 * The library's order. Reloads from A and reloads from B are two instructions, so each list has its
 * own beach: x and y are independent, and a warp can always reach its best score. A reload in round j
 * fetches the word that follows the j-th output, so the same steps are on time. The thread's first
 * words of both lists are read in round 0, on time if x = 0 and y = 0, and nothing is read after the
 * last step. The optimum found is again E (E + 1) per warp (2 E <= w <= 20, 1 to 4 warps).
 *
 * Cost: a single merge takes w^4 min(E + 1, w) steps, under 2^30 or a few seconds for w = 64. Lists of
 * given lengths take w |A| E steps per thread (w times that in the library's order, if affordable);
 * more than 4 billion steps are refused.
 */
#include "kernels/hardest.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { NEVER = INT_MIN / 2 };

/* n mod w in 0 .. w - 1. */
static int modulo(int64_t n, int w)
{
    int rest = (int)(n % w);
    return rest < 0 ? rest + w : rest;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* ---- one thread ------------------------------------------------------------------------------ */

/* So many steps in one direction. */
struct run {
    bool right;
    int steps;
};

/* The path of a thread that takes k words from A, with most steps on time: right steps are on time
 * at heights x, x + w, ..., steps up at x-coordinates y, y + w, .... Returns how many are. */
static int best_path(int w, int E, int x, int y, int k, struct run run[6])
{
    int up = E - k;
    bool row = x <= up, column = y <= k;
    if (row &&
        column) { /* on time all the way from the first crossing of two such lines to the last */
        int right_left = (k - y) % w, up_left = (up - x) % w;
        bool right_first = y < x, right_last = right_left < up_left;
        run[0] = (struct run){right_first, right_first ? y : x};
        run[1] = (struct run){!right_first, right_first ? x : y};
        run[2] = (struct run){true, k - y - right_left};
        run[3] = (struct run){false, up - x - up_left};
        run[4] = (struct run){!right_last, right_last ? up_left : right_left};
        run[5] = (struct run){right_last, right_last ? right_left : up_left};
        return E - smaller(x, y) - smaller(right_left, up_left);
    }
    memset(run, 0, 6 * sizeof *run);
    if (row) {
        run[0] = (struct run){false, x};
        run[1] = (struct run){true, k};
        run[2] = (struct run){false, up - x};
        return k;
    }
    run[0] = (struct run){true, column ? y : k};
    run[1] = (struct run){false, up};
    run[2] = (struct run){true, column ? k - y : 0};
    return column ? up : 0;
}

/* How many words are on time on that path. */
static int score_of(const struct hardest *h, int x, int y, int k)
{
    struct run run[6];
    int on_time = best_path(h->w, h->E, x, y, k, run), right = 0, up = 0;
    if (!h->library)
        return on_time;
    /* Both heads are read first; what would be read after the last step is not. */
    on_time += (x == 0 && k > 0) + (y == 0 && k < h->E);
    bool last = false;
    for (int i = 0; i < 6; i++)
        if (run[i].steps) {
            last = run[i].right ? up % h->w == x : right % h->w == y;
            *(run[i].right ? &right : &up) += run[i].steps;
        }
    return on_time - last;
}

bool hardest_init(struct hardest *h, int w, int E, bool library, struct error *error)
{
    size_t words = (size_t)w;
    *h = (struct hardest){.w = w, .E = E, .library = library};
    h->score = memory_array(words * words * (size_t)(E + 1), sizeof *h->score, "scores", error);
    if (!h->score)
        return false;
    int *score = h->score;
    for (int x = 0; x < w; x++)
        for (int y = 0; y < w; y++)
            for (int k = 0; k <= E; k++)
                *score++ = score_of(h, x, y, k);
    return true;
}

void hardest_free(struct hardest *h)
{
    free(h->score);
    free(h->gain);
    free(h->start);
    *h = (struct hardest){.w = 0};
}

/* The scores of all k of a thread whose words of A begin in bank x, those of B in bank y. */
static const int *scores(const struct hardest *h, int64_t x, int64_t y)
{
    return h->score +
           ((size_t)modulo(x, h->w) * (size_t)h->w + (size_t)modulo(y, h->w)) * (size_t)(h->E + 1);
}

/* Writes the E outputs of a thread. */
static void write_thread(const struct hardest *h, int64_t x, int64_t y, int k, bool *in_a)
{
    struct run run[6];
    best_path(h->w, h->E, modulo(x, h->w), modulo(y, h->w), k, run);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < run[i].steps; j++)
            *in_a++ = run[i].right;
}

/* ---- a warp, by remainders ------------------------------------------------------------------- */

/* One thread: best[d] is the score of the threads before it that took d words of A, modulo w. */
static void step(const struct hardest *h, int thread, int x, int y, const int *best, int *next,
                 short *taken)
{
    int w = h->w, E = h->E;
    for (int d = 0; d < w; d++)
        next[d] = NEVER;
    for (int d = 0; d < w; d++) {
        if (best[d] == NEVER)
            continue;
        const int *score = scores(h, x + d, (int64_t)y + (int64_t)thread * E - d);
        for (int k = 0, to = d; k <= E; k++, to = to + 1 == w ? 0 : to + 1)
            if (best[d] + score[k] > next[to]) {
                next[to] = best[d] + score[k];
                if (taken)
                    taken[to] = (short)k;
            }
    }
}

/* gain[D w + d]: the most that a warp scores that takes d words of A modulo w and whose lists begin
 * in banks x and y = x - D of its beach, for the best x. In the library's order A and B have a beach
 * each, so the best of all D will do. */
static void find_gains(struct hardest *h)
{
    int w = h->w, best[2][MAX_WARP];
    size_t size = (size_t)w * (size_t)w;
    h->gain = memory_new(size, sizeof *h->gain);
    h->start = memory_new(size, sizeof *h->start);
    for (size_t i = 0; i < size; i++)
        h->gain[i] = NEVER;
    for (int x = 0; x < w; x++)
        for (int y = 0; y < w; y++) {
            int *gain = h->gain + (h->library ? 0 : modulo(x - y, w) * w);
            struct hardest_start *start = h->start + (gain - h->gain);
            for (int d = 0; d < w; d++)
                best[0][d] = d ? NEVER : 0;
            for (int thread = 0; thread < w; thread++)
                step(h, thread, x, y, best[thread % 2], best[1 - thread % 2], NULL);
            for (int d = 0; d < w; d++)
                if (best[w % 2][d] > gain[d]) {
                    gain[d] = best[w % 2][d];
                    start[d] = (struct hardest_start){(uint8_t)x, (uint8_t)y};
                }
        }
    for (int D = 1; h->library && D < w; D++) {
        memcpy(h->gain + D * w, h->gain, (size_t)w * sizeof *h->gain);
        memcpy(h->start + D * w, h->start, (size_t)w * sizeof *h->start);
    }
}

/* Writes the outputs of such a warp. */
static void write_warp(const struct hardest *h, int D, int d, bool *in_a)
{
    int w = h->w, E = h->E, best[2][MAX_WARP];
    struct hardest_start start = h->start[D * w + d];
    short taken[MAX_WARP][MAX_WARP];
    for (int i = 0; i < w; i++)
        best[0][i] = i ? NEVER : 0;
    for (int thread = 0; thread < w; thread++)
        step(h, thread, start.x, start.y, best[thread % 2], best[1 - thread % 2], taken[thread]);
    for (int thread = w - 1; thread >= 0; thread--) {
        int k = taken[thread][d];
        d = modulo(d - k, w);
        write_thread(h, start.x + d, start.y + (int64_t)thread * E - d, k, in_a + thread * E);
    }
}

/* The best sequence of warps, where A begins in bank 0 and B in bank c: before a warp whose
 * predecessors took r words of A, D = 2 r - c modulo w. All together take `end` words of A modulo w
 * (ANY_END: as many as they like). Returns the score; writes the outputs unless in_a is NULL. */
enum { ANY_END = -1 };
static int64_t warp_sequence(const struct hardest *h, int warps, int c, int end, bool *in_a)
{
    int w = h->w;
    int64_t best[2][MAX_WARP] = {{0}};
    uint8_t *taken = in_a ? memory_new((size_t)warps * (size_t)w, 1) : NULL;
    for (int r = 0; r < w; r++)
        best[0][r] = r ? NEVER : 0;
    for (int i = 0; i < warps; i++) {
        int64_t *now = best[i % 2], *next = best[1 - i % 2];
        for (int r = 0; r < w; r++)
            next[r] = NEVER;
        for (int r = 0; r < w; r++) {
            const int *gain = h->gain + modulo(2 * r - c, w) * w;
            for (int d = 0, to = r; now[r] >= 0 && d < w; d++, to = to + 1 == w ? 0 : to + 1)
                if (gain[d] >= 0 && now[r] + gain[d] > next[to]) {
                    next[to] = now[r] + gain[d];
                    if (taken)
                        taken[i * w + to] = (uint8_t)d;
                }
        }
    }
    int r = end == ANY_END ? 0 : end;
    for (int i = 0; end == ANY_END && i < w; i++)
        if (best[warps % 2][i] > best[warps % 2][r])
            r = i;
    int64_t score = best[warps % 2][r];
    for (int i = warps - 1; in_a && i >= 0; i--) {
        int d = taken[i * w + r];
        r = modulo(r - d, w);
        write_warp(h, modulo(2 * r - c, w), d, in_a + (size_t)i * (size_t)w * (size_t)h->E);
    }
    free(taken);
    return score;
}

int64_t hardest_merge(struct hardest *h, int threads, bool *in_a)
{
    int warps = threads / h->w, best = 0;
    int64_t most = NEVER;
    if (!h->gain)
        find_gains(h);
    if (h->library)
        return warp_sequence(h, warps, 0, ANY_END, in_a);
    for (int c = 0; c < h->w; c++) {
        int64_t score = warp_sequence(h, warps, c, c, NULL);
        if (score > most) {
            most = score;
            best = c;
        }
    }
    return warp_sequence(h, warps, best, best, in_a);
}

/* What the threads take, and behind it the same with A and B exchanged: in the model's order
 * backwards, in the library's warp by warp. */
static int64_t mirrored(const struct hardest *h, int threads, bool *in_a)
{
    size_t half = (size_t)threads / 2 * (size_t)h->E;
    int64_t score = warp_sequence(h, threads / 2 / h->w, 0, ANY_END, in_a);
    for (size_t i = 0; i < half; i++)
        in_a[half + i] = !in_a[h->library ? i : half - 1 - i];
    return 2 * score;
}

int64_t hardest_halves(struct hardest *h, int threads, bool *in_a)
{
    int pairs = threads / 2 / h->w;
    size_t pair = (size_t)(2 * h->w) * (size_t)h->E;
    if (!h->gain)
        find_gains(h);
    /* Among inputs with as many words on time, one in which two warps after two take half of each list:
     * then the searches before the merge collide more, too. */
    int64_t score = 2 * warp_sequence(h, pairs, 0, ANY_END, NULL);
    if (pairs * mirrored(h, 2 * h->w, in_a) < score)
        return mirrored(h, threads, in_a);
    for (int i = 1; i < pairs; i++)
        memcpy(in_a + (size_t)i * pair, in_a, pair * sizeof *in_a);
    return score;
}

/* ---- lists of given lengths ------------------------------------------------------------------ */

/* A merge of na and nb words from bank `first` on. */
struct lists {
    int first, na, nb;
};

/* The banks in which the beaches of A and B begin. */
struct beaches {
    int a, b;
};

static struct beaches beaches_of(const struct hardest *h, int i, int count)
{
    return (struct beaches){i % h->w, count > h->w ? i / h->w : i};
}

/* best[a], of the first `thread` threads that took a words of A, becomes that of one more. */
static void fixed_step(const struct hardest *h, const struct lists *lists, struct beaches at,
                       int thread, const int *best, int *next, short *taken)
{
    int E = h->E;
    for (int a = 0; a <= lists->na; a++)
        next[a] = NEVER;
    for (int a = 0; a <= lists->na; a++) {
        int b = thread * E - a;
        if (best[a] == NEVER || b < 0)
            continue;
        int least = E - (lists->nb - b), most = smaller(E, lists->na - a);
        const int *score = scores(h, (int64_t)lists->first + a - at.a,
                                  (int64_t)lists->first + lists->na + b - at.b);
        for (int k = least > 0 ? least : 0; k <= most; k++)
            if (best[a] + score[k] > next[a + k]) {
                next[a + k] = best[a] + score[k];
                if (taken)
                    taken[a + k] = (short)k;
            }
    }
}

/* `threads` threads from `thread` on, from *best to *best; *next is as large. */
static void fixed_steps(const struct hardest *h, const struct lists *lists, struct beaches at,
                        int thread, int threads, int **best, int **next, short *taken)
{
    for (int i = 0; i < threads; i++) {
        fixed_step(h, lists, at, thread + i, *best, *next,
                   taken ? taken + (size_t)i * (size_t)(lists->na + 1) : NULL);
        int *swap = *best;
        *best = *next;
        *next = swap;
    }
}

/* Writes the outputs of these threads, which end at a words of A. Returns a before them. */
static int fixed_write(const struct hardest *h, const struct lists *lists, struct beaches at,
                       int thread, int threads, int a, const short *taken, bool *in_a)
{
    for (int i = threads - 1; i >= 0; i--) {
        int k = taken[(size_t)i * (size_t)(lists->na + 1) + (size_t)a];
        a -= k;
        write_thread(h, (int64_t)lists->first + a - at.a,
                     (int64_t)lists->first + lists->na + (int64_t)(thread + i) * h->E - a - at.b, k,
                     in_a + (size_t)(thread + i) * (size_t)h->E);
    }
    return a;
}

/* How many places of the beaches to try, each of which takes so many steps: all, or in the library's
 * order those where both lists have the same. 0: even these are too many. */
static int beaches_to_try(struct hardest *h, double steps, struct error *error)
{
    enum { MOST = 4 }; /* billion: about ten seconds */
    int w = h->w, count = h->library && h->steps + steps * w * w <= MOST * 1e9 ? w * w : w;
    if (h->steps + steps * w > MOST * 1e9) {
        error_set(error,
                  "--input hardest: for w = %d and E = %d the search takes %.0f billion steps, and "
                  "at most %d billion are allowed; choose smaller ones, or input worst",
                  w, h->E, (h->steps + steps * w) / 1e9, MOST);
        return 0;
    }
    h->steps += steps * count;
    return count;
}

bool hardest_warp(struct hardest *h, const int *threads, int pairs, bool *in_a, int64_t *on_time,
                  struct error *error)
{
    int w = h->w, E = h->E, best_beach = 0, words = w * E + 1;
    double steps = 0;
    for (int i = 0; i < pairs; i++)
        steps += (double)(threads[2 * i] + threads[2 * i + 1]) * (threads[2 * i] * E + 1) * (E + 1);
    int count = beaches_to_try(h, steps, error);
    if (!count)
        return false;
    int *memory = memory_new((size_t)words * 2, sizeof *memory), *best = memory;
    int *next = memory + words;
    short *taken = memory_new((size_t)words * (size_t)w, sizeof *taken);
    *on_time = NEVER;
    for (int i = 0; i <= count; i++) { /* the last time round: the best again, to be written */
        bool last = i == count;
        struct beaches at = beaches_of(h, last ? best_beach : i, count);
        int64_t score = 0;
        for (int pair = 0, before = 0; pair < pairs; pair++) {
            int a = threads[2 * pair], b = threads[2 * pair + 1];
            struct lists lists = {before * E, a * E, b * E};
            for (int k = 0; k <= lists.na; k++)
                best[k] = k ? NEVER : 0;
            fixed_steps(h, &lists, at, 0, a + b, &best, &next, last ? taken : NULL);
            score += best[lists.na];
            if (last)
                fixed_write(h, &lists, at, 0, a + b, lists.na, taken, in_a + before * E);
            before += a + b;
        }
        if (score > *on_time) {
            *on_time = score;
            best_beach = i;
        }
    }
    free(memory);
    free(taken);
    return true;
}

bool hardest_fixed(struct hardest *h, int threads_a, int threads_b, bool *in_a, int64_t *on_time,
                   struct error *error)
{
    int w = h->w, E = h->E, warps = (threads_a + threads_b) / w;
    struct lists lists = {0, threads_a * E, threads_b * E};
    size_t states = (size_t)lists.na + 1;
    int count = beaches_to_try(h, (double)warps * w * (double)states * (E + 1), error);
    if (!count)
        return false;
    /* The best before warp i for each a, and the beaches with which warp i reaches a. */
    int *before = memory_array((size_t)(warps + 1) * states, sizeof *before, "words", error);
    short *beach =
        before ? memory_array((size_t)warps * states, sizeof *beach, "words", error) : NULL;
    short *taken = beach ? memory_array((size_t)w * states, sizeof *taken, "words", error) : NULL;
    int *memory = taken ? memory_array(2 * states, sizeof *memory, "words", error) : NULL;
    for (size_t a = 0; memory && a < (size_t)(warps + 1) * states; a++)
        before[a] = a ? NEVER : 0;
    for (int i = 0; memory && i < warps; i++)
        for (int k = 0; k < count; k++) {
            int *best = memory, *next = memory + states;
            memcpy(best, before + (size_t)i * states, states * sizeof *best);
            fixed_steps(h, &lists, beaches_of(h, k, count), i * w, w, &best, &next, NULL);
            for (size_t a = 0; a < states; a++)
                if (best[a] > before[(size_t)(i + 1) * states + a]) {
                    before[(size_t)(i + 1) * states + a] = best[a];
                    beach[(size_t)i * states + a] = (short)k;
                }
        }
    if (memory)
        *on_time = before[(size_t)warps * states + (size_t)lists.na];
    for (int i = warps - 1, a = lists.na; memory && i >= 0; i--) {
        int *best = memory, *next = memory + states;
        struct beaches at = beaches_of(h, beach[(size_t)i * states + (size_t)a], count);
        memcpy(best, before + (size_t)i * states, states * sizeof *best);
        fixed_steps(h, &lists, at, i * w, w, &best, &next, taken);
        a = fixed_write(h, &lists, at, i * w, w, a, taken, in_a);
    }
    bool good = memory;
    free(before);
    free(beach);
    free(taken);
    free(memory);
    return good;
}
