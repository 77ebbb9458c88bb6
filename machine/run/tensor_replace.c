/* tensor_replace.c - tensor maps that a kernel changes in memory (tensormap.replace), and their way from shared to global
 * memory (tensormap.cp_fenceproxy).
 */
#include "machine/async.h"

#include <string.h>

/* The types' numbers in PTX are not those of the driver API. */
static const uint8_t types[] = {MACHINE_TENSOR_U8,      MACHINE_TENSOR_U16,  MACHINE_TENSOR_U32,
                                MACHINE_TENSOR_S32,     MACHINE_TENSOR_U64,  MACHINE_TENSOR_S64,
                                MACHINE_TENSOR_F16,     MACHINE_TENSOR_F32,  MACHINE_TENSOR_F32_FTZ,
                                MACHINE_TENSOR_F64,     MACHINE_TENSOR_BF16, MACHINE_TENSOR_TF32,
                                MACHINE_TENSOR_TF32_FTZ};

/* Puts the value into the field, which is 1 to `most` (of those that count from 0: 0 to most). false: it is not. */
static bool change(struct tensor_map *map, const struct tensor_change *what, uint64_t value)
{
    static const uint64_t most[] = {[TENSOR_ADDRESS] = UINT64_MAX,
                                    [TENSOR_RANK] = TENSOR_DIMENSIONS - 1,
                                    [TENSOR_BOX] = 256,
                                    [TENSOR_SIZE] = UINT64_C(1) << 32,
                                    [TENSOR_STRIDE] = UINT64_C(1) << 40,
                                    [TENSOR_STEP] = 8,
                                    [TENSOR_TYPE] = sizeof types - 1,
                                    [TENSOR_INTERLEAVE] = 0,
                                    [TENSOR_SWIZZLE] = 3,
                                    [TENSOR_FILL] = 1};
    const bool from_1 =
        what->field == TENSOR_BOX || what->field == TENSOR_SIZE || what->field == TENSOR_STEP;
    if (value > most[what->field] || (from_1 && !value))
        return false;
    switch (what->field) {
    case TENSOR_ADDRESS:
        map->address = value;
        break;
    case TENSOR_RANK:
        map->rank = (uint8_t)(value + 1);
        break;
    case TENSOR_BOX:
        map->box[what->ordinal] = (uint16_t)value;
        break;
    case TENSOR_SIZE:
        map->size[what->ordinal] = (uint32_t)(value - 1);
        break;
    case TENSOR_STRIDE:
        map->stride[what->ordinal] = value;
        break;
    case TENSOR_STEP:
        map->step[what->ordinal] = what->ordinal ? (uint8_t)value : 1;
        break;
    case TENSOR_TYPE:
        map->type = types[value];
        break;
    case TENSOR_INTERLEAVE:
        break;
    case TENSOR_SWIZZLE:
        map->swizzle = (uint8_t)value;
        break;
    case TENSOR_FILL:
        map->fill = (uint8_t)value;
        break;
    }
    return true;
}

static bool is_blank(const struct tensor_map *map)
{
    static const struct tensor_map blank;
    return !memcmp(map, &blank, sizeof blank);
}

/* a: where the map is, b: the value. That the map as a whole is one is looked at when it is used. */
const struct step *tensor_replace(struct warp *warp, const struct step *step)
{
    const struct tensor_change *what = step->extra;
    FOR_LANES(i, warp->mask)
    {
        const uint64_t at = (what->wide ? REGISTER(const uint64_t, warp, step->a)[i]
                                        : REGISTER(const uint32_t, warp, step->a)[i]) +
                            (uint64_t)step->immediate;
        uint8_t *bytes =
            memory_span(warp, (int)i, what->space, at, sizeof(struct tensor_map), 64, true);
        struct tensor_map map;
        if (!bytes)
            return NULL;
        const uint64_t value = what->wide_value ? REGISTER(const uint64_t, warp, step->b)[i]
                                                : REGISTER(const uint32_t, warp, step->b)[i];
        memcpy(&map, bytes, sizeof map);
        if (is_blank(&map)) /* a kernel makes one of nothing but zeros, field by field */
            map.magic = TENSOR_MAGIC;
        if (map.magic != TENSOR_MAGIC)
            return fault(warp, (int)i, MACHINE_FAULT_INSTRUCTION,
                         "there is no tensor map to change here");
        if (!change(&map, what, value))
            return fault(warp, (int)i, MACHINE_FAULT_INSTRUCTION,
                         "a tensor map cannot have the value %llu there",
                         (unsigned long long)value);
        memcpy(bytes, &map, sizeof map);
    }
    return step + 1;
}

/* All lanes of the warp copy one map together. */
const struct step *tensor_publish(struct warp *warp, const struct step *step)
{
    const struct tensor_publish *what = step->extra;
    const int lane = __builtin_ctzll(warp->mask);
    const uint64_t to = (what->wide_to ? REGISTER(const uint64_t, warp, step->a)[lane]
                                       : REGISTER(const uint32_t, warp, step->a)[lane]) +
                        (uint64_t)what->to_offset;
    const uint64_t from = (what->wide_from ? REGISTER(const uint64_t, warp, step->b)[lane]
                                           : REGISTER(const uint32_t, warp, step->b)[lane]) +
                          (uint64_t)what->from_offset;
    const uint8_t *source = memory_span(warp, lane, PTX_SHARED, from & UINT32_MAX,
                                        MACHINE_TENSOR_MAP, MACHINE_TENSOR_MAP, false);
    uint8_t *target = source ? memory_span(warp, lane, PTX_GLOBAL, to, MACHINE_TENSOR_MAP,
                                           MACHINE_TENSOR_MAP, true)
                             : NULL;
    if (!target)
        return NULL;
    memcpy(target, source, MACHINE_TENSOR_MAP);
    return step + 1;
}
