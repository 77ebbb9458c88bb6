/* emit_operand.c - text, and the registers and constants that instructions have as operands. */
#include "kernelc/emit/emit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void kc_put(struct kc *c, struct written *output, const char *format, ...)
{
    char most[2000], *line = most;
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(most, sizeof most, format, arguments);
    if (length >= (int)sizeof most) {
        line = kc_new(c, (size_t)length + 1);
        vsnprintf(line, (size_t)length + 1, format, again);
    }
    va_end(again);
    va_end(arguments);
    if (output->length + length + 1 > output->room) {
        const int room = 2 * (output->room + length) + 4096;
        char *fresh =
            c->stopped || (size_t)room > c->limit - (c->used < c->limit ? c->used : c->limit)
                ? NULL
                : kc_new(c, (size_t)room);
        if (!fresh) {
            kc_stop(c, (struct place){0}, "the PTX needs more memory than there is for it");
            return;
        }
        if (output->length)
            memcpy(fresh, output->at, (size_t)output->length);
        output->at = fresh;
        output->room = room;
    }
    memcpy(output->at + output->length, line, (size_t)length + 1);
    output->length += length;
}

const char *const kc_code_names[] = {"",    "pred", "u8",  "s8",  "u16",  "s16", "u32",
                                     "s32", "u64",  "s64", "f16", "bf16", "f32", "f64"};

const struct register_names kc_register_classes[CLASSES] = {
    {"%p", "pred"}, {"%rs", "b16"}, {"%r", "b32"}, {"%rd", "b64"}, {"%f", "f32"}, {"%fd", "f64"}};

enum register_class kc_class_of(enum code_type type)
{
    static const uint8_t classes[] = {
        [CODE_NONE] = CLASS_R, [CODE_PRED] = CLASS_P, [CODE_U8] = CLASS_R,  [CODE_S8] = CLASS_R,
        [CODE_U16] = CLASS_H,  [CODE_S16] = CLASS_H,  [CODE_U32] = CLASS_R, [CODE_S32] = CLASS_R,
        [CODE_U64] = CLASS_D,  [CODE_S64] = CLASS_D,  [CODE_F16] = CLASS_H, [CODE_BF16] = CLASS_H,
        [CODE_F32] = CLASS_F,  [CODE_F64] = CLASS_E,
    };
    return (enum register_class)classes[type];
}

struct operand kc_register_name(const struct code *code)
{
    struct operand operand;
    snprintf(operand.text, sizeof operand.text, "%s%d",
             kc_register_classes[kc_class_of(code->type)].prefix, code->number);
    return operand;
}

struct operand kc_real_text(enum code_type type, double real)
{
    struct operand operand;
    if (type == CODE_F32) {
        const float narrow = (float)real;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        snprintf(operand.text, sizeof operand.text, "0f%08X", bits);
    } else {
        uint64_t bits;
        memcpy(&bits, &real, sizeof bits);
        snprintf(operand.text, sizeof operand.text, "0d%016llX", (unsigned long long)bits);
    }
    return operand;
}

/* An operand: a constant as such, anything else by its register. */
struct operand kc_operand_of(const struct code *code)
{
    struct operand operand;
    if (code->op != IR_CONST || code->number)
        return kc_register_name(code);
    if (kc_is_float_code(code->type))
        return kc_real_text(code->type, code->real);
    snprintf(operand.text, sizeof operand.text, "%lld", (long long)code->integer);
    if (code->type == CODE_U64)
        snprintf(operand.text, sizeof operand.text, code->integer < 0 ? "0x%llx" : "%lld",
                 (long long)code->integer);
    return operand;
}

/* Constants that no operand can be: of bools and halves. */
static bool needs_register(const struct code *code)
{
    return code->op != IR_CONST || code->type == CODE_PRED || code->type == CODE_F16 ||
           code->type == CODE_BF16 || code->type == CODE_U16;
}

/* Whether it moves the same bits within one class of registers, which takes no instruction. */
bool kc_is_alias(const struct code *code)
{
    return code->op == IR_MOVE && kc_class_of(code->type) == kc_class_of(code->a->type) &&
           !(code->a->op == IR_CONST && !needs_register(code->a));
}

void kc_number_registers(struct emission *e)
{
    for (struct block *block = e->l->first; block; block = block->next)
        for (struct code *code = block->first; code; code = code->next) {
            if (code->type == CODE_NONE || kc_is_alias(code) || !needs_register(code))
                continue;
            code->number = ++e->registers[kc_class_of(code->type)];
        }
    /* aliases of aliases, whatever their order */
    for (struct block *block = e->l->first; block; block = block->next)
        for (struct code *code = block->first; code; code = code->next)
            if (code->type != CODE_NONE && kc_is_alias(code)) {
                const struct code *of = code;
                while (kc_is_alias(of))
                    of = of->a;
                code->number = of->number;
            }
    for (struct block *block = e->l->first; block; block = block->next)
        for (struct code *code = block->first; code; code = code->next)
            if (code->op == IR_RESULT && code->a->op == IR_ASM && code->index < 64)
                code->a->used_results |= UINT64_C(1) << code->index;
}
