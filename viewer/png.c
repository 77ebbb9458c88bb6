/* png.c - pixels as a PNG.
 *
 * zlib packs them as they are: flat colours need no filter. That takes half as long as it takes cairo, which
 * tries five for each row, and the file is smaller. Without zlib, cairo writes it.
 */
#include "viewer/viewer.h"

#include <cairo.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

/* The check sum of what came before and of these bytes. */
static uint32_t check_sum(uint32_t sum, const unsigned char *bytes, size_t count)
{
#ifdef HAVE_ZLIB
    return (uint32_t)crc32(sum, bytes, (uInt)count);
#else
    sum = ~sum;
    for (size_t i = 0; i < count; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum & 1 ? sum >> 1 ^ 0xEDB88320u : sum >> 1;
    }
    return ~sum;
#endif
}

static void take_number(uint32_t number, unsigned char *to)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *to++ = (unsigned char)(number >> shift);
}

static bool put_chunk(const char *type, const unsigned char *bytes, size_t count, FILE *file)
{
    unsigned char before[8], after[4];
    take_number((uint32_t)count, before);
    memcpy(before + 4, type, 4);
    take_number(check_sum(check_sum(0, before + 4, 4), bytes, count), after);
    return fwrite(before, 1, 8, file) == 8 && fwrite(bytes, 1, count, file) == count &&
           fwrite(after, 1, 4, file) == 4;
}

/* A text as a chunk: tEXt, which more programs show, or where it is not all ASCII, iTXt with the flags
 * of no compression and no language. */
static bool put_text(const char *keyword, const char *text, FILE *file)
{
    enum { MOST = 6000 };
    unsigned char chunk[MOST] = "";
    size_t used = strlen(keyword) + 1, length = text ? strlen(text) : 0;
    bool ascii = true;
    for (size_t i = 0; i < length; i++)
        ascii &= (unsigned char)text[i] < 0x80;
    if (!length)
        return true;
    memcpy(chunk, keyword, strlen(keyword)); /* what is behind it are zeros */
    used += ascii ? 0 : 4;
    length = length > MOST - used ? MOST - used : length;
    memcpy(chunk + used, text, length);
    return put_chunk(ascii ? "tEXt" : "iTXt", chunk, used + length, file);
}

static bool put_texts(const struct export_options *options, FILE *file)
{
    return !options || (put_text("Title", options->title, file) &&
                        put_text("Description", options->origin, file) &&
                        put_text("Software", options->program, file));
}

#ifdef HAVE_ZLIB
enum { CHUNK = 1 << 15 };

/* A row of pixels as a PNG has it: "0" and the pixels, or "2" and what must be added to the row above,
 * which is mostly zeros. */
static void take_row(cairo_surface_t *surface, int y, bool differences, unsigned char *to)
{
    int width = cairo_image_surface_get_width(surface);
    ptrdiff_t stride = cairo_image_surface_get_stride(surface);
    const unsigned char *at = cairo_image_surface_get_data(surface) + y * stride;
    const uint32_t *row = (const uint32_t *)(const void *)at;
    const uint32_t *above = (const uint32_t *)(const void *)(at - (y ? stride : 0));
    *to++ = differences ? 2 : 0;
    for (int x = 0; x < width; x++, to += 3) {
        uint32_t was = differences && y ? above[x] : 0;
        to[0] = (unsigned char)((row[x] >> 16) - (was >> 16));
        to[1] = (unsigned char)((row[x] >> 8) - (was >> 8));
        to[2] = (unsigned char)(row[x] - was);
    }
}

/* Packs what the packer has been given; writes each chunk that is full, and what is left at the end. */
static bool put_pixels(z_stream *packer, unsigned char *chunk, bool last, FILE *file)
{
    for (;;) {
        int result = deflate(packer, last ? Z_FINISH : Z_NO_FLUSH);
        bool full = packer->avail_out == 0, end = result == Z_STREAM_END;
        if (!full && !end)
            return result == Z_OK;
        if (!put_chunk("IDAT", chunk, CHUNK - packer->avail_out, file))
            return false;
        packer->next_out = chunk;
        packer->avail_out = CHUNK;
        if (end || (!last && packer->avail_in == 0))
            return true;
    }
}

bool png_write(cairo_surface_t *surface, const struct export_options *options, FILE *file)
{
    static const char signature[] = "\211PNG\r\n\032\n";
    unsigned char header[13] = {[8] = 8, [9] = 2}; /* bits, red green blue */
    int width = cairo_image_surface_get_width(surface);
    int height = cairo_image_surface_get_height(surface);
    bool fast = !options;
    z_stream packer = {.next_in = NULL};
    struct error none = {{0}};
    size_t length = 1 + 3 * (size_t)width;
    unsigned char *row = memory_array(length + CHUNK, 1, "bytes of a picture", &none);
    if (!row || deflateInit2(&packer, fast ? 1 : 6, Z_DEFLATED, 15, 8,
                             fast ? Z_RLE : Z_DEFAULT_STRATEGY) != Z_OK) {
        free(row);
        return false;
    }
    unsigned char *chunk = row + length;
    packer.next_out = chunk;
    packer.avail_out = CHUNK;
    take_number((uint32_t)width, header);
    take_number((uint32_t)height, header + 4);
    bool good = fwrite(signature, 1, 8, file) == 8 &&
                put_chunk("IHDR", header, sizeof header, file) && put_texts(options, file);
    for (int y = 0; good && y < height; y++) {
        take_row(surface, y, fast, row);
        packer.next_in = row;
        packer.avail_in = (uInt)length;
        good = put_pixels(&packer, chunk, y == height - 1, file);
    }
    deflateEnd(&packer);
    free(row);
    return good && put_chunk("IEND", header, 0, file);
}
#else
/* Passes bytes on, with texts behind the first chunk (signature and IHDR: 33 bytes). */
struct png_sink {
    FILE *file;
    const struct export_options *options;
    size_t written;
};

static cairo_status_t put_png(void *context, const unsigned char *bytes, unsigned length)
{
    enum { HEADER = 33 };
    struct png_sink *sink = context;
    size_t first = sink->written < HEADER ? HEADER - sink->written : 0;
    first = first > length ? length : first;
    bool good = fwrite(bytes, 1, first, sink->file) == first;
    if (first && sink->written + first == HEADER)
        good = good && put_texts(sink->options, sink->file);
    sink->written += length;
    good = good && fwrite(bytes + first, 1, length - first, sink->file) == length - first;
    return good ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

bool png_write(cairo_surface_t *surface, const struct export_options *options, FILE *file)
{
    struct png_sink sink = {file, options, 0};
    return cairo_surface_write_to_png_stream(surface, put_png, &sink) == CAIRO_STATUS_SUCCESS;
}
#endif
