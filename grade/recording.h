/* recording.h - a launch of what kernelc/ compiled, recorded as a trace: of a kernel that is written in a page,
 * or of an exercise. */
#ifndef BANKSCOPE_GRADE_RECORDING_H
#define BANKSCOPE_GRADE_RECORDING_H

#include "kernelc/kernelc.h"
#include "machine/given.h"
#include "machine/machine.h"

enum { MAX_PARTS = 16 };

/* A source by the name that the module's sites have. */
struct kernel_source {
    const char *file;
    const char *text;  /* ended by a null byte */
    const char *shown; /* what the trace calls it */
};

/* A launch as it runs: its accesses to shared memory are kept, whole blocks first. */
struct kernel_recording {
    const struct kernelc_result *compiled;
    const struct kernelc_kernel *of;
    const struct machine_module *module;
    const struct machine_kernel *kernel;
    const struct machine_launch *launch;
    struct kernel_source source[2]; /* .file NULL: there is one only */
    int stages;                     /* phases that have names */
    const char *const *stage;
    /* Number of the access to shared memory, from 1, whose place is to be found; 0: of none. */
    uint64_t wanted;
    /* Accesses of lanes; blocks that begin when so many are there are not kept. */
    size_t lanes_most;

    /* Found: */
    struct kept *kept;
    size_t count, room;
    uint32_t *addr;
    int64_t *value;
    size_t lanes, addr_room, value_room;
    char (*name)[MAX_STAGE_NAME + 1]; /* of stages that the kernel names */
    size_t names, name_room;
    struct kernel_part { /* of shared memory, which the kernel names */
        char name[32], type[32];
        uint32_t from, bytes;
    } part[MAX_PARTS];
    int parts;
    uint32_t shared_end;      /* behind the last byte that is accessed */
    uint64_t blocks, skipped; /* that are kept, and that are not */
    uint64_t dropped;         /* accesses beyond what a trace can say */
    uint64_t accesses;        /* that were kept */
    bool is_found;            /* the one that was wanted; only its place is set: */
    struct warp_access found;
    struct error error; /* the first; it ends the recording */
};

/* What machine_observer asks and tells. */
bool kernel_recording_wants(void *recording, uint64_t block);
void kernel_recording_access(void *recording, const struct machine_access *access);
void kernel_recording_stage(void *recording, uint64_t block, uint32_t warp, const char *name,
                            size_t length);
void kernel_recording_array(void *recording, const char *text, size_t length);
void kernel_recording_round(void *recording, uint64_t block, uint32_t warp, int64_t round);
/* Hands the trace to the sink, past the gate; nothing if shared memory was not accessed. complete: the
 * launch ran to its end. */
bool kernel_recording_put(struct kernel_recording *recording, bool complete,
                          const struct trace_sink *sink, struct error *error);
void kernel_recording_free(struct kernel_recording *recording);

/* The part of shared memory that an access of the kernel's (machine_kernel_access) is to; NULL: the kernel names none. */
const char *kernel_recording_part(const struct kernel_recording *recording, int access);
/* The line of the source that a site is of, through what is inlined there; 0: not known. */
int kernel_recording_line(const struct kernel_recording *recording, int site);

#endif
