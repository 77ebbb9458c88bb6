/* check.c - grade exercises, and say what is missing. */
#include "commands/command.h"
#include "program/compile/dialect.h"
#include "system/output.h"
#include "teach/class/marks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

const char check_help[] =
    "usage: bankscope check [OPTION]... FILE.cu...\n"
    "\n"
    "Grades exercises. Of your copy of a lesson's exercise.cu, it takes the part between the "
    "marks,\n"
    "compiles the exercise with it, runs that on the machine with several inputs and parameters,\n"
    "some of them drawn at random, and says which goals it meets: the right result, the bank\n"
    "conflicts, and the number of accesses to shared memory. Needs neither a GPU nor a compiler.\n"
    "Status 0 if all goals are met.\n"
    "\n"
    "Nothing of what is handed in runs natively: it is compiled for the machine, which executes\n"
    "it within limits of instructions and memory. The same seed gives the same marks.\n"
    "\n"
    "Several files, as a class hands them in, are graded at once, with one line for each. A goal "
    "that\n"
    "the exercise as handed out does not meet is worth a point; whoever breaks one that it does "
    "meet\n"
    "gets none. Files whose parts are alike in all but names, blanks and comments are named.\n"
    "\n"
    "  --exercise LESSON   the lesson (01-banks, banks, 01 or 1), or the folder (with a slash) of "
    "one\n"
    "                      of your own, whose exercise this is: give it for a class, or each file\n"
    "                      chooses one of the lessons that come with the program\n"
    "  --student NAME      grade with this student's numbers, where the exercise draws some;\n"
    "                      otherwise the file says whose it is, \"student: NAME\" at its top\n"
    "  --seed N            draw the same parameters again\n"
    "  --csv FILE          write a line for each file and goal (-: to standard output); the "
    "student's\n"
    "                      name is that of --student, of the file's top, or of the file\n"
    "  --students FILE     write a line for each student as CSV: points by exercise, and their "
    "sum; "
    "of\n"
    "                      several files of one exercise the best counts\n"
    "  --json FILE         write goals, reasons and points as JSON\n"
    "  --results FILE      of one file: write its marks as Gradescope's results.json; no file, and "
    "status 1,\n"
    "                      where this machine is at fault ('lesson --autograder' makes the rest)\n"
    "  --pages FOLDER      write a page (HTML) for each file, with its marks and the picture of "
    "the\n"
    "                      round that fails; makes the folder\n"
    "  --show              of one file: show the round that fails in the window\n"
    "  --hint N            print the exercise's hint 1, 2 or 3, and grade nothing\n"
    "\n"
    "examples:\n"
    "  bankscope check my_banks.cu\n"
    "  bankscope check hand_ins/*.cu --exercise 01-banks --csv marks.csv\n";

enum { EXERCISE = 256, STUDENT, SEED, CSV, STUDENTS, JSON, RESULTS, PAGES, SHOW, HINT };
const struct option check_longs[] = {{"exercise", required_argument, NULL, EXERCISE},
                                     {"student", required_argument, NULL, STUDENT},
                                     {"seed", required_argument, NULL, SEED},
                                     {"csv", required_argument, NULL, CSV},
                                     {"students", required_argument, NULL, STUDENTS},
                                     {"json", required_argument, NULL, JSON},
                                     {"results", required_argument, NULL, RESULTS},
                                     {"pages", required_argument, NULL, PAGES},
                                     {"show", no_argument, NULL, SHOW},
                                     {"hint", required_argument, NULL, HINT},
                                     {NULL, 0, NULL, 0}};

/* ---- one file ---------------------------------------------------------------------------------- */

static bool show_failing(const struct hand_in *hand_in, struct error *error)
{
#ifdef HAVE_SDL
    return !hand_in->marks.place.known || hand_in_show(hand_in, error);
#else
    (void)hand_in;
    return error_set(error, "this program was built without SDL2: there is no window for --show");
#endif
}

static int report_one(const char *command, const struct grader *grader, struct hand_in *hand_in,
                      bool show)
{
    if (hand_in->error.text[0])
        return command_fail(command, &hand_in->error);
    if (!hand_in->marks.compiled)
        return marks_print_messages(stderr, hand_in),
               error_set(&hand_in->error, "%s does not compile; the lines above say why",
                         hand_in->file),
               command_fail(command, &hand_in->error);
    const bool all = marks_print(stdout, grader, hand_in);
    if (fflush(stdout))
        return 0; /* command_finish says so */
    return show && !show_failing(hand_in, &hand_in->error) ? command_fail(command, &hand_in->error)
                                                           : !all;
}

static int check_one(const char *command, struct grader *grader, const char *file, bool show,
                     const char *results)
{
    struct hand_in *hand_in = memory_new(1, sizeof *hand_in);
    struct error error = {{0}};
    hand_in->file = file;
    int status = class_check(grader, hand_in, 1, &error) &&
                         (hand_in->trouble ||
                          marks_write(results, marks_write_gradescope, grader, hand_in, 1, &error))
                     ? report_one(command, grader, hand_in, show)
                     : command_fail(command, &error);
    class_free(hand_in, 1);
    free(hand_in);
    return status;
}

static int print_hint(const char *command, struct grader *grader, const char *file, int number)
{
    struct error error = {{0}};
    bool trouble;
    char *text = part_read(file, &error);
    const struct exercise *exercise =
        text ? grader_exercise(grader, file, text, &trouble, &error) : NULL;
    const char *hint = exercise ? grade_hint(exercise->grade, number - 1) : NULL;
    if (exercise && !hint)
        error_set(&error, "the exercise %s has no hint %d", exercise->name, number);
    free(text);
    if (!hint)
        return command_fail(command, &error);
    printf("%s\n", hint);
    return 0;
}

/* ---- a class ----------------------------------------------------------------------------------- */

static bool write_pages(const char *folder, const struct hand_in *hand_in, int count,
                        struct error *error)
{
#ifdef HAVE_CAIRO
    return marks_write_pages(folder, hand_in, count, error);
#else
    (void)folder, (void)hand_in, (void)count;
    return error_set(error, "this program was built without cairo: it cannot draw --pages");
#endif
}

static int check_class(const char *command, struct grader *grader, char **files, int count,
                       const char *csv, const char *students, const char *json, const char *pages)
{
    struct hand_in *hand_in = memory_new((size_t)count, sizeof *hand_in);
    struct error error = {{0}};
    bool plain = (!csv || strcmp(csv, "-")) && (!students || strcmp(students, "-")) &&
                 (!json || strcmp(json, "-"));
    int status = 1;
    for (int k = 0; k < count; k++)
        hand_in[k].file = files[k];
    if (class_check(grader, hand_in, count, &error) &&
        marks_write(csv, marks_write_csv, grader, hand_in, count, &error) &&
        marks_write(students, marks_write_students, grader, hand_in, count, &error) &&
        marks_write(json, marks_write_json, grader, hand_in, count, &error) &&
        (!pages || write_pages(pages, hand_in, count, &error)))
        status = marks_print_class(plain ? stdout : stderr, grader, hand_in, count) != count &&
                 !fflush(stdout); /* else command_finish says so */
    if (error.text[0])
        command_fail(command, &error);
    class_free(hand_in, count);
    free(hand_in);
    return status;
}

static uint64_t any_seed(void)
{
    uint32_t seed;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
        seed = (uint32_t)time(NULL);
    return seed;
}

int command_check(int argc, char **argv)
{
    struct grader grader = {.seed = any_seed()};
    struct error error = {{0}};
    const char *csv = NULL, *students = NULL, *json = NULL, *pages = NULL, *results = NULL;
    int64_t hint = 0;
    bool show = false;
    for (int option; (option = command_option(argc, argv, ":", check_longs)) != -1;)
        switch (option) {
        case EXERCISE:
            grader.wanted = optarg;
            break;
        case STUDENT:
            grader.student = optarg;
            break;
        case SEED:
            if (!recipe_seed(optarg, &grader.seed, &error))
                return command_usage(argv[0], "%s", error.text);
            break;
        case CSV:
            csv = optarg;
            break;
        case STUDENTS:
            students = optarg;
            break;
        case JSON:
            json = optarg;
            break;
        case RESULTS:
            results = optarg;
            break;
        case PAGES:
            pages = optarg;
            break;
        case SHOW:
            show = true;
            break;
        case HINT:
            if (!command_number(argv[0], "--hint", optarg, 1, 3, &hint))
                return 2;
            break;
        default:
            return 2;
        }
    char **files = argv + optind;
    int count = argc - optind;
    if (!count)
        return command_usage(argv[0], "which file? your copy of an exercise.cu");
    for (int i = 0; i < count; i++)
        if (!dialect_is_file(files[i]))
            return command_usage(argv[0], "'%s' is not a FILE.cu", files[i]);
    const char *lone = show ? "--show" : hint ? "--hint" : results ? "--results" : NULL;
    if (lone && count > 1)
        return command_usage(argv[0], "%s takes one file", lone);
    if (results && (csv || students || json || pages))
        return command_usage(argv[0], "--results is for one file alone, without other tables");
    /* behind --csv *.cu, the first hand-in stands for the table */
    if ((csv && !output_may_replace(csv, "file,student,exercise", "a table of marks", &error)) ||
        (students && !output_may_replace(students, "student,", "a table of students", &error)) ||
        (results && !output_may_replace(results, "{\"score\":", "Gradescope's results", &error)) ||
        (json && !output_may_replace(json, "{\"files\":", "marks as JSON", &error)))
        return command_fail(argv[0], &error);
    int status = hint ? print_hint(argv[0], &grader, files[0], (int)hint)
                 : count == 1 && !csv && !students && !json && !pages
                     ? check_one(argv[0], &grader, files[0], show, results)
                     : check_class(argv[0], &grader, files, count, csv, students, json, pages);
    grader_end(&grader);
    return status;
}
