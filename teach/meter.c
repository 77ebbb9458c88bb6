/* meter.c - what an exercise asks, and what each run measures of it.
 *
 * The meter is a sink of every run. A finding keeps the first run and access that missed it; the report's
 * place is where that was.
 */
#include "teach/meter.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

struct exercise_finding *finding_add(struct exercise_report *report, const char *format, ...)
{
    struct exercise_finding *finding = &report->finding[report->findings];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->what, sizeof finding->what, format, arguments);
    va_end(arguments);
    report->findings++;
    return finding;
}

void finding_miss(struct exercise_report *report, struct exercise_finding *finding,
                  const char *format, ...)
{
    char why[600];
    va_list arguments;
    if (finding->why[0])
        return;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    part_clean(why);
    for (const struct kernel_slip *slip = report->slips; slip && slip->sign; slip++)
        if (strstr(why, slip->sign) || strstr(finding->what, slip->sign)) {
            snprintf(finding->hint, sizeof finding->hint, "%s", slip->hint);
            break;
        }
    snprintf(finding->why, sizeof finding->why, "%s%s%s", report->trying,
             *report->trying ? ": " : "", why);
}

void report_run(struct exercise_report *report, const struct trace_header *header)
{
    struct exercise_place *place = &report->place;
    int length = (int)strlen(report->trying);
    const char *seed = strstr(report->trying, "seed=");
    if (seed > report->trying)
        length = (int)(seed - report->trying) - 1;
    place->seed = header->seed;
    snprintf(place->words, sizeof place->words, "%.*s", length, report->trying);
}

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
    *text = '\0';
    text_add(text, room, "bank %d serves %d word%s, for thread%s", bank, cost->degree[bank],
             cost->degree[bank] == 1 ? "" : "s", lanes == 1 ? "" : "s");
    for (int i = 0; i < access->lanes && listed <= MOST; i++) {
        int64_t word = word_in_bank(header, access, i, bank);
        if (word < 0)
            continue;
        text_add(text, room, listed ? ", " : " ");
        if (listed++ < MOST)
            text_add(text, room, "%d (word %" PRId64 ")",
                     access->warp * header->warp + access->lane[i], word);
        else
            text_add(text, room, "...");
    }
}

/* "block 0, warp 1, round 3", with the slot where a round has several, and a program's line. */
static void describe_place(const struct trace_header *header, const struct warp_access *access,
                           char *text, size_t room)
{
    *text = '\0';
    if (access->site >= 0)
        text_add(text, room, "line %d, ", header->site[access->site].line);
    text_add(text, room, "block %d, warp %d, round %d", access->block, access->warp, access->round);
    if (access->slot)
        text_add(text, room, ", slot %d", access->slot);
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
            text_add(text, sizeof text, ", and no bank serves more");
        if (!*meter->report->place.words) {
            struct exercise_place *failing = &meter->report->place;
            report_run(meter->report, header);
            failing->stage = access->stage;
            failing->round = access->round;
            failing->slot = access->slot;
            failing->block = access->block;
            failing->warp = access->warp;
        }
        finding_miss(meter->report, state->conflict_finding, "%s: %s", place, text);
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
            finding_miss(meter->report, finding, "the kernel has no stage '%s'", goal->stage);
        else if (state->accesses < blocks * threads * least)
            finding_miss(meter->report, finding,
                         "%llu accesses in all, where %llu are needed: data must go through shared "
                         "memory",
                         (unsigned long long)state->accesses,
                         (unsigned long long)(blocks * threads * least));
        else if (state->warp_accesses > blocks * warps * most)
            finding_miss(meter->report, finding,
                         "%llu instructions of warps, where %llu do: all lanes must access at once",
                         (unsigned long long)state->warp_accesses,
                         (unsigned long long)(blocks * warps * most));
    }
    return true;
}

void meter_ask(struct meter *meter, const struct kernel *kernel)
{
    struct exercise_report *report = meter->report;
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
        state->access_finding = finding_add(report, "%s: %s access%s of every thread", of, each,
                                            strcmp(each, "1") ? "es" : "");
        if (goal->ways) {
            state->conflict_finding =
                goal->more
                    ? finding_add(report, "%s: at least %s + %d ways in every access", of,
                                  goal->ways, goal->more)
                    : finding_add(report, "%s: at least %s ways in every access", of, goal->ways);
            continue;
        }
        state->conflict_finding =
            goal->conflicts ? finding_add(report, "%s: at most %d bank conflict%s at a time", of,
                                          goal->conflicts, goal->conflicts == 1 ? "" : "s")
                            : finding_add(report, "%s: no bank conflicts", of);
    }
}

struct trace_sink meter_sink(struct meter *meter)
{
    return (struct trace_sink){meter_header, meter_access, meter_end, meter};
}

void meter_free(struct meter *meter)
{
    header_free(&meter->header);
}
