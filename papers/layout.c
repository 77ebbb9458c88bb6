/* layout.c - where a chart's parts lie, and the chart as a drawing list. */
#include "papers/plot.h"

#include <math.h>
#include <string.h>

static const double font_size = 7.5, title_height = 12;

/* A line's pattern is shorter than a sample of the legend, and repeats in it. */
const double plot_dashes[PLOT_LINES][PLOT_DASHES + 1] = {
    [LINE_WORST] = {4, 2},
    [LINE_HARDEST] = {1.4, 1.6},
    [LINE_FOURTH] = {6, 1.8, 1.4, 1.8},
    [LINE_FIFTH] = {7.5, 2},
};

enum role plot_role(const struct plot_look *look)
{
    return look->alone ? ROLE_INK
                       : (enum role)(ROLE_CURVE_1 + (unsigned)look->colour % PLOT_COLOURS);
}

enum role plot_bar_role(int part)
{
    return part % 2 ? ROLE_BAR_BAD : ROLE_BAR;
}

bool plot_marked(const struct plot_panel *panel, int point)
{
    const double apart = 6; /* points, from mark to mark */
    double each = panel->width / (panel->plot->points > 1 ? panel->plot->points - 1 : 1);
    int every = each >= apart ? 1 : (int)ceil(apart / each);
    return point % every == 0;
}

/* ---- the legend -------------------------------------------------------------------------------- */

static bool same_look(const struct plot_look *a, const struct plot_look *b)
{
    return a->colour == b->colour && a->line == b->line && a->hollow == b->hollow &&
           a->alone == b->alone;
}

/* Adds what the legend does not have yet. */
static bool add_entry(struct plot_page *page, const struct plot_curve *curve, int bar,
                      struct error *error)
{
    for (int i = 0; i < page->entries; i++)
        if (!strcmp(page->entry[i].title, curve->title) && page->entry[i].bar == bar &&
            (bar >= 0 || same_look(&page->entry[i].look, &curve->look)))
            return true;
    if (page->entries == PLOT_LEGEND)
        return error_set(error, "more than %d curves in one figure cannot be told apart",
                         PLOT_LEGEND);
    page->entry[page->entries++] =
        (struct plot_entry){.title = curve->title, .look = curve->look, .bar = bar};
    return true;
}

/* Places the entries in columns of so many. Returns how wide they are together. */
static double place_columns(struct plot_page *page, int rows, double line)
{
    const double gap = 0.8 * page->font, edge = 0.4 * page->font; /* half a mark fits in it */
    double x = edge, widest = 0;
    for (int i = 0; i < page->entries; i++) {
        struct plot_entry *entry = &page->entry[i];
        if (i && i % rows == 0)
            x += widest + gap, widest = 0;
        entry->x = x;
        entry->y = (i % rows + 0.75) * line;
        widest = fmax(widest, page->sample + 0.6 * page->font +
                                  text_width(entry->title, page->font, FACE_PLAIN));
    }
    return x + widest;
}

/* In as few rows as fit. Returns the y below the legend. */
static double place_legend(struct plot_page *page)
{
    const double line = 1.4 * page->font;
    int rows = page->entries > 4 ? (page->entries + 3) / 4 : 1;
    page->sample = 2.6 * page->font;
    while (place_columns(page, rows, line) > page->width && rows < page->entries)
        rows++;
    return rows * line + 0.7 * page->font;
}

/* ---- panels ------------------------------------------------------------------------------------- */

static double widest_label(const struct axis *axis, double font)
{
    double width = 0;
    for (int i = 0; i < axis->ticks; i++)
        width = fmax(width, text_width(axis->tick[i].label, font, FACE_PLAIN));
    return width;
}

/* How much room the names of bars need below the axis; sets how they stand. */
static double place_names(struct plot_panel *panel, double font)
{
    const double aslant = 1.5, upright = 1.05; /* sizes of a font that names need from each other */
    double widest = 0, apart = panel->width;
    int last = -1;
    for (int i = 0; i < panel->plot->points; i++) {
        if (!*panel->plot->bar[i])
            continue;
        widest = fmax(widest, text_width(panel->plot->bar[i], font, FACE_PLAIN));
        if (last >= 0)
            apart = fmin(apart, panel->width * (i - last) / panel->plot->points);
        last = i;
    }
    panel->turn = widest + 0.4 * font <= apart ? 0 : apart >= aslant * font ? 45 : 90;
    panel->name_font = panel->turn == 90 ? fmin(font, apart / upright) : font;
    return panel->turn ? fmin(widest, 110) * panel->name_font / font * (panel->turn == 45 ? 0.7 : 1)
                       : 0;
}

static bool overlap(struct range a, struct range b)
{
    return a.least <= b.most && b.least <= a.most;
}

/* Panels whose axes have the same label have the same axes, so that they compare; but not where one would be
 * empty on the other's. */
static void share_ranges(struct plot_page *page)
{
    for (int i = 0; i < page->panels; i++)
        for (int k = 0; k < page->panels; k++) {
            struct plot_panel *panel = &page->panel[i];
            const struct plot *plot = panel->plot, *other = page->panel[k].plot;
            const struct range x = range_x(other), y = range_y(other);
            if (k == 0)
                panel->x_range = range_x(plot), panel->y_range = range_y(plot);
            if (!strcmp(plot->x_label, other->x_label) && plot->x_powers == other->x_powers &&
                overlap(range_x(plot), x)) {
                panel->x_range.least = fmin(panel->x_range.least, x.least);
                panel->x_range.most = fmax(panel->x_range.most, x.most);
            }
            if (!strcmp(plot->y_label, other->y_label) && plot->y_log == other->y_log) {
                panel->y_range.least = fmin(panel->y_range.least, y.least);
                panel->y_range.most = fmax(panel->y_range.most, y.most);
            }
        }
}

static void write_y_label(struct plot_panel *panel, double font)
{
    static const char *const units[] = {"", "thousand", "million", "thousand million",
                                        "million million"};
    int unit = panel->y.unit < 5 ? panel->y.unit : 4;
    snprintf(panel->y_label, sizeof panel->y_label, "%.100s%s%s", panel->plot->y_label,
             unit ? ", " : "", units[unit]);
    panel->y_font =
        fmin(font, (panel->height + 2 * font) / fmax(text_width(panel->y_label, 1, FACE_PLAIN), 1));
}

/* Sets the panel's axes; returns the width that the labels of y need. */
static double set_axes(struct plot_panel *panel, double font)
{
    axis_x(&panel->x, panel->plot, panel->x_range, panel->width, font);
    axis_y(&panel->y, panel->plot, panel->y_range, panel->height, font);
    write_y_label(panel, font);
    return widest_label(&panel->y, font) + 2.6 * font;
}

/* Places the panels below y in rows of so many. Returns the y below them. */
static double place_panels(struct plot_page *page, int per_row, double y)
{
    const double font = page->font, each = page->width / per_row;
    double margin = 0, right = 1.2 * font, title = 0.4 * font;
    for (int i = 0; i < page->panels; i++) { /* areas of one size, in line */
        struct plot_panel *panel = &page->panel[i];
        panel->width = each - 5 * font;
        panel->height = fmin(fmax(0.62 * panel->width, 85), 170);
        margin = fmax(margin, set_axes(panel, font));
        title = panel->plot->title ? title_height : title;
    }
    double below = 0;
    for (int i = 0; i < page->panels; i++) {
        struct plot_panel *panel = &page->panel[i];
        const int column = i % per_row;
        if (column == 0 && i > 0)
            y = below + 0.6 * font;
        panel->width = each - margin - right;
        panel->height = fmin(fmax(0.62 * panel->width, 85), 170);
        panel->left = column * each + margin;
        panel->top = y + title;
        panel->label_x = column * each + 0.9 * font;
        set_axes(panel, font);
        double names = panel->plot->bar ? place_names(panel, font) : 0;
        panel->x_label_y = panel->top + panel->height + 2.7 * font + names;
        below = fmax(below, panel->x_label_y + 0.5 * font);
    }
    return below;
}

bool plot_layout(const struct plot *plots, int count, double width, struct plot_page *page,
                 struct error *error)
{
    const double least = 150; /* of a panel beside another */
    *page = (struct plot_page){.width = width, .font = font_size, .panels = count};
    for (int i = 0; i < count; i++) {
        page->panel[i].plot = &plots[i];
        for (int c = 0; c < plots[i].curves; c++)
            if (!add_entry(page, &plots[i].curve[c], plots[i].bar ? c : -1, error))
                return false;
    }
    share_ranges(page);
    int fit = (int)(width / least), per_row = fit < 1 ? 1 : fit < count ? fit : count;
    int rows = (count + per_row - 1) / per_row;
    per_row = (count + rows - 1) / rows;
    page->height = place_panels(page, per_row, place_legend(page));
    return true;
}

/* ---- drawing -------------------------------------------------------------------------------------- */

struct pen {
    struct drawing *drawing;
    const struct plot_panel *panel;
    double font;
};

static double x_of(const struct pen *pen, double value)
{
    return pen->panel->left + axis_place(&pen->panel->x, value) * pen->panel->width;
}

static double y_of(const struct pen *pen, double value)
{
    return pen->panel->top + (1 - axis_place(&pen->panel->y, value)) * pen->panel->height;
}

static bool is_shown(const struct plot *plot, double value)
{
    return !isnan(value) && (!plot->y_log || value > 0);
}

/* The state of a dashed line along its way. */
struct dashes {
    const double *length;
    int at;
    double left; /* of the dash or gap `at` */
};

static struct dashes dashes_begin(enum plot_line line)
{
    return (struct dashes){plot_dashes[line], 0, plot_dashes[line][0]};
}

static const double line_width = 1.1;

/* A piece of a line, which goes on with the dashes where the last piece ended. */
static void draw_piece(struct drawing *drawing, enum role role, struct dashes *dashes, double x1,
                       double y1, double x2, double y2)
{
    double length = hypot(x2 - x1, y2 - y1), done = 0;
    if (!dashes->length[0]) {
        drawing_line(drawing, role, line_width, false, x1, y1, x2, y2);
        return;
    }
    while (done < length) {
        double to = fmin(done + dashes->left, length);
        double a = done / length, b = to / length;
        if (dashes->at % 2 == 0)
            drawing_line(drawing, role, line_width, false, x1 + a * (x2 - x1), y1 + a * (y2 - y1),
                         x1 + b * (x2 - x1), y1 + b * (y2 - y1));
        dashes->left -= to - done;
        if (dashes->left <= 1e-9) {
            dashes->at = dashes->length[dashes->at + 1] > 0 ? dashes->at + 1 : 0;
            dashes->left = dashes->length[dashes->at];
        }
        done = to;
    }
}

static void draw_mark(struct drawing *drawing, const struct plot_look *look, double x, double y)
{
    enum role role = plot_role(look);
    drawing_mark(drawing, look->alone ? MARK_CIRCLE : (enum mark)look->line,
                 look->hollow || look->alone ? ROLE_PAPER : role, role, 0.8,
                 look->alone ? 5.4 : 4.4, x, y);
}

/* From the least to the most of a point's repetitions. */
static void draw_spread(const struct pen *pen, const struct plot_curve *curve, int i)
{
    const double cap = 2;
    enum role role = plot_role(&curve->look);
    if (!curve->least || !is_shown(pen->panel->plot, curve->least[i]) ||
        curve->least[i] >= curve->most[i])
        return;
    double x = x_of(pen, pen->panel->plot->x[i]);
    double low = y_of(pen, curve->least[i]), high = y_of(pen, curve->most[i]);
    drawing_line(pen->drawing, role, 0.7, false, x, low, x, high);
    drawing_line(pen->drawing, role, 0.7, false, x - cap, low, x + cap, low);
    drawing_line(pen->drawing, role, 0.7, false, x - cap, high, x + cap, high);
}

static void draw_curve(const struct pen *pen, const struct plot_curve *curve)
{
    const struct plot *plot = pen->panel->plot;
    struct dashes dashes = dashes_begin(curve->look.line);
    enum role role = plot_role(&curve->look);
    for (int i = 1; i < plot->points && !curve->look.alone; i++) {
        if (!is_shown(plot, curve->y[i]) || !is_shown(plot, curve->y[i - 1]))
            continue;
        double x = x_of(pen, plot->x[i]), y = y_of(pen, curve->y[i]);
        draw_piece(pen->drawing, role, &dashes, x_of(pen, plot->x[i - 1]),
                   y_of(pen, curve->y[i - 1]), x, y);
        if (!plot_marked(pen->panel, i) && !plot_dashes[curve->look.line][0])
            drawing_mark(pen->drawing, MARK_CIRCLE, role, role, line_width / 2, line_width, x, y);
    }
    for (int i = 0; i < plot->points; i++)
        draw_spread(pen, curve, i);
    for (int i = 0; i < plot->points; i++)
        if (is_shown(plot, curve->y[i]) && plot_marked(pen->panel, i))
            draw_mark(pen->drawing, &curve->look, x_of(pen, plot->x[i]), y_of(pen, curve->y[i]));
}

/* Bars of parts, the first at the bottom. */
static void draw_bars(const struct pen *pen)
{
    const struct plot *plot = pen->panel->plot;
    const double wide = 0.8 * pen->panel->width / (pen->panel->x.to - pen->panel->x.from);
    for (int i = 0; i < plot->points; i++) {
        double sum = 0, x = x_of(pen, i);
        for (int c = 0; c < plot->curves; c++) {
            double y = y_of(pen, sum);
            sum += plot->curve[c].y[i];
            drawing_box(pen->drawing, plot_bar_role(c), x - wide / 2, y_of(pen, sum), wide,
                        y - y_of(pen, sum));
        }
    }
}

static void draw_names(const struct pen *pen)
{
    const struct plot_panel *panel = pen->panel;
    const double font = panel->name_font, y = panel->top + panel->height;
    struct text_style style = {ROLE_INK, font, panel->turn ? ALIGN_RIGHT : ALIGN_CENTRE,
                               FACE_PLAIN};
    for (int i = 0; i < panel->plot->points; i++)
        drawing_text_turned(
            pen->drawing, &style, panel->turn, x_of(pen, i) + (panel->turn ? TEXT_MIDDLE(font) : 0),
            y + (panel->turn == 90 ? 0.4 : 1.25) * font, "%.60s", panel->plot->bar[i]);
}

static void draw_axes(const struct pen *pen)
{
    const struct plot_panel *panel = pen->panel;
    const double tick = 2.5, font = pen->font;
    const double right = panel->left + panel->width, bottom = panel->top + panel->height;
    struct text_style number = {ROLE_INK, font, ALIGN_RIGHT, FACE_PLAIN};
    struct text_style middle = {ROLE_INK, font, ALIGN_CENTRE, FACE_PLAIN};
    for (int i = 0; i < panel->y.ticks; i++) {
        double y = y_of(pen, panel->y.tick[i].at);
        drawing_line(pen->drawing, ROLE_GRID, 0.3, false, panel->left, y, right, y);
        drawing_line(pen->drawing, ROLE_INK, 0.6, false, panel->left - tick, y, panel->left, y);
        drawing_text(pen->drawing, &number, panel->left - tick - 1.5, y + TEXT_MIDDLE(font), "%s",
                     panel->y.tick[i].label);
    }
    for (int i = 0; i < panel->x.ticks; i++) {
        double x = x_of(pen, panel->x.tick[i].at);
        drawing_line(pen->drawing, ROLE_INK, 0.6, false, x, bottom, x, bottom + tick);
        drawing_text(pen->drawing, &middle, x, bottom + tick + font, "%s", panel->x.tick[i].label);
    }
    drawing_line(pen->drawing, ROLE_INK, 0.6, false, panel->left, bottom, right, bottom);
    drawing_line(pen->drawing, ROLE_INK, 0.6, false, panel->left, panel->top, panel->left, bottom);
    drawing_text(pen->drawing, &middle, panel->left + panel->width / 2, panel->x_label_y, "%s",
                 panel->plot->x_label);
    middle.size = panel->y_font;
    drawing_text_turned(pen->drawing, &middle, 90, panel->label_x, panel->top + panel->height / 2,
                        "%s", panel->y_label);
}

static void draw_panel(const struct plot_panel *panel, double font, struct drawing *drawing)
{
    const struct pen pen = {drawing, panel, font};
    const struct text_style title = {ROLE_INK, font, ALIGN_LEFT, FACE_BOLD};
    draw_axes(&pen);
    if (panel->plot->title)
        drawing_text_within(drawing, &title, panel->left, panel->top - 0.5 * font,
                            panel->width + font, "%s", panel->plot->title);
    if (panel->plot->bar) {
        draw_bars(&pen);
        draw_names(&pen);
        return;
    }
    for (int c = 0; c < panel->plot->curves; c++)
        draw_curve(&pen, &panel->plot->curve[c]);
}

static void draw_entry(const struct plot_page *page, const struct plot_entry *entry,
                       struct drawing *drawing)
{
    const struct text_style style = {ROLE_INK, page->font, ALIGN_LEFT, FACE_PLAIN};
    const double end = entry->x + page->sample, text = end + 0.6 * page->font;
    struct dashes dashes = dashes_begin(entry->look.line);
    if (entry->bar >= 0) {
        drawing_box(drawing, plot_bar_role(entry->bar), end - 8, entry->y - 3, 8, 6);
    } else {
        if (!entry->look.alone)
            draw_piece(drawing, plot_role(&entry->look), &dashes, entry->x, entry->y, end,
                       entry->y);
        draw_mark(drawing, &entry->look, (entry->x + end) / 2, entry->y);
    }
    drawing_text_within(drawing, &style, text, entry->y + TEXT_MIDDLE(page->font),
                        page->width - text, "%s", entry->title);
}

void plot_draw(const struct plot_page *page, struct drawing *drawing)
{
    drawing_begin(drawing, page->width, page->height);
    drawing_box(drawing, ROLE_PAPER, 0, 0, page->width, page->height);
    for (int i = 0; i < page->panels; i++)
        draw_panel(&page->panel[i], page->font, drawing);
    for (int i = 0; i < page->entries; i++)
        draw_entry(page, &page->entry[i], drawing);
}
