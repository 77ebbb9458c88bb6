/* workshop.h - the subjects of a command line as a window shows them: loaded, recorded anew as its dials say, and
 * more of them opened (struct workshop in viewer/window/window.h).
 */
#ifndef BANKSCOPE_SUBJECT_WORKSHOP_H
#define BANKSCOPE_SUBJECT_WORKSHOP_H

#include "subject/subject.h"
#include "viewer/window/window.h"

#include <stdatomic.h>
#include <sys/stat.h>

/* What a window adds to a subject. */
struct shown_subject {
    struct trace_end end;    /* of what was loaded first */
    struct exhibit *exhibit; /* loaded; whoever shows it takes it over and sets this to NULL */
    const char *inputs[16];  /* of its kernel, as dials show them; ends with NULL */
    char *text;              /* that the name points into, or NULL: somebody else's */
    struct stat seen[SUBJECT_SOURCES]; /* its files, name and also, when they were looked at last */
    _Atomic(char *)
        reads; /* what its compiler has read, as the thread that recorded it found; NULL: nothing new */
    char *watched;      /* the same as the window has it, */
    struct stat *saved; /* and each of them, when it was looked at last */
};

struct survey; /* of survey.c */

/* Begins as {.subjects = {.command = ..., .most = PANELS}, .block = -1}. */
struct subject_workshop {
    struct subjects subjects;
    struct shown_subject shown[PANELS]; /* beside each of them */
    struct survey *survey;              /* of the launches of subject 0, a program; or NULL */
    int64_t block;                      /* -1: all, or the first of a large recording */
    bool traces;                        /* nothing but traces is opened */
    bool watch;                         /* files that are saved are loaded or recorded again */
    int status;                         /* 1: a trace is cut or lacks records */
};
_Static_assert((int)SUBJECTS >= (int)PANELS, "each panel has its subject");

/* Loads or records all subjects into shown[].exhibit. */
bool workshop_load(struct subject_workshop *shop, struct error *error);
/* The functions that a window calls; its context is the shop. */
struct workshop workshop_of(struct subject_workshop *shop);
/* Gives a panel of the subject the text of its source files, as far as they are found by their names or beside the
 * recording. */
void workshop_add_text(const struct subject *subject, struct view_panel *panel);
/* struct workshop's changed; the first call says when the files were saved, so that only what is saved from then on is
 * a change. A file that is gone for now has not changed. */
unsigned workshop_changed(void *context);
void workshop_free(struct subject_workshop *shop);

/* ---- workshop_dials.c -------------------------------------------------------------------------- */

/* struct workshop's dials. */
int workshop_dials(void *context, int number, struct dial *dial, int room);
/* Runs a kernel as the dials say. */
bool workshop_record_turned(struct subject_workshop *shop, int number, const struct dials *turned,
                            const struct trace_sink *sink, struct error *error);

/* ---- survey.c: a program as a whole, with HAVE_DW only ------------------------------------------- */

/* Begins a survey of the launches of subject 0: they are listed, and a launch that is chosen is shown. */
struct survey *survey_new(void);
/* Sets the functions of the workshop that are about launches. */
void survey_add(struct workshop *workshop);
void survey_free(struct survey *survey); /* NULL: nothing */

#endif
