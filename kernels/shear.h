/* shear.h - rows and columns of a matrix, sorted without conflicts: what the kernels built on
 * ShearSort share (bcfsort sections 3.1 and 3.3).
 *
 * A row is one bank, so a warp sorts its w rows at once, each lane one row, in registers. Columns
 * are sorted either as the rows of the transposed matrix (variant=transpose), or where they are,
 * because diagonals stand in for rows (variant=diagonal): row i, column j is then
 * M[(i + j) mod w][j], and neither a row nor a column has two words in a bank.
 */
#ifndef BANKSCOPE_SHEAR_H
#define BANKSCOPE_SHEAR_H

#include "kernels/matrix.h"

enum { VARIANT_TRANSPOSE, VARIANT_DIAGONAL };

/* The w x w matrix of a warp, and one of its lanes. */
struct square {
    SHARED_PTR(int) words; /* in a shared array */
    int w, variant, lane;
};

/* The word of row i, column j. */
DEVICE int square_word(const struct square m, int i, int j)
{
    return matrix_word(m.w, m.variant == VARIANT_DIAGONAL ? (i + j) % m.w : i, j);
}

enum { SORT_LINES_ROUNDS = 2 /* times w: what sort_lines takes */ };

/* Each lane sorts its row, or its column, in pieces of `piece` words. Piece k goes down if
 * first + k * step is odd, else up; for whole lines first alone says it. All lanes store to the
 * same place of their lines at a time, and choose the register: to walk the other way, as Algorithm
 * 2 is printed, brings diagonals of different direction together in banks. The caller has passed a
 * barrier since others read or wrote. Rounds begin at `round`. */
DEVICE void sort_lines(CONTEXT, const struct square m, bool columns, int piece, int first, int step,
                       int round)
{
    REGISTERS(int, items, m.w);
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
}

#ifdef SIMT_HOST

static const char *const shear_variants[] = {"transpose", "diagonal", NULL};
#define PARAM_SHEAR_VARIANT                                                                        \
    PARAM_WORDS(variant, VARIANT_TRANSPOSE, shear_variants, "how columns are reached")

#endif
#endif
