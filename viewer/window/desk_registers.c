/* desk_registers.c - below the instructions: the registers of the lane that one points at. A program's launch is run again
 * for them, in the background, once for each warp that is looked at; then they are there forwards and back. Of a recording
 * alone there are those that its addresses and values tell (registers.c).
 */
#include "viewer/window/desk.h"

static const struct view_panel *leader_of(const struct desk *desk)
{
    return &desk->view->panel[desk->view->active];
}

/* Whether registers are shown: PTX is. */
static bool are_shown(const struct desk *desk)
{
    return desk_has_picture(desk) && desk->list != LIST_LAUNCHES && desk->listing.w > 0 &&
           !desk->listing.sass && !(desk->view->hide & HIDE_LABELS);
}

/* Whether they are of a launch that the workshop can run again. */
static bool wanted(const struct desk *desk)
{
    return are_shown(desk) && desk->workshop && desk->workshop->follow && desk->shown.launch &&
           desk->view->active == 0 && leader_of(desk)->subject;
}

static bool are_there(const struct desk *desk)
{
    const struct view_panel *leader = leader_of(desk);
    return desk->followed.launch == desk->shown.launch && desk->followed.block == leader->block &&
           desk->followed.warp == leader->warp;
}

struct job *desk_follow(const struct desk *desk)
{
    if (!wanted(desk) || are_there(desk) || view_access(desk->view) == NO_ACCESS)
        return NULL;
    struct job *job = job_new(job_follow, desk->workshop, 0);
    job->launch = desk->shown.launch - 1;
    job->block = leader_of(desk)->block;
    job->warp = leader_of(desk)->warp;
    return job;
}

void desk_stop_following(struct desk *desk)
{
    if (desk->job && desk->job->work == job_follow)
        desk->job->stop = true;
}

/* The lane that one points at, or whose thread is followed, or else the first that takes part. */
static int lane_of(const struct desk *desk, const struct warp_access *access)
{
    const struct view *view = desk->view;
    const struct view_panel *leader = leader_of(desk);
    const int warp = leader->index->trace->header.warp;
    struct word_use use;
    if (view->hover.kind == HIT_CELL && view->hover.panel == view->active &&
        stage_map_use(&leader->map, view->hover.word, leader->step, &use) &&
        use.warp == access->warp)
        return use.lane;
    if (view->followed && (view->followed - 1) / warp == access->warp)
        return (view->followed - 1) % warp;
    return access->lane[0];
}

static bool takes_part(const struct warp_access *access, int lane)
{
    for (int i = 0; i < access->lanes; i++)
        if (access->lane[i] == lane)
            return true;
    return false;
}

void desk_mark_registers(struct desk *desk, struct listing_marks *marks, struct register_row *row)
{
    const struct workshop *workshop = desk->workshop;
    const struct trace *trace = leader_of(desk)->index->trace;
    const bool again = wanted(desk);
    desk->listing.registers = are_shown(desk);
    if (!desk->listing.registers || marks->access == NO_ACCESS)
        return;
    const struct warp_access access = trace_get(trace, marks->access);
    marks->lane = lane_of(desk, &access);
    marks->registers = row;
    if (again && (!are_there(desk) || (desk->job && desk->job->work == job_follow)))
        marks->registers_note = "running the launch again...";
    else if (!takes_part(&access, marks->lane))
        marks->registers_note = "it does not take part";
    else if (!(marks->register_rows =
                   again ? workshop->registers(workshop->context, &access, marks->lane, row,
                                               REGISTER_ROWS + 1)
                         : registers_of(trace, marks->access, marks->lane, row, REGISTER_ROWS + 1)))
        marks->registers_note = "not known";
    if (marks->register_rows > REGISTER_ROWS) {
        marks->register_rows = REGISTER_ROWS;
        marks->registers_note = "it has more than these";
    }
}
