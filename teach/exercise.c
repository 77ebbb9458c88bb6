/* exercise.c - grades an exercise: result right, conflicts as asked, no way around shared memory.
 *
 * The exercise says in its ENTRY what is asked (struct kernel_goal) and for which parameters. More
 * parameters are drawn at random, so that no table of answers helps. Everything but the student's
 * part (part.c) is the teacher's: the exercise is compiled twice, as the teacher wrote it and with the
 * student's part. The latter runs in a box (apart.c); the former says what its input is, and whether
 * its output is right.
 */
#include "teach/meter.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SEEDS = 3,       /* inputs for each set of parameters that the exercise names */
    LONG = 2,        /* seconds that a run takes which is not tried again */
    SHOWN = 1 << 20, /* a number that no file of a class has */
    DRAWS = 12,      /* sets of parameters beyond these, each with an input of its own */
};

/* ---- runs ------------------------------------------------------------------------------------ */

struct tries {
    struct exercise_report *report;
    struct meter *meter;
    struct exercise_finding *result;
    struct apart *apart;
};

/* How what was compiled is run. */
static struct run_options how_to_run(struct apart *apart)
{
    return (struct run_options){.run = apart->program ? run_program : run_apart, .context = apart};
}

static void release(struct apart *apart)
{
    exercise_program_free(apart->program);
    unlink(apart->object);
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
    const struct run_options options = how_to_run(tries->apart);
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

/* One run. Returns whether more make sense. */
static bool try_it(struct tries *tries, const struct recipe *recipe)
{
    struct exercise_report *report = tries->report;
    const struct run_options options = how_to_run(tries->apart);
    const struct trace_sink sink = meter_sink(tries->meter);
    struct run_result result;
    struct error error = {{0}};
    double since = clock_seconds();
    show_parameters(recipe, report->trying, sizeof report->trying);
    tries->result->measured = true;
    if (!recipe_run(recipe, &options, &sink, &result, &error) && !tries->apart->trouble.text[0])
        missed_result(tries, recipe, error.text);
    report->runs++;
    bool slow = error.text[0] && clock_seconds() - since > LONG; /* a loop without end is none for
                                                                   * every seed */
    return !slow && !tries->apart->late && !tries->apart->trouble.text[0];
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

/* ---- the student's source ---------------------------------------------------------------------- */

static const char the_exercise[] = "the exercise"; /* as a file's name */

/* The file's name, of letters that a #line can have. */
static void plain_name(const char *path, char name[NAME_MAX + 1])
{
    const char *slash = strrchr(path, '/');
    snprintf(name, NAME_MAX + 1, "%s", slash ? slash + 1 : path);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-+ ", *c))
            *c = '_';
}

/* Writes what is compiled: the teacher's text around the student's part, with the lines' numbers of
 * either. */
static bool write_source(const struct exercise *exercise, const char *file, const struct part *part,
                         const char *source, const char *path, struct error *error)
{
    const struct part *own = &exercise->part;
    const char *rest = own->text + own->length;
    char name[NAME_MAX + 1];
    int lines = own->line;
    FILE *to = fopen(path, "wb");
    if (!to)
        return error_set(error, "cannot write %s: %s", path, strerror(errno));
    for (size_t i = 0; i < own->length; i++)
        lines += own->text[i] == '\n';
    /* A run takes all but the body from the exercise as the teacher wrote it. */
    fprintf(to, "#define %s\n", exercise->names.program ? "main its_own_main" : "KERNEL_ALONE");
    plain_name(file, name);
    fprintf(to, "#line 1 \"%s\"\n%.*s#line %d \"%s\"\n%s\n#line %d \"%s\"\n%s", the_exercise,
            (int)(own->text - exercise->text), exercise->text, part->line, name, source, lines,
            the_exercise, rest);
    if (exercise->names.program)
        fprintf(to, "\n#include <check_main.h>\n");
    bool good = !ferror(to);
    return (!fclose(to) && good) || error_set(error, "cannot write %s: %s", path, strerror(errno));
}

/* Of the compiler's messages those that name a line, with the student's own names. */
static void read_messages(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "rb");
    char line[1024];
    text[0] = '\0';
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || !isdigit((unsigned char)colon[1]))
            continue;
        part_clean(line);
        line[strcspn(line, "\n")] = '\0';
        text_clean(line);
        if (strlen(text) + strlen(line) + 2 > room)
            break;
        text_add(text, room, "%s\n", line);
    }
    if (file)
        fclose(file);
}

/* Compiles a kernel in the dialect to an object. */
static bool compile_kernel(const struct grader *grader, const char *file, int number,
                           const char *path, const char *object, struct exercise_report *report)
{
    char messages[PATH_MAX];
    struct error error = {{0}};
    snprintf(messages, sizeof messages, "%s/%d.txt", grader->folder, number);
    int out = open(messages, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool good = record_compile(path, object, !grader->unconfined, out, &error);
    close(out);
    if (!good) {
        read_messages(messages, report->messages, sizeof report->messages);
        error_set(&report->error, "%s does not compile", file);
    }
    unlink(messages);
    return good;
}

static bool compile_program(const struct grader *grader, const struct exercise *exercise,
                            const char *file, const char *path, struct apart *apart,
                            struct exercise_report *report)
{
    char name[NAME_MAX + 1];
    const struct named_file files[] = {{name, file}, {the_exercise, exercise->path}, {NULL, NULL}};
    struct error error = {{0}};
    plain_name(file, name);
    apart->program = exercise_program_build(path, files, !grader->unconfined, report->messages,
                                            sizeof report->messages, &error);
    part_clean(report->messages);
    if (!apart->program)
        error_set(&report->error, *report->messages ? "%s does not compile" : "%s: %s", file,
                  error.text);
    return apart->program;
}

/* Makes of a file what can be run. */
static bool compile(const struct grader *grader, const struct exercise *exercise, const char *file,
                    int number, struct apart *apart, struct exercise_report *report)
{
    char path[PATH_MAX];
    struct part part;
    char *text = part_read(file, &report->error), *source = NULL;
    bool good = text && part_find(file, text, &part, &report->error);
    snprintf(path, sizeof path, "%s/%d.cu", grader->folder, number);
    if (good)
        source = part_source(file, &part, &exercise->names, &report->error);
    good = source && write_source(exercise, file, &part, source, path, &report->error);
    if (good)
        good = exercise->names.program
                   ? compile_program(grader, exercise, file, path, apart, report)
                   : compile_kernel(grader, file, number, path, apart->object, report);
    unlink(path);
    free(source);
    free(text);
    return good;
}

bool exercise_check(const struct grader *grader, const struct exercise *exercise, const char *file,
                    int number, struct exercise_report *report)
{
    char object[PATH_MAX];
    struct apart apart = {.object = object, .unconfined = grader->unconfined};
    struct meter meter = {.report = report};
    struct tries tries = {.report = report, .meter = &meter, .apart = &apart};
    *report = (struct exercise_report){.slips = exercise->kernel->slips, .place.stage = -1};
    snprintf(object, sizeof object, "%s/%d.so", grader->folder, number);
    if (compile(grader, exercise, file, number, &apart, report)) {
        tries.result = finding_add(report, "the result is right");
        meter_ask(&meter, exercise->kernel);
        run_tries(&tries, exercise->kernel, grader->seed);
        meter_free(&meter);
        if (apart.trouble.text[0])
            error_set(&report->error, "%s", apart.trouble.text);
        release(&apart);
    }
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
    if (!compile(grader, exercise, file, SHOWN, &apart, &again))
        return error_set(error, "%s", again.error.text);
    const struct run_options options = how_to_run(&apart);
    recipe_init(&recipe, exercise->kernel);
    bool good = recipe_read(&recipe, place->words, error);
    recipe.input.seed = place->seed;
    if (good)
        recipe_run(&recipe, &options, &sink, &result, &failure);
    recipe_free(&recipe);
    release(&apart);
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
