/* names.c - what the source calls a word, a value and a thread: "tile[3][17]", 0.5, "thread (17, 3)". */
#include "viewer/scene/scene.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- values ------------------------------------------------------------------------------------ */

/* How the bits of a number are read. */
enum bits { BITS_SIGNED, BITS_UNSIGNED, BITS_FLOAT, BITS_BFLOAT, BITS_BOOL };

/* The bits of a type's elements, by how its name begins; the first that fits. */
static const struct {
    const char *begins;
    enum bits bits;
    int bytes; /* of an element; 0: as the type's own */
} kinds[] = {
    {"bool", BITS_BOOL, 1},
    {"__nv_bfloat16", BITS_BFLOAT, 2},
    {"half", BITS_FLOAT, 2},
    {"__half", BITS_FLOAT, 2},
    {"float", BITS_FLOAT, 4},
    {"double", BITS_FLOAT, 8},
    {"unsigned char", BITS_UNSIGNED, 1},
    {"unsigned short", BITS_UNSIGNED, 2},
    {"unsigned long", BITS_UNSIGNED, 8},
    {"unsigned", BITS_UNSIGNED, 4},
    {"uint8_t", BITS_UNSIGNED, 1},
    {"uint16_t", BITS_UNSIGNED, 2},
    {"uint32_t", BITS_UNSIGNED, 4},
    {"uint64_t", BITS_UNSIGNED, 8},
    {"size_t", BITS_UNSIGNED, 8},
    {"uchar", BITS_UNSIGNED, 1},
    {"ushort", BITS_UNSIGNED, 2},
    {"uint", BITS_UNSIGNED, 4},
    {"ulong", BITS_UNSIGNED, 8},
    {"signed char", BITS_SIGNED, 1},
    {"char", BITS_SIGNED, 1},
    {"short", BITS_SIGNED, 2},
    {"long", BITS_SIGNED, 8},
    {"int8_t", BITS_SIGNED, 1},
    {"int16_t", BITS_SIGNED, 2},
    {"int64_t", BITS_SIGNED, 8},
    {"int", BITS_SIGNED, 4},
};

static bool is_pointer(const char *type)
{
    return *type && type[strlen(type) - 1] == '*';
}

static uint32_t member_bytes(const struct trace_member *member)
{
    return is_pointer(member->type) ? 8 : (uint32_t)type_bytes(member->type);
}

/* A number of `bits` bits whose exponent takes `exponent` of them, as IEEE 754 has it. */
static double small_float(unsigned number, int bits, int exponent)
{
    int fraction = bits - 1 - exponent, most = (1 << exponent) - 1;
    int e = (int)(number >> fraction) & most;
    double m = (double)(number & ((1u << fraction) - 1)) / (double)(1u << fraction);
    double value = e == most ? (m > 0 ? NAN : INFINITY)
                   : e == 0  ? ldexp(m, 2 - (1 << (exponent - 1)))
                             : ldexp(1 + m, e + 1 - (1 << (exponent - 1)));
    return number >> (bits - 1) & 1 ? -value : value;
}

static double floating(uint64_t number, int bytes, enum bits bits)
{
    float single;
    double wide;
    uint32_t low = (uint32_t)number;
    if (bytes == 2)
        return small_float(low & 0xFFFF, 16, bits == BITS_BFLOAT ? 8 : 5);
    memcpy(&single, &low, sizeof single);
    memcpy(&wide, &number, sizeof wide);
    return bytes == 4 ? (double)single : wide;
}

static int write_number(uint64_t number, int bytes, enum bits bits, char *text, size_t size)
{
    int unused = 64 - 8 * bytes;
    if (bits == BITS_FLOAT || bits == BITS_BFLOAT)
        return snprintf(text, size, "%.*g", bytes == 2 ? 4 : 6, floating(number, bytes, bits));
    if (bits == BITS_SIGNED) /* the shift copies the sign */
        return snprintf(text, size, "%" PRId64, (int64_t)(number << unused) >> unused);
    return snprintf(text, size, "%" PRIu64, number << unused >> unused);
}

/* What stands at an address: the type of the array there, or of a struct's member; "": not known. */
static const char *type_at(const struct trace_header *header, uint32_t addr)
{
    int of = header_array(header, addr);
    const struct trace_array *array = of < 0 ? NULL : &header->array[of];
    uint32_t offset = array ? (addr - (uint32_t)array->addr) % (uint32_t)array->bytes : 0;
    for (int i = 0; array && i < array->members; i++)
        if (offset - (uint32_t)array->member[i].addr < member_bytes(&array->member[i]))
            return array->member[i].type;
    return array && !array->members ? array->type : "";
}

/* Writes the number at the address, which is in the low bits of `value`. Returns how many bytes it has, 0
 * where its type is not known. */
static int write_element(const char *type, uint64_t value, char *text, size_t size)
{
    size_t kind = 0, known = sizeof kinds / sizeof kinds[0];
    if (is_pointer(type)) {
        snprintf(text, size, "0x%" PRIx64, value);
        return 8;
    }
    while (kind < known && strncmp(type, kinds[kind].begins, strlen(kinds[kind].begins)))
        kind++;
    if (kind == known || !type_bytes(type))
        return 0;
    write_number(value, kinds[kind].bytes, kinds[kind].bits, text, size);
    return kinds[kind].bytes;
}

void name_value(const struct trace_header *header, uint32_t addr, int bytes, int64_t value,
                char *text, size_t size)
{
    char element[8][32], *end = text + size;
    int count = 0, done = 0;
    while (done < bytes && bytes <= 8) {
        int each = write_element(type_at(header, addr + (uint32_t)done),
                                 (uint64_t)value >> 8 * done, element[count], sizeof element[0]);
        if (!each)
            break;
        count++;
        done += each;
    }
    if (done != bytes) {
        snprintf(text, size, "%" PRId64, value);
        return;
    }
    for (int i = 0; i < count && text < end; i++)
        text += snprintf(text, (size_t)(end - text), "%s%s%s", count > 1 && i == 0 ? "(" : "",
                         element[i],
                         i + 1 < count ? ", "
                         : count > 1   ? ")"
                                       : "");
}

/* ---- places ------------------------------------------------------------------------------------ */

bool name_place(const struct trace_header *header, uint32_t addr, char *text, size_t size)
{
    int of = header_array(header, addr);
    if (of < 0)
        return false;
    const struct trace_array *array = &header->array[of];
    uint32_t offset = addr - (uint32_t)array->addr;
    snprintf(text, size, "%.60s", array->name);
    text_add_indices(text, size, array->dim, array->dims, false, offset / (uint32_t)array->bytes);
    offset %= (uint32_t)array->bytes;
    const char *type = array->type;
    int member = 0;
    while (member < array->members &&
           offset - (uint32_t)array->member[member].addr >= member_bytes(&array->member[member]))
        member++;
    if (member < array->members) {
        text_add(text, size, ".%.60s", array->member[member].name);
        offset -= (uint32_t)array->member[member].addr;
        type = array->member[member].type;
    }
    /* Within an element: a part of a vector, or so many bytes of something else. */
    int last = *type ? type[strlen(type) - 1] - '0' : 0;
    bool vector = type_bytes(type) && last >= 2 && last <= 4;
    uint32_t part = vector ? (uint32_t)(type_bytes(type) / last) : 1;
    if (offset == 0)
        return true;
    if (vector && offset % part == 0 && offset / part < 4)
        text_add(text, size, ".%c", "xyzw"[offset / part]);
    else
        text_add(text, size, " + %" PRIu32 " bytes", offset);
    return true;
}

/* ---- threads ----------------------------------------------------------------------------------- */

void name_thread(const struct trace_header *header, int thread, char *text, size_t size)
{
    int x = header->block_dim[0], y = header->block_dim[1], z = header->block_dim[2];
    if (x < 1 || (y <= 1 && z <= 1))
        snprintf(text, size, "%d", thread);
    else if (z <= 1)
        snprintf(text, size, "(%d, %d)", thread % x, thread / x);
    else
        snprintf(text, size, "(%d, %d, %d)", thread % x, thread / x % y, thread / x / y);
}
