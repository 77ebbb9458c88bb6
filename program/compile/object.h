/* object.h - what a compiled object says of its variables. */
#ifndef BANKSCOPE_COMPILE_OBJECT_H
#define BANKSCOPE_COMPILE_OBJECT_H

#include <stddef.h>
#include <stdint.h>

/* The bytes from an address in an object (an ELF file, before it is loaded) to the end of the variable there; 0: there
 * is none, or the file cannot be read. */
size_t object_bytes_at(const char *path, uint64_t place);

#endif
