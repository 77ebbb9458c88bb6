/* figure_part.c - what a part of a figure shows: its rounds as matrices, its columns, and the words about it. */
#include "viewer/export/figure.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Whether a column belongs into the picture: it has a word of the list, or one that is used. */
static bool wants_column(const struct measured_part *m, int column, char list)
{
    int banks = m->part->index->trace->header.banks;
    for (int bank = 0; bank < banks; bank++) {
        struct word_use use;
        int64_t word = (int64_t)column * banks + bank;
        if (stage_map_use(&m->map, (uint32_t)word, m->map.steps, &use) &&
            (list ? use.tag == list : m->map.warp < 0 || use.warp == m->map.warp))
            return true;
    }
    return false;
}

static bool add_run(struct measured_part *m, int column, char list, bool first_of_list, int number)
{
    struct column_run *last = m->runs ? &m->run[m->runs - 1] : NULL;
    if (last && !first_of_list && last->list == list && last->first + last->columns == column) {
        last->columns++;
        return true;
    }
    struct error error = {{0}}; /* the figure says that memory is out */
    if (!memory_grow(&m->run, &m->run_room, (size_t)m->runs + 1, sizeof *m->run, "columns", &error))
        return false;
    m->run[m->runs++] = (struct column_run){column, 1, list, first_of_list, number, m->cut_end};
    m->cut_end = false;
    return true;
}

static bool find_runs(struct measured_part *m)
{
    const struct figure_part *part = m->part;
    int banks = part->index->trace->header.banks;
    if (!part->split && !part->used_columns) {
        m->run = malloc(sizeof *m->run);
        if (!m->run)
            return false;
        m->run[m->runs++] = (struct column_run){.columns = part->index->columns};
        return true;
    }
    int first = (int)(m->map.first_word / (uint32_t)banks);
    int end = (int)((m->map.first_word + m->map.words + (uint32_t)banks - 1) / (uint32_t)banks);
    int number = 0;
    for (int letter = 0; letter < (part->split ? 26 : 1); letter++) {
        char list = part->split ? (char)('A' + letter) : 0;
        bool first_of_list = part->split;
        for (int column = first; column < end; column++) {
            if (!wants_column(m, column, list))
                continue;
            if (part->only_columns && !numbers_have(part->only_columns, number++)) {
                m->cut_end = true;
                continue;
            }
            if (!add_run(m, column, list, first_of_list,
                         part->only_columns ? number - 1 : number++))
                return false;
            first_of_list = false;
        }
    }
    return true;
}

static bool add_matrix(struct measured_part *m, int round, int first, int end, struct error *error)
{
    const struct figure_part *part = m->part;
    if (!memory_grow(&m->matrix, &m->matrix_room, (size_t)m->matrices + 1, sizeof *m->matrix,
                     "pictures", error))
        return false;
    m->matrix[m->matrices++] = (struct figure_matrix){
        .round = round,
        .first = first,
        .end = end,
        .slot = end > first ? trace_index_step(part->index, part->stage, first)->slot : -1,
        .last_slot = end > first ? trace_index_step(part->index, part->stage, end - 1)->slot : -1};
    return true;
}

/* Marks the threads of a step's accesses. Returns whether one was marked before. */
static bool mark_threads(const struct measured_part *m, int step, bool *marked)
{
    const struct stage_map *map = &m->map;
    const struct trace *trace = map->index->trace;
    const struct trace_step *at = trace_index_step(map->index, map->stage, step);
    bool again = false;
    size_t a = trace_index_from(map->index, map->block, map->stage, at->round, at->slot, 0);
    for (; a < map->end_access; a++) {
        struct warp_access access = trace_get(trace, a);
        if (access.round != at->round || access.slot != at->slot)
            break;
        if (map->warp >= 0 && access.warp != map->warp)
            continue;
        for (int i = 0; i < access.lanes; i++) {
            bool *thread = &marked[access.warp * trace->header.warp + access.lane[i]];
            again |= *thread;
            *thread = true;
        }
    }
    return again;
}

/* A matrix of the round's steps, or several, in none of which a thread has several accesses. */
static bool split_round(struct measured_part *m, int round, int first, int end, bool *marked,
                        struct error *error)
{
    const size_t threads = (size_t)m->map.index->trace->header.threads + MAX_WARP;
    const int before = m->matrices;
    int begin = first;
    memset(marked, 0, threads * sizeof *marked);
    for (int step = first; step < end && end - first > 1; step++) {
        if (!mark_threads(m, step, marked))
            continue;
        if (!add_matrix(m, round, begin, step, error))
            return false;
        begin = step;
        memset(marked, 0, threads * sizeof *marked);
        mark_threads(m, step, marked);
    }
    if (!add_matrix(m, round, begin, end, error))
        return false;
    if (m->matrices == before + 1)
        m->matrix[before].slot = m->matrix[before].last_slot = -1;
    return true;
}

static bool find_matrices(struct measured_part *m, struct error *error)
{
    const struct figure_part *part = m->part;
    const int rounds = figure_rounds(part);
    if (!part->rounds) {
        if (!add_matrix(m, 0, 0, m->map.steps, error))
            return false;
        m->matrix[0].slot = m->matrix[0].last_slot = -1;
        return true;
    }
    bool *marked = memory_array((size_t)m->map.index->trace->header.threads + MAX_WARP,
                                sizeof *marked, "threads", error);
    bool good = marked != NULL;
    for (int i = 0; good && i < rounds; i++) {
        const int round =
            part->only ? numbers_at(part->only, part->first_round, i) : part->first_round + i;
        const int slot = part->one_slot ? part->slot : INT_MAX;
        int first = trace_index_find(part->index, part->stage, part->one_slot ? round : round - 1,
                                     part->one_slot ? slot - 1 : INT_MAX) +
                    1;
        int end = trace_index_find(part->index, part->stage, round, slot) + 1;
        if (part->paint == PAINT_STALLS) {
            good = add_matrix(m, round, first, end, error);
            if (good)
                m->matrix[m->matrices - 1].slot = m->matrix[m->matrices - 1].last_slot = -1;
        } else {
            good = split_round(m, round, first, end, marked, error);
        }
        if (good && part->one_slot && slot > 0)
            m->matrix[m->matrices - 1].slot = m->matrix[m->matrices - 1].last_slot = slot;
    }
    free(marked);
    return good;
}

bool figure_measure(struct measured_part *m, const struct figure_part *part, struct error *error)
{
    const struct trace_header *header = &part->index->trace->header;
    *m = (struct measured_part){.part = part};
    if (part->stage < 0 || part->stage >= header->stages)
        return error_set(error, "%s: has no stage %d", header->kernel, part->stage);
    if (!stage_map_set(&m->map, part->index, part->stage, part->block, part->warp, error))
        return false;
    if (!find_matrices(m, error))
        return false;
    if (!find_runs(m))
        return error_set(error, "figure: out of memory");
    for (int i = 0; i < m->runs; i++)
        m->columns += m->run[i].columns;
    if (!m->columns && !m->cut_end && m->map.sectors_before && m->map.steps) {
        /* Only global memory: an empty column stands for the banks. */
        if (!add_run(m, 0, 0, false, 0))
            return error_set(error, "figure: out of memory");
        m->columns = 1;
        m->no_words = true;
    }
    if (!m->columns && m->cut_end)
        return error_set(error, "%s, stage %s: none of the columns asked for is there",
                         header->kernel, header->stage[part->stage]);
    return m->columns > 0 ||
           error_set(error,
                     "%s, stage %s, block %d, warp %d: uses no shared memory; choose "
                     "another stage or warp",
                     header->kernel, header->stage[part->stage], part->block, part->warp);
}

void figure_release(struct measured_part *m)
{
    stage_map_free(&m->map);
    free(m->run);
    free(m->matrix);
    m->run = NULL;
    m->matrix = NULL;
}

int figure_rounds(const struct figure_part *part)
{
    return !part->rounds ? 1
           : part->only  ? numbers_count(part->only, part->first_round, part->last_round)
                         : part->last_round - part->first_round + 1;
}

void figure_moment(const struct figure_matrix *matrix, char *text, size_t size)
{
    snprintf(text, size, "round %d", matrix->round);
    if (matrix->slot >= 0 && matrix->last_slot > matrix->slot)
        text_add(text, size, ", slots %d-%d", matrix->slot, matrix->last_slot);
    else if (matrix->slot >= 0)
        text_add(text, size, ", slot %d", matrix->slot);
}

/* ", rounds 2, 4-6", unless they are all. */
static void add_rounds(const struct numbers *only, char *text, size_t size)
{
    for (int i = 0; i < only->ranges && only->range[i].last < INT_MAX; i++) {
        const struct number_range *range = &only->range[i];
        text_add(text, size, range->last > range->first ? ", %s%d-%d" : ", %s%d",
                 i ? "" : "rounds ", range->first, range->last);
    }
}

void figure_state(const struct measured_part *m, char *text, size_t size)
{
    const struct figure_part *part = m->part;
    const struct trace_header *header = &part->index->trace->header;
    snprintf(text, size, "%.80s", header->stage[part->stage]);
    if (part->rounds && m->matrices == 1) {
        char moment[64];
        figure_moment(&m->matrix[0], moment, sizeof moment);
        text_add(text, size, ", %s", moment);
    } else if (part->rounds && figure_rounds(part) == 1) {
        text_add(text, size, ", round %d", m->matrix[0].round);
    } else if (part->rounds && part->only) {
        add_rounds(part->only, text, size);
    }
    if (header->blocks > 1)
        text_add(text, size, ", block %d", part->block);
    if (part->warp >= 0 && part->index->warps > 1)
        text_add(text, size, ", warp %d", part->warp);
    if (part->hide & HIDE_TOTALS)
        return;
    uint64_t passes = 0, conflicts = 0, sectors = 0;
    for (int i = 0; i < m->matrices; i++) {
        const struct figure_matrix *matrix = &m->matrix[i];
        passes += m->map.passes_before[matrix->end] - m->map.passes_before[matrix->first];
        conflicts += m->map.conflicts_before[matrix->end] - m->map.conflicts_before[matrix->first];
        if (m->map.sectors_before)
            sectors += m->map.sectors_before[matrix->end] - m->map.sectors_before[matrix->first];
    }
    if (passes || !sectors)
        text_add(text, size, ": %" PRIu64 " pass%s, %" PRIu64 " conflict%s", passes,
                 passes == 1 ? "" : "es", conflicts, conflicts == 1 ? "" : "s");
    if (sectors)
        text_add(text, size, "%s %" PRIu64 " sector%s of global memory", passes ? "," : ":",
                 sectors, sectors == 1 ? "" : "s");
}

/* ---- choosing what to show ---- */

enum { FEW_ROUNDS = 12, FEW_STEPS = 24, FEW_COLUMNS = 24 }; /* all of them are shown */

static int round_of(const struct figure_part *part, int step)
{
    return trace_index_step(part->index, part->stage, step)->round;
}

/* The round in which the part's warp needs the most passes, or where it uses global memory alone, sectors; its slot that
 * needs the most, if it has more than FEW_ROUNDS, else -1. */
static bool worst_round(const struct figure_part *part, int *round, int *slot, bool *global,
                        struct error *error)
{
    struct stage_map map = {0};
    if (!stage_map_set(&map, part->index, part->stage, part->block, part->warp, error))
        return false;
    *global = sectors_are_alone(&map);
    const uint64_t *before = *global ? map.sectors_before : map.passes_before;
    uint64_t most = 0, cost = 0, most_of_slot = 0;
    int slots = 0, worst = 0;
    *round = map.steps > 0 ? round_of(part, 0) : 0;
    for (int s = 0; s < map.steps; s++) {
        if (s > 0 && round_of(part, s) != round_of(part, s - 1))
            cost = 0;
        cost += before[s + 1] - before[s];
        if (cost > most) {
            most = cost;
            *round = round_of(part, s);
        }
    }
    for (int s = 0; s < map.steps; s++) {
        uint64_t one = before[s + 1] - before[s];
        if (round_of(part, s) != *round || !one)
            continue;
        slots++;
        if (one > most_of_slot) {
            most_of_slot = one;
            worst = trace_index_step(part->index, part->stage, s)->slot;
        }
    }
    *slot = slots > FEW_ROUNDS ? worst : -1;
    stage_map_free(&map);
    return true;
}

bool figure_choose(struct figure_part *part, struct error *error)
{
    const struct trace_header *header = &part->index->trace->header;
    struct warp_access first;
    part->stage = trace_index_worst_stage(part->index);
    if (!trace_index_first(part->index, part->stage, &first))
        return error_set(error, "%s: has no accesses, nothing to draw", header->kernel);
    part->block = first.block;
    part->warp = first.warp;
    return figure_choose_rounds(part, 1, error);
}

bool figure_choose_rounds(struct figure_part *part, int parts, struct error *error)
{
    bool few = true, global;
    int worst = 0, slot = -1;
    for (int p = 0; p < parts; p++) {
        int steps = trace_index_steps(part[p].index, part[p].stage);
        part[p].rounds = true;
        part[p].first_round = steps ? round_of(&part[p], 0) : 0;
        part[p].last_round = steps ? round_of(&part[p], steps - 1) : 0;
        few = few && part[p].index->columns <= FEW_COLUMNS && steps <= FEW_STEPS &&
              part[p].last_round - part[p].first_round < FEW_ROUNDS;
    }
    if (!worst_round(&part[0], &worst, &slot, &global, error))
        return false;
    if (few && !global) /* several rounds show banks only */
        return true;
    for (int p = 0; p < parts; p++) {
        int round = worst < part[p].first_round  ? part[p].first_round
                    : worst > part[p].last_round ? part[p].last_round
                                                 : worst;
        part[p].first_round = part[p].last_round = round;
        part[p].one_slot = slot >= 0;
        part[p].slot = slot;
    }
    return true;
}
