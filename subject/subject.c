/* subject.c - see subject.h. */
#include "base/text.h"
#include "subject/subject.h"
#include "program/compile/dialect.h"
#include "system/process.h"
#include "system/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the command line ---- */

#ifdef HAVE_DW
#define SUBJECT_LETTERS RECORD_SHORT PROGRAM_SHORT
#else
#define SUBJECT_LETTERS RECORD_SHORT
#endif

static bool too_many(const struct subjects *subjects, const char *name)
{
    static const char *const words[] = {"no", "one", "two"};
    char number[16];
    snprintf(number, sizeof number, "%d", subjects->most);
    command_usage(subjects->command, "'%s' is one too many: %s recording%s at most", name,
                  subjects->most < 3 ? words[subjects->most] : number,
                  subjects->most == 1 ? "" : "s");
    return false;
}

static bool add_subject(struct subjects *subjects, const char *name)
{
    if (subjects->count == SUBJECTS)
        return too_many(subjects, name);
    struct subject *subject = &subjects->subject[subjects->count++];
    subject->name = name;
#ifdef HAVE_DW
    subject->plain = program_asked(2, (char *[]){"", (char *)(uintptr_t)name, NULL});
#endif
    return true;
}

/* Gives an option of kernels or programs, 'p' for NAME=VALUE, to one of them. */
static bool give(const char *command, int option, const char *text, const struct option *longs,
                 struct subject *subject)
{
#ifdef HAVE_DW
    if (program_has_option(option)) {
        command_option_word(option, longs, subject->program_option);
        return program_option(command, option, text, &subject->program);
    }
    if (option == OPTION_SEED) /* of a program's --schedule random, too */
        return record_option(command, option, text, &subject->options) &&
               (!strtoull(text, NULL, 10) ||
                program_option(command, option, text, &subject->program));
#else
    if (option >= PROGRAM_KERNEL)
        return command_not_program(command, option, longs), false;
#endif
    return record_option(command, option, text, &subject->options);
}

/* Whether it is an option of recordings. */
static bool is_shared(int option)
{
#ifdef HAVE_DW
    if (program_has_option(option))
        return true;
#endif
    return option == 'p' || (option >= OPTION_INPUT && option < OPTION_FIRST_FREE) ||
           option >= PROGRAM_KERNEL;
}

/* An option of recordings, or a word. false: reported. */
static bool take_shared(struct subjects *subjects, int option, const char *text,
                        const struct option *longs)
{
    const bool param = option == 1 && recipe_is_param(text), name = option == 1 && !param;
    bool good = true;
    if (name) {
        good = add_subject(subjects, text);
        if (subjects->option_last)
            subjects->group = subjects->count - 1;
    } else {
        int past = subjects->count ? subjects->count : SUBJECTS;
        for (int i = subjects->group; good && i < past; i++)
            good =
                give(subjects->command, param ? 'p' : option, text, longs, &subjects->subject[i]);
    }
    subjects->option_last = !name && subjects->count > 0;
    return good;
}

/* Takes the words after "--": a program's arguments, or more names. false: reported. */
static bool take_rest(struct subjects *subjects, int argc, char **argv)
{
    bool plain = false, good = true;
    const struct program_request *request = &subjects->subject[0].program.request;
    if (!subjects->count && request->database) /* the program that it has */
        good = add_subject(subjects, request->target ? request->target : request->database);
    for (int i = 0; i < subjects->count; i++) {
        plain |= subjects->subject[i].plain || subjects->subject[i].program.request.database;
        subjects->subject[i].program.arguments = argv + optind;
    }
    for (; good && optind < argc && !plain; optind++)
        good = add_subject(subjects, argv[optind]);
    return good;
}

#ifdef HAVE_DW
/* Whether it is a source of a program that may have others, and whether it has a main(). */
static bool is_source(const struct subject *subject, bool *main)
{
    struct source_seen seen = {0};
    struct error none = {{0}};
    const struct program_request *request = &subject->program.request;
    const bool named =
        source_is_named(subject->name) && program_kind(subject->name) != PROGRAM_DIALECT;
    bool source = (subject->plain || named) && !subject->trace && !request->database &&
                  !request->calls.calls && source_scan(subject->name, &seen, &none);
    *main = seen.main;
    seen_free(&seen);
    return source;
}

/* Sources that stand one behind another are one program, up to a second main(). */
static void join_sources(struct subjects *subjects)
{
    int kept = 0;
    bool main = false, open = false, program = false, other;
    for (int i = 0; i < subjects->count; i++)
        program |= subjects->subject[i].plain;
    for (int i = 0; i < subjects->count; i++) {
        struct subject *subject = &subjects->subject[i],
                       *before = &subjects->subject[kept ? kept - 1 : 0];
        const bool source = program && is_source(subject, &other);
        const bool joins =
            open && source && !(main && other) && before->alsos < SUBJECT_SOURCES - 1;
        if (joins) {
            before->also[before->alsos++] = subject->name;
            before->plain = true;
            subject_free(subject);
            *subject = (struct subject){.name = NULL};
            main |= other;
            continue;
        }
        open = source;
        main = source && other;
        if (kept != i) {
            subjects->subject[kept] = *subject;
            *subject = (struct subject){.name = NULL};
        }
        kept++;
    }
    subjects->count = kept;
}
#endif

bool subjects_read(struct subjects *subjects, int argc, char **argv, const char *own,
                   const struct option *longs, command_taker *take, void *context)
{
    char shorts[64];
    bool good = true;
    /* "-": in the order of the command line, a name as option 1 */
    snprintf(shorts, sizeof shorts, "-:%s%s", own, SUBJECT_LETTERS);
    for (int option; good && (option = command_option(argc, argv, shorts, longs)) != -1;) {
        if (option == 1 || is_shared(option))
            good = take_shared(subjects, option, optarg, longs);
        else {
            subjects->option_last = subjects->count > 0;
            good = option != '?' && take(context, option, optarg);
        }
    }
    good = good && take_rest(subjects, argc, argv);
#ifdef HAVE_DW
    if (good && !subjects->separate)
        join_sources(subjects);
#endif
    if (good && subjects->count > subjects->most)
        good = too_many(subjects, subjects->subject[subjects->most].name);
    if (good && !subjects->count)
        return command_usage(argv[0], "which trace or kernel? 'bankscope list' shows the kernels"),
               false;
    return good;
}

/* ---- what they are ---- */

bool subject_find(struct subject *subject, struct error *error)
{
    if (subject->trace)
        subject->plain = false;
    else if (subject->program.request.database)
        subject->plain = true; /* a source that the database knows */
    if (subject->plain || subject->trace)
        return true;
    if (!strcmp(subject->name, "-") && subject->program.request.calls.calls) { /* PTX or CUDA */
        subject->plain = true;
        return true;
    }
    subject->own = text_ends_with(subject->name, ".cu");
    struct error unknown = {{0}};
    subject->kernel = subject->own
                          ? dialect_kernel(subject->name, subject->options.run.backend, error)
                          : catalogue_find(subject->name, &unknown);
    if (subject->own && !subject->kernel)
        return false;
    /* Not opened yet: a pipe can be read only once. */
    if (!subject->kernel && access(subject->name, F_OK) && !strpbrk(subject->name, "/.") &&
        strcmp(subject->name, "-") != 0)
        return error_set(error, "%s; nor is there a file of that name", unknown.text);
    return true;
}

bool subject_is_file(const struct subject *subject)
{
    return !subject->kernel && !subject->plain;
}

bool kernel_has_param(const struct kernel *kernel, const char *assignment)
{
    size_t length = strcspn(assignment, "=");
    for (int i = 0; kernel && kernel->params[i].name; i++)
        if (strlen(kernel->params[i].name) == length &&
            strncmp(kernel->params[i].name, assignment, length) == 0)
            return true;
    return false;
}

/* Takes the seed of a program's --schedule random out of the words for kernels. */
static void take_seed(struct subject *subject)
{
    struct recipe_words *words = &subject->options.words;
    while (subject->plain && subject->program.choice.schedule && words->count &&
           words->word[words->count - 1].kind == RECIPE_SEED)
        words->count--;
}

/* Takes away the parameters that the kernel lacks and another one has. */
static void share_params(const struct subjects *subjects, struct subject *subject)
{
    struct recipe_words *words = &subject->options.words;
    int kept = 0;
    for (int i = 0; i < words->count; i++) {
        bool others = false;
        for (int k = 0; k < subjects->count; k++)
            others |= kernel_has_param(subjects->subject[k].kernel, words->word[i].text);
        if (words->word[i].kind != RECIPE_PARAM || !others ||
            kernel_has_param(subject->kernel, words->word[i].text))
            words->word[kept++] = words->word[i];
    }
    words->count = kept;
}

const char *subject_short(const struct subject *subject, size_t most, char name[SUBJECT_SHORT])
{
    const size_t length = strlen(subject->name);
    const char *end = subject->name + (length <= most ? 0 : length - most + strlen("..."));
    while (((unsigned char)*end & 0xC0) == 0x80)
        end++;
    snprintf(name, SUBJECT_SHORT, "%s%s", end == subject->name ? "" : "...", end);
    return name;
}

void subject_request(struct subject *subject)
{
#ifdef HAVE_DW
    struct program_request *request = &subject->program.request;
    request->sources = 0;
    if (subject->name != request->target && subject->name != request->database)
        request->source[request->sources++] = subject->name;
    for (int i = 0; i < subject->alsos; i++)
        request->source[request->sources++] = subject->also[i];
#else
    (void)subject;
#endif
}

int subjects_find(struct subjects *subjects)
{
    struct error error = {{0}};
    bool kernels = false, plain = false;
    for (int i = 0; i < subjects->count; i++) {
        if (!subject_find(&subjects->subject[i], &error))
            return command_fail(subjects->command, &error);
        kernels |= subjects->subject[i].kernel != NULL;
        plain |= subjects->subject[i].plain;
    }
    for (int i = 0; i < subjects->count; i++) {
        struct subject *subject = &subjects->subject[i];
        take_seed(subject);
        if (!kernels && subject->options.words.count > 0)
            return command_usage(subjects->command,
                                 "%s is no kernel; parameters, --input and --seed are for kernels "
                                 "(--seed for programs with --schedule random, too)",
                                 subject->name);
        if (*subject->program_option && !plain)
            return command_usage(subjects->command,
                                 "%s is for CUDA programs as they stand, which %s is not",
                                 subject->program_option, subject->name);
        if (subject->kernel)
            share_params(subjects, subject);
    }
    return 0;
}

void subject_free(struct subject *subject)
{
#ifdef HAVE_DW
    program_options_free(&subject->program);
#endif
    recipe_words_free(&subject->options.words);
}

void subjects_free(struct subjects *subjects)
{
    for (int i = 0; i < SUBJECTS; i++)
        subject_free(&subjects->subject[i]);
}

/* ---- recording ---- */

bool subject_recipe(const struct subject *subject, struct recipe *recipe, struct error *error)
{
    recipe_init(recipe, subject->kernel);
    return recipe_apply(recipe, &subject->options.words, error);
}

/* A user's own kernel, in the child of process_apart: into a file. */
struct own_run {
    const struct recipe *recipe;
    const struct run_options *options;
    FILE *file;
};

static int run_own(void *context, struct error *error)
{
    const struct own_run *run = context;
    struct run_result result;
    struct trace_writer *writer = trace_writer_new(run->file, "a temporary file");
    if (!writer)
        return error_set(error, "out of memory");
    struct trace_sink sink = trace_writer_sink(writer);
    recipe_run(run->recipe, run->options, &sink, &result, error);
    trace_writer_free(writer);
    return 0;
}

static bool run_apart(const struct subject *subject, const struct recipe *recipe,
                      const struct trace_sink *sink, struct error *error)
{
    struct own_run run = {recipe, &subject->options.run, tmpfile()};
    if (!run.file)
        return error_set(error, "cannot make a temporary file: %s", strerror(errno));
    bool good = process_apart(subject->name, run_own, &run, error) == 0;
    rewind(run.file);
    good = good && trace_read(run.file, subject->name, sink, error);
    fclose(run.file);
    return good;
}

bool subject_run(const struct subject *subject, const struct recipe *recipe,
                 const struct trace_sink *sink, struct error *error)
{
    struct run_result result;
    return subject->own ? run_apart(subject, recipe, sink, error)
                        : recipe_run(recipe, &subject->options.run, sink, &result, error);
}

/* Runs the kernel as its options say, with progress. */
static bool run_kernel(const struct subject *subject, const struct trace_sink *to,
                       struct error *error)
{
    struct record_progress progress;
    struct trace_sink sinks[] = {record_progress_sink(&progress), *to};
    struct trace_tee tee = {sinks, sizeof sinks / sizeof sinks[0]};
    struct trace_sink sink = trace_tee_sink(&tee);
    struct recipe recipe;
    bool good =
        subject_recipe(subject, &recipe, error) && subject_run(subject, &recipe, &sink, error);
    recipe_free(&recipe);
    return good;
}

/* Runs a program and hands one of its launches to the sink. */
static bool run_program(const char *command, struct subject *subject, const struct trace_sink *sink,
                        int *status, struct error *error)
{
#ifdef HAVE_DW
    subject_request(subject);
    subject->program.choice.values = true;
    int ended = program_record(command, &subject->program, sink, error);
    *status |= ended > 0;
    return ended >= 0;
#else
    (void)command, (void)sink, (void)status;
    return error_set(error, "%s is a CUDA program: this build lacks libdw", subject->name);
#endif
}

bool subject_read(const char *command, struct subject *subject, const struct trace_sink *sink,
                  int *status, struct error *error)
{
    return subject->plain    ? run_program(command, subject, sink, status, error)
           : subject->kernel ? run_kernel(subject, sink, error)
                             : trace_read_path(subject->name, NULL, sink, error);
}

bool subject_load(const char *command, struct subject *subject, const struct trace_part *part,
                  struct trace *trace, int *status, struct error *error)
{
    struct trace_sink sink = trace_memory_sink(trace);
    return subject_is_file(subject) ? command_load(subject->name, part, trace, error)
                                    : subject_read(command, subject, &sink, status, error);
}

/* ---- traces ---- */

int command_check_end(const char *command, const char *path, const struct trace_end *end)
{
    struct error error = {{0}};
    if (!end->complete)
        error_set(&error,
                  "%.300s is cut: it has no end, %" PRIu64
                  " whole warp accesses are kept; record it again for the rest",
                  path, end->warp_accesses);
    else if (end->dropped)
        error_set(&error,
                  "%.300s lacks %" PRIu64
                  " records, dropped by a full device buffer; record it again with a larger "
                  "--records",
                  path, end->dropped);
    if (*error.text)
        command_fail(command, &error);
    return !end->complete || end->dropped;
}

struct load_progress {
    const char *path;
    double start, shown;
};

static void show_progress(void *context, uint64_t bytes)
{
    struct load_progress *progress = context;
    double time = clock_seconds();
    if (time - progress->start < 1 || time - progress->shown < 0.2)
        return;
    progress->shown = time;
    fprintf(stderr, "\r%s: %.0f MB read\033[K", progress->path, (double)bytes / 1e6);
}

bool command_load(const char *path, const struct trace_part *part, struct trace *trace,
                  struct error *error)
{
    char name[256];
    struct load_progress progress = {.path = name, .start = clock_seconds()};
    struct trace_part watched = {.last_block = INT_MAX, .warp = -1};
    if (part)
        watched = *part;
    snprintf(name, sizeof name, "%s", path);
    text_clean(name);
    if (isatty(STDERR_FILENO)) {
        watched.progress = show_progress;
        watched.context = &progress;
    }
    bool good = trace_load_part(path, &watched, trace, error);
    if (progress.shown > 0)
        fprintf(stderr, "\r\033[K");
    return good;
}
