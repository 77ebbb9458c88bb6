/* types.c - types: each is made once, so that equal types are one; their sizes and their names. */
#include "kernelc/parser.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    uint8_t size;
    bool is_unsigned;
} basics[TYPE_BASIC] = {
    [TYPE_ERROR] = {"<error>", 4, false},     [TYPE_VOID] = {"void", 1, false},
    [TYPE_BOOL] = {"bool", 1, true},          [TYPE_CHAR] = {"char", 1, false},
    [TYPE_SCHAR] = {"signed char", 1, false}, [TYPE_UCHAR] = {"unsigned char", 1, true},
    [TYPE_SHORT] = {"short", 2, false},       [TYPE_USHORT] = {"unsigned short", 2, true},
    [TYPE_INT] = {"int", 4, false},           [TYPE_UINT] = {"unsigned int", 4, true},
    [TYPE_LONG] = {"long", 8, false},         [TYPE_ULONG] = {"unsigned long", 8, true},
    [TYPE_LLONG] = {"long long", 8, false},   [TYPE_ULLONG] = {"unsigned long long", 8, true},
    [TYPE_HALF] = {"__half", 2, false},       [TYPE_BF16] = {"__nv_bfloat16", 2, false},
    [TYPE_FLOAT] = {"float", 4, false},       [TYPE_DOUBLE] = {"double", 8, false},
};

struct type *kc_new_type(struct kc *c, enum type_kind kind)
{
    struct type *type = KC_NEW(c, struct type);
    type->kind = kind;
    type->plain = type;
    if (kind < TYPE_BASIC)
        type->size = type->align = basics[kind].size;
    return type;
}

void kc_types_begin(struct kc *c)
{
    struct parser *p = c->parser;
    for (int i = 0; i < TYPE_BASIC; i++)
        p->basic[i] = kc_new_type(c, (enum type_kind)i);
    p->null = kc_new_type(c, TYPE_NULL);
    p->null->size = p->null->align = 8;
    p->automatic = kc_new_type(c, TYPE_AUTO);
    p->decltype_auto = kc_new_type(c, TYPE_AUTO);
    p->decltype_auto->size = p->decltype_auto->align = 4;
    p->list = kc_new_type(c, TYPE_LIST);
    p->overload = kc_new_type(c, TYPE_OVERLOAD);
    p->dependent = kc_new_type(c, TYPE_DEPENDENT);
    p->dependent->size = p->dependent->align = p->automatic->size = p->automatic->align = 4;
}

/* ---- made of others ---------------------------------------------------------------------------- */

/* What looks at all levels of a type need not count its work, as there are few. */
static void set_levels(struct kc *c, struct type *type, int levels, struct place place)
{
    if ((type->levels = levels) > KC_DEPTH)
        kc_stop(c, place, "types are nested too deep: pointers, arrays, templates of templates");
}

static int most_levels(const struct argument *argument, int arguments)
{
    int most = 0;
    for (int i = 0; i < arguments; i++) {
        const int levels = argument[i].is_pack
                               ? most_levels(argument[i].element, argument[i].elements)
                           : argument[i].type ? argument[i].type->levels
                                              : 0;
        most = levels > most ? levels : most;
    }
    return most;
}

void kc_set_instance_levels(struct kc *c, const struct record *record, struct place place)
{
    set_levels(c, record->type, most_levels(record->argument, record->arguments) + 1, place);
}

/* Takes a pointer or an array to be made of base. */
static void set_base(struct kc *c, struct type *type, struct type *base)
{
    type->base = base;
    set_levels(c, type, base->levels + 1, (struct place){0});
}

struct type *kc_pointer(struct kc *c, struct type *base)
{
    if (base->kind == TYPE_ERROR) /* told already */
        return base;
    base = kc_unreferenced(base);
    if (!base->pointer_to) {
        struct type *type = base->pointer_to = kc_new_type(c, TYPE_POINTER);
        set_base(c, type, base);
        type->size = type->align = 8;
    }
    return base->pointer_to;
}

struct type *kc_reference(struct kc *c, struct type *base)
{
    if (base->kind == TYPE_ERROR) /* told already */
        return base;
    base = kc_unreferenced(base); /* T && & is T & */
    if (!base->reference_to) {
        struct type *type = base->reference_to = kc_new_type(c, TYPE_REFERENCE);
        type->base = base;
        type->size = type->align = 8;
    }
    return base->reference_to;
}

struct type *kc_rvalue(struct kc *c, struct type *base)
{
    if (kc_is_reference(base))
        return base;
    if (!base->rvalue_to) {
        struct type *type = base->rvalue_to = kc_new_type(c, TYPE_RVALUE);
        type->base = base;
        type->size = type->align = 8;
    }
    return base->rvalue_to;
}

static struct type *new_array(struct kc *c, struct type *base, int64_t count)
{
    struct type *type = kc_new_type(c, TYPE_ARRAY);
    set_base(c, type, base);
    type->count = count;
    type->align = base->align;
    if (count > 0 && base->size < UINT64_C(1) << 40 && (uint64_t)count < UINT64_C(1) << 20)
        type->size = base->size * (uint64_t)count;
    else if (count > 0 && base->size && (uint64_t)count <= (UINT64_C(1) << 40) / base->size)
        type->size = base->size * (uint64_t)count;
    return type;
}

struct type *kc_array(struct kc *c, struct type *base, int64_t count)
{
    for (struct type *type = base->arrays; type; type = type->next)
        if (type->count == count && count != -2)
            return type;
    struct type *type = new_array(c, base, count);
    type->next = base->arrays;
    return base->arrays = type;
}

struct type *kc_function_type(struct kc *c, struct type *result, struct type **parameter,
                              int parameters, bool variadic)
{
    for (struct type *type = result->functions; type; type = type->next)
        if (type->parameters == parameters && type->variadic == variadic &&
            (!parameters ||
             !memcmp(type->parameter, parameter, (size_t)parameters * sizeof *parameter)))
            return type;
    struct type *type = kc_new_type(c, TYPE_FUNCTION);
    type->base = result;
    type->parameters = parameters;
    type->parameter = kc_new(c, (size_t)parameters * sizeof *parameter);
    if (parameters)
        memcpy(type->parameter, parameter, (size_t)parameters * sizeof *parameter);
    type->variadic = variadic;
    type->size = type->align = 1;
    type->next = result->functions;
    return result->functions = type;
}

struct type *kc_qualified(struct kc *c, struct type *type, bool is_const, bool is_volatile)
{
    is_const |= type->is_const;
    is_volatile |= type->is_volatile;
    if ((is_const == type->is_const && is_volatile == type->is_volatile) || kc_is_reference(type) ||
        type->kind == TYPE_FUNCTION || type->kind == TYPE_ERROR)
        return type;
    if (type->kind == TYPE_ARRAY)
        return kc_array(c, kc_qualified(c, type->base, is_const, is_volatile), type->count);
    struct type *plain = type->plain;
    struct type **known = &plain->qualified[is_const + 2 * is_volatile];
    if (!*known) {
        struct type *fresh = *known = KC_NEW(c, struct type);
        *fresh = *plain;
        fresh->plain = plain;
        fresh->is_const = is_const;
        fresh->is_volatile = is_volatile;
        fresh->pointer_to = fresh->reference_to = fresh->rvalue_to = NULL;
        fresh->arrays = fresh->functions = NULL;
    }
    (*known)->size = plain->size; /* of a class that was not complete then */
    (*known)->align = plain->align;
    return *known;
}

struct type *kc_unreferenced(struct type *type)
{
    return kc_is_reference(type) ? type->base : type;
}

/* ---- what a type is ---------------------------------------------------------------------------- */

bool kc_is_reference(const struct type *type)
{
    return type->kind == TYPE_REFERENCE || type->kind == TYPE_RVALUE;
}

bool kc_is_integer(const struct type *type)
{
    return (type->kind >= TYPE_BOOL && type->kind <= TYPE_ULLONG) || type->kind == TYPE_ENUM;
}

bool kc_is_float(const struct type *type)
{
    return type->kind >= TYPE_HALF && type->kind <= TYPE_DOUBLE;
}

bool kc_is_arithmetic(const struct type *type)
{
    return kc_is_integer(type) || kc_is_float(type);
}

bool kc_is_scalar(const struct type *type)
{
    return kc_is_arithmetic(type) || type->kind == TYPE_POINTER || type->kind == TYPE_NULL;
}

bool kc_is_unsigned(const struct type *type)
{
    if (type->kind == TYPE_ENUM)
        return kc_is_unsigned(type->base);
    return type->kind < TYPE_BASIC ? basics[type->kind].is_unsigned : true;
}

bool kc_argument_depends(const struct argument *argument)
{
    if (argument->depends || (argument->type && kc_is_dependent(argument->type)))
        return true;
    for (int i = 0; i < argument->elements; i++)
        if (kc_argument_depends(&argument->element[i]))
            return true;
    return false;
}

bool kc_is_dependent(const struct type *type)
{
    switch (type->kind) {
    case TYPE_PARAMETER:
    case TYPE_INSTANCE:
    case TYPE_DEPENDENT:
        return true;
    case TYPE_POINTER:
    case TYPE_REFERENCE:
    case TYPE_RVALUE:
        return kc_is_dependent(type->base);
    case TYPE_ARRAY:
        return type->count == -2 || kc_is_dependent(type->base);
    case TYPE_FUNCTION:
        for (int i = 0; i < type->parameters; i++)
            if (kc_is_dependent(type->parameter[i]))
                return true;
        return kc_is_dependent(type->base);
    default:
        return false;
    }
}

/* ---- leaves ------------------------------------------------------------------------------------ */

static bool add_leaves(struct kc *c, struct record *record, uint64_t offset, struct leaf *leaf,
                       int *count)
{
    if (record->is_union || !record->is_complete)
        return false;
    for (struct field *field = record->field; field; field = field->next) {
        struct type *type = field->type->plain;
        if (type->kind == TYPE_RECORD && !field->type->is_volatile) {
            if (!add_leaves(c, type->record, offset + field->offset, leaf, count))
                return false;
            continue;
        }
        /* Bit fields share the leaf of their unit. */
        if (field->bits >= 0 && *count && leaf[*count - 1].offset == offset + field->offset &&
            leaf[*count - 1].type->size == type->size)
            continue;
        if (field->bits >= 0 && *count &&
            leaf[*count - 1].offset + leaf[*count - 1].type->size > offset + field->offset)
            return false;
        if (type->kind == TYPE_ARRAY || field->type->is_volatile || *count == KC_LEAVES)
            return false;
        leaf[(*count)++] = (struct leaf){offset + field->offset, field->unit};
    }
    return true;
}

int kc_leaves(struct kc *c, struct type *type, struct leaf **leaf)
{
    type = type->plain;
    if (type->kind == TYPE_ARRAY || type->kind == TYPE_FUNCTION)
        return -1;
    if (type->kind != TYPE_RECORD) {
        *leaf = KC_NEW(c, struct leaf);
        (*leaf)->type = type;
        return 1;
    }
    struct record *record = type->record;
    if (!record->leaf) {
        struct leaf found[KC_LEAVES];
        int count = 0;
        record->leaves = add_leaves(c, record, 0, found, &count) ? count : -1;
        record->leaf = kc_new(c, (size_t)count * sizeof *found);
        if (count)
            memcpy(record->leaf, found, (size_t)count * sizeof *found);
    }
    *leaf = record->leaf;
    return record->leaves;
}

/* ---- names ------------------------------------------------------------------------------------- */

struct text {
    char at[600];
    int length;
    const struct template *template; /* whose parameters have names here, or NULL */
};

static void put_words(struct text *text, const char *more, int length)
{
    for (int i = 0; i < length && text->length < (int)sizeof text->at - 1; i++)
        text->at[text->length++] = more[i];
    text->at[text->length] = '\0';
}

static void puts_text(struct text *text, const char *more)
{
    put_words(text, more, (int)strlen(more));
}

static void put_type(struct kc *c, struct text *text, const struct type *type, const char *inner,
                     int depth);

static void put_argument(struct kc *c, struct text *text, const struct argument *argument,
                         int depth)
{
    char number[40];
    if (argument->is_pack) {
        for (int i = 0; i < argument->elements; i++) {
            puts_text(text, i ? ", " : "");
            put_argument(c, text, &argument->element[i], depth);
        }
    } else if (argument->template) {
        put_words(text, argument->template->name->text.at, argument->template->name->text.length);
    } else if (!argument->is_value) {
        if (argument->type)
            put_type(c, text, argument->type, "", depth + 1);
        else
            puts_text(text, "?");
    } else if (argument->type && argument->type->kind == TYPE_BOOL) {
        puts_text(text, argument->value.integer ? "true" : "false");
    } else {
        snprintf(number, sizeof number, "%lld", (long long)argument->value.integer);
        puts_text(text, number);
    }
}

static void put_arguments(struct kc *c, struct text *text, const struct argument *argument,
                          int arguments, int depth)
{
    puts_text(text, "<");
    for (int i = 0; i < arguments; i++) {
        puts_text(text, i ? ", " : "");
        put_argument(c, text, &argument[i], depth);
    }
    puts_text(text, ">");
}

static void put_name(struct text *text, const struct word *word, const char *otherwise)
{
    if (word)
        put_words(text, word->text.at, word->text.length);
    else
        puts_text(text, otherwise);
}

static const struct word *parameter_name(const struct text *text, int index)
{
    return text->template && index >= 0 && index < text->template->parameters
               ? text->template->parameter[index].name
               : NULL;
}

static void put_plain(struct kc *c, struct text *text, const struct type *type, int depth)
{
    if (type->kind < TYPE_BASIC)
        puts_text(text, basics[type->kind].name);
    else if (type->kind == TYPE_RECORD && type->record->is_lambda)
        puts_text(text, "(lambda)");
    else if (type->kind == TYPE_RECORD) {
        put_name(text, type->record->name, "(unnamed struct)");
        if (type->record->template)
            put_arguments(c, text, type->record->argument, type->record->arguments, depth);
    } else if (type->kind == TYPE_ENUM)
        put_name(text, type->name, "(unnamed enum)");
    else if (type->kind == TYPE_INSTANCE) {
        put_name(text, type->template->name, "");
        put_arguments(c, text, type->argument, type->arguments, depth);
    } else if (type->kind == TYPE_PARAMETER && parameter_name(text, type->index)) {
        put_name(text, parameter_name(text, type->index), "");
        puts_text(text, type->pack ? "..." : "");
    } else
        puts_text(text, type->kind == TYPE_NULL        ? "nullptr_t"
                        : type->kind == TYPE_AUTO      ? "auto"
                        : type->kind == TYPE_LIST      ? "list in braces"
                        : type->kind == TYPE_OVERLOAD  ? "overloaded function"
                        : type->kind == TYPE_PARAMETER ? "template parameter"
                                                       : "dependent type");
}

/* inner: what stands around the name: "*", "(*)[4]" */
static void put_type(struct kc *c, struct text *text, const struct type *type, const char *inner,
                     int depth)
{
    char around[100];
    if (depth > 12) {
        puts_text(text, "...");
        return;
    }
    switch (type->kind) {
    case TYPE_POINTER:
    case TYPE_REFERENCE:
    case TYPE_RVALUE: {
        const char *sign = type->kind == TYPE_POINTER     ? "*"
                           : type->kind == TYPE_REFERENCE ? "&"
                                                          : "&&";
        const bool wrap = type->base->kind == TYPE_ARRAY || type->base->kind == TYPE_FUNCTION;
        snprintf(around, sizeof around, wrap ? "(%s%s%s)" : "%s%s%s", sign,
                 type->is_const ? "const" : "", inner);
        put_type(c, text, type->base, around, depth + 1);
        return;
    }
    case TYPE_ARRAY:
        if (type->count >= 0)
            snprintf(around, sizeof around, "%s[%lld]", inner, (long long)type->count);
        else if (type->count == -2 && parameter_name(text, type->index))
            snprintf(around, sizeof around, "%s[%.*s]", inner,
                     SLICE(parameter_name(text, type->index)->text));
        else
            snprintf(around, sizeof around, "%s[]", inner);
        put_type(c, text, type->base, around, depth + 1);
        return;
    case TYPE_FUNCTION:
        put_type(c, text, type->base, inner, depth + 1);
        puts_text(text, "(");
        for (int i = 0; i < type->parameters; i++) {
            puts_text(text, i ? ", " : "");
            put_type(c, text, type->parameter[i], "", depth + 1);
        }
        puts_text(text, type->variadic ? ", ...)" : ")");
        return;
    default:
        puts_text(text, type->is_const ? "const " : "");
        puts_text(text, type->is_volatile ? "volatile " : "");
        put_plain(c, text, type->plain, depth);
        if (*inner)
            puts_text(text, " ");
        puts_text(text, inner);
    }
}

const char *kc_type_text(struct kc *c, const struct type *type)
{
    return kc_pattern_text(c, type, NULL);
}

const char *kc_pattern_text(struct kc *c, const struct type *type, const struct template *template)
{
    struct text text = {.template = template};
    put_type(c, &text, type, "", 0);
    return kc_text(c, "%s", text.at);
}

const char *kc_arguments_text(struct kc *c, const struct argument *argument, int arguments)
{
    struct text text = {.length = 0};
    put_arguments(c, &text, argument, arguments, 0);
    return kc_text(c, "%s", text.at);
}

const char *kc_function_text(struct kc *c, const struct function *function)
{
    struct text text = {.template = function->is_template ? function->template : NULL};
    put_name(&text, function->name, "lambda");
    if (function->arguments)
        put_arguments(c, &text, function->argument, function->arguments, 0);
    puts_text(&text, "(");
    for (int i = 0; i < function->parameters; i++) {
        puts_text(&text, i ? ", " : "");
        put_type(c, &text, function->parameter[i].type, "", 0);
    }
    puts_text(&text, function->variadic ? ", ...)" : ")");
    return kc_text(c, "%s", text.at);
}
