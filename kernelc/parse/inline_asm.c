/* inline_asm.c - asm statements: their text, operands and what they clobber. */
#include "kernelc/parser.h"

#include <string.h>

static bool asm_operands(struct kc *c, struct asm_operand **operand, int *count, bool output)
{
    int room = 0;
    while (kc_token(c)->kind == TOKEN_STRING || kc_at(c, '[')) {
        struct asm_operand one = {0};
        if (kc_accept(c, '[')) {
            one.name = kc_token(c)->text;
            kc_next(c);
            kc_expect(c, ']', "after the name of an operand");
        }
        struct slice text = kc_token(c)->text;
        const struct place place = kc_token(c)->place;
        kc_next(c);
        for (int i = 0; i < text.length; i++) {
            if (text.at[i] == '+')
                one.is_read = true;
            else if (text.at[i] != '=' && text.at[i] != '&')
                one.letter = text.at[i];
        }
        kc_expect(c, '(', "after the letter of an operand");
        one.node = kc_expression(c);
        kc_expect(c, ')', "after an operand");
        if (one.node->type->kind == TYPE_ERROR || c->parser->panic)
            return false;
        if (!one.letter || !strchr("rlfdhnb", one.letter)) {
            kc_error(c, place, "'%.*s' is no operand of inline PTX: r l f d h n are", SLICE(text));
            return false;
        }
        if (!output) {
            one.node = kc_decay(c, kc_one_function(c, one.node));
            one.node = kc_cast_node(c, one.node, one.node->type);
        } else if (!one.node->is_place) {
            kc_error(c, place, "the result of inline PTX needs a variable");
            return false;
        }
        kc_grow(c, operand, &room, count, sizeof **operand);
        (*operand)[(*count)++] = one;
        if (!kc_accept(c, ','))
            break;
    }
    return true;
}

struct node *kc_asm_statement(struct kc *c)
{
    struct parser *p = c->parser;
    struct node *node = kc_new_statement(c, NODE_ASM);
    kc_next(c);
    while (kc_at_key(c, KEY_VOLATILE) || kc_at_key(c, KEY_GOTO) || kc_at_key(c, KEY_INLINE)) {
        node->is_volatile = true;
        kc_next(c);
    }
    const int close = kc_past(c, p->at) - 1;
    kc_expect(c, '(', "after 'asm'");
    if (kc_token(c)->kind != TOKEN_STRING) {
        kc_syntax(c, "the text of inline PTX is missing");
        return node;
    }
    node->text = kc_string(c, kc_token(c));
    kc_next(c);
    bool good = true;
    for (int part = 0; good && part < 3;) {
        if (kc_accept(c, SIGN_SCOPE))
            part += 2;
        else if (kc_accept(c, ':'))
            part++;
        else
            break;
        if (part == 1)
            good = asm_operands(c, &node->output, &node->outputs, true);
        else if (part == 2)
            good = asm_operands(c, &node->input, &node->inputs, false);
        else
            while (kc_token(c)->kind == TOKEN_STRING) {
                node->has_memory |= slice_is(kc_token(c)->text, "memory");
                kc_next(c);
                kc_accept(c, ',');
            }
    }
    node->is_volatile |= node->outputs == 0 || node->has_memory;
    if (!good && close > p->at)
        p->at = close;
    kc_expect(c, ')', "after inline PTX");
    kc_expect(c, ';', "after inline PTX");
    if (!good)
        node->kind = NODE_NOTHING;
    return node;
}
