/* join_known.c - what registers hold of memory: what was loaded or stored before, on all ways that lead to
 * a place, and cannot have changed since. ptxas drops a load of it.
 *
 *     ld.shared.f32 %f1, [%r1]        known: [%r1]
 *     @%p1 bra L                      known in both blocks
 *     st.global.f32 [%rd1], %f1       changes nothing in shared memory
 *     L: ld.shared.f32 %f2, [%r1]     dropped
 *
 * Blocks are walked through in the order of the layout. What a loop changes is not known at its head.
 */
#include "machine/ptxas/join_pass.h"

#include <string.h>

enum { MOST_CARRIED = 32 };

int join_changes(const struct join_pass *pass, int instruction, enum ptx_space space)
{
    const struct effect *effect = &pass->effects->of[instruction];
    if (effect->slow)
        return 1;
    if (join_is_plain_access(effect))
        return effect->kind == EFFECT_STORE && effect->space == space;
    if (!join_touches(pass, instruction, space, true))
        return 0;
    return effect->kind == EFFECT_CALL ? 2 : 1;
}

/* ---- preparing ------------------------------------------------------------------------------- */

static void note_blocks(struct join_knowledge *knowledge, enum ptx_space space)
{
    const struct join_pass *pass = knowledge->pass;
    for (int i = 0; i < pass->steps; i++) {
        const int changes = join_changes(pass, pass->step[i].instruction, space);
        knowledge->changes[0][i + 1] = knowledge->changes[0][i] + (changes > 0);
        knowledge->changes[1][i + 1] = knowledge->changes[1][i] + (changes > 1);
        knowledge->last[pass->step[i].block] = i;
        knowledge->back[i] = -1;
    }
    for (int i = 0; i < pass->steps; i++) {
        const struct flow_part *block = &pass->flow->block[pass->step[i].block];
        for (int k = 0; k < block->from_count && pass->step[i].begins; k++) {
            const int from = knowledge->last[pass->flow->block[block->from[k]].whole];
            if (from >= i && from > knowledge->back[i])
                knowledge->back[i] = from;
        }
    }
}

struct join_knowledge *join_knowledge_new(struct join_pass *pass, enum ptx_space space)
{
    struct join_knowledge *knowledge = arena_new(pass->scratch, sizeof *knowledge);
    if (!knowledge)
        return NULL;
    const size_t steps = (size_t)pass->steps + 1, blocks = (size_t)pass->flow->blocks;
    knowledge->pass = pass;
    knowledge->carried = arena_new(pass->scratch, blocks * sizeof *knowledge->carried);
    knowledge->last = arena_new(pass->scratch, blocks * sizeof *knowledge->last);
    knowledge->back = arena_new(pass->scratch, steps * sizeof *knowledge->back);
    for (int i = 0; i < 2; i++)
        knowledge->changes[i] = arena_new(pass->scratch, steps * sizeof(int));
    if (!knowledge->carried || !knowledge->last || !knowledge->back || !knowledge->changes[0] ||
        !knowledge->changes[1])
        return NULL;
    for (size_t i = 0; i < blocks; i++)
        knowledge->last[i] = -1;
    note_blocks(knowledge, space);
    return knowledge;
}

/* ---- within a block -------------------------------------------------------------------------- */

void join_note(struct join_knowledge *knowledge, struct join_known known)
{
    if (knowledge->count < JOIN_MOST_KNOWN) {
        knowledge->known[knowledge->count++] = known;
        return;
    }
    knowledge->known[knowledge->oldest] = known;
    knowledge->oldest = (knowledge->oldest + 1) % JOIN_MOST_KNOWN;
}

const struct join_known *join_find(const struct join_knowledge *knowledge, int key, int64_t offset,
                                   int bytes, bool constant)
{
    for (int i = knowledge->count - 1; i >= 0; i--) {
        const struct join_known *known = &knowledge->known[i];
        if (known->key == key && known->constant == constant && known->offset <= offset &&
            known->offset + known->bytes >= offset + bytes)
            return known;
    }
    return NULL;
}

void join_forget(struct join_knowledge *knowledge, int changes)
{
    int kept = 0;
    if (!changes)
        return;
    for (int i = 0; i < knowledge->count && changes < 2; i++)
        if (knowledge->known[i].constant)
            knowledge->known[kept++] = knowledge->known[i];
    knowledge->count = kept;
    knowledge->oldest = 0;
}

/* ---- between blocks -------------------------------------------------------------------------- */

/* Keeps what the other knows, too. */
static void keep_common(struct join_knowledge *knowledge, const struct join_carried *other)
{
    int kept = 0;
    for (int i = 0; i < knowledge->count; i++) {
        const struct join_known *known = &knowledge->known[i];
        bool common = false;
        for (int k = 0; k < other->count && !common; k++)
            common =
                other->known[k].key == known->key && other->known[k].constant == known->constant &&
                other->known[k].offset == known->offset && other->known[k].bytes == known->bytes;
        if (common)
            knowledge->known[kept++] = *known;
    }
    knowledge->count = kept;
}

/* The last step of the loops whose head begins here; -1: there is none. */
static int loop_end(const struct join_knowledge *knowledge, int step)
{
    int end = knowledge->back[step];
    for (int i = step; i <= end; i++)
        if (knowledge->back[i] > end)
            end = knowledge->back[i];
    return end;
}

void join_enter(struct join_knowledge *knowledge, int step)
{
    const struct flow *flow = knowledge->pass->flow;
    const struct flow_part *block = &flow->block[knowledge->pass->step[step].block];
    bool first = true;
    knowledge->count = knowledge->oldest = 0;
    for (int i = 0; i < block->from_count; i++) {
        const struct join_carried *from = &knowledge->carried[flow->block[block->from[i]].whole];
        if (!from->done)
            continue; /* it leads back */
        if (first && from->count)
            memcpy(knowledge->known, from->known, (size_t)from->count * sizeof *from->known);
        if (first)
            knowledge->count = from->count;
        else
            keep_common(knowledge, from);
        first = false;
    }
    const int end = loop_end(knowledge, step);
    for (int i = 0; i < 2 && end >= 0; i++)
        if (knowledge->changes[i][end + 1] > knowledge->changes[i][step])
            join_forget(knowledge, i + 1);
}

bool join_leave(struct join_knowledge *knowledge, int step)
{
    const struct join_pass *pass = knowledge->pass;
    struct join_carried *carried = &knowledge->carried[pass->step[step].block];
    carried->done = true;
    for (int i = knowledge->count - 1; i >= 0 && carried->count < MOST_CARRIED; i--)
        carried->count += pass->key[knowledge->known[i].key].lasts;
    if (!carried->count)
        return true;
    carried->known = arena_new(pass->scratch, (size_t)carried->count * sizeof *carried->known);
    if (!carried->known)
        return false;
    int count = 0;
    for (int i = knowledge->count - 1; i >= 0 && count < carried->count; i--)
        if (pass->key[knowledge->known[i].key].lasts)
            carried->known[count++] = knowledge->known[i];
    return true;
}
