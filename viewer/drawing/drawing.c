/* drawing.c - the drawing list: see viewer.h for the contract. */
#include "viewer/drawing/drawing.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* More items than any page can show; keeps a hostile trace from eating the memory. */
enum { MAX_ITEMS = 4 * 1000 * 1000 };

void drawing_begin(struct drawing *drawing, double width, double height)
{
    drawing->width = width;
    drawing->height = height;
    drawing->count = 0;
    drawing->text_count = 0;
    drawing->unlabelled = drawing->cut = false;
    drawing->error.text[0] = '\0';
}

void drawing_free(struct drawing *drawing)
{
    free(drawing->item);
    free(drawing->text);
    *drawing = (struct drawing){0};
}

static void add_item(struct drawing *drawing, struct drawing_item item)
{
    if (drawing->error.text[0])
        return;
    if (drawing->count == MAX_ITEMS) {
        error_set(&drawing->error,
                  "picture: more than %d things to draw; show fewer rounds or a smaller trace",
                  MAX_ITEMS);
        return;
    }
    if (!memory_grow(&drawing->item, &drawing->room, drawing->count + 1, sizeof *drawing->item,
                     "things to draw", &drawing->error))
        return;
    drawing->item[drawing->count++] = item;
}

void drawing_box(struct drawing *drawing, enum role fill, double x, double y, double w, double h)
{
    drawing_edged(drawing, fill, ROLE_NONE, 0, x, y, w, h);
}

void drawing_edged(struct drawing *drawing, enum role fill, enum role edge, double thick, double x,
                   double y, double w, double h)
{
    if (!(w > 0 && h > 0))
        return;
    add_item(drawing, (struct drawing_item){.shape = SHAPE_BOX,
                                            .role = (uint8_t)fill,
                                            .edge = (uint8_t)edge,
                                            .x = (float)x,
                                            .y = (float)y,
                                            .w = (float)w,
                                            .h = (float)h,
                                            .thick = (float)thick});
}

void drawing_line(struct drawing *drawing, enum role role, double thick, bool dotted, double x1,
                  double y1, double x2, double y2)
{
    add_item(drawing, (struct drawing_item){.shape = SHAPE_LINE,
                                            .role = (uint8_t)role,
                                            .dotted = dotted,
                                            .x = (float)x1,
                                            .y = (float)y1,
                                            .w = (float)(x2 - x1),
                                            .h = (float)(y2 - y1),
                                            .thick = (float)thick});
}

/* Hundredths of the font's size that the characters from ' ' to '~' are wide in DejaVu Sans or in
 * Liberation Sans, the widest of the fonts that the renderer takes, rounded up. */
static const uint8_t widths[][95] = {
    [FACE_PLAIN] =
        {
            32, 41, 46, 84, 64, 95, 78, 28, 39, 39, 50, 84, 32, 37,  32, 34, 64, 64, 64,
            64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 56, 102, 69, 69, 73, 77, 67,
            62, 78, 76, 30, 50, 67, 56, 87, 75, 79, 67, 79, 73, 67,  62, 74, 69, 99, 69,
            67, 69, 39, 34, 39, 84, 56, 50, 62, 64, 55, 64, 62, 36,  64, 64, 28, 28, 58,
            28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60,  53, 64, 34, 64, 84,
        },
    [FACE_BOLD] =
        {
            35, 46,  53, 84, 70, 101, 88, 31,  46, 46, 53, 84, 38, 42,  38, 37, 70, 70,  70,
            70, 70,  70, 70, 70, 70,  70, 40,  40, 84, 84, 84, 62, 100, 78, 77, 74, 83,  69,
            69, 83,  84, 38, 56, 78,  64, 100, 84, 85, 74, 85, 77, 72,  69, 82, 78, 111, 78,
            73, 73,  46, 37, 46, 84,  56, 50,  68, 72, 60, 72, 68, 44,  72, 72, 35, 35,  67,
            35, 105, 72, 69, 72, 72,  50, 60,  48, 72, 66, 93, 65, 66,  59, 72, 37, 72,  84,
        },
};

static double character_width(char c, enum face face)
{
    if (face == FACE_CODE)
        return 0.605;
    bool bold = face == FACE_BOLD || face == FACE_MARKED_BOLD || face == FACE_TEX_BOLD;
    return c >= ' ' && c <= '~' ? widths[bold ? FACE_BOLD : FACE_PLAIN][c - ' '] / 100.0 : 1;
}

/* Whether a character is a raised digit. */
static bool is_raised(const char *s)
{
    static const char *const raised[] = {"¹", "²", "³"};
    for (int i = 0; i < 3; i++)
        if (!strncmp(s, raised[i], strlen(raised[i])))
            return true;
    return !strncmp(s, "\xe2\x81", 2);
}

/* Commands count as a letter, braces and the like do not. */
static double tex_width(const char *text, enum face face)
{
    double width = 0;
    while (*text) {
        size_t letters = strspn(text + (*text == '\\'), "abcdefghijklmnopqrstuvwxyz"
                                                        "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (*text == '\\') {
            width += 0.7;
            text += letters ? 1 + letters : text[1] ? 2 : 1;
        } else {
            width += strchr("${}_^", *text) ? 0 : character_width(*text, face);
            text++;
        }
    }
    return width;
}

double text_width(const char *text, double size, enum face face)
{
    if (face == FACE_TEX || face == FACE_TEX_BOLD)
        return size * tex_width(text, face);
    const double of_raised = 0.42;
    bool marked = face == FACE_MARKED || face == FACE_MARKED_BOLD, code = false;
    double width = 0;
    for (const char *s = text; *s; s++) {
        bool mark = marked && *s == '`';
        code ^= mark;
        if (!mark && ((unsigned char)*s & 0xC0) != 0x80)
            width += is_raised(s) ? of_raised : character_width(*s, code ? FACE_CODE : face);
    }
    return width * size;
}

double text_fit(const char *text, double width, double least, double most, enum face face)
{
    double size = width / text_width(text, 1, face) * (1 - 1e-9); /* rounding makes none too wide */
    return size > most ? most : size < least ? least : size;
}

static void add_text(struct drawing *drawing, const struct text_style *style, int degrees, double x,
                     double y, const char *text)
{
    size_t bytes = strlen(text) + 1;
    if (bytes == 1 || drawing->error.text[0])
        return;
    if (drawing->text_count + bytes > UINT32_MAX) {
        error_set(&drawing->error, "picture: too much text; show fewer rounds or a smaller trace");
        return;
    }
    if (!memory_grow(&drawing->text, &drawing->text_room, drawing->text_count + bytes, 1,
                     "bytes of text", &drawing->error))
        return;
    memcpy(drawing->text + drawing->text_count, text, bytes);
    add_item(drawing, (struct drawing_item){.shape = SHAPE_TEXT,
                                            .role = (uint8_t)style->role,
                                            .align = (uint8_t)style->align,
                                            .face = (uint8_t)style->face,
                                            .turn = (uint8_t)degrees,
                                            .x = (float)x,
                                            .y = (float)y,
                                            .thick = (float)style->size,
                                            .text = (uint32_t)drawing->text_count});
    drawing->text_count += bytes;
}

void drawing_text(struct drawing *drawing, const struct text_style *style, double x, double y,
                  const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_clean(text);
    add_text(drawing, style, 0, x, y, text);
}

void drawing_text_turned(struct drawing *drawing, const struct text_style *style, int degrees,
                         double x, double y, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_clean(text);
    add_text(drawing, style, degrees, x, y, text);
}

void drawing_mark(struct drawing *drawing, enum mark mark, enum role fill, enum role edge,
                  double thick, double size, double x, double y)
{
    add_item(drawing, (struct drawing_item){.shape = SHAPE_MARK,
                                            .role = (uint8_t)fill,
                                            .edge = (uint8_t)edge,
                                            .mark = (uint8_t)mark,
                                            .x = (float)x,
                                            .y = (float)y,
                                            .w = (float)size,
                                            .h = (float)size,
                                            .thick = (float)thick});
}

/* Marks of one size cover about the same area. */
int mark_corners(const struct drawing_item *item, double x[MARK_CORNERS], double y[MARK_CORNERS])
{
    static const struct {
        int corners;
        double x[MARK_CORNERS], y[MARK_CORNERS]; /* in sizes, from the middle */
    } shapes[MARKS] = {
        [MARK_SQUARE] = {4, {-0.45, 0.45, 0.45, -0.45}, {-0.45, -0.45, 0.45, 0.45}},
        [MARK_TRIANGLE] = {3, {0, 0.62, -0.62}, {-0.66, 0.46, 0.46}},
        [MARK_DIAMOND] = {4, {0, 0.62, 0, -0.62}, {-0.62, 0, 0.62, 0}},
        [MARK_WEDGE] = {3, {0, 0.62, -0.62}, {0.66, -0.46, -0.46}},
    };
    double size = item->w - (item->edge != ROLE_NONE ? item->thick : 0);
    for (int i = 0; i < MARK_CORNERS; i++) {
        x[i] = item->x + shapes[item->mark].x[i] * size;
        y[i] = item->y + shapes[item->mark].y[i] * size;
    }
    return shapes[item->mark].corners;
}

void drawing_text_within(struct drawing *drawing, const struct text_style *style, double x,
                         double y, double width, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text - 4, format, arguments);
    va_end(arguments);
    text_clean(text);
    if (text_width(text, style->size, style->face) > width) {
        drawing->cut = true;
        double used = text_width("...", style->size, style->face);
        size_t end = 0, next = 0;
        while (text[next] && used <= width) {
            end = next;
            used += character_width(text[next], style->face) * style->size;
            do
                next++;
            while (((unsigned char)text[next] & 0xC0) == 0x80);
        }
        if (end == 0)
            return;
        strcpy(text + end, "...");
    }
    add_text(drawing, style, 0, x, y, text);
}

void drawing_path_within(struct drawing *drawing, const struct text_style *style, double x,
                         double y, double width, const char *path)
{
    const char *rest = path;
    double used = text_width(path, style->size, style->face);
    for (const char *next; used > width && (next = strchr(rest + 1, '/')); rest = next)
        used = text_width("...", style->size, style->face) +
               text_width(next, style->size, style->face);
    drawing_text_within(drawing, style, x, y, width, "%s%s", rest == path ? "" : "...", rest);
}

void drawing_text_smaller(struct drawing *drawing, const struct text_style *style, double x,
                          double y, double width, const char *text)
{
    enum { LEAST = 9 };
    struct text_style small = *style;
    if (style->size > LEAST)
        small.size = text_fit(text, width, LEAST, style->size, style->face);
    drawing_text_within(drawing, &small, x, y, width, "%s", text);
}

void drawing_place(struct drawing *drawing, const struct drawing *other, double x, double y,
                   double scale)
{
    float s = (float)scale;
    for (size_t i = 0; i < other->count; i++) {
        struct drawing_item item = other->item[i];
        item.x = (float)x + item.x * s;
        item.y = (float)y + item.y * s;
        item.w *= s;
        item.h *= s;
        item.thick *= s;
        if (item.shape != SHAPE_TEXT) {
            add_item(drawing, item);
            continue;
        }
        struct text_style style = {(enum role)item.role, item.thick, (enum align)item.align,
                                   (enum face)item.face};
        add_text(drawing, &style, item.turn, item.x, item.y,
                 drawing_string(other, &other->item[i]));
    }
    if (other->error.text[0])
        error_set(&drawing->error, "%s", other->error.text);
}

void drawing_bracket(struct drawing *drawing, double x1, double y1, double x2, double y2,
                     double tip)
{
    bool upright = x1 == x2;
    double thick = tip < 0 ? -tip / 5 : tip / 5, dx = upright ? tip : 0, dy = upright ? 0 : tip;
    drawing_line(drawing, ROLE_INK, thick, false, x1, y1, x2, y2);
    drawing_line(drawing, ROLE_INK, thick, false, x1, y1, x1 + dx, y1 + dy);
    drawing_line(drawing, ROLE_INK, thick, false, x2, y2, x2 + dx, y2 + dy);
}

void drawing_dots(struct drawing *drawing, double x, double y, double dx, double dy)
{
    double dot = (dx + dy) / 2;
    for (int i = -1; i <= 1; i++)
        drawing_box(drawing, ROLE_FAINT, x + i * dx - dot / 2, y + i * dy - dot / 2, dot, dot);
}

const char *drawing_string(const struct drawing *drawing, const struct drawing_item *item)
{
    return drawing->text + item->text;
}

struct rows drawing_rows(const struct drawing_item *item)
{
    double y = item->y, end = y + (double)item->h, thick = item->thick;
    if (item->shape == SHAPE_MARK)
        return (struct rows){y - item->h, y + item->h};
    if (item->turn) /* of any length */
        return (struct rows){-1e6, 1e6};
    if (item->shape == SHAPE_TEXT) /* room for marks on marks, in any script */
        return (struct rows){y - 2 * thick, y + thick};
    return (struct rows){(y < end ? y : end) - thick, (y < end ? end : y) + thick};
}

struct drawing_flaws drawing_flaws(const struct drawing *drawing)
{
    struct drawing_flaws flaws = {.unlabelled = drawing->unlabelled, .cut = drawing->cut};
    for (size_t i = 0; i < drawing->count; i++) {
        const struct drawing_item *item = &drawing->item[i];
        if (item->shape == SHAPE_TEXT && (flaws.smallest <= 0 || item->thick < flaws.smallest))
            flaws.smallest = item->thick;
    }
    return flaws;
}

static bool same_item(const struct drawing *before, const struct drawing_item *a,
                      const struct drawing *drawing, const struct drawing_item *b)
{
    struct drawing_item other = *b;
    other.text = a->text;
    return !memcmp(a, &other, sizeof *a) &&
           (a->shape != SHAPE_TEXT ||
            !strcmp(drawing_string(before, a), drawing_string(drawing, b)));
}

/* Adds those of the items from `from` up to `to`. */
static void add_rows(struct rows *rows, const struct drawing *drawing, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        struct rows of = drawing_rows(&drawing->item[i]);
        bool first = rows->top >= rows->bottom;
        rows->top = first || of.top < rows->top ? of.top : rows->top;
        rows->bottom = first || of.bottom > rows->bottom ? of.bottom : rows->bottom;
    }
}

struct rows drawing_difference(const struct drawing *before, const struct drawing *drawing)
{
    struct rows rows = {0, drawing->height};
    size_t begin = 0, end = drawing->count, before_end = before->count;
    if (before->width < drawing->width || before->width > drawing->width ||
        before->height < drawing->height || before->height > drawing->height)
        return rows;
    while (begin < end && begin < before_end &&
           same_item(before, &before->item[begin], drawing, &drawing->item[begin]))
        begin++;
    while (begin < end && begin < before_end &&
           same_item(before, &before->item[before_end - 1], drawing, &drawing->item[end - 1]))
        end--, before_end--;
    rows.bottom = 0;
    add_rows(&rows, before, begin, before_end);
    add_rows(&rows, drawing, begin, end);
    return rows;
}

static const char *const align_names[] = {"left", "centre", "right"};
static const char *const face_names[] = {"",     " bold",    " code", " marked", " marked bold",
                                         " tex", " tex bold"};
static const char *const mark_names[] = {"circle", "square", "triangle", "diamond", "wedge"};

bool drawing_dump(const struct drawing *drawing, FILE *file)
{
    fprintf(file, "page %.6g %.6g\n", drawing->width, drawing->height);
    for (size_t i = 0; i < drawing->count; i++) {
        const struct drawing_item *item = &drawing->item[i];
        const char *role = role_names[item->role];
        switch ((enum shape)item->shape) {
        case SHAPE_BOX:
            fprintf(file, "box %.6g %.6g %.6g %.6g %s", item->x, item->y, item->w, item->h, role);
            if (item->edge != ROLE_NONE)
                fprintf(file, " edge %s %.6g", role_names[item->edge], item->thick);
            fputc('\n', file);
            break;
        case SHAPE_LINE:
            fprintf(file, "line %.6g %.6g %.6g %.6g %s %.6g%s\n", item->x, item->y,
                    (double)item->x + (double)item->w, (double)item->y + (double)item->h, role,
                    item->thick, item->dotted ? " dotted" : "");
            break;
        case SHAPE_TEXT:
            fprintf(file, "text %.6g %.6g %s %.6g%s %s", item->x, item->y, align_names[item->align],
                    item->thick, face_names[item->face], role);
            if (item->turn)
                fprintf(file, " turned %d", item->turn);
            fprintf(file, " \"%s\"\n", drawing_string(drawing, item));
            break;
        case SHAPE_MARK:
            fprintf(file, "mark %.6g %.6g %.6g %s %s edge %s %.6g\n", item->x, item->y, item->w,
                    mark_names[item->mark], role, role_names[item->edge], item->thick);
            break;
        }
    }
    return !ferror(file);
}
