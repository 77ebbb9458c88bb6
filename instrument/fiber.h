/* fiber.h - functions that stop in mid-course and go on later, each on a stack of its own.
 *
 *     struct fiber here = {0}, fiber = {0};    a zeroed fiber is the stack that runs already
 *     if (!fiber_make(&fiber, 256 << 10)) ...  out of memory
 *     fiber_start(&fiber, function, context, &here);
 *     fiber_switch(&here, &fiber);             runs function(context) until it
 *                                              fiber_switch(&fiber, &here)es back, or returns
 *     fiber_start(&fiber, function, context, &here);    again, on the same stack
 *     fiber_free(&fiber);
 *
 * A fiber may switch to any other fiber of the same thread of the operating system, but not to those
 * of other threads. A switch makes no system call (the first one to a fiber makes two). A fiber must
 * not move in memory once it is made. In WebAssembly, where a program cannot change its stack,
 * wasm-opt --asyncify gives the functions of a fiber their ability to stop.
 */
#ifndef BANKSCOPE_FIBER_H
#define BANKSCOPE_FIBER_H

#ifndef __wasm__
#include <setjmp.h>
#endif
/* gcc's own setjmp keeps where to go on and nothing else: the compiler saves what registers hold. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
#define FIBER_BUILTIN_JUMP 1
#endif
#include <stdbool.h>
#include <stddef.h>

struct fiber {
    bool done; /* its function has returned; fiber_start begins another. The rest is private. */
    bool entered;
    void (*function)(void *context);
    void *context;
    struct fiber *after; /* goes on when function returns */
    struct fiber *from;  /* switched to this one last */
    char *stack;         /* its lowest byte, above the guard page; NULL: not made here */
    size_t stack_bytes;
    const void *sanitizer_stack; /* what the address sanitizer calls the stack, and keeps for it */
    size_t sanitizer_bytes;
    void *sanitizer_frames;
#ifdef __wasm__
    struct fiber *next; /* what it switched to */
    struct {
        char *top, *end; /* of the frames that are kept, as asyncify wants it */
    } frames;
    char *pointer; /* into the stack, while it waits */
#else
#ifdef FIBER_BUILTIN_JUMP
    void *jump[5];
#else
    jmp_buf jump;
#endif
#endif
};

/* Gives a zeroed fiber a stack of that many bytes, rounded up to pages, with a page below it that
 * cannot be touched. Memory is taken as it is used. false: out of memory. */
bool fiber_make(struct fiber *fiber, size_t stack_bytes);

/* The next switch to the fiber calls function(context), from the top of its stack: a function that
 * was there before is abandoned. When function returns, the fiber is done and `after` goes on. */
void fiber_start(struct fiber *fiber, void (*function)(void *context), void *context,
                 struct fiber *after);

/* Stops `from`, which must be the one that runs, and goes on with `to`, which must be started and
 * not done. Returns when someone switches to `from`. */
void fiber_switch(struct fiber *from, struct fiber *to);

/* Whether an address that could not be touched says that the fiber's stack was too small. */
bool fiber_overflowed(const struct fiber *fiber, const void *address);

/* Releases the stack; the fiber must not be running. It is zeroed then. */
void fiber_free(struct fiber *fiber);

#endif
