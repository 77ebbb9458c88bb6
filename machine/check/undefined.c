/* undefined.c - the undefined bits of a warp's registers, in the registers' own layout. */
#include "machine/check/undefined.h"
#include "machine/decode/decode.h"

#include <string.h>

/* ---- registers ------------------------------------------------------------------------------- */

struct undefined_register *undefined_find(struct undefined *undefined, int reg)
{
    for (int i = 0; i < undefined->count; i++)
        if (undefined->of[i].reg == reg)
            return &undefined->of[i];
    return NULL;
}

size_t undefined_lane_bytes(const struct code *code, int reg)
{
    const enum ptx_type type = code->function->parsed->reg[reg].type;
    return type == PTX_PRED ? 0 : decode_register_bytes(type);
}

size_t undefined_register_bytes(const struct code *code, int reg)
{
    const size_t each = undefined_lane_bytes(code, reg);
    return each ? each * UNDEFINED_LANES : sizeof(uint64_t);
}

/* Lanes that have bits within the first bytes of their parts. */
static uint64_t lanes_within(const uint8_t *bits, size_t each, size_t bytes)
{
    static const uint8_t none[16];
    uint64_t lanes = 0;
    if (!each)
        memcpy(&lanes, bits, sizeof lanes);
    for (int i = 0; each && i < UNDEFINED_LANES; i++)
        lanes |= (uint64_t)(memcmp(bits + (size_t)i * each, none, bytes) != 0) << i;
    return lanes;
}

static uint64_t lanes_of(const uint8_t *bits, size_t each)
{
    uint32_t word[UNDEFINED_LANES];
    uint64_t lanes = 0;
    if (each != sizeof *word)
        return lanes_within(bits, each, each);
    memcpy(word, bits, sizeof word); /* most registers, and quick */
    for (int i = 0; i < UNDEFINED_LANES; i++)
        lanes |= (uint64_t)(word[i] != 0) << i;
    return lanes;
}

uint64_t undefined_within(const struct undefined_register *of, size_t each, size_t bytes)
{
    return lanes_within(of->bits, each, bytes);
}

/* Sets or clears bits of lanes. */
static void mark(const struct code *code, uint8_t *bits, int reg, uint64_t lanes, bool set)
{
    const size_t each = undefined_lane_bytes(code, reg);
    uint64_t predicate;
    if (!each) {
        memcpy(&predicate, bits, sizeof predicate);
        predicate = set ? predicate | lanes : predicate & ~lanes;
        memcpy(bits, &predicate, sizeof predicate);
        return;
    }
    FOR_LANES(lane, lanes)
    memset(bits + (size_t)lane * each, set ? 0xff : 0, each);
}

void undefined_put(struct undefined *undefined, int reg, const uint8_t *bits,
                   struct undefined_source source)
{
    const uint64_t lanes = lanes_of(bits, undefined_lane_bytes(undefined->code, reg));
    struct undefined_register *value = undefined_find(undefined, reg);
    if (!value && lanes && undefined->count < UNDEFINED_REGISTERS) {
        value = &undefined->of[undefined->count++];
        value->reg = reg;
        value->source = source;
    }
    if (value && lanes) {
        value->lanes = lanes;
        memcpy(value->bits, bits, undefined_register_bytes(undefined->code, reg));
    } else if (value) {
        *value = undefined->of[--undefined->count];
    }
}

void undefined_put_lanes(struct undefined *undefined, int reg, uint64_t mask, uint64_t lanes,
                         struct undefined_source source)
{
    const struct undefined_register *before = undefined_find(undefined, reg);
    uint8_t bits[UNDEFINED_BYTES] = {0};
    if (before)
        memcpy(bits, before->bits, undefined_register_bytes(undefined->code, reg));
    mark(undefined->code, bits, reg, mask, false);
    mark(undefined->code, bits, reg, lanes, true);
    undefined_put(undefined, reg, bits, source);
}

void undefined_clear(struct undefined *undefined, int reg, uint64_t lanes)
{
    const struct undefined_register *before = undefined_find(undefined, reg);
    if (before && before->lanes & lanes)
        undefined_put_lanes(undefined, reg, lanes, 0, before->source);
}

/* ---- where registers are read ---------------------------------------------------------------- */

/* A way back: where it comes from, of the steps that lead to one. */
static void note_way(int *back, const struct code *code, int from, const struct step *to)
{
    const int at = (int)(to - code->step);
    if (to && at <= from && back[at] < from)
        back[at] = from;
}

/* With each register its last step:
 *
 *     0  shfl r1    1 loop:    2  add r2, r1    3  bra loop    4  st r2        r1: 3, r2: 4
 */
int *undefined_last_reads(const struct code *code, struct machine_run *run)
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
