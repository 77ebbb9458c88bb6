/* failing_malloc.c - loaded before a program, lets one of its allocations fail.
 *
 *   FAIL_AT=N      the N-th call of malloc, calloc, realloc and their like returns NULL, as do all
 *                  after it where FAIL_ON is set, too
 *   FAIL_COUNT=F   at the end the number of calls is written to file F
 *
 * Only calls in the process that was started count, not those of its children.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);

static atomic_long calls, fail_at = -1;
static int fail_on;

static int fails(void)
{
    if (fail_at < 0)
        return 0;
    long call = ++calls;
    if (!fail_at || (fail_on ? call < fail_at : call != fail_at))
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(old, bytes);
}

static void __attribute__((constructor)) begin(void)
{
    const char *at = getenv("FAIL_AT");
    fail_on = getenv("FAIL_ON") != NULL;
    calls = 0;
    fail_at = at ? atol(at) : 0;
}

static void __attribute__((destructor)) end(void)
{
    const char *name = getenv("FAIL_COUNT");
    char text[24];
    int length = snprintf(text, sizeof text, "%ld\n", (long)calls);
    int file = name ? open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (file >= 0 && write(file, text, (size_t)length) == length)
        close(file);
}
