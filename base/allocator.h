/* allocator.h - where a library's memory comes from: its caller says. */
#ifndef BANKSCOPE_BASE_ALLOCATOR_H
#define BANKSCOPE_BASE_ALLOCATOR_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct allocator {
    /* As realloc; size 0 frees and returns NULL, else NULL says that memory is refused. */
    void *(*resize)(void *context, void *pointer, size_t old_size, size_t size);
    void *context;
};
/* realloc and free, where a refusal does not end the program. */
extern const struct allocator heap_allocator;

#ifdef __cplusplus
}
#endif
#endif
