/* stage_map.c - one stage of one block, by word. */
#include "viewer/scene/scene.h"

#include <stdlib.h>
#include <string.h>

/* One lane on one word. */
struct stage_use {
    uint32_t step;
    uint32_t access; /* from map->first_access */
    uint8_t i;       /* of the access's arrays */
};

uint32_t access_words(const struct warp_access *access, int i, int bank_bytes, uint32_t *first)
{
    *first = 0;
    if (access->global)
        return 0;
    uint32_t last = (access->addr[i] + (uint32_t)access->bytes - 1) / (uint32_t)bank_bytes;
    *first = access->addr[i] / (uint32_t)bank_bytes;
    return last - *first + 1;
}

/* Files every use under its word, by counting: word_use[k + 1] first counts word k's uses, then is
 * where the next of them goes, and ends as the end of them. */
static bool map_words(struct stage_map *map)
{
    const struct trace *trace = map->index->trace;
    int bank_bytes = trace->header.bank_bytes;
    uint32_t low = UINT32_MAX, high = 0;
    size_t uses = 0;
    map->lists = 0;
    map->warps = 0;
    for (size_t a = map->first_access; a < map->end_access; a++) {
        struct warp_access access = trace_get(trace, a);
        map->warps = access.warp >= map->warps ? access.warp + 1 : map->warps;
        for (int i = 0; i < access.lanes && !access.global; i++) {
            char tag = access.tag ? access.tag[i] : ' ';
            map->lists |= tag >= 'A' && tag <= 'Z' ? 1u << (tag - 'A') : 1u << 26;
            uint32_t first, count = access_words(&access, i, bank_bytes, &first);
            low = first < low ? first : low;
            high = first + count > high ? first + count : high;
            uses += count;
        }
    }
    map->first_word = uses ? low : 0;
    map->words = uses ? high - low : 0;
    free(map->word_use);
    free(map->use);
    map->word_use = calloc((size_t)map->words + 2, sizeof *map->word_use);
    map->use = malloc((uses + 1) * sizeof *map->use);
    if (!map->word_use || !map->use || uses > UINT32_MAX)
        return false;

    uint32_t *next = map->word_use + 1;
    for (int fill = 0; fill < 2; fill++) {
        uint32_t step = 0;
        for (size_t a = map->first_access; a < map->end_access; a++) {
            struct warp_access access = trace_get(trace, a);
            const struct trace_step *at = trace_index_step(map->index, map->stage, (int)step);
            while (at->round != access.round || at->slot != access.slot)
                at++, step++;
            for (int i = 0; i < access.lanes; i++) {
                uint32_t first, count = access_words(&access, i, bank_bytes, &first);
                for (uint32_t k = first - map->first_word; count > 0; count--, k++) {
                    if (fill)
                        map->use[next[k]++] =
                            (struct stage_use){step, (uint32_t)(a - map->first_access), (uint8_t)i};
                    else
                        next[k + 1]++;
                }
            }
        }
        if (!fill)
            for (uint32_t k = 0; k < map->words; k++)
                next[k + 1] += next[k];
    }
    return true;
}

/* What each step costs the map's warp. */
static bool map_costs(struct stage_map *map)
{
    const struct trace_index *index = map->index;
    size_t size = (size_t)map->steps + 1;
    free(map->passes_before);
    free(map->conflicts_before);
    map->passes_before = calloc(size, sizeof *map->passes_before);
    map->conflicts_before = calloc(size, sizeof *map->conflicts_before);
    free(map->sectors_before);
    free(map->least_before);
    map->sectors_before = index->sectors ? calloc(size, sizeof *map->sectors_before) : NULL;
    map->least_before = index->sectors ? calloc(size, sizeof *map->least_before) : NULL;
    if (!map->passes_before || !map->conflicts_before ||
        (index->sectors && (!map->sectors_before || !map->least_before)))
        return false;
    int step = 0;
    for (size_t a = map->first_access; a < map->end_access; a++) {
        struct warp_access access = trace_get(index->trace, a);
        const struct trace_step *at = trace_index_step(index, map->stage, step);
        while (at->round != access.round || at->slot != access.slot)
            at++, step++;
        if (map->warp >= 0 && access.warp != map->warp)
            continue;
        map->passes_before[step + 1] += index->passes[a];
        map->conflicts_before[step + 1] += index->conflicts[a];
        if (index->sectors) {
            map->sectors_before[step + 1] += index->sectors[a];
            map->least_before[step + 1] += index->least[a];
        }
    }
    map->most_passes = map->most_sectors = 0;
    for (int s = 0; s < map->steps && index->sectors; s++) {
        if (map->sectors_before[s + 1] > map->most_sectors)
            map->most_sectors = map->sectors_before[s + 1];
        map->sectors_before[s + 1] += map->sectors_before[s];
        map->least_before[s + 1] += map->least_before[s];
    }
    for (int s = 0; s < map->steps; s++) {
        if (map->passes_before[s + 1] > map->most_passes)
            map->most_passes = map->passes_before[s + 1];
        map->passes_before[s + 1] += map->passes_before[s];
        map->conflicts_before[s + 1] += map->conflicts_before[s];
    }
    return true;
}

bool stage_map_set(struct stage_map *map, const struct trace_index *index, int stage, int block,
                   int warp, struct error *error)
{
    bool same_words = map->set && map->index == index && map->stage == stage && map->block == block;
    if (same_words && map->warp == warp)
        return true;
    map->index = index;
    map->stage = stage;
    map->block = block;
    map->warp = warp;
    map->steps = trace_index_steps(index, stage);
    map->first_access = trace_index_from(index, block, stage, 0, 0, 0);
    map->end_access = trace_index_from(index, block, stage + 1, 0, 0, 0);
    map->set = (same_words || map_words(map)) && map_costs(map);
    if (!map->set) {
        stage_map_free(map);
        return error_set(error,
                         "viewer: out of memory for stage %d of block %d; show a smaller "
                         "trace",
                         stage, block);
    }
    return true;
}

void stage_map_free(struct stage_map *map)
{
    free(map->passes_before);
    free(map->conflicts_before);
    free(map->sectors_before);
    free(map->least_before);
    free(map->word_use);
    free(map->use);
    *map = (struct stage_map){0};
}

bool stage_map_use(const struct stage_map *map, uint32_t word, int step, struct word_use *use)
{
    if (word < map->first_word || word - map->first_word >= map->words)
        return false;
    uint32_t begin = map->word_use[word - map->first_word];
    uint32_t end = map->word_use[word - map->first_word + 1];
    if (begin == end)
        return false;
    uint32_t low = begin, high = end; /* the first use after `step` */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((int)map->use[middle].step <= step)
            low = middle + 1;
        else
            high = middle;
    }
    /* The access that speaks for the word: the last one of that step, or the warp's own. */
    const struct trace *trace = map->index->trace;
    uint32_t found = low > begin ? low - 1 : begin;
    struct warp_access access = trace_get(trace, map->first_access + map->use[found].access);
    if (map->warp >= 0 && access.warp != map->warp) {
        for (uint32_t i = begin + (found - begin); i > begin;) {
            i--;
            if (map->use[i].step != map->use[found].step)
                break;
            struct warp_access other = trace_get(trace, map->first_access + map->use[i].access);
            if (other.warp == map->warp) {
                found = i;
                access = other;
                break;
            }
        }
    }
    uint32_t first = found, after = found + 1;
    while (first > begin && map->use[first - 1].access == map->use[found].access)
        first--;
    while (after < end && map->use[after].access == map->use[found].access)
        after++;

    int i = map->use[first].i;
    *use = (struct word_use){
        .step = (int)map->use[first].step,
        .warp = access.warp,
        .lane = access.lane[i],
        .thread = access.warp * trace->header.warp + access.lane[i],
        .sharers = (int)(after - first),
        .op = access.op,
        .tag = access.tag ? access.tag[i] : ' ',
        .has_value = access.value != NULL,
        .value = access.value ? access.value[i] : 0,
        .addr = access.addr[i],
        .bytes = access.bytes,
    };
    return true;
}

int stage_map_step_of_pass(const struct stage_map *map, uint64_t pass)
{
    int low = 0, high = map->steps; /* the first step that ends after the pass */
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (map->passes_before[middle + 1] <= pass)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void stage_map_thread(const struct stage_map *map, int thread,
                      void (*found)(void *context, uint32_t word, int step), void *context)
{
    const struct trace *trace = map->index->trace;
    int warp = thread / trace->header.warp, lane = thread % trace->header.warp, step = 0;
    for (size_t a = map->first_access; a < map->end_access; a++) {
        struct warp_access access = trace_get(trace, a);
        const struct trace_step *at = trace_index_step(map->index, map->stage, step);
        while (at->round != access.round || at->slot != access.slot)
            at++, step++;
        for (int i = 0; access.warp == warp && i < access.lanes && access.lane[i] <= lane; i++) {
            uint32_t first, count = access_words(&access, i, trace->header.bank_bytes, &first);
            for (uint32_t k = 0; access.lane[i] == lane && k < count; k++)
                found(context, first + k, step);
        }
    }
}
