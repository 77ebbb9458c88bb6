/* launch.c - launches: which blocks are recorded, the workers that run the others, how it ends. */
#define _GNU_SOURCE
#include "hostcuda/engine/engine.h"
#include "record/calls.h"

#include <errno.h>
#include <execinfo.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* What is recorded when nobody says otherwise. Work is counted in hooks: basic blocks and
 * accesses of lanes. */
enum {
    SILENT_WORK = 2 * 1000 * 1000,    /* of a launch that leaves shared memory alone */
    LAUNCH_WORK = 8 * 1000 * 1000,    /* of one launch, whole blocks */
    KERNEL_WORK = 24 * 1000 * 1000,   /* of all launches of a kernel */
    PROGRAM_WORK = 120 * 1000 * 1000, /* of all */
    KERNELS = 256,                    /* whose work is known */
    PROGRAM_LAUNCHES = 4096,          /* that are recorded */
    ANNOUNCED_LAUNCHES = 16384,       /* that are told of */
    WORKERS = 64,
    STANDARD_SECONDS = 20,
    RESIDENTS = 1024, /* blocks that wait for others at a time */
};
#define WATCHED_SECONDS 1.0 /* unrecorded blocks have their bounds checked for so long */
/* Comes once a second of the processor to a thread that runs blocks: a signal that programs do not use. */
#define TICK (SIGRTMAX - 5)
#define TURN_SECONDS 0.05 /* how long a block may wait for others before these get a turn */

static struct {
    bool ready, has_kernel, has_launch, has_blocks;
    regex_t kernel;
    uint64_t launch, first, last;
    double seconds;
    double watched;    /* seconds: so long, blocks that are not recorded are */
    double unrecorded; /* seconds in these */
    uint64_t launches, recorded, unwatched, work;
    struct {
        uintptr_t key;
        uint64_t work;
    } kernels[KERNELS];
    int sticky;
    pthread_mutex_t launching; /* of launches, one at a time, and of what follows */
    struct worker *main;       /* of the thread that launches */
    struct worker *spare;      /* of threads that have ended */
    pthread_key_t own;         /* a thread's worker */
} engine = {.launching = PTHREAD_MUTEX_INITIALIZER};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    int threads, running;
    uint64_t round;
    struct launch_run *run;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .begin = PTHREAD_COND_INITIALIZER,
          .end = PTHREAD_COND_INITIALIZER};

/* Of the processor, for this thread: what takes long because other programs run is not endless. */
static double busy_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- the shared memory of a thread: the program's thread-local segment ----------------------- */

static int find_segment(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    struct segment *segment = context;
    if (info->dlpi_name && *info->dlpi_name)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *head = &info->dlpi_phdr[i];
        if (head->p_type != PT_TLS)
            continue;
        uintptr_t here;
#if defined(__x86_64__)
        __asm__("movq %%fs:0, %0" : "=r"(here));
        uintptr_t align = head->p_align ? head->p_align : 1;
        uintptr_t from = here - (head->p_memsz + align - 1) / align * align;
#else
        here = (uintptr_t)__builtin_thread_pointer();
        uintptr_t align = head->p_align > 16 ? head->p_align : 16;
        uintptr_t from = here + (16 + align - 1) / align * align;
#endif
        segment->from = (char *)from;
        segment->to = segment->from + head->p_memsz;
    }
    return 1;
}

/* ---- faults ---------------------------------------------------------------------------------- */

void launch_fail(struct worker *s, int status)
{
    struct launch_run *run = s->launch;
    __atomic_store_n(&run->status, status, __ATOMIC_RELAXED);
    __atomic_store_n(&run->stop, true, __ATOMIC_RELAXED);
    schedule_abandon();
}

static void fault_text(struct record_fault *fault, const char *format, va_list list)
{
    vsnprintf(fault->text, sizeof fault->text, format, list);
}

static __attribute__((noreturn, format(printf, 3, 0))) void
fault_with(int error, uintptr_t pc, const char *format, va_list list)
{
    struct record_fault fault = {.kind = FAULT_OTHER, .launch = UINT64_MAX};
    fault_text(&fault, format, list);
    fault.who = report_self(pc, 0);
    report_fault(&fault);
    if (!report_wanted())
        fprintf(stderr, "bankscope: %s\n", fault.text);
    if (hostcuda_in_kernel)
        launch_fail(worker, error);
    exit(1);
}

void fault_at(int error, uintptr_t pc, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fault_with(error, pc, format, list);
}

void hostcuda_fault(int error, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fault_with(error, (uintptr_t)__builtin_return_address(0), format, list);
}

void trap_at(uintptr_t pc)
{
    struct record_fault fault = {.kind = FAULT_TRAP, .launch = UINT64_MAX};
    fault.who = report_self(pc, 0);
    report_fault(&fault);
    if (hostcuda_in_kernel)
        launch_fail(worker, ERROR_LAUNCH_FAILURE);
    abort();
}

void hostcuda_trap(void)
{
    trap_at((uintptr_t)__builtin_return_address(0));
}

/* Ends the program, which cannot go on, wherever it is. */
static __attribute__((noreturn)) void give_up(struct record_fault *fault)
{
    if (report_wanted())
        report_fault(fault);
    else
        fprintf(stderr, "bankscope: %s\n", fault->text);
    report_record(RECORD_EXIT, NULL, 0);
    fflush(NULL);
    _exit(1);
}

void hostcuda_missing(const char *what, const char *advice)
{
    struct record_fault fault = {.kind = FAULT_OTHER, .launch = UINT64_MAX};
    snprintf(fault.text, sizeof fault.text, "%s is not available on this machine: %s", what,
             advice);
    /* The user's line is behind the runtime's functions. */
    void *frame[2 + RECORD_CALLERS];
    int frames = backtrace(frame, 2 + RECORD_CALLERS);
    fault.who.pc = (uintptr_t)__builtin_return_address(0);
    for (int i = 2; i < frames; i++)
        fault.who.caller[i - 2] = (uint32_t)(uintptr_t)frame[i];
    give_up(&fault);
}

void launch_no_memory(void)
{
    struct record_fault fault = {.kind = FAULT_OTHER, .launch = UINT64_MAX};
    snprintf(fault.text, sizeof fault.text, "out of memory for the threads of a block");
    give_up(&fault);
}

/* What assert calls. In a kernel it ends the launch, as CUDA does it, with CUDA's words. */
void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
    __attribute__((noreturn));
void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
{
    if (!hostcuda_in_kernel) {
        fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
        abort();
    }
    fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
            file, line, function, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y,
            threadIdx.z, assertion);
    struct record_fault fault = {.kind = FAULT_ASSERT, .launch = UINT64_MAX};
    snprintf(fault.text, sizeof fault.text, "%s", assertion);
    fault.who = report_self((uintptr_t)__builtin_return_address(0), 0);
    report_fault(&fault);
    launch_fail(worker, ERROR_ASSERT);
}

/* A signal in a kernel: the launch ends and the program goes on, as after a fault on a GPU. */
static void after_signal(void)
{
    launch_fail(worker, ERROR_ILLEGAL_ADDRESS);
}

static void after_tick(void)
{
    launch_fail(worker, ERROR_TIMEOUT);
}

static void after_stop(void)
{
    schedule_abandon();
}

/* The instruction that a signal interrupted, as a call's return address. */
static uintptr_t interrupted(const void *context)
{
    const ucontext_t *user = context;
#if defined(__x86_64__)
    return (uintptr_t)user->uc_mcontext.gregs[REG_RIP] + 1;
#elif defined(__aarch64__)
    return (uintptr_t)user->uc_mcontext.pc + 1;
#else
    (void)user;
    return 0;
#endif
}

/* Has the thread come back from the signal in a function that does not return, on the worker's own spare
 * stack. false: not on this processor. */
static bool come_back(void *context, const struct worker *s, void (*function)(void))
{
    ucontext_t *user = context;
    uintptr_t top = (uintptr_t)(s->alternate + SIGSTKSZ * 4) & ~(uintptr_t)15;
#if defined(__x86_64__)
    user->uc_mcontext.gregs[REG_RSP] = (greg_t)(top - 8);
    user->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)function;
    return true;
#elif defined(__aarch64__)
    user->uc_mcontext.sp = top;
    user->uc_mcontext.pc = (uintptr_t)function;
    return true;
#else
    (void)user, (void)top, (void)function;
    return false;
#endif
}

static void tell_endless(uintptr_t pc)
{
    struct record_fault fault = {.kind = FAULT_ENDLESS, .launch = UINT64_MAX};
    fault.size = (uint64_t)engine.seconds;
    fault.who = report_self(pc, 0);
    report_fault(&fault);
}

/* Ends a loop from which no hook is called: neither block nor thread has moved for so long. */
static void on_tick(int signal, siginfo_t *info, void *context)
{
    struct worker *s = worker;
    (void)signal, (void)info;
    if (!hostcuda_in_kernel || !s || !s->launch)
        return;
    if (__atomic_load_n(&s->launch->stop, __ATOMIC_RELAXED)) {
        come_back(context, s, after_stop);
        return;
    }
    double now = busy_seconds();
    if (s->tick.fuel != fuel || s->tick.progress != s->progress || s->tick.since == 0) {
        s->tick.fuel = fuel;
        s->tick.progress = s->progress;
        s->tick.since = now;
    } else if (now - s->tick.since >= engine.seconds) {
        tell_endless(interrupted(context));
        come_back(context, s, after_tick);
    }
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    struct worker *s = worker;
    bool fatal = signal == SIGINT || signal == SIGTERM;
    if (!fatal && hostcuda_in_kernel && s) {
        struct record_fault fault = {.kind = FAULT_CRASH, .launch = UINT64_MAX};
        uintptr_t pc = interrupted(context);
        size_t into = (size_t)((char *)info->si_addr - s->stacks);
        if (signal == SIGSEGV && into < (size_t)MAX_BLOCK_THREADS * STACK_BYTES)
            fault.kind = FAULT_STACK;
        fault.address = (uintptr_t)info->si_addr;
        snprintf(fault.text, sizeof fault.text, "%s", strsignal(signal));
        fault.count = (uint64_t)signal;
        /* A hook or the C library may have used the last of the stack. */
        fault.who = report_self(fault.kind == FAULT_STACK && s->here ? s->here : pc, 0);
        report_fault(&fault);
        if (come_back(context, s, after_signal))
            return;
    }
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(signal, &standard, NULL);
    raise(signal);
}

/* A stack for signals, for a fiber's own may be used up, and one to go on with behind it; the timer. */
static void prepare_thread(struct worker *s)
{
    size_t bytes = SIGSTKSZ * 4;
    char *both = s->alternate ? s->alternate : malloc(2 * bytes);
    if (!both)
        launch_no_memory();
    s->alternate = both;
    stack_t stack = {.ss_sp = both + bytes, .ss_size = bytes};
    sigaltstack(&stack, NULL);
    dl_iterate_phdr(find_segment, &shared_segment);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = TICK};
    const struct itimerspec often = {{1, 0}, {1, 0}};
    event._sigev_un._tid = gettid();
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &s->timer) ||
        timer_settime(s->timer, 0, &often, NULL))
        s->timer = NULL; /* such a loop is not ended, then */
}

bool launch_check_time(struct worker *s)
{
    double now = busy_seconds();
    if (__atomic_load_n(&s->launch->stop, __ATOMIC_RELAXED))
        schedule_abandon();
    if (s->progress != s->progress_seen) {
        s->progress_seen = s->progress;
        s->progress_time = now;
        s->looks = false;
        return false;
    }
    if (s->company && s->looks) {
        s->suspended = now - s->progress_time >= TURN_SECONDS;
        return s->suspended;
    }
    if (now - s->progress_time < engine.seconds)
        return false;
    tell_endless(s->here);
    launch_fail(s, ERROR_TIMEOUT);
}

/* ---- the program's begin and end ------------------------------------------------------------- */

static void engine_end(void)
{
    if (!report_wanted())
        return;
    if (hostcuda_in_kernel) {
        struct record_fault fault = {.kind = FAULT_EXIT, .launch = UINT64_MAX};
        fault.who = report_self(worker->here, 0);
        report_fault(&fault);
    }
    static const char *const whose[] = {"", " by kernels (malloc, new)"};
    for (int heap = 0; heap < 2 && !engine.sticky && !hostcuda_in_kernel; heap++) {
        struct record_fault leak = {.kind = FAULT_LEAK, .launch = UINT64_MAX};
        arena_leaks(heap, &leak.count, &leak.size);
        strcpy(leak.text, whose[heap]);
        if (leak.count)
            report_record(RECORD_FAULT, &leak, sizeof leak);
    }
    report_record(RECORD_EXIT, NULL, 0);
}

/* A thread has ended: its worker is the next one's. */
static void give_back(void *own)
{
    struct worker *s = own;
    pthread_mutex_lock(&engine.launching);
    if (s->timer)
        timer_delete(s->timer);
    s->next = engine.spare;
    engine.spare = s;
    pthread_mutex_unlock(&engine.launching);
}

/* Makes this thread the one that launches. */
static void take_over(void)
{
    struct worker *s = pthread_getspecific(engine.own);
    if (!s) {
        s = engine.spare ? engine.spare : worker_new(0);
        engine.spare = s->next;
        s->next = NULL;
        prepare_thread(s);
        pthread_setspecific(engine.own, s);
    }
    engine.main = worker = s;
}

static void engine_begin(void)
{
    if (engine.ready)
        return;
    engine.ready = true;
    engine.seconds = STANDARD_SECONDS;
    engine.watched = WATCHED_SECONDS;
    const char *kernel = getenv(RECORDS_KERNEL), *launch = getenv(RECORDS_LAUNCH),
               *blocks = getenv(RECORDS_BLOCKS), *seconds = getenv(RECORDS_SECONDS),
               *watched = getenv(RECORDS_WATCHED);
    if (seconds && atof(seconds) > 0)
        engine.seconds = atof(seconds);
    if (watched)
        engine.watched = atof(watched);
    if (report_open()) {
        engine.has_kernel =
            kernel && *kernel && !regcomp(&engine.kernel, kernel, REG_EXTENDED | REG_NOSUB);
        engine.has_launch = launch && sscanf(launch, "%" SCNu64, &engine.launch) == 1;
        engine.has_blocks =
            blocks && sscanf(blocks, "%" SCNu64 "-%" SCNu64, &engine.first, &engine.last) == 2;
        atexit(engine_end);
    }
    pthread_key_create(&engine.own, give_back);
    const struct sigaction tick = {.sa_sigaction = on_tick,
                                   .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigaction(TICK, &tick, NULL);
    take_over();
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before,
            ours = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        if (!sigaction(signals[i], NULL, &before) && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &ours, NULL);
    }
}

/* Before anything of the program's runs. What reads files must be done before there are none. */
__attribute__((constructor(101))) static void engine_constructor(void)
{
    const char *box = getenv(RECORDS_BOX);
    engine_begin();
    if (!box || *box != '1')
        return;
    symbol_name(0);
    if (calls_confine()) {
        fputs("bankscope: this system cannot confine a process\n", stderr);
        _exit(1);
    }
}

/* ---- workers --------------------------------------------------------------------------------- */

/* Whether enough of the launch was recorded. All blocks of a cooperative one belong together. */
static bool over_budget(const struct launch_run *run)
{
    return !engine.has_blocks && !run->launch->cooperative &&
           (run->work >= (run->shared ? LAUNCH_WORK : SILENT_WORK) ||
            engine.work + run->work >= PROGRAM_WORK);
}

char *launch_shared(void)
{
    const struct {
        const void *at;
        size_t bytes;
    } ours[] = {{&worker, sizeof worker},
                {&fuel, sizeof fuel},
                {&watch, sizeof watch},
                {&call_depth, sizeof call_depth},
                {&threadIdx, sizeof threadIdx},
                {&blockIdx, sizeof blockIdx},
                {&blockDim, sizeof blockDim},
                {&gridDim, sizeof gridDim},
                {&hostcuda_lane, sizeof hostcuda_lane},
                {&hostcuda_thread, sizeof hostcuda_thread},
                {&hostcuda_in_kernel, sizeof hostcuda_in_kernel},
                {&hostcuda_dynamic_bytes, sizeof hostcuda_dynamic_bytes},
                {&shared_segment, sizeof shared_segment}};
    char *from = shared_segment.from;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        char *behind = (char *)(uintptr_t)ours[i].at + ours[i].bytes;
        if (behind > from && behind <= hostcuda_dynamic)
            from = behind;
    }
    return from;
}

/* The program's shared memory, which ends with what the launch has of dynamic memory. */
static size_t shared_part(const struct launch_run *run, char **from)
{
    *from = launch_shared();
    return (size_t)(hostcuda_dynamic + run->launch->shared_bytes - *from);
}

/* Blocks that wait for others, of one thread of the operating system. */
struct company {
    struct worker *resident[RESIDENTS], *spare[RESIDENTS + 1];
    int residents, spares;
};

static struct worker *spare_worker(struct company *company, const struct worker *like)
{
    if (company->spares)
        return company->spare[--company->spares];
    struct worker *s = worker_new(like->number);
    s->alternate = like->alternate;
    return s;
}

/* Runs a block that was begun or suspended; keeps it when it waits. */
static void run_one(struct company *company, struct worker *s, bool begun)
{
    char *from;
    if (begun) {
        size_t bytes = shared_part(s->launch, &from);
        memcpy(from, s->saved, bytes);
    }
    if (s->recorded) {
        struct record_block block = {s->block};
        report_record(RECORD_BLOCK, &block, sizeof block);
    }
    s->progress_seen = s->progress - 1; /* its time begins when somebody asks */
    bool done = worker_go_on(s);
    if (done && s->recorded)
        report_record(RECORD_BLOCK_END, NULL, 0);
    if (done || s->launch->stop) {
        company->spare[company->spares++] = s;
        return;
    }
    size_t bytes = shared_part(s->launch, &from);
    free(s->saved);
    s->saved = malloc(bytes + 1);
    if (!s->saved)
        launch_no_memory();
    memcpy(s->saved, from, bytes);
    company->resident[company->residents++] = s;
}

/* Runs the blocks that wait, each once; releases them when all wait for the grid. */
static void run_residents(struct company *company, struct launch_run *run)
{
    int count = company->residents, at_grid = 0;
    struct worker *all[RESIDENTS];
    memcpy(all, company->resident, (size_t)count * sizeof *all);
    for (int i = 0; i < count; i++)
        at_grid += all[i]->at_grid == all[i]->alive;
    if (at_grid == count) {
        check_grid_barrier();
        for (int i = 0; i < count; i++)
            worker_release_grid(all[i]);
    }
    company->residents = 0;
    for (int i = 0; i < count; i++)
        if (run->stop)
            company->spare[company->spares++] = all[i];
        else if (all[i]->at_grid && all[i]->at_grid == all[i]->alive)
            company->resident[company->residents++] = all[i];
        else
            run_one(company, all[i], true);
}

/* From now on, blocks that are not recorded are not watched, either. */
static void be_quick(struct launch_run *run)
{
    const struct hostcuda_launch *launch = run->launch;
    __atomic_store_n(&run->quick, true, __ATOMIC_RELAXED);
    arena_forget_written();
    engine.unwatched++;
    report_launch(engine.launches, engine.unwatched);
    run->run = (void (*)(void *))(uintptr_t)symbol_twin((void *)(uintptr_t)launch->run);
    if (launch->called)
        *launch->called = symbol_twin(launch->kernel);
}

/* Runs blocks until there are none below `end`, and those that wait for others in turns. A block
 * that has stood still for the time that makes an endless one is told that it has no company. A
 * block that waits may wait for one that has not begun, so the budget of what is recorded, which
 * waiting uses up, too, holds none back. */
static void run_blocks(struct worker *first, struct launch_run *run, uint64_t end, bool recorded)
{
    struct company *company = first->company_of;
    if (!company)
        company = first->company_of = calloc(1, sizeof *company);
    if (!company)
        launch_no_memory();
    if (!company->spares)
        company->spare[company->spares++] = first;
    uint64_t progress = 0;
    double moved = busy_seconds();
    while (!__atomic_load_n(&run->stop, __ATOMIC_RELAXED)) {
        bool more = company->residents < RESIDENTS &&
                    __atomic_load_n(&run->next_block, __ATOMIC_RELAXED) < end &&
                    !(recorded && over_budget(run) && !company->residents);
        uint64_t block =
            more ? __atomic_fetch_add(&run->next_block, 1, __ATOMIC_RELAXED) : UINT64_MAX;
        if (block < end) {
            struct worker *s = spare_worker(company, first);
            s->launch = run;
            s->company = company->residents || block + 1 < run->blocks;
            uint64_t before = s->work;
            worker_begin_block(s, block, recorded);
            run->recorded_blocks += recorded;
            if (!recorded && first == engine.main && !run->quick &&
                busy_seconds() > run->watched_until)
                be_quick(run);
            run_one(company, s, false);
            if (recorded) {
                run->work += s->work - before;
                run->dropped += s->dropped;
                s->dropped = 0;
            }
            continue;
        }
        if (!company->residents)
            return;
        uint64_t now = 0;
        for (int i = 0; i < company->residents; i++)
            now += company->resident[i]->progress;
        now += (uint64_t)company->residents << 40;
        if (now != progress)
            moved = busy_seconds();
        progress = now;
        bool endless = busy_seconds() - moved > engine.seconds;
        for (int i = 0; i < company->residents; i++)
            company->resident[i]->company = company->residents > 1 && !endless;
        run_residents(company, run);
    }
    while (company->residents)
        company->spare[company->spares++] = company->resident[--company->residents];
}

static void *work(void *argument)
{
    struct worker *s = argument;
    uint64_t round = 0;
    prepare_thread(s);
    worker = s;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.round == round)
            pthread_cond_wait(&pool.begin, &pool.lock);
        round = pool.round;
        struct launch_run *run = pool.run;
        pthread_mutex_unlock(&pool.lock);
        run_blocks(s, run, run->end, false);
        pthread_mutex_lock(&pool.lock);
        if (--pool.running == 0)
            pthread_cond_signal(&pool.end);
    }
    return NULL;
}

static void start_pool(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 4 << 20);
    sigset_t all, before;
    sigfillset(&all); /* signals from outside are the main thread's */
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    sigdelset(&all, TICK);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    for (int i = 1; i < processors && i < WORKERS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, work, worker_new(i)))
            break;
        pthread_detach(thread);
        pool.threads++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

/* Runs blocks next_block .. end - 1 without recording, on all processors if that pays. */
static void run_unrecorded(struct launch_run *run, uint64_t end)
{
    run->end = end;
    if (run->next_block >= end)
        return;
    double began = busy_seconds();
    run->watched_until = began + engine.watched - engine.unrecorded;
    if (engine.unrecorded >= engine.watched)
        be_quick(run);
    bool many = end - run->next_block >= 8 && !run->launch->cooperative &&
                (end - run->next_block) * (uint64_t)engine.main->threads_next >= 4096;
    if (many && !pool.threads)
        start_pool();
    if (many && pool.threads) {
        pthread_mutex_lock(&pool.lock);
        pool.run = run;
        pool.round++;
        pool.running = pool.threads;
        pthread_cond_broadcast(&pool.begin);
        pthread_mutex_unlock(&pool.lock);
        run_blocks(engine.main, run, end, false);
        pthread_mutex_lock(&pool.lock);
        while (pool.running)
            pthread_cond_wait(&pool.end, &pool.lock);
        pthread_mutex_unlock(&pool.lock);
    } else {
        run_blocks(engine.main, run, end, false);
    }
    run->next_block = end;
    run->run = run->launch->run;
    if (run->launch->called)
        *run->launch->called = run->launch->kernel;
    engine.unrecorded += busy_seconds() - began;
}

/* ---- a launch -------------------------------------------------------------------------------- */

static int valid(const struct hostcuda_launch *launch)
{
    const struct hostcuda_dim3 *g = &launch->grid, *b = &launch->block;
    uint64_t threads = (uint64_t)b->x * b->y * b->z;
    if (!g->x || !g->y || !g->z || !b->x || !b->y || !b->z || b->x > 1024 || b->y > 1024 ||
        b->z > 64 || threads > MAX_BLOCK_THREADS || g->x > 0x7fffffff || g->y > 65535 ||
        g->z > 65535)
        return ERROR_INVALID_CONFIGURATION;
    if (launch->shared_bytes > HOSTCUDA_DYNAMIC_MOST)
        return ERROR_INVALID_VALUE;
    if (launch->cooperative && (uint64_t)g->x * g->y * g->z > RESIDENTS)
        return ERROR_COOPERATIVE_TOO_LARGE;
    return 0;
}

static void announce(struct launch_run *run, const char *name)
{
    const struct hostcuda_launch *launch = run->launch;
    struct record_launch record = {.number = run->number,
                                   .kernel = (uintptr_t)launch->kernel,
                                   .dynamic_bytes = (uint32_t)launch->shared_bytes,
                                   .line = (uint32_t)launch->line};
    memcpy(record.grid, &launch->grid, sizeof record.grid);
    memcpy(record.block, &launch->block, sizeof record.block);
    snprintf(record.name, sizeof record.name, "%s", name);
    report_record(RECORD_LAUNCH, &record,
                  offsetof(struct record_launch, name) + strlen(record.name) + 1);
    run->announced = true;
}

/* Where the work of a launch's kernel is added up: of kernels that are too many, of all together. */
static uint64_t *kernel_work(const struct hostcuda_launch *launch)
{
    uintptr_t key = launch->kernel ? (uintptr_t)launch->kernel : (uintptr_t)launch->run;
    int i = 0;
    while (i < KERNELS - 1 && engine.kernels[i].key && engine.kernels[i].key != key)
        i++;
    engine.kernels[i].key = key;
    return &engine.kernels[i].work;
}

/* Whether blocks of this launch are recorded, by its name. */
static bool record_launch(struct launch_run *run, const char *name)
{
    if (!report_wanted())
        return false;
    if (engine.has_launch ? run->number != engine.launch
                          : run->number >= ANNOUNCED_LAUNCHES && !engine.has_kernel)
        return false;
    if (engine.has_kernel && regexec(&engine.kernel, name, 0, NULL, 0)) {
        run->reason = RECORD_ASKED;
        return false;
    }
    if (!engine.has_launch && (engine.recorded >= PROGRAM_LAUNCHES || engine.work >= PROGRAM_WORK ||
                               *kernel_work(run->launch) >= KERNEL_WORK)) {
        run->reason = RECORD_LAUNCHES;
        return false;
    }
    return true;
}

static void run_recorded(struct launch_run *run, uint64_t end)
{
    run_blocks(engine.main, run, end, true);
    check_launch_ends();
    if (run->next_block < end && !run->stop)
        run->reason = RECORD_BUDGET;
    engine.work += run->work;
    *kernel_work(run->launch) += run->work;
}

/* The launch of a thread that has taken over. */
static int run_launch(const struct hostcuda_launch *launch)
{
    struct launch_run run = {.launch = launch, .run = launch->run, .number = engine.launches++};
    run.blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    report_launch(engine.launches, engine.unwatched);
    engine.main->launch = &run;
    engine.main->threads_next = (int)(launch->block.x * launch->block.y * launch->block.z);
    bool told = report_wanted() && run.number < ANNOUNCED_LAUNCHES;
    const char *name = told || engine.has_kernel || engine.has_launch
                           ? launch->kernel ? symbol_name((uintptr_t)launch->kernel) : launch->name
                           : "";
    if (record_launch(&run, name)) {
        engine.recorded++;
        announce(&run, name);
        uint64_t first = 0, end = run.blocks;
        if (engine.has_blocks && !launch->cooperative) {
            run.reason = RECORD_ASKED;
            first = engine.first < run.blocks ? engine.first : run.blocks;
            end = engine.last < run.blocks ? engine.last + 1 : run.blocks;
        }
        run_unrecorded(&run, first);
        run_recorded(&run, end);
    } else if (told) {
        run.reason = run.reason ? run.reason : RECORD_ASKED;
        announce(&run, name);
    }
    if (!run.stop)
        run_unrecorded(&run, run.blocks);
    if (run.stop)
        run.reason = RECORD_FAULTED;
    if (run.announced) {
        struct record_launch_end end = {run.blocks, run.recorded_blocks, run.dropped,
                                        (uint32_t)run.status, run.reason};
        report_record(RECORD_LAUNCH_END, &end, sizeof end);
    }
    engine.main->launch = NULL;
    __atomic_store_n(&engine.sticky, run.status, __ATOMIC_RELAXED);
    return run.status;
}

int hostcuda_launch(const struct hostcuda_launch *launch)
{
    engine_begin();
    if (hostcuda_in_kernel)
        fault_at(ERROR_LAUNCH_FAILURE, worker->here,
                 "a kernel launches a kernel: dynamic parallelism is not supported");
    int status = hostcuda_sticky();
    if (!status)
        status = valid(launch);
    if (status)
        return status;
    /* nvcc makes of k<<<...>>>(a) a call that a kernel's stub answers by launching it. If k is a
     * function of the host's that launches a kernel itself, it is called. */
    if (launch->kernel && symbol_is_lambda((uintptr_t)launch->kernel)) {
        launch->run(launch->argument);
        return 0;
    }
    pthread_mutex_lock(&engine.launching);
    take_over();
    status = hostcuda_sticky(); /* of another thread, for which this one has waited */
    if (!status)
        status = run_launch(launch);
    pthread_mutex_unlock(&engine.launching);
    return status;
}

int hostcuda_sticky(void)
{
    return __atomic_load_n(&engine.sticky, __ATOMIC_RELAXED);
}

void hostcuda_reset(void)
{
    arena_reset();
    __atomic_store_n(&engine.sticky, 0, __ATOMIC_RELAXED);
}
