/* window.h - the desk: a picture with what is beside and above it, what keys and the mouse do, and the window. */
#ifndef BANKSCOPE_VIEWER_WINDOW_H
#define BANKSCOPE_VIEWER_WINDOW_H

#include "viewer/scene/scene.h"

#include <stdatomic.h>

/* ---- pane.c: text beside and above the picture --------------------------------------------- */

enum pane_kind {
    PANE_TEXT,
    PANE_HEADING,
    PANE_ITEM,     /* of a list, with a bullet */
    PANE_NUMBERED, /* the text begins with its number, "3. ", or with a blank */
    PANE_CODE,
    PANE_FIELD,
    PANE_GOOD,
    PANE_BAD,
    PANE_TITLE,
    PANE_QUESTION,
    PANE_NOTE,
    PANE_LISTING /* code in small letters */
};

/* A paragraph. Words are wrapped, a newline breaks the line; code keeps its spaces, a field is a
 * line to type into. */
struct pane_block {
    enum pane_kind kind;
    const char *text;
};

/* A key and what it does, as the help shows them. */
struct key_help {
    const char *key;  /* "Left", "Shift+Tab", "q"; NULL ends a table */
    const char *help; /* NULL: the key joins the row above; "": not shown */
};

/* The text pane of a window: lessons use it. The owner sets it and may change all of it, and the
 * view, in `press`; the window draws and scrolls it. */
struct pane {
    const struct pane_block *block;
    int blocks;
    const char *footer;          /* one line at the bottom, or NULL; */
    const char *footer_more;     /* as long as there is more below, or NULL: the same */
    const struct key_help *keys; /* shown in the help above the window's own, or NULL */
    double scroll;               /* points above the first line shown; 0 for a new page */
    double most;                 /* that it can be, and */
    double room;                 /* the height of what is shown: set by pane_draw */
    int show,
        shown; /* the next pane_draw scrolls so far that the blocks from show up to, not including,
                                  * shown are seen, or their end; none: they are the same */
    /* Asked before the window's own keys, with the name of the key: what it types ("a", "7", "?"),
     * or SDL's name of it after "Ctrl+", "Alt+", "Shift+" ("Return", "Shift+Left"). Returns
     * whether it took the key. */
    bool (*press)(void *context, struct view *view, const char *key);
    /* Asked four times a second whether something has changed, or NULL. */
    bool (*look)(void *context, struct view *view);
    void *context;
};

/* The spaces that begin every line of code. */
size_t pane_indent(const char *text);
/* Whether the space there stands in a product, "2 w" or "(k s", which is hard to read on two lines. */
bool pane_joins_factors(const char *text, size_t space);
/* Draws a block with the space above it from y on, wrapped to the width. Returns where it ends. */
double pane_block_draw(const struct pane_block *block, double x, double y, double width,
                       struct drawing *drawing);
/* Draws the text into a box; limits pane->scroll. */
void pane_draw(struct pane *pane, double x, double y, double w, double h, struct drawing *drawing);
/* Draws the tables of keys above everything, in letters that fit the drawing's page. */
void help_draw(const struct key_help *const *tables, int count, struct drawing *drawing);
/* The tables of keys as text: "Left, Right: one step back, one step on. " */
void help_says(const struct key_help *const *tables, int count, FILE *file);
/* A row of a list: what it is, and a number that a bar shows. */
struct list_row {
    char name[96];
    uint64_t number;
};
/* Draws a list above everything, as many rows as the page has room for, around the chosen one.
 * `row` fills in a row; `most` is the largest number of all. */
void list_draw(const char *title, int rows, int chosen, uint64_t most,
               void (*row)(const void *context, int number, struct list_row *row),
               const void *context, struct drawing *drawing);
/* Draws one line above everything, centred near the bottom of a page of that size. */
void note_draw(const char *text, double w, double h, struct drawing *drawing);

/* ---- dials.c: parameters to turn -------------------------------------------------------------- */

/* A parameter of what was recorded. Recordings that can be made anew are *subjects*, numbered from 0;
 * several may share a dial. */
struct dial {
    char name[32];
    const char *help;         /* lives as long as the subject, as do these: */
    const char *unit;         /* the name of a dial of which it is a multiple, or NULL */
    const char *const *words; /* the value is the index of one of them; or NULL */
    int64_t value, lowest, highest;
    int64_t slider;    /* the end of its slider: at most highest */
    bool turned;       /* it is no longer as the subject came */
    unsigned subjects; /* bits */
};

enum { DIALS = 64 };
struct dials {
    int count;
    struct dial dial[DIALS];
    int chosen;
    bool focus, hidden; /* keys go to the dials; they are not shown */
    bool dragged;       /* the chosen one's slider is */
    char typed[20];
    unsigned turned;   /* subjects of which dials have been turned: bits, for the owner to clear */
    unsigned wrong;    /* subjects that are not as the dials say: bits, set by the owner */
    double x, y, w, h; /* where they are drawn */
    int first;         /* private: the first row drawn */
};
/* Adds a dial of one subject; one that is alike is shared. false: there are too many. */
void dials_add(struct dials *dials, const struct dial *dial);
/* Only those of these subjects stay. */
void dials_keep(struct dials *dials, unsigned subjects);
/* "17", or the word. */
void dial_text(const struct dial *dial, char *text, size_t size);
/* Turns the chosen dial by so many steps. These return whether something changed or was taken. */
bool dials_turn(struct dials *dials, int by);
bool dials_press(struct dials *dials, const char *key); /* while they have the focus */
bool dials_button(struct dials *dials, double x, double y, bool down);
bool dials_drag(struct dials *dials, double x);
double dials_height(const struct dials *dials);
/* waiting: a recording is being made. There must be at least one dial. */
void dials_draw(struct dials *dials, bool waiting, struct drawing *drawing);

struct job;

/* A launch of a program, as a list shows it. */
struct launch_row {
    char kernel[256], shape[64]; /* "4x4 x 16x16" */
    uint64_t launch, passes, conflicts;
    uint64_t sectors; /* of global memory, where it was looked at */
    int number;       /* of the workshop's */
};

/* What makes recordings for a window. `context` is passed to each function. */
struct workshop {
    void *context;
    /* Fills in the dials of a subject as they are now; returns how many. */
    int (*dials)(void *context, int subject, struct dial *dial, int room);
    /* Records job->subject anew as job->dials say, through job_sink or into the result's trace. In
     * any thread, one job at a time, as is open. */
    bool (*record)(void *context, struct job *job);
    /* Loads or records what is called job->name, as one of the subjects job->free; sets
     * job->subject. */
    bool (*open)(void *context, struct job *job);
    /* Writes a web page of job->shown, from job->place on, to the file job->name. May be NULL. */
    bool (*page)(void *context, struct job *job);
    /* Gives a panel that shows the subject what its trace lacks (the source). May be NULL. */
    void (*dress)(void *context, int subject, struct view_panel *panel);
    /* The subjects (bits) whose files have changed since the last call. NULL: none is watched. Not
     * called while open is at work, which changes the subjects. */
    unsigned (*changed)(void *context);
    /* There is a window. May be NULL. */
    void (*opened)(void *context);
    /* A program as a whole (desk_survey). NULL: there is none; then so are the others. Compiles and runs it, in any
     * thread; job->result is NULL. */
    bool (*survey)(void *context, struct job *job);
    /* In words, what it does at the moment, or has found. At any time, in any thread. */
    void (*doing)(void *context, char *text, size_t room);
    /* Once it is done: how many launches there are to show, and what they are. */
    int (*launches)(void *context);
    void (*launch)(void *context, int number, struct launch_row *row);
    /* Gives job->result the recording of launch job->launch; in any thread. Sets job->subject. */
    bool (*show)(void *context, struct job *job);
    /* Runs launch job->launch again, up to what warp job->warp of its block job->block executes; job->result is NULL.
     * In any thread. NULL: it cannot. */
    bool (*follow)(void *context, struct job *job);
    /* Once it is done: the registers that the instruction of one of that warp's accesses names, in a lane. Returns how
     * many of them are in row; 0: not known. */
    int (*registers)(void *context, const struct warp_access *access, int lane,
                     struct register_row *row, int room);
};

/* ---- job.c: what takes a while ----------------------------------------------------------------- */

/* Work whose result is a recording to show, or none with *error set; error.text may stay empty if it
 * was stopped. Made by the desk; whoever has threads calls job_run in one. */
struct job {
    bool (*work)(struct job *job); /* whether there is a result */
    const void *context;           /* of work */
    struct dials dials;            /* of job_record: what to record */
    int subject;                   /* of job_record, and what job_open has opened */
    unsigned free;                 /* of job_open: subjects that it may take, and the name, */
    char name[4096];
    bool trace; /* which must be that of a trace's file */
    struct {    /* of job_page: the panels, the leading one among the first two; name is the file */
        const struct trace *trace;
        int subject; /* -1: none */
        char title[256];
    } shown[PANELS];
    int panels;
    char *place;            /* as view_place tells it */
    struct exhibit *result; /* indexed; NULL: work had another purpose */
    char title[256];        /* of its panel; of job_page: the note of what was written before */
    int panel;              /* that it is about */
    int launch;             /* of job_launch and job_follow */
    int block, warp;        /* of job_follow */
    bool good;
    atomic_bool stop; /* the result is not wanted any more */
    struct error error;
};
struct job *job_new(bool (*work)(struct job *job), const void *context, int panel);
void job_run(struct job *job);
void job_free(struct job *job);
/* A sink that fills the job's result, and ends what feeds it once the job is to stop. */
struct trace_sink job_sink(struct job *job);
/* Work whose context is a trace: it in the best layouts that advice.h finds. */
bool job_advise(struct job *job);
/* Work whose context is a workshop: to record, to open, to write a page. */
bool job_record(struct job *job);
bool job_open(struct job *job);
bool job_page(struct job *job);
bool job_survey(struct job *job);
bool job_launch(struct job *job);
bool job_follow(struct job *job);

/* ---- desk.c, desk_keys.c, desk_work.c: what a window does, whatever window it is ------------- */

/* What only the window itself can do. */
enum desk_wish { DESK_NOTHING, DESK_QUIT, DESK_EXPORT, DESK_FULLSCREEN, DESK_PRESENT };

/* What is listed above the picture, to be chosen from. */
enum desk_list { LIST_NONE, LIST_STAGES, LIST_BLOCKS, LIST_LAUNCHES };

/* A view and a pane, independent of the window system: the window passes on its size, keys, pointer
 * and clock, draws the list, and grants wishes. Times are milliseconds of any clock. Members without a
 * function may be read; set `wish` to DESK_NOTHING once it is granted, and `note` to show a message. */
struct desk {
    struct view *view;
    struct pane *pane;           /* or NULL */
    struct drawing drawing;      /* by desk_draw */
    double scale;                /* pixels of a point: text grows with the window, and as wished */
    int larger;                  /* steps by which text is larger than usual */
    int speed;                   /* index of the time between two steps while playing */
    double width, height;        /* in points */
    double picture_w, picture_h; /* of the scene, at the top left */
    double pane_x, pane_y;       /* the rest is the pane, */
    struct source_pane code;     /* and between them the source; no width: it is not shown */
    struct dials dials;          /* above the source; no width: they are not shown */
    struct listing_pane listing; /* beside or under the source; no width: it is not shown */
    bool listed;                 /* it is wanted */
    struct code_pointed {        /* what the mouse is about: */
        int line, instruction;   /* of the source, of the listing; -1: none */
        struct source_spot place;
    } code_pointed;
    bool no_code;            /* it is not wanted */
    double x, y;             /* the pointer, in points; -1: elsewhere */
    double press_x, press_y; /* where the button went down */
    enum { DRAG_NOTHING, DRAG_PICTURE, DRAG_TIMELINE, DRAG_OVERVIEW, DRAG_MAP } drag;
    bool in_browser; /* which keeps some keys to itself */
    bool help;
    enum {
        ASK_NOTHING,
        ASK_ROUND,
        ASK_NAME,
        ASK_SEARCH
    } asking; /* for a round, what to open, what is sought */
    enum desk_list list;
    int chosen;                      /* its row */
    int launch_order, launch_chosen; /* of the launches: by which column; the row that was opened */
    struct desk_warp {
        int launch, block, warp; /* launch: the workshop's number + 1; 0: none */
    } shown, followed;           /* the launch of the first panel; the warp that was run again */
    char sought[256];
    char typed[1024];
    char note[512]; /* one line above the picture until the next key; "" for none */
    enum desk_wish wish;
    double pixels_w, pixels_h, least_scale; /* of desk_resize */
    uint64_t now, next_step;                /* of the last key; while playing */
    struct job *job;                        /* that is to be done or is being done, or NULL */
    bool job_begun;
    uint64_t job_since; /* when, as far as the keys' times tell */
    struct desk_name {
        char *text; /* NULL: nothing */
        bool trace;
    } names[PANELS];                 /* what is opened next, the first first */
    const struct workshop *workshop; /* or NULL; may be set after desk_init */
    unsigned stale;                  /* subjects to be recorded anew: bits */
    bool same_turn;                  /* the dial that was turned last is being dragged on */
    bool advise_again;               /* once nothing is stale */
    uint64_t next_look;              /* whether files have changed */
    bool blank;                      /* the screen is black until the next key */
    uint64_t present_since;          /* while view->presenting */
    double notes_scroll;             /* points; desk_draw_notes limits it */
};

/* view->panels may be 0: then there is the pane alone. Both must outlive the desk. */
void desk_init(struct desk *desk, struct view *view, struct pane *pane);
void desk_free(struct desk *desk);
/* The window's size, and how many of its pixels a point has at least (more than 1 where a screen
 * has more pixels than the system counts). */
void desk_resize(struct desk *desk, double pixels_w, double pixels_h, double least_scale);
/* These return whether the picture changed. Keys have the names that struct pane's press knows, and
 * "Wheel+Up", "Wheel+Down"; points are those of the drawing. */
bool desk_press(struct desk *desk, const char *key, uint64_t now);
bool desk_button(struct desk *desk, double x, double y, bool down);
bool desk_move(struct desk *desk, double x, double y);
bool desk_leave(struct desk *desk);              /* the pointer is elsewhere */
bool desk_tick(struct desk *desk, uint64_t now); /* call it when desk_wait is over */
/* Milliseconds until there is something to do without an event; -1: never. */
int desk_wait(const struct desk *desk, uint64_t now);
/* Work to begin now, in a thread or at once, or NULL: to be asked after each of the functions above.
 * When job_run has returned, call desk_worked, by the thread that calls the others. */
struct job *desk_work(struct desk *desk);
bool desk_worked(struct desk *desk);
/* Takes over the dials of what the panels show, once the workshop is set. */
void desk_take_dials(struct desk *desk);
/* Begins to survey the workshop's program, whose launches then stand in a list. */
void desk_survey(struct desk *desk);
/* Opens another recording, in a panel of its own or instead of the leading one, once nothing else is
 * being done. trace: it is a trace's file, whatever its name, and nothing is compiled or run. */
bool desk_open(struct desk *desk, const char *name, bool trace);
/* Writes a page of what is shown to that file, where the workshop can and nothing else is being done.
 * The note, which says what else was written, then says this too. */
bool desk_page(struct desk *desk, const char *file);
/* In words, what stands above the picture: the note, the row chosen in a list, the help. Returns
 * whether it stands between the user and the picture. */
bool desk_says(const struct desk *desk, FILE *file);
/* Lays everything out for the size into desk->drawing. */
bool desk_draw(struct desk *desk, struct error *error);

/* ---- present.c: what a teacher has ----------------------------------------------------------- */

/* A ring around the pointer. */
void halo_draw(double x, double y, struct drawing *drawing);
/* The presenter's notes, for a window of their own: the view's, and the numbers that are hidden from
 * the class. false: the list overflowed (drawing->error). */
bool desk_draw_notes(struct desk *desk, double width, double height, struct drawing *drawing);

/* ---- window.c: the window (SDL2) ----------------------------------------------------------- */

/* Shows the view (panels 0: none, the pane alone) and the pane until it is closed. The pane and the
 * workshop may be NULL.
 * false: *error says why, mostly that there is no display.
 *
 * These environment variables are for tests and measurements: BANKSCOPE_DUMP=FILE writes the drawing
 * list (drawing_dump, then a line "frame N") to FILE after each redraw, and that of the notes to
 * FILE.notes; BANKSCOPE_REPLAY=N presses
 * Right N times in a window of 1920 x 1080, prints the milliseconds from key to picture, and of
 * processor time, and ends; BANKSCOPE_TURN=NAME makes it turn that parameter instead. */
bool window_run(const char *title, struct view *view, struct pane *pane,
                const struct workshop *workshop, struct error *error);

#endif
