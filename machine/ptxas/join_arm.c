/* join_arm.c - a store, and one to the same place in an arm behind it: ptxas makes one of them, behind the arm.
 *
 *     st.shared.f32 [%r1], %f1        @!%p1 ld.global.f32 %f1, [%rd1]
 *     @%p1 bra L                      st.shared.f32 [%r1], %f1
 *     ld.global.f32 %f2, [%rd1]
 *     st.shared.f32 [%r1], %f2
 *     L: ...
 *
 * Nothing may stand between that touches this memory, nor a store elsewhere before the arm; nothing that touches it
 * behind the store in the arm, or in the other arm. Where no lane parts any more behind the arm, both stay.
 */
#include "machine/ptxas/join_pass.h"

enum { MOST_BRANCHES = 4 };

struct arms {
    struct join_pass *pass;
    enum ptx_space space;
    int *first, *last; /* of blocks: steps; -1: it has none */
    int (*to)[2];      /* of blocks: where they lead, of which there are tos */
    int *tos;
};

static int whole_of(const struct arms *arms, int block)
{
    return arms->pass->flow->block[block].whole;
}

static bool note_arms(struct arms *arms)
{
    const struct join_pass *pass = arms->pass;
    const size_t blocks = (size_t)pass->flow->blocks;
    arms->first = arena_new(pass->scratch, blocks * sizeof *arms->first);
    arms->last = arena_new(pass->scratch, blocks * sizeof *arms->last);
    arms->to = arena_new(pass->scratch, blocks * sizeof *arms->to);
    arms->tos = arena_new(pass->scratch, blocks * sizeof *arms->tos);
    if (!arms->first || !arms->last || !arms->to || !arms->tos)
        return false;
    for (size_t i = 0; i < blocks; i++)
        arms->first[i] = arms->last[i] = -1;
    for (int i = 0; i < pass->steps; i++) {
        const int block = pass->step[i].block;
        arms->last[block] = i;
        if (arms->first[block] >= 0)
            continue;
        arms->first[block] = i;
        for (int k = 0; k < pass->flow->block[block].from_count; k++) {
            const int from = whole_of(arms, pass->flow->block[block].from[k]);
            if (arms->tos[from] < 2)
                arms->to[from][arms->tos[from]] = block;
            arms->tos[from]++;
        }
    }
    return true;
}

/* Whether no step from one to another touches the memory. The last one is looked at first. */
static bool is_quiet(const struct arms *arms, int from, int to)
{
    const struct join_pass *pass = arms->pass;
    bool quiet = true;
    for (int i = to; i >= from && quiet; i--)
        quiet = !join_touches(pass, pass->step[i].instruction, arms->space, false) &&
                !join_effect(pass, i)->slow && join_effect(pass, i)->kind != EFFECT_END;
    return quiet;
}

static bool is_same_store(const struct arms *arms, int step, int other)
{
    const struct join_pass *pass = arms->pass;
    const struct effect *effect = join_effect(pass, step);
    const int a = pass->step[step].instruction, b = pass->step[other].instruction;
    return effect->kind == EFFECT_STORE && !effect->strong && join_is_plain_access(effect) &&
           effect->space == arms->space && !join_is_guarded(pass, a) &&
           pass->access[a].fate != JOIN_VANISHES && pass->place[a].key == pass->place[b].key &&
           pass->place[a].offset == pass->place[b].offset &&
           effect->bytes == join_effect(pass, other)->bytes;
}

/* The store before the branches that lead to the arm of a store; -1: there is none. */
static int store_before(const struct arms *arms, int store)
{
    const struct join_pass *pass = arms->pass;
    const struct flow *flow = pass->flow;
    int block = pass->step[store].block;
    if (!is_quiet(arms, arms->first[block], store - 1))
        return -1;
    for (int i = 0; i < MOST_BRANCHES && flow->block[block].from_count == 1; i++) {
        block = whole_of(arms, flow->block[block].from[0]);
        int at = arms->last[block];
        while (at > arms->first[block] && is_quiet(arms, at, at) && !join_effect(pass, at)->writes)
            at--;
        if (at < 0 || arms->tos[block] != 2)
            return -1;
        if (is_same_store(arms, at, store))
            return at;
        if (!is_quiet(arms, at, at) || join_effect(pass, at)->writes)
            return -1;
    }
    return -1;
}

/* Whether all ways from a block end at the join, with nothing on them that touches the memory but the store. */
static bool all_meet(const struct arms *arms, int from, int join, int store)
{
    const struct join_pass *pass = arms->pass;
    int met = 0;
    for (int block = from, next = -1; block >= 0; block = next, next = -1)
        for (int i = 0; i < arms->tos[block]; i++) {
            const int arm = arms->to[block][i];
            const bool has_store = arm == pass->step[store].block;
            if (arm == join) {
                met++;
            } else if (pass->flow->block[arm].from_count != 1 || arms->tos[arm] > 2) {
                return false;
            } else if (arms->tos[arm] == 1) {
                if (arms->to[arm][0] != join ||
                    !is_quiet(arms, has_store ? store + 1 : arms->first[arm], arms->last[arm]))
                    return false;
                met++;
            } else if (arms->tos[arm] == 2 && next < 0) {
                next = arm;
            } else {
                return false;
            }
        }
    return met == pass->flow->block[join].from_count;
}

/* Whether an instruction is a branch in machine code: a guarded access or end, a loop of compare-and-swap. */
static bool is_branch(const struct join_pass *pass, int step)
{
    const struct effect *effect = join_effect(pass, step);
    const bool guarded = join_is_guarded(pass, pass->step[step].instruction);
    return effect->slow || (guarded && effect->kind != EFFECT_VALUE) ||
           (effect->kind == EFFECT_ATOMIC && effect->space == PTX_SHARED &&
            ptx_type_is_float(effect->type));
}

/* Whether lanes may part behind the arm, rather than go on to the program's end. */
static bool goes_apart(const struct arms *arms, int block)
{
    bool apart = arms->tos[block] > 1;
    for (int i = arms->first[block]; i >= 0 && i <= arms->last[block]; i++)
        apart |= is_branch(arms->pass, i);
    return apart;
}

static bool is_made_one(const struct arms *arms, int store)
{
    const struct join_pass *pass = arms->pass;
    const int arm = pass->step[store].block;
    if (!is_same_store(arms, store, store) || pass->place[pass->step[store].instruction].key < 0 ||
        arms->tos[arm] != 1)
        return false;
    const int join = arms->to[arm][0], before = store_before(arms, store);
    return before >= 0 && all_meet(arms, pass->step[before].block, join, store) &&
           goes_apart(arms, join);
}

bool join_arm(struct join_pass *pass, enum ptx_space space)
{
    struct arms arms = {.pass = pass, .space = space};
    if (!note_arms(&arms))
        return false;
    for (int i = 0; i < pass->steps; i++)
        if (is_made_one(&arms, i))
            pass->access[pass->step[i].instruction] =
                (struct join_access){.fate = JOIN_VANISHES, .rule = JOIN_ARM};
    return true;
}
