/* fuzz_trace.c - any bytes: the trace reader takes them or says why not.
 *
 * What is read must keep the promises of instrument.h, and must come out the same when it is
 * written and read again.
 */
#define _GNU_SOURCE /* fmemopen */
#include "tests/fuzz/fuzz.h"

static bool read_bytes(const void *bytes, size_t size, struct trace *trace, struct stats *stats,
                       struct error *error)
{
    struct trace_sink sinks[] = {trace_memory_sink(trace), stats_sink(stats)};
    struct trace_tee tee = {sinks, 2};
    struct trace_sink sink = trace_tee_sink(&tee);
    return fuzz_read(bytes, size, &sink, error);
}

static void check_access(const struct trace_header *header, const struct warp_access *access)
{
    MUST(access->stage >= 0 && access->stage < header->stages);
    MUST(access->block >= 0 && access->block < header->blocks);
    MUST(access->site >= -1 && access->site < (header->sites ? header->sites : 1));
    MUST(access->lanes >= 1 && access->lanes <= header->warp);
    for (int i = 0; i < access->lanes; i++) {
        MUST(access->lane[i] < header->warp);
        MUST(access->warp * header->warp + access->lane[i] < header->threads);
        MUST(!i || access->lane[i] > access->lane[i - 1]);
        MUST(access->addr[i] % (unsigned)access->bytes == 0);
        MUST(access->addr[i] + (unsigned)access->bytes <= (unsigned)header->shared_bytes);
    }
    struct bank_cost cost;
    bank_model_cost(header, access, &cost);
    MUST(cost.ways >= 1 && cost.least >= 1 && cost.ways <= cost.passes);
    MUST(cost.conflicts >= 0 && cost.conflicts == cost.passes - cost.least);
}

static void check_same(const struct trace *trace, const struct trace *again)
{
    MUST(trace->count == again->count);
    MUST(trace->end.dropped == again->end.dropped && trace->end.complete == again->end.complete);
    MUST(trace->header.stages == again->header.stages);
    MUST(trace->header.params == again->header.params);
    MUST(trace->header.arrays == again->header.arrays);
    MUST(trace->header.sites == again->header.sites);
    MUST(!strcmp(trace->header.kernel, again->header.kernel));
    for (size_t i = 0; i < trace->count; i++) {
        struct warp_access a = trace_get(trace, i), b = trace_get(again, i);
        size_t lanes = (size_t)a.lanes;
        MUST(a.stage == b.stage && a.round == b.round && a.slot == b.slot && a.block == b.block);
        MUST(a.site == b.site);
        MUST(a.warp == b.warp && a.op == b.op && a.bytes == b.bytes && a.lanes == b.lanes);
        MUST(!memcmp(a.lane, b.lane, lanes) && !memcmp(a.addr, b.addr, lanes * sizeof *a.addr));
        MUST(!a.value == !b.value && !a.tag == !b.tag);
        MUST(!a.value || !memcmp(a.value, b.value, lanes * sizeof *a.value));
        MUST(!a.tag || !memcmp(a.tag, b.tag, lanes));
    }
}

/* Writes the trace and reads it again. A line may grow past the limit when it is written, as
 * quotes are escaped: then the writer must say so. */
static void check_round_trip(const struct trace *trace)
{
    struct error error = {{0}};
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    struct trace_writer *writer = trace_writer_new(file, "again");
    struct trace_sink sink = trace_writer_sink(writer);
    bool good = sink.header(sink.context, &trace->header, &error);
    for (size_t i = 0; good && i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        good = sink.access(sink.context, &access, &error);
    }
    good = good && sink.end(sink.context, &trace->end, &error);
    MUST(good || strstr(error.text, "exceed"));
    trace_writer_free(writer);
    fclose(file);
    if (good) {
        struct trace again = {0};
        struct stats stats;
        stats_init(&stats, STATS_BY_ROUND);
        MUST(read_bytes(text, size, &again, &stats, &error));
        check_same(trace, &again);
        stats_free(&stats);
        trace_free(&again);
    }
    free(text);
}

/* One block of it, in which other lines are looked at only in passing. */
static void check_part(const uint8_t *bytes, size_t size, const struct trace *trace)
{
    struct error error = {{0}};
    struct trace got = {0};
    struct trace_part part = {.warp = -1};
    struct trace_sink sink = trace_memory_sink(&got);
    size_t count = 0;
    FILE *file = fmemopen((void *)(uintptr_t)bytes, size, "rb");
    MUST(file && trace_read_part(file, "part", &part, &sink, &error));
    fclose(file);
    for (size_t i = 0; i < trace->count; i++)
        count += trace_get(trace, i).block == 0;
    MUST(got.count == count && got.end.warp_accesses == trace->count);
    trace_free(&got);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct error error = {{0}};
    struct trace trace = {0};
    struct stats stats;
    stats_init(&stats, STATS_BY_STAGE);
    if (read_bytes(bytes, size, &trace, &stats, &error)) {
        for (size_t i = 0; i < trace.count; i++) {
            struct warp_access access = trace_get(&trace, i);
            check_access(&trace.header, &access);
        }
        MUST(stats.total.warp_accesses == trace.count);
        MUST(stats.total.accesses == trace.lane_count);
        check_round_trip(&trace);
        check_part(bytes, size, &trace);
    }
    stats_free(&stats);
    trace_free(&trace);
    return 0;
}
