/* link.c - which units of a program become one module: those that name device functions or variables that
 * others define. It reads declarations, which begin a line, and nothing else of the PTX:
 *
 *     .extern .func (.param .b32 func_retval0) _Z5twicei       wants _Z5twicei
 *     .visible .func (.param .b32 func_retval0) _Z5twicei(...) has it
 */
#include "program/runtime/code.h"

#include <string.h>

/* A word of PTX: a directive, a name, or one other character; 0: the text is over. */
static size_t word_at(const char *at, const char *end)
{
    size_t length = 0;
    while (at + length < end && (at[length] == '_' || at[length] == '$' || at[length] == '.' ||
                                 at[length] == '%' || (at[length] >= '0' && at[length] <= '9') ||
                                 ((at[length] | 32) >= 'a' && (at[length] | 32) <= 'z')))
        length++;
    return length || at == end ? length : 1;
}

static const char *skip_blank(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

static bool is_word(const char *at, size_t length, const char *word)
{
    return length == strlen(word) && !memcmp(at, word, length);
}

/* The name that a declaration at the begin of a line is about, for functions and for variables of global and
 * constant memory:
 *     .extern .func (.param .b32 func_retval0) _Z5twicei      _Z5twicei
 *     .visible .global .align 4 .u32 counter = 5;              counter
 * Its length; 0: it is about nothing that other units can name. */
static size_t declared_name(const char *at, const char *end, const char **name)
{
    bool function = false, variable = false;
    for (int words = 0; words < 64; words++) {
        at = skip_blank(at, end);
        size_t length = word_at(at, end);
        if (length == 0)
            return 0;
        if (*at == '.') {
            function |= is_word(at, length, ".func");
            variable |= is_word(at, length, ".global") || is_word(at, length, ".const");
        } else if (*at == '(' && function) { /* what it returns */
            while (at < end && *at != ')')
                at++;
            length = at < end;
        } else if ((*at >= '0' && *at <= '9') || *at == '(' || *at == ')' || *at == ',') {
            /* .align 4, .attribute(.managed) */
        } else if (*at == '_' || *at == '$' || ((*at | 32) >= 'a' && (*at | 32) <= 'z')) {
            *name = at;
            return function || variable ? length : 0;
        } else {
            return 0;
        }
        at += length;
    }
    return 0;
}

/* Calls back for each declaration that begins with one of two words. */
static void each_declaration(const struct unit *unit, const char *word, const char *other,
                             void (*call)(void *context, const char *name, size_t length),
                             void *context)
{
    const char *end = unit->text + unit->length;
    for (const char *line = unit->text; line < end;) {
        const char *at = skip_blank(line, end);
        size_t length = word_at(at, end);
        const char *name;
        if (is_word(at, length, word) || is_word(at, length, other)) {
            size_t named = declared_name(at, end, &name);
            if (named)
                call(context, name, named);
        }
        const char *next = memchr(at, '\n', (size_t)(end - at));
        line = next ? next + 1 : end;
    }
}

/* Whether it is a function that the machine itself provides. */
static bool is_given(const char *name, size_t length)
{
    static const char *const given[] = {"vprintf", "malloc", "free", "__assertfail"};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (is_word(name, length, given[i]))
            return true;
    return length > 5 &&
           (!memcmp(name, "__nv_", 5) || !memcmp(name, "cuda", 4) || !memcmp(name, "__cuda", 6));
}

struct wanted {
    struct name {
        const char *at;
        size_t length;
    } * name;
    size_t count, room;
    bool found;
};

static void want(void *context, const char *name, size_t length)
{
    struct wanted *wanted = context;
    if (!is_given(name, length) &&
        runtime_grow(&wanted->name, &wanted->room, wanted->count + 1, sizeof *wanted->name))
        wanted->name[wanted->count++] = (struct name){name, length};
}

static void look(void *context, const char *name, size_t length)
{
    struct wanted *wanted = context;
    for (size_t i = 0; i < wanted->count && !wanted->found; i++)
        wanted->found =
            wanted->name[i].length == length && !memcmp(wanted->name[i].at, name, length);
}

struct runtime_binary *code_leader(struct runtime_binary *binary)
{
    while (binary->leader != binary)
        binary = binary->leader;
    return binary;
}

void code_group(struct runtime_binary *binaries)
{
    for (struct runtime_binary *b = binaries; b; b = b->next) {
        struct wanted wanted = {0};
        for (size_t i = 0; i < b->units && !b->module && !b->image; i++)
            each_declaration(&b->unit[i], ".extern", ".extern", want, &wanted);
        for (struct runtime_binary *o = binaries; o && wanted.count; o = o->next) {
            wanted.found = false;
            for (size_t i = 0; i < o->units && o != b && !o->image && !wanted.found; i++)
                each_declaration(&o->unit[i], ".visible", ".weak", look, &wanted);
            if (wanted.found && !o->module)
                code_leader(o)->leader = code_leader(b);
        }
        runtime_delete(wanted.name);
    }
}
