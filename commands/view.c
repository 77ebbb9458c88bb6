/* view.c - the window on up to four traces, from files or recorded on the spot. */
#define _GNU_SOURCE /* st_mtim */
#include "commands/command.h"
#include "program/compile/dialect.h"
#include "system/file.h"
#include "system/output.h"
#include "system/paths.h"
#include "system/process.h"
#include "viewer/page.h"

#include "viewer/viewer.h"

#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
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
    "arguments after --. The window then lists its launches, those with the most conflicts first;\n"
    "one that is chosen is shown with the source beside it, and Backspace comes back. --launch N\n"
    "shows one at once, several sources the worst launch of each. The host part of such a program, "
    "and of your own kernel, runs natively, as you, and so "
    "it\n"
    "does whenever --watch records it again: open only what you trust.\n"
    "\n" RECORD_HELP PROGRAM_HELP
    "  --stage STAGE      show the worst round of this stage first (default: of the stage with\n"
    "                     the most conflicts)\n"
    "  --block N          load only this block of a recording (default if it is over 200 MB:\n"
    "                     block 0)\n"
    "  --watch            when a file is saved, load or record it again\n"
    "  --traces           open traces only, whatever the files are called: nothing is compiled or\n"
    "                     run, as for a double click\n"
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

enum {
    OPTION_STAGE = OPTION_FIRST_FREE,
    OPTION_THEME,
    OPTION_BLOCK,
    OPTION_WATCH,
    OPTION_PRESENT,
    OPTION_TRACES
};
const struct option view_longs[] = {SUBJECT_OPTIONS,
                                    {"stage", required_argument, NULL, OPTION_STAGE},
                                    {"theme", required_argument, NULL, OPTION_THEME},
                                    {"block", required_argument, NULL, OPTION_BLOCK},
                                    {"watch", no_argument, NULL, OPTION_WATCH},
                                    {"present", optional_argument, NULL, OPTION_PRESENT},
                                    {"traces", no_argument, NULL, OPTION_TRACES},
                                    {NULL, 0, NULL, 0}};

/* What the window adds to a subject. */
struct shown {
    struct exhibit *exhibit; /* the view's, once it is shown */
    const char *inputs[16];  /* of its kernel, as dials show them; ends with NULL */
    char *text;              /* that the name points into, or NULL: somebody else's */
    struct stat seen;        /* its file when it was looked at last */
};

/* A program as a whole: its launches, as traces in a folder. */
struct survey {
    char folder[256]; /* "": not made yet */
    struct surveyed {
        struct launch_row row;
        bool kept; /* its trace is in the folder */
    } * launch;
    size_t launches, room;
    uint64_t bytes; /* of the traces */
    struct trace_writer *writer;
    char path[300]; /* of the trace that is being written */
    struct job *job;
    atomic_bool running, done; /* compiled; ended */
    atomic_ullong begun, blocks_done, blocks;
    char told[300]; /* once it is done */
};

struct request {
    struct subjects subjects;
    struct survey *survey;      /* NULL: recordings are chosen on the command line */
    struct shown shown[PANELS]; /* beside each of them */
    const char *stage;          /* or NULL */
    int64_t block;              /* -1: all, or the first of a large recording */
    const struct theme *theme;
    bool traces; /* nothing else is opened */
    bool watch;
    bool presenting;
    const char *notes; /* a file, or NULL */
    int status;        /* 1: a trace is cut or lacks records */
};
_Static_assert((int)SUBJECTS >= (int)PANELS, "each panel has its subject");

/* Sorts the command line into the request. false: reported by command_usage. */
static bool read_arguments(int argc, char **argv, struct request *request)
{
    struct subjects *subjects = &request->subjects;
    int option;
    struct error error = {{0}};
    /* "-": in the order of the command line, a name as option 1 */
    while ((option = command_option(argc, argv, "-:" SUBJECT_SHORT, view_longs)) != -1) {
        if (option == '?')
            return false;
        enum subject_taken taken = subjects_option(subjects, option, optarg, view_longs);
        if (taken == SUBJECT_WRONG)
            return false;
        if (taken == SUBJECT_TAKEN)
            continue;
        if (option == OPTION_STAGE) {
            request->stage = optarg;
        } else if (option == OPTION_WATCH) {
            request->watch = true;
        } else if (option == OPTION_TRACES) {
            request->traces = true;
        } else if (option == OPTION_PRESENT) {
            request->presenting = true;
            request->notes = optarg;
        } else if (option == OPTION_BLOCK) {
            if (!command_number(argv[0], "--block", optarg, 0, MAX_BLOCKS - 1, &request->block))
                return false;
        } else {
            request->theme = theme_find(optarg, &error);
            if (!request->theme) {
                command_wrong(argv[0], &error);
                return false;
            }
        }
    }
    if (!subjects_rest(subjects, argc, argv))
        return false;
    for (int i = 0; request->traces && i < subjects->count; i++)
        subjects->subject[i].trace = true;
    if (subjects->count == 0)
        command_usage(argv[0], "which trace or kernel? 'bankscope list' shows the kernels");
    return subjects->count > 0;
}

/* ---- parameters to turn ---- */

static bool has_unit(const struct kernel *kernel, const struct kernel_param *param)
{
    return !strcmp(param->name, "u") && kernel_has_param(kernel, "w");
}

/* The inputs that the kernel takes and that need no more words, and the one that it has now. */
static int64_t list_inputs(const struct subject *subject, const char **inputs,
                           const struct recipe *now)
{
    int count = 0, chosen = 0;
    inputs[0] = NULL;
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
        inputs[count++] = name;
        inputs[count] = NULL;
    }
    return chosen;
}

/* struct workshop's dials. */
static int give_dials(void *context, int number, struct dial *dial, int room)
{
    const int64_t seeds = INT64_C(1) << 53;
    struct request *request = context;
    const struct subject *subject = &request->subjects.subject[number];
    const char **offered = request->shown[number].inputs;
    struct recipe now;
    struct error error = {{0}};
    int count = 0;
    if (!subject->kernel)
        return 0;
    subject_recipe(subject, &now, &error);
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
    int64_t input = list_inputs(subject, offered, &now);
    int inputs = 0;
    while (offered[inputs])
        inputs++;
    if (inputs > 1)
        dial[count++] = (struct dial){.name = "input",
                                      .help = "what the kernel gets",
                                      .words = offered,
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
static bool apply_dials(int subject, const struct dials *dials, struct recipe *recipe,
                        struct error *error)
{
    unsigned bit = 1u << subject;
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

/* Runs a kernel as the dials say. */
static bool record_turned(struct request *request, int number, const struct dials *turned,
                          const struct trace_sink *sink, struct error *error)
{
    const struct subject *subject = &request->subjects.subject[number];
    struct recipe recipe;
    bool good = subject_recipe(subject, &recipe, error) &&
                apply_dials(number, turned, &recipe, error) &&
                subject_run(subject, &recipe, sink, error);
    recipe_free(&recipe);
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

/* Loads or records a subject. */
static bool take(struct request *request, int number, const struct trace_sink *sink,
                 struct trace *trace, struct error *error)
{
    struct subject *subject = &request->subjects.subject[number];
    return subject_is_file(subject) ? load_file(request, subject, trace, error)
                                    : subject_read("view", subject, sink, &request->status, error);
}

/* Loads or records all traces. */
static bool load(struct request *request, struct error *error)
{
    for (int i = 0; i < request->subjects.count; i++) {
        struct exhibit *exhibit = request->shown[i].exhibit = exhibit_new();
        struct trace_sink sink = trace_memory_sink(&exhibit->trace);
        if (!take(request, i, &sink, &exhibit->trace, error))
            return false;
        request->status |=
            command_check_end("view", request->subjects.subject[i].name, &exhibit->trace.end);
        if (!exhibit_index(exhibit, error))
            return false;
    }
    return true;
}

/* Reads a file of text, of at most `most` bytes; the caller frees it. NULL: it is not there, or is no
 * such file. */
static char *read_text(const char *path, size_t most, size_t *size)
{
    struct error none = {{0}};
    return file_is_regular(path) ? file_read(path, most, size, &none) : NULL;
}

/* Gives a panel the text of its file `number`, where there is such a file. */
static bool add_file(struct view_panel *panel, int number, const char *path)
{
    size_t size;
    char *text = read_text(path, 4 << 20, &size);
    bool good = text && source_text(&panel->source, number, text, size);
    free(text);
    return good;
}

/* Looks for the files that the recording was made from: by their names, or beside it. */
static void add_text(const struct subject *subject, struct view_panel *panel)
{
    const char *slash = strrchr(subject->name, '/');
    int folder = slash ? (int)(slash - subject->name) + 1 : 0;
    const char *name;
    for (int i = 0; (name = source_file_name(&panel->source, i)); i++) {
        char beside[MAX_TEXT + 64];
        const char *last = strrchr(name, '/');
        snprintf(beside, sizeof beside, "%.*s%s", folder, subject->name, last ? last + 1 : name);
        if (!add_file(panel, i, name))
            add_file(panel, i, beside);
    }
}

/* ---- the workshop: what the window asks for ---- */

static bool record_anew(void *context, struct job *job)
{
    struct request *request = context;
    struct subject *subject = &request->subjects.subject[job->subject];
    struct trace_sink sink = job_sink(job);
    if (subject->own && request->watch) { /* it may have changed */
        subject->kernel = dialect_kernel(subject->name, subject->options.run.backend, &job->error);
        if (!subject->kernel)
            return false;
    }
    return subject->kernel ? record_turned(request, job->subject, &job->dials, &sink, &job->error)
                           : take(request, job->subject, &sink, &job->result->trace, &job->error);
}

static void forget(struct request *request, int number)
{
    struct shown *shown = &request->shown[number];
    exhibit_free(shown->exhibit);
    free(shown->text);
    *shown = (struct shown){.exhibit = NULL};
    subject_free(&request->subjects.subject[number]);
    request->subjects.subject[number] = (struct subject){.name = NULL};
}

/* Makes an empty subject of what was typed or dropped: a file's name, or a kernel with words. */
static bool name_subject(struct request *request, int number, const char *name, bool trace,
                         struct error *error)
{
    struct subject *subject = &request->subjects.subject[number];
    struct stat status;
    subject->name = request->shown[number].text = memory_copy(name);
    subject->trace = trace || request->traces;
    if (!subject->trace && stat(name, &status) && strchr(name, ' ')) {
        if (!recipe_words_split(&subject->options.words, name, error))
            return false;
        if (subject->options.words.kernel)
            subject->name = subject->options.words.kernel;
    }
#ifdef HAVE_DW
    subject->plain = program_asked(2, (char *[]){"view", (char *)(uintptr_t)subject->name, NULL});
#endif
    return subject_find(subject, error);
}

static bool open_another(void *context, struct job *job)
{
    struct request *request = context;
    job->subject = 0;
    while (!(job->free & 1u << job->subject))
        job->subject++;
    struct trace_sink sink = job_sink(job);
    forget(request, job->subject);
    return name_subject(request, job->subject, job->name, job->trace, &job->error) &&
           take(request, job->subject, &sink, &job->result->trace, &job->error);
}

static void give_text(void *context, int number, struct view_panel *panel)
{
    add_text(&((struct request *)context)->subjects.subject[number], panel);
}

/* struct workshop's page. */
static bool write_page(void *context, struct job *job)
{
    const struct request *request = context;
    struct page_recording recording[PANELS];
    for (int i = 0; i < job->panels; i++) {
        const char *name = job->shown[i].title;
        if (!name[0] && job->shown[i].subject >= 0) {
            name = request->subjects.subject[job->shown[i].subject].name;
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
        const struct subject *subject = &request->subjects.subject[i];
        struct stat now, *seen = &request->shown[i].seen;
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

/* ---- a program as a whole ---- */

#ifdef HAVE_DW
/* Traces are kept up to so many bytes; beyond, the program runs again for a launch. */
static const uint64_t MOST_KEPT = UINT64_C(1) << 30;

static bool survey_progress(void *context, uint64_t launches, uint64_t done, uint64_t of)
{
    struct survey *survey = context;
    atomic_store(&survey->running, true);
    atomic_store(&survey->begun, launches);
    atomic_store(&survey->blocks_done, done);
    atomic_store(&survey->blocks, of);
    return !atomic_load(&survey->job->stop);
}

/* "4x4 x 16x16", without dimensions of 1 at the end. */
static void put_shape(const struct program_launch *launch, char *text, size_t room)
{
    const uint32_t *const both[] = {launch->grid, launch->block};
    *text = '\0';
    for (int i = 0; i < 2; i++) {
        const uint32_t *is = both[i];
        text_add(text, room, "%s%u", i ? " x " : "", is[0]);
        if (is[1] > 1 || is[2] > 1)
            text_add(text, room, "x%u", is[1]);
        if (is[2] > 1)
            text_add(text, room, "x%u", is[2]);
    }
}

struct surveying {
    struct survey *survey;
    struct launch_taker taker;
};

static bool survey_begin(void *context, const struct program_launch *launch,
                         struct trace_sink *sink, struct error *error)
{
    const struct surveying *surveying = context;
    struct survey *survey = surveying->survey;
    const struct program_table *table = surveying->taker.table;
    if (!memory_grow(&survey->launch, &survey->room, survey->launches + 1, sizeof *survey->launch,
                     "launches", error))
        return false;
    struct surveyed *taken = &survey->launch[survey->launches++];
    *taken = (struct surveyed){.row = {.launch = launch->number}};
    snprintf(taken->row.kernel, sizeof taken->row.kernel, "%.255s", launch->name);
    put_shape(launch, taken->row.shape, sizeof taken->row.shape);
    for (size_t i = table->launches; i-- > 0;)
        if (table->launch[i].number == launch->number) {
            for (size_t k = 0; k < table->launch[i].rows; k++) {
                if (table->launch[i].row[k].space != SPACE_SHARED)
                    continue;
                taken->row.passes += table->launch[i].row[k].tally.passes;
                taken->row.conflicts += table->launch[i].row[k].tally.conflicts;
            }
            break;
        }
    if (survey->bytes > MOST_KEPT)
        return true;
    snprintf(survey->path, sizeof survey->path, "%s/%zu.jsonl", survey->folder,
             survey->launches - 1);
    survey->writer = trace_writer_new(NULL, survey->path);
    *sink = trace_writer_sink(survey->writer);
    taken->kept = true;
    return true;
}

static bool survey_end(void *context, struct error *error)
{
    struct survey *survey = ((struct surveying *)context)->survey;
    struct stat is;
    (void)error;
    trace_writer_free(survey->writer);
    survey->writer = NULL;
    survey->bytes += stat(survey->path, &is) ? 0 : (uint64_t)is.st_size;
    return true;
}

/* struct workshop's survey. */
static bool survey_program(void *context, struct job *job)
{
    struct request *request = context;
    struct survey *survey = request->survey;
    struct subject *subject = &request->subjects.subject[0];
    struct surveying surveying = {.survey = survey,
                                  .taker = {survey_begin, survey_end, &surveying, NULL}};
    struct program_options *options = &subject->program;
    uint64_t conflicts = 0;
    survey->job = job;
    options->request.source[0] = subject->name;
    options->request.sources = 1;
    options->choice.values = true;
    options->choice.progress = survey_progress;
    options->choice.progress_context = survey;
    const int status = temporary_make(survey->folder, sizeof survey->folder, &job->error)
                           ? program_record_each("view", options, &surveying.taker, &job->error)
                           : -1;
    trace_writer_free(survey->writer);
    survey->writer = NULL;
    options->choice.progress = NULL;
    request->status |= status != 0;
    for (size_t i = 0; i < survey->launches; i++)
        conflicts += survey->launch[i].row.conflicts;
    snprintf(survey->told, sizeof survey->told,
             "%.100s: %zu launch%s with shared memory, %" PRIu64 " conflict%s%s", subject->name,
             survey->launches, survey->launches == 1 ? "" : "es", conflicts,
             conflicts == 1 ? "" : "s",
             status ? "; what is wrong with it stands in the terminal" : "");
    atomic_store(&survey->done, true);
    return status >= 0 &&
           (survey->launches ||
            error_set(&job->error, "no recorded launch of %s used shared memory", subject->name));
}

/* struct workshop's doing. */
static void survey_tell(void *context, char *text, size_t room)
{
    const struct request *request = context;
    struct survey *survey = request->survey;
    const unsigned long long begun = atomic_load(&survey->begun), of = atomic_load(&survey->blocks);
    if (atomic_load(&survey->done))
        snprintf(text, room, "%s", survey->told);
    else if (!atomic_load(&survey->running))
        snprintf(text, room, "compiling %.300s...", request->subjects.subject[0].name);
    else if (of)
        snprintf(text, room, "running %.200s: launch %llu, %llu of %llu blocks",
                 request->subjects.subject[0].name, begun ? begun - 1 : 0,
                 (unsigned long long)atomic_load(&survey->blocks_done), of);
    else
        snprintf(text, room, "running %.200s: %llu launch%s so far",
                 request->subjects.subject[0].name, begun, begun == 1 ? "" : "es");
}

static int survey_count(void *context)
{
    const struct request *request = context;
    return (int)request->survey->launches;
}

static void survey_row(void *context, int number, struct launch_row *row)
{
    const struct request *request = context;
    *row = request->survey->launch[number].row;
    row->number = number;
}

/* struct workshop's show. */
static bool survey_show(void *context, struct job *job)
{
    struct request *request = context;
    const struct surveyed *launch = &request->survey->launch[job->launch];
    struct trace_sink sink = job_sink(job);
    char path[300], number[24];
    job->subject = 0;
    if (launch->kept) {
        snprintf(path, sizeof path, "%s/%d.jsonl", request->survey->folder, job->launch);
        return trace_read_path(path, NULL, &sink, &job->error);
    }
    struct program_options options = request->subjects.subject[0].program;
    snprintf(number, sizeof number, "%" PRIu64, launch->row.launch);
    options.choice.launch = number;
    return program_record("view", &options, &sink, &job->error) >= 0;
}

static void survey_free(struct survey *survey)
{
    if (survey && *survey->folder)
        passing_remove(survey->folder);
    if (survey)
        free(survey->launch);
    free(survey);
}

/* Whether the window begins with a program's launches. */
static bool is_surveyed(const struct request *request)
{
    const struct subject *subject = &request->subjects.subject[0];
    return request->subjects.count == 1 && subject->plain && !subject->program.choice.launch &&
           !request->watch && !request->stage;
}

static void add_survey(struct request *request, struct workshop *workshop)
{
    workshop->survey = survey_program;
    workshop->doing = survey_tell;
    workshop->launches = survey_count;
    workshop->launch = survey_row;
    workshop->show = survey_show;
    (void)request;
}
#else
static bool is_surveyed(const struct request *request)
{
    (void)request;
    return false;
}
static void survey_free(struct survey *survey)
{
    free(survey);
}
static void add_survey(struct request *request, struct workshop *workshop)
{
    (void)request, (void)workshop;
}
#endif

/* A presenter's notes: paragraphs of a text, items after "- ", headings after "#". */
struct notes {
    char *text; /* that the blocks point into */
    int blocks;
    struct pane_block block[100];
};

static bool read_notes(const char *path, struct notes *notes, struct error *error)
{
    const int most = sizeof notes->block / sizeof notes->block[0];
    size_t size;
    notes->text = read_text(path, 256 << 10, &size);
    if (!notes->text)
        return error_set(error, "%s is no file of notes, of less than 256 kB of text", path);
    bool begun = false; /* a paragraph, which the next line goes on with */
    for (char *line = notes->text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        size_t marks = strspn(line, "#"), space = strspn(line + marks, " \t\r");
        size_t digits = strspn(line, "0123456789");
        bool numbered = digits && !strncmp(line + digits, ". ", 2);
        bool item = !strncmp(line, "- ", 2), empty = !line[marks + space];
        if (begun && !item && !numbered && !marks && !empty)
            line[-1] = ' ';
        else if (!empty && notes->blocks < most)
            notes->block[notes->blocks++] = (struct pane_block){marks      ? PANE_HEADING
                                                                : item     ? PANE_ITEM
                                                                : numbered ? PANE_NUMBERED
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
    const struct exhibit *leader = request->shown[0].exhibit; /* NULL: nothing is recorded yet */
    const struct trace_header *first = leader ? &leader->trace.header : NULL;
    int stage = leader ? trace_index_worst_stage(&leader->index) : -1;
    if (request->stage) {
        stage = header_stage(first, request->stage);
        if (stage < 0)
            return error_unknown(error, "there is no stage", request->stage,
                                 (const char *const *)first->stage, NULL);
    }
    char title[256] = "";
    bool good = view_init(&view, NULL, NULL, error);
    for (int i = 0; good && i < request->subjects.count; i++) {
        const struct subject *subject = &request->subjects.subject[i];
        good = !leader || view_add(&view, request->shown[i].exhibit, error);
        if (good && leader) {
            request->shown[i].exhibit = NULL;
            view.panel[i].subject = i + 1;
            add_text(subject, &view.panel[i]);
        }
        text_add(title, sizeof title, "%s%.50s", i ? " and " : "Bankscope: ", subject->name);
    }
    if (request->theme)
        view.theme = request->theme;
    if (good && leader)
        view_worst_of(&view, stage);
    struct workshop workshop = {.context = request,
                                .dials = give_dials,
                                .record = record_anew,
                                .open = open_another,
                                .page = write_page,
                                .dress = give_text,
                                .changed = request->watch ? look_at_files : NULL};
    if (request->survey)
        add_survey(request, &workshop);
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
    struct request request = {.subjects = {.command = argv[0], .most = PANELS}, .block = -1};
    struct error error = {{0}};
    if (!read_arguments(argc, argv, &request))
        return 2;
    if (request.watch)
        look_at_files(&request); /* what is saved from now on is a change */
    int status = subjects_find(&request.subjects);
    if (!status && is_surveyed(&request))
        request.survey = memory_new(1, sizeof *request.survey);
    if (!status)
        status = (request.survey || load(&request, &error)) && show(&request, &error)
                     ? request.status
                     : command_fail(argv[0], &error);
    survey_free(request.survey);
    for (int i = 0; i < PANELS; i++)
        forget(&request, i);
    return status;
}
