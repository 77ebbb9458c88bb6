/* tokens.c - reads a student's part as tokens of C: names, numbers, signs, blanks and comments. */
#include "base/text.h"
#include "teach/class/tokens.h"

#include <ctype.h>
#include <string.h>

static bool begins_name(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

struct token token_at(const char *at, const char *end)
{
    static const char *const signs[] = {
        "<<=", ">>=", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=",
        "*=",  "/=",  "%=",  "&=", "|=", "^=", "->", "<:", ":>", "<%", "%>", "%:", "??", NULL};
    struct token token = {TOKEN_OTHER, at, 1};
    const char *to = at;
    if (at >= end)
        return (struct token){TOKEN_END, end, 0};
    if (strchr(" \t\n\f\v", *at)) {
        while (to < end && strchr(" \t\n\f\v", *to))
            to++;
        token.kind = TOKEN_SPACE;
    } else if (end - at > 1 && at[0] == '/' && at[1] == '/') {
        while (to < end && *to != '\n')
            to++;
        token.kind = TOKEN_COMMENT;
    } else if (end - at > 1 && at[0] == '/' && at[1] == '*') {
        for (to = at + 2; to + 1 < end && (to[0] != '*' || to[1] != '/');)
            to++;
        if (to + 1 >= end)
            return token;
        to += 2;
        token.kind = TOKEN_COMMENT;
    } else if (begins_name(*at)) {
        while (to < end && text_is_identifier(*to))
            to++;
        token.kind = TOKEN_NAME;
    } else if (isdigit((unsigned char)*at) ||
               (*at == '.' && end - at > 1 && isdigit((unsigned char)at[1]))) {
        bool hex = *at == '0' && end - at > 1 && (at[1] == 'x' || at[1] == 'X');
        while (to < end && (text_is_identifier(*to) || *to == '.' ||
                            (strchr("+-", *to) && strchr(hex ? "pP" : "eE", to[-1]))))
            to++;
        token.kind = TOKEN_NUMBER;
    } else if (strchr("+-*/%<>=!&|^~?:;,.(){}[]", *at)) {
        token.kind = TOKEN_SIGN;
        to = at + 1;
        for (int i = 0; signs[i]; i++) {
            size_t length = strlen(signs[i]);
            if ((size_t)(end - at) >= length && !memcmp(at, signs[i], length)) {
                to = at + length;
                break;
            }
        }
    } else {
        return token;
    }
    token.length = (size_t)(to - at);
    return token;
}

bool token_is(const struct token *token, const char *word)
{
    return strlen(word) == token->length && !memcmp(token->text, word, token->length);
}

bool token_is_one_of(const struct token *token, const char *const *words)
{
    for (; *words; words++)
        if (token_is(token, *words))
            return true;
    return false;
}

struct token token_next(const char *at, const char *end)
{
    struct token token = token_at(at, end);
    while (token.kind == TOKEN_SPACE || token.kind == TOKEN_COMMENT)
        token = token_at(token.text + token.length, end);
    return token;
}

static const char *const types[] = {
    "int",      "unsigned", "signed",    "short",   "long",    "char",    "float",   "double",
    "bool",     "void",     "int8_t",    "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t",
    "uint32_t", "uint64_t", "size_t",    "int2",    "int4",    "uint2",   "uint4",   "float2",
    "float4",   "double2",  "longlong2", "auto",    NULL};
static const char *const words[] = {"if",
                                    "else",
                                    "for",
                                    "while",
                                    "do",
                                    "switch",
                                    "case",
                                    "default",
                                    "break",
                                    "continue",
                                    "return",
                                    "const",
                                    "inline",
                                    "sizeof",
                                    "true",
                                    "false",
                                    "x",
                                    "y",
                                    "z",
                                    "w",
                                    "static",
                                    "struct",
                                    "threadIdx",
                                    "blockIdx",
                                    "blockDim",
                                    "gridDim",
                                    "warpSize",
                                    "min",
                                    "max",
                                    "template",
                                    "typename",
                                    "constexpr",
                                    "__shared__",
                                    "__device__",
                                    "__syncthreads",
                                    "__syncwarp",
                                    "__forceinline__",
                                    NULL};

bool token_is_type(const struct token *token)
{
    return token->kind == TOKEN_NAME && (token_is_one_of(token, types) || token_is(token, "const"));
}

bool token_is_word(const struct token *token)
{
    return token_is_one_of(token, words);
}
