/* export_write.c - pictures of recordings: still, moving, as numbers. */
#include "commands/export.h"
#include "system/output.h"
#include "viewer/export/video.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Prints on standard output. Returns the exit status. */
static int print_parts(const struct export_request *request, const struct figure_part *part,
                       int parts)
{
    struct terminal terminal = terminal_of(stdout, request->theme);
    struct error error = {{0}};
    for (int p = 0; p < parts; p++) {
        if (p > 0)
            printf("\n");
        if (!terminal_print(&part[p], &terminal, 0, stdout, &error))
            return command_fail(request->command, &error);
    }
    return 0;
}

/* Whether the part is one matrix. */
static bool is_single(const struct figure_part *part)
{
    struct error ignored = {{0}};
    struct measured_part measured;
    bool single = figure_measure(&measured, part, &ignored) && measured.matrices == 1;
    figure_release(&measured);
    return single;
}

/* Says that the picture is higher than a page, if it is. */
static void warn_high(const struct export_request *request, double height)
{
    const double a4 = 297;
    double most = request->preset ? request->preset->height * 25.4 / 72.27 : a4;
    height *= 25.4 / 72;
    if (height > most)
        fprintf(stderr,
                "bankscope %s: the picture is %.0f mm high, and a page %.0f mm; fewer --rounds or "
                "--banks make it lower\n",
                request->command, height, most);
}

static void show_progress(size_t done, size_t of)
{
    command_progress(done, of, "frames");
}

/* Draws the frames and has them encoded. Returns the exit status. */
static int export_moving(const struct export_request *request, const struct figure_part *part,
                         int parts)
{
    enum { MILLIMETRES = 254, DPI = 144, GIF_DPI = 72 };
    const double seconds = request->seconds > 0 ? request->seconds : 0.5;
    const char *dot = strrchr(request->output, '.');
    int dpi = request->dpi ? (int)request->dpi : !strcasecmp(dot, ".gif") ? GIF_DPI : DPI;
    struct error error = {{0}};
    struct view view = {0};
    FILE *frames = tmpfile();
    bool good = frames || error_set(&error, "cannot make a temporary file: %s", strerror(errno));
    good = good && view_init(&view, part[0].index, parts > 1 ? part[1].index : NULL, &error);
    int lead = 0; /* the first that has the stage asked for */
    for (int p = parts - 1; good && p >= 0; p--) {
        view.panel[p].block = part[p].block;
        view.panel[p].warp = part[p].warp;
        if (request->choice.stage &&
            header_stage(&part[p].index->trace->header, request->choice.stage) >= 0)
            lead = p;
    }
    struct moving moving = {
        .view = &view,
        .rounds = request->choice.rounds,
        .width = (double)(request->width ? request->width : MILLIMETRES) * 72 / 25.4,
        .scale = dpi / 72.0,
        .progress = show_progress,
    };
    struct video video = {.path = request->output,
                          .frames = frames,
                          .milliseconds = (int)(seconds * 1000 + 0.5),
                          .colour = moving.colour};
    if (good) {
        view.theme = request->theme;
        view.label = request->label;
        view.no_overview = view.no_leader = true;
        view.only_banks = request->some_banks ? &request->banks : NULL;
        view.only_columns = request->some_columns ? &request->columns : NULL;
        view.active = lead;
        view_go(&view, part[lead].stage, 0, 0);
        view_race(&view, request->race);
        good = moving_draw(&moving, frames, &error);
        video.colours = moving.colours;
    }
    good = good && video_write(&video, &error);
    if (good) {
        text_put(stdout, TEXT_PLAIN, request->output);
        printf(": %zu frame%s of %d x %d pixels\n", moving.frames, moving.frames == 1 ? "" : "s",
               moving.wide, moving.high);
    }
    view_free(&view);
    if (frames)
        fclose(frames);
    return good ? 0 : command_fail(request->command, &error);
}

/* The command, and what each recording is. */
static void tell_origin(const struct export_request *request, const struct trace_index *index,
                        int parts, char *text, size_t size)
{
    snprintf(text, size, "%s", request->origin);
    for (int p = 0; p < parts; p++) {
        const struct trace_header *header = &index[p].trace->header;
        char params[512];
        header_params(header, params, sizeof params);
        text_add(text, size, "; %.80s%s, input %.80s, seed %" PRIu64 ", on %.80s", header->kernel,
                 params, header->input, header->seed,
                 *header->device ? header->device : header->backend);
    }
}

/* The picture's cells as numbers. Returns the exit status. */
static int write_numbers(const struct export_request *request, const struct figure *figure,
                         const struct export_options *options)
{
    char about[EXPORT_ABOUT];
    struct output output;
    struct error error = {{0}};
    const bool csv = !strcasecmp(strrchr(request->output, '.'), ".csv");
    export_about(options, about, sizeof about);
    bool good = output_open(&output, request->output, &error);
    if (good) {
        good = figure_write_numbers(figure, csv ? FIGURE_CSV : FIGURE_JSON, about, output.file,
                                    &error);
        good = output_close(&output, good, &error);
    }
    return good ? 0 : command_fail(request->command, &error);
}

int export_write(const struct export_request *request, const struct trace_index *index, int parts)
{
    struct figure_part part[EXPORT_PARTS] = {{0}};
    for (int p = 0; p < parts; p++) {
        part[p].index = &index[p];
        if (index[p].trace->count == 0) {
            struct error error = {{0}};
            error_set(&error, "%s: the trace has no accesses, nothing to draw; record it anew",
                      index[p].trace->header.kernel);
            return command_fail(request->command, &error);
        }
        part[p].label = request->label;
        part[p].degrees = true;
        part[p].borders = part[p].used_columns = true;
        part[p].only_banks = request->some_banks ? &request->banks : NULL;
        part[p].only_columns = request->some_columns ? &request->columns : NULL;
        part[p].notes = request->notes;
        part[p].tex = request->raw_tex;
        part[p].note = request->note;
        if (request->titles)
            part[p].title = request->title[p < request->titles ? p : request->titles - 1];
    }
    struct error error = {{0}};
    if (!figure_choose_as(part, parts, &request->choice, &error))
        return command_wrong(request->command, &error);
    if (video_is_asked(request->output))
        return export_moving(request, part, parts);
    if (strcmp(request->output, "-") == 0)
        return print_parts(request, part, parts);
    bool single = parts == 1 && is_single(part);
    double width = request->width    ? (double)request->width * 72 / 25.4
                   : request->preset ? request->preset->width * 72 / 72.27
                                     : (single ? 85 : 178) * 72 / 25.4;
    struct figure figure = {.parts = parts,
                            .part = part,
                            .width = width,
                            .per_row = (int)request->per_row,
                            .legend = request->legend};
    char program[64], origin[4096];
    tell_origin(request, index, parts, origin, sizeof origin);
    const struct export_options options = {
        .dpi = (int)request->dpi,
        .title = request->titles && *request->title[0] ? request->title[0] : NULL,
        .origin = origin,
        .program = command_program(program)};
    if (export_is_numbers(request->output))
        return write_numbers(request, &figure, &options);
    struct drawing drawing = {0};
    bool ok = figure_draw(&figure, &drawing, &error) &&
              export_drawing(&drawing, request->theme, &options, request->output, &error);
    if (ok) {
        text_put(stdout, TEXT_PLAIN, request->output);
        printf(": %.0f x %.0f mm\n", drawing.width * 25.4 / 72, drawing.height * 25.4 / 72);
        warn_high(request, drawing.height);
    }
    if (ok)
        command_warn_flaws(request->command, drawing_flaws(&drawing));
    drawing_free(&drawing);
    return ok ? 0 : command_fail(request->command, &error);
}
