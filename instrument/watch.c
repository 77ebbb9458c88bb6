/* watch.c - what a user's kernel does besides its accesses of shared memory: to global memory, to
 * arrays of its own, to its stack, and to the patience of who waits for it.
 *
 * Calls that the compiler has put into the kernel (simt_watched.h) say of every access where it
 * goes. Around global memory lies a zone that cannot be touched, in which an index out of bounds
 * is known by its array. A shadow knows who wrote which word of `out`. Signals say the rest.
 */
#define _GNU_SOURCE /* dladdr, REG_RIP, pipe2 */
#include "instrument/host.h"
#include "base/kept.h"
#include "instrument/interrupted.h"
#include "instrument/simt_watched.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ZONE = 16 << 20,         /* bytes on either side of global memory */
    SIGNAL_STACK = 64 << 10, /* bytes */
};

/* ---- global memory --------------------------------------------------------------------------- */

static size_t mapped_bytes(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

/* Small memory that is not in use. */
enum { MOST_KEPT = 64 << 10 /* bytes of a piece */ };
static struct kept kept = {ATOMIC_FLAG_INIT, .most = 16};

void *global_new(size_t bytes, struct error *error)
{
    size_t inside = mapped_bytes(bytes + 1);
    char *memory = inside <= MOST_KEPT ? kept_take(&kept, inside) : NULL;
    if (memory)
        return memset(memory, 0, inside);
    char *map = bytes > SIZE_MAX / 4 ? MAP_FAILED
                                     : mmap(NULL, inside + 2 * (size_t)ZONE, PROT_NONE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map != MAP_FAILED && mprotect(map + ZONE, inside, PROT_READ | PROT_WRITE) == 0)
        return map + ZONE;
    if (map != MAP_FAILED)
        munmap(map, inside + 2 * (size_t)ZONE);
    error_set(error, "out of memory for %zu bytes of global memory; choose smaller parameters",
              bytes);
    return NULL;
}

void global_free(void *memory, size_t bytes)
{
    size_t inside = mapped_bytes(bytes + 1);
    if (memory && inside <= MOST_KEPT)
        memory = kept_give(&kept, memory, &inside);
    if (memory)
        munmap((char *)memory - ZONE, inside + 2 * (size_t)ZONE);
}

/* ---- lines ----------------------------------------------------------------------------------- */

enum { NEAR = 16 }; /* bytes */

/* The source line of the instruction that ends at `after`, from the object's debug information; 0:
 * unknown. Compilers give no line to some instructions, such as the jump that is all of an endless
 * loop: then the nearest one before it tells. */
static int watch_line(const char *object, size_t after)
{
    extern char **environ;
    char addresses[NEAR][32], text[NEAR * 256] = "";
    const char *words[3 + NEAR + 1] = {"addr2line", "-e"};
    int ends[2];
    pid_t child;
    size_t used = 0;
    ssize_t got = 1;
    if (pipe2(ends, O_CLOEXEC))
        return 0;
    words[2] = object;
    for (int i = 0; i < NEAR; i++) {
        snprintf(addresses[i], sizeof *addresses, "%#zx", after - 1 - (size_t)i);
        words[3 + i] = addresses[i];
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    int failed =
        posix_spawnp(&child, words[0], &actions, NULL, (char *const *)(uintptr_t)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    while (!failed && got && used + 1 < sizeof text) {
        got = read(ends[0], text + used, sizeof text - 1 - used);
        if (got < 0 && errno != EINTR)
            break;
        used += got > 0 ? (size_t)got : 0;
    }
    close(ends[0]);
    while (!failed && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    /* FILE:LINE or FILE:? in each row. */
    int line = 0;
    for (char *row = text, *end; !line && (end = strchr(row, '\n')); row = end + 1) {
        *end = '\0';
        const char *colon = strrchr(row, ':');
        line = colon ? atoi(colon + 1) : 0;
    }
    return line;
}

/* The source line of the instruction before `after`; 0: unknown. */
static int line_of(const void *after)
{
    Dl_info object;
    if (!dladdr(after, &object))
        return 0;
    size_t offset = (size_t)((const char *)after - (const char *)object.dli_fbase);
    return watch_line(object.dli_fname, offset);
}

/* ---- accesses -------------------------------------------------------------------------------- */

enum { WORD = sizeof(int) };

/* Time of the processor from one access to the next: half seconds, with what is left of the first. */
enum { TICK = 500000, PATIENCE = 2 };

static _Noreturn void without_end(struct simt *simt, int line)
{
    host_fault(simt, line,
               "has run for a second without an access of shared memory: look for a loop without "
               "end");
}

/* The offset of `at` in the memory, if it lies there or in the zone around it. */
static bool near(const void *memory, size_t bytes, const void *at, int64_t *offset)
{
    *offset = (int64_t)((intptr_t)at - (intptr_t)memory);
    return memory && *offset >= -ZONE && *offset < (int64_t)bytes + ZONE;
}

/* It is a fault if an access at this offset is not inside the memory. */
static void check_bounds(struct simt *simt, const char *name, size_t all, int64_t offset,
                         size_t bytes, const void *after)
{
    if (offset < 0 || offset > (int64_t)all - (int64_t)bytes)
        host_fault(simt, line_of(after), "%s[%lld] is outside its %zu words", name,
                   (long long)(offset < 0 ? (offset - WORD + 1) / WORD : offset / WORD),
                   all / WORD);
}

/* An access of `out`, handled like one of shared memory. For now, a cell's line is the
 * instruction's offset from the kernel's start. */
static void touch_out(struct simt *simt, int64_t offset, size_t bytes, bool writes,
                      const void *after)
{
    struct host_block *block = simt->block;
    const char *start = (const char *)(uintptr_t)block->launch->body;
    size_t words = block->launch->out_bytes / WORD, first;
    if (!block->out.cells && !shadow_add(&block->out, words, &first))
        host_fault(simt, 0, "out of memory to watch %zu words of out", words);
    for (size_t word = (size_t)offset / WORD; word * WORD < (size_t)offset + bytes; word++) {
        int place = (int)((const char *)after - start);
        struct shadow_verdict verdict =
            (writes ? shadow_write : shadow_read)(&block->out, word, simt->thread_idx.x, place);
        if (verdict.fault == SHADOW_FINE)
            continue;
        if (verdict.fault != SHADOW_UNWRITTEN)
            verdict.line = line_of(start + verdict.line);
        host_judge(simt, verdict, "out", (int64_t)word, line_of(after));
    }
}

/* A kernel reads or writes memory in the instruction that returns to `after`. */
static void touch(const void *at, size_t bytes, bool writes, const void *after)
{
    struct simt *simt = host_running();
    int64_t offset;
    if (!simt)
        return;
    struct host_block *block = simt->block;
    const struct launch *launch = block->launch;
    if (block->overdue)
        without_end(simt, line_of(after));
    if (near(launch->in, launch->in_bytes, at, &offset)) {
        check_bounds(simt, "in", launch->in_bytes, offset, bytes, after);
        if (writes)
            host_fault(simt, line_of(after), "writes in[%lld]; a kernel may only read in",
                       (long long)(offset / WORD));
    } else if (near(launch->out, launch->out_bytes, at, &offset)) {
        check_bounds(simt, "out", launch->out_bytes, offset, bytes, after);
        touch_out(simt, offset, bytes, writes, after);
    } else if ((uintptr_t)at - (uintptr_t)block->shared < (uintptr_t)block->header->shared_bytes) {
        host_fault(simt, line_of(after),
                   "%s shared memory at address %zu past LOAD and STORE, which would record it",
                   writes ? "writes" : "reads", (size_t)((uintptr_t)at - (uintptr_t)block->shared));
    }
}

/* Where a kernel says that it is, in the instruction that returns to `after`. */
static void move(struct simt *simt, int stage, int round, int slot, const void *after)
{
    simt->stage = stage;
    simt->round = round;
    simt->slot = slot;
    if (simt->block->overdue)
        without_end(simt, line_of(after));
}

void simt_host_stage(struct simt *simt, int stage)
{
    move(simt, stage, 0, 0, __builtin_return_address(0));
}

void simt_host_round(struct simt *simt, int round)
{
    move(simt, simt->stage, round, 0, __builtin_return_address(0));
}

void simt_host_slot(struct simt *simt, int slot)
{
    move(simt, simt->stage, simt->round, slot, __builtin_return_address(0));
}

/* ---- undefined behaviour --------------------------------------------------------------------- */

/* Where a process reports what happens outside a kernel's threads before it ends. */
static struct error *last_words;

/* Where the compiler says that it is. */
struct place {
    const char *file;
    uint32_t line, column;
};
/* The index of an array: what type it has and its value, or where that is. */
struct type {
    uint16_t kind, info; /* info of an integer: bit 0 signed, above log2 of its bits */
    char name[];
};

static _Noreturn void undefined(const struct place *place, const char *what)
{
    struct simt *simt = host_running();
    struct error here = {{0}}, *error = last_words ? last_words : &here;
    if (simt)
        host_fault(simt, 0, "%s:%u:%u: %s", place->file, place->line, place->column, what);
    error_set(error, "%s:%u:%u: %s", place->file, place->line, place->column, what);
    if (!last_words)
        fprintf(stderr, "bankscope: %s\n", error->text);
    _exit(1);
}

/* ---- what the compiler calls ------------------------------------------------------------------- */

#define HOOK(name) __wrap_##name
#define TOUCH(name, bytes, writes)                                                                 \
    void HOOK(__tsan_##name)(const void *at);                                                      \
    void HOOK(__tsan_##name)(const void *at)                                                       \
    {                                                                                              \
        touch(at, bytes, writes, __builtin_return_address(0));                                     \
    }
#define UNDEFINED(name, what)                                                                      \
    void HOOK(__ubsan_handle_##name)(const struct place *place);                                   \
    void HOOK(__ubsan_handle_##name)(const struct place *place)                                    \
    {                                                                                              \
        undefined(place, what);                                                                    \
    }
SIMT_ACCESSES(TOUCH)
SIMT_UNDEFINED(UNDEFINED)

void HOOK(__tsan_read_range)(const void *at, size_t bytes);
void HOOK(__tsan_read_range)(const void *at, size_t bytes)
{
    touch(at, bytes, false, __builtin_return_address(0));
}

void HOOK(__tsan_write_range)(const void *at, size_t bytes);
void HOOK(__tsan_write_range)(const void *at, size_t bytes)
{
    touch(at, bytes, true, __builtin_return_address(0));
}

void HOOK(__tsan_init)(void);
void HOOK(__tsan_init)(void)
{
}

void HOOK(__tsan_func_entry)(const void *caller);
void HOOK(__tsan_func_entry)(const void *caller)
{
    (void)caller;
}

void HOOK(__tsan_func_exit)(void);
void HOOK(__tsan_func_exit)(void)
{
}

void HOOK(__ubsan_handle_type_mismatch_v1)(const struct place *place, const void *pointer);
void HOOK(__ubsan_handle_type_mismatch_v1)(const struct place *place, const void *pointer)
{
    undefined(place, pointer ? "a pointer that is misaligned, or to too small an object"
                             : "the use of a null pointer");
}

struct bad_index {
    struct place place;
    const struct type *array, *index;
};
void HOOK(__ubsan_handle_out_of_bounds)(const struct bad_index *bad, const void *value);
void HOOK(__ubsan_handle_out_of_bounds)(const struct bad_index *bad, const void *value)
{
    char what[160];
    int bits = 1 << (bad->index->info >> 1);
    uint64_t number = bits > (int)(8 * sizeof value) ? *(const uint64_t *)value : (uintptr_t)value;
    if (bits < 64 && bad->index->info & 1)
        number = (uint64_t)((int64_t)(number << (64 - bits)) >> (64 - bits));
    snprintf(what, sizeof what, "index %lld is outside an array of type %s", (long long)number,
             bad->array->name);
    undefined(&bad->place, what);
}

/* ---- signals --------------------------------------------------------------------------------- */

/* Whether an instruction belongs to the kernel's own object. */
static bool in_kernel(const struct simt *simt, const void *at)
{
    Dl_info kernel, here;
    return at && dladdr((const void *)(uintptr_t)simt->block->launch->body, &kernel) &&
           dladdr(at, &here) && kernel.dli_fbase == here.dli_fbase;
}

static void crash(int number, siginfo_t *info, void *context)
{
    struct simt *simt = host_running();
    if (!simt) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    const struct fiber *fiber = &((struct host_thread *)simt)->fiber;
    const char *at = interrupted(context);
    int line = in_kernel(simt, at) ? line_of(at + 1) : 0;
    bool memory = number == SIGSEGV || number == SIGBUS;
    if (memory && fiber_overflowed(fiber, info->si_addr))
        host_fault(simt, line,
                   "its stack of %d KiB is full: a function calls itself without end, or REGISTERS "
                   "is too large",
                   FIBER_STACK >> 10);
    if (memory)
        host_fault(simt, line, "crashed (%s) at address %p", strsignal(number), info->si_addr);
    host_fault(simt, line, "crashed (%s)", strsignal(number));
}

/* Called after every half second of processor time: has there been progress? A kernel is stopped only
 * while its own code runs, which holds no lock; otherwise it is stopped at its next access or
 * barrier. The stub that leads from its code into another object has no line; a later call may find
 * one. */
static void tick(int number, siginfo_t *info, void *context)
{
    static uint64_t seen;
    static int idle;
    struct simt *simt = host_running();
    (void)number, (void)info;
    if (!simt) /* between two threads, or no kernel runs */
        return;
    if (simt->block->progress != seen) {
        seen = simt->block->progress;
        idle = 0;
        return;
    }
    if (++idle < PATIENCE)
        return;
    const char *at = interrupted(context);
    simt->block->overdue = true;
    if (!in_kernel(simt, at))
        return;
    int line = line_of(at + 1);
    if (line || idle >= 2 * PATIENCE)
        without_end(simt, line);
}

void watch_user_code(struct error *error)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static char stack[SIGNAL_STACK];
    stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = crash,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    struct itimerval often = {{0, TICK}, {0, TICK}};
    last_words = error;
    sigaltstack(&own, NULL); /* or a full stack could not be told of */
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        sigaction(crashes[i], &action, NULL);
    action.sa_sigaction = tick;
    action.sa_flags |= SA_RESTART;
    sigaction(SIGVTALRM, &action, NULL);
    setitimer(ITIMER_VIRTUAL, &often, NULL);
}
