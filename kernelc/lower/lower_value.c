/* lower_value.c - expressions to instructions. */
#include "kernelc/code.h"

/* ---- conversions -------------------------------------------------------------------------------- */

struct code *kc_to_bool(struct lowering *l, struct code *value)
{
    if (value->type == CODE_PRED)
        return value;
    struct code *zero = kc_const(l, value->type, 0);
    if (value->type == CODE_F16 || value->type == CODE_BF16) {
        value = kc_add(l, IR_CONVERT, CODE_F32, value, NULL);
        zero = kc_real(l, CODE_F32, 0);
    }
    int64_t known;
    if (kc_is_constant(value, &known))
        return kc_const(l, CODE_PRED, known != 0);
    if (value->op == IR_CONVERT && value->a->type == CODE_PRED)
        return value->a;
    struct code *set = kc_add(l, IR_SET, CODE_PRED, value, zero);
    set->sign = SIGN_NOT_EQUAL;
    set->from = value->type;
    return set;
}

/* To 8 or 16 bits, which are kept as 32, extended. */
static struct code *narrowed(struct lowering *l, struct code *value, enum code_type to)
{
    const int bits = 8 * kc_bytes(to);
    const enum code_type wide = kc_register_type(to);
    if (value->type == CODE_PRED)
        return kc_add(l, IR_CONVERT, wide, value, NULL);
    value = kc_bytes(value->type) == 4 ? kc_add(l, IR_MOVE, wide, value, NULL)
                                       : kc_add(l, IR_CONVERT, wide, value, NULL);
    if (!kc_is_signed_code(to))
        return kc_add(l, IR_AND, wide, value, kc_const(l, wide, ((int64_t)1 << bits) - 1));
    struct code *high = kc_add(l, IR_SHL, wide, value, kc_const(l, CODE_U32, 32 - bits));
    return kc_add(l, IR_SHR, wide, high, kc_const(l, CODE_U32, 32 - bits));
}

struct code *kc_convert_code(struct lowering *l, struct code *value, const struct type *from,
                             const struct type *to)
{
    const enum code_type source = kc_code_type(from), target = kc_code_type(to),
                         wide = kc_register_type(target);
    if (target == CODE_NONE)
        return value;
    if (target == CODE_PRED)
        return kc_to_bool(l, value);
    if (kc_bytes(target) < 4 && !kc_is_float_code(target)) {
        if (kc_is_float_code(source))
            value = kc_add(l, IR_CONVERT, CODE_S32, value, NULL);
        else if (source == target || (kc_bytes(source) < kc_bytes(target) && source != CODE_PRED &&
                                      !kc_is_signed_code(source)))
            return kc_add(l, IR_MOVE, wide, value, NULL);
        return narrowed(l, value, target);
    }
    if (value->type == wide)
        return value;
    const bool same = !kc_is_float_code(value->type) && !kc_is_float_code(wide) &&
                      kc_bytes(value->type) == kc_bytes(wide) && value->type != CODE_PRED;
    return kc_add(l, same ? IR_MOVE : IR_CONVERT, wide, value, NULL);
}

/* ---- arithmetic --------------------------------------------------------------------------------- */

static enum code_op operation(int sign)
{
    static const uint8_t ops[] = {
        ['+'] = IR_ADD,       ['-'] = IR_SUB,       ['*'] = IR_MUL, ['/'] = IR_DIV,
        ['%'] = IR_REM,       ['&'] = IR_AND,       ['|'] = IR_OR,  ['^'] = IR_XOR,
        [SIGN_LEFT] = IR_SHL, [SIGN_RIGHT] = IR_SHR};
    return (enum code_op)ops[sign];
}

static struct code *compared(struct lowering *l, int sign, struct code *a, struct code *b)
{
    if (a->type == CODE_PRED)
        a = kc_add(l, IR_CONVERT, CODE_U32, a, NULL);
    if (b->type == CODE_PRED)
        b = kc_add(l, IR_CONVERT, CODE_U32, b, NULL);
    struct code *set = kc_add(l, IR_SET, CODE_PRED, a, b);
    set->sign = sign;
    set->from = a->type;
    struct code *simple = kc_fold_set(l, set);
    return simple ? simple : set;
}

/* bfloat16 is divided, and on older targets all is done, as float. */
static struct code *half_division(struct lowering *l, enum code_type type, struct code *a,
                                  struct code *b)
{
    a = kc_add(l, IR_CONVERT, CODE_F32, a, NULL);
    b = kc_add(l, IR_CONVERT, CODE_F32, b, NULL);
    return kc_add(l, IR_CONVERT, type, kc_add(l, IR_DIV, CODE_F32, a, b), NULL);
}

struct code *kc_arithmetic(struct lowering *l, int sign, const struct type *type, struct code *a,
                           struct code *b)
{
    const enum code_type as = kc_register_type(kc_code_type(type));
    if (sign == '<' || sign == '>' || (sign >= SIGN_LESS_EQUAL && sign <= SIGN_NOT_EQUAL))
        return compared(l, sign, a, b);
    if (sign == '/' && (as == CODE_F16 || as == CODE_BF16))
        return half_division(l, as, a, b);
    struct code *code = kc_add(l, operation(sign), as, a, b);
    if ((code->op == IR_ADD || code->op == IR_SUB) && as == CODE_S32)
        code->nsw = true;
    return code;
}

struct code *kc_pointer_sum(struct lowering *l, struct code *pointer, struct code *offset)
{
    struct code *code = kc_add(l, IR_PTR, CODE_U64, pointer, offset);
    code->is_pointer = true;
    return code;
}

/* index * size as 64 bits; of a 32-bit index one wide product. */
static struct code *scaled(struct lowering *l, struct code *index, uint64_t size)
{
    int64_t added;
    if (size == 1)
        return index;
    if (index->op == IR_ADD && kc_is_constant(index->b, &added))
        return kc_add(l, IR_ADD, index->type, scaled(l, index->a, size),
                      kc_const(l, index->type, (int64_t)((uint64_t)added * size)));
    const bool widened = index->op == IR_CONVERT &&
                         (index->from == CODE_S32 || index->from == CODE_U32) && size < 1 << 30;
    if (!widened)
        return kc_add(l, IR_MUL, index->type, index, kc_const(l, index->type, (int64_t)size));
    struct code *wide =
        kc_add(l, IR_WIDE, index->type, index->a, kc_const(l, index->from, (int64_t)size));
    wide->from = index->from;
    return wide;
}

/* pointer + index * size; constants stay outside, where accesses take them as offsets. */
static struct code *element_address(struct lowering *l, struct code *pointer, struct code *index,
                                    uint64_t size, bool minus)
{
    int64_t added;
    struct code *offset = scaled(l, index, size);
    if (minus)
        offset = kc_add(l, IR_NEG, offset->type, offset, NULL);
    if (offset->op == IR_ADD && kc_is_constant(offset->b, &added))
        return kc_pointer_sum(l, kc_pointer_sum(l, pointer, offset->a),
                              kc_const(l, CODE_S64, added));
    /* (pointer + constant) + x is (pointer + x) + constant */
    if (pointer->op == IR_PTR && kc_is_constant(pointer->b, &added) && offset->op != IR_CONST)
        return kc_pointer_sum(l, kc_pointer_sum(l, pointer->a, offset),
                              kc_const(l, CODE_S64, added));
    return kc_pointer_sum(l, pointer, offset);
}

static struct code *pointer_difference(struct lowering *l, struct node *node)
{
    struct code *a = kc_lower_value(l, node->left), *b = kc_lower_value(l, node->right);
    struct code *bytes = kc_add(l, IR_SUB, CODE_S64, a, b);
    const uint64_t size = node->offset;
    if (size > 1 && !(size & (size - 1))) {
        int power = 0;
        while ((UINT64_C(1) << power) < size)
            power++;
        return kc_add(l, IR_SHR, CODE_S64, bytes, kc_const(l, CODE_U32, power));
    }
    return kc_add(l, IR_DIV, CODE_S64, bytes, kc_const(l, CODE_S64, (int64_t)size));
}

/* Whether computing it anyway does no harm: no loads, no calls, no divisions, and little of it. */
static bool is_cheap(const struct node *node, int depth)
{
    if (depth > 4)
        return false;
    switch (node->kind) {
    case NODE_NUMBER:
    case NODE_SPECIAL:
        return true;
    case NODE_VARIABLE:
        return node->variable->function && !node->variable->is_static &&
               !node->variable->in_memory &&
               (!node->variable->location || node->variable->location->storage) &&
               kc_is_scalar(node->type) && !kc_is_reference(node->variable->type);
    case NODE_FIELD:
        return node->left->kind == NODE_SPECIAL;
    case NODE_UNARY:
    case NODE_CAST:
        return kc_is_scalar(node->type) && kc_is_scalar(node->left->type) &&
               is_cheap(node->left, depth + 1);
    case NODE_BINARY:
        return node->sign != '/' && node->sign != '%' && is_cheap(node->left, depth + 1) &&
               is_cheap(node->right, depth + 1);
    default:
        return false;
    }
}

static struct code *selected(struct lowering *l, struct code *condition, struct code *yes,
                             struct code *no)
{
    int64_t known;
    if (kc_is_constant(condition, &known))
        return known ? yes : no;
    struct code *code = kc_add(l, IR_SELECT, yes->type, yes, no);
    code->c = condition;
    return code;
}

/* && and ||, whose right side may not be evaluated. */
static struct code *logical(struct lowering *l, struct node *node)
{
    struct code *left = kc_lower_value(l, node->left);
    const bool is_and = node->sign == SIGN_AND;
    int64_t known;
    if (kc_is_constant(left, &known) && (known != 0) != is_and)
        return left;
    if (kc_is_constant(left, &known))
        return kc_lower_value(l, node->right);
    if (is_cheap(node->right, 0))
        return kc_add(l, is_and ? IR_AND : IR_OR, CODE_PRED, left, kc_lower_value(l, node->right));
    struct block *other = kc_new_block(l), *join = kc_new_block(l);
    const int slot = kc_new_slot(l, CODE_PRED);
    kc_write(l, slot, kc_const(l, CODE_PRED, !is_and));
    kc_branch(l, left, is_and ? other : join, is_and ? join : other);
    kc_seal(l, other);
    kc_begin(l, other);
    kc_write(l, slot, kc_lower_value(l, node->right));
    kc_jump(l, join);
    kc_seal(l, join);
    kc_begin(l, join);
    return kc_read(l, slot);
}

static struct code *binary(struct lowering *l, struct node *node)
{
    if (node->sign == SIGN_AND || node->sign == SIGN_OR)
        return logical(l, node);
    if (node->left->type->kind == TYPE_POINTER && node->type->kind == TYPE_POINTER) {
        struct code *pointer = kc_lower_value(l, node->left),
                    *index = kc_lower_value(l, node->right);
        return element_address(l, pointer, index, node->offset, node->sign == '-');
    }
    if (node->left->type->kind == TYPE_POINTER && node->sign == '-')
        return pointer_difference(l, node);
    struct code *left = kc_lower_value(l, node->left);
    return kc_arithmetic(l, node->sign, node->left->type, left, kc_lower_value(l, node->right));
}

static struct code *unary(struct lowering *l, struct node *node)
{
    struct code *value = kc_lower_value(l, node->left);
    const enum code_type type = kc_register_type(kc_code_type(node->type));
    if (node->sign == '!')
        return kc_add(l, IR_NOT, CODE_PRED, value, NULL);
    return kc_add(l, node->sign == '~' ? IR_NOT : IR_NEG, type, value, NULL);
}

static struct code *conditional(struct lowering *l, struct node *node)
{
    struct code *condition = kc_lower_value(l, node->left);
    int64_t known;
    if (kc_is_constant(condition, &known))
        return kc_lower_value(l, known ? node->right : node->third);
    const bool scalar = kc_is_scalar(node->type);
    if (scalar && is_cheap(node->right, 0) && is_cheap(node->third, 0)) {
        struct code *yes = kc_lower_value(l, node->right);
        return selected(l, condition, yes, kc_lower_value(l, node->third));
    }
    struct block *yes = kc_new_block(l), *no = kc_new_block(l), *join = kc_new_block(l);
    const int slot = scalar ? kc_new_slot(l, kc_register_type(kc_code_type(node->type))) : -1;
    kc_branch(l, condition, yes, no);
    for (int i = 0; i < 2; i++) {
        kc_seal(l, i ? no : yes);
        kc_begin(l, i ? no : yes);
        struct code *value = kc_lower_value(l, i ? node->third : node->right);
        if (scalar)
            kc_write(l, slot, value);
        kc_jump(l, join);
    }
    kc_seal(l, join);
    kc_begin(l, join);
    return scalar ? kc_read(l, slot) : kc_const(l, CODE_U32, 0);
}

/* ---- changing ----------------------------------------------------------------------------------- */

static struct code *combined(struct lowering *l, struct node *node, struct code *old,
                             struct code *right)
{
    struct type *type = node->left->type;
    if (type->kind == TYPE_POINTER)
        return element_address(l, old, right, node->offset, node->sign == '-');
    struct code *wide = kc_convert_code(l, old, type, node->as);
    return kc_convert_code(l, kc_arithmetic(l, node->sign, node->as, wide, right), node->as, type);
}

/* *at: what is assigned to. It is evaluated once. */
static struct code *assign(struct lowering *l, struct node *node, struct location *at)
{
    /* the right side first: it may be a call that changes what the left needs */
    struct code *value = kc_lower_value(l, node->right);
    *at = kc_place(l, node->left);
    if (node->sign)
        value = combined(l, node, kc_load(l, *at), value);
    kc_set_site(l, node->place);
    kc_store(l, *at, value);
    return value;
}

static struct code *step(struct lowering *l, struct node *node, struct location *at)
{
    *at = kc_place(l, node->left);
    struct code *old = kc_load(l, *at), *fresh;
    struct type *type = node->left->type;
    const bool up = node->sign == SIGN_PLUS_PLUS;
    const enum code_type as = kc_register_type(kc_code_type(type));
    if (type->kind == TYPE_POINTER)
        fresh = kc_pointer_sum(
            l, old, kc_const(l, CODE_S64, up ? (int64_t)node->offset : -(int64_t)node->offset));
    else if (kc_is_float_code(as)) {
        struct code *one = as == CODE_F32 || as == CODE_F64
                               ? kc_real(l, as, 1)
                               : kc_add(l, IR_CONVERT, as, kc_real(l, CODE_F32, 1), NULL);
        fresh = kc_add(l, up ? IR_ADD : IR_SUB, as, old, one);
    } else {
        fresh = kc_add(l, IR_ADD, as, old, kc_const(l, as, up ? 1 : -1));
        fresh->nsw |= fresh->op == IR_ADD && as == CODE_S32;
        if (kc_bytes(kc_code_type(type)) < 4)
            fresh = kc_convert_code(l, fresh, l->c->parser->basic[TYPE_INT], type);
    }
    kc_store(l, *at, fresh);
    return node->post ? old : fresh;
}

/* The value of x = y, x += y, ++x: of a bit field, what is left of it there. */
static struct code *changed(struct lowering *l, struct node *node)
{
    struct location at;
    struct code *value = node->kind == NODE_STEP ? step(l, node, &at) : assign(l, node, &at);
    return at.bits && !node->post ? kc_as_field(l, value, at.bits) : value;
}

struct location kc_changed_place(struct lowering *l, struct node *node)
{
    struct location at;
    node->kind == NODE_STEP ? step(l, node, &at) : assign(l, node, &at);
    return at;
}

/* ---- values ------------------------------------------------------------------------------------- */

static struct code *lower_number(struct lowering *l, struct node *node)
{
    const enum code_type type = kc_register_type(kc_code_type(node->type));
    if (!node->constant.is_float)
        return kc_const(l, type, node->constant.integer);
    if (type == CODE_F16 || type == CODE_BF16)
        return kc_add(l, IR_CONVERT, type, kc_real(l, CODE_F32, node->constant.real), NULL);
    return kc_real(l, type, node->constant.real);
}

static struct code *cast(struct lowering *l, struct node *node)
{
    if (node->type->kind == TYPE_VOID) {
        kc_lower_statement(l, &(struct node){.kind = NODE_EXPRESSION,
                                             .left = node->left,
                                             .place = node->place,
                                             .type = node->type});
        return kc_const(l, CODE_U32, 0);
    }
    struct type *from = node->left->type;
    struct code *value = kc_lower_value(l, node->left);
    uint64_t offset;
    if (from->kind == TYPE_POINTER && node->type->kind == TYPE_POINTER &&
        from->base->kind == TYPE_RECORD && node->type->base->kind == TYPE_RECORD &&
        from->base->plain != node->type->base->plain &&
        kc_derives(from->base->record, node->type->base->record, &offset))
        return kc_pointer_sum(l, value, kc_const(l, CODE_S64, (int64_t)offset));
    if (node->left->kind == NODE_NUMBER && node->type->kind == TYPE_POINTER)
        return kc_const(l, CODE_U64, node->left->constant.integer);
    return kc_convert_code(l, value, from, node->type);
}

/* A constant that is known although it is a variable: constexpr, const with a constant value. */
static struct code *known_value(struct lowering *l, struct node *node)
{
    struct variable *variable = node->variable;
    struct constant value;
    if (!kc_is_arithmetic(node->type) || node->type->is_volatile || !variable->initial ||
        (variable->function && !variable->is_constexpr && !variable->is_static) ||
        !(variable->is_constexpr || variable->type->is_const) || variable->space == SPACE_CONST)
        return NULL;
    if (!kc_evaluate(l->c, node, &value))
        return NULL;
    struct node constant = {.kind = NODE_NUMBER, .type = node->type, .constant = value};
    constant.constant.is_float = kc_is_float(node->type);
    return lower_number(l, &constant);
}

/* An element of a constexpr array at an index that is known. */
static struct code *known_element(struct lowering *l, struct node *node)
{
    struct constant value;
    const struct node *base = node;
    while (base->kind == NODE_FIELD || base->kind == NODE_DEREF ||
           (base->kind == NODE_BINARY && base->sign == '+') || base->kind == NODE_ADDRESS ||
           (base->kind == NODE_CAST && base->type->kind == TYPE_POINTER))
        base = base->left;
    if (base->kind != NODE_VARIABLE || !base->variable->is_constexpr ||
        !kc_is_arithmetic(node->type) || !kc_evaluate(l->c, node, &value))
        return NULL;
    struct node constant = {.kind = NODE_NUMBER, .type = node->type, .constant = value};
    return lower_number(l, &constant);
}

static struct code *value_of(struct lowering *l, struct node *node)
{
    struct code *known;
    switch (node->kind) {
    case NODE_NUMBER:
        return lower_number(l, node);
    case NODE_ZERO:
        return kc_const(l, kc_register_type(kc_code_type(node->type)), 0);
    case NODE_UNARY:
        return unary(l, node);
    case NODE_BINARY:
        return binary(l, node);
    case NODE_CONDITION:
        return conditional(l, node);
    case NODE_ASSIGN:
    case NODE_STEP:
        return changed(l, node);
    case NODE_CAST:
        return cast(l, node);
    case NODE_COMMA:
        kc_lower_statement(l, &(struct node){.kind = NODE_EXPRESSION,
                                             .left = node->left,
                                             .place = node->left->place,
                                             .type = node->left->type});
        return kc_lower_value(l, node->right);
    case NODE_ADDRESS:
        return kc_address_of(l, kc_place(l, node->left));
    case NODE_FUNCTION:
        kc_call_later(l->module, node->function);
        return kc_symbol(l, kc_function_symbol(l->c, l->module, node->function), SPACE_NONE);
    case NODE_CALL:
        if (node->is_place)
            return kc_load(l, kc_lower_call(l, node, NULL));
        {
            struct location result = kc_lower_call(l, node, NULL);
            return node->type->kind == TYPE_VOID ? kc_const(l, CODE_U32, 0) : kc_load(l, result);
        }
    case NODE_LIST:
        if (node->elements == 1)
            return kc_lower_value(l, node->element[0].node);
        return kc_const(l, kc_register_type(kc_code_type(node->type)), 0);
    case NODE_VARIABLE:
        known = known_value(l, node);
        return known ? known : kc_load(l, kc_place(l, node));
    case NODE_DEREF:
    case NODE_FIELD:
        known = known_element(l, node);
        return known ? known : kc_load(l, kc_place(l, node));
    default:
        return kc_load(l, kc_place(l, node));
    }
}

struct code *kc_lower_value(struct lowering *l, struct node *node)
{
    if (!kc_enter(l->c, node->place)) {
        kc_leave(l->c);
        return kc_const(l, kc_register_type(kc_code_type(node->type)), 0);
    }
    kc_set_site(l, node->place);
    struct code *value = value_of(l, node);
    kc_set_site(l, node->place);
    kc_leave(l->c);
    return value;
}
