/* kernel.h - kernels that are written in a page: compiled by kernelc/, executed by machine/, recorded as a trace
 * that the viewer opens; and exercises, which grade/ marks. Both run in a worker of the page's.
 *
 *     text --kernel.c--> kernelc_compile --> machine --accesses--> grade/recording.c --> trace_bytes.c --> page.js
 *     hand-in --exercise.c--> grade_hand_in --> marks
 *                         --> grade_record --> trace_bytes.c
 */
#ifndef BANKSCOPE_WEB_KERNEL_H
#define BANKSCOPE_WEB_KERNEL_H

#include "grade/grade.h"
#include "grade/recording.h"
#include "kernelc/kernelc.h"
#include "machine/machine.h"

#include <stdio.h>

#ifdef __wasm__
#define EXPORT(name) __attribute__((export_name(#name)))
#else /* for a test, which does the same natively */
#define EXPORT(name) __attribute__((unused))
#endif

enum {
    MOST_PARAMETERS = 64,    /* of a kernel */
    MOST_FAULTS = 20,        /* that are told */
    MOST_PRINTED = 16 << 10, /* bytes */
    MOST_FILES = 64,         /* that sources may include */
};

struct array {
    uint8_t *bytes;
    uint64_t size, count;
};

/* What a worker of a page has. */
struct kernels {
    struct error error;
    char *room;
    size_t room_bytes;
    char *text;
    struct kernelc_source file[MOST_FILES];
    int files;
    char *source;
    struct kernelc_result compiled;
    struct trace_bytes recorded;
    /* of a launch: */
    char *given; /* elements of an array */
    size_t given_bytes;
    const char
        *stages; /* as the source names them, and as the host does; NULL: it names them itself */
    struct array array[MOST_PARAMETERS];
    uint8_t parameters[MACHINE_PARAMETERS];
    struct machine_fault fault[MOST_FAULTS];
    int faults;
    char printed[MOST_PRINTED + 1];
    size_t print_length;
    /* of exercises: */
    struct grade_exercise *exercise;
    char *exercise_texts;
    struct grade_place missed; /* of the hand-in that was graded last */
};

/* Begins the text that the page gets, which lives until the next one. */
FILE *kernels_text(struct kernels *k, size_t *length);
/* Puts a string of JSON; and the same behind a name. Bytes that are no UTF-8 come out as U+FFFD by the page's
 * decoder. */
void kernels_put_text(FILE *file, const char *text);
void kernels_put_name(FILE *file, const char *before, const char *text);
/* Puts a compiler's message, one of a list. */
void kernels_put_message(FILE *file, int number, int line, int column, const char *text);
/* What a pointer points to, from its type as C++ says it. */
bool kernels_pointee(const char *type, char *name, size_t size);
/* What a launch did becomes the text that the page gets (kernels_run). */
void kernels_tell(struct kernels *k, const struct kernel_recording *recording,
                  const struct machine_outcome *outcome);

#endif
