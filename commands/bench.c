/* bench.c - how fast things are on the GPU at hand. */
#include "commands/command.h"

#include <errno.h>
#include <string.h>

const char bench_help[] =
    "usage: bankscope bench [NAME]... [-o FILE]\n"
    "\n"
    "Times what the CUDA backend does; needs a GPU. Without names, all of\n"
    "  traced   a recording kernel against the same kernel without instrumentation, for\n"
    "           thrust-merge and cf-merge with u = 512, E = 15, on the whole GPU\n"
    "  dump     bringing those records from the GPU's memory to the host's, and handing\n"
    "           them out as warp accesses\n"
    "\n"
    "  -o FILE  also write the figures there, with the device, command and date\n"
    "\n"
    "examples:\n"
    "  bankscope bench traced -o bench.tsv\n";

const struct option bench_longs[] = {{"output", required_argument, NULL, 'o'}, {NULL, 0, NULL, 0}};

/* Where figures go: the terminal, and a file or NULL. */
struct bench_output {
    struct output output;
    FILE *file;
};

static void print_figure(const struct bench_output *output, const char *bench, const char *what,
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
        print_figure(output, "traced", what, "bare kernel, median of 21", bare.kernel_seconds * 1e6,
                     "us");
        print_figure(output, "traced", what, "traced kernel, median of 21",
                     traced.kernel_seconds * 1e6, "us");
        print_figure(output, "traced", what, "traced over bare",
                     traced.kernel_seconds / bare.kernel_seconds, "times");
        print_figure(output, "traced", what, "records written by the traced kernel",
                     bytes / traced.kernel_seconds * 1e-9, "GB/s");
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
    print_figure(output, "dump", what, "records in the buffer", (double)copied.records * 1e-6,
                 "million");
    print_figure(output, "dump", what, "device to host memory",
                 (double)copied.records * RECORD_BYTES / copied.dump_seconds * 1e-9, "GB/s");
    print_figure(output, "dump", what, "the same, handed out as warp accesses",
                 (double)count.accesses / handed_out.dump_seconds * 1e-6, "million accesses/s");
    return true;
}

static const struct bench {
    const char *name;
    bool (*run)(const struct bench_output *output, struct error *error);
} BENCHES[] = {{"traced", bench_traced}, {"dump", bench_dump}};
enum { BENCH_COUNT = sizeof BENCHES / sizeof BENCHES[0] };

/* Opens the file of figures and says what they are. */
static bool begin(struct bench_output *output, const char *path, int argc, char **argv,
                  struct error *error)
{
    if (!output_open(&output->output, path, error))
        return false;
    output->file = output->output.file;
    command_write_origin(output->file, argc, argv);
    fprintf(output->file, "bench\twhat\tfigure\tvalue\tunit\n");
    return true;
}

int command_bench(int argc, char **argv)
{
    struct bench_output output = {.file = NULL};
    struct error error = {{0}};
    const char *path = NULL;
    const char *names[BENCH_COUNT + 1] = {NULL};
    int option;

    while ((option = command_option(argc, argv, ":o:", bench_longs)) != -1) {
        if (option == '?')
            return 2;
        path = optarg;
    }
    for (int b = 0; b < BENCH_COUNT; b++)
        names[b] = BENCHES[b].name;
    for (int i = optind; i < argc; i++) {
        int b = 0;
        while (b < BENCH_COUNT && strcmp(names[b], argv[i]))
            b++;
        if (b == BENCH_COUNT) {
            error_unknown(&error, "there is no bench", argv[i], names, NULL);
            return command_wrong(argv[0], &error);
        }
    }
    bool good = !path || begin(&output, path, argc, argv, &error);
    for (int b = 0; good && b < BENCH_COUNT; b++) {
        bool wanted = optind == argc;
        for (int i = optind; i < argc; i++)
            wanted |= !strcmp(argv[i], BENCHES[b].name);
        good = !wanted || BENCHES[b].run(&output, &error);
    }
    if (output.file)
        good = output_close(&output.output, good, &error);
    return good ? 0 : command_fail(argv[0], &error);
}
