/* arena.c - memory that is freed as a whole, and names that are looked up in it. */
#include "base/arena.h"

#include <stdint.h>
#include <string.h>

#ifndef ARENA_BLOCK /* tests include this with 0: each piece is requested by itself */
#define ARENA_BLOCK (64 * 1024)
#endif

enum { BLOCK = ARENA_BLOCK, UNIT = 16 };

struct arena_block {
    struct arena_block *before;
    size_t size; /* of all of it */
};

static size_t rounded(size_t size)
{
    return (size + UNIT - 1) / UNIT * UNIT;
}

void *arena_room(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX / 4)
        return NULL;
    size = rounded(size ? size : 1);
    if (!arena->last || arena->last->size - arena->used < size) {
        const size_t head = rounded(sizeof(struct arena_block));
        size_t room = head + size > BLOCK ? head + size : BLOCK;
        struct arena_block *block =
            arena->allocator.resize(arena->allocator.context, NULL, 0, room);
        if (!block)
            return NULL;
        block->before = arena->last;
        block->size = room;
        arena->last = block;
        arena->used = head;
    }
    void *piece = (char *)arena->last + arena->used;
    arena->used += size;
    return piece;
}

void *arena_new(struct arena *arena, size_t size)
{
    void *piece = arena_room(arena, size);
    return piece ? memset(piece, 0, size ? size : 1) : NULL;
}

void arena_free(struct arena *arena)
{
    while (arena->last) {
        struct arena_block *block = arena->last;
        arena->last = block->before;
        arena->allocator.resize(arena->allocator.context, block, block->size, 0);
    }
    arena->used = 0;
}

bool arena_grow(struct arena *arena, void *array, int *room, int count, size_t size)
{
    void *old;
    memcpy(&old, array, sizeof old);
    if (count <= *room)
        return true;
    int wanted = *room ? *room : 8;
    while (wanted < count)
        wanted = wanted > INT32_MAX / 2 ? count : 2 * wanted;
    void *fresh = arena_new(arena, (size_t)wanted * size);
    if (!fresh)
        return false;
    if (*room)
        memcpy(fresh, old, (size_t)*room * size);
    memcpy(array, &fresh, sizeof fresh);
    *room = wanted;
    return true;
}

bool slice_is(struct slice slice, const char *text)
{
    for (int i = 0; i < slice.length; i++)
        if (!text[i] || text[i] != slice.at[i])
            return false;
    return !text[slice.length];
}

bool slice_equal(struct slice a, struct slice b)
{
    return a.length == b.length && !memcmp(a.at, b.at, (size_t)a.length);
}

bool slice_begins(struct slice slice, const char *text)
{
    size_t length = strlen(text);
    return (size_t)slice.length >= length && !memcmp(slice.at, text, length);
}

static uint32_t hash(struct slice text)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (int i = 0; i < text.length; i++)
        h = (h ^ (uint8_t)text.at[i]) * 16777619u;
    return h;
}

/* The slot that a name has, or would have. */
static struct name *slot_of(const struct names *names, struct slice text)
{
    uint32_t i = hash(text) & (uint32_t)(names->room - 1);
    while (names->slot[i].text.at && !slice_equal(names->slot[i].text, text))
        i = (i + 1) & (uint32_t)(names->room - 1);
    return &names->slot[i];
}

void *names_find(const struct names *names, struct slice text)
{
    return names->room ? slot_of(names, text)->value : NULL;
}

bool names_set(struct names *names, struct arena *arena, struct slice text, void *value)
{
    if (2 * (names->count + 1) > names->room) {
        struct names larger = {.room = names->room ? 2 * names->room : 16};
        larger.slot = arena_new(arena, (size_t)larger.room * sizeof *larger.slot);
        if (!larger.slot)
            return false;
        for (int i = 0; i < names->room; i++)
            if (names->slot[i].text.at)
                *slot_of(&larger, names->slot[i].text) = names->slot[i];
        larger.count = names->count;
        *names = larger;
    }
    struct name *slot = slot_of(names, text);
    names->count += !slot->text.at;
    *slot = (struct name){text, value};
    return true;
}
