/* process.c - child processes. */
#define _GNU_SOURCE /* strsignal, MAP_ANONYMOUS */
#include "record/record.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

pid_t process_fork(void)
{
    pid_t parent = getpid();
    fflush(NULL);
    pid_t child = fork();
#ifdef __linux__
    if (!child && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent))
        _exit(1);
#endif
    return child;
}

int process_wait(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

int process_apart(const char *name, int (*work)(void *context, struct error *error), void *context,
                  struct error *error)
{
    struct said {
        bool finished;
        struct error error;
    } *said = mmap(NULL, sizeof *said, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = said != MAP_FAILED ? process_fork() : -1;
    if (child < 0) {
        error_set(error, "cannot start a process for %s: %s", name, strerror(errno));
        if (said != MAP_FAILED)
            munmap(said, sizeof *said);
        return -1;
    }
    if (!child) {
        int status = work(context, &said->error);
        said->finished = true;
        _exit(status);
    }
    int status = process_wait(child);
    if (WIFSIGNALED(status))
        error_set(error, "kernel %s crashed (%s), outside shared memory: check its array indices",
                  name, strsignal(WTERMSIG(status)));
    else if (!said->finished)
        error_set(error, "kernel %s ended the program (status %d): a kernel must return", name,
                  WEXITSTATUS(status));
    else if (said->error.text[0])
        error_set(error, "%s", said->error.text);
    munmap(said, sizeof *said);
    return error->text[0] ? -1 : WEXITSTATUS(status);
}

double clock_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
