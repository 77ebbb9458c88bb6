/* trace_read.c - reads a trace from JSON Lines (doc/trace-format.md), one line at a time.
 *
 * The reader trusts nothing. What JSON can get wrong is refused here, what a trace can get wrong by
 * trace_check.c; only then does a sink see it.
 */
#include "instrument/trace.h"
#include "system/packed.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_VERSION = 1, GLOBAL_VERSION = 2 /* with accesses to global memory */ };

/* The fields of each kind of line, in the order in which the writer writes them. */
enum header_field {
    FORMAT,
    VERSION,
    KERNEL,
    BACKEND,
    DEVICE,
    BANKS,
    BANK_BYTES,
    WARP,
    THREADS,
    BLOCKS,
    SHARED_BYTES,
    PARTITION,
    BLOCK_DIM,
    GRID_DIM,
    PARAMS,
    INPUT,
    SEED,
    STAGES,
    ARRAYS,
    SITES,
    HEADER_FIELDS
};
static const char *const HEADER_NAMES[HEADER_FIELDS] = {
    "format", "version", "kernel", "backend",      "device",    "banks",     "bank_bytes",
    "warp",   "threads", "blocks", "shared_bytes", "partition", "block_dim", "grid_dim",
    "params", "input",   "seed",   "stages",       "arrays",    "sites"};
enum array_field {
    ARRAY_NAME,
    ARRAY_ADDR,
    ARRAY_TYPE,
    ARRAY_BYTES,
    ARRAY_DIMS,
    ARRAY_MEMBERS,
    ARRAY_FIELDS
};
static const char *const ARRAY_NAMES[ARRAY_FIELDS] = {"name",  "addr", "type",
                                                      "bytes", "dims", "members"};
enum member_field { MEMBER_NAME, MEMBER_ADDR, MEMBER_TYPE, MEMBER_FIELDS };
static const char *const MEMBER_NAMES[MEMBER_FIELDS] = {"name", "addr", "type"};
enum site_field { SITE_FILE, SITE_LINE, SITE_FUNCTION, SITE_TEXT, SITE_FIELDS };
static const char *const SITE_NAMES[SITE_FIELDS] = {"file", "line", "function", "text"};
enum line_field {
    STAGE,
    ROUND,
    SLOT,
    BLOCK,
    WARP_NUMBER,
    OP,
    BYTES,
    LANE,
    ADDR,
    VALUE,
    VALUE_BITS,
    TAG,
    SITE,
    SPACE,
    END,
    WARP_ACCESSES,
    DROPPED,
    LINE_FIELDS
};
static const char *const LINE_NAMES[LINE_FIELDS] = {
    "stage", "round",      "slot", "block", "warp",  "op",  "bytes",         "lane",   "addr",
    "value", "value_bits", "tag",  "site",  "space", "end", "warp_accesses", "dropped"};

struct trace_reader {
    const char *name;
    uint64_t line;
    struct trace_header header;
    struct trace_check check;
    int *by_name;                  /* stage numbers, sorted by name */
    int last_stage;                /* of the previous line: usually the same again */
    const struct trace_part *part; /* NULL: all */
    int part_stage, part_block;    /* the stage that it names; its one block, or -1 before it was
                                    * seen */
    struct error *error;
    struct unpacker *unpacker;
    uint64_t bytes, chunks;
    size_t chunk_used, chunk_length; /* of what it gives, read ahead */
    char chunk[1 << 15];
};

/* "NAME, line N: WHAT". False. */
static __attribute__((format(printf, 2, 3))) bool bad_line(const struct trace_reader *reader,
                                                           const char *format, ...)
{
    char what[sizeof reader->error->text];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return error_set(reader->error, "%s, line %" PRIu64 ": %s", reader->name, reader->line, what);
}

/* ---- fields ---------------------------------------------------------------------------------- */

static int compare_keys(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Whether all members of the object have different names. Takes n log n steps, since the input
 * may be hostile. */
static bool keys_differ(const struct trace_reader *reader, const cJSON *object)
{
    size_t count = (size_t)cJSON_GetArraySize(object), i = 0;
    const char **key = memory_new(count, sizeof *key);
    const cJSON *item;
    bool good = true;
    cJSON_ArrayForEach(item, object) key[i++] = item->string;
    qsort(key, count, sizeof *key, compare_keys);
    for (i = 1; good && i < count; i++)
        if (!strcmp(key[i - 1], key[i]))
            good = bad_line(reader, "\"%.64s\" is there twice", key[i]);
    free(key);
    return good;
}

/* Puts the members of the object that have a name in `names` into field, NULL for those that are
 * missing. Unknown ones are ignored, but no name may come twice. */
static bool take_fields(const struct trace_reader *reader, const cJSON *object,
                        const char *const *names, int count, const cJSON **field)
{
    int expected = 0, unknown = 0;
    const cJSON *item;
    memset(field, 0, (size_t)count * sizeof *field);
    cJSON_ArrayForEach(item, object)
    {
        int left = count, i = expected;
        for (; left && strcmp(names[i], item->string); left--)
            i = i + 1 < count ? i + 1 : 0;
        if (!left) {
            unknown++;
            continue;
        }
        if (field[i])
            return bad_line(reader, "\"%s\" is there twice", names[i]);
        field[i] = item;
        expected = i + 1 < count ? i + 1 : 0;
    }
    return unknown < 2 || keys_differ(reader, object);
}

static bool is_whole(const cJSON *item)
{
    return cJSON_IsNumber(item) && fabs(item->valuedouble) <= (double)MAX_WHOLE &&
           item->valuedouble == trunc(item->valuedouble);
}

static bool get_whole(const struct trace_reader *reader, const cJSON *item, const char *name,
                      int64_t *number)
{
    if (!item)
        return bad_line(reader, "\"%s\" is missing", name);
    if (!is_whole(item))
        return bad_line(reader, "\"%s\" must be a whole number within 2^53", name);
    *number = (int64_t)item->valuedouble;
    return true;
}

/* A number that no int holds becomes the least int, which is outside every limit of the format. */
static bool get_int(const struct trace_reader *reader, const cJSON *item, const char *name,
                    int *number)
{
    int64_t whole = 0;
    if (!get_whole(reader, item, name, &whole))
        return false;
    *number = whole > INT32_MAX || whole < INT32_MIN ? INT32_MIN : (int)whole;
    return true;
}

/* A string that the caller frees; NULL for a missing field. */
static bool get_text(const struct trace_reader *reader, const cJSON *item, const char *name,
                     char **text)
{
    if (!cJSON_IsString(item))
        return bad_line(reader, "\"%s\" must be a string of at most %d bytes", name, MAX_TEXT);
    *text = memory_copy(item->valuestring);
    return true;
}

/* Reads up to `most` whole numbers. Returns how many, or -1 on an error. */
static int get_numbers(const struct trace_reader *reader, const cJSON *array, const char *name,
                       int most, int64_t *out)
{
    int count = 0;
    const cJSON *item;
    bool good = cJSON_IsArray(array);
    if (good)
        cJSON_ArrayForEach(item, array)
        {
            if (count == most || !is_whole(item)) {
                good = false;
                break;
            }
            out[count++] = (int64_t)item->valuedouble;
        }
    if (good)
        return count;
    bad_line(reader, "\"%s\" must be an array of at most %d whole numbers within 2^53", name, most);
    return -1;
}

/* ---- the header ------------------------------------------------------------------------------ */

static bool read_params(struct trace_reader *reader, const cJSON *params)
{
    struct trace_header *header = &reader->header;
    if (!params)
        return true;
    if (!cJSON_IsObject(params) || cJSON_GetArraySize(params) > MAX_HEADER_PARAMS)
        return bad_line(reader, "\"params\" must be an object of at most %d parameters",
                        MAX_HEADER_PARAMS);
    header->param = memory_new((size_t)cJSON_GetArraySize(params), sizeof *header->param);
    const cJSON *item;
    cJSON_ArrayForEach(item, params)
    {
        struct trace_param *param = &header->param[header->params];
        if (!is_whole(item) && !cJSON_IsString(item))
            return bad_line(reader, "a parameter must be a whole number within 2^53, or a string");
        header->params++;
        param->name = memory_copy(item->string);
        if (cJSON_IsString(item))
            param->word = memory_copy(item->valuestring);
        else
            param->number = (int64_t)item->valuedouble;
    }
    return true;
}

static bool read_stages(struct trace_reader *reader, const cJSON *stages)
{
    struct trace_header *header = &reader->header;
    int count = cJSON_IsArray(stages) ? cJSON_GetArraySize(stages) : 0;
    if (count < 1 || count > MAX_STAGES)
        return bad_line(reader, "\"stages\" must be an array of 1 to %d names", MAX_STAGES);
    header->stage = memory_new((size_t)count + 1, sizeof *header->stage);
    const cJSON *item;
    cJSON_ArrayForEach(item, stages) if (!get_text(reader, item, "stages",
                                                   &header->stage[header->stages++])) return false;
    return true;
}

static bool read_dim(const struct trace_reader *reader, const cJSON *item, const char *name,
                     int dim[3])
{
    int64_t number[3];
    int count = item ? get_numbers(reader, item, name, 3, number) : 0;
    if (item && count >= 0 && count < 3)
        return bad_line(reader, "\"%s\" must have three numbers", name);
    for (int k = 0; k < count; k++)
        dim[k] = number[k] < 1 || number[k] > INT32_MAX ? -1 : (int)number[k];
    return count >= 0;
}

static bool read_members(const struct trace_reader *reader, const cJSON *members,
                         struct trace_array *array)
{
    int count = cJSON_IsArray(members) ? cJSON_GetArraySize(members) : members ? -1 : 0;
    if (count < 0 || count > MAX_MEMBERS)
        return bad_line(reader, "\"members\" must be an array of at most %d members", MAX_MEMBERS);
    array->member = memory_new((size_t)count, sizeof *array->member);
    const cJSON *item;
    cJSON_ArrayForEach(item, members)
    {
        const cJSON *field[MEMBER_FIELDS];
        struct trace_member *member = &array->member[array->members++];
        if (!cJSON_IsObject(item))
            return bad_line(reader, "\"members\" must be an array of objects");
        if (!take_fields(reader, item, MEMBER_NAMES, MEMBER_FIELDS, field) ||
            !get_text(reader, field[MEMBER_NAME], "name", &member->name) ||
            !get_text(reader, field[MEMBER_TYPE], "type", &member->type) ||
            !get_int(reader, field[MEMBER_ADDR], "addr", &member->addr))
            return false;
    }
    return true;
}

static bool read_array(const struct trace_reader *reader, const cJSON *json,
                       struct trace_array *array)
{
    const cJSON *field[ARRAY_FIELDS];
    int64_t dim[MAX_ARRAY_DIMS];
    if (!cJSON_IsObject(json))
        return bad_line(reader, "\"arrays\" must be an array of objects");
    if (!take_fields(reader, json, ARRAY_NAMES, ARRAY_FIELDS, field) ||
        !get_text(reader, field[ARRAY_NAME], "name", &array->name) ||
        !get_text(reader, field[ARRAY_TYPE], "type", &array->type) ||
        !get_int(reader, field[ARRAY_ADDR], "addr", &array->addr))
        return false;
    array->bytes = type_bytes(array->type);
    if (field[ARRAY_BYTES] || !array->bytes)
        if (!get_int(reader, field[ARRAY_BYTES], "bytes", &array->bytes))
            return false;
    array->dims = get_numbers(reader, field[ARRAY_DIMS], "dims", MAX_ARRAY_DIMS, dim);
    for (int k = 0; k < array->dims; k++)
        array->dim[k] = dim[k] < 1 || dim[k] > INT32_MAX ? 0 : (int)dim[k];
    return array->dims >= 0 && read_members(reader, field[ARRAY_MEMBERS], array);
}

static bool read_site(const struct trace_reader *reader, const cJSON *json, struct trace_site *site)
{
    const cJSON *field[SITE_FIELDS];
    if (!cJSON_IsObject(json))
        return bad_line(reader, "\"sites\" must be an array of objects");
    return take_fields(reader, json, SITE_NAMES, SITE_FIELDS, field) &&
           get_text(reader, field[SITE_FILE], "file", &site->file) &&
           get_int(reader, field[SITE_LINE], "line", &site->line) &&
           (!field[SITE_FUNCTION] ||
            get_text(reader, field[SITE_FUNCTION], "function", &site->function)) &&
           (!field[SITE_TEXT] || get_text(reader, field[SITE_TEXT], "text", &site->text));
}

static bool read_arrays(struct trace_reader *reader, const cJSON *arrays)
{
    struct trace_header *header = &reader->header;
    int count = cJSON_IsArray(arrays) ? cJSON_GetArraySize(arrays) : arrays ? -1 : 0;
    if (count < 0 || count > MAX_HEADER_ARRAYS)
        return bad_line(reader, "\"arrays\" must be an array of at most %d arrays",
                        MAX_HEADER_ARRAYS);
    header->array = memory_new((size_t)count, sizeof *header->array);
    const cJSON *item;
    cJSON_ArrayForEach(
        item, arrays) if (!read_array(reader, item, &header->array[header->arrays++])) return false;
    return true;
}

static bool read_sites(struct trace_reader *reader, const cJSON *sites)
{
    struct trace_header *header = &reader->header;
    int count = cJSON_IsArray(sites) ? cJSON_GetArraySize(sites) : sites ? -1 : 0;
    if (count < 0 || count > MAX_SITES)
        return bad_line(reader, "\"sites\" must be an array of at most %d sites", MAX_SITES);
    header->site = memory_new((size_t)count, sizeof *header->site);
    const cJSON *item;
    cJSON_ArrayForEach(
        item, sites) if (!read_site(reader, item, &header->site[header->sites++])) return false;
    return true;
}

static bool read_format(const struct trace_reader *reader, const cJSON *format,
                        const cJSON *version)
{
    if (!cJSON_IsString(format) || strcmp(format->valuestring, "bankscope-trace"))
        return bad_line(reader, "not a Bankscope trace (no \"format\":\"bankscope-trace\"); record "
                                "one with `bankscope run KERNEL -o FILE`");
    if (!cJSON_IsNumber(version))
        return bad_line(reader, "the trace names no version, this program reads versions %d and %d",
                        FORMAT_VERSION, GLOBAL_VERSION);
    return version->valuedouble == FORMAT_VERSION || version->valuedouble == GLOBAL_VERSION ||
           bad_line(reader,
                    "the trace is of version %.17g, this program reads versions %d and %d; record "
                    "it again or use the program that wrote it",
                    version->valuedouble, FORMAT_VERSION, GLOBAL_VERSION);
}

static bool read_header(struct trace_reader *reader, const cJSON *json)
{
    struct trace_header *header = &reader->header;
    const cJSON *field[HEADER_FIELDS];
    struct error what = {{0}};
    int64_t seed = 0;
    const struct {
        enum header_field field;
        int *number;
    } sizes[] = {{BANKS, &header->banks},        {BANK_BYTES, &header->bank_bytes},
                 {WARP, &header->warp},          {THREADS, &header->threads},
                 {BLOCKS, &header->blocks},      {SHARED_BYTES, &header->shared_bytes},
                 {PARTITION, &header->partition}};
    const struct {
        enum header_field field;
        char **text;
        bool optional;
    } texts[] = {{KERNEL, &header->kernel, false},
                 {BACKEND, &header->backend, false},
                 {DEVICE, &header->device, true},
                 {INPUT, &header->input, true}};

    if (!take_fields(reader, json, HEADER_NAMES, HEADER_FIELDS, field) ||
        !read_format(reader, field[FORMAT], field[VERSION]))
        return false;
    header->global = field[VERSION]->valuedouble == GLOBAL_VERSION;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].optional && !field[texts[i].field])
            *texts[i].text = memory_copy("");
        else if (!get_text(reader, field[texts[i].field], HEADER_NAMES[texts[i].field],
                           texts[i].text))
            return false;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if ((sizes[i].field != PARTITION || field[PARTITION]) &&
            !get_int(reader, field[sizes[i].field], HEADER_NAMES[sizes[i].field], sizes[i].number))
            return false;
    if (field[PARTITION] && header->partition < 1)
        return bad_line(reader, "\"partition\" must be a whole number from 1 to %d", MAX_SHARED);
    if (field[SEED] && !get_whole(reader, field[SEED], "seed", &seed))
        return false;
    if (seed < 0)
        return bad_line(reader, "\"seed\" must be a whole number from 0 to %" PRId64, MAX_WHOLE);
    header->seed = (uint64_t)seed;
    if (!read_dim(reader, field[BLOCK_DIM], "block_dim", header->block_dim) ||
        !read_dim(reader, field[GRID_DIM], "grid_dim", header->grid_dim) ||
        !read_params(reader, field[PARAMS]) || !read_stages(reader, field[STAGES]) ||
        !read_arrays(reader, field[ARRAYS]) || !read_sites(reader, field[SITES]))
        return false;
    if (!trace_check_header(header, &what))
        return bad_line(reader, "%s", what.text);
    trace_check_init(&reader->check, header);
    reader->by_name = header_stages_by_name(header);
    reader->part_stage =
        reader->part && reader->part->stage ? header_stage(header, reader->part->stage) : -1;
    return true;
}

/* ---- warp accesses and the end --------------------------------------------------------------- */

/* The number of the stage with this name: the previous line's, or found by bisection. */
static int find_stage(struct trace_reader *reader, const char *name)
{
    const struct trace_header *header = &reader->header;
    if (!strcmp(header->stage[reader->last_stage], name))
        return reader->last_stage;
    int low = 0, high = header->stages;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = strcmp(header->stage[reader->by_name[middle]], name);
        if (!order)
            return reader->last_stage = reader->by_name[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

/* A warp access as a line has it, before it is checked. */
struct access_line {
    struct warp_access access; /* its arrays are still those below */
    int lanes, addrs, values;  /* how many; values: -1 for none */
    int64_t lane[MAX_WARP], addr[MAX_WARP], value[MAX_WARP];
    bool global;
    int tags; /* -1: none */
    const char *tag;
};

/* Whether the reader was asked for it. */
static bool is_wanted(struct trace_reader *reader, const struct warp_access *access)
{
    const struct trace_part *part = reader->part;
    if (!part)
        return true;
    if (access->block < part->first_block || access->block > part->last_block ||
        (reader->part_stage >= 0 && access->stage != reader->part_stage) ||
        (part->warp >= 0 && access->warp != part->warp))
        return false;
    if (reader->part_block < 0)
        reader->part_block = access->block;
    return !part->one_block || access->block == reader->part_block;
}

/* Checks it and hands it on. */
static bool take_access(struct trace_reader *reader, struct access_line *line,
                        const struct trace_sink *sink)
{
    struct warp_access *access = &line->access;
    struct error what = {{0}};
    uint8_t lane[MAX_WARP];
    uint32_t addr[MAX_WARP];
    uint64_t global[MAX_WARP];

    if (line->addrs != line->lanes)
        return bad_line(reader, "\"addr\" must be as long as \"lane\"");
    if (line->values >= 0 && line->values != line->lanes)
        return bad_line(reader, "\"value\" must be as long as \"lane\"");
    if (line->tags >= 0 && line->tags != line->lanes)
        return bad_line(reader, "\"tag\" must be a string of one printable character per lane");
    for (int i = 0; i < line->lanes; i++) { /* a number that does not fit is outside every warp
                                             * and memory */
        lane[i] = (uint8_t)((uint64_t)line->lane[i] > UINT8_MAX ? UINT8_MAX : line->lane[i]);
        addr[i] = (uint32_t)((uint64_t)line->addr[i] > UINT32_MAX ? UINT32_MAX : line->addr[i]);
        global[i] = (uint64_t)line->addr[i];
    }
    access->lanes = line->lanes;
    access->lane = lane;
    access->addr = line->global ? NULL : addr;
    access->global = line->global ? global : NULL;
    access->value = line->values >= 0 ? line->value : NULL;
    access->tag = line->tags >= 0 ? line->tag : NULL;
    if (!trace_check_access(&reader->check, access, &what))
        return bad_line(reader, "%s", what.text);
    return !is_wanted(reader, access) || !sink->access ||
           sink->access(sink->context, access, reader->error);
}

/* ---- lines in the form in which they are written --------------------------------------------- */

/* The writer's lines have their fields in one order, without spaces. Reading such a line
 * directly takes a fifth of the time that cJSON takes; any other line goes to cJSON. Each
 * function advances *at. */
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
static bool read_bits(const char *text, int64_t *number)
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

/* Texts of read_bits; as skip_numbers. */
static int skip_bits(const char **at, const char *name, int64_t *out)
{
    int count = 0;
    if (!skip(at, name))
        return -1;
    do {
        if (count == MAX_WARP || !skip(at, "\"") || !read_bits(*at, &out[count++]))
            return -1;
        *at += 16;
    } while (skip(at, "\",") && **at == '"');
    return skip(at, "\"]") ? count : -1;
}

/* An address: 1 to 16 digits, 0-9 and a-f. Returns how many; 0: it is none. */
static int read_address(const char *text, int64_t *number)
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

/* Texts of read_address; as skip_numbers. */
static int skip_addresses(const char **at, const char *name, int64_t *out)
{
    int count = 0;
    if (!skip(at, name))
        return -1;
    do {
        int digits = 0;
        if (count < MAX_WARP && skip(at, "\""))
            digits = read_address(*at, &out[count++]);
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
    access->stage = find_stage(reader, stage);
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

/* Whether the line was in this form; if so, *good says whether it was accepted. */
static bool read_written(struct trace_reader *reader, const char *text, size_t length,
                         const struct trace_sink *sink, bool *good)
{
    struct access_line line;
    const char *at = text;
    line.access = (struct warp_access){0};
    if (!skip_place(reader, &at, &line.access))
        return false;
    if (reader->part && text[length - 1] == '}' && !is_wanted(reader, &line.access)) {
        struct error what = {{0}};
        *good = trace_check_place(&reader->check, &line.access, &what) ||
                bad_line(reader, "%s", what.text);
        return true;
    }
    if (!skip_access(reader, &at, &line) || at + 1 != text + length)
        return false;
    *good = take_access(reader, &line, sink);
    return true;
}

/* ---- lines in any form ------------------------------------------------------------------------ */

/* Reads the place and kind of a warp access: all but its arrays. */
static bool read_place(struct trace_reader *reader, const cJSON *const *field,
                       struct warp_access *access)
{
    const struct {
        enum line_field field;
        int *number;
    } places[] = {{ROUND, &access->round},
                  {SLOT, &access->slot},
                  {BLOCK, &access->block},
                  {WARP_NUMBER, &access->warp},
                  {BYTES, &access->bytes}};
    if (!cJSON_IsString(field[STAGE]))
        return bad_line(reader, "\"stage\" must be a string");
    access->stage = find_stage(reader, field[STAGE]->valuestring);
    if (access->stage < 0)
        return bad_line(reader, "stage \"%.64s\" is not one of the header's",
                        field[STAGE]->valuestring);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (!get_int(reader, field[places[i].field], LINE_NAMES[places[i].field], places[i].number))
            return false;
    access->op = cJSON_IsString(field[OP]) ? op_named(field[OP]->valuestring) : OPS;
    access->site = -1;
    if (!field[SITE])
        return true;
    if (!reader->header.sites)
        return bad_line(reader, "there is a \"site\", but the header has no \"sites\"");
    if (!get_int(reader, field[SITE], "site", &access->site))
        return false;
    return access->site >= 0 || bad_line(reader, "\"site\" must be a whole number from 0 to %d",
                                         reader->header.sites - 1);
}

/* The values of "value_bits"; as get_numbers. */
static int get_bits(const struct trace_reader *reader, const cJSON *array, int64_t *out)
{
    int count = 0;
    const cJSON *item;
    bool good = cJSON_IsArray(array);
    if (good)
        cJSON_ArrayForEach(item, array)
        {
            const char *text = cJSON_IsString(item) ? item->valuestring : "";
            good = count < MAX_WARP && strlen(text) == 16 && read_bits(text, &out[count++]);
            if (!good)
                break;
        }
    if (good)
        return count;
    bad_line(reader, "\"value_bits\" must be an array of at most %d strings of 16 digits 0-9, a-f",
             MAX_WARP);
    return -1;
}

/* The addresses in global memory; as get_numbers. */
static int get_addresses(const struct trace_reader *reader, const cJSON *array, int64_t *out)
{
    int count = 0;
    const cJSON *item;
    bool good = cJSON_IsArray(array);
    if (good)
        cJSON_ArrayForEach(item, array)
        {
            const char *text = cJSON_IsString(item) ? item->valuestring : "";
            int digits = count < MAX_WARP ? read_address(text, &out[count++]) : 0;
            good = digits && !text[digits];
            if (!good)
                break;
        }
    if (good)
        return count;
    bad_line(reader,
             "\"addr\" in global memory must be an array of at most %d strings of 1 to 16 digits "
             "0-9, a-f",
             MAX_WARP);
    return -1;
}

/* "space" of a trace that may have it: "shared", which is what it is without, or "global". */
static bool read_space(const struct trace_reader *reader, const cJSON *space, bool *global)
{
    *global = false;
    if (!space || !reader->header.global)
        return true;
    *global = cJSON_IsString(space) && !strcmp(space->valuestring, "global");
    return *global || (cJSON_IsString(space) && !strcmp(space->valuestring, "shared")) ||
           bad_line(reader, "\"space\" must be \"shared\" or \"global\"");
}

static bool read_access(struct trace_reader *reader, const cJSON *const *field,
                        const struct trace_sink *sink)
{
    struct access_line line;
    line.access = (struct warp_access){0};
    line.values = line.tags = -1;
    if (!read_space(reader, field[SPACE], &line.global))
        return false;
    if (!read_place(reader, field, &line.access))
        return false;
    line.lanes = get_numbers(reader, field[LANE], "lane", MAX_WARP, line.lane);
    if (line.lanes < 0)
        return false;
    line.addrs = line.global ? get_addresses(reader, field[ADDR], line.addr)
                             : get_numbers(reader, field[ADDR], "addr", MAX_WARP, line.addr);
    if (line.addrs < 0)
        return false;
    if (field[VALUE] &&
        (line.values = get_numbers(reader, field[VALUE], "value", MAX_WARP, line.value)) < 0)
        return false;
    if (field[VALUE_BITS] && field[VALUE])
        return bad_line(reader, "\"value\" and \"value_bits\" exclude each other");
    if (field[VALUE_BITS] && (line.values = get_bits(reader, field[VALUE_BITS], line.value)) < 0)
        return false;
    if (field[TAG]) {
        line.tag = cJSON_IsString(field[TAG]) ? field[TAG]->valuestring : "";
        line.tags = (int)strlen(line.tag);
    }
    return take_access(reader, &line, sink);
}

static bool read_end(const struct trace_reader *reader, const cJSON *const *field,
                     struct trace_end *end)
{
    int64_t count = 0, dropped = 0;
    struct error what = {{0}};
    if (!get_whole(reader, field[WARP_ACCESSES], "warp_accesses", &count) ||
        !get_whole(reader, field[DROPPED], "dropped", &dropped))
        return false;
    if (dropped < 0)
        return bad_line(reader, "\"dropped\" must be a whole number from 0 to %" PRId64, MAX_WHOLE);
    end->warp_accesses = (uint64_t)count;
    end->dropped = (uint64_t)dropped;
    end->complete = true;
    return trace_check_end(&reader->check, end, &what) || bad_line(reader, "%s", what.text);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* Reads one line without its newline into line[MAX_LINE + 1]. *length is its length, *whole tells
 * whether a newline ended it. false: end of file and nothing read, or (error set) too long. */
static bool read_line(struct trace_reader *reader, char *line, size_t *length, bool *whole)
{
    size_t n = 0;
    *whole = false;
    while (!*whole) {
        if (reader->chunk_used == reader->chunk_length) {
            reader->chunk_used = 0;
            reader->chunk_length =
                unpacker_read(reader->unpacker, reader->chunk, sizeof reader->chunk, reader->error);
            reader->bytes += reader->chunk_length;
            if (reader->part && reader->part->progress && ++reader->chunks % 128 == 0)
                reader->part->progress(reader->part->context, reader->bytes);
            if (reader->error->text[0])
                return false;
            if (!reader->chunk_length)
                break;
        }
        const char *from = reader->chunk + reader->chunk_used;
        size_t left = reader->chunk_length - reader->chunk_used;
        const char *newline = memchr(from, '\n', left);
        size_t more = newline ? (size_t)(newline - from) : left;
        if (n + more > MAX_LINE) {
            bad_line(reader, "the line is longer than 1 MiB");
            return false;
        }
        memcpy(line + n, from, more);
        n += more;
        *whole = newline != NULL;
        reader->chunk_used += more + *whole;
    }
    line[n] = '\0';
    *length = n;
    return n || *whole;
}

/* What cJSON does not refuse: bytes that are not UTF-8, and an escaped zero byte, which would
 * end a string early. NULL, or what is wrong. */
static const char *bad_text(const char *line, size_t length)
{
    for (const char *at = line, *end = line + length; (at = memchr(at, '\\', (size_t)(end - at)));
         at += 2)
        if (!strncmp(at, "\\u0000", 6))
            return "a string has a zero byte (\\u0000)";
    for (size_t i = 0; i < length;) {
        uint64_t eight;
        if (i + sizeof eight <= length) { /* mostly all is ASCII */
            memcpy(&eight, line + i, sizeof eight);
            if (!(eight & UINT64_C(0x8080808080808080))) {
                i += sizeof eight;
                continue;
            }
        }
        size_t bytes = (unsigned char)line[i] < 0x80 ? 1 : text_character(line + i);
        if (!bytes)
            return "not UTF-8, or a control character";
        i += bytes;
    }
    return NULL;
}

/* One line: the header, a warp access or the end. false: *reader->error says why, or the line was
 * cut (then the error is empty). */
static bool read_one(struct trace_reader *reader, const char *line, size_t length, bool whole,
                     const struct trace_sink *sink, struct trace_end *end)
{
    const char *stop = NULL, *amiss = NULL;
    const cJSON *field[LINE_FIELDS];
    bool good = false;
    if (reader->line > 1 && !end->complete && read_written(reader, line, length, sink, &good))
        return good;
    cJSON *json =
        memchr(line, '\0', length) ? NULL : cJSON_ParseWithLengthOpts(line, length + 1, &stop, 1);
    if (!cJSON_IsObject(json)) {
        if (whole || reader->line == 1 || end->complete)
            bad_line(reader, "not a JSON object (amiss at byte %td)%s", stop ? stop - line + 1 : 1,
                     reader->line == 1
                         ? "; a trace is JSON Lines, as `bankscope run -o FILE` writes it"
                         : "");
    } else if ((amiss = bad_text(line, length))) {
        bad_line(reader, "%s", amiss);
    } else if (reader->line == 1) {
        good = read_header(reader, json) &&
               (!sink->header || sink->header(sink->context, &reader->header, reader->error));
    } else if (end->complete) {
        bad_line(reader, "there is more behind the end of the trace");
    } else if (take_fields(reader, json, LINE_NAMES, LINE_FIELDS, field)) {
        good = cJSON_IsTrue(field[END]) ? read_end(reader, field, end)
                                        : read_access(reader, field, sink);
    }
    cJSON_Delete(json);
    return good;
}

bool trace_read(FILE *file, const char *name_for_messages, const struct trace_sink *sink,
                struct error *error)
{
    return trace_read_part(file, name_for_messages, NULL, sink, error);
}

bool trace_read_part(FILE *file, const char *name_for_messages, const struct trace_part *part,
                     const struct trace_sink *sink, struct error *error)
{
    struct error own = {{0}};
    struct trace_reader reader = {.name = name_for_messages,
                                  .part = part,
                                  .part_stage = -1,
                                  .part_block = -1,
                                  .error = error ? error : &own};
    struct trace_end end = {0};
    char *line = memory_new(MAX_LINE + 2, 1);
    size_t length;
    bool whole, good = true;

    reader.error->text[0] = '\0';
    reader.line = 1;
    reader.unpacker = unpacker_new(file, name_for_messages);
    while (good && read_line(&reader, line, &length, &whole)) {
        good = read_one(&reader, line, length, whole, sink, &end);
        reader.line++;
    }
    if (!good && !reader.error->text[0])
        good = true; /* the last line was cut off: end.complete stays false */
    if (ferror(file))
        error_set(reader.error, "cannot read %s: %s", reader.name, strerror(errno));
    else if (good && reader.line == 1)
        error_set(reader.error, "%s is empty; record a trace with `bankscope run KERNEL -o FILE`",
                  reader.name);
    good = good && !reader.error->text[0];
    end.warp_accesses = reader.check.accesses;
    if (good && sink->end)
        good = sink->end(sink->context, &end, reader.error);
    free(line);
    unpacker_free(reader.unpacker);
    free(reader.by_name);
    header_free(&reader.header);
    return good;
}

bool trace_read_path(const char *path, const struct trace_part *part, const struct trace_sink *sink,
                     struct error *error)
{
    bool standard = !strcmp(path, "-");
    FILE *file = standard ? stdin : fopen(path, "rb");
    if (!file)
        return error_set(error, "cannot open %s: %s", path, strerror(errno));
    bool good = trace_read_part(file, standard ? "standard input" : path, part, sink, error);
    if (!standard)
        fclose(file);
    return good;
}
