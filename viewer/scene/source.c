/* source.c - the source beside the picture: what each line costs, and where we are.
 *
 * A recording names the lines that access shared memory, each with its text. The rest of a file is
 * shown where somebody has it (source_text) and it is still what was recorded; else the lines that
 * the recording names stand alone, with a gap where lines are left out.
 */
#include "viewer/scene/scene.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a row of the pane shows. */
enum row_kind { ROW_FILE, ROW_LINE, ROW_GAP };
struct source_row {
    enum row_kind kind;
    int file, number; /* of the line in the file */
    int line;         /* index into source->line, or -1: it accesses nothing */
    const char *text;
};

/* A file of the source. */
struct source_file {
    const char *name;
    int first_line, lines; /* in source->line */
    char *text;            /* lines end with null bytes; NULL: not known */
    size_t rows, row_room;
    const char **row; /* its lines */
};

/* ---- lines ------------------------------------------------------------------------------------- */

/* A site and its number. */
struct numbered {
    const struct trace_site *site;
    int number;
};

static int by_place(const void *left, const void *right)
{
    const struct numbered *a = left, *b = right;
    int files = strcmp(a->site->file, b->site->file);
    if (files)
        return files;
    if (a->site->line != b->site->line)
        return a->site->line < b->site->line ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* Makes lines and files of the sites, sorted. */
static void take_sites(struct source *source, const struct numbered *sorted, int sites)
{
    for (int i = 0; i < sites; i++) {
        const struct trace_site *site = sorted[i].site, *before = i ? sorted[i - 1].site : NULL;
        source->line_of[sorted[i].number] = -1;
        if (!*site->file || site->line < 1)
            continue;
        bool same_file = source->files > 0 && before && !strcmp(before->file, site->file);
        if (!same_file)
            source->file[source->files++] =
                (struct source_file){.name = site->file, .first_line = source->lines};
        if (!same_file || before->line != site->line) {
            source->line[source->lines++] = (struct source_line){
                .file = source->files - 1, .number = site->line, .text = site->text};
            source->file[source->files - 1].lines++;
        }
        source->line_of[sorted[i].number] = source->lines - 1;
    }
}

static bool add_row(struct source *source, const struct source_row *row, struct error *error)
{
    if (!memory_grow(&source->row, &source->row_room, (size_t)source->rows + 1, sizeof *source->row,
                     "lines of the source", error))
        return false;
    source->row[source->rows++] = *row;
    return true;
}

/* The rows of the pane, from the lines and the texts. */
static bool make_rows(struct source *source, struct error *error)
{
    bool good = true;
    source->rows = 0;
    for (int f = 0; good && f < source->files; f++) {
        const struct source_file *file = &source->file[f];
        good = add_row(source, &(struct source_row){ROW_FILE, f, 0, -1, file->name}, error);
        int line = file->first_line, past = line + file->lines, shown = 0;
        for (size_t i = 0; good && i < file->rows; i++) {
            struct source_row row = {ROW_LINE, f, (int)i + 1, -1, file->row[i]};
            if (line < past && source->line[line].number == row.number) {
                source->line[line].row = source->rows;
                row.line = line++;
            }
            good = add_row(source, &row, error);
        }
        for (; good && line < past; line++) {
            struct source_line *now = &source->line[line];
            if (!file->text && now->number > shown + 1)
                good = add_row(source, &(struct source_row){ROW_GAP, f, 0, -1, "..."}, error);
            now->row = source->rows;
            good = good &&
                   add_row(source, &(struct source_row){ROW_LINE, f, now->number, line, now->text},
                           error);
            shown = now->number;
        }
    }
    return good;
}

static void add_costs(struct source *source)
{
    const struct trace_index *index = source->index;
    for (size_t i = 0; i < index->trace->count; i++) {
        int line = source_line_of(source, i);
        if (line < 0)
            continue;
        source->line[line].accesses++;
        source->line[line].passes += index->passes[i];
        source->line[line].conflicts += index->conflicts[i];
    }
    for (int i = 0; i < source->lines; i++)
        if (source->line[i].passes > source->most)
            source->most = source->line[i].passes;
}

bool source_init(struct source *source, const struct trace_index *index, struct error *error)
{
    const struct trace_header *header = &index->trace->header;
    *source = (struct source){.index = index};
    if (!header->sites)
        return true;
    size_t sites = (size_t)header->sites;
    struct numbered *sorted = memory_array(sites, sizeof *sorted, "source lines", error);
    source->line_of = memory_array(sites, sizeof *source->line_of, "source lines", error);
    source->line = memory_array(sites, sizeof *source->line, "source lines", error);
    source->file = memory_array(sites, sizeof *source->file, "source lines", error);
    bool good = sorted && source->line_of && source->line && source->file;
    if (good) {
        for (int i = 0; i < header->sites; i++)
            sorted[i] = (struct numbered){&header->site[i], i};
        qsort(sorted, sites, sizeof *sorted, by_place);
        take_sites(source, sorted, header->sites);
        add_costs(source);
        good = make_rows(source, error);
    }
    free(sorted);
    if (!good)
        source_free(source);
    return good;
}

void source_free(struct source *source)
{
    for (int i = 0; i < source->files; i++) {
        free(source->file[i].text);
        free(source->file[i].row);
    }
    free(source->file);
    free(source->line);
    free(source->line_of);
    free(source->row);
    *source = (struct source){0};
}

int source_line_of(const struct source *source, size_t access)
{
    if (access == NO_ACCESS || !source->line_of)
        return -1;
    int site = trace_get(source->index->trace, access).site;
    return site < 0 ? -1 : source->line_of[site];
}

const char *source_file_name(const struct source *source, int file)
{
    return file < source->files ? source->file[file].name : NULL;
}

/* ---- the text of a file ------------------------------------------------------------------------ */

/* Whether a line of the file is what the recording has of it: without the space around it, perhaps
 * cut. A recording that has nothing of it could name any file. */
static bool same_line(const char *line, const char *recorded)
{
    if (!*recorded)
        return false;
    for (line += strspn(line, " \t"); *recorded; line++, recorded++)
        if (*line != *recorded && !(*recorded == ' ' && (unsigned char)*line < ' ' && *line))
            return false;
    return true;
}

bool source_text(struct source *source, int number, const char *text, size_t size)
{
    struct source_file *file = &source->file[number];
    struct error ignored = {{0}};
    char *copy = memory_array(size + 1, 1, "bytes of a source", &ignored);
    if (!copy || file->text || memchr(text, '\0', size)) {
        free(copy);
        return false;
    }
    memcpy(copy, text, size);
    file->text = copy;
    bool good = true;
    for (char *at = copy; good && at < copy + size;) {
        good = memory_grow(&file->row, &file->row_room, file->rows + 1, sizeof *file->row,
                           "lines of a source", &ignored);
        if (good)
            file->row[file->rows++] = at;
        char *end = strchr(at, '\n');
        end = end ? end : copy + size;
        *end = '\0';
        if (end > at && end[-1] == '\r')
            end[-1] = '\0';
        at = end + 1;
    }
    for (int i = file->first_line; good && i < file->first_line + file->lines; i++) {
        const struct source_line *line = &source->line[i];
        good = (size_t)line->number <= file->rows &&
               same_line(file->row[line->number - 1], line->text);
    }
    if (!good) {
        free(file->text);
        free(file->row);
        file->text = NULL;
        file->row = NULL;
        file->rows = file->row_room = 0;
    }
    return make_rows(source, &ignored) && good;
}

/* ---- from a line to its accesses ---------------------------------------------------------------- */

/* The first access of the line from `from` up to, not including, `to`; of one warp of a block, or of
 * all (block -1). */
static size_t find_access(const struct source *source, int line, size_t from, size_t to, int block,
                          int warp)
{
    for (size_t i = from; i < to; i++) {
        if (source_line_of(source, i) != line)
            continue;
        struct warp_access access = trace_get(source->index->trace, i);
        if (block < 0 || (access.block == block && access.warp == warp))
            return i;
    }
    return NO_ACCESS;
}

size_t source_next(const struct source *source, int line, size_t at, int block, int warp)
{
    size_t count = source->index->trace->count, after = at == NO_ACCESS ? 0 : at + 1;
    size_t found = find_access(source, line, after, count, block, warp);
    found = found != NO_ACCESS ? found : find_access(source, line, 0, after, block, warp);
    found = found != NO_ACCESS ? found : find_access(source, line, after, count, -1, 0);
    return found != NO_ACCESS ? found : find_access(source, line, 0, after, -1, 0);
}

/* ---- the pane ---------------------------------------------------------------------------------- */

enum {
    EDGE = 10,
    STEP = 16,      /* from line to line */
    BAR = 36,       /* what the costliest line's bar is long */
    FOOT = 58,      /* what is said of a line, and all of it */
    FOOT_LEAST = 8, /* font size */
    TAB = 4,        /* characters */
    ROOM = 512,     /* bytes of a line */
};

static const double SIZE = 11.6; /* of the font: its letters are 7 pixels wide */
static const double NUMBER_SIZE = 10.5;

/* The line with its tabs as spaces. */
static void expand(const char *line, char text[ROOM])
{
    size_t used = 0;
    for (; *line && used + TAB + 1 < ROOM; line++) {
        size_t spaces = *line == '\t' ? TAB - used % TAB : 0;
        memset(text + used, ' ', spaces);
        used += spaces;
        if (!spaces)
            text[used++] = *line;
    }
    text[used] = '\0';
}

static void draw_heat(const struct source *source, const struct source_line *line, double x,
                      double y, struct drawing *drawing)
{
    if (source->most == 0)
        return;
    double scale = BAR / (double)source->most;
    double needed = scale * (double)(line->passes - line->conflicts);
    double added = scale * (double)line->conflicts, h = STEP - 7;
    drawing_box(drawing, ROLE_BAR, x, y + 3.5, needed, h);
    if (added >= 3)
        drawing_edged(drawing, ROLE_BAR_BAD, ROLE_BAD_EDGE, 1, x + needed, y + 3.5, added, h);
    else
        drawing_box(drawing, ROLE_BAR_BAD, x + needed, y + 3.5, added, h);
}

/* The columns of numbers, from left to right, and where one ends that begins so far from the left. */
static const char *const headings[] = {"instr.", "passes", "conflicts"};
enum { NUMBERS = sizeof headings / sizeof *headings };

static double number_width(const struct source *source)
{
    char most[24];
    uint64_t largest = source->most;
    for (int i = 0; i < source->lines; i++)
        largest = source->line[i].accesses > largest ? source->line[i].accesses : largest;
    snprintf(most, sizeof most, "%" PRIu64, largest);
    double digits = text_width(most, NUMBER_SIZE, FACE_PLAIN);
    double heading = text_width(headings[NUMBERS - 1], NUMBER_SIZE, FACE_PLAIN);
    return (digits > heading ? digits : heading) + 8;
}

/* What a line's accesses cost in the whole run; of no line: what the numbers are. */
static void draw_numbers(const struct source *source, const struct source_line *line, double left,
                         double baseline, struct drawing *drawing)
{
    const double each = number_width(source);
    struct text_style style = {ROLE_FAINT, NUMBER_SIZE, ALIGN_RIGHT, FACE_PLAIN};
    for (int i = 0; i < NUMBERS; i++) {
        double x = left + (i + 1) * each;
        if (!line) {
            drawing_text(drawing, &style, x, baseline, "%s", headings[i]);
            continue;
        }
        const uint64_t numbers[NUMBERS] = {line->accesses, line->passes, line->conflicts};
        style.role = i == NUMBERS - 1 && numbers[i] ? ROLE_BAD_EDGE : ROLE_INK;
        drawing_text(drawing, &style, x, baseline, "%" PRIu64, numbers[i]);
    }
}

/* What all accesses of a line cost. */
static void describe(const struct source *source, int number, char *text, size_t size)
{
    const struct source_line *line = &source->line[number];
    uint64_t all = 0;
    for (int i = 0; i < source->lines; i++)
        all += source->line[i].passes;
    if (line->accesses && !line->passes)
        snprintf(text, size, "line %d: %" PRIu64 " instruction%s, none of shared memory",
                 line->number, line->accesses, line->accesses == 1 ? "" : "s");
    else
        snprintf(text, size,
                 "line %d: %" PRIu64 " passes (%.0f %%), %" PRIu64 " conflicts in %" PRIu64
                 " instruction%s",
                 line->number, line->passes, all ? 100.0 * (double)line->passes / (double)all : 0,
                 line->conflicts, line->accesses, line->accesses == 1 ? "" : "s");
}

int source_line_at(const struct source *source, const struct source_pane *pane, double x, double y)
{
    if (!(x >= pane->x && x < pane->x + pane->w && y >= pane->y && y < pane->y + pane->h - FOOT))
        return -1;
    double row = (y - pane->y - EDGE / 2.0 + pane->scroll) / STEP;
    return row >= 0 && row < source->rows ? source->row[(int)row].line : -1;
}

struct source_spot source_spot_at(const struct source *source, const struct source_pane *pane,
                                  double x, double y)
{
    const double row = (y - pane->y - EDGE / 2.0 + pane->scroll) / STEP;
    if (!(x >= pane->x && x < pane->x + pane->w && y >= pane->y && y < pane->y + pane->h - FOOT) ||
        row < 0 || row >= source->rows || source->row[(int)row].kind != ROW_LINE)
        return (struct source_spot){NULL, 0};
    const struct source_row *at = &source->row[(int)row];
    return (struct source_spot){source->file[at->file].name, at->number};
}

struct source_spot source_spot_of(const struct source *source, int line)
{
    if (line < 0)
        return (struct source_spot){NULL, 0};
    return (struct source_spot){source->file[source->line[line].file].name,
                                source->line[line].number};
}

/* What all accesses of a line cost, and the whole line, which may be cut above. */
static void draw_foot(const struct source *source, const struct source_marks *marks, double x,
                      double y, double w, struct drawing *drawing)
{
    struct text_style small = {ROLE_INK, 12, ALIGN_LEFT, FACE_PLAIN};
    struct text_style code = {ROLE_FAINT, SIZE, ALIGN_LEFT, FACE_CODE};
    int line = marks->pointed >= 0 ? marks->pointed : marks->now;
    char said[160];
    if (line < 0)
        return;
    describe(source, line, said, sizeof said);
    if (marks->hide & HIDE_TOTALS)
        snprintf(said, sizeof said, "line %d", source->line[line].number);
    small.size = text_fit(said, w, FOOT_LEAST, small.size, small.face); /* no number is cut */
    drawing_text_within(drawing, &small, x, y + 12, w, "%s", said);
    const char *text = source->line[line].text;
    size_t length = strlen(text), fits = (size_t)(w / text_width(" ", SIZE, FACE_CODE)) + 1;
    size_t first = length < fits ? length : fits - 1;
    for (size_t i = first; first < length && i > fits / 2;
         i--) /* between words, if there are any */
        if (text[i] == ' ') {
            first = i;
            break;
        }
    while (first < length && ((unsigned char)text[first] & 0xC0) == 0x80)
        first--;
    drawing_text(drawing, &code, x, y + 28, "%.*s", (int)first, text);
    drawing_text_within(drawing, &code, x, y + 42, w, "%s", text + first + (text[first] == ' '));
}

void source_draw(const struct source *source, struct source_pane *pane,
                 const struct source_marks *marks, struct drawing *drawing)
{
    double top = pane->y + EDGE / 2.0, bottom = pane->y + pane->h - FOOT, room = bottom - top;
    double left = pane->x + EDGE, right = pane->x + pane->w - EDGE;
    bool costs = !(marks->hide & HIDE_TOTALS);
    int wanted = pane->clicked >= 0 ? pane->clicked : marks->now;
    bool anew = wanted != pane->shown || pane->h != pane->shown_h;
    if (anew && wanted >= 0) { /* it moves into sight, with some lines around it */
        double at = source->line[wanted].row * STEP, margin = room > 10 * STEP ? 3 * STEP : 0;
        if (at - margin < pane->scroll || at + STEP + margin > pane->scroll + room)
            pane->scroll = at - (room - STEP) / 2;
    }
    pane->shown = wanted;
    pane->shown_h = pane->h;
    pane->clicked = -1;
    double most = source->rows * STEP - room;
    pane->scroll = pane->scroll > most ? most : pane->scroll;
    pane->scroll = pane->scroll < 0 ? 0 : pane->scroll;
    pane->scroll = STEP * (int)(pane->scroll / STEP + 0.999); /* whole lines */

    int widest = 1;
    for (int i = 0; i < source->rows; i++)
        widest = source->row[i].number > widest ? source->row[i].number : widest;
    char number[16];
    snprintf(number, sizeof number, "%d", widest);
    bool counted = costs && pane->numbers;
    double numbers = left +
                     (counted ? NUMBERS * number_width(source) + 14
                      : costs ? BAR + 6
                              : 0) +
                     text_width(number, SIZE, FACE_CODE);
    struct text_style code = {ROLE_INK, SIZE, ALIGN_LEFT, FACE_CODE};
    struct text_style faint = {ROLE_FAINT, SIZE, ALIGN_RIGHT, FACE_CODE};
    struct text_style bold = {ROLE_INK, SIZE, ALIGN_LEFT, FACE_BOLD};
    for (int i = (int)(pane->scroll / STEP); i < source->rows; i++) {
        const struct source_row *row = &source->row[i];
        double y = top + i * STEP - pane->scroll, baseline = y + STEP / 2.0 + TEXT_MIDDLE(SIZE);
        if (y + STEP > bottom)
            break;
        char text[ROOM];
        expand(row->text, text);
        if (row->kind == ROW_FILE) {
            double at = counted ? numbers + 8 : left;
            drawing_path_within(drawing, &bold, at, baseline, right - at, text);
            if (counted)
                draw_numbers(source, NULL, left, baseline, drawing);
            continue;
        }
        bool here = row->line >= 0 && row->line == marks->now;
        bool pointed =
            (row->line >= 0 && row->line == marks->pointed) ||
            (row->kind == ROW_LINE &&
             source_same_spot((struct source_spot){source->file[row->file].name, row->number},
                              marks->at));
        code.role = row->line < 0 ? ROLE_FAINT : ROLE_INK;
        double from = numbers + 8;
        if (here) {
            bool plain = marks->hide & HIDE_COLOURS, bad = marks->conflicts;
            enum role fill = plain ? ROLE_CELL : bad ? ROLE_BAD : ROLE_GOOD;
            drawing_edged(drawing, fill,
                          plain ? ROLE_CURSOR
                          : bad ? ROLE_BAD_EDGE
                                : ROLE_GOOD_EDGE,
                          bad ? 2 : 1, from - 4, y, right - from + 8, STEP);
            code.role = plain ? ROLE_INK : bad ? ROLE_BAD_INK : ROLE_GOOD_INK;
        }
        if (pointed)
            drawing_edged(drawing, here ? ROLE_NONE : ROLE_OVERLAY, ROLE_CURSOR, 1.5, from - 6,
                          y - 1, right - from + 12, STEP + 2);
        if (counted && row->line >= 0)
            draw_numbers(source, &source->line[row->line], left, baseline, drawing);
        else if (costs && row->line >= 0)
            draw_heat(source, &source->line[row->line], left, y, drawing);
        if (row->kind == ROW_LINE)
            drawing_text(drawing, &faint, numbers, baseline, "%d", row->number);
        drawing_text_within(drawing, &code, from, baseline, right - from, "%s", text);
    }

    drawing_line(drawing, ROLE_GRID, 1, false, left, bottom + 1, right, bottom + 1);
    draw_foot(source, marks, left, bottom + 4, right - left, drawing);
}
