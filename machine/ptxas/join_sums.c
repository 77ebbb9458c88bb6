/* join_sums.c - addresses as sums, so that two of them can be compared:
 *
 *     shl.b32 %r2, %r1, 2        %r2 = 4 * %r1
 *     add.s32 %r3, %r2, 512      %r3 = 4 * %r1 + 512
 *     ld.shared.u32 .., [%r3+4]  key { 4 * %r1 }, offset 516
 *     ld.shared.u32 .., [%r2]    key { 4 * %r1 }, offset 0
 *
 * A register that is written once stands for one number. One that is written several times stands for
 * another number after each write, and in each basic block that more than the one before it leads to.
 */
#include "machine/ptxas/join_pass.h"

enum { MOST_TERMS = 8, HASH = 4096 };

struct sum {
    int64_t offset;
    int terms;
    struct {
        int term;
        int64_t factor;
    } term[MOST_TERMS]; /* ascending */
};
struct term {
    int reg;                             /* -1: */
    const struct ptx_variable *variable; /* of shared or global memory */
};
struct variable_term {
    const struct ptx_variable *variable;
    int term;
};

struct summing {
    struct join_pass *pass;
    struct term *term;
    int terms, term_room;
    struct names variables; /* struct variable_term */
    struct value {
        bool several;          /* it is written more than once, or read before it is written */
        bool masked;           /* an `and` makes it */
        int term;              /* that it is itself; -1: none yet */
        int block;             /* of `several`: where term and sum hold */
        const struct sum *sum; /* NULL: it is a term */
    } * value;                 /* of registers */
    struct residue *residue;   /* of registers, whichever of their numbers they hold */
    int block;                 /* number of the one that is walked through */
    struct entry {
        struct sum sum;
        struct entry *next;
        int key;
    } * entry[HASH];
    bool good; /* no memory was refused */
};

/* ---- arithmetic ------------------------------------------------------------------------------ */

static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* a + factor * b. false: too many terms. */
static bool add_times(struct sum *a, const struct sum *b, int64_t factor)
{
    struct sum out = {.offset = plus(a->offset, times(b->offset, factor))};
    for (int i = 0, k = 0; i < a->terms || k < b->terms;) {
        const bool left = k == b->terms || (i < a->terms && a->term[i].term <= b->term[k].term);
        const bool right = i == a->terms || (k < b->terms && b->term[k].term <= a->term[i].term);
        const int term = left ? a->term[i].term : b->term[k].term;
        int64_t sum = left ? a->term[i++].factor : 0;
        if (right)
            sum = plus(sum, times(b->term[k++].factor, factor));
        if (!sum)
            continue;
        if (out.terms == MOST_TERMS)
            return false;
        out.term[out.terms].term = term;
        out.term[out.terms++].factor = sum;
    }
    *a = out;
    return true;
}

/* ---- terms ----------------------------------------------------------------------------------- */

static int new_term(struct summing *summing, int reg, const struct ptx_variable *variable)
{
    if (!arena_grow(summing->pass->scratch, &summing->term, &summing->term_room, summing->terms + 1,
                    sizeof *summing->term))
        return summing->good = false, 0;
    summing->term[summing->terms] = (struct term){reg, variable};
    return summing->terms++;
}

static struct sum sum_of_term(int term)
{
    return (struct sum){.terms = 1, .term = {{term, 1}}};
}

static struct value *value_of(struct summing *summing, int reg)
{
    struct value *value = &summing->value[reg];
    if (value->several && value->block != summing->block) {
        *value = (struct value){true, false, -1, summing->block, NULL};
        summing->pass->residue[reg] = summing->residue[reg];
    }
    return value;
}

/* The register itself, whatever it is the sum of. */
static struct sum opaque(struct summing *summing, int reg)
{
    struct value *value = value_of(summing, reg);
    if (value->term < 0)
        value->term = new_term(summing, reg, NULL);
    return sum_of_term(value->term);
}

static struct sum of_register(struct summing *summing, int reg)
{
    const struct value *value = value_of(summing, reg);
    return value->sum ? *value->sum : opaque(summing, reg);
}

static struct sum of_variable(struct summing *summing, const struct ptx_variable *variable)
{
    const struct slice name = {(const char *)&variable, sizeof variable}; /* its address is one */
    const struct variable_term *known = names_find(&summing->variables, name);
    if (known)
        return sum_of_term(known->term);
    struct variable_term *fresh = arena_new(summing->pass->scratch, sizeof *fresh);
    if (!fresh)
        return summing->good = false, (struct sum){0};
    *fresh = (struct variable_term){variable, new_term(summing, -1, variable)};
    if (!names_set(&summing->variables, summing->pass->scratch,
                   (struct slice){(const char *)&fresh->variable, sizeof variable}, fresh))
        summing->good = false;
    return sum_of_term(fresh->term);
}

static bool is_place(const struct ptx_operand *operand)
{
    return operand->kind == PTX_VARIABLE &&
           (operand->variable->space == PTX_SHARED || operand->variable->space == PTX_GLOBAL);
}

/* The sum that an operand is; false: it is no number. */
static bool of_operand(struct summing *summing, const struct ptx_operand *operand, struct sum *sum)
{
    int64_t value;
    *sum = (struct sum){0};
    if (operand->kind == PTX_REG)
        *sum = of_register(summing, operand->reg);
    else if (is_place(operand))
        *sum = of_variable(summing, operand->variable);
    else if (!ptx_constant(operand, &value))
        return false;
    else
        sum->offset = value;
    sum->offset = plus(sum->offset, operand->kind == PTX_VARIABLE ? operand->offset : 0);
    return true;
}

/* ---- definitions ----------------------------------------------------------------------------- */

enum form {
    COPY, /* a */
    SUM,  /* a + b */
    DIFFERENCE,
    SHIFTED,  /* a << constant */
    PRODUCT,  /* a * constant */
    MULTIPLE, /* a * constant + c */
    EITHER,   /* a | constant, whose bits a has not */
};
static const struct row {
    const char *opcode, *word; /* NULL: any */
    enum form form;
    int operands;
    bool wide; /* of 32 bits, the result has 64 */
} rows[] = {
    {"mov", NULL, COPY, 2, false},      {"cvta", NULL, COPY, 2, false},
    {"add", NULL, SUM, 3, false},       {"sub", NULL, DIFFERENCE, 3, false},
    {"shl", NULL, SHIFTED, 3, false},   {"mul", "lo", PRODUCT, 3, false},
    {"mul", "wide", PRODUCT, 3, true},  {"mad", "lo", MULTIPLE, 4, false},
    {"mad", "wide", MULTIPLE, 4, true}, {"or", NULL, EITHER, 3, false},
};

/* The type of its result: of integers of 32 or 64 bits, or PTX_NONE. */
static enum ptx_type integer_type(const struct ptx_instruction *instruction)
{
    const enum ptx_type type =
        instruction->words ? ptx_type_named(instruction->word[instruction->words - 1]) : PTX_NONE;
    const bool fits = ptx_type_bytes(type) == 4 || ptx_type_bytes(type) == 8;
    return fits && !ptx_type_is_float(type) ? type : PTX_NONE;
}

static const struct row *row_of(const struct ptx_instruction *instruction)
{
    if (integer_type(instruction) == PTX_NONE || instruction->guard >= 0 ||
        ptx_has(instruction, "sat") || ptx_has(instruction, "cc"))
        return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (slice_is(instruction->opcode, rows[i].opcode) &&
            instruction->operands == rows[i].operands &&
            (!rows[i].word || ptx_has(instruction, rows[i].word)))
            return &rows[i];
    return NULL;
}

static bool has_variable(const struct summing *summing, const struct sum *sum)
{
    for (int i = 0; i < sum->terms; i++)
        if (summing->term[sum->term[i].term].reg < 0)
            return true;
    return false;
}

/* a | b is a + b: of an a whose last bits follow from arithmetic, not from where a variable lies, nor from a mask: ptxas
 * makes one operation of (x & mask) | b, and no sum. */
static bool is_disjoint(const struct summing *summing, const struct ptx_operand *operand,
                        const struct sum *a, int64_t b)
{
    if (operand->kind != PTX_REG || has_variable(summing, a) || summing->value[operand->reg].masked)
        return false;
    const struct residue known = summing->pass->residue[operand->reg];
    return b >= 0 && b < 1 << known.bits && !(known.rest & (uint32_t)b);
}

/* The sum that a register's definition makes of its operands' sums. false: it is none. */
static bool combine(struct summing *summing, const struct ptx_instruction *instruction,
                    const struct row *row, struct sum *out)
{
    const struct ptx_operand *operand = instruction->operand;
    struct sum a, b = {0}, c = {0};
    if (!of_operand(summing, &operand[1], &a) ||
        (row->operands > 2 && !of_operand(summing, &operand[2], &b)) ||
        (row->operands > 3 && !of_operand(summing, &operand[3], &c)))
        return false;
    const bool constant = !b.terms;
    if (row->wide && operand[1].kind == PTX_REG)
        a = opaque(summing, operand[1].reg); /* a sum of 32 bits may have wrapped */
    *out = a;
    switch (row->form) {
    case COPY:
        return true;
    case SUM:
        return add_times(out, &b, 1);
    case DIFFERENCE:
        return add_times(out, &b, -1);
    case SHIFTED:
        *out = (struct sum){0};
        return constant && b.offset >= 0 && b.offset < 32 &&
               add_times(out, &a, INT64_C(1) << b.offset);
    case PRODUCT:
    case MULTIPLE:
        *out = c;
        return constant && add_times(out, &a, b.offset);
    case EITHER:
        return constant && is_disjoint(summing, &operand[1], &a, b.offset) && add_times(out, &b, 1);
    }
    return false;
}

/* Notes what an instruction writes: a sum, or a new number. */
static void define(struct summing *summing, int instruction)
{
    const struct ptx_instruction *now = &summing->pass->body->instruction[instruction];
    const struct row *row = row_of(now);
    struct sum sum;
    const bool good = row && now->operand->kind == PTX_REG && combine(summing, now, row, &sum);
    EFFECT_EACH_USE (summing->pass->effects, instruction, use)
        if (!use->writes)
            value_of(summing, use->reg);
    const struct residue residue = join_residue(summing->pass, now);
    EFFECT_EACH_USE (summing->pass->effects, instruction, use) {
        struct value *value = &summing->value[use->reg];
        if (!use->writes)
            continue;
        if (value->several)
            summing->pass->residue[use->reg] =
                now->guard < 0 ? residue : summing->residue[use->reg];
        *value =
            (struct value){value->several, slice_is(now->opcode, "and"), -1, summing->block, NULL};
        if (!good)
            continue;
        if (ptx_type_bytes(integer_type(now)) == 4 && !row->wide)
            sum.offset = (int32_t)sum.offset;
        struct sum *kept = arena_new(summing->pass->scratch, sizeof *kept);
        if (!kept) {
            summing->good = false;
            return;
        }
        *kept = sum;
        value->sum = kept;
    }
}

/* ---- keys ------------------------------------------------------------------------------------ */

static unsigned hash_of(const struct sum *sum)
{
    uint64_t hash = 1;
    for (int i = 0; i < sum->terms; i++)
        hash = (hash * 31 + (uint64_t)sum->term[i].term) * 31 + (uint64_t)sum->term[i].factor;
    return (unsigned)(hash % HASH);
}

static bool same_terms(const struct sum *a, const struct sum *b)
{
    for (int i = 0; i < a->terms && a->terms == b->terms; i++)
        if (a->term[i].term != b->term[i].term || a->term[i].factor != b->term[i].factor)
            return false;
    return a->terms == b->terms;
}

static int new_key(struct join_pass *pass)
{
    if (!arena_grow(pass->scratch, &pass->key, &pass->key_room, pass->keys + 1, sizeof *pass->key))
        return -1;
    return pass->keys++;
}

static int key_of(struct summing *summing, const struct sum *sum)
{
    struct entry **list = &summing->entry[hash_of(sum)];
    for (struct entry *entry = *list; entry; entry = entry->next)
        if (same_terms(&entry->sum, sum))
            return entry->key;
    struct entry *entry = arena_new(summing->pass->scratch, sizeof *entry);
    const int key = entry ? new_key(summing->pass) : -1;
    if (key < 0)
        return summing->good = false, -1;
    *entry = (struct entry){*sum, *list, key};
    summing->pass->key[key].lasts = true;
    for (int i = 0; i < sum->terms; i++) {
        const int reg = summing->term[sum->term[i].term].reg;
        if (reg >= 0 && summing->value[reg].several)
            summing->pass->key[key].lasts = false;
    }
    *list = entry;
    return key;
}

/* The residue of the sum's terms, each taken by itself. */
static struct residue residue_of_terms(const struct summing *summing, const struct sum *sum)
{
    struct residue all = residue_of(0);
    for (int i = 0; i < sum->terms; i++) {
        const struct term *term = &summing->term[sum->term[i].term];
        const struct residue own = term->reg < 0
                                       ? join_variable_residue(summing->pass, term->variable)
                                       : summing->pass->residue[term->reg];
        all = residue_add(all, residue_multiply(own, residue_of(sum->term[i].factor)));
    }
    return all;
}

/* What is known of the sum without its offset. ptxas sees what it sees of the register: tile + 4 * i + 4 * i
 * is a multiple of 4. nvcc would have written 8 * i, LLVM does not always. */
static struct residue aligned(const struct summing *summing, const struct sum *sum,
                              const struct ptx_operand *base)
{
    const struct join_pass *pass = summing->pass;
    if (base->kind != PTX_REG)
        return join_variable_residue(pass, base->variable);
    const struct residue known =
        residue_add(pass->residue[base->reg], residue_of((int64_t)(0 - (uint64_t)sum->offset)));
    if (!pass->unit->from_llvm)
        return known;
    const struct residue better = residue_of_terms(summing, sum);
    return better.bits > known.bits ? better : known;
}

/* An address that is one variable and a number is a number, if it is known where variables lie. */
static void fold_variable(const struct summing *summing, struct sum *sum)
{
    if (sum->terms != 1 || sum->term[0].factor != 1)
        return;
    const struct term *term = &summing->term[sum->term[0].term];
    const int64_t at = term->reg < 0 ? join_variable_place(summing->pass, term->variable) : -1;
    if (at >= 0)
        *sum = (struct sum){.offset = plus(sum->offset, at)};
}

static void place_access(struct summing *summing, int instruction)
{
    struct join_pass *pass = summing->pass;
    const struct effect *effect = &pass->effects->of[instruction];
    const struct ptx_operand *base = effect->address->element;
    struct sum sum;
    if (!of_operand(summing, base, &sum))
        return;
    fold_variable(summing, &sum);
    const int key = sum.terms ? key_of(summing, &sum) : JOIN_ABSOLUTE;
    if (key < 0)
        return;
    const struct residue known = sum.terms ? aligned(summing, &sum, base) : residue_of(0);
    if (known.bits > pass->key[key].aligned.bits)
        pass->key[key].aligned = known;
    pass->place[instruction] = (struct join_place){key, plus(sum.offset, effect->address->offset)};
}

/* ---- all of a function ----------------------------------------------------------------------- */

/* Finds the registers that stand for more than one number. */
static void find_several(struct summing *summing, bool *written)
{
    const struct join_pass *pass = summing->pass;
    for (int i = 0; i < pass->steps; i++)
        EFFECT_EACH_USE (pass->effects, pass->step[i].instruction, use) {
            if (use->writes ? written[use->reg] : !written[use->reg])
                summing->value[use->reg].several = true;
            written[use->reg] |= use->writes;
        }
}

bool join_sums(struct join_pass *pass)
{
    struct summing *summing = arena_new(pass->scratch, sizeof *summing);
    const size_t regs = (size_t)pass->body->regs;
    if (!summing)
        return false;
    summing->pass = pass;
    summing->good = true;
    summing->value = arena_new(pass->scratch, regs * sizeof *summing->value);
    bool *written = arena_new(pass->scratch, regs);
    summing->residue = arena_new(pass->scratch, regs * sizeof *summing->residue);
    pass->place = arena_new(pass->scratch, (size_t)pass->body->instructions * sizeof *pass->place);
    if (!summing->value || !written || !summing->residue || !pass->place ||
        new_key(pass) != JOIN_ABSOLUTE)
        return false;
    pass->key[JOIN_ABSOLUTE] = (struct join_key){residue_of(0), true};
    for (int r = 0; r < pass->body->regs; r++) {
        summing->value[r].term = -1;
        summing->residue[r] = pass->residue[r];
    }
    find_several(summing, written);
    for (int i = 0; i < pass->steps && summing->good; i++) {
        const int instruction = pass->step[i].instruction;
        const enum effect_kind kind = pass->effects->of[instruction].kind;
        summing->block += pass->step[i].begins && !join_has_one_way_in(pass, i);
        pass->place[instruction].key = -1;
        if (kind == EFFECT_LOAD || kind == EFFECT_STORE || kind == EFFECT_ATOMIC ||
            (kind == EFFECT_TOUCH && pass->effects->of[instruction].address))
            place_access(summing, instruction);
        define(summing, instruction);
    }
    return summing->good;
}
