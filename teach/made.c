/* made.c - makes of a student's file what can be run: the exercise as its teacher wrote it, with the student's
 * part instead of the one that was handed out. */
#include "program/compile/dialect.h"
#include "program/compile/object.h"
#include "teach/meter.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Numbers that no file of a class has, from here on: of what each is compared with. */
enum { CONTROL = 2 << 20 };

/* ---- the student's source ---------------------------------------------------------------------- */

static const char the_exercise[] = "the exercise"; /* as a file's name */

/* The file's name, of letters that a #line can have. */
static void plain_name(const char *path, char name[NAME_MAX + 1])
{
    const char *slash = strrchr(path, '/');
    snprintf(name, NAME_MAX + 1, "%s", slash ? slash + 1 : path);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._-+ ", *c))
            *c = '_';
}

/* Writes what is compiled: the teacher's text around the student's part, with the lines' numbers of
 * either. */
static bool write_source(const struct exercise *exercise, const char *file, const struct part *part,
                         const char *source, const char *path, struct error *error)
{
    const struct part *own = &exercise->part;
    const char *rest = own->text + own->length;
    char name[NAME_MAX + 1];
    int lines = own->line;
    FILE *to = fopen(path, "wb");
    if (!to)
        return error_set(error, "cannot write %s: %s", path, strerror(errno));
    for (size_t i = 0; i < own->length; i++)
        lines += own->text[i] == '\n';
    /* A run takes all but the body from the exercise as the teacher wrote it. */
    fprintf(to, "#define %s\n", exercise->names.program ? "main its_own_main" : "KERNEL_ALONE");
    plain_name(file, name);
    /* A function says what it takes, or calls could hand it anything. */
    fprintf(
        to, "#line 1 \"%s\"\n%.*s%s#line %d \"%s\"\n%s\n%s#line %d \"%s\"\n%s", the_exercise,
        (int)(own->text - exercise->text), exercise->text,
        exercise->names.program
            ? ""
            : "#pragma GCC diagnostic push\n#pragma GCC diagnostic error \"-Wstrict-prototypes\"\n"
              "#pragma GCC diagnostic error \"-Wold-style-definition\"\n",
        part->line, name, source, exercise->names.program ? "" : "#pragma GCC diagnostic pop\n",
        lines, the_exercise, rest);
    if (exercise->names.program)
        fprintf(to, "\n#include <bankscope/check_main.h>\n");
    bool good = !ferror(to);
    return (!fclose(to) && good) || error_set(error, "cannot write %s: %s", path, strerror(errno));
}

/* Of the compiler's messages those that name a line, with the student's own names. */
static void read_messages(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "rb");
    char line[1024];
    text[0] = '\0';
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || !isdigit((unsigned char)colon[1]))
            continue;
        part_clean(line);
        line[strcspn(line, "\n")] = '\0';
        text_clean(line);
        if (strlen(text) + strlen(line) + 2 > room)
            break;
        text_add(text, room, "%s\n", line);
    }
    if (file)
        fclose(file);
}

/* Compiles a kernel in the dialect to an object. */
static bool compile_kernel(const struct grader *grader, const char *file, int number,
                           const char *path, const char *object, struct exercise_report *report)
{
    char messages[PATH_MAX];
    struct error error = {{0}};
    snprintf(messages, sizeof messages, "%s/%d.txt", grader->folder, number);
    int out = open(messages, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool good = out >= 0 && dialect_compile(path, object, !grader->unconfined, out, &error);
    if (out >= 0)
        close(out);
    if (!good) {
        read_messages(messages, report->messages, sizeof report->messages);
        error_set(&report->error, "%s does not compile", file);
    }
    unlink(messages);
    return good;
}

static bool compile_program(const struct grader *grader, const struct exercise *exercise,
                            const char *file, const char *path, struct apart *apart,
                            struct exercise_report *report)
{
    char name[NAME_MAX + 1];
    const struct named_file files[] = {{name, file}, {the_exercise, exercise->path}, {NULL, NULL}};
    struct error error = {{0}};
    plain_name(file, name);
    apart->program = exercise_program_build(path, files, !grader->unconfined, report->messages,
                                            sizeof report->messages, &error);
    part_clean(report->messages);
    if (!apart->program)
        error_set(&report->error, *report->messages ? "%s does not compile" : "%s: %s", file,
                  error.text);
    return apart->program;
}

/* What an object may take from this program and from the C library: what the compiler and the words of the
 * language put there. A student's part cannot call anything else, whatever it declares. */
static bool is_ours(const char *name)
{
    static const char *const begins[] = {"simt_host_", "__wrap___tsan_", "__wrap___ubsan_handle_",
                                         NULL};
    static const char *const names[] = {"memcpy",
                                        "memmove",
                                        "memset",
                                        "memcmp",
                                        "__stack_chk_fail",
                                        "__cxa_finalize",
                                        "__gmon_start__",
                                        "_ITM_deregisterTMCloneTable",
                                        "_ITM_registerTMCloneTable",
                                        NULL};
    for (int i = 0; begins[i]; i++)
        if (!strncmp(name, begins[i], strlen(begins[i])))
            return true;
    for (int i = 0; names[i]; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

bool make_of(const struct grader *grader, const struct exercise *exercise, const char *file,
             int number, struct apart *apart, struct exercise_report *report)
{
    char path[PATH_MAX];
    struct part part;
    char *text = part_read(file, &report->error), *source = NULL;
    bool good = text && part_find(file, text, &part, &report->error);
    snprintf(path, sizeof path, "%s/%d.cu", grader->folder, number);
    if (good)
        source = part_source(file, &part, &exercise->names, &report->error);
    report->compiled = source; /* from here on it may be this machine's fault */
    good = source && write_source(exercise, file, &part, source, path, &report->error);
    if (good)
        good = exercise->names.program
                   ? compile_program(grader, exercise, file, path, apart, report)
                   : compile_kernel(grader, file, number, path, apart->object, report);
    unlink(path);
    free(source);
    free(text);
    return good;
}

/* ---- the control --------------------------------------------------------------------------------- */

struct run_options made_options(struct apart *apart)
{
    return (struct run_options){.run = apart->program ? run_program : run_apart, .context = apart};
}

void made_free(struct apart *apart)
{
    exercise_program_free(apart->program);
    unlink(apart->object);
}

void control_init(struct control *control, const struct grader *grader,
                  const struct exercise *exercise, int number)
{
    *control = (struct control){.grader = grader, .exercise = exercise, .number = CONTROL + number};
    control->apart = (struct apart){.object = control->object, .unconfined = grader->unconfined};
    snprintf(control->object, sizeof control->object, "%s/%d.so", grader->folder, control->number);
}

static bool control_there(struct control *control)
{
    if (!control->tried)
        control->there = make_of(control->grader, control->exercise, control->exercise->path,
                                 control->number, &control->apart, &control->report);
    control->tried = true;
    return control->there;
}

void control_free(struct control *control)
{
    if (control->there)
        made_free(&control->apart);
}

bool control_compiles(struct control *control, struct error *trouble)
{
    const struct exercise_report *report = &control->report;
    return control_there(control) ||
           error_set(trouble,
                     "the exercise as handed out does not compile either, so this machine cannot "
                     "grade now (is it short of memory or disk?): %s%s%.*s",
                     report->error.text, *report->messages ? ": " : "",
                     (int)strcspn(report->messages, "\n"), report->messages);
}

bool control_runs(struct control *control, const struct recipe *recipe, struct error *trouble)
{
    struct error why = {{0}};
    struct run_result result;
    if (!control_compiles(control, trouble))
        return false;
    const struct run_options options = made_options(&control->apart);
    control->apart.ill = true;
    bool good = recipe_run(recipe, &options, NULL, &result, &why);
    if (control->apart.trouble.text[0])
        why = control->apart.trouble;
    else if (good || (!control->apart.ill && !strstr(why.text, "out of memory")))
        return true;
    return error_set(trouble,
                     "the exercise as handed out fails as well, so this machine cannot grade now "
                     "(is it short of memory or disk?): %s",
                     why.text);
}

static bool is_another(void *context, const char *name)
{
    return strcmp(context, name) != 0;
}

/* What an object may take: nothing but ours, and what the teacher's own part of the exercise takes. */
static bool may_take(void *context, const char *name)
{
    struct control *control = context;
    char wanted[256], found[256];
    struct error none = {{0}};
    snprintf(wanted, sizeof wanted, "%s", name);
    return is_ours(name) ||
           (control_there(control) && !control->apart.program &&
            !object_takes_only(control->object, is_another, wanted, found, sizeof found, &none) &&
            *found);
}

bool control_takes(struct control *control, const struct apart *apart, const char *file,
                   struct error *error)
{
    char name[256];
    if (apart->program ||
        object_takes_only(apart->object, may_take, control, name, sizeof name, error))
        return true;
    if (*name) {
        part_clean(name);
        error_set(error, "%s: your part calls '%s', which it does not define", file,
                  text_clean(name));
    }
    return false;
}
