/* Tries to do harm, one kind for each value of the parameter, past what an exercise's language allows:
 * for test_box.c. The result is right if the system refuses. */
#define _GNU_SOURCE
#include "kernels/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct harm {
    int w, u, blocks, harm;
};
STAGES(only)

enum { HARMS = 43 };
enum { TALE = 3, ANSWERS }; /* files: teach/apart.h */

#ifndef VICTIM
#define VICTIM ""
#endif

#define UNWATCHED __attribute__((noinline, no_sanitize("thread"), no_sanitize("undefined")))

static UNWATCHED long do_harm(int harm)
{
    static char stack[8192] __attribute__((aligned(4096)));
    const char *victim = VICTIM;
    switch (harm) {
    case 0:
        return open(victim, O_RDONLY);
    case 1:
        return open(victim, O_WRONLY | O_TRUNC);
    case 2:
        return open("/tmp/bankscope-harm", O_WRONLY | O_CREAT, 0600);
    case 3:
        return unlink(victim);
    case 4:
        return rename(victim, "/tmp/bankscope-harm");
    case 5:
        return chmod(victim, 0777);
    case 6:
        return truncate(victim, 0);
    case 7:
        return symlink(victim, "/tmp/bankscope-harm");
    case 8:
        return link(victim, "/tmp/bankscope-harm");
    case 9:
        return mkdir("/tmp/bankscope-harm", 0700);
    case 10:
        return open("/proc/self/mem", O_RDWR);
    case 11:
        return open("/etc/passwd", O_RDONLY);
    case 12:
        return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    case 13:
        return syscall(SYS_clone, 0x11, stack + sizeof stack, 0, 0, 0);
    case 14:
        return syscall(SYS_execve, "/bin/true", (char *[]){(char *)"true", NULL}, NULL);
    case 15:
        return socket(AF_INET, SOCK_STREAM, 0);
    case 16:
        return socket(AF_UNIX, SOCK_STREAM, 0);
    case 17:
        return kill(getppid(), 0);
    case 18:
        return syscall(SYS_tgkill, (int)syscall(SYS_getpid) + 1, 1, 0);
    case 19:
        return ptrace(PTRACE_TRACEME, 0, 0, 0);
    case 20:
        return (long)mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    case 21:
        return mprotect(stack, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
    case 22:
        return syscall(SYS_prlimit64, 0, RLIMIT_CPU, NULL, NULL);
    case 23:
        return syscall(SYS_unshare, 0x10000000);
    case 24:
        return syscall(SYS_memfd_create, "x", 0);
    case 25:
        return chdir("/");
    case 26:
        return (long)setsid();
    case 27:
        return nanosleep(&(struct timespec){.tv_sec = 1000}, NULL);
    case 28:
        return ioctl(0, TIOCSTI, "x");
    case 29:
        return syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, NULL);
    case 30:
        return syscall(SYS_prctl, 22, 0, NULL);
    case 31:
        return dup2(1, 50);
    case 32:
        return syscall(SYS_process_vm_writev, getppid(), NULL, 0, NULL, 0, 0);
    case 33:
        return syscall(SYS_bpf, 0, NULL, 0);
    case 34: /* newer ways to do the same */
        return syscall(SYS_openat2, AT_FDCWD, victim, &(uint64_t[3]){O_RDONLY}, 24);
    case 35:
        return syscall(SYS_execveat, AT_FDCWD, "/bin/true", (char *[]){(char *)"true", NULL}, NULL,
                       0);
    case 36:
        return syscall(SYS_clone3, &(uint64_t[8]){[4] = SIGCHLD}, 64);
    case 37:
        return syscall(SYS_pidfd_open, getppid(), 0);
    case 38: /* memory that stays behind */
        return syscall(SYS_shmget, 0, 4096, 0600 | 01000);
    case 39:
        return syscall(SYS_inotify_init1, 0);
    case 40: /* a signal to the grader whenever the pipe is ready */
        return fcntl(1, F_SETOWN, getppid());
    case 41: /* calls that no filter of calls sees */
        return syscall(SYS_io_uring_setup, 4, &(uint64_t[15]){0});
    case 42: /* what the grader has in its environment */
        errno = ENOENT;
        return environ && *environ ? 0 : -1;
    case 1000:
        syscall(SYS_exit_group, 0);
        return 0;
    case 1001:
        syscall(SYS_exit_group, 3);
        return 0;
    case 1002:
        signal(SIGABRT, SIG_DFL);
        raise(SIGABRT);
        return 0;
    case 1003:
        for (int file = 0; file < 100; file++)
            if (write(file, "nonsense", 8) == 8)
                errno = 0;
        syscall(SYS_exit_group, 0);
        return 0;
    case 1004:
        for (int file = 3;; file = file == 99 ? 3 : file + 1)
            if (write(file, stack, sizeof stack) < 0)
                errno = 0;
    case 1005: /* waits, without the processor */
        return read(ANSWERS, stack, sizeof stack);
    case 1006: /* has the grader look up lines without end: LINE is 1, and a message is made of ints */
        for (size_t i = 0; i < sizeof stack / sizeof(int); i++)
            ((int *)stack)[i] = 1;
        while (write(TALE, stack, sizeof stack) > 0)
            errno = 0;
        return 0;
    case 1007: /* stays when all seems over */
        close(TALE);
        return read(ANSWERS, stack, sizeof stack);
    default:
        return 0;
    }
}

static UNWATCHED int refused(int n)
{
    errno = 0;
    return do_harm(n) == -1 && errno;
}

KERNEL(harm)
{
    SHARED(int, tile, p.u);
    STAGE(only);
    ROUND(0);
    STORE(tile, threadIdx.x, 1);
    out[threadIdx.x] = refused(p.harm);
}

#ifdef SIMT_HOST
PARAMS(harm) = {PARAM_W(1), PARAM_U(1), PARAM_BLOCKS, PARAM(harm, 0, 0, 1007, "which"), {0}};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct harm *p = params;
    if (p->harm >= HARMS && p->harm < 1000)
        return error_set(error, "no more harms");
    shape->shared_bytes = (size_t)p->u * sizeof(int);
    shape->in_words = shape->out_words = (size_t)p->u;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    (void)params, (void)shape, (void)in;
    return out[0] == 1 || error_set(error, "the harm was done");
}

ENTRY(harm, .name = "harm", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare_numbers,
      .check = check)
#endif
