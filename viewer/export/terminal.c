/* terminal.c - a part's matrices as text, for a terminal or a file.
 *
 *     merge, round 2, warp 0: 5 passes, 4 conflicts
 *      0 |  a   .   3! | 2
 *      1 |  5   a   .  | 1
 *
 * What colours say is also written, so that the text alone is the whole picture. */
#include "base/text.h"
#include "viewer/export/figure.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDTH = 80, LEAST_WIDTH = 20, MAX_CELLS = 400 * 1000, BETWEEN = 3 };

struct terminal terminal_of(FILE *file, const struct theme *theme)
{
    struct terminal terminal = {WIDTH, NULL};
    int number = fileno(file);
    if (number < 0 || !isatty(number))
        return terminal;
    struct winsize size;
    if (ioctl(number, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        terminal.width = size.ws_col;
    const char *no_color = getenv("NO_COLOR"), *name = getenv("TERM");
    if ((!no_color || !*no_color) && name && *name && strcmp(name, "dumb") != 0)
        terminal.theme = theme;
    return terminal;
}

/* ---- colours ------------------------------------------------------------------------------- */

/* What is being written, and in which colours. */
struct pen {
    FILE *file;
    const struct theme *theme; /* NULL: none */
    enum role ink, fill;       /* ROLE_NONE: the terminal's own */
    bool bold;
};

/* The nearest of a terminal's 256 colours: a cube of 6 x 6 x 6, or one of 24 greys. */
static int nearest_colour(uint32_t colour)
{
    static const int level[] = {0, 95, 135, 175, 215, 255};
    int part[3], number = 16, near[3], grey = 0;
    for (int i = 0; i < 3; i++) {
        part[i] = colour >> (16 - 8 * i) & 255;
        int best = 0;
        for (int k = 1; k < 6; k++)
            if (abs(level[k] - part[i]) < abs(level[best] - part[i]))
                best = k;
        near[i] = level[best];
        number = 16 + (number - 16) * 6 + best;
    }
    int mean = (part[0] + part[1] + part[2]) / 3, far = 0, far_grey = 0;
    grey = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 8 + 5) / 10;
    for (int i = 0; i < 3; i++) {
        far += (near[i] - part[i]) * (near[i] - part[i]);
        far_grey += (8 + 10 * grey - part[i]) * (8 + 10 * grey - part[i]);
    }
    return far <= far_grey ? number : 232 + grey;
}

static void set_pen(struct pen *pen, enum role ink, enum role fill, bool bold)
{
    if (!pen->theme || (pen->ink == ink && pen->fill == fill && pen->bold == bold))
        return;
    pen->ink = ink;
    pen->fill = fill;
    pen->bold = bold;
    fprintf(pen->file, "\033[0%s", bold ? ";1" : "");
    if (ink != ROLE_NONE)
        fprintf(pen->file, ";38;5;%d", nearest_colour(pen->theme->colour[ink]));
    if (fill != ROLE_NONE)
        fprintf(pen->file, ";48;5;%d", nearest_colour(pen->theme->colour[fill]));
    fputc('m', pen->file);
}

static void reset_pen(struct pen *pen)
{
    set_pen(pen, ROLE_NONE, ROLE_NONE, false);
}

/* ---- text ---------------------------------------------------------------------------------- */

void terminal_wrap(const char *first, const char *text, int width, FILE *file)
{
    int indent = (int)strlen(first), column = indent;
    fprintf(file, "%.*s", *text ? indent : indent - (indent > 0 && first[indent - 1] == ' '),
            first);
    while (*text) {
        bool broken = *text == '\n';
        text += strspn(text, " \n");
        size_t length = strcspn(text, " \n");
        int wide = text_characters(text, length);
        if (broken || (column > indent && column + 1 + wide > width)) {
            fprintf(file, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent && length) {
            fputc(' ', file);
            column++;
        }
        fprintf(file, "%.*s", (int)length, text);
        column += wide;
        text += length;
    }
    fputc('\n', file);
}

/* ---- the picture --------------------------------------------------------------------------- */

/* A matrix: a round, or the whole stage. */
struct block {
    struct matrix matrix;
    struct accessed accessed;
    char title[64];
};

struct picture {
    struct measured_part of;
    int blocks;
    struct block *block;
    int columns; /* shown */
    int *column; /* their numbers */
    int left_out;
    int banks_wide, label_wide, degree_wide; /* characters */
    bool now, shared, bad, other, list[26];  /* what the legend must explain */
};

static bool take_blocks(struct picture *picture, struct error *error)
{
    const struct figure_part *part = picture->of.part;
    const struct trace_header *header = &part->index->trace->header;
    int blocks = picture->of.matrices;
    if ((int64_t)blocks * header->banks * picture->of.columns > MAX_CELLS)
        return error_set(error,
                         "%s, stage %s: %d pictures of %d x %d cells are too many to print; choose "
                         "fewer with --rounds A-B or --slot N",
                         header->kernel, header->stage[part->stage], blocks, header->banks,
                         picture->of.columns);
    picture->block = memory_array((size_t)blocks, sizeof *picture->block, "rounds", error);
    if (!picture->block)
        return false;
    picture->blocks = blocks;
    for (int i = 0; i < picture->blocks; i++) {
        struct block *block = &picture->block[i];
        const struct figure_matrix *shown = &picture->of.matrix[i];
        if (part->rounds && !accessed_take(&block->accessed, &picture->of.map, shown->first,
                                           shown->end, part->paint, error))
            return false;
        if (part->hide & HIDE_DEGREES)
            memset(block->accessed.degree, 0, sizeof block->accessed.degree);
        block->matrix =
            (struct matrix){.map = &picture->of.map,
                            .accessed = part->rounds ? &block->accessed : NULL,
                            .step = shown->end - 1,
                            .paint = part->hide & HIDE_COLOURS ? PAINT_ALIKE : part->paint,
                            .label = part->label,
                            .blank = part->hide & HIDE_LABELS,
                            .plain = part->plain};
        if (picture->blocks > 1)
            figure_moment(shown, block->title, sizeof block->title);
        if (picture->blocks > 1 && !(part->hide & HIDE_TOTALS)) {
            const struct accessed *accessed = &block->accessed;
            if (accessed->requests && !accessed->accesses)
                text_add(block->title, sizeof block->title, ": %d sector%s of global memory",
                         accessed->sectors, accessed->sectors == 1 ? "" : "s");
            else
                text_add(block->title, sizeof block->title, ": %d pass%s", accessed->passes,
                         accessed->passes == 1 ? "" : "es");
        }
    }
    return true;
}

/* The word of a cell; -1 past the end of the memory. */
static int64_t word_at(const struct picture *picture, int column, int bank)
{
    const struct trace_index *index = picture->of.part->index;
    int64_t word = (int64_t)column * index->trace->header.banks + bank;
    return word < index->words ? word : -1;
}

/* What a cell says, and its colours. A word that the round does not access is its list's letter. */
static struct matrix_cell read_cell(const struct block *block, uint32_t word, char text[32])
{
    struct matrix_cell cell = matrix_cell(&block->matrix, word);
    text[0] = '\0';
    if (!cell.own)
        cell.fill = cell.ink = ROLE_NONE;
    else if (cell.now && block->matrix.blank)
        snprintf(text, 32, "#");
    else if (cell.now || !block->matrix.accessed)
        matrix_label(&block->matrix, word, &cell, text, 32);
    else
        snprintf(text, 32, "%c", cell.tag >= 'A' && cell.tag <= 'Z' ? cell.tag - 'A' + 'a' : '.');
    return cell;
}

static bool is_accessed(const struct picture *picture, int column)
{
    int banks = picture->of.part->index->trace->header.banks;
    for (int i = 0; i < picture->blocks; i++)
        for (int bank = 0; bank < banks; bank++)
            if (accessed_find(&picture->block[i].accessed,
                              (uint32_t)((int64_t)column * banks + bank)))
                return true;
    return false;
}

static int block_width(const struct picture *picture)
{
    int width = picture->banks_wide + 3 + picture->columns * (picture->label_wide + 2) +
                picture->degree_wide;
    int title = (int)strlen(picture->block[0].title);
    for (int i = 1; i < picture->blocks; i++)
        title = (int)strlen(picture->block[i].title) > title ? (int)strlen(picture->block[i].title)
                                                             : title;
    return width > title ? width : title;
}

/* Chooses the columns: all that the warp uses; if the line is too short, those that the rounds
 * access; of these the first. Measures the labels. */
static bool take_columns(struct picture *picture, int width, struct error *error)
{
    const struct measured_part *of = &picture->of;
    int banks = of->part->index->trace->header.banks;
    char text[32];
    picture->column = memory_array((size_t)of->columns, sizeof *picture->column, "columns", error);
    if (!picture->column)
        return false;
    picture->banks_wide = snprintf(NULL, 0, "%d", banks - 1);
    picture->label_wide = 1;
    int most_degree = 0;
    for (int i = 0; i < picture->blocks; i++)
        for (int bank = 0; bank < banks; bank++)
            if (picture->block[i].accessed.degree[bank] > most_degree)
                most_degree = picture->block[i].accessed.degree[bank];
    picture->degree_wide = most_degree ? 1 + snprintf(NULL, 0, "%d", most_degree) : 0;
    for (int r = 0; r < of->runs; r++)
        for (int c = of->run[r].first; c < of->run[r].first + of->run[r].columns; c++) {
            picture->column[picture->columns++] = c;
            for (int i = 0; i < picture->blocks; i++)
                for (int bank = 0; bank < banks; bank++) {
                    int64_t word = word_at(picture, c, bank);
                    if (word < 0)
                        continue;
                    struct matrix_cell cell = read_cell(&picture->block[i], (uint32_t)word, text);
                    int length = (int)strlen(text);
                    picture->label_wide =
                        length > picture->label_wide ? length : picture->label_wide;
                    picture->now |= cell.now;
                    picture->bad |= cell.bad;
                    picture->shared |= text[0] && text[strlen(text) - 1] == '+';
                    picture->other |= text[0] == '.';
                    if (text[0] >= 'a' && text[0] <= 'z')
                        picture->list[text[0] - 'a'] = true;
                }
        }
    int all = picture->columns;
    if (block_width(picture) > width && picture->now) {
        picture->columns = 0;
        for (int i = 0; i < all; i++)
            if (is_accessed(picture, picture->column[i]))
                picture->column[picture->columns++] = picture->column[i];
    }
    while (picture->columns > 1 && block_width(picture) > width)
        picture->columns--;
    picture->left_out = all - picture->columns;
    return true;
}

static void print_row(const struct picture *picture, const struct block *block, int bank, bool last,
                      struct pen *pen)
{
    char text[32];
    int degree = block->accessed.degree[bank], wide = picture->label_wide;
    fprintf(pen->file, "%*d |", picture->banks_wide, bank);
    for (int i = 0; i < picture->columns; i++) {
        int64_t word = word_at(picture, picture->column[i], bank);
        struct matrix_cell cell = {.fill = ROLE_NONE, .ink = ROLE_NONE};
        text[0] = '\0';
        if (word >= 0)
            cell = read_cell(block, (uint32_t)word, text);
        set_pen(pen, cell.ink, cell.fill, cell.now);
        fprintf(pen->file, " %*s%c", wide, text, cell.bad ? '!' : ' ');
    }
    reset_pen(pen);
    fputc('|', pen->file);
    if (degree > 0) {
        fputc(' ', pen->file);
        set_pen(pen, ROLE_NONE, ROLE_NONE, block->accessed.bad[bank]);
        fprintf(pen->file, "%*d", picture->degree_wide - 1, degree);
        reset_pen(pen);
    }
    int used = picture->banks_wide + 3 + picture->columns * (wide + 2) +
               (degree > 0 ? picture->degree_wide : 0);
    if (!last)
        fprintf(pen->file, "%*s", block_width(picture) - used + BETWEEN, "");
}

static void print_blocks(const struct picture *picture, int width, int indent, struct pen *pen)
{
    int banks = picture->of.part->index->trace->header.banks, each = block_width(picture);
    int in_row = (width + BETWEEN) / (each + BETWEEN);
    in_row = in_row < 1 ? 1 : in_row;
    int rows = (picture->blocks + in_row - 1) / in_row;
    in_row = (picture->blocks + rows - 1) / rows; /* even rows */
    for (int from = 0; from < picture->blocks; from += in_row) {
        int end = from + in_row < picture->blocks ? from + in_row : picture->blocks;
        if (picture->blocks > 1) {
            fprintf(pen->file, "%s%*s", from ? "\n" : "", indent, "");
            for (int i = from; i < end; i++)
                fprintf(pen->file, "%-*s", i + 1 < end ? each + BETWEEN : 0,
                        picture->block[i].title);
            fputc('\n', pen->file);
        }
        for (int bank = 0; bank < banks; bank++) {
            fprintf(pen->file, "%*s", indent, "");
            for (int i = from; i < end; i++)
                print_row(picture, &picture->block[i], bank, i + 1 == end, pen);
            fputc('\n', pen->file);
        }
    }
}

/* What the cells mean, as far as it is needed. */
static void print_legend(const struct picture *picture, const char *first, int width, FILE *file)
{
    static const char *const meanings[] = {"the thread that uses the word",
                                           "the number of the word", "the word's value"};
    const struct figure_part *part = picture->of.part;
    char text[400];
    snprintf(text, sizeof text, "cells: %s",
             part->hide & HIDE_LABELS ? "#: accessed now" : meanings[part->label]);
    if (picture->shared)
        text_add(text, sizeof text, ", +: several threads share it");
    if (picture->bad)
        text_add(text, sizeof text, ", !: conflict");
    for (int i = 0; i < 26; i++)
        if (picture->list[i])
            text_add(text, sizeof text, ", %c: list %c", 'a' + i, 'A' + i);
    if (picture->other)
        text_add(text, sizeof text, ", .: used in another round%s",
                 picture->of.matrix[0].slot < 0 ? "" : " or slot");
    if (picture->now)
        text_add(text, sizeof text, "; left: the bank%s",
                 part->hide & HIDE_DEGREES ? "" : "; right: the words that it serves");
    if (picture->left_out)
        text_add(text, sizeof text, "; %d more column%s would need a wider line", picture->left_out,
                 picture->left_out == 1 ? "" : "s");
    terminal_wrap(first, text, width, file);
}

/* Why a single round costs what it costs: the bank that serves most words. */
static void print_why(const struct picture *picture, const char *first, int width, FILE *file)
{
    const struct accessed *accessed = &picture->block[0].accessed;
    int banks = picture->of.part->index->trace->header.banks, worst = -1;
    char text[600];
    for (int bank = 0; bank < banks; bank++)
        if (accessed->bad[bank] && (worst < 0 || accessed->degree[bank] > accessed->degree[worst]))
            worst = bank;
    if (worst < 0)
        return;
    why_bank(&picture->of.map, accessed, worst, text, sizeof text);
    terminal_wrap(first, text, width, file);
}

/* What a single round's step costs in global memory. */
static void print_sectors(const struct picture *picture, const char *first, int width, FILE *file)
{
    const struct measured_part *of = &picture->of;
    char text[800];
    sectors_say_step(&of->map, of->matrix[0].end - 1, of->part->hide, text, sizeof text);
    if (*text)
        terminal_wrap(first, text, width, file);
}

bool terminal_print(const struct figure_part *part, const struct terminal *terminal, int indent,
                    FILE *file, struct error *error)
{
    struct picture picture = {0};
    const struct trace_header *header = &part->index->trace->header;
    char margin[40], params[512], text[700];
    int width = terminal->width < LEAST_WIDTH ? LEAST_WIDTH : terminal->width;
    snprintf(margin, sizeof margin, "%*s", indent, "");
    bool good = figure_measure(&picture.of, part, error) && take_blocks(&picture, error) &&
                take_columns(&picture, width - indent, error);
    if (good) {
        struct pen pen = {file, terminal->theme, ROLE_NONE, ROLE_NONE, false};
        header_params(header, params, sizeof params);
        snprintf(text, sizeof text, "%.80s%s", header->kernel, params);
        if (!part->title || part->title[0]) {
            text_clean(text);
            terminal_wrap(margin, part->title ? part->title : text, width, file);
        }
        figure_state(&picture.of, text, sizeof text);
        text_clean(text);
        terminal_wrap(margin, text, width, file);
        const bool single = picture.blocks == 1 && part->rounds;
        const bool sectors = single && part->warp >= 0 && picture.of.map.sectors_before;
        if (!sectors || !picture.of.no_words) {
            print_blocks(&picture, width - indent, indent, &pen);
            print_legend(&picture, margin, width, file);
        }
        if (sectors)
            print_sectors(&picture, margin, width, file);
        if (single && !(part->hide & HIDE_REASONS))
            print_why(&picture, margin, width, file);
        good = !ferror(file) || error_set(error, "cannot write the picture");
    }
    for (int i = 0; i < picture.blocks; i++)
        accessed_free(&picture.block[i].accessed);
    free(picture.block);
    free(picture.column);
    figure_release(&picture.of);
    return good;
}
