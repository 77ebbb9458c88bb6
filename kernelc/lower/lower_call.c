/* lower_call.c - calls: inlined, or by PTX's calls where functions recur or are pointed to; inline PTX. */
#include "kernelc/code.h"

#include <string.h>

/* ---- inlining ----------------------------------------------------------------------------------- */

static struct location *kept(struct lowering *l, struct location location)
{
    struct location *copy = KC_NEW(l->c, struct location);
    *copy = location;
    return copy;
}

/* A parameter: the argument itself where it is a reference, else a copy. */
static struct location *bound(struct lowering *l, struct variable *variable, struct node *argument)
{
    if (kc_is_reference(variable->type))
        return kept(l, kc_place(l, argument));
    struct location at =
        kc_new_object(l, variable->type->plain, &variable->in_memory, variable->in_memory);
    kc_initialise(l, at, argument);
    return kept(l, at);
}

/* All are computed before one is bound: an argument may be a call of the same function. */
static void bind_arguments(struct lowering *l, struct function *function, const struct node *node)
{
    struct location **arguments =
        kc_new(l->c, (size_t)(function->variables + 1) * sizeof *arguments);
    for (int i = 0; i < function->variables && i < node->count; i++)
        arguments[i] = bound(l, function->variable[i], node->list[i]);
    for (int i = 0; i < function->variables; i++)
        function->variable[i]->location = arguments[i];
    kc_set_site(l, node->place);
}

static void initialise_members(struct lowering *l, struct function *function, struct location self)
{
    struct field *field = function->record->field;
    if (function->initials < 0) {
        kc_initialise(l, self, function->initial[0]);
        return;
    }
    for (int i = 0; field && i < function->initials; i++, field = field->next) {
        if (!function->initial[i])
            continue;
        struct location at = self;
        at.offset += field->offset;
        at.type = field->type->plain;
        at.bits = field->bits >= 0 ? field : NULL;
        if (kc_is_reference(field->type)) {
            struct element element = {.offset = field->offset, .node = function->initial[i]};
            struct node list = {.kind = NODE_LIST,
                                .type = function->record->type,
                                .place = function->place,
                                .element = &element,
                                .elements = 1,
                                .post = true};
            kc_initialise(l, self, &list);
        } else {
            kc_initialise(l, at, function->initial[i]);
        }
    }
}

/* The body of a function, put here. Its `return` goes behind it. */
static void inline_body(struct lowering *l, struct function *function, struct location *self,
                        struct location *result, struct location *result_place)
{
    struct block *return_block = l->return_block, *break_block = l->break_block,
                 *continue_block = l->continue_block;
    struct location *outer_result = l->result, *outer_place = l->result_place;
    struct block *end = kc_new_block(l);
    const int inlined = l->inlined, site = l->at_site;
    const bool in_part = l->in_part;
    l->return_block = end;
    l->break_block = l->continue_block = NULL;
    l->result = result;
    l->result_place = result_place;
    l->inlined = site;
    kc_enter_body(l, function);
    if (function->self)
        function->self->location = self;
    function->is_active = true;
    l->inline_depth++;
    if (function->is_constructor && self)
        initialise_members(l, function, *self);
    if (function->tree)
        kc_lower_statement(l, function->tree);
    l->inline_depth--;
    function->is_active = false;
    kc_jump(l, end);
    kc_seal(l, end);
    kc_begin(l, end);
    l->return_block = return_block;
    l->break_block = break_block;
    l->continue_block = continue_block;
    l->result = outer_result;
    l->result_place = outer_place;
    l->inlined = inlined;
    l->at_site = site;
    l->in_part = in_part;
}

static bool needs_call(struct lowering *l, struct function *function)
{
    if (function->is_active && !function->is_recursive) {
        function->is_recursive = true;
        l->again = true;
    }
    if (l->inline_depth > 60)
        kc_stop(l->c, function->place, "functions call each other too deep");
    return function->is_recursive;
}

/* ---- calls of PTX ------------------------------------------------------------------------------- */

/* The address of an argument's object: one that can be passed on. */
static struct code *argument_address(struct lowering *l, struct node *node)
{
    struct location at = kc_place(l, node);
    return kc_address_of(l, at);
}

static struct code *by_address(struct lowering *l, struct node *node)
{
    struct location at = kc_new_object(l, node->type->plain, NULL, true);
    kc_initialise(l, at, node);
    return kc_address_of(l, at);
}

static void add_operand(struct lowering *l, struct code *call, int *room, struct code *value)
{
    kc_grow(l->c, &call->list, room, &call->count, sizeof *call->list);
    call->list[call->count++] = value;
}

/* A function that is called by PTX is nobody's by its place: what stands before the part is not the part's to call
 * so, not through other functions either. */
static void check_caller(struct lowering *l, const struct function *function)
{
    struct kc *c = l->c;
    if (!function->body || function->body >= c->part || function->is_ours)
        return;
    for (int at = l->at_site; at >= 0; at = l->site[at].inlined_at)
        if (l->site[at].place.file == c->part_file) {
            kc_error(c, l->site[at].place,
                     "'%s' stands before this part of the source and calls itself: it may not be "
                     "called from here",
                     kc_function_text(c, function));
            return;
        }
}

/* Records are passed by the address of a copy: both sides are this compiler's. */
static struct location real_call(struct lowering *l, struct node *node, struct location *self,
                                 struct location *to)
{
    struct function *function = node->function;
    struct type *result = node->as ? node->as : node->type;
    const bool record = result->kind == TYPE_RECORD;
    int room = 0;
    struct code operands = {0};
    struct location target = {0};
    if (!function)
        add_operand(l, &operands, &room, kc_lower_value(l, node->left));
    if (record) {
        target = to && !to->storage ? *to : kc_new_object(l, node->type->plain, NULL, true);
        add_operand(l, &operands, &room, kc_address_of(l, target));
    }
    if (self)
        add_operand(l, &operands, &room, kc_address_of(l, *self));
    for (int i = 0; i < node->count; i++) {
        struct type *type = function && i < function->variables ? function->variable[i]->type
                            : !function ? node->left->type->base->parameter[i]
                                        : node->list[i]->type->plain;
        add_operand(l, &operands, &room,
                    kc_is_reference(type)       ? argument_address(l, node->list[i])
                    : type->kind == TYPE_RECORD ? by_address(l, node->list[i])
                                                : kc_lower_value(l, node->list[i]));
    }
    kc_set_site(l, node->place);
    if (function)
        check_caller(l, function);
    const enum code_type type = kc_is_reference(result) ? CODE_U64
                                : record || result->kind == TYPE_VOID
                                    ? CODE_NONE
                                    : kc_register_type(kc_code_type(result));
    struct code *call = kc_add(l, IR_CALL, type, NULL, NULL);
    call->list = operands.list;
    call->count = operands.count;
    call->function = function;
    call->is_volatile = true;
    if (function) {
        call->text = kc_function_symbol(l->c, l->module, function);
        kc_call_later(l->module, function);
    }
    if (record) {
        if (to && to->storage)
            kc_copy(l, *to, target);
        return target;
    }
    if (kc_is_reference(result))
        return kc_memory(call, node->type);
    struct location value = kc_new_object(l, node->type->plain, NULL, false);
    if (type != CODE_NONE)
        kc_store(l, value, call);
    return value;
}

/* ---- functions that the machine brings ----------------------------------------------------------- */

static const char *param_type(enum code_type type)
{
    return kc_bytes(type) == 8 ? "b64" : "b32";
}

static const char *declared(struct kc *c, const struct code *call, const char *name)
{
    const char *text =
        kc_text(c, ".extern .func %s%s%s%s (", call->type ? "(.param ." : "",
                call->type ? (call->type == CODE_F16 ? "b16" : param_type(call->type)) : "",
                call->type ? " r) " : "", name);
    for (int i = 0; i < call->count; i++)
        text =
            kc_text(c, "%s%s.param .%s p%d", text, i ? ", " : "",
                    call->list[i]->type == CODE_F16 ? "b16" : param_type(call->list[i]->type), i);
    return kc_text(c, "%s);\n", text);
}

/* printf: its further arguments lie one behind the other in memory. */
static struct code *print_call(struct lowering *l, struct node *node)
{
    uint64_t bytes = 0;
    for (int i = 1; i < node->count; i++)
        bytes = (bytes + node->list[i]->type->size - 1) / node->list[i]->type->size *
                    node->list[i]->type->size +
                node->list[i]->type->size;
    struct type *buffer = kc_array(l->c, l->c->parser->basic[TYPE_ULONG], (int64_t)(bytes + 7) / 8);
    struct code *format = kc_lower_value(l, node->list[0]), *address = kc_const(l, CODE_U64, 0);
    if (bytes) {
        struct location at = kc_new_object(l, buffer, NULL, true);
        uint64_t offset = 0;
        for (int i = 1; i < node->count; i++) {
            const uint64_t size = node->list[i]->type->size;
            struct location one = at;
            offset = (offset + size - 1) / size * size;
            one.offset += offset;
            one.type = node->list[i]->type->plain;
            kc_initialise(l, one, node->list[i]);
            offset += size;
        }
        address = kc_address_of(l, at);
    }
    struct code *call = kc_add(l, IR_CALL, CODE_S32, NULL, NULL);
    call->list = kc_new(l->c, 2 * sizeof *call->list);
    call->list[0] = format;
    call->list[1] = address;
    call->count = 2;
    return call;
}

static struct location extern_call(struct lowering *l, struct node *node)
{
    struct function *function = node->function;
    const char *name = kc_text(l->c, "%.*s", SLICE(function->name->text));
    struct code *call;
    if (function->variadic) {
        call = print_call(l, node);
        name = "vprintf";
    } else {
        struct code **list = kc_new(l->c, (size_t)(node->count + 1) * sizeof *list);
        for (int i = 0; i < node->count; i++)
            list[i] = kc_lower_value(l, node->list[i]);
        call = kc_add(l, IR_CALL,
                      node->type->kind == TYPE_VOID ? CODE_NONE
                                                    : kc_register_type(kc_code_type(node->type)),
                      NULL, NULL);
        call->list = list;
        call->count = node->count;
    }
    kc_set_site(l, node->place);
    call->text = name;
    call->is_volatile = true;
    kc_extern(l->c, l->module, declared(l->c, call, name));
    struct location value = kc_new_object(
        l, node->type->kind == TYPE_VOID ? l->c->parser->basic[TYPE_INT] : node->type->plain, NULL,
        false);
    if (call->type != CODE_NONE && node->type->kind != TYPE_VOID)
        kc_store(l, value, call);
    return value;
}

/* ---- calls -------------------------------------------------------------------------------------- */

static struct location nothing(struct lowering *l, struct node *node)
{
    struct type *type =
        node->type->kind == TYPE_VOID ? l->c->parser->basic[TYPE_INT] : node->type->plain;
    return kc_new_object(l, type, NULL, false);
}

struct location kc_lower_call(struct lowering *l, struct node *node, struct location *to)
{
    struct function *function = node->function;
    if (!function)
        return real_call(l, node, NULL, to);
    if (!function->body && !function->is_defaulted) {
        if (!function->is_ours)
            kc_error(l->c, node->place, "'%s' is declared, but not defined",
                     kc_function_text(l->c, function));
        return function->is_ours ? extern_call(l, node) : nothing(l, node);
    }
    struct location *self = node->object ? kept(l, kc_place(l, node->object)) : NULL;
    if (needs_call(l, function))
        return real_call(l, node, self, to);
    bind_arguments(l, function, node);
    struct type *result_type = function->result;
    if (kc_is_reference(result_type)) {
        struct location *place = KC_NEW(l->c, struct location);
        const int slot = function->returns > 1 ? kc_new_slot(l, CODE_U64) : -1;
        place->type = node->type;
        struct location pointer = {.storage = NULL};
        if (slot >= 0) { /* several returns: the address of what is meant */
            pointer = kc_new_object(l, l->c->parser->basic[TYPE_ULONG], NULL, false);
            inline_body(l, function, self, &pointer, place);
            return kc_memory(kc_load(l, pointer), node->type);
        }
        inline_body(l, function, self, NULL, place);
        if (!place->storage && !place->address)
            return nothing(l, node);
        place->type = node->type;
        return *place;
    }
    if (result_type->kind == TYPE_VOID) {
        inline_body(l, function, self, NULL, NULL);
        return nothing(l, node);
    }
    /* The result is made apart: what it will be put into may be read on the way. */
    struct location result = kc_new_object(l, node->type->plain, &node->in_memory, node->in_memory);
    inline_body(l, function, self, &result, NULL);
    if (to)
        kc_copy(l, *to, result);
    return result;
}

/* A constructor works on the object itself. */
void kc_lower_make(struct lowering *l, struct location to, struct node *node)
{
    struct function *function = node->function;
    if (!function->body && !function->is_defaulted) {
        kc_error(l->c, node->place, "'%s' is declared, but not defined",
                 kc_function_text(l->c, function));
        return;
    }
    struct location *self = kept(l, to);
    self->type = function->record->type;
    if (needs_call(l, function)) {
        struct node call = *node;
        call.kind = NODE_CALL;
        call.type = call.as = l->c->parser->basic[TYPE_VOID];
        real_call(l, &call, self, NULL);
        return;
    }
    bind_arguments(l, function, node);
    inline_body(l, function, self, NULL, NULL);
}

/* ---- inline PTX --------------------------------------------------------------------------------- */

static enum code_type letter_type(char letter)
{
    switch (letter) {
    case 'h':
        return CODE_U16;
    case 'l':
        return CODE_U64;
    case 'f':
        return CODE_F32;
    case 'd':
        return CODE_F64;
    case 'b':
        return CODE_PRED;
    default:
        return CODE_U32;
    }
}

/* An operand as the register that its letter asks for. 16 bits are a register of their own in PTX. */
static struct code *as_operand(struct lowering *l, struct code *value,
                               const struct asm_operand *operand)
{
    const enum code_type wanted = letter_type(operand->letter);
    if (value->type == CODE_PRED && wanted != CODE_PRED)
        value = kc_add(l, IR_CONVERT, CODE_U32, value, NULL);
    if (operand->letter == 'h')
        return value->type == CODE_F16 || value->type == CODE_BF16
                   ? value
                   : kc_add(l, IR_CONVERT, CODE_U16, value, NULL);
    if (operand->letter == 'n' || value->type == wanted)
        return value;
    if (kc_bytes(value->type) == kc_bytes(wanted))
        return kc_is_float_code(value->type) == kc_is_float_code(wanted)
                   ? value
                   : kc_add(l, IR_MOVE, wanted, value, NULL);
    if (kc_is_float_code(value->type) || kc_is_float_code(wanted)) {
        kc_error(l->c, operand->node->place,
                 "a value of type '%s' does not fit operand \"%c\" of inline PTX",
                 kc_type_text(l->c, operand->node->type), operand->letter);
        return kc_const(l, wanted, 0);
    }
    return kc_add(l, IR_CONVERT, wanted, value, NULL);
}

static struct code *from_operand(struct lowering *l, struct code *result, const struct type *type,
                                 struct place place)
{
    const enum code_type as = kc_register_type(kc_code_type(type)), exact = kc_code_type(type);
    if (result->type == CODE_U16) {
        if (as == CODE_F16 || as == CODE_BF16)
            return kc_add(l, IR_MOVE, as, result, NULL);
        result = kc_add(l, IR_CONVERT, CODE_U32, result, NULL);
        return kc_convert_code(l, result, l->c->parser->basic[TYPE_UINT], type);
    }
    if (exact == CODE_PRED || kc_bytes(exact) < 4) {
        if (kc_is_float_code(result->type) || (kc_is_float_code(exact))) {
            kc_error(l->c, place, "inline PTX has no result of type '%s'",
                     kc_type_text(l->c, type));
            return kc_const(l, as, 0);
        }
        return kc_convert_code(
            l, result, l->c->parser->basic[kc_bytes(result->type) == 8 ? TYPE_ULONG : TYPE_UINT],
            type);
    }
    if (kc_bytes(as) == kc_bytes(result->type))
        return as == result->type ? result : kc_add(l, IR_MOVE, as, result, NULL);
    if (kc_is_float_code(as) || kc_is_float_code(result->type)) {
        kc_error(l->c, place, "inline PTX has no result of type '%s'", kc_type_text(l->c, type));
        return kc_const(l, as, 0);
    }
    return kc_add(l, IR_CONVERT, as, result, NULL);
}

/* Operands in the order %0, %1, ...: results first, then inputs, then those of "+", which are both. */
void kc_lower_asm(struct lowering *l, struct node *node)
{
    int room = 0;
    struct code operands = {0};
    struct location *to = kc_new(l->c, (size_t)(node->outputs + 1) * sizeof *to);
    for (int i = 0; i < node->inputs; i++)
        add_operand(l, &operands, &room,
                    as_operand(l, kc_lower_value(l, node->input[i].node), &node->input[i]));
    for (int i = 0; i < node->outputs; i++) {
        to[i] = kc_place(l, node->output[i].node);
        if (node->output[i].is_read)
            add_operand(l, &operands, &room, as_operand(l, kc_load(l, to[i]), &node->output[i]));
    }
    kc_set_site(l, node->place);
    struct code *code = kc_add(l, IR_ASM, CODE_NONE, NULL, NULL);
    code->list = operands.list;
    code->count = operands.count;
    code->node = node;
    code->is_volatile = node->is_volatile;
    code->results = node->outputs;
    code->result_type = kc_new(l->c, (size_t)(node->outputs + 1) * sizeof *code->result_type);
    for (int i = 0; i < node->outputs; i++) {
        code->result_type[i] = letter_type(node->output[i].letter);
        struct code *result = kc_add(l, IR_RESULT, code->result_type[i], code, NULL);
        result->index = i;
        kc_store(l, to[i],
                 from_operand(l, result, node->output[i].node->type, node->output[i].node->place));
    }
}
