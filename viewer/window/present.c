/* present.c - what a teacher has beside the picture: a ring around the pointer that the last row can
 * see, and notes in a window that the class does not see.
 */
#include "viewer/window/window.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- the halo -------------------------------------------------------------------------------- */

/* A ring of lines, each a bit longer than its share so that they join. */
static void ring(enum role role, double thick, double x, double y, double radius,
                 struct drawing *drawing)
{
    enum { SIDES = 40 };
    const double cosine = 0.987688340595138, sine = 0.156434465040231; /* of 360 / SIDES degrees */
    double dx = radius, dy = 0;
    for (int i = 0; i < SIDES; i++) {
        double next_x = dx * cosine - dy * sine, next_y = dx * sine + dy * cosine;
        double more_x = 0.2 * (next_x - dx), more_y = 0.2 * (next_y - dy);
        drawing_line(drawing, role, thick, false, x + dx - more_x, y + dy - more_y,
                     x + next_x + more_x, y + next_y + more_y);
        dx = next_x;
        dy = next_y;
    }
}

void halo_draw(double x, double y, struct drawing *drawing)
{
    const double radius = 24;
    ring(ROLE_BLANK, 7, x, y, radius, drawing); /* so that it shows on any ground */
    ring(ROLE_HALO, 4.5, x, y, radius, drawing);
}

/* ---- the notes ------------------------------------------------------------------------------- */

/* A pane in the making; its texts are owned. */
struct sheet {
    struct pane_block block[256];
    int blocks;
};
enum { MOST_BLOCKS = sizeof((struct sheet *)0)->block / sizeof(struct pane_block) };

static void add_line(struct sheet *sheet, enum pane_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add_line(struct sheet *sheet, enum pane_kind kind, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    if (sheet->blocks == MOST_BLOCKS)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sheet->block[sheet->blocks++] = (struct pane_block){kind, memory_copy(text)};
}

/* What the class may not see yet. */
static void add_numbers(struct sheet *sheet, const struct view *view)
{
    for (int p = 0; p < view->panels; p++) {
        const struct view_panel *panel = &view->panel[p];
        const struct overview *run = &panel->overview;
        char text[512] = "";
        size_t access =
            trace_index_access(panel->index, panel->block, panel->stage, panel->step, panel->warp);
        if (access != NO_ACCESS)
            why_access(panel->index, access, text, sizeof text);
        else
            snprintf(text, sizeof text, "this warp does nothing here");
        add_line(sheet, PANE_CODE,
                 "%.80s: %s\nthe whole run: %" PRIu64 " passes, %" PRIu64 " conflicts",
                 panel->index->trace->header.kernel, text, run->passes, run->conflicts);
    }
    if (view->hide & HIDE_TOTALS)
        add_line(sheet, PANE_TEXT, "The class does not see these numbers%s.",
                 view->asked ? " until the question is answered" : ": v shows them");
}

bool desk_draw_notes(struct desk *desk, double width, double height, struct drawing *drawing)
{
    const struct view *view = desk->view;
    struct sheet sheet = {.blocks = 0};
    struct pane pane = {.scroll = desk->notes_scroll};
    uint64_t minutes = (desk->now - desk->present_since) / 60000;
    char footer[160];
    if (desk->blank)
        add_line(&sheet, PANE_BAD, "The screen is blank. Any key brings it back.");
    for (int i = 0; i < view->notes; i++)
        add_line(&sheet, view->note[i].kind, "%s", view->note[i].text);
    add_numbers(&sheet, view);
    snprintf(footer, sizeof footer, "%" PRIu64 " minute%s   b: blank   v: numbers   F5: end",
             minutes, minutes == 1 ? "" : "s");
    pane.block = sheet.block;
    pane.blocks = sheet.blocks;
    pane.footer = footer;
    drawing_begin(drawing, width, height);
    pane_draw(&pane, 0, 0, width, height, drawing);
    desk->notes_scroll = pane.scroll;
    for (int i = 0; i < sheet.blocks; i++)
        free((char *)sheet.block[i].text);
    return !drawing->error.text[0];
}
