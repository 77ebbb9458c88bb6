/* sheet.h - one window of the screen, and the list that it shows; window.c has two, one for notes. */
#ifndef BANKSCOPE_SHEET_H
#define BANKSCOPE_SHEET_H

#include "viewer/export/export.h"

#include <SDL.h>

/* A window of the screen. */
struct sheet {
    SDL_Window *sdl; /* NULL: there is none */
    struct renderer *renderer;
    struct drawing shown; /* what it shows, in this theme; of no size: nothing that is known */
    const struct theme *theme;
};

/* What the window shows is lost, so that sheet_show draws all of it. */
void sheet_forget(struct sheet *sheet);

/* Renders a list straight into the window's surface, where it differs from what is there; by way of another surface
 * where the screen has an unusual format. Swaps it with the list that was shown. */
bool sheet_show(struct sheet *sheet, SDL_Surface *screen, struct drawing *drawing, double scale,
                const struct theme *theme, struct error *error);

/* Pixels of a point on X11, where windows count in pixels: as a desktop asks of its programs, or by its Xft.dpi. */
double asked_scale(void);

/* Pixels of a point in this window. asked: where the screen does not say. */
double pixels_of_point(SDL_Window *shown, const SDL_Surface *screen, double asked);

#endif
