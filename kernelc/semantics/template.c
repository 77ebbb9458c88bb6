/* template.c - templates: their parameters, arguments, and instances. */
#include "kernelc/parser.h"

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
            if (token->kind == TOKEN_SIGN && token->sign == '(' && kc_past(c, p->at) > p->at) {
                if (kc_ahead(c, 2)->kind == TOKEN_WORD && kc_past(c, p->at) == p->at + 4)
                    parameter->name = kc_ahead(c, 2)->word; /* int (*f)(int) */
                p->at = kc_past(c, p->at) - 1;
                continue;
            }
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

static struct instance *find_instance(struct kc *c, struct template *template,
                                      const struct argument *argument, int arguments)
{
    for (struct instance *instance = template->instance; instance && kc_work(c);
         instance = instance->next)
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

static bool begin_instance(struct kc *c, struct place place)
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

static int weight_of_type(const struct type *type);

/* How much of a pattern's argument says more than "anything". */
static int weight(const struct argument *pattern)
{
    return pattern->template || pattern->is_value ? 3 * !pattern->depends
                                                  : weight_of_type(pattern->type);
}

static int weight_of_type(const struct type *type)
{
    if (!type)
        return 0;
    int all = type->is_const + type->is_volatile;
    if (type->kind == TYPE_PARAMETER)
        return all;
    if (type->kind == TYPE_ARRAY)
        all += type->count != -2;
    if (type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY || kc_is_reference(type))
        return 1 + all + weight_of_type(type->base);
    all += 3;
    if (type->kind == TYPE_INSTANCE) { /* its defaults are as good as given */
        for (int i = 0; i < type->arguments; i++)
            all += weight(&type->argument[i]);
        if (type->arguments < type->template->parameters)
            all += 3 * (type->template->parameters - type->arguments);
    }
    return all;
}

/* Adds to what is found, and to the score. */
static bool matches_too(struct kc *c, const struct specialisation *special,
                        const struct argument *argument, int arguments, struct argument *found,
                        int *score)
{
    for (int i = 0, j = 0; j < special->arguments; i++, j++) {
        const struct argument *pattern = &special->argument[j];
        if (i < arguments && argument[i].is_pack) { /* what the primary template takes as a pack */
            const int rest = special->arguments - j;
            const bool packed = kc_is_pack_pattern(&special->argument[special->arguments - 1]);
            if (argument[i].elements < rest - packed || (!packed && argument[i].elements != rest))
                return false;
            return matches_too(c,
                               &(struct specialisation){.head = special->head,
                                                        .argument = special->argument + j,
                                                        .arguments = rest},
                               argument[i].element, argument[i].elements, found, score);
        }
        if (kc_is_pack_pattern(pattern))
            return kc_note_pack(c, found, 32, pattern, arguments > i ? argument + i : NULL,
                                arguments > i ? arguments - i : 0);
        if (i >= arguments)
            return false;
        if (!kc_deduce_argument(c, pattern, &argument[i], found, 32))
            return false;
        *score += weight(pattern);
    }
    return special->arguments >= arguments ||
           (special->arguments && kc_is_pack_pattern(&special->argument[special->arguments - 1]));
}

static bool matches(struct kc *c, const struct specialisation *special,
                    const struct argument *argument, int arguments, struct argument *found,
                    int *score)
{
    *score = 1;
    memset(found, 0, 32 * sizeof *found);
    return matches_too(c, special, argument, arguments, found, score);
}

/* Whether the arguments behind the first `count` are what the template takes where none are given. */
static bool are_defaults(struct kc *c, struct template *template, const struct argument *argument,
                         int arguments, int count)
{
    struct argument *first = kc_new(c, (size_t)(count + 1) * sizeof *first);
    memcpy(first, argument, (size_t)count * sizeof *first);
    const bool failed = c->failed;
    c->failed = false;
    c->quiet++;
    const struct argument *all = completed(c, template, first, &count, template->place);
    const bool good =
        all && !c->failed && count == arguments && kc_same_arguments(all, argument, arguments);
    c->quiet--;
    c->failed = failed;
    return good;
}

/* Arguments with packs' elements in their places. */
static int flat(struct kc *c, const struct argument *argument, int arguments,
                struct argument **list, int *room, int count)
{
    for (int i = 0; i < arguments; i++)
        if (argument[i].is_pack) {
            count = flat(c, argument[i].element, argument[i].elements, list, room, count);
        } else {
            kc_grow(c, list, room, &count, sizeof **list);
            (*list)[count++] = argument[i];
        }
    return count;
}

/* Deduction is content with what a call's arguments can become, and with what enable_if and the like say: here the
 * pattern's arguments, read with what was found, must be the ones that are given. */
static bool agrees(struct kc *c, const struct specialisation *special, struct argument *found,
                   const struct argument *argument, int arguments)
{
    struct moment moment = kc_moment(c);
    struct argument *given = NULL, *list;
    int room = 0, count;
    const int all = flat(c, argument, arguments, &given, &room, 0);
    const bool failed = c->failed;
    c->failed = false;
    c->quiet++;
    c->parser->scope = kc_bind(c, special->head, found, special->head->parameters, special->scope);
    c->parser->in_pattern = false;
    c->parser->at = special->list;
    bool good = kc_template_arguments(c, &list, &count) && !c->failed && count == all &&
                kc_same_arguments(list, given, count);
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
        int score, count = arguments;
        if (s->arguments && s->arguments < arguments &&
            !kc_is_pack_pattern(&s->argument[s->arguments - 1])) {
            if (!are_defaults(c, template, argument, arguments, s->arguments))
                continue;
            count = s->arguments;
        }
        if (!matches(c, s, argument, count, these, &score) || !agrees(c, s, these, argument, count))
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
    struct instance *known = find_instance(c, template, argument, arguments);
    if (known &&
        (known->type->record->in_progress ||
         (known->type->record->is_failed ? c->quiet > 0 : known->type->record->is_complete)))
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
    if (!begin_instance(c, place))
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
    kc_set_instance_levels(c, record, place);
    if (!known)
        known = kc_new_instance(c, template, argument);
    known->type = record->type;
    p->scope = scope;
    p->at = special ? special->body : template->body;
    p->in_pattern = p->no_greater = p->panic = false;
    p->function = NULL;
    const bool failed = c->failed;
    kc_read_class(c, record);
    record->is_failed = c->failed && !failed; /* read again and told when it is more than tried */
    kc_back(c, moment);
    kc_end_instance(c);
    return record->type;
}

struct type *kc_instantiate_alias(struct kc *c, struct template *template,
                                  struct argument *argument, int arguments, struct place place)
{
    struct parser *p = c->parser;
    argument = completed(c, template, argument, &arguments, place);
    if (!argument || !begin_instance(c, place))
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
    struct instance *known = find_instance(c, template, argument, arguments);
    if (known)
        return known->variable;
    if (!begin_instance(c, place))
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
    struct instance *known = find_instance(c, template, argument, arguments);
    if (known)
        return known->function;
    if (!begin_instance(c, place))
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
