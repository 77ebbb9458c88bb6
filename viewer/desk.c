/* desk.c - what a window does, whatever window it is: keys and mouse move the view, and the picture,
 * the pane, the help and the note are laid out as one list.
 *
 * Knows no window system, no clock and no file: see viewer.h. Keys are rows of one table, of which
 * the help is made.
 */
#include "viewer/viewer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Milliseconds between two steps while playing. */
static const int speeds[] = {4000, 2000, 1000, 500, 250, 125, 60};
enum { SPEEDS = sizeof speeds / sizeof speeds[0], USUAL_SPEED = 3 };
enum { SMALLEST = -5, LARGEST = 8 };  /* steps of the text's size, of a tenth each */
static const double presented = 1.35; /* times as large for a class */
static const uint64_t minute = 60000;

void desk_init(struct desk *desk, struct view *view, struct pane *pane)
{
    *desk = (struct desk){.view = view,
                          .pane = pane,
                          .scale = 1,
                          .speed = USUAL_SPEED,
                          .x = -1,
                          .y = -1,
                          .code_pointed = -1,
                          .code = {.clicked = -1, .shown = -1}};
}

/* Takes the name that waits longest out of the queue; NULL: none does. The caller frees it. */
static char *next_name(struct desk *desk)
{
    char *name = desk->names[0];
    memmove(&desk->names[0], &desk->names[1], sizeof desk->names - sizeof desk->names[0]);
    desk->names[PANELS - 1] = NULL;
    return name;
}

/* Empties the queue. Returns whether there were any. */
static bool forget_names(struct desk *desk)
{
    bool any = desk->names[0];
    for (char *name; (name = next_name(desk));)
        free(name);
    return any;
}

void desk_free(struct desk *desk)
{
    forget_names(desk);
    job_free(desk->job);
    drawing_free(&desk->drawing);
}

static bool has_picture(const struct desk *desk)
{
    return desk->view->panels > 0;
}

/* ---- where things go ------------------------------------------------------------------------- */

enum {
    DIALS_WIDE = 256, /* width of the parameters, where there is no source */
    LEAST_CODE = 110, /* height */
};

/* Divides the window between the picture, the source and the pane. */
static void lay_out(struct desk *desk)
{
    struct source_pane *code = &desk->code;
    desk->picture_w = desk->width;
    desk->picture_h = desk->height;
    desk->pane_x = desk->pane_y = 0;
    struct dials *dials = &desk->dials;
    code->w = code->h = dials->w = dials->h = 0;
    if (!has_picture(desk))
        return;
    bool wide = desk->width >= 600 || desk->width > 1.5 * desk->height;
    if (desk->pane && wide) {
        double pane_w = 0.36 * desk->width;
        pane_w = pane_w < 280 ? 280 : pane_w > 560 ? 560 : pane_w;
        desk->pane_x = desk->picture_w = (int)(desk->width - pane_w);
    } else if (desk->pane) {
        desk->pane_y = desk->picture_h = (int)(0.55 * desk->height);
    }
    bool lines = !desk->no_code && desk->view->panel[desk->view->active].source.lines > 0;
    bool turn = dials->count > 0 && !dials->hidden;
    if (!lines && !turn)
        return;
    /* Beside the picture, or under it where that is too narrow. */
    double w, h, x = 0, y = 0;
    if (desk->picture_w >= 760) {
        double part = 0.38 * desk->picture_w;
        w = !lines ? DIALS_WIDE : (int)(part < 300 ? 300 : part > 640 ? 640 : part);
        h = desk->picture_h;
        x = desk->picture_w -= w;
    } else if (desk->picture_h >= 460) {
        w = desk->picture_w;
        h = (int)(0.3 * desk->picture_h);
        y = desk->picture_h -= h;
    } else {
        return;
    }
    if (turn) { /* the source gets the rest, if it is enough */
        double high = dials_height(dials), most = lines && x > 0 ? 0.6 * h : h;
        dials->x = x;
        dials->y = y;
        dials->w = w;
        dials->h = high < most ? high : most;
        y += dials->h;
        h -= dials->h;
    }
    if (lines && h >= LEAST_CODE)
        *code = (struct source_pane){
            x, y, w, h, code->scroll, code->clicked, code->shown, code->shown_h};
}

/* ---- what keys do: each returns whether something changed ------------------------------------ */

static bool do_step(struct desk *desk, int by)
{
    return view_step(desk->view, by);
}

static bool do_stage(struct desk *desk, int by)
{
    return view_stage(desk->view, by);
}

static bool do_warp(struct desk *desk, int by)
{
    return view_warp(desk->view, by);
}

static bool do_end(struct desk *desk, int by)
{
    return by < 0 ? view_home(desk->view) : view_end(desk->view);
}

/* From the end it plays the stage again. */
static bool do_play(struct desk *desk, int by)
{
    (void)by;
    struct view *view = desk->view;
    view->playing = !view->playing;
    if (view->playing && !view_step(view, 1))
        view_home(view);
    desk->next_step = desk->now + (uint64_t)speeds[desk->speed];
    return true;
}

static bool do_speed(struct desk *desk, int by)
{
    int speed = desk->speed + by;
    desk->speed = speed < 0 ? 0 : speed >= SPEEDS ? SPEEDS - 1 : speed;
    desk->next_step = desk->now + (uint64_t)speeds[desk->speed];
    double rate = 1000.0 / speeds[desk->speed];
    if (rate >= 1)
        snprintf(desk->note, sizeof desk->note, "plays %.0f step%s a second", rate,
                 rate < 2 ? "" : "s");
    else
        snprintf(desk->note, sizeof desk->note, "plays a step every %.0f seconds", 1 / rate);
    return true;
}

/* Larger or smaller text; 0: the usual. */
static bool do_text(struct desk *desk, int by)
{
    int larger = by ? desk->larger + by : 0;
    desk->larger = larger < SMALLEST ? SMALLEST : larger > LARGEST ? LARGEST : larger;
    desk_resize(desk, desk->pixels_w, desk->pixels_h, desk->least_scale);
    snprintf(desk->note, sizeof desk->note, "text %d %%", 100 + 10 * desk->larger);
    return true;
}

/* The point of the picture nearest to the pointer; its middle when that is elsewhere. */
static bool zoom(struct desk *desk, double factor)
{
    bool inside = desk->x >= 0 && desk->x < desk->picture_w && desk->y < desk->picture_h;
    return view_zoom(desk->view, factor, inside ? desk->x : desk->picture_w / 2,
                     inside ? desk->y : desk->picture_h / 2);
}

static bool do_zoom(struct desk *desk, int by)
{
    return by == 0 ? view_zoom_reset(desk->view) : zoom(desk, by > 0 ? 1.25 : 0.8);
}

static bool scroll_pane(struct desk *desk, double points)
{
    double before = desk->pane->scroll;
    desk->pane->scroll += points; /* pane_draw limits it */
    return desk->pane->scroll != before;
}

static bool over_code(const struct desk *desk)
{
    const struct source_pane *code = &desk->code;
    return code->w > 0 && desk->x >= code->x && desk->x < code->x + code->w && desk->y >= code->y &&
           desk->y < code->y + code->h;
}

static bool do_wheel(struct desk *desk, int by)
{
    if (over_code(desk)) {
        desk->code.scroll -= 48.0 * by;
        return true;
    }
    bool over_pane = desk->pane && desk->x >= desk->pane_x && desk->y >= desk->pane_y;
    if (over_pane)
        return scroll_pane(desk, -60.0 * by);
    return has_picture(desk) &&
           (view_zoom_overview(desk->view, by > 0 ? 1.5 : 1 / 1.5, desk->x, desk->y) ||
            (view_hit(desk->view, desk->x, desk->y).kind != HIT_OVERVIEW && do_zoom(desk, by)));
}

static bool do_page(struct desk *desk, int by)
{
    if (!desk->pane && desk->code.w > 0) {
        desk->code.scroll += by * 0.8 * desk->code.h;
        return true;
    }
    return desk->pane && scroll_pane(desk, by * 0.8 * (desk->height - desk->pane_y));
}

static bool do_swap(struct desk *desk, int by)
{
    (void)by;
    return view_swap(desk->view);
}

static bool do_race(struct desk *desk, int by)
{
    (void)by;
    return view_race(desk->view, !desk->view->race);
}

static bool do_worst(struct desk *desk, int by)
{
    (void)by;
    if (view_worst(desk->view))
        return true;
    if (desk->view->hide & HIDE_TOTALS)
        return false;
    snprintf(desk->note, sizeof desk->note, "no step has conflicts");
    return true;
}

/* The next thread of the warp, from its first on; 0: none. */
static bool do_follow(struct desk *desk, int by)
{
    const struct view_panel *leader = &desk->view->panel[desk->view->active];
    int warp = leader->index->trace->header.warp, first = leader->warp * warp;
    int followed = desk->view->followed - 1;
    bool here = followed >= first && followed < first + warp;
    if (desk->view->hide & HIDE_LABELS)
        return false;
    return view_follow_thread(desk->view, by == 0 ? -1 : here ? followed + 1 : first);
}

static bool do_overview(struct desk *desk, int by)
{
    (void)by;
    desk->view->no_overview = !desk->view->no_overview;
    return true;
}

/* ---- the source ---- */

static const struct source *source_of(const struct desk *desk)
{
    return &desk->view->panel[desk->view->active].source;
}

static bool do_code(struct desk *desk, int by)
{
    (void)by;
    if (source_of(desk)->lines == 0) {
        snprintf(desk->note, sizeof desk->note, "the recording names no source lines");
        return true;
    }
    desk->no_code = !desk->no_code;
    lay_out(desk);
    if (!desk->no_code && desk->code.w <= 0)
        snprintf(desk->note, sizeof desk->note, "the window is too small for the source");
    return true;
}

/* The line under the pointer, or that of the access to which it points. */
static int pointed_line(const struct desk *desk)
{
    const struct view *view = desk->view;
    if (desk->code.w <= 0)
        return -1;
    if (over_code(desk))
        return source_line_at(source_of(desk), &desk->code, desk->x, desk->y);
    if (view->hover.kind == HIT_NOTHING || view->hover.panel != view->active)
        return -1;
    return source_line_of(source_of(desk), view_hit_access(view, &view->hover));
}

static void draw_code(struct desk *desk)
{
    const struct view *view = desk->view;
    const struct source *source = source_of(desk);
    size_t access = view_access(view);
    struct source_marks marks = {.now = source_line_of(source, access),
                                 .conflicts =
                                     access != NO_ACCESS && source->index->conflicts[access] > 0,
                                 .pointed = pointed_line(desk),
                                 .hide = view->hide};
    source_draw(source, &desk->code, &marks, &desk->drawing);
    desk->code_pointed = marks.pointed;
}

/* To the next access of a line. */
static bool go_line(struct desk *desk, int line)
{
    const struct view_panel *leader = &desk->view->panel[desk->view->active];
    if (line < 0)
        return false;
    const struct trace_step here = desk->view->at;
    size_t at = view_access(desk->view);
    if (at == NO_ACCESS && !desk->view->race) /* the warp does nothing here: from where it would */
        at = trace_index_from(leader->index, leader->block, leader->stage, here.round, here.slot,
                              leader->warp) -
             1;
    size_t to = source_next(&leader->source, line, at, leader->block, leader->warp);
    return to != NO_ACCESS && view_go_access(desk->view, to);
}

/* ---- work in the background ---- */

struct job *desk_work(struct desk *desk)
{
    if (!desk->job || desk->job_begun)
        return NULL;
    desk->job_begun = true;
    desk->job_since = desk->now;
    return desk->job;
}

static int advised_panel(const struct view *view)
{
    for (int p = 0; p < view->panels; p++)
        if (view->panel[p].advised)
            return p;
    return -1;
}

/* Shows the result beside what it is about. */
static bool show_advised(struct desk *desk, struct job *job, struct error *error)
{
    struct view *view = desk->view;
    if (!view_add(view, job->result, error))
        return false;
    struct view_panel *panel = &view->panel[view->panels - 1];
    job->result = NULL;
    snprintf(panel->title, sizeof panel->title, "%.200s (%" PRIu64 " passes become %" PRIu64 ")",
             job->title, view->panel[job->panel].overview.passes, panel->overview.passes);
    panel->advised = true;
    return true;
}

/* Takes the advised layout of a recording away that is replaced; it comes again. */
static void forget_advised(struct desk *desk)
{
    int advised = advised_panel(desk->view);
    if (advised >= 0)
        desk->advise_again = view_remove(desk->view, advised);
}

static void dress(struct desk *desk, struct view_panel *panel, int subject)
{
    panel->subject = subject + 1;
    if (desk->workshop->dress)
        desk->workshop->dress(desk->workshop->context, subject, panel);
}

/* Shows the result instead of what it was. */
static bool show_recorded(struct desk *desk, struct job *job, struct error *error)
{
    struct view_panel *panel = &desk->view->panel[job->panel], was = *panel;
    if (!view_replace(desk->view, job->panel, job->result, true, error))
        return false;
    job->result = NULL;
    if (desk->same_turn && was.replaced) /* of one turn, from before it */
        memcpy(panel->before, was.before, sizeof panel->before);
    desk->same_turn = desk->dials.dragged;
    dress(desk, panel, job->subject);
    return true;
}

/* Shows what was opened in a panel of its own, or instead of the leading one. */
static bool show_opened(struct desk *desk, struct job *job, struct error *error)
{
    struct view *view = desk->view;
    int panel = view->panels < PANELS ? view->panels : view->active;
    bool first = view->panels == 0;
    bool good = panel == view->panels ? view_add(view, job->result, error)
                                      : view_replace(view, panel, job->result, false, error);
    if (!good)
        return false;
    job->result = NULL;
    dress(desk, &view->panel[panel], job->subject);
    if (first)
        view_worst(view);
    desk_take_dials(desk);
    return true;
}

/* Nothing to show but that it is written; the title says what was written before. */
static bool show_page(struct desk *desk, struct job *job, struct error *error)
{
    (void)error;
    snprintf(desk->note, sizeof desk->note, "%s, and the page %.200s", job->title, job->name);
    return true;
}

static unsigned subjects_shown(const struct view *view)
{
    unsigned subjects = 0;
    for (int p = 0; p < view->panels; p++)
        if (view->panel[p].subject)
            subjects |= 1u << (view->panel[p].subject - 1);
    return subjects;
}

void desk_take_dials(struct desk *desk)
{
    const struct workshop *workshop = desk->workshop;
    unsigned had = 0;
    dials_keep(&desk->dials, subjects_shown(desk->view));
    for (int i = 0; i < desk->dials.count; i++)
        had |= desk->dials.dial[i].subjects;
    for (int p = 0; workshop && workshop->dials && p < desk->view->panels; p++) {
        struct dial dial[DIALS];
        int subject = desk->view->panel[p].subject - 1;
        if (subject < 0 || had & 1u << subject)
            continue;
        int count = workshop->dials(workshop->context, subject, dial, DIALS);
        for (int i = 0; i < count; i++) {
            dial[i].subjects = 1u << subject;
            dials_add(&desk->dials, &dial[i]);
        }
    }
}

static void open_now(struct desk *desk, const char *name)
{
    const struct view *view = desk->view;
    unsigned taken = subjects_shown(view);
    if (view->panels == PANELS && view->panel[view->active].subject)
        taken &= ~(1u << (view->panel[view->active].subject - 1));
    desk->job = job_new(job_open, desk->workshop, 0);
    desk->job->free = ~taken & ((1u << PANELS) - 1);
    snprintf(desk->job->name, sizeof desk->job->name, "%s", name);
    snprintf(desk->note, sizeof desk->note, "opening %.400s...", name);
}

/* Begins to open what waits, to record what is stale, then to advise again. */
static void go_on(struct desk *desk)
{
    struct view *view = desk->view;
    char *name = desk->job ? NULL : next_name(desk);
    if (name)
        open_now(desk, name);
    free(name);
    desk->stale &= subjects_shown(view);
    if (desk->stale && !desk->job)
        forget_advised(desk); /* before a job names a panel: those behind it move up */
    for (int p = 0; p < view->panels && !desk->job; p++) {
        int subject = view->panel[p].subject - 1;
        if (subject < 0 || !(desk->stale & 1u << subject))
            continue;
        desk->stale &= ~(1u << subject);
        desk->job = job_new(job_record, desk->workshop, p);
        desk->job->dials = desk->dials;
        desk->job->subject = subject;
    }
    if (!desk->job && desk->advise_again) {
        desk->advise_again = false;
        desk->job = job_new(job_advise, view->panel[view->active].index->trace, view->active);
    }
}

/* These subjects are to be recorded anew. */
static void make_stale(struct desk *desk, unsigned subjects)
{
    const int patience = 500; /* milliseconds, for work that is not wanted any more */
    desk->stale |= subjects & subjects_shown(desk->view);
    if (desk->job && desk->job->work == job_record && desk->stale && !desk->dials.dragged &&
        desk->now >= desk->job_since + (uint64_t)patience) {
        desk->stale |= 1u << desk->job->subject;
        desk->job->stop = true;
    }
    go_on(desk);
}

/* After keys or mouse may have turned dials. */
static void take_turns(struct desk *desk)
{
    unsigned turned = desk->dials.turned;
    desk->dials.turned = 0;
    if (turned)
        make_stale(desk, turned);
}

bool desk_worked(struct desk *desk)
{
    static const struct {
        bool (*work)(struct job *job);
        bool (*show)(struct desk *desk, struct job *job, struct error *error);
    } kinds[] = {{job_advise, show_advised},
                 {job_record, show_recorded},
                 {job_open, show_opened},
                 {job_page, show_page}};
    struct job *job = desk->job;
    struct error error = job->error;
    desk->job = NULL;
    desk->job_begun = false;
    desk->note[0] = '\0';
    bool good = job->good && !job->stop;
    for (size_t i = 0; good && i < sizeof kinds / sizeof kinds[0]; i++)
        if (job->work == kinds[i].work) {
            good = kinds[i].show(desk, job, &error);
            break;
        }
    if (!good && !job->stop) {
        if (forget_names(desk)) /* their notes would go over this one */
            error_add(&error, "; the others were not opened");
        snprintf(desk->note, sizeof desk->note, "%s", error.text);
    }
    if (job->work == job_record) {
        unsigned subject = 1u << job->subject;
        desk->dials.wrong = good ? desk->dials.wrong & ~subject : desk->dials.wrong | subject;
    }
    job_free(job);
    go_on(desk);
    return true;
}

/* Whether something is being done that needs the panels as they are; then it says so. */
static bool busy(struct desk *desk)
{
    if (desk->job)
        snprintf(desk->note, sizeof desk->note, "one thing at a time: wait for what is being done");
    return desk->job;
}

/* The leading recording under the advised layout, beside it, or no more. */
static bool do_advise(struct desk *desk, int by)
{
    (void)by;
    struct view *view = desk->view;
    int advised = advised_panel(view);
    if (view->hide & HIDE_TOTALS)
        return false;
    if (busy(desk))
        return true;
    if (advised >= 0)
        return view_remove(view, advised);
    if (view->panels == PANELS)
        snprintf(desk->note, sizeof desk->note,
                 "no room for another panel: x closes the leading one");
    else
        desk->job = job_new(job_advise, view->panel[view->active].index->trace, view->active);
    if (desk->job)
        snprintf(desk->note, sizeof desk->note, "searching layouts...");
    return true;
}

static bool do_close(struct desk *desk, int by)
{
    (void)by;
    if (busy(desk))
        return true;
    bool removed = view_remove(desk->view, desk->view->active);
    desk_take_dials(desk);
    return removed;
}

bool desk_open(struct desk *desk, const char *name)
{
    if (!desk->workshop || !desk->workshop->open)
        return false;
    int waiting = 0;
    while (waiting < PANELS && desk->names[waiting])
        waiting++;
    if (!desk->job)
        open_now(desk, name);
    else if (waiting < PANELS)
        desk->names[waiting] = memory_copy(name);
    else
        snprintf(desk->note, sizeof desk->note, "too many at once: %.400s is not opened", name);
    return true;
}

bool desk_page(struct desk *desk, const char *file)
{
    struct view *view = desk->view;
    size_t length;
    if (!desk->workshop || !desk->workshop->page || desk->job)
        return false;
    struct job *job = desk->job = job_new(job_page, desk->workshop, view->active);
    FILE *place = open_memstream(&job->place, &length);
    if (!place)
        memory_exhausted();
    view_place(view, place);
    fclose(place);
    snprintf(job->name, sizeof job->name, "%s", file);
    snprintf(job->title, sizeof job->title, "%.240s", desk->note);
    job->panels = view->panels;
    for (int p = 0; p < view->panels; p++) { /* a page shows the first two */
        const struct view_panel *panel =
            &view->panel[(p + (view->active < 2 ? 0 : view->active)) % view->panels];
        job->shown[p].trace = panel->index->trace;
        job->shown[p].subject = panel->subject - 1;
        memcpy(job->shown[p].title, panel->title, sizeof panel->title);
    }
    return true;
}

static bool do_dials(struct desk *desk, int by)
{
    (void)by;
    struct dials *dials = &desk->dials;
    if (dials->count == 0) {
        snprintf(desk->note, sizeof desk->note,
                 "this recording has no parameters to turn: open a kernel by its name");
        return true;
    }
    if (!dials->focus) {
        dials->hidden = false;
        dials->focus = true;
    } else {
        dials->hidden = true;
        dials->focus = false;
    }
    lay_out(desk);
    if (dials->focus && dials->w <= 0) {
        dials->focus = false;
        snprintf(desk->note, sizeof desk->note, "the window is too small for the parameters");
    }
    return true;
}

static bool do_turn(struct desk *desk, int by)
{
    return dials_turn(&desk->dials, by);
}

/* ---- lists ---- */

static int list_rows(const struct desk *desk)
{
    const struct trace *trace = desk->view->panel[desk->view->active].index->trace;
    return desk->list == LIST_STAGES ? trace->header.stages : trace->header.blocks;
}

/* The row chosen; another panel may lead since, or another recording have taken its place. */
static int chosen_row(const struct desk *desk)
{
    int last = list_rows(desk) - 1;
    return desk->chosen > last ? last : desk->chosen;
}

static void list_row(const void *context, int number, struct list_row *row)
{
    const struct desk *desk = context;
    const struct overview *overview = &desk->view->panel[desk->view->active].overview;
    if (desk->list == LIST_STAGES) {
        snprintf(row->name, sizeof row->name, "%s", overview->index->trace->header.stage[number]);
        row->number = overview->of_stage[number];
    } else {
        snprintf(row->name, sizeof row->name, "block %d", number);
        row->number = overview->of_block[number];
    }
}

static void draw_list(struct desk *desk)
{
    const struct overview *overview = &desk->view->panel[desk->view->active].overview;
    const uint64_t *of = desk->list == LIST_STAGES ? overview->of_stage : overview->of_block;
    uint64_t most = 0;
    for (int i = 0; i < list_rows(desk); i++)
        most = of[i] > most ? of[i] : most;
    list_draw(desk->list == LIST_STAGES ? "stages and their conflicts (Return goes there)"
                                        : "blocks and their conflicts (Return goes there)",
              list_rows(desk), chosen_row(desk), most, list_row, desk, &desk->drawing);
}

static bool do_list(struct desk *desk, int list)
{
    const struct view_panel *leader = &desk->view->panel[desk->view->active];
    if (desk->view->hide & HIDE_TOTALS)
        return false;
    desk->list = (enum desk_list)list;
    desk->chosen = list == LIST_STAGES ? leader->stage : leader->block;
    return true;
}

/* A key while a list is open. */
static bool choose(struct desk *desk, const char *key)
{
    static const struct {
        const char *key;
        int by;
    } moves[] = {{"Up", -1},       {"Down", 1},          {"PageUp", -10},
                 {"PageDown", 10}, {"Home", -(1 << 28)}, {"End", 1 << 28}};
    const int chosen = chosen_row(desk);
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++)
        if (strcmp(key, moves[i].key) == 0) {
            desk->chosen = chosen + moves[i].by;
            desk->chosen = desk->chosen < 0 ? 0 : chosen_row(desk);
            return true;
        }
    enum desk_list list = desk->list;
    desk->list = LIST_NONE;
    if (strcmp(key, "Return") != 0 && strcmp(key, "Keypad Enter") != 0)
        return strcmp(key, "Escape") == 0;
    if (list == LIST_STAGES)
        view_worst_of(desk->view, chosen);
    else
        view_go_warp(desk->view, chosen, 0);
    return true;
}

/* Asks for a round or for what to open: text follows, and Return. */
static bool do_ask(struct desk *desk, int by)
{
    desk->asking = by;
    desk->typed[0] = '\0';
    return true;
}

/* What is asked, with the answer so far. */
static const char *question(const struct desk *desk, char *text, size_t size)
{
    if (desk->asking == ASK_ROUND)
        snprintf(text, size, "round %s_ (Return goes there)", desk->typed);
    else
        snprintf(text, size, "open %s_ (a trace, kernel or FILE.cu; Return opens it)", desk->typed);
    return text;
}

/* A key while something is asked for. */
static bool answer(struct desk *desk, const char *key)
{
    size_t length = strlen(desk->typed);
    bool space = strcmp(key, "Space") == 0, character = text_character(key) == strlen(key);
    const char *typed = space ? " " : character ? key : NULL;
    if (strcmp(key, "Backspace") == 0 && length > 0) {
        do /* all bytes of the last character */
            length--;
        while (length > 0 && ((unsigned char)desk->typed[length] & 0xC0) == 0x80);
        desk->typed[length] = '\0';
    } else if (typed && (desk->asking == ASK_NAME || (*typed >= '0' && *typed <= '9'))) {
        size_t room = desk->asking == ASK_NAME ? sizeof desk->typed : 8, more = strlen(typed);
        if (length + more < room)
            memcpy(desk->typed + length, typed, more + 1);
    } else if (strcmp(key, "Return") == 0 || strcmp(key, "Keypad Enter") == 0) {
        bool name = desk->asking == ASK_NAME;
        desk->asking = ASK_NOTHING;
        if (length > 0 && name)
            desk_open(desk, desk->typed);
        else if (length > 0)
            view_round(desk->view, (int)strtol(desk->typed, NULL, 10));
    } else if (strcmp(key, "Escape") == 0) {
        desk->asking = ASK_NOTHING;
    } else {
        return false;
    }
    return true;
}

static bool do_label(struct desk *desk, int by)
{
    (void)by;
    desk->view->label = (desk->view->label + 1) % LABELS;
    return true;
}

static bool do_theme(struct desk *desk, int by)
{
    (void)by;
    desk->view->theme++;
    if (!desk->view->theme->name)
        desk->view->theme = themes;
    return true;
}

/* What only the window itself can do is a wish. */
static bool do_wish(struct desk *desk, int wish)
{
    desk->wish = (enum desk_wish)wish;
    return false;
}

/* ---- to a class ---- */

static void lay_out_again(struct desk *desk)
{
    desk_resize(desk, desk->pixels_w, desk->pixels_h, desk->least_scale);
}

/* Begins or ends it; the window opens the notes. */
static bool do_present(struct desk *desk, int by)
{
    (void)by;
    struct view *view = desk->view;
    view->presenting = !view->presenting;
    desk->present_since = desk->now;
    desk->wish = DESK_PRESENT;
    if (!view->presenting)
        view_veil(view, false);
    lay_out_again(desk);
    return true;
}

static bool do_blank(struct desk *desk, int by)
{
    (void)by;
    desk->blank = true;
    return true;
}

static bool do_numbers(struct desk *desk, int by)
{
    (void)by;
    view_veil(desk->view, !desk->view->veiled);
    snprintf(desk->note, sizeof desk->note, "%s",
             desk->view->veiled  ? "numbers are hidden: v shows them"
             : desk->view->asked ? "the question hides numbers until it is answered"
                                 : "numbers are shown");
    return true;
}

/* On and back, as a remote control asks for it. */
static bool do_go(struct desk *desk, int by)
{
    struct pane *pane = desk->pane;
    if (pane && pane->press)
        return pane->press(pane->context, desk->view, by > 0 ? "Present+Next" : "Present+Previous");
    return has_picture(desk) && view_step(desk->view, by);
}

static bool do_help(struct desk *desk, int by)
{
    (void)by;
    desk->help = !desk->help;
    return true;
}

/* ---- the keys -------------------------------------------------------------------------------- */

/* What a key needs: a picture, no lesson that decides what is shown, somebody who makes recordings, a
 * window of our own, or a browser's, or a class that one presents to: bits. */
enum need {
    ALWAYS = 0,
    PICTURE = 1,
    ALONE = 2,
    WORKSHOP = 4,
    WINDOW = 8,
    BROWSER = 16,
    PRESENTING = 32
};

/* A key by the name that key_name gives it. help as in struct key_help. */
struct key_action {
    struct key_help key;
    bool (*act)(struct desk *desk, int by);
    int by;
    unsigned needs;
};

static const struct key_action actions[] = {
    {{"PageDown", "go on, back: for a class, also by remote control"}, do_go, 1, PRESENTING},
    {{"PageUp", NULL}, do_go, -1, PRESENTING},
    {{"b", "a blank screen; any key brings it back"}, do_blank, 0, PRESENTING},
    {{".", NULL}, do_blank, 0, PRESENTING},
    {{"Escape", ""}, do_present, 0, PRESENTING},
    {{"Left", "one step back, one step on"}, do_step, -1, PICTURE},
    {{"Right", NULL}, do_step, 1, PICTURE},
    {{"Shift+Left", "stage before, stage after"}, do_stage, -1, PICTURE},
    {{"Shift+Right", NULL}, do_stage, 1, PICTURE},
    {{"Up", "warp before, warp after"}, do_warp, -1, PICTURE},
    {{"Down", NULL}, do_warp, 1, PICTURE},
    {{"Space", "play and pause"}, do_play, 0, PICTURE},
    {{"<", "play slower, faster"}, do_speed, -1, PICTURE},
    {{">", NULL}, do_speed, 1, PICTURE},
    {{",", ""}, do_speed, -1, PICTURE},
    {{".", ""}, do_speed, 1, PICTURE},
    {{"Home", "first and last step; again: of all stages"}, do_end, -1, PICTURE},
    {{"End", NULL}, do_end, 1, PICTURE},
    {{"w", "the worst step of the run; again: the next"}, do_worst, 0, PICTURE},
    {{"g", "go to a round, by its number"}, do_ask, ASK_ROUND, PICTURE},
    {{"s", "the stages, the blocks: choose one"}, do_list, LIST_STAGES, PICTURE},
    {{"b", NULL}, do_list, LIST_BLOCKS, PICTURE},
    {{"+", "zoom in, out, all"}, do_zoom, 1, PICTURE},
    {{"-", NULL}, do_zoom, -1, PICTURE},
    {{"0", NULL}, do_zoom, 0, PICTURE},
    {{"=", ""}, do_zoom, 1, PICTURE},
    {{"Wheel", "zoom about the pointer"}, NULL, 0, PICTURE},
    {{"Drag", "move the picture"}, NULL, 0, PICTURE},
    {{"Swipe", "all of it in sight: one step"}, NULL, 0, PICTURE | BROWSER},
    {{"Hover", "who, where, when and why"}, NULL, 0, PICTURE},
    {{"Click", "a cell: follow its thread; timeline, run, source: go there"}, NULL, 0, PICTURE},
    {{"p", "follow the next thread, or none"}, do_follow, 1, PICTURE},
    {{"Delete", NULL}, do_follow, 0, PICTURE},
    {{"Tab", "another panel leads"}, do_swap, 0, PICTURE | WINDOW},
    {{"n", "another panel leads"}, do_swap, 0, PICTURE | BROWSER},
    {{"l", "cells show thread, address, value"}, do_label, 0, PICTURE},
    {{"t", "light, print, dark"}, do_theme, 0, ALWAYS},
    {{"v", "hide the numbers (veil), show them"}, do_numbers, 0, PICTURE},
    {{"r", "race: share passes, not rounds"}, do_race, 0, PICTURE},
    {{"o", "the whole run, or without it"}, do_overview, 0, PICTURE},
    {{"c", "the source, or without it"}, do_code, 0, PICTURE},
    {{"a", "the advised layout beside today's, or no more"}, do_advise, 0, PICTURE | ALONE},
    {{"x", "close the leading panel"}, do_close, 0, PICTURE | ALONE},
    {{"Ctrl+O", "open a recording beside it (or drop a file)"}, do_ask, ASK_NAME, WORKSHOP},
    {{"k", "parameters: choose one, or hide them"}, do_dials, 0, WORKSHOP},
    {{"[", "the chosen parameter: less, more"}, do_turn, -1, WORKSHOP},
    {{"]", NULL}, do_turn, 1, WORKSHOP},
    {{"e", "export what is shown: PDF, PNG, and a web page"},
     do_wish,
     DESK_EXPORT,
     PICTURE | WINDOW},
    {{"e", "export the picture as PNG"}, do_wish, DESK_EXPORT, PICTURE | BROWSER},
    {{"PageUp", ""}, do_page, -1, ALWAYS},
    {{"PageDown", ""}, do_page, 1, ALWAYS},
    {{"Wheel+Up", ""}, do_wheel, 1, ALWAYS},
    {{"Wheel+Down", ""}, do_wheel, -1, ALWAYS},
    {{"Ctrl++", "larger, smaller, usual text"}, do_text, 1, WINDOW},
    {{"Ctrl+-", NULL}, do_text, -1, WINDOW},
    {{"Ctrl+0", NULL}, do_text, 0, WINDOW},
    {{"Ctrl+=", ""}, do_text, 1, WINDOW},
    {{"Ctrl+Shift+=", ""}, do_text, 1, WINDOW},
    {{"Ctrl+Keypad +", ""}, do_text, 1, WINDOW},
    {{"Ctrl+Keypad -", ""}, do_text, -1, WINDOW},
    {{"F11", "the whole screen, a window"}, do_wish, DESK_FULLSCREEN, WINDOW},
    {{"F5", "present to a class: large text, a halo, notes; again: end"}, do_present, 0, WINDOW},
    {{"?", "this help"}, do_help, 0, ALWAYS},
    {{"q", "quit"}, do_wish, DESK_QUIT, WINDOW},
    {{"Escape", NULL}, do_wish, DESK_QUIT, WINDOW},
    {{"Ctrl+Q", NULL}, do_wish, DESK_QUIT, WINDOW},
};
enum { ACTIONS = sizeof actions / sizeof actions[0] };

static bool works_here(const struct desk *desk, unsigned needs)
{
    unsigned has = (has_picture(desk) ? PICTURE : 0) | (desk->pane ? 0 : ALONE) |
                   (desk->workshop ? WORKSHOP : 0) | (desk->in_browser ? BROWSER : WINDOW) |
                   (desk->view->presenting ? PRESENTING : 0);
    return (needs & ~has) == 0;
}

static void collect_keys(const struct desk *desk, struct key_help own[ACTIONS + 1])
{
    int used = 0;
    for (int i = 0; i < ACTIONS; i++)
        if (works_here(desk, actions[i].needs & ~(unsigned)PICTURE))
            own[used++] = actions[i].key;
    own[used].key = NULL;
}

/* One letter may be typed in either case. */
static bool same_key(const char *key, const char *typed)
{
    bool capital = *typed >= 'A' && *typed <= 'Z' && !typed[1];
    return strcmp(key, typed) == 0 || (capital && !key[1] && *typed - 'A' + 'a' == *key);
}

static bool press_key(struct desk *desk, const char *key)
{
    bool changed = desk->note[0] != '\0';
    desk->note[0] = '\0';
    if (desk->blank) {
        desk->blank = false;
        return true;
    }
    if (desk->help && strcmp(key, "?") != 0) {
        desk->help = false;
        changed = true;
        if (strcmp(key, "Escape") == 0) /* closes the help, not the window */
            return true;
    }
    if (desk->asking) {
        if (answer(desk, key))
            return true;
        desk->asking = ASK_NOTHING; /* another key does what it does */
        changed = true;
    }
    if (desk->list != LIST_NONE) {
        if (choose(desk, key))
            return true;
        changed = true;
    }
    if (desk->dials.focus && desk->dials.w > 0 && dials_press(&desk->dials, key))
        return true;
    struct pane *pane = desk->pane;
    if (pane && pane->press && pane->press(pane->context, desk->view, key))
        return true;
    for (int i = 0; i < ACTIONS; i++) {
        const struct key_action *action = &actions[i];
        if (action->act && same_key(action->key.key, key) && works_here(desk, action->needs))
            return action->act(desk, action->by) || changed;
    }
    return changed;
}

bool desk_press(struct desk *desk, const char *key, uint64_t now)
{
    desk->now = now;
    bool changed = press_key(desk, key);
    take_turns(desk);
    return changed;
}

/* ---- the mouse ------------------------------------------------------------------------------- */

static bool hover(struct desk *desk)
{
    return has_picture(desk) &&
           (view_hover(desk->view, desk->x, desk->y) || pointed_line(desk) != desk->code_pointed);
}

bool desk_button(struct desk *desk, double x, double y, bool down)
{
    double moved_x = x - desk->press_x, moved_y = y - desk->press_y;
    bool clicked = desk->drag == DRAG_PICTURE && moved_x * moved_x + moved_y * moved_y < 16;
    desk->x = x;
    desk->y = y;
    desk->drag = DRAG_NOTHING;
    if (!has_picture(desk))
        return false;
    bool dragged = desk->dials.dragged;
    if (desk->dials.w > 0 && (dials_button(&desk->dials, x, y, down) || dragged)) {
        desk->same_turn &= desk->dials.dragged;
        take_turns(desk);
        return true;
    }
    if (over_code(desk))
        return down && go_line(desk, source_line_at(source_of(desk), &desk->code, x, y));
    struct hit hit = view_hit(desk->view, x, y);
    if (!down) {
        desk->code.clicked = clicked ? pointed_line(desk) : -1;
        return clicked && (view_follow(desk->view, &hit) || desk->code.clicked >= 0);
    }
    desk->press_x = x;
    desk->press_y = y;
    if (hit.kind == HIT_NOTHING)
        return false;
    desk->drag = hit.kind == HIT_TIMELINE   ? DRAG_TIMELINE
                 : hit.kind == HIT_OVERVIEW ? DRAG_OVERVIEW
                                            : DRAG_PICTURE;
    return view_click(desk->view, &hit);
}

bool desk_move(struct desk *desk, double x, double y)
{
    double from_x = desk->x, from_y = desk->y;
    desk->x = x;
    desk->y = y;
    bool changed = false;
    if (desk->dials.dragged) {
        changed = dials_drag(&desk->dials, x);
        take_turns(desk);
        return changed;
    }
    if (desk->drag == DRAG_PICTURE)
        changed = view_pan(desk->view, x - from_x, y - from_y);
    if (desk->drag == DRAG_TIMELINE || desk->drag == DRAG_OVERVIEW) {
        struct hit hit = view_hit(desk->view, x, y);
        changed = (hit.kind == HIT_TIMELINE) == (desk->drag == DRAG_TIMELINE) &&
                  (hit.kind == HIT_TIMELINE || hit.kind == HIT_OVERVIEW) &&
                  view_click(desk->view, &hit);
    }
    return hover(desk) || changed || desk->view->presenting;
}

bool desk_leave(struct desk *desk)
{
    desk->x = desk->y = -1;
    return hover(desk) || desk->view->presenting;
}

/* ---- playing --------------------------------------------------------------------------------- */

static int until(uint64_t time, uint64_t now)
{
    return now < time ? (int)(time - now) : 0;
}

/* Of two waits, of which -1 has no end. */
static int sooner(int a, int b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

int desk_wait(const struct desk *desk, uint64_t now)
{
    int step = !has_picture(desk) || !desk->view->playing ? -1 : until(desk->next_step, now);
    bool looks = (desk->workshop && desk->workshop->changed) || (desk->pane && desk->pane->look);
    int look = looks ? until(desk->next_look, now) : -1;
    int clock = desk->view->presenting ? (int)(minute - (now - desk->present_since) % minute) : -1;
    return sooner(step, sooner(look, clock));
}

bool desk_tick(struct desk *desk, uint64_t now)
{
    const uint64_t between_looks = 250; /* milliseconds */
    bool clock = desk->view->presenting &&
                 (now - desk->present_since) / minute != (desk->now - desk->present_since) / minute;
    if (clock)
        desk->now = now;
    bool changed = clock, due = now >= desk->next_look;
    if (due)
        desk->next_look = now + between_looks;
    bool opening = desk->job && desk->job->work == job_open;
    if (due && desk->workshop && desk->workshop->changed && !opening) {
        desk->now = now;
        make_stale(desk, desk->workshop->changed(desk->workshop->context));
    }
    if (due && desk->pane && desk->pane->look)
        changed |= desk->pane->look(desk->pane->context, desk->view);
    if (!has_picture(desk) || !desk->view->playing || now < desk->next_step)
        return changed;
    desk->next_step = now + (uint64_t)speeds[desk->speed];
    if (!view_step(desk->view, 1))
        desk->view->playing = false;
    return true;
}

/* ---- drawing --------------------------------------------------------------------------------- */

void desk_resize(struct desk *desk, double pixels_w, double pixels_h, double least_scale)
{
    double scale = desk->scale;
    desk->pixels_w = pixels_w;
    desk->pixels_h = pixels_h;
    desk->least_scale = least_scale;
    double by_width = pixels_w / 1920.0, by_height = pixels_h / 1080.0;
    double larger = by_width < by_height ? by_width : by_height;
    desk->scale = least_scale;
    if (larger > desk->scale)
        desk->scale = (int)(4 * larger) / 4.0;
    desk->scale *= (1 + 0.1 * desk->larger) * (desk->view->presenting ? presented : 1);
    if (desk->x >= 0) { /* the pointer has not moved */
        desk->x *= scale / desk->scale;
        desk->y *= scale / desk->scale;
    }
    desk->width = pixels_w / desk->scale;
    desk->height = pixels_h / desk->scale;

    lay_out(desk);
}

/* The whole picture as a list. */
static void compose(struct desk *desk)
{
    struct drawing *drawing = &desk->drawing;
    lay_out(desk);
    desk->code_pointed = -1;
    if (has_picture(desk))
        scene_draw(desk->view, desk->picture_w, desk->picture_h, drawing);
    else
        drawing_begin(drawing, desk->width, desk->height);
    drawing->width = desk->width;
    drawing->height = desk->height;
    double side_x = -1; /* the left edge of what is beside or under the picture */
    if (desk->code.w > 0 || desk->dials.w > 0) {
        double all_w = desk->pane_x > 0 ? desk->pane_x : desk->width;
        double all_h = desk->pane_y > 0 ? desk->pane_y : desk->height;
        double x = desk->picture_w < all_w ? desk->picture_w : 0;
        double y = x > 0 ? 0 : desk->picture_h;
        drawing_box(drawing, ROLE_PAPER, x, y, all_w - x, all_h - y);
    }
    if (desk->code.w > 0) {
        const struct source_pane *code = &desk->code;
        draw_code(desk);
        side_x = code->x;
    }
    if (desk->dials.w > 0) {
        struct dials *dials = &desk->dials;
        bool recording = desk->job && desk->job->work == job_record;
        dials_draw(dials, recording, drawing);
        side_x = dials->x;
        if (desk->code.w > 0)
            drawing_line(drawing, ROLE_GRID, 1, false, dials->x, dials->y + dials->h,
                         dials->x + dials->w, dials->y + dials->h);
    }
    if (side_x > 0)
        drawing_line(drawing, ROLE_GRID, 1, false, side_x, 0, side_x, desk->picture_h);
    else if (side_x == 0)
        drawing_line(drawing, ROLE_GRID, 1, false, 0, desk->picture_h, desk->picture_w,
                     desk->picture_h);
    if (desk->pane) {
        double x = desk->pane_x, y = desk->pane_y;
        pane_draw(desk->pane, x, y, desk->width - x, desk->height - y, drawing);
        if (has_picture(desk))
            drawing_line(drawing, ROLE_GRID, 1, false, x, y, x > 0 ? x : desk->width,
                         x > 0 ? desk->height : y);
    }
    struct key_help own[ACTIONS + 1];
    char asked[sizeof desk->typed + 64];
    if (desk->asking)
        note_draw(question(desk, asked, sizeof asked), 0, 0, desk->width, desk->height, drawing);
    else if (desk->note[0])
        note_draw(desk->note, 0, 0, desk->width, desk->height, drawing);
    if (desk->list != LIST_NONE)
        draw_list(desk);
    if (desk->help) {
        collect_keys(desk, own);
        help_draw((const struct key_help *[]){desk->pane ? desk->pane->keys : NULL, own}, 2,
                  drawing);
    }
    if (desk->view->presenting && desk->x >= 0)
        halo_draw(desk->x, desk->y, drawing);
    if (desk->blank) {
        drawing_begin(drawing, desk->width, desk->height);
        drawing_box(drawing, ROLE_BLANK, 0, 0, desk->width, desk->height);
    }
}

bool desk_says(const struct desk *desk, FILE *file)
{
    struct key_help own[ACTIONS + 1];
    char asked[sizeof desk->typed + 64];
    struct list_row row = {.number = 0};
    if (desk->asking)
        fprintf(file, "%s. ", question(desk, asked, sizeof asked));
    else if (desk->note[0])
        fprintf(file, "%s. ", desk->note);
    if (desk->list != LIST_NONE) {
        list_row(desk, chosen_row(desk), &row);
        fprintf(file, "%s: %" PRIu64 " conflicts; %d of %d. ", row.name, row.number,
                chosen_row(desk) + 1, list_rows(desk));
    }
    if (desk->help) {
        collect_keys(desk, own);
        help_says((const struct key_help *[]){desk->pane ? desk->pane->keys : NULL, own}, 2, file);
    }
    return desk->asking || desk->list != LIST_NONE || desk->help;
}

bool desk_draw(struct desk *desk, struct error *error)
{
    compose(desk);
    /* What was moved under the pointer is what it points at now. */
    if (desk->drag == DRAG_NOTHING && !desk->drawing.error.text[0] && hover(desk))
        compose(desk);
    return !desk->drawing.error.text[0] || error_set(error, "%s", desk->drawing.error.text);
}
