/* exercise.c - grades an exercise: result right, conflicts as asked, no way around shared memory.
 *
 * The exercise says in its ENTRY what is asked (struct kernel_goal) and for which parameters. More
 * parameters are drawn at random, so that no table of answers helps. Everything but the student's
 * part (part.c) is the teacher's: the exercise is compiled twice, as the teacher wrote it and with the
 * student's part. The latter runs in a box (apart.c); the former says what its input is, and whether
 * its output is right.
 */
#include "teach/meter.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum {
    SEEDS = 3,       /* inputs for each set of parameters that the exercise names */
    LONG = 2,        /* seconds that a run takes which is not tried again */
    MOST = 60,       /* seconds of the processor that all runs of a file take */
    SHOWN = 1 << 20, /* a number that no file of a class has */
    DRAWS = 12,      /* sets of parameters beyond these, each with an input of its own */
};

/* ---- runs ------------------------------------------------------------------------------------ */

struct tries {
    struct exercise_report *report;
    struct meter *meter;
    struct exercise_finding *result;
    struct apart *apart;
    struct control *control;
    double seconds; /* of the processor, by processes that had ended before the first run */
};

/* Of the processor, by all processes that were waited for. */
static double seconds_of_children(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_CHILDREN, &usage)
               ? 0
               : (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
}

/* "w=32 u=64 E=15 seed=1" */
static void show_parameters(const struct recipe *recipe, char *text, size_t room)
{
    *text = '\0';
    for (const struct kernel_param *param = recipe->kernel->params; param->name; param++) {
        int value = *param_of(recipe->params, param);
        if (!strcmp(param->name, "blocks") && value <= 1)
            continue;
        if (param->words)
            text_add(text, room, "%s=%s ", param->name, param->words[value]);
        else
            text_add(text, room, "%s=%d ", param->name, value);
    }
    text_add(text, room, "seed=%llu", (unsigned long long)recipe->input.seed);
}

/* Where a fault is, as far as the reason says it: "stage read, round 3, block 0, thread 5". */
static void find_fault(struct meter *meter, const char *why)
{
    struct exercise_place *place = &meter->report->place;
    const char *stage = strstr(why, "stage ");
    char name[64];
    int thread = 0;
    if (stage && sscanf(stage, "stage %63[^,], round %d, block %d, thread %d", name, &place->round,
                        &place->block, &thread) == 4)
        place->stage = header_stage(&meter->header, name);
    if (place->block < 0 || place->round < 0 || thread < 0 || !meter->header.warp)
        *place = (struct exercise_place){.stage = -1};
    else
        place->warp = thread / meter->header.warp;
}

/* Runs it once more, to see where a wrong number came from. */
static bool explain(const struct tries *tries, const struct recipe *recipe, const char *why,
                    struct exercise_place *place, char *text, size_t room)
{
    const struct run_options options = made_options(tries->apart);
    struct trace trace = {0};
    const struct trace_sink sink = trace_memory_sink(&trace);
    struct run_result result;
    struct error again = {{0}};
    bool known = strstr(why, "got ") && !tries->apart->late &&
                 !recipe_run(recipe, &options, &sink, &result, &again) &&
                 wrong_number_explain(&trace, why, place, text, room);
    trace_free(&trace);
    return known;
}

/* The reason without the recipe, which report->trying says, and without the kernel's name. */
static void plain_reason(const struct recipe *recipe, const char *why, char *text, size_t room)
{
    char recipe_begins[128];
    const char *name = strstr(why, recipe->kernel->name);
    size_t length = strlen(recipe->kernel->name);
    if (name == why + strlen("kernel ") && strspn(name + length, ":, ") == 2)
        why = name + length + 2;
    snprintf(text, room, "%s", why);
    snprintf(recipe_begins, sizeof recipe_begins, " (%s", recipe->kernel->name);
    char *end = strstr(text, recipe_begins);
    if (end)
        *end = '\0';
}

static void missed_result(struct tries *tries, const struct recipe *recipe, const char *reason)
{
    const struct trace_header header = {.seed = recipe->input.seed};
    struct exercise_place place = {.stage = -1};
    char why[sizeof(struct error)], from[256] = "";
    plain_reason(recipe, reason, why, sizeof why);
    if (tries->result->why[0])
        return;
    bool known = explain(tries, recipe, why, &place, from, sizeof from);
    bool read = known && !strstr(why, "never written");
    finding_miss(tries->report, tries->result, "%s%s%s", why, read ? ": " : "", read ? from : "");
    if (*tries->report->place.words)
        return;
    if (known)
        tries->report->place = place;
    else
        find_fault(tries->meter, why);
    report_run(tries->report, &header);
}

/* Runs it, and again where it ended without a verdict and the exercise as handed out did not: what a crowded
 * machine does to a run, it does not do each time. */
static bool run_it(struct tries *tries, const struct recipe *recipe, struct error *error)
{
    const struct run_options options = made_options(tries->apart);
    const struct trace_sink sink = meter_sink(tries->meter);
    struct apart *apart = tries->apart;
    struct run_result result;
    for (int left = 2;; left--) {
        *error = (struct error){{0}};
        apart->ill = true; /* as long as it has not come to a run */
        bool good = recipe_run(recipe, &options, &sink, &result, error);
        if (good || apart->trouble.text[0] ||
            (!apart->ill && !strstr(error->text, "out of memory")))
            return good;
        if (!control_runs(tries->control, recipe, &apart->trouble) || apart->late || !left)
            return false;
    }
}

/* One run. Returns whether more make sense. */
static bool try_it(struct tries *tries, const struct recipe *recipe)
{
    struct exercise_report *report = tries->report;
    struct error error = {{0}};
    double since = clock_seconds();
    show_parameters(recipe, report->trying, sizeof report->trying);
    bool good = run_it(tries, recipe, &error);
    if (tries->apart->trouble.text[0])
        return false;
    tries->result->measured = true;
    if (!good)
        missed_result(tries, recipe, error.text);
    report->runs++;
    if (seconds_of_children() - tries->seconds > MOST) {
        finding_miss(report, tries->result, "all runs together take more than %d seconds", MOST);
        return false;
    }
    bool slow = error.text[0] && clock_seconds() - since > LONG; /* a loop without end is none for
                                                                   * every seed */
    return !slow && !tries->apart->late;
}

/* A value at random for each parameter: few enough threads for a run of milliseconds. */
static void draw(struct recipe *recipe, uint64_t *random)
{
    enum { WIDEST_WARP = 32, WARPS = 4, BLOCKS = 2, LARGEST = 40 };
    int w = 1;
    for (const struct kernel_param *param = recipe->kernel->params; param->name; param++) {
        int most = param->highest, *value = param_of(recipe->params, param), limit = LARGEST;
        if (!strcmp(param->name, "w"))
            limit = WIDEST_WARP;
        else if (!strcmp(param->name, "blocks"))
            limit = BLOCKS;
        else if (!strcmp(param->name, "u"))
            continue;
        if (most - param->lowest >= limit)
            most = param->lowest + limit - 1;
        *value = param->lowest + random_below(random, most - param->lowest + 1);
        if (!strcmp(param->name, "w"))
            w = *value;
    }
    for (const struct kernel_param *param = recipe->kernel->params; param->name; param++)
        if (!strcmp(param->name, "u"))
            *param_of(recipe->params, param) = w * (1 + random_below(random, WARPS));
    recipe->input.seed = random_next(random) % 1000000;
}

static void run_tries(struct tries *tries, const struct kernel *kernel, uint64_t seed)
{
    enum { PATIENCE = 100 }; /* draws until one goes together */
    static const char *const standard[] = {"", NULL};
    const char *const *named = kernel->tries ? kernel->tries : standard;
    struct recipe recipe;
    struct kernel_shape shape;
    struct error error = {{0}};
    bool more = true;
    for (int t = 0; more && named[t]; t++) {
        recipe_init(&recipe, kernel);
        if (!recipe_read(&recipe, named[t], &error))
            error_set(&tries->apart->trouble, "the exercise's try '%s': %s", named[t], error.text);
        for (int i = 1; more && i <= SEEDS && !error.text[0]; i++) {
            recipe.input.seed = (uint64_t)i;
            more = try_it(tries, &recipe);
        }
        more = more && !error.text[0];
        recipe_free(&recipe);
    }
    for (int i = 0, tried = 0; more && i < DRAWS && tried < PATIENCE; tried++) {
        struct error none = {{0}};
        recipe_init(&recipe, kernel);
        draw(&recipe, &seed);
        if (recipe_shape(&recipe, &shape, &none)) {
            more = try_it(tries, &recipe);
            i++;
        }
        recipe_free(&recipe);
    }
    tries->report->trying[0] = '\0';
}

bool exercise_check(const struct grader *grader, const struct exercise *exercise, const char *file,
                    int number, struct exercise_report *report)
{
    char object[PATH_MAX];
    struct apart apart = {.object = object, .unconfined = grader->unconfined};
    struct meter meter = {.report = report};
    struct control *control = memory_new(1, sizeof *control);
    struct tries tries = {.report = report, .meter = &meter, .apart = &apart, .control = control};
    *report = (struct exercise_report){.slips = exercise->kernel->slips, .place.stage = -1};
    snprintf(object, sizeof object, "%s/%d.so", grader->folder, number);
    control_init(control, grader, exercise, number);
    bool made = make_of(grader, exercise, file, number, &apart, report);
    if (!made && report->compiled && !control_compiles(control, &apart.trouble)) {
        *report = (struct exercise_report){.place.stage = -1};
    } else if (made && !control_takes(control, &apart, file, &report->error)) {
        made_free(&apart);
    } else if (made) {
        tries.seconds = seconds_of_children();
        tries.result = finding_add(report, "the result is right");
        meter_ask(&meter, exercise->kernel);
        run_tries(&tries, exercise->kernel, grader->seed);
        meter_free(&meter);
        made_free(&apart);
    }
    report->trouble = apart.trouble.text[0];
    if (report->trouble)
        error_set(&report->error, "%s", apart.trouble.text);
    control_free(control);
    free(control);
    return !report->error.text[0];
}

bool exercise_record(const struct grader *grader, const struct exercise *exercise, const char *file,
                     const struct exercise_report *report, struct trace *trace, struct error *error)
{
    const struct exercise_place *place = &report->place;
    char object[PATH_MAX];
    struct apart apart = {.object = object, .unconfined = grader->unconfined, .partial = true};
    const struct trace_sink sink = trace_memory_sink(trace);
    struct exercise_report again = {.runs = 0};
    struct recipe recipe;
    struct run_result result;
    struct error failure = {{0}};
    snprintf(object, sizeof object, "%s/show.so", grader->folder);
    if (!*place->words)
        return error_set(error, "%s meets all goals: there is no failing case to show", file);
    if (!make_of(grader, exercise, file, SHOWN, &apart, &again))
        return error_set(error, "%s", again.error.text);
    const struct run_options options = made_options(&apart);
    recipe_init(&recipe, exercise->kernel);
    bool good = recipe_read(&recipe, place->words, error);
    recipe.input.seed = place->seed;
    if (good)
        recipe_run(&recipe, &options, &sink, &result, &failure);
    recipe_free(&recipe);
    made_free(&apart);
    if (good && !trace->count)
        good = error_set(error, "it failed before an access could be recorded: %s", failure.text);
    return good;
}

bool exercise_met(const struct exercise_report *report, int i)
{
    return report->finding[i].measured && !report->finding[i].why[0];
}

const char *exercise_why(const struct exercise_report *report, int i)
{
    return report->finding[i].measured ? report->finding[i].why
                                       : "nothing to measure: no run got there";
}
