/* module.c - reads what stands outside of functions: variables and declarations (files and places: module_places.c). */
#include "machine/ptx/ptx.h"

#include <stdio.h>
#include <string.h>

/* ---- types ----------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int bytes;
    bool is_signed, is_float;
} types[PTX_TYPES] = {
    [PTX_NONE] = {"", 0, false, false},
    [PTX_PRED] = {"pred", 0, false, false},
    [PTX_B8] = {"b8", 1, false, false},
    [PTX_U8] = {"u8", 1, false, false},
    [PTX_S8] = {"s8", 1, true, false},
    [PTX_B16] = {"b16", 2, false, false},
    [PTX_U16] = {"u16", 2, false, false},
    [PTX_S16] = {"s16", 2, true, false},
    [PTX_F16] = {"f16", 2, false, true},
    [PTX_BF16] = {"bf16", 2, false, true},
    [PTX_B32] = {"b32", 4, false, false},
    [PTX_U32] = {"u32", 4, false, false},
    [PTX_S32] = {"s32", 4, true, false},
    [PTX_F32] = {"f32", 4, false, true},
    [PTX_F16X2] = {"f16x2", 4, false, true},
    [PTX_BF16X2] = {"bf16x2", 4, false, true},
    [PTX_TF32] = {"tf32", 4, false, true},
    [PTX_B64] = {"b64", 8, false, false},
    [PTX_U64] = {"u64", 8, false, false},
    [PTX_S64] = {"s64", 8, true, false},
    [PTX_F64] = {"f64", 8, false, true},
    [PTX_B128] = {"b128", 16, false, false},
    [PTX_TEXREF] = {"texref", 8, false, false},
    [PTX_SURFREF] = {"surfref", 8, false, false},
    [PTX_SAMPLERREF] = {"samplerref", 8, false, false},
};

enum ptx_type ptx_type_named(struct slice word)
{
    for (int i = PTX_NONE + 1; i < PTX_TYPES; i++)
        if (slice_is(word, types[i].name))
            return (enum ptx_type)i;
    return PTX_NONE;
}

const char *ptx_type_name(enum ptx_type type)
{
    return types[type].name;
}

int ptx_type_bytes(enum ptx_type type)
{
    return types[type].bytes;
}

bool ptx_type_is_signed(enum ptx_type type)
{
    return types[type].is_signed;
}

bool ptx_type_is_float(enum ptx_type type)
{
    return types[type].is_float;
}

/* ---- errors ---------------------------------------------------------------------------------- */

static bool refused(struct error *error)
{
    return error_set(error, "out of memory for the program's code");
}

bool ptx_wrong(const struct ptx_unit *unit, const struct ptx_lexer *lexer, struct error *error,
               const char *what)
{
    if (lexer->now.kind == PTX_END)
        return error_set(error, "%s:%d: %s, at the end of the text", unit->name, lexer->line, what);
    int length = lexer->now.text.length < 60 ? lexer->now.text.length : 60;
    return error_set(error, "%s:%d: %s, at '%.*s'", unit->name, lexer->line, what, length,
                     lexer->now.text.at);
}

bool ptx_read_number(const struct ptx_unit *unit, struct ptx_lexer *lexer, uint64_t *value,
                     struct error *error)
{
    bool minus = ptx_accept(lexer, "-");
    if (lexer->now.kind != PTX_NUMBER || !ptx_number(lexer->now.text, PTX_NONE, minus, value))
        return ptx_wrong(unit, lexer, error, "a whole number is expected");
    ptx_next(lexer);
    return true;
}

/* ---- symbols --------------------------------------------------------------------------------- */

struct ptx_symbol *ptx_symbol(const struct ptx_module *module, const struct ptx_unit *unit,
                              struct slice name)
{
    struct ptx_symbol *own = names_find(&unit->symbols, name);
    bool elsewhere = own && ((own->variable && own->variable->external) ||
                             (own->function && !own->function->body));
    struct ptx_symbol *other = !own || elsewhere ? names_find(&module->exported, name) : NULL;
    return other ? other : own;
}

static bool add_symbol(struct ptx_module *module, struct ptx_unit *unit, struct slice name,
                       struct ptx_symbol value, bool defined, bool visible, struct error *error)
{
    struct ptx_symbol *symbol = names_find(&unit->symbols, name);
    if (!symbol || defined) { /* a declaration does not hide a definition */
        symbol = arena_new(&module->arena, sizeof *symbol);
        if (!symbol || !names_set(&unit->symbols, &module->arena, name, symbol))
            return refused(error);
        *symbol = value;
    }
    if (defined && visible && !names_find(&module->exported, name) &&
        !names_set(&module->exported, &module->arena, name, symbol))
        return refused(error);
    return true;
}

/* ---- variables ------------------------------------------------------------------------------- */

/* [4][8], or [] */
static bool read_dimensions(struct ptx_unit *unit, struct ptx_lexer *lexer,
                            struct ptx_variable *variable, struct error *error)
{
    while (ptx_accept(lexer, "[")) {
        uint64_t count = 0;
        if (ptx_at(lexer, "]"))
            variable->open = true;
        else if (!ptx_read_number(unit, lexer, &count, error))
            return false;
        if (count && variable->bytes > (UINT64_C(1) << 40) / count)
            return ptx_wrong(unit, lexer, error, "this variable is larger than any memory");
        variable->bytes *= count;
        if (!ptx_accept(lexer, "]"))
            return ptx_wrong(unit, lexer, error, "']' is expected");
    }
    return true;
}

static bool read_alignment(struct ptx_unit *unit, struct ptx_lexer *lexer, uint32_t *align,
                           struct error *error)
{
    uint64_t value;
    if (!ptx_read_number(unit, lexer, &value, error))
        return false;
    if (!value || value & (value - 1) || value > 1 << 20)
        return ptx_wrong(unit, lexer, error, "an alignment is a power of two up to 1048576");
    *align = (uint32_t)value;
    return true;
}

bool ptx_read_variable(struct ptx_unit *unit, struct ptx_lexer *lexer,
                       struct ptx_variable *variable, struct error *error)
{
    int elements = 1;
    variable->unit = unit;
    while (lexer->now.kind == PTX_WORD && lexer->now.text.at[0] == '.') {
        struct slice word = {lexer->now.text.at + 1, lexer->now.text.length - 1};
        enum ptx_type type = ptx_type_named(word);
        ptx_next(lexer);
        if (type) {
            variable->type = type;
        } else if (slice_is(word, "align")) {
            /* Behind .ptr it is what a pointer points to. */
            uint32_t align = 1;
            if (!read_alignment(unit, lexer, &align, error))
                return false;
            if (!variable->type || !variable->open)
                variable->align = align;
        } else if (slice_is(word, "v2") || slice_is(word, "v4")) {
            elements = word.at[1] - '0';
        } else if (slice_is(word, "ptr")) {
            variable->open = true; /* until its name is read: see .align */
            variable->pointer = true;
        } else if (slice_is(word, "attribute")) {
            while (lexer->now.kind != PTX_END && !ptx_at(lexer, ")"))
                ptx_next(lexer);

            ptx_next(lexer);
        } else if (!slice_is(word, "global") && !slice_is(word, "shared") &&
                   !slice_is(word, "const") && !slice_is(word, "local") && !slice_is(word, "reg") &&
                   !slice_is(word, "param") && !slice_is(word, "volatile")) {
            return ptx_wrong(unit, lexer, error, "this declaration is not understood, before");
        }
    }
    if (!variable->type || lexer->now.kind != PTX_WORD)
        return ptx_wrong(unit, lexer, error, "a type and a name are expected");
    variable->open = false;
    variable->name = lexer->now.text;
    variable->bytes = (uint64_t)(elements * ptx_type_bytes(variable->type));
    if (variable->type == PTX_PRED)
        variable->bytes = 4;
    if (!variable->align)
        variable->align = (uint32_t)variable->bytes;
    ptx_next(lexer);
    return read_dimensions(unit, lexer, variable, error);
}

bool ptx_read_parameters(struct ptx_module *module, struct ptx_unit *unit, struct ptx_lexer *lexer,
                         struct ptx_variable **variable, int *count, struct error *error)
{
    int room = 0;
    uint32_t offset = 0;
    *count = 0;
    ptx_next(lexer);
    while (!ptx_at(lexer, ")")) {
        if (!arena_grow(&module->arena, variable, &room, *count + 1, sizeof **variable))
            return refused(error);
        struct ptx_variable *next = &(*variable)[*count];
        if (!ptx_read_variable(unit, lexer, next, error))
            return false;
        if (next->bytes > 1 << 20)
            return ptx_wrong(unit, lexer, error, "a parameter is too large, before");
        next->space = PTX_PARAM;
        next->offset = offset = (offset + next->align - 1) & ~(next->align - 1);
        offset += (uint32_t)next->bytes;
        ++*count;
        if (!ptx_accept(lexer, ",") && !ptx_at(lexer, ")"))
            return ptx_wrong(unit, lexer, error, "',' or ')' is expected in a list of parameters");
    }
    ptx_next(lexer);
    return true;
}

/* One value of an initialiser: 12, -1.5, name, name+4, generic(name)+4, 0xff00(name). */
static bool read_value(struct ptx_module *module, struct ptx_unit *unit, struct ptx_lexer *lexer,
                       struct ptx_variable *variable, uint64_t *at, struct error *error)
{
    struct ptx_initialiser *value = arena_new(&module->arena, sizeof *value);
    const int bytes = ptx_type_bytes(variable->type);
    if (!value)
        return refused(error);
    *value = (struct ptx_initialiser){.next = variable->initialiser, .at = *at, .bytes = bytes};
    if (*at + (uint64_t)bytes > variable->bytes)
        return ptx_wrong(unit, lexer, error, "there are more values than the variable holds");
    bool minus = ptx_accept(lexer, "-"), masked = false;
    if (lexer->now.kind == PTX_NUMBER) {
        if (!ptx_number(lexer->now.text, variable->type, minus, &value->value))
            return ptx_wrong(unit, lexer, error, "a number is expected");
        ptx_next(lexer);
        masked = ptx_accept(lexer, "(");
        if (masked) { /* some bytes of an address */
            value->shift = value->value ? __builtin_ctzll(value->value) : 0;
            value->value = 0;
        }
    }
    if (masked || lexer->now.kind == PTX_WORD) {
        bool generic = ptx_accept(lexer, "generic") && ptx_accept(lexer, "(");
        value->symbol = lexer->now.text;
        ptx_next(lexer);
        if (generic && !ptx_accept(lexer, ")"))
            return ptx_wrong(unit, lexer, error, "')' is expected");
        if (ptx_accept(lexer, "+") && !ptx_read_number(unit, lexer, &value->value, error))
            return false;
        if (masked && !ptx_accept(lexer, ")"))
            return ptx_wrong(unit, lexer, error, "')' is expected");
    }
    variable->initialiser = value;
    *at += (uint64_t)bytes;
    return true;
}

static bool read_initialiser(struct ptx_module *module, struct ptx_unit *unit,
                             struct ptx_lexer *lexer, struct ptx_variable *variable,
                             struct error *error)
{
    uint64_t at = 0;
    int depth = 0;
    do {
        if (ptx_accept(lexer, "{"))
            depth++;
        else if (ptx_accept(lexer, "}"))
            depth--;
        else if (lexer->now.kind != PTX_NUMBER && lexer->now.kind != PTX_WORD &&
                 !ptx_at(lexer, "-"))
            return ptx_wrong(unit, lexer, error, "a value is expected");
        else if (!read_value(module, unit, lexer, variable, &at, error))
            return false;
    } while ((ptx_accept(lexer, ",") || depth > 0) && lexer->now.kind != PTX_END);
    return true;
}

/* A variable outside of functions, past its space. */
static bool read_global(struct ptx_module *module, struct ptx_unit *unit, struct ptx_lexer *lexer,
                        enum ptx_space space, bool external, bool visible, struct error *error)
{
    struct ptx_variable *variable = arena_new(&module->arena, sizeof *variable);
    if (!variable || !arena_grow(&module->arena, &module->variable, &module->variable_room,
                                 module->variables + 1, sizeof *module->variable))
        return refused(error);
    variable->space = space;
    variable->external = external && space != PTX_SHARED;
    if (!ptx_read_variable(unit, lexer, variable, error))
        return false;
    if (space == PTX_SHARED)
        variable->open |= external;
    if (ptx_accept(lexer, "=") && !read_initialiser(module, unit, lexer, variable, error))
        return false;
    if (!ptx_accept(lexer, ";"))
        return ptx_wrong(unit, lexer, error, "';' is expected behind a variable");
    variable->order = module->variables;
    module->variable[module->variables++] = variable;
    return add_symbol(module, unit, variable->name, (struct ptx_symbol){.variable = variable},
                      !variable->external, visible, error);
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool read_three(struct ptx_unit *unit, struct ptx_lexer *lexer, uint32_t *three,
                       struct error *error)
{
    for (int i = 0; i < 3; i++) {
        uint64_t value = 1;
        if ((i == 0 || ptx_accept(lexer, ",")) && !ptx_read_number(unit, lexer, &value, error))
            return false;
        three[i] = (uint32_t)value;
    }
    return true;
}

/* .maxntid 256, 1, 1 .minnctapersm 2 ... */
static bool read_properties(struct ptx_unit *unit, struct ptx_lexer *lexer,
                            struct ptx_function *function, struct error *error)
{
    while (!ptx_at(lexer, "{") && !ptx_at(lexer, ";")) {
        if (lexer->now.kind == PTX_END)
            return ptx_wrong(unit, lexer, error, "the function has no body");
        bool required = ptx_at(lexer, ".reqntid"), most = ptx_at(lexer, ".maxntid");
        bool cluster = ptx_at(lexer, ".reqnctapercluster"), rank = ptx_at(lexer, ".maxclusterrank");
        uint64_t value = 0;
        ptx_next(lexer);
        if ((required && !read_three(unit, lexer, function->required, error)) ||
            (most && !read_three(unit, lexer, function->most_threads, error)) ||
            (cluster && !read_three(unit, lexer, function->cluster, error)) ||
            (rank && !ptx_read_number(unit, lexer, &value, error)))
            return false;
        if (rank)
            function->most_cluster = (uint32_t)value;
    }
    return true;
}

/* Past the body, whose .file lines count for the whole unit. */
static bool skip_body(struct ptx_module *module, struct ptx_unit *unit, struct ptx_lexer *lexer,
                      struct ptx_function *function, struct error *error)
{
    int depth = 0;
    function->body = lexer->now.text.at;
    function->body_line = lexer->line;
    do {
        depth += ptx_at(lexer, "{");
        depth -= ptx_at(lexer, "}");
        function->body_end = lexer->now.text.at;
        if (lexer->now.kind == PTX_END)
            return ptx_wrong(unit, lexer, error, "a '}' is missing");
        if (ptx_at(lexer, ".file")) {
            ptx_next(lexer);
            if (!ptx_read_file(module, unit, lexer, error))
                return false;
        } else {
            ptx_next(lexer);
        }
    } while (depth);
    function->body++;
    return true;
}

static bool read_function(struct ptx_module *module, struct ptx_unit *unit, struct ptx_lexer *lexer,
                          bool entry, bool visible, struct error *error)
{
    struct ptx_function *function = arena_new(&module->arena, sizeof *function);
    if (!function || !arena_grow(&module->arena, &module->function, &module->function_room,
                                 module->functions + 1, sizeof *module->function))
        return refused(error);
    function->unit = unit;
    function->entry = entry;
    if (ptx_at(lexer, "(") &&
        !ptx_read_parameters(module, unit, lexer, &function->result, &function->results, error))
        return false;
    if (lexer->now.kind != PTX_WORD)
        return ptx_wrong(unit, lexer, error, "a function's name is expected");
    function->name = lexer->now.text;
    ptx_next(lexer);
    if (ptx_at(lexer, "(") && !ptx_read_parameters(module, unit, lexer, &function->parameter,
                                                   &function->parameters, error))
        return false;
    for (int i = 0; i < function->parameters; i++)
        function->parameter_bytes =
            function->parameter[i].offset + (uint32_t)function->parameter[i].bytes;
    if (entry && function->parameter_bytes > MACHINE_PARAMETERS)
        return error_set(error, "%s:%d: the parameters of %.*s take %u bytes, at most %d",
                         unit->name, lexer->line, SLICE(function->name), function->parameter_bytes,
                         MACHINE_PARAMETERS);
    if (!read_properties(unit, lexer, function, error))
        return false;
    if (ptx_at(lexer, "{") && !skip_body(module, unit, lexer, function, error))
        return false;
    ptx_accept(lexer, ";");
    function->external = !function->body;
    function->number = module->functions;
    module->function[module->functions++] = function;
    return add_symbol(module, unit, function->name, (struct ptx_symbol){.function = function},
                      !function->external, visible || entry, error);
}

static bool read_alias(struct ptx_module *module, struct ptx_unit *unit, struct ptx_lexer *lexer,
                       struct error *error)
{
    struct slice name = lexer->now.text;
    ptx_next(lexer);
    if (!ptx_accept(lexer, ","))
        return ptx_wrong(unit, lexer, error, "',' is expected in .alias");
    struct ptx_symbol *symbol = names_find(&unit->symbols, lexer->now.text);
    if (!symbol || !symbol->function)
        return ptx_wrong(unit, lexer, error, "there is no function of this name");
    ptx_next(lexer);
    return add_symbol(module, unit, name, *symbol, true, true, error);
}

/* ---- the text -------------------------------------------------------------------------------- */

/* The newest PTX whose grammar is known, and the newest GPU (CUDA 13.0). A later 9.x only adds instructions, and those
 * are refused by their names. */
enum { PTX_NEWEST_MAJOR = 9, PTX_NEWEST_TARGET = 121 };

static bool too_new(const struct ptx_unit *unit, const struct ptx_lexer *lexer, struct error *error,
                    const char *what, const char *known)
{
    const struct slice text = lexer->now.text;
    return error_set(
        error,
        "%s:%d: this is %s %.*s, and known is %s: compile it for sm_90 with CUDA 13 or "
        "older, or run a newer bankscope",
        unit->name, lexer->line, what, text.length < 20 ? text.length : 20, text.at, known);
}

static bool read_version(struct ptx_unit *unit, struct ptx_lexer *lexer, struct error *error)
{
    const struct slice text = lexer->now.text;
    int major = 0;
    bool minor = false;
    for (int i = 0; i < text.length && unit->version < 1000; i++) {
        minor |= text.at[i] == '.';
        if (text.at[i] < '0' || text.at[i] > '9')
            continue;
        unit->version = 10 * unit->version + text.at[i] - '0';
        major = minor ? major : unit->version;
    }
    if (major > PTX_NEWEST_MAJOR)
        return too_new(unit, lexer, error, "PTX", "PTX 9");
    ptx_next(lexer);
    return true;
}

/* sm_90a, texmode_independent, debug */
static bool read_target(struct ptx_unit *unit, struct ptx_lexer *lexer, struct error *error)
{
    do {
        const struct slice text = lexer->now.text;
        if (slice_begins(text, "sm_") || slice_begins(text, "compute_"))
            for (int i = 0; i < text.length && unit->target < 1000; i++)
                if (text.at[i] >= '0' && text.at[i] <= '9')
                    unit->target = 10 * unit->target + text.at[i] - '0';
        if (unit->target > PTX_NEWEST_TARGET)
            return too_new(unit, lexer, error, "code for", "up to sm_121");
        ptx_next(lexer);
    } while (ptx_accept(lexer, ","));
    return true;
}

static bool read_declaration(struct ptx_module *module, struct ptx_unit *unit,
                             struct ptx_lexer *lexer, struct error *error)
{
    static const struct {
        const char *word;
        enum ptx_space space;
    } spaces[] = {{".global", PTX_GLOBAL}, {".const", PTX_CONST}, {".shared", PTX_SHARED}};
    bool external = false, visible = false;
    for (;;) {
        if (ptx_at(lexer, ".visible") || ptx_at(lexer, ".weak") || ptx_at(lexer, ".common"))
            visible = true;
        else if (ptx_at(lexer, ".extern"))
            external = true;
        else
            break;
        ptx_next(lexer);
    }
    if (ptx_accept(lexer, ".entry"))
        return read_function(module, unit, lexer, true, visible, error);
    if (ptx_accept(lexer, ".func")) {
        while (lexer->now.kind == PTX_WORD && lexer->now.text.at[0] == '.')
            ptx_next(lexer); /* .noreturn, .attribute... */
        return read_function(module, unit, lexer, false, visible, error);
    }
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (ptx_accept(lexer, spaces[i].word))
            return read_global(module, unit, lexer, spaces[i].space, external, visible, error);
    return ptx_wrong(unit, lexer, error, "a function or a variable is expected");
}

static bool read_statement(struct ptx_module *module, struct ptx_unit *unit,
                           struct ptx_lexer *lexer, struct error *error)
{
    int ignored;
    if (lexer->now.kind == PTX_MARK)
        return ptx_next(lexer), true;
    if (ptx_accept(lexer, ".version"))
        return read_version(unit, lexer, error);
    if (ptx_accept(lexer, ".target"))
        return read_target(unit, lexer, error);
    if (ptx_accept(lexer, ".address_size"))
        return ptx_read_number(unit, lexer, &(uint64_t){0}, error);
    if (ptx_accept(lexer, ".file"))
        return ptx_read_file(module, unit, lexer, error);
    if (ptx_accept(lexer, ".loc"))
        return ptx_read_loc(module, unit, lexer, &ignored, error);
    if (ptx_accept(lexer, ".section"))
        return ptx_read_section(module, unit, lexer, error);
    if (ptx_accept(lexer, ".alias"))
        return read_alias(module, unit, lexer, error) && ptx_accept(lexer, ";");
    if (ptx_accept(lexer, ".pragma")) {
        while (lexer->now.kind != PTX_END && !ptx_accept(lexer, ";"))
            ptx_next(lexer);
        return true;
    }
    if (ptx_accept(lexer, ";"))
        return true;
    return read_declaration(module, unit, lexer, error);
}

/* The strings stand behind the functions whose places name them. */
static bool read_strings(struct ptx_module *module, struct ptx_unit *unit, struct error *error)
{
    static const char begin[] = ".section";
    const char *at = unit->text.at, *end = at + unit->text.length;
    while (at && (size_t)(end - at) > sizeof begin) {
        at = memchr(at, begin[0], (size_t)(end - at) - sizeof begin);
        if (at && !memcmp(at, begin, sizeof begin - 1)) {
            struct ptx_lexer lexer;
            ptx_lexer_begin(&lexer, at, (size_t)(end - at), 1);
            ptx_next(&lexer);
            if (ptx_at(&lexer, ".debug_str"))
                return ptx_read_section(module, unit, &lexer, error);
        }
        if (at)
            at++;
    }
    return true;
}

bool ptx_read(struct ptx_module *module, const struct machine_text *text, struct error *error)
{
    struct ptx_unit *unit = arena_new(&module->arena, sizeof *unit);
    struct ptx_lexer lexer;
    if (!unit)
        return refused(error);
    if (text->length > INT32_MAX / 2)
        return error_set(error, "%s: a text of PTX of over 1 GiB", text->name);
    unit->next = module->unit;
    module->unit = unit;
    unit->name = text->name ? text->name : "PTX";
    unit->text = (struct slice){text->text, (int)text->length};
    size_t head = text->length < 400 ? text->length : 400;
    for (size_t i = 0; i + 4 < head; i++)
        unit->from_llvm |= !memcmp(text->text + i, "LLVM", 4);
    ptx_lexer_begin(&lexer, text->text, text->length, 1);
    if (!read_strings(module, unit, error))
        return false;
    while (lexer.now.kind != PTX_END)
        if (!read_statement(module, unit, &lexer, error))
            return error->text[0] ? false
                                  : ptx_wrong(unit, &lexer, error, "this is not understood");
    if (!unit->version || !unit->target)
        return error_set(error, "%s: this is no PTX: it has no .version or no .target", unit->name);
    return true;
}

bool ptx_link(struct ptx_module *module, struct error *error)
{
    for (int i = 0; i < module->variables; i++) {
        struct ptx_variable *variable = module->variable[i];
        struct ptx_symbol *symbol = ptx_symbol(module, variable->unit, variable->name);
        if (variable->external && (!symbol || !symbol->variable || symbol->variable->external))
            return error_set(error, "%s: the variable %.*s is declared but nowhere defined",
                             variable->unit->name, SLICE(variable->name));
    }
    return true;
}
