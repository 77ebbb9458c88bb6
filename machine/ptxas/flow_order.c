/* flow_order.c - the order in which blocks are laid out: topological, the lowest first among those that
 * could be next, the blocks of a loop together. Then the items of struct flow. */
#include "machine/ptxas/flow_graph.h"

#include <string.h>

/* ---- ways back that meet --------------------------------------------------------------------- */

enum { MOST_WAYS = 64, MOST_CHAIN = 50 };

/* The blocks from a way back to the head up to where it has parted from others. */
struct chain {
    int block[MOST_CHAIN], blocks;
};

/* Whether a block computes only. */
static bool is_quiet(const struct flow_graph *graph, int block)
{
    for (int i = graph->block[block].first; i >= 0; i = graph->link[i].next) {
        const struct effect *effect = &graph->effects->of[i];
        const bool parameter = effect->kind == EFFECT_LOAD && effect->space == PTX_PARAM;
        if (!parameter && effect->kind != EFFECT_VALUE && effect->kind != EFFECT_BRANCH &&
            effect->kind != EFFECT_TABLE && effect->kind != EFFECT_END)
            return false;
    }
    return true;
}

/* The one block of the loop that leads to this one; -1: there are several. */
static int only_way(const struct flow_graph *graph, int loop, int block)
{
    int way = -1;
    for (int i = 0; i < graph->block[block].from_count; i++) {
        const int from = graph->block[block].from[i];
        if (!flow_loop_within(graph, graph->block[from].loop, loop))
            continue;
        if (way >= 0)
            return -1;
        way = from;
    }
    return way;
}

static void follow_chain(const struct flow_graph *graph, int loop, int block, struct chain *chain)
{
    chain->blocks = 0;
    while (block >= 0 && chain->blocks < MOST_CHAIN) {
        chain->block[chain->blocks++] = block;
        block = block == graph->loop[loop].head ? -1 : only_way(graph, loop, block);
    }
}

static bool in_chain(const struct chain *chain, int block)
{
    for (int i = 0; i < chain->blocks; i++)
        if (chain->block[i] == block)
            return true;
    return false;
}

/* Drops from each chain what lies behind the first block that is in all. false: there is none. */
static bool part_chains(struct chain *chain, int chains)
{
    int meet = -1;
    for (int i = 0; i < chain[0].blocks && meet < 0; i++) {
        meet = chain[0].block[i];
        for (int k = 1; k < chains && meet >= 0; k++)
            if (!in_chain(&chain[k], meet))
                meet = -1;
    }
    for (int k = 0; k < chains && meet >= 0; k++)
        for (int i = 0; i < chain[k].blocks; i++)
            if (chain[k].block[i] == meet)
                chain[k].blocks = i;
    return meet >= 0;
}

/* ptxas makes selections of arms that only compute: their ways back to the head are one. */
static bool ways_meet(const struct flow_graph *graph, int loop, struct chain *chain)
{
    const struct flow_block *head = &graph->block[graph->loop[loop].head];
    int ways = 0;
    for (int i = 0; i < head->from_count; i++) {
        const int from = head->from[i];
        if (!flow_loop_within(graph, graph->block[from].loop, loop))
            continue;
        const struct flow_block *block = &graph->block[from];
        if (ways == MOST_WAYS || block->tos > 2 ||
            (block->last >= 0 && graph->effects->of[block->last].kind == EFFECT_TABLE))
            return false;
        follow_chain(graph, loop, from, &chain[ways++]);
    }
    if (ways < 2 || !part_chains(chain, ways))
        return false;
    for (int k = 0; k < ways; k++)
        for (int i = 0; i < chain[k].blocks; i++)
            if (!is_quiet(graph, chain[k].block[i]))
                return false;
    return true;
}

/* Finds the loops that have several ways back to their head, which meet behind the loop's last block: so
 * lanes that take one wait for those that take another. */
bool flow_latches(struct flow_graph *graph)
{
    struct chain *chain = arena_new(graph->scratch, MOST_WAYS * sizeof *chain);
    for (int loop = 1; loop < graph->loops && chain; loop++)
        graph->loop[loop].latch = !graph->loop[loop].deep && ways_meet(graph, loop, chain);
    return chain;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* A block or a loop, ordered among those of the loop around it. Units are the blocks, by their index, and behind them the
 * loops. */
struct unit {
    int rank;        /* lower goes first */
    int missing;     /* units that must come before it */
    int edge;        /* the first of those that it comes before; -1 */
    int first, next; /* of a loop: its units, linked; -1 */
};
struct order {
    struct flow_graph *graph;
    struct unit *unit;
    struct unit_edge {
        int to, next;
    } * edge;
    int edges, edge_room;
    int *heap; /* of all levels, the inner ones behind the outer ones */
    int *out;  /* blocks; behind them, ~loop: the latch of a loop */
    int outs;
};

static int unit_of_loop(const struct order *order, int loop)
{
    return order->graph->blocks + loop;
}

/* What stands for a block in the order of a loop around it. */
static int unit_within(const struct order *order, int block, int outer)
{
    int loop = order->graph->block[block].loop;
    if (loop == outer)
        return block;
    while (order->graph->loop[loop].outer != outer)
        loop = order->graph->loop[loop].outer;
    return unit_of_loop(order, loop);
}

static bool add_edge(struct order *order, int from, int to)
{
    const struct flow_graph *graph = order->graph;
    const int loop = flow_loop_common(graph, graph->block[from].loop, graph->block[to].loop);
    const bool back = to == graph->loop[loop].head || (graph->loop[loop].deep && to <= from);
    const int a = unit_within(order, from, loop), b = unit_within(order, to, loop);
    if (a == b || back)
        return true;
    if (!arena_grow(graph->scratch, &order->edge, &order->edge_room, order->edges + 1,
                    sizeof *order->edge))
        return false;
    order->edge[order->edges] = (struct unit_edge){b, order->unit[a].edge};
    order->unit[a].edge = order->edges++;
    order->unit[b].missing++;
    return true;
}

static void add_unit(struct order *order, int unit, int loop, int rank)
{
    struct unit *outer = &order->unit[unit_of_loop(order, loop)];
    order->unit[unit].rank = rank;
    order->unit[unit].next = outer->first;
    outer->first = unit;
}

static bool add_units(struct order *order)
{
    const struct flow_graph *graph = order->graph;
    for (int i = 0; i < graph->blocks + graph->loops; i++)
        order->unit[i] = (struct unit){.edge = -1, .first = -1, .next = -1};
    for (int i = 0; i < graph->reacheds; i++) {
        const int block = graph->reached[i], loop = graph->block[block].loop;
        add_unit(order, block, loop, block == graph->loop[loop].head ? -1 : block);
    }
    for (int loop = 1; loop < graph->loops; loop++)
        add_unit(order, unit_of_loop(order, loop), graph->loop[loop].outer,
                 graph->loop[loop].lowest);
    for (int i = 0; i < graph->reacheds; i++) {
        const struct flow_block *block = &graph->block[graph->reached[i]];
        for (int k = 0; k < block->tos; k++)
            if (!add_edge(order, graph->reached[i], block->to[k]))
                return false;
    }
    return true;
}

static bool before(const struct order *order, int unit, int other)
{
    return order->unit[unit].rank < order->unit[other].rank;
}

static void heap_put(const struct order *order, int *heap, int *count, int unit)
{
    int at = (*count)++;
    for (; at && before(order, unit, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = unit;
}

static int heap_take(const struct order *order, int *heap, int *count)
{
    const int first = heap[0], unit = heap[--*count];
    int at = 0;
    for (int child; (child = 2 * at + 1) < *count; at = child) {
        if (child + 1 < *count && before(order, heap[child + 1], heap[child]))
            child++;
        if (!before(order, heap[child], unit))
            break;
        heap[at] = heap[child];
    }
    heap[at] = unit;
    return first;
}

/* Nests as deep as loops do. */
static void write_loop(struct order *order, int loop, int *heap)
{
    const struct flow_graph *graph = order->graph;
    int count = 0;
    for (int u = order->unit[unit_of_loop(order, loop)].first; u >= 0; u = order->unit[u].next)
        if (!order->unit[u].missing)
            heap_put(order, heap, &count, u);
    while (count) {
        const int unit = heap_take(order, heap, &count);
        if (unit < graph->blocks)
            order->out[order->outs++] = unit;
        else
            write_loop(order, unit - graph->blocks, heap + count);
        for (int e = order->unit[unit].edge; e >= 0; e = order->edge[e].next)
            if (!--order->unit[order->edge[e].to].missing)
                heap_put(order, heap, &count, order->edge[e].to);
    }
    if (graph->loop[loop].latch)
        order->out[order->outs++] = ~loop;
}

static bool make_order(struct order *order)
{
    const struct flow_graph *graph = order->graph;
    const size_t most = (size_t)graph->blocks + (size_t)graph->loops;
    order->unit = arena_new(graph->scratch, most * sizeof *order->unit);
    order->heap = arena_new(graph->scratch, most * sizeof *order->heap);
    order->out = arena_new(graph->scratch, most * sizeof *order->out);
    if (!order->unit || !order->heap || !order->out || !add_units(order))
        return false;
    write_loop(order, 0, order->heap);
    return true;
}

/* ---- items ----------------------------------------------------------------------------------- */

struct layout {
    const struct order *order;
    struct flow *flow;
    int *position; /* of blocks, and behind them of the latches of loops */
    bool begins;   /* the next item begins a block */
    int block;     /* of the items that are put */
};

/* Where control goes that leaves `from` for `to`, as an index of `position`: to the block, or the latch
 * before it. */
static int arrives(const struct flow_graph *graph, int from, int to)
{
    const int loop = graph->block[to].loop;
    const bool back = graph->loop[loop].latch && graph->loop[loop].head == to &&
                      flow_loop_within(graph, graph->block[from].loop, loop);
    return back ? graph->blocks + loop : to;
}

static void put_item(struct layout *layout, enum flow_kind kind, int instruction, int target)
{
    struct flow *flow = layout->flow;
    flow->item[flow->items++] =
        (struct flow_item){kind, layout->begins, instruction, target, layout->block};
    layout->begins = false;
}

static void put_block(struct layout *layout, int index, int next)
{
    const struct flow_graph *graph = layout->order->graph;
    const struct flow_block *block = &graph->block[index];
    for (int i = block->first; i >= 0; i = graph->link[i].next)
        put_item(layout, FLOW_INSTRUCTION, i,
                 i == block->last && block->jumps >= 0 ? arrives(graph, index, block->jumps) : -1);
    if (index == graph->blocks - 1)
        put_item(layout, FLOW_END, -1, -1);
    if (block->falls >= 0 && arrives(graph, index, block->falls) != next)
        put_item(layout, FLOW_JUMP, -1, arrives(graph, index, block->falls));
}

/* A block that only the one before it leads to, which leads nowhere else, is a part of that. */
static int whole_of(const struct layout *layout, int block, int before)
{
    const struct flow_graph *graph = layout->order->graph;
    const bool part = before >= 0 && graph->block[block].from_count == 1 &&
                      graph->block[block].from[0] == before && graph->block[before].tos == 1;
    return layout->flow->block[block].whole = part ? layout->flow->block[before].whole : block;
}

static void put_items(struct layout *layout)
{
    const struct order *order = layout->order;
    const struct flow_graph *graph = order->graph;
    struct flow *flow = layout->flow;
    for (int i = 0; i < order->outs; i++) {
        const int out = order->out[i], at = out >= 0 ? out : graph->blocks + ~out;
        int next = i + 1 < order->outs ? order->out[i + 1] : -1;
        if (next < 0 && i + 1 < order->outs)
            next = graph->blocks + ~next;
        layout->position[at] = flow->items;
        layout->begins = true;
        layout->block = out >= 0 ? whole_of(layout, out, i ? order->out[i - 1] : -1) : -1;
        if (out >= 0)
            put_block(layout, out, next);
        else
            put_item(layout, FLOW_JUMP, -1, graph->loop[~out].head);
    }
    for (int i = 0; i < flow->items; i++)
        if (flow->item[i].target >= 0)
            flow->item[i].target = layout->position[flow->item[i].target];
}

static void note_arrivals(const struct layout *layout)
{
    const struct flow_graph *graph = layout->order->graph;
    for (int i = 0; i <= graph->written; i++) {
        const bool begins = !i || graph->block_at[i] != graph->block_at[i - 1];
        const int block = graph->block_at[i];
        layout->flow->arrival[i] = begins && graph->block[block].met ? layout->position[block] : -1;
    }
}

static bool copy_parts(const struct flow_graph *graph, struct flow *flow)
{
    flow->blocks = graph->blocks;
    flow->block = arena_new(graph->arena, (size_t)graph->blocks * sizeof *flow->block);
    for (int i = 0; i < graph->blocks && flow->block; i++) {
        const struct flow_block *block = &graph->block[i];
        const size_t bytes = (size_t)block->from_count * sizeof *block->from;
        int *from = arena_new(graph->arena, bytes);
        if (!from)
            return false;
        memcpy(from, block->from, bytes);
        flow->block[i] = (struct flow_part){block->enter, block->leave, from, block->from_count, i};
    }
    return flow->block;
}

bool flow_lay_out(struct flow_graph *graph, struct flow *flow)
{
    struct order order = {.graph = graph};
    if (!make_order(&order))
        return false;
    struct layout layout = {.order = &order, .flow = flow};
    const size_t units = (size_t)graph->blocks + (size_t)graph->loops;
    const size_t items = (size_t)graph->body->instructions + 2 * units;
    flow->arrivals = graph->written + 1;
    flow->item = arena_new(graph->arena, items * sizeof *flow->item);
    flow->arrival = arena_new(graph->arena, (size_t)flow->arrivals * sizeof *flow->arrival);
    layout.position = arena_new(graph->scratch, units * sizeof *layout.position);
    if (!flow->item || !flow->arrival || !layout.position)
        return false;
    if (!copy_parts(graph, flow))
        return false;
    put_items(&layout);
    note_arrivals(&layout);
    return true;
}
