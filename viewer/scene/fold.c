/* fold.c - the columns of a large matrix that are drawn: those in use, where all would be too narrow. */
#include "viewer/scene/scene.h"

#include <stdlib.h>
#include <string.h>

/* What uses a column: bits of fold->use. */
enum { OF_STAGE = 1, OF_WARP = 2, OF_STEP = 4 };

static const struct {
    uint8_t bit;
    const char *words;
} levels[] = {
    [FOLD_NONE] = {0, "all"},
    [FOLD_STAGE] = {OF_STAGE, "those that the stage uses"},
    [FOLD_WARP] = {OF_WARP, "those that the warp uses"},
    [FOLD_STEP] = {OF_STEP, "those of this step and about them"},
};

static void mark_columns(const struct stage_map *map, size_t number, uint8_t *use, uint8_t bits)
{
    const struct trace_header *header = &map->index->trace->header;
    struct warp_access access = trace_get(map->index->trace, number);
    for (int i = 0; i < access.lanes; i++) {
        uint32_t first, count = access_words(&access, i, header->bank_bytes, &first);
        for (uint32_t k = 0; k < count; k++)
            use[(first + k) / (uint32_t)header->banks] |= bits;
    }
}

/* Marks the columns that the stage and the warp use. */
static bool mark_stage(struct fold *fold, const struct stage_map *map)
{
    const struct trace_index *index = map->index;
    if (fold->index == index && fold->stage == map->stage && fold->block == map->block &&
        fold->warp == map->warp)
        return true;
    fold_free(fold);
    fold->use = calloc((size_t)index->columns + 1, sizeof *fold->use);
    fold->column = calloc((size_t)index->columns + 1, sizeof *fold->column);
    if (!fold->use || !fold->column) {
        fold_free(fold);
        return false;
    }
    fold->index = index;
    fold->stage = map->stage;
    fold->block = map->block;
    fold->warp = map->warp;
    for (size_t a = map->first_access; a < map->end_access; a++) {
        bool own = map->warp < 0 || trace_get(index->trace, a).warp == map->warp;
        mark_columns(map, a, fold->use, own ? OF_STAGE | OF_WARP : OF_STAGE);
    }
    return true;
}

/* The columns of a step, or of the next one about it in which the warp uses any. */
static void mark_step(struct fold *fold, const struct stage_map *map, int step)
{
    for (int c = 0; c < map->index->columns; c++)
        fold->use[c] &= (uint8_t)~OF_STEP;
    step = step < 0 ? 0 : step >= map->steps ? map->steps - 1 : step;
    for (int away = 0; away < map->steps; away++)
        for (int at = step - away; at <= step + away; at += away ? 2 * away : 1) {
            const size_t a = trace_index_access(map->index, map->block, map->stage, at, map->warp);
            if (a == NO_ACCESS || trace_get(map->index->trace, a).global)
                continue;
            mark_columns(map, a, fold->use, OF_STEP);
            return;
        }
}

static int count(const struct fold *fold, int columns, uint8_t bit)
{
    int used = 0;
    for (int c = 0; c < columns; c++)
        used += (fold->use[c] & bit) != 0;
    return used;
}

/* How many columns lie in windows of so many that the step uses; marks them, if asked to. */
static int widen_by(const struct fold *fold, int columns, int window, bool mark)
{
    int all = 0;
    for (int c = 0, next; c < columns; c = next) {
        bool in_use = false;
        next = c + window < columns ? c + window : columns;
        for (int i = c; i < next; i++)
            in_use |= (fold->use[i] & OF_STEP) != 0;
        all += in_use ? next - c : 0;
        for (int i = c; mark && in_use && i < next; i++)
            fold->use[i] |= OF_STEP;
    }
    return all;
}

/* With each column of the step those of its window, as far as there is room: windows stand still while steps walk
 * through them. */
static int widen(struct fold *fold, int columns, int good)
{
    int window = 1;
    while (window < columns && widen_by(fold, columns, 2 * window, false) <= good)
        window *= 2;
    return widen_by(fold, columns, window, true);
}

void fold_set(struct fold *fold, const struct stage_map *map, int step, int most, int good,
              enum fold_level least, bool all)
{
    const int columns = map->set ? map->index->columns : 0;
    fold->level = FOLD_NONE;
    bool marked = columns > 0 && mark_stage(fold, map);
    fold->large = columns > most;
    if (!marked || !fold->large || all)
        return;
    int used = 0;
    enum fold_level level = FOLD_NONE;
    while (level < FOLD_STEP && (level == FOLD_NONE || level < least || used > good)) {
        level++;
        if (level == FOLD_STEP)
            mark_step(fold, map, step);
        used = count(fold, columns, levels[level].bit);
        if (level == FOLD_STEP)
            used = widen(fold, columns, good);
    }
    if (used == 0 || used == columns)
        return;
    fold->level = level;
    fold->columns = 0;
    for (int c = 0; c < columns; c++)
        if (fold->use[c] & levels[level].bit)
            fold->column[fold->columns++] = c;
}

void fold_free(struct fold *fold)
{
    free(fold->use);
    free(fold->column);
    *fold = (struct fold){.level = FOLD_NONE};
}

const char *fold_words(const struct fold *fold)
{
    return levels[fold->level].words;
}

int fold_columns(const struct fold *fold, const struct trace_index *index)
{
    return fold->level ? fold->columns : index->columns;
}

int fold_column(const struct fold *fold, int place)
{
    return fold->level ? fold->column[place] : place;
}

int fold_near(const struct fold *fold, int column)
{
    if (!fold->level)
        return column;
    int low = 0, high = fold->columns;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (fold->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int fold_place(const struct fold *fold, int column)
{
    int place = fold_near(fold, column);
    return !fold->level || (place < fold->columns && fold->column[place] == column) ? place : -1;
}

bool fold_uses(const struct fold *fold, int column)
{
    return fold->use && fold->use[column] & OF_STAGE;
}
