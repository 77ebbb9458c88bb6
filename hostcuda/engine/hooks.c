/* hooks.c - what g++ calls in instrumented code: at the head of each basic block, before each memory
 * access, at the begin and end of each function.
 *
 * On the host's side of the program every hook returns at once.
 */
#include "hostcuda/engine/engine.h"

#include <string.h>

#define CALLER ((uintptr_t)__builtin_return_address(0))

/* ---- basic blocks and functions -------------------------------------------------------------- */

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    if (--fuel < 0)
        schedule_fuel(CALLER);
}

void __tsan_func_entry(void *call);
void __tsan_func_entry(void *call)
{
    int depth = call_depth++;
    if (watch == WATCH_ALL && depth < MAX_DEPTH)
        worker->calls[worker->current][depth] = (uintptr_t)call;
}

/* The lane is on its way to its caller: it stands there until the others have come as far. */
void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
    int depth = --call_depth;
    if (watch == WATCH_ALL && depth > 0 && depth < MAX_DEPTH)
        schedule_point(worker->calls[worker->current][depth]);
}

/* ---- memory ---------------------------------------------------------------------------------- */

void access_settle(void)
{
    struct worker *s = worker;
    if (!s->pending.at)
        return;
    uint64_t value[2] = {0};
    memcpy(value, s->pending.at, s->pending.bytes);
    if (s->pending.access)
        s->pending.access->value[s->current % WARP] = value[0];
    bool changed = value[0] != s->pending.before[0] || value[1] != s->pending.before[1];
    s->changed |= changed;
    s->pending.at = NULL;
    check_settled(changed);
}

/* What the store leaves is looked at when the lane goes on. */
static void settle_later(struct worker *s, const void *at, size_t bytes, struct step_access *access)
{
    s->pending.at = at;
    s->pending.bytes = (uint8_t)bytes;
    s->pending.access = access;
    s->pending.before[0] = s->pending.before[1] = 0;
    memcpy(s->pending.before, at, bytes);
}

/* Adds an access to shared memory to the warp's step. */
static struct step_access *step_add(struct worker *s, int operation, uint32_t addr, size_t bytes,
                                    uintptr_t pc)
{
    struct warp *w = &s->warp[s->current / WARP];
    int lane = s->current % WARP;
    uint32_t bit = UINT32_C(1) << lane;
    for (uint32_t i = s->cursor; i < w->accesses; i++) {
        struct step_access *access = &s->step[i];
        if (access->pc == pc && access->operation == operation && access->bytes == bytes &&
            !(access->mask & bit)) {
            access->mask |= bit;
            access->addr[lane] = addr;
            s->cursor = i + 1;
            return access;
        }
    }
    if (w->accesses == MAX_STEP) {
        s->dropped++;
        return NULL;
    }
    struct step_access *access = &s->step[w->accesses++];
    access->pc = pc;
    access->operation = (uint8_t)operation;
    access->bytes = (uint8_t)bytes;
    access->mark = s->mark[s->current];
    access->mask = bit;
    access->addr[lane] = addr;
    report_callers(s, s->current, access->caller);
    s->cursor = w->accesses;
    return access;
}

static bool is_store(int operation)
{
    return operation != HOSTCUDA_LOAD && operation != HOSTCUDA_MATRIX_LOAD;
}

static void note_shared(struct worker *s, int operation, const void *at, size_t bytes, uintptr_t pc,
                        bool relaxed, bool whole)
{
    uintptr_t dynamic = (uintptr_t)at - (uintptr_t)hostcuda_dynamic;
    uint32_t addr = dynamic < HOSTCUDA_DYNAMIC_MOST
                        ? RECORD_DYNAMIC + (uint32_t)dynamic
                        : (uint32_t)((const char *)at - shared_segment.from);
    if (!check_shared(operation, at, bytes, pc, relaxed, whole))
        return;
    struct step_access *access = step_add(s, operation, addr, bytes, pc);
    if (access && report_values()) {
        access->value[s->current % WARP] = 0;
        memcpy(&access->value[s->current % WARP], at, bytes < 8 ? bytes : 8);
    }
    if (is_store(operation))
        settle_later(s, at, bytes, report_values() ? access : NULL);
}

static void note_one(int operation, const void *at, size_t bytes, uintptr_t pc, bool relaxed,
                     bool whole)
{
    if (watch == WATCH_MEMORY) {
        if (arena_has(at))
            check_arena(operation, at, bytes, pc, whole);
        return;
    }
    struct worker *s = worker;
    access_settle();
    s->work++;
    s->waited |= relaxed;
    const char *byte = at;
    if (byte >= shared_segment.from && byte < shared_segment.to) {
        note_shared(s, operation, at, bytes, pc, relaxed, whole);
    } else if (arena_has(at)) {
        if (check_arena(operation, at, bytes, pc, whole))
            check_global(operation, at, bytes, pc, relaxed);
        if (is_store(operation))
            settle_later(s, at, bytes, NULL);
    } else if (check_variable(operation, at, bytes, pc, relaxed)) {
        if (is_store(operation))
            settle_later(s, at, bytes, NULL);
    } else if (!hostcuda_is_local(at)) {
        check_elsewhere(operation, at, bytes, pc, relaxed);
        if (is_store(operation))
            s->changed = true;
    }
}

/* An access that the processor may do in pieces, as large as its alignment allows, words at most. */
static void note_range(int operation, const void *at, size_t bytes, uintptr_t pc)
{
    if (watch <= WATCH_QUICK)
        return;
    size_t piece = ((uintptr_t)at | bytes) % 4 == 0 ? 4 : ((uintptr_t)at | bytes) % 2 == 0 ? 2 : 1;
    for (size_t i = 0; i < bytes; i += piece)
        note_one(operation, (const char *)at + i, piece, pc, false, false);
}

/* An access to what other threads may change. A block that does not record such accesses does not see
 * whether it waits for others: it may. */
static void note_relaxed(int operation, const void *at, size_t bytes, uintptr_t pc)
{
    if (watch == WATCH_NOTHING)
        return;
    if (watch != WATCH_ALL)
        worker->looks = true;
    if (watch > WATCH_QUICK)
        note_one(operation, at, bytes, pc, true, true);
}

/* Volatile accesses to memory that threads share keep a warp together: code from before __syncwarp
 * relies on it. */
static void note_volatile(int operation, const void *at, size_t bytes, uintptr_t pc)
{
    const char *byte = at;
    if (!watch)
        return;
    if ((byte >= shared_segment.from && byte < shared_segment.to) || arena_has(at))
        schedule_point(pc);
    note_relaxed(operation, at, bytes, pc);
}

#define HOOKS(bytes)                                                                               \
    void __tsan_read##bytes(void *at);                                                             \
    void __tsan_read##bytes(void *at)                                                              \
    {                                                                                              \
        if (watch > WATCH_QUICK)                                                                   \
            note_one(HOSTCUDA_LOAD, at, bytes, CALLER, false, true);                               \
    }                                                                                              \
    void __tsan_write##bytes(void *at);                                                            \
    void __tsan_write##bytes(void *at)                                                             \
    {                                                                                              \
        if (watch > WATCH_QUICK)                                                                   \
            note_one(HOSTCUDA_STORE, at, bytes, CALLER, false, true);                              \
    }                                                                                              \
    void __tsan_volatile_read##bytes(void *at);                                                    \
    void __tsan_volatile_read##bytes(void *at)                                                     \
    {                                                                                              \
        note_volatile(HOSTCUDA_LOAD, at, bytes, CALLER);                                           \
    }                                                                                              \
    void __tsan_volatile_write##bytes(void *at);                                                   \
    void __tsan_volatile_write##bytes(void *at)                                                    \
    {                                                                                              \
        note_volatile(HOSTCUDA_STORE, at, bytes, CALLER);                                          \
    }                                                                                              \
    void __tsan_unaligned_read##bytes(void *at);                                                   \
    void __tsan_unaligned_read##bytes(void *at)                                                    \
    {                                                                                              \
        note_range(HOSTCUDA_LOAD, at, bytes, CALLER);                                              \
    }                                                                                              \
    void __tsan_unaligned_write##bytes(void *at);                                                  \
    void __tsan_unaligned_write##bytes(void *at)                                                   \
    {                                                                                              \
        note_range(HOSTCUDA_STORE, at, bytes, CALLER);                                             \
    }                                                                                              \
    void __tsan_unaligned_volatile_read##bytes(void *at);                                          \
    void __tsan_unaligned_volatile_read##bytes(void *at)                                           \
    {                                                                                              \
        note_range(HOSTCUDA_LOAD, at, bytes, CALLER);                                              \
    }                                                                                              \
    void __tsan_unaligned_volatile_write##bytes(void *at);                                         \
    void __tsan_unaligned_volatile_write##bytes(void *at)                                          \
    {                                                                                              \
        note_range(HOSTCUDA_STORE, at, bytes, CALLER);                                             \
    }
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

void __tsan_read_range(void *at, uintptr_t bytes);
void __tsan_read_range(void *at, uintptr_t bytes)
{
    note_range(HOSTCUDA_LOAD, at, bytes, CALLER);
}

void __tsan_write_range(void *at, uintptr_t bytes);
void __tsan_write_range(void *at, uintptr_t bytes)
{
    note_range(HOSTCUDA_STORE, at, bytes, CALLER);
}

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_vptr_update(void **at, void *value);
void __tsan_vptr_update(void **at, void *value)
{
    (void)value;
    if (watch > WATCH_QUICK)
        note_one(HOSTCUDA_STORE, at, sizeof *at, CALLER, false, true);
}

void __tsan_vptr_read(void **at);
void __tsan_vptr_read(void **at)
{
    if (watch > WATCH_QUICK)
        note_one(HOSTCUDA_LOAD, at, sizeof *at, CALLER, false, true);
}

void access_at(int operation, const void *at, size_t bytes, uintptr_t pc, bool relaxed)
{
    if (relaxed)
        note_relaxed(operation, at, bytes, pc);
    else if (watch > WATCH_QUICK)
        note_one(operation, at, bytes, pc, false, true);
}

void hostcuda_access(int operation, const void *at, size_t bytes)
{
    access_at(operation, at, bytes, CALLER, false);
}

void hostcuda_atomic(int operation, const void *at, size_t bytes)
{
    note_relaxed(operation, at, bytes, CALLER);
}

void hostcuda_chooses(const void *at)
{
    if (watch == WATCH_ALL)
        check_choice(at);
}

/* ---- stages and rounds that the program names ------------------------------------------------ */

void hostcuda_stage(const char *name)
{
    if (!hostcuda_in_kernel || !worker->recorded)
        return;
    uint32_t stage = report_stage(name);
    if (!stage)
        fault_at(ERROR_INVALID_VALUE, CALLER, "BANKSCOPE_STAGE: more than %d names", RECORD_STAGES);
    worker->mark[worker->current] = (struct mark){stage, RECORD_UNNUMBERED};
}

void hostcuda_round(long long round)
{
    enum { ROUNDS = 1 << 20 };
    if (!hostcuda_in_kernel || !worker->recorded)
        return;
    if (round < 0 || round >= ROUNDS)
        fault_at(ERROR_INVALID_VALUE, CALLER, "BANKSCOPE_ROUND: %lld is not a round from 0 to %d",
                 round, ROUNDS - 1);
    worker->mark[worker->current].round = (uint32_t)round;
}

int hostcuda_is_shared(const void *at)
{
    return hostcuda_in_kernel && (const char *)at >= shared_segment.from &&
           (const char *)at < shared_segment.to;
}

/* Alignments of up to 1024 bytes are those of the pointers. */
size_t hostcuda_to_shared(const void *at)
{
    return (uintptr_t)at - ((uintptr_t)shared_segment.from & ~(uintptr_t)1023);
}

void *hostcuda_from_shared(size_t address)
{
    uintptr_t from = (uintptr_t)shared_segment.from;
    if (address >= from) /* a pointer that was never converted */
        return (void *)address;
    uintptr_t cut = (from & ~(uintptr_t)UINT32_MAX) | address; /* one of which 32 bits are left */
    return cut >= from && cut < (uintptr_t)shared_segment.to
               ? (void *)cut
               : (void *)((from & ~(uintptr_t)1023) + address);
}

int hostcuda_is_local(const void *at)
{
    return hostcuda_in_kernel &&
           (size_t)((const char *)at - worker->stacks) < (size_t)MAX_BLOCK_THREADS * STACK_BYTES;
}

/* ---- std::atomic and the compiler's own atomics ---------------------------------------------- */

#define ATOMIC_HOOKS(bits, type)                                                                   \
    type __tsan_atomic##bits##_load(const volatile type *at, int order);                           \
    type __tsan_atomic##bits##_load(const volatile type *at, int order)                            \
    {                                                                                              \
        (void)order;                                                                               \
        note_relaxed(HOSTCUDA_LOAD, (const void *)at, bits / 8, CALLER);                           \
        return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                              \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order);                    \
    void __tsan_atomic##bits##_store(volatile type *at, type value, int order)                     \
    {                                                                                              \
        (void)order;                                                                               \
        note_relaxed(HOSTCUDA_STORE, (const void *)at, bits / 8, CALLER);                          \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                             \
    }                                                                                              \
    ATOMIC_CHANGE(bits, type, exchange, __atomic_exchange_n)                                       \
    ATOMIC_CHANGE(bits, type, fetch_add, __atomic_fetch_add)                                       \
    ATOMIC_CHANGE(bits, type, fetch_sub, __atomic_fetch_sub)                                       \
    ATOMIC_CHANGE(bits, type, fetch_and, __atomic_fetch_and)                                       \
    ATOMIC_CHANGE(bits, type, fetch_or, __atomic_fetch_or)                                         \
    ATOMIC_CHANGE(bits, type, fetch_xor, __atomic_fetch_xor)                                       \
    ATOMIC_CHANGE(bits, type, fetch_nand, __atomic_fetch_nand)                                     \
    ATOMIC_COMPARE(bits, type, strong)                                                             \
    ATOMIC_COMPARE(bits, type, weak)                                                               \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value,  \
                                                    int order, int failed);                        \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value,  \
                                                    int order, int failed)                         \
    {                                                                                              \
        (void)order, (void)failed;                                                                 \
        note_relaxed(HOSTCUDA_ATOMIC, (const void *)at, bits / 8, CALLER);                         \
        __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST,                 \
                                    __ATOMIC_SEQ_CST);                                             \
        return expected;                                                                           \
    }
#define ATOMIC_CHANGE(bits, type, name, builtin)                                                   \
    type __tsan_atomic##bits##_##name(volatile type *at, type value, int order);                   \
    type __tsan_atomic##bits##_##name(volatile type *at, type value, int order)                    \
    {                                                                                              \
        (void)order;                                                                               \
        note_relaxed(HOSTCUDA_ATOMIC, (const void *)at, bits / 8, CALLER);                         \
        return builtin(at, value, __ATOMIC_SEQ_CST);                                               \
    }
#define ATOMIC_COMPARE(bits, type, name)                                                           \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *at, type *expected,           \
                                                      type value, int order, int failed);          \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *at, type *expected,           \
                                                      type value, int order, int failed)           \
    {                                                                                              \
        (void)order, (void)failed;                                                                 \
        note_relaxed(HOSTCUDA_ATOMIC, (const void *)at, bits / 8, CALLER);                         \
        return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST,           \
                                           __ATOMIC_SEQ_CST);                                      \
    }
ATOMIC_HOOKS(8, uint8_t)
ATOMIC_HOOKS(16, uint16_t)
ATOMIC_HOOKS(32, uint32_t)
ATOMIC_HOOKS(64, uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    hostcuda_fence(HOSTCUDA_FENCE_DEVICE);
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

/* ---- -fsanitize=unreachable ------------------------------------------------------------------- */

/* With this option, a function whose return is forgotten goes on in its caller, as without
 * optimisation, and what the program itself calls unreachable is reported. */
void __ubsan_handle_builtin_unreachable(void *place) __attribute__((noreturn));
void __ubsan_handle_builtin_unreachable(void *place)
{
    (void)place;
    fault_at(ERROR_LAUNCH_FAILURE, CALLER, "the program reaches __builtin_unreachable()");
}
