/* verify_table.c - what the bank model predicts beside what was counted. */
#include "measure/verify.h"

#include <inttypes.h>
#include <string.h>

enum { SHOWN = 3 }; /* counts of an operation in the table */

static bool predict(struct verify_case *item, struct error *error)
{
    struct recipe recipe;
    struct stats stats;
    struct run_result result;
    stats_init(&stats, STATS_BY_STAGE);
    struct trace_sink sink = stats_sink(&stats);
    bool good =
        verify_recipe(item, &recipe, error) && recipe_run(&recipe, NULL, &sink, &result, error);
    memset(&item->predicted, 0, sizeof item->predicted);
    for (size_t i = 0; good && i < stats.rows; i++) {
        const struct stats_row *row = &stats.row[i];
        uint64_t *of = item->predicted.of + (row->op == OP_STORE ? VERIFY_COUNTS_OF_OP : 0);
        of[0] += row->warp_accesses;
        of[1] += row->passes;
        of[2] += row->conflicts;
    }
    stats_free(&stats);
    recipe_free(&recipe);
    return good;
}
static bool same_case(const struct verify_case *a, const struct verify_case *b)
{
    return !strcmp(a->kernel, b->kernel) && !strcmp(a->params, b->params) &&
           !strcmp(a->input, b->input);
}

/* What the hardware adds to a count and the model cannot know. Both are corrected for within these
 * limits, which are a little more than what was measured (doc/gpu.md), and are a difference beyond. */
enum {
    LOST_SHARE = 3,   /* of the passes, 1 in so many may be lost to arbitration */
    MOST_LOST = 4500, /* passes of a case */
    OVER_SHARE =
        10,        /* of the passes, 1 in so many may be counted that did not go through the path */
    FEW_IDLE = 32, /* instructions without a lane: one for each warp of a block, or */
    IDLE_SHARE = 8,   /* so many for each instruction that is predicted, */
    MOST_IDLE = 5000, /* but no more than this, or as many as are predicted */
};

static uint64_t at_most(uint64_t number, uint64_t limit)
{
    return number < limit ? number : limit;
}

/* Passes that the hardware lost to other traffic; they are part of the conflicts it counts. */
static uint64_t lost_passes(const uint64_t *counted)
{
    uint64_t surplus = counted[3] > counted[1] ? counted[3] - counted[1] : 0;
    return surplus <= at_most(counted[1] / LOST_SHARE, MOST_LOST) ? surplus : 0;
}

/* Passes by instruction, of which there are no more than all that went through the data path. */
static uint64_t own_passes(const uint64_t *counted)
{
    uint64_t surplus = counted[1] > counted[3] ? counted[1] - counted[3] : 0;
    return surplus <= counted[3] / OVER_SHARE ? counted[1] - surplus : counted[1];
}

/* Instructions without any active lane: a compiler may turn a branch that no lane takes into an
 * instruction that no lane executes. It is counted, but costs no pass. */
static uint64_t idle_instructions(const uint64_t *predicted, const uint64_t *counted)
{
    uint64_t surplus = counted[0] > predicted[0] ? counted[0] - predicted[0] : 0;
    bool usual = surplus <= FEW_IDLE || surplus <= predicted[0] ||
                 surplus <= at_most(predicted[0] * IDLE_SHARE, MOST_IDLE);
    return usual ? surplus : 0;
}

/* The least and the most of several runs. */
struct verify_span {
    uint64_t least, most;
};

/* What is shown of loads, or of stores, over all runs of a case. */
struct verify_range {
    struct verify_span corrected[SHOWN], raw[SHOWN];
    bool
        equal; /* all that is corrected is as predicted, and instructions are the same in all runs */
};

static void widen(struct verify_span *span, uint64_t value, bool first)
{
    span->least = first || value < span->least ? value : span->least;
    span->most = first || value > span->most ? value : span->most;
}

static struct verify_range range_of(const struct verify_case *runs, size_t count, int op)
{
    const uint64_t *predicted = runs->predicted.of + VERIFY_COUNTS_OF_OP * op;
    struct verify_range range = {.equal = true};
    for (size_t i = 0; i < count; i++) {
        const uint64_t *counted = runs[i].counted.of + VERIFY_COUNTS_OF_OP * op;
        const uint64_t lost = lost_passes(counted);
        const uint64_t raw[SHOWN] = {counted[0], counted[3], counted[2]};
        const uint64_t corrected[SHOWN] = {counted[0] - idle_instructions(predicted, counted),
                                           counted[3] - lost,
                                           counted[2] > lost ? counted[2] - lost : 0};
        for (int k = 0; k < SHOWN; k++) {
            widen(&range.raw[k], raw[k], !i);
            widen(&range.corrected[k], corrected[k], !i);
            range.equal = range.equal && corrected[k] == predicted[k];
        }
        range.equal = range.equal && own_passes(counted) == predicted[1];
    }
    range.equal = range.equal && range.raw[0].least == range.raw[0].most;
    return range;
}

/* "7", "7-9". */
static void print_span(struct verify_span span, char *text, size_t room)
{
    if (span.least == span.most)
        snprintf(text, room, "%" PRIu64, span.least);
    else
        snprintf(text, room, "%" PRIu64 "-%" PRIu64, span.least, span.most);
}

/* What is predicted and, where it is another, what was counted, corrected; then what was counted. */
static void print_count(uint64_t predicted, struct verify_span corrected, struct verify_span raw)
{
    char text[64], counted[48];
    print_span(corrected, counted, sizeof counted);
    if (corrected.least != predicted || corrected.most != predicted)
        snprintf(text, sizeof text, "%" PRIu64 "/%s", predicted, counted);
    else
        snprintf(text, sizeof text, "%" PRIu64, predicted);
    print_span(raw, counted, sizeof counted);
    printf(" %13s %13s", text, counted);
}

/* One line for loads, one for stores, over `count` runs of one case. */
static bool print_case(const struct verify_case *runs, size_t count)
{
    static const char *const name[] = {"load", "store"};
    bool all = true;
    for (int op = 0; op < 2; op++) {
        const uint64_t *predicted = runs->predicted.of + VERIFY_COUNTS_OF_OP * op;
        struct verify_range range = range_of(runs, count, op);
        all = all && range.equal;
        if (!predicted[0] && !range.raw[0].most)
            continue;
        printf("%-14s %-42s %-10s %-5s", runs->kernel, runs->params, runs->input, name[op]);
        for (int k = 0; k < SHOWN; k++)
            print_count(predicted[k], range.corrected[k], range.raw[k]);
        printf("  %s\n", range.equal ? "equal" : "DIFFERS");
    }
    return all;
}

bool verify_print(struct verify_list *list, size_t *differ, struct error *error)
{
    size_t cases = 0;
    printf("%-14s %-42s %-10s %-5s %13s %13s %13s %13s %13s %13s\n", "kernel", "parameters",
           "input", "op", "instructions", "counted", "passes", "counted", "conflicts", "counted");
    for (size_t i = 0, next; i < list->count; i = next, cases++) {
        struct verify_case *item = &list->item[i];
        if (!predict(item, error))
            return false;
        for (next = i + 1; next < list->count && same_case(item, &list->item[next]); next++)
            continue;
        *differ += !print_case(item, next - i);
    }
    printf("%zu cases in %zu runs: %zu equal", cases, list->count, cases - *differ);
    if (*differ)
        printf(", %zu DIFFER (predicted/counted)", *differ);
    printf("\n");
    return true;
}
