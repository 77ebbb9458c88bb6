/* memory.c - the memory spaces of the device: what an address stands for.
 *
 * Global memory is ranges of the caller's. Shared memory is the block's, local memory a part of the frame
 * of the call that it belongs to, parameters a buffer of the launch. A generic address says by its
 * highest byte which of them it means (WINDOW_SHARED, ...); global ones are themselves.
 *
 *     st.global.u32 [%rd1], %r1;      %rd1 = 0x00007f0012345678: in a range that has it, or a fault
 *     st.shared.u32 [%r2], %r1;       %r2 = 12: byte 12 of the block's shared memory
 *     st.u32 [%rd3], %r1;             %rd3 = 0x010000000000000c: the same, by a generic address
 */
#include "machine/check/check.h"
#include "machine/local.h"
#include "machine/module.h"

#include <string.h>

/* ---- ranges ---------------------------------------------------------------------------------- */

struct machine_memory *machine_memory_new(const struct allocator *allocator)
{
    struct machine_memory *memory = allocator->resize(allocator->context, NULL, 0, sizeof *memory);
    if (memory)
        *memory = (struct machine_memory){.allocator = *allocator};
    return memory;
}

static size_t bits(uint64_t bytes)
{
    return (size_t)(bytes / 8 + 8); /* so that words of them can be looked at */
}

static void drop_written(struct machine_memory *memory, struct machine_range *range)
{
    if (range->written)
        memory->allocator.resize(memory->allocator.context, range->written, bits(range->bytes), 0);
    range->written = NULL;
}

void machine_memory_free(struct machine_memory *memory)
{
    if (!memory)
        return;
    struct allocator allocator = memory->allocator;
    heap_free(memory);
    check_free_spare(memory);
    for (int i = 0; i < memory->ranges; i++)
        drop_written(memory, &memory->range[i]);
    if (memory->range)
        allocator.resize(allocator.context, memory->range,
                         (size_t)memory->room * sizeof *memory->range, 0);
    allocator.resize(allocator.context, memory, sizeof *memory, 0);
}

/* The index of the first range that ends behind the address. */
static int first_behind(const struct machine_memory *memory, uint64_t address)
{
    int low = 0, high = memory->ranges;
    while (low < high) {
        int middle = (low + high) / 2;
        const struct machine_range *range = &memory->range[middle];
        if (range->address + range->bytes > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool grow_ranges(struct machine_memory *memory)
{
    const int room = memory->room ? 2 * memory->room : 64;
    if (memory->ranges < memory->room)
        return true;
    struct machine_range *range = memory->allocator.resize(memory->allocator.context, memory->range,
                                                           (size_t)memory->room * sizeof *range,
                                                           (size_t)room * sizeof *range);
    if (!range)
        return false;
    memory->range = range;
    memory->room = room;
    return true;
}

bool machine_memory_add(struct machine_memory *memory, const struct machine_range *range,
                        bool undefined, struct error *error)
{
    if (range->address < 4096 || range->address + range->bytes < range->address ||
        range->address + range->bytes > WINDOW_SHARED)
        return error_set(error, "no memory of the device can be at address 0x%llx",
                         (unsigned long long)range->address);
    const int at = first_behind(memory, range->address);
    int behind = at; /* freed ones that it covers are forgotten */
    while (behind < memory->ranges &&
           memory->range[behind].address < range->address + range->bytes) {
        if (!memory->range[behind].freed)
            return error_set(error, "memory at 0x%llx is the device's already",
                             (unsigned long long)range->address);
        drop_written(memory, &memory->range[behind++]);
    }
    if (!grow_ranges(memory))
        return error_set(error, "out of memory for the device's allocations");
    memmove(&memory->range[at + 1], &memory->range[behind],
            (size_t)(memory->ranges - behind) * sizeof *range);
    memory->ranges += 1 - (behind - at);
    memory->range[at] = *range;
    memory->range[at].written = NULL;
    if (!undefined)
        return true;
    memory->range[at].written =
        memory->allocator.resize(memory->allocator.context, NULL, 0, bits(range->bytes));
    if (memory->range[at].written)
        memset(memory->range[at].written, 0, bits(range->bytes));
    return true; /* without, reads of what was never written are not found */
}

bool machine_memory_remove(struct machine_memory *memory, uint64_t address)
{
    for (int i = first_behind(memory, address); i < memory->ranges; i++) {
        struct machine_range *range = &memory->range[i];
        if (range->address > address)
            break;
        if (range->address == address && !range->freed) {
            drop_written(memory, range);
            range->freed = true;
            return true;
        }
    }
    return false;
}

const struct machine_range *machine_memory_at(const struct machine_memory *memory, int index)
{
    return index >= 0 && index < memory->ranges ? &memory->range[index] : NULL;
}

const struct machine_range *machine_memory_find(const struct machine_memory *memory,
                                                uint64_t address)
{
    const int at = first_behind(memory, address);
    return at < memory->ranges && memory->range[at].address <= address ? &memory->range[at] : NULL;
}

/* The part of first..first+bytes that is in the range, as offsets. */
static bool overlap(const struct machine_range *range, uint64_t address, uint64_t bytes,
                    uint64_t *from, uint64_t *to)
{
    const uint64_t end = address + bytes, last = range->address + range->bytes;
    *from = address > range->address ? address - range->address : 0;
    *to = (end < last ? end : last) - range->address;
    return range->address < end && last > address;
}

void written_set(uint8_t *bits, uint64_t from, uint64_t bytes)
{
    while (bytes) {
        const uint64_t first = from % 8, count = 8 - first < bytes ? 8 - first : bytes;
        const uint8_t mask = (uint8_t)(((1u << count) - 1) << first);
        uint8_t *at = &bits[from / 8];
        if (mask == 255)
            __atomic_store_n(at, mask, __ATOMIC_RELAXED);
        else if ((__atomic_load_n(at, __ATOMIC_RELAXED) & mask) != mask)
            __atomic_fetch_or(at, mask, __ATOMIC_RELAXED);
        from += count;
        bytes -= count;
    }
}

void written_clear(uint8_t *bits, uint64_t from, uint64_t bytes)
{
    for (; bytes; bytes--, from++)
        __atomic_fetch_and(&bits[from / 8], (uint8_t) ~(1u << from % 8), __ATOMIC_RELAXED);
}

uint64_t written_count(const uint8_t *bits, uint64_t from, uint64_t bytes)
{
    uint64_t count = 0;
    while (bytes) {
        const uint64_t first = from % 8, some = 8 - first < bytes ? 8 - first : bytes;
        const uint8_t mask = (uint8_t)(((1u << some) - 1) << first);
        const uint8_t set = __atomic_load_n(&bits[from / 8], __ATOMIC_RELAXED) & mask;
        count += set == mask ? some : (uint64_t)__builtin_popcount(set);
        from += some;
        bytes -= some;
    }
    return count;
}

void machine_memory_written(struct machine_memory *memory, uint64_t address, uint64_t bytes)
{
    for (int i = first_behind(memory, address); i < memory->ranges; i++) {
        const struct machine_range *range = &memory->range[i];
        uint64_t from, to;
        if (!overlap(range, address, bytes, &from, &to))
            return;
        const uint64_t first = (from + 7) & ~(uint64_t)7, last = to & ~(uint64_t)7;
        if (!range->written)
            continue;
        if (first >= last) {
            written_set(range->written, from, to - from);
            continue;
        }
        written_set(range->written, from, first - from);
        memset(&range->written[first / 8], 255, (size_t)((last - first) / 8));
        written_set(range->written, last, to - last);
    }
}

void memory_forget_unwritten(struct machine_memory *memory)
{
    for (int i = 0; i < memory->ranges; i++)
        drop_written(memory, &memory->range[i]);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static const char *const kinds[MACHINE_MEMORY_KINDS] = {
    [MACHINE_DEVICE] = "device memory",      [MACHINE_MANAGED] = "managed memory",
    [MACHINE_PINNED] = "pinned host memory", [MACHINE_VARIABLE] = "the variable",
    [MACHINE_HEAP] = "the kernels' heap",    [MACHINE_PASSED] = "parameters of launches",
};

/* "an allocation of 400 bytes (device memory)", "the variable table of 64 bytes" */
static void name_range(const struct machine_range *range, char *text, size_t room)
{
    text[0] = '\0';
    if (range->name)
        text_add(text, room, "%s (%s, %llu bytes)", range->name, kinds[range->kind],
                 (unsigned long long)range->bytes);
    else
        text_add(text, room, "an allocation of %llu bytes (%s)", (unsigned long long)range->bytes,
                 kinds[range->kind]);
}

void memory_name(const struct machine_range *range, uint64_t at, char *text, size_t room)
{
    char name[200];
    name_range(range, name, sizeof name);
    text[0] = '\0';
    text_add(text, room, "byte %llu of %s", (unsigned long long)at, name);
}

static uint8_t *bad_global(struct warp *warp, int lane, uint64_t address, uint32_t bytes,
                           const char *what)
{
    const struct machine_memory *memory = warp->run->memory;
    const int at = first_behind(memory, address);
    char name[200];
    const struct machine_range *here = machine_memory_find(memory, address);
    const struct machine_range *before = at > 0 ? &memory->range[at - 1] : NULL;
    if (here && here->freed) {
        name_range(here, name, sizeof name);
        fault(warp, lane, MACHINE_FAULT_ADDRESS, "%s of %u bytes in %s that was freed", what, bytes,
              name);
    } else if (here && here->read_only) {
        name_range(here, name, sizeof name);
        fault(warp, lane, MACHINE_FAULT_ADDRESS, "%s of %u bytes in %s, which is read-only", what,
              bytes, name);
    } else if (here || (before && address - before->address - before->bytes < 4096)) {
        const struct machine_range *range = here ? here : before;
        name_range(range, name, sizeof name);
        fault(warp, lane, MACHINE_FAULT_ADDRESS, "%s of %u bytes at byte %llu of %s", what, bytes,
              (unsigned long long)(address - range->address), name);
    } else if (address < 4096) {
        fault(warp, lane, MACHINE_FAULT_ADDRESS, "%s of %u bytes through a null pointer (0x%llx)",
              what, bytes, (unsigned long long)address);
    } else {
        fault(warp, lane, MACHINE_FAULT_ADDRESS,
              "%s of %u bytes at 0x%llx, which is no memory of the device (a host pointer?)", what,
              bytes, (unsigned long long)address);
    }
    return NULL;
}

/* How far it is from the bytes to a live allocation of the device's; UINT64_MAX: it is none. */
static uint64_t distance_to(const struct machine_range *range, uint64_t address, uint32_t bytes)
{
    if (!range || range->kind != MACHINE_DEVICE || range->freed)
        return UINT64_MAX;
    if (address >= range->address + range->bytes)
        return address - range->address - range->bytes;
    return range->address - address >= bytes ? range->address - address - bytes : UINT64_MAX;
}

/* A load beside an allocation. A GPU maps memory in pages of 2 MiB, and a load up to the end of an allocation's last
 * page reads what happens to be there (tests/data/h100-beside.txt). Here it is told, reads zeros, and the launch goes
 * on, up to 2 MiB away. NULL: there is no allocation so near. */
static uint8_t *beside(struct warp *warp, int lane, uint64_t address, uint32_t bytes)
{
    enum { NEAR = 2 << 20 };
    static uint8_t zeros[16]; /* which nobody writes */
    const struct machine_memory *memory = warp->run->memory;
    const int at = first_behind(memory, address);
    const struct machine_range *before = at > 0 ? &memory->range[at - 1] : NULL;
    const struct machine_range *after = at < memory->ranges ? &memory->range[at] : NULL;
    const uint64_t behind = distance_to(before, address, bytes),
                   ahead = distance_to(after, address, bytes);
    char name[200];
    if (bytes > sizeof zeros || (behind > NEAR && ahead > NEAR))
        return NULL;
    name_range(behind < ahead ? before : after, name, sizeof name);
    if (behind < ahead)
        finding(warp, lane, MACHINE_FAULT_BOUNDS, -1, "a load of %u bytes at byte %llu of %s",
                bytes, (unsigned long long)(address - before->address), name);
    else
        finding(warp, lane, MACHINE_FAULT_BOUNDS, -1, "a load of %u bytes, %llu bytes before %s",
                bytes, (unsigned long long)(after->address - address), name);
    return zeros;
}

/* ---- addresses of lanes ---------------------------------------------------------------------- */

static uint8_t *global_at(struct warp *warp, int lane, uint64_t address, uint32_t bytes,
                          bool writes)
{
    const struct machine_range *range = warp->worker->range;
    if (!range || address < range->address || address - range->address >= range->bytes ||
        range->freed)
        range = machine_memory_find(warp->run->memory, address);
    if (!range || range->freed || (writes && range->read_only) ||
        address - range->address + bytes > range->bytes) {
        uint8_t *there = writes || range ? NULL : beside(warp, lane, address, bytes);
        return there ? there
                     : bad_global(warp, lane, address, bytes, writes ? "a store" : "a load");
    }
    warp->worker->range = range;
    if (writes && range->written)
        written_set(range->written, address - range->address, bytes);
    return range->host + (address - range->address);
}

static uint8_t *shared_at(struct warp *warp, int lane, uint64_t address, uint32_t bytes,
                          bool writes)
{
    uint64_t within = address;
    const struct block *block = cluster_block(warp, address, &within);
    const bool alone = warp->run->cluster_blocks == 1; /* then an address is a number of bytes */
    if (!block || within + bytes > warp->run->shared_bytes || within + bytes < within) {
        const struct kernel_code *kernel = warp->run->kernel;
        const struct machine_shared *only = alone && kernel->shareds == 1 ? kernel->shared : NULL;
        /* One of 32 bits may be before the beginning. */
        const long long at = !alone                  ? (long long)within
                             : address <= UINT32_MAX ? (int32_t)(uint32_t)address
                                                     : (long long)address;
        const char *what = writes ? "a store" : "a load";
        if (only)
            fault(warp, lane, MACHINE_FAULT_ADDRESS,
                  "%s of %u bytes at byte %lld of %.*s, which has %u bytes", what, bytes,
                  at - only->offset, SLICE(check_plain_name(only->name)),
                  only->dynamic ? warp->run->launch.dynamic_shared : only->bytes);
        else
            fault(
                warp, lane, MACHINE_FAULT_ADDRESS,
                block || alone
                    ? "%s of %u bytes at byte %lld of shared memory, of which the block has %u"
                    : "%s of %u bytes at 0x%llx, which is shared memory of no block of the cluster",
                what, bytes, at, warp->run->shared_bytes);
        return NULL;
    }
    return block->shared + within;
}

static uint8_t *local_at(struct warp *warp, int lane, uint64_t address, uint32_t bytes, bool writes)
{
    for (const struct frame *frame = warp->frame; frame; frame = frame->caller) {
        const uint32_t room = frame->code->local_bytes;
        const uint64_t at = address - frame->local_base;
        if (address >= frame->local_base && at + bytes <= room)
            return frame->local + (uint64_t)lane * room + at;
        uint8_t *taken = stack_at(frame, lane, address, bytes);
        if (taken)
            return taken;
    }
    fault(warp, lane, MACHINE_FAULT_ADDRESS,
          "a %s of %u bytes at byte %lld of local memory, outside of all local variables",
          writes ? "store" : "load", bytes, (long long)address);
    return NULL;
}

static uint8_t *parameter_at(struct warp *warp, int lane, uint64_t address, uint32_t bytes,
                             bool writes)
{
    const uint32_t room = warp->run->kernel->entry->parameter_bytes;
    if (writes || address + bytes > room || address + bytes < address) {
        fault(warp, lane, MACHINE_FAULT_ADDRESS,
              "a %s of %u bytes at byte %lld of the kernel's parameters, which are %u bytes%s",
              writes ? "store" : "load", bytes, (long long)address, room,
              writes ? " and read-only" : "");
        return NULL;
    }
    return (uint8_t *)warp->parameters + address;
}

uint8_t *memory_span(struct warp *warp, int lane, enum ptx_space space, uint64_t address,
                     uint32_t bytes, uint32_t align, bool writes)
{
    if (space == PTX_GENERIC) {
        const uint64_t window = WINDOW(address);
        space = window == WINDOW_SHARED      ? PTX_SHARED
                : window == WINDOW_LOCAL     ? PTX_LOCAL
                : window == WINDOW_PARAMETER ? PTX_PARAM
                                             : PTX_GLOBAL;
        address = address_within(address);
    }
    if (address & (align - 1)) {
        const bool shared = space == PTX_SHARED;
        fault(warp, lane, MACHINE_FAULT_ALIGNMENT,
              shared ? "%s of %u bytes at byte %llu of shared memory, not a multiple of %u"
                     : "%s of %u bytes at 0x%llx, not a multiple of %u",
              writes ? "a store" : "a load", bytes, (unsigned long long)address, align);
        return NULL;
    }
    switch (space) {
    case PTX_SHARED:
        return shared_at(warp, lane, address, bytes, writes);
    case PTX_LOCAL:
        return local_at(warp, lane, address, bytes, writes);
    case PTX_PARAM:
        return parameter_at(warp, lane, address, bytes, writes);
    default:
        return global_at(warp, lane, address, bytes, writes);
    }
}

uint8_t *memory_at(struct warp *warp, int lane, enum ptx_space space, uint64_t address,
                   uint32_t bytes, bool writes)
{
    return memory_span(warp, lane, space, address, bytes, bytes, writes);
}

bool memory_text(struct warp *warp, int lane, uint64_t address, char *text, size_t room)
{
    for (size_t i = 0; i < room; i++) {
        const uint8_t *byte = memory_at(warp, lane, PTX_GENERIC, address + i, 1, false);
        if (!byte)
            return false;
        text[i] = (char)*byte;
        if (!*byte)
            return true;
    }
    text[room - 1] = '\0';
    return true;
}
