/* list.c - the lessons as a list, with how far the student has come; and how to go on after one of them. */
#include "teach/publish.h"

#include <stdlib.h>

/* "done", "page 3 of 14", or before the lesson has begun "about 20 + 15 minutes": of reading, and of the exercise. */
static void print_lesson(FILE *file, const struct lesson_play *play)
{
    const struct lesson *lesson = play->lesson;
    char state[64], exercise[16] = "";
    if (lesson->exercise)
        snprintf(exercise, sizeof exercise, " + %2d", lesson->exercise);
    if (play->done)
        snprintf(state, sizeof state, "done");
    else if (play->page > 0)
        snprintf(state, sizeof state, "page %d of %d", play->page + 1, lesson->pages);
    else
        snprintf(state, sizeof state, "about %2d%s minute%s", lesson->minutes, exercise,
                 lesson->minutes == 1 && !lesson->exercise ? "" : "s");
    char *title = lesson_plain(memory_copy(lesson->title));
    fprintf(file, "%-15s %-21s  %s\n", lesson->name, state, title);
    free(title);
}

bool lesson_list(const struct lesson_folders *folders, const char *language, FILE *file,
                 struct error *error)
{
    bool good = true;
    const char *next = NULL; /* the first that is not done */
    bool begun = false;      /* some lesson */
    for (int i = 0; i < folders->count; i++) {
        struct lesson lesson;
        struct error broken = {{0}};
        if (!lesson_load(folders->path[i], language, &lesson, &broken)) {
            good = good && error_set(error, "%s", broken.text);
            continue;
        }
        struct lesson_play play = {.lesson = &lesson};
        lesson_recall(&play);
        print_lesson(file, &play);
        begun |= play.done || play.page > 0;
        if (!next && !play.done)
            next = lesson_short_name(folders, i);
        lesson_free(&lesson);
    }
    if (begun && next)
        fprintf(file, "\n'bankscope lesson %s' goes on.\n", next);
    else
        fprintf(file, "\n'bankscope lesson NAME' plays one.\n");
    fprintf(file, "'bankscope lesson glossary' says what the words mean.\n");
    return good;
}

void lesson_farewell(const struct lesson_folders *folders, int i, const struct lesson *lesson,
                     char *text, size_t room)
{
    struct lesson next;
    struct error ignored = {{0}};
    const char *name = folders->asked ? folders->asked : lesson_short_name(folders, i);
    *text = '\0';
    if (exercise_is_there(lesson->folder))
        snprintf(text, room,
                 lesson_says(lesson,
                             "Exercise: 'bankscope lesson %s -o mine.cu' writes your copy; "
                             "fill in the marked part, and type 'bankscope check mine.cu'."),
                 name);
    if (i + 1 >= folders->count ||
        !lesson_load(folders->path[i + 1], *lesson->language ? lesson->language : NULL, &next,
                     &ignored))
        return;
    text_add(text, room, *text ? "\n" : "");
    text_add(text, room, lesson_says(lesson, "Next: %s ('bankscope lesson %s')."),
             lesson_plain(next.title), lesson_short_name(folders, i + 1));
    lesson_free(&next);
}

char *lesson_without_language(const struct lesson_folders *folders, int first, int last,
                              const char *language)
{
    char *names = NULL;
    size_t length;
    FILE *list = open_memstream(&names, &length);
    if (!list)
        memory_exhausted();
    for (int i = first; i <= last; i++)
        if (!lesson_has_language(folders->path[i], language))
            fprintf(list, "%s%s", ftell(list) ? ", " : "", lesson_base_name(folders->path[i]));
    if (fclose(list))
        memory_exhausted();
    return names;
}
