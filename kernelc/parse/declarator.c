/* declarator.c - what stands behind the type of a declaration: pointers, names, arrays, parameters. */
#include "kernelc/parser.h"

#include <string.h>

static struct type *pointers(struct kc *c, struct type *type, struct declarator *declarator)
{
    for (;;) {
        kc_attributes(c, NULL);
        if (kc_accept(c, '*')) {
            if (kc_is_reference(type))
                kc_error(c, kc_ahead(c, -1)->place, "there are no pointers to references");
            type = kc_pointer(c, type);
        } else if (kc_accept(c, '&')) {
            type = kc_reference(c, type);
        } else if (kc_accept(c, SIGN_AND)) {
            type = kc_rvalue(c, type);
        } else if (kc_accept_key(c, KEY_CONST)) {
            type = kc_qualified(c, type, true, false);
        } else if (kc_accept_key(c, KEY_VOLATILE)) {
            type = kc_qualified(c, type, false, true);
        } else if (kc_accept(c, SIGN_ELLIPSIS)) {
            declarator->is_pack = true;
        } else {
            return type;
        }
    }
}

static struct type *array_of(struct kc *c, struct type *base, int64_t count, struct place place)
{
    if (base->kind == TYPE_ERROR)
        return base;
    if (base->kind == TYPE_VOID || base->kind == TYPE_FUNCTION || kc_is_reference(base)) {
        kc_error(c, place, "there are no arrays of '%s'", kc_type_text(c, base));
        return c->parser->basic[TYPE_ERROR];
    }
    if (count < -1 || count > INT32_MAX * INT64_C(64)) {
        kc_error(c, place, "an array cannot have %lld elements", (long long)count);
        return c->parser->basic[TYPE_ERROR];
    }
    if (count > 0 && base->size > (UINT64_C(1) << 40) / (uint64_t)count) {
        kc_error(c, place, "this array is too large");
        return c->parser->basic[TYPE_ERROR];
    }
    return kc_array(c, base, count);
}

/* [4][3] behind a name: the last bound is the innermost. */
static struct type *arrays(struct kc *c, struct type *base)
{
    const struct place place = kc_token(c)->place;
    if (!kc_at(c, '['))
        return base;
    const int close = kc_past(c, c->parser->at);
    kc_next(c);
    int64_t count = -1;
    int index = -1;
    if (!kc_at(c, ']')) {
        const bool greater = c->parser->no_greater;
        c->parser->no_greater = false;
        struct node *bound = NULL;
        if (c->parser->in_pattern) {
            struct symbol *symbol =
                kc_token(c)->kind == TOKEN_WORD ? kc_find(c, kc_token(c)->word) : NULL;
            count = -2;
            if (symbol && symbol->kind == SYMBOL_DEPENDENT_VALUE && kc_ahead(c, 1)->sign == ']')
                index = symbol->index;
            else if (kc_token(c)->kind == TOKEN_NUMBER && kc_ahead(c, 1)->sign == ']')
                count = -1, bound = kc_constant_expression(c);
        } else {
            bound = kc_constant_expression(c);
        }
        if (bound && !kc_integer(c, bound, &count, "the size of an array"))
            count = -3;
        else if (bound && count < 0) {
            kc_error(c, place, "an array cannot have %lld elements", (long long)count);
            count = -3;
        }
        c->parser->no_greater = greater;
    }
    if (c->parser->in_pattern && close > c->parser->at)
        c->parser->at = close;
    else
        kc_expect(c, ']', "after the size of an array");
    if (!kc_enter(c, place)) {
        kc_leave(c);
        return c->parser->basic[TYPE_ERROR];
    }
    base = arrays(c, base);
    kc_leave(c);
    if (count == -3)
        return c->parser->basic[TYPE_ERROR];
    if (count == -2) {
        struct type *type = kc_array(c, base, -2);
        type->index = index;
        return type;
    }
    return array_of(c, base, count, place);
}

/* ( & a ) [ or ( * f ) (, behind a type: a parameter, and no value that is made of another. */
static bool at_reference(struct kc *c)
{
    const struct token *inner = kc_ahead(c, 1),
                       *behind = kc_ahead(c, kc_past(c, c->parser->at) - c->parser->at);
    return inner->kind == TOKEN_SIGN &&
           (inner->sign == '&' || inner->sign == '*' || inner->sign == SIGN_AND) &&
           behind->kind == TOKEN_SIGN && (behind->sign == '[' || behind->sign == '(');
}

/* Whether the `(` here begins the parameters of a function rather than an initialiser. */
static bool at_parameters(struct kc *c)
{
    const struct token *next = kc_ahead(c, 1);
    if (next->kind == TOKEN_SIGN && next->sign == ')')
        return true;
    if (next->kind == TOKEN_SIGN && next->sign == SIGN_ELLIPSIS)
        return true;
    const struct symbol *symbol =
        next->kind == TOKEN_WORD && !next->word->keyword ? kc_find(c, next->word) : NULL;
    if (symbol && symbol->kind == SYMBOL_PACK && !symbol->variables)
        return true; /* T... x */
    const struct token *second = kc_ahead(c, 2), *third = kc_ahead(c, 3);
    const bool by_pointer =
        second->kind == TOKEN_SIGN && (second->sign == '*' || second->sign == '&');
    if (next->kind == TOKEN_WORD && !next->word->keyword && !symbol && !kc_is_special(next->text) &&
        (by_pointer ? third : second)->kind == TOKEN_WORD)
        return true; /* a type that is not known: foo x, foo *x */
    struct moment moment = kc_moment(c);
    kc_next(c);
    bool type = kc_at_type(c);
    if (type && kc_token(c)->kind == TOKEN_WORD && !kc_token(c)->word->keyword) {
        /* T(x) would be a value: but a parameter has a name or ends. */
        struct naming name;
        c->quiet++;
        kc_name(c, &name, true);
        c->quiet--;
        if (kc_at(c, '(') ? !at_reference(c) : kc_at(c, '{'))
            type = false;
    }
    kc_back(c, moment);
    return type;
}

static struct type *function_suffix(struct kc *c, struct type *result,
                                    struct declarator *declarator, bool named);

static struct type *suffixes(struct kc *c, struct type *type, struct declarator *declarator,
                             bool named)
{
    if (kc_at(c, '[') && !(kc_ahead(c, 1)->kind == TOKEN_SIGN && kc_ahead(c, 1)->sign == '['))
        return arrays(c, type);
    if (kc_at(c, '(') && (declarator->is_constructor || declarator->is_destructor ||
                          declarator->operator_name || at_parameters(c)))
        return function_suffix(c, type, declarator, named);
    return type;
}

/* Parameters; of the function that is declared, with their names. */
static struct type *function_suffix(struct kc *c, struct type *result,
                                    struct declarator *declarator, bool named)
{
    struct function *function = KC_NEW(c, struct function);
    function->open = c->parser->at;
    function->result = result;
    function->scope = c->parser->scope;
    if (named && declarator->outside) { /* its parameters are read with those of the class */
        declarator->function = function;
        c->parser->at = kc_past(c, c->parser->at);
        return result;
    }
    struct moment moment = kc_moment(c);
    struct scope *within = moment.scope;
    while (within && within != declarator->qualifier)
        within = within->outer;
    if (named && declarator->qualifier && !within)
        c->parser->scope = declarator->qualifier;
    kc_parameters(c, function);
    c->parser->scope = moment.scope;
    if (named) {
        declarator->function = function;
        return result;
    }
    return kc_type_of_function(c, function);
}

/* The operator's word: "operator+". Stands at `operator`. */
struct word *kc_operator_name(struct kc *c, struct type **conversion)
{
    kc_next(c);
    const struct token *token = kc_token(c);
    if (token->kind == TOKEN_SIGN) {
        int count = 1;
        char text[40];
        int sign = kc_binary_sign(c, &count);
        if (token->sign == '(' || token->sign == '[')
            count = 2;
        int length = 0;
        memcpy(text, "operator", 8);
        length = 8;
        for (int i = 0; i < count; i++) {
            const struct token *part = kc_token(c);
            memcpy(text + length, part->text.at, (size_t)part->text.length);
            length += part->text.length;
            kc_next(c);
        }
        (void)sign;
        return kc_word_of(c, kc_text(c, "%.*s", length, text));
    }
    if (token->kind == TOKEN_STRING) {
        kc_error(c, token->place, "literal operators are not supported");
        kc_next(c);
        return kc_word_of(c, "operator\"\"");
    }
    if (kc_at_key(c, KEY_NEW) || kc_at_key(c, KEY_DELETE)) {
        kc_next(c);
        if (kc_accept(c, '['))
            kc_accept(c, ']');
        return kc_word_of(c, "operator new");
    }
    struct specifiers specifiers;
    struct declarator none = {0};
    if (!kc_specifiers(c, &specifiers, false)) {
        kc_syntax(c, "an operator or a type is missing after 'operator'");
        return kc_word_of(c, "operator");
    }
    *conversion = pointers(c, specifiers.type, &none);
    return kc_word_of(c, kc_text(c, "operator %s", kc_type_text(c, *conversion)));
}

/* A::B<T>::name, where a declaration names a member of a class or namespace. */
static bool qualified_name(struct kc *c, struct declarator *declarator)
{
    struct scope *scope = NULL;
    while (kc_token(c)->kind == TOKEN_WORD && !kc_token(c)->word->keyword) {
        const struct token *token = kc_token(c), *next = kc_ahead(c, 1);
        struct symbol *symbol = scope ? kc_find_in(c, scope, token->word) : kc_find(c, token->word);
        if (next->kind != TOKEN_SIGN || (next->sign != SIGN_SCOPE && next->sign != '<') || !symbol)
            return true;
        if (next->sign == '<' && symbol->kind == SYMBOL_TYPE && symbol->type->kind == TYPE_RECORD &&
            symbol->type->record->template) /* within the class: its template */
            symbol = kc_find_in(c, symbol->type->record->template->scope, token->word);
        if (next->sign == '<' &&
            (symbol->kind != SYMBOL_TEMPLATE || symbol->template->kind != TEMPLATE_CLASS))
            return true;
        if (next->sign == '<' && c->parser->in_pattern) {
            kc_next(c);
            kc_skip_angles(c);
            if (!kc_accept(c, SIGN_SCOPE))
                return false;
            declarator->outside = symbol->template;
            continue;
        }
        struct naming name = {.symbol = symbol, .place = token->place, .word = token->word};
        kc_next(c);
        kc_resolve(c, &name);
        scope = kc_scope_named(c, &name);
        if (!scope || !kc_accept(c, SIGN_SCOPE))
            return false;
        declarator->qualifier = scope;
    }
    return true;
}

static bool declared_name(struct kc *c, struct declarator *declarator,
                          const struct scope *class_scope)
{
    if (!qualified_name(c, declarator)) {
        kc_syntax(c, "this declaration is not understood");
        return false;
    }
    const struct token *token = kc_token(c);
    declarator->place = token->place;
    declarator->name_at = c->parser->at;
    if (kc_accept(c, '~')) {
        declarator->is_destructor = true;
        declarator->name = kc_token(c)->kind == TOKEN_WORD ? kc_token(c)->word : NULL;
        kc_next(c);
        return declarator->name != NULL;
    }
    if (kc_at_key(c, KEY_OPERATOR)) {
        declarator->name = declarator->operator_name = kc_operator_name(c, &declarator->conversion);
        return true;
    }
    if (token->kind != TOKEN_WORD || token->word->keyword)
        return false;
    declarator->name = token->word;
    const struct scope *scope = declarator->qualifier ? declarator->qualifier : class_scope;
    struct word *class_name =
        declarator->outside ? declarator->outside->name : kc_class_name(scope);
    kc_next(c);
    struct symbol *known =
        kc_at(c, '<') ? kc_find_in(c, (struct scope *)scope, declarator->name) : NULL;
    if (known && kc_takes_arguments(c, known) && known->kind == SYMBOL_FUNCTION)
        kc_template_arguments(c, &declarator->argument, &declarator->arguments);
    else if (known && known->kind == SYMBOL_TEMPLATE && known->template->kind == TEMPLATE_VARIABLE)
        kc_skip_angles(c);
    if (class_name == declarator->name && kc_at(c, '('))
        declarator->is_constructor = true;
    return true;
}

/* ( * name )( ... ): what stands in the parentheses is read after what follows them. */
static bool nested_declarator(struct kc *c, struct type *base, struct declarator *declarator,
                              bool abstract)
{
    const int open = c->parser->at, past = kc_past(c, open);
    if (past == open)
        return false;
    c->parser->at = past;
    struct type *type = suffixes(c, base, &(struct declarator){0}, false);
    const int end = c->parser->at;
    c->parser->at = open + 1;
    bool good = kc_declarator(c, type, declarator, abstract);
    if (good && c->parser->at != past - 1) {
        kc_syntax(c, "')' is missing in this declaration");
        good = false;
    }
    c->parser->at = end;
    return good;
}

bool kc_declarator(struct kc *c, struct type *base, struct declarator *declarator, bool abstract)
{
    if (!kc_enter(c, kc_token(c)->place)) {
        kc_leave(c);
        return false;
    }
    struct type *type = pointers(c, base, declarator);
    bool good = true, nested = false;
    if (kc_at(c, '(')) {
        const struct token *next = kc_ahead(c, 1);
        const bool inner =
            next->kind == TOKEN_SIGN &&
            (next->sign == '*' || next->sign == '&' || next->sign == SIGN_AND || next->sign == '(');
        nested = inner || (!abstract && next->kind == TOKEN_WORD && !next->word->keyword);
    }
    if (nested) {
        good = nested_declarator(c, type, declarator, abstract);
    } else {
        declarator->type = type;
        declarator->place = kc_token(c)->place;
        if (!declared_name(c, declarator, c->parser->scope) && !abstract)
            good = false;
        kc_attributes(c, NULL);
        if (good)
            declarator->type = suffixes(c, type, declarator, declarator->name != NULL);
    }
    kc_leave(c);
    return good;
}

struct type *kc_type_name(struct kc *c)
{
    struct specifiers specifiers;
    struct declarator declarator = {0};
    if (!kc_specifiers(c, &specifiers, false)) {
        kc_syntax(c, "a type is missing before '%.*s'", SLICE(kc_token(c)->text));
        return c->parser->basic[TYPE_ERROR];
    }
    if (!kc_declarator(c, specifiers.type, &declarator, true))
        return c->parser->basic[TYPE_ERROR];
    if (declarator.function)
        return kc_type_of_function(c, declarator.function);
    return declarator.type;
}
