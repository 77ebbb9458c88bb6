/* function.c - functions: parameters, declarations, and bodies, which are read when they are needed. */
#include "kernelc/parser.h"

#include <string.h>

/* ---- parameters --------------------------------------------------------------------------------- */

static void add_parameter(struct kc *c, struct function *function, int *room,
                          struct parameter parameter)
{
    kc_grow(c, &function->parameter, room, &function->parameters, sizeof *function->parameter);
    function->parameter[function->parameters++] = parameter;
}

/* As a parameter an array is a pointer, and const of the parameter itself is none of its type. */
static struct type *adjusted(struct kc *c, struct type *type)
{
    if (type->kind == TYPE_ARRAY)
        return kc_pointer(c, type->base);
    if (type->kind == TYPE_FUNCTION)
        return kc_pointer(c, type);
    return type;
}

static bool one_parameter(struct kc *c, struct function *function, int *room)
{
    struct specifiers s;
    struct declarator d = {0};
    const struct place place = kc_token(c)->place;
    if (!kc_specifiers(c, &s, false)) {
        kc_syntax(c, "the type of a parameter is missing before '%.*s'", SLICE(kc_token(c)->text));
        return false;
    }
    if (kc_accept(c, SIGN_ELLIPSIS))
        d.is_pack = true;
    if (!kc_declarator(c, s.type, &d, true))
        return false;
    struct type *type = d.function ? kc_type_of_function(c, d.function) : d.type;
    if (type->kind == TYPE_VOID && !d.name && function->parameters == 0 && kc_at(c, ')'))
        return true;
    if (type->kind == TYPE_VOID) {
        kc_error(c, place, "a parameter cannot be of type 'void'");
        type = c->parser->basic[TYPE_ERROR];
    }
    struct parameter parameter = {.name = d.name,
                                  .type = adjusted(c, type),
                                  .place = d.name ? d.place : place,
                                  .is_pack = d.is_pack};
    if (kc_accept(c, '=')) {
        int ellipsis;
        parameter.initial = c->parser->at;
        c->parser->at = kc_argument_end(c, c->parser->at, &ellipsis);
    }
    add_parameter(c, function, room, parameter);
    return true;
}

/* T... x of an instance: a parameter for each element. */
static bool pack_parameter(struct kc *c, struct function *function, int *room, int end)
{
    struct packs packs;
    const int from = c->parser->at;
    bool good = true;
    if (!kc_packs(c, from, end, &packs))
        return false;
    for (int i = 0; i < packs.elements && good; i++) {
        kc_pack_element(&packs, i);
        c->parser->at = from;
        good = one_parameter(c, function, room);
        kc_pack_end(&packs);
        if (good)
            function->parameter[function->parameters - 1].is_pack = true;
    }
    if (!packs.elements) { /* its name stands for none */
        struct word *name = c->token[end - 1].kind == TOKEN_WORD ? c->token[end - 1].word : NULL;
        add_parameter(
            c, function, room,
            (struct parameter){.name = name, .type = c->parser->basic[TYPE_VOID], .is_pack = true});
    }
    c->parser->at = end;
    return good;
}

void kc_parameters(struct kc *c, struct function *function)
{
    struct parser *p = c->parser;
    int room = 0;
    const int close = kc_past(c, p->at) - 1;
    const bool greater = p->no_greater;
    p->no_greater = false;
    kc_next(c);
    bool good = kc_enter(c, kc_token(c)->place);
    while (good && !kc_at(c, ')') && kc_token(c)->kind != TOKEN_END) {
        int ellipsis;
        if (kc_accept(c, SIGN_ELLIPSIS)) {
            function->variadic = true;
            break;
        }
        const int end = kc_argument_end(c, p->at, &ellipsis);
        if (ellipsis && !p->in_pattern && ellipsis >= end - 2)
            good = pack_parameter(c, function, &room, end);
        else
            good = one_parameter(c, function, &room);
        if (!kc_accept(c, ','))
            break;
        if (function->parameters > 1000)
            good = false;
    }
    kc_leave(c);
    p->no_greater = greater;
    if (good)
        good = kc_expect(c, ')', "after the parameters");
    if (close > p->at || !good)
        p->at = close >= 0 ? close + 1 : p->at;
}

struct type *kc_type_of_function(struct kc *c, struct function *function)
{
    struct type *list[64];
    int count = 0;
    for (int i = 0; i < function->parameters && count < 64; i++)
        if (function->parameter[i].type->kind != TYPE_VOID)
            list[count++] = function->parameter[i].type->plain;
    return kc_function_type(c, function->result, list, count, function->variadic);
}

/* ---- declaring ---------------------------------------------------------------------------------- */

/* Past the initialisers of a constructor: at its body. */
static void skip_initialisers(struct kc *c)
{
    kc_next(c);
    while (kc_token(c)->kind != TOKEN_END && !kc_at(c, ';')) {
        if (kc_at(c, '<')) {
            kc_skip_angles(c);
        } else if (kc_at(c, '(') || kc_at(c, '{')) {
            const int past = kc_past(c, c->parser->at);
            if (past == c->parser->at)
                return;
            c->parser->at = past;
            kc_accept(c, SIGN_ELLIPSIS);
            if (!kc_accept(c, ','))
                return;
        } else {
            kc_next(c);
        }
    }
}

static void trailing_result(struct kc *c, struct function *function)
{
    struct parser *p = c->parser;
    kc_next(c);
    function->trailing = p->at;
    if (!p->in_pattern && !kc_at_key(c, KEY_DECLTYPE)) {
        function->result = kc_type_name(c);
        return;
    }
    while (!kc_at(c, '{') && !kc_at(c, ';') && kc_token(c)->kind != TOKEN_END) {
        if (kc_at(c, '('))
            p->at = kc_past(c, p->at) - 1;
        kc_next(c);
    }
}

/* What follows the parameters, with the body, which is passed over. */
void kc_function_tail(struct kc *c, struct function *function)
{
    struct parser *p = c->parser;
    for (;;) {
        kc_attributes(c, NULL);
        const struct token *token = kc_token(c);
        if (kc_accept_key(c, KEY_CONST))
            function->is_const = true;
        else if (kc_accept_key(c, KEY_NOEXCEPT)) {
            if (kc_at(c, '('))
                p->at = kc_past(c, p->at);
        } else if (kc_at(c, SIGN_ARROW))
            trailing_result(c, function);
        else if (token->kind == TOKEN_WORD &&
                 (slice_is(token->text, "override") || slice_is(token->text, "final")))
            kc_next(c);
        else if (!kc_accept_key(c, KEY_VOLATILE) && !kc_accept(c, '&') && !kc_accept(c, SIGN_AND) &&
                 !kc_accept_key(c, KEY_FORCEINLINE) && !kc_accept_key(c, KEY_INLINE))
            break;
    }
    if (kc_at(c, '=') && kc_ahead(c, 2)->kind == TOKEN_SIGN && kc_ahead(c, 2)->sign == ';') {
        kc_next(c);
        function->is_defaulted = kc_at_key(c, KEY_DEFAULT);
        function->is_deleted = kc_at_key(c, KEY_DELETE);
        kc_next(c);
    }
    if (kc_at(c, ':')) {
        function->initialisers = p->at;
        skip_initialisers(c);
    }
    if (kc_at(c, '{')) {
        function->body = p->at;
        const int past = kc_past(c, p->at);
        p->at = past > p->at ? past : p->at + 1;
    }
}

static void take_specifiers(struct kc *c, struct function *function, const struct specifiers *s,
                            const struct declarator *d)
{
    function->name = d->name;
    function->place = d->place;
    function->first = function->declaration = s->begin;
    function->is_device = s->is_device || s->is_global;
    function->is_host = s->is_host || !function->is_device;
    function->is_global = s->is_global;
    function->is_constexpr = s->is_constexpr;
    function->is_static = s->is_static;
    function->is_explicit = s->is_explicit;
    function->is_extern_c = s->is_extern_c;
    function->max_threads = s->max_threads;
    function->is_constructor = d->is_constructor;
    function->is_destructor = d->is_destructor;
    function->is_conversion = d->conversion != NULL;
    function->is_ours = c->file_is_ours[d->place.file];
    if (function->is_ours)
        function->is_device = true;
    if (d->conversion)
        function->result = d->conversion;
}

bool kc_same_parameters(const struct function *a, const struct function *b)
{
    if (a->parameters != b->parameters || a->variadic != b->variadic || a->is_const != b->is_const)
        return false;
    for (int i = 0; i < a->parameters; i++) {
        const struct type *one = a->parameter[i].type->plain, *other = b->parameter[i].type->plain;
        if (one != other && !(one->kind == TYPE_INSTANCE && other->kind == TYPE_INSTANCE &&
                              one->template == other->template &&
                              kc_same_arguments(one->argument, other->argument, one->arguments)))
            return false;
    }
    return true;
}

/* Whether two functions, which are told apart by their parameters, have one result. */
static bool same_result(const struct kc *c, const struct function *a, const struct function *b)
{
    const struct type *one = a->result, *other = b->result;
    if (!one || !other)
        return true;
    const bool told = one == c->parser->basic[TYPE_VOID] || kc_is_scalar(one);
    const bool also = other == c->parser->basic[TYPE_VOID] || kc_is_scalar(other);
    return !told || !also || one->plain == other->plain;
}

/* A declaration and its definition are one function. */
static bool merge(struct kc *c, struct function *first, struct function *fresh)
{
    for (struct function *f = first; f; f = f->next) {
        if (f->is_template != fresh->is_template || !kc_same_parameters(f, fresh) ||
            (f->is_template && f->template->parameters != fresh->template->parameters))
            continue;
        if (f->is_template && f->result != fresh->result)
            continue; /* told apart by enable_if in their results */
        if (!f->is_template && !same_result(c, f, fresh))
            kc_error(c, fresh->place,
                     "the result of '%s' has another type in its declaration on line %d",
                     kc_function_text(c, fresh), f->place.line);
        if (f->body && fresh->body) {
            if (f->is_template) /* told apart by defaults of template parameters */
                return false;
            kc_error(c, fresh->place, "'%s' is defined a second time (first on line %d)",
                     kc_function_text(c, fresh), f->place.line);
        }
        if (fresh->body) {
            for (int i = 0; i < f->parameters; i++)
                if (f->parameter[i].initial)
                    fresh->parameter[i].initial = f->parameter[i].initial;
            f->parameter = fresh->parameter;
            f->body = fresh->body;
            f->initialisers = fresh->initialisers;
            f->declaration = fresh->declaration;
            f->open = fresh->open;
            f->place = fresh->place;
            if (fresh->is_template)
                f->template = fresh->template;
            if (!f->record)
                f->scope = fresh->scope;
        }
        f->is_device |= fresh->is_device;
        f->is_global |= fresh->is_global;
        f->is_constexpr |= fresh->is_constexpr;
        f->max_threads = fresh->max_threads ? fresh->max_threads : f->max_threads;
        return true;
    }
    return false;
}

static void append_overload(struct function **first, struct function *function)
{
    while (*first)
        first = &(*first)->next;
    *first = function;
}

static bool is_alike(const struct function *a, const struct function *b)
{
    return a->is_const == b->is_const && a->is_template == b->is_template &&
           kc_same_parameters(a, b);
}

struct function *kc_copy_unread(struct kc *c, const struct function *of)
{
    struct function *copy = KC_NEW(c, struct function);
    *copy = *of;
    copy->next = copy->all = copy->below = NULL;
    copy->state = BODY_UNREAD;
    copy->self = NULL;
    copy->tree = NULL;
    copy->symbol = NULL;
    copy->is_active = copy->is_called = false;
    return copy;
}

/* using Base::f; - the class has them beside its own, which hide those that are alike. */
void kc_use_functions(struct kc *c, struct scope *scope, const struct symbol *of,
                      struct symbol *own)
{
    for (const struct function *f = of->function; f && kc_work(c); f = f->next) {
        const struct function *hiding = own && own->kind == SYMBOL_FUNCTION ? own->function : NULL;
        while (hiding && !is_alike(hiding, f))
            hiding = hiding->next;
        if (hiding)
            continue;
        struct function *used = kc_copy_unread(c, f);
        used->is_used = true;
        if (!own)
            own = kc_define(c, scope, SYMBOL_FUNCTION, of->name, f->place);
        append_overload(&own->function, used);
    }
}

static void add_function(struct kc *c, struct scope *scope, struct function *function)
{
    struct symbol *symbol = kc_find_in(c, scope, function->name);
    if (symbol && symbol->kind == SYMBOL_FUNCTION && symbol->scope == scope) {
        for (struct function **f = &symbol->function; *f;)
            if ((*f)->is_used && is_alike(*f, function))
                *f = (*f)->next;
            else
                f = &(*f)->next;
        append_overload(&symbol->function, function);
        return;
    }
    if (symbol && symbol->scope == scope && symbol->kind != SYMBOL_LOST &&
        symbol->kind != SYMBOL_TYPE && symbol->kind != SYMBOL_FUNCTION) {
        kc_error(c, function->place, "'%.*s' is already declared as something else, on line %d",
                 SLICE(function->name->text), symbol->place.line);
        return;
    }
    symbol = kc_define(c, scope, SYMBOL_FUNCTION, function->name, function->place);
    symbol->function = function;
    symbol->token = function->first; /* the parser may stand behind the source's last token */
}

/* A member's definition outside of its class. */
static void outside_member(struct kc *c, struct record *record, struct function *function)
{
    struct function *first = function->is_constructor  ? record->constructor
                             : function->is_destructor ? record->destructor
                                                       : NULL;
    struct symbol *symbol = kc_find_in(c, record->scope, function->name);
    if (!first && symbol && symbol->kind == SYMBOL_FUNCTION)
        first = symbol->function;
    if (!first || !merge(c, first, function))
        kc_error(c, function->place, "'%s' is not declared in '%s'", kc_function_text(c, function),
                 kc_type_text(c, record->type));
}

/* template <> float f<float>(float): an instance that is given. */
static void specialise(struct kc *c, struct scope *scope, struct function *function,
                       const struct declarator *d)
{
    struct symbol *symbol = kc_find_in(c, scope, function->name);
    for (struct function *f = symbol && symbol->kind == SYMBOL_FUNCTION ? symbol->function : NULL;
         f; f = f->next) {
        struct template *template = f->template;
        if (!f->is_template || f->parameters != function->parameters || template->parameters > 32)
            continue;
        struct argument found[32] = {0};
        for (int i = 0; i < d->arguments && i < template->parameters; i++)
            found[i] = d->argument[i];
        bool good = true;
        for (int i = 0; i < f->parameters; i++)
            good &= kc_deduce(c, f->parameter[i].type, function->parameter[i].type, found, 32);
        int count = d->arguments;
        for (int i = 0; i < template->parameters; i++)
            if (found[i].type || found[i].is_value)
                count = i + 1;
        if (!good || count < template->parameters)
            continue;
        struct instance *instance = KC_NEW(c, struct instance);
        instance->argument = kc_new(c, sizeof found);
        memcpy(instance->argument, found, sizeof found);
        instance->function = function;
        instance->next = template->instance;
        template->instance = instance;
        function->argument = instance->argument;
        function->arguments = count;
        function->generic = f;
        function->template = template;
        if (function->is_global && function->body)
            kc_need_body(c, function);
        return;
    }
    kc_error(c, function->place, "there is no template that '%s' could be a specialisation of",
             kc_function_text(c, function));
}

void kc_declare_function(struct kc *c, struct scope *scope, struct record *record,
                         struct template *template, struct specifiers *s, struct declarator *d)
{
    struct function *function = d->function;
    take_specifiers(c, function, s, d);
    function->scope = scope;
    function->result = d->conversion ? d->conversion : d->type;
    function->is_template = template && template->parameters > 0;
    function->template = function->is_template ? template : NULL;
    if (function->is_template && !template->name)
        template->name = function->name;
    kc_function_tail(c, function);
    if (d->outside) { /* of a class template: each instance looks for it */
        struct outside *outside = KC_NEW(c, struct outside);
        *outside = (struct outside){d->outside->outside, template, d->name, s->begin};
        d->outside->outside = outside;
        return;
    }
    if (d->qualifier && d->qualifier->record) {
        function->record = d->qualifier->record;
        function->scope = d->qualifier;
        outside_member(c, d->qualifier->record, function);
        return;
    }
    if (d->qualifier)
        scope = function->scope = d->qualifier;
    if (record && s->is_friend) {
        while (scope && !scope->is_namespace)
            scope = scope->outer;
        record = NULL;
    }
    function->record = record;
    if (record && function->name->text.length > 12 &&
        slice_begins(function->name->text, "operator new"))
        return;
    if (template && !template->parameters && !record) {
        specialise(c, scope, function, d);
        return;
    }
    struct symbol *known = kc_find_in(c, scope, d->name);
    if ((function->is_constructor || function->is_destructor) && !record) {
        kc_error(c, function->place,
                 "a constructor or destructor is declared outside of its class");
        return;
    }
    if (function->is_constructor || function->is_destructor) {
        append_overload(function->is_constructor ? &record->constructor : &record->destructor,
                        function);
        return;
    }
    if (!record && known && known->kind == SYMBOL_FUNCTION && merge(c, known->function, function))
        return;
    add_function(c, scope, function);
    const bool read =
        function->is_device && !function->is_ours && function->body && !function->is_template;
    if (!record && read && (function->is_global || !function->is_host))
        kc_need_body(c, function);
}
