/* export.h - drawings as files: PDF, SVG, PNG, TeX, several pages, moving pictures. */
#ifndef BANKSCOPE_VIEWER_EXPORT_H
#define BANKSCOPE_VIEWER_EXPORT_H

#include "viewer/scene/scene.h"

/* As cairo.h has them: only what draws with cairo needs that header. */
typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;

/* ---- moving.c: pictures that move --------------------------------------------------------------- */

/* The window's picture, one frame for each step of a stage, or in a race for each pass. */
struct moving {
    struct view *view;            /* in its stage; a race is one already */
    const struct numbers *rounds; /* only those of which some panel is in one; NULL: all */
    double width;                 /* of the page, in points */
    double scale;                 /* pixels of a point */
    void (*progress)(size_t done, size_t of);
    /* Filled in: */
    size_t frames;
    int wide, high; /* of a frame, in pixels */
    /* 0xRRGGBB: those of the theme that are in a frame, and then those that most pixels have. */
    uint32_t colour[255];
    int colours;
};
/* Writes the frames as PNG, one after another, of even width and height. Moves the view. */
bool moving_draw(struct moving *moving, FILE *file, struct error *error);

/* ---- libraries.c: cairo with Pango, and SDL ------------------------------------------------- */

/* The functions of a library may be called once it is loaded. Loading it again is cheap. */
bool load_cairo(struct error *error);
bool load_sdl(struct error *error);

/* ---- render.c: a drawing on a cairo surface ------------------------------------------------ */

/* Caches fonts and glyphs between frames; call load_cairo() before. NULL: out of memory. */
struct renderer *renderer_new(void);
void renderer_free(struct renderer *renderer);
/* Draws the list in the theme's colours; the context's matrix maps points to its units. Items above or
 * below its surface, or its clip, cost little. */
void renderer_draw(struct renderer *renderer, cairo_t *cr, const struct drawing *drawing,
                   const struct theme *theme);
/* Draws the list on an image surface that shows the list `before` in the same theme: only the rows in
 * which they differ. *changed: those, in pixels. */
bool renderer_redraw(struct renderer *renderer, cairo_surface_t *surface, double scale,
                     const struct drawing *before, const struct drawing *drawing,
                     const struct theme *theme, struct rows *changed, struct error *error);

/* ---- svg.c: a drawing as SVG ----------------------------------------------------------------- */

/* Returns true: whoever closes the file learns whether all could be written. title and description, of
 * the picture as a whole, may be NULL. */
bool svg_write(const struct drawing *drawing, const struct theme *theme, FILE *file);
bool svg_write_about(const struct drawing *drawing, const struct theme *theme, const char *title,
                     const char *description, FILE *file);

/* ---- export.c: a drawing as a file --------------------------------------------------------- */

/* What a file has beside the drawing. */
struct export_options {
    int dpi;             /* pixels an inch; 0: 300, or fewer where that becomes huge */
    const char *title;   /* of the file; or NULL */
    const char *origin;  /* how it was made, for people who find the file; or NULL */
    const char *program; /* "Bankscope 1.0.0 (1a2b3c4)", or NULL */
};

/* "COMMAND; Bankscope 1.0.0 (1a2b3c4)" in one line, or "". Returns `about`. */
enum { EXPORT_ABOUT = 5000 };
const char *export_about(const struct export_options *options, char *about, size_t size);

/* One file format. write returns whether the whole file was written. */
struct format {
    const char *extension; /* "pdf" */
    const char *what;      /* "vector figure with embedded fonts" */
    bool (*write)(const struct drawing *drawing, const struct theme *theme,
                  const struct export_options *options, FILE *file);
    bool with_cairo;
};

extern const struct format formats[]; /* a NULL extension ends the table */
/* Writes the drawing in the format that the path's extension names ("-": text to standard output).
 * options may be NULL.
 * false: *error says which formats there are, or what went wrong; no half file is left. */
bool export_drawing(const struct drawing *drawing, const struct theme *theme,
                    const struct export_options *options, const char *path, struct error *error);
/* What stands before and behind a picture in TeX, so that it compiles on its own with that package, as a
 * page of width x height points, and can be \input into a document that loads it. Colours are bs-ROLE. */
void tex_begin(const struct export_options *options, const struct theme *theme, const char *package,
               double width, double height, FILE *file);
void tex_end(FILE *file);
/* Gives a PDF its date. */
void export_date(cairo_surface_t *surface);
/* Writes text for TeX, in which none of it is a command. */
void tex_write(const char *text, FILE *file);
/* Checks the extension before work begins. */
bool export_is_format(const char *path, struct error *error);

/* ---- png.c: pixels as a PNG ---------------------------------------------------------------- */

/* Writes an image surface, flushed, and what the options say of it. options NULL: as a frame that is read
 * but once, five times as fast, and larger. */
bool png_write(cairo_surface_t *surface, const struct export_options *options, FILE *file);

/* ---- document.c: several pages ----------------------------------------------------------------- */

/* What some of a page's items are. */
struct document_tag {
    int page;
    size_t from, to; /* items */
    const char *name;
    char *words; /* of a figure, for those who cannot see it; owned */
};
/* Start from {0}. */
struct document {
    struct drawing *page;
    int pages;
    const char *title, *language; /* "de"; NULL: none, and English */
    size_t room;                  /* private */
    size_t tags, tags_room;
    struct document_tag *tag;
};
/* A new page at its end, empty. */
struct drawing *document_page(struct document *document);
/* Says what the last page's items are that were added since it had `from` of them: "H1", "P", "Figure", "Code", or "LI",
 * an item of a list (ISO 32000's standard structure types, never freed). Reading programs follow these; what has no tag
 * is decoration. */
void document_tag(struct document *document, size_t from, const char *name);
/* Tags a figure, with a description in words, which it takes over. */
void document_figure(struct document *document, size_t from, char *words);
void document_free(struct document *document);
/* Writes the pages, each of its own size, as one PDF, with its tags. */
bool document_write(const struct document *document, const struct theme *theme, const char *path,
                    struct error *error);

/* ---- pdf_words.c ---------------------------------------------------------------------------------- */

/* Writes a tagged PDF that cairo made, and adds that it is tagged, its language, and what its figures show. */
void pdf_put(FILE *file, const char *pdf, size_t length, const char *language,
             const char *const *figure, int figures);

#endif
