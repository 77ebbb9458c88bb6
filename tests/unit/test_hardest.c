/* test_hardest.c - the hardest inputs: the optimum of their objective, compared with all inputs of
 * small sizes; what recordings of them cost; and what they cost in a whole sort.
 */
#include "tests/support/recording.h"

#include "kernels/hardest.h"
#include "kernels/sort.h"

/* ---- the objective, straight from its definition --------------------------------------------- */

/* The words on time of the warp's threads first .. first + w - 1, for beaches s (of A) and t. */
static int on_time_with(const bool *in_a, int w, int E, int na, int first, int s, int t,
                        bool library)
{
    int on_time = 0, a = 0;
    for (int i = 0; i < first * E; i++)
        a += in_a[i];
    for (int thread = first; thread < first + w; thread++) {
        const bool *mine = in_a + thread * E;
        int b = na + thread * E - a, of_a = 0;
        for (int j = 0; j < E; j++)
            of_a += mine[j];
        if (library) { /* both heads, if the thread takes them */
            on_time += of_a > 0 && (a - s) % w == 0;
            on_time += of_a < E && (b - t) % w == 0;
        }
        for (int j = 0; j < E; j++) {
            /* the model reads the word itself in round j; the library the next one in round j + 1 */
            int word = mine[j] ? a : b, round = j;
            *(mine[j] ? &a : &b) += 1;
            if (library && j == E - 1)
                continue;
            on_time += (word - round - (mine[j] ? s : t)) % w == 0;
        }
    }
    return on_time;
}

static int on_time_of(const bool *in_a, int w, int E, int u, bool library)
{
    int na = 0, sum = 0;
    for (int i = 0; i < u * E; i++)
        na += in_a[i];
    for (int first = 0; first < u; first += w) {
        int most = 0;
        for (int s = 0; s < w; s++)
            for (int t = library ? 0 : s; t < (library ? w : s + 1); t++) {
                int on_time = on_time_with(in_a, w, E, na, first, s, t, library);
                most = on_time > most ? on_time : most;
            }
        sum += most;
    }
    return sum;
}

/* The most words on time of all merges; of lists of half the words each if `halves`. */
static int best_of_all(int w, int E, int u, bool library, int na_wanted)
{
    bool in_a[32];
    int most = 0;
    for (unsigned bits = 0; bits < 1u << (u * E); bits++) {
        int na = 0;
        for (int i = 0; i < u * E; i++)
            na += in_a[i] = bits >> i & 1;
        if (na_wanted >= 0 && na != na_wanted)
            continue;
        int on_time = on_time_of(in_a, w, E, u, library);
        most = on_time > most ? on_time : most;
    }
    return most;
}

static int sum_of(const bool *in_a, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += in_a[i];
    return sum;
}

/* ---- small sizes ----------------------------------------------------------------------------- */

static void test_no_merge_of_small_size_has_more_on_time(void **unused)
{
    static const int sizes[][3] = {{1, 3, 2}, {2, 1, 4}, {2, 2, 4}, {2, 3, 4}, {2, 5, 2},
                                   {3, 1, 6}, {3, 2, 6}, {3, 4, 3}, {3, 2, 3}, {4, 1, 8},
                                   {4, 2, 4}, {4, 3, 4}, {5, 2, 5}, {7, 1, 14}};
    (void)unused;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int library = 0; library < 2; library++) {
            int w = sizes[i][0], E = sizes[i][1], u = sizes[i][2];
            struct error error = {{0}};
            struct hardest h;
            bool in_a[32];
            assert_true(hardest_init(&h, w, E, library, &error));
            int64_t on_time = hardest_merge(&h, u, in_a);
            assert_int_equal(on_time, on_time_of(in_a, w, E, u, library));
            assert_int_equal(on_time, best_of_all(w, E, u, library, -1));
            hardest_free(&h);
        }
}

static void test_no_lists_of_these_lengths_have_more_on_time(void **unused)
{
    /* w, E, threads of A, threads of B */
    static const int sizes[][4] = {{2, 2, 2, 2}, {2, 3, 2, 2}, {2, 2, 4, 2}, {2, 2, 2, 4},
                                   {3, 2, 3, 3}, {1, 4, 2, 1}, {2, 1, 2, 6}, {4, 2, 0, 4}};
    (void)unused;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int library = 0; library < 2; library++) {
            int w = sizes[i][0], E = sizes[i][1], a = sizes[i][2], b = sizes[i][3];
            struct error error = {{0}};
            struct hardest h;
            bool in_a[32];
            int64_t on_time;
            assert_true(hardest_init(&h, w, E, library, &error));
            assert_true(hardest_fixed(&h, a, b, in_a, &on_time, &error));
            assert_int_equal(sum_of(in_a, (a + b) * E), a * E);
            assert_int_equal(on_time, on_time_of(in_a, w, E, a + b, library));
            assert_int_equal(on_time, best_of_all(w, E, a + b, library, a * E));
            if (a == b && a % w == 0) {
                assert_int_equal(hardest_halves(&h, a + b, in_a), on_time);
                assert_int_equal(sum_of(in_a, (a + b) * E), a * E);
                assert_int_equal(on_time, on_time_of(in_a, w, E, a + b, library));
            }
            hardest_free(&h);
        }
}

/* Two equal lists: the mirrored half is as good as the search over all lengths. */
static void test_halves_are_as_good_as_fixed_lists(void **unused)
{
    (void)unused;
    for (int w = 2; w <= 7; w++)
        for (int E = 1; E <= 2 * w; E++)
            for (int u = 2 * w; u <= 6 * w; u += 2 * w) {
                struct error error = {{0}};
                struct hardest h;
                bool in_a[6 * 7 * 14];
                int64_t on_time;
                assert_true(hardest_init(&h, w, E, false, &error));
                assert_true(hardest_fixed(&h, u / 2, u / 2, in_a, &on_time, &error));
                assert_int_equal(hardest_halves(&h, u, in_a), on_time);
                assert_int_equal(on_time_of(in_a, w, E, u, false), on_time);
                hardest_free(&h);
            }
}

/* Pairs of one warp share a beach. */
static void test_pairs_of_a_warp_add_up(void **unused)
{
    static const int pairs[][6] = {{1, 1, 1, 1, 1, 1}, {2, 1, 1, 2, 0, 0}, {3, 3, 0, 0, 0, 0}};
    static const int counts[] = {3, 2, 1};
    (void)unused;
    for (int E = 1; E <= 7; E++)
        for (int i = 0; i < 3; i++) {
            struct error error = {{0}};
            struct hardest h;
            bool in_a[6 * 7], given[6 * 7];
            int64_t on_time, most = 0;
            assert_true(hardest_init(&h, 6, E, false, &error));
            assert_true(hardest_warp(&h, pairs[i], counts[i], in_a, &on_time, &error));
            /* each pair keeps the lengths of its lists, and the words on time are those counted */
            for (int s = 0; s < 6; s++) {
                int sum = 0, first = 0;
                for (int k = 0; k < counts[i]; k++) {
                    int a = pairs[i][2 * k], b = pairs[i][2 * k + 1];
                    assert_int_equal(sum_of(in_a + first * E, (a + b) * E), a * E);
                    memset(given, 0, sizeof given);
                    memcpy(given, in_a + first * E, (size_t)((a + b) * E) * sizeof *given);
                    int beach = (s - first * E % 6 + 6) % 6, na = a * E, x = 0, y = na;
                    for (int j = 0; j < (a + b) * E; j++) {
                        int word = given[j] ? x++ : y++;
                        sum += (word - j % E - beach) % 6 == 0;
                    }
                    first += a + b;
                }
                most = sum > most ? sum : most;
            }
            assert_int_equal(most, on_time);
            hardest_free(&h);
        }
}

/* ---- recordings ------------------------------------------------------------------------------ */

static uint64_t passes_of(const char *kernel, const char *input, const char *params)
{
    struct trace trace;
    record(&trace, kernel, input, "%s", params);
    uint64_t passes = stage_passes(&trace, "merge");
    trace_free(&trace);
    return passes;
}

static void test_two_warps_take_E_times_E_plus_1_passes_each(void **unused)
{
    static const struct {
        const char *params;
        uint64_t passes; /* of all warps */
    } merges[] = {{"w=8 E=3 u=16", 24},    {"w=12 E=5 u=24", 60},   {"w=16 E=7 u=32", 112},
                  {"w=32 E=15 u=64", 480}, {"w=32 E=17 u=64", 608}, {"w=32 E=15 u=32", 225}};
    (void)unused;
    for (size_t i = 0; i < sizeof merges / sizeof merges[0]; i++)
        assert_int_equal(passes_of("thrust-merge", "hardest", merges[i].params), merges[i].passes);
}

/* As many passes as words on time, or more where words collide that are not; never more than the
 * bound, which two warps reach for 2 E <= w. */
static void test_passes_are_between_the_objective_and_the_bound(void **unused)
{
    (void)unused;
    for (int w = 2; w <= 16; w++)
        for (int E = 1; E <= 2 * w; E += 1 + E / 4)
            for (int warps = 1; warps <= 3; warps++) {
                struct error error = {{0}};
                struct hardest h;
                char params[64];
                bool in_a[3 * 16 * 32];
                snprintf(params, sizeof params, "w=%d u=%d E=%d", w, warps * w, E);
                assert_true(hardest_init(&h, w, E, false, &error));
                uint64_t on_time = (uint64_t)hardest_merge(&h, warps * w, in_a);
                uint64_t passes = passes_of("thrust-merge", "hardest", params);
                assert_true(passes >= on_time);
                assert_true(passes <= (uint64_t)(warps * E * (E + 1)));
                if (2 * E <= w && warps == 2)
                    assert_int_equal(passes, warps * E * (E + 1));
                hardest_free(&h);
            }
}

/* In the library's order one warp is enough for E (E + 1). */
static void test_the_librarys_order_is_hurt_more(void **unused)
{
    (void)unused;
    for (int w = 2; w <= 32; w += 1 + w / 3)
        for (int E = 2; 2 * E <= w; E += 1 + E / 5)
            for (int warps = 1; warps <= 3; warps++) {
                char params[64];
                snprintf(params, sizeof params, "w=%d u=%d E=%d order=library", w, warps * w, E);
                uint64_t passes = passes_of("thrust-merge", "hardest", params);
                assert_true(passes >= (uint64_t)(warps * E * (E + 1)));
                assert_true(passes >= passes_of("thrust-merge", "worst", params));
            }
}

/* Passes of the merges of all levels. */
static uint64_t all_levels(const char *kernel, const char *input, const char *params)
{
    struct trace trace;
    uint64_t sum = 0;
    record(&trace, kernel, input, "%s", params);
    for (int i = 0; i < trace.header.stages; i++)
        if (!strncmp(trace.header.stage[i], "merge-", 6))
            sum += stage_passes(&trace, trace.header.stage[i]);
    trace_free(&trace);
    return sum;
}

static void test_every_level_of_a_sort_is_hurt(void **unused)
{
    (void)unused;
    assert_int_equal(all_levels("thrust-sort", "worst", "w=32 E=15 u=64 n=960"), 1638);
    assert_int_equal(all_levels("thrust-sort", "hardest", "w=32 E=15 u=64 n=960"), 2556);
    static const char *const sizes[] = {"w=32 E=17 u=64 n=4352", "w=16 E=7 u=64 n=1792",
                                        "w=12 E=5 u=36 n=900", "w=8 E=4 u=64 n=1024"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct trace worst, hardest;
        record(&worst, "thrust-sort", "worst", "%s", sizes[i]);
        record(&hardest, "thrust-sort", "hardest", "%s", sizes[i]);
        for (int k = 0; k < worst.header.stages; k++) {
            const char *stage = worst.header.stage[k];
            if (strncmp(stage, "merge-", 6) == 0 &&
                stage_passes(&hardest, stage) < stage_passes(&worst, stage))
                fail_msg("%s: %s takes fewer passes than with input worst", sizes[i], stage);
        }
        trace_free(&worst);
        trace_free(&hardest);
    }
}

/* Whatever the sizes: a run that succeeds has sorted. */
static void test_any_size_is_sorted(void **unused)
{
    static const char *const kernels[] = {"thrust-sort", "cf-sort"};
    uint64_t state = 9;
    (void)unused;
    for (int n = 0; n < 80; n++) {
        int w = 1 + random_below(&state, 20), u = w * (1 + random_below(&state, 7));
        int E = 1 + random_below(&state, n % 4 ? w : 3 * w);
        struct trace trace;
        record(&trace, kernels[n % 2], "hardest", "w=%d u=%d E=%d n=%d", w, u, E,
               1 + random_below(&state, 6 * u * E));
        trace_free(&trace);
    }
}

static void test_too_much_work_is_refused(void **unused)
{
    (void)unused;
    expect_refused("thrust-sort w=64 u=128 E=256 --input hardest",
                   "choose smaller ones, or input worst");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_merge_of_small_size_has_more_on_time),
        cmocka_unit_test(test_no_lists_of_these_lengths_have_more_on_time),
        cmocka_unit_test(test_halves_are_as_good_as_fixed_lists),
        cmocka_unit_test(test_pairs_of_a_warp_add_up),
        cmocka_unit_test(test_two_warps_take_E_times_E_plus_1_passes_each),
        cmocka_unit_test(test_passes_are_between_the_objective_and_the_bound),
        cmocka_unit_test(test_the_librarys_order_is_hurt_more),
        cmocka_unit_test(test_every_level_of_a_sort_is_hurt),
        cmocka_unit_test(test_any_size_is_sorted),
        cmocka_unit_test(test_too_much_work_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
