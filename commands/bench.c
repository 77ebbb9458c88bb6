/* bench.c - how fast things are on the GPU at hand. */
#include "commands/command.h"
#include "papers/times.h"
#include "system/output.h"
#ifdef HAVE_CUDA
#include "kernels/sort.h"
#include "sort/bench.h"
#endif

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char bench_help[] =
    "usage: bankscope bench [NAME]... [--match REGEX] [--seconds N] [-o FILE]\n"
    "\n"
    "Times things on the GPU; needs one. Without names it runs all of\n"
    "  traced   a recording kernel against the same kernel without instrumentation, for\n"
    "           thrust-merge and cf-merge with u = 512, E = 15, on the whole GPU\n"
    "  dump     copying those records from the GPU's memory to the host's, and turning them\n"
    "           into warp accesses\n"
    "  sort     Bankscope's sort (sort/sort.h) against the library's merge and radix sorts,\n"
    "           in one process: keys of 4 and 8 bytes, pairs, several sizes and inputs\n"
    "The other names are those of figures that show running times, such as cfmerge-6: their\n"
    "kernels run without instrumentation, 9 times for each point. times stands for all of these\n"
    "figures. 'bankscope figure NAME --times FILE' draws one from what was measured.\n"
    "\n"
    "  --match REGEX  of figures (all, unless some are named): only points whose second column\n"
    "               in FILE matches, as 'n=4194304 --input duplicates=2$'\n"
    "  --seconds N  of figures: begin no point after N seconds. Small points come first.\n"
    "  -o FILE      also write the figures there, with the device, command and date\n"
    "\n"
    "examples:\n"
    "  bankscope bench traced -o bench.tsv\n"
    "  bankscope bench cfmerge-6 -o times.tsv\n";

enum { SECONDS = OPTION_FIRST_FREE, MATCH };
const struct option bench_longs[] = {{"output", required_argument, NULL, 'o'},
                                     {"match", required_argument, NULL, MATCH},
                                     {"seconds", required_argument, NULL, SECONDS},
                                     {NULL, 0, NULL, 0}};

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
        print_figure(output, "traced", what, "bare kernel, median of 21", bare.kernel.median * 1e6,
                     "us");
        print_figure(output, "traced", what, "traced kernel, median of 21",
                     traced.kernel.median * 1e6, "us");
        print_figure(output, "traced", what, "traced over bare",
                     traced.kernel.median / bare.kernel.median, "times");
        print_figure(output, "traced", what, "records written by the traced kernel",
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
    {SORT_INT32, 0, "random", 1u << 20},        {SORT_INT32, 0, "random", 1u << 22},
    {SORT_INT32, 0, "random", 1u << 24},        {SORT_INT32, 0, "random", 1u << 26},
    {SORT_INT32, 0, "random", 1u << 28},        {SORT_INT32, 0, "sorted", 1u << 26},
    {SORT_INT32, 0, "reverse", 1u << 26},       {SORT_INT32, 0, "duplicates", 1u << 26},
    {SORT_INT32, 0, "random", 17u << 20},       {SORT_INT32, 0, "worst", 17u << 20},
    {SORT_INT32, 0, "hardest", 17u << 20},      {SORT_INT64, 0, "random", 1u << 20},
    {SORT_INT64, 0, "random", 1u << 22},        {SORT_INT64, 0, "random", 1u << 24},
    {SORT_INT64, 0, "random", 1u << 26},        {SORT_INT64, 0, "sorted", 1u << 26},
    {SORT_INT64, 0, "duplicates", 1u << 26},    {SORT_INT32, 4, "random", 1u << 20},
    {SORT_INT32, 4, "random", 1u << 22},        {SORT_INT32, 4, "random", 1u << 24},
    {SORT_INT32, 4, "random", 1u << 26},        {SORT_INT32, 4, "duplicates", 1u << 26},
    {SORT_INT32, 4, "random", 1u << 23},        {SORT_INT32, 4, "random", 1u << 28},
    {SORT_INT32, 4, "sorted", 1u << 20},        {SORT_INT32, 4, "sorted", 1u << 26},
    {SORT_INT32, 4, "reverse", 1u << 26},       {SORT_INT32, 4, "duplicates=16", 1u << 26},
    {SORT_INT64, 0, "duplicates=16", 1u << 26}, {SORT_INT32, 0, "duplicates=16", 1u << 26},
    {SORT_INT64, 8, "random", 1u << 26},        {SORT_INT64, 4, "random", 1u << 26},
    {SORT_INT32, 8, "random", 1u << 26},        {SORT_INT32, 8, "random", 1u << 16},
    {SORT_INT32, 8, "random", 1u << 18},        {SORT_INT32, 8, "random", 1u << 20},
    {SORT_INT32, 8, "random", 1u << 23},        {SORT_INT32, 8, "random", 1u << 28},
    {SORT_INT32, 8, "sorted", 1u << 26},        {SORT_INT32, 8, "duplicates=16", 1u << 26},
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
                 c->value_bytes == 8   ? "+int64"
                 : c->value_bytes == 4 ? "+int32"
                                       : "",
                 c->input, c->n);
        print_figure(output, "sort", what, "this sort, median of 9",
                     (double)c->n / times.sort.median, "items/us");
        print_figure(output, "sort", what, "cub merge sort", (double)c->n / times.merge.median,
                     "items/us");
        print_figure(output, "sort", what, "cub radix sort", (double)c->n / times.radix.median,
                     "items/us");
        print_figure(output, "sort", what, "over cub merge sort",
                     times.merge.median / times.sort.median, "times");
        print_figure(output, "sort", what, "over cub radix sort",
                     times.radix.median / times.sort.median, "times");
        print_figure(output, "sort", what, "copies of the data in that time",
                     times.sort.median / times.copy.median, "copies");
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

/* ---- the papers' figures ---------------------------------------------------------------------- */

static const struct run_options TIMED_BARE = {.backend = BACKEND_BARE, .repeat = 9};

/* What has been timed: no point twice, and one run of the three sorts serves several curves. */
struct figure_times {
    const regex_t *match; /* NULL: all points */
    char (*key)[TIMES_KEY];
    size_t count, room;
    char sorted[TIMES_KEY];      /* input and size of the last such run */
    struct run_times of_sort[3]; /* in the order of SORTS */
};
static const char *const SORTS[] = {TIMES_SORT, TIMES_LIBRARY_MERGE, TIMES_LIBRARY_RADIX};

#ifdef HAVE_CUDA
/* The three sorts of `key`'s input ("sort --input worst n=1114112"). */
static bool time_sorts(struct figure_times *done, const char *key, struct error *error)
{
    const char *option = strstr(key, "--input "), *n = strstr(key, "n=");
    char input[32] = "random";
    struct sort_times times;
    if (option)
        snprintf(input, sizeof input, "%.*s", (int)strcspn(option + 8, " "), option + 8);
    const struct sort_case sorted = {SORT_INT32, 0, input, strtoul(n + 2, NULL, 10)};
    int *keys = sort_case_keys(&sorted, error);
    const char *failure = keys ? sort_bench(sorted.type, 0, keys, sorted.n, &times) : NULL;
    free(keys);
    if (!keys || failure)
        return failure ? error_set(error, "%s: %s", key, failure) : false;
    snprintf(done->sorted, sizeof done->sorted, "%s", strchr(key, ' '));
    const struct sort_time *const of[] = {&times.sort, &times.merge, &times.radix};
    for (int i = 0; i < 3; i++)
        done->of_sort[i] =
            (struct run_times){of[i]->least * 1e-6, of[i]->median * 1e-6, of[i]->most * 1e-6};
    return true;
}

static bool time_copy(size_t bytes, struct run_times *copy, struct error *error)
{
    return cuda_time_copy(bytes, TIMED_BARE.repeat, copy, error);
}
#else
static bool time_sorts(struct figure_times *done, const char *key, struct error *error)
{
    (void)done;
    return error_set(error, "%s: built without CUDA; `make CUDA=yes` builds it", key);
}

static bool time_copy(size_t bytes, struct run_times *copy, struct error *error)
{
    (void)bytes, (void)copy;
    return error_set(error, "copy: built without CUDA; `make CUDA=yes` builds it");
}
#endif

static void print_times(const struct bench_output *output, const char *key, bool last_launch,
                        const struct run_times *times)
{
    static const char *const figure[][2] = {{"median of 9", "last launch, median of 9"},
                                            {"least of 9", "last launch, least of 9"},
                                            {"most of 9", "last launch, most of 9"}};
    const double seconds[] = {times->median, times->least, times->most};
    for (int i = 0; i < 3; i++)
        print_figure(output, "time", key, figure[i][last_launch], seconds[i] * 1e6, "us");
}

static bool time_recipe(const struct bench_output *output, const char *key, struct error *error)
{
    struct recipe recipe;
    struct run_result result;
    bool good =
        recipe_parse(&recipe, key, error) && recipe_run(&recipe, &TIMED_BARE, NULL, &result, error);
    if (good && !result.constants)
        good = error_set(error, "%s: the kernel is not compiled for these parameters (BARE)", key);
    if (good) {
        print_times(output, key, false, &result.kernel);
        if (recipe_launches(&recipe) > 1)
            print_times(output, key, true, &result.last);
    }
    recipe_free(&recipe);
    return good;
}

static bool time_point(const struct bench_output *output, struct figure_times *done,
                       const struct timed_chart *chart, const struct timed_curve *curve, int point,
                       struct error *error)
{
    char key[TIMES_KEY];
    struct run_times copy = {0};
    timed_key(chart, curve, point, key);
    if (done->match && regexec(done->match, key, 0, NULL, 0))
        return true;
    for (size_t i = 0; i < done->count; i++)
        if (!strcmp(done->key[i], key))
            return true;
    if (!memory_grow(&done->key, &done->room, done->count + 1, sizeof *done->key, "keys", error))
        return false;
    memcpy(done->key[done->count++], key, sizeof key);
    const size_t word = strcspn(key, " ");
    for (int i = 0; i < 3; i++) {
        if (strncmp(SORTS[i], key, word) || SORTS[i][word])
            continue;
        if (strcmp(done->sorted, key + word) && !time_sorts(done, key, error))
            return false;
        return print_times(output, key, false, &done->of_sort[i]), true;
    }
    if (strncmp(TIMES_COPY " ", key, word + 1))
        return time_recipe(output, key, error);
    if (!time_copy((size_t)chart->words * sizeof(int), &copy, error))
        return false;
    return print_times(output, key, false, &copy), true;
}

/* Whether the names ask for a chart. */
static bool chart_wanted(const struct timed_chart *chart, char *const *names)
{
    for (; *names; names++)
        if (!strcmp(*names, "times") || !strcmp(*names, chart->figure))
            return true;
    return false;
}

/* Times the figures among the names, small points first. A point that fails is reported, and the others
 * are still timed, unless it is the first one. */
static bool bench_figures(const struct bench_output *output, char *const *names,
                          const regex_t *match, int64_t limit)
{
    const time_t start = time(NULL);
    struct figure_times done = {.match = match};
    bool good = true;
    for (int point = 0; point < TIMED_POINTS; point++)
        for (const struct timed_chart *chart = timed_charts; chart->figure; chart++)
            for (int c = 0; chart_wanted(chart, names) && point < timed_points(chart) &&
                            c < timed_curves(chart);
                 c++) {
                struct error error = {{0}};
                if (limit && time(NULL) - start >= limit)
                    goto out;
                if (time_point(output, &done, chart, &chart->curve[c], point, &error))
                    continue;
                command_fail("bench", &error);
                good = false;
                if (done.count == 1)
                    goto out;
            }
out:
    if (match && good && !done.count && !(limit && time(NULL) - start >= limit)) {
        struct error error = {{0}};
        error_set(&error, "--match chooses no point of these figures");
        command_fail("bench", &error);
        good = false;
    }
    free(done.key);
    return good;
}

/* ---- the command ----------------------------------------------------------------------------- */

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

/* The names there are, NULL-terminated: benches, "times", figures. */
enum { ALL_NAMES = 64 };
static void list_names(const char *names[ALL_NAMES])
{
    int count = 0;
    for (int b = 0; b < BENCH_COUNT; b++)
        names[count++] = BENCHES[b].name;
    names[count++] = "times";
    for (const struct timed_chart *chart = timed_charts; chart->figure; chart++)
        if (strcmp(names[count - 1], chart->figure) && count < ALL_NAMES - 1)
            names[count++] = chart->figure;
    names[count] = NULL;
}

/* false: reported. */
static bool take_match(regex_t *match, const char *text)
{
    char what[128];
    int code = regcomp(match, text, REG_EXTENDED | REG_NOSUB);
    if (!code)
        return true;
    regerror(code, match, what, sizeof what);
    command_usage("bench", "--match is '%s', which is no regular expression: %s", text, what);
    return false;
}

int command_bench(int argc, char **argv)
{
    struct bench_output output = {.file = NULL};
    struct error error = {{0}};
    const char *path = NULL, *match = NULL;
    regex_t regex;
    const char *names[ALL_NAMES];
    int64_t seconds = 0;
    int option;

    while ((option = command_option(argc, argv, ":o:", bench_longs)) != -1) {
        if (option == '?')
            return 2;
        if (option == 'o')
            path = optarg;
        else if (option == MATCH)
            match = optarg;
        else if (!command_number(argv[0], "--seconds", optarg, 1, 86400, &seconds))
            return 2;
    }
    list_names(names);
    for (int i = optind; i < argc; i++) {
        int k = 0;
        while (names[k] && strcmp(names[k], argv[i]))
            k++;
        if (!names[k]) {
            error_unknown(&error, "there is no bench", argv[i], names, NULL);
            return command_wrong(argv[0], &error);
        }
    }
    if (match && !take_match(&regex, match))
        return 2;
    bool good = !path || begin(&output, path, argc, argv, &error);
    for (int b = 0; good && b < BENCH_COUNT; b++) {
        bool wanted = optind == argc && !match;
        for (int i = optind; i < argc; i++)
            wanted |= !strcmp(argv[i], BENCHES[b].name);
        good = !wanted || BENCHES[b].run(&output, &error);
    }
    char times[] = "times", *all[] = {times, NULL};
    char *const *figures = match && optind == argc ? all : argv + optind;
    const bool timed = !good || bench_figures(&output, figures, match ? &regex : NULL, seconds);
    if (match)
        regfree(&regex);
    if (output.file)
        good = output_close(&output.output, good, &error);
    return !good ? command_fail(argv[0], &error) : timed ? 0 : 1;
}
