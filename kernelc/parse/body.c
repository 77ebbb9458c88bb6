/* body.c - bodies of functions: read when they are needed first, with constructors and destructors. */
#include "kernelc/parser.h"

void kc_need_body(struct kc *c, struct function *function)
{
    struct parser *p = c->parser;
    if (function->all || p->last_function == function)
        return;
    if (p->last_function)
        p->last_function->all = function;
    else
        p->functions = function;
    p->last_function = function;
    function->wanted = kc_token(c)->place;
}

/* A member of an instance of a class template whose definition stands outside of the class. */
void kc_find_outside(struct kc *c, struct function *function)
{
    struct record *record = function->record;
    struct parser *p = c->parser;
    if (!record || !record->template)
        return;
    for (struct outside *o = record->template->outside; o && !function->body; o = o->next) {
        struct word *name =
            function->is_constructor || function->is_destructor ? record->name : function->name;
        if (o->name != name)
            continue;
        struct moment moment = kc_moment(c);
        struct specifiers s;
        struct declarator d = {0};
        p->in_pattern = false;
        p->scope = kc_bind(c, o->head, record->argument, record->arguments, record->scope);
        p->at = o->at;
        c->quiet++;
        const bool failed = c->failed;
        c->failed = false;
        p->function = NULL;
        kc_specifiers(c, &s, false);
        d.qualifier = NULL;
        if (kc_declarator(c, s.type ? s.type : p->basic[TYPE_VOID], &d, false) && d.function) {
            kc_function_tail(c, d.function);
            d.function->is_const |= false;
            if (kc_same_parameters(d.function, function) &&
                d.is_destructor == function->is_destructor &&
                d.is_constructor == function->is_constructor) {
                function->body = d.function->body;
                function->initialisers = d.function->initialisers;
                function->parameter = d.function->parameter;
                function->scope = p->scope;
            }
        }
        c->quiet--;
        c->failed = failed;
        kc_back(c, moment);
    }
}

static struct variable *parameter_variable(struct kc *c, struct function *function,
                                           const struct parameter *parameter)
{
    struct variable *variable = KC_NEW(c, struct variable);
    *variable = (struct variable){.name = parameter->name,
                                  .type = parameter->type,
                                  .place = parameter->place,
                                  .function = function};
    if (parameter->type->kind == TYPE_RECORD)
        if (kc_complete(c, parameter->type, parameter->place))
            kc_ends(c, parameter->type, parameter->place);
    return variable;
}

static void define_parameters(struct kc *c, struct function *function)
{
    struct scope *scope = c->parser->scope;
    function->variable = kc_new(c, (size_t)function->parameters * sizeof *function->variable);
    int variables = 0;
    for (int i = 0; i < function->parameters; i++) {
        const struct parameter *parameter = &function->parameter[i];
        struct variable *variable = NULL;
        if (parameter->type->kind != TYPE_VOID)
            variable = function->variable[variables++] = parameter_variable(c, function, parameter);
        if (!parameter->name)
            continue;
        struct symbol *known = kc_find_in(c, scope, parameter->name);
        if (known && known->kind == SYMBOL_PACK && parameter->is_pack) {
            known->variables[known->elements++] = variable;
            continue;
        }
        if (known) {
            kc_error(c, parameter->place, "there is another parameter '%.*s'",
                     SLICE(parameter->name->text));
            continue;
        }
        struct symbol *symbol =
            kc_define(c, scope, parameter->is_pack ? SYMBOL_PACK : SYMBOL_VARIABLE, parameter->name,
                      parameter->place);
        if (parameter->is_pack) {
            symbol->variables =
                kc_new(c, (size_t)(function->parameters + 1) * sizeof *symbol->variables);
            if (variable)
                symbol->variables[symbol->elements++] = variable;
        } else {
            symbol->variable = variable;
        }
    }
    function->variables = variables;
}

/* One member or base of a constructor: its initialiser, as an assignment of `x(1)` to the field. */
static void initialise_member(struct kc *c, struct function *function, struct node **initial,
                              struct node **delegated)
{
    struct parser *p = c->parser;
    struct record *record = function->record;
    struct naming name = {0};
    const struct token *token = kc_token(c);
    uint64_t offset = 0;
    struct field *field =
        token->kind == TOKEN_WORD ? kc_find_field(record, token->word, &offset) : NULL;
    int number = 0;
    if (field) {
        kc_next(c);
    } else {
        if (!kc_name(c, &name, true) || !name.type || name.type->kind != TYPE_RECORD) {
            kc_syntax(c, "'%.*s' is no member of '%s'", SLICE(token->text),
                      kc_type_text(c, record->type));
            return;
        }
        for (field = record->field; field; field = field->next)
            if (field->is_base && field->type->plain == name.type->plain)
                break;
    }
    const bool braces = kc_at(c, '{');
    struct type *type = field ? field->type : record->type;
    struct node *node;
    if (braces) {
        node = kc_from_braces(c, type, kc_braces(c));
    } else {
        struct node **list;
        int count;
        const int close = kc_past(c, p->at) - 1;
        if (!kc_expect(c, '(', "after the name of a member"))
            return;
        kc_arguments(c, close, &list, &count);
        node = kc_construct(c, type, list, count, false, token->place);
    }
    if (!field) {
        if (name.type->plain != record->type->plain)
            kc_error(c, token->place, "'%s' is no base of '%s'", kc_type_text(c, name.type),
                     kc_type_text(c, record->type));
        *delegated = node;
        return;
    }
    for (const struct field *f = record->field; f && f != field; f = f->next)
        number++;
    if (field->type == type && number < function->initials)
        initial[number] = node;
}

/* Members or, with `...` behind the name, each of the bases that a pack stands for. */
static void initialise_members(struct kc *c, struct function *function, struct node **initial,
                               struct node **delegated)
{
    struct parser *p = c->parser;
    const int from = p->at;
    int open = from;
    while (open < c->tokens - 1 && !(c->token[open].kind == TOKEN_SIGN &&
                                     (c->token[open].sign == '(' || c->token[open].sign == '{')))
        open++;
    const int ellipsis = kc_past(c, open);
    struct packs packs;
    if (ellipsis <= open || c->token[ellipsis].kind != TOKEN_SIGN ||
        c->token[ellipsis].sign != SIGN_ELLIPSIS || !kc_packs(c, from, ellipsis, &packs)) {
        initialise_member(c, function, initial, delegated);
        return;
    }
    for (int i = 0; i < packs.elements; i++) {
        kc_pack_element(&packs, i);
        p->at = from;
        initialise_member(c, function, initial, delegated);
        kc_pack_end(&packs);
    }
    p->at = ellipsis + 1;
}

/* An inherited constructor gives what it is given to that of the base. */
static void pass_on(struct kc *c, struct function *function, struct node **initial)
{
    struct node **list = kc_new(c, (size_t)(function->variables + 1) * sizeof *list);
    int number = 0;
    for (int i = 0; i < function->variables; i++) {
        struct variable *variable = function->variable[i];
        list[i] = kc_new_node(c, NODE_VARIABLE, function->place, kc_unreferenced(variable->type));
        list[i]->variable = variable;
        list[i]->is_place = true;
        list[i]->is_moved = variable->type->kind != TYPE_REFERENCE;
    }
    for (const struct field *f = function->record->field; f; f = f->next, number++)
        if (f->inherits && kc_derives(f->type->record, function->inherited, &(uint64_t){0}))
            initial[number] = kc_construct(c, f->type, list, function->variables, false, f->place);
}

/* The initialisers of all fields, in their order; NULL: the field stays as it is. */
static void read_initialisers(struct kc *c, struct function *function)
{
    struct record *record = function->record;
    struct parser *p = c->parser;
    struct node *delegated = NULL;
    int fields = 0;
    for (const struct field *f = record->field; f; f = f->next)
        fields++;
    function->initials = fields;
    struct node **initial = function->initial = kc_new(c, (size_t)(fields + 1) * sizeof *initial);
    if (function->inherited) {
        pass_on(c, function, initial);
    } else if (function->initialisers) {
        p->at = function->initialisers + 1;
        do {
            initialise_members(c, function, initial, &delegated);
        } while (!p->panic && kc_accept(c, ','));
    }
    if (delegated) {
        function->initials = -1;
        initial[0] = delegated;
        return;
    }
    int i = 0;
    for (struct field *f = record->field; f; f = f->next, i++) {
        if (initial[i])
            continue;
        if (f->initial)
            initial[i] = kc_field_initial(c, record, f, function);
        else if (f->type->kind == TYPE_RECORD &&
                 (f->type->record->constructor || f->type->record->has_initial))
            initial[i] = kc_construct(c, f->type, NULL, 0, false, function->place);
        else if (kc_is_reference(f->type))
            kc_error(c, function->place, "the constructor does not say what '%.*s' refers to",
                     f->name ? f->name->text.length : 0, f->name ? f->name->text.at : "");
    }
}

void kc_read_body(struct kc *c, struct function *function)
{
    struct parser *p = c->parser;
    if (function->state != BODY_UNREAD)
        return;
    function->state = BODY_READING;
    if (!function->body && !function->inherited)
        kc_find_outside(c, function);
    if (p->instance_depth >= KC_INSTANCE_DEPTH) {
        kc_stop(c, function->place, "functions need each other's types too deep");
        return;
    }
    if (!kc_enter(c, function->place)) {
        kc_leave(c);
        return;
    }
    p->instance_place[++p->instance_depth] = function->wanted;
    struct moment moment = kc_moment(c);
    p->in_pattern = p->no_greater = p->panic = p->unevaluated = false;
    p->loop = p->switch_node = p->jumps = NULL;
    p->function = function;
    p->scope = kc_scope(c, function->scope, 16);
    p->scope->function = function;
    define_parameters(c, function);
    if (function->record && !function->is_static) {
        function->self = KC_NEW(c, struct variable);
        function->self->type =
            kc_reference(c, kc_qualified(c, function->record->type, function->is_const, false));
        function->self->function = function;
    }
    if (function->is_constructor)
        read_initialisers(c, function);
    p->panic = false;
    if (function->body && !function->inherited) {
        p->at = function->body;
        function->tree = kc_block(c);
        kc_check_jumps(c);
        kc_check_returns(c, function);
    } else if (function->is_defaulted || function->inherited) {
        function->tree = kc_new_node(c, NODE_BLOCK, function->place, p->basic[TYPE_VOID]);
    }
    if (function->result->kind == TYPE_AUTO)
        function->result = p->basic[TYPE_VOID];
    kc_back(c, moment);
    p->instance_depth--;
    kc_leave(c);
    function->state = BODY_READ;
}

static bool has_auto(const struct type *type)
{
    while (type->kind == TYPE_POINTER || kc_is_reference(type))
        type = type->base;
    return type->kind == TYPE_AUTO;
}

struct type *kc_result(struct kc *c, struct function *function, struct place place)
{
    if (has_auto(function->result)) {
        kc_need_body(c, function);
        kc_read_body(c, function);
        if (has_auto(function->result)) {
            kc_error(c, place, "the result of '%s' is not known yet: it is 'auto' and calls itself",
                     kc_function_text(c, function));
            return c->parser->basic[TYPE_ERROR];
        }
    }
    return function->result;
}
