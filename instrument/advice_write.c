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

static bool is_structure_of_arrays(const struct advice_array *advised, const struct layout *layout)
{
    return layout->columns * (uint32_t)layout->unit == (uint32_t)advised->array.bytes &&
           !elements_of(advised, layout) && !layout->mask && !layout->padding;
}

void advice_describe(const struct advice_array *array, const struct layout *layout, char *text,
                     size_t room)
{
    uint32_t elements = elements_of(array, layout);
    const char *what = elements ? "elements" : "words";
    uint32_t every = layout->every * (elements ? elements : 1);
    uint32_t padding = layout->padding * (elements ? elements : 1);
    char exchanged[64] = "", rest[64] = "";

    if (layout_adds_member(&array->array, layout)) {
        snprintf(text, room, "%u word%s more in each struct",
                 layout->padding * (uint32_t)layout->unit / 4,
                 layout->padding * (uint32_t)layout->unit == 4 ? "" : "s");
        return;
    }
    if (is_structure_of_arrays(array, layout)) {
        snprintf(text, room, "structure of arrays");
        return;
    }
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

/* Layouts that keep two or three dimensions, in whatever order: rows are padded, or swizzled by their number. false: this
 * one does not. */
static bool write_rows(const struct advice_array *advised, const struct layout *layout,
                       uint32_t elements, char *declaration, char *access, size_t room)
{
    static const char *const names[] = {"z", "y", "x"};
    const struct trace_array *array = &advised->array;
    const int dims = array->dims, last = dims - 1;
    int order[3], dim[3] = {0};
    if (dims < 2 || dims > 3 || !elements || !layout_order(array, layout, order))
        return false;
    for (int i = 0; i < dims; i++)
        dim[i] = array->dim[order[i]];
    if ((layout->mask || layout->padding) && layout->every * elements != (uint32_t)dim[last])
        return false;
    if (layout->mask && dims == 3 && (uint32_t)dim[1] % (layout->mask + 1) != 0)
        return false; /* the row's number is not y alone */

    const char *const *name = names + 3 - dims;
    char swizzle[48] = "", outer[32] = "", outer_index[32] = "";
    if (layout->mask)
        write_swizzle(swizzle, sizeof swizzle, name[order[last - 1]], layout, elements);
    if (dims == 3) {
        snprintf(outer, sizeof outer, "[%d]", dim[0]);
        snprintf(outer_index, sizeof outer_index, "[%s]", name[order[0]]);
    }
    snprintf(declaration, room, "%s%s%s%s[%d][%u]", array->type, *array->type ? " " : "",
             name_of(array), outer, dim[last - 1],
             (uint32_t)dim[last] + layout->padding * elements);
    snprintf(access, room, "%s%s[%s][%s%s]", name_of(array), outer_index, name[order[last - 1]],
             name[order[last]], swizzle);
    return true;
}

/* Layouts of structs: in each a member more, or for each member an array. false: this one is neither. */
static bool write_record(const struct advice_array *advised, const struct layout *layout,
                         char *declaration, char *access, size_t room)
{
    const struct trace_array *array = &advised->array;
    const uint32_t bytes = layout->padding * (uint32_t)layout->unit;
    if (layout_adds_member(array, layout)) {
        char many[24] = "";
        if (bytes > 4)
            snprintf(many, sizeof many, "[%u]", bytes / 4);
        snprintf(declaration, room, "a last member int pad%s in %s", many, array->type);
        snprintf(access, room, "%s[i].member", name_of(array));
    } else if (is_structure_of_arrays(advised, layout)) {
        snprintf(declaration, room, "each member of %s in an array of its own", name_of(array));
        snprintf(access, room, "%s.member[i]", name_of(array));
    } else {
        return false;
    }
    return true;
}

/* A layout that keeps what the source has as indices. */
static bool write_plain(const struct advice_array *advised, const struct layout *layout,
                        char *declaration, char *access, size_t room)
{
    return write_rows(advised, layout, elements_of(advised, layout), declaration, access, room) ||
           write_record(advised, layout, declaration, access, room);
}

bool advice_is_plain(const struct advice_array *array, const struct layout *layout)
{
    char declaration[300], access[100];
    return write_plain(array, layout, declaration, access, sizeof access);
}

void advice_write(const struct advice_array *advised, const struct layout *layout,
                  char *declaration, char *access, size_t room)
{
    const struct trace_array *array = &advised->array;
    uint32_t elements = elements_of(advised, layout);
    if (write_plain(advised, layout, declaration, access, room))
        return;

    uint32_t unit = (uint32_t)layout->unit;
    uint32_t units = (layout_array_bytes(array) + unit - 1) / unit;
    char index[160], first[170] = "";
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
