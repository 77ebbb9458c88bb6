/* paper_figure.c - pictures of a lesson on paper: drawn for the space that there is, and placed. */
#include "teach/paper.h"

#include <stdlib.h>

/* "one: read, round 0: 1 pass, 0 conflicts", a line for each picture. */
static bool say_parts(const struct figure_part *part, int parts, char caption[LESSON_CAPTION],
                      struct error *error)
{
    bool good = true;
    *caption = '\0';
    for (int p = 0; good && p < parts; p++) {
        struct measured_part measured;
        char text[300];
        good = figure_measure(&measured, &part[p], error);
        if (good) {
            figure_state(&measured, text, sizeof text);
            text_add(caption, LESSON_CAPTION, "%s%s%s%s", p ? "\n" : "", part[p].title,
                     *part[p].title ? ": " : "", text);
        }
        figure_release(&measured);
    }
    return good;
}

/* Draws the parts as narrow as may be, so that they become large; but they stay side by side, unless they are long rows
 * of sectors. */
static bool draw_parts(const struct figure_part *part, int parts, struct drawing *drawing,
                       struct error *error)
{
    const int narrowest = part[0].index->sectors ? 240
                          : parts > 1            ? 60
                                                 : 110; /* 32 sectors side by side */
    const int beside = part[0].index->words ? parts : 1;
    for (int width = beside * narrowest;; width += beside * 25) {
        struct figure figure = {.parts = parts, .part = part, .width = width, .per_row = beside};
        struct error narrow = {{0}};
        bool drawn = figure_draw(&figure, drawing, &narrow);
        bool stacked = beside > 1 && drawing->height > drawing->width;
        if ((drawn && !drawing->unlabelled && !stacked) || width >= beside * 300)
            return drawn || error_set(error, "%s", narrow.text);
    }
}

/* Whether a picture is so high and narrow that its cells would be small in such a space. */
static bool is_tower(const struct drawing *drawing, const struct figure_part *part, int parts,
                     double aspect)
{
    bool many = true;
    for (int p = 0; p < parts; p++)
        many &= part[p].index->trace->header.banks >= 24 && !part[p].only_banks;
    return many && aspect * drawing->height > 1.3 * drawing->width;
}

/* Draws the lower half of the banks, and the upper half beside it. */
static bool draw_halves(const struct figure_part *part, int parts, struct drawing *drawing,
                        struct error *error)
{
    struct figure_part half[4];
    struct numbers banks[4];
    for (int i = 0; i < 2 * parts; i++) {
        char list[40];
        const int all = part[i / 2].index->trace->header.banks, middle = all / 2;
        snprintf(list, sizeof list, "%d-%d", i % 2 ? middle : 0, i % 2 ? all - 1 : middle - 1);
        numbers_read(&banks[i], list);
        half[i] = part[i / 2];
        half[i].only_banks = &banks[i];
        if (i % 2 && *half[i].title)
            half[i].title = " ";
    }
    return draw_parts(half, 2 * parts, drawing, error);
}

bool lesson_figure(const struct lesson_play *play, const struct lesson_run *run, unsigned hide,
                   double aspect, struct drawing *drawing, char caption[LESSON_CAPTION],
                   char **words, struct error *error)
{
    struct trace_index index[2] = {{.trace = NULL}, {.trace = NULL}};
    struct figure_part part[2];
    struct numbers crop[2][2];
    int parts = run->beside ? 2 : 1;
    bool good = true;
    for (int p = 0; good && p < parts; p++) {
        good = lesson_take_part(run, lesson_trace(play, p < parts - 1 ? run->beside : run->label),
                                hide, &index[p], &part[p], error);
        if (good)
            lesson_crop(run, &part[p], crop[p]);
    }
    part[0].title = parts > 1 ? run->beside : "";
    part[parts - 1].title = parts > 1 ? run->label : "";
    good = good && draw_parts(part, parts, drawing, error) &&
           (!is_tower(drawing, part, parts, aspect) || draw_halves(part, parts, drawing, error));
    good = good && say_parts(part, parts, caption, error);
    *words = good ? lesson_describe(run, part, parts, error) : NULL;
    for (int p = 0; p < parts; p++)
        trace_index_free(&index[p]);
    return good;
}

/* ---- in its place ------------------------------------------------------------------------------ */

/* How large a picture is in that space, as large as it may be. */
static double scale_within(const struct drawing *figure, double w, double h)
{
    return w / figure->width < h / figure->height ? w / figure->width : h / figure->height;
}

bool sheet_is_small(const struct sheet *sheet, const struct drawing *figure, double w, double h)
{
    double sizes = 0;
    int texts = 0;
    for (size_t i = 0; i < figure->count; i++)
        if (figure->item[i].shape == SHAPE_TEXT)
            texts++, sizes += figure->item[i].thick;
    return sizes * scale_within(figure, w, h) * sheet->look->scale < sheet->look->letters * texts;
}

double sheet_place_figure(const struct sheet *sheet, const struct drawing *figure, char *words,
                          double x, double y, double w, double h)
{
    const double scale = scale_within(figure, w, h);
    const size_t from = sheet_page(sheet)->count;
    drawing_place(sheet_page(sheet), figure, x, y, scale);
    document_figure(sheet->document, from, words);
    return figure->height * scale;
}

/* The width of the text beside a slide's picture. */
static const double beside = 0.47;

static const double small = 0.8; /* letters of what belongs to a slide's picture */

/* What rows and cells of a slide's picture are, at the bottom of the column. */
static void put_axes(struct sheet *sheet, const char *axes)
{
    struct drawing *page = sheet_page(sheet);
    const size_t from = page->count;
    const double height = sheet_put_scaled(PANE_NOTE, axes, small, 0, 0, sheet->width, NULL);
    sheet_put_scaled(PANE_NOTE, axes, small, sheet->look->margin, sheet_bottom(sheet) - height,
                     sheet->width, page);
    document_tag(sheet->document, from, "Caption");
    sheet->axes = height;
}

/* Where a slide's picture is, beside text or alone. */
static void picture_space(const struct sheet *sheet, double *x, double *w)
{
    const double margin = sheet->look->margin, width = sheet_width(sheet) - 2 * margin;
    *x = margin + (sheet->alone ? 0 : beside * width + 24);
    *w = margin + width - *x;
}

void sheet_put_picture(struct sheet *sheet)
{
    struct drawing figure = {.width = 0};
    char caption[LESSON_CAPTION], *words = NULL;
    double x, w;
    picture_space(sheet, &x, &w);
    if (lesson_figure(sheet->all, &sheet->run->run, sheet->hide, sheet->alone ? 2 : 1, &figure,
                      caption, &words, sheet->error)) {
        struct drawing *page = sheet_page(sheet);
        const char *axes = lesson_axes(sheet->all, &sheet->run->run, sheet->hide);
        const double top = sheet->top + 8,
                     said = sheet_put_scaled(PANE_TEXT, caption, small, x, 0, w, NULL);
        if (sheet->alone)
            put_axes(sheet, axes);
        else
            sheet->width *= beside;
        const double room = sheet_bottom(sheet) - top - said,
                     spare = w - figure.width * scale_within(&figure, w, room);
        double h = sheet_place_figure(sheet, &figure, words, x + (sheet->alone ? spare / 2 : 0),
                                      top, w, room);
        if (!sheet->alone)
            put_axes(sheet, axes);
        const size_t from = page->count;
        sheet_put_scaled(PANE_TEXT, caption, small, x, top + h, w, page);
        document_tag(sheet->document, from, "Caption");
        sheet->y = sheet->alone ? sheet_bottom(sheet) : sheet->y;
    }
    drawing_free(&figure);
}

bool sheet_picture_is_small(const struct sheet *sheet)
{
    struct drawing figure = {.width = 0};
    char caption[LESSON_CAPTION], *words = NULL;
    double x, w;
    picture_space(sheet, &x, &w);
    const bool small =
        lesson_figure(sheet->all, &sheet->run->run, sheet->hide, sheet->alone ? 2 : 1, &figure,
                      caption, &words, sheet->error) &&
        sheet_is_small(sheet, &figure, w, sheet->look->tall / sheet->look->scale);
    free(words);
    drawing_free(&figure);
    return small;
}
