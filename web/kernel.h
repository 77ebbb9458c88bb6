/* kernel.h - kernels that are written in a page: compiled by kernelc/, executed by machine/, recorded as
 * a trace that the viewer opens.
 *
 *     text --kernel.c--> kernelc_compile --> machine --accesses--> kernel_trace.c --> trace_bytes.c --> page.js
 */
#ifndef BANKSCOPE_WEB_KERNEL_H
#define BANKSCOPE_WEB_KERNEL_H

#include "kernelc/kernelc.h"
#include "machine/given.h"
#include "machine/machine.h"

/* A launch as it runs: its accesses to shared memory are kept, whole blocks first. */
struct kernel_recording {
    const struct kernelc_result *compiled;
    const struct kernelc_kernel *of;
    const struct machine_module *module;
    const struct machine_kernel *kernel;
    const struct machine_launch *launch;
    const char *source; /* ended by a null byte */
    size_t
        lanes_most; /* accesses of lanes; blocks that begin when so many are there are not kept */

    /* Found: */
    struct kept *kept;
    size_t count, room;
    uint32_t *addr;
    int64_t *value;
    size_t lanes, addr_room, value_room;
    char (*name)[MAX_STAGE_NAME + 1]; /* of stages that the kernel names */
    size_t names, name_room;
    uint32_t shared_end;      /* behind the last byte that is accessed */
    uint64_t blocks, skipped; /* that are kept, and that are not */
    uint64_t dropped;         /* accesses beyond what a trace can say */
    struct error error;       /* the first; it ends the recording */
};

/* What machine_observer asks and tells. */
bool kernel_recording_wants(void *recording, uint64_t block);
void kernel_recording_access(void *recording, const struct machine_access *access);
void kernel_recording_stage(void *recording, uint64_t block, uint32_t warp, const char *name,
                            size_t length);
void kernel_recording_round(void *recording, uint64_t block, uint32_t warp, int64_t round);
/* Hands the trace to the sink, past the gate; nothing if shared memory was not accessed. complete: the
 * launch ran to its end. */
bool kernel_recording_put(struct kernel_recording *recording, bool complete,
                          const struct trace_sink *sink, struct error *error);
void kernel_recording_free(struct kernel_recording *recording);

/* The line of the source that a site is of, through what is inlined there from the compiler's headers; 0:
 * not known. */
int kernel_line(const struct machine_module *module, int site);

#endif
