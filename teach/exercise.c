/* exercise.c - grades an exercise: result right, conflicts as asked, no way around shared memory.
 *
 * The exercise says in its ENTRY what is asked (struct kernel_goal) and for which parameters. More
 * parameters are drawn at random, so that no table of answers helps. Everything but the student's
 * part (part.c) is the teacher's: the exercise is compiled twice, as the teacher wrote it and with the
 * student's part. The latter runs in a box (apart.c); the former says what its input is, and whether
 * its output is right.
 */
#include "teach/teach.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SEEDS = 3,       /* inputs for each set of parameters that the exercise names */
    LONG = 2,        /* seconds that a run takes which is not tried again */
    SHOWN = 1 << 20, /* a number that no file of a class has */
    DRAWS = 12,      /* sets of parameters beyond these, each with an input of its own */
};

static struct exercise_finding *add_finding(struct exercise_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static struct exercise_finding *add_finding(struct exercise_report *report, const char *format, ...)
{
    struct exercise_finding *finding = &report->finding[report->findings];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->what, sizeof finding->what, format, arguments);
    va_end(arguments);
    report->findings++;
    return finding;
}

/* Takes the prefix from the student's own names. */
static void clean_names(char *text)
{
    for (char *own; (own = strstr(text, PART_PREFIX)) != NULL;)
        memmove(own, own + strlen(PART_PREFIX), strlen(own + strlen(PART_PREFIX)) + 1);
}

/* Keeps the first reason only. */
static void not_yet(struct exercise_report *report, struct exercise_finding *finding,
                    const char *format, ...) __attribute__((format(printf, 3, 4)));
static void not_yet(struct exercise_report *report, struct exercise_finding *finding,
                    const char *format, ...)
{
    char why[600];
    va_list arguments;
    if (finding->why[0])
        return;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    clean_names(why);
    for (const struct kernel_slip *slip = report->slips; slip && slip->sign; slip++)
        if (strstr(why, slip->sign) || strstr(finding->what, slip->sign)) {
            snprintf(finding->hint, sizeof finding->hint, "%s", slip->hint);
            break;
        }
    snprintf(finding->why, sizeof finding->why, "%s%s%s", report->trying,
             *report->trying ? ": " : "", why);
}

/* ---- conflicts and accesses: what a run is measured by ------------------------------------- */

struct goal_state {
    int stage; /* index in the header, -1: the kernel has none of that name */
    uint64_t accesses, warp_accesses;
    struct exercise_finding *conflict_finding, *access_finding;
};

struct meter {
    struct exercise_report *report;
    const struct kernel_goal *goals;
    int count;
    struct goal_state state[EXERCISE_GOALS];
    struct trace_header header; /* of the run, owned */
};

static bool meter_header(void *context, const struct trace_header *header, struct error *error)
{
    struct meter *meter = context;
    (void)error;
    header_free(&meter->header);
    header_copy(&meter->header, header);
    for (int i = 0; i < meter->count; i++) {
        meter->state[i].stage =
            meter->goals[i].of == GOAL_STAGE ? header_stage(header, meter->goals[i].stage) : 0;
        meter->state[i].accesses = meter->state[i].warp_accesses = 0;
    }
    return true;
}

/* Adds a format's text behind the *used characters of text; what has no room is cut. */
static void add_text(char *text, size_t room, size_t *used, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void add_text(char *text, size_t room, size_t *used, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (*used < room)
        *used += (size_t)vsnprintf(text + *used, room - *used, format, arguments);
    va_end(arguments);
}

/* The word of a bank that the access wants for its i-th lane, or -1: it wants none there. */
static int64_t word_in_bank(const struct trace_header *header, const struct warp_access *access,
                            int i, int bank)
{
    uint32_t bytes = (uint32_t)header->bank_bytes, first = access->addr[i] / bytes;
    uint32_t last = (access->addr[i] + (uint32_t)access->bytes - 1) / bytes;
    for (uint32_t word = first; word <= last; word++)
        if (word % (uint32_t)header->banks == (uint32_t)bank)
            return word;
    return -1;
}

/* Whether the goal asks something of the access. */
static bool is_asked(const struct kernel_goal *goal, const struct goal_state *state,
                     const struct warp_access *access)
{
    switch (goal->of) {
    case GOAL_LOADS:
        return access->op == OP_LOAD;
    case GOAL_STORES:
        return access->op == OP_STORE;
    default:
        return state->stage == access->stage;
    }
}

/* "bank 0 serves 6 words, for threads 0 (word 0), 2 (word 12), ..." of the busiest bank. */
static void describe_conflict(const struct trace_header *header, const struct warp_access *access,
                              const struct bank_cost *cost, char *text, size_t room)
{
    enum { MOST = 6 };
    int bank = 0, lanes = 0, listed = 0;
    for (int i = 1; i < header->banks; i++)
        if (cost->busy[i] > cost->busy[bank] ||
            (cost->busy[i] == cost->busy[bank] && cost->degree[i] > cost->degree[bank]))
            bank = i;
    for (int i = 0; i < access->lanes; i++)
        lanes += word_in_bank(header, access, i, bank) >= 0;
    size_t used = 0;
    add_text(text, room, &used, "bank %d serves %d word%s, for thread%s", bank, cost->degree[bank],
             cost->degree[bank] == 1 ? "" : "s", lanes == 1 ? "" : "s");
    for (int i = 0; i < access->lanes && listed <= MOST; i++) {
        int64_t word = word_in_bank(header, access, i, bank);
        if (word < 0)
            continue;
        add_text(text, room, &used, listed ? ", " : " ");
        if (listed++ < MOST)
            add_text(text, room, &used, "%d (word %" PRId64 ")",
                     access->warp * header->warp + access->lane[i], word);
        else
            add_text(text, room, &used, "...");
    }
}

/* "block 0, warp 1, round 3", with the slot where a round has several, and a program's line. */
static void describe_place(const struct trace_header *header, const struct warp_access *access,
                           char *text, size_t room)
{
    size_t used = 0;
    if (access->site >= 0)
        add_text(text, room, &used, "line %d, ", header->site[access->site].line);
    add_text(text, room, &used, "block %d, warp %d, round %d", access->block, access->warp,
             access->round);
    if (access->slot)
        add_text(text, room, &used, ", slot %d", access->slot);
}

/* Remembers the run that runs now as the one of report->place. */
static void set_place(struct exercise_report *report, const struct trace_header *header)
{
    struct exercise_place *place = &report->place;
    int length = (int)strlen(report->trying);
    const char *seed = strstr(report->trying, "seed=");
    if (seed > report->trying)
        length = (int)(seed - report->trying) - 1;
    place->seed = header->seed;
    snprintf(place->words, sizeof place->words, "%.*s", length, report->trying);
}

static bool is_met(const struct trace_header *header, const struct kernel_goal *goal,
                   const struct bank_cost *cost)
{
    return goal->ways ? cost->ways >= header_param(header, goal->ways, 0) + goal->more
                      : cost->conflicts <= goal->conflicts;
}

static bool meter_access(void *context, const struct warp_access *access, struct error *error)
{
    struct meter *meter = context;
    (void)error;
    for (int i = 0; i < meter->count; i++) {
        struct goal_state *state = &meter->state[i];
        const struct trace_header *header = &meter->header;
        struct bank_cost cost;
        char place[112], text[256];
        if (!is_asked(&meter->goals[i], state, access))
            continue;
        state->accesses += (uint64_t)access->lanes;
        state->warp_accesses++;
        bank_model_cost(header, access, &cost);
        state->conflict_finding->measured = true;
        if (is_met(header, &meter->goals[i], &cost) || state->conflict_finding->why[0])
            continue;
        describe_place(header, access, place, sizeof place);
        describe_conflict(header, access, &cost, text, sizeof text);
        if (meter->goals[i].ways)
            snprintf(text + strlen(text), sizeof text - strlen(text), ", and no bank serves more");
        if (!*meter->report->place.words) {
            struct exercise_place *failing = &meter->report->place;
            set_place(meter->report, header);
            failing->stage = access->stage;
            failing->round = access->round;
            failing->slot = access->slot;
            failing->block = access->block;
            failing->warp = access->warp;
        }
        not_yet(meter->report, state->conflict_finding, "%s: %s", place, text);
    }
    return true;
}

/* When a run has come to its end, with whatever result. */
static bool meter_end(void *context, const struct trace_end *end, struct error *error)
{
    struct meter *meter = context;
    const struct trace_header *header = &meter->header;
    uint64_t blocks = (uint64_t)header->blocks, threads = (uint64_t)header->threads;
    uint64_t warps = (uint64_t)header_warps(header);
    (void)error;
    for (int i = 0; end->complete && i < meter->count; i++) {
        struct goal_state *state = &meter->state[i];
        const struct kernel_goal *goal = &meter->goals[i];
        uint64_t times = (uint64_t)(goal->times ? header_param(header, goal->times, 1) : 1);
        uint64_t least = (uint64_t)goal->accesses * times;
        uint64_t most = goal->most > goal->accesses ? (uint64_t)goal->most * times : least;
        struct exercise_finding *finding = state->access_finding;
        finding->measured = true;
        if (state->stage < 0)
            not_yet(meter->report, finding, "the kernel has no stage '%s'", goal->stage);
        else if (state->accesses < blocks * threads * least)
            not_yet(meter->report, finding,
                    "%llu accesses in all, where %llu are needed: data must go through shared "
                    "memory",
                    (unsigned long long)state->accesses,
                    (unsigned long long)(blocks * threads * least));
        else if (state->warp_accesses > blocks * warps * most)
            not_yet(meter->report, finding,
                    "%llu instructions of warps, where %llu do: all lanes must access at once",
                    (unsigned long long)state->warp_accesses,
                    (unsigned long long)(blocks * warps * most));
    }
    return true;
}

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
    size_t used = 0;
    for (const struct kernel_param *param = recipe->kernel->params; param->name; param++) {
        int value = *param_of(recipe->params, param);
        if (used < room && (strcmp(param->name, "blocks") || value > 1))
            used += (size_t)(param->words ? snprintf(text + used, room - used, "%s=%s ",
                                                     param->name, param->words[value])
                                          : snprintf(text + used, room - used, "%s=%d ",
                                                     param->name, value));
    }
    if (used < room)
        snprintf(text + used, room - used, "seed=%llu", (unsigned long long)recipe->input.seed);
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
    not_yet(tries->report, tries->result, "%s%s%s", why, read ? ": " : "", read ? from : "");
    if (*tries->report->place.words)
        return;
    if (known)
        tries->report->place = place;
    else
        find_fault(tries->meter, why);
    set_place(tries->report, &header);
}

/* One run. Returns whether more make sense. */
static bool try_it(struct tries *tries, const struct recipe *recipe)
{
    struct exercise_report *report = tries->report;
    const struct run_options options = how_to_run(tries->apart);
    const struct trace_sink sink = {meter_header, meter_access, meter_end, tries->meter};
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

static void add_goals(struct exercise_report *report, const struct kernel *kernel,
                      struct meter *meter)
{
    meter->goals = kernel->goals;
    while (meter->count < EXERCISE_GOALS &&
           (kernel->goals[meter->count].stage || kernel->goals[meter->count].of)) {
        const struct kernel_goal *goal = &kernel->goals[meter->count];
        struct goal_state *state = &meter->state[meter->count++];
        char each[80], range[32] = "", of[48];
        snprintf(of, sizeof of, "%s%.40s",
                 goal->of == GOAL_LOADS    ? "loads"
                 : goal->of == GOAL_STORES ? "stores"
                                           : "stage ",
                 goal->of == GOAL_STAGE ? goal->stage : "");
        if (goal->most > goal->accesses)
            snprintf(range, sizeof range, " to %d", goal->most);
        if (goal->times && goal->accesses == 1 && !*range)
            snprintf(each, sizeof each, "%s", goal->times);
        else
            snprintf(each, sizeof each, "%d%s%s%s", goal->accesses, range,
                     goal->times ? " times " : "", goal->times ? goal->times : "");
        state->access_finding = add_finding(report, "%s: %s access%s of every thread", of, each,
                                            strcmp(each, "1") ? "es" : "");
        if (goal->ways) {
            state->conflict_finding =
                goal->more
                    ? add_finding(report, "%s: at least %s + %d ways in every access", of,
                                  goal->ways, goal->more)
                    : add_finding(report, "%s: at least %s ways in every access", of, goal->ways);
            continue;
        }
        state->conflict_finding =
            goal->conflicts ? add_finding(report, "%s: at most %d bank conflict%s at a time", of,
                                          goal->conflicts, goal->conflicts == 1 ? "" : "s")
                            : add_finding(report, "%s: no bank conflicts", of);
    }
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
    if (exercise->names.program)
        fprintf(to, "#define main its_own_main\n");
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
    size_t used = 0;
    text[0] = '\0';
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || !isdigit((unsigned char)colon[1]))
            continue;
        clean_names(line);
        line[strcspn(line, "\n")] = '\0';
        text_clean(line);
        int n = snprintf(text + used, room - used, "%s\n", line);
        if (n < 0 || (size_t)n >= room - used) {
            text[used] = '\0';
            break;
        }
        used += (size_t)n;
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
    clean_names(report->messages);
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
        tries.result = add_finding(report, "the result is right");
        add_goals(report, exercise->kernel, &meter);
        run_tries(&tries, exercise->kernel, grader->seed);
        header_free(&meter.header);
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

/* ---- exercises --------------------------------------------------------------------------------- */

/* The name that a file gives itself: .name = "02-strides". */
static bool name_of(const char *text, char *name, size_t room)
{
    for (const char *at = text; (at = strstr(at, ".name")) != NULL;) {
        at += strlen(".name");
        at += strspn(at, " \t");
        if (*at != '=')
            continue;
        at += 1 + strspn(at + 1, " \t\n");
        size_t length = strcspn(at + (*at == '"'), "\"\n");
        if (*at != '"' || !length || length >= room)
            continue;
        snprintf(name, room, "%.*s", (int)length, at + 1);
        return true;
    }
    return false;
}

static bool is_plain(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_", *c))
            return false;
    return *name;
}

/* The path of the exercise of a lesson, or of a folder (with a slash). */
static bool path_of(const char *name, char *path, size_t room, struct error *error)
{
    char relative[128];
    struct error none = {{0}};
    if (strchr(name, '/')) {
        snprintf(path, room, "%s/exercise.cu", name);
        return !access(path, R_OK) || error_set(error, "cannot read %s: %s", path, strerror(errno));
    }
    snprintf(relative, sizeof relative, "lessons/%.64s/exercise.cu", name);
    return (is_plain(name) && data_path(relative, path, room, &none)) ||
           error_set(error,
                     "there is no lesson '%.64s' with an exercise; for one of your own, give "
                     "its folder: --exercise ./FOLDER",
                     name);
}

static void exercise_free(struct exercise *exercise)
{
    part_names_free(&exercise->names);
    free(exercise->given);
    free(exercise->path);
    free(exercise->text);
    free(exercise);
}

/* A number for the next exercise: what has the name of a loaded object is taken for that. */
static int exercise_number(const struct grader *grader)
{
    int number = 0;
    for (const struct exercise *known = grader->exercises; known; known = known->next)
        number++;
    return number;
}

/* Writes a file of the grader's. */
static bool write_text(const char *path, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool write_text(const char *path, struct error *error, const char *format, ...)
{
    FILE *file = fopen(path, "wb");
    va_list arguments;
    va_start(arguments, format);
    bool good = file && vfprintf(file, format, arguments) >= 0;
    va_end(arguments);
    return (file && !fclose(file) && good) ||
           error_set(error, "cannot write %s: %s", path, strerror(errno));
}

/* What grades an exercise that is a program: the end of its file. */
static const struct kernel *load_description(const struct grader *grader,
                                             const struct exercise *exercise, struct error *error)
{
    char path[PATH_MAX], object[PATH_MAX];
    const char *from = part_description(exercise->text);
    int line = 1, number = exercise_number(grader);
    if (!from) {
        error_set(error, "%s is a program, not an exercise: it has no #ifdef SIMT_HOST",
                  exercise->path);
        return NULL;
    }
    snprintf(path, sizeof path, "%s/exercise-%d.cu", grader->folder, number);
    snprintf(object, sizeof object, "%s/exercise-%d.so", grader->folder, number);
    for (const char *c = exercise->text; c <= from; c++)
        line += *c == '\n';
    bool good = write_text(path, error, "#include \"kernels/kernel.h\"\n#line %d \"%s\"\n%s", line,
                           exercise->path, from + 1) &&
                record_compile(path, object, false, 0, error);
    const struct kernel *kernel = good ? record_load(object, exercise->path, error) : NULL;
    unlink(path);
    unlink(object);
    return kernel;
}

/* Compiles a student's variant of an exercise. */
static const struct kernel *variant_kernel(const struct grader *grader, const char *text,
                                           struct error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/variant-%d.cu", grader->folder, exercise_number(grader));
    const struct kernel *kernel =
        write_text(path, error, "%s", text) ? record_kernel(path, BACKEND_HOST, error) : NULL;
    unlink(path);
    return kernel;
}

/* Takes over the text, which is that of the file or a student's variant. */
static struct exercise *exercise_open(const struct grader *grader, const char *path, char *text,
                                      bool variant, struct error *error)
{
    struct exercise *exercise = memory_new(1, sizeof *exercise);
    exercise->path = memory_copy(path);
    exercise->text = text;
    if (part_find(path, exercise->text, &exercise->part, error))
        exercise->kernel = part_program(text) ? load_description(grader, exercise, error)
                           : variant          ? variant_kernel(grader, text, error)
                                              : record_kernel(path, BACKEND_HOST, error);
    if (exercise->kernel && !exercise->kernel->goals)
        error_set(error, "%s is a kernel, not an exercise: its ENTRY has no .goals", path);
    if (error->text[0]) {
        exercise_free(exercise);
        return NULL;
    }
    part_names_of(exercise->text, &exercise->names);
    snprintf(exercise->name, sizeof exercise->name, "%s", exercise->kernel->name);
    return exercise;
}

bool grader_student(const struct grader *grader, const char *text, char *name, size_t room)
{
    if (!grader->student)
        return draw_student(text, name, room);
    snprintf(name, room, "%s", grader->student);
    return true;
}

const struct exercise *grader_exercise(struct grader *grader, const char *file, struct error *error)
{
    char name[64], path[PATH_MAX], student[256];
    char *text = part_read(file, error), *drawn = NULL;
    bool good = text;
    if (good && !grader->wanted && !name_of(text, name, sizeof name))
        good = error_set(error,
                         "%s does not say which exercise it is (.name in its ENTRY); say it "
                         "with --exercise LESSON",
                         file);
    bool named = good && grader_student(grader, text, student, sizeof student);
    free(text);
    if (!good || !path_of(grader->wanted ? grader->wanted : name, path, sizeof path, error) ||
        !(text = part_read(path, error)))
        return NULL;
    drawn = draw_exercise(path, text, named ? student : NULL, error);
    bool variant = drawn && strcmp(drawn, text) != 0;
    free(text);
    if (!drawn)
        return NULL;
    for (const struct exercise *known = grader->exercises; known; known = known->next)
        if (!strcmp(known->path, path) && !strcmp(known->text, drawn)) {
            free(drawn);
            return known;
        }
    struct exercise *exercise = exercise_open(grader, path, drawn, variant, error);
    if (exercise) {
        exercise->next = grader->exercises;
        grader->exercises = exercise;
    }
    return exercise;
}

bool grader_begin(struct grader *grader, struct error *error)
{
    if (!grader->unconfined && !box_there(error)) {
        error_add(error, "; to run the files all the same, with your rights, add --unconfined");
        return false;
    }
    return temporary_make(grader->folder, sizeof grader->folder, error);
}

void grader_end(struct grader *grader)
{
    while (grader->exercises) {
        struct exercise *next = grader->exercises->next;
        exercise_free(grader->exercises);
        grader->exercises = next;
    }
    passing_remove(grader->folder);
}
