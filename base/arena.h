/* arena.h - memory that is freed as a whole, and names that are looked up in it.
 *
 * An arena takes blocks from the caller's allocator and hands out zeroed pieces of them, which are not freed one by
 * one: arena_free frees everything. Where memory is refused a function returns NULL or false; its caller reports that.
 */
#ifndef BANKSCOPE_BASE_ARENA_H
#define BANKSCOPE_BASE_ARENA_H

#include "base/allocator.h"

#include <stdbool.h>
#include <stddef.h>

struct arena {
    struct allocator allocator;
    struct arena_block *last;
    size_t used; /* of the last block */
};
/* `size` zeroed bytes, aligned for anything; NULL: refused. */
void *arena_new(struct arena *arena, size_t size);
/* `size` bytes as they happen to be, aligned for anything; NULL: refused. */
void *arena_room(struct arena *arena, size_t size);
void arena_free(struct arena *arena);
/* Makes room for at least `count` elements of `size` bytes at the pointer whose address is `array`, by doubling it;
 * the elements are copied. New elements are zeroed. false: refused. */
bool arena_grow(struct arena *arena, void *array, int *room, int count, size_t size);

/* A part of a text; not ended by a null byte. */
struct slice {
    const char *at;
    int length;
};
bool slice_is(struct slice slice, const char *text);
bool slice_equal(struct slice a, struct slice b);
bool slice_begins(struct slice slice, const char *text);
/* For "%.*s" of a format. */
#define SLICE(slice) (slice).length, (slice).at

/* What a name stands for, found by the name. Names must outlive it. */
struct names {
    struct name {
        struct slice text;
        void *value;
    } * slot;
    int room, count;
};
/* NULL: there is none. */
void *names_find(const struct names *names, struct slice text);
/* Adds it, or gives it another value. false: refused. */
bool names_set(struct names *names, struct arena *arena, struct slice text, void *value);

#endif
