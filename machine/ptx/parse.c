/* parse.c - reads the body of a function: its statements, labels and instructions. */
#include "machine/ptx/parser.h"

#include <string.h>

enum { MOST_DEPTH = 64, MOST_ELEMENTS = 256 };

bool parser_refused(struct parser *parser)
{
    return error_set(parser->error, "out of memory for the program's code");
}

bool parser_wrong(struct parser *parser, const char *what)
{
    struct error told = {""};
    const struct ptx_site *site = parser->site < 0 ? NULL : &parser->module->site[parser->site];
    ptx_wrong(parser->unit, &parser->lexer, &told, what);
    return site ? error_set(parser->error, "%.*s:%d: in PTX, %s", SLICE(site->file), site->line,
                            told.text)
                : error_set(parser->error, "%s", told.text);
}

bool parser_expect(struct parser *parser, const char *sign)
{
    if (ptx_accept(&parser->lexer, sign))
        return true;
    char what[32] = "' ' is expected";
    what[1] = sign[0];
    return parser_wrong(parser, what);
}

/* Goes on, past what may stand anywhere: .loc, labels within an operand list are elsewhere's. */
static bool settle(struct parser *parser)
{
    while (ptx_at(&parser->lexer, ".loc") || ptx_at(&parser->lexer, ".file")) {
        bool place = ptx_at(&parser->lexer, ".loc");
        ptx_next(&parser->lexer);
        if (place ? !ptx_read_loc(parser->module, parser->unit, &parser->lexer, &parser->site,
                                  parser->error)
                  : !ptx_read_file(parser->module, parser->unit, &parser->lexer, parser->error))
            return false;
    }
    return true;
}

/* Within an operand list: past places and labels that nothing jumps to (clang's Ltmp1:). */
static bool settle_operand(struct parser *parser)
{
    for (;;) {
        if (!settle(parser))
            return false;
        if (parser->lexer.now.kind == PTX_MARK) {
            ptx_next(&parser->lexer);
        } else if (parser->lexer.now.kind == PTX_WORD &&
                   slice_is(ptx_peek(&parser->lexer).text, ":")) {
            ptx_next(&parser->lexer);
            ptx_next(&parser->lexer);
        } else {
            return true;
        }
    }
}

/* ---- operands -------------------------------------------------------------------------------- */

static bool read_operand(struct parser *parser, struct ptx_operand *operand);

static bool read_elements(struct parser *parser, struct ptx_operand *operand, const char *end)
{
    int room = 0;
    if (++parser->depth > MOST_DEPTH)
        return parser_wrong(parser, "braces nest too deep");
    while (settle_operand(parser) && !ptx_at(&parser->lexer, end)) {
        if (operand->elements >= MOST_ELEMENTS)
            return parser_wrong(parser, "there are too many operands");
        if (!arena_grow(&parser->module->arena, &operand->element, &room, operand->elements + 1,
                        sizeof *operand->element))
            return parser_refused(parser);
        if (!read_operand(parser, &operand->element[operand->elements++]))
            return false;
        if (!settle_operand(parser))
            return false;
        if (!ptx_accept(&parser->lexer, ",") && !ptx_at(&parser->lexer, end))
            return parser_wrong(parser, "',' is expected between operands");
    }
    parser->depth--;
    return parser_expect(parser, end);
}

/* + 4, +-4, - 4 behind an address or a variable */
static bool read_offset(struct parser *parser, int64_t *offset)
{
    while (ptx_at(&parser->lexer, "+") || ptx_at(&parser->lexer, "-")) {
        bool minus = ptx_at(&parser->lexer, "-");
        uint64_t value;
        ptx_next(&parser->lexer);
        minus ^= ptx_accept(&parser->lexer, "-");
        if (parser->lexer.now.kind != PTX_NUMBER ||
            !ptx_number(parser->lexer.now.text, PTX_NONE, minus, &value))
            return parser_wrong(parser, "an offset is expected");
        *offset = (int64_t)((uint64_t)*offset + value);
        ptx_next(&parser->lexer);
    }
    return true;
}

/* [%rd1+4], [name], [%rd1, {%f1, %f2}], [%r1+0], %p; */
static bool read_address(struct parser *parser, struct ptx_operand *operand)
{
    operand->kind = PTX_ADDRESS;
    if (!read_elements(parser, operand, "]"))
        return false;
    if (!operand->elements)
        return parser_wrong(parser, "an address is empty, before");
    operand->offset = operand->element[0].offset;
    operand->element[0].offset = 0;
    return true;
}

static bool read_name(struct parser *parser, struct ptx_operand *operand)
{
    struct slice name = parser->lexer.now.text;
    const struct ptx_local *local = parser_symbol(parser, name);
    struct ptx_symbol *symbol = local ? NULL : ptx_symbol(parser->module, parser->unit, name);
    ptx_next(&parser->lexer);
    operand->text = name;
    operand->scope = parser->scope;
    operand->kind = PTX_NAME;
    if (slice_is(name, "_")) {
        operand->kind = PTX_NOTHING;
    } else if (local && local->reg >= 0) {
        operand->kind = PTX_REG;
        operand->reg = local->reg;
    } else if (local || (symbol && symbol->variable)) {
        operand->kind = PTX_VARIABLE;
        operand->variable = local ? local->variable : symbol->variable;
    } else if (symbol) {
        operand->kind = PTX_FUNCTION;
        operand->function = symbol->function;
    }
    return read_offset(parser, &operand->offset);
}

static bool read_operand(struct parser *parser, struct ptx_operand *operand)
{
    operand->reg = -1;
    if (ptx_accept(&parser->lexer, "!"))
        operand->negated = true;
    if (ptx_accept(&parser->lexer, "-"))
        operand->minus = true;
    if (ptx_accept(&parser->lexer, "{")) {
        operand->kind = PTX_VECTOR;
        return read_elements(parser, operand, "}");
    }
    if (ptx_accept(&parser->lexer, "("))
        return operand->kind = PTX_LIST, read_elements(parser, operand, ")");
    if (ptx_accept(&parser->lexer, "["))
        return read_address(parser, operand);
    if (parser->lexer.now.kind == PTX_NUMBER) {
        operand->kind = PTX_CONSTANT;
        operand->text = parser->lexer.now.text;
        ptx_next(&parser->lexer);
        uint64_t value; /* of an address [4096+8] */
        if (ptx_at(&parser->lexer, "+") &&
            ptx_number(operand->text, PTX_NONE, operand->minus, &value))
            return operand->offset = 0, read_offset(parser, &operand->offset);
        return true;
    }
    if (parser->lexer.now.kind != PTX_WORD)
        return parser_wrong(parser, "an operand is expected");
    return read_name(parser, operand);
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* The place of an instruction: what the last .loc says, or, where it is wanted, its line of the PTX. */
static int site_now(const struct parser *parser)
{
    const struct ptx_unit *unit = parser->unit;
    if (parser->site >= 0 || !parser->module->own_lines)
        return parser->site;
    return ptx_site_number(parser->module,
                           (struct ptx_site){.file = {unit->name, (int)strlen(unit->name)},
                                             .line = parser->lexer.line,
                                             .inlined_at = -1});
}

static struct ptx_instruction *new_instruction(struct parser *parser)
{
    struct ptx_body *body = parser->body;
    if (!arena_grow(&parser->module->arena, &body->instruction, &body->instruction_room,
                    body->instructions + 1, sizeof *body->instruction))
        return parser_refused(parser), NULL;
    struct ptx_instruction *instruction = &body->instruction[body->instructions++];
    instruction->guard = -1;
    instruction->site = site_now(parser);
    instruction->line = parser->lexer.line;
    return instruction;
}

/* add.rn.f32: the opcode and its words */
static bool read_words(struct parser *parser, struct ptx_instruction *instruction)
{
    const char *at = parser->lexer.now.text.at, *end = at + parser->lexer.now.text.length;
    if (parser->lexer.now.kind != PTX_WORD || *at == '.')
        return parser_wrong(parser, "an instruction is expected");
    for (const char *from = at;; from = at + 1) {
        at = memchr(from, '.', (size_t)(end - from));
        struct slice word = {from, (int)((at ? at : end) - from)};
        if (from == parser->lexer.now.text.at)
            instruction->opcode = word;
        else if (instruction->words < PTX_WORDS)
            instruction->word[instruction->words++] = word;
        else
            return parser_wrong(parser, "an instruction has too many words");
        if (!at)
            break;
    }
    ptx_next(&parser->lexer);
    return true;
}

/* @%p1, @!%p1 */
static bool read_guard(struct parser *parser, struct ptx_instruction *instruction)
{
    struct ptx_operand guard = {0};
    ptx_next(&parser->lexer);
    if (!read_operand(parser, &guard))
        return false;
    if (guard.kind != PTX_REG || parser->body->reg[guard.reg].type != PTX_PRED)
        return parser_wrong(parser, "a predicate is expected before an instruction");
    instruction->guard = guard.reg;
    instruction->guard_negated = guard.negated;
    return true;
}

static bool read_operands(struct parser *parser, struct ptx_instruction *instruction)
{
    int room = 0;
    while (settle_operand(parser) && !ptx_at(&parser->lexer, ";")) {
        if (instruction->operands >= MOST_ELEMENTS)
            return parser_wrong(parser, "there are too many operands");
        if (!arena_grow(&parser->module->arena, &instruction->operand, &room,
                        instruction->operands + 1, sizeof *instruction->operand))
            return parser_refused(parser);
        if (!read_operand(parser, &instruction->operand[instruction->operands++]) ||
            !settle_operand(parser))
            return false;
        if (instruction->operands == 1 && ptx_accept(&parser->lexer, "|"))
            instruction->second = true;
        else if (!ptx_accept(&parser->lexer, ",") && !ptx_at(&parser->lexer, ";"))
            return parser_wrong(parser, "',' or ';' is expected behind an operand");
    }
    return ptx_at(&parser->lexer, ";");
}

/* "used_bytes_mask 61695": of the vector that is loaded next, bytes 0-7 and 12-15. */
static void note_used(struct parser *parser, struct slice text)
{
    static const char begin[] = "\"used_bytes_mask ";
    if (!slice_begins(text, begin))
        return;
    parser->used = 0;
    for (int i = sizeof begin - 1; i < text.length && text.at[i] >= '0' && text.at[i] <= '9'; i++)
        parser->used = parser->used * 10 + (uint32_t)(text.at[i] - '0');
}

static bool read_instruction(struct parser *parser)
{
    struct ptx_instruction *instruction = new_instruction(parser);
    const char *from = parser->lexer.now.text.at;
    if (instruction)
        instruction->used = parser->used;
    parser->used = 0;
    if (!instruction || (ptx_at(&parser->lexer, "@") && !read_guard(parser, instruction)) ||
        !read_words(parser, instruction) || !read_operands(parser, instruction))
        return false;
    instruction->text = (struct slice){from, (int)(parser->lexer.now.text.at - from)};
    ptx_next(&parser->lexer);
    return true;
}

/* "bankscope stage load", "bankscope round %r5": an instruction of its own. */
static bool read_mark(struct parser *parser)
{
    struct slice mark = parser->lexer.now.text;
    struct ptx_instruction *instruction = new_instruction(parser);
    struct parser inner = *parser;
    if (!instruction)
        return false;
    instruction->text = mark;
    ptx_lexer_begin(&inner.lexer, mark.at, (size_t)mark.length, parser->lexer.line);
    instruction->opcode = inner.lexer.now.text;
    ptx_next(&inner.lexer);
    instruction->word[instruction->words++] = inner.lexer.now.text;
    const char *rest = inner.lexer.now.text.at + inner.lexer.now.text.length;
    ptx_next(&inner.lexer);
    instruction->operand = arena_new(&parser->module->arena, 2 * sizeof *instruction->operand);
    if (!instruction->operand)
        return parser_refused(parser);
    instruction->operands = 1;
    if (slice_is(instruction->word[0], "round") && inner.lexer.now.kind != PTX_END) {
        if (!read_operand(&inner, instruction->operand))
            return false;
    } else {
        while (*rest == ' ')
            rest++;
        const int length = (int)(mark.at + mark.length - rest);
        const char *number = memchr(rest, '%', (size_t)length);
        if (number) { /* "bankscope stage step-%r5" */
            ptx_lexer_begin(&inner.lexer, number, (size_t)(rest + length - number),
                            parser->lexer.line);
            if (!read_operand(&inner, &instruction->operand[1]))
                return false;
            instruction->operands = 2;
        }
        instruction->operand->kind = PTX_NAME;
        instruction->operand->text = (struct slice){rest, number ? (int)(number - rest) : length};
    }
    ptx_next(&parser->lexer);
    return true;
}

/* NAME: */
static bool read_label(struct parser *parser)
{
    struct slice name = parser->lexer.now.text;
    struct ptx_scope *scope = &parser->body->scope[parser->scope];
    ptx_next(&parser->lexer);
    ptx_next(&parser->lexer);
    if (ptx_accept(&parser->lexer, ".callprototype"))
        return parser_prototype(parser, name);
    if (ptx_accept(&parser->lexer, ".branchtargets")) {
        struct ptx_operand list = {0};
        struct ptx_targets *targets = arena_new(&parser->module->arena, sizeof *targets);
        if (!targets || !names_set(&scope->targets, &parser->module->arena, name, targets))
            return parser_refused(parser);
        if (!read_elements(parser, &list, ";"))
            return false;
        *targets = (struct ptx_targets){list.element, list.elements};
        return true;
    }
    if (ptx_at(&parser->lexer, ".calltargets")) {
        while (parser->lexer.now.kind != PTX_END && !ptx_accept(&parser->lexer, ";"))
            ptx_next(&parser->lexer);
        return true;
    }
    struct ptx_label *label = arena_new(&parser->module->arena, sizeof *label);
    if (!label || !names_set(&scope->label, &parser->module->arena, name, label))
        return parser_refused(parser);
    label->index = parser->body->instructions;
    return true;
}

static bool read_statement(struct parser *parser)
{
    struct ptx_lexer *lexer = &parser->lexer;
    if (!settle(parser))
        return false;
    if (lexer->now.kind == PTX_MARK)
        return read_mark(parser);
    if (ptx_accept(lexer, ";"))
        return true;
    if (ptx_accept(lexer, "{"))
        return ++parser->depth <= MOST_DEPTH ? parser_open_scope(parser)
                                             : parser_wrong(parser, "braces nest too deep");
    if (ptx_at(lexer, "}")) {
        if (parser->body->scope[parser->scope].outer < 0)
            return parser_wrong(parser, "there is a '}' too many");
        parser->depth--;
        parser->scope = parser->body->scope[parser->scope].outer;
        ptx_next(lexer);
        return true;
    }
    if (ptx_accept(lexer, ".reg"))
        return parser_registers(parser);
    if (ptx_accept(lexer, ".local"))
        return parser_variables(parser, PTX_LOCAL);
    if (ptx_accept(lexer, ".param"))
        return parser_variables(parser, PTX_PARAM);
    if (ptx_accept(lexer, ".shared"))
        return parser_variables(parser, PTX_SHARED);
    if (ptx_accept(lexer, ".pragma")) {
        for (; lexer->now.kind != PTX_END && !ptx_accept(lexer, ";"); ptx_next(lexer))
            note_used(parser, lexer->now.text);
        return true;
    }
    if (lexer->now.kind == PTX_WORD && slice_is(ptx_peek(lexer).text, ":"))
        return read_label(parser);
    return read_instruction(parser);
}

/* Marks the labels that something jumps to, and says which is missing. */
static bool want_label(struct parser *parser, const struct ptx_operand *operand)
{
    struct ptx_label *label = ptx_label(parser->body, operand);
    if (!label)
        return error_set(parser->error, "%s: there is no label %.*s in %.*s", parser->unit->name,
                         SLICE(operand->text), SLICE(parser->function->name));
    if (label->index < parser->body->instructions)
        parser->body->instruction[label->index].labelled = true;
    return true;
}

static bool want_labels(struct parser *parser)
{
    for (int i = 0; i < parser->body->instructions; i++) {
        const struct ptx_instruction *instruction = &parser->body->instruction[i];
        if (slice_is(instruction->opcode, "bra") && instruction->operands == 1 &&
            !want_label(parser, instruction->operand))
            return false;
        if (!slice_is(instruction->opcode, "brx") || instruction->operands != 2)
            continue;
        const struct ptx_targets *targets = ptx_targets(parser->body, &instruction->operand[1]);
        for (int k = 0; targets && k < targets->labels; k++)
            if (!want_label(parser, &targets->label[k]))
                return false;
    }
    return true;
}

bool ptx_has(const struct ptx_instruction *instruction, const char *word)
{
    for (int i = 0; i < instruction->words; i++)
        if (slice_is(instruction->word[i], word))
            return true;
    return false;
}

bool ptx_constant(const struct ptx_operand *operand, int64_t *value)
{
    uint64_t bits;
    if (operand->kind != PTX_CONSTANT ||
        !ptx_number(operand->text, PTX_NONE, operand->minus, &bits))
        return false;
    *value = (int64_t)bits;
    return true;
}

bool ptx_parse_body(struct ptx_module *module, struct ptx_function *function, struct error *error)
{
    struct parser parser = {.module = module,
                            .unit = function->unit,
                            .function = function,
                            .error = error,
                            .scope = -1,
                            .site = -1};
    if (function->parsed)
        return true;
    if (!function->body)
        return error_set(error, "%s: the function %.*s is declared but nowhere defined",
                         function->unit->name, SLICE(function->name));
    parser.body = arena_new(&module->arena, sizeof *parser.body);
    if (!parser.body || !parser_open_scope(&parser))
        return parser_refused(&parser);
    for (int i = 0; i < function->parameters; i++)
        if (!parser_declare(&parser, function->parameter[i].name, -1, &function->parameter[i]))
            return false;
    for (int i = 0; i < function->results; i++)
        if (!parser_declare(&parser, function->result[i].name, -1, &function->result[i]))
            return false;
    ptx_lexer_begin(&parser.lexer, function->body, (size_t)(function->body_end - function->body),
                    function->body_line);
    while (parser.lexer.now.kind != PTX_END)
        if (!read_statement(&parser))
            return error->text[0] ? false : parser_wrong(&parser, "this is not understood");
    if (!want_labels(&parser))
        return false;
    function->parsed = parser.body;
    return true;
}
