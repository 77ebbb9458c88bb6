/* job.c - what takes a while: recordings that are made while the window goes on. */
#include "instrument/advice.h"
#include "viewer/window/window.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct job *job_new(bool (*work)(struct job *job), const void *context, int panel)
{
    struct job *job = memory_new(1, sizeof *job);
    job->work = work;
    job->context = context;
    job->panel = panel;
    job->result = exhibit_new();
    return job;
}

void job_run(struct job *job)
{
    job->good = job->work(job) && (!job->result || exhibit_index(job->result, &job->error));
}

void job_free(struct job *job)
{
    if (!job)
        return;
    exhibit_free(job->result);
    free(job->place);
    free(job);
}

/* ---- a sink that can be stopped ------------------------------------------------------------------ */

static bool take_header(void *context, const struct trace_header *header, struct error *error)
{
    struct job *job = context;
    struct trace_sink to = trace_memory_sink(&job->result->trace);
    return to.header(to.context, header, error);
}

static bool take_access(void *context, const struct warp_access *access, struct error *error)
{
    struct job *job = context;
    struct trace_sink to = trace_memory_sink(&job->result->trace);
    return !atomic_load_explicit(&job->stop, memory_order_relaxed) &&
           to.access(to.context, access, error);
}

static bool take_end(void *context, const struct trace_end *end, struct error *error)
{
    struct job *job = context;
    struct trace_sink to = trace_memory_sink(&job->result->trace);
    return to.end(to.context, end, error);
}

struct trace_sink job_sink(struct job *job)
{
    return (struct trace_sink){take_header, take_access, take_end, job};
}

/* ---- the advised layouts --------------------------------------------------------------------------- */

/* Hands a trace in memory to a sink. */
static bool replay(const struct trace *trace, const struct trace_sink *sink, const struct job *job,
                   struct error *error)
{
    bool good = sink->header(sink->context, &trace->header, error);
    for (size_t i = 0; good && i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        good = !atomic_load_explicit(&job->stop, memory_order_relaxed) &&
               sink->access(sink->context, &access, error);
    }
    return good && sink->end(sink->context, &trace->end, error);
}

/* Says why there is nothing to show. */
static bool nothing_better(const struct advice *advice, struct error *error)
{
    uint64_t conflicts = 0, irregular = 0;
    for (int i = 0; i < advice->arrays; i++) {
        conflicts += advice->array[i].today.conflicts;
        irregular += advice->array[i].today.irregular;
    }
    if (conflicts == 0)
        return error_set(error, "no conflicts: no layout costs less");
    return error_set(error,
                     "none of the layouts tried costs less; data decides %" PRIu64
                     " of the %" PRIu64 " conflicts",
                     irregular, conflicts);
}

bool job_advise(struct job *job)
{
    const struct trace *trace = job->context;
    struct advice advice = {.arrays = 0};
    struct trace_sink sink = advice_sink(&advice);
    bool good = replay(trace, &sink, job, &job->error) && advice_search(&advice, &job->error);
    struct layout_move *move = memory_new((size_t)advice.arrays, sizeof *move);
    int moves = 0;
    sink = job_sink(job);
    /* The last array moves first, because arrays behind one that grows move up. */
    for (int i = 0; good && i < advice.arrays; i++) {
        const struct advice_array *array = &advice.array[i];
        if (array->rows == 0)
            continue;
        const struct layout *layout = &array->row[0].layout;
        char declaration[160], access[160], described[128];
        advice_write(array, layout, declaration, access, sizeof access);
        advice_describe(array, layout, described, sizeof described);
        const char *written = layout->padding ? declaration : access;
        text_add(job->title, sizeof job->title, "%s%s",
                 moves ? "; " : "advised: ", *array->array.name ? written : described);
        move[moves] = (struct layout_move){.array = array, .layout = *layout, .to = sink};
        sink = layout_move_sink(&move[moves++]);
    }
    good = good && (moves > 0 || nothing_better(&advice, &job->error)) &&
           replay(trace, &sink, job, &job->error);
    job->result->trace.only_block = trace->only_block;
    for (int i = 0; i < moves; i++)
        layout_move_free(&move[i]);
    free(move);
    advice_free(&advice);
    return good;
}

/* ---- the workshop ------------------------------------------------------------------------------ */

bool job_record(struct job *job)
{
    const struct workshop *workshop = job->context;
    return workshop->record(workshop->context, job);
}

bool job_open(struct job *job)
{
    const struct workshop *workshop = job->context;
    return workshop->open(workshop->context, job);
}

bool job_launch(struct job *job)
{
    const struct workshop *workshop = job->context;
    return workshop->show(workshop->context, job);
}

bool job_follow(struct job *job)
{
    const struct workshop *workshop = job->context;
    exhibit_free(job->result);
    job->result = NULL;
    return workshop->follow(workshop->context, job);
}

bool job_survey(struct job *job)
{
    const struct workshop *workshop = job->context;
    exhibit_free(job->result);
    job->result = NULL;
    return workshop->survey(workshop->context, job);
}

bool job_page(struct job *job)
{
    const struct workshop *workshop = job->context;
    exhibit_free(job->result);
    job->result = NULL;
    if (workshop->page(workshop->context, job))
        return true;
    const struct error why = job->error;
    job->error.text[0] = '\0';
    return error_set(&job->error, "%s, but no page: %s", job->title, why.text);
}
