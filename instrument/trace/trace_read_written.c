/* trace_read_written.c - warp accesses in the form in which the writer writes them.
 *
 * The writer's lines have their fields in one order, without spaces. Reading such a line directly takes a
 * fifth of the time that cJSON takes; any other line goes to cJSON. Each function advances *at.
 */
#include "instrument/trace/trace_reader.h"

#include <stdlib.h>
#include <string.h>

static bool skip(const char **at, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(*at, text, length) != 0)
        return false;
    *at += length;
    return true;
}

/* A whole number within 2^53. */
static bool skip_number(const char **at, int64_t *number)
{
    const char *digit = *at + (**at == '-'), *first = digit;
    int64_t value = 0;
    while ((unsigned)(*digit - '0') < 10 && digit < first + 17)
        value = value * 10 + (*digit++ - '0');
    if (digit == first || value > MAX_WHOLE || (*first == '0' && digit > first + 1))
        return false;
    *number = **at == '-' ? -value : value;
    *at = digit;
    return true;
}

static bool skip_int(const char **at, const char *name, int *number)
{
    int64_t whole;
    if (!skip(at, name) || !skip_number(at, &whole) || whole > INT32_MAX || whole < INT32_MIN)
        return false;
    *number = (int)whole;
    return true;
}

/* Returns how many, or -1: not in this form, or too many. */
static int skip_numbers(const char **at, const char *name, int64_t *out)
{
    int count = 0;
    if (!skip(at, name))
        return -1;
    do
        if (count == MAX_WARP || !skip_number(at, &out[count++]))
            return -1;
    while (skip(at, ","));
    return skip(at, "]") ? count : -1;
}

/* The 64 bits of a number as 16 hexadecimal digits, 0-9 and a-f. */
bool reader_bits(const char *text, int64_t *number)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t bits = 0;
    for (int i = 0; i < 16; i++) {
        const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (!digit)
            return false;
        bits = bits << 4 | (uint64_t)(digit - digits);
    }
    *number = (int64_t)bits;
    return true;
}

/* Texts of reader_bits; as skip_numbers. */
static int skip_bits(const char **at, const char *name, int64_t *out)
{
    int count = 0;
    if (!skip(at, name))
        return -1;
    do {
        if (count == MAX_WARP || !skip(at, "\"") || !reader_bits(*at, &out[count++]))
            return -1;
        *at += 16;
    } while (skip(at, "\",") && **at == '"');
    return skip(at, "\"]") ? count : -1;
}

/* An address: 1 to 16 digits, 0-9 and a-f. Returns how many; 0: it is none. */
int reader_address(const char *text, int64_t *number)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t address = 0;
    int count = 0;
    for (const char *digit; count <= 16 && text[count] && (digit = strchr(digits, text[count]));
         count++)
        address = address << 4 | (uint64_t)(digit - digits);
    *number = (int64_t)address;
    return count <= 16 ? count : 0;
}

/* Texts of reader_address; as skip_numbers. */
static int skip_addresses(const char **at, const char *name, int64_t *out)
{
    int count = 0;
    if (!skip(at, name))
        return -1;
    do {
        int digits = 0;
        if (count < MAX_WARP && skip(at, "\""))
            digits = reader_address(*at, &out[count++]);
        if (!digits)
            return -1;
        *at += digits;
    } while (skip(at, "\",") && **at == '"');
    return skip(at, "\"]") ? count : -1;
}

/* A string without escapes. */
static bool skip_text(const char **at, const char *name, const char **text, size_t *length)
{
    if (!skip(at, name))
        return false;
    *text = *at;
    *length = strcspn(*at, "\"\\");
    *at += *length;
    return skip(at, "\"");
}

/* From the stage up to "op". */
static bool skip_place(struct trace_reader *reader, const char **at, struct warp_access *access)
{
    const char *name;
    char stage[MAX_STAGE_NAME + 1];
    size_t length;
    if (!skip_text(at, "{\"stage\":\"", &name, &length) || length > MAX_STAGE_NAME)
        return false;
    memcpy(stage, name, length);
    stage[length] = '\0';
    access->stage = reader_stage(reader, stage);
    return access->stage >= 0 && skip_int(at, ",\"round\":", &access->round) &&
           skip_int(at, ",\"slot\":", &access->slot) &&
           skip_int(at, ",\"block\":", &access->block) && skip_int(at, ",\"warp\":", &access->warp);
}

/* OPS: there is none of that name. */
static enum op op_of(const char *name, size_t length)
{
    int op = 0;
    while (op < OPS &&
           (strncmp(op_name((enum op)op), name, length) || op_name((enum op)op)[length]))
        op++;
    return (enum op)op;
}

/* The rest of the line. */
static bool skip_access(const struct trace_reader *reader, const char **at,
                        struct access_line *line)
{
    const char *name;
    size_t length;
    if (!skip_text(at, ",\"op\":\"", &name, &length))
        return false;
    line->access.op = op_of(name, length);
    line->global = reader->header.global && skip(at, ",\"space\":\"global\"");
    if (!skip_int(at, ",\"bytes\":", &line->access.bytes) ||
        (line->lanes = skip_numbers(at, ",\"lane\":[", line->lane)) < 0 ||
        (line->addrs = line->global ? skip_addresses(at, ",\"addr\":[", line->addr)
                                    : skip_numbers(at, ",\"addr\":[", line->addr)) < 0)
        return false;
    line->values = line->tags = line->access.site = -1;
    if (!strncmp(*at, ",\"value\"", 8) &&
        (line->values = skip_numbers(at, ",\"value\":[", line->value)) < 0)
        return false;
    if (line->values < 0 && !strncmp(*at, ",\"value_bits\"", 13) &&
        (line->values = skip_bits(at, ",\"value_bits\":[", line->value)) < 0)
        return false;
    if (!strncmp(*at, ",\"tag\"", 6)) {
        if (!skip_text(at, ",\"tag\":\"", &line->tag, &length) || length > MAX_WARP)
            return false;
        line->tags = (int)length;
    }
    if (**at == ',' && (!reader->header.sites || !skip_int(at, ",\"site\":", &line->access.site) ||
                        line->access.site < 0))
        return false;
    return !strcmp(*at, "}");
}

bool reader_written(struct trace_reader *reader, const char *text, size_t length,
                    const struct trace_sink *sink, bool *good)
{
    struct access_line line;
    const char *at = text;
    line.access = (struct warp_access){0};
    if (!skip_place(reader, &at, &line.access))
        return false;
    if (reader->part && text[length - 1] == '}' && !reader_wants(reader, &line.access)) {
        struct error what = {{0}};
        *good = trace_check_place(&reader->check, &line.access, &what) ||
                reader_bad_line(reader, "%s", what.text);
        return true;
    }
    if (!skip_access(reader, &at, &line) || at + 1 != text + length)
        return false;
    *good = reader_access(reader, &line, sink);
    return true;
}
