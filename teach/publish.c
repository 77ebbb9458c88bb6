/* publish.c - folders that others take: an autograder in Gradescope's format, and what is published for a class.
 *
 * An autograder is a folder, zipped, that Gradescope unpacks in /autograder/source: setup.sh is run once, when the
 * image is made; run_autograder is run for each submission, which lies in /autograder/submission, and writes
 * /autograder/results/results.json. */
#include "teach/publish.h"
#include "system/file.h"
#include "system/output.h"
#include "viewer/export/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- files -------------------------------------------------------------------------------------- */

/* A file of ours may be replaced by another one, nobody else's. */
static bool write_file(const char *folder, const char *name, const char *text, bool program,
                       struct error *error)
{
    char path[2 * PATH_MAX];
    struct output output;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!output_may_replace_work(path, error) || !output_open(&output, path, error) ||
        !output_close(&output, fputs(text, output.file) >= 0, error))
        return false;
    return !program || chmod(path, 0755) == 0 ||
           error_set(error, "cannot make %s a program: %s", path, strerror(errno));
}

/* ---- an autograder -------------------------------------------------------------------------------- */

static const char setup_script[] =
    "#!/bin/sh\n"
    "# Made by Bankscope: sets up the autograder's image. Put bankscope-VERSION.tar.gz beside this "
    "file first\n"
    "# ('make dist' makes it in Bankscope's source).\n"
    "set -eu\n"
    "cd \"${AUTOGRADER:-/autograder}/source\"\n"
    "ls bankscope-*.tar.gz >/dev/null 2>&1 || {\n"
    "    echo 'setup.sh: there is no bankscope-VERSION.tar.gz beside it' >&2\n"
    "    exit 1\n"
    "}\n"
    "apt-get update\n"
    "apt-get install -y --no-install-recommends make gcc libc6-dev pkg-config libcjson-dev "
    "libelf-dev\n"
    "tar xzf bankscope-*.tar.gz\n"
    "make -C bankscope-*/ CUDA=no SETUP=no all\n"
    "make -C bankscope-*/ CUDA=no SETUP=no PREFIX=/usr/local install\n";

static const char run_script[] =
    "#!/bin/sh\n"
    "# Made by Bankscope: grades the one file of a submission. Where this machine is at fault, "
    "there are no results,\n"
    "# and Gradescope says that the autograder has failed: never a mark of 0.\n"
    "set -u\n"
    "cd \"${AUTOGRADER:-/autograder}\" || exit 1\n"
    "set -- submission/*.cu\n"
    "if [ $# -ne 1 ] || [ ! -f \"$1\" ]; then\n"
    "    printf '{\"score\":0,\"output\":\"Hand in one file whose name ends in .cu.\"}\\n' "
    ">results/results.json\n"
    "    exit 0\n"
    "fi\n"
    "\"${BANKSCOPE:-bankscope}\" check \"$1\" --exercise ./source/exercise --seed %s --results "
    "results/results.json\n"
    "[ -s results/results.json ]\n";

static bool copy_exercise(const char *from, const char *to, struct error *error)
{
    static const char *const names[EXERCISE_TEXTS] = {"exercise.txt", "exercise.cu", "grading.cu"};
    for (int i = 0; i < EXERCISE_TEXTS; i++) {
        char path[2 * PATH_MAX];
        struct output output;
        snprintf(path, sizeof path, "%s/%s", from, names[i]);
        char *text = part_read(path, error);
        if (!text)
            return false;
        /* Copies of one's own exercise have no mark of ours: what is the same is replaced. */
        snprintf(path, sizeof path, "%s/%s", to, names[i]);
        struct error none = {{0}};
        char *there = part_read(path, &none);
        bool good = (!there || !strcmp(there, text) ||
                     error_set(error, "%s is there and is another exercise's", path)) &&
                    output_open(&output, path, error) &&
                    output_close(&output, fputs(text, output.file) >= 0, error);
        free(there);
        free(text);
        if (!good)
            return false;
    }
    return true;
}

bool lesson_autograder(const char *folder, const char *to, struct error *error)
{
    char exercise[PATH_MAX + 16], run[sizeof run_script + 32], *text[EXERCISE_TEXTS];
    const bool there = exercise_texts(folder, NULL, text, error);
    exercise_texts_free(text);
    if (!there)
        return false;
    snprintf(exercise, sizeof exercise, "%s/exercise", to);
    snprintf(run, sizeof run, run_script, "1");
    return folder_make(to, error) && folder_make(exercise, error) &&
           copy_exercise(folder, exercise, error) &&
           write_file(to, "setup.sh", setup_script, true, error) &&
           write_file(to, "run_autograder", run, true, error);
}

/* ---- a folder to publish -------------------------------------------------------------------------- */

/* What is written of each lesson: the end of the file's name, and what the link to it says. Nothing of it tells an
 * answer unasked; slides do, and questions for Moodle, so these are a teacher's to give. */
static const struct written {
    const char *end, *says;
    bool exercise;
} written[] = {{".html", NULL, false}, {".pdf", "handout", false}, {".cu", "exercise", true}};
enum { WRITTEN = sizeof written / sizeof written[0] };

static bool write_one(const struct lesson_folders *folders, int i,
                      const struct lesson_writing *writing, const char *to,
                      const struct written *kind, struct error *error)
{
    char path[2 * PATH_MAX];
    struct lesson_writing one = *writing;
    snprintf(path, sizeof path, "%s/%s%s", to, lesson_base_name(folders->path[i]), kind->end);
    one.path = path;
    return lesson_write(folders, i, i, &one, error);
}

/* All that is written of the lesson i of first to last. */
static bool write_lesson(const struct lesson_folders *folders, int first, int last, int i,
                         const struct lesson_writing *writing, const char *to, struct error *error)
{
    struct lesson_writing one = *writing;
    bool good = true;
    one.published = true;
    one.before = i > first ? folders->path[i - 1] : NULL;
    one.after = i < last ? folders->path[i + 1] : NULL;
    for (int k = 0; good && k < WRITTEN; k++)
        if (!written[k].exercise || exercise_is_there(folders->path[i]))
            good = write_one(folders, i, &one, to, &written[k], error);
    return good;
}

static void put_entry(const struct lesson *lesson, bool exercise, FILE *file)
{
    char times[LESSON_TIMES], *title = lesson_plain(memory_copy(lesson->title));
    fprintf(file, "<li><a href=\"%s.html\">", lesson->name);
    html_text(file, title);
    fputs("</a>: ", file);
    lesson_times(lesson, times);
    html_text(file, times);
    fputs("<br>\n", file);
    bool first = true;
    for (int k = 1; k < WRITTEN; k++)
        if (!written[k].exercise || exercise) {
            fprintf(file, "%s<a href=\"%s%s\">%s</a>", first ? "" : ", ", lesson->name,
                    written[k].end, written[k].says);
            first = false;
        }
    fputs("</li>\n", file);
    free(title);
}

static bool write_index(const struct lesson_folders *folders, int first, int last,
                        const struct lesson_writing *writing, const char *to, struct error *error)
{
    char path[2 * PATH_MAX];
    struct output output;
    snprintf(path, sizeof path, "%s/index.html", to);
    if (!output_may_replace_work(path, error) || !output_open(&output, path, error))
        return false;
    bool good = true;
    fputs("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"generator\" content=\"Bankscope\">\n<link rel=\"icon\" href=\"data:,\">\n"
          "<title>Bank conflicts</title>\n"
          "<style>body{font:1em/1.5 sans-serif;max-width:40em;margin:1em auto;padding:0 1em}"
          "li{margin:.6em 0}</style>\n<h1>Bank conflicts</h1>\n<ul>\n",
          output.file);
    for (int i = first; good && i <= last; i++) {
        struct lesson lesson;
        good = lesson_load(folders->path[i], writing->language, &lesson, error);
        if (good)
            put_entry(&lesson, exercise_is_there(folders->path[i]), output.file);
        if (good && i == last) {
            fputs("</ul>\n<p>Each page is a lesson with its exercise, to be read and done in the "
                  "browser. Minutes estimated from a lesson's length are 150 words a minute, half "
                  "a minute for each picture and a minute for each question.</p>\n",
                  output.file);
            good = lesson_page_glossary(&lesson, output.file, error);
        }
        lesson_free(&lesson);
    }
    fputs("</html>\n", output.file);
    return output_close(&output, good, error);
}

bool lesson_publish(const struct lesson_folders *folders, int first, int last,
                    const struct lesson_writing *writing, const char *to, struct error *error)
{
    bool good = folder_make(to, error);
    for (int i = first; good && i <= last; i++)
        good = write_lesson(folders, first, last, i, writing, to, error);
    return good && write_index(folders, first, last, writing, to, error);
}
