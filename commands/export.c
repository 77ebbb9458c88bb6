/* export.c - write a picture of recordings to a file. */
#include "commands/export.h"
#include "system/output.h"
#include "viewer/export/page.h"
#include "viewer/export/video.h"

#include <limits.h>
#include <string.h>

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
    "FILE.html is a web page that shows whole recordings as 'bankscope view' does; of a single\n"
    "CUDA program all of its launches, listed, unless --launch chooses one.\n"
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
    "  --per-row N        matrices side by side\n"
    "  --banks LIST       only these banks; dots stand for the others\n"
    "  --columns LIST     only these of the columns that would be shown (if it moves, of all)\n"
    "  --note NOTE        a bracket with words, a frame, or words in a cell: 'top 0-4: E = 5',\n"
    "                     'bottom 1: last', 'left 0-11: w banks', 'right 3: here',\n"
    "                     'frame 0-4, 2-5' (columns, banks), 'cell 17: x'; again for others\n"
    "  --raw-tex          .tex: your title, notes and legend are TeX\n"
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
                                      {"per-row", required_argument, NULL, OPTION_PER_ROW},
                                      {"banks", required_argument, NULL, OPTION_BANKS},
                                      {"columns", required_argument, NULL, OPTION_COLUMNS},
                                      {"note", required_argument, NULL, OPTION_NOTE},
                                      {"raw-tex", no_argument, NULL, OPTION_RAW_TEX},
                                      {NULL, 0, NULL, 0}};

/* Loads what is to be shown of a trace: of a stage, one block of it; for a page, all stages. What is
 * recorded now is there as a whole. */
static bool load_trace(const struct export_request *request, struct subject *subject,
                       struct trace *trace, int *status, struct error *error)
{
    bool page = page_is_asked(request->output);
    struct trace_part part = {.last_block = INT_MAX, .warp = -1};
    part.stage = page ? NULL : request->choice.stage;
    part.one_block = part.stage && request->choice.block < 0;
    if ((page || part.stage) && request->choice.block >= 0)
        part.first_block = part.last_block = (int)request->choice.block;
    if (!subject_load(request->command, subject, &part, trace, status, error))
        return false;
    if (trace->count || !subject_is_file(subject) || !strcmp(subject->name, "-"))
        return true;
    trace_free(trace); /* that block has none of it: say what there is */
    return command_load(subject->name, NULL, trace, error);
}

/* Reads the command line. Returns the exit status. */
static int read_arguments(int argc, char **argv, struct export_request *request,
                          struct subjects *subjects)
{
    struct error error = {{0}};
    if (!subjects_read(subjects, argc, argv, "o:", export_longs, export_option, request))
        return 2;
    if (!request->output)
        return command_usage(argv[0], "where to? -o FILE.pdf names the picture");
    bool moves = video_is_asked(request->output), other = moves || page_is_asked(request->output);
    if (!other && !export_is_numbers(request->output) &&
        !export_is_format(request->output, &error)) {
        error_add(&error, ", .csv, .json, .html, .gif, .webm, .mp4");
        return command_wrong(argv[0], &error);
    }
    if (!export_options_suit(request))
        return 2;
    if (other && subjects->count > EXPORT_SIDES)
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
static int export(const struct export_request *request, struct subjects *subjects)
{
    struct trace trace[EXPORT_PARTS] = {{.count = 0}};
    struct trace_index index[EXPORT_PARTS] = {{.trace = NULL}};
    struct error error = {{0}};
    const char *name[EXPORT_PARTS];
    bool good = true;
    int flawed = 0, parts = subjects->count;
    for (int p = 0; good && p < parts; p++) {
        struct subject *subject = &subjects->subject[p];
        name[p] = subject->name;
        good = load_trace(request, subject, &trace[p], &flawed, &error) &&
               trace_index_init(&index[p], &trace[p], &error);
        if (good && !trace[p].count && !trace[p].end.complete)
            good = error_set(&error, "%.300s is cut before its first warp access; record it again",
                             name[p]);
        if (good)
            flawed |= command_check_end(request->command, name[p], &trace[p].end);
    }
    int status = !good                            ? command_fail(request->command, &error)
                 : page_is_asked(request->output) ? export_write_page(request, name, trace, parts)
                                                  : export_write(request, index, parts);
    for (int p = 0; p < parts; p++) {
        trace_index_free(&index[p]);
        trace_free(&trace[p]);
    }
    return status ? status : flawed;
}

int command_export(int argc, char **argv)
{
    struct export_request request = {.command = argv[0],
                                     .choice = {.block = -1, .warp = -1, .slot = -1}};
    command_words(argc, argv, request.origin, sizeof request.origin);
    struct subjects subjects = {.command = argv[0], .most = EXPORT_PARTS};
    int status = read_arguments(argc, argv, &request, &subjects);
#ifdef HAVE_DW
    if (!status && export_is_of_launches(&request, &subjects))
        status = export_write_launches(&request, &subjects.subject[0]);
    else
#endif
        if (!status)
        status = export(&request, &subjects);
    subjects_free(&subjects);
    return status;
}
