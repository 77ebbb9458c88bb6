/* convert.c - conversions: which there are, how good they are for overloads, and their nodes. */
#include "kernelc/parser.h"

/* ---- values ------------------------------------------------------------------------------------- */

/* Arrays and functions become pointers where a value is needed. */
struct node *kc_decay(struct kc *c, struct node *node)
{
    struct type *type = node->type;
    if (type->kind == TYPE_ARRAY) {
        struct node *address = kc_new_node(c, NODE_ADDRESS, node->place, kc_pointer(c, type->base));
        address->left = node;
        return address;
    }
    if (type->kind == TYPE_OVERLOAD && node->function && !node->object) {
        struct function *function = node->function;
        if (node->arguments && function->is_template)
            function =
                kc_instantiate_function(c, function, node->argument, node->arguments, node->place);
        if (!function || function->next || function->is_template) {
            if (function)
                kc_error(c, node->place, "'%.*s' is several functions: which one is not clear here",
                         SLICE(node->function->name->text));
            return kc_error_node(c);
        }
        struct type *result = kc_result(c, function, node->place);
        (void)result;
        struct node *address = kc_new_node(c, NODE_FUNCTION, node->place,
                                           kc_pointer(c, kc_type_of_function(c, function)));
        address->function = function;
        kc_take_address(c, function, node->place);
        return address;
    }
    if (type->kind == TYPE_FUNCTION) {
        struct node *address = kc_new_node(c, NODE_ADDRESS, node->place, kc_pointer(c, type));
        address->left = node;
        return address;
    }
    return node;
}

struct type *kc_value_type(struct kc *c, struct node *node)
{
    struct type *type = kc_unreferenced(node->type);
    if (type->kind == TYPE_ARRAY)
        return kc_pointer(c, type->base);
    return type->plain;
}

static void cast_constant(struct kc *c, const struct node *from, struct type *to,
                          struct constant *out)
{
    struct constant value = from->constant;
    (void)c;
    *out = (struct constant){0};
    if (kc_is_float(to)) {
        const bool is_unsigned = kc_is_unsigned(from->type);
        out->is_float = true;
        out->real = value.is_float ? value.real
                    : is_unsigned  ? (double)(uint64_t)value.integer
                                   : (double)value.integer;
        if (to->kind == TYPE_FLOAT)
            out->real = value.is_float ? (double)(float)value.real
                        : is_unsigned  ? (double)(float)(uint64_t)value.integer
                                       : (double)(float)value.integer;
        return;
    }
    int64_t integer = value.integer;
    if (value.is_float) {
        const double real = value.real;
        integer = !(real == real)         ? 0
                  : real >= 1.8446744e19  ? -1
                  : real >= 9.2233720e18  ? (int64_t)(uint64_t)real
                  : real <= -9.2233720e18 ? INT64_MIN
                                          : (int64_t)real;
    }
    if (to->kind == TYPE_BOOL) {
        out->integer = value.is_float ? value.real != 0 : value.integer != 0;
        return;
    }
    const int bits = (int)to->size * 8;
    if (bits < 64) {
        const uint64_t low = (uint64_t)integer & ((UINT64_C(1) << bits) - 1);
        integer = kc_is_unsigned(to) || !(low >> (bits - 1))
                      ? (int64_t)low
                      : (int64_t)(low | ~((UINT64_C(1) << bits) - 1));
    }
    out->integer = integer;
}

struct node *kc_cast_node(struct kc *c, struct node *node, struct type *to)
{
    to = to->plain;
    if (node->type->plain == to && !node->is_place)
        return node;
    const bool folds = node->kind == NODE_NUMBER && kc_is_arithmetic(node->type) &&
                       kc_is_arithmetic(to) && to->kind != TYPE_HALF && to->kind != TYPE_BF16;
    struct node *cast = kc_new_node(c, folds ? NODE_NUMBER : NODE_CAST, node->place, to);
    if (folds)
        cast_constant(c, node, to, &cast->constant);
    else
        cast->left = node;
    return cast;
}

/* char, short, bool and enumerations are int in arithmetic. */
static struct type *promoted_type(struct kc *c, struct type *type)
{
    if (type->kind == TYPE_ENUM)
        type = type->base;
    if (type->kind >= TYPE_BOOL && type->kind < TYPE_INT)
        return c->parser->basic[TYPE_INT];
    return type->plain;
}

struct node *kc_promote(struct kc *c, struct node *node)
{
    struct type *type = node->type;
    if (!kc_is_integer(type))
        return kc_cast_node(c, node, type);
    if (node->kind == NODE_FIELD && node->field->bits >= 0 && node->field->bits < 32)
        return kc_cast_node(c, node, c->parser->basic[TYPE_INT]);
    return kc_cast_node(c, node, promoted_type(c, type));
}

struct type *kc_common_type(struct kc *c, struct type *a, struct type *b)
{
    struct type **basic = c->parser->basic;
    a = promoted_type(c, a->plain);
    b = promoted_type(c, b->plain);
    for (int kind = TYPE_DOUBLE; kind >= TYPE_HALF; kind--)
        if ((int)a->kind == kind || (int)b->kind == kind)
            return basic[kind];
    if (a->size == b->size && kc_is_unsigned(a) != kc_is_unsigned(b)) {
        const bool longest = a->kind >= TYPE_LLONG || b->kind >= TYPE_LLONG;
        return a->size == 4 ? basic[TYPE_UINT] : basic[longest ? TYPE_ULLONG : TYPE_ULONG];
    }
    if (a->size != b->size)
        return a->size > b->size ? a : b;
    return a->kind > b->kind ? a : b;
}

/* ---- how good a conversion is -------------------------------------------------------------------- */

static bool is_zero(const struct node *node)
{
    return node->kind == NODE_NUMBER && kc_is_integer(node->type) && node->constant.integer == 0 &&
           node->type->kind != TYPE_BOOL;
}

static enum rank pointer_rank(struct type *from, struct type *to)
{
    struct type *a = from->base, *b = to->base;
    if ((a->is_const && !b->is_const) || (a->is_volatile && !b->is_volatile))
        return RANK_NONE;
    const bool same_qualifiers = a->is_const == b->is_const && a->is_volatile == b->is_volatile;
    uint64_t offset;
    if (a->plain == b->plain)
        return same_qualifiers ? RANK_EXACT : RANK_QUALIFIED;
    if (b->kind == TYPE_VOID)
        return RANK_VOID;
    if (a->kind == TYPE_RECORD && b->kind == TYPE_RECORD &&
        kc_derives(a->record, b->record, &offset))
        return RANK_CONVERSION;
    if (a->kind == TYPE_POINTER && b->kind == TYPE_POINTER && b->is_const &&
        pointer_rank(a, b) > RANK_CONVERSION)
        return RANK_QUALIFIED;
    if (a->kind == TYPE_ARRAY && b->kind == TYPE_ARRAY && a->base->plain == b->base->plain &&
        (a->count == b->count) && !(a->base->is_const && !b->base->is_const))
        return RANK_QUALIFIED;
    return RANK_NONE;
}

static enum rank scalar_rank(struct kc *c, struct node *node, struct type *from, struct type *to)
{
    if (from == to)
        return RANK_EXACT;
    if (kc_is_arithmetic(from) && kc_is_arithmetic(to)) {
        if (to->kind == TYPE_ENUM || (from->kind == TYPE_ENUM && from->scoped))
            return RANK_NONE;
        if (kc_is_integer(from) && promoted_type(c, from) == to)
            return RANK_PROMOTION;
        if (from->kind == TYPE_FLOAT && to->kind == TYPE_DOUBLE)
            return RANK_PROMOTION;
        return RANK_CONVERSION;
    }
    if (to->kind == TYPE_BOOL && (from->kind == TYPE_POINTER || from->kind == TYPE_NULL))
        return RANK_BOOL;
    if (to->kind == TYPE_POINTER) {
        if (from->kind == TYPE_NULL || is_zero(node))
            return RANK_CONVERSION;
        if (from->kind == TYPE_POINTER)
            return pointer_rank(from, to);
    }
    return RANK_NONE;
}

static struct function *converting_constructor(struct kc *c, struct node *node,
                                               struct record *record)
{
    if (!record->constructor || c->parser->panic)
        return NULL;
    /* One conversion of the user's, not two: constructors are looked at without further ones. */
    for (struct function *f = record->constructor; f; f = f->next)
        if (!f->is_explicit && !f->is_deleted) {
            struct function *candidate = f;
            int least = 0;
            while (least < f->parameters && !f->parameter[least].initial &&
                   !f->parameter[least].is_pack)
                least++;
            if (least > 1 || f->parameters < 1)
                continue;
            if (f->is_template)
                candidate = kc_deduce_call(c, f, NULL, 0, &node, 1, node->place, NULL);
            if (!candidate || candidate->parameters < 1)
                continue;
            struct type *to = kc_unreferenced(candidate->parameter[0].type);
            if (to->kind == TYPE_RECORD && to->record == record)
                continue;
            if (kc_rank(c, node, candidate->parameter[0].type) > RANK_USER)
                return candidate;
        }
    return NULL;
}

static struct function *conversion_function(struct kc *c, struct node *node, struct type *to,
                                            bool explicit_too)
{
    struct type *from = kc_unreferenced(node->type);
    if (from->kind != TYPE_RECORD)
        return NULL;
    struct function *best = NULL;
    for (int b = 0; b < from->record->scope->buckets; b++)
        for (struct symbol *s = from->record->scope->bucket[b]; s; s = s->next)
            for (struct function *f = s->kind == SYMBOL_FUNCTION ? s->function : NULL; f;
                 f = f->next) {
                if (!f->is_conversion || f->is_template || (f->is_explicit && !explicit_too) ||
                    (from->is_const && !f->is_const))
                    continue;
                struct type *result = kc_unreferenced(f->result)->plain;
                if (result == to->plain)
                    return f;
                if (kc_is_arithmetic(result) && kc_is_arithmetic(to))
                    best = f;
                if (result->kind == TYPE_POINTER && to->kind == TYPE_POINTER &&
                    pointer_rank(result, to))
                    best = f;
                if (result->kind == TYPE_POINTER && to->kind == TYPE_BOOL)
                    best = best ? best : f;
            }
    (void)c;
    return best;
}

static enum rank record_rank(struct kc *c, struct node *node, struct type *from, struct type *to)
{
    uint64_t offset;
    if (from == to)
        return RANK_EXACT;
    if (from->kind == TYPE_RECORD && to->kind == TYPE_RECORD &&
        kc_derives(from->record, to->record, &offset))
        return RANK_CONVERSION;
    if (to->kind == TYPE_RECORD && kc_complete(c, to, node->place) &&
        converting_constructor(c, node, to->record))
        return RANK_USER;
    if (from->kind == TYPE_RECORD && conversion_function(c, node, to, false))
        return RANK_USER;
    if (from->kind == TYPE_RECORD && from->record->is_lambda && to->kind == TYPE_POINTER &&
        kc_lambda_pointer(c, node, to))
        return RANK_USER;
    return RANK_NONE;
}

static enum rank braces_rank(struct kc *c, struct node *node, struct type *to)
{
    to = to->plain;
    if (to->kind == TYPE_RECORD) {
        const bool failed = c->failed;
        c->failed = false;
        c->quiet++;
        kc_from_braces(c, to, node);
        const bool good = !c->failed;
        c->quiet--;
        c->failed = failed;
        return good ? RANK_USER : RANK_NONE;
    }
    if (to->kind == TYPE_ARRAY)
        return node->count <= to->count || to->count < 0 ? RANK_CONVERSION : RANK_NONE;
    return node->count == 0   ? RANK_CONVERSION
           : node->count == 1 ? kc_rank(c, node->list[0], to)
                              : RANK_NONE;
}

/* Whether two types differ at most in const; for arrays, in that of their elements. */
static bool is_same(const struct type *a, const struct type *b)
{
    while (a->kind == TYPE_ARRAY && b->kind == TYPE_ARRAY && a->count == b->count) {
        a = a->base;
        b = b->base;
    }
    return a->plain == b->plain;
}

static enum rank reference_rank(struct kc *c, struct node *node, struct type *to)
{
    struct type *base = to->base, *from = kc_unreferenced(node->type);
    const bool place = node->is_place && !node->is_moved;
    uint64_t offset;
    const bool same = is_same(from, base);
    const bool derived = from->kind == TYPE_RECORD && base->kind == TYPE_RECORD && !same &&
                         kc_derives(from->record, base->record, &offset);
    if (from->kind == TYPE_OVERLOAD && base->kind == TYPE_FUNCTION)
        return RANK_EXACT;
    if (same || derived) {
        const bool loses =
            (from->is_const && !base->is_const) || (from->is_volatile && !base->is_volatile);
        if (to->kind == TYPE_REFERENCE ? !loses && (place || base->is_const) : !place && !loses) {
            if (derived)
                return RANK_CONVERSION;
            return from->is_const == base->is_const && (to->kind == TYPE_RVALUE || place)
                       ? RANK_EXACT
                       : RANK_QUALIFIED;
        }
        return RANK_NONE;
    }
    if (to->kind == TYPE_REFERENCE && !base->is_const)
        return RANK_NONE;
    enum rank rank = kc_rank(c, node, base->plain);
    return rank == RANK_EXACT ? RANK_QUALIFIED : rank;
}

enum rank kc_rank(struct kc *c, struct node *node, struct type *to)
{
    if (node->type->kind == TYPE_ERROR || to->kind == TYPE_ERROR)
        return RANK_CONVERSION;
    if (!kc_enter(c, node->place)) {
        kc_leave(c);
        return RANK_NONE;
    }
    enum rank rank = RANK_NONE;
    struct type *from = kc_value_type(c, node);
    if (node->kind == NODE_BRACES)
        rank = braces_rank(c, node, kc_unreferenced(to));
    else if (kc_is_reference(to))
        rank = reference_rank(c, node, to);
    else if (from->kind == TYPE_OVERLOAD) {
        if (to->kind == TYPE_POINTER && to->base->kind == TYPE_FUNCTION)
            for (struct function *f = node->function; f; f = f->next)
                if (f->is_template || kc_type_of_function(c, f)->parameters == to->base->parameters)
                    rank = RANK_EXACT;
    } else if (from->kind == TYPE_RECORD || to->kind == TYPE_RECORD)
        rank = record_rank(c, node, from, to->plain);
    else
        rank = scalar_rank(c, node, from, to->plain);
    kc_leave(c);
    return rank;
}

/* ---- converting --------------------------------------------------------------------------------- */

struct node *kc_to_base(struct kc *c, struct node *node, struct type *to, uint64_t offset)
{
    struct node *base = kc_new_node(c, NODE_BASE, node->place,
                                    kc_qualified(c, to->plain, node->type->is_const, false));
    base->left = node;
    base->offset = offset;
    base->is_place = true;
    base->is_moved = node->is_moved || !node->is_place;
    return base;
}

/* The one function of an overload set that a pointer's type asks for. */
static struct node *chosen_function(struct kc *c, struct node *node, struct type *to)
{
    for (struct function *f = node->function; f; f = f->next) {
        struct function *candidate = f;
        if (f->is_template) {
            struct argument found[32] = {0};
            bool good = f->parameters == to->base->parameters;
            for (int i = 0; i < node->arguments && i < 32; i++)
                found[i] = node->argument[i];
            for (int i = 0; good && i < f->parameters; i++)
                good = kc_deduce(c, f->parameter[i].type, to->base->parameter[i], found, 32);
            if (!good)
                continue;
            candidate = kc_instantiate_function(c, f, found, f->template->parameters, node->place);
        }
        if (!candidate || kc_type_of_function(c, candidate) != to->base)
            continue;
        struct node *address = kc_new_node(c, NODE_FUNCTION, node->place, to);
        address->function = candidate;
        kc_take_address(c, candidate, node->place);
        return address;
    }
    kc_error(c, node->place, "no function '%.*s' has type '%s'", SLICE(node->function->name->text),
             kc_type_text(c, to));
    return kc_error_node(c);
}

static struct node *not_convertible(struct kc *c, struct node *node, struct type *to,
                                    const char *what)
{
    struct type *from = node->type, *base = kc_unreferenced(to);
    if (kc_is_reference(to) && from->plain == base->plain && from->is_const && !base->is_const)
        kc_error(c, node->place, "%s '%s' with a const '%s': const would be lost", what,
                 kc_type_text(c, to), kc_type_text(c, from->plain));
    else if (to->kind == TYPE_REFERENCE && from->plain == base->plain)
        kc_error(c, node->place, "%s '%s' with a value that is no variable", what,
                 kc_type_text(c, to));
    else if (from->kind == TYPE_POINTER && to->kind == TYPE_POINTER &&
             from->base->plain == to->base->plain)
        kc_error(c, node->place, "%s '%s' with '%s': const would be lost", what,
                 kc_type_text(c, to), kc_type_text(c, from));
    else
        kc_error(c, node->place, "%s '%s' with a value of type '%s'", what, kc_type_text(c, to),
                 kc_type_text(c, from));
    return kc_error_node(c);
}

/* What is left of an object for a reference to bind to. */
static struct node *bound(struct kc *c, struct node *node, struct type *to)
{
    struct type *base = to->base, *from = kc_unreferenced(node->type);
    uint64_t offset;
    if (from->kind == TYPE_OVERLOAD)
        return kc_deref(c, chosen_function(c, node, kc_pointer(c, base)), node->place);
    if (from->plain == base->plain || from->kind == TYPE_ARRAY)
        return node;
    if (from->kind == TYPE_RECORD && base->kind == TYPE_RECORD &&
        kc_derives(from->record, base->record, &offset))
        return kc_to_base(c, node, base, offset);
    return NULL;
}

static struct node *record_conversion(struct kc *c, struct node *node, struct type *to)
{
    struct type *from = kc_unreferenced(node->type);
    uint64_t offset;
    if (from->kind == TYPE_RECORD && to->kind == TYPE_RECORD &&
        kc_derives(from->record, to->record, &offset))
        return kc_cast_node(c, kc_to_base(c, node, to, offset), to);
    if (to->kind == TYPE_RECORD && converting_constructor(c, node, to->record))
        return kc_construct(c, to, &node, 1, false, node->place);
    if (from->kind == TYPE_RECORD && from->record->is_lambda && to->kind == TYPE_POINTER)
        return kc_lambda_pointer(c, node, to);
    struct function *function = conversion_function(c, node, to, to->kind == TYPE_BOOL);
    if (function)
        return kc_convert(c, kc_call_function(c, function, node, NULL, 0, node->place), to,
                          "cannot initialise");
    return NULL;
}

struct node *kc_convert(struct kc *c, struct node *node, struct type *to, const char *what)
{
    struct type *from = node->type;
    if (from->kind == TYPE_ERROR || to->kind == TYPE_ERROR || kc_is_dependent(to))
        return kc_error_node(c);
    if (node->kind == NODE_BRACES) {
        if (!kc_is_reference(to))
            return kc_from_braces(c, to, node);
        return kc_from_braces(c, to->base->plain, node);
    }
    if (node->kind == NODE_TYPE) {
        kc_error(c, node->place, "'%s' is a type where a value is needed",
                 kc_type_text(c, node->as));
        return kc_error_node(c);
    }
    if (kc_rank(c, node, to) == RANK_NONE)
        return not_convertible(c, node, to, what);
    if (kc_is_reference(to)) {
        struct node *same = bound(c, node, to);
        if (same)
            return same;
        to = to->base->plain;
    }
    if (from->kind == TYPE_OVERLOAD)
        return chosen_function(c, node, to);
    if (from->kind == TYPE_RECORD || to->kind == TYPE_RECORD) {
        if (from->plain == to->plain)
            return kc_construct(c, to, &node, 1, false, node->place);
        struct node *converted = record_conversion(c, node, to);
        return converted ? converted : not_convertible(c, node, to, what);
    }
    return kc_cast_node(c, kc_decay(c, node), to);
}

struct node *kc_as_number(struct kc *c, struct node *node)
{
    if (node->type->kind != TYPE_RECORD || !kc_complete(c, node->type, node->place))
        return node;
    struct function *function = conversion_function(c, node, c->parser->basic[TYPE_INT], false);
    return function ? kc_call_function(c, function, node, NULL, 0, node->place) : node;
}

/* ---- casts that are written ---------------------------------------------------------------------- */

static bool castable(const struct type *from, const struct type *to)
{
    if (kc_is_arithmetic(from) && kc_is_arithmetic(to))
        return true;
    const bool from_word =
        from->kind == TYPE_POINTER || from->kind == TYPE_NULL || kc_is_integer(from);
    const bool to_word = to->kind == TYPE_POINTER || kc_is_integer(to);
    return from_word && to_word;
}

struct node *kc_cast(struct kc *c, struct node *node, struct type *to, struct place place)
{
    if (node->type->kind == TYPE_ERROR || to->kind == TYPE_ERROR || kc_is_dependent(to))
        return kc_error_node(c);
    if (node->kind == NODE_BRACES)
        return kc_from_braces(c, to, node);
    if (to->kind == TYPE_VOID)
        return node->type->kind == TYPE_VOID
                   ? node
                   : kc_cast_node(c, node->type->kind == TYPE_OVERLOAD ? kc_decay(c, node) : node,
                                  to);
    if (kc_is_reference(to)) {
        struct type *base = to->base, *from = kc_unreferenced(node->type);
        uint64_t offset;
        struct node *view = kc_new_node(c, NODE_BASE, place, base);
        view->left = node;
        view->is_place = true;
        view->is_moved = to->kind == TYPE_RVALUE;
        if (from->plain == base->plain) {
            view->kind = NODE_BASE;
            return view;
        }
        if (from->kind == TYPE_RECORD && base->kind == TYPE_RECORD &&
            kc_derives(from->record, base->record, &offset)) {
            view->offset = offset;
            return view;
        }
        if (!node->is_place)
            return kc_convert(c, node, to, "cannot cast to");
        /* another type's eyes: *(T *)&x */
        return kc_deref(c, kc_cast(c, kc_address(c, node, place), kc_pointer(c, base), place),
                        place);
    }
    if (kc_rank(c, node, to) != RANK_NONE && node->type->kind != TYPE_OVERLOAD &&
        (to->kind == TYPE_RECORD || node->type->kind == TYPE_RECORD))
        return kc_convert(c, node, to, "cannot cast to");
    if (to->kind == TYPE_RECORD)
        return kc_construct(c, to, &node, 1, false, place);
    if (node->type->kind == TYPE_RECORD) {
        struct function *function = conversion_function(c, node, to, true);
        if (function)
            return kc_cast(c, kc_call_function(c, function, node, NULL, 0, place), to, place);
    }
    if (node->type->kind == TYPE_OVERLOAD && to->kind == TYPE_POINTER)
        return kc_convert(c, node, to, "cannot cast to");
    struct node *value = kc_decay(c, node);
    struct type *from = value->type->plain;
    to = to->plain;
    uint64_t offset;
    if (from->kind == TYPE_POINTER && to->kind == TYPE_POINTER && from->base->kind == TYPE_RECORD &&
        to->base->kind == TYPE_RECORD && from->base->plain != to->base->plain &&
        kc_derives(to->base->record, from->base->record, &offset) && offset) {
        struct type *byte = kc_pointer(c, c->parser->basic[TYPE_CHAR]);
        value = kc_binary(c, '-', kc_cast_node(c, value, byte),
                          kc_integer_node(c, (int64_t)offset, c->parser->basic[TYPE_LONG], place),
                          place);
        return kc_cast_node(c, value, to);
    }
    if (!castable(from, to)) {
        if (from->kind != TYPE_ERROR)
            kc_error(c, place, "'%s' cannot be cast to '%s'", kc_type_text(c, from),
                     kc_type_text(c, to));
        return kc_error_node(c);
    }
    return kc_cast_node(c, value, to);
}

struct node *kc_condition_value(struct kc *c, struct node *node)
{
    struct type *boolean = c->parser->basic[TYPE_BOOL];
    if (node->type->kind == TYPE_ERROR)
        return node;
    if (node->type->kind == TYPE_RECORD && kc_complete(c, node->type, node->place)) {
        /* Here, and nowhere else unasked, a class may convert by an `explicit operator bool`. */
        struct function *function = conversion_function(c, node, boolean, true);
        if (function)
            return kc_convert(c, kc_call_function(c, function, node, NULL, 0, node->place), boolean,
                              "a condition cannot be made; it is");
    }
    if (node->type->kind == TYPE_RECORD || node->kind == NODE_BRACES || node->kind == NODE_TYPE)
        return kc_convert(c, node, boolean, "a condition cannot be made; it is");
    struct node *value = kc_decay(c, node);
    if (!kc_is_scalar(value->type)) {
        if (value->type->kind != TYPE_ERROR)
            kc_error(c, node->place, "a value of type '%s' is no condition",
                     kc_type_text(c, node->type));
        return kc_error_node(c);
    }
    return kc_cast_node(c, value, boolean);
}
