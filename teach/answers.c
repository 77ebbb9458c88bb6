/* answers.c - a lesson for its author: everything in it is made and checked, every answer printed. */
#define _GNU_SOURCE /* getdelim */
#include "system/file.h"
#include "teach/teach.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* The path of the file that is quoted: one of the lesson's folder, or one that comes with the
 * program. Of the latter, the folders themselves ("kernels") may be links. */
static bool find_source(const struct lesson *lesson, const char *name, char *path, size_t room,
                        struct error *error)
{
    char first[256], top[4096];
    struct error none = {{0}};
    const char *slash = strchr(name, '/');
    if (path_below(lesson->folder, name, path, room, &none))
        return true;
    snprintf(first, sizeof first, "%.*s", slash ? (int)(slash - name) : 0, name);
    if (*name == '/' || !strcmp(first, ".."))
        return error_set(error,
                         "'%s' may lie anywhere; quote a file of the lesson's folder, or one that "
                         "comes with the program",
                         name);
    return data_path(first, top, sizeof top, error) &&
           path_below(top, slash ? slash + 1 : name, path, room, error);
}

/* Whether the file holds the text. */
static bool is_quoted(const struct lesson *lesson, const char *name, const char *text,
                      struct error *error)
{
    char path[4096];
    if (!find_source(lesson, name, path, sizeof path, error))
        return false;
    struct error ignored = {{0}};
    FILE *file = file_open(path, &ignored);
    char *all = NULL;
    size_t room = 0;
    bool found = file && getdelim(&all, &room, '\0', file) > 0 && strstr(all, text);
    if (file)
        fclose(file);
    free(all);
    return found || error_set(error, "these lines are not in %s", name);
}

/* Whether every text of the question can be filled in, and no nudge is for the right answer or for one that a nudge
 * before it is for: it would never be said. */
static bool check_quiz(const struct lesson_play *play, const struct lesson_block *block,
                       int64_t right, struct error *error)
{
    const struct lesson_quiz *quiz = &block->quiz;
    struct error cause = {{0}};
    int64_t wrong[MAX_NUDGES];
    for (int i = -2; i < quiz->nudges; i++) {
        char *text = lesson_fill(play, block,
                                 i == -2   ? quiz->because
                                 : i == -1 ? quiz->idea
                                           : quiz->nudge[i].text,
                                 error);
        free(text);
        if (!text)
            return false;
        if (i < 0)
            continue;
        if (lesson_nudge_for(play, quiz, i, &wrong[i], &cause) && wrong[i] == right)
            error_set(&cause, "the nudge for '%s' is for the right answer", quiz->nudge[i].when);
        for (int k = 0; !cause.text[0] && k < i; k++)
            if (wrong[k] == wrong[i])
                error_set(&cause,
                          "the nudge for '%s' is never said: that for '%s' is for the same answer",
                          quiz->nudge[i].when, quiz->nudge[k].when);
        if (cause.text[0])
            return lesson_at(play->lesson, block, &cause, error);
    }
    return true;
}

static bool print_answer(struct lesson_play *play, const struct lesson_block *block,
                         struct error *error)
{
    const struct lesson_quiz *quiz = &block->quiz;
    int64_t answer;
    char right[256];
    char *question = lesson_fill(play, block, quiz->question, error);
    bool good = question && lesson_answer(play, block, &answer, error) &&
                check_quiz(play, block, answer, error);
    if (good) {
        lesson_show_answer(quiz, answer, right, sizeof right);
        printf("%s, line %d: %s\n  = %s\n", play->lesson->name, block->line, lesson_plain(question),
               lesson_plain(right));
    }
    free(question);
    return good;
}

/* Whether every condition and text of a lab can be computed; what its example means. */
static bool print_example(const struct lesson_play *play, const struct lesson_block *block,
                          struct error *error)
{
    struct lesson_numbers *numbers = memory_new(1, sizeof *numbers);
    char *question = lesson_fill(play, block, block->lab.question, error);
    bool good = question && lesson_check_lab(play, block, error) &&
                lesson_example(play, block, numbers, error);
    if (good)
        printf("%s, line %d: lab: %s\n%s\n", play->lesson->name, block->line,
               lesson_plain(question), lesson_plain(numbers->said));
    free(question);
    free(numbers);
    return good;
}

/* Whether what should come before are lessons. */
static bool check_after(const struct lesson *lesson, struct error *error)
{
    char root[PATH_MAX], *names = memory_copy(lesson->after ? lesson->after : ""), *rest = names;
    struct dirent **entry = NULL;
    const int count = *names ? lessons_find(root, sizeof root, &entry, error) : 0;
    for (char *name; !error->text[0] && (name = strtok_r(rest, ", ", &rest));) {
        bool found = false;
        for (int i = 0; i < count; i++)
            found |= !strcmp(entry[i]->d_name, name);
        if (!found)
            error_set(error, "%s/lesson.md: after: there is no lesson '%s'", lesson->folder, name);
    }
    for (int i = 0; i < count; i++)
        free(entry[i]);
    free(entry);
    free(names);
    return !error->text[0];
}

bool lesson_answers(struct lesson_play *play, struct error *error)
{
    bool good = check_after(play->lesson, error);
    for (int i = 0; good && i < play->lesson->blocks; i++) {
        const struct lesson_block *block = &play->lesson->block[i];
        struct error cause = {{0}};
        char *text;
        switch (block->kind) {
        case LESSON_RUN:
        case LESSON_DRAW:
            good = lesson_record(play, block, error);
            break;
        case LESSON_QUIZ:
            good = print_answer(play, block, error);
            break;
        case LESSON_LAB:
            good = print_example(play, block, error);
            break;
        case LESSON_CODE:
            good = !block->source || is_quoted(play->lesson, block->source, block->text, &cause) ||
                   lesson_at(play->lesson, block, &cause, error);
            break;
        default:
            text = lesson_fill(play, block, block->text, error);
            good = text;
            if (text && block->kind == LESSON_NOTE)
                printf("%s, line %d: note: %s\n", play->lesson->name, block->line,
                       lesson_plain(text));
            free(text);
        }
    }
    return good;
}
