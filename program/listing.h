/* listing.h - what the two files of the listing share; program.h has what others use. */
#ifndef BANKSCOPE_PROGRAM_LISTING_H
#define BANKSCOPE_PROGRAM_LISTING_H

#include "program/program.h"

/* ---- listing.c ----------------------------------------------------------------------------------- */

/* Appends a row, whose texts it takes over, to header->code, which has room for MAX_CODE; *bytes: of the texts so
 * far. false: there is no more room. */
bool listing_add_row(struct trace_header *header, size_t *bytes, const struct trace_code *row);

/* ---- listing_sass.c ------------------------------------------------------------------------------ */

/* Appends the accesses to memory that nvcc's machine code has for a kernel, by its name in the PTX, where there is
 * machine code. false: there is no more room. */
bool listing_add_sass(struct source_lines *lines, const char *kernel, size_t *bytes,
                      struct trace_header *header);

#endif
