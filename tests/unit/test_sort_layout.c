/* test_sort_layout.c - sort/layout.h: a gather reads a thread's two windows, each item once, in a
 * bitonic order, with tags in the merge's order, and no two lanes of a warp use one bank in a round. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>

#include "kernels/kernel.h"
#include "sort/layout.h"

enum { MOST = 32, WARPS = 4, NONE = -1 };

/* What lies at each address of the tile: item i of A as i, item i of B as 10000 + i. */
static int tile[4 * MOST * WARPS * (MOST + 1)];

static void clear_tile(void)
{
    for (size_t i = 0; i < sizeof tile / sizeof tile[0]; i++)
        tile[i] = NONE;
}

/* Lane `lane` has read items a .. a + ca - 1 of A and b .. b + cb - 1 of B: turned so that the first
 * of A comes first, A ascends and B descends. */
static void check_order(int E, const int *read, int a, int ca, int b)
{
    int turn = 0, cb = E - ca;
    int first = ca > 0 ? a : 10000 + b + cb - 1;
    while (turn < E && read[turn] != first)
        turn++;
    assert_int_not_equal(turn, E);
    for (int q = 0; q < E; q++) {
        int expected = q < ca ? a + q : 10000 + b + cb - 1 - (q - ca);
        assert_int_equal(read[(turn + q) % E], expected);
    }
}

/* Tags order what a lane has read: A's items first, both in their order. */
static void check_tags(int E, const int *read, const int *tag)
{
    for (int i = 0; i < E; i++)
        for (int j = 0; j < E; j++)
            assert_int_equal(tag[i] < tag[j], read[i] < read[j]);
}

/* Random splits of `threads` threads: a[l] items of A before thread l. */
static void random_splits(int E, int threads, uint64_t *state, int *a)
{
    int kind = random_below(state, 3);
    a[0] = 0;
    for (int l = 0; l < threads; l++) {
        int ca = kind == 0   ? random_below(state, E + 1)
                 : kind == 1 ? (l % 2) * E
                             : (random_below(state, 8) ? E / 2 : random_below(state, E + 1));
        a[l + 1] = a[l] + ca;
    }
}

static void test_linear(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    for (int E = 8; E <= MOST; E *= 2)
        for (int trial = 0; trial < 300; trial++) {
            int threads = E * WARPS, a[MOST * WARPS + 1];
            random_splits(E, threads, &state, a);
            int a_count = a[threads], all = threads * E;
            int a_begin = random_below(&state, 8), b_end = a_begin + all + E;
            clear_tile();
            for (int i = 0; i < a_count; i++)
                tile[a_begin + i] = i;
            for (int i = 0; i < all - a_count; i++)
                tile[b_end - 1 - i] = 10000 + i;
            for (int l = 0; l < threads; l += E) {
                int read[MOST][MOST], tag[MOST][MOST];
                for (int j = 0; j < E; j++) {
                    bool used[MOST] = {false};
                    for (int lane = 0; lane < E; lane++) {
                        const struct gather_plan plan =
                            gather_linear(E, lane, a_begin, b_end, l + lane, a[l + lane],
                                          a[l + lane + 1] - a[l + lane]);
                        int at = gather_address(plan, j);
                        tag[lane][j] = gather_tag(plan, E, j);
                        assert_false(used[at % E]);
                        used[at % E] = true;
                        read[lane][j] = tile[at];
                    }
                }
                for (int lane = 0; lane < E; lane++)
                    check_order(E, read[lane], a[l + lane], a[l + lane + 1] - a[l + lane],
                                (l + lane) * E - a[l + lane]);
                for (int lane = 0; lane < E; lane++)
                    check_tags(E, read[lane], tag[lane]);
            }
        }
}

/* A's and B's rows need not fill the rows between them. */
static void test_rows(void **unused)
{
    (void)unused;
    uint64_t state = 2;
    for (int E = 8; E <= MOST; E *= 2)
        for (int trial = 0; trial < 300; trial++) {
            int begin = random_below(&state, 3), end = begin + E * WARPS;
            int a_rows = random_below(&state, E * WARPS + 1);
            int b_rows = random_below(&state, E * WARPS - a_rows + 1);
            int threads = a_rows + b_rows, a[MOST * WARPS + 1];
            a[0] = 0;
            for (int l = 0; l < threads; l++) { /* as many as both lists still have */
                int left_a = a_rows * E - a[l], left_b = b_rows * E - (l * E - a[l]);
                int low = left_b < E ? E - left_b : 0, high = left_a < E ? left_a : E;
                a[l + 1] = a[l] + low + random_below(&state, high - low + 1);
            }
            clear_tile();
            for (int i = 0; i < a_rows * E; i++)
                tile[(begin + i / E) * (E + 1) + i % E] = i;
            for (int i = 0; i < b_rows * E; i++)
                tile[(end - 1 - i / E) * (E + 1) + E - 1 - i % E] = 10000 + i;
            for (int l = 0; l < threads; l += E) {
                int lanes = threads - l < E ? threads - l : E, read[MOST][MOST];
                int tag[MOST][MOST];
                for (int j = 0; j < E; j++) {
                    bool used[MOST] = {false};
                    for (int lane = 0; lane < lanes; lane++) {
                        const struct gather_plan plan = gather_rows(
                            E, begin, end, l + lane, a[l + lane], a[l + lane + 1] - a[l + lane]);
                        int at = gather_address(plan, j);
                        tag[lane][j] = gather_tag(plan, E, j);
                        assert_false(used[at % E]);
                        used[at % E] = true;
                        read[lane][j] = tile[at];
                    }
                }
                for (int lane = 0; lane < lanes; lane++)
                    check_order(E, read[lane], a[l + lane], a[l + lane + 1] - a[l + lane],
                                (l + lane) * E - a[l + lane]);
                for (int lane = 0; lane < lanes; lane++)
                    check_tags(E, read[lane], tag[lane]);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_linear), cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
