/* stack.c - memory that a function takes from its thread's stack while it runs (alloca), and gives back when it returns or
 * earlier (stacksave, stackrestore). It lies behind the function's local variables, and the functions that it calls have theirs
 * behind it. */
#include "machine/module.h"

#include <string.h>

struct stack_memory {
    uint32_t used[MACHINE_LANES];
    uint32_t room; /* of a lane */
    uint8_t *bytes;
};

static uint64_t base_of(const struct frame *frame)
{
    return frame->local_base + (uint64_t)frame->code->local_bytes;
}

void stack_clear(struct frame *frame)
{
    if (frame->stack_memory)
        memset(frame->stack_memory->used, 0, sizeof frame->stack_memory->used);
}

uint32_t stack_most(const struct frame *frame, uint64_t mask)
{
    uint32_t most = 0;
    if (frame->stack_memory)
        FOR_LANES(lane, mask)
    most = frame->stack_memory->used[lane] > most ? frame->stack_memory->used[lane] : most;
    return most;
}

uint8_t *stack_at(const struct frame *frame, int lane, uint64_t address, uint32_t bytes)
{
    const struct stack_memory *memory = frame->stack_memory;
    const uint64_t at = address - base_of(frame);
    return memory && address >= base_of(frame) && at + bytes <= memory->used[lane]
               ? memory->bytes + (uint64_t)lane * memory->room + at
               : NULL;
}

/* Room for `bytes` of each lane. */
static struct stack_memory *room_for(struct warp *warp, struct frame *frame, uint64_t bytes)
{
    struct arena *arena = &warp->worker->arena;
    struct stack_memory *memory = frame->stack_memory;
    if (!memory)
        memory = frame->stack_memory = arena_new(arena, sizeof *memory);
    if (!memory || bytes <= memory->room)
        return memory;
    const uint32_t room = (uint32_t)(2 * bytes + 15) & ~15u;
    uint8_t *fresh = arena_new(arena, (size_t)room * (size_t)warp->slots);
    if (!fresh)
        return NULL;
    for (int lane = 0; lane < warp->slots && memory->room; lane++)
        memcpy(fresh + (size_t)lane * room, memory->bytes + (size_t)lane * memory->room,
               memory->room);
    memory->bytes = fresh;
    memory->room = room;
    return memory;
}

/* A register of a lane, of 64 bits or of 32, as addresses of local memory may be. */
static uint64_t get(const struct warp *warp, uint32_t place, uint64_t lane, bool wide)
{
    return wide ? REGISTER(const uint64_t, warp, place)[lane]
                : REGISTER(const uint32_t, warp, place)[lane];
}

static void put(struct warp *warp, uint32_t place, uint64_t lane, bool wide, uint64_t value)
{
    if (wide)
        REGISTER(uint64_t, warp, place)[lane] = value;
    else
        REGISTER(uint32_t, warp, place)[lane] = (uint32_t)value;
}

/* d: where the new memory is; a: how large it is; immediate: its alignment, 0: 8. */
static const struct step *allocate(struct warp *warp, const struct step *step, bool wide)
{
    const uint64_t limit = warp->run->launch.stack_bytes;
    const uint64_t align = step->immediate ? (uint64_t)step->immediate : 8;
    struct frame *frame = warp->frame;
    const uint64_t base = base_of(frame);
    if (align & (align - 1) || align > 1u << 23)
        return fault(warp, -1, MACHINE_FAULT_INSTRUCTION,
                     "an alignment of %llu bytes, which is no power of two up to 2^23",
                     (unsigned long long)align);
    FOR_LANES(lane, warp->mask)
    {
        const uint64_t size = get(warp, step->a, lane, wide);
        const uint32_t used = frame->stack_memory ? frame->stack_memory->used[lane] : 0;
        const uint64_t at = (base + used + align - 1) & -align, end = at - base + size;
        if (size > limit || frame->stack + end > limit)
            return fault(
                warp, (int)lane, MACHINE_FAULT_STACK,
                "alloca of %llu bytes, behind %llu that are in use, and a thread has %llu "
                "bytes of stack: cudaDeviceSetLimit(cudaLimitStackSize, BYTES) gives it more",
                (unsigned long long)size, (unsigned long long)(frame->stack + used),
                (unsigned long long)limit);
        struct stack_memory *memory = room_for(warp, frame, end);
        if (!memory)
            return fault(warp, (int)lane, MACHINE_FAULT_MEMORY, "out of memory for alloca");
        memory->used[lane] = (uint32_t)end;
        put(warp, step->d, lane, wide, at);
    }
    return step + 1;
}

static const struct step *save(struct warp *warp, const struct step *step, bool wide)
{
    const struct frame *frame = warp->frame;
    FOR_LANES(lane, warp->mask)
    put(warp, step->d, lane, wide, base_of(frame) + stack_most(frame, UINT64_C(1) << lane));
    return step + 1;
}

static const struct step *restore(struct warp *warp, const struct step *step, bool wide)
{
    struct frame *frame = warp->frame;
    FOR_LANES(lane, warp->mask)
    {
        const uint64_t used = get(warp, step->a, lane, wide) - base_of(frame);
        if (used > stack_most(frame, UINT64_C(1) << lane))
            return fault(warp, (int)lane, MACHINE_FAULT_INSTRUCTION,
                         "stackrestore of what no stacksave of the function gave");
        if (frame->stack_memory)
            frame->stack_memory->used[lane] = (uint32_t)used;
    }
    return step + 1;
}

#define OF_BOTH_WIDTHS(name)                                                                       \
    const struct step *stack_##name(struct warp *warp, const struct step *step)                    \
    {                                                                                              \
        return name(warp, step, true);                                                             \
    }                                                                                              \
    const struct step *stack_##name##_32(struct warp *warp, const struct step *step)               \
    {                                                                                              \
        return name(warp, step, false);                                                            \
    }
OF_BOTH_WIDTHS(allocate)
OF_BOTH_WIDTHS(save)
OF_BOTH_WIDTHS(restore)
