/* arena.c - device memory: two ranges of addresses, so that any address tells what it is.
 *
 * One is the device's alone: the host cannot read it where its pointers point, as on a GPU, and a program that
 * does ends by a segmentation fault, of which the line is told. The runtime and the machine have the same pages
 * at another place (runtime_host). The other range is memory that host and device share.
 *
 * An allocation begins at a slot of 64 KiB and leaves at least 256 bytes free behind it: a pointer that
 * runs out of its allocation at either end is outside of every one. Pages are taken from the system as they
 * are touched. Freed slots are used again only when there are no fresh ones, so that a later use is found.
 * The machine has the same ranges (machine_memory_add) and knows which bytes were written.
 */
#define _GNU_SOURCE
#include "program/runtime/runtime.h"
#include "instrument/interrupted.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SHIFT = 16 /* a slot has 1 << SHIFT bytes */, MARGIN = 256, SPARE = 256 /* slots */ };
#define AREA_MOST ((size_t)1 << 38)
#define AREA_LEAST ((size_t)1 << 28)

struct allocation {
    uintptr_t base;
    size_t bytes;
    uint32_t slots;
    uint8_t kind;
    bool live;
    bool reserved; /* addresses, of which the first `bytes` have memory */
};

/* A range of addresses, cut into slots. */
struct area {
    uintptr_t place; /* where it is to be, if that is free */
    uintptr_t base;
    size_t bytes;
    uintptr_t host; /* where its pages can be used */
    uint32_t *slot; /* the allocation of each slot, 0: none */
    size_t next;    /* fresh slot */
    size_t again;   /* where freed slots are looked for next */
};

static struct {
    struct area area[2];           /* of the device; shared */
    struct allocation *allocation; /* [0] is none */
    size_t count, room;
    size_t device_bytes;
    struct registered { /* host memory that the device may use */
        uintptr_t base;
        size_t bytes;
    } * registered;
    size_t registrations, registered_room;
} arena = {.area = {{.place = 0x100000000000}, {.place = 0x180000000000}}};

/* ---- areas --------------------------------------------------------------------------------------- */

static void *map(void *at, size_t bytes, int protection)
{
    void *got =
        mmap(at, bytes, protection,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0), -1, 0);
    return got == MAP_FAILED || (at && got != at) ? NULL : got;
}

static uintptr_t map_near(uintptr_t place, size_t bytes, int protection)
{
    void *at = map((void *)place, bytes, protection);
    return (uintptr_t)(at ? at : map(NULL, bytes, protection));
}

/* Pages of their own. NULL: the system gives none. */
static void *map_pages(size_t bytes)
{
    int file = memfd_create("device", MFD_CLOEXEC);
    void *at = MAP_FAILED;
    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0)
        at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (file >= 0)
        close(file);
    return at == MAP_FAILED ? NULL : at;
}

/* So much of the device's area. Where pages cannot be in two places, the host may read it. */
static void map_hidden(struct area *area, size_t bytes)
{
    void *pages = map_pages(bytes);
    area->base = map_near(area->place, bytes, pages ? PROT_NONE : PROT_READ | PROT_WRITE);
    area->host = pages ? (uintptr_t)pages : area->base;
    if (!area->base && pages)
        munmap(pages, bytes);
}

static void watch_host(void);

/* As much as the system gives. Its first slots stay free, so that indices below the first allocation are
 * still in it. */
static bool area_map(struct area *area)
{
    bool hidden = area == &arena.area[0];
    if (area->slot)
        return true;
    for (size_t bytes = AREA_MOST; !area->base && bytes >= AREA_LEAST; bytes /= 2) {
        area->bytes = bytes;
        if (hidden)
            map_hidden(area, bytes);
        else
            area->host = area->base = map_near(area->place, bytes, PROT_READ | PROT_WRITE);
    }
    if (!area->base)
        return false;
    area->slot = map(NULL, (area->bytes >> SHIFT) * sizeof *area->slot, PROT_READ | PROT_WRITE);
    area->next = SPARE;
    arena.count = arena.count ? arena.count : 1;
    if (hidden)
        watch_host();
    return area->slot;
}

/* The area that an address is in, or NULL. */
static struct area *area_of(const void *at)
{
    for (int i = 0; i < 2; i++)
        if (arena.area[i].slot && (uintptr_t)at - arena.area[i].base < arena.area[i].bytes)
            return &arena.area[i];
    return NULL;
}

static bool arena_has(const void *at)
{
    return area_of(at);
}

void *runtime_host(const void *at)
{
    const struct area *area = area_of(at);
    return (void *)(area ? (uintptr_t)at - area->base + area->host : (uintptr_t)at);
}

/* The allocation whose slots the address is in, or NULL. */
static struct allocation *allocation_at(const void *at)
{
    const struct area *area = area_of(at);
    uint32_t number = area ? area->slot[((uintptr_t)at - area->base) >> SHIFT] : 0;
    return number ? &arena.allocation[number] : NULL;
}

/* ---- allocations --------------------------------------------------------------------------------- */

/* A freed run of slots that is long enough, or 0. */
static size_t freed_run(struct area *area, uint32_t slots)
{
    for (size_t tries = 1; tries < arena.count; tries++) {
        size_t i = area->again = area->again % (arena.count - 1) + 1;
        const struct allocation *allocation = &arena.allocation[i];
        if (!allocation->live && allocation->slots >= slots &&
            area_of((void *)allocation->base) == area)
            return i;
    }
    return 0;
}

static size_t allocation_new(struct area *area, uint32_t slots)
{
    if (area->next + slots > area->bytes >> SHIFT)
        return freed_run(area, slots);
    if (!runtime_grow(&arena.allocation, &arena.room, arena.count + 1, sizeof *arena.allocation))
        return 0;
    size_t number = arena.count++;
    arena.allocation[number].base = area->base + (area->next << SHIFT);
    arena.allocation[number].slots = slots;
    for (uint32_t i = 0; i < slots; i++)
        area->slot[area->next + i] = (uint32_t)number;
    area->next += slots;
    return number;
}

static bool tell_machine(uintptr_t base, size_t bytes, enum machine_memory_kind kind)
{
    struct error error = {""};
    struct machine_range range = {
        .address = base, .bytes = bytes, .host = runtime_host((void *)base), .kind = kind};
    return machine_memory_add(runtime_begin()->memory, &range, kind == MACHINE_DEVICE, &error);
}

static void *allocate(size_t bytes, enum machine_memory_kind kind)
{
    struct area *area = &arena.area[kind != MACHINE_DEVICE];
    size_t slots = (bytes + MARGIN + ((size_t)1 << SHIFT) - 1) >> SHIFT;
    bool fits = area_map(area) && slots < area->bytes >> SHIFT;
    size_t number = fits ? allocation_new(area, (uint32_t)slots) : 0;
    struct allocation *allocation = &arena.allocation[number];
    if (!number || !tell_machine(allocation->base, bytes, kind))
        return NULL;
    allocation->bytes = bytes;
    allocation->kind = (uint8_t)kind;
    allocation->live = true;
    if (kind != MACHINE_PINNED)
        arena.device_bytes += bytes;
    return (void *)allocation->base;
}

void *runtime_allocate(size_t bytes, enum machine_memory_kind kind)
{
    runtime_lock();
    void *at = bytes <= AREA_MOST ? allocate(bytes, kind) : NULL;
    if (at)
        runtime_order_forget((uintptr_t)at, bytes);
    runtime_unlock();
    return at;
}

/* cudaFree frees managed memory, too. */
static bool frees(enum machine_memory_kind how, uint8_t kind)
{
    return how == (enum machine_memory_kind)kind ||
           (how == MACHINE_DEVICE && kind == MACHINE_MANAGED);
}

static void release(struct allocation *allocation)
{
    size_t bytes = (size_t)allocation->slots << SHIFT;
    allocation->live = false;
    runtime_repeat_forget();
    machine_memory_remove(runtime_begin()->memory, allocation->base);
    if (allocation->kind != MACHINE_PINNED)
        arena.device_bytes -= allocation->bytes;
    void *pages = runtime_host((void *)allocation->base);
    bool shared = (uintptr_t)pages != allocation->base;
    madvise(pages, bytes, shared ? MADV_REMOVE : MADV_DONTNEED);
}

cudaError_t runtime_release(void *at, enum machine_memory_kind kind)
{
    runtime_lock();
    struct allocation *allocation = allocation_at(at);
    bool good = allocation && allocation->live && !allocation->reserved &&
                allocation->base == (uintptr_t)at && frees(kind, allocation->kind);
    if (good)
        release(allocation);
    runtime_unlock();
    return good ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- addresses without memory ------------------------------------------------------------------------ */

void *runtime_reserve(size_t bytes, size_t alignment)
{
    struct area *area = &arena.area[0];
    const size_t slots = (bytes + MARGIN + ((size_t)1 << SHIFT) - 1) >> SHIFT;
    size_t number = 0;
    runtime_lock();
    if (bytes <= AREA_MOST && area_map(area)) {
        while ((area->base + (area->next << SHIFT)) % alignment &&
               area->next < area->bytes >> SHIFT)
            area->next++;
        if (area->next + slots <= area->bytes >> SHIFT)
            number = allocation_new(area, (uint32_t)slots);
    }
    struct allocation *allocation = &arena.allocation[number];
    if (number) {
        allocation->bytes = 0;
        allocation->kind = MACHINE_DEVICE;
        allocation->live = allocation->reserved = true;
    }
    runtime_unlock();
    return number ? (void *)allocation->base : NULL;
}

static bool use(struct allocation *allocation, size_t bytes)
{
    const size_t before = allocation->bytes, stays = before < bytes ? before : bytes;
    unsigned char *pages = runtime_host((void *)allocation->base);
    runtime_repeat_forget();
    if (before)
        machine_memory_remove(runtime_begin()->memory, allocation->base);
    arena.device_bytes += bytes - before;
    allocation->bytes = bytes;
    if (bytes < before)
        madvise(pages + bytes, before - bytes,
                (uintptr_t)pages != allocation->base ? MADV_REMOVE : MADV_DONTNEED);
    if (bytes && !tell_machine(allocation->base, bytes, MACHINE_DEVICE))
        return false;
    machine_memory_written(runtime_begin()->memory, allocation->base, stays);
    return true;
}

bool runtime_use(void *at, size_t bytes)
{
    runtime_lock();
    const bool good = use(allocation_at(at), bytes);
    runtime_unlock();
    return good;
}

void runtime_unreserve(void *at)
{
    runtime_lock();
    struct allocation *allocation = allocation_at(at);
    release(allocation);
    allocation->reserved = false;
    runtime_unlock();
}

/* ---- host memory that the device may use ------------------------------------------------------- */

bool runtime_has_registered(void)
{
    return arena.registrations > 0;
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned int flags)
{
    struct runtime_region region;
    (void)flags;
    RETURN_STICKY();
    REQUIRE(memory && bytes > 0);
    if (runtime_find(memory, &region))
        return runtime_remember(cudaErrorHostMemoryAlreadyRegistered);
    runtime_lock();
    bool good = runtime_grow(&arena.registered, &arena.registered_room, arena.registrations + 1,
                             sizeof *arena.registered) &&
                tell_machine((uintptr_t)memory, bytes, MACHINE_PINNED);
    if (good)
        arena.registered[arena.registrations++] = (struct registered){(uintptr_t)memory, bytes};
    runtime_unlock();
    return good ? cudaSuccess : runtime_remember(cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void *memory)
{
    cudaError_t error = cudaErrorHostMemoryNotRegistered;
    RETURN_STICKY();
    REQUIRE(memory);
    runtime_lock();
    for (size_t i = 0; i < arena.registrations && error != cudaSuccess; i++)
        if (arena.registered[i].base == (uintptr_t)memory) {
            arena.registered[i] = arena.registered[--arena.registrations];
            runtime_repeat_forget();
            machine_memory_remove(runtime_begin()->memory, (uintptr_t)memory);
            error = cudaSuccess;
        }
    runtime_unlock();
    return runtime_remember(error);
}

/* ---- what an address is in --------------------------------------------------------------------- */

/* A variable of the program's, or registered memory. */
static bool find_elsewhere(const void *at, struct runtime_region *region)
{
    const struct machine_range *range = machine_memory_find(runtime_begin()->memory, (uintptr_t)at);
    if (!range || range->freed)
        return false;
    *region = (struct runtime_region){(unsigned char *)(uintptr_t)range->address, range->bytes,
                                      range->kind};
    return true;
}

bool runtime_find(const void *at, struct runtime_region *region)
{
    runtime_lock();
    const struct allocation *allocation = allocation_at(at);
    bool found =
        allocation && allocation->live && (uintptr_t)at - allocation->base < allocation->bytes;
    if (found)
        *region = (struct runtime_region){(unsigned char *)allocation->base, allocation->bytes,
                                          (enum machine_memory_kind)allocation->kind};
    else if (!arena_has(at))
        found = find_elsewhere(at, region);
    runtime_unlock();
    return found;
}

/* The allocation that the address is in, or the one nearest to it, or NULL. */
static const struct allocation *nearest(const void *at)
{
    const struct allocation *here = allocation_at(at);
    const struct allocation *behind = allocation_at((const char *)at + ((size_t)1 << SHIFT));
    bool inside = here && (uintptr_t)at - here->base < here->bytes;
    if (!behind || behind == here || inside || (uintptr_t)at >= behind->base)
        return here;
    bool nearer = !here || (uintptr_t)at - here->base - here->bytes > behind->base - (uintptr_t)at;
    return nearer ? behind : here;
}

static void report_access(const char *what, const void *at, size_t bytes, bool writes)
{
    const struct allocation *near = nearest(at);
    const char *does = writes ? "writes" : "reads";
    if (!near) {
        runtime_report_line(RECORDS_ARGUMENT, NULL,
                            "%s %s %zu bytes of device memory at %p, where nothing is allocated",
                            what, does, bytes, at);
        return;
    }
    if (!near->live) {
        runtime_report_line(RECORDS_ARGUMENT, NULL,
                            "%s %s %zu bytes of device memory that was freed", what, does, bytes);
        return;
    }
    long long offset = (long long)((uintptr_t)at - near->base);
    runtime_report_line(RECORDS_ARGUMENT, NULL,
                        "%s %s %zu bytes from byte %lld of an allocation of %zu bytes", what, does,
                        bytes, offset, near->bytes);
}

/* Outside of the arena: a variable must be big enough; the host's own memory is the host's business. */
static bool good_elsewhere(const char *what, const void *at, size_t bytes, bool writes)
{
    struct runtime_region region;
    if (!find_elsewhere(at, &region) || region.kind != MACHINE_VARIABLE)
        return true;
    size_t offset = (size_t)((const unsigned char *)at - region.base);
    if (bytes <= region.bytes - offset)
        return true;
    runtime_report_line(RECORDS_ARGUMENT, NULL,
                        "%s %s %zu bytes from byte %zu of a variable of %zu bytes", what,
                        writes ? "writes" : "reads", bytes, offset, region.bytes);
    return false;
}

static bool access_locked(const char *what, const void *at, size_t bytes, bool writes)
{
    const struct allocation *allocation = allocation_at(at);
    if (!arena_has(at) && !good_elsewhere(what, at, bytes, writes))
        return false;
    if (arena_has(at) &&
        !(allocation && allocation->live && (uintptr_t)at - allocation->base <= allocation->bytes &&
          bytes <= allocation->bytes - ((uintptr_t)at - allocation->base))) {
        report_access(what, at, bytes, writes);
        return false;
    }
    if (writes) {
        machine_memory_written(runtime_begin()->memory, (uintptr_t)at, bytes);
        runtime_repeat_touch(at);
    }
    return true;
}

cudaError_t runtime_access(const char *what, const void *at, size_t bytes, bool writes)
{
    if (!bytes)
        return cudaSuccess;
    runtime_lock();
    bool good = access_locked(what, at, bytes, writes);
    runtime_unlock();
    return good ? cudaSuccess : cudaErrorInvalidValue;
}

bool runtime_is_device(const void *at)
{
    return arena_has(at);
}

void runtime_report_free(const char *what, const void *at)
{
    runtime_lock();
    const struct allocation *allocation = allocation_at(at);
    bool begins = allocation && allocation->base == (uintptr_t)at;
    runtime_unlock();
    runtime_report_line(RECORDS_ARGUMENT, NULL, "%s of %p, %s", what, at,
                        !begins            ? "which is not where an allocation begins"
                        : allocation->live ? "which another function allocated"
                                           : "which was freed before");
}

/* ---- the host, where it may not be ------------------------------------------------------------- */

/* Tells of it, and lets the fault happen. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    const void *at = info->si_addr;
    const struct allocation *near = area_of(at) == &arena.area[0] ? nearest(at) : NULL;
    if (near) {
        runtime_called_from(runtime_place(interrupted(context)));
        runtime_report_line(
            RECORDS_ARGUMENT, NULL,
            "the host uses device memory: byte %lld of an allocation of %zu bytes%s; "
            "copy it with cudaMemcpy",
            (long long)((uintptr_t)at - near->base), near->bytes,
            near->live ? "" : " that was freed");
    }
    sigaction(signal, &standard, NULL);
}

/* A program that handles the signal itself knows what it does. */
static void watch_host(void)
{
    struct sigaction before, ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (!sigaction(SIGSEGV, NULL, &before) && before.sa_handler == SIG_DFL)
        sigaction(SIGSEGV, &ours, NULL);
}

size_t runtime_device_bytes(void)
{
    return arena.device_bytes;
}

void runtime_leaks(uint64_t *count, uint64_t *bytes)
{
    *count = *bytes = 0;
    for (size_t i = 1; i < arena.count; i++)
        if (arena.allocation[i].live) {
            ++*count;
            *bytes += arena.allocation[i].bytes;
        }
}

void runtime_release_all(void)
{
    for (size_t i = 1; i < arena.count; i++)
        if (arena.allocation[i].live)
            release(&arena.allocation[i]);
}
