/* listing.h - what the two files of the listing share; program.h has what others use. */
#ifndef BANKSCOPE_PROGRAM_LISTING_H
#define BANKSCOPE_PROGRAM_LISTING_H

#include "program/program.h"

/* ---- listing_sass.c ------------------------------------------------------------------------------ */

/* Appends the accesses to memory that nvcc's machine code has for a kernel, by its name in the PTX, where there is
 * machine code. false: there is no more room. */
bool listing_add_sass(struct source_lines *lines, const char *kernel, size_t *bytes,
                      struct trace_header *header);

#endif
