/* test_small_kernels.c - stride, puzzle, broadcast, wide: the numbers that the papers name. */
#include "tests/support/recording.h"

/* A warp with stride s has gcd(w, s) ways: cfmerge section 2. */
static void test_stride_has_gcd_ways(void **unused)
{
    (void)unused;
    for (int w = 1; w <= 64; w++)
        for (int s = 1; s <= 2 * w; s += 1 + w / 8) {
            struct trace trace;
            record(&trace, "stride", "random", "w=%d u=%d s=%d rounds=3", w, 2 * w, s);
            assert_int_equal(stage_passes(&trace, "read"), 6 * gcd(w, s));
            assert_int_equal(stage_conflicts(&trace, "read"), 6 * (gcd(w, s) - 1));
            trace_free(&trace);
        }
}

static void test_puzzle_counts(void **unused)
{
    struct trace trace;
    (void)unused;
    record(&trace, "puzzle", "random", "variant=sequential");
    assert_int_equal(stage_conflicts(&trace, "write"), 0);
    assert_int_equal(stage_conflicts(&trace, "read"), 0);
    trace_free(&trace);
    record(&trace, "puzzle", "random", "variant=two-way");
    assert_int_equal(stage_conflicts(&trace, "write"), 256);
    assert_int_equal(stage_conflicts(&trace, "read"), 256);
    trace_free(&trace);
}

static void test_puzzle_takes_any_size(void **unused)
{
    (void)unused;
    for (int n = 1; n < 70; n++) {
        struct trace trace;
        record(&trace, "puzzle", "random", "w=%d u=%d n=%d variant=two-way", 1 + n % 9,
               (1 + n % 9) * (1 + n % 4), n);
        trace_free(&trace);
    }
}

static void test_a_shared_word_is_no_conflict(void **unused)
{
    static const char *const patterns[] = {"one-word", "half-half", "per-bank"};
    (void)unused;
    for (int i = 0; i < 3; i++)
        for (int w = 1; w <= 64; w++) {
            struct trace trace;
            record(&trace, "broadcast", "random", "w=%d u=%d pattern=%s", w, 3 * w, patterns[i]);
            assert_int_equal(stage_conflicts(&trace, "read"), 0);
            assert_int_equal(stage_passes(&trace, "read"), 3);
            trace_free(&trace);
        }
}

static void test_random_words_conflict(void **unused)
{
    struct trace trace;
    (void)unused;
    record(&trace, "broadcast", "random", "pattern=random");
    assert_true(stage_conflicts(&trace, "read") > 0);
    trace_free(&trace);
}

/* Contiguous elements of any size take the fewest passes possible. */
static void test_wide_elements_in_a_row_have_no_conflicts(void **unused)
{
    static const int passes[] = {1, 1, 1, 2, 4};
    (void)unused;
    for (int i = 0; i < 5; i++) {
        struct trace trace;
        record(&trace, "wide", "random", "bytes=%d u=64", 1 << i);
        assert_int_equal(stage_passes(&trace, "read"), 2 * passes[i]);
        assert_int_equal(stage_conflicts(&trace, "read"), 0);
        trace_free(&trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stride_has_gcd_ways),
        cmocka_unit_test(test_puzzle_counts),
        cmocka_unit_test(test_puzzle_takes_any_size),
        cmocka_unit_test(test_a_shared_word_is_no_conflict),
        cmocka_unit_test(test_random_words_conflict),
        cmocka_unit_test(test_wide_elements_in_a_row_have_no_conflicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
