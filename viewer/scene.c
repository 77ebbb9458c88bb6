/* scene.c - the window's picture: its panels and the line at the bottom. */
#include "viewer/scene.h"

#include <inttypes.h>
#include <string.h>

/* Lengths in points. */
enum {
    MARGIN = 12,
    TITLE = 44,    /* two lines above the cells */
    DEGREES = 26,  /* right of the cells */
    BARS = 44,     /* the timeline's bars */
    TIMELINE = 82, /* the bars, their number and the air above */
    OVERVIEW = 68, /* what is said of it, the strip, the names of stages */
    STRIP = 36,
    OVERVIEW_FROM = 420, /* height of a panel from which on it has one */
    BOTTOM = 26,         /* the line that explains */
    EXPLAINED = 17,      /* the same, below the legend */
    HINT_FROM = 560,     /* width of a picture from which on it says what to press */
    CELL_LEAST = 2,
    CELL_WIDE = 240, /* at most, at zoom 1 */
    CELL_HIGH = 110,
    BAR_WIDE = 48,    /* of the timeline, at most */
    TITLE_LEAST = 10, /* font size */
    WHY_LEAST = 9,    /* font size */
    LEAST_TEXT = 7,   /* font size: below it cells show colour only */
    NARROW = 5,       /* a cell that is no more than a stripe: columns are folded, */
    READABLE = 18,    /* until cells are so wide, if it can be */
    MAP_FROM = 300,   /* height of a panel from which on it may have a map */
};

static const struct text_style bold = {ROLE_INK, 14, ALIGN_LEFT, FACE_BOLD};
static const struct text_style normal = {ROLE_INK, 12, ALIGN_LEFT, FACE_PLAIN};
static const struct text_style faint = {ROLE_FAINT, 11, ALIGN_LEFT, FACE_PLAIN};

/* ---- where things go ---- */

static double banks_width(const struct view_panel *panel)
{
    return text_width(panel->index->trace->header.banks > 10 ? "88:" : "8:", 11, FACE_PLAIN) + 8;
}

static bool has_overview(const struct view *view, const struct view_panel *panel, double h)
{
    return !view->no_overview && !(view->hide & HIDE_TOTALS) && h >= OVERVIEW_FROM &&
           panel->overview.steps > 1;
}

static bool is_cropped(const struct view *view)
{
    return view->only_columns || view->only_banks;
}

static bool has_map(const struct view *view, const struct view_panel *panel, double h)
{
    return (panel->fold.large || view->zoom > 1) && h >= MAP_FROM && !is_cropped(view);
}

/* The height of what is below the cells of a panel of height h, and of what is above. */
static double below_cells(const struct view *view, const struct view_panel *panel, double h)
{
    return TIMELINE + sectors_height(panel->index) + (has_overview(view, panel, h) ? OVERVIEW : 0) +
           (has_map(view, panel, h) ? sight_height() : 0);
}

static double above_cells(const struct view_panel *panel)
{
    return TITLE + sight_head(panel);
}

/* Columns and rows of the whole matrix, without what a crop leaves out; at least 1. */
static double matrix_columns(const struct view *view, const struct view_panel *panel)
{
    struct crop crop;
    int columns = fold_columns(&panel->fold, panel->index);
    return crop_make(&crop, view->only_columns, columns) ? crop.size : 1;
}

static double matrix_rows(const struct view *view, const struct view_panel *panel)
{
    struct crop crop;
    return crop_make(&crop, view->only_banks, panel->index->trace->header.banks) ? crop.size : 1;
}

/* The size of a cell that lets the whole matrix fit into a panel of w x h, within limits that keep
 * cells from looking like stripes. */
static void fit_cell(const struct view *view, const struct view_panel *panel, double w, double h,
                     double *cell_w, double *cell_h)
{
    double wide = (w - banks_width(panel) - DEGREES) / matrix_columns(view, panel);
    double high = (h - above_cells(panel) - below_cells(view, panel, h)) / matrix_rows(view, panel);
    wide = wide > CELL_WIDE ? CELL_WIDE : wide < CELL_LEAST ? CELL_LEAST : wide;
    high = high > CELL_HIGH ? CELL_HIGH : high < CELL_LEAST ? CELL_LEAST : high;
    *cell_w = wide > 2.2 * high ? 2.2 * high : wide;
    *cell_h = high > 3 * wide ? 3 * wide : high;
}

/* Whole points keep edges sharp; cells too small for that may be fractions. */
static double whole(double size)
{
    return size < 3 ? size : (double)(int)size;
}

/* Cells of `size` that fit into `room`, at least one if there are any. */
static int visible(double room, double size, int all)
{
    double count = room / size;
    return all < 1 ? 0 : count >= all ? all : count < 1 ? 1 : (int)count;
}

/* The first column or row for a pan; at most `last`. */
static int first_shown(double pan, int last)
{
    return pan < 0 ? 0 : pan > last ? last : (int)(pan + 0.5);
}

/* What is drawn: the crop, or what is in sight. */
static void find_drawn(const struct view *view, const struct view_panel *panel,
                       struct crop *columns, struct crop *rows)
{
    const struct panel_layout *l = &panel->layout;
    *columns = (struct crop){1, {{l->first_column, l->columns, 0}}, l->columns};
    *rows = (struct crop){1, {{l->first_row, l->rows, 0}}, l->rows};
    if (view->only_columns)
        crop_make(columns, view->only_columns, panel->index->columns);
    if (view->only_banks)
        crop_make(rows, view->only_banks, panel->index->trace->header.banks);
}

static void lay_out_panel(const struct view *view, struct view_panel *panel)
{
    struct panel_layout *l = &panel->layout;
    int banks = panel->index->trace->header.banks;
    int columns = fold_columns(&panel->fold, panel->index);
    double fit_w, fit_h;
    fit_cell(view, panel, l->w, l->h, &fit_w, &fit_h);
    double wide = fit_w * view->zoom, high = fit_h * view->zoom;
    if (high > fit_h && high > 0.9 * wide) /* zooming makes narrow cells square */
        high = fit_h > 0.9 * wide ? fit_h : 0.9 * wide;
    l->cell_w = whole(wide);
    l->cell_h = whole(high);
    l->cells_x = l->x + banks_width(panel);
    l->cells_y = l->y + above_cells(panel);
    l->columns = visible(l->w - banks_width(panel) - DEGREES, l->cell_w, columns);
    l->rows = visible(l->h - above_cells(panel) - below_cells(view, panel, l->h), l->cell_h, banks);
    l->first_column = first_shown(view->pan_column, columns - l->columns);
    l->first_row = first_shown(view->pan_row, banks - l->rows);
    struct crop drawn_columns, drawn_rows;
    find_drawn(view, panel, &drawn_columns, &drawn_rows);
    l->cells_w = drawn_columns.size * l->cell_w;
    l->cells_h = panel->index->words ? drawn_rows.size * l->cell_h : 0;

    l->bars_x = l->cells_x;
    l->bars_y = l->cells_y + l->cells_h + 16;
    if (has_map(view, panel, l->h) && panel->index->words) {
        l->map_x = l->cells_x;
        l->map_w = l->w - banks_width(panel) - DEGREES;
        l->map_h = sight_height();
        l->map_y = l->cells_y + l->cells_h;
        l->bars_y += l->map_h;
    }
    l->bars_h = BARS;
    l->bars_w = l->w - banks_width(panel) - DEGREES;
    if (has_overview(view, panel, l->h)) {
        l->over_x = l->cells_x;
        l->over_y = l->y + l->h - OVERVIEW + 16;
        l->over_w = l->w - banks_width(panel) - DEGREES;
        l->over_h = STRIP;
    }
    int steps = panel->map.set ? panel->map.steps : 0;
    if (!view->race && steps > 0 && steps < l->bars_w / 3) {
        int each = (int)(l->bars_w / steps);
        l->bars_w = steps * (each > BAR_WIDE ? BAR_WIDE : each);
    }
}

/* Which columns are drawn: as many as are readable where panels stand side by side. */
static void fold_panels(struct view *view, double width)
{
    const int beside = view->panels > 1 ? 2 : 1;
    for (int p = 0; p < view->panels; p++) {
        struct view_panel *panel = &view->panel[p];
        double room = (width - 2 * MARGIN * beside) / beside - banks_width(panel) - DEGREES;
        fold_set(&panel->fold, &panel->map, panel->step, (int)(room / NARROW),
                 (int)(room / READABLE), view->unfolded || is_cropped(view));
    }
}

/* If no word of the step is in sight, pans to the first. */
static void bring(struct view *view)
{
    const struct view_panel *panel = &view->panel[view->active];
    const struct panel_layout *l = &panel->layout;
    struct accessed accessed = {0};
    struct error error = {{0}};
    if (panel->map.set && panel->step >= 0)
        accessed_take(&accessed, &panel->map, panel->step, panel->step + 1, PAINT_ROUND, &error);
    int banks = panel->index->trace->header.banks, first_place = 0, first_row = 0;
    bool seen = accessed.count == 0;
    for (int i = accessed.count - 1; i >= 0 && !seen; i--) {
        first_place = fold_near(&panel->fold, (int)(accessed.word[i].word / (uint32_t)banks));
        first_row = (int)(accessed.word[i].word % (uint32_t)banks);
        seen = first_place >= l->first_column && first_place < l->first_column + l->columns &&
               first_row >= l->first_row && first_row < l->first_row + l->rows;
    }
    accessed_free(&accessed);
    if (!seen) {
        view->pan_column = first_place - l->columns / 4.0;
        view->pan_row = first_row - l->rows / 4.0;
    }
}

static void lay_out(struct view *view, double width, double height)
{
    fold_panels(view, width);
    double all_w = width - 2 * MARGIN;
    double all_h = height - MARGIN - BOTTOM - (view->explained ? EXPLAINED : 0);
    double most = -1, w = 0, h = 0;
    int columns = 1;
    /* Side by side, or in rows where cells come out larger. */
    for (int beside = view->panels; beside > 0; beside--) {
        int rows = (view->panels + beside - 1) / beside;
        double wide = (all_w - 2 * MARGIN * (beside - 1)) / beside;
        double high = (all_h - MARGIN * (rows - 1)) / rows, least = 1e30;
        for (int p = 0; p < view->panels; p++) {
            double cell_w, cell_h;
            fit_cell(view, &view->panel[p], wide, high, &cell_w, &cell_h);
            least = cell_w * cell_h < least ? cell_w * cell_h : least;
        }
        if (least > most) {
            most = least;
            columns = beside;
            w = wide;
            h = high;
        }
    }
    for (int p = 0; p < view->panels; p++) {
        struct view_panel *panel = &view->panel[p];
        struct panel_layout *l = &panel->layout;
        *l = (struct panel_layout){.x = MARGIN + p % columns * (w + 2 * MARGIN),
                                   .y = MARGIN + p / columns * (h + MARGIN),
                                   .w = w,
                                   .h = h};
        lay_out_panel(view, panel);
    }
    if (view->bring && view->zoom > 1 && !is_cropped(view)) {
        bring(view);
        view_clamp(view);
        for (int p = 0; p < view->panels; p++)
            lay_out_panel(view, &view->panel[p]);
    }
    view->bring = false;
    view_clamp(view);
}

double scene_height(struct view *view, double width)
{
    fold_panels(view, width);
    const double good = 16, least = 9, most = 24; /* a cell's width; its height */
    double all_w = width - 2 * MARGIN, height = 0;
    for (int beside = view->panels; beside > 0; beside--) {
        double wide = (all_w - 2 * MARGIN * (beside - 1)) / beside, cell = 1e30, high = 0;
        for (int p = 0; p < view->panels; p++) {
            const struct view_panel *panel = &view->panel[p];
            double own = (wide - banks_width(panel) - DEGREES) / matrix_columns(view, panel);
            cell = own < cell ? own : cell;
        }
        cell = cell < CELL_LEAST ? CELL_LEAST : cell;
        double cell_h = 0.75 * cell < least ? least : 0.75 * cell > most ? most : 0.75 * cell;
        cell_h = cell_h > 3 * cell ? 3 * cell : whole(cell_h);
        for (int p = 0; p < view->panels; p++) {
            double rows = view->panel[p].index->words ? matrix_rows(view, &view->panel[p]) : 0;
            double own = above_cells(&view->panel[p]) + rows * cell_h + TIMELINE +
                         sectors_height(view->panel[p].index);
            own += view->panel[p].fold.large && !is_cropped(view) ? sight_height() : 0;
            own += view->no_overview ? 0 : OVERVIEW;
            high = own > high ? own : high;
        }
        int rows = (view->panels + beside - 1) / beside;
        height = MARGIN + rows * high + (rows - 1) * MARGIN + BOTTOM;
        if (cell >= good)
            break;
    }
    return height;
}

/* ---- words above the cells ---- */

/* Where the panel stands and what that costs: the line under its title. */
static void panel_state(const struct view_panel *panel, const struct accessed *accessed,
                        unsigned hide, bool at_length, char *text, size_t size)
{
    const struct trace_header *header = &panel->index->trace->header;
    snprintf(text, size, "%.80s",
             panel->stage < header->stages ? header->stage[panel->stage] : "no stage");
    if (at_length)
        text_add(text, size, " (stage %d of %d)", panel->stage + 1, header->stages);
    if (panel->step >= 0 && panel->step < panel->map.steps) {
        const struct trace_step *at = trace_index_step(panel->index, panel->stage, panel->step);
        text_add(text, size, ", round %d", at->round);
        if (at->slot > 0)
            text_add(text, size, ", slot %d", at->slot);
    }
    if (header->blocks > 1)
        text_add(text, size, ", block %d", panel->block);
    text_add(text, size, ", warp %d", panel->warp);
    if (hide & HIDE_TOTALS)
        return;
    text_add(text, size, ": ");
    if (panel->map.steps == 0)
        text_add(text, size, "no %s is accessed", header->global ? "memory" : "shared memory");
    else if (panel->step >= panel->map.steps)
        text_add(text, size, "finished");
    else if (accessed->lanes == 0)
        text_add(text, size, "idle in this round");
    else
        why_cost(accessed, at_length, text + strlen(text), size - strlen(text));
}

static void draw_title(const struct view *view, int p, const struct accessed *accessed,
                       struct drawing *drawing)
{
    const struct view_panel *panel = &view->panel[p];
    const struct panel_layout *l = &panel->layout;
    const struct trace_header *header = &panel->index->trace->header;
    char params[512], text[512];
    header_params(header, params, sizeof params);
    if (view->panels > 1 && p == view->active && !view->no_leader)
        drawing_box(drawing, ROLE_CURSOR, l->x - 8, l->y + 2, 4, 32);
    /* Many parameters are set smaller, before any is cut off. */
    if (panel->title[0])
        snprintf(text, sizeof text, "%s", panel->title);
    else
        snprintf(text, sizeof text, "%.80s %.400s", header->kernel, params);
    struct text_style title = bold;
    double fits = l->w / text_width(text, 1, bold.face);
    title.size = fits > bold.size ? bold.size : fits < TITLE_LEAST ? TITLE_LEAST : fits;
    drawing_text_within(drawing, &title, l->x, l->y + 14, l->w, "%s", text);

    panel_state(panel, accessed, view->hide, true, text, sizeof text);
    if (text_width(text, normal.size, normal.face) > l->w)
        panel_state(panel, accessed, view->hide, false, text, sizeof text);
    drawing_text_within(drawing, &normal, l->x, l->y + 33, l->w, "%s", text);
}

/* ---- the timeline ---- */

/* A bar from the base line up: needed passes, and above them those that conflicts add. */
static void draw_bar(struct drawing *drawing, double x, double w, double base, double scale,
                     double passes, double conflicts)
{
    double needed = (passes - conflicts) * scale, added = conflicts * scale;
    if (needed > 0)
        drawing_box(drawing, ROLE_BAR, x, base - needed, w, needed);
    if (added > 0 && w >= 6)
        drawing_edged(drawing, ROLE_BAR_BAD, ROLE_BAD_EDGE, 1, x, base - needed - added, w, added);
    else if (added > 0)
        drawing_box(drawing, ROLE_BAR_BAD, x, base - needed - added, w, added);
}

/* Passes per step; steps that would be too thin to see are averaged. */
static void draw_rounds(const struct view *view, const struct view_panel *panel,
                        struct drawing *drawing)
{
    const struct panel_layout *l = &panel->layout;
    const struct stage_map *map = &panel->map;
    bool hidden = view->hide & HIDE_TOTALS;
    uint64_t most = 1;
    for (int p = 0; p < view->panels; p++)
        if (view->panel[p].map.set && view->panel[p].map.most_passes > most)
            most = view->panel[p].map.most_passes;
    double base = l->bars_y + l->bars_h, scale = l->bars_h / (double)most;
    int bars = map->steps < l->bars_w / 3 ? map->steps : (int)(l->bars_w / 3);
    double each = bars > 0 ? l->bars_w / bars : 0;
    double gap = each >= 6 ? 1 : 0;
    for (int i = 0; i < bars; i++) {
        int from = (int)((int64_t)map->steps * i / bars);
        int to = (int)((int64_t)map->steps * (i + 1) / bars);
        double passes = (double)(map->passes_before[to] - map->passes_before[from]) / (to - from);
        double conflicts =
            (double)(map->conflicts_before[to] - map->conflicts_before[from]) / (to - from);
        if (hidden)
            drawing_edged(drawing, ROLE_NONE, ROLE_GRID, 1, l->bars_x + i * each, l->bars_y,
                          each - gap, l->bars_h);
        else
            draw_bar(drawing, l->bars_x + i * each, each - gap, base, scale, passes, conflicts);
        if (panel->step >= from && panel->step < to)
            drawing_edged(drawing, ROLE_NONE, ROLE_CURSOR, 2, l->bars_x + i * each - 2,
                          l->bars_y - 4, each - gap + 4, l->bars_h + 6);
    }
    if (hidden)
        return;
    struct text_style axis = {ROLE_FAINT, 10, ALIGN_RIGHT, FACE_PLAIN};
    drawing_text(drawing, &axis, l->bars_x - 5, l->bars_y + 8, "%" PRIu64, most);
    drawing_text(drawing, &axis, l->bars_x - 5, base, "0");
}

/* One box per step, as wide as its passes, on the scale that both panels share. */
static void draw_race(const struct view *view, const struct view_panel *panel,
                      struct drawing *drawing)
{
    const struct panel_layout *l = &panel->layout;
    const struct stage_map *map = &panel->map;
    uint64_t most = view_passes(view);
    if (most == 0)
        return;
    double each = l->bars_w / (double)most;
    double y = l->bars_y + 8, h = l->bars_h - 16;
    if (each * (double)map->passes_before[map->steps] < 3 * map->steps) {
        drawing_box(drawing, ROLE_BAR, l->bars_x, y, each * (double)map->passes_before[map->steps],
                    h);
    } else {
        for (int s = 0; s < map->steps; s++) {
            double x = l->bars_x + each * (double)map->passes_before[s];
            uint64_t passes = map->passes_before[s + 1] - map->passes_before[s];
            uint64_t conflicts = map->conflicts_before[s + 1] - map->conflicts_before[s];
            double needed = each * (double)(passes - conflicts);
            drawing_box(drawing, ROLE_BAR, x, y, needed, h);
            if (conflicts > 0)
                drawing_edged(drawing, ROLE_BAR_BAD, ROLE_BAD_EDGE, 1, x + needed, y,
                              each * (double)conflicts, h);
            drawing_box(drawing, ROLE_PAPER, x, y, 1, h);
        }
    }
    double x = l->bars_x + each * (double)view->pass;
    drawing_edged(drawing, ROLE_NONE, ROLE_CURSOR, 2, x - 1, l->bars_y, each + 2 < 4 ? 4 : each + 2,
                  l->bars_h);
}

/* What the run cost before it was replaced, and now. */
static void compare_runs(const struct view_panel *panel, char *text, size_t size)
{
    snprintf(text, size,
             "the whole run: passes %" PRIu64 ", now %" PRIu64 "; conflicts %" PRIu64
             ", now %" PRIu64,
             panel->before[0], panel->overview.passes, panel->before[1], panel->overview.conflicts);
}

static void draw_global(const struct view *view, const struct view_panel *panel,
                        struct drawing *drawing)
{
    const struct panel_layout *l = &panel->layout;
    if (!panel->map.set || panel->map.steps == 0 || !panel->map.sectors_before)
        return;
    struct sectors_strip strip = {.x = l->bars_x,
                                  .y = l->bars_y + l->bars_h + 20,
                                  .w = l->bars_w,
                                  .wide = l->w - (l->bars_x - l->x),
                                  .step = panel->step,
                                  .hide = view->hide};
    for (int p = 0; p < view->panels; p++)
        if (view->panel[p].map.set && view->panel[p].map.most_sectors > strip.most)
            strip.most = view->panel[p].map.most_sectors;
    sectors_draw(&panel->map, &strip, drawing);
}

static void draw_timeline(const struct view *view, const struct view_panel *panel,
                          struct drawing *drawing)
{
    const struct panel_layout *l = &panel->layout;
    const struct stage_map *map = &panel->map;
    if (!map->set || map->steps == 0)
        return;
    if (view->race)
        draw_race(view, panel, drawing);
    else
        draw_rounds(view, panel, drawing);
    if (view->hide & HIDE_TOTALS) {
        drawing_text_within(drawing, &normal, l->bars_x, l->bars_y + l->bars_h + 17,
                            l->w - (l->bars_x - l->x), "passes ?,  conflicts ?");
        return;
    }
    int done = panel->step + 1 > map->steps ? map->steps : panel->step + 1;
    uint64_t passes = map->passes_before[done], all = map->passes_before[map->steps];
    uint64_t conflicts = map->conflicts_before[done];
    if (view->race && view->pass + 1 < passes) { /* in the midst of a step */
        uint64_t left = passes - (view->pass + 1);
        uint64_t added = conflicts - map->conflicts_before[done - 1];
        conflicts -= left < added ? left : added;
        passes = view->pass + 1;
    }
    char run[160] = "";
    if (panel->replaced && l->over_h <= 0) {
        run[0] = ';', run[1] = run[2] = ' ';
        compare_runs(panel, run + 3, sizeof run - 3);
    }
    drawing_text_within(
        drawing, &normal, l->bars_x, l->bars_y + l->bars_h + 17, l->w - (l->bars_x - l->x),
        "passes %" PRIu64 " of %" PRIu64 ",  conflicts %" PRIu64 " of %" PRIu64 "%s", passes, all,
        conflicts, map->conflicts_before[map->steps], run);
}

/* ---- the whole run ---- */

/* The number with a comma after each thousand. */
static const char *grouped(uint64_t number, char text[32])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number), used = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

/* Where stages begin, and their names where there is room. */
static void draw_stages(const struct panel_layout *l, const struct overview *overview,
                        struct drawing *drawing)
{
    const struct trace_header *header = &overview->index->trace->header;
    double scale = l->over_w / (overview->to - overview->from), free_from = l->over_x;
    struct text_style style = {ROLE_FAINT, 10, ALIGN_LEFT, FACE_PLAIN};
    double drawn = -1;
    for (int s = 0; s < header->stages; s++) {
        double from = (double)overview->index->stage_step[s];
        double to = (double)overview->index->stage_step[s + 1];
        if (to <= from || to <= overview->from || from >= overview->to)
            continue;
        from = from < overview->from ? overview->from : from;
        to = to > overview->to ? overview->to : to;
        double x = l->over_x + (from - overview->from) * scale, w = (to - from) * scale;
        if (x - drawn >= 3 && x > l->over_x) {
            drawing_box(drawing, ROLE_INK, x, l->over_y - 2, 1, l->over_h + 4);
            drawn = x;
        }
        double needs = text_width(header->stage[s], style.size, style.face);
        if (x >= free_from && needs <= w - 2) {
            drawing_text(drawing, &style, x + 2, l->over_y + l->over_h + 12, "%s",
                         header->stage[s]);
            free_from = x + needs + 8;
        }
    }
}

static void draw_overview(const struct view *view, const struct view_panel *panel,
                          struct overview *overview, struct drawing *drawing)
{
    const struct panel_layout *l = &panel->layout;
    int most = 0; /* of both runs, so that they compare */
    for (int p = 0; p < view->panels; p++)
        if (view->panel[p].overview.most_conflicts > most)
            most = view->panel[p].overview.most_conflicts;
    if (l->over_h <= 0 || l->over_w < 8)
        return;
    double shown = overview->to - overview->from;
    int most_columns = (int)(l->over_w / 3),
        columns = shown < most_columns ? (int)shown : most_columns;
    int64_t warps = overview_warps(overview);
    int rows = warps < STRIP / 3 ? (int)warps : STRIP / 3;
    if (columns < 1 || rows < 1 || !overview_bins(overview, columns, rows, &drawing->error))
        return;
    char number[32], compared[160];
    bool all = overview->most == overview->bad; /* 80 % of them are in no fewer steps than all */
    if (panel->replaced) {
        compare_runs(panel, compared, sizeof compared);
        drawing_text_within(drawing, &normal, l->over_x, l->over_y - 5, l->over_w, "%s", compared);
    } else if (overview->bad > 0) {
        drawing_text_within(drawing, &faint, l->over_x, l->over_y - 5, l->over_w,
                            "the whole run: %s conflict%s%s in %zu of %zu step%s",
                            grouped(overview->conflicts, number),
                            overview->conflicts == 1 ? "" : "s", all ? "" : ", 80 % of them",
                            overview->most, overview->steps, overview->steps == 1 ? "" : "s");
    } else {
        drawing_text_within(drawing, &faint, l->over_x, l->over_y - 5, l->over_w,
                            "the whole run: %zu steps, no conflicts", overview->steps);
    }
    drawing_box(drawing, ROLE_CELL, l->over_x, l->over_y, l->over_w, l->over_h);
    double w = l->over_w / columns, h = l->over_h / rows;
    for (int r = 0; r < rows; r++)
        for (int from = 0, to; from < columns; from = to) {
            int level = overview_level(overview, most, from, r);
            for (to = from + 1; to < columns && overview_level(overview, most, to, r) == level;)
                to++;
            if (level >= 0)
                drawing_box(drawing, (enum role)(ROLE_HEAT + level), l->over_x + from * w,
                            l->over_y + r * h, (to - from) * w, h);
        }
    draw_stages(l, overview, drawing);

    /* Where we are: the step, and the warp in it. */
    int step = panel->step < 0 ? 0 : panel->step;
    if (panel->map.steps > 0 && step >= panel->map.steps)
        step = panel->map.steps - 1;
    double at = (double)overview_step(overview, panel->stage, step);
    double x = l->over_x + (at - overview->from) / shown * l->over_w;
    double wide = l->over_w / shown < 3 ? 3 : l->over_w / shown;
    double y = l->over_y + (double)overview_warp(overview, panel->block, panel->warp) /
                               (double)warps * l->over_h;
    double high = l->over_h / (double)warps < 3 ? 3 : l->over_h / (double)warps;
    if (at < overview->from || at >= overview->to)
        return;
    drawing_edged(drawing, ROLE_NONE, ROLE_CURSOR, 1, x - 1, l->over_y - 3, wide + 2,
                  l->over_h + 6);
    if (warps > 1)
        drawing_edged(drawing, ROLE_NONE, ROLE_CURSOR, 2, x - 2, y - 2, wide + 4, high + 4);
}

/* ---- panels ---- */

static void draw_hover(const struct view *view, struct drawing *drawing)
{
    const struct panel_layout *l = &view->panel[view->hover.panel].layout;
    const struct fold *fold = &view->panel[view->hover.panel].fold;
    int column = fold_place(fold, view->hover.column) - l->first_column,
        row = view->hover.bank - l->first_row;
    if (view->hover.kind != HIT_CELL || column < 0 || column >= l->columns || row < 0 ||
        row >= l->rows)
        return;
    drawing_edged(drawing, ROLE_NONE, ROLE_CURSOR, 2, l->cells_x + column * l->cell_w - 1,
                  l->cells_y + row * l->cell_h - 1, l->cell_w + 3, l->cell_h + 3);
}

/* Who is served together with a word of a wide access that is pointed at. */
static void draw_together(const struct view *view, const struct view_panel *panel,
                          const struct accessed *accessed, struct drawing *drawing)
{
    const struct panel_layout *l = &panel->layout;
    const int banks = panel->index->trace->header.banks;
    bool here = view->hover.kind == HIT_CELL && panel == &view->panel[view->hover.panel];
    const struct accessed_word *pointed =
        here && accessed->wide && accessed->accesses == 1 && !(view->hide & HIDE_REASONS)
            ? accessed_find(accessed, view->hover.word)
            : NULL;
    for (int i = 0; pointed && i < accessed->count; i++) {
        int column = (int)(accessed->word[i].word / (uint32_t)banks);
        int place = fold_place(&panel->fold, column) - l->first_column;
        int row = (int)(accessed->word[i].word % (uint32_t)banks) - l->first_row;
        if (accessed->word[i].group == pointed->group && place >= 0 && place < l->columns &&
            row >= 0 && row < l->rows)
            drawing_edged(drawing, ROLE_NONE, ROLE_CURSOR, 1.5, l->cells_x + place * l->cell_w,
                          l->cells_y + row * l->cell_h, l->cell_w + 1, l->cell_h + 1);
    }
}

/* An edge around a word that the followed thread uses. */
struct follow {
    const struct view_panel *panel;
    struct drawing *drawing;
};

static void draw_followed(void *context, uint32_t word, int step)
{
    const struct follow *follow = context;
    const struct panel_layout *l = &follow->panel->layout;
    int64_t banks = follow->panel->index->trace->header.banks;
    int64_t column = fold_place(&follow->panel->fold, (int)(word / banks)) - l->first_column;
    int64_t row = word % banks - l->first_row;
    bool now = step == follow->panel->step;
    double small = l->cell_w < l->cell_h ? l->cell_w : l->cell_h;
    double thick = now ? 3 : 1.2, out = now ? 2 : 0;
    thick = thick > small / 3 ? small / 3 : thick;
    if (column >= 0 && column < l->columns && row >= 0 && row < l->rows)
        drawing_edged(follow->drawing, ROLE_NONE, ROLE_CURSOR, thick,
                      l->cells_x + (double)column * l->cell_w - out,
                      l->cells_y + (double)row * l->cell_h - out, l->cell_w + 1 + 2 * out,
                      l->cell_h + 1 + 2 * out);
}

/* Dots where the crop leaves something out, for each group in the other direction. */
static void draw_dots(const struct panel_layout *l, const struct crop *columns,
                      const struct crop *rows, struct drawing *drawing)
{
    const double dot = 0.25 * (l->cell_w < l->cell_h ? l->cell_w : l->cell_h);
    for (int along = 0; along < 2; along++) {
        const struct crop *crop = along ? rows : columns, *other = along ? columns : rows;
        double end = 0;
        for (int g = 0; g <= crop->groups; g++) {
            double at = g < crop->groups ? crop->group[g].at : crop->size;
            for (int o = 0; at > end && o < other->groups; o++) {
                double gap = (end + at) / 2,
                       middle = other->group[o].at + other->group[o].count / 2.0;
                drawing_dots(drawing, l->cells_x + (along ? middle : gap) * l->cell_w,
                             l->cells_y + (along ? gap : middle) * l->cell_h, along ? 0 : dot,
                             along ? dot : 0);
            }
            end = g < crop->groups ? at + crop->group[g].count : end;
        }
    }
}

/* Neighbours by place, of which those are drawn together that are neighbours by number. */
static void draw_group(const struct view_panel *panel, const struct crop_group *group,
                       struct matrix *matrix, struct drawing *drawing)
{
    const struct panel_layout *l = &panel->layout;
    for (int from = 0, to; from < group->count; from = to) {
        matrix->first_column = fold_column(&panel->fold, group->first + from);
        for (to = from + 1; to < group->count && fold_column(&panel->fold, group->first + to) ==
                                                     matrix->first_column + to - from;)
            to++;
        matrix->columns = to - from;
        matrix->x = l->cells_x + (group->at + from) * l->cell_w;
        matrix_draw(matrix, drawing);
        matrix_borders(matrix, drawing);
    }
}

static void draw_cells(const struct view *view, const struct view_panel *panel,
                       const struct accessed *accessed, struct drawing *drawing)
{
    const struct panel_layout *l = &panel->layout;
    struct crop columns, rows;
    struct matrix matrix = {
        .map = &panel->map,
        .accessed = accessed,
        .step = panel->step,
        .paint = view->hide & HIDE_COLOURS ? PAINT_ALIKE : PAINT_ROUND,
        .pass = view->race && panel->step >= 0 && panel->step < panel->map.steps
                    ? (int)(view->pass - panel->map.passes_before[panel->step]) + 1
                    : 0,
        .label = view->label,
        .blank = view->hide & HIDE_LABELS,
        .address = true,
        .cell_w = l->cell_w,
        .cell_h = l->cell_h,
        .least_text = LEAST_TEXT,
    };
    find_drawn(view, panel, &columns, &rows);
    for (int r = 0; r < rows.groups; r++) {
        matrix.first_row = rows.group[r].first;
        matrix.rows = rows.group[r].count;
        matrix.y = l->cells_y + rows.group[r].at * l->cell_h;
        for (int c = 0; c < columns.groups; c++)
            draw_group(panel, &columns.group[c], &matrix, drawing);
        matrix_banks(&matrix, l->cells_x - 4, drawing);
        if (!(view->hide & HIDE_DEGREES))
            matrix_degrees(&matrix, l->cells_x + l->cells_w + 6, drawing);
    }
    draw_dots(l, &columns, &rows, drawing);
    if (view->followed > 0 && !(view->hide & HIDE_LABELS))
        stage_map_thread(&panel->map, view->followed - 1, draw_followed,
                         &(struct follow){panel, drawing});
    if (!is_cropped(view))
        draw_together(view, panel, accessed, drawing);
    if (!is_cropped(view))
        sight_draw(panel, accessed, view->explained, drawing);
}

static void draw_panel(struct view *view, int p, struct drawing *drawing)
{
    struct view_panel *panel = &view->panel[p];
    struct accessed accessed = {0};
    if (panel->map.set)
        accessed_take(&accessed, &panel->map, panel->step, panel->step + (panel->step >= 0),
                      PAINT_ROUND, &drawing->error);
    draw_title(view, p, &accessed, drawing);
    if (panel->map.set && panel->index->words)
        draw_cells(view, panel, &accessed, drawing);
    draw_timeline(view, panel, drawing);
    draw_global(view, panel, drawing);
    draw_overview(view, panel, &panel->overview, drawing);
    accessed_free(&accessed);
}

/* What the colours mean, while nothing is hovered: only those that the stages shown have. */
static void draw_legend(const struct view *view, double x, double y, double width,
                        struct drawing *drawing)
{
    uint32_t lists = 0;
    bool others = false;
    for (int p = 0; p < view->panels; p++) {
        const struct view_panel *panel = &view->panel[p];
        lists |= panel->map.set ? panel->map.lists : 0;
        others |= panel->map.set && panel->map.warps > 1;
    }
    struct legend legend;
    legend_make(&legend, lists, others, view->race, view->hide);
    legend_draw(&legend, x, y, width, faint.size, 1, drawing);
}

bool scene_draw(struct view *view, double width, double height, struct drawing *drawing)
{
    drawing_begin(drawing, width, height);
    drawing_box(drawing, ROLE_PAPER, 0, 0, width, height);
    lay_out(view, width, height);
    for (int p = 0; p < view->panels; p++)
        draw_panel(view, p, drawing);
    draw_hover(view, drawing);

    char why[600];
    view_why(view, &view->hover, why, sizeof why);
    if (!why[0])
        view_why_followed(view, why, sizeof why);
    const double y = height - 9;
    if (view->explained || !why[0])
        draw_legend(view, MARGIN, view->explained ? y - EXPLAINED : y, width - 2 * MARGIN, drawing);
    if (why[0]) { /* a long one is set smaller, before it is cut off */
        struct text_style style = normal;
        double fits = (width - 2 * MARGIN) / text_width(why, 1, style.face);
        style.size = fits > normal.size ? normal.size : fits < WHY_LEAST ? WHY_LEAST : fits;
        drawing_text_within(drawing, &style, MARGIN, y, width - 2 * MARGIN, "%s", why);
    } else if (view->explained && !view->presenting && width >= HINT_FROM) {
        drawing_text_within(
            drawing, &faint, MARGIN, y, width - 2 * MARGIN,
            "rows are banks, columns words; point at a cell for its reason; Right: the next "
            "step, w: the worst, ?: all keys");
    }
    return !drawing->error.text[0];
}
