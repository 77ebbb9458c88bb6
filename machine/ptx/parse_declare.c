/* parse_declare.c - scopes of a function's body, and what is declared in them: registers, variables, prototypes. */
#include "machine/ptx/parser.h"

#include <string.h>

enum { MOST_REGISTERS = 1 << 20 };

bool parser_open_scope(struct parser *parser)
{
    struct ptx_body *body = parser->body;
    if (!arena_grow(&parser->module->arena, &body->scope, &body->scope_room, body->scopes + 1,
                    sizeof *body->scope))
        return parser_refused(parser);
    body->scope[body->scopes].outer = parser->scope;
    parser->scope = body->scopes++;
    return true;
}

static void *find_in_scopes(const struct ptx_body *body, int scope, struct slice name, size_t which)
{
    void *value = NULL;
    for (; scope >= 0 && !value; scope = body->scope[scope].outer)
        value = names_find((const void *)((const char *)&body->scope[scope] + which), name);
    return value;
}

#define FIND(body, scope, name, which)                                                             \
    find_in_scopes(body, scope, name, offsetof(struct ptx_scope, which))

struct ptx_label *ptx_label(const struct ptx_body *body, const struct ptx_operand *operand)
{
    return FIND(body, operand->scope, operand->text, label);
}

struct ptx_targets *ptx_targets(const struct ptx_body *body, const struct ptx_operand *operand)
{
    return FIND(body, operand->scope, operand->text, targets);
}

const struct ptx_local *parser_symbol(const struct parser *parser, struct slice name)
{
    return FIND(parser->body, parser->scope, name, symbol);
}

bool parser_declare(struct parser *parser, struct slice name, int reg,
                    struct ptx_variable *variable)
{
    struct ptx_local *local = arena_new(&parser->module->arena, sizeof *local);
    if (!local)
        return parser_refused(parser);
    *local = (struct ptx_local){reg, variable};
    return names_set(&parser->body->scope[parser->scope].symbol, &parser->module->arena, name,
                     local) ||
           parser_refused(parser);
}

static int new_register(struct parser *parser, struct slice name, int number, enum ptx_type type)
{
    struct ptx_body *body = parser->body;
    if (body->regs >= MOST_REGISTERS)
        return parser_wrong(parser, "there are too many registers, before"), -1;
    if (!arena_grow(&parser->module->arena, &body->reg, &body->reg_room, body->regs + 1,
                    sizeof *body->reg))
        return parser_refused(parser), -1;
    body->reg[body->regs] = (struct ptx_register){name, number, type};
    return body->regs++;
}

/* %r<12>: %r0 to %r11 */
static bool declare_range(struct parser *parser, struct slice name, enum ptx_type type)
{
    uint64_t count;
    if (parser->lexer.now.kind != PTX_NUMBER ||
        !ptx_number(parser->lexer.now.text, PTX_NONE, false, &count) || count > MOST_REGISTERS)
        return parser_wrong(parser, "a number of registers is expected");
    ptx_next(&parser->lexer);
    for (uint64_t i = 0; i < count; i++) {
        char digits[12], *text = digits + sizeof digits;
        uint64_t rest = i;
        do
            *--text = (char)('0' + rest % 10);
        while (rest /= 10);
        int length = (int)(digits + sizeof digits - text);
        char *full = arena_new(&parser->module->arena, (size_t)(name.length + length));
        int reg = full ? new_register(parser, name, (int)i, type) : -1;
        if (reg < 0)
            return parser_refused(parser);
        memcpy(full, name.at, (size_t)name.length);
        memcpy(full + name.length, text, (size_t)length);
        if (!parser_declare(parser, (struct slice){full, name.length + length}, reg, NULL))
            return false;
    }
    return parser_expect(parser, ">");
}

bool parser_registers(struct parser *parser)
{
    struct slice word = parser->lexer.now.text;
    const bool there = word.length > 0; /* the text may end here */
    word.at += there;
    word.length -= there;
    enum ptx_type type = ptx_type_named(word);
    if (!type)
        return parser_wrong(parser, "a register's type is expected");
    ptx_next(&parser->lexer);
    do {
        struct slice name = parser->lexer.now.text;
        if (parser->lexer.now.kind != PTX_WORD)
            return parser_wrong(parser, "a register's name is expected");
        ptx_next(&parser->lexer);
        if (ptx_accept(&parser->lexer, "<")) {
            if (!declare_range(parser, name, type))
                return false;
        } else {
            int reg = new_register(parser, name, -1, type);
            if (reg < 0 || !parser_declare(parser, name, reg, NULL))
                return false;
        }
    } while (ptx_accept(&parser->lexer, ","));
    return parser_expect(parser, ";");
}

bool parser_variables(struct parser *parser, enum ptx_space space)
{
    struct ptx_body *body = parser->body;
    do {
        struct ptx_variable *variable = arena_new(&parser->module->arena, sizeof *variable);
        if (!variable || !arena_grow(&parser->module->arena, &body->local, &body->local_room,
                                     body->locals + 1, sizeof *body->local))
            return parser_refused(parser);
        variable->space = space;
        if (!ptx_read_variable(parser->unit, &parser->lexer, variable, parser->error) ||
            !parser_declare(parser, variable->name, -1, variable))
            return false;
        if (variable->bytes > UINT32_MAX / 64)
            return parser_wrong(parser, "a local variable is too large, before");
        variable->order = 1 << 20 | body->locals;
        body->local[body->locals++] = variable;
    } while (ptx_accept(&parser->lexer, ","));
    return parser_expect(parser, ";");
}

bool parser_prototype(struct parser *parser, struct slice name)
{
    struct ptx_prototype *prototype = arena_new(&parser->module->arena, sizeof *prototype);
    if (!prototype)
        return parser_refused(parser);
    if (ptx_at(&parser->lexer, "(") &&
        !ptx_read_parameters(parser->module, parser->unit, &parser->lexer, &prototype->result,
                             &prototype->results, parser->error))
        return false;
    ptx_accept(&parser->lexer, "_");
    if (ptx_at(&parser->lexer, "(") &&
        !ptx_read_parameters(parser->module, parser->unit, &parser->lexer, &prototype->parameter,
                             &prototype->parameters, parser->error))
        return false;
    while (parser->lexer.now.kind == PTX_WORD) /* .noreturn */
        ptx_next(&parser->lexer);
    if (!names_set(&parser->body->scope[parser->scope].prototype, &parser->module->arena, name,
                   prototype))
        return parser_refused(parser);
    return parser_expect(parser, ";");
}
