/* bind_matrix.c - operands of ldmatrix and stmatrix, textures and surfaces. */
#include "machine/decode/decode.h"
#include "machine/matrix.h"

#include <string.h>

/* ---- ldmatrix, stmatrix ---------------------------------------------------------------------- */

/* ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {a, b, c, d}, [at]; stmatrix: the other way round. */
bool bind_matrices(struct decoder *decoder, const struct ptx_instruction *instruction,
                   const struct operation *operation, const int *choice)
{
    const bool stores = slice_is(instruction->opcode, "stmatrix");
    const int count = ptx_has(instruction, "x4") ? 4 : ptx_has(instruction, "x2") ? 2 : 1;
    struct access *access = decode_new(decoder, sizeof *access);
    enum ptx_space space = PTX_SHARED;
    uint32_t at;
    int64_t offset;
    bool wide;
    (void)choice;
    if (!access || instruction->operands != 2)
        return decode_wrong(decoder, "registers and an address are expected");
    const struct ptx_operand *address = &instruction->operand[stores ? 0 : 1];
    const struct ptx_operand *values = &instruction->operand[stores ? 1 : 0];
    const struct ptx_operand *value = values->kind == PTX_VECTOR ? values->element : values;
    if ((values->kind == PTX_VECTOR ? values->elements : 1) != count ||
        !decode_address(decoder, address, &space, &at, &offset, &wide))
        return decode_wrong(decoder, "a register for each matrix is expected");
    *access = (struct access){.space = PTX_SHARED,
                              .op = stores ? OP_MATRIX_STORE : OP_MATRIX_LOAD,
                              .bytes = 16,
                              .elements = (uint8_t)count,
                              .wide_address = wide,
                              .number = -1,
                              .global_number = -1};
    if (decoder->join[decoder->index].fate != JOIN_VANISHES)
        access->number = decode_access(decoder, false, access->op, 16, NULL);
    for (int i = 0; i < count; i++) {
        access->reg[i] = stores ? decode_source(decoder, &value[i], PTX_B32)
                                : decode_destination(decoder, &value[i], 4);
        if (!access->reg[i])
            return false;
    }
    return decode_emit(
        decoder, operation,
        (struct step){
            .a = at, .immediate = offset, .extra = access, .sub = ptx_has(instruction, "trans")});
}

/* ---- textures and surfaces ------------------------------------------------------------------- */

static bool bind_handle(struct decoder *decoder, const struct ptx_operand *operand,
                        struct fetch *fetch)
{
    fetch->by_name = operand->kind == PTX_VARIABLE;
    fetch->handle = decode_source(decoder, operand, PTX_U64);
    return fetch->handle != 0;
}

static bool bind_coordinates(struct decoder *decoder, const struct ptx_operand *operand,
                             struct fetch *fetch)
{
    const struct ptx_operand *element = operand->kind == PTX_VECTOR ? operand->element : operand;
    const int count = operand->kind == PTX_VECTOR ? operand->elements : 1;
    if (count < fetch->dimensions + fetch->layered || count > 4)
        return decode_wrong(decoder, "another number of coordinates is expected");
    for (int i = 0; i < count; i++)
        if (!(fetch->coordinate[i] = decode_source(decoder, &element[i], PTX_B32)))
            return false;
    return true;
}

static int dimensions_of(const struct ptx_instruction *instruction)
{
    if (ptx_has(instruction, "cube") || ptx_has(instruction, "acube"))
        return 3;
    return ptx_has(instruction, "3d")                                  ? 3
           : ptx_has(instruction, "2d") || ptx_has(instruction, "a2d") ? 2
                                                                       : 1;
}

/* tex.2d.v4.f32.f32 {a, b, c, d}, [texture, {x, y}]; tld4.r.2d.v4.f32.f32 */
bool bind_fetch(struct decoder *decoder, const struct ptx_instruction *instruction,
                const struct operation *operation, const int *choice)
{
    struct fetch *fetch = decode_new(decoder, sizeof *fetch);
    (void)choice;
    if (!fetch || instruction->operands != 2 || instruction->operand[0].kind != PTX_VECTOR ||
        instruction->operand[0].elements != 4 || instruction->operand[1].kind != PTX_ADDRESS)
        return decode_wrong(decoder, "four registers and a texture are expected");
    const struct ptx_operand *result = instruction->operand[0].element;
    const struct ptx_operand *texture = &instruction->operand[1];
    if (texture->elements != 2)
        return decode_wrong(decoder, "a texture with a sampler of its own is not known");
    fetch->dimensions = dimensions_of(instruction);
    fetch->layered =
        ptx_has(instruction, "a1d") || ptx_has(instruction, "a2d") || ptx_has(instruction, "acube");
    fetch->cube = ptx_has(instruction, "cube") || ptx_has(instruction, "acube");
    fetch->gathers = slice_is(instruction->opcode, "tld4");
    fetch->channel = ptx_has(instruction, "g")   ? 1
                     : ptx_has(instruction, "b") ? 2
                     : ptx_has(instruction, "a") ? 3
                                                 : 0;
    fetch->whole = slice_is(instruction->word[instruction->words - 1], "s32");
    for (int i = 0; i < 4; i++)
        if (result[i].kind != PTX_NOTHING &&
            !(fetch->reg[i] = decode_destination(decoder, &result[i], 4)))
            return false;
    if (!bind_handle(decoder, &texture->element[0], fetch) ||
        !bind_coordinates(decoder, &texture->element[1], fetch))
        return false;
    return decode_emit(decoder, operation, (struct step){.extra = fetch});
}

/* suld.b.2d.v4.b32.trap {a, b, c, d}, [surface, {x, y}]; sust.b.2d.b32.trap [surface, {x, y}], a; */
bool bind_surface(struct decoder *decoder, const struct ptx_instruction *instruction,
                  const struct operation *operation, const int *choice)
{
    static const struct {
        const char *word;
        uint8_t bytes;
    } sizes[] = {{"b8", 1}, {"b16", 2}, {"b32", 4}, {"b64", 8}};
    struct fetch *fetch = decode_new(decoder, sizeof *fetch);
    const bool stores = slice_is(instruction->opcode, "sust");
    (void)choice;
    if (!fetch || instruction->operands != 2 || instruction->operand[stores ? 0 : 1].elements != 2)
        return decode_wrong(decoder, "a surface and registers are expected");
    const struct ptx_operand *surface = &instruction->operand[stores ? 0 : 1];
    const struct ptx_operand *values = &instruction->operand[stores ? 1 : 0];
    const struct ptx_operand *value = values->kind == PTX_VECTOR ? values->element : values;
    fetch->stores = stores;
    fetch->dimensions = dimensions_of(instruction);
    fetch->outside = ptx_has(instruction, "trap")    ? MACHINE_OUTSIDE_TRAP
                     : ptx_has(instruction, "clamp") ? MACHINE_OUTSIDE_CLAMP
                                                     : MACHINE_OUTSIDE_ZERO;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (ptx_has(instruction, sizes[i].word))
            fetch->bytes = sizes[i].bytes;
    fetch->register_bytes = fetch->bytes < 2 ? 2 : fetch->bytes;
    fetch->elements = (uint8_t)(values->kind == PTX_VECTOR ? values->elements : 1);
    if (fetch->elements > 4)
        return decode_wrong(decoder, "at most four registers are expected");
    static const enum ptx_type types[] = {[2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64};
    for (int i = 0; i < fetch->elements; i++) {
        fetch->reg[i] = stores ? decode_source(decoder, &value[i], types[fetch->register_bytes])
                               : decode_destination(decoder, &value[i], fetch->register_bytes);
        if (!fetch->reg[i])
            return false;
    }
    if (!bind_handle(decoder, &surface->element[0], fetch) ||
        !bind_coordinates(decoder, &surface->element[1], fetch))
        return false;
    return decode_emit(decoder, operation, (struct step){.extra = fetch});
}
