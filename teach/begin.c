/* begin.c - a lesson begun from its folder: where the student left it, in the window or as text; checked; or watched
 * while it is being written. */
#include "teach/publish.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static bool has_display(void)
{
#ifdef HAVE_SDL
    const char *x11 = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) &&
           ((x11 && *x11) || (wayland && *wayland));
#else
    return false;
#endif
}

static bool play_window(struct lesson_play *play, const char *farewell, struct error *error)
{
#ifdef HAVE_SDL
    return lesson_window(play, farewell, error);
#else
    (void)play, (void)farewell;
    return error_set(error, "this program was built without a window; install SDL2 and build "
                            "again, or use --text");
#endif
}

static struct lesson_play play_of(const struct lesson_way *way)
{
    return (struct lesson_play){
        .student = way->student, .presenting = way->presenting, .trusted = way->trusted};
}

bool lesson_begin(const struct lesson_folders *folders, int i, const struct lesson_way *way,
                  struct error *trouble, struct error *error)
{
    struct lesson lesson;
    struct lesson_play play = play_of(way);
    char farewell[4600];
    enum lesson_place place = way->place;
    if (!lesson_load(folders->path[i], way->language, &lesson, error))
        return false;
    play.lesson = &lesson;
    if (place == LESSON_FITTING)
        place = has_display() ? LESSON_IN_WINDOW : LESSON_AS_TEXT;
    /* What a pipe answers is no student's progress. */
    play.keep = place == LESSON_IN_WINDOW || (place == LESSON_AS_TEXT && isatty(STDIN_FILENO));
    if (play.keep)
        lesson_recall(&play);
    if (way->restart)
        play.page = 0;
    else if (play.keep && !(play.done && play.page == 0)) /* what is done begins anew */
        lesson_recall_answers(&play);
    lesson_farewell(folders, i, &lesson, farewell, sizeof farewell);
    bool good = place == LESSON_CHECKED     ? lesson_answers(&play, error)
                : place == LESSON_IN_WINDOW ? play_window(&play, farewell, error)
                                            : lesson_text(&play, farewell, error);
    *trouble = play.trouble;
    lesson_play_free(&play);
    lesson_free(&lesson);
    return good;
}

/* Checks the lesson whenever a file of its folder is saved, until a signal ends it. */
static void check_always(const char *folder, const struct lesson_way *way)
{
    const struct timespec pause = {.tv_nsec = 250000000};
    for (uint64_t seen = 0, stamp;; nanosleep(&pause, NULL)) {
        struct lesson lesson;
        struct lesson_play play = play_of(way);
        struct error error = {{0}};
        if ((stamp = lesson_stamp(folder)) == seen)
            continue;
        seen = stamp;
        play.lesson = &lesson;
        if (lesson_load(folder, way->language, &lesson, &error) && lesson_answers(&play, &error))
            printf("all is well; save to check again, Ctrl+C ends\n\n");
        else
            printf("%s\n\n", error.text);
        fflush(stdout);
        lesson_play_free(&play);
        lesson_free(&lesson);
    }
}

bool lesson_begin_watched(const char *folder, const struct lesson_way *way, struct error *error)
{
    enum lesson_place place = way->place;
    struct lesson_play play = play_of(way);
    if (place == LESSON_FITTING)
        place = has_display() ? LESSON_IN_WINDOW : LESSON_CHECKED;
    if (place == LESSON_CHECKED)
        check_always(folder, way);
#ifdef HAVE_SDL
    return lesson_watch(&play, folder, way->language, error);
#else
    return play_window(&play, "", error);
#endif
}
