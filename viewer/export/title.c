/* title.c - titles of a figure's parts: as many lines as they need, so that nothing is lost that tells two
 * pictures apart.
 */
#include "viewer/export/figure.h"

#include <stdlib.h>
#include <string.h>

static const double size = 8.5, line_high = 11, below = 3; /* points */

/* How many bytes of the text stand on a line: up to its last space or behind its last comma that fits, or where
 * there is none, as many as fit; at least one character. */
static size_t line_length(const char *text, enum face face, double width)
{
    char line[1024];
    size_t length = 0, end = 0;
    while (text[length] && length + 5 < sizeof line) {
        size_t next = length + 1;
        while (((unsigned char)text[next] & 0xC0) == 0x80)
            next++;
        memcpy(line, text, next);
        line[next] = '\0';
        if (length && text_width(line, size, face) > width)
            return end ? end : length;
        if (text[length] == ' ')
            end = length;
        else if (text[length] == ',')
            end = next;
        length = next;
    }
    return length;
}

/* Draws a text, or without a drawing only measures it. Returns the y below its lines. */
static double draw_lines(const char *text, const struct text_style *style, double x, double y,
                         double width, struct drawing *drawing)
{
    while (*text) {
        size_t length = line_length(text, style->face, width);
        if (drawing)
            drawing_text(drawing, style, x, y + 9, "%.*s", (int)length, text);
        y += line_high;
        text += length;
        text += strspn(text, " ");
    }
    return y;
}

/* "cf-merge w=12 u=12 E=5, input worst"; to be freed. */
static char *recording_text(const struct trace_header *header)
{
    enum { PARAMS = 4096 };
    char *params = memory_new(PARAMS, 1);
    const char *input = header->input ? header->input : "";
    header_params(header, params, PARAMS);
    size_t room = strlen(header->kernel) + strlen(params) + strlen(input) + 16;
    char *text = memory_new(room, 1);
    snprintf(text, room, "%s%s%s%s", header->kernel, params, *input ? ", input " : "", input);
    free(params);
    return text;
}

double figure_title(const struct measured_part *of, enum align align, double x, double y,
                    double width, struct drawing *drawing)
{
    const struct figure_part *part = of->part;
    struct text_style style = {ROLE_INK, size, align, FACE_BOLD};
    double end = y;
    if (part->title && part->tex) { /* where its lines end is not known */
        style.face = FACE_TEX_BOLD;
        if (drawing)
            drawing_text(drawing, &style, x, y + 9, "%s", part->title);
        end = *part->title ? y + line_high : y;
    } else {
        char *text =
            part->title ? memory_copy(part->title) : recording_text(&part->index->trace->header);
        end = draw_lines(text, &style, x, y, width, drawing);
        free(text);
    }
    if (!part->title || part->state) {
        char state[1024];
        figure_state(of, state, sizeof state);
        style.face = FACE_PLAIN;
        end = draw_lines(state, &style, x, end, width, drawing);
    }
    return end > y ? end + below - y : 0;
}
