/* join_pass.h - what the passes of join.c share. They walk through the instructions in the order of the
 * layout; what holds within a basic block ends where the next one begins. */
#ifndef BANKSCOPE_MACHINE_JOIN_PASS_H
#define BANKSCOPE_MACHINE_JOIN_PASS_H

#include "machine/ptxas/join.h"

struct join_pass;

/* What is known of a number: its last bits, at most 7 of them. */
enum { RESIDUE_BITS = 7 };
struct residue {
    int bits;      /* -1: nothing has been seen of it yet */
    uint32_t rest; /* modulo 2^bits */
};
struct residue residue_of(int64_t value);
struct residue residue_add(struct residue a, struct residue b);
struct residue residue_multiply(struct residue a, struct residue b);
/* The residue of what an instruction writes into its first register, from the residues of its operands. bits -1: that
 * depends on what is not seen yet. */
struct residue join_residue(const struct join_pass *pass,
                            const struct ptx_instruction *instruction);

/* An instruction in the order of the layout. */
struct join_step {
    int instruction;
    bool begins; /* a basic block */
    int block;   /* of struct flow */
};
/* The address of an access: a sum that is the same number for all accesses of the key, and an offset. */
struct join_place {
    int key; /* -1: no access, or not understood */
    int64_t offset;
};
enum { JOIN_ABSOLUTE = 0 }; /* the key of addresses that are numbers: static shared variables */
struct join_key {
    struct residue aligned;
    bool lasts; /* it is the same number beyond a basic block, too */
};
/* What is in registers of what is in memory. */
struct join_known {
    int key;
    int64_t offset;
    int bytes;
    bool constant; /* .nc */
    bool stored;   /* rather than loaded */
};
/* What is known of one space at one place of the function; the rest is join_known.c's. */
enum { JOIN_MOST_KNOWN = 256 };
struct join_knowledge {
    struct join_pass *pass;
    struct join_known known[JOIN_MOST_KNOWN];
    int count, oldest;
    struct join_carried {
        struct join_known *known;
        int count;
        bool done;
    } * carried;     /* of blocks: what is known at their end */
    int *last;       /* of blocks: their last step */
    int *back;       /* of steps: the last step that leads back to it, or -1 */
    int *changes[2]; /* of steps: how many before it change memory; also constant memory */
};
/* Elements of an access: of vectors, each; of bytes, the access itself. */
struct join_elements {
    int bytes, count;
    bool joins; /* with others */
};

struct join_pass {
    struct arena *scratch;
    const struct ptx_unit *unit;
    const struct ptx_function *function;
    const struct ptx_body *body;
    const struct flow *flow;
    const struct effects *effects;
    const struct join_context *context;
    struct join_access *access; /* the result */
    struct join_step *step;
    int steps;
    int *reads;               /* of registers: by how many instructions */
    int *reader;              /* of registers: the last of them */
    int *writer;              /* of registers: the only instruction that writes it; -1 */
    struct residue *residue;  /* of registers */
    struct join_place *place; /* of instructions */
    struct join_key *key;
    int keys, key_room;
    uint8_t *left; /* of loads: bits of the elements that have to be loaded */
    bool *integer; /* of registers: read by an operation on integers */
    bool *local;   /* of registers: an address in local memory, generic */
};

const struct effect *join_effect(const struct join_pass *pass, int step);
bool join_is_guarded(const struct join_pass *pass, int instruction);
/* Machine code does not have the instruction's access. */
static inline void join_vanish(struct join_pass *pass, int instruction, enum join_rule rule)
{
    pass->access[instruction].fate = JOIN_VANISHES;
    pass->access[instruction].rule = rule;
}
/* Whether the block that a step begins is reached from one other block only. */
bool join_has_one_way_in(const struct join_pass *pass, int step);
/* A load or store of shared or global memory that may be changed. */
bool join_is_plain_access(const struct effect *effect);
struct join_elements join_elements_of(const struct join_pass *pass, int instruction);
/* Whether an instruction may read (or write) memory of that space in a way that is not understood, or lets
 * others do it: barriers, calls, generic addresses. */
bool join_touches(const struct join_pass *pass, int instruction, enum ptx_space space, bool writes);
/* Where a shared variable is, in bytes; -1: not known. */
int64_t join_variable_place(const struct join_pass *pass, const struct ptx_variable *variable);
struct residue join_variable_residue(const struct join_pass *pass,
                                     const struct ptx_variable *variable);

/* ---- join_known.c: what holds from block to block --------------------------------------------- */

/* How much an instruction changes: 0 nothing, 1 what is not constant, 2 all. */
int join_changes(const struct join_pass *pass, int instruction, enum ptx_space space);
/* NULL: no memory. */
struct join_knowledge *join_knowledge_new(struct join_pass *pass, enum ptx_space space);
void join_note(struct join_knowledge *knowledge, struct join_known known);
const struct join_known *join_find(const struct join_knowledge *knowledge, int key, int64_t offset,
                                   int bytes, bool constant);
/* Forgets what an instruction has changed, see join_changes. */
void join_forget(struct join_knowledge *knowledge, int changes);
/* At the first step of a block: what all blocks know that lead to it, and no loop around it changes. */
void join_enter(struct join_knowledge *knowledge, int step);
/* At its last step. false: no memory. */
bool join_leave(struct join_knowledge *knowledge, int step);

/* ---- passes ---------------------------------------------------------------------------------- */

bool join_align(struct join_pass *pass); /* join_align.c: the residues of registers */
bool join_sums(struct join_pass *pass);  /* join_sums.c: places */
void join_tiles(struct join_pass *pass); /* join_tiles.c: tiles of matrices that vanish */
bool join_drop(struct join_pass *pass);  /* join_drop.c: what vanishes */
bool join_arm(struct join_pass *pass, enum ptx_space space); /* join_arm.c: of join_drop */
bool join_group(struct join_pass *pass);                     /* join_group.c: what is one access */
bool join_atomics(struct join_pass *pass);

#endif
