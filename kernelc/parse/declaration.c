/* declaration.c - declarations as wholes: of the file, of a namespace, of a class, of a block.
 *
 * What host code alone could mean is read without complaint: if it names what is not known here, its names
 * are kept as lost, and said when device code uses them.
 */
#include "kernelc/parser.h"

static void declaration(struct kc *c, struct scope *scope, struct record *record,
                        struct template *template, struct node *block);

/* ---- host code ---------------------------------------------------------------------------------- */

static bool is_key(const struct token *token, int keyword)
{
    return token->kind == TOKEN_WORD && token->word->keyword == keyword;
}

static bool is_device_key(const struct token *token)
{
    return is_key(token, KEY_DEVICE) || is_key(token, KEY_GLOBAL) || is_key(token, KEY_SHARED) ||
           is_key(token, KEY_CONSTANT) || is_key(token, KEY_MANAGED);
}

/* The token behind the declaration that begins here. */
static int declaration_end(struct kc *c)
{
    bool to_semicolon = false;
    for (int i = c->parser->at; i < c->tokens - 1; i++) {
        const struct token *token = &c->token[i];
        if (is_key(token, KEY_STRUCT) || is_key(token, KEY_CLASS) || is_key(token, KEY_UNION) ||
            is_key(token, KEY_ENUM))
            to_semicolon = true;
        if (token->kind != TOKEN_SIGN)
            continue;
        if (token->sign == '=')
            to_semicolon = true;
        if (token->sign == '(')
            to_semicolon = false;
        if (token->sign == ';')
            return i + 1;
        if (token->sign == '}')
            return i;
        if (token->match > i) {
            i = token->match;
            if (token->sign == '{' && !to_semicolon &&
                !(i + 1 < c->tokens && c->token[i + 1].kind == TOKEN_SIGN &&
                  c->token[i + 1].sign == ';'))
                return i + 1;
        }
    }
    return c->tokens - 1;
}

static bool is_device_code(struct kc *c, int from, int to)
{
    for (int i = from; i < to; i++)
        if (is_device_key(&c->token[i]))
            return true;
    return false;
}

/* The names that a lost declaration may have declared. */
static void lose_names(struct kc *c, struct scope *scope, int from, int to)
{
    int depth = 0;
    for (int i = from; i < to; i++) {
        const struct token *token = &c->token[i];
        if (token->kind == TOKEN_SIGN && token->match > i)
            i = token->match;
        if (token->kind == TOKEN_SIGN)
            depth += (token->sign == '<') - (token->sign == '>');
        if (token->kind != TOKEN_WORD || token->word->keyword || depth > 0 ||
            kc_find_in(c, scope, token->word))
            continue;
        const struct token *next = &c->token[i + 1];
        if (next->kind == TOKEN_SIGN && next->sign != SIGN_SCOPE && next->sign != '<')
            kc_define(c, scope, SYMBOL_LOST, token->word, token->place)->why = c->failed_text;
    }
}

/* Reads a declaration that may be the host's. */
static void lenient_declaration(struct kc *c, struct scope *scope, int end)
{
    struct parser *p = c->parser;
    const int from = p->at;
    c->failed = c->unknown = false;
    c->quiet++;
    declaration(c, scope, NULL, NULL, NULL);
    c->quiet--;
    if (!c->failed)
        return;
    if (!c->unknown)
        kc_error(c, c->failed_place, "%s", c->failed_text);
    p->at = end > from ? end : from + 1;
    p->panic = false;
    lose_names(c, scope, from, end);
    c->failed = false;
}

void kc_declaration(struct kc *c, struct scope *scope, struct record *record,
                    struct template *template, struct node *block)
{
    struct parser *p = c->parser;
    const struct token *token = kc_token(c);
    const bool nested = is_key(token, KEY_NAMESPACE) ||
                        (is_key(token, KEY_EXTERN) && kc_ahead(c, 1)->kind == TOKEN_STRING &&
                         kc_ahead(c, 2)->kind == TOKEN_SIGN && kc_ahead(c, 2)->sign == '{') ||
                        (is_key(token, KEY_INLINE) && is_key(kc_ahead(c, 1), KEY_NAMESPACE));
    const int end = declaration_end(c);
    if (scope->is_namespace && !record && !block && !template && !nested && !c->quiet &&
        !c->file_is_ours[token->place.file] && !is_device_code(c, p->at, end)) {
        lenient_declaration(c, scope, end);
        return;
    }
    declaration(c, scope, record, template, block);
}

/* ---- templates ---------------------------------------------------------------------------------- */

/* template void f<int>(int); and template struct X<int>; */
static void explicit_instantiation(struct kc *c)
{
    struct parser *p = c->parser;
    struct specifiers specifiers;
    kc_next(c);
    if (kc_at_key(c, KEY_STRUCT) || kc_at_key(c, KEY_CLASS)) {
        kc_skip_statement(c);
        return;
    }
    kc_specifiers(c, &specifiers, false);
    while (kc_accept(c, '*') || kc_accept(c, '&'))
        ;
    struct naming name = {0};
    if (!kc_name(c, &name, false) || !name.symbol || name.symbol->kind != SYMBOL_FUNCTION) {
        kc_skip_statement(c);
        p->panic = false;
        return;
    }
    for (struct function *f = name.symbol->function; f; f = f->next)
        if (f->is_template && name.has_arguments) {
            struct function *instance =
                kc_instantiate_function(c, f, name.argument, name.arguments, name.place);
            if (instance && f->is_global)
                kc_need_body(c, instance);
            break;
        }
    kc_skip_statement(c);
}

static void template_declaration(struct kc *c, struct scope *scope, struct record *record,
                                 struct node *block)
{
    struct parser *p = c->parser;
    const struct token *next = kc_ahead(c, 1);
    if (block)
        kc_error(c, kc_token(c)->place, "templates cannot be declared in a block");
    if (next->kind != TOKEN_SIGN || next->sign != '<') {
        explicit_instantiation(c);
        return;
    }
    struct template *template = kc_template_head(c);
    if (!template) {
        kc_skip_statement(c);
        p->panic = false;
        return;
    }
    while (kc_at_key(c, KEY_TEMPLATE)) { /* of a member template, defined outside */
        kc_skip_statement(c);
        return;
    }
    struct moment moment = kc_moment(c);
    template->scope = scope;
    template->at = p->at;
    if (kc_at_key(c, KEY_STRUCT) || kc_at_key(c, KEY_CLASS) || kc_at_key(c, KEY_UNION)) {
        kc_class(c, template);
        if (kc_token(c)->kind == TOKEN_WORD) /* template <> struct X<int> x: not that */
            kc_skip_statement(c);
        else
            kc_expect(c, ';', "after a class");
    } else if (kc_at_key(c, KEY_USING)) {
        kc_using_declaration(c, scope, record, template);
    } else {
        struct scope *outer = p->scope;
        if (template->parameters) {
            p->scope = kc_bind_pattern(c, template, scope);
            p->in_pattern = true;
        }
        declaration(c, scope, record, template, NULL);
        p->scope = outer;
    }
    p->in_pattern = moment.in_pattern;
    p->scope = moment.scope;
}

/* ---- variables ---------------------------------------------------------------------------------- */

static enum space space_of(const struct specifiers *s)
{
    if (s->is_shared)
        return SPACE_SHARED;
    if (s->is_constant)
        return SPACE_CONST;
    return s->is_device || s->is_managed ? SPACE_GLOBAL : SPACE_NONE;
}

static void variable_template(struct kc *c, struct scope *scope, struct template *template,
                              struct declarator *d)
{
    template->kind = TEMPLATE_VARIABLE;
    template->name = d->name;
    template->body = template->at;
    struct symbol *known = kc_find_in(c, scope, d->name);
    if (template->parameters && !known)
        kc_define(c, scope, SYMBOL_TEMPLATE, d->name, d->place)->template = template;
    else if (known && known->kind == SYMBOL_TEMPLATE) { /* a specialisation of it */
        kc_check_specialisation(c, known, d->place);
        struct specialisation *special = KC_NEW(c, struct specialisation);
        special->head = template;
        special->body = template->at;
        special->next = known->template->specialisation;
        known->template->specialisation = special;
        struct moment moment = kc_moment(c);
        special->scope = scope;
        special->list = c->parser->at = d->name_at + 1;
        if (kc_at(c, '<'))
            kc_template_arguments(c, &special->argument, &special->arguments);
        kc_back(c, moment);
    }
    while (!kc_at(c, ';') && kc_token(c)->kind != TOKEN_END)
        kc_next(c);
}

void kc_list_variable(struct kc *c, struct variable *variable)
{
    struct parser *p = c->parser;
    if (p->last_variable)
        p->last_variable->next = variable;
    else
        p->variables = variable;
    p->last_variable = variable;
}

static bool redeclared(struct kc *c, const struct symbol *known, const struct specifiers *s,
                       const struct declarator *d)
{
    if (!known || known->kind == SYMBOL_LOST)
        return false;
    if (known->kind == SYMBOL_VARIABLE && (known->variable->is_extern || s->is_extern))
        return true;
    kc_error(c, d->place, "'%.*s' is declared a second time (first on line %d)",
             SLICE(d->name->text), known->place.line);
    return true;
}

/* A variable of the file or a namespace, or a static one of a class. */
static void module_variable(struct kc *c, struct scope *scope, struct record *record,
                            struct specifiers *s, struct declarator *d)
{
    struct type *type = d->type;
    struct symbol *known = kc_find_in(c, scope, d->name);
    struct variable *variable = KC_NEW(c, struct variable);
    *variable = (struct variable){.name = d->name,
                                  .place = d->place,
                                  .space = space_of(s),
                                  .is_static = true,
                                  .is_constexpr = s->is_constexpr,
                                  .is_extern = s->is_extern};
    variable->is_host = variable->space == SPACE_NONE;
    variable->is_dynamic = s->is_shared && s->is_extern;
    if (c->parser->at >= c->part && !variable->is_host && !s->is_constexpr)
        kc_error(c, d->place,
                 "'%.*s' is a variable of the module, which this part of the source may not have",
                 SLICE(d->name->text));
    if (s->is_constexpr)
        type = kc_qualified(c, type, true, false);
    if (s->align > type->align) {
        struct type *aligned = kc_new_type(c, type->kind);
        *aligned = *type;
        aligned->align = s->align;
        type = aligned;
    }
    if (!known || !redeclared(c, known, s, d)) {
        kc_define(c, scope, SYMBOL_VARIABLE, d->name, d->place)->variable = variable;
        kc_list_variable(c, variable);
    }
    variable->type = type;
    if (kc_at(c, '=') || kc_at(c, '{') || kc_at(c, '(')) {
        if (record && record->template && c->parser->in_pattern) {
            int ellipsis;
            c->parser->at = kc_argument_end(c, c->parser->at + 1, &ellipsis);
        } else {
            variable->initial = kc_initialiser(c, &variable->type, d->place);
        }
    } else if (type->kind == TYPE_AUTO) {
        kc_error(c, d->place, "'%.*s' needs a value to have a type from", SLICE(d->name->text));
    } else if (type->kind == TYPE_RECORD && kc_complete(c, type, d->place)) {
        if (variable->space == SPACE_SHARED)
            kc_is_made_by_nothing(c, type, d->place);
        else if (!variable->is_host && !s->is_extern && !c->parser->in_pattern)
            variable->initial = kc_default(c, type, d->place, true);
    }
    if (s->is_shared && variable->initial)
        kc_error(c, d->place, "a __shared__ variable cannot have a value at its declaration");
}

static void outside_variable(struct kc *c, struct declarator *d)
{
    (void)d; /* its value, if it has one, stands in the class or is the host's */
    if (!c->parser->in_pattern && (kc_at(c, '=') || kc_at(c, '{'))) {
        struct type *type = d->type;
        struct moment moment = kc_moment(c);
        c->parser->scope = d->qualifier;
        struct node *initial = kc_initialiser(c, &type, d->place);
        c->parser->scope = moment.scope;
        struct symbol *symbol = kc_find_in(c, d->qualifier, d->name);
        if (symbol && symbol->kind == SYMBOL_VARIABLE && !symbol->variable->initial) {
            symbol->variable->initial = initial;
            symbol->variable->type = type;
        }
        return;
    }
    int ellipsis;
    c->parser->at = kc_argument_end(c, c->parser->at, &ellipsis);
}

/* ---- members ------------------------------------------------------------------------------------ */

static void member_variable(struct kc *c, struct record *record, struct specifiers *s,
                            struct declarator *d)
{
    struct parser *p = c->parser;
    int bits = -1, initial = 0;
    if (!d->type) {
        kc_error(c, d->place, "a member begins with its type");
        return;
    }
    if (s->is_static) {
        module_variable(c, record->scope, record, s, d);
        return;
    }
    if (kc_accept(c, ':')) {
        int64_t value = 0;
        kc_integer(c, kc_constant_expression(c), &value, "the width of a bit field");
        if (value < 0 || value > (int64_t)d->type->size * 8 || !kc_is_integer(d->type)) {
            kc_error(c, d->place, "a bit field is of an integer type and at most as wide");
            value = 1;
        }
        bits = (int)value;
    }
    if (kc_at(c, '=') || kc_at(c, '{')) {
        int ellipsis;
        initial = p->at;
        p->at = kc_argument_end(c, p->at, &ellipsis);
    }
    struct type *type = d->type;
    if (s->is_mutable)
        kc_error(c, s->place, "mutable members are not supported");
    if (s->align > type->align) {
        struct type *aligned = kc_new_type(c, type->kind);
        *aligned = *type;
        aligned->align = s->align;
        aligned->plain = aligned;
        type = aligned;
    }
    if (type->kind == TYPE_ARRAY && type->count < 0)
        kc_error(c, d->place, "the size of array '%.*s' is missing",
                 d->name ? d->name->text.length : 0, d->name ? d->name->text.at : "");
    kc_add_field(c, record, d->name, type, d->place, bits, initial);
}

/* ---- declarations of names ----------------------------------------------------------------------- */

static void type_alias(struct kc *c, struct scope *scope, struct declarator *d)
{
    struct symbol *known = kc_find_in(c, scope, d->name);
    struct type *type = d->function ? kc_type_of_function(c, d->function) : d->type;
    if (known && known->kind == SYMBOL_TYPE && known->type->plain == type->plain)
        return;
    kc_define(c, scope, SYMBOL_TYPE, d->name, d->place)->type = type;
}

static void one_name(struct kc *c, struct scope *scope, struct record *record,
                     struct template *template, struct specifiers *s, struct declarator *d,
                     struct node *block)
{
    if (s->is_typedef)
        type_alias(c, block ? c->parser->scope : scope, d);
    else if (d->function)
        kc_declare_function(c, scope, record, template, s, d);
    else if (template && !(template->parameters == 0 && !kc_find(c, d->name)) && !d->qualifier &&
             !d->outside)
        variable_template(c, scope, template, d);
    else if (d->qualifier || d->outside)
        outside_variable(c, d);
    else if (record)
        member_variable(c, record, s, d);
    else if (block) {
        int room = block->count;
        kc_list_add(c, &block->list, &block->count, &room, kc_local_variable(c, s, d));
    } else
        module_variable(c, scope, NULL, s, d);
}

/* auto [x, y] = value; */
static void structured_binding(struct kc *c, struct specifiers *s, struct node *block)
{
    struct parser *p = c->parser;
    struct declarator d = {.type = s->type, .place = kc_token(c)->place};
    if (kc_accept(c, '&'))
        d.type = kc_reference(c, d.type);
    else if (kc_accept(c, SIGN_AND))
        d.type = kc_reference(c, d.type);
    d.name = kc_word_of(c, kc_text(c, "<binding %d>", p->temporaries++));
    const int names = p->at + 1;
    p->at = kc_past(c, p->at);
    struct node *declaration = kc_local_variable(c, s, &d);
    int room = block->count;
    kc_list_add(c, &block->list, &block->count, &room, declaration);
    struct symbol *whole = kc_find(c, d.name);
    struct type *type = whole ? kc_unreferenced(whole->variable->type)->plain : NULL;
    int64_t index = 0;
    struct field *field = type && type->kind == TYPE_RECORD ? type->record->field : NULL;
    for (int i = names; type && c->token[i].kind == TOKEN_WORD; i += 2, index++) {
        struct place place = c->token[i].place;
        struct node *node =
            kc_new_node(c, NODE_VARIABLE, place, kc_unreferenced(whole->variable->type));
        node->variable = whole->variable;
        node->is_place = true;
        if (type->kind == TYPE_ARRAY && index < type->count)
            node = kc_index(c, node, kc_integer_node(c, index, p->basic[TYPE_INT], place), place);
        else if (field)
            node = kc_field(c, node, field, field->offset, place);
        else {
            kc_error(c, place, "'%s' has no part for '%.*s'", kc_type_text(c, type),
                     SLICE(c->token[i].text));
            return;
        }
        kc_define(c, p->scope, SYMBOL_BOUND, c->token[i].word, place)->node = node;
        field = field ? field->next : NULL;
        if (c->token[i + 1].kind != TOKEN_SIGN || c->token[i + 1].sign != ',')
            return;
    }
}

static bool misplaced(struct kc *c, const struct specifiers *s)
{
    if (s->is_virtual)
        kc_error(c, s->place, "virtual functions are not supported");
    return s->is_virtual;
}

static void declare_names(struct kc *c, struct scope *scope, struct record *record,
                          struct template *template, struct specifiers *s, struct node *block)
{
    struct parser *p = c->parser;
    do {
        struct declarator d = {0};
        if (record && kc_at(c, ':')) { /* a bit field without a name */
            d.type = s->type;
            d.place = kc_token(c)->place;
            member_variable(c, record, s, &d);
            continue;
        }
        if (!kc_declarator(c, s->type ? s->type : p->basic[TYPE_VOID], &d, false)) {
            int end = p->at - 1; /* of a class that is defined here */
            while (s->defines && end > s->begin &&
                   !(c->token[end].kind == TOKEN_SIGN && c->token[end].sign == '}'))
                end--;
            struct place place = c->token[end].place;
            place.column++;
            if (s->defines && end > s->begin && !p->panic) {
                kc_error(c, place, "';' is missing after a class or an enumeration");
                p->panic = true;
            } else
                kc_syntax(c, "a name is missing in this declaration, before '%.*s'",
                          SLICE(kc_token(c)->text));
            break;
        }
        if (!s->type && !d.is_constructor && !d.is_destructor && !d.conversion) {
            const struct symbol *class = kc_find_in(c, scope, d.name);
            if (class && class->kind == SYMBOL_TEMPLATE)
                kc_error(c, d.place,
                         "deduction guides are not supported: write the arguments of '%.*s'",
                         SLICE(d.name->text));
            else
                kc_error(c, d.place, "'%.*s' is declared without a type%s", SLICE(d.name->text),
                         s->is_global ? ": that of a kernel is void" : "");
            s->type = p->basic[TYPE_ERROR];
        }
        kc_attributes(c, s);
        if (kc_at_key(c, KEY_ASM) && kc_ahead(c, 1)->sign == '(') {
            kc_next(c);
            p->at = kc_past(c, p->at);
        }
        const int before = p->at;
        one_name(c, scope, record, template, s, &d, block);
        if (d.function && p->at > before && c->token[p->at - 1].kind == TOKEN_SIGN &&
            c->token[p->at - 1].sign == '}') {
            kc_accept(c, ';');
            return; /* it had a body */
        }
    } while (!p->panic && kc_accept(c, ','));
    if (!p->panic && !kc_expect(c, ';', "after a declaration"))
        kc_skip_statement(c);
    else if (p->panic)
        kc_skip_statement(c);
    if (!block)
        p->panic = false;
}

static bool is_attribute(const struct token *token)
{
    return token->kind == TOKEN_SIGN && token->sign == '[';
}

static void declaration(struct kc *c, struct scope *scope, struct record *record,
                        struct template *template, struct node *block)
{
    struct parser *p = c->parser;
    const struct token *token = kc_token(c);
    if (kc_accept(c, ';'))
        return;
    if (!kc_enter(c, token->place)) {
        kc_leave(c);
        return;
    }
    struct specifiers s;
    if (is_key(token, KEY_NAMESPACE) ||
        (is_key(token, KEY_INLINE) && is_key(kc_ahead(c, 1), KEY_NAMESPACE))) {
        kc_namespace_declaration(c, scope);
    } else if (is_key(token, KEY_EXTERN) && kc_ahead(c, 1)->kind == TOKEN_STRING &&
               kc_ahead(c, 2)->kind == TOKEN_SIGN && kc_ahead(c, 2)->sign == '{') {
        kc_next(c);
        kc_next(c);
        kc_declarations_in_braces(c, scope);
    } else if (is_key(token, KEY_USING)) {
        kc_using_declaration(c, block ? p->scope : scope, record, NULL);
    } else if (is_key(token, KEY_STATIC_ASSERT)) {
        if (p->in_pattern)
            kc_skip_statement(c);
        else
            kc_static_assertion(c);
    } else if (is_key(token, KEY_TEMPLATE)) {
        template_declaration(c, scope, record, block);
    } else if (is_key(token, KEY_ASM) && !block) {
        kc_skip_statement(c);
    } else {
        const int begin = p->at;
        kc_specifiers(c, &s, record != NULL);
        if (block && !s.type && is_attribute(&c->token[begin]) && kc_accept(c, ';')) {
            /* [[fallthrough]]; */
        } else if (misplaced(c, &s)) {
            kc_skip_statement(c);
        } else if (p->at == begin && !s.type && !(record || template) && !block &&
                   kc_token(c)->kind != TOKEN_WORD) {
            kc_syntax(c, "'%.*s' begins no declaration", SLICE(kc_token(c)->text));
            kc_next(c);
            kc_skip_statement(c);
            p->panic = false;
        } else if (s.is_friend && !kc_at(c, '(') && s.defines) {
            kc_skip_statement(c);
        } else if (block && s.type &&
                   (kc_at(c, '[') ||
                    ((kc_at(c, '&') || kc_at(c, SIGN_AND)) && kc_ahead(c, 1)->kind == TOKEN_SIGN &&
                     kc_ahead(c, 1)->sign == '['))) {
            structured_binding(c, &s, block);
            kc_expect(c, ';', "after a declaration");
        } else if (kc_at(c, ';') && s.type) {
            /* struct X { ... }; or an anonymous union in a class */
            struct record *inner = s.type->kind == TYPE_RECORD ? s.type->record : NULL;
            if (record && inner && !inner->name && s.defines)
                kc_add_field(c, record, NULL, s.type, s.place, -1, 0);
            kc_next(c);
        } else {
            declare_names(c, scope, record, template, &s, block);
        }
    }
    kc_leave(c);
}
