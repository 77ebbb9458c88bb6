/* join_drop.c - accesses that machine code does not have: loads whose value nobody reads, loads of what the
 * block has loaded or stored before, stores that are stored over at once.
 *
 * Vectors are taken apart: of four elements those remain that are needed and not there yet. A value is there
 * until something may write to that memory: any store to it, even beside it, a barrier, an atomic
 * operation. Memory that is only read (.nc) stays as it is, up to the end of the block.
 */
#include "machine/join_pass.h"

enum { MOST_KNOWN = 256 };

struct known {
    int key;
    int64_t offset;
    int bytes;
    bool constant, stored;
    int instruction;
};
/* Of one space. */
struct dropping {
    struct join_pass *pass;
    enum ptx_space space;
    struct known known[MOST_KNOWN];
    int count, oldest;
    int last_store; /* that nothing has read since; -1 */
};

/* ---- what is there --------------------------------------------------------------------------- */

static void note(struct dropping *dropping, struct known known)
{
    if (dropping->count < MOST_KNOWN) {
        dropping->known[dropping->count++] = known;
        return;
    }
    dropping->known[dropping->oldest] = known;
    dropping->oldest = (dropping->oldest + 1) % MOST_KNOWN;
}

/* Forgets what may have changed. */
static void forget(struct dropping *dropping, bool constant)
{
    int kept = 0;
    for (int i = 0; i < dropping->count && !constant; i++)
        if (dropping->known[i].constant)
            dropping->known[kept++] = dropping->known[i];
    dropping->count = kept;
    dropping->oldest = 0;
    dropping->last_store = -1;
}

static const struct known *find(const struct dropping *dropping, struct join_place place,
                                int64_t offset, int bytes, bool constant)
{
    for (int i = dropping->count - 1; i >= 0; i--) {
        const struct known *known = &dropping->known[i];
        if (known->key == place.key && known->constant == constant && known->offset <= offset &&
            known->offset + known->bytes >= offset + bytes)
            return known;
    }
    return NULL;
}

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

static void vanish(struct join_pass *pass, int instruction, enum join_rule rule)
{
    pass->access[instruction].fate = JOIN_VANISHES;
    pass->access[instruction].rule = rule;
}

static void load(struct dropping *dropping, int instruction)
{
    struct join_pass *pass = dropping->pass;
    const struct effect *effect = &pass->effects->of[instruction];
    const struct join_elements elements = join_elements_of(pass, instruction);
    const struct join_place place = pass->place[instruction];
    enum join_rule rule = JOIN_UNUSED;
    uint8_t left = elements_read(pass, instruction);
    for (int i = 0; i < elements.count && place.key >= 0; i++) {
        const int64_t offset = place.offset + (int64_t)i * elements.bytes;
        const struct known *known = find(dropping, place, offset, elements.bytes, effect->constant);
        if (!(left & 1 << i))
            continue;
        if (known) {
            left &= (uint8_t) ~(1 << i);
            rule = known->stored ? JOIN_FORWARDED : JOIN_REPEATED;
        } else if (!join_is_guarded(pass, instruction)) {
            note(dropping, (struct known){place.key, offset, elements.bytes, effect->constant,
                                          false, instruction});
        }
    }
    pass->left[instruction] = left;
    if (left)
        dropping->last_store = -1;
    else
        vanish(pass, instruction, rule);
}

/* ---- stores ---------------------------------------------------------------------------------- */

static void store(struct dropping *dropping, int instruction)
{
    struct join_pass *pass = dropping->pass;
    const struct join_place place = pass->place[instruction];
    const int bytes = pass->effects->of[instruction].bytes, last = dropping->last_store;
    const bool guarded = join_is_guarded(pass, instruction);
    if (last >= 0 && !guarded && pass->place[last].key == place.key &&
        pass->place[last].offset == place.offset && pass->effects->of[last].bytes == bytes)
        vanish(pass, last, JOIN_OVERWRITTEN);
    forget(dropping, false);
    if (guarded || place.key < 0)
        return;
    note(dropping, (struct known){place.key, place.offset, bytes, false, true, instruction});
    dropping->last_store = instruction;
}

static void walk(struct dropping *dropping)
{
    struct join_pass *pass = dropping->pass;
    for (int i = 0; i < pass->steps; i++) {
        const int instruction = pass->step[i].instruction;
        const struct effect *effect = join_effect(pass, i);
        if (pass->step[i].begins)
            forget(dropping, true);
        if (join_is_plain_access(effect)) {
            if (effect->space != dropping->space)
                continue;
            if (effect->kind == EFFECT_LOAD)
                load(dropping, instruction);
            else
                store(dropping, instruction);
        } else if (join_touches(pass, instruction, dropping->space, true)) {
            forget(dropping, effect->kind == EFFECT_CALL);
        } else if (join_touches(pass, instruction, dropping->space, false)) {
            dropping->last_store = -1;
        }
    }
}

bool join_drop(struct join_pass *pass)
{
    static const enum ptx_space spaces[] = {PTX_SHARED, PTX_GLOBAL};
    struct dropping *dropping = arena_new(pass->scratch, sizeof *dropping);
    pass->left = arena_new(pass->scratch, (size_t)pass->body->instructions);
    if (!dropping || !pass->left)
        return false;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        *dropping = (struct dropping){.pass = pass, .space = spaces[i], .last_store = -1};
        walk(dropping);
    }
    return true;
}
