/* window.c - the window: SDL's events go to the desk, its list to the screen.
 *
 * The loop waits for an event without a time limit, or until the next step while playing; takes all
 * events that wait with it; and draws once if any of them changed something (sheet.c). A still picture costs no time.
 */
#include "viewer/export/export.h"
#include "viewer/window/sheet.h"
#include "viewer/window/window.h"

#include <SDL.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct window {
    struct sheet main, notes; /* notes: only while one presents */
    struct desk desk;
    struct drawing notes_drawing;
    bool quit;
    uint16_t modifiers; /* held when the last key was pressed */
    bool moved;         /* to the screen of the class, for the time of presenting */
    const char *dump;   /* BANKSCOPE_DUMP, or NULL */
    double asked_scale; /* pixels of a point, where the screen does not say */
    uint64_t frames;    /* drawn so far */
    SDL_Thread *worker;
    uint32_t own_events;
};

/* ---- what the desk wishes -------------------------------------------------------------------- */

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

/* The picture without pane, help, note and pointer, under the first number that is free; the page
 * follows when it is ready. */
static void write_picture(struct desk *desk)
{
    struct view *view = desk->view;
    char stem[96], pdf[128], png[128], html[128];
    export_stem(view, stem, sizeof stem);
    int number = 0;
    do {
        number++;
        snprintf(pdf, sizeof pdf, "%s-%d.pdf", stem, number);
        snprintf(png, sizeof png, "%s-%d.png", stem, number);
        snprintf(html, sizeof html, "%s-%d.html", stem, number);
    } while (access(pdf, F_OK) == 0 || access(png, F_OK) == 0 || access(html, F_OK) == 0);

    struct hit hover = view->hover;
    struct drawing drawing = {0};
    struct error error = {{0}};
    view->hover = (struct hit){0};
    bool written = (scene_draw(view, desk->picture_w, desk->picture_h, &drawing) ||
                    error_set(&error, "%s", drawing.error.text)) &&
                   export_drawing(&drawing, view->theme, NULL, pdf, &error) &&
                   export_drawing(&drawing, view->theme, NULL, png, &error);
    view->hover = hover;
    drawing_free(&drawing);
    if (!written) {
        snprintf(desk->note, sizeof desk->note, "%s", error.text);
        return;
    }
    snprintf(desk->note, sizeof desk->note, "wrote %s and %s", pdf, png);
    desk_page(desk, html);
}

/* Opens the window of the notes; with two screens, the picture fills the one that the class sees. */
static void begin_presenting(struct window *window)
{
    bool two = SDL_GetNumVideoDisplays() > 1;
    int class = SDL_GetWindowDisplayIndex(window->main.sdl);
    if (two && class <= 0) { /* the first is the teacher's own */
        class = 1;
        SDL_SetWindowPosition(window->main.sdl, SDL_WINDOWPOS_CENTERED_DISPLAY(class),
                              SDL_WINDOWPOS_CENTERED_DISPLAY(class));
    }
    window->moved = two;
    if (two)
        SDL_SetWindowFullscreen(window->main.sdl, SDL_WINDOW_FULLSCREEN_DESKTOP);
    int place = (int)(two ? SDL_WINDOWPOS_CENTERED_DISPLAY(0) : SDL_WINDOWPOS_UNDEFINED);
    window->notes.sdl = SDL_CreateWindow("Bankscope: notes", place, place, 720, 540,
                                         SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    window->notes.renderer = window->notes.sdl ? renderer_new() : NULL;
    if (!window->notes.renderer)
        snprintf(window->desk.note, sizeof window->desk.note, "there is no window for notes: %s",
                 SDL_GetError());
    /* On one screen the notes stay in front; keys are for both. */
    SDL_RaiseWindow(two || !window->notes.sdl ? window->main.sdl : window->notes.sdl);
}

static void close_notes(struct window *window)
{
    if (!window->notes.sdl)
        return;
    SDL_HideWindow(window->notes.sdl);
    SDL_Delay(50); /* as for the other window, in window_run */
    SDL_DestroyWindow(window->notes.sdl);
    renderer_free(window->notes.renderer);
    drawing_free(&window->notes.shown);
    drawing_free(&window->notes_drawing);
    window->notes = (struct sheet){.sdl = NULL};
}

static void end_presenting(struct window *window)
{
    close_notes(window);
    if (window->moved)
        SDL_SetWindowFullscreen(window->main.sdl, 0);
    window->moved = false;
}

/* Returns whether something changed. */
static bool grant(struct window *window)
{
    enum desk_wish wish = window->desk.wish;
    window->desk.wish = DESK_NOTHING;
    if (wish == DESK_EXPORT)
        write_picture(&window->desk);
    if (wish == DESK_FULLSCREEN) {
        uint32_t full = SDL_GetWindowFlags(window->main.sdl) & SDL_WINDOW_FULLSCREEN_DESKTOP;
        SDL_SetWindowFullscreen(window->main.sdl, full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
    }
    if (wish == DESK_PRESENT && window->desk.view->presenting && !window->notes.sdl)
        begin_presenting(window);
    if (wish == DESK_PRESENT && !window->desk.view->presenting)
        end_presenting(window);
    if (wish == DESK_QUIT)
        window->quit = true;
    return wish == DESK_EXPORT || wish == DESK_PRESENT;
}

/* ---- work in the background -------------------------------------------------------------------- */

/* SDL's types of events of our own. */
enum { EVENT_WORKED };

static int work(void *context)
{
    struct window *window = context;
    SDL_Event event = {.type = window->own_events + EVENT_WORKED};
    job_run(window->desk.job);
    SDL_PushEvent(&event);
    return 0;
}

/* Begins what the desk has to do. */
static void begin_work(struct window *window)
{
    if (!desk_work(&window->desk))
        return;
    window->worker = SDL_CreateThread(work, "work", window);
    if (!window->worker)
        work(window);
}

static bool end_work(struct window *window)
{
    SDL_WaitThread(window->worker, NULL);
    window->worker = NULL;
    return desk_worked(&window->desk);
}

/* ---- events ---------------------------------------------------------------------------------- */

static bool press(struct window *window, const char *key)
{
    return desk_press(&window->desk, key, SDL_GetTicks64());
}

/* A key's name in the table; "" for keys that type a character, which come as text, and for Shift and
 * its like. */
static void key_name(const SDL_Keysym *key, char *name, size_t size)
{
    static const struct {
        int modifier;
        const char *name;
    } modifiers[] = {{KMOD_CTRL, "Ctrl+"}, {KMOD_ALT, "Alt+"}, {KMOD_SHIFT, "Shift+"}};
    bool types = key->sym >= SDLK_SPACE && key->sym != SDLK_DELETE &&
                 !(key->sym & SDLK_SCANCODE_MASK) && !(key->mod & (KMOD_CTRL | KMOD_ALT));
    const char *plain = SDL_GetKeyName(key->sym);
    bool modifies = key->sym >= SDLK_LCTRL && key->sym <= SDLK_RGUI;
    name[0] = '\0';
    if (types || modifies || !*plain)
        return;
    for (size_t i = 0; i < sizeof modifiers / sizeof modifiers[0]; i++)
        if (key->mod & modifiers[i].modifier)
            strcat(name, modifiers[i].name);
    size_t length = strlen(name);
    snprintf(name + length, size - length, "%s", plain);
}

/* Window coordinates as SDL gives them, in points of the picture. */
static double point_x(const struct window *window, int x)
{
    int w;
    SDL_GetWindowSize(window->main.sdl, &w, NULL);
    return w > 0 ? x * window->desk.width / w : 0;
}

static double point_y(const struct window *window, int y)
{
    int h;
    SDL_GetWindowSize(window->main.sdl, NULL, &h);
    return h > 0 ? y * window->desk.height / h : 0;
}

/* The pointer moved by all the motions since the last time. */
static bool motion(struct window *window, const SDL_Event *event)
{
    return desk_move(&window->desk, point_x(window, event->motion.x),
                     point_y(window, event->motion.y));
}

/* ---- the screen ------------------------------------------------------------------------------ */

/* The list as it was drawn, complete at every moment: for tests. */
static bool write_dump(const struct window *window, const struct drawing *drawing,
                       const char *ending, struct error *error)
{
    char part[1040], whole[1024];
    snprintf(whole, sizeof whole, "%s%s", window->dump, ending);
    snprintf(part, sizeof part, "%s.part", whole);
    FILE *file = fopen(part, "w");
    bool good = file && drawing_dump(drawing, file) &&
                fprintf(file, "frame %llu\n", (unsigned long long)window->frames) > 0;
    good = file && fclose(file) == 0 && good && rename(part, whole) == 0;
    return good ||
           error_set(error, "cannot write '%s' (BANKSCOPE_DUMP): %s", whole, strerror(errno));
}

static bool draw_notes(struct window *window, struct error *error)
{
    SDL_Surface *screen = SDL_GetWindowSurface(window->notes.sdl);
    if (!screen || !window->notes.renderer)
        return true; /* the lesson goes on without */
    double scale = 1.4 * pixels_of_point(window->notes.sdl, screen, window->asked_scale);
    struct drawing *drawing = &window->notes_drawing;
    if (!desk_draw_notes(&window->desk, screen->w / scale, screen->h / scale, drawing))
        return error_set(error, "%s", drawing->error.text);
    return sheet_show(&window->notes, screen, drawing, scale, window->desk.view->theme, error) &&
           (!window->dump || write_dump(window, &window->notes.shown, ".notes", error));
}

static bool draw(struct window *window, struct error *error)
{
    SDL_Surface *screen = SDL_GetWindowSurface(window->main.sdl);
    if (!screen)
        return error_set(error, "the window has no surface to draw on: %s", SDL_GetError());
    desk_resize(&window->desk, screen->w, screen->h,
                pixels_of_point(window->main.sdl, screen, window->asked_scale));
    if (!desk_draw(&window->desk, error))
        return false;
    window->frames++;
    return sheet_show(&window->main, screen, &window->desk.drawing, window->desk.scale,
                      window->desk.view->theme, error) &&
           (!window->dump || write_dump(window, &window->main.shown, "", error)) &&
           (!window->notes.sdl || draw_notes(window, error));
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Whether the event is for the window of the notes alone; keys are for both. */
static bool of_notes(const struct window *window, const SDL_Event *event)
{
    uint32_t id = SDL_GetWindowID(window->notes.sdl);
    switch (event->type) {
    case SDL_WINDOWEVENT:
        return event->window.windowID == id;
    case SDL_MOUSEMOTION:
        return event->motion.windowID == id;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
        return event->button.windowID == id;
    case SDL_MOUSEWHEEL:
        return event->wheel.windowID == id;
    default:
        return false;
    }
}

/* Whether what a window showed is to be drawn anew. */
static bool is_lost(struct sheet *sheet, const SDL_Event *event)
{
    bool lost = event->window.event == SDL_WINDOWEVENT_EXPOSED ||
                event->window.event == SDL_WINDOWEVENT_SIZE_CHANGED;
    if (lost)
        sheet_forget(sheet);
    return lost;
}

static bool in_notes(struct window *window, const SDL_Event *event)
{
    if (event->type == SDL_MOUSEWHEEL)
        window->desk.notes_scroll -= 60.0 * event->wheel.y;
    if (event->type != SDL_WINDOWEVENT)
        return event->type == SDL_MOUSEWHEEL;
    if (event->window.event == SDL_WINDOWEVENT_CLOSE)
        return press(window, "F5");
    return is_lost(&window->notes, event);
}

/* One event; motions are kept for the end of the batch. */
static bool handle(struct window *window, const SDL_Event *event, const SDL_Event **moved,
                   SDL_Event *last_motion)
{
    char name[96];
    if (event->type == window->own_events + EVENT_WORKED)
        return end_work(window);
    if (window->notes.sdl && of_notes(window, event))
        return in_notes(window, event);
    switch (event->type) {
    case SDL_QUIT:
        window->quit = true;
        return false;
    case SDL_WINDOWEVENT:
        if (event->window.event == SDL_WINDOWEVENT_CLOSE)
            window->quit = true;
        if (event->window.event == SDL_WINDOWEVENT_LEAVE) {
            *moved = NULL;
            return desk_leave(&window->desk);
        }
        return is_lost(&window->main, event);
    case SDL_KEYDOWN:
        window->modifiers = event->key.keysym.mod;
        key_name(&event->key.keysym, name, sizeof name);
        return name[0] && press(window, name);
    case SDL_TEXTINPUT: /* Ctrl++ has come as a key; Ctrl itself may be up again by now */
        if ((window->modifiers & KMOD_CTRL) && !(window->modifiers & KMOD_ALT))
            return false;
        return press(window, strcmp(event->text.text, " ") == 0 ? "Space" : event->text.text);
    case SDL_DROPFILE: {
        bool changed = desk_open(&window->desk, event->drop.file, true);
        SDL_free(event->drop.file);
        return changed;
    }
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
        return desk_button(
            &window->desk, point_x(window, event->button.x), point_y(window, event->button.y),
            event->type == SDL_MOUSEBUTTONDOWN && event->button.button == SDL_BUTTON_LEFT);
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
    int wait = desk_wait(&window->desk, SDL_GetTicks64());
    int got = wait < 0 ? SDL_WaitEvent(&event) : SDL_WaitEventTimeout(&event, wait);
    for (; got && !window->quit; got = SDL_PollEvent(&event)) {
        if (moved && event.type != SDL_MOUSEMOTION) {
            changed |= motion(window, moved);
            moved = NULL;
        }
        changed |= handle(window, &event, &moved, &last_motion);
        changed |= grant(window);
    }
    if (moved)
        changed |= motion(window, moved);
    changed |= desk_tick(&window->desk, SDL_GetTicks64());
    begin_work(window);
    return changed;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void push_key(SDL_Keycode key)
{
    SDL_Event event = {.key = {.type = SDL_KEYDOWN, .keysym = {.sym = key}}};
    SDL_PushEvent(&event);
}

/* One step, or from the end back to the begin. */
static bool replay_step(struct window *window, int number, struct error *error)
{
    (void)number;
    push_key(SDLK_RIGHT);
    if (!take_events(window))
        view_home(window->desk.view), view_home(window->desk.view);
    return draw(window, error);
}

/* The chosen parameter up and down, until it is recorded anew in all panels. */
static bool replay_turn(struct window *window, int number, struct error *error)
{
    push_key(number % 2 ? SDLK_LEFT : SDLK_RIGHT);
    bool good = true;
    do {
        if (take_events(window))
            good = draw(window, error);
    } while (good && window->desk.job);
    return good;
}

/* From an event in the queue to the picture on the screen. */
static bool replay(struct window *window, int times, const char *what,
                   bool (*once)(struct window *window, int number, struct error *error),
                   struct error *error)
{
    double *ms = calloc((size_t)times, sizeof *ms);
    if (!ms)
        return error_set(error, "no memory for %d times (BANKSCOPE_REPLAY)", times);
    bool good = true;
    int drawn = 0;
    clock_t busy = clock(); /* in all threads, whatever else the machine does */
    while (good && drawn < times) {
        uint64_t begin = SDL_GetPerformanceCounter();
        good = once(window, drawn, error);
        ms[drawn++] = 1e3 * (double)(SDL_GetPerformanceCounter() - begin) /
                      (double)SDL_GetPerformanceFrequency();
    }
    qsort(ms, (size_t)drawn, sizeof *ms, by_value);
    if (good)
        printf("window: %d %s at %.0f x %.0f points, ms from key to picture: p50 %.2f, "
               "p95 %.2f, most %.2f; of processor time each %.2f\n",
               drawn, what, window->desk.width, window->desk.height, ms[drawn / 2],
               ms[drawn * 95 / 100], ms[drawn - 1],
               1e3 * (double)(clock() - busy) / CLOCKS_PER_SEC / drawn);
    free(ms);
    return good;
}

/* BANKSCOPE_REPLAY, of steps, or of the parameter that BANKSCOPE_TURN names. */
static bool replay_all(struct window *window, int times, struct error *error)
{
    const char *turn = getenv("BANKSCOPE_TURN");
    struct dials *dials = &window->desk.dials;
    if (!turn)
        return replay(window, times, "steps", replay_step, error);
    while (dials->chosen < dials->count && strcmp(dials->dial[dials->chosen].name, turn))
        dials->chosen++;
    if (dials->chosen == dials->count)
        return error_set(error, "there is no parameter %s to turn (BANKSCOPE_TURN)", turn);
    dials->focus = true;
    char what[64];
    snprintf(what, sizeof what, "turns of %.40s", turn);
    return replay(window, times, what, replay_turn, error);
}

static bool run_loop(struct window *window, struct error *error)
{
    const char *replays = getenv("BANKSCOPE_REPLAY");
    window->desk.now = window->desk.present_since = SDL_GetTicks64();
    grant(window);
    if (!draw(window, error))
        return false;
    if (replays && atoi(replays) > 0 && window->desk.view->panels > 0)
        return replay_all(window, atoi(replays), error);
    while (!window->quit)
        if (take_events(window) && !window->quit && !draw(window, error))
            return false;
    return true;
}

/* What SIGINT and SIGTERM did before: the caller's files are not to stay behind. */
static void put_back(const struct sigaction before[2])
{
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGTERM, &before[1], NULL);
}

/* A window's size in one direction: what a picture wants, more on a large screen, but never the whole of it. */
static int first_size(int wanted, int screen)
{
    int most = wanted * 3 / 2, size = screen * 4 / 5;
    size = size < wanted ? wanted : size > most ? most : size;
    return size > screen * 9 / 10 ? screen * 9 / 10 : size;
}

bool window_run(const char *title, struct view *view, struct pane *pane,
                const struct workshop *workshop, struct error *error)
{
    struct window window = {.dump = getenv("BANKSCOPE_DUMP")};
    bool good = false;
    if (!load_cairo(error) || !load_sdl(error))
        return false;
#if defined(__unix__) && !defined(__APPLE__)
    /* Else SDL falls back to windows that nobody sees. $SDL_VIDEODRIVER goes first. */
    SDL_SetHint(SDL_HINT_VIDEODRIVER, getenv("WAYLAND_DISPLAY") ? "x11,wayland" : "x11");
#endif
    SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
    struct sigaction before[2]; /* SDL makes events of these, unless they have handlers */
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(SIGINT, &standard, &before[0]);
    sigaction(SIGTERM, &standard, &before[1]);
    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        return put_back(before),
               error_set(error,
                         "there is no display for a window (%s): set DISPLAY, or draw into a file "
                         "with 'bankscope export TRACE -o FILE.pdf'",
                         SDL_GetError());
    if (workshop && workshop->opened)
        workshop->opened(workshop->context);
    /* There the surface is shared memory; by way of a texture it is slower without a GPU. */
    if (strcmp(SDL_GetCurrentVideoDriver(), "x11") == 0)
        SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    window.asked_scale = asked_scale();
    int w = (int)(1280 * window.asked_scale), h = (int)(800 * window.asked_scale);
    SDL_Rect desktop;
    if (SDL_GetDisplayUsableBounds(0, &desktop) == 0) {
        w = first_size(w, desktop.w);
        h = first_size(h, desktop.h);
    }
    if (getenv("BANKSCOPE_REPLAY")) {
        w = 1920;
        h = 1080;
    }
    desk_init(&window.desk, view, pane);
    window.desk.wish = view->presenting ? DESK_PRESENT : DESK_NOTHING;
    window.desk.workshop = workshop;
    desk_take_dials(&window.desk);
    if (workshop && workshop->survey)
        desk_survey(&window.desk);
    window.main.renderer = renderer_new();
    /* The picture has no room to spare for a hint; the title has. */
    char hinted[320];
    snprintf(hinted, sizeof hinted, "%s (? lists the keys)", title);
    window.main.sdl = SDL_CreateWindow(hinted, SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, w,
                                       h, SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (!window.main.sdl)
        error_set(error, "cannot open a window: %s; draw into a file with 'bankscope export'",
                  SDL_GetError());
    else if (!window.main.renderer)
        error_set(error, "no memory for fonts; close something and try again");
    else {
        SDL_SetWindowMinimumSize(window.main.sdl, 400, 300);
        SDL_StartTextInput();
        window.own_events = SDL_RegisterEvents(1);
        good = run_loop(&window, error);
        if (window.worker) {
            window.desk.job->stop = true;
            SDL_WaitThread(window.worker, NULL);
        }
    }
    close_notes(&window);
    if (window.main.sdl) {
        /* For each event SDL has sent itself a message through the window, by a connection of its
         * own. Should the server read that after the window is gone, Xlib ends the program. */
        SDL_HideWindow(window.main.sdl);
        SDL_Delay(50);
        SDL_DestroyWindow(window.main.sdl);
    }
    renderer_free(window.main.renderer);
    drawing_free(&window.main.shown);
    desk_free(&window.desk);
    SDL_Quit();
    put_back(before);
    return good;
}
