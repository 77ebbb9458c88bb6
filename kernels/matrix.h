/* matrix.h - shared memory as a matrix of w rows (bcfsort section 2.1): what its kernels share.
 *
 * A w x w matrix M lies in column-major order: M[r][c] is word r + c w, so row r is bank r. A warp
 * works on a matrix without conflicts if its lanes use different rows in every access.
 */
#ifndef BANKSCOPE_MATRIX_H
#define BANKSCOPE_MATRIX_H

#include "kernels/kernel.h"

/* Word of M[row][column]. */
DEVICE int matrix_word(int w, int row, int column)
{
    return row + column * w;
}

/* Rounds that transpose_in_place takes. */
DEVICE int transpose_rounds(int w)
{
    return w / 2;
}

/* Transposes the w x w matrix at m in place, with the w threads of a warp, without conflicts: in
 * round i - 1 lane t swaps M[t][(t + i) mod w] and M[(t + i) mod w][t], for the distances
 * i = 1 .. w / 2. At distance w / 2 (even w) half of the lanes suffice. For w = 4, distance 1: lane
 * 0 swaps words 4 and 1, lane 1 words 9 and 6, lane 2 words 14 and 11, lane 3 words 3 and 12. The
 * caller has passed a barrier since others wrote the matrix. Rounds begin at `round`. */
DEVICE void transpose_in_place(CONTEXT, SHARED_PTR(int) m, int w, int lane, int round)
{
    for (int i = 1; i <= w / 2; i++) {
        int other = (lane + i) % w, a = 0, b = 0;
        bool swaps = 2 * i < w || lane < i;
        ROUND(round + i - 1);
        if (swaps) {
            a = LOAD(m, matrix_word(w, lane, other));
            b = LOAD(m, matrix_word(w, other, lane));
        }
        SYNC_WARP(w);
        if (swaps) {
            STORE(m, matrix_word(w, lane, other), b);
            STORE(m, matrix_word(w, other, lane), a);
        }
    }
    SYNC_WARP(w);
}

/* Whether Batcher's odd-even merge sort of n words compares words x and x + k in its step (p, k). */
DEVICE bool is_comparator(int n, int p, int k, int x)
{
    return x >= k % p && x + k < n && (x - k % p) % (2 * k) < k && x / (2 * p) == (x + k) / (2 * p);
}

/* Batcher's odd-even merge sort of n registers; no index depends on data. The loops have bounds that
 * depend on n alone, so that a compiler that knows n unrolls them all and keeps items in registers.
 */
DEVICE void sort_network(int *items, int n)
{
    enum { LARGEST = 32 /* distance of a comparator: below the most lanes of a warp */ };
    UNROLL for (int p = 1; p < n; p *= 2)
    {
        UNROLL for (int k = LARGEST; k > 0; k /= 2)
        {
            if (k > p)
                continue;
            UNROLL for (int x = 0; x < n; x++)
            {
                if (is_comparator(n, p, k, x)) {
                    int a = items[x], b = items[x + k];
                    items[x] = a < b ? a : b;
                    items[x + k] = a < b ? b : a;
                }
            }
        }
    }
}

#endif
