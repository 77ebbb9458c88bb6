/* exercise.c - grades an exercise: result right, conflicts as asked, no way around shared memory.
 *
 * The exercise says in its ENTRY what is asked (struct kernel_goal) and for which parameters. All
 * of it runs in a child process, because a student's kernel may crash or never end; the child
 * leaves its findings in memory that both share, so that a crash loses none. The part outside the
 * marks must be that of the lesson's own file, where the goals stand as the teacher wrote them.
 */
#define _GNU_SOURCE /* strsignal, getline */
#include "teach/teach.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    SEEDS = 3,          /* inputs for each set of parameters */
    TRY_SECONDS = 10,   /* that one of them may take */
    BUILD_SECONDS = 60, /* that the compiler may take */
};
static const char part_begins[] = "[your part begins]", part_ends[] = "[your part ends]";

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

/* Keeps the first reason only. */
static void not_yet(struct exercise_report *report, struct exercise_finding *finding,
                    const char *format, ...) __attribute__((format(printf, 3, 4)));
static void not_yet(struct exercise_report *report, struct exercise_finding *finding,
                    const char *format, ...)
{
    char why[480];
    va_list arguments;
    if (finding->why[0])
        return;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    snprintf(finding->why, sizeof finding->why, "%s%s%s", report->trying,
             *report->trying ? ": " : "", why);
}

/* ---- outside the marked part --------------------------------------------------------------- */

/* The next line that is not between the marks, without its end; NULL at the end of the file. */
struct lines {
    FILE *file;
    char *line;
    size_t room;
    int number;
    bool inside;   /* the student's part */
    int directive; /* a line of the part with something for the preprocessor; 0: none */
    int marks;
};

/* Whether the line could hold a preprocessor's directive: # or its other spelling, %:, which may
 * be cut by a backslash at the end of the line. Comments and strings are no excuse, since it takes
 * a compiler to tell them. */
static bool may_direct(const char *line)
{
    if (strchr(line, '#'))
        return true;
    for (const char *c = line; (c = strchr(c, '%')) != NULL; c++)
        if (c[1] == ':' || c[1] == '\\')
            return true;
    return false;
}

static const char *next_line(struct lines *lines)
{
    while (getline(&lines->line, &lines->room, lines->file) >= 0) {
        char *end = lines->line + strlen(lines->line);
        while (end > lines->line && isspace((unsigned char)end[-1]))
            *--end = '\0';
        lines->number++;
        if (strstr(lines->line, lines->inside ? part_ends : part_begins)) {
            lines->inside = !lines->inside;
            lines->marks++;
            return lines->line;
        }
        if (!lines->inside)
            return lines->line;
        if (may_direct(lines->line) && !lines->directive)
            lines->directive = lines->number;
    }
    return NULL;
}

static void close_lines(struct lines *lines)
{
    if (lines->file)
        fclose(lines->file);
    free(lines->line);
}

/* The lesson's own exercise of that name. */
static bool find_original(const char *name, char *path, size_t room)
{
    char relative[128];
    struct error none = {{0}};
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_", *c))
            return false;
    snprintf(relative, sizeof relative, "lessons/%s/exercise.cu", name);
    return data_path(relative, path, room, &none);
}

static void compare_with_original(struct exercise_report *report, const char *file)
{
    char path[4096];
    if (!find_original(report->name, path, sizeof path))
        return; /* not a lesson's: nothing to compare with */
    struct exercise_finding *finding = add_finding(report, "only the marked part is changed");
    struct lines own = {.file = fopen(file, "rb")}, original = {.file = fopen(path, "rb")};
    const char *a = NULL, *b = NULL;
    finding->measured = true;
    if (!own.file || !original.file) {
        not_yet(report, finding, "cannot read %s: %s", own.file ? path : file, strerror(errno));
    } else {
        do {
            a = next_line(&own);
            b = next_line(&original);
        } while (a && b && !strcmp(a, b));
        if (own.inside)
            not_yet(report, finding, "the line with %s is missing; put it back", part_ends);
        else if (a || b)
            not_yet(report, finding, "line %d differs from %s; put it back", own.number, path);
        else if (own.directive)
            not_yet(report, finding, "line %d: no # and no %%: in your part, please",
                    own.directive);
    }
    close_lines(&own);
    close_lines(&original);
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
        meter->state[i].stage = header_stage(header, meter->goals[i].stage);
        meter->state[i].accesses = meter->state[i].warp_accesses = 0;
    }
    return true;
}

/* "bank 0 serves 6 words, for threads 0, 2, 4, ..." of the busiest bank. */
static void describe_conflict(const struct trace_header *header, const struct warp_access *access,
                              const struct bank_cost *cost, char *text, size_t room)
{
    enum { MOST = 6 };
    int bank = 0, listed = 0;
    for (int i = 1; i < header->banks; i++)
        if (cost->degree[i] > cost->degree[bank])
            bank = i;
    size_t used = (size_t)snprintf(text, room, "bank %d serves %d words, for threads", bank,
                                   cost->degree[bank]);
    for (int i = 0; i < access->lanes && used < room; i++) {
        int word = (int)(access->addr[i] / (uint32_t)header->bank_bytes);
        if (word % header->banks != bank || listed > MOST)
            continue;
        if (listed++ < MOST)
            used += (size_t)snprintf(text + used, room - used, "%s %d", listed > 1 ? "," : "",
                                     access->warp * header->warp + access->lane[i]);
        else
            used += (size_t)snprintf(text + used, room - used, ", ...");
    }
}

static bool meter_access(void *context, const struct warp_access *access, struct error *error)
{
    struct meter *meter = context;
    (void)error;
    for (int i = 0; i < meter->count; i++) {
        struct goal_state *state = &meter->state[i];
        const struct trace_header *header = &meter->header;
        struct bank_cost cost;
        char text[256];
        if (state->stage != access->stage)
            continue;
        state->accesses += (uint64_t)access->lanes;
        state->warp_accesses++;
        bank_model_cost(header, access, &cost);
        state->conflict_finding->measured = true;
        if (cost.conflicts <= meter->goals[i].conflicts || state->conflict_finding->why[0])
            continue;
        describe_conflict(header, access, &cost, text, sizeof text);
        not_yet(meter->report, state->conflict_finding, "block %d, warp %d, round %d: %s",
                access->block, access->warp, access->round, text);
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
        uint64_t each =
            (uint64_t)(goal->accesses * (goal->times ? header_param(header, goal->times, 1) : 1));
        struct exercise_finding *finding = state->access_finding;
        finding->measured = true;
        if (state->stage < 0)
            not_yet(meter->report, finding, "the kernel has no stage '%s'", goal->stage);
        else if (state->accesses < blocks * threads * each)
            not_yet(meter->report, finding,
                    "%llu accesses in all, where %llu are needed: data must go through shared "
                    "memory",
                    (unsigned long long)state->accesses,
                    (unsigned long long)(blocks * threads * each));
        else if (state->warp_accesses > blocks * warps * each)
            not_yet(meter->report, finding,
                    "%llu instructions of warps, where %llu do: all lanes must access at once",
                    (unsigned long long)state->warp_accesses,
                    (unsigned long long)(blocks * warps * each));
    }
    return true;
}

/* ---- the child ----------------------------------------------------------------------------- */

static void run_tries(struct exercise_report *report, const struct kernel *kernel,
                      struct meter *meter, struct exercise_finding *result_finding)
{
    static const char *const standard[] = {"", NULL};
    const char *const *tries = kernel->tries ? kernel->tries : standard;
    for (int t = 0; tries[t]; t++)
        for (int seed = 1; seed <= SEEDS; seed++) {
            struct recipe recipe;
            struct run_result result;
            struct error error = {{0}};
            double since = clock_seconds();
            struct trace_sink sink = {meter_header, meter_access, meter_end, meter};
            snprintf(report->trying, sizeof report->trying, "%s%sseed=%d", tries[t],
                     *tries[t] ? " " : "", seed);
            result_finding->measured = true;
            recipe_init(&recipe, kernel);
            recipe.input.seed = (uint64_t)seed;
            if (!recipe_read(&recipe, tries[t], &error) ||
                !recipe_run(&recipe, NULL, &sink, &result, &error))
                not_yet(report, result_finding, "%s", error.text);
            recipe_free(&recipe);
            report->runs++;
            if (error.text[0] && clock_seconds() - since > TRY_SECONDS / 2)
                return; /* a loop without end is none for every seed */
        }
    report->trying[0] = '\0';
}

static void grade(struct exercise_report *report, const char *file)
{
    const struct kernel *kernel = record_kernel(file, BACKEND_HOST, &report->error);
    struct meter meter = {.report = report};
    if (!kernel)
        return;
    if (!kernel->goals) {
        error_set(&report->error, "%s is a kernel, not an exercise: its ENTRY has no .goals", file);
        return;
    }
    snprintf(report->name, sizeof report->name, "%s", kernel->name);
    snprintf(report->summary, sizeof report->summary, "%s", kernel->summary ? kernel->summary : "");
    compare_with_original(report, file);
    struct exercise_finding *result = add_finding(report, "the result is right");
    meter.goals = kernel->goals;
    while (meter.count < EXERCISE_GOALS && kernel->goals[meter.count].stage) {
        const struct kernel_goal *goal = &kernel->goals[meter.count];
        struct goal_state *state = &meter.state[meter.count++];
        char each[80];
        if (goal->times && goal->accesses == 1)
            snprintf(each, sizeof each, "%s", goal->times);
        else
            snprintf(each, sizeof each, "%d%s%s", goal->accesses, goal->times ? " times " : "",
                     goal->times ? goal->times : "");
        state->access_finding = add_finding(report, "stage %s: %s access%s of every thread",
                                            goal->stage, each, strcmp(each, "1") ? "es" : "");
        state->conflict_finding =
            goal->conflicts
                ? add_finding(report, "stage %s: at most %d bank conflict%s at a time", goal->stage,
                              goal->conflicts, goal->conflicts == 1 ? "" : "s")
                : add_finding(report, "stage %s: no bank conflicts", goal->stage);
    }
    run_tries(report, kernel, &meter, result);
    header_free(&meter.header);
    report->done = true;
}

/* What the child does: the report is the memory that it shares with its parent. */
static int work(void *context, void *shared)
{
    const char *const *file = context;
    int null = open("/dev/null", O_RDWR);
    setpgid(0, 0);
    watch_user_code(&((struct exercise_report *)shared)->error, TRY_SECONDS / 2);
    dup2(null, STDOUT_FILENO); /* what a student's kernel prints is not part of the report */
    grade(shared, *file);
    return 0;
}

/* ---- the parent ---------------------------------------------------------------------------- */

/* Waits for the child; kills it and its compiler when one step takes too long. */
static int wait_for(const struct process *child, bool *late)
{
    const volatile struct exercise_report *report = child->shared;
    int status, runs = -1;
    double since = clock_seconds();
    *late = false;
    while (!process_ended(child, &status)) {
        bool built = report->name[0];
        if (built && runs != report->runs) {
            runs = report->runs;
            since = clock_seconds();
        }
        if (!*late && clock_seconds() - since > (built ? TRY_SECONDS : BUILD_SECONDS)) {
            *late = true;
            process_kill(child);
        }
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return status;
}

/* Where a run that never came back belongs: with the result. */
static void judge_end(struct exercise_report *report, int status, bool late)
{
    struct exercise_finding *finding = NULL;
    for (int i = 0; i < report->findings; i++)
        if (strstr(report->finding[i].what, "result"))
            finding = &report->finding[i];
    if (report->error.text[0] || report->done)
        return;
    if (!finding) {
        error_set(&report->error,
                  late ? "compiling took over %d seconds"
                       : "the exercise ended before it could be run",
                  BUILD_SECONDS);
        return;
    }
    finding->measured = true;
    finding->why[0] = '\0'; /* this is worse */
    if (late)
        not_yet(report, finding, "it did not end within %d seconds: look for a loop without end",
                TRY_SECONDS);
    else if (WIFSIGNALED(status))
        not_yet(report, finding, "it crashed (%s) outside of the kernel's threads",
                strsignal(WTERMSIG(status)));
    else
        not_yet(report, finding, "it ended the program (status %d)", WEXITSTATUS(status));
}

bool exercise_check(const char *file, struct exercise_report *report, struct error *error)
{
    struct process child;
    bool late;
    *report = (struct exercise_report){.runs = 0};
    if (!process_start(&child, sizeof *report, work, &file, error))
        return false;
    int status = wait_for(&child, &late);
    memcpy(report, child.shared, sizeof *report);
    process_free(&child);
    judge_end(report, status, late);
    return !report->error.text[0] || error_set(error, "%s", report->error.text);
}
