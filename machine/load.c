/* load.c - modules as the caller sees them: texts are read and linked, variables placed, kernels found. */
#include "machine/lock.h"
#include "machine/module.h"
#include "machine/ptxas/unroll.h"

#include <string.h>

static bool refused(struct error *error)
{
    return error_set(error, "out of memory for the program's code");
}

/* ---- variables ------------------------------------------------------------------------------- */

enum { VARIABLE_ALIGN = 512 };

static char *terminated(struct arena *arena, struct slice text)
{
    char *copy = arena_new(arena, (size_t)text.length + 1);
    if (copy && text.length)
        memcpy(copy, text.at, (size_t)text.length);
    return copy;
}

static bool place(struct machine_module *module, struct ptx_variable *variable, struct error *error)
{
    if (variable->bytes > UINT64_C(1) << 34)
        return error_set(error, "%s: the variable %.*s of %llu bytes is too large",
                         variable->unit->name, SLICE(variable->name),
                         (unsigned long long)variable->bytes);
    uint8_t *memory = arena_new(&module->ptx.arena, (size_t)variable->bytes + 2 * VARIABLE_ALIGN);
    char *name = terminated(&module->ptx.arena, variable->name);
    if (!memory || !name)
        return error_set(error, "out of memory for the variable %.*s", SLICE(variable->name));
    memory += -(uintptr_t)memory & (VARIABLE_ALIGN - 1);
    variable->address = (uintptr_t)memory;
    const struct machine_range range = {.address = variable->address,
                                        .bytes = variable->bytes ? variable->bytes : 1,
                                        .host = memory,
                                        .kind = MACHINE_VARIABLE,
                                        .read_only = variable->space == PTX_CONST,
                                        .name = name};
    return machine_memory_add(module->memory, &range, false, error);
}

/* The bits of a symbol's address. */
static bool symbol_value(struct machine_module *module, const struct ptx_variable *variable,
                         const struct ptx_initialiser *initialiser, uint64_t *value,
                         struct error *error)
{
    const struct ptx_symbol *symbol = ptx_symbol(&module->ptx, variable->unit, initialiser->symbol);
    if (!symbol || (symbol->variable && symbol->variable->space != PTX_GLOBAL &&
                    symbol->variable->space != PTX_CONST))
        return error_set(error,
                         "%s: the variable %.*s begins with the address of %.*s, which is "
                         "not known",
                         variable->unit->name, SLICE(variable->name), SLICE(initialiser->symbol));
    *value = symbol->variable ? symbol->variable->address : function_pointer(symbol->function);
    return true;
}

static bool initialise(struct machine_module *module, struct ptx_variable *variable,
                       struct error *error)
{
    for (const struct ptx_initialiser *next = variable->initialiser; next; next = next->next) {
        uint64_t value = 0;
        if (next->symbol.length && !symbol_value(module, variable, next, &value, error))
            return false;
        value = (value >> next->shift) + next->value;
        memcpy((uint8_t *)(uintptr_t)variable->address + next->at, &value, (size_t)next->bytes);
    }
    return true;
}

static bool is_placed(const struct ptx_variable *variable)
{
    return variable->space != PTX_SHARED && !variable->external;
}

static bool place_all(struct machine_module *module, struct error *error)
{
    for (int i = 0; i < module->ptx.variables; i++)
        if (is_placed(module->ptx.variable[i]) && !place(module, module->ptx.variable[i], error))
            return false;
    for (int i = 0; i < module->ptx.variables; i++)
        if (is_placed(module->ptx.variable[i]) &&
            !initialise(module, module->ptx.variable[i], error))
            return false;
    return true;
}

static struct ptx_variable *variable_of(const struct machine_module *module, const char *name)
{
    const struct slice text = {name, (int)strlen(name)};
    for (int i = 0; i < module->ptx.variables; i++) {
        struct ptx_variable *variable = module->ptx.variable[i];
        if (is_placed(variable) && slice_equal(variable->name, text))
            return variable;
    }
    return NULL;
}

bool machine_variable(struct machine_module *module, const char *name, uint64_t *address,
                      uint64_t *bytes)
{
    const struct ptx_variable *variable = variable_of(module, name);
    if (!variable)
        return false;
    *address = variable->address;
    *bytes = variable->bytes;
    return true;
}

bool machine_place_variable(struct machine_module *module, const char *name, uint8_t *host)
{
    struct ptx_variable *variable = variable_of(module, name);
    struct error error = {""};
    if (!variable)
        return false;
    const struct machine_range *old = machine_memory_find(module->memory, variable->address);
    struct machine_range range = *old;
    range.address = (uintptr_t)host;
    range.host = host;
    range.kind = MACHINE_MANAGED;
    machine_memory_remove(module->memory, variable->address);
    variable->address = range.address;
    bool good = machine_memory_add(module->memory, &range, false, &error);
    for (int i = 0; i < module->ptx.variables && good; i++)
        if (is_placed(module->ptx.variable[i]))
            good = initialise(module, module->ptx.variable[i], &error);
    return good;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static bool list_parameters(struct machine_module *module, struct machine_kernel *kernel,
                            struct error *error)
{
    const struct ptx_function *function = kernel->function;
    kernel->parameter = arena_new(&module->ptx.arena,
                                  ((size_t)function->parameters + 1) * sizeof *kernel->parameter);
    if (!kernel->parameter)
        return refused(error);
    for (int i = 0; i < function->parameters; i++) {
        const struct ptx_variable *from = &function->parameter[i];
        char *name = terminated(&module->ptx.arena, from->name);
        if (!name)
            return refused(error);
        kernel->parameter[i] = (struct machine_parameter){name, from->offset, (uint32_t)from->bytes,
                                                          ptx_type_name(from->type)};
    }
    return true;
}

static bool list_kernels(struct machine_module *module, struct error *error)
{
    module->kernel =
        arena_new(&module->ptx.arena, ((size_t)module->ptx.functions + 1) * sizeof *module->kernel);
    if (!module->kernel)
        return refused(error);
    for (int i = 0; i < module->ptx.functions; i++) {
        struct ptx_function *function = module->ptx.function[i];
        if (!function->entry || !function->body)
            continue;
        struct machine_kernel *kernel = &module->kernel[module->kernels++];
        kernel->module = module;
        kernel->function = function;
        kernel->name = terminated(&module->ptx.arena, function->name);
        if (!kernel->name || !list_parameters(module, kernel, error))
            return refused(error);
    }
    return true;
}

struct machine_kernel *machine_kernel(struct machine_module *module, const char *name)
{
    for (int i = 0; i < module->kernels; i++)
        if (!strcmp(module->kernel[i].name, name))
            return &module->kernel[i];
    return NULL;
}

struct machine_kernel *machine_kernel_at(struct machine_module *module, int index)
{
    return index >= 0 && index < module->kernels ? &module->kernel[index] : NULL;
}

struct machine_memory *module_memory(const struct machine_kernel *kernel)
{
    return kernel->module->memory;
}

struct kernel_code *module_code(struct machine_kernel *kernel, int slots, struct error *error)
{
    struct machine_module *module = kernel->module;
    struct kernel_code **code = &kernel->code[slots > 32];
    lock_take(&module->decoding);
    if (!*code)
        *code = kernel_decode(module, kernel->function, slots, error);
    lock_give(&module->decoding);
    return *code;
}

bool machine_kernel_decode(struct machine_kernel *kernel, struct error *error)
{
    return module_code(kernel, 32, error) != NULL;
}

static const struct kernel_code *any_code(const struct machine_kernel *kernel)
{
    return kernel->code[0] ? kernel->code[0] : kernel->code[1];
}

void machine_kernel_facts(const struct machine_kernel *kernel, struct machine_kernel_facts *facts)
{
    const struct ptx_function *function = kernel->function;
    const struct kernel_code *code = any_code(kernel);
    *facts = (struct machine_kernel_facts){.name = kernel->name,
                                           .parameters = function->parameters,
                                           .parameter = kernel->parameter,
                                           .parameter_bytes = function->parameter_bytes,
                                           .target = function->unit->target};
    memcpy(facts->required, function->required, sizeof facts->required);
    memcpy(facts->cluster, function->cluster, sizeof facts->cluster);
    if (function->most_threads[0])
        facts->most_threads =
            function->most_threads[0] * function->most_threads[1] * function->most_threads[2];
    for (const struct code *each = code ? code->code : NULL; each; each = each->next)
        facts->local_bytes += each->local_bytes;
    if (code) {
        facts->static_shared = code->static_shared;
        facts->launches = code->launches;
    }
}

/* The loop of that index in a function; *index becomes less by those that it has. */
static bool find_loop(const struct ptx_function *function, const struct allocator *allocator,
                      int *index, struct machine_loop *loop)
{
    const struct ptx_body *body = function->parsed;
    struct arena scratch = {.allocator = *allocator};
    struct effects effects = {.count = 0};
    bool good = true, found = false;
    while (good && effects.count < body->instructions)
        good = effects_add(&effects, &scratch, body);
    for (int i = 0; good && !found && i < body->instructions; i++) {
        struct unroll_loop is;
        if (!unroll_is_loop(body, &effects, i, &is) || (*index)-- > 0)
            continue;
        const struct ptx_instruction *first = &body->instruction[is.first],
                                     *last = &body->instruction[is.last];
        *loop = (struct machine_loop){function->name.at, function->name.length, last->line,
                                      first->text.at, last->text.at + last->text.length};
        found = true;
    }
    arena_free(&scratch);
    return found;
}

int machine_kernel_loop(const struct machine_kernel *kernel, int index, struct machine_loop *loop)
{
    const struct kernel_code *decoded = any_code(kernel);
    for (const struct code *code = decoded ? decoded->code : NULL; code; code = code->next)
        if (find_loop(code->function, &kernel->module->ptx.arena.allocator, &index, loop))
            return 1;
    return 0;
}

bool machine_unroll(struct machine_module *module, const char *function, int function_length,
                    int line, bool first_apart)
{
    struct ptx_unrolled *wanted = arena_new(&module->ptx.arena, sizeof *wanted);
    char *name = arena_new(&module->ptx.arena, (size_t)function_length + 1);
    if (!wanted || !name)
        return false;
    memcpy(name, function, (size_t)function_length);
    *wanted =
        (struct ptx_unrolled){module->ptx.unrolled, {name, function_length}, line, first_apart};
    module->ptx.unrolled = wanted;
    return true;
}

int machine_kernel_accesses(const struct machine_kernel *kernel)
{
    return any_code(kernel) ? any_code(kernel)->accesses : 0;
}

void machine_kernel_access(const struct machine_kernel *kernel, int access,
                           struct machine_access_facts *facts)
{
    *facts = any_code(kernel)->access[access].facts;
}

int machine_kernel_shared(const struct machine_kernel *kernel, int index,
                          struct machine_shared *shared)
{
    const struct kernel_code *code = any_code(kernel);
    if (!code || index < 0 || index >= code->shareds)
        return 0;
    *shared = code->shared[index];
    return 1;
}

void machine_own_lines(struct machine_module *module)
{
    module->ptx.own_lines = true;
}

int machine_module_sites(const struct machine_module *module)
{
    return module->ptx.sites;
}

void machine_module_site(const struct machine_module *module, int index, struct machine_site *site)
{
    struct ptx_site *from = &module->ptx.site[index];
    struct arena *arena = &((struct machine_module *)module)->ptx.arena;
    const char *file = terminated(arena, from->file), *function = terminated(arena, from->function);
    *site = (struct machine_site){file ? file : "", function ? function : "", from->line,
                                  from->column, from->inlined_at};
}

/* ---- loading --------------------------------------------------------------------------------- */

struct machine_module *machine_load(struct machine_memory *memory, const struct machine_text *text,
                                    int texts, struct error *error)
{
    struct arena arena = {.allocator = memory->allocator};
    struct machine_module *module = arena_new(&arena, sizeof *module);
    if (!module)
        return refused(error), NULL;
    module->ptx.arena = arena;
    module->memory = memory;
    lock_give(&module->decoding);
    bool good = true;
    for (int i = 0; i < texts && good; i++)
        good = ptx_read(&module->ptx, &text[i], error);
    if (good && ptx_link(&module->ptx, error) && place_all(module, error) &&
        list_kernels(module, error))
        return module;
    machine_unload(module);
    return NULL;
}

void machine_unload(struct machine_module *module)
{
    if (!module)
        return;
    for (int i = 0; i < module->ptx.variables; i++)
        if (module->ptx.variable[i]->address)
            machine_memory_remove(module->memory, module->ptx.variable[i]->address);
    struct arena arena = module->ptx.arena;
    arena_free(&arena);
}
