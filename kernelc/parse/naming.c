/* naming.c - names with scopes and templates' arguments: a::b<int>::c, and what they mean. */
#include "kernelc/parser.h"

/* What an alias of a template stands for where its arguments depend on parameters: index_sequence<I...> is
 * integer_sequence<size_t, I...>, from which I can be deduced. */
static struct type *dependent_alias(struct kc *c, struct template *template,
                                    const struct argument *argument, int arguments)
{
    struct parser *p = c->parser;
    if (arguments != template->parameters || p->instance_depth >= KC_INSTANCE_DEPTH ||
        !kc_enter(c, template->place)) {
        kc_leave(c);
        return p->dependent;
    }
    struct moment moment = kc_moment(c);
    const bool failed = c->failed;
    c->quiet++;
    p->instance_depth++;
    p->scope = kc_bind_dependent(c, template, argument, arguments);
    p->at = template->body;
    p->in_pattern = true;
    p->no_greater = p->panic = false;
    struct type *type = kc_type_name(c);
    p->instance_depth--;
    c->quiet--;
    c->failed = failed;
    kc_back(c, moment);
    kc_leave(c);
    return type->kind == TYPE_ERROR ? p->dependent : type;
}

/* The instance of a template that a name with arguments means. */
static void instance_of_name(struct kc *c, struct naming *name)
{
    struct symbol *symbol = name->symbol;
    struct template *template = symbol->template;
    bool depends = template->template_argument && !template->template_argument->template;
    for (int i = 0; i < name->arguments; i++)
        depends |= kc_argument_depends(&name->argument[i]);
    if (depends) {
        name->dependent = true;
        if (template->kind == TEMPLATE_VARIABLE) /* a value: what it is turns out in an instance */
            return;
        name->type = c->parser->dependent;
        if (template->kind == TEMPLATE_CLASS) {
            name->type = kc_new_type(c, TYPE_INSTANCE);
            name->type->size = name->type->align = 1;
            name->type->template = template;
            name->type->argument = name->argument;
            name->type->arguments = name->arguments;
        } else if (template->kind == TEMPLATE_ALIAS) {
            name->type = dependent_alias(c, template, name->argument, name->arguments);
        }
    } else if (template->kind == TEMPLATE_CLASS) {
        name->type =
            kc_instantiate_class(c, template, name->argument, name->arguments, name->place);
    } else if (template->kind == TEMPLATE_ALIAS) {
        name->type =
            kc_instantiate_alias(c, template, name->argument, name->arguments, name->place);
    }
}

/* Names like std::vector that are not here: said with what may be meant. */
static void unknown_name(struct kc *c, const struct naming *name, const struct scope *scope)
{
    if (c->parser->panic)
        return;
    const char *unsupported = kc_unsupported(
        c, scope && scope->name ? scope->name->text : kc_slice(""), name->word->text);
    if (unsupported && !(scope && scope->record))
        kc_unknown(c, name->place, "'%.*s': %s", SLICE(name->word->text), unsupported);
    else if (scope && scope->record)
        kc_error(c, name->place, "there is no '%.*s' in '%s'", SLICE(name->word->text),
                 kc_type_text(c, scope->record->type));
    else if (scope && scope->name)
        kc_unknown(c, name->place,
                   "there is no '%.*s' in namespace '%.*s' (kernels have no host library)",
                   SLICE(name->word->text), SLICE(scope->name->text));
    else if (kc_is_of_host(name->word->text))
        kc_unknown(c, name->place, "'%.*s' is a function of the host: kernels cannot call it",
                   SLICE(name->word->text));
    else
        kc_unknown(c, name->place, "'%.*s' is not known here%s", SLICE(name->word->text),
                   kc_similar(c, name->word));
}

/* The scope that the name before `::` stands for; NULL: told, or it depends on a template's parameter. */
struct scope *kc_scope_named(struct kc *c, struct naming *name)
{
    struct symbol *symbol = name->symbol;
    struct type *type = name->type;
    if (symbol && symbol->kind == SYMBOL_NAMESPACE)
        return symbol->scope;
    if (type && kc_is_dependent(type)) {
        name->dependent = true;
        return NULL;
    }
    if (type && type->kind == TYPE_ENUM)
        return type->plain->scope;
    if (type && type->kind == TYPE_RECORD && kc_complete(c, type, name->place)) {
        name->record = type->plain->record;
        return name->record->scope;
    }
    if (type && type->kind == TYPE_RECORD && type->plain->record->in_progress) {
        name->record = type->plain->record;
        return name->record->scope;
    }
    if (!type || type->kind != TYPE_ERROR)
        kc_error(c, name->place, "'%.*s' is neither a class nor a namespace",
                 SLICE(name->word->text));
    return NULL;
}

/* Whether `<` after the name here begins template arguments. */
bool kc_takes_arguments(struct kc *c, const struct symbol *symbol)
{
    if (!kc_at(c, '<') || !symbol)
        return false;
    if (symbol->kind == SYMBOL_TEMPLATE)
        return true;
    if (symbol->kind == SYMBOL_FUNCTION)
        for (const struct function *f = symbol->function; f; f = f->next)
            if (f->is_template)
                return true;
    return false;
}

/* The rest of a name that depends on a template's parameter: T::type, A<T>::template f<int>. */
static void skip_dependent(struct kc *c, struct naming *name)
{
    name->dependent = true;
    name->type = c->parser->dependent;
    do {
        kc_accept_key(c, KEY_TEMPLATE);
        kc_next(c);
        if (kc_at(c, '<'))
            kc_skip_angles(c);
    } while (kc_accept(c, SIGN_SCOPE));
}

void kc_resolve(struct kc *c, struct naming *name)
{
    struct symbol *symbol = name->symbol;
    name->type = NULL;
    name->has_arguments = false;
    if (symbol->kind == SYMBOL_TYPE)
        name->type = symbol->type;
    if (kc_takes_arguments(c, symbol)) {
        name->has_arguments = true;
        if (!kc_template_arguments(c, &name->argument, &name->arguments))
            name->type = c->parser->basic[TYPE_ERROR];
        else if (symbol->kind == SYMBOL_TEMPLATE)
            instance_of_name(c, name);
    }
    if (symbol->kind == SYMBOL_DEPENDENT_VALUE)
        name->dependent = true;
}

/* Within a class template its name means the instance, and with arguments the template. */
static void injected_name(struct kc *c, struct naming *name)
{
    const struct symbol *symbol = name->symbol;
    if (symbol->kind != SYMBOL_TYPE || !kc_at(c, '<') || symbol->type->kind != TYPE_RECORD)
        return;
    const struct template *template = symbol->type->record->template;
    if (template && template->name == name->word)
        name->symbol = kc_find_in(c, template->scope, name->word);
}

/* Reads a name. only_type: what no type can be ends it. false: told. */
bool kc_name(struct kc *c, struct naming *name, bool only_type)
{
    struct scope *scope = NULL;
    *name = (struct naming){.place = kc_token(c)->place, .word = kc_token(c)->word};
    if (kc_at_decltype_scope(c)) {
        kc_next(c);
        name->type = kc_decltype_type(c);
        scope = kc_scope_named(c, name);
        if (!scope && !name->dependent)
            return false;
    }
    if (kc_accept(c, SIGN_SCOPE)) {
        scope = scope || name->dependent ? scope : c->parser->global;
        name->qualified = true;
    }
    if (name->dependent) {
        skip_dependent(c, name);
        return true;
    }
    for (;;) {
        kc_accept_key(c, KEY_TEMPLATE);
        const struct token *token = kc_token(c);
        name->place = token->place;
        name->word = token->word;
        if (token->kind == TOKEN_WORD && token->word->keyword == KEY_OPERATOR && !only_type) {
            name->word = kc_operator_name(c, &(struct type *){NULL});
            name->symbol = scope ? kc_find_in(c, scope, name->word) : kc_find(c, name->word);
            return name->symbol != NULL;
        }
        if (token->kind == TOKEN_SIGN && token->sign == '~') { /* a destructor */
            kc_next(c);
            name->word = kc_token(c)->word;
            name->symbol = NULL;
            kc_next(c);
            return false;
        }
        if (token->kind != TOKEN_WORD || token->word->keyword) {
            kc_syntax(c, "a name is missing before '%.*s'", SLICE(token->text));
            return false;
        }
        name->symbol = scope ? kc_find_in(c, scope, token->word) : kc_find(c, token->word);
        if (!name->symbol) {
            unknown_name(c, name, scope);
            return false;
        }
        if (name->symbol->kind == SYMBOL_LOST) {
            kc_unknown(c, name->place, "'%.*s' is declared with what is not known here: %s",
                       SLICE(name->word->text), name->symbol->why);
            return false;
        }
        kc_next(c);
        injected_name(c, name);
        kc_resolve(c, name);
        if (!kc_at(c, SIGN_SCOPE) ||
            (kc_ahead(c, 1)->kind == TOKEN_SIGN && kc_ahead(c, 1)->sign == '*'))
            return true;
        scope = kc_scope_named(c, name);
        if (!scope && !name->dependent)
            return false;
        kc_next(c);
        name->qualified = true;
        if (!scope) {
            skip_dependent(c, name);
            return true;
        }
    }
}
