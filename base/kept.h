/* kept.h - mapped memory that is not in use, kept for the next time.
 *
 * The system takes longer to map and unmap a little memory than a small kernel takes to run. A thread
 * that finds the list busy does without it, so that no thread waits, and no process that is forked at that moment does.
 */
#ifndef BANKSCOPE_BASE_KEPT_H
#define BANKSCOPE_BASE_KEPT_H

#include <stdatomic.h>
#include <stddef.h>

/* One list for each kind of memory: static struct kept kept = {ATOMIC_FLAG_INIT, .most = 16}; */
struct kept {
    atomic_flag busy;
    int most, count; /* pieces */
    unsigned turn;   /* the piece that the next one replaces when there are `most` */
    struct {
        char *memory;
        size_t bytes;
    } piece[1024];
};

/* A piece of exactly so many bytes, as it was left, now the caller's; NULL: there is none. */
char *kept_take(struct kept *kept, size_t bytes);
/* Keeps a piece. Returns what the caller must unmap, of *bytes: nothing (NULL), another, or this one. */
char *kept_give(struct kept *kept, char *memory, size_t *bytes);

#endif
