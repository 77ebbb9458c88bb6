/* variables.c - variables and functions of a program, with their types, out of LLVM's text (ir.h). */
#define _GNU_SOURCE /* memmem */
#include "base/text.h"
#include "program/compile/ir.h"
#include "program/compile/names.h"
#include "system/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SOURCE = 16 << 20, MOST_BYTES = 1 << 30 };

struct reading {
    const struct ir *ir;
    struct source_names *names;
    struct error *error;
};

static const char *find_in(const char *begin, const char *end, const char *word)
{
    return begin && begin < end ? memmem(begin, (size_t)(end - begin), word, strlen(word)) : NULL;
}

static const char *find_word(struct ir_text text, const char *word)
{
    return text.at ? find_in(text.at, text.at + text.length, word) : NULL;
}

/* ---- types ---------------------------------------------------------------------------------------- */

static bool has_tag(struct ir_text type, const char *tag)
{
    return ir_is(ir_field(type, "tag"), tag);
}

/* The type behind const, volatile and names for it; *alias: the last name, for what has none of its own. */
static struct ir_text plain_type(const struct ir *ir, struct ir_text type, struct ir_text *alias)
{
    static const char *const tags[] = {"DW_TAG_typedef", "DW_TAG_const_type",
                                       "DW_TAG_volatile_type", "DW_TAG_restrict_type",
                                       "DW_TAG_atomic_type"};
    *alias = (struct ir_text){NULL, 0};
    for (int i = 0; i < IR_DEEPEST && ir_is_kind(type, "DIDerivedType"); i++) {
        bool behind = false;
        for (size_t k = 0; k < sizeof tags / sizeof *tags; k++)
            behind = behind || has_tag(type, tags[k]);
        if (!behind)
            break;
        if (has_tag(type, "DW_TAG_typedef"))
            *alias = type;
        type = ir_follow(ir, type, "baseType");
    }
    return type;
}

struct ir_text variable_target(const struct ir *ir, struct ir_text type)
{
    struct ir_text ignored;
    type = plain_type(ir, type, &ignored);
    return has_tag(type, "DW_TAG_pointer_type") || has_tag(type, "DW_TAG_reference_type")
               ? ir_follow(ir, type, "baseType")
               : (struct ir_text){NULL, 0};
}

static bool is_struct(struct ir_text type)
{
    return has_tag(type, "DW_TAG_structure_type") || has_tag(type, "DW_TAG_class_type") ||
           has_tag(type, "DW_TAG_union_type");
}

static bool is_array(struct ir_text type)
{
    return has_tag(type, "DW_TAG_array_type");
}

/* A type's own name, or that of its alias; "" for none; for the caller to free. */
static char *own_name(struct ir_text type, struct ir_text alias)
{
    char *name = ir_string(type, "name");
    if (!*name && alias.at) {
        free(name);
        name = ir_string(alias, "name");
    }
    return name;
}

/* What a trace calls it; for the caller to free. */
static char *type_name(const struct ir *ir, struct ir_text type)
{
    struct ir_text alias, ignored;
    char text[300];
    type = plain_type(ir, type, &alias);
    char *name = own_name(type, alias);
    const bool pointer =
        has_tag(type, "DW_TAG_pointer_type") || has_tag(type, "DW_TAG_reference_type");
    if (pointer) {
        const struct ir_text target = plain_type(ir, ir_follow(ir, type, "baseType"), &ignored);
        free(name);
        name = own_name(target, ignored);
        snprintf(text, sizeof text, "%.200s *", *name ? name : target.at ? "unnamed" : "void");
    } else {
        snprintf(text, sizeof text, "%s%.200s",
                 is_struct(type) && !type_bytes(name) ? "struct " : "", *name ? name : "unnamed");
    }
    free(name);
    return memory_copy(text);
}

/* Bytes of a type; 0: not known. */
static uint64_t type_size(const struct ir *ir, struct ir_text type)
{
    struct ir_text alias;
    const int64_t bits = ir_number(plain_type(ir, type, &alias), "size");
    return bits > 0 ? (uint64_t)bits / 8 : 0;
}

/* ---- members ----------------------------------------------------------------------------------------- */

static void add_member(const struct ir *ir, struct source_variable *to, const char *name,
                       struct ir_text type, uint64_t at)
{
    struct error ignored = {{0}};
    size_t room = (size_t)to->members;
    if (at <= INT32_MAX &&
        memory_grow(&to->member, &room, room + 1, sizeof *to->member, "members", &ignored))
        to->member[to->members++] =
            (struct trace_member){memory_copy(name), type_name(ir, type), (int)at};
}

static void add_members(const struct ir *ir, struct source_variable *to, const char *name,
                        struct ir_text type, uint64_t at, int depth);

static void add_elements(const struct ir *ir, struct source_variable *to, const char *name,
                         struct ir_text type, uint64_t at, int depth)
{
    const struct ir_text inner = ir_follow(ir, type, "baseType");
    const uint64_t bytes = type_size(ir, type), each = type_size(ir, inner);
    for (uint64_t i = 0; each && i < bytes / each && to->members < MAX_MEMBERS; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s[%" PRIu64 "]", name, i);
        add_members(ir, to, text, inner, at + i * each, depth + 1);
    }
}

/* Whether a node is a part of a struct's that lies in whole bytes of it. */
static bool is_part(struct ir_text node)
{
    const struct ir_text flags = ir_field(node, "flags");
    const bool own = !find_word(flags, "DIFlagBitField") && !find_word(flags, "DIFlagStaticMember");
    return own && (has_tag(node, "DW_TAG_member") || has_tag(node, "DW_TAG_inheritance"));
}

/* Adds the scalars and vectors of a type at byte `at` of the elements, which is called `name`. A union has
 * none, because nobody knows which one is meant. */
static void add_members(const struct ir *ir, struct source_variable *to, const char *name,
                        struct ir_text type, uint64_t at, int depth)
{
    struct ir_text alias, part;
    size_t next = 0;
    type = plain_type(ir, type, &alias);
    if (depth > 8 || to->members == MAX_MEMBERS || has_tag(type, "DW_TAG_union_type"))
        return;
    if (is_array(type)) {
        add_elements(ir, to, name, type, at, depth);
        return;
    }
    char *known = own_name(type, alias);
    const bool whole = !is_struct(type) || type_bytes(known);
    free(known);
    if (whole) {
        if (depth)
            add_member(ir, to, name, type, at);
        return;
    }
    for (const struct ir_text parts = ir_follow(ir, type, "elements");
         ir_next(ir, parts, &next, &part);) {
        char text[256];
        if (!is_part(part))
            continue;
        char *own = ir_string(part, "name");
        const int64_t bits = ir_number(part, "offset");
        snprintf(text, sizeof text, "%.100s%s%.100s", name, *name && *own ? "." : "", own);
        free(own);
        if (bits >= 0)
            add_members(ir, to, text, ir_follow(ir, part, "baseType"), at + (uint64_t)bits / 8,
                        depth + 1);
    }
}

/* ---- variables ---------------------------------------------------------------------------------------- */

static void add_dims(const struct ir *ir, struct source_variable *to, struct ir_text array)
{
    struct ir_text range;
    size_t next = 0;
    for (const struct ir_text ranges = ir_follow(ir, array, "elements");
         ir_next(ir, ranges, &next, &range);) {
        const int64_t count = ir_number(range, "count");
        if (count > 0 && count <= MOST_BYTES && to->dims < MAX_ARRAY_DIMS)
            to->dim[to->dims++] = (int)count;
    }
}

/* Fills in dimensions, type and members. */
void variable_describe(const struct ir *ir, struct source_variable *to, struct ir_text type)
{
    struct ir_text alias;
    to->bytes = type_size(ir, type);
    type = plain_type(ir, type, &alias);
    for (int i = 0; i < MAX_ARRAY_DIMS && is_array(type); i++) {
        add_dims(ir, to, type);
        type = ir_follow(ir, type, "baseType");
        const struct ir_text element = plain_type(ir, type, &alias);
        if (is_array(element))
            type = element;
    }
    const uint64_t element = type_size(ir, type);
    to->element = element <= MOST_BYTES ? (int)element : 0;
    to->type = type_name(ir, type);
    add_members(ir, to, "", type, 0, 0);
}

/* The part of a struct that begins at a byte and has so many; its name is appended to *name. */
static struct ir_text part_at(const struct ir *ir, struct ir_text type, uint64_t at, uint64_t bytes,
                              char **name)
{
    struct ir_text alias;
    for (int i = 0; i < IR_DEEPEST; i++) {
        struct ir_text part, found = {NULL, 0};
        size_t next = 0;
        type = plain_type(ir, type, &alias);
        if ((!at && type_size(ir, type) == bytes) || !is_struct(type))
            return type;
        for (const struct ir_text parts = ir_follow(ir, type, "elements");
             !found.at && ir_next(ir, parts, &next, &part);) {
            const uint64_t from = (uint64_t)ir_number(part, "offset") / 8;
            const uint64_t size = type_size(ir, ir_follow(ir, part, "baseType"));
            if (is_part(part) && at >= from && at < from + size)
                found = part;
        }
        if (!found.at)
            return type;
        char *own = ir_string(found, "name"),
             *both = memory_new(strlen(*name) + strlen(own) + 2, 1);
        sprintf(both, "%s%s%s", *name, *own ? "." : "", own);
        free(own);
        free(*name);
        *name = both;
        at -= (uint64_t)ir_number(found, "offset") / 8;
        type = ir_follow(ir, found, "baseType");
    }
    return type;
}

/* The first byte and the bytes of a part of a variable that LLVM has taken apart. */
static bool is_fragment(struct ir_text expression, uint64_t *at, uint64_t *bytes)
{
    static const char word[] = "DW_OP_LLVM_fragment, ";
    const char *found = find_word(expression, word);
    char *comma = NULL; /* sscanf would look for the end of the whole text */
    const unsigned long from = found ? strtoul(found + sizeof word - 1, &comma, 10) : 0;
    if (!comma || *comma != ',')
        return false;
    *at = from / 8;
    *bytes = strtoul(comma + 1, NULL, 10) / 8;
    return true;
}

static struct source_variable *new_variable(struct reading *from, char *symbol,
                                            enum source_space space)
{
    struct source_names *names = from->names;
    if (!memory_grow(&names->variable, &names->variable_room, names->variables + 1,
                     sizeof *names->variable, "variables", from->error)) {
        free(symbol);
        return NULL;
    }
    struct source_variable *to = &names->variable[names->variables++];
    *to = (struct source_variable){.symbol = symbol, .space = space};
    return to;
}

static void add_known(struct reading *from, struct ir_text known, char *symbol,
                      enum source_space space)
{
    const struct ir *ir = from->ir;
    const struct ir_text node = ir_follow(ir, known, "var");
    struct source_variable *to = new_variable(from, symbol, space);
    uint64_t at, bytes;
    if (!to)
        return;
    const int64_t line = ir_number(node, "line");
    to->line = line > 0 && line <= INT32_MAX ? (int)line : 0;
    to->name = ir_string(node, "name");
    to->function = ir_string(ir_function(ir, ir_follow(ir, node, "scope")), "name");
    to->file = ir_path(ir_follow(ir, node, "file"));
    struct ir_text type = ir_follow(ir, node, "type");
    const bool fragment = is_fragment(ir_field(known, "expr"), &at, &bytes);
    if (fragment)
        type = part_at(ir, type, at, bytes, &to->name);
    variable_describe(ir, to, type);
    if (fragment)
        to->bytes = bytes;
}

/* ---- dynamic shared memory ------------------------------------------------------------------------------ */

/* `extern __shared__ float tile[];` is told of as [0 x float] only. */
static const char *scalar_name(struct ir_text type)
{
    static const char *const names[][2] = {
        {"float", "float"}, {"double", "double"}, {"half", "__half"}, {"bfloat", "__nv_bfloat16"},
        {"i8", "char"},     {"i16", "short"},     {"i32", "int"},     {"i64", "long long"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ir_is(type, names[i][0]))
            return names[i][1];
    return NULL;
}

/* The struct of that name ("struct.ns::Pair", with or without quotes); at NULL: there is none. */
static struct ir_text struct_named(const struct ir *ir, struct ir_text type)
{
    char name[200];
    struct ir_text found = {NULL, 0};
    while (type.length && (*type.at == '%' || *type.at == '"'))
        type = (struct ir_text){type.at + 1, type.length - 1};
    snprintf(name, sizeof name, "%.*s", (int)type.length, type.at);
    name[strcspn(name, "\"")] = '\0';
    const char *last = strchr(name, '.') ? strchr(name, '.') + 1 : name;
    for (const char *colon; (colon = strstr(last, "::"));)
        last = colon + 2;
    for (size_t i = 0; i < ir->nodes && !found.at; i++) {
        if (!ir_is_kind(ir->node[i], "DICompositeType") || !is_struct(ir->node[i]) ||
            !type_size(ir, ir->node[i]))
            continue;
        char *own = ir_string(ir->node[i], "name");
        if (!strcmp(own, last))
            found = ir->node[i];
        free(own);
    }
    return found;
}

/* The type in a declaration: what is left of "extern __shared__ unsigned int " without CUDA's words. */
static bool declared_type(const char *begin, const char *end, char *type, size_t room)
{
    static const char *const others[] = {"__align__", "alignas", "volatile", "static"};
    bool external = false, shared = false;
    size_t length = 0;
    for (const char *at = begin, *stop; at < end; at = stop) {
        for (stop = at; stop < end && text_is_identifier(*stop); stop++)
            ;
        const size_t word = (size_t)(stop - at);
        bool other = false;
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            other |= word == strlen(others[i]) && !memcmp(at, others[i], word);
        if (!word) {
            stop = at + 1;
            if (*at == '(') { /* of __align__(16) */
                while (stop < end && stop[-1] != ')')
                    stop++;
            } else if (*at == ':' && length && length + 2 < room) {
                type[length++] = ':';
            }
        } else if (word == 6 && !memcmp(at, "extern", word)) {
            external = true;
            length = 0; /* what is before it is of a comment */
        } else if (word == 10 && !memcmp(at, "__shared__", word)) {
            shared = true;
        } else if (!other && length + word + 2 < room) {
            if (length && type[length - 1] != ':')
                type[length++] = ' ';
            memcpy(type + length, at, word);
            length += word;
        }
    }
    type[length] = '\0';
    return external && shared && length;
}

/* Looks a declaration of the array up in a source; *line is where it is. */
static bool find_declaration(const char *source, const char *name, char *type, size_t room,
                             int *line)
{
    const size_t length = strlen(name);
    for (const char *at = source; (at = strstr(at, name)) != NULL; at += length) {
        if ((at > source && text_is_identifier(at[-1])) ||
            at[length + strspn(at + length, " \t\r\n")] != '[')
            continue;
        const char *begin = at;
        while (begin > source && !strchr(";{}", begin[-1]))
            begin--;
        if (!declared_type(begin, at, type, room))
            continue;
        *line = 1;
        for (const char *c = source; c < at; c++)
            *line += *c == '\n';
        return true;
    }
    return false;
}

/* What the source says of it: whether a number has a sign is not told elsewhere. */
static void refine(struct reading *from, struct source_variable *to)
{
    for (size_t i = 0; i < from->ir->nodes; i++) {
        if (!ir_is_kind(from->ir->node[i], "DIFile"))
            continue;
        char *path = ir_path(from->ir->node[i]), type[200];
        struct error ignored = {{0}};
        size_t length;
        char *source =
            strncmp(path, "/usr/", 5) != 0 ? file_read(path, MOST_SOURCE, &length, &ignored) : NULL;
        const bool found =
            source && find_declaration(source, to->name, type, sizeof type, &to->line);
        free(source);
        if (found) {
            free(to->file);
            to->file = path;
            if (type_bytes(type) && type_bytes(type) == to->element) {
                free(to->type);
                to->type = memory_copy(type);
            }
            return;
        }
        free(path);
    }
}

/* `type`: of its elements, as LLVM writes it. */
static void add_dynamic(struct reading *from, struct ir_text type, char *symbol)
{
    const struct ir *ir = from->ir;
    char name[300];
    source_last_name(symbol, name, sizeof name);
    struct source_variable *to = new_variable(from, symbol, SOURCE_SHARED);
    if (!to)
        return;
    const char *scalar = scalar_name(type);
    const struct ir_text known = scalar ? (struct ir_text){NULL, 0} : struct_named(ir, type);
    to->name = memory_copy(name);
    to->function = memory_copy("");
    to->file = memory_copy("");
    to->dynamic = true;
    if (known.at) {
        variable_describe(ir, to, known);
        to->bytes = 0;
    } else {
        to->type = memory_copy(scalar ? scalar : "");
        to->element = scalar ? type_bytes(scalar) : 0;
    }
    refine(from, to);
}

/* ---- globals ---------------------------------------------------------------------------------------------- */

/* The symbol as PTX has it, which has no dots. */
static char *symbol_of(const char *begin, const char *end)
{
    char *symbol = memory_new(3 * (size_t)(end - begin) + 1, 1), *to = symbol;
    for (const char *at = begin; at < end; at++)
        if (*at == '.' || *at == '@')
            to = (char *)memcpy(to, "_$_", 3) + 3;
        else if (*at != '"')
            *to++ = *at;
    return symbol;
}

/* The element's type of "[0 x float], align 4". */
static bool is_open_array(const char *type, const char *end, struct ir_text *element)
{
    static const char begin[] = "[0 x ";
    const char *stop = find_in(type, end, "]");
    if (strncmp(type, begin, sizeof begin - 1) != 0 || !stop)
        return false;
    for (const char *at = stop + 1; at < end && *at == ']'; at++)
        stop = at;
    *element = (struct ir_text){type + sizeof begin - 1, (size_t)(stop - type) - sizeof begin + 1};
    return true;
}

/* @SYMBOL = internal addrspace(3) global TYPE undef, align 4, !dbg !0 */
static void read_global(struct reading *from, const char *line, const char *end)
{
    static const char *const spaces[SOURCE_SPACES] = {"addrspace(3)", "addrspace(1)",
                                                      "addrspace(4)"};
    const char *equals = find_in(line, end, " = "), *space = NULL;
    int which = 0;
    for (; equals && which < SOURCE_SPACES && !space; which++)
        space = find_in(equals, end, spaces[which]);
    if (!space)
        return;
    const enum source_space in = (enum source_space)(which - 1);
    const char *type = find_in(space, end, " global ");
    struct ir_text element;
    bool known = false;
    type = type ? type + 8 : NULL;
    for (const char *dbg = space; (dbg = find_in(dbg, end, "!dbg !")) != NULL; dbg += 6) {
        const struct ir_text reference = {dbg + 5, (size_t)(end - dbg - 5)};
        add_known(from, ir_node(from->ir, reference), symbol_of(line + 1, equals), in);
        known = true;
    }
    if (!known && in == SOURCE_SHARED && type && is_open_array(type, end, &element))
        add_dynamic(from, element, symbol_of(line + 1, equals));
}

static void read_functions(struct reading *from)
{
    struct source_names *names = from->names;
    for (size_t i = 0; i < from->ir->nodes; i++) {
        const struct ir_text node = from->ir->node[i], unit = ir_field(node, "unit");
        if (!ir_is_kind(node, "DISubprogram") || !unit.at)
            continue;
        char *name = ir_string(node, "name"), *symbol = ir_string(node, "linkageName");
        if (!*symbol) { /* extern "C" */
            free(symbol);
            symbol = memory_copy(name);
        }
        if (!*symbol || !memory_grow(&names->function, &names->function_room, names->functions + 1,
                                     sizeof *names->function, "functions", from->error)) {
            free(symbol);
            free(name);
        } else {
            names->function[names->functions++] = (struct source_function){symbol, name};
        }
    }
}

bool variables_read(const struct ir *ir, struct source_names *names, struct error *error)
{
    struct reading from = {ir, names, error};
    for (const char *line = ir->text, *end; *line; line = end + (*end == '\n')) {
        end = line + strcspn(line, "\n");
        if (*line == '@')
            read_global(&from, line, end);
    }
    read_functions(&from);
    return parameters_read(ir, names, error) && !error->text[0];
}
