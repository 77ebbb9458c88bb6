/* model.h - what one warp access costs, and totals over a trace. */
#ifndef BANKSCOPE_INSTRUMENT_MODEL_H
#define BANKSCOPE_INSTRUMENT_MODEL_H

#include "base/hash.h"
#include "base/tabular.h"
#include "instrument/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- bank_model.c: what one warp access costs ---------------------------------------------- */

/* The cost of one warp access. Lanes that want more than one word are served in groups of
 * neighbours that one row of the banks can serve (with 32 banks of 4 bytes: halves of the warp for
 * 8 bytes, quarters for 16); loads merge two groups where lanes share (doc/bank-model.md). */
struct bank_cost {
    int ways;      /* distinct words that the busiest bank serves within a group, 0 for no lanes */
    int passes;    /* how often the banks are cycled: sum over the groups of their ways */
    int least;     /* passes without collisions: one for each group with an active lane (more only
                    * where one lane wants more words than there are banks) */
    int conflicts; /* passes - least: what a profiler counts */
    /* For each of the header's banks: */
    uint16_t degree[MAX_WARP]; /* distinct words that it serves, summed over groups */
    bool busy[MAX_WARP];       /* it serves more words within a group than that many bytes need */
};

/* Costs one warp access on the banks of the trace (of the header: banks, bank_bytes and warp). The
 * access must have passed the gate; one to global memory costs no pass. */
void bank_model_cost(const struct trace_header *header, const struct warp_access *access,
                     struct bank_cost *cost);
/* The pass of the access, from 0, that serves each word, if each bank serves its words in the order
 * of the lanes (hardware does not tell). turn has room for MAX_WARP * 16 words; lane i's k-th is at
 * i * (words of a lane) + k. */
void bank_model_turns(const struct trace_header *header, const struct warp_access *access,
                      uint16_t *turn);

/* Lanes that are served together: all of them, unless each wants more than one word. */
struct bank_group {
    int first, last; /* lanes, active or not */
    int ways;        /* passes that the group takes: words of its busiest bank */
    int words;       /* distinct ones of the bank that was asked for */
};
/* The groups of an access that have an active lane; returns how many. group has room for MAX_WARP. */
int bank_model_groups(const struct trace_header *header, const struct warp_access *access, int bank,
                      struct bank_group *group);

/* ---- sector_model.c: what one access to global memory costs --------------------------------- */

enum { SECTOR_BYTES = 32, LINE_BYTES = 128 };
/* The memory is fetched in sectors of 32 bytes that begin at multiples of 32; a request of a warp takes each
 * sector once that a lane wants a byte of. Lanes of an atomic operation that have one address go one after
 * the other, the n-th lanes of all addresses together (doc/global-memory.md). */
struct sector_cost {
    int sectors;
    int least;     /* that hold as many bytes as the lanes want, each byte once */
    bool estimate; /* a GPU takes at least as many sectors */
};
/* The cost of an access to global memory, that is, with `global`. */
void sector_model_cost(const struct warp_access *access, struct sector_cost *cost);

/* ---- stats.c: totals over a trace ---------------------------------------------------------- */

/* Sums over the warp accesses of one row of the table. */
struct stats_row {
    int stage;       /* -1 in a total, by line and by array */
    int round;       /* -1 unless by round */
    int block, warp; /* -1 unless by warp */
    int site;        /* by line: the first site of that line, -1 for none */
    int array; /* by array: index, in global memory the first site of that array; -1 for none */
    enum op op;
    bool global; /* of global memory: sectors and least count, else passes and conflicts */
    uint64_t warp_accesses, accesses, passes, conflicts;
    int max_ways;
    uint64_t requests, sectors, least; /* of global memory; requests: warp accesses to it */
};

enum stats_by { STATS_BY_STAGE, STATS_BY_ROUND, STATS_BY_WARP, STATS_BY_LINE, STATS_BY_ARRAY };

struct stats {
    struct trace_header header;
    struct trace_end end;
    enum stats_by by;
    size_t rows;
    struct stats_row *row; /* by stage, then round, block and warp if asked for, then op */
    struct stats_row total;
    /* Private: of each site, the first one of its line, or by array of its array in global
     * memory. */
    int *first_of;
    size_t room;             /* private */
    struct hash_index index; /* private: of row */
};

/* Starts empty statistics, grouped as `by` says; a sink that adds to them. */
void stats_init(struct stats *stats, enum stats_by by);
void stats_free(struct stats *stats);
struct trace_sink stats_sink(struct stats *stats);
/* The row with the key's place and operation, or NULL. */
struct stats_row *stats_find(const struct stats *stats, const struct stats_row *key);
/* What a row is about, without round, block and warp: "merge", "a.cu:17", "tile", "total". May be in
 * `text`. */
const char *stats_row_name(const struct stats *stats, const struct stats_row *row, char *text,
                           size_t size);

/* ---- stats_print.c: what they look like --------------------------------------------------------- */

/* The table for a person, columns aligned. */
void stats_print(FILE *file, const struct stats *stats);
/* The table as CSV, under a line of names. Further columns stand before its own:
 * their `names` and, in every row, `cells`, each with a comma behind it ("" for none). names NULL: no
 * line of names. */
void stats_print_csv(FILE *file, const struct stats *stats, const char *names, const char *cells);
/* Two tables, gathered by the same, as one: rows of the same name and operation beside each other,
 * with what the second one has more. csv: with commas. */
void stats_print_difference(FILE *file, const struct stats *first, const struct stats *second,
                            bool csv);
bool stats_print_difference_json(FILE *file, const struct stats *first, const struct stats *second,
                                 struct error *error);
/* The JSON object of `stats --json`, one line. */
bool stats_print_json(FILE *file, const struct stats *stats, struct error *error);

/* One row per warp access as a trace comes by, with commas, under a line of names. */
struct access_rows {
    FILE *file;
    struct trace_header header; /* private */
    struct tabular tabular;     /* private: of rows that are not written yet */
    struct trace_end end;       /* once it has ended */
};
struct trace_sink access_rows_sink(struct access_rows *rows);

#ifdef __cplusplus
}
#endif
#endif
