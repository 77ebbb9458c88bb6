/* test_driver.c - what a trace's header says of a run, and one trace out of several launches. */
#include "tests/support/recording.h"

/* u = 0 asks for the threads that follow from other parameters; the header says how many. */
static void test_the_header_says_what_u_came_to(void **unused)
{
    static const struct {
        const char *kernel, *params;
        int threads;
    } runs[] = {{"shear-sort", "w=8 h=4 u=0", 32},
                {"bcf-merge", "w=8 n=40 u=0", 8},
                {"bcf-sort", "w=4 n=40 u=0", 4},
                {"matmul", "w=4 u=0", 16},
                {"stride", "w=4 u=12", 12}};
    (void)unused;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        struct trace trace;
        record(&trace, runs[i].kernel, "random", "%s", runs[i].params);
        assert_int_equal(trace.header.threads, runs[i].threads);
        assert_int_equal(header_param(&trace.header, "u", -1), runs[i].threads);
        trace_free(&trace);
    }
}

/* What came through a relay. */
struct got {
    int headers, ends, accesses, blocks, last_block;
    struct trace_end end;
};

static bool got_header(void *context, const struct trace_header *header, struct error *error)
{
    struct got *got = context;
    (void)error;
    got->headers++;
    got->blocks = header->blocks;
    return true;
}

static bool got_access(void *context, const struct warp_access *access, struct error *error)
{
    struct got *got = context;
    (void)error;
    got->accesses++;
    got->last_block = access->block;
    return true;
}

static bool got_end(void *context, const struct trace_end *end, struct error *error)
{
    struct got *got = context;
    (void)error;
    got->ends++;
    got->end = *end;
    return true;
}

/* Three launches of two blocks; launch i makes two accesses and drops 10^i records. */
static void relay_three(struct got *got, bool complete)
{
    struct trace_sink to = {got_header, got_access, got_end, got};
    struct relay relay = {.to = &to, .blocks = 2, .launches = 3};
    struct trace_sink sink = relay_sink(&relay);
    struct trace_header header = {.blocks = 2};
    struct error error = {{0}};
    *got = (struct got){.headers = 0};
    for (int drop = 1; relay.launch < 3; relay.launch++, drop *= 10) {
        struct trace_end end = {2, (uint64_t)drop, complete || relay.launch < 1};
        assert_true(sink.header(sink.context, &header, &error));
        for (int block = 0; block < 2; block++)
            assert_true(sink.access(sink.context, &(struct warp_access){.block = block}, &error));
        assert_true(sink.end(sink.context, &end, &error));
        if (!end.complete)
            return;
    }
}

static void test_launches_make_one_trace(void **unused)
{
    struct got got;
    (void)unused;
    relay_three(&got, true);
    assert_int_equal(got.headers, 1);
    assert_int_equal(got.blocks, 6);
    assert_int_equal(got.accesses, 6);
    assert_int_equal(got.last_block, 5);
    assert_int_equal(got.ends, 1);
    assert_true(got.end.complete);
    assert_int_equal(got.end.warp_accesses, 6);
    assert_int_equal(got.end.dropped, 111);
}

static void test_a_launch_cut_short_ends_the_trace(void **unused)
{
    struct got got;
    (void)unused;
    relay_three(&got, false);
    assert_int_equal(got.ends, 1);
    assert_false(got.end.complete);
    assert_int_equal(got.end.warp_accesses, 4);
    assert_int_equal(got.end.dropped, 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_header_says_what_u_came_to),
                                       cmocka_unit_test(test_launches_make_one_trace),
                                       cmocka_unit_test(test_a_launch_cut_short_ends_the_trace)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
