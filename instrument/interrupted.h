/* interrupted.h - where in the code a signal came. */
#ifndef BANKSCOPE_INTERRUPTED_H
#define BANKSCOPE_INTERRUPTED_H

#include <stddef.h>
#include <ucontext.h>

/* The instruction that the signal interrupted, or NULL if that is unknown on this machine. */
static inline const void *interrupted(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (const void *)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const void *)context->uc_mcontext.pc;
#else
    (void)context;
    return NULL;
#endif
}

#endif
