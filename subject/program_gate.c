/* program_gate.c - whether a program became worse: run --baseline, --fail-if; and its tables and messages for
 * others: --markdown, --diagnostics. */
#include "system/output.h"
#include "subject/arguments.h"
#include "subject/program_run.h"
#include "teach/teach.h"

#include <stdlib.h>
#include <string.h>

/* The conditions under which this run is made, as its report will tell them. */
static struct report conditions_of(const struct table_about *about,
                                   const struct program_options *options)
{
    return (struct report){.bankscope = about->bankscope,
                           .compiler = about->compiler,
                           .device = about->device,
                           .capability = about->capability,
                           .warp = options->choice.warp ? options->choice.warp : 32};
}

int gate_open(struct program_gate *gate, const struct program_options *options)
{
    struct error error = {{0}};
    const struct recording unread = {.label = "", .unread = true};
    int64_t value;
    *gate = (struct program_gate){.options = options};
    for (int i = 0; i < options->conditions; i++)
        if (!expression_value(options->condition[i], &unread, 1, &value, &error))
            return command_wrong("run", &error);
    if (options->baseline && !report_read(&gate->baseline, options->baseline, &error))
        return command_fail("run", &error);
    return 0;
}

int gate_compare(const struct program_gate *gate, const struct table_about *about)
{
    const struct report now = conditions_of(about, gate->options);
    struct error why = {{0}}, error = {{0}};
    if (!gate->options->baseline || report_comparable(&gate->baseline, &now, &why))
        return 0;
    error_set(&error, "the baseline %s cannot be compared: %s", gate->options->baseline, why.text);
    return command_wrong("run", &error);
}

void gate_close(struct program_gate *gate)
{
    report_free(&gate->baseline);
}

/* Says what grew. Returns whether anything did. */
static bool say_grown(const struct program_gate *gate, const struct report *report,
                      const struct report_changes *changes)
{
    const char *path = gate->options->baseline;
    char *flags = NULL;
    size_t length;
    FILE *joined = open_memstream(&flags, &length);
    if (!joined)
        memory_exhausted();
    if (strcmp(gate->baseline.flags, report->flags) != 0)
        fprintf(joined, " (compiled with '%s', and now with '%s')", gate->baseline.flags,
                report->flags);
    if (fclose(joined))
        memory_exhausted();
    const struct program_choice *choice = &gate->options->choice;
    const bool all = !choice->kernel && !choice->launch; /* else many were not to be recorded */
    for (size_t i = 0; all && i < gate->baseline.kernels; i++) {
        bool found = false;
        for (size_t k = 0; k < report->kernels; k++)
            found |= !strcmp(gate->baseline.kernel[i].name, report->kernel[k].name);
        if (!found)
            fprintf(stderr, "bankscope run: %s of %s was not launched this time\n",
                    gate->baseline.kernel[i].name, path);
    }
    if (changes->grown)
        fprintf(stderr, "bankscope run: more than in %s%s:\n", path, flags);
    else
        fprintf(stderr, "bankscope run: nothing grew since %s%s\n", path, flags);
    report_print_grown(stderr, changes, "bankscope run:   ");
    free(flags);
    return changes->grown;
}

/* Says which conditions hold. Returns 1 if any does, -1 if one cannot be computed. */
static int say_conditions(const struct program_options *options, const struct report *report,
                          struct error *error)
{
    const struct recording recording = {.label = "", .report = report};
    int holds = 0;
    for (int i = 0; i < options->conditions; i++) {
        int64_t value;
        if (!expression_value(options->condition[i], &recording, 1, &value, error))
            return -1;
        if (value)
            fprintf(stderr, "bankscope run: %s\n", options->condition[i]);
        holds |= value != 0;
    }
    return holds;
}

struct both {
    const struct report *report;
    const struct report_changes *changes; /* NULL: there is no baseline */
};

static bool put_markdown(FILE *file, void *context, struct error *error)
{
    const struct both *both = context;
    (void)error;
    report_print_markdown(file, both->report, both->changes);
    return true;
}

static bool put_gcc(FILE *file, void *context, struct error *error)
{
    const struct both *both = context;
    (void)error;
    report_print_gcc(file, both->report);
    return true;
}

static bool put_sarif(FILE *file, void *context, struct error *error)
{
    const struct both *both = context;
    return report_print_sarif(file, both->report, error);
}

static bool gate_asked(const struct program_options *options)
{
    return options->baseline || options->conditions || options->markdown || options->diagnostics;
}

int gate_judge(const struct program_gate *gate, const struct program_table *table,
               struct error *error)
{
    const struct program_options *options = gate->options;
    struct report report;
    struct report_changes changes = {.count = 0};
    if (!gate_asked(options))
        return 0;
    bool good = report_of(&report, table, error);
    if (good && options->baseline)
        report_compare(&changes, &gate->baseline, &report);
    struct both both = {&report, options->baseline ? &changes : NULL};
    good = good &&
           (!options->markdown || output_put(options->markdown, put_markdown, &both, error)) &&
           (!options->diagnostics ||
            output_put(options->diagnostics, options->sarif ? put_sarif : put_gcc, &both, error));
    fflush(stdout);
    int status = good ? 0 : -1;
    if (good && options->baseline && say_grown(gate, &report, &changes))
        status = 1;
    int holds = good ? say_conditions(options, &report, error) : 0;
    report_changes_free(&changes);
    report_free(&report);
    return holds < 0 ? -1 : status | holds;
}
