/* progress.h - the progress of a recording, on a terminal. */
#ifndef BANKSCOPE_SYSTEM_PROGRESS_H
#define BANKSCOPE_SYSTEM_PROGRESS_H

#include "instrument/instrument.h"

/* A sink that shows progress on standard error when it is a terminal and the run takes more than a
 * second; give it as one of a tee's sinks. */
struct record_progress {
    struct trace_header header;
    double start, shown;
    bool terminal;
};
struct trace_sink record_progress_sink(struct record_progress *progress);

#endif
