/* origin_global.c - which array of global memory an address is of: a parameter of the kernel, or a variable of the module.
 *
 *     ld.param.u64 %rd1, [k_param_0];  cvta.to.global.u64 %rd2, %rd1;  add.s64 %rd3, %rd2, %rd9;  ld.global.f32 ..., [%rd3]
 *
 * is of parameter 0, whatever %rd9 is. A parameter that is no pointer may be added to one that is: what went through cvta,
 * or is told to be a pointer (.ptr), is meant. Nothing is known of pointers that are themselves loaded, of two that are
 * chosen of, and of what a function is called with.
 */
#include "machine/decode/decode.h"

#include <string.h>

enum { ORIGIN_ROUNDS = 8 };

static const struct ptx_variable *named_by(const struct ptx_operand *operand)
{
    const struct ptx_operand *base = operand->kind == PTX_ADDRESS ? operand->element : operand;
    return base->kind == PTX_VARIABLE ? base->variable : NULL;
}

/* What 8 bytes that are loaded are: of a parameter, which an address may be of that a register has. */
static struct global_origin loaded(const struct decoder *decoder,
                                   const struct global_origin *origin,
                                   const struct ptx_instruction *instruction)
{
    const struct ptx_operand *address = &instruction->operand[1];
    const struct ptx_variable *from = named_by(address);
    if (!from && ptx_has(instruction, "param") && address->kind == PTX_ADDRESS &&
        address->element[0].kind == PTX_REG)
        from = origin[address->element[0].reg].variable;
    if (from && from->space == PTX_PARAM && decoder->code->function->entry)
        return (struct global_origin){.variable = from, .pointer = from->pointer};
    return (struct global_origin){.unknown = true};
}

static struct global_origin of_operand(const struct global_origin *origin,
                                       const struct ptx_operand *operand)
{
    const struct ptx_variable *variable = named_by(operand);
    if (variable && (variable->space == PTX_GLOBAL || variable->space == PTX_CONST))
        return (struct global_origin){.variable = variable, .pointer = true};
    if (variable && variable->space == PTX_PARAM) /* its address */
        return (struct global_origin){.variable = variable};
    if (operand->kind == PTX_REG)
        return origin[operand->reg];
    return (struct global_origin){.unknown = operand->kind == PTX_VECTOR};
}

/* The origin of a sum: that of the operand that is a pointer, if one is. */
static struct global_origin sum_of(struct global_origin a, struct global_origin b)
{
    if (a.pointer != b.pointer)
        return a.pointer ? a : b;
    if (a.unknown || b.unknown || (a.variable && b.variable))
        return (struct global_origin){.unknown = true};
    return a.variable ? a : b;
}

static struct global_origin same_of(struct global_origin a, struct global_origin b)
{
    if (a.unknown || b.unknown || a.variable != b.variable)
        return (struct global_origin){.unknown = true};
    return a;
}

static struct global_origin result_of(const struct decoder *decoder,
                                      const struct global_origin *origin,
                                      const struct ptx_instruction *instruction)
{
    const struct slice opcode = instruction->opcode;
    const struct ptx_operand *operand = instruction->operand;
    const int operands = instruction->operands;
    if (slice_is(opcode, "ld") || slice_is(opcode, "atom"))
        return operands > 1 ? loaded(decoder, origin, instruction)
                            : (struct global_origin){.unknown = true};
    if (operands == 2 && (slice_is(opcode, "mov") || slice_is(opcode, "cvta"))) {
        struct global_origin result = of_operand(origin, &operand[1]);
        result.pointer |= slice_is(opcode, "cvta") && result.variable;
        return result;
    }
    if (operands == 4 && slice_is(opcode, "selp"))
        return same_of(of_operand(origin, &operand[1]), of_operand(origin, &operand[2]));
    if (operands == 4 && slice_is(opcode, "mad"))
        return of_operand(origin, &operand[3]);
    if (operands == 3 && (slice_is(opcode, "add") || slice_is(opcode, "or")))
        return sum_of(of_operand(origin, &operand[1]), of_operand(origin, &operand[2]));
    if (operands == 3 && slice_is(opcode, "sub"))
        return of_operand(origin, &operand[1]);
    return (struct global_origin){NULL, false, false};
}

/* Whether it has changed. */
static bool merge(struct global_origin *of, struct global_origin result, bool first)
{
    const struct global_origin before = *of, both = first ? result : same_of(*of, result);
    *of = both;
    return before.variable != both.variable || before.unknown != both.unknown ||
           before.pointer != both.pointer;
}

static bool walk_body(struct decoder *decoder, struct global_origin *origin, uint8_t *seen)
{
    const struct ptx_body *body = decoder->body;
    bool changed = false;
    for (int i = 0; i < body->instructions; i++) {
        const struct ptx_instruction *instruction = &body->instruction[i];
        const struct ptx_operand *to = instruction->operand;
        if (!instruction->operands || (to->kind != PTX_REG && to->kind != PTX_VECTOR))
            continue;
        const struct global_origin result = result_of(decoder, origin, instruction);
        for (int k = 0; k < (to->kind == PTX_VECTOR ? to->elements : 1); k++) {
            const struct ptx_operand *one = to->kind == PTX_VECTOR ? &to->element[k] : to;
            if (one->kind != PTX_REG || ptx_type_bytes(body->reg[one->reg].type) != 8)
                continue;
            changed |= merge(&origin[one->reg], result, !seen[one->reg]);
            seen[one->reg] = 1;
        }
    }
    return changed;
}

const struct global_origin *global_origins_of(struct decoder *decoder)
{
    const size_t regs = (size_t)decoder->body->regs + 1;
    struct global_origin *origin = decode_new(decoder, regs * sizeof *origin);
    uint8_t *seen = decode_new(decoder, regs);
    bool changed = true;
    if (!origin || !seen)
        return NULL;
    for (int round = 0; round < ORIGIN_ROUNDS && changed; round++)
        changed = walk_body(decoder, origin, seen);
    for (size_t r = 0; changed && r < regs; r++) /* it does not settle: nothing is known */
        origin[r].variable = NULL;
    return origin;
}

void global_array_note(struct decoder *decoder, int access, const struct ptx_operand *base)
{
    const struct ptx_variable *variable = base->kind == PTX_VARIABLE ? base->variable
                                          : base->kind == PTX_REG
                                              ? decoder->global_origin[base->reg].variable
                                              : NULL;
    if (access < 0 || !variable || variable->space == PTX_SHARED || variable->space == PTX_LOCAL)
        return;
    char *name = decode_new(decoder, (size_t)variable->name.length + 1);
    if (name)
        memcpy(name, variable->name.at, (size_t)variable->name.length);
    decoder->kernel->access[access].facts.array = name;
}
