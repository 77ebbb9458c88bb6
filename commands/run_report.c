/* run_report.c - what `run` tells of a program: a table, JSON, CSV. */
#include "commands/run.h"
#include "system/output.h"

#include <string.h>
#include <sys/stat.h>

static bool put_json(FILE *file, const struct run_report *report, struct error *error)
{
    const struct program_options *options = report->options;
    return options->staged ? stages_print_json(file, report->stages, error)
                           : table_print_json(file, report->table, options->by, error);
}

static bool put_csv(FILE *file, const struct run_report *report, struct error *error)
{
    const struct program_options *options = report->options;
    if (options->staged)
        return stages_print_csv(file, report->stages, error);
    table_print_csv(file, report->table, options->by);
    return true;
}

/* "-": to standard output. */
static bool write_report(const char *path, const struct run_report *report,
                         bool (*put)(FILE *file, const struct run_report *report,
                                     struct error *error),
                         struct error *error)
{
    struct output output;
    if (!strcmp(path, "-"))
        return put(stdout, report, error);
    return output_open(&output, path, error) &&
           output_close(&output, put(output.file, report, error), error);
}

bool run_is_standard(const char *path)
{
    return path && !strcmp(path, "-");
}

int run_check_places(const struct program_options *options)
{
    const struct {
        const char *option, *path, *mark, *what; /* mark NULL: a trace */
    } place[] = {{"-o", options->output, NULL, NULL},
                 {"--json", options->json, REPORT_MARK, "a report of --json"},
                 {"--csv", options->csv, "kernel,launch", "a report of --csv"},
                 {"--markdown", options->markdown, "**Bank conflicts: ", "a report of --markdown"},
                 {"--diagnostics", options->diagnostics,
                  "{\"$schema\":", "a report of --diagnostics sarif"}};
    enum { PLACES = sizeof place / sizeof *place };
    struct error error = {{0}};
    struct stat is;
    for (int i = 0; i < PLACES; i++)
        for (int k = 0; k < i; k++)
            if (place[i].path && place[k].path && !strcmp(place[i].path, place[k].path))
                return command_usage("run",
                                     "of %s and %s, two go to %s: give one a file of its own, as "
                                     "in --json=report.json",
                                     place[k].option, place[i].option,
                                     run_is_standard(place[i].path) ? "standard output"
                                                                    : place[i].path);
    for (int i = 0; i < PLACES; i++) {
        const char *path = place[i].path;
        const bool folder = path && !place[i].mark && !stat(path, &is) && S_ISDIR(is.st_mode);
        if (path && !run_is_standard(path) && !folder &&
            !(place[i].mark ? output_may_replace(path, place[i].mark, place[i].what, &error)
                            : trace_may_replace(path, &error)))
            return command_fail("run", &error);
    }
    return 0;
}

bool run_replaces_table(const struct program_options *options)
{
    return run_is_standard(options->json) || run_is_standard(options->csv) ||
           run_is_standard(options->markdown) || run_is_standard(options->diagnostics);
}

bool run_print_report(const struct run_report *report, struct error *error)
{
    const struct program_options *options = report->options;
    FILE *file = run_is_standard(options->output) ? stderr : stdout;
    if (!run_replaces_table(options)) {
        if (options->staged)
            stages_print(file, report->stages);
        else
            table_print(file, report->table, options->by);
    }
    return !options->csv || write_report(options->csv, report, put_csv, error);
}

bool run_write_json(const struct run_report *report, struct error *error)
{
    return !report->options->json || write_report(report->options->json, report, put_json, error);
}
