/* packed.c - bytes, compressed by gzip (zlib) or zstd, or as they are. */

#include "system/packed.h"
#include "base/memory.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

enum { CHUNK = 1 << 16 };

/* Each format has a state and these functions. `flush`: 0 continue, 1 make everything readable,
 * 2 end. */
struct packing {
    const char *extension, *library;
    unsigned char magic[4];
    size_t magic_bytes;
    void *(*reader)(void); /* NULL: not in this build */
    /* Consumes some of the input, fills some of the output. false: damaged. */
    bool (*read)(void *state, const unsigned char **from, size_t *left, unsigned char **to,
                 size_t *room);
    void (*end_reader)(void *state);
    void *(*writer)(void);
    /* Likewise. *more: call again with an empty buffer for the rest. */
    bool (*write)(void *state, const unsigned char **from, size_t *left, unsigned char **to,
                  size_t *room, int flush, bool *more);
    void (*end_writer)(void *state);
};

/* ---- gzip ------------------------------------------------------------------------------------ */

#ifdef HAVE_ZLIB
static void *gzip_reader(void)
{
    z_stream *stream = memory_new(1, sizeof *stream);
    if (inflateInit2(stream, 15 + 16) != Z_OK)
        memory_exhausted();
    return stream;
}

static bool gzip_read(void *state, const unsigned char **from, size_t *left, unsigned char **to,
                      size_t *room)
{
    z_stream *stream = state;
    stream->next_in = (unsigned char *)(uintptr_t)*from;
    stream->avail_in = (unsigned)*left;
    stream->next_out = *to;
    stream->avail_out = (unsigned)*room;
    int result = inflate(stream, Z_NO_FLUSH);
    *from = stream->next_in;
    *left = stream->avail_in;
    *to = stream->next_out;
    *room = stream->avail_out;
    if (result == Z_STREAM_END)
        return inflateReset(stream) == Z_OK; /* another may follow */
    if (result == Z_MEM_ERROR)
        memory_exhausted();
    return result == Z_OK || result == Z_BUF_ERROR;
}

static void gzip_end_reader(void *state)
{
    inflateEnd(state);
    free(state);
}

static void *gzip_writer(void)
{
    z_stream *stream = memory_new(1, sizeof *stream);
    if (deflateInit2(stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        memory_exhausted();
    return stream;
}

static bool gzip_write(void *state, const unsigned char **from, size_t *left, unsigned char **to,
                       size_t *room, int flush, bool *more)
{
    static const int how[] = {Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FINISH};
    z_stream *stream = state;
    stream->next_in = (unsigned char *)(uintptr_t)*from;
    stream->avail_in = (unsigned)*left;
    stream->next_out = *to;
    stream->avail_out = (unsigned)*room;
    int result = deflate(stream, how[flush]);
    *more = stream->avail_in || (flush && !stream->avail_out);
    *from = stream->next_in;
    *left = stream->avail_in;
    *to = stream->next_out;
    *room = stream->avail_out;
    return result != Z_STREAM_ERROR;
}

static void gzip_end_writer(void *state)
{
    deflateEnd(state);
    free(state);
}
#endif

/* ---- zstd ------------------------------------------------------------------------------------ */

#ifdef HAVE_ZSTD
static void *zstd_reader(void)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    if (!stream)
        memory_exhausted();
    return stream;
}

static bool zstd_read(void *state, const unsigned char **from, size_t *left, unsigned char **to,
                      size_t *room)
{
    ZSTD_inBuffer in = {*from, *left, 0};
    ZSTD_outBuffer out = {*to, *room, 0};
    size_t result = ZSTD_decompressStream(state, &out, &in);
    *from += in.pos;
    *left -= in.pos;
    *to += out.pos;
    *room -= out.pos;
    return !ZSTD_isError(result);
}

static void zstd_end_reader(void *state)
{
    ZSTD_freeDStream(state);
}

static void *zstd_writer(void)
{
    ZSTD_CStream *stream = ZSTD_createCStream();
    if (!stream || ZSTD_isError(ZSTD_CCtx_setParameter(stream, ZSTD_c_checksumFlag, 1)))
        memory_exhausted();
    return stream;
}

static bool zstd_write(void *state, const unsigned char **from, size_t *left, unsigned char **to,
                       size_t *room, int flush, bool *more)
{
    static const ZSTD_EndDirective how[] = {ZSTD_e_continue, ZSTD_e_flush, ZSTD_e_end};
    ZSTD_inBuffer in = {*from, *left, 0};
    ZSTD_outBuffer out = {*to, *room, 0};
    size_t result = ZSTD_compressStream2(state, &out, &in, how[flush]);
    *from += in.pos;
    *left -= in.pos;
    *to += out.pos;
    *room -= out.pos;
    *more = *left || (flush && result);
    return !ZSTD_isError(result);
}

static void zstd_end_writer(void *state)
{
    ZSTD_freeCStream(state);
}
#endif

static const struct packing PACKINGS[] = {
    {
        .extension = ".gz",
        .library = "zlib",
        .magic = {0x1f, 0x8b},
        .magic_bytes = 2,
#ifdef HAVE_ZLIB
        .reader = gzip_reader,
        .read = gzip_read,
        .end_reader = gzip_end_reader,
        .writer = gzip_writer,
        .write = gzip_write,
        .end_writer = gzip_end_writer,
#endif
    },
    {
        .extension = ".zst",
        .library = "libzstd",
        .magic = {0x28, 0xb5, 0x2f, 0xfd},
        .magic_bytes = 4,
#ifdef HAVE_ZSTD
        .reader = zstd_reader,
        .read = zstd_read,
        .end_reader = zstd_end_reader,
        .writer = zstd_writer,
        .write = zstd_write,
        .end_writer = zstd_end_writer,
#endif
    },
};
enum { WAYS = sizeof PACKINGS / sizeof PACKINGS[0] };

/* ---- reading --------------------------------------------------------------------------------- */

struct unpacker {
    FILE *file;
    const char *name;
    const struct packing *packing; /* NULL: as it is */
    void *state;
    bool begun;
    const unsigned char *at; /* what is left of the chunk */
    size_t left;
    unsigned char chunk[CHUNK];
};

struct unpacker *unpacker_new(FILE *file, const char *name)
{
    struct unpacker *unpacker = memory_new(1, sizeof *unpacker);
    unpacker->file = file;
    unpacker->name = name;
    return unpacker;
}

static void read_chunk(struct unpacker *unpacker)
{
    unpacker->at = unpacker->chunk;
    unpacker->left = fread(unpacker->chunk, 1, sizeof unpacker->chunk, unpacker->file);
}

static bool begin_unpacking(struct unpacker *unpacker, struct error *error)
{
    unpacker->begun = true;
    read_chunk(unpacker);
    for (int i = 0; i < WAYS; i++) {
        const struct packing *packing = &PACKINGS[i];
        if (unpacker->left < packing->magic_bytes ||
            memcmp(unpacker->chunk, packing->magic, packing->magic_bytes) != 0)
            continue;
        if (!packing->reader)
            return error_set(error,
                             "%s is compressed, and this program was built without %s; decompress "
                             "it first",
                             unpacker->name, packing->library);
        unpacker->packing = packing;
        unpacker->state = packing->reader();
    }
    return true;
}

size_t unpacker_read(struct unpacker *unpacker, void *bytes, size_t room, struct error *error)
{
    unsigned char *to = bytes;
    size_t empty = room;
    if (!unpacker->begun && !begin_unpacking(unpacker, error))
        return 0;
    if (!unpacker->packing) {
        if (!unpacker->left)
            return fread(bytes, 1, room, unpacker->file);
        size_t count = unpacker->left < room ? unpacker->left : room;
        memcpy(bytes, unpacker->at, count);
        unpacker->at += count;
        unpacker->left -= count;
        return count;
    }
    for (;;) {
        /* What the library still holds comes out even if there is no more input. */
        if (!unpacker->packing->read(unpacker->state, &unpacker->at, &unpacker->left, &to,
                                     &empty)) {
            error_set(error, "%s: the compressed data is damaged; get the file anew",
                      unpacker->name);
            return 0;
        }
        if (empty < room)
            return room - empty;
        if (!unpacker->left)
            read_chunk(unpacker);
        if (!unpacker->left)
            return 0;
    }
}

void unpacker_free(struct unpacker *unpacker)
{
    if (unpacker && unpacker->state)
        unpacker->packing->end_reader(unpacker->state);
    free(unpacker);
}

/* ---- writing --------------------------------------------------------------------------------- */

struct packer {
    FILE *file;
    const struct packing *packing;
    void *state;
    size_t used; /* bytes of `waiting`, which the library gets at once */
    unsigned char waiting[CHUNK], out[CHUNK];
};

struct packer *packer_new(FILE *file, const char *name, struct error *error)
{
    const struct packing *packing = NULL;
    size_t length = strlen(name);
    for (int i = 0; i < WAYS; i++) {
        size_t extension = strlen(PACKINGS[i].extension);
        if (length > extension && !strcmp(name + length - extension, PACKINGS[i].extension))
            packing = &PACKINGS[i];
    }
    if (packing && !packing->writer) {
        error_set(error, "%s: this program was built without %s; choose a name without %s", name,
                  packing->library, packing->extension);
        return NULL;
    }
    struct packer *packer = memory_new(1, sizeof *packer);
    packer->file = file;
    packer->packing = packing;
    packer->state = packing ? packing->writer() : NULL;
    return packer;
}

static bool pass_on(struct packer *packer, int flush)
{
    const unsigned char *from = packer->waiting;
    size_t left = packer->used;
    bool more = true;
    while (more) {
        unsigned char *to = packer->out;
        size_t room = sizeof packer->out;
        if (!packer->packing->write(packer->state, &from, &left, &to, &room, flush, &more)) {
            errno = ENOMEM; /* there is no other way in which this call can fail */
            return false;
        }
        size_t count = sizeof packer->out - room;
        if (count && fwrite(packer->out, count, 1, packer->file) != 1)
            return false;
    }
    packer->used = 0;
    return true;
}

bool packer_write(struct packer *packer, const void *bytes, size_t count)
{
    if (!packer->packing)
        return !count || fwrite(bytes, count, 1, packer->file) == 1;
    for (const unsigned char *from = bytes; count;) {
        size_t fits = sizeof packer->waiting - packer->used;
        fits = count < fits ? count : fits;
        memcpy(packer->waiting + packer->used, from, fits);
        packer->used += fits;
        from += fits;
        count -= fits;
        if (packer->used == sizeof packer->waiting && !pass_on(packer, 0))
            return false;
    }
    return true;
}

bool packer_flush(struct packer *packer)
{
    return (!packer->packing || pass_on(packer, 1)) && fflush(packer->file) == 0;
}

bool packer_finish(struct packer *packer)
{
    return !packer->packing || pass_on(packer, 2);
}

void packer_free(struct packer *packer)
{
    if (packer && packer->state)
        packer->packing->end_writer(packer->state);
    free(packer);
}
