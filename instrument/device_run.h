/* device_run.h - a run of a kernel on the first GPU: what the files of the CUDA backend share.
 *
 * cuda.cu records; cuda_rows.cu hands out what was recorded; cuda_times.cu times; cuda_device.cu has what all of them
 * begin and end with. Of nvcc's C++ only.
 */
#ifndef BANKSCOPE_DEVICE_RUN_H
#define BANKSCOPE_DEVICE_RUN_H

#include "instrument/cuda.h"
#include "instrument/device_buffer.h"
#include "instrument/instrument.h"

#include <cuda_runtime.h>
#include <vector>

enum { HIGHEST_VALUE_BYTES = 8 }; /* of the widest values that are recorded */

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
bool device_failed(const struct device_run *run, cudaError_t error, const char *doing);

/* Runs one CUDA call; a failure becomes the run's error and makes the function return false. */
#define TRY(run, doing, call)                                                                      \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess)                                                                 \
            return device_failed((run), error_, (doing));                                          \
    } while (0)

/* A run of this launch that holds nothing yet. */
struct device_run device_run_of(const struct launch *launch, struct error *error);

/* Finds the device, checks that the launch suits it, and copies the input there. build: the kernel's traced or bare
 * build; NULL is refused. */
bool device_prepare(struct device_run *run, const struct simt_build *build);

/* Frees what the run holds. */
void device_release(struct device_run *run);

/* Launches once, from the output as it was before, and waits. *seconds: on the device. */
bool device_launch(struct device_run *run, const void *kernel, const char *doing, double *seconds);

/* The least, the median and the most; changes the order of the times. */
struct run_times summary_of_times(std::vector<double> &seconds);

/* Hands all rows that fit into the buffer to the sink, in order. Without a sink they are only
 * copied; `bench` measures how fast. */
bool device_hand_out(struct device_run *run, const struct trace_sink *sink,
                     struct run_result *result);

#endif
