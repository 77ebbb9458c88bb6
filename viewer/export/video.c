/* video.c - moving pictures: ffmpeg makes them from frames. */
#include "viewer/export/video.h"
#include "base/memory.h"
#include "system/output.h"
#include "system/paths.h"
#include "system/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char hint[] = "install it (package ffmpeg)";

/* A file format, with the words that tell ffmpeg how to make it. */
static const struct video_format {
    const char *extension;
    bool palette; /* it has 256 colours: the second input */
    const char *word[24];
} video_formats[] = {
    {"gif",
     true,
     {"-lavfi", "paletteuse=dither=none:diff_mode=rectangle", "-loop", "0", "-final_delay", "200",
      "-f", "gif"}},
    {"webm",
     false,
     {"-vf",
      "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
      "-colorspace",
      "bt709",
      "-color_primaries",
      "bt709",
      "-color_trc",
      "bt709",
      "-c:v",
      "libvpx-vp9",
      "-crf",
      "20",
      "-b:v",
      "0",
      "-row-mt",
      "1",
      "-metadata",
      "comment=Bankscope",
      "-f",
      "webm"}},
    {"mp4",
     false,
     {"-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-colorspace", "bt709",
      "-color_primaries", "bt709", "-color_trc", "bt709", "-c:v", "libx264", "-crf", "16",
      "-movflags", "+faststart", "-metadata", "comment=Bankscope", "-f", "mp4"}},
};
enum { VIDEO_FORMATS = sizeof video_formats / sizeof *video_formats };

static const struct video_format *format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && i < VIDEO_FORMATS; i++)
        if (strcasecmp(dot + 1, video_formats[i].extension) == 0)
            return &video_formats[i];
    return NULL;
}

bool video_is_asked(const char *path)
{
    return format_of(path) != NULL;
}

/* Runs ffmpeg; what it says goes to `said`. */
static int run_ffmpeg(const char *const *words, FILE *frames, FILE *said, struct error *error)
{
    FILE *null = fopen("/dev/null", "r+");
    if (!null)
        return error_set(error, "cannot open /dev/null: %s", strerror(errno)), -1;
    const struct program ffmpeg = {.words = words,
                                   .input = fileno(frames),
                                   .output = fileno(null),
                                   .messages = fileno(said),
                                   .hint = hint};
    int status = process_run(&ffmpeg, error);
    fclose(null);
    return status;
}

bool video_check(struct error *error)
{
    char path[4096];
    return tool_path("ffmpeg", path, sizeof path) ||
           error_set(error, "there is no ffmpeg here; %s", hint);
}

/* The palette as ffmpeg wants it: 16 x 16 pixels. Without alpha is the last one, which stands for
 * what a frame leaves as it was. */
static FILE *write_palette(const struct video *video)
{
    FILE *file = tmpfile();
    for (int i = 0; file && i < VIDEO_COLOURS + 1; i++) {
        uint32_t colour = i < video->colours ? video->colour[i] : video->colour[0];
        const uint8_t pixel[] = {(uint8_t)(colour >> 16), (uint8_t)(colour >> 8), (uint8_t)colour,
                                 i < VIDEO_COLOURS ? 255 : 0};
        fwrite(pixel, 1, sizeof pixel, file);
    }
    if (file)
        rewind(file);
    return file;
}

/* Whether ffmpeg has done it. When its disk is full it may end well, but says that it was. Its first line
 * is the cause; what follows are consequences. */
static bool check_end(int status, FILE *said, const char *path, struct error *error)
{
    char line[256] = "";
    rewind(said);
    while (fgets(line, sizeof line, said) && !line[strspn(line, " \r\n")])
        *line = '\0';
    line[strcspn(line, "\r\n")] = '\0';
    return (status == 0 && !*line) || error_set(error, "cannot write %.200s: ffmpeg failed: %s",
                                                path, *line ? line : "it does not say why");
}

static bool encode(const struct video *video, const char *path, FILE *palette, FILE *said,
                   struct error *error)
{
    enum { WORDS = 60 };
    const struct video_format *format = format_of(video->path);
    char rate[32], colours[32], *file = memory_new(strlen(path) + 8, 1);
    const char *words[WORDS] = {"ffmpeg", "-v",         "error",      "-nostdin", "-y",
                                "-f",     "image2pipe", "-framerate", rate,       "-c:v",
                                "png",    "-i",         "pipe:0"};
    int count = 0;
    while (words[count])
        count++;
    snprintf(rate, sizeof rate, "1000/%d", video->milliseconds);
    sprintf(file, "file:%s", path);
    if (format->palette) {
        const char *const more[] = {"-f",    "rawvideo", "-pixel_format", "rgba", "-video_size",
                                    "16x16", "-i",       colours};
        snprintf(colours, sizeof colours, "pipe:%d", fileno(palette));
        for (size_t i = 0; i < sizeof more / sizeof *more; i++)
            words[count++] = more[i];
    }
    for (int i = 0; format->word[i]; i++)
        words[count++] = format->word[i];
    words[count] = file;
    rewind(video->frames);
    int status = run_ffmpeg(words, video->frames, said, error);
    free(file);
    return status >= 0 && check_end(status, said, video->path, error);
}

/* Says in a GIF what made it, which ffmpeg does not do: a comment before its last byte. */
static bool sign_gif(const char *path, struct error *error)
{
    static const char comment[] = "\x21\xfe\x09"
                                  "Bankscope"
                                  "\0\x3b";
    FILE *file = fopen(path, "r+b");
    bool good = file && !fseek(file, -1, SEEK_END) && fgetc(file) == 0x3b &&
                !fseek(file, -1, SEEK_END) &&
                fwrite(comment, 1, sizeof comment - 1, file) == sizeof comment - 1;
    if (file)
        good = !fclose(file) && good;
    return good || error_set(error, "cannot write %s: %s", path, strerror(errno));
}

bool video_write(const struct video *video, struct error *error)
{
    struct output output;
    if (!output_open(&output, video->path, error))
        return false;
    FILE *palette = write_palette(video), *said = tmpfile();
    bool good = palette && said;
    if (!good)
        error_set(error, "cannot make a temporary file: %s", strerror(errno));
    good =
        good && encode(video, output.passing ? output.passing : output.path, palette, said, error);
    if (good && output.passing && format_of(video->path)->palette)
        good = sign_gif(output.passing, error);
    if (palette)
        fclose(palette);
    if (said)
        fclose(said);
    return output_close(&output, good, error);
}
