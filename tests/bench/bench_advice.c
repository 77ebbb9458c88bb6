/* bench_advice.c - how long the search for layouts takes on a million accesses that are all
 * different, the worst case, and on as many that repeat. Yardstick: costing each access once. */
#include "instrument/advice.h"

#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* 31,250 warp accesses of 32 lanes to a tile of 64 rows of 32 words. */
static void search(const char *name, bool repeat)
{
    static char kernel[] = "bench", empty[] = "", stage[] = "read", array[] = "tile",
                type[] = "float";
    char *stages[] = {stage};
    struct trace_array tile = {.name = array, .type = type, .bytes = 4, .dims = 2, .dim = {64, 32}};
    struct trace_header header = {.kernel = kernel,
                                  .backend = kernel,
                                  .device = empty,
                                  .input = empty,
                                  .banks = 32,
                                  .bank_bytes = 4,
                                  .warp = 32,
                                  .threads = 32,
                                  .blocks = 1,
                                  .shared_bytes = 64 * 32 * 4,
                                  .stages = 1,
                                  .stage = stages,
                                  .arrays = 1,
                                  .array = &tile};
    struct advice advice = {.arrays = 0};
    struct trace_sink sink = advice_sink(&advice);
    struct error error = {{0}};
    uint8_t lane[32];
    uint32_t addr[32];
    double costing = 0, start = now();
    bool good = sink.header(sink.context, &header, &error);
    srand(1);
    for (int i = 0; good && i < 31250; i++) {
        for (int k = 0; k < 32; k++) {
            lane[k] = (uint8_t)k;
            addr[k] = 4 * ((uint32_t)(repeat ? i % 64 + k * 32 : rand()) % 2048);
        }
        struct warp_access access = {
            .op = OP_LOAD, .bytes = 4, .lanes = 32, .lane = lane, .addr = addr, .site = -1};
        struct bank_cost cost;
        double before = now();
        bank_model_cost(&header, &access, &cost);
        costing += now() - before;
        good = sink.access(sink.context, &access, &error);
    }
    good = good && advice_search(&advice, &error);
    double seconds = now() - start - costing;
    if (!good) {
        fprintf(stderr, "bench_advice: %s\n", error.text);
        exit(1);
    }
    printf("advise, a million lane accesses, %-13s %6.2f s (target: under 2 s); costing each once: "
           "%.3f s\n",
           name, seconds, costing);
    advice_free(&advice);
}

int main(void)
{
    search("all different", false);
    search("repeated", true);
}
