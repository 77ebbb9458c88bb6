/* compiler.h - what the parts of the compiler share: the job, its memory and messages, words and tokens.
 *
 * Errors: kc_error notes a message and goes on. A construct that has an error is an error node or the error
 * type, of which nobody complains a second time; statements begin anew after the next semicolon. What must
 * end soon (no memory, too deep, too long) sets `stopped`: from then on every token is the end.
 */
#ifndef BANKSCOPE_KERNELC_COMPILER_H
#define BANKSCOPE_KERNELC_COMPILER_H

#include "kernelc/kernelc.h"

enum {
    KC_WORD_BUCKETS = 4096,
    KC_DEPTH = 240,         /* of parentheses, blocks, templates within each other */
    KC_INSTANCE_DEPTH = 40, /* of templates that need each other */
    KC_INCLUDE_DEPTH = 24,
    KC_TOKENS = 2000000,          /* of the source, after the preprocessor */
    KC_RESERVE = 2 * 1024 * 1024, /* memory for coming to an end */
    KC_TEXT = 1024 * 1024,        /* bytes of a string at most */
    KC_ARGUMENTS = 1024,          /* of a template at most */
    KC_CODE = 1000000,            /* instructions of a kernel */
};

/* ---- words and tokens ------------------------------------------------------------------------- */

/* An identifier. Equal ones are one word: words are compared by their addresses. */
struct word {
    struct slice text;
    struct macro *macro;
    int keyword; /* enum keyword, 0: none */
    struct word *next;
};

enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_NUMBER, TOKEN_CHARACTER, TOKEN_STRING, TOKEN_SIGN };

/* Signs of more than one character; others are their character. `>` is always alone: `>>` may close two
 * lists of template arguments. */
enum sign {
    SIGN_ARROW = 256, /* -> */
    SIGN_SCOPE,       /* :: */
    SIGN_ELLIPSIS,
    SIGN_PLUS_PLUS,
    SIGN_MINUS_MINUS,
    SIGN_LEFT,  /* << */
    SIGN_RIGHT, /* >>, put together by the parser */
    SIGN_LESS_EQUAL,
    SIGN_GREATER_EQUAL, /* put together by the parser, as are >>= */
    SIGN_EQUAL,
    SIGN_NOT_EQUAL,
    SIGN_AND,
    SIGN_OR,
    SIGN_ADD_ASSIGN,
    SIGN_SUB_ASSIGN,
    SIGN_MUL_ASSIGN,
    SIGN_DIV_ASSIGN,
    SIGN_REM_ASSIGN,
    SIGN_AND_ASSIGN,
    SIGN_OR_ASSIGN,
    SIGN_XOR_ASSIGN,
    SIGN_LEFT_ASSIGN,
    SIGN_RIGHT_ASSIGN,
    SIGN_HASHES, /* ## */
    SIGN_LAUNCH, /* <<< */
};
/* How strongly a sign between two operands binds them: 10 for `*`, 1 for `||`, 0 for one that is none such. */
int kc_strength(int sign);

struct place {
    int file, line, column;
};
struct token {
    uint8_t kind;
    bool line_start, space, glued; /* glued: the next character follows at once */
    bool painted;                  /* a macro's name within itself */
    char prefix;                   /* of a character: L'x' */
    int sign;                      /* enum sign, or a character */
    int match;                     /* of ( [ { and ) ] }: index of the other; -1: there is none */
    struct place place;
    struct slice text; /* as it is written; of a string: between the quotes, of several: joined */
    struct word *word;
};

/* ---- the compiler ----------------------------------------------------------------------------- */

struct kc {
    const struct kernelc_job *job;
    struct kernelc_result *result;
    struct arena arena;
    size_t used, limit;
    char *reserve; /* KC_RESERVE bytes */
    size_t reserve_used;
    uint64_t work, work_limit;
    bool stopped, stopping;
    int depth;
    int quiet;    /* errors are not told, but noted in `failed` */
    bool failed;  /* there was an error while quiet */
    bool unknown; /* and the first was a name or file that is not known, or an unsupported thing: */
    struct place failed_place;
    const char *failed_text;

    struct word **words;
    struct slice *file; /* names by number */
    bool *file_is_ours; /* a header of this compiler */
    int files, file_room;

    struct token *token;
    int tokens, token_room;
    int part;      /* index of the first token of the job's part */
    int part_file; /* its number; -1: there is none */

    struct parser *parser;
};

/* Zeroed memory that lives as long as the result. Never NULL: when there is no more, a reserve is used, and
 * the compiler stops. */
void *kc_new(struct kc *c, size_t size);
#define KC_NEW(c, type) ((type *)kc_new(c, sizeof(type)))
/* Makes sure that element `*count` of the array is there. */
void kc_grow(struct kc *c, void *array, int *room, int *count, size_t size);
/* Counts a step of work. false: enough, stop. */
bool kc_work(struct kc *c);
/* One level deeper, until kc_leave. false: too deep (told). */
bool kc_enter(struct kc *c, struct place place);
void kc_leave(struct kc *c);
void kc_stop(struct kc *c, struct place place, const char *why);
/* A message at a place. */
void kc_error(struct kc *c, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* An error, too, but host code is allowed it: a name is not known, or a thing is not supported. */
void kc_unknown(struct kc *c, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Text in memory of the result. */
const char *kc_text(struct kc *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct slice kc_slice(const char *text);
struct word *kc_word(struct kc *c, struct slice text);
struct word *kc_word_of(struct kc *c, const char *text);

/* ---- lex.c ------------------------------------------------------------------------------------ */

struct lexer {
    const char *at, *end;
    int line, file;
    const char *line_begin;
    bool line_start, space;
};
void kc_lexer_begin(struct lexer *lexer, struct slice text, int file);
/* The next token; TOKEN_END at the end. */
struct token kc_lex(struct kc *c, struct lexer *lexer);
/* The value of an integer or floating number. false: told. */
struct number {
    bool is_float;
    uint64_t integer;
    double real;
    bool is_unsigned, decimal;
    int longs;   /* 0, 1: l, 2: ll; */
    char suffix; /* of floats: 'f', 'l', 0 */
};
bool kc_number(struct kc *c, const struct token *token, struct number *number);
/* The value of a character constant, and the bytes of a string with its escapes resolved. */
int64_t kc_character(struct kc *c, const struct token *token);
struct slice kc_string(struct kc *c, const struct token *token);

/* ---- preprocess.c ------------------------------------------------------------------------------ */

/* Fills c->token with the tokens of the job's source. */
void kc_preprocess(struct kc *c);
/* Says of each bracket, from this token on, where the other one is. */
void kc_match_brackets(struct kc *c, int from);
/* part.c: tells of words that the job's part may not have. */
void kc_check_part(struct kc *c);
/* preprocess_if.c: the value of an #if's expression. */
bool kc_condition(struct kc *c, struct token *token, int count, struct place place);

/* A header of this compiler: its text by name. NULL: there is none. */
const struct kernelc_source *kc_header(struct slice name);
/* Headers of the toolkit and of C and C++ that are known to need nothing here. */
bool kc_header_is_empty(struct slice name, bool angle);
bool kc_is_of_host(struct slice name);
/* What a name of the toolkit's, or of its namespace `scope` (or ""), stands for that this compiler does not support,
 * as a sentence that says what to do; NULL: it is none. */
const char *kc_unsupported(struct kc *c, struct slice scope, struct slice name);

#endif
