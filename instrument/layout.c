/* layout.c - layouts of shared arrays: where an element goes, and a recording as it would be with one. */
#include "instrument/layout.h"

#include <stdlib.h>

uint32_t layout_index(const struct layout *layout, uint32_t i)
{
    if (layout->columns)
        i = i % layout->columns * layout->rows + i / layout->columns;
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
    if (layout->columns)
        units = layout->columns * layout->rows;
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

int64_t layout_extra_bytes(const struct trace_array *array, const struct layout *layout)
{
    uint32_t unit = (uint32_t)layout->unit, bytes = layout_array_bytes(array);
    uint32_t units = (bytes + unit - 1) / unit;
    int64_t extra = (int64_t)layout_units(layout, units) * unit - bytes;
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
