/* pool.c - the threads that run blocks.
 *
 * Blocks never run on a thread of the program: its stacks stay as they are, and its signal handlers run at
 * once, on threads that only wait. The pool's threads block all signals and have stacks of their own. One
 * launch runs at a time, on all threads; with one thread, blocks run in one order and a run repeats exactly.
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
    int threads, wanted, working;
    uint64_t round; /* of launches */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .begin = PTHREAD_COND_INITIALIZER,
          .end = PTHREAD_COND_INITIALIZER};

static void *work(void *context)
{
    uint64_t seen = 0;
    (void)context;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.round == seen)
            pthread_cond_wait(&pool.begin, &pool.lock);
        seen = pool.round;
        struct machine_run *run = pool.run;
        pthread_mutex_unlock(&pool.lock);
        machine_work(run);
        pthread_mutex_lock(&pool.lock);
        if (--pool.working == 0)
            pthread_cond_signal(&pool.end);
    }
    return NULL;
}

static bool start_thread(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    char *stack = mmap(NULL, STACK + GUARD, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED)
        return false;
    mprotect(stack, GUARD, PROT_NONE);
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
static void start_threads(void)
{
    sigset_t all, before;
    int jobs = (int)runtime_choice()->jobs;
    pool.wanted = jobs > 0 ? jobs : cores();
    if (pool.wanted > MOST)
        pool.wanted = MOST;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* new threads have their maker's */
    while (pool.threads < pool.wanted && start_thread())
        pool.threads++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void runtime_run(struct machine_run *run)
{
    pthread_mutex_lock(&pool.lock);
    if (!pool.wanted)
        start_threads();
    if (pool.threads) {
        pool.run = run;
        pool.working = pool.threads;
        pool.round++;
        pthread_cond_broadcast(&pool.begin);
        while (pool.working)
            pthread_cond_wait(&pool.end, &pool.lock);
        pool.run = NULL;
    }
    bool alone = !pool.threads;
    pthread_mutex_unlock(&pool.lock);
    if (alone)
        machine_work(run);
}
