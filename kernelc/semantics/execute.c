/* execute.c - the statements of constexpr functions, executed while the source is read. */
#include "kernelc/semantics/constant.h"

static bool execute_list(struct kc *c, struct node *node)
{
    struct frame *frame = c->parser->frame;
    for (int i = 0; i < node->count; i++) {
        if (!kc_execute(c, node->list[i]))
            return false;
        if (frame->returned || frame->broken || frame->continued)
            return true;
    }
    return true;
}

static bool declare(struct kc *c, struct node *node)
{
    struct frame *frame = c->parser->frame;
    struct local *local = kc_constant_local(frame, node->variable);
    if (node->variable->is_static)
        return true;
    if (!local) {
        local = KC_NEW(c, struct local);
        local->variable = node->variable;
        local->next = frame->local;
        frame->local = local;
    }
    if (kc_is_reference(node->variable->type))
        return node->left && kc_constant_place(c, node->left, &local->spot);
    local->spot = kc_constant_room(c, node->variable->type);
    return local->spot.size && (!node->left || kc_constant_put(c, node->left, local->spot));
}

static bool loop(struct kc *c, struct node *node)
{
    struct frame *frame = c->parser->frame;
    bool first = node->kind == NODE_DO;
    for (;;) {
        struct constant value = {.integer = 1};
        if (!kc_work(c))
            return false;
        if (!first && node->left && !kc_constant_value(c, node->left, &value))
            return false;
        if (!first && !value.integer)
            return true;
        first = false;
        if (node->right && !kc_execute(c, node->right))
            return false;
        frame->continued = false;
        if (frame->returned)
            return true;
        if (frame->broken) {
            frame->broken = false;
            return true;
        }
        if (node->kind == NODE_FOR && node->third && !kc_constant_value(c, node->third, &value) &&
            node->third->type->kind != TYPE_VOID)
            return false;
    }
}

static bool give_back(struct kc *c, struct node *node)
{
    struct frame *frame = c->parser->frame;
    frame->returned = true;
    return !node->left || (node->left->is_place && frame->result.size == 0) ||
           kc_constant_put(c, node->left, frame->result);
}

bool kc_execute(struct kc *c, struct node *node)
{
    struct frame *frame = c->parser->frame;
    struct constant value;
    bool good;
    if (!kc_enter(c, node->place)) {
        kc_leave(c);
        return false;
    }
    switch (node->kind) {
    case NODE_BLOCK:
        good = execute_list(c, node);
        break;
    case NODE_DECLARE:
        good = declare(c, node);
        break;
    case NODE_EXPRESSION:
        good = node->left->type->kind == TYPE_RECORD
                   ? kc_constant_place(c, node->left, &(struct spot){0})
                   : kc_constant_value(c, node->left, &value);
        break;
    case NODE_IF:
        good = kc_constant_value(c, node->left, &value);
        node = good && value.integer ? node->right : node->third;
        good = good && (!node || kc_execute(c, node));
        break;
    case NODE_WHILE:
    case NODE_DO:
    case NODE_FOR:
        good = loop(c, node);
        break;
    case NODE_BREAK:
        good = frame->broken = true;
        break;
    case NODE_CONTINUE:
        good = frame->continued = true;
        break;
    case NODE_RETURN:
        good = give_back(c, node);
        break;
    case NODE_NOTHING:
        good = true;
        break;
    default:
        good = false;
    }
    kc_leave(c);
    return good;
}
