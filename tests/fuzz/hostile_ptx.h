/* hostile_ptx.h - any bytes given to the machine as PTX: it runs them, or says in one line why not. Memory and
 * instructions are limited. What fuzz_ptx.c and test_machine_fuzz.c share. */
#ifndef BANKSCOPE_TESTS_HOSTILE_PTX_H
#define BANKSCOPE_TESTS_HOSTILE_PTX_H

#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

enum { HOSTILE_MEMORY = 96 << 20, HOSTILE_INSTRUCTIONS = 3000, HOSTILE_KERNELS = 8 };

/* The machine's memory: no more than so much at a time. */
struct hostile_heap {
    size_t used, most;
};

static void *hostile_resize(void *context, void *pointer, size_t old_size, size_t size)
{
    struct hostile_heap *heap = context;
    if (size > old_size && size - old_size > HOSTILE_MEMORY - heap->used)
        return NULL;
    void *fresh = NULL;
    if (size)
        fresh = realloc(pointer, size);
    else
        free(pointer);
    if (size && !fresh)
        return NULL;
    heap->used += size - old_size;
    heap->most = heap->used > heap->most ? heap->used : heap->most;
    return fresh;
}

/* What it must hold; `stop` is called where it does not. */
struct hostile_result {
    int kernels, good, faults;
    const char *broken; /* NULL: nothing */
    struct error error; /* the last one */
};

static void hostile_line(struct hostile_result *result, const char *text)
{
    if (!*text || strchr(text, '\n'))
        result->broken = "an error is one line";
}

static void hostile_fault(void *context, const struct machine_fault *fault)
{
    struct hostile_result *result = context;
    result->faults++;
    hostile_line(result, fault->text);
}

static void hostile_access(void *context, const struct machine_access *access)
{
    struct hostile_result *result = context;
    if (!access->mask || access->bytes < 1 || access->bytes > 32)
        result->broken = "an access has lanes and bytes";
}

static bool hostile_wants(void *context, uint64_t block)
{
    (void)context;
    return block == 0;
}

static void hostile_launch(struct machine_kernel *kernel, uint64_t address, int warp,
                           struct hostile_result *result)
{
    static const uint32_t threads[] = {33, 1, 64, 70};
    const struct machine_observer observer = {.context = result,
                                              .fault = hostile_fault,
                                              .wants = hostile_wants,
                                              .access = hostile_access};
    struct machine_kernel_facts facts;
    machine_kernel_facts(kernel, &facts);
    uint64_t *parameters = calloc(1, facts.parameter_bytes + 8);
    if (!parameters)
        return;
    for (uint32_t i = 0; i < facts.parameter_bytes / 8; i++)
        parameters[i] = address;
    const struct machine_launch launch = {.kernel = kernel,
                                          .grid = {2, 1, 1},
                                          .block = {threads[result->kernels % 4], 1, 1},
                                          .dynamic_shared = 1024,
                                          .parameters = parameters,
                                          .warp = warp,
                                          .count = true,
                                          .check = result->kernels % 2 == 0,
                                          .global = true,
                                          .heap_bytes = 1 << 16,
                                          .instruction_limit = HOSTILE_INSTRUCTIONS,
                                          .observer = &observer};
    struct machine_run *run = machine_begin(&launch, &result->error);
    if (run) {
        struct machine_outcome outcome;
        machine_work(run);
        machine_end(run, &outcome);
        result->good += outcome.good;
        if (outcome.good == (outcome.fault.text[0] != 0))
            result->broken = "a launch is good or has a fault";
        machine_free_run(run);
    } else {
        hostile_line(result, result->error.text);
    }
    free(parameters);
}

/* Loads it and launches its first kernels, with warps of `warp` lanes. */
static void hostile_ptx(const char *text, size_t length, int warp, struct hostile_result *result)
{
    struct hostile_heap heap = {0};
    const struct allocator allocator = {hostile_resize, &heap};
    const struct machine_text ptx = {text, length, "hostile.ptx"};
    uint8_t *bytes = calloc(1, 4096);
    *result = (struct hostile_result){0};
    struct machine_memory *memory = bytes ? machine_memory_new(&allocator) : NULL;
    const struct machine_range range = {
        .address = (uintptr_t)bytes, .bytes = 4096, .host = bytes, .kind = MACHINE_DEVICE};
    if (memory && machine_memory_add(memory, &range, true, &result->error)) {
        struct machine_module *module = machine_load(memory, &ptx, 1, &result->error);
        if (!module)
            hostile_line(result, result->error.text);
        struct machine_kernel *kernel;
        while (module && result->kernels < HOSTILE_KERNELS &&
               (kernel = machine_kernel_at(module, result->kernels))) {
            result->error.text[0] = '\0';
            hostile_launch(kernel, range.address, warp, result);
            result->kernels++;
        }
        if (module)
            machine_unload(module);
    }
    if (memory)
        machine_memory_free(memory);
    free(bytes);
    if (heap.used)
        result->broken = "all memory is given back";
}

#endif
