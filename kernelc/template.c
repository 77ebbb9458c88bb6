/* template.c - templates: their parameters, arguments, and instances. */
#include "kernelc/tree.h"

#include <string.h>

/* ---- heads -------------------------------------------------------------------------------------- */

static void skip_to_default_end(struct kc *c)
{
    int ellipsis;
    const bool greater = c->parser->no_greater;
    c->parser->no_greater = true;
    c->parser->at = kc_argument_end(c, c->parser->at, &ellipsis);
    c->parser->no_greater = greater;
}

static bool head_parameter(struct kc *c, struct template_parameter *parameter)
{
    struct parser *p = c->parser;
    *parameter = (struct template_parameter){0};
    if (kc_at_key(c, KEY_TEMPLATE)) { /* template <typename> class C */
        kc_next(c);
        kc_skip_angles(c);
        parameter->is_template = true;
        kc_next(c);
    } else if ((kc_at_key(c, KEY_TYPENAME) || kc_at_key(c, KEY_CLASS)) &&
               !(kc_ahead(c, 2)->kind == TOKEN_SIGN && kc_ahead(c, 2)->sign == SIGN_SCOPE)) {
        kc_next(c);
    } else {
        parameter->is_value = true;
        parameter->type_at = p->at;
        /* Its type: up to its name, the `=`, the `,` or the `>`. */
        int angles = 0;
        for (;; kc_next(c)) {
            const struct token *token = kc_token(c), *next = kc_ahead(c, 1);
            if (token->kind == TOKEN_END)
                return false;
            if (token->kind == TOKEN_SIGN && token->sign == '<')
                angles++;
            else if (token->kind == TOKEN_SIGN && token->sign == '>' && angles-- == 0)
                break;
            const bool end = next->kind == TOKEN_SIGN &&
                             (next->sign == ',' || next->sign == '=' || next->sign == '>');
            if (angles == 0 && token->kind == TOKEN_SIGN &&
                (token->sign == SIGN_ELLIPSIS || token->sign == ',' || token->sign == '='))
                break;
            if (angles == 0 && token->kind == TOKEN_WORD && !token->word->keyword && end &&
                p->at > parameter->type_at)
                break;
        }
    }
    if (kc_accept(c, SIGN_ELLIPSIS))
        parameter->is_pack = true;
    if (kc_token(c)->kind == TOKEN_WORD && !kc_token(c)->word->keyword) {
        parameter->name = kc_token(c)->word;
        kc_next(c);
    }
    if (kc_accept(c, '=')) {
        parameter->initial = p->at;
        skip_to_default_end(c);
    }
    return true;
}

struct template *kc_template_head(struct kc *c)
{
    struct template *template = KC_NEW(c, struct template);
    template->kind = TEMPLATE_FUNCTION;
    template->place = kc_token(c)->place;
    template->parameter = kc_new(c, 32 * sizeof *template->parameter);
    kc_next(c);
    if (!kc_expect(c, '<', "after 'template'"))
        return NULL;
    while (!kc_at(c, '>')) {
        if (template->parameters == 32 ||
            !head_parameter(c, &template->parameter[template->parameters++]) ||
            (!kc_accept(c, ',') && !kc_at(c, '>'))) {
            kc_syntax(c, "these parameters of a template are not understood");
            return NULL;
        }
    }
    kc_next(c);
    return template;
}

/* ---- arguments ---------------------------------------------------------------------------------- */

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
    struct argument argument = {.is_value = true, .type = kc_unreferenced(node->type)->plain};
    if (node->type->kind == TYPE_ERROR || node->type->kind == TYPE_DEPENDENT)
        argument.depends = c->parser->in_pattern;
    else if (!kc_evaluate(c, node, &argument.value))
        kc_error(c, node->place,
                 "a template's argument must be a type or a number that is known when compiling");
    return argument;
}

/* In a pattern: what depends on parameters is found by its tokens. */
static bool pattern_argument(struct kc *c, int end, struct argument *argument)
{
    struct parser *p = c->parser;
    const struct token *token = kc_token(c);
    struct symbol *symbol =
        token->kind == TOKEN_WORD && !token->word->keyword ? kc_find(c, token->word) : NULL;
    if (symbol && symbol->kind == SYMBOL_DEPENDENT_VALUE && p->at + 1 == end) {
        *argument = (struct argument){.is_value = true, .depends = true, .index = symbol->index};
        p->at = end;
        return true;
    }
    for (int i = p->at; i < end; i++) {
        const struct token *word = &c->token[i];
        symbol = word->kind == TOKEN_WORD && !word->word->keyword ? kc_find(c, word->word) : NULL;
        if (symbol && symbol->kind == SYMBOL_DEPENDENT_VALUE) {
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
    return a->is_value ? a->value.integer == b->value.integer : a->type == b->type;
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
                            : argument.is_value ? SYMBOL_CONSTANT
                                                : SYMBOL_TYPE;
    struct symbol *symbol = kc_define(c, scope, kind, parameter->name, place);
    symbol->type = argument.type;
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

/* ---- instances ---------------------------------------------------------------------------------- */

static struct argument *completed(struct kc *c, struct template *template,
                                  struct argument *argument, int *arguments, struct place place)
{
    const int room = (*arguments > template->parameters ? *arguments : template->parameters) + 1;
    struct argument *all = kc_new(c, (size_t)room * sizeof *all);
    if (*arguments)
        memcpy(all, argument, (size_t)*arguments * sizeof *all);
    return kc_default_arguments(c, template, all, arguments, place, true) ? all : NULL;
}

static struct instance *find_instance(struct template *template, const struct argument *argument,
                                      int arguments)
{
    for (struct instance *instance = template->instance; instance; instance = instance->next)
        if (kc_same_arguments(instance->argument, argument, arguments))
            return instance;
    return NULL;
}

struct instance *kc_new_instance(struct kc *c, struct template *template, struct argument *argument)
{
    struct instance *instance = KC_NEW(c, struct instance);
    instance->argument = argument;
    instance->next = template->instance;
    return template->instance = instance;
}

bool kc_begin_instance(struct kc *c, struct place place)
{
    struct parser *p = c->parser;
    if (!kc_enter(c, place) || p->instance_depth >= KC_INSTANCE_DEPTH) {
        kc_stop(c, place, "templates need each other too deep");
        kc_leave(c);
        return false;
    }
    p->instance_place[++p->instance_depth] = place;
    return true;
}

void kc_end_instance(struct kc *c)
{
    c->parser->instance_depth--;
    kc_leave(c);
}

/* How many of a pattern's arguments say more than "anything". */
static int weight(const struct type *type)
{
    if (!type)
        return 0;
    if (type->kind == TYPE_PARAMETER)
        return type->is_const + type->is_volatile;
    if (type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY || kc_is_reference(type))
        return 1 + type->is_const + weight(type->base);
    return 3;
}

static bool matches(struct kc *c, const struct specialisation *special,
                    const struct argument *argument, int arguments, struct argument *found,
                    int *score)
{
    if (special->arguments != arguments)
        if (!(special->arguments < arguments) && !(special->arguments > arguments && arguments))
            return false;
    *score = 1;
    memset(found, 0, 32 * sizeof *found);
    for (int i = 0, j = 0; j < special->arguments; i++, j++) {
        const struct argument *pattern = &special->argument[j];
        struct argument given;
        if (i < arguments && argument[i].is_pack) { /* what the primary template takes as a pack */
            const int rest = special->arguments - j;
            const bool packed =
                special->argument[special->arguments - 1].type &&
                special->argument[special->arguments - 1].type->kind == TYPE_PARAMETER &&
                special->argument[special->arguments - 1].type->pack;
            if (argument[i].elements < rest - packed || (!packed && argument[i].elements != rest))
                return false;
            return matches(c,
                           &(struct specialisation){.head = special->head,
                                                    .argument = special->argument + j,
                                                    .arguments = rest},
                           argument[i].element, argument[i].elements, found, score);
        }
        if (pattern->type && pattern->type->kind == TYPE_PARAMETER && pattern->type->pack) {
            struct argument *rest = &found[pattern->type->index];
            rest->is_pack = true;
            rest->elements = arguments > i ? arguments - i : 0;
            rest->element = kc_new(c, (size_t)rest->elements * sizeof *rest->element);
            if (rest->elements)
                memcpy(rest->element, argument + i, (size_t)rest->elements * sizeof *rest->element);
            return true;
        }
        if (i >= arguments)
            return false;
        given = argument[i];
        if (pattern->is_value && pattern->depends) {
            if (!given.is_value)
                return false;
            if (pattern->index >= 0) {
                struct argument *known = &found[pattern->index];
                if (known->is_value && known->value.integer != given.value.integer)
                    return false;
                *known = given;
            }
            continue;
        }
        if (pattern->is_value) {
            if (!given.is_value || given.value.integer != pattern->value.integer)
                return false;
            *score += 3;
            continue;
        }
        if (!pattern->type || !given.type || given.is_value ||
            !kc_deduce(c, pattern->type, given.type, found, 32))
            return false;
        *score += weight(pattern->type);
    }
    return special->arguments >= arguments ||
           (special->arguments && special->argument[special->arguments - 1].type &&
            special->argument[special->arguments - 1].type->kind == TYPE_PARAMETER &&
            special->argument[special->arguments - 1].type->pack);
}

/* Values found by way of enable_if and the like: the pattern's arguments, read with what was found, must be the
 * ones that are given. */
static bool agrees(struct kc *c, const struct specialisation *special, struct argument *found,
                   const struct argument *argument, int arguments)
{
    bool certain = true;
    for (int i = 0; i < special->arguments; i++)
        certain &=
            !(special->argument[i].type && special->argument[i].type->kind == TYPE_DEPENDENT) &&
            !(special->argument[i].depends && special->argument[i].index < 0);
    if (certain)
        return true;
    struct moment moment = kc_moment(c);
    const bool failed = c->failed;
    c->failed = false;
    c->quiet++;
    c->parser->scope =
        kc_bind(c, special->head, found, special->head->parameters, special->head->scope);
    c->parser->in_pattern = false;
    c->parser->at = special->body;
    while (!kc_at(c, '<') && kc_token(c)->kind != TOKEN_END)
        kc_next(c);
    struct argument *list;
    int count;
    bool good = kc_template_arguments(c, &list, &count) && !c->failed && count == arguments &&
                kc_same_arguments(list, argument, count);
    c->quiet--;
    c->failed = failed;
    kc_back(c, moment);
    return good;
}

static const struct specialisation *best_specialisation(struct kc *c, struct template *template,
                                                        const struct argument *argument,
                                                        int arguments, struct argument *found)
{
    const struct specialisation *best = NULL;
    int most = 0;
    for (const struct specialisation *s = template->specialisation; s; s = s->next) {
        struct argument *these = kc_new(c, 32 * sizeof *these);
        int score;
        if (!matches(c, s, argument, arguments, these, &score) ||
            !agrees(c, s, these, argument, arguments))
            continue;
        score += s->head->parameters ? 0 : 1000;
        if (score > most) {
            most = score;
            best = s;
            memcpy(found, these, 32 * sizeof *these);
        }
    }
    return best;
}

struct type *kc_instantiate_class(struct kc *c, struct template *template,
                                  struct argument *argument, int arguments, struct place place)
{
    struct parser *p = c->parser;
    struct type *error = p->basic[TYPE_ERROR];
    for (int i = 0; i < arguments; i++)
        if (argument[i].type && argument[i].type->kind == TYPE_ERROR)
            return error;
    argument = completed(c, template, argument, &arguments, place);
    if (!argument)
        return error;
    struct instance *known = find_instance(template, argument, arguments);
    if (known && (known->type->record->is_complete || known->type->record->in_progress ||
                  known->type->record->is_failed))
        return known->type;
    struct argument found[32];
    const struct specialisation *special =
        best_specialisation(c, template, argument, arguments, found);
    if (!special && !template->body) {
        kc_unknown(c, place, "template '%.*s' is declared, but not defined%s",
                   SLICE(template->name->text),
                   template->specialisation ? " for these arguments" : "");
        return error;
    }
    if (!kc_begin_instance(c, place))
        return error;
    struct moment moment = kc_moment(c);
    struct scope *scope =
        special && special->head->parameters
            ? kc_bind(c, special->head, found, special->head->parameters, template->scope)
        : special ? template->scope
                  : kc_bind(c, template, argument, arguments, template->scope);
    struct record *record = kc_new_record(c, template->name, place, scope);
    record->template = template;
    record->argument = argument;
    record->arguments = arguments;
    if (!known)
        known = kc_new_instance(c, template, argument);
    known->type = record->type;
    p->scope = scope;
    p->at = special ? special->body : template->body;
    p->in_pattern = p->no_greater = p->panic = false;
    p->function = NULL;
    const bool failed = c->failed;
    kc_read_class(c, record);
    record->is_failed = c->failed && !failed && !record->is_complete;
    kc_back(c, moment);
    kc_end_instance(c);
    return record->type;
}

struct type *kc_instantiate_alias(struct kc *c, struct template *template,
                                  struct argument *argument, int arguments, struct place place)
{
    struct parser *p = c->parser;
    argument = completed(c, template, argument, &arguments, place);
    if (!argument || !kc_begin_instance(c, place))
        return p->basic[TYPE_ERROR];
    struct moment moment = kc_moment(c);
    p->scope = kc_bind(c, template, argument, arguments, template->scope);
    p->at = template->body;
    p->in_pattern = p->no_greater = false;
    struct type *type = kc_type_name(c);
    kc_back(c, moment);
    kc_end_instance(c);
    return type;
}

struct variable *kc_instantiate_variable(struct kc *c, struct template *template,
                                         struct argument *argument, int arguments,
                                         struct place place)
{
    struct parser *p = c->parser;
    argument = completed(c, template, argument, &arguments, place);
    if (!argument)
        return NULL;
    struct instance *known = find_instance(template, argument, arguments);
    if (known)
        return known->variable;
    if (!kc_begin_instance(c, place))
        return NULL;
    struct argument found[32];
    const struct specialisation *special =
        best_specialisation(c, template, argument, arguments, found);
    struct moment moment = kc_moment(c);
    struct specifiers s;
    struct declarator d = {0};
    p->scope = special
                   ? kc_bind(c, special->head, found, special->head->parameters, template->scope)
                   : kc_bind(c, template, argument, arguments, template->scope);
    p->at = special ? special->body : template->body;
    p->in_pattern = p->no_greater = false;
    known = kc_new_instance(c, template, argument);
    struct variable *variable = known->variable = KC_NEW(c, struct variable);
    if (kc_specifiers(c, &s, false) && kc_declarator(c, s.type, &d, false)) {
        variable->name = d.name;
        variable->place = d.place;
        variable->type = kc_qualified(c, d.type, true, false);
        variable->is_constexpr = variable->is_static = variable->is_host = true;
        if (kc_at(c, '<'))
            kc_skip_angles(c);
        if (kc_at(c, '=') || kc_at(c, '{'))
            variable->initial = kc_initialiser(c, &variable->type, d.place);
    }
    kc_back(c, moment);
    kc_end_instance(c);
    return variable->type ? variable : NULL;
}

static void take_generic(struct function *function, const struct function *generic)
{
    struct function *const next = function->next;
    struct type *const result = function->result;
    struct parameter *const parameter = function->parameter;
    const int parameters = function->parameters;
    const bool variadic = function->variadic;
    const int trailing = function->trailing;
    struct scope *const scope = function->scope;
    *function = *generic;
    function->next = next;
    function->result = result;
    function->parameter = parameter;
    function->parameters = parameters;
    function->variadic = variadic;
    function->trailing = trailing;
    function->scope = scope;
    function->is_template = false;
    function->all = NULL;
}

/* `auto f(T x) -> U`: reads U. */
static void trailing_type(struct kc *c, struct function *function, const struct function *generic)
{
    if (!generic->trailing || c->token[generic->trailing].word == NULL ||
        c->token[generic->trailing].word->keyword == KEY_DECLTYPE)
        return;
    c->parser->at = generic->trailing;
    function->result = kc_type_name(c);
}

struct function *kc_instantiate_function(struct kc *c, struct function *generic,
                                         struct argument *argument, int arguments,
                                         struct place place)
{
    struct parser *p = c->parser;
    struct template *template = generic->template;
    argument = completed(c, template, argument, &arguments, place);
    if (!argument)
        return NULL;
    struct instance *known = find_instance(template, argument, arguments);
    if (known)
        return known->function;
    if (!kc_begin_instance(c, place))
        return NULL;
    struct moment moment = kc_moment(c);
    struct specifiers s;
    struct declarator d = {0};
    struct function *function = NULL;
    p->scope = kc_bind(c, template, argument, arguments, generic->scope);
    p->at = generic->open;
    if (generic->record && generic->record->is_lambda)
        return kc_lambda_instance(c, generic, argument, arguments, moment);
    p->at = generic->declaration;
    p->in_pattern = p->no_greater = p->panic = false;
    p->function = NULL;
    kc_specifiers(c, &s, generic->record != NULL);
    d.is_constructor = generic->is_constructor;
    const bool failed = c->failed;
    c->failed = false;
    if (kc_declarator(c, s.type ? s.type : p->basic[TYPE_VOID], &d, false) && d.function &&
        !(c->quiet && c->failed)) {
        function = d.function;
        function->scope = p->scope;
        function->result = d.type;
        take_generic(function, generic);
        function->result = d.conversion ? d.conversion : d.type;
        function->argument = argument;
        function->arguments = arguments;
        function->generic = generic;
        trailing_type(c, function, generic);
        if (function->max_threads || s.max_threads)
            function->max_threads = s.max_threads;
        kc_new_instance(c, template, argument)->function = function;
        function->wanted = place;
    }
    c->failed |= failed;
    kc_back(c, moment);
    kc_end_instance(c);
    return function;
}
