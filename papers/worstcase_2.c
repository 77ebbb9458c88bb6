/* worstcase_2.c - worstcase-2: a drawing of definitions. */
#include "papers/papers.h"

/* Words of a bracket: from the lowest to the highest word of one list that the map's warp reads. */
static void list_extent(const struct stage_map *map, char list, int *first, int *end)
{
    struct word_use use;
    *first = *end = -1;
    for (uint32_t word = map->first_word; word < map->first_word + map->words; word++)
        if (stage_map_use(map, word, 0, &use) && use.warp == map->warp && use.tag == list) {
            *first = *first < 0 ? (int)word : *first;
            *end = (int)word + 1;
        }
}

bool draw_worstcase_2(const struct trace_index *index, int stage, double width,
                      struct drawing *drawing, struct error *error)
{
    const struct trace_header *header = &index->trace->header;
    int w = header->banks, E = (int)header_param(header, "E", 1), first, end;
    struct stage_map map = {0};
    if (!stage_map_set(&map, index, stage, 0, 1, error))
        return false;
    list_extent(&map, 'A', &first, &end);
    int columns = (end - 1) / w + 1, before = w - first % w, after = (end - 1) % w + 1 - E;
    int full = columns - 1; /* the first column holds only what lies before */

    /* Laid out for one column; smaller on a narrower page, in the middle of a wider one. */
    double k = width < 241 ? width / 241 : 1, text = 7 * k, top = 26 * k;
    double left = (width - 241 * k) / 2 + 62 * k, cell_w = 117 * k / columns, cell_h = 11 * k;
    struct matrix matrix = {.map = &map,
                            .step = map.steps,
                            .paint = PAINT_NONE,
                            .list = 'A',
                            .columns = columns,
                            .rows = w,
                            .x = left,
                            .y = top,
                            .cell_w = cell_w,
                            .cell_h = cell_h,
                            .least_text = 1};
    double x2 = left + columns * cell_w, y2 = top + w * cell_h, tip = 4 * k;
    struct text_style centre = {ROLE_INK, text, ALIGN_CENTRE, FACE_PLAIN};
    struct text_style to_left = {ROLE_INK, text, ALIGN_RIGHT, FACE_PLAIN};
    struct text_style to_right = {ROLE_INK, text, ALIGN_LEFT, FACE_PLAIN};
    drawing_begin(drawing, width, y2 + 36 * k);
    drawing_box(drawing, ROLE_PAPER, 0, 0, width, y2 + 36 * k);
    matrix_draw(&matrix, drawing);
    matrix_banks(&matrix, left - 3 * k, drawing);
    drawing_edged(drawing, ROLE_NONE, ROLE_CURSOR, 1.6 * k, left + cell_w, top, full * cell_w,
                  E * cell_h);

    drawing_bracket(drawing, left + cell_w, top - 5 * k, x2, top - 5 * k, tip);
    drawing_text(drawing, &centre, (left + cell_w + x2) / 2, top - 9 * k, "m = %d full columns",
                 full);
    double y = top + (w - before) * cell_h, x = left - 19 * k;
    drawing_bracket(drawing, x, y, x, y2, tip);
    drawing_text(drawing, &to_left, x - 3 * k, (y + y2) / 2 + TEXT_MIDDLE(text), "α↑⁽⁰⁾ = %d",
                 before);
    drawing_bracket(drawing, x, top, x, top + E * cell_h, tip);
    drawing_text(drawing, &to_left, x - 3 * k, top + E * cell_h / 2 + TEXT_MIDDLE(text), "E = %d",
                 E);
    x = x2 + 5 * k;
    y = top + E * cell_h;
    drawing_bracket(drawing, x, y, x, y + after * cell_h, -tip);
    drawing_text(drawing, &to_right, x + 3 * k, y + after * cell_h / 2 + TEXT_MIDDLE(text),
                 "α↓⁽ᵗ⁻¹⁾ = %d", after);
    drawing_text(drawing, &centre, width / 2, y2 + 16 * k,
                 "|A| = α↑⁽⁰⁾ + (m − 1) w + E + α↓⁽ᵗ⁻¹⁾ = t E, t = %d", (end - first) / E);
    drawing_text(drawing, &centre, width / 2, y2 + 27 * k, "= %d + %d + %d + %d = %d = %d E",
                 before, (full - 1) * w, E, after, end - first, (end - first) / E);
    stage_map_free(&map);
    return true;
}
