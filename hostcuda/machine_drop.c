/* machine_drop.c - accesses of a run that nvcc has none of, and loads that only nvcc has: dropped and
 * added. */
#include "hostcuda/machine.h"

#include <stdlib.h>

enum {
    MEMORY = 4096, /* accesses among which an earlier or later one to the same place is */
    GIVE_UP = 256, /* times without success, and an access is no longer looked at */
};

/* The lanes of a load that have not loaded or stored these bytes before in the run, or to whose bytes
 * another lane has stored since. */
static uint32_t unknown_lanes(const struct machine *machine, size_t index)
{
    const struct item *item = &machine->item[index];
    uint32_t missing = item->access.mask;
    for (size_t back = 1; missing && back <= index && back <= MEMORY; back++) {
        const struct item *from = &machine->item[index - back];
        enum op op = (enum op)from->access.operation;
        bool writes = op != OP_LOAD && op != OP_MATRIX_LOAD;
        if (!writes && !(from->access.mask & missing))
            continue;
        for (int i = 0; i < item->lanes && missing; i++) {
            if (!(missing >> item->lane[i] & 1))
                continue;
            uint32_t addr = item->access.addr[i], end = addr + item->access.bytes;
            for (int k = 0; k < from->lanes; k++) {
                uint32_t begin = from->access.addr[k];
                bool own = from->lane[k] == item->lane[i];
                bool touches = begin < end && addr < begin + from->access.bytes;
                if (touches && writes && !own)
                    return missing;
                if (own && touches && op <= OP_STORE && begin <= addr &&
                    end <= begin + from->access.bytes)
                    missing &= ~(UINT32_C(1) << item->lane[i]);
                else if (own && touches && writes)
                    return missing;
            }
        }
    }
    return missing;
}

/* Whether every lane of a store stores to the same bytes again in the run, and nobody reads them
 * before. */
static bool is_overwritten(const struct machine *machine, size_t index)
{
    const struct item *item = &machine->item[index];
    uint32_t missing = item->access.mask;
    for (size_t next = index + 1; missing && next < machine->items && next <= index + MEMORY;
         next++) {
        const struct item *from = &machine->item[next];
        if (from->access.operation == OP_LOAD && from->state == GONE)
            continue;
        for (int i = 0; i < item->lanes && missing; i++) {
            if (!(missing >> item->lane[i] & 1))
                continue;
            uint32_t addr = item->access.addr[i], end = addr + item->access.bytes;
            for (int k = 0; k < from->lanes; k++) {
                uint32_t begin = from->access.addr[k];
                if (begin >= end || addr >= begin + from->access.bytes)
                    continue;
                if (from->access.operation != OP_STORE || from->lane[k] != item->lane[i] ||
                    begin > addr || end > begin + from->access.bytes)
                    return false;
                missing &= ~(UINT32_C(1) << item->lane[i]);
            }
        }
    }
    return !missing;
}

/* The nearest load before an item that lanes, which have not had its value, must have run with others:
 * on a line nearby that has an instruction. SIZE_MAX: none. */
static size_t find_host(const struct machine *machine, size_t index, uint32_t lanes)
{
    const struct item *item = &machine->item[index];
    for (size_t back = 1; back <= index && back <= 4 * NEAR; back++) {
        const struct item *other = &machine->item[index - back];
        if (other->made && other->state == STAYS && other->access.operation == OP_LOAD &&
            other->access.bytes == item->access.bytes && !(other->access.mask & lanes) &&
            other->made->count && other->made->file == item->made->file &&
            abs(other->made->line - item->made->line) <= NEAR)
            return index - back;
    }
    return SIZE_MAX;
}

/* Lanes of an item take part in another one. */
static void take_part(struct machine *machine, size_t index, uint32_t lanes, size_t in)
{
    const struct item *from = &machine->item[index];
    struct item *to = &machine->item[in], before = *to;
    const struct item *const sources[] = {&before, from};
    to->lanes = 0;
    to->access.mask |= lanes;
    to->values = before.values && from->values;
    for (int lane = 0, at[2] = {0, 0}; lane < RECORD_WARP; lane++) {
        int which = lanes >> lane & 1;
        for (int k = 0; k < 2; k++)
            while (at[k] < sources[k]->lanes && sources[k]->lane[at[k]] < lane)
                at[k]++;
        if (!(to->access.mask >> lane & 1))
            continue;
        to->lane[to->lanes] = (uint8_t)lane;
        to->access.addr[to->lanes] = sources[which]->access.addr[at[which]];
        to->value[to->lanes++] = sources[which]->value[at[which]];
    }
}

/* A load: is it done without an instruction of its own? */
static bool is_dropped(struct machine *machine, size_t index)
{
    struct item *item = &machine->item[index];
    struct made *made = item->made;
    bool run = !made->looped &&
               have_reached(item, in_run(machine, made)->times, (uint32_t)made->count, false);
    if (item->state != STAYS || made->op != OP_LOAD || (made->count && !run) ||
        made->missed >= GIVE_UP)
        return false;
    uint32_t lanes = unknown_lanes(machine, index);
    size_t host = lanes && !made->count ? find_host(machine, index, lanes) : SIZE_MAX;
    if (host != SIZE_MAX)
        take_part(machine, index, lanes, host);
    made->missed += lanes && host == SIZE_MAX;
    return !lanes || host != SIZE_MAX;
}

void machine_drop(struct machine *machine)
{
    for (size_t i = 0; i < machine->items; i++) {
        struct item *item = &machine->item[i];
        if (!item->made || item->state == GONE)
            continue;
        if (is_dropped(machine, i)) {
            item->state = GONE;
            item->made->changed++;
        } else {
            count_one(item, in_run(machine, item->made)->times);
        }
    }
    for (size_t i = 0; i < machine->items; i++) {
        struct item *item = &machine->item[i];
        struct made *made = item->made;
        if (!made || item->state != STAYS || made->op != OP_STORE || made->count ||
            made->missed >= GIVE_UP)
            continue;
        if (is_overwritten(machine, i)) {
            item->state = GONE;
            made->changed++;
        } else {
            made->missed++;
        }
    }
}

bool machine_adds_load(const struct code *code, const struct item *item)
{
    const struct made *stores = item->made;
    if (!stores || stores->op != OP_STORE || !stores->reread)
        return false;
    for (size_t i = 0; i < code->mades; i++) {
        const struct made *made = code->made[i];
        if (made->op != OP_LOAD || made->file != stores->file)
            continue;
        if (made->line == stores->line
                ? made->seen
                : made->seen && !made->count && abs(made->line - stores->line) <= NEAR)
            return false;
    }
    return true;
}
