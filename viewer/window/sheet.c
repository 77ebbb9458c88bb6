/* sheet.c - brings a drawing list to a window of the screen: the rows that differ from the list before. */
#include "viewer/window/sheet.h"

#include <cairo.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

void sheet_forget(struct sheet *sheet)
{
    drawing_begin(&sheet->shown, 0, 0);
}

bool sheet_show(struct sheet *sheet, SDL_Surface *screen, struct drawing *drawing, double scale,
                const struct theme *theme, struct error *error)
{
    SDL_Surface *target = screen;
    if (screen->format->BitsPerPixel != 32 && screen->format->BytesPerPixel != 4)
        target = NULL;
    else if (screen->format->Rmask != 0xFF0000 || screen->format->Bmask != 0xFF)
        target = NULL;
    if (!target || sheet->theme != theme)
        sheet_forget(sheet);
    if (!target)
        target =
            SDL_CreateRGBSurfaceWithFormat(0, screen->w, screen->h, 32, SDL_PIXELFORMAT_RGB888);
    if (!target)
        return error_set(error, "no memory for a picture of %d x %d pixels: %s", screen->w,
                         screen->h, SDL_GetError());
    cairo_surface_t *surface = cairo_image_surface_create_for_data(
        target->pixels, CAIRO_FORMAT_RGB24, target->w, target->h, target->pitch);
    struct rows rows;
    bool good = renderer_redraw(sheet->renderer, surface, scale, &sheet->shown, drawing, theme,
                                &rows, error);
    SDL_Rect changed = {0, (int)rows.top, target->w, (int)(rows.bottom - rows.top)};
    cairo_surface_finish(surface);
    cairo_surface_destroy(surface);
    if (target != screen) {
        SDL_UpperBlit(target, NULL, screen, NULL);
        SDL_FreeSurface(target);
    }
    struct drawing before = sheet->shown;
    sheet->shown = *drawing;
    sheet->theme = theme;
    *drawing = before;
    return good && (SDL_UpdateWindowSurfaceRects(sheet->sdl, &changed, 1) == 0 ||
                    error_set(error, "cannot show the picture: %s", SDL_GetError()));
}

/* The resource Xft.dpi of the X server, dots of an inch; 0: not set. libX11 is there, because SDL has loaded it. */
static double xft_dpi(void)
{
    static const char name[] = "Xft.dpi:";
    void *library = dlopen("libX11.so.6", RTLD_LAZY);
    double dpi = 0;
    void *(*open)(const char *name) = NULL;
    char *(*resources)(void *display) = NULL;
    int (*close)(void *display) = NULL;
    if (library) {
        *(void **)&open = dlsym(library, "XOpenDisplay");
        *(void **)&resources = dlsym(library, "XResourceManagerString");
        *(void **)&close = dlsym(library, "XCloseDisplay");
    }
    void *display = open && resources && close ? open(NULL) : NULL;
    const char *text = display ? resources(display) : NULL;
    for (const char *at = text; at && (at = strstr(at, name)); at += sizeof name - 1)
        if (at == text || at[-1] == '\n')
            dpi = strtod(at + sizeof name - 1, NULL);
    if (display)
        close(display);
    if (library)
        dlclose(library);
    return dpi;
}

double asked_scale(void)
{
    const double usual = 96; /* dots of an inch */
    const char *asked = getenv("GDK_SCALE");
    if (strcmp(SDL_GetCurrentVideoDriver(), "x11") != 0)
        return 1;
    double scale = asked ? strtod(asked, NULL) : xft_dpi() / usual;
    return scale > 1 && scale <= 4 ? scale : 1;
}

double pixels_of_point(SDL_Window *shown, const SDL_Surface *screen, double asked)
{
    int w, h;
    SDL_GetWindowSize(shown, &w, &h);
    return w > 0 && screen->w > w ? (double)screen->w / w : asked;
}
