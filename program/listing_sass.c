/* listing_sass.c - the accesses to memory in a kernel's machine code, as nvdisasm writes them: LDS.64 [R7+0x10]. The
 * registers of their values, and what lies between them, cubin.h does not know.
 */
#include "program/listing.h"
#include "program/compile/cubin.h"
#include "system/file.h"

#include <stdlib.h>
#include <string.h>

/* The user's files that the line table names, by number. */
struct files {
    struct source_lines *lines;
    const char **file;
    size_t count, room;
};

static int number_file(void *context, const char *folder, const char *name)
{
    struct files *files = context;
    struct error ignored = {{0}};
    char path[4200];
    const bool whole = *name == '/' || !*folder;
    snprintf(path, sizeof path, "%s%s%s", whole ? "" : folder, whole ? "" : "/", name);
    const char *file = lines_user_file(files->lines, path);
    if (!file || !text_is_clean(file))
        return -1;
    for (size_t i = 0; i < files->count; i++)
        if (files->file[i] == file)
            return (int)i;
    if (!memory_grow(&files->file, &files->room, files->count + 1, sizeof *files->file, "files",
                     &ignored))
        return -1;
    files->file[files->count] = file;
    return (int)files->count++;
}

/* The mnemonic of an access to shared memory, or to global. */
static const char *mnemonic(enum op op, bool global)
{
    switch (op) {
    case OP_LOAD:
        return global ? "LDG" : "LDS";
    case OP_STORE:
        return global ? "STG" : "STS";
    case OP_MATRIX_LOAD:
        return "LDSM";
    case OP_MATRIX_STORE:
        return "STSM";
    case OP_COMPARE_AND_SWAP:
        return global ? "ATOMG.CAS" : "ATOMS.CAS";
    case OP_REDUCTION:
        return "RED";
    case OP_ASYNC_STORE:
    case OP_ASYNC_LOAD:
    case OP_ASYNC_LOAD_CG:
        return "LDGSTS";
    default:
        return global ? "ATOMG" : "ATOMS";
    }
}

/* ".64" of 8 bytes: without a sign, which the bytes do not tell. */
static const char *width(const struct cubin_access *access)
{
    const bool plain = access->op == OP_LOAD || access->op == OP_STORE;
    return !plain                ? ""
           : access->bytes == 1  ? ".8"
           : access->bytes == 2  ? ".16"
           : access->bytes == 8  ? ".64"
           : access->bytes == 16 ? ".128"
                                 : "";
}

static char *say_access(const struct cubin_access *access, bool global)
{
    char text[120], address[64] = "";
    if (access->base != CUBIN_NO_REGISTER)
        text_add(address, sizeof address, "R%u", access->base);
    if (access->uniform >= 0)
        text_add(address, sizeof address, "%sUR%d", *address ? "+" : "", access->uniform);
    if (access->offset || !*address)
        text_add(address, sizeof address, "%s0x%x",
                 access->offset < 0 ? "-"
                 : *address         ? "+"
                                    : "",
                 access->offset < 0 ? 0u - (unsigned)access->offset : (unsigned)access->offset);
    snprintf(text, sizeof text, "%s%s [%s]", mnemonic(access->op, global), width(access), address);
    return memory_copy(text);
}

static bool add_access(const struct files *files, const struct cubin_access *access, bool global,
                       size_t *bytes, struct trace_header *header)
{
    int file = access->file, line = access->line;
    for (int i = 0; file < 0 && i < access->calls; i++) {
        file = access->call[i].file;
        line = access->call[i].line;
    }
    return header_add_code(header, bytes,
                           &(struct trace_code){memory_copy(file < 0 ? "" : files->file[file]),
                                                say_access(access, global), memory_copy(""),
                                                file < 0 ? 0 : line, 1});
}

/* Both kinds of access, in the order of the code. */
static bool add_function(const struct files *files, const struct cubin_function *function,
                         size_t *bytes, struct trace_header *header)
{
    size_t shared = 0, global = 0;
    bool room = true;
    while (room && (shared < function->accesses || global < function->globals)) {
        const bool next = shared == function->accesses ||
                          (global < function->globals &&
                           function->global[global].at < function->access[shared].at);
        room = add_access(files, next ? &function->global[global++] : &function->access[shared++],
                          next, bytes, header);
    }
    return room;
}

bool listing_add_sass(struct source_lines *lines, const char *kernel, size_t *bytes,
                      struct trace_header *header)
{
    const struct compiled_program *compiled = &lines_program(lines)->compiled;
    struct files files = {.lines = lines};
    bool room = true;
    for (int i = 0; i < compiled->units; i++) {
        struct cubin cubin = {0};
        struct error ignored = {{0}};
        size_t size;
        char *code = compiled->unit[i].cubin
                         ? file_read(compiled->unit[i].cubin, MOST_CUBIN, &size, &ignored)
                         : NULL;
        if (code && cubin_read(&cubin, code, size, number_file, &files, &ignored))
            for (size_t k = 0; room && k < cubin.functions; k++)
                if (!strcmp(cubin.function[k].name, kernel))
                    room = add_function(&files, &cubin.function[k], bytes, header);
        if (cubin.function)
            cubin_free(&cubin);
        free(code);
    }
    free(files.file);
    return room;
}
