/* stats.c - print what the accesses of a trace cost. */
#include "commands/command.h"
#ifdef HAVE_DW
#include "program/report.h"
#endif
#include "system/file.h"
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

enum {
    STATS_BY = OPTION_FIRST_FREE,
    STATS_JSON,
    STATS_CSV,
    STATS_FAIL_IF,
    STATS_NCU,
    STATS_WIDTH,
    STATS_THEME
};
const struct option stats_longs[] = {SUBJECT_OPTIONS,
                                     {"by", required_argument, NULL, STATS_BY},
                                     {"json", no_argument, NULL, STATS_JSON},
                                     {"csv", no_argument, NULL, STATS_CSV},
                                     {"output", required_argument, NULL, 'o'},
                                     {"width", required_argument, NULL, STATS_WIDTH},
                                     {"theme", required_argument, NULL, STATS_THEME},
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
    const char *ncu;   /* a file, or NULL */
    const char *chart; /* a file, or NULL */
    char origin[2000]; /* the command */
    int64_t width;     /* of the chart, in millimetres */
    const struct theme *theme;
};

/* ---- the chart ---- */

static bool chart_check(const struct request *request, struct error *error)
{
#ifdef HAVE_CAIRO
    for (int i = 0; i < request->subjects.count; i++)
        if (!output_is_not(request->chart, request->subjects.subject[i].name, error))
            return false;
    return plot_is_format(request->chart, error);
#else
    return error_set(error, "%s: charts are left out of this build; --csv has the numbers",
                     request->chart);
#endif
}

static bool chart_write(const struct request *request, const struct stats *stats,
                        struct error *error)
{
#ifdef HAVE_CAIRO
    char program[64];
    const struct plot_output output = {
        .path = request->chart,
        .width = (double)request->width * 72 / 25.4,
        .theme = request->theme ? request->theme : theme_find("print", error),
        .about = {.origin = request->origin, .program = command_program(program)}};
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

/* Returns the exit status. */
static int read_arguments(int argc, char **argv, struct request *request)
{
    struct subjects *subjects = &request->subjects;
    struct error error = {{0}};
    int option;
    while ((option = command_option(argc, argv, "-:o:" SUBJECT_SHORT, stats_longs)) != -1) {
        if (option == '?')
            return 2;
        enum subject_taken taken = subjects_option(subjects, option, optarg, stats_longs);
        if (taken == SUBJECT_WRONG)
            return 2;
        if (taken == SUBJECT_TAKEN)
            continue;
        if (option == STATS_JSON)
            request->json = true;
        else if (option == STATS_CSV)
            request->csv = true;
        else if (option == STATS_FAIL_IF)
            request->condition = optarg;
        else if (option == STATS_NCU)
            request->ncu = optarg;
        else if (option == 'o')
            request->chart = optarg;
        else if (option == STATS_WIDTH) {
            if (!command_number(argv[0], "--width", optarg, 60, 1000, &request->width))
                return 2;
        } else if (option == STATS_THEME) {
            if (!(request->theme = theme_find(optarg, &error)))
                return command_wrong(argv[0], &error);
        } else if ((request->by = command_choice(argv[0], "--by", optarg, stats_by_names)) < 0)
            return 2;
    }
    if (!subjects_rest(subjects, argc, argv))
        return 2;
    if (!subjects->count)
        return command_usage(argv[0], "which trace or kernel? 'bankscope list' shows the kernels");
    if (request->json && request->csv)
        return command_usage(argv[0], "--json or --csv, not both");
    if (request->chart && !chart_check(request, &error))
        return command_wrong(argv[0], &error);
    if (request->chart && !output_may_replace_work(request->chart, &error))
        return command_fail(argv[0], &error);
    if (request->by == BY_ACCESS &&
        (subjects->count != 1 || !request->csv || request->condition || request->chart))
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
        stats_print(stdout, &stats[0], NULL);
    return true;
}

static int run(struct request *request)
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
           (!request->chart || chart_write(request, stats, &error));
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

#ifdef HAVE_DW
/* Whether the subjects are reports; then *status is what the command ends with. */
static bool are_reports(const struct request *request, int *status)
{
    const struct report_stats how = {request->json, request->csv, request->condition, request->ncu};
    const char *path[MOST];
    const int count = request->subjects.count;
    int reports = 0;
    for (int i = 0; i < count; i++) {
        path[i] = request->subjects.subject[i].name;
        reports += subject_is_file(&request->subjects.subject[i]) && report_is_file(path[i]);
    }
    for (int i = 0; i < count && reports; i++) {
        struct error error = {{0}};
        FILE *file =
            subject_is_file(&request->subjects.subject[i]) ? file_open(path[i], &error) : NULL;
        if (file)
            fclose(file);
        else if (error.text[0])
            return *status = command_fail("stats", &error), true;
    }
    if (reports && reports < count)
        *status = command_usage("stats", "a report and a recording cannot be compared");
    else if (reports && (request->chart || request->by != STATS_BY_STAGE))
        *status = command_usage("stats", "a report is by line: it takes no --by and no -o");
    else if (reports)
        *status = report_stats(path, count, &how);
    else if (request->ncu)
        *status = command_usage("stats", "--ncu takes a report of 'bankscope run --json'");
    return reports || request->ncu;
}
#else
static bool are_reports(const struct request *request, int *status)
{
    if (request->ncu)
        *status = command_usage("stats", "--ncu is left out of this build, which lacks libdw");
    return request->ncu;
}
#endif

int command_stats(int argc, char **argv)
{
    struct request request = {
        .subjects = {.command = argv[0], .most = MOST}, .by = STATS_BY_STAGE, .width = 120};
    command_words(argc, argv, request.origin, sizeof request.origin);
    int status = read_arguments(argc, argv, &request);
    if (!status)
        status = subjects_find(&request.subjects);
    if (!status && !are_reports(&request, &status))
        status = run(&request);
    subjects_free(&request.subjects);
    return status;
}
