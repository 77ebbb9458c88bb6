/* fiber.c - fibers: entered once by their ucontext; from then on _setjmp and _longjmp switch, which
 * make no system call. */
#undef _FORTIFY_SOURCE /* its longjmp refuses to go to another stack */
#include "instrument/fiber.h"

#include <stdint.h>
#include <string.h>
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
#include <sanitizer/common_interface_defs.h>
#endif

/* Before and after a switch, on the old stack and on the new one. */
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

bool fiber_make(struct fiber *fiber, size_t stack_bytes)
{
    size_t page = page_bytes();
    stack_bytes = (stack_bytes + page - 1) / page * page;
    char *map = mmap(NULL, stack_bytes + page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return false;
    if (mprotect(map, page, PROT_NONE)) {
        munmap(map, stack_bytes + page);
        return false;
    }
    fiber->stack = map + page;
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

/* A fiber's life: one function after another. makecontext passes ints: the fiber's address comes in
 * two halves. */
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

void fiber_switch(struct fiber *from, struct fiber *to)
{
    to->from = from;
    leave(from, to);
    if (!_setjmp(from->jump)) {
        if (to->entered || !to->stack)
            _longjmp(to->jump, 1);
        to->entered = true;
        to->sanitizer_frames = NULL;
        ucontext_t context;
        uintptr_t address = (uintptr_t)to;
        getcontext(&context);
        context.uc_stack.ss_sp = to->stack;
        context.uc_stack.ss_size = to->stack_bytes;
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
    if (fiber->stack)
        munmap(fiber->stack - page_bytes(), fiber->stack_bytes + page_bytes());
    memset(fiber, 0, sizeof *fiber);
}
