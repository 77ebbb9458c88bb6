/* document.c - pages of drawings, written as one PDF. */
#include "system/output.h"
#include "viewer/export/export.h"

#include <cairo-pdf.h>
#include <stdlib.h>
#include <string.h>

struct drawing *document_page(struct document *document)
{
    struct error none = {{0}};
    if (!memory_grow(&document->page, &document->room, (size_t)document->pages + 1,
                     sizeof *document->page, "pages", &none))
        memory_exhausted();
    document->page[document->pages] = (struct drawing){.width = 0};
    return &document->page[document->pages++];
}

static void add_tag(struct document *document, size_t from, const char *name, char *words)
{
    struct error none = {{0}};
    const struct drawing *page = &document->page[document->pages - 1];
    if (!memory_grow(&document->tag, &document->tags_room, document->tags + 1,
                     sizeof *document->tag, "tags", &none))
        memory_exhausted();
    document->tag[document->tags++] =
        (struct document_tag){document->pages - 1, from, page->count, name, words};
}

void document_tag(struct document *document, size_t from, const char *name)
{
    add_tag(document, from, name, NULL);
}

void document_figure(struct document *document, size_t from, char *words)
{
    add_tag(document, from, "Figure", words);
}

void document_free(struct document *document)
{
    for (int i = 0; i < document->pages; i++)
        drawing_free(&document->page[i]);
    for (size_t i = 0; i < document->tags; i++)
        free(document->tag[i].words);
    free(document->tag);
    free(document->page);
    *document = (struct document){.page = NULL};
}

static cairo_status_t put_bytes(void *file, const unsigned char *bytes, unsigned length)
{
    return fwrite(bytes, 1, length, file) == length ? CAIRO_STATUS_SUCCESS
                                                    : CAIRO_STATUS_WRITE_ERROR;
}

/* A page's items from `from` up to, not including, `to`, where a line of text ends with a space before the next one:
 * who reads the words only would join them otherwise. For the caller to free. */
static struct drawing spaced_items(const struct drawing *page, size_t from, size_t to)
{
    struct drawing part = {.width = page->width, .height = page->height, .count = to - from};
    for (size_t i = from; i < to; i++)
        if (page->item[i].shape == SHAPE_TEXT)
            part.text_room += strlen(drawing_string(page, &page->item[i])) + 2;
    part.item = memory_new(part.count + 1, sizeof *part.item);
    part.text = memory_new(part.text_room + 1, 1);
    for (size_t i = 0; i < part.count; i++) {
        struct drawing_item *item = &part.item[i];
        *item = page->item[from + i];
        if (item->shape != SHAPE_TEXT)
            continue;
        const char *space = item->align == ALIGN_LEFT && i + 1 < part.count ? " " : "";
        const int bytes =
            sprintf(part.text + part.text_count, "%s%s", drawing_string(page, item), space);
        item->text = (uint32_t)part.text_count;
        part.text_count += (size_t)bytes + 1;
    }
    return part;
}

/* Draws some of a page's items, which have no tag. */
static void draw_items(struct renderer *renderer, cairo_t *cr, const struct drawing *page,
                       size_t from, size_t to, const struct theme *theme)
{
    struct drawing part = *page;
    part.item += from;
    part.count = to - from;
    if (part.count)
        renderer_draw(renderer, cr, &part, theme);
}

static bool is_item(const struct document *document, size_t tag, int page)
{
    return tag < document->tags && document->tag[tag].page == page &&
           !strcmp(document->tag[tag].name, "LI");
}

/* Draws a page with its tags, from *tag on. Items in a row are a list; one ends with its page. */
static void draw_page(struct renderer *renderer, cairo_t *cr, const struct document *document,
                      int i, size_t *tag, const struct theme *theme)
{
    const struct drawing *page = &document->page[i];
    size_t drawn = 0;
    for (; *tag < document->tags && document->tag[*tag].page == i; ++*tag) {
        const struct document_tag *now = &document->tag[*tag];
        const bool item = is_item(document, *tag, i);
        draw_items(renderer, cr, page, drawn, now->from, theme);
        if (item && !(*tag && is_item(document, *tag - 1, i)))
            cairo_tag_begin(cr, "L", NULL);
        cairo_tag_begin(cr, now->name, NULL);
        struct drawing spaced = spaced_items(page, now->from, now->to);
        renderer_draw(renderer, cr, &spaced, theme);
        drawing_free(&spaced);
        cairo_tag_end(cr, now->name);
        if (item && !is_item(document, *tag + 1, i))
            cairo_tag_end(cr, "L");
        drawn = now->to;
    }
    draw_items(renderer, cr, page, drawn, page->count, theme);
}

/* Writes the pages as cairo does. false: there was no memory for them. */
static bool draw_pages(const struct document *document, const struct theme *theme, FILE *file)
{
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(put_bytes, file, 595, 842);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "Bankscope");
    if (document->title)
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, document->title);
    export_date(surface);
    struct renderer *renderer = renderer_new();
    cairo_t *cr = cairo_create(surface);
    size_t tag = 0;
    for (int i = 0; renderer && i < document->pages; i++) {
        const struct drawing *page = &document->page[i];
        cairo_pdf_surface_set_size(surface, page->width, page->height);
        draw_page(renderer, cr, document, i, &tag, theme);
        cairo_show_page(cr);
    }
    bool good = renderer && cairo_status(cr) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(cr);
    renderer_free(renderer);
    cairo_surface_finish(surface);
    good = good && cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(surface);
    return good;
}

bool document_write(const struct document *document, const struct theme *theme, const char *path,
                    struct error *error)
{
    struct output output;
    char *pdf = NULL;
    size_t length;
    int figures = 0;
    for (int i = 0; i < document->pages; i++)
        if (document->page[i].error.text[0])
            return error_set(error, "%s", document->page[i].error.text);
    if (!load_cairo(error) || !output_open(&output, path, error))
        return false;
    FILE *memory = open_memstream(&pdf, &length);
    bool good = memory && draw_pages(document, theme, memory);
    good = memory && !fclose(memory) && good;
    const char **figure = memory_new(document->tags + 1, sizeof *figure);
    for (size_t i = 0; i < document->tags; i++)
        if (document->tag[i].words)
            figure[figures++] = document->tag[i].words;
    if (good)
        pdf_put(output.file, pdf, length, document->language ? document->language : "en", figure,
                figures);
    else
        error_set(error, "cannot write %s: out of memory for its pages", path);
    free(figure);
    free(pdf);
    return output_close(&output, good, error);
}
