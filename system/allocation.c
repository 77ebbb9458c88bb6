/* allocation.c - malloc and its like for the whole program, libraries included.
 *
 * When an allocation fails, some of the libraries that draw crash, some loop, some leave things out.
 * None of them ever sees one: the program ends with one line (memory_exhausted), unless base/memory.c
 * asked, which can say what there was too much of. The functions that follow this one in the order of
 * linking do the work.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "base/memory.h"

#include <dlfcn.h>
#include <stdlib.h>

/* A sanitizer has its own. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_ALLOCATOR 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||                         \
    __has_feature(thread_sanitizer)
#define OWN_ALLOCATOR 0
#endif
#endif
#if !defined(OWN_ALLOCATOR) && defined(__GLIBC__)
/* glibc's own names for its functions: while dlsym looks for the others. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);

static struct {
    void *(*allocate)(size_t bytes);
    void *(*allocate_zeroed)(size_t count, size_t bytes);
    void *(*reallocate)(void *old, size_t bytes);
} next = {__libc_malloc, __libc_calloc, __libc_realloc};

static void __attribute__((constructor)) find_next(void)
{
    void *const found[] = {dlsym(RTLD_NEXT, "malloc"), dlsym(RTLD_NEXT, "calloc"),
                           dlsym(RTLD_NEXT, "realloc")};
    if (!found[0] || !found[1] || !found[2])
        return;
    __builtin_memcpy(&next.allocate, &found[0], sizeof found[0]);
    __builtin_memcpy(&next.allocate_zeroed, &found[1], sizeof found[1]);
    __builtin_memcpy(&next.reallocate, &found[2], sizeof found[2]);
}

static void *must(void *fresh, size_t bytes)
{
    if (!fresh && bytes && !memory_may_be_refused())
        memory_exhausted();
    return fresh;
}

void *malloc(size_t bytes)
{
    return must(next.allocate(bytes), bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return must(next.allocate_zeroed(count, bytes), count && bytes);
}

void *realloc(void *old, size_t bytes)
{
    return must(next.reallocate(old, bytes), bytes);
}
#endif
