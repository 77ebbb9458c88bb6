/* scene_layout.c - where things go in the window's picture. */
#include "viewer/scene/scene_parts.h"

/* Lengths in points. */
enum {
    TITLE = 44,          /* two lines above the cells */
    DEGREES = 26,        /* right of the cells */
    BARS = 44,           /* the timeline's bars */
    TIMELINE = 82,       /* the bars, their number and the air above */
    OVERVIEW = 68,       /* what is said of it, the strip, the names of stages */
    OVERVIEW_FROM = 420, /* height of a panel from which on it has one */
    BOTTOM = 26,         /* the line that explains */
    SLIM = 600,          /* width below which two lines are too short for a reason */
    CELL_LEAST = 2,
    CELL_WIDE = 240, /* at most, at zoom 1 */
    CELL_HIGH = 110,
    BAR_WIDE = 48,  /* of the timeline, at most */
    NARROW = 5,     /* a cell that is no more than a stripe: columns are folded, */
    READABLE = 18,  /* until cells are so wide, if it can be */
    MAP_FROM = 300, /* height of a panel from which on it may have a map */
};

static double banks_width(const struct view_panel *panel)
{
    return text_width(panel->index->trace->header.banks > 10 ? "88:" : "8:", 11, FACE_PLAIN) + 8;
}

static bool has_overview(const struct view *view, const struct view_panel *panel, double h)
{
    return !view->no_overview && !(view->hide & HIDE_TOTALS) && h >= OVERVIEW_FROM &&
           panel->overview.steps > 1 && panel->index->words;
}

bool scene_is_cropped(const struct view *view)
{
    return view->only_columns || view->only_banks;
}

static bool has_map(const struct view *view, const struct view_panel *panel, double h)
{
    return (panel->fold.large || view->zoom > 1) && h >= MAP_FROM && !scene_is_cropped(view);
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
static double whole_pixels(double size)
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

void scene_drawn_part(const struct view *view, const struct view_panel *panel, struct crop *columns,
                      struct crop *rows)
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
    l->cell_w = whole_pixels(wide);
    l->cell_h = whole_pixels(high);
    l->cells_x = l->x + banks_width(panel);
    l->cells_y = l->y + above_cells(panel);
    l->columns = visible(l->w - banks_width(panel) - DEGREES, l->cell_w, columns);
    l->rows = visible(l->h - above_cells(panel) - below_cells(view, panel, l->h), l->cell_h, banks);
    l->first_column = first_shown(view->pan_column, columns - l->columns);
    l->first_row = first_shown(view->pan_row, banks - l->rows);
    struct crop drawn_columns, drawn_rows;
    scene_drawn_part(view, panel, &drawn_columns, &drawn_rows);
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
    if (sectors_are_alone(&panel->map)) {
        l->bars_y += sectors_bars_top(true);
        l->bars_h = sectors_bars_height();
    }
    l->bars_w = l->w - banks_width(panel) - DEGREES;
    if (has_overview(view, panel, l->h)) {
        l->over_x = l->cells_x;
        l->over_y = l->y + l->h - OVERVIEW + 16;
        l->over_w = l->w - banks_width(panel) - DEGREES;
        l->over_h = SCENE_STRIP;
    }
    int steps = panel->map.set ? panel->map.steps : 0;
    if (!view->race && steps > 0 && steps < l->bars_w / 3) {
        int each = (int)(l->bars_w / steps);
        l->bars_w = steps * (each > BAR_WIDE ? BAR_WIDE : each);
    }
}

/* Which columns are drawn: as many as are readable where panels stand side by side. If one panel is folded, all are,
 * and alike, since they are there to be compared. */
static void fold_panels(struct view *view, double width)
{
    const int beside = view->panels > 1 ? 2 : 1;
    enum fold_level least = FOLD_NONE;
    bool large = false;
    for (int pass = 0; pass < beside; pass++)
        for (int p = 0; p < view->panels; p++) {
            struct view_panel *panel = &view->panel[p];
            double room =
                (width - 2 * SCENE_MARGIN * beside) / beside - banks_width(panel) - DEGREES;
            fold_set(&panel->fold, &panel->map, panel->step, large ? 0 : (int)(room / NARROW),
                     (int)(room / READABLE), least, view->unfolded || scene_is_cropped(view));
            least = panel->fold.level > least ? panel->fold.level : least;
            large |= panel->fold.large;
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

int scene_reason_lines(const struct view *view, double width)
{
    return view->explained && width < SLIM ? 3 : 2;
}

double scene_bottom(const struct view *view, double width)
{
    int more = scene_reason_lines(view, width) - 2;
    return BOTTOM + (view->explained ? SCENE_EXPLAINED : 0) + more * SCENE_REASON;
}

void scene_lay_out(struct view *view, double width, double height)
{
    fold_panels(view, width);
    double all_w = width - 2 * SCENE_MARGIN;
    double all_h = height - SCENE_MARGIN - scene_bottom(view, width);
    double most = -1, w = 0, h = 0;
    int columns = 1;
    /* Side by side, or in rows where cells come out larger. */
    for (int beside = view->panels; beside > 0; beside--) {
        int rows = (view->panels + beside - 1) / beside;
        double wide = (all_w - 2 * SCENE_MARGIN * (beside - 1)) / beside;
        double high = (all_h - SCENE_MARGIN * (rows - 1)) / rows, least = 1e30;
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
        *l = (struct panel_layout){.x = SCENE_MARGIN + p % columns * (w + 2 * SCENE_MARGIN),
                                   .y = SCENE_MARGIN + p / columns * (h + SCENE_MARGIN),
                                   .w = w,
                                   .h = h};
        lay_out_panel(view, panel);
    }
    if (view->bring && view->zoom > 1 && !scene_is_cropped(view)) {
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
    double all_w = width - 2 * SCENE_MARGIN, height = 0;
    for (int beside = view->panels; beside > 0; beside--) {
        double wide = (all_w - 2 * SCENE_MARGIN * (beside - 1)) / beside, cell = 1e30, high = 0;
        for (int p = 0; p < view->panels; p++) {
            const struct view_panel *panel = &view->panel[p];
            double own = (wide - banks_width(panel) - DEGREES) / matrix_columns(view, panel);
            cell = own < cell ? own : cell;
        }
        cell = cell < CELL_LEAST ? CELL_LEAST : cell;
        double cell_h = 0.75 * cell < least ? least : 0.75 * cell > most ? most : 0.75 * cell;
        cell_h = cell_h > 3 * cell ? 3 * cell : whole_pixels(cell_h);
        for (int p = 0; p < view->panels; p++) {
            double rows = view->panel[p].index->words ? matrix_rows(view, &view->panel[p]) : 0;
            double own = above_cells(&view->panel[p]) + rows * cell_h + TIMELINE +
                         sectors_height(view->panel[p].index);
            own += view->panel[p].fold.large && !scene_is_cropped(view) ? sight_height() : 0;
            own += view->no_overview ? 0 : OVERVIEW;
            high = own > high ? own : high;
        }
        int rows = (view->panels + beside - 1) / beside;
        height = SCENE_MARGIN + rows * high + (rows - 1) * SCENE_MARGIN + BOTTOM;
        if (cell >= good)
            break;
    }
    return height;
}
