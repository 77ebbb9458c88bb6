/* collect.c - what a kernel needs: the functions that it may call, its shared variables, and where the
 * variables of its functions are. */
#include "machine/decode/decode.h"
#include "machine/ptxas/unroll.h"

#include <string.h>

static bool refused(struct error *error)
{
    return error_set(error, "out of memory for the program's code");
}

uint64_t function_pointer(const struct ptx_function *function)
{
    return (UINT64_C(1) << 48) + 16 * ((uint64_t)function->number + 1);
}

const struct code *kernel_function(const struct kernel_code *kernel, uint64_t pointer)
{
    for (const struct code *code = kernel->code; code; code = code->next)
        if (function_pointer(code->function) == pointer)
            return code;
    return NULL;
}

struct code *kernel_code_of(struct kernel_code *kernel, struct ptx_function *function)
{
    for (struct code *code = kernel->code; code; code = code->next)
        if (code->function == function)
            return code;
    struct code *code = arena_new(&kernel->module->arena, sizeof *code);
    if (!code)
        return NULL;
    code->function = function;
    code->kernel = kernel;
    code->number = kernel->codes++;
    if (kernel->last)
        kernel->last->next = code;
    else
        kernel->code = code;
    kernel->last = code;
    return code;
}

/* ---- functions and shared variables ---------------------------------------------------------- */

static bool need_function(struct kernel_code *kernel, struct ptx_function *function,
                          struct error *error)
{
    const struct ptx_symbol *symbol = ptx_symbol(kernel->module, function->unit, function->name);
    struct ptx_function *defined = symbol && symbol->function ? symbol->function : function;
    const void *math;
    /* A kernel whose address is taken is launched, not called; functions of the device's runtime are the machine's. */
    return !defined->body || defined->entry ||
           builtin_named(defined->name, &math) == BUILTIN_SYSTEM ||
           kernel_code_of(kernel, defined) || refused(error);
}

static bool need_shared(struct kernel_code *kernel, const struct ptx_variable *variable,
                        struct error *error)
{
    for (int i = 0; i < kernel->shareds; i++)
        if (kernel->shared_variable[i] == variable)
            return true;
    if (!arena_grow(&kernel->module->arena, &kernel->shared_variable, &kernel->shared_room,
                    kernel->shareds + 1, sizeof *kernel->shared_variable))
        return refused(error);
    int at = kernel->shareds++;
    for (; at > 0 && kernel->shared_variable[at - 1]->order > variable->order; at--)
        kernel->shared_variable[at] = kernel->shared_variable[at - 1];
    kernel->shared_variable[at] = variable;
    return true;
}

static bool need_operand(struct kernel_code *kernel, const struct ptx_operand *operand,
                         struct error *error)
{
    if (operand->kind == PTX_FUNCTION && !need_function(kernel, operand->function, error))
        return false;
    if (operand->kind == PTX_VARIABLE && operand->variable->space == PTX_SHARED &&
        !need_shared(kernel, operand->variable, error))
        return false;
    for (int i = 0; i < operand->elements; i++)
        if (!need_operand(kernel, &operand->element[i], error))
            return false;
    return true;
}

/* All functions whose address a variable holds: a call by an address may reach any of them. */
static bool need_addresses(struct kernel_code *kernel, struct error *error)
{
    for (int i = 0; i < kernel->module->variables; i++) {
        const struct ptx_variable *variable = kernel->module->variable[i];
        for (const struct ptx_initialiser *next = variable->initialiser; next; next = next->next) {
            const struct ptx_symbol *symbol =
                next->symbol.length ? ptx_symbol(kernel->module, variable->unit, next->symbol)
                                    : NULL;
            if (symbol && symbol->function && !need_function(kernel, symbol->function, error))
                return false;
        }
    }
    return true;
}

static bool calls_by_address(const struct ptx_instruction *instruction)
{
    if (!slice_is(instruction->opcode, "call"))
        return false;
    for (int i = 0; i < instruction->operands; i++)
        if (instruction->operand[i].kind == PTX_REG)
            return true;
    return false;
}

static bool scan(struct kernel_code *kernel, const struct ptx_body *body, struct error *error)
{
    for (int i = 0; i < body->instructions; i++) {
        const struct ptx_instruction *instruction = &body->instruction[i];
        if (calls_by_address(instruction) && !need_addresses(kernel, error))
            return false;
        for (int k = 0; k < instruction->operands; k++)
            if (!need_operand(kernel, &instruction->operand[k], error))
                return false;
    }
    return true;
}

static uint64_t aligned(uint64_t at, uint64_t align)
{
    return (at + align - 1) & ~(align - 1);
}

/* Static variables one behind the other; dynamic ones all begin behind them. */
static bool lay_out(struct kernel_code *kernel, struct error *error)
{
    uint64_t at = 0, dynamic_align = 16;
    kernel->shared =
        arena_new(&kernel->module->arena, ((size_t)kernel->shareds + 1) * sizeof *kernel->shared);
    if (!kernel->shared)
        return refused(error);
    for (int i = 0; i < kernel->shareds; i++) {
        const struct ptx_variable *variable = kernel->shared_variable[i];
        struct machine_shared *shared = &kernel->shared[i];
        char *name = arena_new(&kernel->module->arena, (size_t)variable->name.length + 1);
        if (!name)
            return refused(error);
        memcpy(name, variable->name.at, (size_t)variable->name.length);
        *shared = (struct machine_shared){name, 0, 0, variable->align, variable->open};
        if (variable->open) {
            dynamic_align = variable->align > dynamic_align ? variable->align : dynamic_align;
            continue;
        }
        at = aligned(at, variable->align);
        shared->offset = (uint32_t)at;
        shared->bytes = (uint32_t)variable->bytes;
        at += variable->bytes;
        if (at > UINT32_MAX / 2)
            return error_set(error, "%.*s: over 2 GiB of shared memory",
                             SLICE(kernel->entry->name));
    }
    kernel->static_shared = (uint32_t)aligned(at, kernel->shareds ? dynamic_align : 1);
    for (int i = 0; i < kernel->shareds; i++)
        if (kernel->shared[i].dynamic)
            kernel->shared[i].offset = kernel->static_shared;
    return true;
}

/* A page is told of no loops (machine_unroll), and has not the code for it. */
static bool take_turns_together(const struct kernel_code *kernel, const struct code *code,
                                struct error *error)
{
#if defined(__wasm__)
    (void)kernel, (void)code, (void)error;
    return true;
#else
    return unroll_body(kernel->module, code->function, error);
#endif
}

bool kernel_collect(struct kernel_code *kernel, struct error *error)
{
    if (!kernel_code_of(kernel, kernel->entry))
        return refused(error);
    for (struct code *code = kernel->code; code; code = code->next)
        if (!ptx_parse_body(kernel->module, code->function, error) ||
            !take_turns_together(kernel, code, error) ||
            !scan(kernel, code->function->parsed, error))
            return false;
    return lay_out(kernel, error);
}

uint32_t decode_shared_offset(const struct decoder *decoder, const struct ptx_variable *variable)
{
    for (int i = 0; i < decoder->kernel->shareds; i++)
        if (decoder->kernel->shared_variable[i] == variable)
            return decoder->kernel->shared[i].offset;
    return 0;
}

/* ---- places of variables --------------------------------------------------------------------- */

/* Whether a body takes the address of a variable, rather than only load and store it by name. */
static bool takes_address(const struct ptx_body *body, const struct ptx_variable *variable)
{
    for (int i = 0; i < body->instructions; i++) {
        const struct ptx_instruction *instruction = &body->instruction[i];
        for (int k = 0; k < instruction->operands; k++)
            if (instruction->operand[k].kind == PTX_VARIABLE &&
                instruction->operand[k].variable == variable)
                return true;
    }
    return false;
}

static bool place_variable(struct decoder *decoder, const struct ptx_variable *variable,
                           struct place *place)
{
    struct code *code = decoder->code;
    place->bytes = (uint32_t)variable->bytes;
    place->local = variable->space == PTX_LOCAL ||
                   (variable->space == PTX_PARAM && takes_address(decoder->body, variable));
    if (!place->local) {
        place->at = decode_room(decoder, place->bytes ? place->bytes : 1);
        return place->at != 0;
    }
    const uint32_t align = variable->align > 16 ? 16 : variable->align ? variable->align : 1;
    place->at = (uint32_t)aligned(code->local_bytes, align);
    code->local_used = place->at + place->bytes;
    code->local_bytes = (uint32_t)aligned(code->local_used, 16);
    if (code->local_bytes > MACHINE_STACK)
        return error_set(decoder->error, "%.*s: over 512 KiB of local memory for a thread",
                         SLICE(code->function->name));
    return true;
}

static struct place *place_list(struct decoder *decoder, const struct ptx_variable *variable,
                                int count)
{
    struct place *place = decode_new(decoder, ((size_t)count + 1) * sizeof *place);
    for (int i = 0; i < count && place; i++)
        if (!place_variable(decoder, &variable[i], &place[i]))
            return NULL;
    return place;
}

bool decode_places(struct decoder *decoder)
{
    struct code *code = decoder->code;
    const struct ptx_function *function = code->function;
    const struct ptx_body *body = decoder->body;
    if (!function->entry) {
        code->parameter = place_list(decoder, function->parameter, function->parameters);
        code->result = place_list(decoder, function->result, function->results);
        if (!code->parameter || !code->result)
            return false;
    }
    decoder->local = decode_new(decoder, ((size_t)body->locals + 1) * sizeof *decoder->local);
    for (int i = 0; i < body->locals && decoder->local; i++)
        if (body->local[i]->space != PTX_SHARED &&
            !place_variable(decoder, body->local[i], &decoder->local[i]))
            return false;
    return decoder->local != NULL;
}

const struct place *decode_place(const struct decoder *decoder, const struct ptx_variable *variable)
{
    const struct ptx_function *function = decoder->code->function;
    if (variable->order >= 1 << 20)
        return &decoder->local[variable->order & ((1 << 20) - 1)];
    if (function->parameters && variable >= function->parameter &&
        variable < function->parameter + function->parameters)
        return &decoder->code->parameter[variable - function->parameter];
    return &decoder->code->result[variable - function->result];
}
