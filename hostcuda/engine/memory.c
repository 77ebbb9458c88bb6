/* memory.c - device memory: one arena at a fixed place, so that any address tells what it is.
 *
 * An allocation begins at a slot of 64 KiB and leaves at least 256 bytes free behind it: a pointer
 * that runs out of its allocation at either end is outside every one. What kernels allocate comes from
 * the arena's end, where slots are of 64 bytes and so is what is left free. The arena is taken from
 * the system page by page as it is touched. Four bits per word say which of its bytes were written.
 * Freed slots are used again only when there are no fresh ones, so that a later use is found.
 */
#include "hostcuda/engine/engine.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    ALLOCATIONS = 1 << 24,   /* of both areas */
    HEAP_STANDARD = 8 << 20, /* bytes that kernels may have at a time: cudaLimitMallocHeapSize */
    HEAP_GRAIN = 16,         /* of which each allocation takes a multiple */
};
#define HEAP_BYTES ((size_t)1 << 30)

struct allocation {
    uintptr_t base;
    size_t bytes;
    uint32_t slots;
    uint8_t kind;
    bool live;
};

/* A part of the arena with slots of one size. */
struct area {
    uintptr_t base;
    size_t bytes, margin;
    int shift;      /* a slot has 1 << shift bytes */
    uint32_t *slot; /* the allocation of each slot */
    size_t next;    /* fresh slot */
    uint32_t again; /* where freed slots are looked for next */
};

static struct {
    pthread_mutex_t lock;
    bool mapped;
    bool unknown;                  /* what was written */
    struct allocation *allocation; /* [0] is none; others read it while a kernel allocates */
    uint32_t count;
    struct area area[2]; /* of the host's functions; of kernels */
    size_t device_bytes;
    size_t heap_bytes, heap_limit;
    struct { /* host memory that the device may use */
        uintptr_t base;
        size_t bytes;
    } registered[64];
    int registrations;
} arena = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    /* Its first 16 MB stay free, so that indices below the first allocation are still in the arena. */
    .area = {{.base = ARENA_BASE,
              .bytes = ARENA_BYTES - HEAP_BYTES,
              .margin = 256,
              .shift = 16,
              .next = 256},
             {.base = ARENA_BASE + ARENA_BYTES - HEAP_BYTES,
              .bytes = HEAP_BYTES,
              .margin = 64,
              .shift = 6}},
    .heap_limit = HEAP_STANDARD};

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
        arena.allocation = map(NULL, ALLOCATIONS * sizeof *arena.allocation);
        arena.count = 1;
        arena.mapped = arena.allocation;
        for (int i = 0; i < 2; i++) {
            struct area *area = &arena.area[i];
            area->slot = map(NULL, (area->bytes >> area->shift) * sizeof *area->slot);
            arena.mapped = arena.mapped && area->slot;
        }
    }
    return arena.mapped;
}

static struct area *area_of(const void *at)
{
    return &arena.area[(uintptr_t)at >= arena.area[1].base];
}

/* The allocation whose slots the address is in, or NULL. */
static struct allocation *allocation_at(const void *at)
{
    if (!arena.mapped || !arena_has(at))
        return NULL;
    const struct area *area = area_of(at);
    uint32_t number = area->slot[((uintptr_t)at - area->base) >> area->shift];
    return number ? &arena.allocation[number] : NULL;
}

/* A freed run of slots that is long enough, or 0. */
static uint32_t freed_run(struct area *area, uint32_t slots)
{
    for (uint32_t tries = 1; tries < arena.count; tries++) {
        uint32_t i = area->again = area->again % (arena.count - 1) + 1;
        const struct allocation *allocation = &arena.allocation[i];
        if (!allocation->live && allocation->slots >= slots &&
            area_of((void *)allocation->base) == area)
            return i;
    }
    return 0;
}

static uint32_t allocation_new(struct area *area, uint32_t slots)
{
    bool fresh = area->next + slots <= area->bytes >> area->shift && arena.count < ALLOCATIONS;
    if (!fresh)
        return freed_run(area, slots);
    uint32_t number = arena.count++;
    arena.allocation[number].base = area->base + (area->next << area->shift);
    arena.allocation[number].slots = slots;
    for (uint32_t i = 0; i < slots; i++)
        area->slot[area->next + i] = number;
    area->next += slots;
    return number;
}

static size_t heap_takes(size_t bytes)
{
    return (bytes / HEAP_GRAIN + 1) * HEAP_GRAIN;
}

void *hostcuda_allocate(size_t bytes, enum hostcuda_memory kind)
{
    struct area *area = &arena.area[kind == HOSTCUDA_HEAP];
    if (bytes > area->bytes / 2)
        return NULL;
    uint32_t slots =
        (uint32_t)((bytes + area->margin + ((size_t)1 << area->shift) - 1) >> area->shift);
    void *at = NULL;
    pthread_mutex_lock(&arena.lock);
    bool full = kind == HOSTCUDA_HEAP && arena.heap_bytes + heap_takes(bytes) > arena.heap_limit;
    uint32_t number = !full && arena_map() ? allocation_new(area, slots) : 0;
    if (number) {
        struct allocation *allocation = &arena.allocation[number];
        allocation->bytes = bytes;
        allocation->kind = (uint8_t)kind;
        allocation->live = true;
        at = (void *)allocation->base;
        if (kind == HOSTCUDA_HEAP)
            arena.heap_bytes += heap_takes(bytes);
        else if (kind != HOSTCUDA_PINNED)
            arena.device_bytes += bytes;
    }
    pthread_mutex_unlock(&arena.lock);
    return at;
}

/* cudaFree frees managed memory, too. */
static bool frees(enum hostcuda_memory how, uint8_t kind)
{
    bool same = how == kind;
    return same || (how <= HOSTCUDA_MANAGED && kind <= HOSTCUDA_MANAGED);
}

int hostcuda_release(void *at, enum hostcuda_memory kind)
{
    int status = 0;
    if (!at)
        return 0;
    pthread_mutex_lock(&arena.lock);
    struct allocation *allocation = allocation_at(at);
    if (!allocation || !allocation->live || allocation->base != (uintptr_t)at ||
        !frees(kind, allocation->kind)) {
        status = ERROR_INVALID_VALUE;
    } else {
        size_t bytes = (size_t)allocation->slots << area_of(at)->shift;
        allocation->live = false;
        if (kind == HOSTCUDA_HEAP) {
            arena.heap_bytes -= heap_takes(allocation->bytes);
            memset(arena_state(at), 0, bytes / 4);
        } else {
            arena.device_bytes -= kind == HOSTCUDA_PINNED ? 0 : allocation->bytes;
            madvise(at, bytes, MADV_DONTNEED);
            madvise(arena_state(at), bytes / 4, MADV_DONTNEED);
        }
    }
    pthread_mutex_unlock(&arena.lock);
    return status;
}

size_t hostcuda_heap_limit(size_t bytes)
{
    pthread_mutex_lock(&arena.lock);
    if (bytes)
        arena.heap_limit = bytes < HEAP_BYTES ? bytes : HEAP_BYTES;
    size_t limit = arena.heap_limit;
    pthread_mutex_unlock(&arena.lock);
    return limit;
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
    const struct allocation *behind =
        allocation_at((const char *)at + ((size_t)1 << area_of(at)->shift));
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
    reads = reads && !arena.unknown &&
            (allocation->kind == HOSTCUDA_DEVICE || allocation->kind == HOSTCUDA_HEAP);
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

void arena_leaks(bool heap, uint64_t *count, uint64_t *bytes)
{
    *count = *bytes = 0;
    for (uint32_t i = 1; i < arena.count; i++)
        if (arena.allocation[i].live && (arena.allocation[i].kind == HOSTCUDA_HEAP) == heap) {
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
