/* single.c - one launch of a program as a trace, and the first fault as an error: for whoever wants the
 * one recording and no tables. */
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

struct single {
    const struct trace_sink *to;
    bool taken;
};

static bool take_launch(void *context, const struct program_launch *launch, struct trace_sink *sink,
                        struct error *error)
{
    struct single *single = context;
    (void)launch, (void)error;
    if (!single->taken)
        *sink = *single->to;
    single->taken = true;
    return true;
}

static bool leave_launch(void *context, struct error *error)
{
    (void)context, (void)error;
    return true;
}

/* The first thing that the checker found, if any is an error. */
static bool tell_fault(const struct program_table *table, struct error *error)
{
    char *text = NULL;
    size_t length;
    FILE *lines = open_memstream(&text, &length);
    if (!lines)
        memory_exhausted();
    int errors = table_print_faults(lines, table, "");
    if (fclose(lines))
        memory_exhausted();
    if (errors) {
        text[strcspn(text, "\n")] = '\0';
        error_set(error, "%s", text);
    }
    free(text);
    return errors;
}

int session_record_single(const struct built_program *program, struct source_lines *lines,
                          char *const *words, const struct program_choice *from,
                          const struct trace_sink *to, struct error *error)
{
    struct program_table table;
    struct program_traces traces;
    struct single single = {.to = to};
    table_init(&table, lines);
    traces_init(&traces, lines);
    traces.begin = take_launch;
    traces.end = leave_launch;
    traces.context = &single;
    struct program_choice choice = *from;
    choice.accesses = choice.accesses ? choice.accesses : DEFAULT_KEPT;
    struct program_sink sinks[] = {table_sink(&table), traces_sink(&traces)};
    struct program_tee tee = {sinks, 2};
    struct program_sink sink = program_tee_sink(&tee);
    int status = session_run(program, lines, words, &choice, &sink, error);
    if (status >= 0 && !traces_finish(&traces, error))
        status = -1;
    if (status >= 0 && tell_fault(&table, error))
        status = -1;
    traces_free(&traces);
    table_free(&table);
    return status;
}
