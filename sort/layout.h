/* layout.h - where the sort's items lie in shared memory, and which of them a thread reads in which
 * round: plain C, for the GPU's kernels (merge.cuh, block_sort.cuh), for the recorded kernel
 * kernels/cf_sort4.cu and for the tests.
 *
 * A row is E items: as many as fit in one word of every bank, 128 bytes. A thread owns a row at a
 * time: it gathers the E items that its part of a merge needs, sorts them in registers, stores them.
 * E is a power of two: 32 items of 4 bytes, 16 of 8, 8 of 16. With items of 8 (16) bytes the
 * hardware serves a half (quarter) of a warp at a time, so that "a warp" below is E lanes.
 *
 * Thread l of a merge of A and B makes the output's items lE .. lE + E - 1. They are a window of A,
 * a .. a + ca - 1, and a window of B, lE - a .. lE - a + (E - ca) - 1, where a and ca are data.
 * A is stored ascending and B descending, so that both windows are one circle of E addresses:
 *
 *     E = 8, a = 3, ca = 5       . . . 3 4 5 6 7 .  gap  . b2 b1 b0 .
 *     address mod 8                    3 4 5 6 7           0  1  2
 *
 * if B's end (one behind its item 0) and A's beginning are the same address modulo E. The E
 * addresses have E residues, whatever a and ca are, so a thread may read them in any rotation, and a
 * warp chooses the rotation in which its E lanes are in E different banks:
 *
 *   linear tile: item x is at address x. Lane l reads residue (l + j) mod E in round j.
 *   rows: item c of row r is at address r (E + 1) + c. All lanes read residue (column) j in round j;
 *         the padding behind each row puts the columns of E successive rows into E banks.
 *
 * Neither depends on the data: no conflicts, for any input. What a thread then holds is a rotation
 * of an ascending sequence followed by a descending one, which a bitonic network sorts.
 */
#ifndef BANKSCOPE_SORT_LAYOUT_H
#define BANKSCOPE_SORT_LAYOUT_H

#ifdef __CUDACC__
#define SORT_INLINE static __host__ __device__ __forceinline__
#else
#define SORT_INLINE static inline
#endif

/* What one thread reads in round j = 0 .. E - 1: the item at gather_address(plan, j). */
struct gather_plan {
    int start;      /* address in round 0 */
    int jump;       /* from A's window to B's */
    int jump_round; /* from this round on, jump is added; >= E: never */
    int wrap;       /* what one turn of the circle subtracts */
    int wrap_round; /* from this round on, jump + wrap is subtracted; >= E: never */
    int in_b;       /* whether round 0 reads B */
};

SORT_INLINE int gather_address(struct gather_plan plan, int j)
{
    return plan.start + j + (j >= plan.jump_round ? plan.jump : 0) -
           (j >= plan.wrap_round ? plan.jump + plan.wrap : 0);
}

/* Among equal items that a thread reads, those of A come first, in A's order, then those of B: the
 * item of round j with the smaller tag. The circle runs through A forwards and through B backwards.
 *
 *     E = 8, a = 3, ca = 5     address mod 8   0  1  2  3  4  5  6  7     read from 5 on
 *                              item           b2 b1 b0 a3 a4 a5 a6 a7
 *                              tag            29 28 27  6  7  8  9 10 */
SORT_INLINE int gather_tag(struct gather_plan plan, int E, int j)
{
    int in_a = E + j - (j >= plan.wrap_round ? E : 0);
    int in_b = plan.in_b + (j >= plan.jump_round) - (j >= plan.wrap_round);
    return in_b ? 5 * E - in_a : in_a;
}

/* The circle begins with A's window, at address `window`; this thread begins `turn` items later. */
SORT_INLINE struct gather_plan gather_turned(int E, int window, int turn, int jump, int ca,
                                             int wrap)
{
    struct gather_plan plan;
    int in_a = turn < ca;
    plan.start = window + (in_a ? 0 : jump);
    plan.jump = jump;
    plan.jump_round = ca - turn + (in_a ? 0 : E);
    plan.wrap = wrap;
    plan.wrap_round = E - turn;
    plan.in_b = !in_a;
    return plan;
}

/* In a linear tile: A begins at a_begin, B ends before b_end, b_end = a_begin mod E. */
SORT_INLINE struct gather_plan gather_linear(int E, int lane, int a_begin, int b_end, int l, int a,
                                             int ca)
{
    int window = a_begin + a, turn = (lane - window) & (E - 1);
    return gather_turned(E, window + turn, turn, b_end - (l + 1) * E - a_begin, ca, E);
}

/* In rows: A's rows are row_begin, row_begin + 1, ...; B's are row_end - 1, row_end - 2, ..., each
 * of them reversed; row_end - row_begin is a multiple of E. */
SORT_INLINE struct gather_plan gather_rows(int E, int row_begin, int row_end, int l, int a, int ca)
{
    int column = a & (E - 1), turn = (E - column) & (E - 1);
    int row = row_begin + a / E + (column > 0);
    return gather_turned(E, row * (E + 1), turn, (row_end - 1 - l - row_begin) * (E + 1), ca,
                         E + 1);
}

#endif
