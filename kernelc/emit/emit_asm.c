/* emit_asm.c - inline PTX of the source and of our headers. */
#include "kernelc/emit/emit.h"

#include <stdio.h>
#include <string.h>

static struct operand asm_operand(struct emission *e, const struct code *code, int index)
{
    if (index < code->results) {
        for (const struct code *r = code->next; r; r = r->next)
            if (r->op == IR_RESULT && r->a == code && r->index == index)
                return kc_register_name(r);
        struct operand unused; /* a register that nothing reads */
        const enum register_class class = kc_class_of(code->result_type[index]);
        snprintf(unused.text, sizeof unused.text, "%s%d", kc_register_classes[class].prefix,
                 ++e->registers[class]);
        return unused;
    }
    index -= code->results;
    if (index < code->count)
        return kc_operand_of(code->list[index]);
    return (struct operand){"_"};
}

static int named_operand(const struct node *node, struct slice name)
{
    for (int i = 0; i < node->outputs; i++)
        if (slice_equal(node->output[i].name, name))
            return i;
    for (int i = 0; i < node->inputs; i++)
        if (slice_equal(node->input[i].name, name))
            return node->outputs + i;
    return -1;
}

/* atom of our headers whose result is not used is red. */
static bool is_reduction(const struct code *code)
{
    const struct slice text = code->node->text;
    if (!slice_begins(text, "atom%S") || (code->used_results & 1))
        return false;
    for (int i = 0; i + 4 < text.length; i++)
        if (!memcmp(text.at + i, ".exc", 4) || !memcmp(text.at + i, ".cas", 4) ||
            !memcmp(text.at + i, ".inc", 4) || !memcmp(text.at + i, ".dec", 4))
            return !memcmp(text.at + i, ".inc", 4) || !memcmp(text.at + i, ".dec", 4);
    return true;
}

void kc_put_asm(struct emission *e, const struct code *code)
{
    const struct node *node = code->node;
    const char *at = node->text.at, *end = at + node->text.length;
    const bool reduction = is_reduction(code);
    struct operand results[32];
    for (int i = 0; i < code->results && i < 32; i++)
        results[i] = asm_operand(e, code, i);
    int input = code->count;
    for (int i = node->outputs - 1; i >= 0; i--) /* "+": the register has the value before */
        if (node->output[i].is_read)
            kc_put(e->c, e->out, "\tmov.%s %s, %s;\n", kc_bits_of(code->result_type[i]),
                   i < 32 ? results[i].text : "_", kc_operand_of(code->list[--input]).text);
    kc_put(e->c, e->out, "\t");
    if (reduction) {
        kc_put(e->c, e->out, "red");
        at += 4;
    }
    for (; at < end; at++) {
        if (*at != '%' || at + 1 == end) {
            kc_put(e->c, e->out, "%c", *at);
            continue;
        }
        at++;
        if (*at == 'S' && at + 1 < end) {
            at++;
            kc_put(e->c, e->out, "%s",
                   code->space == SPACE_LOCAL ? "" : kc_space_suffix(code->space));
        } else if (*at >= '0' && *at <= '9') {
            int index = 0;
            while (at < end && *at >= '0' && *at <= '9' && index < 1000)
                index = index * 10 + *at++ - '0';
            at--;
            if (reduction && index == 0) {
                while (at + 1 < end && (at[1] == ',' || at[1] == ' '))
                    at++;
                continue;
            }
            if (index >= code->results + node->inputs)
                kc_error(e->c, node->place, "inline PTX names operand %%%d, but there are %d",
                         index, code->results + node->inputs);
            kc_put(e->c, e->out, "%s",
                   index < code->results && index < 32 ? results[index].text
                                                       : asm_operand(e, code, index).text);
        } else if (*at == '[') {
            const char *from = at + 1;
            while (at < end && *at != ']')
                at++;
            const int index = named_operand(node, (struct slice){from, (int)(at - from)});
            kc_put(e->c, e->out, "%s",
                   index >= 0 && index < code->results && index < 32
                       ? results[index].text
                       : asm_operand(e, code, index < 0 ? 1000 : index).text);
        } else if (*at == '=') {
            kc_put(e->c, e->out, "%d", e->labels++);
        } else {
            kc_put(e->c, e->out, "%c", *at);
        }
    }
    kc_put(e->c, e->out, "\n");
}
