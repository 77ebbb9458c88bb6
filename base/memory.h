/* memory.h - one policy for memory: what the program cannot do without, and what may be refused. */
#ifndef BANKSCOPE_BASE_MEMORY_H
#define BANKSCOPE_BASE_MEMORY_H

#include "base/error.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For small things whose number the user does not choose (a name, a line, a table of options). These
 * functions do not fail: if there is no memory, they call memory_exhausted. The caller frees what they
 * return. */
void *memory_new(size_t count, size_t size);           /* zeroed */
char *memory_copy(const char *text);                   /* NULL counts as "" */
char *memory_copy_of(const char *text, size_t length); /* the first `length` bytes at most */

/* Ends the program as memory_on_exhaustion said, or by abort(). */
void memory_exhausted(void) __attribute__((noreturn, cold));
/* Sets the function that ends the program when memory is exhausted; it must not return. */
void memory_on_exhaustion(void (*end)(void));
/* Whether this thread is making an allocation that may fail: any other that fails ends the program. */
bool memory_may_be_refused(void);

/* What grows with a size that the user chose (records, cells, items, a file's bytes) may be
 * refused: then *error says "out of memory for COUNT WHAT", WHAT in the plural. */

/* `count` zeroed elements of `size` bytes, or NULL. */
void *memory_array(size_t count, size_t size, const char *what, struct error *error);
/* Makes room for at least `count` elements at the pointer whose address is `array`, half as many
 * more than before, so that adding one at a time is cheap. New elements are not cleared. On false
 * the array is as it was.
 *     memory_grow(&list->item, &list->room, list->count + 1, sizeof *list->item, "cases", error) */
bool memory_grow(void *array, size_t *room, size_t count, size_t size, const char *what,
                 struct error *error);

#ifdef __cplusplus
}
#endif
#endif
