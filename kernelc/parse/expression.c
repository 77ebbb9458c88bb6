/* expression.c - the grammar of expressions: operators by strength, prefixes, suffixes, lists. */
#include "kernelc/parser.h"

struct node *kc_new_node(struct kc *c, enum node_kind kind, struct place place, struct type *type)
{
    struct node *node = KC_NEW(c, struct node);
    node->kind = kind;
    node->place = place;
    node->type = type;
    return node;
}

struct node *kc_error_node(struct kc *c)
{
    return kc_new_node(c, NODE_ERROR, kc_token(c)->place, c->parser->basic[TYPE_ERROR]);
}

void kc_list_add(struct kc *c, struct node ***list, int *count, int *room, struct node *node)
{
    if ((*count & (*count - 1)) == 0) { /* grows at powers of two */
        struct node **fresh = kc_new(c, (size_t)(*count ? 2 * *count : 1) * sizeof *fresh);
        for (int i = 0; i < *count; i++)
            fresh[i] = (*list)[i];
        *list = fresh;
    }
    (*list)[(*count)++] = node;
    *room = *count;
}

/* ---- operators of two operands ------------------------------------------------------------------ */

static bool sign_follows(struct kc *c, int count, int sign)
{
    const struct token *last = kc_ahead(c, count - 1), *token = kc_ahead(c, count);
    return last->glued && token->kind == TOKEN_SIGN && token->sign == sign;
}

/* The sign that stands here, of *tokens tokens: `>` may be a part of `>>`, `>=`, `>>=`. */
int kc_binary_sign(struct kc *c, int *tokens)
{
    const struct token *token = kc_token(c);
    *tokens = 1;
    if (token->kind != TOKEN_SIGN)
        return 0;
    if (token->sign != '>')
        return token->sign;
    if (c->parser->no_greater)
        return '>';
    if (sign_follows(c, 1, '>')) {
        *tokens = 2;
        if (sign_follows(c, 2, '=')) {
            *tokens = 3;
            return SIGN_RIGHT_ASSIGN;
        }
        if (sign_follows(c, 2, SIGN_EQUAL))
            return SIGN_RIGHT;
        return SIGN_RIGHT;
    }
    if (sign_follows(c, 1, '=')) {
        *tokens = 2;
        return SIGN_GREATER_EQUAL;
    }
    return '>';
}

/* In a list of template arguments, '>' is its end. */
static int strength(const struct kc *c, int sign)
{
    return sign == '>' && c->parser->no_greater ? 0 : kc_strength(sign);
}

static struct node *prefix(struct kc *c);

static void skip_tokens(struct kc *c, int count)
{
    while (count--)
        kc_next(c);
}

static struct node *binary(struct kc *c, int least)
{
    if (!kc_enter(c, kc_token(c)->place)) {
        kc_leave(c);
        return kc_error_node(c);
    }
    struct node *left = prefix(c);
    for (;;) {
        int tokens;
        const int sign = kc_binary_sign(c, &tokens), power = strength(c, sign);
        const struct place place = kc_token(c)->place;
        if (!power || power < least || c->stopped)
            break;
        const struct token *behind = kc_ahead(c, tokens);
        if (behind->kind == TOKEN_SIGN && behind->sign == SIGN_ELLIPSIS) /* a fold */
            break;
        if (sign == SIGN_LAUNCH)
            break;
        skip_tokens(c, tokens);
        left = kc_binary(c, sign, left, binary(c, power + 1), place);
    }
    kc_leave(c);
    return left;
}

static struct node *conditional(struct kc *c)
{
    struct node *condition = binary(c, 1);
    const struct place place = kc_token(c)->place;
    if (!kc_accept(c, '?'))
        return condition;
    const bool greater = c->parser->no_greater;
    c->parser->no_greater = false;
    struct node *yes = kc_expression(c);
    c->parser->no_greater = greater;
    kc_expect(c, ':', "in a conditional expression");
    struct node *no = kc_assignment(c);
    return kc_select(c, condition, yes, no, place);
}

/* The operator before the `=`; '=' where there is none; 0: it is no assignment. */
static int assignment_sign(int sign)
{
    static const uint16_t before[] = {
        ['='] = '=',
        [SIGN_ADD_ASSIGN] = '+',
        [SIGN_SUB_ASSIGN] = '-',
        [SIGN_MUL_ASSIGN] = '*',
        [SIGN_DIV_ASSIGN] = '/',
        [SIGN_REM_ASSIGN] = '%',
        [SIGN_AND_ASSIGN] = '&',
        [SIGN_OR_ASSIGN] = '|',
        [SIGN_XOR_ASSIGN] = '^',
        [SIGN_LEFT_ASSIGN] = SIGN_LEFT,
        [SIGN_RIGHT_ASSIGN] = SIGN_RIGHT,
    };
    return (size_t)sign < sizeof before / sizeof *before ? before[sign] : 0;
}

struct node *kc_assignment(struct kc *c)
{
    if (kc_at_key(c, KEY_THROW)) {
        kc_error(c, kc_token(c)->place, "there are no exceptions in device code");
        kc_next(c);
        if (!kc_at(c, ';'))
            kc_assignment(c);
        return kc_error_node(c);
    }
    if (!kc_enter(c, kc_token(c)->place)) {
        kc_leave(c);
        return kc_error_node(c);
    }
    struct node *left = conditional(c);
    int tokens;
    const struct place place = kc_token(c)->place;
    const int sign = assignment_sign(kc_binary_sign(c, &tokens));
    if (sign) {
        skip_tokens(c, tokens);
        struct node *right = kc_at(c, '{') ? kc_braces(c) : kc_assignment(c);
        left = kc_assign(c, sign == '=' ? 0 : sign, left, right, place);
    }
    kc_leave(c);
    return left;
}

struct node *kc_expression(struct kc *c)
{
    struct node *left = kc_assignment(c);
    while (kc_at(c, ',')) {
        const struct place place = kc_token(c)->place;
        kc_next(c);
        struct node *right = kc_one_function(c, kc_assignment(c));
        struct node *call = left->type->kind == TYPE_RECORD || right->type->kind == TYPE_RECORD
                                ? kc_call_operator(c, ',', left, right, place)
                                : NULL;
        if (call) {
            left = call;
            continue;
        }
        struct node *node = kc_new_node(c, NODE_COMMA, place, right->type);
        node->left = left;
        node->right = right;
        node->is_place = right->is_place;
        left = node;
    }
    return left;
}

struct node *kc_constant_expression(struct kc *c)
{
    struct node *condition = binary(c, 1);
    const struct place place = kc_token(c)->place;
    if (!kc_accept(c, '?'))
        return condition;
    struct node *yes = kc_assignment(c);
    kc_expect(c, ':', "in a conditional expression");
    return kc_select(c, condition, yes, kc_constant_expression(c), place);
}

/* ---- lists of arguments ------------------------------------------------------------------------- */

/* One argument, or the elements of a pack. */
static void argument(struct kc *c, struct node ***list, int *count, int *room)
{
    struct parser *p = c->parser;
    struct packs packs;
    int ellipsis;
    const int from = p->at, end = kc_argument_end(c, from, &ellipsis);
    if (ellipsis && ellipsis == end - 1 && kc_packs(c, from, end, &packs)) {
        for (int i = 0; i < packs.elements; i++) {
            kc_pack_element(&packs, i);
            p->at = from;
            kc_list_add(c, list, count, room, kc_at(c, '{') ? kc_braces(c) : kc_assignment(c));
            kc_pack_end(&packs);
        }
        p->at = end;
        return;
    }
    kc_list_add(c, list, count, room, kc_at(c, '{') ? kc_braces(c) : kc_assignment(c));
}

/* Up to `)`, which is taken. */
bool kc_arguments(struct kc *c, int close, struct node ***list, int *count)
{
    struct parser *p = c->parser;
    const bool greater = p->no_greater;
    const int end = c->token[close >= 0 ? close : 0].sign == '}' ? '}' : ')';
    int room = 0;
    *list = NULL;
    *count = 0;
    p->no_greater = false;
    while (!kc_at(c, end) && kc_token(c)->kind != TOKEN_END) {
        argument(c, list, count, &room);
        if (!kc_accept(c, ',') || p->panic)
            break;
    }
    p->no_greater = greater;
    const bool good = kc_expect(c, end, "after the arguments");
    if (!good && close > p->at)
        p->at = close + 1;
    return good;
}

/* ---- prefixes and suffixes ---------------------------------------------------------------------- */

static bool is_error(const struct node *node)
{
    return node->type->kind == TYPE_ERROR;
}

/* (type) value */
static bool at_cast(struct kc *c)
{
    struct parser *p = c->parser;
    struct moment moment = kc_moment(c);
    const int past = kc_past(c, p->at);
    bool cast = false;
    kc_next(c);
    if (kc_at_type(c)) {
        const bool failed = c->failed;
        c->quiet++;
        p->no_greater = false;
        kc_type_name(c);
        c->quiet--;
        c->failed = failed;
        cast = p->at == past - 1;
    }
    kc_back(c, moment);
    return cast;
}

static struct node *c_cast(struct kc *c)
{
    const struct place place = kc_token(c)->place;
    const bool greater = c->parser->no_greater;
    kc_next(c);
    c->parser->no_greater = false;
    struct type *type = kc_type_name(c);
    c->parser->no_greater = greater;
    kc_expect(c, ')', "after the type of a cast");
    if (kc_at(c, '{')) {
        struct node *node = kc_from_braces(c, type, kc_braces(c));
        return node;
    }
    return kc_cast(c, prefix(c), type, place);
}

static struct node *size_of(struct kc *c, bool alignment)
{
    struct parser *p = c->parser;
    const struct place place = kc_token(c)->place;
    kc_next(c);
    struct type *type = NULL;
    if (!alignment && kc_at(c, SIGN_ELLIPSIS)) { /* sizeof...(Ts) */
        kc_next(c);
        kc_expect(c, '(', "after sizeof...");
        struct symbol *symbol =
            kc_token(c)->kind == TOKEN_WORD ? kc_find(c, kc_token(c)->word) : NULL;
        if (!symbol || symbol->kind != SYMBOL_PACK)
            kc_syntax(c, "sizeof... is of a parameter pack");
        kc_next(c);
        kc_expect(c, ')', "after sizeof...");
        return kc_integer_node(c, symbol ? symbol->elements : 0, p->basic[TYPE_ULONG], place);
    }
    const bool unevaluated = p->unevaluated;
    p->unevaluated = true;
    if (kc_at(c, '(') && at_cast(c)) {
        kc_next(c);
        const bool greater = p->no_greater;
        p->no_greater = false;
        type = kc_type_name(c);
        p->no_greater = greater;
        kc_expect(c, ')', "after a type");
    } else {
        type = prefix(c)->type;
    }
    p->unevaluated = unevaluated;
    type = kc_unreferenced(type);
    if (kc_is_dependent(type) || type->kind == TYPE_ERROR) {
        struct node *node = kc_error_node(c);
        return node;
    }
    if (!kc_complete(c, type, place) && type->kind != TYPE_ERROR && type->kind == TYPE_VOID)
        kc_error(c, place, "'%s' has no size", kc_type_text(c, type));
    return kc_integer_node(c, (int64_t)(alignment ? type->align : type->size), p->basic[TYPE_ULONG],
                           place);
}

static struct node *prefix_operator(struct kc *c, int sign)
{
    const struct place place = kc_token(c)->place;
    kc_next(c);
    if (!kc_enter(c, place)) {
        kc_leave(c);
        return kc_error_node(c);
    }
    struct node *operand = prefix(c);
    kc_leave(c);
    if (is_error(operand))
        return operand;
    if (sign == SIGN_PLUS_PLUS || sign == SIGN_MINUS_MINUS)
        return kc_step(c, sign, operand, false, place);
    if (sign == '&')
        return kc_address(c, operand, place);
    if (sign == '*')
        return kc_deref(c, operand, place);
    return kc_unary(c, sign, operand, place);
}

static struct node *suffix(struct kc *c, struct node *node)
{
    for (;;) {
        const struct token *token = kc_token(c);
        const struct place place = token->place;
        if (token->kind != TOKEN_SIGN || c->stopped)
            return node;
        if (token->sign == '[') {
            const bool greater = c->parser->no_greater;
            kc_next(c);
            c->parser->no_greater = false;
            struct node *index = kc_at(c, '{') ? kc_braces(c) : kc_expression(c);
            c->parser->no_greater = greater;
            kc_expect(c, ']', "after an index");
            node = kc_index(c, node, index, place);
        } else if (token->sign == '(') {
            struct node **list;
            int count;
            const int close = kc_past(c, c->parser->at) - 1;
            kc_next(c);
            kc_arguments(c, close, &list, &count);
            node = kc_call(c, node, list, count, place);
        } else if (token->sign == '{' && node->kind == NODE_TYPE) {
            node = kc_from_braces(c, node->as, kc_braces(c));
        } else if (token->sign == '.' || token->sign == SIGN_ARROW) {
            kc_next(c);
            node = kc_member(c, node, token->sign == SIGN_ARROW, place);
        } else if (token->sign == SIGN_PLUS_PLUS || token->sign == SIGN_MINUS_MINUS) {
            kc_next(c);
            node = is_error(node) ? node : kc_step(c, token->sign, node, true, place);
        } else {
            return node;
        }
    }
}

static struct node *prefix(struct kc *c)
{
    const struct token *token = kc_token(c);
    if (token->kind == TOKEN_SIGN) {
        switch (token->sign) {
        case '-':
        case '+':
        case '!':
        case '~':
        case '*':
        case '&':
        case SIGN_PLUS_PLUS:
        case SIGN_MINUS_MINUS:
            return prefix_operator(c, token->sign);
        case '(':
            if (at_cast(c)) {
                struct node *node = kc_enter(c, token->place) ? c_cast(c) : kc_error_node(c);
                kc_leave(c);
                return node;
            }
            break;
        default:
            break;
        }
    }
    if (kc_at_key(c, KEY_SIZEOF))
        return size_of(c, false);
    if (kc_at_key(c, KEY_ALIGNOF))
        return size_of(c, true);
    return suffix(c, kc_primary(c));
}
