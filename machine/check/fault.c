/* fault.c - what a launch does wrong: the kinds, and the first one, which ends it. */
#include "machine/check/check.h"
#include "machine/lock.h"
#include "machine/module.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    bool ends;
} faults[MACHINE_FAULT_KINDS] = {
    [MACHINE_FAULT_ADDRESS] = {"bad-address", true},
    [MACHINE_FAULT_ALIGNMENT] = {"misaligned", true},
    [MACHINE_FAULT_INSTRUCTION] = {"bad-instruction", true},
    [MACHINE_FAULT_TRAP] = {"trap", true},
    [MACHINE_FAULT_ASSERT] = {"assert", true},
    [MACHINE_FAULT_BARRIER] = {"deadlock", true},
    [MACHINE_FAULT_STACK] = {"stack-overflow", true},
    [MACHINE_FAULT_MEMORY] = {"out-of-memory", true},
    [MACHINE_FAULT_LIMIT] = {"stopped", true},
    [MACHINE_FAULT_RACE] = {"race", false},
    [MACHINE_FAULT_UNWRITTEN] = {"unwritten-read", false},
    [MACHINE_FAULT_MASK] = {"bad-mask", false},
    [MACHINE_FAULT_RETURNED] = {"barrier-after-return", false},
    [MACHINE_FAULT_COPY] = {"early-use-of-copy", false},
    [MACHINE_FAULT_PROXY] = {"missing-proxy-fence", false},
    [MACHINE_FAULT_OVERWRITE] = {"early-overwrite", false},
    [MACHINE_FAULT_SUMS] = {"early-use-of-sums", false},
    [MACHINE_FAULT_BOUNDS] = {"out-of-bounds", false},
    [MACHINE_FAULT_LANES] = {"warp-size", false},
    [MACHINE_FAULT_DIVERGENCE] = {"barrier-divergence", false},
    [MACHINE_FAULT_FENCE] = {"missing-fence", false},
    [MACHINE_FAULT_CHILD] = {"child-launch", false},
};

const char *machine_fault_name(enum machine_fault_kind kind)
{
    return faults[kind].name;
}

bool machine_fault_ends(enum machine_fault_kind kind)
{
    return faults[kind].ends;
}

int step_site(const struct warp *warp, const struct step *step)
{
    const struct code *code = warp->frame->code;
    if (step < code->step || step >= code->step + code->steps || step->instruction < 0)
        return -1;
    return code->function->parsed->instruction[step->instruction].site;
}

int place_site(const struct kernel_code *kernel, uint32_t place)
{
    for (const struct code *code = kernel->code; code; code = code->next) {
        const struct ptx_body *body = code->function->parsed;
        if (place - code->first_place < (uint32_t)body->instructions)
            return body->instruction[place - code->first_place].site;
    }
    return -1;
}

void fault_describe(struct warp *warp, int lane, struct machine_fault *fault)
{
    fault->site = step_site(warp, warp->now);
    memcpy(fault->block, warp->block->id, sizeof fault->block);
    for (int i = 0; i < 3; i++)
        fault->thread[i] = warp->thread[i][lane >= 0 ? lane : __builtin_ctzll(warp->all)];
}

void run_lock(struct machine_run *run)
{
    lock_take(&run->lock);
}

void run_unlock(struct machine_run *run)
{
    lock_give(&run->lock);
}

void run_refuse(struct machine_run *run)
{
    atomic_store(&run->refused, true);
    atomic_store(&run->stop, true);
}

void *run_new(struct machine_run *run, struct arena *arena, size_t size)
{
    void *memory = arena_new(arena, size);
    if (!memory)
        run_refuse(run);
    return memory;
}

bool run_grow(struct machine_run *run, struct arena *arena, void *array, int *room, int count,
              size_t size)
{
    const bool grown = arena_grow(arena, array, room, count, size);
    if (!grown)
        run_refuse(run);
    return grown;
}

const struct step *fault(struct warp *warp, int lane, enum machine_fault_kind kind,
                         const char *format, ...)
{
    struct machine_run *run = warp->run;
    struct machine_fault fault = {.kind = kind, .other_site = -1, .count = 1};
    va_list values;
    va_start(values, format);
    vsnprintf(fault.text, sizeof fault.text, format, values);
    va_end(values);
    fault_describe(warp, lane, &fault);
    run_lock(run);
    bool first = !run->faulted;
    if (first)
        run->fault = fault;
    run->faulted = true;
    run_unlock(run);
    warp->worker->failed = true;
    atomic_store(&run->stop, true);
    if (first && run->observer.fault)
        run->observer.fault(run->observer.context, &fault);
    return NULL;
}
