/* bind.c - operands of instructions that a row of the table cannot describe: branches, calls, vectors,
 * barriers. */
#include "machine/atomic.h"
#include "machine/decode/decode.h"

#include <string.h>

/* ---- control --------------------------------------------------------------------------------- */

bool bind_branch(struct decoder *decoder, const struct ptx_instruction *instruction,
                 const struct operation *operation, const int *choice)
{
    const bool guarded = instruction->guard >= 0;
    struct step step = {0};
    (void)operation;
    (void)choice;
    if (instruction->operands != 1)
        return decode_wrong(decoder, "a label is expected");
    if (guarded) {
        step.a = decoder->reg[instruction->guard];
        step.negated = instruction->guard_negated;
    }
    return decode_internal(decoder, guarded ? "#branch" : "#jump", step) && decode_jump(decoder) &&
           decode_block(decoder);
}

/* brx.idx %r1, ts; */
bool bind_table(struct decoder *decoder, const struct ptx_instruction *instruction,
                const struct operation *operation, const int *choice)
{
    (void)choice;
    if (instruction->operands != 2)
        return decode_wrong(decoder, "an index and a table are expected");
    const struct ptx_targets *targets = ptx_targets(decoder->body, &instruction->operand[1]);
    if (!targets || !targets->labels)
        return decode_wrong(decoder, "there is no such table of labels");
    const struct step **table = decode_new(decoder, (size_t)targets->labels * sizeof *table);
    const uint32_t index = decode_source(decoder, &instruction->operand[0], PTX_U32);
    if (!table || !index ||
        !decode_emit(decoder, operation,
                     (struct step){.a = index, .sub = (uint32_t)targets->labels, .extra = table}))
        return false;
    for (int i = 0; i < targets->labels; i++)
        if (!decode_entry(decoder, &targets->label[i], &table[i]))
            return false;
    return true;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* The places of a list of parameters of a call. */
static struct place *list_places(struct decoder *decoder, const struct ptx_operand *list,
                                 int *count)
{
    *count = list ? list->elements : 0;
    struct place *place = decode_new(decoder, ((size_t)*count + 1) * sizeof *place);
    for (int i = 0; i < *count && place; i++) {
        const struct ptx_operand *element = &list->element[i];
        if (element->kind != PTX_VARIABLE || element->variable->space != PTX_PARAM)
            return decode_wrong(decoder, "a parameter of a call is not understood"), NULL;
        place[i] = *decode_place(decoder, element->variable);
    }
    return place;
}

static bool bind_target(struct decoder *decoder, const struct ptx_operand *target,
                        struct call *call, uint32_t *address)
{
    if (target->kind == PTX_REG) {
        *address = decode_source(decoder, target, PTX_U64);
        return *address != 0;
    }
    if (target->kind != PTX_FUNCTION)
        return decode_wrong(decoder, "a function is expected");
    const struct ptx_function *function = target->function;
    const struct ptx_symbol *symbol =
        ptx_symbol(&decoder->module->ptx, function->unit, function->name);
    call->function = symbol && symbol->function ? symbol->function : function;
    /* libcudadevrt defines these, by calls of the system. */
    call->builtin = builtin_named(call->function->name, &call->math);
    if (call->function->body && call->builtin != BUILTIN_SYSTEM) {
        call->builtin = BUILTIN_NONE;
        call->code = kernel_code_of(decoder->kernel, (struct ptx_function *)call->function);
        return call->code != NULL;
    }
    decoder->kernel->launches |= call->builtin == BUILTIN_SYSTEM;
    decoder->kernel->allocates |=
        call->builtin == BUILTIN_MALLOC || slice_is(call->function->name, "__cudaCDP2Malloc");
    return call->builtin != BUILTIN_NONE ||
           decode_wrong(decoder, "this function is declared but nowhere defined");
}

/* call.uni (ret), function, (a, b), prototype; */
bool bind_call(struct decoder *decoder, const struct ptx_instruction *instruction,
               const struct operation *operation, const int *choice)
{
    const struct ptx_operand *results = NULL, *arguments = NULL;
    struct call *call = decode_new(decoder, sizeof *call);
    uint32_t address = 0;
    (void)choice;
    if (!instruction->operands)
        return decode_wrong(decoder, "a function is expected");
    const struct ptx_operand *operand = instruction->operand,
                             *end = operand + instruction->operands;
    if (operand->kind == PTX_LIST)
        results = operand++;
    if (operand == end || !call)
        return decode_wrong(decoder, "a function is expected");
    const struct ptx_operand *target = operand++;
    if (operand < end && operand->kind == PTX_LIST)
        arguments = operand++;
    call->result = list_places(decoder, results, &call->results);
    call->argument = list_places(decoder, arguments, &call->arguments);
    if (!call->result || !call->argument || !bind_target(decoder, target, call, &address))
        return false;
    return decode_emit(decoder, operation, (struct step){.a = address, .extra = call});
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* mov.b64 %rd1, {%r1, %r2} and mov.b64 {%r1, %r2}, %rd1 */
static bool bind_parts(struct decoder *decoder, const struct ptx_operand *parts,
                       const struct ptx_operand *whole, enum ptx_type type, bool packs)
{
    static const enum ptx_type types[] = {
        [1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64};
    struct access *access = decode_new(decoder, sizeof *access);
    const int bytes = ptx_type_bytes(type), part = parts->elements ? bytes / parts->elements : 0;
    if (!access || parts->elements > ACCESS_VECTOR || part < 1 || part > 8 || part & (part - 1) ||
        part * parts->elements != bytes)
        return decode_wrong(decoder, "a vector of another length is expected");
    access->bytes = (uint8_t)part;
    access->elements = (uint8_t)parts->elements;
    if (!bind_elements(decoder, parts, types[part], !packs, access))
        return false;
    const uint32_t place = packs ? decode_destination(decoder, whole, (uint32_t)bytes)
                                 : decode_source(decoder, whole, type);
    return place &&
           decode_internal(decoder, packs ? "#pack" : "#unpack",
                           (struct step){.a = place, .c = (uint32_t)bytes, .extra = access});
}

bool bind_vector(struct decoder *decoder, const struct ptx_instruction *instruction,
                 const struct operation *operation, const int *choice)
{
    const enum ptx_type type = bind_last_type(instruction);
    (void)choice;
    if (instruction->operands != 2)
        return decode_wrong(decoder, "two operands are expected");
    const struct ptx_operand *to = &instruction->operand[0], *from = &instruction->operand[1];
    if (from->kind == PTX_VECTOR)
        return bind_parts(decoder, from, to, type, true);
    if (to->kind == PTX_VECTOR)
        return bind_parts(decoder, to, from, type, false);
    const uint32_t bytes = (uint32_t)ptx_type_bytes(type);
    const uint32_t a = decode_source(decoder, from, type);
    const uint32_t d = a ? decode_destination(decoder, to, bytes) : 0;
    return d && decode_emit(decoder, operation, (struct step){.d = d, .a = a, .sub = bytes});
}

/* cvta.shared.u64 d, a; cvta.to.shared.u64 d, a; step->c: local memory, negated: to */
bool bind_cvta(struct decoder *decoder, const struct ptx_instruction *instruction,
               const struct operation *operation, const int *choice)
{
    const enum ptx_type type = bind_last_type(instruction);
    const bool to = ptx_has(instruction, "to");
    const enum ptx_space space = bind_space(instruction);
    uint64_t window = 0;
    (void)choice;
    if (instruction->operands != 2)
        return decode_wrong(decoder, "two operands are expected");
    if (ptx_type_bytes(type) == 8)
        window = space == PTX_SHARED  ? WINDOW_SHARED
                 : space == PTX_LOCAL ? WINDOW_LOCAL
                 : space == PTX_PARAM
                     ? decoder->code->function->entry ? WINDOW_PARAMETER : WINDOW_LOCAL
                     : 0;
    const uint32_t a = decode_source(decoder, &instruction->operand[1], type);
    const uint32_t d =
        a ? decode_destination(decoder, &instruction->operand[0], (uint32_t)ptx_type_bytes(type))
          : 0;
    return d && decode_emit(decoder, operation,
                            (struct step){.d = d,
                                          .a = a,
                                          .c = window == WINDOW_LOCAL,
                                          .negated = to,
                                          .sub = (uint32_t)ptx_type_bytes(type),
                                          .immediate = (int64_t)(to ? 0 - window : window)});
}

/* ---- barriers, marks ------------------------------------------------------------------------- */

/* bar.sync a, b; bar.arrive a, b; bar.red.popc.u32 d, a, b, p; */
bool bind_barrier(struct decoder *decoder, const struct ptx_instruction *instruction,
                  const struct operation *operation, const int *choice)
{
    const bool reduces = ptx_has(instruction, "red");
    const int operands = instruction->operands - (reduces ? 2 : 0);
    uint32_t a, b = 0, c = 0, d = 0, negated = 0;
    (void)choice;
    if (operands < 1 || operands > 2)
        return decode_wrong(decoder, "another number of operands is expected");
    const struct ptx_operand *operand = instruction->operand + reduces;
    a = decode_source(decoder, &operand[0], PTX_U32);
    if (!a || (operands > 1 && !(b = decode_source(decoder, &operand[1], PTX_U32))))
        return false;
    const bool counts = ptx_has(instruction, "popc");
    if (reduces) {
        c = decode_predicate(decoder, &operand[operands], FIELD_C, &negated);
        d = counts ? decode_destination(decoder, instruction->operand, 4)
                   : decode_predicate(decoder, instruction->operand, FIELD_D, &negated);
        if (!c || !d)
            return false;
    }
    const uint32_t result = counts ? 0 : ptx_has(instruction, "and") ? 1 : 2;
    return decode_emit(decoder, operation,
                       (struct step){.a = a, .b = b, .c = c, .sub = reduces, .negated = negated}) &&
           (!reduces ||
            decode_internal(decoder, "#reduced", (struct step){.a = a, .d = d, .sub = result}));
}

/* bankscope stage NAME; bankscope stage NAME%r1; bankscope round %r1; bankscope array TYPE NAME %rd1 */
bool bind_mark(struct decoder *decoder, const struct ptx_instruction *instruction,
               const struct operation *operation, const int *choice)
{
    const bool round = slice_is(instruction->word[0], "round");
    const bool number = round || instruction->operands == 2;
    if (instruction->operands != 1 + (number && !round))
        return decode_wrong(decoder, "a name or a number is expected");
    const uint32_t a = number ? decode_source(decoder, &instruction->operand[!round], PTX_S64) : 0;
    (void)choice;
    return !(number && !a) &&
           decode_emit(decoder, operation,
                       (struct step){.a = a,
                                     .sub = round                                     ? 1
                                            : slice_is(instruction->word[0], "array") ? 2
                                                                                      : 0,
                                     .extra = &instruction->operand->text});
}

bool bind_nothing(struct decoder *decoder, const struct ptx_instruction *instruction,
                  const struct operation *operation, const int *choice)
{
    (void)instruction;
    (void)choice;
    return decode_emit(decoder, operation, (struct step){0});
}

bool bind_fence(struct decoder *decoder, const struct ptx_instruction *instruction,
                const struct operation *operation, const int *choice)
{
    const bool of_proxy = ptx_has(instruction, "async") || ptx_has(instruction, "async::generic");
    (void)choice;
    return decode_emit(decoder, operation, (struct step){.sub = of_proxy});
}
