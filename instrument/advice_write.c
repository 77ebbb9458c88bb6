/* advice_write.c - layouts in words and in CUDA: see advice.h. */
#include "instrument/layout.h"

#include <stdlib.h>
#include <string.h>

/* Elements in a unit; 0: units are counted as words, since a unit is part of an element (of a struct), or
 * the elements are bytes from which arrays of wider ones are carved. */
static uint32_t elements_of(const struct advice_array *array, const struct layout *layout)
{
    int bytes = array->array.bytes;
    bool carved = bytes == 1 && array->narrowest >= layout->unit;
    return layout->unit % bytes == 0 && !carved ? (uint32_t)(layout->unit / bytes) : 0;
}

static const char *name_of(const struct trace_array *array)
{
    return *array->name ? array->name : "shared";
}

void advice_describe(const struct advice_array *array, const struct layout *layout, char *text,
                     size_t room)
{
    uint32_t elements = elements_of(array, layout);
    const char *what = elements ? "elements" : "words";
    uint32_t every = layout->every * (elements ? elements : 1);
    uint32_t padding = layout->padding * (elements ? elements : 1);
    char exchanged[64] = "", rest[64] = "";

    if (layout->columns)
        snprintf(exchanged, sizeof exchanged, "indices exchanged%s",
                 layout->mask || layout->padding ? ", " : "");
    if (layout->mask)
        snprintf(rest, sizeof rest, "swizzled in rows of %u", every);
    else if (layout->padding)
        snprintf(rest, sizeof rest, "%u padding after %u %s", padding, every, what);
    snprintf(text, room, "%s%s%s", exchanged, rest,
             layout->columns || layout->mask || layout->padding ? "" : "as it is");
}

/* " ^ (y & 31)", where `row` is what is in front of the innermost index. */
static void write_swizzle(char *text, size_t room, const char *row, const struct layout *layout,
                          uint32_t elements)
{
    char times[32] = "";
    if (elements > 1)
        snprintf(times, sizeof times, " * %u", elements);
    snprintf(text, room, " ^ (%s & %u)%s", row, layout->mask, times);
}

/* Layouts that keep two or more dimensions: rows are padded, swizzled by their number or exchanged
 * with columns. false: this one does not. */
static bool write_rows(const struct advice_array *advised, const struct layout *layout,
                       uint32_t elements, char *declaration, char *access, size_t room)
{
    static const char *const names[] = {"x", "y", "z"};
    const struct trace_array *array = &advised->array;
    int dims = array->dims;
    if (dims < 2 || dims > 3 || !elements)
        return false;
    uint32_t last = (uint32_t)array->dim[dims - 1], above = (uint32_t)array->dim[dims - 2];
    const char *row = "y", *column = "x";
    if (layout->columns) {
        if (dims != 2 || layout->columns * elements != last || elements != 1)
            return false;
        uint32_t swap = last;
        last = above, above = swap;
        row = "x", column = "y";
    }
    if ((layout->mask || layout->padding) && layout->every * elements != last)
        return false;
    if (layout->mask && dims == 3 && above % (layout->mask + 1) != 0)
        return false; /* the row's number is not y alone */

    char swizzle[48] = "", outer[32] = "", outer_index[32] = "";
    if (layout->mask)
        write_swizzle(swizzle, sizeof swizzle, row, layout, elements);
    if (dims == 3) {
        snprintf(outer, sizeof outer, "[%d]", array->dim[0]);
        snprintf(outer_index, sizeof outer_index, "[%s]", names[2]);
    }
    snprintf(declaration, room, "%s%s%s%s[%u][%u]", array->type, *array->type ? " " : "",
             name_of(array), outer, above, last + layout->padding * elements);
    snprintf(access, room, "%s%s[%s][%s%s]", name_of(array), outer_index, row, column, swizzle);
    return true;
}

void advice_write(const struct advice_array *advised, const struct layout *layout,
                  char *declaration, char *access, size_t room)
{
    const struct trace_array *array = &advised->array;
    uint32_t elements = elements_of(advised, layout);
    if (write_rows(advised, layout, elements, declaration, access, room))
        return;

    uint32_t unit = (uint32_t)layout->unit;
    uint32_t units = (layout_array_bytes(array) + unit - 1) / unit;
    char index[160], first[170] = "";
    if (!elements && layout->columns * unit == (uint32_t)array->bytes && !layout->mask &&
        !layout->padding) {
        snprintf(declaration, room, "each member of %s in an array of its own", name_of(array));
        snprintf(access, room, "%s.member[i]", name_of(array));
        return;
    }
    const char *i = "i";
    if (layout->columns) {
        uint32_t k = elements ? elements : 1;
        if (k == 1)
            snprintf(index, sizeof index, "i %% %u * %u + i / %u", layout->columns, layout->rows,
                     layout->columns);
        else
            snprintf(index, sizeof index, "i / %u %% %u * %u + i / %u * %u + i %% %u", k,
                     layout->columns, layout->rows * k, layout->columns * k, k, k);
        if (layout->mask || layout->padding) {
            snprintf(first, sizeof first, "j = %s; ", index);
            i = "j";
        }
    }
    uint32_t k = elements ? elements : 1;
    if (layout->mask) {
        char row[32], swizzle[100];
        snprintf(row, sizeof row, "%s / %u", i, layout->every * k);
        write_swizzle(swizzle, sizeof swizzle, row, layout, k);
        snprintf(index, sizeof index, "%s%s", i, swizzle);
    } else if (layout->padding && layout->padding * k == 1) {
        snprintf(index, sizeof index, "%s + %s / %u", i, i, layout->every);
    } else if (layout->padding) {
        snprintf(index, sizeof index, "%s + %s / %u * %u", i, i, layout->every * k,
                 layout->padding * k);
    } else if (!layout->columns) {
        snprintf(index, sizeof index, "i");
    }
    if (elements) {
        snprintf(declaration, room, "%s%s%s[%u]", array->type, *array->type ? " " : "",
                 name_of(array), layout_units(layout, units) * k);
        snprintf(access, room, "%s%s[%s]", first, name_of(array), index);
    } else {
        snprintf(declaration, room, "%u words of %u bytes for %s", layout_units(layout, units),
                 unit, name_of(array));
        snprintf(access, room, "%sword i of %s is word %s", first, name_of(array), index);
    }
}
