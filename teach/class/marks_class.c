/* marks_class.c - the marks of a class: a line for each file, CSV and JSON. */
#include "base/text.h"
#include "teach/class/marks.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <string.h>

/* Why a file has no marks, in one line; with the first of the compiler's messages. */
static const char *why_not(const struct hand_in *hand_in, char *text, size_t room)
{
    const struct grade_message *message = &hand_in->marks.message[0];
    if (hand_in->error.text[0])
        snprintf(text, room, "%s", hand_in->error.text);
    else
        snprintf(text, room, "%s does not compile: %d:%d: %s", hand_in->file, message->line,
                 message->column, message->text);
    return text_clean(text);
}

void marks_print_score(FILE *to, const struct hand_in *hand_in)
{
    const struct grade_marks *marks = &hand_in->marks;
    int met = hand_in_met(hand_in), all = marks->findings;
    if (met == all)
        fprintf(to, "all %d goals met, %d of %d points", all, marks->points, marks->most);
    else
        fprintf(to, "%d of %d goals met, %d of %d points", met, all, marks->points, marks->most);
}

/* What became of a file without marks: nothing to grade, or nobody to grade it. */
static const char *no_marks(const struct hand_in *hand_in)
{
    return hand_in->trouble ? "not graded" : "refused";
}

/* points: -1: none can be given. */
static void put_row(FILE *file, const struct hand_in *all, const struct hand_in *hand_in,
                    const char *what, const char *verdict, int points, const char *why,
                    const char *hint)
{
    char given[16] = "";
    if (points >= 0)
        snprintf(given, sizeof given, "%d", points);
    text_put(file, TEXT_QUOTED_CELL, hand_in->file);
    fputc(',', file);
    text_put(file, TEXT_QUOTED_CELL, hand_in->student);
    fprintf(file, ",%s,", hand_in->exercise ? hand_in->exercise->name : "");
    text_put(file, TEXT_QUOTED_CELL, what);
    fprintf(file, ",%s,%s,%.3f,", verdict, given, hand_in->seconds);
    text_put(file, TEXT_QUOTED_CELL, why);
    fputc(',', file);
    text_put(file, TEXT_QUOTED_CELL, hint);
    fputc(',', file);
    if (hand_in->likeness >= 0)
        text_put(file, TEXT_QUOTED_CELL, all[hand_in->like].file);
    fputc(',', file);
    if (hand_in->likeness >= 0)
        fprintf(file, "%d", hand_in->likeness);
    fputc('\n', file);
}

bool marks_write_csv(FILE *file, const struct grader *grader, const struct hand_in *hand_in,
                     int count)
{
    (void)grader; /* its seed is for the JSON */
    fputs("file,student,exercise,goal,verdict,points,seconds,why,hint,like,percent\n", file);
    for (int k = 0; k < count; k++) {
        const struct grade_marks *marks = &hand_in[k].marks;
        char text[1024];
        if (!hand_in_marked(&hand_in[k])) {
            put_row(file, hand_in, &hand_in[k], "", no_marks(&hand_in[k]),
                    hand_in[k].trouble ? -1 : 0, why_not(&hand_in[k], text, sizeof text), "");
            continue;
        }
        for (int i = 0; i < marks->findings; i++) {
            const struct grade_finding *finding = &marks->finding[i];
            bool ok = grade_met(marks, i);
            put_row(file, hand_in, &hand_in[k], finding->what, ok ? "ok" : "not yet",
                    hand_in_points(&hand_in[k], i), ok ? "" : finding_why(finding),
                    !ok && finding->hint ? finding->hint : "");
        }
    }
    return true;
}

static void add_goal(cJSON *goals, const struct hand_in *hand_in, int i)
{
    const struct grade_finding *finding = &hand_in->marks.finding[i];
    bool ok = grade_met(&hand_in->marks, i);
    cJSON *goal = cJSON_CreateObject();
    cJSON_AddItemToArray(goals, goal);
    cJSON_AddStringToObject(goal, "goal", finding->what);
    cJSON_AddBoolToObject(goal, "met", ok);
    cJSON_AddNumberToObject(goal, "points", hand_in_points(hand_in, i));
    if (!ok)
        cJSON_AddStringToObject(goal, "why", finding_why(finding));
    if (!ok && finding->hint)
        cJSON_AddStringToObject(goal, "hint", finding->hint);
}

bool marks_write_json(FILE *file, const struct grader *grader, const struct hand_in *hand_in,
                      int count)
{
    cJSON *root = cJSON_CreateObject(), *files = cJSON_AddArrayToObject(root, "files");
    cJSON_AddNumberToObject(root, "seed", (double)grader->seed);
    for (int k = 0; k < count; k++) {
        const struct hand_in *one = &hand_in[k];
        const struct grade_marks *marks = &one->marks;
        cJSON *object = cJSON_CreateObject();
        cJSON_AddItemToArray(files, object);
        cJSON_AddStringToObject(object, "file", one->file);
        cJSON_AddStringToObject(object, "student", one->student);
        cJSON_AddStringToObject(object, "exercise", one->exercise ? one->exercise->name : "");
        cJSON_AddNumberToObject(object, "seconds", one->seconds);
        if (one->likeness >= 0) {
            cJSON_AddStringToObject(object, "like", hand_in[one->like].file);
            cJSON_AddNumberToObject(object, "percent", one->likeness);
        }
        char why[1024];
        if (!hand_in_marked(one)) {
            cJSON_AddStringToObject(object, one->trouble ? "trouble" : "error",
                                    why_not(one, why, sizeof why));
            continue;
        }
        cJSON_AddNumberToObject(object, "points", marks->points);
        cJSON_AddNumberToObject(object, "of", marks->most);
        cJSON_AddNumberToObject(object, "runs", marks->runs);
        cJSON *goals = cJSON_AddArrayToObject(object, "goals");
        for (int i = 0; i < marks->findings; i++)
            add_goal(goals, one, i);
    }
    char *text = cJSON_PrintUnformatted(root);
    bool good = fprintf(file, "%s\n", text) > 0;
    cJSON_free(text);
    cJSON_Delete(root);
    return good;
}

/* Says of which exercises the files are: where a file says it itself, it may have chosen an easy one. */
static void print_exercises(FILE *to, const struct grader *grader, const struct hand_in *hand_in,
                            int count)
{
    int exercises = 0;
    for (const struct exercise *known = grader->exercises; known; known = known->next) {
        int files = 0;
        bool first = true; /* others of the name are variants for other students */
        for (const struct exercise *before = grader->exercises; before != known;
             before = before->next)
            first = first && strcmp(before->name, known->name) != 0;
        for (int k = 0; first && k < count; k++)
            files += hand_in[k].exercise && !strcmp(hand_in[k].exercise->name, known->name);
        if (files)
            fprintf(to, "%s%s (%d)", exercises++ ? ", " : "Exercises: ", known->name, files);
    }
    if (exercises)
        fputs(exercises > 1 && !grader->wanted
                  ? ". Each file says which is its; --exercise LESSON says it for all.\n"
                  : ".\n",
              to);
}

int marks_print_class(FILE *to, const struct grader *grader, const struct hand_in *hand_in,
                      int count)
{
    int width = 4, all = 0, troubled = 0;
    for (int k = 0; k < count; k++) {
        const int long_as = text_characters(hand_in[k].file, strlen(hand_in[k].file));
        width = long_as > width ? long_as : width;
    }
    for (int k = 0; k < count; k++) {
        const struct grade_marks *marks = &hand_in[k].marks;
        char line[sizeof(struct error)], why[1024];
        bool marked = hand_in_marked(&hand_in[k]);
        int missing = -1;
        for (int i = marks->findings - 1; marked && i >= 0; i--)
            missing = grade_met(marks, i) ? missing : i;
        all += marked && missing < 0;
        troubled += hand_in[k].trouble;
        snprintf(line, sizeof line, "%s", hand_in[k].file);
        fprintf(to, "%s%*s", text_clean(line),
                width - text_characters(hand_in[k].file, strlen(hand_in[k].file)) + 2, "");
        if (!marked) {
            fprintf(to, "%s: %s\n", no_marks(&hand_in[k]), why_not(&hand_in[k], why, sizeof why));
            continue;
        }
        marks_print_score(to, &hand_in[k]);
        if (missing >= 0)
            fprintf(to, "; not yet: %s", marks->finding[missing].what);
        if (hand_in[k].likeness >= 80)
            fprintf(to, "; %d%% like %s", hand_in[k].likeness, hand_in[hand_in[k].like].file);
        fputc('\n', to);
    }
    print_exercises(to, grader, hand_in, count);
    if (troubled)
        fprintf(to, "%d of %d files could not be graded on this machine.\n", troubled, count);
    fprintf(to,
            "%d of %d files meet all goals. (--seed %" PRIu64
            " draws the same parameters again.)\n",
            all, count, grader->seed);
    return all;
}
