/* bench.c - see bench.h; what recording on the GPU costs. */
#include "measure/bench.h"
#include "kernels/catalogue.h"
#include "measure/origin.h"

#include <string.h>

bool bench_begin(struct bench_output *output, const char *path, int argc, char **argv,
                 struct error *error)
{
    if (!output_open(&output->output, path, error))
        return false;
    output->file = output->output.file;
    origin_write(output->file, argc, argv);
    fprintf(output->file, "bench\twhat\tfigure\tvalue\tunit\n");
    return true;
}

void bench_print(const struct bench_output *output, const char *bench, const char *what,
                 const char *figure, double value, const char *unit)
{
    printf("%-8s %-48s %-44s %12.4g %s\n", bench, what, figure, value, unit);
    fflush(stdout);
    if (output->file)
        fprintf(output->file, "%s\t%s\t%s\t%.6g\t%s\n", bench, what, figure, value, unit);
}

/* The kernels that are timed: 16 blocks for each of 132 multiprocessors, some 90 million records. */
static const char *const TIMED[] = {
    "thrust-merge u=512 E=15 order=library blocks=2112",
    "thrust-merge u=512 E=15 order=library blocks=2112 --input worst",
    "cf-merge u=512 E=15 blocks=2112",
    "cf-merge u=512 E=15 blocks=2112 --input worst",
};
enum { TIMED_COUNT = sizeof TIMED / sizeof TIMED[0], RECORD_BYTES = 8 };
static const struct run_options ON_CUDA = {.backend = BACKEND_CUDA};

/* A sink that only counts. */
struct bench_count {
    uint64_t accesses;
};

static bool count_access(void *context, const struct warp_access *access, struct error *error)
{
    struct bench_count *count = context;
    (void)error;
    count->accesses += (uint64_t)access->lanes;
    return true;
}

static bool bench_traced(const struct bench_output *output, struct error *error)
{
    bool good = true;
    for (int i = 0; good && i < TIMED_COUNT; i++) {
        static const struct run_options as_bare = {.backend = BACKEND_BARE, .repeat = 21};
        static const struct run_options as_traced = {.backend = BACKEND_CUDA, .repeat = 21};
        const char *what = TIMED[i];
        struct recipe recipe;
        struct run_result bare, traced, counted;
        struct bench_count count = {0};
        const struct trace_sink sink = {NULL, count_access, NULL, &count};
        good = recipe_parse(&recipe, what, error) &&
               recipe_run(&recipe, &as_bare, NULL, &bare, error) &&
               recipe_run(&recipe, &as_traced, NULL, &traced, error) &&
               recipe_run(&recipe, &ON_CUDA, &sink, &counted, error);
        recipe_free(&recipe);
        if (!good)
            break;
        double bytes = (double)count.accesses * RECORD_BYTES;
        bench_print(output, "traced", what, "bare kernel, median of 21", bare.kernel.median * 1e6,
                    "us");
        bench_print(output, "traced", what, "traced kernel, median of 21",
                    traced.kernel.median * 1e6, "us");
        bench_print(output, "traced", what, "traced over bare",
                    traced.kernel.median / bare.kernel.median, "times");
        bench_print(output, "traced", what, "records written by the traced kernel",
                    bytes / traced.kernel.median * 1e-9, "GB/s");
    }
    return good;
}

static bool bench_dump(const struct bench_output *output, struct error *error)
{
    const char *what = TIMED[0];
    struct recipe recipe;
    struct run_result copied, handed_out;
    struct bench_count count = {0};
    const struct trace_sink sink = {NULL, count_access, NULL, &count};
    bool good = recipe_parse(&recipe, what, error) &&
                recipe_run(&recipe, &ON_CUDA, NULL, &copied, error) &&
                recipe_run(&recipe, &ON_CUDA, &sink, &handed_out, error);
    recipe_free(&recipe);
    if (!good)
        return false;
    bench_print(output, "dump", what, "records in the buffer", (double)copied.records * 1e-6,
                "million");
    bench_print(output, "dump", what, "device to host memory",
                (double)copied.records * RECORD_BYTES / copied.dump_seconds * 1e-9, "GB/s");
    bench_print(output, "dump", what, "the same, handed out as warp accesses",
                (double)count.accesses / handed_out.dump_seconds * 1e-6, "million accesses/s");
    return true;
}

const struct bench benches[] = {
    {"traced", bench_traced}, {"dump", bench_dump}, {"sort", bench_sort}, {NULL, NULL}};

void bench_list_names(const char *names[BENCH_NAMES])
{
    int count = 0;
    for (const struct bench *bench = benches; bench->name; bench++)
        names[count++] = bench->name;
    names[count++] = "times";
    for (const struct timed_chart *chart = timed_charts; chart->figure; chart++)
        if (strcmp(names[count - 1], chart->figure) && count < BENCH_NAMES - 1)
            names[count++] = chart->figure;
    names[count] = NULL;
}
