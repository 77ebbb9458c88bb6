/* overview.c - the whole run at a glance: where its conflicts are. */
#include "viewer/scene/scene.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_STEPS = 4 }; /* that zooming leaves */

/* The worst warp access of a step, or of some, and some warps. */
struct overview_bin {
    size_t access; /* its number + 1; 0: nothing is accessed there */
    uint16_t conflicts;
};

size_t overview_step(const struct overview *overview, int stage, int step)
{
    return overview->index->stage_step[stage] + (size_t)(step < 0 ? 0 : step);
}

void overview_place(const struct overview *overview, size_t step, int *stage, int *in_stage)
{
    const size_t *from = overview->index->stage_step;
    int low = 0, high = overview->index->trace->header.stages; /* the first stage after it */
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (from[middle] <= step)
            low = middle + 1;
        else
            high = middle;
    }
    *stage = low - 1;
    *in_stage = (int)(step - from[low - 1]);
}

/* Goes through the accesses in the trace's order and knows the step of each. */
struct walk {
    const struct trace_index *index;
    size_t step; /* of all stages */
    int block, stage;
};

static size_t step_of(struct walk *walk, const struct warp_access *access)
{
    const struct trace_index *index = walk->index;
    if (access->block != walk->block || access->stage != walk->stage) {
        walk->block = access->block;
        walk->stage = access->stage;
        walk->step = index->stage_step[access->stage];
    }
    while (index->step[walk->step].round != access->round ||
           index->step[walk->step].slot != access->slot)
        walk->step++;
    return walk->step;
}

/* A step with its conflicts, to be sorted. */
struct ranked {
    uint64_t conflicts;
    size_t step;
};

static int by_conflicts(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->conflicts != b->conflicts)
        return a->conflicts < b->conflicts ? 1 : -1;
    return (a->step > b->step) - (a->step < b->step);
}

/* Puts the steps that have conflicts in order, and counts how many make most of them. */
static bool rank(struct overview *overview, const uint64_t *conflicts, struct error *error)
{
    struct ranked *ranked = memory_array(overview->steps + 1, sizeof *ranked, "steps", error);
    overview->worst = memory_array(overview->steps + 1, sizeof *overview->worst, "steps", error);
    if (ranked && overview->worst) {
        for (size_t s = 0; s < overview->steps; s++)
            if (conflicts[s] > 0)
                ranked[overview->bad++] = (struct ranked){conflicts[s], s};
        qsort(ranked, overview->bad, sizeof *ranked, by_conflicts);
        uint64_t sum = 0;
        for (size_t i = 0; i < overview->bad; i++) {
            overview->worst[i] = ranked[i].step;
            overview->most += 5 * sum < 4 * overview->conflicts;
            sum += ranked[i].conflicts;
        }
    }
    free(ranked);
    return overview->worst != NULL;
}

bool overview_init(struct overview *overview, const struct trace_index *index, struct error *error)
{
    const struct trace *trace = index->trace;
    *overview = (struct overview){.index = index};
    overview->steps = index->stage_step[trace->header.stages];
    overview->to = (double)overview->steps;
    uint64_t *conflicts = memory_array(overview->steps + 1, sizeof *conflicts, "steps", error);
    size_t stages = (size_t)trace->header.stages, blocks = (size_t)trace->header.blocks;
    overview->of_stage = memory_array(stages + 1, sizeof *overview->of_stage, "stages", error);
    overview->of_block = memory_array(blocks + 1, sizeof *overview->of_block, "blocks", error);
    bool room = conflicts && overview->of_stage && overview->of_block;
    struct walk walk = {.index = index, .block = -1};
    for (size_t i = 0; room && i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        overview->of_stage[access.stage] += index->conflicts[i];
        overview->of_block[access.block] += index->conflicts[i];
        conflicts[step_of(&walk, &access)] += index->conflicts[i];
        overview->conflicts += index->conflicts[i];
        overview->passes += index->passes[i];
        if (index->conflicts[i] > overview->most_conflicts)
            overview->most_conflicts = index->conflicts[i];
    }
    bool good = room && rank(overview, conflicts, error);
    free(conflicts);
    if (!good)
        overview_free(overview);
    return good;
}

void overview_free(struct overview *overview)
{
    free(overview->worst);
    free(overview->bin);
    free(overview->of_stage);
    free(overview->of_block);
    *overview = (struct overview){0};
}

size_t overview_worst_access(const struct overview *overview, size_t step)
{
    const struct trace *trace = overview->index->trace;
    struct walk walk = {.index = overview->index, .block = -1};
    size_t worst = NO_ACCESS;
    for (size_t i = 0; i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        if (step_of(&walk, &access) == step &&
            (worst == NO_ACCESS ||
             overview->index->conflicts[i] > overview->index->conflicts[worst]))
            worst = i;
    }
    return worst;
}

/* ---- the strip ---- */

int64_t overview_warps(const struct overview *overview)
{
    const struct trace *trace = overview->index->trace;
    return (int64_t)overview->index->warps * (trace->only_block ? 1 : trace->header.blocks);
}

int64_t overview_warp(const struct overview *overview, int block, int warp)
{
    const struct trace *trace = overview->index->trace;
    return (int64_t)(trace->only_block ? 0 : block) * overview->index->warps + warp;
}

bool overview_bins(struct overview *overview, int columns, int rows, struct error *error)
{
    const struct trace *trace = overview->index->trace;
    if (overview->bin && columns == overview->columns && rows == overview->rows &&
        overview->from == overview->made_from && overview->to == overview->made_to)
        return true;
    free(overview->bin);
    overview->columns = columns;
    overview->rows = rows;
    overview->made_from = overview->from;
    overview->made_to = overview->to;
    overview->bin =
        memory_array((size_t)columns * (size_t)rows, sizeof *overview->bin, "cells", error);
    if (!overview->bin)
        return false;
    int64_t warps = overview_warps(overview);
    double scale = columns / (overview->to - overview->from);
    struct walk walk = {.index = overview->index, .block = -1};
    for (size_t i = 0; i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        double place = ((double)step_of(&walk, &access) + 0.5 - overview->from) * scale;
        int64_t row = overview_warp(overview, access.block, access.warp) * rows / warps;
        if (!(place >= 0 && place < columns) || row >= rows)
            continue;
        struct overview_bin *bin = &overview->bin[row * columns + (int)place];
        if (!bin->access || overview->index->conflicts[i] > bin->conflicts)
            *bin = (struct overview_bin){i + 1, overview->index->conflicts[i]};
    }
    return true;
}

int overview_level(const struct overview *overview, int most, int column, int row)
{
    const struct overview_bin *bin = &overview->bin[row * overview->columns + column];
    return !bin->access ? -1 : most == 0 ? 0 : (4 * bin->conflicts + most - 1) / most;
}

size_t overview_access(const struct overview *overview, int column, int row)
{
    const struct overview_bin *bin = &overview->bin[row * overview->columns + column];
    return bin->access ? bin->access - 1 : NO_ACCESS;
}

bool overview_zoom(struct overview *overview, double factor, double place)
{
    double all = (double)overview->steps, from = overview->from, to = overview->to;
    double at = from + place * (to - from), wide = (to - from) / factor;
    wide = wide < LEAST_STEPS ? LEAST_STEPS : wide;
    wide = wide > all ? all : wide;
    overview->from = at - place * wide;
    if (overview->from + wide > all)
        overview->from = all - wide;
    if (!(overview->from > 0))
        overview->from = 0;
    overview->to = overview->from + wide;
    return overview->from != from || overview->to != to;
}
