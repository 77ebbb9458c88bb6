/* desk_work.c - what a desk has done in the background: recordings that are made anew, opened, or put
 * under the advised layout, and pages. One job at a time (job.c), which the window runs in a thread.
 */
#include "viewer/window/desk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Takes the name that waits longest out of the queue; its text is NULL where none does, and the caller's
 * to free. */
static struct desk_name next_name(struct desk *desk)
{
    struct desk_name name = desk->names[0];
    memmove(&desk->names[0], &desk->names[1], sizeof desk->names - sizeof desk->names[0]);
    desk->names[PANELS - 1] = (struct desk_name){.text = NULL};
    return name;
}

/* Empties the queue. Returns whether there were any. */
static bool forget_names(struct desk *desk)
{
    bool any = desk->names[0].text;
    for (char *text; (text = next_name(desk).text);)
        free(text);
    return any;
}

void desk_drop_work(struct desk *desk)
{
    forget_names(desk);
    job_free(desk->job);
}

struct job *desk_work(struct desk *desk)
{
    if (!desk->job && (desk->job = desk_follow(desk)))
        desk->followed =
            (struct desk_warp){desk->job->launch + 1, desk->job->block, desk->job->warp};
    if (!desk->job || desk->job_begun)
        return NULL;
    desk->job_begun = true;
    desk->job_since = desk->now;
    return desk->job;
}

/* ---- what becomes of the result -------------------------------------------------------------- */

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

void desk_dress(struct desk *desk, struct view_panel *panel, int subject)
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
    desk_dress(desk, panel, job->subject);
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
    desk_dress(desk, &view->panel[panel], job->subject);
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

/* ---- what is to be done ---------------------------------------------------------------------- */

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

static void open_now(struct desk *desk, const char *name, bool trace)
{
    const struct view *view = desk->view;
    unsigned taken = subjects_shown(view);
    if (view->panels == PANELS && view->panel[view->active].subject)
        taken &= ~(1u << (view->panel[view->active].subject - 1));
    desk->job = job_new(job_open, desk->workshop, 0);
    desk->job->free = ~taken & ((1u << PANELS) - 1);
    snprintf(desk->job->name, sizeof desk->job->name, "%s", name);
    desk->job->trace = trace;
    snprintf(desk->note, sizeof desk->note, "opening %.400s...", name);
}

/* Begins to open what waits, to record what is stale, then to advise again. */
static void go_on(struct desk *desk)
{
    struct view *view = desk->view;
    if (!desk->job && desk->names[0].text) {
        struct desk_name name = next_name(desk);
        open_now(desk, name.text, name.trace);
        free(name.text);
    }
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

void desk_make_stale(struct desk *desk, unsigned subjects)
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

void desk_take_turns(struct desk *desk)
{
    unsigned turned = desk->dials.turned;
    desk->dials.turned = 0;
    if (turned)
        desk_make_stale(desk, turned);
}

bool desk_worked(struct desk *desk)
{
    static const struct {
        bool (*work)(struct job *job);
        bool (*show)(struct desk *desk, struct job *job, struct error *error);
    } kinds[] = {{job_advise, show_advised},     {job_record, show_recorded},
                 {job_open, show_opened},        {job_page, show_page},
                 {job_survey, desk_show_survey}, {job_launch, desk_show_launch}};
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
    if (job->work == job_follow && !good)
        desk->followed.block = job->stop ? -1 : desk->followed.block;
    job_free(job);
    go_on(desk);
    return true;
}

/* ---- what is asked for ----------------------------------------------------------------------- */

/* Whether something is being done that needs the panels as they are; then it says so. */
static bool busy(struct desk *desk)
{
    desk_stop_following(desk);
    if (desk->job)
        snprintf(desk->note, sizeof desk->note, "one thing at a time: wait for what is being done");
    return desk->job;
}

bool desk_advise(struct desk *desk, int by)
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

bool desk_close(struct desk *desk, int by)
{
    (void)by;
    if (busy(desk))
        return true;
    bool removed = view_remove(desk->view, desk->view->active);
    desk_take_dials(desk);
    return removed;
}

bool desk_open(struct desk *desk, const char *name, bool trace)
{
    if (!desk->workshop || !desk->workshop->open)
        return false;
    int waiting = 0;
    while (waiting < PANELS && desk->names[waiting].text)
        waiting++;
    if (!desk->job)
        open_now(desk, name, trace);
    else if (waiting < PANELS)
        desk->names[waiting] = (struct desk_name){memory_copy(name), trace};
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
