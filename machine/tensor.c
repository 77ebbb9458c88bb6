/* tensor.c - tensor maps: what they say, and the rows of a box. */
#include "machine/async.h"

#include <string.h>

_Static_assert(sizeof(struct tensor_map) == MACHINE_TENSOR_MAP, "the size of CUtensorMap");

/* ---- making one --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint8_t bytes;
    bool is_float;
} types[MACHINE_TENSOR_TYPES] = {
    [MACHINE_TENSOR_U8] = {"u8", 1, false},        [MACHINE_TENSOR_U16] = {"u16", 2, false},
    [MACHINE_TENSOR_U32] = {"u32", 4, false},      [MACHINE_TENSOR_S32] = {"s32", 4, false},
    [MACHINE_TENSOR_U64] = {"u64", 8, false},      [MACHINE_TENSOR_S64] = {"s64", 8, false},
    [MACHINE_TENSOR_F16] = {"f16", 2, true},       [MACHINE_TENSOR_F32] = {"f32", 4, true},
    [MACHINE_TENSOR_F64] = {"f64", 8, true},       [MACHINE_TENSOR_BF16] = {"bf16", 2, true},
    [MACHINE_TENSOR_F32_FTZ] = {"f32", 4, true},   [MACHINE_TENSOR_TF32] = {"tf32", 4, true},
    [MACHINE_TENSOR_TF32_FTZ] = {"tf32", 4, true},
};

static bool check_sizes(const struct machine_tensor *tensor, int bytes, struct error *error)
{
    for (int i = 0; i < tensor->rank; i++) {
        if (!tensor->size[i] || tensor->size[i] > UINT64_C(1) << 32)
            return error_set(error, "a tensor map: dimension %d has %llu elements, not 1 to 2^32",
                             i, (unsigned long long)tensor->size[i]);
        if (!tensor->box[i] || tensor->box[i] > 256)
            return error_set(error,
                             "a tensor map: a box has 1 to 256 elements in dimension %d, not %u", i,
                             tensor->box[i]);
        if (!tensor->step[i] || tensor->step[i] > 8)
            return error_set(error,
                             "a tensor map: the element stride of dimension %d is 1 to 8, not %u",
                             i, tensor->step[i]);
        if (i && (tensor->stride[i - 1] % 16 || tensor->stride[i - 1] >> 40))
            return error_set(
                error,
                "a tensor map: the stride of dimension %d is a multiple of 16 below 2^40, "
                "not %llu",
                i, (unsigned long long)tensor->stride[i - 1]);
    }
    const uint32_t row = tensor->box[0] * (uint32_t)bytes,
                   span = tensor->swizzle ? 16u << tensor->swizzle : 0;
    if (row % 16)
        return error_set(error, "a tensor map: a row of a box has a multiple of 16 bytes, not %u",
                         row);
    if (span && row > span)
        return error_set(error,
                         "a tensor map: a row of a box has %u bytes, more than its swizzle's %u",
                         row, span);
    return true;
}

bool machine_tensor_encode(const struct machine_tensor *tensor, void *map, struct error *error)
{
    if (tensor->type < 0 || tensor->type >= MACHINE_TENSOR_TYPES)
        return error_set(error, "a tensor map: elements of type %d are not known", tensor->type);
    const int bytes = types[tensor->type].bytes;
    if (tensor->rank < 1 || tensor->rank > TENSOR_DIMENSIONS)
        return error_set(error, "a tensor map has 1 to 5 dimensions, not %d", tensor->rank);
    if (tensor->interleave)
        return error_set(error, "a tensor map with interleaved layout is not known here");
    if (tensor->swizzle < 0 || tensor->swizzle > 3)
        return error_set(error, "a tensor map: swizzle %d is not known", tensor->swizzle);
    if (tensor->fill && !types[tensor->type].is_float)
        return error_set(error, "a tensor map: only numbers with a point can be NaN outside");
    if (!tensor->address || tensor->address % 16)
        return error_set(error, "a tensor map: the address 0x%llx is no multiple of 16",
                         (unsigned long long)tensor->address);
    if (!check_sizes(tensor, bytes, error))
        return false;
    struct tensor_map made = {.magic = TENSOR_MAGIC,
                              .address = tensor->address,
                              .rank = (uint8_t)tensor->rank,
                              .type = (uint8_t)tensor->type,
                              .bytes = (uint8_t)bytes,
                              .swizzle = (uint8_t)tensor->swizzle,
                              .fill = tensor->fill};
    for (int i = 0; i < tensor->rank; i++) {
        made.size[i] = (uint32_t)(tensor->size[i] - 1);
        made.box[i] = (uint16_t)tensor->box[i];
        made.step[i] =
            i ? (uint8_t)tensor->step[i] : 1; /* of the innermost one it has no meaning */
        if (i)
            made.stride[i - 1] = tensor->stride[i - 1];
    }
    memcpy(map, &made, sizeof made);
    return true;
}

/* ---- rows of a box ------------------------------------------------------------------------------- */

static uint32_t length_of(const struct tensor_map *map, int dimension)
{
    return (map->box[dimension] + map->step[dimension] - 1u) / map->step[dimension];
}

static uint32_t product_of(const struct tensor_map *map, int first)
{
    uint32_t product = 1;
    for (int i = first; i < map->rank; i++)
        product *= length_of(map, i);
    return product;
}

uint32_t tensor_bytes(const struct tensor_map *map)
{
    return map->bytes * product_of(map, 0);
}

/* Rows of a swizzled box begin one span of the swizzle apart, however long they are. */
static uint32_t tensor_pitch(const struct tensor_map *map)
{
    return map->swizzle ? 16u << map->swizzle : map->bytes * length_of(map, 0);
}

uint32_t tensor_room(const struct tensor_map *map)
{
    return tensor_pitch(map) * product_of(map, 1);
}

void tensor_begin(struct tensor_walk *walk, const struct tensor_map *map, const int32_t *start)
{
    *walk = (struct tensor_walk){.map = map};
    for (int i = 0; i < map->rank; i++) {
        walk->start[i] = start[i];
        walk->length[i] = length_of(map, i);
    }
}

bool tensor_next(struct tensor_walk *walk, struct tensor_row *row)
{
    const struct tensor_map *map = walk->map;
    if (walk->over)
        return false;
    const int64_t most = (int64_t)map->size[0] + 1, start = walk->start[0];
    const int64_t length = walk->length[0];
    const int64_t first = start < 0 ? -start : 0,
                  end = start + length > most ? most - start : length;
    *row = (struct tensor_row){.at = walk->at,
                               .inside = first < end,
                               .from = map->address + (uint64_t)(start * map->bytes),
                               .first = (int)first,
                               .count = (int)(end - first),
                               .elements = (int)length};
    for (int i = 1; i < map->rank; i++) {
        const int64_t place = (int64_t)walk->start[i] + (int64_t)walk->index[i] * map->step[i];
        row->inside &= place >= 0 && place <= (int64_t)map->size[i];
        row->from += (uint64_t)place * map->stride[i - 1];
    }
    walk->at += tensor_pitch(map);
    int i = 1;
    while (i < map->rank && ++walk->index[i] == walk->length[i])
        walk->index[i++] = 0;
    walk->over = i >= map->rank;
    return true;
}

/* ---- elements -------------------------------------------------------------------------------------- */

void tensor_fill(const struct tensor_map *map, uint8_t *to, int elements)
{
    const uint64_t value = map->fill ? UINT64_C(0x7ff77ff77ff77ff7) : 0; /* a NaN of any size */
    for (int i = 0; i < elements; i++)
        memcpy(to + i * map->bytes, &value, map->bytes);
}

void tensor_round(const struct tensor_map *map, uint8_t *elements, int count)
{
    const bool shortens = map->type == MACHINE_TENSOR_TF32 || map->type == MACHINE_TENSOR_TF32_FTZ;
    for (int i = 0; i < count && shortens; i++) {
        uint32_t bits;
        memcpy(&bits, elements + 4 * i, sizeof bits);
        if ((bits & 0x7f800000) != 0x7f800000)
            bits = (bits + 0x1000) & ~0x1fffu;
        memcpy(elements + 4 * i, &bits, sizeof bits);
    }
}
