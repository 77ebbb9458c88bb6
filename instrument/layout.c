/* layout.c - layouts of shared arrays: where an element goes, and a recording as it would be with one. */
#include "instrument/layout.h"

#include <stdlib.h>
#include <string.h>

uint32_t layout_index(const struct layout *layout, uint32_t i)
{
    if (layout->columns) {
        const uint32_t inner = layout->inner ? layout->inner : 1, each = i / inner;
        const uint32_t block = layout->columns * layout->rows, k = each % block;
        const uint32_t there = k % layout->columns * layout->rows + k / layout->columns;
        i = (each - k + there) * inner + i % inner;
    }
    if (layout->mask)
        i ^= i / layout->every & layout->mask;
    if (layout->padding)
        i += i / layout->every * layout->padding;
    return i;
}

uint32_t layout_units(const struct layout *layout, uint32_t units)
{
    if (units == 0)
        return 0;
    if (layout->columns) {
        const uint32_t block = layout->columns * layout->rows * (layout->inner ? layout->inner : 1);
        units = (units + block - 1) / block * block;
    }
    if (layout->mask) /* whole groups of mask + 1, within which units change places */
        units = (units + layout->mask) / (layout->mask + 1) * (layout->mask + 1);
    if (layout->padding) /* none behind the last row */
        units += (units - 1) / layout->every * layout->padding;
    return units;
}

uint32_t layout_array_bytes(const struct trace_array *array)
{
    uint32_t bytes = (uint32_t)array->bytes;
    for (int i = 0; i < array->dims; i++)
        bytes *= (uint32_t)array->dim[i];
    return bytes;
}

uint32_t layout_moved(const struct trace_array *array, const struct layout *layout, uint32_t extra,
                      uint32_t addr)
{
    uint32_t first = (uint32_t)array->addr, unit = (uint32_t)layout->unit;
    if (addr < first)
        return addr;
    if (addr - first >= layout_array_bytes(array))
        return addr + extra;
    uint32_t offset = addr - first;
    return first + layout_index(layout, offset / unit) * unit + offset % unit;
}

bool layout_is_record(const struct trace_array *array, int unit)
{
    return !strncmp(array->type, "struct ", 7) && array->bytes > unit && array->bytes % unit == 0 &&
           layout_array_bytes(array) > (uint32_t)array->bytes;
}

bool layout_adds_member(const struct trace_array *array, const struct layout *layout)
{
    return layout_is_record(array, layout->unit) && layout->padding && !layout->columns &&
           layout->every * (uint32_t)layout->unit == (uint32_t)array->bytes;
}

/* Orders of indices that an exchange makes, by dimensions of which the product counts. */
static const struct {
    int order[3];
    unsigned columns, rows, inner; /* bits 1 << dimension */
} orders[] = {
    {{0, 2, 1}, 1 << 2, 1 << 1, 0},
    {{1, 0, 2}, 1 << 1, 1 << 0, 1 << 2},
    {{2, 0, 1}, 1 << 2, 1 << 0 | 1 << 1, 0},
    {{1, 2, 0}, 1 << 1 | 1 << 2, 1 << 0, 0},
};
enum { ORDERS = sizeof orders / sizeof *orders };

static uint32_t product(const struct trace_array *array, unsigned dims)
{
    uint32_t product = 1;
    for (int i = 0; i < 3; i++)
        product *= dims >> i & 1 ? (uint32_t)array->dim[i] : 1;
    return product;
}

bool layout_in_order(const struct trace_array *array, int which, struct layout *layout)
{
    if (which >= ORDERS || array->dims != 3 || array->bytes != layout->unit)
        return false;
    layout->columns = product(array, orders[which].columns);
    layout->rows = product(array, orders[which].rows);
    layout->inner = product(array, orders[which].inner);
    return true;
}

bool layout_order(const struct trace_array *array, const struct layout *layout, int order[3])
{
    const uint32_t inner = layout->inner ? layout->inner : 1;
    for (int i = 0; i < 3; i++)
        order[i] = i;
    if (!layout->columns)
        return true;
    if (array->bytes != layout->unit)
        return false;
    if (array->dims == 2) {
        order[0] = 1, order[1] = 0;
        return layout->columns == (uint32_t)array->dim[1] && inner == 1 &&
               layout->rows == (uint32_t)array->dim[0];
    }
    struct layout of = {.unit = layout->unit};
    for (int i = 0; layout_in_order(array, i, &of); i++)
        if (of.columns == layout->columns && of.rows == layout->rows && of.inner == inner) {
            memcpy(order, orders[i].order, sizeof orders[i].order);
            return true;
        }
    return false;
}

int64_t layout_extra_bytes(const struct trace_array *array, const struct layout *layout)
{
    uint32_t unit = (uint32_t)layout->unit, bytes = layout_array_bytes(array);
    uint32_t units = (bytes + unit - 1) / unit;
    int64_t extra = (int64_t)layout_units(layout, units) * unit - bytes;
    if (layout_adds_member(array, layout)) /* the last one has it, too */
        extra = (int64_t)bytes / array->bytes * layout->padding * unit;
    /* What lies behind keeps its alignment. */
    return extra > 0 ? (extra + 15) / 16 * 16 : 0;
}

/* ---- a recording in another layout --------------------------------------------------------------- */

static bool move_header(void *context, const struct trace_header *header, struct error *error)
{
    struct layout_move *move = context;
    const struct trace_array *array = &move->array->array;
    move->extra = layout_extra_bytes(array, &move->layout);
    header_copy(&move->header, header);
    for (int i = 0; i < move->header.arrays; i++) {
        struct trace_array *other = &move->header.array[i];
        if (other->addr > array->addr) {
            other->addr += (int)move->extra;
        } else if (other->addr == array->addr) {
            /* No longer an array of rows: as many elements as it has bytes for. */
            int64_t elements = ((int64_t)layout_array_bytes(array) + move->extra) / array->bytes;
            if (move->layout.unit % array->bytes) { /* parts of structs are anywhere */
                members_free(other->member, other->members);
                other->member = NULL;
                other->members = 0;
            }
            if (move->layout.columns || move->layout.padding) {
                other->dims = 1;
                other->dim[0] = (int)elements;
            }
        }
    }
    if (move->header.shared_bytes + move->extra > MAX_SHARED)
        return error_set(error, "the layout needs more than %d bytes of shared memory", MAX_SHARED);
    move->header.shared_bytes += (int)move->extra;
    return !move->to.header || move->to.header(move->to.context, &move->header, error);
}

static bool move_access(void *context, const struct warp_access *access, struct error *error)
{
    struct layout_move *move = context;
    uint32_t addr[MAX_WARP];
    struct warp_access there = *access;
    there.addr = access->global ? NULL : addr;
    for (int i = 0; i < access->lanes && !access->global; i++)
        addr[i] = layout_moved(&move->array->array, &move->layout, (uint32_t)move->extra,
                               access->addr[i]);
    return !move->to.access || move->to.access(move->to.context, &there, error);
}

static bool move_end(void *context, const struct trace_end *end, struct error *error)
{
    struct layout_move *move = context;
    return !move->to.end || move->to.end(move->to.context, end, error);
}

struct trace_sink layout_move_sink(struct layout_move *move)
{
    return (struct trace_sink){move_header, move_access, move_end, move};
}

void layout_move_free(struct layout_move *move)
{
    header_free(&move->header);
}
