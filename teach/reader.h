/* reader.h - what reading a lesson's file shares: read.c takes its Markdown apart, fence.c its fenced
 * blocks. */
#ifndef BANKSCOPE_READER_H
#define BANKSCOPE_READER_H

#include "teach/teach.h"

/* Reading goes on only while error is empty, so that only the end needs a check. */
struct reader {
    struct lesson *lesson;
    struct error *error;
    int words;   /* of text, for the estimate of the time */
    size_t room; /* of lesson->block */
};

/* Puts file and line in front of what is wrong. Returns false. */
bool reader_fail(struct reader *reader, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A new block at the lesson's end, or NULL when there are too many. */
struct lesson_block *reader_block(struct reader *reader, enum lesson_kind kind, int line);

/* Reads a fenced block, whose first line is `line`: what follows the fence, and its text, of which
 * nothing is kept. */
void reader_fence(struct reader *reader, const char *info, const char *literal, int line);

#endif
