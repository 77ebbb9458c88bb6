/* report.c - records for the bankscope process, through a ring (hostcuda/ring.h). */
#include "hostcuda/engine/engine.h"
#include "hostcuda/ring.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SEEN = 1024 };

static struct {
    struct ring_writer ring;
    pthread_mutex_t lock; /* of what follows */
    bool values;
    struct { /* faults already reported, open hash */
        uint64_t pc, other;
        uint32_t kind;
    } seen[SEEN];
    int faults;
    char stage[RECORD_STAGES][RECORD_STAGE_NAME];
    uint32_t stages;
} out = {.ring = RING_WRITER, .lock = PTHREAD_MUTEX_INITIALIZER};

bool report_open(void)
{
    const char *values = getenv(RECORDS_VALUES);
    if (!ring_attach(&out.ring))
        return false;
    out.values = values && *values == '1';
    struct record_start start = {RECORDS_VERSION, out.values};
    report_record(RECORD_START, &start, sizeof start);
    return true;
}

bool report_wanted(void)
{
    return ring_is_open(&out.ring);
}

bool report_values(void)
{
    return out.values;
}

void report_launch(uint64_t launches, uint64_t unwatched)
{
    ring_count(&out.ring, launches, unwatched);
}

void report_record(enum record_kind kind, const void *data, size_t bytes)
{
    ring_put(&out.ring, kind, data, bytes);
}

uint32_t report_stage(const char *name)
{
    struct record_stage record = {0, ""};
    strncpy(record.name, name, sizeof record.name - 1);
    pthread_mutex_lock(&out.lock);
    uint32_t i = 0;
    while (i < out.stages && strcmp(out.stage[i], record.name))
        i++;
    bool fresh = i == out.stages && i < RECORD_STAGES;
    if (fresh)
        memcpy(out.stage[out.stages++], record.name, sizeof record.name);
    pthread_mutex_unlock(&out.lock);
    if (i == RECORD_STAGES)
        return 0;
    record.number = i + 1;
    if (fresh)
        report_record(RECORD_STAGE, &record, sizeof record);
    return i + 1;
}

void report_access(struct worker *s, const struct step_access *access, uint32_t warp,
                   uint32_t round, uint32_t slot)
{
    if (!report_wanted())
        return;
    int lanes = __builtin_popcount(access->mask);
    struct record_access record;
    size_t head = offsetof(struct record_access, addr);
    size_t addresses = head + (size_t)lanes * sizeof record.addr[0];
    size_t bytes = addresses;
    if (out.values)
        bytes = (addresses + 7) / 8 * 8 + (size_t)lanes * 8;
    record.pc = access->pc;
    memcpy(record.caller, access->caller, sizeof record.caller);
    record.mask = access->mask;
    record.phase = s->phase;
    record.round = round;
    record.slot = slot;
    record.stage = access->mark.stage;
    record.number = access->mark.round;
    record.warp = (uint16_t)warp;
    record.operation = access->operation;
    record.bytes = access->bytes;
    int n = 0;
    char *at = ring_begin(&out.ring, RECORD_ACCESS, bytes);
    char *value = at + (addresses + 7) / 8 * 8;
    for (uint32_t left = access->mask; left; left &= left - 1, n++) {
        int lane = __builtin_ctz(left);
        record.addr[n] = access->addr[lane];
        if (out.values)
            memcpy(value + 8 * n, &access->value[lane], 8);
    }
    memcpy(at, &record, addresses);
    ring_end(&out.ring);
}

void report_callers(const struct worker *s, int thread, uint32_t caller[RECORD_CALLERS])
{
    int depth = thread == s->current ? call_depth : s->depth[thread];
    for (int i = 0; i < RECORD_CALLERS; i++) {
        int level = depth - 1 - i; /* calls[0] returns to the engine */
        bool known = s->lockstep && level > 0 && level < MAX_DEPTH;
        caller[i] = known ? (uint32_t)s->calls[thread][level] : 0;
    }
}

struct record_thread report_thread(struct worker *s, int thread, uintptr_t pc, int operation)
{
    struct record_thread party = {.pc = pc, .operation = (uint8_t)operation, .known = 1};
    const struct hostcuda_dim3 *index = &s->index[thread];
    memcpy(party.thread, index, sizeof party.thread);
    memcpy(party.block, &blockIdx, sizeof party.block);
    report_callers(s, thread, party.caller);
    return party;
}

struct record_thread report_self(uintptr_t pc, int operation)
{
    if (!worker || !hostcuda_in_kernel)
        return (struct record_thread){.pc = pc, .operation = (uint8_t)operation};
    return report_thread(worker, worker->current, pc, operation);
}

static bool seen_before(uint32_t kind, uint64_t pc, uint64_t other)
{
    uint64_t hash = (kind * UINT64_C(0x9e3779b97f4a7c15)) ^ (pc * UINT64_C(0xbf58476d1ce4e5b9)) ^
                    (other * UINT64_C(0x94d049bb133111eb));
    bool seen = false;
    pthread_mutex_lock(&out.lock);
    size_t at = (size_t)(hash >> 40) % SEEN;
    while (out.seen[at].pc && !seen) {
        seen = out.seen[at].kind == kind && out.seen[at].pc == pc && out.seen[at].other == other;
        at = (at + 1) % SEEN;
    }
    if (!seen && out.faults < SEEN / 2) {
        out.seen[at].kind = kind;
        out.seen[at].pc = pc;
        out.seen[at].other = other;
        out.faults++;
    } else {
        seen = true; /* enough is enough */
    }
    pthread_mutex_unlock(&out.lock);
    return seen;
}

void report_fault(struct record_fault *fault)
{
    if (!report_wanted())
        return;
    if (fault->who.pc && seen_before(fault->kind, fault->who.pc, fault->other.pc))
        return;
    if (worker && worker->launch)
        fault->launch = worker->launch->number;
    report_record(RECORD_FAULT, fault, sizeof *fault);
}
