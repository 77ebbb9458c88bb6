/* test_search.c - predecessor searches: results, and conflicts against the paper's formulas.
 *
 * recipe_run checks every answer against the definition of a predecessor, so a run that succeeds has
 * found them all.
 */
#include "kernels/search.h"
#include "tests/support/recording.h"

enum { MOST_ROUNDS = 256 };

static const char *const kernels[] = {"search-pbs", "search-pbs-cf", "search-pbs-cl"};

/* Passes of warp 0 of block 0 in each round of a stage; returns the number of rounds. */
static int round_passes(const struct trace *trace, const char *stage, int passes[MOST_ROUNDS])
{
    int number = header_stage(&trace->header, stage), rounds = 0;
    assert_true(number >= 0);
    memset(passes, 0, MOST_ROUNDS * sizeof *passes);
    for (size_t i = 0; i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        struct bank_cost cost;
        if (access.stage != number || access.warp || access.block)
            continue;
        assert_true(access.round < MOST_ROUNDS);
        bank_model_cost(&trace->header, &access, &cost);
        passes[access.round] += cost.passes;
        rounds = access.round + 1 > rounds ? access.round + 1 : rounds;
    }
    return rounds;
}

/* Each round of the setup stores three warps' keys, the last round what is left: 157 accesses, of
 * which one has 8 lanes. Whole warps take two passes for 8 bytes, 8 lanes one. */
static void test_filling_is_recorded(void **unused)
{
    (void)unused;
    struct trace trace;
    uint64_t passes, conflicts;
    size_t stores = 0;
    record(&trace, "search-pbs", "random", "u=96 K=5000 Q=777 key_bytes=8");
    stage_sums(&trace, "setup", &passes, &conflicts);
    for (size_t i = 0; i < trace.count; i++)
        stores += trace_get(&trace, i).op == OP_STORE;
    assert_int_equal(trace_get(&trace, 0).stage, 0);
    assert_int_equal(stores, 157);
    assert_int_equal(passes, 313);
    assert_int_equal(conflicts, 0);
    trace_free(&trace);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int64_t search_passes(const char *input, int w, int K, const char *variant)
{
    struct trace trace;
    uint64_t passes, conflicts;
    record(&trace, "search-pbs", input, "w=%d u=%d Q=%d K=%d variant=%s", w, 10 * w, 100 * w, K,
           variant);
    stage_sums(&trace, "search", &passes, &conflicts);
    trace_free(&trace);
    return (int64_t)passes;
}

/* recipe_run finds every answer right. */
static void test_both_halvings_search_any_number_of_keys(void **unused)
{
    (void)unused;
    for (int K = 1; K <= 70; K++)
        for (int i = 0; i < 3; i++)
            search_passes(i == 0 ? "random" : i == 1 ? "sorted" : "duplicates", 8, K, "printed");
    /* As search_pbs.cu says. */
    static const int K[] = {1000, 2047}, tenths[] = {14, 17};
    for (int i = 0; i < 2; i++) {
        int64_t ours = search_passes("random", 32, K[i], "halves");
        int64_t printed = search_passes("random", 32, K[i], "printed");
        assert_int_equal((printed * 10 + ours / 2) / ours, tenths[i]);
    }
    assert_true(search_passes("worst", 32, 1000, "printed") >
                2 * search_passes("random", 32, 1000, "printed"));
}

/* The iterations' accesses of both, for K a power of two. */
static void test_halvings_of_powers_of_two_are_the_same(void **unused)
{
    (void)unused;
    for (int K = 2; K <= 1024; K *= 2) {
        struct trace ours, printed;
        record(&ours, "search-pbs", "random", "w=16 u=32 Q=32 K=%d", K);
        record(&printed, "search-pbs", "random", "w=16 u=32 Q=32 K=%d variant=printed", K);
        assert_int_equal(ours.count, printed.count);
        for (size_t i = 0; i < ours.count; i++) {
            struct warp_access a = trace_get(&ours, i), b = trace_get(&printed, i);
            if (a.stage == 1 && a.round == search_iterations(K))
                continue;
            assert_memory_equal(a.addr, b.addr, (size_t)a.lanes * sizeof *a.addr);
        }
        trace_free(&ours);
        trace_free(&printed);
    }
}

static void test_pbs_worst_case_doubles_until_all_lanes_collide(void **unused)
{
    static const int multiples[] = {1, 2, 3, 5, 8};
    int passes[MOST_ROUNDS];
    (void)unused;
    for (int w = 2; w <= 64; w *= 2)
        for (int m = 0; m < 5 && w * w * multiples[m] <= 8192; m++)
            for (int bytes = 4; bytes <= 8; bytes += 4) {
                struct trace trace;
                int K = w * w * multiples[m], sum = 0;
                record(&trace, "search-pbs", "worst",
                       "w=%d u=%d Q=%d K=%d key_bytes=%d bank_bytes=%d", w, w, w, K, bytes, bytes);
                int rounds = round_passes(&trace, "search", passes);
                assert_int_equal(rounds, search_iterations(K) + 1);
                for (int i = 0; i + 1 < rounds; i++) {
                    assert_int_equal(passes[i], least(i < 6 ? 1 << i : w, w));
                    sum += passes[i];
                }
                assert_int_equal(sum, search_worst_passes(w, K));
                trace_free(&trace);
            }
    /* w (log K - log w + 1) - 1, the closed form that the paper gives for powers of two. */
    assert_int_equal(search_worst_passes(32, 1024), 32 * (10 - 5 + 1) - 1);
    assert_int_equal(search_worst_passes(32, 4096), 32 * (12 - 5 + 1) - 1);
}

static void test_few_keys_limit_the_ways_of_pbs(void **unused)
{
    int passes[MOST_ROUNDS];
    (void)unused;
    for (int w = 4; w <= 64; w *= 2)
        for (int K = w; K < w * w; K *= 2) {
            struct trace trace;
            record(&trace, "search-pbs", "worst", "w=%d u=%d Q=%d K=%d", w, w, w, K);
            int rounds = round_passes(&trace, "search", passes);
            for (int i = 0; i + 1 < rounds; i++)
                assert_int_equal(passes[i], least(i < 6 ? 1 << i : w, K / w));
            trace_free(&trace);
        }
}

/* Theorem 4.1: for K >= 2 w^2, of any form, w log (K / w^2) passes are reached and more: what w
 * lanes cost that collide in all rounds from 2 log w on. Random queries cost less. */
static void test_pbs_worst_case_of_any_number_of_keys(void **unused)
{
    uint64_t state = 11;
    (void)unused;
    for (int n = 0; n < 60; n++) {
        int w = 2 + random_below(&state, 31), K = 2 * w * w + random_below(&state, 4 * w * w);
        struct trace worst, random;
        record(&worst, "search-pbs", "worst", "w=%d u=%d Q=%d K=%d", w, w, w, K);
        record(&random, "search-pbs", "random", "w=%d u=%d Q=%d K=%d", w, w, w, K);
        int colliding = search_rounds(K) - 2 * search_iterations(w);
        assert_true(stage_passes(&worst, "search") > (uint64_t)(w * colliding));
        assert_true(stage_passes(&worst, "search") >= stage_passes(&random, "search"));
        trace_free(&worst);
        trace_free(&random);
    }
}

/* The paper's Figure 7: 4-byte keys in 8-byte banks behave as if there were half as many keys. */
static void test_wide_banks_halve_the_ways_of_narrow_keys(void **unused)
{
    int passes[MOST_ROUNDS];
    (void)unused;
    for (int K = 512; K <= 4096; K *= 2) {
        struct trace trace;
        record(&trace, "search-pbs", "worst", "u=32 Q=32 K=%d key_bytes=4 bank_bytes=8", K);
        int rounds = round_passes(&trace, "search", passes);
        for (int i = 0; i + 2 < rounds; i++)
            assert_int_equal(passes[i], least(i < 6 ? 1 << i : 32, least(K / 64, 32)));
        trace_free(&trace);
    }
}

static void test_conflict_free_search_has_no_conflicts(void **unused)
{
    static const char *const inputs[] = {"random", "worst", "duplicates", "sorted", "reverse"};
    uint64_t state = 5;
    (void)unused;
    for (int n = 0; n < 400; n++) {
        int w = 1 + random_below(&state, 33), key_bytes = n & 1 ? 8 : 4, bank_bytes = n & 2 ? 8 : 4;
        struct trace trace;
        record(&trace, "search-pbs-cf", inputs[n % 5],
               "w=%d u=%d Q=%d K=%d key_bytes=%d bank_bytes=%d", w, 2 * w,
               1 + random_below(&state, 4 * w), 1 + random_below(&state, n % 3 ? 2 * w : 600),
               key_bytes, bank_bytes);
        assert_int_equal(stage_conflicts(&trace, "stage-1"), 0);
        assert_int_equal(stage_conflicts(&trace, "stage-2"), 0);
        trace_free(&trace);
    }
}

static void test_conflict_limited_search_keeps_its_limit(void **unused)
{
    static const char *const inputs[] = {"random", "worst", "duplicates", "sorted", "reverse"};
    uint64_t state = 6;
    int passes[MOST_ROUNDS];
    (void)unused;
    for (int n = 0; n < 300; n++) {
        int w = 2 + random_below(&state, 39), key_bytes = n & 1 ? 8 : 4, bank_bytes = n & 2 ? 8 : 4,
            sum = 0;
        struct trace trace;
        if (key_bytes > bank_bytes)
            w = 1 << (1 + w % 5);
        record(&trace, "search-pbs-cl", inputs[n % 5],
               "w=%d u=%d Q=%d K=%d key_bytes=%d bank_bytes=%d", w, w, w,
               1 + random_below(&state, 3 * w * w), key_bytes, bank_bytes);
        assert_int_equal(stage_conflicts(&trace, "stage-1"), 0);
        int rounds = round_passes(&trace, "stage-2", passes);
        for (int i = 0; i < rounds; i++)
            sum += passes[i];
        assert_true(sum <= (key_bytes == bank_bytes  ? w - 1
                            : key_bytes < bank_bytes ? 2 * w - 1
                                                     : w));
        trace_free(&trace);
    }
}

/* "K a multiple of w w / 2", as the catalogue says. */
static void test_worst_case_reaches_the_limit(void **unused)
{
    int passes[MOST_ROUNDS];
    (void)unused;
    for (int w = 2; w <= 64; w *= 2)
        for (int K = w * w / 2; K <= 3 * w * w; K += w * w / 2) {
            struct trace trace;
            record(&trace, "search-pbs-cl", "worst", "w=%d u=%d Q=%d K=%d", w, w, w, K);
            int rounds = round_passes(&trace, "stage-2", passes);
            for (int i = 0; i < rounds; i++)
                assert_int_equal(passes[i], 1 << i);
            assert_int_equal(1 << rounds, w);
            trace_free(&trace);
        }
}

/* Runs all three searches with the keys, and every query from -1 to `most` + 1. */
static void search_all(const int *keys, int K, int most, int w)
{
    int Q = most + 3, number[64];
    assert_true(K + Q <= 64);
    memcpy(number, keys, (size_t)K * sizeof *number);
    for (int i = 0; i < Q; i++)
        number[K + i] = i - 1;
    for (int k = 0; k < 3; k++)
        run_numbers(kernels[k], number, (size_t)(K + Q), "w=%d u=%d K=%d Q=%d", w, w, K, Q);
}

static void test_every_ascending_list_of_up_to_five_keys(void **unused)
{
    (void)unused;
    for (int w = 1; w <= 4; w++)
        for (int K = 1; K <= 5; K++) {
            int keys[5], lists = 1;
            for (int i = 0; i < K; i++)
                lists *= 3;
            for (int list = 0; list < lists; list++) {
                bool ascending = true;
                for (int i = 0, rest = list; i < K; i++, rest /= 3) {
                    keys[i] = rest % 3;
                    ascending = ascending && (!i || keys[i - 1] <= keys[i]);
                }
                if (ascending)
                    search_all(keys, K, 2, w);
            }
        }
}

static void test_extreme_keys_are_found(void **unused)
{
    static const int numbers[] = {INT32_MIN, INT32_MIN, 0, INT32_MAX, INT32_MAX,
                                  INT32_MIN, -1,        0, INT32_MAX};
    (void)unused;
    for (int k = 0; k < 3; k++)
        run_numbers(kernels[k], numbers, 9, "K=5 Q=4");
}

static void test_bad_parameters_are_named(void **unused)
{
    static const char *const bad[][2] = {{"key_bytes=5", "key_bytes = 5, but must be 4 or 8"},
                                         {"bank_bytes=6", "bank_bytes = 6, but must be 4 or 8"},
                                         {"Q=100000000", "choose more threads"}};
    (void)unused;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) {
            char text[128];
            snprintf(text, sizeof text, "%s %s", kernels[k], bad[i][0]);
            expect_refused(text, bad[i][1]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_halvings_search_any_number_of_keys),
        cmocka_unit_test(test_halvings_of_powers_of_two_are_the_same),
        cmocka_unit_test(test_pbs_worst_case_doubles_until_all_lanes_collide),
        cmocka_unit_test(test_few_keys_limit_the_ways_of_pbs),
        cmocka_unit_test(test_pbs_worst_case_of_any_number_of_keys),
        cmocka_unit_test(test_wide_banks_halve_the_ways_of_narrow_keys),
        cmocka_unit_test(test_conflict_free_search_has_no_conflicts),
        cmocka_unit_test(test_conflict_limited_search_keeps_its_limit),
        cmocka_unit_test(test_worst_case_reaches_the_limit),
        cmocka_unit_test(test_every_ascending_list_of_up_to_five_keys),
        cmocka_unit_test(test_extreme_keys_are_found),
        cmocka_unit_test(test_filling_is_recorded),
        cmocka_unit_test(test_bad_parameters_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
