/* declare.c - declarations: specifiers, declarators, names with their scopes. */
#include "kernelc/tree.h"

#include <string.h>

/* ---- attributes -------------------------------------------------------------------------------- */

static void align_to(struct specifiers *specifiers, uint32_t bytes)
{
    if (specifiers && bytes > specifiers->align)
        specifiers->align = bytes;
}

static void alignment(struct kc *c, struct specifiers *specifiers)
{
    if (!kc_expect(c, '(', "after the word for alignment"))
        return;
    const int close = kc_past(c, c->parser->at - 1) - 1;
    int64_t value = 0;
    if (kc_at_type(c)) {
        struct type *type = kc_type_name(c);
        value = type->align;
    } else {
        struct node *node = kc_constant_expression(c);
        kc_integer(c, node, &value, "an alignment");
    }
    if (value > 0 && value <= 128 && (value & (value - 1)) == 0) {
        align_to(specifiers, (uint32_t)value);
    } else {
        kc_error(c, kc_ahead(c, -1)->place, "an alignment is a power of two, at most 128");
    }
    if (!kc_expect(c, ')', "after an alignment") && close > c->parser->at)
        c->parser->at = close + 1;
}

static void skip_parentheses(struct kc *c)
{
    if (kc_at(c, '('))
        c->parser->at = kc_past(c, c->parser->at);
}

static void launch_bounds(struct kc *c, struct specifiers *specifiers)
{
    if (!kc_expect(c, '(', "after __launch_bounds__"))
        return;
    const int close = kc_past(c, c->parser->at - 1);
    int64_t value = 0;
    if (!c->parser->in_pattern) {
        struct node *node = kc_constant_expression(c);
        if (specifiers && kc_integer(c, node, &value, "a number of threads"))
            specifiers->max_threads = value > 0 && value <= 1024 ? (int)value : 0;
    }
    if (close > c->parser->at)
        c->parser->at = close;
}

/* Attributes that advise an optimiser, warn, or speak to a linker. */
static bool changes_nothing(struct slice text)
{
    static const char *const names[] = {"always_inline",
                                        "noinline",
                                        "unused",
                                        "used",
                                        "const",
                                        "pure",
                                        "deprecated",
                                        "weak",
                                        "hot",
                                        "cold",
                                        "flatten",
                                        "may_alias",
                                        "noreturn",
                                        "nothrow",
                                        "visibility",
                                        "device",
                                        "host",
                                        "global",
                                        "shared",
                                        "constant",
                                        "nonnull",
                                        "optimize",
                                        "warn_unused_result",
                                        "no_sanitize",
                                        "artificial",
                                        "leaf",
                                        "fallthrough"};
    if (text.length > 4 && slice_begins(text, "__")) {
        text.at += 2;
        text.length -= 4;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_is(text, names[i]))
            return true;
    return false;
}

static void gnu_attribute(struct kc *c, struct specifiers *specifiers)
{
    const int close = kc_past(c, c->parser->at);
    if (!kc_accept(c, '(') || !kc_accept(c, '('))
        return;
    while (c->parser->at < close && kc_token(c)->kind != TOKEN_END) {
        struct slice text = kc_token(c)->text;
        kc_next(c);
        if ((slice_is(text, "aligned") || slice_is(text, "__aligned__")) && kc_at(c, '('))
            alignment(c, specifiers);
        else if (slice_is(text, "aligned") || slice_is(text, "__aligned__"))
            align_to(specifiers, 16);
        else if (changes_nothing(text))
            skip_parentheses(c);
        else if (kc_ahead(c, -1)->kind == TOKEN_WORD && !c->parser->panic) {
            kc_error(c, kc_ahead(c, -1)->place, "attribute '%.*s' is not supported", SLICE(text));
            skip_parentheses(c);
        }
        if (!kc_at(c, ',') && !kc_at(c, ')'))
            continue;
        kc_next(c);
    }
    c->parser->at = close > c->parser->at ? close : c->parser->at;
}

/* __align__(8), alignas(8), __attribute__((aligned(8))), [[nodiscard]], __launch_bounds__(256): wherever they
 * may stand. */
void kc_attributes(struct kc *c, struct specifiers *specifiers)
{
    for (;;) {
        if (kc_at(c, '[') && kc_ahead(c, 1)->kind == TOKEN_SIGN && kc_ahead(c, 1)->sign == '[') {
            const int past = kc_past(c, c->parser->at);
            if (past == c->parser->at)
                return;
            c->parser->at = past;
        } else if (kc_accept_key(c, KEY_ALIGN) || kc_accept_key(c, KEY_ALIGNAS)) {
            alignment(c, specifiers);
        } else if (kc_accept_key(c, KEY_ATTRIBUTE)) {
            gnu_attribute(c, specifiers);
        } else if (kc_accept_key(c, KEY_LAUNCH_BOUNDS)) {
            launch_bounds(c, specifiers);
        } else if (kc_accept_key(c, KEY_CLUSTER_DIMS)) {
            kc_error(c, kc_ahead(c, -1)->place, "clusters of blocks are not supported");
            skip_parentheses(c);
        } else if (kc_accept_key(c, KEY_MAXNREG)) {
            skip_parentheses(c);
        } else if (!kc_accept_key(c, KEY_RESTRICT)) {
            return;
        }
    }
}

/* ---- names with scopes -------------------------------------------------------------------------- */

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
        name->type = c->parser->dependent;
        if (template->kind == TEMPLATE_CLASS) {
            name->type = kc_new_type(c, TYPE_INSTANCE);
            name->type->size = name->type->align = 1;
            name->type->template = template;
            name->type->argument = name->argument;
            name->type->arguments = name->arguments;
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
    if (scope && scope->record)
        kc_error(c, name->place, "there is no '%.*s' in '%s'", SLICE(name->word->text),
                 kc_type_text(c, scope->record->type));
    else if (scope && scope->name)
        kc_unknown(c, name->place,
                   "there is no '%.*s' in namespace '%.*s' (kernels have no host library)",
                   SLICE(name->word->text), SLICE(scope->name->text));
    else
        kc_unknown(c, name->place, "'%.*s' is not known here", SLICE(name->word->text));
}

/* The scope that the name before `::` stands for; NULL: told, or it depends on a template's parameter. */
static struct scope *scope_of(struct kc *c, struct naming *name)
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

/* Of the name here: whether `<` after it begins template arguments. */
static bool takes_arguments(struct kc *c, const struct symbol *symbol)
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

static void resolve(struct kc *c, struct naming *name)
{
    struct symbol *symbol = name->symbol;
    name->type = NULL;
    name->has_arguments = false;
    if (symbol->kind == SYMBOL_TYPE)
        name->type = symbol->type;
    if (takes_arguments(c, symbol)) {
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
    *name = (struct naming){.place = kc_token(c)->place};
    if (kc_accept(c, SIGN_SCOPE)) {
        scope = c->parser->global;
        name->qualified = true;
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
        resolve(c, name);
        if (!kc_at(c, SIGN_SCOPE) ||
            (kc_ahead(c, 1)->kind == TOKEN_SIGN && kc_ahead(c, 1)->sign == '*'))
            return true;
        scope = scope_of(c, name);
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

/* ---- does a declaration begin here? ------------------------------------------------------------ */

static bool is_type_key(int keyword)
{
    switch (keyword) {
    case KEY_AUTO:
    case KEY_BOOL:
    case KEY_CHAR:
    case KEY_CLASS:
    case KEY_CONST:
    case KEY_CONSTEXPR:
    case KEY_DECLTYPE:
    case KEY_DOUBLE:
    case KEY_ENUM:
    case KEY_EXTERN:
    case KEY_FLOAT:
    case KEY_INLINE:
    case KEY_INT:
    case KEY_LONG:
    case KEY_REGISTER:
    case KEY_SHORT:
    case KEY_SIGNED:
    case KEY_STATIC:
    case KEY_THREAD_LOCAL:
    case KEY_STRUCT:
    case KEY_TYPEDEF:
    case KEY_TYPENAME:
    case KEY_UNION:
    case KEY_UNSIGNED:
    case KEY_VOID:
    case KEY_VOLATILE:
    case KEY_HALF:
    case KEY_BF16:
    case KEY_ALIGN:
    case KEY_ALIGNAS:
    case KEY_ATTRIBUTE:
    case KEY_DEVICE:
    case KEY_SHARED:
    case KEY_CONSTANT:
    case KEY_USING:
    case KEY_STATIC_ASSERT:
        return true;
    default:
        return false;
    }
}

/* Reads a name without a word, and says whether it is a type. The place in the tokens moves. */
static bool reads_type(struct kc *c)
{
    struct naming name;
    const bool failed = c->failed, unknown = c->unknown;
    c->quiet++;
    const bool panic = c->parser->panic;
    const bool good = kc_name(c, &name, true);
    c->parser->panic = panic;
    c->quiet--;
    c->failed = failed;
    c->unknown = unknown;
    return good && name.type && (!name.symbol || name.symbol->kind != SYMBOL_VARIABLE);
}

bool kc_at_type(struct kc *c)
{
    const struct token *token = kc_token(c);
    if (token->kind == TOKEN_SIGN && token->sign == '[' && kc_ahead(c, 1)->kind == TOKEN_SIGN &&
        kc_ahead(c, 1)->sign == '[')
        return true;
    if (token->kind == TOKEN_WORD && token->word->keyword)
        return is_type_key(token->word->keyword);
    if (token->kind != TOKEN_WORD && !(token->kind == TOKEN_SIGN && token->sign == SIGN_SCOPE))
        return false;
    /* The common case without reading on. */
    if (token->kind == TOKEN_WORD) {
        struct symbol *symbol = kc_find(c, token->word);
        if (!symbol || symbol->kind == SYMBOL_VARIABLE || symbol->kind == SYMBOL_FUNCTION ||
            symbol->kind == SYMBOL_CONSTANT || symbol->kind == SYMBOL_FIELD)
            return false;
    }
    struct moment moment = kc_moment(c);
    bool is_type = reads_type(c);
    kc_back(c, moment);
    return is_type;
}

/* ---- specifiers -------------------------------------------------------------------------------- */

struct words {
    int is_unsigned, is_signed, is_short, is_long, is_int, is_char, is_double;
};

static struct type *basic_type(struct kc *c, const struct words *words)
{
    struct type **basic = c->parser->basic;
    const bool u = words->is_unsigned > 0;
    if (words->is_double)
        return basic[TYPE_DOUBLE];
    if (words->is_char)
        return basic[u ? TYPE_UCHAR : words->is_signed ? TYPE_SCHAR : TYPE_CHAR];
    if (words->is_short)
        return basic[u ? TYPE_USHORT : TYPE_SHORT];
    if (words->is_long >= 2)
        return basic[u ? TYPE_ULLONG : TYPE_LLONG];
    if (words->is_long)
        return basic[u ? TYPE_ULONG : TYPE_LONG];
    return basic[u ? TYPE_UINT : TYPE_INT];
}

static struct type *decltype_type(struct kc *c)
{
    if (!kc_expect(c, '(', "after decltype"))
        return c->parser->basic[TYPE_ERROR];
    const int close = kc_past(c, c->parser->at - 1);
    if (kc_at_key(c, KEY_AUTO)) {
        c->parser->at = close;
        return c->parser->automatic;
    }
    struct type *type = c->parser->dependent;
    if (!c->parser->in_pattern) {
        const bool unevaluated = c->parser->unevaluated;
        c->parser->unevaluated = true;
        struct node *node = kc_expression(c);
        c->parser->unevaluated = unevaluated;
        type = node->kind == NODE_TYPE ? node->as : node->type;
        const bool named =
            !node->parenthesised && (node->kind == NODE_VARIABLE || node->kind == NODE_FIELD);
        if (node->kind != NODE_TYPE && node->is_place && !named)
            type = kc_reference(c, type);
    }
    c->parser->at = close > c->parser->at ? close : c->parser->at;
    return type;
}

static bool word_specifier(struct specifiers *s, int keyword)
{
    switch (keyword) {
    case KEY_TYPEDEF:
        return s->is_typedef = true;
    case KEY_THREAD_LOCAL:
        s->is_thread_local = true;
        return s->is_static = true;
    case KEY_STATIC:
        return s->is_static = true;
    case KEY_EXTERN:
        return s->is_extern = true;
    case KEY_CONSTEXPR:
        return s->is_constexpr = true;
    case KEY_INLINE:
    case KEY_FORCEINLINE:
    case KEY_NOINLINE:
    case KEY_REGISTER:
    case KEY_GRID_CONSTANT:
    case KEY_RESTRICT:
        return s->is_inline = true;
    case KEY_DEVICE:
        return s->is_device = true;
    case KEY_HOST:
        return s->is_host = true;
    case KEY_GLOBAL:
        return s->is_global = true;
    case KEY_SHARED:
        return s->is_shared = true;
    case KEY_CONSTANT:
        return s->is_constant = true;
    case KEY_MANAGED:
        return s->is_managed = true;
    case KEY_FRIEND:
        return s->is_friend = true;
    case KEY_EXPLICIT:
        return s->is_explicit = true;
    case KEY_VIRTUAL:
        return s->is_virtual = true;
    case KEY_MUTABLE:
        return s->is_mutable = true;
    default:
        return false;
    }
}

/* In the parameters of a lambda each `auto` is a parameter of a template. */
static struct type *automatic_type(struct kc *c)
{
    struct parser *p = c->parser;
    if (p->auto_at < 0 || p->auto_at >= 32)
        return p->automatic;
    const int index = p->auto_at++;
    if (p->auto_pattern)
        return kc_parameter_type(c, index, false);
    return p->autos[index].type ? p->autos[index].type : p->basic[TYPE_ERROR];
}

static struct type *simple_type(struct kc *c, int keyword)
{
    struct type **basic = c->parser->basic;
    switch (keyword) {
    case KEY_VOID:
        return basic[TYPE_VOID];
    case KEY_BOOL:
        return basic[TYPE_BOOL];
    case KEY_FLOAT:
        return basic[TYPE_FLOAT];
    case KEY_HALF:
        return basic[TYPE_HALF];
    case KEY_BF16:
        return basic[TYPE_BF16];
    case KEY_AUTO:
        return automatic_type(c);
    default:
        return NULL;
    }
}

static bool counted_word(struct words *words, int keyword)
{
    switch (keyword) {
    case KEY_UNSIGNED:
        return ++words->is_unsigned;
    case KEY_SIGNED:
        return ++words->is_signed;
    case KEY_SHORT:
        return ++words->is_short;
    case KEY_LONG:
        return ++words->is_long;
    case KEY_INT:
        return ++words->is_int;
    case KEY_CHAR:
        return ++words->is_char;
    case KEY_DOUBLE:
        return ++words->is_double;
    default:
        return false;
    }
}

static bool any_counted(const struct words *words)
{
    static const struct words none;
    return memcmp(words, &none, sizeof none) != 0;
}

/* A type by its name, perhaps after `typename`. */
static struct type *named_type(struct kc *c, bool needed)
{
    struct moment moment = kc_moment(c);
    struct naming name;
    const struct token *next = kc_ahead(c, 1);
    /* What no type is known of, but stands where one would: told. */
    const bool declares =
        kc_token(c)->kind == TOKEN_WORD && !kc_token(c)->word->keyword &&
        (next->kind == TOKEN_WORD ||
         (next->kind == TOKEN_SIGN && (next->sign == SIGN_SCOPE || next->sign == '<' ||
                                       next->sign == '*' || next->sign == '&')));
    if (!needed && !kc_at_type(c) && !declares)
        return NULL;
    kc_accept_key(c, KEY_TYPENAME);
    if (!kc_name(c, &name, true))
        return c->parser->basic[TYPE_ERROR];
    if (name.type)
        return name.type;
    if (name.symbol && name.symbol->kind == SYMBOL_TEMPLATE)
        kc_error(c, name.place, "the arguments of template '%.*s' are missing: %.*s<...>",
                 SLICE(name.word->text), SLICE(name.word->text));
    else
        kc_error(c, name.place, "'%.*s' is no type", SLICE(name.word->text));
    kc_back(c, moment);
    kc_next(c);
    return c->parser->basic[TYPE_ERROR];
}

/* Of a constructor's declaration: the name of the class, and a `(`. */
static bool at_constructor(struct kc *c, bool in_class)
{
    const struct scope *scope = c->parser->scope;
    const struct token *token = kc_token(c), *next = kc_ahead(c, 1);
    if (!in_class || !scope->record || token->kind != TOKEN_WORD || !scope->record->name)
        return false;
    return token->word == scope->record->name && next->kind == TOKEN_SIGN && next->sign == '(';
}

/* X::X( or X<T>::X( outside of a class, X::operator T( */
static bool at_outside_constructor(struct kc *c)
{
    int i = 1;
    const struct token *first = kc_token(c);
    if (first->kind != TOKEN_WORD || first->word->keyword || kc_ahead(c, 1)->kind != TOKEN_SIGN)
        return false;
    if (kc_ahead(c, 1)->sign == '<') {
        int depth = 0;
        for (; i < 60; i++) {
            const struct token *token = kc_ahead(c, i);
            if (token->kind == TOKEN_SIGN)
                depth += (token->sign == '<') - (token->sign == '>');
            if (token->kind == TOKEN_END || depth == 0)
                break;
        }
        i++;
    }
    const struct token *colons = kc_ahead(c, i), *name = kc_ahead(c, i + 1),
                       *open = kc_ahead(c, i + 2);
    if (colons->kind != TOKEN_SIGN || colons->sign != SIGN_SCOPE)
        return false;
    if (name->kind == TOKEN_WORD && name->word->keyword == KEY_OPERATOR)
        return open->kind == TOKEN_WORD; /* a conversion */
    if (name->kind == TOKEN_SIGN && name->sign == '~')
        return open->kind == TOKEN_WORD && open->word == first->word;
    return name->kind == TOKEN_WORD && name->word == first->word && open->kind == TOKEN_SIGN &&
           open->sign == '(';
}

bool kc_specifiers(struct kc *c, struct specifiers *s, bool in_class)
{
    struct words words = {0};
    bool is_const = false, is_volatile = false;
    *s = (struct specifiers){.place = kc_token(c)->place, .begin = c->parser->at};
    while (kc_work(c)) {
        kc_attributes(c, s);
        const struct token *token = kc_token(c);
        const int keyword = token->kind == TOKEN_WORD ? token->word->keyword : 0;
        if (keyword == KEY_EXTERN && kc_ahead(c, 1)->kind == TOKEN_STRING) {
            s->is_extern_c = true;
            kc_next(c);
        } else if (keyword == KEY_CONST) {
            is_const = true;
        } else if (keyword == KEY_VOLATILE) {
            is_volatile = true;
        } else if (keyword == KEY_EXPLICIT && kc_ahead(c, 1)->kind == TOKEN_SIGN &&
                   kc_ahead(c, 1)->sign == '(') {
            kc_next(c);
            c->parser->at = kc_past(c, c->parser->at) - 1;
        } else if (word_specifier(s, keyword) || (!s->type && counted_word(&words, keyword))) {
        } else if (s->type || any_counted(&words)) {
            break;
        } else if (keyword == KEY_STRUCT || keyword == KEY_CLASS || keyword == KEY_UNION) {
            s->type = kc_class(c, NULL);
            s->defines = true;
            continue;
        } else if (keyword == KEY_ENUM) {
            s->type = kc_enumeration(c);
            s->defines = true;
            continue;
        } else if (keyword == KEY_DECLTYPE) {
            kc_next(c);
            s->type = decltype_type(c);
            continue;
        } else if ((s->type = simple_type(c, keyword))) {
        } else {
            if (at_constructor(c, in_class) ||
                (!c->parser->function && at_outside_constructor(c)) || keyword == KEY_OPERATOR ||
                (token->kind == TOKEN_SIGN && token->sign == '~'))
                break;
            s->type = named_type(c, keyword == KEY_TYPENAME);
            if (!s->type)
                break;
            continue;
        }
        kc_next(c);
    }
    if (!s->type && any_counted(&words))
        s->type = basic_type(c, &words);
    if (s->is_constexpr)
        s->is_inline = true;
    if (s->type)
        s->type = kc_qualified(c, s->type, is_const, is_volatile);
    return s->type != NULL;
}

/* ---- declarators ------------------------------------------------------------------------------- */

static struct type *pointers(struct kc *c, struct type *type, struct declarator *declarator)
{
    for (;;) {
        kc_attributes(c, NULL);
        if (kc_accept(c, '*')) {
            if (kc_is_reference(type))
                kc_error(c, kc_ahead(c, -1)->place, "there are no pointers to references");
            type = kc_pointer(c, type);
        } else if (kc_accept(c, '&')) {
            type = kc_reference(c, type);
        } else if (kc_accept(c, SIGN_AND)) {
            type = kc_rvalue(c, type);
        } else if (kc_accept_key(c, KEY_CONST)) {
            type = kc_qualified(c, type, true, false);
        } else if (kc_accept_key(c, KEY_VOLATILE)) {
            type = kc_qualified(c, type, false, true);
        } else if (kc_accept(c, SIGN_ELLIPSIS)) {
            declarator->is_pack = true;
        } else {
            return type;
        }
    }
}

static struct type *array_of(struct kc *c, struct type *base, int64_t count, struct place place)
{
    if (base->kind == TYPE_ERROR)
        return base;
    if (base->kind == TYPE_VOID || base->kind == TYPE_FUNCTION || kc_is_reference(base)) {
        kc_error(c, place, "there are no arrays of '%s'", kc_type_text(c, base));
        return c->parser->basic[TYPE_ERROR];
    }
    if (count < -1 || count > INT32_MAX * INT64_C(64)) {
        kc_error(c, place, "an array cannot have %lld elements", (long long)count);
        return c->parser->basic[TYPE_ERROR];
    }
    if (count > 0 && base->size > (UINT64_C(1) << 40) / (uint64_t)count) {
        kc_error(c, place, "this array is too large");
        return c->parser->basic[TYPE_ERROR];
    }
    return kc_array(c, base, count);
}

/* [4][3] behind a name: the last bound is the innermost. */
static struct type *arrays(struct kc *c, struct type *base)
{
    const struct place place = kc_token(c)->place;
    if (!kc_at(c, '['))
        return base;
    const int close = kc_past(c, c->parser->at);
    kc_next(c);
    int64_t count = -1;
    int index = -1;
    if (!kc_at(c, ']')) {
        const bool greater = c->parser->no_greater;
        c->parser->no_greater = false;
        struct node *bound = NULL;
        if (c->parser->in_pattern) {
            struct symbol *symbol =
                kc_token(c)->kind == TOKEN_WORD ? kc_find(c, kc_token(c)->word) : NULL;
            count = -2;
            if (symbol && symbol->kind == SYMBOL_DEPENDENT_VALUE && kc_ahead(c, 1)->sign == ']')
                index = symbol->index;
            else if (kc_token(c)->kind == TOKEN_NUMBER && kc_ahead(c, 1)->sign == ']')
                count = -1, bound = kc_constant_expression(c);
        } else {
            bound = kc_constant_expression(c);
        }
        if (bound && !kc_integer(c, bound, &count, "the size of an array"))
            count = -3;
        else if (bound && count < 0) {
            kc_error(c, place, "an array cannot have %lld elements", (long long)count);
            count = -3;
        }
        c->parser->no_greater = greater;
    }
    if (c->parser->in_pattern && close > c->parser->at)
        c->parser->at = close;
    else
        kc_expect(c, ']', "after the size of an array");
    if (!kc_enter(c, place)) {
        kc_leave(c);
        return c->parser->basic[TYPE_ERROR];
    }
    base = arrays(c, base);
    kc_leave(c);
    if (count == -3)
        return c->parser->basic[TYPE_ERROR];
    if (count == -2) {
        struct type *type = kc_array(c, base, -2);
        type->index = index;
        return type;
    }
    return array_of(c, base, count, place);
}

/* Whether the `(` here begins the parameters of a function rather than an initialiser. */
static bool at_parameters(struct kc *c)
{
    const struct token *next = kc_ahead(c, 1);
    if (next->kind == TOKEN_SIGN && next->sign == ')')
        return true;
    if (next->kind == TOKEN_SIGN && next->sign == SIGN_ELLIPSIS)
        return true;
    const struct symbol *symbol =
        next->kind == TOKEN_WORD && !next->word->keyword ? kc_find(c, next->word) : NULL;
    if (symbol && symbol->kind == SYMBOL_PACK && !symbol->variables)
        return true; /* T... x */
    struct moment moment = kc_moment(c);
    kc_next(c);
    bool type = kc_at_type(c);
    if (type && kc_token(c)->kind == TOKEN_WORD && !kc_token(c)->word->keyword) {
        /* T(x) would be a value: but a parameter has a name or ends. */
        struct naming name;
        c->quiet++;
        kc_name(c, &name, true);
        c->quiet--;
        if (kc_at(c, '(') || kc_at(c, '{'))
            type = false;
    }
    kc_back(c, moment);
    return type;
}

static struct type *function_suffix(struct kc *c, struct type *result,
                                    struct declarator *declarator, bool named);

static struct type *suffixes(struct kc *c, struct type *type, struct declarator *declarator,
                             bool named)
{
    if (kc_at(c, '[') && !(kc_ahead(c, 1)->kind == TOKEN_SIGN && kc_ahead(c, 1)->sign == '['))
        return arrays(c, type);
    if (kc_at(c, '(') && (declarator->is_constructor || declarator->is_destructor ||
                          declarator->operator_name || at_parameters(c)))
        return function_suffix(c, type, declarator, named);
    return type;
}

/* Parameters; of the function that is declared, with their names. */
static struct type *function_suffix(struct kc *c, struct type *result,
                                    struct declarator *declarator, bool named)
{
    struct function *function = KC_NEW(c, struct function);
    function->open = c->parser->at;
    function->result = result;
    function->scope = c->parser->scope;
    if (named && declarator->outside) { /* its parameters are read with those of the class */
        declarator->function = function;
        declarator->open = function->open;
        c->parser->at = kc_past(c, c->parser->at);
        return result;
    }
    struct moment moment = kc_moment(c);
    struct scope *within = moment.scope;
    while (within && within != declarator->qualifier)
        within = within->outer;
    if (named && declarator->qualifier && !within)
        c->parser->scope = declarator->qualifier;
    kc_parameters(c, function);
    c->parser->scope = moment.scope;
    if (named) {
        declarator->function = function;
        declarator->open = function->open;
        return result;
    }
    return kc_type_of_function(c, function);
}

/* The operator's word: "operator+". Stands at `operator`. */
struct word *kc_operator_name(struct kc *c, struct type **conversion)
{
    kc_next(c);
    const struct token *token = kc_token(c);
    if (token->kind == TOKEN_SIGN) {
        int count = 1;
        char text[40];
        int sign = kc_binary_sign(c, &count);
        if (token->sign == '(' || token->sign == '[')
            count = 2;
        int length = 0;
        memcpy(text, "operator", 8);
        length = 8;
        for (int i = 0; i < count; i++) {
            const struct token *part = kc_token(c);
            memcpy(text + length, part->text.at, (size_t)part->text.length);
            length += part->text.length;
            kc_next(c);
        }
        (void)sign;
        return kc_word_of(c, kc_text(c, "%.*s", length, text));
    }
    if (token->kind == TOKEN_STRING) {
        kc_error(c, token->place, "literal operators are not supported");
        kc_next(c);
        return kc_word_of(c, "operator\"\"");
    }
    if (kc_at_key(c, KEY_NEW) || kc_at_key(c, KEY_DELETE)) {
        kc_next(c);
        if (kc_accept(c, '['))
            kc_accept(c, ']');
        return kc_word_of(c, "operator new");
    }
    struct specifiers specifiers;
    struct declarator none = {0};
    if (!kc_specifiers(c, &specifiers, false)) {
        kc_syntax(c, "an operator or a type is missing after 'operator'");
        return kc_word_of(c, "operator");
    }
    *conversion = pointers(c, specifiers.type, &none);
    return kc_word_of(c, kc_text(c, "operator %s", kc_type_text(c, *conversion)));
}

/* A::B<T>::name, where a declaration names a member of a class or namespace. */
static bool qualified_name(struct kc *c, struct declarator *declarator)
{
    struct scope *scope = NULL;
    while (kc_token(c)->kind == TOKEN_WORD && !kc_token(c)->word->keyword) {
        const struct token *token = kc_token(c), *next = kc_ahead(c, 1);
        struct symbol *symbol = scope ? kc_find_in(c, scope, token->word) : kc_find(c, token->word);
        if (next->kind != TOKEN_SIGN || (next->sign != SIGN_SCOPE && next->sign != '<') || !symbol)
            return true;
        if (next->sign == '<' && symbol->kind == SYMBOL_TYPE && symbol->type->kind == TYPE_RECORD &&
            symbol->type->record->template) /* within the class: its template */
            symbol = kc_find_in(c, symbol->type->record->template->scope, token->word);
        if (next->sign == '<' &&
            (symbol->kind != SYMBOL_TEMPLATE || symbol->template->kind != TEMPLATE_CLASS))
            return true;
        if (next->sign == '<' && c->parser->in_pattern) {
            kc_next(c);
            kc_skip_angles(c);
            if (!kc_accept(c, SIGN_SCOPE))
                return false;
            declarator->outside = symbol->template;
            continue;
        }
        struct naming name = {.symbol = symbol, .place = token->place, .word = token->word};
        kc_next(c);
        resolve(c, &name);
        scope = scope_of(c, &name);
        if (!scope || !kc_accept(c, SIGN_SCOPE))
            return false;
        declarator->qualifier = scope;
    }
    return true;
}

static bool declared_name(struct kc *c, struct declarator *declarator,
                          const struct scope *class_scope)
{
    if (!qualified_name(c, declarator)) {
        kc_syntax(c, "this declaration is not understood");
        return false;
    }
    const struct token *token = kc_token(c);
    declarator->place = token->place;
    declarator->name_at = c->parser->at;
    if (kc_accept(c, '~')) {
        declarator->is_destructor = true;
        declarator->name = kc_token(c)->word;
        kc_next(c);
        return true;
    }
    if (kc_at_key(c, KEY_OPERATOR)) {
        declarator->name = declarator->operator_name = kc_operator_name(c, &declarator->conversion);
        return true;
    }
    if (token->kind != TOKEN_WORD || token->word->keyword)
        return false;
    declarator->name = token->word;
    const struct scope *scope = declarator->qualifier ? declarator->qualifier : class_scope;
    struct word *class_name = declarator->outside ? declarator->outside->name
                              : scope->record     ? scope->record->name
                                                  : NULL;
    kc_next(c);
    struct symbol *known =
        kc_at(c, '<') ? kc_find_in(c, (struct scope *)scope, declarator->name) : NULL;
    if (known && takes_arguments(c, known) && known->kind == SYMBOL_FUNCTION)
        kc_template_arguments(c, &declarator->argument, &declarator->arguments);
    else if (known && known->kind == SYMBOL_TEMPLATE && known->template->kind == TEMPLATE_VARIABLE)
        kc_skip_angles(c);
    if (class_name == declarator->name && kc_at(c, '('))
        declarator->is_constructor = true;
    return true;
}

/* ( * name )( ... ): what stands in the parentheses is read after what follows them. */
static bool nested_declarator(struct kc *c, struct type *base, struct declarator *declarator,
                              bool abstract)
{
    const int open = c->parser->at, past = kc_past(c, open);
    if (past == open)
        return false;
    c->parser->at = past;
    struct type *type = suffixes(c, base, &(struct declarator){0}, false);
    const int end = c->parser->at;
    c->parser->at = open + 1;
    bool good = kc_declarator(c, type, declarator, abstract);
    if (good && c->parser->at != past - 1) {
        kc_syntax(c, "')' is missing in this declaration");
        good = false;
    }
    c->parser->at = end;
    return good;
}

bool kc_declarator(struct kc *c, struct type *base, struct declarator *declarator, bool abstract)
{
    if (!kc_enter(c, kc_token(c)->place)) {
        kc_leave(c);
        return false;
    }
    struct type *type = pointers(c, base, declarator);
    bool good = true, nested = false;
    if (kc_at(c, '(')) {
        const struct token *next = kc_ahead(c, 1);
        const bool inner =
            next->kind == TOKEN_SIGN &&
            (next->sign == '*' || next->sign == '&' || next->sign == SIGN_AND || next->sign == '(');
        nested = inner || (!abstract && next->kind == TOKEN_WORD && !next->word->keyword);
    }
    if (nested) {
        good = nested_declarator(c, type, declarator, abstract);
    } else {
        declarator->type = type;
        declarator->place = kc_token(c)->place;
        if (!declared_name(c, declarator, c->parser->scope) && !abstract)
            good = false;
        kc_attributes(c, NULL);
        if (good)
            declarator->type = suffixes(c, type, declarator, declarator->name != NULL);
    }
    kc_leave(c);
    return good;
}

struct type *kc_type_name(struct kc *c)
{
    struct specifiers specifiers;
    struct declarator declarator = {0};
    if (!kc_specifiers(c, &specifiers, false)) {
        kc_syntax(c, "a type is missing before '%.*s'", SLICE(kc_token(c)->text));
        return c->parser->basic[TYPE_ERROR];
    }
    if (!kc_declarator(c, specifiers.type, &declarator, true))
        return c->parser->basic[TYPE_ERROR];
    if (declarator.function)
        return kc_type_of_function(c, declarator.function);
    return declarator.type;
}
