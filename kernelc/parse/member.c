/* member.c - members of objects: x.f, p->f, x.Base::f. */
#include "kernelc/parser.h"

/* x.f<int>: the arguments stand behind a member's name if a template has it. */
static void member_arguments(struct kc *c, const struct symbol *symbol, struct node *node)
{
    bool template = false;
    for (const struct function *f = symbol->function; f; f = f->next)
        template |= f->is_template;
    if (kc_at(c, '<') && template)
        kc_template_arguments(c, &node->argument, &node->arguments);
}

static struct node *no_member(struct kc *c, const struct type *type, struct slice name,
                              struct place place)
{
    if (type->kind == TYPE_POINTER && type->base->kind == TYPE_RECORD)
        kc_error(c, place, "'%s' is a pointer: write -> for .", kc_type_text(c, type));
    else if (type->kind != TYPE_RECORD)
        kc_error(c, place, "'%s' is no class: it has no member '%.*s'", kc_type_text(c, type),
                 SLICE(name));
    else
        kc_error(c, place, "there is no member '%.*s' in '%s'", SLICE(name), kc_type_text(c, type));
    return kc_error_node(c);
}

static struct word *member_name(struct kc *c, struct place *place)
{
    kc_accept_key(c, KEY_TEMPLATE);
    const struct token *token = kc_token(c);
    *place = token->place;
    if (kc_at_key(c, KEY_OPERATOR)) {
        struct type *conversion = NULL;
        return kc_operator_name(c, &conversion);
    }
    if (kc_at(c, '~')) {
        kc_syntax(c, "destructors are not called by name here: make this one a function");
        return NULL;
    }
    if (token->kind != TOKEN_WORD || token->word->keyword) {
        kc_syntax(c, "the name of a member is missing");
        return NULL;
    }
    kc_next(c);
    return token->word;
}

/* x.Base::f and x.Base<T>::f: the name, as it is known here or in the object's class. false: there is no class before
 * the name. */
static bool qualified_member(struct kc *c, struct record *record, struct naming *name)
{
    struct moment moment = kc_moment(c);
    struct scope *const scopes[] = {c->parser->scope, record->scope};
    if (kc_token(c)->kind != TOKEN_WORD || kc_token(c)->word->keyword)
        return false;
    for (int i = 0; i < 2; i++) {
        const bool failed = c->failed;
        c->quiet++;
        c->parser->scope = scopes[i];
        const struct symbol *first = kc_find(c, kc_token(c)->word);
        const bool is_class =
            first && (first->kind == SYMBOL_TYPE || first->kind == SYMBOL_TEMPLATE ||
                      first->kind == SYMBOL_NAMESPACE);
        const bool good =
            is_class && kc_name(c, name, false) && name->record && name->symbol && !name->dependent;
        c->parser->scope = scopes[0];
        c->quiet--;
        c->failed = failed;
        if (good)
            return true;
        kc_back(c, moment);
    }
    return false;
}

static struct node *qualified_node(struct kc *c, struct node *object, struct naming *name)
{
    uint64_t offset;
    struct symbol *symbol = name->symbol;
    if (symbol->kind == SYMBOL_FIELD) {
        struct node *node = kc_member_of(c, object, symbol, name->place);
        if (node)
            return node;
    } else if (symbol->kind == SYMBOL_FUNCTION &&
               kc_derives(kc_unreferenced(object->type)->record, name->record, &offset)) {
        struct node *node = kc_new_node(c, NODE_FUNCTION, name->place, c->parser->overload);
        node->function = symbol->function;
        node->object = object;
        node->argument = name->argument;
        node->arguments = name->has_arguments ? name->arguments : 0;
        return node;
    } else if (symbol->kind == SYMBOL_VARIABLE || symbol->kind == SYMBOL_CONSTANT) {
        return kc_symbol_node(c, name);
    }
    kc_error(c, name->place, "'%.*s' is no member of '%s'", SLICE(name->word->text),
             kc_type_text(c, object->type));
    return kc_error_node(c);
}

/* What `->` leads to. */
static struct node *arrow_object(struct kc *c, struct node *object, struct place place)
{
    if (object->type->kind == TYPE_RECORD)
        object = kc_call_member(c, object, kc_word_of(c, "operator->"), NULL, 0, place);
    if (object->type->kind == TYPE_ERROR)
        return object;
    if (object->type->kind != TYPE_RECORD)
        return kc_deref(c, object, place);
    kc_error(c, place, "'%s' is no pointer: write . for ->", kc_type_text(c, object->type));
    return object;
}

struct node *kc_member(struct kc *c, struct node *object, bool arrow, struct place place)
{
    struct place name_place;
    struct naming qualified = {0};
    if (arrow && object->type->kind != TYPE_ERROR)
        object = arrow_object(c, object, place);
    struct type *type = kc_unreferenced(object->type);
    if (type->kind == TYPE_RECORD && kc_complete(c, type, place) &&
        qualified_member(c, type->record, &qualified))
        return qualified_node(c, object, &qualified);
    struct word *name = member_name(c, &name_place);
    if (object->type->kind == TYPE_ERROR || !name)
        return kc_error_node(c);
    if (type->kind != TYPE_RECORD || !kc_complete(c, type, place))
        return no_member(c, type, name->text, name_place);
    struct symbol *symbol = kc_find_in(c, type->record->scope, name);
    uint64_t offset = 0;
    struct field *field = kc_find_field(type->record, name, &offset);
    if (field)
        return kc_field(c, object, field, offset, name_place);
    if (symbol && symbol->kind == SYMBOL_FIELD) { /* of a base */
        struct node *node = kc_member_of(c, object, symbol, name_place);
        if (node)
            return node;
    }
    if (symbol && symbol->kind == SYMBOL_FUNCTION) {
        struct node *node = kc_new_node(c, NODE_FUNCTION, name_place, c->parser->overload);
        node->function = symbol->function;
        node->object = object;
        member_arguments(c, symbol, node);
        return node;
    }
    if (symbol && (symbol->kind == SYMBOL_VARIABLE || symbol->kind == SYMBOL_CONSTANT))
        return kc_symbol_node(
            c, &(struct naming){.symbol = symbol, .word = name, .place = name_place});
    return no_member(c, type, name->text, name_place);
}
