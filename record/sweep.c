/* sweep.c - records one kernel with every combination of parameters: see sweep.h. */
#include "record/sweep.h"
#include "record/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

/* ---- axes ---------------------------------------------------------------------------------------- */

static bool add_value(struct sweep_axis *axis, const char *text, size_t length, struct error *error)
{
    if (axis->count == SWEEP_MAX_VALUES)
        return error_set(error, "%s: more than %d values", axis->name, SWEEP_MAX_VALUES);
    if (!memory_grow(&axis->value, &axis->room, (size_t)axis->count + 1, sizeof *axis->value,
                     "values", error))
        return false;
    axis->value[axis->count++] = memory_copy_of(text, length);
    return true;
}

/* Reads a whole number; *end points behind it. */
static bool read_number(const char *text, const char **end, int64_t *number)
{
    char *past;
    errno = 0;
    *number = strtoll(text, &past, 10);
    *end = past;
    return past > text && !errno && *number >= -MAX_WHOLE && *number <= MAX_WHOLE;
}

/* "1..8", "1..17..4" or "64..1024*2", of `length` bytes. */
static bool add_range(struct sweep_axis *axis, const char *text, size_t length, struct error *error)
{
    int64_t from, to, step = 1;
    const char *end, *stop = text + length;
    bool times = false, good = read_number(text, &end, &from) && !strncmp(end, "..", 2) &&
                               read_number(end + 2, &end, &to);
    if (good && end < stop && (*end == '*' || !strncmp(end, "..", 2))) {
        times = *end == '*';
        good = read_number(end + (times ? 1 : 2), &end, &step);
    }
    if (!good || end != stop)
        return error_set(error,
                         "%s=%.*s is no range; write A..B, A..B..STEP or A..B*FACTOR, as in "
                         "%s=1..8",
                         axis->name, (int)length, text, axis->name);
    if (step < (times ? 2 : 1) || (times && from < 1) || to < from)
        return error_set(error, "%s=%.*s has no values: it must ascend, by %s", axis->name,
                         (int)length, text, times ? "a factor of 2 or more" : "1 or more");
    while (from <= to) {
        char number[32];
        int written = snprintf(number, sizeof number, "%" PRId64, from);
        if (!add_value(axis, number, (size_t)written, error))
            return false;
        if (times && from > to / step)
            break;
        from = times ? from * step : from + step;
    }
    return true;
}

static bool has_dots(const char *text, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++)
        if (text[i] == '.' && text[i + 1] == '.')
            return true;
    return false;
}

bool sweep_is_list(const char *text)
{
    return strchr(text, ',') || has_dots(text, strlen(text));
}

static bool add_values(struct sweep_axis *axis, const char *text, struct error *error)
{
    for (;;) {
        size_t length = strcspn(text, ",");
        if (length == 0)
            return error_set(error, "%s has an empty value in its list", axis->name);
        if (has_dots(text, length) ? !add_range(axis, text, length, error)
                                   : !add_value(axis, text, length, error))
            return false;
        if (!text[length])
            return true;
        text += length + 1;
    }
}

bool sweep_add_axis(struct sweep *sweep, const char *name, const char *text, struct error *error)
{
    for (int i = 0; i < sweep->axes; i++)
        if (!strcmp(sweep->axis[i].name, name))
            return error_set(error, "%s is swept twice", name);
    size_t room = (size_t)sweep->axes;
    if (!memory_grow(&sweep->axis, &room, (size_t)sweep->axes + 1, sizeof *sweep->axis, "axes",
                     error))
        return false;
    struct sweep_axis *axis = &sweep->axis[sweep->axes++];
    *axis = (struct sweep_axis){.name = memory_copy(name)};
    if (!add_values(axis, text, error))
        return false;
    sweep->points = 1;
    for (int i = 0; i < sweep->axes; i++) {
        sweep->points *= (size_t)sweep->axis[i].count;
        if (sweep->points > SWEEP_MAX_POINTS)
            return error_set(error, "more than %d combinations; sweep fewer values",
                             SWEEP_MAX_POINTS);
    }
    return true;
}

const char *sweep_value(const struct sweep *sweep, size_t point, int axis)
{
    for (int i = sweep->axes - 1; i > axis; i--)
        point /= (size_t)sweep->axis[i].count;
    return sweep->axis[axis].value[point % (size_t)sweep->axis[axis].count];
}

void sweep_free(struct sweep *sweep)
{
    for (int i = 0; i < sweep->axes; i++) {
        for (int k = 0; k < sweep->axis[i].count; k++)
            free(sweep->axis[i].value[k]);
        free(sweep->axis[i].value);
        free(sweep->axis[i].name);
    }
    free(sweep->axis);
    free(sweep->point);
    *sweep = (struct sweep){.axes = 0};
}

/* ---- one point ------------------------------------------------------------------------------------ */

static void add_row(struct sweep_point *point, const struct stats_row *row)
{
    point->warp_accesses += row->warp_accesses;
    point->accesses += row->accesses;
    point->passes += row->passes;
    point->conflicts += row->conflicts;
    if (row->max_ways > point->max_ways)
        point->max_ways = row->max_ways;
}

static bool add_rows(const struct sweep *sweep, const struct stats *stats,
                     struct sweep_point *point, struct error *error)
{
    int stage = sweep->stage ? header_stage(&stats->header, sweep->stage) : -1;
    if (sweep->stage && stage < 0)
        return error_set(error, "there is no stage '%s'", sweep->stage);
    for (size_t i = 0; i < stats->rows; i++)
        if (stage < 0 || stats->row[i].stage == stage)
            add_row(point, &stats->row[i]);
    return true;
}

/* The axes' values into the recipe. */
static bool set_values(const struct sweep *sweep, size_t point, struct recipe *recipe,
                       struct error *error)
{
    for (int i = 0; i < sweep->axes; i++) {
        const char *name = sweep->axis[i].name, *value = sweep_value(sweep, point, i);
        char assignment[256];
        struct recipe_words words = {.count = 0};
        enum recipe_word_kind kind = !strcmp(name, "input")  ? RECIPE_INPUT
                                     : !strcmp(name, "seed") ? RECIPE_SEED
                                                             : RECIPE_PARAM;
        snprintf(assignment, sizeof assignment, "%s=%s", name, value);
        if (!recipe_words_add(&words, kind, kind == RECIPE_PARAM ? assignment : value, error) ||
            !recipe_apply(recipe, &words, error))
            return false;
    }
    return true;
}

static void record_point(const struct sweep *sweep, size_t at, struct sweep_point *point)
{
    struct error error = {{0}};
    struct recipe recipe;
    struct run_result result;
    struct stats stats;
    recipe_init(&recipe, sweep->kernel);
    stats_init(&stats, STATS_BY_STAGE);
    struct trace_sink sink = stats_sink(&stats);
    bool good = recipe_apply(&recipe, sweep->words, &error) &&
                set_values(sweep, at, &recipe, &error) &&
                recipe_run(&recipe, sweep->options, &sink, &result, &error) &&
                add_rows(sweep, &stats, point, &error);
    snprintf(point->why, sizeof point->why, "%.*s", (int)sizeof point->why - 1, error.text);
    stats_free(&stats);
    recipe_free(&recipe);
    /* Last, because another process may be looking at it. */
    __atomic_store_n(&point->state, good ? SWEEP_DONE : SWEEP_REFUSED, __ATOMIC_RELEASE);
}

/* ---- all points ------------------------------------------------------------------------------------ */

/* A process records every jobs-th point of the share, starting with its `next`. */
struct worker {
    const struct sweep *sweep;
    struct process process;
    bool running;
    size_t next;    /* the point with which it begins, counted within the share */
    size_t fetched; /* how many of its points have been copied to sweep->point */
};

static size_t share_of(const struct sweep *sweep)
{
    return sweep->first < sweep->points
               ? (sweep->points - sweep->first + sweep->step - 1) / sweep->step
               : 0;
}

static int work(void *context, void *shared)
{
    const struct worker *worker = context;
    const struct sweep *sweep = worker->sweep;
    struct sweep_point *point = shared;
    for (size_t i = worker->next; i < share_of(sweep); i += (size_t)sweep->jobs)
        record_point(sweep, sweep->first + i * sweep->step, point++);
    return 0;
}

static size_t points_of(const struct worker *worker)
{
    const struct sweep *sweep = worker->sweep;
    size_t share = share_of(sweep), jobs = (size_t)sweep->jobs;
    return worker->next < share ? (share - worker->next + jobs - 1) / jobs : 0;
}

static bool start(struct worker *worker, struct error *error)
{
    size_t points = points_of(worker);
    worker->fetched = 0;
    worker->running = points > 0;
    return points == 0 || process_start(&worker->process, points * sizeof(struct sweep_point), work,
                                        worker, error);
}

/* Copies the points that have been recorded so far. */
static void fetch(struct worker *worker)
{
    const struct sweep *sweep = worker->sweep;
    const struct sweep_point *point = worker->process.shared;
    for (; worker->fetched < points_of(worker) &&
           __atomic_load_n(&point[worker->fetched].state, __ATOMIC_ACQUIRE) != SWEEP_NOT_RUN;
         worker->fetched++)
        sweep->point[sweep->first + (worker->next + worker->fetched * (size_t)sweep->jobs) *
                                        sweep->step] = point[worker->fetched];
}

/* A process has ended. If some of its points are missing, the first of them made it crash, and
 * another process continues behind that point. */
static bool finish(struct worker *worker, int status, struct error *error)
{
    const struct sweep *sweep = worker->sweep;
    fetch(worker);
    process_free(&worker->process);
    worker->running = false;
    if (worker->fetched == points_of(worker))
        return true;
    worker->next += worker->fetched * (size_t)sweep->jobs;
    struct sweep_point *point = &sweep->point[sweep->first + worker->next * sweep->step];
    point->state = SWEEP_REFUSED;
    if (WIFSIGNALED(status))
        snprintf(point->why, sizeof point->why, "the kernel crashed (%s)",
                 strsignal(WTERMSIG(status)));
    else
        snprintf(point->why, sizeof point->why, "the kernel ended the program with status %d",
                 WEXITSTATUS(status));
    worker->next += (size_t)sweep->jobs;
    return start(worker, error);
}

bool sweep_run(struct sweep *sweep, void (*progress)(size_t done, size_t of), struct error *error)
{
    size_t share = share_of(sweep);
    if (sweep->jobs < 1)
        sweep->jobs = 1;
    sweep->point = memory_array(sweep->points, sizeof *sweep->point, "points", error);
    struct worker *workers = memory_array((size_t)sweep->jobs, sizeof *workers, "jobs", error);
    bool good = sweep->point && workers;
    int running = 0;
    for (int i = 0; good && i < sweep->jobs; i++) {
        workers[i] = (struct worker){.sweep = sweep, .next = (size_t)i};
        good = start(&workers[i], error);
        running += good && workers[i].running;
    }
    while (good && running) {
        static const struct timespec while_they_work = {.tv_nsec = 5000000};
        nanosleep(&while_they_work, NULL);
        size_t done = 0;
        running = 0;
        for (int i = 0; good && i < sweep->jobs; i++) {
            struct worker *worker = &workers[i];
            int status;
            if (worker->running && process_ended(&worker->process, &status))
                good = finish(worker, status, error);
            else if (worker->running)
                fetch(worker);
            running += worker->running;
        }
        for (size_t i = 0; i < share; i++)
            done += sweep->point[sweep->first + i * sweep->step].state != SWEEP_NOT_RUN;
        if (progress)
            progress(done, share);
    }
    for (int i = 0; workers && i < sweep->jobs; i++)
        if (workers[i].running) {
            process_kill(&workers[i].process);
            process_wait(&workers[i].process);
            process_free(&workers[i].process);
        }
    free(workers);
    return good;
}
