/* cuda.cu - the CUDA backend: runs a kernel's traced build on the first GPU and hands out the same
 * trace as the host backend, or runs its bare build and times it.
 *
 * What a traced run does: one launch counts the rounds and slots of every stage; the device buffer
 * is laid out from them, (block, row, thread) with some rows for each (stage, round); a second
 * launch fills it; then the rows come back piece by piece, two pieces in turn, so that copying one
 * overlaps with handing out the other.
 */
#include "instrument/cuda.h"
#include "instrument/device_buffer.h"
#include "instrument/instrument.h"

#include <algorithm>
#include <chrono>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

enum {
    PIECE = 64 << 20,             /* bytes of records that travel at a time */
    STANDARD_RECORDS = 256 << 20, /* records that fit unless launch->records says otherwise */
    HIGHEST_VALUE_BYTES = 8,
};

/* Everything that a run holds on the device, and the pinned memory that pieces go through. */
struct device_run {
    const struct launch *launch;
    const struct trace_header *header;
    struct error *error;
    const struct simt_build *build;
    const void *run; /* the kernel of the build that suits the parameters */
    bool constants;  /* it is compiled for them */
    int *in, *out, *spare;
    struct simt_buffer buffer; /* traced */
    struct simt_rows *rows;    /* host copy */
    struct simt_totals totals; /* host copy */
    uint64_t *piece[2];
    uint32_t *high_piece[2];
    cudaEvent_t start, stop, before_last, copied[2];
    cudaStream_t copier;
    uint64_t *slot; /* of a packed stage: the round being handed out, [slot][thread] */
    uint32_t *high_slot;
    uint64_t warp_accesses;
};

/* Sets one line: what CUDA says, where, and what to do. Returns false. */
static bool failed(const struct device_run *run, cudaError_t error, const char *doing)
{
    const char *kernel = run->header->kernel;
    int device = 0, major = 0, minor = 0;
    switch (error) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorStubLibrary:
    case cudaErrorInitializationError:
        return error_set(run->error,
                         "no CUDA device can be used (%s): use --backend host, or run where "
                         "nvidia-smi shows a GPU",
                         cudaGetErrorString(error));
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorInvalidKernelImage:
        cudaGetDevice(&device);
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
        return error_set(run->error,
                         "kernel %s: this program holds no code for the GPU's compute capability "
                         "%d.%d: build it with make CUDA_ARCH=%d%d",
                         kernel, major, minor, major, minor);
    case cudaErrorMemoryAllocation:
        return error_set(run->error,
                         "kernel %s, %s: the GPU is out of memory; use fewer blocks, or a smaller "
                         "--records",
                         kernel, doing);
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidPc:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorLaunchFailure:
        return error_set(run->error,
                         "kernel %s faulted on the GPU (%s): --backend host checks shared memory; "
                         "for the rest, compute-sanitizer says where",
                         kernel, cudaGetErrorString(error));
    default:
        return error_set(run->error, "kernel %s, %s: %s", kernel, doing, cudaGetErrorString(error));
    }
}

/* Runs one CUDA call; a failure becomes the run's error and makes the function return false. */
#define TRY(run, doing, call)                                                                      \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess)                                                                 \
            return failed((run), error_, (doing));                                                 \
    } while (0)

/* ---- set-up ---------------------------------------------------------------------------------- */

/* Picks the kernel that was compiled for these parameters, or the general one. */
static void pick(struct device_run *run)
{
    const struct simt_build *build = run->build;
    const int *params = (const int *)run->launch->params;
    run->run = build->run[0];
    for (int i = 0; i < build->sets && !run->constants; i++) {
        const int *set = build->set + (ptrdiff_t)i * build->ints;
        int k = 0;
        while (k < build->ints && (set[k] == ANY_VALUE || set[k] == params[k]))
            k++;
        if (k == build->ints) {
            run->run = build->run[1 + i];
            run->constants = true;
        }
    }
}

/* Finds the device, checks that the launch suits it, and copies the input there. */
static bool prepare(struct device_run *run, const struct simt_build *build)
{
    const struct trace_header *header = run->header;
    int device = 0, threads = 0, shared = 0;

    if (!build)
        return error_set(run->error, "kernel %s has no CUDA build of this kind", header->kernel);
    TRY(run, "looking for a GPU", cudaGetDevice(&device));
    TRY(run, "looking for a GPU", cudaFree(NULL));
    TRY(run, "asking the GPU",
        cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, device));
    TRY(run, "asking the GPU",
        cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    if (header->threads > threads)
        return error_set(run->error,
                         "kernel %s: a block of %d threads, but the GPU takes at most %d: use a "
                         "smaller u, or --backend host",
                         header->kernel, header->threads, threads);
    shared = std::min(shared, 1 << SIMT_ADDR_BITS);
    if (header->shared_bytes > shared)
        return error_set(run->error,
                         "kernel %s: a block needs %d bytes of shared memory, but the GPU has "
                         "%d: use smaller parameters, or --backend host",
                         header->kernel, header->shared_bytes, shared);
    run->build = build;
    pick(run);
    TRY(run, "setting up", cudaEventCreate(&run->start));
    TRY(run, "setting up", cudaEventCreate(&run->stop));
    TRY(run, "making room for the input", cudaMalloc(&run->in, run->launch->in_bytes + 4));
    TRY(run, "making room for the output", cudaMalloc(&run->out, run->launch->out_bytes + 4));
    TRY(run, "copying the input",
        cudaMemcpy(run->in, run->launch->in, run->launch->in_bytes, cudaMemcpyHostToDevice));
    return true;
}

static void release(struct device_run *run)
{
    for (int i = 0; i < 2; i++) {
        cudaFreeHost(run->piece[i]);
        cudaFreeHost(run->high_piece[i]);
        if (run->copied[i])
            cudaEventDestroy(run->copied[i]);
    }
    if (run->copier)
        cudaStreamDestroy(run->copier);
    if (run->start)
        cudaEventDestroy(run->start);
    if (run->stop)
        cudaEventDestroy(run->stop);
    if (run->before_last)
        cudaEventDestroy(run->before_last);
    cudaFree(run->in);
    cudaFree(run->out);
    cudaFree(run->spare);
    cudaFree(run->buffer.record);
    cudaFree(run->buffer.high);
    cudaFree(run->buffer.rows);
    cudaFree(run->buffer.totals);
    free(run->rows);
    free(run->slot);
    free(run->high_slot);
}

/* Launches once without changing the output first, and waits. *seconds is the time on the
 * device. */
static bool launch_once(struct device_run *run, const void *kernel, const char *doing,
                        double *seconds)
{
    void *arguments[] = {const_cast<void *>(run->launch->params), &run->in, &run->out,
                         &run->buffer};
    float milliseconds = 0;
    TRY(run, doing,
        cudaMemcpy(run->out, run->launch->out, run->launch->out_bytes, cudaMemcpyHostToDevice));
    if (run->buffer.totals)
        TRY(run, doing,
            cudaMemcpy(run->buffer.totals, &run->totals, sizeof run->totals,
                       cudaMemcpyHostToDevice));
    TRY(run, doing, cudaEventRecord(run->start));
    TRY(run, doing,
        (cudaError_t)run->build->launch(kernel, run->header->blocks, run->header->threads,
                                        (size_t)run->header->shared_bytes, arguments));
    TRY(run, doing, cudaEventRecord(run->stop));
    TRY(run, doing, cudaDeviceSynchronize());
    TRY(run, doing, cudaEventElapsedTime(&milliseconds, run->start, run->stop));
    *seconds = milliseconds * 1e-3;
    return true;
}

/* Changes the order of the times. */
static struct run_times summary(std::vector<double> &seconds)
{
    std::sort(seconds.begin(), seconds.end());
    return {seconds.front(), seconds[seconds.size() / 2], seconds.back()};
}

/* Launches as often as requested. */
static bool launch_all(struct device_run *run, const char *doing, struct run_times *times)
{
    std::vector<double> seconds((size_t)std::max(1, run->launch->repeat));
    bool good = seconds.size() == 1 || launch_once(run, run->run, "warming up", &seconds[0]);
    for (size_t i = 0; good && i < seconds.size(); i++)
        good = launch_once(run, run->run, doing, &seconds[i]);
    *times = summary(seconds);
    return good;
}

/* ---- recording ------------------------------------------------------------------------------- */

static bool check_faults(struct device_run *run)
{
    static const char *const what[] = {
        "",
        "the stage number is not one of the kernel's",
        "the round is out of range",
        "too many accesses in one round; number the rounds with ROUND",
        "the access is outside the block's shared memory",
        "REGISTERS asks for more than the CUDA backend's 256 elements",
        "a tag must be a printable ASCII character",
        "FILL stores in the stage setup, which must be the first of STAGES",
        "the address of the access is no multiple of its bytes"};
    const struct simt_totals *totals = &run->totals;
    if (totals->fault == SIMT_FINE)
        return true;
    return error_set(
        run->error,
        "kernel %s, stage %s, round %d, block %d, thread %d: %s; --backend host says more",
        run->header->kernel, header_stage_name(run->header, totals->stage), totals->round,
        totals->block, totals->thread, what[totals->fault]);
}

static bool fetch_totals(struct device_run *run)
{
    TRY(run, "reading the counts",
        cudaMemcpy(&run->totals, run->buffer.totals, sizeof run->totals, cudaMemcpyDeviceToHost));
    return check_faults(run);
}

/* Runs the counting launch and derives the layout from it. */
static bool count_rows(struct device_run *run)
{
    struct simt_buffer *buffer = &run->buffer;
    size_t bytes = (size_t)run->header->stages * sizeof *run->rows;
    uint64_t first = 0;
    double seconds;

    buffer->stages = run->header->stages;
    buffer->warp = run->header->warp;
    buffer->has_setup = run->header->stages && !strcmp(run->header->stage[0], FILL_STAGE);
    buffer->shared_bytes = (unsigned)run->header->shared_bytes;
    buffer->max_rounds = MAX_ROUNDS;
    buffer->max_slots = MAX_SLOTS;
    run->rows = (struct simt_rows *)calloc((size_t)run->header->stages, sizeof *run->rows);
    if (!run->rows)
        return error_set(run->error, "out of memory for %d stages", run->header->stages);
    TRY(run, "making room for counts", cudaMalloc(&buffer->rows, bytes));
    TRY(run, "making room for counts", cudaMalloc(&buffer->totals, sizeof *buffer->totals));
    TRY(run, "making room for counts", cudaMemset(buffer->rows, 0, bytes));
    if (!launch_once(run, run->build->count, "counting records", &seconds) || !fetch_totals(run))
        return false;
    TRY(run, "reading the counts",
        cudaMemcpy(run->rows, buffer->rows, bytes, cudaMemcpyDeviceToHost));
    for (int s = 0; s < run->header->stages; s++) {
        struct simt_rows *rows = &run->rows[s];
        if (rows->accesses > rows->slots)
            return error_set(run->error,
                             "kernel %s, stage %s: a thread makes %d accesses in a round of %d "
                             "slots; number the rounds with ROUND",
                             run->header->kernel, run->header->stage[s], rows->accesses,
                             rows->slots);
        rows->packed = rows->slots > 1 && rows->slots <= SIMT_PACKED_SLOTS && !rows->unordered;
        rows->height = rows->packed ? rows->accesses : rows->slots;
        rows->first = (uint32_t)first;
        first += (uint64_t)rows->rounds * (uint64_t)rows->height;
        if (first > INT32_MAX)
            return error_set(run->error,
                             "kernel %s: over %d rows of records in a block: record fewer",
                             run->header->kernel, INT32_MAX);
    }
    buffer->row_count = (uint32_t)first;
    TRY(run, "laying out records",
        cudaMemcpy(buffer->rows, run->rows, bytes, cudaMemcpyHostToDevice));
    return true;
}

/* The recording launch. */
static bool record(struct device_run *run, struct run_result *result)
{
    struct simt_buffer *buffer = &run->buffer;
    uint64_t threads = (uint64_t)run->header->threads;
    uint64_t wanted = (uint64_t)run->header->blocks * buffer->row_count * threads;
    uint64_t most = run->launch->records ? run->launch->records : STANDARD_RECORDS;

    buffer->room = std::min(wanted, most) / threads * threads; /* whole rows */
    result->records = buffer->room;
    TRY(run, "making room for records", cudaMalloc(&buffer->record, buffer->room * 8 + 8));
    TRY(run, "clearing records", cudaMemset(buffer->record, 0, buffer->room * 8 + 8));
    if (run->totals.widest == HIGHEST_VALUE_BYTES) {
        TRY(run, "making room for records", cudaMalloc(&buffer->high, buffer->room * 4 + 4));
        TRY(run, "clearing records", cudaMemset(buffer->high, 0, buffer->room * 4 + 4));
    }
    return launch_all(run, "recording", &result->kernel) && fetch_totals(run);
}

/* ---- handing out ----------------------------------------------------------------------------- */

static int64_t value_of(uint64_t record, uint32_t high, int bytes)
{
    uint32_t low = (uint32_t)(record >> 32);
    return bytes == 1   ? (int8_t)low
           : bytes == 2 ? (int16_t)low
           : bytes == 4 ? (int32_t)low
                        : (int64_t)((uint64_t)high << 32 | low);
}

/* Sets one line about a thread's access. Returns false. */
static bool refuse(const struct device_run *run, const struct warp_access *access, int thread,
                   const char *what)
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
                return refuse(run, &access, t,
                              "another instruction than its warp's; give each branch its own slot "
                              "with SLOT(k)");
            what = bits;
            access.bytes = 1 << (bits >> SIMT_BYTES_SHIFT & 7);
            lane[access.lanes] = (uint8_t)(t - first);
            addr[access.lanes] = bits & ((UINT32_C(1) << SIMT_ADDR_BITS) - 1);
            if (addr[access.lanes] + (uint32_t)access.bytes > (uint32_t)header->shared_bytes)
                return refuse(run, &access, t, not_counted);
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
            return refuse(run, &access, (int)t, not_counted);
        if ((uint32_t)run->slot[place] & SIMT_USED)
            return refuse(run, &access, (int)t, used_twice);
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

/* Hands all rows that fit into the buffer to the sink, in order. Without a sink they are only
 * copied; `bench` measures how fast. */
static bool hand_out(struct device_run *run, const struct trace_sink *sink,
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

static bool trace_kernel(struct device_run *run, const struct trace_sink *sink,
                         struct run_result *result)
{
    const struct simt_cuda *cuda = (const struct simt_cuda *)run->launch->cuda;
    struct trace_header header = *run->header;
    struct cudaDeviceProp device;

    if (!prepare(run, cuda ? cuda->traced : NULL) || !count_rows(run) || !record(run, result))
        return false;
    TRY(run, "copying the output",
        cudaMemcpy(run->launch->out, run->out, run->launch->out_bytes, cudaMemcpyDeviceToHost));
    TRY(run, "asking the GPU", cudaGetDeviceProperties(&device, 0));
    header.device = device.name;
    result->constants = run->constants;
    if (!sink)
        return hand_out(run, NULL, result);
    bool good = !sink->header || sink->header(sink->context, &header, run->error);
    good = good && hand_out(run, sink, result);
    if (sink->end) {
        struct trace_end end = {run->warp_accesses, run->totals.dropped, good};
        good = sink->end(sink->context, &end, run->error) && good;
    }
    return good;
}

bool cuda_run(const struct launch *launch, const struct trace_sink *sink, struct run_result *result,
              struct error *error)
{
    struct device_run run = {};
    run.launch = launch;
    run.header = launch->header;
    run.error = error;
    memset(result, 0, sizeof *result);
    bool good = trace_kernel(&run, sink, result);
    release(&run);
    return good;
}

/* ---- bare ------------------------------------------------------------------------------------ */

/* Runs all launches, one after the other. They write `out` and `spare` in turn, so that the last
 * one writes `out`. *seconds is the time of all of them on the device, *last that of the last
 * one. */
static bool launch_in_turn(struct device_run *run, const char *doing, double *seconds, double *last)
{
    const int launches = std::max(1, run->launch->launches);
    char *params = (char *)const_cast<void *>(run->launch->params);
    int *from = run->in;
    float all = 0, of_last = 0;
    TRY(run, doing, cudaEventRecord(run->start));
    for (int i = 0; i < launches; i++, params += run->launch->params_bytes) {
        int *to = (launches - i) % 2 ? run->out : run->spare;
        void *arguments[] = {params, &from, &to, &run->buffer};
        if (i + 1 == launches)
            TRY(run, doing, cudaEventRecord(run->before_last));
        TRY(run, doing,
            (cudaError_t)run->build->launch(run->run, run->header->blocks, run->header->threads,
                                            (size_t)run->header->shared_bytes, arguments));
        from = to;
    }
    TRY(run, doing, cudaEventRecord(run->stop));
    TRY(run, doing, cudaDeviceSynchronize());
    TRY(run, doing, cudaEventElapsedTime(&all, run->start, run->stop));
    TRY(run, doing, cudaEventElapsedTime(&of_last, run->before_last, run->stop));
    *seconds = all * 1e-3;
    *last = of_last * 1e-3;
    return true;
}

/* Runs all launches as often as requested, and once before that if it is more than once. */
static bool time_launches(struct device_run *run, struct run_result *result)
{
    const int times = std::max(1, run->launch->repeat), first = times > 1 ? -1 : 0;
    std::vector<double> all((size_t)times), last((size_t)times);
    TRY(run, "setting up", cudaEventCreate(&run->before_last));
    if (run->launch->launches > 1)
        TRY(run, "making room for the output", cudaMalloc(&run->spare, run->launch->out_bytes + 4));
    TRY(run, "running",
        cudaMemcpy(run->out, run->launch->out, run->launch->out_bytes, cudaMemcpyHostToDevice));
    for (int i = first; i < times; i++) {
        size_t at = (size_t)std::max(i, 0);
        if (i > first) /* so that the previous run's output cannot pass for this one's */
            TRY(run, "running", cudaMemset(run->out, POISON_BYTE, run->launch->out_bytes));
        if (!launch_in_turn(run, i < 0 ? "warming up" : "running", &all[at], &last[at]))
            return false;
    }
    result->kernel = summary(all);
    result->last = summary(last);
    return true;
}

static bool time_kernel(struct device_run *run, struct run_result *result)
{
    const struct simt_cuda *cuda = (const struct simt_cuda *)run->launch->cuda;
    if (!prepare(run, cuda ? cuda->bare : NULL) || !time_launches(run, result))
        return false;
    result->constants = run->constants;
    TRY(run, "copying the output",
        cudaMemcpy(run->launch->out, run->out, run->launch->out_bytes, cudaMemcpyDeviceToHost));
    return true;
}

bool cuda_run_bare(const struct launch *launch, struct run_result *result, struct error *error)
{
    struct device_run run = {};
    run.launch = launch;
    run.header = launch->header;
    run.error = error;
    memset(result, 0, sizeof *result);
    bool good = time_kernel(&run, result);
    release(&run);
    return good;
}

bool cuda_time_copy(size_t bytes, int repeat, struct run_times *copied, struct error *error)
{
    struct device_run run = {};
    struct trace_header header = {};
    std::vector<double> times((size_t)std::max(1, repeat));
    float milliseconds = 0;
    header.kernel = const_cast<char *>("copy");
    run.header = &header;
    run.error = error;
    auto copy = [&]() -> bool {
        TRY(&run, "setting up", cudaEventCreate(&run.start));
        TRY(&run, "setting up", cudaEventCreate(&run.stop));
        TRY(&run, "making room", cudaMalloc(&run.in, bytes));
        TRY(&run, "making room", cudaMalloc(&run.out, bytes));
        TRY(&run, "filling", cudaMemset(run.in, POISON_BYTE, bytes));
        for (int i = -1; i < (int)times.size(); i++) {
            TRY(&run, "copying", cudaEventRecord(run.start));
            TRY(&run, "copying", cudaMemcpyAsync(run.out, run.in, bytes, cudaMemcpyDeviceToDevice));
            TRY(&run, "copying", cudaEventRecord(run.stop));
            TRY(&run, "copying", cudaDeviceSynchronize());
            TRY(&run, "copying", cudaEventElapsedTime(&milliseconds, run.start, run.stop));
            times[(size_t)std::max(i, 0)] = milliseconds * 1e-3;
        }
        return true;
    };
    bool good = copy();
    release(&run);
    *copied = summary(times);
    return good;
}

/* The kernel module's version; "unknown" if the system does not say. */
static void driver_version(char version[32])
{
    snprintf(version, 32, "unknown");
    FILE *file = fopen("/sys/module/nvidia/version", "r");
    if (!file)
        return;
    if (fgets(version, 32, file))
        version[strcspn(version, "\n")] = 0;
    fclose(file);
}

bool cuda_describe(char *text, size_t room, struct error *error)
{
    struct device_run run = {};
    struct trace_header header = {};
    struct cudaDeviceProp device;
    char driver[32];
    int cuda = 0;
    header.kernel = const_cast<char *>("");
    run.header = &header;
    run.error = error;
    TRY(&run, "asking the GPU", cudaGetDeviceProperties(&device, 0));
    TRY(&run, "asking the GPU", cudaDriverGetVersion(&cuda));
    driver_version(driver);
    snprintf(text, room, "%s, compute capability %d.%d, driver %s, CUDA %d.%d", device.name,
             device.major, device.minor, driver, cuda / 1000, cuda % 1000 / 10);
    return true;
}
