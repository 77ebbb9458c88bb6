/* record.c - classes and enumerations. */
#include "kernelc/parser.h"

/* ---- layout ------------------------------------------------------------------------------------ */

struct record *kc_new_record(struct kc *c, struct word *name, struct place place,
                             struct scope *outer)
{
    struct record *record = KC_NEW(c, struct record);
    record->name = name;
    record->place = place;
    record->scope = kc_scope(c, outer, 16);
    record->scope->record = record;
    record->scope->function = outer ? outer->function : NULL;
    record->type = kc_new_type(c, TYPE_RECORD);
    record->type->record = record;
    record->type->align = 1;
    return record;
}

static uint64_t rounded(uint64_t value, uint64_t unit)
{
    return unit ? (value + unit - 1) / unit * unit : value;
}

void kc_add_field(struct kc *c, struct record *record, struct word *name, struct type *type,
                  struct place place, int bits, int initial)
{
    struct field *field = KC_NEW(c, struct field);
    *field = (struct field){
        .name = name, .type = type, .place = place, .bits = bits, .initial = initial};
    const bool bad =
        type->kind == TYPE_VOID || type->kind == TYPE_FUNCTION || type->kind == TYPE_AUTO;
    if (bad || (type->kind == TYPE_RECORD && !kc_complete(c, type, place))) {
        if (bad)
            kc_error(c, place, "a member cannot be of type '%s'", kc_type_text(c, type));
        field->type = type = c->parser->basic[TYPE_ERROR];
    }
    if (kc_is_dependent(type))
        field->type = type = c->parser->basic[TYPE_ERROR];
    field->unit = bits >= 0 && type->kind == TYPE_BOOL ? c->parser->basic[TYPE_UCHAR] : type->plain;
    const uint64_t unit = type->size * 8;
    const uint32_t align = type->align ? type->align : 1;
    uint64_t at = record->is_union ? 0 : record->bits;
    if (bits < 0) {
        at = rounded(at, (uint64_t)align * 8);
        field->offset = at / 8;
        at += unit;
    } else if (bits == 0) {
        at = rounded(at, unit);
    } else {
        if (at % unit + (uint64_t)bits > unit)
            at = rounded(at, unit);
        field->offset = at / unit * type->size;
        field->bit = (int)(at % unit);
        at += (uint64_t)bits;
    }
    if (at > record->bits)
        record->bits = at;
    if (align > record->type->align)
        record->type->align = align;
    record->has_initial |= initial != 0 || (type->kind == TYPE_RECORD && type->record->has_initial);
    if (bits == 0)
        return;
    if (record->last_field)
        record->last_field->next = field;
    else
        record->field = field;
    record->last_field = field;
    if (name) {
        struct symbol *known = kc_find_in(c, record->scope, name);
        if (known && known->scope == record->scope && known->kind == SYMBOL_FIELD)
            kc_error(c, place, "'%.*s' is declared a second time in this class", SLICE(name->text));
        kc_define(c, record->scope, SYMBOL_FIELD, name, place)->field = field;
    }
    if (record->bits > UINT64_C(1) << 40)
        kc_stop(c, place, "this class is too large");
}

void kc_lay_out(struct kc *c, struct record *record)
{
    (void)c;
    uint64_t size = (record->bits + 7) / 8;
    record->type->size = rounded(size ? size : 1, record->type->align);
    record->is_complete = true;
    record->in_progress = false;
    for (int i = 0; i < 4; i++)
        if (record->type->qualified[i]) {
            record->type->qualified[i]->size = record->type->size;
            record->type->qualified[i]->align = record->type->align;
        }
}

/* ---- what a class has -------------------------------------------------------------------------- */

bool kc_derives(const struct record *record, const struct record *base, uint64_t *offset)
{
    if (record == base) {
        *offset = 0;
        return true;
    }
    for (const struct field *field = record->field; field; field = field->next)
        if (field->is_base && kc_derives(field->type->record, base, offset)) {
            *offset += field->offset;
            return true;
        }
    return false;
}

/* Its own first, with those of unions and classes without a name: they hide those of bases. */
struct field *kc_find_field(struct record *record, struct word *name, uint64_t *offset)
{
    for (int bases = 0; bases < 2; bases++)
        for (struct field *field = record->field; field; field = field->next) {
            if (field->name == name && name && !bases) {
                *offset = field->offset;
                return field;
            }
            if (!field->name && field->type->kind == TYPE_RECORD && field->is_base == bases) {
                struct field *inner = kc_find_field(field->type->record, name, offset);
                if (inner) {
                    *offset += field->offset;
                    return inner;
                }
            }
        }
    return NULL;
}

/* Whether its size is known; an instance of a template is made now. */
bool kc_complete(struct kc *c, struct type *type, struct place place)
{
    if (type->kind == TYPE_ARRAY)
        return kc_complete(c, type->base, place);
    if (type->kind != TYPE_RECORD)
        return type->kind != TYPE_VOID && type->kind != TYPE_ERROR;
    struct record *record = type->record;
    if (record->is_complete) {
        type->size = record->type->size;
        type->align = type->align > record->type->align ? type->align : record->type->align;
        return true;
    }
    if (!record->in_progress)
        kc_unknown(c, place, "'%s' is declared, but not defined", kc_type_text(c, type));
    return false;
}

struct node *kc_field_initial(struct kc *c, struct record *record, struct field *field,
                              struct function *maker)
{
    struct moment moment = kc_moment(c);
    struct type *type = field->type;
    c->parser->function = maker;
    c->parser->at = field->initial;
    c->parser->scope = record->scope;
    c->parser->no_greater = c->parser->in_pattern = c->parser->panic = false;
    struct node *node = kc_initialiser(c, &type, field->place);
    kc_back(c, moment);
    return node;
}

/* ---- reading a class ---------------------------------------------------------------------------- */

static void one_base(struct kc *c, struct record *record)
{
    while (kc_accept_key(c, KEY_PUBLIC) || kc_accept_key(c, KEY_PRIVATE) ||
           kc_accept_key(c, KEY_PROTECTED))
        ;
    if (kc_at_key(c, KEY_VIRTUAL)) {
        kc_error(c, kc_token(c)->place, "virtual base classes are not supported");
        kc_next(c);
    }
    kc_accept_key(c, KEY_TYPENAME);
    const struct place place = kc_token(c)->place;
    struct naming name;
    if (!kc_name(c, &name, true))
        return;
    if (!name.type || name.type->kind != TYPE_RECORD || !kc_complete(c, name.type, place)) {
        if (!name.type || (name.type->kind != TYPE_ERROR && name.type->kind != TYPE_RECORD))
            kc_error(c, place, "a base is a class");
        return;
    }
    struct record *base = name.type->record;
    const uint64_t empty = record->bits;
    kc_add_field(c, record, NULL, name.type->plain, place, -1, 0);
    record->last_field->is_base = true;
    if (!base->field) /* an empty base takes no room */
        record->bits = empty;
    if (record->scope->uses < 8)
        record->scope->used[record->scope->uses++] = base->scope;
}

static void bases(struct kc *c, struct record *record)
{
    if (!kc_accept(c, ':'))
        return;
    struct parser *p = c->parser;
    do {
        int ellipsis;
        const int from = p->at;
        int end = from;
        while (end < c->tokens - 1 && !(c->token[end].kind == TOKEN_SIGN &&
                                        (c->token[end].sign == '{' || c->token[end].sign == ';')))
            end++;
        (void)ellipsis;
        struct packs packs;
        bool expanded = false;
        if (c->token[end - 1].kind == TOKEN_SIGN && c->token[end - 1].sign == SIGN_ELLIPSIS &&
            kc_packs(c, from, end, &packs)) {
            for (int i = 0; i < packs.elements; i++) {
                kc_pack_element(&packs, i);
                p->at = from;
                one_base(c, record);
                kc_pack_end(&packs);
            }
            p->at = end;
            expanded = true;
        }
        if (!expanded)
            one_base(c, record);
    } while (kc_accept(c, ','));
}

static void alias_of_itself(struct kc *c, struct record *record)
{
    if (record->name)
        kc_define(c, record->scope, SYMBOL_TYPE, record->name, record->place)->type = record->type;
}

static bool has_constructor(struct kc *c, const struct record *record, const struct function *like)
{
    for (const struct function *f = record->constructor; f && kc_work(c); f = f->next)
        if (f->is_template == like->is_template && kc_same_parameters(f, like))
            return true;
    return false;
}

static void add_constructor(struct kc *c, struct record *record, const struct function *like)
{
    struct function **end = &record->constructor, *function = KC_NEW(c, struct function);
    while (*end)
        end = &(*end)->next;
    *function = *like;
    function->record = record;
    function->next = NULL;
    if (like->is_template) { /* with instances of its own */
        function->template = KC_NEW(c, struct template);
        *function->template = *like->template;
        function->template->instance = NULL;
    }
    *end = function;
}

/* using Base::Base; - but for copies, and those that the class has itself. */
static void inherit_constructors(struct kc *c, struct record *record)
{
    for (const struct field *field = record->field; field; field = field->next) {
        const struct record *base = field->inherits ? field->type->record : NULL;
        if (base && !record->constructor)
            add_constructor(c, record,
                            &(struct function){.name = record->name,
                                               .place = record->place,
                                               .scope = record->scope,
                                               .is_device = true,
                                               .is_host = true,
                                               .is_constructor = true,
                                               .is_constexpr = true,
                                               .is_defaulted = true,
                                               .result = c->parser->basic[TYPE_VOID]});
        for (const struct function *f = base ? base->constructor : NULL; f; f = f->next) {
            const bool copies = f->parameters == 1 &&
                                kc_unreferenced(f->parameter[0].type)->plain == base->type->plain;
            if (!f->parameters || copies || has_constructor(c, record, f))
                continue;
            struct function *inherited = kc_copy_unread(c, f);
            inherited->inherited = field->type->record;
            inherited->place = field->place;
            add_constructor(c, record, inherited);
        }
    }
}

static void class_body(struct kc *c, struct record *record, int body)
{
    struct parser *p = c->parser;
    struct moment moment = kc_moment(c);
    p->at = body;
    p->in_pattern = p->no_greater = false;
    p->scope = record->scope;
    const int close = kc_past(c, body) - 1;
    record->in_progress = true;
    alias_of_itself(c, record);
    kc_next(c);
    while (p->at < close && kc_token(c)->kind != TOKEN_END) {
        const int before = p->at;
        p->panic = false;
        if (kc_at_key(c, KEY_PUBLIC) || kc_at_key(c, KEY_PRIVATE) || kc_at_key(c, KEY_PROTECTED)) {
            kc_next(c);
            kc_expect(c, ':', "after an access specifier");
            continue;
        }
        kc_declaration(c, record->scope, record, NULL, NULL);
        if (p->at == before)
            kc_next(c);
    }
    inherit_constructors(c, record);
    kc_lay_out(c, record);
    kc_back(c, moment);
    p->at = close >= body ? close + 1 : body + 1;
}

static bool is_final(const struct token *token, const struct token *next)
{
    return token->kind == TOKEN_WORD && slice_is(token->text, "final") &&
           next->kind == TOKEN_SIGN && (next->sign == '{' || next->sign == ':');
}

/* Key, attributes, name; what follows is bases and body. */
static struct word *class_head(struct kc *c, struct specifiers *s, bool *is_union,
                               struct place *place)
{
    *is_union = kc_at_key(c, KEY_UNION);
    kc_next(c);
    kc_attributes(c, s);
    const struct token *token = kc_token(c);
    *place = token->place;
    if (token->kind != TOKEN_WORD || token->word->keyword)
        return NULL;
    kc_next(c);
    return token->word;
}

static void class_definition(struct kc *c, struct record *record, const struct specifiers *s)
{
    if (s->align > record->type->align)
        record->type->align = s->align;
    struct scope *outer = c->parser->scope;
    record->in_progress = true;
    if (is_final(kc_token(c), kc_ahead(c, 1)))
        kc_next(c);
    bases(c, record);
    c->parser->scope = outer;
    if (kc_at(c, '{'))
        class_body(c, record, c->parser->at);
    else
        kc_syntax(c, "'{' is missing before the members of a class");
    record->in_progress = false;
    struct specifiers after = {0};
    kc_attributes(c, &after);
    if (after.align > record->type->align) {
        record->type->align = after.align;
        record->type->size = rounded(record->type->size, after.align);
    }
}

void kc_read_class(struct kc *c, struct record *record)
{
    struct specifiers s = {0};
    struct place place;
    class_head(c, &s, &record->is_union, &place);
    if (kc_at(c, '<'))
        kc_skip_angles(c);
    class_definition(c, record, &s);
}

/* ---- class templates ---------------------------------------------------------------------------- */

/* Past bases and body, which each instance reads. */
static bool skip_class(struct kc *c)
{
    struct parser *p = c->parser;
    while (!kc_at(c, '{') && !kc_at(c, ';') && kc_token(c)->kind != TOKEN_END)
        kc_next(c);
    if (!kc_at(c, '{'))
        return false;
    const int past = kc_past(c, p->at);
    p->at = past > p->at ? past : p->at + 1;
    return true;
}

static void class_specialisation(struct kc *c, struct template *template, struct template *head,
                                 struct place place)
{
    struct parser *p = c->parser;
    struct specialisation *special = KC_NEW(c, struct specialisation);
    struct scope *outer = p->scope;
    special->head = head;
    special->scope = outer;
    special->list = p->at;
    if (head->parameters) {
        p->scope = kc_bind_pattern(c, head, outer);
        p->in_pattern = true;
    }
    kc_template_arguments(c, &special->argument, &special->arguments);
    p->in_pattern = false;
    p->scope = outer;
    special->body = head->at;
    if (!skip_class(c))
        return;
    special->next = template->specialisation;
    template->specialisation = special;
    for (struct instance *instance = template->instance; instance; instance = instance->next)
        if (!head->parameters && instance->type && instance->type->record->is_complete &&
            kc_same_arguments(instance->argument, special->argument, special->arguments))
            kc_error(c, place, "this specialisation comes after its first use");
}

static struct type *class_template(struct kc *c, struct template *template, struct word *name,
                                   struct place place)
{
    struct parser *p = c->parser;
    struct symbol *known = name ? kc_find_in(c, template->scope, name) : NULL;
    if (!name) {
        kc_syntax(c, "a class template needs a name");
        return p->basic[TYPE_ERROR];
    }
    if (kc_at(c, '<')) {
        if (known && known->kind == SYMBOL_TEMPLATE) {
            kc_check_specialisation(c, known, place);
            class_specialisation(c, known->template, template, place);
        } else
            kc_syntax(c, "'%.*s' is no template that could be specialised", SLICE(name->text));
        return p->basic[TYPE_VOID];
    }
    template->kind = TEMPLATE_CLASS;
    template->name = name;
    template->place = place;
    const bool defined = skip_class(c);
    if (known && known->kind == SYMBOL_TEMPLATE) {
        if (!defined)
            return p->basic[TYPE_VOID];
        if (known->template->body)
            kc_error(c, place, "'%.*s' is defined a second time", SLICE(name->text));
        for (int i = 0; i < template->parameters && i < known->template->parameters; i++)
            if (!template->parameter[i].initial)
                template->parameter[i].initial = known->template->parameter[i].initial;
        known->template->parameter = template->parameter;
        known->template->body = known->template->at = template->at;
        return p->basic[TYPE_VOID];
    }
    template->body = defined ? template->at : 0;
    kc_define(c, template->scope, SYMBOL_TEMPLATE, name, place)->template = template;
    return p->basic[TYPE_VOID];
}

/* A class at its key: a definition, a declaration, or a mere `struct X`. */
struct type *kc_class(struct kc *c, struct template *template)
{
    struct parser *p = c->parser;
    struct specifiers s = {0};
    struct place place;
    bool is_union;
    const bool in_pattern = p->in_pattern;
    p->in_pattern |= template && template->parameters;
    struct word *name = class_head(c, &s, &is_union, &place);
    p->in_pattern = in_pattern;
    if (template)
        return class_template(c, template, name, place);
    if (name && kc_at(c, '<')) { /* struct X<int> x; */
        p->at--;
        struct naming whole;
        return kc_name(c, &whole, true) && whole.type ? whole.type : p->basic[TYPE_ERROR];
    }
    if (name && kc_at(c, SIGN_SCOPE)) {
        p->at--;
        struct naming whole;
        if (!kc_name(c, &whole, true) || !whole.type || whole.type->kind != TYPE_RECORD)
            return p->basic[TYPE_ERROR];
        if ((kc_at(c, '{') || kc_at(c, ':')) && !whole.type->record->is_complete)
            class_definition(c, whole.type->record, &s);
        return whole.type;
    }
    const bool defines = kc_at(c, '{') || kc_at(c, ':') || is_final(kc_token(c), kc_ahead(c, 1));
    const bool declares = kc_at(c, ';');
    struct symbol *known = !name                 ? NULL
                           : defines || declares ? kc_find_in(c, p->scope, name)
                                                 : kc_find(c, name);
    if (known &&
        known->kind != SYMBOL_TYPE) /* `struct s` is the type, where a function is s, too */
        known = kc_find_type(known);
    struct record *record = known && known->kind == SYMBOL_TYPE && known->type->kind == TYPE_RECORD
                                ? known->type->record
                                : NULL;
    if (record && known->type->record->name == name && record->scope == p->scope && !defines)
        return record->type;
    if (!record || (defines && record->is_complete && record->scope == p->scope)) {
        record = kc_new_record(c, name, place, p->scope);
        record->is_union = is_union;
        if (name) {
            struct scope *scope = p->scope;
            kc_define(c, scope, SYMBOL_TYPE, name, place)->type = record->type;
        }
    } else if (defines && record->is_complete) {
        kc_error(c, place, "'%.*s' is defined a second time (first on line %d)", SLICE(name->text),
                 record->place.line);
        record = kc_new_record(c, name, place, p->scope);
    }
    if (defines)
        class_definition(c, record, &s);
    else if (!name)
        kc_syntax(c, "a class without a name needs members");
    return record->type;
}

/* ---- enumerations ------------------------------------------------------------------------------- */

static void enumerators(struct kc *c, struct type *type, struct scope *scope)
{
    int64_t value = 0;
    kc_next(c);
    while (!kc_at(c, '}') && kc_token(c)->kind != TOKEN_END) {
        const struct token *token = kc_token(c);
        if (token->kind != TOKEN_WORD || token->word->keyword) {
            kc_syntax(c, "a name is missing in this enumeration");
            break;
        }
        kc_next(c);
        kc_attributes(c, NULL);
        if (kc_accept(c, '='))
            kc_integer(c, kc_constant_expression(c), &value, "the value of an enumerator");
        struct symbol *symbol = kc_define(c, scope, SYMBOL_CONSTANT, token->word, token->place);
        symbol->type = type;
        symbol->constant.integer = value;
        if (type->scope != scope) {
            struct symbol *again =
                kc_define(c, type->scope, SYMBOL_CONSTANT, token->word, token->place);
            again->type = type;
            again->constant.integer = value;
        }
        value = (int64_t)((uint64_t)value + 1);
        if (!kc_accept(c, ','))
            break;
    }
    if (!kc_expect(c, '}', "after the names of an enumeration"))
        kc_skip_statement(c);
}

struct type *kc_enumeration(struct kc *c)
{
    struct parser *p = c->parser;
    kc_next(c);
    const bool scoped = kc_accept_key(c, KEY_CLASS) || kc_accept_key(c, KEY_STRUCT);
    kc_attributes(c, NULL);
    const struct token *token = kc_token(c);
    struct word *name = token->kind == TOKEN_WORD && !token->word->keyword ? token->word : NULL;
    if (name)
        kc_next(c);
    struct type *base = p->basic[TYPE_INT];
    bool based = false;
    if (kc_at(c, ':')) {
        struct specifiers s;
        kc_next(c);
        if (kc_specifiers(c, &s, false) && kc_is_integer(s.type))
            base = s.type->plain, based = true;
    }
    struct symbol *known = name ? kc_find(c, name) : NULL;
    if (!kc_at(c, '{') && !based && known && known->kind == SYMBOL_TYPE)
        return known->type;
    struct type *type = kc_new_type(c, TYPE_ENUM);
    type->base = base;
    type->size = base->size;
    type->align = base->align;
    type->name = name;
    type->scoped = scoped;
    type->scope = kc_scope(c, p->scope, 8);
    if (name)
        kc_define(c, p->scope, SYMBOL_TYPE, name, token->place)->type = type;
    if (kc_at(c, '{'))
        enumerators(c, type, scoped ? type->scope : p->scope);
    return type;
}
