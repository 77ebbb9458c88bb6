/* mangle.c - names of functions in PTX: those of the Itanium ABI, so that host code of any compiler finds them. */
#include "kernelc/code.h"

struct mangling {
    struct kc *c;
    struct written out;
    const void *known[64]; /* what S_, S0_, ... stand for: types, classes, namespaces */
    int count;
};

static void put_type(struct mangling *m, const struct type *type, int depth);

static void put_source_name(struct mangling *m, const struct word *word)
{
    kc_put(m->c, &m->out, "%d%.*s", word ? word->text.length : 0, word ? word->text.length : 0,
           word ? word->text.at : "");
}

/* Number -1 is S_, 0 S0_, up to 9 and then letters. */
static bool put_known(struct mangling *m, const void *thing)
{
    for (int i = 0; i < m->count; i++)
        if (m->known[i] == thing) {
            if (i == 0)
                kc_put(m->c, &m->out, "S_");
            else if (i <= 36)
                kc_put(m->c, &m->out, "S%c_", i <= 10 ? '0' + i - 1 : 'A' + i - 11);
            else
                kc_put(m->c, &m->out, "S1%c_", 'A' + (i - 37) % 26);
            return true;
        }
    return false;
}

static void note(struct mangling *m, const void *thing)
{
    if (m->count < 64)
        m->known[m->count++] = thing;
}

static void put_argument(struct mangling *m, const struct argument *argument, int depth)
{
    if (argument->is_pack) {
        kc_put(m->c, &m->out, "J");
        for (int i = 0; i < argument->elements; i++)
            put_argument(m, &argument->element[i], depth + 1);
        kc_put(m->c, &m->out, "E");
    } else if (argument->depends && argument->is_value) {
        kc_put(m->c, &m->out, argument->index ? "XT%d_E" : "XT_E", argument->index - 1);
    } else if (argument->function) {
        kc_put(m->c, &m->out, "XadL%sEE", kc_mangle(m->c, argument->function));
    } else if (argument->is_value) {
        const long long value = (long long)argument->value.integer;
        kc_put(m->c, &m->out, "L");
        put_type(m, argument->type ? argument->type : m->c->parser->basic[TYPE_INT], depth + 1);
        kc_put(m->c, &m->out, value < 0 ? "n%lluE" : "%lluE",
               value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value);
    } else if (argument->template) {
        put_source_name(m, argument->template->name);
    } else if (argument->type) {
        put_type(m, argument->type, depth + 1);
    }
}

static void put_arguments(struct mangling *m, const struct argument *argument, int arguments,
                          int depth)
{
    kc_put(m->c, &m->out, "I");
    for (int i = 0; i < arguments; i++)
        put_argument(m, &argument[i], depth);
    kc_put(m->c, &m->out, "E");
}

/* The nearest namespace or class with a name that a scope stands in, or NULL. */
static const struct scope *named_scope(const struct scope *scope)
{
    while (scope && !(scope->is_namespace && scope->name) &&
           !(scope->record && scope->record->name))
        scope = scope->outer;
    return scope;
}

static void put_class(struct mangling *m, const struct record *record, int depth);

static void put_prefix(struct mangling *m, const struct scope *scope, int depth)
{
    scope = named_scope(scope);
    if (!scope || depth > 20)
        return;
    if (scope->record) {
        put_class(m, scope->record, depth + 1);
        return;
    }
    if (slice_is(scope->name->text, "std") && !named_scope(scope->outer)) {
        kc_put(m->c, &m->out, "St");
        return;
    }
    if (put_known(m, scope))
        return;
    put_prefix(m, scope->outer, depth + 1);
    put_source_name(m, scope->name);
    note(m, scope);
}

/* A class with its prefix, without N and E. */
static void put_class(struct mangling *m, const struct record *record, int depth)
{
    if (put_known(m, record))
        return;
    if (record->template) {
        if (!put_known(m, record->template)) {
            put_prefix(m, record->template->scope, depth);
            put_source_name(m, record->name);
            note(m, record->template);
        }
        put_arguments(m, record->argument, record->arguments, depth);
    } else {
        put_prefix(m, record->scope->outer, depth);
        put_source_name(m, record->name);
    }
    note(m, record);
}

static void put_record(struct mangling *m, const struct record *record, int depth)
{
    const struct scope *outer = record->template ? record->template->scope : record->scope->outer;
    if (record->is_lambda) {
        kc_put(m->c, &m->out, "UlvE%d_", record->number);
        return;
    }
    for (int i = 0; i < m->count; i++)
        if (m->known[i] == record) {
            put_known(m, record);
            return;
        }
    const bool nested = named_scope(outer) != NULL;
    if (nested)
        kc_put(m->c, &m->out, "N");
    put_class(m, record, depth);
    if (nested)
        kc_put(m->c, &m->out, "E");
}

static void put_instance(struct mangling *m, const struct type *type, int depth)
{
    const bool nested = named_scope(type->template->scope) != NULL;
    if (nested)
        kc_put(m->c, &m->out, "N");
    if (!put_known(m, type->template)) {
        put_prefix(m, type->template->scope, depth);
        put_source_name(m, type->template->name);
        note(m, type->template);
    }
    put_arguments(m, type->argument, type->arguments, depth);
    if (nested)
        kc_put(m->c, &m->out, "E");
}

static void put_enum(struct mangling *m, const struct type *type, int depth)
{
    const bool nested = type->scope && named_scope(type->scope->outer) != NULL;
    if (nested) {
        kc_put(m->c, &m->out, "N");
        put_prefix(m, type->scope->outer, depth);
    }
    put_source_name(m, type->name);
    if (nested)
        kc_put(m->c, &m->out, "E");
}

static void put_derived(struct mangling *m, const struct type *type, int depth)
{
    switch (type->kind) {
    case TYPE_POINTER:
    case TYPE_REFERENCE:
    case TYPE_RVALUE:
        kc_put(m->c, &m->out,
               type->kind == TYPE_POINTER     ? "P"
               : type->kind == TYPE_REFERENCE ? "R"
                                              : "O");
        put_type(m, type->base, depth + 1);
        break;
    case TYPE_ARRAY:
        kc_put(m->c, &m->out, "A%lld_", (long long)type->count);
        put_type(m, type->base, depth + 1);
        break;
    case TYPE_FUNCTION:
        kc_put(m->c, &m->out, "F");
        put_type(m, type->base, depth + 1);
        for (int i = 0; i < type->parameters; i++)
            put_type(m, type->parameter[i], depth + 1);
        kc_put(m->c, &m->out, type->parameters ? "E" : "vE");
        break;
    case TYPE_ENUM:
        put_enum(m, type->plain, depth + 1);
        break;
    case TYPE_PARAMETER:
        if (type->pack)
            kc_put(m->c, &m->out, "Dp");
        if (type->index)
            kc_put(m->c, &m->out, "T%d_", type->index - 1);
        else
            kc_put(m->c, &m->out, "T_");
        break;
    case TYPE_INSTANCE:
        put_instance(m, type, depth + 1);
        break;
    default:
        kc_put(m->c, &m->out, "v");
    }
}

static void put_type(struct mangling *m, const struct type *type, int depth)
{
    static const char *const basic[TYPE_BASIC] = {
        "v", "v", "b", "c", "a", "h", "s",       "t",
        "i", "j", "l", "m", "x", "y", "6__half", "13__nv_bfloat16",
        "f", "d"};
    if (depth > 20)
        return;
    if (type->is_const || type->is_volatile) {
        if (put_known(m, type))
            return;
        kc_put(m->c, &m->out, "%s%s", type->is_volatile ? "V" : "", type->is_const ? "K" : "");
        put_type(m, type->plain, depth + 1);
        note(m, type);
        return;
    }
    if (type->kind < TYPE_HALF || type->kind == TYPE_FLOAT || type->kind == TYPE_DOUBLE) {
        kc_put(m->c, &m->out, "%s", basic[type->kind]);
        return;
    }
    if (type->kind == TYPE_NULL) {
        kc_put(m->c, &m->out, "Dn");
        return;
    }
    if (type->kind == TYPE_RECORD) {
        put_record(m, type->record, depth + 1);
        return;
    }
    if (put_known(m, type))
        return;
    if (type->kind == TYPE_HALF || type->kind == TYPE_BF16)
        kc_put(m->c, &m->out, "%s", basic[type->kind]);
    else
        put_derived(m, type, depth);
    note(m, type);
}

static void put_function_name(struct mangling *m, const struct function *function)
{
    if (function->is_constructor)
        kc_put(m->c, &m->out, "C1");
    else if (slice_is(function->name->text, "operator()"))
        kc_put(m->c, &m->out, "cl");
    else if (slice_begins(function->name->text, "operator"))
        kc_put(m->c, &m->out, "2op"); /* of no kernel: unique is enough */
    else
        put_source_name(m, function->name);
}

const char *kc_mangle(struct kc *c, const struct function *function)
{
    struct mangling *m = KC_NEW(c, struct mangling);
    m->c = c;
    if (function->is_extern_c)
        return kc_text(c, "%.*s", SLICE(function->name->text));
    const struct scope *scope = function->record    ? function->record->scope
                                : function->generic ? function->generic->scope
                                                    : function->scope;
    const bool nested = named_scope(scope) != NULL || function->record;
    kc_put(c, &m->out, nested ? "_ZN" : "_Z");
    if (function->record && function->record->is_lambda)
        kc_put(c, &m->out, "UlvE%d_", function->record->number);
    else
        put_prefix(m, scope, 0);
    put_function_name(m, function);
    if (function->arguments) {
        note(m, function->generic ? (const void *)function->generic : function);
        put_arguments(m, function->argument, function->arguments, 0);
    }
    if (nested)
        kc_put(c, &m->out, "E");
    /* A template's instance has the template's own types: T_ */
    const struct function *declared = function->generic ? function->generic : function;
    if (function->arguments)
        put_type(m, declared->result, 0);
    bool any = false;
    for (int i = 0; i < declared->parameters; i++)
        if (declared->parameter[i].type->kind != TYPE_VOID) {
            put_type(m, declared->parameter[i].type->plain, 0);
            any = true;
        }
    if (!any)
        kc_put(c, &m->out, "v");
    return m->out.at ? m->out.at : "";
}
