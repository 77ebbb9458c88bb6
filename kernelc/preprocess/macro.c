/* macro.c - the preprocessor's streams of tokens, and the expansion of macros. */
#include "kernelc/preprocess/preprocess.h"

#include <stdio.h>
#include <string.h>

static void release(struct preprocessor *p, struct list *list)
{
    struct spare *spare = (void *)list->token;
    if (list->room && !p->c->stopped) { /* else it may lie in the reserve */
        struct spare **of = &p->spare[__builtin_ctz((unsigned)list->room) - 3];
        spare->next = *of;
        *of = spare;
    }
    *list = (struct list){0};
}

/* Room for one more. Macros are expanded by the thousand: what they leave behind is used again. */
static void grow(struct preprocessor *p, struct list *list)
{
    struct list old = *list;
    const int size = old.room ? __builtin_ctz((unsigned)old.room) - 2 : 0;
    struct spare *spare = p->spare[size];
    if (spare && !p->c->stopped) {
        p->spare[size] = spare->next;
        list->token = memcpy(spare, old.token ? old.token : (void *)spare,
                             (size_t)old.count * sizeof *old.token);
        list->room = 8 << size;
    } else {
        kc_grow(p->c, &list->token, &list->room, &list->count, sizeof *list->token);
    }
    if (list->token != old.token)
        release(p, &old);
}

void kc_append(struct preprocessor *p, struct list *list, struct token token)
{
    if (list->count == list->room)
        grow(p, list);
    list->token[list->count++] = token;
}

/* ---- streams ----------------------------------------------------------------------------------- */

struct stream *kc_push_stream(struct preprocessor *p)
{
    struct stream *stream = KC_NEW(p->c, struct stream);
    stream->below = p->top;
    return p->top = stream;
}

static void push_tokens(struct preprocessor *p, struct list list, bool owned, struct macro *macro)
{
    struct stream *stream = kc_push_stream(p);
    stream->tokens = list;
    stream->owned = owned;
    stream->macro = macro;
    if (macro)
        macro->active = true;
}

static void pop(struct preprocessor *p)
{
    struct stream *stream = p->top;
    if (stream->macro)
        stream->macro->active = false;
    if (stream->owned)
        release(p, &stream->tokens);
    if (stream->lexer.at) {
        if (p->conditions > stream->conditions)
            kc_error(p->c, p->condition[p->conditions - 1].place, "this condition has no #endif");
        p->conditions = stream->conditions;
        p->includes--;
    }
    p->top = stream->below;
}

struct token kc_next_raw(struct preprocessor *p, const struct stream *within)
{
    struct token token = {.kind = TOKEN_END};
    while (p->top != within && kc_work(p->c)) {
        struct stream *stream = p->top;
        if (stream->lexer.at) {
            token = kc_lex(p->c, &stream->lexer);
            if (token.kind != TOKEN_END)
                return token;
        } else if (stream->at < stream->tokens.count) {
            return stream->tokens.token[stream->at++];
        }
        pop(p);
    }
    token.kind = TOKEN_END;
    return token;
}

/* ---- expanding --------------------------------------------------------------------------------- */

struct token kc_number_token(struct preprocessor *p, const struct token *at, int number)
{
    struct token token = *at;
    const char *text = kc_text(p->c, "%d", number);
    token.kind = TOKEN_NUMBER;
    token.text = kc_slice(text);
    return token;
}

static void expand_special(struct preprocessor *p, const struct token *at, int special)
{
    struct list list = {0};
    struct token token;
    if (special == SPECIAL_LINE) {
        token = kc_number_token(p, at, at->place.line);
    } else if (special == SPECIAL_COUNTER) {
        token = kc_number_token(p, at, p->counter++);
    } else {
        token = *at;
        token.kind = TOKEN_STRING;
        token.text = p->c->file[at->place.file];
    }
    kc_append(p, &list, token);
    push_tokens(p, list, true, NULL);
}

struct arguments {
    struct list raw[64], expanded[64];
    int count;
    struct arguments *next;
};

static struct arguments *new_arguments(struct preprocessor *p)
{
    struct arguments *arguments = p->spare_arguments;
    if (!arguments)
        return KC_NEW(p->c, struct arguments);
    p->spare_arguments = arguments->next;
    return arguments;
}

static void release_arguments(struct preprocessor *p, struct arguments *arguments)
{
    for (int i = 0; i < arguments->count; i++) {
        release(p, &arguments->raw[i]);
        release(p, &arguments->expanded[i]);
    }
    if (p->c->stopped)
        return;
    arguments->next = p->spare_arguments;
    p->spare_arguments = arguments;
}

static bool read_arguments(struct preprocessor *p, struct macro *macro, const struct token *name,
                           const struct stream *within, struct arguments *arguments)
{
    int depth = 0;
    arguments->count = 1;
    for (;;) {
        struct token token = kc_next_raw(p, within);
        if (token.kind == TOKEN_END) {
            kc_error(p->c, name->place, "the arguments of macro '%.*s' have no ')'",
                     SLICE(name->text));
            return false;
        }
        if (is_sign(&token, ')') && depth-- == 0)
            break;
        if (is_sign(&token, '('))
            depth++;
        const bool rest = macro->variadic && arguments->count >= macro->parameters;
        if (is_sign(&token, ',') && depth == 0 && !rest) {
            if (arguments->count == 64)
                return false;
            arguments->count++;
            continue;
        }
        token.space |= token.line_start;
        token.line_start = false;
        kc_append(p, &arguments->raw[arguments->count - 1], token);
    }
    const int least = macro->parameters - macro->variadic;
    if (macro->parameters == 0 && arguments->count == 1 && !arguments->raw[0].count)
        arguments->count = 0;
    if (arguments->count < least || (arguments->count > macro->parameters)) {
        kc_error(p->c, name->place, "macro '%.*s' takes %d arguments, not %d", SLICE(name->text),
                 macro->parameters, arguments->count);
        return false;
    }
    return true;
}

static int parameter_number(const struct macro *macro, const struct token *token)
{
    if (token->kind == TOKEN_WORD)
        for (int i = 0; i < macro->parameters; i++)
            if (macro->parameter[i] == token->word)
                return i;
    return -1;
}

static void put_quoted(char *text, int *length, struct slice part, bool quoted)
{
    for (int i = 0; i < part.length; i++) {
        if (quoted && (part.at[i] == '\\' || part.at[i] == '"'))
            text[(*length)++] = '\\';
        text[(*length)++] = part.at[i];
    }
}

/* #x */
static struct token stringized(struct kc *c, const struct token *at, struct list tokens)
{
    size_t room = 8;
    for (int i = 0; i < tokens.count; i++)
        room += 2 * (size_t)tokens.token[i].text.length + 6;
    if (room > KC_TEXT) {
        kc_stop(c, at->place, "this text becomes longer than a megabyte");
        tokens.count = 0;
        room = 8;
    }
    char *text = kc_new(c, room);
    int length = 0;
    for (int i = 0; i < tokens.count; i++) {
        const struct token *token = &tokens.token[i];
        const bool quoted = token->kind == TOKEN_STRING || token->kind == TOKEN_CHARACTER;
        if (i && token->space)
            text[length++] = ' ';
        if (token->kind == TOKEN_STRING)
            text[length++] = '\\', text[length++] = '"';
        if (token->kind == TOKEN_CHARACTER)
            text[length++] = '\'';
        put_quoted(text, &length, token->text, quoted);
        if (token->kind == TOKEN_STRING)
            text[length++] = '\\', text[length++] = '"';
        if (token->kind == TOKEN_CHARACTER)
            text[length++] = '\'';
    }
    struct token token = *at;
    token.kind = TOKEN_STRING;
    token.text = (struct slice){text, length};
    return token;
}

/* a ## b */
static void paste(struct preprocessor *p, struct list *list, const struct token *right)
{
    struct kc *c = p->c;
    if (!list->count) {
        kc_append(p, list, *right);
        return;
    }
    struct token *left = &list->token[list->count - 1];
    const char *text = kc_text(c, "%.*s%.*s", SLICE(left->text), SLICE(right->text));
    struct lexer lexer;
    kc_lexer_begin(&lexer, kc_slice(text), left->place.file);
    struct token token = kc_lex(c, &lexer);
    token.place = left->place;
    token.space = left->space;
    token.line_start = false;
    if (lexer.at != lexer.end)
        kc_error(c, left->place, "'%.*s' and '%.*s' pasted by ## are no token", SLICE(left->text),
                 SLICE(right->text));
    else
        *left = token;
}

static void append_list(struct preprocessor *p, struct list *list, struct list other,
                        const struct token *at, bool pasted)
{
    for (int i = 0; i < other.count; i++) {
        struct token token = other.token[i];
        if (i == 0)
            token.space = at->space;
        if (i == 0 && pasted)
            paste(p, list, &token);
        else
            kc_append(p, list, token);
    }
}

/* __VA_OPT__(x) at token i: its tokens are read if there are further arguments. Returns where it goes on. */
static int variadic_option(struct macro *macro, struct arguments *arguments, int i, bool *skip)
{
    const bool there =
        arguments->count == macro->parameters && arguments->raw[macro->parameters - 1].count > 0;
    *skip = !there;
    return i + 1 < macro->tokens && is_sign(&macro->token[i + 1], '(') ? i + 1 : i;
}

static struct list substitute(struct preprocessor *p, struct macro *macro, const struct token *name,
                              struct arguments *arguments)
{
    struct list list = {0};
    bool pasted = false;
    int option_depth = 0, depth = 0;
    bool skip = false;
    for (int i = 0; i < macro->tokens && kc_work(p->c); i++) {
        struct token token = macro->token[i];
        token.place = name->place;
        if (option_depth) {
            depth += is_sign(&token, '(') - is_sign(&token, ')');
            if (depth == 0) {
                option_depth = 0;
                skip = false;
                continue;
            }
            if (skip)
                continue;
        }
        if (macro->variadic && word_is(&token, "__VA_OPT__") && !option_depth) {
            i = variadic_option(macro, arguments, i, &skip);
            option_depth = depth = 1;
            continue;
        }
        const int next = i + 1 < macro->tokens ? parameter_number(macro, &macro->token[i + 1]) : -1;
        if (is_sign(&token, '#') && macro->function && next >= 0) {
            kc_append(p, &list, stringized(p->c, &token, arguments->raw[next]));
            i++;
            continue;
        }
        if (is_sign(&token, SIGN_HASHES) && i) {
            pasted = true;
            continue;
        }
        const int number = parameter_number(macro, &token);
        const bool pastes = i + 1 < macro->tokens && is_sign(&macro->token[i + 1], SIGN_HASHES);
        if (number >= 0) {
            /* , ## __VA_ARGS__: no comma if there are none */
            const bool rest = macro->variadic && number == macro->parameters - 1;
            if (pasted && rest && list.count && is_sign(&list.token[list.count - 1], ',')) {
                if (!arguments->raw[number].count)
                    list.count--;
                pasted = false;
            }
            append_list(p, &list,
                        pasted || pastes ? arguments->raw[number] : arguments->expanded[number],
                        &token, pasted);
        } else if (pasted) {
            paste(p, &list, &token);
        } else {
            kc_append(p, &list, token);
        }
        pasted = false;
    }
    if (list.count)
        list.token[0].space = name->space;
    return list;
}

/* Whether the next token is a `(`, which is then taken. */
static bool takes_open(struct preprocessor *p, const struct stream *within)
{
    struct token token = kc_next_raw(p, within);
    if (is_sign(&token, '('))
        return true;
    if (token.kind != TOKEN_END) {
        struct list list = {0};
        kc_append(p, &list, token);
        push_tokens(p, list, true, NULL);
    }
    return false;
}

bool kc_expand(struct preprocessor *p, struct token *token, const struct stream *within)
{
    struct macro *macro = token->kind == TOKEN_WORD ? token->word->macro : NULL;
    if (!macro || token->painted)
        return false;
    if (macro->active) {
        token->painted = true;
        return false;
    }
    if (macro->special) {
        expand_special(p, token, macro->special);
        return true;
    }
    struct arguments *arguments = NULL;
    if (macro->function) {
        if (!takes_open(p, within))
            return false;
        arguments = new_arguments(p);
        if (!kc_enter(p->c, token->place) || !read_arguments(p, macro, token, within, arguments)) {
            kc_leave(p->c);
            return true;
        }
        for (int i = 0; i < arguments->count; i++)
            kc_expand_all(p, arguments->raw[i], &arguments->expanded[i]);
        kc_leave(p->c);
        if (slice_is(token->word->text, "_Pragma"))
            kc_pragma(p, &arguments->expanded[0]);
    }
    push_tokens(p, substitute(p, macro, token, arguments), true, macro);
    if (arguments)
        release_arguments(p, arguments);
    return true;
}

void kc_expand_all(struct preprocessor *p, struct list tokens, struct list *result)
{
    struct stream *below = p->top;
    push_tokens(p, tokens, false, NULL);
    while (kc_work(p->c)) {
        struct token token = kc_next_raw(p, below);
        if (token.kind == TOKEN_END)
            break;
        if (!kc_expand(p, &token, below))
            kc_append(p, result, token);
    }
    while (p->top != below && p->top)
        pop(p);
}
