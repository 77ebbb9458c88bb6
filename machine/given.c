/* given.c - launches that come as text: their arrays, sizes and arguments. */
#include "machine/given.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- arrays ----------------------------------------------------------------------------------------- */

static const char array_form[] = "--array is '%s'; it must be TYPE NAME[COUNT] or TYPE NAME[COUNT] "
                                 "= random, random BELOW, index, reverse, zero, a number, or "
                                 "file=PATH; behind it may stand > PATH, where it is "
                                 "written to";

static bool read_contents(struct given_text text, struct given_array *array)
{
    static const struct {
        const char *word;
        enum given_contents contents;
        int64_t number;
    } words[] = {
        {"", GIVEN_UNWRITTEN, 0},  {"unwritten", GIVEN_UNWRITTEN, 0}, {"random", GIVEN_RANDOM, 0},
        {"index", GIVEN_INDEX, 0}, {"iota", GIVEN_INDEX, 0},          {"reverse", GIVEN_REVERSE, 0},
        {"zero", GIVEN_NUMBER, 0}, {"zeros", GIVEN_NUMBER, 0},        {"ones", GIVEN_NUMBER, 1}};
    struct error none = {{0}};
    array->number = (struct given_number){.bytes = 4};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (given_is(text, words[i].word)) {
            array->contents = words[i].contents;
            array->number.whole = words[i].number;
            return true;
        }
    if (text.length > 5 && !memcmp(text.at, "file=", 5)) {
        array->contents = GIVEN_FILE;
        array->file = (struct given_text){text.at + 5, text.length - 5};
        return true;
    }
    array->contents = GIVEN_NUMBER;
    if (text.length > 7 && !memcmp(text.at, "random ", 7)) {
        array->contents = GIVEN_RANDOM;
        text = given_trim(text.at + 7, text.at + text.length);
    }
    if (!given_number(NULL, text, &array->number, &none))
        return false;
    struct given_number *below = &array->number;
    if (array->contents == GIVEN_RANDOM && below->real && below->value >= 1 &&
        below->value < 0x1p53)
        *below = (struct given_number){.whole = (int64_t)below->value, .bytes = 8};
    return array->contents == GIVEN_NUMBER || (!below->real && below->whole > 0);
}

/* "> PATH" behind the dimensions, with blanks on both sides of >. NULL: it is not there. */
static const char *written_to(const char *text)
{
    const char *dims = strchr(text, ']'), *found = NULL;
    for (const char *at = dims; at && (at = strstr(at, " > ")) != NULL; at++)
        found = at;
    return found;
}

bool given_array_split(const char *text, struct given_array *array, struct error *error)
{
    const char *to = written_to(text), *all = to ? to : text + strlen(text);
    const char *equals = memchr(text, '=', (size_t)(all - text)), *end = equals ? equals : all;
    const char *open = memchr(text, '[', (size_t)(end - text));
    *array = (struct given_array){.contents = GIVEN_UNWRITTEN};
    if (to)
        array->to = given_trim(to + 3, to + strlen(to));
    if (!open || (to && !array->to.length))
        return error_set(error, array_form, text);
    const struct given_text head = given_trim(text, open);
    array->name_text = given_last_name(head);
    array->type_text = given_trim(head.at, array->name_text.at);
    array->dims = given_trim(open, end);
    const int depth_end = array->dims.length - 1;
    const bool good =
        array->name_text.length && array->name_text.length < GIVEN_NAME &&
        array->type_text.length && array->dims.at[depth_end] == ']' &&
        read_contents(equals ? given_trim(equals + 1, all) : (struct given_text){"", 0}, array);
    if (!good)
        return error_set(error, array_form, text);
    memcpy(array->name, array->name_text.at, (size_t)array->name_text.length);
    struct given_text dims = array->dims, count;
    while (given_dimension(&dims, &count))
        if (!count.length)
            return error_set(error, array_form, text);
    return !dims.length || error_set(error, array_form, text);
}

bool given_dimension(struct given_text *dims, struct given_text *count)
{
    int depth = 0;
    if (!dims->length || *dims->at != '[')
        return false;
    for (int i = 0; i < dims->length; i++) {
        depth += (dims->at[i] == '[') - (dims->at[i] == ']');
        if (depth)
            continue;
        *count = given_trim(dims->at + 1, dims->at + i);
        *dims = given_trim(dims->at + i + 1, dims->at + dims->length);
        return true;
    }
    return false;
}

uint64_t given_array_bytes(const struct given_array *array)
{
    return array->count * array->type.bytes;
}

static bool ends_with(struct given_text text, const char *ending)
{
    const int length = (int)strlen(ending);
    return text.length > length && !memcmp(text.at + text.length - length, ending, (size_t)length);
}

bool given_array_is_raw(struct given_text path)
{
    return ends_with(path, ".bin") || ends_with(path, ".raw");
}

bool given_array_read(const char *text, struct given_names *names, uint64_t most,
                      struct given_array *array, struct error *error)
{
    struct given_text dims, count;
    struct given_number number;
    if (!given_array_split(text, array, error))
        return false;
    if (!given_type(names, array->type_text, &array->type))
        return error_set(error,
                         "--array: there is no type '%.*s' for %s; there are those of CUDA "
                         "(float, half, int4, ...), and struct(BYTES)",
                         GIVEN_TEXT(array->type_text), array->name);
    dims = array->dims;
    array->count = 1;
    array->row = 1;
    for (int i = 0; given_dimension(&dims, &count); i++) {
        if (!given_number(names, count, &number, error))
            return error_add(error, ", as which %s in --array has it", array->name), false;
        const uint64_t elements = (uint64_t)number.whole;
        if (number.real || number.whole < 1)
            return error_set(error,
                             "--array: %s has %.*s elements; it must be a whole number from 1",
                             array->name, GIVEN_TEXT(count));
        if (elements > most / array->type.bytes ||
            array->count > most / array->type.bytes / elements)
            return error_set(error,
                             "--array: %s is larger than the %" PRIu64 " MB that arrays may have",
                             array->name, most >> 20);
        array->count *= elements;
        array->row *= i ? elements : 1;
    }
    if (array->type.format == GIVEN_BYTES && array->to.length && !given_array_is_raw(array->to))
        return error_set(
            error,
            "--array: %s has elements without numbers, which go to files whose names end in .bin",
            array->name);
    if (array->type.format == GIVEN_BYTES && array->contents != GIVEN_UNWRITTEN &&
        array->contents != GIVEN_FILE &&
        (array->contents != GIVEN_NUMBER || array->number.real || array->number.whole))
        return error_set(error,
                         "--array: elements of %s can only be zero, unwritten, or those of a "
                         "file whose name ends in .bin",
                         array->name);
    return true;
}

/* Numbers that are the same in every run: splitmix64. */
static uint64_t random_of(uint64_t i)
{
    i = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    i = (i ^ i >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    i = (i ^ i >> 27) * UINT64_C(0x94d049bb133111eb);
    return i ^ i >> 31;
}

static struct given_number number_at(const struct given_array *array, uint64_t i, uint64_t parts)
{
    const struct given_number *given = &array->number;
    struct given_number number = {.bytes = 8};
    const bool whole = array->type.format == GIVEN_SIGNED || array->type.format == GIVEN_UNSIGNED;
    const uint64_t below = (uint64_t)given->whole; /* 0: not told */
    switch (array->contents) {
    case GIVEN_RANDOM:
        if (below || whole) {
            number.whole = (int64_t)(random_of(i) % (below ? below : 100));
        } else {
            number.real = true;
            number.value = (double)(random_of(i) >> 11) * 0x1p-53;
        }
        return number;
    case GIVEN_INDEX:
        number.whole = (int64_t)i;
        return number;
    case GIVEN_REVERSE:
        number.whole = (int64_t)(parts - 1 - i);
        return number;
    case GIVEN_NUMBER:
    case GIVEN_UNWRITTEN:
    case GIVEN_FILE:
        break;
    }
    return *given;
}

void given_array_fill(const struct given_array *array, uint8_t *bytes)
{
    const struct given_type *type = &array->type;
    const uint64_t parts = array->count * (uint64_t)type->parts;
    if (type->format == GIVEN_BYTES || array->contents == GIVEN_UNWRITTEN)
        memset(bytes, 0, given_array_bytes(array));
    for (uint64_t i = 0; type->format != GIVEN_BYTES && i < parts; i++) {
        const struct given_number number = number_at(array, i, parts);
        given_put(type, &number, bytes + i * type->part);
    }
}

bool given_array_fill_file(const struct given_array *array, const char *text, size_t length,
                           uint8_t *bytes, struct error *error)
{
    const struct given_type *type = &array->type;
    const uint64_t parts = array->count * (uint64_t)type->parts, all = given_array_bytes(array);
    const char *end = text + length;
    if (given_array_is_raw(array->file)) {
        if (length < all)
            return error_set(error, "--array: %.*s has %zu bytes, fewer than the %" PRIu64 " of %s",
                             GIVEN_TEXT(array->file), length, all, array->name);
        memcpy(bytes, text, all);
        return true;
    }
    if (type->format == GIVEN_BYTES)
        return error_set(error,
                         "--array: %s has elements without numbers, which come from files whose "
                         "names end in .bin",
                         array->name);
    for (uint64_t i = 0; i < parts; i++) {
        struct given_number number;
        while (text < end && strchr(" \t\r\n,;", *text))
            text++;
        const char *from = text;
        while (text < end && !strchr(" \t\r\n,;", *text))
            text++;
        if (from == text)
            return error_set(
                error, "--array: %.*s has fewer numbers than the array %s: %" PRIu64 " of %" PRIu64,
                GIVEN_TEXT(array->file), array->name, i, parts);
        if (!given_number(NULL, given_trim(from, text), &number, error))
            return error_add(error, " in %.*s, number %" PRIu64 " of %s", GIVEN_TEXT(array->file),
                             i + 1, array->name),
                   false;
        given_put(type, &number, bytes + i * type->part);
    }
    return true;
}

/* ---- the shape of a launch ---------------------------------------------------------------------------- */

bool given_call_split(const char *text, struct given_call *call, struct error *error)
{
    const char *open = strstr(text, "<<<"), *close = open ? strstr(open, ">>>") : NULL;
    const char *from = close ? strchr(close, '(') : NULL, *end = from ? strrchr(from, ')') : NULL;
    *call = (struct given_call){.shared = 0};
    if (end)
        call->kernel = given_trim(text, open);
    const struct given_text tail = end ? given_trim(end + 1, end + strlen(end)) : call->kernel;
    if (!end || !call->kernel.length || from > end || given_trim(close + 3, from).length ||
        (tail.length && !given_is(tail, ";")))
        return error_set(
            error, "--call is '%s'; it must be KERNEL<<<BLOCKS, THREADS>>>(ARGUMENT, ...)", text);
    const char *at = open + 3;
    call->arguments = given_trim(from + 1, end);
    if (!given_next(&at, close, &call->grid_text) || !given_next(&at, close, &call->block_text))
        return error_set(error, "--call: %.*s needs blocks and threads: <<<BLOCKS, THREADS>>>",
                         GIVEN_TEXT(call->kernel));
    given_next(&at, close, &call->shared_text);
    return true;
}

/* dim3(x, y, z), {x, y} or one number. */
static bool read_size(struct given_names *names, struct given_text text, uint32_t size[3],
                      struct error *error)
{
    const char *open = memchr(text.at, '(', (size_t)text.length), *at = text.at;
    const char *end = text.at + text.length;
    const struct given_text head = open ? given_trim(text.at, open) : (struct given_text){"", 0};
    size[0] = size[1] = size[2] = 1;
    if (given_is(head, "dim3") || (text.length && *text.at == '{')) {
        at = *text.at == '{' ? at + 1 : open + 1;
        end--;
        if (*end != ')' && *end != '}')
            return error_set(error, "--call: '%.*s' is no size of a grid or a block",
                             GIVEN_TEXT(text));
    }
    struct given_text piece;
    int i = 0;
    for (; given_next(&at, end, &piece); i++) {
        struct given_number number;
        if (i == 3)
            return error_set(error, "--call: '%.*s' has more than three sizes", GIVEN_TEXT(text));
        if (!given_number(names, piece, &number, error))
            return error_add(error, " for a size in --call"), false;
        if (number.real || number.whole < 1 || number.whole > INT32_MAX)
            return error_set(error, "--call: a size is '%.*s'; it must be a whole number from 1",
                             GIVEN_TEXT(piece));
        size[i] = (uint32_t)number.whole;
    }
    return true;
}

static bool check_sizes(const struct given_call *call, struct error *error)
{
    const uint32_t *grid = call->grid, *block = call->block;
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (grid[1] > UINT16_MAX || grid[2] > UINT16_MAX)
        return error_set(error,
                         "--call: a grid of %u x %u x %u blocks is an invalid configuration: y "
                         "and z are at most 65535",
                         grid[0], grid[1], grid[2]);
    if (block[0] > MACHINE_THREADS || block[1] > MACHINE_THREADS || threads > MACHINE_THREADS ||
        block[2] > 64)
        return error_set(error,
                         "--call: a block of %u x %u x %u threads is an invalid configuration: "
                         "a block has at most %d threads, and z is at most 64",
                         block[0], block[1], block[2], MACHINE_THREADS);
    return true;
}

bool given_call_read(const char *text, struct given_names *names, struct given_call *call,
                     struct error *error)
{
    struct given_number number = {.whole = 0};
    if (!given_call_split(text, call, error) ||
        !read_size(names, call->grid_text, call->grid, error) ||
        !read_size(names, call->block_text, call->block, error) || !check_sizes(call, error))
        return false;
    if (call->shared_text.length && !given_number(names, call->shared_text, &number, error))
        return error_add(error, ": the bytes of shared memory in --call"), false;
    if (number.real || number.whole < 0 || number.whole > MACHINE_SHARED)
        return error_set(error, "--call: '%.*s' bytes of shared memory: a block has from 0 to %d",
                         GIVEN_TEXT(call->shared_text), MACHINE_SHARED);
    call->shared = (uint32_t)number.whole;
    return true;
}

bool given_check_shape(const struct given_call *call, const struct machine_kernel_facts *facts,
                       struct error *error)
{
    const uint32_t *block = call->block, *required = facts->required;
    const uint32_t threads = block[0] * block[1] * block[2];
    if (required[0] && memcmp(block, required, sizeof facts->required) != 0)
        return error_set(error,
                         "--call: %.*s runs with blocks of %u x %u x %u threads (.reqntid), not "
                         "of %u x %u x %u",
                         GIVEN_TEXT(call->kernel), required[0], required[1], required[2], block[0],
                         block[1], block[2]);
    if (facts->most_threads && threads > facts->most_threads)
        return error_set(error,
                         "--call: %.*s runs with at most %u threads in a block (.maxntid), not "
                         "%u",
                         GIVEN_TEXT(call->kernel), facts->most_threads, threads);
    if (facts->static_shared + (uint64_t)call->shared > MACHINE_SHARED)
        return error_set(error,
                         "--call: %.*s has %u bytes of shared memory of its own: %u more are "
                         "over %d",
                         GIVEN_TEXT(call->kernel), facts->static_shared, call->shared,
                         MACHINE_SHARED);
    return true;
}
