/* bulk.c - copies of many bytes by one thread (cp.async.bulk, with tensor maps or without), and stores to shared memory
 * of the cluster that an mbarrier is told of (st.async).
 *
 * A copy is done at once, and its bytes are told to the mbarrier: an order that a GPU might have, too. That what it
 * writes must not be touched before somebody has waited is the checker's (check_copy.c).
 */
#include "machine/async.h"
#include "machine/atomic.h"
#include "machine/check/check.h"
#include "machine/pattern.h"

#include <string.h>

enum { CHUNK = 16, BOX_ALIGN = 128, ROW_MOST = 256 * 8 };

static uint64_t register_at(const struct warp *warp, uint32_t place, bool wide, uint64_t lane)
{
    return wide ? REGISTER(const uint64_t, warp, place)[lane]
                : REGISTER(const uint32_t, warp, place)[lane];
}

static const struct step *wrong(struct warp *warp, uint64_t lane, const char *what)
{
    return fault(warp, (int)lane, MACHINE_FAULT_INSTRUCTION, "%s", what);
}

/* ---- what is seen of it ------------------------------------------------------------------------ */

/* Chunks of 16 bytes of the own shared memory, a warp's access for as many as a warp has lanes. */
struct chunks {
    struct warp *warp;
    const struct access *access;
    uint64_t address[MACHINE_LANES];
    uint8_t value[MACHINE_LANES * CHUNK];
    int count;
};

static void flush(struct chunks *chunks)
{
    struct warp *warp = chunks->warp;
    const struct machine_run *run = warp->run;
    const uint64_t mask = lanes_below(chunks->count);
    if (!chunks->count || chunks->access->number < 0)
        return;
    for (int i = chunks->count; i < MACHINE_LANES; i++)
        chunks->address[i] = chunks->address[0];
    if (warp->block->counted)
        count_shared(warp, chunks->access->number, chunks->access->op, mask, chunks->address,
                     CHUNK);
    const struct machine_access seen = {.access = chunks->access->number,
                                        .op = chunks->access->op,
                                        .bytes = CHUNK,
                                        .block = warp->block->number,
                                        .warp = warp->number,
                                        .phase = warp->phase,
                                        .step = warp->steps,
                                        .mask = mask,
                                        .address = chunks->address,
                                        .value = run->launch.values ? chunks->value : NULL};
    if (warp->block->wanted)
        run->observer.access(run->observer.context, &seen);
    chunks->count = 0;
}

static void see(struct chunks *chunks, uint64_t address, const uint8_t *value)
{
    const struct block *block = chunks->warp->block;
    if (!block->counted && !block->wanted)
        return;
    memcpy(&chunks->value[chunks->count * CHUNK], value, CHUNK);
    chunks->address[chunks->count++] = address;
    if (chunks->count == chunks->warp->run->warp_lanes)
        flush(chunks);
}

/* ---- one copy ----------------------------------------------------------------------------------- */

struct move {
    struct warp *warp;
    const struct bulk_copy *copy;
    uint64_t lane;
    uint64_t barrier; /* address of the mbarrier */
    struct tensor_map map;
    int32_t start[TENSOR_DIMENSIONS];
    uint16_t offset[3];
};

/* Shared memory is about to be written (or read): the checker looks, and keeps what is under way. */
static bool look(const struct move *move, uint64_t address, uint32_t bytes, bool writes)
{
    struct warp *warp = move->warp;
    const struct access *access = &move->copy->access;
    const uint64_t lane = UINT64_C(1) << move->lane;
    uint64_t addresses[MACHINE_LANES];
    uint8_t *host[MACHINE_LANES] = {NULL};
    if (!warp->run->check)
        return true;
    if (is_remote(address)) {
        check_remote_copy(warp, access, (int)move->lane, address, bytes);
        return true;
    }
    for (uint32_t at = 0; at < bytes; at += BOX_ALIGN) {
        const uint32_t piece = bytes - at < BOX_ALIGN ? bytes - at : BOX_ALIGN;
        addresses[move->lane] = address + at;
        host[move->lane] = warp->shared + address + at;
        if (!check_access(warp, access, PTX_SHARED, lane, lane, addresses, (int)piece, writes,
                          host))
            return false;
        if (!writes)
            check_proxy_reads(warp, access, lane, addresses, (int)piece);
    }
    if (writes)
        check_bulk_begins(warp, (int)move->lane, address, bytes, move->barrier);
    return true;
}

/* The elements of a reduction with a tensor map are of the map's type. */
static const enum ptx_type tensor_types[MACHINE_TENSOR_TYPES] = {
    [MACHINE_TENSOR_U8] = PTX_U8,       [MACHINE_TENSOR_U16] = PTX_U16,
    [MACHINE_TENSOR_U32] = PTX_U32,     [MACHINE_TENSOR_S32] = PTX_S32,
    [MACHINE_TENSOR_U64] = PTX_U64,     [MACHINE_TENSOR_S64] = PTX_S64,
    [MACHINE_TENSOR_F16] = PTX_F16,     [MACHINE_TENSOR_F32] = PTX_F32,
    [MACHINE_TENSOR_F64] = PTX_F64,     [MACHINE_TENSOR_BF16] = PTX_BF16,
    [MACHINE_TENSOR_F32_FTZ] = PTX_F32, [MACHINE_TENSOR_TF32] = PTX_F32,
    [MACHINE_TENSOR_TF32_FTZ] = PTX_F32};

static void put_bytes(const struct move *move, uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    const struct bulk_copy *copy = move->copy;
    if (!copy->reduces) {
        memcpy(to, from, bytes);
        return;
    }
    const uint32_t each = copy->dimensions ? move->map.bytes : (uint32_t)copy->element_bytes;
    const uint32_t rule = copy->dimensions ? atomic_kind((enum atomic_rule)(copy->rule & 255),
                                                         tensor_types[move->map.type])
                                           : copy->rule;
    for (uint32_t at = 0; at < bytes; at += each) {
        uint64_t value = 0;
        memcpy(&value, from + at, each);
        atomic_apply(rule, to + at, value, 0);
    }
}

/* Bytes in a row, to one block's shared memory or to global memory. */
static bool move_row(const struct move *move, uint64_t to, uint64_t from, uint32_t bytes)
{
    const struct bulk_copy *copy = move->copy;
    struct warp *warp = move->warp;
    const int lane = (int)move->lane;
    const uint8_t *source = memory_span(warp, lane, copy->from, from, bytes, CHUNK, false);
    uint8_t *target = source ? memory_span(warp, lane, copy->to, to, bytes, CHUNK, true) : NULL;
    if (!target)
        return false;
    const bool into_shared = copy->to == PTX_SHARED;
    if (copy->from == PTX_SHARED && !is_remote(from) && !look(move, from, bytes, false))
        return false;
    if (into_shared && !look(move, to, bytes, true))
        return false;
    put_bytes(move, target, source, bytes);
    if (!into_shared)
        return true;
    struct chunks chunks = {.warp = warp, .access = &copy->access};
    for (uint32_t at = 0; at < bytes && !is_remote(to); at += CHUNK)
        see(&chunks, to + at, target + at);
    flush(&chunks);
    return mbarrier_complete(warp, lane, move->barrier, bytes);
}

/* ---- with a tensor map --------------------------------------------------------------------------- */

/* A row of the box, as it is to lie in shared memory. */
static bool load_row(const struct move *move, const struct tensor_row *row, uint8_t *elements)
{
    const struct tensor_map *map = &move->map;
    if (!row->inside || row->count < row->elements)
        tensor_fill(map, elements, row->elements);
    if (!row->inside)
        return true;
    const uint32_t bytes = (uint32_t)(row->count * map->bytes);
    const uint64_t from = row->from + (uint64_t)((int64_t)row->first * map->bytes);
    const uint8_t *source =
        memory_span(move->warp, (int)move->lane, PTX_GLOBAL, from, bytes, 1, false);
    if (!source)
        return false;
    memcpy(elements + row->first * map->bytes, source, bytes);
    tensor_round(map, elements + row->first * map->bytes, row->count);
    return true;
}

static bool load_box(const struct move *move, uint64_t to)
{
    struct warp *warp = move->warp;
    const uint32_t bytes = tensor_bytes(&move->map), room = tensor_room(&move->map);
    struct tensor_walk walk;
    struct tensor_row row;
    uint8_t elements[ROW_MOST];
    struct chunks chunks = {.warp = warp, .access = &move->copy->access};
    uint8_t *target = memory_span(warp, (int)move->lane, PTX_SHARED, to, room, BOX_ALIGN, true);
    if (!target || !look(move, to, room, true))
        return false;
    for (tensor_begin(&walk, &move->map, move->start, move->offset); tensor_next(&walk, &row);) {
        if (!load_row(move, &row, elements))
            return false;
        const uint32_t length = (uint32_t)(row.elements * move->map.bytes);
        for (uint32_t at = 0; at < length; at += CHUNK) {
            const uint64_t place = tensor_swizzled(to + row.at + at, move->map.swizzle);
            memcpy(target + (place - to), elements + at, CHUNK);
            if (!is_remote(to))
                see(&chunks, place, elements + at);
        }
    }
    flush(&chunks);
    return mbarrier_complete(warp, (int)move->lane, move->barrier, bytes);
}

/* The checker looks at what a copy to global memory reads: not at what pads a short row to the span of its swizzle, nor
 * at elements that lie outside of the tensor. */
static bool look_box(const struct move *move, uint64_t from)
{
    const struct tensor_map *map = &move->map;
    const bool packed = tensor_room(map) == tensor_bytes(map);
    uint64_t begin = from, end = from; /* whole rows */
    struct tensor_walk walk;
    struct tensor_row row;
    for (tensor_begin(&walk, map, move->start, move->offset); tensor_next(&walk, &row);) {
        const uint32_t first = (uint32_t)row.first * map->bytes;
        const uint32_t last = row.inside ? first + (uint32_t)row.count * map->bytes : 0;
        if (packed && last == (uint32_t)row.elements * map->bytes && !first) {
            begin = end == from + row.at ? begin : from + row.at;
            end = from + row.at + last;
            continue;
        }
        if (end > begin && !look(move, begin, (uint32_t)(end - begin), false))
            return false;
        begin = end;
        for (uint32_t at = first, next; at < last; at = next) {
            next = at / CHUNK * CHUNK + CHUNK < last ? at / CHUNK * CHUNK + CHUNK : last;
            const uint64_t place = tensor_swizzled(from + row.at + at, map->swizzle);
            if (!look(move, place, next - at, false))
                return false;
        }
    }
    return end == begin || look(move, begin, (uint32_t)(end - begin), false);
}

static bool store_box(const struct move *move, uint64_t from)
{
    struct warp *warp = move->warp;
    const uint32_t room = tensor_room(&move->map), each = move->map.bytes;
    struct tensor_walk walk;
    struct tensor_row row;
    uint8_t elements[ROW_MOST];
    const uint8_t *source =
        memory_span(warp, (int)move->lane, PTX_SHARED, from, room, BOX_ALIGN, false);
    if (!source || !look_box(move, from))
        return false;
    for (tensor_begin(&walk, &move->map, move->start, move->offset); tensor_next(&walk, &row);) {
        if (!row.inside)
            continue;
        for (uint32_t at = 0; at < (uint32_t)row.elements * each; at += CHUNK)
            memcpy(elements + at,
                   source + (tensor_swizzled(from + row.at + at, move->map.swizzle) - from), CHUNK);
        const uint32_t length = (uint32_t)row.count * each;
        const uint64_t to = row.from + (uint64_t)((int64_t)row.first * (int64_t)each);
        uint8_t *target = memory_span(warp, (int)move->lane, PTX_GLOBAL, to, length, 1, true);
        if (!target)
            return false;
        put_bytes(move, target, elements + (uint32_t)row.first * each, length);
    }
    return true;
}

static bool read_map(struct move *move, uint64_t address)
{
    struct error error = {""};
    const uint8_t *map =
        memory_span(move->warp, (int)move->lane, PTX_GENERIC, address, sizeof move->map, 64, false);
    if (!map)
        return false;
    memcpy(&move->map, map, sizeof move->map);
    if (move->map.magic != TENSOR_MAGIC)
        return wrong(move->warp, move->lane,
                     "this is no tensor map: cuTensorMapEncodeTiled makes them, and a kernel takes "
                     "them as a "
                     "__grid_constant__ parameter");
    move->map.bytes = tensor_element_bytes(move->map.type);
    if (!tensor_check(&move->map, &error))
        return wrong(move->warp, move->lane, error.text);
    if (move->map.columns != move->copy->columns)
        return wrong(move->warp, move->lane,
                     move->map.columns ? "a copy of a box with a tensor map of columns (im2col)"
                                       : "a copy of columns (im2col) with a tensor map of boxes");
    if (move->copy->reduces && move->map.bytes < 4 &&
        !(move->map.type == MACHINE_TENSOR_F16 || move->map.type == MACHINE_TENSOR_BF16))
        return wrong(move->warp, move->lane,
                     "a reduction of elements of 8 or 16 bits that are whole numbers");
    if (move->map.rank != move->copy->dimensions)
        return fault(move->warp, (int)move->lane, MACHINE_FAULT_INSTRUCTION,
                     "a copy of %d dimensions with a tensor map of %d", move->copy->dimensions,
                     move->map.rank);
    return true;
}

/* ---- the instructions ------------------------------------------------------------------------------ */

/* Each block that the copy goes to: the one of its address, or those of a mask. */
static bool for_targets(struct move *move, uint64_t to, uint64_t from, uint32_t bytes)
{
    const struct bulk_copy *copy = move->copy;
    struct warp *warp = move->warp;
    const uint64_t offset = (UINT64_C(1) << CLUSTER_SHIFT) - 1, barrier = move->barrier;
    uint32_t ranks = copy->mask ? REGISTER(const uint16_t, warp, copy->mask)[move->lane] : 0;
    if (!copy->mask)
        return copy->dimensions ? load_box(move, to) : move_row(move, to, from, bytes);
    if (!ranks || ranks >> warp->run->cluster_blocks)
        return fault(warp, (int)move->lane, MACHINE_FAULT_INSTRUCTION,
                     "a copy to the blocks 0x%x of a cluster of %d", ranks,
                     warp->run->cluster_blocks);
    for (uint32_t rank = 0; ranks >> rank; rank++) {
        const uint64_t high = rank == warp->block->rank ? 0 : (uint64_t)(rank + 1) << CLUSTER_SHIFT;
        if (!(ranks >> rank & 1))
            continue;
        move->barrier = high | (barrier & offset);
        if (!(copy->dimensions ? load_box(move, high | (to & offset))
                               : move_row(move, high | (to & offset), from, bytes)))
            return false;
    }
    return true;
}

static bool copy_lane(struct warp *warp, const struct step *step, uint64_t lane)
{
    const struct bulk_copy *copy = step->extra;
    struct move move = {.warp = warp, .copy = copy, .lane = lane};
    uint64_t to =
        step->a ? register_at(warp, step->a, copy->wide_to, lane) + (uint64_t)copy->to_offset : 0;
    uint64_t from =
        step->b ? register_at(warp, step->b, copy->wide_from, lane) + (uint64_t)copy->from_offset
                : 0;
    if (copy->completes)
        move.barrier = (register_at(warp, step->e, copy->wide_barrier, lane) +
                        (uint64_t)copy->barrier_offset) &
                       UINT32_MAX;
    if (copy->to == PTX_SHARED)
        to &= UINT32_MAX; /* a generic address of shared memory will do as well */
    if (copy->from == PTX_SHARED)
        from &= UINT32_MAX;
    for (int i = 0; i < copy->dimensions; i++)
        move.start[i] = REGISTER(const int32_t, warp, copy->coordinate[i])[lane];
    for (int i = 0; i < copy->dimensions - 2; i++)
        move.offset[i] =
            copy->offset[i] ? REGISTER(const uint16_t, warp, copy->offset[i])[lane] : 0;
    if (copy->dimensions &&
        !read_map(&move, copy->to == PTX_SHARED || copy->prefetches ? from : to))
        return false;
    if (copy->dimensions && (int64_t)move.start[0] * move.map.bytes % CHUNK)
        return fault(warp, (int)lane, MACHINE_FAULT_INSTRUCTION,
                     "the innermost coordinate, %d, is at byte %lld of its row: on a GPU it must "
                     "be a multiple of 16",
                     move.start[0], (long long)move.start[0] * move.map.bytes);
    for (int i = 0; i < copy->dimensions && copy->to != PTX_SHARED && !copy->prefetches; i++)
        if (move.start[i] < 0)
            return fault(
                warp, (int)lane, MACHINE_FAULT_INSTRUCTION,
                "a store of a box at coordinate %d: on a GPU it must not begin before the tensor",
                move.start[i]);
    if (copy->prefetches)
        return true;
    const uint32_t bytes = step->c ? REGISTER(const uint32_t, warp, step->c)[lane] : 0;
    if (!copy->dimensions && bytes % CHUNK)
        return fault(warp, (int)lane, MACHINE_FAULT_INSTRUCTION,
                     "a bulk copy of %u bytes, which is no multiple of 16", bytes);
    if (!copy->dimensions && !bytes)
        return true;
    if (copy->dimensions && copy->to != PTX_SHARED)
        return store_box(&move, from);
    return copy->to == PTX_SHARED ? for_targets(&move, to, from, bytes)
                                  : move_row(&move, to, from, bytes);
}

const struct step *bulk_copy(struct warp *warp, const struct step *step)
{
    FOR_LANES(i, warp->mask)
    if (!copy_lane(warp, step, i))
        return NULL;
    return step + 1;
}

/* A copy to global memory is done at once: its groups are the checker's. */
const struct step *bulk_commit(struct warp *warp, const struct step *step)
{
    check_late_commit(warp, false);
    return step + 1;
}

const struct step *bulk_wait(struct warp *warp, const struct step *step)
{
    check_late_wait(warp, false, step->immediate);
    return step + 1;
}

const struct step *async_store(struct warp *warp, const struct step *step)
{
    const struct async_store *store = step->extra;
    const struct access *access = &store->access;
    const uint32_t bytes = (uint32_t)(access->bytes * access->elements);
    FOR_LANES(i, warp->mask)
    {
        const uint64_t to =
            (register_at(warp, step->a, access->wide_address, i) + (uint64_t)step->immediate) &
            UINT32_MAX;
        const uint64_t barrier =
            (register_at(warp, step->e, store->wide_barrier, i) + (uint64_t)store->barrier_offset) &
            UINT32_MAX;
        uint8_t *target = memory_at(warp, (int)i, PTX_SHARED, to, bytes, true);
        if (!target)
            return NULL;
        for (int k = 0; k < access->elements; k++) {
            const uint8_t *value = warp->registers + access->reg[k] + i * access->register_bytes;
            uint64_t operand = 0;
            memcpy(&operand, value, access->bytes);
            if (store->reduces)
                atomic_apply(store->rule, target, operand, 0);
            else
                memcpy(target + k * access->bytes, value, access->bytes);
        }
        if (warp->run->check)
            check_remote_copy(warp, access, (int)i, to, bytes);
        if (!mbarrier_complete(warp, (int)i, barrier, bytes))
            return NULL;
    }
    return step + 1;
}
