/* box.h - takes rights away from a process that runs someone else's code. */
#ifndef BANKSCOPE_SYSTEM_BOX_H
#define BANKSCOPE_SYSTEM_BOX_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each of these takes something away from the calling process for good. */

/* At most that much time of the processor, files of at most that size, and 4 GiB of memory beyond the
 * addresses that it reserves without using them. */
void box_limit(int seconds, size_t file_bytes, uint64_t reserved);
/* No files but the system's, this program's own and, to write, those in one folder; `tool` is a
 * program that may be elsewhere on the PATH. NULL, NULL: no file at all. false: this system is too
 * old for that. */
bool box_files(const char *writable, const char *tool);
/* The files that are open, but for the standard ones and these two, which may be the same. */
void box_descriptors(int one, int other);
/* No system calls but for memory, time, and reading and writing what is open. false: *error says
 * why this cannot be had. */
bool box_calls(struct error *error);
/* Whether box_calls can be had, without doing it. */
bool box_there(struct error *error);

#endif
