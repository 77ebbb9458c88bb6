/* meter.h - what the parts of grading share: exercise.c makes the runs, meter.c measures them. */
#ifndef BANKSCOPE_METER_H
#define BANKSCOPE_METER_H

#include "teach/teach.h"

/* Adds a finding: something that is asked. */
struct exercise_finding *finding_add(struct exercise_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Says why it is not met yet, with the hint for that. The first reason stays. */
void finding_miss(struct exercise_report *report, struct exercise_finding *finding,
                  const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Remembers the run that runs now as the one of report->place. */
void report_run(struct exercise_report *report, const struct trace_header *header);

/* What a run has done so far for a goal. */
struct goal_state {
    int stage; /* index in the header, -1: the kernel has none of that name */
    uint64_t accesses, warp_accesses;
    struct exercise_finding *conflict_finding, *access_finding;
};

/* Measures one run after the other by the goals. Start with {.report = ...}, then meter_ask; free it. */
struct meter {
    struct exercise_report *report;
    const struct kernel_goal *goals;
    int count;
    struct goal_state state[EXERCISE_GOALS];
    struct trace_header header; /* of the run, owned */
};
/* Adds what the kernel's goals ask to the report. */
void meter_ask(struct meter *meter, const struct kernel *kernel);
struct trace_sink meter_sink(struct meter *meter);
void meter_free(struct meter *meter);

#endif
