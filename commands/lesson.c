/* lesson.c - list the lessons, or play one: in the window, or as plain text. */
#include "commands/command.h"
#include "system/file.h"
#include "system/output.h"
#include "teach/publish.h"
#include "viewer/page.h"
#include "viewer/viewer.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

const char lesson_help[] =
    "usage: bankscope lesson [NAME|FOLDER] [--text|--window|--present] [--restart]\n"
    "       bankscope lesson --answers [NAME|FOLDER]\n"
    "       bankscope lesson [NAME|FOLDER] --csv|--json FILE\n"
    "       bankscope lesson NAME|FOLDER|--all -o FILE.html|.pdf|.cu|.gift|.pot "
    "[--slides|--answers]\n"
    "       bankscope lesson NAME|FOLDER --autograder FOLDER\n"
    "       bankscope lesson NAME|FOLDER|--all --publish FOLDER\n"
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
    "  --language NAME    in another language (de), where the lesson has it; otherwise in English\n"
    "  --watch            for writing a lesson in a FOLDER: whenever you save, show the page that "
    "has\n"
    "                     changed, or what is wrong and in which line; without a display, or with\n"
    "                     --answers, check it and print every answer\n"
    "  --trust            let a lesson from a FOLDER run its CUDA programs, whose host part runs\n"
    "                     natively, with your rights: play such a lesson only if you trust who\n"
    "                     wrote it. Kernels in the dialect are compiled and run without asking\n"
    "  --answers          for teachers: check the lesson (or all) and print every answer\n"
    "  --csv FILE         write what you answered, of one lesson or of all: a line for each "
    "question\n"
    "                     and attempt (-: to standard output)\n"
    "  --json FILE        write the same as JSON\n"
    "  -o FILE.html       write a web page with text, pictures, questions and exercise, in which\n"
    "                     recordings are stepped through and changed, and exercises are done and\n"
    "                     graded, without a network\n"
    "  -o FILE.pdf        write a handout for A4, with room for answers; with --answers, the\n"
    "                     teacher's copy, with answers and notes\n"
    "  --slides           with -o FILE.pdf: slides, where each answer comes after its question\n"
    "  -o FILE.cu         write a copy of the exercise, to be filled in; with --student, one with\n"
    "                     this student's name and numbers\n"
    "  -o FILE.gift       write the questions with their answers, for Moodle\n"
    "  -o FILE.pot        write the texts, for whoever translates them (doc/teaching.md)\n"
    "  --autograder FOLDER  write an autograder in Gradescope's format for the exercise\n"
    "  --publish FOLDER   write page, handout and copy of the exercise of the lesson, or\n"
    "                     with --all of all, with an index.html\n"
    "  --all              all lessons in one file\n"
    "\n"
    "examples:\n"
    "  bankscope lesson\n"
    "  bankscope lesson banks --text\n"
    "  bankscope lesson strides --present\n"
    "  bankscope lesson --csv answers.csv\n"
    "  bankscope lesson --all -o course.html\n"
    "  bankscope lesson strides -o strides.pdf\n"
    "  bankscope lesson --answers ./my-lesson\n"
    "  bankscope lesson ./my-lesson --watch\n";

enum mode {
    MODE_FITTING,
    MODE_TEXT = 't',
    MODE_WINDOW = 'w',
    MODE_ANSWERS = 'a',
    RESTART = 'r',
    ALL = 'A',
    STUDENT = 's',
    PRESENT = 'p',
    SLIDES = 'S',
    WATCH = 'W',
    CSV = 'c',
    JSON = 'j',
    TRUST = 'T',
    AUTOGRADER = 'G',
    PUBLISH = 'P',
    LANGUAGE = 'L'
};
const struct option lesson_longs[] = {{"text", no_argument, NULL, MODE_TEXT},
                                      {"window", no_argument, NULL, MODE_WINDOW},
                                      {"answers", no_argument, NULL, MODE_ANSWERS},
                                      {"restart", no_argument, NULL, RESTART},
                                      {"all", no_argument, NULL, ALL},
                                      {"present", no_argument, NULL, PRESENT},
                                      {"slides", no_argument, NULL, SLIDES},
                                      {"watch", no_argument, NULL, WATCH},
                                      {"trust", no_argument, NULL, TRUST},
                                      {"csv", required_argument, NULL, CSV},
                                      {"json", required_argument, NULL, JSON},
                                      {"student", required_argument, NULL, STUDENT},
                                      {"autograder", required_argument, NULL, AUTOGRADER},
                                      {"publish", required_argument, NULL, PUBLISH},
                                      {"language", required_argument, NULL, LANGUAGE},
                                      {"output", required_argument, NULL, 'o'},
                                      {NULL, 0, NULL, 0}};

/* What is asked for on the command line. */
struct request {
    enum mode mode;
    bool restart, all, presenting, watch, trust;
    const char *csv, *json, *autograder, *publish;
    struct lesson_writing writing; /* path: of -o, or NULL */
};

/* What the list says of a lesson: its length, or how far the student has come. */
static void print_lesson(const struct lesson_play *play)
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
    printf("%-15s %-21s  %s\n", lesson->name, state, title);
    free(title);
}

/* Lists all lessons; one that is broken hides no other. Returns the exit status. */
static int list_lessons(const struct lesson_folders *folders, const char *language)
{
    int status = 0;
    const char *next = NULL; /* the first that is not done */
    bool begun = false;      /* some lesson */
    for (int i = 0; i < folders->count; i++) {
        struct lesson lesson;
        struct error error = {{0}};
        if (!lesson_load(folders->path[i], language, &lesson, &error)) {
            status = command_fail("lesson", &error);
            continue;
        }
        struct lesson_play play = {.lesson = &lesson};
        lesson_recall(&play);
        print_lesson(&play);
        begun |= play.done || play.page > 0;
        if (!next && !play.done)
            next = lesson_short_name(folders, i);
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
static void make_farewell(const struct lesson_folders *folders, int i, const struct lesson *lesson,
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
static int play_folder(const struct lesson_folders *folders, int i, const struct request *request)
{
    struct lesson lesson;
    struct lesson_play play = {.lesson = &lesson,
                               .student = request->writing.student,
                               .presenting = request->presenting,
                               .trusted = request->writing.trusted};
    struct error error = {{0}};
    char farewell[4600];
    enum mode mode = request->mode;
    bool good = lesson_load(folders->path[i], request->writing.language, &lesson, &error);
    if (good && mode == MODE_FITTING)
        mode = has_display() ? MODE_WINDOW : MODE_TEXT;
    /* What a pipe answers is no student's progress. */
    play.keep = good && (mode == MODE_WINDOW || (mode == MODE_TEXT && isatty(STDIN_FILENO)));
    if (play.keep)
        lesson_recall(&play);
    if (request->restart)
        play.page = 0;
    else if (play.keep && !(play.done && play.page == 0)) /* what is done begins anew */
        lesson_recall_answers(&play);
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

/* ---- writing ----------------------------------------------------------------------------------- */

/* Checks the lesson whenever a file of its folder is saved, until a signal ends it. */
static void check_always(const char *folder, const struct request *request)
{
    const struct timespec pause = {.tv_nsec = 250000000};
    for (uint64_t seen = 0, stamp;; nanosleep(&pause, NULL)) {
        struct lesson lesson;
        struct lesson_play play = {.lesson = &lesson,
                                   .student = request->writing.student,
                                   .trusted = request->writing.trusted};
        struct error error = {{0}};
        if ((stamp = lesson_stamp(folder)) == seen)
            continue;
        seen = stamp;
        if (lesson_load(folder, request->writing.language, &lesson, &error) &&
            lesson_answers(&play, &error))
            printf("all is well; save to check again, Ctrl+C ends\n\n");
        else
            printf("%s\n\n", error.text);
        fflush(stdout);
        lesson_play_free(&play);
        lesson_free(&lesson);
    }
}

static int watch_folder(const char *folder, const struct request *request)
{
    enum mode mode = request->mode;
    if (mode == MODE_FITTING)
        mode = has_display() ? MODE_WINDOW : MODE_ANSWERS;
    if (mode == MODE_ANSWERS)
        check_always(folder, request);
    struct error error = {{0}};
    struct lesson_play play = {.student = request->writing.student,
                               .presenting = request->presenting,
                               .trusted = request->writing.trusted};
#ifdef HAVE_SDL
    return lesson_watch(&play, folder, request->writing.language, &error)
               ? 0
               : command_fail("lesson", &error);
#else
    return play_window(&play, "", &error) ? 0 : command_fail("lesson", &error);
#endif
}

/* ---- the command line -------------------------------------------------------------------------- */

/* Whether the options go together. false: reported. */
static bool check_request(const char *command, const char *name, const struct request *request)
{
    const char *output = request->writing.path;
    if (request->all && ((!output && !request->publish) || name))
        command_usage(command, "--all is for all lessons in a page: --all -o course.html");
    else if (request->autograder && !name)
        command_usage(command, "an autograder is for one lesson: bankscope lesson NAME "
                               "--autograder FOLDER");
    else if ((output || request->publish) && !request->all && !name)
        command_usage(command, "which lesson? --all takes all of them");
    else if (output && !lesson_is_written_as(output))
        command_usage(
            command,
            "'%s' must end in .html (a web page), .pdf (a handout, or --slides), .cu "
            "(a copy of the exercise), .gift (questions for Moodle) or .pot (texts to translate)",
            output);
    else if (request->watch && (!name || output || request->mode == MODE_TEXT))
        command_usage(command, "--watch is for a lesson's folder, in the window or with --answers");
    else if (request->writing.language && !translation_is_language(request->writing.language))
        command_usage(command, "'%s' is not the name of a language, such as de or pt_BR",
                      request->writing.language);
    else if (request->writing.slides && (!output || !lesson_is_paper(output)))
        command_usage(command, "--slides are written as PDF: --slides -o slides.pdf");
    else
        return true;
    return false;
}

/* Says which of the lessons first to last are not there in the language that was asked for. */
static void say_languages(const char *command, const struct lesson_folders *folders, int first,
                          int last, const char *language)
{
    int missing = 0;
    for (int i = first; language && i <= last; i++)
        if (!lesson_has_language(folders->path[i], language)) {
            if (missing++)
                fputs(", ", stderr);
            else
                fprintf(stderr, "bankscope %s: in English, since there is no %s.po: ", command,
                        language);
            fputs(lesson_base_name(folders->path[i]), stderr);
        }
    fputs(missing ? "\n" : "", stderr);
}

static int print_glossary(const char *command, const char *language)
{
    struct error error = {{0}};
    struct translation words = {.count = 0};
    char *text = !language || translation_load(language, &words, &error)
                     ? lesson_glossary(&words, &error)
                     : NULL;
    translation_free(&words);
    if (!text)
        return command_fail(command, &error);
    for (char *line = text, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next ? (*next = '\0', 1) : 0;
        terminal_wrap("", lesson_plain(line), 78, stdout);
    }
    free(text);
    return 0;
}

int command_lesson(int argc, char **argv)
{
    struct request request = {.mode = MODE_FITTING};
    int option;

    while ((option = command_option(argc, argv, ":o:", lesson_longs)) != -1) {
        if (option == '?')
            return 2;
        if (option == RESTART)
            request.restart = true;
        else if (option == ALL)
            request.all = true;
        else if (option == 'o')
            request.writing.path = optarg;
        else if (option == STUDENT)
            request.writing.student = optarg;
        else if (option == SLIDES)
            request.writing.slides = true;
        else if (option == WATCH)
            request.watch = true;
        else if (option == TRUST)
            request.trust = true;
        else if (option == AUTOGRADER)
            request.autograder = optarg;
        else if (option == PUBLISH)
            request.publish = optarg;
        else if (option == CSV)
            request.csv = optarg;
        else if (option == LANGUAGE)
            request.writing.language = strcmp(optarg, "en") ? optarg : NULL;
        else if (option == JSON)
            request.json = optarg;
        else
            request.mode = (enum mode)(option == PRESENT ? MODE_WINDOW : option);
        request.presenting |= option == PRESENT;
    }
    if (argc - optind > 1)
        return command_usage(argv[0], "one lesson at a time");
    const char *name = optind < argc ? argv[optind] : NULL;
    if (!check_request(argv[0], name, &request))
        return 2;
    bool own = name && strchr(name, '/');
    request.writing.answers = request.mode == MODE_ANSWERS;
    request.writing.trusted = request.trust || !own;
    struct error error = {{0}};
    struct lesson_folders folders = {.count = 0};
    int status = 0, first = 0;
    if (name && !strcmp(name, "glossary") && !request.writing.path)
        return print_glossary(argv[0], request.writing.language);
    const bool found =
        (own ? lesson_folders_of(&folders, name, &error) : lesson_folders_own(&folders, &error)) &&
        (!name || own || (first = lesson_folders_find(&folders, name, &error)) >= 0);
    if (found && (name || request.all))
        say_languages(argv[0], &folders, first, request.all ? folders.count - 1 : first,
                      request.writing.language);
    if (!found) {
        status = command_fail(argv[0], &error);
    } else if (request.csv || request.json) {
        int last = name ? first : folders.count - 1;
        if ((request.csv &&
             !lesson_write_answers(&folders, first, last, false, request.csv, &error)) ||
            (request.json &&
             !lesson_write_answers(&folders, first, last, true, request.json, &error)))
            status = command_fail(argv[0], &error);
    } else if (request.watch) {
        status = watch_folder(folders.path[first], &request);
    } else if (request.autograder) {
        if (!lesson_autograder(folders.path[first], request.autograder, &error))
            status = command_fail(argv[0], &error);
    } else if (request.publish) {
        if (!lesson_publish(&folders, first, request.all ? folders.count - 1 : first,
                            &request.writing, request.publish, &error))
            status = command_fail(argv[0], &error);
    } else if (request.writing.path) {
        int last = request.all ? folders.count - 1 : first;
        if (!lesson_write(&folders, first, last, &request.writing, &error))
            status = command_fail(argv[0], &error);
    } else if (!name && request.mode != MODE_ANSWERS) {
        status = list_lessons(&folders, request.writing.language);
        printf("'bankscope lesson glossary' says what the words mean.\n");
    } else {
        for (int i = first; i < (name ? first + 1 : folders.count); i++)
            status |= play_folder(&folders, i, &request);
    }
    lesson_folders_free(&folders);
    return status;
}
