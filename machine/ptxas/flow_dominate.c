/* flow_dominate.c - which block every path to another one passes: T. Lengauer, R. E. Tarjan: A Fast
 * Algorithm for Finding Dominators in a Flowgraph, 1979, with path compression alone.
 *
 * Below, blocks are named by their order in a depth-first walk, the entry is 0. */
#include "machine/ptxas/flow_graph.h"

struct walk {
    int *block;  /* by their order */
    int *order;  /* of blocks; -1 */
    int *parent; /* in the walk's tree */
    int *semi;   /* the lowest from which a path of higher ones leads there */
    int *ancestor, *least;
    int *nearest;        /* the dominator */
    int *waiting, *next; /* those whose semi it is, linked */
    int *stack;
    int count;
};

static bool begin_walk(struct walk *walk, struct flow_graph *graph)
{
    int **arrays[] = {&walk->block, &walk->order,   &walk->parent,  &walk->semi, &walk->ancestor,
                      &walk->least, &walk->nearest, &walk->waiting, &walk->next, &walk->stack};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = arena_new(graph->scratch, (size_t)(graph->blocks + 1) * sizeof(int));
        if (!*arrays[i])
            return false;
    }
    for (int i = 0; i < graph->blocks; i++) {
        walk->order[i] = walk->ancestor[i] = walk->waiting[i] = walk->next[i] = -1;
        walk->semi[i] = walk->least[i] = i;
    }
    return true;
}

static void enter_block(struct walk *walk, int block, int parent)
{
    walk->block[walk->count] = block;
    walk->parent[walk->count] = parent;
    walk->order[block] = walk->count++;
}

/* Depth first; `next` says how many successors of a block are done. */
static void number_blocks(struct walk *walk, const struct flow_graph *graph)
{
    int depth = 0;
    int *done = walk->nearest; /* not needed yet */
    enter_block(walk, 0, -1);
    walk->stack[depth++] = 0;
    while (depth) {
        const int at = walk->stack[depth - 1];
        const struct flow_block *block = &graph->block[walk->block[at]];
        if (done[at] == block->tos) {
            depth--;
            continue;
        }
        const int to = block->to[done[at]++];
        if (walk->order[to] < 0) {
            enter_block(walk, to, at);
            walk->stack[depth++] = walk->order[to];
        }
    }
}

/* The one of least semi on the way up from there, among those that are linked. */
static int least_above(struct walk *walk, int at)
{
    int depth = 0;
    if (walk->ancestor[at] < 0)
        return at;
    for (int x = at; walk->ancestor[walk->ancestor[x]] >= 0; x = walk->ancestor[x])
        walk->stack[depth++] = x;
    while (depth) {
        const int x = walk->stack[--depth], above = walk->ancestor[x];
        if (walk->semi[walk->least[above]] < walk->semi[walk->least[x]])
            walk->least[x] = walk->least[above];
        walk->ancestor[x] = walk->ancestor[above];
    }
    return walk->least[at];
}

static void settle_waiting(struct walk *walk, int parent)
{
    for (int x = walk->waiting[parent]; x >= 0; x = walk->next[x]) {
        const int least = least_above(walk, x);
        walk->nearest[x] = walk->semi[least] < walk->semi[x] ? least : parent;
    }
    walk->waiting[parent] = -1;
}

static void find_dominators(struct walk *walk, const struct flow_graph *graph)
{
    for (int at = walk->count - 1; at > 0; at--) {
        const struct flow_block *block = &graph->block[walk->block[at]];
        for (int i = 0; i < block->from_count; i++) {
            const int least = least_above(walk, walk->order[block->from[i]]);
            if (walk->semi[least] < walk->semi[at])
                walk->semi[at] = walk->semi[least];
        }
        walk->next[at] = walk->waiting[walk->semi[at]];
        walk->waiting[walk->semi[at]] = at;
        walk->ancestor[at] = walk->parent[at];
        settle_waiting(walk, walk->parent[at]);
    }
    for (int at = 1; at < walk->count; at++)
        if (walk->nearest[at] != walk->semi[at])
            walk->nearest[at] = walk->nearest[walk->nearest[at]];
}

/* Gives each block an interval of the tree of dominators. */
static void place(struct walk *walk, struct flow_graph *graph)
{
    int *size = walk->least, *cursor = walk->ancestor;
    for (int at = 0; at < walk->count; at++)
        size[at] = 1;
    for (int at = walk->count - 1; at > 0; at--)
        size[walk->nearest[at]] += size[at];
    for (int at = 0; at < walk->count; at++) {
        struct flow_block *block = &graph->block[walk->block[at]];
        block->dominator = at ? walk->block[walk->nearest[at]] : -1;
        block->enter = at ? cursor[walk->nearest[at]] : 0;
        block->leave = block->enter + size[at];
        cursor[at] = block->enter + 1;
        if (at)
            cursor[walk->nearest[at]] += size[at];
    }
}

bool flow_dominators(struct flow_graph *graph)
{
    struct walk walk = {0};
    if (!begin_walk(&walk, graph))
        return false;
    number_blocks(&walk, graph);
    for (int i = 0; i < walk.count; i++)
        walk.nearest[i] = 0;
    find_dominators(&walk, graph);
    place(&walk, graph);
    return true;
}

bool flow_dominates(const struct flow_graph *graph, int block, int other)
{
    const struct flow_block *a = &graph->block[block], *b = &graph->block[other];
    return a->enter <= b->enter && b->enter < a->leave;
}

int flow_meet(const struct flow_graph *graph, int block, int other)
{
    while (!flow_dominates(graph, block, other))
        block = graph->block[block].dominator;
    return block;
}
