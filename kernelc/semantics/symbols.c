/* symbols.c - scopes, and what names stand for in them. */
#include "kernelc/parser.h"

struct scope *kc_scope(struct kc *c, struct scope *outer, int buckets)
{
    struct scope *scope = KC_NEW(c, struct scope);
    scope->outer = outer;
    scope->buckets = buckets;
    scope->bucket = kc_new(c, (size_t)buckets * sizeof *scope->bucket);
    if (outer)
        scope->function = outer->function;
    return scope;
}

static struct symbol **bucket_of(struct scope *scope, const struct word *name)
{
    return &scope->bucket[((uintptr_t)name >> 4) % (uintptr_t)scope->buckets];
}

bool kc_is_hidden(const struct kc *c, int declared)
{
    return declared >= c->part && c->parser->at < c->part;
}

/* Operators are told apart by their arguments (kc_find_overload). */
static bool is_hidden(const struct kc *c, const struct scope *scope, const struct symbol *symbol)
{
    return scope->is_namespace && kc_is_hidden(c, symbol->token) &&
           !(symbol->kind == SYMBOL_FUNCTION && slice_begins(symbol->name->text, "operator"));
}

static struct symbol *find_below(struct kc *c, struct scope *scope, struct word *name, int depth)
{
    for (struct symbol *symbol = *bucket_of(scope, name); symbol; symbol = symbol->next)
        if (symbol->name == name && !is_hidden(c, scope, symbol))
            return symbol;
    for (int i = 0; i < scope->uses && depth < 8; i++) {
        struct symbol *symbol = find_below(c, scope->used[i], name, depth + 1);
        if (symbol)
            return symbol;
    }
    return NULL;
}

struct symbol *kc_find_in(struct kc *c, struct scope *scope, struct word *name)
{
    return find_below(c, scope, name, 0);
}

struct symbol *kc_find(struct kc *c, struct word *name)
{
    for (struct scope *scope = c->parser->scope; scope; scope = scope->outer) {
        struct symbol *symbol = find_below(c, scope, name, 0);
        if (symbol)
            return symbol;
    }
    return NULL;
}

struct symbol *kc_find_type(const struct symbol *hiding)
{
    for (struct scope *scope = hiding->scope; scope; scope = scope->outer)
        for (struct symbol *symbol = *bucket_of(scope, hiding->name); symbol; symbol = symbol->next)
            if (symbol->name == hiding->name && symbol->kind == SYMBOL_TYPE)
                return symbol;
    return NULL;
}

struct symbol *kc_define(struct kc *c, struct scope *scope, enum symbol_kind kind,
                         struct word *name, struct place place)
{
    struct symbol *symbol = KC_NEW(c, struct symbol);
    struct symbol **bucket = bucket_of(scope, name);
    *symbol = (struct symbol){.next = *bucket,
                              .name = name,
                              .kind = kind,
                              .place = place,
                              .scope = scope,
                              .token = c->parser->at};
    return *bucket = symbol;
}
