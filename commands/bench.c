/* bench.c - how fast things are on the GPU at hand (measure/bench.h). */
#include "commands/command.h"
#include "measure/bench.h"

#include <string.h>

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

/* false: reported. */
static bool compile_match(regex_t *match, const char *text)
{
    char what[128];
    int code = regcomp(match, text, REG_EXTENDED | REG_NOSUB);
    if (!code)
        return true;
    regerror(code, match, what, sizeof what);
    command_usage("bench", "--match is '%s', which is no regular expression: %s", text, what);
    return false;
}

static void fail(const struct error *error)
{
    command_fail("bench", error);
}

int command_bench(int argc, char **argv)
{
    struct bench_output output = {.file = NULL};
    struct error error = {{0}};
    const char *path = NULL, *match = NULL;
    regex_t regex;
    const char *names[BENCH_NAMES];
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
    bench_list_names(names);
    for (int i = optind; i < argc; i++) {
        int k = 0;
        while (names[k] && strcmp(names[k], argv[i]))
            k++;
        if (!names[k]) {
            error_unknown(&error, "there is no bench", argv[i], names, NULL);
            return command_wrong(argv[0], &error);
        }
    }
    if (match && !compile_match(&regex, match))
        return 2;
    bool good = !path || bench_begin(&output, path, argc, argv, &error);
    for (const struct bench *bench = benches; good && bench->name; bench++) {
        bool wanted = optind == argc && !match;
        for (int i = optind; i < argc; i++)
            wanted |= !strcmp(argv[i], bench->name);
        good = !wanted || bench->run(&output, &error);
    }
    char times[] = "times", *all[] = {times, NULL};
    char *const *figures = match && optind == argc ? all : argv + optind;
    const bool timed =
        !good || bench_figures(&output, figures, match ? &regex : NULL, seconds, fail);
    if (match)
        regfree(&regex);
    if (output.file)
        good = output_close(&output.output, good, &error);
    return !good ? command_fail(argv[0], &error) : timed ? 0 : 1;
}
