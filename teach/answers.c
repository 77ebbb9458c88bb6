/* answers.c - a lesson for its author: everything in it is made and checked, every answer printed. */
#define _GNU_SOURCE /* getdelim */
#include "teach/teach.h"

#include <stdlib.h>
#include <string.h>

/* Whether a file that comes with the program holds the text. */
static bool is_quoted(const char *name, const char *text, struct error *error)
{
    char path[4096];
    if (!data_path(name, path, sizeof path, error))
        return false;
    FILE *file = fopen(path, "rb");
    char *all = NULL;
    size_t room = 0;
    bool found = file && getdelim(&all, &room, '\0', file) > 0 && strstr(all, text);
    if (file)
        fclose(file);
    free(all);
    return found || error_set(error, "these lines are not in %s", name);
}

static bool print_answer(struct lesson_play *play, const struct lesson_block *block,
                         struct error *error)
{
    const struct lesson_quiz *quiz = &block->quiz;
    int64_t answer;
    char right[256];
    char *question = lesson_fill(play, block, quiz->question, error);
    char *because = question ? lesson_fill(play, block, quiz->because, error) : NULL;
    bool good = because && lesson_answer(play, block, &answer, error);
    if (good) {
        lesson_show_answer(quiz, answer, right, sizeof right);
        printf("%s, line %d: %s\n  = %s\n", play->lesson->name, block->line, question, right);
    }
    free(question);
    free(because);
    return good;
}

bool lesson_answers(struct lesson_play *play, struct error *error)
{
    bool good = true;
    for (int i = 0; good && i < play->lesson->blocks; i++) {
        const struct lesson_block *block = &play->lesson->block[i];
        struct error cause = {{0}};
        char *text;
        switch (block->kind) {
        case LESSON_RUN:
            good = lesson_record(play, block, error);
            break;
        case LESSON_QUIZ:
            good = print_answer(play, block, error);
            break;
        case LESSON_CODE:
            good = !block->source || is_quoted(block->source, block->text, &cause) ||
                   error_set(error, "%s/lesson.md:%d: %s", play->lesson->folder, block->line,
                             cause.text);
            break;
        default:
            text = lesson_fill(play, block, block->text, error);
            good = text;
            free(text);
        }
    }
    return good;
}
