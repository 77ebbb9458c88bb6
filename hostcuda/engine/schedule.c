/* schedule.c - the threads of a block as fibers: who runs next, barriers, meetings of a warp.
 *
 * Threads are numbered 0.. in the block, 32 to a warp. Of a warp's lanes that stand at a point
 * those deepest in calls, then at the lowest address, go on together: that is how lanes that took
 * different ways come together again behind them, where the compiler keeps blocks in the
 * source's order.
 *
 *     if (lane & 1)      point A: odd lanes stop here first,
 *         a();           even ones at B, which is higher: odd lanes go on
 *     b();               point B: all are here: one group again
 */
#include "hostcuda/engine/engine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What runs at every barrier and shuffle of every thread is one function with its caller. */
#define HOT static inline __attribute__((always_inline))

/* Thread-local variables of the engine are initialised, so that they lie before the program's shared
 * variables, and a store that runs out of these at the end meets hostcuda_dynamic. */
#define FRONT __attribute__((section(".tdata")))
FRONT HOSTCUDA_THREAD struct worker *worker = NULL;
FRONT HOSTCUDA_THREAD int32_t fuel = INT32_MAX;
FRONT HOSTCUDA_THREAD int32_t watch = 0;
FRONT HOSTCUDA_THREAD int32_t call_depth = 0;
FRONT HOSTCUDA_THREAD struct hostcuda_dim3 threadIdx = {0}, blockIdx = {0}, blockDim = {0},
                                           gridDim = {0};
FRONT HOSTCUDA_THREAD unsigned hostcuda_lane = 0, hostcuda_thread = 0;
FRONT HOSTCUDA_THREAD int hostcuda_in_kernel = 0;
FRONT HOSTCUDA_THREAD unsigned hostcuda_dynamic_bytes = 0;
FRONT HOSTCUDA_THREAD struct segment shared_segment = {0};
HOSTCUDA_THREAD char hostcuda_dynamic[HOSTCUDA_DYNAMIC_MOST];

/* access_settle, which has nothing to do outside recorded blocks. */
HOT void settle(const struct worker *s)
{
    if (s->pending.at)
        access_settle();
}

HOT uint32_t bit_of(int thread)
{
    return UINT32_C(1) << ((unsigned)thread % WARP);
}

HOT struct warp *warp_of(struct worker *s, int thread)
{
    return &s->warp[(unsigned)thread / WARP];
}

static uint64_t key_of(int depth, uintptr_t pc)
{
    return (uint64_t)(0xffff - (depth < 0xffff ? depth : 0xffff)) << 48 |
           ((uint64_t)pc & 0xffffffffffff);
}

/* ---- stacks ---------------------------------------------------------------------------------- */

enum { GUARDS_MOST = 24000 }; /* stacks whose overflow is noticed at once */

static char *stack_top(struct worker *s, int stack)
{
    /* Stacks that all end at the same offset in a page would share one set of the cache. */
    return s->stacks + (size_t)(stack + 1) * STACK_BYTES - (size_t)(stack % 31) * 192;
}

static int stack_take(struct worker *s)
{
    if (s->stacks_free)
        return s->free_stack[--s->stacks_free];
    int stack = s->stacks_made++;
    /* A page that nothing may touch splits the mapping, and a process may have 65530 of them. */
    static int guards;
    if (__atomic_fetch_add(&guards, 1, __ATOMIC_RELAXED) < GUARDS_MOST)
        mprotect(s->stacks + (size_t)stack * STACK_BYTES, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE);
    return stack;
}

/* ---- going from lane to lane ----------------------------------------------------------------- */

/* Makes `thread` the one that the thread-local variables speak of. */
HOT void enter(struct worker *s, int thread)
{
    s->current = thread;
    threadIdx = s->index[thread];
    hostcuda_thread = (unsigned)thread;
    hostcuda_lane = (unsigned)thread % WARP;
    call_depth = s->depth[thread];
    s->cursor = 0;
}

/* Hands the accesses of the warp's step to the report. */
static void end_step(struct worker *s, int number)
{
    struct warp *w = &s->warp[number];
    bool shared = false;
    for (uint32_t i = 0; i < w->accesses; i++) {
        report_access(s, &s->step[i], (uint32_t)number, w->round, i);
        shared = true;
    }
    w->accesses = 0;
    w->round += shared;
    s->launch->shared |= shared;
    if (s->changed)
        w->idle = 0;
    else if (s->waited)
        w->idle++;
    s->changed = s->waited = false;
}

/* The lanes of the warp that go on next from a point: deepest, then lowest; or, when the warp has
 * waited for others for long, those that have not run for longest. */
static uint32_t choose_group(struct worker *s, int number, bool longest)
{
    struct warp *w = &s->warp[number];
    const uint64_t *key = &s->key[number * WARP];
    uint64_t *last = &s->last_run[number * WARP];
    uint64_t best = UINT64_MAX;
    uint32_t group = 0;
    if (longest) {
        uint64_t oldest = UINT64_MAX;
        for (uint32_t left = w->point; left; left &= left - 1) {
            int i = __builtin_ctz(left);
            if (last[i] < oldest) {
                oldest = last[i];
                best = key[i];
            }
        }
    } else {
        for (uint32_t left = w->point; left; left &= left - 1) {
            int i = __builtin_ctz(left);
            if (key[i] < best)
                best = key[i];
        }
    }
    w->steps++;
    for (uint32_t left = w->point; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        if (key[i] == best) {
            group |= UINT32_C(1) << i;
            last[i] = w->steps;
        }
    }
    return group;
}

static int unstick(struct worker *s);

/* The next warp behind `number` that can run, or -1. */
static int next_warp(const struct worker *s, int number)
{
    for (int i = 1; i <= s->warps; i++) {
        int other = (number + i) % s->warps;
        if (s->warp[other].ready | s->warp[other].point)
            return other;
    }
    return -1;
}

/* The first of the warp's lanes that are ready, taken off its mask. While it runs, the stack of the
 * one behind it comes into the cache. */
HOT int take_ready(struct worker *s, int number)
{
    struct warp *w = &s->warp[number];
    int thread = number * WARP + __builtin_ctz(w->ready);
    w->ready &= w->ready - 1;
    if (w->ready) {
        const char *next = s->context[number * WARP + __builtin_ctz(w->ready)].sp;
        __builtin_prefetch(next);
        __builtin_prefetch(next + 64);
    }
    return thread;
}

/* As next_thread, when no lane of the warp is ready. */
static __attribute__((noinline)) int next_elsewhere(struct worker *s, int number)
{
    for (;;) {
        struct warp *w = &s->warp[number];
        if (w->ready)
            return take_ready(s, number);
        if (s->lockstep)
            end_step(s, number);
        if (w->point) {
            w->idle += !s->lockstep; /* nobody looks whether memory changed */
            bool impatient = w->idle > PATIENCE;
            if (impatient) {
                s->looks = true;
                w->idle = 0;
                int other = next_warp(s, number);
                if (other != number && ++w->turns % 4 == 0) {
                    number = other;
                    continue;
                }
            }
            if ((w->steps & 0xfff) == 0xfff && launch_check_time(s))
                return -1;
            w->group = choose_group(s, number, impatient);
            w->point &= ~w->group;
            w->ready = w->group;
            continue;
        }
        int other = next_warp(s, number);
        if (other < 0) {
            if (s->alive == s->at_grid)
                return -1; /* all are done, or wait for other blocks */
            other = unstick(s);
        }
        number = other;
    }
}

/* The thread that runs next, taken off its warp's masks; -1 when the block cannot go on by itself. */
HOT int next_thread(struct worker *s)
{
    int number = (int)((unsigned)s->current / WARP);
    return s->warp[number].ready ? take_ready(s, number) : next_elsewhere(s, number);
}

static void fiber_main(void);

/* The thread begins on a stack of its own. */
static __attribute__((noinline)) void give_stack(struct worker *s, int thread)
{
    s->stack_of[thread] = stack_take(s);
    switch_prepare(&s->context[thread], stack_top(s, s->stack_of[thread]), fiber_main);
}

/* From thread `from` to `to`, or home when that is -1; returns when `from` goes on. */
HOT void leave_for(struct worker *s, int from, int to)
{
    if (to < 0) {
        switch_stack(&s->context[from], &s->home);
        return;
    }
    enter(s, to);
    if (__builtin_expect(s->stack_of[to] < 0, 0))
        give_stack(s, to);
    switch_stack(&s->context[from], &s->context[to]);
}

/* Goes on with whoever is next; returns when this thread is. */
HOT void go_on(struct worker *s)
{
    int from = s->current, to = next_thread(s);
    if (to == from) {
        s->cursor = 0;
        return;
    }
    s->depth[from] = call_depth;
    leave_for(s, from, to);
}

static void release_barrier(struct worker *s);
static void complete_meetings(struct worker *s, int number);

/* A fiber's life: one thread after another. */
static void fiber_main(void)
{
    struct worker *s = worker;
    for (;;) {
        s->launch->run(s->launch->launch->argument);
        settle(s);
        int self = s->current, stack = s->stack_of[self];
        struct warp *w = warp_of(s, self);
        w->done |= bit_of(self);
        s->alive--;
        s->progress++;
        if (w->meet)
            complete_meetings(s, self / WARP);
        if (s->alive && s->at_barrier == s->alive)
            release_barrier(s);
        int to = next_thread(s);
        if (to < 0) {
            s->free_stack[s->stacks_free++] = stack;
            struct context left;
            switch_stack(&left, &s->home);
        }
        enter(s, to);
        if (s->stack_of[to] < 0) {
            s->stack_of[to] = stack;
            continue;
        }
        s->free_stack[s->stacks_free++] = stack;
        struct context left;
        switch_stack(&left, &s->context[to]);
    }
}

/* Lanes that may run again: in lockstep they stand where they waited. */
static void resume(struct worker *s, int number, uint32_t lanes)
{
    struct warp *w = &s->warp[number];
    if (!s->lockstep) {
        w->ready |= lanes;
        return;
    }
    for (uint32_t left = lanes; left; left &= left - 1) {
        int thread = number * WARP + __builtin_ctz(left);
        int depth = thread == s->current ? call_depth : s->depth[thread];
        s->key[thread] = key_of(depth, s->waiting[thread].pc);
    }
    w->point |= lanes;
}

void schedule_point(uintptr_t pc)
{
    struct worker *s = worker;
    settle(s);
    s->key[s->current] = key_of(call_depth, pc);
    warp_of(s, s->current)->point |= bit_of(s->current);
    go_on(s);
}

/* Gives other threads a turn outside lockstep: first those of other warps. */
static void take_turns(struct worker *s)
{
    int self = s->current, number = self / WARP;
    struct warp *w = &s->warp[number];
    if (launch_check_time(s)) {
        w->ready |= bit_of(self);
        s->depth[self] = call_depth;
        leave_for(s, self, -1);
        return;
    }
    /* The lanes behind this one first, then another warp: nobody is left out. */
    uint32_t behind = w->ready & ~(bit_of(self) | (bit_of(self) - 1));
    int to;
    if (behind) {
        to = number * WARP + __builtin_ctz(behind);
        w->ready &= ~bit_of(to);
        w->ready |= bit_of(self);
    } else {
        w->ready |= bit_of(self);
        int other = next_warp(s, number);
        s->current = other * WARP;
        to = next_thread(s);
        s->current = self;
    }
    if (to == self)
        return;
    s->depth[self] = call_depth;
    leave_for(s, self, to);
}

void schedule_fuel(uintptr_t pc)
{
    struct worker *s = worker;
    if (!hostcuda_in_kernel || !s) {
        fuel = INT32_MAX;
        return;
    }
    s->here = pc;
    if (s->lockstep) {
        fuel = 0;
        s->work++;
        schedule_point(pc);
        return;
    }
    fuel = FUEL;
    take_turns(s);
}

void yield_at(uintptr_t pc)
{
    struct worker *s = worker;
    s->looks = true;
    if (s->lockstep) {
        s->waited = true;
        warp_of(s, s->current)->idle += 16;
        schedule_point(pc);
    } else {
        take_turns(s);
    }
}

void hostcuda_yield(void)
{
    if (hostcuda_in_kernel)
        yield_at((uintptr_t)__builtin_return_address(0));
}

void schedule_abandon(void)
{
    struct context left;
    switch_stack(&left, &worker->home);
    abort();
}

/* ---- barriers of the block ------------------------------------------------------------------- */

/* Reports a barrier that not all threads reach, or that they reach in different places. */
static void check_reached(struct worker *s)
{
    int first = -1, other = -1;
    for (int t = 0; t < s->threads; t++)
        if (s->warp[t / WARP].barrier & bit_of(t)) {
            if (first < 0)
                first = t;
            else if (other < 0 && s->waiting[t].pc != s->waiting[first].pc)
                other = t;
        }
    if (other >= 0 || s->at_barrier < s->threads)
        check_divergence(s, first, other);
}

static void release_barrier(struct worker *s)
{
    if (s->lockstep) /* what the last ones did before the barrier belongs before it */
        end_step(s, s->current / WARP);
    if (s->recorded)
        check_reached(s);
    s->vote[s->phase % 2] = (struct vote){s->at_barrier, s->votes};
    for (int i = 0; i < s->warps; i++) {
        struct warp *w = &s->warp[i];
        uint32_t lanes = w->barrier;
        w->barrier = 0;
        w->round = 0;
        resume(s, i, lanes);
    }
    s->at_barrier = s->votes = 0;
    s->phase++;
    s->progress++;
    check_barrier(s);
}

int sync_block_at(int kind, int predicate, uintptr_t pc)
{
    struct worker *s = worker;
    int self = s->current;
    /* Before the barrier after the next one is passed, this thread has read it. */
    const struct vote *vote = &s->vote[s->phase % 2];
    settle(s);
    s->waiting[self].pc = pc;
    warp_of(s, self)->barrier |= bit_of(self);
    s->votes += predicate != 0;
    s->at_barrier++;
    if (s->at_barrier == s->alive)
        release_barrier(s);
    go_on(s);
    return kind == HOSTCUDA_SYNC_AND  ? vote->yes == vote->of
           : kind == HOSTCUDA_SYNC_OR ? vote->yes > 0
                                      : vote->yes;
}

int hostcuda_sync_block(int kind, int predicate)
{
    return hostcuda_in_kernel
               ? sync_block_at(kind, predicate, (uintptr_t)__builtin_return_address(0))
               : 0;
}

void sync_named_at(int barrier, int threads, uintptr_t pc)
{
    struct worker *s = worker;
    int self = s->current;
    settle(s);
    barrier &= NAMED_BARRIERS - 1;
    s->waiting[self].pc = pc;
    s->waiting[self].mask = (uint32_t)barrier;
    warp_of(s, self)->named |= bit_of(self);
    if (++s->named_count[barrier] >= (threads > 0 && threads < s->alive ? threads : s->alive)) {
        for (int i = 0; i < s->warps; i++) {
            uint32_t lanes = 0;
            for (uint32_t left = s->warp[i].named; left; left &= left - 1)
                if (s->waiting[i * WARP + __builtin_ctz(left)].mask == (uint32_t)barrier)
                    lanes |= left & -left;
            s->warp[i].named &= ~lanes;
            resume(s, i, lanes);
        }
        s->named_count[barrier] = 0;
        s->progress++;
        check_barrier(s);
    }
    go_on(s);
}

void hostcuda_sync_named(int barrier, int threads)
{
    if (hostcuda_in_kernel)
        sync_named_at(barrier, threads, (uintptr_t)__builtin_return_address(0));
}

void hostcuda_receive_far(int barrier, int threads, const void *mine, size_t bytes, unsigned source,
                          void *result)
{
    uintptr_t pc = (uintptr_t)__builtin_return_address(0);
    memcpy(result, mine, bytes);
    if (!hostcuda_in_kernel)
        return;
    struct waiting *waiting = worker->waiting;
    waiting[worker->current].mine = mine;
    sync_named_at(barrier, threads, pc);
    if (source < (unsigned)worker->threads)
        memcpy(result, waiting[source].mine, bytes);
    sync_named_at(barrier, threads, pc);
}

/* The other blocks are the launch's business: this one goes home when all its threads wait. */
void hostcuda_sync_grid(void)
{
    struct worker *s = worker;
    if (!hostcuda_in_kernel)
        return;
    if (!s->launch->launch->cooperative)
        hostcuda_fault(ERROR_LAUNCH_FAILURE, "grid.sync() in a launch that is not cooperative: use "
                                             "cudaLaunchCooperativeKernel");
    int self = s->current;
    settle(s);
    s->waiting[self].pc = (uintptr_t)__builtin_return_address(0);
    warp_of(s, self)->grid |= bit_of(self);
    s->at_grid++;
    go_on(s);
}

void worker_release_grid(struct worker *s)
{
    s->current = -1;
    for (int i = 0; i < s->warps; i++) {
        struct warp *w = &s->warp[i];
        uint32_t lanes = w->grid;
        w->grid = 0;
        w->round = 0;
        resume(s, i, lanes);
    }
    s->at_grid = 0;
    s->phase++;
    s->progress++;
}

/* ---- meetings of a warp ---------------------------------------------------------------------- */

/* What those lanes handed in, in pieces of that size. */
static void collect(const struct waiting *lane, uint32_t lanes, uint32_t bytes, char *all)
{
    memset(all, 0, (size_t)WARP * bytes);
    for (uint32_t left = lanes; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        memcpy(all + (size_t)i * bytes, lane[i].mine,
               bytes < lane[i].bytes ? bytes : lane[i].bytes);
    }
}

/* The lanes in `come` have all come: each gets what it wants of what the others handed in. */
static void complete_meeting(struct worker *s, int number, uint32_t come)
{
    struct warp *w = &s->warp[number];
    struct waiting *lane = &s->waiting[number * WARP];
    uint32_t collected = 0; /* bytes of the pieces in all */
    char all[WARP * EXCHANGE_MOST];
    for (uint32_t to = come; to; to &= to - 1) {
        struct waiting *at = &lane[__builtin_ctz(to)];
        at->came = come;
        at->yes = w->yes & come;
        if (!at->bytes)
            continue;
        if (at->source != EVERY_LANE) {
            const struct waiting *giver = come >> at->source & 1 ? &lane[at->source] : at;
            if (at->bytes == 4 && giver->bytes == 4)
                memcpy(at->result, giver->mine, 4);
            else if (at->bytes == 8 && giver->bytes == 8)
                memcpy(at->result, giver->mine, 8);
            else
                memcpy(at->result, giver->mine,
                       at->bytes < giver->bytes ? at->bytes : giver->bytes);
            continue;
        }
        if (collected != at->bytes)
            collect(lane, come, collected = at->bytes, all);
        memcpy(at->result, all, (size_t)WARP * at->bytes);
    }
    w->meet &= ~come;
    check_warp_barrier(s, number, come);
    resume(s, number, come);
}

/* Completes every meeting of the warp whose lanes have come or returned. */
static void complete_meetings(struct worker *s, int number)
{
    struct warp *w = &s->warp[number];
    for (uint32_t left = w->meet; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint32_t need = s->waiting[number * WARP + lane].mask & w->all & ~w->done, come = 0;
        if ((w->meet & need) != need)
            continue;
        for (uint32_t others = need; others; others &= others - 1)
            if ((s->waiting[number * WARP + __builtin_ctz(others)].mask & w->all & ~w->done) ==
                need)
                come |= others & -others;
        if (come != need)
            continue;
        complete_meeting(s, number, come);
        left &= ~come | (left & -left);
    }
}

/* What a lane hands in and wants of the others, as in struct waiting. */
struct offer {
    const void *mine;
    size_t bytes;
    unsigned source;
    void *result;
    bool yes;
};

HOT const struct waiting *meet(uint32_t mask, struct offer offer, uintptr_t pc)
{
    struct worker *s = worker;
    int self = s->current;
    struct warp *w = warp_of(s, self);
    struct waiting *at = &s->waiting[self];
    uint32_t bit = bit_of(self);
    settle(s);
    at->pc = pc;
    at->mask = mask | bit;
    at->mine = offer.mine;
    at->bytes = (uint32_t)offer.bytes;
    at->source = offer.source;
    at->result = offer.result;
    w->yes = offer.yes ? w->yes | bit : w->yes & ~bit;
    w->meet |= bit;
    uint32_t need = at->mask & w->all & ~w->done;
    if ((w->meet & need) == need)
        complete_meetings(s, (int)((unsigned)self / WARP));
    go_on(s);
    return at;
}

void hostcuda_sync_warp(unsigned mask)
{
    if (hostcuda_in_kernel)
        meet(mask, (struct offer){0}, (uintptr_t)__builtin_return_address(0));
}

unsigned exchange_at(unsigned mask, const void *mine, size_t bytes, void *all, uintptr_t pc)
{
    return meet(mask, (struct offer){mine, bytes, EVERY_LANE, all, false}, pc)->came;
}

unsigned hostcuda_exchange(unsigned mask, const void *mine, size_t bytes, void *all)
{
    if (hostcuda_in_kernel)
        return exchange_at(mask, mine, bytes, all, (uintptr_t)__builtin_return_address(0));
    memset(all, 0, WARP * bytes);
    memcpy(all, mine, bytes);
    return 1;
}

void hostcuda_receive(unsigned mask, const void *mine, size_t bytes, unsigned source, void *result)
{
    if (hostcuda_in_kernel)
        meet(mask, (struct offer){mine, bytes, source % WARP, result, false},
             (uintptr_t)__builtin_return_address(0));
    else
        memcpy(result, mine, bytes);
}

struct hostcuda_vote hostcuda_ask(unsigned mask, int predicate)
{
    if (!hostcuda_in_kernel)
        return (struct hostcuda_vote){1, predicate != 0};
    const struct waiting *at =
        meet(mask, (struct offer){.yes = predicate != 0}, (uintptr_t)__builtin_return_address(0));
    return (struct hostcuda_vote){at->came, at->yes};
}

unsigned active_at(uintptr_t pc)
{
    schedule_point(pc);
    return warp_of(worker, worker->current)->group;
}

unsigned hostcuda_active(void)
{
    return hostcuda_in_kernel ? active_at((uintptr_t)__builtin_return_address(0)) : 1;
}

/* Nobody can run and not all are done: says why, and lets those go on that can. Returns the number of
 * a warp that can run. */
static int unstick(struct worker *s)
{
    for (int i = 0; i < s->warps; i++) {
        struct warp *w = &s->warp[i];
        if (!w->meet)
            continue;
        int lane = __builtin_ctz(w->meet);
        uint32_t mask = s->waiting[i * WARP + lane].mask, come = 0;
        for (uint32_t left = w->meet; left; left &= left - 1)
            if (s->waiting[i * WARP + __builtin_ctz(left)].mask == mask)
                come |= left & -left;
        check_lanes(s, i * WARP + lane, mask & w->all & ~w->done & ~come);
        complete_meeting(s, i, come);
        return i;
    }
    /* Some wait at the block's barrier, others at named ones: nobody can come. */
    check_deadlock(s);
    launch_fail(s, ERROR_LAUNCH_FAILURE);
}

/* ---- a block --------------------------------------------------------------------------------- */

static void *room(size_t count, size_t bytes)
{
    void *at = calloc(count, bytes);
    if (!at)
        launch_no_memory();
    return at;
}

struct worker *worker_new(int number)
{
    struct worker *s = room(1, sizeof *s);
    s->number = number;
    s->warp = room(MAX_BLOCK_WARPS, sizeof *s->warp);
    s->waiting = room(MAX_BLOCK_THREADS, sizeof *s->waiting);
    s->key = room(MAX_BLOCK_THREADS, sizeof *s->key);
    s->last_run = room(MAX_BLOCK_THREADS, sizeof *s->last_run);
    s->context = room(MAX_BLOCK_THREADS, sizeof *s->context);
    s->stack_of = room(MAX_BLOCK_THREADS, sizeof *s->stack_of);
    s->depth = room(MAX_BLOCK_THREADS, sizeof *s->depth);
    s->calls = room(MAX_BLOCK_THREADS, sizeof *s->calls);
    s->mark = room(MAX_BLOCK_THREADS, sizeof *s->mark);
    s->index = room(MAX_BLOCK_THREADS, sizeof *s->index);
    s->step = room(MAX_STEP, sizeof *s->step);
    s->free_stack = room(MAX_BLOCK_THREADS + 1, sizeof *s->free_stack);
    s->stacks = mmap(NULL, (size_t)MAX_BLOCK_THREADS * STACK_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (s->stacks == MAP_FAILED)
        launch_no_memory();
    return s;
}

/* The threads of a block of that shape. */
static void shape(struct worker *s, struct hostcuda_dim3 block)
{
    s->threads = (int)(block.x * block.y * block.z);
    s->warps = (s->threads + WARP - 1) / WARP;
    if (!memcmp(&s->index_for, &block, sizeof block))
        return;
    s->index_for = block;
    for (unsigned t = 0; t < (unsigned)s->threads; t++)
        s->index[t] =
            (struct hostcuda_dim3){t % block.x, t / block.x % block.y, t / (block.x * block.y)};
}

void worker_begin_block(struct worker *s, uint64_t index, bool recorded)
{
    const struct hostcuda_launch *launch = s->launch->launch;
    shape(s, launch->block);
    s->block = index;
    s->recorded = s->lockstep = recorded;
    s->alive = s->threads;
    s->at_barrier = s->at_grid = s->votes = 0;
    s->resumed = s->looks = false;
    s->phase = 0;
    s->stacks_free = 0;
    s->pending.at = NULL;
    s->changed = s->waited = false;
    memset(s->named_count, 0, sizeof s->named_count);
    for (int i = s->stacks_made < s->threads ? s->stacks_made : s->threads; i > 0; i--)
        s->free_stack[s->stacks_free++] = i - 1;
    for (int t = 0; t < s->threads; t++) {
        s->stack_of[t] = -1;
        s->depth[t] = 0;
    }
    memset(s->last_run, 0, (size_t)s->threads * sizeof *s->last_run);
    for (int t = 0; recorded && t < s->threads; t++) {
        s->key[t] = key_of(0, 0);
        s->mark[t] = (struct mark){0, RECORD_UNNUMBERED};
    }
    for (int i = 0; i < s->warps; i++) {
        struct warp *w = &s->warp[i];
        int lanes = s->threads - i * WARP;
        w->all = lanes >= WARP ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
        w->ready = recorded ? 0 : w->all;
        w->point = recorded ? w->all : 0;
        w->meet = w->barrier = w->named = w->grid = w->done = w->group = 0;
        w->idle = w->round = w->accesses = w->turns = 0;
        w->steps = 0;
    }
}

bool worker_go_on(struct worker *s)
{
    const struct hostcuda_launch *launch = s->launch->launch;
    uint64_t x = s->block % launch->grid.x, rest = s->block / launch->grid.x;
    blockIdx = (struct hostcuda_dim3){(unsigned)x, (unsigned)(rest % launch->grid.y),
                                      (unsigned)(rest / launch->grid.y)};
    blockDim = launch->block;
    gridDim = launch->grid;
    hostcuda_dynamic_bytes = (unsigned)launch->shared_bytes;
    worker = s;
    check_block_begins(s);
    s->current = 0;
    s->suspended = false;
    int to = next_thread(s);
    if (to >= 0) {
        fuel = s->lockstep ? 0 : FUEL;
        watch = s->lockstep ? WATCH_ALL : s->launch->quick ? WATCH_QUICK : WATCH_MEMORY;
        hostcuda_in_kernel = 1;
        enter(s, to);
        if (s->stack_of[to] < 0)
            give_stack(s, to);
        switch_stack(&s->home, &s->context[to]);
        hostcuda_in_kernel = 0;
        watch = WATCH_NOTHING;
        fuel = INT32_MAX;
    }
    s->resumed = true;
    return s->alive == 0;
}
