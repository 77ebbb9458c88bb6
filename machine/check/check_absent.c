/* check_absent.c - values that a shuffle took from a lane that does not take part: they are undefined.
 *
 *     warp of 8 lanes     v = __shfl_down_sync(0xff, sum, 4);     lanes 4 to 7: undefined
 *                         sum += v;                               lanes 4 to 7 of sum, too
 *                         if (lane == 0) *out = sum;              lane 0 is defined: nothing is told
 *
 * Most sums over a warp are of that kind, so only what reaches memory is told. From such a shuffle on, the warp's
 * instructions are looked at one by one: a register has such a value, for each lane, if one that is read has. A value
 * that decides where lanes go is not followed, nor one that is handed to a function or through memory. Where several
 * lanes store to shared memory, these may be values that nobody reads: a single lane's is told.
 */
#include "machine/check/check.h"
#include "machine/decode/decode.h"

enum { REGISTERS = 32 }; /* with such values, of a warp; of what is more is not known */

struct check_absent {
    const struct frame *frame;
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

void check_absent_forget(struct check_warp *own)
{
    if (own->absent)
        own->absent->count = 0;
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
    const uint8_t *at = warp->registers + code->reg[reg];
    uint64_t lanes = 0;
    for (int i = 0; i < 32 && ptx_type_bytes(type) == 4; i++)
        lanes |= (uint64_t) !((const uint32_t *)(const void *)at)[i] << i;
    return lanes;
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
               slice_is(reading->instruction->opcode, "mul")) {
        for (int i = 1; i < operands; i++)
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

static bool is_told(const struct reading *reading, uint64_t lanes)
{
    const struct effect *effect = reading->effect;
    if (effect->kind == EFFECT_STORE && effect->space == PTX_SHARED)
        return lanes == reading->mask && !(lanes & (lanes - 1));
    return effect->kind == EFFECT_ATOMIC ||
           (effect->kind == EFFECT_STORE &&
            (effect->space == PTX_GLOBAL || effect->space == PTX_GENERIC));
}

static void tell(struct warp *warp, const struct reading *reading)
{
    const uint64_t lanes = reading->value.lanes & reading->mask;
    if (lanes && is_told(reading, lanes))
        finding(warp, __builtin_ctzll(lanes), MACHINE_FAULT_MASK, reading->value.site,
                "what lane %d stores is undefined: a shuffle took it, or a part of it, from lane "
                "%d, which does not take part in it",
                __builtin_ctzll(lanes), reading->value.from);
}

static void write_all(const struct warp *warp, struct check_absent *absent,
                      const struct reading *reading)
{
    const struct effects *effects = &warp->frame->code->function->parsed->flow->effects;
    const int index = (int)(reading->effect - effects->of);
    uint64_t mask = reading->mask, lanes = reading->value.lanes & mask;
    if (slice_is(reading->instruction->opcode, "shfl"))
        return; /* check_shuffle has done it */
    if (reading->effect->kind == EFFECT_LANES) {
        mask = warp->mask;
        lanes = reading->value.lanes & mask ? mask : 0;
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
            write_all(warp, absent, &reading);
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
    if (!own->absent)
        own->absent = arena_new(&warp->worker->arena, sizeof *own->absent);
    if (!own->absent || warp->followed || instruction->operand->kind != PTX_REG)
        return step + 1;
    if (own->absent->frame != warp->frame)
        *own->absent = (struct check_absent){.frame = warp->frame};
    const struct absent_value *before = from->kind == PTX_REG ? find(own->absent, from->reg) : NULL;
    struct absent_value value = {.site = step_site(warp, step)};
    if (before)
        value = *before;
    else if (missing)
        value.from = source[__builtin_ctzll(missing)];
    const uint64_t lanes = missing | (before ? handed_on(before, source, warp->mask) : 0);
    put(own->absent, instruction->operand->reg, warp->mask, lanes, &value);
    if (instruction->second && instruction->operand[1].kind == PTX_REG)
        put(own->absent, instruction->operand[1].reg, warp->mask, 0, NULL);
    warp->tracked = own->absent->count > 0;
    return warp->tracking || !warp->tracked ? step + 1 : check_track(warp, step + 1);
}
