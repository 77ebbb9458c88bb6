/* names.c - tables of names: a line for each variable, behind it one for each of its members, and one for each
 * function; parts are between tabs.
 *
 *     v  SYMBOL NAME FUNCTION FILE TYPE  LINE SPACE DYNAMIC BYTES ELEMENT  DIM DIM ...
 *     m  NAME TYPE  BYTE
 *     w  OFFSET                   the variable is a view
 *     f  SYMBOL NAME
 */
#include "program/compile/names.h"
#include "system/file.h"
#include "system/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TABLE = 64 << 20, PARTS = 11 + MAX_ARRAY_DIMS };

/* ---- writing ------------------------------------------------------------------------------------- */

/* A text as a part of a line. */
static void put_part(FILE *file, const char *text)
{
    fputc('\t', file);
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' ? ' ' : *text, file);
}

static void put_variable(FILE *file, const struct source_variable *variable)
{
    const char *const texts[] = {variable->symbol, variable->name, variable->function,
                                 variable->file, variable->type};
    fputc('v', file);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put_part(file, texts[i]);
    fprintf(file, "\t%d\t%d\t%d\t%" PRIu64 "\t%d", variable->line, (int)variable->space,
            variable->dynamic, variable->bytes, variable->element);
    for (int i = 0; i < variable->dims; i++)
        fprintf(file, "\t%d", variable->dim[i]);
    fputc('\n', file);
    for (int i = 0; i < variable->members; i++) {
        fputc('m', file);
        put_part(file, variable->member[i].name);
        put_part(file, variable->member[i].type);
        fprintf(file, "\t%d\n", variable->member[i].addr);
    }
    if (variable->offset) {
        fputc('w', file);
        put_part(file, variable->offset);
        fputc('\n', file);
    }
}

bool source_names_write(const struct source_names *names, const char *path, struct error *error)
{
    struct output output;
    if (!output_open(&output, path, error))
        return false;
    for (size_t i = 0; i < names->variables; i++)
        put_variable(output.file, &names->variable[i]);
    for (size_t i = 0; i < names->views; i++)
        put_variable(output.file, &names->view[i]);
    for (size_t i = 0; i < names->functions; i++) {
        fputc('f', output.file);
        put_part(output.file, names->function[i].symbol);
        put_part(output.file, names->function[i].name);
        fputc('\n', output.file);
    }
    return output_close(&output, !ferror(output.file), error);
}

/* ---- reading ------------------------------------------------------------------------------------- */

/* Cuts a line at its tabs; returns how many parts there are. */
static int cut_at_tabs(char *line, char *part[PARTS])
{
    int count = 0;
    for (char *at = line; at && count < PARTS; count++) {
        part[count] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = '\0';
    }
    return count;
}

/* A number from 0 to `most`; -1: it is none. */
static int64_t read_number(const char *text, int64_t most)
{
    char *end;
    const long long value = strtoll(text, &end, 10);
    return *text && !*end && value >= 0 && value <= most ? value : -1;
}

char *source_tidy(char *text)
{
    static const char nameless[] = "(anonymous namespace)::";
    for (char *at; (at = strstr(text, nameless));)
        memmove(at, at + sizeof nameless - 1, strlen(at + sizeof nameless - 1) + 1);
    for (char *at, *end; (at = strstr(text, "_INTERNAL_")) && (end = strstr(at, "::"));)
        memmove(at, end + 2, strlen(end + 2) + 1);
    for (char *at; (at = strstr(text, "> >"));)
        memmove(at + 1, at + 2, strlen(at + 2) + 1);
    return text;
}

static char *clean_copy(const char *text)
{
    return source_tidy(text_clean(memory_copy(text)));
}

static bool read_variable(struct source_names *names, char **part, int parts, struct error *error)
{
    enum { MOST_ELEMENT = 1 << 20 };
    struct source_variable variable = {.dims = parts - 11};
    if (parts < 11)
        return false;
    const int64_t line = read_number(part[6], INT32_MAX),
                  space = read_number(part[7], SOURCE_SPACES - 1);
    const int64_t dynamic = read_number(part[8], 1), bytes = read_number(part[9], INT64_MAX);
    const int64_t element = read_number(part[10], MOST_ELEMENT);
    bool good = line >= 0 && space >= 0 && dynamic >= 0 && bytes >= 0 && element >= 0;
    for (int i = 0; i < variable.dims && good; i++) {
        variable.dim[i] = (int)read_number(part[11 + i], INT32_MAX);
        good = variable.dim[i] > 0;
    }
    if (!good || !memory_grow(&names->variable, &names->variable_room, names->variables + 1,
                              sizeof *names->variable, "variables", error))
        return false;
    variable.symbol = memory_copy(part[1]);
    variable.name = clean_copy(part[2]);
    variable.function = clean_copy(part[3]);
    variable.file = memory_copy(part[4]);
    variable.type = clean_copy(part[5]);
    variable.line = (int)line;
    variable.space = (enum source_space)space;
    variable.dynamic = dynamic;
    variable.bytes = (uint64_t)bytes;
    variable.element = (int)element;
    names->variable[names->variables++] = variable;
    return true;
}

static bool read_member(struct source_names *names, char **part, int parts, struct error *error)
{
    if (parts != 4 || !names->variables || read_number(part[3], INT32_MAX) < 0)
        return false;
    struct source_variable *to = &names->variable[names->variables - 1];
    size_t room = (size_t)to->members;
    if (to->members == MAX_MEMBERS ||
        !memory_grow(&to->member, &room, room + 1, sizeof *to->member, "members", error))
        return false;
    to->member[to->members++] = (struct trace_member){clean_copy(part[1]), clean_copy(part[2]),
                                                      (int)read_number(part[3], INT32_MAX)};
    return true;
}

/* Makes the last variable a view. */
static bool read_view(struct source_names *names, char **part, int parts, struct error *error)
{
    if (parts != 2 || !names->variables ||
        !memory_grow(&names->view, &names->view_room, names->views + 1, sizeof *names->view,
                     "variables", error))
        return false;
    names->view[names->views] = names->variable[--names->variables];
    names->view[names->views++].offset = memory_copy(part[1]);
    return true;
}

static bool read_function(struct source_names *names, char **part, int parts, struct error *error)
{
    if (parts != 3 || !memory_grow(&names->function, &names->function_room, names->functions + 1,
                                   sizeof *names->function, "functions", error))
        return false;
    names->function[names->functions++] =
        (struct source_function){memory_copy(part[1]), clean_copy(part[2])};
    return true;
}

static bool read_line(struct source_names *names, char *line, struct error *error)
{
    char *part[PARTS];
    const int parts = cut_at_tabs(line, part);
    return !strcmp(part[0], "v")   ? read_variable(names, part, parts, error)
           : !strcmp(part[0], "m") ? read_member(names, part, parts, error)
           : !strcmp(part[0], "w") ? read_view(names, part, parts, error)
           : !strcmp(part[0], "f") ? read_function(names, part, parts, error)
                                   : false;
}

bool source_names_read(struct source_names *names, const char *path, struct error *error)
{
    size_t length;
    bool good = true;
    char *text = file_read(path, MOST_TABLE, &length, error);
    if (!text)
        return false;
    for (char *line = text, *end; good && *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end)
            *end++ = '\0';
        good = read_line(names, line, error);
    }
    free(text);
    return good || error_set(error, "%s is no table of names", path);
}

static void free_variable(struct source_variable *variable)
{
    free(variable->symbol);
    free(variable->name);
    free(variable->function);
    free(variable->file);
    free(variable->type);
    free(variable->offset);
    members_free(variable->member, variable->members);
}

void source_names_free(struct source_names *names)
{
    for (size_t i = 0; i < names->variables; i++)
        free_variable(&names->variable[i]);
    for (size_t i = 0; i < names->views; i++)
        free_variable(&names->view[i]);
    free(names->view);
    for (size_t i = 0; i < names->functions; i++) {
        free(names->function[i].symbol);
        free(names->function[i].name);
    }
    free(names->variable);
    free(names->function);
    *names = (struct source_names){.variables = 0};
}

/* ---- symbols -------------------------------------------------------------------------------------- */

/* Past what has digits and is no name: literals (Li32E), references (S1_, T0_), dimensions (A32_), and numbers
 * behind names (_1). */
static const char *skip_number(const char *at)
{
    static const char digits[] = "0123456789";
    const char *stop;
    switch (*at++) {
    case 'L':
        return *at >= 'a' && *at <= 'z' ? at + strcspn(at, "E") : at;
    case 'S':
        stop = at + strspn(at, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        return *stop == '_' ? stop : at;
    case 'T':
    case 'A':
        stop = at + strspn(at, digits);
        return *stop == '_' ? stop : at;
    case '_':
        return at + strspn(at, digits);
    default:
        return at;
    }
}

/* The end of what begins at `at`: a name with its length before it, of which *name is the first letter; or
 * something else. */
static const char *token_end(const char *at, const char **name)
{
    char *letters;
    *name = NULL;
    if (*at < '1' || *at > '9')
        return skip_number(at);
    const size_t length = strtoul(at, &letters, 10);
    if (length > strlen(letters))
        return letters;
    *name = letters;
    return letters + length;
}

/* Whether each compiler has a name of its own for it: a namespace without a name, or what nvcc makes of a static
 * function. */
static bool is_hidden(const char *name)
{
    return !strncmp(name, "_GLOBAL__N_", 11) || !strncmp(name, "_INTERNAL_", 10);
}

/* The next name of a symbol that is not hidden, from *at on, which goes past it. NULL: there is no more. */
static const char *next_name(const char **at, size_t *length)
{
    while (**at) {
        const char *name;
        *at = token_end(*at, &name);
        *length = name ? (size_t)(*at - name) : 0;
        if (name && !is_hidden(name))
            return name;
    }
    return NULL;
}

/* The next part of a symbol that compilers agree on: no hidden names, no L of static functions. */
static const char *next_part(const char **at, size_t *length)
{
    while (**at) {
        const char *begin = *at, *name;
        *at = token_end(begin, &name);
        *length = (size_t)(*at - begin);
        if (!(name && is_hidden(name)) && !(*begin == 'L' && *length == 1))
            return begin;
    }
    return NULL;
}

/* Whether two symbols have the same pieces, which `next` takes out of them one by one. */
static bool are_same(const char *a, const char *b,
                     const char *(*next)(const char **at, size_t *length))
{
    for (;;) {
        size_t length = 0, other = 0;
        const char *x = next(&a, &length), *y = next(&b, &other);
        if (!x || !y)
            return !x && !y;
        if (length != other || memcmp(x, y, length) != 0)
            return false;
    }
}

static bool is_mangled(const char *symbol)
{
    return !strncmp(symbol, "_Z", 2);
}

enum likeness { DIFFERENT, SAME_NAMES, SAME_PARTS, SAME };
static enum likeness compare_names(const char *a, const char *b)
{
    if (!strcmp(a, b))
        return SAME;
    if (!is_mangled(a) || !is_mangled(b))
        return DIFFERENT;
    return are_same(a, b, next_part)   ? SAME_PARTS
           : are_same(a, b, next_name) ? SAME_NAMES
                                       : DIFFERENT;
}

/* The one that is most like a symbol; SIZE_MAX: none is, or several are. symbol: of the first of them, the others
 * follow in steps of `each` bytes. */
static size_t most_like(const char *wanted, char *const *symbol, size_t count, size_t each)
{
    enum likeness best = DIFFERENT;
    size_t found = SIZE_MAX, alike = 0;
    for (size_t i = 0; i < count && best < SAME; i++) {
        const char *own = *(char *const *)((const char *)symbol + i * each);
        const enum likeness like = compare_names(own, wanted);
        if (like > best) {
            best = like;
            found = i;
            alike = 0;
        }
        alike += like && like == best;
    }
    return alike == 1 ? found : SIZE_MAX;
}

const struct source_variable *source_variable(const struct source_names *names, const char *symbol)
{
    const size_t found = names->variables ? most_like(symbol, &names->variable->symbol,
                                                      names->variables, sizeof *names->variable)
                                          : SIZE_MAX;
    return found < names->variables ? &names->variable[found] : NULL;
}

const char *source_viewer(const struct source_names *names, const char *symbol)
{
    enum likeness best = DIFFERENT;
    const char *found = NULL;
    for (size_t i = 0; i < names->views && best < SAME; i++) {
        const char *own = names->view[i].symbol;
        const enum likeness like = compare_names(own, symbol);
        if (like > best || (like && like == best && found && strcmp(own, found) != 0))
            found = like > best ? own : NULL; /* several are alike */
        best = like > best ? like : best;
    }
    return found;
}

const char *source_function(const struct source_names *names, const char *symbol)
{
    const size_t found = names->functions ? most_like(symbol, &names->function->symbol,
                                                      names->functions, sizeof *names->function)
                                          : SIZE_MAX;
    return found < names->functions ? names->function[found].name : NULL;
}

void source_last_name(const char *symbol, char *name, size_t room)
{
    size_t length = strlen(symbol), found = 0;
    const char *last = symbol, *at = symbol;
    for (const char *next; is_mangled(symbol) && (next = next_name(&at, &found)) != NULL;) {
        last = next;
        length = found;
    }
    snprintf(name, room, "%.*s", (int)(length < room ? length : room), last);
}
