/* lesson.c - list the lessons, or play one: in the window, or as plain text. */
#include "commands/command.h"
#include "teach/teach.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char lesson_help[] =
    "usage: bankscope lesson [NAME|FOLDER] [--text|--window|--present] [--restart]\n"
    "       bankscope lesson --answers [NAME|FOLDER]\n"
    "       bankscope lesson NAME|FOLDER|--all -o FILE.html\n"
    "\n"
    "Plays a lesson: text, recordings to look at, and questions whose answers are computed from\n"
    "the recordings. NAME is 01-banks, banks, 01 or 1; FOLDER, with a slash in it, is your own\n"
    "lesson. Without either, lists the lessons and your progress. A lesson plays in a window if\n"
    "there is a display, otherwise as text, and continues where you left it.\n"
    "\n"
    "  --text             play as text, in the terminal or from a pipe\n"
    "  --window           play in the window, or fail\n"
    "  --present          play in the window for a class, as F5 does: large text, a halo around "
    "the\n"
    "                     pointer, and a second window with your notes and the answers\n"
    "  --restart          start again at the first page\n"
    "  --student NAME     draw this student's numbers, where the lesson has numbers to draw: the\n"
    "                     same name gets the same numbers everywhere\n"
    "  --answers          for teachers: check the lesson (or all) and print every answer\n"
    "  -o FILE.html       write a web page with text, pictures, questions and exercise, in which\n"
    "                     the recordings can be stepped through and changed\n"
    "  --all              all lessons in one page\n"
    "\n"
    "examples:\n"
    "  bankscope lesson\n"
    "  bankscope lesson banks --text\n"
    "  bankscope lesson strides --present\n"
    "  bankscope lesson --all -o course.html\n"
    "  bankscope lesson --answers ./my-lesson\n";

enum mode {
    MODE_FITTING,
    MODE_TEXT = 't',
    MODE_WINDOW = 'w',
    MODE_ANSWERS = 'a',
    RESTART = 'r',
    ALL = 'A',
    STUDENT = 's',
    PRESENT = 'p'
};
const struct option lesson_longs[] = {{"text", no_argument, NULL, MODE_TEXT},
                                      {"window", no_argument, NULL, MODE_WINDOW},
                                      {"answers", no_argument, NULL, MODE_ANSWERS},
                                      {"restart", no_argument, NULL, RESTART},
                                      {"all", no_argument, NULL, ALL},
                                      {"present", no_argument, NULL, PRESENT},
                                      {"student", required_argument, NULL, STUDENT},
                                      {"output", required_argument, NULL, 'o'},
                                      {NULL, 0, NULL, 0}};

/* ---- finding ------------------------------------------------------------------------------- */

/* Folders of lessons, in order. */
struct folders {
    char **path;
    int count;
};

/* NN-name */
static int is_lesson(const struct dirent *entry)
{
    return isdigit((unsigned char)entry->d_name[0]) && isdigit((unsigned char)entry->d_name[1]) &&
           entry->d_name[2] == '-';
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The name by which a lesson that comes with the program is called: without its number. */
static const char *short_name(const struct folders *folders, int i)
{
    return base_name(folders->path[i]) + 3;
}

/* The lessons that come with the program. */
static bool find_own(struct folders *folders, struct error *error)
{
    char root[4096], path[4096 + 256];
    struct dirent **entry = NULL;
    if (!data_path("lessons", root, sizeof root, error))
        return false;
    int count = scandir(root, &entry, is_lesson, alphasort);
    if (count <= 0)
        return error_set(error, "%s holds no lesson (NN-name/lesson.md)", root);
    folders->path = memory_new((size_t)count, sizeof *folders->path);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", root, entry[i]->d_name);
        folders->path[folders->count++] = memory_copy(path);
        free(entry[i]);
    }
    free(entry);
    return true;
}

/* One folder of the user's. */
static bool find_folder(struct folders *folders, const char *name, struct error *error)
{
    char path[PATH_MAX];
    if (!realpath(name, path))
        return error_set(error, "cannot read %s: %s", name, strerror(errno));
    folders->path = memory_new(1, sizeof *folders->path);
    folders->path[folders->count++] = memory_copy(path);
    return true;
}

static void free_folders(struct folders *folders)
{
    for (int i = 0; i < folders->count; i++)
        free(folders->path[i]);
    free(folders->path);
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

/* The index of the folder, or -1. */
static int choose(const struct folders *folders, const char *name, struct error *error)
{
    enum { ROOM = 100 };
    const char *names[ROOM + 1] = {NULL};
    for (int i = 0; i < folders->count; i++) {
        if (is_meant(base_name(folders->path[i]), name))
            return i;
        if (i < ROOM)
            names[i] = short_name(folders, i);
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
        if (!lesson_load(folders->path[i], &lesson, &error)) {
            status = command_fail("lesson", &error);
            continue;
        }
        struct lesson_play play = {.lesson = &lesson};
        lesson_recall(&play);
        print_lesson(&play);
        begun |= play.done || play.page > 0;
        if (!next && !play.done)
            next = short_name(folders, i);
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
    if (i + 1 >= folders->count || !lesson_load(folders->path[i + 1], &next, &ignored))
        return;
    size_t used = strlen(text);
    snprintf(text + used, room - used, "%sNext: %s ('bankscope lesson %s').", used ? "\n" : "",
             lesson_plain(next.title), short_name(folders, i + 1));
    lesson_free(&next);
}

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
static int play_folder(const struct folders *folders, int i, enum mode mode, bool restart,
                       bool presenting, const char *student)
{
    struct lesson lesson;
    struct lesson_play play = {.lesson = &lesson, .student = student, .presenting = presenting};
    struct error error = {{0}};
    char farewell[4600];
    bool good = lesson_load(folders->path[i], &lesson, &error);
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

/* Writes the lessons first to last into a page. Returns the exit status. */
static int write_page(const struct folders *folders, int first, int last, const char *path,
                      const char *student)
{
    struct error error = {{0}};
    char *article = NULL;
    size_t length;
    FILE *file = open_memstream(&article, &length);
    if (!file)
        memory_exhausted();
    bool good = true;
    for (int contents = last > first; good && contents >= 0; contents--) {
        fputs(contents ? "<h1>Bank conflicts</h1>\n<ol>\n" : "", file);
        for (int i = first; good && i <= last; i++) {
            struct lesson lesson;
            struct lesson_play play = {.lesson = &lesson, .student = student};
            good = lesson_load(folders->path[i], &lesson, &error);
            if (good && contents) {
                char *title = lesson_plain(memory_copy(lesson.title));
                fputs("<li><a href=\"#", file);
                html_text(file, lesson.name);
                fputs("\">", file);
                html_text(file, title);
                fputs("</a></li>\n", file);
                free(title);
            } else if (good) {
                good = lesson_page(&play, file, &error);
            }
            lesson_play_free(&play);
            lesson_free(&lesson);
        }
        fputs(contents ? "</ol>\n" : "", file);
    }
    fclose(file);
    struct page page = {.article = article};
    good = good && page_write(path, &page, &error);
    free(article);
    return good ? 0 : command_fail("lesson", &error);
}

int command_lesson(int argc, char **argv)
{
    enum mode mode = MODE_FITTING;
    bool restart = false, all = false, presenting = false;
    const char *output = NULL, *student = NULL;
    int option;

    while ((option = command_option(argc, argv, ":o:", lesson_longs)) != -1) {
        if (option == '?')
            return 2;
        if (option == RESTART)
            restart = true;
        else if (option == ALL)
            all = true;
        else if (option == 'o')
            output = optarg;
        else if (option == STUDENT)
            student = optarg;
        else if (option == PRESENT)
            mode = MODE_WINDOW, presenting = true;
        else
            mode = (enum mode)option;
    }
    if (argc - optind > 1)
        return command_usage(argv[0], "one lesson at a time");
    const char *name = optind < argc ? argv[optind] : NULL;
    if (all && (!output || name))
        return command_usage(argv[0], "--all is for all lessons in a page: --all -o course.html");
    if (output && !all && !name)
        return command_usage(argv[0], "which lesson? --all takes all of them");
    if (output && !page_is_asked(output))
        return command_usage(argv[0], "'%s' must end in .html: a lesson is written as a web page",
                             output);
    bool own = name && strchr(name, '/');
    struct error error = {{0}};
    struct folders folders = {.count = 0};
    int status = 0, first = 0;
    if (!(own ? find_folder(&folders, name, &error) : find_own(&folders, &error)) ||
        (name && !own && (first = choose(&folders, name, &error)) < 0)) {
        status = command_fail(argv[0], &error);
    } else if (output) {
        status = write_page(&folders, first, all ? folders.count - 1 : first, output, student);
    } else if (!name && mode != MODE_ANSWERS) {
        status = list_lessons(&folders);
    } else {
        for (int i = first; i < (name ? first + 1 : folders.count); i++)
            status |= play_folder(&folders, i, mode, restart, presenting, student);
    }
    free_folders(&folders);
    return status;
}
