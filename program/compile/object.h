/* object.h - what a compiled object says of its symbols (ELF, on Linux). */
#ifndef BANKSCOPE_COMPILE_OBJECT_H
#define BANKSCOPE_COMPILE_OBJECT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether everything that a shared object takes from others is allowed. false: `name` is the first that is
 * not; "": *error says why the object cannot be read. */
bool object_takes_only(const char *path, bool (*allowed)(void *context, const char *name),
                       void *context, char *name, size_t room, struct error *error);
/* The bytes from a place in an object to the end of the variable there; 0: unknown. */
size_t object_bytes_at(const char *path, uint64_t place);

#endif
