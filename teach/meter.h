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

/* ---- made.c ---------------------------------------------------------------------------------- */

/* Makes of a student's file what run_apart or run_program runs; made_free it. `number` distinguishes files
 * that are graded at the same time. false: report->error says why not. */
bool make_of(const struct grader *grader, const struct exercise *exercise, const char *file,
             int number, struct apart *apart, struct exercise_report *report);
void made_free(struct apart *apart);
/* How it is run. */
struct run_options made_options(struct apart *apart);

/* The exercise as it was handed out, made and run like a file where that fails in a way that need not be its
 * fault: what fails here as well is trouble of this machine, and no mark. */
struct control {
    const struct grader *grader;
    const struct exercise *exercise;
    int number;
    bool tried, there;
    char object[PATH_MAX];
    struct apart apart;
    struct exercise_report report; /* why it is not there */
};
void control_init(struct control *control, const struct grader *grader,
                  const struct exercise *exercise, int number);
void control_free(struct control *control);
/* false: *trouble says that this machine cannot compile now. */
bool control_compiles(struct control *control, struct error *trouble);
/* false: *trouble says that this machine cannot do such a run now. */
bool control_runs(struct control *control, const struct recipe *recipe, struct error *trouble);
/* Whether what was made of the file takes no function but those that the exercise takes. false: *error names
 * one. */
bool control_takes(struct control *control, const struct apart *apart, const char *file,
                   struct error *error);

#endif
