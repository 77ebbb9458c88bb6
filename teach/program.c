/* program.c - ordinary CUDA programs in lessons. */
#include "teach/teach.h"

#include <stdlib.h>
#include <string.h>

bool program_is_ordinary(const char *file)
{
    struct error none = {{0}};
    char *text = part_read(file, &none);
    bool ordinary = text && strstr(text, "__global__");
    free(text);
    return ordinary;
}

#ifdef HAVE_DW

#include "hostcuda/driver.h"

#include <limits.h>

static bool build(struct built_program *program, const struct program_request *request,
                  struct error *error)
{
    char library[PATH_MAX], include[PATH_MAX];
    return library_path("libhostcuda.a", library, sizeof library, error) &&
           data_path("hostcuda/include", include, sizeof include, error) &&
           program_build(program, request, library, include, error);
}

/* Where a file is on this machine is nothing for a lesson's page. */
static void keep_name(char **path)
{
    const char *slash = strrchr(*path, '/');
    if (slash)
        memmove(*path, slash + 1, strlen(slash));
}

bool program_record_file(const char *file, const char *launch, struct trace *trace,
                         struct error *error)
{
    struct program_request request = {.source = {file}, .sources = 1};
    struct record_choice choice = {.launch = launch, .values = true, .output_apart = true};
    struct trace_sink sink = trace_memory_sink(trace);
    struct built_program program = {.files = 0};
    char *words[] = {(char *)(uintptr_t)file, NULL};
    int status = -1;
    if (build(&program, &request, error)) {
        struct source_lines *lines = lines_open(&program);
        status = program_record_single(&program, lines, words, &choice, &sink, error);
        lines_free(lines);
    }
    program_free(&program);
    for (int i = 0; i < trace->header.sites; i++)
        keep_name(&trace->header.site[i].file);
    if (status > 0)
        error_set(error, "%s ended with status %d", file, status);
    return status == 0;
}

#else

bool program_record_file(const char *file, const char *launch, struct trace *trace,
                         struct error *error)
{
    (void)launch, (void)trace;
    return error_set(error, "this program was built without libdw: it cannot run %s", file);
}

#endif
