/* table_lines.h - what the table_*.c share: the rows of a launch, gathered by source line, call or array. */
#ifndef BANKSCOPE_PROGRAM_TABLE_LINES_H
#define BANKSCOPE_PROGRAM_TABLE_LINES_H

#include "base/tabular.h"
#include "program/program.h"

#include <cjson/cJSON.h>

/* A line of a report: a source line, with the calls by which it was reached if they are asked for, or an
 * array; and an operation in one of the memories. */
struct table_line {
    const struct source_place *place; /* by line or call */
    struct source_call call[CALL_DEPTH];
    int calls;       /* by call: the nearest first */
    char array[300]; /* by array: "tile (float[32][33])" */
    enum op op;
    enum program_space space;
    struct tally tally;
};
struct table_lines {
    struct table_line *line;
    size_t count, room;
};

void tally_add(struct tally *to, const struct tally *from);
/* The line that a row of a launch belongs to, with the row's tally; whether two are one line of a report. */
void table_line_of(const struct program_table *table, const struct table_row *row, enum table_by by,
                   struct table_line *line);
bool table_line_same(const struct table_line *a, const struct table_line *b);
/* Adds the rows of a launch that are of that memory (of global memory also those of local memory) to *lines,
 * which begin as {0}; sorts them by place or array. The caller frees lines->line. */
void table_lines_add(struct table_lines *lines, const struct program_table *table,
                     const struct launch_table *launch, enum table_by by, enum program_space space);
void table_lines_sort(struct table_lines *lines);
/* The sum over an operation; OPS: all. Stores of matrices and asynchronous copies are stores. */
struct tally table_lines_total(const struct table_lines *lines, enum op op);
/* What a kernel's warps did, in all its launches. */
struct kernel_work {
    uint64_t instructions;      /* of all kinds; 0: not known */
    uint64_t passes;            /* of shared memory */
    uint64_t requests, sectors; /* of global memory; 0: it has none, or was not looked at */
};
/* The least passes of the multiprocessors' memory: those of shared memory, and for global memory one for each request
 * and one for four sectors (128 bytes), whichever are more. */
uint64_t work_memory_passes(const struct kernel_work *work);
/* The part of a kernel's time, 0 to 1, that it can save at most without these conflicts. A multiprocessor starts at
 * most four instructions of warps in a cycle, and serves at most one pass: so the kernel takes at least as many
 * cycles as the larger of a quarter of the one and of the other, and a conflict is one of them. -1: instructions are
 * not known. */
double work_most_gain(const struct kernel_work *work, uint64_t conflicts);
/* Whether it ended before its blocks did: its counts are those until then. */
bool launch_is_stopped(const struct launch_table *launch);
/* The lines with accesses that the program has executed and whose counts are estimates, in *estimate, which the caller
 * frees. Returns how many there are. */
size_t table_estimates(const struct program_table *table, struct source_estimate **estimate);

/* Where a line is, for a person: "t.cu:23", or the array; with calls "t.cu:23 < 40 < main.cu:7", where
 * line 23 was called by line 40 of the same file. */
void line_where(const struct table_line *line, char *text, size_t room);
/* A table in text whose rows are lines: begins it, with the place before the caller's columns, and the source line, or that
 * of the outermost call, behind them; begins a row with its place, or that of the total, whose operation is blank; ends one with its source. */
void lines_begin(struct tabular *tabular, enum table_by by, const struct tabular_column *column,
                 int columns);
void lines_put_place(struct tabular *tabular, const struct table_line *line);
void lines_put_total(struct tabular *tabular);
void lines_put_source(struct tabular *tabular, const struct program_table *table,
                      const struct table_line *line);
/* In JSON: its file, line and calls. */
void line_json(cJSON *to, const struct table_line *line, enum table_by by);
/* "arrays": those that the line's instructions access, each with its name ("": not known), its tally by `put`, and where in the
 * line the instruction with most conflicts stands. */
void line_json_arrays(cJSON *to, const struct program_table *table,
                      const struct launch_table *launch, const struct table_line *line,
                      enum table_by by, void (*put)(cJSON *to, const struct tally *tally));

/* ---- table_sectors.c: global memory ----------------------------------------------------------- */

/* The table of lines that access global memory. */
void sectors_print(FILE *file, const struct program_table *table, const struct table_lines *lines,
                   enum table_by by);
/* The sum over all operations on global memory: `instructions` are requests, `passes` sectors. */
struct tally sectors_total(const struct table_lines *lines);
/* The object of a launch: sums by operation, and lines. */
cJSON *sectors_json(const struct program_table *table, const struct launch_table *launch,
                    const struct table_lines *lines, enum table_by by);

#endif
