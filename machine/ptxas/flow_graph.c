/* flow_graph.c - cuts a function into basic blocks. */
#include "machine/ptxas/flow_graph.h"

/* ---- instructions in blocks ------------------------------------------------------------------ */

void flow_remove(struct flow_graph *graph, int instruction)
{
    struct flow_link *link = &graph->link[instruction];
    struct flow_block *block = &graph->block[link->block];
    *(link->before >= 0 ? &graph->link[link->before].next : &block->first) = link->next;
    *(link->next >= 0 ? &graph->link[link->next].before : &block->last) = link->before;
    *link = (struct flow_link){-1, -1, -1};
}

void flow_insert(struct flow_graph *graph, int block, int before, int instruction)
{
    struct flow_block *into = &graph->block[block];
    int after = before >= 0 ? graph->link[before].before : into->last;
    graph->link[instruction] = (struct flow_link){before, after, block};
    *(after >= 0 ? &graph->link[after].next : &into->first) = instruction;
    *(before >= 0 ? &graph->link[before].before : &into->last) = instruction;
}

static bool add_link(struct flow_graph *graph, int instruction)
{
    if (!arena_grow(graph->scratch, &graph->link, &graph->link_room, instruction + 1,
                    sizeof *graph->link))
        return false;
    graph->link[instruction] = (struct flow_link){-1, -1, -1};
    return true;
}

int flow_add(struct flow_graph *graph, const struct ptx_instruction *like)
{
    struct ptx_body *body = graph->body;
    const struct ptx_instruction copy = *like; /* it may be of the array that grows */
    if (!arena_grow(graph->arena, &body->instruction, &body->instruction_room,
                    body->instructions + 1, sizeof *body->instruction))
        return -1;
    body->instruction[body->instructions] = copy;
    body->instruction[body->instructions].labelled = false;
    if (!effects_add(graph->effects, graph->arena, body) || !add_link(graph, body->instructions))
        return -1;
    return body->instructions++;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static bool begins(const struct flow_graph *graph, int instruction)
{
    const struct ptx_instruction *all = graph->body->instruction;
    return !instruction || all[instruction].labelled ||
           effect_parts(&graph->effects->of[instruction - 1], &all[instruction - 1]);
}

static bool cut_into_blocks(struct flow_graph *graph)
{
    graph->block_at = arena_new(graph->scratch, (size_t)(graph->written + 1) * sizeof(int));
    if (!graph->block_at)
        return false;
    int block = -1;
    for (int i = 0; i < graph->written; i++)
        graph->block_at[i] = block += begins(graph, i);
    graph->block_at[graph->written] = block + 1;
    graph->blocks = block + 2;
    graph->block = arena_new(graph->scratch, (size_t)graph->blocks * sizeof *graph->block);
    if (!graph->block)
        return false;
    for (int i = 0; i < graph->blocks; i++)
        graph->block[i] =
            (struct flow_block){.first = -1, .last = -1, .falls = -1, .jumps = -1, .dominator = -1};
    for (int i = 0; i < graph->written; i++) {
        if (!add_link(graph, i))
            return false;
        flow_insert(graph, graph->block_at[i], -1, i);
    }
    return true;
}

/* ---- edges ----------------------------------------------------------------------------------- */

static int block_of_label(const struct flow_graph *graph, const struct ptx_operand *operand)
{
    const struct ptx_label *label = ptx_label(graph->body, operand);
    return label && label->index <= graph->written ? graph->block_at[label->index] : -1;
}

static const struct ptx_targets *table_of(const struct flow_graph *graph,
                                          const struct ptx_instruction *instruction)
{
    return instruction->operands == 2 ? ptx_targets(graph->body, &instruction->operand[1]) : NULL;
}

static bool add_successors(struct flow_graph *graph, int index)
{
    struct flow_block *block = &graph->block[index];
    if (index == graph->blocks - 1)
        return true;
    const struct ptx_instruction *last = &graph->body->instruction[block->last];
    const struct effect *effect = &graph->effects->of[block->last];
    const struct ptx_targets *table = effect->kind == EFFECT_TABLE ? table_of(graph, last) : NULL;
    if (!effect_parts(effect, last) || last->guard >= 0)
        block->falls = index + 1;
    if (effect->kind == EFFECT_BRANCH && last->operands)
        block->jumps = block_of_label(graph, last->operand);
    const int most = 2 + (table ? table->labels : 0);
    block->to = arena_new(graph->scratch, (size_t)most * sizeof *block->to);
    if (!block->to)
        return false;
    if (block->jumps >= 0)
        block->to[block->tos++] = block->jumps;
    for (int i = 0; table && i < table->labels; i++) {
        int to = block_of_label(graph, &table->label[i]);
        if (to >= 0)
            block->to[block->tos++] = to;
    }
    if (block->falls >= 0)
        block->to[block->tos++] = block->falls;
    return true;
}

/* Collects the blocks that control reaches, depth first; in the reverse of the order in which they are left. */
static bool collect_reached(struct flow_graph *graph)
{
    const size_t bytes = (size_t)graph->blocks * sizeof(int);
    int *stack = arena_new(graph->scratch, bytes), *edge = arena_new(graph->scratch, bytes);
    graph->reached = arena_new(graph->scratch, bytes);
    if (!stack || !edge || !graph->reached)
        return false;
    int depth = 0, left = graph->blocks;
    stack[depth++] = 0;
    graph->block[0].met = true;
    while (depth) {
        const struct flow_block *block = &graph->block[stack[depth - 1]];
        if (edge[stack[depth - 1]] == block->tos) {
            graph->reached[--left] = stack[--depth];
            continue;
        }
        const int to = block->to[edge[stack[depth - 1]]++];
        if (!graph->block[to].met) {
            graph->block[to].met = true;
            stack[depth++] = to;
        }
    }
    graph->reached += left;
    graph->reacheds = graph->blocks - left;
    return true;
}

/* Predecessors, of blocks that are reached. */
static bool add_predecessors(struct flow_graph *graph)
{
    for (int i = 0; i < graph->reacheds; i++) {
        const struct flow_block *block = &graph->block[graph->reached[i]];
        for (int k = 0; k < block->tos; k++)
            graph->block[block->to[k]].from_count++;
    }
    for (int i = 0; i < graph->blocks; i++) {
        struct flow_block *block = &graph->block[i];
        block->from =
            arena_new(graph->scratch, (size_t)(block->from_count + 1) * sizeof *block->from);
        if (!block->from)
            return false;
        block->from_count = 0;
    }
    for (int i = 0; i < graph->blocks; i++) {
        const struct flow_block *block = &graph->block[i];
        for (int k = 0; k < block->tos && block->met; k++) {
            struct flow_block *to = &graph->block[block->to[k]];
            to->from[to->from_count++] = i;
        }
    }
    return true;
}

bool flow_graph_build(struct flow_graph *graph)
{
    graph->written = graph->body->instructions;
    while (graph->effects->count < graph->written)
        if (!effects_add(graph->effects, graph->arena, graph->body))
            return false;
    if (!cut_into_blocks(graph))
        return false;
    for (int i = 0; i < graph->blocks; i++)
        if (!add_successors(graph, i))
            return false;
    return collect_reached(graph) && add_predecessors(graph);
}
