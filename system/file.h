/* file.h - files that are read as a whole. */
#ifndef BANKSCOPE_SYSTEM_FILE_H
#define BANKSCOPE_SYSTEM_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Opens a file for reading, which must be one: a pipe would be waited for, and a device may have no end.
 * NULL: *error says why. */
FILE *file_open(const char *path, struct error *error);
/* The bytes of such a file, `most` at most, with a null byte behind them, for the caller to free. NULL:
 * *error says why; *length is more than `most` if the file is larger. */
char *file_read(const char *path, size_t most, size_t *length, struct error *error);
/* Whether it is there and is a file: reading a pipe or a device might not end. */
bool file_is_regular(const char *path);
/* Makes the folder, where it is not there yet. */
bool folder_make(const char *path, struct error *error);

#endif
