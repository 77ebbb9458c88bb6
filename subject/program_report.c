/* program_report.c - what `run` tells of a program: a table, JSON, CSV. */
#include "subject/arguments.h"
#include "subject/program_run.h"
#include "system/output.h"

#include <string.h>
#include <sys/stat.h>

static bool put_json(FILE *file, void *context, struct error *error)
{
    const struct run_report *report = context;
    const struct program_options *options = report->options;
    return options->staged ? stages_print_json(file, report->stages, error)
                           : table_print_json(file, report->table, options->by, error);
}

static bool put_csv(FILE *file, void *context, struct error *error)
{
    const struct run_report *report = context;
    const struct program_options *options = report->options;
    if (options->staged)
        return stages_print_csv(file, report->stages, error);
    table_print_csv(file, report->table, options->by);
    return true;
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
    return !options->csv || output_put(options->csv, put_csv, (void *)(uintptr_t)report, error);
}

bool run_write_json(const struct run_report *report, struct error *error)
{
    return !report->options->json ||
           output_put(report->options->json, put_json, (void *)(uintptr_t)report, error);
}
