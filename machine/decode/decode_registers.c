/* decode_registers.c - where registers, constants and addresses of a function are. */
#include "machine/decode/decode.h"

#include <string.h>

uint32_t decode_room(struct decoder *decoder, uint32_t bytes)
{
    struct code *code = decoder->code;
    const uint32_t at = code->frame_bytes;
    code->frame_bytes += ((uint32_t)decoder->kernel->slots * bytes + 63) & ~63u;
    if (code->frame_bytes > DECODE_MOST_FRAME) {
        decode_wrong(decoder, "the registers of this function need too much memory");
        code->frame_bytes = at;
        return 0;
    }
    return at;
}

uint32_t decode_register_bytes(enum ptx_type type)
{
    const int bytes = ptx_type_bytes(type);
    return bytes < 2 ? 2 : (uint32_t)bytes;
}

uint32_t decode_constant(struct decoder *decoder, uint64_t value, uint32_t bytes)
{
    struct code *code = decoder->code;
    if (bytes < 8)
        value &= (UINT64_C(1) << 8 * bytes) - 1;
    for (int i = 0; i < code->constants; i++)
        if (code->constant[i].value == value && code->constant[i].bytes == bytes)
            return code->constant[i].at;
    if (!decode_grow(decoder, &code->constant, &code->constant_room, code->constants + 1,
                     sizeof *code->constant))
        return 0;
    const uint32_t at = decode_room(decoder, bytes);
    code->constant[code->constants++] = (struct constant){at, bytes, value};
    return at;
}

/* A predicate that is the same for all lanes. */
static uint32_t constant_predicate(struct decoder *decoder, bool value)
{
    return decode_constant(decoder, value ? ~UINT64_C(0) : 0, 8);
}

/* Makes a register of `wanted` bytes of one of `bytes`. 0: *error is set. */
static uint32_t resized_register(struct decoder *decoder, uint32_t from, uint32_t bytes,
                                 uint32_t wanted, bool is_signed)
{
    const uint32_t at = decode_room(decoder, wanted);
    return at && decode_resize_into(decoder, from, bytes, at, wanted, is_signed) ? at : 0;
}

static uint32_t special(struct decoder *decoder, struct slice name, uint32_t bytes)
{
    const int which = special_named(name);
    if (which < 0)
        return decode_wrong(decoder, "this name is not known"), 0;
    const uint32_t at = decode_room(decoder, bytes);
    if (!at || !decode_internal(decoder, bytes == 8 ? "#special64" : "#special32",
                                (struct step){.d = at, .sub = (uint32_t)which}))
        return 0;
    if (special_reserves(which))
        decoder->kernel->reserves = true;
    return bytes == 2 ? resized_register(decoder, at, 4, 2, false) : at;
}

bool decode_resize_into(struct decoder *decoder, uint32_t from, uint32_t bytes, uint32_t to,
                        uint32_t wanted, bool is_signed)
{
    static const char *const names[2][4][4] = {
        {{"#u16.u16", "#u32.u16", "#u64.u16", ""},
         {"#u16.u32", "#u32.u32", "#u64.u32", ""},
         {"#u16.u64", "#u32.u64", "#u64.u64", ""}},
        {{"#u16.u16", "#s32.s16", "#s64.s16", ""},
         {"#u16.u32", "#u32.u32", "#s64.s32", ""},
         {"#u16.u64", "#u32.u64", "#u64.u64", ""}},
    };
    const int source = __builtin_ctz(bytes) - 1, target = __builtin_ctz(wanted) - 1;
    const char *name = source < 3 && target < 3 ? names[is_signed][source][target] : "";
    return decode_internal(decoder, name, (struct step){.d = to, .a = from}) ||
           decode_wrong(decoder, "a register of another size is expected");
}

/* The address of a variable, within its space. */
static uint32_t variable_address(struct decoder *decoder, const struct ptx_operand *operand,
                                 uint32_t bytes)
{
    const struct ptx_variable *variable = operand->variable;
    const uint64_t offset = (uint64_t)operand->offset;
    if (variable->space == PTX_SHARED)
        return decode_constant(decoder, decode_shared_offset(decoder, variable) + offset, bytes);
    if (variable->space == PTX_GLOBAL || variable->space == PTX_CONST) {
        const struct ptx_symbol *symbol =
            ptx_symbol(&decoder->module->ptx, variable->unit, variable->name);
        return decode_constant(decoder, symbol->variable->address + offset, bytes);
    }
    if (variable->space == PTX_PARAM && decoder->code->function->entry && variable->order < 1 << 20)
        return decode_constant(decoder, variable->offset + offset, bytes);
    const struct place *place = decode_place(decoder, variable);
    if (!place->local)
        return decode_wrong(decoder, "this parameter has no address"), 0;
    const uint32_t at = decode_room(decoder, bytes);
    return at && decode_internal(decoder, bytes == 8 ? "#local64" : "#local32",
                                 (struct step){.d = at, .immediate = (int64_t)(place->at + offset)})
               ? at
               : 0;
}

static uint32_t constant_operand(struct decoder *decoder, const struct ptx_operand *operand,
                                 enum ptx_type type, uint32_t bytes)
{
    uint64_t value = 0;
    if (!ptx_number(operand->text, type, operand->minus, &value))
        return decode_wrong(decoder, "this number is not understood"), 0;
    return decode_constant(decoder, value, bytes);
}

uint32_t decode_source(struct decoder *decoder, const struct ptx_operand *operand,
                       enum ptx_type type)
{
    const uint32_t bytes = decode_register_bytes(type);
    switch (operand->kind) {
    case PTX_REG: {
        const enum ptx_type own = decoder->body->reg[operand->reg].type;
        if (own == PTX_PRED || operand->negated || operand->minus)
            return decode_wrong(decoder, "a plain register is expected"), 0;
        const uint32_t at = decoder->reg[operand->reg];
        return decode_register_bytes(own) == bytes
                   ? at
                   : resized_register(decoder, at, decode_register_bytes(own), bytes,
                                      ptx_type_is_signed(type));
    }
    case PTX_CONSTANT:
        return constant_operand(decoder, operand, type, bytes);
    case PTX_VARIABLE:
        return variable_address(decoder, operand, bytes);
    case PTX_FUNCTION:
        return decode_constant(decoder, function_pointer(operand->function), bytes);
    case PTX_NAME:
        return special(decoder, operand->text, bytes);
    default:
        return decode_wrong(decoder, "this operand is not understood"), 0;
    }
}

uint32_t decode_destination(struct decoder *decoder, const struct ptx_operand *operand,
                            uint32_t bytes)
{
    if (operand->kind == PTX_NOTHING)
        return decode_room(decoder, bytes);
    if (operand->kind != PTX_REG || decoder->body->reg[operand->reg].type == PTX_PRED)
        return decode_wrong(decoder, "a register is expected as destination"), 0;
    if (decode_register_bytes(decoder->body->reg[operand->reg].type) != bytes)
        return decode_wrong(decoder, "a destination of another size is expected"), 0;
    return decoder->reg[operand->reg];
}

uint32_t decode_predicate(struct decoder *decoder, const struct ptx_operand *operand, int field,
                          uint32_t *negated)
{
    int64_t value = 0;
    if (operand->kind == PTX_CONSTANT)
        return decode_number(decoder, operand, &value) ? constant_predicate(decoder, value != 0)
                                                       : 0;
    if (operand->kind == PTX_NOTHING)
        return decode_room(decoder, 8);
    if (operand->kind == PTX_NAME && slice_is(operand->text, "%is_explicit_cluster")) {
        const uint32_t at = decode_room(decoder, 8);
        return decode_internal(decoder, "#explicit", (struct step){.d = at}) ? at : 0;
    }
    if (operand->kind != PTX_REG || decoder->body->reg[operand->reg].type != PTX_PRED)
        return decode_wrong(decoder, "a predicate is expected"), 0;
    if (operand->negated)
        *negated |= 1u << field;
    return decoder->reg[operand->reg];
}

bool decode_number(struct decoder *decoder, const struct ptx_operand *operand, int64_t *value)
{
    return ptx_constant(operand, value) || decode_wrong(decoder, "a number is expected as operand");
}

bool decode_address(struct decoder *decoder, const struct ptx_operand *operand,
                    enum ptx_space *space, uint32_t *at, int64_t *offset, bool *wide)
{
    if (operand->kind != PTX_ADDRESS)
        return decode_wrong(decoder, "an address in brackets is expected");
    const struct ptx_operand *base = &operand->element[0];
    *offset = operand->offset;
    *wide = true;
    if (base->kind == PTX_REG) {
        const enum ptx_type type = decoder->body->reg[base->reg].type;
        *at = decoder->reg[base->reg];
        *wide = ptx_type_bytes(type) == 8;
        return ptx_type_bytes(type) == 8 || ptx_type_bytes(type) == 4 ||
               decode_wrong(decoder, "an address is in a register of 32 or 64 bits");
    }
    if (base->kind != PTX_VARIABLE && base->kind != PTX_CONSTANT)
        return decode_wrong(decoder, "this address is not understood");
    if (base->kind == PTX_VARIABLE) {
        const enum ptx_space own = base->variable->space;
        const bool framed = own == PTX_PARAM &&
                            !(decoder->code->function->entry && base->variable->order < 1 << 20);
        *space = framed ? PTX_LOCAL : own;
    }
    *at = decode_source(decoder, base, PTX_U64);
    return *at != 0;
}
