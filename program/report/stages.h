/* stages.h - statistics of a program's launches by stage or round. */
#ifndef BANKSCOPE_PROGRAM_STAGES_H
#define BANKSCOPE_PROGRAM_STAGES_H

#include "instrument/model.h"
#include "program/program.h"

/* Statistics of launches; those of one kernel, shape and list of stages together. */
struct stage_table {
    struct stats stats;
    uint64_t first, launches; /* number of the first; how many there are */
};
struct stage_tables {
    enum stats_by by;
    struct stage_table *table;
    size_t tables, room;
    uint64_t number; /* of the launch that is read */
    struct trace_sink to;
};
/* As program_traces has them, with the tables for context. */
bool stages_begin(void *context, const struct program_launch *launch, struct trace_sink *sink,
                  struct error *error);
bool stages_close(void *context, struct error *error);
void stages_print(FILE *file, const struct stage_tables *tables);
bool stages_print_csv(FILE *file, const struct stage_tables *tables, struct error *error);
/* {"launches":[{"kernel":"k","launch":0,"launches":3,"stages":[...],"total":{...}}, ...]} */
bool stages_print_json(FILE *file, const struct stage_tables *tables, struct error *error);
void stages_free(struct stage_tables *tables);

#endif
