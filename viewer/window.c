/* window.c - the window: keys and mouse move the view, the drawing list is drawn again.
 *
 * The loop waits for an event without a time limit, or until the next step while playing; takes all
 * events that wait with it; and draws once if any of them changed something. A still picture costs
 * no time. Keys are rows of one table, of which the help is made.
 */
#include "viewer/viewer.h"

#include <SDL.h>
#include <cairo.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEP_MS = 500 }; /* between two steps while playing */

struct window {
    SDL_Window *sdl;
    struct view *view;
    struct pane *pane; /* or NULL */
    struct renderer *renderer;
    struct drawing drawing;
    double scale;                /* pixels of the surface per point */
    double width, height;        /* of the surface, in points */
    double picture_w, picture_h; /* of the scene, at the top left */
    double pane_x, pane_y;       /* the rest is the pane */
    double x, y;                 /* the pointer, in points; -1: elsewhere */
    enum { DRAG_NOTHING, DRAG_PICTURE, DRAG_TIMELINE } drag;
    bool help, quit;
    char note[512];     /* "" for none */
    uint64_t next_step; /* SDL_GetTicks64, while playing */
    const char *dump;   /* BANKSCOPE_DUMP, or NULL */
    uint64_t frames;    /* drawn so far */
};

static bool has_picture(const struct window *window)
{
    return window->view->panels > 0;
}

/* ---- what keys do: each returns whether something changed ------------------------------------ */

static bool do_step(struct window *window, int by)
{
    return view_step(window->view, by);
}

static bool do_stage(struct window *window, int by)
{
    return view_stage(window->view, by);
}

static bool do_warp(struct window *window, int by)
{
    return view_warp(window->view, by);
}

static bool do_end(struct window *window, int by)
{
    return by < 0 ? view_home(window->view) : view_end(window->view);
}

/* From the end it plays the stage again. */
static bool do_play(struct window *window, int by)
{
    (void)by;
    struct view *view = window->view;
    view->playing = !view->playing;
    if (view->playing && !view_step(view, 1))
        view_home(view);
    window->next_step = SDL_GetTicks64() + STEP_MS;
    return true;
}

/* The point of the picture nearest to the pointer; its middle when that is elsewhere. */
static bool zoom(struct window *window, double factor)
{
    bool inside = window->x >= 0 && window->x < window->picture_w && window->y < window->picture_h;
    return view_zoom(window->view, factor, inside ? window->x : window->picture_w / 2,
                     inside ? window->y : window->picture_h / 2);
}

static bool do_zoom(struct window *window, int by)
{
    return by == 0 ? view_zoom_reset(window->view) : zoom(window, by > 0 ? 1.25 : 0.8);
}

static bool scroll_pane(struct window *window, double points)
{
    double before = window->pane->scroll;
    window->pane->scroll += points; /* pane_draw limits it */
    return window->pane->scroll != before;
}

static bool do_wheel(struct window *window, int by)
{
    bool over_pane = window->pane && window->x >= window->pane_x && window->y >= window->pane_y;
    if (over_pane)
        return scroll_pane(window, -60.0 * by);
    return has_picture(window) && do_zoom(window, by);
}

static bool do_page(struct window *window, int by)
{
    return window->pane && scroll_pane(window, by * 0.8 * (window->height - window->pane_y));
}

static bool do_swap(struct window *window, int by)
{
    (void)by;
    return view_swap(window->view);
}

static bool do_race(struct window *window, int by)
{
    (void)by;
    return view_race(window->view, !window->view->race);
}

static bool do_label(struct window *window, int by)
{
    (void)by;
    window->view->label = (window->view->label + 1) % LABELS;
    return true;
}

static bool do_theme(struct window *window, int by)
{
    (void)by;
    window->view->theme++;
    if (!window->view->theme->name)
        window->view->theme = themes;
    return true;
}

/* The first part of an export's name: "thrust-merge-cf-merge". Traces are not trusted. */
static void export_stem(const struct view *view, char *stem, size_t size)
{
    size_t used = 0;
    for (int p = 0; p < view->panels; p++) {
        if (p > 0 && used + 1 < size)
            stem[used++] = '-';
        const char *kernel = view->panel[p].index->trace->header.kernel;
        for (; *kernel && used < (size_t)(p + 1) * 40 && used + 1 < size; kernel++) {
            bool plain = (*kernel >= 'a' && *kernel <= 'z') || (*kernel >= '0' && *kernel <= '9') ||
                         (*kernel >= 'A' && *kernel <= 'Z') || *kernel == '_';
            stem[used++] = plain ? *kernel : '-';
        }
    }
    stem[used] = '\0';
}

/* The picture without pane, help, note and pointer, under the first number that is free. */
static bool do_export(struct window *window, int by)
{
    (void)by;
    struct view *view = window->view;
    char stem[96], pdf[128], png[128];
    export_stem(view, stem, sizeof stem);
    int number = 0;
    do {
        number++;
        snprintf(pdf, sizeof pdf, "%s-%d.pdf", stem, number);
        snprintf(png, sizeof png, "%s-%d.png", stem, number);
    } while (access(pdf, F_OK) == 0 || access(png, F_OK) == 0);

    struct hit hover = view->hover;
    struct drawing drawing = {0};
    struct error error = {{0}};
    view->hover = (struct hit){0};
    bool written = (scene_draw(view, window->picture_w, window->picture_h, &drawing) ||
                    error_set(&error, "%s", drawing.error.text)) &&
                   export_drawing(&drawing, view->theme, pdf, &error) &&
                   export_drawing(&drawing, view->theme, png, &error);
    view->hover = hover;
    drawing_free(&drawing);
    if (written)
        snprintf(window->note, sizeof window->note, "wrote %s and %s-%d.png", pdf, stem, number);
    else
        snprintf(window->note, sizeof window->note, "%s", error.text);
    return true;
}

static bool do_help(struct window *window, int by)
{
    (void)by;
    window->help = !window->help;
    return true;
}

static bool do_quit(struct window *window, int by)
{
    (void)by;
    window->quit = true;
    return false;
}

/* ---- the keys -------------------------------------------------------------------------------- */

/* A key by the name that key_name gives it. help as in struct key_help. */
struct key_action {
    struct key_help key;
    bool (*act)(struct window *window, int by);
    int by;
    bool always; /* works without a picture */
};

static const struct key_action actions[] = {
    {{"Left", "one step back, one step on"}, do_step, -1, false},
    {{"Right", NULL}, do_step, 1, false},
    {{"Shift+Left", "stage before, stage after"}, do_stage, -1, false},
    {{"Shift+Right", NULL}, do_stage, 1, false},
    {{"Up", "warp before, warp after"}, do_warp, -1, false},
    {{"Down", NULL}, do_warp, 1, false},
    {{"Space", "play and pause"}, do_play, 0, false},
    {{"Home", "first and last step; again: of all stages"}, do_end, -1, false},
    {{"End", NULL}, do_end, 1, false},
    {{"+", "zoom in, out, all"}, do_zoom, 1, false},
    {{"-", NULL}, do_zoom, -1, false},
    {{"0", NULL}, do_zoom, 0, false},
    {{"=", ""}, do_zoom, 1, false},
    {{"Wheel", "zoom about the pointer"}, NULL, 0, false},
    {{"Drag", "move the picture"}, NULL, 0, false},
    {{"Hover", "who, where, when and why"}, NULL, 0, false},
    {{"Click", "in the timeline: go there"}, NULL, 0, false},
    {{"Tab", "the other panel leads"}, do_swap, 0, false},
    {{"l", "cells show thread, address, value"}, do_label, 0, false},
    {{"t", "light, print, dark"}, do_theme, 0, true},
    {{"r", "race: share passes, not rounds"}, do_race, 0, false},
    {{"e", "export the picture as PDF and PNG"}, do_export, 0, false},
    {{"PageUp", ""}, do_page, -1, true},
    {{"PageDown", ""}, do_page, 1, true},
    {{"Wheel+Up", ""}, do_wheel, 1, true},
    {{"Wheel+Down", ""}, do_wheel, -1, true},
    {{"?", "this help"}, do_help, 0, true},
    {{"q", "quit"}, do_quit, 0, true},
    {{"Escape", NULL}, do_quit, 0, true},
};
enum { ACTIONS = sizeof actions / sizeof actions[0] };

static void draw_help(struct window *window)
{
    struct key_help own[ACTIONS + 1] = {{NULL, NULL}};
    for (int i = 0; i < ACTIONS; i++)
        own[i] = actions[i].key;
    const struct key_help *const tables[] = {window->pane ? window->pane->keys : NULL, own};
    help_draw(tables, 2, &window->drawing);
}

/* One letter may be typed in either case. */
static bool same_key(const char *key, const char *typed)
{
    return strcmp(key, typed) == 0 || (!key[1] && !typed[1] && SDL_tolower(*typed) == *key);
}

static bool press(struct window *window, const char *key)
{
    bool changed = window->note[0] != '\0';
    window->note[0] = '\0';
    if (window->help && strcmp(key, "?") != 0) {
        window->help = false;
        changed = true;
        if (strcmp(key, "Escape") == 0) /* closes the help, not the window */
            return true;
    }
    struct pane *pane = window->pane;
    if (pane && pane->press && pane->press(pane->context, window->view, key))
        return true;
    for (int i = 0; i < ACTIONS; i++) {
        const struct key_action *action = &actions[i];
        if (action->act && same_key(action->key.key, key))
            return (action->always || has_picture(window)) && action->act(window, action->by)
                       ? true
                       : changed;
    }
    return changed;
}

/* A key's name in the table; "" for keys that type a character, which come as text. */
static void key_name(const SDL_Keysym *key, char *name, size_t size)
{
    static const struct {
        int modifier;
        const char *name;
    } modifiers[] = {{KMOD_CTRL, "Ctrl+"}, {KMOD_ALT, "Alt+"}, {KMOD_SHIFT, "Shift+"}};
    bool types = key->sym >= SDLK_SPACE && key->sym != SDLK_DELETE &&
                 !(key->sym & SDLK_SCANCODE_MASK) && !(key->mod & (KMOD_CTRL | KMOD_ALT));
    const char *plain = SDL_GetKeyName(key->sym);
    name[0] = '\0';
    if (types || !*plain)
        return;
    for (size_t i = 0; i < sizeof modifiers / sizeof modifiers[0]; i++)
        if (key->mod & modifiers[i].modifier)
            strcat(name, modifiers[i].name);
    size_t length = strlen(name);
    snprintf(name + length, size - length, "%s", plain);
}

/* ---- the mouse ------------------------------------------------------------------------------- */

/* Window coordinates as SDL gives them to points of the picture. */
static void move_pointer(struct window *window, int x, int y)
{
    int w, h;
    SDL_GetWindowSize(window->sdl, &w, &h);
    window->x = w > 0 ? x * window->width / w : 0;
    window->y = h > 0 ? y * window->height / h : 0;
}

static bool hover(struct window *window)
{
    return has_picture(window) && view_hover(window->view, window->x, window->y);
}

static bool button(struct window *window, const SDL_MouseButtonEvent *event)
{
    move_pointer(window, event->x, event->y);
    window->drag = DRAG_NOTHING;
    if (event->type == SDL_MOUSEBUTTONUP || event->button != SDL_BUTTON_LEFT ||
        !has_picture(window))
        return false;
    struct hit hit = view_hit(window->view, window->x, window->y);
    if (hit.kind == HIT_NOTHING)
        return false;
    window->drag = hit.kind == HIT_TIMELINE ? DRAG_TIMELINE : DRAG_PICTURE;
    return view_click(window->view, &hit);
}

/* The pointer moved by all the motions since the last time. */
static bool motion(struct window *window, int x, int y)
{
    double from_x = window->x, from_y = window->y;
    move_pointer(window, x, y);
    bool changed = false;
    if (window->drag == DRAG_PICTURE)
        changed = view_pan(window->view, window->x - from_x, window->y - from_y);
    if (window->drag == DRAG_TIMELINE) {
        struct hit hit = view_hit(window->view, window->x, window->y);
        changed = hit.kind == HIT_TIMELINE && view_click(window->view, &hit);
    }
    return hover(window) || changed;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Where picture and pane go. Text grows with the window, so that a class can read it. */
static void lay_out(struct window *window, int pixels_w, int pixels_h)
{
    double by_width = pixels_w / 1920.0, by_height = pixels_h / 1080.0;
    double larger = by_width < by_height ? by_width : by_height;
    int w, h;
    SDL_GetWindowSize(window->sdl, &w, &h);
    window->scale = w > 0 && pixels_w > w ? (double)pixels_w / w : 1;
    if (larger > window->scale)
        window->scale = (int)(4 * larger) / 4.0;
    window->width = pixels_w / window->scale;
    window->height = pixels_h / window->scale;

    window->picture_w = window->width;
    window->picture_h = window->height;
    window->pane_x = window->pane_y = 0;
    if (!window->pane || !has_picture(window))
        return;
    if (window->width >= 600 || window->width > 1.5 * window->height) {
        double pane_w = 0.36 * window->width;
        pane_w = pane_w < 280 ? 280 : pane_w > 560 ? 560 : pane_w;
        window->pane_x = window->picture_w = (int)(window->width - pane_w);
    } else {
        window->pane_y = window->picture_h = (int)(0.55 * window->height);
    }
}

/* The whole picture as a list. */
static bool compose(struct window *window, struct error *error)
{
    struct drawing *drawing = &window->drawing;
    if (has_picture(window))
        scene_draw(window->view, window->picture_w, window->picture_h, drawing);
    else
        drawing_begin(drawing, window->width, window->height);
    drawing->width = window->width;
    drawing->height = window->height;
    if (window->pane) {
        double x = window->pane_x, y = window->pane_y;
        pane_draw(window->pane, x, y, window->width - x, window->height - y, drawing);
        if (has_picture(window))
            drawing_line(drawing, ROLE_GRID, 1, false, x, y, x > 0 ? x : window->width,
                         x > 0 ? window->height : y);
    }
    if (window->note[0])
        note_draw(window->note, 0, 0, window->width, window->height, drawing);
    if (window->help)
        draw_help(window);
    return !drawing->error.text[0] || error_set(error, "%s", drawing->error.text);
}

/* The list as it was drawn, complete at every moment: for tests. */
static bool write_dump(struct window *window, struct error *error)
{
    char part[1024];
    snprintf(part, sizeof part, "%s.part", window->dump);
    FILE *file = fopen(part, "w");
    bool good = file && drawing_dump(&window->drawing, file) &&
                fprintf(file, "frame %llu\n", (unsigned long long)window->frames) > 0;
    good = file && fclose(file) == 0 && good && rename(part, window->dump) == 0;
    return good || error_set(error, "cannot write '%s' (BANKSCOPE_DUMP): %s", window->dump,
                             strerror(errno));
}

/* Renders the list straight into the window's surface; by way of another one where the screen has
 * an unusual format. */
static bool present(struct window *window, SDL_Surface *screen, struct error *error)
{
    SDL_Surface *target = screen;
    if (screen->format->BitsPerPixel != 32 && screen->format->BytesPerPixel != 4)
        target = NULL;
    else if (screen->format->Rmask != 0xFF0000 || screen->format->Bmask != 0xFF)
        target = NULL;
    if (!target)
        target =
            SDL_CreateRGBSurfaceWithFormat(0, screen->w, screen->h, 32, SDL_PIXELFORMAT_RGB888);
    if (!target)
        return error_set(error, "no memory for a picture of %d x %d pixels: %s", screen->w,
                         screen->h, SDL_GetError());
    cairo_surface_t *surface = cairo_image_surface_create_for_data(
        target->pixels, CAIRO_FORMAT_RGB24, target->w, target->h, target->pitch);
    cairo_t *cr = cairo_create(surface);
    cairo_scale(cr, window->scale, window->scale);
    renderer_draw(window->renderer, cr, &window->drawing, window->view->theme);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    cairo_surface_finish(surface);
    cairo_surface_destroy(surface);
    bool good = status == CAIRO_STATUS_SUCCESS ||
                error_set(error, "cannot draw the window: %s", cairo_status_to_string(status));
    if (target != screen) {
        SDL_BlitSurface(target, NULL, screen, NULL);
        SDL_FreeSurface(target);
    }
    return good && (SDL_UpdateWindowSurface(window->sdl) == 0 ||
                    error_set(error, "cannot show the picture: %s", SDL_GetError()));
}

static bool draw(struct window *window, struct error *error)
{
    SDL_Surface *screen = SDL_GetWindowSurface(window->sdl);
    if (!screen)
        return error_set(error, "the window has no surface to draw on: %s", SDL_GetError());
    lay_out(window, screen->w, screen->h);
    if (!compose(window, error))
        return false;
    /* What was moved under the pointer is what it points at now. */
    if (window->drag == DRAG_NOTHING && hover(window) && !compose(window, error))
        return false;
    window->frames++;
    return present(window, screen, error) && (!window->dump || write_dump(window, error));
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* One event; motions are kept for the end of the batch. */
static bool handle(struct window *window, const SDL_Event *event, const SDL_Event **moved,
                   SDL_Event *last_motion)
{
    char name[96];
    switch (event->type) {
    case SDL_QUIT:
        return do_quit(window, 0);
    case SDL_WINDOWEVENT:
        if (event->window.event == SDL_WINDOWEVENT_LEAVE && has_picture(window)) {
            *moved = NULL;
            window->x = window->y = -1;
            return hover(window);
        }
        return event->window.event == SDL_WINDOWEVENT_EXPOSED ||
               event->window.event == SDL_WINDOWEVENT_SIZE_CHANGED;
    case SDL_KEYDOWN:
        key_name(&event->key.keysym, name, sizeof name);
        return name[0] && press(window, name);
    case SDL_TEXTINPUT:
        return press(window, strcmp(event->text.text, " ") == 0 ? "Space" : event->text.text);
    case SDL_MOUSEWHEEL: {
        bool changed = false;
        for (int i = abs(event->wheel.y); i > 0; i--)
            changed |= press(window, event->wheel.y > 0 ? "Wheel+Up" : "Wheel+Down");
        return changed;
    }
    case SDL_MOUSEMOTION:
        *last_motion = *event;
        *moved = last_motion;
        return false;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        return button(window, &event->button);
    default:
        return false;
    }
}

/* Waits for events and takes them all. Returns whether something changed. */
static bool take_events(struct window *window)
{
    SDL_Event event, last_motion;
    const SDL_Event *moved = NULL;
    bool changed = false;
    int got;
    if (has_picture(window) && window->view->playing) {
        uint64_t now = SDL_GetTicks64();
        got = SDL_WaitEventTimeout(&event,
                                   now < window->next_step ? (int)(window->next_step - now) : 0);
    } else {
        got = SDL_WaitEvent(&event);
    }
    for (; got && !window->quit; got = SDL_PollEvent(&event)) {
        if (moved && event.type != SDL_MOUSEMOTION) {
            changed |= motion(window, moved->motion.x, moved->motion.y);
            moved = NULL;
        }
        changed |= handle(window, &event, &moved, &last_motion);
    }
    if (moved)
        changed |= motion(window, moved->motion.x, moved->motion.y);
    if (has_picture(window) && window->view->playing && SDL_GetTicks64() >= window->next_step) {
        window->next_step = SDL_GetTicks64() + STEP_MS;
        if (!view_step(window->view, 1))
            window->view->playing = false;
        changed = true;
    }
    return changed;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* BANKSCOPE_REPLAY: from an event in the queue to the picture on the screen. */
static bool replay(struct window *window, int steps, struct error *error)
{
    double *ms = calloc((size_t)steps, sizeof *ms);
    if (!ms)
        return error_set(error, "no memory for %d times (BANKSCOPE_REPLAY)", steps);
    bool good = true;
    int drawn = 0;
    while (good && drawn < steps) {
        SDL_Event event = {.key = {.type = SDL_KEYDOWN, .keysym = {.sym = SDLK_RIGHT}}};
        uint64_t begin = SDL_GetPerformanceCounter();
        SDL_PushEvent(&event);
        if (!take_events(window))
            view_home(window->view), view_home(window->view);
        good = draw(window, error);
        ms[drawn++] = 1e3 * (double)(SDL_GetPerformanceCounter() - begin) /
                      (double)SDL_GetPerformanceFrequency();
    }
    qsort(ms, (size_t)drawn, sizeof *ms, by_value);
    if (good)
        printf("window: %d steps at %.0f x %.0f points, ms from key to picture: p50 %.2f, "
               "p95 %.2f, most %.2f\n",
               drawn, window->width, window->height, ms[drawn / 2], ms[drawn * 95 / 100],
               ms[drawn - 1]);
    free(ms);
    return good;
}

static bool run(struct window *window, struct error *error)
{
    const char *replays = getenv("BANKSCOPE_REPLAY");
    if (!draw(window, error))
        return false;
    if (replays && atoi(replays) > 0 && has_picture(window))
        return replay(window, atoi(replays), error);
    while (!window->quit)
        if (take_events(window) && !window->quit && !draw(window, error))
            return false;
    return true;
}

bool window_run(const char *title, struct view *view, struct pane *pane, struct error *error)
{
    struct window window = {
        .view = view, .pane = pane, .x = -1, .y = -1, .scale = 1, .dump = getenv("BANKSCOPE_DUMP")};
    bool good = false;
#if defined(__unix__) && !defined(__APPLE__)
    /* Else SDL falls back to windows that nobody sees. $SDL_VIDEODRIVER goes first. */
    SDL_SetHint(SDL_HINT_VIDEODRIVER, getenv("WAYLAND_DISPLAY") ? "x11,wayland" : "x11");
#endif
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    signal(SIGINT, SIG_DFL); /* SDL makes events of them, unless they have handlers */
    signal(SIGTERM, SIG_DFL);
    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        return error_set(error,
                         "there is no display for a window (%s): set DISPLAY, or draw into a file "
                         "with 'bankscope export TRACE -o FILE.pdf'",
                         SDL_GetError());
    /* There the surface is shared memory; by way of a texture it is slower without a GPU. */
    if (strcmp(SDL_GetCurrentVideoDriver(), "x11") == 0)
        SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    int w = 1280, h = 800;
    SDL_Rect desktop;
    if (SDL_GetDisplayUsableBounds(0, &desktop) == 0) {
        w = desktop.w * 9 / 10 < w ? desktop.w * 9 / 10 : w;
        h = desktop.h * 9 / 10 < h ? desktop.h * 9 / 10 : h;
    }
    window.renderer = renderer_new();
    /* The picture has no room to spare for a hint; the title has. */
    char hinted[320];
    snprintf(hinted, sizeof hinted, "%s (? lists the keys)", title);
    window.sdl = SDL_CreateWindow(hinted, SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, w, h,
                                  SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (!window.sdl)
        error_set(error, "cannot open a window: %s; draw into a file with 'bankscope export'",
                  SDL_GetError());
    else if (!window.renderer)
        error_set(error, "no memory for fonts; close something and try again");
    else {
        SDL_SetWindowMinimumSize(window.sdl, 400, 300);
        SDL_StartTextInput();
        good = run(&window, error);
    }
    if (window.sdl) {
        /* For each event SDL has sent itself a message through the window, by a connection of its
         * own. Should the server read that after the window is gone, Xlib ends the program. */
        SDL_HideWindow(window.sdl);
        SDL_Delay(50);
        SDL_DestroyWindow(window.sdl);
    }
    renderer_free(window.renderer);
    drawing_free(&window.drawing);
    SDL_Quit();
    return good;
}
