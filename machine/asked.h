/* asked.h - what children.c (the list, streams, parameters) and system.c (the functions that kernels call) share. */
#ifndef BANKSCOPE_MACHINE_ASKED_H
#define BANKSCOPE_MACHINE_ASKED_H

#include "machine/children.h"
#include "machine/module.h"

/* Errors of CUDA's runtime. */
enum {
    NO_ERROR = 0,
    ERROR_VALUE = 1,
    ERROR_MEMORY = 2,
    ERROR_PENDING = 69,
    ERROR_FUNCTION = 98,
    ERROR_SUPPORTED = 801,
};
/* Streams that have no handle of their own; the handles that stand for them are numbers up to 4. */
enum { STREAM_LEGACY = 1, STREAM_THREAD = 2, STREAM_TAIL = 3, STREAM_FORGET = 4 };

struct slot; /* of parameters: children.c */
struct machine_system {
    struct machine_memory *memory;
    struct machine_answers answers;
    uint8_t *room; /* parameters and texts */
    size_t taken;  /* as it was asked from the allocator */
    uint64_t next; /* byte of it that is free */
    struct slot *slot;
    int slots, slot_room;
    int free_slot[16]; /* by the power of two that its bytes are, plus 1; 0: none */
    uint64_t launches; /* with lists of their own, so far */
    int waiting;       /* rows of all lists */
    struct text {
        int error;
        bool name;
        uint64_t address;
    } * text;
    int texts, text_room;
};

struct row {
    struct machine_child child;
    uint64_t block, number; /* of the parent; the row's */
    uint64_t turn;          /* of that block among others */
    uint64_t stream;        /* a handle, or one of the above */
    /* The block's time from then on; of its last barrier; until when the warp knows what others did; the warp, and lanes of
     * one (check_children.c). */
    uint32_t time, base, acquired, warp, lanes;
};
struct stream {
    uint64_t block; /* that made it */
    bool gone;
};
struct last_error {
    uint64_t thread; /* in the grid, plus 1; 0: none */
    int error;
};
struct machine_children {
    struct children_calls calls;
    struct machine_system *system;
    struct machine_run *run;
    uint64_t serial;
    atomic_flag lock; /* of what follows, and of the system */
    struct row *row;
    int rows, row_room, tails;
    struct stream *stream; /* that kernels have made, and events */
    int streams, stream_room;
    bool shared; /* blocks use streams or events of others */
    bool waits;  /* streams wait for events, or for the block's own stream */
    struct last_error *error;
    int errors, error_room; /* a hash; a power of two */
};

/* A call of a lane. */
struct asking {
    struct warp *warp;
    const struct call *call;
    int lane;
    struct machine_children *children;
};

/* With the lock held, all of them. */
/* A buffer for a launch of that shape, which was checked. 0: no memory. */
uint64_t children_buffer(const struct asking *asking, const struct machine_child *child);
/* The launch whose parameters are there now goes on the list. */
int children_launch(const struct asking *asking, uint64_t buffer, uint64_t stream);
/* Another child does, in that stream. */
int children_add(const struct asking *asking, const struct machine_child *child, uint64_t stream);
/* A new stream, or event: its handle; 0: no memory. */
uint64_t children_stream(const struct asking *asking);
/* The stream or event of that handle is used. false: there is none. */
bool children_uses(const struct asking *asking, uint64_t handle);
bool children_drop(const struct asking *asking, uint64_t handle);
/* The kernel at a pointer, or NULL. */
struct machine_kernel *children_kernel(const struct asking *asking, uint64_t pointer);
/* The lane's last error; takes: which is over then. */
int children_error(const struct asking *asking, bool takes);
/* Sets it, unless it is none. Returns it. */
int children_fail(const struct asking *asking, int error);
/* Where a text of an error is, for the device. 0: no memory. */
uint64_t children_text(const struct asking *asking, int error, bool name);

/* check_children.c: a thread of the warp asks for that. */
void check_launches(const struct warp *warp, struct row *row);

/* system.c */
const struct step *system_call(struct warp *warp, const struct step *step);

#endif
