/* early.c - results that the host reads before it has waited for them (run --host-reads).
 *
 * On a GPU a launch and an asynchronous copy return at once; here they are done when they return, so that a host that
 * does not wait reads the right values all the same. For this, what they changed in memory that the host can read
 * (managed, pinned) is remembered until something waits, and the program's reads are looked at: its host part is
 * compiled with a call before each (program/compile/include/bankscope/host_reads.c).
 *
 * Whatever may wait counts as a wait for everything, so that no correct program is blamed: which stream it was for is
 * not looked at.
 */
#include "program/runtime/runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 /* results that are remembered; of more, the newest */ };

/* Memory of the host's as it was. */
struct runtime_early {
    struct runtime_early *next;
    uint64_t address, bytes;
    unsigned char before[];
};

/* What a launch or a copy has changed: a bit for each byte. */
struct result {
    uint64_t address, bytes;
    unsigned char *changed;
    bool fresh; /* not known yet whether somebody else changed it */
    char what[200];
};
static struct {
    pthread_mutex_t lock;
    struct result result[MOST];
    int results;
    int running;    /* launches and copies that change memory now */
    bool disturbed; /* somebody else did something meanwhile: what they changed is not known */
} early = {.lock = PTHREAD_MUTEX_INITIALIZER};
/* Functions of the program's that run in a stream's order: what was before them is done. */
static _Thread_local int callbacks;

/* For the calls before accesses: how many results there are; the highest bit: a launch or a copy runs. */
unsigned cudaBankscopeResults;

static void publish(void)
{
    __atomic_store_n(&cudaBankscopeResults,
                     (unsigned)early.results | (early.running ? 0x80000000u : 0), __ATOMIC_RELAXED);
}

static void forget_result(int index)
{
    runtime_delete(early.result[index].changed);
    early.result[index] = early.result[--early.results];
}

/* ---- what is done -------------------------------------------------------------------------------------- */

static bool is_wanted(void)
{
    if (!runtime_choice()->host_reads)
        return false;
    const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
    return !blocking || *blocking != '1';
}

static void begin_run(void)
{
    pthread_mutex_lock(&early.lock);
    early.disturbed |= early.running++ > 0;
    publish();
    pthread_mutex_unlock(&early.lock);
}

/* Its results stay if nobody else did anything meanwhile. */
static void end_run(void)
{
    pthread_mutex_lock(&early.lock);
    for (int i = early.results; i-- > 0;) {
        if (early.result[i].fresh && early.disturbed)
            forget_result(i);
        else
            early.result[i].fresh = false;
    }
    early.disturbed &= --early.running > 0;
    publish();
    pthread_mutex_unlock(&early.lock);
}

struct runtime_early *runtime_early_begin(void)
{
    struct runtime_early *list = NULL;
    const struct machine_range *range;
    if (!is_wanted())
        return NULL;
    begin_run();
    runtime_lock();
    for (int i = 0; (range = machine_memory_at(runtime_begin()->memory, i)) != NULL; i++) {
        if (range->freed || (range->kind != MACHINE_MANAGED && range->kind != MACHINE_PINNED))
            continue;
        struct runtime_early *one = runtime_new(sizeof *one + range->bytes);
        if (!one)
            break;
        one->next = list;
        one->address = range->address;
        one->bytes = range->bytes;
        memcpy(one->before, range->host, range->bytes);
        list = one;
    }
    runtime_unlock();
    if (!list)
        end_run();
    return list;
}

static void remember(const struct runtime_early *one, const unsigned char *now, const char *what)
{
    unsigned char *changed = runtime_new(one->bytes / 8 + 1);
    if (!changed)
        return;
    for (uint64_t i = 0; i < one->bytes; i++)
        if (now[i] != one->before[i])
            changed[i / 8] |= (unsigned char)(1 << i % 8);
    pthread_mutex_lock(&early.lock);
    if (early.results == MOST)
        forget_result(0);
    struct result *result = &early.result[early.results++];
    *result = (struct result){one->address, one->bytes, changed, true, ""};
    snprintf(result->what, sizeof result->what, "%s", what);
    publish();
    pthread_mutex_unlock(&early.lock);
}

void runtime_early_end(struct runtime_early *list, const char *what)
{
    if (!list)
        return;
    runtime_lock();
    for (struct runtime_early *next; list; list = next) {
        const struct machine_range *range =
            machine_memory_find(runtime_begin()->memory, list->address);
        next = list->next;
        if (range && range->bytes == list->bytes && memcmp(range->host, list->before, list->bytes))
            remember(list, range->host, what);
        runtime_delete(list);
    }
    runtime_unlock();
    end_run();
}

void runtime_early_waited(void)
{
    if (!__atomic_load_n(&cudaBankscopeResults, __ATOMIC_RELAXED))
        return;
    pthread_mutex_lock(&early.lock);
    while (early.results)
        forget_result(early.results - 1);
    early.disturbed = early.running > 0;
    publish();
    pthread_mutex_unlock(&early.lock);
}

void runtime_early_callback(bool begins)
{
    callbacks += begins ? 1 : -1;
}

/* ---- what is read -------------------------------------------------------------------------------------- */

/* Whether any of these bytes is of the result. */
static bool is_of(const struct result *result, uint64_t address, uint64_t bytes)
{
    for (uint64_t at = address; at < address + bytes; at++) {
        const uint64_t i = at - result->address;
        if (i < result->bytes && result->changed[i / 8] >> i % 8 & 1)
            return true;
    }
    return false;
}

/* Before a read of the program's, or any access while something runs. ordered: it is volatile or atomic, so that it
 * may be what waits, when the host looks whether a kernel has set a flag. */
void cudaBankscopeRead(const void *at, unsigned long bytes, const void *caller, int ordered);
void cudaBankscopeRead(const void *at, unsigned long bytes, const void *caller, int ordered)
{
    char what[sizeof early.result->what] = "";
    if (callbacks)
        return;
    pthread_mutex_lock(&early.lock);
    for (int i = 0; i < early.results && !early.running && !*what; i++)
        if (is_of(&early.result[i], (uintptr_t)at, bytes)) {
            memcpy(what, early.result[i].what, sizeof what);
            forget_result(i);
        }
    early.disturbed |= early.running > 0;
    publish();
    pthread_mutex_unlock(&early.lock);
    if (*what && ordered) {
        runtime_early_waited();
    } else if (*what) {
        const uint64_t before = runtime_caller();
        runtime_called_from(runtime_place(caller));
        runtime_report_line(RECORDS_EARLY, NULL,
                            "a read of what %s stores, before anything has waited for it", what);
        runtime_called_from(before);
    }
}
