/* desk_code.c - the source beside the picture, and the instructions that it became: what the mouse is about in one
 * is marked in the other.
 */
#include "viewer/window/desk.h"

static bool is_in(const struct desk *desk, double x, double y, double w, double h)
{
    return w > 0 && desk->x >= x && desk->x < x + w && desk->y >= y && desk->y < y + h;
}

static bool is_over_code(const struct desk *desk)
{
    const struct source_pane *code = &desk->code;
    return is_in(desk, code->x, code->y, code->w, code->h);
}

static bool over_listing(const struct desk *desk)
{
    const struct listing_pane *listing = &desk->listing;
    return is_in(desk, listing->x, listing->y, listing->w, listing->h);
}

static const struct trace *leading_trace(const struct desk *desk)
{
    return desk->view->panel[desk->view->active].index->trace;
}

/* ---- what the mouse is about ----------------------------------------------------------------- */

/* The line under the pointer, that of the instruction there, or of the access to which it points. */
static struct code_pointed pointed(const struct desk *desk)
{
    const struct view *view = desk->view;
    const struct source *source = desk_source(desk);
    struct code_pointed at = {.line = -1, .instruction = -1};
    if (desk->code.w <= 0)
        return at;
    if (over_listing(desk)) {
        const struct trace_header *header = &leading_trace(desk)->header;
        at.instruction = listing_at(header, &desk->listing, desk->x, desk->y);
        at.place = listing_spot(header, at.instruction);
    } else if (is_over_code(desk)) {
        at.line = source_line_at(source, &desk->code, desk->x, desk->y);
        at.place = source_spot_at(source, &desk->code, desk->x, desk->y);
    } else if (view->hover.kind != HIT_NOTHING && view->hover.panel == view->active) {
        at.line = source_line_of(source, view_hit_access(view, &view->hover));
        at.place = source_spot_of(source, at.line);
    }
    return at;
}

int desk_pointed_line(const struct desk *desk)
{
    return pointed(desk).line;
}

bool desk_points_anew(const struct desk *desk)
{
    const struct code_pointed now = pointed(desk), *was = &desk->code_pointed;
    return now.line != was->line || now.instruction != was->instruction ||
           now.place.file != was->place.file || now.place.number != was->place.number;
}

/* ---- drawing --------------------------------------------------------------------------------- */

void desk_draw_code(struct desk *desk)
{
    const struct view *view = desk->view;
    const struct source *source = desk_source(desk);
    const struct trace *trace = leading_trace(desk);
    const size_t access = view_access(view);
    const bool conflicts = access != NO_ACCESS && source->index->conflicts[access] > 0;
    desk->code_pointed = pointed(desk);
    const struct source_marks marks = {.now = source_line_of(source, access),
                                       .conflicts = conflicts,
                                       .pointed = desk->code_pointed.line,
                                       .at = desk->code_pointed.place,
                                       .hide = view->hide};
    source_draw(source, &desk->code, &marks, &desk->drawing);
    if (desk->listing.w <= 0)
        return;
    struct register_row row[REGISTER_ROWS + 1]; /* whether there are more than fit */
    struct listing_marks instructions = {.access = access,
                                         .now = listing_of(trace, access),
                                         .line = source_spot_of(source, marks.now),
                                         .conflicts = conflicts,
                                         .pointed = desk->code_pointed.place,
                                         .pointed_at = desk->code_pointed.instruction,
                                         .hide = view->hide};
    const struct listing_pane *pane = &desk->listing;
    const bool beside = pane->y == desk->code.y;
    desk_mark_registers(desk, &instructions, row);
    listing_draw(trace, &desk->listing, &instructions, &desk->drawing);
    drawing_line(&desk->drawing, ROLE_GRID, 1, false, pane->x, pane->y,
                 beside ? pane->x : pane->x + pane->w, beside ? pane->y + pane->h : pane->y);
}

/* ---- keys and mouse -------------------------------------------------------------------------- */

/* The access that is shown; where the warp does nothing, the last one before. */
static size_t access_here(const struct desk *desk)
{
    const struct view_panel *leader = &desk->view->panel[desk->view->active];
    const struct trace_step here = desk->view->at;
    const size_t at = view_access(desk->view);
    return at == NO_ACCESS && !desk->view->race
               ? trace_index_from(leader->index, leader->block, leader->stage, here.round,
                                  here.slot, leader->warp) -
                     1
               : at;
}

/* To the next access of a line. */
static bool go_line(struct desk *desk, int line)
{
    const struct view_panel *leader = &desk->view->panel[desk->view->active];
    if (line < 0)
        return false;
    const size_t to =
        source_next(&leader->source, line, access_here(desk), leader->block, leader->warp);
    return to != NO_ACCESS && view_go_access(desk->view, to);
}

/* To the next access of an instruction, or else of its line. */
static bool go_instruction(struct desk *desk, int instruction)
{
    const struct source *source = desk_source(desk);
    const struct source_spot place = desk->code_pointed.place;
    if (instruction < 0)
        return false;
    desk->listing.clicked = instruction;
    const struct view_panel *leader = &desk->view->panel[desk->view->active];
    const size_t to = listing_next(leader->index->trace, instruction, access_here(desk),
                                   leader->block, leader->warp);
    if (to != NO_ACCESS)
        return view_go_access(desk->view, to);
    for (int i = 0; i < source->lines; i++)
        if (source_same_spot(source_spot_of(source, i), place))
            return go_line(desk, i);
    return false;
}

bool desk_click_code(struct desk *desk, bool down, bool *taken)
{
    const struct code_pointed at = pointed(desk);
    *taken = over_listing(desk) || is_over_code(desk);
    if (!*taken || !down)
        return false;
    desk->code_pointed = at;
    return over_listing(desk) ? go_instruction(desk, at.instruction) : go_line(desk, at.line);
}

bool desk_scroll_code(struct desk *desk, double points)
{
    double *scroll = over_listing(desk) ? &desk->listing.scroll : &desk->code.scroll;
    if (!over_listing(desk) && !is_over_code(desk))
        return false;
    *scroll += points;
    return true;
}

bool desk_code(struct desk *desk, int by)
{
    (void)by;
    if (desk_source(desk)->lines == 0) {
        snprintf(desk->note, sizeof desk->note, "the recording names no source lines");
        return true;
    }
    desk->no_code = !desk->no_code;
    desk_lay_out(desk);
    if (!desk->no_code && desk->code.w <= 0)
        snprintf(desk->note, sizeof desk->note, "the window is too small for the source");
    return true;
}

bool desk_line_numbers(struct desk *desk, int by)
{
    (void)by;
    if (desk->code.w <= 0)
        return desk_code(desk, 0);
    desk->code.numbers = !desk->code.numbers;
    return true;
}

/* PTX, machine code where there is some, or none. */
bool desk_listing(struct desk *desk, int by)
{
    (void)by;
    const struct trace_header *header = &leading_trace(desk)->header;
    if (!listing_is_known(header)) {
        snprintf(desk->note, sizeof desk->note,
                 "the recording does not say what its source became: record the program again");
        return true;
    }
    const bool more = desk->listed && !desk->listing.sass && listing_has_sass(header);
    desk->listed = more || !desk->listed;
    desk->listing.sass = more;
    desk->no_code &= !desk->listed;
    desk_lay_out(desk);
    if (desk->listed && desk->listing.w <= 0)
        snprintf(desk->note, sizeof desk->note, "the window is too small for the instructions");
    return true;
}
