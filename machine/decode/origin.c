/* origin.c - which shared variable an address is made of, so that the checker can hold it against that
 * variable's bounds; and which registers nobody reads, so that what a load leaves in them does not matter.
 *
 *     mov.u32 %r1, tile;  add.s32 %r2, %r1, %r9;  ld.shared.f32 %f1, [%r2+4];      is of tile, whatever %r9 is
 *
 * A register has the origin of what is moved, added or converted into it. Of two origins, or of one and a
 * value that may be any pointer, nothing is known.
 */
#include "machine/decode/decode.h"

enum { ORIGIN_ROUNDS = 8 };

/* Operations through which a pointer stays one into the same variable. */
static bool keeps_origin(struct slice opcode)
{
    static const char *const names[] = {"mov", "add", "sub", "mad", "cvta", "cvt", "selp", "or"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_is(opcode, names[i]))
            return true;
    return false;
}

/* The shared variable that an operand's value is an address of. NULL: it is a number, or *unknown is set. */
static const struct ptx_variable *operand_origin(const struct origin *origin,
                                                 const struct ptx_operand *operand, bool *unknown)
{
    if (operand->kind == PTX_VARIABLE)
        return operand->variable->space == PTX_SHARED ? operand->variable : (*unknown = true, NULL);
    if (operand->kind != PTX_REG)
        return NULL;
    *unknown |= origin[operand->reg].unknown;
    return origin[operand->reg].variable;
}

/* The origin of what an instruction leaves in its first operand. */
static struct origin result_origin(const struct origin *origin,
                                   const struct ptx_instruction *instruction)
{
    struct origin result = {NULL, false, 0};
    int made_of = 0, last = 0;
    const bool keeps = keeps_origin(instruction->opcode);
    const bool chooses = slice_is(instruction->opcode, "selp");
    for (int i = 1; i < instruction->operands; i++) {
        const struct ptx_variable *variable =
            operand_origin(origin, &instruction->operand[i], &result.unknown);
        made_of += variable != NULL;
        last = variable ? i : last;
        if (variable && result.variable && variable != result.variable)
            result.unknown = true;
        result.variable = variable ? variable : result.variable;
    }
    const bool difference = slice_is(instruction->opcode, "sub") && made_of == 2;
    if (difference) /* of two pointers: a number */
        return (struct origin){NULL, false, 0};
    const bool factor = slice_is(instruction->opcode, "mad") && last != 3;
    const bool negated = slice_is(instruction->opcode, "sub") && last != 1;
    if (made_of && (!keeps || factor || negated || made_of != (chooses ? 2 : 1)))
        result.unknown = true;
    if (result.unknown)
        result.variable = NULL;
    return result;
}

static bool merge(struct origin *of, struct origin result, bool first)
{
    const struct origin before = *of;
    if (result.unknown || of->unknown || (!first && of->variable != result.variable))
        *of = (struct origin){NULL, true, of->mentions};
    else
        of->variable = result.variable;
    return before.variable != of->variable || before.unknown != of->unknown;
}

static void count_mentions(struct origin *origin, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_REG)
        origin[operand->reg].mentions++;
    for (int i = 0; i < operand->elements; i++)
        count_mentions(origin, &operand->element[i]);
}

/* One walk over the body. seen: registers that were written in this walk, or in one before. */
static bool walk_body(struct origin *origin, const struct ptx_body *body, uint8_t *seen)
{
    bool changed = false;
    for (int i = 0; i < body->instructions; i++) {
        const struct ptx_instruction *instruction = &body->instruction[i];
        const struct ptx_operand *to = instruction->operand;
        if (!instruction->operands || to->kind != PTX_REG || body->reg[to->reg].type == PTX_PRED)
            continue;
        const struct origin result = result_origin(origin, instruction);
        changed |= merge(&origin[to->reg], result, !seen[to->reg]);
        seen[to->reg] = 1;
    }
    return changed;
}

const struct origin *origins_of(struct decoder *decoder)
{
    const struct ptx_body *body = decoder->body;
    const size_t regs = (size_t)body->regs + 1;
    struct origin *origin = decode_new(decoder, regs * sizeof *origin);
    uint8_t *seen = decode_new(decoder, regs);
    if (!origin || !seen)
        return NULL;
    for (int i = 0; i < body->instructions; i++) {
        const struct ptx_instruction *instruction = &body->instruction[i];
        for (int k = 0; k < instruction->operands; k++)
            count_mentions(origin, &instruction->operand[k]);
    }
    bool changed = true;
    for (int round = 0; round < ORIGIN_ROUNDS && changed; round++)
        changed = walk_body(origin, body, seen);
    for (int r = 0; changed && r < body->regs; r++) /* it does not settle: nothing is known */
        origin[r].variable = NULL;
    return origin;
}
