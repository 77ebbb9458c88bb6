/* effect.c - what an instruction does: a table of the opcodes that are not just registers in, registers
 * out. */
#include "machine/ptxas/effect.h"

enum flag {
    NO_RESULT = 1, /* its first operand is read, even if it is a register */
    READS = 2,     /* memory */
    WRITES = 4,
    BOTH = READS | WRITES,
    ONCE = 8, /* not to be executed again with other operands */
};

static const struct row {
    const char *opcode;
    const char *word; /* that it has; NULL: any */
    enum effect_kind kind;
    unsigned flags;
} rows[] = {
    {"ld", NULL, EFFECT_LOAD, READS},
    {"ldu", NULL, EFFECT_LOAD, READS},
    {"st", NULL, EFFECT_STORE, WRITES},
    {"atom", NULL, EFFECT_ATOMIC, BOTH},
    {"red", NULL, EFFECT_ATOMIC, BOTH},
    {"cp", "commit_group", EFFECT_VALUE, NO_RESULT},
    {"cp", "wait_group", EFFECT_FENCE, BOTH},
    {"cp", "wait_all", EFFECT_FENCE, BOTH},
    {"cp", NULL, EFFECT_TOUCH, BOTH},
    {"ldmatrix", NULL, EFFECT_TOUCH, READS},
    {"stmatrix", NULL, EFFECT_TOUCH, WRITES},
    {"wmma", "load", EFFECT_TOUCH, READS},
    {"wmma", "store", EFFECT_TOUCH, WRITES},
    {"wgmma", "mma_async", EFFECT_TOUCH, READS},
    {"wgmma", NULL, EFFECT_FENCE, NO_RESULT | BOTH},
    {"sust", NULL, EFFECT_TOUCH, WRITES},
    {"sured", NULL, EFFECT_TOUCH, BOTH},
    {"tex", NULL, EFFECT_VALUE, ONCE},
    {"tld4", NULL, EFFECT_VALUE, ONCE},
    {"txq", NULL, EFFECT_VALUE, ONCE},
    {"suq", NULL, EFFECT_VALUE, ONCE},
    {"suld", NULL, EFFECT_TOUCH, READS},
    {"prefetch", NULL, EFFECT_VALUE, NO_RESULT},
    {"prefetchu", NULL, EFFECT_VALUE, NO_RESULT},
    {"shfl", NULL, EFFECT_LANES, 0},
    {"vote", NULL, EFFECT_LANES, 0},
    {"match", NULL, EFFECT_LANES, 0},
    {"redux", NULL, EFFECT_LANES, 0},
    {"activemask", NULL, EFFECT_LANES, 0},
    {"elect", NULL, EFFECT_LANES, 0},
    {"bar", "red", EFFECT_BARRIER, BOTH},
    {"barrier", "red", EFFECT_BARRIER, BOTH},
    {"bar", NULL, EFFECT_BARRIER, NO_RESULT | BOTH},
    {"barrier", NULL, EFFECT_BARRIER, NO_RESULT | BOTH},
    {"membar", NULL, EFFECT_FENCE, NO_RESULT | BOTH},
    {"fence", NULL, EFFECT_FENCE, NO_RESULT | BOTH},
    {"mbarrier", NULL, EFFECT_FENCE, BOTH},
    {"griddepcontrol", NULL, EFFECT_FENCE, NO_RESULT | BOTH},
    {"nanosleep", NULL, EFFECT_VALUE, NO_RESULT},
    {"alloca", NULL, EFFECT_VALUE, ONCE},
    {"stackrestore", NULL, EFFECT_VALUE, NO_RESULT},
    {"call", NULL, EFFECT_CALL, NO_RESULT | BOTH},
    {"bra", NULL, EFFECT_BRANCH, NO_RESULT},
    {"brx", NULL, EFFECT_TABLE, NO_RESULT},
    {"ret", NULL, EFFECT_END, NO_RESULT},
    {"exit", NULL, EFFECT_END, NO_RESULT},
    {"trap", NULL, EFFECT_END, NO_RESULT},
    {"bankscope", NULL, EFFECT_MARK, NO_RESULT},
};

static const struct row *row_of(const struct ptx_instruction *instruction)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (slice_is(instruction->opcode, rows[i].opcode) &&
            (!rows[i].word || ptx_has(instruction, rows[i].word)))
            return &rows[i];
    return NULL;
}

/* ---- registers ------------------------------------------------------------------------------- */

static bool add_use(struct effects *effects, struct arena *arena, int reg, bool writes)
{
    if (!arena_grow(arena, &effects->use, &effects->use_room, effects->uses + 1,
                    sizeof *effects->use))
        return false;
    effects->use[effects->uses++] = (struct effect_use){reg, writes};
    return true;
}

static bool add_operand(struct effects *effects, struct arena *arena,
                        const struct ptx_operand *operand, bool writes)
{
    if (operand->kind == PTX_REG)
        return add_use(effects, arena, operand->reg, writes);
    for (int i = 0; i < operand->elements; i++)
        if (!add_operand(effects, arena, &operand->element[i], writes))
            return false;
    return true;
}

/* How many of its first operands it writes. */
static int results(const struct ptx_instruction *instruction, unsigned flags)
{
    if (!instruction->operands)
        return 0;
    enum ptx_operand_kind kind = instruction->operand[0].kind;
    if (kind == PTX_LIST)
        return 1; /* of a call */
    if ((flags & NO_RESULT) || kind == PTX_ADDRESS)
        return 0;
    return instruction->second && instruction->operands > 1 ? 2 : 1;
}

int effect_results(const struct ptx_instruction *instruction)
{
    const struct row *row = row_of(instruction);
    return results(instruction, row ? row->flags : 0);
}

static bool add_registers(struct effects *effects, struct arena *arena, struct effect *effect,
                          const struct ptx_instruction *instruction, unsigned flags)
{
    const int written = results(instruction, flags);
    effect->use = effects->uses;
    for (int i = 0; i < instruction->operands; i++)
        if (!add_operand(effects, arena, &instruction->operand[i], i < written))
            return false;
    /* wgmma adds to what its registers hold */
    if (effect->kind == EFFECT_TOUCH && instruction->operands &&
        slice_is(instruction->opcode, "wgmma") &&
        !add_operand(effects, arena, &instruction->operand[0], false))
        return false;
    if (instruction->guard >= 0 && !add_use(effects, arena, instruction->guard, false))
        return false;
    effect->uses = effects->uses - effect->use;
    return true;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static enum ptx_space space_of(const struct ptx_instruction *instruction)
{
    static const struct {
        const char *word;
        enum ptx_space space;
    } spaces[] = {
        {"shared", PTX_SHARED}, {"global", PTX_GLOBAL}, {"local", PTX_LOCAL},
        {"const", PTX_CONST},   {"param", PTX_PARAM},
    };
    for (int i = 0; i < instruction->words; i++)
        for (size_t k = 0; k < sizeof spaces / sizeof *spaces; k++)
            if (slice_begins(instruction->word[i], spaces[k].word))
                return spaces[k].space;
    return PTX_GENERIC;
}

static bool is_strong(const struct ptx_instruction *instruction)
{
    static const char *const words[] = {"volatile", "relaxed", "acquire", "release", "mmio"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ptx_has(instruction, words[i]))
            return true;
    return false;
}

static const struct ptx_operand *address_of(const struct ptx_instruction *instruction)
{
    for (int i = 0; i < instruction->operands; i++)
        if (instruction->operand[i].kind == PTX_ADDRESS)
            return &instruction->operand[i];
    return NULL;
}

/* Whether, as the compiler says, three of its four elements matter: ptxas then loads all four, and takes nothing for the
 * others' values, not even the loads of the fourth. */
static bool is_gapped(const struct effect *effect, uint32_t used)
{
    const int each = ptx_type_bytes(effect->type);
    int elements = 0;
    if (effect->bytes != 4 * each || each > 8) /* 4 * b128 is no vector */
        return false;
    for (int i = 0; i < 4; i++)
        elements += (used >> i * each & ((1u << each) - 1)) != 0;
    return elements == 3;
}

static void set_access(struct effect *effect, const struct ptx_instruction *instruction)
{
    const int value = effect->kind == EFFECT_LOAD ? 0 : 1;
    effect->space = space_of(instruction);
    for (int i = 0; i < instruction->words; i++)
        if (ptx_type_named(instruction->word[i]) != PTX_NONE)
            effect->type = ptx_type_named(instruction->word[i]);
    const bool two = ptx_has(instruction, "v2"), four = ptx_has(instruction, "v4");
    effect->bytes = ptx_type_bytes(effect->type) * (two                          ? 2
                                                    : four                       ? 4
                                                    : ptx_has(instruction, "v8") ? 8
                                                                                 : 1);
    effect->constant = effect->kind == EFFECT_LOAD && ptx_has(instruction, "nc");
    effect->strong = is_strong(instruction);
    effect->fixed =
        is_gapped(effect, instruction->used) ||
        (effect->strong && (effect->space != PTX_SHARED || ptx_has(instruction, "volatile") ||
                            ptx_has(instruction, "mmio")));
    effect->address = address_of(instruction);
    effect->value = value < instruction->operands ? &instruction->operand[value] : NULL;
    if (!effect->address || !effect->value || !effect->bytes)
        effect->kind = EFFECT_TOUCH; /* decoding will refuse it */
}

/* Operations that are done with a branch, or a call: div.rn.f32, sqrt.rn.f64, rem.s64. */
static bool is_slow(const struct ptx_instruction *instruction)
{
    static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
    const bool division = slice_is(instruction->opcode, "div");
    if ((division || slice_is(instruction->opcode, "rem")) &&
        (ptx_has(instruction, "s64") || ptx_has(instruction, "u64")))
        return true;
    if (!division && !slice_is(instruction->opcode, "sqrt") &&
        !slice_is(instruction->opcode, "rcp"))
        return false;
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++)
        if (ptx_has(instruction, roundings[i]))
            return true;
    return false;
}

bool effects_add(struct effects *effects, struct arena *arena, const struct ptx_body *body)
{
    /* Room for a use, too, so that those who look for uses where there are none have an array. */
    if (!arena_grow(arena, &effects->of, &effects->room, effects->count + 1, sizeof *effects->of) ||
        !arena_grow(arena, &effects->use, &effects->use_room, 1, sizeof *effects->use))
        return false;
    const struct ptx_instruction *instruction = &body->instruction[effects->count];
    const struct row *row = row_of(instruction);
    struct effect *effect = &effects->of[effects->count++];
    unsigned flags = row ? row->flags : 0;
    effect->kind = row ? row->kind : EFFECT_VALUE;
    if (!row && address_of(instruction)) {
        effect->kind = EFFECT_TOUCH;
        flags = BOTH;
    }
    effect->reads = flags & READS;
    effect->writes = flags & WRITES;
    effect->slow = is_slow(instruction);
    effect->once = flags & ONCE;
    if (effect->kind == EFFECT_LOAD || effect->kind == EFFECT_STORE ||
        effect->kind == EFFECT_ATOMIC)
        set_access(effect, instruction);
    else if (slice_is(instruction->opcode, "ldmatrix") || slice_is(instruction->opcode, "wmma"))
        effect->address = address_of(instruction);
    return add_registers(effects, arena, effect, instruction, flags);
}

int effect_base(const struct effect *effect)
{
    const struct ptx_operand *base = effect->address->element;
    return base->kind == PTX_REG ? base->reg : -1;
}

bool effect_parts(const struct effect *effect, const struct ptx_instruction *instruction)
{
    return effect->kind == EFFECT_BRANCH || effect->kind == EFFECT_TABLE ||
           (effect->kind == EFFECT_END && instruction->guard < 0);
}
