/* sweep.c - records kernels with every combination of parameters: see sweep.h. */
#include "measure/sweep.h"
#include "system/process.h"

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

static bool count_points(struct sweep *sweep, struct error *error)
{
    sweep->points = 1;
    for (int i = 0; i < sweep->axes; i++) {
        sweep->points *= (size_t)sweep->axis[i].count;
        if (sweep->points > SWEEP_MAX_POINTS)
            return error_set(error, "more than %d combinations; sweep fewer values",
                             SWEEP_MAX_POINTS);
    }
    return true;
}

bool sweep_add_axis(struct sweep *sweep, const char *name, const char *text, struct error *error)
{
    for (int i = 0; i < sweep->axes; i++)
        if (!strcmp(sweep->axis[i].name, name))
            return error_set(error, "%s is swept twice", name);
    if (sweep->axes == SWEEP_AXES)
        return error_set(error, "more than %d things are swept", SWEEP_AXES);
    size_t room = (size_t)sweep->axes;
    if (!memory_grow(&sweep->axis, &room, (size_t)sweep->axes + 1, sizeof *sweep->axis, "axes",
                     error))
        return false;
    struct sweep_axis *axis = &sweep->axis[sweep->axes++];
    *axis = (struct sweep_axis){.name = memory_copy(name)};
    return add_values(axis, text, error) && count_points(sweep, error);
}

int sweep_index(const struct sweep *sweep, size_t point, int axis)
{
    for (int i = sweep->axes - 1; i > axis; i--)
        point /= (size_t)sweep->axis[i].count;
    return (int)(point % (size_t)sweep->axis[axis].count);
}

const char *sweep_value(const struct sweep *sweep, size_t point, int axis)
{
    return sweep->axis[axis].value[sweep_index(sweep, point, axis)];
}

int sweep_find_axis(const struct sweep *sweep, const char *name)
{
    for (int i = 0; i < sweep->axes; i++)
        if (!strcmp(sweep->axis[i].name, name))
            return i;
    return -1;
}

void sweep_fix(struct sweep *sweep)
{
    static const char *const before[] = {
        [RECIPE_PARAM] = "", [RECIPE_INPUT] = "--input ", [RECIPE_SEED] = "--seed "};
    char text[4096] = "";
    for (int i = 0; i < sweep->words->count; i++)
        text_add(text, sizeof text, "%s%s%s", i ? " " : "", before[sweep->words->word[i].kind],
                 sweep->words->word[i].text);
    sweep->fixed = memory_copy(text);
}

/* The axis "kernel" becomes the first. */
static bool make_kernel_axis(struct sweep *sweep, struct error *error)
{
    if (!sweep_add_axis(sweep, "kernel", sweep->name[0], error))
        return false;
    struct sweep_axis axis = sweep->axis[sweep->axes - 1];
    memmove(sweep->axis + 1, sweep->axis, (size_t)(sweep->axes - 1) * sizeof axis);
    sweep->axis[0] = axis;
    return true;
}

bool sweep_add_kernel(struct sweep *sweep, const struct kernel *kernel, struct error *error)
{
    for (int i = 0; i < sweep->kernels; i++)
        if (!strcmp(sweep->name[i], kernel->name))
            return error_set(error, "%s is swept twice", kernel->name);
    if (sweep->kernels == SWEEP_KERNELS)
        return error_set(error, "more than %d kernels", SWEEP_KERNELS);
    if (sweep->kernels == 1 && !make_kernel_axis(sweep, error))
        return false;
    sweep->kernel[sweep->kernels] = kernel;
    sweep->name[sweep->kernels++] = memory_copy(kernel->name);
    return sweep->kernels == 1 ||
           (add_value(&sweep->axis[0], kernel->name, strlen(kernel->name), error) &&
            count_points(sweep, error));
}

void sweep_free(struct sweep *sweep)
{
    for (int i = 0; i < sweep->axes; i++) {
        for (int k = 0; k < sweep->axis[i].count; k++)
            free(sweep->axis[i].value[k]);
        free(sweep->axis[i].value);
        free(sweep->axis[i].name);
    }
    for (int i = 0; i < sweep->kernels; i++)
        free(sweep->name[i]);
    free(sweep->axis);
    free(sweep->point);
    free(sweep->stage);
    free(sweep->per);
    free(sweep->joined);
    free(sweep->fixed);
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

bool sweep_add_stats(const struct sweep *sweep, const struct stats *stats,
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
        if (!strcmp(name, "kernel") && i == 0 && sweep->kernels > 1)
            continue;
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

/* The product of the parameters that `per` of the sweep names. */
static bool find_per(const struct sweep *sweep, const struct trace_header *header, uint64_t *per,
                     struct error *error)
{
    *per = 1;
    for (const char *at = sweep->per; at && *at;) {
        size_t length = strcspn(at, "*");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        int64_t value = header_param(header, name, -1);
        if (!strcmp(name, "blocks"))
            value = header->blocks;
        if (value < 1 || (uint64_t)value > (uint64_t)MAX_WHOLE / *per)
            return error_set(error, "per %s: there is no such parameter above 0", name);
        *per *= (uint64_t)value;
        at += length + (at[length] == '*');
    }
    return true;
}

static bool record_kernel_at(const struct sweep *sweep, size_t at, struct sweep_point *point,
                             struct error *error)
{
    struct recipe recipe;
    struct run_result result;
    struct stats stats;
    recipe_init(&recipe, sweep->kernel[sweep->kernels > 1 ? sweep_index(sweep, at, 0) : 0]);
    stats_init(&stats, STATS_BY_STAGE);
    struct trace_sink sink = stats_sink(&stats);
    bool good = recipe_apply(&recipe, sweep->words, error) &&
                set_values(sweep, at, &recipe, error) &&
                recipe_run(&recipe, sweep->options, &sink, &result, error) &&
                sweep_add_stats(sweep, &stats, point, error) &&
                find_per(sweep, &stats.header, &point->per, error);
    stats_free(&stats);
    recipe_free(&recipe);
    return good;
}

static void record_point(const struct sweep *sweep, size_t at, struct sweep_point *point)
{
    struct error error = {{0}};
    point->per = 1;
    bool good = sweep->record ? sweep->record(sweep->context, sweep, at, point, &error)
                              : record_kernel_at(sweep, at, point, &error);
    snprintf(point->why, sizeof point->why, "%.*s", (int)sizeof point->why - 1, error.text);
    /* Last, because another process may be looking at it. */
    __atomic_store_n(&point->state, good ? SWEEP_DONE : SWEEP_REFUSED, __ATOMIC_RELEASE);
}

/* ---- all points ------------------------------------------------------------------------------------ */

/* What is to be done: those points of the share that are not there yet. */
struct todo {
    size_t *point, count;
};

static bool find_todo(const struct sweep *sweep, struct todo *todo, struct error *error)
{
    todo->count = 0;
    todo->point = memory_array(sweep->points, sizeof *todo->point, "points", error);
    for (size_t i = sweep->first; todo->point && i < sweep->points; i += sweep->step)
        if (sweep->point[i].state != SWEEP_DONE)
            todo->point[todo->count++] = i;
    return todo->point != NULL;
}

/* A process records every jobs-th point of those to be done, starting with its `next`. */
struct worker {
    struct sweep *sweep;
    const struct todo *todo;
    struct process process;
    bool running;
    size_t next;    /* the point with which it begins, of those to be done */
    size_t fetched; /* how many of its points have been copied to sweep->point */
};

static int work(void *context, void *shared)
{
    const struct worker *worker = context;
    const struct sweep *sweep = worker->sweep;
    struct sweep_point *point = shared;
    for (size_t i = worker->next; i < worker->todo->count; i += (size_t)sweep->jobs)
        record_point(sweep, worker->todo->point[i], point++);
    return 0;
}

static size_t points_of(const struct worker *worker)
{
    size_t count = worker->todo->count, jobs = (size_t)worker->sweep->jobs;
    return worker->next < count ? (count - worker->next + jobs - 1) / jobs : 0;
}

static bool start(struct worker *worker, struct error *error)
{
    size_t points = points_of(worker);
    worker->fetched = 0;
    worker->running = points > 0;
    return points == 0 || process_start(&worker->process, points * sizeof(struct sweep_point), work,
                                        worker, error);
}

/* The index, among all points, of the next one to fetch. */
static size_t next_point(const struct worker *worker)
{
    return worker->todo->point[worker->next + worker->fetched * (size_t)worker->sweep->jobs];
}

/* Sets a point, which is then also in the sweep's file. */
static bool set_point(struct sweep *sweep, size_t at, const struct sweep_point *point)
{
    sweep->point[at] = *point;
    return !sweep->file || sweep_file_add(sweep->file, sweep, at);
}

/* Takes the points that have been recorded so far. */
static bool fetch(struct worker *worker)
{
    const struct sweep_point *point = worker->process.shared;
    bool good = true;
    for (; worker->fetched < points_of(worker) &&
           __atomic_load_n(&point[worker->fetched].state, __ATOMIC_ACQUIRE) != SWEEP_NOT_RUN;
         worker->fetched++)
        good &= set_point(worker->sweep, next_point(worker), &point[worker->fetched]);
    return good;
}

/* A process has ended. If some of its points are missing, the first of them made it crash, and
 * another process continues behind that point. */
static bool finish_process(struct worker *worker, int status, struct error *error)
{
    struct sweep *sweep = worker->sweep;
    struct sweep_point crashed = {.state = SWEEP_REFUSED};
    bool good = fetch(worker);
    process_free(&worker->process);
    worker->running = false;
    if (worker->fetched == points_of(worker) || !good)
        return good || error_set(error, "cannot write the file of the sweep");
    if (WIFSIGNALED(status))
        snprintf(crashed.why, sizeof crashed.why, "the kernel crashed (%s)",
                 strsignal(WTERMSIG(status)));
    else
        snprintf(crashed.why, sizeof crashed.why, "the kernel ended the program with status %d",
                 WEXITSTATUS(status));
    set_point(sweep, next_point(worker), &crashed);
    worker->next += worker->fetched * (size_t)sweep->jobs;
    worker->next += (size_t)sweep->jobs;
    return start(worker, error);
}

static size_t count_done(const struct sweep *sweep, const struct todo *todo)
{
    size_t done = 0;
    for (size_t i = 0; i < todo->count; i++)
        done += sweep->point[todo->point[i]].state != SWEEP_NOT_RUN;
    return done;
}

/* Waits for the workers, of which so many run. */
static bool wait_for(struct sweep *sweep, struct worker *workers, int running,
                     const struct todo *todo, void (*progress)(size_t done, size_t of),
                     struct error *error)
{
    static const struct timespec while_they_work = {.tv_nsec = 5000000};
    bool good = true;
    while (good && running) {
        nanosleep(&while_they_work, NULL);
        running = 0;
        for (int i = 0; good && i < sweep->jobs; i++) {
            struct worker *worker = &workers[i];
            int status;
            if (worker->running && process_ended(&worker->process, &status))
                good = finish_process(worker, status, error);
            else if (worker->running)
                good = fetch(worker) || error_set(error, "cannot write the file of the sweep");
            running += worker->running;
        }
        if (progress)
            progress(count_done(sweep, todo), todo->count);
    }
    return good;
}

bool sweep_run(struct sweep *sweep, void (*progress)(size_t done, size_t of), struct error *error)
{
    struct todo todo = {.count = 0};
    if (sweep->jobs < 1)
        sweep->jobs = 1;
    if (!sweep->point)
        sweep->point = memory_array(sweep->points, sizeof *sweep->point, "points", error);
    struct worker *workers = memory_array((size_t)sweep->jobs, sizeof *workers, "jobs", error);
    bool good = sweep->point && workers && find_todo(sweep, &todo, error);
    int running = 0;
    for (size_t i = 0; good && i < todo.count; i++)
        sweep->point[todo.point[i]] = (struct sweep_point){.state = SWEEP_NOT_RUN};
    for (int i = 0; good && i < sweep->jobs; i++) {
        workers[i] = (struct worker){.sweep = sweep, .todo = &todo, .next = (size_t)i};
        good = start(&workers[i], error);
        running += good && workers[i].running;
    }
    good = good && wait_for(sweep, workers, running, &todo, progress, error);
    for (int i = 0; workers && i < sweep->jobs; i++)
        if (workers[i].running) {
            process_kill(&workers[i].process);
            process_wait(&workers[i].process);
            process_free(&workers[i].process);
        }
    free(todo.point);
    free(workers);
    return good;
}
