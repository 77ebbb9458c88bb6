/* page.c - web pages: what 'make page' made, with recordings in it. */
#include "viewer/export/page.h"
#include "system/file.h"
#include "system/output.h"
#include "system/packed.h"
#include "system/paths.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char mark[] = "<!--recordings-->\n"; /* where they go */

/* ---- text ------------------------------------------------------------------------------------ */

void html_text(FILE *file, const char *text)
{
    text_put(file, TEXT_HTML, text);
}

void html_base64(FILE *file, const unsigned char *byte, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        size_t left = count - i;
        uint32_t three = (uint32_t)byte[i] << 16 | (left > 1 ? (uint32_t)byte[i + 1] << 8 : 0) |
                         (left > 2 ? byte[i + 2] : 0);
        for (int k = 0; k < 4; k++)
            fputc((size_t)k <= left ? digits[three >> (18 - 6 * k) & 63] : '=', file);
    }
}

/* ---- recordings ------------------------------------------------------------------------------ */

/* A trace as bytes. */
static bool pack(const struct trace *trace, struct trace_bytes *bytes, struct error *error)
{
    struct trace_sink sink = trace_bytes_sink(bytes);
    bool good = sink.header(sink.context, &trace->header, error);
    for (size_t i = 0; good && i < trace->count; i++) {
        struct warp_access access = trace_get(trace, i);
        good = sink.access(sink.context, &access, error);
    }
    struct trace_end end = trace->end;
    end.warp_accesses = trace->count; /* of a part, the end counts all */
    return good && sink.end(sink.context, &end, error);
}

/* The bytes compressed, where this build can. *text is the caller's to free. */
static bool compress(const struct trace_bytes *bytes, char **text, size_t *length,
                     struct error *error)
{
    struct error cannot = {{0}};
    FILE *file = open_memstream(text, length);
    if (!file)
        return error_set(error, "out of memory for a page");
    struct packer *packer = packer_new(file, "recording.gz", &cannot);
    bool good = packer ? packer_write(packer, bytes->byte, bytes->count) && packer_finish(packer)
                       : fwrite(bytes->byte, 1, bytes->count, file) == bytes->count;
    packer_free(packer);
    good = fclose(file) == 0 && good;
    return good || error_set(error, "out of memory for a page");
}

static void put_launch(FILE *file, const struct page_launch *launch)
{
    fprintf(file,
            " data-launch=\"%" PRIu64 "\" data-passes=\"%" PRIu64 "\" data-conflicts=\"%" PRIu64
            "\" data-sectors=\"%" PRIu64 "\" data-kernel=\"",
            launch->number, launch->passes, launch->conflicts, launch->sectors);
    html_text(file, launch->kernel);
    fputs("\" data-shape=\"", file);
    html_text(file, launch->shape);
    fputc('"', file);
}

static bool put_recording(FILE *file, const struct page_recording *recording, struct error *error)
{
    struct trace_bytes bytes = {.byte = NULL};
    char *text = NULL;
    size_t length = 0;
    if (recording->trace->lane_count > PAGE_ACCESSES)
        return error_set(error,
                         "%s: %zu accesses are more than a page can hold (%d); choose a block with "
                         "--block N",
                         recording->name, recording->trace->lane_count, PAGE_ACCESSES);
    bool good = pack(recording->trace, &bytes, error) && compress(&bytes, &text, &length, error);
    if (good) {
        fputs("<script type=\"application/octet-stream\" class=\"recording\" data-name=\"", file);
        html_text(file, recording->name);
        if (strcmp(recording->name, recording->trace->header.kernel) != 0) { /* of which launch */
            fputs(": ", file);
            html_text(file, recording->trace->header.kernel);
        }
        fputc('"', file);
        if (recording->launch)
            put_launch(file, recording->launch);
        fputc('>', file);
        html_base64(file, (const unsigned char *)text, length);
        fputs("</script>\n", file);
    }
    free(bytes.byte);
    free(text);
    return good;
}

/* ---- the page -------------------------------------------------------------------------------- */

/* The page that make page made, with the compiler or without; the caller frees it. */
static char *read_page(bool compiler, struct error *error)
{
    const char *name = compiler ? "build/bankscope-write.html" : "build/bankscope.html";
    char path[4096];
    struct error none = {{0}};
    if (!data_path(name + strlen("build/"), path, sizeof path, &none) &&
        (none.text[0] = '\0', !data_path(name, path, sizeof path, &none))) {
        error_set(error, "the page is not there: 'make page' makes it, with clang, lld, wasi-libc, "
                         "libclang-rt-dev-wasm32, binaryen and zopfli");
        return NULL;
    }
    size_t length;
    char *text = file_read(path, 64 << 20, &length, error);
    if (!text || strstr(text, mark))
        return text;
    error_set(error, "%s is not the page that 'make page' makes", path);
    free(text);
    return NULL;
}

bool page_is_asked(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".html") == 0;
}

bool page_write(const char *path, const struct page *page, struct error *error)
{
    struct output output;
    char *text = read_page(page->compiler, error);
    if (!text || !output_open(&output, path, error)) {
        free(text);
        return false;
    }
    char *place = strstr(text, mark), *rest = place + sizeof mark - 1;
    bool good = true;
    fwrite(text, 1, (size_t)(place - text), output.file);
    for (int i = 0; good && i < page->recordings; i++)
        good = put_recording(output.file, &page->recording[i], error);
    if (page->article)
        fprintf(output.file, "<article id=\"article\">\n%s</article>\n", page->article);
    if (page->place) {
        fputs("<template id=\"place\" data-words=\"", output.file);
        html_text(output.file, page->place);
        fputs("\"></template>\n", output.file);
    }
    fputs(rest, output.file);
    free(text);
    return output_close(&output, good, error);
}
