/* trace_files.h - traces of a program's launches as files. */
#ifndef BANKSCOPE_PROGRAM_TRACE_FILES_H
#define BANKSCOPE_PROGRAM_TRACE_FILES_H

#include "program/program.h"

#include <limits.h>

/* Where traces go: one file, for the first launch that is recorded, or a folder for all. Begins as {.path = ...}. */
struct trace_files {
    const char *path;
    bool folder;
    int written;
    uint64_t launch; /* the one that was written */
    struct trace_writer *writer;
    char name[PATH_MAX];
};

/* Has the traces written there. A path that ends with a slash, or is a folder, names a folder, which is made. */
bool trace_files_open(struct trace_files *files, struct program_traces *traces,
                      struct error *error);

#endif
