/* hash.c - an open hash table, probed slot after slot. */
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

static size_t free_slot(const struct hash_slot *slot, size_t room, uint32_t hash)
{
    size_t i = hash & (room - 1);
    while (slot[i].number)
        i = (i + 1) & (room - 1);
    return i;
}

uint32_t hash_index_next(const struct hash_index *index, uint32_t hash, size_t *at)
{
    if (!index->room)
        return HASH_INDEX_NONE;
    for (;; ++*at) {
        const struct hash_slot *slot = &index->slot[(hash + *at) & (index->room - 1)];
        if (!slot->number)
            return HASH_INDEX_NONE;
        if (slot->hash == hash) {
            ++*at;
            return slot->number - 1;
        }
    }
}

static bool grow_index(struct hash_index *index, const char *what, struct error *error)
{
    size_t room = index->room ? 2 * index->room : 64;
    struct hash_slot *slot = memory_array(room, sizeof *slot, what, error);
    if (!slot)
        return false;
    for (size_t i = 0; i < index->room; i++)
        if (index->slot[i].number)
            slot[free_slot(slot, room, index->slot[i].hash)] = index->slot[i];
    free(index->slot);
    index->slot = slot;
    index->room = room;
    return true;
}

bool hash_index_add(struct hash_index *index, uint32_t hash, uint32_t number, const char *what,
                    struct error *error)
{
    if (2 * (index->count + 1) > index->room && !grow_index(index, what, error))
        return false;
    index->slot[free_slot(index->slot, index->room, hash)] = (struct hash_slot){hash, number + 1};
    index->count++;
    return true;
}

void hash_index_free(struct hash_index *index)
{
    free(index->slot);
    *index = (struct hash_index){.room = 0};
}
