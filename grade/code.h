/* code.h - the instructions that a kernel became, as a recording's header has them. */
#ifndef BANKSCOPE_GRADE_CODE_H
#define BANKSCOPE_GRADE_CODE_H

#include "machine/machine.h"

/* Adds the instructions and labels of a kernel that is decoded to header->code, which it makes, with what ptxas makes of
 * them. place tells the user's file and line of a site ("" and 0: none). *bytes begins as 0 and counts as header_add_code
 * does. false: a recording has no room for all. */
bool kernel_code(struct machine_kernel *kernel,
                 const char *(*place)(const void *context, int site, int *line),
                 const void *context, struct trace_header *header, size_t *bytes);
/* The first of them that has this text, but for a predicate; -1: none. */
int kernel_code_find(const struct trace_header *header, const char *text, int length);

#endif
