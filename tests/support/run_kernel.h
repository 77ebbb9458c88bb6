/* run_kernel.h - a kernel from its source to its results, by the kernel compiler and the machine: what tests share. */
#ifndef BANKSCOPE_TESTS_RUN_KERNEL_H
#define BANKSCOPE_TESTS_RUN_KERNEL_H

#include "kernelc/kernelc.h"
#include "machine/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Compiles the source and loads it. What goes wrong here and below fails the test. Free the result after the module. */
static inline struct machine_module *load_kernel(const char *source, struct machine_memory *memory,
                                                 struct kernelc_result *result)
{
    const struct kernelc_job job = {.allocator = &heap_allocator,
                                    .source = {"k.cu", source, strlen(source)}};
    struct error error = {""};
    if (!kernelc_compile(&job, result))
        fail_msg("%d:%d: %s\n%s", result->message[0].line, result->message[0].column,
                 result->message[0].text, source);
    const struct machine_text ptx = {result->ptx, result->length, "k.ptx"};
    struct machine_module *module = machine_load(memory, &ptx, 1, &error);
    if (!module)
        fail_msg("%s\n%s", error.text, result->ptx);
    return module;
}

/* Runs it to its end. Free the run. */
static inline struct machine_run *run_whole(const struct machine_launch *launch)
{
    struct error error = {""};
    struct machine_outcome outcome;
    struct machine_run *run = machine_begin(launch, &error);
    if (!run)
        fail_msg("%s", error.text);
    machine_work(run);
    machine_end(run, &outcome);
    if (!outcome.good)
        fail_msg("%s", outcome.fault.text);
    return run;
}

/* Compiles the source and runs its first kernel with one block. bytes: the memory that it may touch. */
static inline void run_kernel(const char *source, void *bytes, size_t size,
                              const uint64_t *parameters, uint32_t threads)
{
    struct kernelc_result result;
    struct error error = {""};
    struct machine_memory *memory = machine_memory_new(&heap_allocator);
    const struct machine_range range = {.address = (uintptr_t)bytes, .bytes = size, .host = bytes};
    assert_true(machine_memory_add(memory, &range, false, &error));
    struct machine_module *module = load_kernel(source, memory, &result);
    const struct machine_launch launch = {.kernel = machine_kernel(module, result.kernel[0].symbol),
                                          .grid = {1, 1, 1},
                                          .block = {threads, 1, 1},
                                          .parameters = parameters,
                                          .instruction_limit = 50000000};
    machine_free_run(run_whole(&launch));
    machine_unload(module);
    machine_memory_free(memory);
    kernelc_free(&result);
}

#endif
