/* check_absent.c - values that a shuffle took from a lane that does not take part: they are undefined.
 *
 *     warp of 8 lanes     v = __shfl_down_sync(0xff, sum, 4);     lanes 4 to 7: undefined
 *                         sum += v;                               lanes 4 to 7 of sum, too
 *                         if (lane == 0) *out = sum;              lane 0 is defined: nothing is told
 *
 * Most sums over a warp are of that kind, so only what reaches memory is told. From such a shuffle on, the warp's
 * instructions are looked at one by one, and of each register the undefined bits are known. What an instruction makes
 * of them is tried: it is executed again with other bits in their places, and a bit of its result that changes is
 * undefined. So no operation need be known by name, and what does not depend on them (a product with 0, bits that are
 * masked, the other operand of a choice) is defined:
 *
 *     v                   ???? 0101     bits of a lane
 *     v & 0x3c            00?? 0100     with ? all 0: 0000 0100, all 1: 0011 0100
 *
 * Only a few other bits are tried, so that a dependence which shows with none of them is missed; and two operands of
 * which one is a copy of the other are taken for independent (x ^ x). A value that decides where lanes go is not followed,
 * nor one that is handed to a function or through memory. Where several lanes store to shared memory, these may be values
 * that nobody reads: a single lane's is told.
 */
#include "machine/check/track.h"
#include "machine/check/undefined.h"
#include "machine/decode/decode.h"

#include <string.h>

enum { LANES = UNDEFINED_LANES, ROOM = UNDEFINED_BYTES, WORDS = ROOM / 8 };

struct check_absent {
    const struct frame *frame;
    const int *last; /* of its code's registers: undefined_last_reads */
    struct undefined undefined;
};

/* ---- registers ------------------------------------------------------------------------------- */

static void forget_lanes(struct check_absent *absent, uint64_t lanes)
{
    for (int i = absent->undefined.count; i-- > 0;)
        undefined_clear(&absent->undefined, absent->undefined.of[i].reg, lanes);
}

/* Running lanes are at a step; some registers are not read any more from there on. */
static void forget_unread(const struct warp *warp, struct check_absent *absent,
                          const struct step *step)
{
    const int at = (int)(step - warp->frame->code->step);
    for (int i = absent->undefined.count; i-- > 0 && warp->frame == absent->frame;)
        if (absent->last[absent->undefined.of[i].reg] < at)
            undefined_clear(&absent->undefined, absent->undefined.of[i].reg, warp->mask);
}

void check_absent_forget(struct check_warp *own)
{
    if (own->absent)
        own->absent->undefined.count = 0;
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* Lanes of which an instruction reads undefined bits in a register: of what it stores only the lower bytes count. */
static uint64_t lanes_read(const struct check_absent *absent, const struct reading *reading,
                           const struct undefined_register *value)
{
    const struct effect *effect = reading->effect;
    const size_t each = undefined_lane_bytes(absent->undefined.code, value->reg);
    const bool stores = effect->kind == EFFECT_STORE || effect->kind == EFFECT_ATOMIC;
    const size_t bytes = stores ? (size_t)ptx_type_bytes(effect->type) : each;
    return bytes < each && value->reg != effect_base(effect) ? undefined_within(value, each, bytes)
                                                             : value->lanes;
}

/* Lanes whose predicate is undefined might execute it, too: of what can be tried, they count. */
static void read_registers(struct check_absent *absent, const struct effects *effects,
                           struct reading *reading, uint64_t running)
{
    const uint64_t mask = reading->effect->kind == EFFECT_VALUE ? running : reading->mask;
    EFFECT_EACH_USE (effects, reading->index, use) {
        const struct undefined_register *value =
            use->writes ? NULL : undefined_find(&absent->undefined, use->reg);
        const uint64_t lanes = value ? lanes_read(absent, reading, value) : 0;
        if (lanes & mask && !reading->lanes)
            reading->value = value;
        reading->lanes |= lanes & mask;
    }
}

/* ---- what a result depends on ---------------------------------------------------------------- */

/* The registers of an instruction that is tried. */
enum { TRIED = 24, TRIALS = 4 };
struct trial {
    int registers;
    struct tried {
        int reg;
        bool written, doubtful; /* some bits are undefined before it */
        uint8_t *at;
        size_t bytes;
        uint64_t undefined[WORDS], before[WORDS], after[WORDS];
        uint64_t changed[WORDS]; /* bits that other bits changed */
    } of[TRIED];
};

static struct tried *find_tried(struct trial *trial, int reg)
{
    for (int i = 0; i < trial->registers; i++)
        if (trial->of[i].reg == reg)
            return &trial->of[i];
    return NULL;
}

/* false: it has too many registers. */
static bool trial_begin(struct trial *trial, const struct warp *warp, struct check_absent *absent,
                        const struct reading *reading)
{
    const struct code *code = absent->undefined.code;
    trial->registers = 0;
    EFFECT_EACH_USE (&code->function->parsed->flow->effects, reading->index, use) {
        struct tried *tried = find_tried(trial, use->reg);
        const struct undefined_register *value = undefined_find(&absent->undefined, use->reg);
        if (tried) {
            tried->written |= use->writes;
            continue;
        }
        if (trial->registers == TRIED)
            return false;
        tried = &trial->of[trial->registers++];
        tried->reg = use->reg;
        tried->written = use->writes;
        tried->at = warp->registers + code->reg[use->reg];
        tried->bytes = undefined_register_bytes(code, use->reg);
        tried->doubtful = value;
        memset(tried->changed, 0, tried->bytes);
        memcpy(tried->before, tried->at, tried->bytes);
        if (value)
            memcpy(tried->undefined, value->bits, tried->bytes);
    }
    return true;
}

/* Other bits in the places of those that are undefined: all 0, all 1, then by lot. */
static void put_others(struct tried *tried, int number, uint64_t *lot)
{
    uint64_t bits[WORDS];
    for (size_t i = 0; tried->doubtful && i < tried->bytes / sizeof *bits; i++) {
        *lot = (*lot ^ *lot >> 29) * 0x9e3779b97f4a7c15 + 1;
        const uint64_t other = number == 0 ? 0 : number == 1 ? ~UINT64_C(0) : *lot;
        bits[i] = (tried->before[i] & ~tried->undefined[i]) | (other & tried->undefined[i]);
    }
    if (tried->doubtful || tried->written)
        memcpy(tried->at, tried->doubtful ? bits : tried->before, tried->bytes);
}

static void note_changes(struct tried *tried)
{
    uint64_t now[WORDS];
    memcpy(now, tried->at, tried->bytes);
    for (size_t i = 0; i < tried->bytes / sizeof *now; i++)
        tried->changed[i] |= now[i] ^ tried->after[i];
}

/* Executes it, as it is and with other bits. Undefined is, in the end, what these changed: of a register that some lanes
 * do not write, theirs, as before. */
static const struct step *execute_tried(struct warp *warp, struct check_absent *absent,
                                        const struct reading *reading, struct trial *trial)
{
    const struct undefined_source source = reading->value->source;
    const struct step *next = track_execute(warp, reading);
    uint64_t lot = 1;
    for (int i = 0; i < trial->registers; i++)
        memcpy(trial->of[i].after, trial->of[i].at, trial->of[i].bytes);
    for (int number = 0; number < TRIALS; number++) {
        for (int i = 0; i < trial->registers; i++)
            put_others(&trial->of[i], number, &lot);
        track_execute(warp, reading);
        for (int i = 0; i < trial->registers; i++)
            if (trial->of[i].written)
                note_changes(&trial->of[i]);
    }
    for (int i = 0; i < trial->registers; i++) {
        struct tried *tried = &trial->of[i];
        memcpy(tried->at, tried->after, tried->bytes);
        if (tried->written)
            undefined_put(&absent->undefined, tried->reg, (const uint8_t *)tried->changed, source);
    }
    return next;
}

/* ---- what lanes do together ------------------------------------------------------------------ */

/* The lanes that a lane names and that have undefined bits. */
static uint32_t named_undefined(const struct warp *warp, const struct reading *reading,
                                uint64_t lane)
{
    const uint32_t *named =
        reading->last->e ? REGISTER(const uint32_t, warp, reading->last->e) : NULL;
    return (uint32_t)reading->lanes & (named ? named[lane] : ~UINT32_C(0));
}

/* The lanes that name a lane with undefined bits: their results have some, too. */
static uint64_t exchanged(const struct warp *warp, const struct reading *reading)
{
    uint64_t lanes = 0;
    FOR_LANES(lane, warp->mask)
    lanes |= (uint64_t)(named_undefined(warp, reading, lane) != 0) << lane;
    return lanes;
}

/* The result of a ballot is undefined only in the bits of such lanes. */
static void put_ballot(const struct warp *warp, struct check_absent *absent,
                       const struct reading *reading, int reg)
{
    uint8_t bits[ROOM] = {0};
    FOR_LANES(lane, warp->mask)
    {
        const uint32_t undefined = named_undefined(warp, reading, lane);
        memcpy(bits + sizeof undefined * lane, &undefined, sizeof undefined);
    }
    const struct undefined_source source = reading->value->source;
    undefined_put(&absent->undefined, reg, bits, source);
}

static bool is_ballot(const struct ptx_instruction *instruction)
{
    return slice_is(instruction->opcode, "vote") && ptx_has(instruction, "ballot");
}

/* ---- what is stored -------------------------------------------------------------------------- */

/* Which lanes of a store by a generic address store to this space. */
static uint64_t lanes_of_window(const struct warp *warp, const struct reading *reading,
                                uint64_t window)
{
    const struct code *code = warp->frame->code;
    const int base = effect_base(reading->effect);
    uint64_t lanes = 0;
    if (base < 0 || decode_register_bytes(code->function->parsed->reg[base].type) != 8)
        return window ? 0 : reading->mask;
    const uint64_t *address = REGISTER(const uint64_t, warp, code->reg[base]);
    FOR_LANES(lane, reading->mask)
    lanes |= (uint64_t)(WINDOW(address[lane]) == window) << lane;
    return lanes;
}

/* The lanes of a store whose values are told if they have undefined bits. */
static uint64_t told(const struct warp *warp, const struct reading *reading)
{
    const uint64_t mask = reading->mask, alone = mask & (mask - 1) ? 0 : mask;
    if (reading->effect->kind == EFFECT_ATOMIC)
        return mask;
    if (reading->effect->kind != EFFECT_STORE)
        return 0;
    switch (reading->effect->space) {
    case PTX_GLOBAL:
        return mask;
    case PTX_SHARED:
        return alone;
    case PTX_GENERIC:
        return lanes_of_window(warp, reading, 0) |
               (alone & lanes_of_window(warp, reading, WINDOW_SHARED));
    default:
        return 0;
    }
}

static void tell(struct warp *warp, const struct reading *reading)
{
    const uint64_t lanes = reading->lanes ? reading->lanes & told(warp, reading) : 0;
    if (lanes)
        finding(warp, __builtin_ctzll(lanes), MACHINE_FAULT_MASK, reading->value->source.site,
                "what lane %d stores is undefined: a shuffle took it, or a part of it, from lane "
                "%d, which does not take part in it",
                __builtin_ctzll(lanes), reading->value->source.lane);
}

/* ---- running --------------------------------------------------------------------------------- */

/* What it has written: of loads, atomic operations and others that cannot be tried, all bits of lanes that read undefined
 * ones. */
static void write_all(const struct warp *warp, struct check_absent *absent,
                      const struct reading *reading)
{
    const bool together = reading->effect->kind == EFFECT_LANES;
    const uint64_t mask = together ? warp->mask : reading->mask;
    uint64_t lanes = reading->lanes;
    if (together && slice_is(reading->instruction->opcode, "shfl"))
        return; /* check_shuffle has done it */
    if (together && lanes)
        lanes = slice_is(reading->instruction->opcode, "match") ? 0 : exchanged(warp, reading);
    EFFECT_EACH_USE (&absent->undefined.code->function->parsed->flow->effects, reading->index, use)
        if (use->writes && !lanes)
            undefined_clear(&absent->undefined, use->reg, mask);
        else if (use->writes && is_ballot(reading->instruction))
            put_ballot(warp, absent, reading, use->reg);
        else if (use->writes)
            undefined_put_lanes(&absent->undefined, use->reg, mask, lanes & mask,
                                reading->value->source);
}

static const struct step *execute_tracked(struct warp *warp, struct check_absent *absent,
                                          const struct reading *reading)
{
    struct trial trial;
    warp->now = reading->last;
    tell(warp, reading);
    if (reading->lanes && track_can_repeat(reading, absent->undefined.code) &&
        trial_begin(&trial, warp, absent, reading))
        return execute_tried(warp, absent, reading, &trial);
    if (reading->last->run[0] == control_return || reading->last->run[0] == control_exit)
        forget_lanes(absent, warp->mask);
    const struct step *next = track_execute(warp, reading);
    if (next == reading->last + 1)
        write_all(warp, absent, reading);
    return next;
}

static struct check_absent *absent_of(const struct warp *warp)
{
    return warp->run->check ? warp->block->check->warp[warp->number].absent : NULL;
}

bool check_absent_is_on(const struct warp *warp)
{
    const struct check_absent *absent = absent_of(warp);
    return absent && absent->undefined.count;
}

void check_absent_at_block(struct warp *warp, const struct step *step)
{
    if (check_absent_is_on(warp))
        forget_unread(warp, absent_of(warp), step);
}

const struct step *check_absent_execute(struct warp *warp, struct reading *reading)
{
    struct check_absent *absent = absent_of(warp);
    if (!check_absent_is_on(warp) || warp->frame != absent->frame)
        return track_execute(warp, reading);
    read_registers(absent, &absent->undefined.code->function->parsed->flow->effects, reading,
                   warp->mask);
    return execute_tracked(warp, absent, reading);
}

const struct step *check_shuffle(struct warp *warp, const struct step *step, uint64_t missing,
                                 const uint32_t source[LANES])
{
    struct check_warp *own = &warp->block->check->warp[warp->number];
    const struct ptx_instruction *instruction =
        &warp->frame->code->function->parsed->instruction[step->instruction];
    const struct ptx_operand *to = instruction->operand;
    const struct ptx_operand *from = &instruction->operand[1 + instruction->second];
    if (warp->run->launch.checks_off >> MACHINE_FAULT_MASK & 1 || warp->followed || warp->trying ||
        to->kind != PTX_REG)
        return step + 1;
    if (!own->absent)
        own->absent = run_new(warp->run, &warp->worker->arena, sizeof *own->absent);
    if (!own->absent)
        return step + 1;
    struct check_absent *absent = own->absent;
    if (absent->frame != warp->frame || absent->undefined.code != warp->frame->code) {
        absent->frame = warp->frame;
        absent->undefined.code = warp->frame->code;
        absent->last = track_last_reads(warp);
        absent->undefined.count = 0;
    }
    if (!absent->last)
        return step + 1;
    forget_unread(warp, absent, step);
    const struct undefined_register *before =
        from->kind == PTX_REG ? undefined_find(&absent->undefined, from->reg) : NULL;
    const struct undefined_register *there = undefined_find(&absent->undefined, to->reg);
    struct undefined_source first = {.site = step_site(warp, step)};
    uint8_t bits[ROOM] = {0};
    bool handed = false;
    if (there)
        memcpy(bits, there->bits, sizeof bits);
    FOR_LANES(lane, warp->mask)
    {
        uint32_t undefined = 0;
        if (before)
            memcpy(&undefined, before->bits + source[lane] * sizeof undefined, sizeof undefined);
        handed |= undefined != 0;
        if (missing >> lane & 1)
            undefined = ~UINT32_C(0);
        memcpy(bits + lane * sizeof undefined, &undefined, sizeof undefined);
    }
    if (handed)
        first = before->source;
    else if (missing)
        first.lane = source[__builtin_ctzll(missing)];
    undefined_put(&absent->undefined, to->reg, bits, first);
    if (instruction->second && instruction->operand[1].kind == PTX_REG)
        undefined_clear(&absent->undefined, instruction->operand[1].reg, warp->mask);
    warp->tracked |= absent->undefined.count > 0;
    return warp->tracking || !warp->tracked ? step + 1 : check_track(warp, step + 1);
}
