/* texture.c - fetches from textures and surfaces.
 *
 * What the hardware's filter does is in CUDA's programming guide, "Texture Fetching". Between two texels
 * of a row, at x = 1.75 (their middles are at 1.5 and 2.5):
 *
 *     (1 - w) * texel[1] + w * texel[2],   w = 0.25, rounded to 8 bits after the point
 *
 * Textures are in a table of slots; a handle is a slot's number and how often it was used, so that one
 * that was destroyed is told from the next.
 */
#include "machine/machine.h"

#include <string.h>

/* ---- the table ------------------------------------------------------------------------------- */

enum { SLOTS = 1 << 20 };

struct machine_textures {
    struct allocator allocator;
    struct slot {
        struct machine_texture texture;
        uint32_t uses; /* odd: it is in use */
    } * slot;
    uint32_t count, room;
};

struct machine_textures *machine_textures_new(const struct allocator *allocator)
{
    struct machine_textures *textures =
        allocator->resize(allocator->context, NULL, 0, sizeof *textures);
    if (textures)
        *textures = (struct machine_textures){.allocator = *allocator};
    return textures;
}

void machine_textures_free(struct machine_textures *textures)
{
    if (!textures)
        return;
    struct allocator allocator = textures->allocator;
    if (textures->slot)
        allocator.resize(allocator.context, textures->slot, textures->room * sizeof *textures->slot,
                         0);
    allocator.resize(allocator.context, textures, sizeof *textures, 0);
}

static bool grow_textures(struct machine_textures *textures)
{
    uint32_t room = textures->room ? 2 * textures->room : 16;
    if (room > SLOTS)
        return false;
    struct slot *more =
        textures->allocator.resize(textures->allocator.context, textures->slot,
                                   textures->room * sizeof *more, room * sizeof *more);
    if (!more)
        return false;
    memset(more + textures->room, 0, (room - textures->room) * sizeof *more);
    textures->slot = more;
    textures->room = room;
    return true;
}

uint64_t machine_texture_add(struct machine_textures *textures,
                             const struct machine_texture *texture)
{
    uint32_t i = 0;
    while (i < textures->count && textures->slot[i].uses & 1)
        i++;
    if (i == textures->room && !grow_textures(textures))
        return 0;
    if (i == textures->count)
        textures->count++;
    textures->slot[i].texture = *texture;
    textures->slot[i].uses++;
    return (uint64_t)textures->slot[i].uses << 32 | (i + 1);
}

static struct slot *slot_of(const struct machine_textures *textures, uint64_t handle)
{
    uint32_t number = (uint32_t)handle;
    if (!textures || number == 0 || number > textures->count)
        return NULL;
    struct slot *slot = &textures->slot[number - 1];
    return slot->uses & 1 && slot->uses == handle >> 32 ? slot : NULL;
}

bool machine_texture_remove(struct machine_textures *textures, uint64_t handle)
{
    struct slot *slot = slot_of(textures, handle);
    if (slot)
        slot->uses++;
    return slot;
}

const struct machine_texture *machine_texture_find(const struct machine_textures *textures,
                                                   uint64_t handle)
{
    const struct slot *slot = slot_of(textures, handle);
    return slot ? &slot->texture : NULL;
}

/* ---- texels ---------------------------------------------------------------------------------- */

static float half_value(uint32_t half)
{
    uint32_t sign = (half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 1023;
    uint32_t bits =
        exponent == 31 ? 0x7f800000 | fraction << 13 : (exponent + 112) << 23 | fraction << 13;
    float value;
    memcpy(&value, &bits, sizeof value);
    if (exponent == 0)
        value = (float)fraction / 16777216; /* 2^24: subnormal */
    uint32_t with_sign;
    memcpy(&with_sign, &value, sizeof value);
    with_sign |= sign;
    memcpy(&value, &with_sign, sizeof value);
    return value;
}

/* One channel of a texel, as float or integer. */
static void read_channel(const struct machine_texture *t, const uint8_t *at,
                         union machine_texel *out, int channel)
{
    uint32_t raw = 0, bytes = (uint32_t)t->bits / 8;
    memcpy(&raw, at + (uint32_t)channel * bytes, bytes);
    if (t->kind == MACHINE_TEXEL_FLOAT) {
        if (t->bits == 32)
            out->u[channel] = raw;
        else
            out->f[channel] = half_value(raw);
        return;
    }
    bool is_signed = t->kind == MACHINE_TEXEL_SIGNED;
    int32_t value = t->bits == 32 || !is_signed ? (int32_t)raw
                    : t->bits == 8              ? (int8_t)raw
                                                : (int16_t)raw;
    if (!t->normalized_values) {
        out->i[channel] = value;
        return;
    }
    float most = (float)((1u << (is_signed ? t->bits - 1 : t->bits)) - 1);
    float part = (float)value / most;
    out->f[channel] = part < -1 ? -1 : part;
}

/* Brings an index into 0..size-1; -1: it is outside, and the border's colour is fetched. */
static int64_t wrapped(const struct machine_texture *t, int axis, int64_t i, int64_t size)
{
    enum machine_wrap wrap = t->wrap[axis];
    if (i >= 0 && i < size)
        return i;
    if (wrap == MACHINE_BORDER)
        return -1;
    if (t->normalized_coordinates && wrap == MACHINE_WRAP)
        return (i % size + size) % size;
    if (t->normalized_coordinates && wrap == MACHINE_MIRROR) {
        int64_t j = (i % (2 * size) + 2 * size) % (2 * size);
        return j < size ? j : 2 * size - 1 - j;
    }
    return i < 0 ? 0 : size - 1;
}

static void read_texel(const struct machine_texture *t, int64_t x, int64_t y, int64_t z,
                       union machine_texel *texel)
{
    x = wrapped(t, 0, x, t->width);
    y = wrapped(t, 1, y, t->height);
    z = wrapped(t, 2, z, t->depth);
    *texel = (union machine_texel){{0, 0, 0, 0}};
    if (x < 0 || y < 0 || z < 0) {
        memcpy(texel->f, t->border, sizeof texel->f);
        return;
    }
    uint64_t bytes = (uint64_t)(t->channels * t->bits / 8);
    const uint8_t *at =
        t->texels + (uint64_t)z * t->slice + (uint64_t)y * t->pitch + (uint64_t)x * bytes;
    for (int channel = 0; channel < t->channels; channel++)
        read_channel(t, at, texel, channel);
}

/* ---- fetches --------------------------------------------------------------------------------- */

/* The largest integer that is not above; what is no number or far away counts as the nearest. */
static int64_t whole(float at)
{
    if (!(at > -1e9f))
        return at < 0 ? -1000000000 : 0;
    if (at > 1e9f)
        return 1000000000;
    int64_t near = (int64_t)at;
    return (float)near > at ? near - 1 : near;
}

/* The texel at or before a coordinate, and the weight of the one behind it. */
static int64_t before(float at, float *weight)
{
    int64_t floored = whole(at - 0.5f);
    float part = (at - 0.5f - (float)floored) * 256;
    int64_t steps = part >= 0 && part <= 256 ? whole(part + 0.5f) : 0;
    if (part - (float)whole(part) == 0.5f && steps & 1)
        steps--; /* halves go to the even one */
    *weight = (float)steps / 256;
    return floored;
}

static void blend(const struct machine_texture *t, int dimensions, const float at[3], int32_t layer,
                  union machine_texel *texel)
{
    float w[3] = {0, 0, 0}, sum[4] = {0, 0, 0, 0};
    int64_t i[3] = {0, 0, layer};
    for (int axis = 0; axis < dimensions; axis++)
        i[axis] = before(at[axis], &w[axis]);
    for (int corner = 0; corner < 1 << dimensions; corner++) {
        float weight = 1;
        for (int axis = 0; axis < dimensions; axis++)
            weight *= corner >> axis & 1 ? w[axis] : 1 - w[axis];
        if (weight == 0)
            continue;
        union machine_texel one;
        read_texel(t, i[0] + (corner & 1), i[1] + (corner >> 1 & 1), i[2] + (corner >> 2), &one);
        for (int channel = 0; channel < 4; channel++)
            sum[channel] += weight * one.f[channel];
    }
    memcpy(texel->f, sum, sizeof sum);
}

void machine_texture_fetch(const struct machine_texture *t, int dimensions, const float at[3],
                           int32_t layer, union machine_texel *texel)
{
    const uint32_t size[3] = {t->width, t->height, t->depth};
    float place[3] = {0, 0, 0};
    int64_t i[3] = {0, 0, layer};
    for (int axis = 0; axis < dimensions; axis++) {
        place[axis] = t->normalized_coordinates ? at[axis] * (float)size[axis] : at[axis];
        i[axis] = whole(place[axis]);
    }
    if (t->linear_filter)
        blend(t, dimensions, place, layer, texel);
    else
        read_texel(t, i[0], i[1], i[2], texel);
}

/* Reads the square, of +x, -x, +y, -y, +z, -z, that a direction hits: the guide's "Cubemap Textures". Squares are read
 * as if there were no others beside them. */
void machine_texture_cube(const struct machine_texture *t, const float at[3], int32_t layer,
                          union machine_texel *texel)
{
    static const struct {
        int axis_s, axis_t;
        float sign_s, sign_t;
    } squares[] = {{2, 1, -1, -1}, {2, 1, 1, -1}, {0, 2, 1, 1},
                   {0, 2, 1, -1},  {0, 1, 1, -1}, {0, 1, -1, -1}};
    const float far[3] = {at[0] < 0 ? -at[0] : at[0], at[1] < 0 ? -at[1] : at[1],
                          at[2] < 0 ? -at[2] : at[2]};
    const int axis = far[0] > far[1] && far[0] > far[2] ? 0 : far[1] > far[2] ? 1 : 2;
    const int square = 2 * axis + (at[axis] < 0);
    const float s = squares[square].sign_s * at[squares[square].axis_s] / far[axis];
    const float v = squares[square].sign_t * at[squares[square].axis_t] / far[axis];
    struct machine_texture flat = *t;
    flat.normalized_coordinates = true;
    flat.wrap[0] = flat.wrap[1] = MACHINE_CLAMP;
    machine_texture_fetch(&flat, 2, (const float[3]){(s + 1) / 2, (v + 1) / 2, 0},
                          6 * layer + square, texel);
}

void machine_texture_element(const struct machine_texture *t, const int32_t at[3],
                             union machine_texel *texel)
{
    *texel = (union machine_texel){{0, 0, 0, 0}};
    if (at[0] >= 0 && (uint32_t)at[0] < t->width && at[1] >= 0 && (uint32_t)at[1] < t->height &&
        at[2] >= 0 && (uint32_t)at[2] < t->depth)
        read_texel(t, at[0], at[1], at[2], texel);
}

void machine_texture_gather(const struct machine_texture *t, float x, float y, int channel,
                            union machine_texel *texel)
{
    static const int dx[] = {0, 1, 1, 0}, dy[] = {1, 1, 0, 0};
    float weight;
    if (t->normalized_coordinates) {
        x *= (float)t->width;
        y *= (float)t->height;
    }
    int64_t ix = before(x, &weight), iy = before(y, &weight);
    for (int i = 0; i < 4; i++) {
        union machine_texel one;
        read_texel(t, ix + dx[i], iy + dy[i], 0, &one);
        texel->u[i] = one.u[channel & 3];
    }
}

static int64_t clamped(int64_t i, int64_t most)
{
    return i < 0 ? 0 : i > most ? most : i;
}

uint8_t *machine_surface(const struct machine_texture *t, const int32_t at[3], int bytes,
                         enum machine_outside outside)
{
    int64_t row = (int64_t)t->width * t->channels * t->bits / 8;
    int64_t x = clamped(at[0], row - bytes), y = clamped(at[1], (int64_t)t->height - 1),
            z = clamped(at[2], (int64_t)t->depth - 1);
    bool inside = x == at[0] && y == at[1] && z == at[2];
    if (row < bytes || (!inside && outside != MACHINE_OUTSIDE_CLAMP))
        return NULL;
    return t->texels + (uint64_t)z * t->slice + (uint64_t)y * t->pitch + (uint64_t)x;
}
