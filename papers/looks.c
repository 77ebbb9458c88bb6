/* looks.c - the look of a chart's curves, from what was run: the same in all figures. */
#include "papers/plot.h"

#include <stdlib.h>
#include <string.h>

/* Algorithms that the papers compare: warm colours for those with bank conflicts, blue for those without. */
static const struct {
    const char *kernel, *word; /* one of the recipe's, or NULL */
    int colour;
    bool hollow;
} algorithms[] = {
    {"thrust-merge", NULL, 0, false},   {"thrust-sort", "u=128", 3, true},
    {"thrust-sort", NULL, 0, false},    {"cf-merge", NULL, 1, false},
    {"cf-sort", NULL, 1, false},        {"sort", NULL, 1, false},
    {"cub-merge-sort", NULL, 2, false}, {"cub-radix-sort", NULL, 3, true},
    {"search-pbs", NULL, 0, false},     {"search-pbs-cf", NULL, 2, true},
    {"search-pbs-cl", NULL, 1, false},  {"colored-scan", "variant=naive", 0, false},
    {"colored-scan", NULL, 1, false},   {"colored-sums", "variant=naive", 0, false},
    {"colored-sums", NULL, 1, false},   {"bcf-sort", "pivots=on", 5, true},
    {"bcf-sort", NULL, 1, false},       {"shear-sort", "memory=shared", 5, true},
    {"shear-sort", NULL, 1, false},     {"odd-even-sort", NULL, 0, false},
    {"batcher-sort", NULL, 3, true},    {"warp-sort", NULL, 3, true},
};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

static const struct {
    const char *input;
    enum plot_line line;
} inputs[] = {
    {"random", LINE_RANDOM}, {"distinct", LINE_RANDOM}, {"duplicates", LINE_RANDOM},
    {"worst", LINE_WORST},   {"hardest", LINE_HARDEST},
};
enum { INPUTS = sizeof inputs / sizeof *inputs };

/* A recipe's two halves, each the caller's to free. */
struct run {
    char *algorithm, *input;
};

static struct run run_of(const char *recipe)
{
    static const char option[] = " --input ";
    const char *found = strstr(recipe, option);
    if (!found)
        return (struct run){memory_copy(recipe), memory_copy("random")};
    const char *input = found + sizeof option - 1, *rest = input + strcspn(input, " ");
    struct run run = {memory_new(strlen(recipe) + 1, 1),
                      memory_copy_of(input, strcspn(input, " ="))};
    sprintf(run.algorithm, "%.*s%s", (int)(found - recipe), recipe, rest);
    return run;
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length)
        if ((at == text || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    return false;
}

static bool used(const struct plot *plot, int before, int colour)
{
    for (int c = 0; c < before; c++)
        if (!plot->curve[c].look.alone && plot->curve[c].look.colour == colour)
            return true;
    return false;
}

static bool taken(const struct plot *plot, int before, int colour, bool hollow)
{
    for (int c = 0; c < before; c++)
        if (!plot->curve[c].look.alone && plot->curve[c].look.colour == colour &&
            plot->curve[c].look.hollow == hollow)
            return true;
    return false;
}

/* Sets colour and hollowness of curve c, which none before it has. */
static void choose_colour(struct plot *plot, int c, const char *algorithm)
{
    struct plot_look *look = &plot->curve[c].look;
    size_t name = strcspn(algorithm, " ");
    for (int i = 0; i < ALGORITHMS; i++)
        if (strlen(algorithms[i].kernel) == name &&
            !strncmp(algorithm, algorithms[i].kernel, name) &&
            (!algorithms[i].word || has_word(algorithm, algorithms[i].word))) {
            look->colour = algorithms[i].colour;
            look->hollow = algorithms[i].hollow;
            if (taken(plot, c, look->colour, look->hollow))
                look->hollow = !look->hollow;
            if (!taken(plot, c, look->colour, look->hollow))
                return;
            break;
        }
    look->colour = 0;
    look->hollow = false;
    while (look->colour < PLOT_COLOURS && used(plot, c, look->colour))
        look->colour++;
    look->hollow = look->colour % 2 == 1;
    for (int k = 0; look->colour == PLOT_COLOURS && k < 2 * PLOT_COLOURS; k++)
        if (!taken(plot, c, k / 2, k % 2)) {
            look->colour = k / 2;
            look->hollow = k % 2;
        }
    look->colour %= PLOT_COLOURS;
}

static bool line_taken(const struct plot *plot, int before, enum plot_line line)
{
    for (int c = 0; c < before; c++)
        if (!plot->curve[c].look.alone && plot->curve[c].look.line == line)
            return true;
    return false;
}

static void choose_line(struct plot *plot, int c, const char *input)
{
    enum plot_line line = LINE_FOURTH;
    for (int i = 0; i < INPUTS; i++)
        if (!strcmp(input, inputs[i].input))
            line = inputs[i].line;
    for (int k = 0; k < PLOT_LINES && line_taken(plot, c, line); k++)
        line = (line + 1) % PLOT_LINES;
    plot->curve[c].look.line = line;
}

void plot_looks(struct plot *plot, const char *const *recipe)
{
    struct run *run = memory_new((size_t)plot->curves, sizeof *run);
    for (int c = 0; c < plot->curves; c++) {
        struct plot_look *look = &plot->curve[c].look;
        *look = (struct plot_look){.alone = !recipe[c]};
        run[c] = run_of(recipe[c] ? recipe[c] : "");
        if (look->alone)
            continue;
        int same_algorithm = 0, same_input = 0;
        while (!recipe[same_algorithm] || strcmp(run[same_algorithm].algorithm, run[c].algorithm))
            same_algorithm++;
        while (!recipe[same_input] || strcmp(run[same_input].input, run[c].input))
            same_input++;
        if (same_algorithm < c) {
            look->colour = plot->curve[same_algorithm].look.colour;
            look->hollow = plot->curve[same_algorithm].look.hollow;
        } else {
            choose_colour(plot, c, run[c].algorithm);
        }
        if (same_input < c)
            look->line = plot->curve[same_input].look.line;
        else
            choose_line(plot, c, run[c].input);
    }
    for (int c = 0; c < plot->curves; c++) {
        free(run[c].algorithm);
        free(run[c].input);
    }
    free(run);
}
