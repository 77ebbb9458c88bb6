/* legend.c - what the colours mean: samples with words. */
#include "viewer/scene/scene.h"

#include <string.h>

static void add_sample(struct legend *legend, enum role fill, enum role edge, const char *text)
{
    struct legend_sample *sample = &legend->sample[legend->count++];
    *sample = (struct legend_sample){.fill = fill, .edge = edge};
    snprintf(sample->text, sizeof sample->text, "%s", text);
}

void legend_make(struct legend *legend, uint32_t lists, bool others, bool race, unsigned hide)
{
    legend->count = 0;
    legend->tex = false;
    if (hide & HIDE_COLOURS) {
        add_sample(legend, ROLE_USED, ROLE_INK, "accessed now");
    } else if (race) {
        add_sample(legend, ROLE_GOOD, ROLE_NONE, "served by this pass");
        add_sample(legend, ROLE_PAPER, ROLE_BAD_EDGE, "waits");
        add_sample(legend, ROLE_PAPER, ROLE_GOOD_EDGE, "served before");
    } else {
        add_sample(legend, ROLE_GOOD, ROLE_NONE, "accessed now");
        add_sample(legend, ROLE_BAD, ROLE_BAD_EDGE, "accessed now, bank conflict");
    }
    for (char list = 'A'; list <= 'Z'; list++) {
        char text[] = "list A";
        text[5] = list;
        if (lists & 1u << (list - 'A'))
            add_sample(legend, matrix_list_fill(list, false), ROLE_NONE, text);
    }
    if (lists & 1u << 26)
        add_sample(legend, ROLE_USED, ROLE_NONE, "used in this stage");
    if (others)
        add_sample(legend, lists & 1u << 26 ? ROLE_MUTED : ROLE_MUTED_A, ROLE_NONE,
                   "pale: by other warps");
}

void legend_words(struct legend *legend, const char *words)
{
    for (int i = 0; i < legend->count; i++) {
        size_t length = strcspn(words, ",");
        snprintf(legend->sample[i].text, sizeof legend->sample[i].text, "%.*s", (int)length, words);
        words += length + (words[length] == ',');
    }
}

int legend_draw(const struct legend *legend, double left, double y, double width, double size,
                int most, struct drawing *drawing)
{
    const double k = size / 11; /* the rest is laid out for letters of 11 points */
    const struct text_style style = {ROLE_FAINT, size, ALIGN_LEFT,
                                     legend->tex ? FACE_TEX : FACE_PLAIN};
    double x = left, end = left + width;
    int lines = 1;
    for (int i = 0; i < legend->count; i++) {
        const struct legend_sample *sample = &legend->sample[i];
        double needs = 18 * k + text_width(sample->text, size, style.face);
        if (!sample->text[0])
            continue;
        if (x + needs > end && lines < most && x > left) {
            x = left;
            y += 16 * k;
            lines++;
        }
        if (x + needs > end && most == 1)
            continue;
        if (drawing) {
            drawing_edged(drawing, ROLE_GRID, ROLE_NONE, 0, x, y - 10 * k, 13 * k, 13 * k);
            if (sample->edge == ROLE_NONE)
                drawing_box(drawing, sample->fill, x + k, y - 9 * k, 11 * k, 11 * k);
            else
                drawing_edged(drawing, sample->fill, sample->edge, 2 * k, x, y - 10 * k, 13 * k,
                              13 * k);
            if (legend->tex)
                drawing_text(drawing, &style, x + 18 * k, y, "%s", sample->text);
            else
                drawing_text_within(drawing, &style, x + 18 * k, y, end - x - 18 * k, "%s",
                                    sample->text);
        }
        x += needs + 14 * k;
    }
    return lines;
}
