/* lock.h - locks that are held for a few instructions. Threads of the host wait for them by asking again. */
#ifndef BANKSCOPE_MACHINE_LOCK_H
#define BANKSCOPE_MACHINE_LOCK_H

#include <stdatomic.h>
#ifndef __wasm__ /* a page has one thread */
#include <sched.h>
#endif

/* Between two questions: *asked counts them. */
static inline void lock_pause(int *asked)
{
    enum { PATIENCE = 200 };
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
#ifndef __wasm__
    if (++*asked % PATIENCE == 0)
        sched_yield(); /* who is waited for may have no processor */
#else
    (void)asked;
#endif
}

static inline void lock_take(atomic_flag *lock)
{
    int asked = 0;
    while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
        lock_pause(&asked);
}

static inline void lock_give(atomic_flag *lock)
{
    atomic_flag_clear_explicit(lock, memory_order_release);
}

#endif
