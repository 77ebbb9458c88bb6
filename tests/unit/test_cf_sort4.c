/* test_cf_sort4.c - the fast sort as it is recorded: results, and where conflicts are.
 *
 * record compares every result with a reference sort, so a run that succeeds has sorted.
 */
#include "kernels/sort.h"
#include "tests/support/recording.h"

/* Whether a stage's accesses may conflict: searches, and stores of levels within a warp. */
static bool may_conflict(const char *stage, int w)
{
    int level = 0;
    if (!strncmp(stage, "search", 6) || !strncmp(stage, "sort-search", 11))
        return true;
    return sscanf(stage, "sort-store-%d", &level) == 1 && 1 << level <= w;
}

static void test_conflicts_are_in_searches_and_stores_within_warps(void **unused)
{
    static const char *const inputs[] = {"random", "sorted", "reverse", "duplicates"};
    uint64_t state = 1;
    (void)unused;
    for (int i = 0; i < random_rounds(30); i++) {
        int w = 1 << random_below(&state, 6), u = 8 << random_below(&state, 3);
        u = u < w ? w : u;
        int n = 1 + random_below(&state, 20 * u * w);
        struct stats stats;
        measure(&stats, "cf-sort4", inputs[i % 4], "w=%d u=%d n=%d", w, u, n);
        for (size_t k = 0; k < stats.rows; k++)
            if (!may_conflict(stats.header.stage[stats.row[k].stage], w))
                assert_int_equal(stats.row[k].conflicts, 0);
        stats_free(&stats);
    }
}

static void test_zeros_and_ones_and_few_words(void **unused)
{
    uint64_t state = 2;
    (void)unused;
    for (int n = 1; n < 30 + random_rounds(20); n++) {
        char input[32];
        struct stats stats;
        int words = n < 30 ? n : 1 + random_below(&state, 3000);
        snprintf(input, sizeof input, "0-1 %d %d", words, n);
        measure(&stats, "cf-sort4", input, "w=%d u=8 n=%d", 1 << n % 4, words);
        stats_free(&stats);
    }
}

static void test_sizes_that_are_no_powers_of_two_are_refused(void **unused)
{
    static const char *const bad[] = {"cf-sort4 w=12 u=24", "cf-sort4 w=8 u=24",
                                      "cf-sort4 w=4 u=4"};
    (void)unused;
    for (int i = 0; i < 3; i++)
        expect_refused(bad[i], "powers of two");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conflicts_are_in_searches_and_stores_within_warps),
        cmocka_unit_test(test_zeros_and_ones_and_few_words),
        cmocka_unit_test(test_sizes_that_are_no_powers_of_two_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
