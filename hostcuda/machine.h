/* machine.h - what the files of machine.c share: a recording's accesses, and what nvcc made of their
 * lines. All others include driver.h. */
#ifndef BANKSCOPE_MACHINE_H
#define BANKSCOPE_MACHINE_H

#include "hostcuda/cubin.h"

#include <string.h>

enum {
    SIBLINGS = 8,   /* of a wide instruction, that are compared */
    NEAR = 3,       /* lines on which one statement may be */
    OPERATIONS = 2, /* OP_LOAD and OP_STORE are looked at */
};

/* A wide instruction, and how far from its address its neighbours' are. */
struct wide {
    int bytes;
    int32_t sibling[SIBLINGS];
    int siblings;
};

/* What nvcc made of a line's loads or stores, and what became of the recorded ones. */
struct made {
    const char *file; /* as struct source_place has it */
    int line;
    enum op op;
    int count;         /* instructions; 0: none */
    int widths;        /* of theirs, or-ed */
    int wide_count[5]; /* of them, by the logarithm of their bytes */
    bool looped;       /* one may run more than once in a thread */
    bool reread;       /* of stores: each has a load of its own before it */
    /* Of the recording: */
    int seen;                       /* widths, or-ed */
    bool paired;                    /* a narrow access was found to be part of a wide one */
    bool parting;                   /* fewer and fewer lanes go on to the neighbours */
    uint64_t changed, kept, missed; /* accesses; missed: looked at in vain */
    uint64_t run;                   /* that the numbers below are of */
    uint32_t times[RECORD_WARP];    /* that a lane has run its instructions */
    uint32_t joined[RECORD_WARP];   /* that a lane's accesses became a wide one */
    struct wide *wide;
    size_t wides, wide_room;
    /* The only instruction, if its address is a uniform register and an offset; NULL: it is not so. */
    const struct cubin_access *absolute;
    uint32_t addr; /* that all lanes have recorded, always */
    bool several;  /* there are more */
};

/* What an instruction of g++'s is. */
struct site {
    uint64_t pc; /* 0: free */
    struct made *made[OPERATIONS];
};

/* A kernel. */
struct code {
    char *name;
    const struct cubin_function *function; /* NULL: nvcc has none of that name */
    const struct cubin *cubin;
    struct made **made;
    size_t mades, made_room;
    struct site *site; /* open hash */
    size_t sites, site_room;
    int widths[OPERATIONS]; /* of all instructions, or-ed */
};

enum state { STAYS, GONE, WIDENED };
struct item {
    struct record_access access;
    int lanes;
    uint8_t lane[RECORD_WARP];
    int64_t value[RECORD_WARP];
    bool values;
    uint8_t state, bytes; /* bytes, addr: as recorded */
    uint32_t addr;        /* of the first lane */
    struct made *made;    /* NULL: of an operation that is not looked at */
    uint32_t next;        /* + 1, of the same key */
};

struct machine {
    struct nvcc *nvcc;
    const struct built_program *program;
    struct source_lines *lines;
    struct record_sink to;
    struct code **code;
    size_t codes, code_room;
    struct code *now; /* of the launch; NULL: as it is written */
    struct item *item;
    size_t items, item_room;
    uint32_t *key; /* index + 1 of the first item of a key: open hash */
    uint32_t *cursor;
    size_t key_room;
    uint64_t run;
    uint32_t dynamic_bytes; /* of the launch */
};

/* ---- machine_code.c: what nvcc made of a kernel's lines -------------------------------------- */

/* The kernel of that name. */
struct code *machine_code_of(struct machine *machine, const char *name);
void machine_code_free(struct code *code);
/* The instruction of g++'s code at a program counter, in the kernel of the launch. */
const struct site *machine_site_of(struct machine *machine, uint64_t pc);

/* ---- machine_merge.c, machine_drop.c: the rules, for the accesses of a run ------------------- */

void machine_merge(struct machine *machine);
void machine_drop(struct machine *machine);
/* Whether a store's line has a load that the recording lacks; not where a line nearby has a recorded
 * load and no instruction, which may be that one. */
bool machine_adds_load(const struct code *code, const struct item *store);

/* How often: the numbers of this run. */
static inline struct made *in_run(const struct machine *machine, struct made *made)
{
    if (made->run != machine->run) {
        memset(made->times, 0, sizeof made->times);
        memset(made->joined, 0, sizeof made->joined);
    }
    made->run = machine->run;
    return made;
}

/* Whether each lane of an item (any: one of them) has a number of at least `most`. */
static inline bool have_reached(const struct item *item, const uint32_t number[RECORD_WARP],
                                uint32_t most, bool any)
{
    for (int i = 0; i < item->lanes; i++)
        if ((number[item->lane[i]] >= most) == any)
            return any;
    return !any;
}

static inline void count_one(const struct item *item, uint32_t number[RECORD_WARP])
{
    for (int i = 0; i < item->lanes; i++)
        number[item->lane[i]]++;
}

/* Whether all lanes access one address. */
static inline bool is_one_word(const struct item *item)
{
    for (int i = 1; i < item->lanes; i++)
        if (item->access.addr[i] != item->access.addr[0])
            return false;
    return true;
}

/* Whether there is one width only. */
static inline bool one_bit(int widths)
{
    return widths && !(widths & (widths - 1));
}

#endif
