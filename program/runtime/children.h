/* children.h - what children.c (launches that kernels ask for) and children_order.c (what is in order among them) share. */
#ifndef BANKSCOPE_RUNTIME_CHILDREN_H
#define BANKSCOPE_RUNTIME_CHILDREN_H

#include "program/runtime/footprint.h"
#include "program/runtime/heard.h"

/* What a launch of the family did to memory. */
struct heard_seen {
    struct runtime_footprint touched; /* by a child */
    struct machine_late *late;        /* by a parent, beside its children */
    size_t late_count, late_room;
    bool partial; /* there is more of that */
};

/* What a child that is over has touched, or a child of its. */
struct children_done {
    const struct machine_child *child; /* of the level */
    const char *what; /* "_Z6squarePi", a kernel, or "cudaMemsetAsync in a kernel" */
    struct runtime_footprint touched;
};
/* A launch whose children are being done. */
struct children_level {
    struct machine_children *children;
    struct runtime_kernel *kernel;
    uint64_t number, next; /* of the launch; of the next child */
    const struct machine_child *now;
    uint32_t grid[3], block[3];
    struct heard_seen *seen; /* NULL: it was not checked */
    struct children_done *done;
    size_t dones, done_room;
    struct children_level *above;
};

/* The level's child `now`, a kernel of that name, has touched that: tells whom it meets, and keeps it. */
void children_touched(struct children_level *level, const char *what,
                      struct runtime_footprint *touched);
/* The level is over: what was done in it was done by the child above. */
void children_hand_up(struct children_level *level);

#endif
