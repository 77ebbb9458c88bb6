/* cuda_rows.cu - hands out what a kernel recorded on a GPU, as the host backend does. The rows of the device buffer
 * come back piece by piece, two pieces in turn, so that copying one overlaps with handing out the other.
 */
#include "instrument/device_run.h"

#include <algorithm>
#include <chrono>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 64 << 20 }; /* bytes of records that travel at a time */

static int64_t value_of(uint64_t record, uint32_t high, int bytes)
{
    uint32_t low = (uint32_t)(record >> 32);
    return bytes == 1   ? (int8_t)low
           : bytes == 2 ? (int16_t)low
           : bytes == 4 ? (int32_t)low
                        : (int64_t)((uint64_t)high << 32 | low);
}

/* Sets one line about a thread's access. Returns false. */
static bool refuse_access(const struct device_run *run, const struct warp_access *access,
                          int thread, const char *what)
{
    return error_set(run->error, "kernel %s, stage %s, round %d, block %d, thread %d, slot %d: %s",
                     run->header->kernel, run->header->stage[access->stage], access->round,
                     access->block, thread, access->slot, what);
}

static const char not_counted[] =
    "an access that was not there when records were counted: the kernel is not deterministic; "
    "--backend host says more";
static const char used_twice[] = "the thread accesses the slot twice; number the rounds with ROUND";

/* Hands the warp accesses of one slot to the sink; record and high hold those of its threads. */
static bool hand_out_slot(struct device_run *run, const struct trace_sink *sink,
                          struct warp_access access, const uint64_t *record, const uint32_t *high)
{
    const struct trace_header *header = run->header;
    const uint32_t kind = UINT32_C(15) << SIMT_BYTES_SHIFT; /* bytes and op */
    for (int first = 0; first < header->threads; first += header->warp, access.warp++) {
        uint8_t lane[MAX_WARP];
        uint32_t addr[MAX_WARP], what = 0;
        int64_t value[MAX_WARP];
        char tag[MAX_WARP];
        bool tagged = false;
        int last = std::min(first + header->warp, header->threads);
        access.lanes = 0;
        for (int t = first; t < last; t++) {
            uint32_t bits = (uint32_t)record[t];
            if (!(bits & SIMT_USED))
                continue;
            if (access.lanes && (bits ^ what) & kind)
                return refuse_access(
                    run, &access, t,
                    "another instruction than its warp's; give each branch its own slot "
                    "with SLOT(k)");
            what = bits;
            access.bytes = 1 << (bits >> SIMT_BYTES_SHIFT & 7);
            lane[access.lanes] = (uint8_t)(t - first);
            addr[access.lanes] = bits & ((UINT32_C(1) << SIMT_ADDR_BITS) - 1);
            if (addr[access.lanes] + (uint32_t)access.bytes > (uint32_t)header->shared_bytes)
                return refuse_access(run, &access, t, not_counted);
            value[access.lanes] = value_of(record[t], high ? high[t] : 0, access.bytes);
            tag[access.lanes] = (char)(bits >> SIMT_TAG_SHIFT & 127);
            tagged |= tag[access.lanes++] != ' ';
        }
        if (!access.lanes)
            continue;
        access.op = what >> SIMT_STORE_SHIFT & 1 ? OP_STORE : OP_LOAD;
        access.lane = lane;
        access.addr = addr;
        access.value = access.bytes <= HIGHEST_VALUE_BYTES ? value : NULL;
        access.tag = tagged ? tag : NULL;
        run->warp_accesses++;
        if (sink->access && !sink->access(sink->context, &access, run->error))
            return false;
    }
    return true;
}

/* The place of a row; advances in the order of the trace. */
struct row_place {
    int block, stage, round, row;
};

static void skip_empty_stages(const struct device_run *run, struct row_place *at)
{
    while (at->stage < run->header->stages && !run->rows[at->stage].rounds)
        at->stage++;
}

static void next_row(const struct device_run *run, struct row_place *at)
{
    if (++at->row < run->rows[at->stage].height)
        return;
    at->row = 0;
    if (++at->round < run->rows[at->stage].rounds)
        return;
    at->round = 0;
    at->stage++;
    skip_empty_stages(run, at);
    if (at->stage == run->header->stages) {
        at->stage = 0;
        at->block++;
        skip_empty_stages(run, at);
    }
}

/* Stores a row of a packed round with the round's other rows; access.slot is ignored. */
static bool spread_row(struct device_run *run, struct warp_access access, const uint64_t *record,
                       const uint32_t *high)
{
    size_t threads = (size_t)run->header->threads;
    for (size_t t = 0; t < threads; t++) {
        if (!((uint32_t)record[t] & SIMT_USED))
            continue;
        access.slot = (uint32_t)record[t] >> SIMT_SLOT_SHIFT & (SIMT_PACKED_SLOTS - 1);
        size_t place = (size_t)access.slot * threads + t;
        if (access.slot >= run->rows[access.stage].slots)
            return refuse_access(run, &access, (int)t, not_counted);
        if ((uint32_t)run->slot[place] & SIMT_USED)
            return refuse_access(run, &access, (int)t, used_twice);
        run->slot[place] = record[t];
        if (high)
            run->high_slot[place] = high[t];
    }
    return true;
}

/* Hands out a row. The last row of a packed round hands out the whole round. If the buffer ends
 * before that row (last), the round's other rows are dropped, because their warp accesses are
 * incomplete. */
static bool hand_out_row(struct device_run *run, const struct trace_sink *sink,
                         const struct row_place *at, bool last, const uint64_t *record,
                         const uint32_t *high)
{
    const struct simt_rows *rows = &run->rows[at->stage];
    size_t threads = (size_t)run->header->threads, places = (size_t)rows->slots * threads;
    struct warp_access access = {};
    access.block = at->block;
    access.stage = at->stage;
    access.round = at->round;
    access.slot = at->row;
    if (!rows->packed)
        return hand_out_slot(run, sink, access, record, high);
    if (!spread_row(run, access, record, high))
        return false;
    if (at->row + 1 < rows->height) {
        for (size_t i = 0; last && i < places; i++)
            run->totals.dropped += ((uint32_t)run->slot[i] & SIMT_USED) != 0;
        return true;
    }
    for (access.slot = 0; access.slot < rows->slots; access.slot++)
        if (!hand_out_slot(run, sink, access, run->slot + (size_t)access.slot * threads,
                           high ? run->high_slot + (size_t)access.slot * threads : NULL))
            return false;
    memset(run->slot, 0, places * sizeof *run->slot);
    return true;
}

/* Asks for rows first .. first + count - 1 of the buffer to be copied into a piece. */
static bool fetch_piece(struct device_run *run, int which, uint64_t first, uint64_t count)
{
    uint64_t threads = (uint64_t)run->header->threads;
    TRY(run, "copying records",
        cudaMemcpyAsync(run->piece[which], run->buffer.record + first * threads,
                        count * threads * sizeof *run->buffer.record, cudaMemcpyDeviceToHost,
                        run->copier));
    if (run->buffer.high)
        TRY(run, "copying records",
            cudaMemcpyAsync(run->high_piece[which], run->buffer.high + first * threads,
                            count * threads * sizeof *run->buffer.high, cudaMemcpyDeviceToHost,
                            run->copier));
    TRY(run, "copying records", cudaEventRecord(run->copied[which], run->copier));
    return true;
}

/* Seconds since some fixed time. */
static double now(void)
{
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

bool device_hand_out(struct device_run *run, const struct trace_sink *sink,
                     struct run_result *result)
{
    uint64_t threads = (uint64_t)run->header->threads;
    uint64_t rows = run->buffer.room / threads;
    uint64_t piece = std::max((uint64_t)1, PIECE / (threads * sizeof *run->buffer.record));
    struct row_place at = {0, 0, 0, 0};

    piece = std::min(piece, std::max(rows, (uint64_t)1));
    run->slot = (uint64_t *)calloc(SIMT_PACKED_SLOTS * threads, sizeof *run->slot);
    run->high_slot = (uint32_t *)calloc(SIMT_PACKED_SLOTS * threads, sizeof *run->high_slot);
    if (!run->slot || !run->high_slot)
        return error_set(run->error, "out of memory for a round of %d threads",
                         run->header->threads);
    TRY(run, "setting up copies", cudaStreamCreate(&run->copier));
    for (int i = 0; i < 2; i++) {
        TRY(run, "setting up copies", cudaEventCreate(&run->copied[i]));
        TRY(run, "setting up copies", cudaMallocHost(&run->piece[i], piece * threads * 8));
        if (run->buffer.high)
            TRY(run, "setting up copies", cudaMallocHost(&run->high_piece[i], piece * threads * 4));
    }
    double start = now();
    skip_empty_stages(run, &at);
    if (rows && !fetch_piece(run, 0, 0, piece))
        return false;
    int which = 0;
    for (uint64_t first = 0; first < rows; first += piece, which ^= 1) {
        uint64_t count = std::min(piece, rows - first), next = first + count;
        if (next < rows && !fetch_piece(run, which ^ 1, next, std::min(piece, rows - next)))
            return false;
        TRY(run, "copying records", cudaEventSynchronize(run->copied[which]));
        for (uint64_t r = 0; sink && r < count; r++, next_row(run, &at))
            if (!hand_out_row(run, sink, &at, first + r + 1 == rows,
                              run->piece[which] + r * threads,
                              run->buffer.high ? run->high_piece[which] + r * threads : NULL))
                return false;
    }
    result->dump_seconds = now() - start;
    return true;
}
