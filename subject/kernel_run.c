/* kernel_run.c - a kernel recorded: its table, its trace, and its worst banks. */
#include "subject/subject.h"
#include "system/output.h"
#include "system/process.h"
#include "system/progress.h"
#include "viewer/viewer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Prints the kernel and its parameters above the table. */
static void print_title(FILE *file, const struct stats *stats)
{
    const struct trace_header *header = &stats->header;
    char params[4096];
    header_params(header, params, sizeof params);
    fprintf(file, "%s:%s, %d block%s, input %s, seed %" PRIu64 ", on %s\n", header->kernel, params,
            header->blocks, header->blocks == 1 ? "" : "s", header->input, header->seed,
            *header->device ? header->device : header->backend);
}

/* Prints the banks where the recording has most conflicts. */
static bool show(const struct trace *trace, FILE *file, struct error *error)
{
    struct trace_index index;
    struct figure_part part = {.index = &index, .title = "", .used_columns = true};
    struct terminal terminal = terminal_of(file, &themes[0]);
    if (!trace_index_init(&index, trace, error))
        return false;
    fputc('\n', file);
    bool good = figure_choose(&part, error) && terminal_print(&part, &terminal, 0, file, error);
    trace_index_free(&index);
    return good;
}

/* Says where a recording is that was cut. */
static void say_part(const char *part, struct error *error)
{
    if (part)
        error_add(error, "; what was recorded until then is in %s", part);
}

/* Runs the kernel into the trace's file, the table and the picture. */
static bool record_run(const struct kernel_run *run, struct trace_end *end, struct error *error)
{
    const struct recipe *recipe = run->recipe;
    const char *path = run->path;
    struct stats stats;
    struct trace trace = {0};
    struct record_progress progress;
    struct run_result result;
    bool standard = path && !strcmp(path, "-");
    FILE *table = standard ? stderr : stdout;
    struct trace_writer *writer = standard ? trace_writer_new(stdout, "standard output")
                                  : path   ? trace_writer_new(NULL, path)
                                           : NULL;
    struct trace_sink sinks[4];
    struct trace_tee tee = {sinks, 0};

    stats_init(&stats, STATS_BY_STAGE);
    sinks[tee.count++] = record_progress_sink(&progress);
    sinks[tee.count++] = stats_sink(&stats);
    if (writer)
        sinks[tee.count++] = trace_writer_sink(writer);
    if (run->show)
        sinks[tee.count++] = trace_memory_sink(&trace);
    struct trace_sink sink = trace_tee_sink(&tee);
    bool good = recipe_run(recipe, run->options, &sink, &result, error);
    if (good) {
        *end = stats.end;
        print_title(table, &stats);
        stats_print(table, &stats);
        if (recipe->kernel->report)
            recipe->kernel->report(recipe->params, &stats, table);
        good = !run->show || show(&trace, table, error);
    }
    if (!good && writer)
        say_part(trace_writer_part(writer), error);
    stats_free(&stats);
    trace_free(&trace);
    trace_writer_free(writer);
    return good;
}

static int record_here(const struct kernel_run *run)
{
    struct error error = {{0}};
    struct trace_end end = {.complete = true};
    const char *path = run->path;
    bool good = record_run(run, &end, &error);
    if (good && path && strcmp(path, "-")) {
        char *shown = text_clean(memory_copy(path));
        printf("trace: %s (bankscope view %s)\n", shown, shown);
        free(shown);
    }
    return good ? command_check_end("run", path ? path : "the recording", &end)
                : command_fail("run", &error);
}

/* In the child of process_apart. */
static int run_own(void *context, struct error *error)
{
    (void)error; /* record_here has said it */
    return command_finish(record_here(context));
}

static int record_apart(const struct kernel_run *run)
{
    struct error error = {{0}};
    int status = process_apart(run->recipe->kernel->name, run_own, (void *)(uintptr_t)run, &error);
    if (status < 0)
        say_part(outputs_settle(), &error); /* the child could not close it */
    return status < 0 ? command_fail("run", &error) : status;
}

int kernel_run(const struct kernel_run *run, bool own)
{
    return own ? record_apart(run) : record_here(run);
}
