/* stats.c - print what the accesses of a trace cost. */
#include "commands/command.h"
#include "teach/teach.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

const char stats_help[] =
    "usage: bankscope stats TRACE [TRACE] [--by stage|round|warp|line|array] [--json|--csv]\n"
    "                       [--fail-if CONDITION]\n"
    "       bankscope stats TRACE --by access --csv\n"
    "\n"
    "Prints the warp accesses, accesses, passes, conflicts and most ways of a trace; TRACE '-'\n"
    "is standard input. Passes are how many times the banks are cycled (a profiler's\n"
    "wavefronts). Conflicts are the passes beyond one for each group of lanes that is served\n"
    "together: a warp, or half or a quarter of it for 8 or 16 bytes per lane (a profiler's bank\n"
    "conflicts). For two traces, stats prints how much more the second one has.\n"
    "\n"
    "  --by WHAT          one row per stage (the default), round, warp, source line or array;\n"
    "                     'access', with --csv: one row per warp access, for a database\n"
    "  --json             print one JSON object on one line\n"
    "  --csv              print comma-separated values\n"
    "  --fail-if COND     end with status 1 if the condition holds for the last trace; it is a\n"
    "                     comparison as in lessons: 'conflicts > 0', 'passes(read) >= 64'\n"
    "\n"
    "examples:\n"
    "  bankscope stats worst.jsonl --by round\n"
    "  bankscope stats worst.jsonl cf.jsonl\n"
    "  bankscope run puzzle -o - | bankscope stats - --json\n";

enum { STATS_CSV = 256, STATS_FAIL_IF };
const struct option stats_longs[] = {{"by", required_argument, NULL, 'b'},
                                     {"json", no_argument, NULL, 'j'},
                                     {"csv", no_argument, NULL, STATS_CSV},
                                     {"fail-if", required_argument, NULL, STATS_FAIL_IF},
                                     {NULL, 0, NULL, 0}};

const char *const stats_by_names[] = {"stage", "round", "warp", "line", "array", "access", NULL};

/* Fills the statistics from a file, and the trace if there is one to fill. */
static bool read_stats(const char *path, struct stats *stats, struct trace *trace,
                       struct error *error)
{
    struct trace_sink sinks[2] = {stats_sink(stats)};
    struct trace_tee tee = {sinks, 1};
    if (trace)
        sinks[tee.count++] = trace_memory_sink(trace);
    struct trace_sink sink = trace_tee_sink(&tee);
    return trace_read_path(path, NULL, &sink, error);
}

/* One row per warp access. Returns the exit status. */
static int print_accesses(const char *command, const char *path)
{
    struct error error = {{0}};
    struct access_rows rows = {.file = stdout};
    struct trace_sink sink = access_rows_sink(&rows);
    return trace_read_path(path, NULL, &sink, &error) ? command_check_end(command, path, &rows.end)
                                                      : command_fail(command, &error);
}

/* "conflicts > 0" for "conflicts() > 0": a name without a list speaks of everything. */
static void complete_names(const char *text, char *to, size_t room)
{
    size_t n = 0;
    while (*text && n + 3 < room) {
        const char *end = text;
        while (isalnum((unsigned char)*end) || *end == '_' || *end == '-' || *end == '.')
            end++;
        if (end == text) {
            to[n++] = *text++;
            continue;
        }
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(end - text), text);
        bool bare = measure_find(name) && *(end + strspn(end, " \t")) != '(';
        while (text < end && n + 3 < room)
            to[n++] = *text++;
        if (bare) {
            to[n++] = '(';
            to[n++] = ')';
        }
    }
    to[n] = '\0';
}

/* Whether the condition holds: 0 or 1, or -1 with *error set. */
static int holds(const char *condition, const struct trace *trace, struct error *error)
{
    struct recording recording = {.label = "trace", .trace = trace};
    char text[1024];
    int64_t value;
    complete_names(condition, text, sizeof text);
    if (!expression_value(text, &recording, 1, &value, error))
        return -1;
    return value != 0;
}

int command_stats(int argc, char **argv)
{
    enum { BY_ACCESS = STATS_BY_ARRAY + 1 };
    int by = STATS_BY_STAGE, option;
    bool json = false, csv = false;
    const char *condition = NULL;

    while ((option = command_option(argc, argv, ":", stats_longs)) != -1) {
        if (option == '?')
            return 2;
        if (option == 'j')
            json = true;
        else if (option == STATS_CSV)
            csv = true;
        else if (option == STATS_FAIL_IF)
            condition = optarg;
        else if ((by = command_choice(argv[0], "--by", optarg, stats_by_names)) < 0)
            return 2;
    }
    int count = argc - optind;
    if (count != 1 && count != 2)
        return command_usage(argv[0], count < 1 ? "which trace?" : "two traces at most");
    if (json && csv)
        return command_usage(argv[0], "--json or --csv, not both");
    if (by == BY_ACCESS && (count != 1 || !csv || condition))
        return command_usage(argv[0], "--by access takes one trace and --csv, and nothing else");
    if (by == BY_ACCESS)
        return print_accesses(argv[0], argv[optind]);
    struct error error = {{0}};
    struct stats stats[2];
    struct trace trace = {.count = 0};
    bool good = true;
    int status = 0;
    for (int i = 0; i < count; i++)
        stats_init(&stats[i], (enum stats_by)by);
    for (int i = 0; good && i < count; i++) {
        bool last = i == count - 1;
        good = read_stats(argv[optind + i], &stats[i], condition && last ? &trace : NULL, &error);
    }
    if (good && json)
        good = count == 2 ? stats_print_difference_json(stdout, &stats[0], &stats[1], &error)
                          : stats_print_json(stdout, &stats[0], &error);
    else if (good && count == 2)
        stats_print_difference(stdout, &stats[0], &stats[1], csv);
    else if (good && csv)
        stats_print_csv(stdout, &stats[0], "", "");
    else if (good)
        stats_print(stdout, &stats[0], NULL);
    for (int i = 0; good && i < count; i++)
        status |= command_check_end(argv[0], argv[optind + i], &stats[i].end);
    if (good && condition) {
        int fails = holds(condition, &trace, &error);
        good = fails >= 0;
        if (fails > 0) {
            error_set(&error, "%s: %s", argv[argc - 1], condition);
            good = false;
        }
    }
    if (!good)
        status = command_fail(argv[0], &error);
    for (int i = 0; i < count; i++)
        stats_free(&stats[i]);
    trace_free(&trace);
    return status;
}
