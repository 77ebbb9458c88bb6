/* answers_table.c - what students answered, as CSV. */
#include "teach/publish.h"
#include "system/output.h"

#include <string.h>
#include <time.h>

/* "2026-11-22T09:15:00Z", or "" for never. */
static const char *time_text(int64_t seconds, char text[32])
{
    time_t time = (time_t)seconds;
    struct tm tm;
    text[0] = '\0';
    if (seconds > 0 && gmtime_r(&time, &tm))
        strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &tm);
    return text;
}

static void put_row(void *context, const struct lesson *lesson, const struct lesson_result *result)
{
    FILE *file = context;
    char time[32];
    text_put(file, TEXT_QUOTED_CELL, lesson->name);
    fputc(',', file);
    text_put(file, TEXT_QUOTED_CELL, result->student ? result->student : "");
    fprintf(file, ",%d,%d,%s,%d,%s,", result->attempt, result->question, result->verdict,
            result->wrong, result->hint ? "yes" : "no");
    text_put(file, TEXT_QUOTED_CELL, result->answers);
    fputc(',', file);
    text_put(file, TEXT_QUOTED_CELL, result->right);
    fprintf(file, ",%s,", time_text(result->time, time));
    text_put(file, TEXT_QUOTED_CELL, result->text);
    fputc('\n', file);
}

/* The lessons whose answers are written. */
struct table {
    const struct lesson_folders *folders;
    int first, last;
};

static bool put_table(FILE *file, void *context, struct error *error)
{
    const struct table *table = context;
    bool good = true;
    fputs("lesson,student,attempt,question,verdict,wrong,hint,answers,right,time,text\n", file);
    for (int i = table->first; good && i <= table->last; i++) {
        struct lesson lesson;
        good = lesson_load(table->folders->path[i], NULL, &lesson, error) &&
               lesson_results(&lesson, put_row, file, error);
        lesson_free(&lesson);
    }
    return good;
}

bool lesson_write_answers(const struct lesson_folders *folders, int first, int last,
                          const char *path, struct error *error)
{
    struct table table = {folders, first, last};
    return (!strcmp(path, "-") ||
            output_may_replace(path, "lesson,student,attempt", "a table of answers", error)) &&
           output_put(path, put_table, &table, error);
}
