/* lines_arrays.c - a kernel's shared variables and what it has in global memory: where the former lie, and how the
 * source calls what is there. */
#define _GNU_SOURCE /* fmemopen */
#include "program/lines.h"

#include <stdlib.h>
#include <string.h>

void lines_add_array(struct source_lines *lines, const struct source_array *array)
{
    struct error ignored = {{0}};
    if (memory_grow(&lines->array, &lines->array_room, lines->arrays + 1, sizeof *lines->array,
                    "arrays", &ignored))
        lines->array[lines->arrays++] = *array;
    else
        free(array->symbol);
}

void lines_describe(struct source_array *array, const struct source_variable *known)
{
    snprintf(array->name, sizeof array->name, "%s", known->name);
    array->type = known->type;
    array->element = known->element;
    array->dims = known->dims;
    memcpy(array->dim, known->dim, sizeof array->dim);
    array->members = known->members;
    array->member = known->member;
}

static void add_array(struct source_lines *lines, const struct records_array *from)
{
    struct source_array array = {.symbol = lines_copy(lines, from->name),
                                 .type = "",
                                 .from = from->offset,
                                 .bytes = from->dynamic ? 0 : from->bytes,
                                 .global = from->global,
                                 .dynamic = from->dynamic};
    const struct source_variable *known = source_variable(&lines->names, array.symbol);
    source_last_name(array.symbol, array.name, sizeof array.name);
    if (known && known->element)
        lines_describe(&array, known);
    else if (known && array.global) /* void * */
        snprintf(array.name, sizeof array.name, "%s", known->name);
    array.pointer = array.global && known && known->dynamic;
    lines_add_array(lines, &array);
}

static int by_address(const void *a, const void *b)
{
    const struct source_array *x = a, *y = b;
    if (x->global != y->global)
        return x->global ? 1 : -1;
    return (x->from > y->from) - (x->from < y->from);
}

void lines_forget_arrays(struct source_lines *lines)
{
    for (size_t i = 0; i < lines->arrays; i++)
        free(lines->array[i].symbol);
    free(lines->array);
    free(lines->kernel);
    lines_forget_views(lines);
    lines->array = NULL;
    lines->kernel = NULL;
    lines->arrays = lines->array_room = 0;
}

void lines_take_arrays(struct source_lines *lines)
{
    const struct records_taken *taken = &lines->taken;
    lines->kernel = memory_new((size_t)taken->kernels + 1, sizeof *lines->kernel);
    for (uint64_t i = 0; i < taken->kernels; i++) {
        const struct records_kernel *kernel = &taken->kernel[i];
        size_t first = lines->arrays;
        for (uint32_t k = 0; k < kernel->arrays; k++)
            add_array(lines, &taken->array[kernel->first_array + k]);
        lines->kernel[i] = (struct kernel_arrays){first, lines->arrays - first};
        if (lines->arrays > first)
            qsort(lines->array + first, lines->arrays - first, sizeof *lines->array, by_address);
    }
    lines_take_views(lines);
}

void lines_launch(struct source_lines *lines, uint32_t launch)
{
    lines->now = launch == RECORDS_NOTHING ? launch : lines->taken.launch[launch].kernel;
    lines->set_now = launch != RECORDS_NOTHING && lines->set_of ? lines->set_of[launch] : 0;
}

const struct source_array *lines_arrays(const struct source_lines *lines, size_t *count)
{
    *count = lines->arrays;
    return lines->array;
}

/* The arrays of the kernel whose launch is read. */
static struct kernel_arrays arrays_now(const struct source_lines *lines)
{
    return lines->now == RECORDS_NOTHING ? (struct kernel_arrays){0, 0} : lines->kernel[lines->now];
}

/* The view that an address in dynamic memory is in, or the memory. */
static int view_at(const struct source_lines *lines, uint32_t addr, size_t memory)
{
    const struct kernel_arrays none = {0, 0},
                               *set = lines->set_now ? &lines->set[lines->set_now] : &none;
    for (size_t i = set->first; i < set->first + set->count; i++)
        if (addr >= lines->array[i].from && addr - lines->array[i].from < lines->array[i].bytes)
            return (int)i;
    return (int)memory;
}

/* The variable that an address is in, whatever pointers name of it; or ARRAY_UNKNOWN. */
static int variable_at(const struct source_lines *lines, uint32_t addr)
{
    struct kernel_arrays now = arrays_now(lines);
    for (size_t i = now.first; i < now.first + now.count; i++) {
        const struct source_array *array = &lines->array[i];
        if (array->global)
            break;
        if (addr >= array->from && (array->dynamic || addr - array->from < array->bytes))
            return (int)i;
    }
    return ARRAY_UNKNOWN;
}

int lines_array(const struct source_lines *lines, uint32_t addr)
{
    const int variable = variable_at(lines, addr);
    return variable != ARRAY_UNKNOWN && lines->array[variable].dynamic
               ? view_at(lines, addr, (size_t)variable)
               : variable;
}

int lines_array_named(const struct source_lines *lines, struct records_text name)
{
    struct kernel_arrays now = arrays_now(lines);
    for (size_t i = now.first; name.length && i < now.first + now.count; i++)
        if (strlen(lines->array[i].symbol) == name.length &&
            !memcmp(lines->array[i].symbol, lines->taken.text + name.at, name.length))
            return (int)i;
    return ARRAY_UNKNOWN;
}

const char *lines_global_array(const struct source_lines *lines, uint64_t pc)
{
    uint64_t row;
    const bool known = lines_is_access(pc, &row) && row < lines->taken.accesses &&
                       lines->taken.access[row].global == RECORDS_GLOBAL;
    const int array =
        known ? lines_array_named(lines, lines->taken.access[row].array) : ARRAY_UNKNOWN;
    return array == ARRAY_UNKNOWN || !text_is_clean(lines->array[array].name)
               ? ""
               : lines->array[array].name;
}

int lines_array_of(const struct source_lines *lines, struct records_text name, uint32_t low,
                   uint32_t high)
{
    const int named = lines_array_named(lines, name), at_low = lines_array(lines, low);
    const bool views = lines->set_now && (named == ARRAY_UNKNOWN || lines->array[named].dynamic);
    if (named != ARRAY_UNKNOWN && !views)
        return named;
    if (at_low == lines_array(lines, high))
        return at_low;
    const int variable = variable_at(lines, low); /* of several pointers' parts, the memory */
    return named == ARRAY_UNKNOWN && variable == variable_at(lines, high) ? variable : named;
}

/* "tile[1][0]" for a byte of it, or beyond it; false: its elements are not known. */
static bool put_element(const struct source_array *array, long byte, FILE *to)
{
    char text[sizeof array->name + 24 * (MAX_ARRAY_DIMS + 2)] = "";
    const bool single = !array->dynamic && !array->dims;
    if (array->element <= 0 || !*array->type || (single && (byte < 0 || byte >= array->element)))
        return false;
    text_add_element(text, sizeof text, array->name, array->dim, array->dims, array->dynamic, byte,
                     array->element);
    fputs(text, to);
    return true;
}

/* Puts the element, by the view that the byte is in where all launches of the kernel have the same. */
static bool put_element_of(const struct source_lines *lines, uint32_t kernel,
                           const struct source_array *array, long byte, FILE *to)
{
    const struct kernel_arrays *set = array->dynamic ? lines_kernel_views(lines, kernel) : NULL;
    for (size_t i = 0; set && i < set->count; i++) {
        const struct source_array *view = &lines->array[set->first + i];
        const long from = (long)view->from - (long)array->from;
        if (byte >= from && byte - from < (long)view->bytes)
            return put_element(view, byte - from, to);
    }
    return put_element(array, byte, to);
}

/* The kernel's array of that name, or NULL. */
static const struct source_array *array_called(const struct source_lines *lines, uint32_t kernel,
                                               const char *name, size_t length)
{
    for (size_t i = 0; i < lines->kernel[kernel].count; i++) {
        const struct source_array *array = &lines->array[lines->kernel[kernel].first + i];
        char last[80];
        source_last_name(array->symbol, last, sizeof last);
        if ((strlen(last) == length && !memcmp(last, name, length)) ||
            (strlen(array->symbol) == length && !memcmp(array->symbol, name, length)))
            return array;
    }
    return NULL;
}

#define MANGLED "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$"

/* Writes the name of a function for people that begins there as C++ has it. Returns how much of the text it is; 0:
 * there is none. */
static size_t put_function(const char *text, FILE *to)
{
    const size_t length = strspn(text, MANGLED);
    if (strncmp(text, "_Z", 2) != 0 || text[2] == 'Z') /* _ZZ: a variable within one */
        return 0;
    char *symbol = memory_copy_of(text, length), *name = name_of_function(symbol);
    fputs(name, to);
    free(symbol);
    free(name);
    return length;
}

void lines_name_elements(const struct source_lines *lines, uint32_t kernel, const char *text,
                         char *to, size_t room)
{
    static const char byte_of[] = "byte ", of[] = " of ";
    FILE *file = fmemopen(to, room, "w");
    size_t function;
    *to = '\0';
    for (bool begins = true; file && *text; begins = !strchr(MANGLED, text[-1])) {
        if (begins && (function = put_function(text, file))) {
            text += function;
            continue;
        }
        char *end = (char *)(uintptr_t)text;
        long byte = 0;
        bool place = kernel != RECORDS_NOTHING && !strncmp(text, byte_of, strlen(byte_of));
        if (place)
            byte = strtol(text + strlen(byte_of), &end, 10);
        if (place && !strncmp(end, of, strlen(of))) {
            const char *name = end + strlen(of);
            size_t length = strcspn(name, " ,;()");
            const struct source_array *array = array_called(lines, kernel, name, length);
            const bool small = !strncmp(name + length, ", which has", 11);
            const bool put = array && put_element_of(lines, kernel, array, byte, file);
            if (array && (!put || small)) /* it is small where the byte is beyond its end */
                fprintf(file, "%sbyte %ld of %s", put ? ", " : "", byte, array->name);
            if (array) {
                text = name + length;
                continue;
            }
        }
        fputc(*text++, file);
    }
    if (file)
        fclose(file);
    to[room - 1] = '\0';
}
