/* view.c - the window on one or two traces, from files or recorded on the spot. */
#define _GNU_SOURCE /* st_mtim */
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
    "is always a file, and '-' is a trace on standard input. In the window, '?' lists the keys; "
    "the\n"
    "parameters of a kernel can be turned there, and more recordings opened.\n"
    "\n"
    "An ordinary CUDA program runs on this machine (see 'bankscope help run'), with the\n"
    "arguments after --; view shows its launch with the most conflicts, with the source beside\n"
    "it.\n"
    "\n" RECORD_HELP PROGRAM_HELP
    "  --stage STAGE      show the worst round of this stage first (default: of the stage with\n"
    "                     the most conflicts)\n"
    "  --block N          load only this block of a recording (default if it is over 200 MB:\n"
    "                     block 0)\n"
    "  --watch            when a file is saved, load or record it again\n"
    "  --theme THEME      light (the default), print or dark\n"
    "  --present[=NOTES]  present to a class, as F5 does: large text, a halo around the pointer,\n"
    "                     and a second window with what the class may not see yet and your notes,\n"
    "                     from a text file\n"
    "\n"
    "Options for kernels and programs apply to the one named just before them; options before\n"
    "the first one apply to all. Each of several kernels takes the parameters that it has.\n"
    "\n"
    "examples:\n"
    "  bankscope view cf-merge w=12 u=12 E=5\n"
    "  bankscope view thrust-merge cf-merge u=512 E=15 --input worst\n"
    "  bankscope view transpose variant=naive transpose variant=padded\n"
    "  bankscope view worst.jsonl cf-merge\n"
    "  bankscope view mine.cu --watch\n"
    "  bankscope view transpose --present=notes.txt\n"
    "  bankscope view app.cu --launch 0 app.cu --launch 1 -- 1024\n";

#ifdef HAVE_DW
#define VIEW_SHORT PROGRAM_SHORT
#else
#define VIEW_SHORT ""
#endif

enum { OPTION_STAGE = OPTION_FIRST_FREE, OPTION_THEME, OPTION_BLOCK, OPTION_WATCH, OPTION_PRESENT };
const struct option view_longs[] = {RECORD_OPTIONS,
                                    PROGRAM_CHOICE,
                                    {"stage", required_argument, NULL, OPTION_STAGE},
                                    {"theme", required_argument, NULL, OPTION_THEME},
                                    {"block", required_argument, NULL, OPTION_BLOCK},
                                    {"watch", no_argument, NULL, OPTION_WATCH},
                                    {"present", optional_argument, NULL, OPTION_PRESENT},
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
    int number;                 /* in the request */
    const char *inputs[16];     /* of its kernel, as dials show them; ends with NULL */
    char *text;                 /* that the name points into, or NULL: somebody else's */
    struct stat seen;           /* its file when it was looked at last */
};

struct request {
    int subjects;
    struct subject subject[PANELS];
    const char *stage; /* or NULL */
    int64_t block;     /* -1: all, or the first of a large recording */
    const struct theme *theme;
    bool watch;
    bool presenting;
    const char *notes; /* a file, or NULL */
    int status;        /* 1: a trace is cut or lacks records */
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
    subject->number = request->subjects - 1;
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
        } else if (option == OPTION_WATCH) {
            request->watch = true;
        } else if (option == OPTION_PRESENT) {
            request->presenting = true;
            request->notes = optarg;
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

/* Finds out whether the subject is a kernel. */
static bool find_kernel(struct subject *subject, struct error *error)
{
    if (subject->plain)
        return true;
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
    else if (!subject->kernel && !strpbrk(subject->name, "/.") && strcmp(subject->name, "-") != 0)
        return error_set(error, "%s; nor is there a file of that name", unknown.text);
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

/* ---- parameters to turn ---- */

static bool has_unit(const struct kernel *kernel, const struct kernel_param *param)
{
    return !strcmp(param->name, "u") && has_param(kernel, "w");
}

/* The inputs that the kernel takes and that need no more words, and the one that it has now. */
static int64_t list_inputs(struct subject *subject, const struct recipe *now)
{
    int count = 0, chosen = 0;
    subject->inputs[0] = NULL;
    for (int bit = 0; input_name(bit); bit++) {
        enum input_kind kind = (enum input_kind)(1u << bit);
        bool current = now->input.kind == kind;
        if (!(subject->kernel->inputs & kind) ||
            ((kind == INPUT_SPLITS || kind == INPUT_FILE) && !current))
            continue;
        const char *name = input_name(bit);
        if (kind == INPUT_SPLITS || kind == INPUT_FILE) /* with what was given */
            for (int i = 0; i < subject->options.words.count; i++)
                if (subject->options.words.word[i].kind == RECIPE_INPUT)
                    name = subject->options.words.word[i].text;
        chosen = current ? count : chosen;
        subject->inputs[count++] = name;
        subject->inputs[count] = NULL;
    }
    return chosen;
}

/* struct workshop's dials. */
static int give_dials(void *context, int number, struct dial *dial, int room)
{
    const int64_t seeds = INT64_C(1) << 53;
    struct subject *subject = &((struct request *)context)->subject[number];
    struct recipe now;
    struct error error = {{0}};
    int count = 0;
    if (!subject->kernel)
        return 0;
    recipe_init(&now, subject->kernel);
    recipe_apply(&now, &subject->options.words, &error);
    for (const struct kernel_param *param = subject->kernel->params;
         param->name && count < room - 2; param++) {
        int value = *param_of(now.params, param),
            slider = 8 * (int64_t)param->standard < 64 ? 64 : 8 * param->standard;
        slider = slider < value ? value : slider;
        dial[count] = (struct dial){.help = param->help,
                                    .unit = has_unit(subject->kernel, param) ? "w" : NULL,
                                    .words = param->words,
                                    .value = value,
                                    .lowest = param->lowest,
                                    .highest = param->highest,
                                    .slider = param->highest < slider ? param->highest : slider};
        snprintf(dial[count++].name, sizeof dial->name, "%s", param->name);
    }
    int64_t input = list_inputs(subject, &now);
    int inputs = 0;
    while (subject->inputs[inputs])
        inputs++;
    if (inputs > 1)
        dial[count++] = (struct dial){.name = "input",
                                      .help = "what the kernel gets",
                                      .words = subject->inputs,
                                      .value = input,
                                      .highest = inputs - 1,
                                      .slider = inputs - 1};
    if (inputs > 0)
        dial[count++] = (struct dial){.name = "seed",
                                      .help = "of random numbers",
                                      .value = (int64_t)now.input.seed,
                                      .highest = seeds,
                                      .slider = 99};
    recipe_free(&now);
    return count;
}

/* Puts what the subject's dials say into its recipe. */
static bool apply_dials(const struct subject *subject, const struct dials *dials,
                        struct recipe *recipe, struct error *error)
{
    unsigned bit = 1u << subject->number;
    bool good = true;
    for (int i = 0; good && i < dials->count; i++) {
        const struct dial *dial = &dials->dial[i];
        char value[4096], word[4200];
        if (!(dial->subjects & bit) || !dial->turned)
            continue;
        dial_text(dial, value, sizeof value);
        bool input = !strcmp(dial->name, "input"), seed = !strcmp(dial->name, "seed");
        snprintf(word, sizeof word, "%s%s%s", input || seed ? "" : dial->name,
                 input || seed ? "" : "=", value);
        struct recipe_words words = {.count = 0};
        good = recipe_words_add(&words,
                                input  ? RECIPE_INPUT
                                : seed ? RECIPE_SEED
                                       : RECIPE_PARAM,
                                word, error) &&
               recipe_apply(recipe, &words, error);
    }
    return good;
}

/* Runs the kernel and hands the trace to a sink. `turned`: as these dials say, or NULL. */
static bool record(const struct subject *subject, const struct dials *turned,
                   const struct trace_sink *to, struct error *error)
{
    struct record_progress progress;
    struct run_result result;
    struct recipe recipe;
    struct trace_sink sinks[] = {record_progress_sink(&progress), *to};
    struct trace_tee tee = {sinks, sizeof sinks / sizeof sinks[0]};
    struct trace_sink sink = turned ? *to : trace_tee_sink(&tee);
    recipe_init(&recipe, subject->kernel);
    bool good = recipe_apply(&recipe, &subject->options.words, error) &&
                (!turned || apply_dials(subject, turned, &recipe, error)) &&
                recipe_run(&recipe, &subject->options.run, &sink, &result, error);
    recipe_free(&recipe);
    return good;
}

/* The same of a user's own kernel, in the child of process_apart: into a file. */
struct recording {
    const struct subject *subject;
    const struct dials *turned;
    FILE *file;
};

static int record_into(void *context, struct error *error)
{
    const struct recording *recording = context;
    struct trace_writer *writer = trace_writer_new(recording->file, "a temporary file");
    if (!writer)
        return error_set(error, "out of memory");
    struct trace_sink sink = trace_writer_sink(writer);
    record(recording->subject, recording->turned, &sink, error);
    trace_writer_free(writer);
    return 0;
}

static bool record_apart(const struct subject *subject, const struct dials *turned,
                         const struct trace_sink *sink, struct error *error)
{
    struct recording recording = {subject, turned, tmpfile()};
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
static bool load_file(struct request *request, struct subject *subject, struct trace *trace,
                      struct error *error)
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
    if (!command_load(subject->name, &part, trace, error))
        return false;
    if (request->block >= trace->header.blocks)
        return error_set(error, "--block %d is out of range: %s has blocks 0 to %d",
                         (int)request->block, subject->name, trace->header.blocks - 1);
    if (cut && trace->header.blocks > 1)
        fprintf(stderr,
                "bankscope view: a large recording: this is block 0 of %d; --block N shows "
                "another\n",
                trace->header.blocks);
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

/* Loads or records a subject. */
static bool take(struct request *request, struct subject *subject, const struct dials *turned,
                 const struct trace_sink *sink, struct trace *trace, struct error *error)
{
    if (subject->plain)
        return record_plain(request, subject, sink, error);
    if (subject->kernel)
        return (subject->own ? record_apart : record)(subject, turned, sink, error);
    return load_file(request, subject, trace, error);
}

/* Loads or records all traces. */
static bool load(struct request *request, struct error *error)
{
    bool kernels = false, plain = false;
    for (int i = 0; i < request->subjects; i++) {
        if (!find_kernel(&request->subject[i], error))
            return false;
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
        if (subject->kernel)
            share_params(request, subject);
        struct trace_sink sink = trace_memory_sink(&subject->exhibit->trace);
        if (!take(request, subject, NULL, &sink, &subject->exhibit->trace, error))
            return false;
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

/* ---- the workshop: what the window asks for ---- */

static bool record_anew(void *context, struct job *job)
{
    struct request *request = context;
    struct subject *subject = &request->subject[job->subject];
    struct trace_sink sink = job_sink(job);
    if (subject->own && request->watch) /* it may have changed */
        subject->kernel = record_kernel(subject->name, subject->options.run.backend, &job->error);
    return (!subject->own || subject->kernel) &&
           take(request, subject, &job->dials, &sink, &job->result->trace, &job->error);
}

static void subject_free(struct subject *subject)
{
    exhibit_free(subject->exhibit);
#ifdef HAVE_DW
    program_options_free(&subject->program);
#endif
    recipe_words_free(&subject->options.words);
    free(subject->text);
}

/* Makes an empty subject of what was typed or dropped: a file's name, or a kernel with words. */
static bool name_subject(struct subject *subject, const char *name, struct error *error)
{
    struct stat status;
    subject->text = memory_copy(name);
    subject->name = subject->text;
    if (stat(name, &status) && strchr(name, ' ')) {
        if (!recipe_words_split(&subject->options.words, name, error))
            return false;
        if (subject->options.words.kernel)
            subject->name = subject->options.words.kernel;
    }
#ifdef HAVE_DW
    subject->plain = program_asked(2, (char *[]){"view", (char *)(uintptr_t)subject->name, NULL});
#endif
    return find_kernel(subject, error);
}

static bool open_another(void *context, struct job *job)
{
    struct request *request = context;
    job->subject = 0;
    while (!(job->free & 1u << job->subject))
        job->subject++;
    struct subject *subject = &request->subject[job->subject];
    struct trace_sink sink = job_sink(job);
    subject_free(subject);
    *subject = (struct subject){.number = job->subject};
    return name_subject(subject, job->name, &job->error) &&
           take(request, subject, NULL, &sink, &job->result->trace, &job->error);
}

static void give_text(void *context, int number, struct view_panel *panel)
{
    add_text(&((struct request *)context)->subject[number], panel);
}

/* struct workshop's page. */
static bool write_page(void *context, struct job *job)
{
    const struct request *request = context;
    struct page_recording recording[PANELS];
    for (int i = 0; i < job->panels; i++) {
        const char *name = job->shown[i].title;
        if (!name[0] && job->shown[i].subject >= 0) {
            name = request->subject[job->shown[i].subject].name;
            name = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
        }
        recording[i] = (struct page_recording){name, job->shown[i].trace};
    }
    struct page page = {.recording = recording, .recordings = job->panels, .place = job->place};
    return page_write(job->name, &page, &job->error);
}

/* struct workshop's changed. A file that is gone for now has not changed. */
static unsigned look_at_files(void *context)
{
    struct request *request = context;
    unsigned changed = 0;
    for (int i = 0; i < PANELS; i++) {
        struct subject *subject = &request->subject[i];
        struct stat now, *seen = &subject->seen;
        bool file = subject->name && (!subject->kernel || subject->own);
        if (!file || stat(subject->name, &now) || !S_ISREG(now.st_mode))
            continue;
        bool same = now.st_mtim.tv_sec == seen->st_mtim.tv_sec &&
                    now.st_mtim.tv_nsec == seen->st_mtim.tv_nsec && now.st_size == seen->st_size &&
                    now.st_ino == seen->st_ino;
        if (!same && seen->st_ino)
            changed |= 1u << i;
        *seen = now;
    }
    return changed;
}

/* A presenter's notes: paragraphs of a text, items after "- ", headings after "#". */
struct notes {
    char *text; /* that the blocks point into */
    int blocks;
    struct pane_block block[100];
};

static bool read_notes(const char *path, struct notes *notes, struct error *error)
{
    const size_t room = 256 << 10;
    const int most = sizeof notes->block / sizeof notes->block[0];
    size_t size;
    notes->text = memory_new(room + 1, 1);
    if (!read_source(path, notes->text, room, &size))
        return error_set(error, "%s is no file of notes, of less than 256 kB of text", path);
    notes->text[size] = '\0';
    bool begun = false; /* a paragraph, which the next line goes on with */
    for (char *line = notes->text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        size_t marks = strspn(line, "#"), space = strspn(line + marks, " \t\r");
        bool item = !strncmp(line, "- ", 2), empty = !line[marks + space];
        if (begun && !item && !marks && !empty)
            line[-1] = ' ';
        else if (!empty && notes->blocks < most)
            notes->block[notes->blocks++] = (struct pane_block){marks  ? PANE_HEADING
                                                                : item ? PANE_ITEM
                                                                       : PANE_TEXT,
                                                                line + (item ? 2 : marks + space)};
        begun = !empty && !marks && notes->blocks > 0;
    }
    return true;
}

static bool show(struct request *request, struct error *error)
{
    struct view view = {0};
    struct notes notes = {.blocks = 0};
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
            view.panel[i].subject = i + 1;
            add_text(subject, &view.panel[i]);
        }
        used += snprintf(title + used, sizeof title - (size_t)used, "%s%.50s",
                         i ? " and " : "Bankscope: ", subject->name);
    }
    if (request->theme)
        view.theme = request->theme;
    if (good)
        view_worst_of(&view, stage);
    const struct workshop workshop = {.context = request,
                                      .dials = give_dials,
                                      .record = record_anew,
                                      .open = open_another,
                                      .page = write_page,
                                      .dress = give_text,
                                      .changed = request->watch ? look_at_files : NULL};
    good = good && (!request->notes || read_notes(request->notes, &notes, error));
    view.presenting = request->presenting;
    view.note = notes.block;
    view.notes = notes.blocks;
    good = good && window_run(title, &view, NULL, &workshop, error);
    free(notes.text);
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
    for (int i = 0; i < PANELS; i++)
        subject_free(&request.subject[i]);
    return good ? request.status : command_fail(argv[0], &error);
}
