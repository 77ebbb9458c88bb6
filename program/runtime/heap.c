/* heap.c - memory of the runtime and of the machine, taken from the system and not from the program's
 * malloc: what that returns, and what is in it, must not depend on who watches.
 *
 * A piece has 16 bytes in front of it with the power of two that it was cut as. Freed pieces wait in a list
 * for their size; those from 64 MiB on go back to the system. Pages that are never touched cost nothing, so
 * large pieces are cut generously.
 */
#define _GNU_SOURCE
#include "program/runtime/runtime.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum { HEAD = 16, SMALLEST = 6, LARGEST = 26, CUT = 20 /* powers of two */ };

struct piece {
    uint64_t power; /* it has 1 << power bytes, the head included */
    struct piece *next;
};

static struct {
    pthread_mutex_t lock;
    struct piece *freed[LARGEST];
    char *at, *end; /* from which small pieces are cut */
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *map(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static uint64_t power_for(size_t bytes)
{
    uint64_t power = SMALLEST;
    while (power < 63 && ((uint64_t)1 << power) < bytes)
        power++;
    return power;
}

static struct piece *new_piece(uint64_t power)
{
    size_t bytes = (size_t)1 << power;
    if (power >= CUT)
        return map(bytes);
    if ((size_t)(heap.end - heap.at) < bytes) {
        char *more = map((size_t)1 << CUT);
        if (!more)
            return NULL;
        heap.at = more;
        heap.end = more + ((size_t)1 << CUT);
    }
    struct piece *piece = (struct piece *)(void *)heap.at;
    heap.at += bytes;
    return piece;
}

/* A piece for so many bytes, not cleared; *fresh: it is zeros. */
static void *take_piece(size_t bytes, bool *fresh)
{
    if (bytes > SIZE_MAX / 4)
        return NULL;
    uint64_t power = power_for(bytes + HEAD);
    pthread_mutex_lock(&heap.lock);
    struct piece *piece = power < LARGEST ? heap.freed[power] : NULL;
    *fresh = !piece;
    if (piece)
        heap.freed[power] = piece->next;
    else
        piece = new_piece(power);
    pthread_mutex_unlock(&heap.lock);
    if (!piece)
        return NULL;
    piece->power = power;
    piece->next = NULL;
    return (char *)piece + HEAD;
}

static struct piece *piece_of(void *at)
{
    return (struct piece *)(void *)((char *)at - HEAD);
}

void *runtime_new(size_t bytes)
{
    bool fresh;
    void *at = take_piece(bytes, &fresh);
    if (at && !fresh)
        memset(at, 0, bytes);
    return at;
}

void runtime_delete(void *at)
{
    if (!at)
        return;
    struct piece *piece = piece_of(at);
    if (piece->power >= LARGEST) {
        munmap(piece, (size_t)1 << piece->power);
        return;
    }
    pthread_mutex_lock(&heap.lock);
    piece->next = heap.freed[piece->power];
    heap.freed[piece->power] = piece;
    pthread_mutex_unlock(&heap.lock);
}

void *runtime_resize(void *at, size_t bytes)
{
    bool fresh;
    if (!at)
        return take_piece(bytes, &fresh);
    size_t has = ((size_t)1 << piece_of(at)->power) - HEAD;
    if (bytes <= has)
        return at;
    void *more = take_piece(bytes, &fresh);
    if (more) {
        memcpy(more, at, has);
        runtime_delete(at);
    }
    return more;
}

static void *resize(void *context, void *pointer, size_t old_size, size_t size)
{
    (void)context, (void)old_size;
    if (size)
        return runtime_resize(pointer, size);
    runtime_delete(pointer);
    return NULL;
}

const struct allocator runtime_allocator = {resize, NULL};

bool runtime_grow(void *array, size_t *room, size_t count, size_t size)
{
    char *at;
    memcpy(&at, array, sizeof at);
    if (count <= *room)
        return true;
    size_t more = *room ? *room : 8;
    while (more < count)
        more *= 2;
    at = runtime_resize(at, more * size);
    if (!at)
        return false;
    memset(at + *room * size, 0, (more - *room) * size);
    memcpy(array, &at, sizeof at);
    *room = more;
    return true;
}
