/* program.c - ordinary CUDA programs in lessons and as exercises.
 *
 * A student's program is built in a box (system/box.c, files), and each launch is a run of it: a process
 * that the runtime in it puts into a box before anything of the student's runs (system/calls.c). Input and
 * output are files without a name; what it did comes in the file of program/records.h.
 */
#define _GNU_SOURCE /* strsignal */
#include "teach/teach.h"

#include <stdlib.h>
#include <string.h>

bool program_is_ordinary(const char *file)
{
    struct error none = {{0}};
    char *text = part_read(file, &none);
    bool ordinary = text && part_program(text);
    free(text);
    return ordinary;
}

#ifdef HAVE_DW

#include "program/program.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <unistd.h>

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

/* ---- exercises ------------------------------------------------------------------------------- */

enum {
    RUN_SECONDS = 2,   /* of the processor, for a launch that takes a few hundredths */
    WALL_SECONDS = 60, /* of the clock, on whatever busy machine */
};

struct exercise_program {
    struct built_program built;
    struct source_lines *lines;
    FILE *in, *out;
};

void exercise_program_free(struct exercise_program *program)
{
    if (!program)
        return;
    lines_free(program->lines);
    program_free(&program->built);
    if (program->in)
        fclose(program->in);
    if (program->out)
        fclose(program->out);
    free(program);
}

struct exercise_program *exercise_program_build(const char *source, const struct named_file *files,
                                                bool confined, char *messages, size_t room,
                                                struct error *error)
{
    struct exercise_program *program = memory_new(1, sizeof *program);
    const struct program_request request = {
        .source = {source}, .sources = 1, .with = COMPILE_CLANG, .confined = confined};
    bool good = program_build(&program->built, &request, error);
    if (!good && program->built.compiled.messages)
        snprintf(messages, room, "%s", program->built.compiled.messages);
    if (good) {
        program->lines = lines_open(&program->built);
        for (; files->name; files++)
            lines_alias(program->lines, files->name, files->path);
        program->in = tmpfile();
        program->out = tmpfile();
        good = (program->in && program->out) ||
               error_set(error, "cannot make a temporary file: %s", strerror(errno));
    }
    if (good)
        return program;
    exercise_program_free(program);
    return NULL;
}

static bool write_all(int file, const void *from, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t some = write(file, (const char *)from + done, bytes - done);
        if (some <= 0)
            return false;
        done += (size_t)some;
    }
    return true;
}

static bool empty(int file)
{
    return !ftruncate(file, 0) && !lseek(file, 0, SEEK_SET);
}

/* What check_main.h reads. */
static bool write_input(int file, const struct launch *launch)
{
    const int head[] = {(int)(launch->params_bytes / sizeof(int)),
                        (int)(launch->in_bytes / sizeof(int)),
                        (int)(launch->out_bytes / sizeof(int))};
    return empty(file) && write_all(file, head, sizeof head) &&
           write_all(file, launch->params, launch->params_bytes) &&
           write_all(file, launch->in, launch->in_bytes) && !lseek(file, 0, SEEK_SET);
}

static bool read_output(int file, const struct launch *launch)
{
    size_t done = 0;
    for (ssize_t some = 1; some > 0 && done < launch->out_bytes; done += (size_t)some) {
        some = pread(file, (char *)launch->out + done, launch->out_bytes - done, (off_t)done);
        if (some <= 0)
            break;
    }
    return done == launch->out_bytes;
}

/* Its recording, with what the exercise says of the launch. */
struct naming {
    const struct trace_header *launch;
    const struct trace_sink *to;
    struct trace_end end;
    bool begun;
};

static bool name_header(void *context, const struct trace_header *header, struct error *error)
{
    struct naming *naming = context;
    struct trace_header named = *header;
    named.kernel = naming->launch->kernel;
    named.input = naming->launch->input;
    named.seed = naming->launch->seed;
    named.param = naming->launch->param;
    named.params = naming->launch->params;
    for (int i = 0; i < header->arrays; i++)
        if (!strncmp(header->array[i].name, PART_PREFIX, strlen(PART_PREFIX)))
            memmove(header->array[i].name, header->array[i].name + strlen(PART_PREFIX),
                    strlen(header->array[i].name + strlen(PART_PREFIX)) + 1);
    naming->begun = true;
    return !naming->to->header || naming->to->header(naming->to->context, &named, error);
}

static bool pass_access(void *context, const struct warp_access *access, struct error *error)
{
    const struct naming *naming = context;
    return !naming->to->access || naming->to->access(naming->to->context, access, error);
}

/* Whether it is the end is known when no fault was found. */
static bool keep_end(void *context, const struct trace_end *end, struct error *error)
{
    struct naming *naming = context;
    (void)error;
    naming->end = *end;
    return true;
}

/* What it means that the program ended with that status and found no fault. */
static bool explain(struct apart *apart, int status, struct error *error)
{
    int signal = status - PROGRAM_SIGNAL;
    apart->ill = true;
    apart->late = signal == SIGXCPU || signal == SIGKILL;
    if (apart->late)
        return error_set(error, "it did not end within %d seconds: look for a loop without end",
                         RUN_SECONDS);
    if (signal > 0)
        return error_set(error, "it crashed (%s)", strsignal(signal));
    return error_set(error, "it ended its process (status %d)", status);
}

bool run_program(void *context, const struct launch *launch, const struct trace_sink *sink,
                 struct run_result *result, struct error *error)
{
    struct apart *apart = context;
    struct exercise_program *program = apart->program;
    static const struct trace_sink nobody;
    struct naming naming = {.launch = launch->header, .to = sink ? sink : &nobody};
    const struct trace_sink named = {name_header, pass_access, keep_end, &naming};
    const struct program_box box = {.input = fileno(program->in),
                                    .output = fileno(program->out),
                                    .output_bytes = launch->out_bytes,
                                    .seconds = RUN_SECONDS,
                                    .wall = WALL_SECONDS,
                                    .open = apart->unconfined};
    const struct program_choice choice = {.values = true, .box = &box};
    char name[] = "exercise", *words[] = {name, NULL};
    memset(result, 0, sizeof *result);
    apart->ill = false;
    if (!write_input(box.input, launch) || !empty(box.output))
        return error_set(&apart->trouble, "cannot write a temporary file: %s", strerror(errno));
    int status =
        session_record_single(&program->built, program->lines, words, &choice, &named, error);
    if (status > 0)
        explain(apart, status, error);
    naming.end.complete = naming.end.complete && !status;
    if (!status && !naming.begun) { /* it does without shared memory */
        naming.end.complete = true;
        if (!name_header(&naming, launch->header, error))
            status = -1;
    }
    if (naming.begun && naming.to->end && !naming.to->end(naming.to->context, &naming.end, error))
        status = -1;
    if (status)
        return false;
    apart->ill = !read_output(box.output, launch);
    return !apart->ill || error_set(error, "it did not write its output");
}

#else

struct exercise_program *exercise_program_build(const char *source, const struct named_file *files,
                                                bool confined, char *messages, size_t room,
                                                struct error *error)
{
    (void)source, (void)files, (void)confined, (void)messages, (void)room;
    error_set(error,
              "this program was built without libdw: it cannot run an exercise that is a CUDA "
              "program");
    return NULL;
}

void exercise_program_free(struct exercise_program *program)
{
    (void)program;
}

bool run_program(void *context, const struct launch *launch, const struct trace_sink *sink,
                 struct run_result *result, struct error *error)
{
    (void)context, (void)launch, (void)sink, (void)result;
    return error_set(error, "this program was built without libdw");
}

bool program_record_file(const char *file, const struct lesson_options *options,
                         struct trace *trace, struct error *error)
{
    (void)options, (void)trace;
    return error_set(error, "this program was built without libdw: it cannot run %s", file);
}

#endif
