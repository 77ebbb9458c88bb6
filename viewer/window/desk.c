/* desk.c - what a window does, whatever window it is: the picture, the pane, the source and what stands
 * above them are laid out as one list; mouse and clock move the view.
 *
 * Knows no window system, no clock and no file: see viewer.h. desk_keys.c says what keys do,
 * desk_work.c what is done in the background.
 */
#include "viewer/window/desk.h"

#include <string.h>

/* Milliseconds between two steps while playing. */
static const int speeds[] = {4000, 2000, 1000, 500, 250, 125, 60};
enum { SPEEDS = sizeof speeds / sizeof speeds[0], USUAL_SPEED = 3 };
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
                          .code_pointed = {.line = -1, .instruction = -1},
                          .listing = {.clicked = -1, .shown = -1},
                          .code = {.clicked = -1, .shown = -1}};
}

void desk_free(struct desk *desk)
{
    desk_drop_work(desk);
    drawing_free(&desk->drawing);
}

/* ---- where things go ------------------------------------------------------------------------- */

enum {
    DIALS_WIDE = 256,   /* width of the parameters, where there is no source */
    LEAST_CODE = 110,   /* height */
    MOST_LISTING = 520, /* width, of a column of its own, */
    LEAST_LISTING = 300,
    LEAST_PICTURE = 700, /* which leaves the picture this width */
};

/* The instructions: a column of their own where that leaves the picture enough, else a half of the source's. */
static void lay_out_listing(struct desk *desk)
{
    struct source_pane *code = &desk->code;
    struct listing_pane *listing = &desk->listing;
    const double own = code->w < MOST_LISTING ? code->w : MOST_LISTING;
    const bool column = code->x > 0 && code->y <= desk->dials.y + desk->dials.h;
    listing->x = code->x;
    listing->y = code->y;
    listing->w = code->w;
    listing->h = code->h;
    if (column && desk->picture_w - own >= LEAST_PICTURE) {
        desk->picture_w -= own;
        code->x -= own;
        desk->dials.x -= own;
        desk->dials.w += desk->dials.w > 0 ? own : 0;
        listing->x = code->x + code->w;
        listing->w = own;
    } else if (column && code->h >= 2 * LEAST_CODE) {
        code->h = (int)(0.45 * code->h);
        listing->y += code->h;
        listing->h -= code->h;
    } else if (!column && code->w >= 2 * LEAST_LISTING) {
        code->w = (int)(0.5 * code->w);
        listing->x += code->w;
        listing->w -= code->w;
    } else {
        listing->w = 0;
    }
}

void desk_lay_out(struct desk *desk)
{
    struct source_pane *code = &desk->code;
    desk->picture_w = desk->width;
    desk->picture_h = desk->height;
    desk->pane_x = desk->pane_y = 0;
    struct dials *dials = &desk->dials;
    code->w = code->h = dials->w = dials->h = desk->listing.w = 0;
    if (!desk_has_picture(desk))
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
    /* Beside the picture, or under it where that is too narrow; between picture and text, few lines under it. */
    const bool between = desk->pane_x > 0 && desk->picture_w < 1000;
    double w, h, x = 0, y = 0;
    if (desk->picture_w >= 760 && !(between && desk->picture_h >= 640)) {
        double part = 0.38 * desk->picture_w;
        w = !lines ? DIALS_WIDE : (int)(part < 300 ? 300 : part > 640 ? 640 : part);
        h = desk->picture_h;
        x = desk->picture_w -= w;
    } else if (desk->picture_h >= 460) {
        w = desk->picture_w;
        h = (int)((between && desk->picture_h >= 640 ? 0.2 : 0.3) * desk->picture_h);
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
            x, y, w, h, code->scroll, code->numbers, code->clicked, code->shown, code->shown_h};
    if (desk->listed && code->w > 0 && listing_is_known(&desk_source(desk)->index->trace->header))
        lay_out_listing(desk);
}

/* ---- the mouse ------------------------------------------------------------------------------- */

static bool hover(struct desk *desk)
{
    return desk_has_picture(desk) && desk->list != LIST_LAUNCHES &&
           (view_hover(desk->view, desk->x, desk->y) || desk_points_anew(desk));
}

bool desk_button(struct desk *desk, double x, double y, bool down)
{
    double moved_x = x - desk->press_x, moved_y = y - desk->press_y;
    bool clicked = desk->drag == DRAG_PICTURE && moved_x * moved_x + moved_y * moved_y < 16;
    desk->x = x;
    desk->y = y;
    desk->drag = DRAG_NOTHING;
    if (desk->list == LIST_LAUNCHES)
        return down && desk_click_launches(desk, x, y);
    if (!desk_has_picture(desk))
        return false;
    bool dragged = desk->dials.dragged;
    if (desk->dials.w > 0 && (dials_button(&desk->dials, x, y, down) || dragged)) {
        desk->same_turn &= desk->dials.dragged;
        desk_take_turns(desk);
        return true;
    }
    bool over_code, moved = desk_click_code(desk, down, &over_code);
    if (over_code)
        return moved;
    struct hit hit = view_hit(desk->view, x, y);
    if (!down) {
        desk->code.clicked = clicked ? desk_pointed_line(desk) : -1;
        return clicked && (view_follow(desk->view, &hit) || desk->code.clicked >= 0);
    }
    desk->press_x = x;
    desk->press_y = y;
    if (hit.kind == HIT_NOTHING)
        return false;
    desk->drag = hit.kind == HIT_TIMELINE   ? DRAG_TIMELINE
                 : hit.kind == HIT_OVERVIEW ? DRAG_OVERVIEW
                 : hit.kind == HIT_MAP      ? DRAG_MAP
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
        desk_take_turns(desk);
        return changed;
    }
    if (desk->drag == DRAG_PICTURE)
        changed = view_pan(desk->view, x - from_x, y - from_y);
    if (desk->drag == DRAG_TIMELINE || desk->drag == DRAG_OVERVIEW || desk->drag == DRAG_MAP) {
        struct hit hit = view_hit(desk->view, x, y);
        changed = hit.kind == (desk->drag == DRAG_TIMELINE   ? HIT_TIMELINE
                               : desk->drag == DRAG_OVERVIEW ? HIT_OVERVIEW
                                                             : HIT_MAP) &&
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

/* From the end it plays the stage again. */
bool desk_play(struct desk *desk, int by)
{
    (void)by;
    struct view *view = desk->view;
    view->playing = !view->playing;
    if (view->playing && !view_step(view, 1))
        view_home(view);
    desk->next_step = desk->now + (uint64_t)speeds[desk->speed];
    return true;
}

bool desk_speed(struct desk *desk, int by)
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

static int until(uint64_t time, uint64_t now)
{
    return now < time ? (int)(time - now) : 0;
}

/* The shorter of two waits, of which -1 has no end. */
static int sooner(int a, int b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

int desk_wait(const struct desk *desk, uint64_t now)
{
    int step = !desk_has_picture(desk) || !desk->view->playing ? -1 : until(desk->next_step, now);
    bool looks = (desk->workshop && desk->workshop->changed) || (desk->pane && desk->pane->look);
    int look = looks ? until(desk->next_look, now) : -1;
    const int moment = 150; /* milliseconds, in which the survey says something new */
    if (desk->job && desk->job->work == job_survey)
        look = sooner(look, moment);
    int clock = desk->view->presenting ? (int)(minute - (now - desk->present_since) % minute) : -1;
    return sooner(step, sooner(look, clock));
}

bool desk_tick(struct desk *desk, uint64_t now)
{
    /* Milliseconds. What is watched is looked at more often: a look costs a question to the system, and who saves
     * a file is waiting. */
    const uint64_t between_looks = desk->workshop && desk->workshop->changed ? 5 : 250;
    bool clock = desk->view->presenting &&
                 (now - desk->present_since) / minute != (desk->now - desk->present_since) / minute;
    if (clock)
        desk->now = now;
    bool changed = clock || (desk->job && desk->job->work == job_survey),
         due = now >= desk->next_look;
    if (due)
        desk->next_look = now + between_looks;
    bool opening = desk->job && desk->job->work == job_open;
    if (due && desk->workshop && desk->workshop->changed && !opening) {
        desk->now = now;
        desk_make_stale(desk, desk->workshop->changed(desk->workshop->context));
    }
    if (due && desk->pane && desk->pane->look)
        changed |= desk->pane->look(desk->pane->context, desk->view);
    if (!desk_has_picture(desk) || !desk->view->playing || now < desk->next_step)
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

    desk_lay_out(desk);
}

/* The whole picture as a list. */
static void compose(struct desk *desk)
{
    struct drawing *drawing = &desk->drawing;
    desk_lay_out(desk);
    desk->code_pointed = (struct code_pointed){.line = -1, .instruction = -1};
    desk->view->explained = true; /* here, and not in pictures that are saved */
    if (desk_has_picture(desk))
        scene_draw(desk->view, desk->picture_w, desk->picture_h, drawing);
    else
        drawing_begin(drawing, desk->width, desk->height);
    desk->view->explained = false;
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
        desk_draw_code(desk);
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
        if (desk_has_picture(desk))
            drawing_line(drawing, ROLE_GRID, 1, false, x, y, x > 0 ? x : desk->width,
                         x > 0 ? desk->height : y);
    }
    desk_draw_above(desk);
    if (desk->view->presenting && desk->x >= 0)
        halo_draw(desk->x, desk->y, drawing);
    if (desk->blank) {
        drawing_begin(drawing, desk->width, desk->height);
        drawing_box(drawing, ROLE_BLANK, 0, 0, desk->width, desk->height);
    }
}

bool desk_draw(struct desk *desk, struct error *error)
{
    compose(desk);
    /* What was moved under the pointer is what it points at now. */
    if (desk->drag == DRAG_NOTHING && !desk->drawing.error.text[0] && hover(desk))
        compose(desk);
    return !desk->drawing.error.text[0] || error_set(error, "%s", desk->drawing.error.text);
}
