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
    /* By the kernel's row: the symbol that its views have; NULL: there are no views. */
    const char **viewer;
    struct kernel_arrays *set; /* of views, from 1 */
    size_t sets;
    uint32_t *set_of; /* by the launch's row; NULL: there are no views */
    uint32_t set_now; /* 0: none */
};

/* A copy of a text of the records, for the caller to free. */
char *lines_copy(const struct source_lines *lines, struct records_text text);
/* lines_arrays.c: the arrays of the kernels that a run has told of (lines->taken); none. */
void lines_take_arrays(struct source_lines *lines);
void lines_forget_arrays(struct source_lines *lines);
/* Adds an array, and takes over its symbol. */
void lines_add_array(struct source_lines *lines, const struct source_array *array);
/* Gives it the name, the type and the dimensions of a variable. */
void lines_describe(struct source_array *array, const struct source_variable *known);
/* lines_views.c: the arrays of launches whose kernels have pointers into dynamic shared memory; none. */
void lines_take_views(struct source_lines *lines);
void lines_forget_views(struct source_lines *lines);
/* The views that all launches of a kernel (a row) have; NULL: there are none, or they differ. */
const struct kernel_arrays *lines_kernel_views(const struct source_lines *lines, uint32_t kernel);

#endif
