/* recording.h - what tests of kernels share: record one in memory, sum up a stage. */
#ifndef BANKSCOPE_TESTS_RECORDING_H
#define BANKSCOPE_TESTS_RECORDING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/catalogue.h"

/* The numbers as input, as if they had come from a file; recipe_free releases them. */
__attribute__((unused)) static void use_numbers(struct recipe *recipe, const int *numbers,
                                                size_t count)
{
    recipe->input.kind = INPUT_FILE;
    recipe->input.name = "file";
    recipe->input.number = malloc((count + 1) * sizeof *numbers);
    memcpy(recipe->input.number, numbers, count * sizeof *numbers);
    recipe->input.count = count;
}

/* Random zeros and ones as input, of which a network sorts all or fails on some (0-1 principle):
 * input "0-1 COUNT SEED" of record. */
__attribute__((unused)) static void use_zeros_and_ones(struct recipe *recipe, const char *input)
{
    size_t count = strtoul(input + 4, (char **)&input, 10);
    uint64_t state = strtoul(input, NULL, 10);
    int *numbers = malloc((count + 1) * sizeof *numbers);
    int ones = random_below(&state, (int)count + 1); /* of count, about */
    for (size_t i = 0; i < count; i++)
        numbers[i] = random_below(&state, (int)count + 1) < ones;
    use_numbers(recipe, numbers, count);
    free(numbers);
}

/* Sets up a catalogue kernel with parameters "w=12 E=5". */
__attribute__((unused)) static void set_up(struct recipe *recipe, const char *kernel,
                                           const char *params)
{
    struct error error = {{0}};
    const struct kernel *found = catalogue_find(kernel, &error);
    assert_non_null(found);
    recipe_init(recipe, found);
    if (!recipe_read(recipe, params, &error))
        fail_msg("%s", error.text);
}

/* Runs a catalogue kernel on the host; the test fails unless it runs and its result is right. The
 * input is as on the command line, or "0-1 COUNT SEED". */
/* Asserts that a recipe ("bcf-sort u=16") is refused when it is run, and that the reason has these words. */
static inline void expect_refused(const char *text, const char *why)
{
    struct error error = {{0}};
    struct recipe recipe;
    struct run_result result;
    struct trace_sink sink = {0};
    if (!recipe_parse(&recipe, text, &error))
        fail_msg("%s", error.text);
    assert_false(recipe_run(&recipe, NULL, &sink, &result, &error));
    if (!strstr(error.text, why))
        fail_msg("%s: %s", text, error.text);
    recipe_free(&recipe);
}

__attribute__((unused, format(printf, 4, 0))) static void run_into(struct trace_sink *sink,
                                                                   const char *kernel,
                                                                   const char *input,
                                                                   const char *params, va_list list)
{
    char text[4096];
    struct error error = {{0}};
    struct recipe recipe;
    struct run_result result;
    vsnprintf(text, sizeof text, params, list);
    set_up(&recipe, kernel, text);
    bool given = !strncmp(input, "0-1 ", 4);
    if (given)
        use_zeros_and_ones(&recipe, input);
    snprintf(text + strlen(text), sizeof text - strlen(text), " --input %s", input);
    if ((!given && !recipe_read(&recipe, text, &error)) ||
        !recipe_run(&recipe, NULL, sink, &result, &error))
        fail_msg("%s %s, input %.60s: %s", kernel, text, input, error.text);
    recipe_free(&recipe);
}

/* Records it in memory. trace_free afterwards. */
__attribute__((unused, format(printf, 4, 5))) static void
record(struct trace *trace, const char *kernel, const char *input, const char *params, ...)
{
    va_list list;
    memset(trace, 0, sizeof *trace);
    struct trace_sink sink = trace_memory_sink(trace);
    va_start(list, params);
    run_into(&sink, kernel, input, params, list);
    va_end(list);
}

/* Keeps sums by stage only. stats_free afterwards. */
__attribute__((unused, format(printf, 4, 5))) static void
measure(struct stats *stats, const char *kernel, const char *input, const char *params, ...)
{
    va_list list;
    stats_init(stats, STATS_BY_STAGE);
    struct trace_sink sink = stats_sink(stats);
    va_start(list, params);
    run_into(&sink, kernel, input, params, list);
    va_end(list);
}

/* How many random rounds: `usual` in make check, TEST_ROUNDS times as many in make check-long. */
__attribute__((unused)) static int random_rounds(int usual)
{
    const char *times = getenv("TEST_ROUNDS");
    return usual * (times && atoi(times) > 0 ? atoi(times) : 1);
}

/* Runs a catalogue kernel on these numbers and drops the trace. */
__attribute__((unused, format(printf, 4, 5))) static void
run_numbers(const char *kernel, const int *numbers, size_t count, const char *params, ...)
{
    char text[256];
    struct error error = {{0}};
    struct recipe recipe;
    struct run_result result;
    struct trace_sink sink = {0};
    va_list list;
    va_start(list, params);
    vsnprintf(text, sizeof text, params, list);
    va_end(list);

    set_up(&recipe, kernel, text);
    use_numbers(&recipe, numbers, count);
    if (!recipe_run(&recipe, NULL, &sink, &result, &error))
        fail_msg("%s %s, %zu numbers: %s", kernel, text, count, error.text);
    recipe_free(&recipe);
}

/* Sums over the warp accesses of a stage. */
__attribute__((unused)) static void stage_sums(const struct trace *trace, const char *stage,
                                               uint64_t *passes, uint64_t *conflicts)
{
    int number = header_stage(&trace->header, stage);
    assert_true(number >= 0);
    *passes = *conflicts = 0;
    for (size_t i = 0; i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        struct bank_cost cost;
        if (access.stage != number)
            continue;
        bank_model_cost(&trace->header, &access, &cost);
        *passes += (uint64_t)cost.passes;
        *conflicts += (uint64_t)cost.conflicts;
    }
}

__attribute__((unused)) static uint64_t stage_passes(const struct trace *trace, const char *stage)
{
    uint64_t passes, conflicts;
    stage_sums(trace, stage, &passes, &conflicts);
    return passes;
}

__attribute__((unused)) static uint64_t stage_conflicts(const struct trace *trace,
                                                        const char *stage)
{
    uint64_t passes, conflicts;
    stage_sums(trace, stage, &passes, &conflicts);
    return conflicts;
}

/* Checks that the stages are these steps of a sort, each of which is `blocks` blocks of its own. */
static inline void has_steps(const struct trace *trace, const char *const *steps, int count,
                             int blocks)
{
    assert_int_equal(trace->header.stages, count);
    for (int i = 0; i < count; i++)
        assert_string_equal(trace->header.stage[i], steps[i]);
    for (size_t i = 0; i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        assert_int_equal(access.stage, access.block / blocks);
    }
}

#endif
