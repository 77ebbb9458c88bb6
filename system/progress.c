/* progress.c - shows the progress of a recording on a terminal. */
#include "system/progress.h"
#include "system/process.h"

#include <unistd.h>

static bool progress_header(void *context, const struct trace_header *header, struct error *error)
{
    struct record_progress *progress = context;
    (void)error;
    progress->header = *header; /* its numbers; the strings live as long as the run */
    progress->start = progress->shown = clock_seconds();
    progress->terminal = isatty(STDERR_FILENO);
    return true;
}

static bool progress_access(void *context, const struct warp_access *access, struct error *error)
{
    struct record_progress *progress = context;
    (void)error;
    if (!progress->terminal || access->warp)
        return true;
    double time = clock_seconds();
    if (time - progress->start > 1 && time - progress->shown > 0.2) {
        fprintf(stderr, "\r%s: block %d of %d, stage %s\033[K", progress->header.kernel,
                access->block + 1, progress->header.blocks, progress->header.stage[access->stage]);
        progress->shown = time;
    }
    return true;
}

static bool progress_end(void *context, const struct trace_end *end, struct error *error)
{
    struct record_progress *progress = context;
    (void)end, (void)error;
    if (progress->shown > progress->start)
        fprintf(stderr, "\r\033[K");
    return true;
}

struct trace_sink record_progress_sink(struct record_progress *progress)
{
    *progress = (struct record_progress){.start = 0};
    return (struct trace_sink){progress_header, progress_access, progress_end, progress};
}
