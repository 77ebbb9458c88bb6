/* expression.c - numbers out of recordings: the language of lessons (lessons/README.md).
 *
 *     comparison = sum [("==" | "!=" | "<" | "<=" | ">" | ">=") sum]
 *     sum        = product {("+" | "-") product}
 *     product    = unary {("*" | "/" | "%") unary}
 *     unary      = {"-"} primary
 *     primary    = NUMBER | "(" comparison ")" | [LABEL "."] NAME ["(" arguments ")"]
 *                  (a function without arguments and parentheses counts everything)
 *     arguments  = [argument {"," argument}]
 *     argument   = STAGE | NAME "=" (STAGE | OPERATION | WORD | comparison) | comparison
 *     WORD       = letters, digits, _ and . | '"' anything '"'          (kernel, file, array of a report)
 *
 * Evaluated as it is parsed. Numbers are whole, 64 bits, and an overflow is an error. Nesting is
 * limited, so that no text can exhaust the stack.
 */
#include "teach/teach.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NESTING = 64, MAX_NAME = 64, MAX_FUNCTIONS = 64 };

struct parser {
    const char *text, *at;
    const struct recording *recordings;
    const struct recording *report; /* what names mean, or NULL: the latest trace */
    int count;
    int nesting;
    struct error *error;
};

static bool comparison(struct parser *parser, int64_t *value);

/* ---- characters and words ------------------------------------------------------------------ */

static __attribute__((format(printf, 2, 3))) bool fail(struct parser *parser, const char *format,
                                                       ...)
{
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return error_set(parser->error, "\"%.80s\", column %d: %s", parser->text,
                     (int)(parser->at - parser->text) + 1, what);
}

static void skip_space(struct parser *parser)
{
    while (isspace((unsigned char)*parser->at))
        parser->at++;
}

/* Takes the symbol if it comes next. */
static bool accept_symbol(struct parser *parser, const char *symbol)
{
    skip_space(parser);
    if (strncmp(parser->at, symbol, strlen(symbol)) != 0)
        return false;
    parser->at += strlen(symbol);
    return true;
}

static bool expect(struct parser *parser, const char *symbol)
{
    return accept_symbol(parser, symbol) || fail(parser, "expected '%s'", symbol);
}

/* Takes a word of letters, digits, _ and the characters in `also`, which begins with a letter. */
static bool take_word(struct parser *parser, const char *also, char word[MAX_NAME])
{
    size_t length = 0;
    skip_space(parser);
    if (!isalpha((unsigned char)*parser->at))
        return false;
    while (isalnum((unsigned char)parser->at[length]) ||
           (parser->at[length] && strchr(also, parser->at[length])))
        length++;
    if (length >= MAX_NAME)
        return false;
    memcpy(word, parser->at, length);
    word[length] = '\0';
    parser->at += length;
    return true;
}

/* Fails with "there is no KIND 'word'" and the nearest of the names, which end with NULL. */
static bool unknown(struct parser *parser, const char *kind, const char *word,
                    const char *const *names)
{
    struct error cause = {{0}};
    char what[64];
    snprintf(what, sizeof what, "there is no %s", kind);
    error_unknown(&cause, what, word, names, NULL);
    return fail(parser, "%s", cause.text);
}

static bool is_among(const char *word, const char *const *names)
{
    while (*names && strcmp(*names, word))
        names++;
    return *names;
}

/* ---- names and calls ----------------------------------------------------------------------- */

static int64_t pure_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static int64_t pure_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The functions of two numbers. */
static const struct pure {
    const char *name;
    int64_t (*value)(int64_t a, int64_t b);
} PURES[] = {{"gcd", gcd}, {"min", pure_min}, {"max", pure_max}};
enum { PURE_COUNT = sizeof PURES / sizeof PURES[0] };

static bool parse_stage(struct parser *parser, const struct trace *trace, int *stage)
{
    char word[MAX_NAME];
    const struct trace_header *header = &trace->header;
    if (!take_word(parser, "_-", word))
        return fail(parser, "expected the name of a stage");
    *stage = stage_called(header, word);
    if (*stage >= 0)
        return true;
    const char *names[33] = {NULL};
    for (int i = 0; i < header->stages && i < 32; i++)
        names[i] = header->stage[i];
    return unknown(parser, "stage", word, names);
}

/* atomic: of a report only. */
static bool parse_op(struct parser *parser, bool atomic, int *op)
{
    const char *const names[] = {"load", "store", atomic ? "atomic" : NULL, NULL};
    char word[MAX_NAME];
    if (!take_word(parser, "", word))
        return fail(parser, "expected load or store");
    *op = !strcmp(word, "load") ? OP_LOAD : !strcmp(word, "store") ? OP_STORE : OP_ATOMIC;
    return is_among(word, names) || unknown(parser, "operation", word, names);
}

static bool parse_argument(struct parser *parser, const struct trace *trace, bool first,
                           struct selection *selection)
{
    static const char *const names[] = {"stage", "op",   "round",  "slot", "block",
                                        "warp",  "bank", "thread", "line", NULL};
    int *const fields[] = {NULL,
                           NULL,
                           &selection->round,
                           &selection->slot,
                           &selection->block,
                           &selection->warp,
                           &selection->bank,
                           &selection->thread,
                           &selection->line};
    const char *start = parser->at;
    char word[MAX_NAME];
    int64_t value;
    if (!take_word(parser, "_-", word))
        return fail(parser, "expected NAME=VALUE or a stage");
    if (!accept_symbol(parser, "=")) {
        parser->at = start;
        return first ? parse_stage(parser, trace, &selection->stage)
                     : fail(parser, "expected NAME=VALUE");
    }
    if (!strcmp(word, "stage"))
        return parse_stage(parser, trace, &selection->stage);
    if (!strcmp(word, "op"))
        return parse_op(parser, false, &selection->op);
    for (int i = 2; names[i]; i++)
        if (!strcmp(word, names[i])) {
            if (!comparison(parser, &value))
                return false;
            if (value < 0 || value > INT_MAX)
                return fail(parser, "%s cannot be %" PRId64, word, value);
            *fields[i] = (int)value;
            return true;
        }
    return unknown(parser, "argument", word, names);
}

static bool count_selected(struct parser *parser, const struct measure *measure,
                           const struct trace *trace, const struct selection *selection,
                           int64_t *value)
{
    struct error cause = {{0}};
    return measure_run(measure, trace, selection, value, &cause) || fail(parser, "%s", cause.text);
}

static const struct selection everything = {-1, -1, -1, -1, -1, -1, -1, -1, -1};

/* The rest of a call of a trace's function, from behind the parenthesis. */
static bool call_measure(struct parser *parser, const char *name, const struct measure *measure,
                         const struct trace *trace, int64_t *value)
{
    struct selection selection = everything;
    if (!trace)
        return fail(parser, "%s needs a recording, and there is none yet", name);
    if (!accept_symbol(parser, ")")) {
        bool first = true;
        do {
            if (!parse_argument(parser, trace, first, &selection))
                return false;
            first = false;
        } while (accept_symbol(parser, ","));
        if (!expect(parser, ")"))
            return false;
    }
    return count_selected(parser, measure, trace, &selection, value);
}

/* ---- the same of a report ---- */

enum { MAX_QUOTED = 256 };
/* The words of an argument list. */
struct report_words {
    char kernel[MAX_QUOTED], file[MAX_QUOTED], array[MAX_QUOTED];
};

/* A word, or what stands between quotes: "transpose<float, 32>". */
static bool parse_text(struct parser *parser, const char *what, char text[MAX_QUOTED])
{
    skip_space(parser);
    const char quote = *parser->at;
    size_t length;
    if (quote == '"' || quote == '\'') {
        parser->at++;
        length = strcspn(parser->at, (char[]){quote, '\0'});
        if (!parser->at[length])
            return fail(parser, "the name of a %s has no end: expected %c", what, quote);
    } else {
        for (length = 0; isalnum((unsigned char)parser->at[length]) ||
                         (parser->at[length] && strchr("_.", parser->at[length]));)
            length++;
    }
    if (!length || length >= MAX_QUOTED)
        return fail(parser, "expected the name of a %s", what);
    memcpy(text, parser->at, length);
    text[length] = '\0';
    parser->at += length + (quote == '"' || quote == '\'');
    return true;
}

static bool parse_report_argument(struct parser *parser, struct report_words *words,
                                  struct report_selection *selection)
{
    static const char *const names[] = {"kernel", "file", "array", "line", "op", NULL};
    char *const text[] = {words->kernel, words->file, words->array};
    const char **const chosen[] = {&selection->kernel, &selection->file, &selection->array};
    char word[MAX_NAME];
    int64_t value;
    if (!take_word(parser, "_", word) || !accept_symbol(parser, "="))
        return fail(parser, "expected NAME=VALUE, as in line=23");
    for (int i = 0; i < 3; i++)
        if (!strcmp(word, names[i])) {
            *chosen[i] = text[i];
            return parse_text(parser, names[i], text[i]);
        }
    if (!strcmp(word, "op"))
        return parse_op(parser, true, &selection->op);
    if (strcmp(word, "line") != 0)
        return unknown(parser, "argument", word, names);
    if (!comparison(parser, &value))
        return false;
    selection->line = (int)value;
    return (value > 0 && value <= INT_MAX) || fail(parser, "there is no line %" PRId64, value);
}

/* A function, from behind the parenthesis if it has one. */
static bool count_report(struct parser *parser, const char *name, bool arguments, int64_t *value)
{
    struct report_words words;
    struct report_selection selection = {.line = -1, .op = -1};
    const char *const *names = report_measures();
    struct error cause = {{0}};
    if (!is_among(name, names))
        return unknown(parser, "function", name, names);
    if (arguments && !accept_symbol(parser, ")")) {
        do {
            if (!parse_report_argument(parser, &words, &selection))
                return false;
        } while (accept_symbol(parser, ","));
        if (!expect(parser, ")"))
            return false;
    }
    *value = 1;
    return parser->report->unread ||
           report_measure(parser->report->report, name, &selection, value, &cause) ||
           fail(parser, "%s", cause.text);
}

/* ---- calls ---- */

static bool call(struct parser *parser, const char *name, const struct trace *trace, int64_t *value)
{
    const char *names[MAX_FUNCTIONS + 1] = {NULL};
    const struct measure *measure = parser->report ? NULL : measure_find(name);
    int count = 0;
    if (measure)
        return call_measure(parser, name, measure, trace, value);
    while (!parser->report && count < MAX_FUNCTIONS - PURE_COUNT && measure_name(count)) {
        names[count] = measure_name(count);
        count++;
    }
    for (int i = 0; i < PURE_COUNT; i++) {
        int64_t a, b;
        names[count + i] = PURES[i].name;
        if (strcmp(PURES[i].name, name) != 0)
            continue;
        if (!comparison(parser, &a) || !expect(parser, ",") || !comparison(parser, &b) ||
            !expect(parser, ")"))
            return false;
        *value = PURES[i].value(a, b);
        return true;
    }
    if (parser->report)
        return count_report(parser, name, true, value);
    return unknown(parser, "function", name, names);
}

/* A parameter of the kernel, a number of the header, or what a function counts in all. */
static bool plain_name(struct parser *parser, const char *name, const struct trace *trace,
                       int64_t *value)
{
    if (!trace)
        return fail(parser, "%s needs a recording, and there is none yet", name);
    const struct trace_header *header = &trace->header;
    enum { MOST = 64 };
    const char *names[MOST + 1] = {"banks", "bank_bytes", "threads", "blocks"};
    const int fields[] = {header->banks, header->bank_bytes, header->threads, header->blocks};
    int count = 4;
    for (int i = 0; i < header->params; i++) {
        const struct trace_param *param = &header->param[i];
        if (count < MOST)
            names[count++] = param->name;
        if (strcmp(param->name, name) != 0)
            continue;
        char *end = NULL;
        *value = param->word ? strtoll(param->word, &end, 10) : param->number;
        return !param->word || (end > param->word && !*end) ||
               fail(parser, "%s is the word '%s', not a number", name, param->word);
    }
    for (int i = 0; i < 4; i++)
        if (!strcmp(names[i], name)) {
            *value = fields[i];
            return true;
        }
    const struct measure *measure = measure_find(name);
    if (measure)
        return count_selected(parser, measure, trace, &everything, value);
    for (int i = 0; count < MOST && measure_name(i); i++)
        names[count++] = measure_name(i);
    return unknown(parser, "parameter or function", name, names);
}

static bool find_recording(struct parser *parser, const char *label, const struct trace **trace)
{
    const char *names[33] = {NULL};
    int count = 0;
    for (int i = 0; i < parser->count; i++) {
        if (!parser->recordings[i].trace)
            continue;
        if (!strcmp(parser->recordings[i].label, label)) {
            *trace = parser->recordings[i].trace;
            return true;
        }
        if (count < 32)
            names[count++] = parser->recordings[i].label;
    }
    return unknown(parser, "recording", label, names);
}

/* A number that was drawn. */
static bool drawn(const struct parser *parser, const char *name, int64_t *value)
{
    for (int i = 0; i < parser->count; i++)
        if (!parser->recordings[i].trace && !strcmp(parser->recordings[i].label, name)) {
            *value = parser->recordings[i].number;
            return true;
        }
    return false;
}

/* ---- the grammar --------------------------------------------------------------------------- */

static bool parse_number(struct parser *parser, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(parser->at, &end, 10);
    if (errno)
        return fail(parser, "the number is too large");
    parser->at = end;
    return true;
}

static bool primary(struct parser *parser, int64_t *value)
{
    char name[MAX_NAME];
    const struct trace *trace = NULL; /* the latest */
    for (int i = parser->count - 1; i >= 0 && !trace; i--)
        trace = parser->recordings[i].trace;
    skip_space(parser);
    if (isdigit((unsigned char)*parser->at))
        return parse_number(parser, value);
    if (accept_symbol(parser, "("))
        return comparison(parser, value) && expect(parser, ")");
    if (!take_word(parser, "_", name))
        return fail(parser, *parser->at ? "expected a number or a name" : "the end came too soon");
    if (accept_symbol(parser, ".")) {
        if (!find_recording(parser, name, &trace))
            return false;
        if (!take_word(parser, "_", name))
            return fail(parser, "expected a name");
    } else if (drawn(parser, name, value)) {
        return true;
    }
    if (accept_symbol(parser, "("))
        return call(parser, name, trace, value);
    return parser->report ? count_report(parser, name, false, value)
                          : plain_name(parser, name, trace, value);
}

static bool unary(struct parser *parser, int64_t *value)
{
    bool negative = false;
    while (accept_symbol(parser, "-"))
        negative = !negative;
    if (!primary(parser, value))
        return false;
    return !negative || !__builtin_sub_overflow(0, *value, value) ||
           fail(parser, "the number is too large");
}

/* The remainder in 0 .. b - 1, and the quotient that goes with it. */
static bool divide(struct parser *parser, char symbol, int64_t a, int64_t b, int64_t *value)
{
    if (b <= 0 && parser->report && parser->report->unread)
        b = 1;
    if (b == 0)
        return fail(parser, "division by zero");
    if (b < 0)
        return fail(parser, "division by a negative number");
    int64_t rest = a % b < 0 ? a % b + b : a % b;
    *value = symbol == '%' ? rest : a / b - (a % b < 0);
    return true;
}

static bool product(struct parser *parser, int64_t *value)
{
    int64_t right;
    if (!unary(parser, value))
        return false;
    for (;;) {
        skip_space(parser);
        char symbol = *parser->at;
        if (!symbol || !strchr("*/%", symbol))
            return true;
        parser->at++;
        if (!unary(parser, &right))
            return false;
        if (symbol != '*' && !divide(parser, symbol, *value, right, value))
            return false;
        if (symbol == '*' && __builtin_mul_overflow(*value, right, value))
            return fail(parser, "the number is too large");
    }
}

static bool sum(struct parser *parser, int64_t *value)
{
    int64_t right;
    if (!product(parser, value))
        return false;
    for (;;) {
        bool plus = accept_symbol(parser, "+");
        if (!plus && !accept_symbol(parser, "-"))
            return true;
        if (!product(parser, &right))
            return false;
        if (plus ? __builtin_add_overflow(*value, right, value)
                 : __builtin_sub_overflow(*value, right, value))
            return fail(parser, "the number is too large");
    }
}

static bool comparison(struct parser *parser, int64_t *value)
{
    /* Longer symbols first. */
    static const char *const symbols[] = {"==", "!=", "<=", ">=", "<", ">"};
    int64_t right;
    if (++parser->nesting > MAX_NESTING)
        return fail(parser, "nested more than %d deep", MAX_NESTING);
    if (!sum(parser, value))
        return false;
    for (int i = 0; i < 6; i++) {
        if (!accept_symbol(parser, symbols[i]))
            continue;
        if (!sum(parser, &right))
            return false;
        int64_t left = *value;
        const bool results[] = {left == right, left != right, left <= right, left >= right,
                                left<right, left> right};
        *value = results[i];
        break;
    }
    parser->nesting--;
    return true;
}

bool expression_value(const char *text, const struct recording *recordings, int count,
                      int64_t *value, struct error *error)
{
    struct parser parser = {
        .text = text, .at = text, .recordings = recordings, .count = count, .error = error};
    for (int i = 0; i < count; i++)
        if (recordings[i].report || recordings[i].unread)
            parser.report = &recordings[i];
    if (!comparison(&parser, value))
        return false;
    skip_space(&parser);
    return !*parser.at || fail(&parser, "expected an operator or the end");
}
