/* generate.c - the module of PTX: its variables, kernels and functions, and the tables beside it. */
#include "kernelc/code.h"
#include "machine/machine.h"

#include <stdio.h>
#include <string.h>

/* ---- symbols ------------------------------------------------------------------------------------ */

struct code *kc_symbol(struct lowering *l, const char *name, enum space space)
{
    for (struct code_cache *cache = l->cache; cache; cache = cache->next)
        if (cache->key == name)
            return cache->code;
    struct block *now = l->now;
    l->now = l->entry;
    struct code *code = kc_add(l, IR_SYMBOL, CODE_U64, NULL, NULL);
    code->text = name;
    code->space = space;
    code->is_pointer = true;
    l->now = now;
    struct code_cache *cache = KC_NEW(l->c, struct code_cache);
    *cache = (struct code_cache){l->cache, name, code, 0};
    l->cache = cache;
    return code;
}

static struct symbol_made **made(struct module *module, const void *key)
{
    return &module->made[((uintptr_t)key >> 4) % 256];
}

static const char *known_symbol(struct module *module, const void *key)
{
    for (struct symbol_made *symbol = *made(module, key); symbol; symbol = symbol->next)
        if (symbol->key == key)
            return symbol->name;
    return NULL;
}

static void note_symbol(struct kc *c, struct module *module, const void *key, const char *name)
{
    struct symbol_made *symbol = KC_NEW(c, struct symbol_made);
    *symbol = (struct symbol_made){*made(module, key), key, name};
    *made(module, key) = symbol;
}

static bool name_is_taken(const struct module *module, const char *name)
{
    for (int i = 0; i < 256; i++)
        for (const struct symbol_made *symbol = module->made[i]; symbol; symbol = symbol->next)
            if (!strcmp(symbol->name, name))
                return true;
    return false;
}

/* ---- variables ---------------------------------------------------------------------------------- */

static void note_array(struct kc *c, struct module *module, const struct variable *variable,
                       const char *symbol)
{
    struct kernelc_result *result = c->result;
    const bool shared = variable->space == SPACE_SHARED;
    kc_grow(c, &module->array, &module->array_room, &result->arrays, sizeof *module->array);
    struct kernelc_array *array = &module->array[result->arrays++];
    const struct type *type = variable->type;
    *array = (struct kernelc_array){.symbol = symbol,
                                    .name = kc_text(c, "%.*s", SLICE(variable->name->text)),
                                    .bytes = variable->is_dynamic ? 0 : type->size,
                                    .line = variable->place.line,
                                    .shared = shared};
    while (type->kind == TYPE_ARRAY && array->dimensions < 4) {
        array->dimension[array->dimensions++] =
            type->count > 0 && type->count <= INT32_MAX ? (int)type->count : 0;
        type = type->base;
    }
    array->type = kc_type_text(c, type->plain);
    result->array = module->array;
}

static void put_bytes(struct kc *c, struct written *out, const uint8_t *bytes, uint64_t size)
{
    kc_put(c, out, " = {");
    for (uint64_t i = 0; i < size; i++)
        kc_put(c, out, "%s%u", i ? ", " : "", bytes[i]);
    kc_put(c, out, "}");
}

/* What the value's addresses are called, one for each word of 8 bytes; NULL: it is a number. */
static const char **address_symbols(struct kc *c, struct module *module, struct variable *variable,
                                    const uint8_t *bytes, const struct pointing *pointing)
{
    const char **symbol = kc_new(c, variable->type->size / 8 * sizeof *symbol);
    variable->evaluating = 1;
    for (; pointing; pointing = pointing->next) {
        const char **word = &symbol[(pointing->at - bytes) / 8];
        if (pointing->function) {
            *word = kc_function_symbol(c, module, pointing->function);
            kc_call_later(module, pointing->function);
            continue;
        }
        if (pointing->variable && pointing->variable->evaluating)
            kc_error(c, variable->place,
                     "'%.*s' cannot begin with the address of '%.*s', whose value is not complete "
                     "yet: a kernel can store it",
                     SLICE(variable->name->text), SLICE(pointing->variable->name->text));
        else
            *word =
                kc_text(c, "generic(%s)+%lld",
                        pointing->variable ? kc_variable_symbol(c, module, pointing->variable, NULL)
                                           : kc_string_symbol(c, module, pointing->text),
                        (long long)pointing->offset);
    }
    variable->evaluating = 0;
    return symbol;
}

static void put_words(struct kc *c, struct written *out, const uint8_t *bytes, const char **symbol,
                      uint64_t size)
{
    kc_put(c, out, " = {");
    for (uint64_t i = 0; i < size / 8; i++) {
        uint64_t value;
        memcpy(&value, bytes + 8 * i, sizeof value);
        const char *text = symbol[i] ? symbol[i] : kc_text(c, "%llu", (unsigned long long)value);
        kc_put(c, out, "%s%s", i ? ", " : "", text);
    }
    kc_put(c, out, "}");
}

static const uint8_t *initial_bytes(struct kc *c, struct variable *variable,
                                    struct pointing **pointing)
{
    uint64_t used = 0;
    if (!variable->initial || variable->initial->kind == NODE_ZERO ||
        variable->space == SPACE_SHARED)
        return NULL;
    if (variable->type->size > 1 << 20) {
        kc_error(c, variable->place,
                 "a variable of more than 1 MiB cannot have a value at its declaration");
        return NULL;
    }
    uint8_t *bytes = variable->bytes ? variable->bytes : kc_new(c, variable->type->size);
    if (!variable->bytes && !kc_evaluate_bytes(c, variable->initial, variable->type, bytes)) {
        kc_error(c, variable->place, "the value of '%.*s' must be known when compiling",
                 SLICE(variable->name->text));
        return NULL;
    }
    if (!variable->bytes && (*pointing = c->parser->pointing))
        return bytes;
    for (uint64_t i = 0; i < variable->type->size; i++)
        used |= bytes[i];
    return used ? bytes : NULL;
}

static void declare_variable(struct kc *c, struct module *module, struct variable *variable,
                             const char *name)
{
    struct written *out = &module->declarations;
    const struct type *type = variable->type;
    const char *space = variable->space == SPACE_SHARED   ? ".shared"
                        : variable->space == SPACE_GLOBAL ? ".global"
                                                          : ".const";
    if (variable->is_dynamic) {
        kc_put(c, out, ".extern .shared .align %u .b8 %s[];\n", type->align > 16 ? type->align : 16,
               name);
        return;
    }
    const uint64_t most = variable->space == SPACE_SHARED   ? 227 * 1024
                          : variable->space == SPACE_GLOBAL ? UINT64_C(1) << 32
                                                            : 64 * 1024;
    if (type->size > most)
        kc_error(c, variable->place, "'%.*s' needs %llu bytes; there are %llu",
                 SLICE(variable->name->text), (unsigned long long)type->size,
                 (unsigned long long)most);
    struct pointing *pointing = NULL;
    const uint8_t *bytes = initial_bytes(c, variable, &pointing);
    const char **symbol = pointing ? address_symbols(c, module, variable, bytes, pointing) : NULL;
    const uint64_t size = type->size ? type->size : 1;
    kc_put(c, out, "%s%s .align %u .%s %s[%llu]",
           !variable->function && variable->space != SPACE_SHARED && variable->space != SPACE_NONE
               ? ".visible "
               : "",
           space, type->align ? type->align : 1, symbol ? "u64" : "b8", name,
           (unsigned long long)(symbol ? size / 8 : size));
    if (symbol)
        put_words(c, out, bytes, symbol, size);
    else if (bytes)
        put_bytes(c, out, bytes, size);
    kc_put(c, out, ";\n");
}

/* PTX has letters of ASCII only: each byte of others becomes $ and two digits. */
static const char *in_ascii(struct kc *c, const char *name)
{
    struct written out = {.at = NULL};
    const char *other = name;
    while (*other && (unsigned char)*other < 0x80)
        other++;
    if (!*other)
        return name;
    for (; *name; name++)
        kc_put(c, &out, (unsigned char)*name < 0x80 ? "%c" : "$%02x", (unsigned char)*name);
    return out.at ? out.at : "";
}

const char *kc_variable_symbol(struct kc *c, struct module *module, struct variable *variable,
                               const struct function *kernel)
{
    const bool shared = variable->space == SPACE_SHARED;
    /* A shared array belongs to the kernel: each that uses it has its own. */
    const void *key = shared && kernel && !variable->is_dynamic
                          ? (const void *)((uintptr_t)variable ^ (uintptr_t)kernel << 1)
                          : variable;
    const char *name = known_symbol(module, key);
    if (name)
        return name;
    struct slice text = variable->name->text;
    name = shared && !variable->is_dynamic && kernel
               ? kc_text(c, "%s_%.*s", kernel->symbol, SLICE(text))
               : kc_text(c, "%.*s", SLICE(text));
    name = in_ascii(c, name);
    if (variable->is_dynamic) { /* all that have one name are one */
        if (!name_is_taken(module, name))
            declare_variable(c, module, variable, name);
        else
            for (int i = 0; i < 256; i++)
                for (const struct symbol_made *s = module->made[i]; s; s = s->next)
                    if (!strcmp(s->name, name))
                        name = s->name;
    } else {
        const char *base = name;
        for (int i = 1; name_is_taken(module, name); i++)
            name = kc_text(c, "%s_%d", base, i);
        declare_variable(c, module, variable, name);
    }
    note_symbol(c, module, key, name);
    note_array(c, module, variable, name);
    return name;
}

const char *kc_string_symbol(struct kc *c, struct module *module, struct slice text)
{
    const char *known = known_symbol(module, text.at);
    if (known)
        return known;
    const char *name = kc_text(c, "$str%d", module->strings++);
    struct written *out = &module->declarations;
    kc_put(c, out, ".global .align 1 .b8 %s[%d] = {", name, text.length + 1);
    for (int i = 0; i < text.length; i++)
        kc_put(c, out, "%u, ", (unsigned char)text.at[i]);
    kc_put(c, out, "0};\n");
    note_symbol(c, module, text.at, name);
    return name;
}

/* ---- functions ---------------------------------------------------------------------------------- */

const char *kc_function_symbol(struct kc *c, struct module *module, struct function *function)
{
    if (function->symbol)
        return function->symbol;
    const char *base = in_ascii(c, kc_mangle(c, function)), *name = base;
    for (int i = 1; name_is_taken(module, name); i++)
        name = kc_text(c, "%s_%d", base, i);
    note_symbol(c, module, function, name);
    return function->symbol = name;
}

void kc_call_later(struct module *module, struct function *function)
{
    if (function->is_called)
        return;
    function->is_called = true;
    if (module->last_called)
        module->last_called->below = function;
    else
        module->called = function;
    module->last_called = function;
}

void kc_extern(struct kc *c, struct module *module, const char *declaration)
{
    for (int i = 0; i < module->externs; i++)
        if (!strcmp(module->extern_text[i], declaration))
            return;
    kc_grow(c, &module->extern_text, &module->extern_room, &module->externs,
            sizeof *module->extern_text);
    module->extern_text[module->externs++] = declaration;
}

/* Products whose sum is needed once become fused, as nvcc does it. */
static void fuse(struct lowering *l)
{
    for (struct block *block = l->first; block; block = block->next)
        for (struct code *code = block->first; code; code = code->next)
            code->index = code->op == IR_RESULT ? code->index : 0;
    for (struct block *block = l->first; block; block = block->next)
        for (struct code *code = block->first; code; code = code->next) {
            struct code *used[3] = {code->a, code->b, code->c};
            for (int i = 0; i < 3; i++)
                if (used[i] && used[i]->op == IR_MUL)
                    used[i]->index++;
            for (int i = 0; i < code->count; i++)
                if (code->list[i]->op == IR_MUL)
                    code->list[i]->index++;
        }
    for (struct block *block = l->first; block; block = block->next)
        for (struct code *code = block->first; code; code = code->next) {
            if ((code->op != IR_ADD && code->op != IR_SUB) ||
                !(code->type == CODE_F32 || code->type == CODE_F64))
                continue;
            const bool left =
                code->a->op == IR_MUL && code->a->index == 1 && code->a->block == block;
            const bool right =
                code->b->op == IR_MUL && code->b->index == 1 && code->b->block == block;
            if (!left && !right)
                continue;
            struct code *product = left ? code->a : code->b, *other = left ? code->b : code->a;
            if (code->op == IR_SUB) { /* ab - c, c - ab: one operand changes its sign */
                struct code *minus = KC_NEW(l->c, struct code);
                *minus = (struct code){.op = IR_NEG,
                                       .type = code->type,
                                       .a = left ? other : product->a,
                                       .site = code->site};
                kc_insert_behind(code->before ? code->before : product, minus);
                code->a = left ? product->a : minus;
                code->c = left ? minus : other;
            } else {
                code->a = product->a;
                code->c = other;
            }
            code->b = product->b;
            code->op = IR_FMA;
        }
}

static void lower(struct kc *c, struct module *module, struct function *function, bool is_function,
                  struct written *out)
{
    struct lowering *l = KC_NEW(c, struct lowering);
    *l = (struct lowering){.c = c,
                           .function = function,
                           .is_function = is_function,
                           .module = module,
                           .inlined = -1,
                           .at_site = -1};
    l->number = module->numbers++;
    kc_lower_function(l);
    if (c->stopped || c->result->messages)
        return;
    kc_optimise(l);
    if (!l->c->job->apart)
        fuse(l);
    kc_spaces(l);
    kc_remove_dead(l);
    if (!c->stopped)
        kc_emit(l, out);
}

/* ---- kernels ------------------------------------------------------------------------------------ */

static const char *scalar_name(const struct type *type)
{
    static const char *const names[] = {"",    "u8",  "u8",  "s8",  "u16", "s16", "u32",
                                        "s32", "u64", "s64", "b16", "b16", "f32", "f64"};
    return names[kc_code_type(type)];
}

static void kernel_parameters(struct kc *c, struct written *out, struct function *function,
                              struct kernelc_kernel *kernel)
{
    struct kernelc_parameter *list = kc_new(c, (size_t)(function->variables + 1) * sizeof *list);
    uint64_t offset = 0;
    kernel->parameter = list;
    kernel->parameters = function->variables;
    for (int i = 0; i < function->variables; i++) {
        const struct variable *variable = function->variable[i];
        const struct type *type = variable->type;
        const uint64_t align = type->align ? type->align : 1;
        offset = (offset + align - 1) / align * align;
        list[i] = (struct kernelc_parameter){
            .name = variable->name ? kc_text(c, "%.*s", SLICE(variable->name->text)) : "",
            .type = kc_type_text(c, type),
            .offset = (int)offset,
            .size = (int)type->size,
            .is_pointer = type->kind == TYPE_POINTER,
            .is_float = kc_is_float(type)};
        offset += type->size;
        if (kc_is_reference(type))
            kc_error(c, variable->place, "a kernel's parameter cannot be a reference");
        kc_put(c, out, i ? ",\n" : "\n");
        if (kc_is_scalar(type))
            kc_put(c, out, "\t.param .%s %s_param_%d", scalar_name(type), function->symbol, i);
        else
            kc_put(c, out, "\t.param .align %u .b8 %s_param_%d[%llu]", type->align,
                   function->symbol, i, (unsigned long long)type->size);
    }
    if (offset > MACHINE_PARAMETERS)
        kc_error(c, function->place, "the parameters of a kernel are at most %d bytes",
                 MACHINE_PARAMETERS);
}

static const char *kernel_name(struct kc *c, const struct function *function)
{
    const char *name = kc_text(c, "%.*s", SLICE(function->name->text));
    for (const struct scope *scope = function->scope; scope; scope = scope->outer)
        if (scope->is_namespace && scope->name)
            name = kc_text(c, "%.*s::%s", SLICE(scope->name->text), name);
    return function->arguments
               ? kc_text(c, "%s%s", name,
                         kc_arguments_text(c, function->argument, function->arguments))
               : name;
}

static void generate_kernel(struct kc *c, struct module *module, struct function *function)
{
    struct kernelc_result *result = c->result;
    struct written *out = &module->bodies;
    kc_function_symbol(c, module, function);
    kc_grow(c, &module->kernel, &module->kernel_room, &result->kernels, sizeof *module->kernel);
    struct kernelc_kernel *kernel = &module->kernel[result->kernels++];
    *kernel = (struct kernelc_kernel){
        .name = kernel_name(c, function), .symbol = function->symbol, .line = function->place.line};
    result->kernel = module->kernel;
    if (function->result->kind != TYPE_VOID)
        kc_error(c, function->place, "a kernel returns nothing: its result is 'void'");
    kc_put(c, out, ".visible .entry %s(", function->symbol);
    kernel_parameters(c, out, function, kernel);
    kc_put(c, out, ")\n");
    if (function->max_threads)
        kc_put(c, out, ".maxntid %d, 1, 1\n", function->max_threads);
    lower(c, module, function, false, out);
}

static const char *passed(const struct type *type)
{
    if (kc_is_reference(type) || type->kind == TYPE_RECORD)
        return "b64";
    return kc_bytes(kc_code_type(type)) == 8                    ? "b64"
           : type->kind == TYPE_HALF || type->kind == TYPE_BF16 ? "b16"
                                                                : "b32";
}

static void generate_function(struct kc *c, struct module *module, struct function *function)
{
    struct written head = {0};
    int number = 0;
    const bool record = function->result->kind == TYPE_RECORD,
               none = function->result->kind == TYPE_VOID || record;
    if (!none)
        kc_put(c, &head, ".func (.param .%s r) %s(", passed(function->result), function->symbol);
    else
        kc_put(c, &head, ".func %s(", function->symbol);
    for (int i = 0; i < record + (function->self != NULL); i++, number++)
        kc_put(c, &head, "%s.param .b64 p%d", number ? ", " : "", number);
    for (int i = 0; i < function->variables; i++, number++)
        kc_put(c, &head, "%s.param .%s p%d", number ? ", " : "",
               passed(function->variable[i]->type), number);
    kc_put(c, &head, ")");
    kc_put(c, &module->functions, "%s;\n", head.at ? head.at : "");
    kc_put(c, &module->bodies, "%s\n", head.at ? head.at : "");
    lower(c, module, function, true, &module->bodies);
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static void put_name(struct kc *c, struct written *out, struct slice name)
{
    for (int i = 0; i < name.length; i++) {
        const char one = name.at[i];
        kc_put(c, out, one == '"' || one == '\\' || (unsigned char)one < ' ' ? "_" : "%c", one);
    }
}

static void put_whole(struct kc *c, struct module *module)
{
    struct written out = {0};
    kc_put(c, &out, ".version 8.0\n.target sm_90\n.address_size 64\n\n");
    for (int i = 0; i < c->files; i++) {
        if (c->file_is_ours[i])
            continue;
        kc_put(c, &out, ".file %d \"", i + 1);
        put_name(c, &out, c->file[i]);
        kc_put(c, &out, "\"\n");
    }
    for (int i = 0; i < module->externs; i++)
        kc_put(c, &out, "%s", module->extern_text[i]);
    const struct written *parts[] = {&module->functions, &module->declarations, &module->bodies};
    for (int part = 0; part < 3; part++)
        for (int at = 0; at < parts[part]->length; at += 1900)
            kc_put(c, &out, "%.1900s", parts[part]->at + at);
    kc_put(c, &out, "\t.section .debug_str\n\t{\n$L__info_string0:\n.b8 0\n\t}\n");
    c->result->ptx = c->stopped ? NULL : out.at;
    c->result->length = (size_t)out.length;
}

/* Variables of the module that the host may set or read are there, used or not. */
static void module_variables(struct kc *c, struct module *module)
{
    for (struct variable *v = c->parser->variables; v && !c->stopped; v = v->next)
        if (!v->function && (v->space == SPACE_GLOBAL || v->space == SPACE_CONST) &&
            !v->is_extern && v->type && v->type->kind != TYPE_ERROR && v->type->size)
            kc_variable_symbol(c, module, v, NULL);
}

void kc_generate(struct kc *c)
{
    struct module *module = KC_NEW(c, struct module);
    module_variables(c, module);
    for (struct function *function = c->parser->functions; function && !c->stopped;
         function = function->all)
        if (function->is_global && function->tree)
            generate_kernel(c, module, function);
    for (struct function *function = module->called; function && !c->stopped;
         function = function->below)
        if (function->tree)
            generate_function(c, module, function);
    if (!c->result->messages && !c->result->kernels && !module->declarations.length)
        kc_error(c, (struct place){0},
                 "there is no kernel here: a function with __global__ before it");
    if (!c->result->messages)
        put_whole(c, module);
}
