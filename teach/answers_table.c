/* answers_table.c - what students answered, as CSV or JSON. */
#include "teach/publish.h"
#include "system/output.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A table of answers in the making. */
struct table {
    FILE *file;
    cJSON *array;
};

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

static void put_csv(void *context, const struct lesson *lesson, const struct lesson_result *result)
{
    FILE *file = ((struct table *)context)->file;
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

static void put_json(void *context, const struct lesson *lesson, const struct lesson_result *result)
{
    cJSON *object = cJSON_CreateObject();
    char time[32];
    cJSON_AddItemToArray(((struct table *)context)->array, object);
    cJSON_AddStringToObject(object, "lesson", lesson->name);
    cJSON_AddStringToObject(object, "student", result->student ? result->student : "");
    cJSON_AddNumberToObject(object, "attempt", result->attempt);
    cJSON_AddNumberToObject(object, "question", result->question);
    cJSON_AddStringToObject(object, "verdict", result->verdict);
    cJSON_AddNumberToObject(object, "wrong", result->wrong);
    cJSON_AddBoolToObject(object, "hint", result->hint);
    cJSON_AddStringToObject(object, "answers", result->answers);
    cJSON_AddStringToObject(object, "right", result->right);
    cJSON_AddStringToObject(object, "time", time_text(result->time, time));
    cJSON_AddStringToObject(object, "text", result->text);
}

static void begin_csv(struct table *table)
{
    fputs("lesson,student,attempt,question,verdict,wrong,hint,answers,right,time,text\n",
          table->file);
}

static void begin_json(struct table *table)
{
    table->array = cJSON_CreateArray();
}

static void end_json(struct table *table)
{
    char *text = cJSON_PrintUnformatted(table->array);
    fprintf(table->file, "{\"answers\":%s}\n", text_clean(text));
    cJSON_free(text);
    cJSON_Delete(table->array);
}

static const struct form {
    void (*begin)(struct table *table);
    lesson_take_result *put;
    void (*end)(struct table *table); /* or NULL */
    const char *mark;                 /* how it begins */
} csv_form = {begin_csv, put_csv, NULL, "lesson,student,attempt"},
  json_form = {begin_json, put_json, end_json, "{\"answers\":"};

bool lesson_write_answers(const struct lesson_folders *folders, int first, int last, bool json,
                          const char *path, struct error *error)
{
    const struct form *form = json ? &json_form : &csv_form;
    bool standard = !strcmp(path, "-"), good = true;
    struct output output = {.file = stdout};
    if (!standard && (!output_may_replace(path, form->mark, "a table of answers", error) ||
                      !output_open(&output, path, error)))
        return false;
    struct table table = {.file = output.file};
    form->begin(&table);
    for (int i = first; good && i <= last; i++) {
        struct lesson lesson;
        good = lesson_load(folders->path[i], NULL, &lesson, error) &&
               lesson_results(&lesson, form->put, &table, error);
        lesson_free(&lesson);
    }
    if (form->end)
        form->end(&table);
    return standard ? good : output_close(&output, good, error);
}
