/* template_argument.c - arguments of templates: reading them, comparing them, what parameters stand for. */
#include "kernelc/parser.h"

#include <string.h>

static void add_argument(struct kc *c, struct argument **argument, int *count, int *room,
                         struct argument one)
{
    if (*count == KC_ARGUMENTS) {
        kc_stop(c, kc_token(c)->place, "a template takes at most 1024 arguments");
        return;
    }
    kc_grow(c, argument, room, count, sizeof **argument);
    (*argument)[(*count)++] = one;
}

static struct argument value_argument(struct kc *c, struct node *node)
{
    node = kc_one_function(c, node);
    struct argument argument = {.is_value = true, .type = kc_unreferenced(node->type)->plain};
    if (node->kind == NODE_FUNCTION && node->function) {
        argument.function = node->function;
        return argument;
    }
    if (node->type->kind == TYPE_ERROR || node->type->kind == TYPE_DEPENDENT)
        argument.depends = c->parser->in_pattern, argument.index = -1;
    else if (!kc_evaluate(c, node, &argument.value))
        kc_error(c, node->place,
                 "a template's argument must be a type or a number that is known when compiling");
    return argument;
}

/* In a pattern: a type, up to `end`, of numbers that are parameters: box<N>, T[N]. What a template has inside is
 * found by its tokens. */
static bool pattern_type(struct kc *c, int end, struct argument *argument)
{
    struct parser *p = c->parser;
    if (!kc_at_type(c))
        return false;
    for (int i = p->at + 1; i < end; i++)
        if (c->token[i].kind == TOKEN_SIGN && c->token[i].sign == SIGN_SCOPE &&
            c->token[i - 1].kind == TOKEN_SIGN)
            return false;
    struct moment moment = kc_moment(c);
    const bool failed = c->failed;
    c->quiet++;
    struct type *type = kc_type_name(c);
    c->quiet--;
    c->failed = failed;
    if (p->at == end && type->kind != TYPE_ERROR && type->kind != TYPE_DEPENDENT) {
        *argument = (struct argument){.type = type};
        return true;
    }
    kc_back(c, moment);
    return false;
}

/* In a pattern: what depends on parameters is found by its tokens. */
static bool pattern_argument(struct kc *c, int end, struct argument *argument)
{
    struct parser *p = c->parser;
    const struct token *token = kc_token(c);
    struct symbol *symbol =
        token->kind == TOKEN_WORD && !token->word->keyword ? kc_find(c, token->word) : NULL;
    const struct token *behind = kc_ahead(c, 1);
    const bool is_pack = behind->kind == TOKEN_SIGN && behind->sign == SIGN_ELLIPSIS;
    if (symbol && symbol->kind == SYMBOL_DEPENDENT_VALUE && p->at + 1 + is_pack == end) {
        *argument = (struct argument){
            .is_value = true, .depends = true, .index = symbol->index, .is_pack = is_pack};
        p->at = end;
        return true;
    }
    for (int i = p->at; i < end; i++) {
        const struct token *word = &c->token[i];
        symbol = word->kind == TOKEN_WORD && !word->word->keyword ? kc_find(c, word->word) : NULL;
        if (symbol && symbol->kind == SYMBOL_DEPENDENT_VALUE) {
            if (pattern_type(c, end, argument))
                return true;
            *argument = (struct argument){.is_value = true, .depends = true, .index = -1};
            p->at = end;
            return true;
        }
    }
    return false;
}

static struct argument one_argument(struct kc *c)
{
    struct parser *p = c->parser;
    const struct token *token = kc_token(c);
    struct symbol *symbol =
        token->kind == TOKEN_WORD && !token->word->keyword ? kc_find(c, token->word) : NULL;
    const struct token *next = kc_ahead(c, 1);
    if (symbol && symbol->kind == SYMBOL_TEMPLATE && next->kind == TOKEN_SIGN &&
        (next->sign == ',' || next->sign == '>')) {
        kc_next(c);
        return (struct argument){.template = symbol,
                                 .type = NULL,
                                 .depends = symbol->template->template_argument != NULL &&
                                            !symbol->template->template_argument->template,
                                 .index = symbol->index};
    }
    if (kc_at_type(c)) {
        struct moment moment = kc_moment(c);
        struct type *type = kc_type_name(c);
        if (p->in_pattern && kc_at(c, SIGN_ELLIPSIS))
            kc_next(c);
        if (kc_at(c, ',') || kc_at(c, '>'))
            return (struct argument){.type = type};
        kc_back(c, moment); /* sizeof(T) and T::value begin like types, too */
    }
    return value_argument(c, kc_constant_expression(c));
}

bool kc_template_arguments(struct kc *c, struct argument **argument, int *arguments)
{
    struct parser *p = c->parser;
    const bool greater = p->no_greater;
    int room = 0;
    *argument = NULL;
    *arguments = 0;
    p->no_greater = true;
    kc_next(c);
    bool good = kc_enter(c, kc_token(c)->place);
    while (good && !kc_at(c, '>')) {
        int ellipsis;
        const int from = p->at, end = kc_argument_end(c, from, &ellipsis);
        struct packs packs;
        struct argument one;
        if (ellipsis && ellipsis == end - 1 && !p->in_pattern && kc_packs(c, from, end, &packs)) {
            for (int i = 0; i < packs.elements; i++) {
                kc_pack_element(&packs, i);
                p->at = from;
                one = one_argument(c);
                kc_pack_end(&packs);
                add_argument(c, argument, arguments, &room, one);
            }
            p->at = end;
        } else if (p->in_pattern && pattern_argument(c, end, &one)) {
            add_argument(c, argument, arguments, &room, one);
        } else {
            one = one_argument(c);
            add_argument(c, argument, arguments, &room, one);
        }
        if (kc_at(c, SIGN_ELLIPSIS))
            kc_next(c);
        good = !p->panic && kc_token(c)->kind != TOKEN_END;
        if (!kc_accept(c, ','))
            break;
    }
    kc_leave(c);
    p->no_greater = greater;
    return good && kc_expect(c, '>', "after the arguments of a template");
}

static bool same_argument(const struct argument *a, const struct argument *b)
{
    if (a->is_pack || b->is_pack)
        return a->is_pack && b->is_pack && a->elements == b->elements &&
               kc_same_arguments(a->element, b->element, a->elements);
    if (a->template || b->template)
        return a->template && b->template && a->template->template == b->template->template;
    if (a->depends || b->depends)
        return a->depends == b->depends && a->index == b->index && a->type == b->type;
    if (a->is_value != b->is_value)
        return false;
    return a->is_value ? a->value.integer == b->value.integer && a->function == b->function
                       : a->type == b->type;
}

bool kc_same_arguments(const struct argument *a, const struct argument *b, int count)
{
    for (int i = 0; i < count; i++)
        if (!same_argument(&a[i], &b[i]))
            return false;
    return true;
}

/* ---- what parameters stand for ------------------------------------------------------------------- */

static void bind_one(struct kc *c, struct scope *scope, const struct template_parameter *parameter,
                     struct argument argument, struct place place)
{
    if (!parameter->name)
        return;
    enum symbol_kind kind = argument.is_pack    ? SYMBOL_PACK
                            : argument.template ? SYMBOL_TEMPLATE
                            : argument.function ? SYMBOL_FUNCTION
                            : argument.is_value ? SYMBOL_CONSTANT
                                                : SYMBOL_TYPE;
    struct symbol *symbol = kc_define(c, scope, kind, parameter->name, place);
    symbol->type = argument.type;
    symbol->function = argument.function;
    symbol->constant = argument.value;
    symbol->pack = argument.element;
    symbol->elements = argument.elements;
    if (argument.template)
        symbol->template = argument.template->template;
}

struct scope *kc_bind(struct kc *c, struct template *template, const struct argument *argument,
                      int arguments, struct scope *outer)
{
    struct scope *scope = kc_scope(c, outer, 8);
    for (int i = 0; i < template->parameters && i < arguments; i++)
        bind_one(c, scope, &template->parameter[i], argument[i], template->place);
    return scope;
}

/* Binds a template to arguments that depend on the parameters of another template. */
struct scope *kc_bind_dependent(struct kc *c, struct template *template,
                                const struct argument *argument, int arguments)
{
    struct scope *scope = kc_scope(c, template->scope, 8);
    for (int i = 0; i < template->parameters && i < arguments; i++) {
        if (!argument[i].depends || argument[i].template) {
            bind_one(c, scope, &template->parameter[i], argument[i], template->place);
        } else if (template->parameter[i].name) {
            struct symbol *symbol = kc_define(c, scope, SYMBOL_DEPENDENT_VALUE,
                                              template->parameter[i].name, template->place);
            symbol->index = argument[i].index;
            symbol->type = c->parser->dependent;
        }
    }
    return scope;
}

struct type *kc_parameter_type(struct kc *c, int index, bool pack)
{
    struct type **known = &c->parser->parameter_type[index % 32 + 32 * pack];
    if (!*known) {
        *known = kc_new_type(c, TYPE_PARAMETER);
        (*known)->index = index;
        (*known)->pack = pack;
        (*known)->size = (*known)->align = 4;
    }
    return *known;
}

struct scope *kc_bind_pattern(struct kc *c, struct template *template, struct scope *outer)
{
    struct scope *scope = kc_scope(c, outer, 8);
    for (int i = 0; i < template->parameters; i++) {
        const struct template_parameter *parameter = &template->parameter[i];
        if (!parameter->name)
            continue;
        struct symbol *symbol =
            kc_define(c, scope, parameter->is_value ? SYMBOL_DEPENDENT_VALUE : SYMBOL_TYPE,
                      parameter->name, template->place);
        symbol->index = i;
        symbol->type = parameter->is_value ? c->parser->dependent
                                           : kc_parameter_type(c, i, parameter->is_pack);
        if (parameter->is_template) {
            symbol->kind = SYMBOL_TEMPLATE;
            symbol->template = KC_NEW(c, struct template);
            symbol->template->name = parameter->name;
            symbol->template->template_argument = symbol;
            symbol->template->kind = TEMPLATE_CLASS;
        }
    }
    return scope;
}

/* The type of a value parameter, for its arguments to be converted to. */
static struct type *value_type(struct kc *c, const struct template_parameter *parameter,
                               struct scope *scope)
{
    struct moment moment = kc_moment(c);
    struct specifiers s;
    c->parser->at = parameter->type_at;
    c->parser->scope = scope;
    c->parser->in_pattern = false;
    kc_specifiers(c, &s, false);
    struct type *type = s.type;
    while (type && kc_accept(c, '*'))
        type = kc_pointer(c, type);
    kc_back(c, moment);
    return type && kc_is_integer(type) ? type->plain : NULL;
}

static int64_t narrowed(const struct type *type, int64_t value)
{
    if (type->kind == TYPE_BOOL)
        return value != 0;
    const int bits = (int)type->size * 8;
    if (bits >= 64)
        return value;
    const uint64_t low = (uint64_t)value & ((UINT64_C(1) << bits) - 1);
    if (kc_is_unsigned(type) || !(low >> (bits - 1)))
        return (int64_t)low;
    return (int64_t)(low | ~((UINT64_C(1) << bits) - 1));
}

static bool default_argument(struct kc *c, struct template *template, int i,
                             struct argument *argument, int count)
{
    struct moment moment = kc_moment(c);
    const struct template_parameter *parameter = &template->parameter[i];
    if (!parameter->initial)
        return false;
    c->parser->scope = kc_bind(c, template, argument, count, template->scope);
    c->parser->at = parameter->initial;
    c->parser->in_pattern = false;
    c->parser->no_greater = true;
    argument[i] = one_argument(c);
    kc_back(c, moment);
    return true;
}

/* Fills in packs, defaults, and the types of values. `argument` has room for the parameters. */
bool kc_default_arguments(struct kc *c, struct template *template, struct argument *argument,
                          int *arguments, struct place place, bool told)
{
    for (int i = 0; i < template->parameters; i++) {
        const struct template_parameter *parameter = &template->parameter[i];
        const bool given = i < *arguments && (argument[i].is_pack || argument[i].type ||
                                              argument[i].is_value || argument[i].template);
        if (parameter->is_pack && !(given && argument[i].is_pack)) {
            struct argument pack = {.is_pack = true};
            if (i < *arguments && given) {
                pack.elements = *arguments - i;
                pack.element = kc_new(c, (size_t)pack.elements * sizeof *pack.element);
                memcpy(pack.element, &argument[i], (size_t)pack.elements * sizeof *pack.element);
            }
            argument[i] = pack;
            *arguments = i + 1;
            continue;
        }
        if (!given && !default_argument(c, template, i, argument, i)) {
            if (told)
                kc_error(c, place, "template '%.*s' needs an argument for '%.*s'",
                         template->name ? template->name->text.length : 0,
                         template->name ? template->name->text.at : "",
                         parameter->name ? parameter->name->text.length : 0,
                         parameter->name ? parameter->name->text.at : "");
            return false;
        }
        if (i >= *arguments)
            *arguments = i + 1;
        if (argument[i].is_pack || argument[i].depends)
            continue;
        if (argument[i].is_value != parameter->is_value && !argument[i].template) {
            if (told)
                kc_error(c, place, "argument %d of template '%.*s' must be a %s", i + 1,
                         template->name ? template->name->text.length : 0,
                         template->name ? template->name->text.at : "",
                         parameter->is_value ? "number" : "type");
            return false;
        }
        if (parameter->is_value) {
            struct type *type =
                value_type(c, parameter, kc_bind(c, template, argument, i, template->scope));
            if (type) {
                argument[i].type = type;
                argument[i].value.integer = narrowed(type, argument[i].value.integer);
            }
        }
    }
    if (*arguments > template->parameters) {
        if (told)
            kc_error(c, place, "template '%.*s' takes %d arguments, not %d",
                     template->name ? template->name->text.length : 0,
                     template->name ? template->name->text.at : "", template->parameters,
                     *arguments);
        return false;
    }
    return true;
}
