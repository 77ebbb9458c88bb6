/* trace_memory.c - a trace in memory. */
#include "instrument/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NO_SITE = MAX_SITES };

struct trace_entry {
    uint64_t first; /* place of its lanes in the lane arrays */
    int32_t round, block;
    uint16_t stage, warp, slot : 12, has_value : 1, has_tag : 1,
        global : 1; /* slots: to MAX_SLOTS - 1 */
    uint8_t lanes, bytes_log2 : 4, op : 4;
};

static bool memory_header(void *context, const struct trace_header *header, struct error *error)
{
    (void)error;
    struct trace *trace = context;
    header_copy(&trace->header, header);
    return true;
}

/* Makes each lane array as large as the largest of them must be. */
static bool grow_lanes(struct trace *trace, size_t count, struct error *error)
{
    const struct {
        void *array;
        size_t size;
    } arrays[] = {{&trace->lane, sizeof *trace->lane},
                  {&trace->addr, sizeof *trace->addr},
                  {&trace->value, sizeof *trace->value},
                  {&trace->tag, sizeof *trace->tag},
                  {&trace->global, sizeof *trace->global}};
    const size_t wanted = sizeof arrays / sizeof arrays[0] - !trace->header.global;
    size_t room = trace->lane_room;
    for (size_t i = 0; i < wanted; i++) {
        room = trace->lane_room;
        if (!memory_grow(arrays[i].array, &room, count, arrays[i].size, "lane accesses", error))
            return false;
    }
    trace->lane_room = room;
    return true;
}

/* Returns the memory that growing reserved in advance; if that fails, the array stays as it is. */
static void shrink(void *array, size_t count, size_t size)
{
    void *given;
    memcpy(&given, array, sizeof given);
    void *kept = realloc(given, count * size);
    if (kept)
        memcpy(array, &kept, sizeof kept);
}

static bool memory_access(void *context, const struct warp_access *access, struct error *error)
{
    struct trace *trace = context;
    size_t lanes = (size_t)access->lanes;
    if (!memory_grow(&trace->entry, &trace->entry_room, trace->count + 1, sizeof *trace->entry,
                     "warp accesses", error) ||
        !grow_lanes(trace, trace->lane_count + lanes, error) ||
        (trace->header.sites && !memory_grow(&trace->site, &trace->site_room, trace->count + 1,
                                             sizeof *trace->site, "warp accesses", error)))
        return false;
    if (trace->header.sites)
        trace->site[trace->count] = (uint16_t)(access->site < 0 ? NO_SITE : access->site);
    size_t first = trace->lane_count;
    trace->entry[trace->count++] =
        (struct trace_entry){.first = first,
                             .round = access->round,
                             .block = access->block,
                             .stage = (uint16_t)access->stage,
                             .slot = (uint16_t)(access->slot & (MAX_SLOTS - 1)),
                             .warp = (uint16_t)access->warp,
                             .lanes = (uint8_t)access->lanes,
                             .bytes_log2 = (uint8_t)(__builtin_ctz((unsigned)access->bytes) & 7),
                             .op = (uint8_t)access->op & 15,
                             .has_value = access->value != NULL,
                             .has_tag = access->tag != NULL,
                             .global = access->global != NULL};
    memcpy(trace->lane + first, access->lane, lanes);
    if (access->global)
        memcpy(trace->global + first, access->global, lanes * sizeof *access->global);
    else
        memcpy(trace->addr + first, access->addr, lanes * sizeof *access->addr);
    if (access->value)
        memcpy(trace->value + first, access->value, lanes * sizeof *access->value);
    if (access->tag)
        memcpy(trace->tag + first, access->tag, lanes);
    trace->lane_count += lanes;
    return true;
}

static bool memory_end(void *context, const struct trace_end *end, struct error *error)
{
    (void)error;
    struct trace *trace = context;
    trace->end = *end;
    if (trace->count) {
        trace->entry_room = trace->count;
        trace->lane_room = trace->lane_count;
        shrink(&trace->entry, trace->count, sizeof *trace->entry);
        if (trace->site)
            shrink(&trace->site, trace->site_room = trace->count, sizeof *trace->site);
        shrink(&trace->lane, trace->lane_count, sizeof *trace->lane);
        shrink(&trace->addr, trace->lane_count, sizeof *trace->addr);
        shrink(&trace->value, trace->lane_count, sizeof *trace->value);
        shrink(&trace->tag, trace->lane_count, sizeof *trace->tag);
        if (trace->global)
            shrink(&trace->global, trace->lane_count, sizeof *trace->global);
    }
    return true;
}

struct trace_sink trace_memory_sink(struct trace *trace)
{
    return (struct trace_sink){memory_header, memory_access, memory_end, trace};
}

void trace_free(struct trace *trace)
{
    header_free(&trace->header);
    free(trace->entry);
    free(trace->site);
    free(trace->lane);
    free(trace->addr);
    free(trace->global);
    free(trace->value);
    free(trace->tag);
    memset(trace, 0, sizeof *trace);
}

struct warp_access trace_get(const struct trace *trace, size_t i)
{
    const struct trace_entry *entry = &trace->entry[i];
    return (struct warp_access){.stage = entry->stage,
                                .round = entry->round,
                                .slot = entry->slot,
                                .block = entry->block,
                                .warp = entry->warp,
                                .op = (enum op)entry->op,
                                .bytes = 1 << entry->bytes_log2,
                                .lanes = entry->lanes,
                                .lane = trace->lane + entry->first,
                                .addr = entry->global ? NULL : trace->addr + entry->first,
                                .global = entry->global ? trace->global + entry->first : NULL,
                                .value = entry->has_value ? trace->value + entry->first : NULL,
                                .tag = entry->has_tag ? trace->tag + entry->first : NULL,
                                .site = !trace->site || trace->site[i] == NO_SITE ? -1
                                                                                  : trace->site[i]};
}

bool trace_load_part(const char *path, const struct trace_part *part, struct trace *trace,
                     struct error *error)
{
    memset(trace, 0, sizeof *trace);
    struct trace_sink sink = trace_memory_sink(trace);
    bool good = trace_read_path(path, part, &sink, error);
    if (!good)
        trace_free(trace);
    else if (part && part->first_block == part->last_block)
        trace->only_block = part->first_block + 1;
    return good;
}
