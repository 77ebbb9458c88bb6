/* test_teaching_kernels.c - transpose, reduce, matmul, stencil, histogram, distribute, colored-scan: right
 * results (recipe_run checks) and honest conflicts. */
#include "tests/support/recording.h"

static void test_transpose_only_naive_conflicts(void **unused)
{
    static const char *const variants[] = {"naive", "padded", "diagonal", "in-place", "swizzled"};
    (void)unused;
    for (int w = 1; w <= 33; w++)
        for (int i = 0; i < 5; i++) {
            struct trace trace;
            if (i == 4 && (w & (w - 1)))
                continue; /* exclusive or needs a power of two */
            record(&trace, "transpose", "random", "w=%d u=%d variant=%s blocks=2", w,
                   w * (1 + w % 3), variants[i]);
            assert_int_equal(stage_conflicts(&trace, "write"), 0);
            assert_int_equal(stage_conflicts(&trace, "read"), i ? 0 : 2 * w * (w - 1));
            trace_free(&trace);
        }
}

static void test_reduce_sequential_has_no_conflicts(void **unused)
{
    (void)unused;
    for (int w = 1; w <= 33; w++)
        for (int sequential = 0; sequential < 2; sequential++) {
            struct trace trace;
            uint64_t conflicts = 0;
            record(&trace, "reduce", "random", "w=%d u=%d variant=%s", w, w * (1 + w % 5),
                   sequential ? "sequential" : "interleaved");
            for (int i = 0; i < trace.header.stages; i++)
                conflicts += stage_conflicts(&trace, trace.header.stage[i]);
            if (sequential)
                assert_int_equal(conflicts, 0);
            trace_free(&trace);
        }
}

/* Step s reads words 2^(s+1) apart: 2^(s+1) ways while that many lanes of a warp work. */
static void test_reduce_interleaved_doubles_its_ways(void **unused)
{
    struct trace trace;
    (void)unused;
    record(&trace, "reduce", "random", "w=32 u=1024 variant=interleaved");
    assert_int_equal(stage_passes(&trace, "step-0"), 16 * 3 * 2);
    assert_int_equal(stage_passes(&trace, "step-1"), 8 * 3 * 4);
    assert_int_equal(stage_passes(&trace, "step-2"), 4 * 3 * 8);
    trace_free(&trace);
}

static void test_matmul_tile_needs_no_padding(void **unused)
{
    (void)unused;
    for (int w = 1; w <= 20; w++) {
        struct trace trace;
        record(&trace, "matmul", "random", "w=%d blocks=2", w);
        assert_int_equal(stage_conflicts(&trace, "multiply"), 0);
        trace_free(&trace);
        record(&trace, "matmul", "random", "w=%d variant=transposed", w);
        assert_int_equal(stage_conflicts(&trace, "multiply"), w * w * (w - 1));
        trace_free(&trace);
    }
}

static void test_stencil_conflicts_only_when_coarse(void **unused)
{
    (void)unused;
    for (int w = 2; w <= 33; w++)
        for (int coarse = 1; coarse <= 6; coarse++) {
            struct trace trace;
            record(&trace, "stencil", "random", "w=%d u=%d radius=%d coarse=%d", w, 2 * w, w % 4,
                   coarse);
            assert_int_equal(stage_passes(&trace, "apply"),
                             2 * coarse * (2 * (w % 4) + 1) * gcd(w, coarse));
            trace_free(&trace);
        }
}

static void test_histogram_banked_has_no_conflicts(void **unused)
{
    static const char *const inputs[] = {"random", "sorted", "duplicates"};
    (void)unused;
    for (int w = 1; w <= 33; w += 3)
        for (int i = 0; i < 3; i++) {
            struct trace trace;
            record(&trace, "histogram", inputs[i], "w=%d u=%d bins=%d variant=banked", w, 2 * w,
                   5 + 7 * i);
            assert_int_equal(stage_conflicts(&trace, "count"), 0);
            assert_int_equal(stage_conflicts(&trace, "sum"), 0);
            trace_free(&trace);
            record(&trace, "histogram", inputs[i], "w=%d u=%d bins=%d variant=rows", w, 2 * w,
                   5 + 7 * i);
            trace_free(&trace);
        }
}

/* Any warp, any number of buckets; a run checks that the tile is in order, and stably so. Levels of a tree of w
 * or fewer nodes have no conflicts. */
static void test_distribute_finds_buckets_in_a_tree(void **unused)
{
    static const char *const inputs[] = {"random", "duplicates", "sorted", "reverse", "distinct"};
    uint64_t state = 5;
    (void)unused;
    for (int n = 0; n < 150; n++) {
        int w = 1 + random_below(&state, 33), warps = 1 + random_below(&state, 5), log = 0;
        while (1 << log < 2 * w * warps && log < 9)
            log++;
        const int K = 2 << random_below(&state, (1 << log) > 2 * w * warps ? log - 1 : log);
        struct trace trace;
        record(&trace, "distribute", inputs[n % 5], "w=%d u=%d K=%d E=%d blocks=%d tree=%s", w,
               w * warps, K, 1 + random_below(&state, 9), 1 + n % 3,
               n % 2 ? "eytzinger" : "sorted");
        if (n % 2 && K <= 2 * w)
            assert_int_equal(stage_conflicts(&trace, "search"), 0);
        trace_free(&trace);
    }
}

static void test_distribute_prefers_eytzinger(void **unused)
{
    struct trace tree, sorted;
    (void)unused;
    record(&tree, "distribute", "random", "w=32 u=256 K=256 E=16");
    record(&sorted, "distribute", "random", "w=32 u=256 K=256 E=16 tree=sorted");
    assert_true(3 * stage_passes(&tree, "search") < stage_passes(&sorted, "search"));
    assert_int_equal(stage_passes(&tree, "count"), stage_passes(&sorted, "count"));
    assert_int_equal(stage_passes(&tree, "exchange"), stage_passes(&sorted, "exchange"));
    trace_free(&tree);
    trace_free(&sorted);
}

/* bcfsort Figure 1b: the naive scan's conflicts grow with the colors, the other has none. */
static void test_colored_scan_conflicts_against_colors(void **unused)
{
    (void)unused;
    for (int colors = 1; colors <= 16; colors++) {
        struct trace trace;
        record(&trace, "colored-scan", "random", "w=32 u=64 colors=%d variant=naive", colors);
        assert_int_equal(stage_conflicts(&trace, "scan"), 2 * 2 * 32 * (colors - 1));
        assert_int_equal(stage_conflicts(&trace, "count"), 0);
        trace_free(&trace);
        record(&trace, "colored-scan", "random", "w=32 u=64 colors=%d variant=conflict-free",
               colors);
        for (int i = 0; i < trace.header.stages; i++)
            assert_int_equal(stage_conflicts(&trace, trace.header.stage[i]), 0);
        trace_free(&trace);
    }
}

static void test_colored_scan_takes_any_warp(void **unused)
{
    (void)unused;
    for (int w = 1; w <= 20; w++) {
        struct trace trace;
        record(&trace, "colored-scan", "duplicates", "w=%d u=%d colors=%d variant=%s", w, 3 * w,
               1 + w / 2, w % 2 ? "naive" : "conflict-free");
        trace_free(&trace);
    }
}

/* bcfsort appendix A, all three phases: d lanes in one bank where sums are scanned, or no conflict
 * anywhere; the result is right for any n (a run checks it). */
static void test_colored_sums_of_whole_arrays(void **unused)
{
    static const char *const inputs[] = {"random", "duplicates", "sorted", "reverse"};
    uint64_t state = 17;
    (void)unused;
    for (int n = 0; n < 120; n++) {
        int w = 1 + random_below(&state, 33), colors = 1 + random_below(&state, w);
        struct trace trace;
        record(&trace, "colored-sums", inputs[n % 4], "w=%d n=%d blocks=%d colors=%d variant=%s", w,
               1 + random_below(&state, 60 * w), 1 + random_below(&state, 9), colors,
               n % 3 ? "conflict-free" : "naive");
        for (size_t i = 0; i < trace.count; i++) {
            struct warp_access access = trace_get(&trace, i);
            const char *stage = trace.header.stage[access.stage];
            bool scans = !strcmp(stage, "scan") || !strcmp(stage, "total");
            struct bank_cost cost;
            bank_model_cost(&trace.header, &access, &cost);
            assert_int_equal(cost.ways, n % 3 == 0 && scans ? colors : 1);
        }
        trace_free(&trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transpose_only_naive_conflicts),
        cmocka_unit_test(test_reduce_sequential_has_no_conflicts),
        cmocka_unit_test(test_reduce_interleaved_doubles_its_ways),
        cmocka_unit_test(test_matmul_tile_needs_no_padding),
        cmocka_unit_test(test_stencil_conflicts_only_when_coarse),
        cmocka_unit_test(test_histogram_banked_has_no_conflicts),
        cmocka_unit_test(test_distribute_finds_buckets_in_a_tree),
        cmocka_unit_test(test_distribute_prefers_eytzinger),
        cmocka_unit_test(test_colored_scan_conflicts_against_colors),
        cmocka_unit_test(test_colored_sums_of_whole_arrays),
        cmocka_unit_test(test_colored_scan_takes_any_warp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
