/* matrix.c - the cells of a bank matrix: what a scene and a figure have in common. */
#include "viewer/scene/scene.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const label_names[] = {"thread", "address", "value", NULL};

/* ---- what the steps access ---- */

static int compare_words(const void *left, const void *right)
{
    const struct accessed_word *a = left, *b = right;
    if (a->word != b->word)
        return a->word < b->word ? -1 : 1;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

static bool take_one(struct accessed *accessed, const struct stage_map *map, size_t number)
{
    const struct trace_header *header = &map->index->trace->header;
    struct warp_access taken = trace_get(map->index->trace, number), *access = &taken;
    struct bank_group group[MAX_WARP];
    struct bank_cost cost;
    if (access->global) {
        struct sector_cost sectors;
        sector_model_cost(access, &sectors);
        accessed->requests++;
        accessed->sectors += sectors.sectors;
        accessed->least += sectors.least;
        accessed->lanes += access->lanes;
        return true;
    }
    bank_model_cost(header, access, &cost);
    for (int bank = 0; bank < header->banks; bank++) {
        accessed->bad[bank] |= cost.busy[bank];
        if (cost.degree[bank] > accessed->degree[bank])
            accessed->degree[bank] = cost.degree[bank];
    }
    accessed->accesses++;
    accessed->access = number;
    accessed->wide |= cost.passes - cost.conflicts > 1;
    accessed->passes += cost.passes;
    accessed->conflicts += cost.conflicts;
    accessed->lanes += access->lanes;
    if (cost.ways > accessed->ways)
        accessed->ways = cost.ways;

    uint16_t turn[MAX_WARP * 16], *next = turn;
    bank_model_turns(header, access, turn);
    accessed->groups = bank_model_groups(header, access, 0, group);
    uint32_t bank_bytes = (uint32_t)header->bank_bytes;
    for (int i = 0, g = 0; i < access->lanes; i++) {
        g += access->lane[i] > group[g].last;
        uint32_t word = access->addr[i] / bank_bytes;
        uint32_t last = (access->addr[i] + (uint32_t)access->bytes - 1) / bank_bytes;
        for (; word <= last; word++) {
            struct error error = {{0}}; /* the picture says that memory is out */
            if (!memory_grow(&accessed->word, &accessed->room, (size_t)accessed->count + 1,
                             sizeof *accessed->word, "words", &error))
                return false;
            accessed->word[accessed->count++] = (struct accessed_word){
                .word = word,
                .thread = access->warp * header->warp + access->lane[i],
                .sharers = 1,
                .alone = !op_shares(access->op),
                .turn = *next++,
                .group = g,
                .bad = cost.busy[word % (uint32_t)header->banks],
            };
        }
    }
    return true;
}

/* Each word once; its first thread, which no other is served before, speaks for it. A thread that comes
 * to it again shares it with nobody. */
static void merge_words(struct accessed *accessed)
{
    int kept = 0, thread = -1;
    for (int i = 0; i < accessed->count; i++) {
        struct accessed_word *last = kept ? &accessed->word[kept - 1] : NULL;
        const struct accessed_word now = accessed->word[i];
        if (last && last->word == now.word) {
            last->bad |= now.bad;
            if (now.thread != thread && ++last->sharers == 2)
                last->second = now.thread;
        } else {
            accessed->word[kept++] = now;
        }
        thread = now.thread;
    }
    accessed->count = kept;
}

/* Bad is the word of a thread that uses several words in these steps. */
static bool mark_stalls(struct accessed *accessed, int threads)
{
    int *uses = calloc((size_t)threads + MAX_WARP, sizeof *uses);
    if (!uses)
        return false;
    for (int i = 0; i < accessed->count; i++)
        uses[accessed->word[i].thread]++;
    for (int i = 0; i < accessed->count; i++)
        accessed->word[i].bad = uses[accessed->word[i].thread] > 1;
    free(uses);
    return true;
}

bool accessed_take(struct accessed *accessed, const struct stage_map *map, int first, int end,
                   enum paint paint, struct error *error)
{
    *accessed = (struct accessed){.room = accessed->room, .word = accessed->word};
    const struct trace *trace = map->index->trace;
    bool ok = true;
    for (int step = first < 0 ? 0 : first; ok && step < end && step < map->steps; step++) {
        if (map->warp >= 0) {
            size_t a = trace_index_access(map->index, map->block, map->stage, step, map->warp);
            ok = a == NO_ACCESS || take_one(accessed, map, a);
            continue;
        }
        const struct trace_step *at = trace_index_step(map->index, map->stage, step);
        size_t a = trace_index_from(map->index, map->block, map->stage, at->round, at->slot, 0);
        for (; ok && a < map->end_access; a++) {
            struct warp_access access = trace_get(trace, a);
            if (access.round != at->round || access.slot != at->slot)
                break;
            ok = take_one(accessed, map, a);
        }
    }
    if (accessed->count)
        qsort(accessed->word, (size_t)accessed->count, sizeof *accessed->word, compare_words);
    if (ok && paint == PAINT_STALLS)
        ok = mark_stalls(accessed, trace->header.threads);
    merge_words(accessed);
    return ok || error_set(error, "viewer: out of memory for the words of one step");
}

void accessed_free(struct accessed *accessed)
{
    free(accessed->word);
    *accessed = (struct accessed){0};
}

const struct accessed_word *accessed_find(const struct accessed *accessed, uint32_t word)
{
    int low = 0, high = accessed ? accessed->count : 0;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (accessed->word[middle].word == word)
            return &accessed->word[middle];
        if (accessed->word[middle].word < word)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* ---- how a cell looks ---- */

enum role matrix_list_fill(char tag, bool muted)
{
    enum role none = muted ? ROLE_MUTED : ROLE_USED;
    return tag == ' ' ? none : (enum role)(none + 1 + (uint8_t)(tag - 'A') % 4);
}

/* The looks of an accessed word in a race: as a word of its list, with the edge of what is done or of
 * what waits, unless this pass serves it. */
static void pass_look(const struct matrix *matrix, const struct accessed_word *now,
                      struct matrix_cell *cell)
{
    bool served = now->turn + 1 == matrix->pass, waits = now->turn + 1 > matrix->pass;
    cell->bad = waits;
    cell->fill = served ? ROLE_GOOD : matrix_list_fill(cell->tag, false);
    cell->ink = served ? ROLE_GOOD_INK : ROLE_INK;
    cell->edge = waits ? ROLE_BAD_EDGE : ROLE_GOOD_EDGE;
}

struct matrix_cell matrix_cell(const struct matrix *matrix, uint32_t word)
{
    const struct stage_map *map = matrix->map;
    struct matrix_cell cell = {.fill = ROLE_CELL, .ink = ROLE_MUTED_INK, .tag = ' ', .second = -1};
    struct word_use use;
    bool used = stage_map_use(map, word, matrix->step, &use);
    if (matrix->plain) {
        cell.fill = ROLE_USED;
        cell.ink = ROLE_INK;
    }
    if (used) {
        cell.used = true;
        cell.own = map->warp < 0 || use.warp == map->warp;
        cell.tag = use.tag;
        bool muted = !cell.own && !matrix->plain;
        cell.fill = matrix_list_fill(matrix->plain ? ' ' : use.tag, muted);
        cell.ink = muted ? ROLE_MUTED_INK : ROLE_INK;
        cell.thread = use.thread;
        cell.shared = false;
        /* What a word holds before its first use is known only when that use reads it. */
        cell.has_value = use.has_value && (use.step <= matrix->step || use.op == OP_LOAD);
        cell.value = use.value;
        cell.addr = use.addr;
        cell.bytes = use.bytes;
    }
    if (used && (matrix->paint == PAINT_ALIGNED || matrix->paint == PAINT_ON_TIME)) {
        int banks = map->index->trace->header.banks;
        int j = (int)(word % (uint32_t)banks) - matrix->aligned_bank % banks;
        j += j < 0 ? banks : 0;
        bool watched = j < matrix->aligned_banks;
        bool aligned = watched && trace_index_step(map->index, map->stage, use.step)->round == j;
        bool on_time = matrix->paint == PAINT_ON_TIME;
        if (aligned == !on_time && watched) {
            cell.fill = ROLE_BAD;
            cell.ink = ROLE_BAD_INK;
            cell.edge = ROLE_BAD_EDGE;
        } else if (on_time && aligned) {
            cell.fill = ROLE_GOOD;
            cell.ink = ROLE_GOOD_INK;
        } else if (on_time) {
            cell.fill = ROLE_GREY;
        }
    }
    const struct accessed_word *now = accessed_find(matrix->accessed, word);
    if (now) {
        bool alike = matrix->paint == PAINT_ALIKE;
        cell.used = cell.own = cell.now = true;
        cell.bad = now->bad && !alike;
        cell.fill = alike ? matrix_list_fill(cell.tag, false) : now->bad ? ROLE_BAD : ROLE_GOOD;
        cell.ink = alike ? ROLE_INK : now->bad ? ROLE_BAD_INK : ROLE_GOOD_INK;
        cell.edge = alike ? ROLE_INK : now->bad ? ROLE_BAD_EDGE : ROLE_GOOD_EDGE;
        cell.thread = now->thread;
        cell.shared = now->sharers > 1;
        cell.second = matrix->both && now->sharers == 2 ? now->second : -1;
        if (matrix->pass > 0) /* green is what the pass serves; what waits has a thick edge */
            pass_look(matrix, now, &cell);
    }
    /* In a picture of one list, a word of another is an empty cell. */
    if (matrix->list && !(used && use.tag == matrix->list))
        cell = (struct matrix_cell){
            .fill = ROLE_CELL, .ink = ROLE_MUTED_INK, .tag = ' ', .second = -1};
    return cell;
}

void matrix_label(const struct matrix *matrix, uint32_t word, const struct matrix_cell *cell,
                  char *text, size_t size)
{
    text[0] = '\0';
    if (matrix->blank)
        return;
    if (matrix->label == LABEL_ADDRESS && (cell->used || (matrix->address && !matrix->list)))
        snprintf(text, size, "%" PRIu32, word);
    else if (matrix->label == LABEL_THREAD && cell->used && cell->second >= 0)
        snprintf(text, size, "%d,%d", cell->thread, cell->second);
    else if (matrix->label == LABEL_THREAD && cell->used)
        snprintf(text, size, "%d%s", cell->thread, cell->shared ? "+" : "");
    else if (matrix->label == LABEL_VALUE && cell->has_value)
        name_value(&matrix->map->index->trace->header, cell->addr, cell->bytes, cell->value, text,
                   size);
}

/* ---- drawing ---- */

static int digits(int number)
{
    int count = 1;
    while (number >= 10) {
        number /= 10;
        count++;
    }
    return count;
}

/* In points, and not in pixels. */
static bool on_paper(const struct matrix *matrix)
{
    return matrix->least_text < 6;
}

/* The font size at which `characters` digits fit into a cell. On paper they stay off the edges of conflicts while
 * they can be read. */
static double fitting_size(const struct matrix *matrix, int characters)
{
    const double high = 0.72 * matrix->cell_h, digit = matrix->cell_w / (0.6 * characters);
    const double roomy = on_paper(matrix) ? 0.78 * digit : 0.84 * digit;
    const double most = on_paper(matrix) ? 18 : 28; /* points, or pixels */
    double size = high < roomy ? high : roomy;
    if (size < matrix->least_text && high >= matrix->least_text)
        size = 0.84 * digit < matrix->least_text ? 0.84 * digit : matrix->least_text;
    return size < most ? size : most;
}

/* Characters that the labels of a matrix commonly need. Longer ones are set smaller. */
static int label_characters(const struct matrix *matrix)
{
    const struct trace_index *index = matrix->map->index;
    switch (matrix->label) {
    case LABEL_ADDRESS:
        return digits(index->words - 1);
    case LABEL_THREAD:
        return digits(index->trace->header.threads - 1);
    default:
        return 3;
    }
}

/* Runs of cells of one colour as one box each, row by row (wide boxes are what a surface fills
 * fastest); then the grid over them. */
static void draw_fills(const struct matrix *matrix, const struct matrix_cell *cell, double grid,
                       struct drawing *drawing)
{
    double cell_w = matrix->cell_w, cell_h = matrix->cell_h;
    double wide = matrix->columns * cell_w, high = matrix->rows * cell_h;
    size_t next = (size_t)matrix->rows; /* from a cell to the one beside it */
    for (int r = 0; r < matrix->rows; r++) {
        const struct matrix_cell *row = cell + r;
        for (int from = 0, to; from < matrix->columns; from = to) {
            enum role fill = row[(size_t)from * next].fill;
            for (to = from + 1; to < matrix->columns && row[(size_t)to * next].fill == fill; to++)
                continue;
            if (fill != ROLE_BAD) /* has an edge always: drawn with it, over the grid */
                drawing_box(drawing, fill, matrix->x + from * cell_w, matrix->y + r * cell_h,
                            (to - from) * cell_w, cell_h);
        }
    }
    for (int c = 0; grid > 0 && c <= matrix->columns; c++)
        drawing_box(drawing, ROLE_GRID, matrix->x + c * cell_w, matrix->y, grid, high + grid);
    for (int r = 0; grid > 0 && r <= matrix->rows; r++)
        drawing_box(drawing, ROLE_GRID, matrix->x, matrix->y + r * cell_h, wide + grid, grid);
}

void matrix_draw(const struct matrix *matrix, struct drawing *drawing)
{
    const struct trace_index *index = matrix->map->index;
    int banks = index->trace->header.banks;
    double cell_w = matrix->cell_w, cell_h = matrix->cell_h;
    double size = fitting_size(matrix, label_characters(matrix));
    double small = cell_w < cell_h ? cell_w : cell_h;
    double grid = small < 4 ? 0 : small < 16 ? small / 16 : 1;
    if (grid > 0 && !on_paper(matrix))
        grid = 1;
    double thick = small < 8 ? small / 6 : small < 16 ? 1.3 : small > 48 ? 4 : small / 12;
    if (size >= matrix->least_text && on_paper(matrix) && thick > small / 11)
        thick = small / 11; /* on paper, two digits have room between the edges */
    double thin = grid > 0 ? grid : small / 12; /* of cells that are accessed without conflict */
    size_t cells = (size_t)matrix->columns * (size_t)matrix->rows;
    struct matrix_cell *cell = calloc(cells + 1, sizeof *cell);
    if (!cell) {
        error_set(&drawing->error, "picture: out of memory for %zu cells", cells);
        return;
    }
    for (size_t i = 0; i < cells; i++) {
        int64_t column = matrix->first_column + (int)(i / (size_t)matrix->rows);
        int64_t word = column * banks + matrix->first_row + (int)(i % (size_t)matrix->rows);
        cell[i].fill = ROLE_PAPER; /* past the end of the memory */
        if (word < index->words)
            cell[i] = matrix_cell(matrix, (uint32_t)word);
    }
    draw_fills(matrix, cell, grid, drawing);
    bool texts = size >= matrix->least_text;
    drawing->unlabelled |= !texts;
    for (int pass = 0; pass < (texts ? 2 : 1); pass++) { /* edges, then texts */
        for (size_t i = 0; i < cells; i++) {
            int c = (int)(i / (size_t)matrix->rows), r = (int)(i % (size_t)matrix->rows);
            double x = matrix->x + c * cell_w, y = matrix->y + r * cell_h;
            if (cell[i].fill == ROLE_PAPER) {
                if (pass == 0)
                    drawing_box(drawing, ROLE_PAPER, c > 0 ? x + grid : x, r > 0 ? y + grid : y,
                                cell_w + grid, r > 0 ? cell_h : cell_h + grid);
                continue;
            }
            if (pass == 0 && cell[i].edge != ROLE_NONE)
                drawing_edged(drawing, cell[i].fill, cell[i].edge,
                              cell[i].edge == ROLE_GOOD_EDGE ? thin : thick, x, y, cell_w + grid,
                              cell_h + grid);
            if (pass == 0)
                continue;
            char text[32];
            matrix_label(matrix,
                         (uint32_t)((matrix->first_column + c) * banks + matrix->first_row + r),
                         &cell[i], text, sizeof text);
            double own = fitting_size(matrix, (int)strlen(text));
            own = own < size ? own : size;
            drawing->unlabelled |= text[0] && own < matrix->least_text;
            if (text[0] && own >= matrix->least_text) {
                struct text_style style = {cell[i].ink, own, ALIGN_CENTRE, FACE_PLAIN};
                drawing_text(drawing, &style, x + (cell_w + grid) / 2,
                             y + (cell_h + grid) / 2 + TEXT_MIDDLE(own), "%s", text);
            }
        }
    }
    free(cell);
}

/* A dotted line between cell corners (column, row), cut to the rows drawn. */
static void border_line(const struct matrix *matrix, struct drawing *drawing, int64_t column,
                        int64_t row, int64_t to_column, int64_t to_row)
{
    int64_t c0 = column - matrix->first_column, c1 = to_column - matrix->first_column;
    int64_t r0 = row - matrix->first_row, r1 = to_row - matrix->first_row;
    if (c0 < 0 || c1 > matrix->columns || r1 < 0 || r0 > matrix->rows)
        return;
    r0 = r0 < 0 ? 0 : r0;
    r1 = r1 > matrix->rows ? matrix->rows : r1;
    double small = matrix->cell_w < matrix->cell_h ? matrix->cell_w : matrix->cell_h;
    double thick = small / 9 < 0.6 ? 0.6 : small / 9 > 2 ? 2 : small / 9;
    if (c0 != c1 || r0 != r1)
        drawing_line(drawing, ROLE_BORDER, thick, true, matrix->x + (double)c0 * matrix->cell_w,
                     matrix->y + (double)r0 * matrix->cell_h,
                     matrix->x + (double)c1 * matrix->cell_w,
                     matrix->y + (double)r1 * matrix->cell_h);
}

/* The border before word k steps through a column: down the left of it from k's row, along the top
 * of that row, and down the right of it to that row. Example, 4 banks, border before word 6:
 *     0   4 : 8
 *     1   5 : 9
 *       ....
 *     2 : 6   10
 *     3 : 7   11 */
void matrix_borders(const struct matrix *matrix, struct drawing *drawing)
{
    const struct trace_header *header = &matrix->map->index->trace->header;
    int64_t banks = header->banks, step = header->partition;
    if (step <= 0 || matrix->cell_w < 4 || matrix->cell_h < 4) /* they would be all to see */
        return;
    int64_t first = (matrix->first_column * banks) / step;
    int64_t end = (int64_t)(matrix->first_column + matrix->columns) * banks;
    for (int64_t k = (first > 0 ? first : 1) * step; k < end && k < matrix->map->index->words;
         k += step) {
        int64_t column = k / banks, row = k % banks;
        border_line(matrix, drawing, column, row, column, banks);
        if (row > 0) {
            border_line(matrix, drawing, column, row, column + 1, row);
            border_line(matrix, drawing, column + 1, 0, column + 1, row);
        }
    }
}

/* Text beside each row, or beside every few when rows are lower than digits, which have no room below the line. */
static int label_every(const struct matrix *matrix, double size)
{
    const double high = on_paper(matrix) ? size : 0.78 * size;
    int every = 1;
    while (every * matrix->cell_h < high)
        every *= 2;
    return every;
}

static double row_text_size(const struct matrix *matrix)
{
    const double least =
        on_paper(matrix) ? matrix->least_text : 9; /* what one reads at arm's length */
    const double size = 0.72 * matrix->cell_h;
    return size < least ? least : size > 11 ? 11 : size;
}

void matrix_banks(const struct matrix *matrix, double x, struct drawing *drawing)
{
    double size = row_text_size(matrix);
    struct text_style style = {ROLE_FAINT, size, ALIGN_RIGHT, FACE_PLAIN};
    int every = label_every(matrix, size);
    for (int r = 0; r < matrix->rows; r++)
        if ((matrix->first_row + r) % every == 0)
            drawing_text(drawing, &style, x,
                         matrix->y + (r + 0.5) * matrix->cell_h + TEXT_MIDDLE(size),
                         "%d:", matrix->first_row + r);
}

void matrix_degrees(const struct matrix *matrix, double x, struct drawing *drawing)
{
    double size = row_text_size(matrix);
    const struct accessed *accessed = matrix->accessed;
    if (!accessed || label_every(matrix, size) > 1)
        return;
    for (int r = 0; r < matrix->rows; r++) {
        int bank = matrix->first_row + r;
        struct text_style style = {accessed->bad[bank] ? ROLE_BAD_EDGE : ROLE_FAINT, size,
                                   ALIGN_LEFT, accessed->bad[bank] ? FACE_BOLD : FACE_PLAIN};
        if (accessed->degree[bank] > 0)
            drawing_text(drawing, &style, x,
                         matrix->y + (r + 0.5) * matrix->cell_h + TEXT_MIDDLE(size), "%d",
                         accessed->degree[bank]);
    }
}
