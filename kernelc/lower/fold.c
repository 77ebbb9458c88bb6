/* fold.c - simpler forms of instructions: constants, identities, values known already; what is not used goes. */
#include "kernelc/code.h"

static struct code *constant(struct lowering *l, const struct code *like, int64_t value)
{
    return kc_const(l, like->type, value);
}

static bool is_real(const struct code *code)
{
    return code && code->op == IR_CONST && (code->type == CODE_F32 || code->type == CODE_F64);
}

static struct code *fold_real(struct lowering *l, struct code *code)
{
    const struct code *a = code->a, *b = code->b;
    double real;
    if (code->op == IR_NEG && is_real(a))
        return kc_real(l, code->type, -a->real);
    if (!is_real(a) || !is_real(b) || !b)
        return NULL;
    switch (code->op) {
    case IR_ADD:
        real = a->real + b->real;
        break;
    case IR_SUB:
        real = a->real - b->real;
        break;
    case IR_MUL:
        real = a->real * b->real;
        break;
    case IR_DIV:
        real = a->real / b->real;
        break;
    default:
        return NULL;
    }
    if (code->type == CODE_F32)
        real = (double)(float)real;
    return real == real ? kc_real(l, code->type, real) : NULL;
}

static bool evaluate(const struct code *code, int64_t a, int64_t b, int64_t *result)
{
    const uint64_t x = (uint64_t)a, y = (uint64_t)b;
    const bool is_signed = kc_is_signed_code(code->type);
    const int bits = 8 * kc_bytes(code->type);
    switch (code->op) {
    case IR_ADD:
    case IR_PTR:
        *result = (int64_t)(x + y);
        return true;
    case IR_SUB:
        *result = (int64_t)(x - y);
        return true;
    case IR_MUL:
    case IR_WIDE:
        *result = (int64_t)(x * y);
        return true;
    case IR_DIV:
    case IR_REM:
        if (!b || (is_signed && b == -1))
            return false;
        if (is_signed)
            *result = code->op == IR_DIV ? a / b : a % b;
        else
            *result = (int64_t)(code->op == IR_DIV ? x / y : x % y);
        return true;
    case IR_AND:
        *result = a & b;
        return true;
    case IR_OR:
        *result = a | b;
        return true;
    case IR_XOR:
        *result = a ^ b;
        return true;
    case IR_SHL:
        *result = y >= (uint64_t)bits ? 0 : (int64_t)(x << y);
        return true;
    case IR_SHR:
        if (y >= (uint64_t)bits)
            *result = is_signed && a < 0 ? -1 : 0;
        else
            *result = is_signed ? a >> y : (int64_t)(x >> y);
        return true;
    default:
        return false;
    }
}

static bool compare_numbers(const struct code *code, int64_t a, int64_t b)
{
    const bool is_signed = kc_is_signed_code(code->from);
    const bool less = is_signed ? a < b : (uint64_t)a < (uint64_t)b;
    switch (code->sign) {
    case '<':
        return less;
    case '>':
        return !less && a != b;
    case SIGN_LESS_EQUAL:
        return less || a == b;
    case SIGN_GREATER_EQUAL:
        return !less;
    case SIGN_EQUAL:
        return a == b;
    default:
        return a != b;
    }
}

static int power_of_two(int64_t value)
{
    if (value <= 0 || (value & (value - 1)))
        return -1;
    int power = 0;
    while (value >>= 1)
        power++;
    return power;
}

/* x op constant */
static struct code *fold_right(struct lowering *l, struct code *code, int64_t b)
{
    struct code *a = code->a;
    int64_t inner;
    const int power = power_of_two(b);
    switch (code->op) {
    case IR_ADD:
    case IR_PTR:
    case IR_SUB:
        if (b == 0)
            return a;
        if (code->op == IR_SUB) {
            struct code *sum =
                kc_add(l, IR_ADD, code->type, a, constant(l, code, (int64_t)(0 - (uint64_t)b)));
            sum->nsw |= code->nsw && sum->op == IR_ADD && sum->a == a;
            return sum;
        }
        if (a->op == code->op && kc_is_constant(a->b, &inner))
            return kc_add(l, code->op, code->type, a->a,
                          kc_const(l, code->op == IR_PTR ? CODE_S64 : code->type,
                                   (int64_t)((uint64_t)inner + (uint64_t)b)));
        return NULL;
    case IR_MUL:
        if (b == 0)
            return constant(l, code, 0);
        if (b == 1)
            return a;
        return power > 0 ? kc_add(l, IR_SHL, code->type, a, kc_const(l, CODE_U32, power)) : NULL;
    case IR_DIV:
        if (b == 1)
            return a;
        return power > 0 && !kc_is_signed_code(code->type)
                   ? kc_add(l, IR_SHR, code->type, a, kc_const(l, CODE_U32, power))
                   : NULL;
    case IR_REM:
        return power >= 0 && !kc_is_signed_code(code->type)
                   ? kc_add(l, IR_AND, code->type, a, constant(l, code, b - 1))
                   : NULL;
    case IR_AND:
        return b == 0 ? constant(l, code, 0) : NULL;
    case IR_OR:
    case IR_XOR:
    case IR_SHL:
    case IR_SHR:
        return b == 0 ? a : NULL;
    default:
        return NULL;
    }
}

static bool commutes(enum code_op op)
{
    return op == IR_ADD || op == IR_MUL || op == IR_AND || op == IR_OR || op == IR_XOR ||
           op == IR_WIDE;
}

static struct code *fold_integers(struct lowering *l, struct code *code)
{
    int64_t a, b, result;
    if (commutes(code->op) && code->a->op == IR_CONST && code->b->op != IR_CONST) {
        struct code *other = code->a;
        code->a = code->b;
        code->b = other;
    }
    if (code->type == CODE_PRED)
        return NULL;
    if (!kc_is_constant(code->b, &b))
        return NULL;
    if (kc_is_constant(code->a, &a) && code->op != IR_PTR)
        return evaluate(code, a, b, &result) ? constant(l, code, result) : NULL;
    return fold_right(l, code, b);
}

/* The 64-bit form of a 32-bit index: constants move outside, products become wide ones. */
static struct code *fold_widening(struct lowering *l, struct code *code)
{
    struct code *a = code->a;
    int64_t b;
    if (kc_bytes(code->type) != 8 || kc_is_float_code(code->type) || a->type != CODE_S32)
        return NULL;
    if (a->op == IR_ADD && a->nsw && kc_is_constant(a->b, &b)) {
        struct code *wide = kc_add(l, IR_CONVERT, code->type, a->a, NULL);
        if (wide->op == IR_CONVERT)
            wide->from = CODE_S32;
        return kc_add(l, IR_ADD, code->type, wide, kc_const(l, code->type, b));
    }
    return NULL;
}

static struct code *fold_convert(struct lowering *l, struct code *code)
{
    struct code *a = code->a;
    int64_t value;
    code->from = a->type == CODE_PRED ? CODE_PRED : code->from ? code->from : a->type;
    if (kc_is_constant(a, &value) && !kc_is_float_code(code->type))
        return kc_const(l, code->type, value);
    if (kc_is_constant(a, &value) && (code->type == CODE_F32 || code->type == CODE_F64)) {
        double real = kc_is_signed_code(a->type) ? (double)value : (double)(uint64_t)value;
        if (code->type == CODE_F32)
            real =
                kc_is_signed_code(a->type) ? (double)(float)value : (double)(float)(uint64_t)value;
        return kc_real(l, code->type, real);
    }
    if (is_real(a) && code->type == CODE_F32)
        return kc_real(l, code->type, (double)(float)a->real);
    if (is_real(a) && code->type == CODE_F64)
        return kc_real(l, code->type, a->real);
    if (!kc_is_float_code(code->type) && !kc_is_float_code(a->type))
        return fold_widening(l, code);
    return NULL;
}

/* A comparison of constants, or (p ? 1 : 0) != 0, which is p. NULL: neither. */
struct code *kc_fold_set(struct lowering *l, struct code *code)
{
    int64_t a, b;
    if (!kc_is_constant(code->b, &b))
        return NULL;
    if (kc_is_constant(code->a, &a))
        return kc_const(l, CODE_PRED, compare_numbers(code, a, b));
    if (b == 0 && code->sign == SIGN_NOT_EQUAL && code->a->op == IR_CONVERT &&
        code->a->a->type == CODE_PRED)
        return code->a->a;
    return NULL;
}

struct code *kc_fold(struct lowering *l, struct code *code)
{
    int64_t value;
    if (code->a)
        code->a = kc_same(code->a);
    if (code->b)
        code->b = kc_same(code->b);
    switch (code->op) {
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_DIV:
        if (kc_is_float_code(code->type))
            return fold_real(l, code);
        return fold_integers(l, code);
    case IR_PTR:
    case IR_REM:
    case IR_AND:
    case IR_OR:
    case IR_XOR:
    case IR_SHL:
    case IR_SHR:
        return kc_is_float_code(code->type) ? NULL : fold_integers(l, code);
    case IR_WIDE:
        return NULL;
    case IR_NEG:
        if (kc_is_float_code(code->type))
            return fold_real(l, code);
        return kc_is_constant(code->a, &value) ? constant(l, code, (int64_t)(0 - (uint64_t)value))
                                               : NULL;
    case IR_NOT:
        if (kc_is_constant(code->a, &value))
            return constant(l, code, code->type == CODE_PRED ? !value : ~value);
        return code->a->op == IR_NOT ? code->a->a : NULL;
    case IR_CONVERT:
        return fold_convert(l, code);
    case IR_MOVE:
        if (code->a->type == code->type)
            return code->a;
        return kc_is_constant(code->a, &value) && !kc_is_float_code(code->type)
                   ? kc_const(l, code->type, value)
                   : NULL;
    default:
        return NULL;
    }
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static void resolve(struct code *code)
{
    code->a = kc_same(code->a);
    code->b = kc_same(code->b);
    code->c = kc_same(code->c);
    for (int i = 0; i < code->count; i++)
        code->list[i] = kc_same(code->list[i]);
}

/* Phis whose operands are all one value. */
static void remove_phis(struct lowering *l)
{
    bool more = true;
    while (more && kc_work(l->c)) {
        more = false;
        for (struct block *block = l->first; block; block = block->next)
            for (struct code *phi = block->first; phi && phi->op == IR_PHI; phi = phi->next) {
                struct code *one = NULL;
                bool single = !phi->same;
                for (int i = 0; i < phi->count && single; i++) {
                    struct code *value = kc_same(phi->list[i]);
                    if (value == phi || value == one)
                        continue;
                    single = one == NULL;
                    one = value;
                }
                if (single && one) {
                    phi->same = one;
                    more = true;
                }
                kc_work(l->c);
            }
    }
}

/* ---- dominators --------------------------------------------------------------------------------- */

static struct block *meet(struct block *a, struct block *b)
{
    while (a != b) {
        while (a->order > b->order)
            a = a->dominator;
        while (b->order > a->order)
            b = b->dominator;
    }
    return a;
}

/* Reverse postorder: but for ways back, a block stands behind all that lead to it. Blocks that cannot be reached are
 * not in it. */
static struct block **in_order(struct lowering *l, int *count)
{
    struct block **order = kc_new(l->c, (size_t)(l->blocks + 1) * sizeof *order),
                 **stack = kc_new(l->c, (size_t)(l->blocks + 1) * sizeof *stack);
    int depth = 0, at = l->blocks;
    stack[depth++] = l->first;
    l->first->reached = true;
    while (depth && kc_work(l->c)) {
        struct block *block = stack[depth - 1];
        if (block->looked < 2) {
            struct block *to = block->to[block->looked++];
            if (to && !to->reached) {
                to->reached = true;
                stack[depth++] = to;
            }
        } else {
            order[--at] = block;
            depth--;
        }
    }
    *count = l->blocks - at;
    return order + at;
}

/* Blocks that cannot be reached have no dominator. */
static void dominators(struct lowering *l)
{
    int count;
    struct block **order = in_order(l, &count);
    for (int i = 0; i < count; i++)
        order[i]->order = i;
    l->first->dominator = l->first;
    bool more = true;
    while (more && kc_work(l->c)) {
        more = false;
        for (int i = 1; i < count; i++) {
            struct block *best = NULL, *block = order[i];
            for (int j = 0; j < block->before_count; j++)
                if (block->before[j]->dominator)
                    best = best ? meet(best, block->before[j]) : block->before[j];
            if (best != block->dominator) {
                block->dominator = best;
                more = true;
            }
            kc_work(l->c);
        }
    }
}

static bool dominates(const struct block *a, const struct block *b)
{
    while (b->order > a->order && b->dominator && b->dominator != b)
        b = b->dominator;
    return a == b;
}

static bool is_pure(const struct code *code)
{
    switch (code->op) {
    case IR_ADD:
    case IR_PTR:
    case IR_SUB:
    case IR_MUL:
    case IR_WIDE:
    case IR_DIV:
    case IR_REM:
    case IR_AND:
    case IR_OR:
    case IR_XOR:
    case IR_SHL:
    case IR_SHR:
    case IR_NEG:
    case IR_NOT:
    case IR_SET:
    case IR_SELECT:
    case IR_CONVERT:
    case IR_MOVE:
    case IR_FMA:
        return true;
    default:
        return false;
    }
}

enum { BUCKETS = 1024 };

static void number_values(struct lowering *l)
{
    struct entry {
        struct entry *next;
        struct code *code;
    } **bucket = kc_new(l->c, BUCKETS * sizeof *bucket);
    for (struct block *block = l->first; block; block = block->next)
        for (struct code *code = block->first; code; code = code->next) {
            resolve(code);
            if (!is_pure(code) || code->same || !block->dominator)
                continue;
            uint64_t hash = (uint64_t)code->op * 31 + code->type +
                            (uint64_t)(uintptr_t)code->a * 7 + (uint64_t)(uintptr_t)code->b * 13 +
                            (uint64_t)(uintptr_t)code->c * 17 + (uint64_t)code->sign;
            struct entry **at = &bucket[(hash ^ hash >> 13) % BUCKETS];
            int looked = 0;
            for (struct entry *i = *at; i && looked < 32 && !code->same; i = i->next, looked++) {
                struct code *other = i->code;
                if (other->op == code->op && other->type == code->type &&
                    other->from == code->from && other->a == code->a && other->b == code->b &&
                    other->c == code->c && other->sign == code->sign && !other->same &&
                    dominates(other->block, block))
                    code->same = other;
            }
            if (code->same)
                continue;
            struct entry *entry = KC_NEW(l->c, struct entry);
            *entry = (struct entry){*at, code};
            *at = entry;
            kc_work(l->c);
        }
    for (struct block *block = l->first; block; block = block->next)
        for (struct code *code = block->first; code; code = code->next)
            resolve(code);
}

/* ---- what is used ------------------------------------------------------------------------------- */

struct worklist {
    struct code **code;
    int count, room;
};

static void mark_live(struct lowering *l, struct worklist *list, struct code *code)
{
    if (!code || code->live)
        return;
    code->live = true;
    kc_grow(l->c, &list->code, &list->room, &list->count, sizeof *list->code);
    list->code[list->count++] = code;
}

static void unlink_code(struct block *block, struct code *code)
{
    if (code->before)
        code->before->next = code->next;
    else
        block->first = code->next;
    if (code->next)
        code->next->before = code->before;
    else
        block->last = code->before;
}

void kc_remove_dead(struct lowering *l)
{
    struct worklist list = {0};
    for (struct block *block = l->first; block; block = block->next)
        for (struct code *code = block->first; code; code = code->next)
            code->live = false;
    for (struct block *block = l->first; block; block = block->next)
        for (struct code *code = block->first; code; code = code->next)
            if (kc_has_effect(code) && !code->same)
                mark_live(l, &list, code);
    while (list.count && kc_work(l->c)) {
        struct code *code = list.code[--list.count];
        mark_live(l, &list, code->a);
        mark_live(l, &list, code->b);
        mark_live(l, &list, code->c);
        for (int i = 0; i < code->count; i++)
            mark_live(l, &list, code->list[i]);
    }
    for (struct block *block = l->first; block; block = block->next)
        for (struct code *code = block->first, *next; code; code = next) {
            next = code->next;
            if (!code->live)
                unlink_code(block, code);
        }
}

static void fold_all(struct lowering *l)
{
    for (struct block *block = l->first; block; block = block->next)
        for (struct code *code = block->first; code; code = code->next) {
            resolve(code);
            if (code->op == IR_SET && !code->same)
                code->same = kc_fold_set(l, code);
        }
}

void kc_optimise(struct lowering *l)
{
    remove_phis(l);
    fold_all(l);
    dominators(l);
    number_values(l);
    kc_remove_dead(l);
}
