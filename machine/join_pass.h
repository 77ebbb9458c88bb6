/* join_pass.h - what the passes of join.c share. They walk through the instructions in the order of the
 * layout; what holds within a basic block ends where the next one begins. */
#ifndef BANKSCOPE_MACHINE_JOIN_PASS_H
#define BANKSCOPE_MACHINE_JOIN_PASS_H

#include "machine/join.h"

/* What is known of a number: its last bits, at most 7 of them. */
enum { RESIDUE_BITS = 7 };
struct residue {
    int bits;      /* -1: nothing has been seen of it yet */
    uint32_t rest; /* modulo 2^bits */
};
struct residue residue_of(int64_t value);
struct residue residue_add(struct residue a, struct residue b);
struct residue residue_multiply(struct residue a, struct residue b);
/* How many of its last bits are 0. */
int residue_zeros(struct residue a);

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
};
/* Elements of an access: of vectors, each; of bytes, the access itself. */
struct join_elements {
    int bytes, count;
    bool joins; /* with others */
};

struct join_pass {
    struct arena *scratch;
    const struct ptx_unit *unit;
    const struct ptx_body *body;
    const struct flow *flow;
    const struct effects *effects;
    const struct join_context *context;
    struct join_access *access; /* the result */
    struct join_step *step;
    int steps;
    int *reads;               /* of registers: by how many instructions */
    struct residue *residue;  /* of registers */
    struct join_place *place; /* of instructions */
    struct join_key *key;
    int keys, key_room;
    uint8_t *left; /* of loads: bits of the elements that have to be loaded */
    bool *integer; /* of registers: read by an operation on integers */
};

const struct effect *join_effect(const struct join_pass *pass, int step);
bool join_is_guarded(const struct join_pass *pass, int instruction);
/* A load or store of shared or global memory that may be changed. */
bool join_is_plain_access(const struct effect *effect);
struct join_elements join_elements_of(const struct join_pass *pass, int instruction);
/* Whether an instruction may read (or write) memory of that space in a way that is not understood, or lets
 * others do it: barriers, calls, generic addresses. */
bool join_touches(const struct join_pass *pass, int instruction, enum ptx_space space, bool writes);
/* The number that an operand is; false: it is none. */
bool join_constant(const struct ptx_operand *operand, int64_t *value);
/* Of a shared variable; -1: not known. */
int64_t join_variable_place(const struct join_pass *pass, const struct ptx_variable *variable);
struct residue join_variable_residue(const struct join_pass *pass,
                                     const struct ptx_variable *variable);

bool join_align(struct join_pass *pass); /* join_align.c: the residues of registers */
bool join_sums(struct join_pass *pass);  /* join_sums.c: places */
bool join_drop(struct join_pass *pass);  /* join_drop.c: what vanishes */
bool join_group(struct join_pass *pass); /* join_group.c: what is one access */
bool join_atomics(struct join_pass *pass);

#endif
