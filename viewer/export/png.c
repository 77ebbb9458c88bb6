/* png.c - pixels as a PNG, by libpng.
 *
 * A drawing is made of flat colours, which zlib packs well as they are: no filter is tried on its rows. A frame that
 * is read but once holds the differences to the row above, mostly zeros, as runs.
 */
#include "viewer/export/export.h"

#include <cairo.h>
#include <png.h>
#include <string.h>
#include <zlib.h>

/* A text as a chunk: tEXt, which more programs show, or where it is not all ASCII, iTXt. */
static void set_text(png_structp png, png_infop info, char *keyword, const char *text)
{
    bool ascii = true;
    for (const char *c = text ? text : ""; *c; c++)
        ascii &= (unsigned char)*c < 0x80;
    if (text && *text) /* which libpng copies */
        png_set_text(png, info,
                     &(png_text){.compression =
                                     ascii ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE,
                                 .key = keyword,
                                 .text = (char *)(uintptr_t)text},
                     1);
}

static void on_error(png_structp png, const char *what)
{
    (void)what;
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, const char *what)
{
    (void)png;
    (void)what;
}

static void set_packing(png_structp png, bool fast)
{
    png_set_compression_level(png, fast ? 1 : 6);
    png_set_compression_strategy(png, fast ? Z_RLE : Z_DEFAULT_STRATEGY);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, fast ? PNG_FILTER_UP : PNG_FILTER_NONE);
}

static bool put_all(png_structp png, png_infop info, cairo_surface_t *surface,
                    const struct export_options *options, FILE *file)
{
    if (setjmp(png_jmpbuf(png)))
        return false;
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)cairo_image_surface_get_width(surface),
                 (png_uint_32)cairo_image_surface_get_height(surface), 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (options) {
        set_text(png, info, "Title", options->title);
        set_text(png, info, "Description", options->origin);
        set_text(png, info, "Software", options->program);
    }
    set_packing(png, !options);
    png_write_info(png, info);
    /* cairo's pixels are words of 8 unused bits, red, green, blue. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    png_set_bgr(png);
    png_set_filler(png, 0, PNG_FILLER_AFTER);
#else
    png_set_filler(png, 0, PNG_FILLER_BEFORE);
#endif
    for (int y = 0; y < cairo_image_surface_get_height(surface); y++)
        png_write_row(png, cairo_image_surface_get_data(surface) +
                               y * (ptrdiff_t)cairo_image_surface_get_stride(surface));
    png_write_end(png, info);
    return true;
}

bool png_write(cairo_surface_t *surface, const struct export_options *options, FILE *file)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool good = info && put_all(png, info, surface, options, file);
    png_destroy_write_struct(&png, &info);
    return good;
}
