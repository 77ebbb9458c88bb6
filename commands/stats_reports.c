/* stats_reports.c - stats of reports that `run --json` has written: one, two that are compared, or one beside
 * what ncu says. */
#include "commands/command.h"
#ifdef HAVE_DW
#include "program/report/report.h"
#include "system/file.h"
#include "teach/teach.h"

static bool print_one(const struct report *report, const struct report_stats *how,
                      struct error *error)
{
    struct ncu_report ncu = {.lines = 0};
    if (how->json)
        return error_set(error, "one report is JSON already; --csv and two reports are something "
                                "else");
    if (!how->ncu) {
        how->csv ? report_print_csv(stdout, report) : report_print(stdout, report);
        return true;
    }
    const bool good = ncu_read(&ncu, report, how->ncu, error);
    if (good)
        how->csv ? ncu_print_csv(stdout, &ncu) : ncu_print(stdout, &ncu);
    if (good && ncu.note)
        fprintf(stderr, "bankscope stats: %s\n", ncu.note);
    ncu_free(&ncu);
    return good;
}

static bool print_two(const struct report *first, const struct report *second,
                      const struct report_stats *how, struct error *error)
{
    struct report_changes changes;
    struct error why = {{0}};
    bool good = true;
    if (!report_comparable(first, second, &why))
        fprintf(stderr, "bankscope stats: the first report is of other conditions: %s\n", why.text);
    report_compare(&changes, first, second);
    if (how->json)
        good = report_print_changes_json(stdout, &changes, error);
    else if (how->csv)
        report_print_changes_csv(stdout, &changes);
    else
        report_print_changes(stdout, &changes);
    report_changes_free(&changes);
    return good;
}

/* Prints one report, or two, the second compared with the first. Returns the exit status. */
static int print_reports(const char *const *path, int count, const struct report_stats *how)
{
    struct report report[2] = {{.json = NULL}, {.json = NULL}};
    struct error error = {{0}};
    bool good = true, fails = false;
    int64_t value = 0;
    if (how->ncu && count == 2)
        return command_usage("stats", "--ncu takes one report");
    for (int i = 0; good && i < count; i++)
        good = report_read(&report[i], path[i], &error);
    if (good && how->condition) {
        const struct recording last = {.label = "", .report = &report[count - 1]};
        good = expression_value(how->condition, &last, 1, &value, &error);
        fails = good && value;
    }
    good = good && (count == 2 ? print_two(&report[0], &report[1], how, &error)
                               : print_one(&report[0], how, &error));
    if (good && fails)
        good = error_set(&error, "%s: %s", path[count - 1], how->condition);
    for (int i = 0; i < 2; i++)
        report_free(&report[i]);
    return good ? 0 : command_fail("stats", &error);
}

bool stats_are_reports(const struct subjects *subjects, const struct report_stats *how, bool other,
                       int *status)
{
    const char *path[SUBJECTS];
    const int count = subjects->count;
    int reports = 0;
    for (int i = 0; i < count; i++) {
        path[i] = subjects->subject[i].name;
        reports += subject_is_file(&subjects->subject[i]) && report_is_file(path[i]);
    }
    for (int i = 0; i < count && reports; i++) {
        struct error error = {{0}};
        FILE *file = subject_is_file(&subjects->subject[i]) ? file_open(path[i], &error) : NULL;
        if (file)
            fclose(file);
        else if (error.text[0])
            return *status = command_fail("stats", &error), true;
    }
    if (reports && reports < count)
        *status = command_usage("stats", "a report and a recording cannot be compared");
    else if (reports && other)
        *status = command_usage("stats", "a report is by line: it takes no --by and no -o");
    else if (reports)
        *status = print_reports(path, count, how);
    else if (how->ncu)
        *status = command_usage("stats", "--ncu takes a report of 'bankscope run --json'");
    return reports || how->ncu;
}

#else
bool stats_are_reports(const struct subjects *subjects, const struct report_stats *how, bool other,
                       int *status)
{
    (void)subjects, (void)other;
    if (how->ncu)
        *status = command_usage("stats", "--ncu is left out of this build, which lacks libdw");
    return how->ncu;
}
#endif
