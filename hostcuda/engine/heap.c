/* heap.c - malloc, free, new and delete of a kernel: they take device memory.
 *
 * The linker sends every call that the program makes here (--wrap, see build.c); on the host's side it
 * goes on to the C library. Memory of the one side cannot be freed on the other.
 */
#include "hostcuda/engine/engine.h"

#include <stdio.h>

#define CALLER ((uintptr_t)__builtin_return_address(0))

static void *take(size_t bytes)
{
    return hostcuda_allocate(bytes, HOSTCUDA_HEAP);
}

static void give(void *at, const char *what, uintptr_t pc)
{
    if (!hostcuda_release(at, HOSTCUDA_HEAP))
        return;
    struct hostcuda_region region;
    bool freed = false;
    bool ours = arena_has(at) && arena_nearest(at, &region, &freed) &&
                region.kind == HOSTCUDA_HEAP && region.base == at;
    fault_at(ERROR_LAUNCH_FAILURE, pc, "%s of %p, %s", what, at,
             ours && freed ? "which is freed already"
                           : "which is not what malloc or new returned in a kernel");
}

/* The host gives back what a kernel allocated, or the C library's. */
static bool is_foreign(void *at, const char *what, uintptr_t pc)
{
    struct record_fault fault = {.kind = FAULT_OTHER, .launch = UINT64_MAX};
    if (!arena_has(at))
        return false;
    fault.who.pc = pc;
    snprintf(
        fault.text, sizeof fault.text,
        "%s of device memory by the host; cudaFree frees what cudaMalloc gave, and a kernel what "
        "a kernel allocated",
        what);
    report_fault(&fault);
    return true;
}

#define TAKES(symbol, parameters, arguments)                                                       \
    void *__real_##symbol parameters;                                                              \
    void *__wrap_##symbol parameters;                                                              \
    void *__wrap_##symbol parameters                                                               \
    {                                                                                              \
        return hostcuda_in_kernel ? take(bytes) : __real_##symbol arguments;                       \
    }
#define GIVES(symbol, what, parameters, arguments)                                                 \
    void __real_##symbol parameters;                                                               \
    void __wrap_##symbol parameters;                                                               \
    void __wrap_##symbol parameters                                                                \
    {                                                                                              \
        if (hostcuda_in_kernel)                                                                    \
            give(at, what, CALLER);                                                                \
        else if (!is_foreign(at, what, CALLER))                                                    \
            __real_##symbol arguments;                                                             \
    }
TAKES(malloc, (size_t bytes), (bytes))
GIVES(free, "free", (void *at), (at))
/* operator new(size_t), new[], with std::nothrow, with std::align_val_t; delete likewise */
TAKES(_Znwm, (size_t bytes), (bytes))
TAKES(_Znam, (size_t bytes), (bytes))
TAKES(_ZnwmRKSt9nothrow_t, (size_t bytes, const void *tag), (bytes, tag))
TAKES(_ZnamRKSt9nothrow_t, (size_t bytes, const void *tag), (bytes, tag))
TAKES(_ZnwmSt11align_val_t, (size_t bytes, size_t align), (bytes, align))
TAKES(_ZnamSt11align_val_t, (size_t bytes, size_t align), (bytes, align))
GIVES(_ZdlPv, "delete", (void *at), (at))
GIVES(_ZdaPv, "delete[]", (void *at), (at))
GIVES(_ZdlPvm, "delete", (void *at, size_t bytes), (at, bytes))
GIVES(_ZdaPvm, "delete[]", (void *at, size_t bytes), (at, bytes))
GIVES(_ZdlPvSt11align_val_t, "delete", (void *at, size_t align), (at, align))
GIVES(_ZdaPvSt11align_val_t, "delete[]", (void *at, size_t align), (at, align))
GIVES(_ZdlPvmSt11align_val_t, "delete", (void *at, size_t bytes, size_t align), (at, bytes, align))
GIVES(_ZdaPvmSt11align_val_t, "delete[]", (void *at, size_t bytes, size_t align),
      (at, bytes, align))
