/* effect.h - what an instruction does, as far as passes over PTX must know it: which registers it reads
 * and writes, whether it touches memory, where control goes on.
 *
 * Nothing is executed here and no operation is known by more than its name: an instruction that is not in
 * the table reads its operands and writes its first one, and if it has an address, it may touch all memory.
 */
#ifndef BANKSCOPE_MACHINE_EFFECT_H
#define BANKSCOPE_MACHINE_EFFECT_H

#include "machine/ptx/ptx.h"

enum effect_kind {
    EFFECT_VALUE,  /* registers in, registers out */
    EFFECT_LOAD,   /* ld, ldu */
    EFFECT_STORE,  /* st */
    EFFECT_ATOMIC, /* atom, red */
    EFFECT_TOUCH,  /* touches memory in another way: cp.async, ldmatrix, ... */
    EFFECT_LANES,  /* shfl, vote, ...: lanes exchange values */
    EFFECT_FENCE,  /* membar, fence, mbarrier */
    EFFECT_BARRIER,
    EFFECT_CALL,
    EFFECT_BRANCH, /* bra */
    EFFECT_TABLE,  /* brx */
    EFFECT_END,    /* ret, exit, trap */
    EFFECT_MARK,   /* bankscope stage */
};

struct effect {
    enum effect_kind kind;
    bool reads, writes; /* memory */
    bool slow;          /* a division or root whose slow path is a branch */
    bool once; /* executed again, with other operands, it could be a fault or take memory */
    /* If it is a load, a store or an atomic operation: */
    enum ptx_space space;
    enum ptx_type type; /* of an element */
    int bytes;          /* of a lane: of all elements */
    bool constant;      /* .nc: from memory that is only read */
    bool
        strong; /* volatile, relaxed, acquire, ...: not taken for what another one loads or stores */
    /* Stays as it is: volatile, strong and not of shared memory, or of three elements (effect.c). */
    bool fixed;
    const struct ptx_operand *address; /* of ldmatrix and wmma.load, too */
    const struct ptx_operand *value;   /* of a load: what it writes; of a store: what it stores */
    int use, uses;                     /* its registers, in struct effects */
};

/* That an instruction reads or writes a register. Writes come first. */
struct effect_use {
    int reg;
    bool writes;
};

/* The effects of a body's instructions, by their index. */
struct effects {
    struct effect *of;
    int count, room;
    struct effect_use *use;
    int uses, use_room;
};
/* Adds the next instruction of the body. false: no memory. */
bool effects_add(struct effects *effects, struct arena *arena, const struct ptx_body *body);

/* Walks through the registers of an instruction. */
#define EFFECT_EACH_USE(effects, index, name)                                                      \
    for (const struct effect_use *name = (effects)->use + (effects)->of[index].use;                \
         name < (effects)->use + (effects)->of[index].use + (effects)->of[index].uses; name++)

/* How many of its first operands an instruction writes. */
int effect_results(const struct ptx_instruction *instruction);
/* The register that an address begins with; -1: it is a variable or a constant. */
int effect_base(const struct effect *effect);
/* Whether control does not go on behind it, or not for all lanes: a basic block ends. */
bool effect_parts(const struct effect *effect, const struct ptx_instruction *instruction);

#endif
