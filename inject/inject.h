/* inject.h - what the parts of the recorder of a GPU share.
 *
 * inject.c hears from Compute Sanitizer what the program does and asks the others: modules.c, which gives the
 * program's code its patches; launches.c, which gives launches memory to record into and fetches it; send.c, which
 * sends what was recorded to bankscope.
 */
#ifndef BANKSCOPE_INJECT_H
#define BANKSCOPE_INJECT_H

#include "instrument/instrument.h"
#include "program/ring.h"
#include "inject/gpu_record.h"

#include <sanitizer.h>

#include <pthread.h>
#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

struct kernel {
    char *name;      /* as in the machine code */
    char *clear;     /* as a programmer writes it */
    CUmodule module; /* that it was launched from; NULL: it was not yet */
    bool chosen;     /* by --kernel */
    uint64_t left;   /* records that there is still room for */
};

/* A launch that has begun and not ended. */
struct running {
    const void *handle; /* NULL: none */
    Sanitizer_StreamHandle stream;
    struct kernel *kernel;
    CUmodule module;
    uint64_t number;
    uint32_t grid_number; /* that records have */
    uint64_t pc, bytes;   /* of the kernel's code */
    uint32_t grid[3], block[3];
};

/* What the user chose (the environment), and what all parts need. One thread at a time uses it. */
struct recorder {
    /* Guards all that follows, and what the parts keep. It is not held while a callback, in which the driver may hold a
     * lock of its own, calls the sanitizer: another thread may hold that lock and wait for this one. */
    pthread_mutex_t lock;
    pthread_cond_t moved; /* the gate, or a thread out of the driver */
    bool gate;            /* no thread enters the driver */
    int inside;           /* threads in calls of the driver's */
    struct ring_writer ring;
    _Atomic bool failed;
    regex_t kernel;
    bool some_kernels;    /* only those that `kernel` matches are wanted */
    bool global;          /* global memory is recorded, too */
    uint64_t only_launch; /* UINT64_MAX: all are wanted */
    uint64_t first_block, last_block;
    uint64_t most_records; /* of a kernel, over all its launches */
    const char *cubins;    /* folder for the program's machine code; NULL: it is not wanted */
};
extern struct recorder recorder;

/* Says once what went wrong; from then on the program runs as if this library were not there. */
void stop_recording(const char *what, int code);

/* Whether the sanitizer did what was asked; stops recording if not. */
bool sanitizer_did(SanitizerResult result, const char *what);

/* ---- modules.c ------------------------------------------------------------------------------- */

/* A module was loaded: it gets the patches. */
void add_module(const Sanitizer_ResourceModuleData *data);
void remove_module(const Sanitizer_ResourceModuleData *data);

/* Its number in records; UINT32_MAX: it is not known. */
uint32_t module_number(CUmodule module);
bool is_patched(CUmodule module);

/* Gives modules the patches back, or their own code: module `only`, or all if it is NULL. */
void set_patched(CUmodule only, bool patched);

/* From now on modules stay as they are: the program has graphs, which know where code lies. */
void freeze_modules(void);

/* Notes that the stream has a launch that nobody waits for. */
void note_stream(CUcontext context, Sanitizer_StreamHandle handle);

/* A stream that ends is waited for while its handle is good. */
void remove_stream(const Sanitizer_ResourceStreamData *data);

/* The context's patches and streams end with it. */
void remove_context(CUcontext context);

/* ---- launches.c ------------------------------------------------------------------------------ */

/* A thread is about to enter the driver. This is the time to change modules: in the middle of a launch the
 * driver may hold a lock that a change needs. */
void prepare_call(const Sanitizer_CallbackData *data);

/* A launch outside of graphs. */
void begin_launch(const Sanitizer_LaunchData *data);
void end_launch(const Sanitizer_LaunchData *data);

/* A kernel of a graph is about to be launched; the graph may also be only copied to the device. */
void begin_node(const Sanitizer_GraphNodeLaunchData *node);

/* The call that launched a graph returns: sends what the graph recorded, if anything. */
void end_graph(void);

/* The memory for records ends with its context. */
void forget_batches(CUcontext context);

/* ---- send.c ---------------------------------------------------------------------------------- */

void send_record(enum record_kind kind, const void *data, size_t bytes);

/* Sends that a launch was chosen, but is not recorded. */
void send_unrecorded(const struct running *launch, uint32_t reason);

/* Sends a launch with its records, `count` of which are in this order. dropped: accesses that found no room.
 * order: NULL: the records were not to be had. */
void send_launch(const struct running *launch, uint64_t dropped, const struct gpu_record *record,
                 const uint32_t *order, size_t count);

/* The places of the records, by launch and block; those of one block stay in their order. To be freed; NULL: out of
 * memory. */
uint32_t *order_by_block(const struct gpu_record *record, size_t count);

#endif
