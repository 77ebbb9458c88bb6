/* session.c - a CUDA program on this machine: builds it, runs it, and hands out what it told.
 *
 * The child has its own copy of nothing of this process but the file of records (records.h). What it did is read
 * when it has ended, however that was.
 */
#define _GNU_SOURCE /* clearenv, realpath */
#include "program/database.h"
#include "machine/machine.h"
#include "program/excuse.h"
#include "system/paths.h"
#include "system/process.h"
#include "system/file.h"
#include "system/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    DEFAULT_SECONDS = 20,
    CHUNK_BYTES = 1 << 30 /* of all accesses that are kept; what is not written costs nothing */
};

/* ---- building -------------------------------------------------------------------------------- */

static bool has_ending(const char *path, const char *const *endings)
{
    const char *dot = strrchr(path, '.');
    for (; dot && *endings; endings++)
        if (!strcmp(dot, *endings))
            return true;
    return false;
}

static bool is_object(const char *path)
{
    static const char *const endings[] = {".o", ".a", ".so", NULL};
    return has_ending(path, endings);
}

bool request_scan(const struct program_request *request, struct source_seen *seen, int *first,
                  struct error *error)
{
    static const char *const c[] = {".c", NULL};
    int any = -1;
    *first = -1;
    for (int i = 0; i < request->sources; i++) {
        int kernels = seen->kernels;
        if (is_object(request->source[i]) || has_ending(request->source[i], c))
            continue;
        if (!source_scan(request->source[i], seen, error))
            return false;
        if (any < 0)
            any = i;
        if (*first < 0 && seen->kernels > kernels)
            *first = i;
    }
    if (*first < 0)
        *first = any;
    return true;
}

/* Says how to launch a kernel where nothing else does. */
static void explain_main(const struct program_request *request, const struct source_seen *seen,
                         struct error *error)
{
    char proposal[1000];
    call_propose(seen, proposal, sizeof proposal);
    error_set(error, "%s has no main(): give the file that launches its kernels, too%s%s",
              request->source[0], *proposal ? ", or say how to launch one, as in " : "", proposal);
}

/* kernelc/ compiles no host programs. */
static bool explain_small(const struct program_request *request, const struct source_seen *seen,
                          struct error *error)
{
    char proposal[1000];
    call_propose(seen, proposal, sizeof proposal);
    return error_set(
        error,
        "%s: --compiler small compiles kernels, and no program that launches them: say "
        "how, as in %s",
        request->source[0], *proposal ? proposal : "--call 'k<<<1, 32>>>()'");
}

static bool build(struct built_program *program, const struct program_request *request,
                  const struct source_seen *seen, struct error *error)
{
    char runtime[PATH_MAX], reads[PATH_MAX];
    const char *source[PROGRAM_MOST + 1];
    struct source_words own[PROGRAM_MOST + 1] = {{.words = 0}};
    const struct database_program *database = program->database;
    for (int i = 0; database && i < database->sources; i++)
        own[i] = database->own[i];
    int sources = request->sources;
    memcpy(source, request->source, sizeof request->source);
    bool objects = false;
    for (int i = 0; i < request->sources; i++)
        objects = objects || is_object(request->source[i]);
    if (request->host_reads) {
        if (!data_path("program/compile/include/bankscope/host_reads.c", reads, sizeof reads,
                       error))
            return false;
        source[sources++] = reads;
    }
    const struct compile_request compile = {.source = source,
                                            .sources = sources,
                                            .word = request->word,
                                            .words = request->words,
                                            .own = own,
                                            .with = request->with,
                                            .runtime = runtime,
                                            .names = true,
                                            .cubins = true,
                                            .host_reads = request->host_reads};
    if (!library_path("cudart.o", runtime, sizeof runtime, error))
        return false;
    bool good = compile_program(&program->compiled, &compile, error);
    if (!good && !seen->main && !objects && strstr(error->text, "has no main()")) {
        error->text[0] = '\0';
        explain_main(request, seen, error);
    }
    return good;
}

/* What ptxas made of the units, where it is known. One that cannot be compared is as the rules have it. */
static void compare_widths(struct built_program *program)
{
    const struct compiled_program *compiled = &program->compiled;
    program->widths = memory_new((size_t)compiled->units + 1, sizeof *program->widths);
    for (int i = 0; i < compiled->units; i++) {
        const struct compiled_unit *unit = &compiled->unit[i];
        struct error ignored = {{0}};
        struct widths *widths = &program->widths[program->widths_count];
        if (!unit->cubin)
            continue;
        if (widths_compare(widths, unit->ptx, unit->cubin, &ignored))
            program->widths_count++;
        else
            widths_free(widths);
    }
}

static bool scan_and_build(struct built_program *program, const struct program_request *request,
                           struct error *error)
{
    struct source_seen seen = {0};
    int first;
    program->sources = request->sources;
    memcpy(program->source, request->source, sizeof program->source);
    bool good = true;
    if (alone_asked(request))
        good = alone_build(program, request, error);
    else if (request->with == COMPILE_SMALL)
        good = request_scan(request, &seen, &first, error) && explain_small(request, &seen, error);
    else
        good = request_scan(request, &seen, &first, error) && build(program, request, &seen, error);
    if (good)
        compare_widths(program);
    seen_free(&seen);
    return good;
}

/* Whether a file has that text in it. */
static bool has_text(const char *path, const char *text)
{
    enum { MOST = 1 << 30 };
    struct error none = {{0}};
    size_t length;
    char *bytes = file_read(path, MOST, &length, &none);
    const bool has = bytes && memmem(bytes, length, text, strlen(text));
    free(bytes);
    return has;
}

bool program_take(struct built_program *program, const char *executable, struct error *error)
{
    struct compiled_program *compiled = &program->compiled;
    char path[PATH_MAX];
    *program = (struct built_program){.sources = 0};
    if (strchr(executable, '/') ? snprintf(path, sizeof path, "%s", executable) < 0
                                : !tool_path(executable, path, sizeof path))
        return error_set(error, "there is no program '%s'", executable);
    if (access(path, X_OK) || !file_is_regular(path))
        return error_set(error, "cannot run '%s': it is no program", executable);
    if (has_text(path, "/cudart.shm."))
        return error_set(error,
                         "%s has the toolkit's runtime in it, which needs a GPU's driver: build it "
                         "with nvcc -cudart shared",
                         executable);
    for (int release = 10; release < 13; release++) {
        char name[32];
        snprintf(name, sizeof name, "libcudart.so.%d", release);
        if (has_text(path, name) && !has_text(path, "libcudart.so.13"))
            return error_set(
                error,
                "%s is linked with %s, of an older CUDA: build it with CUDA 13 and nvcc "
                "-cudart shared",
                executable, name);
    }
    snprintf(compiled->executable, sizeof compiled->executable, "%s", path);
    snprintf(compiled->compiler, sizeof compiled->compiler, "PTX");
    return library_path("cuda", program->libraries, sizeof program->libraries, error);
}

/* The same with the sources that a database tells of, objects that were named, and the libraries of both. */
static bool build_of_database(struct built_program *program, const struct program_request *from,
                              struct error *error)
{
    struct program_request request = *from;
    const char *named[PROGRAM_MOST];
    int count = 0;
    program->database = memory_new(1, sizeof *program->database);
    for (int i = 0; i < from->sources; i++)
        if (!is_object(from->source[i]))
            named[count++] = from->source[i];
    if (!database_read(program->database, from->database, from->target, named, count, error))
        return false;
    const struct database_program *database = program->database;
    request.sources = 0;
    for (int i = 0; i < database->sources; i++)
        request.source[request.sources++] = database->source[i];
    const char *const *more[] = {from->source, (const char *const *)database->link.word};
    const int counts[] = {from->sources, database->link.count};
    for (int which = 0; which < 2; which++)
        for (int i = 0; i < counts[which]; i++) {
            const char *word = more[which][i];
            if (request.sources == PROGRAM_MOST || request.words == PROGRAM_MOST)
                return error_set(error, "more than %d sources and libraries", PROGRAM_MOST);
            if (*word == '-')
                request.word[request.words++] = word;
            else if (is_object(word))
                request.source[request.sources++] = word;
        }
    return scan_and_build(program, &request, error);
}

bool program_build(struct built_program *program, const struct program_request *request,
                   struct error *error)
{
    *program = (struct built_program){.sources = 0};
    return request->database ? build_of_database(program, request, error)
                             : scan_and_build(program, request, error);
}

void program_free(struct built_program *program)
{
    for (int i = 0; i < program->widths_count; i++)
        widths_free(&program->widths[i]);
    free(program->widths);
    program->widths = NULL;
    program->widths_count = 0;
    compiled_free(&program->compiled);
    if (program->database)
        database_free(program->database);
    free(program->database);
    program->database = NULL;
    if (*program->folder)
        passing_remove(program->folder);
    *program->folder = '\0';
    while (program->words > 0)
        free(program->word[--program->words]);
    free(program->alias);
    free(program->alias_path);
    program->alias = program->alias_path = NULL;
}

/* ---- what is recorded ------------------------------------------------------------------------ */

/* Calls `kernel` for each kernel of the program's, with its name for people and as the PTX has it. false: *error. */
static bool each_kernel(const struct built_program *program,
                        void (*kernel)(void *context, const char *name, const char *mangled),
                        void *context, struct error *error)
{
    enum { MOST_PTX = 1 << 30 };
    static const char entry[] = ".entry ";
    size_t length;
    for (int i = 0; i < program->compiled.units; i++) {
        char *ptx = file_read(program->compiled.unit[i].ptx, MOST_PTX, &length, error);
        if (!ptx)
            return false;
        for (const char *at = ptx; (at = strstr(at, entry)) != NULL;) {
            at += sizeof entry - 1;
            at += strspn(at, " \t\n");
            size_t end = strcspn(at, " \t\n(");
            char *mangled = memory_new(end + 1, 1);
            memcpy(mangled, at, end);
            char *name = name_of_function(mangled);
            kernel(context, name, mangled);
            free(name);
            free(mangled);
        }
        free(ptx);
    }
    return true;
}

static void put_name(void *context, const char *name, const char *mangled)
{
    (void)mangled;
    fprintf(context, "%s\n", name);
}

bool program_kernels(const struct built_program *program, FILE *to, struct error *error)
{
    return each_kernel(program, put_name, to, error);
}

struct matching {
    const regex_t *regex;
    FILE *to;
};

static void put_matching(void *context, const char *name, const char *mangled)
{
    const struct matching *matching = context;
    if (!regexec(matching->regex, name, 0, NULL, 0))
        fprintf(matching->to, "%s\n", mangled);
}

/* The names that --kernel chooses, each ended by a line feed; a lone one if there are none, which no kernel has.
 * NULL: *error. */
static char *match_kernels(const struct built_program *program, const char *expression,
                           struct error *error)
{
    regex_t regex;
    char *text = NULL;
    size_t room;
    if (regcomp(&regex, expression, REG_EXTENDED | REG_NOSUB)) {
        error_set(error, "'%s' is not a regular expression", expression);
        return NULL;
    }
    FILE *list = open_memstream(&text, &room);
    if (!list)
        memory_exhausted();
    fputc('\n', list);
    struct matching matching = {&regex, list};
    bool good = each_kernel(program, put_matching, &matching, error);
    regfree(&regex);
    if (fclose(list))
        memory_exhausted();
    if (good)
        return text;
    free(text);
    return NULL;
}

static struct records_choice choice_of(const struct program_choice *choice)
{
    struct records_choice to = {.jobs = (uint32_t)choice->jobs,
                                .warp = (uint32_t)choice->warp,
                                .count = 1,
                                .check = !choice->unchecked,
                                .checks_off = excuses_off(choice->excuses),
                                .global = choice->memory != MEMORY_SHARED,
                                .values = choice->values,
                                .leaks = choice->leaks,
                                .host_reads = choice->host_reads,
                                .shadow_bytes = choice->shadow_bytes,
                                .seed = choice->schedule,
                                .accesses = choice->accesses,
                                .launch = RECORDS_EVERY,
                                .last_block = RECORDS_EVERY,
                                .seconds = DEFAULT_SECONDS};
    char *end;
    if (choice->device)
        snprintf(to.device, sizeof to.device, "%s", choice->device);
    if (choice->launch)
        to.launch = strtoull(choice->launch, NULL, 10);
    if (choice->seconds)
        to.seconds = strtoull(choice->seconds, NULL, 10);
    if (choice->blocks) {
        to.first_block = strtoull(choice->blocks, &end, 10);
        to.last_block = strtoull(end + 1, NULL, 10);
    }
    return to;
}

/* ---- running --------------------------------------------------------------------------------- */

struct child {
    const char *executable;
    char *const *words;
    const struct program_choice *choice;
    const struct records *records;
    const char *libraries; /* a folder with ours, or NULL */
};

/* Ours come first: those that the program is linked with, and those that it opens. */
static void set_libraries(const char *folder)
{
    const char *before = getenv("LD_LIBRARY_PATH"), *loaded = getenv("LD_PRELOAD");
    char path[8192];
    snprintf(path, sizeof path, "%s%s%s", folder, before ? ":" : "", before ? before : "");
    setenv("LD_LIBRARY_PATH", path, 1);
    snprintf(path, sizeof path, "%s/libcudart.so.13%s%s", folder, loaded ? ":" : "",
             loaded ? loaded : "");
    setenv("LD_PRELOAD", path, 1);
}

static int become(void *context, void *shared)
{
    const struct child *child = context;
    const struct program_choice *choice = child->choice;
    (void)shared;
    records_export(child->records);
    if (child->libraries)
        set_libraries(child->libraries);
    if (choice->output_apart)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    if (choice->silent)
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    execvp(child->executable, child->words);
    return 127;
}

/* Waits for the child's end. Returns its status, as waitpid has it. */
static int wait_for(const struct process *process, const struct records *records,
                    const struct program_choice *choice)
{
    enum { MOMENT = 100 /* milliseconds */ };
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, process->id, 0), .events = POLLIN};
    int status;
    while (!process_ended(process, &status)) {
        struct records_progress progress;
        poll(&end, 1, end.fd < 0 ? 1 : MOMENT);
        records_progress(records, &progress);
        if (choice->progress && !choice->progress(choice->progress_context, progress.launches,
                                                  progress.blocks_done, progress.blocks))
            process_kill(process);
    }
    if (end.fd >= 0)
        close(end.fd);
    return status;
}

static bool run_child(const struct built_program *program, char *const *words,
                      const struct program_choice *choice, const struct records *records,
                      int *status, struct error *error)
{
    char *launcher[sizeof program->word / sizeof *program->word + 2] = {words[0]};
    memcpy(launcher + 1, program->word, (size_t)program->words * sizeof *launcher);
    if (program->words)
        words = launcher;
    struct child child = {program->compiled.executable, words, choice, records,
                          *program->libraries ? program->libraries : NULL};
    struct process process;
    /* An interrupt is the program's: what it recorded is to be shown. */
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    struct sigaction before;
    sigaction(SIGINT, &ignored, &before);
    bool good = process_start(&process, 1, become, &child, error);
    if (good) {
        *status = wait_for(&process, records, choice);
        process_free(&process);
    }
    sigaction(SIGINT, &before, NULL);
    return good;
}

/* ---- what it told ---------------------------------------------------------------------------- */

struct telling {
    const struct records *records;
    const struct records_taken *taken;
    struct source_lines *lines;
    const struct program_choice *choice;
    const struct records_choice *wanted;
    const struct program_sink *sink;
    struct error *error;
    /* Of the launch: */
    const struct records_kernel *kernel;
    int warp;
    /* Of the block, by warp: */
    struct marked {
        uint32_t stage, number, phase, round;
    } mark[MACHINE_THREADS];
    char *stage[STAGES_MOST + 1]; /* by number, from 1 */
    uint32_t stages;
    bool in_block;
};

#define TELL(function, ...)                                                                        \
    (!telling->sink->function ||                                                                   \
     telling->sink->function(telling->sink->context, __VA_ARGS__, telling->error))

static bool end_block(struct telling *telling)
{
    bool was = telling->in_block;
    telling->in_block = false;
    return !was || !telling->sink->block_end ||
           telling->sink->block_end(telling->sink->context, telling->error);
}

static bool on_block(void *context, uint64_t block, struct error *error)
{
    struct telling *telling = context;
    (void)error;
    if (!end_block(telling))
        return false;
    for (int i = 0; i < MACHINE_THREADS; i++)
        telling->mark[i] = (struct marked){.number = ROUND_UNNUMBERED};
    telling->in_block = true;
    return TELL(block, block);
}

/* Whether --memory asks for it. */
static bool is_chosen(const struct program_choice *choice, const struct records_access *access)
{
    return access->global == RECORDS_SHARED ? choice->memory != MEMORY_GLOBAL
                                            : choice->memory != MEMORY_SHARED;
}

/* Rounds are the warp's accesses in the phase. */
static bool on_access(void *context, const struct records_entry *entry, const uint64_t *address,
                      const unsigned char *value, struct error *error)
{
    struct telling *telling = context;
    uint64_t row = telling->kernel->first_access + entry->access;
    const struct records_access *access = &telling->taken->access[row];
    struct marked *mark = &telling->mark[entry->warp];
    const bool global = access->global == RECORDS_GLOBAL;
    uint8_t lane[RECORDS_LANES];
    uint32_t addr[RECORDS_LANES];
    int64_t values[RECORDS_LANES];
    int lanes = 0;
    (void)error;
    if (!is_chosen(telling->choice, access))
        return true;
    for (uint64_t left = entry->mask; left; left &= left - 1) {
        lane[lanes] = (uint8_t)__builtin_ctzll(left);
        addr[lanes] = (uint32_t)address[lanes];
        values[lanes] = 0;
        if (value)
            memcpy(&values[lanes], value + (size_t)lanes * access->bytes,
                   access->bytes < 8 ? access->bytes : 8);
        lanes++;
    }
    if (entry->phase != mark->phase)
        mark->round = 0;
    mark->phase = entry->phase;
    const struct program_access told = {.pc = lines_access(row),
                                        .mask = entry->mask,
                                        .phase = entry->phase,
                                        .round = mark->round++,
                                        .stage = mark->stage,
                                        .number = mark->number,
                                        .warp = entry->warp,
                                        .op = (enum op)access->op,
                                        .bytes = (int)access->bytes,
                                        .lanes = lanes,
                                        .lane = lane,
                                        .addr = global ? NULL : addr,
                                        .global = global ? address : NULL,
                                        .value = value ? values : NULL};
    return TELL(access, &told);
}

static bool on_stage(void *context, uint32_t warp, const char *name, size_t length,
                     struct error *error)
{
    struct telling *telling = context;
    uint32_t number = 1;
    (void)error;
    while (number <= telling->stages && (strlen(telling->stage[number]) != length ||
                                         memcmp(telling->stage[number], name, length) != 0))
        number++;
    if (number > STAGES_MOST)
        return true; /* too many: its accesses stay in the stage before */
    telling->mark[warp].stage = number;
    telling->mark[warp].number = ROUND_UNNUMBERED;
    if (number <= telling->stages)
        return true;
    telling->stages++;
    telling->stage[number] = memory_new(length + 1, 1);
    memcpy(telling->stage[number], name, length);
    return TELL(stage, number, telling->stage[number]);
}

static bool on_round(void *context, uint32_t warp, uint64_t round, struct error *error)
{
    struct telling *telling = context;
    (void)error;
    telling->mark[warp].number = round < MAX_ROUNDS ? (uint32_t)round : MAX_ROUNDS - 1;
    return true;
}

static bool tell_accesses(struct telling *telling, uint64_t launch)
{
    const struct records_visitor visitor = {telling, on_block, on_access, on_stage, on_round};
    bool good = records_visit(telling->records, telling->taken, launch, &visitor, telling->error) &&
                end_block(telling);
    for (uint32_t i = 1; i <= telling->stages; i++)
        free(telling->stage[i]);
    telling->stages = 0;
    return good;
}

/* The variable that an access is to: the one that the PTX names, or where its addresses lie. */
static int array_of(const struct telling *telling, const struct records_access *access,
                    const struct records_count *count)
{
    int named = lines_array_named(telling->lines, access->array);
    int low = lines_array(telling->lines, count->low);
    if (named != ARRAY_UNKNOWN)
        return named;
    return low == lines_array(telling->lines, count->high) ? low : ARRAY_UNKNOWN;
}

/* Blocks of a launch that were asked for, of the first `blocks`. */
static uint64_t asked_blocks(const struct telling *telling, uint64_t blocks)
{
    uint64_t from = telling->wanted->first_block, to = telling->wanted->last_block;
    to = to < blocks ? to + 1 : blocks;
    return from < to ? to - from : 0;
}

static bool tell_counts(struct telling *telling, const struct records_launch *launch)
{
    for (uint32_t i = 0; i < launch->counts; i++) {
        uint64_t row = telling->kernel->first_access + i;
        const struct records_access *access = &telling->taken->access[row];
        const struct records_count *from = &telling->taken->count[launch->first_count + i];
        const struct program_count count = {
            .pc = lines_access(row),
            .space = (enum program_space)access->global,
            .op = (enum op)access->op,
            .array = access->global ? ARRAY_UNKNOWN : array_of(telling, access, from),
            .tally = {from->instructions, from->lanes, from->passes, from->conflicts,
                      (int)from->max_ways}};
        if (is_chosen(telling->choice, access) && !TELL(count, &count))
            return false;
    }
    return true;
}

/* Blocks whose single accesses are all there. The first one is kept in any case, as far as there is room. */
static uint64_t kept_blocks(const struct telling *telling, const struct records_launch *launch,
                            uint64_t recorded)
{
    if (!telling->choice->accesses || launch->outcome != RECORDS_GOOD)
        return recorded;
    bool cut = launch->kept_blocks == 1 && launch->lost_accesses &&
               launch->kept_accesses >= telling->choice->accesses;
    return cut ? 0 : launch->kept_blocks;
}

/* The name of a kernel (a row) for people; NULL: there is none. Freed by the caller. */
static char *kernel_name(const struct telling *telling, uint32_t kernel)
{
    if (kernel == RECORDS_NOTHING)
        return NULL;
    const struct records_text text = telling->taken->kernel[kernel].name;
    char *symbol = memory_copy_of(telling->taken->text + text.at, (size_t)text.length);
    char *name = lines_function(telling->lines, symbol);
    free(symbol);
    return name;
}

static bool tell_launch(struct telling *telling, uint64_t row)
{
    const struct records_launch *from = &telling->taken->launch[row];
    telling->kernel = &telling->taken->kernel[from->kernel];
    char *name = kernel_name(telling, from->kernel);
    struct program_launch launch = {.number = from->number,
                                    .launches = from->launches,
                                    .process = from->process,
                                    .dynamic_bytes = from->dynamic_shared,
                                    .warp = telling->warp,
                                    .banks = telling->warp,
                                    .name = name};
    struct program_end end = {.blocks = from->blocks,
                              .recorded_blocks = from->blocks_done,
                              .status = from->error,
                              .partly_checked = from->partly_checked,
                              .repeated = from->repeated,
                              .reason =
                                  from->outcome == RECORDS_GOOD ? RECORD_ALL : RECORD_FAULTED};
    if (from->outcome == RECORDS_GOOD && from->launches == 1)
        end.recorded_blocks = asked_blocks(telling, from->blocks);
    if (end.recorded_blocks < end.blocks && end.reason == RECORD_ALL)
        end.reason = RECORD_ASKED;
    end.kept_blocks = kept_blocks(telling, from, end.recorded_blocks);
    if (end.recorded_blocks == end.blocks) /* it is of all blocks, recorded or not */
        end.instructions = from->instructions;
    memcpy(launch.grid, from->grid, sizeof launch.grid);
    memcpy(launch.block, from->block, sizeof launch.block);
    lines_launch(telling->lines, (uint32_t)row);
    bool good = TELL(launch, &launch) && tell_counts(telling, from) &&
                (!telling->choice->accesses || tell_accesses(telling, row)) &&
                (from->outcome == RECORDS_RUNNING || TELL(launch_end, &end));
    free(name);
    return good;
}

/* What is only worth a remark. */
static bool is_remark(uint32_t kind)
{
    return kind == MACHINE_FAULT_RETURNED || kind == RECORDS_LEAK || kind == RECORDS_UNCHECKED;
}

static bool is_excused(struct telling *telling, const struct records_fault *from, uint64_t pc,
                       uint64_t other)
{
    if (!telling->choice->excuses)
        return false;
    char *kernel = kernel_name(telling, from->kernel);
    const struct source_place *here = pc ? lines_place(telling->lines, pc) : NULL;
    const struct excusable fault = {from->kind, from->count, kernel, here,
                                    other ? lines_place(telling->lines, other) : NULL};
    const bool excused = excuses_take(telling->choice->excuses, &fault);
    free(kernel);
    return excused;
}

static bool tell_fault(struct telling *telling, const struct records_fault *from)
{
    const uint64_t site = lines_site(from->site), pc = site ? site : lines_host(from->caller),
                   other = lines_site(from->other_site);
    char text[2 * RECORDS_FAULT_TEXT];
    if (is_excused(telling, from, pc, other))
        return true;
    lines_name_elements(telling->lines, from->kernel, from->text, text, sizeof text);
    const struct program_fault fault = {
        .kind = fault_kind_name(from->kind),
        .text = text,
        .pc = pc,
        .other_pc = other,
        .block = {from->block[0], from->block[1], from->block[2]},
        .thread = {from->thread[0], from->thread[1], from->thread[2]},
        .has_thread = from->kind < RECORDS_HOST_FAULTS || from->kind == RECORDS_ENDLESS,
        .launch = from->launch,
        .count = from->count,
        .error = !is_remark(from->kind)};
    return TELL(fault, &fault);
}

static bool tell_all(struct telling *telling)
{
    const struct records_taken *taken = telling->taken;
    struct program_exit end = {.launches = taken->launched};
    bool good = true;
    for (uint64_t i = 0; i < taken->launches && good; i++)
        good = !taken->launch[i].ready || tell_launch(telling, i);
    for (uint64_t i = 0; i < taken->faults && good; i++)
        good = !taken->fault[i].ready || tell_fault(telling, &taken->fault[i]);
    for (int i = 0; i < RECORDS_TABLES; i++)
        end.lost += i == RECORDS_TABLE_CHUNKS ? 0 : taken->lost[i];
    return good && TELL(exit, &end);
}

static bool take_and_tell(const struct records *records, struct source_lines *lines,
                          const struct program_choice *choice, const struct records_choice *wanted,
                          const struct program_sink *sink, int status, struct error *error)
{
    struct records_taken taken;
    if (!records_take(records, &taken, error))
        return false;
    lines_take(lines, &taken);
    if (!taken.attached && WIFEXITED(status))
        return error_set(error,
                         "the program ended with status %d before anything of it ran: is there "
                         "room for what it reserves (ulimit -v), and may its folder run programs?",
                         WEXITSTATUS(status));
    struct telling *telling = memory_new(1, sizeof *telling);
    *telling = (struct telling){.records = records,
                                .taken = lines_taken(lines),
                                .lines = lines,
                                .choice = choice,
                                .wanted = wanted,
                                .sink = sink,
                                .error = error,
                                .warp = choice->warp ? choice->warp : 32};
    bool good = tell_all(telling);
    free(telling);
    return good;
}

/* Hands over which loops ptxas unrolls. */
static void tell_loops(const struct built_program *program, struct records *records)
{
    char *text = NULL;
    size_t length;
    FILE *all = open_memstream(&text, &length);
    if (!all)
        memory_exhausted();
    for (int i = 0; i < program->widths_count; i++)
        fputs(program->widths[i].loops, all);
    if (fclose(all))
        memory_exhausted();
    if (*text)
        records_tell_loops(records, text);
    free(text);
}

int session_run(const struct built_program *program, struct source_lines *lines, char *const *words,
                const struct program_choice *choice, const struct program_sink *sink,
                struct error *error)
{
    struct records_choice wanted = choice_of(choice);
    char *kernels = NULL;
    int status = 0;
    excuses_begin(choice->excuses);
    if (choice->kernel && !(kernels = match_kernels(program, choice->kernel, error)))
        return -1;
    struct records *records =
        records_new(&wanted, kernels, choice->accesses ? CHUNK_BYTES : 0, error);
    if (records)
        tell_loops(program, records);
    bool good = records && run_child(program, words, choice, records, &status, error) &&
                take_and_tell(records, lines, choice, &wanted, sink, status, error);
    records_free(records);
    free(kernels);
    if (!good)
        return -1;
    return WIFSIGNALED(status) ? PROGRAM_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}
