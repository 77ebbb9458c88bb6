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

static bool check_strides(const struct machine_tensor *tensor, struct error *error)
{
    for (int i = 0; i < tensor->rank; i++) {
        if (!tensor->size[i] || tensor->size[i] > UINT64_C(1) << 32)
            return error_set(error, "a tensor map: dimension %d has %llu elements, not 1 to 2^32",
                             i, (unsigned long long)tensor->size[i]);
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
    return true;
}

/* A column has pixels of 3 to 5 dimensions; the corners have 16, 8 or 5 bits. */
static bool check_columns(const struct machine_tensor *tensor, struct error *error)
{
    static const int most[] = {32767, 127, 15};
    if (tensor->rank < 3)
        return error_set(error, "a tensor map of columns has 3 to 5 dimensions, not %d",
                         tensor->rank);
    if (tensor->channels > 256 || !tensor->pixels || tensor->pixels > 1024)
        return error_set(error,
                         "a tensor map of columns: 1 to 256 channels and 1 to 1024 pixels, not %u "
                         "and %u",
                         tensor->channels, tensor->pixels);
    for (int i = 0; i < tensor->rank - 2; i++) {
        const int limit = most[tensor->rank - 3], lower = tensor->lower[i],
                  upper = tensor->upper[i];
        if (lower > limit || lower < -limit - 1 || upper > limit || upper < -limit - 1)
            return error_set(error, "a tensor map of columns: corners are %d to %d, not %d and %d",
                             -limit - 1, limit, lower, upper);
        if ((int64_t)tensor->size[i + 1] + upper <= lower)
            return error_set(error,
                             "a tensor map of columns: there is nothing between the corners");
    }
    return true;
}

static bool check_box(const struct machine_tensor *tensor, int bytes, struct error *error)
{
    for (int i = 0; i < tensor->rank && !tensor->channels; i++)
        if (!tensor->box[i] || tensor->box[i] > 256)
            return error_set(error,
                             "a tensor map: a box has 1 to 256 elements in dimension %d, not %u", i,
                             tensor->box[i]);
    const uint32_t row = (tensor->channels ? tensor->channels : tensor->box[0]) * (uint32_t)bytes,
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

static bool check(const struct machine_tensor *tensor, struct error *error)
{
    if (tensor->type < 0 || tensor->type >= MACHINE_TENSOR_TYPES)
        return error_set(error, "a tensor map: elements of type %d are not known", tensor->type);
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
    return check_strides(tensor, error) && (!tensor->channels || check_columns(tensor, error)) &&
           check_box(tensor, types[tensor->type].bytes, error);
}

bool tensor_check(const struct tensor_map *map, struct error *error)
{
    struct machine_tensor tensor = {.type = map->type,
                                    .rank = map->rank,
                                    .address = map->address,
                                    .swizzle = map->swizzle,
                                    .fill = map->fill,
                                    .channels = map->columns ? map->box[0] : 0,
                                    .pixels = map->pixels};
    for (int i = 0; i < TENSOR_DIMENSIONS; i++) {
        tensor.size[i] = (uint64_t)map->size[i] + 1;
        tensor.box[i] = map->box[i];
        tensor.step[i] = map->step[i];
        if (i)
            tensor.stride[i - 1] = map->stride[i - 1];
    }
    for (int i = 0; i < 3; i++)
        tensor.lower[i] = map->lower[i], tensor.upper[i] = map->upper[i];
    if (map->columns > 1 || (map->columns && !map->box[0]))
        return error_set(error, "a tensor map of columns without channels");
    return check(&tensor, error);
}

uint8_t tensor_element_bytes(int type)
{
    return type < MACHINE_TENSOR_TYPES ? types[type].bytes : 0;
}

bool machine_tensor_encode(const struct machine_tensor *tensor, void *map, struct error *error)
{
    if (!check(tensor, error))
        return false;
    struct tensor_map made = {.magic = TENSOR_MAGIC,
                              .address = tensor->address,
                              .rank = (uint8_t)tensor->rank,
                              .type = (uint8_t)tensor->type,
                              .bytes = types[tensor->type].bytes,
                              .swizzle = (uint8_t)tensor->swizzle,
                              .fill = tensor->fill,
                              .columns = tensor->channels > 0,
                              .pixels = (uint16_t)tensor->pixels};
    for (int i = 0; i < tensor->rank; i++) {
        made.size[i] = (uint32_t)(tensor->size[i] - 1);
        made.box[i] = tensor->channels ? 1 : (uint16_t)tensor->box[i];
        made.step[i] =
            i ? (uint8_t)tensor->step[i] : 1; /* of the innermost one it has no meaning */
        if (i)
            made.stride[i - 1] = tensor->stride[i - 1];
    }
    for (int i = 0; i < tensor->rank - 2 && tensor->channels; i++) {
        made.lower[i] = (int16_t)tensor->lower[i];
        made.upper[i] = (int16_t)tensor->upper[i];
    }
    if (tensor->channels)
        made.box[0] = (uint16_t)tensor->channels;
    memcpy(map, &made, sizeof made);
    return true;
}

/* ---- rows of a box ------------------------------------------------------------------------------- */

static uint32_t length_of(const struct tensor_map *map, int dimension)
{
    return (map->box[dimension] + map->step[dimension] - 1u) / map->step[dimension];
}

static uint32_t rows_of(const struct tensor_map *map)
{
    uint32_t product = 1;
    if (map->columns)
        return map->pixels;
    for (int i = 1; i < map->rank; i++)
        product *= length_of(map, i);
    return product;
}

uint32_t tensor_bytes(const struct tensor_map *map)
{
    return map->bytes * length_of(map, 0) * rows_of(map);
}

/* Rows of a swizzled box begin one span of the swizzle apart, however long they are. */
static uint32_t tensor_pitch(const struct tensor_map *map)
{
    return map->swizzle ? 16u << map->swizzle : map->bytes * length_of(map, 0);
}

uint32_t tensor_room(const struct tensor_map *map)
{
    return tensor_pitch(map) * rows_of(map);
}

void tensor_begin(struct tensor_walk *walk, const struct tensor_map *map, const int32_t *start,
                  const uint16_t *offset)
{
    *walk = (struct tensor_walk){.map = map};
    for (int i = 0; i < map->rank; i++) {
        walk->start[i] = start[i];
        walk->length[i] = length_of(map, i);
        if (map->columns && i && i < map->rank - 1)
            walk->offset[i - 1] = offset[i - 1];
    }
}

/* The next pixel: to the right, at the end of a line in the next one, and so on to the next image. */
static bool next_pixel(struct tensor_walk *walk)
{
    const struct tensor_map *map = walk->map;
    int i = 1;
    for (; i < map->rank - 1; i++) {
        walk->start[i] += map->step[i];
        if (walk->start[i] <= (int64_t)map->size[i] + map->upper[i - 1])
            break;
        walk->start[i] = map->lower[i - 1];
    }
    walk->start[i] += i == map->rank - 1;
    return ++walk->index[0] < map->pixels;
}

static bool next_row(struct tensor_walk *walk)
{
    int i = 1;
    while (i < walk->map->rank && ++walk->index[i] == walk->length[i])
        walk->index[i++] = 0;
    return i < walk->map->rank;
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
        const int64_t place =
            walk->start[i] + (map->columns ? (i < map->rank - 1 ? walk->offset[i - 1] : 0)
                                           : (int64_t)walk->index[i] * map->step[i]);
        row->inside &= place >= 0 && place <= (int64_t)map->size[i];
        row->from += (uint64_t)place * map->stride[i - 1];
    }
    walk->at += tensor_pitch(map);
    walk->over = !(map->columns ? next_pixel(walk) : next_row(walk));
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
        if ((bits & 0x7fffffff) > 0x7f800000)
            bits = 0x7fffe000; /* a NaN */
        else if ((bits & 0x7f800000) != 0x7f800000)
            bits = (bits + 0x1000) & ~0x1fffu;
        memcpy(elements + 4 * i, &bits, sizeof bits);
    }
}
