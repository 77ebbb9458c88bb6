/* emit.c - instructions to the text of PTX. */
#include "kernelc/code.h"

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

/* ---- registers ---------------------------------------------------------------------------------- */

static const char *const type_name[] = {"",    "pred", "u8",  "s8",  "u16",  "s16", "u32",
                                        "s32", "u64",  "s64", "f16", "bf16", "f32", "f64"};

enum register_class { CLASS_P, CLASS_H, CLASS_R, CLASS_D, CLASS_F, CLASS_E, CLASSES };
static const struct {
    const char *prefix, *type;
} classes[CLASSES] = {{"%p", "pred"}, {"%rs", "b16"}, {"%r", "b32"},
                      {"%rd", "b64"}, {"%f", "f32"},  {"%fd", "f64"}};

static enum register_class class_of(enum code_type type)
{
    switch (type) {
    case CODE_PRED:
        return CLASS_P;
    case CODE_U16:
    case CODE_S16:
    case CODE_F16:
    case CODE_BF16:
        return CLASS_H;
    case CODE_F32:
        return CLASS_F;
    case CODE_F64:
        return CLASS_E;
    case CODE_U64:
    case CODE_S64:
        return CLASS_D;
    default:
        return CLASS_R;
    }
}

struct emission {
    struct lowering *l;
    struct kc *c;
    struct written *out;
    int registers[CLASSES];
    int site;
    int labels;
};

struct operand {
    char text[48];
};

static struct operand register_name(const struct code *code)
{
    struct operand operand;
    snprintf(operand.text, sizeof operand.text, "%s%d", classes[class_of(code->type)].prefix,
             code->number);
    return operand;
}

static struct operand real_text(enum code_type type, double real)
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
static struct operand operand_of(const struct code *code)
{
    struct operand operand;
    if (code->op != IR_CONST || code->number)
        return register_name(code);
    if (kc_is_float_code(code->type))
        return real_text(code->type, code->real);
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

/* The same bits in the same class of registers: no instruction. */
static bool is_alias(const struct code *code)
{
    return code->op == IR_MOVE && class_of(code->type) == class_of(code->a->type) &&
           !(code->a->op == IR_CONST && !needs_register(code->a));
}

static void number_registers(struct emission *e)
{
    for (struct block *block = e->l->first; block; block = block->next)
        for (struct code *code = block->first; code; code = code->next) {
            if (code->type == CODE_NONE || is_alias(code) || !needs_register(code))
                continue;
            code->number = ++e->registers[class_of(code->type)];
        }
    /* aliases of aliases, whatever their order */
    for (struct block *block = e->l->first; block; block = block->next)
        for (struct code *code = block->first; code; code = code->next)
            if (code->type != CODE_NONE && is_alias(code)) {
                const struct code *of = code;
                while (is_alias(of))
                    of = of->a;
                code->number = of->number;
            }
    for (struct block *block = e->l->first; block; block = block->next)
        for (struct code *code = block->first; code; code = code->next)
            if (code->op == IR_RESULT && code->a->op == IR_ASM && code->index < 64)
                code->a->used_results |= UINT64_C(1) << code->index;
}

/* ---- places ------------------------------------------------------------------------------------- */

/* The place of a call comes before what was inlined there: ptxas wants to have seen it. */
static void put_site(struct emission *e, int number, int depth)
{
    const struct lowering *l = e->l;
    if (number < 0 || number >= l->sites || (number == e->site && !depth))
        return;
    struct site *site = &e->l->site[number];
    const bool inlined = site->inlined_at >= 0 && site->inlined_at < l->sites && depth < 64;
    if (inlined && !l->site[site->inlined_at].seen)
        put_site(e, site->inlined_at, depth + 1);
    e->site = number;
    site->seen = true;
    if (inlined) {
        const struct site *at = &l->site[site->inlined_at];
        kc_put(e->c, e->out,
               "\t.loc %d %d %d, function_name $L__info_string0, inlined_at %d %d %d\n",
               site->place.file + 1, site->place.line, site->place.column, at->place.file + 1,
               at->place.line, at->place.column);
        return;
    }
    kc_put(e->c, e->out, "\t.loc %d %d %d\n", site->place.file + 1, site->place.line,
           site->place.column);
}

/* ---- instructions ------------------------------------------------------------------------------- */

static const char *space_suffix(enum space space)
{
    static const char *const suffix[] = {"",       ".global", ".shared", ".local",
                                         ".const", ".param",  ""};
    return suffix[space];
}

static void put_memory(struct emission *e, const struct code *code)
{
    struct kc *c = e->c;
    const bool load = code->op == IR_LOAD;
    const char *type =
        code->from == CODE_F16 || code->from == CODE_BF16 ? "b16" : type_name[code->from];
    const bool is_volatile =
        code->sign == 'v' && code->space != SPACE_LOCAL && code->space != SPACE_CONST;
    const char *vector = code->lanes == 4 ? ".v4" : code->lanes == 2 ? ".v2" : "";
    char values[200] = "";
    int length = 0;
    if (code->lanes == 1) {
        length = snprintf(values, sizeof values, "%s",
                          load ? register_name(code).text : operand_of(code->b).text);
    } else {
        for (int i = 0; i < code->lanes; i++) {
            struct operand one;
            if (load) {
                /* its results' registers follow their own numbers */
                one = (struct operand){"_"};
                for (const struct code *r = code->next; r; r = r->next)
                    if (r->op == IR_RESULT && r->a == code && r->index == i)
                        one = register_name(r);
            } else {
                one = operand_of(code->list[i]);
            }
            length += snprintf(values + length, sizeof values - (size_t)length, "%s%s",
                               i ? ", " : "{", one.text);
        }
        snprintf(values + length, sizeof values - (size_t)length, "}");
    }
    char address[80];
    const struct operand base = operand_of(code->a);
    if (code->integer)
        snprintf(address, sizeof address, "[%s+%lld]", base.text, (long long)code->integer);
    else
        snprintf(address, sizeof address, "[%s]", base.text);
    if (load)
        kc_put(c, e->out, "\tld%s%s%s.%s %s, %s;\n", is_volatile ? ".volatile" : "",
               space_suffix(code->space), vector, type, values, address);
    else
        kc_put(c, e->out, "\tst%s%s%s.%s %s, %s;\n", is_volatile ? ".volatile" : "",
               space_suffix(code->space), vector, type, address, values);
}

static const char *rounding(const struct code *code)
{
    const bool real = kc_is_float_code(code->type);
    if (!real)
        return code->op == IR_MUL ? ".lo" : "";
    return ".rn";
}

static void put_two(struct emission *e, const struct code *code, const char *name)
{
    const struct operand d = register_name(code), a = operand_of(code->a), b = operand_of(code->b);
    kc_put(e->c, e->out, "\t%s%s.%s %s, %s, %s;\n", name, rounding(code), type_name[code->type],
           d.text, a.text, b.text);
}

/* and, or, xor, shl, not: of bits */
static void put_bits(struct emission *e, const struct code *code, const char *name)
{
    const struct operand d = register_name(code), a = operand_of(code->a);
    const char *type = code->type == CODE_PRED ? "pred" : kc_bytes(code->type) == 8 ? "b64" : "b32";
    if (code->b)
        kc_put(e->c, e->out, "\t%s.%s %s, %s, %s;\n", name, type, d.text, a.text,
               operand_of(code->b).text);
    else
        kc_put(e->c, e->out, "\t%s.%s %s, %s;\n", name, type, d.text, a.text);
}

static const char *bits_of(enum code_type type)
{
    static const char *const names[CLASSES] = {"pred", "b16", "b32", "b64", "f32", "f64"};
    return names[class_of(type)];
}

static void put_convert(struct emission *e, const struct code *code)
{
    const struct operand d = register_name(code), a = operand_of(code->a);
    enum code_type from = code->a->type, to = code->type;
    const bool from_real = kc_is_float_code(from), to_real = kc_is_float_code(to);
    if (from == CODE_PRED) {
        if (to == CODE_F32 || to == CODE_F64)
            kc_put(e->c, e->out, "\tselp.%s %s, %s, %s, %s;\n", type_name[to], d.text,
                   real_text(to, 1).text, real_text(to, 0).text, a.text);
        else if (to_real)
            kc_put(e->c, e->out, "\tselp.b16 %s, %s, 0, %s;\n", d.text,
                   to == CODE_F16 ? "0x3C00" : "0x3F80", a.text);
        else
            kc_put(e->c, e->out, "\tselp.%s %s, 1, 0, %s;\n", type_name[to], d.text, a.text);
        return;
    }
    const char *round = "";
    if (from_real && !to_real)
        round = ".rzi";
    else if (to_real && !(from_real && kc_bytes(from) < kc_bytes(to)))
        round = ".rn";
    kc_put(e->c, e->out, "\tcvt%s.%s.%s %s, %s;\n", round, type_name[to], type_name[from], d.text,
           a.text);
}

static void put_set(struct emission *e, const struct code *code)
{
    const bool real = kc_is_float_code(code->from);
    const char *name = code->sign == '<'                  ? "lt"
                       : code->sign == '>'                ? "gt"
                       : code->sign == SIGN_LESS_EQUAL    ? "le"
                       : code->sign == SIGN_GREATER_EQUAL ? "ge"
                       : code->sign == SIGN_EQUAL         ? "eq"
                       : real                             ? "neu"
                                                          : "ne";
    kc_put(e->c, e->out, "\tsetp.%s.%s %s, %s, %s;\n", name, type_name[code->from],
           register_name(code).text, operand_of(code->a).text, operand_of(code->b).text);
}

static void put_symbol(struct emission *e, const struct code *code)
{
    const struct operand d = register_name(code);
    char name[300];
    if (code->space == SPACE_LOCAL)
        snprintf(name, sizeof name, "__local_depot%d", e->l->number);
    else
        snprintf(name, sizeof name, "%s", code->text);
    kc_put(e->c, e->out, "\tmov.%s %s, %s;\n", code->type == CODE_U32 ? "u32" : "u64", d.text,
           name);
    if (!code->narrow && code->space != SPACE_NONE && code->space != SPACE_GLOBAL)
        kc_put(e->c, e->out, "\tcvta%s.u64 %s, %s;\n", space_suffix(code->space), d.text, d.text);
}

static void put_constant(struct emission *e, const struct code *code)
{
    if (!code->number)
        return;
    const struct operand d = register_name(code);
    if (code->type == CODE_PRED)
        kc_put(e->c, e->out, "\tsetp.%s.u32 %s, 0, 0;\n", code->integer ? "eq" : "ne", d.text);
    else
        kc_put(e->c, e->out, "\tmov.b16 %s, %lld;\n", d.text, (long long)(code->integer & 0xffff));
}

static void put_move(struct emission *e, const struct code *code)
{
    if (is_alias(code))
        return;
    kc_put(e->c, e->out, "\tmov.%s %s, %s;\n",
           kc_bytes(code->type) == 8   ? "b64"
           : kc_bytes(code->type) == 4 ? "b32"
                                       : "b16",
           register_name(code).text, operand_of(code->a).text);
}

static void put_negative(struct emission *e, const struct code *code)
{
    const enum code_type type = code->type == CODE_U32   ? CODE_S32
                                : code->type == CODE_U64 ? CODE_S64
                                                         : code->type;
    kc_put(e->c, e->out, "\tneg.%s %s, %s;\n", type_name[type], register_name(code).text,
           operand_of(code->a).text);
}

/* ---- inline PTX --------------------------------------------------------------------------------- */

static struct operand asm_operand(struct emission *e, const struct code *code, int index)
{
    if (index < code->results) {
        for (const struct code *r = code->next; r; r = r->next)
            if (r->op == IR_RESULT && r->a == code && r->index == index)
                return register_name(r);
        struct operand unused; /* a register that nothing reads */
        const enum register_class class = class_of(code->result_type[index]);
        snprintf(unused.text, sizeof unused.text, "%s%d", classes[class].prefix,
                 ++e->registers[class]);
        return unused;
    }
    index -= code->results;
    if (index < code->count)
        return operand_of(code->list[index]);
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

static void put_asm(struct emission *e, const struct code *code)
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
            kc_put(e->c, e->out, "\tmov.%s %s, %s;\n", bits_of(code->result_type[i]),
                   i < 32 ? results[i].text : "_", operand_of(code->list[--input]).text);
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
            kc_put(e->c, e->out, "%s", code->space == SPACE_LOCAL ? "" : space_suffix(code->space));
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

/* ---- calls -------------------------------------------------------------------------------------- */

static const char *parameter_type(enum code_type type)
{
    switch (class_of(type)) {
    case CLASS_H:
        return "b16";
    case CLASS_D:
    case CLASS_E:
        return "b64";
    default:
        return "b32";
    }
}

static void put_call(struct emission *e, const struct code *code)
{
    struct kc *c = e->c;
    const bool indirect = !code->text;
    const int first = indirect ? 1 : 0, label = e->labels++;
    const bool result = code->type != CODE_NONE;
    if (indirect) {
        kc_put(c, e->out, "\tprototype_%d: .callprototype ", label);
        kc_put(c, e->out, result ? "(.param .%s _) _ (" : "_ (", parameter_type(code->type));
        for (int i = first; i < code->count; i++)
            kc_put(c, e->out, "%s.param .%s _", i > first ? ", " : "",
                   parameter_type(code->list[i]->type));
        kc_put(c, e->out, ");\n");
    }
    kc_put(c, e->out, "\t{\n");
    for (int i = first; i < code->count; i++) {
        const struct code *value = code->list[i];
        kc_put(c, e->out, "\t.param .%s param%d;\n", parameter_type(value->type), i);
        if (value->type == CODE_PRED)
            kc_put(c, e->out,
                   "\t.reg .b32 bool%d;\n\tselp.b32 bool%d, 1, 0, %s;\n\tst.param.b32 [param%d], "
                   "bool%d;\n",
                   i, i, operand_of(value).text, i, i);
        else
            kc_put(c, e->out, "\tst.param.%s [param%d], %s;\n",
                   value->type == CODE_F32   ? "f32"
                   : value->type == CODE_F64 ? "f64"
                                             : parameter_type(value->type),
                   i, operand_of(value).text);
    }
    if (result)
        kc_put(c, e->out, "\t.param .%s retval;\n", parameter_type(code->type));
    kc_put(c, e->out, "\tcall %s%s, (", result ? "(retval), " : "",
           indirect ? operand_of(code->list[0]).text : code->text);
    for (int i = first; i < code->count; i++)
        kc_put(c, e->out, "%sparam%d", i > first ? ", " : "", i);
    kc_put(c, e->out, ")");
    if (indirect)
        kc_put(c, e->out, ", prototype_%d", label);
    kc_put(c, e->out, ";\n");
    if (result && code->type == CODE_PRED)
        kc_put(c, e->out,
               "\t.reg .b32 bool;\n\tld.param.b32 bool, [retval];\n\tsetp.ne.u32 %s, bool, 0;\n",
               register_name(code).text);
    else if (result)
        kc_put(c, e->out, "\tld.param.%s %s, [retval];\n",
               code->type == CODE_F32   ? "f32"
               : code->type == CODE_F64 ? "f64"
                                        : parameter_type(code->type),
               register_name(code).text);
    kc_put(c, e->out, "\t}\n");
}

/* ---- ends of blocks ----------------------------------------------------------------------------- */

static int edge_index(const struct block *from, const struct block *to)
{
    for (int i = 0; i < to->before_count; i++)
        if (to->before[i] == from)
            return i;
    return -1;
}

static bool has_copies(const struct block *from, const struct block *to)
{
    const int index = edge_index(from, to);
    for (const struct code *phi = to->first; phi && phi->op == IR_PHI; phi = phi->next)
        if (index >= 0 && index < phi->count &&
            (phi->list[index]->number != phi->number ||
             class_of(phi->list[index]->type) != class_of(phi->type)))
            return true;
    return false;
}

static bool is_register(const struct code *code)
{
    return code->number != 0;
}

/* All at once: what another copy of this edge overwrites is kept aside first. */
static void put_copies(struct emission *e, const struct block *from, const struct block *to)
{
    const int index = edge_index(from, to);
    if (index < 0)
        return;
    for (int pass = 0; pass < 2; pass++)
        for (struct code *phi = to->first; phi && phi->op == IR_PHI; phi = phi->next) {
            if (index >= phi->count)
                continue;
            const struct code *value = phi->list[index];
            const bool constant = !is_register(value);
            if (!constant && value->number == phi->number &&
                class_of(value->type) == class_of(phi->type))
                continue;
            bool aside = false;
            for (const struct code *other = to->first;
                 !constant && other && other->op == IR_PHI && other != phi; other = other->next)
                aside |= other->number == value->number &&
                         class_of(other->type) == class_of(value->type);
            if (pass == 0) {
                if (aside) {
                    phi->index = ++e->registers[class_of(phi->type)];
                    kc_put(e->c, e->out, "\tmov.%s %s%d, %s;\n", bits_of(phi->type),
                           classes[class_of(phi->type)].prefix, phi->index, operand_of(value).text);
                }
                continue;
            }
            if (aside)
                kc_put(e->c, e->out, "\tmov.%s %s, %s%d;\n", bits_of(phi->type),
                       register_name(phi).text, classes[class_of(phi->type)].prefix, phi->index);
            else
                kc_put(e->c, e->out, "\tmov.%s %s, %s;\n", bits_of(phi->type),
                       register_name(phi).text, operand_of(value).text);
        }
}

static void put_label(struct emission *e, const struct block *block, const char *before)
{
    kc_put(e->c, e->out, "%s$L_%d_%d", before, e->l->number, block->number);
}

static void put_jump(struct emission *e, const struct block *from, const struct block *to)
{
    put_copies(e, from, to);
    if (from->next == to)
        return;
    put_label(e, to, "\tbra ");
    kc_put(e->c, e->out, ";\n");
}

static void put_branch(struct emission *e, const struct block *block, const struct code *code)
{
    struct block *yes = block->to[0], *no = block->to[1];
    const struct operand p = operand_of(code->a);
    if (has_copies(block, yes)) {
        const int label = e->labels++;
        kc_put(e->c, e->out, "\t@!%s bra $L_%d_edge%d;\n", p.text, e->l->number, label);
        put_copies(e, block, yes);
        put_label(e, yes, "\tbra ");
        kc_put(e->c, e->out, ";\n$L_%d_edge%d:\n", e->l->number, label);
        put_jump(e, block, no);
        return;
    }
    if (block->next == yes && !has_copies(block, no)) {
        kc_put(e->c, e->out, "\t@!%s", p.text);
        put_label(e, no, " bra ");
        kc_put(e->c, e->out, ";\n");
        return;
    }
    kc_put(e->c, e->out, "\t@%s", p.text);
    put_label(e, yes, " bra ");
    kc_put(e->c, e->out, ";\n");
    put_jump(e, block, no);
}

static void put_return(struct emission *e, const struct code *code)
{
    if (code->a)
        kc_put(e->c, e->out, "\tst.param.%s [r], %s;\n",
               code->a->type == CODE_F32   ? "f32"
               : code->a->type == CODE_F64 ? "f64"
                                           : parameter_type(code->a->type),
               operand_of(code->a).text);
    kc_put(e->c, e->out, "\tret;\n");
}

static void put_code(struct emission *e, struct block *block, const struct code *code)
{
    struct kc *c = e->c;
    if (code->op != IR_PHI && code->op != IR_CONST && code->op != IR_RESULT && !is_alias(code))
        put_site(e, code->site, 0);
    switch (code->op) {
    case IR_CONST:
        put_constant(e, code);
        break;
    case IR_SPECIAL:
        kc_put(c, e->out, "\tmov.u32 %s, %s;\n", register_name(code).text, code->text);
        break;
    case IR_SYMBOL:
        put_symbol(e, code);
        break;
    case IR_PARAM: {
        const char *type =
            code->from == CODE_F16 || code->from == CODE_BF16 ? "b16" : type_name[code->from];
        if (code->integer)
            kc_put(c, e->out, "\tld.param.%s %s, [%s+%lld];\n", type, register_name(code).text,
                   code->text, (long long)code->integer);
        else
            kc_put(c, e->out, "\tld.param.%s %s, [%s];\n", type, register_name(code).text,
                   code->text);
        break;
    }
    case IR_ADD:
        if (code->narrow || !kc_is_float_code(code->type))
            kc_put(c, e->out, "\tadd.%s %s, %s, %s;\n", type_name[code->type],
                   register_name(code).text, operand_of(code->a).text, operand_of(code->b).text);
        else
            put_two(e, code, "add");
        break;
    case IR_PTR:
        kc_put(c, e->out, "\tadd.s64 %s, %s, %s;\n", register_name(code).text,
               operand_of(code->a).text, operand_of(code->b).text);
        break;
    case IR_SUB:
        put_two(e, code, "sub");
        break;
    case IR_MUL:
        put_two(e, code, "mul");
        break;
    case IR_WIDE:
        kc_put(c, e->out, "\tmul.wide.%s %s, %s, %s;\n", type_name[code->from],
               register_name(code).text, operand_of(code->a).text, operand_of(code->b).text);
        break;
    case IR_DIV:
        put_two(e, code, "div");
        break;
    case IR_REM:
        put_two(e, code, "rem");
        break;
    case IR_AND:
        put_bits(e, code, "and");
        break;
    case IR_OR:
        put_bits(e, code, "or");
        break;
    case IR_XOR:
        put_bits(e, code, "xor");
        break;
    case IR_SHL:
        put_bits(e, code, "shl");
        break;
    case IR_SHR:
        put_two(e, code, "shr");
        break;
    case IR_NEG:
        put_negative(e, code);
        break;
    case IR_NOT:
        put_bits(e, code, "not");
        break;
    case IR_FMA:
        kc_put(c, e->out, "\tfma.rn.%s %s, %s, %s, %s;\n", type_name[code->type],
               register_name(code).text, operand_of(code->a).text, operand_of(code->b).text,
               operand_of(code->c).text);
        break;
    case IR_SET:
        put_set(e, code);
        break;
    case IR_SELECT:
        if (code->type == CODE_PRED)
            kc_put(c, e->out,
                   "\t{ .reg .b32 a, b; selp.b32 a, 1, 0, %s; selp.b32 b, 1, 0, %s; selp.b32 a, a, "
                   "b, %s; setp.ne.u32 %s, a, 0; }\n",
                   operand_of(code->a).text, operand_of(code->b).text, operand_of(code->c).text,
                   register_name(code).text);
        else
            kc_put(c, e->out, "\tselp.%s %s, %s, %s, %s;\n", bits_of(code->type),
                   register_name(code).text, operand_of(code->a).text, operand_of(code->b).text,
                   operand_of(code->c).text);
        break;
    case IR_CONVERT:
        put_convert(e, code);
        break;
    case IR_MOVE:
        put_move(e, code);
        break;
    case IR_LOAD:
    case IR_STORE:
        put_memory(e, code);
        break;
    case IR_ASM:
        put_asm(e, code);
        break;
    case IR_CALL:
        put_call(e, code);
        break;
    case IR_JUMP:
        put_jump(e, block, block->to[0]);
        break;
    case IR_BRANCH:
        put_branch(e, block, code);
        break;
    case IR_RETURN:
        put_return(e, code);
        break;
    case IR_TRAP:
        kc_put(c, e->out, "\ttrap;\n");
        break;
    default:
        break;
    }
}

/* The body, its registers last made known first. */
void kc_emit(struct lowering *l, struct written *output)
{
    struct written body = {0};
    struct emission e = {.l = l, .c = l->c, .out = &body, .site = -1};
    number_registers(&e);
    for (struct block *block = l->first; block && kc_work(l->c); block = block->next) {
        if (!block->dominator && block != l->first)
            continue;
        put_label(&e, block, "");
        kc_put(l->c, &body, ":\n");
        for (struct code *code = block->first; code && kc_work(l->c); code = code->next)
            put_code(&e, block, code);
    }
    kc_put(l->c, output, "{\n");
    for (int i = 0; i < CLASSES; i++)
        if (e.registers[i])
            kc_put(l->c, output, "\t.reg .%s %s<%d>;\n", classes[i].type, classes[i].prefix,
                   e.registers[i] + 1);
    if (l->local_bytes)
        kc_put(l->c, output, "\t.local .align %u .b8 __local_depot%d[%llu];\n", l->local_align,
               l->number, (unsigned long long)l->local_bytes);
    for (int at = 0; at < body.length; at += 1900)
        kc_put(l->c, output, "%.1900s", body.at + at);
    kc_put(l->c, output, "}\n\n");
}
