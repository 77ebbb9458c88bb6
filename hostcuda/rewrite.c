/* rewrite.c - CUDA's syntax to C++: launches, extern __shared__, inline PTX, includes.
 *
 * The source is split into tokens, with comments, literals and directives as in C++. Only what must
 * change is changed, and within its line, so that the compiler's messages and the debug information
 * refer to the user's lines. Macro bodies are rewritten like the rest:
 *
 *     #define GO(k, ...) k<<<grid, block>>>(__VA_ARGS__)
 */
#include "hostcuda/driver.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum token_kind { TOKEN_WORD, TOKEN_LITERAL, TOKEN_MARK };

struct token {
    enum token_kind kind;
    size_t from, to; /* in the source */
    int line;
    int level;      /* of braces around it */
    bool function;  /* it stands in a function, not in a namespace */
    bool directive; /* it stands in a preprocessor directive */
    bool opens;     /* a <<<, or << <, which begins a launch's configuration */
    bool closes;    /* the >>> that ends it */
};

struct rewriter {
    const char *source, *file;
    size_t length;
    struct token *token;
    size_t tokens, room;
    struct rewrite_text *to;
    struct rewrite_seen *seen;
    size_t copied; /* of the source */
    rewrite_include include;
    void *context;
    struct error *error;
};

/* ---- text ------------------------------------------------------------------------------------ */

static bool append(struct rewrite_text *text, const char *from, size_t length)
{
    struct error error = {{0}}; /* whoever calls says of which file */
    if (!memory_grow(&text->at, &text->room, text->length + length + 1, 1, "bytes", &error))
        return false;
    memcpy(text->at + text->length, from, length);
    text->length += length;
    text->at[text->length] = '\0';
    return true;
}

bool rewrite_append(struct rewrite_text *text, const char *string)
{
    return append(text, string, strlen(string));
}

void rewrite_text_free(struct rewrite_text *text)
{
    free(text->at);
    *text = (struct rewrite_text){0};
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* The end of a raw string that begins at the quote. */
static size_t raw_end(const struct rewriter *r, size_t at)
{
    char close[20];
    size_t n = 0;
    size_t i = at + 1;
    close[n++] = ')';
    while (i < r->length && r->source[i] != '(' && n < 18)
        close[n++] = r->source[i++];
    close[n++] = '"';
    for (; i + n <= r->length; i++)
        if (!memcmp(r->source + i, close, n))
            return i + n;
    return r->length;
}

/* The end of a string or character that begins at the quote; it ends with its line at the latest. */
static size_t literal_end(const struct rewriter *r, size_t at)
{
    char quote = r->source[at];
    size_t i = at + 1;
    while (i < r->length && r->source[i] != quote && r->source[i] != '\n')
        i += r->source[i] == '\\' && i + 1 < r->length ? 2 : 1;
    return i < r->length && r->source[i] == quote ? i + 1 : i < r->length ? i : r->length;
}

static size_t number_end(const struct rewriter *r, size_t at)
{
    size_t i = at;
    while (i < r->length &&
           (is_word(r->source[i]) || r->source[i] == '.' ||
            (r->source[i] == '\'' && i + 1 < r->length && is_word(r->source[i + 1])) ||
            ((r->source[i] == '+' || r->source[i] == '-') && i > at &&
             strchr("eEpP", r->source[i - 1]) &&
             !(r->source[at] == '0' && at + 1 < r->length && (r->source[at + 1] | 32) == 'x' &&
               (r->source[i - 1] | 32) == 'e'))))
        i++;
    return i;
}

/* How many characters the mark at `at` has. ">>" is two marks, because templates end with it. */
static size_t mark_length(const struct rewriter *r, size_t at)
{
    static const char *const marks[] = {"<<<", ">>>", "->*", "...", "<<=", "::", "->", "<<",
                                        "<=",  ">=",  "==",  "!=",  "&&",  "||", "++", "--",
                                        "+=",  "-=",  "*=",  "/=",  "|=",  "&="};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t n = strlen(marks[i]);
        if (at + n <= r->length && !memcmp(r->source + at, marks[i], n))
            return n;
    }
    return 1;
}

static bool is(const struct rewriter *r, size_t token, const char *word)
{
    if (token >= r->tokens)
        return false;
    size_t n = r->token[token].to - r->token[token].from;
    return strlen(word) == n && !memcmp(r->source + r->token[token].from, word, n);
}

static bool add(struct rewriter *r, enum token_kind kind, size_t from, size_t to, int line,
                bool directive)
{
    if (!memory_grow(&r->token, &r->room, r->tokens + 1, sizeof *r->token, "tokens", r->error))
        return false;
    struct token *before = r->tokens ? &r->token[r->tokens - 1] : NULL;
    bool opens = to - from == 3 && !memcmp(r->source + from, "<<<", 3);
    if (before && to - from == 1 && r->source[from] == '<' && is(r, r->tokens - 1, "<<") &&
        !(r->tokens > 1 && is(r, r->tokens - 2, "operator"))) {
        before->to = to;
        before->opens = true;
        return true;
    }
    r->token[r->tokens++] = (struct token){
        .kind = kind, .from = from, .to = to, .line = line, .directive = directive, .opens = opens};
    return true;
}

/* The end of the token that begins at `from`, and what it is. */
static size_t token_end(const struct rewriter *r, size_t from, enum token_kind *kind)
{
    const char *s = r->source;
    char c = s[from], next = from + 1 < r->length ? s[from + 1] : '\0';
    *kind = TOKEN_LITERAL;
    if (c == '"' || c == '\'')
        return literal_end(r, from);
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)next)))
        return number_end(r, from);
    if (!is_word(c)) {
        *kind = TOKEN_MARK;
        return from + mark_length(r, from);
    }
    size_t end = from;
    while (end < r->length && is_word(s[end]))
        end++;
    /* A literal may have a prefix: R"(...)", L'c', u8"...". */
    bool prefix = end < r->length && end - from <= 3 && (s[end] == '"' || s[end] == '\'');
    if (prefix && s[end] == '"' && s[end - 1] == 'R')
        return raw_end(r, end);
    if (prefix && (end - from == 1 ? strchr("LuU", c) != NULL : c == 'u' && s[from + 1] == '8'))
        return literal_end(r, end);
    *kind = TOKEN_WORD;
    return end;
}

/* The end of the comment, the white space or the continued line's end that begins at `at`; `at`: none
 * does. */
static size_t space_end(const struct rewriter *r, size_t at)
{
    const char *s = r->source;
    size_t left = r->length - at, i = at;
    if (left >= 2 && !memcmp(s + at, "//", 2)) {
        while (i < r->length && s[i] != '\n')
            i += s[i] == '\\' && i + 1 < r->length && s[i + 1] == '\n' ? 2 : 1;
        return i;
    }
    if (left >= 2 && !memcmp(s + at, "/*", 2)) {
        for (i += 2; i + 1 < r->length; i++)
            if (s[i] == '*' && s[i + 1] == '/')
                return i + 2;
        return r->length;
    }
    if (left >= 2 && !memcmp(s + at, "\\\n", 2))
        return at + 2;
    if (left >= 3 && !memcmp(s + at, "\\\r\n", 3))
        return at + 3;
    return isspace((unsigned char)s[at]) ? at + 1 : at;
}

static bool tokenize(struct rewriter *r)
{
    int line = 1;
    bool directive = false, begins = true; /* begins: nothing but white space is on the line yet */
    for (size_t from = 0, end; from < r->length; from = end) {
        const int first = line;
        enum token_kind kind = TOKEN_MARK;
        char c = r->source[from];
        end = space_end(r, from);
        bool space = end > from;
        if (!space)
            end = token_end(r, from, &kind);
        for (size_t i = from; i < end; i++)
            line += r->source[i] == '\n';
        if (c == '\n') {
            directive = false;
            begins = true;
        }
        if (space)
            continue;
        directive |= begins && c == '#';
        begins = false;
        if (!add(r, kind, from, end, first, directive))
            return false;
    }
    return true;
}

/* Marks tokens that stand in a function: inside a brace that is neither a namespace's nor
 * extern "C"'s. What a class holds counts as in a function: nothing that is rewritten stands
 * there outside one. Directives have no say. */
static bool find_functions(struct rewriter *r)
{
    enum { DEEPEST = 4096 };
    bool *inside = calloc(DEEPEST + 1, sizeof *inside);
    int level = 0;
    if (!inside)
        return error_set(r->error, "out of memory for %s", r->file);
    for (size_t i = 0; i < r->tokens; i++) {
        r->token[i].level = level;
        r->token[i].function = inside[level];
        if (r->token[i].directive)
            continue;
        if (is(r, i, "{") && level < DEEPEST) {
            size_t k = i;
            bool space = i >= 1 && r->token[i - 1].kind == TOKEN_LITERAL; /* extern "C" { */
            while (k > 0 && i - k < 12 &&
                   (r->token[k - 1].kind == TOKEN_WORD || is(r, k - 1, "::"))) {
                k--;
                space |= is(r, k, "namespace");
            }
            inside[level + 1] = inside[level] || !space;
            level++;
        } else if (is(r, i, "}") && level > 0) {
            level--;
        }
    }
    free(inside);
    return true;
}

/* ---- launches -------------------------------------------------------------------------------- */

static bool copy_until(struct rewriter *r, size_t to)
{
    bool good = append(r->to, r->source + r->copied, to - r->copied);
    r->copied = to;
    return good || error_set(r->error, "out of memory for %s", r->file);
}

/* Appends the line ends of the source from..to, so that what follows stays on its line; in a directive,
 * where token `of` is, they are continued. */
static bool keep_lines(struct rewriter *r, size_t from, size_t to, size_t of)
{
    bool good = true;
    for (size_t i = from; good && i < to; i++)
        if (r->source[i] == '\n')
            good = rewrite_append(r->to, r->token[of].directive ? "\\\n" : "\n");
    return good;
}

/* What follows is on this line. */
static bool append_line(struct rewriter *r, int line)
{
    char directive[32];
    snprintf(directive, sizeof directive, "\n#line %d\n", line);
    return rewrite_append(r->to, directive);
}

/* The source from..to on one line: comments stay out, line ends become spaces. */
static bool append_flat(struct rewriter *r, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        const struct token *token = &r->token[i];
        bool apart = i > first && r->token[i - 1].to < token->from;
        if (apart && !append(r->to, " ", 1))
            return false;
        if (!append(r->to, r->source + token->from, token->to - token->from))
            return false;
    }
    return true;
}

/* The same as the text of a string literal. */
static bool append_quoted(struct rewriter *r, size_t first, size_t last)
{
    size_t from = r->to->length;
    if (!append_flat(r, first, last))
        return false;
    struct rewrite_text plain = {0};
    bool good = append(&plain, r->to->at + from, r->to->length - from);
    r->to->length = from;
    for (size_t i = 0; good && i < plain.length; i++)
        good = (plain.at[i] != '"' && plain.at[i] != '\\') || append(r->to, "\\", 1)
                   ? append(r->to, &plain.at[i], 1)
                   : false;
    rewrite_text_free(&plain);
    return good;
}

/* The token that opens what `close` closes, going backwards; SIZE_MAX: none. Angle brackets: "<"
 * against ">", and what is in parentheses in between does not count. */
static size_t opening(const struct rewriter *r, size_t close)
{
    bool angle = is(r, close, ">") || is(r, close, ">>>");
    int round = 0, angles = 0;
    for (size_t i = close;; i--) {
        if (is(r, i, ")") || is(r, i, "]") || is(r, i, "}"))
            round++;
        else if (is(r, i, "(") || is(r, i, "[") || is(r, i, "{"))
            round--;
        else if (angle && round == 0 && is(r, i, ">"))
            angles++;
        else if (angle && round == 0 && is(r, i, ">>>"))
            angles += 3;
        else if (angle && round == 0 && is(r, i, "<"))
            angles--;
        if (round < 0 || (angle && is(r, i, ";")))
            return SIZE_MAX;
        if (round == 0 && angles <= 0)
            return i;
        if (i == 0)
            return SIZE_MAX;
    }
}

/* The first token of the expression that names the kernel, which ends before token `end`. */
static size_t kernel_begins(const struct rewriter *r, size_t end)
{
    size_t i = end;
    for (;;) {
        if (i == 0)
            return end;
        size_t last = i - 1;
        /* what follows a name: template arguments, an index, a call */
        while (is(r, last, ">") || is(r, last, ">>>") || is(r, last, "]") || is(r, last, ")")) {
            size_t open = opening(r, last);
            if (open == SIZE_MAX)
                return end;
            i = open;
            if (i == 0)
                return i;
            last = i - 1;
            if (is(r, open, "(") && r->token[last].kind != TOKEN_WORD && !is(r, last, ">") &&
                !is(r, last, ">>>") && !is(r, last, "]") && !is(r, last, ")"))
                return i; /* (kernel)<<<...>>> */
        }
        if (r->token[last].kind != TOKEN_WORD)
            return end;
        i = last;
        if (i > 0 && is(r, i - 1, "template"))
            i--;
        if (i > 0 && is(r, i - 1, "::")) {
            i--;
            bool qualified =
                i > 0 && (is(r, i - 1, ">") ||
                          (r->token[i - 1].kind == TOKEN_WORD && !is(r, i - 1, "return") &&
                           !is(r, i - 1, "else") && !is(r, i - 1, "do")));
            if (!qualified)
                return i;
        } else if (i > 0 && (is(r, i - 1, ".") || is(r, i - 1, "->"))) {
            i--;
        } else {
            return i;
        }
    }
}

/* The ">>>" that ends the configuration behind token `open`, or 0. With spaces in it (`apart`), it is
 * three marks. */
static size_t configuration_ends(const struct rewriter *r, size_t open, bool apart)
{
    int depth = 0;
    for (size_t i = open + 1; i < r->tokens; i++) {
        if (is(r, i, "(") || is(r, i, "[") || is(r, i, "{"))
            depth++;
        else if (is(r, i, ")") || is(r, i, "]") || is(r, i, "}"))
            depth--;
        else if (depth == 0 && is(r, i, ">>>") && is(r, i + 1, "("))
            return i;
        else if (depth == 0 && apart && is(r, i, ">") && is(r, i + 1, ">") && is(r, i + 2, ">") &&
                 is(r, i + 3, "("))
            return i;
        if (depth < 0 || (depth == 0 && is(r, i, ";")))
            return 0;
    }
    return 0;
}

static bool rewrite_launch(struct rewriter *r, size_t open)
{
    size_t begin = kernel_begins(r, open), end = configuration_ends(r, open, false);
    if (!end && (end = configuration_ends(r, open, true)))
        r->token[end].to = r->token[end + 2].to;
    /* What an earlier launch took cannot be the name of this one. */
    if (begin == open || r->token[begin].from < r->copied)
        return error_set(r->error, "%s:%d: no kernel's name before <<<", r->file,
                         r->token[open].line);
    if (!end)
        return error_set(r->error, "%s:%d: no >>>( behind this <<<", r->file, r->token[open].line);
    /* What stands between the tokens of the name (line ends) is kept. */
    bool good = copy_until(r, r->token[begin].from) &&
                rewrite_append(r->to, "::hostcuda::launcher(\"") && append_quoted(r, begin, open) &&
                rewrite_append(r->to, "\", [&](auto hostcuda_take) -> decltype(hostcuda_take(") &&
                append_flat(r, begin, open) &&
                rewrite_append(r->to, ")) { return hostcuda_take(") &&
                append_flat(r, begin, open) &&
                rewrite_append(r->to, "); }, [&](auto &...hostcuda_a) HOSTCUDA_PLAIN { ") &&
                append_flat(r, begin, open) && rewrite_append(r->to, "(hostcuda_a...); }, ");
    good = good && keep_lines(r, r->token[begin].from, r->token[open].to, open);
    r->copied = r->token[open].to;
    r->token[end].closes = true;
    return good || error_set(r->error, "out of memory for %s", r->file);
}

/* ---- extern __shared__ ----------------------------------------------------------------------- */

/* Whether token i begins an attribute that says nothing to g++ here: __align__(16), alignas(16),
 * __attribute__((...)); *behind is the token after it. */
static bool is_attribute(const struct rewriter *r, size_t i, size_t *behind)
{
    if (!is(r, i, "__align__") && !is(r, i, "alignas") && !is(r, i, "__attribute__"))
        return false;
    int depth = 0;
    for (size_t k = i + 1; k < r->tokens; k++) {
        depth += is(r, k, "(") - is(r, k, ")");
        if (depth == 0) {
            *behind = k + 1;
            return true;
        }
    }
    return false;
}

/* Keeps the array's name and type for the report. */
static void note_dynamic(struct rewriter *r, size_t name, const size_t *type, size_t types)
{
    int most = (int)(sizeof r->seen->dynamic / sizeof *r->seen->dynamic);
    if (r->seen->dynamics == most)
        return;
    struct rewrite_dynamic *to = &r->seen->dynamic[r->seen->dynamics++];
    const struct token *token = &r->token[name];
    snprintf(to->name, sizeof to->name, "%.*s", (int)(token->to - token->from),
             r->source + token->from);
    snprintf(to->file, sizeof to->file, "%s", r->file);
    to->line = token->line;
    *to->type = '\0';
    for (size_t i = 0; i < types; i++) {
        size_t used = strlen(to->type);
        token = &r->token[type[i]];
        if (!is(r, type[i], "volatile") && !is(r, type[i], "const"))
            snprintf(to->type + used, sizeof to->type - used, "%s%.*s", used ? " " : "",
                     (int)(token->to - token->from), r->source + token->from);
    }
}

/* What the names of a declaration have in common. */
struct declaration {
    size_t type[64], types; /* its tokens, without attributes */
    bool function;          /* it stands in one, or in a macro */
};

/* Reads what stands before the first name; returns where that is. */
static size_t read_type(const struct rewriter *r, size_t begin, size_t end,
                        struct declaration *declaration)
{
    const size_t most = sizeof declaration->type / sizeof *declaration->type - 4;
    int depth = 0; /* of template arguments, which may hold commas */
    size_t i = begin, after;
    for (; i < end && declaration->types < most; i++) {
        if (!depth) {
            if (is(r, i, "extern") || is(r, i, "__shared__"))
                continue;
            if (is_attribute(r, i, &after)) {
                i = after - 1;
                continue;
            }
            bool name = r->token[i].kind == TOKEN_WORD &&
                        (is(r, i + 1, "[") || is(r, i + 1, ";") || is(r, i + 1, ","));
            if (name && declaration->types)
                break;
        }
        depth += is(r, i, "<") - (depth && is(r, i, ">"));
        declaration->type[declaration->types++] = i;
    }
    return i;
}

static bool append_type(struct rewriter *r, const struct declaration *declaration)
{
    bool good = true;
    for (size_t i = 0; good && i < declaration->types; i++)
        good =
            append_flat(r, declaration->type[i], declaration->type[i] + 1) && append(r->to, " ", 1);
    return good;
}

/* Writes the declaration of one name, whose dimensions end before `end`. In a function it is a
 * reference; outside another name of the same memory, which in templates does not work. */
static bool append_dynamic(struct rewriter *r, const struct declaration *declaration, size_t name,
                           size_t end)
{
    if (declaration->function)
        return append_type(r, declaration) && rewrite_append(r->to, "(&") &&
               append_flat(r, name, name + 1) && rewrite_append(r->to, ")") &&
               append_flat(r, name + 1, end) && rewrite_append(r->to, " = *(") &&
               append_type(r, declaration) && rewrite_append(r->to, "(*)") &&
               append_flat(r, name + 1, end) && rewrite_append(r->to, ")hostcuda_dynamic");
    return rewrite_append(r->to, "extern __thread ") && append_type(r, declaration) &&
           append_flat(r, name, name + 1) && append_flat(r, name + 1, end) &&
           rewrite_append(r->to, " __asm__(\"hostcuda_dynamic\") "
                                 "__attribute__((tls_model(\"local-exec\"), aligned(1024)))");
}

/* extern __shared__ T a[], b[];  in a function:  T (&a)[] = *(T (*)[])hostcuda_dynamic; ...
 * outside:  extern __thread T a[] __asm__("hostcuda_dynamic"); ... */
static bool rewrite_shared(struct rewriter *r, size_t begin, size_t *behind)
{
    struct declaration declaration = {.function =
                                          r->token[begin].function || r->token[begin].directive};
    size_t end = begin;
    while (end < r->tokens && !is(r, end, ";"))
        end++;
    *behind = end;
    if (end == r->tokens)
        return true;
    size_t i = read_type(r, begin, end, &declaration), attribute;
    bool good = copy_until(r, r->token[begin].from);
    for (bool first = true; good && i < end; first = false) {
        size_t name = i++;
        while (i < end && !is(r, i, ",") && !is_attribute(r, i, &attribute))
            i++;
        size_t dims_end = i;
        while (i < end && !is(r, i, ","))
            i++;
        i += i < end;
        note_dynamic(r, name, declaration.type, declaration.types);
        good = (first || rewrite_append(r->to, "; ")) &&
               append_dynamic(r, &declaration, name, dims_end);
    }
    good = good && keep_lines(r, r->token[begin].from, r->token[end].from, begin);
    r->copied = r->token[end].from;
    return good || error_set(r->error, "out of memory for %s", r->file);
}

/* __shared__ is "static thread_local", which alignas must stand before, and beside which no other
 * static may stand. */
static bool rewrite_static(struct rewriter *r, size_t shared)
{
    size_t first = shared, last = shared + 1, behind;
    if (shared > 0 && is(r, shared - 1, "static") && r->token[shared - 1].from >= r->copied)
        first = shared - 1;
    if (is(r, last, "static"))
        last++;
    bool good = copy_until(r, r->token[first].from);
    if (is(r, last, "alignas") && is_attribute(r, last, &behind)) {
        good = good && append_flat(r, last, behind) && append(r->to, " ", 1);
        last = behind;
    }
    good = good && rewrite_append(r->to, "__shared__");
    r->copied = r->token[last - 1].to;
    return good || error_set(r->error, "out of memory for %s", r->file);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Appends the arguments of the template that __global__ is in, where they cannot be deduced from the
 * call: "<float, 32>" for template <typename T, int TILE>. */
static bool note_template(struct rewriter *r, size_t word, struct rewrite_text *list)
{
    struct rewrite_text proposal = {0};
    size_t close = word, open;
    while (close > 0 && r->token[close - 1].kind == TOKEN_WORD)
        close--; /* static, inline */
    if (close == 0 || !is(r, close - 1, ">"))
        return true;
    int depth = 0;
    for (open = close - 1; open > 0; open--) {
        depth += is(r, open, ">") - is(r, open, "<");
        if (!depth)
            break;
    }
    if (open == 0 || !is(r, open - 1, "template"))
        return true;
    bool good = true, wanted = false;
    for (size_t i = open + 1, next; i + 1 < close && good; i = next + 1) {
        bool type = is(r, i, "typename") || is(r, i, "class"), has_default = false;
        for (next = i, depth = 0; next + 1 < close && (depth || !is(r, next, ",")); next++) {
            depth += is(r, next, "<") + is(r, next, "(") - is(r, next, ">") - is(r, next, ")");
            has_default |= depth == 0 && is(r, next, "=");
        }
        if (has_default) /* as those behind it */
            break;
        wanted |= !type;
        good = rewrite_append(&proposal, proposal.length ? ", " : "<") &&
               rewrite_append(&proposal, type               ? "float"
                                         : is(r, i, "bool") ? "true"
                                                            : "32");
    }
    good =
        good && (!wanted || (append(list, proposal.at, proposal.length) && append(list, ">", 1)));
    rewrite_text_free(&proposal);
    return good;
}

/* Keeps the name and the parameters of the kernel that __global__ begins, for who has only kernels. */
static bool note_kernel(struct rewriter *r, size_t word)
{
    struct rewrite_text *to = r->to, list = r->seen->kernel_list;
    size_t open = word + 1, first, behind, from = list.length;
    for (; open < r->tokens && !is(r, open, ";") && !is(r, open, "{"); open++)
        if (is(r, open, "(") && r->token[open - 1].kind == TOKEN_WORD) {
            bool attribute = is(r, open - 1, "__launch_bounds__") ||
                             is_attribute(r, open - 1, &behind) || is(r, open - 1, "__maxnreg__");
            if (!attribute)
                break;
        }
    if (!is(r, open, "("))
        return true;
    r->to = &list; /* append_flat writes there */
    bool good = append_flat(r, open - 1, open) && note_template(r, word, &list);
    int depth = 0, angles = 0;
    size_t i = first = open + 1;
    for (; good && i < r->tokens; i++) {
        bool last = depth == 0 && is(r, i, ")");
        if (last || (depth == 0 && angles == 0 && is(r, i, ","))) {
            good = i == first || (append(&list, "\t", 1) && append_flat(r, first, i));
            first = i + 1;
        }
        if (last)
            break;
        depth += is(r, i, "(") + is(r, i, "[") + is(r, i, "{");
        depth -= is(r, i, ")") + is(r, i, "]") + is(r, i, "}");
        angles += is(r, i, "<") - is(r, i, ">");
    }
    good = good && append(&list, "\n", 1);
    for (size_t k = from; good && k + 1 < list.length; k++)
        if (list.at[k] == '\n')
            list.at[k] = ' ';
    r->to = to;
    r->seen->kernel_list = list;
    return good || error_set(r->error, "out of memory for %s", r->file);
}

/* ---- kernels as void pointers ----------------------------------------------------------------- */

/* Whether `text`, a kernel's name, is in the list, each line of which begins with one. */
static bool listed(const struct rewrite_text *list, const char *text, size_t length)
{
    for (const char *at = list->at; at && *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (!strncmp(at, text, length) && strchr("<\t\n", at[length]))
            return true;
    return false;
}

/* (void *)kernel and reinterpret_cast<void *>(kernel) lose the kernel's parameters, which a node of a
 * graph needs: see struct typed in hostcuda_launch.h. The kernel is one that the sources so far have, or
 * what a node's `func` is set to. */
static bool rewrite_cast(struct rewriter *r, size_t begin)
{
    bool plain = is(r, begin, "(");
    size_t type = begin + (plain ? 1 : 2);
    type += is(r, type, "const");
    if (!is(r, type, "void") || !is(r, type + 1, "*") || !is(r, type + 2, plain ? ")" : ">"))
        return true;
    size_t behind = type + 3, name = behind + !plain;
    name += is(r, name, "&");
    while (is(r, name + 1, "::"))
        name += 2;
    if (name + 1 >= r->tokens || r->token[name].kind != TOKEN_WORD ||
        !strchr(";,}<)", r->source[r->token[name + 1].from]))
        return true;
    const struct token *word = &r->token[name];
    bool field = begin >= 2 && is(r, begin - 1, "=") && is(r, begin - 2, "func");
    if (!field && !listed(&r->seen->kernel_list, r->source + word->from, word->to - word->from))
        return true;
    bool good = copy_until(r, r->token[begin].from) &&
                rewrite_append(r->to, "::hostcuda::typed()->*") &&
                keep_lines(r, r->token[begin].from, r->token[behind - 1].to, begin);
    r->copied = r->token[behind - 1].to;
    return good || error_set(r->error, "out of memory for %s", r->file);
}

/* ---- inline PTX ------------------------------------------------------------------------------- */

/* The next character of a text behind the white space, escapes (\\n) and braces at `at`. */
static const char *ptx_begins(const char *at, const char *end)
{
    while (at < end && (isspace((unsigned char)*at) || strchr("{}\"", *at) ||
                        (*at == '\\' && at + 1 < end && strchr("nrt\n", at[1]))))
        at += *at == '\\' ? 2 : 1;
    return at;
}

/* Whether the literal from..end begins with an instruction of PTX, and not of the processor: its words
 * have a type ("mov.u32") or a guard, and few have none. */
static bool is_ptx(const char *from, const char *end)
{
    static const char *const whole[] = {"trap;", "brkpt;", "exit;",    "nop;",
                                        ".reg ", ".reg.",  ".pragma ", ".shared "};
    if (*from == 'R') /* R"( */
        from += strcspn(from, "(") + 1;
    const char *at = ptx_begins(from, end), *word = at;
    while (at < end && (is_word(*at) || *at == '%'))
        at++;
    if (at < end && at > word && *at == ':' && !isdigit((unsigned char)*word))
        return true; /* a label; the processor's are digits */
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if ((size_t)(end - word) >= strlen(whole[i]) && !strncmp(word, whole[i], strlen(whole[i])))
            return true;
    return (word < end && *word == '@') ||
           (at > word && at + 1 < end && *at == '.' && isalpha((unsigned char)at[1]));
}

/* The ")" of an asm statement whose "(" is token `open`, or 0 if it holds no PTX. */
static size_t ptx_ends(const struct rewriter *r, size_t open)
{
    int depth = 0;
    /* The template goes up to the first ":"; where it is a macro's parameter, nobody can look. */
    bool text = true, first = true, ptx = r->token[open + 1].kind == TOKEN_WORD;
    for (size_t i = open; i < r->tokens; i++) {
        const struct token *token = &r->token[i];
        depth += is(r, i, "(") - is(r, i, ")");
        if (depth == 0)
            return ptx ? i : 0;
        text = text && !(depth == 1 && (is(r, i, ":") || is(r, i, "::")));
        if (text && token->kind == TOKEN_LITERAL && first) {
            ptx = is_ptx(r->source + token->from, r->source + token->to);
            first =
                token->to - token->from <= 2 || /* "" or "{", or nothing but white space */
                ptx_begins(r->source + token->from, r->source + token->to) == r->source + token->to;
        }
    }
    return 0;
}

/* What asm has as [name] "constraint" (expression): tokens. */
struct asm_operand {
    size_t name, literal, open, close; /* name 0: none */
};

/* Reads the one that begins at token i. */
static bool read_operand(const struct rewriter *r, size_t i, size_t end,
                         struct asm_operand *operand)
{
    int depth = 0;
    operand->name = is(r, i, "[") ? i + 1 : 0;
    i += operand->name ? 3 : 0;
    operand->literal = i;
    while (i < end && r->token[i].kind == TOKEN_LITERAL)
        i++;
    operand->open = i;
    if (i == operand->literal || !is(r, i, "("))
        return false;
    for (; i < end; i++) {
        depth += is(r, i, "(") - is(r, i, ")");
        if (depth == 0)
            break;
    }
    operand->close = i;
    return i < end;
}

static bool append_operand(struct rewriter *r, const struct asm_operand *operand, bool output)
{
    return rewrite_append(r->to, output ? ", ::hostcuda::out(" : ", ::hostcuda::in(") &&
           (operand->name
                ? append(r->to, "\"", 1) && append_flat(r, operand->name, operand->name + 1) &&
                      append(r->to, "\"", 1)
                : rewrite_append(r->to, "nullptr")) &&
           append(r->to, ", ", 2) && append_flat(r, operand->literal, operand->open) &&
           append(r->to, ", ", 2) && append_flat(r, operand->open, operand->close + 1) &&
           append(r->to, ")", 1);
}

/* asm volatile("..." : outputs : inputs : clobbers) becomes ::hostcuda::ptx("...", operands), on the line
 * of the last input, which is where nvcc says that the instructions stand. */
static bool rewrite_asm(struct rewriter *r, size_t word)
{
    enum { MOST = 256 }; /* wgmma has some 140 */
    struct asm_operand operand[MOST];
    int operands = 0, outputs = 0, section = 0;
    size_t open = word + 1;
    while (is(r, open, "volatile") || is(r, open, "__volatile__") || is(r, open, "inline"))
        open++;
    size_t end = is(r, open, "(") ? ptx_ends(r, open) : 0, place = word;
    if (!end)
        return true;
    size_t text_end = open + 1;
    while (text_end < end && !is(r, text_end, ":") && !is(r, text_end, "::"))
        text_end++;
    for (size_t i = text_end; i < end; i++) {
        if (is(r, i, ",") || is(r, i, ":") || is(r, i, "::")) {
            section += is(r, i, ":") + 2 * is(r, i, "::");
            if (section > 2)
                break;
            continue;
        }
        if (operands == MOST || !read_operand(r, i, end, &operand[operands]))
            return error_set(r->error, "%s:%d: this operand of asm cannot be read", r->file,
                             r->token[i].line);
        i = operand[operands].close;
        outputs += section == 1;
        if (section == 2)
            place = operand[operands].open + 1;
        operands++;
    }
    /* A text that must stay on its lines: line ends in a raw string, or #if between the literals. */
    bool lines = false;
    for (size_t i = open + 1; i < text_end && !r->token[word].directive; i++)
        lines |= r->token[i].directive ||
                 memchr(r->source + r->token[i].from, '\n', r->token[i].to - r->token[i].from);
    size_t text = r->token[open].to;
    bool good = copy_until(r, r->token[word].from) &&
                (lines ? append_line(r, r->token[place].line)
                       : keep_lines(r, r->token[word].from, r->token[place].from, word)) &&
                rewrite_append(r->to, "::hostcuda::ptx(") &&
                (lines ? append(r->to, r->source + text, r->token[text_end - 1].to - text) &&
                             append(r->to, "\n", 1)
                       : append_flat(r, open + 1, text_end));
    for (int i = 0; good && i < operands; i++)
        good = append_operand(r, &operand[i], i < outputs);
    good = good && append(r->to, ")", 1) &&
           (lines ? append_line(r, r->token[end].line)
                  : keep_lines(r, r->token[place].from, r->token[end].from, word));
    r->copied = r->token[end].to;
    return good || error_set(r->error, "out of memory for %s", r->file);
}

/* ---- includes -------------------------------------------------------------------------------- */

static bool rewrite_one_include(struct rewriter *r, size_t word)
{
    size_t from = r->token[word].to, to;
    while (from < r->length && (r->source[from] == ' ' || r->source[from] == '\t'))
        from++;
    char close = from < r->length && r->source[from] == '"'   ? '"'
                 : from < r->length && r->source[from] == '<' ? '>'
                                                              : '\0';
    char name[512];
    if (!close)
        return true;
    for (to = from + 1; to < r->length && r->source[to] != close && r->source[to] != '\n'; to++)
        continue;
    if (to == r->length || r->source[to] != close || to - from >= sizeof name)
        return true;
    memcpy(name, r->source + from + 1, to - from - 1);
    name[to - from - 1] = '\0';
    const char *path = r->include ? r->include(r->context, name, close == '"') : NULL;
    if (!path)
        return true;
    bool good = copy_until(r, from) && append(r->to, "\"", 1) && rewrite_append(r->to, path) &&
                append(r->to, "\"", 1);
    r->copied = to + 1;
    return good || error_set(r->error, "out of memory for %s", r->file);
}

/* ---- all ------------------------------------------------------------------------------------- */

bool rewrite_source(const char *source, size_t length, const char *file, rewrite_include include,
                    void *context, struct rewrite_text *to, struct rewrite_seen *seen,
                    struct error *error)
{
    struct rewriter r = {.source = source,
                         .file = file,
                         .length = length,
                         .to = to,
                         .seen = seen,
                         .include = include,
                         .context = context,
                         .error = error};
    bool good = tokenize(&r) && find_functions(&r);
    for (size_t i = 0; good && i < r.tokens; i++) {
        if (r.token[i].from < r.copied)
            continue;
        if (r.token[i].opens) {
            seen->launches++;
            good = rewrite_launch(&r, i);
        } else if (r.token[i].closes) {
            good = copy_until(&r, r.token[i].from) && append(r.to, ")", 1);
            r.copied = r.token[i].to;
        } else if (is(&r, i, "extern")) {
            size_t k = i + 1, after;
            while (k < i + 8 && !is(&r, k, "__shared__") && !is(&r, k, ";") && !is(&r, k, "{") &&
                   !is(&r, k, "("))
                k = is_attribute(&r, k, &after) ? after : k + 1;
            if (is(&r, k, "__shared__"))
                good = rewrite_shared(&r, i, &after);
        } else if (is(&r, i, "include") && i > 0 && is(&r, i - 1, "#")) {
            good = rewrite_one_include(&r, i);
        } else if (is(&r, i, "__shared__") ||
                   (is(&r, i, "static") && is(&r, i + 1, "__shared__"))) {
            good = rewrite_static(&r, is(&r, i, "static") ? i + 1 : i);
        } else if (is(&r, i, "__global__")) {
            seen->kernels++;
            good = note_kernel(&r, i);
        } else if (is(&r, i, "(") || is(&r, i, "reinterpret_cast")) {
            good = rewrite_cast(&r, i);
        } else if (is(&r, i, "asm") || is(&r, i, "__asm__") || is(&r, i, "__asm")) {
            good = rewrite_asm(&r, i);
        } else if (is(&r, i, "main") && is(&r, i + 1, "(")) {
            seen->main = true;
        } else if (is(&r, i, "KERNEL") && is(&r, i + 1, "(")) {
            seen->dialect = true;
        }
    }
    good = good && copy_until(&r, length);
    free(r.token);
    return good;
}
