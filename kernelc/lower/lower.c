/* lower.c - statements and whole functions to instructions. */
#include "kernelc/code.h"

#include <string.h>

/* ---- places in the source ------------------------------------------------------------------------ */

/* What stands in a header of ours counts as where it was called. So does, in the part's functions, what stands before
 * the part: default arguments, and initialisers of members. */
void kc_set_site(struct lowering *l, struct place place)
{
    struct kc *c = l->c;
    if (l->in_part && place.file != c->part_file)
        return;
    if (!place.line || place.file >= c->files || c->file_is_ours[place.file]) {
        if (l->inlined >= 0)
            l->at_site = l->inlined;
        return;
    }
    const struct site *now = l->at_site >= 0 ? &l->site[l->at_site] : NULL;
    if (now && now->place.line == place.line && now->place.file == place.file &&
        now->inlined_at == l->inlined && now->place.column == place.column)
        return;
    kc_grow(c, &l->site, &l->site_room, &l->sites, sizeof *l->site);
    l->site[l->sites] = (struct site){.place = place, .inlined_at = l->inlined};
    l->at_site = l->sites++;
}

void kc_enter_body(struct lowering *l, const struct function *function)
{
    l->in_part = function->body >= l->c->part;
    if (l->in_part)
        kc_set_site(l, l->c->token[function->body].place);
}

/* ---- loops -------------------------------------------------------------------------------------- */

static void loop(struct lowering *l, struct node *node)
{
    struct block *head = kc_new_block(l), *body = kc_new_block(l), *step = kc_new_block(l),
                 *exit = kc_new_block(l);
    struct block *break_block = l->break_block, *continue_block = l->continue_block;
    const bool is_do = node->kind == NODE_DO;
    kc_jump(l, is_do ? body : head);
    if (!is_do) {
        kc_begin(l, head);
        if (node->kind == NODE_WHILE && node->third)
            kc_lower_statement(l, node->third);
        if (node->left)
            kc_branch(l, kc_lower_value(l, node->left), body, exit);
        else
            kc_jump(l, body);
        kc_seal(l, body);
    }
    kc_begin(l, body);
    l->break_block = exit;
    l->continue_block = step;
    if (node->right)
        kc_lower_statement(l, node->right);
    l->break_block = break_block;
    l->continue_block = continue_block;
    kc_jump(l, step);
    kc_seal(l, step);
    kc_begin(l, step);
    if (is_do) {
        kc_branch(l, kc_lower_value(l, node->left), body, exit);
        kc_seal(l, body);
    } else {
        if (node->kind == NODE_FOR && node->third)
            kc_lower_statement(l, &(struct node){.kind = NODE_EXPRESSION,
                                                 .left = node->third,
                                                 .place = node->third->place,
                                                 .type = node->third->type});
        kc_jump(l, head);
        kc_seal(l, head);
    }
    kc_seal(l, exit);
    kc_begin(l, exit);
}

static void if_statement(struct lowering *l, struct node *node)
{
    struct block *yes = kc_new_block(l), *no = kc_new_block(l),
                 *join = node->third ? kc_new_block(l) : no;
    kc_branch(l, kc_lower_value(l, node->left), yes, no);
    kc_seal(l, yes);
    kc_begin(l, yes);
    if (node->right)
        kc_lower_statement(l, node->right);
    kc_jump(l, join);
    if (node->third) {
        kc_seal(l, no);
        kc_begin(l, no);
        kc_lower_statement(l, node->third);
        kc_jump(l, join);
    }
    kc_seal(l, join);
    kc_begin(l, join);
}

/* ---- switch ------------------------------------------------------------------------------------- */

static void switch_statement(struct lowering *l, struct node *node)
{
    struct block *exit = kc_new_block(l), *break_block = l->break_block, *otherwise = exit;
    struct code *value = kc_lower_value(l, node->left);
    for (int i = 0; i < node->count; i++) {
        struct node *one = node->list[i];
        struct block *target = kc_new_block(l), *next = kc_new_block(l);
        one->label = target;
        if (one->post) {
            otherwise = target;
            kc_jump(l, next);
        } else if ((int64_t)one->offset != one->constant.integer) {
            struct code *above = kc_arithmetic(l, '-', l->c->parser->basic[TYPE_UINT], value,
                                               kc_const(l, value->type, one->constant.integer));
            above =
                kc_add(l, IR_MOVE, kc_bytes(value->type) == 8 ? CODE_U64 : CODE_U32, above, NULL);
            kc_branch(l,
                      kc_arithmetic(
                          l, SIGN_LESS_EQUAL, node->left->type, above,
                          kc_const(l, above->type, (int64_t)one->offset - one->constant.integer)),
                      target, next);
        } else {
            kc_branch(l,
                      kc_arithmetic(l, SIGN_EQUAL, node->left->type, value,
                                    kc_const(l, value->type, one->constant.integer)),
                      target, next);
        }
        kc_seal(l, next);
        kc_begin(l, next);
    }
    kc_jump(l, otherwise);
    struct block *body = kc_new_block(l);
    kc_seal(l, body);
    kc_begin(l, body);
    l->break_block = exit;
    if (node->right)
        kc_lower_statement(l, node->right);
    l->break_block = break_block;
    kc_jump(l, exit);
    kc_seal(l, exit);
    kc_begin(l, exit);
}

static void begin_case(struct lowering *l, struct node *node)
{
    struct block *block = node->label;
    if (!block)
        return;
    kc_jump(l, block);
    kc_seal(l, block);
    kc_begin(l, block);
}

/* ---- labels ------------------------------------------------------------------------------------- */

static struct block *label_block(struct lowering *l, struct word *word)
{
    for (struct label *label = l->label; label; label = label->next)
        if (label->word == word && label->owner == l->return_block)
            return label->block;
    struct label *label = KC_NEW(l->c, struct label);
    *label = (struct label){l->label, word, l->return_block, kc_new_block(l)};
    l->label = label;
    return label->block;
}

/* ---- statements --------------------------------------------------------------------------------- */

static void declare(struct lowering *l, struct node *node)
{
    struct variable *variable = node->variable;
    if (variable->is_static)
        return;
    struct location *location = KC_NEW(l->c, struct location);
    if (kc_is_reference(variable->type)) {
        if (!node->left)
            return;
        *location = kc_place(l, node->left);
    } else {
        *location = kc_new_object(l, variable->type, &variable->in_memory, variable->in_memory);
        location->type = variable->type->is_volatile ? variable->type : variable->type->plain;
        if (node->left) {
            struct location to = *location;
            to.type = variable->type->plain;
            kc_initialise(l, to, node->left);
        }
    }
    variable->location = location;
}

static void expression(struct lowering *l, struct node *node)
{
    struct node *value = node->left;
    if (value->type->kind == TYPE_RECORD || value->type->kind == TYPE_ARRAY) {
        kc_place(l, value);
        return;
    }
    if (value->kind == NODE_CALL) {
        kc_lower_call(l, value, NULL);
        return;
    }
    if (value->type->kind == TYPE_VOID && value->kind == NODE_CONDITION) { /* c ? f() : g() */
        struct node yes = {.kind = NODE_EXPRESSION,
                           .left = value->right,
                           .place = value->right->place,
                           .type = value->type};
        struct node no = {.kind = NODE_EXPRESSION,
                          .left = value->third,
                          .place = value->third->place,
                          .type = value->type};
        if_statement(
            l, &(struct node){.kind = NODE_IF, .left = value->left, .right = &yes, .third = &no});
        return;
    }
    if (value->type->kind == TYPE_VOID && value->kind == NODE_ZERO)
        return;
    if (value->kind == NODE_ZERO || value->kind == NODE_NUMBER)
        return;
    struct code *code = kc_lower_value(l, value);
    if (code->op == IR_LOAD && value->type->is_volatile)
        code->is_volatile = true;
}

static void give_back(struct lowering *l, struct node *node)
{
    if (node->third) /* return f(); of a function that returns nothing */
        expression(l, &(struct node){.kind = NODE_EXPRESSION,
                                     .left = node->third,
                                     .place = node->place,
                                     .type = node->type});
    if (node->left && l->result_place && !l->result) {
        *l->result_place = kc_place(l, node->left);
    } else if (node->left && l->result_place) {
        struct code *address = kc_address_of(l, kc_place(l, node->left));
        kc_store(l, *l->result, address);
    } else if (node->left && l->result) {
        kc_initialise(l, *l->result, node->left);
    }
    if (l->return_block)
        kc_jump(l, l->return_block);
}

static void dead_block(struct lowering *l)
{
    struct block *block = kc_new_block(l);
    kc_seal(l, block);
    kc_begin(l, block);
}

static void statement(struct lowering *l, struct node *node)
{
    switch (node->kind) {
    case NODE_BLOCK:
        for (int i = 0; i < node->count && kc_work(l->c); i++)
            kc_lower_statement(l, node->list[i]);
        break;
    case NODE_DECLARE:
        declare(l, node);
        break;
    case NODE_EXPRESSION:
        expression(l, node);
        break;
    case NODE_IF:
        if_statement(l, node);
        break;
    case NODE_WHILE:
    case NODE_DO:
    case NODE_FOR:
        loop(l, node);
        break;
    case NODE_SWITCH:
        switch_statement(l, node);
        break;
    case NODE_CASE:
        begin_case(l, node);
        break;
    case NODE_BREAK:
    case NODE_CONTINUE: {
        struct block *to = node->kind == NODE_BREAK ? l->break_block : l->continue_block;
        if (to)
            kc_jump(l, to);
        dead_block(l);
        break;
    }
    case NODE_RETURN:
        give_back(l, node);
        dead_block(l);
        break;
    case NODE_ASM:
        kc_lower_asm(l, node);
        break;
    case NODE_GOTO:
        kc_jump(l, label_block(l, node->word));
        dead_block(l);
        break;
    case NODE_LABEL: {
        struct block *block = label_block(l, node->word);
        kc_jump(l, block);
        kc_begin(l, block);
        break;
    }
    default:
        break;
    }
}

void kc_lower_statement(struct lowering *l, struct node *node)
{
    if (kc_enter(l->c, node->place)) {
        kc_set_site(l, node->place);
        statement(l, node);
    }
    kc_leave(l->c);
}

/* ---- functions ---------------------------------------------------------------------------------- */

static struct code *parameter(struct lowering *l, const char *name, enum code_type type,
                              uint64_t offset)
{
    struct code *code = kc_add(l, IR_PARAM, kc_register_type(type), NULL, NULL);
    code->from = type == CODE_PRED ? CODE_U8 : type;
    code->text = name;
    code->integer = (int64_t)offset;
    if (type != CODE_PRED)
        return code;
    code->type = CODE_U32;
    return kc_to_bool(l, code);
}

/* A kernel's parameter is copied leaf by leaf; one with arrays in it word by word. */
static void kernel_parameter(struct lowering *l, struct location to, struct type *type,
                             const char *name)
{
    struct leaf *leaf;
    const int leaves = kc_leaves(l->c, type, &leaf);
    if (leaves >= 0) {
        for (int i = 0; i < leaves; i++) {
            struct location at = to;
            at.offset += leaf[i].offset;
            at.type =
                kc_is_reference(leaf[i].type) ? l->c->parser->basic[TYPE_ULONG] : leaf[i].type;
            struct code *value = parameter(l, name, kc_code_type(at.type), leaf[i].offset);
            value->is_pointer = leaf[i].type->kind == TYPE_POINTER;
            kc_store(l, at, value);
        }
        return;
    }
    const uint64_t unit = type->align >= 8 ? 8 : type->align >= 4 ? 4 : type->align >= 2 ? 2 : 1;
    struct type *part = l->c->parser->basic[unit == 8   ? TYPE_ULONG
                                            : unit == 4 ? TYPE_UINT
                                            : unit == 2 ? TYPE_USHORT
                                                        : TYPE_UCHAR];
    for (uint64_t at = 0; at + unit <= type->size && kc_work(l->c); at += unit) {
        struct location one = to;
        one.offset += at;
        one.type = part;
        kc_store(l, one, parameter(l, name, kc_code_type(part), at));
    }
}

static void kernel_parameters(struct lowering *l, struct function *function)
{
    for (int i = 0; i < function->variables; i++) {
        struct variable *variable = function->variable[i];
        const char *name = kc_text(l->c, "%s_param_%d", function->symbol, i);
        struct location at =
            kc_new_object(l, variable->type->plain, &variable->in_memory, variable->in_memory);
        kernel_parameter(l, at, variable->type->plain, name);
        variable->location = KC_NEW(l->c, struct location);
        *variable->location = at;
    }
}

/* The parameters of a function in PTX: references, records and *this come as addresses. */
static void function_parameters(struct lowering *l, struct function *function)
{
    int number = 0;
    const bool record = function->result->kind == TYPE_RECORD;
    if (record) {
        l->result = KC_NEW(l->c, struct location);
        *l->result =
            kc_memory(parameter(l, kc_text(l->c, "p%d", number++), CODE_U64, 0), function->result);
    }
    if (function->self) {
        function->self->location = KC_NEW(l->c, struct location);
        *function->self->location = kc_memory(
            parameter(l, kc_text(l->c, "p%d", number++), CODE_U64, 0), function->record->type);
    }
    for (int i = 0; i < function->variables; i++, number++) {
        struct variable *variable = function->variable[i];
        const char *name = kc_text(l->c, "p%d", number);
        struct location *at = variable->location = KC_NEW(l->c, struct location);
        if (kc_is_reference(variable->type)) {
            *at = kc_memory(parameter(l, name, CODE_U64, 0), variable->type->base);
            continue;
        }
        *at = kc_new_object(l, variable->type->plain, &variable->in_memory, variable->in_memory);
        if (variable->type->kind == TYPE_RECORD) {
            kc_copy(l, *at, kc_memory(parameter(l, name, CODE_U64, 0), variable->type->plain));
            continue;
        }
        /* 8- and 16-bit values and bools come as 32 bits */
        const enum code_type type = kc_code_type(variable->type);
        struct code *value =
            parameter(l, name, type == CODE_PRED ? CODE_U32 : kc_register_type(type), 0);
        kc_store(l, *at, type == CODE_PRED ? kc_to_bool(l, value) : value);
    }
}

/* The value that a function of PTX returns. */
static void returns(struct lowering *l, struct function *function)
{
    struct code *value = NULL;
    if (l->is_function && l->result && function->result->kind != TYPE_RECORD) {
        value = kc_load(l, *l->result);
        if (value->type == CODE_PRED)
            value = kc_add(l, IR_CONVERT, CODE_U32, value, NULL);
    }
    kc_add(l, IR_RETURN, CODE_NONE, value, NULL);
    l->now->ended = true;
}

static void once(struct lowering *l, struct function *function)
{
    struct block *start, *end;
    l->entry = kc_new_block(l);
    l->entry->sealed = l->entry->ended = true;
    kc_begin(l, l->entry);
    start = kc_new_block(l);
    end = kc_new_block(l);
    start->before = kc_new(l->c, sizeof *start->before);
    start->before[0] = l->entry;
    start->before_count = start->before_room = 1;
    start->sealed = true;
    l->entry->to[0] = start;
    kc_begin(l, start);
    l->return_block = end;
    l->inlined = l->at_site = -1;
    function->is_active = true;
    kc_enter_body(l, function);
    if (l->is_function) {
        function_parameters(l, function);
        if (function->result->kind != TYPE_VOID && function->result->kind != TYPE_RECORD) {
            l->result = KC_NEW(l->c, struct location);
            struct type *type = kc_is_reference(function->result) ? l->c->parser->basic[TYPE_ULONG]
                                                                  : function->result->plain;
            *l->result = kc_new_object(l, type, NULL, false);
            if (kc_is_reference(function->result))
                l->result_place = KC_NEW(l->c, struct location);
        }
    } else {
        kernel_parameters(l, function);
    }
    if (function->tree)
        kc_lower_statement(l, function->tree);
    kc_jump(l, end);
    for (struct label *label = l->label; label; label = label->next)
        kc_seal(l, label->block);
    kc_seal(l, end);
    kc_begin(l, end);
    returns(l, function);
    function->is_active = false;
}

/* Lowers it; again as long as variables turn out to need memory, or functions to call themselves. */
void kc_lower_function(struct lowering *l)
{
    const struct lowering fresh = *l;
    for (int i = 0; i < 40 && !l->c->stopped; i++) {
        *l = fresh;
        once(l, l->function);
        if (!l->again)
            return;
    }
    if (!l->c->stopped && l->again)
        kc_stop(l->c, l->function->place,
                "this function is too involved: its variables' places were not settled");
}
