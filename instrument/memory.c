/* memory.c - one policy for memory: what a program cannot do without, and what may be refused. */
#define _GNU_SOURCE /* strndup */
#include "instrument/instrument.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void memory_exhausted(void)
{
    static const char line[] = "bankscope: out of memory; close other programs or use a larger "
                               "machine\n";
    ssize_t ignored = write(STDERR_FILENO, line, sizeof line - 1); /* stdio may want memory */
    (void)ignored;
    exit(1);
}

static void *memory_for_json(size_t bytes)
{
    void *fresh = malloc(bytes);
    if (!fresh)
        memory_exhausted();
    return fresh;
}

void memory_begin(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){memory_for_json, free});
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

static bool refuse(size_t count, size_t size, const char *what, struct error *error)
{
    return error_set(error, "out of memory for %zu %s (%.0f MiB)", count, what,
                     (double)count * (double)size / (1 << 20));
}

void *memory_array(size_t count, size_t size, const char *what, struct error *error)
{
    void *fresh = calloc(count ? count : 1, size ? size : 1);
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
    grown = __builtin_mul_overflow(wanted, size, &bytes) ? NULL : realloc(grown, bytes);
    if (!grown)
        return refuse(count, size, what, error);
    memcpy(array, &grown, sizeof grown);
    *room = wanted;
    return true;
}
