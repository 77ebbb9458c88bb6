/* relay.c - one trace out of several launches. */
#include "kernels/catalogue.h"

static bool relay_header(void *context, const struct trace_header *header, struct error *error)
{
    struct relay *relay = context;
    struct trace_header whole = *header; /* the backend may have named its device in it */
    whole.blocks = relay->blocks * relay->launches;
    return relay->launch || !relay->to->header ||
           relay->to->header(relay->to->context, &whole, error);
}

static bool relay_access(void *context, const struct warp_access *access, struct error *error)
{
    struct relay *relay = context;
    struct warp_access moved = *access;
    moved.block += relay->launch * relay->blocks;
    return !relay->to->access || relay->to->access(relay->to->context, &moved, error);
}

static bool relay_end(void *context, const struct trace_end *end, struct error *error)
{
    struct relay *relay = context;
    relay->end.warp_accesses += end->warp_accesses;
    relay->end.dropped += end->dropped;
    relay->end.complete = end->complete;
    if (!relay->to->end || (end->complete && relay->launch < relay->launches - 1))
        return true;
    return relay->to->end(relay->to->context, &relay->end, error);
}

struct trace_sink relay_sink(struct relay *relay)
{
    return (struct trace_sink){relay_header, relay_access, relay_end, relay};
}
