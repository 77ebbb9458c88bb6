/* figure.c - pictures for paper: matrices of one or more stages, laid out on a page.
 *
 * Everything is measured in cells first; the size of a cell then follows from the page's width. */
#include "viewer/export/figure.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Points. */
#define CELL_MOST 12.0  /* larger cells waste paper */
#define CELL_GOOD 9.5   /* as many matrices in a row as leave cells of this size */
#define CELL_BESIDE 6.0 /* parts stand side by side while cells keep this size */
#define CELL_LEAST 0.75 /* below it a picture says nothing */
#define CELL_TEXT 5.0   /* below it cells have no text */
#define PAGE_GOOD 800.0 /* height of a sheet of paper */
#define PAGE_MOST 2000.0
#define LEAST_TEXT 3.5 /* font size */
#define ROUND_SIZE 7.5
#define ROUND_HIGH 12.0
#define BETWEEN_PARTS 12.0
#define PAGE_MARGIN 2.0
#define NOTE_SIZE 7.0
#define NOTE_HIGH 16.0 /* of notes above or below */
#define NOTE_TIP 3.5
#define LEGEND_SIZE 7.0
#define LEGEND_HIGH 10.0 /* of a line */

/* Cells. */
#define BETWEEN_MATRICES 1.0
#define BETWEEN_LISTS 1.0
#define BETWEEN_RUNS 0.4

enum { MAX_CELLS = 400 * 1000 };

/* A part, measured for a page. */
struct measured {
    struct measured_part of;
    int matrices;
    int in_row; /* matrices side by side */
    struct crop banks;
    double before, behind, below; /* points beside and below the cells, for notes and threads, */
    double aspect;                /* width of a cell over its height */
    double labels, wide;          /* cells: the bank numbers' width; a whole matrix's */
    double degrees;
    double head;  /* points above a matrix's cells */
    double title; /* points above the part */
    double strip; /* points below the cells, and notes: sectors of global memory; 0: none */
};

/* ---- measuring for a page ---- */

static int character_count(int64_t number)
{
    return snprintf(NULL, 0, "%" PRId64, number);
}

/* Characters of the longest value that is accessed in the part's stage and block; at least 3. */
static int value_characters(const struct figure_part *part)
{
    const struct trace *trace = part->index->trace;
    int most = 3;
    for (size_t i = 0; i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        if (access.stage != part->stage || access.block != part->block || !access.value)
            continue;
        for (int lane = 0; lane < access.lanes; lane++) {
            int length = character_count(access.value[lane]);
            most = length > most ? length : most;
        }
    }
    return most;
}

static double cell_aspect(const struct figure_part *part)
{
    const struct trace_index *index = part->index;
    int characters = part->label == LABEL_ADDRESS ? character_count(index->words - 1)
                     : part->label == LABEL_THREAD
                         ? character_count(index->trace->header.threads - 1)
                         : value_characters(part);
    return characters <= 2 ? 1 : 0.45 * characters;
}

static double run_gap(const struct measured *m, int run)
{
    double gap = run == 0 ? 0 : m->of.run[run].first_of_list ? BETWEEN_LISTS : BETWEEN_RUNS;
    return m->of.run[run].cut && gap < CROP_DOTS ? CROP_DOTS : gap;
}

static enum face note_face(const struct figure_part *part)
{
    return part->tex ? FACE_TEX : FACE_PLAIN;
}

static void measure_notes(struct measured *m)
{
    const struct figure_part *part = m->of.part;
    for (int i = 0; i < part->notes; i++) {
        const struct figure_note *note = &part->note[i];
        double wide = text_width(note->text, NOTE_SIZE, note_face(part)) + NOTE_TIP + 5;
        if (note->kind == NOTE_LEFT && wide > m->before)
            m->before = wide;
        if (note->kind == NOTE_RIGHT && wide > m->behind)
            m->behind = wide;
        if (note->kind == NOTE_BOTTOM)
            m->below = NOTE_HIGH;
    }
    for (int i = 0; i < part->notes; i++)
        if (part->note[i].kind == NOTE_TOP) {
            m->head += NOTE_HIGH;
            break;
        }
    if (m->of.map.sectors_before && part->warp >= 0 && part->rounds && m->of.matrices == 1)
        m->strip = sectors_step_height(sectors_are_alone(&m->of.map)) + NOTE_HIGH / 2;
    m->below += m->strip;
}

static bool measure(struct measured *m, const struct figure_part *part, struct error *error)
{
    const struct trace_header *header = &part->index->trace->header;
    if (!figure_measure(&m->of, part, error))
        return false;
    m->matrices = m->of.matrices;
    m->aspect = cell_aspect(part);
    m->labels = character_count(header->banks - 1) * 0.5 + 0.6;
    m->degrees = part->degrees ? 1.2 : 0;
    m->wide = m->labels + m->degrees + m->of.columns * m->aspect + (m->of.cut_end ? CROP_DOTS : 0);
    for (int i = 0; i < m->of.runs; i++)
        m->wide += run_gap(m, i);
    m->head = (m->matrices > 1 ? ROUND_HIGH : 0) + (part->split ? ROUND_HIGH : 0);
    measure_notes(m);
    if (!crop_make(&m->banks, part->only_banks, header->banks))
        return error_set(error, "%s has banks 0 to %d, and none of them is to be shown",
                         header->kernel, header->banks - 1);
    if (m->of.no_words && m->strip > 0)
        m->banks = (struct crop){.groups = 0}; /* the sectors alone */
    if ((int64_t)m->of.columns * header->banks * m->matrices > MAX_CELLS)
        return error_set(error,
                         "%s, stage %s: %d pictures of %d x %d cells are too many for one "
                         "page; choose fewer with --rounds A-B or --slot N",
                         header->kernel, header->stage[part->stage], m->matrices, header->banks,
                         m->of.columns);
    return true;
}

/* Sets how many matrices of a part stand in a row, when cells of size `good` are wanted. Returns
 * the largest cell with which they fit. */
static double fit_rows(struct measured *m, double width, int per_row, double good)
{
    int most = per_row ? per_row
                       : (int)((width / good + BETWEEN_MATRICES) /
                               (m->wide + (m->before + m->behind) / good + BETWEEN_MATRICES));
    most = most < 1 ? 1 : most > m->matrices ? m->matrices : most;
    int rows = (m->matrices + most - 1) / most;
    m->in_row = per_row ? most : (m->matrices + rows - 1) / rows; /* even rows */
    double free_width = width - m->in_row * (m->before + m->behind);
    return (free_width > 1 ? free_width : 1) /
           (m->in_row * m->wide + (m->in_row - 1) * BETWEEN_MATRICES);
}

/* ---- drawing ---- */

/* The columns of a group of banks. Returns the right end of its cells. */
static double draw_runs(const struct measured *m, struct matrix *matrix, double left, bool heading,
                        struct drawing *drawing)
{
    const struct figure_part *part = m->of.part;
    const double cell = matrix->cell_h, middle = matrix->y + matrix->rows * cell / 2;
    const double dots = cell * 0.25;
    const int banks = part->index->trace->header.banks;
    double right = left;
    for (int i = 0; i < m->of.runs; i++) {
        const struct column_run *run = &m->of.run[i];
        if (run->cut)
            drawing_dots(drawing, right + run_gap(m, i) * cell / 2, middle, dots, 0);
        matrix->first_column = run->first;
        matrix->columns = run->columns;
        matrix->list = run->list;
        matrix->x = right + run_gap(m, i) * cell;
        right = matrix->x + matrix->columns * matrix->cell_w;
        matrix_draw(matrix, drawing);
        if (part->borders)
            matrix_borders(matrix, drawing);
        double centre = (matrix->x + right) / 2;
        int end = matrix->first_row + matrix->rows;
        const struct crop_group *last = &m->banks.group[m->banks.groups - 1];
        if (matrix->first_row > 0) /* banks are left out above, and below the last */
            drawing_dots(drawing, centre, matrix->y - CROP_DOTS * cell / 2, 0, dots);
        if (end < banks && end == last->first + last->count)
            drawing_dots(drawing, centre, matrix->y + (matrix->rows + CROP_DOTS / 2) * cell, 0,
                         dots);
        if (heading && run->first_of_list) { /* it stands over all runs of the list */
            double end_of_list = right;
            for (int k = i + 1; k < m->of.runs && !m->of.run[k].first_of_list; k++)
                end_of_list += (m->of.run[k].columns * m->aspect + run_gap(m, k)) * cell;
            struct text_style style = {ROLE_INK, ROUND_SIZE, ALIGN_CENTRE, FACE_BOLD};
            drawing_text(drawing, &style, (matrix->x + end_of_list) / 2, matrix->y - 4, "%c",
                         run->list);
        }
    }
    if (m->of.cut_end) {
        drawing_dots(drawing, right + CROP_DOTS * cell / 2, middle, dots, 0);
        right += CROP_DOTS * cell;
    }
    return right;
}

/* Where column `number` of those shown begins, `count` of them away from it. false: it is not shown. */
static bool find_column(const struct measured *m, double left, double cell, int number, double *x)
{
    for (int i = 0; i < m->of.runs; i++) {
        const struct column_run *run = &m->of.run[i];
        left += run_gap(m, i) * cell;
        if (number >= run->number && number < run->number + run->columns) {
            *x = left + (number - run->number) * m->aspect * cell;
            return true;
        }
        left += run->columns * m->aspect * cell;
    }
    return false;
}

static bool find_bank(const struct measured *m, double top, double cell, int bank, double *y)
{
    for (int g = 0; g < m->banks.groups; g++) {
        const struct crop_group *group = &m->banks.group[g];
        if (bank >= group->first && bank < group->first + group->count) {
            *y = top + (group->at + bank - group->first) * cell;
            return true;
        }
    }
    return false;
}

/* Where the cell of a word is. false: it is not shown. */
static bool find_word(const struct measured *m, double left, double top, double cell, uint32_t word,
                      double *x, double *y)
{
    const struct trace_index *index = m->of.part->index;
    const int banks = index->trace->header.banks, column = (int)(word / (uint32_t)banks);
    for (int i = 0; i < m->of.runs && (int64_t)word < index->words; i++) {
        const struct column_run *run = &m->of.run[i];
        if (column >= run->first && column < run->first + run->columns &&
            find_column(m, left, cell, run->number + column - run->first, x) &&
            find_bank(m, top, cell, (int)(word % (uint32_t)banks), y))
            return true;
    }
    return false;
}

/* The cell of a word says what a note says. */
static void draw_cell_note(const struct measured *m, const struct matrix *matrix,
                           const struct figure_note *note, double left, double top,
                           struct drawing *drawing)
{
    double x, y, high = matrix->cell_h, wide = matrix->cell_w;
    if (find_word(m, left, top, high, note->word, &x, &y)) {
        struct matrix_cell cell = matrix_cell(matrix, note->word);
        const enum face face = note_face(m->of.part);
        double size = 0.72 * high, one = text_width(note->text, 1, face);
        double fits = one > 0 ? 0.9 * wide / one : size;
        struct text_style style = {cell.ink, size < fits ? size : fits, ALIGN_CENTRE, face};
        if (cell.ink == ROLE_MUTED_INK)
            style.role = ROLE_INK;
        drawing_box(drawing, cell.fill, x + 0.15 * wide, y + 0.15 * high, 0.75 * wide, 0.75 * high);
        drawing_text(drawing, &style, x + wide / 2, y + high / 2 + TEXT_MIDDLE(style.size), "%s",
                     note->text);
    }
}

/* Brackets and frames are drawn where their ends are shown. */
static void draw_notes(const struct measured *m, const struct matrix *matrix, double left,
                       double right, double top, double cell, struct drawing *drawing)
{
    const struct figure_part *part = m->of.part;
    const double bottom = top + m->banks.size * cell, beside = left - m->labels * cell;
    struct text_style style = {ROLE_INK, NOTE_SIZE, ALIGN_CENTRE, note_face(part)};
    for (int i = 0; i < part->notes; i++) {
        const struct figure_note *note = &part->note[i];
        bool columns = note->kind == NOTE_TOP || note->kind == NOTE_BOTTOM;
        bool banks = note->kind == NOTE_LEFT || note->kind == NOTE_RIGHT;
        double x1 = 0, x2 = 0, y1 = 0, y2 = 0;
        if (note->kind == NOTE_CELL)
            draw_cell_note(m, matrix, note, left, top, drawing);
        if (note->kind == NOTE_CELL ||
            (!banks && (!find_column(m, left, cell, note->first_column, &x1) ||
                        !find_column(m, left, cell, note->last_column, &x2))) ||
            (!columns && (!find_bank(m, top, cell, note->first_bank, &y1) ||
                          !find_bank(m, top, cell, note->last_bank, &y2))))
            continue;
        x2 += m->aspect * cell;
        y2 += cell;
        double x = (x1 + x2) / 2, y = (y1 + y2) / 2 + TEXT_MIDDLE(NOTE_SIZE);
        if (note->kind == NOTE_FRAME) {
            drawing_edged(drawing, ROLE_NONE, ROLE_CURSOR, 1.4, x1, y1, x2 - x1, y2 - y1);
        } else if (note->kind == NOTE_TOP) {
            drawing_bracket(drawing, x1, top - 5, x2, top - 5, NOTE_TIP);
            drawing_text(drawing, &style, x, top - 8, "%s", note->text);
        } else if (note->kind == NOTE_BOTTOM) {
            drawing_bracket(drawing, x1, bottom + 5, x2, bottom + 5, -NOTE_TIP);
            drawing_text(drawing, &style, x, bottom + 13, "%s", note->text);
        } else if (note->kind == NOTE_LEFT) {
            style.align = ALIGN_RIGHT;
            drawing_bracket(drawing, beside, y1, beside, y2, NOTE_TIP);
            drawing_text(drawing, &style, beside - 3, y, "%s", note->text);
        } else {
            style.align = ALIGN_LEFT;
            drawing_bracket(drawing, right + 4, y1, right + 4, y2, -NOTE_TIP);
            drawing_text(drawing, &style, right + 7, y, "%s", note->text);
        }
        style.align = ALIGN_CENTRE;
    }
}

/* All banks, with their numbers where labels are drawn. Returns the right end of the cells. */
static double draw_groups(const struct measured *m, struct matrix *matrix, double left, double top,
                          struct drawing *drawing)
{
    const double cell = matrix->cell_h;
    double right = left;
    for (int g = 0; g < m->banks.groups; g++) {
        const struct crop_group *group = &m->banks.group[g];
        matrix->first_row = group->first;
        matrix->rows = group->count;
        matrix->y = top + group->at * cell;
        right = draw_runs(m, matrix, left, g == 0, drawing);
        matrix_banks(matrix, left - 0.3 * cell, drawing);
        if (m->of.part->degrees)
            matrix_degrees(matrix, right + 0.35 * cell, drawing);
    }
    return right;
}

static void draw_matrix(const struct measured *m, int number, double x, double y, double cell,
                        struct drawing *drawing)
{
    const struct figure_part *part = m->of.part;
    const struct figure_matrix *shown = &m->of.matrix[number];
    struct accessed accessed = {0};
    bool marks =
        part->paint == PAINT_ROUND || part->paint == PAINT_STALLS || part->paint == PAINT_ALIKE;
    if (marks && !accessed_take(&accessed, &m->of.map, shown->first, shown->end, part->paint,
                                &drawing->error))
        return;
    struct matrix matrix = {
        .map = &m->of.map,
        .accessed = marks ? &accessed : NULL,
        .step = shown->end - 1,
        .paint = part->paint,
        .aligned_bank = part->aligned_bank,
        .aligned_banks = part->aligned_banks,
        .label = part->label,
        .plain = part->plain,
        .both = part->both,
        .blank = part->hide & HIDE_LABELS,
        .address = true,
        .cell_w = cell * m->aspect,
        .cell_h = cell,
        .least_text = LEAST_TEXT,
    };
    double left = x + m->before + m->labels * cell, right = left, top = y + m->head;
    right = draw_groups(m, &matrix, left, top, drawing);
    draw_notes(m, &matrix, left, right + m->degrees * cell, top, cell, drawing);
    if (m->matrices > 1) {
        char text[64];
        figure_moment(shown, text, sizeof text);
        if (part->degrees && marks)
            text_add(text, sizeof text, ": %d %s",
                     accessed.requests ? accessed.sectors : accessed.passes,
                     accessed.requests      ? "sectors"
                     : accessed.passes == 1 ? "pass"
                                            : "passes");
        double size = ROUND_SIZE, most = m->wide * cell / text_width(text, 1, FACE_PLAIN);
        struct text_style title = {ROLE_INK, size < most ? size : most, ALIGN_CENTRE, FACE_PLAIN};
        drawing_text(drawing, &title, (left + right) / 2, y + ROUND_HIGH - 4, "%s", text);
    }
    accessed_free(&accessed);
}

/* Whether words that another warp has used are shown. */
static bool shows_others(const struct measured_part *m)
{
    const struct stage_map *map = &m->map;
    const int banks = m->part->index->trace->header.banks;
    struct word_use use;
    for (int i = 0; map->warp >= 0 && map->warps > 1 && i < m->runs; i++) {
        uint32_t first = (uint32_t)(m->run[i].first * banks);
        for (int k = 0; k < m->run[i].columns * banks; k++)
            if (stage_map_use(map, first + (uint32_t)k, map->steps, &use) && use.warp != map->warp)
                return true;
    }
    return false;
}

static double title_width(const struct measured *m, double own, bool beside)
{
    const double apart = 6;
    return !beside ? own : m->of.part->title ? own - apart / 2 : own - apart;
}

/* Sets the height of titles: of parts beside each other, that of the highest. */
static void measure_titles(const struct figure *figure, struct measured *measured, bool beside,
                           double cell, double slack)
{
    double most = 0;
    for (int p = 0; p < figure->parts; p++) {
        struct measured *m = &measured[p];
        double own = beside ? m->wide * cell + m->before + m->behind + slack
                            : figure->width - 2 * PAGE_MARGIN;
        m->title = figure_title(&m->of, ALIGN_LEFT, 0, 0, title_width(m, own, beside), NULL);
        most = m->title > most ? m->title : most;
    }
    for (int p = 0; p < figure->parts && beside; p++)
        measured[p].title = most;
}

/* Draws everything for a cell size, or only measures when drawing is NULL. Returns the height. */
static double lay_out(const struct figure *figure, struct measured *measured, bool beside,
                      double cell, struct drawing *drawing)
{
    double width = figure->width - 2 * PAGE_MARGIN, x = PAGE_MARGIN, y = PAGE_MARGIN;
    double bottom = y, slack = 0;
    if (beside) { /* share what the cells leave free */
        double used = 0;
        for (int p = 0; p < figure->parts; p++)
            used += measured[p].wide * cell + measured[p].before + measured[p].behind;
        slack = (width - used) / figure->parts;
    }
    measure_titles(figure, measured, beside, cell, slack);
    for (int p = 0; p < figure->parts; p++) {
        const struct measured *m = &measured[p];
        double high = m->head + m->banks.size * cell + m->below, notes = m->before + m->behind;
        double own = beside ? m->wide * cell + notes + slack : width;
        int in_row = m->in_row;
        /* Beside others, a part with a title of its own stands in the middle of its share, the
         * title over its cells. */
        const bool centred = beside && m->of.part->title;
        double shift = centred ? slack / 2 : 0;
        if (drawing)
            figure_title(&m->of, centred ? ALIGN_CENTRE : ALIGN_LEFT,
                         centred ? x + shift + (m->labels + m->wide) / 2 * cell : x, y,
                         title_width(m, own, beside), drawing);
        for (int i = 0; drawing && i < m->matrices; i++) {
            int rest = m->matrices - i / in_row * in_row;
            int here = rest < in_row ? rest : in_row;
            double row = (here * m->wide + (here - 1) * BETWEEN_MATRICES) * cell + here * notes;
            double left = x + (beside ? shift : (width - row) / 2);
            draw_matrix(m, i, left + i % in_row * ((m->wide + BETWEEN_MATRICES) * cell + notes),
                        y + m->title + i / in_row * (high + 0.6 * cell), cell, drawing);
        }
        if (drawing && m->strip > 0) {
            const struct sectors_strip strip = {.x = x,
                                                .y = y + m->title + high - m->strip + NOTE_HIGH / 2,
                                                .wide = own,
                                                .size = ROUND_SIZE,
                                                .alone = sectors_are_alone(&m->of.map),
                                                .step = m->of.matrix[0].end - 1,
                                                .hide = m->of.part->hide};
            sectors_draw_step(&m->of.map, &strip, drawing);
        }
        int rows = (m->matrices + in_row - 1) / in_row;
        double end = y + m->title + rows * high + (rows - 1) * 0.6 * cell;
        bottom = end > bottom ? end : bottom;
        if (beside)
            x += own;
        else
            y = end + BETWEEN_PARTS;
    }
    if (figure->legend) {
        struct legend legend;
        uint32_t lists = 0;
        bool others = false;
        for (int p = 0; p < figure->parts; p++) {
            lists |= measured[p].of.map.lists;
            others |= shows_others(&measured[p].of);
        }
        legend_make(&legend, lists, others, false, 0);
        legend.tex = figure->legend[0] && figure->part[0].tex;
        if (figure->legend[0])
            legend_words(&legend, figure->legend);
        int lines = legend_draw(&legend, PAGE_MARGIN, bottom + LEGEND_HIGH + 2, width, LEGEND_SIZE,
                                INT_MAX, drawing);
        bottom += LEGEND_HIGH * lines + 4;
    }
    return bottom + PAGE_MARGIN;
}

bool figure_draw(const struct figure *figure, struct drawing *drawing, struct error *error)
{
    struct measured *measured = calloc((size_t)figure->parts + 1, sizeof *measured);
    bool ok = measured || error_set(error, "figure: out of memory");
    double width = figure->width - 2 * PAGE_MARGIN, wide = 0, cell = 0, notes = 0;
    bool beside = figure->parts > 1;
    for (int p = 0; ok && p < figure->parts; p++) {
        ok = measure(&measured[p], &figure->part[p], error);
        wide += measured[p].wide + (p ? 2 * BETWEEN_MATRICES : 0);
        notes += measured[p].before + measured[p].behind;
        beside = beside && measured[p].matrices == 1 && measured[p].banks.groups;
    }
    double across = (width - notes > 1 ? width - notes : 1) / (wide > 0 ? wide : 1);
    beside = beside && across >= CELL_BESIDE;
    /* Smaller cells while the page is too high: first until it is a sheet of paper, and when they
     * have become too small for text, until it is allowed. */
    double most = figure->height > 0 ? figure->height : PAGE_MOST, height = 0;
    for (double good = CELL_GOOD; ok && good >= CELL_LEAST; good *= 0.9) {
        cell = beside && across < CELL_MOST ? across : CELL_MOST;
        for (int p = 0; p < figure->parts; p++) {
            double fits = fit_rows(&measured[p], width, figure->per_row, good);
            cell = !beside && fits < cell ? fits : cell;
        }
        height = lay_out(figure, measured, beside, cell, NULL);
        if (height <= most && (height <= PAGE_GOOD || good < CELL_TEXT))
            break;
    }
    if (ok && cell < CELL_LEAST)
        ok = error_set(error,
                       "figure: cells of %.2f mm are too small to see; choose a larger "
                       "--width or fewer rounds",
                       cell * 25.4 / 72);
    if (ok && height > most)
        ok = error_set(error,
                       "figure: %.0f mm high, more than %.0f mm; choose fewer rounds with "
                       "--rounds A-B",
                       height * 25.4 / 72, most * 25.4 / 72);
    if (ok) {
        drawing_begin(drawing, figure->width, height);
        drawing_box(drawing, ROLE_PAPER, 0, 0, figure->width, height);
        lay_out(figure, measured, beside, cell, drawing);
        ok = !drawing->error.text[0] || error_set(error, "%s", drawing->error.text);
    }
    for (int p = 0; measured && p < figure->parts; p++) {
        figure_release(&measured[p].of);
    }
    free(measured);
    return ok;
}

bool figure_cells(const struct figure_part *part, FILE *file, struct error *error)
{
    struct measured_part m;
    bool ok = figure_measure(&m, part, error);
    struct matrix matrix = {
        .map = &m.map,
        .step = part->rounds ? trace_index_find(part->index, part->stage, part->last_round, INT_MAX)
                             : m.map.steps - 1,
        .label = part->label,
        .plain = part->plain,
        .address = true};
    for (int bank = 0; ok && bank < part->index->trace->header.banks; bank++) {
        const char *space = "";
        for (int i = 0; i < m.runs; i++) {
            matrix.list = m.run[i].list;
            for (int c = 0; c < m.run[i].columns; c++) {
                char text[32] = "";
                int64_t word =
                    (int64_t)(m.run[i].first + c) * part->index->trace->header.banks + bank;
                if (word < part->index->words) {
                    struct matrix_cell cell = matrix_cell(&matrix, (uint32_t)word);
                    matrix_label(&matrix, (uint32_t)word, &cell, text, sizeof text);
                }
                fprintf(file, "%s%s", space, text[0] ? text : "-");
                space = " ";
            }
        }
        fputc('\n', file);
    }
    if (ok && ferror(file))
        ok = error_set(error, "figure: cannot write its cells");
    figure_release(&m);
    return ok;
}
