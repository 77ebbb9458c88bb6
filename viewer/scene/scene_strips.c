/* scene_strips.c - the strips below the cells of a panel: its passes over time, and the whole run. */
#include "viewer/scene/scene_parts.h"

#include <inttypes.h>

static const struct text_style normal = {ROLE_INK, 12, ALIGN_LEFT, FACE_PLAIN};
static const struct text_style faint = {ROLE_FAINT, 11, ALIGN_LEFT, FACE_PLAIN};

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

void scene_draw_global(const struct view *view, const struct view_panel *panel,
                       struct drawing *drawing)
{
    const struct panel_layout *l = &panel->layout;
    if (!panel->map.set || panel->map.steps == 0 || !panel->map.sectors_before)
        return;
    const bool alone = sectors_are_alone(&panel->map);
    struct sectors_strip strip = {.x = l->bars_x,
                                  .y = alone ? l->bars_y - sectors_bars_top(true)
                                             : l->bars_y + l->bars_h + 20,
                                  .alone = alone,
                                  .w = l->bars_w,
                                  .wide = l->w - (l->bars_x - l->x),
                                  .step = panel->step,
                                  .hide = view->hide};
    for (int p = 0; p < view->panels; p++)
        if (view->panel[p].map.set && view->panel[p].map.most_sectors > strip.most)
            strip.most = view->panel[p].map.most_sectors;
    sectors_draw(&panel->map, &strip, drawing);
}

void scene_draw_timeline(const struct view *view, const struct view_panel *panel,
                         struct drawing *drawing)
{
    const struct panel_layout *l = &panel->layout;
    const struct stage_map *map = &panel->map;
    if (!map->set || map->steps == 0 || sectors_are_alone(map))
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
    char text[300];
    snprintf(text, sizeof text,
             "passes %" PRIu64 " of %" PRIu64 ",  conflicts %" PRIu64 " of %" PRIu64 "%s", passes,
             all, conflicts, map->conflicts_before[map->steps], run);
    drawing_text_smaller(drawing, &normal, l->bars_x, l->bars_y + l->bars_h + 17,
                         l->w - (l->bars_x - l->x), text);
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
    double scale = l->over_w / (overview->to - overview->from);
    struct text_style style = {ROLE_FAINT, 10, ALIGN_LEFT, FACE_PLAIN};
    double drawn = -1;
    for (int s = 0; s < header->stages; s++) {
        double from = (double)overview->index->stage_step[s];
        double to = (double)overview->index->stage_step[s + 1];
        from = from < overview->from ? overview->from : from;
        to = to > overview->to ? overview->to : to;
        if (to <= from)
            continue;
        double x = l->over_x + (from - overview->from) * scale, w = (to - from) * scale;
        if (x - drawn >= 3 && x > l->over_x) {
            drawing_box(drawing, ROLE_INK, x, l->over_y - 2, 1, l->over_h + 4);
            drawn = x;
        }
        if (text_width(header->stage[s], style.size, style.face) + 8 <= w)
            drawing_text(drawing, &style, x + 2, l->over_y + l->over_h + 12, "%s",
                         header->stage[s]);
    }
}

void scene_draw_overview(const struct view *view, const struct view_panel *panel,
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
    int rows = warps < SCENE_STRIP / 3 ? (int)warps : SCENE_STRIP / 3;
    if (columns < 1 || rows < 1 || !overview_bins(overview, columns, rows, &drawing->error))
        return;
    char number[32], count[64] = "no conflicts", text[200] = "the whole run: ";
    const size_t whole = strlen(text);
    bool all = overview->most == overview->bad; /* 80 % of them are in no fewer steps than all */
    if (panel->replaced) {
        compare_runs(panel, text, sizeof text);
    } else if (overview->bad > 0) {
        snprintf(count, sizeof count, "%s conflict%s", grouped(overview->conflicts, number),
                 overview->conflicts == 1 ? "" : "s");
        text_add(text, sizeof text, "%s%s in %zu of %zu step%s", count, all ? "" : ", 80 % of them",
                 overview->most, overview->steps, overview->steps == 1 ? "" : "s");
    } else {
        text_add(text, sizeof text, "%zu steps, %s", overview->steps, count);
    }
    /* What the strip is, and where the conflicts are, is left out before a text is cut off. */
    const char *said = text;
    if (!panel->replaced && text_width(text, faint.size, faint.face) > l->over_w)
        said = text_width(text + whole, faint.size, faint.face) > l->over_w ? count : text + whole;
    drawing_text_smaller(drawing, panel->replaced ? &normal : &faint, l->over_x, l->over_y - 5,
                         l->over_w, said);
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
