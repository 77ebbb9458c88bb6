/* emit.c - instructions to the text of PTX. */
#include "kernelc/emit/emit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

const char *kc_space_suffix(enum space space)
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
        code->from == CODE_F16 || code->from == CODE_BF16 ? "b16" : kc_code_names[code->from];
    const bool is_volatile =
        code->sign == 'v' && code->space != SPACE_LOCAL && code->space != SPACE_CONST;
    const char *vector = code->lanes == 4 ? ".v4" : code->lanes == 2 ? ".v2" : "";
    char values[200] = "";
    int length = 0;
    if (code->lanes == 1) {
        length = snprintf(values, sizeof values, "%s",
                          load ? kc_register_name(code).text : kc_operand_of(code->b).text);
    } else {
        for (int i = 0; i < code->lanes; i++) {
            struct operand one;
            if (load) {
                /* its results' registers follow their own numbers */
                one = (struct operand){"_"};
                for (const struct code *r = code->next; r; r = r->next)
                    if (r->op == IR_RESULT && r->a == code && r->index == i)
                        one = kc_register_name(r);
            } else {
                one = kc_operand_of(code->list[i]);
            }
            length += snprintf(values + length, sizeof values - (size_t)length, "%s%s",
                               i ? ", " : "{", one.text);
        }
        snprintf(values + length, sizeof values - (size_t)length, "}");
    }
    char address[80];
    const struct operand base = kc_operand_of(code->a);
    if (code->integer)
        snprintf(address, sizeof address, "[%s+%lld]", base.text, (long long)code->integer);
    else
        snprintf(address, sizeof address, "[%s]", base.text);
    if (load)
        kc_put(c, e->out, "\tld%s%s%s.%s %s, %s;\n", is_volatile ? ".volatile" : "",
               kc_space_suffix(code->space), vector, type, values, address);
    else
        kc_put(c, e->out, "\tst%s%s%s.%s %s, %s;\n", is_volatile ? ".volatile" : "",
               kc_space_suffix(code->space), vector, type, address, values);
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
    const struct operand d = kc_register_name(code), a = kc_operand_of(code->a),
                         b = kc_operand_of(code->b);
    kc_put(e->c, e->out, "\t%s%s.%s %s, %s, %s;\n", name, rounding(code), kc_code_names[code->type],
           d.text, a.text, b.text);
}

/* and, or, xor, shl, not: of bits */
static void put_bits(struct emission *e, const struct code *code, const char *name)
{
    const struct operand d = kc_register_name(code), a = kc_operand_of(code->a);
    const char *type = code->type == CODE_PRED ? "pred" : kc_bytes(code->type) == 8 ? "b64" : "b32";
    if (code->b)
        kc_put(e->c, e->out, "\t%s.%s %s, %s, %s;\n", name, type, d.text, a.text,
               kc_operand_of(code->b).text);
    else
        kc_put(e->c, e->out, "\t%s.%s %s, %s;\n", name, type, d.text, a.text);
}

const char *kc_bits_of(enum code_type type)
{
    static const char *const names[CLASSES] = {"pred", "b16", "b32", "b64", "f32", "f64"};
    return names[kc_class_of(type)];
}

static void put_convert(struct emission *e, const struct code *code)
{
    const struct operand d = kc_register_name(code), a = kc_operand_of(code->a);
    enum code_type from = code->a->type, to = code->type;
    const bool from_real = kc_is_float_code(from), to_real = kc_is_float_code(to);
    if (from == CODE_PRED) {
        if (to == CODE_F32 || to == CODE_F64)
            kc_put(e->c, e->out, "\tselp.%s %s, %s, %s, %s;\n", kc_code_names[to], d.text,
                   kc_real_text(to, 1).text, kc_real_text(to, 0).text, a.text);
        else if (to_real)
            kc_put(e->c, e->out, "\tselp.b16 %s, %s, 0, %s;\n", d.text,
                   to == CODE_F16 ? "0x3C00" : "0x3F80", a.text);
        else
            kc_put(e->c, e->out, "\tselp.%s %s, 1, 0, %s;\n", kc_code_names[to], d.text, a.text);
        return;
    }
    const char *round = "";
    if (from_real && !to_real)
        round = ".rzi";
    else if (to_real && !(from_real && kc_bytes(from) < kc_bytes(to)))
        round = ".rn";
    kc_put(e->c, e->out, "\tcvt%s.%s.%s %s, %s;\n", round, kc_code_names[to], kc_code_names[from],
           d.text, a.text);
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
    kc_put(e->c, e->out, "\tsetp.%s.%s %s, %s, %s;\n", name, kc_code_names[code->from],
           kc_register_name(code).text, kc_operand_of(code->a).text, kc_operand_of(code->b).text);
}

static void put_symbol(struct emission *e, const struct code *code)
{
    const struct operand d = kc_register_name(code);
    char name[300];
    if (code->space == SPACE_LOCAL)
        snprintf(name, sizeof name, "__local_depot%d", e->l->number);
    else
        snprintf(name, sizeof name, "%s", code->text);
    kc_put(e->c, e->out, "\tmov.%s %s, %s;\n", code->type == CODE_U32 ? "u32" : "u64", d.text,
           name);
    if (!code->narrow && code->space != SPACE_NONE && code->space != SPACE_GLOBAL)
        kc_put(e->c, e->out, "\tcvta%s.u64 %s, %s;\n", kc_space_suffix(code->space), d.text,
               d.text);
}

static void put_constant(struct emission *e, const struct code *code)
{
    if (!code->number)
        return;
    const struct operand d = kc_register_name(code);
    if (code->type == CODE_PRED)
        kc_put(e->c, e->out, "\tsetp.%s.u32 %s, 0, 0;\n", code->integer ? "eq" : "ne", d.text);
    else
        kc_put(e->c, e->out, "\tmov.b16 %s, %lld;\n", d.text, (long long)(code->integer & 0xffff));
}

static void put_move(struct emission *e, const struct code *code)
{
    if (kc_is_alias(code))
        return;
    kc_put(e->c, e->out, "\tmov.%s %s, %s;\n",
           kc_bytes(code->type) == 8   ? "b64"
           : kc_bytes(code->type) == 4 ? "b32"
                                       : "b16",
           kc_register_name(code).text, kc_operand_of(code->a).text);
}

static void put_negative(struct emission *e, const struct code *code)
{
    const enum code_type type = code->type == CODE_U32   ? CODE_S32
                                : code->type == CODE_U64 ? CODE_S64
                                                         : code->type;
    kc_put(e->c, e->out, "\tneg.%s %s, %s;\n", kc_code_names[type], kc_register_name(code).text,
           kc_operand_of(code->a).text);
}

/* ---- calls -------------------------------------------------------------------------------------- */

static const char *parameter_type(enum code_type type)
{
    switch (kc_class_of(type)) {
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
                   i, i, kc_operand_of(value).text, i, i);
        else
            kc_put(c, e->out, "\tst.param.%s [param%d], %s;\n",
                   value->type == CODE_F32   ? "f32"
                   : value->type == CODE_F64 ? "f64"
                                             : parameter_type(value->type),
                   i, kc_operand_of(value).text);
    }
    if (result)
        kc_put(c, e->out, "\t.param .%s retval;\n", parameter_type(code->type));
    kc_put(c, e->out, "\tcall %s%s, (", result ? "(retval), " : "",
           indirect ? kc_operand_of(code->list[0]).text : code->text);
    for (int i = first; i < code->count; i++)
        kc_put(c, e->out, "%sparam%d", i > first ? ", " : "", i);
    kc_put(c, e->out, ")");
    if (indirect)
        kc_put(c, e->out, ", prototype_%d", label);
    kc_put(c, e->out, ";\n");
    if (result && code->type == CODE_PRED)
        kc_put(c, e->out,
               "\t.reg .b32 bool;\n\tld.param.b32 bool, [retval];\n\tsetp.ne.u32 %s, bool, 0;\n",
               kc_register_name(code).text);
    else if (result)
        kc_put(c, e->out, "\tld.param.%s %s, [retval];\n",
               code->type == CODE_F32   ? "f32"
               : code->type == CODE_F64 ? "f64"
                                        : parameter_type(code->type),
               kc_register_name(code).text);
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
             kc_class_of(phi->list[index]->type) != kc_class_of(phi->type)))
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
                kc_class_of(value->type) == kc_class_of(phi->type))
                continue;
            bool aside = false;
            for (const struct code *other = to->first;
                 !constant && other && other->op == IR_PHI && other != phi; other = other->next)
                aside |= other->number == value->number &&
                         kc_class_of(other->type) == kc_class_of(value->type);
            if (pass == 0) {
                if (aside) {
                    phi->index = ++e->registers[kc_class_of(phi->type)];
                    kc_put(e->c, e->out, "\tmov.%s %s%d, %s;\n", kc_bits_of(phi->type),
                           kc_register_classes[kc_class_of(phi->type)].prefix, phi->index,
                           kc_operand_of(value).text);
                }
                continue;
            }
            if (aside)
                kc_put(e->c, e->out, "\tmov.%s %s, %s%d;\n", kc_bits_of(phi->type),
                       kc_register_name(phi).text,
                       kc_register_classes[kc_class_of(phi->type)].prefix, phi->index);
            else
                kc_put(e->c, e->out, "\tmov.%s %s, %s;\n", kc_bits_of(phi->type),
                       kc_register_name(phi).text, kc_operand_of(value).text);
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
    const struct operand p = kc_operand_of(code->a);
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
               kc_operand_of(code->a).text);
    kc_put(e->c, e->out, "\tret;\n");
}

static void put_code(struct emission *e, struct block *block, const struct code *code)
{
    static const struct {
        void (*put)(struct emission *e, const struct code *code, const char *name);
        const char *name;
    } simple[] = {
        [IR_SUB] = {put_two, "sub"},  [IR_MUL] = {put_two, "mul"},  [IR_DIV] = {put_two, "div"},
        [IR_REM] = {put_two, "rem"},  [IR_SHR] = {put_two, "shr"},  [IR_AND] = {put_bits, "and"},
        [IR_OR] = {put_bits, "or"},   [IR_XOR] = {put_bits, "xor"}, [IR_SHL] = {put_bits, "shl"},
        [IR_NOT] = {put_bits, "not"},
    };
    struct kc *c = e->c;
    if (code->op != IR_PHI && code->op != IR_CONST && code->op != IR_RESULT && !kc_is_alias(code))
        put_site(e, code->site, 0);
    if (code->op < sizeof simple / sizeof *simple && simple[code->op].put) {
        simple[code->op].put(e, code, simple[code->op].name);
        return;
    }
    switch (code->op) {
    case IR_CONST:
        put_constant(e, code);
        break;
    case IR_SPECIAL:
        kc_put(c, e->out, "\tmov.u32 %s, %s;\n", kc_register_name(code).text, code->text);
        break;
    case IR_SYMBOL:
        put_symbol(e, code);
        break;
    case IR_PARAM: {
        const char *type =
            code->from == CODE_F16 || code->from == CODE_BF16 ? "b16" : kc_code_names[code->from];
        if (code->integer)
            kc_put(c, e->out, "\tld.param.%s %s, [%s+%lld];\n", type, kc_register_name(code).text,
                   code->text, (long long)code->integer);
        else
            kc_put(c, e->out, "\tld.param.%s %s, [%s];\n", type, kc_register_name(code).text,
                   code->text);
        break;
    }
    case IR_ADD:
        if (code->narrow || !kc_is_float_code(code->type))
            kc_put(c, e->out, "\tadd.%s %s, %s, %s;\n", kc_code_names[code->type],
                   kc_register_name(code).text, kc_operand_of(code->a).text,
                   kc_operand_of(code->b).text);
        else
            put_two(e, code, "add");
        break;
    case IR_PTR:
        kc_put(c, e->out, "\tadd.s64 %s, %s, %s;\n", kc_register_name(code).text,
               kc_operand_of(code->a).text, kc_operand_of(code->b).text);
        break;
    case IR_WIDE:
        kc_put(c, e->out, "\tmul.wide.%s %s, %s, %s;\n", kc_code_names[code->from],
               kc_register_name(code).text, kc_operand_of(code->a).text,
               kc_operand_of(code->b).text);
        break;
    case IR_NEG:
        put_negative(e, code);
        break;
    case IR_FMA:
        kc_put(c, e->out, "\tfma.rn.%s %s, %s, %s, %s;\n", kc_code_names[code->type],
               kc_register_name(code).text, kc_operand_of(code->a).text,
               kc_operand_of(code->b).text, kc_operand_of(code->c).text);
        break;
    case IR_SET:
        put_set(e, code);
        break;
    case IR_SELECT:
        if (code->type == CODE_PRED)
            kc_put(c, e->out,
                   "\t{ .reg .b32 a, b; selp.b32 a, 1, 0, %s; selp.b32 b, 1, 0, %s; selp.b32 a, a, "
                   "b, %s; setp.ne.u32 %s, a, 0; }\n",
                   kc_operand_of(code->a).text, kc_operand_of(code->b).text,
                   kc_operand_of(code->c).text, kc_register_name(code).text);
        else
            kc_put(c, e->out, "\tselp.%s %s, %s, %s, %s;\n", kc_bits_of(code->type),
                   kc_register_name(code).text, kc_operand_of(code->a).text,
                   kc_operand_of(code->b).text, kc_operand_of(code->c).text);
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
        kc_put_asm(e, code);
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
    kc_number_registers(&e);
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
            kc_put(l->c, output, "\t.reg .%s %s<%d>;\n", kc_register_classes[i].type,
                   kc_register_classes[i].prefix, e.registers[i] + 1);
    if (l->local_bytes)
        kc_put(l->c, output, "\t.local .align %u .b8 __local_depot%d[%llu];\n", l->local_align,
               l->number, (unsigned long long)l->local_bytes);
    for (int at = 0; at < body.length; at += 1900)
        kc_put(l->c, output, "%.1900s", body.at + at);
    kc_put(l->c, output, "}\n\n");
}
