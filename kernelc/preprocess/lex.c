/* lex.c - cuts text into tokens, and reads numbers, characters and strings. */
#include "kernelc/compiler.h"

#include <stdlib.h>
#include <string.h>

void kc_lexer_begin(struct lexer *lexer, struct slice text, int file)
{
    *lexer = (struct lexer){.at = text.at,
                            .end = text.at + text.length,
                            .line = 1,
                            .file = file,
                            .line_begin = text.at,
                            .line_start = true};
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

/* A backslash and the end of the line: its length, or 0. */
static int line_splice(const char *at, const char *end)
{
    if (*at != '\\')
        return 0;
    if (end - at >= 2 && at[1] == '\n')
        return 2;
    return end - at >= 3 && at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

static void new_line(struct lexer *lexer, const char *begin)
{
    lexer->line++;
    lexer->line_begin = begin;
}

/* Behind one or more of them. */
static const char *past_splices(const char *at, const char *end)
{
    for (int splice; at < end && (splice = line_splice(at, end));)
        at += splice;
    return at;
}

static void new_lines(struct lexer *lexer, const char *from, const char *to)
{
    for (; from < to; from++)
        if (*from == '\n')
            new_line(lexer, from + 1);
}

static const char *past_block_comment(struct kc *c, struct lexer *lexer, const char *at)
{
    const struct place begin = {lexer->file, lexer->line, (int)(at - lexer->line_begin) + 1};
    for (at += 2; at < lexer->end; at++) {
        if (*at == '\n')
            new_line(lexer, at + 1);
        if (lexer->end - at >= 2 && at[0] == '*' && at[1] == '/')
            return at + 2;
    }
    kc_error(c, begin, "this comment has no end: '*/' is missing");
    return at;
}

static const char *past_line_comment(struct lexer *lexer, const char *at)
{
    while (at < lexer->end && *at != '\n') {
        int splice = line_splice(at, lexer->end);
        at += splice ? splice : 1;
        if (splice)
            new_line(lexer, at);
    }
    return at;
}

static void past_space(struct kc *c, struct lexer *lexer)
{
    const char *at = lexer->at, *end = lexer->end;
    for (;;) {
        int splice;
        if (at >= end)
            break;
        if (*at == '\n') {
            at++;
            new_line(lexer, at);
            lexer->line_start = true;
        } else if (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\f' || *at == '\v') {
            at++;
        } else if ((splice = line_splice(at, end))) {
            at += splice;
            new_line(lexer, at);
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
            at = past_block_comment(c, lexer, at);
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
            at = past_line_comment(lexer, at);
        } else {
            break;
        }
        lexer->space = true;
    }
    lexer->at = at;
}

static const struct {
    char text[4];
    int sign;
} signs[] = {
    {"<<<", SIGN_LAUNCH},     {"...", SIGN_ELLIPSIS},  {"<<=", SIGN_LEFT_ASSIGN},
    {"->", SIGN_ARROW},       {"::", SIGN_SCOPE},      {"++", SIGN_PLUS_PLUS},
    {"--", SIGN_MINUS_MINUS}, {"<<", SIGN_LEFT},       {"<=", SIGN_LESS_EQUAL},
    {"==", SIGN_EQUAL},       {"!=", SIGN_NOT_EQUAL},  {"&&", SIGN_AND},
    {"||", SIGN_OR},          {"+=", SIGN_ADD_ASSIGN}, {"-=", SIGN_SUB_ASSIGN},
    {"*=", SIGN_MUL_ASSIGN},  {"/=", SIGN_DIV_ASSIGN}, {"%=", SIGN_REM_ASSIGN},
    {"&=", SIGN_AND_ASSIGN},  {"|=", SIGN_OR_ASSIGN},  {"^=", SIGN_XOR_ASSIGN},
    {"##", SIGN_HASHES},
};

static int sign_at(const char *at, const char *end, int *length)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const size_t size = strlen(signs[i].text);
        if ((size_t)(end - at) >= size && !memcmp(at, signs[i].text, size)) {
            *length = (int)size;
            return signs[i].sign;
        }
    }
    *length = 1;
    return (unsigned char)*at;
}

/* A word or number goes on to there from `at`; `before` is what it has so far. In a hexadecimal number an e is a digit:
 * 0x1e+2 is a sum. */
static const char *past_letters(const char *at, const char *end, struct slice before, bool number)
{
    const bool hexadecimal = before.length > 1 && (before.at[1] == 'x' || before.at[1] == 'X');
    char last = before.length ? before.at[before.length - 1] : ' ';
    for (; at < end; last = *at++) {
        const bool inner =
            number &&
            (*at == '.' || (*at == '\'' && end - at > 1 && (is_digit(at[1]) || is_letter(at[1]))) ||
             ((*at == '+' || *at == '-') && strchr(hexadecimal ? "pP" : "eEpP", last)));
        if (!inner && !is_digit(*at) && !is_letter(*at))
            break;
    }
    return at;
}

/* To the quote that ends it, or the end of the line. */
static const char *past_quoted(struct lexer *lexer, const char *at, char quote)
{
    for (at++; at < lexer->end && *at != quote && *at != '\n'; at++)
        if (*at == '\\' && at + 1 < lexer->end) {
            at++;
            if (*at == '\n')
                new_line(lexer, at + 1);
        }
    return at;
}

static void lex_quoted(struct kc *c, struct lexer *lexer, struct token *token)
{
    const char quote = *lexer->at, *from = lexer->at + 1;
    const char *stop = past_quoted(lexer, lexer->at, quote);
    token->kind = quote == '"' ? TOKEN_STRING : TOKEN_CHARACTER;
    token->text = (struct slice){from, (int)(stop - from)};
    if (stop >= lexer->end || *stop != quote)
        kc_error(c, token->place, "a %c that ends this is missing", quote);
    else
        stop++;
    lexer->at = stop;
}

/* L'x', u'x', U'x', u8'x': bytes before the quote, or 0. */
static int wide_prefix(const char *at, const char *end)
{
    const int length = end - at > 2 && at[0] == 'u' && at[1] == '8' ? 2 : 1;
    return (*at == 'L' || *at == 'u' || *at == 'U') && end - at > length &&
                   (at[length] == '\'' || at[length] == '"')
               ? length
               : 0;
}

/* R"x(...)x" */
static bool lex_raw_string(struct lexer *lexer, struct token *token)
{
    const char *at = lexer->at, *end = lexer->end;
    if (end - at < 4 || at[0] != 'R' || at[1] != '"')
        return false;
    const char *mark = at + 2, *open = mark;
    while (open < end && *open != '(' && open - mark < 17)
        open++;
    const size_t length = (size_t)(open - mark);
    for (const char *i = open + 1; i < end && (size_t)(end - i) >= length + 2; i++) {
        if (*i == '\n')
            new_line(lexer, i + 1);
        if (*i == ')' && !memcmp(i + 1, mark, length) && i[1 + length] == '"') {
            token->kind = TOKEN_STRING;
            token->painted = true; /* no escapes in it */
            token->text = (struct slice){open + 1, (int)(i - open - 1)};
            lexer->at = i + length + 2;
            return true;
        }
    }
    return false;
}

static struct slice joined(struct kc *c, struct slice a, struct slice b)
{
    char *text = kc_new(c, (size_t)a.length + (size_t)b.length + 1);
    memcpy(text, a.at, (size_t)a.length);
    memcpy(text + a.length, b.at, (size_t)b.length);
    return (struct slice){text, a.length + b.length};
}

/* A word or a number, which may go on behind a backslash and the end of its line. */
static void lex_letters(struct kc *c, struct lexer *lexer, struct token *token, bool number)
{
    const char *end = lexer->end;
    const bool prefix = number && end - lexer->at > 2 && is_letter(lexer->at[1]); /* 0x, 0b */
    token->kind = number ? TOKEN_NUMBER : TOKEN_WORD;
    token->text = (struct slice){lexer->at, prefix ? 2 : 0};
    lexer->at += token->text.length;
    for (;;) {
        const char *from = lexer->at, *at = past_letters(from, end, token->text, number);
        const struct slice more = {from, (int)(at - from)};
        if (from == token->text.at + token->text.length)
            token->text.length += more.length;
        else
            token->text = joined(c, token->text, more);
        const char *rest = past_splices(at, end);
        lexer->at = at;
        if (rest == at || past_letters(rest, end, token->text, number) == rest)
            break;
        new_lines(lexer, at, rest);
        lexer->at = rest;
    }
    if (!number)
        token->word = kc_word(c, token->text);
}

static void lex_sign(struct kc *c, struct lexer *lexer, struct token *token)
{
    int length;
    token->kind = TOKEN_SIGN;
    token->sign = sign_at(lexer->at, lexer->end, &length);
    token->text = (struct slice){lexer->at, length};
    lexer->at += length;
    /* Longer ones go on behind the end of the line. */
    while (length < 3) {
        const char *rest = past_splices(lexer->at, lexer->end);
        const struct slice more = {rest, (int)(lexer->end - rest < 2 ? lexer->end - rest : 2)};
        if (rest == lexer->at || !more.length)
            break;
        const struct slice text = joined(c, token->text, more);
        int all;
        const int sign = sign_at(text.at, text.at + text.length, &all);
        if (all <= length)
            break;
        new_lines(lexer, lexer->at, rest);
        token->sign = sign;
        token->text = (struct slice){text.at, all};
        lexer->at = rest + (all - length);
        length = all;
    }
}

struct token kc_lex(struct kc *c, struct lexer *lexer)
{
    past_space(c, lexer);
    struct token token = {
        .line_start = lexer->line_start,
        .space = lexer->space,
        .match = -1,
        .place = {lexer->file, lexer->line, (int)(lexer->at - lexer->line_begin) + 1}};
    lexer->line_start = lexer->space = false;
    const char *at = lexer->at, *end = lexer->end;
    if (at >= end || c->stopped)
        return token;
    if (*at == 'R' && lex_raw_string(lexer, &token))
        return token;
    const int wide = wide_prefix(at, end);
    if (wide) {
        lexer->at += wide;
        lex_quoted(c, lexer, &token);
        token.prefix = *at;
        if (token.kind == TOKEN_STRING)
            kc_error(c, token.place, "wide strings are not supported: write it without the %.*s",
                     wide, at);
    } else if (is_letter(*at)) {
        lex_letters(c, lexer, &token, false);
    } else if (is_digit(*at) || (*at == '.' && end - at > 1 && is_digit(at[1]))) {
        lex_letters(c, lexer, &token, true);
    } else if (*at == '"' || *at == '\'') {
        lex_quoted(c, lexer, &token);
    } else {
        lex_sign(c, lexer, &token);
    }
    token.glued = lexer->at < end && (unsigned char)*lexer->at > ' ';
    return token;
}

/* ---- numbers ----------------------------------------------------------------------------------- */

static int digit_value(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static bool integer_suffix(const char *at, struct number *number)
{
    for (; *at; at++) {
        if (*at == 'u' || *at == 'U')
            number->is_unsigned = true;
        else if (*at == 'l' || *at == 'L')
            number->longs++;
        else if (*at != 'z' && *at != 'Z')
            return false;
    }
    return number->longs <= 2;
}

static bool integer_number(const char *at, struct number *number)
{
    int base = 10;
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
        base = 16, at += 2;
    else if (at[0] == '0' && (at[1] == 'b' || at[1] == 'B'))
        base = 2, at += 2;
    else if (at[0] == '0')
        base = 8;
    number->decimal = base == 10;
    for (; digit_value(*at) < base; at++) {
        if (number->integer > (UINT64_MAX - (uint64_t)digit_value(*at)) / (uint64_t)base)
            return false;
        number->integer = number->integer * (uint64_t)base + (uint64_t)digit_value(*at);
    }
    return integer_suffix(at, number);
}

static bool real_number(const char *at, struct number *number)
{
    char *stop;
    number->is_float = true;
    number->real = strtod(at, &stop);
    if (*stop && strchr("fFlL", *stop))
        number->suffix = *stop == 'f' || *stop == 'F' ? 'f' : 'l', stop++;
    return !*stop;
}

bool kc_number(struct kc *c, const struct token *token, struct number *number)
{
    char text[80];
    int length = 0;
    *number = (struct number){0};
    for (int i = 0; i < token->text.length && length < (int)sizeof text - 1; i++)
        if (token->text.at[i] != '\'')
            text[length++] = token->text.at[i];
    text[length] = '\0';
    const bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const bool real = strpbrk(text, hexadecimal ? ".pP" : ".eE") != NULL ||
                      (!hexadecimal && strpbrk(text, "fF") && text[1] != 'b');
    if (length == sizeof text - 1 ||
        !(real ? real_number(text, number) : integer_number(text, number))) {
        kc_error(c, token->place, "'%.*s' is no number that fits", SLICE(token->text));
        return false;
    }
    return true;
}

/* ---- characters and strings -------------------------------------------------------------------- */

static int escape(const char **at, const char *end)
{
    const char letter = *(*at)++;
    static const char names[] = "abfnrtv0", values[] = "\a\b\f\n\r\t\v";
    int value = 0;
    if (letter == 'x') {
        while (*at < end && digit_value(**at) < 16)
            value = (value * 16 + digit_value(*(*at)++)) & 0xff;
        return value;
    }
    if (letter >= '0' && letter <= '7') {
        value = letter - '0';
        for (int i = 0; i < 2 && *at < end && **at >= '0' && **at <= '7'; i++)
            value = value * 8 + *(*at)++ - '0';
        return value & 0xff;
    }
    const char *known = strchr(names, letter);
    return known && *known ? values[known - names] : letter;
}

int64_t kc_character(struct kc *c, const struct token *token)
{
    struct slice bytes = kc_string(c, token);
    if (bytes.length != 1) {
        kc_error(c, token->place, "a character constant has one character");
        return 0;
    }
    return (signed char)bytes.at[0];
}

struct slice kc_string(struct kc *c, const struct token *token)
{
    const char *at = token->text.at, *end = at + token->text.length;
    char *bytes = kc_new(c, (size_t)token->text.length + 1);
    int length = 0;
    while (at < end) {
        if (*at == '\\' && !token->painted && end - at > 1) {
            at++;
            if (*at == '\n') /* a spliced line */
                at++;
            else
                bytes[length++] = (char)escape(&at, end);
        } else {
            bytes[length++] = *at++;
        }
    }
    return (struct slice){bytes, length};
}

int kc_strength(int sign)
{
    static const uint8_t strength[] = {
        ['*'] = 10,
        ['/'] = 10,
        ['%'] = 10,
        ['+'] = 9,
        ['-'] = 9,
        [SIGN_LEFT] = 8,
        [SIGN_RIGHT] = 8,
        ['<'] = 7,
        ['>'] = 7,
        [SIGN_LESS_EQUAL] = 7,
        [SIGN_GREATER_EQUAL] = 7,
        [SIGN_EQUAL] = 6,
        [SIGN_NOT_EQUAL] = 6,
        ['&'] = 5,
        ['^'] = 4,
        ['|'] = 3,
        [SIGN_AND] = 2,
        [SIGN_OR] = 1,
    };
    return (size_t)sign < sizeof strength ? strength[sign] : 0;
}
