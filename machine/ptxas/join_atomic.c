/* join_atomic.c - atomic operations: those whose result nobody reads, and those that ptxas sends from one
 * lane, because it sees that all lanes have one address. */
#include "machine/ptxas/join_pass.h"

enum { MOST_ROUNDS = 40 };

struct varying {
    struct join_pass *pass;
    int *writes;
    bool *varies; /* of registers: lanes may hold different values */
};

static bool has_word(const struct ptx_instruction *instruction, const char *const *words)
{
    for (; *words; words++)
        if (ptx_has(instruction, *words))
            return true;
    return false;
}

/* A special register that is not the same in all lanes. */
static bool names_lane(const struct ptx_operand *operand)
{
    static const char *const names[] = {"%tid", "%laneid", "%lanemask", "%clock"};
    for (size_t i = 0; i < sizeof names / sizeof *names && operand->kind == PTX_NAME; i++)
        if (slice_begins(operand->text, names[i]))
            return true;
    return false;
}

/* A parameter of the kernel, which is the same in all lanes. Each lane of a function has its own, and each lane that
 * calls one its own result. */
static bool is_kernels_parameter(const struct join_pass *pass, const struct effect *effect)
{
    if (effect->kind != EFFECT_LOAD || effect->space != PTX_PARAM || !pass->function->entry)
        return false;
    const struct ptx_operand *base = effect->address ? &effect->address->element[0] : NULL;
    if (!base || base->kind != PTX_VARIABLE)
        return true;
    const struct ptx_function *kernel = pass->function;
    return kernel->parameters > 0 && base->variable >= kernel->parameter &&
           base->variable < kernel->parameter + kernel->parameters;
}

static bool makes_different(const struct varying *varying, int instruction)
{
    const struct effect *effect = &varying->pass->effects->of[instruction];
    const struct ptx_instruction *now = &varying->pass->body->instruction[instruction];
    const bool parameter = is_kernels_parameter(varying->pass, effect);
    if ((effect->kind != EFFECT_VALUE && !parameter) || now->guard >= 0)
        return true;
    for (int i = 0; i < now->operands; i++)
        if (names_lane(&now->operand[i]))
            return true;
    EFFECT_EACH_USE (varying->pass->effects, instruction, use)
        if (!use->writes && varying->varies[use->reg])
            return true;
    return false;
}

static bool spread(struct varying *varying)
{
    const struct join_pass *pass = varying->pass;
    bool changed = false;
    for (int i = 0; i < pass->steps; i++) {
        const int instruction = pass->step[i].instruction;
        const bool different = makes_different(varying, instruction);
        EFFECT_EACH_USE (pass->effects, instruction, use)
            if (use->writes && !varying->varies[use->reg] &&
                (different || varying->writes[use->reg] > 1))
                changed = varying->varies[use->reg] = true;
    }
    return changed;
}

static bool find_varying(struct varying *varying)
{
    const struct join_pass *pass = varying->pass;
    varying->writes = arena_new(pass->scratch, (size_t)pass->body->regs * sizeof(int));
    varying->varies = arena_new(pass->scratch, (size_t)pass->body->regs);
    if (!varying->writes || !varying->varies)
        return false;
    for (int i = 0; i < pass->steps; i++)
        EFFECT_EACH_USE (pass->effects, pass->step[i].instruction, use)
            varying->writes[use->reg] += use->writes;
    int round = 0;
    while (round < MOST_ROUNDS && spread(varying))
        round++;
    for (int r = 0; r < pass->body->regs && round == MOST_ROUNDS; r++)
        varying->varies[r] = true;
    return true;
}

static bool is_unused(const struct join_pass *pass, int instruction)
{
    if (slice_is(pass->body->instruction[instruction].opcode, "red"))
        return true;
    EFFECT_EACH_USE (pass->effects, instruction, use)
        if (use->writes && pass->reads[use->reg])
            return false;
    return true;
}

/* atom.global.add.u32 and its like, whose result nobody reads. Not exch and cas, nor what waits for others' stores, nor by
 * a generic address. */
static bool is_reduction(const struct join_pass *pass, int instruction)
{
    static const char *const kept[] = {"exch", "cas", "acquire", "acq_rel", NULL};
    const struct ptx_instruction *now = &pass->body->instruction[instruction];
    return slice_is(now->opcode, "red") ||
           (is_unused(pass, instruction) && pass->effects->of[instruction].space != PTX_GENERIC &&
            !has_word(now, kept));
}

static bool is_same_in_lanes(const struct varying *varying, const struct ptx_operand *operand)
{
    return operand->kind == PTX_CONSTANT ||
           (operand->kind == PTX_REG && !varying->varies[operand->reg]);
}

/* An atomic operation whose address is the same in all lanes is done by one lane, with the sum of all. If the result is needed, each lane
 * adds what the lanes before it have: of sums only, and, where lanes have values of their own, only if all
 * are there. Of 64 bits, sums of one value only. */
static enum join_lanes lanes_that_go(const struct varying *varying, int instruction)
{
    static const char *const operations[] = {"add", "min", "max", "and", "or", "xor", NULL};
    const struct join_pass *pass = varying->pass;
    const struct effect *effect = &pass->effects->of[instruction];
    const struct ptx_instruction *now = &pass->body->instruction[instruction];
    const int base = effect_base(effect);
    if (effect->bytes < 4 || ptx_type_is_float(effect->type) || !has_word(now, operations) ||
        (base >= 0 && varying->varies[base]))
        return JOIN_ALL_LANES;
    if (effect->bytes == 8)
        return ptx_has(now, "add") && is_same_in_lanes(varying, &now->operand[now->operands - 1])
                   ? JOIN_ONE_LANE
                   : JOIN_ALL_LANES;
    if (is_unused(pass, instruction))
        return JOIN_ONE_LANE;
    if (!ptx_has(now, "add"))
        return JOIN_ALL_LANES;
    return is_same_in_lanes(varying, &now->operand[now->operands - 1]) ? JOIN_ONE_LANE
                                                                       : JOIN_ONE_OF_ALL;
}

bool join_atomics(struct join_pass *pass)
{
    struct varying varying = {.pass = pass};
    for (int i = 0; i < pass->steps; i++) {
        const int instruction = pass->step[i].instruction;
        const struct effect *effect = join_effect(pass, i);
        if (effect->kind != EFFECT_ATOMIC)
            continue;
        if (!varying.varies && !find_varying(&varying))
            return false;
        pass->access[instruction].reduction = is_reduction(pass, instruction);
        pass->access[instruction].lanes = lanes_that_go(&varying, instruction);
    }
    return true;
}
