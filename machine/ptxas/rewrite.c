/* rewrite.c - instructions that compilers place otherwise than the PTX does. */
#include "machine/ptxas/flow_graph.h"

/* ---- one store behind arms ------------------------------------------------------------------- */

/* nvcc sinks stores that all arms end with, to one address, behind them; clang with the flags that serve
 * otherwise does not (-simplifycfg-sink-common=false, else it also sinks stores to different addresses):
 *
 *     arm 1: st.shared.u32 [%r1], %r2         mov.u32 %stored0, %r2
 *     arm 2: st.shared.u32 [%r1], %r3         mov.u32 %stored0, %r3
 *     join:  ...                              st.shared.u32 [%r1], %stored0
 */

static bool same_address(const struct ptx_operand *a, const struct ptx_operand *b)
{
    const struct ptx_operand *x = a->element, *y = b->element;
    return a->offset == b->offset && a->elements == 1 && b->elements == 1 && x->kind == y->kind &&
           (x->kind == PTX_REG ? x->reg == y->reg
                               : x->kind == PTX_VARIABLE && x->variable == y->variable);
}

/* The store at the end of a block that leads to one place only; -1: there is none. */
static int store_at_end(const struct flow_graph *graph, int index)
{
    const struct flow_block *block = &graph->block[index];
    int at = block->last;
    if (block->tos != 1 || at < 0)
        return -1;
    if (graph->effects->of[at].kind == EFFECT_BRANCH)
        at = graph->link[at].before;
    if (at < 0 || graph->body->instruction[at].guard >= 0)
        return -1;
    const struct effect *effect = &graph->effects->of[at];
    const enum ptx_operand_kind value = effect->value ? effect->value->kind : PTX_NOTHING;
    return effect->kind == EFFECT_STORE && effect->space == PTX_SHARED && !effect->strong &&
                   (effect->bytes == 4 || effect->bytes == 8) &&
                   (value == PTX_REG || value == PTX_CONSTANT)
               ? at
               : -1;
}

static bool stores_agree(const struct flow_graph *graph, int join)
{
    const struct flow_block *block = &graph->block[join];
    const int first = block->from_count > 1 ? store_at_end(graph, block->from[0]) : -1;
    for (int i = 0; i < block->from_count && first >= 0; i++) {
        const int store = store_at_end(graph, block->from[i]);
        if (store < 0 || block->from[i] == join)
            return false;
        const struct effect *a = &graph->effects->of[first], *b = &graph->effects->of[store];
        if (a->type != b->type || !same_address(a->address, b->address))
            return false;
    }
    return first >= 0;
}

static int new_register(struct flow_graph *graph, enum ptx_type type)
{
    static const char name[] = "%stored";
    struct ptx_body *body = graph->body;
    if (!arena_grow(graph->arena, &body->reg, &body->reg_room, body->regs + 1, sizeof *body->reg))
        return -1;
    body->reg[body->regs] = (struct ptx_register){{name, sizeof name - 1}, body->regs, type};
    return body->regs++;
}

/* A copy of a store's operands, of which the value is another register. */
static struct ptx_operand *operands_with(struct flow_graph *graph, int store, int which, int reg)
{
    const struct ptx_instruction *like = &graph->body->instruction[store];
    struct ptx_operand *operand = arena_new(graph->arena, (size_t)like->operands * sizeof *operand);
    for (int i = 0; i < like->operands && operand; i++)
        operand[i] = like->operand[i];
    if (operand)
        operand[which] = (struct ptx_operand){.kind = PTX_REG, .reg = reg};
    return operand;
}

/* Puts `mov %stored, VALUE` where the store was. */
static bool store_to_move(struct flow_graph *graph, int store, int reg)
{
    struct ptx_instruction move = graph->body->instruction[store];
    const int block = graph->link[store].block;
    move.operand = operands_with(graph, store, 0, reg);
    move.opcode = (struct slice){"mov", 3};
    move.word[0] = move.word[move.words - 1]; /* the type */
    move.words = 1;
    const int fresh = move.operand ? flow_add(graph, &move) : -1;
    if (fresh < 0)
        return false;
    flow_insert(graph, block, store, fresh);
    flow_remove(graph, store);
    return true;
}

static bool join_stores(struct flow_graph *graph, int join)
{
    const struct flow_block *block = &graph->block[join];
    const int first = store_at_end(graph, block->from[0]);
    const int reg = new_register(graph, graph->effects->of[first].type);
    struct ptx_instruction store = graph->body->instruction[first];
    if (reg < 0 || !(store.operand = operands_with(graph, first, 1, reg)))
        return false;
    const int fresh = flow_add(graph, &store);
    if (fresh < 0)
        return false;
    for (int i = 0; i < block->from_count; i++)
        if (!store_to_move(graph, store_at_end(graph, block->from[i]), reg))
            return false;
    flow_insert(graph, join, block->first, fresh);
    return true;
}

bool flow_store_once(struct flow_graph *graph)
{
    for (int i = 0; i < graph->reacheds && graph->unit->from_llvm; i++)
        if (stores_agree(graph, graph->reached[i]) && !join_stores(graph, graph->reached[i]))
            return false;
    return true;
}

/* ---- vectors of which two parts are needed ----------------------------------------------------- */

/* ptxas loads of a vector what is read. Two of four that are not a half of it are two loads:
 *
 *     ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r1]    (%f2 and %f4 are not read)
 *     ld.shared.f32 %f1, [%r1]    ld.shared.f32 %f3, [%r1+8]
 *
 * All else is said by join.c, since it is one access. */

static bool is_apart(const struct flow_graph *graph, const int *reads, int instruction)
{
    const struct effect *effect = &graph->effects->of[instruction];
    unsigned read = 0;
    if (effect->kind != EFFECT_LOAD || effect->strong ||
        (effect->space != PTX_SHARED && effect->space != PTX_GLOBAL) ||
        effect->value->kind != PTX_VECTOR || effect->value->elements != 4 ||
        ptx_type_bytes(effect->type) == 1 || effect->bytes != 4 * ptx_type_bytes(effect->type))
        return false;
    for (int i = 0; i < 4; i++)
        if (effect->value->element[i].kind == PTX_REG && reads[effect->value->element[i].reg])
            read |= 1u << i;
    return read == 5 || read == 6 || read == 9 || read == 10;
}

/* The load of one element alone, before the vector's. */
static bool add_part(struct flow_graph *graph, int instruction, int element)
{
    struct ptx_instruction part = graph->body->instruction[instruction];
    const int bytes = ptx_type_bytes(graph->effects->of[instruction].type);
    const struct ptx_operand *like = part.operand;
    part.operand = arena_new(graph->arena, (size_t)part.operands * sizeof *part.operand);
    if (!part.operand)
        return false;
    for (int i = 0; i < part.operands; i++)
        part.operand[i] = like[i];
    part.operand[0] = like[0].element[element];
    part.operand[1].offset += (int64_t)element * bytes;
    int words = 0;
    for (int i = 0; i < part.words; i++)
        if (!slice_is(part.word[i], "v4"))
            part.word[words++] = part.word[i];
    part.words = words;
    const int fresh = flow_add(graph, &part);
    if (fresh >= 0)
        flow_insert(graph, graph->link[instruction].block, instruction, fresh);
    return fresh >= 0;
}

static int *count_reads(struct flow_graph *graph)
{
    int *reads = arena_new(graph->scratch, (size_t)graph->body->regs * sizeof *reads);
    for (int k = 0; k < graph->reacheds && reads; k++)
        for (int i = graph->block[graph->reached[k]].first; i >= 0; i = graph->link[i].next)
            EFFECT_EACH_USE (graph->effects, i, use)
                reads[use->reg] += !use->writes;
    return reads;
}

bool flow_split_loads(struct flow_graph *graph)
{
    const int *reads = count_reads(graph);
    if (!reads)
        return false;
    for (int i = 0; i < graph->written; i++) {
        if (graph->link[i].block < 0 || !graph->block[graph->link[i].block].met ||
            !is_apart(graph, reads, i))
            continue;
        int base = effect_base(&graph->effects->of[i]), last = -1;
        for (int element = 0; element < 4; element++) {
            const struct ptx_operand *value = &graph->effects->of[i].value->element[element];
            if (value->kind != PTX_REG || !reads[value->reg])
                continue;
            if (value->reg == base) /* its own address: behind the other */
                last = element;
            else if (!add_part(graph, i, element))
                return false;
        }
        if (last >= 0 && !add_part(graph, i, last))
            return false;
        flow_remove(graph, i);
    }
    return true;
}

/* ---- loads for a store that not all lanes do --------------------------------------------------- */

/* Before `ret`, ptxas lets lanes leave that have nothing to store; what only the store needs is then
 * loaded by the others alone:
 *
 *     ld.shared.f32 %f1, [%r1]           @%p1 ld.shared.f32 %f1, [%r1]
 *     @%p1 st.global.f32 [%rd1], %f1     @%p1 st.global.f32 [%rd1], %f1
 *     ret
 */

struct guarding {
    struct flow_graph *graph;
    int *mentions; /* of registers */
};

static bool stops(const struct effect *effect)
{
    return effect->writes || effect->kind == EFFECT_MARK;
}

/* The last store of a block if it is guarded; -1: another comes first, or a barrier. */
static int guarded_store(const struct flow_graph *graph, int block)
{
    int at = graph->block[block].last;
    if (at < 0 || graph->effects->of[at].kind != EFFECT_END ||
        graph->body->instruction[at].guard >= 0)
        return -1;
    for (at = graph->link[at].before; at >= 0; at = graph->link[at].before) {
        const bool store = graph->effects->of[at].kind == EFFECT_STORE;
        if (graph->body->instruction[at].guard >= 0)
            return store ? at : -1;
        if (stops(&graph->effects->of[at]))
            return -1;
    }
    return -1;
}

static bool stores_register(const struct effect *store, int reg)
{
    if (store->value->kind == PTX_REG)
        return store->value->reg == reg;
    for (int i = 0; i < store->value->elements; i++)
        if (store->value->element[i].kind == PTX_REG && store->value->element[i].reg == reg)
            return true;
    return false;
}

static bool only_for(const struct guarding *guarding, int load, int store)
{
    const struct effect *effect = &guarding->graph->effects->of[load];
    return effect->kind == EFFECT_LOAD && !effect->strong &&
           (effect->space == PTX_SHARED || effect->space == PTX_GLOBAL) &&
           effect->value->kind == PTX_REG &&
           stores_register(&guarding->graph->effects->of[store], effect->value->reg) &&
           guarding->mentions[effect->value->reg] == 2;
}

/* Whether a register is written between two instructions of a block. */
static bool written_between(const struct flow_graph *graph, int reg, int from, int to)
{
    for (int i = graph->link[from].next; i != to; i = graph->link[i].next)
        EFFECT_EACH_USE (graph->effects, i, use)
            if (use->writes && use->reg == reg)
                return true;
    return false;
}

static bool guard_load(struct flow_graph *graph, int load, int store)
{
    struct ptx_instruction guarded = graph->body->instruction[load];
    guarded.guard = graph->body->instruction[store].guard;
    guarded.guard_negated = graph->body->instruction[store].guard_negated;
    const int fresh = flow_add(graph, &guarded), block = graph->link[store].block;
    if (fresh < 0)
        return false;
    flow_remove(graph, load);
    flow_insert(graph, block, store, fresh);
    return true;
}

static bool guard_block(const struct guarding *guarding, int block)
{
    struct flow_graph *graph = guarding->graph;
    const int store = guarded_store(graph, block);
    int before;
    for (int at = store >= 0 ? graph->link[store].before : -1; at >= 0; at = before) {
        before = graph->link[at].before;
        const struct effect *effect = &graph->effects->of[at];
        if (graph->body->instruction[at].guard >= 0 || stops(effect))
            break;
        if (!only_for(guarding, at, store))
            continue;
        const int base = effect_base(effect);
        if (!(base >= 0 && written_between(graph, base, at, store)) &&
            !guard_load(graph, at, store))
            return false;
    }
    return true;
}

bool flow_guard_loads(struct flow_graph *graph)
{
    struct guarding guarding = {graph, NULL};
    guarding.mentions =
        arena_new(graph->scratch, (size_t)graph->body->regs * sizeof *guarding.mentions);
    if (!guarding.mentions)
        return false;
    for (int i = 0; i < graph->effects->uses; i++)
        guarding.mentions[graph->effects->use[i].reg]++;
    for (int i = 0; i < graph->reacheds; i++)
        if (!guard_block(&guarding, graph->reached[i]))
            return false;
    return true;
}
