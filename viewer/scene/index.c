/* index.c - a trace prepared for stepping: its steps, and what each warp access costs. */
#include "viewer/scene/scene.h"

#include <stdlib.h>
#include <string.h>

/* (stage, round, slot) as one number that sorts like the trace. */
static uint64_t step_key(const struct warp_access *access)
{
    return (uint64_t)access->stage << 40 | (uint64_t)access->round << 13 | (uint64_t)access->slot;
}

static int compare_keys(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Sorts the keys, keeps each once and splits them by stage. */
static bool take_steps(struct trace_index *index, uint64_t *key, size_t keys)
{
    int stages = index->trace->header.stages;
    qsort(key, keys, sizeof *key, compare_keys);
    size_t unique = 0;
    for (size_t i = 0; i < keys; i++)
        if (unique == 0 || key[i] != key[unique - 1])
            key[unique++] = key[i];
    index->step = malloc((unique + 1) * sizeof *index->step);
    if (!index->step)
        return false;
    int stage = 0;
    for (size_t i = 0; i < unique; i++) {
        while (stage <= (int)(key[i] >> 40))
            index->stage_step[stage++] = i;
        index->step[i].round = (int)(key[i] >> 13 & 0x7FFFFFF);
        index->step[i].slot = (int)(key[i] & 0x1FFF);
    }
    while (stage <= stages)
        index->stage_step[stage++] = unique;
    return true;
}

bool trace_index_init(struct trace_index *index, const struct trace *trace, struct error *error)
{
    const struct trace_header *header = &trace->header;
    *index = (struct trace_index){.trace = trace};
    index->warps = header_warps(header);
    index->words = (header->shared_bytes + header->bank_bytes - 1) / header->bank_bytes;
    index->columns = (index->words + header->banks - 1) / header->banks;
    index->stage_step = calloc((size_t)header->stages + 1, sizeof *index->stage_step);
    index->passes = malloc((trace->count + 1) * sizeof *index->passes);
    index->conflicts = malloc((trace->count + 1) * sizeof *index->conflicts);
    index->sectors = header->global ? calloc(trace->count + 1, sizeof *index->sectors) : NULL;
    index->least = header->global ? calloc(trace->count + 1, sizeof *index->least) : NULL;
    uint64_t *key = malloc((trace->count + 1) * sizeof *key);
    size_t keys = 0;
    bool ok = index->stage_step && index->passes && index->conflicts && key &&
              (!header->global || (index->sectors && index->least));
    for (size_t i = 0; ok && i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        struct bank_cost cost;
        bank_model_cost(header, &access, &cost);
        index->passes[i] = (uint16_t)cost.passes;
        index->conflicts[i] = (uint16_t)cost.conflicts;
        if (access.global) {
            struct sector_cost sectors;
            sector_model_cost(&access, &sectors);
            index->sectors[i] = (uint16_t)sectors.sectors;
            index->least[i] = (uint16_t)sectors.least;
        }
        uint64_t k = step_key(&access);
        if (keys == 0 || key[keys - 1] != k)
            key[keys++] = k;
    }
    ok = ok && take_steps(index, key, keys);
    free(key);
    if (!ok) {
        trace_index_free(index);
        return error_set(error, "viewer: out of memory for %zu warp accesses; show a smaller trace",
                         trace->count);
    }
    return true;
}

void trace_index_free(struct trace_index *index)
{
    free(index->stage_step);
    free(index->step);
    free(index->passes);
    free(index->conflicts);
    free(index->sectors);
    free(index->least);
    *index = (struct trace_index){0};
}

int trace_index_steps(const struct trace_index *index, int stage)
{
    if (stage < 0 || stage >= index->trace->header.stages)
        return 0;
    return (int)(index->stage_step[stage + 1] - index->stage_step[stage]);
}

const struct trace_step *trace_index_step(const struct trace_index *index, int stage, int step)
{
    return &index->step[index->stage_step[stage] + (size_t)step];
}

int trace_index_find(const struct trace_index *index, int stage, int round, int slot)
{
    int low = 0, high = trace_index_steps(index, stage); /* the first step after it */
    while (low < high) {
        int middle = low + (high - low) / 2;
        const struct trace_step *step = trace_index_step(index, stage, middle);
        if (step->round < round || (step->round == round && step->slot <= slot))
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}

size_t trace_index_from(const struct trace_index *index, int block, int stage, int round, int slot,
                        int warp)
{
    const int wanted[] = {block, stage, round, slot, warp};
    size_t low = 0, high = index->trace->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        struct warp_access access = trace_get(index->trace, middle);
        const int found[] = {access.block, access.stage, access.round, access.slot, access.warp};
        int i = 0;
        while (i < 4 && found[i] == wanted[i])
            i++;
        if (found[i] < wanted[i])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t trace_index_access(const struct trace_index *index, int block, int stage, int step, int warp)
{
    if (step < 0 || step >= trace_index_steps(index, stage))
        return NO_ACCESS;
    const struct trace_step *at = trace_index_step(index, stage, step);
    size_t i = trace_index_from(index, block, stage, at->round, at->slot, warp);
    if (i == index->trace->count)
        return NO_ACCESS;
    struct warp_access access = trace_get(index->trace, i);
    bool same = access.block == block && access.stage == stage && access.round == at->round &&
                access.slot == at->slot && access.warp == warp;
    return same ? i : NO_ACCESS;
}

bool trace_index_first(const struct trace_index *index, int stage, struct warp_access *access)
{
    for (size_t i = 0; i < index->trace->count; i++) {
        *access = trace_get(index->trace, i);
        if (access->stage == stage)
            return true;
    }
    return false;
}

int trace_index_worst_stage(const struct trace_index *index)
{
    int stages = index->trace->header.stages;
    uint64_t *sum = memory_new((size_t)stages, 2 * sizeof *sum); /* conflicts, accesses */
    int worst = 0;
    for (size_t i = 0; i < index->trace->count; i++) {
        struct warp_access access = trace_get(index->trace, i);
        sum[2 * access.stage] += index->conflicts[i];
        if (strcmp(index->trace->header.stage[access.stage], FILL_STAGE))
            sum[2 * access.stage + 1] += (uint64_t)access.lanes;
    }
    for (int s = 1; s < stages; s++)
        if (sum[2 * s] > sum[2 * worst] ||
            (sum[2 * s] == sum[2 * worst] && sum[2 * s + 1] > sum[2 * worst + 1]))
            worst = s;
    free(sum);
    return worst;
}
