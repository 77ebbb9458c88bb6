/* test_warp_sort.c - Warpsort: right for every size, shape and input, with the conflicts of its networks.
 *
 * recipe_run compares every result with a reference sort, so a run that succeeds has sorted.
 */
#include "tests/support/recording.h"

#include <limits.h>

enum { ROOM = 1 << 14 };

/* Numbers of one kind: few or many different ones, ascending, descending, the largest and smallest. */
enum { KINDS = 6 };
static void fill(int *numbers, int n, int kind, uint64_t *state)
{
    assert_true(n <= ROOM);
    for (int i = 0; i < n; i++)
        numbers[i] = kind == 0   ? random_below(state, INT_MAX) - INT_MAX / 2
                     : kind == 1 ? random_below(state, 2)
                     : kind == 2 ? random_below(state, n / 8 + 2)
                     : kind == 3 ? i
                     : kind == 4 ? -i
                                 : (random_below(state, 3) ? INT_MAX : INT_MIN);
}

/* All inputs of up to 7 words of three kinds, in tiles of 2 words: 3 of them and more are distributed. */
static void test_all_small_inputs(void **unused)
{
    int numbers[7];
    (void)unused;
    for (int n = 1, codes = 3; n <= 7; n++, codes *= 3)
        for (int code = 0; code < codes; code++) {
            for (int i = 0, rest = code; i < n; i++, rest /= 3)
                numbers[i] = rest % 3;
            run_numbers("warp-sort", numbers, (size_t)n, "w=%d n=%d t=2 buckets=%d blocks=%d",
                        1 + code % 3, n, 2 + code % 2, 1 + code % 2);
        }
}

/* Of any warp, tile and number of buckets; blocks of several warps where w is 32. */
static void test_every_size(void **unused)
{
    uint64_t state = 3;
    int *numbers = malloc(ROOM * sizeof *numbers);
    (void)unused;
    for (int k = 0; k < 60 * KINDS; k++) {
        bool full = k / KINDS % 4 == 3;
        int w = full ? 32 : 1 + random_below(&state, 20),
            t = 2 << random_below(&state, full ? 8 : 6);
        int n = 1 + random_below(&state, 20 * t), u = full ? 32 << random_below(&state, 3) : w;
        fill(numbers, n, k % KINDS, &state);
        run_numbers("warp-sort", numbers, (size_t)n, "w=%d u=%d n=%d t=%d buckets=%d blocks=%d", w,
                    u, n, t, random_below(&state, 12), 1 + random_below(&state, 5));
    }
    free(numbers);
}

/* Of a stage, all of them; a step over distance below w = 32 has a conflict in each of its accesses. */
static uint64_t conflicts_of(const struct stats *stats, const char *stage)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < stats->rows; i++)
        if (!strcmp(stats->header.stage[stats->row[i].stage], stage))
            sum += stats->row[i].conflicts;
    return sum;
}

/* w = 32, t = 128: two rounds of four accesses for each step. Sorting a tile takes 28 steps, of which the
 * three over distance 32 and 64 have no conflicts; merging takes 7, of which two have none. A pair of
 * sequences of h half tiles each takes 2 h - 1 merges of tiles, whatever its words are. */
static void test_conflicts_are_those_of_short_distances(void **unused)
{
    static const char *const inputs[] = {"random", "sorted", "duplicates=2"};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        struct recipe recipe;
        struct run_result result;
        struct stats stats;
        struct error error = {{0}};
        char text[64];
        set_up(&recipe, "warp-sort", "w=32 u=64 t=128 n=2048 buckets=1 blocks=3");
        snprintf(text, sizeof text, "--input %s", inputs[k]);
        assert_true(recipe_read(&recipe, text, &error));
        stats_init(&stats, STATS_BY_STAGE);
        struct trace_sink sink = stats_sink(&stats);
        if (!recipe_run(&recipe, NULL, &sink, &result, &error))
            fail_msg("%s", error.text);
        assert_int_equal(conflicts_of(&stats, "sort"), 16 * 25 * 2 * 4);
        for (int level = 1, pairs = 8; level <= 4; level++, pairs /= 2) {
            char stage[16];
            snprintf(stage, sizeof stage, "merge-%d", level);
            assert_int_equal(conflicts_of(&stats, stage), pairs * ((2 << level) - 1) * 5 * 2 * 4);
        }
        stats_free(&stats);
        recipe_free(&recipe);
    }
}

/* Stages are the steps, in the order of time. 32 tiles become 4 sequences, which are cut into 4 buckets. */
static void test_names_its_steps(void **unused)
{
    static const char *const steps[] = {"sort",  "merge-1",    "merge-2", "merge-3", "splitters",
                                        "ranks", "distribute", "final-1", "final-2"};
    struct trace trace;
    (void)unused;
    record(&trace, "warp-sort", "random", "w=8 n=1000 t=32 blocks=4");
    has_steps(&trace, steps, 9, 4);
    trace_free(&trace);
}

static void test_bad_parameters_are_refused(void **unused)
{
    static const char *const bad[][2] = {
        {"warp-sort t=48", "t = 48 is not a power of two"},
        {"warp-sort w=8 u=16", "u is 16, but a block is one warp of w = 8; omit u"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect_refused(bad[i][0], bad[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_small_inputs),
        cmocka_unit_test(test_every_size),
        cmocka_unit_test(test_conflicts_are_those_of_short_distances),
        cmocka_unit_test(test_names_its_steps),
        cmocka_unit_test(test_bad_parameters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
