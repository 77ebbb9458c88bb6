/* test_bcf.c - BCFMergesort and its merge: right for every size and input, and free of conflicts.
 *
 * recipe_run compares every result with a reference sort.
 */
#include "tests/support/recording.h"

#include <limits.h>

/* Runs the kernel with parameters "w=4 n=7" on the numbers, or on its random input if NULL; fails
 * unless it runs and its result is right and no access had a conflict. Returns the warp accesses of
 * the stages whose names begin with `stages` ("": of all). */
__attribute__((format(printf, 5, 6))) static uint64_t run(const char *kernel, const char *stages,
                                                          const int *numbers, size_t count,
                                                          const char *params, ...)
{
    char text[128];
    struct error error = {{0}};
    struct recipe recipe;
    struct run_result result;
    struct stats stats;
    uint64_t accesses = 0;
    va_list list;
    va_start(list, params);
    vsnprintf(text, sizeof text, params, list);
    va_end(list);

    recipe_init(&recipe, catalogue_find(kernel, &error));
    if (!recipe_read(&recipe, text, &error))
        fail_msg("%s", error.text);
    if (numbers)
        use_numbers(&recipe, numbers, count);
    stats_init(&stats, STATS_BY_STAGE);
    struct trace_sink sink = stats_sink(&stats);
    if (!recipe_run(&recipe, NULL, &sink, &result, &error))
        fail_msg("%s %s: %s", kernel, text, error.text);
    if (stats.total.conflicts)
        fail_msg("%s %s: %d conflicts", kernel, text, (int)stats.total.conflicts);
    for (size_t i = 0; i < stats.rows; i++)
        if (!strncmp(stats.header.stage[stats.row[i].stage], stages, strlen(stages)))
            accesses += stats.row[i].warp_accesses;
    stats_free(&stats);
    recipe_free(&recipe);
    return accesses;
}

/* Numbers of one kind: few or many different ones, ascending, descending, the largest and smallest
 * that there are. */
enum { KINDS = 7, ROOM = 1 << 15 };
static void fill(int *numbers, int n, int kind, uint64_t *state)
{
    assert_true(n <= ROOM);
    for (int i = 0; i < n; i++)
        numbers[i] = kind == 0   ? random_below(state, INT_MAX) - INT_MAX / 2
                     : kind == 1 ? random_below(state, 2)
                     : kind == 2 ? random_below(state, n / 8 + 2)
                     : kind == 3 ? i
                     : kind == 4 ? -i
                     : kind == 5 ? (random_below(state, 3) ? INT_MAX : INT_MIN)
                                 : 7;
}

/* Pairs of 0-1 streams of every size up to 9 words, and of sizes up to 40, in every mix of zeros
 * and ones; a page is 8 words. */
static void test_merge_of_all_zeros_and_ones(void **unused)
{
    int numbers[40];
    (void)unused;
    for (int n = 1; n <= 40; n += n < 10 ? 1 : random_rounds(1) > 1 ? 5 : 15)
        for (int na = 0; na <= n; na += 1 + (n >= 10))
            for (int a = 0; a <= na; a++)
                for (int b = 0; b <= n - na; b += 1 + (n >= 20)) {
                    for (int i = 0; i < n; i++)
                        numbers[i] = i < na ? i >= a : i - na >= b;
                    run("bcf-merge", "", numbers, (size_t)n, "w=4 n=%d na=%d pivots=%s variant=%s",
                        n, na, a % 3 ? "off" : "on", (a + b) % 2 ? "transpose" : "diagonal");
                }
}

static void test_merge_has_no_conflicts(void **unused)
{
    static const int warps[] = {2, 3, 4, 5, 8, 12, 16, 27, 32, 64};
    uint64_t state = 3;
    int *numbers = malloc(ROOM * sizeof *numbers);
    (void)unused;
    for (size_t i = 0; i < sizeof warps / sizeof warps[0]; i++)
        for (int k = 0; k < 40; k++) {
            int w = warps[i], page = w / 2 * w, blocks = k % 5 ? 1 : 3;
            /* About one page, several, or whole pages; streams balanced, or one of them short. */
            int n = 1 + random_below(&state, k % 2 ? 2 * page : (w < 32 ? 9 : 4) * page);
            int na = k % 3 ? random_below(&state, n + 1) : k % 2 ? 0 : n;
            if (k % 4 == 0) {
                n = (2 + k % 3) * page;
                na = k % 3 * page;
            }
            fill(numbers, n * blocks, k % KINDS, &state);
            run("bcf-merge", "", numbers, (size_t)(n * blocks),
                "w=%d n=%d na=%d blocks=%d pivots=%s variant=%s", w, n, na, blocks,
                k % 8 < 4 ? "off" : "on", k % 2 ? "transpose" : "diagonal");
        }
    free(numbers);
}

/* bcf.h's example: the words 0 .. 15, of which word x is in column x / 4 once the rows are sorted.
 */
static void test_merge_sorts_columns_by_rows(void **unused)
{
    static const int numbers[] = {0, 1, 4, 5, 6, 9, 10, 15, 2, 3, 7, 8, 11, 12, 13, 14};
    static const int loaded[] = {5, 4, 1, 0, 15, 10, 9, 6, 2, 3, 7, 8, 11, 12, 13, 14};
    struct error error = {{0}};
    struct run_result result;
    struct recipe recipe;
    struct trace trace = {.count = 0};
    struct trace_sink sink = trace_memory_sink(&trace);
    int words = 0;
    (void)unused;
    recipe_init(&recipe, catalogue_find("bcf-merge", &error));
    assert_true(recipe_read(&recipe, "w=4", &error));
    assert_true(recipe_read(&recipe, "n=16", &error));
    use_numbers(&recipe, numbers, 16);
    assert_true(recipe_run(&recipe, NULL, &sink, &result, &error));
    for (size_t i = 0; i < trace.count; i++) {
        struct warp_access access = trace_get(&trace, i);
        bool load = !strcmp(trace.header.stage[access.stage], "load-0");
        bool rows = !strcmp(trace.header.stage[access.stage], "rows-0");
        for (int lane = 0; access.op == OP_STORE && (load || rows) && lane < access.lanes; lane++) {
            int word = (int)access.addr[lane] / 4, value = (int)access.value[lane];
            assert_int_equal(load ? loaded[word] : value / 4, load ? value : word / 4);
            words++;
        }
    }
    assert_int_equal(words, 32);
    trace_free(&trace);
    recipe_free(&recipe);
}

/* Lemma 2's count: each page after the first is merged once, whatever the order of the words. */
static void test_merge_takes_a_round_per_page(void **unused)
{
    const int w = 8, page = 32;
    (void)unused;
    for (int pages = 2; pages <= 9; pages++)
        for (int in_a = 1; in_a < pages; in_a++)
            assert_int_equal(
                run("bcf-merge", "rows", NULL, 0, "w=8 n=%d na=%d", pages * page, in_a * page),
                (pages - 1) * 2 * w);
    /* One stream empty: a copy. */
    assert_int_equal(run("bcf-merge", "", NULL, 0, "w=8 n=100 na=0"), 0);
    assert_int_equal(run("bcf-merge", "", NULL, 0, "w=8 n=100 na=100"), 0);
}

static void test_merge_passes_equal_words_by(void **unused)
{
    int numbers[256];
    (void)unused;
    for (int i = 0; i < 256; i++)
        numbers[i] = i % 128 < 20 ? 0 : i % 128 < 108 ? 1 : 2; /* sorted as two streams of 128 */
    uint64_t off = run("bcf-merge", "rows", numbers, 256, "w=8 n=256 pivots=off");
    uint64_t on = run("bcf-merge", "rows", numbers, 256, "w=8 n=256 pivots=on");
    assert_int_equal(off, 7 * 16);
    assert_int_equal(on, 2 * 16); /* 20 words of each stream below, and above */
}

/* All inputs of up to 7 words of three kinds; a piece is 4 words, so some are distributed. */
static void test_sort_of_all_small_inputs(void **unused)
{
    (void)unused;
    for (int n = 1; n <= 7; n++) {
        int codes = 1, numbers[7];
        for (int i = 0; i < n; i++)
            codes *= 3;
        for (int code = 0; code < codes; code++) {
            for (int i = 0, rest = code; i < n; i++, rest /= 3)
                numbers[i] = rest % 3;
            run("bcf-sort", "", numbers, (size_t)n, "w=2 n=%d blocks=2 pivots=%s variant=%s", n,
                code % 2 ? "on" : "off", code % 5 < 2 ? "transpose" : "diagonal");
        }
    }
}

/* Every n up to a few pieces of 16 words, with every number of blocks around the number of them. */
static void test_sort_of_every_size(void **unused)
{
    uint64_t state = 5;
    int numbers[150];
    (void)unused;
    for (int n = 1; n <= 150; n++)
        for (int blocks = 1; blocks <= 6; blocks++) {
            fill(numbers, n, (n + blocks) % KINDS, &state);
            run("bcf-sort", "", numbers, (size_t)n, "w=4 n=%d blocks=%d pivots=%s variant=%s", n,
                blocks, n / 2 % 2 ? "on" : "off", n % 2 ? "transpose" : "diagonal");
        }
}

static void test_sort_has_no_conflicts(void **unused)
{
    static const int warps[] = {2, 3, 4, 6, 8, 13, 16, 32};
    uint64_t state = 7;
    int *numbers = malloc(ROOM * sizeof *numbers);
    (void)unused;
    for (size_t i = 0; i < sizeof warps / sizeof warps[0]; i++)
        for (int k = 0; k < random_rounds(2 * KINDS); k++) {
            int w = warps[i], most = w * w * (w < 16 ? 20 : 11);
            int n = most / 2 + random_below(&state, most / 2), options = (int)i + k + k / KINDS;
            fill(numbers, n, k % KINDS, &state);
            run("bcf-sort", "", numbers, (size_t)n, "w=%d n=%d blocks=%d pivots=%s variant=%s", w,
                n, 1 + random_below(&state, 9), options % 2 ? "on" : "off",
                options / 2 % 2 ? "transpose" : "diagonal");
        }
    free(numbers);
}

/* More samples than a piece holds: 20 sequences give 20 samples each, a piece is 16 words. */
static void test_sort_merges_its_splitters(void **unused)
{
    (void)unused;
    for (int pivots = 0; pivots < 2; pivots++)
        assert_true(run("bcf-sort", "splitters-5", NULL, 0, "w=4 n=313 blocks=20 pivots=%s",
                        pivots ? "on" : "off") > 0);
}

/* With zeros and ones every splitter is 0 or 1, so all words are in pivot buckets: nothing is left
 * to merge, while without pivot buckets one block merges all. */
static void test_sort_with_pivots_does_not_merge_duplicates(void **unused)
{
    uint64_t state = 9;
    int numbers[2000];
    (void)unused;
    fill(numbers, 2000, 1, &state);
    assert_int_equal(run("bcf-sort", "final", numbers, 2000, "w=8 n=2000 blocks=8 pivots=on"), 0);
    assert_true(run("bcf-sort", "final", numbers, 2000, "w=8 n=2000 blocks=8 pivots=off") > 1000);
}

/* Stages are the steps, in the order of time. 16 pieces become 4 sequences, one per block. */
/* bcfsort Lemma 1: a run fails if a bucket of distinct words is larger (tests/cli/test_run.sh breaks it). */
static void test_buckets_of_distinct_words_are_as_small_as_lemma_1_says(void **unused)
{
    uint64_t state = 31;
    int *numbers = malloc(ROOM * sizeof *numbers);
    (void)unused;
    for (int k = 0; k < random_rounds(20); k++) {
        int n = 2 + random_below(&state, 4000), w = 4 + random_below(&state, 9);
        for (int i = 0; i < n; i++) {
            int other = random_below(&state, i + 1);
            numbers[i] = numbers[other];
            numbers[other] = k % 4 ? i : -i;
        }
        run("bcf-sort", "", numbers, (size_t)n, "w=%d n=%d blocks=%d pivots=%s", w, n,
            1 + random_below(&state, 30), k % 2 ? "on" : "off");
    }
    free(numbers);
}

static void test_sort_names_its_steps(void **unused)
{
    static const char *const steps[] = {"sort",  "merge-1",    "merge-2", "splitters",
                                        "ranks", "distribute", "final-1", "final-2"};
    struct trace trace;
    (void)unused;
    record(&trace, "bcf-sort", "random", "w=8 n=1000 blocks=4");
    has_steps(&trace, steps, 8, 4);
    trace_free(&trace);
}

static void test_bad_parameters_are_refused(void **unused)
{
    static const char *const bad[][2] = {
        {"bcf-merge na=129", "na = 129 must be at most n = 128"},
        {"bcf-merge u=16", "a block is one warp of w = 8"},
        {"bcf-merge n=1000000", "each page has its own stages"},
        {"bcf-sort u=16", "a block is one warp of w = 8"},
        {"bcf-sort n=1000000", "may take over"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect_refused(bad[i][0], bad[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge_of_all_zeros_and_ones),
        cmocka_unit_test(test_merge_has_no_conflicts),
        cmocka_unit_test(test_merge_sorts_columns_by_rows),
        cmocka_unit_test(test_merge_takes_a_round_per_page),
        cmocka_unit_test(test_merge_passes_equal_words_by),
        cmocka_unit_test(test_sort_of_all_small_inputs),
        cmocka_unit_test(test_sort_of_every_size),
        cmocka_unit_test(test_sort_has_no_conflicts),
        cmocka_unit_test(test_sort_merges_its_splitters),
        cmocka_unit_test(test_sort_with_pivots_does_not_merge_duplicates),
        cmocka_unit_test(test_buckets_of_distinct_words_are_as_small_as_lemma_1_says),
        cmocka_unit_test(test_sort_names_its_steps),
        cmocka_unit_test(test_bad_parameters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
