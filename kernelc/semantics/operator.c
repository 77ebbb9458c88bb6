/* operator.c - what operators mean for the types of their operands. */
#include "kernelc/parser.h"

static struct node *new_operation(struct kc *c, enum node_kind kind, int sign, struct node *left,
                                  struct node *right, struct type *type, struct place place)
{
    struct node *node = kc_new_node(c, kind, place, type);
    node->sign = sign;
    node->left = left;
    node->right = right;
    return node;
}

static const char *sign_text(struct kc *c, int sign)
{
    static const char *const long_signs[] = {"->", "::", "...", "++", "--", "<<", ">>",
                                             "<=", ">=", "==",  "!=", "&&", "||"};
    if (sign >= SIGN_ARROW && sign <= SIGN_OR)
        return long_signs[sign - SIGN_ARROW];
    return kc_text(c, "%c", sign);
}

static struct node *bad_operands(struct kc *c, int sign, const struct node *left,
                                 const struct node *right, struct place place)
{
    if (left->type->kind != TYPE_ERROR && (!right || right->type->kind != TYPE_ERROR)) {
        if (right)
            kc_error(c, place, "operator '%s' does not take operands of types '%s' and '%s'",
                     sign_text(c, sign), kc_type_text(c, left->type), kc_type_text(c, right->type));
        else
            kc_error(c, place, "operator '%s' does not take an operand of type '%s'",
                     sign_text(c, sign), kc_type_text(c, left->type));
    }
    return kc_error_node(c);
}

static bool is_class(const struct node *node)
{
    return node && (node->type->kind == TYPE_RECORD || (node->type->kind == TYPE_ENUM));
}

static bool is_error(const struct node *node)
{
    return node->type->kind == TYPE_ERROR;
}

static bool is_value(struct kc *c, const struct node *node)
{
    if (node->kind == NODE_TYPE) {
        kc_error(c, node->place, "'%s' is a type where a value is needed",
                 kc_type_text(c, node->as));
        return false;
    }
    if (node->kind == NODE_BRACES) {
        kc_error(c, node->place, "a list in braces cannot stand here");
        return false;
    }
    return true;
}

/* ---- one operand -------------------------------------------------------------------------------- */

struct node *kc_unary(struct kc *c, int sign, struct node *operand, struct place place)
{
    if (is_error(operand) || !is_value(c, operand))
        return kc_error_node(c);
    if (is_class(operand)) {
        struct node *call = kc_call_operator(c, sign, operand, NULL, place);
        if (call)
            return call;
    }
    if (sign == '!') {
        struct node *value = kc_condition_value(c, operand);
        return is_error(value) ? value
                               : new_operation(c, NODE_UNARY, '!', value, NULL,
                                               c->parser->basic[TYPE_BOOL], place);
    }
    if (operand->type->kind == TYPE_RECORD) {
        struct node *pointer = sign == '+' ? kc_lambda_pointer(c, operand, NULL) : NULL;
        return pointer ? pointer : bad_operands(c, sign, operand, NULL, place);
    }
    struct node *value = kc_decay(c, operand);
    if (sign == '+' && value->type->kind == TYPE_POINTER)
        return value;
    if (!kc_is_arithmetic(value->type) || (sign == '~' && !kc_is_integer(value->type)) ||
        (value->type->kind == TYPE_ENUM && value->type->scoped))
        return bad_operands(c, sign, operand, NULL, place);
    value = kc_promote(c, value);
    if (sign == '+')
        return value;
    if (value->kind == NODE_NUMBER && value->constant.is_float && sign == '-') {
        struct node *node = kc_new_node(c, NODE_NUMBER, place, value->type);
        node->constant = value->constant;
        node->constant.real = -value->constant.real;
        return node;
    }
    return new_operation(c, NODE_UNARY, sign, value, NULL, value->type, place);
}

struct node *kc_deref(struct kc *c, struct node *pointer, struct place place)
{
    if (is_error(pointer) || !is_value(c, pointer))
        return kc_error_node(c);
    if (is_class(pointer)) {
        struct node *call = kc_call_operator(c, '*', pointer, NULL, place);
        return call ? call : bad_operands(c, '*', pointer, NULL, place);
    }
    struct node *value = kc_decay(c, pointer);
    if (value->type->kind != TYPE_POINTER || value->type->base->kind == TYPE_VOID) {
        if (value->type->kind == TYPE_POINTER)
            kc_error(c, place, "a 'void *' points to nothing that has a value: cast it first");
        else if (!is_error(value))
            kc_error(c, place, "'%s' is no pointer: * cannot be applied",
                     kc_type_text(c, value->type));
        return kc_error_node(c);
    }
    if (value->kind == NODE_ADDRESS && value->left->type == value->type->base)
        return value->left;
    struct node *node = kc_new_node(c, NODE_DEREF, place, value->type->base);
    node->left = kc_cast_node(c, value, value->type);
    node->is_place = true;
    return node;
}

struct node *kc_address(struct kc *c, struct node *operand, struct place place)
{
    if (is_error(operand) || !is_value(c, operand))
        return kc_error_node(c);
    if (operand->type->kind == TYPE_OVERLOAD)
        return operand;
    if (is_class(operand) && operand->type->kind == TYPE_RECORD) {
        struct node *call = kc_call_operator(c, '&', operand, NULL, place);
        if (call)
            return call;
    }
    if (!operand->is_place) {
        kc_error(c, place, "only of a variable or an element an address can be taken");
        return kc_error_node(c);
    }
    if (operand->kind == NODE_FIELD && operand->field->bits >= 0) {
        kc_error(c, place, "a bit field has no address");
        return kc_error_node(c);
    }
    if (operand->kind == NODE_DEREF)
        return operand->left;
    struct node *node = kc_new_node(c, NODE_ADDRESS, place, kc_pointer(c, operand->type));
    node->left = operand;
    return node;
}

static bool is_bit_field(const struct node *node)
{
    return node->kind == NODE_FIELD && node->field->bits >= 0;
}

static struct node *selected(struct kc *c, struct node *condition, struct node *yes,
                             struct node *no, struct type *type, bool place_too, struct place place)
{
    struct node *node = kc_new_node(c, NODE_CONDITION, place, type);
    node->left = condition;
    node->right = yes;
    node->third = no;
    node->is_place = place_too;
    return node;
}

struct node *kc_field(struct kc *c, struct node *object, struct field *field, uint64_t offset,
                      struct place place)
{
    if (object->kind == NODE_CONDITION && object->is_place) { /* (c ? a : b).x is c ? a.x : b.x */
        struct node *yes = kc_field(c, object->right, field, offset, place);
        return selected(c, object->left, yes, kc_field(c, object->third, field, offset, place),
                        yes->type, field->bits < 0, place);
    }
    const bool reference = kc_is_reference(field->type);
    struct type *type = kc_unreferenced(field->type);
    if (!reference)
        type = kc_qualified(c, type, object->type->is_const, object->type->is_volatile);
    struct node *node = kc_new_node(c, NODE_FIELD, place, type);
    node->left = object;
    node->field = field;
    node->offset = offset;
    node->is_place = true;
    node->is_moved = !reference && (object->is_moved || !object->is_place);
    return node;
}

struct node *kc_index(struct kc *c, struct node *left, struct node *right, struct place place)
{
    if (is_error(left) || is_error(right) || !is_value(c, left))
        return kc_error_node(c);
    if (left->type->kind == TYPE_RECORD) {
        struct node *call = kc_call_member(c, left, c->parser->index_word, &right, 1, place);
        return call;
    }
    if (!is_value(c, right))
        return kc_error_node(c);
    struct node *base = kc_decay(c, left), *index = kc_decay(c, right);
    if (index->type->kind == TYPE_POINTER && kc_is_integer(base->type)) {
        struct node *other = base;
        base = index;
        index = other;
    }
    if (base->type->kind != TYPE_POINTER) {
        kc_error(c, place, "'%s' is neither an array nor a pointer: it cannot be indexed",
                 kc_type_text(c, left->type));
        return kc_error_node(c);
    }
    if (index->type->kind == TYPE_RECORD)
        index = kc_convert(c, index, c->parser->basic[TYPE_LONG], "cannot make an index; it is");
    if (!kc_is_integer(index->type)) {
        if (!is_error(index))
            kc_error(c, right->place, "an index is an integer, not '%s'",
                     kc_type_text(c, right->type));
        return kc_error_node(c);
    }
    return kc_deref(c, kc_binary(c, '+', base, index, place), place);
}

/* ---- two operands ------------------------------------------------------------------------------- */

static bool is_comparison(int sign)
{
    return sign == '<' || sign == '>' || (sign >= SIGN_LESS_EQUAL && sign <= SIGN_NOT_EQUAL);
}

static struct node *pointer_sum(struct kc *c, int sign, struct node *left, struct node *right,
                                struct place place)
{
    struct type *base = left->type->base;
    if (base->kind == TYPE_VOID)
        base = c->parser->basic[TYPE_CHAR];
    if (base->kind == TYPE_FUNCTION || !kc_complete(c, base, place))
        return bad_operands(c, sign, left, right, place);
    struct type *offset =
        c->parser
            ->basic[kc_is_unsigned(right->type) && right->type->size == 8 ? TYPE_ULONG : TYPE_LONG];
    struct node *node =
        new_operation(c, NODE_BINARY, sign, kc_cast_node(c, left, left->type),
                      kc_cast_node(c, kc_promote(c, right), offset), left->type->plain, place);
    node->offset = base->size;
    return node;
}

static struct node *pointer_operation(struct kc *c, int sign, struct node *left, struct node *right,
                                      struct place place)
{
    const bool l = left->type->kind == TYPE_POINTER, r = right->type->kind == TYPE_POINTER;
    if ((sign == '+' || sign == '-') && l && kc_is_integer(right->type))
        return pointer_sum(c, sign, left, right, place);
    if (sign == '+' && r && kc_is_integer(left->type))
        return pointer_sum(c, sign, right, left, place);
    if (sign == '-' && l && r && left->type->base->plain == right->type->base->plain) {
        struct node *node =
            new_operation(c, NODE_BINARY, '-', left, right, c->parser->basic[TYPE_LONG], place);
        node->offset = left->type->base->size ? left->type->base->size : 1;
        node->left = kc_cast_node(c, left, left->type);
        node->right = kc_cast_node(c, right, right->type);
        return node;
    }
    if (is_comparison(sign)) {
        struct type *type = l ? left->type : right->type;
        if (l && r && left->type->base->kind == TYPE_VOID)
            type = right->type;
        struct node *a = l ? kc_cast_node(c, left, type)
                           : kc_convert(c, left, type, "cannot compare a pointer of type");
        struct node *b = r ? kc_cast_node(c, right, type)
                           : kc_convert(c, right, type, "cannot compare a pointer of type");
        if (is_error(a) || is_error(b))
            return kc_error_node(c);
        return new_operation(c, NODE_BINARY, sign, a, b, c->parser->basic[TYPE_BOOL], place);
    }
    return bad_operands(c, sign, left, right, place);
}

static bool takes_types(int sign, const struct type *a, const struct type *b)
{
    if (a->kind == TYPE_ENUM && a->scoped)
        return is_comparison(sign) && a->plain == b->plain;
    if (b->kind == TYPE_ENUM && b->scoped)
        return false;
    if (!kc_is_arithmetic(a) || !kc_is_arithmetic(b))
        return false;
    const bool integers = sign == '%' || sign == '&' || sign == '|' || sign == '^' ||
                          sign == SIGN_LEFT || sign == SIGN_RIGHT;
    return !integers || (kc_is_integer(a) && kc_is_integer(b));
}

struct node *kc_binary(struct kc *c, int sign, struct node *left, struct node *right,
                       struct place place)
{
    struct type *boolean = c->parser->basic[TYPE_BOOL];
    if (is_error(left) || is_error(right) || !is_value(c, left) || !is_value(c, right))
        return kc_error_node(c);
    if (is_class(left) || is_class(right)) {
        struct node *call = kc_call_operator(c, sign, left, right, place);
        if (call)
            return call;
    }
    if (sign == SIGN_AND || sign == SIGN_OR) {
        left = kc_condition_value(c, left);
        right = kc_condition_value(c, right);
        if (is_error(left) || is_error(right))
            return kc_error_node(c);
        return new_operation(c, NODE_BINARY, sign, left, right, boolean, place);
    }
    /* A class that converts to a number takes part as one. */
    left = kc_as_number(c, left);
    right = kc_as_number(c, right);
    struct node *const first = left, *const second = right;
    left = kc_decay(c, left);
    right = kc_decay(c, right);
    if (is_error(left) || is_error(right))
        return kc_error_node(c);
    if (left->type->kind == TYPE_NULL && right->type->kind == TYPE_NULL && is_comparison(sign))
        return kc_integer_node(c, sign == SIGN_EQUAL, boolean, place);
    if (left->type->kind == TYPE_POINTER || right->type->kind == TYPE_POINTER)
        return pointer_operation(c, sign, left, right, place);
    if (!takes_types(sign, left->type, right->type))
        return bad_operands(c, sign, first, second, place);
    if (sign == SIGN_LEFT || sign == SIGN_RIGHT) {
        left = kc_promote(c, left);
        right = kc_cast_node(c, kc_promote(c, right), c->parser->basic[TYPE_UINT]);
        return new_operation(c, NODE_BINARY, sign, left, right, left->type, place);
    }
    struct type *type =
        left->type->kind == TYPE_ENUM && left->type->scoped
            ? left->type->base
            : kc_common_type(c, kc_promote(c, left)->type, kc_promote(c, right)->type);
    if (kc_is_float(left->type) || kc_is_float(right->type))
        type = kc_common_type(c, left->type, right->type);
    return new_operation(c, NODE_BINARY, sign, kc_cast_node(c, left, type),
                         kc_cast_node(c, right, type), is_comparison(sign) ? boolean : type, place);
}

/* ---- changing ----------------------------------------------------------------------------------- */

static void const_error(struct kc *c, const struct node *node, struct place place)
{
    const struct node *of = node->kind == NODE_DEREF ? node->left : node;
    while (of->kind == NODE_CAST || (of->kind == NODE_BINARY && of->type->kind == TYPE_POINTER))
        of = of->left;
    const struct variable *variable = of->kind == NODE_VARIABLE ? of->variable : NULL;
    if (variable && variable->name && node->kind == NODE_DEREF)
        kc_error(c, place, "what '%.*s' points to is const (%s): it cannot be changed",
                 SLICE(variable->name->text), kc_type_text(c, variable->type));
    else if (variable && variable->name)
        kc_error(c, place, "'%.*s' is const: it cannot be changed", SLICE(variable->name->text));
    else
        kc_error(c, place, "what is assigned to here is const");
}

static bool can_change(struct kc *c, const struct node *node, struct place place)
{
    if (is_error(node))
        return false;
    if (!node->is_place || node->type->kind == TYPE_ARRAY || node->type->kind == TYPE_FUNCTION)
        kc_error(c, place,
                 node->type->kind == TYPE_ARRAY ? "an array cannot be assigned as a whole"
                                                : "what is assigned to here is no variable");
    else if (node->type->is_const)
        const_error(c, node, place);
    else
        return true;
    return false;
}

struct node *kc_assign(struct kc *c, int sign, struct node *left, struct node *right,
                       struct place place)
{
    static const struct {
        int sign, assign;
    } combined[] = {{0, '='},
                    {'+', SIGN_ADD_ASSIGN},
                    {'-', SIGN_SUB_ASSIGN},
                    {'*', SIGN_MUL_ASSIGN},
                    {'/', SIGN_DIV_ASSIGN},
                    {'%', SIGN_REM_ASSIGN},
                    {'&', SIGN_AND_ASSIGN},
                    {'|', SIGN_OR_ASSIGN},
                    {'^', SIGN_XOR_ASSIGN},
                    {SIGN_LEFT, SIGN_LEFT_ASSIGN},
                    {SIGN_RIGHT, SIGN_RIGHT_ASSIGN}};
    if (is_error(left) || is_error(right) || !is_value(c, left))
        return kc_error_node(c);
    if (left->type->kind == TYPE_RECORD || (sign && is_class(right))) {
        for (size_t i = 0; i < sizeof combined / sizeof *combined; i++)
            if (combined[i].sign == sign) {
                if (right->kind == NODE_BRACES)
                    right = kc_from_braces(c, left->type->plain, right);
                struct node *call = kc_call_operator(c, combined[i].assign, left, right, place);
                if (call)
                    return call;
            }
    }
    if (!can_change(c, left, place))
        return kc_error_node(c);
    if (left->type->kind == TYPE_RECORD && !kc_copies_plainly(c, left->type->record, true, place))
        return kc_error_node(c);
    if (!sign) {
        struct node *value = kc_convert(c, right, left->type->plain, "cannot assign to");
        struct node *node = new_operation(c, NODE_ASSIGN, 0, left, value, left->type, place);
        node->is_place = true;
        return is_error(value) ? value : node;
    }
    /* left = left op right, with left's place evaluated once */
    struct node *operation = kc_binary(c, sign, left, right, place);
    if (is_error(operation) || operation->kind != NODE_BINARY)
        return is_error(operation) ? operation : bad_operands(c, sign, left, right, place);
    if (kc_rank(c, operation, left->type->plain) == RANK_NONE)
        return bad_operands(c, sign, left, right, place);
    struct node *node =
        new_operation(c, NODE_ASSIGN, sign, left, operation->right, left->type, place);
    node->as = operation->left->type;
    node->offset = operation->offset;
    node->is_place = true;
    return node;
}

struct node *kc_step(struct kc *c, int sign, struct node *operand, bool post, struct place place)
{
    if (is_error(operand) || !is_value(c, operand))
        return kc_error_node(c);
    if (operand->type->kind == TYPE_RECORD) {
        struct node *none = kc_integer_node(c, 0, c->parser->basic[TYPE_INT], place);
        struct node *call = kc_call_operator(c, sign, operand, post ? none : NULL, place);
        return call ? call : bad_operands(c, sign, operand, NULL, place);
    }
    if (!can_change(c, operand, place))
        return kc_error_node(c);
    if (!kc_is_scalar(operand->type) || operand->type->kind == TYPE_BOOL ||
        operand->type->kind == TYPE_ENUM)
        return bad_operands(c, sign, operand, NULL, place);
    struct node *node = new_operation(c, NODE_STEP, sign, operand, NULL,
                                      post ? operand->type->plain : operand->type, place);
    node->post = post;
    node->is_place = !post;
    if (operand->type->kind == TYPE_POINTER)
        node->offset = operand->type->base->kind == TYPE_VOID ? 1 : operand->type->base->size;
    return node;
}

/* ---- condition ? yes : no ----------------------------------------------------------------------- */

struct node *kc_select(struct kc *c, struct node *condition, struct node *yes, struct node *no,
                       struct place place)
{
    condition = kc_condition_value(c, condition);
    if (is_error(condition) || is_error(yes) || is_error(no) || !is_value(c, yes))
        return kc_error_node(c);
    struct type *a = kc_unreferenced(yes->type), *b = kc_unreferenced(no->type);
    if (a->kind == TYPE_VOID || b->kind == TYPE_VOID)
        return selected(c, condition, yes, no, c->parser->basic[TYPE_VOID], false, place);
    /* A bit field has no address: of one the value is taken. */
    if (yes->is_place && no->is_place && a == b && a->kind != TYPE_OVERLOAD &&
        a->kind != TYPE_ARRAY && !is_bit_field(yes) && !is_bit_field(no))
        return selected(c, condition, yes, no, a, true, place);
    struct type *type = NULL;
    if (a->kind == TYPE_RECORD || b->kind == TYPE_RECORD || no->kind == NODE_BRACES) {
        if (kc_rank(c, no, a->plain) != RANK_NONE)
            type = a->plain;
        else if (kc_rank(c, yes, b->plain) != RANK_NONE)
            type = b->plain;
        else
            return bad_operands(c, '?', yes, no, place);
        return selected(c, condition, kc_convert(c, yes, type, "cannot make"),
                        kc_convert(c, no, type, "cannot make"), type, false, place);
    }
    yes = kc_decay(c, kc_one_function(c, yes));
    no = kc_decay(c, kc_one_function(c, no));
    if (is_error(yes) || is_error(no))
        return kc_error_node(c);
    a = yes->type->plain;
    b = no->type->plain;
    if (a == b)
        type = a;
    else if (kc_is_arithmetic(a) && kc_is_arithmetic(b))
        type = kc_common_type(c, a, b);
    else if (kc_rank(c, no, a) != RANK_NONE && a->kind == TYPE_POINTER)
        type = a;
    else if (kc_rank(c, yes, b) != RANK_NONE && b->kind == TYPE_POINTER)
        type = b;
    else
        return bad_operands(c, '?', yes, no, place);
    return selected(c, condition, kc_cast_node(c, yes, type), kc_cast_node(c, no, type), type,
                    false, place);
}
