/* join_group.c - which accesses become one: neighbours of one base and one size, in one basic block (loads: or in one
 * that all ways to the other pass), with nothing between them that may touch them, at an address that is provably
 * aligned.
 *
 * What counts are elements, of vectors as of scalars. Of four that lie in an aligned place for four, three
 * are loaded as four; a pair in a place for a pair is one; the rest stays alone. A place is at most 16
 * bytes. The first load stands for the others, and the last store.
 */
#include "machine/ptxas/join_pass.h"

#include <stdlib.h>

enum { MOST_PENDING = 1024, MOST_PROOFS = 64, PLACE = 16 };

/* Kinds of access that do not join with each other. */
enum group {
    LOADS = 1,
    STORES = 2,
    CONSTANTS = 4, /* loads of .nc */
    ALL = 7,
};
struct pending {
    int step;
    int key, bytes;
    int64_t offset;
    enum group group;
};
/* A proof that a key's sum is aligned: a block has a wide access there. */
struct proof {
    struct proof *next;
    int block;
    struct residue aligned;
};
struct grouping {
    struct join_pass *pass;
    enum ptx_space space;
    struct pending pending[MOST_PENDING], chosen[MOST_PENDING];
    int count;
    enum group present;
    struct proofs {
        struct proof *first;
        int count;
    } * proofs; /* of keys */
};

/* ---- proofs ---------------------------------------------------------------------------------- */

static bool add_proofs(struct grouping *grouping)
{
    struct join_pass *pass = grouping->pass;
    for (int i = 0; i < pass->steps; i++) {
        const int instruction = pass->step[i].instruction;
        const struct effect *effect = join_effect(pass, i);
        const struct join_place place = pass->place[instruction];
        if (!join_is_plain_access(effect) || place.key < 0 || join_is_guarded(pass, instruction) ||
            (effect->bytes != 8 && effect->bytes != 16) ||
            grouping->proofs[place.key].count == MOST_PROOFS)
            continue;
        struct proof *proof = arena_new(pass->scratch, sizeof *proof);
        if (!proof)
            return false;
        struct residue aligned = residue_of((int64_t)(0 - (uint64_t)place.offset));
        aligned.bits = __builtin_ctz((unsigned)effect->bytes);
        aligned.rest &= (1u << aligned.bits) - 1;
        *proof = (struct proof){grouping->proofs[place.key].first, pass->step[i].block, aligned};
        grouping->proofs[place.key].first = proof;
        grouping->proofs[place.key].count++;
    }
    return true;
}

static bool dominates(const struct flow *flow, int block, int other)
{
    return flow->block[block].enter <= flow->block[other].enter &&
           flow->block[other].enter < flow->block[block].leave;
}

/* What is known of a key's sum in a block. */
static struct residue aligned_in(const struct grouping *grouping, int key, int block)
{
    struct residue best = grouping->pass->key[key].aligned;
    for (const struct proof *proof = grouping->proofs[key].first; proof; proof = proof->next)
        if (proof->aligned.bits > best.bits && dominates(grouping->pass->flow, proof->block, block))
            best = proof->aligned;
    return best;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Elements of one key and size, in the order of their offsets, each once. */
struct row {
    const struct pending *element;
    int count;
    struct residue aligned;
};

static int instruction_of(const struct grouping *grouping, const struct pending *element)
{
    return grouping->pass->step[element->step].instruction;
}

/* Whether an instruction can lead that access, too: one that leads another would have both in it. */
static bool may_lead(const struct grouping *grouping, int lead, int64_t offset, int bytes)
{
    const struct join_access *access = &grouping->pass->access[lead];
    const int64_t from = offset - grouping->pass->place[lead].offset;
    return access->fate != JOIN_LEADS || (from + bytes - access->offset <= PLACE &&
                                          access->offset + access->bytes - from <= PLACE);
}

static void set_lead(struct grouping *grouping, int lead, int64_t offset, int bytes,
                     enum join_rule rule)
{
    struct join_pass *pass = grouping->pass;
    struct join_access *access = &pass->access[lead];
    const int64_t from = offset - pass->place[lead].offset;
    if (access->fate == JOIN_LEADS) { /* it counts twice: as one access that has both in it */
        const int64_t low = access->offset < from ? access->offset : from;
        const int64_t high = access->offset + access->bytes > from + bytes
                                 ? access->offset + access->bytes
                                 : from + bytes;
        access->offset = low;
        for (access->bytes = 1; access->bytes < high - low;)
            access->bytes *= 2;
    } else {
        access->fate = JOIN_LEADS;
        access->offset = from;
        access->bytes = bytes;
    }
    access->rule = rule;
}

/* Makes one access of elements that lie in a place of `bytes` from `offset`. */
static void make_access(struct grouping *grouping, const struct pending *element, int count,
                        int64_t offset, int bytes)
{
    struct join_pass *pass = grouping->pass;
    const struct pending *lead = element;
    bool several = false;
    for (int i = 1; i < count; i++) {
        const bool later = element[i].step > lead->step;
        several |= element[i].step != element[0].step;
        if (later == (element->group == STORES) && element[i].step != lead->step)
            lead = &element[i];
    }
    const int leader = instruction_of(grouping, lead);
    const enum join_rule rule = !several                         ? JOIN_NARROWED
                                : count * element->bytes < bytes ? JOIN_THREE
                                                                 : JOIN_NEIGHBOURS;
    if (!several && pass->effects->of[leader].bytes == bytes &&
        pass->place[leader].offset == offset && pass->access[leader].fate == JOIN_AS_WRITTEN)
        return;
    if (!may_lead(grouping, leader, offset,
                  bytes)) /* a vector that lies in two places: misaligned */
        return;
    set_lead(grouping, leader, offset, bytes, rule);
    for (int i = 0; i < count; i++) {
        struct join_access *part = &pass->access[instruction_of(grouping, &element[i])];
        if (part->fate == JOIN_AS_WRITTEN)
            *part = (struct join_access){.fate = JOIN_PART, .rule = rule, .lead = leader};
    }
}

/* Where an address lies in an aligned place of `bytes`. */
static int position(const struct row *row, int64_t offset, int bytes)
{
    return (int)((row->aligned.rest + (uint32_t)offset) & ((uint32_t)bytes - 1));
}

/* The elements from there on that lie in the same place of `bytes`, a power of two. */
static int same_place(const struct row *row, int from, int bytes)
{
    const int64_t end = row->element[from].offset - position(row, row->element[from].offset, bytes);
    int count = 1;
    while (from + count < row->count && row->element[from + count].offset < end + bytes)
        count++;
    return count;
}

static void join_row(struct grouping *grouping, const struct row *row)
{
    const int bytes = row->element->bytes, four = 4 * bytes < PLACE ? 4 * bytes : PLACE;
    const bool loads = row->element->group != STORES;
    const int known = 1 << row->aligned.bits;
    for (int i = 0, count; i < row->count; i += count) {
        const struct pending *element = &row->element[i];
        int place = known >= four ? four : 2 * bytes;
        count = 1;
        if (known >= place && place <= PLACE) {
            count = same_place(row, i, place);
            const bool enough = count * bytes == place || (loads && count == 3);
            if (!enough && place > 2 * bytes) {
                place = 2 * bytes;
                count = same_place(row, i, place);
            }
        }
        const bool joins = count > 1 && (count * bytes == place || count == 3);
        if (joins)
            make_access(grouping, element, count,
                        element->offset - position(row, element->offset, place), place);
        else
            for (int k = 0; k < count; k++)
                make_access(grouping, &element[k], 1, element[k].offset, bytes);
    }
}

/* ---- groups ---------------------------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
    const struct pending *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->step < b->step ? -1 : a->step > b->step;
}

/* Only the first of two accesses to one element joins. */
static int without_doubles(struct pending *chosen, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (!kept || chosen[kept - 1].group != chosen[i].group ||
            chosen[kept - 1].key != chosen[i].key || chosen[kept - 1].bytes != chosen[i].bytes ||
            chosen[kept - 1].offset != chosen[i].offset)
            chosen[kept++] = chosen[i];
    return kept;
}

static void join_chosen(struct grouping *grouping, int count)
{
    struct pending *chosen = grouping->chosen;
    qsort(chosen, (size_t)count, sizeof *chosen, compare);
    count = without_doubles(chosen, count);
    for (int from = 0, end; from < count; from = end) {
        for (end = from + 1; end < count && chosen[end].group == chosen[from].group &&
                             chosen[end].key == chosen[from].key &&
                             chosen[end].bytes == chosen[from].bytes;)
            end++;
        const int block = grouping->pass->step[chosen[from].step].block;
        const struct row row = {&chosen[from], end - from,
                                aligned_in(grouping, chosen[from].key, block)};
        join_row(grouping, &row);
    }
}

/* Joins what waits of these groups. */
static void flush(struct grouping *grouping, unsigned groups)
{
    int kept = 0, chosen = 0;
    if (!(grouping->present & groups))
        return;
    for (int i = 0; i < grouping->count; i++) {
        const struct pending now = grouping->pending[i];
        if (now.group & groups)
            grouping->chosen[chosen++] = now;
        else
            grouping->pending[kept++] = now;
    }
    grouping->count = kept;
    grouping->present &= ~groups;
    join_chosen(grouping, chosen);
}

static void add_to_group(struct grouping *grouping, int step, enum group group)
{
    struct join_pass *pass = grouping->pass;
    const int instruction = pass->step[step].instruction;
    const struct join_elements elements = join_elements_of(pass, instruction);
    const struct join_place place = pass->place[instruction];
    if (grouping->count + elements.count > MOST_PENDING)
        flush(grouping, ALL);
    for (int i = 0; i < elements.count; i++)
        if (group == STORES || (pass->left[instruction] & 1 << i))
            grouping->pending[grouping->count++] = (struct pending){
                step, place.key, elements.bytes, place.offset + (int64_t)i * elements.bytes, group};
    grouping->present |= group;
}

/* A vector that joins with no other: of its elements those that are needed. */
static void alone(struct grouping *grouping, int step)
{
    struct join_pass *pass = grouping->pass;
    const int instruction = pass->step[step].instruction;
    const struct join_elements elements = join_elements_of(pass, instruction);
    struct pending element[8];
    int count = 0;
    if (pass->effects->of[instruction].kind != EFFECT_LOAD)
        return;
    for (int i = 0; i < elements.count; i++)
        if (pass->left[instruction] & 1 << i)
            element[count++] = (struct pending){
                step, 0, elements.bytes,
                pass->place[instruction].offset + (int64_t)i * elements.bytes, LOADS};
    struct row row = {element, count, residue_of(-pass->place[instruction].offset)};
    if (count && count < elements.count)
        join_row(grouping, &row);
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* In which place of 16 bytes an offset of a key lies, or of as many as are known to be aligned. */
static int64_t place_of(const struct grouping *grouping, int step, int64_t offset)
{
    const struct join_pass *pass = grouping->pass;
    const int key = pass->place[pass->step[step].instruction].key;
    const struct residue known = aligned_in(grouping, key, pass->step[step].block);
    const int64_t bytes = 1 << known.bits < PLACE ? 1 << known.bits : PLACE;
    return (offset + known.rest) & ~(bytes - 1);
}

/* Whether a store ends the group of stores that wait: ptxas collects them for one place, and a store that
 * may overlap one of them, or goes elsewhere, comes behind all. */
static bool clashes(const struct grouping *grouping, int step)
{
    const struct join_pass *pass = grouping->pass;
    const int instruction = pass->step[step].instruction;
    const struct join_place place = pass->place[instruction];
    const int64_t end = place.offset + pass->effects->of[instruction].bytes;
    if (!(grouping->present & STORES))
        return false;
    const int64_t here = place_of(grouping, step, place.offset);
    for (int i = 0; i < grouping->count; i++) {
        const struct pending *other = &grouping->pending[i];
        if (other->group != STORES)
            continue;
        if (other->key != place.key || place_of(grouping, step, other->offset) != here ||
            (place.offset < other->offset + other->bytes && other->offset < end))
            return true;
    }
    return false;
}

static void access(struct grouping *grouping, int step)
{
    struct join_pass *pass = grouping->pass;
    const int instruction = pass->step[step].instruction;
    const struct effect *effect = &pass->effects->of[instruction];
    const bool joins = join_elements_of(pass, instruction).joins &&
                       pass->access[instruction].fate == JOIN_AS_WRITTEN &&
                       !join_is_guarded(pass, instruction) && pass->place[instruction].key >= 0;
    if (pass->access[instruction].fate == JOIN_VANISHES)
        return;
    if (effect->kind == EFFECT_LOAD) {
        if (!effect->constant)
            flush(grouping, STORES);
    } else {
        flush(grouping, LOADS | (!joins || clashes(grouping, step) ? STORES : 0));
    }
    if (joins)
        add_to_group(grouping, step,
                     effect->kind == EFFECT_STORE ? STORES
                     : effect->constant           ? CONSTANTS
                                                  : LOADS);
    else
        alone(grouping, step);
}

static bool is_loop_head(const struct flow *flow, int block)
{
    bool head = false;
    for (int i = 0; i < flow->block[block].from_count; i++)
        head |= dominates(flow, block, flow->block[block].from[i]);
    return head;
}

/* At a block where ways meet again: loads that are on all of them go on waiting, for ptxas loads early what joins with them.
 * What an arm has loaded is joined before, and with it all of its base. */
static void meet(struct grouping *grouping, int step)
{
    enum { MOST_WAITING = 64 };
    const struct join_pass *pass = grouping->pass;
    const int block = pass->step[step].block;
    bool of_arm[MOST_WAITING] = {false};
    int kept = 0, chosen = 0;
    flush(grouping, grouping->count > MOST_WAITING ? ALL : STORES);
    for (int i = 0; i < grouping->count; i++)
        for (int k = 0; k < grouping->count && !of_arm[i]; k++)
            of_arm[i] = grouping->pending[k].key == grouping->pending[i].key &&
                        !dominates(pass->flow, pass->step[grouping->pending[k].step].block, block);
    for (int i = 0; i < grouping->count; i++)
        if (of_arm[i])
            grouping->chosen[chosen++] = grouping->pending[i];
        else
            grouping->pending[kept++] = grouping->pending[i];
    grouping->count = kept;
    join_chosen(grouping, chosen);
}

/* Whether each way to the step's block passes all that is pending. What is only laid out before it does not join: the
 * other arm of a branch. */
static bool all_come_here(const struct grouping *grouping, int step)
{
    const struct join_pass *pass = grouping->pass;
    bool all = true;
    for (int i = 0; i < grouping->count; i++)
        all &= dominates(pass->flow, pass->step[grouping->pending[i].step].block,
                         pass->step[step].block);
    return all;
}

static void walk_steps(struct grouping *grouping)
{
    struct join_pass *pass = grouping->pass;
    for (int i = 0; i < pass->steps; i++) {
        const int instruction = pass->step[i].instruction;
        const struct effect *effect = join_effect(pass, i);
        const bool called =
            effect->kind == EFFECT_CALL && join_touches(pass, instruction, grouping->space, true);
        if (pass->step[i].begins && join_has_one_way_in(pass, i)) /* ptxas loads early what joins
                                                                   * with a load before the branch */
            flush(grouping, all_come_here(grouping, i) ? STORES : ALL);
        else if (pass->step[i].begins && !is_loop_head(pass->flow, pass->step[i].block))
            meet(grouping, i);
        else if (pass->step[i].begins)
            flush(grouping, ALL);
        if (effect->slow || called)
            flush(grouping, ALL);
        if (join_is_plain_access(effect)) {
            if (effect->space == grouping->space)
                access(grouping, i);
        } else if (effect->kind == EFFECT_BARRIER) {
            flush(grouping, ALL);
        } else if (join_touches(pass, instruction, grouping->space, true)) {
            flush(grouping, LOADS | STORES);
        } else if (join_touches(pass, instruction, grouping->space, false)) {
            flush(grouping, STORES);
        }
    }
    flush(grouping, ALL);
}

bool join_group(struct join_pass *pass)
{
    static const enum ptx_space spaces[] = {PTX_SHARED, PTX_GLOBAL};
    struct grouping *grouping = arena_new(pass->scratch, sizeof *grouping);
    if (!grouping)
        return false;
    grouping->pass = pass;
    grouping->proofs = arena_new(pass->scratch, (size_t)pass->keys * sizeof *grouping->proofs);
    if (!grouping->proofs || !add_proofs(grouping))
        return false;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        grouping->space = spaces[i];
        walk_steps(grouping);
    }
    return true;
}
