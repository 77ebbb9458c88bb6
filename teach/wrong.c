/* wrong.c - where a wrong number came from: the word that a thread read, and who had written it.
 *
 * An exercise's check says only which thread got which number, and perhaps in which round: "stage read,
 * round 3, block 0, thread 5: got 17, not 23", or "thread 5 of block 0 got 17, not 23". The accesses of
 * the run say the rest.
 */
#include "teach/teach.h"

#include <inttypes.h>
#include <string.h>

/* The access of a thread, by its number in the block. Returns its index in lane and addr, or -1. */
static int lane_of(const struct trace_header *header, const struct warp_access *access, int thread)
{
    for (int i = 0; access->warp == thread / header->warp && i < access->lanes; i++)
        if (access->lane[i] == thread % header->warp)
            return i;
    return -1;
}

/* What the check said of it. */
struct told {
    int stage, round; /* -1: it did not say */
    int block, thread, got;
};

static bool read_why(const struct trace_header *header, const char *why, struct told *told)
{
    char stage[64];
    const char *at = strstr(why, "stage "), *thread = strstr(why, "thread ");
    const char *got = strstr(why, "got ");
    *told = (struct told){.stage = -1, .round = -1};
    if (!got || (sscanf(got, "got %d", &told->got) != 1 && /* or "got key 3" */
                 sscanf(got, "got %*s %d", &told->got) != 1))
        return false;
    if (at && sscanf(at, "stage %63[^,], round %d, block %d, thread %d", stage, &told->round,
                     &told->block, &told->thread) == 4)
        told->stage = header_stage(header, stage);
    else if (!thread || sscanf(thread, "thread %d of block %d", &told->thread, &told->block) != 2)
        return false;
    return told->thread >= 0;
}

/* The load by which the thread got the number: in that round, or else its last one; one of the number
 * itself, if there is. Returns how many accesses come before it, or trace->count. */
static size_t find_load(const struct trace *trace, const struct told *told)
{
    size_t found = trace->count;
    bool same = false;
    for (size_t i = 0; i < trace->count; i++) {
        const struct warp_access access = trace_get(trace, i);
        int lane = lane_of(&trace->header, &access, told->thread);
        if (lane < 0 || access.global || access.op != OP_LOAD || access.block != told->block ||
            (told->round >= 0 && (access.stage != told->stage || access.round != told->round)))
            continue;
        bool is_it = access.value && access.value[lane] == told->got;
        if (is_it || !same) {
            found = i;
            same = is_it;
        }
    }
    return found;
}

/* The latest store to a byte before a load of the same block. Sets the thread. */
static bool find_store(const struct trace *trace, size_t before, uint32_t byte,
                       struct warp_access *store, int *thread)
{
    int block = trace_get(trace, before).block;
    for (size_t i = before; i-- > 0;) {
        *store = trace_get(trace, i);
        for (int lane = 0; store->op == OP_STORE && !store->global && store->block == block &&
                           lane < store->lanes;
             lane++)
            if (byte >= store->addr[lane] && byte - store->addr[lane] < (uint32_t)store->bytes) {
                *thread = store->warp * trace->header.warp + store->lane[lane];
                return true;
            }
    }
    return false;
}

/* "stage write, round 3", or a program's "line 33". */
static void say_where(const struct trace_header *header, const struct warp_access *access,
                      char *text, size_t room)
{
    if (access->site >= 0)
        snprintf(text, room, "line %d", header->site[access->site].line);
    else
        snprintf(text, room, "stage %s, round %d", header->stage[access->stage], access->round);
}

bool wrong_number_explain(const struct trace *trace, const char *why, struct exercise_place *place,
                          char *text, size_t room)
{
    const struct trace_header *header = &trace->header;
    struct told told;
    struct warp_access store;
    char where[96];
    int writer;
    if (!trace->count || !read_why(header, why, &told))
        return false;
    size_t found = find_load(trace, &told);
    if (found == trace->count)
        return false;
    const struct warp_access load = trace_get(trace, found);
    uint32_t byte = load.addr[lane_of(header, &load, told.thread)];
    uint32_t word = byte / (uint32_t)header->bank_bytes;
    place->stage = load.stage;
    place->round = load.round;
    place->slot = load.slot;
    place->block = load.block;
    place->warp = load.warp;
    snprintf(text, room, "lane %d of warp %d read word %" PRIu32 " in bank %" PRIu32,
             told.thread % header->warp, load.warp, word, word % (uint32_t)header->banks);
    if (!find_store(trace, found, byte, &store, &writer))
        return true;
    say_where(header, &store, where, sizeof where);
    text_add(text, room, ", which thread %d wrote in %s", writer, where);
    return true;
}
