/* preprocess_if.c - the value of the expression after #if. */
#include "kernelc/compiler.h"

struct expression {
    struct kc *c;
    struct token *token;
    int count, at;
    struct place place;
    bool wrong;
};

static int64_t conditional(struct expression *e);

static int peek(const struct expression *e)
{
    if (e->at >= e->count)
        return 0;
    const struct token *token = &e->token[e->at];
    if (token->kind != TOKEN_SIGN)
        return -1;
    if (token->sign == '>' && token->glued && e->at + 1 < e->count) {
        const struct token *next = token + 1;
        if (next->kind == TOKEN_SIGN && next->sign == '=')
            return SIGN_GREATER_EQUAL;
        if (next->kind == TOKEN_SIGN && next->sign == '>')
            return SIGN_RIGHT;
    }
    return token->sign;
}

static int64_t primary(struct expression *e)
{
    if (e->at >= e->count || !kc_work(e->c)) {
        e->wrong = true;
        return 0;
    }
    const struct token *token = &e->token[e->at++];
    struct number number;
    if (token->kind == TOKEN_NUMBER && kc_number(e->c, token, &number))
        return number.is_float ? (int64_t)number.real : (int64_t)number.integer;
    if (token->kind == TOKEN_CHARACTER)
        return kc_character(e->c, token);
    if (token->kind == TOKEN_WORD) {
        /* A word that is no macro is 0; with arguments, as in __has_attribute(x), too. */
        if (peek(e) == '(') {
            while (e->at < e->count && peek(e) != ')')
                e->at++;
            e->at++;
        }
        return slice_is(token->text, "true");
    }
    if (token->kind == TOKEN_SIGN && token->sign == '(') {
        int64_t value = conditional(e);
        e->wrong |= peek(e) != ')';
        e->at++;
        return value;
    }
    e->wrong = true;
    return 0;
}

static int64_t unary(struct expression *e)
{
    int64_t value = 0;
    const int sign = peek(e);
    if (sign != '!' && sign != '-' && sign != '~' && sign != '+')
        return primary(e);
    e->at++;
    if (kc_enter(e->c, e->place))
        value = unary(e);
    kc_leave(e->c);
    return sign == '!'   ? !value
           : sign == '-' ? (int64_t)(0 - (uint64_t)value)
           : sign == '~' ? ~value
                         : value;
}

static int64_t apply(struct expression *e, int sign, int64_t a, int64_t b)
{
    switch (sign) {
    case '*':
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case '/':
    case '%':
        if (b == 0 || b == -1) {
            e->wrong |= b == 0;
            return b && sign == '/' ? (int64_t)(0 - (uint64_t)a) : 0;
        }
        return sign == '/' ? a / b : a % b;
    case '+':
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case '-':
        return (int64_t)((uint64_t)a - (uint64_t)b);
    case SIGN_LEFT:
        return b < 0 || b > 63 ? 0 : (int64_t)((uint64_t)a << b);
    case SIGN_RIGHT:
        return b < 0 || b > 63 ? 0 : a >> b;
    case '<':
        return a < b;
    case '>':
        return a > b;
    case SIGN_LESS_EQUAL:
        return a <= b;
    case SIGN_GREATER_EQUAL:
        return a >= b;
    case SIGN_EQUAL:
        return a == b;
    case SIGN_NOT_EQUAL:
        return a != b;
    case '&':
        return a & b;
    case '^':
        return a ^ b;
    case '|':
        return a | b;
    case SIGN_AND:
        return a && b;
    default:
        return a || b;
    }
}

static int64_t binary(struct expression *e, int least)
{
    int64_t left = unary(e);
    for (int sign; !e->wrong && kc_strength(sign = peek(e)) >= least;) {
        e->at += sign == SIGN_GREATER_EQUAL || sign == SIGN_RIGHT ? 2 : 1;
        int64_t right = 0;
        if (kc_enter(e->c, e->place))
            right = binary(e, kc_strength(sign) + 1);
        kc_leave(e->c);
        left = apply(e, sign, left, right);
    }
    return left;
}

static int64_t conditional(struct expression *e)
{
    if (!kc_enter(e->c, e->place)) {
        kc_leave(e->c);
        e->wrong = true;
        return 0;
    }
    int64_t value = binary(e, 1);
    if (peek(e) == '?') {
        e->at++;
        int64_t yes = conditional(e);
        e->wrong |= peek(e) != ':';
        e->at++;
        int64_t no = conditional(e);
        value = value ? yes : no;
    }
    kc_leave(e->c);
    return value;
}

bool kc_condition(struct kc *c, struct token *token, int count, struct place place)
{
    struct expression e = {.c = c, .token = token, .count = count, .place = place};
    int64_t value = count ? conditional(&e) : 0;
    if (e.wrong || e.at < count || !count)
        kc_error(c, place, "the condition is not understood");
    return value != 0;
}
