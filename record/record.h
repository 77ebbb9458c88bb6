/* record.h - from a name or a file to a recording.
 *
 * What commands, lessons and figures share: kernels by name or compiled from a user's file (compile.c),
 * pages and videos (page.c, video.c), and many recordings at once (sweep.h). Nothing here chooses an exit
 * status, and nothing prints except a compiler's messages.
 */
#ifndef BANKSCOPE_RECORD_H
#define BANKSCOPE_RECORD_H

#include <stdio.h>
#include "kernels/catalogue.h"
#include "system/box.h"
#include "system/cache.h"
#include "system/paths.h"
#include "system/process.h"
#include "system/progress.h"

/* ---- video.c: moving pictures, by ffmpeg ------------------------------------------------------ */

enum { VIDEO_COLOURS = 255 };
struct video {
    const char *path;       /* .gif, .webm or .mp4 */
    FILE *frames;           /* PNG, one after another, of even width and height */
    int milliseconds;       /* that each is shown */
    const uint32_t *colour; /* 0xRRGGBB: those that a GIF keeps as they are, */
    int colours;            /* 1 to VIDEO_COLOURS; others become the nearest of them */
};
/* Whether the path's extension is one of a moving picture. */
bool video_is_asked(const char *path);
/* Whether there is an ffmpeg, to be asked before work begins; *error names its package. */
bool video_check(struct error *error);
/* Writes the file; false: *error says why, no half file is left. */
bool video_write(const struct video *video, struct error *error);

/* ---- compile.c ----------------------------------------------------------------------------- */

/* Whether the word is a kernel file of the user's own (ends in .cu or has a slash). */
bool record_is_kernel_file(const char *word);
/* The kernel of that name, or the one in that FILE.cu, compiled for the host with $CC or cc, and
 * for BACKEND_CUDA by nvcc or $NVCC for the GPU at hand. A compiled kernel stays loaded until the
 * program ends. NULL: *error says why. */
const struct kernel *record_kernel(const char *name_or_file, enum backend backend,
                                   struct error *error);
/* The kernel in a file that nobody compiles a second time, for the host. */
const struct kernel *record_kernel_once(const char *file, struct error *error);

/* Compiles a user's kernel for the host, from FILE.cu to a shared object, with passing files beside
 * that. The compiler is confined to the folder of the object if asked to; its messages go to the file
 * descriptor `messages`. */
bool record_compile(const char *file, const char *object, bool confined, int messages,
                    struct error *error);
/* The kernel of such an object, which stays loaded; `file` names it in messages. */
const struct kernel *record_load(const char *object, const char *file, struct error *error);
/* Only what a thread of it does: the object may have no more (KERNEL_ALONE in kernels/kernel.h). */
simt_body record_load_body(const char *object, const char *file, struct error *error);

/* ---- object.c: what a compiled object says (Linux) ----------------------------------------------- */

/* Whether everything that a shared object takes from others is allowed. false: `name` is the first that is
 * not; "": *error says why the object cannot be read. */
bool object_takes_only(const char *path, bool (*allowed)(void *context, const char *name),
                       void *context, char *name, size_t room, struct error *error);
/* The bytes from a place in an object to the end of the variable there; 0: unknown. */
size_t object_bytes_at(const char *path, uint64_t place);

/* ---- page.c: web pages with recordings in them ------------------------------------------------ */

/* A recording in a page. */
struct page_recording {
    const char *name; /* as its menu shows it; any text */
    const struct trace *trace;
};
/* The page that 'make page' makes, with recordings. */
struct page {
    const struct page_recording *recording;
    int recordings;
    const char
        *place; /* where to begin, a name and a value on each line ("stage merge"), or NULL */
    const char *article; /* HTML to read, beside which the picture opens when asked for; or NULL */
};
/* Whether a file's name asks for a page. */
bool page_is_asked(const char *path);
/* false: there is no page to put them in, a recording is too large, or it cannot be written. */
bool page_write(const char *path, const struct page *page, struct error *error);
/* Writes text so that HTML takes it for text, in an attribute's quotes too. */
void html_text(FILE *file, const char *text);
void html_base64(FILE *file, const unsigned char *byte, size_t count);

#endif
