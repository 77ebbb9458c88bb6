/* lines.h - what the files of places share: lines.c, and lines_arrays.c for shared variables. */
#ifndef BANKSCOPE_PROGRAM_LINES_H
#define BANKSCOPE_PROGRAM_LINES_H

#include "base/hash.h"
#include "program/compile/names.h"
#include "program/program.h"

#include <elfutils/libdw.h>
#include <limits.h>

struct source_file {
    const char *path; /* as the user wrote it */
    char *alias;      /* that, where it was said; else NULL */
    char *absolute;
    char *text; /* NULL until asked for; lines end with null bytes */
    char **line;
    size_t lines;
    bool read;
};

/* The arrays of a kernel, in the list of all. */
struct kernel_arrays {
    size_t first, count;
};

struct source_lines {
    const struct built_program *program; /* NULL: a program on a GPU */
    struct gpu_places *gpu;              /* NULL: a built program */
    struct records_taken taken;          /* zeros: it has not run yet */
    char compiled_by[80];
    char here[PATH_MAX], headers[2][PATH_MAX]; /* the present folder; ours */
    bool relative; /* a source was named by a path from the present folder */
    int fd;
    Dwarf *dwarf; /* of the program's own code; NULL: not asked for yet, or there is none */
    struct source_file *file;
    size_t files, file_room;
    struct source_place **place;
    size_t places, place_room;
    struct hash_index by_pc;    /* of place */
    struct source_names names;  /* that compilers told */
    struct source_array *array; /* of all kernels */
    size_t arrays, array_room;
    struct kernel_arrays *kernel; /* by the kernel's row */
    uint32_t now;                 /* the kernel of the launch, or RECORDS_NOTHING */
};

/* A copy of a text of the records, for the caller to free. */
char *lines_copy(const struct source_lines *lines, struct records_text text);
/* lines_arrays.c: the arrays of the kernels that a run has told of (lines->taken); none. */
void lines_take_arrays(struct source_lines *lines);
void lines_forget_arrays(struct source_lines *lines);

#endif
