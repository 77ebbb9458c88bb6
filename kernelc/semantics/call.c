/* call.c - calls: default arguments, operators, constructors. */
#include "kernelc/parser.h"

static bool is_error(const struct node *node)
{
    return node->type->kind == TYPE_ERROR;
}

/* ---- calls of a known function ------------------------------------------------------------------ */

static struct node *default_value(struct kc *c, struct function *function, int i)
{
    struct moment moment = kc_moment(c);
    struct parser *p = c->parser;
    p->at = function->parameter[i].initial;
    p->scope = function->scope;
    p->no_greater = p->in_pattern = false;
    struct node *node = kc_at(c, '{') ? kc_braces(c) : kc_assignment(c);
    kc_back(c, moment);
    return node;
}

static bool may_call(struct kc *c, struct function *function, struct place place)
{
    const struct function *caller = c->parser->function;
    if (!caller || !caller->is_device || c->parser->unevaluated || function->is_device ||
        function->is_constexpr || function->is_ours ||
        (function->record && function->record->is_lambda) || function->is_defaulted)
        return true;
    kc_error(c, place, "'%s' is a function of the host: device code needs __device__ before it",
             kc_function_text(c, function));
    return false;
}

/* What stands for further arguments of printf and the like. */
static struct node *variadic_argument(struct kc *c, struct node *node)
{
    node = kc_decay(c, node);
    if (node->type->kind == TYPE_FLOAT || node->type->kind == TYPE_HALF ||
        node->type->kind == TYPE_BF16)
        return kc_cast_node(c, node, c->parser->basic[TYPE_DOUBLE]);
    if (kc_is_integer(node->type))
        return kc_promote(c, node);
    if (!is_error(node) && !kc_is_scalar(node->type)) {
        kc_error(c, node->place, "'%s' cannot be an argument after ...",
                 kc_type_text(c, node->type));
        return kc_error_node(c);
    }
    return kc_cast_node(c, node, node->type);
}

static void convert_arguments(struct kc *c, struct function *function, struct node **list,
                              int count, struct node *call)
{
    int room = 0;
    const char *name =
        function->name ? kc_text(c, "%.*s", SLICE(function->name->text)) : "constructor";
    for (int i = 0; i < count || i < function->parameters; i++) {
        struct node *node;
        if (i >= function->parameters)
            node = variadic_argument(c, list[i]);
        else if (function->parameter[i].type->kind == TYPE_VOID)
            continue;
        else {
            if (i >= count && !function->parameter[i].initial)
                break;
            node = kc_convert(c, i < count ? list[i] : default_value(c, function, i),
                              function->parameter[i].type,
                              kc_text(c, "argument %d of '%s' is", i + 1, name));
        }
        kc_list_add(c, &call->list, &call->count, &room, node);
    }
}

static bool has_error(const struct node *call)
{
    for (int i = 0; i < call->count; i++)
        if (is_error(call->list[i]))
            return true;
    return false;
}

struct node *kc_call_function(struct kc *c, struct function *function, struct node *object,
                              struct node **list, int count, struct place place)
{
    if (function->is_global) {
        kc_error(c, place, "'%s' is a kernel: it is launched, not called",
                 kc_function_text(c, function));
        return kc_error_node(c);
    }
    if (!may_call(c, function, place))
        return kc_error_node(c);
    struct node *call = kc_new_node(c, NODE_CALL, place, c->parser->basic[TYPE_ERROR]);
    call->function = function;
    call->object = function->record && !function->is_static ? object : NULL;
    convert_arguments(c, function, list, count, call);
    if (has_error(call))
        return kc_error_node(c);
    struct type *result = kc_result(c, function, place);
    call->type = kc_unreferenced(result);
    if (!kc_is_reference(result) && call->type->kind != TYPE_RECORD)
        call->type = call->type->plain;
    call->is_place = kc_is_reference(result);
    call->is_moved = result->kind == TYPE_RVALUE;
    call->as = result;
    if (call->type->kind == TYPE_RECORD && !kc_complete(c, call->type, place))
        return kc_error_node(c);
    if (!c->parser->unevaluated)
        kc_need_body(c, function);
    return call;
}

static struct node *call_pointer(struct kc *c, struct node *callee, struct node **list, int count,
                                 struct place place)
{
    struct node *value = kc_decay(c, callee);
    struct type *type = value->type;
    if (is_error(value))
        return value;
    if (type->kind != TYPE_POINTER || type->base->kind != TYPE_FUNCTION) {
        kc_error(c, place, "'%s' is no function: it cannot be called",
                 kc_type_text(c, callee->type));
        return kc_error_node(c);
    }
    type = type->base;
    if (count != type->parameters) {
        kc_error(c, place, "'%s' takes %d arguments, not %d", kc_type_text(c, type),
                 type->parameters, count);
        return kc_error_node(c);
    }
    struct node *call = kc_new_node(c, NODE_CALL, place, kc_unreferenced(type->base));
    call->left = kc_cast_node(c, value, value->type);
    call->as = type->base;
    call->is_place = kc_is_reference(type->base);
    int room = 0;
    for (int i = 0; i < count; i++)
        kc_list_add(
            c, &call->list, &call->count, &room,
            kc_convert(c, list[i], type->parameter[i], kc_text(c, "argument %d is", i + 1)));
    return has_error(call) ? kc_error_node(c) : call;
}

/* Functions found by the namespaces of their arguments' classes. */
static struct function *found_by_arguments(struct kc *c, struct word *name, struct node **list,
                                           int count, struct place place)
{
    for (int i = 0; i < count; i++) {
        struct type *type = kc_unreferenced(list[i]->type);
        if (type->kind == TYPE_POINTER)
            type = type->base;
        struct scope *scope = type->kind == TYPE_RECORD ? type->record->scope
                              : type->kind == TYPE_ENUM ? type->scope
                                                        : NULL;
        while (scope && !scope->is_namespace)
            scope = scope->outer;
        struct symbol *symbol = scope ? kc_find_in(c, scope, name) : NULL;
        if (!symbol || symbol->kind != SYMBOL_FUNCTION)
            continue;
        struct function *found =
            kc_find_overload(c, symbol->function, NULL, list, count, NULL, 0, place, false);
        if (found)
            return found;
    }
    return NULL;
}

/* The object that a method called by its bare name works on: *this, or of the class outside of a lambda. */
static struct node *implied_object(struct kc *c, struct function *first, struct place place)
{
    struct parser *p = c->parser;
    struct function *caller = p->function;
    uint64_t offset;
    if (!caller || !caller->record || caller->is_static || !caller->self)
        return NULL;
    struct node *object = kc_new_node(c, NODE_THIS, place, caller->self->type->base);
    object->variable = caller->self;
    object->is_place = true;
    if (caller->record->is_lambda) {
        struct field *field = kc_find_field(caller->record, p->word_this, &offset);
        if (!field)
            return NULL;
        object = kc_field(c, object, field, offset, place);
    }
    if (object->type->kind == TYPE_RECORD &&
        kc_derives(object->type->record, first->record, &offset))
        return object;
    return NULL;
}

static struct node *as_base(struct kc *c, struct node *object, struct function *function)
{
    uint64_t offset;
    if (!object || !function->record || object->type->kind != TYPE_RECORD ||
        object->type->record == function->record)
        return object;
    if (!kc_derives(object->type->record, function->record, &offset))
        return object;
    struct node *base =
        kc_new_node(c, NODE_BASE, object->place,
                    kc_qualified(c, function->record->type, object->type->is_const, false));
    base->left = object;
    base->offset = offset;
    base->is_place = true;
    return base;
}

void kc_missing_arguments(struct kc *c, const struct node *node)
{
    kc_error(c, node->place, "'%.*s' is a function: its arguments are missing, as in %.*s()",
             SLICE(node->function->name->text), SLICE(node->function->name->text));
}

struct node *kc_one_function(struct kc *c, struct node *node)
{
    if (node->type->kind != TYPE_OVERLOAD)
        return node;
    node = kc_decay(c, node);
    if (node->type->kind != TYPE_OVERLOAD)
        return node;
    kc_missing_arguments(c, node);
    return kc_error_node(c);
}

static struct node *call_overload(struct kc *c, struct node *callee, struct node **list, int count,
                                  struct place place)
{
    struct function *first = callee->function;
    struct node *object = callee->object;
    if (!object && callee->post)
        object = implied_object(c, first, place);
    struct function *function = NULL;
    if (!callee->object && !callee->arguments && !first->record) {
        function = kc_find_overload(c, first, NULL, list, count, NULL, 0, callee->place, false);
        if (!function)
            function = found_by_arguments(c, first->name, list, count, place);
    }
    if (!function)
        function = kc_find_overload(c, first, object, list, count, callee->argument,
                                    callee->arguments, callee->place, true);
    if (!function)
        return kc_error_node(c);
    if (function->record && !function->is_static && !object && !function->is_constructor) {
        kc_error(c, callee->place, "'%s' needs an object", kc_function_text(c, function));
        return kc_error_node(c);
    }
    return kc_call_function(c, function, as_base(c, object, function), list, count, callee->place);
}

/* Pair(1, 2.0f): each parameter of the template is the type of an argument. */
static struct type *deduced_class(struct kc *c, struct template *template, struct node **list,
                                  int count, struct place place)
{
    struct argument argument[32] = {0};
    int given = 0;
    for (int i = 0; i < template->parameters && i < count && i < 32; i++) {
        if (template->parameter[i].is_value)
            break;
        argument[given++].type = kc_value_type(c, list[i]);
    }
    return kc_instantiate_class(c, template, argument, given, place);
}

struct node *kc_call(struct kc *c, struct node *callee, struct node **list, int count,
                     struct place place)
{
    if (is_error(callee))
        return callee;
    for (int i = 0; i < count; i++)
        if (is_error(list[i]))
            return list[i];
    if (callee->kind == NODE_TYPE) {
        struct type *type = callee->as;
        if (type->kind == TYPE_INSTANCE)
            type = deduced_class(c, type->template, list, count, place);
        return kc_construct(c, type, list, count, false, callee->place);
    }
    if (callee->type->kind == TYPE_OVERLOAD)
        return call_overload(c, callee, list, count, place);
    if (callee->type->kind == TYPE_RECORD)
        return kc_call_member(c, callee, c->parser->call_word, list, count, place);
    return call_pointer(c, callee, list, count, place);
}

/* ---- operators and members ---------------------------------------------------------------------- */

struct node *kc_call_member(struct kc *c, struct node *object, struct word *name,
                            struct node **list, int count, struct place place)
{
    struct type *type = kc_unreferenced(object->type);
    struct symbol *symbol = type->kind == TYPE_RECORD && kc_complete(c, type, place)
                                ? kc_find_in(c, type->record->scope, name)
                                : NULL;
    if (!symbol || symbol->kind != SYMBOL_FUNCTION) {
        if (!is_error(object))
            kc_error(c, place, "'%s' has no '%.*s'", kc_type_text(c, type), SLICE(name->text));
        return kc_error_node(c);
    }
    struct function *function =
        kc_find_overload(c, symbol->function, object, list, count, NULL, 0, place, true);
    return function
               ? kc_call_function(c, function, as_base(c, object, function), list, count, place)
               : kc_error_node(c);
}

static struct word *operator_word(struct kc *c, int sign)
{
    static const char *const long_signs[] = {
        "->", "::", "...", "++", "--", "<<", ">>", "<=", ">=", "==",  "!=", "&&",
        "||", "+=", "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    struct word **known = &c->parser->operator_word[sign % 512];
    if (!*known)
        *known = sign >= SIGN_ARROW
                     ? kc_word_of(c, kc_text(c, "operator%s", long_signs[sign - SIGN_ARROW]))
                     : kc_word_of(c, kc_text(c, "operator%c", sign));
    return *known;
}

static struct node *free_operator(struct kc *c, struct word *word, struct node **list, int count,
                                  struct place place)
{
    struct function *function = NULL;
    struct scope *scope = c->parser->scope;
    for (; scope && !function; scope = scope->outer) {
        struct symbol *symbol = kc_find_in(c, scope, word);
        if (symbol && symbol->kind == SYMBOL_FUNCTION && !symbol->function->record)
            function =
                kc_find_overload(c, symbol->function, NULL, list, count, NULL, 0, place, false);
    }
    if (!function)
        function = found_by_arguments(c, word, list, count, place);
    return function ? kc_call_function(c, function, NULL, list, count, place) : NULL;
}

struct node *kc_call_operator(struct kc *c, int sign, struct node *left, struct node *right,
                              struct place place)
{
    struct word *word = operator_word(c, sign);
    struct node *list[2] = {left, right};
    struct type *type = kc_unreferenced(left->type);
    if (type->kind == TYPE_RECORD && kc_complete(c, type, place)) {
        struct symbol *symbol = kc_find_in(c, type->record->scope, word);
        if (symbol && sign == '=' && symbol->scope != type->record->scope)
            symbol = NULL; /* a base's is not its own */
        if (symbol && symbol->kind == SYMBOL_FUNCTION) {
            struct function *function = kc_find_overload(c, symbol->function, left, &right,
                                                         right != NULL, NULL, 0, place, false);
            if (function)
                return kc_call_function(c, function, as_base(c, left, function), &right,
                                        right != NULL, place);
        }
    }
    return sign == '=' ? NULL : free_operator(c, word, list, right ? 2 : 1, place);
}

/* ---- construction ------------------------------------------------------------------------------- */

static struct node *made(struct kc *c, struct type *type, struct function *constructor,
                         struct node **list, int count, struct place place)
{
    struct node *node = kc_new_node(c, NODE_MAKE, place, type->plain);
    if (!may_call(c, constructor, place))
        return kc_error_node(c);
    kc_ends(c, type, place);
    node->function = constructor;
    convert_arguments(c, constructor, list, count, node);
    if (has_error(node))
        return kc_error_node(c);
    kc_need_body(c, constructor);
    return node;
}

static bool only_defaulted(const struct record *record)
{
    for (const struct function *f = record->constructor; f; f = f->next)
        if (!f->is_defaulted && !f->is_deleted)
            return false;
    return true;
}

static struct node *construct_record(struct kc *c, struct type *type, struct node **list, int count,
                                     bool braces, struct place place)
{
    struct record *record = type->record;
    uint64_t offset;
    if (count == 1 && kc_unreferenced(list[0]->type)->kind == TYPE_RECORD) {
        struct record *from = kc_unreferenced(list[0]->type)->record;
        if (from == record && !list[0]->is_place && !list[0]->is_moved) /* made in its place */
            return kc_cast_node(c, list[0], type);
        /* Copies are made leaf by leaf, unless there is a constructor for them. */
        bool copies = false;
        for (struct function *f = record->constructor; f; f = f->next)
            if (f->parameters == 1 && !f->is_defaulted && !f->is_template &&
                kc_unreferenced(f->parameter[0].type)->plain == type->plain && f->body &&
                from == record)
                copies = kc_rank(c, list[0], f->parameter[0].type) != RANK_NONE || copies;
        if (!copies && kc_derives(from, record, &offset)) {
            if (!kc_copies_plainly(c, record, false, place))
                return kc_error_node(c);
            if (from == record)
                return kc_cast_node(c, list[0], type);
            return kc_convert(c, list[0], type, "cannot make");
        }
    }
    if (record->constructor && !only_defaulted(record)) {
        struct function *constructor =
            kc_find_overload(c, record->constructor, NULL, list, count, NULL, 0, place, false);
        if (!constructor && count == 1) { /* by a conversion of the argument */
            struct type *from = kc_unreferenced(list[0]->type);
            if (from->kind == TYPE_RECORD && from->record != record &&
                kc_rank(c, list[0], type) != RANK_NONE)
                return kc_convert(c, list[0], type, "cannot make");
        }
        if (!constructor)
            constructor =
                kc_find_overload(c, record->constructor, NULL, list, count, NULL, 0, place, true);
        return constructor ? made(c, type, constructor, list, count, place) : kc_error_node(c);
    }
    if (count == 0)
        return kc_default(c, type, place, true);
    (void)braces;
    if (count == 1 && kc_unreferenced(list[0]->type)->kind == TYPE_RECORD &&
        kc_rank(c, list[0], type) != RANK_NONE)
        return kc_convert(c, list[0], type, "cannot make");
    /* an aggregate in parentheses */
    struct node *all = kc_new_node(c, NODE_BRACES, place, c->parser->list);
    all->list = list;
    all->count = count;
    return kc_from_braces(c, type, all);
}

/* T(a, b), T{...} with a constructor, T x(a, b) */
struct node *kc_construct(struct kc *c, struct type *type, struct node **list, int count,
                          bool braces, struct place place)
{
    if (type->kind == TYPE_ERROR || kc_is_dependent(type))
        return kc_error_node(c);
    if (kc_is_reference(type)) {
        if (count == 1)
            return kc_convert(c, list[0], type, "cannot initialise");
        kc_error(c, place, "a reference refers to one thing");
        return kc_error_node(c);
    }
    if (type->kind == TYPE_RECORD) {
        if (!kc_complete(c, type, place))
            return kc_error_node(c);
        return construct_record(c, type, list, count, braces, place);
    }
    if (count == 0)
        return kc_default(c, type, place, true);
    if (count > 1) {
        kc_error(c, place, "'%s' has one value, not %d", kc_type_text(c, type), count);
        return kc_error_node(c);
    }
    if (type->kind == TYPE_AUTO)
        return list[0];
    return kc_cast(c, list[0], type, place);
}
