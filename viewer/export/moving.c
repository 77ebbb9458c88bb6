/* moving.c - pictures that move: frames, and the colours that they need. */
#include "viewer/export/export.h"

#include <cairo.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ALIKE: colours of text at edges, by which they differ in each of red, green and blue. */
enum { MOST_FRAMES = 20000, SLOTS = 1 << 16, ALIKE = 12 };

/* How many pixels have each colour; what finds no slot is not counted. */
struct count {
    uint32_t colour;
    uint64_t pixels; /* 0: free */
};

static void count_pixels(struct count *slot, uint32_t colour, uint64_t pixels)
{
    uint32_t at = colour * 2654435761u >> 16;
    for (int tried = 0; tried < 64; tried++, at = (at + 1) % SLOTS)
        if (!slot[at].pixels || slot[at].colour == colour) {
            slot[at].colour = colour;
            slot[at].pixels += pixels;
            return;
        }
}

static void count_colours(struct count *slot, cairo_surface_t *surface)
{
    const unsigned char *row = cairo_image_surface_get_data(surface);
    int wide = cairo_image_surface_get_width(surface);
    for (int y = 0; y < cairo_image_surface_get_height(surface); y++) {
        const uint32_t *pixel = (const uint32_t *)(const void *)row;
        for (int from = 0, to; from < wide; from = to) { /* neighbours are mostly alike */
            for (to = from + 1; to < wide && pixel[to] == pixel[from]; to++)
                continue;
            count_pixels(slot, pixel[from] & 0xFFFFFF, (uint64_t)(to - from));
        }
        row += cairo_image_surface_get_stride(surface);
    }
}

static int by_pixels(const void *left, const void *right)
{
    const struct count *a = left, *b = right;
    if (a->pixels != b->pixels)
        return a->pixels < b->pixels ? 1 : -1;
    return (a->colour > b->colour) - (a->colour < b->colour);
}

static bool is_alike(uint32_t a, uint32_t b)
{
    for (int shift = 0; shift < 24; shift += 8)
        if (abs((int)(a >> shift & 255) - (int)(b >> shift & 255)) > ALIKE)
            return false;
    return true;
}

static bool is_theme(const struct theme *theme, uint32_t colour)
{
    for (int role = ROLE_NONE + 1; role < ROLES; role++)
        if (theme->colour[role] == colour)
            return true;
    return false;
}

static void choose_colours(struct moving *moving, struct count *slot)
{
    const int most = sizeof moving->colour / sizeof *moving->colour;
    moving->colours = 0;
    qsort(slot, SLOTS, sizeof *slot, by_pixels);
    for (int i = 0; i < SLOTS && slot[i].pixels; i++)
        if (is_theme(moving->view->theme, slot[i].colour))
            moving->colour[moving->colours++] = slot[i].colour;
    for (int i = 0; i < SLOTS && slot[i].pixels && moving->colours < most; i++) {
        bool new = true;
        for (int k = 0; k < moving->colours && new; k++)
            new = !is_alike(moving->colour[k], slot[i].colour);
        if (new)
            moving->colour[moving->colours++] = slot[i].colour;
    }
}

/* Whether the view is at a frame that is wanted. */
static bool is_wanted(const struct moving *moving)
{
    for (int p = 0; p < moving->view->panels; p++) {
        const struct view_panel *panel = &moving->view->panel[p];
        if (panel->step >= 0 && panel->step < panel->map.steps &&
            (!moving->rounds ||
             numbers_have(moving->rounds,
                          trace_index_step(panel->index, panel->stage, panel->step)->round)))
            return true;
    }
    return false;
}

/* Goes on within the stage. */
static bool next(struct view *view)
{
    int stage = view->panel[view->active].stage;
    return view_step(view, 1) && view->panel[view->active].stage == stage;
}

static int even(double size)
{
    return ((int)(size + 0.5) + 1) / 2 * 2;
}

static bool draw_frames(struct moving *moving, cairo_surface_t *surface, struct count *slot,
                        FILE *file, struct error *error)
{
    struct view *view = moving->view;
    struct drawing drawing = {0};
    struct renderer *renderer = renderer_new();
    cairo_t *cr = cairo_create(surface);
    double height = scene_height(view, moving->width);
    size_t done = 0;
    bool good = renderer || error_set(error, "picture: out of memory");
    cairo_scale(cr, moving->scale, moving->scale);
    for (bool more = true; good && more; more = next(view)) {
        if (!is_wanted(moving))
            continue;
        good = scene_draw(view, moving->width, height, &drawing) ||
               error_set(error, "%s", drawing.error.text);
        if (!good)
            break;
        /* up to the last pixels, which make width and height even */
        drawing.item[0].w += 2, drawing.item[0].h += 2;
        renderer_draw(renderer, cr, &drawing, view->theme);
        cairo_surface_flush(surface);
        errno = 0;
        count_colours(slot, surface);
        good = (cairo_status(cr) == CAIRO_STATUS_SUCCESS && png_write(surface, NULL, file)) ||
               error_set(error, "cannot write a temporary file: %s",
                         errno ? strerror(errno) : "out of memory");
        if (moving->progress)
            moving->progress(++done, moving->frames);
    }
    cairo_destroy(cr);
    renderer_free(renderer);
    drawing_free(&drawing);
    return good;
}

/* Whether the view's crop leaves something of each panel, and that fits. */
static bool check_crop(struct view *view, double width, struct error *error)
{
    struct crop crop;
    struct drawing drawing = {0};
    for (int p = 0; p < view->panels; p++) {
        const struct trace_index *index = view->panel[p].index;
        const struct trace_header *header = &index->trace->header;
        if (!crop_make(&crop, view->only_banks, header->banks))
            return error_set(error, "%s has banks 0 to %d, and none of them is to be shown",
                             header->kernel, header->banks - 1);
        if (view->only_columns && !crop_make(&crop, view->only_columns, index->columns))
            return error_set(error, "%s has columns 0 to %d, and none of them is to be shown",
                             header->kernel, index->columns - 1);
    }
    bool good = scene_draw(view, width, scene_height(view, width), &drawing) ||
                error_set(error, "%s", drawing.error.text);
    drawing_free(&drawing);
    for (int p = 0; good && view->only_columns && p < view->panels; p++) {
        const struct panel_layout *l = &view->panel[p].layout;
        good = l->cells_x + l->cells_w <= l->x + l->w ||
               error_set(error, "the columns do not fit; choose fewer --columns or a larger "
                                "--width");
    }
    return good;
}

bool moving_draw(struct moving *moving, FILE *file, struct error *error)
{
    struct view *view = moving->view;
    const int stage = view->panel[view->active].stage;
    size_t frames = 0;
    view_go(view, stage, 0, 0);
    for (bool more = true; more && frames <= MOST_FRAMES; more = next(view))
        frames += is_wanted(moving);
    view_go(view, stage, 0, 0);
    if (frames == 0)
        return error_set(error, "the stage has none of these rounds");
    if (frames > MOST_FRAMES)
        return error_set(error, "more than %d frames; choose rounds with --rounds A-B",
                         MOST_FRAMES);
    if (!check_crop(view, moving->width, error) || !load_cairo(error))
        return false;
    double height = scene_height(view, moving->width);
    int wide = even(moving->width * moving->scale), high = even(height * moving->scale);
    moving->frames = frames;
    moving->wide = wide;
    moving->high = high;
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, wide, high);
    struct count *slot = calloc(SLOTS, sizeof *slot);
    bool good = cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS && slot;
    if (!good)
        error_set(error, "a frame of %d x %d pixels is too large; choose a smaller --width", wide,
                  high);
    good = good && draw_frames(moving, surface, slot, file, error);
    if (good)
        choose_colours(moving, slot);
    free(slot);
    cairo_surface_destroy(surface);
    return good;
}
