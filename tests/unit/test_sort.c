/* test_sort.c - the whole sorts: results, conflicts at every level, the worst case.
 *
 * recipe_run compares every result with a reference sort, so a run that succeeds has sorted.
 */
#include "kernels/sort.h"
#include "tests/support/recording.h"

static const char *const sorts[] = {"thrust-sort", "cf-sort"};

/* A random size of a block: w, u, E. */
struct size {
    int w, u, E;
};
static struct size random_size(uint64_t *state, int most_w)
{
    int w = 1 + random_below(state, most_w);
    return (struct size){w, w * (1 + random_below(state, 5)), 1 + random_below(state, w + 3)};
}

static void test_every_input_of_any_length_is_sorted(void **unused)
{
    static const char *const inputs[] = {"random", "sorted", "reverse", "duplicates", "0-1"};
    uint64_t state = 1;
    (void)unused;
    for (int n = 0; n < 120; n++) {
        struct size s = random_size(&state, 20);
        int words = 1 + random_below(&state, 6 * s.u * s.E);
        struct trace trace;
        char input[32];
        snprintf(input, sizeof input, "%s", inputs[n % 5]);
        if (n % 5 == 4)
            snprintf(input, sizeof input, "0-1 %d %d", words, n);
        record(&trace, "cf-sort", input, "w=%d u=%d E=%d n=%d", s.w, s.u, s.E, words);
        trace_free(&trace);
        record(&trace, "thrust-sort", input, "w=%d u=%d E=%d n=%d order=%s", s.w, s.u, s.E, words,
               n & 4 ? "model" : "library");
        trace_free(&trace);
    }
}

static void test_every_list_of_up_to_six_words(void **unused)
{
    static const struct size sizes[] = {{1, 1, 1}, {1, 2, 1}, {2, 2, 1}, {2, 2, 2}, {3, 3, 1}};
    int list[6];
    (void)unused;
    for (int n = 1; n <= 6; n++) {
        int lists = 1;
        for (int i = 0; i < n; i++)
            lists *= n < 6 ? 3 : 2; /* of 0, 1, 2; the longest of 0, 1 */
        for (int number = 0; number < lists; number++) {
            for (int i = 0, rest = number; i < n; i++, rest /= n < 6 ? 3 : 2)
                list[i] = rest % (n < 6 ? 3 : 2);
            for (int k = 0; k < 2; k++)
                for (int i = 0; i < 5; i++)
                    run_numbers(sorts[k], list, (size_t)n, "w=%d u=%d E=%d n=%d", sizes[i].w,
                                sizes[i].u, sizes[i].E, n);
        }
    }
}

/* The padding is the greatest number: words that are equal to it must not be lost. */
static void test_greatest_and_least_words_survive_the_padding(void **unused)
{
    static const int list[] = {INT32_MAX, 3, INT32_MIN, INT32_MAX, 0, INT32_MIN, INT32_MAX};
    (void)unused;
    for (int n = 1; n <= 7; n++)
        for (int k = 0; k < 2; k++)
            run_numbers(sorts[k], list, (size_t)n, "w=2 u=2 E=2 n=%d", n);
}

static void test_cf_sort_has_conflicts_only_in_its_searches(void **unused)
{
    static const char *const inputs[] = {"random", "sorted", "reverse", "duplicates", "worst"};
    uint64_t state = 2;
    (void)unused;
    for (int n = 0; n < 150; n++) {
        struct size s = random_size(&state, 33);
        bool worst = n % 5 == 4 && s.E >= 2 && s.E <= s.w;
        struct trace trace;
        record(&trace, "cf-sort", inputs[worst ? 4 : n % 4], "w=%d u=%d E=%d n=%d", s.w, s.u, s.E,
               1 + random_below(&state, 3 * s.u * s.E));
        for (size_t i = 0; i < trace.count; i++) {
            struct warp_access access = trace_get(&trace, i);
            struct bank_cost cost;
            bank_model_cost(&trace.header, &access, &cost);
            if (strncmp(trace.header.stage[access.stage], "search", 6) != 0)
                assert_int_equal(cost.conflicts, 0);
        }
        trace_free(&trace);
    }
}

/* A level of pairs of at least 2 w threads costs in every two warps what the construction's
 * single merge of two warps does. */
static void test_worst_case_costs_at_every_level_what_one_merge_does(void **unused)
{
    static const int warps[] = {2, 4, 6, 8, 9, 12, 16, 32};
    uint64_t state = 4;
    (void)unused;
    for (size_t i = 0; i < sizeof warps / sizeof warps[0]; i++)
        for (int w = warps[i], E = 2; E <= w; E += w < 16 ? 1 : 1 + random_below(&state, 5)) {
            int u = w << random_below(&state, 4), runs = 1 << random_below(&state, 3);
            int n = u * E * runs, all = sort_levels(w, u) + log2_up(runs);
            struct trace merge, sort;
            record(&merge, "thrust-merge", "worst", "w=%d u=%d E=%d", w, 2 * w, E);
            record(&sort, "thrust-sort", "worst", "w=%d u=%d E=%d n=%d", w, u, E, n);
            uint64_t two_warps = stage_passes(&merge, "merge");
            for (int level = log2_up(w) + 1; level <= all; level++) {
                char stage[32];
                snprintf(stage, sizeof stage, "merge-%d", level);
                assert_int_equal(stage_passes(&sort, stage) * 2, two_warps * (uint64_t)(n / E / w));
            }
            trace_free(&merge);
            trace_free(&sort);
        }
}

/* 225 and 288 serial passes of a warp are published for (32, 15) and (32, 17); and in the levels
 * that the construction does not cover the input still costs more than a random one. */
static void test_worst_case_is_worse_than_random_at_every_level(void **unused)
{
    static const int passes[][2] = {{15, 225}, {17, 288}};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        int E = passes[i][0], u = 128, n = 2 * u * E, levels = 8;
        struct trace worst, random;
        record(&worst, "thrust-sort", "worst", "u=%d E=%d n=%d", u, E, n);
        record(&random, "thrust-sort", "random", "u=%d E=%d n=%d", u, E, n);
        for (int level = 1; level <= levels; level++) {
            char stage[32];
            snprintf(stage, sizeof stage, "merge-%d", level);
            assert_true(stage_passes(&worst, stage) > stage_passes(&random, stage));
            if (level > 5)
                assert_int_equal(stage_passes(&worst, stage), passes[i][1] * n / E / 32);
        }
        trace_free(&worst);
        trace_free(&random);
    }
}

static void test_worst_case_of_any_length_is_a_permutation(void **unused)
{
    uint64_t state = 8;
    (void)unused;
    for (int n = 0; n < 60; n++) {
        struct size s = random_size(&state, 16);
        struct error error = {{0}};
        if (s.E < 2 || s.E > s.w)
            continue;
        struct sort_params p = {s.w, s.u, s.E, 1 + random_below(&state, 7 * s.u * s.E)};
        int words = sort_tiles(&p) * s.u * s.E;
        int *number = malloc((size_t)words * sizeof *number);
        assert_true(worst_sort(&p, number, &error));
        for (int i = p.n; i < words; i++)
            assert_int_equal(number[i], INT32_MAX);
        sort_numbers(number, (size_t)p.n);
        for (int i = 0; i < p.n; i++)
            assert_int_equal(number[i], i);
        run_numbers("thrust-sort", number, (size_t)p.n, "w=%d u=%d E=%d n=%d", s.w, s.u, s.E, p.n);
        free(number);
    }
}

/* Several launches make one trace: blocks numbered on, in order, the stages of each launch in its
 * blocks only. */
static void test_launches_make_one_trace(void **unused)
{
    struct trace trace;
    int last = 0;
    (void)unused;
    record(&trace, "cf-sort", "random", "w=4 u=8 E=3 n=100"); /* 5 tiles: 4 launches */
    assert_int_equal(trace.header.blocks, 20);
    assert_true(trace.end.complete);
    assert_int_equal(trace.end.warp_accesses, trace.count);
    for (size_t i = 0; i < trace.count; i++) {
        struct warp_access access = trace_get(&trace, i);
        const char *stage = trace.header.stage[access.stage];
        const char *dash = strchr(stage, '-');
        int level = dash ? atoi(dash + 1) : 0;
        assert_true(access.block >= last);
        last = access.block;
        assert_int_equal(access.block / 5, level <= 3 ? 0 : level - 3);
    }
    assert_int_equal(last, 19);
    assert_string_equal(trace.header.stage[2], "search-1");
    assert_string_equal(trace.header.stage[3], "gather-1");
    assert_string_equal(trace.header.stage[trace.header.stages - 1], "store-6");
    trace_free(&trace);
}

/* At Modern GPU's parameters random input costs what was published for it. */
static void test_betas_of_random_input_are_near_the_published_ones(void **unused)
{
    struct error error = {{0}};
    struct recipe recipe;
    struct run_result result;
    struct stats stats;
    char *text = NULL;
    size_t length;
    double beta[2];
    (void)unused;
    set_up(&recipe, "thrust-sort", "w=32 u=128 E=15 n=7680");
    stats_init(&stats, STATS_BY_STAGE);
    struct trace_sink sink = stats_sink(&stats);
    assert_true(recipe_run(&recipe, NULL, &sink, &result, &error));
    FILE *file = open_memstream(&text, &length);
    recipe.kernel->report(recipe.params, &stats, file);
    fclose(file);
    for (int i = 0; i < 2; i++) {
        const char *at = strstr(text, i ? "beta_2 = " : "beta_1 = ");
        assert_non_null(at);
        beta[i] = atof(at + 9);
    }
    assert_true(beta[0] > 2.9 && beta[0] < 3.3);
    assert_true(beta[1] > 2.1 && beta[1] < 2.5);
    free(text);
    stats_free(&stats);
    recipe_free(&recipe);
}

static void test_bad_sizes_are_named(void **unused)
{
    static const char *const bad[][2] = {
        {"E=1 --input worst", "the construction needs 2 <= E <= w, but E = 1"},
        {"E=33 --input worst", "the construction needs 2 <= E <= w, but E = 33"},
        {"u=33", "u = 33 must be a multiple of w = 32"},
        {"w=1 u=1 E=1 n=60000000", "choose a smaller n or larger blocks"}};
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct error error = {{0}};
        struct recipe recipe;
        struct run_result result;
        struct trace_sink sink = {0};
        set_up(&recipe, sorts[i % 2], bad[i][0]);
        assert_false(recipe_run(&recipe, NULL, &sink, &result, &error));
        if (!strstr(error.text, bad[i][1]))
            fail_msg("%s", error.text);
        recipe_free(&recipe);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_input_of_any_length_is_sorted),
        cmocka_unit_test(test_every_list_of_up_to_six_words),
        cmocka_unit_test(test_greatest_and_least_words_survive_the_padding),
        cmocka_unit_test(test_cf_sort_has_conflicts_only_in_its_searches),
        cmocka_unit_test(test_worst_case_costs_at_every_level_what_one_merge_does),
        cmocka_unit_test(test_worst_case_is_worse_than_random_at_every_level),
        cmocka_unit_test(test_worst_case_of_any_length_is_a_permutation),
        cmocka_unit_test(test_launches_make_one_trace),
        cmocka_unit_test(test_betas_of_random_input_are_near_the_published_ones),
        cmocka_unit_test(test_bad_sizes_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
