/* program.c - ordinary CUDA programs in lessons. */
#include "teach/teach.h"

#include <stdlib.h>
#include <string.h>

bool program_is_ordinary(const char *file)
{
    struct error none = {{0}};
    char *text = part_read(file, &none);
    const char *kernel = text ? strstr(text, "__global__") : NULL;
    const char *dialect = text ? strstr(text, "\n#ifdef SIMT_HOST") : NULL;
    const bool ordinary = kernel && (!dialect || kernel < dialect);
    free(text);
    return ordinary;
}

#ifdef HAVE_DW

#include "program/program.h"

/* Where a file is on this machine is nothing for a lesson's page. */
static void keep_name(char **path)
{
    const char *slash = strrchr(*path, '/');
    if (slash)
        memmove(*path, slash + 1, strlen(slash));
}

/* The compiler's first error, if it said one, instead of what is in *error. */
static void tell_first_error(const char *messages, struct error *error)
{
    const char *at = messages ? strstr(messages, "error: ") : NULL;
    while (at && at > messages && at[-1] != '\n')
        at--;
    if (!at)
        return;
    error->text[0] = '\0';
    error_set(error, "%.*s", (int)strcspn(at, "\n"), at);
}

static enum program_memory memory_named(const char *name)
{
    return !name || !strcmp(name, "shared") ? MEMORY_SHARED
           : !strcmp(name, "global")        ? MEMORY_GLOBAL
                                            : MEMORY_ALL;
}

bool program_record_file(const char *file, const struct lesson_options *options,
                         struct trace *trace, struct error *error)
{
    struct program_request request = {.source = {file}, .sources = 1};
    struct program_choice choice = {.launch = options->launch,
                                    .memory = memory_named(options->memory),
                                    .values = true,
                                    .silent = true};
    struct trace_sink sink = trace_memory_sink(trace);
    struct built_program program = {.sources = 0};
    char *words[] = {(char *)(uintptr_t)file, NULL};
    int status = -1;
    if (!program_build(&program, &request, error)) {
        tell_first_error(program.compiled.messages, error);
    } else {
        struct source_lines *lines = lines_open(&program);
        status = session_record_single(&program, lines, words, &choice, &sink, error);
        lines_free(lines);
    }
    program_free(&program);
    for (int i = 0; i < trace->header.sites; i++)
        keep_name(&trace->header.site[i].file);
    if (status > 0)
        error_set(error, "%s ended with status %d", file, status);
    if (status == 0 && !trace->count)
        error_set(error, "no recorded launch of %s used %s memory", file,
                  options->memory ? options->memory : "shared");
    return !error->text[0];
}

#else

bool program_record_file(const char *file, const struct lesson_options *options,
                         struct trace *trace, struct error *error)
{
    (void)options, (void)trace;
    return error_set(error, "this program was built without libdw: it cannot run %s", file);
}

#endif
