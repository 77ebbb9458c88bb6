/* page.h - what page.c (what is shown) and page_record.c (what can be recorded) have in common. */
#ifndef BANKSCOPE_WEB_PAGE_H
#define BANKSCOPE_WEB_PAGE_H

#include "viewer/viewer.h"

#include <stdio.h>

#ifdef __wasm__
#define EXPORT(name) __attribute__((export_name(#name)))
#else /* for a test, which does the same natively */
#define EXPORT(name) static __attribute__((unused))
#endif

struct page {
    struct exhibit *loaded[PANELS]; /* by number; shown by the view, which owns it, unless closed */
    struct view view;
    struct desk desk;
    struct drawing still; /* the picture without what comes and goes */
    struct trace_bytes recorded;
    struct error error;
    char *room; /* for texts and bytes that come */
    size_t room_bytes;
    char *text;       /* the last one that went */
    uint32_t list[6]; /* what paint.js paints */
};

/* A file whose text becomes page->text when it is closed. */
FILE *page_begin_text(struct page *page, size_t *length);

#endif
