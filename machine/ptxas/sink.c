/* sink.c - loads that ptxas moves down, so that fewer lanes do them: from global memory that is only read
 * (.nc) to the block that dominates all uses, but into no loop; others past the branch that ends their
 * block, if nothing writes between.
 *
 *     ld.global.nc.f32 %f1, [%rd1]       @%p1 bra DONE
 *     @%p1 bra DONE                      ld.global.nc.f32 %f1, [%rd1]
 *     add.f32 %f2, %f1, %f1              add.f32 %f2, %f1, %f1
 *
 * ptxas executes a short arm under a predicate, without a branch, unless that leads to the function's end. Loads from
 * shared memory stay before such an arm, and move past those of others (with ptxas 13.0, sm_80 and sm_90):
 *
 *     ld.shared.f32 %f1, [%r1]
 *     ld.shared.f32 %f2, [%r1+4096]
 *     @%p1 bra NEXT                      stays a load of all lanes
 *     st.global.f32 [%rd1], %f1
 *     NEXT: @%p2 bra DONE
 *                                        ld.shared.f32 %f2, [%r1+4096]
 *     st.global.f32 [%rd1+4096], %f2
 *     DONE: ret
 */
#include "machine/ptxas/flow_graph.h"

struct sinking {
    struct flow_graph *graph;
    int *writes; /* of registers: how many instructions write them */
    int *meet;   /* of registers: the block that dominates all that read them; -1: none reads */
    int *front;  /* of blocks: what stands there first since before loads came; -2: not looked at */
};

static bool is_candidate(const struct flow_graph *graph, int instruction)
{
    const struct effect *effect = &graph->effects->of[instruction];
    return effect->kind == EFFECT_LOAD &&
           (effect->space == PTX_GLOBAL || effect->space == PTX_SHARED) && !effect->strong &&
           graph->body->instruction[instruction].guard < 0 && effect_base(effect) >= 0;
}

/* ---- where registers are used ------------------------------------------------------------------ */

static void note_uses(struct sinking *sinking)
{
    struct flow_graph *graph = sinking->graph;
    for (int r = 0; r < graph->body->regs; r++)
        sinking->meet[r] = -1;
    for (int k = 0; k < graph->reacheds; k++) {
        const int block = graph->reached[k];
        for (int i = graph->block[block].first; i >= 0; i = graph->link[i].next)
            EFFECT_EACH_USE (graph->effects, i, use) {
                int *meet = &sinking->meet[use->reg];
                if (use->writes)
                    sinking->writes[use->reg]++;
                else
                    *meet = *meet < 0 ? block : flow_meet(graph, *meet, block);
            }
    }
}

static bool begin_sinking(struct sinking *sinking)
{
    struct flow_graph *graph = sinking->graph;
    const size_t regs = (size_t)graph->body->regs;
    sinking->writes = arena_new(graph->scratch, regs * sizeof *sinking->writes);
    sinking->meet = arena_new(graph->scratch, regs * sizeof *sinking->meet);
    sinking->front = arena_new(graph->scratch, (size_t)graph->blocks * sizeof *sinking->front);
    if (!sinking->writes || !sinking->meet || !sinking->front)
        return false;
    for (int i = 0; i < graph->blocks; i++)
        sinking->front[i] = -2;
    note_uses(sinking);
    return true;
}

/* The block that dominates all uses of what is loaded; -1: it cannot be moved. */
static int meet_of(const struct sinking *sinking, int load)
{
    const struct flow_graph *graph = sinking->graph;
    int meet = -1;
    if (sinking->writes[effect_base(&graph->effects->of[load])] > 1)
        return -1;
    EFFECT_EACH_USE (graph->effects, load, use) {
        if (!use->writes)
            continue;
        if (sinking->writes[use->reg] != 1)
            return -1;
        const int other = sinking->meet[use->reg];
        if (other >= 0)
            meet = meet < 0 ? other : flow_meet(graph, meet, other);
    }
    return meet;
}

/* ---- where loads go ---------------------------------------------------------------------------- */

/* Up from there, out of loops that the load is not in. */
static int out_of_loops(const struct flow_graph *graph, int from, int to)
{
    while (to != from && !flow_loop_within(graph, graph->block[from].loop, graph->block[to].loop))
        to = graph->block[to].dominator;
    return to;
}

/* Whether an instruction, or one behind it in its block, may write what a load reads. */
static bool writes_from(const struct flow_graph *graph, int load, int instruction)
{
    const bool shared = graph->effects->of[load].space == PTX_SHARED;
    for (; instruction >= 0; instruction = graph->link[instruction].next) {
        const struct effect *effect = &graph->effects->of[instruction];
        const bool elsewhere = shared && effect->kind == EFFECT_STORE && !effect->strong &&
                               effect->space == PTX_GLOBAL;
        if (effect->writes && !elsewhere)
            return true;
    }
    return false;
}

/* ---- arms under a predicate -------------------------------------------------------------------- */

enum { SHORT_ARM = 8 }; /* instructions; of 10 ptxas makes a branch */

static bool is_end(const struct flow_graph *graph, int block)
{
    const int first = graph->block[block].first;
    return first < 0 || (graph->effects->of[first].kind == EFFECT_END &&
                         graph->body->instruction[first].guard < 0);
}

static bool is_short(const struct flow_graph *graph, int block)
{
    int count = 0;
    for (int i = graph->block[block].first; i >= 0 && count <= SHORT_ARM; i = graph->link[i].next)
        count += graph->effects->of[i].kind != EFFECT_BRANCH;
    return count <= SHORT_ARM;
}

/* The arm of a block's branch that some lanes take before they go on with the others at *join; -1: there is none. */
static int arm_of(const struct flow_graph *graph, int block, int *join)
{
    const struct flow_block *from = &graph->block[block];
    for (int i = 0; i < from->tos && from->tos == 2; i++) {
        const struct flow_block *arm = &graph->block[from->to[i]];
        *join = from->to[!i];
        if (arm->from_count == 1 && graph->block[*join].from_count > 1)
            return from->to[i];
    }
    return -1;
}

/* The arm of a block's branch that leads to `meet` and is reached by nothing else; -1: there is none. */
static int arm_towards(const struct flow_graph *graph, int block, int meet)
{
    const struct flow_block *from = &graph->block[block];
    for (int i = 0; i < from->tos && from->tos == 2; i++)
        if (graph->block[from->to[i]].from_count == 1 && flow_dominates(graph, from->to[i], meet) &&
            graph->block[from->to[i]].loop == from->loop)
            return from->to[i];
    return -1;
}

static int past_branches(const struct flow_graph *graph, int load, int meet)
{
    int block = graph->link[load].block, after = graph->link[load].next;
    while (block != meet && !writes_from(graph, load, after)) {
        const int arm = arm_towards(graph, block, meet);
        if (arm < 0)
            break;
        block = arm;
        after = graph->block[block].first;
    }
    return block;
}

/* A load from shared memory: where it is behind the last branch that stays one. */
static int past_long_arms(const struct flow_graph *graph, int load, int meet)
{
    int block = graph->link[load].block, after = graph->link[load].next, to = block;
    while (block != meet && !writes_from(graph, load, after)) {
        int join;
        const int arm = arm_of(graph, block, &join);
        if (arm < 0 || graph->block[arm].loop != graph->block[block].loop)
            break;
        if (flow_dominates(graph, arm, meet)) {
            if (!is_end(graph, join) && is_short(graph, arm))
                break;
            block = to = arm;
        } else {
            const struct flow_block *short_arm = &graph->block[arm];
            if (!is_short(graph, arm) || short_arm->tos != 1 || short_arm->to[0] != join ||
                graph->block[join].from_count != 2 ||
                graph->block[join].loop != graph->block[block].loop ||
                writes_from(graph, load, short_arm->first))
                break;
            block = join;
        }
        after = graph->block[block].first;
    }
    return to;
}

static void sink(struct sinking *sinking, int load)
{
    struct flow_graph *graph = sinking->graph;
    const int from = graph->link[load].block, meet = meet_of(sinking, load);
    if (meet < 0 || meet == from || !flow_dominates(graph, from, meet))
        return;
    const struct effect *effect = &graph->effects->of[load];
    const int to = effect->constant              ? out_of_loops(graph, from, meet)
                   : effect->space == PTX_SHARED ? past_long_arms(graph, load, meet)
                                                 : past_branches(graph, load, meet);
    if (to == from)
        return;
    if (sinking->front[to] == -2)
        sinking->front[to] = graph->block[to].first;
    flow_remove(graph, load);
    flow_insert(graph, to, sinking->front[to], load);
}

bool flow_sink_loads(struct flow_graph *graph)
{
    struct sinking sinking = {.graph = graph};
    if (!begin_sinking(&sinking))
        return false;
    for (int k = 0; k < graph->reacheds; k++) {
        const struct flow_block *block = &graph->block[graph->reached[k]];
        for (int i = block->first, next; i >= 0; i = next) {
            next = graph->link[i].next;
            if (is_candidate(graph, i))
                sink(&sinking, i);
        }
    }
    return true;
}
