/* figure.c - draw a figure of the papers, or list them. */
#include "commands/command.h"
#include "viewer/drawing/preset.h"
#include "papers/papers.h"
#include "subject/chart_options.h"
#include "system/paths.h"
#include "system/output.h"

#include <limits.h>
#include <string.h>

const char figure_help[] =
    "usage: bankscope figure NAME -o FILE [--width MM] [--theme THEME] [--times FILE]\n"
    "       bankscope figure NAME --cells\n"
    "       bankscope figure --list\n"
    "\n"
    "Draws a figure of the papers from a recording made for it. FILE's extension chooses the\n"
    "format: pdf, svg, png, tex (TikZ) or txt (the drawing list). Charts come as pdf, svg,\n"
    "png, tex (pgfplots), or as numbers: txt, csv or json. Running times come from a file\n"
    "that 'bankscope bench' wrote; the program's own was measured on an H100.\n"
    "\n"
    "  -o FILE            where to write it\n"
    "  --width MM         its width in millimetres, 20 to 1000 (a chart's from 60); by default\n"
    "                     85 or 178, one or two columns of a paper\n" PRESET_HELP
    "  --theme THEME      print (the default), light or dark\n" COLOUR_HELP
    "  --times FILE       show these running times (bankscope bench NAME -o FILE)\n"
    "  --cells            print the cells as text instead, one line per bank\n"
    "  --list             list the figures, and why some are missing\n"
    "\n"
    "examples:\n"
    "  bankscope figure cfmerge-2 -o cfmerge-2.pdf\n"
    "  bankscope figure worstcase-3 -o slide.svg --theme dark --width 250\n";

enum { PRESET = OPTION_FIRST_FREE, COLOUR, TIMES, CELLS, LIST };
const struct option figure_longs[] = {CHART_OPTIONS,
                                      {"preset", required_argument, NULL, PRESET},
                                      {"colour", required_argument, NULL, COLOUR},
                                      {"times", required_argument, NULL, TIMES},
                                      {"cells", no_argument, NULL, CELLS},
                                      {"list", no_argument, NULL, LIST},
                                      {NULL, 0, NULL, 0}};

static const struct paper_figure *find_figure(const char *name, struct error *error)
{
    enum { ROOM = 100 };
    const char *names[ROOM + 1] = {NULL};
    for (int i = 0; paper_figures[i].name; i++) {
        if (strcmp(paper_figures[i].name, name) == 0)
            return &paper_figures[i];
        if (i < ROOM)
            names[i] = paper_figures[i].name;
    }
    error_unknown(error, "there is no figure", name, names, "'bankscope figure --list' shows them");
    return NULL;
}

static void list_figures(const struct times *times)
{
    for (const struct paper_figure *figure = paper_figures; figure->name; figure++) {
        struct error why = {{0}};
        bool possible = paper_figure_possible(figure, times, &why);
        const char *text = possible ? figure->caption : why.text, *end = strstr(text, ". ");
        printf("%-14s %s%.*s\n", figure->name,
               possible ? "" : "missing: ", end ? (int)(end + 1 - text) : (int)strlen(text), text);
    }
}

/* The times of that file, or, if it is NULL, those that come with the program, if there are any. */
static bool read_times(struct times *times, const char *path, struct error *error)
{
    char own[PATH_MAX];
    struct error none = {{0}};
    *times = (struct times){.count = 0};
    if (!path && !data_path(TIMES_FILE, own, sizeof own, &none))
        return true;
    return times_read(times, path ? path : own, error);
}

static bool write_figure(const struct paper_figure *figure, const struct times *times,
                         const struct plot_output *output, struct error *error)
{
    struct drawing_flaws flaws;
    if (!paper_figure_write(figure, times, output, &flaws, error))
        return false;
    command_warn_flaws("figure", flaws);
    if (strcmp(output->path, "-") != 0)
        paper_figure_origin(figure, times, stdout);
    return true;
}

int command_figure(int argc, char **argv)
{
    struct error error = {{0}};
    struct chart_options chart = {.width = 0}; /* what the figure takes */
    const char *times_path = NULL;
    struct times times;
    bool cells = false, list = false;
    const struct preset *preset = NULL;
    struct palette palette = {.changes = 0};
    int option;

    command_words(argc, argv, chart.origin, sizeof chart.origin);
    command_program(chart.program);
    while ((option = command_option(argc, argv, ":o:", figure_longs)) != -1) {
        switch (option) {
        case PRESET:
            if (!(preset = preset_find(optarg, &error)))
                return command_usage(argv[0], "%s", error.text);
            break;
        case COLOUR:
            if (!palette_add(&palette, optarg, &error))
                return command_usage(argv[0], "%s", error.text);
            break;
        case TIMES:
            times_path = optarg;
            break;
        case CELLS:
            cells = true;
            break;
        case LIST:
            list = true;
            break;
        default:
            if (chart_option(argv[0], option, optarg, 20, &chart) != CHART_TAKEN)
                return 2;
        }
    }
    if (list && (optind < argc || chart.path || cells))
        return command_usage(argv[0], "--list takes no NAME, -o or --cells");
    if (!list && argc - optind != 1)
        return command_usage(argv[0], argc == optind ? "which figure? --list shows them"
                                                     : "one figure at a time");
    const struct paper_figure *figure = list ? NULL : find_figure(argv[optind], &error);
    if (!list && !figure)
        return command_wrong(argv[0], &error);
    if (!list && !chart.path == !cells)
        return command_usage(argv[0], "say where to write %s with -o FILE, or ask for its --cells",
                             figure->name);
    if (cells && paper_figure_is_chart(figure))
        return command_usage(argv[0], "%s is a chart; -o FILE.txt writes its numbers",
                             figure->name);
    if (chart.path && !paper_figure_is_format(figure, chart.path, &error))
        return command_wrong(argv[0], &error);
    if (chart.path && !output_may_replace_work(chart.path, &error))
        return command_fail(argv[0], &error);
    struct plot_output output = chart_output(&chart);
    output.theme = palette_of(&palette, output.theme);
    if (!chart.width && preset)
        output.width = preset->width * 72 / 72.27;
    bool good = read_times(&times, times_path, &error);
    if (good && list)
        list_figures(&times);
    else if (good)
        good = cells ? paper_figure_cells(figure, stdout, &error)
                     : write_figure(figure, &times, &output, &error);
    times_free(&times);
    return good ? 0 : command_fail(argv[0], &error);
}
