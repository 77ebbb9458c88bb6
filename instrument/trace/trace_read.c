/* trace_read.c - reads a trace from JSON Lines (doc/trace-format.md), one line at a time.
 *
 * The reader trusts nothing. What JSON can get wrong is refused here, what a trace can get wrong by
 * trace_check.c; only then does a sink see it.
 */
#include "instrument/trace/trace_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The fields of all lines but the header, in the order in which the writer writes them. */
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

/* ---- warp accesses and the end --------------------------------------------------------------- */

int reader_stage(struct trace_reader *reader, const char *name)
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

bool reader_wants(struct trace_reader *reader, const struct warp_access *access)
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

bool reader_access(struct trace_reader *reader, struct access_line *line,
                   const struct trace_sink *sink)
{
    struct warp_access *access = &line->access;
    struct error what = {{0}};
    uint8_t lane[MAX_WARP];
    uint32_t addr[MAX_WARP];
    uint64_t global[MAX_WARP];

    if (line->addrs != line->lanes)
        return reader_bad_line(reader, "\"addr\" must be as long as \"lane\"");
    if (line->values >= 0 && line->values != line->lanes)
        return reader_bad_line(reader, "\"value\" must be as long as \"lane\"");
    if (line->tags >= 0 && line->tags != line->lanes)
        return reader_bad_line(reader,
                               "\"tag\" must be a string of one printable character per lane");
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
        return reader_bad_line(reader, "%s", what.text);
    return !reader_wants(reader, access) || !sink->access ||
           sink->access(sink->context, access, reader->error);
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
        return reader_bad_line(reader, "\"stage\" must be a string");
    access->stage = reader_stage(reader, field[STAGE]->valuestring);
    if (access->stage < 0)
        return reader_bad_line(reader, "stage \"%.64s\" is not one of the header's",
                               field[STAGE]->valuestring);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (!reader_int(reader, field[places[i].field], LINE_NAMES[places[i].field],
                        places[i].number))
            return false;
    access->op = cJSON_IsString(field[OP]) ? op_named(field[OP]->valuestring) : OPS;
    access->site = -1;
    if (!field[SITE])
        return true;
    if (!reader->header.sites)
        return reader_bad_line(reader, "there is a \"site\", but the header has no \"sites\"");
    if (!reader_int(reader, field[SITE], "site", &access->site))
        return false;
    return access->site >= 0 ||
           reader_bad_line(reader, "\"site\" must be a whole number from 0 to %d",
                           reader->header.sites - 1);
}

/* The values of "value_bits"; as reader_numbers. */
static int get_bits(const struct trace_reader *reader, const cJSON *array, int64_t *out)
{
    int count = 0;
    const cJSON *item;
    bool good = cJSON_IsArray(array);
    if (good)
        cJSON_ArrayForEach(item, array)
        {
            const char *text = cJSON_IsString(item) ? item->valuestring : "";
            good = count < MAX_WARP && strlen(text) == 16 && reader_bits(text, &out[count++]);
            if (!good)
                break;
        }
    if (good)
        return count;
    reader_bad_line(reader,
                    "\"value_bits\" must be an array of at most %d strings of 16 digits 0-9, a-f",
                    MAX_WARP);
    return -1;
}

/* The addresses in global memory; as reader_numbers. */
static int get_addresses(const struct trace_reader *reader, const cJSON *array, int64_t *out)
{
    int count = 0;
    const cJSON *item;
    bool good = cJSON_IsArray(array);
    if (good)
        cJSON_ArrayForEach(item, array)
        {
            const char *text = cJSON_IsString(item) ? item->valuestring : "";
            int digits = count < MAX_WARP ? reader_address(text, &out[count++]) : 0;
            good = digits && !text[digits];
            if (!good)
                break;
        }
    if (good)
        return count;
    reader_bad_line(
        reader,
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
           reader_bad_line(reader, "\"space\" must be \"shared\" or \"global\"");
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
    line.lanes = reader_numbers(reader, field[LANE], "lane", MAX_WARP, line.lane);
    if (line.lanes < 0)
        return false;
    line.addrs = line.global ? get_addresses(reader, field[ADDR], line.addr)
                             : reader_numbers(reader, field[ADDR], "addr", MAX_WARP, line.addr);
    if (line.addrs < 0)
        return false;
    if (field[VALUE] &&
        (line.values = reader_numbers(reader, field[VALUE], "value", MAX_WARP, line.value)) < 0)
        return false;
    if (field[VALUE_BITS] && field[VALUE])
        return reader_bad_line(reader, "\"value\" and \"value_bits\" exclude each other");
    if (field[VALUE_BITS] && (line.values = get_bits(reader, field[VALUE_BITS], line.value)) < 0)
        return false;
    if (field[TAG]) {
        line.tag = cJSON_IsString(field[TAG]) ? field[TAG]->valuestring : "";
        line.tags = (int)strlen(line.tag);
    }
    return reader_access(reader, &line, sink);
}

static bool read_end(const struct trace_reader *reader, const cJSON *const *field,
                     struct trace_end *end)
{
    int64_t count = 0, dropped = 0;
    struct error what = {{0}};
    if (!reader_whole(reader, field[WARP_ACCESSES], "warp_accesses", &count) ||
        !reader_whole(reader, field[DROPPED], "dropped", &dropped))
        return false;
    if (dropped < 0)
        return reader_bad_line(reader, "\"dropped\" must be a whole number from 0 to %" PRId64,
                               MAX_WHOLE);
    end->warp_accesses = (uint64_t)count;
    end->dropped = (uint64_t)dropped;
    end->complete = true;
    return trace_check_end(&reader->check, end, &what) || reader_bad_line(reader, "%s", what.text);
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
            reader_bad_line(reader, "the line is longer than 1 MiB");
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
    if (reader->line > 1 && !end->complete && reader_written(reader, line, length, sink, &good))
        return good;
    cJSON *json =
        memchr(line, '\0', length) ? NULL : cJSON_ParseWithLengthOpts(line, length + 1, &stop, 1);
    if (!cJSON_IsObject(json)) {
        if (whole || reader->line == 1 || end->complete)
            reader_bad_line(
                reader, "not a JSON object (amiss at byte %td)%s", stop ? stop - line + 1 : 1,
                reader->line == 1 ? "; a trace is JSON Lines, as 'bankscope run -o FILE' writes it"
                                  : "");
    } else if ((amiss = bad_text(line, length))) {
        reader_bad_line(reader, "%s", amiss);
    } else if (reader->line == 1) {
        good = reader_header(reader, json) &&
               (!sink->header || sink->header(sink->context, &reader->header, reader->error));
    } else if (end->complete) {
        reader_bad_line(reader, "there is more behind the end of the trace");
    } else if (reader_fields(reader, json, LINE_NAMES, LINE_FIELDS, field)) {
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
        error_set(reader.error, "%s is empty; record a trace with 'bankscope run KERNEL -o FILE'",
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
