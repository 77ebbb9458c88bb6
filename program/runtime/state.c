/* state.c - what all calls share: that the runtime has begun, one lock, the error that sticks, and where in
 * the program the call came from.
 *
 * This is the one place with state of the process, because CUDA's functions get no context.
 */
#define _GNU_SOURCE
#include "program/runtime/runtime.h"

#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
    pthread_mutex_t lock;
    struct runtime_state shared;
    bool begun, used;
    bool *here;                 /* in a page that a copy of the process (fork) finds empty */
    uintptr_t low, high, bias;  /* of the executable */
    uintptr_t code, code_bytes; /* its code */
} process = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

/* The call that this thread of the program is in. */
static _Thread_local uint64_t caller_now, outer_caller_now;

void runtime_lock(void)
{
    pthread_mutex_lock(&process.lock);
}

void runtime_unlock(void)
{
    pthread_mutex_unlock(&process.lock);
}

/* ---- who called ------------------------------------------------------------------------------- */

/* The runtime's own code, where it is linked as one object (see the Makefile). */
extern const char __start_bankscope_text[] __attribute__((weak, visibility("hidden")));
extern const char __stop_bankscope_text[] __attribute__((weak, visibility("hidden")));

static int find_executable(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size, (void)context;
    process.bias = info->dlpi_addr;
    process.low = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *head = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + head->p_vaddr;
        if (head->p_type != PT_LOAD)
            continue;
        process.low = from < process.low ? from : process.low;
        process.high = from + head->p_memsz > process.high ? from + head->p_memsz : process.high;
        if (head->p_flags & PF_X) {
            process.code = from;
            process.code_bytes = head->p_memsz;
        }
    }
    return 1; /* the executable comes first */
}

uint64_t runtime_place(const void *address)
{
    uintptr_t at = (uintptr_t)address;
    if (!process.high)
        dl_iterate_phdr(find_executable, NULL);
    return at >= process.low && at < process.high ? at - process.bias : 0;
}

uint64_t runtime_caller(void)
{
    return caller_now;
}

uint64_t runtime_outer_caller(void)
{
    return outer_caller_now;
}

void runtime_called_from(uint64_t caller)
{
    caller_now = caller;
    outer_caller_now = 0;
}

static bool is_own(const void *address)
{
    return (const char *)address >= __start_bankscope_text &&
           (const char *)address < __stop_bankscope_text;
}

/* ---- begin ------------------------------------------------------------------------------------ */

static bool *new_page(void)
{
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return NULL;
    madvise(page, bytes, MADV_WIPEONFORK);
    return page;
}

struct runtime_state *runtime_begin(void)
{
    if (__atomic_load_n(&process.begun, __ATOMIC_ACQUIRE))
        return &process.shared;
    runtime_lock();
    if (!process.begun) {
        process.shared.memory = machine_memory_new(&runtime_allocator);
        process.shared.textures = machine_textures_new(&runtime_allocator);
        process.here = new_page();
        if (process.here)
            *process.here = true;
        if (!process.shared.memory || !process.shared.textures || !process.here)
            process.shared.sticky = cudaErrorMemoryAllocation;
        __atomic_store_n(&process.begun, true, __ATOMIC_RELEASE);
    }
    runtime_unlock();
    return &process.shared;
}

/* What a function begins its stack with: these objects are compiled with frame pointers. */
struct stack_frame {
    const struct stack_frame *before;
    const void *back; /* the place to which it returns */
};

/* The frame that returns to the first place outside of the runtime: calls of the API make others, with or without a frame
 * of their own. */
static const struct stack_frame *last_own(const struct stack_frame *frame)
{
    enum { DEEPEST = 32 };
    for (int i = 0; i < DEEPEST && is_own(frame->back) && frame->before > frame; i++)
        frame = frame->before;
    return frame;
}

#ifdef __x86_64__
/* The toolkit's headers wrap calls of the API in small functions (a template for cudaMemcpyToSymbol), which a host
 * compiler that does not optimise leaves as such: where one is called that called the API. The program may have no frame
 * pointers, and where its frame would be there may be anything: it counts if a call of that very function is there. */
static uint64_t outer_caller(const struct stack_frame *own)
{
    enum { WRAPPER_FRAME = 512, WRAPPER_CODE = 512, CALL = 0xe8, CALL_BYTES = 5 };
    const struct stack_frame *frame = own->before;
    const uintptr_t away = (uintptr_t)frame - (uintptr_t)own;
    if (away - 1 >= WRAPPER_FRAME || (uintptr_t)frame % sizeof frame)
        return 0;
    const unsigned char *back = frame->back;
    int32_t distance;
    if ((uintptr_t)back - CALL_BYTES - process.code >= process.code_bytes ||
        back[-CALL_BYTES] != CALL)
        return 0;
    memcpy(&distance, back - sizeof distance, sizeof distance);
    const uintptr_t function = (uintptr_t)back + (uintptr_t)(intptr_t)distance;
    return (uintptr_t)own->back - function < WRAPPER_CODE ? runtime_place(back) : 0;
}
#else
static uint64_t outer_caller(const struct stack_frame *own)
{
    (void)own;
    return 0;
}
#endif

static cudaError_t enter(const void *frame)
{
    const struct stack_frame *own = last_own(frame);
    caller_now = runtime_place(own->back);
    outer_caller_now = caller_now ? outer_caller(own) : 0;
    const struct runtime_state *state = runtime_begin();
    if (process.here && !*process.here)
        return runtime_remember(cudaErrorInitializationError);
    return state->sticky;
}

/* It has a frame, and so has the function of the API that calls it. */
__attribute__((noinline)) cudaError_t runtime_enter(void)
{
    const struct stack_frame *frame = __builtin_frame_address(0);
    if (!is_own(frame->back) || !is_own(frame->before->back))
        process.used = true;
    return enter(frame);
}

bool runtime_was_used(void)
{
    return process.used;
}

__attribute__((noinline)) cudaError_t runtime_enter_driver(void)
{
    return enter(__builtin_frame_address(0));
}

cudaError_t runtime_missing(const char *what, const char *advice)
{
    runtime_report_line(RECORDS_MISSING, NULL, "%s is not available on this machine: %s", what,
                        advice);
    return runtime_remember(cudaErrorNotSupported);
}

__attribute__((constructor(101))) static void before_the_program(void)
{
    runtime_attach();
}

__attribute__((destructor)) static void after_the_program(void)
{
    const struct records_choice *choice = runtime_choice();
    uint64_t count, bytes;
    if (!process.begun || !*process.here || !choice->leaks || process.shared.sticky)
        return;
    runtime_leaks(&count, &bytes);
    runtime_called_from(0);
    if (count)
        runtime_report_line(RECORDS_LEAK, NULL, "%llu bytes in %llu allocations were never freed",
                            (unsigned long long)bytes, (unsigned long long)count);
}
