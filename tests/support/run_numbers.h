/* run_numbers.h - an instruction over many operands: a kernel "k" whose threads each have their own a, b, c and
 * d, in arrays of 8 bytes an element, one behind the other. */
#ifndef BANKSCOPE_TESTS_RUN_NUMBERS_H
#define BANKSCOPE_TESTS_RUN_NUMBERS_H

#include "tests/support/run_ptx.h"

enum { CASES = 256 };
struct numbers {
    uint64_t a[CASES], b[CASES], c[CASES], d[CASES];
};

static inline void run_numbers(const char *text, struct numbers *numbers)
{
    const struct machine_text ptx = {text, strlen(text), "t.ptx"};
    struct machine_memory *memory = machine_memory_new(&heap_allocator);
    struct error error = {""};
    const uint64_t address = (uintptr_t)numbers;
    const struct machine_range range = {
        .address = address, .bytes = sizeof *numbers, .host = (uint8_t *)numbers};
    assert_true(machine_memory_add(memory, &range, false, &error));
    struct machine_module *module = machine_load(memory, &ptx, 1, &error);
    const struct machine_launch launch = {.kernel = module ? machine_kernel(module, "k") : NULL,
                                          .grid = {1, 1, 1},
                                          .block = {CASES, 1, 1},
                                          .parameters = &address};
    struct machine_outcome outcome = {.good = false};
    struct machine_run *run = module ? machine_begin(&launch, &error) : NULL;
    if (!run)
        fail_msg("%s", error.text);
    machine_work(run);
    machine_end(run, &outcome);
    assert_true(outcome.good);
    machine_free_run(run);
    machine_unload(module);
    machine_memory_free(memory);
}

#endif
