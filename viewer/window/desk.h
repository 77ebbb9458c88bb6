/* desk.h - what the files of the desk (desk*.c) share. All others include
 * window.h, which says what a desk is. */
#ifndef BANKSCOPE_DESK_H
#define BANKSCOPE_DESK_H

#include "viewer/window/window.h"

static inline bool desk_has_picture(const struct desk *desk)
{
    return desk->view->panels > 0;
}

/* The source of the leading panel; it may have no lines. */
static inline const struct source *desk_source(const struct desk *desk)
{
    return &desk->view->panel[desk->view->active].source;
}

/* ---- desk.c ---------------------------------------------------------------------------------- */

/* Divides the window between the picture, the source and the pane. */
void desk_lay_out(struct desk *desk);
/* What the keys for playing do, as struct key_action has it. */
bool desk_play(struct desk *desk, int by);
bool desk_speed(struct desk *desk, int by);

/* ---- desk_code.c ----------------------------------------------------------------------------- */

/* The line of the source that the mouse is about, or -1; whether that is another line, or another instruction, than
 * when they were drawn. */
int desk_pointed_line(const struct desk *desk);
bool desk_points_anew(const struct desk *desk);
void desk_draw_code(struct desk *desk);
/* A button over the source or the instructions (*taken). Returns whether something changed. */
bool desk_click_code(struct desk *desk, bool down, bool *taken);
/* Scrolls what the pointer is over, if it is one of these. */
bool desk_scroll_code(struct desk *desk, double points);
/* What keys do. */
bool desk_code(struct desk *desk, int by);
bool desk_line_numbers(struct desk *desk, int by);
bool desk_listing(struct desk *desk, int by);

/* ---- desk_keys.c ----------------------------------------------------------------------------- */

/* Draws the question, the note, the list and the help. */
void desk_draw_above(struct desk *desk);

/* ---- desk_lists.c ---------------------------------------------------------------------------- */

/* Opens a list (enum desk_list), draws it, and says in words what is chosen. */
bool desk_open_list(struct desk *desk, int list);
void desk_draw_list(struct desk *desk);
void desk_says_list(const struct desk *desk, FILE *file);
/* A key while the list is open. Returns whether something changed. */
bool desk_press_list(struct desk *desk, const char *key);

/* ---- desk_launches.c ------------------------------------------------------------------------- */

/* Whether the workshop has a program as a whole. */
bool desk_has_launches(const struct desk *desk);
/* The list instead of a picture; what it says; a key or a click there: whether it was for the list. */
void desk_draw_launches(struct desk *desk);
void desk_says_launches(const struct desk *desk, FILE *file);
bool desk_press_launches(struct desk *desk, const char *key);
bool desk_click_launches(struct desk *desk, double x, double y);
/* What keys do: back to the list; the next place that is what was sought (desk->sought). */
bool desk_back(struct desk *desk, int by);
bool desk_search_on(struct desk *desk, int by);
bool desk_search(struct desk *desk);
/* What becomes of their jobs' results, as desk_worked has it. */
bool desk_show_survey(struct desk *desk, struct job *job, struct error *error);
bool desk_show_launch(struct desk *desk, struct job *job, struct error *error);

/* ---- desk_registers.c ------------------------------------------------------------------------ */

/* The job that runs the shown launch again where the registers of the leader's warp are wanted and not there, or NULL. */
struct job *desk_follow(const struct desk *desk);
/* Ends such a job that is at work. */
void desk_stop_following(struct desk *desk);
/* Sets what is drawn of registers; row has REGISTER_ROWS + 1. */
void desk_mark_registers(struct desk *desk, struct listing_marks *marks, struct register_row *row);

/* ---- desk_work.c ----------------------------------------------------------------------------- */

/* These subjects (bits) are to be recorded anew. */
void desk_make_stale(struct desk *desk, unsigned subjects);
/* So are those of which keys or mouse have turned dials. */
void desk_take_turns(struct desk *desk);
/* What keys do: the leading recording under the advised layout, beside it, or no more; and the leading
 * panel is closed. */
bool desk_advise(struct desk *desk, int by);
bool desk_close(struct desk *desk, int by);
/* Says which subject a panel shows, and gives it what its trace lacks. */
void desk_dress(struct desk *desk, struct view_panel *panel, int subject);
/* At the end of the desk. */
void desk_drop_work(struct desk *desk);

#endif
