/* lesson.c - list the lessons, play one, or write it as a page, a handout or slides. */
#include "commands/command.h"
#include "teach/publish.h"
#include "viewer/viewer.h"

#include <stdlib.h>
#include <string.h>

const char lesson_help[] =
    "usage: bankscope lesson [NAME|FOLDER] [--text|--window|--present] [--restart]\n"
    "       bankscope lesson --answers [NAME|FOLDER]\n"
    "       bankscope lesson [NAME|FOLDER] --csv FILE\n"
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

/* Values of the long options; those of places are the places. */
enum { RESTART = LESSON_CHECKED + 1, PRESENT, TRUST, SLIDES, WATCH, ALL };
enum { STUDENT = ALL + 1, LANGUAGE, AUTOGRADER, PUBLISH, CSV }; /* with a text */
const struct option lesson_longs[] = {{"text", no_argument, NULL, LESSON_AS_TEXT},
                                      {"window", no_argument, NULL, LESSON_IN_WINDOW},
                                      {"answers", no_argument, NULL, LESSON_CHECKED},
                                      {"restart", no_argument, NULL, RESTART},
                                      {"all", no_argument, NULL, ALL},
                                      {"present", no_argument, NULL, PRESENT},
                                      {"slides", no_argument, NULL, SLIDES},
                                      {"watch", no_argument, NULL, WATCH},
                                      {"trust", no_argument, NULL, TRUST},
                                      {"csv", required_argument, NULL, CSV},
                                      {"student", required_argument, NULL, STUDENT},
                                      {"autograder", required_argument, NULL, AUTOGRADER},
                                      {"publish", required_argument, NULL, PUBLISH},
                                      {"language", required_argument, NULL, LANGUAGE},
                                      {"output", required_argument, NULL, 'o'},
                                      {NULL, 0, NULL, 0}};

/* What is asked for on the command line. */
struct request {
    struct lesson_way way;
    bool all, watch;
    const char *csv, *autograder, *publish;
    struct lesson_writing writing; /* path: of -o, or NULL */
};

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
    else if (request->watch && (!name || output || request->way.place == LESSON_AS_TEXT))
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
static void say_languages(const struct lesson_folders *folders, int first, int last,
                          const char *language)
{
    char *missing = lesson_without_language(folders, first, last, language);
    if (*missing)
        fprintf(stderr, "bankscope lesson: in English, since there is no %s.po: %s\n", language,
                missing);
    free(missing);
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

/* Plays the lessons first to last. Returns the exit status. */
static int play(const struct lesson_folders *folders, int first, int last,
                const struct lesson_way *way)
{
    int status = 0;
    for (int i = first; i <= last; i++) {
        struct error error = {{0}}, trouble = {{0}};
        const bool good = lesson_begin(folders, i, way, &trouble, &error);
        if (*trouble.text)
            fprintf(stderr, "bankscope lesson: progress is not kept: %s\n", trouble.text);
        if (!good)
            status = command_fail("lesson", &error);
    }
    return status;
}

/* Does what is asked for with the lessons first to last, which are all where none is named. Returns the exit status. */
static int serve(const struct request *request, const struct lesson_folders *folders, bool named,
                 int first, int last)
{
    const char *path = request->writing.path, *folder = folders->path[first];
    struct error error = {{0}};
    bool good = true;
    if (request->writing.language && (named || request->all))
        say_languages(folders, first, last, request->writing.language);
    if (request->csv)
        good = lesson_write_answers(folders, first, last, request->csv, &error);
    else if (request->watch)
        good = lesson_begin_watched(folder, &request->way, &error);
    else if (request->autograder)
        good = lesson_autograder(folder, request->autograder, &error);
    else if (request->publish)
        good = lesson_publish(folders, first, last, &request->writing, request->publish, &error);
    else if (path)
        good = lesson_write(folders, first, last, &request->writing, &error);
    else if (!named && request->way.place != LESSON_CHECKED)
        good = lesson_list(folders, request->writing.language, stdout, &error);
    else
        return play(folders, first, last, &request->way);
    return good ? 0 : command_fail("lesson", &error);
}

/* Takes one option. */
static void take_option(struct request *request, int option, char *text)
{
    const char **const texts[] = {[STUDENT] = &request->writing.student,
                                  [LANGUAGE] = &request->writing.language,
                                  [AUTOGRADER] = &request->autograder,
                                  [PUBLISH] = &request->publish,
                                  [CSV] = &request->csv,
                                  ['o'] = &request->writing.path};
    bool *const flags[] = {[RESTART] = &request->way.restart, [PRESENT] = &request->way.presenting,
                           [TRUST] = &request->way.trusted,   [SLIDES] = &request->writing.slides,
                           [WATCH] = &request->watch,         [ALL] = &request->all};
    if (text)
        *texts[option] = text;
    else if (option <= LESSON_CHECKED)
        request->way.place = (enum lesson_place)option;
    else
        *flags[option] = true;
    if (option == PRESENT)
        request->way.place = LESSON_IN_WINDOW;
}

int command_lesson(int argc, char **argv)
{
    struct request request = {.way = {.place = LESSON_FITTING}};
    for (int option; (option = command_option(argc, argv, ":o:", lesson_longs)) != -1;) {
        if (option == '?')
            return 2;
        take_option(&request, option, optarg);
    }
    if (argc - optind > 1)
        return command_usage(argv[0], "one lesson at a time");
    const char *name = optind < argc ? argv[optind] : NULL;
    if (!check_request(argv[0], name, &request))
        return 2;
    const bool own = name && strchr(name, '/'),
               english = !request.writing.language || !strcmp(request.writing.language, "en");
    request.writing.answers = request.way.place == LESSON_CHECKED;
    request.writing.trusted = request.way.trusted |= !own;
    request.way.student = request.writing.student;
    request.way.language = request.writing.language = english ? NULL : request.writing.language;
    if (name && !strcmp(name, "glossary") && !request.writing.path)
        return print_glossary(argv[0], request.writing.language);
    struct error error = {{0}};
    struct lesson_folders folders = {.count = 0};
    int first = 0;
    const bool found =
        (own ? lesson_folders_of(&folders, name, &error) : lesson_folders_own(&folders, &error)) &&
        (!name || own || (first = lesson_folders_find(&folders, name, &error)) >= 0);
    int status = found ? serve(&request, &folders, name, first, name ? first : folders.count - 1)
                       : command_fail(argv[0], &error);
    lesson_folders_free(&folders);
    return status;
}
