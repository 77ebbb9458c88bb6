/* join_drop.c - accesses that machine code does not have: loads whose value nobody reads, loads of what
 * was loaded or stored before, stores that are stored over at once.
 *
 * Vectors are taken apart: of four elements those remain that are needed and not there yet. A value is there
 * until something may write to that memory: any store to it, even beside it, a barrier, an atomic
 * operation. Memory that is only read (.nc) does not change.
 */
#include "machine/ptxas/join_pass.h"

struct dropping {
    struct join_pass *pass;
    enum ptx_space space;
    struct join_knowledge *knowledge;
    int last_store; /* of this block, that nothing has read since; -1 */
};

/* ---- loads ----------------------------------------------------------------------------------- */

/* The elements of a load that something reads. */
static uint8_t elements_read(const struct join_pass *pass, int instruction)
{
    const struct ptx_operand *value = pass->effects->of[instruction].value;
    const struct join_elements elements = join_elements_of(pass, instruction);
    uint8_t read = 0;
    if (value->kind != PTX_VECTOR)
        return value->kind == PTX_REG && pass->reads[value->reg];
    for (int i = 0; i < value->elements && i < 8; i++)
        if (value->element[i].kind == PTX_REG && pass->reads[value->element[i].reg])
            read |= (uint8_t)(1 << (elements.count > 1 ? i : 0));
    return read;
}

static void drop_unused(struct join_pass *pass)
{
    for (int i = 0; i < pass->steps; i++) {
        const int instruction = pass->step[i].instruction;
        const struct effect *effect = join_effect(pass, i);
        if (effect->kind != EFFECT_LOAD || effect->fixed)
            continue;
        pass->left[instruction] = elements_read(pass, instruction);
        if (!pass->left[instruction])
            join_vanish(pass, instruction, JOIN_UNUSED);
    }
}

/* The half of a number that is needed, if it is only taken apart: mov.b32 {_, %h2}, %r1. -1: both, or more. */
static int half_read(const struct join_pass *pass, int instruction)
{
    const struct ptx_operand *value = pass->effects->of[instruction].value;
    if (value->kind != PTX_REG || pass->reads[value->reg] != 1)
        return -1;
    const struct ptx_instruction *reader = &pass->body->instruction[pass->reader[value->reg]];
    const struct ptx_operand *parts = reader->operand;
    bool read[2] = {false, false};
    if (!slice_is(reader->opcode, "mov") || parts->kind != PTX_VECTOR || parts->elements != 2)
        return -1;
    for (int i = 0; i < 2; i++)
        read[i] = parts->element[i].kind == PTX_REG && pass->reads[parts->element[i].reg];
    return read[0] == read[1] ? -1 : read[1];
}

static bool narrow(struct join_pass *pass, int instruction)
{
    const int half = half_read(pass, instruction), bytes = pass->effects->of[instruction].bytes / 2;
    if (half >= 0 && bytes >= 2)
        pass->access[instruction] = (struct join_access){
            .fate = JOIN_LEADS, .rule = JOIN_NARROWED, .bytes = bytes, .offset = half * bytes};
    return half >= 0 && bytes >= 2;
}

static void note_load(struct dropping *dropping, int instruction)
{
    struct join_pass *pass = dropping->pass;
    const struct effect *effect = &pass->effects->of[instruction];
    const struct join_elements elements = join_elements_of(pass, instruction);
    const struct join_place place = pass->place[instruction];
    enum join_rule rule = JOIN_NO_RULE;
    for (int i = 0; i < elements.count && place.key >= 0 && !effect->strong; i++) {
        const int64_t offset = place.offset + (int64_t)i * elements.bytes;
        const struct join_known *known =
            join_find(dropping->knowledge, place.key, offset, elements.bytes, effect->constant);
        if (!(pass->left[instruction] & 1 << i))
            continue;
        if (known) {
            pass->left[instruction] &= (uint8_t) ~(1 << i);
            rule = known->stored ? JOIN_FORWARDED : JOIN_REPEATED;
        } else if (!narrow(pass, instruction) && !join_is_guarded(pass, instruction)) {
            join_note(dropping->knowledge, (struct join_known){place.key, offset, elements.bytes,
                                                               effect->constant, false});
        }
    }
    if (pass->left[instruction])
        dropping->last_store = -1;
    else
        join_vanish(pass, instruction, rule);
}

/* ---- stores ---------------------------------------------------------------------------------- */

static void store(struct dropping *dropping, int instruction)
{
    struct join_pass *pass = dropping->pass;
    const struct join_place place = pass->place[instruction];
    const struct effect *effect = &pass->effects->of[instruction];
    const int bytes = effect->bytes, last = dropping->last_store;
    const bool guarded = join_is_guarded(pass, instruction);
    if (last >= 0 && !guarded && pass->place[last].key == place.key &&
        pass->place[last].offset == place.offset && pass->effects->of[last].bytes == bytes &&
        pass->effects->of[last].strong == effect->strong)
        join_vanish(pass, last, JOIN_OVERWRITTEN);
    dropping->last_store = -1;
    if (guarded || place.key < 0)
        return;
    if (!effect->strong)
        join_note(dropping->knowledge,
                  (struct join_known){place.key, place.offset, bytes, false, true});
    dropping->last_store = instruction;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void pass_instruction(struct dropping *dropping, int instruction)
{
    struct join_pass *pass = dropping->pass;
    const struct effect *effect = &pass->effects->of[instruction];
    const int changes = join_changes(pass, instruction, dropping->space);
    join_forget(dropping->knowledge, changes);
    if (pass->access[instruction].fate == JOIN_VANISHES)
        return;
    if (!join_is_plain_access(effect)) {
        if (changes || join_touches(pass, instruction, dropping->space, false))
            dropping->last_store = -1;
    } else if (effect->space == dropping->space) {
        if (effect->kind == EFFECT_LOAD)
            note_load(dropping, instruction);
        else
            store(dropping, instruction);
    }
}

static bool walk_body(struct dropping *dropping)
{
    struct join_pass *pass = dropping->pass;
    for (int i = 0; i < pass->steps; i++) {
        if (pass->step[i].begins) {
            join_enter(dropping->knowledge, i);
            dropping->last_store = -1;
        }
        pass_instruction(dropping, pass->step[i].instruction);
        if ((i + 1 == pass->steps || pass->step[i + 1].begins) &&
            !join_leave(dropping->knowledge, i))
            return false;
    }
    return true;
}

bool join_drop(struct join_pass *pass)
{
    static const enum ptx_space spaces[] = {PTX_SHARED, PTX_GLOBAL};
    pass->left = arena_new(pass->scratch, (size_t)pass->body->instructions);
    if (!pass->left)
        return false;
    drop_unused(pass);
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        struct dropping dropping = {pass, spaces[i], join_knowledge_new(pass, spaces[i]), -1};
        if (!dropping.knowledge || !walk_body(&dropping) || !join_arm(pass, spaces[i]))
            return false;
    }
    return true;
}
