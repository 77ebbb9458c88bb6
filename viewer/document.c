/* document.c - pages of drawings, written as one PDF. */
#include "system/output.h"
#include "viewer/export.h"

#include <cairo-pdf.h>
#include <stdlib.h>

struct drawing *document_page(struct document *document)
{
    struct error none = {{0}};
    if (!memory_grow(&document->page, &document->room, (size_t)document->pages + 1,
                     sizeof *document->page, "pages", &none))
        memory_exhausted();
    document->page[document->pages] = (struct drawing){.width = 0};
    return &document->page[document->pages++];
}

void document_free(struct document *document)
{
    for (int i = 0; i < document->pages; i++)
        drawing_free(&document->page[i]);
    free(document->page);
    *document = (struct document){.page = NULL};
}

static cairo_status_t put_bytes(void *file, const unsigned char *bytes, unsigned length)
{
    return fwrite(bytes, 1, length, file) == length ? CAIRO_STATUS_SUCCESS
                                                    : CAIRO_STATUS_WRITE_ERROR;
}

bool document_write(const struct document *document, const struct theme *theme, const char *path,
                    struct error *error)
{
    struct output output;
    for (int i = 0; i < document->pages; i++)
        if (document->page[i].error.text[0])
            return error_set(error, "%s", document->page[i].error.text);
    if (!load_cairo(error) || !output_open(&output, path, error))
        return false;
    cairo_surface_t *surface =
        cairo_pdf_surface_create_for_stream(put_bytes, output.file, 595, 842);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "Bankscope");
    export_date(surface);
    struct renderer *renderer = renderer_new();
    cairo_t *cr = cairo_create(surface);
    for (int i = 0; renderer && i < document->pages; i++) {
        const struct drawing *page = &document->page[i];
        cairo_pdf_surface_set_size(surface, page->width, page->height);
        renderer_draw(renderer, cr, page, theme);
        cairo_show_page(cr);
    }
    bool good = renderer && cairo_status(cr) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(cr);
    renderer_free(renderer);
    cairo_surface_finish(surface);
    good = good && cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(surface);
    if (!good && !ferror(output.file))
        error_set(error, "cannot write %s: out of memory for its pages", path);
    return output_close(&output, good, error);
}
