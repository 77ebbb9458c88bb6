/* stats.c - print what the accesses of a trace cost. */
#include "commands/command.h"
#include "subject/chart_options.h"
#include "system/output.h"
#ifdef HAVE_CAIRO
#include "papers/stats_chart.h"
#endif
#include "teach/teach.h"
#include "viewer/viewer.h"

#include <string.h>

const char stats_help[] =
    "usage: bankscope stats RECORDING [RECORDING] [--by stage|round|warp|line|array]\n"
    "                       [--json|--csv] [--fail-if CONDITION]\n"
    "       bankscope stats RECORDING --by access --csv\n"
    "       bankscope stats REPORT.json [REPORT.json] [--json|--csv] [--fail-if CONDITION]\n"
    "       bankscope stats REPORT.json --ncu SOURCE.csv [--csv]\n"
    "\n"
    "Prints the warp accesses, accesses, passes, conflicts and most ways of a recording: of a\n"
    "trace, or of a kernel or CUDA program with its options, which is recorded first, as in\n"
    "'bankscope view'. '-' is a trace on standard input. Passes are how many times the banks\n"
    "are cycled (a profiler's wavefronts). Conflicts are the passes beyond one for each group of\n"
    "lanes that is served together: a warp, or half or a quarter of it for 8 or 16 bytes per\n"
    "lane (a profiler's bank conflicts). For two recordings, stats prints how much more the\n"
    "second one has.\n"
    "\n"
    "REPORT.json is what 'bankscope run --json' has written of a program: its kernels and lines,\n"
    "with the part of its time that a kernel can save at most without conflicts; of two reports,\n"
    "what changed. --ncu puts the numbers of Nsight Compute beside them, line by line.\n"
    "\n"
    "  --by WHAT          one row per stage (the default), round, warp, source line or array;\n"
    "                     'access', with --csv: one row per warp access, for a database\n"
    "  --json             print one JSON object on one line\n"
    "  --csv              print comma-separated values\n"
    "  -o FILE            also draw passes as bars, those that conflicts add in another colour:\n"
    "                     .pdf, .svg, .png, .tex (pgfplots), or its numbers: .txt, .csv or\n"
    "                     .json\n"
    "  --width MM         width of that chart in millimetres (default 120)\n"
    "  --theme THEME      its colours: print (the default), light or dark\n"
    "  --fail-if COND     end with status 1 if the condition holds for the last one; it is a\n"
    "                     comparison as in lessons: 'conflicts > 0', 'passes(read) >= 64'; of\n"
    "                     reports, as in 'bankscope help run'\n"
    "  --ncu FILE         of one report: its lines beside those of ncu's source page, written by\n"
    "                     ncu --import app.ncu-rep --page source --csv --print-source cuda,sass\n"
    "\n" SUBJECT_HELP "\n"
    "examples:\n"
    "  bankscope stats stride s=6\n"
    "  bankscope stats worst.jsonl --by round\n"
    "  bankscope stats worst.jsonl --by round -o rounds.pdf\n"
    "  bankscope stats worst.jsonl cf.jsonl\n"
    "  bankscope run app.cu --json=new.json; bankscope stats old.json new.json\n"
    "  bankscope run puzzle -o - | bankscope stats - --json\n";

enum { STATS_BY = OPTION_FIRST_FREE, STATS_JSON, STATS_CSV, STATS_FAIL_IF, STATS_NCU };
const struct option stats_longs[] = {SUBJECT_OPTIONS,
                                     {"by", required_argument, NULL, STATS_BY},
                                     {"json", no_argument, NULL, STATS_JSON},
                                     {"csv", no_argument, NULL, STATS_CSV},
                                     CHART_OPTIONS,
                                     {"fail-if", required_argument, NULL, STATS_FAIL_IF},
                                     {"ncu", required_argument, NULL, STATS_NCU},
                                     {NULL, 0, NULL, 0}};

const char *const stats_by_names[] = {"stage", "round", "warp", "line", "array", "access", NULL};

/* Fills the statistics, and the trace if there is one to fill. */
static bool read_stats(struct subject *subject, struct stats *stats, struct trace *trace,
                       int *status, struct error *error)
{
    struct trace_sink sinks[2] = {stats_sink(stats)};
    struct trace_tee tee = {sinks, 1};
    if (trace)
        sinks[tee.count++] = trace_memory_sink(trace);
    struct trace_sink sink = trace_tee_sink(&tee);
    return subject_read("stats", subject, &sink, status, error);
}

/* One row per warp access. Returns the exit status. */
static int print_accesses(struct subject *subject)
{
    struct error error = {{0}};
    struct access_rows rows = {.file = stdout};
    struct trace_sink sink = access_rows_sink(&rows);
    int status = 0;
    if (!subject_read("stats", subject, &sink, &status, &error))
        return command_fail("stats", &error);
    return status | command_check_end("stats", subject->name, &rows.end);
}

/* Whether the condition holds: 0 or 1, or -1 with *error set. */
static int holds(const char *condition, const struct trace *trace, struct error *error)
{
    struct recording recording = {.label = "trace", .trace = trace};
    int64_t value;
    if (!expression_value(condition, &recording, 1, &value, error))
        return -1;
    return value != 0;
}

enum { BY_ACCESS = STATS_BY_ARRAY + 1, MOST = 2 };
struct request {
    struct subjects subjects;
    int by;
    bool json, csv;
    const char *condition;
    const char *ncu; /* a file, or NULL */
    struct chart_options chart;
};

/* ---- the chart ---- */

static bool chart_check(const struct request *request, struct error *error)
{
#ifdef HAVE_CAIRO
    for (int i = 0; i < request->subjects.count; i++)
        if (!output_is_not(request->chart.path, request->subjects.subject[i].name, error))
            return false;
    return plot_is_format(request->chart.path, error);
#else
    return error_set(error, "%s: charts are left out of this build; --csv has the numbers",
                     request->chart.path);
#endif
}

static bool chart_write(const struct request *request, const struct stats *stats,
                        struct error *error)
{
#ifdef HAVE_CAIRO
    const struct plot_output output = chart_output(&request->chart);
    struct drawing_flaws flaws = {.cut = false};
    bool good = stats_chart_write(stats, request->subjects.count, (enum stats_by)request->by,
                                  &output, &flaws, error);
    command_warn_flaws("stats", flaws);
    return good;
#else
    (void)stats;
    return chart_check(request, error);
#endif
}

static bool take_option(void *context, int option, const char *text)
{
    struct request *request = context;
    switch (option) {
    case STATS_JSON:
        return request->json = true;
    case STATS_CSV:
        return request->csv = true;
    case STATS_FAIL_IF:
        request->condition = text;
        return true;
    case STATS_NCU:
        request->ncu = text;
        return true;
    case STATS_BY:
        return (request->by = command_choice("stats", "--by", text, stats_by_names)) >= 0;
    default:
        return chart_option("stats", option, text, 60, &request->chart) == CHART_TAKEN;
    }
}

/* Returns the exit status. */
static int read_arguments(int argc, char **argv, struct request *request)
{
    struct subjects *subjects = &request->subjects;
    struct error error = {{0}};
    if (!subjects_read(subjects, argc, argv, "o:", stats_longs, take_option, request))
        return 2;
    if (request->json && request->csv)
        return command_usage(argv[0], "--json or --csv, not both");
    if (request->chart.path && !chart_check(request, &error))
        return command_wrong(argv[0], &error);
    if (request->chart.path && !output_may_replace_work(request->chart.path, &error))
        return command_fail(argv[0], &error);
    if (request->by == BY_ACCESS &&
        (subjects->count != 1 || !request->csv || request->condition || request->chart.path))
        return command_usage(argv[0], "--by access takes one recording and --csv, and nothing "
                                      "else");
    return 0;
}

static bool print(const struct request *request, const struct stats *stats, struct error *error)
{
    bool two = request->subjects.count == 2;
    if (request->json)
        return two ? stats_print_difference_json(stdout, &stats[0], &stats[1], error)
                   : stats_print_json(stdout, &stats[0], error);
    if (two)
        stats_print_difference(stdout, &stats[0], &stats[1], request->csv);
    else if (request->csv)
        stats_print_csv(stdout, &stats[0], "", "");
    else
        stats_print(stdout, &stats[0]);
    return true;
}

static int run_stats(struct request *request)
{
    struct subject *subject = request->subjects.subject;
    const int count = request->subjects.count;
    struct error error = {{0}};
    struct stats stats[MOST];
    struct trace trace = {.count = 0};
    bool good = true;
    int status = 0;
    if (request->by == BY_ACCESS)
        return print_accesses(subject);
    for (int i = 0; i < count; i++)
        stats_init(&stats[i], (enum stats_by)request->by);
    for (int i = 0; good && i < count; i++) {
        bool last = i == count - 1;
        good = read_stats(&subject[i], &stats[i], request->condition && last ? &trace : NULL,
                          &status, &error);
    }
    int fails = good && request->condition ? holds(request->condition, &trace, &error) : 0;
    good = good && fails >= 0 && print(request, stats, &error) &&
           (!request->chart.path || chart_write(request, stats, &error));
    for (int i = 0; good && i < count; i++)
        status |= command_check_end("stats", subject[i].name, &stats[i].end);
    if (good && fails)
        good = error_set(&error, "%s: %s", subject[count - 1].name, request->condition);
    if (!good)
        status = command_fail("stats", &error);
    for (int i = 0; i < count; i++)
        stats_free(&stats[i]);
    trace_free(&trace);
    return status;
}

int command_stats(int argc, char **argv)
{
    struct request request = {.subjects = {.command = argv[0], .most = MOST},
                              .by = STATS_BY_STAGE,
                              .chart = {.width = 120}};
    command_words(argc, argv, request.chart.origin, sizeof request.chart.origin);
    command_program(request.chart.program);
    int status = read_arguments(argc, argv, &request);
    if (!status)
        status = subjects_find(&request.subjects);
    const struct report_stats how = {request.json, request.csv, request.condition, request.ncu};
    const bool other = request.chart.path || request.by != STATS_BY_STAGE;
    if (!status && !stats_are_reports(&request.subjects, &how, other, &status))
        status = run_stats(&request);
    subjects_free(&request.subjects);
    return status;
}
