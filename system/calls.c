/* calls.c - the box's last layer (box.c): system calls, by seccomp. */
#define _GNU_SOURCE /* syscall */
#include "system/calls.h"

#include <errno.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define MACHINE AUDIT_ARCH_X86_64
#else
#define MACHINE AUDIT_ARCH_AARCH64
#endif

/* What a kernel, the recorder and the C library need after all files are open. */
static const int calls[] = {
    SYS_read,
    SYS_write,
    SYS_close,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_futex,
    SYS_getpid,
    SYS_gettid,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_setitimer,
    SYS_clock_gettime,
    SYS_getrandom,
    SYS_sched_yield,
    SYS_restart_syscall,
    SYS_exit,
    SYS_exit_group,
};

#define IS(number, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(number), yes, no)
#define HAS(bits, yes, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(bits), yes, no)
#define TAKE(what) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(what))
#define END(how) BPF_STMT(BPF_RET | BPF_K, (uint32_t)(how))
#define ARGUMENT(i) offsetof(struct seccomp_data, args[i])

int calls_confine(void)
{
    enum { MOST = 64, COUNT = sizeof calls / sizeof *calls };
    struct sock_filter filter[MOST] = {
        TAKE(offsetof(struct seccomp_data, arch)),
        IS(MACHINE, 1, 0),
        END(SECCOMP_RET_KILL_PROCESS),
        TAKE(offsetof(struct seccomp_data, nr)),
    };
    const struct sock_filter rest[] = {
        /* memory, but none that can be run */
        IS(SYS_mmap, 1, 0),
        IS(SYS_mprotect, 0, 3),
        TAKE(ARGUMENT(2)),
        HAS(PROT_EXEC, 4, 0),
        END(SECCOMP_RET_ALLOW),
        /* signals, but only to itself */
        IS(SYS_tgkill, 0, 2),
        TAKE(ARGUMENT(0)),
        IS(getpid(), 1, 0),
        END(SECCOMP_RET_ERRNO | EPERM),
        END(SECCOMP_RET_ALLOW),
    };
    unsigned short used = 4;
    for (int i = 0; i < COUNT; i++) {
        filter[used++] = (struct sock_filter)IS(calls[i], 0, 1);
        filter[used++] = (struct sock_filter)END(SECCOMP_RET_ALLOW);
    }
    memcpy(filter + used, rest, sizeof rest);
    used += sizeof rest / sizeof *rest;
    const struct sock_fprog program = {used, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0))
        return errno;
    return 0;
}

int calls_there(void)
{
    uint32_t action = SECCOMP_RET_ERRNO;
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) ? errno : 0;
}

#else

int calls_confine(void)
{
    return ENOSYS;
}

int calls_there(void)
{
    return ENOSYS;
}

#endif
