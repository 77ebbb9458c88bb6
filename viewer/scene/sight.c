/* sight.c - what of a large matrix is in sight: the numbers of columns that are not all drawn, and a map. */
#include "viewer/scene/scene.h"

/* Lengths in points. */
enum {
    NUMBERS = 10, /* above the cells */
    LINE = 17,    /* what is drawn, in words */
    MAP = 22,
    BAR = 3, /* along the map: what is in sight */
    DOT = 2, /* a word in the map, at least */
};

static const struct text_style small = {ROLE_FAINT, 9, ALIGN_LEFT, FACE_PLAIN};

double sight_height(void)
{
    return LINE + MAP + BAR + 1;
}

double sight_head(const struct view_panel *panel)
{
    return panel->fold.level ? NUMBERS : 0;
}

/* From a place on, how many are neighbours by number, too. */
static int run_of(const struct view_panel *panel, int from)
{
    const struct panel_layout *l = &panel->layout;
    int first = fold_column(&panel->fold, from), count = 1;
    while (from + count < l->first_column + l->columns &&
           fold_column(&panel->fold, from + count) == first + count)
        count++;
    return count;
}

/* Above each run of neighbours the number of its first column, and a gap before it. */
static void draw_numbers(const struct view_panel *panel, struct drawing *drawing)
{
    const struct panel_layout *l = &panel->layout;
    double free_from = l->cells_x;
    for (int i = l->first_column; i < l->first_column + l->columns; i += run_of(panel, i)) {
        char text[16];
        double x = l->cells_x + (i - l->first_column) * l->cell_w;
        snprintf(text, sizeof text, "%d", fold_column(&panel->fold, i));
        if (x >= free_from) {
            drawing_text(drawing, &small, x + 1, l->cells_y - 3, "%s", text);
            free_from = x + text_width(text, small.size, small.face) + 4;
        }
        if (i > l->first_column && l->cell_w >= 6)
            drawing_box(drawing, ROLE_PAPER, x - 1, l->cells_y, 3, l->cells_h + 1);
    }
}

/* In words: which columns and banks are drawn. */
static void draw_words(const struct view_panel *panel, bool keys, struct drawing *drawing)
{
    const struct panel_layout *l = &panel->layout;
    const int all = panel->index->columns, banks = panel->index->trace->header.banks;
    const int columns = fold_columns(&panel->fold, panel->index);
    char text[200] = "";
    if (panel->fold.level)
        text_add(text, sizeof text, "%d of %d columns: %s%s", columns, all,
                 fold_words(&panel->fold), keys ? " (f: all)" : "");
    if (l->columns < columns || l->rows < banks) {
        text_add(text, sizeof text, "%scolumns %d to %d", *text ? "; in sight: " : "",
                 fold_column(&panel->fold, l->first_column),
                 fold_column(&panel->fold, l->first_column + l->columns - 1));
        if (!panel->fold.level)
            text_add(text, sizeof text, " of %d", all);
        text_add(text, sizeof text, ", banks %d to %d of %d", l->first_row,
                 l->first_row + l->rows - 1, banks);
    }
    if (panel->fold.large && !panel->fold.level && keys)
        text_add(text, sizeof text, "%sf: only columns in use", *text ? "; " : "");
    struct text_style style = {ROLE_FAINT, 10, ALIGN_LEFT, FACE_PLAIN};
    drawing_text_within(drawing, &style, l->cells_x, l->cells_y + l->cells_h + 12,
                        l->x + l->w - l->cells_x, "%s", text);
}

static void draw_map(const struct view_panel *panel, const struct accessed *accessed,
                     struct drawing *drawing)
{
    const struct panel_layout *l = &panel->layout;
    const int all = panel->index->columns, banks = panel->index->trace->header.banks;
    const double top = l->map_y + LINE, wide = l->map_w / all, high = (double)MAP / banks;
    drawing_box(drawing, ROLE_CELL, l->map_x, top, l->map_w, MAP);
    for (int from = 0, to; from < all; from = to) {
        bool used = fold_uses(&panel->fold, from);
        for (to = from + 1; to < all && fold_uses(&panel->fold, to) == used;)
            to++;
        if (used)
            drawing_box(drawing, ROLE_USED, l->map_x + from * wide, top, (to - from) * wide, MAP);
    }
    for (int i = 0; i < accessed->count; i++) {
        const struct accessed_word *word = &accessed->word[i];
        drawing_box(drawing, word->bad ? ROLE_BAD_EDGE : ROLE_GOOD_EDGE,
                    l->map_x + (int)(word->word / (uint32_t)banks) * wide,
                    top + (int)(word->word % (uint32_t)banks) * high, wide < DOT ? DOT : wide,
                    high < DOT ? DOT : high);
    }
    for (int i = l->first_column, run; i < l->first_column + l->columns; i += run) {
        run = run_of(panel, i);
        drawing_box(drawing, ROLE_CURSOR, l->map_x + fold_column(&panel->fold, i) * wide,
                    top + MAP + 1, run * wide < 1 ? 1 : run * wide, BAR);
    }
    if (l->rows < banks)
        drawing_box(drawing, ROLE_CURSOR, l->map_x - BAR - 1, top + l->first_row * high, BAR,
                    l->rows * high);
}

void sight_draw(const struct view_panel *panel, const struct accessed *accessed, bool keys,
                struct drawing *drawing)
{
    const struct panel_layout *l = &panel->layout;
    if (panel->fold.level)
        draw_numbers(panel, drawing);
    if (panel->fold.large || l->columns < panel->index->columns ||
        l->rows < panel->index->trace->header.banks)
        draw_words(panel, keys, drawing);
    if (l->map_h > 0)
        draw_map(panel, accessed, drawing);
}

bool sight_hit(const struct view_panel *panel, double x, double y, int *column, int *bank)
{
    const struct panel_layout *l = &panel->layout;
    const double top = l->map_y + LINE;
    if (l->map_h <= 0 || x < l->map_x || x >= l->map_x + l->map_w || y < top || y >= top + MAP)
        return false;
    *column = (int)((x - l->map_x) / l->map_w * panel->index->columns);
    *bank = (int)((y - top) / MAP * panel->index->trace->header.banks);
    return true;
}
