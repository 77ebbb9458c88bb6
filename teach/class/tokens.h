/* tokens.h - what a student's part is made of, for the files that read it: part.c, likeness.c. */
#ifndef BANKSCOPE_TOKENS_H
#define BANKSCOPE_TOKENS_H

#include "teach/teach.h"

enum token_kind {
    TOKEN_END,
    TOKEN_SPACE,
    TOKEN_COMMENT,
    TOKEN_NAME,
    TOKEN_NUMBER,
    TOKEN_SIGN,
    TOKEN_OTHER, /* quotes, a comment without an end, ... */
};

struct token {
    enum token_kind kind;
    const char *text; /* within what was read */
    size_t length;
};

/* The token at `at`, before `end`. */
struct token token_at(const char *at, const char *end);
/* The first one from there on that is neither space nor comment. */
struct token token_next(const char *at, const char *end);
bool token_is(const struct token *token, const char *word);
/* words: up to a NULL. */
bool token_is_one_of(const struct token *token, const char *const *words);

/* Whether it is a type of CUDA's, and whether it is one of its other words: not a name that a student or a teacher
 * chooses. */
bool token_is_type(const struct token *token);
bool token_is_word(const struct token *token);

#endif
