/* report.h - reports of `run --json`, read again, and what is made of them: comparisons, tables, messages for
 * editors.
 *
 *     struct program_table --table_json.c--> report.json --report.c--> struct report
 *     struct report --report_compare.c--> what changed from one to another, and what grew
 *                   --report_print.c----> tables as text, CSV and Markdown
 *                   --diagnostics.c-----> lines as a compiler's messages, SARIF
 *
 * Whatever is made of a run is made of its JSON, so that a file that was kept gives the same.
 */
#ifndef BANKSCOPE_PROGRAM_REPORT_H
#define BANKSCOPE_PROGRAM_REPORT_H

#include "program/program.h"

#include <cjson/cJSON.h>

/* ---- report.c: reading ------------------------------------------------------------------------- */

/* What a line's instructions do with one array. Texts are owned by the report, here and below. */
struct report_array {
    const char *name;   /* "": not known */
    int column;         /* of the instruction with the most conflicts, from 1; 0: not known */
    struct tally tally; /* `accesses` is not told, here and below */
};
/* A source line and an operation, in all launches of a kernel. */
struct report_line {
    const char *file;
    int line; /* 0: not known */
    enum op op;
    const char *source; /* its text; "": not known */
    struct tally tally;
    struct report_array *array;
    size_t arrays;
};
/* A kernel, in all its launches. */
struct report_kernel {
    const char *name;
    uint64_t launches, recorded_blocks;
    uint64_t instructions;      /* that warps executed; 0: not known */
    uint64_t requests, sectors; /* of global memory; 0: it has none, or was not looked at */
    bool stopped;               /* a launch ended before its blocks did */
    struct tally tally;
    struct report_line *line; /* by file and line */
    size_t lines;
};
struct report_fault {
    const char *kind, *file, *text; /* text: with place and kind, as `run` prints it */
    int line, column;               /* 0: not known */
    bool error;                     /* it is no mere remark */
};
struct report {
    const char *bankscope;        /* the version; "": it is older than this was told */
    const char *compiler;         /* "clang 14"; "": recorded on a GPU */
    const char *device, *flags;   /* flags: joined by blanks */
    int capability, warp;         /* warp 0: no launch */
    struct report_kernel *kernel; /* in the order of their first launches */
    size_t kernels;
    struct report_fault *fault;
    size_t faults;
    cJSON *json;      /* private */
    char *flags_text; /* private */
};
/* What every report begins with. */
#define REPORT_MARK "{\"launches\":["
/* Reads what `run --json` has written. false: *error. report_free in any case. */
bool report_read(struct report *report, const char *path, struct error *error);
/* The report of a run that has ended. */
bool report_of(struct report *report, const struct program_table *table, struct error *error);
void report_free(struct report *report);
/* Whether the file is a report, and no trace. */
bool report_is_file(const char *path);
/* Shares of what a kernel did, 0 to 1; -1: not known. */
struct report_share {
    double instructions; /* those of `tally`, of all instructions */
    double memory;       /* its passes, of all passes of memory (work_memory_passes) */
    double gain;         /* work_most_gain of its conflicts */
};
/* tally: of the kernel, or of a line of it. */
struct report_share report_share(const struct report_kernel *kernel, const struct tally *tally);

/* ---- report_compare.c --------------------------------------------------------------------------- */

/* One row of a comparison: a kernel (line NULL), or a line of it. What is NULL is not in that report. A line is
 * found again by its text, so that it may move; else by its number. */
struct report_change {
    const struct report_kernel *kernel[2];
    const struct report_line *line[2];
    bool grew;
};
struct report_changes {
    struct report_change *change;
    size_t count;
    size_t grown; /* rows that grew */
};
/* Whether two reports were made under the same conditions: by the same bankscope and compiler, for the same
 * capability, device and warp. false: *error names what differs, and both. */
bool report_comparable(const struct report *before, const struct report *after,
                       struct error *error);
/* Each kernel with its lines below. It grew if it has more passes or conflicts than before, or, being new, has
 * conflicts; so did a line that was there before, or a new one of a kernel that grew. */
void report_compare(struct report_changes *changes, const struct report *before,
                    const struct report *after);
void report_changes_free(struct report_changes *changes);

/* ---- report_print.c ------------------------------------------------------------------------------- */

/* Lines of all kernels. */
void report_print(FILE *file, const struct report *report);
void report_print_csv(FILE *file, const struct report *report);
/* A table for a pull request. changes NULL: without what was before. */
void report_print_markdown(FILE *file, const struct report *report,
                           const struct report_changes *changes);
void report_print_changes(FILE *file, const struct report_changes *changes);
void report_print_changes_csv(FILE *file, const struct report_changes *changes);
bool report_print_changes_json(FILE *file, const struct report_changes *changes,
                               struct error *error);
/* A line for each row that grew, behind `prefix`. */
void report_print_grown(FILE *file, const struct report_changes *changes, const char *prefix);

/* ---- ncu.c ------------------------------------------------------------------------------------------ */

/* A source line in our report and in the profiler's. */
struct ncu_line {
    const char *file; /* of the report's, if it has the line */
    char *path;       /* as the profiler has it; NULL: it has not the line */
    int line;
    bool ours;                      /* the report has it */
    bool differs;                   /* its text in the profiler's is another */
    struct tally tally;             /* of the report, all operations together */
    uint64_t wavefronts, excessive; /* of the profiler */
    const char *source;
};
struct ncu_report {
    struct ncu_line *line; /* by file and line */
    size_t lines, room;
    /* What the two do not share: numbers of launches, folders, texts of lines; or NULL. */
    char *note;
};
/* Puts beside a report what ncu says of its lines: CSV of its source page, from
 *     ncu --import report.ncu-rep --page source --csv --print-source cuda,sass
 * false: *error. ncu_free in any case. */
bool ncu_read(struct ncu_report *ncu, const struct report *report, const char *path,
              struct error *error);
void ncu_free(struct ncu_report *ncu);
void ncu_print(FILE *file, const struct ncu_report *ncu);
void ncu_print_csv(FILE *file, const struct ncu_report *ncu);

/* ---- diagnostics.c -------------------------------------------------------------------------------- */

/* "t.cu:8:25: warning: 16-way bank conflict in 'tile', ... [bank-conflict]", as gcc prints it, by file and line;
 * faults, too. */
void report_print_gcc(FILE *file, const struct report *report);
/* One SARIF 2.1.0 object. */
bool report_print_sarif(FILE *file, const struct report *report, struct error *error);

#endif
