/* constant.c - values that are known when compiling: constant expressions and constexpr functions.
 *
 * Objects are their bytes, as they lie in memory. Pointers are not followed, but for elements of arrays.
 */
#include "kernelc/semantics/constant.h"

#include <string.h>

/* ---- bytes -------------------------------------------------------------------------------------- */

static bool load_value(struct type *type, struct spot spot, struct constant *value)
{
    *value = (struct constant){0};
    if (type->size > spot.size || !kc_is_arithmetic(type) || type->kind == TYPE_HALF ||
        type->kind == TYPE_BF16)
        return false;
    if (type->kind == TYPE_FLOAT) {
        float narrow;
        memcpy(&narrow, spot.bytes, sizeof narrow);
        *value = (struct constant){.is_float = true, .real = (double)narrow};
    } else if (type->kind == TYPE_DOUBLE) {
        value->is_float = true;
        memcpy(&value->real, spot.bytes, sizeof value->real);
    } else {
        uint64_t bits = 0;
        memcpy(&bits, spot.bytes, type->size);
        const int unused = 64 - 8 * (int)type->size;
        value->integer = kc_is_unsigned(type) ? (int64_t)bits : (int64_t)(bits << unused) >> unused;
    }
    return true;
}

static bool store(struct type *type, struct spot spot, struct constant value)
{
    if (type->size > spot.size)
        return false;
    if (type->kind == TYPE_FLOAT) {
        const float narrow = (float)value.real;
        memcpy(spot.bytes, &narrow, sizeof narrow);
    } else if (type->kind == TYPE_DOUBLE) {
        memcpy(spot.bytes, &value.real, sizeof value.real);
    } else if (kc_is_integer(type)) {
        memcpy(spot.bytes, &value.integer, type->size);
    } else {
        return type->kind == TYPE_POINTER && !value.integer;
    }
    return true;
}

struct spot kc_constant_room(struct kc *c, const struct type *type)
{
    struct spot spot = {NULL, type->size};
    if (type->size <= 1 << 20)
        spot.bytes = kc_new(c, type->size);
    else
        spot.size = 0;
    return spot;
}

/* ---- places ------------------------------------------------------------------------------------- */

struct local *kc_constant_local(struct frame *frame, const struct variable *variable)
{
    for (struct local *local = frame ? frame->local : NULL; local; local = local->next)
        if (local->variable == variable)
            return local;
    return NULL;
}

static bool variable_spot(struct kc *c, struct variable *variable, struct spot *spot)
{
    struct local *local = kc_constant_local(c->parser->frame, variable);
    if (local) {
        *spot = local->spot;
        return true;
    }
    if (variable->bytes) {
        *spot = (struct spot){variable->bytes, variable->type->size};
        return true;
    }
    struct type *type = kc_unreferenced(variable->type);
    if (!variable->initial || variable->evaluating ||
        !(variable->is_constexpr || type->is_const ||
          (type->kind == TYPE_ARRAY && type->base->is_const)) ||
        type->is_volatile || type->kind == TYPE_ERROR)
        return false;
    struct spot fresh = kc_constant_room(c, type);
    struct frame *frame = c->parser->frame;
    const bool may_point = c->parser->may_point;
    variable->evaluating = 1;
    c->parser->may_point = false;
    c->parser->frame = NULL;
    const bool good =
        fresh.size && kc_enter(c, variable->place) && kc_constant_put(c, variable->initial, fresh);
    if (fresh.size)
        kc_leave(c);
    c->parser->frame = frame;
    c->parser->may_point = may_point;
    variable->evaluating = 0;
    if (good)
        variable->bytes = fresh.bytes;
    *spot = fresh;
    return good;
}

static bool part(struct spot *spot, uint64_t offset, uint64_t size)
{
    if (offset > spot->size || size > spot->size - offset)
        return false;
    spot->bytes += offset;
    spot->size -= offset;
    return true;
}

/* array[index] is *(&array + index) */
static bool element_spot(struct kc *c, struct node *node, struct spot *spot)
{
    struct node *pointer = node->left;
    struct constant index = {0};
    while (pointer->kind == NODE_CAST && pointer->type->kind == TYPE_POINTER)
        pointer = pointer->left;
    if (pointer->kind == NODE_ADDRESS)
        return kc_constant_place(c, pointer->left, spot);
    if (pointer->kind != NODE_BINARY || pointer->sign != '+' ||
        !kc_constant_value(c, pointer->right, &index))
        return false;
    struct node *base = pointer->left;
    while (base->kind == NODE_CAST && base->type->kind == TYPE_POINTER)
        base = base->left;
    if (base->kind == NODE_STRING) {
        *spot = (struct spot){(uint8_t *)base->text.at, (uint64_t)base->text.length + 1};
    } else if (base->kind != NODE_ADDRESS || !kc_constant_place(c, base->left, spot)) {
        return false;
    }
    if (index.integer < 0 || (uint64_t)index.integer > spot->size)
        return false;
    return part(spot, (uint64_t)index.integer * node->type->size, node->type->size);
}

/* Where an expression's object lies; of a value, a copy. */
bool kc_constant_place(struct kc *c, struct node *node, struct spot *spot)
{
    switch (node->kind) {
    case NODE_VARIABLE:
        return variable_spot(c, node->variable, spot);
    case NODE_THIS:
        if (node->variable && !node->variable->function) /* of a list */
            *spot = (struct spot){node->variable->bytes, node->type->size};
        else
            *spot = c->parser->frame ? c->parser->frame->self : (struct spot){0};
        return spot->bytes != NULL;
    case NODE_FIELD:
        return !kc_is_reference(node->field->type) && node->field->bits < 0 &&
               kc_constant_place(c, node->left, spot) && part(spot, node->offset, node->type->size);
    case NODE_BASE:
        return kc_constant_place(c, node->left, spot) && part(spot, node->offset, node->type->size);
    case NODE_DEREF:
        return element_spot(c, node, spot);
    case NODE_STRING:
        *spot = (struct spot){(uint8_t *)node->text.at, (uint64_t)node->text.length + 1};
        return true;
    case NODE_ASSIGN:
    case NODE_STEP: {
        struct constant value;
        return !node->post && kc_constant_value(c, node, &value) &&
               kc_constant_place(c, node->left, spot);
    }
    default:
        *spot = kc_constant_room(c, node->type);
        return spot->size && node->type->kind != TYPE_VOID && kc_constant_put(c, node, *spot);
    }
}

/* ---- calls -------------------------------------------------------------------------------------- */

static bool call_apart(struct kc *c, struct function *function, struct node *object,
                       struct node **list, int count, struct spot self, struct spot result)
{
    struct parser *p = c->parser;
    struct frame frame = {.outer = p->frame, .self = self, .result = result};
    frame.depth = p->frame ? p->frame->depth + 1 : 0;
    kc_read_body(c, function);
    if (function->state != BODY_READ || !function->tree || frame.depth > 200 || c->stopped)
        return false;
    if (object && !kc_constant_place(c, object, &frame.self))
        return false;
    for (int i = 0; i < function->variables && i < count; i++) {
        struct local *local = KC_NEW(c, struct local);
        local->variable = function->variable[i];
        if (kc_is_reference(local->variable->type)) {
            if (!kc_constant_place(c, list[i], &local->spot))
                return false;
        } else {
            local->spot = kc_constant_room(c, local->variable->type);
            if (!local->spot.size || !kc_constant_put(c, list[i], local->spot))
                return false;
        }
        local->next = frame.local;
        frame.local = local;
    }
    p->frame = &frame;
    bool good = true;
    struct field *field = function->is_constructor ? function->record->field : NULL;
    for (int i = 0; good && field && i < function->initials; i++, field = field->next) {
        struct spot spot = frame.self;
        if (function->initial[i])
            good = field->bits < 0 && part(&spot, field->offset, field->type->size) &&
                   kc_constant_put(c, function->initial[i], spot);
    }
    if (function->initials < 0)
        good = kc_constant_put(c, function->initial[0], frame.self);
    good = good && kc_execute(c, function->tree);
    p->frame = frame.outer;
    return good;
}

/* Addresses are followed into no function. */
static bool call(struct kc *c, struct function *function, struct node *object, struct node **list,
                 int count, struct spot self, struct spot result)
{
    const bool may_point = c->parser->may_point;
    c->parser->may_point = false;
    const bool good = call_apart(c, function, object, list, count, self, result);
    c->parser->may_point = may_point;
    return good;
}

/* ---- values ------------------------------------------------------------------------------------- */

/* Puts an expression's value into memory that is zero or its own. */
static bool put_list(struct kc *c, struct node *node, struct spot to)
{
    struct variable *self = node->function ? node->function->self : NULL;
    uint8_t *outer = self ? self->bytes : NULL;
    bool good = true;
    if (self)
        self->bytes = to.bytes;
    memset(to.bytes, 0, to.size < node->type->size ? to.size : node->type->size);
    for (int i = 0; i < node->elements && good; i++) {
        struct spot spot = to;
        good = !node->element[i].field &&
               part(&spot, node->element[i].offset, node->element[i].node->type->size) &&
               kc_constant_put(c, node->element[i].node, spot);
    }
    if (self)
        self->bytes = outer;
    return good;
}

static bool is_null(const struct node *node)
{
    while (node->kind == NODE_CAST)
        node = node->left;
    return node->kind == NODE_ZERO ||
           (node->kind == NODE_NUMBER && !node->constant.is_float && node->constant.integer == 0);
}

bool kc_constant_put(struct kc *c, struct node *node, struct spot to)
{
    struct constant value;
    struct spot from;
    if (node->type->kind == TYPE_POINTER && to.size >= node->type->size &&
        (is_null(node) || kc_point(c, node, to.bytes)))
        return true;
    if (node->type->kind != TYPE_RECORD && node->type->kind != TYPE_ARRAY)
        return kc_constant_value(c, node, &value) && store(node->type, to, value);
    switch (node->kind) {
    case NODE_ZERO:
        memset(to.bytes, 0, to.size < node->type->size ? to.size : node->type->size);
        return true;
    case NODE_LIST:
        return put_list(c, node, to);
    case NODE_MAKE:
        return call(c, node->function, NULL, node->list, node->count, to, (struct spot){0});
    case NODE_CALL:
        if (node->function && !node->is_place)
            return call(c, node->function, node->object, node->list, node->count, (struct spot){0},
                        to);
        return false;
    case NODE_CAST:
        return kc_constant_put(c, node->left, to);
    case NODE_CONDITION:
        return kc_constant_value(c, node->left, &value) &&
               kc_constant_put(c, value.integer ? node->right : node->third, to);
    default:
        if (!node->is_place || !kc_constant_place(c, node, &from) || from.size < node->type->size ||
            to.size < node->type->size)
            return false;
        memmove(to.bytes, from.bytes, node->type->size);
        return true;
    }
}

static bool integer_operation(int sign, struct type *type, int64_t a, int64_t b, int64_t *result)
{
    const bool is_unsigned = kc_is_unsigned(type);
    const int bits = (int)type->size * 8;
    const uint64_t x = (uint64_t)a, y = (uint64_t)b;
    uint64_t r;
    switch (sign) {
    case '+':
        r = x + y;
        break;
    case '-':
        r = x - y;
        break;
    case '*':
        r = x * y;
        break;
    case '/':
    case '%':
        if (!b)
            return false;
        if (is_unsigned)
            r = sign == '/' ? x / y : x % y;
        else if (b == -1)
            r = sign == '/' ? 0 - x : 0;
        else
            r = (uint64_t)(sign == '/' ? a / b : a % b);
        break;
    case '&':
        r = x & y;
        break;
    case '|':
        r = x | y;
        break;
    case '^':
        r = x ^ y;
        break;
    case SIGN_LEFT:
        if (y >= (uint64_t)bits)
            return false;
        r = x << y;
        break;
    case SIGN_RIGHT:
        if (y >= (uint64_t)bits)
            return false;
        r = is_unsigned ? x >> y : (uint64_t)(a >> y);
        break;
    default:
        return false;
    }
    if (bits < 64) {
        r &= (UINT64_C(1) << bits) - 1;
        if (!is_unsigned && r >> (bits - 1))
            r |= ~((UINT64_C(1) << bits) - 1);
    }
    *result = (int64_t)r;
    return true;
}

static bool compared(int sign, bool less, bool equal)
{
    switch (sign) {
    case '<':
        return less;
    case '>':
        return !less && !equal;
    case SIGN_LESS_EQUAL:
        return less || equal;
    case SIGN_GREATER_EQUAL:
        return !less;
    case SIGN_EQUAL:
        return equal;
    default:
        return !equal;
    }
}

static bool operation(int sign, struct type *type, struct constant a, struct constant b,
                      struct constant *value)
{
    *value = (struct constant){0};
    if (sign == '<' || sign == '>' || (sign >= SIGN_LESS_EQUAL && sign <= SIGN_NOT_EQUAL)) {
        const bool is_unsigned = kc_is_unsigned(type);
        if (a.is_float && (a.real != a.real || b.real != b.real))
            value->integer = sign == SIGN_NOT_EQUAL;
        else if (a.is_float)
            value->integer = compared(sign, a.real < b.real, a.real == b.real);
        else
            value->integer = compared(sign,
                                      is_unsigned ? (uint64_t)a.integer < (uint64_t)b.integer
                                                  : a.integer < b.integer,
                                      a.integer == b.integer);
        return true;
    }
    if (!a.is_float)
        return integer_operation(sign, type, a.integer, b.integer, &value->integer);
    value->is_float = true;
    value->real = sign == '+'   ? a.real + b.real
                  : sign == '-' ? a.real - b.real
                  : sign == '*' ? a.real * b.real
                                : a.real / b.real;
    if (type->kind == TYPE_FLOAT)
        value->real = (double)(float)value->real;
    return type->kind == TYPE_FLOAT || type->kind == TYPE_DOUBLE;
}

static bool binary(struct kc *c, struct node *node, struct constant *value)
{
    struct constant a, b;
    if (node->type->kind == TYPE_POINTER || node->left->type->kind == TYPE_POINTER ||
        !kc_constant_value(c, node->left, &a))
        return false;
    if (node->sign == SIGN_AND || node->sign == SIGN_OR) {
        if ((a.integer != 0) == (node->sign == SIGN_OR)) {
            *value = (struct constant){.integer = node->sign == SIGN_OR};
            return true;
        }
        return kc_constant_value(c, node->right, value);
    }
    return kc_constant_value(c, node->right, &b) &&
           operation(node->sign, node->left->type, a, b, value);
}

static bool cast(struct kc *c, struct type *from, struct type *to, struct constant in,
                 struct constant *value)
{
    if (!kc_is_arithmetic(from) || !kc_is_arithmetic(to) || to->kind == TYPE_HALF ||
        to->kind == TYPE_BF16)
        return false;
    struct node number = {.kind = NODE_NUMBER, .type = from, .constant = in};
    struct node *result = kc_cast_node(c, &number, to);
    *value = result->constant;
    return result->kind == NODE_NUMBER;
}

static bool unary(struct kc *c, struct node *node, struct constant *value)
{
    struct constant a;
    if (!kc_constant_value(c, node->left, &a))
        return false;
    *value = a;
    if (node->sign == '!')
        value->integer = !a.integer;
    else if (a.is_float)
        value->real = -a.real;
    else
        return integer_operation(node->sign == '~' ? '^' : '-', node->type,
                                 node->sign == '~' ? a.integer : 0,
                                 node->sign == '~' ? -1 : a.integer, &value->integer);
    return true;
}

static bool assign(struct kc *c, struct node *node, struct constant *value)
{
    struct spot spot;
    struct constant right, left;
    if (!c->parser->frame || !kc_constant_place(c, node->left, &spot))
        return false;
    if (node->type->kind == TYPE_RECORD)
        return node->kind == NODE_ASSIGN && kc_constant_put(c, node->right, spot);
    if (node->kind == NODE_STEP) {
        if (!load_value(node->left->type, spot, &left))
            return false;
        right = left;
        right.integer += node->sign == SIGN_PLUS_PLUS ? 1 : -1;
        right.real += node->sign == SIGN_PLUS_PLUS ? 1 : -1;
        *value = node->post ? left : right;
        return store(node->left->type, spot, right);
    }
    if (!kc_constant_value(c, node->right, &right))
        return false;
    if (node->sign) {
        struct constant wide;
        if (!load_value(node->left->type, spot, &left) ||
            !cast(c, node->left->type, node->as, left, &wide) ||
            !operation(node->sign, node->as, wide, right, &left) ||
            !cast(c, node->as, node->type->plain, left, &right))
            return false;
    }
    *value = right;
    return store(node->left->type, spot, right);
}

static bool evaluate_deep(struct kc *c, struct node *node, struct constant *value)
{
    struct spot spot;
    struct constant first;
    switch (node->kind) {
    case NODE_NUMBER:
        *value = node->constant;
        return true;
    case NODE_ZERO:
        *value = (struct constant){.is_float = kc_is_float(node->type)};
        return true;
    case NODE_UNARY:
        return unary(c, node, value);
    case NODE_BINARY:
        return binary(c, node, value);
    case NODE_CAST:
        if (node->type->kind == TYPE_VOID) {
            kc_constant_value(c, node->left, value);
            return true;
        }
        return kc_constant_value(c, node->left, &first) &&
               cast(c, node->left->type, node->type, first, value);
    case NODE_CONDITION:
        return kc_constant_value(c, node->left, &first) &&
               kc_constant_value(c, first.integer ? node->right : node->third, value);
    case NODE_COMMA:
        kc_constant_value(c, node->left, &first);
        return kc_constant_value(c, node->right, value);
    case NODE_ASSIGN:
    case NODE_STEP:
        return assign(c, node, value);
    case NODE_LIST:
        return node->elements == 1 && kc_constant_value(c, node->element[0].node, value);
    case NODE_CALL:
        if (!node->function || !(node->function->is_constexpr || c->parser->frame))
            return false;
        spot = kc_constant_room(c, node->type);
        if (!call(c, node->function, node->object, node->list, node->count, (struct spot){0}, spot))
            return false;
        *value = (struct constant){0};
        return node->type->kind == TYPE_VOID || load_value(node->type, spot, value);
    default:
        return node->is_place && kc_constant_place(c, node, &spot) &&
               load_value(node->type, spot, value);
    }
}

bool kc_constant_value(struct kc *c, struct node *node, struct constant *value)
{
    bool good = kc_enter(c, node->place) && evaluate_deep(c, node, value);
    kc_leave(c);
    return good && !c->stopped;
}

bool kc_evaluate(struct kc *c, struct node *node, struct constant *constant)
{
    if (node->type->kind == TYPE_RECORD || node->type->kind == TYPE_ERROR)
        return false;
    return kc_constant_value(c, node, constant);
}

bool kc_evaluate_bytes(struct kc *c, struct node *node, struct type *type, uint8_t *bytes)
{
    struct parser *p = c->parser;
    p->may_point = true;
    p->pointing = NULL;
    bool good = kc_constant_put(c, node, (struct spot){bytes, type->size});
    p->may_point = false;
    for (const struct pointing *one = p->pointing; one; one = one->next)
        good &= one->at >= bytes && one->at + 8 <= bytes + type->size && (one->at - bytes) % 8 == 0;
    return good && (!p->pointing || type->size % 8 == 0);
}

bool kc_integer(struct kc *c, struct node *node, int64_t *value, const char *what)
{
    struct constant constant;
    if (node->type->kind == TYPE_ERROR)
        return false;
    if (node->type->kind == TYPE_RECORD)
        node = kc_convert(c, node, c->parser->basic[TYPE_LONG], "cannot make");
    if (!kc_is_integer(node->type) || !kc_evaluate(c, node, &constant)) {
        if (node->type->kind != TYPE_ERROR)
            kc_error(c, node->place, "%s must be an integer that is known when compiling", what);
        return false;
    }
    *value = constant.integer;
    return true;
}
