/* trace_read_header.c - the first line of a trace. */
#include "instrument/trace/trace_reader.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_VERSION = 1, GLOBAL_VERSION = 2 /* with accesses to global memory */ };

/* The fields of the header and of what is in it, in the order in which the writer writes them. */
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
    CODE,
    HEADER_FIELDS
};
static const char *const HEADER_NAMES[HEADER_FIELDS] = {
    "format", "version", "kernel", "backend",      "device",    "banks",     "bank_bytes",
    "warp",   "threads", "blocks", "shared_bytes", "partition", "block_dim", "grid_dim",
    "params", "input",   "seed",   "stages",       "arrays",    "sites",     "code"};
enum array_field {
    ARRAY_NAME,
    ARRAY_ADDR,
    ARRAY_TYPE,
    ARRAY_BYTES,
    ARRAY_DIMS,
    ARRAY_MEMBERS,
    ARRAY_MOVED,
    ARRAY_FIELDS
};
static const char *const ARRAY_NAMES[ARRAY_FIELDS] = {"name", "addr",    "type", "bytes",
                                                      "dims", "members", "moved"};
enum member_field { MEMBER_NAME, MEMBER_ADDR, MEMBER_TYPE, MEMBER_FIELDS };
static const char *const MEMBER_NAMES[MEMBER_FIELDS] = {"name", "addr", "type"};
enum site_field {
    SITE_FILE,
    SITE_LINE,
    SITE_FUNCTION,
    SITE_TEXT,
    SITE_CODE,
    SITE_ARRAY,
    SITE_FIELDS
};
static const char *const SITE_NAMES[SITE_FIELDS] = {"file", "line", "function",
                                                    "text", "code", "array"};
enum code_field { CODE_TEXT, CODE_FILE, CODE_LINE, CODE_BECAME, CODE_SASS, CODE_FIELDS };
static const char *const CODE_NAMES[CODE_FIELDS] = {"text", "file", "line", "became", "sass"};

static bool read_params(struct trace_reader *reader, const cJSON *params)
{
    struct trace_header *header = &reader->header;
    if (!params)
        return true;
    if (!cJSON_IsObject(params) || cJSON_GetArraySize(params) > MAX_HEADER_PARAMS)
        return reader_bad_line(reader, "\"params\" must be an object of at most %d parameters",
                               MAX_HEADER_PARAMS);
    header->param = memory_new((size_t)cJSON_GetArraySize(params), sizeof *header->param);
    const cJSON *item;
    cJSON_ArrayForEach(item, params)
    {
        struct trace_param *param = &header->param[header->params];
        if (!reader_is_whole(item) && !cJSON_IsString(item))
            return reader_bad_line(reader,
                                   "a parameter must be a whole number within 2^53, or a string");
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
        return reader_bad_line(reader, "\"stages\" must be an array of 1 to %d names", MAX_STAGES);
    header->stage = memory_new((size_t)count + 1, sizeof *header->stage);
    const cJSON *item;
    cJSON_ArrayForEach(item,
                       stages) if (!reader_text(reader, item, "stages",
                                                &header->stage[header->stages++])) return false;
    return true;
}

static bool read_dim(const struct trace_reader *reader, const cJSON *item, const char *name,
                     int dim[3])
{
    int64_t number[3];
    int count = item ? reader_numbers(reader, item, name, 3, number) : 0;
    if (item && count >= 0 && count < 3)
        return reader_bad_line(reader, "\"%s\" must have three numbers", name);
    for (int k = 0; k < count; k++)
        dim[k] = number[k] < 1 || number[k] > INT32_MAX ? -1 : (int)number[k];
    return count >= 0;
}

/* The size of an array, 0 if it is left out; -1: it is no array. */
static int size_if_any(const cJSON *array)
{
    return cJSON_IsArray(array) ? cJSON_GetArraySize(array) : array ? -1 : 0;
}

static bool read_members(const struct trace_reader *reader, const cJSON *members,
                         struct trace_array *array)
{
    const int count = size_if_any(members);
    if (count < 0 || count > MAX_MEMBERS)
        return reader_bad_line(reader, "\"members\" must be an array of at most %d members",
                               MAX_MEMBERS);
    array->member = memory_new((size_t)count, sizeof *array->member);
    const cJSON *item;
    cJSON_ArrayForEach(item, members)
    {
        const cJSON *field[MEMBER_FIELDS];
        struct trace_member *member = &array->member[array->members++];
        if (!cJSON_IsObject(item))
            return reader_bad_line(reader, "\"members\" must be an array of objects");
        if (!reader_fields(reader, item, MEMBER_NAMES, MEMBER_FIELDS, field) ||
            !reader_text(reader, field[MEMBER_NAME], "name", &member->name) ||
            !reader_text(reader, field[MEMBER_TYPE], "type", &member->type) ||
            !reader_int(reader, field[MEMBER_ADDR], "addr", &member->addr))
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
        return reader_bad_line(reader, "\"arrays\" must be an array of objects");
    if (!reader_fields(reader, json, ARRAY_NAMES, ARRAY_FIELDS, field) ||
        !reader_text(reader, field[ARRAY_NAME], "name", &array->name) ||
        !reader_text(reader, field[ARRAY_TYPE], "type", &array->type) ||
        !reader_int(reader, field[ARRAY_ADDR], "addr", &array->addr) ||
        (field[ARRAY_MOVED] && !reader_int(reader, field[ARRAY_MOVED], "moved", &array->moved)))
        return false;
    array->bytes = type_bytes(array->type);
    if (field[ARRAY_BYTES] || !array->bytes)
        if (!reader_int(reader, field[ARRAY_BYTES], "bytes", &array->bytes))
            return false;
    array->dims = reader_numbers(reader, field[ARRAY_DIMS], "dims", MAX_ARRAY_DIMS, dim);
    for (int k = 0; k < array->dims; k++)
        array->dim[k] = dim[k] < 1 || dim[k] > INT32_MAX ? 0 : (int)dim[k];
    return array->dims >= 0 && read_members(reader, field[ARRAY_MEMBERS], array);
}

static bool read_site(const struct trace_reader *reader, const cJSON *json, struct trace_site *site)
{
    const cJSON *field[SITE_FIELDS];
    if (!cJSON_IsObject(json))
        return reader_bad_line(reader, "\"sites\" must be an array of objects");
    int code = -1;
    bool good =
        reader_fields(reader, json, SITE_NAMES, SITE_FIELDS, field) &&
        reader_text(reader, field[SITE_FILE], "file", &site->file) &&
        reader_int(reader, field[SITE_LINE], "line", &site->line) &&
        (!field[SITE_FUNCTION] ||
         reader_text(reader, field[SITE_FUNCTION], "function", &site->function)) &&
        (!field[SITE_CODE] || reader_int(reader, field[SITE_CODE], "code", &code)) &&
        (!field[SITE_TEXT] || reader_text(reader, field[SITE_TEXT], "text", &site->text)) &&
        (!field[SITE_ARRAY] || reader_text(reader, field[SITE_ARRAY], "array", &site->array));
    site->code = code < INT_MAX ? code + 1 : code;
    return good;
}

static bool read_arrays(struct trace_reader *reader, const cJSON *arrays)
{
    struct trace_header *header = &reader->header;
    const int count = size_if_any(arrays);
    if (count < 0 || count > MAX_HEADER_ARRAYS)
        return reader_bad_line(reader, "\"arrays\" must be an array of at most %d arrays",
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
    const int count = size_if_any(sites);
    if (count < 0 || count > MAX_SITES)
        return reader_bad_line(reader, "\"sites\" must be an array of at most %d sites", MAX_SITES);
    header->site = memory_new((size_t)count, sizeof *header->site);
    const cJSON *item;
    cJSON_ArrayForEach(
        item, sites) if (!read_site(reader, item, &header->site[header->sites++])) return false;
    return true;
}

/* What is left out of an instruction is as in the one before it: its file and, in that file, its line. */
static bool read_instruction(const struct trace_reader *reader, const cJSON *json,
                             const struct trace_code *before, struct trace_code *code)
{
    const cJSON *field[CODE_FIELDS];
    if (!cJSON_IsObject(json))
        return reader_bad_line(reader, "\"code\" must be an array of objects");
    if (!reader_fields(reader, json, CODE_NAMES, CODE_FIELDS, field))
        return false;
    code->line = before ? before->line : 0;
    if (!field[CODE_FILE])
        code->file = memory_copy(before ? before->file : "");
    if (!field[CODE_BECAME])
        code->became = memory_copy("");
    return reader_text(reader, field[CODE_TEXT], "text", &code->text) &&
           (!field[CODE_FILE] || reader_text(reader, field[CODE_FILE], "file", &code->file)) &&
           (!field[CODE_LINE] || reader_int(reader, field[CODE_LINE], "line", &code->line)) &&
           (!field[CODE_BECAME] ||
            reader_text(reader, field[CODE_BECAME], "became", &code->became)) &&
           (!field[CODE_SASS] || reader_int(reader, field[CODE_SASS], "sass", &code->sass));
}

static bool read_code(struct trace_reader *reader, const cJSON *all)
{
    struct trace_header *header = &reader->header;
    const int count = size_if_any(all);
    if (count < 0 || count > MAX_CODE)
        return reader_bad_line(reader, "\"code\" must be an array of at most %d instructions",
                               MAX_CODE);
    header->code = memory_new((size_t)count, sizeof *header->code);
    const cJSON *item;
    cJSON_ArrayForEach(item, all)
    {
        struct trace_code *code = &header->code[header->codes++];
        if (!read_instruction(reader, item, header->codes > 1 ? code - 1 : NULL, code))
            return false;
    }
    return true;
}

static bool read_format(const struct trace_reader *reader, const cJSON *format,
                        const cJSON *version)
{
    if (!cJSON_IsString(format) || strcmp(format->valuestring, "bankscope-trace"))
        return reader_bad_line(reader,
                               "not a Bankscope trace (no \"format\":\"bankscope-trace\"); record "
                               "one with 'bankscope run KERNEL -o FILE'");
    if (!cJSON_IsNumber(version))
        return reader_bad_line(reader,
                               "the trace names no version, this program reads versions %d and %d",
                               FORMAT_VERSION, GLOBAL_VERSION);
    return version->valuedouble == FORMAT_VERSION || version->valuedouble == GLOBAL_VERSION ||
           reader_bad_line(
               reader,
               "the trace is of version %.17g, this program reads versions %d and %d; record "
               "it again or use the program that wrote it",
               version->valuedouble, FORMAT_VERSION, GLOBAL_VERSION);
}

bool reader_header(struct trace_reader *reader, const cJSON *json)
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

    if (!reader_fields(reader, json, HEADER_NAMES, HEADER_FIELDS, field) ||
        !read_format(reader, field[FORMAT], field[VERSION]))
        return false;
    header->global = field[VERSION]->valuedouble == GLOBAL_VERSION;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].optional && !field[texts[i].field])
            *texts[i].text = memory_copy("");
        else if (!reader_text(reader, field[texts[i].field], HEADER_NAMES[texts[i].field],
                              texts[i].text))
            return false;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if ((sizes[i].field != PARTITION || field[PARTITION]) &&
            !reader_int(reader, field[sizes[i].field], HEADER_NAMES[sizes[i].field],
                        sizes[i].number))
            return false;
    if (field[PARTITION] && header->partition < 1)
        return reader_bad_line(reader, "\"partition\" must be a whole number from 1 to %d",
                               MAX_SHARED);
    if (field[SEED] && !reader_whole(reader, field[SEED], "seed", &seed))
        return false;
    if (seed < 0)
        return reader_bad_line(reader, "\"seed\" must be a whole number from 0 to %" PRId64,
                               MAX_WHOLE);
    header->seed = (uint64_t)seed;
    if (!read_dim(reader, field[BLOCK_DIM], "block_dim", header->block_dim) ||
        !read_dim(reader, field[GRID_DIM], "grid_dim", header->grid_dim) ||
        !read_params(reader, field[PARAMS]) || !read_stages(reader, field[STAGES]) ||
        !read_arrays(reader, field[ARRAYS]) || !read_sites(reader, field[SITES]) ||
        !read_code(reader, field[CODE]))
        return false;
    if (!trace_check_header(header, &what))
        return reader_bad_line(reader, "%s", what.text);
    trace_check_init(&reader->check, header);
    reader->by_name = header_stages_by_name(header);
    reader->part_stage =
        reader->part && reader->part->stage ? header_stage(header, reader->part->stage) : -1;
    return true;
}
