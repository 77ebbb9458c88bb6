/* heard.c - what is heard of a launch while it runs: faults, what it prints, single accesses, blocks that end. */
#define _GNU_SOURCE
#include "program/runtime/heard.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PRINT_MOST = 64 << 20 };

/* ---- what kernels print -------------------------------------------------------------------------- */

static void print(struct heard_printed *printed, const char *text, size_t length)
{
    pthread_mutex_lock(&printed->lock);
    if (length > PRINT_MOST - printed->length ||
        !runtime_grow(&printed->text, &printed->room, printed->length + length, 1)) {
        printed->lost += length;
    } else {
        memcpy(printed->text + printed->length, text, length);
        printed->length += length;
    }
    pthread_mutex_unlock(&printed->lock);
}

void heard_print_all(struct heard_printed *printed)
{
    if (printed->length) {
        fwrite(printed->text, 1, printed->length, stdout);
        fflush(stdout);
    }
    if (printed->lost)
        fprintf(stderr, "bankscope: a kernel printed more than %d MB; %zu bytes were left out\n",
                PRINT_MOST >> 20, printed->lost);
    runtime_delete(printed->text);
}

/* ---- what is heard of a launch -------------------------------------------------------------------- */

static double busy_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* CUB's merge loads a word past the end of its tile, and does not use it. */
static bool is_library_load(const struct heard *heard, const struct machine_fault *fault)
{
    struct machine_site site;
    const struct runtime_module *module = heard->kernel->module;
    if (fault->kind != MACHINE_FAULT_UNWRITTEN || fault->site < 0 || !module)
        return false;
    machine_module_site(module->module, fault->site, &site);
    return strstr(site.file, "/cub/");
}

static bool has_line(const struct runtime_kernel *kernel, int number)
{
    struct machine_site site = {.line = 0};
    if (number >= 0 && kernel->module)
        machine_module_site(kernel->module->module, number, &site);
    return site.line > 0;
}

void heard_fault(void *context, const struct machine_fault *fault)
{
    struct heard *heard = context;
    struct machine_fault endless = *fault;
    uint32_t kind = (uint32_t)fault->kind;
    if (is_library_load(heard, fault))
        return;
    heard->faulty = true;
    if (machine_fault_ends(fault->kind))
        heard->reported = true;
    if (heard->endless && fault->kind == MACHINE_FAULT_LIMIT) { /* where it was stopped */
        kind = RECORDS_ENDLESS;
        snprintf(endless.text, sizeof endless.text,
                 "no block has ended for %llu seconds of the processor; the kernel was stopped "
                 "(--seconds N waits longer)",
                 (unsigned long long)runtime_choice()->seconds);
    }
    if (fault->kind == MACHINE_FAULT_TRAP && !has_line(heard->kernel, fault->site)) {
        runtime_called_from(heard->caller);
        endless.site = -1;
        snprintf(
            endless.text, sizeof endless.text,
            "the kernel %s trapped: its compiler puts a trap in place of code whose behaviour is "
            "undefined, such as a store to a __constant__ variable",
            heard->kernel->name);
    }
    runtime_report_fault(heard->kernel, heard->report.number, kind, &endless);
}

static void hear_print(void *context, const char *text, size_t length)
{
    print(((struct heard *)context)->printed, text, length);
}

static bool hear_wants(void *context, uint64_t block)
{
    return runtime_keep_wants(((struct heard *)context)->keep, block);
}

static void hear_access(void *context, const struct machine_access *access)
{
    runtime_keep_access(((struct heard *)context)->keep, access);
}

static bool hear_follows(void *context, uint64_t block, uint32_t warp)
{
    return runtime_keep_follows(((struct heard *)context)->keep, block, warp);
}

static void hear_executed(void *context, const struct machine_executed *executed)
{
    struct heard *heard = context;
    runtime_keep_executed(heard->keep, executed,
                          runtime_report_site(heard->kernel, executed->site));
}

static void hear_stage(void *context, uint64_t block, uint32_t warp, const char *name,
                       size_t length)
{
    runtime_keep_stage(((struct heard *)context)->keep, block, warp, name, length);
}

static void hear_round(void *context, uint64_t block, uint32_t warp, int64_t round)
{
    struct heard *heard = context;
    if (round >= 0 && round < MAX_ROUNDS)
        runtime_keep_round(heard->keep, block, warp, round);
    else
        runtime_report_line(RECORDS_ARGUMENT, heard->kernel,
                            "BANKSCOPE_ROUND: %lld is not a round from 0 to %d", (long long)round,
                            MAX_ROUNDS - 1);
}

static void hear_block_end(void *context, uint64_t block)
{
    struct heard *heard = context;
    __atomic_fetch_add(&heard->blocks, 1, __ATOMIC_RELAXED);
    if (heard->report.live)
        __atomic_fetch_add(&heard->report.live->blocks_done, 1, __ATOMIC_RELAXED);
    if (heard->keep)
        runtime_keep_block_end(heard->keep, block);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* A process may be killed at any time: its counts are at most so old then. */
static void write_counts(struct heard *heard)
{
    static const double every = 0.2; /* seconds */
    struct machine_outcome outcome;
    if (!heard->count || pthread_mutex_trylock(&heard->writing))
        return;
    const double now = seconds_now();
    if (!heard->written)
        heard->written = now; /* what is short needs no writing before its end */
    if (now - heard->written > every) {
        machine_so_far(heard->run, heard->count, &outcome);
        runtime_report_progress(&heard->report, &outcome);
        heard->written = seconds_now();
    }
    pthread_mutex_unlock(&heard->writing);
}

/* Time of the processor, so that other programs do not make a launch seem endless. */
static bool hear_stop(void *context)
{
    struct heard *heard = context;
    uint64_t most = runtime_choice()->seconds;
    write_counts(heard);
    uint64_t blocks = __atomic_load_n(&heard->blocks, __ATOMIC_RELAXED);
    if (heard->endless)
        return true;
    if (!most)
        return false;
    double now = busy_seconds();
    if (blocks != heard->blocks_seen || heard->seconds == 0) {
        heard->blocks_seen = blocks;
        heard->seconds = now;
    }
    heard->endless = now - heard->seconds > (double)most;
    return heard->endless;
}

struct machine_observer heard_observer(struct heard *heard)
{
    struct machine_observer observer = {.context = heard,
                                        .fault = heard_fault,
                                        .print = hear_print,
                                        .block_end = hear_block_end,
                                        .stop = hear_stop};
    if (heard->keep && runtime_choice()->follow) {
        observer.follows = hear_follows;
        observer.executed = hear_executed;
    }
    if (heard->keep && runtime_choice()->accesses) {
        observer.wants = hear_wants;
        observer.access = hear_access;
        observer.stage = hear_stage;
        observer.round = hear_round;
    }
    return observer;
}
