/* grader.c - which exercise a file is a solution of, as its teacher wrote it: found, compiled and kept. */
#include "program/compile/dialect.h"
#include "system/output.h"
#include "teach/teach.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The name that a file gives itself: #include "lessons/02-strides/grading.cu", or, as older files have it,
 * .name = "02-strides". */
static bool name_of(const char *text, char *name, size_t room)
{
    static const char begins[] = "#include \"lessons/", ends[] = "/grading.cu\"";
    for (const char *at = text; (at = strstr(at, begins)) != NULL;) {
        at += strlen(begins);
        size_t length = strcspn(at, "/\"\n");
        if (!length || length >= room || strncmp(at + length, ends, strlen(ends)))
            continue;
        snprintf(name, room, "%.*s", (int)length, at);
        return true;
    }
    for (const char *at = text; (at = strstr(at, ".name")) != NULL;) {
        at += strlen(".name");
        at += strspn(at, " \t");
        if (*at != '=')
            continue;
        at += 1 + strspn(at + 1, " \t\n");
        size_t length = strcspn(at + (*at == '"'), "\"\n");
        if (*at != '"' || !length || length >= room)
            continue;
        snprintf(name, room, "%.*s", (int)length, at + 1);
        return true;
    }
    return false;
}

static bool is_plain(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_", *c))
            return false;
    return *name;
}

/* The path of the exercise of a lesson. A hand-in may choose the name, so nothing but letters, digits and
 * dashes makes a path. */
static bool path_of_lesson(const char *name, char *path, size_t room, struct error *error)
{
    char relative[128], shown[65];
    struct error none = {{0}};
    snprintf(relative, sizeof relative, "lessons/%.64s/exercise.cu", name);
    snprintf(shown, sizeof shown, "%s", name);
    return (is_plain(name) && data_path(relative, path, room, &none)) ||
           error_set(error,
                     "there is no lesson '%s' with an exercise; for one of your own, give "
                     "its folder: --exercise ./FOLDER",
                     text_clean(shown));
}

/* The same of what the teacher asked for, which may be a folder (with a slash). */
static bool path_of_wanted(const char *name, char *path, size_t room, struct error *error)
{
    if (!strchr(name, '/'))
        return path_of_lesson(name, path, room, error);
    snprintf(path, room, "%s/exercise.cu", name);
    return !access(path, R_OK) || error_set(error, "cannot read %s: %s", path, strerror(errno));
}

static void exercise_free(struct exercise *exercise)
{
    part_names_free(&exercise->names);
    free(exercise->given);
    free(exercise->path);
    free(exercise->text);
    free(exercise);
}

/* A number for the next exercise: what has the name of a loaded object is taken for that. */
static int exercise_number(const struct grader *grader)
{
    int number = 0;
    for (const struct exercise *known = grader->exercises; known; known = known->next)
        number++;
    return number;
}

/* Writes a file of the grader's. */
static bool write_text(const char *path, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool write_text(const char *path, struct error *error, const char *format, ...)
{
    FILE *file = fopen(path, "wb");
    va_list arguments;
    va_start(arguments, format);
    bool good = file && vfprintf(file, format, arguments) >= 0;
    va_end(arguments);
    return (file && !fclose(file) && good) ||
           error_set(error, "cannot write %s: %s", path, strerror(errno));
}

/* What grades an exercise that is a program: the end of its file. */
static const struct kernel *load_description(const struct grader *grader,
                                             const struct exercise *exercise, struct error *error)
{
    char path[PATH_MAX], object[PATH_MAX];
    const char *from = part_description(exercise->text);
    int line = 1, number = exercise_number(grader);
    snprintf(path, sizeof path, "%s/exercise-%d.cu", grader->folder, number);
    snprintf(object, sizeof object, "%s/exercise-%d.so", grader->folder, number);
    for (const char *c = exercise->text; c <= from; c++)
        line += *c == '\n';
    char *spelt = text_spelt(TEXT_C, exercise->path);
    bool good = write_text(path, error, "#include \"kernels/kernel.h\"\n#line %d \"%s\"\n%s", line,
                           spelt, from + 1) &&
                dialect_compile(path, object, false, 0, error);
    free(spelt);
    const struct kernel *kernel = good ? dialect_load(object, exercise->path, error) : NULL;
    unlink(path);
    unlink(object);
    return kernel;
}

/* Compiles a student's variant of an exercise. */
static const struct kernel *variant_kernel(const struct grader *grader, const char *text,
                                           struct error *error)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/variant-%d.cu", grader->folder, exercise_number(grader));
    const struct kernel *kernel =
        write_text(path, error, "%s", text) ? dialect_kernel_once(path, error) : NULL;
    unlink(path);
    return kernel;
}

/* Takes over the text, which is that of the file or a student's variant. */
static struct exercise *exercise_open(const struct grader *grader, const char *path, char *text,
                                      bool variant, struct error *error)
{
    struct exercise *exercise = memory_new(1, sizeof *exercise);
    exercise->path = memory_copy(path);
    exercise->text = text;
    if (part_find(path, exercise->text, &exercise->part, error) && !part_description(text))
        error_set(error,
                  "%s is not an exercise: it has no #ifdef SIMT_HOST, behind which stands what "
                  "grades it",
                  path);
    if (!error->text[0])
        exercise->kernel = part_program(text) ? load_description(grader, exercise, error)
                           : variant          ? variant_kernel(grader, text, error)
                                              : dialect_kernel(path, BACKEND_HOST, error);
    if (exercise->kernel && !exercise->kernel->goals)
        error_set(error, "%s is a kernel, not an exercise: its ENTRY has no .goals", path);
    if (error->text[0]) {
        exercise_free(exercise);
        return NULL;
    }
    part_names_of(exercise->text, &exercise->names);
    snprintf(exercise->name, sizeof exercise->name, "%s", exercise->kernel->name);
    return exercise;
}

bool grader_student(const struct grader *grader, const char *text, char *name, size_t room)
{
    if (!grader->student)
        return draw_student(text, name, room);
    snprintf(name, room, "%s", grader->student);
    return true;
}

const struct exercise *grader_exercise(struct grader *grader, const char *file, struct error *error)
{
    char name[64], path[PATH_MAX], student[256];
    char *text = part_read(file, error), *drawn = NULL;
    bool good = text;
    if (good && !grader->wanted && !name_of(text, name, sizeof name))
        good = error_set(error,
                         "%s does not say which exercise it is (.name in its ENTRY); say it "
                         "with --exercise LESSON",
                         file);
    bool named = good && grader_student(grader, text, student, sizeof student);
    free(text);
    good = good && (grader->wanted ? path_of_wanted(grader->wanted, path, sizeof path, error)
                                   : path_of_lesson(name, path, sizeof path, error));
    if (!good || !(text = part_read(path, error)))
        return NULL;
    drawn = draw_exercise(path, text, named ? student : NULL, error);
    bool variant = drawn && strcmp(drawn, text) != 0;
    free(text);
    if (!drawn)
        return NULL;
    for (const struct exercise *known = grader->exercises; known; known = known->next)
        if (!strcmp(known->path, path) && !strcmp(known->text, drawn)) {
            free(drawn);
            return known;
        }
    struct exercise *exercise = exercise_open(grader, path, drawn, variant, error);
    if (exercise) {
        exercise->next = grader->exercises;
        grader->exercises = exercise;
    }
    return exercise;
}

bool grader_begin(struct grader *grader, struct error *error)
{
    if (!grader->unconfined && !box_there(error)) {
        error_add(error, "; to run the files all the same, with your rights, add --unconfined");
        return false;
    }
    return temporary_make(grader->folder, sizeof grader->folder, error);
}

void grader_end(struct grader *grader)
{
    while (grader->exercises) {
        struct exercise *next = grader->exercises->next;
        exercise_free(grader->exercises);
        grader->exercises = next;
    }
    passing_remove(grader->folder);
}
