/* fake_machine.h - a machine whose kernels are C functions, for tests of the runtime.
 *
 * A text says which kernels and variables there are, one a line, with sizes of parameters:
 *
 *     .target sm_90
 *     .kernel scale 8 4
 *     .var counter 4
 */
#ifndef BANKSCOPE_TESTS_FAKE_MACHINE_H
#define BANKSCOPE_TESTS_FAKE_MACHINE_H

#include "machine/machine.h"

/* What a kernel's function may do. */
struct fake_block {
    uint64_t number;
    const struct machine_launch *launch;
    const unsigned char *parameters;
    struct machine_memory *memory;
    struct machine_module *module;
    bool wanted; /* its accesses are told */
};
/* Tells of an access of lanes 0..lanes-1 to shared memory, stride bytes apart. */
void fake_access(struct fake_block *block, int access, int lanes, int stride);
void fake_print(struct fake_block *block, const char *text);
/* Ends the launch, or tells of a finding. */
void fake_fault(struct fake_block *block, enum machine_fault_kind kind, const char *text);
bool fake_stop(struct fake_block *block);

/* The test's: every kernel has three accesses, of 4 bytes each. */
struct fake_kernel {
    const char *name;
    void (*function)(struct fake_block *block);
};
extern const struct fake_kernel fake_kernels[];

#endif
