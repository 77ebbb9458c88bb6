/* bench.c - how fast things are on the GPU at hand. */
#include "commands/command.h"
#ifdef HAVE_CUDA
#include "kernels/sort.h"
#include "sort/bench.h"
#endif

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char bench_help[] =
    "usage: bankscope bench [NAME]... [-o FILE]\n"
    "\n"
    "Times recording on the GPU, and the sort; needs a GPU. Without names it runs all of\n"
    "  traced   a recording kernel against the same kernel without instrumentation, for\n"
    "           thrust-merge and cf-merge with u = 512, E = 15, on the whole GPU\n"
    "  dump     copying those records from the GPU's memory to the host's, and turning them\n"
    "           into warp accesses\n"
    "  sort     Bankscope's sort (sort/sort.h) against the library's merge and radix sorts,\n"
    "           in one process: keys of 4 and 8 bytes, pairs, several sizes and inputs\n"
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

#ifdef HAVE_CUDA
/* The library's sort of 4-byte keys, which the inputs worst and hardest are made for: so many keys of
 * a thread, threads of a block. */
enum { LIBRARY_E = 17, LIBRARY_THREADS = 256, LIBRARY_TILE = LIBRARY_E * LIBRARY_THREADS };

/* What is sorted: powers of two, and 17 x 2^20, which worst and hardest are made for. */
static const struct sort_case {
    enum sort_type type;
    size_t value_bytes;
    const char *input;
    size_t n;
} SORTED[] = {
    {SORT_INT32, 0, "random", 1u << 20},     {SORT_INT32, 0, "random", 1u << 22},
    {SORT_INT32, 0, "random", 1u << 24},     {SORT_INT32, 0, "random", 1u << 26},
    {SORT_INT32, 0, "random", 1u << 28},     {SORT_INT32, 0, "sorted", 1u << 26},
    {SORT_INT32, 0, "reverse", 1u << 26},    {SORT_INT32, 0, "duplicates", 1u << 26},
    {SORT_INT32, 0, "random", 17u << 20},    {SORT_INT32, 0, "worst", 17u << 20},
    {SORT_INT32, 0, "hardest", 17u << 20},   {SORT_INT64, 0, "random", 1u << 20},
    {SORT_INT64, 0, "random", 1u << 22},     {SORT_INT64, 0, "random", 1u << 24},
    {SORT_INT64, 0, "random", 1u << 26},     {SORT_INT64, 0, "sorted", 1u << 26},
    {SORT_INT64, 0, "duplicates", 1u << 26}, {SORT_INT32, 4, "random", 1u << 20},
    {SORT_INT32, 4, "random", 1u << 22},     {SORT_INT32, 4, "random", 1u << 24},
    {SORT_INT32, 4, "random", 1u << 26},     {SORT_INT32, 4, "duplicates", 1u << 26},
};
enum { SORTED_COUNT = sizeof SORTED / sizeof SORTED[0] };

/* The keys of a case, to be freed. Keys of 8 bytes are two numbers each. */
static int *sort_case_keys(const struct sort_case *c, struct error *error)
{
    struct recipe recipe;
    char text[64];
    const size_t words = c->n * (c->type == SORT_INT64 ? 2 : 1);
    const size_t tiles = (words + LIBRARY_TILE - 1) / LIBRARY_TILE;
    const struct sort_params sort = {32, LIBRARY_THREADS, LIBRARY_E, (int)words};
    int *keys = NULL;
    snprintf(text, sizeof text, "thrust-sort --input %s", c->input);
    if (recipe_parse(&recipe, text, error)) {
        keys = malloc(tiles * LIBRARY_TILE * sizeof *keys);
        if (!keys)
            error_set(error, "no memory for %zu keys", c->n);
        else if (recipe.input.kind == INPUT_RANDOM) /* all bits: a radix sort takes time by bits */
            for (size_t i = 0; i < words; i++)
                keys[i] = (int)(random_next(&recipe.input.seed) >> 32);
        else if (!sort_input(&sort, ORDER_LIBRARY, &recipe.input, keys, error)) {
            free(keys);
            keys = NULL;
        }
    }
    recipe_free(&recipe);
    if (keys && c->type == SORT_INT64 && strcmp(c->input, "random"))
        for (size_t i = c->n;
             i-- > 0;) { /* the number is the high half: the order is the input's */
            keys[2 * i + 1] = keys[i];
            keys[2 * i] = 0;
        }
    return keys;
}

static bool bench_sort(const struct bench_output *output, struct error *error)
{
    for (int i = 0; i < SORTED_COUNT; i++) {
        const struct sort_case *c = &SORTED[i];
        struct sort_times times;
        char what[64];
        int *keys = sort_case_keys(c, error);
        if (!keys)
            return false;
        const char *failure = sort_bench(c->type, c->value_bytes, keys, c->n, &times);
        free(keys);
        if (failure)
            return error_set(error, "bench sort: %s", failure);
        snprintf(what, sizeof what, "%s%s %s n=%zu", c->type == SORT_INT64 ? "int64" : "int32",
                 c->value_bytes ? "+int32" : "", c->input, c->n);
        print_figure(output, "sort", what, "this sort, median of 9", (double)c->n / times.sort,
                     "items/us");
        print_figure(output, "sort", what, "cub merge sort", (double)c->n / times.merge,
                     "items/us");
        print_figure(output, "sort", what, "cub radix sort", (double)c->n / times.radix,
                     "items/us");
        print_figure(output, "sort", what, "over cub merge sort", times.merge / times.sort,
                     "times");
        print_figure(output, "sort", what, "over cub radix sort", times.radix / times.sort,
                     "times");
        print_figure(output, "sort", what, "copies of the data in that time",
                     times.sort / times.copy, "copies");
    }
    return true;
}
#else
static bool bench_sort(const struct bench_output *output, struct error *error)
{
    (void)output;
    return error_set(error, "bench sort: built without CUDA; `make CUDA=yes` builds it");
}
#endif

static const struct bench {
    const char *name;
    bool (*run)(const struct bench_output *output, struct error *error);
} BENCHES[] = {{"traced", bench_traced}, {"dump", bench_dump}, {"sort", bench_sort}};
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
