/* footprint.c - which bytes of global memory a launch, a copy or a set has touched, and whether two of them meet there. */
#include "program/runtime/footprint.h"

#include <stdio.h>
#include <string.h>

enum { MOST_EXTENTS = 1 << 20 /* of one work */ };

void footprint_clear(struct runtime_footprint *footprint)
{
    for (int k = 0; k < MACHINE_TOUCHES; k++)
        runtime_delete(footprint->extent[k]);
    *footprint = (struct runtime_footprint){.partial = false};
}

void runtime_footprint_free(struct runtime_footprint *footprint)
{
    if (footprint)
        footprint_clear(footprint);
    runtime_delete(footprint);
}

size_t footprint_extents(const struct runtime_footprint *footprint)
{
    size_t sum = 0;
    for (int k = 0; k < MACHINE_TOUCHES; k++)
        sum += footprint->count[k];
    return sum;
}

void footprint_add(void *context, enum machine_touch touch, uint64_t address, uint64_t bytes)
{
    struct runtime_footprint *footprint = context;
    const size_t count = footprint->count[touch];
    if (count >= MOST_EXTENTS || !runtime_grow(&footprint->extent[touch], &footprint->room[touch],
                                               count + 1, sizeof **footprint->extent)) {
        footprint->partial = true;
        return;
    }
    footprint->extent[touch][footprint->count[touch]++] = (struct extent){address, bytes};
}

void footprint_copy(struct runtime_footprint *to, const struct runtime_footprint *from)
{
    to->partial = from->partial;
    for (int k = 0; k < MACHINE_TOUCHES; k++) {
        const size_t count = from->count[k];
        if (!count)
            continue;
        if (runtime_grow(&to->extent[k], &to->room[k], count, sizeof **to->extent))
            memcpy(to->extent[k], from->extent[k], count * sizeof **to->extent);
        else
            to->partial = true;
        to->count[k] = to->extent[k] ? count : 0;
    }
}

bool footprint_is_same(const struct runtime_footprint *a, const struct runtime_footprint *b)
{
    for (int k = 0; k < MACHINE_TOUCHES; k++)
        if (a->count[k] != b->count[k] ||
            (a->count[k] && memcmp(a->extent[k], b->extent[k], a->count[k] * sizeof **a->extent)))
            return false;
    return true;
}

/* The first bytes that both have. */
static bool overlap(const struct extent *a, size_t as, const struct extent *b, size_t bs,
                    struct extent *both)
{
    if (!as || !bs || a[as - 1].address + a[as - 1].bytes <= b[0].address ||
        b[bs - 1].address + b[bs - 1].bytes <= a[0].address)
        return false;
    for (size_t i = 0, k = 0; i < as && k < bs;) {
        const uint64_t a_end = a[i].address + a[i].bytes, b_end = b[k].address + b[k].bytes;
        const uint64_t from = a[i].address > b[k].address ? a[i].address : b[k].address;
        const uint64_t to = a_end < b_end ? a_end : b_end;
        if (from < to) {
            *both = (struct extent){from, to - from};
            return true;
        }
        if (a_end <= b_end)
            i++;
        else
            k++;
    }
    return false;
}

bool footprint_has(const struct runtime_footprint *footprint, const struct extent *bytes)
{
    struct extent both;
    bool has = false;
    for (int k = 0; k < MACHINE_TOUCHES && !has; k++)
        has = overlap(footprint->extent[k], footprint->count[k], bytes, 1, &both);
    return has;
}

bool footprint_meets(const struct runtime_footprint *a, const struct runtime_footprint *b,
                     struct footprint_meeting *meeting)
{
    static const bool stores[MACHINE_TOUCHES] = {
        [MACHINE_TOUCH_STORED_STRONG] = true, [MACHINE_TOUCH_STORED] = true};
    static const bool strong[MACHINE_TOUCHES] = {
        [MACHINE_TOUCH_READ_STRONG] = true, [MACHINE_TOUCH_STORED_STRONG] = true};
    for (int i = MACHINE_TOUCHES - 1; i >= 0; i--)
        for (int k = MACHINE_TOUCHES - 1; k >= 0; k--)
            if ((stores[i] || stores[k]) && !(strong[i] && strong[k]) &&
                overlap(a->extent[i], a->count[i], b->extent[k], b->count[k], &meeting->bytes)) {
                meeting->stores = stores[i];
                meeting->stored = stores[k];
                return true;
            }
    return false;
}

void footprint_say(const struct extent *bytes, char *text, size_t room)
{
    const struct machine_range *range =
        machine_memory_find(runtime_begin()->memory, bytes->address);
    const unsigned long long count = bytes->bytes;
    const unsigned long long from = range ? bytes->address - range->address : 0;
    if (range && range->name)
        snprintf(text, room, "%llu bytes from byte %llu of %s", count, from, range->name);
    else
        snprintf(text, room, "%llu bytes from byte %llu of an allocation of %llu bytes", count,
                 from, range ? (unsigned long long)range->bytes : 0);
}
