/* view.c - the window on one or two traces, from files or recorded on the spot. */
#include "commands/command.h"

#include "viewer/viewer.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char view_help[] =
    "usage: bankscope view TRACE|KERNEL|FILE.cu... [options]\n"
    "\n"
    "Opens a window on a trace, or on up to four side by side. A kernel is recorded first; ./NAME\n"
    "is always a file, and '-' is a trace on standard input. In the window, '?' lists the keys.\n"
    "\n"
    "An ordinary CUDA program runs on this machine (see 'bankscope help run'), with the\n"
    "arguments after --; view shows its launch with the most conflicts, with the source beside\n"
    "it.\n"
    "\n" RECORD_HELP PROGRAM_HELP
    "  --stage STAGE      show the worst round of this stage first (default: of the stage with\n"
    "                     the most conflicts)\n"
    "  --block N          load only this block of a recording (default if it is over 200 MB:\n"
    "                     block 0)\n"
    "  --theme THEME      light (the default), print or dark\n"
    "\n"
    "Options for kernels and programs apply to the one named just before them; options before\n"
    "the first one apply to all. Each of several kernels takes the parameters that it has.\n"
    "\n"
    "examples:\n"
    "  bankscope view cf-merge w=12 u=12 E=5\n"
    "  bankscope view thrust-merge cf-merge u=512 E=15 --input worst\n"
    "  bankscope view transpose variant=naive transpose variant=padded\n"
    "  bankscope view worst.jsonl cf-merge\n"
    "  bankscope view app.cu --launch 0 app.cu --launch 1 -- 1024\n";

#ifdef HAVE_DW
#define VIEW_SHORT PROGRAM_SHORT
#else
#define VIEW_SHORT ""
#endif

enum { OPTION_STAGE = OPTION_FIRST_FREE, OPTION_THEME, OPTION_BLOCK };
const struct option view_longs[] = {RECORD_OPTIONS,
                                    PROGRAM_CHOICE,
                                    {"stage", required_argument, NULL, OPTION_STAGE},
                                    {"theme", required_argument, NULL, OPTION_THEME},
                                    {"block", required_argument, NULL, OPTION_BLOCK},
                                    {NULL, 0, NULL, 0}};

/* A trace to show: a file, or a kernel or program with its options. */
struct subject {
    const char *name;
    const struct kernel *kernel; /* NULL: a trace's file, or a program */
    bool own;                    /* a kernel of the user's own, from FILE.cu */
    bool plain;                  /* a CUDA program as it stands */
    struct record_options options;
    struct program_options program;
    const char *program_option; /* the last that was given, or NULL */
    struct exhibit *exhibit;    /* the view's, once it is shown */
};

struct request {
    int subjects;
    struct subject subject[PANELS];
    const char *stage; /* or NULL */
    int64_t block;     /* -1: all, or the first of a large recording */
    const struct theme *theme;
    int status; /* 1: a trace is cut or lacks records */
};

static bool add_subject(const char *command, const char *name, struct request *request)
{
    if (request->subjects == PANELS) {
        command_usage(command, "'%s' is one too many: a window shows %d recordings at most", name,
                      PANELS);
        return false;
    }
    struct subject *subject = &request->subject[request->subjects++];
    subject->name = name;
#ifdef HAVE_DW
    subject->plain = program_asked(2, (char *[]){"view", (char *)(uintptr_t)name, NULL});
#endif
    return true;
}

/* Takes an option of kernels or programs, 'p' for NAME=VALUE. */
static bool subject_option(const char *command, int option, const char *text, const char *typed,
                           struct subject *subject)
{
#ifdef HAVE_DW
    if (program_has_option(option)) {
        subject->program_option = typed;
        return program_option(command, option, text, &subject->program);
    }
#else
    if (option >= PROGRAM_KERNEL)
        return command_not_program(command, typed), false;
#endif
    return record_option(command, option, text, &subject->options);
}

/* The words after "--": a program's arguments, or more subjects. */
static bool take_rest(int argc, char **argv, struct request *request)
{
    bool plain = false;
    for (int i = 0; i < request->subjects; i++)
        plain |= request->subject[i].plain;
    for (int i = 0; i < request->subjects; i++)
        request->subject[i].program.arguments = argv + optind;
    for (; optind < argc && !plain; optind++)
        if (!add_subject(argv[0], argv[optind], request))
            return false;
    return true;
}

/* Sorts the command line into the request. false: reported by command_usage. */
static bool read_arguments(int argc, char **argv, struct request *request)
{
    int option, group = 0; /* the first of the subjects that an option now belongs to */
    bool option_last = false;
    struct error error = {{0}};
    /* "-": in the order of the command line, a name as option 1 */
    while ((option = command_option(argc, argv, "-:" RECORD_SHORT VIEW_SHORT, view_longs)) != -1) {
        if (option == '?') {
            return false;
        } else if (option == 1 && !recipe_is_param(optarg)) {
            if (!add_subject(argv[0], optarg, request))
                return false;
            if (option_last)
                group = request->subjects - 1;
        } else if (option == OPTION_STAGE) {
            request->stage = optarg;
        } else if (option == OPTION_BLOCK) {
            if (!command_number(argv[0], "--block", optarg, 0, MAX_BLOCKS - 1, &request->block))
                return false;
        } else if (option == OPTION_THEME) {
            request->theme = theme_find(optarg, &error);
            if (!request->theme) {
                command_wrong(argv[0], &error);
                return false;
            }
        } else {
            int past = request->subjects ? request->subjects : PANELS;
            for (int i = group; i < past; i++)
                if (!subject_option(argv[0], option == 1 ? 'p' : option, optarg, argv[optind - 1],
                                    &request->subject[i]))
                    return false;
        }
        option_last = (option != 1 || recipe_is_param(optarg)) && request->subjects > 0;
    }
    if (!take_rest(argc, argv, request))
        return false;
    if (request->subjects == 0)
        command_usage(argv[0], "which trace or kernel? 'bankscope list' shows the kernels");
    return request->subjects > 0;
}

/* Finds out which subjects are kernels. */
static bool find_kernels(struct request *request, struct error *error)
{
    for (int i = 0; i < request->subjects; i++) {
        struct subject *subject = &request->subject[i];
        if (subject->plain)
            continue;
        size_t length = strlen(subject->name);
        subject->own = length > 3 && strcmp(subject->name + length - 3, ".cu") == 0;
        struct error unknown = {{0}};
        subject->kernel = subject->own
                              ? record_kernel(subject->name, subject->options.run.backend, error)
                              : catalogue_find(subject->name, &unknown);
        if (subject->own && !subject->kernel)
            return false;
        FILE *file = subject->kernel ? NULL : fopen(subject->name, "rb");
        if (file)
            fclose(file);
        else if (!subject->kernel && !strpbrk(subject->name, "/.") &&
                 strcmp(subject->name, "-") != 0)
            return error_set(error, "%s; nor is there a file of that name", unknown.text);
    }
    return true;
}

/* Whether the parameter that "NAME=VALUE" assigns is one of the kernel's. */
static bool has_param(const struct kernel *kernel, const char *assignment)
{
    size_t length = strcspn(assignment, "=");
    for (int i = 0; kernel && kernel->params[i].name; i++)
        if (strlen(kernel->params[i].name) == length &&
            strncmp(kernel->params[i].name, assignment, length) == 0)
            return true;
    return false;
}

/* Takes away the parameters that the kernel lacks and another one has. */
static void share_params(struct request *request, struct subject *subject)
{
    struct recipe_words *words = &subject->options.words;
    int kept = 0;
    for (int i = 0; i < words->count; i++) {
        bool others = false;
        for (int k = 0; k < request->subjects; k++)
            others |= has_param(request->subject[k].kernel, words->word[i].text);
        if (words->word[i].kind != RECIPE_PARAM || !others ||
            has_param(subject->kernel, words->word[i].text))
            words->word[kept++] = words->word[i];
    }
    words->count = kept;
}

/* Runs the kernel and hands the trace to a sink. */
static bool record(const struct subject *subject, const struct trace_sink *to, struct error *error)
{
    struct record_progress progress;
    struct run_result result;
    struct recipe recipe;
    struct trace_sink sinks[] = {record_progress_sink(&progress), *to};
    struct trace_tee tee = {sinks, sizeof sinks / sizeof sinks[0]};
    struct trace_sink sink = trace_tee_sink(&tee);
    recipe_init(&recipe, subject->kernel);
    bool good = recipe_apply(&recipe, &subject->options.words, error) &&
                recipe_run(&recipe, &subject->options.run, &sink, &result, error);
    recipe_free(&recipe);
    return good;
}

/* The same of a user's own kernel, in the child of process_apart: into a file. */
struct recording {
    const struct subject *subject;
    FILE *file;
};

static int record_into(void *context, struct error *error)
{
    const struct recording *recording = context;
    struct trace_writer *writer = trace_writer_new(recording->file, "a temporary file");
    if (!writer)
        return error_set(error, "out of memory");
    struct trace_sink sink = trace_writer_sink(writer);
    record(recording->subject, &sink, error);
    trace_writer_free(writer);
    return 0;
}

static bool record_apart(const struct subject *subject, const struct trace_sink *sink,
                         struct error *error)
{
    struct recording recording = {subject, tmpfile()};
    if (!recording.file)
        return error_set(error, "cannot make a temporary file: %s", strerror(errno));
    bool good = process_apart(subject->name, record_into, &recording, error) == 0;
    rewind(recording.file);
    good = good && trace_read(recording.file, subject->name, sink, error);
    fclose(recording.file);
    return good;
}

/* Loads a recording: all of it, or one block where that is asked for or the file is too large to
 * wait for. */
static bool load_file(struct request *request, struct subject *subject, struct error *error)
{
    const off_t large = 200 << 20, large_packed = 20 << 20; /* bytes that take about 2 seconds */
    struct trace_part part = {.last_block = INT_MAX, .warp = -1};
    struct stat status;
    bool file = !stat(subject->name, &status) && S_ISREG(status.st_mode);
    size_t length = strlen(subject->name);
    bool packed = length > 3 && (!strcmp(subject->name + length - 3, ".gz") ||
                                 !strcmp(subject->name + length - 3, "zst"));
    bool cut = file && request->block < 0 && status.st_size > (packed ? large_packed : large);
    if (request->block >= 0 || cut)
        part.first_block = part.last_block = request->block < 0 ? 0 : (int)request->block;
    if (!command_load(subject->name, &part, &subject->exhibit->trace, error))
        return false;
    if (request->block >= subject->exhibit->trace.header.blocks)
        return error_set(error, "--block %d is out of range: %s has blocks 0 to %d",
                         (int)request->block, subject->name,
                         subject->exhibit->trace.header.blocks - 1);
    if (cut && subject->exhibit->trace.header.blocks > 1)
        fprintf(stderr,
                "bankscope view: a large recording: this is block 0 of %d; --block N shows "
                "another\n",
                subject->exhibit->trace.header.blocks);
    return true;
}

/* Runs a program and hands one of its launches to the sink. */
static bool record_plain(struct request *request, struct subject *subject,
                         const struct trace_sink *sink, struct error *error)
{
#ifdef HAVE_DW
    subject->program.request.source[0] = subject->name;
    subject->program.request.sources = 1;
    subject->program.choice.values = true;
    int status = program_record("view", &subject->program, sink, error);
    request->status |= status > 0;
    return status >= 0;
#else
    (void)request, (void)sink;
    return error_set(error, "%s is a CUDA program: this build lacks libdw", subject->name);
#endif
}

/* Loads or records all traces. */
static bool load(struct request *request, struct error *error)
{
    if (!find_kernels(request, error))
        return false;
    bool kernels = false, plain = false;
    for (int i = 0; i < request->subjects; i++) {
        kernels |= request->subject[i].kernel != NULL;
        plain |= request->subject[i].plain;
    }
    for (int i = 0; i < request->subjects; i++)
        if (!kernels && request->subject[i].options.words.count > 0)
            return error_set(error,
                             "%s is no kernel; parameters, --input and --seed are for kernels",
                             request->subject[i].name);
    for (int i = 0; i < request->subjects; i++) {
        struct subject *subject = &request->subject[i];
        subject->exhibit = exhibit_new();
        if (subject->program_option && !plain)
            return error_set(error, "%s is for CUDA programs as they stand, which %s is not",
                             subject->program_option, subject->name);
        if (subject->plain) {
            struct trace_sink sink = trace_memory_sink(&subject->exhibit->trace);
            if (!record_plain(request, subject, &sink, error))
                return false;
        } else if (subject->kernel) {
            share_params(request, subject);
            struct trace_sink sink = trace_memory_sink(&subject->exhibit->trace);
            if (!(subject->own ? record_apart : record)(subject, &sink, error))
                return false;
        } else {
            if (!load_file(request, subject, error))
                return false;
        }
        request->status |= command_check_end("view", subject->name, &subject->exhibit->trace.end);
        if (!exhibit_index(subject->exhibit, error))
            return false;
    }
    return true;
}

/* Reads a file of source, of at most `room` bytes. false: it is not there, or is no such file. */
static bool read_source(const char *path, char *text, size_t room, size_t *size)
{
    struct stat status;
    FILE *file = stat(path, &status) || !S_ISREG(status.st_mode) ? NULL : fopen(path, "rb");
    if (!file)
        return false;
    *size = fread(text, 1, room, file);
    bool whole = *size < room && !ferror(file);
    fclose(file);
    return whole;
}

/* Looks for the files that the recording was made from: by their names, or beside it. */
static void add_text(const struct subject *subject, struct view_panel *panel)
{
    const size_t room = 4 << 20;
    char *text = memory_new(room, 1);
    const char *slash = strrchr(subject->name, '/');
    int folder = slash ? (int)(slash - subject->name) + 1 : 0;
    const char *name;
    for (int i = 0; (name = source_file_name(&panel->source, i)); i++) {
        char beside[MAX_TEXT + 64];
        const char *last = strrchr(name, '/');
        size_t size;
        snprintf(beside, sizeof beside, "%.*s%s", folder, subject->name, last ? last + 1 : name);
        if (!read_source(name, text, room, &size) || !source_text(&panel->source, i, text, size))
            if (read_source(beside, text, room, &size))
                source_text(&panel->source, i, text, size);
    }
    free(text);
}

static bool show(struct request *request, struct error *error)
{
    struct view view = {0};
    const struct trace_header *first = &request->subject[0].exhibit->trace.header;
    int stage = trace_index_worst_stage(&request->subject[0].exhibit->index), used = 0;
    if (request->stage) {
        stage = header_stage(first, request->stage);
        if (stage < 0)
            return error_unknown(error, "there is no stage", request->stage,
                                 (const char *const *)first->stage, NULL);
    }
    char title[256] = "";
    bool good = view_init(&view, NULL, NULL, error);
    for (int i = 0; good && i < request->subjects; i++) {
        struct subject *subject = &request->subject[i];
        good = view_add(&view, subject->exhibit, error);
        if (good) {
            subject->exhibit = NULL;
            add_text(subject, &view.panel[i]);
        }
        used += snprintf(title + used, sizeof title - (size_t)used, "%s%.50s",
                         i ? " and " : "Bankscope: ", subject->name);
    }
    if (request->theme)
        view.theme = request->theme;
    if (good)
        view_worst_of(&view, stage);
    good = good && window_run(title, &view, NULL, error);
    view_free(&view);
    return good;
}

int command_view(int argc, char **argv)
{
    struct request request = {.block = -1};
    struct error error = {{0}};
    if (!read_arguments(argc, argv, &request))
        return 2;
    bool good = load(&request, &error) && show(&request, &error);
    for (int i = 0; i < PANELS; i++) {
        exhibit_free(request.subject[i].exhibit);
#ifdef HAVE_DW
        program_options_free(&request.subject[i].program);
#endif
    }
    return good ? request.status : command_fail(argv[0], &error);
}
