/* chart_options.c - see chart_options.h. */
#include "subject/chart_options.h"

enum chart_taken chart_option(const char *command, int option, const char *text, int64_t least,
                              struct chart_options *chart)
{
    struct error error = {{0}};
    switch (option) {
    case 'o':
        chart->path = text;
        return CHART_TAKEN;
    case CHART_WIDTH:
        return command_number(command, "--width", text, least, 1000, &chart->width) ? CHART_TAKEN
                                                                                    : CHART_WRONG;
    case CHART_THEME:
        chart->theme = theme_find(text, &error);
        return chart->theme ? CHART_TAKEN : (command_wrong(command, &error), CHART_WRONG);
    default:
        return CHART_OTHER;
    }
}

struct plot_output chart_output(const struct chart_options *chart)
{
    struct error none = {{0}};
    return (struct plot_output){.path = chart->path,
                                .width = (double)chart->width * 72 / 25.4,
                                .theme = chart->theme ? chart->theme : theme_find("print", &none),
                                .about = {.origin = chart->origin, .program = chart->program}};
}
