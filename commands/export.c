/* export.c - write a picture of one or two traces to a file. */
#include "commands/command.h"
#include "viewer/preset.h"
#include "system/output.h"
#include "viewer/page.h"
#include "viewer/video.h"
#include "viewer/viewer.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char export_help[] =
    "usage: bankscope export RECORDING... -o FILE.{pdf,svg,png,tex,txt,csv,json,html} [option]...\n"
    "       bankscope export RECORDING [RECORDING] -o FILE.{gif,webm,mp4} [--race] [option]...\n"
    "\n"
    "Draws the rounds of a stage as bank matrices, with one row per bank and one word per bank in\n"
    "each column, without the columns that the warp does not use. Accessed words are green, or\n"
    "red with a thick edge if their bank serves several words; the number at the end of a row\n"
    "says how many. Up to 16 recordings share one picture. RECORDING is a trace, or a kernel or\n"
    "CUDA program with its options, which is recorded first, as in 'bankscope view'.\n"
    "\n"
    "FILE.csv and .json have the picture's cells as numbers: round, bank, word, thread, value,\n"
    "and whether it is accessed alone or in a conflict.\n"
    "FILE.html is a web page that shows whole recordings as 'bankscope view' does.\n"
    "\n"
    "FILE.gif, .webm and .mp4 step through the stage as the window does, and need ffmpeg.\n"
    "\n"
    "  -o FILE            the picture; its extension names the format; '-' prints the\n"
    "                     matrices as text\n"
    "  --stage NAME       the stage (default: the one with the most conflicts); in other\n"
    "                     recordings, that of the same name, or else the same position\n"
    "  --rounds LIST      the rounds, as in 3 or 0-4 or 0,2,6-9, or all (default: all if they are\n"
    "                     few and small, otherwise the one with the most passes; all in a\n"
    "                     moving picture)\n"
    "  --slot N           of each round only this slot, from 0\n"
    "  --block N          the block (default: the first that uses memory in the stage)\n"
    "  --warp N           the warp of the block (default: likewise)\n"
    "  --width MM         width of the page (default 178, or 85 for a single matrix: two\n"
    "                     columns of a paper, or one; 254 for a moving picture)\n"
    "  --dpi N            pixels an inch of .png (default 300), .gif (72), .webm and .mp4 (144)\n"
    "  --theme NAME       light, print or dark (default: print)\n" COLOUR_HELP PRESET_HELP
    "  --label WHAT       what cells say: thread (the default), address or value\n"
    "  --title TEXT       instead of kernel, parameters, totals; '': none; again for\n"
    "                     other recordings\n"
    "  --legend WHAT      on, off (the default), or your words for its samples: served,waits\n"
    "  --no-degrees       no numbers at the ends of rows\n"
    "  --arrows           from each thread to the cells it accesses\n"
    "  --per-row N        matrices side by side\n"
    "  --cell MM          height of a cell in millimetres (default: as fits)\n"
    "  --banks LIST       only these banks; dots stand for the others\n"
    "  --columns LIST     only these of the columns that would be shown (if it moves, of all)\n"
    "  --note NOTE        a bracket with words, a frame, or words in a cell: 'top 0-4: E = 5',\n"
    "                     'bottom 1: last', 'left 0-11: w banks', 'right 3: here',\n"
    "                     'frame 0-4, 2-5' (columns, banks), 'cell 17: x'; again for others\n"
    "  --caption TEXT     title of the file; .tex: caption of the figure, when it is \\input\n"
    "  --tex-label NAME   .tex: its label, as in fig:merge\n"
    "  --raw-tex          .tex: your title, notes, legend and caption are TeX\n"
    "  --step-seconds S   moving pictures: show each step for S seconds (default 0.5)\n"
    "  --race             moving pictures: a frame for each pass; conflicts fall behind\n"
    "\n" SUBJECT_HELP "\n"
    "examples:\n"
    "  bankscope export worst.jsonl -o worst.pdf --stage merge --theme print\n"
    "  bankscope export stride s=5 stride s=6 -o strides.svg\n"
    "  bankscope export transpose -o read.pdf --preset ieee-column --banks 0-5,30-31 --columns "
    "0-7\n"
    "  bankscope export worst.jsonl cf.jsonl -o race.gif --race --step-seconds 0.3\n"
    "  bankscope export worst.jsonl -o -\n";

enum {
    OPTION_STAGE = OPTION_FIRST_FREE,
    OPTION_ROUNDS,
    OPTION_SLOT,
    OPTION_BLOCK,
    OPTION_WARP,
    OPTION_WIDTH,
    OPTION_DPI,
    OPTION_THEME,
    OPTION_LABEL,
    OPTION_SECONDS,
    OPTION_RACE,
    OPTION_COLOUR,
    OPTION_BANKS, /* these are for pictures, */
    OPTION_COLUMNS,
    OPTION_PRESET, /* and these for pictures that stand still */
    OPTION_TITLE,
    OPTION_LEGEND,
    OPTION_NO_DEGREES,
    OPTION_PER_ROW,
    OPTION_CELL,
    OPTION_NOTE,
    OPTION_CAPTION,
    OPTION_TEX_LABEL,
    OPTION_RAW_TEX,
    OPTION_ARROWS
};
const struct option export_longs[] = {SUBJECT_OPTIONS,
                                      {"output", required_argument, NULL, 'o'},
                                      {"stage", required_argument, NULL, OPTION_STAGE},
                                      {"rounds", required_argument, NULL, OPTION_ROUNDS},
                                      {"slot", required_argument, NULL, OPTION_SLOT},
                                      {"block", required_argument, NULL, OPTION_BLOCK},
                                      {"warp", required_argument, NULL, OPTION_WARP},
                                      {"width", required_argument, NULL, OPTION_WIDTH},
                                      {"dpi", required_argument, NULL, OPTION_DPI},
                                      {"theme", required_argument, NULL, OPTION_THEME},
                                      {"colour", required_argument, NULL, OPTION_COLOUR},
                                      {"label", required_argument, NULL, OPTION_LABEL},
                                      {"step-seconds", required_argument, NULL, OPTION_SECONDS},
                                      {"race", no_argument, NULL, OPTION_RACE},
                                      {"preset", required_argument, NULL, OPTION_PRESET},
                                      {"title", required_argument, NULL, OPTION_TITLE},
                                      {"legend", required_argument, NULL, OPTION_LEGEND},
                                      {"no-degrees", no_argument, NULL, OPTION_NO_DEGREES},
                                      {"per-row", required_argument, NULL, OPTION_PER_ROW},
                                      {"cell", required_argument, NULL, OPTION_CELL},
                                      {"banks", required_argument, NULL, OPTION_BANKS},
                                      {"columns", required_argument, NULL, OPTION_COLUMNS},
                                      {"note", required_argument, NULL, OPTION_NOTE},
                                      {"caption", required_argument, NULL, OPTION_CAPTION},
                                      {"tex-label", required_argument, NULL, OPTION_TEX_LABEL},
                                      {"raw-tex", no_argument, NULL, OPTION_RAW_TEX},
                                      {"arrows", no_argument, NULL, OPTION_ARROWS},
                                      {NULL, 0, NULL, 0}};

enum { PARTS = SUBJECTS, SIDES = 2 /* that step together */, NOTES = 32 };

struct request {
    const char *command, *output, *stage;
    const char *rounds_text; /* NULL: those that are best shown */
    struct numbers rounds;
    const struct theme *theme; /* NULL: the usual one */
    struct palette palette;
    int64_t block, warp; /* -1: the first that accesses memory in the stage */
    int64_t slot;        /* -1: all of a round */
    int64_t width;       /* in mm, 0: default */
    int64_t dpi;         /* 0: default */
    double seconds;      /* of a frame; 0: default */
    bool race;
    const struct preset *preset; /* or NULL */
    const char *title[PARTS];    /* NULL: made from the recording */
    int titles;
    const char *legend; /* NULL: none; "": the usual words */
    bool no_degrees, arrows;
    int64_t per_row; /* 0: as many as fit */
    double cell;     /* in mm, 0: as fits */
    struct numbers banks, columns;
    bool some_banks, some_columns;
    int notes;
    struct figure_note note[NOTES];
    const char *caption, *tex_label;
    bool raw_tex;      /* the words above are TeX's own */
    char origin[2000]; /* the command */
    const char *drawn; /* the last option given that is for pictures, or NULL */
    const char *paper; /* and that is for pictures that stand still */
    enum label label;
};

static int round_of(const struct figure_part *part, int step)
{
    return trace_index_step(part->index, part->stage, step)->round;
}

/* The stage asked for, in each trace. false: reported. */
static bool choose_stages(const struct request *request, const struct trace_index *index,
                          struct figure_part *part, int parts)
{
    int found = -1;
    for (int p = 0; p < parts; p++) {
        const struct trace_header *header = &index[p].trace->header;
        part[p].stage = request->stage ? header_stage(header, request->stage) : -1;
        if (found < 0)
            found = part[p].stage;
    }
    const struct trace_header *first = &index[0].trace->header;
    if (!request->stage) {
        found = part[0].stage = trace_index_worst_stage(&index[0]);
        for (int p = 1; p < parts && found < first->stages; p++)
            part[p].stage = header_stage(&index[p].trace->header, first->stage[found]);
    } else if (found < 0) {
        struct error error = {{0}};
        error_unknown(&error, "there is no stage", request->stage,
                      (const char *const *)first->stage, NULL);
        command_wrong(request->command, &error);
        return false;
    }
    for (int p = 0; p < parts; p++) {
        int last = index[p].trace->header.stages - 1;
        if (part[p].stage < 0)
            part[p].stage = found < last ? found : last;
    }
    return true;
}

/* Sets block and warp, those asked for checked against the trace. false: reported. */
static bool choose_warp(const struct request *request, struct figure_part *part)
{
    const struct trace_header *header = &part->index->trace->header;
    struct warp_access first;
    if (trace_index_first(part->index, part->stage, &first)) {
        part->block = first.block;
        part->warp = first.warp;
    }
    if (request->block >= 0) {
        part->block = (int)request->block;
        part->warp = 0;
    }
    if (request->warp >= 0)
        part->warp = (int)request->warp;
    if (part->block < header->blocks && part->warp < part->index->warps)
        return true;
    bool block = part->block >= header->blocks;
    command_usage(request->command, "--%s %d is out of range: %s has %ss 0 to %d",
                  block ? "block" : "warp", block ? part->block : part->warp, header->kernel,
                  block ? "block" : "warp", (block ? header->blocks : part->index->warps) - 1);
    return false;
}

/* Of each round only the slot that is asked for, which some round must have. Returns the exit status. */
static int choose_slot(const struct request *request, struct figure_part *part, int parts)
{
    int most = 0;
    bool any = request->slot < 0;
    for (int p = 0; p < parts; p++) {
        if (request->slot >= 0) {
            part[p].one_slot = true;
            part[p].slot = (int)request->slot;
        }
        for (int s = 0; !any && s < trace_index_steps(part[p].index, part[p].stage); s++) {
            const struct trace_step *step = trace_index_step(part[p].index, part[p].stage, s);
            bool shown = step->round >= part[p].first_round && step->round <= part[p].last_round &&
                         (!part[p].only || numbers_have(part[p].only, step->round));
            most = shown && step->slot > most ? step->slot : most;
        }
    }
    return any || request->slot <= most
               ? 0
               : command_usage(request->command,
                               "--slot %d is out of range: these rounds have slots 0 to %d",
                               (int)request->slot, most);
}

/* Sets the rounds of each part. Returns the exit status. */
static int choose_rounds(const struct request *request, struct figure_part *part, int parts)
{
    struct error error = {{0}};
    if (!request->rounds_text)
        return figure_choose_rounds(part, parts, &error) ? 0
                                                         : command_fail(request->command, &error);
    bool any = false;
    int low = 0, high = 0;
    for (int p = 0; p < parts; p++) {
        int steps = trace_index_steps(part[p].index, part[p].stage);
        low = steps ? round_of(&part[p], 0) : 0;
        high = steps ? round_of(&part[p], steps - 1) : 0;
        part[p].rounds = true;
        part[p].first_round = low;
        part[p].last_round = high;
        part[p].only = &request->rounds;
        if (!figure_rounds(&part[p])) { /* shown at its end, beside another */
            part[p].only = NULL;
            part[p].first_round = high;
        } else {
            any = true;
        }
    }
    if (!any)
        return command_usage(request->command,
                             "--rounds %s is out of range: stage %s has rounds %d "
                             "to %d",
                             request->rounds_text,
                             part[parts - 1].index->trace->header.stage[part[parts - 1].stage], low,
                             high);
    return 0;
}

/* Prints on standard output. Returns the exit status. */
static int print_parts(const struct request *request, const struct figure_part *part, int parts)
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
static void warn_high(const struct request *request, double height)
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
static int export_moving(const struct request *request, const struct figure_part *part, int parts)
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
        if (request->stage && header_stage(&part[p].index->trace->header, request->stage) >= 0)
            lead = p;
    }
    struct moving moving = {
        .view = &view,
        .rounds = request->rounds_text ? &request->rounds : NULL,
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
static void tell_origin(const struct request *request, const struct trace_index *index, int parts,
                        char *text, size_t size)
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

static const char *extension(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : "";
}

static bool is_numbers(const char *path)
{
    return !strcasecmp(extension(path), "csv") || !strcasecmp(extension(path), "json");
}

/* The picture's cells as numbers. Returns the exit status. */
static int write_numbers(const struct request *request, const struct figure *figure,
                         const struct export_options *options)
{
    char about[EXPORT_ABOUT];
    struct output output;
    struct error error = {{0}};
    const bool csv = !strcasecmp(extension(request->output), "csv");
    export_about(options, about, sizeof about);
    bool good = output_open(&output, request->output, &error);
    if (good) {
        good = figure_write_numbers(figure, csv ? FIGURE_CSV : FIGURE_JSON, about, output.file,
                                    &error);
        good = output_close(&output, good, &error);
    }
    return good ? 0 : command_fail(request->command, &error);
}

/* Draws and writes. Returns the exit status. */
static int export_traces(const struct request *request, const struct trace_index *index, int parts)
{
    struct figure_part part[PARTS] = {{0}};
    for (int p = 0; p < parts; p++) {
        part[p].index = &index[p];
        if (index[p].trace->count == 0) {
            struct error error = {{0}};
            error_set(&error, "%s: the trace has no accesses, nothing to draw; record it anew",
                      index[p].trace->header.kernel);
            return command_fail(request->command, &error);
        }
        part[p].label = request->label;
        part[p].degrees = !request->no_degrees;
        part[p].arrows = request->arrows;
        part[p].borders = part[p].used_columns = true;
        part[p].only_banks = request->some_banks ? &request->banks : NULL;
        part[p].only_columns = request->some_columns ? &request->columns : NULL;
        part[p].notes = request->notes;
        part[p].tex = request->raw_tex;
        part[p].note = request->note;
        if (request->titles)
            part[p].title = request->title[p < request->titles ? p : request->titles - 1];
    }
    if (!choose_stages(request, index, part, parts))
        return 2;
    for (int p = 0; p < parts; p++)
        if (!choose_warp(request, &part[p]))
            return 2;
    int status = choose_rounds(request, part, parts);
    if (!status)
        status = choose_slot(request, part, parts);
    if (status)
        return status;
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
                            .cell = request->cell * 72 / 25.4,
                            .legend = request->legend};
    char program[64], origin[4096];
    tell_origin(request, index, parts, origin, sizeof origin);
    const struct export_options options = {.dpi = (int)request->dpi,
                                           .title = request->caption,
                                           .label = request->tex_label,
                                           .tex = request->raw_tex,
                                           .origin = origin,
                                           .program = command_program(program)};
    if (is_numbers(request->output))
        return write_numbers(request, &figure, &options);
    struct drawing drawing = {0};
    struct error error = {{0}};
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

/* Writes a page that begins where the options say. Returns the exit status. */
static int export_page(const struct request *request, const char *const *names,
                       const struct trace *trace, int parts)
{
    struct page_recording recording[PARTS];
    struct error error = {{0}};
    char round[16], place[512] = "", *at = place, *end = place + sizeof place;
    bool staged = !request->stage;
    for (int p = 0; p < parts; p++)
        staged |= request->stage && header_stage(&trace[p].header, request->stage) >= 0;
    if (!staged) {
        error_unknown(&error, "there is no stage", request->stage,
                      (const char *const *)trace[0].header.stage, NULL);
        return command_wrong(request->command, &error);
    }
    snprintf(round, sizeof round, "%d", request->rounds.range[0].first);
    const char *const words[][2] = {{"stage", request->stage},
                                    {"round", request->rounds_text ? round : NULL},
                                    {"theme", request->theme->name},
                                    {"label", label_names[request->label]}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (words[i][1])
            at += snprintf(at, (size_t)(end - at), "%s %.100s\n", words[i][0], words[i][1]);
    if (request->block >= 0)
        at += snprintf(at, (size_t)(end - at), "block %d\n", (int)request->block);
    if (request->warp >= 0)
        snprintf(at, (size_t)(end - at), "warp %d\n", (int)request->warp);
    for (int p = 0; p < parts; p++) {
        const char *slash = strrchr(names[p], '/');
        recording[p] = (struct page_recording){slash ? slash + 1 : names[p], &trace[p]};
    }
    struct page page = {.recording = recording, .recordings = parts, .place = place};
    return page_write(request->output, &page, &error) ? 0 : command_fail(request->command, &error);
}

static bool take_decimal(const struct request *request, const char *option, const char *text,
                         double least, double most, double *number)
{
    char *end;
    *number = strtod(text, &end);
    if (end != text && !*end && *number >= least && *number <= most)
        return true;
    command_usage(request->command, "%s is '%s'; it must be a number from %g to %g", option, text,
                  least, most);
    return false;
}

static bool take_numbers(const struct request *request, const char *option, const char *text,
                         struct numbers *numbers)
{
    if (numbers_read(numbers, text))
        return true;
    command_usage(request->command, "%s is '%s'; it must be as in 3 or 0-4 or 0,2,6-9, or all",
                  option, text);
    return false;
}

/* Reads "A" or "A-B" and moves on behind it. */
static bool note_range(const char **text, int *first, int *last)
{
    int used = 0;
    if (sscanf(*text, " %6d-%6d%n", first, last, &used) != 2 || !used) {
        if (sscanf(*text, " %6d%n", first, &used) != 1)
            return false;
        *last = *first;
    }
    *text += used;
    return *first >= 0 && *last >= *first;
}

/* "left 0-4: E = 5" */
static bool take_note(struct request *request, const char *text)
{
    static const char *const kinds[] = {"top", "bottom", "left", "right", "frame", "cell"};
    size_t length = strcspn(text, " ");
    const char *rest = text + length;
    int kind = 0, first, last;
    while (kind <= NOTE_CELL &&
           (strlen(kinds[kind]) != length || strncmp(kinds[kind], text, length) != 0))
        kind++;
    if (request->notes == NOTES)
        return command_usage(request->command, "more than %d notes", NOTES), false;
    struct figure_note *note = &request->note[request->notes++];
    *note = (struct figure_note){.kind = kind};
    bool good = kind <= NOTE_CELL && note_range(&rest, &first, &last);
    if (good) {
        note->first_column = note->first_bank = first;
        note->last_column = note->last_bank = last;
        note->word = (uint32_t)first;
    }
    if (good && kind == NOTE_FRAME) {
        good = *rest++ == ',' && note_range(&rest, &note->first_bank, &note->last_bank) && !*rest;
    } else if (good) {
        good = *rest++ == ':' && *(rest += strspn(rest, " "));
        snprintf(note->text, sizeof note->text, "%s", good ? rest : "");
    }
    if (!good)
        command_usage(request->command,
                      "--note is '%s'; it must be as 'top 0-4: words' (or bottom, left, right), "
                      "'frame 0-4, 2-5' or 'cell 17: words'",
                      text);
    return good;
}

static bool take_label(struct request *request, const char *text)
{
    request->tex_label = text;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr(":-_.+/", *text))
            return command_usage(request->command,
                                 "--tex-label is '%s'; it may have letters, digits and : - _ . + /",
                                 request->tex_label),
                   false;
    return true;
}

/* Whether the options suit the kind of output; others would be ignored in silence. */
static bool check_options(const struct request *request)
{
    const char *dot = strrchr(request->output, '.');
    bool moves = video_is_asked(request->output), page = page_is_asked(request->output);
    bool tex = dot && !strcasecmp(dot, ".tex");
    bool text = !strcmp(request->output, "-");
    if (request->paper && (moves || page || text)) {
        command_usage(request->command, "--%s is for pictures that stand still, not for %s",
                      request->paper, request->output);
        return false;
    }
    if (request->drawn && (page || text)) {
        command_usage(request->command, "--%s is for pictures, not for %s", request->drawn,
                      request->output);
        return false;
    }
    if (request->palette.changes && page)
        return command_usage(request->command, "--colour is for pictures, not for %s",
                             request->output),
               false;
    if (request->slot >= 0 && (moves || page)) {
        command_usage(request->command, "--slot is for pictures that stand still, not for %s",
                      request->output);
        return false;
    }
    if (request->raw_tex && !tex)
        return command_usage(request->command, "--raw-tex is for .tex, not for %s",
                             request->output),
               false;
    if (request->tex_label && !tex) {
        command_usage(request->command, "--tex-label is for .tex, not for %s", request->output);
        return false;
    }
    if (moves || (!request->race && request->seconds <= 0)) {
        if (moves || !request->dpi || (dot && !strcasecmp(dot, ".png")))
            return true;
        command_usage(request->command, "--dpi is for .png, .gif, .webm and .mp4, not for %s",
                      request->output);
        return false;
    }
    command_usage(request->command, "%s is for moving pictures: .gif, .webm or .mp4, not %s",
                  request->race ? "--race" : "--step-seconds", request->output);
    return false;
}

/* Takes one option of pictures that stand still. false: reported. */
static bool take_paper(struct request *request, int option, const char *text)
{
    struct error error = {{0}};
    switch (option) {
    case OPTION_PRESET:
        request->preset = preset_find(text, &error);
        return request->preset || (command_usage(request->command, "%s", error.text), false);
    case OPTION_TITLE:
        if (request->titles == PARTS)
            return command_usage(request->command, "more than %d titles", PARTS), false;
        request->title[request->titles++] = text;
        return true;
    case OPTION_LEGEND:
        request->legend = !strcmp(text, "off") ? NULL : !strcmp(text, "on") ? "" : text;
        return true;
    case OPTION_NO_DEGREES:
        return request->no_degrees = true;
    case OPTION_PER_ROW:
        return command_number(request->command, "--per-row", text, 1, 1000, &request->per_row);
    case OPTION_CELL:
        return take_decimal(request, "--cell", text, 0.3, 50, &request->cell);
    case OPTION_NOTE:
        return take_note(request, text);
    case OPTION_CAPTION:
        request->caption = text;
        return true;
    case OPTION_ARROWS:
        return request->arrows = true;
    case OPTION_RAW_TEX:
        return request->raw_tex = true;
    default:
        return take_label(request, text);
    }
}

/* Takes one option. false: reported. */
static bool take_option(struct request *request, int option, const char *text)
{
    int label = 0;
    struct error error = {{0}};
    const struct option *row = export_longs;
    while (row->val != option)
        row++;
    if (option >= OPTION_PRESET) {
        request->paper = row->name;
        return take_paper(request, option, text);
    }
    if (option >= OPTION_BANKS)
        request->drawn = row->name;
    switch (option) {
    case 'o':
        request->output = text;
        return true;
    case OPTION_STAGE:
        request->stage = text;
        return true;
    case OPTION_ROUNDS:
        request->rounds_text = text;
        return take_numbers(request, "--rounds", text, &request->rounds);
    case OPTION_SLOT:
        return command_number(request->command, "--slot", text, 0, MAX_SLOTS - 1, &request->slot);
    case OPTION_BLOCK:
        return command_number(request->command, "--block", text, 0, MAX_BLOCKS, &request->block);
    case OPTION_WARP:
        return command_number(request->command, "--warp", text, 0, MAX_THREADS, &request->warp);
    case OPTION_WIDTH:
        return command_number(request->command, "--width", text, 20, 2000, &request->width);
    case OPTION_THEME:
        request->theme = theme_find(text, &error);
        if (!request->theme)
            command_wrong(request->command, &error);
        return request->theme != NULL;
    case OPTION_COLOUR:
        return palette_add(&request->palette, text, &error) ||
               (command_usage(request->command, "%s", error.text), false);
    case OPTION_LABEL:
        label = command_choice(request->command, "--label", text, label_names);
        request->label = (enum label)label;
        return label >= 0;
    case OPTION_SECONDS:
        return take_decimal(request, "--step-seconds", text, 0.02, 60, &request->seconds);
    case OPTION_RACE:
        return request->race = true;
    case OPTION_BANKS:
        request->some_banks = true;
        return take_numbers(request, "--banks", text, &request->banks);
    case OPTION_COLUMNS:
        request->some_columns = true;
        return take_numbers(request, "--columns", text, &request->columns);
    case OPTION_DPI:
        return command_number(request->command, "--dpi", text, 20, 1200, &request->dpi);
    default:
        return false;
    }
}

/* Loads what is to be shown of a trace: of a stage, one block of it; for a page, all stages. What is
 * recorded now is there as a whole. */
static bool load(const struct request *request, struct subject *subject, struct trace *trace,
                 int *status, struct error *error)
{
    bool page = page_is_asked(request->output);
    struct trace_part part = {.last_block = INT_MAX, .warp = -1};
    part.stage = page ? NULL : request->stage;
    part.one_block = part.stage && request->block < 0;
    if ((page || part.stage) && request->block >= 0)
        part.first_block = part.last_block = (int)request->block;
    if (!subject_load(request->command, subject, &part, trace, status, error))
        return false;
    if (trace->count || !subject_is_file(subject) || !strcmp(subject->name, "-"))
        return true;
    trace_free(trace); /* that block has none of it: say what there is */
    return command_load(subject->name, NULL, trace, error);
}

/* Reads the command line. Returns the exit status. */
static int read_arguments(int argc, char **argv, struct request *request, struct subjects *subjects)
{
    struct error error = {{0}};
    int option;
    while ((option = command_option(argc, argv, "-:o:" SUBJECT_SHORT, export_longs)) != -1) {
        if (option == '?')
            return 2;
        enum subject_taken taken = subjects_option(subjects, option, optarg, export_longs);
        if (taken == SUBJECT_WRONG ||
            (taken == SUBJECT_OTHER && !take_option(request, option, optarg)))
            return 2;
    }
    if (!subjects_rest(subjects, argc, argv))
        return 2;
    if (!subjects->count)
        return command_usage(argv[0], "which trace or kernel? 'bankscope list' shows the kernels");
    if (!request->output)
        return command_usage(argv[0], "where to? -o FILE.pdf names the picture");
    bool moves = video_is_asked(request->output), other = moves || page_is_asked(request->output);
    if (!other && !is_numbers(request->output) && !export_is_format(request->output, &error)) {
        error_add(&error, ", .csv, .json, .html, .gif, .webm, .mp4");
        return command_wrong(argv[0], &error);
    }
    if (!check_options(request))
        return 2;
    if (other && subjects->count > SIDES)
        return command_usage(argv[0], "%s steps through one or two recordings, not %d",
                             request->output, subjects->count);
    if (!request->theme)
        request->theme = (other && !moves) || !strcmp(request->output, "-")
                             ? themes
                             : theme_find("print", &error);
    request->theme = palette_of(&request->palette, request->theme);
    if (moves && !video_check(&error))
        return command_fail(argv[0], &error);
    for (int p = 0; p < subjects->count; p++)
        if (!output_is_not(request->output, subjects->subject[p].name, &error))
            return command_fail(argv[0], &error);
    if (!output_may_replace_work(request->output, &error))
        return command_fail(argv[0], &error);
    return subjects_find(subjects);
}

/* Loads or records, and writes. Returns the exit status. */
static int export(const struct request *request, struct subjects *subjects)
{
    struct trace trace[PARTS] = {{.count = 0}};
    struct trace_index index[PARTS] = {{.trace = NULL}};
    struct error error = {{0}};
    const char *name[PARTS];
    bool good = true;
    int flawed = 0, parts = subjects->count;
    for (int p = 0; good && p < parts; p++) {
        struct subject *subject = &subjects->subject[p];
        name[p] = subject->name;
        good = load(request, subject, &trace[p], &flawed, &error) &&
               trace_index_init(&index[p], &trace[p], &error);
        if (good)
            flawed |= command_check_end(request->command, name[p], &trace[p].end);
    }
    int status = !good                            ? command_fail(request->command, &error)
                 : page_is_asked(request->output) ? export_page(request, name, trace, parts)
                                                  : export_traces(request, index, parts);
    for (int p = 0; p < parts; p++) {
        trace_index_free(&index[p]);
        trace_free(&trace[p]);
    }
    return status ? status : flawed;
}

int command_export(int argc, char **argv)
{
    struct request request = {.command = argv[0], .block = -1, .warp = -1, .slot = -1};
    command_words(argc, argv, request.origin, sizeof request.origin);
    struct subjects subjects = {.command = argv[0], .most = PARTS};
    int status = read_arguments(argc, argv, &request, &subjects);
    if (!status)
        status = export(&request, &subjects);
    subjects_free(&subjects);
    return status;
}
