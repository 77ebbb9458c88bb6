/* paper_figure.c - the picture of a run block, for a lesson on paper. */
#include "teach/teach.h"
#include "viewer/viewer.h"

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

/* Whether a picture is so high and narrow that its cells would be small on paper. */
static bool is_tower(const struct drawing *drawing, const struct figure_part *part, int parts)
{
    bool many = true;
    for (int p = 0; p < parts; p++)
        many &= part[p].index->trace->header.banks >= 24 && !part[p].only_banks;
    return many && drawing->height > 1.3 * drawing->width;
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
                   struct drawing *drawing, char caption[LESSON_CAPTION], char **words,
                   struct error *error)
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
           (!is_tower(drawing, part, parts) || draw_halves(part, parts, drawing, error));
    good = good && say_parts(part, parts, caption, error);
    *words = good ? lesson_describe(run, part, parts, error) : NULL;
    for (int p = 0; p < parts; p++)
        trace_index_free(&index[p]);
    return good;
}
