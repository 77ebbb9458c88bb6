/* desk_launches.c - a program as a whole: the list of its launches, from which one is opened, and the way back. And
 * the search, in the list and in a picture.
 *
 * The workshop surveys the program, in the background; until it has, the desk shows what it does.
 */
#include "viewer/window/desk.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Columns of the list, by which it can be ordered. */
enum column {
    COLUMN_CONFLICTS,
    COLUMN_PASSES,
    COLUMN_LAUNCH,
    COLUMN_KERNEL,
    COLUMN_SHAPE,
    COLUMNS
};
static const char *const titles[] = {"conflicts", "passes", "launch", "kernel", "grid x block"};

static const double size = 13, inset = 18, step = 22;
enum { LAUNCH_WIDE = 64, NUMBER_WIDE = 84, BAR_WIDE = 120 };

bool desk_has_launches(const struct desk *desk)
{
    return desk->workshop && desk->workshop->launches && desk->workshop->survey;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* The launches that fit what was typed, in their order. */
struct launch_rows {
    struct launch_row *row;
    int count;
    uint64_t most; /* conflicts */
};

/* Whether one text is in the other, whatever the case of their letters. */
static bool is_in(const char *part, const char *text)
{
    const size_t length = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < length && text[i] &&
               tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (i == length)
            return true;
    }
    return !length;
}

static int order_of(const struct launch_row *a, const struct launch_row *b, enum column by)
{
    const int launch = (a->launch > b->launch) - (a->launch < b->launch);
    int order = by == COLUMN_CONFLICTS
                    ? (a->conflicts < b->conflicts) - (a->conflicts > b->conflicts)
                : by == COLUMN_PASSES ? (a->passes < b->passes) - (a->passes > b->passes)
                : by == COLUMN_KERNEL ? strcmp(a->kernel, b->kernel)
                : by == COLUMN_SHAPE  ? strcmp(a->shape, b->shape)
                                      : 0;
    return order ? order : launch;
}

/* By merging, so that equal rows keep the order of their launches. */
static void sort_rows(struct launch_row *row, struct launch_row *room, int count, enum column by)
{
    const int half = count / 2;
    if (count < 2)
        return;
    sort_rows(row, room, half, by);
    sort_rows(row + half, room, count - half, by);
    for (int i = 0, k = half, to = 0; to < count; to++)
        room[to] =
            k == count || (i < half && order_of(&row[i], &row[k], by) <= 0) ? row[i++] : row[k++];
    memcpy(row, room, (size_t)count * sizeof *row);
}

static struct launch_rows gather(const struct desk *desk)
{
    const struct workshop *workshop = desk->workshop;
    const int all = workshop->launches(workshop->context);
    struct launch_row *room = memory_new((size_t)all + 1, sizeof *room);
    struct launch_rows rows = {.row = memory_new((size_t)all + 1, sizeof *rows.row)};
    for (int i = 0; i < all; i++) {
        struct launch_row *row = &rows.row[rows.count];
        *row = (struct launch_row){.number = i};
        workshop->launch(workshop->context, i, row);
        rows.most = row->conflicts > rows.most ? row->conflicts : rows.most;
        rows.count += is_in(desk->sought, row->kernel);
    }
    sort_rows(rows.row, room, rows.count, (enum column)desk->launch_order);
    free(room);
    return rows;
}

static void drop(struct launch_rows *rows)
{
    free(rows->row);
}

static int chosen_of(const struct desk *desk, const struct launch_rows *rows)
{
    return desk->chosen >= rows->count ? rows->count - 1 : desk->chosen;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Where a column begins; numbers end there. */
static double column_x(const struct desk *desk, enum column column)
{
    const double right = desk->width - inset;
    switch (column) {
    case COLUMN_LAUNCH:
        return inset + LAUNCH_WIDE - 16;
    case COLUMN_KERNEL:
        return inset + LAUNCH_WIDE;
    case COLUMN_SHAPE:
        return right - BAR_WIDE - 2 * NUMBER_WIDE - 150;
    case COLUMN_PASSES:
        return right - BAR_WIDE - NUMBER_WIDE;
    default:
        return right - BAR_WIDE;
    }
}

static double list_top(void)
{
    return inset + 3 * step;
}

/* How many rows have room, and the first of them. */
static int rows_shown(const struct desk *desk, const struct launch_rows *rows, int *first)
{
    int fit = (int)((desk->height - list_top() - 2 * step) / step);
    fit = fit < 1 ? 1 : fit;
    const int shown = fit < rows->count ? fit : rows->count;
    *first = chosen_of(desk, rows) - shown / 2;
    *first = *first > rows->count - shown ? rows->count - shown : *first;
    *first = *first < 0 ? 0 : *first;
    return shown;
}

static void draw_row(const struct desk *desk, const struct launch_rows *rows, int number,
                     double top, struct drawing *drawing)
{
    const struct launch_row *row = &rows->row[number];
    struct text_style left = {ROLE_INK, size, ALIGN_LEFT, FACE_PLAIN};
    struct text_style right = {ROLE_INK, size, ALIGN_RIGHT, FACE_PLAIN};
    const double base = top + step / 2 + TEXT_MIDDLE(size), bar = column_x(desk, COLUMN_CONFLICTS);
    if (number == chosen_of(desk, rows))
        drawing_edged(drawing, ROLE_CELL, ROLE_CURSOR, 2, inset / 2, top, desk->width - inset,
                      step);
    drawing_text(drawing, &right, column_x(desk, COLUMN_LAUNCH), base, "%" PRIu64, row->launch);
    drawing_text_within(drawing, &left, column_x(desk, COLUMN_KERNEL), base,
                        column_x(desk, COLUMN_SHAPE) - column_x(desk, COLUMN_KERNEL) - 10, "%s",
                        row->kernel);
    drawing_text_within(drawing, &left, column_x(desk, COLUMN_SHAPE), base,
                        column_x(desk, COLUMN_PASSES) - NUMBER_WIDE + 40 -
                            column_x(desk, COLUMN_SHAPE),
                        "%s", row->shape);
    drawing_text(drawing, &right, column_x(desk, COLUMN_PASSES), base, "%" PRIu64, row->passes);
    drawing_text(drawing, &right, bar, base, "%" PRIu64, row->conflicts);
    if (rows->most)
        drawing_box(drawing, ROLE_BAR_BAD, bar + 10, top + step / 4,
                    (BAR_WIDE - 20) * (double)row->conflicts / (double)rows->most, step / 2);
}

void desk_draw_launches(struct desk *desk)
{
    struct drawing *drawing = &desk->drawing;
    struct text_style bold = {ROLE_INK, 15, ALIGN_LEFT, FACE_BOLD};
    struct text_style faint = {ROLE_FAINT, size, ALIGN_LEFT, FACE_PLAIN};
    struct text_style wrong = {ROLE_BAD_EDGE, size, ALIGN_RIGHT, FACE_PLAIN};
    char told[400] = "";
    int first;
    drawing_box(drawing, ROLE_PAPER, 0, 0, desk->width, desk->height);
    if (desk->workshop->doing)
        desk->workshop->doing(desk->workshop->context, told, sizeof told);
    char *second = strchr(told, '\n');
    if (second)
        *second++ = '\0';
    drawing_text_within(drawing, &bold, inset, inset + step / 2 + TEXT_MIDDLE(15),
                        desk->width - 2 * inset, "%s", told);
    if (desk->job && desk->job->work == job_survey)
        return;
    if (second)
        drawing_text(drawing, &wrong, desk->width - inset,
                     list_top() - 1.5 * step + TEXT_MIDDLE(size), "%s", second);
    struct launch_rows rows = gather(desk);
    const int shown = rows_shown(desk, &rows, &first);
    for (int i = 0; i < COLUMNS; i++) {
        const bool number = i == COLUMN_CONFLICTS || i == COLUMN_PASSES || i == COLUMN_LAUNCH;
        struct text_style head = {desk->launch_order == i ? ROLE_INK : ROLE_FAINT, size,
                                  number ? ALIGN_RIGHT : ALIGN_LEFT,
                                  desk->launch_order == i ? FACE_BOLD : FACE_PLAIN};
        drawing_text(drawing, &head, column_x(desk, (enum column)i),
                     list_top() - step / 2 + TEXT_MIDDLE(size), "%s", titles[i]);
    }
    drawing_line(drawing, ROLE_GRID, 1, false, inset, list_top(), desk->width - inset, list_top());
    for (int i = 0; i < shown; i++)
        draw_row(desk, &rows, first + i, list_top() + i * step, drawing);
    if (desk->asking == ASK_SEARCH || *desk->sought)
        drawing_text(drawing, &faint, inset, list_top() - 1.5 * step + TEXT_MIDDLE(size),
                     "/%s%s: %d launch%s", desk->sought, desk->asking == ASK_SEARCH ? "_" : "",
                     rows.count, rows.count == 1 ? "" : "es");
    drawing_text_within(drawing, &faint, inset, desk->height - inset, desk->width - 2 * inset,
                        "Return or a click opens a launch, Backspace comes back; / searches; a "
                        "click on a heading, or o, orders; q quits");
    drop(&rows);
}

void desk_says_launches(const struct desk *desk, FILE *file)
{
    struct launch_rows rows = gather(desk);
    const int chosen = chosen_of(desk, &rows);
    if (chosen >= 0)
        fprintf(file, "launch %" PRIu64 ", %s, %s: %" PRIu64 " conflicts; %d of %d. ",
                rows.row[chosen].launch, rows.row[chosen].kernel, rows.row[chosen].shape,
                rows.row[chosen].conflicts, chosen + 1, rows.count);
    drop(&rows);
}

/* ---- keys and mouse -------------------------------------------------------------------------- */

static void open_launch(struct desk *desk, const struct launch_rows *rows, int chosen)
{
    if (desk->job || chosen < 0 || chosen >= rows->count)
        return;
    desk->chosen = chosen;
    desk->job = job_new(job_launch, desk->workshop, 0);
    desk->job->launch = rows->row[chosen].number;
    snprintf(desk->note, sizeof desk->note, "opening launch %" PRIu64 "...",
             rows->row[chosen].launch);
}

bool desk_press_launches(struct desk *desk, const char *key)
{
    static const struct {
        const char *key;
        int by;
    } moves[] = {{"Up", -1},       {"Down", 1},       {"PageUp", -10},      {"PageDown", 10},
                 {"Wheel+Up", -3}, {"Wheel+Down", 3}, {"Home", -(1 << 28)}, {"End", 1 << 28}};
    struct launch_rows rows = gather(desk);
    const int chosen = chosen_of(desk, &rows);
    bool taken = true;
    int by = 0;
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++)
        by = strcmp(key, moves[i].key) ? by : moves[i].by;
    if (by) {
        desk->chosen = chosen + by < 0 ? 0 : chosen + by;
        desk->chosen = chosen_of(desk, &rows);
    } else if (!strcmp(key, "Return") || !strcmp(key, "Keypad Enter")) {
        open_launch(desk, &rows, chosen);
    } else if (!strcmp(key, "o")) {
        desk->launch_order = (desk->launch_order + 1) % COLUMNS;
        desk->chosen = 0;
    } else if (!strcmp(key, "Escape") && *desk->sought) {
        desk->sought[0] = '\0';
        desk->chosen = 0;
    } else if (!strcmp(key, "Escape") && desk_has_picture(desk)) {
        desk->list = LIST_NONE;
    } else {
        taken = false;
    }
    drop(&rows);
    return taken;
}

bool desk_click_launches(struct desk *desk, double x, double y)
{
    struct launch_rows rows = gather(desk);
    int first;
    const int shown = rows_shown(desk, &rows, &first);
    const int row = (int)((y - list_top()) / step);
    bool taken = false;
    if (y < list_top() && y >= list_top() - step) {
        static const enum column from_left[] = {COLUMN_LAUNCH, COLUMN_KERNEL, COLUMN_SHAPE,
                                                COLUMN_PASSES, COLUMN_CONFLICTS};
        const double edge[] = {column_x(desk, COLUMN_KERNEL) - 8, column_x(desk, COLUMN_SHAPE),
                               column_x(desk, COLUMN_PASSES) - NUMBER_WIDE + 40,
                               column_x(desk, COLUMN_PASSES), desk->width};
        int i = 0;
        while (i < COLUMNS - 1 && x > edge[i])
            i++;
        desk->launch_order = (int)from_left[i];
        desk->chosen = 0;
        taken = true;
    } else if (y >= list_top() && row < shown) {
        open_launch(desk, &rows, first + row);
        taken = true;
    }
    drop(&rows);
    return taken;
}

bool desk_back(struct desk *desk, int by)
{
    (void)by;
    if (!desk_has_launches(desk) || desk->list == LIST_LAUNCHES)
        return false;
    desk_stop_following(desk);
    desk->list = LIST_LAUNCHES;
    desk->chosen = desk->launch_chosen;
    return true;
}

/* ---- the survey ------------------------------------------------------------------------------ */

void desk_survey(struct desk *desk)
{
    if (!desk_has_launches(desk) || desk->job)
        return;
    desk->list = LIST_LAUNCHES;
    desk->job = job_new(job_survey, desk->workshop, 0);
}

bool desk_show_survey(struct desk *desk, struct job *job, struct error *error)
{
    (void)job, (void)error;
    struct launch_rows rows = gather(desk);
    desk->list = LIST_LAUNCHES;
    desk->chosen = 0;
    if (rows.count == 1) /* nothing to choose */
        open_launch(desk, &rows, 0);
    drop(&rows);
    return true;
}

/* Instead of what was shown before. */
bool desk_show_launch(struct desk *desk, struct job *job, struct error *error)
{
    struct view *view = desk->view;
    if (!(view->panels ? view_replace(view, 0, job->result, false, error)
                       : view_add(view, job->result, error)))
        return false;
    job->result = NULL;
    desk_dress(desk, &view->panel[0], job->subject);
    desk->launch_chosen = desk->chosen;
    desk->shown.launch = job->launch + 1;
    desk->list = LIST_NONE;
    view_worst(view);
    desk_take_dials(desk);
    return true;
}

/* ---- the search in a picture ----------------------------------------------------------------- */

/* What is sought: an address, a line, an array's name or a stage's. */
struct sought {
    const char *text;
    long address, line; /* -1: it is none */
    char file[256];
};

static struct sought read_sought(const char *text)
{
    struct sought sought = {.text = text, .address = -1, .line = -1};
    char *end;
    const char *colon = strrchr(text, ':');
    const long number = strtol(text, &end, 0);
    if (*text && !*end)
        sought.address = number;
    if (colon && isdigit((unsigned char)colon[1])) {
        sought.line = strtol(colon + 1, NULL, 10);
        snprintf(sought.file, sizeof sought.file, "%.*s", (int)(colon - text), text);
    }
    return sought;
}

static bool is_sought(const struct trace_header *header, const struct warp_access *access,
                      const struct sought *sought)
{
    const struct trace_site *site =
        header->sites && access->site >= 0 ? &header->site[access->site] : NULL;
    for (int i = 0; i < access->lanes && sought->address >= 0; i++)
        if (access->addr[i] <= (unsigned long)sought->address &&
            (unsigned long)sought->address < access->addr[i] + (unsigned)access->bytes)
            return true;
    if (sought->address >= 0)
        return false;
    if (sought->line >= 0)
        return site && site->line == sought->line && is_in(sought->file, site->file);
    const int array = header_array(header, access->addr[0]);
    return (array >= 0 && is_in(sought->text, header->array[array].name)) ||
           is_in(sought->text, header->stage[access->stage]) ||
           (site && (is_in(sought->text, site->text) || is_in(sought->text, site->function)));
}

bool desk_search(struct desk *desk)
{
    struct view *view = desk->view;
    const struct trace *trace = view->panel[view->active].index->trace;
    const struct sought sought = read_sought(desk->sought);
    const size_t here = view_access(view), from = here == NO_ACCESS ? 0 : here + 1;
    for (size_t i = 0; i < trace->count && *desk->sought; i++) {
        const size_t at = (from + i) % trace->count;
        const struct warp_access access = trace_get(trace, at);
        if (!is_sought(&trace->header, &access, &sought))
            continue;
        if (from + i >= trace->count)
            snprintf(desk->note, sizeof desk->note, "from the beginning again");
        return view_go_access(view, at), true;
    }
    snprintf(desk->note, sizeof desk->note,
             "nothing there is '%.200s': an array, a stage, a text "
             "of the source, FILE:LINE or an address",
             desk->sought);
    return true;
}

bool desk_search_on(struct desk *desk, int by)
{
    (void)by;
    if (!*desk->sought) {
        desk->asking = ASK_SEARCH;
        return true;
    }
    return desk_search(desk);
}
