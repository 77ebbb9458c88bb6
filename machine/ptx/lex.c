/* lex.c - cuts a text of PTX into tokens, and reads numbers. */
#include "machine/ptx/ptx.h"

#include <stdlib.h>
#include <string.h>

void ptx_lexer_begin(struct ptx_lexer *lexer, const char *text, size_t length, int line)
{
    *lexer = (struct ptx_lexer){.at = text, .end = text + length, .line = line};
    ptx_next(lexer);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

/* Past white space and comments. A comment of bankscope's is a token: *mark is its text then. */
static const char *past_space(struct ptx_lexer *lexer, struct slice *mark)
{
    const char *at = lexer->at, *end = lexer->end;
    while (at < end) {
        if (*at == '\n') {
            lexer->line++;
            at++;
        } else if (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\f') {
            at++;
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
            const char *text = at + 2, *stop = memchr(at, '\n', (size_t)(end - at));
            at = stop ? stop : end;
            while (text < at && (*text == ' ' || *text == '\t'))
                text++;
            if (at - text > 10 && !memcmp(text, "bankscope ", 10)) {
                *mark = (struct slice){text, (int)(at - text)};
                return at;
            }
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
            for (at += 2; at < end && !(at[0] == '*' && end - at > 1 && at[1] == '/'); at++)
                lexer->line += *at == '\n';
            at = end - at > 2 ? at + 2 : end;
        } else {
            break;
        }
    }
    return at;
}

static const char *past_word(const char *at, const char *end)
{
    while (at < end) {
        if (is_letter(*at) || is_digit(*at) || *at == '.')
            at++;
        else if (end - at > 2 && at[0] == ':' && at[1] == ':')
            at += 2;
        else
            break;
    }
    return at;
}

static const char *past_number(const char *at, const char *end)
{
    while (at < end &&
           (is_digit(*at) || is_letter(*at) || (*at == '.' && end - at > 1 && is_digit(at[1])) ||
            ((*at == '-' || *at == '+') && (at[-1] == 'e' || at[-1] == 'E'))))
        at++;
    return at;
}

void ptx_next(struct ptx_lexer *lexer)
{
    struct slice mark = {NULL, 0};
    const char *from = past_space(lexer, &mark), *at = from;
    if (mark.at) {
        lexer->at = from;
        lexer->now = (struct ptx_token){PTX_MARK, mark};
        return;
    }
    enum ptx_token_kind kind = PTX_SIGN;
    if (at >= lexer->end) {
        kind = PTX_END;
    } else if (is_digit(*at)) {
        kind = PTX_NUMBER;
        at = past_number(at, lexer->end);
    } else if (is_letter(*at) ||
               (*at == '.' && lexer->end - at > 1 && (is_letter(at[1]) || is_digit(at[1])))) {
        kind = PTX_WORD;
        at = past_word(at + 1, lexer->end);
        if (at - from > 5 && !memcmp(from, ".reg.", 5))
            at = from + 4; /* .reg.b32, as a header of the toolkit's writes it */
    } else if (*at == '"') {
        const char *stop = at + 1;
        while (stop < lexer->end && *stop != '"' && *stop != '\n')
            stop++;
        at = stop < lexer->end && *stop == '"' ? stop + 1 : stop;
        kind = PTX_STRING;
    } else {
        at++;
    }
    lexer->now = (struct ptx_token){kind, {from, (int)(at - from)}};
    lexer->at = at;
}

struct ptx_token ptx_peek(const struct ptx_lexer *lexer)
{
    struct ptx_lexer ahead = *lexer;
    ptx_next(&ahead);
    return ahead.now;
}

bool ptx_at(const struct ptx_lexer *lexer, const char *text)
{
    return (lexer->now.kind == PTX_WORD || lexer->now.kind == PTX_SIGN) &&
           slice_is(lexer->now.text, text);
}

bool ptx_accept(struct ptx_lexer *lexer, const char *text)
{
    if (!ptx_at(lexer, text))
        return false;
    ptx_next(lexer);
    return true;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool digits(const char *at, const char *end, unsigned base, uint64_t *value)
{
    *value = 0;
    if (at == end)
        return false;
    for (; at < end; at++) {
        unsigned digit = is_digit(*at)              ? (unsigned)(*at - '0')
                         : *at >= 'a' && *at <= 'f' ? (unsigned)(*at - 'a' + 10)
                         : *at >= 'A' && *at <= 'F' ? (unsigned)(*at - 'A' + 10)
                                                    : 99;
        if (digit >= base)
            return false;
        *value = *value * base + digit;
    }
    return true;
}

static uint64_t bits_of_float(double value, enum ptx_type type)
{
    uint64_t bits = 0;
    float narrow = (float)value;
    if (type == PTX_F32)
        memcpy(&bits, &narrow, sizeof narrow);
    else
        memcpy(&bits, &value, sizeof value);
    return bits;
}

/* 0f3F800000 and 0d3FF0000000000000: the bits of a float. */
static bool exact_float(struct slice text, enum ptx_type type, bool minus, uint64_t *value)
{
    const bool narrow = text.at[1] == 'f' || text.at[1] == 'F';
    if (!digits(text.at + 2, text.at + text.length, 16, value))
        return false;
    *value ^= minus ? UINT64_C(1) << (narrow ? 31 : 63) : 0;
    float single;
    double wide;
    uint32_t low = (uint32_t)*value;
    memcpy(&single, &low, sizeof single);
    memcpy(&wide, value, sizeof wide);
    if (narrow && type == PTX_F64)
        *value = bits_of_float((double)single, type);
    if (!narrow && type == PTX_F32)
        *value = bits_of_float(wide, type);
    return true;
}

static bool decimal_float(struct slice text, enum ptx_type type, bool minus, uint64_t *value)
{
    char copy[64], *stop;
    if (text.length >= (int)sizeof copy)
        return false;
    memcpy(copy, text.at, (size_t)text.length);
    copy[text.length] = '\0';
    double number = strtod(copy, &stop);
    *value = bits_of_float(minus ? -number : number, type == PTX_F32 ? PTX_F32 : PTX_F64);
    return !*stop;
}

bool ptx_number(struct slice text, enum ptx_type type, bool minus, uint64_t *value)
{
    const char *at = text.at, *end = at + text.length;
    bool prefixed = text.length > 2 && at[0] == '0';
    if (prefixed && strchr("fFdD", at[1]))
        return exact_float(text, type, minus, value);
    if (!(prefixed && strchr("xX", at[1])) &&
        (memchr(at, '.', (size_t)text.length) || memchr(at, 'e', (size_t)text.length) ||
         type == PTX_F32 || type == PTX_F64))
        return decimal_float(text, type, minus, value);
    if (end[-1] == 'U')
        end--;
    unsigned base = 10;
    if (prefixed && strchr("xX", at[1]))
        base = 16, at += 2;
    else if (prefixed && strchr("bB", at[1]))
        base = 2, at += 2;
    else if (end - at > 1 && at[0] == '0')
        base = 8;
    if (!digits(at, end, base, value))
        return false;
    *value = minus ? 0 - *value : *value;
    return true;
}
