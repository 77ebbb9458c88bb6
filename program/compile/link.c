/* link.c - from the objects of all sources to a program, and what its linker is not told of. */
#define _GNU_SOURCE /* memmem */
#include "base/text.h"
#include "program/compile/compile.h"
#include "system/file.h"
#include "system/paths.h"
#include "system/process.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINKED "%s/linked.o"     /* device code that nvcc has linked, in the folder */
#define CHILDREN "%s/children.c" /* what stands for the toolkit's libcudadevrt there */

bool link_takes(const char *path)
{
    return text_ends_with(path, ".o") || text_ends_with(path, ".a") || text_ends_with(path, ".so");
}

const char *object_of(const struct unit *unit)
{
    return link_takes(unit->source) ? unit->source : unit->object;
}

bool link_leaves_out(const char *word)
{
    static const char *const names[] = {
        "cudart",        "cudart_static", "cudadevrt",     "cuda",     "cublas",
        "cublas_static", "curand",        "curand_static", "cublasLt", "cublasLt_static",
        "cusparse",      "cusolver",      "cudnn",         "cufft",    "cufft_static",
        "nvToolsExt",    "culibos"};
    for (size_t i = 0; !strncmp(word, "-l", 2) && i < sizeof names / sizeof *names; i++)
        if (!strcmp(word + 2, names[i]))
            return true;
    return false;
}

/* Links with that linker, or with the compiler's own; stubs: a file in C that is linked, too, or NULL. *said: what
 * the linker says, to be freed. */
static bool link_with(const char *linker, const struct compiling *with, const struct unit *unit,
                      const char *executable, const char *stubs, char **said, struct error *error)
{
    const struct compile_request *request = with->request;
    struct words words = {.count = 0};
    if (with->compiler.is_nvcc)
        words_add(&words, "g++");
    else
        words_add(&words, "%s", with->compiler.path);
    if (!with->compiler.is_nvcc)
        words_add(&words, "--driver-mode=g++");
    if (linker)
        words_add(&words, "%s", linker);
    words_add(&words, "-o");
    words_add(&words, "%s", executable);
    for (int i = 0; i < request->sources; i++)
        words_add(&words, "%s", object_of(&unit[i]));
    if (with->linked)
        words_add(&words, LINKED, with->folder);
    char children[320];
    snprintf(children, sizeof children, CHILDREN, with->folder);
    if (with->linked && !access(children, F_OK)) {
        words_add(&words, "-xc");
        words_add(&words, "%s", children);
        words_add(&words, "-xnone");
    }
    if (stubs) {
        words_add(&words, "-xc");
        words_add(&words, "%s", stubs);
        words_add(&words, "-xnone");
    }
    const struct words *told[] = {&with->options->both, &with->options->host};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < told[k]->count; i++) /* -fopenmp, -fsanitize= */
            if ((!strncmp(told[k]->word[i], "-f", 2) || !strcmp(told[k]->word[i], "-pthread")) &&
                !word_left_out(with, told[k]->word[i]))
                words_add(&words, "%s",
                          *with->openmp && !strncmp(told[k]->word[i], "-fopenmp", 8)
                              ? with->openmp
                              : told[k]->word[i]);
    if (request->runtime) {
        const char *slash = strrchr(request->runtime, '/');
        words_add(&words, "%s", request->runtime);
        if (slash &&
            strstr(slash, ".so")) /* before LD_LIBRARY_PATH, which may have the toolkit's */
            words_add(&words, "-Wl,--disable-new-dtags,-rpath,%.*s",
                      (int)(slash - request->runtime), request->runtime);
    }
    for (int i = 0; i < with->options->link.count; i++)
        if (!link_leaves_out(with->options->link.word[i]))
            words_add(&words, "%s", with->options->link.word[i]);
    words_add(&words, "-lpthread");
    words_add(&words, "-lm");
    words_add(&words, "-ldl");
    int status = compile_run_and_hear(with, &words, said, error);
    words_free(&words);
    return status == 0;
}

/* GNU ld takes twice as long as others: the first of them that is here is asked before, but only what GNU ld
 * says is told. */
static bool link_host(const struct compiling *with, const struct unit *unit, const char *executable,
                      struct error *error)
{
    static const char *const quick[][2] = {{"ld.gold", "-fuse-ld=gold"},
                                           {"ld.lld", "-fuse-ld=lld"}};
    char path[PATH_MAX];
    const char *linker = NULL;
    struct error none = {{0}};
    for (size_t i = 0; !linker && i < sizeof quick / sizeof *quick; i++)
        if (tool_path(quick[i][0], path, sizeof path))
            linker = quick[i][1];
    char *said = NULL;
    bool good = linker && link_with(linker, with, unit, executable, NULL, &said, &none);
    if (!good) {
        free(said);
        good = link_with(NULL, with, unit, executable, NULL, &said, error);
    }
    snprintf(path, sizeof path, "%s/missing.c", with->folder);
    if (!good && !*error->text && missing_functions(said, path, error)) {
        free(said);
        good = link_with(linker, with, unit, executable, path, &said, error);
    }
    if (!good && !*error->text)
        messages_of_linker(said, error);
    free(said);
    return good;
}

enum { PREFIX = sizeof "__fatbinwrap" - 1 };

/* The name in an object of the container that libcudadevrt's code is in; NULL: it has none of that. */
static const char *library_container(const char *object, size_t length)
{
    static const char mark[] = "_cuda_device_runtime_cu_";
    const char *end = object + length;
    for (const char *at = object; (at = memmem(at, (size_t)(end - at), mark, sizeof mark - 1));) {
        const char *name = at++;
        while (name > object && name[-1])
            name--;
        if (!strncmp(name, "__fatbinwrap", PREFIX))
            return name;
    }
    return NULL;
}

/* Where kernels launch kernels, nvcc links libcudadevrt's code, too, which the machine has of its own (machine/run/system.c):
 * the object names that code's container, and waits for it to be registered before it registers anything. */
static const char stand_in[] =
    "static const unsigned long long none[] = {0x00100001ba55ed50, 0}; /* without entries */\n"
    "const struct { int magic, version; const void *data; void *name; } %s = {0x466243b1, 1, none, "
    "0};\n"
    "void __cudaRegisterLinkedBinary%s(void (*)(void **), void *, void *, void (*)(void *));\n"
    "static void kernels(void **handle)\n{\n    (void)handle;\n}\n"
    "static void names(void *at)\n{\n    (void)at;\n}\n"
    "__attribute__((constructor)) static void enter(void)\n{\n"
    "    __cudaRegisterLinkedBinary%s(kernels, 0, 0, names);\n}\n";

static bool replace_library(const struct compiling *with, const char *linked, struct error *error)
{
    enum { MOST = 1 << 30 };
    size_t length;
    char path[320], *object = file_read(linked, MOST, &length, error);
    if (!object)
        return false;
    const char *name = library_container(object, length);
    bool good = true;
    if (name) {
        snprintf(path, sizeof path, CHILDREN, with->folder);
        FILE *file = fopen(path, "w");
        good = file && fprintf(file, stand_in, name, name + PREFIX, name + PREFIX) > 0;
        good = (!file || !fclose(file)) && good;
    }
    free(object);
    return good || error_set(error, "cannot write %s", path);
}

bool link_program(const struct compiling *with, const struct unit *unit, const char *executable,
                  struct error *error)
{
    char linked[320];
    snprintf(linked, sizeof linked, LINKED, with->folder);
    if (with->linked &&
        (!toolkit_link(with, unit, linked, error) || !replace_library(with, linked, error)))
        return false;
    return link_host(with, unit, executable, error);
}
