/* preprocess.h - what the preprocessor's two files share: streams of tokens, macros and their expansion.
 *
 * Tokens come from a stack of streams: files at the bottom, expansions of macros above. A macro is not
 * expanded again while its own expansion is read.
 */
#ifndef BANKSCOPE_KERNELC_PREPROCESS_H
#define BANKSCOPE_KERNELC_PREPROCESS_H

#include "kernelc/compiler.h"

struct macro {
    bool function, variadic, active;
    struct word **parameter;
    int parameters;
    struct token *token;
    int tokens;
    int special; /* __LINE__, ... */
};
enum { SPECIAL_LINE = 1, SPECIAL_FILE, SPECIAL_COUNTER };

struct list {
    struct token *token;
    int count, room;
};

struct stream {
    struct lexer lexer; /* of a file */
    struct list tokens; /* of an expansion */
    int at;
    bool owned; /* they are nobody's when they have been read */
    struct macro *macro;
    int conditions; /* open ones when the file began */
    struct stream *below;
};
struct condition {
    bool live, taken, seen_else, outer_live;
    struct place place;
};

struct preprocessor {
    struct kc *c;
    struct stream *top;
    struct condition condition[64];
    int conditions, includes, counter;
    bool in_part; /* of the job */
    struct slice *once;
    int once_count, once_room;
    struct spare { /* lists that are not needed any more, by their room: 8, 16, 32, ... */
        struct spare *next;
    } * spare[24];
    struct arguments *spare_arguments;
};

static inline bool is_sign(const struct token *token, int sign)
{
    return token->kind == TOKEN_SIGN && token->sign == sign;
}
static inline bool word_is(const struct token *token, const char *text)
{
    return token->kind == TOKEN_WORD && slice_is(token->text, text);
}

/* macro.c */
void kc_append(struct preprocessor *p, struct list *list, struct token token);
/* A stream on top of the others, of which nothing is known yet. */
struct stream *kc_push_stream(struct preprocessor *p);
/* The next token, directives and macros untouched. With `within`, not beyond the end of that stream. */
struct token kc_next_raw(struct preprocessor *p, const struct stream *within);
/* A number in the place of a token. */
struct token kc_number_token(struct preprocessor *p, const struct token *at, int number);
/* If the token is a macro's name: pushes its expansion and returns true. */
bool kc_expand(struct preprocessor *p, struct token *token, const struct stream *within);
/* All macros of a list, apart from what follows it. */
void kc_expand_all(struct preprocessor *p, struct list tokens, struct list *result);

/* preprocess.c */
/* What follows #pragma, or stands in _Pragma(...). */
void kc_pragma(struct preprocessor *p, const struct list *line);

#endif
