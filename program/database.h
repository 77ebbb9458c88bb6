/* database.h - what a build system knows of a program: sources and options from a compilation database
 * (compile_commands.json, as CMake and others write it), libraries from CMake's own files beside it.
 */
#ifndef BANKSCOPE_PROGRAM_DATABASE_H
#define BANKSCOPE_PROGRAM_DATABASE_H

#include "program/program.h"

/* A program of a database. All is owned. */
struct database_program {
    char *target; /* "": the database tells of none */
    char *source[PROGRAM_MOST];
    struct words *words[PROGRAM_MOST]; /* of each source, as nvcc's options; paths are absolute */
    struct source_words own[PROGRAM_MOST]; /* views of them */
    int sources;
    struct words link; /* -l, -L, and libraries that are files */
};
/* Reads the program from the database at `path` (or in that folder): the target of that name, or (NULL) the one to
 * which the sources that are named belong, or (none are) the only one with a main(). Targets whose libraries or
 * objects it links belong to it. false: *error. database_free in any case. */
bool database_read(struct database_program *program, const char *path, const char *target,
                   const char *const *named, int count, struct error *error);
void database_free(struct database_program *program);

#endif
