/* flow_loops.c - which blocks are loops, and which loops lie in others: the sets of blocks that reach each
 * other (R. Tarjan: Depth-First Search and Linear Graph Algorithms, 1972), then those within each set
 * without the edges back to its head, and so on. This serves any graph; a loop that is entered in several
 * places takes the first of them for its head.
 */
#include "machine/ptxas/flow_graph.h"

enum { MOST_DEPTH = 64 }; /* of loops in loops: bounds the time, each level is linear */

struct search {
    struct flow_graph *graph;
    int *member, *sorted; /* blocks */
    struct part {
        int from, count;
    } * part; /* of loops: where their blocks stand in `member` */
    int part_room;
    int *within;      /* of blocks: the loop whose part is searched */
    int *index, *low; /* of blocks: order of the walk; 0: not met */
    int *set;         /* of blocks: which of the sets; -1: none yet */
    int *edge, *stack, *path;
    int sets;
};

/* Adds a loop. -1: no memory. */
static int new_loop(struct search *search, struct flow_loop loop, int from, int count)
{
    struct flow_graph *graph = search->graph;
    const int wanted = graph->loops + 1;
    if (!arena_grow(graph->scratch, &graph->loop, &graph->loop_room, wanted, sizeof loop) ||
        !arena_grow(graph->scratch, &search->part, &search->part_room, wanted,
                    sizeof *search->part))
        return -1;
    graph->loop[graph->loops] = loop;
    search->part[graph->loops] = (struct part){from, count};
    return graph->loops++;
}

static bool begin_search(struct search *search)
{
    int **arrays[] = {&search->member, &search->sorted, &search->within,
                      &search->index,  &search->low,    &search->set,
                      &search->edge,   &search->stack,  &search->path};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = arena_new(search->graph->scratch, (size_t)search->graph->blocks * sizeof(int));
        if (!*arrays[i])
            return false;
    }
    return true;
}

/* What is left of the graph inside of a loop: the edges between its blocks, not those to its head. */
static bool has_edge(const struct search *search, int loop, int to)
{
    return search->within[to] == loop && to != search->graph->loop[loop].head;
}

/* Takes a set off the stack, of which `root` was met first. */
static int pop_component(struct search *search, int *height, int *out, int root)
{
    int count = 0, block;
    do {
        block = search->stack[--*height];
        search->set[block] = search->sets;
        out[count++] = block;
    } while (block != root);
    search->sets++;
    return count;
}

/* Sorts the blocks that are reached from `root` into sets, behind those of `out`. */
static int find_components(struct search *search, int loop, int root, int *out)
{
    const struct flow_block *block = search->graph->block;
    int depth = 0, height = 0, written = 0, met = 0;
    search->path[depth++] = search->stack[height++] = root;
    search->index[root] = search->low[root] = ++met;
    while (depth) {
        const int at = search->path[depth - 1];
        if (search->edge[at] < block[at].tos) {
            const int to = block[at].to[search->edge[at]++];
            if (!has_edge(search, loop, to))
                continue;
            if (!search->index[to]) {
                search->path[depth++] = search->stack[height++] = to;
                search->index[to] = search->low[to] = ++met;
            } else if (search->set[to] < 0 && search->index[to] < search->low[at]) {
                search->low[at] = search->index[to];
            }
            continue;
        }
        if (search->low[at] == search->index[at])
            written += pop_component(search, &height, out + written, at);
        depth--;
        if (depth && search->low[at] < search->low[search->path[depth - 1]])
            search->low[search->path[depth - 1]] = search->low[at];
    }
    return written;
}

/* Where a set is entered from the rest of the loop: the first such block. */
static int head_of(const struct search *search, int loop, const int *member, int count)
{
    int head = -1, lowest = member[0];
    for (int i = 0; i < count; i++) {
        const struct flow_block *block = &search->graph->block[member[i]];
        if (member[i] < lowest)
            lowest = member[i];
        for (int k = 0; k < block->from_count && (head < 0 || member[i] < head); k++)
            if (search->within[block->from[k]] == loop &&
                search->set[block->from[k]] != search->set[member[i]])
                head = member[i];
    }
    return head < 0 ? lowest : head;
}

static bool is_loop(const struct search *search, int loop, const int *member, int count)
{
    const struct flow_block *block = &search->graph->block[member[0]];
    for (int k = 0; k < block->tos && count == 1; k++)
        if (block->to[k] == member[0] && has_edge(search, loop, member[0]))
            return true;
    return count > 1;
}

/* Makes a loop of a set. */
static bool add_loop(struct search *search, int loop, int from, int count)
{
    struct flow_graph *graph = search->graph;
    const int *member = search->member + from;
    struct flow_loop fresh = {.outer = loop,
                              .depth = graph->loop[loop].depth + 1,
                              .head = head_of(search, loop, member, count),
                              .lowest = member[0]};
    fresh.deep = fresh.depth >= MOST_DEPTH;
    for (int i = 0; i < count; i++)
        if (member[i] < fresh.lowest)
            fresh.lowest = member[i];
    const int number = new_loop(search, fresh, from, count);
    for (int i = 0; i < count && number >= 0; i++)
        graph->block[member[i]].loop = number;
    return number >= 0;
}

/* Finds the loops that lie in this one, and sorts its blocks by them. */
static bool find_inner(struct search *search, int loop)
{
    const int first = search->part[loop].from, count = search->part[loop].count;
    int *member = search->member + first, written = 0;
    for (int i = 0; i < count; i++) {
        search->within[member[i]] = loop;
        search->index[member[i]] = search->edge[member[i]] = 0;
        search->set[member[i]] = -1;
    }
    search->sets = 0;
    for (int i = 0; i < count; i++)
        if (!search->index[member[i]])
            written += find_components(search, loop, member[i], search->sorted + written);
    for (int i = 0; i < count; i++)
        member[i] = search->sorted[i];
    for (int from = 0, end; from < count; from = end) {
        for (end = from + 1; end < count && search->set[member[end]] == search->set[member[from]];)
            end++;
        if (is_loop(search, loop, member + from, end - from) &&
            !add_loop(search, loop, first + from, end - from))
            return false;
    }
    return true;
}

/* Loops are searched in the order in which they were found: each level of nesting costs one pass. */
bool flow_loops(struct flow_graph *graph)
{
    struct search search = {.graph = graph};
    if (!begin_search(&search) ||
        new_loop(&search, (struct flow_loop){.outer = -1, .head = -1}, 0, graph->reacheds) < 0)
        return false;
    for (int i = 0; i < graph->reacheds; i++)
        search.member[i] = graph->reached[i];
    for (int loop = 0; loop < graph->loops; loop++)
        if (!graph->loop[loop].deep && !find_inner(&search, loop))
            return false;
    return true;
}

bool flow_loop_within(const struct flow_graph *graph, int loop, int outer)
{
    while (graph->loop[loop].depth > graph->loop[outer].depth)
        loop = graph->loop[loop].outer;
    return loop == outer;
}

int flow_loop_common(const struct flow_graph *graph, int loop, int other)
{
    while (loop != other) {
        const bool deeper = graph->loop[loop].depth >= graph->loop[other].depth;
        *(deeper ? &loop : &other) = graph->loop[deeper ? loop : other].outer;
    }
    return loop;
}
