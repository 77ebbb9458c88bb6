/* stream.h - what stream.c and event.c share. */
#ifndef BANKSCOPE_RUNTIME_STREAM_H
#define BANKSCOPE_RUNTIME_STREAM_H

#include "program/runtime/runtime.h"

#include <time.h>

struct CUevent_st {
    unsigned flags;
    bool recorded;
    struct timespec when;
    struct runtime_clock clock;  /* what its stream's work was behind then */
    unsigned long long capture;  /* in which it was recorded last, 0: in none */
    struct runtime_nodes behind; /* the nodes that were the stream's last then */
};

/* A stream's place in the order of all work; NULL: the legacy stream. */
struct runtime_sequence *stream_sequence(cudaStream_t stream);
/* Whether any stream is captured. */
bool stream_capturing(void);
/* If the stream is captured, the event takes the place of its last nodes: true, and *error is what the call returns. */
bool stream_capture_record(cudaEvent_t event, cudaStream_t stream, cudaError_t *error);

#endif
