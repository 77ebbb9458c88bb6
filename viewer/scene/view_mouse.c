/* view_mouse.c - what is under the mouse, and what a click on it does. */
#include "viewer/scene/scene.h"

struct hit view_hit(const struct view *view, double x, double y)
{
    for (int p = 0; p < view->panels; p++) {
        const struct view_panel *panel = &view->panel[p];
        const struct panel_layout *l = &panel->layout;
        if (!(x >= l->x && x < l->x + l->w && y >= l->y && y < l->y + l->h))
            continue;
        struct hit hit = {.kind = HIT_PANEL, .panel = p};
        double column = (x - l->cells_x) / l->cell_w, row = (y - l->cells_y) / l->cell_h;
        if (l->cells_h > 0 && row >= 0 && row < l->rows) { /* else there is global memory alone */
            hit.kind = HIT_BANK;
            hit.bank = l->first_row + (int)row;
            if (column >= 0 && column < l->columns) {
                int banks = panel->index->trace->header.banks;
                hit.column = fold_column(&panel->fold, l->first_column + (int)column);
                int64_t word = (int64_t)hit.column * banks + hit.bank;
                hit.word = (uint32_t)word;
                hit.kind = word < panel->index->words ? HIT_CELL : HIT_PANEL;
            }
        } else if (sight_hit(panel, x, y, &hit.column, &hit.bank)) {
            hit.kind = HIT_MAP;
        } else if (panel->map.set && panel->map.steps > 0 && l->bars_w > 0 && y >= l->bars_y &&
                   y < l->bars_y + l->bars_h && x >= l->bars_x && x < l->bars_x + l->bars_w) {
            double place = (x - l->bars_x) / l->bars_w;
            hit.kind = HIT_TIMELINE;
            hit.step = view->race ? stage_map_step_of_pass(
                                        &panel->map, (uint64_t)(place * (double)view_passes(view)))
                                  : (int)(place * panel->map.steps);
            if (hit.step >= panel->map.steps)
                hit.kind = HIT_PANEL;
        } else if (l->over_h > 0 && panel->overview.bin && y >= l->over_y &&
                   y < l->over_y + l->over_h && x >= l->over_x && x < l->over_x + l->over_w) {
            const struct overview *overview = &panel->overview;
            hit.kind = HIT_OVERVIEW;
            hit.access =
                overview_access(overview, (int)((x - l->over_x) / l->over_w * overview->columns),
                                (int)((y - l->over_y) / l->over_h * overview->rows));
        }
        return hit;
    }
    return (struct hit){.kind = HIT_NOTHING};
}

bool view_hover(struct view *view, double x, double y)
{
    struct hit hit = view_hit(view, x, y), old = view->hover;
    view->hover = hit;
    return hit.kind != old.kind || hit.panel != old.panel || hit.bank != old.bank ||
           hit.column != old.column || hit.step != old.step || hit.access != old.access;
}

bool view_click(struct view *view, const struct hit *hit)
{
    if (hit->kind == HIT_NOTHING)
        return false;
    bool swapped = view->active != hit->panel;
    view->active = hit->panel;
    const struct view_panel *panel = &view->panel[view->active];
    if (hit->kind == HIT_OVERVIEW && hit->access != NO_ACCESS)
        return view_go_access(view, hit->access);
    if (hit->kind == HIT_MAP) {
        const struct panel_layout *l = &panel->layout;
        view->pan_column = fold_near(&panel->fold, hit->column) - l->columns / 2.0;
        view->pan_row = hit->bank - l->rows / 2.0;
        return true; /* the next scene_draw clamps it */
    }
    if (hit->kind != HIT_TIMELINE || !panel->map.set || hit->step >= panel->map.steps)
        return swapped;
    return view_go_step(view, hit->step);
}

size_t view_hit_access(const struct view *view, const struct hit *hit)
{
    const struct view_panel *panel = &view->panel[hit->panel];
    struct word_use use;
    if (hit->kind == HIT_OVERVIEW)
        return hit->access;
    if (hit->kind == HIT_TIMELINE)
        return trace_index_access(panel->index, panel->block, panel->stage, hit->step, panel->warp);
    if (hit->kind != HIT_CELL || !panel->map.set || view->hide & HIDE_LABELS ||
        !stage_map_use(&panel->map, hit->word, panel->step, &use))
        return NO_ACCESS;
    return trace_index_access(panel->index, panel->block, panel->stage, use.step, use.warp);
}
