/* kept.c - lists of memory that is not in use. */
#include "base/kept.h"

#include <stdbool.h>

char *kept_take(struct kept *kept, size_t bytes)
{
    char *memory = NULL;
    if (atomic_flag_test_and_set_explicit(&kept->busy, memory_order_acquire))
        return NULL;
    for (int i = kept->count - 1; i >= 0 && !memory; i--)
        if (kept->piece[i].bytes == bytes) {
            memory = kept->piece[i].memory;
            kept->piece[i] = kept->piece[--kept->count];
        }
    atomic_flag_clear_explicit(&kept->busy, memory_order_release);
    return memory;
}

char *kept_give(struct kept *kept, char *memory, size_t *bytes)
{
    if (atomic_flag_test_and_set_explicit(&kept->busy, memory_order_acquire))
        return memory;
    bool full = kept->count == kept->most;
    int place = full ? (int)(kept->turn++ % (unsigned)kept->most) : kept->count++;
    char *other = full ? kept->piece[place].memory : NULL;
    size_t others = kept->piece[place].bytes;
    kept->piece[place].memory = memory;
    kept->piece[place].bytes = *bytes;
    *bytes = others;
    atomic_flag_clear_explicit(&kept->busy, memory_order_release);
    return other;
}
