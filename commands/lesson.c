/* lesson.c - list the lessons, or play one: in the window, or as plain text. */
#include "commands/command.h"
#include "teach/teach.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char lesson_help[] =
    "usage: bankscope lesson [NAME] [--text|--window] [--restart]\n"
    "       bankscope lesson --answers [NAME]\n"
    "\n"
    "Plays a lesson: text, recordings to look at, and questions whose answers are computed from\n"
    "the recordings. NAME is 01-banks, banks, 01 or 1; without it the lessons are listed, with "
    "how\n"
    "far you have come. Plays in the window where there is a display, as text elsewhere, and goes\n"
    "on where you left it.\n"
    "\n"
    "  --text             play as text, in the terminal or from a pipe\n"
    "  --window           play in the window, or fail\n"
    "  --restart          begin with the first page again\n"
    "  --answers          for teachers: check the lesson (or all), print every answer\n"
    "\n"
    "examples:\n"
    "  bankscope lesson\n"
    "  bankscope lesson banks --text\n";

enum mode { MODE_FITTING, MODE_TEXT = 't', MODE_WINDOW = 'w', MODE_ANSWERS = 'a', RESTART = 'r' };
const struct option lesson_longs[] = {{"text", no_argument, NULL, MODE_TEXT},
                                      {"window", no_argument, NULL, MODE_WINDOW},
                                      {"answers", no_argument, NULL, MODE_ANSWERS},
                                      {"restart", no_argument, NULL, RESTART},
                                      {NULL, 0, NULL, 0}};

/* ---- finding ------------------------------------------------------------------------------- */

struct folders {
    char root[4096];
    struct dirent **entry;
    int count;
};

/* NN-name */
static int is_lesson(const struct dirent *entry)
{
    return isdigit((unsigned char)entry->d_name[0]) && isdigit((unsigned char)entry->d_name[1]) &&
           entry->d_name[2] == '-';
}

static bool find_folders(struct folders *folders, struct error *error)
{
    if (!data_path("lessons", folders->root, sizeof folders->root, error))
        return false;
    folders->count = scandir(folders->root, &folders->entry, is_lesson, alphasort);
    return folders->count > 0 ||
           error_set(error, "%s holds no lesson (NN-name/lesson.md)", folders->root);
}

static void free_folders(struct folders *folders)
{
    for (int i = 0; i < folders->count; i++)
        free(folders->entry[i]);
    free(folders->entry);
}

/* Whether a folder's name is meant by 01-banks, banks, 01 or 1. */
static bool is_meant(const char *folder, const char *name)
{
    char *end;
    long number = strtol(name, &end, 10);
    if (end > name && !*end)
        return number == strtol(folder, NULL, 10);
    return !strcmp(folder, name) || !strcmp(folder + 3, name);
}

static bool load(const struct folders *folders, int i, struct lesson *lesson, struct error *error)
{
    char folder[4096 + 256];
    snprintf(folder, sizeof folder, "%s/%s", folders->root, folders->entry[i]->d_name);
    return lesson_load(folder, lesson, error);
}

/* The index of the folder, or -1. */
static int choose(const struct folders *folders, const char *name, struct error *error)
{
    enum { ROOM = 100 };
    const char *names[ROOM + 1] = {NULL};
    for (int i = 0; i < folders->count; i++) {
        if (is_meant(folders->entry[i]->d_name, name))
            return i;
        if (i < ROOM)
            names[i] = folders->entry[i]->d_name + 3;
    }
    error_unknown(error, "there is no lesson", name, names, "'bankscope lesson' lists them");
    return -1;
}

/* What the list says of a lesson: its length, or how far the student has come. */
static void print_lesson(const struct lesson_play *play)
{
    const struct lesson *lesson = play->lesson;
    char state[64];
    if (play->done)
        snprintf(state, sizeof state, "done");
    else if (play->page > 0)
        snprintf(state, sizeof state, "page %d of %d", play->page + 1, lesson->pages);
    else
        snprintf(state, sizeof state, "about %2d minute%s", lesson->minutes,
                 lesson->minutes == 1 ? "" : "s");
    char *title = lesson_plain(memory_copy(lesson->title));
    printf("%-14s %-16s  %s\n", lesson->name, state, title);
    free(title);
}

/* Lists all lessons; one that is broken hides no other. Returns the exit status. */
static int list_lessons(const struct folders *folders)
{
    int status = 0;
    const char *next = NULL; /* the first that is not done */
    bool begun = false;      /* some lesson */
    for (int i = 0; i < folders->count; i++) {
        struct lesson lesson;
        struct error error = {{0}};
        if (!load(folders, i, &lesson, &error)) {
            status = command_fail("lesson", &error);
            continue;
        }
        struct lesson_play play = {.lesson = &lesson};
        lesson_recall(&play);
        print_lesson(&play);
        begun |= play.done || play.page > 0;
        if (!next && !play.done)
            next = folders->entry[i]->d_name + 3;
        lesson_free(&lesson);
    }
    if (begun && next)
        printf("\n'bankscope lesson %s' goes on.\n", next);
    else
        printf("\n'bankscope lesson NAME' plays one.\n");
    return status;
}

/* ---- the command --------------------------------------------------------------------------- */

/* How to go on: to the exercise, where the lesson has one, and to the next lesson. */
static void make_farewell(const struct folders *folders, int i, const struct lesson *lesson,
                          char *text, size_t room)
{
    char exercise[4200];
    struct lesson next;
    struct error ignored = {{0}};
    snprintf(exercise, sizeof exercise, "%s/exercise.cu", lesson->folder);
    *text = '\0';
    if (access(exercise, R_OK) == 0)
        snprintf(text, room,
                 "Exercise: copy %s, fill in the marked part, and type 'bankscope check' with your "
                 "copy.",
                 exercise);
    if (i + 1 >= folders->count || !load(folders, i + 1, &next, &ignored))
        return;
    size_t used = strlen(text);
    snprintf(text + used, room - used, "%sNext: %s ('bankscope lesson %s').", used ? "\n" : "",
             lesson_plain(next.title), folders->entry[i + 1]->d_name + 3);
    lesson_free(&next);
}

/* How to play: as text, in the window, or whichever fits. */

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

/* Plays the lesson of a folder. Returns the exit status. */
static int play_folder(const struct folders *folders, int i, enum mode mode, bool restart)
{
    struct lesson lesson;
    struct lesson_play play = {.lesson = &lesson};
    struct error error = {{0}};
    char farewell[4600];
    bool good = load(folders, i, &lesson, &error);
    if (good && mode == MODE_FITTING)
        mode = has_display() ? MODE_WINDOW : MODE_TEXT;
    /* What a pipe answers is no student's progress. */
    play.keep = good && (mode == MODE_WINDOW || (mode == MODE_TEXT && isatty(STDIN_FILENO)));
    if (play.keep)
        lesson_recall(&play);
    if (restart)
        play.page = 0;
    if (good) {
        make_farewell(folders, i, &lesson, farewell, sizeof farewell);
        good = mode == MODE_ANSWERS  ? lesson_answers(&play, &error)
               : mode == MODE_WINDOW ? play_window(&play, farewell, &error)
                                     : lesson_text(&play, farewell, &error);
    }
    if (play.trouble.text[0])
        fprintf(stderr, "bankscope lesson: progress is not kept: %s\n", play.trouble.text);
    lesson_play_free(&play);
    lesson_free(&lesson);
    return good ? 0 : command_fail("lesson", &error);
}

int command_lesson(int argc, char **argv)
{
    enum mode mode = MODE_FITTING;
    bool restart = false;
    int option;

    while ((option = command_option(argc, argv, ":", lesson_longs)) != -1) {
        if (option == '?')
            return 2;
        if (option == RESTART)
            restart = true;
        else
            mode = (enum mode)option;
    }
    if (argc - optind > 1)
        return command_usage(argv[0], "one lesson at a time");
    const char *name = optind < argc ? argv[optind] : NULL;
    struct error error = {{0}};
    struct folders folders = {.count = 0};
    int status = 0, first = 0;
    if (!find_folders(&folders, &error)) {
        status = command_fail(argv[0], &error);
    } else if (!name && mode != MODE_ANSWERS) {
        status = list_lessons(&folders);
    } else if (name && (first = choose(&folders, name, &error)) < 0) {
        status = command_fail(argv[0], &error);
    } else {
        for (int i = first; i < (name ? first + 1 : folders.count); i++)
            status |= play_folder(&folders, i, mode, restart);
    }
    free_folders(&folders);
    return status;
}
