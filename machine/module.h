/* module.h - what the parts of machine/ share of a loaded module: load.c. */
#ifndef BANKSCOPE_MACHINE_MODULE_H
#define BANKSCOPE_MACHINE_MODULE_H

#include "machine/step.h"

struct machine_memory {
    struct machine_allocator allocator;
    struct machine_range *range; /* by address */
    int ranges, room;
    struct machine_heap *heap;
};

/* Makes the heap of kernels' malloc, once. */
bool heap_make(struct machine_memory *memory, uint64_t bytes);
void heap_free(struct machine_memory *memory);

struct machine_kernel {
    struct machine_module *module;
    struct ptx_function *function;
    struct kernel_code *code[2]; /* for 32 lanes, for 64; NULL: not decoded yet */
    struct machine_parameter *parameter;
    const char *name;
};
struct machine_module {
    struct ptx_module ptx;
    struct machine_memory *memory;
    struct machine_kernel *kernel;
    int kernels;
    atomic_flag decoding;
};

/* The code of a kernel for registers of 32 or 64 lanes, decoded if it is not yet. NULL: *error says
 * why. */
struct kernel_code *module_code(struct machine_kernel *kernel, int slots, struct error *error);
struct machine_memory *module_memory(const struct machine_kernel *kernel);

#endif
