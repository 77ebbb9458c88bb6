/* hash.h - finds the elements of an array by a hash of their keys.
 *
 * The array and the keys are the caller's; the index only knows hashes and the numbers of elements. All zeros is
 * an empty index:
 *
 *     size_t at = 0;
 *     for (uint32_t i; (i = hash_index_next(&index, hash, &at)) != HASH_INDEX_NONE;)
 *         if (row[i] has the key)
 *             return &row[i];
 *     return hash_index_add(&index, hash, rows, "rows", error) ? &row[rows++] : NULL;
 */
#ifndef BANKSCOPE_BASE_HASH_H
#define BANKSCOPE_BASE_HASH_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HASH_INDEX_NONE UINT32_MAX

struct hash_index {
    struct hash_slot {
        uint32_t hash;
        uint32_t number; /* + 1; 0: free */
    } * slot;            /* the first free slot behind its place ends a search */
    size_t room, count;  /* slots, a power of two; elements, at most half as many */
};

/* The number of an element that was added with this hash, each once; HASH_INDEX_NONE: there is no other.
 * *at is 0 for the first; then it says where to go on. */
uint32_t hash_index_next(const struct hash_index *index, uint32_t hash, size_t *at);
/* Adds an element, number < HASH_INDEX_NONE. false: out of memory for `what`; nothing has changed. */
bool hash_index_add(struct hash_index *index, uint32_t hash, uint32_t number, const char *what,
                    struct error *error);
void hash_index_free(struct hash_index *index);

/* A hash of two values: chain it for more. All bits of the result depend on all of both. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

#ifdef __cplusplus
}
#endif
#endif
