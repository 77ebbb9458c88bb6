/* lock.h - locks that are held for a few instructions. Threads of the host wait for them by asking again. */
#ifndef BANKSCOPE_MACHINE_LOCK_H
#define BANKSCOPE_MACHINE_LOCK_H

#include <stdatomic.h>
#ifndef __wasm__ /* a page has one thread */
#include <sched.h>
#endif

static inline void lock_take(atomic_flag *lock)
{
    enum { PATIENCE = 200 };
    for (int i = 1; atomic_flag_test_and_set_explicit(lock, memory_order_acquire); i++) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
#ifndef __wasm__
        if (i % PATIENCE == 0)
            sched_yield(); /* the one who holds it may have no processor */
#endif
    }
}

static inline void lock_give(atomic_flag *lock)
{
    atomic_flag_clear_explicit(lock, memory_order_release);
}

#endif
