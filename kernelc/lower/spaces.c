/* spaces.c - address spaces: which pointers are of shared, local, constant or global memory.
 *
 * All pointers are generic 64-bit addresses. Where all that an address can be comes from one space, an access
 * uses that space. For shared, local and constant memory a twin of the computation is made, whose values are
 * addresses within the space, of 32 bits for shared and local memory: so ~i as an index wraps as it does with
 * nvcc's 32-bit pointers.
 */
#include "kernelc/code.h"

static enum space met(enum space a, enum space b)
{
    if (a == SPACE_NONE)
        return b;
    if (b == SPACE_NONE)
        return a;
    return a == b ? a : SPACE_GENERIC;
}

static enum space space_of(const struct lowering *l, const struct code *code)
{
    enum space space = SPACE_NONE;
    switch (code->op) {
    case IR_SYMBOL:
        return code->space == SPACE_NONE ? SPACE_GENERIC : code->space;
    case IR_PARAM:
        return l->is_function || !code->is_pointer ? SPACE_GENERIC : SPACE_GLOBAL;
    case IR_LOAD:
        /* a pointer in a kernel's parameter or in constant memory would be global: not known here */
        return SPACE_GENERIC;
    case IR_PTR:
        return code->a->space;
    case IR_MOVE: /* what a function returns */
        return code->a->type == CODE_U64 ? code->a->space : SPACE_GENERIC;
    case IR_SELECT:
        return met(code->a->space, code->b->space);
    case IR_PHI: /* nothing comes from the end of a function that has returned */
        for (int i = 0; i < code->count; i++)
            space = !code->block->before[i]->reached
                        ? space
                        : met(space, code->list[i] == code ? SPACE_NONE : code->list[i]->space);
        return space;
    default:
        return SPACE_GENERIC;
    }
}

static void settle_spaces(struct lowering *l)
{
    bool more = true;
    for (struct block *block = l->first; block; block = block->next)
        for (struct code *code = block->first; code; code = code->next)
            if (code->op != IR_SYMBOL)
                code->space = SPACE_NONE;
    while (more && kc_work(l->c)) {
        more = false;
        for (struct block *block = l->first; block; block = block->next)
            for (struct code *code = block->first; code; code = code->next) {
                if (code->type != CODE_U64 || code->op == IR_SYMBOL)
                    continue;
                const enum space space = space_of(l, code);
                if (space != code->space) {
                    code->space = met(code->space, space);
                    more = code->space != SPACE_NONE;
                }
                kc_work(l->c);
            }
    }
}

/* ---- twins -------------------------------------------------------------------------------------- */

static struct code *new_twin(struct lowering *l, struct code *of, enum code_op op,
                             enum code_type type)
{
    struct code *code = KC_NEW(l->c, struct code);
    code->op = op;
    code->type = type;
    code->site = of->site;
    code->narrow = true;
    kc_insert_behind(of, code);
    return code;
}

static struct code *constant(struct lowering *l, enum code_type type, int64_t value)
{
    return kc_const(l, type, value);
}

static struct code *narrow_operation(struct lowering *l, struct code *at, enum code_op op,
                                     struct code *a, struct code *b)
{
    struct code *code = new_twin(l, at, op, CODE_U32);
    code->a = a;
    code->b = b;
    return code;
}

/* The lower 32 bits of an offset, computed with 32 bits where that gives the same. */
static struct code *narrowed(struct lowering *l, struct code *offset, int depth)
{
    int64_t value;
    if (kc_is_constant(offset, &value))
        return constant(l, CODE_U32, value);
    if (offset->twin)
        return offset->twin;
    struct code *code = NULL;
    switch (offset->op) {
    case IR_CONVERT:
        if (kc_bytes(offset->from) == 4 && !kc_is_float_code(offset->from) &&
            offset->from != CODE_PRED)
            return offset->a;
        break;
    case IR_MOVE:
        if (kc_bytes(offset->a->type) == 8 && !kc_is_float_code(offset->a->type) && depth < 32)
            return narrowed(l, offset->a, depth + 1);
        break;
    case IR_WIDE:
        code = narrow_operation(l, offset, IR_MUL, offset->a, NULL);
        code->b = offset->b;
        if (kc_is_constant(offset->b, &value) && value > 0 && !(value & (value - 1))) {
            int power = 0;
            while ((INT64_C(1) << power) < value)
                power++;
            code->op = IR_SHL;
            code->b = constant(l, CODE_U32, power);
        }
        break;
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
        if (depth < 32) {
            struct code *a = narrowed(l, offset->a, depth + 1),
                        *b = narrowed(l, offset->b, depth + 1);
            code = narrow_operation(l, offset, offset->op, a, b);
        }
        break;
    case IR_SHL:
        if (depth < 32) {
            struct code *a = narrowed(l, offset->a, depth + 1);
            code = narrow_operation(l, offset, IR_SHL, a, offset->b);
        }
        break;
    case IR_NEG:
        if (depth < 32) {
            struct code *a = narrowed(l, offset->a, depth + 1);
            code = narrow_operation(l, offset, IR_NEG, a, NULL);
        }
        break;
    default:
        break;
    }
    if (!code) {
        code = narrow_operation(l, offset, IR_CONVERT, offset, NULL);
        code->from = offset->type;
    }
    return offset->twin = code;
}

static struct code *twin(struct lowering *l, struct code *pointer, int depth)
{
    if (pointer->twin || !kc_work(l->c))
        return pointer->twin ? pointer->twin : pointer;
    const bool wide = pointer->space == SPACE_CONST || pointer->space == SPACE_PARAM;
    const enum code_type type = wide ? CODE_U64 : CODE_U32;
    struct code *code;
    if (depth > 2000) {
        kc_stop(l->c, l->function->place, "the addresses of this kernel are too involved");
        return pointer;
    }
    switch (pointer->op) {
    case IR_MOVE:
        code = pointer->twin = twin(l, pointer->a, depth + 1);
        break;
    case IR_SYMBOL:
        code = pointer->twin = new_twin(l, pointer, IR_SYMBOL, type);
        code->text = pointer->text;
        code->space = pointer->space;
        break;
    case IR_PTR: {
        struct code *base = twin(l, pointer->a, depth + 1);
        struct code *offset = wide ? pointer->b : narrowed(l, pointer->b, 0);
        code = pointer->twin = new_twin(l, pointer, IR_ADD, type);
        code->a = base;
        code->b = offset;
        break;
    }
    case IR_SELECT:
        code = new_twin(l, pointer, IR_SELECT, type);
        pointer->twin = code;
        code->c = pointer->c;
        code->a = twin(l, pointer->a, depth + 1);
        code->b = twin(l, pointer->b, depth + 1);
        break;
    default: /* a phi */
        code = pointer->twin = new_twin(l, pointer, IR_PHI, type);
        code->count = pointer->count;
        code->list = kc_new(l->c, (size_t)(pointer->count + 1) * sizeof *code->list);
        for (int i = 0; i < pointer->count; i++)
            code->list[i] = !pointer->block->before[i]->reached ? constant(l, type, 0)
                            : pointer->list[i] == pointer       ? code
                                                          : twin(l, pointer->list[i], depth + 1);
    }
    return code;
}

/* Where an address points to. The space of what loaded it is that of the load. */
static enum space pointed(const struct code *pointer)
{
    return pointer->op == IR_LOAD || pointer->op == IR_ASM || pointer->space == SPACE_NONE
               ? SPACE_GENERIC
               : pointer->space;
}

static bool has_twin(enum space space)
{
    return space == SPACE_SHARED || space == SPACE_LOCAL || space == SPACE_CONST ||
           space == SPACE_PARAM;
}

/* base + constant: the constant goes into the access. */
static void take_offset(struct code *access)
{
    int64_t offset;
    while (access->a &&
           (access->a->op == IR_PTR || (access->a->op == IR_ADD && access->a->narrow)) &&
           kc_is_constant(access->a->b, &offset) && access->integer + offset >= INT32_MIN &&
           access->integer + offset <= INT32_MAX) {
        access->integer += access->a->type == CODE_U32 ? (int64_t)(int32_t)offset : offset;
        access->a = access->a->a;
    }
}

/* PTX of our headers says %S1 where the space of operand 1 goes: that operand is then an address in it. */
static void asm_spaces(struct lowering *l, struct code *code)
{
    const struct slice text = code->node->text;
    for (int i = 0; i + 2 < text.length; i++) {
        if (text.at[i] != '%' || text.at[i + 1] != 'S')
            continue;
        const int operand = text.at[i + 2] - '0' - code->results;
        if (operand < 0 || operand >= code->count)
            return;
        struct code *pointer = code->list[operand];
        code->space = pointed(pointer);
        if (code->space == SPACE_LOCAL) /* atomic operations are not told of it */
            code->space = SPACE_GENERIC;
        if (has_twin(code->space))
            code->list[operand] = twin(l, pointer, 0);
        return;
    }
}

void kc_spaces(struct lowering *l)
{
    settle_spaces(l);
    for (struct block *block = l->first; block; block = block->next)
        for (struct code *code = block->first; code; code = code->next) {
            if (code->op == IR_ASM)
                asm_spaces(l, code);
            if (code->op != IR_LOAD && code->op != IR_STORE)
                continue;
            code->space = pointed(code->a);
            if (code->op == IR_STORE && code->space == SPACE_CONST)
                kc_error(l->c, l->site[code->site].place,
                         "kernels cannot write __constant__ memory");
            if (has_twin(code->space))
                code->a = twin(l, code->a, 0);
            kc_work(l->c);
        }
    for (struct block *block = l->first; block; block = block->next)
        for (struct code *code = block->first; code; code = code->next)
            if (code->op == IR_LOAD || code->op == IR_STORE)
                take_offset(code);
}
