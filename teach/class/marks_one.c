/* marks_one.c - the marks of one file, as its student reads them; and files of marks. */
#include "system/output.h"
#include "teach/class/marks.h"

#include <inttypes.h>

bool marks_print(FILE *to, const struct grader *grader, const struct hand_in *hand_in)
{
    const struct grade_marks *marks = &hand_in->marks;
    bool all = hand_in_met(hand_in) == marks->findings;
    fprintf(to, "exercise %s: %s\n", hand_in->exercise->name,
            grade_summary(hand_in->exercise->grade));
    for (int i = 0; i < marks->findings; i++) {
        const struct grade_finding *finding = &marks->finding[i];
        bool ok = grade_met(marks, i);
        fprintf(to, "  %-8s %s\n", ok ? "ok" : "not yet", finding->what);
        if (!ok)
            fprintf(to, "           %s\n", finding_why(finding));
        if (!ok && finding->hint)
            fprintf(to, "           Hint: %s\n", finding->hint);
    }
    marks_print_score(to, hand_in);
    if (all)
        fprintf(to, " (%d runs). Well done.\n", marks->runs);
    else
        fprintf(to, ". (--seed %" PRIu64 " draws the same parameters again.)\n", grader->seed);
    return all;
}

void marks_print_messages(FILE *to, const struct hand_in *hand_in)
{
    for (int i = 0; i < hand_in->marks.messages; i++) {
        const struct grade_message *message = &hand_in->marks.message[i];
        if (message->line)
            fprintf(to, "%s:%d:%d: error: %s\n", hand_in->file, message->line, message->column,
                    message->text);
        else
            fprintf(to, "%s: error: %s\n", hand_in->file, message->text);
    }
}

/* A table in the making. */
struct table {
    marks_writer *write;
    const struct grader *grader;
    const struct hand_in *hand_in;
    int count;
};

static bool put_table(FILE *file, void *context, struct error *error)
{
    const struct table *table = context;
    (void)error; /* the caller's */
    return table->write(file, table->grader, table->hand_in, table->count);
}

bool marks_write(const char *path, marks_writer *write, const struct grader *grader,
                 const struct hand_in *hand_in, int count, struct error *error)
{
    struct table table = {write, grader, hand_in, count};
    return !path || output_put(path, put_table, &table, error);
}
