/* ir.c - reads the nodes of LLVM's text. */
#define _GNU_SOURCE /* memmem */
#include "program/compile/ir.h"

#include <stdlib.h>
#include <string.h>

static const struct ir_text nothing = {NULL, 0};

/* ---- lines ------------------------------------------------------------------------------------ */

/* The number of "!7 = ..."; SIZE_MAX: the line is no node. */
static size_t number_of(const char *line, const char **behind)
{
    char *end;
    if (line[0] != '!' || line[1] < '0' || line[1] > '9')
        return SIZE_MAX;
    unsigned long number = strtoul(line + 1, &end, 10);
    if (strncmp(end, " = ", 3) != 0)
        return SIZE_MAX;
    *behind = end + 3;
    return number;
}

bool ir_read(struct ir *ir, char *text, size_t length, struct error *error)
{
    enum { MOST_NODES = 1 << 26 };
    size_t room = 0;
    *ir = (struct ir){.text = text, .length = length};
    for (const char *line = text, *end; *line; line = end + (*end == '\n')) {
        const char *behind;
        end = line + strcspn(line, "\n");
        const size_t number = number_of(line, &behind);
        if (number >= MOST_NODES)
            continue;
        if (!memory_grow(&ir->node, &room, number + 1, sizeof *ir->node, "nodes of the program",
                         error)) {
            ir_free(ir);
            return false;
        }
        while (ir->nodes <= number)
            ir->node[ir->nodes++] = nothing;
        ir->node[number] = (struct ir_text){behind, (size_t)(end - behind)};
    }
    return true;
}

void ir_free(struct ir *ir)
{
    free(ir->node);
    *ir = (struct ir){.nodes = 0};
}

static bool has(struct ir_text text, const char *word)
{
    return memmem(text.at, text.length, word, strlen(word)) != NULL;
}

void ir_put(FILE *file, const char *begin, const char *stop)
{
    static const char order[] = "uselistorder ";
    for (const char *line = begin, *end; line < stop; line = end) {
        const char *newline = memchr(line, '\n', (size_t)(stop - line));
        end = newline ? newline + 1 : stop;
        const char *word = line + strspn(line, " ");
        const struct ir_text rest = {word, (size_t)(end - word)};
        if (strncmp(word, order, sizeof order - 1) != 0 ||
            (!has(rest, " asm ") && !has(rest, " @llvm.dbg.value,")))
            fwrite(line, 1, (size_t)(end - line), file);
    }
}

/* ---- nodes ------------------------------------------------------------------------------------ */

bool ir_is(struct ir_text text, const char *word)
{
    return text.at && text.length == strlen(word) && !memcmp(text.at, word, text.length);
}

/* Past "distinct ". */
static struct ir_text plain(struct ir_text node)
{
    static const char distinct[] = "distinct ";
    const size_t length = sizeof distinct - 1;
    if (node.length > length && !memcmp(node.at, distinct, length))
        return (struct ir_text){node.at + length, node.length - length};
    return node;
}

bool ir_is_kind(struct ir_text node, const char *kind)
{
    const size_t length = strlen(kind);
    node = plain(node);
    return node.length > length + 1 && node.at[0] == '!' && !memcmp(node.at + 1, kind, length) &&
           node.at[length + 1] == '(';
}

/* Where a value ends: at a comma or closing bracket that is not inside of it. */
static const char *end_of_value(const char *at, const char *end)
{
    int depth = 0;
    bool quoted = false;
    for (; at < end; at++) {
        if (*at == '"')
            quoted = !quoted; /* a quote in a string is \22 */
        else if (quoted)
            continue;
        else if (*at == '(' || *at == '{')
            depth++;
        else if ((*at == ')' || *at == '}') && depth-- == 0)
            return at;
        else if (*at == ',' && depth == 0)
            return at;
    }
    return end;
}

/* What is inside of the brackets. */
static struct ir_text inside(struct ir_text node, char bracket)
{
    const char *open = node.at ? memchr(node.at, bracket, node.length) : NULL;
    return open ? (struct ir_text){open + 1, node.length - (size_t)(open + 1 - node.at)} : nothing;
}

struct ir_text ir_field(struct ir_text node, const char *name)
{
    const struct ir_text fields = inside(plain(node), '(');
    const size_t length = strlen(name);
    const char *end = fields.at ? fields.at + fields.length : NULL;
    for (const char *at = fields.at, *stop; at && at < end; at = stop + 1) {
        at += strspn(at, " ");
        stop = end_of_value(at, end);
        if ((size_t)(stop - at) > length + 1 && !memcmp(at, name, length) && at[length] == ':') {
            at += length + 1;
            at += strspn(at, " ");
            return (struct ir_text){at, (size_t)(stop - at)};
        }
        if (stop == end || *stop != ',')
            break;
    }
    return nothing;
}

int64_t ir_number(struct ir_text node, const char *name)
{
    const struct ir_text value = ir_field(node, name);
    char *end;
    const int64_t number = value.at ? strtoll(value.at, &end, 10) : 0;
    return value.at && end == value.at + value.length ? number : 0;
}

struct ir_text ir_node(const struct ir *ir, struct ir_text reference)
{
    if (!reference.at || reference.length < 2 || reference.at[0] != '!' || reference.at[1] < '0' ||
        reference.at[1] > '9')
        return nothing;
    const unsigned long number = strtoul(reference.at + 1, NULL, 10);
    return number < ir->nodes ? ir->node[number] : nothing;
}

struct ir_text ir_follow(const struct ir *ir, struct ir_text node, const char *name)
{
    return ir_node(ir, ir_field(node, name));
}

bool ir_next(const struct ir *ir, struct ir_text list, size_t *at, struct ir_text *node)
{
    const struct ir_text items = inside(list, '{');
    const char *end = items.at ? items.at + items.length : NULL;
    if (!items.at || *at >= items.length)
        return false;
    const char *begin = items.at + *at + strspn(items.at + *at, " ");
    const char *stop = end_of_value(begin, end);
    *node = ir_node(ir, (struct ir_text){begin, (size_t)(stop - begin)});
    *at = stop < end && *stop == ',' ? (size_t)(stop + 1 - items.at) : items.length;
    return stop > begin;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

char *ir_string(struct ir_text node, const char *name)
{
    const struct ir_text value = ir_field(node, name);
    char *copy = memory_new(value.length + 1, 1);
    size_t length = 0;
    for (size_t i = 1; i + 1 < value.length && value.at[0] == '"'; i++)
        if (value.at[i] == '\\' && i + 3 < value.length && digit(value.at[i + 1]) >= 0 &&
            digit(value.at[i + 2]) >= 0) { /* \22 */
            copy[length++] = (char)(digit(value.at[i + 1]) * 16 + digit(value.at[i + 2]));
            i += 2;
        } else {
            copy[length++] = value.at[i];
        }
    return copy;
}

/* ---- what nodes mean ---------------------------------------------------------------------------- */

struct ir_text ir_function(const struct ir *ir, struct ir_text scope)
{
    for (int i = 0; i < IR_DEEPEST && scope.at; i++) {
        if (ir_is_kind(scope, "DISubprogram"))
            return scope;
        scope = ir_follow(ir, scope, "scope");
    }
    return nothing;
}

char *ir_path(struct ir_text file)
{
    char *name = ir_string(file, "filename"), *folder = ir_string(file, "directory");
    const size_t room = strlen(name) + strlen(folder) + 2;
    char *path = memory_new(room, 1);
    const bool whole = *name == '/' || !*folder || !*name;
    snprintf(path, room, "%s%s%s", whole ? "" : folder, whole ? "" : "/", name);
    free(name);
    free(folder);
    return path;
}
