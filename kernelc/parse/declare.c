/* declare.c - whether a declaration begins here, and its specifiers: what stands before its names. */
#include "kernelc/parser.h"

#include <string.h>

/* ---- does a declaration begin here? ------------------------------------------------------------ */

bool kc_is_type_key(int keyword)
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
    const bool by_decltype = kc_at_decltype_scope(c); /* decltype(x)::type or ::value */
    if (token->kind == TOKEN_WORD && token->word->keyword && !by_decltype)
        return kc_is_type_key(token->word->keyword) ||
               (token->word->keyword == KEY_NAMESPACE && kc_ahead(c, 2)->kind == TOKEN_SIGN &&
                kc_ahead(c, 2)->sign == '='); /* namespace a = b; */
    if (token->kind != TOKEN_WORD && !(token->kind == TOKEN_SIGN && token->sign == SIGN_SCOPE))
        return false;
    /* The common case without reading on. */
    if (token->kind == TOKEN_WORD && !by_decltype) {
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

/* Whether what follows a type's name makes a value, as in `atomic_ref<int>(x) += 1`; in `T (*f)(int)` it declares
 * something. */
static bool makes_value(struct kc *c)
{
    const struct token *token = kc_token(c);
    if (token->kind != TOKEN_WORD || token->word->keyword || kc_ahead(c, 1)->kind != TOKEN_SIGN)
        return false;
    struct moment moment = kc_moment(c);
    struct naming name;
    const bool failed = c->failed, unknown = c->unknown;
    c->quiet++;
    kc_name(c, &name, true);
    c->quiet--;
    c->failed = failed;
    c->unknown = unknown;
    const struct token *next = kc_ahead(c, 1);
    const bool makes =
        kc_at(c, '{') ||
        (kc_at(c, '(') && !(next->kind == TOKEN_SIGN && (next->sign == '*' || next->sign == '&')));
    kc_back(c, moment);
    return makes;
}

/* Whether a type that is not known seems to declare something: `string s;`, `std::vector<float> v(3);` */
static bool seems_to_declare(struct kc *c)
{
    const struct token *token = kc_token(c);
    const bool qualified = kc_ahead(c, 1)->kind == TOKEN_SIGN && kc_ahead(c, 1)->sign == SIGN_SCOPE;
    if (token->kind != TOKEN_WORD || token->word->keyword ||
        (kc_find(c, token->word) && !qualified))
        return false;
    struct moment moment = kc_moment(c);
    kc_next(c);
    while (kc_at(c, SIGN_SCOPE)) {
        kc_next(c);
        kc_next(c);
    }
    if (kc_at(c, '<'))
        kc_skip_angles(c);
    const bool declares = kc_token(c)->kind == TOKEN_WORD && !kc_token(c)->word->keyword;
    kc_back(c, moment);
    return declares;
}

bool kc_at_declaration(struct kc *c)
{
    return kc_at_type(c) ? !makes_value(c) : seems_to_declare(c);
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

struct type *kc_decltype(struct kc *c, const struct node *node)
{
    if (node->kind == NODE_TYPE)
        return node->as;
    if (!node->parenthesised && node->kind == NODE_VARIABLE)
        return node->variable->type;
    if (!node->parenthesised && node->kind == NODE_FIELD) {
        const struct type *of = node->left->type;
        const bool captured = of->kind == TYPE_RECORD && of->record->is_lambda;
        return captured ? kc_unreferenced(node->field->type) : node->field->type;
    }
    return node->is_place ? kc_reference(c, node->type) : node->type;
}

bool kc_at_decltype_scope(struct kc *c)
{
    const int past = kc_at_key(c, KEY_DECLTYPE) && kc_ahead(c, 1)->kind == TOKEN_SIGN
                         ? kc_past(c, c->parser->at + 1)
                         : 0;
    return past > c->parser->at && past < c->tokens && c->token[past].kind == TOKEN_SIGN &&
           c->token[past].sign == SIGN_SCOPE;
}

struct type *kc_decltype_type(struct kc *c)
{
    if (!kc_expect(c, '(', "after decltype"))
        return c->parser->basic[TYPE_ERROR];
    const int close = kc_past(c, c->parser->at - 1);
    if (kc_at_key(c, KEY_AUTO)) {
        c->parser->at = close;
        return c->parser->decltype_auto;
    }
    struct type *type = c->parser->dependent;
    if (!c->parser->in_pattern) {
        const bool unevaluated = c->parser->unevaluated;
        c->parser->unevaluated = true;
        struct node *node = kc_expression(c);
        c->parser->unevaluated = unevaluated;
        type = kc_decltype(c, node);
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
        return true;
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
    const int before = c->parser->at;
    if (!kc_name(c, &name, true)) { /* what follows is declared, and of no type */
        if (declares && c->parser->at - before < 8 && kc_token(c)->kind == TOKEN_WORD &&
            !kc_token(c)->word->keyword)
            kc_next(c);
        while (declares && kc_at(c, SIGN_SCOPE) && kc_ahead(c, 1)->kind == TOKEN_WORD) {
            kc_next(c);
            kc_next(c);
        }
        if (declares && kc_at(c, '<'))
            kc_skip_angles(c);
        return c->parser->basic[TYPE_ERROR];
    }
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

struct word *kc_class_name(const struct scope *scope)
{
    if (!scope->record && !scope->is_namespace && scope->outer) /* of a template's parameters */
        scope = scope->outer;
    return scope->record ? scope->record->name : NULL;
}

/* Whether a constructor's declaration begins here: the name of the class, and a `(`. */
static bool at_constructor(struct kc *c, bool in_class)
{
    const struct token *token = kc_token(c), *next = kc_ahead(c, 1);
    return in_class && token->kind == TOKEN_WORD && next->kind == TOKEN_SIGN && next->sign == '(' &&
           token->word == kc_class_name(c->parser->scope);
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
        } else if (keyword == KEY_DECLTYPE && !kc_at_decltype_scope(c)) {
            kc_next(c);
            s->type = kc_decltype_type(c);
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
    if (s->type)
        s->type = kc_qualified(c, s->type, is_const, is_volatile);
    return s->type != NULL;
}
