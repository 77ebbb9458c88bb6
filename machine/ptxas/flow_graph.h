/* flow_graph.h - the basic blocks of a function, for the passes of flow.c: flow_graph.c makes them,
 * flow_dominate.c and flow_loops.c say how they lie, rewrite.c and sink.c move instructions between them,
 * flow_order.c lays them out.
 *
 * A block's instructions are linked, so that they can be moved. All lies in `scratch`, but for what is
 * added to the body. Each pass returns false where memory is refused, and takes time in proportion to
 * the size of the function, or n log n, whatever the function is.
 */
#ifndef BANKSCOPE_MACHINE_FLOW_GRAPH_H
#define BANKSCOPE_MACHINE_FLOW_GRAPH_H

#include "machine/ptxas/flow.h"

struct flow_block {
    int first, last; /* instructions; -1: it has none */
    int *to, tos;    /* successors, blocks */
    int *from, from_count;
    int falls;        /* the block behind it, if control may just go on; else -1 */
    int jumps;        /* the block that a bra at its end goes to; else -1 */
    bool met;         /* control gets there */
    int dominator;    /* the nearest other block that every path to it passes; -1 */
    int enter, leave; /* it dominates the blocks whose enter is in [enter, leave) */
    int loop;         /* the innermost; 0: none */
};
/* A set of blocks that reach each other, without the edges back to the heads of loops around it. Loop 0
 * is the whole function. */
struct flow_loop {
    int outer, depth;
    int head;   /* where it is entered; of several such blocks, the first; -1: of loop 0 */
    int lowest; /* block */
    /* Deeper than any program: loops in it are not looked for, its order is the text's. */
    bool deep;
    bool latch; /* its ways back to the head meet behind its last block, see flow_latches */
};
struct flow_link {
    int next, before, block;
};
struct flow_graph {
    struct arena *scratch, *arena;
    const struct ptx_unit *unit;
    struct ptx_body *body;
    struct effects *effects;
    int written; /* instructions of the text */
    struct flow_block *block;
    int blocks;   /* the last is the function's end and has no instruction */
    int *reached; /* blocks, in the reverse of the order in which a depth-first walk leaves them */
    int reacheds;
    int *block_at;          /* of instructions of the text, and of the end */
    struct flow_link *link; /* of instructions */
    int link_room;
    struct flow_loop *loop;
    int loops, loop_room;
};

/* ---- flow_graph.c ---------------------------------------------------------------------------- */

bool flow_graph_build(struct flow_graph *graph);
/* An instruction like that one, behind the body's last; it is in no block yet. Its index; -1: no memory. */
int flow_add(struct flow_graph *graph, const struct ptx_instruction *like);
void flow_remove(struct flow_graph *graph, int instruction);
/* Puts an instruction that is in no block before that one; -1: at the block's end. */
void flow_insert(struct flow_graph *graph, int block, int before, int instruction);

/* ---- flow_dominate.c, flow_loops.c ----------------------------------------------------------- */

bool flow_dominators(struct flow_graph *graph);
bool flow_dominates(const struct flow_graph *graph, int block, int other);
/* The nearest block that dominates both. */
int flow_meet(const struct flow_graph *graph, int block, int other);
bool flow_loops(struct flow_graph *graph);
/* Whether a loop is that one or lies in it. */
bool flow_loop_within(const struct flow_graph *graph, int loop, int outer);
/* The innermost loop that both are, or lie in. */
int flow_loop_common(const struct flow_graph *graph, int loop, int other);

/* ---- rewrite.c, sink.c ----------------------------------------------------------------------- */

bool flow_store_once(struct flow_graph *graph);
bool flow_split_loads(struct flow_graph *graph);
bool flow_guard_loads(struct flow_graph *graph);
bool flow_sink_loads(struct flow_graph *graph);

/* ---- flow_order.c ---------------------------------------------------------------------------- */

bool flow_latches(struct flow_graph *graph);
bool flow_lay_out(struct flow_graph *graph, struct flow *flow);

#endif
