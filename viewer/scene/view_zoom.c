/* view_zoom.c - zooming and moving what the window shows: the cells, and the strip of the whole run. */
#include "viewer/scene/scene.h"

bool view_zoom_overview(struct view *view, double factor, double x, double y)
{
    struct hit hit = view_hit(view, x, y);
    if (hit.kind != HIT_OVERVIEW)
        return false;
    struct view_panel *panel = &view->panel[hit.panel];
    return overview_zoom(&panel->overview, factor,
                         (x - panel->layout.over_x) / panel->layout.over_w);
}

enum { CELL_MOST = 96 }; /* points: the largest cell that zooming gives */

static const struct panel_layout *layout_at(const struct view *view, double x, double y)
{
    for (int p = 0; p < view->panels; p++) {
        const struct panel_layout *l = &view->panel[p].layout;
        if (x >= l->x && x < l->x + l->w && y >= l->y && y < l->y + l->h)
            return l;
    }
    return &view->panel[view->active].layout;
}

void view_clamp(struct view *view)
{
    int columns = 0, rows = 0;
    for (int p = 0; p < view->panels; p++) {
        const struct view_panel *panel = &view->panel[p];
        int c = fold_columns(&panel->fold, panel->index) - panel->layout.columns;
        int r = panel->index->trace->header.banks - panel->layout.rows;
        columns = c > columns ? c : columns;
        rows = r > rows ? r : rows;
    }
    view->pan_column = view->pan_column < 0         ? 0
                       : view->pan_column > columns ? columns
                                                    : view->pan_column;
    view->pan_row = view->pan_row < 0 ? 0 : view->pan_row > rows ? rows : view->pan_row;
}

bool view_zoom(struct view *view, double factor, double x, double y)
{
    const struct panel_layout *l = layout_at(view, x, y);
    double least = l->cell_w < l->cell_h ? l->cell_w : l->cell_h;
    double zoom = view->zoom * factor;
    double most = least > 0 ? view->zoom * CELL_MOST / least : 1;
    zoom = zoom > most ? most : zoom;
    zoom = !(zoom > 1) ? 1 : zoom;
    if (zoom == view->zoom)
        return false;
    if (least > 0) {
        /* The cell under the mouse stays there. */
        double column = (x - l->cells_x) / l->cell_w, row = (y - l->cells_y) / l->cell_h;
        column = column < 0 ? 0 : column > l->columns ? l->columns : column;
        row = row < 0 ? 0 : row > l->rows ? l->rows : row;
        view->pan_column = l->first_column + column - column * view->zoom / zoom;
        view->pan_row = l->first_row + row - row * view->zoom / zoom;
    }
    view->zoom = zoom;
    if (zoom == 1)
        view->pan_column = view->pan_row = 0;
    return true; /* the next scene_draw clamps the pan, once the layout is known */
}

bool view_pan(struct view *view, double dx, double dy)
{
    const struct panel_layout *l = &view->panel[view->active].layout;
    double column = view->pan_column, row = view->pan_row;
    if (l->cell_w <= 0 || l->cell_h <= 0)
        return false;
    view->pan_column -= dx / l->cell_w;
    view->pan_row -= dy / l->cell_h;
    view_clamp(view);
    return column != view->pan_column || row != view->pan_row;
}

bool view_zoom_reset(struct view *view)
{
    if (view->zoom == 1 && view->pan_column == 0 && view->pan_row == 0)
        return false;
    view->zoom = 1;
    view->pan_column = view->pan_row = 0;
    return true;
}
