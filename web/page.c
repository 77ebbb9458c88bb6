/* page.c - what a web page calls: window.c's part where the window is a browser's (page.js).
 *
 * The same program serves two places, each with a memory of its own: the page, which shows
 * recordings, and a worker, which records, so that the page never waits. What goes from one to the
 * other are the bytes of trace_bytes.c. Texts come from JavaScript in page_room, and go back as C
 * strings that live until the next call.
 */
#include "web/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GLOBAL = 256 << 20 }; /* bytes of global memory of a launch */

/* ---- what the program has and a page lacks --------------------------------------------------- */

#ifdef __wasm__

void *global_new(size_t bytes, struct error *error)
{
    if (bytes > MOST_GLOBAL) {
        error_set(error,
                  "%zu MB of global memory are more than a page can hold; choose smaller "
                  "parameters, or use the program",
                  bytes >> 20);
        return NULL;
    }
    return memory_array(bytes, 1, "bytes of global memory", error);
}

void global_free(void *memory, size_t bytes)
{
    (void)bytes;
    free(memory);
}
#endif

/* ---- texts ----------------------------------------------------------------------------------- */

/* Its end is all that JavaScript is told. */
static void end_program(void)
{
    _Exit(1);
}

EXPORT(create) struct page *page_create(void)
{
    memory_on_exhaustion(end_program);
    struct page *page = memory_new(1, sizeof *page);
    if (!view_init(&page->view, NULL, NULL, &page->error))
        memory_exhausted();
    desk_init(&page->desk, &page->view, NULL);
    page->desk.in_browser = true;
    return page;
}

/* Room for that many bytes and a NUL, where JavaScript puts what it hands over; NULL: there is not
 * so much memory. */
EXPORT(room) char *page_room(struct page *page, size_t bytes)
{
    if (!memory_grow(&page->room, &page->room_bytes, bytes + 1, 1, "bytes", &page->error))
        return NULL;
    page->room[bytes] = '\0';
    return page->room;
}

/* The last error; it is forgotten. */
EXPORT(error) const char *page_error(struct page *page)
{
    free(page->text);
    page->text = memory_copy(page->error.text);
    page->error.text[0] = '\0';
    return page->text;
}

FILE *page_begin_text(struct page *page, size_t *length)
{
    free(page->text);
    page->text = NULL;
    FILE *file = open_memstream(&page->text, length);
    if (!file)
        memory_exhausted();
    return file;
}

/* ---- what is shown --------------------------------------------------------------------------- */

/* The panel that shows what was loaded under that number, or -1. */
static int panel_of(const struct page *page, int number)
{
    for (int p = 0; p < page->view.panels; p++)
        if (page->loaded[number] && page->view.panel[p].own == page->loaded[number])
            return p;
    return -1;
}

/* Takes a recording's panel away. */
EXPORT(close) void page_close(struct page *page, int number)
{
    struct view *view = &page->view;
    int panel = panel_of(page, number);
    if (panel >= 0 && !view_remove(view, panel)) { /* it is the last */
        struct view kept = {.theme = view->theme,
                            .label = view->label,
                            .no_overview = view->no_overview,
                            .zoom = 1};
        view_free(view);
        *view = kept;
    }
    page->loaded[number] = NULL;
}

EXPORT(shown) bool page_shown(const struct page *page, int number)
{
    return panel_of(page, number) >= 0;
}

/* Unpacks the bytes in page_room and shows them where the recording of that number is, or in a new
 * panel. compare: with the totals before. A first recording is shown from its worst step on. */
EXPORT(load) bool page_load(struct page *page, int number, size_t count, bool compare)
{
    struct view *view = &page->view;
    struct exhibit *exhibit = exhibit_new();
    struct trace_sink sink = trace_memory_sink(&exhibit->trace);
    for (int p = view->panels - 1; p >= 0; p--)
        if (view->panel[p].advised)
            view_remove(view, p);
    int panel = panel_of(page, number);
    bool first = view->panels == 0;
    if (!trace_unpack((const unsigned char *)page->room, count, &sink, &page->error) ||
        !exhibit_index(exhibit, &page->error) ||
        !(panel < 0 ? view_add(view, exhibit, &page->error)
                    : view_replace(view, panel, exhibit, compare, &page->error))) {
        exhibit_free(exhibit);
        return false;
    }
    page->loaded[number] = exhibit;
    if (first)
        view_worst_of(view, trace_index_worst_stage(&exhibit->index));
    return true;
}

/* ---- the place, for the address of the page -------------------------------------------------- */

EXPORT(place) const char *page_place(struct page *page)
{
    size_t length;
    FILE *file = page_begin_text(page, &length);
    view_place(&page->view, file);
    fclose(file);
    return page->text;
}

/* The number in a line "NAME NUMBER" of a place, or `otherwise`. */
static int place_number(const char *place, const char *name, int otherwise)
{
    size_t length = strlen(name);
    for (const char *line = place; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, name, length) == 0 && line[length] == ' ') {
            long number = strtol(line + length, NULL, 10);
            return number < 0 || number > INT32_MAX ? otherwise : (int)number;
        }
    return otherwise;
}

/* The word in such a line, or "". */
static void place_word(const char *place, const char *name, char *word, size_t size)
{
    size_t length = strlen(name);
    word[0] = '\0';
    for (const char *line = place; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, name, length) == 0 && line[length] == ' ')
            snprintf(word, size, "%.*s", (int)strcspn(line + length + 1, "\n"), line + length + 1);
}

/* Goes to a place that page_place told, as far as there is one. */
EXPORT(go) void page_go(struct page *page, const char *place)
{
    struct view *view = &page->view;
    struct error unknown = {{0}};
    char word[MAX_STAGE_NAME + 1];
    place_word(place, "theme", word, sizeof word);
    const struct theme *theme = word[0] ? theme_find(word, &unknown) : NULL;
    view->theme = theme ? theme : themes;
    place_word(place, "label", word, sizeof word);
    view->label = LABEL_THREAD;
    for (int i = 0; i < LABELS; i++)
        if (strcmp(word, label_names[i]) == 0)
            view->label = (enum label)i;
    if (view->panels == 0)
        return;
    if (place_number(place, "panel", 0) == 1 && view->panels > 1 && view->active == 0)
        view_swap(view);
    const struct trace_header *header = &view->panel[view->active].index->trace->header;
    place_word(place, "stage", word, sizeof word);
    int stage = word[0] ? header_stage(header, word) : view->panel[view->active].stage;
    if (stage < 0)
        return;
    int round = place_number(place, "round", -1), pass = place_number(place, "pass", -1);
    bool step = word[0] || round >= 0; /* else the worst step, which is shown at first */
    const struct view_panel *leader = &view->panel[view->active];
    int block = place_number(place, "block", step ? 0 : leader->block);
    int warp = place_number(place, "warp", step ? 0 : leader->warp);
    if (block < header->blocks && warp < header_warps(header))
        view_go_warp(view, block, warp);
    if (step)
        view_go(view, stage, round < 0 ? 0 : round, place_number(place, "slot", 0));
    int thread = place_number(place, "thread", -1);
    if (thread >= 0)
        view_follow_thread(view, thread);
    view_race(view, false);
    if (pass >= 0 && view_race(view, true))
        view_step(view, pass - (int)view->pass);
}

/* ---- words for those who cannot see the picture ---------------------------------------------- */

/* The bank that serves most words, and which: the step's reason. */
static void say_worst_bank(FILE *file, const struct view_panel *panel)
{
    struct accessed accessed = {0};
    struct error error = {{0}};
    char why[600];
    int worst = 0, banks = panel->index->trace->header.banks;
    if (accessed_take(&accessed, &panel->map, panel->step, panel->step + 1, PAINT_ROUND, &error) &&
        accessed.count > 0) {
        for (int bank = 1; bank < banks; bank++)
            if (accessed.degree[bank] > accessed.degree[worst])
                worst = bank;
        why_bank(&panel->map, &accessed, worst, why, sizeof why);
        fprintf(file, "; %s", why);
    }
    accessed_free(&accessed);
}

/* In sentences: what stands above the picture, or what is pointed at or followed and what the picture
 * shows. */
EXPORT(says) const char *page_says(struct page *page)
{
    struct view *view = &page->view;
    size_t length;
    FILE *file = page_begin_text(page, &length);
    char why[600];
    bool covered = desk_says(&page->desk, file);
    view_why(view, &view->hover, why, sizeof why);
    if (!why[0] && view->panels > 0)
        view_why_followed(view, why, sizeof why);
    if (why[0] && !covered)
        fprintf(file, "%s. ", why);
    for (int p = 0; p < view->panels && !covered; p++) {
        const struct view_panel *panel = &view->panel[p];
        if (!panel->map.set)
            continue;
        int steps = panel->map.steps;
        size_t access = NO_ACCESS;
        if (panel->step >= 0 && panel->step < steps)
            access = trace_index_access(panel->index, panel->block, panel->stage, panel->step,
                                        panel->warp);
        fprintf(file, "%s: ", panel->index->trace->header.kernel);
        if (access != NO_ACCESS) {
            why_access(panel->index, access, why, sizeof why);
            fputs(why, file);
            say_worst_bank(file, panel);
        } else if (panel->step >= steps) {
            fputs("has finished the stage", file);
        } else {
            fputs("this warp does nothing now", file);
        }
        fputs(". ", file);
    }
    fclose(file);
    return page->text;
}

/* The line of the source that the mouse is on the picture of; 0: none. */
EXPORT(line) int page_line(const struct page *page)
{
    const struct view *view = &page->view;
    const size_t at = view_hit_access(view, &view->hover);
    if (view->hover.kind == HIT_NOTHING || at == NO_ACCESS || view->hover.panel >= view->panels)
        return 0;
    const struct trace *trace = view->panel[view->hover.panel].index->trace;
    const int site = trace_get(trace, at).site;
    return site >= 0 && site < trace->header.sites ? trace->header.site[site].line : 0;
}

/* ---- keys, pointer, clock -------------------------------------------------------------------- */

/* Does what takes a while at once: a page has no threads. */
static bool work(struct page *page, bool changed)
{
    for (struct job *job; (job = desk_work(&page->desk)); changed |= desk_worked(&page->desk))
        job_run(job);
    return changed;
}

EXPORT(press) bool page_press(struct page *page, const char *key, double now)
{
    return work(page, desk_press(&page->desk, key, (uint64_t)now));
}

EXPORT(move) bool page_move(struct page *page, double x, double y)
{
    return desk_move(&page->desk, x, y);
}

EXPORT(button) bool page_button(struct page *page, double x, double y, bool down)
{
    return work(page, desk_button(&page->desk, x, y, down));
}

EXPORT(leave) bool page_leave(struct page *page)
{
    return desk_leave(&page->desk);
}

EXPORT(wait) int page_wait(struct page *page, double now)
{
    return desk_wait(&page->desk, (uint64_t)now);
}

EXPORT(tick) bool page_tick(struct page *page, double now)
{
    return desk_tick(&page->desk, (uint64_t)now);
}

/* The number of what the desk wishes (enum desk_wish); the wish is taken. */
EXPORT(wish) int page_wish(struct page *page)
{
    int wish = page->desk.wish;
    page->desk.wish = DESK_NOTHING;
    return wish;
}

/* ---- drawing --------------------------------------------------------------------------------- */

_Static_assert(sizeof(struct drawing_item) == 32, "paint.js reads items of eight words");

/* What paint.js paints: count, items, texts, colours, width and height in hundredths of a point. */
static const uint32_t *list_of(struct page *page, const struct drawing *drawing)
{
    page->list[0] = drawing->count;
    page->list[1] = (uint32_t)(uintptr_t)drawing->item;
    page->list[2] = (uint32_t)(uintptr_t)drawing->text;
    page->list[3] = (uint32_t)(uintptr_t)page->view.theme->colour;
    page->list[4] = (uint32_t)(100 * drawing->width);
    page->list[5] = (uint32_t)(100 * drawing->height);
    return page->list;
}

EXPORT(resize) double page_resize(struct page *page, double width, double height, double ratio)
{
    desk_resize(&page->desk, width, height, ratio);
    return page->desk.scale;
}

EXPORT(draw) const uint32_t *page_draw(struct page *page)
{
    return desk_draw(&page->desk, &page->error) ? list_of(page, &page->desk.drawing) : NULL;
}

/* The picture as it is saved: without pointer, help and note. NULL: there is none. */
EXPORT(still) const uint32_t *page_still(struct page *page)
{
    struct hit hover = page->view.hover;
    page->view.hover = (struct hit){0};
    bool drawn = page->view.panels > 0 &&
                 scene_draw(&page->view, page->desk.picture_w, page->desk.picture_h, &page->still);
    page->view.hover = hover;
    return drawn ? list_of(page, &page->still) : NULL;
}

/* What page_still drew, as SVG. */
EXPORT(svg) const char *page_svg(struct page *page)
{
    size_t length;
    FILE *file = page_begin_text(page, &length);
    svg_write(&page->still, page->view.theme, file);
    fclose(file);
    return page->text;
}

/* Whether a finger that is down moves nothing, because the whole picture is in sight. */
EXPORT(idle) bool page_idle(const struct page *page)
{
    return page->desk.drag == DRAG_PICTURE && page->view.zoom <= 1;
}

/* What page_draw drew, as text: for tests. */
EXPORT(dump) const char *page_dump(struct page *page)
{
    size_t length;
    FILE *file = page_begin_text(page, &length);
    drawing_dump(&page->desk.drawing, file);
    fclose(file);
    return page->text;
}
