/* preprocess.c - directives, conditions and included files: from the text to the tokens that are parsed. */
#include "kernelc/preprocess/preprocess.h"

#include <stdio.h>
#include <string.h>

/* ---- files ------------------------------------------------------------------------------------- */

static int add_file(struct kc *c, struct slice name, bool ours)
{
    int room = c->file_room, count = c->files;
    kc_grow(c, &c->file_is_ours, &room, &count, sizeof *c->file_is_ours);
    kc_grow(c, &c->file, &c->file_room, &c->files, sizeof *c->file);
    c->file[c->files] = name;
    c->file_is_ours[c->files] = ours;
    return c->files++;
}

static void push_file(struct preprocessor *p, const char *name, struct slice text, bool ours)
{
    struct stream *stream = kc_push_stream(p);
    kc_lexer_begin(&stream->lexer, text, add_file(p->c, kc_slice(name), ours));
    stream->conditions = p->conditions;
}

/* ---- directives -------------------------------------------------------------------------------- */

/* The tokens up to the end of the line. */
static struct list rest_of_line(struct preprocessor *p)
{
    struct list list = {0};
    struct lexer *lexer = &p->top->lexer;
    while (!p->c->stopped) {
        struct lexer before = *lexer;
        struct token token = kc_lex(p->c, lexer);
        if (token.kind == TOKEN_END || token.line_start) {
            *lexer = before;
            break;
        }
        kc_append(p, &list, token);
    }
    return list;
}

static bool read_parameters(struct kc *c, struct macro *macro, const struct list *line, int *at)
{
    int room = 0;
    for (;; (*at)++) {
        const struct token *token = &line->token[*at];
        if (*at >= line->count)
            return false;
        if (is_sign(token, ')')) {
            (*at)++;
            return true;
        }
        if (is_sign(token, ','))
            continue;
        struct word *word = token->word;
        if (is_sign(token, SIGN_ELLIPSIS)) {
            macro->variadic = true;
            word = kc_word_of(c, "__VA_ARGS__");
        } else if (token->kind != TOKEN_WORD || macro->parameters == 60) {
            return false;
        }
        /* name...: GNU's name for the rest */
        if (*at + 1 < line->count && is_sign(&line->token[*at + 1], SIGN_ELLIPSIS)) {
            macro->variadic = true;
            (*at)++;
        }
        kc_grow(c, &macro->parameter, &room, &macro->parameters, sizeof *macro->parameter);
        macro->parameter[macro->parameters++] = word;
    }
}

static void define(struct kc *c, const struct list *line)
{
    struct macro *macro = KC_NEW(c, struct macro);
    int at = 1;
    if (!line->count || line->token[0].kind != TOKEN_WORD) {
        if (line->count)
            kc_error(c, line->token[0].place, "a macro's name is missing");
        return;
    }
    if (line->count > 1 && is_sign(&line->token[1], '(') && !line->token[1].space) {
        at = 2;
        macro->function = true;
        if (!read_parameters(c, macro, line, &at)) {
            kc_error(c, line->token[0].place, "the parameters of this macro are not understood");
            return;
        }
    }
    macro->token = line->token + at;
    macro->tokens = line->count - at;
    line->token[0].word->macro = macro;
}

static void begin_condition(struct preprocessor *p, struct place place, bool live)
{
    const bool outer = !p->conditions || p->condition[p->conditions - 1].live;
    if (p->conditions == 64) {
        kc_stop(p->c, place, "conditions are nested too deep");
        return;
    }
    p->condition[p->conditions++] = (struct condition){
        .live = outer && live, .taken = live, .outer_live = outer, .place = place};
}

static bool is_live(const struct preprocessor *p)
{
    return !p->conditions || p->condition[p->conditions - 1].live;
}

/* Whether a file of that name can be included. */
static const struct kernelc_source *find_file(struct preprocessor *p, struct slice name)
{
    const struct kernelc_job *job = p->c->job;
    struct slice bare = name;
    while (slice_begins(bare, "./"))
        bare.at += 2, bare.length -= 2;
    for (int i = 0; i < job->includes; i++)
        if (slice_is(name, job->include[i].name) || slice_is(bare, job->include[i].name))
            return &job->include[i];
    return NULL;
}

static struct slice included_name(struct list *line, bool *angle)
{
    struct slice name = {0};
    if (!line->count)
        return name;
    const struct token *first = line->token, *last = line->token + line->count - 1;
    *angle = is_sign(first, '<');
    if (first->kind == TOKEN_STRING)
        return first->text;
    if (*angle && is_sign(last, '>') && last > first)
        name = (struct slice){first->text.at + 1, (int)(last->text.at - first->text.at - 1)};
    return name;
}

static bool known_file(struct preprocessor *p, struct list line)
{
    bool angle = false;
    struct slice name = included_name(&line, &angle);
    return name.length > 0 &&
           (find_file(p, name) || kc_header(name) || kc_header_is_empty(name, angle));
}

/* __has_include(<x>) and defined x become numbers before macros are expanded. */
static struct list resolved(struct preprocessor *p, struct list line)
{
    struct list list = {0};
    for (int i = 0; i < line.count; i++) {
        struct token token = line.token[i];
        const bool defined = word_is(&token, "defined");
        if (!defined && !word_is(&token, "__has_include")) {
            kc_append(p, &list, token);
            continue;
        }
        const bool open = i + 1 < line.count && is_sign(&line.token[i + 1], '(');
        int from = i + 1 + open, to = from;
        while (open && to < line.count && !is_sign(&line.token[to], ')'))
            to++;
        if (!open)
            to = from + 1 <= line.count ? from + 1 : line.count;
        bool yes = false;
        if (to > from && defined)
            yes = line.token[from].kind == TOKEN_WORD &&
                  (line.token[from].word->macro || word_is(&line.token[from], "__has_include"));
        else if (to > from)
            yes = known_file(p, (struct list){line.token + from, to - from, 0});
        kc_append(p, &list, kc_number_token(p, &token, yes));
        i = open ? to : to - 1;
    }
    return list;
}

static bool condition_holds(struct preprocessor *p, struct list line, struct place place)
{
    struct list list = {0};
    kc_expand_all(p, resolved(p, line), &list);
    return kc_condition(p->c, list.token, list.count, place);
}

static void include(struct preprocessor *p, struct list line, struct place place)
{
    bool angle = false;
    if (p->in_part) {
        kc_error(p->c, place, "#include may not be used in this part of the source");
        return;
    }
    if (line.count && line.token[0].kind == TOKEN_WORD) {
        struct list list = {0};
        kc_expand_all(p, line, &list);
        line = list;
    }
    struct slice name = included_name(&line, &angle);
    if (!name.length) {
        kc_error(p->c, place, "#include is followed by a file's name: \"x.h\" or <x.h>");
        return;
    }
    const struct kernelc_source *source = find_file(p, name);
    const char *unsupported;
    const bool ours = !source;
    if (!source)
        source = kc_header(name);
    for (int i = 0; source && i < p->once_count; i++)
        if (slice_is(p->once[i], source->name))
            return;
    if (p->includes >= KC_INCLUDE_DEPTH)
        kc_stop(p->c, place, "files include each other too deep");
    else if (source) {
        p->includes++;
        push_file(p, source->name, (struct slice){source->text, (int)source->length}, ours);
    } else if ((unsupported = kc_unsupported(p->c, kc_slice(""), name)))
        kc_error(p->c, place, "%s", unsupported);
    else if (!kc_header_is_empty(name, angle))
        kc_error(p->c, place,
                 "file '%.*s' is not here: of the toolkit's headers only those for kernels are, "
                 "and files of your own must be beside the kernel",
                 SLICE(name));
}

/* Reads a #pragma, or a _Pragma("..."). */
void kc_pragma(struct preprocessor *p, const struct list *line)
{
    if (line->count && word_is(&line->token[0], "once")) {
        kc_grow(p->c, &p->once, &p->once_room, &p->once_count, sizeof *p->once);
        p->once[p->once_count++] = p->c->file[p->top->lexer.file];
    }
    struct slice text = line->count ? line->token[0].text : kc_slice("");
    if (text.length && *text.at == '"')
        text = (struct slice){text.at + 1, text.length - 1};
    if (text.length >= 4 && !memcmp(text.at, "pack", 4))
        kc_error(p->c, line->token[0].place,
                 "#pragma pack is not supported: members lie at their own alignment");
}

static void else_directive(struct preprocessor *p, const struct token *name, struct list line)
{
    if (!p->conditions || p->conditions <= p->top->conditions) {
        kc_error(p->c, name->place, "#%.*s without #if", SLICE(name->text));
        return;
    }
    struct condition *condition = &p->condition[p->conditions - 1];
    if (word_is(name, "endif")) {
        p->conditions--;
        return;
    }
    if (condition->seen_else)
        kc_error(p->c, name->place, "#%.*s after #else", SLICE(name->text));
    bool live = condition->outer_live && !condition->taken;
    if (word_is(name, "else"))
        condition->seen_else = true;
    else if (live)
        live = word_is(name, "elif") ? condition_holds(p, line, name->place)
               : line.count
                   ? (line.token[0].word && line.token[0].word->macro) == word_is(name, "elifdef")
                   : false;
    condition->live = live;
    condition->taken |= live;
}

static void error_directive(struct preprocessor *p, const struct token *name, struct list line)
{
    char text[300];
    int length = 0;
    for (int i = 0; i < line.count && length < 250; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%.*s", i ? " " : "",
                           line.token[i].text.length > 200 ? 200 : line.token[i].text.length,
                           line.token[i].text.at);
    kc_error(p->c, name->place, "#error %.*s", length < 299 ? length : 299, text);
}

static void live_directive(struct preprocessor *p, const struct token *name, struct list line)
{
    if (word_is(name, "define"))
        define(p->c, &line);
    else if (word_is(name, "undef") && line.count && line.token[0].word)
        line.token[0].word->macro = NULL;
    else if (word_is(name, "include") || word_is(name, "include_next") || word_is(name, "import"))
        include(p, line, name->place);
    else if (word_is(name, "pragma"))
        kc_pragma(p, &line);
    else if (word_is(name, "error"))
        error_directive(p, name, line);
    else if (!word_is(name, "warning") && !word_is(name, "line") && !word_is(name, "ident") &&
             name->kind != TOKEN_NUMBER)
        kc_error(p->c, name->place, "#%.*s is no directive", SLICE(name->text));
}

static void directive(struct preprocessor *p)
{
    struct list line = rest_of_line(p);
    if (!line.count)
        return;
    struct token name = line.token[0];
    line.token++;
    line.count--;
    const bool live = is_live(p);
    const struct word *word = line.count ? line.token[0].word : NULL;
    if (word_is(&name, "if"))
        begin_condition(p, name.place, live && condition_holds(p, line, name.place));
    else if (word_is(&name, "ifdef"))
        begin_condition(p, name.place, word && word->macro);
    else if (word_is(&name, "ifndef"))
        begin_condition(p, name.place, word && !word->macro);
    else if (word_is(&name, "elif") || word_is(&name, "else") || word_is(&name, "endif") ||
             word_is(&name, "elifdef") || word_is(&name, "elifndef"))
        else_directive(p, &name, line);
    else if (live)
        live_directive(p, &name, line);
}

/* ---- the whole --------------------------------------------------------------------------------- */

/* Strings one after another are one. */
static void add_token(struct kc *c, struct token token)
{
    struct token *last = c->tokens ? &c->token[c->tokens - 1] : NULL;
    if (token.kind == TOKEN_STRING && last && last->kind == TOKEN_STRING &&
        last->painted == token.painted) {
        if (last->text.length + token.text.length > KC_TEXT) {
            kc_stop(c, token.place, "this text becomes longer than a megabyte");
            return;
        }
        char *text = kc_new(c, (size_t)last->text.length + (size_t)token.text.length + 1);
        memcpy(text, last->text.at, (size_t)last->text.length);
        memcpy(text + last->text.length, token.text.at, (size_t)token.text.length);
        last->text = (struct slice){text, last->text.length + token.text.length};
        return;
    }
    kc_grow(c, &c->token, &c->token_room, &c->tokens, sizeof *c->token);
    c->token[c->tokens++] = token;
    if (c->tokens > KC_TOKENS)
        kc_stop(c, token.place, "the source is too long");
}

/* For a brace that nothing closes: the inner one that, by its indentation, has the brace that should close it. */
static const char *closed_too_late(struct kc *c, int open)
{
    int indentation = 0; /* the column of the first token of the line */
    for (int i = open; i < c->tokens; i++) {
        const struct token *token = &c->token[i];
        if (token->line_start)
            indentation = token->place.column;
        if (i == open || token->kind != TOKEN_SIGN || token->sign != '{' || token->match < 0)
            continue;
        const struct token *close = &c->token[token->match];
        if (close->line_start && close->place.column < indentation &&
            close->place.file == token->place.file)
            return kc_text(c, ": the '}' of line %d closes the '{' of line %d", close->place.line,
                           token->place.line);
    }
    return "";
}

void kc_match_brackets(struct kc *c, int from)
{
    int *open = kc_new(c, sizeof *open * KC_DEPTH), depth = 0;
    for (int i = from; i < c->tokens && !c->stopped; i++) {
        struct token *token = &c->token[i];
        token->match = -1;
        if (token->kind != TOKEN_SIGN)
            continue;
        if (token->sign == '(' || token->sign == '[' || token->sign == '{') {
            if (depth == KC_DEPTH)
                kc_stop(c, token->place, "brackets are nested too deep");
            else
                open[depth++] = i;
        }
        if (token->sign != ')' && token->sign != ']' && token->sign != '}')
            continue;
        const int wanted = token->sign == ')' ? '(' : token->sign == ']' ? '[' : '{';
        /* A brace closes what was left open within. */
        while (depth && c->token[open[depth - 1]].sign != wanted && wanted == '{') {
            kc_error(c, c->token[open[depth - 1]].place, "this '%c' is never closed",
                     c->token[open[depth - 1]].sign);
            depth--;
        }
        if (!depth || c->token[open[depth - 1]].sign != wanted) {
            kc_error(c, token->place, "this '%c' closes nothing", token->sign);
            continue;
        }
        depth--;
        token->match = open[depth];
        c->token[open[depth]].match = i;
    }
    for (int i = 0; i < depth; i++)
        kc_error(c, c->token[open[i]].place, "this '%c' is never closed%s", c->token[open[i]].sign,
                 !i && c->token[open[i]].sign == '{' ? closed_too_late(c, open[i]) : "");
    if (depth && c->token[open[0]].sign == '{')
        c->stopped = true; /* where functions end is not known */
}

static void define_special(struct kc *c, const char *name, int special)
{
    struct macro *macro = KC_NEW(c, struct macro);
    macro->special = special;
    kc_word_of(c, name)->macro = macro;
}

/* "N=4" */
static void define_option(struct preprocessor *p, const char *option)
{
    const char *text = kc_text(p->c, "%s", option), *equal = strchr(text, '=');
    char *line = kc_new(p->c, strlen(text) + 4);
    snprintf(line, strlen(text) + 4, "%.*s %s", (int)(equal ? equal - text : (int)strlen(text)),
             text, equal ? equal + 1 : "1");
    struct lexer lexer;
    kc_lexer_begin(&lexer, kc_slice(line), 0);
    struct list list = {0};
    for (struct token token; (token = kc_lex(p->c, &lexer)).kind != TOKEN_END;) {
        token.place = (struct place){0};
        kc_append(p, &list, token);
    }
    define(p->c, &list);
}

static void read_file(struct preprocessor *p)
{
    while (!p->c->stopped) {
        struct token token = kc_next_raw(p, NULL);
        if (token.kind == TOKEN_END)
            break;
        if (token.line_start && is_sign(&token, '#') && p->top && p->top->lexer.at) {
            directive(p);
            continue;
        }
        if (!is_live(p) || kc_expand(p, &token, NULL))
            continue;
        add_token(p->c, token);
    }
}

static bool has_word(const struct kernelc_source *source, const char *word)
{
    const size_t length = strlen(word);
    for (size_t i = 0; source->text && i + length <= source->length; i++)
        if (source->text[i] == *word && !memcmp(source->text + i, word, length))
            return true;
    return false;
}

/* Reads a header of ours that is long and seldom needed, if a text has the word that its names begin with. */
static void read_if_named(struct preprocessor *p, const char *header, const char *word)
{
    const struct kernelc_job *job = p->c->job;
    bool named = has_word(&job->source, word) || has_word(&job->part, word);
    for (int i = 0; i < job->includes; i++)
        named |= has_word(&job->include[i], word);
    if (!named)
        return;
    const struct kernelc_source *source = kc_header(kc_slice(header));
    push_file(p, source->name, (struct slice){source->text, (int)source->length}, true);
    p->includes++;
    read_file(p);
}

void kc_preprocess(struct kc *c)
{
    struct preprocessor *p = KC_NEW(c, struct preprocessor);
    const struct kernelc_source *source = &c->job->source;
    p->c = c;
    add_file(c, kc_slice(source->name), false);
    define_special(c, "__LINE__", SPECIAL_LINE);
    define_special(c, "__FILE__", SPECIAL_FILE);
    define_special(c, "__COUNTER__", SPECIAL_COUNTER);
    const struct kernelc_source *core = kc_header(kc_slice("kernelc_core.h"));
    push_file(p, core->name, (struct slice){core->text, (int)core->length}, true);
    p->includes++;
    read_file(p);
    read_if_named(p, "kernelc_lanes.h", "__v");
    for (int i = 0; i < c->job->defines; i++)
        define_option(p, c->job->define[i]);
    push_file(p, source->name, (struct slice){source->text, (int)source->length}, false);
    p->includes++;
    read_file(p);
    c->part = c->tokens;
    c->part_file = c->job->part.text ? c->files : -1;
    if (c->job->part.text) {
        const struct kernelc_source *part = &c->job->part;
        push_file(p, part->name, (struct slice){part->text, (int)part->length}, false);
        p->includes++;
        p->in_part = true;
        read_file(p);
    }
    struct token end = {.kind = TOKEN_END, .match = -1};
    if (c->tokens)
        end.place = c->token[c->tokens - 1].place;
    kc_grow(c, &c->token, &c->token_room, &c->tokens, sizeof *c->token);
    c->token[c->tokens++] = end;
    kc_match_brackets(c, 0);
}
