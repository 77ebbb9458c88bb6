/* test_shadow.c - the race checker says what a brute-force check says.
 *
 * Random sequences of accesses and barriers go into a shadow; random small programs run as a kernel
 * on the host backend. The oracle compares every pair of accesses: two of one element by different
 * threads race if one of them writes and neither happens before the other.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "instrument/shadow.h"
#include "kernels/kernel.h"

enum { MAX_EVENTS = 64, MAX_LANES = 12, MAX_CELLS = 3 };

/* ---- a shadow by itself ---------------------------------------------------------------------- */

enum event_kind { READ, WRITE, BLOCK_BARRIER, WARP_BARRIER, NEXT_BLOCK };

struct event {
    enum event_kind kind;
    int block, thread, cell; /* a warp barrier: thread is its warp */
};

struct sequence {
    int threads, warp, cells, guarded; /* guarded: cells that may be read unwritten, the first */
    int events;
    struct event event[MAX_EVENTS];
};

static struct sequence random_sequence(uint64_t *state)
{
    struct sequence sequence = {.warp = 1 + random_below(state, 4),
                                .cells = 1 + random_below(state, MAX_CELLS),
                                .events = 2 + random_below(state, MAX_EVENTS - 2)};
    sequence.threads = sequence.warp * (1 + random_below(state, MAX_LANES / sequence.warp));
    sequence.guarded = random_below(state, 2) ? sequence.cells : 0;
    int block = 0, calm = 2 + random_below(state, 20); /* one in so many is no access */
    for (int i = 0; i < sequence.events; i++) {
        struct event *event = &sequence.event[i];
        event->kind = random_below(state, calm) ? random_below(state, 2) : BLOCK_BARRIER;
        if (event->kind == BLOCK_BARRIER && random_below(state, 2))
            event->kind = WARP_BARRIER;
        else if (event->kind == BLOCK_BARRIER && !sequence.guarded && !random_below(state, 8))
            event->kind = NEXT_BLOCK;
        block += event->kind == NEXT_BLOCK;
        event->block = block;
        event->thread =
            random_below(state, event->kind == WARP_BARRIER ? sequence.threads / sequence.warp
                                                            : sequence.threads);
        event->cell = random_below(state, sequence.cells);
    }
    return sequence;
}

/* Whether barriers come between events i < k. */
static bool ordered(const struct sequence *sequence, int i, int k)
{
    const struct event *a = &sequence->event[i], *b = &sequence->event[k];
    if (a->block != b->block)
        return false;
    if (a->thread == b->thread)
        return true;
    for (int j = i + 1; j < k; j++) {
        const struct event *between = &sequence->event[j];
        if (between->kind == BLOCK_BARRIER ||
            (between->kind == WARP_BARRIER && between->thread == a->thread / sequence->warp &&
             between->thread == b->thread / sequence->warp))
            return true;
    }
    return false;
}

/* What event k is at fault of, given that all before it were fine; *with of which event. */
static enum shadow_fault expected_fault(const struct sequence *sequence, int k,
                                        const struct shadow_verdict *verdict, bool *with)
{
    const struct event *now = &sequence->event[k];
    bool written = now->cell < sequence->guarded, writer = false, reader = false;
    *with = false;
    for (int i = 0; i < k; i++) {
        const struct event *then = &sequence->event[i];
        if (then->kind > WRITE || then->cell != now->cell)
            continue;
        written |= then->kind == WRITE;
        if (ordered(sequence, i, k) || (now->kind == READ && then->kind == READ))
            continue;
        writer |= then->kind == WRITE;
        reader |= then->kind == READ;
        *with |=
            verdict->line == i && verdict->thread == then->thread && verdict->block == then->block;
    }
    if (now->kind == READ)
        return !written ? SHADOW_UNWRITTEN : writer ? SHADOW_READ_RACE : SHADOW_FINE;
    return writer ? SHADOW_WRITE_RACE : reader ? SHADOW_WRITE_READ : SHADOW_FINE;
}

/* Tells a shadow of all of it, the number of the event as the line, until something is at fault. */
static enum shadow_fault try_sequence(const struct sequence *sequence)
{
    struct shadow shadow;
    struct shadow_verdict verdict = {.fault = SHADOW_FINE};
    size_t first;
    bool with;
    assert_true(shadow_init(&shadow, sequence->threads, sequence->warp));
    assert_true(shadow_add(&shadow, (size_t)sequence->cells, &first));
    shadow_guard(&shadow, first, (size_t)sequence->guarded);
    shadow_next_block(&shadow);
    for (int k = 0; k < sequence->events && verdict.fault == SHADOW_FINE; k++) {
        const struct event *event = &sequence->event[k];
        size_t cell = first + (size_t)event->cell;
        if (event->kind == BLOCK_BARRIER) {
            shadow_block_barrier(&shadow);
        } else if (event->kind == WARP_BARRIER) {
            shadow_warp_barrier(&shadow, event->thread);
        } else if (event->kind == NEXT_BLOCK) {
            shadow_next_block(&shadow);
        } else {
            verdict =
                (event->kind == READ ? shadow_read : shadow_write)(&shadow, cell, event->thread, k);
            enum shadow_fault expected = expected_fault(sequence, k, &verdict, &with);
            assert_int_equal(verdict.fault, expected);
            assert_true(with || verdict.fault == SHADOW_FINE || verdict.fault == SHADOW_UNWRITTEN);
        }
    }
    shadow_free(&shadow);
    return verdict.fault;
}

/* A launch begins without the arrays of the one before. */
static void test_clear(void **state)
{
    struct shadow shadow;
    size_t first = 7;
    (void)state;
    assert_true(shadow_init(&shadow, 4, 2));
    for (int launch = 0; launch < 2; launch++) {
        shadow_clear(&shadow);
        assert_true(shadow_add(&shadow, 10, &first));
        assert_int_equal(first, 0);
        assert_true(shadow_add(&shadow, 10, &first));
        assert_int_equal(first, 10);
    }
    shadow_free(&shadow);
}

static void test_sequences(void **state)
{
    (void)state;
    uint64_t random = 7;
    int seen[SHADOW_WRITE_READ + 1] = {0};
    for (int i = 0; i < 100000; i++) {
        struct sequence sequence = random_sequence(&random);
        seen[try_sequence(&sequence)]++;
    }
    for (int fault = 0; fault <= SHADOW_WRITE_READ; fault++)
        assert_true(seen[fault] > 1000);
}

/* ---- two sequences that a random one rarely is ------------------------------------------------ */

static void test_readers(void **state)
{
    (void)state;
    /* 12 threads in warps of 4. A reader of before the barrier gives up its place, so that both
     * readers after it are known: thread 4 to thread 8, which read before it wrote. */
    const struct sequence stale = {12,
                                   4,
                                   1,
                                   0,
                                   6,
                                   {{WRITE, 0, 0, 0},
                                    {READ, 0, 0, 0},
                                    {BLOCK_BARRIER, 0, 0, 0},
                                    {READ, 0, 4, 0},
                                    {READ, 0, 8, 0},
                                    {WRITE, 0, 8, 0}}};
    assert_int_equal(try_sequence(&stale), SHADOW_WRITE_READ);
    /* The writer's own warp is the first whose readers are kept. */
    const struct sequence second = {12,
                                    4,
                                    1,
                                    0,
                                    5,
                                    {{WRITE, 0, 0, 0},
                                     {BLOCK_BARRIER, 0, 0, 0},
                                     {READ, 0, 0, 0},
                                     {READ, 0, 4, 0},
                                     {WRITE, 0, 0, 0}}};
    assert_int_equal(try_sequence(&second), SHADOW_WRITE_READ);
}

/* ---- programs on the host backend ------------------------------------------------------------ */

enum { MAX_STEPS = 10, STEP_INTS = 1 + 2 * MAX_LANES };

STAGES(all)

struct oracle {
    int steps, cells;
};

/* in holds the program: STEP_INTS ints per step, of which the first is its event_kind, or READ for
 * a step of accesses; then for each thread READ, WRITE or nothing (-1) and a cell. A warp barrier
 * is for the warps whose first thread has a cell. */
KERNEL(oracle)
{
    int t = threadIdx.x;
    SHARED(int, tile, p.cells);
    STAGE(all);
    for (int i = 0; i < p.steps; i++) {
        const int *step = in + i * STEP_INTS;
        ROUND(i);
        if (step[0] == BLOCK_BARRIER) {
            __syncthreads();
        } else if (step[0] == WARP_BARRIER) {
            if (step[2 + 2 * t])
                SYNC_WARP(0);
        } else if (step[1 + 2 * t] == READ) {
            (void)LOAD(tile, step[2 + 2 * t]);
        } else if (step[1 + 2 * t] == WRITE) {
            SLOT(1);
            STORE(tile, step[2 + 2 * t], t);
        }
    }
}

struct program {
    int threads, warp;
    struct oracle params;
    int step[MAX_STEPS][STEP_INTS];
};

static struct program random_program(uint64_t *state)
{
    struct program program = {
        .warp = 1 + random_below(state, 4),
        .params = {1 + random_below(state, MAX_STEPS), 1 + random_below(state, MAX_CELLS)}};
    program.threads = program.warp * (1 + random_below(state, MAX_LANES / program.warp));
    int idle = 1 + random_below(state, 8);
    for (int i = 0; i < program.params.steps; i++) {
        int *step = program.step[i];
        step[0] = random_below(state, 2)   ? READ
                  : random_below(state, 2) ? BLOCK_BARRIER
                                           : WARP_BARRIER;
        for (int t = 0; t < program.threads; t++) {
            int warp_first = t / program.warp * program.warp;
            step[1 + 2 * t] = random_below(state, idle) ? -1 : random_below(state, 2);
            step[2 + 2 * t] = step[0] != WARP_BARRIER ? random_below(state, program.params.cells)
                              : t == warp_first       ? random_below(state, 2)
                                                      : step[2 + 2 * warp_first];
        }
    }
    return program;
}

/* Whether what thread a does in step i happens before what thread b does in step k. */
static bool happens_before(const struct program *program, int i, int a, int k, int b)
{
    if (a == b)
        return i < k;
    for (int j = i + 1; j < k; j++) {
        const int *step = program->step[j];
        if (step[0] == BLOCK_BARRIER ||
            (step[0] == WARP_BARRIER && step[2 + 2 * a] && a / program->warp == b / program->warp))
            return true;
    }
    return false;
}

/* Whether thread t of step i loads or stores, and then what. */
static bool accesses(const struct program *program, int i, int t)
{
    return program->step[i][0] == READ && program->step[i][1 + 2 * t] >= 0;
}

/* Whether access (i, a) races with (k, b), or is a read that no write comes before. */
static bool at_fault(const struct program *program)
{
    int all = program->params.steps * program->threads;
    for (int one = 0; one < all; one++) {
        int i = one / program->threads, a = one % program->threads;
        bool written = false;
        if (!accesses(program, i, a))
            continue;
        const int *what = &program->step[i][1 + 2 * a];
        for (int other = 0; other < all; other++) {
            int k = other / program->threads, b = other % program->threads;
            const int *with = &program->step[k][1 + 2 * b];
            if (!accesses(program, k, b) || with[1] != what[1])
                continue;
            bool before = happens_before(program, k, b, i, a);
            written |= with[0] == WRITE && before;
            if (a != b && (what[0] == WRITE || with[0] == WRITE) && !before &&
                !happens_before(program, i, a, k, b))
                return true;
        }
        if (what[0] == READ && !written)
            return true;
    }
    return false;
}

static void test_programs(void **state)
{
    (void)state;
    enum { PROGRAMS = 20000 };
    uint64_t random = 8;
    char *stages[] = {"all", NULL};
    int faults = 0;
    for (int i = 0; i < PROGRAMS; i++) {
        struct program program = random_program(&random);
        struct trace_header header = {.kernel = "oracle",
                                      .backend = "host",
                                      .device = "",
                                      .input = "",
                                      .banks = program.warp,
                                      .bank_bytes = 4,
                                      .warp = program.warp,
                                      .threads = program.threads,
                                      .blocks = 1,
                                      .shared_bytes = 4 * MAX_CELLS,
                                      .stages = 1,
                                      .stage = stages};
        struct launch launch = {.header = &header,
                                .body = oracle_body,
                                .params = &program.params,
                                .in = program.step,
                                .in_bytes = sizeof program.step};
        struct trace_sink sink = {NULL, NULL, NULL, NULL};
        struct run_result result;
        struct error error = {{0}};
        bool good = host_run(&launch, &sink, &result, &error);
        if (good == at_fault(&program))
            fail_msg("program %d: %s", i, good ? "a fault was not found" : error.text);
        faults += !good;
    }
    assert_in_range(faults, PROGRAMS / 5, PROGRAMS - PROGRAMS / 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clear),
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_readers),
        cmocka_unit_test(test_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
