/* chance_mark.c - the accesses that are estimates since a followed value decides where they are, or which lanes do them:
 * see chance.c. */
#include "machine/check/chance.h"
#include "machine/pattern.h"

#include <string.h>

#ifndef __wasm__ /* see track.h */

/* Accesses from one step up to before another; all: to global memory, too. */
static void mark(const struct warp *warp, const struct step *from, const struct step *to, bool all)
{
    const struct kernel_code *kernel = warp->run->kernel;
    const struct code *code = warp->frame->code;
    for (int i = 0; i < kernel->accesses && warp->block->counted; i++) {
        const struct access_row *row = &kernel->access[i];
        if (row->code == code && (all || !row->facts.global) && row->step >= from - code->step &&
            row->step < to - code->step)
            warp->worker->count[i].chances++;
    }
}

/* What stands in the arms of a branch, or in the loop that it leads back in or out of: the layout has an arm before the
 * place where both meet. */
static void mark_arms(const struct warp *warp, const struct step *branch, unsigned decides)
{
    const bool back = branch->target <= branch;
    const struct step *from = back ? branch->target : branch + 1;
    const struct step *to = back ? branch + 1 : branch->target;
    const struct step *last =
        to - 1; /* of if and else the first arm ends with a jump behind the second */
    while (last > branch && last->run[0] == control_block)
        last--;
    if (!back && last > branch && last->run[0] == control_jump && last->target > to)
        to = last->target;
    bool turns = back;
    for (const struct step *step = branch + 1; step < to && !back; step++)
        if (step->target && step->target <= branch && step->target < from) {
            from = step->target;
            turns = true;
        }
    if (!(decides & DECIDES_ARMS) && !(decides & DECIDES_TURNS && turns))
        return;
    mark(warp, from, to, true);
    struct chance *chance = warp->chance; /* whose arm, if there is one, has the branch in it */
    chance->arm_end = !chance->arm || chance->arm_end < to ? to : chance->arm_end;
    chance->arm = !chance->arm || from < chance->arm ? from : chance->arm;
}

/* Addresses in shared memory, of lanes of the mask that access it; world: -1: this one. */
static uint64_t addresses_in(const struct warp *warp, const struct reading *reading,
                             const struct step *step, const struct chance_register *of, int world,
                             uint64_t address[UNDEFINED_LANES])
{
    const struct access *access = step->extra;
    const uint8_t *value = world < 0 ? chance_place(warp, of->reg) : of->value[world];
    uint64_t lanes = 0;
    FOR_LANES(lane, reading->mask)
    {
        uint64_t at;
        lanes |= (uint64_t)chance_shared(step, value, lane, &at) << lane;
        address[lane] = (uint32_t)(at + (uint64_t)(int64_t)access->count_offset);
    }
    return lanes;
}

/* Whether the access has other costs in other worlds. Sums of one access, as ptxas joins it, are those of its first. */
static bool costs_differ(const struct warp *warp, const struct reading *reading,
                         const struct step *step, const struct chance_register *of)
{
    const struct access *access = step->extra;
    const int bytes = access->count_bytes ? access->count_bytes : access->bytes * access->elements;
    uint64_t address[UNDEFINED_LANES];
    struct access_cost cost[1 + WORLDS];
    bool differ = false;
    if (access->number < 0 || access->lanes == JOIN_ONE_LANE)
        return false;
    for (int w = -1; w < WORLDS; w++) {
        uint64_t any = 0, lanes = addresses_in(warp, reading, step, of, w, address);
        FOR_LANES(lane, lanes)
        any |= address[lane];
        if (!lanes || any & (uint64_t)(bytes - 1))
            return differ; /* it is no such access there */
        count_cost(warp->run, false, access->op, lanes, address, bytes, &cost[1 + w]);
        differ |= cost[1 + w].passes != cost[0].passes;
    }
    return differ;
}

/* The register that the first address of an instruction begins with; -1: none. */
static int first_address(const struct reading *reading)
{
    for (int i = 0; i < reading->instruction->operands; i++) {
        const struct ptx_operand *operand = &reading->instruction->operand[i];
        if (operand->kind == PTX_ADDRESS)
            return operand->element[0].kind == PTX_REG ? operand->element[0].reg : -1;
    }
    return -1;
}

static void mark_address(struct warp *warp, struct chance *chance, const struct reading *reading)
{
    const enum effect_kind kind = reading->effect->kind;
    const bool touches = kind == EFFECT_TOUCH;
    const bool shared =
        touches ||
        ((kind == EFFECT_LOAD || kind == EFFECT_STORE || kind == EFFECT_ATOMIC) &&
         (reading->effect->space == PTX_SHARED || reading->effect->space == PTX_GENERIC));
    const int base = shared ? first_address(reading) : -1;
    const struct chance_register *of = base >= 0 ? chance_find(chance, base) : NULL;
    const struct step *step = of ? chance_step(reading) : NULL;
    if (step && reading->mask & (reading->mask - 1) && chance_others(warp, of, reading->mask) &&
        (touches || costs_differ(warp, reading, step, of)))
        mark(warp, reading->first, reading->last + 1, false);
}

static void mark_guarded(struct warp *warp, struct chance *chance, const struct reading *reading)
{
    const struct chance_register *of =
        reading->instruction->guard >= 0 ? chance_find(chance, reading->instruction->guard) : NULL;
    if (!of || !chance_others(warp, of, warp->mask))
        return;
    if (reading->effect->kind == EFFECT_BRANCH && reading->last->target)
        mark_arms(warp, reading->last, of->decides);
    else if (of->decides & DECIDES_ARMS)
        mark(warp, reading->first, reading->last + 1, true);
}

void chance_mark(struct warp *warp, struct chance *chance, const struct reading *reading)
{
    mark_guarded(warp, chance, reading);
    mark_address(warp, chance, reading);
}
#endif
