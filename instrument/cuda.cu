/* cuda.cu - the CUDA backend: runs a kernel's traced build on the first GPU and hands out the same trace as the host
 * backend.
 *
 * One launch counts the rounds and slots of every stage; the device buffer is laid out from them, (block, row, thread)
 * with some rows for each (stage, round); a second launch fills it.
 */
#include "instrument/device_run.h"

#include <algorithm>
#include <stdlib.h>
#include <string.h>

enum { STANDARD_RECORDS = 256 << 20 }; /* records that fit unless launch->records says otherwise */

/* Launches as often as requested. */
static bool launch_all(struct device_run *run, const char *doing, struct run_times *times)
{
    std::vector<double> seconds((size_t)std::max(1, run->launch->repeat));
    bool good = seconds.size() == 1 || device_launch(run, run->run, "warming up", &seconds[0]);
    for (size_t i = 0; good && i < seconds.size(); i++)
        good = device_launch(run, run->run, doing, &seconds[i]);
    *times = summary_of_times(seconds);
    return good;
}

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
    if (!device_launch(run, run->build->count, "counting records", &seconds) || !fetch_totals(run))
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
static bool record_accesses(struct device_run *run, struct run_result *result)
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

static bool trace_kernel(struct device_run *run, const struct trace_sink *sink,
                         struct run_result *result)
{
    const struct simt_cuda *cuda = (const struct simt_cuda *)run->launch->cuda;
    struct trace_header header = *run->header;
    struct cudaDeviceProp device;

    if (!device_prepare(run, cuda ? cuda->traced : NULL) || !count_rows(run) ||
        !record_accesses(run, result))
        return false;
    TRY(run, "copying the output",
        cudaMemcpy(run->launch->out, run->out, run->launch->out_bytes, cudaMemcpyDeviceToHost));
    TRY(run, "asking the GPU", cudaGetDeviceProperties(&device, 0));
    header.device = device.name;
    result->constants = run->constants;
    if (!sink)
        return device_hand_out(run, NULL, result);
    bool good = !sink->header || sink->header(sink->context, &header, run->error);
    good = good && device_hand_out(run, sink, result);
    if (sink->end) {
        struct trace_end end = {run->warp_accesses, run->totals.dropped, good};
        good = sink->end(sink->context, &end, run->error) && good;
    }
    return good;
}

bool cuda_run(const struct launch *launch, const struct trace_sink *sink, struct run_result *result,
              struct error *error)
{
    struct device_run run = device_run_of(launch, error);
    memset(result, 0, sizeof *result);
    bool good = trace_kernel(&run, sink, result);
    device_release(&run);
    return good;
}
