/* listing.c - beside the source: the instructions that its lines became, PTX or machine code. What becomes of an
 * access in machine code stands at its end: joined, split, gone. Below is what the instruction that one points at
 * became, or that of the step, and which lanes are active.
 */
#include "viewer/scene/scene.h"

#include <string.h>

enum {
    EDGE = 10,
    STEP = 16, /* from line to line */
    FOOT = 76, /* what is said of an instruction */
    FATE = 52, /* width of what became of it */
    ROW = 15,  /* of a register */
};
static const double SIZE = 11.6, SMALL = 10.5; /* of fonts */

bool listing_is_known(const struct trace_header *header)
{
    return header->codes > 0;
}

bool listing_has_sass(const struct trace_header *header)
{
    return header->codes > 0 && header->code[header->codes - 1].sass;
}

size_t listing_next(const struct trace *trace, int instruction, size_t at, int block, int warp)
{
    size_t other = NO_ACCESS;
    for (size_t n = 1; n <= trace->count; n++) {
        const size_t i = ((at == NO_ACCESS ? trace->count - 1 : at) + n) % trace->count;
        if (listing_of(trace, i) != instruction)
            continue;
        const struct warp_access access = trace_get(trace, i);
        if (access.block == block && access.warp == warp)
            return i;
        other = other == NO_ACCESS ? i : other;
    }
    return other;
}

int listing_of(const struct trace *trace, size_t access)
{
    if (access == NO_ACCESS || !trace->header.sites)
        return -1;
    const int site = trace_get(trace, access).site;
    return site < 0 ? -1 : trace->header.site[site].code - 1;
}

struct source_spot listing_spot(const struct trace_header *header, int instruction)
{
    if (instruction < 0 || !header->code[instruction].line)
        return (struct source_spot){NULL, 0};
    return (struct source_spot){header->code[instruction].file, header->code[instruction].line};
}

/* The instructions that are shown: PTX comes first. */
static void range_of(const struct trace_header *header, const struct listing_pane *pane, int *first,
                     int *end)
{
    int sass = 0;
    while (sass < header->codes && !header->code[sass].sass)
        sass++;
    const bool machine = pane->sass && sass < header->codes;
    *first = machine ? sass : 0;
    *end = machine ? header->codes : sass;
}

static double bottom_of(const struct listing_pane *pane)
{
    return pane->y + pane->h - FOOT - (pane->registers ? (REGISTER_ROWS + 1) * ROW + 4 : 0);
}

static double top_of(const struct listing_pane *pane)
{
    return pane->y + EDGE / 2.0 + STEP;
}

int listing_at(const struct trace_header *header, const struct listing_pane *pane, double x,
               double y)
{
    int first, end;
    range_of(header, pane, &first, &end);
    const double row = (y - top_of(pane) + pane->scroll) / STEP;
    if (!(x >= pane->x && x < pane->x + pane->w && y >= top_of(pane) && y < bottom_of(pane)) ||
        row < 0 || row >= end - first)
        return -1;
    return first + (int)row;
}

/* "joined", of "joined: one access of 8 bytes". */
static int fate_length(const struct trace_code *code)
{
    return (int)strcspn(code->became, ":");
}

/* ---- what is in sight -------------------------------------------------------------------------- */

/* The instruction that is to be in sight: the step's, or else the first of its line. */
static int wanted_of(const struct trace_header *header, const struct listing_marks *marks,
                     int first, int end)
{
    if (marks->now >= first && marks->now < end)
        return marks->now;
    for (int i = first; i < end; i++)
        if (source_same_spot(listing_spot(header, i), marks->line))
            return i;
    return -1;
}

/* The first instruction of a line that is pointed at elsewhere comes into sight, too, unless it is the line of `now`. */
static int pointed_of(const struct trace_header *header, const struct listing_marks *marks, int now,
                      int first, int end)
{
    if (now >= 0 && source_same_spot(listing_spot(header, now), marks->pointed))
        return now;
    for (int i = first; marks->pointed_at < 0 && i < end; i++)
        if (source_same_spot(listing_spot(header, i), marks->pointed))
            return i;
    return -1;
}

static void scroll_to(struct listing_pane *pane, int row, double room)
{
    const double at = row * STEP, margin = room > 10 * STEP ? 3 * STEP : 0;
    if (at - margin < pane->scroll || at + STEP + margin > pane->scroll + room)
        pane->scroll = at - (room - STEP) / 2;
}

static void scroll(const struct trace_header *header, struct listing_pane *pane,
                   const struct listing_marks *marks, int first, int end)
{
    const double room = bottom_of(pane) - top_of(pane), most = (end - first) * STEP - room;
    const int now = wanted_of(header, marks, first, end);
    const int pointed = pointed_of(header, marks, now, first, end);
    const int wanted = pointed >= 0 ? pointed : now;
    const bool anew = wanted != pane->shown || pane->h != pane->shown_h;
    if (anew && wanted >= 0 && marks->pointed_at < 0 && pane->clicked != wanted)
        scroll_to(pane, wanted - first, room);
    if (marks->pointed_at < 0) {
        pane->shown = wanted;
        pane->clicked = -1;
    }
    pane->shown_h = pane->h;
    pane->scroll = pane->scroll > most ? most : pane->scroll;
    pane->scroll = pane->scroll < 0 ? 0 : pane->scroll;
    pane->scroll = STEP * (int)(pane->scroll / STEP + 0.999); /* whole lines */
}

/* ---- drawing ----------------------------------------------------------------------------------- */

static void draw_row(const struct trace_header *header, const struct listing_pane *pane,
                     const struct listing_marks *marks, int number, double y,
                     struct drawing *drawing)
{
    const struct trace_code *code = &header->code[number];
    const struct source_spot place = listing_spot(header, number);
    struct text_style text = {ROLE_INK, SIZE, ALIGN_LEFT, FACE_CODE};
    struct text_style faint = {ROLE_FAINT, SIZE, ALIGN_RIGHT, FACE_CODE};
    struct text_style fate = {ROLE_FAINT, SMALL, ALIGN_RIGHT, FACE_PLAIN};
    const double numbers = pane->x + EDGE + 4 * text_width("0", SIZE, FACE_CODE);
    const double left = numbers + 8, right = pane->x + pane->w - EDGE;
    const double baseline = y + STEP / 2.0 + TEXT_MIDDLE(SIZE);
    const bool gone = !strncmp(code->became, "gone", 4), here = number == marks->now,
               of_line = source_same_spot(place, marks->line), plain = marks->hide & HIDE_COLOURS;
    if (here)
        drawing_edged(drawing,
                      plain              ? ROLE_CELL
                      : marks->conflicts ? ROLE_BAD
                                         : ROLE_GOOD,
                      plain              ? ROLE_CURSOR
                      : marks->conflicts ? ROLE_BAD_EDGE
                                         : ROLE_GOOD_EDGE,
                      marks->conflicts && !plain ? 2 : 1, left - 4, y, right - left + 8, STEP);
    else if (of_line)
        drawing_box(drawing, ROLE_CELL, left - 4, y, right - left + 8, STEP);
    if (number == marks->pointed_at)
        drawing_edged(drawing, here || of_line ? ROLE_NONE : ROLE_OVERLAY, ROLE_CURSOR, 1.5,
                      left - 6, y - 1, right - left + 12, STEP + 2);
    else if (source_same_spot(place, marks->pointed)) /* a bar along all of the line's */
        drawing_box(drawing, ROLE_CURSOR, left - 6, y, 3, STEP);
    text.role = here && !plain ? (marks->conflicts ? ROLE_BAD_INK : ROLE_GOOD_INK)
                : gone         ? ROLE_FAINT
                               : ROLE_INK;
    if (place.file)
        drawing_text(drawing, &faint, numbers, baseline, "%d", place.number);
    if (*code->became)
        drawing_text(drawing, &fate, right, baseline, "%.*s", fate_length(code), code->became);
    drawing_text_within(drawing, &text, left, baseline, right - left - (*code->became ? FATE : 0),
                        "%s", code->text);
}

/* Which lanes of the warp take part in the step: a box for each. */
static void draw_lanes(const struct trace *trace, size_t access, double x, double y, double w,
                       struct drawing *drawing)
{
    struct text_style small = {ROLE_INK, SMALL, ALIGN_LEFT, FACE_PLAIN};
    if (access == NO_ACCESS) {
        drawing_text_within(drawing, &small, x, y + 12, w,
                            "the warp accesses nothing in this step");
        return;
    }
    const struct warp_access now = trace_get(trace, access);
    const int lanes = trace->header.warp;
    uint64_t active = 0;
    for (int i = 0; i < now.lanes; i++)
        active |= UINT64_C(1) << now.lane[i];
    char said[64];
    snprintf(said, sizeof said, "%d of %d lanes", now.lanes, lanes);
    const double words = text_width(said, SMALL, FACE_PLAIN) + 8;
    double each = (w - words) / lanes;
    each = each > 12 ? 12 : each;
    for (int i = 0; i < lanes; i++) {
        const bool on = active >> i & 1;
        drawing_edged(drawing, on ? ROLE_CURSOR : ROLE_NONE, on ? ROLE_CURSOR : ROLE_GRID, 1,
                      x + i * each, y + 3, each - 1.5, 10);
    }
    drawing_text(drawing, &small, x + lanes * each + 6, y + 12, "%s", said);
}

/* How many bytes of a text fit into a line, up to a word's end. */
static size_t fit(const char *text, double w)
{
    char part[512];
    size_t last = 0;
    for (size_t i = 1; i < sizeof part && text[i - 1]; i++) {
        if (text[i] && text[i] != ' ')
            continue;
        snprintf(part, sizeof part, "%.*s", (int)i, text);
        if (last && text_width(part, 12, FACE_PLAIN) > w)
            return last;
        last = i;
    }
    return last;
}

/* The registers of the step's instruction, in a lane. */
static void draw_registers(const struct listing_marks *marks, double x, double y, double w,
                           struct drawing *drawing)
{
    struct text_style small = {ROLE_INK, 12, ALIGN_LEFT, FACE_PLAIN};
    struct text_style code = {ROLE_INK, SIZE, ALIGN_LEFT, FACE_CODE};
    struct text_style how = {ROLE_FAINT, SMALL, ALIGN_RIGHT, FACE_PLAIN};
    double names = 0;
    drawing_line(drawing, ROLE_GRID, 1, false, x, y - 1, x + w, y - 1);
    drawing_text_within(drawing, &small, x, y + 13, w, "registers in lane %d%s%s", marks->lane,
                        marks->registers_note ? ": " : "",
                        marks->registers_note ? marks->registers_note : "");
    for (int i = 0; i < marks->register_rows; i++) {
        const double width = text_width(marks->registers[i].name, SIZE, FACE_CODE);
        names = width > names ? width : names;
    }
    for (int i = 0; i < marks->register_rows; i++) {
        const struct register_row *row = &marks->registers[i];
        const double at = y + 13 + (i + 1) * ROW;
        drawing_text(drawing, &code, x, at, "%s", row->name);
        drawing_text_within(drawing, &code, x + names + 12, at, w - names - 12 - FATE, "%s",
                            row->value);
        drawing_text(drawing, &how, x + w, at, "%s", row->written ? "written" : "read");
    }
}

/* What became of the instruction, whole, and the lanes of the step. */
static void draw_foot(const struct trace *trace, const struct listing_pane *pane,
                      const struct listing_marks *marks, struct drawing *drawing)
{
    const struct trace_header *header = &trace->header;
    const double x = pane->x + EDGE, y = bottom_of(pane) + 4, w = pane->w - 2 * EDGE;
    struct text_style code = {ROLE_FAINT, SIZE, ALIGN_LEFT, FACE_CODE};
    struct text_style small = {ROLE_INK, 12, ALIGN_LEFT, FACE_PLAIN};
    const int number = marks->pointed_at >= 0 ? marks->pointed_at : marks->now;
    drawing_line(drawing, ROLE_GRID, 1, false, x, y - 3, x + w, y - 3);
    if (!(marks->hide & HIDE_LABELS))
        draw_lanes(trace, marks->access, x, y, w, drawing);
    if (pane->registers && marks->access != NO_ACCESS && !(marks->hide & HIDE_LABELS))
        draw_registers(marks, x, y + FOOT - 4, w, drawing);
    if (number < 0)
        return;
    drawing_text_within(drawing, &code, x, y + 30, w, "%s", header->code[number].text);
    const char *became = header->code[number].became;
    const size_t fits = fit(became, w);
    drawing_text(drawing, &small, x, y + 46, "%.*s", (int)fits, became);
    drawing_text_within(drawing, &small, x, y + 60, w, "%s", became + fits + (became[fits] == ' '));
}

void listing_draw(const struct trace *trace, struct listing_pane *pane,
                  const struct listing_marks *marks, struct drawing *drawing)
{
    const struct trace_header *header = &trace->header;
    struct text_style bold = {ROLE_INK, SIZE, ALIGN_LEFT, FACE_BOLD};
    int first, end;
    range_of(header, pane, &first, &end);
    scroll(header, pane, marks, first, end);
    drawing_text_within(drawing, &bold, pane->x + EDGE,
                        top_of(pane) - STEP / 2.0 + TEXT_MIDDLE(SIZE), pane->w - 2 * EDGE, "%s",
                        header->code[first].sass ? "machine code: accesses to memory" : "PTX");
    for (int i = first + (int)(pane->scroll / STEP); i < end; i++) {
        const double y = top_of(pane) + (i - first) * STEP - pane->scroll;
        if (y + STEP > bottom_of(pane))
            break;
        draw_row(header, pane, marks, i, y, drawing);
    }
    draw_foot(trace, pane, marks, drawing);
}
