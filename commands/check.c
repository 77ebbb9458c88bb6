/* check.c - grade an exercise, and say what is missing. */
#include "commands/command.h"
#include "teach/teach.h"

const char check_help[] =
    "usage: bankscope check FILE.cu\n"
    "\n"
    "Grades an exercise: compiles your copy of a lesson's exercise.cu for the host, runs it with\n"
    "several inputs and parameters, and says which goals it meets: the right result, the bank\n"
    "conflicts, and the number of accesses to shared memory. Needs no GPU. Status 0 if it meets\n"
    "all goals.\n"
    "\n"
    "examples:\n"
    "  bankscope check my_banks.cu\n";

const struct option check_longs[] = {{NULL, 0, NULL, 0}};

static int print_report(const struct exercise_report *report)
{
    int good = 0;
    printf("exercise %s: %s\n", report->name, report->summary);
    for (int i = 0; i < report->findings; i++) {
        const struct exercise_finding *finding = &report->finding[i];
        bool ok = finding->measured && !finding->why[0];
        good += ok;
        printf("  %-8s %s\n", ok ? "ok" : "not yet", finding->what);
        if (!ok)
            printf("           %s\n",
                   finding->measured ? finding->why : "nothing to measure: no run got there");
    }
    if (good == report->findings)
        printf("All %d there, in %d runs. Well done.\n", good, report->runs);
    else
        printf("%d of %d there.\n", good, report->findings);
    return good == report->findings ? 0 : 1;
}

int command_check(int argc, char **argv)
{
    if (command_option(argc, argv, ":", check_longs) != -1)
        return 2;
    if (argc - optind != 1)
        return command_usage(argv[0], argc == optind ? "which file? your copy of an exercise.cu"
                                                     : "one file at a time");
    if (!record_is_kernel_file(argv[optind]))
        return command_usage(argv[0], "'%s' is not a FILE.cu", argv[optind]);
    struct exercise_report report;
    struct error error = {{0}};
    return exercise_check(argv[optind], &report, &error) ? print_report(&report)
                                                         : command_fail(argv[0], &error);
}
