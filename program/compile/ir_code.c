/* ir_code.c - operands, functions, definitions and stores in LLVM's text (ir_value.h). */
#define _GNU_SOURCE /* memmem */
#include "program/compile/ir_value.h"

#include <stdlib.h>
#include <string.h>

static const struct ir_text nothing = {NULL, 0};

bool ir_begins(struct ir_text text, const char *word)
{
    return text.length >= strlen(word) && !memcmp(text.at, word, strlen(word));
}

struct ir_text ir_from(struct ir_text text, size_t at)
{
    while (at < text.length && text.at[at] == ' ')
        at++;
    at = at < text.length ? at : text.length;
    if (!at)
        return text;
    return (struct ir_text){text.at + at, text.length - at};
}

struct ir_text ir_until(struct ir_text text, size_t at)
{
    while (at && text.at[at - 1] == ' ')
        at--;
    return (struct ir_text){text.at, at};
}

int ir_depth_behind(int depth, char c)
{
    return depth + (strchr("([{<", c) != NULL) - (strchr(")]}>", c) != NULL);
}

struct ir_text ir_part(struct ir_text list, int index)
{
    size_t begin = 0;
    int depth = 0;
    for (size_t i = 0; i <= list.length; i++) {
        if (i < list.length && (list.at[i] != ',' || depth)) {
            depth = ir_depth_behind(depth, list.at[i]);
            continue;
        }
        if (!index--)
            return ir_from(ir_until(list, i), begin);
        begin = i + 1;
    }
    return nothing;
}

size_t ir_word_length(struct ir_text text, size_t at)
{
    int depth = 0;
    size_t end = at;
    for (; end < text.length && (depth || text.at[end] != ' '); end++)
        depth = ir_depth_behind(depth, text.at[end]);
    return end - at;
}

static bool is_operation(struct ir_text word)
{
    static const char *const operations[] = {
        "getelementptr", "bitcast", "addrspacecast", "inttoptr", "ptrtoint", "add", "sub", "mul",
        "and",           "or",      "sext",          "zext",     "trunc"};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (ir_is(word, operations[i]))
            return true;
    return false;
}

struct ir_text ir_operand(struct ir_text operand)
{
    struct ir_text last = operand;
    for (size_t at = 0; at < operand.length;) {
        const size_t length = ir_word_length(operand, at);
        const struct ir_text word = {operand.at + at, length};
        last = ir_from(operand, at);
        if (is_operation(word))
            return last;
        at += length;
        while (at < operand.length && operand.at[at] == ' ')
            at++;
    }
    return last;
}

/* ---- functions ------------------------------------------------------------------------------------- */

bool ir_functions(const struct ir *ir, struct ir_function **list, size_t *count,
                  struct error *error)
{
    static const char define[] = "\ndefine ";
    size_t room = 0;
    *list = NULL;
    *count = 0;
    for (const char *at = ir->text; (at = strstr(at, define)) != NULL;) {
        const char *line = at + 1, *end = line + strcspn(line, "\n");
        const char *symbol = memchr(line, '@', (size_t)(end - line)), *stop = strstr(end, "\n}");
        if (!symbol || !stop)
            return true;
        at = stop;
        const char *open = memchr(symbol, '(', (size_t)(end - symbol)), *close = open;
        for (int depth = 0; close && close < end; close++)
            if (!(depth = ir_depth_behind(depth, *close)))
                break;
        if (!open || close >= end)
            continue;
        if (!memory_grow(list, &room, *count + 1, sizeof **list, "functions", error))
            return false;
        (*list)[(*count)++] = (struct ir_function){{symbol + 1, (size_t)(open - symbol - 1)},
                                                   {open + 1, (size_t)(close - open - 1)},
                                                   {end, (size_t)(stop - end)},
                                                   {line, (size_t)(end - line)}};
    }
    return true;
}

bool ir_next_line(struct ir_text body, const char **at, struct ir_text *line, bool *label)
{
    const char *stop = body.at + body.length;
    if (*at >= stop)
        return false;
    const char *end = memchr(*at, '\n', (size_t)(stop - *at));
    end = end ? end : stop;
    *label = **at != ' ' && *at < end;
    *line = ir_from((struct ir_text){*at, (size_t)(end - *at)}, 0);
    *at = end + 1;
    return true;
}

struct ir_text ir_definition(const struct ir_function *function, struct ir_text name,
                             const char **at)
{
    char text[200];
    if (name.length > sizeof text - 10)
        return nothing;
    snprintf(text, sizeof text, "\n  %.*s = ", (int)name.length, name.at);
    const char *found = memmem(function->body.at, function->body.length, text, strlen(text));
    if (!found)
        return nothing;
    *at = found + 1;
    found += strlen(text);
    return (struct ir_text){found, strcspn(found, "\n")};
}

struct ir_text ir_place(struct ir_text line)
{
    const char *at = memmem(line.at, line.length, ", !dbg !", 8);
    return at ? (struct ir_text){at, 8 + strspn(at + 8, "0123456789")} : (struct ir_text){"", 0};
}

/* Whether a line stores something in that variable. */
static bool is_store(struct ir_text line, struct ir_text variable, struct ir_text *stored)
{
    if (!ir_begins(line, "store "))
        return false;
    const struct ir_text operands = ir_from(line, 6), to = ir_operand(ir_part(operands, 1));
    *stored = ir_part(operands, 0);
    return to.at && to.length == variable.length && !memcmp(to.at, variable.at, to.length);
}

bool ir_next_store(const struct ir_function *function, struct ir_text variable, const char **at,
                   struct ir_text *stored)
{
    struct ir_text line;
    bool label;
    *at = *at ? *at : function->body.at;
    while (ir_next_line(function->body, at, &line, &label))
        if (is_store(line, variable, stored)) {
            return true;
        }
    return false;
}

struct ir_text ir_stored_at(const struct ir_function *function, struct ir_text variable,
                            const char *place, const char **where)
{
    const char *at = function->body.at;
    struct ir_text line, stored, last = nothing, only = nothing;
    const char *last_at = NULL, *only_at = NULL;
    int stores = 0;
    bool label;
    while (ir_next_line(function->body, &at, &line, &label)) {
        if (label && line.at <= place)
            last = nothing;
        if (!is_store(line, variable, &stored))
            continue;
        stores++;
        only = stored;
        only_at = line.at;
        if (line.at < place) {
            last = stored;
            last_at = line.at;
        }
    }
    *where = last.at ? last_at : only_at;
    return last.at ? last : stores == 1 ? only : nothing;
}
