/* stats.c - print what the accesses of a trace cost. */
#include "commands/command.h"

#include <errno.h>
#include <string.h>

const char stats_help[] =
    "usage: bankscope stats TRACE [--by stage|round|warp] [--json]\n"
    "\n"
    "Prints warp accesses, accesses, passes, conflicts and the most ways of a trace; TRACE '-'\n"
    "is standard input. Passes are how often the banks are cycled (a profiler's wavefronts);\n"
    "conflicts are the passes beyond one for each group of lanes that is served together: a\n"
    "warp, or half or a quarter of it for 8 or 16 bytes (a profiler's bank conflicts).\n"
    "\n"
    "  --by WHAT          one row per stage (the default), round or warp\n"
    "  --json             one JSON object on one line\n"
    "\n"
    "examples:\n"
    "  bankscope stats worst.jsonl --by round\n"
    "  bankscope run puzzle -o - | bankscope stats - --json\n";

const struct option stats_longs[] = {
    {"by", required_argument, NULL, 'b'}, {"json", no_argument, NULL, 'j'}, {NULL, 0, NULL, 0}};

static bool read_stats(const char *path, struct stats *stats, struct error *error)
{
    bool standard = !strcmp(path, "-");
    FILE *file = standard ? stdin : fopen(path, "rb");
    if (!file)
        return error_set(error, "cannot open %s: %s", path, strerror(errno));
    struct trace_sink sink = stats_sink(stats);
    bool good = trace_read(file, standard ? "standard input" : path, &sink, error);
    if (!standard)
        fclose(file);
    return good;
}

int command_stats(int argc, char **argv)
{
    static const char *const names[] = {"stage", "round", "warp", NULL};
    int by = STATS_BY_STAGE, option;
    bool json = false;

    while ((option = command_option(argc, argv, ":", stats_longs)) != -1) {
        if (option == '?')
            return 2;
        if (option == 'j')
            json = true;
        else
            for (by = 0; names[by] && strcmp(names[by], optarg); by++)
                continue;
        if (!names[by])
            return command_usage(argv[0], "--by is '%s'; it must be stage, round or warp", optarg);
    }
    if (argc - optind != 1)
        return command_usage(argv[0], argc == optind ? "which trace?" : "one trace at a time");
    struct error error = {{0}};
    struct stats stats;
    stats_init(&stats, (enum stats_by)by);
    bool good = read_stats(argv[optind], &stats, &error);
    if (good && json)
        good = stats_print_json(stdout, &stats, &error);
    else if (good)
        stats_print(stdout, &stats, NULL);
    int status =
        good ? command_check_end(argv[0], argv[optind], &stats.end) : command_fail(argv[0], &error);
    stats_free(&stats);
    return status;
}
