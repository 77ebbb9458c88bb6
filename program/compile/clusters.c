/* clusters.c - __cluster_dims__ with clang, which does not know it: our header makes it an annotation of the kernel, which is
 * in LLVM's text, and the PTX gets the line that nvcc writes.
 *
 *     __global__ void __cluster_dims__(2, 1, 1) k()          @.str = ... c"bankscope_cluster 2, 1, 1\00"
 *                                                            @llvm.global.annotations = ... @_Z1kv ... @.str ... @file
 *     .visible .entry _Z1kv(...)  .reqnctapercluster 2, 1, 1
 */
#include "program/compile/ir.h"

#include "base/text.h"
#include "system/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "c\"bankscope_cluster ";

/* A name in LLVM's text, without its @. */
struct name {
    const char *at;
    int length;
};

static struct name name_at(const char *at)
{
    return (struct name){
        at, (int)strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._$-")};
}

/* The text that the constant of that name holds, if it is a cluster's; NULL: it is another. */
static const char *size_of(const char *text, struct name constant)
{
    for (const char *at = text; (at = strstr(at, mark)) != NULL; at += sizeof mark - 1) {
        const char *line = at;
        while (line > text && line[-1] != '\n')
            line--;
        if (line[0] == '@' && !strncmp(line + 1, constant.at, (size_t)constant.length) &&
            line[1 + constant.length] == ' ')
            return at + sizeof mark - 1;
    }
    return NULL;
}

/* Where the kernel's properties go: behind its parameters. NULL: it is not in the PTX. */
static char *behind_parameters(char *ptx, struct name kernel)
{
    for (char *at = ptx; (at = strstr(at, ".entry ")) != NULL; at += 7)
        if (!strncmp(at + 7, kernel.at, (size_t)kernel.length) && at[7 + kernel.length] == '(') {
            char *end = strchr(at, ')');
            return end ? end + 1 : NULL;
        }
    return NULL;
}

/* Writes the PTX anew with the line in it. */
static bool insert(char **ptx, size_t *length, char *at, const int size[3])
{
    char line[80];
    const int more =
        snprintf(line, sizeof line, "\n.reqnctapercluster %d, %d, %d\n", size[0], size[1], size[2]);
    const size_t before = (size_t)(at - *ptx);
    char *fresh = realloc(*ptx, *length + (size_t)more + 1);
    if (!fresh)
        return false;
    memmove(fresh + before + more, fresh + before, *length - before + 1);
    memcpy(fresh + before, line, (size_t)more);
    *ptx = fresh;
    *length += (size_t)more;
    return true;
}

/* Entries of the list of annotations: what is annotated, with what, in which file. */
static bool add_sizes(const char *text, const char *list, char **ptx, size_t *length,
                      struct error *error)
{
    const char *end = strchr(list, '\n');
    struct name name[3];
    int names = 0;
    for (const char *at = strchr(list, '=');
         at && (at = strchr(at, '@')) != NULL && (!end || at < end); at++) {
        name[names++] = name_at(at + 1);
        if (names < 3)
            continue;
        names = 0;
        const char *told = size_of(text, name[1]);
        char *place = told ? behind_parameters(*ptx, name[0]) : NULL;
        int size[3] = {1, 1, 1};
        if (!place)
            continue;
        if (sscanf(told, "%d , %d , %d", &size[0], &size[1], &size[2]) < 1)
            return error_set(
                error, "__cluster_dims__(%.*s): clang needs numbers here, or cudaLaunchKernelEx",
                (int)strcspn(told, "\\\""), told);
        if (!insert(ptx, length, place, size))
            return error_set(error, "out of memory for the PTX");
    }
    return true;
}

bool clusters_restore(const struct ir *ir, const char *path, struct error *error)
{
    enum { MOST_PTX = 1 << 30 };
    const char *list = strstr(ir->text, "\n@llvm.global.annotations");
    if (!list || !strstr(ir->text, mark))
        return true;
    size_t length;
    char *ptx = file_read(path, MOST_PTX, &length, error);
    bool good = ptx && add_sizes(ir->text, list + 1, &ptx, &length, error);
    FILE *file = good ? fopen(path, "w") : NULL;
    if (good)
        good = file && fwrite(ptx, 1, length, file) == length;
    if (file && fclose(file))
        good = false;
    free(ptx);
    return good || error_set(error, "cannot write %s", path);
}
