/* scene.c - the window's picture: its panels and the line at the bottom. */
#include "viewer/scene/scene_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Lengths in points. */
enum {
    HINT_FROM = 560, /* width of a picture from which on it says what to press */
    TEXT_LEAST = 9,  /* font size: no line is set smaller before it is cut off */
    LEAST_TEXT = 7,  /* font size: below it cells show colour only */
};

static const struct text_style bold = {ROLE_INK, 14, ALIGN_LEFT, FACE_BOLD};
static const struct text_style normal = {ROLE_INK, 12, ALIGN_LEFT, FACE_PLAIN};
static const struct text_style faint = {ROLE_FAINT, 11, ALIGN_LEFT, FACE_PLAIN};

/* ---- words above the cells ---- */

enum length { AT_LENGTH, SHORTLY, BRIEFLY };

/* Where the panel stands and what that costs: the line under its title. Briefly: what it costs, and in which round. */
static void panel_state(const struct view_panel *panel, const struct accessed *accessed,
                        unsigned hide, enum length length, char *text, size_t size)
{
    const struct trace_header *header = &panel->index->trace->header;
    const bool at_length = length == AT_LENGTH, brief = length == BRIEFLY;
    snprintf(text, size, "%.80s", brief ? "" : header->stage[panel->stage]);
    if (at_length)
        text_add(text, size, " (stage %d of %d)", panel->stage + 1, header->stages);
    if (panel->step >= 0 && panel->step < panel->map.steps) {
        const struct trace_step *at = trace_index_step(panel->index, panel->stage, panel->step);
        text_add(text, size, "%sround %d", brief ? "" : ", ", at->round);
        if (at->slot > 0)
            text_add(text, size, ", slot %d", at->slot);
    }
    if (header->blocks > 1 && !brief)
        text_add(text, size, ", block %d", panel->block);
    if (!brief)
        text_add(text, size, ", warp %d", panel->warp);
    if (hide & HIDE_TOTALS)
        return;
    text_add(text, size, "%s", *text ? ": " : "");
    if (panel->map.steps == 0)
        text_add(text, size, "no %s is accessed", header->global ? "memory" : "shared memory");
    else if (panel->step >= panel->map.steps)
        text_add(text, size, "finished");
    else if (accessed->lanes == 0)
        text_add(text, size, "idle in this round");
    else
        why_cost(accessed, at_length, text + strlen(text), size - strlen(text));
}

/* Whether all panels have the parameter, and with this value. */
static bool is_common(const struct view *view, const struct trace_param *param)
{
    int panels = 0;
    for (int p = 0; p < view->panels; p++) {
        const struct trace_header *header = &view->panel[p].index->trace->header;
        for (int i = 0; i < header->params; i++) {
            const struct trace_param *other = &header->param[i];
            panels +=
                !strcmp(other->name, param->name) && !other->word == !param->word &&
                (param->word ? !strcmp(other->word, param->word) : other->number == param->number);
        }
    }
    return panels == view->panels;
}

/* The kernel and its parameters; where they have no room, those that are not alike in all panels. */
static void name_panel(const struct view *view, const struct trace_header *header, double room,
                       char *text, size_t size)
{
    char params[512];
    header_params(header, params, sizeof params);
    snprintf(text, size, "%.80s %.400s", header->kernel, params);
    if (view->panels < 2 || text_width(text, TEXT_LEAST, bold.face) <= room)
        return;
    struct trace_header apart = {.param =
                                     memory_new((size_t)header->params, sizeof *header->param)};
    for (int i = 0; i < header->params; i++)
        if (!is_common(view, &header->param[i]))
            apart.param[apart.params++] = header->param[i];
    header_params(&apart, params, sizeof params);
    free(apart.param);
    snprintf(text, size, "%.80s %.400s", header->kernel, params);
}

static void draw_title(const struct view *view, int p, const struct accessed *accessed,
                       struct drawing *drawing)
{
    const struct view_panel *panel = &view->panel[p];
    const struct panel_layout *l = &panel->layout;
    const struct trace_header *header = &panel->index->trace->header;
    char text[512];
    if (view->panels > 1 && p == view->active && !view->no_leader)
        drawing_box(drawing, ROLE_CURSOR, l->x - 8, l->y + 2, 4, 32);
    if (panel->title[0])
        snprintf(text, sizeof text, "%s", panel->title);
    else
        name_panel(view, header, l->w, text, sizeof text);
    drawing_text_smaller(drawing, &bold, l->x, l->y + 14, l->w, text);

    panel_state(panel, accessed, view->hide, AT_LENGTH, text, sizeof text);
    if (text_width(text, normal.size, normal.face) > l->w)
        panel_state(panel, accessed, view->hide, SHORTLY, text, sizeof text);
    if (text_width(text, TEXT_LEAST, normal.face) > l->w)
        panel_state(panel, accessed, view->hide, BRIEFLY, text, sizeof text);
    drawing_text_smaller(drawing, &normal, l->x, l->y + 33, l->w, text);
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

/* Draws which lanes are served together with a word of a wide access that is pointed at. */
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
    scene_drawn_part(view, panel, &columns, &rows);
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
    if (!scene_is_cropped(view))
        draw_together(view, panel, accessed, drawing);
    if (!scene_is_cropped(view))
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
    scene_draw_timeline(view, panel, drawing);
    scene_draw_global(view, panel, drawing);
    scene_draw_overview(view, panel, &panel->overview, drawing);
    accessed_free(&accessed);
}

/* Whether a panel shows banks: all but those of global memory alone. */
static bool has_banks(const struct view *view)
{
    for (int p = 0; p < view->panels; p++)
        if (view->panel[p].index->words || !view->panel[p].index->trace->header.global)
            return true;
    return false;
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

/* A long one is set smaller, then in lines, before it is cut off. */
static void draw_reason(const char *why, double y, double width, int lines, struct drawing *drawing)
{
    struct text_style style = normal;
    style.size = text_fit(why, width, TEXT_LEAST, normal.size, style.face);
    if (text_width(why, style.size, style.face) > width)
        y -= (lines - 1) * SCENE_REASON - 6;
    for (int line = 1; *why; line++, y += SCENE_REASON) {
        char text[600];
        int length = (int)strlen(why);
        for (int end = length; line < lines && end > 0; end--) {
            snprintf(text, sizeof text, "%.*s", end, why);
            if ((end == length || why[end] == ' ') &&
                text_width(text, style.size, style.face) <= width) {
                length = end;
                break;
            }
        }
        drawing_text_within(drawing, &style, SCENE_MARGIN, y, width, "%.*s", length, why);
        why += length;
        why += *why == ' ';
    }
}

bool scene_draw(struct view *view, double width, double height, struct drawing *drawing)
{
    drawing_begin(drawing, width, height);
    drawing_box(drawing, ROLE_PAPER, 0, 0, width, height);
    scene_lay_out(view, width, height);
    for (int p = 0; p < view->panels; p++)
        draw_panel(view, p, drawing);
    draw_hover(view, drawing);

    char why[600];
    view_why(view, &view->hover, why, sizeof why);
    if (!why[0])
        view_why_followed(view, why, sizeof why);
    const double y = height - 9;
    const bool banks = has_banks(view);
    if (banks && (view->explained || !why[0]))
        draw_legend(view, SCENE_MARGIN, height - scene_bottom(view, width) + SCENE_EXPLAINED,
                    width - 2 * SCENE_MARGIN, drawing);
    if (why[0]) {
        draw_reason(why, y, width - 2 * SCENE_MARGIN, scene_reason_lines(view, width), drawing);
    } else if (view->explained && !view->presenting && width >= HINT_FROM) {
        drawing_text_within(
            drawing, &faint, SCENE_MARGIN, y, width - 2 * SCENE_MARGIN, "%s",
            banks ? "rows are banks, columns words; point at a cell for its reason; Right: the "
                    "next step, w: the worst, ?: all keys"
                  : "boxes are sectors of global memory, full as far as they are wanted; Right: "
                    "the next step, ?: all keys");
    }
    return !drawing->error.text[0];
}
