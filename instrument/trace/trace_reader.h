/* trace_reader.h - what the files of the trace reader share: trace_read.c (lines), trace_fields.c (members of a JSON
 * object), trace_read_header.c, trace_read_written.c (lines as the writer writes them). Other files include trace.h.
 *
 * Functions that return false, or -1 where they return a number, have set the reader's error.
 */
#ifndef BANKSCOPE_TRACE_READER_H
#define BANKSCOPE_TRACE_READER_H

#include "instrument/trace.h"
#include "system/packed.h"

#include <cjson/cJSON.h>

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

/* A warp access as a line has it, before it is checked. */
struct access_line {
    struct warp_access access; /* its arrays are still those below */
    int lanes, addrs, values;  /* how many; values: -1 for none */
    int64_t lane[MAX_WARP], addr[MAX_WARP], value[MAX_WARP];
    bool global;
    int tags; /* -1: none */
    const char *tag;
};

/* ---- trace_fields.c ---------------------------------------------------------------------------- */

/* Sets the error to "NAME, line N: WHAT". false. */
bool reader_bad_line(const struct trace_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Puts the members of the object that have a name in `names` into field, NULL for those that are missing. Unknown
 * ones are ignored, but no name may come twice. */
bool reader_fields(const struct trace_reader *reader, const cJSON *object, const char *const *names,
                   int count, const cJSON **field);
/* Whether it is a whole number within 2^53. */
bool reader_is_whole(const cJSON *item);
/* A whole number; `name` is the member's, for messages. */
bool reader_whole(const struct trace_reader *reader, const cJSON *item, const char *name,
                  int64_t *number);
/* A number that no int holds becomes the least int, which is outside every limit of the format. */
bool reader_int(const struct trace_reader *reader, const cJSON *item, const char *name,
                int *number);
/* A string; the caller frees it. */
bool reader_text(const struct trace_reader *reader, const cJSON *item, const char *name,
                 char **text);
/* Reads up to `most` whole numbers. Returns how many, or -1. */
int reader_numbers(const struct trace_reader *reader, const cJSON *array, const char *name,
                   int most, int64_t *out);

/* ---- trace_read_header.c ----------------------------------------------------------------------- */

/* The first line, into reader->header. */
bool reader_header(struct trace_reader *reader, const cJSON *json);

/* ---- trace_read_written.c ---------------------------------------------------------------------- */

/* Reads a warp access in the form in which the writer writes it. Whether the line was in this form; if so, *good says
 * whether it was accepted. */
bool reader_written(struct trace_reader *reader, const char *text, size_t length,
                    const struct trace_sink *sink, bool *good);
/* Reads 16 digits of "value_bits", or a hexadecimal address (returns how many digits it has; 0: it is none). */
bool reader_bits(const char *text, int64_t *number);
int reader_address(const char *text, int64_t *number);

/* ---- trace_read.c ------------------------------------------------------------------------------ */

/* The number of the stage with this name: the previous line's, or found by bisection; -1: none. */
int reader_stage(struct trace_reader *reader, const char *name);
/* Whether the access is in the part of the trace that is asked for. */
bool reader_wants(struct trace_reader *reader, const struct warp_access *access);
/* Checks a warp access and hands it to the sink. */
bool reader_access(struct trace_reader *reader, struct access_line *line,
                   const struct trace_sink *sink);

#endif
