/* join.h - what ptxas makes of the accesses to memory that PTX names: how they are counted.
 *
 * ptxas takes vectors apart, drops what nobody needs, and makes one access of neighbours:
 *
 *     PTX                                machine code
 *     ld.shared.f32 %f1, [%r1];          LDS.64 R2, [R1]
 *     ld.shared.f32 %f2, [%r1+4];
 *     ld.shared.f32 %f3, [%r1];          (nothing: the value is there)
 *
 * Nothing changes in what is executed: each instruction of the PTX stays where it is. This module says for
 * each whether, and with how many bytes from where, its lanes are counted. The rules were found by giving
 * ptxas 13.0 small programs; tests/unit/test_join.c has one row for each.
 */
#ifndef BANKSCOPE_MACHINE_JOIN_H
#define BANKSCOPE_MACHINE_JOIN_H

#include "machine/ptxas/flow.h"

enum join_fate {
    JOIN_AS_WRITTEN,
    JOIN_LEADS,    /* counts for others, or as another width than it is written */
    JOIN_PART,     /* counted by another */
    JOIN_VANISHES, /* there is no such access in machine code */
};
/* Why. */
enum join_rule {
    JOIN_NO_RULE,
    JOIN_NEIGHBOURS,  /* neighbours are one access */
    JOIN_THREE,       /* three of four are one access of four */
    JOIN_NARROWED,    /* a part of the vector is not needed */
    JOIN_UNUSED,      /* nobody reads what it loads */
    JOIN_REPEATED,    /* loaded before */
    JOIN_FORWARDED,   /* stored before */
    JOIN_OVERWRITTEN, /* stored again before anything could read it */
    JOIN_ARM,         /* of a store before an arm and one in it, one remains */
    JOIN_RULES
};
/* Which lanes do an atomic operation in machine code. */
enum join_lanes {
    JOIN_ALL_LANES,
    JOIN_ONE_LANE,   /* one does it for all */
    JOIN_ONE_OF_ALL, /* the same, if all lanes of the warp are there */
};
struct join_access {
    enum join_fate fate;
    enum join_rule rule;
    int lead;       /* of JOIN_PART: the instruction that counts it */
    int bytes;      /* of JOIN_LEADS: of a lane */
    int64_t offset; /* of JOIN_LEADS: from its own address to the first byte, may be negative */
    bool reduction; /* an atomic operation whose result nobody reads: atom is red */
    enum join_lanes lanes;
};
/* "neighbours are one access"; "" for JOIN_NO_RULE. */
const char *join_rule_text(enum join_rule rule);

/* Questions that only the caller can answer. */
struct join_context {
    void *context;
    /* Where a shared variable lies in the block's shared memory; -1: not known. May be NULL. */
    int64_t (*place)(void *context, const struct ptx_variable *variable);
    /* Whether a function that is called has no branches and touches no memory, as most of __nv_*: such a
     * call ends no group. May be NULL: none is. */
    bool (*is_plain)(void *context, const struct ptx_function *function);
};
/* The access that each instruction of the body makes, by its index, in the module's arena. Takes time in proportion to
 * the function's size. NULL: no memory, *error says so. */
const struct join_access *join_accesses(struct ptx_module *module,
                                        const struct ptx_function *function,
                                        const struct flow *flow, const struct join_context *context,
                                        struct error *error);

#endif
