/* trace.c - the trace: as JSON Lines (doc/trace-format.md), and in memory.
 *
 * The writer and the reader stream: one line, one cJSON object, at a time. The reader trusts
 * nothing: every field is checked against the header before a sink sees it.
 */
#define _GNU_SOURCE /* qsort_r */
#include "instrument/instrument.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_VERSION = 1 };
static const char FORMAT_NAME[] = "bankscope-trace";
static const double WHOLE_MAX = 9007199254740992.0; /* 2^53: doubles count no further */

/* ---- the header ------------------------------------------------------------------------------ */

void header_copy(struct trace_header *to, const struct trace_header *from)
{
    *to = *from;
    to->kernel = memory_copy(from->kernel);
    to->backend = memory_copy(from->backend);
    to->device = memory_copy(from->device);
    to->input = memory_copy(from->input);
    to->stage = memory_new((size_t)from->stages + 1, sizeof *to->stage);
    for (int i = 0; i < from->stages; i++)
        to->stage[i] = memory_copy(from->stage[i]);
    to->param = memory_new((size_t)from->params + 1, sizeof *to->param);
    for (int i = 0; i < from->params; i++) {
        to->param[i] = from->param[i];
        to->param[i].name = memory_copy(from->param[i].name);
        to->param[i].word = from->param[i].word ? memory_copy(from->param[i].word) : NULL;
    }
}

void header_free(struct trace_header *header)
{
    free(header->kernel);
    free(header->backend);
    free(header->device);
    free(header->input);
    for (int i = 0; header->stage && i < header->stages; i++)
        free(header->stage[i]);
    free(header->stage);
    for (int i = 0; header->param && i < header->params; i++) {
        free(header->param[i].name);
        free(header->param[i].word);
    }
    free(header->param);
    memset(header, 0, sizeof *header);
}

int64_t header_param(const struct trace_header *header, const char *name, int64_t otherwise)
{
    for (int i = 0; i < header->params; i++)
        if (!strcmp(header->param[i].name, name) && !header->param[i].word)
            return header->param[i].number;
    return otherwise;
}

void header_params(const struct trace_header *header, char *text, size_t size)
{
    *text = '\0';
    for (int i = 0; i < header->params; i++) {
        const struct trace_param *param = &header->param[i];
        size_t used = strlen(text);
        if (param->word)
            snprintf(text + used, size - used, " %s=%s", param->name, param->word);
        else
            snprintf(text + used, size - used, " %s=%" PRId64, param->name, param->number);
    }
}

int header_stage(const struct trace_header *header, const char *name)
{
    for (int i = 0; i < header->stages; i++)
        if (!strcmp(header->stage[i], name))
            return i;
    return -1;
}

/* ---- several sinks --------------------------------------------------------------------------- */

static bool tee_header(void *context, const struct trace_header *header, struct error *error)
{
    const struct trace_tee *tee = context;
    for (int i = 0; i < tee->count; i++)
        if (tee->sinks[i].header && !tee->sinks[i].header(tee->sinks[i].context, header, error))
            return false;
    return true;
}

static bool tee_access(void *context, const struct warp_access *access, struct error *error)
{
    const struct trace_tee *tee = context;
    for (int i = 0; i < tee->count; i++)
        if (tee->sinks[i].access && !tee->sinks[i].access(tee->sinks[i].context, access, error))
            return false;
    return true;
}

static bool tee_end(void *context, const struct trace_end *end, struct error *error)
{
    const struct trace_tee *tee = context;
    for (int i = 0; i < tee->count; i++)
        if (tee->sinks[i].end && !tee->sinks[i].end(tee->sinks[i].context, end, error))
            return false;
    return true;
}

struct trace_sink trace_tee_sink(struct trace_tee *tee)
{
    return (struct trace_sink){tee_header, tee_access, tee_end, tee};
}

/* ---- writing --------------------------------------------------------------------------------- */

struct trace_writer {
    FILE *file;
    bool own; /* opened here */
    char *name;
    int stages;
    char **stage; /* names as JSON strings, quotes and escapes included */
    char *line;   /* MAX_LINE bytes */
};

struct trace_writer *trace_writer_new(FILE *file, const char *name)
{
    struct trace_writer *writer = memory_new(1, sizeof *writer);
    writer->file = file;
    writer->own = !file;
    writer->name = memory_copy(name);
    writer->line = memory_new(MAX_LINE, 1);
    return writer;
}

void trace_writer_free(struct trace_writer *writer)
{
    if (!writer)
        return;
    if (writer->own && writer->file)
        fclose(writer->file);
    for (int i = 0; i < writer->stages; i++)
        cJSON_free(writer->stage[i]);
    free(writer->stage);
    free(writer->name);
    free(writer->line);
    free(writer);
}

static bool write_failed(const struct trace_writer *writer, struct error *error)
{
    return error_set(error, "cannot write %s: %s; the trace in it is cut", writer->name,
                     strerror(errno));
}

/* Prints one line and frees the object. */
static bool write_json(struct trace_writer *writer, cJSON *json, struct error *error)
{
    bool printed = cJSON_PrintPreallocated(json, writer->line, MAX_LINE - 1, false);
    cJSON_Delete(json);
    if (!printed)
        return error_set(error, "a line of %s would exceed %d bytes", writer->name, MAX_LINE);
    if (fputs(writer->line, writer->file) == EOF || fputc('\n', writer->file) == EOF)
        return write_failed(writer, error);
    return true;
}

static bool write_header(void *context, const struct trace_header *header, struct error *error)
{
    struct trace_writer *writer = context;
    if (writer->own && !(writer->file = fopen(writer->name, "wb")))
        return error_set(error, "cannot write %s: %s", writer->name, strerror(errno));
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "format", FORMAT_NAME);
    cJSON_AddNumberToObject(json, "version", FORMAT_VERSION);
    cJSON_AddStringToObject(json, "kernel", header->kernel);
    cJSON_AddStringToObject(json, "backend", header->backend);
    cJSON_AddStringToObject(json, "device", header->device);
    cJSON_AddNumberToObject(json, "banks", header->banks);
    cJSON_AddNumberToObject(json, "bank_bytes", header->bank_bytes);
    cJSON_AddNumberToObject(json, "warp", header->warp);
    cJSON_AddNumberToObject(json, "threads", header->threads);
    cJSON_AddNumberToObject(json, "blocks", header->blocks);
    cJSON_AddNumberToObject(json, "shared_bytes", header->shared_bytes);
    if (header->partition)
        cJSON_AddNumberToObject(json, "partition", header->partition);
    cJSON *params = cJSON_AddObjectToObject(json, "params");
    for (int i = 0; i < header->params; i++) {
        const struct trace_param *param = &header->param[i];
        if (param->word)
            cJSON_AddStringToObject(params, param->name, param->word);
        else
            cJSON_AddNumberToObject(params, param->name, (double)param->number);
    }
    cJSON_AddStringToObject(json, "input", header->input);
    cJSON_AddNumberToObject(json, "seed", (double)header->seed);
    cJSON *stages = cJSON_AddArrayToObject(json, "stages");
    writer->stage = memory_new((size_t)header->stages + 1, sizeof *writer->stage);
    for (int i = 0; i < header->stages; i++) {
        cJSON *name = cJSON_CreateString(header->stage[i]);
        writer->stage[writer->stages++] = cJSON_PrintUnformatted(name);
        cJSON_AddItemToArray(stages, name);
    }
    return write_json(writer, json, error);
}

/* Appends a decimal number; returns the place behind it. cJSON's own printer goes through
 * sprintf("%d") and one node per number, which is most of the time of a trace. */
static char *put_number(char *at, int64_t number)
{
    char digits[24];
    int count = 0;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do
        digits[count++] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (number < 0)
        *at++ = '-';
    while (count)
        *at++ = digits[--count];
    return at;
}

static bool write_access(void *context, const struct warp_access *access, struct error *error)
{
    struct trace_writer *writer = context;
    char arrays[3][MAX_WARP * 24]; /* lane, addr, value as JSON arrays */
    char tag[MAX_WARP + 1];
    bool values = access->value != NULL;
    char *end[3] = {arrays[0], arrays[1], arrays[2]};

    for (int i = 0; i < access->lanes; i++)
        if (values && fabs((double)access->value[i]) > WHOLE_MAX)
            values = false; /* a JSON number could not tell it from its neighbours */
    for (int k = 0; k < 3; k++)
        *end[k]++ = '[';
    for (int i = 0; i < access->lanes; i++) {
        const int64_t number[3] = {access->lane[i], access->addr[i], values ? access->value[i] : 0};
        for (int k = 0; k < 3; k++) {
            if (i)
                *end[k]++ = ',';
            end[k] = put_number(end[k], number[k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        *end[k]++ = ']';
        *end[k] = '\0';
    }
    cJSON *json = cJSON_CreateObject();
    cJSON_AddRawToObject(json, "stage", writer->stage[access->stage]);
    cJSON_AddNumberToObject(json, "round", access->round);
    cJSON_AddNumberToObject(json, "slot", access->slot);
    cJSON_AddNumberToObject(json, "block", access->block);
    cJSON_AddNumberToObject(json, "warp", access->warp);
    cJSON_AddStringToObject(json, "op", access->op == OP_LOAD ? "load" : "store");
    cJSON_AddNumberToObject(json, "bytes", access->bytes);
    cJSON_AddRawToObject(json, "lane", arrays[0]);
    cJSON_AddRawToObject(json, "addr", arrays[1]);
    if (values)
        cJSON_AddRawToObject(json, "value", arrays[2]);
    if (access->tag) {
        memcpy(tag, access->tag, (size_t)access->lanes);
        tag[access->lanes] = '\0';
        cJSON_AddStringToObject(json, "tag", tag);
    }
    return write_json(writer, json, error);
}

static bool write_end(void *context, const struct trace_end *end, struct error *error)
{
    struct trace_writer *writer = context;
    if (!writer->file)
        return true; /* the header could not open it, and said so */
    if (end->complete) {
        cJSON *json = cJSON_CreateObject();
        cJSON_AddTrueToObject(json, "end");
        cJSON_AddNumberToObject(json, "warp_accesses", (double)end->warp_accesses);
        cJSON_AddNumberToObject(json, "dropped", (double)end->dropped);
        if (!write_json(writer, json, error))
            return false;
    }
    if (!writer->own)
        return fflush(writer->file) == 0 || write_failed(writer, error);
    FILE *file = writer->file;
    writer->file = NULL;
    return fclose(file) == 0 || write_failed(writer, error);
}

struct trace_sink trace_writer_sink(struct trace_writer *writer)
{
    return (struct trace_sink){write_header, write_access, write_end, writer};
}

/* ---- reading --------------------------------------------------------------------------------- */

/* What the reader knows; `where` is "NAME, line N" for its messages. */
struct trace_reader {
    const char *name;
    uint64_t line;
    struct trace_header header;
    int *by_name;     /* stage numbers, sorted by name */
    int last_stage;   /* of the line before: mostly the same again */
    int64_t order[5]; /* block, stage, round, slot, warp of the line before */
    uint64_t accesses;
    struct error *error;
    size_t chunk_used, chunk_length; /* of the file, read ahead */
    char chunk[1 << 15];
};

static bool bad_line(const struct trace_reader *reader, const char *what)
{
    return error_set(reader->error, "%s, line %" PRIu64 ": %s", reader->name, reader->line, what);
}

/* A whole number lowest..highest in field `name` of object. */
static bool get_whole(const struct trace_reader *reader, const cJSON *object, const char *name,
                      double lowest, double highest, int64_t *number)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    char what[160];
    if (!item) {
        snprintf(what, sizeof what, "\"%s\" is missing", name);
        return bad_line(reader, what);
    }
    double value = item->valuedouble;
    if (!cJSON_IsNumber(item) || !(value >= lowest && value <= highest) || value != floor(value)) {
        snprintf(what, sizeof what, "\"%s\" must be a whole number from %.0f to %.0f", name, lowest,
                 highest);
        return bad_line(reader, what);
    }
    *number = (int64_t)value;
    return true;
}

static bool get_int(const struct trace_reader *reader, const cJSON *object, const char *name,
                    int lowest, int highest, int *number)
{
    int64_t whole;
    if (!get_whole(reader, object, name, lowest, highest, &whole))
        return false;
    *number = (int)whole;
    return true;
}

static bool get_text(const struct trace_reader *reader, const cJSON *object, const char *name,
                     char **text)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    char what[160];
    if (!cJSON_IsString(item) || strlen(item->valuestring) > 4096) {
        snprintf(what, sizeof what, "\"%s\" must be a string of at most 4096 bytes", name);
        return bad_line(reader, what);
    }
    *text = memory_copy(item->valuestring);
    return true;
}

static bool read_params(struct trace_reader *reader, const cJSON *json)
{
    const cJSON *params = cJSON_GetObjectItemCaseSensitive(json, "params");
    struct trace_header *header = &reader->header;
    if (!params)
        return true;
    if (!cJSON_IsObject(params) || cJSON_GetArraySize(params) > 1000)
        return bad_line(reader, "\"params\" must be an object of at most 1000 parameters");
    header->param = memory_new((size_t)cJSON_GetArraySize(params) + 1, sizeof *header->param);
    const cJSON *item;
    cJSON_ArrayForEach(item, params)
    {
        struct trace_param *param = &header->param[header->params];
        bool whole = cJSON_IsNumber(item) && fabs(item->valuedouble) <= WHOLE_MAX &&
                     item->valuedouble == trunc(item->valuedouble);
        if (!whole && !cJSON_IsString(item))
            return bad_line(reader, "a parameter must be a whole number or a string");
        header->params++;
        param->name = memory_copy(item->string);
        if (whole)
            param->number = (int64_t)item->valuedouble;
        else
            param->word = memory_copy(item->valuestring);
    }
    return true;
}

static int compare_stage_names(const void *left, const void *right, void *header)
{
    char **stage = ((struct trace_header *)header)->stage;
    return strcmp(stage[*(const int *)left], stage[*(const int *)right]);
}

static bool read_stages(struct trace_reader *reader, const cJSON *json)
{
    const cJSON *stages = cJSON_GetObjectItemCaseSensitive(json, "stages");
    struct trace_header *header = &reader->header;
    int count = cJSON_IsArray(stages) ? cJSON_GetArraySize(stages) : 0;
    if (count < 1 || count > MAX_STAGES)
        return bad_line(reader, "\"stages\" must be an array of 1 to 16384 names");
    header->stage = memory_new((size_t)count + 1, sizeof *header->stage);
    reader->by_name = memory_new((size_t)count, sizeof *reader->by_name);
    const cJSON *item;
    cJSON_ArrayForEach(item, stages)
    {
        if (!cJSON_IsString(item) || !item->valuestring[0] || strlen(item->valuestring) > 64)
            return bad_line(reader, "a stage's name must be a string of 1 to 64 bytes");
        reader->by_name[header->stages] = header->stages;
        header->stage[header->stages++] = memory_copy(item->valuestring);
    }
    qsort_r(reader->by_name, (size_t)count, sizeof *reader->by_name, compare_stage_names, header);
    for (int i = 1; i < count; i++)
        if (!strcmp(header->stage[reader->by_name[i - 1]], header->stage[reader->by_name[i]]))
            return bad_line(reader, "two stages have the same name");
    return true;
}

static bool read_header(struct trace_reader *reader, const cJSON *json)
{
    struct trace_header *header = &reader->header;
    const cJSON *format = cJSON_GetObjectItemCaseSensitive(json, "format");
    const cJSON *version = cJSON_GetObjectItemCaseSensitive(json, "version");
    int64_t seed = 0;
    char what[160];
    if (!cJSON_IsString(format) || strcmp(format->valuestring, FORMAT_NAME))
        return bad_line(reader, "not a Bankscope trace (no \"format\":\"bankscope-trace\"); record "
                                "one with `bankscope run KERNEL -o FILE`");
    if (!cJSON_IsNumber(version) || version->valuedouble != FORMAT_VERSION) {
        if (cJSON_IsNumber(version))
            snprintf(what, sizeof what,
                     "the trace is of version %.17g, this program reads version "
                     "%d; record it again or use the program that wrote it",
                     version->valuedouble, FORMAT_VERSION);
        else
            snprintf(what, sizeof what, "the trace names no version, this program reads version %d",
                     FORMAT_VERSION);
        return bad_line(reader, what);
    }
    bool good = get_text(reader, json, "kernel", &header->kernel) &&
                get_text(reader, json, "backend", &header->backend) &&
                get_int(reader, json, "banks", 1, MAX_WARP, &header->banks) &&
                get_int(reader, json, "bank_bytes", 1, 16, &header->bank_bytes) &&
                get_int(reader, json, "warp", 1, MAX_WARP, &header->warp) &&
                get_int(reader, json, "threads", 1, MAX_THREADS, &header->threads) &&
                get_int(reader, json, "blocks", 1, MAX_BLOCKS, &header->blocks) &&
                get_int(reader, json, "shared_bytes", 0, MAX_SHARED, &header->shared_bytes);
    if (good && cJSON_GetObjectItemCaseSensitive(json, "device"))
        good = get_text(reader, json, "device", &header->device);
    if (good && cJSON_GetObjectItemCaseSensitive(json, "input"))
        good = get_text(reader, json, "input", &header->input);
    if (good && cJSON_GetObjectItemCaseSensitive(json, "seed"))
        good = get_whole(reader, json, "seed", 0, WHOLE_MAX, &seed);
    if (good && cJSON_GetObjectItemCaseSensitive(json, "partition"))
        good = get_int(reader, json, "partition", 1, MAX_SHARED, &header->partition);
    if (!good)
        return false;
    header->seed = (uint64_t)seed;
    if (header->bank_bytes & (header->bank_bytes - 1))
        return bad_line(reader, "\"bank_bytes\" must be 1, 2, 4, 8 or 16");
    if (!header->device)
        header->device = memory_copy("");
    if (!header->input)
        header->input = memory_copy("");
    return read_params(reader, json) && read_stages(reader, json);
}

/* The stage number of a name: the last one again, or by bisection. */
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

/* The numbers of array `name` into out[0..]; how many, or -1 when amiss. */
static int get_numbers(const struct trace_reader *reader, const cJSON *array, const char *name,
                       double lowest, double highest, int64_t out[MAX_WARP])
{
    int count = 0;
    const cJSON *item;
    char what[160];
    if (cJSON_IsArray(array)) {
        cJSON_ArrayForEach(item, array)
        {
            double value = item->valuedouble;
            if (count == MAX_WARP || !cJSON_IsNumber(item) ||
                !(value >= lowest && value <= highest) || value != floor(value)) {
                count = -1;
                break;
            }
            out[count++] = (int64_t)value;
        }
        if (count >= 0)
            return count;
    }
    snprintf(what, sizeof what,
             "\"%s\" must be an array of at most %d whole numbers from %.0f to %.0f", name,
             MAX_WARP, lowest, highest);
    bad_line(reader, what);
    return -1;
}

static bool read_op(struct trace_reader *reader, const cJSON *item, enum op *op)
{
    if (cJSON_IsString(item) && !strcmp(item->valuestring, "load"))
        *op = OP_LOAD;
    else if (cJSON_IsString(item) && !strcmp(item->valuestring, "store"))
        *op = OP_STORE;
    else
        return bad_line(reader, "\"op\" must be \"load\" or \"store\"");
    return true;
}

/* Strictly ascending by block, stage, round, slot, warp: so nothing comes twice. */
static bool read_order(struct trace_reader *reader, const struct warp_access *access)
{
    const int64_t order[5] = {access->block, access->stage, access->round, access->slot,
                              access->warp};
    int i = 0;
    while (reader->accesses && i < 5 && order[i] == reader->order[i])
        i++;
    if (reader->accesses && (i == 5 || order[i] < reader->order[i]))
        return bad_line(reader, i == 5 ? "this warp access was there before"
                                       : "warp accesses must be ordered by block, stage, round, "
                                         "slot, warp");
    memcpy(reader->order, order, sizeof order);
    return true;
}

static bool read_access(struct trace_reader *reader, const cJSON *json,
                        const struct trace_sink *sink)
{
    const struct trace_header *header = &reader->header;
    struct warp_access access = {0};
    int64_t numbers[MAX_WARP], value[MAX_WARP];
    uint8_t lane[MAX_WARP];
    uint32_t addr[MAX_WARP];
    char tag[MAX_WARP];
    char what[160];

    const cJSON *stage = cJSON_GetObjectItemCaseSensitive(json, "stage");
    if (!cJSON_IsString(stage))
        return bad_line(reader, "\"stage\" must be a string");
    access.stage = find_stage(reader, stage->valuestring);
    if (access.stage < 0) {
        snprintf(what, sizeof what, "stage \"%.64s\" is not one of the header's",
                 stage->valuestring);
        return bad_line(reader, what);
    }
    int warps = (header->threads + header->warp - 1) / header->warp;
    if (!get_int(reader, json, "round", 0, MAX_ROUNDS - 1, &access.round) ||
        !get_int(reader, json, "slot", 0, MAX_SLOTS - 1, &access.slot) ||
        !get_int(reader, json, "block", 0, header->blocks - 1, &access.block) ||
        !get_int(reader, json, "warp", 0, warps - 1, &access.warp) ||
        !read_op(reader, cJSON_GetObjectItemCaseSensitive(json, "op"), &access.op) ||
        !get_int(reader, json, "bytes", 1, 16, &access.bytes) || !read_order(reader, &access))
        return false;
    if (access.bytes & (access.bytes - 1))
        return bad_line(reader, "\"bytes\" must be 1, 2, 4, 8 or 16");

    int lanes = header->threads - access.warp * header->warp;
    lanes = lanes < header->warp ? lanes : header->warp;
    access.lanes = get_numbers(reader, cJSON_GetObjectItemCaseSensitive(json, "lane"), "lane", 0,
                               lanes - 1, numbers);
    if (access.lanes < 0)
        return false;
    if (!access.lanes)
        return bad_line(reader, "\"lane\" is empty: a warp access has at least one active lane");
    for (int i = 0; i < access.lanes; i++) {
        if (i && numbers[i] <= numbers[i - 1])
            return bad_line(reader, "\"lane\" must ascend, each lane once");
        lane[i] = (uint8_t)numbers[i];
    }
    if (access.bytes > header->shared_bytes)
        return bad_line(reader, "\"bytes\" is more than the block's \"shared_bytes\"");
    int count = get_numbers(reader, cJSON_GetObjectItemCaseSensitive(json, "addr"), "addr", 0,
                            header->shared_bytes - access.bytes, numbers);
    if (count < 0)
        return false;
    if (count != access.lanes)
        return bad_line(reader, "\"addr\" must be as long as \"lane\"");
    for (int i = 0; i < count; i++) {
        if (numbers[i] % access.bytes)
            return bad_line(reader, "an address is not a multiple of \"bytes\"");
        addr[i] = (uint32_t)numbers[i];
    }
    const cJSON *values = cJSON_GetObjectItemCaseSensitive(json, "value");
    if (values) {
        count = get_numbers(reader, values, "value", -WHOLE_MAX, WHOLE_MAX, value);
        if (count < 0)
            return false;
        if (count != access.lanes)
            return bad_line(reader, "\"value\" must be as long as \"lane\"");
        access.value = value;
    }
    const cJSON *tags = cJSON_GetObjectItemCaseSensitive(json, "tag");
    if (tags) {
        if (!cJSON_IsString(tags) || strlen(tags->valuestring) != (size_t)access.lanes)
            return bad_line(reader, "\"tag\" must be a string with one character per lane");
        for (int i = 0; i < access.lanes; i++) {
            tag[i] = tags->valuestring[i];
            if (tag[i] < ' ' || tag[i] > '~')
                return bad_line(reader, "a tag must be a printable ASCII character");
        }
        access.tag = tag;
    }
    access.lane = lane;
    access.addr = addr;
    reader->accesses++;
    return !sink->access || sink->access(sink->context, &access, reader->error);
}

/* Reads one line without its newline into line[MAX_LINE + 1]. *length is its length, *whole tells
 * whether a newline ended it. false: end of file and nothing read, or (error set) too long. */
static bool read_line(struct trace_reader *reader, FILE *file, char *line, size_t *length,
                      bool *whole)
{
    size_t n = 0;
    *whole = false;
    while (!*whole) {
        if (reader->chunk_used == reader->chunk_length) {
            reader->chunk_used = 0;
            reader->chunk_length = fread(reader->chunk, 1, sizeof reader->chunk, file);
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

static bool read_end(struct trace_reader *reader, const cJSON *json, struct trace_end *end)
{
    int64_t count, dropped;
    if (!get_whole(reader, json, "warp_accesses", 0, WHOLE_MAX, &count) ||
        !get_whole(reader, json, "dropped", 0, WHOLE_MAX, &dropped))
        return false;
    if ((uint64_t)count != reader->accesses) {
        char what[160];
        snprintf(what, sizeof what,
                 "the end says %" PRId64 " warp accesses, but the trace has %" PRIu64, count,
                 reader->accesses);
        return bad_line(reader, what);
    }
    end->dropped = (uint64_t)dropped;
    end->complete = true;
    return true;
}

/* One line: the header, a warp access or the end. false: *reader->error says why, or the line was
 * cut (then the error is empty). */
static bool read_one(struct trace_reader *reader, const char *line, size_t length, bool whole,
                     const struct trace_sink *sink, struct trace_end *end)
{
    const char *stop = NULL;
    cJSON *json =
        memchr(line, '\0', length) ? NULL : cJSON_ParseWithLengthOpts(line, length + 1, &stop, 1);
    bool good = false;
    if (!cJSON_IsObject(json)) {
        char what[160];
        snprintf(what, sizeof what, "not a JSON object (amiss at byte %td)%s",
                 stop ? stop - line + 1 : 1,
                 reader->line == 1 ? "; a trace is JSON Lines, as `bankscope run -o FILE` writes it"
                                   : "");
        if (whole || reader->line == 1 || end->complete)
            bad_line(reader, what);
    } else if (reader->line == 1) {
        good = read_header(reader, json) &&
               (!sink->header || sink->header(sink->context, &reader->header, reader->error));
    } else if (end->complete) {
        bad_line(reader, "there is more behind the end of the trace");
    } else if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "end"))) {
        good = read_end(reader, json, end);
    } else {
        good = read_access(reader, json, sink);
    }
    cJSON_Delete(json);
    return good;
}

bool trace_read(FILE *file, const char *name_for_messages, const struct trace_sink *sink,
                struct error *error)
{
    struct error own = {{0}};
    struct trace_reader reader = {.name = name_for_messages, .error = error ? error : &own};
    struct trace_end end = {0};
    char *line = memory_new(MAX_LINE + 2, 1);
    size_t length;
    bool whole, good = true;

    reader.error->text[0] = '\0';
    reader.line = 1;
    while (good && read_line(&reader, file, line, &length, &whole)) {
        good = read_one(&reader, line, length, whole, sink, &end);
        reader.line++;
    }
    if (!good && !reader.error->text[0])
        good = true; /* the last line was cut: end.complete stays false */
    if (ferror(file))
        error_set(reader.error, "cannot read %s: %s", reader.name, strerror(errno));
    else if (good && reader.line == 1)
        error_set(reader.error, "%s is empty; record a trace with `bankscope run KERNEL -o FILE`",
                  reader.name);
    good = good && !reader.error->text[0];
    end.warp_accesses = reader.accesses;
    if (good && sink->end)
        good = sink->end(sink->context, &end, reader.error);
    free(line);
    free(reader.by_name);
    header_free(&reader.header);
    return good;
}

/* ---- in memory ------------------------------------------------------------------------------- */

struct trace_entry {
    uint64_t first; /* place of its lanes in the lane arrays */
    int32_t round, block;
    uint16_t stage, slot, warp;
    uint8_t lanes, bytes_log2 : 4, op : 1, has_value : 1, has_tag : 1;
};

static bool memory_header(void *context, const struct trace_header *header, struct error *error)
{
    (void)error;
    struct trace *trace = context;
    header_copy(&trace->header, header);
    return true;
}

/* Makes each lane array as large as the largest of them must be. */
static bool grow_lanes(struct trace *trace, size_t count, struct error *error)
{
    const struct {
        void *array;
        size_t size;
    } arrays[] = {{&trace->lane, sizeof *trace->lane},
                  {&trace->addr, sizeof *trace->addr},
                  {&trace->value, sizeof *trace->value},
                  {&trace->tag, sizeof *trace->tag}};
    size_t room = trace->lane_room;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        room = trace->lane_room;
        if (!memory_grow(arrays[i].array, &room, count, arrays[i].size, "lane accesses", error))
            return false;
    }
    trace->lane_room = room;
    return true;
}

/* Gives back what growing took ahead; where that fails, the array stays as it is. */
static void shrink(void *array, size_t count, size_t size)
{
    void *given;
    memcpy(&given, array, sizeof given);
    void *kept = realloc(given, count * size);
    if (kept)
        memcpy(array, &kept, sizeof kept);
}

static bool memory_access(void *context, const struct warp_access *access, struct error *error)
{
    struct trace *trace = context;
    size_t lanes = (size_t)access->lanes;
    if (!memory_grow(&trace->entry, &trace->entry_room, trace->count + 1, sizeof *trace->entry,
                     "warp accesses", error) ||
        !grow_lanes(trace, trace->lane_count + lanes, error))
        return false;
    size_t first = trace->lane_count;
    trace->entry[trace->count++] =
        (struct trace_entry){.first = first,
                             .round = access->round,
                             .block = access->block,
                             .stage = (uint16_t)access->stage,
                             .slot = (uint16_t)access->slot,
                             .warp = (uint16_t)access->warp,
                             .lanes = (uint8_t)access->lanes,
                             .bytes_log2 = (uint8_t)(__builtin_ctz((unsigned)access->bytes) & 15),
                             .op = access->op == OP_STORE,
                             .has_value = access->value != NULL,
                             .has_tag = access->tag != NULL};
    memcpy(trace->lane + first, access->lane, lanes);
    memcpy(trace->addr + first, access->addr, lanes * sizeof *access->addr);
    if (access->value)
        memcpy(trace->value + first, access->value, lanes * sizeof *access->value);
    if (access->tag)
        memcpy(trace->tag + first, access->tag, lanes);
    trace->lane_count += lanes;
    return true;
}

static bool memory_end(void *context, const struct trace_end *end, struct error *error)
{
    (void)error;
    struct trace *trace = context;
    trace->end = *end;
    if (trace->count) {
        trace->entry_room = trace->count;
        trace->lane_room = trace->lane_count;
        shrink(&trace->entry, trace->count, sizeof *trace->entry);
        shrink(&trace->lane, trace->lane_count, sizeof *trace->lane);
        shrink(&trace->addr, trace->lane_count, sizeof *trace->addr);
        shrink(&trace->value, trace->lane_count, sizeof *trace->value);
        shrink(&trace->tag, trace->lane_count, sizeof *trace->tag);
    }
    return true;
}

struct trace_sink trace_memory_sink(struct trace *trace)
{
    return (struct trace_sink){memory_header, memory_access, memory_end, trace};
}

void trace_free(struct trace *trace)
{
    header_free(&trace->header);
    free(trace->entry);
    free(trace->lane);
    free(trace->addr);
    free(trace->value);
    free(trace->tag);
    memset(trace, 0, sizeof *trace);
}

struct warp_access trace_get(const struct trace *trace, size_t i)
{
    const struct trace_entry *entry = &trace->entry[i];
    return (struct warp_access){.stage = entry->stage,
                                .round = entry->round,
                                .slot = entry->slot,
                                .block = entry->block,
                                .warp = entry->warp,
                                .op = entry->op ? OP_STORE : OP_LOAD,
                                .bytes = 1 << entry->bytes_log2,
                                .lanes = entry->lanes,
                                .lane = trace->lane + entry->first,
                                .addr = trace->addr + entry->first,
                                .value = entry->has_value ? trace->value + entry->first : NULL,
                                .tag = entry->has_tag ? trace->tag + entry->first : NULL};
}

bool trace_load(const char *path, struct trace *trace, struct error *error)
{
    bool standard = !strcmp(path, "-");
    const char *name = standard ? "standard input" : path;
    FILE *file = standard ? stdin : fopen(path, "rb");
    memset(trace, 0, sizeof *trace);
    if (!file)
        return error_set(error, "cannot open %s: %s", path, strerror(errno));
    struct trace_sink sink = trace_memory_sink(trace);
    bool good = trace_read(file, name, &sink, error);
    if (!standard)
        fclose(file);
    if (!good)
        trace_free(trace);
    return good;
}
