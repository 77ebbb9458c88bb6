/* check_absent.c - values that a shuffle took from a lane that does not take part: they are undefined.
 *
 *     warp of 8 lanes     v = __shfl_down_sync(0xff, sum, 4);     lanes 4 to 7: undefined
 *                         sum += v;                               lanes 4 to 7 of sum, too
 *                         if (lane == 0) *out = sum;              lane 0 is defined: nothing is told
 *
 * Most sums over a warp are of that kind, so only what reaches memory is told. From such a shuffle on, the warp's
 * instructions are looked at one by one: a register has such a value, for each lane, if one that is read has. A value
 * that decides where lanes go is not followed, nor one that is handed to a function, through memory, or as a bit of a
 * ballot. Where several lanes store to shared memory, these may be values that nobody reads: a single lane's is told.
 */
#include "machine/check/check.h"
#include "machine/decode/decode.h"

#include <string.h>

enum { REGISTERS = 32 }; /* with such values, of a warp; what is more is not followed */

struct check_absent {
    const struct frame *frame;
    const struct code *code;
    const int *last; /* of its code's registers: last_reads */
    int count;
    struct absent_value {
        int reg;
        uint64_t lanes;
        int site; /* of the shuffle */
        int from; /* the lane */
    } of[REGISTERS];
};

/* ---- registers ------------------------------------------------------------------------------- */

static struct absent_value *find(struct check_absent *absent, int reg)
{
    for (int i = 0; i < absent->count; i++)
        if (absent->of[i].reg == reg)
            return &absent->of[i];
    return NULL;
}

/* Lanes of the mask have written a register: those of `lanes` such a value. */
static void put(struct check_absent *absent, int reg, uint64_t mask, uint64_t lanes,
                const struct absent_value *like)
{
    struct absent_value *value = find(absent, reg);
    if (!value && lanes && absent->count < REGISTERS) {
        value = &absent->of[absent->count++];
        *value = (struct absent_value){.reg = reg, .site = like->site, .from = like->from};
    }
    if (!value)
        return;
    value->lanes = (value->lanes & ~mask) | lanes;
    if (!value->lanes)
        *value = absent->of[--absent->count];
}

static void forget_lanes(struct check_absent *absent, uint64_t lanes)
{
    for (int i = absent->count; i-- > 0;)
        put(absent, absent->of[i].reg, lanes, 0, NULL);
}

/* Running lanes are at a step; some registers are not read any more from there on. */
static void forget_unread(const struct warp *warp, struct check_absent *absent,
                          const struct step *step)
{
    const int at = (int)(step - warp->frame->code->step);
    for (int i = absent->count; i-- > 0 && warp->frame == absent->frame;)
        if (absent->last[absent->of[i].reg] < at)
            put(absent, absent->of[i].reg, warp->mask, 0, NULL);
}

void check_absent_forget(struct check_warp *own)
{
    if (own->absent)
        own->absent->count = 0;
}

/* ---- where registers are read ---------------------------------------------------------------- */

/* A way back: where it comes from, of the steps that lead to one. */
static void note_way(int *back, const struct code *code, int from, const struct step *to)
{
    const int at = (int)(to - code->step);
    if (to && at <= from && back[at] < from)
        back[at] = from;
}

/* Of each register the last step that may read it, or that leads back to where it may be read:
 *
 *     0  shfl r1    1 loop:    2  add r2, r1    3  bra loop    4  st r2        r1: 3, r2: 4
 *
 * NULL: no memory. */
static int *last_reads(const struct code *code, struct machine_run *run)
{
    const struct ptx_body *body = code->function->parsed;
    const struct effects *effects = &body->flow->effects;
    int *last = run_new(run, &run->arena, ((size_t)body->regs + 1) * sizeof *last);
    int *back = run_new(run, &run->arena, ((size_t)code->steps + 1) * sizeof *back);
    if (!last || !back)
        return NULL;
    for (int i = 0; i < code->steps; i++) {
        const struct step *step = &code->step[i];
        const bool table = step->run[0] == control_table;
        note_way(back, code, i, step->target);
        for (uint32_t k = 0; table && k < step->sub; k++)
            note_way(back, code, i, ((const struct step *const *)step->extra)[k]);
    }
    for (int i = 1; i < code->steps; i++) /* from here or from before */
        back[i] = back[i] > back[i - 1] ? back[i] : back[i - 1];
    for (int i = code->steps; i-- > 0;) /* and from there on, further back */
        back[i] = back[i] > i ? back[back[i]] : i;
    for (int i = 0; i < code->steps; i++) {
        const int index = code->step[i].instruction;
        if (index < 0 || index >= effects->count)
            continue;
        EFFECT_EACH_USE (effects, index, use)
            if (!use->writes && last[use->reg] < back[i])
                last[use->reg] = back[i];
    }
    return last;
}

/* Those of the warp's function, found once in a launch. */
static const int *reads_of(struct warp *warp)
{
    struct machine_run *run = warp->run;
    const struct code *code = warp->frame->code;
    run_lock(run);
    struct check *check = run->check;
    if (!check->last_read)
        check->last_read =
            run_new(run, &run->arena, (size_t)run->kernel->codes * sizeof *check->last_read);
    if (check->last_read && !check->last_read[code->number])
        check->last_read[code->number] = last_reads(code, run);
    const int *last = check->last_read ? check->last_read[code->number] : NULL;
    run_unlock(run);
    return last;
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* What an instruction reads of such values. */
struct reading {
    const struct ptx_instruction *instruction;
    const struct effect *effect;
    struct absent_value value; /* the first; its lanes: of all */
    uint64_t mask;             /* lanes that execute it */
};

static uint64_t predicate_of(const struct warp *warp, const struct code *code, int reg)
{
    return *REGISTER(const uint64_t, warp, code->reg[reg]);
}

/* Lanes in which a register is 0, or a predicate does not hold. */
static uint64_t zeros(const struct warp *warp, const struct code *code, int reg)
{
    const enum ptx_type type = code->function->parsed->reg[reg].type;
    if (type == PTX_PRED)
        return ~predicate_of(warp, code, reg);
    static const uint8_t zero[16];
    const size_t bytes = decode_register_bytes(type);
    const uint8_t *at = warp->registers + code->reg[reg];
    uint64_t lanes = 0;
    for (int i = 0; i < 32; i++)
        lanes |= (uint64_t)!memcmp(at + (size_t)i * bytes, zero, bytes) << i;
    return lanes;
}

/* a * b + c, and the register is not c. */
static bool is_sum_of_product(const struct reading *reading, int reg)
{
    const struct ptx_instruction *now = reading->instruction;
    return (slice_is(now->opcode, "mad") || slice_is(now->opcode, "fma")) && now->operands == 4 &&
           (now->operand[3].kind != PTX_REG || now->operand[3].reg != reg);
}

/* Lanes in which an instruction does not look at its operand: selp's other one, what is multiplied by 0, and what is
 * joined by and or by or to a predicate that says all. */
static uint64_t unread(const struct warp *warp, const struct code *code,
                       const struct reading *reading, int reg)
{
    const struct ptx_operand *operand = reading->instruction->operand;
    const int operands = reading->instruction->operands;
    uint64_t lanes = 0;
    if (slice_is(reading->instruction->opcode, "selp") && operands == 4) {
        if (operand[3].kind != PTX_REG || operand[3].reg == reg)
            return 0;
        const uint64_t holds = predicate_of(warp, code, operand[3].reg);
        lanes = ~UINT64_C(0);
        for (int i = 1; i < 3; i++)
            if (operand[i].kind == PTX_REG && operand[i].reg == reg)
                lanes &= i == 1 ? ~holds : holds;
    } else if (slice_is(reading->instruction->opcode, "and") ||
               slice_is(reading->instruction->opcode, "mul") || is_sum_of_product(reading, reg)) {
        for (int i = 1; i < 3 && i < operands; i++)
            if (operand[i].kind == PTX_REG && operand[i].reg != reg)
                lanes |= zeros(warp, code, operand[i].reg);
    } else if (slice_is(reading->instruction->opcode, "or")) {
        for (int i = 1; i < operands; i++)
            if (operand[i].kind == PTX_REG && operand[i].reg != reg &&
                code->function->parsed->reg[operand[i].reg].type == PTX_PRED)
                lanes |= predicate_of(warp, code, operand[i].reg);
    }
    return lanes;
}

static void read_register(const struct warp *warp, const struct code *code,
                          struct check_absent *absent, struct reading *reading, int reg)
{
    const struct absent_value *value = find(absent, reg);
    const uint64_t lanes =
        value && value->lanes ? value->lanes & ~unread(warp, code, reading, reg) : 0;
    if (!lanes)
        return;
    if (!reading->value.lanes)
        reading->value = (struct absent_value){.site = value->site, .from = value->from};
    reading->value.lanes |= lanes;
}

/* false: it is no instruction of the function, or not the last step of one. */
static bool read_all(const struct warp *warp, struct check_absent *absent, const struct step *step,
                     struct reading *reading)
{
    const struct code *code = warp->frame->code;
    const struct step *last = step->run[0] == control_guard ? step + 1 : step;
    const struct effects *effects = &code->function->parsed->flow->effects;
    const int index = last->instruction;
    *reading = (struct reading){.mask = warp->mask};
    if (warp->frame != absent->frame || last->run[0] == control_block || index < 0 ||
        index >= effects->count ||
        (last + 1 < code->step + code->steps && last[1].instruction == index &&
         last[1].run[0] != control_block))
        return false;
    reading->instruction = &code->function->parsed->instruction[index];
    reading->effect = &effects->of[index];
    if (last != step) {
        const uint64_t holds = *REGISTER(const uint64_t, warp, step->a);
        reading->mask &= step->negated ? ~holds : holds;
    }
    EFFECT_EACH_USE (effects, index, use)
        if (!use->writes)
            read_register(warp, code, absent, reading, use->reg);
    return true;
}

/* Of a store by a generic address: in which space lanes store. */
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

/* Lanes whose value is told, if it is such a one. */
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
    uint64_t lanes = reading->value.lanes & reading->mask;
    lanes = lanes ? lanes & told(warp, reading) : 0;
    if (lanes)
        finding(warp, __builtin_ctzll(lanes), MACHINE_FAULT_MASK, reading->value.site,
                "what lane %d stores is undefined: a shuffle took it, or a part of it, from lane "
                "%d, which does not take part in it",
                __builtin_ctzll(lanes), reading->value.from);
}

/* What lanes together make of values that some of them have: all that name one of these have it. Of a ballot, and of
 * a match, these are bits: others may be all that is used. */
static uint64_t exchanged(const struct warp *warp, const struct step *step,
                          const struct reading *reading)
{
    const struct ptx_instruction *now = reading->instruction;
    const uint32_t *named = step->e ? REGISTER(const uint32_t, warp, step->e) : NULL;
    const uint64_t undefined = reading->value.lanes & warp->mask;
    uint64_t lanes = 0;
    const bool ballot = now->words > 1 && slice_is(now->word[1], "ballot");
    if (!undefined || ballot || !(slice_is(now->opcode, "vote") || slice_is(now->opcode, "redux")))
        return 0;
    FOR_LANES(lane, warp->mask)
    lanes |= (uint64_t)(!named || named[lane] & undefined) << lane;
    return lanes;
}

static void write_all(const struct warp *warp, struct check_absent *absent, const struct step *last,
                      const struct reading *reading)
{
    const struct effects *effects = &warp->frame->code->function->parsed->flow->effects;
    const int index = (int)(reading->effect - effects->of);
    uint64_t mask = reading->mask, lanes = reading->value.lanes & mask;
    if (slice_is(reading->instruction->opcode, "shfl"))
        return; /* check_shuffle has done it */
    if (reading->effect->kind == EFFECT_LANES) {
        mask = warp->mask;
        lanes = exchanged(warp, last, reading);
    }
    EFFECT_EACH_USE (effects, index, use)
        if (use->writes)
            put(absent, use->reg, mask, lanes, &reading->value);
}

/* ---- running --------------------------------------------------------------------------------- */

const struct step *check_track(struct warp *warp, const struct step *step)
{
    struct check_absent *absent = warp->block->check->warp[warp->number].absent;
    warp->tracking = true;
    while (step && absent->count) {
        struct reading reading;
        const struct step *last = step->run[0] == control_guard ? step + 1 : step;
        if (step->run[0] == control_block)
            forget_unread(warp, absent, step);
        const bool looks = read_all(warp, absent, step, &reading);
        warp->now = last;
        if (looks)
            tell(warp, &reading);
        if (warp->frame == absent->frame &&
            (last->run[0] == control_return || last->run[0] == control_exit))
            forget_lanes(absent, warp->mask);
        warp->now = step;
        step = step->run[warp->some](warp, step);
        if (looks && step == last + 1)
            write_all(warp, absent, last, &reading);
    }
    warp->tracking = false;
    warp->tracked = absent->count > 0;
    return step;
}

/* The lanes whose source has such a value. */
static uint64_t handed_on(const struct absent_value *value, const uint8_t source[32], uint64_t mask)
{
    uint64_t lanes = 0;
    for (int i = 0; i < 32; i++)
        if (mask >> i & 1)
            lanes |= (value->lanes >> source[i] & 1) << i;
    return lanes;
}

const struct step *check_shuffle(struct warp *warp, const struct step *step, uint64_t missing,
                                 const uint8_t source[32])
{
    struct check_warp *own = &warp->block->check->warp[warp->number];
    const struct ptx_instruction *instruction =
        &warp->frame->code->function->parsed->instruction[step->instruction];
    const struct ptx_operand *from = &instruction->operand[1 + instruction->second];
    if (warp->run->launch.checks_off >> MACHINE_FAULT_MASK & 1 || warp->followed ||
        instruction->operand->kind != PTX_REG)
        return step + 1;
    if (!own->absent)
        own->absent = run_new(warp->run, &warp->worker->arena, sizeof *own->absent);
    if (!own->absent)
        return step + 1;
    if (own->absent->frame != warp->frame || own->absent->code != warp->frame->code)
        *own->absent = (struct check_absent){
            .frame = warp->frame, .code = warp->frame->code, .last = reads_of(warp)};
    if (!own->absent->last)
        return step + 1;
    forget_unread(warp, own->absent, step);
    const struct absent_value *before = from->kind == PTX_REG ? find(own->absent, from->reg) : NULL;
    const uint64_t handed = before ? handed_on(before, source, warp->mask) : 0;
    struct absent_value value = {.site = step_site(warp, step)};
    if (handed)
        value = *before;
    else if (missing)
        value.from = source[__builtin_ctzll(missing)];
    put(own->absent, instruction->operand->reg, warp->mask, missing | handed, &value);
    if (instruction->second && instruction->operand[1].kind == PTX_REG)
        put(own->absent, instruction->operand[1].reg, warp->mask, 0, NULL);
    warp->tracked = own->absent->count > 0;
    return warp->tracking || !warp->tracked ? step + 1 : check_track(warp, step + 1);
}
