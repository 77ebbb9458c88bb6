/* memory.c - one policy for memory: what the program cannot do without, and what may be refused. */
#define _GNU_SOURCE /* strndup */
#include "base/memory.h"
#include "base/allocator.h"

#include <stdlib.h>
#include <string.h>

static void (*end_program)(void) = abort;

void memory_on_exhaustion(void (*end)(void))
{
    end_program = end;
}

void memory_exhausted(void)
{
    end_program();
    abort();
}

void *memory_new(size_t count, size_t size)
{
    void *fresh = calloc(count ? count : 1, size ? size : 1);
    if (!fresh)
        memory_exhausted();
    return fresh;
}

char *memory_copy(const char *text)
{
    return memory_copy_of(text ? text : "", text ? strlen(text) : 0);
}

char *memory_copy_of(const char *text, size_t length)
{
    char *copy = strndup(text, length);
    if (!copy)
        memory_exhausted();
    return copy;
}

static _Thread_local bool refusable;

bool memory_may_be_refused(void)
{
    return refusable;
}

static void *resize_on_heap(void *context, void *pointer, size_t old_size, size_t size)
{
    (void)context;
    (void)old_size;
    if (!size)
        return free(pointer), NULL;
    refusable = true;
    void *resized = realloc(pointer, size);
    refusable = false;
    return resized;
}
const struct allocator heap_allocator = {resize_on_heap, NULL};

static bool refuse(size_t count, size_t size, const char *what, struct error *error)
{
    return error_set(error, "out of memory for %zu %s (%.0f MiB)", count, what,
                     (double)count * (double)size / (1 << 20));
}

void *memory_array(size_t count, size_t size, const char *what, struct error *error)
{
    size_t bytes;
    refusable = true;
    void *fresh = __builtin_mul_overflow(count, size, &bytes)
                      ? NULL
                      : calloc(count ? count : 1, size ? size : 1);
    refusable = false;
    if (!fresh)
        refuse(count, size, what, error);
    return fresh;
}

bool memory_grow(void *array, size_t *room, size_t count, size_t size, const char *what,
                 struct error *error)
{
    if (count <= *room)
        return true;
    size_t wanted = *room + *room / 2, bytes;
    if (wanted < count)
        wanted = count < 16 ? 16 : count;
    void *grown;
    memcpy(&grown, array, sizeof grown);
    refusable = true;
    grown = __builtin_mul_overflow(wanted, size, &bytes) ? NULL : realloc(grown, bytes);
    refusable = false;
    if (!grown)
        return refuse(count, size, what, error);
    memcpy(array, &grown, sizeof grown);
    *room = wanted;
    return true;
}
