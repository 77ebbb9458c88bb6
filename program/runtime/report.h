/* report.h - what report.c, report_kernels.c and report_text.c share. */
#ifndef BANKSCOPE_RUNTIME_REPORT_H
#define BANKSCOPE_RUNTIME_REPORT_H

#include "program/runtime/runtime.h"

/* Where a text of the file is. There is a file. */
const char *report_text_at(struct records_text text);
/* Never 0. */
uint64_t report_hash(const char *text, size_t length);
/* Puts a text into the file, unless it is there; of length 0: there is none, or no room. */
struct records_text report_text(const char *text, size_t length);
struct records_text report_string(const char *text); /* NULL: none */

/* Says that a row is there, whose member `ready` this is. */
void report_publish(uint32_t *ready);
/* Puts the sites of a module into the file that are new since the last call. */
void report_sites(struct runtime_module *module);
/* The row of a kernel, which is added by the first call; RECORDS_NOTHING: there is no room. */
uint32_t report_kernel(struct runtime_kernel *kernel);

#endif
