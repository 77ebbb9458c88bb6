/* host_records.c - what the threads of a block access, in rows keyed by (stage, round, slot); when the block is done, each
 * row becomes one warp access per warp, so the trace comes out as if the warps had run in lockstep.
 */
#include "instrument/host.h"

#include <string.h>

/* Makes room for the element `at` of an array; new elements are zeroed. */
static void grow_to(struct simt *simt, void *array, size_t *room, int at, size_t size,
                    const char *what)
{
    size_t before = *room;
    if (!memory_grow(array, room, (size_t)at + 1, size, what, simt->block->error))
        host_fault(simt, 0, "out of memory");
    memset(*(char **)array + before * size, 0, (*room - before) * size);
}

/* Zeroed memory for as long as the records last. One piece is cut into many: to allocate and free each
 * of them would take as long as to write there. */
static void *record_memory(struct simt *simt, size_t bytes)
{
    enum { FIRST = 16 << 10, LARGEST = 1 << 20 };
    struct host_block *block = simt->block;
    struct host_piece *piece = block->piece;
    bytes = (bytes + 15) / 16 * 16;
    if (!piece || piece->room - piece->used < bytes) {
        size_t room = !piece ? FIRST : piece->room < LARGEST ? 2 * piece->room : LARGEST;
        room = room < bytes ? bytes : room;
        piece = memory_array(sizeof *piece + room, 1, "bytes of records", block->error);
        if (!piece)
            host_fault(simt, 0, "out of memory");
        piece->before = block->piece;
        piece->room = room;
        block->piece = piece;
    }
    piece->used += bytes;
    return piece->memory + piece->used - bytes;
}

/* The row of the thread's stage, round and slot, which it is the first to take. */
__attribute__((noinline)) static struct host_row *new_row(struct simt *simt, int line)
{
    struct host_block *block = simt->block;
    const struct trace_header *header = block->header;
    if (simt->stage < 0 || simt->stage >= header->stages)
        host_fault(simt, line, "stage number %d is not one of the kernel's %d stages", simt->stage,
                   header->stages);
    struct host_stage *stage = &block->stage[simt->stage];
    if (simt->round < 0 || simt->round >= MAX_ROUNDS)
        host_fault(simt, line, "the round must be from 0 to %d", MAX_ROUNDS - 1);
    if (simt->slot < 0 || simt->slot >= MAX_SLOTS)
        host_fault(simt, line, "more than %d accesses in one round; number the rounds with ROUND",
                   MAX_SLOTS);
    if ((size_t)simt->round >= stage->rounds)
        grow_to(simt, &stage->round, &stage->rounds, simt->round, sizeof *stage->round, "rounds");
    struct host_round *round = &stage->round[simt->round];
    if (!round->slot && simt->slot == 0) { /* most rounds have one */
        round->slot = record_memory(simt, sizeof *round->slot);
        round->slots = 1;
    }
    if ((size_t)simt->slot >= round->slots) {
        size_t slots = 2 * (size_t)simt->slot + 2;
        struct host_row *more = record_memory(simt, slots * sizeof *more);
        if (round->slots)
            memcpy(more, round->slot, round->slots * sizeof *more);
        round->slot = more;
        round->slots = slots;
    }
    struct host_row *row = &round->slot[simt->slot];
    size_t lanes = (size_t)header->threads * sizeof *row->lane;
    size_t bytes = lanes + (size_t)block->warps * sizeof *row->site;
    if (!row->lane) {
        char *memory = record_memory(simt, bytes);
        row->lane = (struct host_lane *)memory;
        row->site = (struct host_site *)(memory + lanes);
    } else if (!row->used) {
        memset(row->lane, 0, bytes);
    }
    row->used = true;
    return row;
}

static struct host_row *row_of(struct simt *simt, int line)
{
    const struct host_block *block = simt->block;
    if (simt->stage >= 0 && simt->stage < block->header->stages) {
        const struct host_stage *stage = &block->stage[simt->stage];
        if ((size_t)simt->round < stage->rounds) {
            const struct host_round *round = &stage->round[simt->round];
            if ((size_t)simt->slot < round->slots && round->slot[simt->slot].used)
                return &round->slot[simt->slot];
        }
    }
    return new_row(simt, line);
}

static int64_t value_of(const void *at, size_t bytes)
{
    union {
        int8_t b1;
        int16_t b2;
        int32_t b4;
        int64_t b8;
    } value = {0};
    if (bytes == sizeof value.b4) { /* most have */
        memcpy(&value.b4, at, sizeof value.b4);
        return value.b4;
    }
    memcpy(&value, at, bytes < 8 ? bytes : 8);
    return bytes == 1 ? value.b1 : bytes == 2 ? value.b2 : bytes == 4 ? value.b4 : value.b8;
}

/* Says why an access cannot be recorded in this row, at this site. */
__attribute__((noreturn, noinline, cold)) static void record_fault(struct simt *simt,
                                                                   const struct host_row *row,
                                                                   const struct host_site *site,
                                                                   struct host_site own, char tag)
{
    if (site->line != own.line || site->op != own.op || site->bytes != own.bytes)
        host_fault(
            simt, own.line,
            "slot %d is taken by another instruction (line %d) of the same warp; give each branch "
            "its own slot with SLOT(k)",
            simt->slot, site->line);
    if (row->lane[simt->thread_idx.x].tag)
        host_fault(simt, own.line,
                   "the thread accesses slot %d twice; number the rounds with ROUND", simt->slot);
    host_fault(simt, own.line, "a tag must be a printable ASCII character, not number %d", tag);
}

void host_record(struct simt *simt, enum op op, const unsigned char *at, size_t bytes, char tag,
                 int line)
{
    struct host_block *block = simt->block;
    struct host_row *row = row_of(simt, line);
    int thread = simt->thread_idx.x;
    struct host_lane *lane = &row->lane[thread];
    struct host_site *site = &row->site[host_warp_of(block, thread)];
    struct host_thread *self = host_thread_of(simt);
    const struct host_site own = {
        .line = line, .bytes = (uint8_t)bytes, .op = (uint8_t)op, .phase = self->phase};
    host_keep_order(simt, site, line);
    if (!site->line)
        *site = own;
    if (site->line != line || site->op != op || site->bytes != bytes || lane->tag || tag < ' ' ||
        tag > '~')
        record_fault(simt, row, site, own, tag);
    site->tagged |= tag != ' ';
    *lane = (struct host_lane){.value = value_of(at, bytes),
                               .addr = (uint32_t)(at - block->shared),
                               .tag = (unsigned char)tag,
                               .run = self->run};
    simt->slot++;
    block->progress++;
}

/* Hands the warp accesses of one row to the sink. */
static bool flush_row(struct host_block *block, int stage, int round, int slot,
                      const struct host_row *row)
{
    const struct trace_header *header = block->header;
    for (int warp = 0; warp < block->warps; warp++) {
        uint8_t lane[MAX_WARP];
        uint32_t addr[MAX_WARP];
        int64_t value[MAX_WARP];
        char tag[MAX_WARP];
        const struct host_site *site = &row->site[warp];
        struct warp_access access = {.stage = stage,
                                     .round = round,
                                     .slot = slot,
                                     .block = block->index,
                                     .warp = warp,
                                     .op = site->op,
                                     .bytes = site->bytes,
                                     .lane = lane,
                                     .addr = addr,
                                     .value = site->bytes <= 8 ? value : NULL,
                                     .tag = site->tagged ? tag : NULL,
                                     .site = -1};
        if (!site->line)
            continue;
        for (int i = 0; i < header->warp && warp * header->warp + i < header->threads; i++) {
            int thread = warp * header->warp + i;
            const struct host_lane *own = &row->lane[thread];
            if (!own->tag)
                continue;
            lane[access.lanes] = (uint8_t)i;
            addr[access.lanes] = own->addr;
            value[access.lanes] = own->value;
            tag[access.lanes++] = (char)own->tag;
        }
        block->warp_accesses++;
        if (block->sink->access &&
            !block->sink->access(block->sink->context, &access, block->error))
            return false;
    }
    return true;
}

bool host_flush_block(struct host_block *block)
{
    for (int s = 0; s < block->header->stages; s++)
        for (int r = 0; r < (int)block->stage[s].rounds; r++)
            for (int k = 0; k < (int)block->stage[s].round[r].slots; k++) {
                struct host_row *row = &block->stage[s].round[r].slot[k];
                if (row->used && !flush_row(block, s, r, k, row))
                    return false;
                row->used = false;
            }
    return true;
}
