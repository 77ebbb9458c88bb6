/* exercise.c - exercises as they lie in a lesson's folder: a table, a kernel with a hole, and what grades it
 * (grade/grade.h). And which of them a file is a solution of. */
#include "teach/teach.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- folders ----------------------------------------------------------------------------------- */

static const char *const file_names[EXERCISE_TEXTS] = {"exercise.txt", "exercise.cu", "grading.cu"};

static bool exercise_path(const char *folder, int which, char *path, size_t room)
{
    snprintf(path, room, "%s/%s", folder, file_names[which]);
    return access(path, R_OK) == 0;
}

bool exercise_is_there(const char *folder)
{
    char path[PATH_MAX];
    return exercise_path(folder, EXERCISE_TABLE, path, sizeof path);
}

static bool is_of_old(const char *path)
{
    struct error none = {{0}};
    char *text = part_read(path, &none);
    const bool old = text && (strstr(text, "SIMT_HOST") || strstr(text, "kernels/kernel.h"));
    free(text);
    return old;
}

static bool say_missing(const char *folder, int which, struct error *error)
{
    char path[PATH_MAX];
    const bool coded = exercise_path(folder, EXERCISE_CODE, path, sizeof path);
    if (which == EXERCISE_TABLE && !coded)
        return error_set(error, "%s has no exercise", folder);
    if (which == EXERCISE_TABLE && is_of_old(path))
        return error_set(
            error,
            "%s is in the form of old, with LOAD, STORE and SIMT_HOST: write it in CUDA, "
            "with a table exercise.txt beside it, as lessons/README.md says",
            path);
    return error_set(error, "%s has no %s: an exercise is exercise.txt, exercise.cu and grading.cu",
                     folder, file_names[which]);
}

bool exercise_texts(const char *folder, const char *student, char *text[EXERCISE_TEXTS],
                    struct error *error)
{
    for (int i = 0; i < EXERCISE_TEXTS; i++)
        text[i] = NULL;
    for (int i = 0; i < EXERCISE_TEXTS && !error->text[0]; i++) {
        char path[PATH_MAX];
        if (!exercise_path(folder, i, path, sizeof path))
            return say_missing(folder, i, error);
        char *read = part_read(path, error);
        if (read && i != EXERCISE_TABLE) {
            text[i] = draw_exercise(path, read, student, error);
            free(read);
        } else {
            text[i] = read;
        }
    }
    return !error->text[0];
}

void exercise_texts_free(char *text[EXERCISE_TEXTS])
{
    for (int i = 0; i < EXERCISE_TEXTS; i++) {
        free(text[i]);
        text[i] = NULL;
    }
}

/* ---- hand-ins ---------------------------------------------------------------------------------- */

/* The signs of a copy that is handed out, of a lesson's own file, and of that of the first edition. */
static const char sign_of_exercise[] = "exercise: ", sign_of_file[] = "/* Exercise ",
                  sign_of_first[] = "Exercise of lesson ";

/* A name for a comment. */
static void put_name(FILE *file, const char *sign, const char *name)
{
    char text[256];
    snprintf(text, sizeof text, "%s", name);
    for (char *c = text_clean(text); *c; c++)
        *c = strchr("*/\\", *c) ? ' ' : *c;
    fprintf(file, "/* %s%s */\n", sign, text);
}

bool exercise_hand_out(FILE *file, const char *name, const char *student, const char *text)
{
    put_name(file, sign_of_exercise, name);
    if (student)
        put_name(file, "student: ", student);
    return fputs(text, file) >= 0;
}

/* The word behind a sign before the student's part, of letters, digits, dashes and underscores. */
static bool word_behind(const char *text, const char *sign, char *word, size_t room)
{
    const char *at = strstr(text, sign), *part = strstr(text, "[your part begins]");
    size_t length = 0;
    if (!at || (part && at > part))
        return false;
    at += strlen(sign);
    while (isalnum((unsigned char)at[length]) || (at[length] && strchr("-_", at[length])))
        length++;
    if (!length || length >= room)
        return false;
    memcpy(word, at, length);
    word[length] = '\0';
    return true;
}

static bool name_said(const char *text, char *name, size_t room)
{
    if (word_behind(text, sign_of_exercise, name, room))
        return true;
    if (!word_behind(text, sign_of_first, name, room))
        return word_behind(text, sign_of_file, name, room);
    char number[8];
    snprintf(number, sizeof number, "%.7s", name);
    snprintf(name, room, "%s", lesson_name_of_number(number));
    return true;
}

/* ---- lessons by their names -------------------------------------------------------------------- */

/* NN-name */
static int is_lesson(const struct dirent *entry)
{
    return isdigit((unsigned char)entry->d_name[0]) && isdigit((unsigned char)entry->d_name[1]) &&
           entry->d_name[2] == '-';
}

int lessons_find(char *root, size_t room, struct dirent ***entry, struct error *error)
{
    if (!data_path("lessons", root, room, error))
        return 0;
    const int count = scandir(root, entry, is_lesson, alphasort);
    if (count <= 0)
        error_set(error, "%s holds no lesson (NN-name/lesson.md)", root);
    return count < 0 ? 0 : count;
}

/* A hand-in may choose the name: it is compared with those that there are, and makes no path. */
static bool lesson_folder(const char *name, char *path, size_t room, struct error *error)
{
    enum { ROOM = 100 };
    char root[PATH_MAX / 2], shown[65];
    const char *names[ROOM + 1] = {NULL};
    struct dirent **entry = NULL;
    bool found = false;
    const int count = lessons_find(root, sizeof root, &entry, error);
    for (int i = 0; i < count; i++) {
        if (!found && lesson_is_called(entry[i]->d_name, name)) {
            snprintf(path, room, "%s/%s", root, entry[i]->d_name);
            found = true;
        }
        if (i < ROOM)
            names[i] = entry[i]->d_name + strlen("NN-");
    }
    snprintf(shown, sizeof shown, "%s", name);
    if (!found && !error->text[0])
        error_unknown(error, "there is no lesson", text_clean(shown), names,
                      "one of your own is --exercise ./FOLDER");
    for (int i = 0; i < count; i++)
        free(entry[i]);
    free(entry);
    return found;
}

/* ---- exercises --------------------------------------------------------------------------------- */

static void exercise_free(struct exercise *exercise)
{
    if (exercise->grade)
        grade_exercise_free(exercise->grade);
    exercise_texts_free(exercise->text);
    free(exercise->folder);
    free(exercise);
}

/* Takes over the texts. */
static struct exercise *exercise_open(const char *folder, char *text[EXERCISE_TEXTS],
                                      struct error *error)
{
    struct exercise *exercise = memory_new(1, sizeof *exercise);
    char path[PATH_MAX];
    struct error cause = {{0}};
    const char *whole = realpath(folder, path) ? path : folder, *slash = strrchr(whole, '/');
    exercise->folder = memory_copy(folder);
    snprintf(exercise->name, sizeof exercise->name, "%.60s", slash ? slash + 1 : whole);
    text_clean(exercise->name);
    memcpy(exercise->text, text, sizeof exercise->text);
    struct grade_text part[EXERCISE_TEXTS];
    for (int i = 0; i < EXERCISE_TEXTS; i++)
        part[i] = (struct grade_text){text[i], strlen(text[i])};
    const struct grade_texts texts = {part[EXERCISE_TABLE], part[EXERCISE_CODE],
                                      part[EXERCISE_GRADING]};
    exercise->grade = grade_exercise_new(&heap_allocator, &texts, &cause);
    if (exercise->grade)
        return exercise;
    error_set(error, "%s: %s", folder, cause.text);
    exercise_free(exercise);
    return NULL;
}

bool grader_student(const struct grader *grader, const char *text, char *name, size_t room)
{
    if (!grader->student)
        return draw_student(text, name, room);
    snprintf(name, room, "%s", grader->student);
    return true;
}

const struct exercise *grader_exercise(struct grader *grader, const char *file, const char *text,
                                       bool *trouble, struct error *error)
{
    char name[64] = "", folder[PATH_MAX], student[256], *texts[EXERCISE_TEXTS];
    *trouble = false;
    if (!grader->wanted && !name_said(text, name, sizeof name)) {
        error_set(
            error,
            "%s does not say which exercise it is (\"exercise: NAME\" at its top); say it with "
            "--exercise LESSON",
            file);
        return NULL;
    }
    const char *wanted = grader->wanted ? grader->wanted : name;
    if (strchr(wanted, '/'))
        snprintf(folder, sizeof folder, "%s", wanted);
    else if (!lesson_folder(wanted, folder, sizeof folder, error))
        return NULL;
    *trouble = true; /* from here on it is not the file's fault */
    if (strchr(wanted, '/') && access(folder, R_OK) != 0) {
        error_set(error, "cannot read %s: %s", folder, strerror(errno));
        return NULL;
    }
    const bool named = grader_student(grader, text, student, sizeof student);
    if (!exercise_texts(folder, named ? student : NULL, texts, error)) {
        exercise_texts_free(texts);
        return NULL;
    }
    for (const struct exercise *known = grader->exercises; known; known = known->next)
        if (!strcmp(known->folder, folder) &&
            !strcmp(known->text[EXERCISE_CODE], texts[EXERCISE_CODE]) &&
            !strcmp(known->text[EXERCISE_GRADING], texts[EXERCISE_GRADING])) {
            exercise_texts_free(texts);
            return known;
        }
    struct exercise *exercise = exercise_open(folder, texts, error);
    if (exercise) {
        exercise->next = grader->exercises;
        grader->exercises = exercise;
    }
    return exercise;
}

void grader_end(struct grader *grader)
{
    while (grader->exercises) {
        struct exercise *next = grader->exercises->next;
        exercise_free(grader->exercises);
        grader->exercises = next;
    }
}
