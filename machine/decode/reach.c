/* reach.c - which registers decide where shared memory is accessed, or which lanes go where: they are part of an address
 * or of a predicate, through instructions that leave their results in registers.
 *
 *     atom.shared.add.u32 %r1, [%r9], 1;  shl.b32 %r2, %r1, 2;  add.u32 %r3, %r2, %r8;  st.shared.u32 [%r3], %r7;
 *
 * %r3, %r2, %r8 and %r1 do; %r7 does not.
 */
#include "machine/decode/decode.h"

/* Whether an instruction's operands decide, whatever its results do: all of them, or one alone (*reg; -1: none). */
static bool all_decide(const struct effect *effect, const struct ptx_instruction *instruction,
                       int *reg)
{
    const bool shared = effect->space == PTX_SHARED || effect->space == PTX_GENERIC;
    *reg = instruction->guard;
    switch (effect->kind) {
    case EFFECT_TOUCH:
        return true;
    case EFFECT_LOAD:
    case EFFECT_STORE:
    case EFFECT_ATOMIC:
        *reg = shared ? effect_base(effect) : -1;
        return false;
    case EFFECT_BRANCH:
        return false;
    default:
        *reg = -1;
        return false;
    }
}

/* One walk over the body, from its end. Returns whether registers were added. */
static bool walk_body(const struct decoder *decoder, bool *reaches)
{
    const struct ptx_body *body = decoder->body;
    const struct effects *effects = &decoder->flow->effects;
    bool changed = false;
    for (int i = effects->count; i-- > 0;) {
        const struct effect *effect = &effects->of[i];
        const struct ptx_instruction *instruction = &body->instruction[i];
        int reg;
        bool all = all_decide(effect, instruction, &reg);
        const bool guarded =
            instruction->guard >= 0 && effect->kind >= EFFECT_LOAD && effect->kind <= EFFECT_TOUCH;
        EFFECT_EACH_USE (effects, i, use)
            all |= use->writes && reaches[use->reg] &&
                   (effect->kind == EFFECT_VALUE || effect->kind == EFFECT_LANES);
        EFFECT_EACH_USE (effects, i, use)
            if (!use->writes && !reaches[use->reg] &&
                (all || use->reg == reg || (guarded && use->reg == instruction->guard)))
                changed = reaches[use->reg] = true;
    }
    return changed;
}

bool reaches_shared(struct decoder *decoder, int reg)
{
    if (!decoder->reaches) {
        bool *reaches = decode_new(decoder, (size_t)decoder->body->regs + 1);
        while (reaches && walk_body(decoder, reaches))
            ;
        decoder->reaches = reaches;
    }
    return decoder->reaches && decoder->reaches[reg];
}
