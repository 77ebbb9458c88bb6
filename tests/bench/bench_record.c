/* bench_record.c - how fast recording, writing and reading are, as ratios within one run.
 *
 * Yardsticks: reading is compared with cJSON parsing the same bytes and doing nothing else. The
 * targets stand beside the figures; nothing fails here, since machines are noisy.
 */
#define _GNU_SOURCE /* getline */
#include "kernels/catalogue.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Records thrust-merge on random input into memory. Returns the seconds. */
static double record(struct trace *trace, const char *blocks)
{
    struct error error = {{0}};
    struct recipe recipe;
    struct run_result result;
    struct trace_sink sink = trace_memory_sink(trace);
    recipe_init(&recipe, catalogue_find("thrust-merge", &error));
    double start = now();
    if (!recipe_read(&recipe, blocks, &error) ||
        !recipe_run(&recipe, NULL, &sink, &result, &error)) {
        fprintf(stderr, "bench_record: %s\n", error.text);
        exit(1);
    }
    return now() - start;
}

static double write_file(const struct trace *trace, FILE *file)
{
    struct error error = {{0}};
    double start = now();
    struct trace_writer *writer = trace_writer_new(file, "bench");
    struct trace_sink sink = trace_writer_sink(writer);
    bool good = sink.header(sink.context, &trace->header, &error);
    for (size_t i = 0; good && i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        good = sink.access(sink.context, &access, &error);
    }
    if (!good || !sink.end(sink.context, &trace->end, &error)) {
        fprintf(stderr, "bench_record: %s\n", error.text);
        exit(1);
    }
    trace_writer_free(writer);
    return now() - start;
}

static double read_file(FILE *file, struct trace *trace)
{
    struct error error = {{0}};
    rewind(file);
    double start = now();
    struct trace_sink sink = trace_memory_sink(trace);
    if (!trace_read(file, "bench", &sink, &error)) {
        fprintf(stderr, "bench_record: %s\n", error.text);
        exit(1);
    }
    return now() - start;
}

/* The yardstick: every line through cJSON, and no more. */
static double parse_file(FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    rewind(file);
    double start = now();
    while (getline(&line, &room, file) > 0)
        cJSON_Delete(cJSON_Parse(line));
    free(line);
    return now() - start;
}

int main(void)
{
    enum { REPEATS = 3 };
    double recorded = 1e9, written = 1e9, read = 1e9, parsed = 1e9, accesses = 0;
    struct trace trace = {0}, again = {0};
    FILE *file = tmpfile();
    if (!file) {
        perror("bench_record: tmpfile");
        return 1;
    }
    for (int i = 0; i < REPEATS; i++) {
        double seconds;
        trace_free(&trace);
        trace_free(&again);
        rewind(file);
        recorded = (seconds = record(&trace, "blocks=50")) < recorded ? seconds : recorded;
        written = (seconds = write_file(&trace, file)) < written ? seconds : written;
        parsed = (seconds = parse_file(file)) < parsed ? seconds : parsed;
        read = (seconds = read_file(file, &again)) < read ? seconds : read;
        accesses = (double)trace.lane_count;
    }
    double bytes = (double)again.entry_room * 24 + (double)again.lane_room * 14;
    printf("trace of %.1f million accesses (thrust-merge, u=512, E=15, 50 blocks), best of %d\n",
           accesses / 1e6, REPEATS);
    printf("  record in memory   %6.1f M accesses/s   (target 10)\n", accesses / recorded / 1e6);
    printf("  write JSON Lines   %6.1f M accesses/s   (target 3)\n", accesses / written / 1e6);
    printf("  read JSON Lines    %6.1f M accesses/s   (target 3)\n", accesses / read / 1e6);
    printf("  read / cJSON alone %6.2f                (target 1.5 at most)\n", read / parsed);
    printf("  memory, loaded     %6.1f bytes/access   (target 16 at most)\n", bytes / accesses);
    trace_free(&trace);
    trace_free(&again);
    fclose(file);
    return 0;
}
