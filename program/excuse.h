/* excuse.h - faults that are not to be told of: kinds that are turned off, and places that are excused.
 *
 *     race                   not looked for at all
 *     race@reduce.cu         excused in that file,
 *     race@reduce.cu:17      at that line,
 *     any@reduce.cu:17-20    at these lines, whatever it is
 *     race@reduce()          in the kernel of that name, of code without lines, too; in each instance of a template
 *
 * A file is named by its path or by the end of it, from a slash on. A fault is at its own line, at the other
 * one of a race, and at the lines whose calls led to them. Each excuse counts what it excused, so that a report
 * can say so, and also which ones excuse nothing any more.
 */
#ifndef BANKSCOPE_PROGRAM_EXCUSE_H
#define BANKSCOPE_PROGRAM_EXCUSE_H

#include "base/error.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The name of a kind as reports have it, "race": an enum machine_fault_kind, or one of records.h. NULL: there is
 * no such kind. */
const char *fault_kind_name(uint32_t kind);
/* Whether a launch goes on after it, so that the kind can be turned off. */
bool fault_kind_goes_on(uint32_t kind);

#define EXCUSE_ANY UINT32_MAX
struct excuse {
    char *text;    /* "race@reduce.cu:17", as it was written */
    char *where;   /* "excuses.txt:3" or "--excuse" */
    uint32_t kind; /* or EXCUSE_ANY */
    char *file;    /* or kernel; NULL: everywhere, so it is turned off */
    bool is_kernel;
    int first, last;        /* lines; 0: all */
    uint64_t faults, count; /* that it excused; how often these were */
};
/* Begins as {0}; each excuse is owned. */
struct excuses {
    struct excuse *excuse;
    size_t count, room;
};
/* false: *error says what is wrong with it. `where` is for messages. */
bool excuses_add(struct excuses *excuses, const char *text, const char *where, struct error *error);
/* One on each line of a file; what is behind a # is a comment. */
bool excuses_read(struct excuses *excuses, const char *path, struct error *error);
void excuses_free(struct excuses *excuses);

/* Before a run: nothing is excused yet. NULL excuses are none, here and below. */
void excuses_begin(struct excuses *excuses);
/* Bits 1 << enum machine_fault_kind of those that are turned off. */
uint32_t excuses_off(const struct excuses *excuses);
/* A fault: its kind, how often it was, its kernel's name for people and its places, its own and the other one's; NULL:
 * not known. */
struct source_place;
struct excusable {
    uint32_t kind;
    uint64_t count;
    const char *kernel;
    const struct source_place *here, *other;
};
/* Whether it is excused, and counts it. */
bool excuses_take(struct excuses *excuses, const struct excusable *fault);

/* After a run, a line for each: what it excused, or that it excuses nothing. */
void excuses_print(FILE *file, const struct excuses *excuses, const char *prefix);
/* Adds them to a report: "excuses":[{"excuse":"race@reduce.cu:17","faults":1,"count":57}, {"excuse":"race","off":true}]; none
 * if there are no excuses. */
void excuses_json(cJSON *to, const struct excuses *excuses);

#endif
