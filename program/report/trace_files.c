/* trace_files.c - see trace_files.h. */
#include "base/text.h"
#include "program/report/trace_files.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

/* "004-transpose.jsonl": the letters and digits of the kernel's name. */
static void name_file(struct trace_files *files, const struct program_launch *launch)
{
    char kernel[80];
    size_t n = 0;
    for (const char *c = launch->name; *c && n < sizeof kernel - 1; c++)
        if (text_is_identifier(*c))
            kernel[n++] = *c;
        else if (n && kernel[n - 1] != '-')
            kernel[n++] = '-';
    while (n && kernel[n - 1] == '-')
        n--;
    kernel[n] = '\0';
    snprintf(files->name, sizeof files->name, "%s/%03" PRIu64 "-%s.jsonl", files->path,
             launch->number, kernel);
}

static bool files_begin(void *context, const struct program_launch *launch, struct trace_sink *sink,
                        struct error *error)
{
    struct trace_files *files = context;
    if (files->written && !files->folder)
        return true;
    if (files->folder)
        name_file(files, launch);
    else
        snprintf(files->name, sizeof files->name, "%s", files->path);
    bool standard = !strcmp(files->name, "-");
    files->writer =
        trace_writer_new(standard ? stdout : NULL, standard ? "standard output" : files->name);
    if (!files->writer)
        return error_set(error, "out of memory");
    files->written++;
    files->launch = launch->number;
    *sink = trace_writer_sink(files->writer);
    return true;
}

static bool files_close(void *context, struct error *error)
{
    struct trace_files *files = context;
    (void)error;
    trace_writer_free(files->writer);
    files->writer = NULL;
    return true;
}

bool trace_files_open(struct trace_files *files, struct program_traces *traces, struct error *error)
{
    traces->begin = files_begin;
    traces->end = files_close;
    traces->context = files;
    struct stat status;
    size_t length = strlen(files->path);
    bool there = stat(files->path, &status) == 0;
    files->folder =
        (there && S_ISDIR(status.st_mode)) || (length && files->path[length - 1] == '/');
    return !files->folder || there || mkdir(files->path, 0777) == 0 ||
           error_set(error, "cannot make the folder %s: %s", files->path, strerror(errno));
}
