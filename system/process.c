/* process.c - child processes: work of this program, or other programs.
 *
 * Every child asks the system to be killed when its parent ends (Linux), so that a compiler or a
 * student's endless loop never stays behind.
 */
#define _GNU_SOURCE /* strsignal, MAP_ANONYMOUS, pipe2 */
#include "system/process.h"
#include "base/memory.h"
#include "instrument/instrument.h"
#include "system/output.h"
#include "system/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Forks a child that does not outlive this process. */
static pid_t fork_mortal(pid_t (*how)(void))
{
    pid_t parent = getpid();
    fflush(NULL); /* or the child writes it once more */
    pid_t child = how();
#ifdef __linux__
    if (!child && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent))
        _exit(1);
#endif
    return child;
}

static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

/* ---- work of this program ------------------------------------------------------------------ */

bool process_start(struct process *process, size_t shared, int (*work)(void *context, void *shared),
                   void *context, struct error *error)
{
    void *memory = mmap(NULL, shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return error_set(error, "cannot share memory with a process: %s", strerror(errno));
    *process = (struct process){fork_mortal(fork), memory, shared};
    if (process->id < 0) {
        error_set(error, "cannot start a process: %s", strerror(errno));
        process_free(process);
        return false;
    }
    if (!process->id)
        _exit(work(context, memory));
    return true;
}

int process_wait(const struct process *process)
{
    return wait_for(process->id);
}

bool process_ended(const struct process *process, int *status)
{
    return waitpid(process->id, status, WNOHANG) == process->id;
}

void process_kill(const struct process *process)
{
    kill(-process->id, SIGKILL);
    kill(process->id, SIGKILL);
}

void process_free(struct process *process)
{
    munmap(process->shared, process->size);
    *process = (struct process){.id = 0};
}

/* ---- a user's kernel ----------------------------------------------------------------------- */

/* What the child of process_apart does, and what it reports. */
struct apart {
    int (*work)(void *context, struct error *error);
    void *context;
};
struct said {
    bool finished;
    struct error error;
};

static int work_apart(void *context, void *shared)
{
    const struct apart *apart = context;
    struct said *said = shared;
    watch_user_code(&said->error);
    int status = apart->work(apart->context, &said->error);
    said->finished = true;
    return status;
}

int process_apart(const char *name, int (*work)(void *context, struct error *error), void *context,
                  struct error *error)
{
    struct apart apart = {work, context};
    struct process process;
    if (!process_start(&process, sizeof(struct said), work_apart, &apart, error))
        return -1;
    const struct said *said = process.shared;
    int status = process_wait(&process);
    if (WIFSIGNALED(status))
        error_set(error, "kernel %s crashed (%s), outside of its threads", name,
                  strsignal(WTERMSIG(status)));
    else if (said->error.text[0] && !said->finished)
        error_set(error, "kernel %s, outside of its threads: %s", name, said->error.text);
    else if (!said->finished)
        error_set(error, "kernel %s ended the program (status %d): a kernel must return", name,
                  WEXITSTATUS(status));
    else if (said->error.text[0])
        error_set(error, "%s", said->error.text);
    process_free(&process);
    return error->text[0] ? -1 : WEXITSTATUS(status);
}

/* ---- other programs ------------------------------------------------------------------------ */

/* In the child: runs the program, or sends errno through the pipe. */
static void become(const struct program *program, int broken)
{
    const int files[] = {program->input, program->output, program->messages};
    bool good = !program->temporary || !setenv("TMPDIR", program->temporary, 1);
    for (int i = 0; i < 3; i++)
        good = good && (!files[i] || dup2(files[i], i) >= 0);
    if (good)
        execvp(program->words[0], (char *const *)(uintptr_t)program->words);
    int why = errno;
    if (write(broken, &why, sizeof why) < 0)
        _exit(126);
    _exit(127);
}

int process_run(const struct program *program, struct error *error)
{
    int ends[2], why = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(error, "cannot start %s: %s", program->words[0], strerror(errno)), -1;
    pid_t child = fork_mortal(passing_fork);
    if (!child)
        become(program, ends[1]);
    if (child < 0)
        why = errno;
    close(ends[1]);
    while (child > 0 && read(ends[0], &why, sizeof why) < 0 && errno == EINTR)
        continue;
    close(ends[0]);
    int status = child > 0 ? wait_for(child) : 0;
    passing_ended(child);
    if (why == ENOENT)
        error_set(error, "there is no %s here; %s", program->words[0], program->hint);
    else if (why)
        error_set(error, "cannot start %s: %s; %s", program->words[0], strerror(why),
                  program->hint);
    return why ? -1 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

double clock_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
