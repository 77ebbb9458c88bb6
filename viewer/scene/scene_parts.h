/* scene_parts.h - what the files of the scene share: scene.c draws panels, scene_layout.c says where things go,
 * scene_strips.c draws the strips below the cells.
 */
#ifndef BANKSCOPE_SCENE_PARTS_H
#define BANKSCOPE_SCENE_PARTS_H

#include "viewer/scene/scene.h"

/* Lengths in points that more than one of them needs. */
enum {
    SCENE_MARGIN = 12,
    SCENE_STRIP = 36,     /* the whole run */
    SCENE_EXPLAINED = 17, /* the line that explains, below the legend */
    SCENE_REASON = 10,    /* from line to line of a long reason */
};

/* Gives every panel its layout in a picture of this size. */
void scene_lay_out(struct view *view, double width, double height);

/* How many lines a reason may take, and the height of what is below the panels: reason and legend. */
int scene_reason_lines(const struct view *view, double width);
double scene_bottom(const struct view *view, double width);

/* Whether only some columns or banks are drawn, as was asked. */
bool scene_is_cropped(const struct view *view);

/* The columns and rows of the matrix that are drawn: those asked for, or those in sight. */
void scene_drawn_part(const struct view *view, const struct view_panel *panel, struct crop *columns,
                      struct crop *rows);

/* What the panel reads and writes of global memory over time, if the trace says so. */
void scene_draw_global(const struct view *view, const struct view_panel *panel,
                       struct drawing *drawing);

/* The panel's passes over time. */
void scene_draw_timeline(const struct view *view, const struct view_panel *panel,
                         struct drawing *drawing);

/* The whole run, with the panel's place in it. */
void scene_draw_overview(const struct view *view, const struct view_panel *panel,
                         struct overview *overview, struct drawing *drawing);

#endif
