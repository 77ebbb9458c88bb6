/* measure_report.c - the functions of expressions that count what a report of a program says. */
#include "program/report/report.h"
#include "teach/teach.h"

#include <string.h>

static const char *const NAMES[] = {"instructions", "passes",   "least",  "conflicts",
                                    "max_ways",     "launches", "faults", NULL};
enum { INSTRUCTIONS, PASSES, LEAST, CONFLICTS, MAX_WAYS, LAUNCHES, FAULTS };

const char *const *report_measures(void)
{
    return NAMES;
}

/* "transpose" is each instance of the template; "transpose<float>" is that one. */
static bool is_kernel(const char *name, const char *wanted)
{
    const size_t length = strlen(wanted);
    return !strncmp(name, wanted, length) && (!name[length] || name[length] == '<');
}

/* "reduce.cu" is "src/reduce.cu", too. */
static bool is_file(const char *path, const char *wanted)
{
    const size_t length = strlen(path), tail = strlen(wanted);
    return length >= tail && !strcmp(path + length - tail, wanted) &&
           (length == tail || path[length - tail - 1] == '/');
}

static bool is_op(enum op op, int wanted)
{
    return wanted < 0 || (int)op == wanted || (wanted == OP_LOAD && op == OP_MATRIX_LOAD) ||
           (wanted == OP_STORE && (op == OP_MATRIX_STORE || op == OP_ASYNC_STORE)) ||
           (wanted == OP_ATOMIC && op_is_atomic(op));
}

/* What was found of the names in a selection, for messages. */
struct found {
    bool kernel, file, array;
};

static void add_tally(struct tally *sum, const struct tally *tally)
{
    sum->instructions += tally->instructions;
    sum->passes += tally->passes;
    sum->conflicts += tally->conflicts;
    if (sum->max_ways < tally->max_ways)
        sum->max_ways = tally->max_ways;
}

static void add_line(struct tally *sum, struct found *found, const struct report_line *line,
                     const struct report_selection *s)
{
    found->file |= !s->file || is_file(line->file, s->file);
    for (size_t i = 0; s->array && i < line->arrays; i++)
        found->array |= !strcmp(line->array[i].name, s->array);
    if ((s->file && !is_file(line->file, s->file)) || (s->line >= 0 && line->line != s->line) ||
        !is_op(line->op, s->op))
        return;
    if (!s->array)
        add_tally(sum, &line->tally);
    for (size_t i = 0; s->array && i < line->arrays; i++)
        if (!strcmp(line->array[i].name, s->array))
            add_tally(sum, &line->array[i].tally);
}

/* What kernels, files or arrays there are. false: *error lists them. */
static bool none_such(const struct report *report, const char *what, const char *word,
                      struct error *error)
{
    enum { MOST = 32 };
    const char *names[MOST + 1] = {NULL};
    char begin[40];
    int count = 0;
    for (size_t i = 0; i < report->kernels; i++) {
        const struct report_kernel *kernel = &report->kernel[i];
        if (*what == 'k' && count < MOST)
            names[count++] = kernel->name;
        for (size_t k = 0; k < kernel->lines && *what != 'k'; k++)
            for (size_t a = 0; a < (*what == 'f' ? 1 : kernel->line[k].arrays); a++) {
                const char *name =
                    *what == 'f' ? kernel->line[k].file : kernel->line[k].array[a].name;
                bool known = !*name || count == MOST;
                for (int n = 0; n < count; n++)
                    known |= !strcmp(names[n], name);
                if (!known)
                    names[count++] = name;
            }
    }
    snprintf(begin, sizeof begin, "there is no %s", what);
    return error_unknown(error, begin, word, names, NULL);
}

bool report_measure(const struct report *report, const char *name,
                    const struct report_selection *selection, int64_t *value, struct error *error)
{
    const struct report_selection *s = selection;
    struct tally sum = {0};
    struct found found = {!s->kernel, !s->file, !s->array};
    uint64_t launches = 0, faults = 0;
    for (size_t i = 0; i < report->kernels; i++) {
        const struct report_kernel *kernel = &report->kernel[i];
        if (s->kernel && !is_kernel(kernel->name, s->kernel))
            continue;
        found.kernel = true;
        launches += kernel->launches;
        for (size_t k = 0; k < kernel->lines; k++)
            add_line(&sum, &found, &kernel->line[k], s);
    }
    if (!found.kernel)
        return none_such(report, "kernel", s->kernel, error);
    if (!found.file)
        return none_such(report, "file with accesses to shared memory", s->file, error);
    if (!found.array)
        return none_such(report, "array in shared memory", s->array, error);
    for (size_t i = 0; i < report->faults; i++)
        faults += report->fault[i].error;
    const uint64_t values[] = {sum.instructions,
                               sum.passes,
                               sum.passes - sum.conflicts,
                               sum.conflicts,
                               (uint64_t)sum.max_ways,
                               launches,
                               faults};
    for (int i = 0; NAMES[i]; i++)
        if (!strcmp(NAMES[i], name)) {
            *value = (int64_t)values[i];
            return true;
        }
    return error_unknown(error, "there is no function", name, NAMES, NULL);
}
