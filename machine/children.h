/* children.h - kernels that launch kernels (dynamic parallelism): what threads of a launch have asked for, to be done
 * behind it.
 *
 *     child<<<4, 32, 0, s>>>(x, n)     is      buffer = __cudaCDP2GetParameterBufferV2(child, 4, 32, 0)
 *                                              *buffer = {x, n}
 *                                              __cudaCDP2LaunchDeviceV2(buffer, s)
 *
 * A grid cannot wait for its children, so that they may begin when it has ended: a legal order, and the one that is
 * taken. Who runs a launch gives it a list, and when the launch has ended does what is in it, one after another, and
 * behind each child what that one has asked for:
 *
 *     struct machine_system *system = machine_system_new(memory, &answers);       once
 *     launch.children = machine_children_new(system);
 *     machine_begin, machine_work, machine_end
 *     while ((child = machine_children_next(launch.children, &index)))            launch, copy or set
 *     machine_children_free(launch.children);
 *
 * Streams and events of the device are numbers here; they only say which children are in order. Errors are those of
 * CUDA's runtime, as numbers; what an H200 returned is in tests/programs/children/children.cu.
 */
#ifndef BANKSCOPE_MACHINE_CHILDREN_H
#define BANKSCOPE_MACHINE_CHILDREN_H

#include "machine/machine.h"

enum machine_child_kind { MACHINE_CHILD_LAUNCH, MACHINE_CHILD_COPY, MACHINE_CHILD_SET };
/* Rows of bytes in planes. */
struct machine_box {
    uint64_t at, pitch, slice; /* bytes from row to row, from plane to plane */
};
struct machine_child {
    enum machine_child_kind kind;
    const char *name; /* of the function that asks for a copy or a set: "cudaMemcpyAsync" */
    /* A launch: */
    struct machine_kernel *kernel;
    uint32_t grid[3], block[3], dynamic_shared;
    const void *parameters; /* the kernel's parameter_bytes; NULL while only the shape is known */
    /* A copy or a set: */
    struct machine_box to, from;
    uint64_t width, height, depth;
    int value; /* the byte; of a copy its cudaMemcpyKind */
    /* Who asks, and where. */
    int site; /* of the parent's module, -1: not known */
    uint32_t parent_block[3], parent_thread[3];
    bool tail; /* of the stream cudaStreamTailLaunch */
};

/* What only the caller knows. Called by one thread at a time, by any of those that run the launch. */
enum machine_question {
    MACHINE_ASK_ATTRIBUTE, /* in: attribute, device; out: int */
    MACHINE_ASK_LIMIT,     /* in: limit; out: 8 bytes */
    MACHINE_ASK_FUNCTION, /* in: the kernel (a struct machine_kernel *); out: struct cudaFuncAttributes */
    MACHINE_ASK_OCCUPANCY, /* in: the kernel, threads, dynamic shared memory; out: int */
};
enum { MACHINE_ANSWER = 256 /* bytes of an answer, at most */ };
struct machine_answers {
    void *context;
    /* 0, or the error of a launch of that shape, or of that copy or set. */
    int (*check)(void *context, const struct machine_child *child);
    /* The same; *bytes: of the answer. */
    int (*ask)(void *context, enum machine_question question, const uint64_t *in, void *out,
               size_t *bytes);
    /* An error's name, or what it means. */
    const char *(*text)(void *context, int error, bool name);
    uint64_t (*pending)(void *context); /* cudaLimitDevRuntimePendingLaunchCount */
};

struct machine_system;
/* Takes memory for parameters of launches. NULL: there is none. It lasts as long as the memory. */
struct machine_system *machine_system_new(struct machine_memory *memory,
                                          const struct machine_answers *answers);
void machine_system_free(struct machine_system *system);

/* Of one launch. NULL: no memory. */
struct machine_children *machine_children_new(struct machine_system *system);
/* When the launch has ended: the next of its children, from *index 0 on. Those of a block stand in the order in which it
 * asked; blocks by their numbers, unless they share streams; those of the tail in the end. NULL: there is none left. */
const struct machine_child *machine_children_next(struct machine_children *children,
                                                  uint64_t *index);
void machine_children_free(struct machine_children *children);

/* ---- check_children.c: what is in order ---------------------------------------------------------- */

/* What threads of a checked launch did to global memory when it may have been beside children of theirs. */
struct machine_late {
    uint64_t address, bytes, block;
    uint32_t thread, time; /* of the block: the first thread; when, by its clock */
    int site;
    bool stores, strong; /* strong: as of enum machine_touch */
};
/* Behind machine_work and before machine_end. */
void machine_children_late(const struct machine_children *children,
                           void (*tell)(void *context, const struct machine_late *late),
                           void *context);
/* Whether that may be at the same time as the child. */
bool machine_child_is_beside(const struct machine_child *child, const struct machine_late *late);
/* Whether nothing puts two children of a list in order. */
bool machine_children_are_apart(const struct machine_children *children,
                                const struct machine_child *one, const struct machine_child *other);

#endif
