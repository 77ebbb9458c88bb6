/* desk.h - what the files of the desk share: desk.c, desk_keys.c and desk_work.c. All others include
 * viewer.h, which says what a desk is. */
#ifndef BANKSCOPE_DESK_H
#define BANKSCOPE_DESK_H

#include "viewer/viewer.h"

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
/* Whether the pointer is over the source. */
bool desk_over_code(const struct desk *desk);
/* What the keys for playing do, as struct key_action has it. */
bool desk_play(struct desk *desk, int by);
bool desk_speed(struct desk *desk, int by);

/* ---- desk_keys.c ----------------------------------------------------------------------------- */

/* Draws the question, the note, the list and the help. */
void desk_draw_above(struct desk *desk);

/* ---- desk_work.c ----------------------------------------------------------------------------- */

/* These subjects (bits) are to be recorded anew. */
void desk_make_stale(struct desk *desk, unsigned subjects);
/* So are those of which keys or mouse have turned dials. */
void desk_take_turns(struct desk *desk);
/* What keys do: the leading recording under the advised layout, beside it, or no more; and the leading
 * panel is closed. */
bool desk_advise(struct desk *desk, int by);
bool desk_close(struct desk *desk, int by);
/* At the end of the desk. */
void desk_drop_work(struct desk *desk);

#endif
