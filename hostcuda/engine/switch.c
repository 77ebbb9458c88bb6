/* switch.c - from one stack to another without a system call.
 *
 * On x86-64, the compiler saves the registers (engine.h). On aarch64, what a function must keep for its
 * caller, x19 to x30 and d8 to d15, is pushed on the stack. Elsewhere the C library does it.
 */
#include "hostcuda/engine/engine.h"

#if defined(__x86_64__)

void switch_prepare(struct context *at, char *top, void (*function)(void))
{
    /* The function finds what looks like a return address. */
    uintptr_t *sp = (uintptr_t *)((uintptr_t)top & ~(uintptr_t)15) - 1;
    *sp = 0;
    *at = (struct context){sp, NULL, (void *)(uintptr_t)function};
}

#elif defined(__aarch64__)

__asm__(".text\n"
        ".p2align 4\n"
        ".globl switch_stack\n"
        ".type switch_stack, %function\n"
        "switch_stack:\n"
        "    stp x19, x20, [sp, #-160]!\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    ldr x9, [x1]\n"
        "    mov sp, x9\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    ldp x19, x20, [sp], #160\n"
        "    ret\n"
        ".size switch_stack, . - switch_stack\n");

void switch_prepare(struct context *context, char *top, void (*function)(void))
{
    uintptr_t *at = (uintptr_t *)((uintptr_t)top & ~(uintptr_t)15) - 20;
    for (int i = 0; i < 20; i++)
        at[i] = 0;
    at[11] = (uintptr_t)function; /* x30 */
    context->sp = at;
}

#else

#include <stdlib.h>
#include <ucontext.h>

/* A ucontext_t at the top of each stack; that of a thread's own stack is on the heap. */
void switch_stack(struct context *from, const struct context *to)
{
    ucontext_t here;
    from->sp = &here;
    swapcontext(&here, to->sp);
}

void switch_prepare(struct context *at, char *top, void (*function)(void))
{
    ucontext_t *context = (ucontext_t *)(((uintptr_t)top - sizeof(ucontext_t)) & ~(uintptr_t)15);
    getcontext(context);
    context->uc_stack.ss_sp = (char *)context - (256 << 10);
    context->uc_stack.ss_size = 256 << 10;
    context->uc_link = NULL;
    makecontext(context, function, 0);
    at->sp = context;
}

#endif
