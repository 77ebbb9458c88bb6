/* program_launch.c - one launch of a CUDA program, or each: what advise, view, stats and export go on with. */
#define _GNU_SOURCE /* memfd_create */
#include "subject/program_options.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void program_words(const struct program_options *options, const struct built_program *built,
                   char *words[PROGRAM_WORDS])
{
    int count = 0;
    words[count++] = (char *)(uintptr_t)built->source[0];
    for (char **word = options->arguments; word && *word && count < PROGRAM_WORDS - 1; word++)
        words[count++] = *word;
    words[count] = NULL;
}

bool program_make(const char *command, struct built_program *built,
                  const struct program_options *options, struct error *error)
{
    bool good = program_build(built, &options->request, error);
    if (!good && built->compiled.messages) /* warnings of a program that runs are not told */
        fputs(built->compiled.messages, stderr);
    if (good && *built->compiled.note)
        fprintf(stderr, "bankscope %s: %s\n", command, built->compiled.note);
    return good;
}

int program_say_faults(const char *command, int status, const struct program_table *table,
                       bool told)
{
    char prefix[64];
    snprintf(prefix, sizeof prefix, "bankscope %s: ", command);
    int faults = table_print_faults(told ? NULL : stderr, table, prefix);
    if (status >= 0)
        faults += table_print_cut(stderr, table, prefix);
    table_print_notes(stderr, table, prefix);
    if (status >= PROGRAM_SIGNAL)
        fprintf(stderr, "%sthe program was ended by signal %d (%s)\n", prefix,
                status - PROGRAM_SIGNAL, strsignal(status - PROGRAM_SIGNAL));
    return faults;
}

int program_status(int status)
{
    return status >= PROGRAM_SIGNAL ? 128 + status - PROGRAM_SIGNAL : status;
}

/* The launch with the most conflicts of those that have ended, in a file. */
struct worst_launch {
    struct launch_taker taker;
    FILE *file;
    struct trace_writer *writer;
    uint64_t number, conflicts;
    char name[128];
    int launches; /* that used shared memory */
};

/* Conflicts of a launch; if only global memory was looked at, sectors beyond the least. */
static uint64_t conflicts_of(const struct program_table *table, uint64_t number)
{
    const enum program_space space = table->memory == MEMORY_GLOBAL ? SPACE_GLOBAL : SPACE_SHARED;
    uint64_t conflicts = 0;
    for (size_t i = table->launches; i-- > 0;)
        if (table->launch[i].number == number) {
            for (size_t k = 0; k < table->launch[i].rows; k++)
                if (table->launch[i].row[k].space == space)
                    conflicts += table->launch[i].row[k].tally.conflicts;
            break;
        }
    return conflicts;
}

static bool worst_begin(void *context, const struct program_launch *launch, struct trace_sink *sink,
                        struct error *error)
{
    struct worst_launch *worst = context;
    uint64_t conflicts = conflicts_of(worst->taker.table, launch->number);
    if (worst->launches++ && conflicts <= worst->conflicts)
        return true;
    worst->number = launch->number;
    worst->conflicts = conflicts;
    snprintf(worst->name, sizeof worst->name, "%.100s", launch->name);
    rewind(worst->file);
    if (ftruncate(fileno(worst->file), 0))
        return error_set(error, "cannot write a temporary file: %s", strerror(errno));
    worst->writer = trace_writer_new(worst->file, "a temporary file");
    if (!worst->writer)
        return error_set(error, "out of memory");
    *sink = trace_writer_sink(worst->writer);
    return true;
}

static bool worst_end(void *context, struct error *error)
{
    struct worst_launch *worst = context;
    (void)error;
    trace_writer_free(worst->writer);
    worst->writer = NULL;
    return true;
}

const char *program_source(const struct program_options *options)
{
    return options->request.sources ? options->request.source[0] : options->request.database;
}

const char *program_chose_none(const struct program_choice *choice,
                               const struct program_table *table)
{
    for (size_t i = 0; i < table->launches; i++)
        if (table->launch[i].end.recorded_blocks || !table->launch[i].ended)
            return NULL;
    return !table->end.launches ? NULL
           : choice->kernel     ? "--kernel"
           : choice->launch     ? "--launch"
           : choice->blocks     ? "--blocks"
                                : NULL;
}

bool program_has_none(const struct launch_taker *taker, const struct program_options *options,
                      struct error *error)
{
    static const char *const names[] = {"shared", "global", "any"};
    if (*taker->stopped)
        return error_set(error, "%s: nothing is recorded of %s", program_source(options),
                         taker->stopped);
    if (taker->chose_none)
        return error_set(error, "%s chooses no launch of %s; 'bankscope run' lists them",
                         taker->chose_none, program_source(options));
    return error_set(error, "no recorded launch of %s used %s memory", program_source(options),
                     names[options->choice.memory]);
}

static bool read_worst(const char *command, const struct program_options *options,
                       const struct worst_launch *worst, const struct trace_sink *to,
                       struct error *error)
{
    const enum program_memory memory = options->choice.memory;
    if (!worst->launches)
        return program_has_none(&worst->taker, options, error);
    if (worst->launches > 1)
        fprintf(stderr,
                "bankscope %s: this is launch %" PRIu64 ", %s, which has the most %s (%" PRIu64
                ") of %d launches; --launch N or --kernel REGEX chooses\n",
                command, worst->number, worst->name,
                memory == MEMORY_GLOBAL ? "sectors beyond the least" : "conflicts",
                worst->conflicts, worst->launches);
    rewind(worst->file);
    return trace_read(worst->file, program_source(options), to, error);
}

/* The first launch of which no block has ended, and what stopped it. */
static void say_stopped(const struct program_table *table, char *text, size_t room)
{
    const struct launch_table *launch = table->launch;
    const struct launch_table *end = launch ? launch + table->launches : NULL;
    while (launch < end && (launch->end.reason != RECORD_FAULTED || launch->end.kept_blocks))
        launch++;
    if (launch == end)
        return;
    snprintf(text, room, "launch %" PRIu64 " (%s), which stopped before one of its blocks ended",
             launch->number, launch->name);
    for (size_t i = 0; i < table->faults; i++) {
        const struct table_fault *fault = &table->fault[i];
        const size_t length = strlen(text);
        if (fault->launch != launch->number || !fault->error)
            continue;
        snprintf(text + length, room - length, ": %s", fault->kind);
        if (fault->place && fault->place->line)
            snprintf(text + strlen(text), room - strlen(text), " at %s:%d", fault->place->file,
                     fault->place->line);
        return;
    }
}

/* Everything after the build, as program_record_each. */
static int record_each(const char *command, const struct program_options *options,
                       const struct built_program *built, struct launch_taker *taker,
                       struct error *error)
{
    struct program_table table;
    struct program_traces traces;
    struct source_lines *lines = lines_open(built);
    char *words[PROGRAM_WORDS];
    program_words(options, built, words);
    table_init(&table, lines);
    table.excuses = options->choice.excuses;
    table.memory = options->choice.memory;
    traces_init(&traces, lines);
    taker->table = &table;
    traces.begin = taker->begin;
    traces.end = taker->end;
    traces.context = taker->context;
    struct program_sink sinks[] = {table_sink(&table), traces_sink(&traces)};
    struct program_tee tee = {sinks, 2};
    struct program_sink sink = program_tee_sink(&tee);
    struct program_choice choice = options->choice;
    choice.output_apart = true;
    choice.accesses = choice.accesses ? choice.accesses : DEFAULT_KEPT;
    fflush(NULL);
    int status = session_run(built, lines, words, &choice, &sink, error);
    if (status >= 0 && !traces_finish(&traces, error))
        status = -1;
    if (status > 0 && status < PROGRAM_SIGNAL)
        fprintf(stderr, "bankscope %s: the program ended with status %d\n", command, status);
    if (program_say_faults(command, status, &table, false) && status == 0)
        status = 1;
    say_stopped(&table, taker->stopped, sizeof taker->stopped);
    taker->chose_none = program_chose_none(&options->choice, &table);
    traces_free(&traces);
    table_free(&table);
    lines_free(lines);
    return program_status(status);
}

int program_record_each(const char *command, const struct program_options *options,
                        struct launch_taker *taker, struct error *error)
{
    struct built_program built = {.sources = 0};
    int status = program_make(command, &built, options, error)
                     ? record_each(command, options, &built, taker, error)
                     : -1;
    program_free(&built);
    return status;
}

int program_record(const char *command, const struct program_options *options,
                   const struct trace_sink *to, struct error *error)
{
    /* In memory, for the accesses that are kept are few: the time that a disk takes would be felt after each save. */
    const int memory = memfd_create("launch", MFD_CLOEXEC);
    struct worst_launch worst = {.file = memory < 0 ? NULL : fdopen(memory, "w+")};
    if (!worst.file)
        return error_set(error, "cannot make a temporary file: %s", strerror(errno)), -1;
    worst.taker = (struct launch_taker){worst_begin, worst_end, &worst, NULL, NULL, ""};
    int status = program_record_each(command, options, &worst.taker, error);
    if (status >= 0 && !read_worst(command, options, &worst, to, error))
        status = -1;
    fclose(worst.file);
    return status;
}
