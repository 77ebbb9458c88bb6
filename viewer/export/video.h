/* video.h - moving pictures, by ffmpeg. */
#ifndef BANKSCOPE_VIEWER_VIDEO_H
#define BANKSCOPE_VIEWER_VIDEO_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

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

#endif
