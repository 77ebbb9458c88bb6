/* primary.c - what expressions are made of: constants, names, parentheses, casts by name, folds. */
#include "kernelc/parser.h"

struct node *kc_integer_node(struct kc *c, int64_t value, struct type *type, struct place place)
{
    struct node *node = kc_new_node(c, NODE_NUMBER, place, type);
    node->constant.integer = value;
    return node;
}

/* ---- constants ---------------------------------------------------------------------------------- */

static struct type *integer_type(struct kc *c, const struct number *number)
{
    struct type **basic = c->parser->basic;
    const bool any = !number->decimal; /* hexadecimal ones may be unsigned without a suffix */
    const uint64_t value = number->integer;
    if (number->longs == 0) {
        if (!number->is_unsigned && value <= INT32_MAX)
            return basic[TYPE_INT];
        if ((number->is_unsigned || any) && value <= UINT32_MAX)
            return basic[TYPE_UINT];
    }
    if (!number->is_unsigned && value <= INT64_MAX)
        return basic[number->longs == 2 ? TYPE_LLONG : TYPE_LONG];
    return basic[number->longs == 2 ? TYPE_ULLONG : TYPE_ULONG];
}

static struct node *number_node(struct kc *c, const struct token *token)
{
    struct number number;
    if (!kc_number(c, token, &number))
        return kc_error_node(c);
    if (!number.is_float)
        return kc_integer_node(c, (int64_t)number.integer, integer_type(c, &number), token->place);
    struct node *node =
        kc_new_node(c, NODE_NUMBER, token->place,
                    c->parser->basic[number.suffix == 'f' ? TYPE_FLOAT : TYPE_DOUBLE]);
    node->constant.is_float = true;
    node->constant.real = number.suffix == 'f' ? (double)(float)number.real : number.real;
    return node;
}

static struct node *string_node(struct kc *c, const struct token *token)
{
    struct slice bytes = kc_string(c, token);
    struct type *type =
        kc_array(c, kc_qualified(c, c->parser->basic[TYPE_CHAR], true, false), bytes.length + 1);
    struct node *node = kc_new_node(c, NODE_STRING, token->place, type);
    node->text = bytes;
    node->is_place = true;
    return node;
}

/* ---- names -------------------------------------------------------------------------------------- */

static struct node *this_object(struct kc *c, struct place place)
{
    struct function *function = c->parser->function;
    if (!function || !function->record || function->is_static || !function->self) {
        /* the initialiser of a member, where there is none yet */
        struct scope *scope = c->parser->scope;
        while (scope && !scope->record)
            scope = scope->outer;
        if (!scope) {
            kc_error(c, place, "there is no 'this' outside of a method");
            return kc_error_node(c);
        }
        struct node *node = kc_new_node(c, NODE_THIS, place, scope->record->type);
        node->is_place = true;
        return node;
    }
    struct node *node = kc_new_node(c, NODE_THIS, place, function->self->type->base);
    node->variable = function->self;
    node->is_place = true;
    return node;
}

/* In a lambda the captured object's members are reached by its first field. */
static struct node *enclosing_object(struct kc *c, const struct record *wanted, struct place place)
{
    struct node *object = this_object(c, place);
    uint64_t offset;
    if (object->type->kind == TYPE_RECORD && object->type->record->is_lambda &&
        !wanted->is_lambda) {
        struct field *field = kc_find_field(object->type->record, c->parser->word_this, &offset);
        if (field)
            return kc_field(c, object, field, offset, place);
    }
    return object;
}

/* A member of the object's class or of one of its bases, whatever hides it there. NULL: it is of another class. */
struct node *kc_member_of(struct kc *c, struct node *object, struct symbol *symbol,
                          struct place place)
{
    struct record *owner = symbol->scope->record;
    uint64_t offset = 0;
    struct type *type = kc_unreferenced(object->type);
    if (type->kind != TYPE_RECORD || !owner || !kc_derives(type->record, owner, &offset))
        return NULL;
    if (owner != type->record)
        object = kc_to_base(c, object, owner->type, offset);
    struct field *field = kc_find_field(owner, symbol->name, &offset);
    return field ? kc_field(c, object, field, offset, place) : NULL;
}

static struct node *member_of_this(struct kc *c, struct symbol *symbol, struct place place)
{
    struct node *object = enclosing_object(c, symbol->scope->record, place);
    if (object->type->kind != TYPE_RECORD)
        return object;
    struct node *member = kc_member_of(c, object, symbol, place);
    if (member)
        return member;
    kc_error(c, place, "'%.*s' is a member of a class that has no object here",
             SLICE(symbol->name->text));
    return kc_error_node(c);
}

/* A variable of the function outside of a lambda is a capture of the lambda. */
static struct node *captured(struct kc *c, struct variable *variable, struct place place)
{
    struct function *function = c->parser->function;
    if (!function || !function->record || !function->record->is_lambda ||
        variable->function == function || !variable->function || variable->is_static)
        return NULL;
    struct scope *scope = function->record->scope;
    struct symbol *symbol = kc_find_in(c, scope, variable->name);
    if (!symbol || symbol->kind != SYMBOL_FIELD)
        return NULL;
    struct node *object = this_object(c, place);
    return kc_field(c, object, symbol->field, symbol->field->offset, place);
}

static struct node *variable_node(struct kc *c, struct variable *variable, struct place place)
{
    struct parser *p = c->parser;
    struct node *node = captured(c, variable, place);
    if (node)
        return node;
    const struct function *function = p->function;
    if (variable->function && function && variable->function != function && !variable->is_static &&
        !p->unevaluated && !variable->is_constexpr &&
        !(variable->type->is_const && kc_is_integer(variable->type) && variable->initial)) {
        kc_error(c, place,
                 function->record && function->record->is_lambda
                     ? "'%.*s' is not captured by the lambda"
                     : "'%.*s' belongs to another function",
                 SLICE(variable->name->text));
        return kc_error_node(c);
    }
    struct type *type = variable->type ? variable->type : p->basic[TYPE_ERROR];
    if (type->kind == TYPE_AUTO) {
        kc_error(c, place, "'%.*s' is used in its own initialiser", SLICE(variable->name->text));
        return kc_error_node(c);
    }
    const bool constant =
        variable->is_constexpr || (type->is_const && kc_is_arithmetic(type) && variable->initial);
    if (variable->is_host && function && function->is_device && !constant && !p->unevaluated &&
        !(type->kind == TYPE_ARRAY && type->base->is_const && variable->initial) &&
        !(type->kind == TYPE_RECORD && type->is_const)) {
        kc_error(c, place,
                 "'%.*s' is a variable of the host: device code needs __device__ or __constant__ "
                 "before it",
                 SLICE(variable->name->text));
        return kc_error_node(c);
    }
    node = kc_new_node(c, NODE_VARIABLE, place, kc_unreferenced(type));
    node->variable = variable;
    node->is_place = true;
    return node;
}

struct node *kc_symbol_node(struct kc *c, struct naming *name)
{
    struct symbol *symbol = name->symbol;
    struct node *node;
    if (name->dependent)
        return kc_error_node(c);
    switch (symbol->kind) {
    case SYMBOL_VARIABLE:
        return variable_node(c, symbol->variable, name->place);
    case SYMBOL_CONSTANT:
        node = kc_integer_node(c, symbol->constant.integer, symbol->type, name->place);
        node->constant = symbol->constant;
        return node;
    case SYMBOL_BOUND:
        return symbol->node;
    case SYMBOL_FIELD:
        return member_of_this(c, symbol, name->place);
    case SYMBOL_FUNCTION:
        node = kc_new_node(c, NODE_FUNCTION, name->place, c->parser->overload);
        node->function = symbol->function;
        node->argument = name->argument;
        node->arguments = name->has_arguments ? name->arguments : 0;
        if (symbol->function->record && !name->qualified && c->parser->function)
            node->post = true; /* of this object, if it is no static one */
        if (symbol->function->record && name->qualified && c->parser->function &&
            c->parser->function->record)
            node->post = true;
        return node;
    case SYMBOL_TEMPLATE:
        if (symbol->template->kind == TEMPLATE_VARIABLE && name->has_arguments) {
            struct variable *variable = kc_instantiate_variable(c, symbol->template, name->argument,
                                                                name->arguments, name->place);
            return variable ? variable_node(c, variable, name->place) : kc_error_node(c);
        }
        kc_error(c, name->place, "the arguments of template '%.*s' are missing",
                 SLICE(name->word->text));
        return kc_error_node(c);
    case SYMBOL_PACK:
        kc_error(c, name->place, "'%.*s' is a pack: it needs ... behind it",
                 SLICE(name->word->text));
        return kc_error_node(c);
    default:
        kc_error(c, name->place, "'%.*s' is no value", SLICE(name->word->text));
        return kc_error_node(c);
    }
}

/* A class template's name whose arguments come from those of its constructor: Pair(1, 2.0f). */
static struct node *deduced_class(struct kc *c, struct naming *name)
{
    struct node *node = kc_new_node(c, NODE_TYPE, name->place, c->parser->basic[TYPE_VOID]);
    node->as = kc_new_type(c, TYPE_INSTANCE);
    node->as->template = name->symbol->template;
    return node;
}

static struct node *name_node(struct kc *c)
{
    const struct token *token = kc_token(c);
    struct node *builtin = kc_builtin(c, token);
    if (builtin)
        return builtin;
    struct naming name;
    if (!kc_name(c, &name, false)) {
        /* past what the unknown name was called with, so that its errors are told, too */
        if (kc_token(c) == token)
            kc_next(c);
        while (kc_at(c, SIGN_SCOPE) && kc_ahead(c, 1)->kind == TOKEN_WORD) {
            kc_next(c);
            kc_next(c);
        }
        return kc_error_node(c);
    }
    if (name.type) {
        struct node *node = kc_new_node(c, NODE_TYPE, name.place, c->parser->basic[TYPE_VOID]);
        node->as = name.type;
        return node;
    }
    if (name.symbol->kind == SYMBOL_TEMPLATE && name.symbol->template->kind == TEMPLATE_CLASS &&
        kc_at(c, '('))
        return deduced_class(c, &name);
    return kc_symbol_node(c, &name);
}

/* ---- folds -------------------------------------------------------------------------------------- */

static struct node *fold_element(struct kc *c, struct packs *packs, int at, int element)
{
    kc_pack_element(packs, element);
    c->parser->at = at;
    struct moment moment = kc_moment(c);
    struct node *node =
        kc_token(c)->kind == TOKEN_SIGN && kc_at(c, '(') ? kc_constant_expression(c) : NULL;
    if (!node) {
        kc_back(c, moment);
        node = kc_constant_expression(c);
    }
    kc_pack_end(packs);
    return node;
}

/* The token of an operator beside `...` that is at depth 0 of these parentheses. */
static int fold_ellipsis(struct kc *c, int from, int to)
{
    for (int i = from; i < to; i++) {
        const struct token *token = &c->token[i];
        if (token->kind != TOKEN_SIGN)
            continue;
        if (token->sign == SIGN_ELLIPSIS)
            return i;
        if (token->match > i)
            i = token->match;
    }
    return -1;
}

static struct node *joined(struct kc *c, int sign, struct node *left, struct node *right,
                           struct place place)
{
    if (sign != ',')
        return kc_binary(c, sign, left, right, place);
    right = kc_one_function(c, right);
    struct node *node = kc_new_node(c, NODE_COMMA, place, right->type);
    node->left = left;
    node->right = right;
    return node;
}

/* (pack op ...), (... op pack), (init op ... op pack), (pack op ... op init). Stands behind `(`. */
static struct node *fold(struct kc *c, int ellipsis, int close)
{
    struct parser *p = c->parser;
    const struct place place = kc_token(c)->place;
    const int from = p->at;
    const bool left_fold = ellipsis == from;
    int tokens;
    struct packs packs;
    p->at = left_fold ? ellipsis + 1 : ellipsis - 1;
    if (!left_fold && c->token[p->at - 1].kind == TOKEN_SIGN && c->token[p->at].sign == '>' &&
        c->token[p->at - 1].sign == '>')
        p->at--;
    const int operator_at = p->at;
    const int sign = kc_binary_sign(c, &tokens);
    const bool both = !left_fold && ellipsis + 1 < close;
    int elements_from = left_fold ? operator_at + tokens : from,
        elements_to = left_fold ? close : operator_at;
    struct node *first = NULL;
    if (both && !kc_packs(c, from, operator_at, &packs)) { /* init op ... op pack */
        p->at = from;
        first = kc_constant_expression(c);
        elements_from = ellipsis + 1 + tokens;
        elements_to = close;
    } else if (both) {
        p->at = ellipsis + 1 + tokens;
        first = kc_constant_expression(c);
    }
    struct node *result = first;
    if (!kc_packs(c, elements_from, elements_to, &packs)) {
        kc_error(c, place, "there is no parameter pack in this fold");
        p->at = close;
        return kc_error_node(c);
    }
    const bool from_left = left_fold || (both && elements_from > from);
    for (int i = 0; i < packs.elements; i++) {
        const int element = from_left ? i : packs.elements - 1 - i;
        struct node *node = fold_element(c, &packs, elements_from, element);
        result = !result     ? node
                 : from_left ? joined(c, sign, result, node, place)
                             : joined(c, sign, node, result, place);
    }
    p->at = close;
    if (result)
        return result;
    if (sign == SIGN_AND || sign == SIGN_OR)
        return kc_integer_node(c, sign == SIGN_AND, p->basic[TYPE_BOOL], place);
    if (sign == ',')
        return kc_new_node(c, NODE_ZERO, place, p->basic[TYPE_VOID]);
    kc_error(c, place, "a fold of no elements has no value");
    return kc_error_node(c);
}

static struct node *parentheses(struct kc *c)
{
    struct parser *p = c->parser;
    const int close = kc_past(c, p->at) - 1;
    const bool greater = p->no_greater;
    kc_next(c);
    p->no_greater = false;
    const int ellipsis = fold_ellipsis(c, p->at, close);
    struct node *node = ellipsis >= 0 ? fold(c, ellipsis, close) : kc_expression(c);
    p->no_greater = greater;
    if (!kc_expect(c, ')', "after an expression") && close > p->at)
        p->at = close + 1;
    if (node->kind == NODE_VARIABLE || node->kind == NODE_FIELD) {
        struct node *copy = kc_new_node(c, node->kind, node->place, node->type);
        *copy = *node;
        copy->parenthesised = true;
        return copy;
    }
    return node;
}

/* ---- casts by name ------------------------------------------------------------------------------ */

static struct node *named_cast(struct kc *c)
{
    const struct token *token = kc_token(c);
    const bool greater = c->parser->no_greater;
    kc_next(c);
    if (token->word->keyword == KEY_DYNAMIC_CAST)
        kc_error(c, token->place, "dynamic_cast is not supported");
    if (!kc_expect(c, '<', "after the name of a cast"))
        return kc_error_node(c);
    c->parser->no_greater = true;
    struct type *type = kc_type_name(c);
    c->parser->no_greater = false;
    kc_expect(c, '>', "after the type of a cast");
    kc_expect(c, '(', "after the type of a cast");
    struct node *node = kc_expression(c);
    kc_expect(c, ')', "after what is cast");
    c->parser->no_greater = greater;
    return kc_cast(c, node, type, token->place);
}

/* Types of one word as functions: int(x), float{}; `unsigned(x)` */
static struct node *type_node(struct kc *c)
{
    const struct place place = kc_token(c)->place;
    struct specifiers s;
    if (!kc_specifiers(c, &s, false)) {
        kc_syntax(c, "an expression is missing before '%.*s'", SLICE(kc_token(c)->text));
        return kc_error_node(c);
    }
    struct node *node = kc_new_node(c, NODE_TYPE, place, c->parser->basic[TYPE_VOID]);
    node->as = s.type;
    return node;
}

struct node *kc_primary(struct kc *c)
{
    struct parser *p = c->parser;
    const struct token *token = kc_token(c);
    switch (token->kind) {
    case TOKEN_NUMBER:
        kc_next(c);
        return number_node(c, token);
    case TOKEN_CHARACTER:
        kc_next(c);
        return kc_integer_node(c, kc_character(c, token),
                               p->basic[token->prefix == 'L'   ? TYPE_INT
                                        : token->prefix == 'U' ? TYPE_UINT
                                        : token->prefix == 'u' ? TYPE_USHORT
                                                               : TYPE_CHAR],
                               token->place);
    case TOKEN_STRING:
        kc_next(c);
        return string_node(c, token);
    case TOKEN_SIGN:
        if (token->sign == '(') {
            struct node *node = kc_enter(c, token->place) ? parentheses(c) : kc_error_node(c);
            kc_leave(c);
            return node;
        }
        if (token->sign == '[')
            return kc_lambda(c);
        if (token->sign == SIGN_SCOPE)
            return name_node(c);
        break;
    case TOKEN_WORD:
        switch (token->word->keyword) {
        case KEY_NONE:
            return name_node(c);
        case KEY_TRUE:
        case KEY_FALSE:
            kc_next(c);
            return kc_integer_node(c, token->word->keyword == KEY_TRUE, p->basic[TYPE_BOOL],
                                   token->place);
        case KEY_NULLPTR:
            kc_next(c);
            return kc_integer_node(c, 0, p->null, token->place);
        case KEY_THIS: {
            kc_next(c);
            struct scope *scope = p->scope;
            while (scope && (!scope->record || scope->record->is_lambda))
                scope = scope->outer;
            struct node *object = scope ? enclosing_object(c, scope->record, token->place)
                                        : this_object(c, token->place);
            return object->kind == NODE_ERROR ? object : kc_address(c, object, token->place);
        }
        case KEY_STATIC_CAST:
        case KEY_REINTERPRET_CAST:
        case KEY_CONST_CAST:
        case KEY_DYNAMIC_CAST:
            return named_cast(c);
        case KEY_NEW:
        case KEY_DELETE:
            kc_error(c, token->place, "'%.*s' is not supported: use an array, or malloc and free",
                     SLICE(token->text));
            kc_next(c);
            kc_skip_statement(c);
            p->at--;
            return kc_error_node(c);
        case KEY_OPERATOR:
            return name_node(c);
        case KEY_NOEXCEPT:
            kc_next(c);
            p->at = kc_past(c, p->at);
            return kc_integer_node(c, 1, p->basic[TYPE_BOOL], token->place);
        default:
            if (kc_at_decltype_scope(c))
                return name_node(c);
            if (kc_at_type(c) || token->word->keyword == KEY_TYPENAME)
                return type_node(c);
        }
        break;
    default:
        break;
    }
    kc_syntax(c,
              token->kind == TOKEN_END ? "an expression is missing before the end%.*s"
                                       : "an expression is missing before '%.*s'",
              SLICE(token->text));
    return kc_error_node(c);
}
