/* pool.c - the threads that run blocks: the one that launches, on another stack, and threads of the runtime's.
 *
 * The program's stacks stay as they are, and its signal handlers run at once. The pool's threads block all
 * signals and have stacks of their own. One launch runs at a time, on as many threads as it has blocks; with
 * one thread, blocks run in one order and a run repeats exactly.
 */
#define _GNU_SOURCE
#include "program/runtime/runtime.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>

enum { MOST = 256, STACK = 4 << 20, GUARD = 64 << 10 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    struct machine_run *run;
    int threads, wanted; /* beside the one that launches */
    int places;          /* that this launch has for threads */
    int working;
    uint64_t round; /* of launches */
    char *stack;    /* for the thread that launches */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .begin = PTHREAD_COND_INITIALIZER,
          .end = PTHREAD_COND_INITIALIZER};

static void *work(void *context)
{
    uint64_t seen = 0;
    (void)context;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.round == seen || !pool.places) {
            seen = pool.round;
            pthread_cond_wait(&pool.begin, &pool.lock);
        }
        seen = pool.round;
        pool.places--;
        struct machine_run *run = pool.run;
        pthread_mutex_unlock(&pool.lock);
        machine_work(run);
        pthread_mutex_lock(&pool.lock);
        if (--pool.working == 0)
            pthread_cond_signal(&pool.end);
    }
    return NULL;
}

static char *new_stack(void)
{
    char *stack = mmap(NULL, STACK + GUARD, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED)
        return NULL;
    mprotect(stack, GUARD, PROT_NONE);
    return stack;
}

static bool start_thread(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    char *stack = new_stack();
    if (!stack)
        return false;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstack(&attributes, stack + GUARD, STACK);
    bool good = pthread_create(&thread, &attributes, work, NULL) == 0;
    pthread_attr_destroy(&attributes);
    if (!good)
        munmap(stack, STACK + GUARD);
    return good;
}

static int cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

/* As many threads as were asked for, or as there can be. */
static void start_threads(int count)
{
    sigset_t all, before;
    if (pool.threads >= count)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* new threads have their maker's */
    while (pool.threads < count && start_thread())
        pool.threads++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int wanted(void)
{
    int jobs = (int)runtime_choice()->jobs;
    jobs = jobs > 0 ? jobs : cores();
    return (jobs < MOST ? jobs : MOST) - 1;
}

/* Calls machine_work on another stack: `top` is its end. */
static void work_on(char *top, struct machine_run *run)
{
#if defined(__x86_64__)
    void (*function)(struct machine_run *) = machine_work;
    __asm__ volatile("movq %%rsp, %%rbx\n\t"
                     "movq %[top], %%rsp\n\t"
                     "callq *%[function]\n\t"
                     "movq %%rbx, %%rsp"
                     : [function] "+a"(function), "+D"(run), [top] "+c"(top)
                     :
                     : "rbx", "rdx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2",
                       "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                       "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
#elif defined(__aarch64__)
    register struct machine_run *first __asm__("x0") = run;
    __asm__ volatile("mov x19, sp\n\t"
                     "mov sp, %[top]\n\t"
                     "blr %[function]\n\t"
                     "mov sp, x19"
                     : "+r"(first)
                     : [function] "r"(machine_work), [top] "r"(top)
                     : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
                       "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x30", "v0", "v1", "v2",
                       "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",
                       "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25",
                       "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory");
#else
    (void)top;
    machine_work(run);
#endif
}

/* Wakes so many of the pool's threads. */
static void wake_helpers(struct machine_run *run, int helpers)
{
    pthread_mutex_lock(&pool.lock);
    start_threads(helpers);
    helpers = helpers < pool.threads ? helpers : pool.threads;
    pool.run = run;
    pool.places = pool.working = helpers;
    pool.round++;
    if (helpers == pool.threads)
        pthread_cond_broadcast(&pool.begin);
    for (int i = 0; i < helpers && helpers < pool.threads; i++)
        pthread_cond_signal(&pool.begin);
    pthread_mutex_unlock(&pool.lock);
}

/* Ends a job; threads that have not begun it need not any more. */
static void end(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.working -= pool.places;
    pool.places = 0;
    while (pool.working > 0)
        pthread_cond_wait(&pool.end, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

void runtime_run(struct machine_run *run, uint64_t blocks)
{
    if (!pool.stack) {
        pool.wanted = wanted();
        pool.stack = new_stack();
    }
    int helpers = blocks - 1 < (uint64_t)pool.wanted ? (int)(blocks - 1) : pool.wanted;
    if (helpers > 0)
        wake_helpers(run, helpers);
    if (pool.stack)
        work_on(pool.stack + GUARD + STACK, run);
    else
        machine_work(run);
    if (helpers > 0)
        end();
}
