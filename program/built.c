/* built.c - a CUDA program's executable: its sources, those that a database tells of, or a program that is there.
 *
 * What ptxas made of the PTX is compared with it when the program is built (struct widths).
 */
#define _GNU_SOURCE /* memmem */
#include "program/database.h"
#include "system/paths.h"
#include "system/file.h"
#include "system/output.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_ending(const char *path, const char *const *endings)
{
    const char *dot = strrchr(path, '.');
    for (; dot && *endings; endings++)
        if (!strcmp(dot, *endings))
            return true;
    return false;
}

static bool is_object(const char *path)
{
    static const char *const endings[] = {".o", ".a", ".so", NULL};
    return has_ending(path, endings);
}

bool request_scan(const struct program_request *request, struct source_seen *seen, int *first,
                  struct error *error)
{
    static const char *const c[] = {".c", NULL};
    int any = -1;
    *first = -1;
    for (int i = 0; i < request->sources; i++) {
        int kernels = seen->kernels;
        if (is_object(request->source[i]) || has_ending(request->source[i], c))
            continue;
        if (!source_scan(request->source[i], seen, error))
            return false;
        if (any < 0)
            any = i;
        if (*first < 0 && seen->kernels > kernels)
            *first = i;
    }
    if (*first < 0)
        *first = any;
    return true;
}

/* Says how to launch a kernel where nothing else does. */
static void explain_main(const struct program_request *request, const struct source_seen *seen,
                         struct error *error)
{
    char proposal[1000];
    call_propose(seen, proposal, sizeof proposal);
    error_set(error, "%s has no main(): give the file that launches its kernels, too%s%s",
              request->source[0], *proposal ? ", or say how to launch one, as in " : "", proposal);
}

/* kernelc/ compiles no host programs. */
static bool explain_small(const struct program_request *request, const struct source_seen *seen,
                          struct error *error)
{
    char proposal[1000];
    call_propose(seen, proposal, sizeof proposal);
    return error_set(
        error,
        "%s: --compiler small compiles kernels, and no program that launches them: say "
        "how, as in %s",
        request->source[0], *proposal ? proposal : "--call 'k<<<1, 32>>>()'");
}

static bool build(struct built_program *program, const struct program_request *request,
                  const struct source_seen *seen, struct error *error)
{
    char runtime[PATH_MAX], reads[PATH_MAX];
    const char *source[PROGRAM_MOST + 1];
    struct source_words own[PROGRAM_MOST + 1] = {{.words = 0}};
    const struct database_program *database = program->database;
    for (int i = 0; database && i < database->sources; i++)
        own[i] = database->own[i];
    int sources = request->sources;
    memcpy(source, request->source, sizeof request->source);
    bool objects = false;
    for (int i = 0; i < request->sources; i++)
        objects = objects || is_object(request->source[i]);
    if (request->host_reads) {
        if (!data_path("program/compile/include/bankscope/host_reads.c", reads, sizeof reads,
                       error))
            return false;
        source[sources++] = reads;
    }
    const struct compile_request compile = {.source = source,
                                            .sources = sources,
                                            .word = request->word,
                                            .words = request->words,
                                            .own = own,
                                            .with = request->with,
                                            .runtime = runtime,
                                            .names = true,
                                            .cubins = true,
                                            .host_reads = request->host_reads};
    if (!library_path("cudart.o", runtime, sizeof runtime, error))
        return false;
    bool good = compile_program(&program->compiled, &compile, error);
    if (good && request->reads)
        *request->reads = compiled_reads(&program->compiled, sources);
    if (!good && !seen->main && !objects && strstr(error->text, "has no main()")) {
        error->text[0] = '\0';
        explain_main(request, seen, error);
    }
    return good;
}

/* What ptxas made of the units, where it is known. One that cannot be compared is as the rules have it. */
static void compare_widths(struct built_program *program)
{
    const struct compiled_program *compiled = &program->compiled;
    program->widths = memory_new((size_t)compiled->units + 1, sizeof *program->widths);
    for (int i = 0; i < compiled->units; i++) {
        const struct compiled_unit *unit = &compiled->unit[i];
        struct error ignored = {{0}};
        struct widths *widths = &program->widths[program->widths_count];
        if (!unit->cubin)
            continue;
        if (widths_compare(widths, unit->ptx, unit->cubin, &ignored))
            program->widths_count++;
        else
            widths_free(widths);
    }
}

static bool scan_and_build(struct built_program *program, const struct program_request *request,
                           struct error *error)
{
    struct source_seen seen = {0};
    int first;
    program->sources = request->sources;
    memcpy(program->source, request->source, sizeof program->source);
    bool good = true;
    if (alone_asked(request))
        good = alone_build(program, request, error);
    else if (request->with == COMPILE_SMALL)
        good = request_scan(request, &seen, &first, error) && explain_small(request, &seen, error);
    else
        good = request_scan(request, &seen, &first, error) && build(program, request, &seen, error);
    if (good)
        compare_widths(program);
    seen_free(&seen);
    return good;
}

/* Whether a file has that text in it. */
static bool has_text(const char *path, const char *text)
{
    enum { MOST = 1 << 30 };
    struct error none = {{0}};
    size_t length;
    char *bytes = file_read(path, MOST, &length, &none);
    const bool has = bytes && memmem(bytes, length, text, strlen(text));
    free(bytes);
    return has;
}

bool program_take(struct built_program *program, const char *executable, struct error *error)
{
    struct compiled_program *compiled = &program->compiled;
    char path[PATH_MAX];
    *program = (struct built_program){.sources = 0};
    if (strchr(executable, '/') ? snprintf(path, sizeof path, "%s", executable) < 0
                                : !tool_path(executable, path, sizeof path))
        return error_set(error, "there is no program '%s'", executable);
    if (access(path, X_OK) || !file_is_regular(path))
        return error_set(error, "cannot run '%s': it is no program", executable);
    if (has_text(path, "/cudart.shm."))
        return error_set(error,
                         "%s has the toolkit's runtime in it, which needs a GPU's driver: build it "
                         "with nvcc -cudart shared",
                         executable);
    for (int release = 10; release < 13; release++) {
        char name[32];
        snprintf(name, sizeof name, "libcudart.so.%d", release);
        if (has_text(path, name) && !has_text(path, "libcudart.so.13"))
            return error_set(
                error,
                "%s is linked with %s, of an older CUDA: build it with CUDA 13 and nvcc "
                "-cudart shared",
                executable, name);
    }
    snprintf(compiled->executable, sizeof compiled->executable, "%s", path);
    snprintf(compiled->compiler, sizeof compiled->compiler, "PTX");
    return library_path("cuda", program->libraries, sizeof program->libraries, error);
}

/* Builds from the sources of a compilation database, the objects that were named, and the libraries of both. */
static bool build_of_database(struct built_program *program, const struct program_request *from,
                              struct error *error)
{
    struct program_request request = *from;
    const char *named[PROGRAM_MOST];
    int count = 0;
    program->database = memory_new(1, sizeof *program->database);
    for (int i = 0; i < from->sources; i++)
        if (!is_object(from->source[i]))
            named[count++] = from->source[i];
    if (!database_read(program->database, from->database, from->target, named, count, error))
        return false;
    const struct database_program *database = program->database;
    request.sources = 0;
    for (int i = 0; i < database->sources; i++)
        request.source[request.sources++] = database->source[i];
    const char *const *more[] = {from->source, (const char *const *)database->link.word};
    const int counts[] = {from->sources, database->link.count};
    for (int which = 0; which < 2; which++)
        for (int i = 0; i < counts[which]; i++) {
            const char *word = more[which][i];
            if (request.sources == PROGRAM_MOST || request.words == PROGRAM_MOST)
                return error_set(error, "more than %d sources and libraries", PROGRAM_MOST);
            if (*word == '-')
                request.word[request.words++] = word;
            else if (is_object(word))
                request.source[request.sources++] = word;
        }
    return scan_and_build(program, &request, error);
}

bool program_build(struct built_program *program, const struct program_request *request,
                   struct error *error)
{
    *program = (struct built_program){.sources = 0};
    return request->database ? build_of_database(program, request, error)
                             : scan_and_build(program, request, error);
}

void program_free(struct built_program *program)
{
    for (int i = 0; i < program->widths_count; i++)
        widths_free(&program->widths[i]);
    free(program->widths);
    program->widths = NULL;
    program->widths_count = 0;
    compiled_free(&program->compiled);
    if (program->database)
        database_free(program->database);
    free(program->database);
    program->database = NULL;
    if (*program->folder)
        passing_remove(program->folder);
    *program->folder = '\0';
    while (program->words > 0)
        free(program->word[--program->words]);
    free(program->alias);
    free(program->alias_path);
    program->alias = program->alias_path = NULL;
}
