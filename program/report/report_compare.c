/* report_compare.c - what changed from one report to another, by kernel and line. */
#include "program/report/report.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool report_comparable(const struct report *before, const struct report *after, struct error *error)
{
    const struct {
        const char *what, *before, *after;
    } texts[] = {{"version of bankscope", before->bankscope, after->bankscope},
                 {"compiler", before->compiler, after->compiler},
                 {"device", before->device, after->device}};
    const struct {
        const char *what;
        int before, after;
    } numbers[] = {{"capability", before->capability, after->capability},
                   {"warp size", before->warp, after->warp}};
    if (!*before->bankscope)
        return error_set(error, "it does not say what it was made with; make it again");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].before, texts[i].after) != 0)
            return error_set(error, "its %s is %s, and here it is %s", texts[i].what,
                             *texts[i].before ? texts[i].before : "a GPU",
                             *texts[i].after ? texts[i].after : "a GPU");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].before != numbers[i].after && numbers[i].before && numbers[i].after)
            return error_set(error, "its %s is %d, and here it is %d", numbers[i].what,
                             numbers[i].before, numbers[i].after);
    return true;
}

static const struct report_kernel *kernel_named(const struct report *report, const char *name)
{
    for (size_t i = 0; i < report->kernels; i++)
        if (!strcmp(report->kernel[i].name, name))
            return &report->kernel[i];
    return NULL;
}

static bool is_same_text(const struct report_line *a, const struct report_line *b)
{
    return *a->source && !strcmp(a->source, b->source);
}

/* By how many lines the code around a line has moved: as the nearest line of its file did that has kept its text. */
static int moved_at(const struct report_kernel *after, const struct report_line *line,
                    const struct report_line *const *was)
{
    int moved = 0, nearest = INT_MAX;
    for (size_t i = 0; i < after->lines; i++) {
        const struct report_line *other = &after->line[i];
        const int away = abs(other->line - line->line);
        if (was[i] && away < nearest && is_same_text(was[i], other) &&
            !strcmp(other->file, line->file)) {
            nearest = away;
            moved = other->line - was[i]->line;
        }
    }
    return moved;
}

/* The one file of a kernel's lines that none of the other's is in, or NULL. */
static const char *lone_file(const struct report_kernel *of, const struct report_kernel *other)
{
    const char *lone = NULL;
    for (size_t i = 0; i < of->lines; i++) {
        const char *file = of->line[i].file;
        size_t k = 0;
        while (k < other->lines && strcmp(other->line[k].file, file) != 0)
            k++;
        if (k == other->lines && lone && strcmp(lone, file) != 0)
            return NULL;
        lone = k == other->lines ? file : lone;
    }
    return lone;
}

/* For each line of `after` the one of `before` that it was, or NULL: first those with the same text, in their
 * order, then those where they stand, counted from a line that kept its text, then those at the same number. A file
 * that only one has, and another that only the other has, are one file, which was copied or renamed.
 * used: which of `before` are some line's. */
static void pair_lines(const struct report_kernel *before, const struct report_kernel *after,
                       const struct report_line **was, bool *used)
{
    enum { BY_TEXT, BY_PLACE, BY_NUMBER, PASSES };
    const char *old = lone_file(before, after), *new = lone_file(after, before);
    for (int pass = BY_TEXT; pass < PASSES; pass++)
        for (size_t i = 0; i < after->lines; i++) {
            const struct report_line *b = &after->line[i];
            const int moved = pass == BY_PLACE && !was[i] ? moved_at(after, b, was) : 0;
            for (size_t k = 0; k < before->lines && !was[i]; k++) {
                const struct report_line *a = &before->line[k];
                const bool same = pass == BY_TEXT ? is_same_text(a, b) : a->line == b->line - moved;
                const bool renamed = old && new && !strcmp(a->file, old) && !strcmp(b->file, new);
                if (used[k] || a->op != b->op || (strcmp(a->file, b->file) && !renamed) || !same)
                    continue;
                was[i] = a;
                used[k] = true;
            }
        }
}

static bool is_more(const struct tally *before, const struct tally *after)
{
    return after->passes > before->passes || after->conflicts > before->conflicts;
}

/* Room was made for it. */
static void add_change(struct report_changes *changes, const struct report_change *change)
{
    changes->change[changes->count++] = *change;
    changes->grown += change->grew;
}

static void compare_kernel(struct report_changes *changes, const struct report_kernel *before,
                           const struct report_kernel *after)
{
    static const struct report_kernel none = {.name = ""};
    const struct report_kernel *a = before ? before : &none, *b = after ? after : &none;
    const struct report_line **was = memory_new(b->lines + 1, sizeof *was);
    bool *used = memory_new(a->lines + 1, sizeof *used);
    struct report_change row = {.kernel = {before, after}};
    const bool grew = before ? is_more(&a->tally, &b->tally) : b->tally.conflicts > 0;
    row.grew = grew;
    add_change(changes, &row);
    pair_lines(a, b, was, used);
    for (size_t i = 0; i < b->lines; i++) {
        row.line[0] = was[i];
        row.line[1] = &b->line[i];
        row.grew = was[i] ? is_more(&was[i]->tally, &b->line[i].tally)
                          : grew && (before || b->line[i].tally.conflicts);
        add_change(changes, &row);
    }
    row = (struct report_change){.kernel = {before, after}};
    for (size_t i = 0; i < a->lines; i++) {
        row.line[0] = &a->line[i];
        if (!used[i])
            add_change(changes, &row);
    }
    free(was);
    free(used);
}

void report_compare(struct report_changes *changes, const struct report *before,
                    const struct report *after)
{
    size_t most = 1;
    const struct report *both[] = {before, after};
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < both[i]->kernels; k++)
            most += 1 + both[i]->kernel[k].lines;
    *changes = (struct report_changes){.change = memory_new(most, sizeof *changes->change)};
    for (size_t i = 0; i < after->kernels; i++)
        compare_kernel(changes, kernel_named(before, after->kernel[i].name), &after->kernel[i]);
    for (size_t i = 0; i < before->kernels; i++)
        if (!kernel_named(after, before->kernel[i].name))
            compare_kernel(changes, &before->kernel[i], NULL);
}

void report_changes_free(struct report_changes *changes)
{
    free(changes->change);
    *changes = (struct report_changes){.count = 0};
}
