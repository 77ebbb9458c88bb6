/* survey.c - the launches of a program, each as a trace in a folder. */
#include "subject/launches.h"
#include "subject/operands.h"
#include "system/output.h"
#include "system/paths.h"
#include "system/process.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct survey {
    char folder[256]; /* "": not made yet */
    struct surveyed {
        struct launch_row row;
        bool kept; /* its trace is in the folder */
    } * launch;
    size_t launches, room;
    uint64_t bytes; /* of the traces */
    struct trace_writer *writer;
    char path[300]; /* of the trace that is being written */
    struct job *job;
    atomic_bool running, done; /* compiled; ended */
    atomic_ullong begun, blocks_done, blocks;
    char told[300];            /* once it is done */
    struct operands *operands; /* of the warp that was followed; NULL: none */
};

/* Traces are kept up to so many bytes; beyond, the program runs again for a launch. */
static const uint64_t MOST_KEPT = UINT64_C(1) << 30;

static bool survey_progress(void *context, uint64_t launches, uint64_t done, uint64_t of)
{
    struct survey *survey = context;
    atomic_store(&survey->running, true);
    atomic_store(&survey->begun, launches);
    atomic_store(&survey->blocks_done, done);
    atomic_store(&survey->blocks, of);
    return !atomic_load(&survey->job->stop);
}

enum { LIST_NAME = 24 }; /* bytes of the program's name, which leave room for what is said of it */

struct surveying {
    struct survey *survey;
    struct launch_taker taker;
};

static bool survey_begin(void *context, const struct program_launch *launch,
                         struct trace_sink *sink, struct error *error)
{
    const struct surveying *surveying = context;
    struct survey *survey = surveying->survey;
    const struct program_table *table = surveying->taker.table;
    if (!memory_grow(&survey->launch, &survey->room, survey->launches + 1, sizeof *survey->launch,
                     "launches", error))
        return false;
    struct surveyed *taken = &survey->launch[survey->launches++];
    *taken = (struct surveyed){.kept = false};
    launch_row_of(launch, table, &taken->row);
    if (survey->bytes > MOST_KEPT)
        return true;
    snprintf(survey->path, sizeof survey->path, "%s/%zu.jsonl", survey->folder,
             survey->launches - 1);
    survey->writer = trace_writer_new(NULL, survey->path);
    *sink = trace_writer_sink(survey->writer);
    taken->kept = true;
    return true;
}

static bool survey_end(void *context, struct error *error)
{
    struct survey *survey = ((struct surveying *)context)->survey;
    struct stat is;
    (void)error;
    trace_writer_free(survey->writer);
    survey->writer = NULL;
    survey->bytes += stat(survey->path, &is) ? 0 : (uint64_t)is.st_size;
    return true;
}

/* struct workshop's survey. */
static bool survey_program(void *context, struct job *job)
{
    struct subject_workshop *shop = context;
    struct survey *survey = shop->survey;
    struct subject *subject = &shop->subjects.subject[0];
    struct surveying surveying = {.survey = survey,
                                  .taker = {survey_begin, survey_end, &surveying, NULL, NULL, ""}};
    struct program_options *options = &subject->program;
    uint64_t conflicts = 0;
    char name[SUBJECT_SHORT];
    survey->job = job;
    subject_request(subject);
    options->choice.values = true;
    options->choice.progress = survey_progress;
    options->choice.progress_context = survey;
    const int status = temporary_make(survey->folder, sizeof survey->folder, &job->error)
                           ? program_record_each("view", options, &surveying.taker, &job->error)
                           : -1;
    trace_writer_free(survey->writer);
    survey->writer = NULL;
    options->choice.progress = NULL;
    shop->status |= status != 0;
    for (size_t i = 0; i < survey->launches; i++)
        conflicts += survey->launch[i].row.conflicts;
    snprintf(survey->told, sizeof survey->told,
             "%s: %zu launch%s with shared memory, %" PRIu64 " conflict%s%s",
             subject_short(subject, LIST_NAME, name), survey->launches,
             survey->launches == 1 ? "" : "es", conflicts, conflicts == 1 ? "" : "s",
             status > 0 ? "\nwhat is wrong with it stands in the terminal" : "");
    if (status < 0) {
        snprintf(survey->told, sizeof survey->told, "%s: nothing was recorded", name);
        command_fail("view", &job->error);
    }
    atomic_store(&survey->done, true);
    return status >= 0 &&
           (survey->launches || program_has_none(&surveying.taker, options, &job->error));
}

/* struct workshop's doing. */
static void survey_tell(void *context, char *text, size_t room)
{
    const struct subject_workshop *shop = context;
    struct survey *survey = shop->survey;
    const unsigned long long begun = atomic_load(&survey->begun), of = atomic_load(&survey->blocks);
    char name[SUBJECT_SHORT];
    subject_short(&shop->subjects.subject[0], LIST_NAME, name);
    if (atomic_load(&survey->done))
        snprintf(text, room, "%s", survey->told);
    else if (!atomic_load(&survey->running))
        snprintf(text, room, "compiling %s...", name);
    else if (of)
        snprintf(text, room, "running %s: launch %llu, %llu of %llu blocks", name,
                 begun ? begun - 1 : 0, (unsigned long long)atomic_load(&survey->blocks_done), of);
    else
        snprintf(text, room, "running %s: %llu launch%s so far", name, begun,
                 begun == 1 ? "" : "es");
}

static int survey_count(void *context)
{
    const struct subject_workshop *shop = context;
    return (int)shop->survey->launches;
}

static void survey_row(void *context, int number, struct launch_row *row)
{
    const struct subject_workshop *shop = context;
    *row = shop->survey->launch[number].row;
    row->number = number;
}

/* struct workshop's show. */
static bool survey_show(void *context, struct job *job)
{
    struct subject_workshop *shop = context;
    const struct surveyed *launch = &shop->survey->launch[job->launch];
    struct trace_sink sink = job_sink(job);
    char path[300], number[24];
    job->subject = 0;
    if (launch->kept) {
        snprintf(path, sizeof path, "%s/%d.jsonl", shop->survey->folder, job->launch);
        return trace_read_path(path, NULL, &sink, &job->error);
    }
    struct program_options options = shop->subjects.subject[0].program;
    snprintf(number, sizeof number, "%" PRIu64, launch->row.launch);
    options.choice.launch = number;
    return program_record("view", &options, &sink, &job->error) >= 0;
}

static bool follow_progress(void *context, uint64_t launches, uint64_t done, uint64_t of)
{
    const struct job *job = context;
    (void)launches, (void)done, (void)of;
    return !atomic_load(&job->stop);
}

/* struct workshop's follow. */
static bool survey_follow(void *context, struct job *job)
{
    struct subject_workshop *shop = context;
    struct survey *survey = shop->survey;
    struct program_options options = shop->subjects.subject[0].program;
    const struct program_follow warp = {(uint64_t)job->block, (uint32_t)job->warp};
    struct built_program built = {.sources = 0};
    char *words[PROGRAM_WORDS], number[24];
    int status = -1;
    operands_free(survey->operands);
    survey->operands = operands_new(&warp);
    snprintf(number, sizeof number, "%" PRIu64, survey->launch[job->launch].row.launch);
    options.choice.launch = number;
    options.choice.follow = &warp;
    options.choice.values = false;
    options.choice.silent = true;
    options.choice.accesses = options.choice.accesses ? options.choice.accesses : DEFAULT_KEPT;
    options.choice.progress = follow_progress;
    options.choice.progress_context = job;
    if (program_build(&built, &options.request, &job->error)) {
        struct source_lines *lines = lines_open(&built);
        const struct program_sink sink = operands_sink(survey->operands, lines);
        program_words(&options, &built, words);
        fflush(NULL);
        status = session_run(&built, lines, words, &options.choice, &sink, &job->error);
        lines_free(lines);
    }
    program_free(&built);
    return status >= 0;
}

/* struct workshop's registers. */
static int survey_registers(void *context, const struct warp_access *access, int lane,
                            struct register_row *row, int room)
{
    const struct subject_workshop *shop = context;
    return operands_tell(shop->survey->operands, access, lane, row, room);
}

void survey_free(struct survey *survey)
{
    if (survey && *survey->folder)
        passing_remove(survey->folder);
    if (survey) {
        operands_free(survey->operands);
        free(survey->launch);
    }
    free(survey);
}

struct survey *survey_new(void)
{
    return memory_new(1, sizeof(struct survey));
}

void survey_add(struct workshop *workshop)
{
    workshop->survey = survey_program;
    workshop->doing = survey_tell;
    workshop->launches = survey_count;
    workshop->launch = survey_row;
    workshop->show = survey_show;
    workshop->follow = survey_follow;
    workshop->registers = survey_registers;
}
