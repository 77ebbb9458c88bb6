/* trace_stages.c - stages and rounds that the program named, in a launch that becomes a trace (trace.c). */
#include "program/report/trace_recording.h"

#include <stdlib.h>

/* A stage of the trace: one that the program named, or a phase that is in none. */
struct named {
    const char *name;
    uint64_t first; /* phase and round of its first access */
    uint32_t id;    /* number of the name, or past those: the phase */
};

static uint32_t id_of(const struct recorded *access)
{
    return access->stage ? access->stage : STAGES_MOST + 1 + access->phase;
}

static int by_first(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    return x->first != y->first ? (x->first < y->first ? -1 : 1) : x->id < y->id ? -1 : 1;
}

static int by_warp(const void *a, const void *b)
{
    const struct recorded *x = a, *y = b;
    const uint32_t left[] = {x->block, x->phase, x->round, x->warp, x->order};
    const uint32_t right[] = {y->block, y->phase, y->round, y->warp, y->order};
    for (int i = 0; i < 5; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int by_stage(const void *a, const void *b)
{
    const struct recorded *x = a, *y = b;
    const uint32_t left[] = {x->block, x->phase, x->order};
    const uint32_t right[] = {y->block, y->phase, y->order};
    for (int i = 0; i < 3; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

/* Makes the trace's stages: header->stage, in the order of their beginning. *of, by id_of, is the
 * caller's. */
static void name_stages(const struct trace_recording *r, struct trace_header *header, uint32_t **of)
{
    size_t ids = STAGES_MOST + 1 + (size_t)r->phases, count = 0;
    struct named *stage = memory_new(ids, sizeof *stage);
    for (size_t i = 0; i < ids; i++)
        stage[i].first = UINT64_MAX;
    for (size_t i = 0; i < r->accesses; i++) {
        uint32_t id = id_of(&r->access[i]);
        uint64_t at = (uint64_t)r->access[i].phase << 32 | r->access[i].round;
        stage[id].id = id;
        if (at < stage[id].first)
            stage[id].first = at;
    }
    for (size_t i = 0; i < ids; i++)
        if (stage[i].first != UINT64_MAX)
            stage[count++] = stage[i];
    qsort(stage, count, sizeof *stage, by_first);
    *of = memory_new(ids, sizeof **of);
    header->stage = memory_new(count, sizeof *header->stage);
    for (size_t i = 0; i < count; i++) {
        char name[STAGE_NAME];
        snprintf(name, sizeof name, "phase %u", (unsigned)(stage[i].id - STAGES_MOST - 1));
        if (stage[i].id <= STAGES_MOST)
            snprintf(name, sizeof name, "%s", r->name[stage[i].id]);
        int same = header_stage(header, name); /* a stage that is called "phase 0" */
        (*of)[stage[i].id] = (uint32_t)(same < 0 ? header->stages : same);
        if (same < 0)
            header->stage[header->stages++] = memory_copy(name);
    }
    free(stage);
}

void recording_place_marked(struct trace_recording *r, struct trace_header *header)
{
    uint32_t *of;
    name_stages(r, header, &of);
    for (size_t i = 0; i < r->accesses; i++)
        r->access[i].order = (uint32_t)i;
    /* Rounds: phase and round of before are in time, so they are equal or next to each other. */
    uint32_t *moment = memory_new(r->accesses, sizeof *moment);
    for (size_t i = 1; i < r->accesses; i++)
        moment[i] = moment[i - 1] + (r->access[i].phase != r->access[i - 1].phase ||
                                     r->access[i].round != r->access[i - 1].round ||
                                     r->access[i].block != r->access[i - 1].block);
    for (size_t i = 0; i < r->accesses; i++)
        r->access[i].phase = of[id_of(&r->access[i])];
    qsort(r->access, r->accesses, sizeof *r->access, by_stage);
    uint32_t round = 0, last = UINT32_MAX;
    for (size_t i = 0; i < r->accesses; i++) {
        struct recorded *access = &r->access[i];
        if (i && (access->block != access[-1].block || access->phase != access[-1].phase)) {
            round = 0;
            last = UINT32_MAX;
        }
        if (access->number != ROUND_UNNUMBERED) {
            access->round = access->number;
            continue;
        }
        if (last != UINT32_MAX && last != moment[access->order])
            round++;
        last = moment[access->order];
        access->round = round < MAX_ROUNDS ? round : MAX_ROUNDS - 1;
    }
    qsort(r->access, r->accesses, sizeof *r->access, by_warp);
    size_t kept = 0, slot = 0;
    struct recorded before = {.block = UINT32_MAX};
    for (size_t i = 0; i < r->accesses; i++) {
        struct recorded access = r->access[i];
        bool same = access.block == before.block && access.phase == before.phase &&
                    access.round == before.round && access.warp == before.warp;
        before = access;
        slot = same ? slot + 1 : 0;
        if (slot >= MAX_SLOTS) {
            r->dropped++;
            continue;
        }
        access.slot = (uint16_t)slot;
        r->access[kept++] = access;
    }
    r->accesses = kept;
    qsort(r->access, r->accesses, sizeof *r->access, recording_order);
    free(moment);
    free(of);
}
