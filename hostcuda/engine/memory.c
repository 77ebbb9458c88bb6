/* memory.c - device memory: one arena at a fixed place, so that any address tells what it is.
 *
 * An allocation begins at a slot of 64 KiB and leaves at least 256 bytes free behind it: a pointer
 * that runs out of its allocation at either end is outside every one. The arena is taken from the
 * system page by page as it is touched. Four bits per word say which of its bytes were written.
 * Freed slots are used again only when there are no fresh ones, so that a later use is found.
 */
#include "hostcuda/engine/engine.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SLOT_SHIFT = 16, MARGIN = 256 };
#define SLOT_BYTES ((size_t)1 << SLOT_SHIFT)
#define SLOTS (ARENA_BYTES >> SLOT_SHIFT)

struct allocation {
    uintptr_t base;
    size_t bytes;
    uint32_t slots;
    uint8_t kind;
    bool live;
};

static struct {
    pthread_mutex_t lock;
    bool mapped;
    bool unknown;                  /* what was written */
    struct allocation *allocation; /* [0] is none */
    uint32_t count, room;
    uint32_t *slot; /* the allocation of each slot */
    size_t next;    /* fresh slot */
    size_t device_bytes;
    struct { /* host memory that the device may use */
        uintptr_t base;
        size_t bytes;
    } registered[64];
    int registrations;
} arena = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *map(void *at, size_t bytes)
{
    void *got =
        mmap(at, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0), -1, 0);
    return got == MAP_FAILED || (at && got != at) ? NULL : got;
}

static bool arena_map(void)
{
    if (!arena.mapped && map((void *)ARENA_BASE, ARENA_BYTES) &&
        map((void *)ARENA_STATE, ARENA_BYTES / 4)) {
        arena.slot = map(NULL, SLOTS * sizeof *arena.slot);
        arena.mapped = arena.slot;
    }
    return arena.mapped;
}

/* A freed run of slots that is long enough, or 0. */
static uint32_t freed_run(uint32_t slots)
{
    for (uint32_t i = 1; i < arena.count; i++)
        if (!arena.allocation[i].live && arena.allocation[i].slots >= slots)
            return i;
    return 0;
}

static uint32_t allocation_new(uint32_t slots)
{
    bool fresh = arena.next + slots <= SLOTS;
    if (!fresh)
        return freed_run(slots);
    if (arena.count >= arena.room) {
        uint32_t room = arena.room ? 2 * arena.room : 256;
        struct allocation *grown = realloc(arena.allocation, room * sizeof *grown);
        if (!grown)
            return 0;
        arena.allocation = grown;
        arena.room = room;
        if (!arena.count)
            arena.allocation[arena.count++] = (struct allocation){0};
    }
    uint32_t number = arena.count++;
    arena.allocation[number].base = ARENA_BASE + (arena.next << SLOT_SHIFT);
    arena.allocation[number].slots = slots;
    for (uint32_t i = 0; i < slots; i++)
        arena.slot[arena.next + i] = number;
    arena.next += slots;
    return number;
}

void *hostcuda_allocate(size_t bytes, enum hostcuda_memory kind)
{
    if (bytes > ARENA_BYTES / 2)
        return NULL;
    uint32_t slots = (uint32_t)((bytes + MARGIN + SLOT_BYTES - 1) >> SLOT_SHIFT);
    void *at = NULL;
    pthread_mutex_lock(&arena.lock);
    uint32_t number = arena_map() ? allocation_new(slots) : 0;
    if (number) {
        struct allocation *allocation = &arena.allocation[number];
        allocation->bytes = bytes;
        allocation->kind = (uint8_t)kind;
        allocation->live = true;
        at = (void *)allocation->base;
        if (kind != HOSTCUDA_PINNED)
            arena.device_bytes += bytes;
    }
    pthread_mutex_unlock(&arena.lock);
    return at;
}

int hostcuda_release(void *at, enum hostcuda_memory kind)
{
    int status = 0;
    if (!at)
        return 0;
    pthread_mutex_lock(&arena.lock);
    uint32_t number =
        arena.mapped && arena_has(at) ? arena.slot[((uintptr_t)at - ARENA_BASE) >> SLOT_SHIFT] : 0;
    struct allocation *allocation = &arena.allocation[number];
    /* cudaFree frees managed memory, too. */
    if (!number || !allocation->live || allocation->base != (uintptr_t)at ||
        ((kind == HOSTCUDA_PINNED) != (allocation->kind == HOSTCUDA_PINNED))) {
        status = ERROR_INVALID_VALUE;
    } else {
        allocation->live = false;
        if (allocation->kind != HOSTCUDA_PINNED)
            arena.device_bytes -= allocation->bytes;
        madvise(at, (size_t)allocation->slots << SLOT_SHIFT, MADV_DONTNEED);
        madvise(arena_state(at), (size_t)allocation->slots << (SLOT_SHIFT - 2), MADV_DONTNEED);
    }
    pthread_mutex_unlock(&arena.lock);
    return status;
}

void hostcuda_register(void *at, size_t bytes)
{
    int most = (int)(sizeof arena.registered / sizeof *arena.registered);
    pthread_mutex_lock(&arena.lock);
    if (arena.registrations < most) {
        arena.registered[arena.registrations].base = (uintptr_t)at;
        arena.registered[arena.registrations++].bytes = bytes;
    }
    pthread_mutex_unlock(&arena.lock);
}

int hostcuda_unregister(void *at)
{
    int status = ERROR_INVALID_VALUE;
    pthread_mutex_lock(&arena.lock);
    for (int i = 0; i < arena.registrations; i++)
        if (arena.registered[i].base == (uintptr_t)at) {
            arena.registered[i] = arena.registered[--arena.registrations];
            status = 0;
            break;
        }
    pthread_mutex_unlock(&arena.lock);
    return status;
}

static const struct allocation *allocation_at(const void *at)
{
    if (!arena.mapped || !arena_has(at))
        return NULL;
    uint32_t number = arena.slot[((uintptr_t)at - ARENA_BASE) >> SLOT_SHIFT];
    return number ? &arena.allocation[number] : NULL;
}

int hostcuda_find(const void *at, struct hostcuda_region *region)
{
    const struct allocation *allocation = allocation_at(at);
    if (!allocation || !allocation->live || (uintptr_t)at - allocation->base >= allocation->bytes)
        return 0;
    *region = (struct hostcuda_region){(void *)allocation->base, allocation->bytes,
                                       (enum hostcuda_memory)allocation->kind};
    return 1;
}

bool arena_nearest(const void *at, struct hostcuda_region *region, bool *freed)
{
    const struct allocation *here = allocation_at(at);
    const struct allocation *behind = allocation_at((const char *)at + SLOT_BYTES);
    bool inside = here && (uintptr_t)at - here->base < here->bytes;
    if (behind && behind != here && !inside && (uintptr_t)at < behind->base &&
        (!here || (uintptr_t)at - here->base - here->bytes > behind->base - (uintptr_t)at))
        here = behind;
    if (!here)
        return false;
    *region =
        (struct hostcuda_region){(void *)here->base, here->bytes, (enum hostcuda_memory)here->kind};
    *freed = !here->live;
    return true;
}

void arena_forget_written(void)
{
    arena.unknown = true;
}

enum arena_verdict arena_check(const void *at, size_t bytes, bool reads, bool writes)
{
    const struct allocation *allocation = allocation_at(at);
    if (!allocation || (uintptr_t)at - allocation->base + bytes > allocation->bytes)
        return ARENA_OUTSIDE;
    if (!allocation->live)
        return ARENA_FREED;
    uint8_t *state = arena_state(at);
    reads = reads && !arena.unknown && allocation->kind == HOSTCUDA_DEVICE;
    if (bytes < 4 || (uintptr_t)at % 4) {
        enum arena_verdict verdict = ARENA_GOOD;
        for (size_t i = 0; i < bytes; i++) {
            const char *byte = (const char *)at + i;
            uint8_t bit = (uint8_t)(1 << ((uintptr_t)byte & 3));
            if (reads && !(*arena_state(byte) & bit))
                verdict = ARENA_UNWRITTEN;
            if (writes && !(*arena_state(byte) & bit))
                __atomic_fetch_or(arena_state(byte), bit, __ATOMIC_RELAXED);
        }
        return verdict;
    }
    if (reads)
        for (size_t i = 0; i < bytes / 4; i++)
            if (state[i] != 15)
                return ARENA_UNWRITTEN;
    if (writes && !arena.unknown)
        memset(state, 15, bytes / 4);
    return ARENA_GOOD;
}

void arena_mark_written(const void *at, size_t bytes)
{
    if (arena.unknown)
        return;
    const char *byte = at;
    while (bytes && ((uintptr_t)byte & 3 || bytes < 4)) {
        *arena_state(byte) |= (uint8_t)(1 << ((uintptr_t)byte & 3));
        byte++;
        bytes--;
    }
    memset(arena_state(byte), 15, bytes / 4);
    if (bytes % 4)
        arena_mark_written(byte + bytes / 4 * 4, bytes % 4);
}

bool host_memory_allowed(const void *at, size_t bytes)
{
    for (int i = 0; i < arena.registrations; i++)
        if ((uintptr_t)at - arena.registered[i].base + bytes <= arena.registered[i].bytes)
            return true;
    return false;
}

int hostcuda_host_access(const char *what, void *at, size_t bytes, int writes)
{
    if (!bytes || !arena_has(at))
        return 0;
    const struct allocation *allocation = allocation_at(at);
    if (allocation && allocation->live &&
        (uintptr_t)at - allocation->base + bytes <= allocation->bytes) {
        if (writes)
            arena_mark_written(at, bytes);
        return 0;
    }
    struct record_fault fault = {.kind = FAULT_ARGUMENT, .space = SPACE_GLOBAL};
    fault.address = (uintptr_t)at;
    fault.size = bytes;
    struct hostcuda_region region;
    bool freed = false;
    if (arena_nearest(at, &region, &freed)) {
        fault.base = (uintptr_t)region.base;
        fault.length = region.bytes;
        if (freed)
            fault.kind = FAULT_FREED;
    }
    fault.who.operation = writes ? HOSTCUDA_STORE : HOSTCUDA_LOAD;
    fault.launch = UINT64_MAX;
    size_t room = sizeof fault.text - 1;
    strncpy(fault.text, what, room);
    report_fault(&fault);
    return ERROR_INVALID_VALUE;
}

size_t hostcuda_device_bytes(void)
{
    return arena.device_bytes;
}

void arena_leaks(uint64_t *count, uint64_t *bytes)
{
    *count = *bytes = 0;
    for (uint32_t i = 1; i < arena.count; i++)
        if (arena.allocation[i].live && arena.allocation[i].kind != HOSTCUDA_HEAP) {
            ++*count;
            *bytes += arena.allocation[i].bytes;
        }
}

void arena_reset(void)
{
    for (uint32_t i = 1; i < arena.count; i++)
        if (arena.allocation[i].live)
            hostcuda_release((void *)arena.allocation[i].base,
                             (enum hostcuda_memory)arena.allocation[i].kind);
}
