/* dialect.c - kernels by name, or compiled from a user's file. */
#define _GNU_SOURCE /* dladdr */
#include "base/text.h"
#include "program/compile/dialect.h"
#include "instrument/simt_watched.h"
#include "program/compile/object.h"
#include "system/cache.h"
#include "system/file.h"
#include "system/output.h"
#include "system/paths.h"
#include "system/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool dialect_is_file(const char *word)
{
    return strchr(word, '/') || text_ends_with(word, ".cu");
}

/* The command line of a compiler. */
struct line {
    const char *word[48];
    int words;
    char tool[PATH_MAX]; /* what the first words point into */
};

/* Begins the line with the compiler that an environment variable names and its first options
 * ("ccache gcc"), split at blanks as make does. */
static void begin_command(struct line *line, const char *variable, const char *otherwise)
{
    enum { MOST = 12 }; /* the rest is ours */
    const char *chosen = getenv(variable);
    char *rest = line->tool;
    line->words = 0;
    snprintf(line->tool, sizeof line->tool, "%s", chosen ? chosen : "");
    for (char *word; line->words < MOST && (word = strtok_r(rest, " \t\n", &rest));)
        line->word[line->words++] = word;
    if (!line->words)
        line->word[line->words++] = otherwise;
}

/* Adds words, up to NULL. */
static void add_options(struct line *line, const char *const *words)
{
    const int room = sizeof line->word / sizeof line->word[0];
    while (*words && line->words < room - 1)
        line->word[line->words++] = *words++;
    line->word[line->words] = NULL;
}

/* Where a compiler works. */
struct place {
    const char *folder; /* of its passing files */
    int messages;       /* file descriptor for messages; 0: standard error */
    const char *rule;   /* where to write which files were read, if the result may be kept */
};

/* Runs a compiler. `hint` says what to do if there is none. */
static bool compile(const char *file, const struct line *line, const struct place *place,
                    const char *hint, struct error *error)
{
    const struct program program = {
        .words = line->word, .messages = place->messages, .temporary = place->folder, .hint = hint};
    int status = process_run(&program, error);
    if (status > 0)
        error_set(error, "%s does not compile; the compiler's messages say why", file);
    return status == 0;
}

static const char no_compiler[] = "install gcc, or set CC to a C compiler";

/* Compiles the host's part of FILE.cu, without linking. `cuda`: for a kernel that runs on the
 * GPU. Otherwise the kernel is watched: the compiler inserts calls (simt_watched.h). */
static bool compile_host(const char *file, const char *include, const struct place *place,
                         const char *object, bool cuda, struct error *error)
{
    struct line line;
    const char *term = getenv("TERM");
    begin_command(&line, "CC", "cc");
    add_options(&line, (const char *const[]){"-std=gnu11", "-O1", "-g1", "-Wall", "-Wno-unused",
                                             "-Werror=incompatible-pointer-types",
                                             "-Werror=implicit-function-declaration", include,
                                             "-DBANKSCOPE_USER_KERNEL", "-fPIC", "-c", "-o", object,
                                             NULL});
    add_options(&line, cuda ? (const char *const[]){"-DHAVE_CUDA", NULL}
                            : (const char *const[]){"-UHAVE_CUDA", "-DSIMT_WATCHED",
                                                    "-fsanitize=thread", "-fsanitize=undefined",
                                                    "-fstack-clash-protection", NULL});
    if (place->rule)
        add_options(&line, (const char *const[]){"-MD", "-MF", place->rule, NULL});
    if (place->rule && isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0)
        add_options(&line, (const char *const[]){"-fdiagnostics-color=always", NULL});
    add_options(&line, (const char *const[]){"-x", "c", file, NULL});
    return compile(file, &line, place, no_compiler, error);
}

/* Builds the shared object of FILE.cu for the host. The watched kernel's calls get names of ours, so
 * that no sanitizer's library is linked, and it does not matter what this program was linked with. */
static bool build_host(const char *file, const char *include, const struct place *place,
                       const char *object, struct error *error)
{
    char host[PATH_MAX + 16];
    struct line link;
    snprintf(host, sizeof host, "%s.o", object);
    begin_command(&link, "CC", "cc");
    add_options(&link, (const char *const[]){"-shared", "-Wl,-Bsymbolic", "-Wl" SIMT_WRAPS, "-o",
                                             object, host, NULL});
    bool good = compile_host(file, include, place, host, false, error) &&
                compile(file, &link, place, no_compiler, error);
    unlink(host);
    return good;
}

static void begin_nvcc(struct line *line)
{
    static const char standard[] = "/usr/local/cuda/bin/nvcc";
    begin_command(line, "NVCC", access(standard, X_OK) ? "nvcc" : standard);
}

/* Builds FILE.cu for CUDA: nvcc compiles the traced kernel, the C compiler the rest. */
static bool build_cuda(const char *file, const char *include, const struct place *place,
                       const char *object, struct error *error)
{
    const char *hint = "install the CUDA toolkit, or set NVCC to its compiler";
    char host[PATH_MAX + 16], device[PATH_MAX + 16];
    struct line traced, link;
    snprintf(host, sizeof host, "%s/host.o", place->folder);
    snprintf(device, sizeof device, "%s/device.o", place->folder);
    begin_nvcc(&traced);
    add_options(&traced, (const char *const[]){"-std=c++17", "-O3", "-lineinfo", "-arch=native",
                                               include, "-DSIMT_TRACED", "-DBANKSCOPE_USER_KERNEL",
                                               "-Xcompiler", "-fPIC,-fno-gnu-unique", "-c", "-o",
                                               device, "-x", "cu", file, NULL});
    /* Names are resolved in the object itself, not to a kernel of that name in the catalogue. */
    begin_nvcc(&link);
    add_options(&link, (const char *const[]){"-shared", "-Xlinker", "-Bsymbolic", "-o", object,
                                             device, host, NULL});
    bool good = compile_host(file, include, place, host, true, error) &&
                compile(file, &traced, place, hint, error) &&
                compile(file, &link, place, hint, error);
    unlink(host);
    unlink(device);
    return good;
}

/* Loads an object, which may be unlinked afterwards. The file stays open, and the loader gets
 * the path of the open file, so that the object's debug information can still tell the line of
 * an instruction. */
static void *load_object(const char *object)
{
    char path[64];
    int file = open(object, O_RDONLY);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    void *library = file < 0 || access(path, R_OK) ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return library ? library : dlopen(object, RTLD_NOW | RTLD_LOCAL);
}

/* What a user's kernel must have before it may run. */
static bool is_whole(const struct kernel *kernel, const char *file, struct error *error)
{
    const char *missing = !kernel->name      ? ".name"
                          : !kernel->params  ? ".params"
                          : !kernel->shape   ? ".shape"
                          : !kernel->prepare ? ".prepare"
                          : !kernel->check   ? ".check"
                                             : NULL;
    if (missing)
        return error_set(error, "%s: its ENTRY has no %s", file, missing);
    return catalogue_sound(kernel, error);
}

/* Whether a table of a loaded object ends with a row that begins with so many zero bytes. NULL has none. */
static bool has_end(const char *object, const void *table, size_t row, size_t zeros)
{
    static const char none[64];
    Dl_info where;
    if (!table || !dladdr(table, &where))
        return true;
    size_t bytes =
        object_bytes_at(object, (uint64_t)((uintptr_t)table - (uintptr_t)where.dli_fbase));
    return bytes < row || !memcmp((const char *)table + bytes / row * row - row, none, zeros);
}

/* Whether the tables end, which are read until they do. */
static bool has_ends(const char *object, const struct kernel *kernel, const char *file,
                     struct error *error)
{
    if (!has_end(object, kernel->params, sizeof *kernel->params, sizeof(char *)))
        return error_set(error, "%s: its PARAMS ends without {0}", file);
    for (const struct kernel_param *param = kernel->params; param && param->name; param++)
        if (!has_end(object, param->words, sizeof *param->words, sizeof(char *)))
            return error_set(error, "%s: the words of %s end without NULL", file, param->name);
    return true;
}

static const struct kernel *kernel_of(void *library, const char *object, const char *file,
                                      struct error *error)
{
    const struct kernel *kernel = library ? dlsym(library, "bankscope_kernel") : NULL;
    if (!library)
        error_set(error, "cannot load %s: %s", file, dlerror());
    else if (!kernel)
        error_set(error,
                  "%s has neither an ENTRY, as a kernel has (kernels/stride.cu shows how), nor "
                  "__global__, as a CUDA program has",
                  file);
    return kernel && has_ends(object, kernel, file, error) && is_whole(kernel, file, error) ? kernel
                                                                                            : NULL;
}

static const char a_folder[] = "%s is a folder; name a kernel or FILE.cu";
static const char not_a_source[] =
    "%s is no kernel or FILE.cu; 'bankscope stats' and 'bankscope view' take traces";

/* Refuses what a compiler would fill the screen with errors about: a compiled program, a trace. */
static bool check_text(const char *file, struct error *error)
{
    char begin[4096];
    FILE *from = fopen(file, "rb");
    size_t got = from ? fread(begin, 1, sizeof begin, from) : 0;
    if (from)
        fclose(from);
    if (memchr(begin, 0, got))
        return error_set(error,
                         "%s is not a source file; if it is a CUDA program that is built already, "
                         "'bankscope run -- %s' records it on a GPU",
                         file, file);
    return !got || begin[0] != '{' || error_set(error, not_a_source, file);
}

#ifndef HAVE_DW
/* Whether it is an ordinary CUDA program, which this build cannot run: a kernel's compiler would have
 * much to say about it. */
static bool is_program(const char *file)
{
    char *text = NULL;
    size_t room = 0;
    FILE *from = fopen(file, "rb");
    bool is = from && getdelim(&text, &room, '\0', from) > 0 && strstr(text, "__global__") &&
              !strstr(text, "ENTRY(");
    if (from)
        fclose(from);
    free(text);
    return is;
}
#endif

/* Copies what compilers said to standard error. Whether they said anything. */
static bool repeat(FILE *messages)
{
    char *line = NULL;
    size_t room = 0;
    bool any = false;
    rewind(messages);
    for (ssize_t got; (got = getline(&line, &room, messages)) > 0; any = true) {
        line[strcspn(line, "\n")] = '\0';
        text_put(stderr, TEXT_PLAIN, line); /* they quote the source */
        fputc('\n', stderr);
    }
    free(line);
    return any;
}

/* As build_host, or without a compiler, if this was made before. What a compiler warns of it says each
 * time: such a result is not kept. */
static bool build_again(const char *file, const char *include, const struct place *where,
                        const char *object, struct error *error)
{
    struct cache cache;
    struct line line;
    struct place place = *where;
    char rule[PATH_MAX + 16];
    snprintf(rule, sizeof rule, "%s/kernel.d", place.folder);
    cache_open(&cache, "kernel", place.folder);
    cache_here(&cache);
    begin_command(&line, "CC", "cc");
    cache_tool(&cache, line.word[0]);
    for (int i = 0; i < line.words; i++)
        cache_word(&cache, line.word[i]);
    cache_word(&cache, include);
    cache_word(&cache, file);
    cache_source(&cache, file);
    if (cache_find(&cache, object)) {
        cache_close(&cache);
        return true;
    }
    FILE *messages = tmpfile();
    if (messages) {
        place.messages = fileno(messages);
        place.rule = cache.to ? rule : NULL;
    }
    bool good = build_host(file, include, &place, object, error);
    bool silent = messages && !repeat(messages);
    if (good && silent && place.rule) {
        cache_read(&cache, rule, file);
        cache_keep(&cache, object);
    }
    if (messages)
        fclose(messages);
    cache_close(&cache);
    return good;
}

/* How to make an object of a user's file. */
typedef bool build_function(const char *file, const char *include, const struct place *place,
                            const char *object, struct error *error);

static const struct kernel *load_kernel(const char *file, build_function *build,
                                        struct error *error)
{
    char data[PATH_MAX], include[PATH_MAX + 2], folder[PATH_MAX], object[PATH_MAX + 16];
    const struct kernel *kernel = NULL;

    FILE *readable = file_open(file, error);
    if (!readable)
        return NULL;
    fclose(readable);
    if (!check_text(file, error))
        return NULL;
#ifndef HAVE_DW
    if (is_program(file)) {
        error_set(error, "%s is a CUDA program: this build lacks libdw", file);
        return NULL;
    }
#endif
    if (!data_path("", data, sizeof data, error))
        return NULL;
    snprintf(include, sizeof include, "-I%s", data);
    if (!temporary_make(folder, sizeof folder, error))
        return NULL;
    snprintf(object, sizeof object, "%s/kernel.so", folder);
    const struct place place = {.folder = folder};
    if (build(file, include, &place, object, error))
        kernel = kernel_of(load_object(object), object, file, error);
    passing_remove(folder);
    return kernel;
}

const struct kernel *dialect_kernel(const char *name_or_file, enum backend backend,
                                    struct error *error)
{
    struct stat file;
    struct error unknown = {{0}};
    if (!dialect_is_file(name_or_file)) {
        const struct kernel *kernel = catalogue_find(name_or_file, &unknown);
        if (!kernel && !stat(name_or_file, &file))
            error_set(error, S_ISDIR(file.st_mode) ? a_folder : not_a_source, name_or_file);
        else if (!kernel)
            *error = unknown;
        return kernel;
    }
#ifndef HAVE_CUDA
    if (backend == BACKEND_CUDA) {
        error_set(error,
                  "this program was built without the CUDA backend, so it cannot run %s there; "
                  "use --backend host",
                  name_or_file);
        return NULL;
    }
#endif
    return load_kernel(name_or_file, backend == BACKEND_CUDA ? build_cuda : build_again, error);
}
