/* trace_write.c - a trace as JSON Lines (doc/trace-format.md). */
#include "instrument/trace.h"
#include "system/output.h"
#include "system/packed.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FORMAT_VERSION = 1, GLOBAL_VERSION = 2 /* with accesses to global memory */ };

struct trace_writer {
    FILE *file;
    char *name;
    bool own;             /* opened here */
    struct output output; /* then */
    char *part;           /* if so, the name under which a cut trace is kept */
    struct packer *packer;
    uint64_t accesses;
    int block;
    double flushed; /* seconds of the monotonic clock */
    int sites;
    int stages;
    char **stage; /* names as JSON strings, with quotes and escapes */
};

struct trace_writer *trace_writer_new(FILE *file, const char *name)
{
    struct trace_writer *writer = memory_new(1, sizeof *writer);
    writer->file = file;
    writer->own = !file;
    writer->name = memory_copy(name);
    return writer;
}

static void close_part(struct trace_writer *writer)
{
    if (writer->packer)
        packer_finish(writer->packer); /* what fails now is cut anyway */
    if (writer->accesses)
        writer->part = output_close_part(&writer->output);
    else
        output_close(&writer->output, false, NULL);
    writer->file = NULL;
}

void trace_writer_free(struct trace_writer *writer)
{
    if (!writer)
        return;
    if (writer->own && writer->file)
        close_part(writer);
    for (int i = 0; i < writer->stages; i++)
        cJSON_free(writer->stage[i]);
    free(writer->stage);
    free(writer->name);
    free(writer->part);
    packer_free(writer->packer);
    free(writer);
}

const char *trace_writer_part(const struct trace_writer *writer)
{
    return writer->part;
}

static bool write_failed(const struct trace_writer *writer, struct error *error)
{
    return error_set(error, "cannot write %s: %s; the trace is cut", writer->name, strerror(errno));
}

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Prints one line and frees the object. */
static bool write_json(struct trace_writer *writer, cJSON *json, struct error *error)
{
    char *line = cJSON_PrintUnformatted(json);
    size_t length = line ? strlen(line) : 0;
    bool good = length && length < MAX_LINE;
    cJSON_Delete(json);
    if (!good)
        error_set(error, "a line of %s would exceed %d bytes", writer->name, MAX_LINE);
    else if (!packer_write(writer->packer, line, length) || !packer_write(writer->packer, "\n", 1))
        good = write_failed(writer, error);
    cJSON_free(line);
    return good;
}

/* cJSON prints numbers with 15 digits, two too few for 2^53. */
static void add_whole(cJSON *object, const char *name, int64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, number);
    cJSON_AddRawToObject(object, name, text);
}

/* Writes the numbers as an array; nothing if there are none. */
static void add_numbers(cJSON *object, const char *name, const int *number, int count)
{
    if (count)
        cJSON_AddItemToObject(object, name, cJSON_CreateIntArray(number, count));
}

static void add_arrays(cJSON *json, const struct trace_header *header)
{
    cJSON *arrays = header->arrays ? cJSON_AddArrayToObject(json, "arrays") : NULL;
    for (int i = 0; i < header->arrays; i++) {
        const struct trace_array *array = &header->array[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", array->name);
        cJSON_AddNumberToObject(object, "addr", array->addr);
        if (array->moved)
            cJSON_AddNumberToObject(object, "moved", array->moved);
        cJSON_AddStringToObject(object, "type", array->type);
        if (!type_bytes(array->type))
            cJSON_AddNumberToObject(object, "bytes", array->bytes);
        cJSON_AddItemToObject(object, "dims", cJSON_CreateIntArray(array->dim, array->dims));
        cJSON *members = array->members ? cJSON_AddArrayToObject(object, "members") : NULL;
        for (int k = 0; k < array->members; k++) {
            cJSON *member = cJSON_CreateObject();
            cJSON_AddStringToObject(member, "name", array->member[k].name);
            cJSON_AddNumberToObject(member, "addr", array->member[k].addr);
            cJSON_AddStringToObject(member, "type", array->member[k].type);
            cJSON_AddItemToArray(members, member);
        }
        cJSON_AddItemToArray(arrays, object);
    }
}

static void add_sites(cJSON *json, const struct trace_header *header)
{
    cJSON *sites = header->sites ? cJSON_AddArrayToObject(json, "sites") : NULL;
    for (int i = 0; i < header->sites; i++) {
        const struct trace_site *site = &header->site[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "file", site->file);
        cJSON_AddNumberToObject(object, "line", site->line);
        cJSON_AddStringToObject(object, "function", site->function);
        cJSON_AddStringToObject(object, "text", site->text);
        if (site->code)
            cJSON_AddNumberToObject(object, "code", site->code - 1);
        if (site->array && *site->array)
            cJSON_AddStringToObject(object, "array", site->array);
        cJSON_AddItemToArray(sites, object);
    }
}

static void add_code(cJSON *json, const struct trace_header *header)
{
    cJSON *all = header->codes ? cJSON_AddArrayToObject(json, "code") : NULL;
    for (int i = 0; i < header->codes; i++) {
        const struct trace_code *code = &header->code[i], *before = i ? code - 1 : NULL;
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "text", code->text);
        if (strcmp(code->file, before ? before->file : ""))
            cJSON_AddStringToObject(object, "file", code->file);
        if (code->line != (before ? before->line : 0))
            cJSON_AddNumberToObject(object, "line", code->line);
        if (*code->became)
            cJSON_AddStringToObject(object, "became", code->became);
        if (code->sass)
            cJSON_AddNumberToObject(object, "sass", 1);
        cJSON_AddItemToArray(all, object);
    }
}

bool trace_may_replace(const char *path, struct error *error)
{
    return output_may_replace(path, "{\"format\":\"bankscope-trace\"", "a trace", error);
}

static bool write_header(void *context, const struct trace_header *header, struct error *error)
{
    struct trace_writer *writer = context;
    if (writer->own) {
        if (!trace_may_replace(writer->name, error) ||
            !output_open(&writer->output, writer->name, error))
            return false;
        writer->file = writer->output.file;
        output_keep(&writer->output);
    }
    writer->packer = packer_new(writer->file, writer->own ? writer->name : "", error);
    if (!writer->packer)
        return false;
    writer->flushed = seconds();
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "format", "bankscope-trace");
    cJSON_AddNumberToObject(json, "version", header->global ? GLOBAL_VERSION : FORMAT_VERSION);
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
    add_numbers(json, "block_dim", header->block_dim, header->block_dim[0] ? 3 : 0);
    add_numbers(json, "grid_dim", header->grid_dim, header->grid_dim[0] ? 3 : 0);
    cJSON *params = cJSON_AddObjectToObject(json, "params");
    for (int i = 0; i < header->params; i++) {
        const struct trace_param *param = &header->param[i];
        if (param->word)
            cJSON_AddStringToObject(params, param->name, param->word);
        else
            add_whole(params, param->name, param->number);
    }
    cJSON_AddStringToObject(json, "input", header->input);
    add_whole(json, "seed", (int64_t)header->seed);
    cJSON *stages = cJSON_AddArrayToObject(json, "stages");
    writer->stage = memory_new((size_t)header->stages, sizeof *writer->stage);
    writer->sites = header->sites;
    for (int i = 0; i < header->stages; i++) {
        cJSON *name = cJSON_CreateString(header->stage[i]);
        writer->stage[writer->stages++] = cJSON_PrintUnformatted(name);
        cJSON_AddItemToArray(stages, name);
    }
    add_arrays(json, header);
    add_sites(json, header);
    add_code(json, header);
    return write_json(writer, json, error);
}

/* These functions append to a line and return the place behind what they wrote. cJSON's printer
 * takes one node and one sprintf for each number, which would be most of the time of a
 * recording. */
static char *put_text(char *at, const char *text)
{
    size_t length = strlen(text);
    memcpy(at, text, length);
    return at + length;
}

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

static char *put_field(char *at, const char *name, int64_t number)
{
    return put_number(put_text(at, name), number);
}

/* A JSON number must distinguish each value from its neighbours. */
static bool values_fit(const struct warp_access *access)
{
    for (int i = 0; i < access->lanes; i++)
        if (access->value[i] > MAX_WHOLE || access->value[i] < -MAX_WHOLE)
            return false;
    return true;
}

/* Without zeros in front: "7f00a0" */
static char *put_address(char *at, uint64_t address)
{
    int shift = 60;
    while (shift && !(address >> shift))
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        *at++ = "0123456789abcdef"[address >> shift & 15];
    return at;
}

/* "3fe0000000000000" */
static char *put_bits(char *at, uint64_t bits)
{
    for (int shift = 60; shift >= 0; shift -= 4)
        *at++ = "0123456789abcdef"[bits >> shift & 15];
    return at;
}

/* Flushes between blocks, but only a few times a second, so that a run that is killed leaves
 * what it had. */
static bool flush_at_times(struct trace_writer *writer, int block)
{
    const double often = 0.1;
    if (block == writer->block || !writer->own)
        return true;
    writer->block = block;
    double now = seconds();
    if (now - writer->flushed < often)
        return true;
    writer->flushed = now;
    return packer_flush(writer->packer);
}

static bool write_access(void *context, const struct warp_access *access, struct error *error)
{
    struct trace_writer *writer = context;
    char line[1024 + MAX_WARP * (4 + 19 + 19 + 2)]; /* a stage's name may be all escapes */
    char *at = put_text(line, "{\"stage\":");
    at = put_text(at, writer->stage[access->stage]);
    at = put_field(at, ",\"round\":", access->round);
    at = put_field(at, ",\"slot\":", access->slot);
    at = put_field(at, ",\"block\":", access->block);
    at = put_field(at, ",\"warp\":", access->warp);
    at = put_text(at, ",\"op\":\"");
    at = put_text(at, op_name(access->op));
    at = put_text(at, access->global ? "\",\"space\":\"global" : "");
    at = put_field(at, "\",\"bytes\":", access->bytes);
    at = put_text(at, ",\"lane\":");
    for (int i = 0; i < access->lanes; i++)
        at = put_field(at, i ? "," : "[", access->lane[i]);
    at = put_text(at, "],\"addr\":");
    for (int i = 0; i < access->lanes; i++)
        at = access->global ? put_address(put_text(at, i ? "\",\"" : "[\""), access->global[i])
                            : put_field(at, i ? "," : "[", access->addr[i]);
    if (access->global)
        *at++ = '"';
    if (access->value && values_fit(access)) {
        at = put_text(at, "],\"value\":");
        for (int i = 0; i < access->lanes; i++)
            at = put_field(at, i ? "," : "[", access->value[i]);
    } else if (access->value) {
        at = put_text(at, "],\"value_bits\":");
        for (int i = 0; i < access->lanes; i++) {
            at = put_bits(put_text(at, i ? "\",\"" : "[\""), (uint64_t)access->value[i]);
        }
        *at++ = '"';
    }
    *at++ = ']';
    if (access->tag) {
        at = put_text(at, ",\"tag\":\"");
        for (int i = 0; i < access->lanes; i++) {
            if (access->tag[i] == '"' || access->tag[i] == '\\')
                *at++ = '\\';
            *at++ = access->tag[i];
        }
        *at++ = '"';
    }
    if (writer->sites && access->site >= 0)
        at = put_field(at, ",\"site\":", access->site);
    at = put_text(at, "}\n");
    writer->accesses++;
    return (flush_at_times(writer, access->block) &&
            packer_write(writer->packer, line, (size_t)(at - line))) ||
           write_failed(writer, error);
}

static bool write_end(void *context, const struct trace_end *end, struct error *error)
{
    struct trace_writer *writer = context;
    if (!writer->file || !writer->packer)
        return true; /* the header could not open the file, and reported it */
    if (end->complete) {
        cJSON *json = cJSON_CreateObject();
        cJSON_AddTrueToObject(json, "end");
        add_whole(json, "warp_accesses", (int64_t)end->warp_accesses);
        add_whole(json, "dropped", (int64_t)end->dropped);
        if (!write_json(writer, json, error)) {
            if (writer->own)
                close_part(writer);
            return false;
        }
    } else if (writer->own) {
        close_part(writer);
        return true;
    }
    if (!packer_finish(writer->packer) || fflush(writer->file) != 0) {
        write_failed(writer, error);
        if (writer->own)
            close_part(writer);
        return false;
    }
    if (!writer->own)
        return true;
    writer->file = NULL;
    return output_close(&writer->output, true, error);
}

struct trace_sink trace_writer_sink(struct trace_writer *writer)
{
    return (struct trace_sink){write_header, write_access, write_end, writer};
}
