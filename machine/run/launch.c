/* launch.c - a launch: its blocks one after the other, and several at a time where they wait for each
 * other.
 *
 * A worker runs one block at a time, the warps of which take turns after each basic block. When its warps
 * spin for long (for a flag that a later block sets, as in a look-back), the worker takes further blocks
 * beside it, up to RESIDENT. All blocks of a cooperative launch are taken at once. With order_seed, blocks begin in an
 * order that is drawn by lot, and TOGETHER of them take turns.
 */
#include "machine/check/check.h"
#include "machine/module.h"
#include "machine/pattern.h"
#include "machine/run/schedule.h"

#include <string.h>

/* COOPERATIVE: as many blocks as the largest GPU has at a time, 148 multiprocessors with 32 each, and more. */
enum { RESIDENT = 1024, COOPERATIVE = 8192, TOGETHER = 4, SPINS = 3000, LOOK = 1024 };

/* ---- workers --------------------------------------------------------------------------------- */

static bool has_line(const struct warp *warp, const struct step *step)
{
    const int site = step_site(warp, step);
    return site >= 0 && warp->run->kernel->module->site[site].line > 0;
}

/* The nearest step with a line, from there on or back; NULL: there is none. */
static const struct step *with_line(const struct warp *warp, const struct step *step, int by)
{
    const struct code *code = warp->frame->code;
    if (step < code->step || step >= code->step + code->steps)
        return NULL;
    ptrdiff_t at = step - code->step;
    while (at >= 0 && at < code->steps && !has_line(warp, &code->step[at]))
        at += by;
    return at >= 0 && at < code->steps ? &code->step[at] : NULL;
}

/* A turn ends at the head of a basic block, which has no line: it is where the warp goes on. */
static struct warp *at_a_line(struct warp *warp)
{
    const struct step *from = warp->at ? warp->at : warp->now, *step = NULL;
    if (warp->frame && from && !(step = with_line(warp, from, 1)))
        step = with_line(warp, from, -1);
    if (step)
        warp->now = step;
    return warp;
}

/* A warp that runs, to be named where a launch does not end. */
static struct warp *busy_warp(const struct block *block)
{
    for (int i = 0; i < block->warps; i++)
        if (block->warp[i]->status == WARP_READY)
            return at_a_line(block->warp[i]);
    return block->warp[0];
}

/* Adds what the block has executed since the last time to the launch's sum, and returns that sum. */
static uint64_t count_steps(struct machine_run *run, struct block *block)
{
    uint64_t steps = 0;
    for (int i = 0; i < block->warps; i++)
        steps += block->warp[i]->steps;
    const uint64_t more = steps - block->steps_counted;
    block->steps_counted = steps;
    return atomic_fetch_add(&run->executed, more) + more;
}

/* Now and then: whether the caller wants an end, or the limit is reached. */
static void look_around(struct worker *worker, struct block *block)
{
    struct machine_run *run = worker->run;
    const uint64_t all = count_steps(run, block) + atomic_load(&run->charged);
    if (run->launch.instruction_limit && all > run->launch.instruction_limit)
        fault(busy_warp(block), -1, MACHINE_FAULT_LIMIT,
              "the launch executed %llu instructions of warps and did not end",
              (unsigned long long)run->launch.instruction_limit);
    else if (run->observer.stop && run->observer.stop(run->observer.context))
        fault(busy_warp(block), -1, MACHINE_FAULT_LIMIT, "the launch was stopped");
    worker->failed |= atomic_load(&run->stop);
}

/* Blocks that one worker runs at the same time. */
struct residents {
    struct block *block[COOPERATIVE + MACHINE_CLUSTER];
    int blocks, wanted;
};

static struct cluster *new_cluster(struct worker *worker)
{
    struct cluster *cluster = worker->free_cluster;
    if (cluster)
        worker->free_cluster = cluster->next_free;
    else
        cluster = arena_new(&worker->arena, sizeof *cluster);
    if (cluster)
        *cluster = (struct cluster){.blocks = worker->run->cluster_blocks,
                                    .running = worker->run->cluster_blocks};
    return cluster;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b, b = rest;
    }
    return a;
}

/* Which cluster begins as the next one, of `clusters`: in their order, or in one that is drawn by lot among neighbours, so
 * that a block may wait for any with a lower number. */
static uint64_t next_cluster(struct machine_run *run, uint64_t clusters)
{
    enum { NEIGHBOURS = 64 };
    const uint64_t number = atomic_fetch_add(&run->next_cluster, 1);
    if (!run->launch.order_seed || number >= clusters)
        return number;
    const uint64_t first = number - number % NEIGHBOURS;
    const uint64_t count = clusters - first < NEIGHBOURS ? clusters - first : NEIGHBOURS;
    const uint64_t lot = schedule_lot(run->launch.order_seed, first, 0);
    uint64_t step = 1 + lot % count;
    while (common_divisor(step, count) != 1)
        step++;
    return first + ((lot >> 32) + (number - first) * step) % count;
}

static void take_blocks(struct worker *worker, struct residents *residents)
{
    struct machine_run *run = worker->run;
    const uint64_t clusters = run->blocks / (uint64_t)run->cluster_blocks;
    while (residents->blocks < residents->wanted && !worker->failed) {
        const uint64_t number = next_cluster(run, clusters);
        if (number >= clusters)
            return;
        struct cluster *cluster = new_cluster(worker);
        for (int i = 0; i < run->cluster_blocks && !worker->failed; i++) {
            struct block *block = cluster ? block_start(worker, cluster, number, i) : NULL;
            if (block)
                residents->block[residents->blocks++] = block;
            else
                run_refuse(run);
            worker->failed |= !block;
        }
    }
}

/* Nothing of a block can go on; other blocks of its cluster may. */
static void stuck(struct block *block)
{
    if (++block->cluster->stuck > 2 * block->cluster->running)
        block_deadlock(block);
}

/* Blocks that are resident where none of them spins. */
static int usual_residents(const struct machine_run *run)
{
    return run->launch.cooperative  ? (int)run->blocks /* no more than COOPERATIVE */
           : run->launch.order_seed ? TOGETHER
                                    : 1;
}

/* One turn of all blocks that are resident. */
static void turns(struct worker *worker, struct residents *residents)
{
    const bool cooperative = worker->run->launch.cooperative;
    int kept = 0;
    for (int i = 0; i < residents->blocks; i++) {
        struct block *block = residents->block[i];
        enum turn result = worker->failed ? TURN_RAN : block_turn(worker, block);
        if (result != TURN_STUCK)
            block->cluster->stuck = 0;
        else if (!worker->failed)
            stuck(block);
        if (block->spins % LOOK == 0)
            look_around(worker, block);
        if (result == TURN_ENDED) {
            count_steps(worker->run, block);
            block_end(worker, block);
            if (!cooperative)
                residents->wanted = usual_residents(worker->run);
            continue;
        }
        if (block->spins > SPINS && residents->wanted < RESIDENT && !cooperative) {
            block->spins = 0;
            residents->wanted++;
        }
        residents->block[kept++] = block;
    }
    residents->blocks = kept;
}

static struct worker *new_worker(struct machine_run *run)
{
    struct arena arena = {.allocator = run->allocator};
    struct worker *worker = arena_new(&arena, sizeof *worker);
    if (!worker)
        return NULL;
    worker->run = run;
    worker->arena = arena;
    const size_t accesses = (size_t)run->kernel->accesses + 1;
    worker->free_frame =
        arena_new(&worker->arena, (size_t)run->kernel->codes * sizeof *worker->free_frame);
    worker->memo = arena_new(&worker->arena, accesses * sizeof *worker->memo);
    worker->pattern =
        arena_new(&worker->arena, ((size_t)run->kernel->patterns + 1) * sizeof *worker->pattern);
    worker->count = arena_new(&worker->arena, accesses * sizeof *worker->count);
    if (!worker->free_frame || !worker->memo || !worker->pattern || !worker->count) {
        arena = worker->arena;
        arena_free(&arena);
        return NULL;
    }
    run_lock(run);
    worker->next = run->worker;
    run->worker = worker;
    run_unlock(run);
    return worker;
}

void machine_work(struct machine_run *run)
{
    struct worker *worker = new_worker(run);
    struct residents *residents = worker ? arena_new(&worker->arena, sizeof *residents) : NULL;
    if (!residents) {
        run_refuse(run);
        return;
    }
    residents->wanted = usual_residents(run);
    for (;;) {
        take_blocks(worker, residents);
        if (!residents->blocks || worker->failed)
            return;
        turns(worker, residents);
    }
}

/* ---- begin and end --------------------------------------------------------------------------- */

static bool check_shape(const struct machine_launch *launch, uint64_t *threads, uint64_t *blocks,
                        struct error *error)
{
    static const uint32_t most[3] = {1024, 1024, 64}, most_grid[3] = {0x7fffffff, 65535, 65535};
    *threads = *blocks = 1;
    for (int i = 0; i < 3; i++) {
        if (!launch->block[i] || launch->block[i] > most[i])
            return error_set(error, "a block has 1 to %u threads in %c, not %u", most[i], 'x' + i,
                             launch->block[i]);
        if (!launch->grid[i] || launch->grid[i] > most_grid[i])
            return error_set(error, "a grid has 1 to %u blocks in %c, not %u", most_grid[i],
                             'x' + i, launch->grid[i]);
        *threads *= launch->block[i];
        *blocks *= launch->grid[i];
    }
    if (*threads > MACHINE_THREADS)
        return error_set(error, "a block has at most %d threads, not %llu", MACHINE_THREADS,
                         (unsigned long long)*threads);
    return true;
}

static bool check_kernel(const struct machine_launch *launch, const struct kernel_code *kernel,
                         uint64_t threads, uint64_t blocks, struct error *error)
{
    const struct ptx_function *entry = kernel->entry;
    if (kernel->static_shared > MACHINE_STATIC_SHARED)
        return error_set(error, "%.*s: %u bytes of static shared memory, at most %d",
                         SLICE(entry->name), kernel->static_shared, MACHINE_STATIC_SHARED);
    if (launch->dynamic_shared > MACHINE_SHARED ||
        kernel->static_shared + launch->dynamic_shared > MACHINE_SHARED)
        return error_set(error, "%.*s: %u bytes of shared memory, at most %d", SLICE(entry->name),
                         kernel->static_shared + launch->dynamic_shared, MACHINE_SHARED);
    if (launch->cooperative && blocks > COOPERATIVE)
        return error_set(error, "a cooperative launch has at most %d blocks, not %llu", COOPERATIVE,
                         (unsigned long long)blocks);
    uint64_t most = 1;
    for (int i = 0; i < 3; i++) {
        if (entry->required[0] && entry->required[i] != launch->block[i])
            return error_set(error, "%.*s is compiled for blocks of %ux%ux%u threads (.reqntid)",
                             SLICE(entry->name), entry->required[0], entry->required[1],
                             entry->required[2]);
        most *= entry->most_threads[i] ? entry->most_threads[i] : 1;
    }
    if (entry->most_threads[0] && threads > most)
        return error_set(error, "%.*s is compiled for at most %llu threads in a block (.maxntid)",
                         SLICE(entry->name), (unsigned long long)most);
    return true;
}

/* The blocks of a cluster, as the launch or the kernel says. */
static bool find_cluster(const struct machine_launch *launch, const struct ptx_function *entry,
                         uint32_t cluster[3], struct error *error)
{
    uint64_t blocks = 1;
    for (int i = 0; i < 3; i++) {
        const uint32_t required = entry->cluster[i], asked = launch->cluster[i];
        cluster[i] = asked ? asked : required ? required : 1;
        if (required && asked && required != asked)
            return error_set(
                error, "%.*s is compiled for clusters of %ux%ux%u blocks (.reqnctapercluster)",
                SLICE(entry->name), entry->cluster[0], entry->cluster[1], entry->cluster[2]);
        blocks = blocks > MACHINE_CLUSTER ? blocks : blocks * cluster[i];
    }
    if (blocks > MACHINE_CLUSTER)
        return error_set(error, "a cluster has at most %d blocks, not %ux%ux%u", MACHINE_CLUSTER,
                         cluster[0], cluster[1], cluster[2]);
    for (int i = 0; i < 3; i++)
        if (launch->grid[i] % cluster[i])
            return error_set(error, "a grid of %u blocks in %c is not made of whole clusters of %u",
                             launch->grid[i], 'x' + i, cluster[i]);
    if (entry->most_cluster && blocks > entry->most_cluster)
        return error_set(error,
                         "%.*s is compiled for at most %u blocks in a cluster (.maxclusterrank)",
                         SLICE(entry->name), entry->most_cluster);
    return true;
}

static bool check_warp(const struct machine_launch *launch, struct error *error)
{
    if (launch->warp < 0 || launch->warp > MACHINE_LANES)
        return error_set(error, "a warp has 1 to %d lanes, not %d", MACHINE_LANES, launch->warp);
    if (launch->banks < 0 || launch->banks > MAX_WARP)
        return error_set(error, "there are 1 to %d banks, not %d", MAX_WARP, launch->banks);
    const int wide = launch->bank_bytes;
    if (wide < 0 || wide > 16 || (wide & (wide - 1)))
        return error_set(error, "a bank is 1, 2, 4, 8 or 16 bytes wide, not %d", wide);
    return true;
}

/* The words in which blocks of a cooperative launch count those that have come (%envreg1, %envreg2). */
static bool add_workspace(struct machine_run *run, struct error *error)
{
    enum { BYTES = 256 };
    uint8_t *words = arena_new(&run->arena, 2 * BYTES);
    if (!words)
        return error_set(error, "out of memory for a launch");
    words += -(uintptr_t)words & (BYTES - 1);
    run->workspace = (uintptr_t)words;
    return machine_memory_add(run->memory,
                              &(struct machine_range){.address = run->workspace,
                                                      .bytes = BYTES,
                                                      .host = words,
                                                      .kind = MACHINE_DEVICE,
                                                      .name = "the barrier of the grid"},
                              false, error);
}

/* What the system has of a block's shared memory lies behind the kernel's, and begins in bank 0, as on a GPU,
 * where it lies before it. */
static void add_reserved(struct machine_run *run)
{
    enum { BYTES = 1024, ROW = 256 };
    run->reserved_at = (run->shared_bytes + ROW) & ~(uint32_t)(ROW - 1);
    run->shared_bytes = run->reserved_at + BYTES;
}

struct machine_run *machine_begin(const struct machine_launch *launch, struct error *error)
{
    uint64_t threads, blocks;
    if (!check_shape(launch, &threads, &blocks, error) || !check_warp(launch, error))
        return NULL;
    const int lanes = launch->warp ? launch->warp : 32;
    struct kernel_code *kernel = module_code(launch->kernel, lanes > 32 ? 64 : 32, error);
    uint32_t cluster[3];
    if (!kernel || !check_kernel(launch, kernel, threads, blocks, error) ||
        !find_cluster(launch, kernel->entry, cluster, error))
        return NULL;
    if (kernel->allocates && !heap_make(module_memory(launch->kernel),
                                        launch->heap_bytes ? launch->heap_bytes : 8 << 20))
        return error_set(error, "out of memory for the heap of kernels' malloc"), NULL;
    if (kernel->launches && !launch->children)
        return error_set(error, "%.*s: kernels do not launch kernels here (dynamic parallelism)",
                         SLICE(kernel->entry->name)),
               NULL;
    struct arena arena = {.allocator = module_memory(launch->kernel)->allocator};
    struct machine_run *run = arena_new(&arena, sizeof *run);
    const uint32_t bytes = kernel->entry->parameter_bytes;
    uint8_t *parameters = run ? arena_new(&arena, (size_t)bytes + 16) : NULL;
    struct machine_count *count =
        run ? arena_new(&arena, ((size_t)kernel->accesses + 1) * sizeof *count) : NULL;
    if (!run || !parameters || !count) {
        arena_free(&arena);
        error_set(error, "out of memory for a launch");
        return NULL;
    }
    memcpy(parameters, launch->parameters, bytes);
    *run = (struct machine_run){.launch = *launch,
                                .kernel = kernel,
                                .memory = module_memory(launch->kernel),
                                .allocator = arena.allocator,
                                .arena = arena,
                                .parameters = parameters,
                                .shared_bytes = kernel->static_shared + launch->dynamic_shared,
                                .threads = (uint32_t)threads,
                                .blocks = blocks,
                                .cluster = {cluster[0], cluster[1], cluster[2]},
                                .cluster_blocks = (int)(cluster[0] * cluster[1] * cluster[2]),
                                .explicit_cluster = launch->cluster[0] || kernel->entry->cluster[0],
                                .warp_lanes = lanes,
                                .banks = launch->banks ? launch->banks : lanes,
                                .bank_bytes = launch->bank_bytes ? launch->bank_bytes : 4,
                                .lock = ATOMIC_FLAG_INIT,
                                .count = count};
    if (kernel->reserves)
        add_reserved(run);
    if (!run->launch.stack_bytes)
        run->launch.stack_bytes = 1024;
    if (!run->launch.counted_blocks)
        run->launch.counted_blocks = UINT64_MAX;
    if (launch->observer)
        run->observer = *launch->observer;
    if (!launch->check)
        memory_forget_unwritten(run->memory);
    struct children_calls *calls = (struct children_calls *)(void *)launch->children;
    if ((kernel->launches && !calls->begin(launch->children, run) &&
         !error_set(error, "out of memory for the launches of kernels")) ||
        (launch->cooperative && !add_workspace(run, error)) ||
        (launch->check && !check_begin(run) &&
         !error_set(error, "out of memory for the checker"))) {
        machine_free_run(run);
        return NULL;
    }
    if (lanes != 32)
        warp_size_notes(run);
    return run;
}

static uint64_t seen(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static uint32_t lower(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t higher(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Adds what a worker has counted, which may go on. */
static void add_counts(const struct machine_run *run, const struct worker *worker,
                       struct machine_count *count)
{
    for (int i = 0; i < run->kernel->accesses; i++) {
        const struct machine_count *from = &worker->count[i];
        struct machine_count *to = &count[i];
        const uint64_t instructions = seen(&from->instructions);
        if (!instructions)
            continue;
        to->low = to->instructions ? lower(to->low, from->low) : from->low;
        to->high = higher(to->high, from->high);
        to->instructions += instructions;
        to->lanes += seen(&from->lanes);
        to->passes += seen(&from->passes);
        to->conflicts += seen(&from->conflicts);
        to->estimates += seen(&from->estimates);
        to->chances += seen(&from->chances);
        to->max_ways = higher(to->max_ways, __atomic_load_n(&from->max_ways, __ATOMIC_RELAXED));
    }
}

void machine_so_far(struct machine_run *run, struct machine_count *count,
                    struct machine_outcome *outcome)
{
    *outcome = (struct machine_outcome){.count = run->launch.count ? count : NULL,
                                        .counts = run->kernel->accesses};
    memset(count, 0, (size_t)run->kernel->accesses * sizeof *count);
    run_lock(run);
    for (const struct worker *worker = run->worker; worker; worker = worker->next) {
        add_counts(run, worker, count);
        outcome->blocks += seen(&worker->blocks);
        outcome->instructions += seen(&worker->instructions);
        outcome->lane_instructions += seen(&worker->lane_instructions);
    }
    run_unlock(run);
}

void machine_end(struct machine_run *run, struct machine_outcome *outcome)
{
    for (struct worker *worker = run->worker, *next; worker; worker = next) {
        struct arena arena = worker->arena;
        next = worker->next;
        add_counts(run, worker, run->count);
        run->sum_blocks += worker->blocks;
        run->sum_instructions += worker->instructions;
        run->sum_lanes += worker->lane_instructions;
        arena_free(&arena);
    }
    run->worker = NULL;
    check_end(run);
    if (atomic_load(&run->refused) && !run->faulted) { /* no warp is to blame */
        run->faulted = true;
        run->fault = (struct machine_fault){.kind = MACHINE_FAULT_MEMORY,
                                            .text = "out of memory for a block of threads",
                                            .site = -1,
                                            .other_site = -1,
                                            .count = 1};
    }
    if (run->findings && !run->refused)
        findings_tell(run);
    if (run->workspace)
        machine_memory_remove(run->memory, run->workspace);
    *outcome = (struct machine_outcome){.good = !run->faulted,
                                        .fault = run->fault,
                                        .blocks = run->sum_blocks,
                                        .instructions = run->sum_instructions,
                                        .charged = atomic_load(&run->charged),
                                        .lane_instructions = run->sum_lanes,
                                        .partly_checked =
                                            run->check && atomic_load(&run->check->overflowed),
                                        .count = run->launch.count ? run->count : NULL,
                                        .counts = run->kernel->accesses};
}

void machine_free_run(struct machine_run *run)
{
    struct arena arena = run->arena;
    arena_free(&arena);
}
