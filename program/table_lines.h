/* table_lines.h - what table.c and table_sectors.c share: the lines of a report. */
#ifndef BANKSCOPE_PROGRAM_TABLE_LINES_H
#define BANKSCOPE_PROGRAM_TABLE_LINES_H

#include "program/program.h"

#include <cjson/cJSON.h>

/* A line of a report: a source line, with the calls by which it was reached if they are asked for, or an
 * array; and an operation in one of the memories. */
struct line {
    const struct source_place *place; /* by line or call */
    struct source_call call[CALL_DEPTH];
    int calls;       /* by call: the nearest first */
    char array[300]; /* by array: "tile (float[32][33])" */
    enum op op;
    enum program_space space;
    struct tally tally;
};
struct lines_of {
    struct line *line;
    size_t count, room;
};

/* Adds the rows of a launch that are of that memory; of global memory also those of local memory. free(line). */
void lines_of_add(struct lines_of *lines, const struct program_table *table,
                  const struct launch_table *launch, enum table_by by, enum program_space space);
void lines_of_sort(struct lines_of *lines);
/* Where a line is, for a person: "t.cu:23", or the array; with calls "t.cu:23 < 40 < main.cu:7", where
 * line 23 was called by line 40 of the same file. */
void line_where(const struct line *line, char *text, size_t room);
/* The text of the source line that it is about, or of the outermost call; "". */
const char *line_source(const struct program_table *table, const struct line *line);
void tally_add(struct tally *to, const struct tally *from);
/* Its file, line and calls. */
void line_json(cJSON *to, const struct line *line, enum table_by by);
/* In CSV: its file and line, or array, and its calls. */
void line_csv(FILE *file, const struct line *line, enum table_by by);

/* ---- table_sectors.c: global memory ----------------------------------------------------------- */

/* The table of lines that access global memory. */
void sectors_print(FILE *file, const struct program_table *table, const struct lines_of *lines,
                   enum table_by by);
/* The object of a launch: sums by operation, and lines. */
cJSON *sectors_json(const struct lines_of *lines, enum table_by by);

#endif
