/* marks_gradescope.c - marks of one hand-in as Gradescope's results.json. */
#include "teach/class/marks.h"

#include <cjson/cJSON.h>

static void add_test(cJSON *tests, const struct hand_in *hand_in, int i)
{
    const struct grade_finding *finding = &hand_in->marks.finding[i];
    const bool met = grade_met(&hand_in->marks, i);
    char output[1200] = "";
    cJSON *test = cJSON_CreateObject();
    cJSON_AddItemToArray(tests, test);
    cJSON_AddStringToObject(test, "name", finding->what);
    cJSON_AddStringToObject(test, "status", met ? "passed" : "failed");
    cJSON_AddNumberToObject(test, "score", hand_in_points(hand_in, i));
    cJSON_AddNumberToObject(test, "max_score", finding->points);
    if (!met)
        text_add(output, sizeof output, "%s", finding_why(finding));
    if (!met && finding->hint)
        text_add(output, sizeof output, "\nHint: %s", finding->hint);
    cJSON_AddStringToObject(test, "output", output);
    cJSON_AddStringToObject(test, "visibility", "visible");
}

/* What the compiler says, or why nothing can be graded. */
static void say_refused(const struct hand_in *hand_in, char *text, size_t room)
{
    *text = '\0';
    if (hand_in->error.text[0])
        text_add(text, room, "%s", hand_in->error.text);
    for (int i = 0; !hand_in->error.text[0] && i < hand_in->marks.messages; i++)
        text_add(text, room, "%s%d:%d: %s", i ? "\n" : "", hand_in->marks.message[i].line,
                 hand_in->marks.message[i].column, hand_in->marks.message[i].text);
}

bool marks_write_gradescope(FILE *file, const struct grader *grader, const struct hand_in *hand_in,
                            int count)
{
    cJSON *root = cJSON_CreateObject();
    char text[8192];
    (void)grader, (void)count;
    cJSON_AddNumberToObject(root, "score", hand_in_marked(hand_in) ? hand_in->marks.points : 0);
    cJSON_AddNumberToObject(root, "execution_time", hand_in->seconds);
    cJSON_AddStringToObject(root, "visibility", "visible");
    if (hand_in_marked(hand_in)) {
        cJSON *tests = cJSON_AddArrayToObject(root, "tests");
        for (int i = 0; i < hand_in->marks.findings; i++)
            add_test(tests, hand_in, i);
    } else {
        say_refused(hand_in, text, sizeof text);
        cJSON_AddStringToObject(root, "output", text);
    }
    char *json = cJSON_PrintUnformatted(root);
    const bool good = json && fprintf(file, "%s\n", json) > 0;
    cJSON_free(json);
    cJSON_Delete(root);
    return good;
}
