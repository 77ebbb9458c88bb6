/* colored.h - what the kernels of colored prefix sums share (bcfsort appendix A).
 *
 * Each element has one of d colors: its value mod d. A page has w CHUNK elements, CHUNK neighbouring
 * ones for each lane. Its counters form a matrix in shared memory: color c of lane t is word c w + t,
 * in lane t's own bank.
 */
#ifndef BANKSCOPE_COLORED_H
#define BANKSCOPE_COLORED_H

#include "kernels/matrix.h"

enum { VARIANT_NAIVE, VARIANT_CONFLICT_FREE };
enum { CHUNK = 8 /* elements per lane */ };

/* Sets all counters of a lane to 0, in `columns` rounds from `round` on. */
DEVICE void clear_counters(CONTEXT, SHARED_PTR(int) sums, int w, int columns, int lane, int round)
{
    for (int c = 0; c < columns; c++) {
        ROUND(round + c);
        STORE(sums, matrix_word(w, lane, c), 0);
    }
}

/* One pass over a lane's chunk, of which the elements below `end` are there: adds each to its color's
 * counter, and hands out the sums if `to` is not NULL. CHUNK rounds. */
DEVICE void scan_chunk(CONTEXT, SHARED_PTR(int) sums, int w, int colors, const int *from, int *to,
                       int first, int end, int lane, int round)
{
    for (int k = 0; k < CHUNK; k++) {
        int at = first + lane * CHUNK + k;
        ROUND(round + k);
        if (at < end) {
            int value = from[at], word = matrix_word(w, lane, value % colors);
            int sum = (int)((unsigned)LOAD(sums, word) + (unsigned)value);
            STORE(sums, word, sum);
            if (to)
                to[at] = sum;
        }
    }
}

/* Lane c makes exclusive prefix sums of color c's counters over the lanes, starting with `before`, and
 * returns the sum of all. In a turned matrix they lie in one bank for each color, else all lanes stand
 * in one bank. w rounds. */
DEVICE int scan_color(CONTEXT, SHARED_PTR(int) sums, int w, bool turned, int lane, int before,
                      int round)
{
    for (int t = 0; t < w; t++) {
        int word = turned ? matrix_word(w, lane, t) : matrix_word(w, t, lane);
        ROUND(round + t);
        int sum = LOAD(sums, word);
        STORE(sums, word, before);
        before = (int)((unsigned)before + (unsigned)sum);
    }
    return before;
}

#ifdef SIMT_HOST
SIMT_UNUSED static const char *const colored_variants[] = {"naive", "conflict-free", NULL};

/* One lane scans a color. */
static inline bool colors_fit(const char *name, int colors, int w, struct error *error)
{
    return colors <= w ||
           error_set(error, "%s: colors is %d, but one lane scans a color, and there are w = %d",
                     name, colors, w);
}
#endif
#endif
