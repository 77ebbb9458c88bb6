/* flow.h - in which order the instructions of a function are laid out for execution.
 *
 * Lanes at the lowest position go first (warp.c). This joins lanes that have parted where hardware joins
 * them if what is executed later lies behind: basic blocks in topological order, the blocks of a loop
 * together. nvcc's PTX is nearly in that order; clang's lays a join before the arms that lead to it.
 *
 *     text              layout
 *     @p bra L2          0  @p bra     target 2
 *     L1: st B           1  jump       target 4 if the text falls through there and the layout does not
 *         ret            ...
 *     L2: st A
 *         bra L1
 *
 * Some instructions are also moved, as ptxas moves them (rewrite.c, sink.c): a layout may name
 * instructions that are not in the text, behind its last one in the body.
 */
#ifndef BANKSCOPE_MACHINE_FLOW_H
#define BANKSCOPE_MACHINE_FLOW_H

#include "machine/ptxas/effect.h"

enum flow_kind {
    FLOW_INSTRUCTION,
    FLOW_JUMP, /* goes to the target; stands for no instruction */
    FLOW_END,  /* the function's closing brace */
};
struct flow_item {
    enum flow_kind kind;
    bool begins;     /* a basic block begins here */
    int instruction; /* its index in the body; -1: none */
    int target;      /* an item: of a jump, and of an instruction bra; else -1 */
    int block;       /* of struct flow; -1: a jump between blocks */
};
/* Basic blocks. One that follows another as the only one does, and is laid out behind it, is a part of it. */
struct flow_part {
    int enter,
        leave; /* it dominates those whose enter is in [enter, leave): every path passes it */
    int *from, from_count; /* the blocks that lead to it, or to what it is a part of */
    int whole;             /* the block that it is a part of, or itself */
};
struct flow {
    struct flow_item *item;
    int items;
    struct flow_part *block;
    int blocks;
    /* The item that a label's index stands for, -1: none that control reaches. For tables of brx. */
    int *arrival;
    int arrivals;
    struct effects effects; /* of the body's instructions */
};

/* Lays out the body of a function that has been parsed, once: a second call returns what the first one
 * made. Everything lies in the module's arena. NULL: no memory, *error says so. */
const struct flow *flow_arrange(struct ptx_module *module, const struct ptx_function *function,
                                struct error *error);

#endif
