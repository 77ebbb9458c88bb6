/* instrument.h - recording and measuring: the tour of this folder.
 *
 * trace.h says what a trace is, model.h what accesses cost, dialect.h how kernels run; each has a section per source
 * file, and this header includes all three. What the host backend is made of has headers of its own (fiber.h:
 * functions that stop and go on; shadow.h: who touched what since which barrier, which finds
 * races; host.h: what its files share). Data goes one way: a backend (host.c, cuda.cu) runs a kernel
 * and hands every warp access to a sink, past the gate that every trace passes (trace/trace_check.c);
 * sinks are the writer (trace/trace_write.c), the trace in memory (trace/trace_memory.c) and the statistics
 * (stats.c). The reader (trace/trace_read.c) is another source, behind the same gate. The bank model (bank_model.c)
 * says what one warp access costs; advice.h searches layouts in which a recording would cost less.
 * This folder knows no algorithm and draws no picture.
 *
 * Words (bank, lane, round, slot, warp access, ways, passes, conflicts) are those of
 * doc/trace-format.md. Addresses are bytes from the start of a block's shared memory.
 *
 * Functions that can fail return false (or NULL) and put one line into struct error: what, where
 * and what to do next. They never print and never exit; base/memory.h says the one exception.
 */
#ifndef BANKSCOPE_INSTRUMENT_H
#define BANKSCOPE_INSTRUMENT_H

#include "instrument/dialect.h"
#include "instrument/model.h"
#include "instrument/trace.h"

#endif
