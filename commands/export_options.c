/* export_options.c - the options of `bankscope export`. */
#include "commands/export.h"
#include "viewer/export/page.h"
#include "viewer/export/video.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *extension(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : "";
}

bool export_is_numbers(const char *path)
{
    return !strcasecmp(extension(path), "csv") || !strcasecmp(extension(path), "json");
}

static bool read_decimal(const struct export_request *request, const char *option, const char *text,
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

static bool read_numbers(const struct export_request *request, const char *option, const char *text,
                         struct numbers *numbers)
{
    if (numbers_read(numbers, text))
        return true;
    command_usage(request->command, "%s is '%s'; it must be as in 3 or 0-4 or 0,2,6-9, or all",
                  option, text);
    return false;
}

static bool read_place(const struct export_request *request, const char *option, const char *text,
                       int64_t most, int *place)
{
    int64_t number;
    if (!command_number(request->command, option, text, 0, most, &number))
        return false;
    *place = (int)number;
    return true;
}

bool export_options_suit(const struct export_request *request)
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
    if (request->choice.slot >= 0 && (moves || page)) {
        command_usage(request->command, "--slot is for pictures that stand still, not for %s",
                      request->output);
        return false;
    }
    if (request->raw_tex && !tex)
        return command_usage(request->command, "--raw-tex is for .tex, not for %s",
                             request->output),
               false;
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

/* One option of pictures that stand still. false: reported. */
static bool still_option(struct export_request *request, int option, const char *text)
{
    struct error error = {{0}};
    switch (option) {
    case OPTION_PRESET:
        request->preset = preset_find(text, &error);
        return request->preset || (command_usage(request->command, "%s", error.text), false);
    case OPTION_TITLE:
        if (request->titles == EXPORT_PARTS)
            return command_usage(request->command, "more than %d titles", EXPORT_PARTS), false;
        request->title[request->titles++] = text;
        return true;
    case OPTION_LEGEND:
        request->legend = !strcmp(text, "off") ? NULL : !strcmp(text, "on") ? "" : text;
        return true;
    case OPTION_PER_ROW:
        return command_number(request->command, "--per-row", text, 1, 1000, &request->per_row);
    case OPTION_NOTE:
        if (request->notes == EXPORT_NOTES)
            return command_usage(request->command, "more than %d notes", EXPORT_NOTES), false;
        return figure_note_read(&request->note[request->notes++], text, &error) ||
               (command_usage(request->command, "%s", error.text), false);
    default:
        return request->raw_tex = true;
    }
}

bool export_option(void *context, int option, const char *text)
{
    struct export_request *request = context;
    int label = 0;
    struct error error = {{0}};
    const struct option *row = export_longs;
    while (row->val != option)
        row++;
    if (option >= OPTION_PRESET) {
        request->paper = row->name;
        return still_option(request, option, text);
    }
    if (option >= OPTION_BANKS)
        request->drawn = row->name;
    switch (option) {
    case 'o':
        request->output = text;
        return true;
    case OPTION_STAGE:
        request->choice.stage = text;
        return true;
    case OPTION_ROUNDS:
        request->choice.rounds_text = text;
        request->choice.rounds = &request->rounds;
        return read_numbers(request, "--rounds", text, &request->rounds);
    case OPTION_SLOT:
        return read_place(request, "--slot", text, MAX_SLOTS - 1, &request->choice.slot);
    case OPTION_BLOCK:
        return read_place(request, "--block", text, MAX_BLOCKS, &request->choice.block);
    case OPTION_WARP:
        return read_place(request, "--warp", text, MAX_THREADS, &request->choice.warp);
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
        return read_decimal(request, "--step-seconds", text, 0.02, 60, &request->seconds);
    case OPTION_RACE:
        return request->race = true;
    case OPTION_BANKS:
        request->some_banks = true;
        return read_numbers(request, "--banks", text, &request->banks);
    case OPTION_COLUMNS:
        request->some_columns = true;
        return read_numbers(request, "--columns", text, &request->columns);
    case OPTION_DPI:
        return command_number(request->command, "--dpi", text, 20, 1200, &request->dpi);
    default:
        return false;
    }
}
