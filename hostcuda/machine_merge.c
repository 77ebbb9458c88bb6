/* machine_merge.c - accesses of a run that nvcc has as one: merged. */
#include "hostcuda/machine.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 512 }; /* accesses among which neighbours are looked for */

/* ---- finding accesses of a run ----------------------------------------------------------------- */

static size_t key_of(const struct item *item, int64_t addr)
{
    uint64_t hash = (uint64_t)addr * UINT64_C(0x9e3779b97f4a7c15);
    hash ^=
        ((uint64_t)item->access.mask << 8 | (uint64_t)item->bytes << 2 | item->access.operation) *
        UINT64_C(0xbf58476d1ce4e5b9);
    return (size_t)(hash >> 20);
}

static bool same_key(const struct item *a, const struct item *b, int64_t addr)
{
    return b->access.mask == a->access.mask && b->bytes == a->bytes &&
           b->access.operation == a->access.operation && b->addr == addr;
}

/* The place in `key` of what is like the item, with that address in the first lane. */
static uint32_t *find_key(const struct machine *machine, const struct item *like, int64_t addr)
{
    size_t at = key_of(like, addr);
    for (;; at++) {
        uint32_t *key = &machine->key[at % machine->key_room];
        if (!*key || same_key(like, &machine->item[*key - 1], addr))
            return key;
    }
}

static void index_items(struct machine *machine)
{
    size_t room = 64;
    while (room < 2 * machine->items + 2)
        room *= 2;
    if (room > machine->key_room) {
        free(machine->key);
        free(machine->cursor);
        machine->key = memory_new(room, sizeof *machine->key);
        machine->cursor = memory_new(room, sizeof *machine->cursor);
        machine->key_room = room;
    } else {
        memset(machine->key, 0, machine->key_room * sizeof *machine->key);
    }
    for (size_t i = machine->items; i-- > 0;) {
        struct item *item = &machine->item[i];
        uint32_t *key = find_key(machine, item, item->addr);
        item->next = *key;
        *key = (uint32_t)i + 1;
        machine->cursor[key - machine->key] = *key;
    }
}

/* The next item behind `from` that does the same `apart` bytes further in every lane and is not yet
 * part of another, or SIZE_MAX. */
static size_t find_apart(const struct machine *machine, size_t from, int64_t apart)
{
    const struct item *item = &machine->item[from];
    uint32_t *key = find_key(machine, item, item->access.addr[0] + apart);
    if (!*key)
        return SIZE_MAX;
    uint32_t *cursor = &machine->cursor[key - machine->key];
    while (*cursor && *cursor - 1 < from)
        *cursor = machine->item[*cursor - 1].next;
    for (uint32_t at = *cursor; at && at - 1 <= from + WINDOW; at = machine->item[at - 1].next) {
        const struct item *other = &machine->item[at - 1];
        bool same = at - 1 > from && other->state == STAYS;
        for (int i = 0; i < item->lanes && same; i++)
            same = other->access.addr[i] == item->access.addr[i] + apart;
        if (same)
            return at - 1;
    }
    return SIZE_MAX;
}

/* Whether between two items (without them and the other parts of what they are to become) something
 * touches bytes from `low` to before `high` that must not move over `op`. */
static bool is_between(const struct machine *machine, const size_t *part, int parts, size_t first,
                       size_t last, int64_t low, int64_t high, enum op op)
{
    for (size_t k = first + 1; k < last; k++) {
        const struct item *item = &machine->item[k];
        bool own = op == OP_LOAD && item->access.operation == OP_LOAD;
        for (int i = 0; i < parts && !own; i++)
            own = part[i] == k;
        if (own)
            continue;
        if (item->state == GONE && item->access.operation == op)
            continue;
        for (int i = 0; i < item->lanes; i++)
            if (item->access.addr[i] < high && item->access.addr[i] + item->access.bytes > low)
                return true;
    }
    return false;
}

static int64_t lowest(const struct item *item)
{
    int64_t low = item->access.addr[0];
    for (int i = 1; i < item->lanes; i++)
        low = item->access.addr[i] < low ? item->access.addr[i] : low;
    return low;
}

static int64_t highest(const struct item *item)
{
    int64_t high = item->access.addr[0];
    for (int i = 1; i < item->lanes; i++)
        high = item->access.addr[i] > high ? item->access.addr[i] : high;
    return high;
}

/* ---- merging --------------------------------------------------------------------------------- */

/* Whether nvcc has an instruction of W bytes for the line whose neighbours are recorded, too, and that
 * the lanes may still run. */
static bool has_wide(const struct machine *machine, struct made *made, int width,
                     const struct item *item, int64_t begin)
{
    if (!made->looped &&
        have_reached(item, in_run(machine, made)->joined,
                     (uint32_t)made->wide_count[__builtin_ctz((unsigned)width)], true))
        return false;
    for (size_t i = 0; i < made->wides; i++) {
        const struct wide *wide = &made->wide[i];
        bool there = wide->bytes == width;
        for (int k = 0; k < wide->siblings && there; k++)
            there = *find_key(machine, item, begin + wide->sibling[k]) != 0;
        if (there)
            return true;
    }
    return false;
}

/* Item `to` becomes the access of all `width` bytes, whose parts are `part`. */
static void join(struct machine *machine, const size_t *part, int parts, size_t to,
                 struct made *made, int width)
{
    struct item *item = &machine->item[to];
    struct item first = machine->item[part[0]];
    int64_t value[RECORD_WARP] = {0};
    int bytes = first.access.bytes;
    bool values = true;
    for (int k = 0; k < parts; k++) {
        const struct item *from = &machine->item[part[k]];
        values &= from->values;
        for (int i = 0; i < first.lanes && k * bytes < 8; i++) {
            uint64_t mask = bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
            value[i] |= (int64_t)(((uint64_t)from->value[i] & mask) << 8 * k * bytes);
        }
    }
    for (int k = 0; k < parts; k++) {
        struct item *from = &machine->item[part[k]];
        if (from->made == made) /* the line is that of the wide instruction */
            item->access.pc = from->access.pc;
        from->state = GONE;
    }
    memcpy(item->access.addr, first.access.addr, sizeof first.access.addr);
    memcpy(item->value, value, sizeof value);
    item->values = values;
    item->access.bytes = (uint8_t)width;
    item->made = made;
    item->state = WIDENED;
    made->changed += (uint64_t)parts;
    made->paired = true;
    count_one(item, in_run(machine, made)->joined);
}

/* Makes one access of `width` bytes of an item and those that follow. */
static bool merge(struct machine *machine, size_t index, int width)
{
    const struct item *item = &machine->item[index];
    int bytes = item->access.bytes, parts = width / bytes;
    int64_t within = item->access.addr[0] & (uint32_t)(width - 1);
    size_t part[16], first = index, last = index;
    struct made *made = NULL;
    for (int i = 1; i < item->lanes; i++)
        if ((item->access.addr[i] & (uint32_t)(width - 1)) != within)
            return false;
    if (within % bytes)
        return false;
    for (int k = 0; k < parts; k++) {
        part[k] = k == within / bytes ? index : find_apart(machine, index, k * bytes - within);
        if (part[k] == SIZE_MAX)
            return false;
        last = part[k] > last ? part[k] : last;
    }
    int64_t begin = item->access.addr[0] - within;
    for (int k = 0; k < parts && !made; k++)
        if (has_wide(machine, machine->item[part[k]].made, width, item, begin))
            made = machine->item[part[k]].made;
    if (!made || is_between(machine, part, parts, first, last, lowest(item) - within,
                            highest(item) - within + width, (enum op)item->access.operation))
        return false;
    join(machine, part, parts, item->access.operation == OP_STORE ? last : first, made, width);
    return true;
}

/* Where nvcc has put the variable that an item accesses: `*offset` from a uniform register. This is known
 * of a variable that some line accesses alone, with one instruction. */
static bool find_variable(const struct machine *machine, const struct item *item, int uniform,
                          int32_t *offset)
{
    bool found = false;
    *offset = 0;
    for (size_t i = 0; i < machine->now->mades; i++) {
        const struct made *made = machine->now->made[i];
        if (!made->absolute || made->several || made->seen != made->absolute->bytes ||
            made->addr != item->access.addr[0] || made->absolute->uniform != uniform)
            continue;
        if (found && *offset != made->absolute->offset)
            return false;
        found = true;
        *offset = made->absolute->offset;
    }
    return found;
}

/* Whether two variables, which do not lie side by side here, are within the bytes that nvcc's only
 * instruction of the line loads. */
static bool are_side_by_side(const struct machine *machine, const struct item *item,
                             const struct item *other)
{
    const struct cubin_access *wide = item->made->absolute;
    int32_t own, its;
    return wide && wide->bytes == 8 && is_one_word(item) && is_one_word(other) &&
           find_variable(machine, item, wide->uniform, &own) &&
           find_variable(machine, other, wide->uniform, &its) && own != its &&
           own >= wide->offset && own < wide->offset + wide->bytes && its >= wide->offset &&
           its < wide->offset + wide->bytes;
}

/* Whether each lane of the second one has an address in the window of its own, in the first one. */
static bool is_in_window(const struct item *item, const struct item *other, int width)
{
    for (int i = 0, own = 0; i < other->lanes; i++) {
        while (item->lane[own] != other->lane[i])
            own++;
        uint32_t begin = item->access.addr[own] & ~(uint32_t)(width - 1);
        if (other->access.addr[i] - begin >= (uint32_t)width ||
            other->access.addr[i] == item->access.addr[own])
            return false;
    }
    return true;
}

/* Whether the aligned bytes around an item's belong to the same arrays. */
static bool has_room(const struct machine *machine, const struct item *item, int width)
{
    for (int i = 0; i < item->lanes; i++) {
        uint32_t begin = item->access.addr[i] & ~(uint32_t)(width - 1);
        uint32_t last = begin + (uint32_t)width - 1;
        if (begin >= RECORD_DYNAMIC
                ? last - RECORD_DYNAMIC >= machine->dynamic_bytes
                : lines_array(machine->lines, begin) < 0 ||
                      lines_array(machine->lines, begin) != lines_array(machine->lines, last))
            return false;
    }
    return true;
}

/* All loads of the line are of one width: so is this one, and what lanes of it load of the same bytes
 * afterwards is part of it. */
static void widen(struct machine *machine, size_t index)
{
    struct item *item = &machine->item[index];
    struct made *made = item->made;
    int width = made->widths;
    bool found = false, apart = false;
    if (!made->looped &&
        have_reached(item, in_run(machine, made)->joined, (uint32_t)made->count, true))
        return;
    for (size_t k = index + 1; k < machine->items && k <= index + WINDOW; k++) {
        struct item *other = &machine->item[k];
        if (other->access.operation != OP_LOAD || other->state != STAYS ||
            other->access.bytes != item->access.bytes || other->access.mask & ~item->access.mask)
            continue;
        bool beside = are_side_by_side(machine, item, other);
        if ((!beside && !is_in_window(item, other, width)) ||
            is_between(machine, NULL, 0, index, k, lowest(other),
                       highest(other) + other->access.bytes, OP_LOAD))
            continue;
        other->state = GONE;
        found = true;
        apart |= beside;
    }
    if (!found && !made->paired)
        return;
    /* Two variables that lie apart here are one pass, as one of them is. */
    if (!apart && has_room(machine, item, width)) {
        for (int i = 0; i < item->lanes; i++)
            item->access.addr[i] &= ~(uint32_t)(width - 1);
        item->access.bytes = (uint8_t)width;
        item->values = false;
    }
    item->state = WIDENED;
    made->changed++;
    made->paired = true;
    count_one(item, made->joined);
}

/* Whether some of an access's lanes go on to what is next to it, and others do not: then nvcc's code,
 * which takes several steps of a loop at once, runs with lanes that are at different steps. */
static bool is_parting(const struct machine *machine, size_t index)
{
    const struct item *item = &machine->item[index], *next = NULL;
    for (size_t k = index + 1; k < machine->items && k <= index + 4 * NEAR && !next; k++)
        if (machine->item[k].access.pc == item->access.pc)
            next = &machine->item[k];
    if (!next || next->access.mask == item->access.mask || next->access.mask & ~item->access.mask)
        return false;
    for (int i = 0, own = 0; i < next->lanes; i++) {
        while (item->lane[own] != next->lane[i])
            own++;
        if (next->access.addr[i] != item->access.addr[own] + item->access.bytes)
            return false;
    }
    return true;
}

void machine_merge(struct machine *machine)
{
    const struct code *code = machine->now;
    bool wanted = false;
    for (size_t i = 0; i < machine->items && !wanted; i++) {
        const struct item *item = &machine->item[i];
        wanted = item->made && code->widths[item->made->op] >= 2 * item->access.bytes;
    }
    if (!wanted)
        return;
    index_items(machine);
    for (size_t i = 0; i < machine->items; i++) {
        struct item *item = &machine->item[i];
        if (!item->made || item->state != STAYS)
            continue;
        const struct made *made = item->made;
        bool done = false;
        for (int width = 16; width > item->access.bytes && !done; width /= 2)
            done = code->widths[made->op] & width && merge(machine, i, width);
        if (!done && made->op == OP_LOAD && one_bit(made->widths) &&
            made->widths > item->access.bytes && !(made->seen & made->widths))
            widen(machine, i);
        if (item->state == STAYS && made->widths >= 2 * item->access.bytes && made->looped)
            item->made->parting |= is_parting(machine, i);
    }
}
