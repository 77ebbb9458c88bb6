/* switch.c - from one stack to another without a system call.
 *
 * What a function must keep for its caller is pushed on the stack, the rest is the caller's own
 * business: rbx, rbp, r12 to r15 on x86-64, x19 to x30 and d8 to d15 on aarch64. Elsewhere
 * the C library does it.
 */
#include "hostcuda/engine/engine.h"

#if defined(__x86_64__)

__asm__(".text\n"
        ".p2align 4\n"
        ".globl switch_stack\n"
        ".type switch_stack, @function\n"
        "switch_stack:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    popq %rcx\n"
        "    jmp *%rcx\n"
        ".size switch_stack, . - switch_stack\n");

void *switch_prepare(char *top, void (*function)(void))
{
    /* Six registers, where to go, and what looks like a return address to the function. */
    uintptr_t *at = (uintptr_t *)((uintptr_t)top & ~(uintptr_t)15) - 8;
    for (int i = 0; i < 8; i++)
        at[i] = 0;
    at[6] = (uintptr_t)function;
    return at;
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
        "    mov sp, x1\n"
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

void *switch_prepare(char *top, void (*function)(void))
{
    uintptr_t *at = (uintptr_t *)((uintptr_t)top & ~(uintptr_t)15) - 20;
    for (int i = 0; i < 20; i++)
        at[i] = 0;
    at[11] = (uintptr_t)function; /* x30 */
    return at;
}

#else

#include <stdlib.h>
#include <ucontext.h>

/* A ucontext_t at the top of each stack; that of a thread's own stack is on the heap. */
void switch_stack(void **from, void *to)
{
    ucontext_t here;
    *from = &here;
    swapcontext(&here, to);
}

void *switch_prepare(char *top, void (*function)(void))
{
    ucontext_t *context = (ucontext_t *)(((uintptr_t)top - sizeof(ucontext_t)) & ~(uintptr_t)15);
    getcontext(context);
    context->uc_stack.ss_sp = (char *)context - (256 << 10);
    context->uc_stack.ss_size = 256 << 10;
    context->uc_link = NULL;
    makecontext(context, function, 0);
    return context;
}

#endif
