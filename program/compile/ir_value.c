/* ir_value.c - follows values through code in LLVM's text, as it is before it is optimised (ir_value.h). */
#define _GNU_SOURCE /* memmem */
#include "program/compile/ir_value.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 40 };

static const struct ir_text nothing = {NULL, 0};

/* Where " to " is, outside of brackets; the length if it is nowhere. */
static size_t find_to(struct ir_text text)
{
    int depth = 0;
    for (size_t i = 0; i + 4 <= text.length; i++) {
        if (!depth && !memcmp(text.at + i, " to ", 4))
            return i;
        depth = ir_depth_behind(depth, text.at[i]);
    }
    return text.length;
}

/* Bits of the integer type that an operand begins with, behind words such as "nsw"; 64 for pointers; 0: of none. */
static int bits_of(struct ir_text operand)
{
    for (size_t at = 0; at < operand.length;) {
        const size_t length = ir_word_length(operand, at);
        const struct ir_text word = {operand.at + at, length};
        if (word.length > 1 && *word.at == 'i' && word.at[1] >= '1' && word.at[1] <= '9')
            return word.at[word.length - 1] == '*' ? 64 : atoi(word.at + 1);
        if (ir_begins(word, "ptr") || (word.length && word.at[word.length - 1] == '*'))
            return 64;
        at += length + 1;
    }
    return 0;
}

/* ---- types ----------------------------------------------------------------------------------------- */

struct layout {
    uint64_t size, align; /* bytes; size 0: not known */
};
static struct layout layout_of(const struct ir *ir, struct ir_text type, int depth);

/* Where a struct's field begins: of so many fields the end, where `index` is too large. *align: the largest. */
static uint64_t field_at(const struct ir *ir, struct ir_text fields, int index, bool packed,
                         struct ir_text *field, uint64_t *align, int depth)
{
    uint64_t at = 0;
    struct ir_text type;
    *align = 1;
    for (int i = 0; (type = ir_part(fields, i)).at && type.length; i++) {
        const struct layout is = layout_of(ir, type, depth + 1);
        const uint64_t step = packed || !is.align ? 1 : is.align;
        at = (at + step - 1) / step * step;
        *align = step > *align ? step : *align;
        *field = type;
        if (i == index)
            return at;
        at += is.size;
    }
    return (at + *align - 1) / *align * *align;
}

/* What is between the braces of a struct's type, named or not; at NULL: it is none. */
static struct ir_text fields_of(const struct ir *ir, struct ir_text type, bool *packed)
{
    char text[300];
    *packed = false;
    if (ir_begins(type, "%") && type.length < sizeof text - 20) {
        snprintf(text, sizeof text, "\n%.*s = type ", (int)type.length, type.at);
        const char *found = memmem(ir->text, ir->length, text, strlen(text));
        if (!found)
            return nothing;
        found += strlen(text);
        type = (struct ir_text){found, strcspn(found, "\n")};
    }
    *packed = ir_begins(type, "<{");
    const size_t skip = *packed ? 2 : 1;
    return (ir_begins(type, "{") || *packed) && type.length >= 2 * skip
               ? ir_from(ir_until(type, type.length - skip), skip)
               : nothing;
}

/* "[4 x float]", "<4 x float>": the count, and the type of an element. */
static uint64_t elements_of(struct ir_text type, struct ir_text *element)
{
    if (!type.length)
        return 0;
    const char *by = memmem(type.at, type.length, " x ", 3);
    if (!by || (*type.at != '[' && *type.at != '<'))
        return 0;
    const size_t at = (size_t)(by - type.at) + 3;
    *element = ir_from((struct ir_text){type.at, type.length - 1}, at);
    return strtoull(type.at + 1, NULL, 10) + 1; /* and one, since it may be 0 */
}

static struct layout layout_of(const struct ir *ir, struct ir_text type, int depth)
{
    static const struct {
        const char *name;
        uint64_t size;
    } plain[] = {{"float", 4}, {"double", 8}, {"half", 2}, {"bfloat", 2}};
    struct ir_text element;
    bool packed;
    if (depth > 8 || !type.length)
        return (struct layout){0, 1};
    if (type.at[type.length - 1] == '*' || ir_begins(type, "ptr"))
        return (struct layout){8, 8};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (ir_is(type, plain[i].name))
            return (struct layout){plain[i].size, plain[i].size};
    if (*type.at == 'i') {
        const uint64_t bytes = (strtoull(type.at + 1, NULL, 10) + 7) / 8;
        return (struct layout){bytes, bytes ? bytes : 1};
    }
    const uint64_t count = elements_of(type, &element);
    if (count) {
        const struct layout each = layout_of(ir, element, depth + 1);
        const uint64_t size = each.size * (count - 1);
        return (struct layout){size, *type.at == '<' && size ? size : each.align};
    }
    const struct ir_text fields = fields_of(ir, type, &packed);
    struct layout is = {0, 1};
    if (fields.at)
        is.size = field_at(ir, fields, -1, packed, &element, &is.align, depth);
    return is;
}

/* ---- values ------------------------------------------------------------------------------------------ */

/* A function in which values are looked up: a kernel, or one that it calls. */
struct frame {
    const struct ir_function *function;
    const struct frame *caller; /* NULL: it is the kernel */
    struct ir_text arguments;   /* of the call, in the caller */
    const char *at;             /* the call */
    int depth;
};
struct following {
    struct ir_values *values;
    struct ir_value *value;
    size_t length; /* of its text */
};

static void worse(struct following *f, enum value_kind kind)
{
    if (kind > f->value->kind)
        f->value->kind = kind;
}

__attribute__((format(printf, 2, 3))) static void put(struct following *f, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int used = vsnprintf(f->value->text + f->length, VALUE_TEXT - f->length, format, list);
    va_end(list);
    if (used < 0 || f->length + (size_t)used >= VALUE_TEXT)
        worse(f, VALUE_UNKNOWN);
    else
        f->length += (size_t)used;
}

static void follow_operand(struct following *f, const struct frame *frame, struct ir_text operand,
                           const char *at);

/* "i32 %0" of the parameters; -1: it is none of them. *whole: with its type and attributes. */
static int parameter_of(const struct ir_function *function, struct ir_text name,
                        struct ir_text *whole)
{
    for (int i = 0; (*whole = ir_part(function->parameters, i)).length; i++) {
        const struct ir_text own = ir_operand(*whole);
        if (own.length == name.length && !memcmp(own.at, name.at, name.length))
            return i;
    }
    return -1;
}

/* Bytes of what a parameter is: of a struct, which is passed by its address, none. */
static uint64_t parameter_bytes(const struct ir *ir, struct ir_text whole)
{
    const struct ir_text type = {whole.at, ir_word_length(whole, 0)};
    return memmem(whole.at, whole.length, "byval(", 6) ? 0 : layout_of(ir, type, 0).size;
}

static void follow_parameter(struct following *f, const struct frame *frame, int index,
                             struct ir_text whole)
{
    if (frame->caller) {
        follow_operand(f, frame->caller, ir_part(frame->arguments, index), frame->at);
        return;
    }
    const uint64_t bytes = parameter_bytes(f->values->ir, whole);
    if (!bytes || bytes > 8)
        worse(f, VALUE_UNKNOWN);
    put(f, "p%d.0.%d ", index, (int)bytes);
}

/* The offset of a getelementptr behind its base; of a struct's parameter (fixed) only numbers. */
static void follow_indices(struct following *f, const struct frame *frame, struct ir_text operands,
                           const char *at)
{
    const struct ir *ir = f->values->ir;
    struct ir_text type = ir_part(operands, 0), index, element = nothing;
    for (int i = 2; (index = ir_part(operands, i)).at && !ir_begins(index, "!"); i++) {
        const struct ir_text number = ir_operand(index);
        bool packed;
        uint64_t align;
        if (i > 2 && elements_of(type, &element)) {
            type = element;
        } else if (i > 2) {
            const struct ir_text fields = fields_of(ir, type, &packed);
            const uint64_t bytes =
                field_at(ir, fields, atoi(number.at), packed, &element, &align, 0);
            if (!element.length)
                worse(f, VALUE_UNKNOWN);
            put(f, "%llu add64 ", (unsigned long long)bytes);
            type = element;
            continue;
        }
        const uint64_t size = layout_of(ir, type, 0).size;
        if (!size)
            worse(f, VALUE_UNKNOWN);
        if (number.length == 1 && *number.at == '0')
            continue;
        follow_operand(f, frame, index, at);
        if (bits_of(index) < 64 && !strchr("-0123456789", *number.at))
            put(f, "sext%d ", bits_of(index));
        put(f, "%llu mul64 add64 ", (unsigned long long)size);
    }
}

/* A load of a kernel's parameter that is a struct. false: it is none. */
static bool follow_member(struct following *f, const struct frame *frame, struct ir_text address,
                          uint64_t bytes)
{
    const char *at;
    struct ir_text whole, made = ir_definition(frame->function, address, &at);
    static const char word[] = "getelementptr inbounds ";
    uint64_t offset = 0, align;
    if (frame->caller || !bytes || bytes > 8)
        return false;
    if (ir_begins(made, word)) {
        const struct ir_text operands = ir_from(made, sizeof word - 1);
        struct ir_text type = ir_part(operands, 0), index, field = nothing;
        address = ir_operand(ir_part(operands, 1));
        for (int i = 3; (index = ir_part(operands, i)).at && !ir_begins(index, "!"); i++) {
            bool packed;
            const struct ir_text fields = fields_of(f->values->ir, type, &packed);
            if (!fields.at)
                return false;
            offset += field_at(f->values->ir, fields, atoi(ir_operand(index).at), packed, &field,
                               &align, 0);
            type = field;
        }
    }
    const int index = parameter_of(frame->function, address, &whole);
    if (index < 0 || parameter_bytes(f->values->ir, whole))
        return false;
    put(f, "p%d.%d.%d ", index, (int)offset, (int)bytes);
    return true;
}

static void follow_load(struct following *f, const struct frame *frame, struct ir_text operands,
                        const char *at)
{
    const struct ir_text address = ir_operand(ir_part(operands, 1)), type = ir_part(operands, 0);
    const char *where;
    struct ir_text stored = ir_stored_at(frame->function, address, at, &where);
    if (stored.at) {
        follow_operand(f, frame, stored, where);
        return;
    }
    if (follow_member(f, frame, address, layout_of(f->values->ir, type, 0).size))
        return;
    const char *next = NULL;
    if (ir_next_store(frame->function, address, &next, &stored)) {
        worse(f, VALUE_MOVES);
        return;
    }
    follow_operand(f, frame, ir_part(operands, 1), at); /* whether threads differ in it */
    worse(f, VALUE_UNKNOWN);
}

/* What a function of the program's returns. false: it is none, or has several ends. */
static bool follow_returned(struct following *f, const struct frame *frame, struct ir_text symbol,
                            struct ir_text arguments, const char *at)
{
    const struct ir_values *values = f->values;
    struct ir_text line;
    bool label;
    for (size_t i = 0; i < values->functions; i++) {
        const struct ir_function *called = &values->function[i];
        if (called->symbol.length != symbol.length ||
            memcmp(called->symbol.at, symbol.at, symbol.length) != 0)
            continue;
        const struct frame inner = {called, frame, arguments, at, frame->depth + 1};
        for (const char *next = called->body.at; ir_next_line(called->body, &next, &line, &label);)
            if (ir_begins(line, "ret ")) {
                follow_operand(f, &inner, ir_part(ir_from(line, 4), 0), line.at);
                return true;
            }
    }
    return false;
}

static void follow_call(struct following *f, const struct frame *frame, struct ir_text made,
                        const char *at)
{
    static const char reads[] = "llvm.nvvm.read.ptx.sreg.";
    const char *symbol = memchr(made.at, '@', made.length);
    const char *open =
        symbol ? memchr(symbol, '(', made.length - (size_t)(symbol - made.at)) : NULL;
    if (!open) {
        worse(f, VALUE_UNKNOWN);
        return;
    }
    const struct ir_text name = {symbol + 1, (size_t)(open - symbol - 1)};
    const struct ir_text all = {open, made.length - (size_t)(open - made.at)};
    const size_t length = ir_word_length(all, 0);
    const struct ir_text inside = {open + 1, length >= 2 ? length - 2 : 0};
    const struct ir_text what = ir_begins(name, reads) ? ir_from(name, sizeof reads - 1) : nothing;
    if (ir_begins(what, "ntid.") || ir_begins(what, "nctaid."))
        put(f, "%c%c ", what.at[1] == 't' ? 'n' : 'g', what.at[what.length - 1]);
    else if (what.at)
        worse(f, VALUE_MOVES);
    else if (!follow_returned(f, frame, name, inside, at))
        worse(f, VALUE_UNKNOWN);
}

/* "TYPE VALUE to TYPE" */
static void follow_cast(struct following *f, const struct frame *frame, struct ir_text operation,
                        struct ir_text rest, const char *at)
{
    const size_t to = find_to(rest);
    const struct ir_text operand = ir_until(rest, to),
                         type = ir_from(rest, to + 4 < rest.length ? to + 4 : to);
    const int before = bits_of(operand), after = bits_of(type);
    follow_operand(f, frame, operand, at);
    if (ir_is(operation, "sext"))
        put(f, "sext%d ", before);
    if (after && after < 64 && (ir_is(operation, "sext") || ir_is(operation, "trunc")))
        put(f, "trunc%d ", after);
}

static bool is_one_of(struct ir_text word, const char *const *list)
{
    for (; *list; list++)
        if (ir_is(word, *list))
            return true;
    return false;
}

static void follow_operation(struct following *f, const struct frame *frame, struct ir_text made,
                             const char *at)
{
    static const char *const casts[] = {"bitcast", "addrspacecast", "inttoptr", "ptrtoint",
                                        "sext",    "zext",          "trunc",    NULL};
    static const char *const sums[] = {"add", "sub", "mul",  "shl",  "lshr", "ashr", "and",
                                       "or",  "xor", "udiv", "urem", "sdiv", "srem", NULL};
    static const char *const flags[] = {"inbounds", "nuw",  "nsw",  "nusw",     "exact",
                                        "disjoint", "tail", "nneg", "volatile", NULL};
    struct ir_text word = {made.at, ir_word_length(made, 0)}, rest = ir_from(made, word.length),
                   flag;
    while ((flag = (struct ir_text){rest.at, ir_word_length(rest, 0)}).length &&
           is_one_of(flag, flags))
        rest = ir_from(rest, flag.length);
    if (ir_is(word, "tail"))
        word = (struct ir_text){rest.at, ir_word_length(rest, 0)};
    if (ir_begins(rest, "(") && rest.at[ir_word_length(rest, 0) - 1] == ')') /* of a constant */
        rest = (struct ir_text){rest.at + 1, ir_word_length(rest, 0) - 2};
    if (is_one_of(word, casts)) {
        follow_cast(f, frame, word, ir_part(rest, 0), at);
    } else if (is_one_of(word, sums)) {
        const struct ir_text first = ir_part(rest, 0);
        follow_operand(f, frame, first, at);
        follow_operand(f, frame, ir_part(rest, 1), at);
        put(f, "%.*s%d ", (int)word.length, word.at, bits_of(first));
    } else if (ir_is(word, "getelementptr")) {
        follow_operand(f, frame, ir_part(rest, 1), at);
        follow_indices(f, frame, rest, at);
    } else if (ir_is(word, "load")) {
        follow_load(f, frame, rest, at);
    } else if (ir_is(word, "call")) {
        follow_call(f, frame, rest, at);
    } else if (ir_is(word, "freeze")) {
        follow_operand(f, frame, rest, at);
    } else {
        struct ir_text part;
        for (int i = 0; ir_is(word, "phi") && (part = ir_part(rest, i)).length; i++) {
            const size_t open = strcspn(part.at, "[") + 1;
            if (open < part.length)
                follow_operand(f, frame, ir_part(ir_from(part, open), 0), at);
        }
        for (int i = 1; ir_is(word, "select") && (part = ir_part(rest, i)).length && i < 3; i++)
            follow_operand(f, frame, part, at);
        worse(f, VALUE_UNKNOWN);
    }
}

static void follow_global(struct following *f, struct ir_text name)
{
    char text[300];
    snprintf(text, sizeof text, "\n%.*s = ", (int)(name.length < 200 ? name.length : 200), name.at);
    const char *found = strstr(f->values->ir->text, text);
    const struct ir_text line = {found ? found + 1 : "", found ? strcspn(found + 1, "\n") : 0};
    const bool dynamic = memmem(line.at, line.length, "addrspace(3) global [0 x ", 25);
    f->value->shared |= dynamic;
    if (!dynamic)
        worse(f, VALUE_UNKNOWN);
    put(f, "s ");
}

static void follow_operand(struct following *f, const struct frame *frame, struct ir_text operand,
                           const char *at)
{
    const struct ir_text value = ir_operand(operand);
    const char *where = at;
    struct ir_text whole;
    if (!value.length || frame->depth > DEEPEST || --f->values->left < 0) {
        worse(f, VALUE_UNKNOWN);
        return;
    }
    struct frame deeper = *frame;
    deeper.depth++;
    const int index = parameter_of(frame->function, value, &whole);
    if (*value.at == '@')
        follow_global(f, value);
    else if (strchr("-0123456789", *value.at))
        put(f, "%.*s ", (int)value.length, value.at);
    else if (ir_is(value, "null") || ir_is(value, "true") || ir_is(value, "false"))
        put(f, "%d ", ir_is(value, "true"));
    else if (index >= 0)
        follow_parameter(f, &deeper, index, whole);
    else if (*value.at == '%' && (whole = ir_definition(frame->function, value, &where)).at)
        follow_operation(f, &deeper, whole, where);
    else if (*value.at != '%')
        follow_operation(f, &deeper, value, at);
    else
        worse(f, VALUE_UNKNOWN);
}

void ir_value(struct ir_values *values, const struct ir_function *function, struct ir_text operand,
              const char *at, struct ir_value *value)
{
    const struct frame frame = {.function = function};
    struct following f = {values, value, 0};
    *value = (struct ir_value){VALUE_LAUNCH, false, ""};
    follow_operand(&f, &frame, operand, at);
}
