/* heard.h - a launch while it runs, as launch.c, heard.c (what is heard of it) and children.c (what its kernel launches)
 * know it. */
#ifndef BANKSCOPE_RUNTIME_HEARD_H
#define BANKSCOPE_RUNTIME_HEARD_H

#include "machine/children.h"
#include "program/runtime/runtime.h"

#include <pthread.h>

/* Kept until the launch has ended, and then written by the thread that launched: the program's own output
 * before it comes first, and nothing is lost if the program ends without flushing. */
struct heard_printed {
    pthread_mutex_t lock;
    char *text;
    size_t length, room, lost;
};

struct heard {
    struct runtime_kernel *kernel;
    struct runtime_report report;
    struct runtime_keep *keep;
    struct heard_printed *printed;
    uint64_t blocks, blocks_seen; /* done; at the last look */
    double seconds;               /* of the processor, at the last look that saw a block's end */
    bool endless;
    bool reported;                 /* of the fault that ended it */
    bool faulty;                   /* a fault was told of */
    struct runtime_repeat *repeat; /* NULL: it is executed in any case */
    /* What is counted while it runs is written down now and then, by one thread. */
    struct machine_run *run;
    struct machine_count *count;
    uint64_t caller; /* where the program launches it */
    double written;  /* when; 0: never */
    /* Of a kernel that launches others, what it has asked for; NULL: it does not. */
    struct machine_children *children;
    struct runtime_kernel *parent; /* that launched it, and where; NULL: the host did */
    int site;
    struct heard_seen
        *seen; /* for what is in order among them (children_order.c); NULL: nothing is */
    pthread_mutex_t writing;
};

/* For a machine_launch. */
struct machine_observer heard_observer(struct heard *heard);
void heard_fault(void *context, const struct machine_fault *fault);
/* What was printed comes out, and is freed. */
void heard_print_all(struct heard_printed *printed);

/* ---- launch.c ------------------------------------------------------------------------------------ */

/* Runs a launch, with the lock held, without what its kernel launches, which is in heard->children then. */
cudaError_t launch_run(const struct runtime_launch *launch, struct heard *heard);

/* ---- children.c ---------------------------------------------------------------------------------- */

/* A list for what a kernel launches. NULL: no memory. */
struct machine_children *children_new(void);
/* Does what a launch has asked for, and what its children have, and so on. */
cudaError_t children_run(struct heard *heard, const struct runtime_launch *launch);
/* Before machine_end: notes what the launch did to memory, if it has children or is one. false: not all of it. */
bool children_see(struct heard *heard, const struct machine_run *run);
void children_forget(struct heard_seen *seen);

#endif
