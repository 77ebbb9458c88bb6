/* page.h - web pages with recordings in them. */
#ifndef BANKSCOPE_VIEWER_PAGE_H
#define BANKSCOPE_VIEWER_PAGE_H

#include "instrument/instrument.h"

#include <stdio.h>

/* What a list says of a launch. */
struct page_launch {
    uint64_t number, passes, conflicts, sectors;
    const char *kernel, *shape;
};
/* A recording in a page. */
struct page_recording {
    const char *name; /* as its menu shows it; any text */
    const struct trace *trace;
    const struct page_launch *launch; /* of a program, whose launches the page lists; or NULL */
};
/* The page that 'make page' makes, with recordings. */
struct page {
    const struct page_recording *recording;
    int recordings;
    /* Where to begin, a name and a value on each line ("stage merge"), or NULL. */
    const char *place;
    const char *article; /* HTML to read, beside which the picture opens when asked for; or NULL */
    bool compiler;       /* kernels are written in it: it has compiler and machine */
};
/* Whether a file's name asks for a page. */
bool page_is_asked(const char *path);
/* false: there is no page to put them in, a recording is too large, or it cannot be written. */
bool page_write(const char *path, const struct page *page, struct error *error);
/* Writes text so that HTML takes it for text, in an attribute's quotes too. */
void html_text(FILE *file, const char *text);
void html_base64(FILE *file, const unsigned char *byte, size_t count);

#endif
