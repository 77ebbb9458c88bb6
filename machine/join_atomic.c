/* join_atomic.c - atomic operations on global memory: those whose result nobody reads, and those that ptxas
 * sends from one lane, because it sees that all lanes have one address. */
#include "machine/join_pass.h"

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

static bool makes_different(const struct varying *varying, int instruction)
{
    const struct effect *effect = &varying->pass->effects->of[instruction];
    const struct ptx_instruction *now = &varying->pass->body->instruction[instruction];
    const bool parameter = effect->kind == EFFECT_LOAD && effect->space == PTX_PARAM;
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

/* atom.global.add.u32 and its like, whose result nobody reads. Not exch and cas, nor by a generic address. */
static bool is_reduction(const struct join_pass *pass, int instruction)
{
    static const char *const kept[] = {"exch", "cas", NULL};
    const struct ptx_instruction *now = &pass->body->instruction[instruction];
    if (slice_is(now->opcode, "red"))
        return true;
    if (pass->effects->of[instruction].space == PTX_GENERIC || has_word(now, kept))
        return false;
    EFFECT_EACH_USE (pass->effects, instruction, use)
        if (use->writes && pass->reads[use->reg])
            return false;
    return true;
}

static bool is_from_one_lane(const struct varying *varying, int instruction)
{
    static const char *const operations[] = {"add", "min", "max", "and", "or", "xor", NULL};
    const struct effect *effect = &varying->pass->effects->of[instruction];
    const int base = effect_base(effect);
    return effect->bytes == 4 && !ptx_type_is_float(effect->type) &&
           has_word(&varying->pass->body->instruction[instruction], operations) &&
           (base < 0 || !varying->varies[base]);
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
        pass->access[instruction].one_lane = is_from_one_lane(&varying, instruction);
    }
    return true;
}
