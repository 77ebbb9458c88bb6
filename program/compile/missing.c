/* missing.c - functions of the toolkit's libraries that a program names, where the toolkit's own headers declare
 * them: they are defined, and one that is called ends the program with a line, as those of our headers do
 * (include/bankscope/missing.h). */
#include "program/compile/compile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* How their names begin. */
static const char *const prefixes[] = {"cublas",   "cudnn",    "cufft", "curand",
                                       "cusolver", "cusparse", "npp",   "nvml",
                                       "cutensor", "nvrtc",    "nccl"};

static bool is_of_library(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])) &&
            strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
                length)
            return true;
    return false;
}

/* Calls that make and drop a handle, which serves nothing: a program may do so before it knows what it will do. */
static bool is_harmless(const char *name, size_t length)
{
    static const char *const names[] = {"cublasLtCreate", "cublasLtDestroy"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (length == strlen(names[i]) && !memcmp(name, names[i], length))
            return true;
    return false;
}

/* The next such name in the linker's text, which goes on behind it. NULL: there is no more. */
static const char *next_name(const char **text, size_t *length)
{
    static const char said[] = "undefined reference";
    for (const char *at = *text; (at = strstr(at, said)) != NULL;) {
        const char *end = at + strcspn(at, "\n"), *name = at + strcspn(at, "`'\n");
        at = *text = end;
        if (name >= end)
            continue;
        *length = strcspn(++name, "'\n");
        if (is_of_library(name, *length))
            return name;
    }
    return NULL;
}

/* Whether the text has that name as one that comes earlier. */
static bool was_before(const char *text, const char *name, size_t length)
{
    size_t other;
    for (const char *at; (at = next_name(&text, &other)) != NULL && at < name;)
        if (other == length && !memcmp(at, name, length))
            return true;
    return false;
}

bool missing_functions(const char *said, const char *path, struct error *error)
{
    const char *text = said, *name;
    size_t length;
    if (!next_name(&text, &length))
        return false;
    FILE *file = fopen(path, "w");
    if (!file)
        return error_set(error, "cannot write %s: %s", path, strerror(errno));
    fputs("#include <stdio.h>\n#include <stdlib.h>\n"
          "static int missing(const char *function)\n{\n    fflush(stdout);\n"
          "    fprintf(stderr, \"bankscope: %s is not available on this machine: only kernels that "
          "the program brings itself run here\\n\", function);\n    exit(1);\n}\n",
          file);
    for (text = said; (name = next_name(&text, &length)) != NULL;)
        if (!was_before(said, name, length) && is_harmless(name, length))
            fprintf(file, "int %.*s(void)\n{\n    return 0;\n}\n", (int)length, name);
        else if (!was_before(said, name, length))
            fprintf(file, "int %.*s(void)\n{\n    return missing(\"%.*s\");\n}\n", (int)length,
                    name, (int)length, name);
    bool good = !ferror(file);
    good &= fclose(file) == 0;
    return good || error_set(error, "cannot write %s: %s", path, strerror(errno));
}
