/* find.c - the compilers that are here.
 *
 * clang is asked for by version: the table says which are asked first, by how much their code is like
 * nvcc's. Nothing is run to find them, for a start from the cache takes less time than that.
 */
#define _GNU_SOURCE /* realpath */
#include "program/compile/compile.h"
#include "system/paths.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Flags of all versions. nvcc unrolls by four, does not sink stores of branches to different addresses
 * into one, nor move values one by one into the branch that needs them, which parts neighbours; loads of 16 bytes stay
 * whole. */
#define UNROLLED "-mllvm", "-unroll-max-count=4", "-mllvm", "-unroll-partial-threshold=400"
#define UNSUNK                                                                                     \
    "-mllvm", "-simplifycfg-sink-common=false", "-mllvm", "-instcombine-code-sinking=false"

/* Rows by version; doc/compilers.md has what was measured. */
static const struct clang_version versions[] = {
    {14, 80, 86, "+ptx75", {UNROLLED, UNSUNK}}, {16, 80, 90, "+ptx78", {UNROLLED, UNSUNK}},
    {17, 80, 90, "+ptx80", {UNROLLED, UNSUNK}}, {18, 80, 90, "+ptx83", {UNROLLED, UNSUNK}},
    {19, 80, 90, "+ptx85", {UNROLLED, UNSUNK}},
};
enum { OLDEST = 14, NEWEST = 25, ROWS = sizeof versions / sizeof *versions };

/* The versions that are tried first; after them the newest. */
static const int preferred[] = {16, 14, 19, 15, 17, 18};

const struct clang_version *clang_version_of(int version)
{
    int row = 0;
    while (row + 1 < ROWS && versions[row + 1].version <= version)
        row++;
    return &versions[row];
}

/* The number that a path ends with, or that follows "llvm-" in it: "/usr/lib/llvm-14/bin/clang",
 * "/usr/bin/clang-18". 0: none. */
static int version_in(const char *path)
{
    const char *folder = strstr(path, "llvm-"), *dash = strrchr(path, '-');
    int version = folder ? atoi(folder + 5) : 0;
    return version ? version : dash && !strchr(dash, '/') ? atoi(dash + 1) : 0;
}

/* What a compiler says of its version, where its path does not. */
static int ask_version(const char *path)
{
    char command[PATH_MAX + 40], line[64] = "";
    snprintf(command, sizeof command, "'%s' -dumpversion 2>/dev/null", path);
    FILE *answer = strchr(path, '\'') ? NULL : popen(command, "r");
    if (answer && !fgets(line, sizeof line, answer))
        line[0] = '\0';
    if (answer)
        pclose(answer);
    return atoi(line);
}

/* Whether that is a clang; then *compiler is it. */
static bool take_clang(struct compiler *compiler, const char *name)
{
    char real[PATH_MAX];
    if (!tool_path(name, compiler->path, sizeof compiler->path))
        return false;
    compiler->is_nvcc = false;
    compiler->version = realpath(compiler->path, real) ? version_in(real) : 0;
    if (!compiler->version)
        compiler->version = ask_version(compiler->path);
    snprintf(compiler->label, sizeof compiler->label, "clang %d", compiler->version);
    return compiler->version >= OLDEST;
}

static bool take_version(struct compiler *compiler, int version)
{
    char name[64];
    snprintf(name, sizeof name, "clang-%d", version);
    if (take_clang(compiler, name))
        return true;
    snprintf(name, sizeof name, "/usr/lib/llvm-%d/bin/clang", version);
    return take_clang(compiler, name);
}

bool compiler_find_clang(struct compiler *compiler, int after, struct error *error)
{
    const char *set = getenv("CLANG");
    if (set && *set && !after) {
        if (take_clang(compiler, set))
            return true;
        return error_set(error, "CLANG is %s, which is no clang of version %d or newer", set,
                         OLDEST);
    }
    for (size_t i = 0; !after && i < sizeof preferred / sizeof *preferred; i++)
        if (take_version(compiler, preferred[i]))
            return true;
    for (int version = NEWEST; version > after && version >= OLDEST; version--)
        if (take_version(compiler, version))
            return true;
    if (take_clang(compiler, "clang") && compiler->version > after)
        return true;
    return error_set(error,
                     "there is no clang here (version %d or newer); install the package clang, "
                     "or set CLANG",
                     OLDEST);
}

bool compiler_find_nvcc(struct compiler *compiler, struct error *error)
{
    const char *set = getenv("NVCC");
    const char *const places[] = {"nvcc", "/usr/local/cuda/bin/nvcc"};
    bool found = false;
    if (set)
        found = *set && tool_path(set, compiler->path, sizeof compiler->path);
    if (set && *set && !found)
        return error_set(error, "NVCC is %s, which cannot be started", set);
    for (size_t i = 0; !set && !found && i < sizeof places / sizeof *places; i++)
        found = tool_path(places[i], compiler->path, sizeof compiler->path);
    if (!found)
        return error_set(error, "there is no nvcc here; install the CUDA toolkit (the package "
                                "nvidia-cuda-toolkit), or set NVCC");
    compiler->is_nvcc = true;
    compiler->version = 0;
    snprintf(compiler->label, sizeof compiler->label, "nvcc");
    return true;
}
