/* svg.c - a drawing as SVG: for files, and for pages, which have no cairo. */
#include "viewer/export/export.h"

#include <stdlib.h>

/* A character's spelling in SVG; NULL: as it is. */
static const char *svg_spelling(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    default:
        return NULL;
    }
}

/* An element of text, with what has a meaning there spelled out and no control character. */
static void put_element(const char *name, const char *text, FILE *file)
{
    if (!text)
        return;
    char *clean = text_clean(memory_copy(text));
    fprintf(file, "<%s>", name);
    for (const char *s = clean; *s; s++) {
        if (svg_spelling(*s))
            fputs(svg_spelling(*s), file);
        else
            fputc(*s, file);
    }
    fprintf(file, "</%s>\n", name);
    free(clean);
}

static void put_mark(const struct drawing_item *item, const struct theme *theme, FILE *file)
{
    double x[MARK_CORNERS], y[MARK_CORNERS];
    int corners = mark_corners(item, x, y);
    if (!corners)
        fprintf(file, "<circle cx=\"%.6g\" cy=\"%.6g\" r=\"%.6g\"", item->x, item->y,
                (item->w - item->thick) / 2);
    for (int i = 0; i < corners; i++)
        fprintf(file, "%s%.6g,%.6g", i ? " " : "<polygon points=\"", x[i], y[i]);
    fprintf(file, "%s class=\"%s\" stroke=\"#%06x\" stroke-width=\"%.6g\"/>\n", corners ? "\"" : "",
            role_names[item->role], theme->colour[item->edge], item->thick);
}

bool svg_write(const struct drawing *drawing, const struct theme *theme, FILE *file)
{
    return svg_write_about(drawing, theme, NULL, NULL, file);
}

bool svg_write_about(const struct drawing *drawing, const struct theme *theme, const char *title,
                     const char *description, FILE *file)
{
    static const char *const faces[] = {"", " font-weight=\"bold\"",
                                        " font-family=\"monospace\" xml:space=\"preserve\"", "",
                                        " font-weight=\"bold\""};
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.6gpt\" height=\"%.6gpt\" "
            "viewBox=\"0 0 %.6g %.6g\">\n",
            drawing->width, drawing->height, drawing->width, drawing->height);
    put_element("title", title, file);
    put_element("desc", description, file);
    fprintf(file,
            "<style>\n"
            "text { font-family: 'Liberation Sans', Arial, Helvetica, 'DejaVu Sans', sans-serif; "
            "white-space: pre }\n");
    for (int role = ROLE_NONE + 1; role < ROLES; role++)
        fprintf(file, ".%s { fill: #%06x }\n", role_names[role], theme->colour[role]);
    fprintf(file, "</style>\n");
    for (size_t i = 0; i < drawing->count; i++) {
        const struct drawing_item *item = &drawing->item[i];
        const char *role = role_names[item->role];
        double inset = item->edge != ROLE_NONE ? item->thick / 2 : 0;
        switch ((enum shape)item->shape) {
        case SHAPE_BOX:
            fprintf(file, "<rect x=\"%.6g\" y=\"%.6g\" width=\"%.6g\" height=\"%.6g\"",
                    item->x + inset, item->y + inset, item->w - 2 * inset, item->h - 2 * inset);
            if (item->role == ROLE_NONE)
                fprintf(file, " fill=\"none\"");
            else
                fprintf(file, " class=\"%s\"", role);
            if (item->edge != ROLE_NONE)
                fprintf(file, " stroke=\"#%06x\" stroke-width=\"%.6g\"", theme->colour[item->edge],
                        item->thick);
            fprintf(file, "/>\n");
            break;
        case SHAPE_LINE:
            fprintf(file,
                    "<line x1=\"%.6g\" y1=\"%.6g\" x2=\"%.6g\" y2=\"%.6g\" stroke=\"#%06x\" "
                    "stroke-width=\"%.6g\"",
                    item->x, item->y, item->x + item->w, item->y + item->h,
                    theme->colour[item->role], item->thick);
            if (item->dotted)
                fprintf(file, " stroke-dasharray=\"%.6g %.6g\"", 1.2 * item->thick,
                        1.4 * item->thick);
            fprintf(file, "/>\n");
            break;
        case SHAPE_TEXT:
            fprintf(file, "<text x=\"%.6g\" y=\"%.6g\" font-size=\"%.6g\"%s%s class=\"%s\"",
                    item->x, item->y, item->thick, anchors[item->align], faces[item->face], role);
            if (item->turn)
                fprintf(file, " transform=\"rotate(-%d %.6g %.6g)\"", item->turn, item->x, item->y);
            fputc('>', file);
            for (const char *s = drawing_string(drawing, item); *s; s++) {
                const char *spelling = svg_spelling(*s);
                if (spelling)
                    fputs(spelling, file);
                else
                    fputc(*s, file);
            }
            fprintf(file, "</text>\n");
            break;
        case SHAPE_MARK:
            put_mark(item, theme, file);
            break;
        }
    }
    fprintf(file, "</svg>\n");
    return true;
}
