/* scan.c - what is in a source before it is compiled: kernels, launches, a main().
 *
 * The source is split into tokens, with comments, literals and directives as in C++. Nothing is expanded, so that
 * what macros make is not seen; that is enough to tell what a file is meant for.
 */
#include "program/program.h"
#include "system/file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SOURCE = 512 << 20 /* bytes of a file */ };
enum token_kind { TOKEN_WORD, TOKEN_LITERAL, TOKEN_MARK };

struct token {
    enum token_kind kind;
    size_t from, to; /* in the source */
};

struct scanner {
    const char *source;
    size_t length;
    struct token *token;
    size_t tokens, room;
    struct error *error;
};

/* ---- tokens ---------------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* The end of a raw string that begins at the quote. */
static size_t raw_end(const struct scanner *r, size_t at)
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
static size_t literal_end(const struct scanner *r, size_t at)
{
    char quote = r->source[at];
    size_t i = at + 1;
    while (i < r->length && r->source[i] != quote && r->source[i] != '\n')
        i += r->source[i] == '\\' && i + 1 < r->length ? 2 : 1;
    return i < r->length && r->source[i] == quote ? i + 1 : i < r->length ? i : r->length;
}

static size_t number_end(const struct scanner *r, size_t at)
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
static size_t mark_length(const struct scanner *r, size_t at)
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

static bool is(const struct scanner *r, size_t token, const char *word)
{
    if (token >= r->tokens)
        return false;
    size_t n = r->token[token].to - r->token[token].from;
    return strlen(word) == n && !memcmp(r->source + r->token[token].from, word, n);
}

/* The end of the token that begins at `from`, and what it is. */
static size_t token_end(const struct scanner *r, size_t from, enum token_kind *kind)
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
static size_t space_end(const struct scanner *r, size_t at)
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

static bool tokenize(struct scanner *r)
{
    for (size_t from = 0, end; from < r->length; from = end) {
        enum token_kind kind = TOKEN_MARK;
        end = space_end(r, from);
        if (end > from)
            continue;
        end = token_end(r, from, &kind);
        if (!memory_grow(&r->token, &r->room, r->tokens + 1, sizeof *r->token, "tokens", r->error))
            return false;
        r->token[r->tokens++] = (struct token){kind, from, end};
    }
    return true;
}

/* Whether token i begins an attribute __align__(16), alignas(16), __attribute__((...)); *behind is the token after it. */
static bool is_attribute(const struct scanner *r, size_t i, size_t *behind)
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

/* ---- kernels --------------------------------------------------------------------------------- */

/* Writes tokens from first to before last, as they stand in the source, on one line. */
static void put_tokens(const struct scanner *r, size_t first, size_t last, FILE *to)
{
    if (first >= last)
        return;
    for (size_t i = r->token[first].from; i < r->token[last - 1].to; i++)
        fputc(r->source[i] == '\n' || r->source[i] == '\t' ? ' ' : r->source[i], to);
}

/* Writes the arguments of the template that __global__ is in, where they cannot be deduced from the
 * call: "<float, 32>" for template <typename T, int TILE>. */
static void put_template(const struct scanner *r, size_t word, FILE *to)
{
    char proposal[200] = "";
    size_t close = word, open, used = 0;
    while (close > 0 && r->token[close - 1].kind == TOKEN_WORD)
        close--; /* static, inline */
    if (close == 0 || !is(r, close - 1, ">"))
        return;
    int depth = 0;
    for (open = close - 1; open > 0; open--) {
        depth += is(r, open, ">") - is(r, open, "<");
        if (!depth)
            break;
    }
    if (open == 0 || !is(r, open - 1, "template"))
        return;
    bool wanted = false;
    for (size_t i = open + 1, next; i + 1 < close && used < sizeof proposal; i = next + 1) {
        bool type = is(r, i, "typename") || is(r, i, "class"), has_default = false;
        for (next = i, depth = 0; next + 1 < close && (depth || !is(r, next, ",")); next++) {
            depth += is(r, next, "<") + is(r, next, "(") - is(r, next, ">") - is(r, next, ")");
            has_default |= depth == 0 && is(r, next, "=");
        }
        if (has_default) /* as those behind it */
            break;
        wanted |= !type;
        used += (size_t)snprintf(proposal + used, sizeof proposal - used, "%s%s", used ? ", " : "",
                                 type               ? "float"
                                 : is(r, i, "bool") ? "true"
                                                    : "32");
    }
    if (wanted && used < sizeof proposal)
        fprintf(to, "<%s>", proposal);
}

/* Writes the name and the parameters of the kernel that __global__ begins, as a line of a kernel_list. */
static void put_kernel(const struct scanner *r, size_t word, FILE *to)
{
    size_t open = word + 1, first, behind;
    for (; open < r->tokens && !is(r, open, ";") && !is(r, open, "{"); open++)
        if (is(r, open, "(") && r->token[open - 1].kind == TOKEN_WORD) {
            bool attribute = is(r, open - 1, "__launch_bounds__") ||
                             is_attribute(r, open - 1, &behind) || is(r, open - 1, "__maxnreg__");
            if (!attribute)
                break;
        }
    if (!is(r, open, "("))
        return;
    put_tokens(r, open - 1, open, to);
    put_template(r, word, to);
    int depth = 0, angles = 0;
    first = open + 1;
    for (size_t i = first; i < r->tokens; i++) {
        bool last = depth == 0 && is(r, i, ")");
        if (last || (depth == 0 && angles == 0 && is(r, i, ","))) {
            if (i > first) {
                fputc('\t', to);
                put_tokens(r, first, i, to);
            }
            first = i + 1;
        }
        if (last)
            break;
        depth += is(r, i, "(") + is(r, i, "[") + is(r, i, "{");
        depth -= is(r, i, ")") + is(r, i, "]") + is(r, i, "}");
        angles += is(r, i, "<") - is(r, i, ">");
    }
    fputc('\n', to);
}

/* Puts KERNEL(name), of which simt_machine.h makes a kernel. */
static void put_dialect(const struct scanner *r, size_t name, FILE *to)
{
    if (!is(r, name + 1, ")"))
        return;
    put_tokens(r, name, name + 1, to);
    fputs("\tconst struct ", to);
    put_tokens(r, name, name + 1, to);
    fputs(" p\tconst int *in\tint *out\n", to);
}

/* Whether an `extern` declares shared memory. */
static bool is_dynamic(const struct scanner *r, size_t i)
{
    size_t k = i + 1, after;
    while (k < i + 8 && !is(r, k, "__shared__") && !is(r, k, ";") && !is(r, k, "{") &&
           !is(r, k, "("))
        k = is_attribute(r, k, &after) ? after : k + 1;
    return is(r, k, "__shared__");
}

/* ---- all ------------------------------------------------------------------------------------- */

static void note_all(const struct scanner *r, struct source_seen *seen, FILE *list)
{
    for (size_t i = 0; i < r->tokens; i++) {
        bool call = is(r, i + 1, "(");
        if (is(r, i, "<<<") || (is(r, i, "<<") && is(r, i + 1, "<")))
            seen->launches++;
        else if (is(r, i, "extern"))
            seen->dynamic = seen->dynamic || is_dynamic(r, i);
        else if (is(r, i, "__global__")) {
            seen->kernels++;
            put_kernel(r, i, list);
        } else if (is(r, i, "main") && call)
            seen->main = true;
        else if (is(r, i, "KERNEL") && call) {
            seen->dialect = true;
            put_dialect(r, i + 2, list);
        }
    }
}

bool source_is_named(const char *path)
{
    static const char *const endings[] = {".cu", ".cpp", ".cc", ".cxx", ".c"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (!strcmp(dot, endings[i]))
            return true;
    return false;
}

bool source_scan(const char *path, struct source_seen *seen, struct error *error)
{
    struct scanner r = {.error = error};
    char *source = file_read(path, MOST_SOURCE, &r.length, error), *text = NULL;
    size_t length = 0;
    r.source = source;
    bool good = source && tokenize(&r);
    FILE *list = good ? open_memstream(&text, &length) : NULL;
    if (good && !list)
        memory_exhausted();
    if (list) {
        if (seen->kernel_list)
            fputs(seen->kernel_list, list);
        note_all(&r, seen, list);
        if (fclose(list))
            memory_exhausted();
        free(seen->kernel_list);
        seen->kernel_list = text;
    }
    free(r.token);
    free(source);
    return good;
}

void seen_free(struct source_seen *seen)
{
    free(seen->kernel_list);
    *seen = (struct source_seen){0};
}

enum program_kind program_kind(const char *path)
{
    struct source_seen seen = {0};
    struct error error = {{0}};
    bool read = source_scan(path, &seen, &error);
    bool plain = seen.launches || seen.kernels;
    enum program_kind kind = !read                    ? PROGRAM_NEITHER
                             : seen.dialect && !plain ? PROGRAM_DIALECT /* a program may have it */
                             : plain || seen.main     ? PROGRAM_PLAIN
                                                      : PROGRAM_NEITHER;
    seen_free(&seen);
    return kind;
}
