/* plot.c - charts of numbers, by gnuplot: it reads a script and writes the picture to a pipe. */
#include "papers/papers.h"
#include "record/record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

bool plot_init(struct plot *plot, int points, int curves, struct error *error)
{
    *plot = (struct plot){.x_label = "", .y_label = ""};
    plot->x = memory_array((size_t)points, sizeof *plot->x, "points", error);
    plot->curve = memory_array((size_t)curves, sizeof *plot->curve, "curves", error);
    if (!plot->x || !plot->curve)
        return false;
    plot->points = points;
    for (; plot->curves < curves; plot->curves++) {
        double *y = memory_array((size_t)points, sizeof *y, "points", error);
        if (!y)
            return false;
        plot->curve[plot->curves].y = y;
    }
    return true;
}

void plot_free(struct plot *plot)
{
    for (int c = 0; c < plot->curves; c++) {
        free(plot->curve[c].title);
        free(plot->curve[c].y);
    }
    for (int i = 0; plot->bar && i < plot->points; i++)
        free(plot->bar[i]);
    free(plot->bar);
    free(plot->curve);
    free(plot->x);
    *plot = (struct plot){.points = 0};
}

/* A file format: gnuplot's terminal, with what makes fonts and lines have their size in points, and
 * the unit in which it takes the page's size; no terminal: numbers. */
struct plot_format {
    const char *extension, *terminal, *unit_name;
    double unit;                                                      /* points */
    void (*write)(const struct plot *plot, double width, FILE *file); /* without a terminal */
};

static void write_numbers(const struct plot *plot, double width, FILE *file);
static void write_tex(const struct plot *plot, double width, FILE *file);

static const struct plot_format plot_formats[] = {
    {"pdf", "pdfcairo fontscale 0.72 linewidth 0.8 pointscale 0.8", "in", 72, NULL},
    {"svg", "svg name 'Bankscope' linewidth 0.6", "", 1, NULL},
    {"png", "pngcairo fontscale 3.1 linewidth 3.1 pointscale 3.1", "", 72 / 300.0, NULL},
    {"tex", NULL, NULL, 0, write_tex},
    {"txt", NULL, NULL, 0, write_numbers},
};
enum { PLOT_FORMATS = sizeof plot_formats / sizeof plot_formats[0] };

static const struct plot_format *format_of(const char *path, struct error *error)
{
    const char *dot = strrchr(path, '.');
    if (strcmp(path, "-") == 0)
        return &plot_formats[PLOT_FORMATS - 1];
    for (int i = 0; dot && i < PLOT_FORMATS; i++)
        if (strcasecmp(dot + 1, plot_formats[i].extension) == 0)
            return &plot_formats[i];
    error_set(error, "%s: charts come as .pdf, .svg, .png, .tex or .txt (their numbers)", path);
    return NULL;
}

bool plot_check_path(const char *path, struct error *error)
{
    return format_of(path, error) != NULL;
}

/* The numbers in columns; for people also the names of bars, behind x. */
static void write_columns(const struct plot *plot, bool named, FILE *file)
{
    if (plot->title)
        fprintf(file, "# %s\n", plot->title);
    fprintf(file, "# %s%s", plot->x_label, named ? "\tname" : "");
    for (int c = 0; c < plot->curves; c++)
        fprintf(file, "\t%s", plot->curve[c].title);
    fprintf(file, "\n# the columns after the %s: %s\n", named ? "name" : "first", plot->y_label);
    for (int i = 0; i < plot->points; i++) {
        fprintf(file, "%.10g", plot->x[i]);
        if (named)
            fprintf(file, "\t%s", plot->bar[i]);
        for (int c = 0; c < plot->curves; c++)
            fprintf(file, isnan(plot->curve[c].y[i]) ? "\t?" : "\t%.6g", plot->curve[c].y[i]);
        fputc('\n', file);
    }
}

static void write_numbers(const struct plot *plot, double width, FILE *file)
{
    (void)width;
    write_columns(plot, plot->bar != NULL, file);
}

/* Names and colours of bars, for pgfplots. */
static void write_tex_bars(const struct plot *plot, FILE *file)
{
    fprintf(file, "xtick={");
    for (int i = 0, some = 0; i < plot->points; i++)
        if (*plot->bar[i])
            fprintf(file, "%s%d", some++ ? "," : "", i);
    fprintf(file, "}, xticklabels={");
    for (int i = 0, some = 0; i < plot->points; i++)
        if (*plot->bar[i]) {
            fprintf(file, "%s{", some++ ? "," : "");
            tex_write(plot->bar[i], file);
            fputc('}', file);
        }
    fprintf(file,
            "}, x tick label style={rotate=45,anchor=east}, ybar stacked, bar width=%.3gbp,\n"
            "  legend style={at={(0,1.02)},anchor=south west}, ",
            160.0 / plot->points);
}

/* For \input in a document that uses pgfplots. */
static void write_tex(const struct plot *plot, double width, FILE *file)
{
    fprintf(file,
            "%% \\usepackage{pgfplots}\n\\begin{tikzpicture}\n"
            "\\begin{axis}[width=%.4gbp, height=%.4gbp, ymin=0, ymajorgrids, legend pos=north "
            "west,%s\n  ",
            width, 0.7 * width, plot->x_powers ? " xmode=log, log basis x=2," : "");
    if (plot->title) {
        fprintf(file, "title={");
        tex_write(plot->title, file);
        fprintf(file, "}, ");
    }
    if (plot->bar)
        write_tex_bars(plot, file);
    if (plot->y_most > 0)
        fprintf(file, "ymax=%.6g, ", plot->y_most);
    fprintf(file, "xlabel={");
    tex_write(plot->x_label, file);
    fprintf(file, "}, ylabel={");
    tex_write(plot->y_label, file);
    fprintf(file, "}]\n");
    for (int c = 0; c < plot->curves; c++) {
        fprintf(file, "\\addplot%s coordinates {",
                plot->bar                 ? c % 2 ? "[fill=black!70]" : "[fill=black!25]"
                : plot->curve[c].computed ? "[only marks, mark=o]"
                                          : "");
        for (int i = 0; i < plot->points; i++)
            if (!isnan(plot->curve[c].y[i]))
                fprintf(file, " (%.6g,%.6g)", plot->x[i], plot->curve[c].y[i]);
        fprintf(file, " };\n\\addlegendentry{");
        tex_write(plot->curve[c].title, file);
        fprintf(file, "}\n");
    }
    fprintf(file, "\\end{axis}\n\\end{tikzpicture}\n");
}

/* The names under bars, aslant where they are long. */
static void write_names(const struct plot *plot, FILE *file)
{
    size_t longest = 0;
    const char *between = "";
    for (int i = 0; i < plot->points; i++)
        longest = strlen(plot->bar[i]) > longest ? strlen(plot->bar[i]) : longest;
    fprintf(file, "set xtics %s scale 0 (", longest > 3 ? "rotate by 45 right" : "norotate");
    for (int i = 0; i < plot->points; i++) {
        if (!*plot->bar[i])
            continue;
        fprintf(file, "%s", between);
        text_put(file, TEXT_GNUPLOT_TICK, plot->bar[i]);
        fprintf(file, " %d", i);
        between = ", ";
    }
    fprintf(file, ")\n");
}

/* Bars of parts, the first at the bottom: drawn from the whole down, each over the one before. */
static void write_bars(const struct plot *plot, int number, const struct theme *theme, FILE *file)
{
    static const enum role fills[] = {ROLE_BAR, ROLE_BAR_BAD};
    fprintf(file,
            "set xrange [-0.7:%g]\nset boxwidth 0.8\nset style fill solid border lc rgb "
            "'#%06x'\n",
            plot->points - 0.3, (int)theme->colour[ROLE_PAPER]);
    write_names(plot, file);
    for (int c = plot->curves - 1; c >= 0; c--) {
        fprintf(file, "%s$numbers%d using 1:($2", c < plot->curves - 1 ? ", " : "plot ", number);
        for (int below = 1; below <= c; below++)
            fprintf(file, "+$%d", below + 2);
        fprintf(file, ") with boxes lc rgb '#%06x' title ", (int)theme->colour[fills[c % 2]]);
        text_put(file, TEXT_GNUPLOT, plot->curve[c].title);
    }
    fputc('\n', file);
}

/* One chart of the page. Curves differ in colour (Okabe and Ito's), dash and mark, so that they stay
 * apart in grey. */
static void write_chart(const struct plot *plot, int number, const struct theme *theme, FILE *file)
{
    const int ink = (int)theme->colour[ROLE_INK];
    enum { CURVE_STYLES = 7, PLAIN_TICKS = 1 << 14 };
    static const int colours[CURVE_STYLES] = {0xD55E00, 0x0072B2, 0x009E73, 0xCC79A7,
                                              0x56B4E9, 0xE69F00, 0x666666};
    static const int marks[CURVE_STYLES] = {7, 5, 9, 13, 11, 15, 3};
    double first = plot->x[0], last = plot->x[plot->points - 1];
    fprintf(file, "set key maxrows %d title ", plot->curves + (plot->title != NULL));
    text_put(file, TEXT_GNUPLOT, plot->title ? plot->title : "");
    fprintf(file, " left");
    fprintf(file, "\nset xlabel ");
    text_put(file, TEXT_GNUPLOT, plot->x_label);
    fprintf(file, "\nset ylabel ");
    text_put(file, TEXT_GNUPLOT, plot->y_label);
    fprintf(file, plot->y_most > 0 ? "\nset yrange [0:%g]\n" : "\nset yrange [0:*]\n",
            plot->y_most);
    if (plot->x_powers)
        fprintf(file, "set logscale x 2\nset format x '%s'\nset xrange [%g:%g]\n",
                last > PLAIN_TICKS ? "2^{%L}" : "%g", first / 1.3, last * 1.3);
    else
        fprintf(file, "unset logscale x\nset format x '%%g'\nset xrange [%g:%g]\n", first - 0.5,
                last + 0.5);
    fprintf(file, "$numbers%d << END\n", number);
    write_columns(plot, false, file);
    fprintf(file, "END\n");
    if (plot->bar) {
        write_bars(plot, number, theme, file);
        return;
    }
    fprintf(file, "plot ");
    for (int c = 0; c < plot->curves; c++) {
        fprintf(file, "%s$numbers%d using 1:%d title ", c ? ", " : "", number, c + 2);
        text_put(file, TEXT_GNUPLOT, plot->curve[c].title);
        if (plot->curve[c].computed)
            fprintf(file, " with points pt 6 ps 1.1 lw 1.2 lc rgb '#%06x'", ink);
        else
            fprintf(file, " with linespoints lw 1.5 dt %d pt %d ps 0.5 lc rgb '#%06x'", c % 5 + 1,
                    marks[c % CURVE_STYLES], colours[c % CURVE_STYLES]);
    }
    fputc('\n', file);
}

static void write_script(const struct plot *plots, int count, const struct theme *theme,
                         const struct plot_format *format, double width, FILE *file)
{
    enum { LINES = 4 /* of a key, that fit into the usual height */ };
    static const double line = 9, least = 150; /* points; the least of several beside each other */
    int ink = (int)theme->colour[ROLE_INK], grid = (int)theme->colour[ROLE_GRID], more = 0;
    for (int i = 0; i < count; i++) {
        int lines = plots[i].curves + (plots[i].title != NULL) - LINES;
        more = lines > more ? lines : more;
    }
    const double usual = 0.7 * width / count;
    const double height = (count > 1 && usual < least ? least : usual) + more * line;
    fprintf(file,
            "set terminal %s enhanced font 'Liberation Sans,7.5' background '#%06x' "
            "size %.6g%s,%.6g%s\n"
            "set border 3 lc rgb '#%06x'\nset tics nomirror out scale 0.5 textcolor rgb '#%06x'\n"
            "set grid ytics lt 1 lw 0.4 lc rgb '#%06x'\n"
            "set key outside above left vertical reverse Left samplen 3 textcolor rgb '#%06x'\n"
            "set xlabel textcolor rgb '#%06x'\nset ylabel textcolor rgb '#%06x'\nset yrange "
            "[0:*]\nset datafile missing '?'\n",
            format->terminal, (int)theme->colour[ROLE_PAPER], width / format->unit,
            format->unit_name, height / format->unit, format->unit_name, ink, ink, grid, ink, ink,
            ink);
    if (count > 1)
        fprintf(file, "set multiplot layout 1,%d\n", count);
    for (int i = 0; i < count; i++)
        write_chart(&plots[i], i, theme, file);
    if (count > 1)
        fprintf(file, "unset multiplot\n");
}

static void copy(FILE *from, FILE *to)
{
    char bytes[4096];
    size_t count;
    rewind(from);
    while ((count = fread(bytes, 1, sizeof bytes, from)) > 0)
        fwrite(bytes, 1, count, to);
}

/* Runs gnuplot on the script, with its picture going to a file. */
static bool run_gnuplot(FILE *script, FILE *picture, FILE *null, struct error *error)
{
    const char *const words[] = {"gnuplot", NULL};
    const struct program gnuplot = {.words = words,
                                    .input = fileno(script),
                                    .output = fileno(picture),
                                    .messages = fileno(null),
                                    .hint = "install it (package gnuplot-nox), or write the "
                                            "numbers with -o FILE.txt"};
    struct stat written;
    int status = process_run(&gnuplot, error);
    if (status > 0 || (status == 0 && (fstat(fileno(picture), &written) || !written.st_size)))
        error_set(error, "gnuplot failed; it must have the pdfcairo, pngcairo and svg terminals");
    return !error->text[0];
}

/* The chart as a picture. gnuplot does not say when its disk is full, so that it writes a passing
 * file first. */
static bool write_picture(const struct plot *plots, int count, const struct theme *theme,
                          const struct plot_format *format, double width, FILE *file,
                          struct error *error)
{
    FILE *script = tmpfile(), *picture = tmpfile(), *null = fopen("/dev/null", "w");
    if (!script || !picture || !null) {
        error_set(error, "cannot make a temporary file: %s", strerror(errno));
    } else {
        write_script(plots, count, theme, format, width, script);
        rewind(script);
        if (run_gnuplot(script, picture, null, error))
            copy(picture, file);
    }
    FILE *const all[] = {script, picture, null};
    for (int i = 0; i < 3; i++)
        if (all[i])
            fclose(all[i]);
    return !error->text[0];
}

bool plot_write(const struct plot *plots, int count, const struct theme *theme, double width,
                const char *path, struct error *error)
{
    const struct plot_format *format = format_of(path, error);
    struct output output = {.file = stdout};
    const bool named = strcmp(path, "-") != 0;
    if (!format || (named && !output_open(&output, path, error)))
        return false;
    bool good = true;
    if (format->terminal)
        good = write_picture(plots, count, theme, format, width, output.file, error);
    for (int i = 0; i < count && !format->terminal; i++) {
        if (i)
            fputc('\n', output.file);
        format->write(&plots[i], width / count, output.file);
    }
    return named ? output_close(&output, good, error) : good;
}
