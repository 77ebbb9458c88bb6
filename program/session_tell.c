/* session_tell.c - hands what a run has told (records.h) to a sink: launches with their counts and single accesses,
 * and faults. What it is asked for is in the choice.
 */
#include "program/session.h"
#include "program/excuse.h"
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

struct telling {
    const struct records *records;
    const struct records_taken *taken;
    struct source_lines *lines;
    const struct program_choice *choice;
    const struct records_choice *wanted;
    const struct program_sink *sink;
    struct error *error;
    /* The launch: */
    const struct records_kernel *kernel;
    int warp;
    /* The block's warps: */
    struct marked {
        uint32_t stage, number, phase, round;
    } mark[MACHINE_THREADS];
    char *stage[STAGES_MOST + 1]; /* by number, from 1 */
    uint32_t stages;
    bool in_block;
    char text[256]; /* of the instruction that was told last */
};

#define TELL(function, ...)                                                                        \
    (!telling->sink->function ||                                                                   \
     telling->sink->function(telling->sink->context, __VA_ARGS__, telling->error))

static bool end_block(struct telling *telling)
{
    bool was = telling->in_block;
    telling->in_block = false;
    return !was || !telling->sink->block_end ||
           telling->sink->block_end(telling->sink->context, telling->error);
}

static bool on_block(void *context, uint64_t block, struct error *error)
{
    struct telling *telling = context;
    (void)error;
    if (!end_block(telling))
        return false;
    for (int i = 0; i < MACHINE_THREADS; i++)
        telling->mark[i] = (struct marked){.number = ROUND_UNNUMBERED};
    telling->in_block = true;
    return TELL(block, block);
}

/* Whether --memory asks for it. */
static bool is_chosen(const struct program_choice *choice, const struct records_access *access)
{
    return access->global == RECORDS_SHARED ? choice->memory != MEMORY_GLOBAL
                                            : choice->memory != MEMORY_SHARED;
}

/* Rounds are the warp's accesses in the phase. */
static bool on_access(void *context, const struct records_entry *entry, const uint64_t *address,
                      const unsigned char *value, struct error *error)
{
    struct telling *telling = context;
    uint64_t row = telling->kernel->first_access + entry->access;
    const struct records_access *access = &telling->taken->access[row];
    struct marked *mark = &telling->mark[entry->warp];
    const bool global = access->global == RECORDS_GLOBAL;
    uint8_t lane[RECORDS_LANES];
    uint32_t addr[RECORDS_LANES];
    int64_t values[RECORDS_LANES];
    int lanes = 0;
    (void)error;
    if (!is_chosen(telling->choice, access))
        return true;
    for (uint64_t left = entry->mask; left; left &= left - 1) {
        lane[lanes] = (uint8_t)__builtin_ctzll(left);
        addr[lanes] = (uint32_t)address[lanes];
        values[lanes] = 0;
        if (value)
            memcpy(&values[lanes], value + (size_t)lanes * access->bytes,
                   access->bytes < 8 ? access->bytes : 8);
        lanes++;
    }
    if (entry->phase != mark->phase)
        mark->round = 0;
    mark->phase = entry->phase;
    const struct program_access told = {.pc = lines_access(row),
                                        .mask = entry->mask,
                                        .phase = entry->phase,
                                        .round = mark->round++,
                                        .stage = mark->stage,
                                        .number = mark->number,
                                        .warp = entry->warp,
                                        .op = (enum op)access->op,
                                        .bytes = (int)access->bytes,
                                        .lanes = lanes,
                                        .lane = lane,
                                        .addr = global ? NULL : addr,
                                        .global = global ? address : NULL,
                                        .value = value ? values : NULL};
    return TELL(access, &told);
}

static bool on_stage(void *context, uint32_t warp, const char *name, size_t length,
                     struct error *error)
{
    struct telling *telling = context;
    uint32_t number = 1;
    (void)error;
    while (number <= telling->stages && (strlen(telling->stage[number]) != length ||
                                         memcmp(telling->stage[number], name, length) != 0))
        number++;
    if (number > STAGES_MOST)
        return true; /* too many: its accesses stay in the stage before */
    telling->mark[warp].stage = number;
    telling->mark[warp].number = ROUND_UNNUMBERED;
    if (number <= telling->stages)
        return true;
    telling->stages++;
    telling->stage[number] = memory_new(length + 1, 1);
    memcpy(telling->stage[number], name, length);
    return TELL(stage, number, telling->stage[number]);
}

static bool on_round(void *context, uint32_t warp, uint64_t round, struct error *error)
{
    struct telling *telling = context;
    (void)error;
    telling->mark[warp].number = round < MAX_ROUNDS ? (uint32_t)round : MAX_ROUNDS - 1;
    return true;
}

static bool on_executed(void *context, const struct records_entry *entry,
                        const unsigned char *value, const char *const text[RECORDS_EXECUTED_TEXTS],
                        struct error *error)
{
    struct telling *telling = context;
    const bool first = *text[2];
    (void)error;
    if (first)
        snprintf(telling->text, sizeof telling->text, "%s", text[2]);
    const struct program_executed told = {.pc = lines_site(entry->access),
                                          .mask = entry->mask,
                                          .line = (int)(entry->step & INT32_MAX),
                                          .text = telling->text,
                                          .first = first,
                                          .name = text[0],
                                          .type = text[1],
                                          .bytes = entry->values,
                                          .value = value};
    return TELL(executed, &told);
}

static bool tell_accesses(struct telling *telling, uint64_t launch)
{
    const struct records_visitor visitor = {telling,  on_block, on_access,
                                            on_stage, on_round, on_executed};
    bool good = records_visit(telling->records, telling->taken, launch, &visitor, telling->error) &&
                end_block(telling);
    for (uint32_t i = 1; i <= telling->stages; i++)
        free(telling->stage[i]);
    telling->stages = 0;
    return good;
}

/* Blocks of a launch that were asked for, of the first `blocks`. */
static uint64_t asked_blocks(const struct telling *telling, uint64_t blocks)
{
    uint64_t from = telling->wanted->first_block, to = telling->wanted->last_block;
    to = to < blocks ? to + 1 : blocks;
    return from < to ? to - from : 0;
}

static bool tell_counts(struct telling *telling, const struct records_launch *launch)
{
    for (uint32_t i = 0; i < launch->counts; i++) {
        uint64_t row = telling->kernel->first_access + i;
        const struct records_access *access = &telling->taken->access[row];
        const struct records_count *from = &telling->taken->count[launch->first_count + i];
        const struct program_count count = {
            .pc = lines_access(row),
            .space = (enum program_space)access->global,
            .op = (enum op)access->op,
            .array = access->global
                         ? lines_array_named(telling->lines, access->array)
                         : lines_array_of(telling->lines, access->array, from->low, from->high),
            .tally = {from->instructions, from->lanes, from->passes, from->conflicts,
                      (int)from->max_ways, from->estimates, from->chances}};
        if (is_chosen(telling->choice, access) && !TELL(count, &count))
            return false;
    }
    return true;
}

/* Blocks whose single accesses are all there. The first one is kept in any case, as far as there is room. */
static uint64_t kept_blocks(const struct telling *telling, const struct records_launch *launch,
                            uint64_t recorded)
{
    if (!telling->choice->accesses)
        return recorded;
    bool cut = launch->kept_blocks == 1 && launch->lost_accesses &&
               launch->kept_accesses >= telling->choice->accesses;
    return cut ? 0 : launch->kept_blocks;
}

/* The name of a kernel (a row) for people; NULL: there is none. Freed by the caller. */
static char *kernel_name(const struct telling *telling, uint32_t kernel)
{
    if (kernel == RECORDS_NOTHING)
        return NULL;
    const struct records_text text = telling->taken->kernel[kernel].name;
    char *symbol = memory_copy_of(telling->taken->text + text.at, (size_t)text.length);
    char *name = lines_function(telling->lines, symbol);
    free(symbol);
    return name;
}

/* Whether nothing is left of a kernel that has parameters: it accesses no memory, and each warp executes a few
 * instructions, as of a barrier. */
static bool is_emptied(const struct telling *telling, const struct records_launch *launch)
{
    enum { FEW = 16 };
    const struct records_text symbol = telling->kernel->name;
    const char *last = telling->taken->text + symbol.at + symbol.length - 1;
    const uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    const uint64_t warps = (threads + (uint64_t)telling->warp - 1) / (uint64_t)telling->warp;
    return !telling->kernel->accesses && !telling->kernel->launches && symbol.length &&
           *last != 'v' && launch->outcome == RECORDS_GOOD &&
           launch->instructions <= FEW * warps * launch->blocks;
}

static bool tell_launch(struct telling *telling, uint64_t row)
{
    const struct records_launch *from = &telling->taken->launch[row];
    telling->kernel = &telling->taken->kernel[from->kernel];
    char *name = kernel_name(telling, from->kernel), *parent = kernel_name(telling, from->parent);
    struct program_launch launch = {.number = from->number,
                                    .launches = from->launches,
                                    .process = from->process,
                                    .dynamic_bytes = from->dynamic_shared,
                                    .warp = telling->warp,
                                    .banks = telling->warp,
                                    .name = name,
                                    .parent = parent,
                                    .parent_pc = lines_site(from->parent_site)};
    struct program_end end = {.blocks = from->blocks,
                              .recorded_blocks = from->blocks_done,
                              .partly_checked = from->partly_checked,
                              .repeated = from->repeated,
                              .emptied = is_emptied(telling, from),
                              .reason =
                                  from->outcome == RECORDS_GOOD ? RECORD_ALL : RECORD_FAULTED};
    if (from->outcome == RECORDS_GOOD && from->launches == 1)
        end.recorded_blocks = asked_blocks(telling, from->blocks);
    if (end.recorded_blocks < end.blocks && end.reason == RECORD_ALL)
        end.reason = RECORD_ASKED;
    end.single = telling->choice->accesses > 0;
    end.kept_blocks = kept_blocks(telling, from, end.recorded_blocks);
    if (end.recorded_blocks == end.blocks) /* it is of all blocks, recorded or not */
        end.instructions = from->instructions;
    memcpy(launch.grid, from->grid, sizeof launch.grid);
    memcpy(launch.block, from->block, sizeof launch.block);
    lines_launch(telling->lines, (uint32_t)row);
    bool good =
        TELL(launch, &launch) && tell_counts(telling, from) &&
        ((!telling->choice->accesses && !telling->choice->follow) || tell_accesses(telling, row)) &&
        (from->outcome == RECORDS_RUNNING || TELL(launch_end, &end));
    free(name);
    free(parent);
    return good;
}

/* What is only worth a remark. */
static bool is_remark(uint32_t kind)
{
    return kind == MACHINE_FAULT_RETURNED || kind == RECORDS_LEAK || kind == RECORDS_UNCHECKED ||
           kind == RECORDS_LIBRARY;
}

static bool is_excused(struct telling *telling, const struct records_fault *from, uint64_t pc,
                       uint64_t other)
{
    if (!telling->choice->excuses)
        return false;
    char *kernel = kernel_name(telling, from->kernel);
    const struct source_place *here = pc ? lines_place(telling->lines, pc) : NULL;
    const struct excusable fault = {from->kind, from->count, kernel, here,
                                    other ? lines_place(telling->lines, other) : NULL};
    const bool excused = excuses_take(telling->choice->excuses, &fault);
    free(kernel);
    return excused;
}

/* Where the program makes the call that the fault is of: if that is in a header that is not the user's, where the header's
 * function is called. */
static uint64_t host_place(struct source_lines *lines, const struct records_fault *from)
{
    const uint64_t inner = lines_host(from->caller), outer = lines_host(from->outer_caller);
    return outer && !lines_place(lines, inner)->line ? outer : inner;
}

static bool tell_fault(struct telling *telling, const struct records_fault *from)
{
    const uint64_t site = lines_site(from->site),
                   pc = site ? site : host_place(telling->lines, from),
                   other = lines_site(from->other_site);
    char text[2 * RECORDS_FAULT_TEXT];
    if (is_excused(telling, from, pc, other))
        return true;
    lines_name_elements(telling->lines, from->kernel, from->text, text, sizeof text);
    const struct program_fault fault = {
        .kind = fault_kind_name(from->kind),
        .text = text,
        .pc = pc,
        .other_pc = other,
        .block = {from->block[0], from->block[1], from->block[2]},
        .thread = {from->thread[0], from->thread[1], from->thread[2]},
        .has_thread = from->kind < RECORDS_HOST_FAULTS || from->kind == RECORDS_ENDLESS,
        .launch = from->launch,
        .count = from->count,
        .error = !is_remark(from->kind)};
    return TELL(fault, &fault);
}

static bool tell_all(struct telling *telling)
{
    const struct records_taken *taken = telling->taken;
    struct program_exit end = {.launches = taken->launched};
    bool good = true;
    for (uint64_t i = 0; i < taken->launches && good; i++)
        good = !taken->launch[i].ready || tell_launch(telling, i);
    for (uint64_t i = 0; i < taken->faults && good; i++)
        good = !taken->fault[i].ready || tell_fault(telling, &taken->fault[i]);
    for (int i = 0; i < RECORDS_TABLES; i++)
        end.lost += i == RECORDS_TABLE_CHUNKS ? 0 : taken->lost[i];
    return good && TELL(exit, &end);
}

bool session_tell(const struct records *records, struct source_lines *lines,
                  const struct program_choice *choice, const struct records_choice *wanted,
                  const struct program_sink *sink, int status, struct error *error)
{
    struct records_taken taken;
    if (!records_take(records, &taken, error))
        return false;
    lines_take(lines, &taken);
    if (!taken.attached && WIFEXITED(status))
        return error_set(error,
                         "the program ended with status %d before anything of it ran: is there "
                         "room for what it reserves (ulimit -v), and may its folder run programs?",
                         WEXITSTATUS(status));
    struct telling *telling = memory_new(1, sizeof *telling);
    *telling = (struct telling){.records = records,
                                .taken = lines_taken(lines),
                                .lines = lines,
                                .choice = choice,
                                .wanted = wanted,
                                .sink = sink,
                                .error = error,
                                .warp = choice->warp ? choice->warp : 32};
    bool good = tell_all(telling);
    free(telling);
    return good;
}
