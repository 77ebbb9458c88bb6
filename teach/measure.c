/* measure.c - the functions of expressions that count what a recording says. */
#include "teach/teach.h"

#include <string.h>

/* What a function has gathered of them. */
struct tally {
    const struct trace *trace;
    const struct selection *selection;
    int64_t value;
    uint64_t banks; /* bit set */
};

typedef void measure_add(struct tally *tally, const struct warp_access *access,
                         const struct bank_cost *cost);

static void larger(struct tally *tally, int64_t value)
{
    if (value > tally->value)
        tally->value = value;
}

static void add_warp_accesses(struct tally *tally, const struct warp_access *access,
                              const struct bank_cost *cost)
{
    (void)access, (void)cost;
    tally->value++;
}
static void add_accesses(struct tally *tally, const struct warp_access *access,
                         const struct bank_cost *cost)
{
    (void)cost;
    tally->value += access->lanes;
}
static void add_passes(struct tally *tally, const struct warp_access *access,
                       const struct bank_cost *cost)
{
    (void)access;
    tally->value += cost->passes;
}
static void add_least(struct tally *tally, const struct warp_access *access,
                      const struct bank_cost *cost)
{
    (void)access;
    tally->value += cost->least;
}
static void add_conflicts(struct tally *tally, const struct warp_access *access,
                          const struct bank_cost *cost)
{
    (void)access;
    tally->value += cost->conflicts;
}
static void add_max_ways(struct tally *tally, const struct warp_access *access,
                         const struct bank_cost *cost)
{
    (void)access;
    larger(tally, cost->ways);
}
static void add_rounds(struct tally *tally, const struct warp_access *access,
                       const struct bank_cost *cost)
{
    (void)cost;
    larger(tally, access->round + 1);
}
static void add_words(struct tally *tally, const struct warp_access *access,
                      const struct bank_cost *cost)
{
    (void)access;
    for (int bank = 0; bank < tally->trace->header.banks; bank++)
        tally->value += cost->degree[bank];
}
static void add_banks_used(struct tally *tally, const struct warp_access *access,
                           const struct bank_cost *cost)
{
    (void)access;
    for (int bank = 0; bank < tally->trace->header.banks; bank++)
        if (cost->degree[bank] && !(tally->banks >> bank & 1)) {
            tally->banks |= UINT64_C(1) << bank;
            tally->value++;
        }
}
static void add_degree(struct tally *tally, const struct warp_access *access,
                       const struct bank_cost *cost)
{
    (void)access;
    larger(tally, cost->degree[tally->selection->bank]);
}

static int64_t word_of(const struct tally *tally, uint32_t addr)
{
    return addr / (uint32_t)tally->trace->header.bank_bytes;
}
static void add_lanes(struct tally *tally, const struct warp_access *access,
                      const struct bank_cost *cost)
{
    (void)cost;
    for (int i = 0; i < access->lanes; i++)
        tally->value +=
            word_of(tally, access->addr[i]) % tally->trace->header.banks == tally->selection->bank;
}
static void add_word(struct tally *tally, const struct warp_access *access,
                     const struct bank_cost *cost)
{
    (void)cost;
    for (int i = 0; i < access->lanes; i++)
        if (access->lane[i] == tally->selection->thread % tally->trace->header.warp)
            tally->value = word_of(tally, access->addr[i]);
}
static void add_bank(struct tally *tally, const struct warp_access *access,
                     const struct bank_cost *cost)
{
    add_word(tally, access, cost);
    tally->value %= tally->trace->header.banks;
}

/* Adds an access to global memory. */
static void add_requests(struct tally *tally, const struct warp_access *access,
                         const struct bank_cost *cost)
{
    (void)access, (void)cost;
    tally->value++;
}
static void add_sectors(struct tally *tally, const struct warp_access *access,
                        const struct bank_cost *cost)
{
    struct sector_cost sectors;
    (void)cost;
    sector_model_cost(access, &sectors);
    tally->value += sectors.sectors;
}
static void add_least_sectors(struct tally *tally, const struct warp_access *access,
                              const struct bank_cost *cost)
{
    struct sector_cost sectors;
    (void)cost;
    sector_model_cost(access, &sectors);
    tally->value += sectors.least;
}

enum memory { SHARED, GLOBAL };
struct measure {
    const char *name;
    measure_add *add;
    const char *needs; /* an argument that it cannot do without, or NULL */
    bool one;          /* it is about one warp access: several are an error */
    enum memory of;    /* whose accesses it looks at */
};

static const struct measure MEASURES[] = {
    {"warp_accesses", add_warp_accesses, NULL, false, SHARED},
    {"accesses", add_accesses, NULL, false, SHARED},
    {"passes", add_passes, NULL, false, SHARED},
    {"least", add_least, NULL, false, SHARED},
    {"conflicts", add_conflicts, NULL, false, SHARED},
    {"max_ways", add_max_ways, NULL, false, SHARED},
    {"rounds", add_rounds, NULL, false, SHARED},
    {"words", add_words, NULL, false, SHARED},
    {"banks_used", add_banks_used, NULL, false, SHARED},
    {"degree", add_degree, "bank", false, SHARED},
    {"lanes", add_lanes, "bank", false, SHARED},
    {"word", add_word, "thread", true, SHARED},
    {"bank", add_bank, "thread", true, SHARED},
    {"requests", add_requests, NULL, false, GLOBAL},
    {"sectors", add_sectors, NULL, false, GLOBAL},
    {"least_sectors", add_least_sectors, NULL, false, GLOBAL},
};
enum { MEASURE_COUNT = sizeof MEASURES / sizeof MEASURES[0] };

int stage_called(const struct trace_header *header, const char *name)
{
    char spaced[64];
    int stage = header_stage(header, name);
    snprintf(spaced, sizeof spaced, "%s", name);
    for (char *dash = spaced; (dash = strchr(dash, '-')) != NULL;)
        *dash = ' ';
    return stage < 0 ? header_stage(header, spaced) : stage;
}

static bool has_lane(const struct warp_access *access, int lane)
{
    for (int i = 0; i < access->lanes; i++)
        if (access->lane[i] == lane)
            return true;
    return false;
}

static bool is_selected(const struct trace *trace, const struct selection *s,
                        const struct warp_access *access)
{
    int warp = trace->header.warp;
    return (s->stage < 0 || s->stage == access->stage) &&
           (s->round < 0 || s->round == access->round) &&
           (s->slot < 0 || s->slot == access->slot) &&
           (s->block < 0 || s->block == access->block) &&
           (s->warp < 0 || s->warp == access->warp) && (s->op < 0 || s->op == (int)access->op) &&
           (s->line < 0 ||
            (access->site >= 0 && trace->header.site[access->site].line == s->line)) &&
           (s->thread < 0 ||
            (s->thread / warp == access->warp && has_lane(access, s->thread % warp)));
}

const struct measure *measure_find(const char *name)
{
    for (int i = 0; i < MEASURE_COUNT; i++)
        if (!strcmp(MEASURES[i].name, name))
            return &MEASURES[i];
    return NULL;
}

const char *measure_name(int i)
{
    return i < MEASURE_COUNT ? MEASURES[i].name : NULL;
}

bool measure_run(const struct measure *measure, const struct trace *trace,
                 const struct selection *selection, int64_t *value, struct error *error)
{
    const struct trace_header *header = &trace->header;
    struct tally tally = {.trace = trace, .selection = selection};
    size_t found = 0;
    if (measure->needs && (measure->needs[0] == 'b' ? selection->bank : selection->thread) < 0)
        return error_set(error, "%s needs %s=...", measure->name, measure->needs);
    if (selection->bank >= header->banks)
        return error_set(error, "there is no bank %d; the last is %d", selection->bank,
                         header->banks - 1);
    for (size_t i = 0; i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        struct bank_cost cost;
        if ((access.global != NULL) != (measure->of == GLOBAL) ||
            !is_selected(trace, selection, &access))
            continue;
        bank_model_cost(header, &access, &cost);
        measure->add(&tally, &access, &cost);
        found++;
    }
    if (!found)
        return error_set(error, "nothing was recorded there");
    if (measure->one && found > 1)
        return error_set(error, "%s is about one access, but %zu fit: name the stage and round",
                         measure->name, found);
    *value = tally.value;
    return true;
}
