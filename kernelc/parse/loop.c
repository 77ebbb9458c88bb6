/* loop.c - for, while, do, and loops over ranges. */
#include "kernelc/parser.h"

static struct node *loop_body(struct kc *c, struct node *loop)
{
    struct parser *p = c->parser;
    struct node *outer = p->loop, *outer_switch = p->switch_node;
    p->loop = loop;
    struct node *body = kc_statement(c);
    p->loop = outer;
    p->switch_node = outer_switch;
    return body;
}

struct node *kc_while_statement(struct kc *c)
{
    struct parser *p = c->parser;
    struct node *node = kc_new_statement(c, NODE_WHILE), *before = kc_new_statement(c, NODE_BLOCK);
    struct scope *scope = p->scope;
    kc_next(c);
    p->scope = kc_scope(c, scope, 4);
    node->left = kc_condition_value(c, kc_controlling(c, before, false));
    if (before->count) /* while (T x = f()) */
        node->third = before;
    node->right = loop_body(c, node);
    p->scope = scope;
    return node;
}

struct node *kc_do_statement(struct kc *c)
{
    struct node *node = kc_new_statement(c, NODE_DO);
    kc_next(c);
    node->right = loop_body(c, node);
    kc_recover(c);
    if (!kc_accept_key(c, KEY_WHILE)) {
        kc_syntax(c, "'while' is missing after the body of 'do'");
        return node;
    }
    struct node *none = kc_new_statement(c, NODE_BLOCK);
    node->left = kc_condition_value(c, kc_controlling(c, none, false));
    kc_expect(c, ';', "after do ... while (...)");
    return node;
}

static struct node *named(struct kc *c, struct variable *variable, struct place place)
{
    struct node *node = kc_new_node(c, NODE_VARIABLE, place, kc_unreferenced(variable->type));
    node->variable = variable;
    node->is_place = true;
    return node;
}

static struct node *hidden_variable(struct kc *c, struct node *block, struct type *type,
                                    struct node *value, struct place place)
{
    int room = 0;
    struct node *node = kc_new_node(c, NODE_DECLARE, place, c->parser->basic[TYPE_VOID]);
    struct variable *variable = node->variable = KC_NEW(c, struct variable);
    *variable = (struct variable){.name = kc_word_of(c, "range"),
                                  .type = type,
                                  .place = place,
                                  .function = c->parser->function};
    variable->initial = node->left = value;
    kc_list_add(c, &block->list, &block->count, &room, node);
    return named(c, variable, place);
}

/* for (T x : range): range's begin() and end(), or an array's. */
static struct node *range_for(struct kc *c, struct node *block, struct declarator *d)
{
    struct parser *p = c->parser;
    struct node *node = kc_new_statement(c, NODE_FOR);
    const struct place place = node->place;
    int room = block->count;
    struct node *range = kc_at(c, '{') ? kc_error_node(c) : kc_expression(c);
    kc_expect(c, ')', "after the range of a loop");
    if (range->type->kind == TYPE_ERROR)
        return range;
    struct node *all = hidden_variable(
        c, block, range->is_place ? kc_reference(c, range->type) : range->type->plain, range,
        place);
    struct node *begin, *end;
    if (range->type->kind == TYPE_ARRAY) {
        struct node *first = kc_decay(c, all);
        begin = first;
        end = kc_binary(c, '+', first,
                        kc_integer_node(c, range->type->count, p->basic[TYPE_LONG], place), place);
    } else {
        begin = kc_call_member(c, all, kc_word_of(c, "begin"), NULL, 0, place);
        end = kc_call_member(c, all, kc_word_of(c, "end"), NULL, 0, place);
    }
    if (begin->type->kind == TYPE_ERROR || end->type->kind == TYPE_ERROR)
        return begin->type->kind == TYPE_ERROR ? begin : end;
    struct node *at =
        hidden_variable(c, block, begin->type->plain, kc_cast_node(c, begin, begin->type), place);
    struct node *stop =
        hidden_variable(c, block, end->type->plain, kc_cast_node(c, end, end->type), place);
    node->left = kc_condition_value(c, kc_binary(c, SIGN_NOT_EQUAL, at, stop, place));
    node->third = kc_step(c, SIGN_PLUS_PLUS, at, false, place);
    struct node *body = kc_new_statement(c, NODE_BLOCK);
    struct type *type = d->type;
    struct node *value = kc_deref(c, at, place);
    if (type->kind == TYPE_AUTO)
        type = kc_qualified(c, value->type->plain, type->is_const, false);
    else if (kc_is_reference(type) && type->base->kind == TYPE_AUTO)
        type = kc_reference(c, kc_qualified(c, value->type, type->base->is_const, false));
    d->type = type;
    struct scope *outer = p->scope;
    p->scope = kc_scope(c, outer, 4);
    struct variable *element =
        hidden_variable(c, body, type,
                        kc_convert(c, value, type, "cannot initialise a variable of type"),
                        d->place)
            ->variable;
    element->name = d->name;
    kc_define(c, p->scope, SYMBOL_VARIABLE, d->name, d->place)->variable = element;
    kc_ends(c, type, d->place);
    struct node *inner = loop_body(c, node);
    int body_room = body->count;
    kc_list_add(c, &body->list, &body->count, &body_room, inner);
    p->scope = outer;
    node->right = body;
    kc_list_add(c, &block->list, &block->count, &room, node);
    return block;
}

/* Whether this is for (T x : range): a `:` at depth 0 before any `;`. */
static bool is_range(struct kc *c, int close)
{
    for (int i = c->parser->at; i < close; i++) {
        const struct token *token = &c->token[i];
        if (token->kind != TOKEN_SIGN)
            continue;
        if (token->match > i)
            i = token->match;
        else if (token->sign == ';' || token->sign == '?')
            return false;
        else if (token->sign == ':')
            return true;
    }
    return false;
}

struct node *kc_for_statement(struct kc *c)
{
    struct parser *p = c->parser;
    struct node *block = kc_new_statement(c, NODE_BLOCK), *node = kc_new_statement(c, NODE_FOR);
    struct scope *scope = p->scope;
    int room = 0;
    kc_next(c);
    const int close = kc_past(c, p->at) - 1;
    if (!kc_expect(c, '(', "after 'for'"))
        return node;
    p->scope = kc_scope(c, scope, 4);
    if (is_range(c, close)) {
        struct specifiers s;
        struct declarator d = {0};
        if (kc_specifiers(c, &s, false) && kc_declarator(c, s.type, &d, false) &&
            kc_expect(c, ':', "after the variable of a loop"))
            node = range_for(c, block, &d);
        else
            kc_syntax(c, "this loop is not understood");
        p->scope = scope;
        return node;
    }
    if (kc_at_type(c)) {
        kc_declaration(c, p->scope, NULL, NULL, block);
        room = block->count;
    } else {
        if (!kc_at(c, ';')) {
            struct node *first = kc_new_statement(c, NODE_EXPRESSION);
            first->left = kc_expression(c);
            kc_list_add(c, &block->list, &block->count, &room, first);
        }
        kc_expect(c, ';', "after the first part of 'for'");
    }
    if (!p->panic && !kc_at(c, ';'))
        node->left = kc_condition_value(c, kc_expression(c));
    kc_expect(c, ';', "after the condition of 'for'");
    if (!p->panic && !kc_at(c, ')'))
        node->third = kc_expression(c);
    if (!kc_expect(c, ')', "after the parts of 'for'") && close > p->at) {
        p->at = close + 1;
        p->panic = false;
    }
    node->right = loop_body(c, node);
    p->scope = scope;
    kc_list_add(c, &block->list, &block->count, &room, node);
    return block;
}
