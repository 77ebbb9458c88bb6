/* shear.h - rows and columns of a matrix, sorted without conflicts: what the kernels built on
 * ShearSort share (bcfsort sections 3.1 and 3.3).
 *
 * A row is one bank, so a warp sorts its w rows at once, one row per lane, in registers. Columns are
 * sorted either as the rows of the transposed matrix (variant=transpose) or in place, with diagonals
 * taking the role of rows (variant=diagonal): row i, column j is then
 * M[(i + j) mod w][j], and neither a row nor a column has two words in a bank.
 */
#ifndef BANKSCOPE_SHEAR_H
#define BANKSCOPE_SHEAR_H

#include "kernels/matrix.h"

enum { VARIANT_TRANSPOSE, VARIANT_DIAGONAL };
enum { MEMORY_REGISTERS, MEMORY_SHARED }; /* where lines are sorted (bcfsort appendix D) */

/* The w x w matrix of a warp, and one of its lanes. */
struct square {
    SHARED_PTR(int) words; /* in a shared array */
    int w, variant, lane;
    int memory; /* MEMORY_REGISTERS, if not said */
};

/* The word of row i, column j. */
DEVICE int square_word(const struct square m, int i, int j)
{
    return matrix_word(m.w, m.variant == VARIANT_DIAGONAL ? (i + j) % m.w : i, j);
}

/* Sorts the lines by the network in place: a comparator reads two words and writes two, in a round of
 * its own. As many rounds as there are comparators. */
DEVICE int sort_lines_in_place(CONTEXT, const struct square m, bool columns, int piece, int first,
                               int step, int round)
{
    for (int at = 0; at < m.w; at += piece) {
        bool down = (first + at / piece * step) % 2;
        for (int p = 1; p < piece; p *= 2)
            for (int k = p; k > 0; k /= 2)
                for (int x = 0; x < piece; x++) {
                    if (!is_comparator(piece, p, k, x))
                        continue;
                    int i = at + x, j = at + x + k;
                    int low = columns ? square_word(m, i, m.lane) : square_word(m, m.lane, i);
                    int high = columns ? square_word(m, j, m.lane) : square_word(m, m.lane, j);
                    ROUND(round++);
                    int a = LOAD(m.words, low), b = LOAD(m.words, high);
                    bool swap = down ? a < b : b < a;
                    STORE(m.words, low, swap ? b : a);
                    STORE(m.words, high, swap ? a : b);
                }
    }
    SYNC_WARP(m.w);
    return round;
}

/* Each lane sorts its row, or its column, in pieces of `piece` words. Piece k goes down if
 * first + k * step is odd, else up; for whole lines first alone says it. All lanes store to the
 * same place of their lines at a time, and choose the register: to walk the other way, as Algorithm
 * 2 is printed, brings diagonals of different direction together in banks. The caller has passed a
 * barrier since others read or wrote. Rounds begin at `round`; returns the one after the last. */
DEVICE int sort_lines(CONTEXT, const struct square m, bool columns, int piece, int first, int step,
                      int round)
{
    REGISTERS(int, items, m.w);
    if (m.memory == MEMORY_SHARED)
        return sort_lines_in_place(simt_, m, columns, piece, first, step, round);
    UNROLL for (int j = 0; j < m.w; j++)
    {
        ROUND(round + j);
        items[j] = LOAD(m.words, columns ? square_word(m, j, m.lane) : square_word(m, m.lane, j));
    }
    UNROLL for (int at = 0; at < m.w; at += piece)
    {
        sort_network(items + at, piece);
    }
    UNROLL for (int j = 0; j < m.w; j++)
    {
        int k = j / piece;
        bool down = (first + k * step) % 2;
        int word = columns ? square_word(m, j, m.lane) : square_word(m, m.lane, j);
        ROUND(round + m.w + j);
        STORE(m.words, word, down ? items[k * piece + (piece - 1 - j % piece)] : items[j]);
    }
    SYNC_WARP(m.w);
    return round + 2 * m.w;
}

#ifdef SIMT_HOST

static const char *const shear_memories[] = {"registers", "shared", NULL};
#define PARAM_SHEAR_MEMORY                                                                         \
    PARAM_WORDS(memory, MEMORY_REGISTERS, shear_memories, "where rows and columns are sorted")

static const char *const shear_variants[] = {"transpose", "diagonal", NULL};
#define PARAM_SHEAR_VARIANT                                                                        \
    PARAM_WORDS(variant, VARIANT_TRANSPOSE, shear_variants, "how columns are accessed")

#endif
#endif
