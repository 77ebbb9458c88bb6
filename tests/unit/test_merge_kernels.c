/* test_merge_kernels.c - the merges: results, the conflict-free gather, the worst case.
 *
 * recipe_run compares every result with a reference sort, so a run that succeeds has merged right.
 * What is checked here besides is what the papers claim of the accesses.
 */
#include "tests/support/recording.h"

#include "kernels/worst.h"

/* The gather of a recording: no conflicts, and every word of the tile read exactly once. */
static void expect_perfect_gather(const struct trace *trace, int w, int u, int E)
{
    int words = u * E;
    char *read = calloc((size_t)words, 1);
    int gather = header_stage(&trace->header, "gather");
    for (size_t i = 0; i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        if (access.stage != gather)
            continue;
        struct bank_cost cost;
        bank_model_cost(&trace->header, &access, &cost);
        assert_int_equal(cost.ways, 1);
        assert_int_equal(access.lanes, w);
        for (int k = 0; k < access.lanes; k++) {
            assert_true(access.addr[k] / 4 < (uint32_t)words);
            read[access.addr[k] / 4]++;
        }
    }
    for (int i = 0; i < words; i++)
        assert_int_equal(read[i], 1);
    free(read);
}

/* splits=... of u random shares; extreme: each all or nothing. */
static char *random_splits(int u, int E, bool extreme, uint64_t *state)
{
    size_t room = (size_t)u * 5 + 16;
    char *text = malloc(room);
    size_t used = (size_t)snprintf(text, room, "splits=");
    for (int i = 0; i < u; i++) {
        int share = extreme ? E * random_below(state, 2) : random_below(state, E + 1);
        used += (size_t)snprintf(text + used, room - used, "%s%d", i ? "," : "", share);
    }
    return text;
}

static void test_gather_has_no_conflicts_and_reads_every_word_once(void **unused)
{
    static const int warps[] = {1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 32};
    static const int blocks[] = {1, 2, 3, 5};
    uint64_t state = 7;
    (void)unused;
    for (size_t i = 0; i < sizeof warps / sizeof warps[0]; i++) {
        int w = warps[i];
        for (int E = 1; E < 3 * w; E += w < 16 ? 1 : 1 + random_below(&state, 4)) {
            int u = w * blocks[random_below(&state, 4)];
            struct trace trace;
            char *splits = random_splits(u, E, E % 4 == 0, &state);
            record(&trace, "cf-merge", splits, "w=%d u=%d E=%d", w, u, E);
            expect_perfect_gather(&trace, w, u, E);
            assert_int_equal(stage_conflicts(&trace, "load"), 0);
            assert_int_equal(stage_conflicts(&trace, "store"), 0);
            trace_free(&trace);
            free(splits);
        }
    }
}

/* The scatter of cf-split: no conflicts, and every word of the tile written exactly once, whatever the
 * numbers; the direct one has some on random numbers. */
static void test_scatter_has_no_conflicts_and_writes_every_word_once(void **unused)
{
    static const char *const inputs[] = {"random", "sorted", "duplicates", "reverse"};
    uint64_t state = 21, direct = 0;
    (void)unused;
    for (int n = 0; n < 150; n++) {
        int w = 1 + random_below(&state, 33), u = w * (1 + random_below(&state, 5));
        int E = 1 + random_below(&state, n % 5 ? w : 3 * w);
        struct trace trace;
        char *written = calloc((size_t)(u * E), 1);
        record(&trace, "cf-split", inputs[n % 4], "w=%d u=%d E=%d blocks=1 --seed %d", w, u, E, n);
        int scatter = header_stage(&trace.header, "scatter");
        for (size_t i = 0; i < trace.count; i++) {
            struct warp_access access = trace_get(&trace, i);
            for (int k = 0; access.stage == scatter && k < access.lanes; k++)
                written[access.addr[k] / 4]++;
        }
        for (int i = 0; i < u * E; i++)
            assert_int_equal(written[i], 1);
        assert_int_equal(stage_conflicts(&trace, "scan"), 0);
        assert_int_equal(stage_conflicts(&trace, "scatter"), 0);
        assert_int_equal(stage_conflicts(&trace, "store"), 0);
        trace_free(&trace);
        free(written);
        record(&trace, "cf-split", "random", "w=%d u=%d E=%d variant=direct blocks=2", w, u, E);
        direct += stage_conflicts(&trace, "scatter");
        trace_free(&trace);
    }
    assert_true(direct > 0);
}

/* cfmerge section 3.1: words E apart are in different banks when w and E are coprime. */
static void test_dual_scan_has_no_conflicts_for_coprime_w_and_E(void **unused)
{
    uint64_t state = 11;
    (void)unused;
    for (int w = 2; w <= 20; w++)
        for (int E = 1; E < 2 * w; E++) {
            int u = w * (1 + random_below(&state, 3));
            struct trace trace;
            if (gcd(w, E) > 1)
                continue;
            char *splits = random_splits(u, E, E % 4 == 0, &state);
            record(&trace, "dual-scan", splits, "w=%d u=%d E=%d", w, u, E);
            assert_int_equal(stage_conflicts(&trace, "gather"), 0);
            trace_free(&trace);
            free(splits);
        }
}

/* A word is named as the list's it is from, by who stores it and by who reads it. */
static void test_words_keep_the_names_of_their_lists(void **unused)
{
    static const char *const kernels[] = {"thrust-merge", "dual-scan", "cf-merge"};
    static const char *const stages[] = {"merge", "gather", "gather"};
    enum { W = 6, U = 12, E = 4 };
    (void)unused;
    for (int k = 0; k < 3; k++) {
        char stored[U * E] = {0}, read[U * E] = {0};
        struct trace trace;
        /* A has 12 words, B 36. */
        record(&trace, kernels[k], "splits=4,0,0,3,0,0,1,0,0,4,0,0", "w=%d u=%d E=%d", W, U, E);
        int load = header_stage(&trace.header, "load");
        int merge = header_stage(&trace.header, stages[k]), of_a = 0;
        for (size_t i = 0; i < trace.count; i++) {
            struct warp_access access = trace_get(&trace, i);
            for (int lane = 0; lane < access.lanes; lane++) {
                if (access.stage == load)
                    stored[access.addr[lane] / 4] = access.tag[lane];
                if (access.stage == merge)
                    read[access.addr[lane] / 4] = access.tag[lane];
            }
        }
        for (int word = 0; word < U * E; word++)
            of_a += stored[word] == 'A';
        assert_int_equal(of_a, 12);
        assert_memory_equal(stored, read, U * E);
        trace_free(&trace);
    }
}

static void test_every_input_is_merged_right(void **unused)
{
    static const char *const kernels[] = {"thrust-merge", "dual-scan", "cf-merge"};
    static const char *const inputs[] = {"random", "sorted", "reverse", "duplicates"};
    uint64_t state = 3;
    (void)unused;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++)
            for (int n = 0; n < 12; n++) {
                int w = 1 + random_below(&state, 33), u = w * (1 + random_below(&state, 4));
                struct trace trace;
                record(&trace, kernels[k], inputs[i], "w=%d u=%d E=%d blocks=%d", w, u,
                       1 + random_below(&state, 2 * w), 1 + random_below(&state, 3));
                trace_free(&trace);
            }
}

static void test_library_order_merges_right(void **unused)
{
    uint64_t state = 5;
    (void)unused;
    for (int n = 0; n < 40; n++) {
        int w = 1 + random_below(&state, 33), u = w * (1 + random_below(&state, 4));
        int E = 1 + random_below(&state, 2 * w);
        struct trace trace;
        char *splits = random_splits(u, E, n % 4 == 0, &state);
        record(&trace, "thrust-merge", n % 2 ? splits : "duplicates",
               "w=%d u=%d E=%d order=library", w, u, E);
        trace_free(&trace);
        free(splits);
    }
}

/* Aligned words of each warp in stage merge: the word in bank w - E + j, read in round j. */
static void count_aligned(const struct trace *trace, int w, int E, int *aligned)
{
    int merge = header_stage(&trace->header, "merge");
    for (size_t i = 0; i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        for (int k = 0; access.stage == merge && k < access.lanes; k++)
            aligned[access.warp] += (int)(access.addr[k] / 4 % (uint32_t)w) == w - E + access.round;
    }
}

/* cfmerge Theorem 8, all d subproblems together. */
static int aligned_formula(int w, int E)
{
    int d = gcd(w, E), r = w % E;
    return 2 * E <= w ? E * E : (E * E + 2 * E * r + E * d - r * r - r * d) / 2;
}

static void test_worst_case_aligns_as_the_theorem_says(void **unused)
{
    (void)unused;
    for (int w = 2; w <= 40; w++)
        for (int E = 2; E <= w; E++) {
            int aligned[2] = {0, 0};
            struct trace trace;
            record(&trace, "thrust-merge", "worst", "w=%d u=%d E=%d", w, 2 * w, E);
            count_aligned(&trace, w, E, aligned);
            assert_int_equal(aligned[0], aligned_formula(w, E));
            assert_int_equal(aligned[1], aligned_formula(w, E));
            if (2 * E <= w)
                assert_int_equal(stage_passes(&trace, "merge"), 2 * E * E);
            else
                assert_true(stage_passes(&trace, "merge") >= (uint64_t)(2 * aligned_formula(w, E)));
            trace_free(&trace);
        }
}

static void test_worst_case_passes_of_the_real_parameters(void **unused)
{
    struct trace trace;
    (void)unused;
    record(&trace, "thrust-merge", "worst", "w=32 u=512 E=15");
    assert_int_equal(stage_passes(&trace, "merge"), 16 * 225);
    trace_free(&trace);
    record(&trace, "thrust-merge", "worst", "w=32 u=256 E=17");
    assert_int_equal(stage_passes(&trace, "merge"), 8 * 288);
    trace_free(&trace);
}

/* worstcase Theorem 3, for its w and any other, by each strategy of Lemma 2: E E words of each warp on
 * time, on the first E banks. */
static void test_theorem_3_takes_E_E_passes(void **unused)
{
    (void)unused;
    for (int w = 7; w <= 40; w++)
        for (int E = 3; 2 * E < w; E += 2) {
            struct trace trace;
            int on_time[3] = {0, 0, 0}, merge;
            char input[64];
            snprintf(input, sizeof input, "theorem-3=%s", theorem_3_strategies[(w + E / 2) % 3]);
            record(&trace, "thrust-merge", input, "w=%d u=%d E=%d", w, 3 * w, E);
            merge = header_stage(&trace.header, "merge");
            for (size_t i = 0; i < trace.count; i++) {
                struct warp_access access = trace_get(&trace, i);
                for (int k = 0; access.stage == merge && k < access.lanes; k++)
                    on_time[access.warp] += (int)(access.addr[k] / 4) % w == access.round;
            }
            for (int warp = 0; warp < 3; warp++)
                assert_int_equal(on_time[warp], E * E);
            assert_int_equal(stage_passes(&trace, "merge"), 3 * E * E);
            trace_free(&trace);
        }
}

/* The cells of worstcase Figure 3, left. */
static void test_theorem_3_is_the_papers_figure(void **unused)
{
    static const int figure[] = {7, 0, 7, 2, 7, 3, 0, 6, 7, 0, 6, 0, 3, 7, 7, 2};
    int from_a[32];
    (void)unused;
    theorem_3_shares(16, 7, 32, 0, from_a);
    for (int i = 0; i < 16; i++) {
        assert_int_equal(from_a[i], figure[i]);
        assert_int_equal(from_a[16 + i], 7 - figure[i]);
    }
}

/* The strategies of Lemma 2 differ: a column of the longer list is the last one, or the first, or one in
 * the middle, to be read. */
static void test_strategies_of_lemma_2_differ(void **unused)
{
    int from_a[3][32];
    (void)unused;
    for (int s = 0; s < 3; s++) {
        int sum = 0;
        theorem_3_shares(32, 9, 32, s, from_a[s]);
        for (int i = 0; i < 32; i++)
            sum += from_a[s][i];
        assert_int_equal(sum, 5 * 32);
        for (int other = 0; other < s; other++)
            assert_memory_not_equal(from_a[s], from_a[other], sizeof from_a[s]);
    }
}

/* worstcase section V, point 3: slightly fewer conflicts. */
static void test_a_relaxed_family_takes_fewer_passes(void **unused)
{
    enum { W = 32, E = 15, BLOCKS = 20, ALL = 2 * BLOCKS * E * E };
    static const int percent[] = {100, 90, 60, 20};
    int before = ALL + 1;
    (void)unused;
    for (int i = 0; i < 4; i++) {
        struct trace trace;
        char input[32];
        snprintf(input, sizeof input, "family=%d", percent[i]);
        record(&trace, "thrust-merge", input, "w=%d u=%d E=%d blocks=%d", W, 2 * W, E, BLOCKS);
        int passes = stage_passes(&trace, "merge");
        assert_in_range(passes, percent[i] == 90 ? ALL * 3 / 4 : 1, before - 1);
        before = passes;
        trace_free(&trace);
    }
}

/* worstcase section V: a family of inputs that all take as many passes. */
static void test_all_of_the_family_take_E_E_passes(void **unused)
{
    (void)unused;
    for (int w = 4; w <= 32; w += 1 + w / 5)
        for (int E = 2; 2 * E <= w; E++) {
            struct trace first, trace;
            int same = 0, seeds = 6;
            record(&first, "thrust-merge", "family", "w=%d u=%d E=%d", w, 2 * w, E);
            for (int seed = 1; seed <= seeds; seed++) {
                record(&trace, "thrust-merge", "family", "w=%d u=%d E=%d --seed %d", w, 2 * w, E,
                       seed);
                assert_int_equal(stage_passes(&trace, "merge"), 2 * E * E);
                same += trace.lane_count == first.lane_count &&
                        !memcmp(trace.addr, first.addr, trace.lane_count * sizeof *trace.addr);
                trace_free(&trace);
            }
            /* Where E divides w there is one only: every thread takes words of one list. */
            assert_true(same == (w % E ? 1 : seeds));
            trace_free(&first);
        }
}

static void test_constructions_refuse_other_sizes(void **unused)
{
    static const char *const bad[][2] = {
        {"thrust-merge w=16 u=16 E=8 --input theorem-3", "an odd E >= 3 with 2 E < w"},
        {"thrust-merge w=16 u=16 E=9 --input theorem-3", "an odd E >= 3 with 2 E < w"},
        {"thrust-merge w=16 u=16 E=9 --input family", "2 E <= w"},
        {"thrust-merge w=16 u=16 E=9 --input family=50", "2 E <= w"},
        {"thrust-merge w=16 u=16 E=17 --input worst", "2 <= E <= w"}};
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect_refused(bad[i][0], bad[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gather_has_no_conflicts_and_reads_every_word_once),
        cmocka_unit_test(test_scatter_has_no_conflicts_and_writes_every_word_once),
        cmocka_unit_test(test_dual_scan_has_no_conflicts_for_coprime_w_and_E),
        cmocka_unit_test(test_words_keep_the_names_of_their_lists),
        cmocka_unit_test(test_every_input_is_merged_right),
        cmocka_unit_test(test_library_order_merges_right),
        cmocka_unit_test(test_worst_case_aligns_as_the_theorem_says),
        cmocka_unit_test(test_theorem_3_takes_E_E_passes),
        cmocka_unit_test(test_theorem_3_is_the_papers_figure),
        cmocka_unit_test(test_strategies_of_lemma_2_differ),
        cmocka_unit_test(test_a_relaxed_family_takes_fewer_passes),
        cmocka_unit_test(test_all_of_the_family_take_E_E_passes),
        cmocka_unit_test(test_constructions_refuse_other_sizes),
        cmocka_unit_test(test_worst_case_passes_of_the_real_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
