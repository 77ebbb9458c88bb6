/* chance.c - accesses that depend on which warp is first.
 *
 *     at = atomicAdd(&count, 1);      the machine: lanes have 0, 1, 2, ... in warp 0, 32, 33, ... in warp 1
 *     tile[at] = x;                   a GPU: 0, 2, 4, ... in one of them, 1, 3, 5, ... in the other: two passes each
 *
 * What an atomic operation returns is followed, if it decides where shared memory is accessed or which lanes go where
 * (reach.c), and other warps may have come before. From there on the warp's instructions are looked at one by one, and
 * each is executed three times: as it is, and in two other worlds, in which others have done the same before. A register
 * that has other values there is known by these. So it does not matter how an address is made of the result:
 *
 *                                     as it is        one world       the other       passes
 *     at                              0, 1, 2, 3      2, 3, 4, 5      1, 3, 5, 7
 *     tile[at], 4 banks               0, 1, 2, 3      2, 3, 4, 5      1, 3, 5, 7      1, 1, 2: an estimate
 *     tile[lane + (at & ~3)]          0, 1, 2, 3      0, 1, 2, 3      0, 1, 2, 3      1, 1, 1: exact
 *
 * What a lane loads is followed, too, where it may come too early for what another warp stored: a flag is not set in one
 * world, and a count is one behind in the other.
 *
 *     while (*(volatile int *)&flag == 0)     as many turns as the other warp needs: an estimate
 *         ;
 *
 * An access whose passes differ is an estimate, and so are those in the arms of a branch, or in a loop, that lanes of
 * another world would not take. What an H200 does (measured on 2026-11-29): lanes of a warp are served in their order. Those of
 * two warps that want one word of shared memory take turns, so that a lane's result is one or two above that of the lane
 * before. In global memory lanes of a single block stay together, and of others up to 160 come between two. Where ptxas
 * sends one lane for all, none does. A single lane's additions hand out places, each once, so that it does not matter
 * to whom.
 *
 * Lanes of such arms and loops store by chance, too: chance_words.c keeps in mind where, in shared memory.
 *
 * Not followed are values that go through memory otherwise, to another function, or into a barrier's predicate, what is loaded at
 * an address that is followed, and more than REGISTERS registers. Only two worlds are tried, a few places away: a
 * dependence that shows in neither is missed. A lane that came before the store is not told from one for which there is
 * none. Without the checker each volatile load is followed, whoever stored.
 */
#include "machine/check/chance.h"
#include "machine/atomic.h"

#include <string.h>

#ifndef __wasm__ /* see track.h */

/* ---- registers ------------------------------------------------------------------------------- */

struct chance_register *chance_find(struct chance *chance, int reg)
{
    for (int i = 0; i < chance->count; i++)
        if (chance->of[i].reg == reg)
            return &chance->of[i];
    return NULL;
}

uint64_t chance_others(const struct warp *warp, const struct chance_register *of, uint64_t mask)
{
    const size_t each = undefined_lane_bytes(warp->frame->code, of->reg);
    const uint8_t *now = chance_place(warp, of->reg);
    uint64_t lanes = 0, here, there;
    for (int w = 0; w < WORLDS && !each; w++) { /* predicates */
        memcpy(&here, now, sizeof here);
        memcpy(&there, of->value[w], sizeof there);
        lanes |= here ^ there;
    }
    for (int w = 0; w < WORLDS && each; w++)
        FOR_LANES(lane, mask)
    lanes |= (uint64_t)(memcmp(now + lane * each, of->value[w] + lane * each, each) != 0) << lane;
    return lanes & mask;
}

static void drop_if_same(struct chance *chance, const struct warp *warp, struct chance_register *of)
{
    if (!chance_others(warp, of, lanes_below(UNDEFINED_LANES)))
        *of = chance->of[--chance->count];
}

/* Lanes have the same value in all worlds. */
static void settle(struct chance *chance, const struct warp *warp, int reg, uint64_t mask)
{
    struct chance_register *of = chance_find(chance, reg);
    if (!of)
        return;
    const size_t each = undefined_lane_bytes(warp->frame->code, reg);
    const uint8_t *now = chance_place(warp, reg);
    uint64_t here, there;
    for (int w = 0; w < WORLDS && !each; w++) { /* predicates */
        memcpy(&here, now, sizeof here);
        memcpy(&there, of->value[w], sizeof there);
        here = (here & mask) | (there & ~mask);
        memcpy(of->value[w], &here, sizeof here);
    }
    for (int w = 0; w < WORLDS && each; w++)
        FOR_LANES(lane, mask)
    memcpy(of->value[w] + lane * each, now + lane * each, each);
    drop_if_same(chance, warp, of);
}

/* Where it is new, it has the value of this world in all of them. NULL: there are too many. */
static struct chance_register *add(struct chance *chance, const struct warp *warp, int reg)
{
    struct chance_register *of = chance_find(chance, reg);
    if (of || chance->count == REGISTERS)
        return of;
    of = &chance->of[chance->count++];
    *of = (struct chance_register){.reg = reg};
    for (int w = 0; w < WORLDS; w++)
        memcpy(of->value[w], chance_place(warp, reg),
               undefined_register_bytes(warp->frame->code, reg));
    return of;
}

bool chance_is_on(const struct warp *warp)
{
    const struct chance *chance = warp->chance;
    return (chance && (chance->count || chance->arm)) || chance_words_any(warp->block);
}

void chance_forget(struct warp *warp)
{
    if (warp->chance) {
        warp->chance->count = 0;
        warp->chance->arm = NULL;
    }
}

void chance_at_block(struct warp *warp, const struct step *step)
{
    struct chance *chance = warp->chance;
    const int at = (int)(step - warp->frame->code->step);
    for (int i = chance ? chance->count : 0; i-- > 0 && warp->frame == chance->frame;)
        if (chance->last[chance->of[i].reg] < at)
            settle(chance, warp, chance->of[i].reg, warp->mask);
}

/* ---- atomic operations ----------------------------------------------------------------------- */

enum { FAR_BETWEEN = 15 }; /* lanes of other blocks: so many that each 16th place is of this warp */

/* Whether other warps may do an operation there, too, and how many lanes of theirs come between two of this one. */
static bool meets_others(const struct warp *warp, const struct access *access, uint64_t address,
                         int *between)
{
    const uint64_t warps = (uint64_t)warp->block->warps;
    const bool shared = access->space == PTX_SHARED ||
                        (access->space == PTX_GENERIC && WINDOW(address) == WINDOW_SHARED);
    const bool one_for_all =
        access->lanes == JOIN_ONE_LANE ||
        (access->lanes == JOIN_ONE_OF_ALL && warp->mask == lanes_below(warp->run->warp_lanes));
    *between = one_for_all ? 0 : shared ? 1 : warp->run->blocks > 1 ? FAR_BETWEEN : 0;
    return (shared ? warps : warps * warp->run->blocks) > 1;
}

/* Whether the operation leaves what is there, whatever that is: atomicAdd(p, 0). */
static bool only_looks(uint32_t kind, uint64_t b, uint64_t c, size_t bytes)
{
    const uint64_t mask = UINT64_MAX >> (64 - 8 * bytes);
    const uint64_t probe[] = {0, mask, b & mask};
    for (size_t i = 0; i < sizeof probe / sizeof *probe; i++)
        if ((atomic_result(kind, probe[i], b, c) ^ probe[i]) & mask)
            return false;
    return true;
}

/* What a lane may find where it looks for what others store. A flag is not set yet, or a count is behind. */
static uint64_t seen_in_world(int world, uint64_t seen)
{
    return world == 0 ? !seen : seen - 1;
}

/* How many others are before the lane in a world: of its word as many for all lanes, and so many between them. */
static int count_before(int world, uint64_t address, int between)
{
    const uint64_t lot = (address ^ address >> 29) * 0x9e3779b97f4a7c15;
    return world == 0 ? 1 + (int)(lot >> 40 & 3) : 1 + (int)(lot >> 42 & 3) + between;
}

static uint64_t result_in_world(const struct warp *warp, const struct step *step, int lane,
                                int world, int before)
{
    const uint64_t b = access_operand(warp, step, step->b, lane),
                   c = access_operand(warp, step, step->c, lane);
    uint64_t old = access_operand(warp, step, step->d, lane);
    if (before && only_looks(step->sub, b, c, ((const struct access *)step->extra)->register_bytes))
        return seen_in_world(world, old);
    while (before-- > 0)
        old = atomic_result(step->sub, old, b, c);
    return old;
}

static unsigned decided_by(const struct warp *warp, const struct step *step)
{
    const enum atomic_rule rule = (enum atomic_rule)(step->sub & 255);
    const int lane = __builtin_ctzll(warp->mask);
    const bool places = rule == ATOMIC_ADD || rule == ATOMIC_INC || rule == ATOMIC_DEC;
    if (warp->mask & (warp->mask - 1) ||
        only_looks(step->sub, access_operand(warp, step, step->b, lane),
                   access_operand(warp, step, step->c, lane),
                   ((const struct access *)step->extra)->register_bytes))
        return DECIDES_TURNS | DECIDES_ARMS;
    return places ? 0 : DECIDES_TURNS;
}

static struct chance *chance_of(struct warp *warp)
{
    struct chance *chance = warp->chance;
    if (!chance)
        chance = warp->chance = run_new(warp->run, &warp->worker->arena, sizeof *chance);
    if (!chance || (chance->frame == warp->frame && chance->code == warp->frame->code))
        return chance;
    chance->frame = warp->frame;
    chance->code = warp->frame->code;
    chance->count = 0;
    chance->arm = NULL;
    chance->last = track_last_reads(warp);
    if (!chance->last)
        chance->frame = NULL;
    return chance->last ? chance : NULL;
}

/* The register that an access writes is followed from here on. NULL: not that, or there are too many. */
static struct chance_register *follow(struct warp *warp, const struct step *step)
{
    const struct ptx_instruction *instruction =
        &warp->frame->code->function->parsed->instruction[step->instruction];
    const bool wanted = warp->run->kernel->shares || warp->run->launch.global;
    struct chance *chance =
        warp->slots != UNDEFINED_LANES || warp->followed || !wanted ? NULL : chance_of(warp);
    return chance ? add(chance, warp, instruction->operand[0].reg) : NULL;
}

static void followed(struct warp *warp, struct chance_register *of, unsigned decides)
{
    of->decides |= decides;
    drop_if_same(warp->chance, warp, of);
    warp->tracked = warp->tracked || warp->chance->count;
}

void chance_begin(struct warp *warp, const struct step *step, const uint64_t *address)
{
    const struct access *access = step->extra;
    const size_t bytes = access->register_bytes;
    struct chance_register *of = follow(warp, step);
    if (!of)
        return;
    FOR_LANES(lane, warp->mask)
    {
        int between;
        int rank = 0;
        const bool meets = meets_others(warp, access, address[lane], &between);
        for (uint64_t i = 0; i < lane && between; i++)
            rank += warp->mask >> i & 1 && address[i] == address[lane];
        for (int w = 0; w < WORLDS; w++) {
            const int before = meets ? count_before(w, address[lane], rank * between) : 0;
            const uint64_t there = result_in_world(warp, step, (int)lane, w, before);
            memcpy(of->value[w] + lane * bytes, &there, bytes);
        }
    }
    followed(warp, of, decided_by(warp, step));
}

void chance_see(struct warp *warp, const struct step *step, uint64_t mask, uint64_t lanes)
{
    const struct access *access = step->extra;
    const size_t bytes = access->register_bytes;
    struct chance_register *of = lanes || chance_is_on(warp) ? follow(warp, step) : NULL;
    if (!of)
        return;
    FOR_LANES(lane, mask)
    for (int w = 0; w < WORLDS; w++) {
        uint64_t there = access_operand(warp, step, access->reg[0], (int)lane);
        if (lanes >> lane & 1)
            there = seen_in_world(w, there);
        memcpy(of->value[w] + lane * bytes, &there, bytes);
    }
    followed(warp, of, DECIDES_TURNS | DECIDES_ARMS);
}

const struct step *chance_follow(struct warp *warp, const struct step *step)
{
    return warp->tracking || !warp->tracked ? step + 1 : check_track(warp, step + 1);
}

/* ---- executing in other worlds --------------------------------------------------------------- */

/* What lanes do together they do in another world, too, if the same ones are named: by the last operand. */
static bool can_repeat(struct chance *chance, const struct reading *reading)
{
    const struct ptx_instruction *instruction = reading->instruction;
    const struct ptx_operand *named = &instruction->operand[instruction->operands - 1];
    if (reading->effect->kind != EFFECT_LANES)
        return track_can_repeat(reading, chance->code);
    return instruction->guard < 0 && !(named->kind == PTX_REG && chance_find(chance, named->reg));
}

/* The registers of an instruction, as they are before it. false: it has too many. */
static bool take_registers(const struct warp *warp, struct chance *chance,
                           const struct reading *reading)
{
    chance->used = 0;
    EFFECT_EACH_USE (&chance->code->function->parsed->flow->effects, reading->index, use) {
        struct chance_used *used = chance->use;
        while (used < chance->use + chance->used && used->reg != use->reg)
            used++;
        if (used == chance->use + USED)
            return false;
        if (used == chance->use + chance->used) {
            chance->used++;
            used->reg = use->reg;
            used->written = false;
            memcpy(used->before, chance_place(warp, use->reg),
                   undefined_register_bytes(chance->code, use->reg));
        }
        used->written |= use->writes;
    }
    return true;
}

/* Whether lanes come to an instruction by chance. They leave an arm where they come to another one. */
static bool come_by_chance(const struct warp *warp, struct chance *chance,
                           const struct reading *reading)
{
    if (!chance || !chance->arm || warp->frame != chance->frame)
        return false;
    if (reading->first < chance->arm || reading->first >= chance->arm_end)
        chance->arm = NULL;
    return chance->arm;
}

static void touch_words(struct warp *warp, struct reading *reading)
{
    const enum effect_kind kind = reading->effect->kind;
    const bool by_chance = come_by_chance(warp, warp->chance, reading);
    const struct step *step = kind == EFFECT_LOAD || kind == EFFECT_STORE || kind == EFFECT_ATOMIC
                                  ? chance_step(reading)
                                  : NULL;
    if (!step)
        return;
    if (kind != EFFECT_LOAD && (by_chance || kind == EFFECT_STORE))
        chance_words_store(warp, step, reading->mask, by_chance);
    else if (kind == EFFECT_LOAD && ((const struct access *)step->extra)->decides)
        reading->chance = chance_words_load(warp, step, reading->mask);
}

bool chance_before(struct warp *warp, struct reading *reading)
{
    struct chance *chance = warp->chance;
    bool any = false;
    touch_words(warp, reading);
    if (!chance || warp->frame != chance->frame || !chance->count)
        return reading->chance;
    chance->used = 0;
    if (reading->last->run[0] == control_return || reading->last->run[0] == control_exit) {
        if (warp->mask == warp->frame->lanes)
            chance->count = 0;
        return false;
    }
    EFFECT_EACH_USE (&chance->code->function->parsed->flow->effects, reading->index, use)
        any |= chance_find(chance, use->reg) != NULL;
    if (!any)
        return reading->chance;
    chance_mark(warp, chance, reading);
    if (!can_repeat(chance, reading) || !take_registers(warp, chance, reading))
        chance->used = 0;
    return true;
}

/* The instruction's registers in a world, before it and behind it. */
static void execute_in(struct warp *warp, struct chance *chance, const struct reading *reading,
                       int world)
{
    for (int i = 0; i < chance->used; i++) {
        struct chance_used *used = &chance->use[i];
        const struct chance_register *of = chance_find(chance, used->reg);
        memcpy(chance_place(warp, used->reg), of ? of->value[world] : used->before,
               undefined_register_bytes(chance->code, used->reg));
    }
    track_execute(warp, reading);
    for (int i = 0; i < chance->used; i++)
        memcpy(chance->use[i].value[world], chance_place(warp, chance->use[i].reg),
               undefined_register_bytes(chance->code, chance->use[i].reg));
}

static void repeat(struct warp *warp, struct chance *chance, const struct reading *reading)
{
    uint8_t after[USED][ROOM];
    uint32_t carry[MACHINE_LANES];
    unsigned decides = 0;
    memcpy(carry, warp->carry, sizeof carry);
    for (int i = 0; i < chance->used; i++) {
        const struct chance_register *of = chance_find(chance, chance->use[i].reg);
        decides |= of ? of->decides : 0;
        memcpy(after[i], chance_place(warp, chance->use[i].reg),
               undefined_register_bytes(chance->code, chance->use[i].reg));
    }
    warp->trying = true;
    for (int w = 0; w < WORLDS; w++)
        execute_in(warp, chance, reading, w);
    warp->trying = false;
    memcpy(warp->carry, carry, sizeof carry);
    for (int i = 0; i < chance->used; i++)
        memcpy(chance_place(warp, chance->use[i].reg), after[i],
               undefined_register_bytes(chance->code, chance->use[i].reg));
    for (int i = 0; i < chance->used; i++) {
        struct chance_register *of =
            chance->use[i].written ? add(chance, warp, chance->use[i].reg) : NULL;
        if (!of)
            continue;
        memcpy(of->value, chance->use[i].value, sizeof of->value);
        of->decides |= decides;
        drop_if_same(chance, warp, of);
    }
}

void chance_after(struct warp *warp, const struct reading *reading, const struct step *next)
{
    struct chance *chance = warp->chance;
    if (next != reading->last + 1)
        return;
    if (reading->chance) {
        chance_see(warp, chance_step(reading), reading->mask, reading->chance);
        return;
    }
    if (chance->used) {
        repeat(warp, chance, reading);
        return;
    }
    const enum effect_kind kind = reading->effect->kind;
    const bool lanes = kind == EFFECT_LANES;
    const struct step *step =
        kind == EFFECT_ATOMIC || kind == EFFECT_LOAD ? chance_step(reading) : NULL;
    const struct access *access = step ? step->extra : NULL;
    if (access && access->decides && (access->relaxed || kind == EFFECT_ATOMIC))
        return; /* chance_begin or chance_see has done it */
    EFFECT_EACH_USE (&chance->code->function->parsed->flow->effects, reading->index, use)
        if (use->writes)
            settle(chance, warp, use->reg, lanes ? warp->mask : reading->mask);
}
#endif
