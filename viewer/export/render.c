/* render.c - a drawing on a cairo surface.
 *
 * Stepping must redraw tens of thousands of cells within a frame, so neighbouring items of one
 * role go to cairo together, and text is shaped once: short numbers, which are nearly all of it,
 * from a table of glyphs per font size; the rest as Pango layouts in a cache. */
#include "viewer/export/export.h"

#include <pango/pangocairo.h>
#include <stdlib.h>
#include <string.h>

/* The first family that is installed; all have the plain digits that cells need. */
static const char families[] = "Liberation Sans, Arial, Helvetica, Noto Sans, DejaVu Sans, Sans";
static const char code_families[] = "Liberation Mono, DejaVu Sans Mono, Monospace";

static const char number_characters[] = "0123456789:+-.,";

static const double DOT = 1.2, GAP = 1.4; /* of dotted lines, in their thickness */

enum { FONTS = 16, LAYOUTS = 1024, GLYPHS = 4096 };

/* One size and weight of the font, with the glyphs of numbers. */
struct number_font {
    double size; /* 0: free */
    uint8_t face;
    bool usable; /* every number character is in the font */
    cairo_scaled_font_t *font;
    unsigned long glyph[sizeof number_characters];
    double advance[sizeof number_characters];
};

/* A shaped text. */
struct shaped {
    char *text; /* NULL: free */
    double size;
    uint8_t face;
    double width;
    PangoLayout *layout;
};

struct renderer {
    PangoContext *pango;
    cairo_matrix_t matrix; /* of the surface that the caches are for */
    int next_font;
    struct number_font font[FONTS];
    struct shaped shaped[LAYOUTS];
    struct rows rows; /* that can be drawn on */
    int glyphs;
    cairo_glyph_t glyph[GLYPHS];
};

struct renderer *renderer_new(void)
{
    return calloc(1, sizeof(struct renderer));
}

static void forget_fonts(struct renderer *renderer)
{
    for (int i = 0; i < FONTS; i++) {
        if (renderer->font[i].font)
            cairo_scaled_font_destroy(renderer->font[i].font);
        renderer->font[i] = (struct number_font){0};
    }
    for (int i = 0; i < LAYOUTS; i++) {
        free(renderer->shaped[i].text);
        if (renderer->shaped[i].layout)
            g_object_unref(renderer->shaped[i].layout);
        renderer->shaped[i] = (struct shaped){0};
    }
    if (renderer->pango)
        g_object_unref(renderer->pango);
    renderer->pango = NULL;
}

void renderer_free(struct renderer *renderer)
{
    if (!renderer)
        return;
    forget_fonts(renderer);
    free(renderer);
}

/* Makes the caches fit the context's scale. */
static void prepare(struct renderer *renderer, cairo_t *cr)
{
    cairo_matrix_t matrix;
    cairo_get_matrix(cr, &matrix);
    if (renderer->pango && matrix.xx == renderer->matrix.xx && matrix.yy == renderer->matrix.yy)
        return;
    forget_fonts(renderer);
    renderer->matrix = matrix;
    renderer->pango = pango_cairo_create_context(cr);
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    pango_cairo_context_set_font_options(renderer->pango, options);
    cairo_font_options_destroy(options);
    /* Where a unit is a point and not a pixel, whole units are too coarse for letters. */
    bool pixels = cairo_surface_get_type(cairo_get_target(cr)) == CAIRO_SURFACE_TYPE_IMAGE;
    pango_context_set_round_glyph_positions(renderer->pango, pixels);
}

/* Sets a marked text without its backquotes, and gives what stood between them the other font. */
static void set_marked(PangoLayout *layout, const char *text)
{
    char *plain = memory_copy(text);
    PangoAttrList *list = pango_attr_list_new();
    unsigned length = 0, begin = 0;
    bool code = false;
    for (; *text; text++) {
        if (*text != '`') {
            plain[length++] = *text;
            continue;
        }
        if (code) {
            PangoAttribute *font = pango_attr_family_new(code_families);
            PangoAttribute *size = pango_attr_scale_new(0.92); /* its letters look larger */
            font->start_index = size->start_index = begin;
            font->end_index = size->end_index = length;
            pango_attr_list_insert(list, font);
            pango_attr_list_insert(list, size);
        }
        code = !code;
        begin = length;
    }
    pango_layout_set_text(layout, plain, (int)length);
    pango_layout_set_attributes(layout, list);
    pango_attr_list_unref(list);
    free(plain);
}

static PangoLayout *lay_out(struct renderer *renderer, const char *text, double size, uint8_t face)
{
    bool bold = face == FACE_BOLD || face == FACE_MARKED_BOLD || face == FACE_TEX_BOLD;
    PangoLayout *layout = pango_layout_new(renderer->pango);
    PangoFontDescription *description =
        pango_font_description_from_string(face == FACE_CODE ? code_families : families);
    pango_font_description_set_absolute_size(description, size * PANGO_SCALE);
    pango_font_description_set_weight(description, bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    pango_layout_set_font_description(layout, description);
    pango_font_description_free(description);
    pango_layout_set_single_paragraph_mode(layout, TRUE);
    if (face == FACE_MARKED || face == FACE_MARKED_BOLD)
        set_marked(layout, text);
    else
        pango_layout_set_text(layout, text, -1);
    return layout;
}

/* ---- numbers ---- */

/* Shapes every number character once. */
static void fill_font(struct renderer *renderer, struct number_font *font, double size,
                      uint8_t face)
{
    PangoLayout *layout = lay_out(renderer, number_characters, size, face);
    PangoLayoutLine *line = pango_layout_get_line_readonly(layout, 0);
    const PangoLayoutRun *run = line && line->runs ? line->runs->data : NULL;
    if (font->font)
        cairo_scaled_font_destroy(font->font);
    *font = (struct number_font){.size = size, .face = face};
    if (run && !line->runs->next && run->glyphs->num_glyphs == (int)strlen(number_characters)) {
        PangoFont *pango_font = run->item->analysis.font;
        font->font = pango_cairo_font_get_scaled_font(PANGO_CAIRO_FONT(pango_font));
        font->usable = font->font != NULL;
        if (font->font)
            cairo_scaled_font_reference(font->font);
        for (int i = 0; i < run->glyphs->num_glyphs; i++) {
            const PangoGlyphInfo *glyph = &run->glyphs->glyphs[i];
            font->usable &= !(glyph->glyph & PANGO_GLYPH_UNKNOWN_FLAG);
            font->glyph[i] = glyph->glyph;
            font->advance[i] = (double)glyph->geometry.width / PANGO_SCALE;
        }
    }
    g_object_unref(layout);
}

static const struct number_font *number_font(struct renderer *renderer, double size, uint8_t face)
{
    for (int i = 0; i < FONTS; i++)
        if (renderer->font[i].size == size && renderer->font[i].face == face)
            return &renderer->font[i];
    struct number_font *font = &renderer->font[renderer->next_font];
    renderer->next_font = (renderer->next_font + 1) % FONTS;
    fill_font(renderer, font, size, face);
    return font;
}

/* The share of a text's width that lies left of its x. */
static double left_of(uint8_t align)
{
    return align == ALIGN_LEFT ? 0 : align == ALIGN_CENTRE ? 0.5 : 1;
}

/* Adds a number's glyphs to those waiting. false: not a number, or no room. */
static bool add_number(struct renderer *renderer, const struct number_font *font,
                       const struct drawing_item *item, const char *text)
{
    double width = 0;
    size_t length = strlen(text);
    if (!font->usable || renderer->glyphs + length > GLYPHS ||
        strspn(text, number_characters) != length)
        return false;
    cairo_glyph_t *glyph = &renderer->glyph[renderer->glyphs];
    for (size_t i = 0; i < length; i++) {
        size_t c = (size_t)(strchr(number_characters, text[i]) - number_characters);
        glyph[i] = (cairo_glyph_t){font->glyph[c], item->x + width, item->y};
        width += font->advance[c];
    }
    for (size_t i = 0; i < length; i++)
        glyph[i].x -= width * left_of(item->align);
    renderer->glyphs += (int)length;
    return true;
}

/* ---- other texts ---- */

static void draw_text(struct renderer *renderer, cairo_t *cr, const struct drawing_item *item,
                      const char *text)
{
    uint32_t hash = 2166136261u;
    for (const char *s = text; *s; s++)
        hash = (hash ^ (uint8_t)*s) * 16777619u;
    struct shaped *shaped = &renderer->shaped[(hash ^ hash >> 16) % LAYOUTS];
    if (!shaped->text || strcmp(shaped->text, text) != 0 || shaped->size != item->thick ||
        shaped->face != item->face) {
        free(shaped->text);
        if (shaped->layout)
            g_object_unref(shaped->layout);
        *shaped = (struct shaped){.text = strdup(text), .size = item->thick, .face = item->face};
        shaped->layout = lay_out(renderer, text, item->thick, item->face);
        PangoRectangle extents;
        pango_layout_line_get_extents(pango_layout_get_line_readonly(shaped->layout, 0), NULL,
                                      &extents);
        shaped->width = (double)extents.width / PANGO_SCALE;
    }
    cairo_move_to(cr, item->x - shaped->width * left_of(item->align), item->y);
    pango_cairo_show_layout_line(cr, pango_layout_get_line_readonly(shaped->layout, 0));
}

static const double half_turn = 3.14159265358979; /* in radians */

/* A text that rises: its fonts are others than those of level ones. */
static void draw_turned(cairo_t *cr, const struct drawing_item *item, const char *text)
{
    struct renderer *turned = renderer_new();
    struct drawing_item level = *item;
    level.x = level.y = 0;
    if (!turned)
        return;
    cairo_save(cr);
    cairo_translate(cr, item->x, item->y);
    cairo_rotate(cr, -item->turn * half_turn / 180);
    prepare(turned, cr);
    draw_text(turned, cr, &level, text);
    cairo_restore(cr);
    renderer_free(turned);
}

/* ---- the list ---- */

static void set_role(cairo_t *cr, const struct theme *theme, int role, double alpha)
{
    uint32_t colour = theme->colour[role];
    cairo_set_source_rgba(cr, (colour >> 16) / 255.0, (colour >> 8 & 255) / 255.0,
                          (colour & 255) / 255.0, alpha);
}

static bool can_be_seen(const struct renderer *renderer, const struct drawing_item *item)
{
    struct rows rows = drawing_rows(item);
    return rows.top < renderer->rows.bottom && rows.bottom > renderer->rows.top;
}

/* What neighbouring items must share to be drawn in one go. */
static bool together(const struct drawing_item *a, const struct drawing_item *b)
{
    return a->shape == b->shape && a->role == b->role && a->edge == b->edge && a->face == b->face &&
           a->dotted == b->dotted && a->thick == b->thick;
}

static void draw_boxes(const struct renderer *renderer, cairo_t *cr,
                       const struct drawing_item *item, size_t count, const struct theme *theme)
{
    set_role(cr, theme, item->role, 1);
    for (size_t i = 0; item->role != ROLE_NONE && i < count; i++) {
        if (!can_be_seen(renderer, &item[i]))
            continue;
        cairo_rectangle(cr, item[i].x, item[i].y, item[i].w, item[i].h);
        cairo_fill(cr); /* each by itself: one path of many boxes takes longer */
    }
    if (item->edge == ROLE_NONE)
        return;
    set_role(cr, theme, item->edge, 1);
    cairo_set_line_width(cr, item->thick);
    for (size_t i = 0; i < count; i++)
        if (can_be_seen(renderer, &item[i]))
            cairo_rectangle(cr, item[i].x + item[i].thick / 2, item[i].y + item[i].thick / 2,
                            item[i].w - item[i].thick, item[i].h - item[i].thick);
    cairo_stroke(cr);
}

/* Whether dots of this thickness are too small for pixels: then they look like a paler line, which
 * takes a tenth of the time. */
static bool blurred(cairo_t *cr, double thick)
{
    cairo_matrix_t matrix;
    cairo_get_matrix(cr, &matrix);
    return cairo_surface_get_type(cairo_get_target(cr)) == CAIRO_SURFACE_TYPE_IMAGE &&
           (DOT + GAP) * thick * matrix.xx < 3;
}

static void draw_lines(const struct renderer *renderer, cairo_t *cr,
                       const struct drawing_item *item, size_t count, const struct theme *theme)
{
    double dots[] = {DOT * item->thick, GAP * item->thick};
    bool pale = item->dotted && blurred(cr, item->thick);
    set_role(cr, theme, item->role, pale ? DOT / (DOT + GAP) : 1);
    cairo_set_line_width(cr, item->thick);
    cairo_set_dash(cr, dots, item->dotted && !pale ? 2 : 0, 0);
    for (size_t i = 0; i < count; i++) {
        if (!can_be_seen(renderer, &item[i]))
            continue;
        cairo_move_to(cr, item[i].x, item[i].y);
        cairo_rel_line_to(cr, item[i].w, item[i].h);
        if (pale)
            cairo_stroke(cr);
    }
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
}

static void draw_mark(cairo_t *cr, const struct drawing_item *item, const struct theme *theme)
{
    double x[MARK_CORNERS], y[MARK_CORNERS];
    int corners = mark_corners(item, x, y);
    cairo_new_path(cr);
    if (!corners)
        cairo_arc(cr, item->x, item->y, (item->w - item->thick) / 2, 0, 2 * half_turn);
    for (int i = 0; i < corners; i++)
        cairo_line_to(cr, x[i], y[i]);
    cairo_close_path(cr);
    set_role(cr, theme, item->role, 1);
    cairo_fill_preserve(cr);
    set_role(cr, theme, item->edge, 1);
    cairo_set_line_width(cr, item->thick);
    cairo_stroke(cr);
}

static void draw_glyphs(struct renderer *renderer, cairo_t *cr, const struct number_font *font)
{
    if (renderer->glyphs > 0) {
        cairo_set_scaled_font(cr, font->font);
        cairo_show_glyphs(cr, renderer->glyph, renderer->glyphs);
    }
    renderer->glyphs = 0;
}

static void draw_texts(struct renderer *renderer, cairo_t *cr, const struct drawing *drawing,
                       size_t from, size_t count, const struct theme *theme)
{
    const struct drawing_item *item = &drawing->item[from];
    const struct number_font *font = number_font(renderer, item->thick, item->face);
    set_role(cr, theme, item->role, 1);
    for (size_t i = 0; i < count; i++) {
        const char *text = drawing_string(drawing, &item[i]);
        if (!can_be_seen(renderer, &item[i]))
            continue;
        if (renderer->glyphs + strlen(text) > GLYPHS)
            draw_glyphs(renderer, cr, font);
        if (item[i].turn)
            draw_turned(cr, &item[i], text);
        else if (!add_number(renderer, font, &item[i], text))
            draw_text(renderer, cr, &item[i], text);
    }
    draw_glyphs(renderer, cr, font);
}

void renderer_draw(struct renderer *renderer, cairo_t *cr, const struct drawing *drawing,
                   const struct theme *theme)
{
    double left, right;
    prepare(renderer, cr);
    cairo_clip_extents(cr, &left, &renderer->rows.top, &right, &renderer->rows.bottom);
    for (size_t from = 0, to; from < drawing->count; from = to) {
        const struct drawing_item *item = &drawing->item[from];
        for (to = from + 1; to < drawing->count && together(item, &drawing->item[to]); to++)
            ;
        switch ((enum shape)item->shape) {
        case SHAPE_BOX:
            draw_boxes(renderer, cr, item, to - from, theme);
            break;
        case SHAPE_LINE:
            draw_lines(renderer, cr, item, to - from, theme);
            break;
        case SHAPE_TEXT:
            draw_texts(renderer, cr, drawing, from, to - from, theme);
            break;
        case SHAPE_MARK:
            for (size_t i = from; i < to; i++)
                draw_mark(cr, &drawing->item[i], theme);
            break;
        }
    }
}

/* ---- what has changed ---- */

/* Whole pixels that the rows touch, of a surface of that height. */
static struct rows pixels(struct rows rows, double scale, int height)
{
    int top = (int)(rows.top * scale), bottom = (int)(rows.bottom * scale + 1);
    if (rows.top >= rows.bottom || rows.bottom <= 0 || top >= height)
        return (struct rows){0, 0};
    return (struct rows){top < 0 ? 0 : top, bottom > height ? height : bottom};
}

/* The rows with all of each text that stands in them. */
static struct rows with_texts(struct rows rows, const struct drawing *drawing)
{
    struct rows wider = rows;
    for (size_t i = 0; i < drawing->count; i++) {
        struct rows text = drawing_rows(&drawing->item[i]);
        if (drawing->item[i].shape != SHAPE_TEXT || text.top >= rows.bottom ||
            text.bottom <= rows.top)
            continue;
        wider.top = text.top < wider.top ? text.top : wider.top;
        wider.bottom = text.bottom > wider.bottom ? text.bottom : wider.bottom;
    }
    return wider;
}

/* At the border of what it draws on, cairo also cuts what hinting adds at the other end of a letter. So
 * texts are drawn whole, elsewhere, and the rows copied. */
bool renderer_redraw(struct renderer *renderer, cairo_surface_t *surface, double scale,
                     const struct drawing *before, const struct drawing *drawing,
                     const struct theme *theme, struct rows *changed, struct error *error)
{
    int width = cairo_image_surface_get_width(surface);
    int height = cairo_image_surface_get_height(surface);
    struct rows rows = drawing_difference(before, drawing);
    const struct rows drawn = pixels(with_texts(rows, drawing), scale, height);
    *changed = pixels(rows, scale, height);
    if (changed->top >= changed->bottom)
        return true;
    bool whole = changed->bottom - changed->top >= height;
    int high = (int)(drawn.bottom - drawn.top);
    cairo_surface_t *part =
        whole ? surface : cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, high);
    cairo_t *cr = cairo_create(part);
    cairo_translate(cr, 0, whole ? 0 : -drawn.top);
    cairo_scale(cr, scale, scale);
    renderer_draw(renderer, cr, drawing, theme);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    cairo_surface_flush(part);
    int stride = cairo_image_surface_get_stride(part);
    int stride_there = cairo_image_surface_get_stride(surface);
    const unsigned char *from = cairo_image_surface_get_data(part);
    unsigned char *to = cairo_image_surface_get_data(surface);
    bool copies = !whole && status == CAIRO_STATUS_SUCCESS;
    for (int y = (int)changed->top; copies && y < (int)changed->bottom; y++)
        memcpy(to + (ptrdiff_t)y * stride_there, from + (ptrdiff_t)(y - (int)drawn.top) * stride,
               (size_t)width * 4);
    if (!whole)
        cairo_surface_destroy(part);
    return status == CAIRO_STATUS_SUCCESS ||
           error_set(error, "cannot draw the window: %s", cairo_status_to_string(status));
}
