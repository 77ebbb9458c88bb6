/* address.c - addresses that are known when compiling: of functions, of variables of the module and of strings, for
 * the values that variables begin with. A table of functions is a list of them. */
#include "kernelc/parser.h"

static bool address(struct kc *c, struct node *node, struct pointing *to);

/* The object that an expression names. */
static bool object(struct kc *c, struct node *node, struct pointing *to)
{
    switch (node->kind) {
    case NODE_VARIABLE:
        to->variable = node->variable;
        return !kc_is_reference(node->variable->type) && !node->variable->function &&
               (node->variable->space == SPACE_GLOBAL || node->variable->space == SPACE_CONST);
    case NODE_STRING:
        to->text = node->text;
        return true;
    case NODE_FIELD:
        if (kc_is_reference(node->field->type) || node->field->bits >= 0)
            return false;
        /* fall through */
    case NODE_BASE:
        to->offset += (int64_t)node->offset;
        return object(c, node->left, to);
    case NODE_DEREF:
        return address(c, node->left, to);
    default:
        return false;
    }
}

static bool address_deep(struct kc *c, struct node *node, struct pointing *to)
{
    struct constant index;
    switch (node->kind) {
    case NODE_FUNCTION:
        to->function = node->function;
        return node->function != NULL;
    case NODE_ADDRESS:
        return object(c, node->left, to);
    case NODE_CAST:
        return node->left->type->kind == TYPE_POINTER && address(c, node->left, to);
    case NODE_BINARY:
        if ((node->sign != '+' && node->sign != '-') || !kc_is_integer(node->right->type) ||
            !kc_evaluate(c, node->right, &index) || index.integer > INT32_MAX ||
            index.integer < INT32_MIN)
            return false;
        index.integer *= (int64_t)(node->type->base->size & UINT32_MAX);
        to->offset += node->sign == '+' ? index.integer : -index.integer;
        return address(c, node->left, to);
    default:
        return false;
    }
}

static bool address(struct kc *c, struct node *node, struct pointing *to)
{
    const bool good =
        node->type->kind == TYPE_POINTER && kc_enter(c, node->place) && address_deep(c, node, to);
    if (node->type->kind == TYPE_POINTER)
        kc_leave(c);
    return good && !c->stopped;
}

bool kc_point(struct kc *c, struct node *node, const uint8_t *at)
{
    struct pointing *pointing = KC_NEW(c, struct pointing);
    if (!c->parser->may_point || !address(c, node, pointing) || pointing->offset < 0)
        return false;
    pointing->at = at;
    pointing->next = c->parser->pointing;
    c->parser->pointing = pointing;
    return true;
}
