/* judge.c - looks on while an exercise's kernel runs.
 *
 * The place of an access in the code tells whose it is: the compiler says which line each instruction comes
 * from, and through which calls, and no source can change that (kernelc takes no #line). An access is
 * the teacher's if the outermost of these places is in the exercise's text and none is in the part.
 */
#include "grade/judge.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { WORD_STORED = 1, WORD_READ = 2 };

/* ---- findings -------------------------------------------------------------------------------------- */

static void add_finding(struct grade_marks *marks, const char *format, ...)
{
    struct grade_finding *finding = &marks->finding[marks->findings++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->what, sizeof finding->what, format, arguments);
    va_end(arguments);
}

static void add_goal(const struct grade_table *table, const struct grade_goal *goal,
                     struct grade_marks *marks)
{
    const char *times = goal->times < 0 ? NULL : table->parameter[goal->times].name;
    char of[48] = "", each[80] = "";
    if (goal->of == GRADE_OF_STAGE)
        text_add(of, sizeof of, "stage %s", table->stage[goal->stage]);
    else
        text_add(of, sizeof of, "%s", goal->of == GRADE_OF_LOADS ? "loads" : "stores");
    const bool one = goal->accesses == 1 && goal->most <= goal->accesses;
    if (!one || !times)
        text_add(each, sizeof each, "%d", goal->accesses);
    if (goal->most > goal->accesses)
        text_add(each, sizeof each, " to %d", goal->most);
    if (times)
        text_add(each, sizeof each, "%s%s", one ? "" : " times ", times);
    add_finding(marks, "%s: %s access%s of every thread", of, each, strcmp(each, "1") ? "es" : "");
    if (goal->ways >= 0)
        add_finding(marks, "%s: at least %s + %d ways in every access", of,
                    table->parameter[goal->ways].name, goal->more);
    else if (goal->conflicts)
        add_finding(marks, "%s: at most %d bank conflict%s at a time", of, goal->conflicts,
                    goal->conflicts == 1 ? "" : "s");
    else
        add_finding(marks, "%s: no bank conflicts", of);
}

void judge_findings(const struct grade_table *table, struct grade_marks *marks)
{
    static const char *const touch[] = {"the part accesses no memory itself",
                                        "the part accesses no global memory",
                                        "the part accesses what it is given"};
    add_finding(marks, "the result is right");
    add_finding(marks, "%s", touch[table->touch]);
    for (int i = 0; i < table->goals; i++)
        add_goal(table, &table->goal[i], marks);
    if (table->follow != GRADE_FOLLOW_NOT)
        add_finding(marks, "the result comes out of shared memory");
}

/* The first run that misses something is the one to look at. */
static void note_place(const struct judge *judge)
{
    struct grade_place *place = &judge->marks->place;
    if (place->known)
        return;
    place->known = true;
    memcpy(place->value, judge->of->value, sizeof place->value);
    place->seed = judge->of->seed;
    place->access = judge->alters ? 0 : judge->looking;
    place->array = -1;
}

void judge_miss(struct judge *judge, int index, const char *format, ...)
{
    const struct grade_table *table = judge->of->table;
    struct grade_finding *finding = &judge->marks->finding[index];
    char why[480], trying[120];
    va_list arguments;
    if (finding->why[0])
        return;
    note_place(judge);
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    text_clean(why);
    grade_case_show(judge->of, trying, sizeof trying);
    text_add(finding->why, sizeof finding->why, "%s: %s%s", trying,
             judge->altered ? "after words were altered in shared memory: " : "", why);
    for (int i = 0; i < table->slips && !finding->hint; i++)
        if (strstr(why, table->slip[i].sign) || strstr(finding->what, table->slip[i].sign))
            finding->hint = table->slip[i].hint;
}

/* ---- whose access it is ---------------------------------------------------------------------------- */

static bool is_own(const struct machine_module *module, int site)
{
    enum { DEEPEST = 64 };
    struct machine_site at = {.file = "", .inlined_at = site};
    for (int depth = 0; at.inlined_at >= 0; depth++) {
        machine_module_site(module, at.inlined_at, &at);
        if (depth == DEEPEST || !strcmp(at.file, GRADE_PART_FILE))
            return true;
    }
    return strcmp(at.file, GRADE_EXERCISE_FILE) != 0;
}

static void *zeros(const struct judge *judge, size_t size)
{
    void *memory = judge->allocator->resize(judge->allocator->context, NULL, 0, size);
    if (memory)
        memset(memory, 0, size);
    return memory;
}

static size_t made_size(const struct judge *judge)
{
    return (size_t)judge->blocks * judge->warps * sizeof *judge->goal[0].made;
}

static size_t state_size(const struct judge *judge)
{
    return (size_t)judge->blocks * judge->words + 1;
}

static bool on_begin(void *context, struct machine_module *module, struct machine_kernel *kernel)
{
    struct judge *judge = context;
    const struct grade_case *of = judge->of;
    const uint32_t lanes = (uint32_t)judge->header.warp;
    struct machine_kernel_facts facts;
    bool good = true;
    judge->module = module;
    judge->kernel = kernel;
    judge->accesses = machine_kernel_accesses(kernel);
    judge->own = zeros(judge, (size_t)judge->accesses + 1);
    for (int i = 0; judge->own && i < judge->accesses; i++) {
        struct machine_access_facts access;
        machine_kernel_access(kernel, i, &access);
        judge->own[i] = is_own(module, access.site);
    }
    machine_kernel_facts(kernel, &facts);
    judge->blocks = (uint32_t)grade_size(&of->table->grid, of->value);
    judge->warps = ((uint32_t)grade_size(&of->table->block, of->value) + lanes - 1) / lanes;
    judge->words = (facts.static_shared + (uint32_t)grade_size(&of->table->shared, of->value)) / 4;
    if (judge->alters)
        judge->state = zeros(judge, state_size(judge));
    for (int i = 0; i < of->table->goals; i++) {
        judge->goal[i].made = zeros(judge, made_size(judge));
        good = good && judge->goal[i].made;
    }
    return good && judge->own && (judge->state || !judge->alters);
}

/* ---- goals ------------------------------------------------------------------------------------------ */

static bool uses_bank(const struct judge *judge, const struct warp_access *access, int i, int bank,
                      uint32_t *word)
{
    const uint32_t first = access->addr[i] / 4;
    const uint32_t last = (access->addr[i] + (uint32_t)access->bytes - 1) / 4;
    for (*word = first; *word <= last; ++*word)
        if (*word % (uint32_t)judge->header.banks == (uint32_t)bank)
            return true;
    return false;
}

/* "bank 0 serves 6 words, for threads 0 (word 0), 2 (word 12), ..." of the busiest bank. */
static void describe(const struct judge *judge, const struct warp_access *access,
                     const struct bank_cost *cost, char *text, size_t room)
{
    enum { MOST = 6 };
    int bank = 0, listed = 0;
    uint32_t word;
    for (int i = 1; i < judge->header.banks; i++)
        if (cost->degree[i] > cost->degree[bank])
            bank = i;
    text_add(text, room, "bank %d serves %d word%s, for threads", bank, cost->degree[bank],
             cost->degree[bank] == 1 ? "" : "s");
    for (int i = 0; i < access->lanes && listed <= MOST; i++)
        if (uses_bank(judge, access, i, bank, &word)) {
            if (listed++ < MOST)
                text_add(text, room, "%s%d (word %" PRIu32 ")", listed > 1 ? ", " : " ",
                         access->warp * judge->header.warp + access->lane[i], word);
            else
                text_add(text, room, ", ...");
        }
}

/* Counts it; which one of its warp it is. */
static uint32_t count_access(struct judge *judge, int index, const struct warp_access *access,
                             uint64_t parts)
{
    judge->goal[index].accesses += (uint64_t)access->lanes * parts;
    judge->goal[index].instructions += parts;
    return ++judge->goal[index]
                 .made[(uint32_t)access->block * judge->warps + (uint32_t)access->warp];
}

static void judge_goal(struct judge *judge, int index, const struct warp_access *access)
{
    const struct grade_goal *goal = &judge->of->table->goal[index];
    const int finding = FINDING_GOALS + 2 * index + 1;
    const uint64_t parts = access->bytes > 4 ? (uint64_t)access->bytes / 4 : 1;
    struct bank_cost cost;
    char text[300] = "";
    const uint32_t number = count_access(judge, index, access, parts);
    bank_model_cost(&judge->header, access, &cost);
    judge->marks->finding[finding].measured = true;
    if (goal->ways >= 0 ? cost.ways >= judge->of->value[goal->ways] + goal->more
                        : cost.conflicts <= goal->conflicts)
        return;
    describe(judge, access, &cost, text, sizeof text);
    judge_miss(judge, finding, "block %d, warp %d, access %" PRIu32 ": %s%s", access->block,
               access->warp, number, text, goal->ways >= 0 ? ", and no bank serves more" : "");
}

static bool reads(enum op op)
{
    return op != OP_STORE && op != OP_ASYNC_STORE && op != OP_MATRIX_STORE;
}

static bool is_asked(const struct grade_goal *goal, const struct machine_access *access)
{
    return goal->of == GRADE_OF_LOADS    ? reads(access->op)
           : goal->of == GRADE_OF_STORES ? !reads(access->op) || op_is_atomic(access->op)
                                         : goal->stage == (int)access->phase;
}

static void judge_shared(struct judge *judge, const struct machine_access *from)
{
    const struct grade_table *table = judge->of->table;
    uint8_t lane[MACHINE_LANES];
    uint32_t addr[MACHINE_LANES];
    struct warp_access access = {.block = (int)from->block,
                                 .warp = (int)from->warp,
                                 .op = from->op,
                                 .bytes = from->bytes,
                                 .lane = lane,
                                 .addr = addr,
                                 .site = -1};
    for (uint64_t mask = from->mask; mask; mask &= mask - 1, access.lanes++) {
        lane[access.lanes] = (uint8_t)__builtin_ctzll(mask);
        addr[access.lanes] = (uint32_t)from->address[lane[access.lanes]];
    }
    for (int i = 0; i < table->goals && access.lanes; i++)
        if (is_asked(&table->goal[i], from))
            judge_goal(judge, i, &access);
}

/* ---- altered words ---------------------------------------------------------------------------------- */

uint32_t judge_altered_word(const struct grade_case *of, uint32_t word)
{
    uint64_t random = of->seed << 32 | word;
    return word ^ ((uint32_t)grade_random(&random) | 1);
}

/* Half of the words, by the seed, and the first in any case; all of them if each must come out. */
static bool is_chosen(const struct judge *judge, uint64_t block, uint64_t word)
{
    uint64_t random = judge->of->seed * 64 + (block << 32 | word);
    return judge->of->table->follow == GRADE_FOLLOW_MOVED || !judge->altered ||
           (grade_random(&random) & 1);
}

/* A word that a load or store is about to touch. */
static void follow_word(struct judge *judge, const struct machine_access *access, uint64_t word)
{
    uint8_t *state = &judge->state[access->block * judge->words + word];
    uint32_t value;
    if (!reads(access->op)) {
        *state =
            judge->of->table->follow == GRADE_FOLLOW_MOVED ? WORD_STORED : *state | WORD_STORED;
    } else if (*state == WORD_STORED) {
        *state |= WORD_READ;
        if (!is_chosen(judge, access->block, word))
            return;
        memcpy(&value, access->shared + 4 * word, 4);
        value = judge_altered_word(judge->of, value);
        memcpy(access->shared + 4 * word, &value, 4);
        judge->altered++;
    }
}

static void follow_access(struct judge *judge, const struct machine_access *access)
{
    for (uint64_t mask = access->mask; mask; mask &= mask - 1) {
        const uint64_t at = access->address[__builtin_ctzll(mask)];
        for (uint64_t word = at / 4; word <= (at + (uint64_t)access->bytes - 1) / 4; word++)
            if (word < judge->words)
                follow_word(judge, access, word);
    }
}

/* ---- the observer ------------------------------------------------------------------------------------ */

static void touched(struct judge *judge, const struct machine_access *access)
{
    const enum grade_touch touch = judge->of->table->touch;
    struct machine_access_facts facts;
    struct machine_site site = {.line = 0};
    if (!judge->own[access->access] || touch == GRADE_TOUCH_ALL ||
        (touch == GRADE_TOUCH_SHARED && !access->global))
        return;
    machine_kernel_access(judge->kernel, access->access, &facts);
    if (facts.site >= 0)
        machine_module_site(judge->module, facts.site, &site);
    judge_miss(judge, FINDING_TOUCH, "line %d: %s of %s memory", site.line, op_name(access->op),
               access->global ? "global" : "shared");
}

static void on_access(void *context, const struct machine_access *access)
{
    struct judge *judge = context;
    if (judge->alters && !access->global)
        follow_access(judge, access);
    if (judge->alters && judge->of->table->follow != GRADE_FOLLOW_MOVED)
        return;
    if (!access->global && access->mask)
        judge->looking = ++judge->shared;
    touched(judge, access);
    if (!access->global)
        judge_shared(judge, access);
    judge->looking = 0;
}

static void on_barrier(void *context, uint64_t block, uint32_t phase)
{
    struct judge *judge = context;
    (void)block;
    if (phase > judge->phases)
        judge->phases = phase;
}

static void on_fault(void *context, const struct machine_fault *fault)
{
    const struct judge *judge = context;
    grade_tell_fault(judge->outcome, judge->module, fault);
}

void judge_begin(struct judge *judge, const struct grade_case *of, bool alters, uint64_t limit)
{
    const int warp = grade_case_warp(of);
    judge_free(judge);
    judge->of = of;
    judge->header = (struct trace_header){.banks = warp, .bank_bytes = 4, .warp = warp};
    judge->alters = alters;
    judge->limit = limit;
    judge->altered = 0;
    judge->phases = 0;
    judge->shared = judge->looking = 0;
}

struct grade_watch judge_watch(struct judge *judge, struct machine_observer *observer)
{
    *observer = (struct machine_observer){
        .context = judge, .fault = on_fault, .access = on_access, .barrier = on_barrier};
    return (struct grade_watch){.observer = observer,
                                .begin = on_begin,
                                .context = judge,
                                .check = !judge->alters,
                                .limit = judge->limit};
}

static void end_goal(struct judge *judge, int index)
{
    const struct grade_case *of = judge->of;
    const struct grade_goal *goal = &of->table->goal[index];
    const uint64_t threads = (uint64_t)grade_size(&of->table->block, of->value);
    const uint64_t times = goal->times < 0 ? 1 : (uint64_t)of->value[goal->times];
    const uint64_t least = judge->blocks * threads * (uint64_t)goal->accesses * times;
    const uint64_t each =
        times * (uint64_t)(goal->most > goal->accesses ? goal->most : goal->accesses);
    const int finding = FINDING_GOALS + 2 * index;
    judge->marks->finding[finding].measured = true;
    if (judge->goal[index].accesses < least)
        judge_miss(judge, finding,
                   "%" PRIu64 " accesses in all, where %" PRIu64
                   " are needed: data must go through shared memory",
                   judge->goal[index].accesses, least);
    else if (judge->goal[index].accesses > judge->blocks * threads * each)
        judge_miss(judge, finding, "%" PRIu64 " accesses in all, where %" PRIu64 " do: too many",
                   judge->goal[index].accesses, judge->blocks * threads * each);
    else if (judge->goal[index].instructions > judge->blocks * judge->warps * each)
        judge_miss(judge, finding,
                   "%" PRIu64 " instructions of warps, where %" PRIu64
                   " do: all lanes must access at once",
                   judge->goal[index].instructions, judge->blocks * judge->warps * each);
}

void judge_end(struct judge *judge)
{
    const struct grade_table *table = judge->of->table;
    judge->marks->finding[FINDING_TOUCH].measured = true;
    for (int i = 0; i < table->goals; i++)
        end_goal(judge, i);
    if (table->stages && judge->phases + 1 > (uint32_t)table->stages)
        judge_miss(judge, FINDING_RESULT,
                   "the threads of a block meet at %u barriers, where the exercise has %d",
                   judge->phases, table->stages - 1);
}

void judge_free(struct judge *judge)
{
    const struct allocator *allocator = judge->allocator;
    if (judge->own)
        allocator->resize(allocator->context, judge->own, (size_t)judge->accesses + 1, 0);
    if (judge->state)
        allocator->resize(allocator->context, judge->state, state_size(judge), 0);
    for (int i = 0; i < GRADE_GOALS; i++)
        if (judge->goal[i].made)
            allocator->resize(allocator->context, judge->goal[i].made, made_size(judge), 0);
    judge->own = NULL;
    judge->state = NULL;
    memset(judge->goal, 0, sizeof judge->goal);
}
