/* session.c - runs a CUDA program that was built on this machine, and has handed out what it told (session_tell.c).
 *
 * The child has its own copy of nothing of this process but the file of records (records.h). What it did is read
 * when it has ended, however that was.
 */
#define _GNU_SOURCE /* syscall */
#include "program/session.h"
#include "program/excuse.h"
#include "system/process.h"
#include "system/file.h"

#include <fcntl.h>
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
                                .follow = choice->follow != NULL,
                                .follow_block = choice->follow ? choice->follow->block : 0,
                                .follow_warp = choice->follow ? choice->follow->warp : 0,
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

static bool tell_code(const struct built_program *program, struct records *records, bool registers)
{
    char *text = NULL;
    size_t length;
    FILE *all = open_memstream(&text, &length);
    if (!all)
        memory_exhausted();
    for (int i = 0; i < program->widths_count; i++) {
        fputs(program->widths[i].loops, all);
        if (registers && program->widths[i].registers)
            fputs(program->widths[i].registers, all);
    }
    if (fclose(all))
        memory_exhausted();
    const bool told = !*text || records_tell_code(records, text);
    free(text);
    return told;
}

/* What the machine code says: where not all of it is taken, the loops. */
static void tell_loops(const struct built_program *program, struct records *records)
{
    if (!tell_code(program, records, true))
        tell_code(program, records, false);
}

int session_run(const struct built_program *program, struct source_lines *lines, char *const *words,
                const struct program_choice *choice, const struct program_sink *sink,
                struct error *error)
{
    struct records_choice wanted = choice_of(choice);
    wanted.arguments = lines_need_arguments(lines);
    char *kernels = NULL;
    int status = 0;
    excuses_begin(choice->excuses);
    if (choice->kernel && !(kernels = match_kernels(program, choice->kernel, error)))
        return -1;
    struct records *records =
        records_new(&wanted, kernels, choice->accesses || choice->follow ? CHUNK_BYTES : 0, error);
    if (records)
        tell_loops(program, records);
    bool good = records && run_child(program, words, choice, records, &status, error) &&
                session_tell(records, lines, choice, &wanted, sink, status, error);
    records_free(records);
    free(kernels);
    if (!good)
        return -1;
    return WIFSIGNALED(status) ? PROGRAM_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}
