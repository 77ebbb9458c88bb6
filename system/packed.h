/* packed.h - bytes through gzip or zstd, or as they are. */
#ifndef BANKSCOPE_SYSTEM_PACKED_H
#define BANKSCOPE_SYSTEM_PACKED_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads a file that may be compressed, as its first bytes say. A compressed file that ends
 * too early ends here too, like any other that was cut. */
struct unpacker;
struct unpacker *unpacker_new(FILE *file, const char *name_for_messages);
/* Up to `room` bytes; 0 at the end, or with *error set. */
size_t unpacker_read(struct unpacker *unpacker, void *bytes, size_t room, struct error *error);
void unpacker_free(struct unpacker *unpacker);

/* Writes to a file, compressed if the name ends in .gz or .zst. NULL: this build cannot, and *error
 * says so. */
struct packer;
struct packer *packer_new(FILE *file, const char *name, struct error *error);
/* false: errno says why. */
bool packer_write(struct packer *packer, const void *bytes, size_t count);
/* Lets all that was written be read, if the program were to end here. */
bool packer_flush(struct packer *packer);
/* Writes the end of the compressed format. */
bool packer_finish(struct packer *packer);
void packer_free(struct packer *packer);

#endif
