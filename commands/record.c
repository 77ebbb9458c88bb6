/* record.c - from words on the command line to a recording: what run, view and figure share. */
#define _GNU_SOURCE /* mkdtemp, getline */
#include "commands/command.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void record_defaults(struct record_options *options)
{
    *options = (struct record_options){.seed = 1, .backend = BACKEND_AUTO};
}

bool record_option(const char *command, int option, const char *text,
                   struct record_options *options)
{
    enum { ROOM = sizeof options->param / sizeof options->param[0] };
    static const char *const backends[] = {"auto", "host", "cuda", NULL};
    int64_t number;
    switch (option) {
    case 'p':
        if (options->params == ROOM)
            return command_usage(command, "more than %d parameters", ROOM), false;
        options->param[options->params++] = text;
        return true;
    case OPTION_INPUT:
        options->input = text;
        return true;
    case OPTION_SEED:
        if (!command_number(command, "--seed", text, 0, INT64_C(1) << 53, &number))
            return false;
        options->seed = (uint64_t)number;
        return true;
    default:
        for (int i = 0; backends[i]; i++)
            if (!strcmp(backends[i], text))
                return options->backend = (enum backend)i, true;
        return command_usage(command, "--backend is '%s'; it must be auto, host or cuda", text),
               false;
    }
}

bool record_is_kernel_file(const char *word)
{
    size_t length = strlen(word);
    return strchr(word, '/') || (length > 3 && !strcmp(word + length - 3, ".cu"));
}

/* Runs the compiler; its messages go to standard error. */
static bool compile(const char *file, const char *include, const char *object, struct error *error)
{
    const char *compiler = getenv("CC") && *getenv("CC") ? getenv("CC") : "cc";
    char flag[PATH_MAX + 2];
    snprintf(flag, sizeof flag, "-I%s", include);
    pid_t child = fork();
    if (child < 0)
        return error_set(error, "cannot start %s: %s", compiler, strerror(errno));
    if (!child) {
        execlp(compiler, compiler, "-std=gnu11", "-O1", "-g", "-Wall", "-Wno-unused", flag,
               "-DBANKSCOPE_USER_KERNEL", "-fPIC", "-shared", "-o", object, "-x", "c", file,
               (char *)NULL);
        _exit(127);
    }
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return error_set(error, "no C compiler: %s cannot be run; install gcc or set CC", compiler);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        return error_set(error, "%s does not compile; the lines above say why", file);
    return true;
}

/* What a user's kernel must have before it is trusted to be run. */
static bool is_whole(const struct kernel *kernel, const char *file, struct error *error)
{
    const char *missing = !kernel->name      ? ".name"
                          : !kernel->params  ? ".params"
                          : !kernel->shape   ? ".shape"
                          : !kernel->prepare ? ".prepare"
                          : !kernel->check   ? ".check"
                                             : NULL;
    return !missing || error_set(error, "%s: its ENTRY has no %s", file, missing);
}

static const struct kernel *load_kernel(const char *file, struct error *error)
{
    char include[PATH_MAX], folder[PATH_MAX], object[PATH_MAX + 16];
    const char *temporary = getenv("TMPDIR") && *getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    const struct kernel *kernel = NULL;

    if (access(file, R_OK)) {
        error_set(error, "cannot read %s: %s", file, strerror(errno));
        return NULL;
    }
    if (!data_path("", include, sizeof include, error))
        return NULL;
    snprintf(folder, sizeof folder, "%s/bankscope-XXXXXX", temporary);
    if (!mkdtemp(folder)) {
        error_set(error, "cannot make a folder in %s: %s; set TMPDIR", temporary, strerror(errno));
        return NULL;
    }
    snprintf(object, sizeof object, "%s/kernel.so", folder);
    if (compile(file, include, object, error)) {
        void *library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
        kernel = library ? dlsym(library, "bankscope_kernel") : NULL;
        if (!library)
            error_set(error, "cannot load %s: %s", file, dlerror());
        else if (!kernel)
            error_set(error,
                      "%s has no ENTRY; see instrument/simt.h and kernels/kernel.h for the "
                      "plot of a kernel file",
                      file);
        else if (!is_whole(kernel, file, error))
            kernel = NULL;
    }
    unlink(object);
    rmdir(folder);
    return kernel;
}

const struct kernel *record_kernel(const char *name_or_file, struct error *error)
{
    return record_is_kernel_file(name_or_file) ? load_kernel(name_or_file, error)
                                               : catalogue_find(name_or_file, error);
}

bool record_setup(const struct kernel *kernel, const struct record_options *options,
                  struct kernel_setup *setup, struct error *error)
{
    setup_init(setup, kernel);
    setup->input.seed = options->seed;
    for (int i = 0; i < options->params; i++)
        if (!setup_param(setup, options->param[i], error))
            return false;
    return !options->input || setup_input(setup, options->input, error);
}

/* ---- progress -------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool progress_header(void *context, const struct trace_header *header, struct error *error)
{
    struct record_progress *progress = context;
    (void)error;
    progress->header = *header; /* its numbers; the strings live as long as the run */
    progress->start = progress->shown = seconds_now();
    progress->terminal = isatty(STDERR_FILENO);
    return true;
}

static bool progress_access(void *context, const struct warp_access *access, struct error *error)
{
    struct record_progress *progress = context;
    (void)error;
    if (!progress->terminal || access->warp)
        return true;
    double time = seconds_now();
    if (time - progress->start > 1 && time - progress->shown > 0.2) {
        fprintf(stderr, "\r%s: block %d of %d, stage %s\033[K", progress->header.kernel,
                access->block + 1, progress->header.blocks, progress->header.stage[access->stage]);
        progress->shown = time;
    }
    return true;
}

static bool progress_end(void *context, const struct trace_end *end, struct error *error)
{
    struct record_progress *progress = context;
    (void)end, (void)error;
    if (progress->shown > progress->start)
        fprintf(stderr, "\r\033[K");
    return true;
}

struct trace_sink record_progress_sink(struct record_progress *progress)
{
    *progress = (struct record_progress){.start = 0};
    return (struct trace_sink){progress_header, progress_access, progress_end, progress};
}
