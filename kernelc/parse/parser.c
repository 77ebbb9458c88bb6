/* parser.c - moving through the tokens, and the whole source: its declarations, then the bodies that
 * kernels need. */
#include "kernelc/parser.h"

#include <string.h>

#include <stdarg.h>
#include <stdio.h>

/* ---- tokens ------------------------------------------------------------------------------------ */

static const struct token the_end = {.kind = TOKEN_END, .match = -1};

const struct token *kc_ahead(struct kc *c, int count)
{
    const int at = c->parser->at + count;
    if (c->stopped || at < 0)
        return &the_end;
    return at < c->tokens ? &c->token[at] : &c->token[c->tokens - 1];
}

const struct token *kc_token(struct kc *c)
{
    return kc_ahead(c, 0);
}

void kc_next(struct kc *c)
{
    if (kc_work(c) && c->parser->at < c->tokens - 1)
        c->parser->at++;
}

bool kc_at(struct kc *c, int sign)
{
    const struct token *token = kc_token(c);
    return token->kind == TOKEN_SIGN && token->sign == sign;
}

bool kc_at_key(struct kc *c, enum keyword keyword)
{
    const struct token *token = kc_token(c);
    return token->kind == TOKEN_WORD && token->word->keyword == (int)keyword;
}

bool kc_accept(struct kc *c, int sign)
{
    if (!kc_at(c, sign))
        return false;
    kc_next(c);
    return true;
}

bool kc_accept_key(struct kc *c, enum keyword keyword)
{
    if (!kc_at_key(c, keyword))
        return false;
    kc_next(c);
    return true;
}

/* What follows a mistake on its line is mostly its consequence: one is told. */
static bool is_told(struct kc *c)
{
    const struct place place = kc_token(c)->place;
    struct parser *p = c->parser;
    bool told = p->syntax.line == place.line && p->syntax.file == place.file;
    for (int i = 0; i < c->result->messages && !told; i++) /* this '(' is never closed */
        told = c->result->message[i].line == place.line &&
               strstr(c->result->message[i].text, "is never closed") != NULL;
    if (!c->quiet)
        p->syntax = place;
    return told && place.line && !c->quiet;
}

void kc_syntax(struct kc *c, const char *format, ...)
{
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!c->parser->panic && !is_told(c))
        kc_error(c, kc_token(c)->place, "%s", text);
    c->parser->panic = true;
}

/* What stands between the last token and this one is missing: told at the end of the last one. */
bool kc_expect(struct kc *c, int sign, const char *where)
{
    if (kc_accept(c, sign))
        return true;
    const struct token *last = kc_ahead(c, -1), *token = kc_token(c);
    struct place place = token->place;
    if ((token->line_start || token->kind == TOKEN_END) && last->kind != TOKEN_END) {
        place = last->place;
        place.column += last->text.length + (last->kind == TOKEN_STRING ? 2 : 0);
    }
    if (!c->parser->panic && !is_told(c)) {
        const char *sign_text = sign == SIGN_SCOPE ? "::" : kc_text(c, "%c", sign);
        if (token->kind == TOKEN_END)
            kc_error(c, place, "'%s' is missing %s, before the end", sign_text, where);
        else
            kc_error(c, place, "'%s' is missing %s, before '%.*s'", sign_text, where,
                     SLICE(token->text));
    }
    c->parser->panic = true;
    return false;
}

int kc_past(struct kc *c, int at)
{
    return at < c->tokens && c->token[at].match > at ? c->token[at].match + 1 : at;
}

void kc_skip_angles(struct kc *c)
{
    int depth = 0;
    while (kc_token(c)->kind != TOKEN_END) {
        if (kc_at(c, '('))
            c->parser->at = kc_past(c, c->parser->at) - 1;
        else if (kc_at(c, '<'))
            depth++;
        else if (kc_at(c, '>') && --depth == 0)
            break;
        else if (kc_at(c, ';') || kc_at(c, '{') || kc_at(c, '}'))
            return;
        kc_next(c);
    }
    kc_next(c);
}

/* Past the `;` that ends this statement, or a block; at a `}` that closes the one outside. */
void kc_skip_statement(struct kc *c)
{
    while (kc_token(c)->kind != TOKEN_END && !kc_at(c, '}')) {
        if (kc_accept(c, ';'))
            return;
        if (kc_at(c, '{')) {
            const int past = kc_past(c, c->parser->at);
            if (past == c->parser->at)
                kc_next(c);
            c->parser->at = past > c->parser->at ? past : c->parser->at;
            if (!kc_at(c, ';') && !kc_at(c, ',') && !kc_at(c, ')'))
                return;
            continue;
        }
        if (kc_token(c)->kind == TOKEN_SIGN && kc_token(c)->match > c->parser->at)
            c->parser->at = kc_token(c)->match;
        kc_next(c);
    }
}

struct moment kc_moment(struct kc *c)
{
    const struct parser *p = c->parser;
    return (struct moment){p->at,    p->scope,       p->function, p->in_pattern,  p->no_greater,
                           p->panic, p->unevaluated, p->loop,     p->switch_node, p->jumps};
}

void kc_back(struct kc *c, struct moment moment)
{
    struct parser *p = c->parser;
    p->at = moment.at;
    p->scope = moment.scope;
    p->function = moment.function;
    p->in_pattern = moment.in_pattern;
    p->no_greater = moment.no_greater;
    p->panic = moment.panic;
    p->unevaluated = moment.unevaluated;
    p->loop = moment.loop;
    p->switch_node = moment.switch_node;
    p->jumps = moment.jumps;
}

/* An error within a header of ours is told where the user's code needs it. */
struct place kc_parser_place(struct kc *c, struct place place)
{
    struct parser *p = c->parser;
    for (int i = p->instance_depth; i > 0; i--)
        if (!c->file_is_ours[p->instance_place[i].file] && p->instance_place[i].line)
            return p->instance_place[i];
    return place;
}

/* ---- the whole --------------------------------------------------------------------------------- */

static void find_launches(struct kc *c);
static void wanted_instances(struct kc *c);

/* A body that nothing of a header needs is not read; all device code of the source itself is. */
static void read_bodies(struct kc *c)
{
    for (struct function *function = c->parser->functions; function && kc_work(c);
         function = function->all)
        kc_read_body(c, function);
}

void kc_parse(struct kc *c)
{
    struct parser *p = c->parser = KC_NEW(c, struct parser);
    p->auto_at = -1;
    kc_keywords(c);
    kc_check_part(c);
    kc_types_begin(c);
    p->global = p->scope = kc_scope(c, NULL, 1024);
    p->global->is_namespace = true;
    p->word_this = kc_word_of(c, "this");
    p->call_word = kc_word_of(c, "operator()");
    p->index_word = kc_word_of(c, "operator[]");
    while (kc_token(c)->kind != TOKEN_END) {
        const int before = p->at;
        kc_declaration(c, p->global, NULL, NULL, NULL);
        if (p->at == before && !c->stopped) {
            if (!kc_at(c, '}'))
                kc_syntax(c, "'%.*s' begins no declaration", SLICE(kc_token(c)->text));
            kc_next(c);
        }
    }
    p->scope = p->global;
    p->function = NULL;
    find_launches(c);
    wanted_instances(c);
    read_bodies(c);
}

/* ---- instances of kernel templates -------------------------------------------------------------- */

/* The kernel template of that name, or NULL. */
static struct function *kernel_template(const struct naming *name)
{
    if (!name->symbol || name->symbol->kind != SYMBOL_FUNCTION)
        return NULL;
    for (struct function *f = name->symbol->function; f; f = f->next)
        if (f->is_global && f->is_template && f->template->parameters)
            return f;
    return NULL;
}

static bool need_instance(struct kc *c, struct function *instance)
{
    if (instance)
        kc_need_body(c, instance);
    return instance != NULL;
}

static bool is_sign(const struct token *token, int sign)
{
    return token->kind == TOKEN_SIGN && token->sign == sign;
}

/* Instantiates the template with what NAME<...> and the types of the arguments behind <<<...>>> say. at: the <<<. */
static bool deduce_launch(struct kc *c, const struct naming *name, int at)
{
    struct parser *p = c->parser;
    struct node **list;
    int count;
    while (at < c->tokens - 1 && !is_sign(&c->token[at], ';') &&
           !(is_sign(&c->token[at], '(') && is_sign(&c->token[at - 1], '>') &&
             is_sign(&c->token[at - 2], '>')))
        at = kc_past(c, at) > at ? kc_past(c, at) : at + 1;
    p->at = at;
    if (!kc_at(c, '('))
        return false;
    const int close = kc_past(c, p->at) - 1;
    kc_next(c);
    if (!kc_arguments(c, close, &list, &count))
        return false;
    struct function *found = kc_find_overload(c, name->symbol->function, NULL, list, count,
                                              name->argument, name->arguments, name->place, false);
    return found && found->is_global && need_instance(c, found);
}

/* Instantiates NAME<...>, which stands here, if it is a kernel template and the arguments are understood. launch: the
 * token <<< behind it; -1: there is none, and what launches asked for will do. */
static bool instantiate_here(struct kc *c, int launch)
{
    struct naming name = {0};
    struct function *f = kc_name(c, &name, false) ? kernel_template(&name) : NULL;
    if (!f)
        return false;
    const bool all = name.arguments >= f->template->parameters || !f->template->instance;
    if (name.has_arguments && all &&
        need_instance(c, kc_instantiate_function(c, f, name.argument, name.arguments, name.place)))
        return true;
    return launch >= 0 ? deduce_launch(c, &name, launch) : f->template->instance != NULL;
}

/* The token where a template's name begins whose arguments end with the `>` before `at`; -1: none. */
static int template_before(struct kc *c, int at)
{
    int depth = 0;
    for (int i = at - 1; i > 0 && i > at - 60; i--) {
        const struct token *token = &c->token[i];
        if (token->kind != TOKEN_SIGN)
            continue;
        if (token->sign == '>')
            depth++;
        else if (token->sign == '<' && --depth == 0)
            return c->token[i - 1].kind == TOKEN_WORD ? i - 1 : -1;
        else if (token->sign == ';' || token->sign == '{' || token->sign == '}')
            return -1;
    }
    return -1;
}

/* Where the name before `at` begins: with its template's arguments, and what it is qualified by. -1: none. */
static int name_before(struct kc *c, int at)
{
    const struct token *last = &c->token[at - 1];
    int from = last->kind == TOKEN_WORD                        ? at - 1
               : last->kind == TOKEN_SIGN && last->sign == '>' ? template_before(c, at)
                                                               : -1;
    while (from > 1 && c->token[from - 1].kind == TOKEN_SIGN &&
           c->token[from - 1].sign == SIGN_SCOPE && c->token[from - 2].kind == TOKEN_WORD)
        from -= 2;
    return from;
}

/* Host code says which instances of kernel templates there are: name<float, 4><<<grid, block>>>(x). What depends
 * on the host's variables is passed over. */
static void find_launches(struct kc *c)
{
    struct parser *p = c->parser;
    for (int i = 1; i < c->tokens && kc_work(c); i++) {
        if (c->token[i].kind != TOKEN_SIGN || c->token[i].sign != SIGN_LAUNCH)
            continue;
        const int from = name_before(c, i);
        if (from < 0)
            continue;
        struct moment moment = kc_moment(c);
        p->at = from;
        const bool failed = c->failed;
        c->quiet++;
        instantiate_here(c, i);
        c->quiet--;
        c->failed = failed;
        kc_back(c, moment);
    }
}

/* The instances that the job names: their text is read behind the source. */
static void wanted_instances(struct kc *c)
{
    struct parser *p = c->parser;
    for (int i = 0; i < c->job->instances; i++) {
        struct lexer lexer;
        const int begin = c->tokens;
        kc_lexer_begin(&lexer, kc_slice(c->job->instance[i]), 0);
        for (;;) {
            struct token token = kc_lex(c, &lexer);
            token.place = (struct place){0};
            kc_grow(c, &c->token, &c->token_room, &c->tokens, sizeof *c->token);
            c->token[c->tokens++] = token;
            if (token.kind == TOKEN_END)
                break;
        }
        kc_match_brackets(c, begin);
        struct moment moment = kc_moment(c);
        struct kernelc_result *result = c->result;
        int message = result->messages;
        p->at = begin;
        if (!instantiate_here(c, -1) && !result->messages)
            kc_error(c, (struct place){0}, "there is no kernel template of this name");
        kc_back(c, moment);
        for (; message < result->messages; message++)
            if (!result->message[message].line) /* it is in the name, which stands in no file */
                result->message[message].text = kc_text(c, "kernel '%s': %s", c->job->instance[i],
                                                        result->message[message].text);
    }
}
