/* join_align.c - the last bits of registers, as far as they follow from their definitions: what proves that
 * an address is a multiple of 8 or 16.
 *
 *     shl.b32 %r2, %r1, 4       a multiple of 16
 *     add.s32 %r3, %r2, 8       8 modulo 16
 *
 * All definitions of a register are taken together. nvcc's loops carry a base that ptxas only knows to be a
 * multiple of a power of two; clang biases such bases, and there the remainder counts as well.
 */
#include "machine/ptxas/join_pass.h"

enum { MOST_ROUNDS = 64 };

/* ---- numbers --------------------------------------------------------------------------------- */

static const struct residue unseen = {-1, 0}, unknown = {0, 0};

static struct residue shortened(int bits, uint32_t rest)
{
    bits = bits > RESIDUE_BITS ? RESIDUE_BITS : bits;
    return (struct residue){bits, rest & ((1u << bits) - 1)};
}

struct residue residue_of(int64_t value)
{
    return shortened(RESIDUE_BITS, (uint32_t)value);
}

struct residue residue_add(struct residue a, struct residue b)
{
    return shortened(a.bits < b.bits ? a.bits : b.bits, a.rest + b.rest);
}

static struct residue negated(struct residue a)
{
    return shortened(a.bits, -a.rest);
}

/* How many of its last bits are 0. */
static int residue_zeros(struct residue a)
{
    return a.rest ? __builtin_ctz(a.rest) : a.bits;
}

struct residue residue_multiply(struct residue a, struct residue b)
{
    const int x = residue_zeros(a) + b.bits, y = residue_zeros(b) + a.bits;
    return shortened(x < y ? x : y, a.rest * b.rest);
}

/* The last bits that two numbers have in common. */
static struct residue meet(struct residue a, struct residue b)
{
    if (a.bits < 0 || b.bits < 0)
        return a.bits < 0 ? b : a;
    const uint32_t differ = a.rest ^ b.rest;
    int bits = a.bits < b.bits ? a.bits : b.bits;
    if (differ && __builtin_ctz(differ) < bits)
        bits = __builtin_ctz(differ);
    return shortened(bits, a.rest);
}

static struct residue bits_and(struct residue a, struct residue b)
{
    const int zeros = residue_zeros(a) > residue_zeros(b) ? residue_zeros(a) : residue_zeros(b);
    const int both = a.bits < b.bits ? a.bits : b.bits;
    return both > zeros ? shortened(both, a.rest & b.rest) : shortened(zeros, 0);
}

static struct residue bits_or(struct residue a, struct residue b)
{
    return shortened(a.bits < b.bits ? a.bits : b.bits, a.rest | b.rest);
}

static struct residue bits_xor(struct residue a, struct residue b)
{
    return shortened(a.bits < b.bits ? a.bits : b.bits, a.rest ^ b.rest);
}

static struct residue subtract(struct residue a, struct residue b)
{
    return residue_add(a, negated(b));
}

static struct residue first(struct residue a, struct residue b)
{
    (void)b;
    return a;
}

/* By a number of bits that is known. */
static struct residue shift_left(struct residue a, struct residue b)
{
    if (b.bits < RESIDUE_BITS)
        return shortened(residue_zeros(a), 0);
    return b.rest > 31 ? shortened(RESIDUE_BITS, 0)
                       : shortened(a.bits + (int)b.rest, a.rest << b.rest);
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* Integer operations: the last bits of the result, from those of the first two operands; a third is added. */
static const struct row {
    const char *opcode;
    struct residue (*result)(struct residue a, struct residue b);
    int operands;
} rows[] = {
    {"mov", first, 1},
    {"cvta", first, 1},
    {"cvt", first, 1},
    {"add", residue_add, 2},
    {"sub", subtract, 2},
    {"mul", residue_multiply, 2},
    {"mad", residue_multiply, 3},
    {"mul24", residue_multiply, 2},
    {"mad24", residue_multiply, 3},
    {"shl", shift_left, 2},
    {"and", bits_and, 2},
    {"or", bits_or, 2},
    {"xor", bits_xor, 2},
    {"selp", meet, 2},
};

static const struct row *row_of(const struct ptx_instruction *instruction)
{
    for (int i = 0; i < instruction->words; i++) {
        const enum ptx_type type = ptx_type_named(instruction->word[i]);
        if (slice_is(instruction->word[i], "hi") || slice_is(instruction->word[i], "sat") ||
            (type != PTX_NONE && (ptx_type_is_float(type) || ptx_type_bytes(type) < 2)))
            return NULL;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (slice_is(instruction->opcode, rows[i].opcode) &&
            instruction->operands > rows[i].operands && instruction->operand->kind == PTX_REG)
            return &rows[i];
    return NULL;
}

/* ptxas counts on the power of two of a shared variable's place, not on the place. */
struct residue join_variable_residue(const struct join_pass *pass,
                                     const struct ptx_variable *variable)
{
    const int64_t place = join_variable_place(pass, variable);
    if (variable->space != PTX_SHARED)
        return unknown;
    const uint32_t multiple = place >= 0 ? (uint32_t)place : variable->align;
    return shortened(multiple ? __builtin_ctz(multiple) : RESIDUE_BITS, 0);
}

static struct residue of_operand(const struct join_pass *pass, const struct ptx_operand *operand)
{
    int64_t value;
    if (operand->kind == PTX_REG)
        return pass->residue[operand->reg];
    if (operand->kind == PTX_VARIABLE && operand->variable->space == PTX_SHARED)
        return residue_add(join_variable_residue(pass, operand->variable),
                           residue_of(operand->offset));
    return ptx_constant(operand, &value) ? residue_of(value) : unknown;
}

/* Whether an operand is a register that a product with a number was made for. */
static bool is_product(const struct join_pass *pass, const struct ptx_operand *operand)
{
    int64_t value;
    if (operand->kind != PTX_REG || pass->reads[operand->reg] != 1 ||
        pass->writer[operand->reg] < 0)
        return false;
    const struct ptx_instruction *now = &pass->body->instruction[pass->writer[operand->reg]];
    const bool shift = slice_is(now->opcode, "shl") && !ptx_has(now, "b64");
    return now->guard < 0 && (shift || (slice_is(now->opcode, "mul") && ptx_has(now, "lo"))) &&
           ptx_constant(&now->operand[2], &value);
}

/* ptxas sees through a difference if it has taken it for a product and a sum: a - 4 * b is -4 * b + a. */
static bool is_clear(const struct join_pass *pass, const struct ptx_instruction *instruction)
{
    int64_t value;
    return !slice_is(instruction->opcode, "sub") ||
           ptx_constant(&instruction->operand[2], &value) ||
           (is_product(pass, &instruction->operand[2]) &&
            !is_product(pass, &instruction->operand[1]));
}

struct residue join_residue(const struct join_pass *pass, const struct ptx_instruction *instruction)
{
    const struct row *row = row_of(instruction);
    struct residue in[3] = {unknown, unknown, unknown};
    for (int i = 0; row && i < row->operands; i++) {
        in[i] = of_operand(pass, &instruction->operand[i + 1]);
        if (in[i].bits < 0)
            return unseen;
    }
    if (!row || !is_clear(pass, instruction))
        return unknown;
    const struct residue result = row->result(in[0], in[1]);
    return row->operands == 3 ? residue_add(result, in[2]) : result;
}

/* ---- all of a function ----------------------------------------------------------------------- */

static bool update(struct join_pass *pass, const int *writes, int instruction)
{
    bool changed = false;
    EFFECT_EACH_USE (pass->effects, instruction, use) {
        if (!use->writes || pass->residue[use->reg].bits == 0)
            continue;
        struct residue fresh = join_residue(pass, &pass->body->instruction[instruction]);
        if (fresh.bits > 0 && writes[use->reg] > 1 && !pass->unit->from_llvm)
            fresh = shortened(residue_zeros(fresh), 0);
        fresh = meet(pass->residue[use->reg], fresh);
        changed |= fresh.bits != pass->residue[use->reg].bits;
        pass->residue[use->reg] = fresh;
    }
    return changed;
}

bool join_align(struct join_pass *pass)
{
    const size_t regs = (size_t)pass->body->regs;
    int *writes = arena_new(pass->scratch, regs * sizeof *writes);
    pass->residue = arena_new(pass->scratch, regs * sizeof *pass->residue);
    if (!writes || !pass->residue)
        return false;
    for (int i = 0; i < pass->steps; i++)
        EFFECT_EACH_USE (pass->effects, pass->step[i].instruction, use)
            writes[use->reg] += use->writes;
    for (int r = 0; r < pass->body->regs; r++)
        pass->residue[r] = writes[r] ? unseen : unknown;
    bool changed = true;
    for (int round = 0; changed && round < MOST_ROUNDS; round++) {
        changed = false;
        for (int i = 0; i < pass->steps; i++)
            changed |= update(pass, writes, pass->step[i].instruction);
    }
    for (int r = 0; r < pass->body->regs; r++)
        if (changed || pass->residue[r].bits < 0)
            pass->residue[r] = unknown;
    return true;
}
