/* test_shared_sorts.c - sorting in shared memory: networks with their conflicts, ShearSort with
 * none.
 *
 * recipe_run compares every result with a reference sort; the rest is what bcfsort claims.
 */
#include "tests/support/recording.h"

static void test_shear_sort_has_no_conflicts(void **unused)
{
    static const int warps[] = {1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 32};
    static const char *const inputs[] = {"random", "sorted", "reverse", "duplicates", NULL};
    uint64_t state = 11;
    (void)unused;
    for (size_t i = 0; i < sizeof warps / sizeof warps[0]; i++)
        for (int h = 1; h <= warps[i] && h <= 8; h++)
            for (int diagonal = 0; warps[i] % h == 0 && diagonal < 2; diagonal++)
                for (int k = 0; k < (warps[i] < 16 ? 4 + random_rounds(2) : 1 + random_rounds(1));
                     k++) {
                    int w = warps[i];
                    char zeros_and_ones[64];
                    struct stats stats;
                    snprintf(zeros_and_ones, sizeof zeros_and_ones, "0-1 %d %d", w * w * h,
                             random_below(&state, 1 << 30));
                    measure(&stats, "shear-sort", k < 4 && inputs[k] ? inputs[k] : zeros_and_ones,
                            "w=%d h=%d variant=%s memory=%s", w, h,
                            diagonal ? "diagonal" : "transpose", k % 2 ? "shared" : "registers");
                    assert_int_equal(stats.total.conflicts, 0);
                    stats_free(&stats);
                }
}

/* bcfsort appendix D, in accesses: in registers a line is read and written once, in shared memory
 * each of the 191 comparators of 32 words reads two of them and writes two. Six sorts of the rows. */
static void test_registers_spare_shared_memory(void **unused)
{
    struct trace registers, shared;
    (void)unused;
    record(&registers, "shear-sort", "random", "w=32 memory=registers");
    record(&shared, "shear-sort", "random", "w=32 memory=shared");
    assert_int_equal(stage_passes(&registers, "rows"), 6 * 2 * 32);
    assert_int_equal(stage_passes(&shared, "rows"), 6 * 4 * 191);
    assert_int_equal(stage_passes(&shared, "columns"), 5 * 4 * 191);
    assert_int_equal(stage_passes(&registers, "transpose"), stage_passes(&shared, "transpose"));
    trace_free(&registers);
    trace_free(&shared);
}

/* All 0-1 inputs of a small square: by the 0-1 principle it then sorts everything. */
static void test_networks_sort_all_small_inputs(void **unused)
{
    static const char *const kernels[] = {"odd-even-sort", "batcher-sort"};
    (void)unused;
    for (int k = 0; k < 2; k++)
        for (int n = 1; n <= 9; n++)
            for (int bits = 0; bits < 1 << n; bits++) {
                struct error error = {{0}};
                struct run_result result;
                struct trace_sink sink = {NULL, NULL, NULL, NULL};
                struct recipe recipe;
                int numbers[9];
                char param[16];
                for (int i = 0; i < n; i++)
                    numbers[i] = bits >> i & 1;
                recipe_init(&recipe, catalogue_find(kernels[k], &error));
                snprintf(param, sizeof param, "n=%d", n);
                assert_true(recipe_read(&recipe, param, &error));
                assert_true(recipe_read(&recipe, "w=4", &error));
                assert_true(recipe_read(&recipe, "u=4", &error));
                use_numbers(&recipe, numbers, (size_t)n);
                if (!recipe_run(&recipe, NULL, &sink, &result, &error))
                    fail_msg("%s", error.text);
                recipe_free(&recipe);
            }
}

static void test_networks_sort_any_size(void **unused)
{
    uint64_t state = 13;
    (void)unused;
    for (int i = 0; i < 30; i++) {
        int w = 1 + random_below(&state, 16), n = 1 + random_below(&state, 200);
        struct trace trace;
        record(&trace, i % 2 ? "odd-even-sort" : "batcher-sort", i % 3 ? "random" : "duplicates",
               "w=%d u=%d n=%d blocks=2", w, w * (1 + random_below(&state, 5)), n);
        trace_free(&trace);
    }
}

/* With n / 2 threads every access of an odd-even step is of stride 2: two ways for even w. The
 * steps that begin at word 1 lack the last pair, which has no bank to itself unless w is 2. */
static void test_odd_even_sort_has_two_ways(void **unused)
{
    struct trace trace;
    (void)unused;
    record(&trace, "odd-even-sort", "random", "w=8 u=32 n=64");
    assert_int_equal(stage_passes(&trace, "step-0"), 2 * 4 * 4);
    assert_int_equal(stage_conflicts(&trace, "step-0"), 4 * 4);
    assert_int_equal(stage_conflicts(&trace, "load"), 0);
    assert_int_equal(stage_conflicts(&trace, "store"), 0);
    trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shear_sort_has_no_conflicts),
        cmocka_unit_test(test_registers_spare_shared_memory),
        cmocka_unit_test(test_networks_sort_all_small_inputs),
        cmocka_unit_test(test_networks_sort_any_size),
        cmocka_unit_test(test_odd_even_sort_has_two_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
