/* using.c - namespaces, using, static_assert. */
#include "kernelc/parser.h"

void kc_declarations_in_braces(struct kc *c, struct scope *scope)
{
    struct parser *p = c->parser;
    struct scope *outer = p->scope;
    const int close = kc_past(c, p->at) - 1;
    if (!kc_expect(c, '{', "after the name of a namespace"))
        return;
    p->scope = scope;
    while (p->at < close && kc_token(c)->kind != TOKEN_END) {
        const int before = p->at;
        p->panic = false;
        kc_declaration(c, scope, NULL, NULL, NULL);
        if (p->at == before)
            kc_next(c);
    }
    kc_accept(c, '}');
    p->scope = outer;
    p->panic = false;
}

void kc_namespace_declaration(struct kc *c, struct scope *scope)
{
    struct parser *p = c->parser;
    struct scope *inner = scope;
    const bool is_inline = kc_accept_key(c, KEY_INLINE);
    kc_next(c);
    kc_attributes(c, NULL);
    if (kc_token(c)->kind == TOKEN_WORD && kc_ahead(c, 1)->kind == TOKEN_SIGN &&
        kc_ahead(c, 1)->sign == '=') {
        struct word *word = kc_token(c)->word; /* namespace a = b::c; */
        const struct place place = kc_token(c)->place;
        struct naming name;
        kc_next(c);
        kc_next(c);
        if (kc_name(c, &name, false) && name.symbol->kind == SYMBOL_NAMESPACE)
            kc_define(c, scope, SYMBOL_NAMESPACE, word, place)->scope = name.symbol->scope;
        else if (!p->panic)
            kc_unknown(c, place, "this is no namespace");
        kc_expect(c, ';', "after a namespace");
        return;
    }
    if (kc_at(c, '{')) { /* without a name: seen from outside */
        kc_declarations_in_braces(c, scope);
        return;
    }
    do {
        const struct token *token = kc_token(c);
        if (token->kind != TOKEN_WORD) {
            kc_syntax(c, "the name of a namespace is missing");
            break;
        }
        struct symbol *symbol = kc_find_in(c, inner, token->word);
        if (!symbol || symbol->kind != SYMBOL_NAMESPACE) {
            struct scope *outer = inner;
            symbol = kc_define(c, outer, SYMBOL_NAMESPACE, token->word, token->place);
            symbol->scope = kc_scope(c, outer, 64);
            symbol->scope->is_namespace = true;
            symbol->scope->name = token->word;
            if (is_inline && outer->uses < 8)
                outer->used[outer->uses++] = symbol->scope;
        }
        inner = symbol->scope;
        kc_next(c);
    } while (kc_accept(c, SIGN_SCOPE));
    kc_declarations_in_braces(c, inner);
}

static void use_namespace(struct kc *c, struct scope *scope)
{
    struct naming name;
    kc_next(c);
    if (!kc_name(c, &name, false))
        return;
    if (name.symbol->kind != SYMBOL_NAMESPACE) {
        kc_error(c, name.place, "'%.*s' is no namespace", SLICE(name.word->text));
        return;
    }
    for (int i = 0; i < scope->uses; i++)
        if (scope->used[i] == name.symbol->scope)
            return;
    if (name.symbol->scope != scope && scope->uses < 8)
        scope->used[scope->uses++] = name.symbol->scope;
}

/* using Base::Base; - Base may be an alias of the class. */
static bool use_constructors(struct kc *c, struct record *record)
{
    struct parser *p = c->parser;
    int last = p->at; /* of the name behind the last :: */
    while (last < c->tokens && !(c->token[last].kind == TOKEN_SIGN && c->token[last].sign == ';'))
        last++;
    last--;
    const struct token *token = &c->token[last];
    if (!record || last < p->at + 2 || token->kind != TOKEN_WORD || token->word->keyword)
        return false;
    struct moment moment = kc_moment(c);
    const struct place place = kc_token(c)->place;
    struct naming name;
    const bool failed = c->failed;
    c->quiet++;
    c->token[last - 1].sign = ';'; /* the class, without what follows */
    kc_accept_key(c, KEY_TYPENAME);
    const bool good =
        kc_name(c, &name, true) && p->at == last - 1 && name.type && name.type->kind == TYPE_RECORD;
    c->token[last - 1].sign = SIGN_SCOPE;
    c->quiet--;
    c->failed = failed;
    if (!good || (token->word != name.word && token->word != name.type->record->name)) {
        kc_back(c, moment);
        return false;
    }
    p->at = last + 1;
    for (struct field *f = record->field; f; f = f->next)
        if (f->is_base && f->type->plain == name.type->plain)
            return f->inherits = true;
    kc_error(c, place, "'%s' is no base of '%s': its constructors cannot be used",
             kc_type_text(c, name.type), kc_type_text(c, record->type));
    return true;
}

static void use_name(struct kc *c, struct scope *scope, struct record *record)
{
    struct naming name;
    if (use_constructors(c, record))
        return;
    kc_accept_key(c, KEY_TYPENAME);
    if (!kc_name(c, &name, false))
        return;
    struct symbol *known = kc_find_in(c, scope, name.word);
    if (record && name.symbol->kind == SYMBOL_FUNCTION) {
        kc_use_functions(c, scope, name.symbol, known && known->scope == scope ? known : NULL);
        return;
    }
    if (known == name.symbol)
        return;
    struct symbol *symbol = kc_define(c, scope, name.symbol->kind, name.word, name.place);
    struct symbol *next = symbol->next;
    *symbol = *name.symbol;
    symbol->next = next;
    symbol->name = name.word;
}

/* using X = type; and template <...> using X = type; */
static void using_type(struct kc *c, struct template *template)
{
    struct parser *p = c->parser;
    struct scope *scope = template ? template->scope : p->scope;
    const struct token *token = kc_token(c);
    struct word *word = token->word;
    const struct place place = token->place;
    kc_next(c);
    kc_attributes(c, NULL);
    kc_expect(c, '=', "after the name of an alias");
    if (template) {
        template->kind = TEMPLATE_ALIAS;
        template->name = word;
        template->body = p->at;
        kc_define(c, scope, SYMBOL_TEMPLATE, word, place)->template = template;
        while (!kc_at(c, ';') && kc_token(c)->kind != TOKEN_END)
            kc_next(c);
    } else {
        struct type *type = kc_type_name(c);
        kc_define(c, scope, SYMBOL_TYPE, word, place)->type = type;
    }
}

void kc_using_declaration(struct kc *c, struct scope *scope, struct record *record,
                          struct template *template)
{
    kc_next(c);
    if (kc_at_key(c, KEY_NAMESPACE))
        use_namespace(c, scope);
    else if (kc_token(c)->kind == TOKEN_WORD && kc_ahead(c, 1)->kind == TOKEN_SIGN &&
             (kc_ahead(c, 1)->sign == '='))
        using_type(c, template);
    else
        use_name(c, scope, record);
    kc_expect(c, ';', "after a using declaration");
}

void kc_static_assertion(struct kc *c)
{
    kc_next(c);
    const struct place place = kc_token(c)->place;
    kc_expect(c, '(', "after static_assert");
    struct node *node = kc_constant_expression(c);
    struct slice text = {0};
    if (kc_accept(c, ',')) {
        if (kc_token(c)->kind == TOKEN_STRING) {
            text = kc_token(c)->text;
            kc_next(c);
        } else {
            kc_syntax(c, "the text of a static_assert is missing");
        }
    }
    kc_expect(c, ')', "after static_assert");
    kc_expect(c, ';', "after static_assert");
    int64_t value = 0;
    if (!c->parser->panic && node->type->kind != TYPE_ERROR &&
        kc_integer(c, kc_condition_value(c, node), &value, "the condition of a static_assert") &&
        !value)
        kc_error(c, place, "static assertion failed%s%.*s", text.length ? ": " : "", SLICE(text));
}
