/* pane.c - text beside and above the picture: the pane, the help, the note.
 *
 * Texts are broken by text_width, which is an estimate, so that drawing lists are the same on every
 * machine; it is generous, so that no line is wider than its box.
 */
#include "viewer/window/window.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- the pane ------------------------------------------------------------------------------ */

static const struct block_look {
    double size, before; /* of the font; points above the paragraph */
    enum role ink, box;  /* box: the role of the background, or ROLE_NONE */
    enum face face;
    double indent;
    const char *mark; /* in the indent of the first line; NULL: the text's first word */
} looks[] = {
    [PANE_TEXT] = {14, 10, ROLE_INK, ROLE_NONE, FACE_MARKED, 0, ""},
    [PANE_HEADING] = {19, 14, ROLE_INK, ROLE_NONE, FACE_MARKED_BOLD, 0, ""},
    [PANE_ITEM] = {14, 5, ROLE_INK, ROLE_NONE, FACE_MARKED, 16, "\u2022"},
    [PANE_NUMBERED] = {14, 5, ROLE_INK, ROLE_NONE, FACE_MARKED, 26, NULL},
    [PANE_CODE] = {12, 10, ROLE_INK, ROLE_OVERLAY, FACE_CODE, 8, ""},
    [PANE_FIELD] = {15, 10, ROLE_INK, ROLE_CELL, FACE_BOLD, 8, ""},
    [PANE_GOOD] = {14, 10, ROLE_GOOD_INK, ROLE_GOOD, FACE_MARKED_BOLD, 8, ""},
    [PANE_BAD] = {14, 10, ROLE_BAD_INK, ROLE_BAD, FACE_MARKED_BOLD, 8, ""},
    [PANE_TITLE] = {28, 0, ROLE_INK, ROLE_NONE, FACE_MARKED_BOLD, 0, ""},
    [PANE_QUESTION] = {14, 14, ROLE_INK, ROLE_NONE, FACE_MARKED_BOLD, 0, ""},
    [PANE_LISTING] = {10.5, 10, ROLE_INK, ROLE_OVERLAY, FACE_CODE, 8, ""},
    [PANE_NOTE] = {13, 10, ROLE_INK, ROLE_OVERLAY, FACE_MARKED, 8, ""},
};

/* Whole points, so that the boxes of lines join without a seam. */
static double line_height(double size)
{
    return (int)(1.4 * size + 0.5);
}

static bool is_marked(const struct block_look *look)
{
    return look->face == FACE_MARKED || look->face == FACE_MARKED_BOLD;
}

/* Whether a line of marked text that begins in code, or not, ends there. */
static bool ends_in_code(const char *text, size_t bytes, bool code)
{
    for (size_t i = 0; i < bytes; i++)
        code ^= text[i] == '`';
    return code;
}

/* Whether the word that ends there is an option, "-p" or "--input", whose value comes next. */
static bool ends_option(const char *text, size_t end)
{
    size_t begin = end;
    while (begin > 0 && text[begin - 1] != ' ' && text[begin - 1] != '`')
        begin--;
    return end > begin + 1 && text[begin] == '-' && text[end + 1] != '-' &&
           !memchr(text + begin, '=', end - begin);
}

bool pane_joins_factors(const char *text, size_t space)
{
    size_t begin = space;
    while (begin > 0 && isalnum((unsigned char)text[begin - 1]))
        begin--;
    const bool number = begin < space && strspn(text + begin, "0123456789") == space - begin;
    const char after = text[space + 1];
    return (number || space == begin + 1) && isalpha((unsigned char)after) &&
           !strchr("aAI", after) && !isalnum((unsigned char)text[space + 2]);
}

/* Bytes of the first line of text that fit the width, and how many to skip to the next line. `code`:
 * the line begins with letters of one width. */
static size_t first_line(const char *text, const struct block_look *look, bool code, double width,
                         size_t *skip)
{
    size_t end = 0, space = 0;
    double used = 0;
    while (text[end] && text[end] != '\n') {
        size_t bytes = 1;
        while (((unsigned char)text[end + bytes] & 0xC0) == 0x80)
            bytes++;
        char character[8] = {0};
        memcpy(character, text + end, bytes < sizeof character ? bytes : 1);
        bool mark = is_marked(look) && text[end] == '`';
        code ^= mark;
        if (!mark)
            used += text_width(character, look->size, code ? FACE_CODE : look->face);
        if (text[end] == ' ' &&
            !(space && (code ? ends_option(text, end) : pane_joins_factors(text, end))))
            space = end;
        else if (used > width && end > 0)
            return space > 0 ? (*skip = space + 1, space) : (*skip = end);
        end += bytes;
    }
    *skip = end + (text[end] == '\n');
    return end;
}

size_t pane_indent(const char *text)
{
    size_t least = strlen(text);
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t spaces = strspn(line, " ");
        if (line[spaces] && line[spaces] != '\n' && spaces < least)
            least = spaces;
    }
    return least;
}

/* Draws one block, of which the part between the heights top and bottom can be seen, with its top
 * at y; returns where it ends. */
static double block_draw(const struct pane_block *block, double x, double y, double width,
                         double top, double bottom, struct drawing *drawing)
{
    const struct block_look *look = &looks[block->kind];
    double step = line_height(look->size), inset = look->indent;
    double within = width - (look->box == ROLE_NONE ? 1 : 2) * inset;
    struct text_style style = {look->ink, look->size, ALIGN_LEFT, look->face};
    const double air = look->box == ROLE_NONE ? 0 : 3; /* above the first line and below the last */
    y += look->before + air;
    const char *text = block->text, *mark = look->mark ? look->mark : text;
    int mark_bytes = (int)(look->mark ? strlen(mark) : strcspn(mark, " "));
    if (!look->mark)
        text += mark_bytes + (text[mark_bytes] == ' ');
    bool strip = look->face == FACE_CODE && block->kind != PANE_LISTING;
    size_t indent = strip ? pane_indent(text) : 0;
    double hang = 0; /* of what a line of code did not have room for */
    bool first = true, code = look->face == FACE_CODE;
    do {
        bool begins = first || text[-1] == '\n';
        if (begins && look->face == FACE_CODE) {
            size_t spaces = strspn(text, " ");
            text += spaces < indent ? spaces : indent;
            hang = (double)(strspn(text, " ") + 2) * text_width(" ", look->size, FACE_CODE);
            hang = hang < within / 2 ? hang : within / 2;
        }
        double in = begins ? 0 : hang;
        size_t skip, bytes = first_line(text, look, code, within - in, &skip);
        bool goes_on = is_marked(look) && ends_in_code(text, bytes, code);
        if (y >= top && y + step <= bottom) {
            const double above = first ? air : 0, below = text[skip] ? 0 : air;
            if (look->box != ROLE_NONE)
                drawing_box(drawing, look->box, x, y - above, width, above + step + below);
            double baseline = y + step / 2 + TEXT_MIDDLE(look->size);
            if (first)
                drawing_text(drawing, &style, x, baseline, "%.*s", mark_bytes, mark);
            drawing_text(drawing, &style, x + inset + in, baseline, "%s%.*s%s",
                         is_marked(look) && code ? "`" : "", (int)bytes, text, goes_on ? "`" : "");
        }
        code = is_marked(look) ? goes_on : code;
        first = false;
        text += skip;
        y += step;
    } while (*text);
    return y + air;
}

double pane_block_draw(const struct pane_block *block, double x, double y, double width,
                       struct drawing *drawing)
{
    return block_draw(block, x, y, width, y, 1e9, drawing);
}

/* Scrolls so far that the blocks that should be seen are between top and bottom. */
static void scroll_to_shown(struct pane *pane, double begin, double end, double room)
{
    const double slack = 8;
    if (pane->show >= pane->shown)
        return;
    if (begin < pane->scroll)
        pane->scroll = begin;
    if (end + slack > pane->scroll + room)
        pane->scroll = end + slack - room;
    pane->show = pane->shown = 0;
}

void pane_draw(struct pane *pane, double x, double y, double w, double h, struct drawing *drawing)
{
    static const struct text_style faint = {ROLE_FAINT, 12, ALIGN_LEFT, FACE_PLAIN};
    const double edge = 12, foot = 24,
                 widest = 800; /* about 120 letters, as many as one reads with ease */
    drawing_box(drawing, ROLE_PAPER, x, y, w, h);
    double left = x + edge, width = w - 2 * edge, column = fmin(width, widest);
    double top = y + edge / 2, bottom = y + h - foot;

    /* Once to know the height, which limits the scrolling; once to draw. */
    double height = 0, begin = 0, end = 0;
    for (int i = 0; i < pane->blocks; i++) {
        begin = i == pane->show ? height : begin;
        height = block_draw(&pane->block[i], left, height, column, 0, 0, drawing);
        end = i < pane->shown ? height : end;
    }
    scroll_to_shown(pane, begin, end, bottom - top);
    pane->room = bottom - top;
    pane->most = fmax(height - pane->room, 0);
    pane->scroll = fmax(fmin(pane->scroll, pane->most), 0);
    double at = top - pane->scroll;
    for (int i = 0; i < pane->blocks; i++)
        at = block_draw(&pane->block[i], left, at, column, top, bottom, drawing);

    drawing_line(drawing, ROLE_GRID, 1, false, left, bottom + 1, left + width, bottom + 1);
    double baseline = bottom + foot / 2 + TEXT_MIDDLE(faint.size);
    const bool below = pane->scroll < pane->most - 1;
    const char *more = below ? "PageDown: more" : "";
    const char *footer = below && pane->footer_more ? pane->footer_more : pane->footer;
    double more_width = *more ? text_width(more, faint.size, faint.face) : 0;
    struct text_style right = faint;
    right.align = ALIGN_RIGHT;
    if (footer)
        drawing_text_within(drawing, &faint, left, baseline, width - more_width - edge, "%s",
                            footer);
    drawing_text(drawing, &right, left + width, baseline, "%s", more);
}

/* ---- the help ------------------------------------------------------------------------------ */

/* A row of the help: the names of its keys, joined, and what they do. */
struct help_row {
    char keys[64];
    const char *help;
};

enum { MAX_HELP_ROWS = 64 };

static int collect_rows(const struct key_help *const *tables, int count, struct help_row *rows)
{
    int used = 0;
    for (int t = 0; t < count; t++) {
        bool joinable = false;
        for (const struct key_help *key = tables[t]; key && key->key; key++) {
            if (key->help && !*key->help)
                continue;
            if (!key->help && joinable) {
                struct help_row *row = &rows[used - 1];
                size_t length = strlen(row->keys);
                snprintf(row->keys + length, sizeof row->keys - length, ", %s", key->key);
            } else if (key->help && used < MAX_HELP_ROWS) {
                snprintf(rows[used].keys, sizeof rows[used].keys, "%s", key->key);
                rows[used++].help = key->help;
                joinable = true;
            }
        }
    }
    return used;
}

/* The widths of the two halves of a column. */
static void row_widths(const struct help_row *rows, int count, double size, double *keys,
                       double *help)
{
    *keys = *help = 0;
    for (int i = 0; i < count; i++) {
        double k = text_width(rows[i].keys, size, FACE_BOLD);
        double h = text_width(rows[i].help, size, FACE_PLAIN);
        *keys = k > *keys ? k : *keys;
        *help = h > *help ? h : *help;
    }
}

void help_draw(const struct key_help *const *tables, int count, struct drawing *drawing)
{
    struct help_row rows[MAX_HELP_ROWS];
    int used = collect_rows(tables, count, rows);
    if (used == 0)
        return;
    /* The largest letters for which one or two columns fit the page. */
    double size = 16, keys, help, width, height, step;
    int columns, column_rows;
    do {
        size -= 0.5;
        step = 1.55 * size;
        row_widths(rows, used, size, &keys, &help);
        for (columns = 1; columns <= 2; columns++) {
            column_rows = (used + columns - 1) / columns;
            width = columns * (keys + help + 3 * size) + size;
            height = column_rows * step + 2 * size;
            if (width <= drawing->width && height <= drawing->height)
                break;
        }
    } while (columns > 2 && size > 5);
    if (columns > 2)
        columns = 2;

    double x = (drawing->width - width) / 2, y = (drawing->height - height) / 2;
    drawing_edged(drawing, ROLE_OVERLAY, ROLE_CURSOR, 1.5, x, y, width, height);
    struct text_style bold = {ROLE_INK, size, ALIGN_LEFT, FACE_BOLD};
    struct text_style plain = {ROLE_INK, size, ALIGN_LEFT, FACE_PLAIN};
    for (int i = 0; i < used; i++) {
        double left = x + 1.5 * size + i / column_rows * (keys + help + 3 * size);
        double baseline = y + size + (i % column_rows + 0.5) * step + TEXT_MIDDLE(size);
        drawing_text(drawing, &bold, left, baseline, "%s", rows[i].keys);
        drawing_text(drawing, &plain, left + keys + size, baseline, "%s", rows[i].help);
    }
}

void help_says(const struct key_help *const *tables, int count, FILE *file)
{
    struct help_row rows[MAX_HELP_ROWS];
    int used = collect_rows(tables, count, rows);
    for (int i = 0; i < used; i++)
        fprintf(file, "%s: %s. ", rows[i].keys, rows[i].help);
}

/* ---- lists --------------------------------------------------------------------------------- */

void list_draw(const char *title, int rows, int chosen, uint64_t most,
               void (*row)(const void *context, int number, struct list_row *row),
               const void *context, struct drawing *drawing)
{
    const double size = 13, step = 1.6 * size, bar = 120, inset = 14;
    struct text_style bold = {ROLE_INK, size, ALIGN_LEFT, FACE_BOLD};
    struct text_style plain = {ROLE_INK, size, ALIGN_LEFT, FACE_PLAIN};
    struct text_style right = {ROLE_INK, size, ALIGN_RIGHT, FACE_PLAIN};
    int fit = (int)((drawing->height - 4 * inset) / step) - 1;
    int shown = fit < 1 ? 1 : fit < rows ? fit : rows;
    int first = chosen - shown / 2;
    first = first > rows - shown ? rows - shown : first;
    first = first < 0 ? 0 : first;
    double width = drawing->width < 448 ? drawing->width - 2 * inset : 420;
    double height = (shown + 1) * step + 2 * inset;
    double x = (drawing->width - width) / 2, y = (drawing->height - height) / 2;
    double names = width - 2 * inset - bar - 90;
    drawing_edged(drawing, ROLE_OVERLAY, ROLE_CURSOR, 1.5, x, y, width, height);
    drawing_text_within(drawing, &bold, x + inset, y + inset + step / 2 + TEXT_MIDDLE(size),
                        width - 2 * inset, "%s", title);
    for (int i = 0; i < shown; i++) {
        struct list_row line = {.number = 0};
        row(context, first + i, &line);
        double top = y + inset + (i + 1) * step, baseline = top + step / 2 + TEXT_MIDDLE(size);
        if (first + i == chosen)
            drawing_edged(drawing, ROLE_CELL, ROLE_CURSOR, 2, x + inset / 2, top, width - inset,
                          step);
        drawing_text_within(drawing, &plain, x + inset, baseline, names, "%s", line.name);
        if (most > 0)
            drawing_box(drawing, ROLE_BAR_BAD, x + inset + names, top + step / 4,
                        bar * (double)line.number / (double)most, step / 2);
        drawing_text(drawing, &right, x + width - inset, baseline, "%" PRIu64, line.number);
    }
}

/* ---- the note ------------------------------------------------------------------------------ */

void note_draw(const char *text, double w, double h, struct drawing *drawing)
{
    double size = 14, inset = 10;
    double width = text_width(text, size, FACE_BOLD) + 2 * inset + 1, height = 2 * size;
    width = width < w - 2 * inset ? width : w - 2 * inset;
    double left = (w - width) / 2, top = h - height - 3 * size;
    struct text_style style = {ROLE_INK, size, ALIGN_LEFT, FACE_BOLD};
    drawing_edged(drawing, ROLE_OVERLAY, ROLE_CURSOR, 1.5, left, top, width, height);
    drawing_text_within(drawing, &style, left + inset, top + height / 2 + TEXT_MIDDLE(size),
                        width - 2 * inset, "%s", text);
}
