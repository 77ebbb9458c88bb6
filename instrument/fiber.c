/* fiber.c - fibers. Each is entered once through its ucontext; after that, _setjmp and _longjmp
 * switch, or gcc's own, which are quicker. Neither makes a system call. In WebAssembly, asyncify does
 * this. */
#undef _FORTIFY_SOURCE /* its longjmp refuses to switch to another stack */
#include "instrument/fiber.h"

#include <stdint.h>
#include <string.h>

#ifndef __wasm__
#include "base/kept.h"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* The address sanitizer must be told which stack is in use. */
#if defined(__SANITIZE_ADDRESS__)
#define FIBER_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIBER_SANITIZER 1
#endif
#endif
#ifdef FIBER_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

/* Called before a switch on the old stack, and after it on the new one. */
static void leave(struct fiber *from, const struct fiber *to)
{
#ifdef FIBER_SANITIZER
    __sanitizer_start_switch_fiber(&from->sanitizer_frames, to->sanitizer_stack,
                                   to->sanitizer_bytes);
#else
    (void)from, (void)to;
#endif
}

static void arrive(struct fiber *fiber)
{
#ifdef FIBER_SANITIZER
    __sanitizer_finish_switch_fiber(fiber->sanitizer_frames, &fiber->from->sanitizer_stack,
                                    &fiber->from->sanitizer_bytes);
#else
    (void)fiber;
#endif
}

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Stacks that are not in use: of the threads of a block on a GPU. */
static struct kept kept = {ATOMIC_FLAG_INIT, .most = 1024};

static char *take_kept(size_t bytes)
{
    char *stack = kept_take(&kept, bytes);
#ifdef FIBER_SANITIZER
    if (stack) /* what was abandoned there left its marks */
        ASAN_UNPOISON_MEMORY_REGION(stack, bytes);
#endif
    return stack;
}

/* The lowest byte of a new stack, above its guard page; NULL: out of memory. */
static char *map_stack(size_t bytes)
{
    size_t page = page_bytes();
    char *map = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    if (mprotect(map, page, PROT_NONE)) {
        munmap(map, bytes + page);
        return NULL;
    }
    return map + page;
}

bool fiber_make(struct fiber *fiber, size_t stack_bytes)
{
    size_t page = page_bytes();
    stack_bytes = (stack_bytes + page - 1) / page * page;
    fiber->stack = take_kept(stack_bytes);
    if (!fiber->stack)
        fiber->stack = map_stack(stack_bytes);
    if (!fiber->stack)
        return false;
    fiber->stack_bytes = stack_bytes;
    fiber->sanitizer_stack = fiber->stack;
    fiber->sanitizer_bytes = stack_bytes;
    fiber->done = true;
    return true;
}

void fiber_start(struct fiber *fiber, void (*function)(void *context), void *context,
                 struct fiber *after)
{
    fiber->entered = fiber->entered && fiber->done;
    fiber->done = false;
    fiber->function = function;
    fiber->context = context;
    fiber->after = after;
}

/* What a fiber runs: one function after another. makecontext passes ints, so the fiber's address
 * comes in two halves. */
static void live(unsigned low, unsigned high)
{
    struct fiber *fiber = (struct fiber *)(((uintptr_t)high << 16 << 16) | (uintptr_t)low);
    arrive(fiber);
    for (;;) {
        fiber->function(fiber->context);
        fiber->done = true;
        fiber_switch(fiber, fiber->after);
    }
}

#ifdef FIBER_BUILTIN_JUMP
/* __builtin_longjmp must not be where __builtin_setjmp is. */
__attribute__((noreturn, noinline)) static void jump(struct fiber *to)
{
    __builtin_longjmp(to->jump, 1);
}
#define SET_JUMP(fiber) __builtin_setjmp((fiber)->jump)
#else
#define jump(fiber) _longjmp((fiber)->jump, 1)
#define SET_JUMP(fiber) _setjmp((fiber)->jump)
#endif

void fiber_switch(struct fiber *from, struct fiber *to)
{
    to->from = from;
    leave(from, to);
    if (!SET_JUMP(from)) {
        if (to->entered || !to->stack)
            jump(to);
        to->entered = true;
        to->sanitizer_frames = NULL;
        ucontext_t context;
        uintptr_t address = (uintptr_t)to;
        getcontext(&context);
        context.uc_stack.ss_sp = to->stack;
        /* Stacks that all began at the same offset of a page would share few lines of the cache. */
        context.uc_stack.ss_size = to->stack_bytes - (uintptr_t)to->stack / page_bytes() % 16 * 128;
        context.uc_link = NULL;
        makecontext(&context, (void (*)(void))live, 2, (unsigned)(address & 0xffffffffu),
                    (unsigned)(address >> 16 >> 16));
        setcontext(&context);
    }
    arrive(from);
}

bool fiber_overflowed(const struct fiber *fiber, const void *address)
{
    uintptr_t at = (uintptr_t)address, stack = (uintptr_t)fiber->stack;
    return fiber->stack && at < stack && stack - at <= page_bytes();
}

void fiber_free(struct fiber *fiber)
{
    size_t bytes = fiber->stack_bytes;
    char *stack = fiber->stack ? kept_give(&kept, fiber->stack, &bytes) : NULL;
    if (stack)
        munmap(stack - page_bytes(), bytes + page_bytes());
    memset(fiber, 0, sizeof *fiber);
}

#else /* WebAssembly */
#include <stdlib.h>

/* After asyncify_start_unwind every function returns to its caller at once and leaves its frame in
 * `frames`; after asyncify_start_rewind, functions go back to where they were when they are called
 * anew. A fiber unwinds to resume, which is on the stack of the program. */
#define ASYNCIFY(name) __attribute__((import_module("asyncify"), import_name(#name)))
ASYNCIFY(start_unwind) void asyncify_start_unwind(void *frames);
ASYNCIFY(stop_unwind) void asyncify_stop_unwind(void);
ASYNCIFY(start_rewind) void asyncify_start_rewind(void *frames);
ASYNCIFY(stop_rewind) void asyncify_stop_rewind(void);
__asm__(".globaltype __stack_pointer, i32\n");

enum {
    FRAMES = 4 << 10, /* bytes for the frames of a fiber that waits */
    MOST_STACK =
        32 << 10, /* most bytes that it gets: there is no guard page, and all of them are in use */
};
static const char canary[16] = "end of the stack";

bool fiber_make(struct fiber *fiber, size_t stack_bytes)
{
    fiber->stack_bytes = stack_bytes < MOST_STACK ? stack_bytes / 16 * 16 : MOST_STACK;
    fiber->stack = aligned_alloc(16, FRAMES + fiber->stack_bytes);
    if (!fiber->stack)
        return false;
    memcpy(fiber->stack, canary, sizeof canary);
    fiber->done = true;
    return true;
}

void fiber_start(struct fiber *fiber, void (*function)(void *context), void *context,
                 struct fiber *after)
{
    fiber->entered = fiber->done = false;
    fiber->function = function;
    fiber->context = context;
    fiber->after = after;
}

/* Unwinds from a fiber; called again when the fiber is resumed. */
static __attribute__((noinline)) void pause_fiber(struct fiber *fiber, struct fiber *next)
{
    fiber->entered = !fiber->entered;
    if (!fiber->entered) {
        asyncify_stop_rewind();
        return;
    }
    fiber->next = next;
    fiber->frames.top = fiber->stack + fiber->stack_bytes;
    fiber->frames.end = fiber->frames.top + FRAMES;
    asyncify_start_unwind(&fiber->frames);
}

/* Runs a fiber until it switches to another one or is done. */
static __attribute__((noinline)) void resume(struct fiber *fiber)
{
    char *own, *its = fiber->entered ? fiber->pointer : fiber->stack + fiber->stack_bytes;
    __asm__ volatile("global.get __stack_pointer\n local.set %0" : "=r"(own));
    __asm__ volatile("local.get %0\n global.set __stack_pointer" : : "r"(its));
    if (fiber->entered)
        asyncify_start_rewind(&fiber->frames);
    fiber->function(fiber->context);
    if (fiber->entered) {
        asyncify_stop_unwind();
        __asm__ volatile("global.get __stack_pointer\n local.set %0" : "=r"(its));
        fiber->pointer = its;
    } else {
        fiber->done = true;
        fiber->next = fiber->after;
    }
    __asm__ volatile("local.get %0\n global.set __stack_pointer" : : "r"(own));
    if (its < fiber->stack || memcmp(fiber->stack, canary, sizeof canary) != 0)
        abort(); /* it wrote below its stack: nothing can be trusted any longer */
}

void fiber_switch(struct fiber *from, struct fiber *to)
{
    to->from = from;
    if (from->stack)
        pause_fiber(from, to);
    else
        for (; to->stack; to = to->next)
            resume(to);
}

void fiber_free(struct fiber *fiber)
{
    free(fiber->stack);
    memset(fiber, 0, sizeof *fiber);
}
#endif
